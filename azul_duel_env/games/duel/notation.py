"""States as text that a player can read, both ways and exactly.

Colours are B blue, T turquoise, R red, Y yellow, K black. A dome shows two characters a space: the tile on it or ``.``, then what the
space asks for: ``b t r y k`` a colour, ``w`` wild, ``*`` special; ``--`` where no dome tile lies. Pattern lines fill from the right. A
dome tile is named by its printed layout, top row / bottom row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from azul_duel_env.game.notation_parts import NOTHING, Reader, check_names, check_sound, lines_of, plain, read_line
from azul_duel_env.games.duel.components import (
    EMPTY,
    KIND_OF,
    KINDS,
    NUM_COLOURS,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    TILES_PER_COLOUR,
)
from azul_duel_env.games.duel.kernels import soundness  # type: ignore[attr-defined] # a template
from azul_duel_env.games.duel.names import decision_name
from azul_duel_env.games.duel.notation_lines import (
    BOARD,
    RARE,
    RARE_DEFAULTS,
    TABLE,
    box_the_rest,
    lay_dome_tiles,
    read_options,
    read_row,
    write_options,
    write_row,
)
from azul_duel_env.games.duel.state import (
    GAME_OVER,
    NO_CHANCE,
    NOBODY,
    blank_states,
)

HEADER = "azul/duel-v0"
MOST_LETTERS = 600
"""Of a line: more than all dome tiles, looked at by both players, take."""


def _lines_of(s: Any, with_hidden: bool) -> list[str]:
    """Return the lines of a state; without hidden ones, what everybody at the table sees."""
    lines = [f"{name}: {writer(s)}" for name, (writer, _) in TABLE.items()]
    lines += ["", HEADING]
    lines += [f"row {row + 1}: {write_row(s, row)}" for row in range(NUM_LINES)]
    lines += [f"{name}: {writer(s)}" for name, (writer, _) in BOARD.items()]
    rare = {name: writer(s) for name, (writer, _) in RARE.items()}
    if not with_hidden:
        rare = {name: rare[name] for name in ("ordering", "line", "paid")} | _public_dome_tiles(s)
    return lines + [f"{name}: {text}" for name, text in rare.items() if text != RARE_DEFAULTS.get(name, NOTHING)]


def _heading() -> str:
    """Return the players' names above their boards."""
    width = len(write_row(plain(blank_states(1), 0), 0).partition("|")[0])
    indent = " " * len("row 1: ")
    return f"{indent}{'player 0':>{NUM_LINES + 8}}".ljust(len(indent) + width) + f"|  {'player 1':>{NUM_LINES + 8}}"


HEADING = _heading()


def _public_dome_tiles(s: Any) -> dict[str, str]:
    """Say what everybody knows of dome tiles put back and drawn: how many of each kind in each return (R5), the top (R3)."""
    kinds = [int(KIND_OF[tile]) for tile in s.put_back if tile != EMPTY]
    shown = len(kinds) - s.returned  # a return counts as drawn until it is complete
    returns: list[str] = []
    for start in [place for place in range(shown) if s.put_back_starts[place]]:
        end = next((place for place in range(start + 1, shown) if s.put_back_starts[place]), shown)
        returns.append(f"by {s.put_back_by[start]}: {_kind_counts(kinds[start:end])}")
    drawn = s.hand_kinds[: s.hand_size] + kinds[shown:] + ([int(KIND_OF[s.kept])] if s.kept != EMPTY else [])
    top = KINDS[kinds[0]] if s.stack_unseen == 0 and shown else NOTHING
    return {"put back": "; ".join(returns) or NOTHING, "top of the stack": top, "drawn": _kind_counts(drawn)}


def _kind_counts(kinds: list[int]) -> str:
    return ", ".join(f"{kinds.count(kind)} {name}" for kind, name in enumerate(KINDS) if kind in kinds) or NOTHING


def write(states: np.ndarray, i: int = 0) -> str:
    """Return one whole state as text, hidden parts and the generator included; ``read`` gives it back exactly."""
    s = plain(states, i)
    return "\n".join([HEADER, f"options: {write_options(s)}", *_lines_of(s, with_hidden=True)]) + "\n"


def board(states: np.ndarray, i: int = 0) -> str:
    """Return what everybody at the table sees, for people: nothing that a player may not know."""
    s = plain(states, i)
    decides = f"player {s.player} decides: " if s.player != NOBODY else ""
    return "\n".join([*_lines_of(s, with_hidden=False), "", f"{decides}{decision_name(states, i)}"]) + "\n"


def read(text: str) -> np.ndarray:
    """Return the state (array of one) written as text.

    Chips and dome tiles that lie nowhere are unseen; lines of the last part may be left out when they say nothing, and ``bag``
    when it holds all other tiles.

    Raises:
        NotationError: (a ValueError) a line is missing or wrong, or the state breaks an invariant; the message says which.
    """
    states = blank_states(1)
    s = states[0]
    fields = lines_of(text, HEADER, MOST_LETTERS)
    spaces = np.full((NUM_PLAYERS, NUM_LINES, 6), EMPTY, np.int8)
    s.filling = NUM_FACTORIES
    s.bag = 0
    handlers: dict[str, Reader] = {"options": read_options}
    handlers |= {name: reader for table in (TABLE, BOARD, RARE) for name, (_, reader) in table.items()}
    handlers |= {f"row {row + 1}": _row_reader(row, spaces) for row in range(NUM_LINES)}
    required = [name for name in handlers if name not in RARE and name != "bag"]
    check_names(fields, handlers, required)
    for name, value in fields.items():
        read_line(s, name, handlers[name], value)
    lay_dome_tiles(s, spaces)
    box_the_rest(s)
    if "bag" not in fields:
        s.bag = [TILES_PER_COLOUR - n for n in _tiles_outside_bag(s)]
    s.player = NOBODY if s.chance != NO_CHANCE or s.stage == GAME_OVER else s.active
    check_sound(soundness.check(states))
    return states


def _row_reader(row: int, spaces: np.ndarray) -> Reader:
    return lambda s, text: read_row(s, row, text, spaces)


def _tiles_outside_bag(s: Any) -> list[int]:
    """Count the tiles of each colour that are not in the bag."""
    counts = s.tower + s.large_moon + s.suns.sum(axis=0) + s.broken.sum(axis=0)
    for colour in range(NUM_COLOURS):
        counts[colour] += (s.moons == colour).sum() + (s.tiles == colour).sum()
        counts[colour] += s.lines[s.line_colours == colour].sum()
    return [int(count) for count in counts]
