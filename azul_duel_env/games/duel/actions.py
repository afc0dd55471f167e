"""The action table: one flat id for every decision of Azul Duel, with a name that a player understands."""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.action_table import ActionTable, lay_out
from azul_duel_env.games.duel.components import (
    BROKEN,
    CHIPS,
    COLOURS,
    DISPLAY_SIZE,
    DOME_SIZE,
    DOME_TILES,
    FACTORIES,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_DESTINATIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_ROTATIONS,
    NUM_SLOTS,
    NUM_SMALL,
)

BLOCKS = lay_out(
    (
        "sun",
        (NUM_FACTORIES, NUM_COLOURS, NUM_DESTINATIONS),
        "factory, colour, destination",
        "action B: take from a sun",
    ),
    ("moon", (NUM_COLOURS, NUM_DESTINATIONS), "colour, destination", "action C: take from all moons"),
    (
        "dome_display",
        (DISPLAY_SIZE, NUM_SLOTS, NUM_ROTATIONS),
        "display place, slot, rotation",
        "action A, face up; and the opening placements",
    ),
    ("dome_draw", (1,), "", "action A, face down: pay 1 point, draw one dome tile; again while drawing"),
    ("bonus_take", (NUM_SMALL,), "small factory", "action D: take a revealed bonus chip"),
    ("dome_stop", (1,), "", "stop drawing dome tiles"),
    (
        "dome_choose",
        (NUM_DOME_TILES,),
        "dome tile",
        "keep this drawn dome tile; then: put this one under the stack next",
    ),
    ("dome_place", (NUM_SLOTS, NUM_ROTATIONS), "slot, rotation", "place the kept dome tile"),
    ("moon_order", (NUM_COLOURS,), "colour", "which remaining tile goes on the moon next, from the bottom up"),
    ("tile_column", (DOME_SIZE,), "column", "phase 2: the column where the finished line's tile goes"),
    ("chip_spend", (NUM_CHIP_KINDS,), "chip kind", "phase 2: turn over a bonus chip towards finishing the line"),
    (
        "chip_decline",
        (1,),
        "",
        'phase 2: leave the line unfinished; with `chip_payments="all"` also, once it is paid for: turn over no more chips',
    ),
)
NUM_ACTIONS = BLOCKS[-1].first + BLOCKS[-1].size
BLOCK = {block.name: block for block in BLOCKS}

# First id of each block, as int64 so that a small integer of the state can be added to it in plain NumPy as well.
(
    SUN,
    MOON,
    DOME_DISPLAY,
    DOME_DRAW,
    BONUS_TAKE,
    DOME_STOP,
    DOME_CHOOSE,
    DOME_PLACE,
    MOON_ORDER,
    TILE_COLUMN,
    CHIP_SPEND,
    CHIP_DECLINE,
) = (np.int64(block.first) for block in BLOCKS)

NUM_SOURCES = (NUM_FACTORIES + 1) * NUM_COLOURS
"""What tiles can be taken from: a colour on a sun, then a colour on all moons; each is a run of NUM_DESTINATIONS action ids from 0."""

MAX_LEGAL = 350
"""Room for the legal actions of any state: a turn offers at most 25 x 7 + 5 x 7 + 3 x 9 x 4 + 1 + 4 = 323."""


# Names ----------------------------------------------------------------------------------------
DESTINATIONS = tuple("broken" if d == BROKEN else f"line {d + 1}" for d in range(NUM_LINES + 1))
SLOTS = tuple(f"slot {slot // 3 + 1}-{slot % 3 + 1}" for slot in range(NUM_SLOTS))
DOME_TILE_NAMES = tuple(f"{layout[:2]}/{layout[2:]}" for layout in DOME_TILES)


def _name(block: str, i: tuple[int, ...]) -> str:  # noqa: PLR0911 - one line a block
    """Return the name of an action given as block and indices."""
    match block:
        case "sun":
            return f"B {FACTORIES[i[0]]} {COLOURS[i[1]]} -> {DESTINATIONS[i[2]]}"
        case "moon":
            return f"C {COLOURS[i[0]]} -> {DESTINATIONS[i[1]]}"
        case "dome_display":
            return f"A display {i[0] + 1} -> {SLOTS[i[1]]} turned {90 * i[2]}"
        case "dome_draw":
            return "A draw"
        case "bonus_take":
            return f"D {FACTORIES[i[0]]}"
        case "dome_stop":
            return "stop drawing"
        case "dome_choose":
            return f"choose dome tile {DOME_TILE_NAMES[i[0]]}"
        case "dome_place":
            return f"place -> {SLOTS[i[0]]} turned {90 * i[1]}"
        case "moon_order":
            return f"stack {COLOURS[i[0]]}"
        case "tile_column":
            return f"column {i[0] + 1}"
        case "chip_spend":
            return f"spend chip {CHIPS[i[0]]}"
        case _:
            return "leave line unfinished"


SOURCES = tuple(f"{where} {colour}" for where in (*FACTORIES, "moons") for colour in COLOURS)

ACTIONS = ActionTable(BLOCKS, _name)
"""Names are such as ``B small-2 blue -> line 3``; slots are row-column, turns are clockwise degrees."""
encode, decode, action_name, parse_action = ACTIONS.encode, ACTIONS.decode, ACTIONS.name, ACTIONS.parse
