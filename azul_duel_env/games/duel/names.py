"""Names, for people and files, of what is decided and of what is drawn."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.actions import DOME_TILE_NAMES, SOURCES
from azul_duel_env.games.duel.components import (
    CHIPS,
    COLOURS,
    CONDITIONS,
    FILL_ORDER,
    KINDS,
    LARGE,
    NUM_CONDITIONS,
    NUM_PLAYERS,
    TILES_ON_LARGE,
)
from azul_duel_env.games.duel.engine import is_paid_of
from azul_duel_env.games.duel.state import (
    CHANCES,
    CHIP,
    FIRST,
    FRONT,
    GAME_OVER,
    NO_CHANCE,
    NOBODY,
    PAYING,
    SCORING,
    STACK_TOP,
    STAGES,
    STATE,
    TILE,
)

_DECISION_TEXTS = {
    "opening": "opening placement of a dome tile",
    "turn": "a turn: take tiles (B, C), a dome tile (A) or a bonus chip (D)",
    "drawing": "draw another dome tile, or stop",
    "keeping": "which drawn dome tile to keep",
    "returning": "which drawn dome tile goes under the stack next",
    "placing": "where and how to place the kept dome tile",
    "ordering": "which remaining tile goes on the moon next",
    "column": "the column for the tile of the finished line",
    "paying": "bonus chips towards finishing the line",
}


def is_paid_already(state: np.record) -> bool:
    """Return whether bonus chips are asked for although those turned over pay for the line (R30)."""
    return bool(state.stage == PAYING and is_paid_of(np.asarray(state).reshape(1).view(STATE), 0))


def decision_name(states: np.ndarray, i: int) -> str:
    """Return what one state waits for, in words."""
    state = states[i]
    if state.chance != NO_CHANCE:
        return f"draw of the {CHANCES[state.chance]}"
    if state.stage == GAME_OVER:
        return "nothing: the game is over"
    if state.player == NOBODY:
        return "nothing: what follows goes by itself"
    if state.source != NOBODY:
        return f"the pattern line for what is taken: {SOURCES[state.source]}"
    text = _DECISION_TEXTS[STAGES[state.stage]]
    if is_paid_already(state):
        text = "another bonus chip, or enough"
    return f"{text} (line {state.line + 1})" if state.line != NOBODY else text


def _outcome_names(chance: int) -> list[str]:
    """Return the names of all outcomes of a kind of chance."""
    if chance == SCORING:
        return [" ".join(_conditions_in(mask)) for mask in range(2**NUM_CONDITIONS)]
    names: dict[int, tuple[str, ...]] = {
        STACK_TOP: KINDS,
        FRONT: DOME_TILE_NAMES,
        TILE: COLOURS,
        CHIP: CHIPS,
        FIRST: tuple(f"player {p}" for p in range(NUM_PLAYERS)),
    }
    return list(names.get(chance, ()))


def _conditions_in(mask: int) -> list[str]:
    """Return the names of the conditions in a bit mask."""
    return [name for condition, name in enumerate(CONDITIONS) if mask >> condition & 1]


def _in_order(name: str) -> str:
    """Return the name of an outcome of SCORING with the conditions in their order."""
    words = name.removeprefix(f"{CHANCES[SCORING]} ").split()
    return " ".join(
        [CHANCES[SCORING], *sorted(words, key=lambda word: CONDITIONS.index(word) if word in CONDITIONS else -1)]
    )


def outcome_name(chance: int, outcome: int) -> str:
    """Return the name of an outcome of a draw, such as ``tile blue`` or ``chip TY``.

    Raises:
        ValueError: no such kind of chance or outcome.
    """
    names = _outcome_names(chance)
    if not 0 <= outcome < len(names):
        raise ValueError(f"chance {chance} has no outcome {outcome}: there are {len(names)}")
    return f"{CHANCES[chance]} {names[outcome]}"


def parse_outcome(chance: int, name: str) -> int:
    """Return the outcome with this name; the inverse of ``outcome_name``.

    Raises:
        ValueError: no outcome of this kind of chance has this name.
    """
    names = [f"{CHANCES[chance]} {known}".strip() for known in _outcome_names(chance)]
    wanted = " ".join(name.split())
    if chance == SCORING and wanted.startswith(f"{CHANCES[SCORING]} "):
        wanted = _in_order(wanted)
    if wanted not in names:
        shown = ", ".join(names[:18]) if len(names) <= 18 else f"{CHANCES[chance]} and names of {', '.join(CONDITIONS)}"
        raise ValueError(f"{name!r:.80} is no outcome of this draw; outcomes: {shown}")
    return names.index(wanted)


def drawn_in_vain(states: np.ndarray, i: int, outcome: int) -> int:
    """Return how many draws went back together with an outcome that the odds leave out, since all would be drawn again; else 0.

    At a table, and in games of earlier versions, five tiles of one colour do lie on the large factory before they go back (D17). If the
    bag then held two colours only, the fifth tile is no draw any more but certain: such a game, of a shortage, can't be told from one in
    which a line belongs to the next factory, and is refused where it stops fitting.
    """
    state = states[i]
    if state.chance != TILE or FILL_ORDER[state.filling] != LARGE or state.tipped_midway:
        return 0
    return TILES_ON_LARGE - 1 if state.bag[outcome] > 0 and state.suns[LARGE, outcome] == TILES_ON_LARGE - 1 else 0
