"""The action table: one flat id for every decision of Azul Summer Pavilion Mini, the same for all numbers of players and both sides."""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.action_table import ActionTable, lay_out
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    MOST_FACTORIES,
    NUM_COLOURS,
    NUM_SPACES,
    STAR_SIZE,
    STARS,
)

CENTRE_SOURCE = MOST_FACTORIES
NUM_SOURCES = MOST_FACTORIES + 1
MOST_WILDS = STAR_SIZE - 1
"""Wild tiles that one placement can take: at least one tile has the placed colour (S23)."""

BLOCKS = lay_out(
    ("take", (NUM_SOURCES, NUM_COLOURS), "source (factory 1 to 9, centre), colour", "phase 1: take tiles of a colour, and a wild one"),
    ("place", (NUM_SPACES, NUM_COLOURS), "space (star, position), colour", "phase 2: place a tile"),
    ("pay", (MOST_WILDS + 1,), "wild tiles", "phase 2, after `place`: how many wild tiles are spent, where that can be chosen"),
    ("bonus", (NUM_COLOURS,), "colour", "phase 2: the next tile from the supply, in the order of colours"),
    ("pass", (1,), "", "phase 2, with at most four tiles left, or in round 6: place no more in this round"),
    (
        "discard",
        (NUM_COLOURS,),
        "colour",
        'phase 2, with more than four tiles left, or with `keep="any"`: pass, and throw this tile; then the next, in the order of colours',
    ),
)  # fmt: skip

# First id of each block, as int64 so that a small integer of the state can be added to it in plain NumPy as well.
TAKE_TILES, PLACE_TILE, PAY_WILDS, TAKE_BONUS, PASS, DISCARD_TILE = (np.int64(block.first) for block in BLOCKS)

MAX_LEGAL = 264
"""Room for the legal actions of any state: 42 spaces x 6 colours, and 6 discards or a pass, are 258."""

SPACE_NAMES = tuple(f"{star} {position + 1}" for star in STARS for position in range(STAR_SIZE))
SOURCE_NAMES = (*(f"factory {factory + 1}" for factory in range(MOST_FACTORIES)), "centre")


def _name(block: str, i: tuple[int, ...]) -> str:
    """Return the name of an action given as block and indices."""
    match block:
        case "take":
            return f"take {SOURCE_NAMES[i[0]]} {COLOURS[i[1]]}"
        case "place":
            return f"place {COLOURS[i[1]]} -> {SPACE_NAMES[i[0]]}"
        case "pay":
            return f"pay {i[0]} wild"
        case "pass":
            return "pass"
        case _:
            return f"{block} {COLOURS[i[0]]}"


ACTIONS = ActionTable(BLOCKS, _name)
"""Names are such as ``take factory 3 blue`` and ``place blue -> centre 2``."""
NUM_ACTIONS = ACTIONS.size
encode, decode, action_name, parse_action = ACTIONS.encode, ACTIONS.decode, ACTIONS.name, ACTIONS.parse
