"""States as text that a player can read, both ways and exactly.

Colours are P purple, G green, O orange, Y yellow, B blue, R red. The boards stand side by side, a star a row: each space shows its number
and then the tile that lies there; the spaces run clockwise, from the first one that actions name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from azul_duel_env.game.notation_parts import (
    NotationError,
    Reader,
    check_names,
    check_sound,
    lines_of,
    plain,
    read_line,
    read_number,
)
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    NUM_COLOURS,
    PLAYER_COUNTS,
    TILES_ON_FACTORY,
    TILES_PER_COLOUR,
)
from azul_duel_env.games.pavilion_mini.names import decision_name
from azul_duel_env.games.pavilion_mini.notation_lines import (
    BOARD,
    DEFAULTS,
    HIDDEN,
    OPTIONS,
    SUB_DECISIONS,
    WIDTH_OF_NAMES,
    Lines,
    heading,
    table,
)
from azul_duel_env.games.pavilion_mini.state import (
    CHOOSE_FIRST,
    FILL_FACTORIES,
    FIRST,
    GAME_OVER,
    NO_CHANCE,
    NOBODY,
    TAKE,
    TILE,
    TURN_OVER,
    blank_states,
)

HEADER = "azul/pavilion_mini-v0"
DERIVED = ("bag",)
"""Lines that may be left out, since they follow from the others."""
MOST_LETTERS = 400
"""Of a line: more than four boards side by side, or any hands, take."""


# Writing --------------------------------------------------------------------------------------
def _written(s: Any, lines: Lines) -> list[str]:
    """Return the lines that say something."""
    texts = {name: writer(s) for name, (writer, _) in lines.items()}
    return [f"{name}: {text}" for name, text in texts.items() if text != DEFAULTS.get(name)]


def _on_the_table(s: Any) -> list[str]:
    """Return what everybody sees."""
    players = len(s.scores)
    boards = [f"{name}: ".ljust(WIDTH_OF_NAMES) + writer(s) for name, (writer, _) in BOARD.items()]
    return [*_written(s, table(players)), "", heading(players), *boards, *_written(s, SUB_DECISIONS)]


def write(states: np.ndarray, i: int = 0) -> str:
    """Return one whole state as text, its generator included; ``read`` gives it back exactly."""
    s = plain(states, i)
    lines = [HEADER, f"players: {len(s.scores)}", *_written(s, OPTIONS), *_on_the_table(s), *_written(s, HIDDEN)]
    return "\n".join(lines) + "\n"


def board(states: np.ndarray, i: int = 0) -> str:
    """Return what everybody at the table sees, for people."""
    s = plain(states, i)
    wild = f"wild: {COLOURS[s.wild_order[max(s.round_number, 1) - 1]]}"
    decides = f"player {s.player} decides: " if s.player != NOBODY else ""
    return "\n".join([wild, *_on_the_table(s), "", f"{decides}{decision_name(states, i)}"]) + "\n"


# Reading --------------------------------------------------------------------------------------
def read(text: str, num_players: int, check: Callable[[np.ndarray], list[str]]) -> np.ndarray:
    """Return the state (array of one) written as text.

    Lines of sub-decisions, ``decisions`` and ``random`` may be left out when they say nothing, and ``bag`` when it holds all other tiles.

    Args:
        text: what ``write`` writes.
        num_players: how many players the game is for.
        check: names the broken invariants of a state.

    Raises:
        NotationError: (a ValueError) a line is missing or wrong, or the state breaks an invariant; the message says which.
    """
    fields = lines_of(text, HEADER, MOST_LETTERS)
    lines = OPTIONS | table(num_players) | BOARD | SUB_DECISIONS | HIDDEN
    readers: dict[str, Reader] = {"players": _read_players}
    readers |= {name: reader for name, (_, reader) in lines.items()}
    states = blank_states(1, num_players)
    s = states[0]
    if "players" in fields:  # first of all, for what lines there are depends on it
        read_line(s, "players", _read_players, fields["players"])
    check_names(fields, readers, [name for name in readers if name not in DEFAULTS and name not in DERIVED])
    for name, reader in readers.items():
        if name in fields:
            read_line(s, name, reader, fields[name])
    if "bag" not in fields:
        s.bag = [TILES_PER_COLOUR - tiles for tiles in _tiles_outside_bag(s)]
    _derive(s)
    check_sound(check(states))
    return states


def _read_players(s: Any, text: str) -> None:
    players = len(s.scores)
    if read_number(text, PLAYER_COUNTS[0], PLAYER_COUNTS[-1]) != players:
        raise NotationError(f"expected {players}, for this is the game for so many players, not {text!r}")


def _derive(s: Any) -> None:
    """Find what follows from the stage: which draw is due and for which factory, and who decides."""
    if s.stage == CHOOSE_FIRST:
        s.chance = FIRST
    elif s.stage < TAKE or s.stage == TURN_OVER:
        s.chance = TILE
    if s.stage == FILL_FACTORIES:
        short = s.factories.sum(axis=1) < TILES_ON_FACTORY
        s.filling = short.argmax()
    s.player = NOBODY if s.chance != NO_CHANCE or s.stage == GAME_OVER else s.active


def _tiles_outside_bag(s: Any) -> list[int]:
    """Count the tiles of each colour that are not in the bag."""
    lying = s.deposit + s.supply + s.centre + s.factories.sum(axis=0) + s.hands.sum(axis=0)
    return [int(lying[colour] + (s.boards == colour).sum()) for colour in range(NUM_COLOURS)]
