"""Names, for people and files, of what is decided and of what is drawn."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.actions import SPACE_NAMES
from azul_duel_env.games.pavilion_mini.components import COLOURS, EMPTY, MOST_PLAYERS
from azul_duel_env.games.pavilion_mini.state import (
    CHANCES,
    FIRST,
    GAME_OVER,
    NO_CHANCE,
    NOBODY,
    PAY,
    PLACE,
    STAGES,
    TILE,
)

DECISION_TEXTS = {
    "take": "which tiles to take",
    "place": "a turn: place a tile, or pass",
    "pay": "how many wild tiles to pay with",
    "bonus": "which tile to take from the supply",
    "discard": "which tile to throw away next",
}
OUTCOME_NAMES = {TILE: COLOURS, FIRST: tuple(f"player {player}" for player in range(MOST_PLAYERS))}
"""Kind of chance -> name of each outcome."""


def decision_name(states: np.ndarray, i: int) -> str:
    """Return what one state waits for, in words."""
    state = states[i]
    if state.chance != NO_CHANCE:
        return f"draw of the {CHANCES[state.chance]}"
    if state.stage == GAME_OVER:
        return "nothing: the game is over"
    if state.player == NOBODY:
        return "nothing: what follows goes by itself"
    if state.stage == PLACE and state.space != EMPTY:
        return f"the colour to place on {SPACE_NAMES[state.space]}"
    text = DECISION_TEXTS[STAGES[state.stage]]
    return f"{text} ({COLOURS[state.colour]} on {SPACE_NAMES[state.space]})" if state.stage == PAY else text


def outcome_name(chance: int, outcome: int) -> str:
    """Return the name of an outcome of a draw, such as ``tile blue`` or ``first player player 2``.

    Raises:
        ValueError: no such kind of chance or outcome.
    """
    names = OUTCOME_NAMES.get(chance, ())
    if not 0 <= outcome < len(names):
        raise ValueError(f"chance {chance} has no outcome {outcome}: there are {len(names)}")
    return f"{CHANCES[chance]} {names[outcome]}"


def parse_outcome(chance: int, name: str) -> int:
    """Return the outcome with this name; the inverse of ``outcome_name``.

    Raises:
        ValueError: no outcome of this kind of chance has this name.
    """
    names = [f"{CHANCES[chance]} {known}" for known in OUTCOME_NAMES.get(chance, ())]
    wanted = " ".join(name.split())
    if wanted not in names:
        raise ValueError(f"{name!r:.80} is no outcome of this draw; outcomes: {', '.join(names)}")
    return names.index(wanted)
