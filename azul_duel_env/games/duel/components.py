"""The box: colours, factories, dome tiles, bonus chips, scoring tiles, penalties (RULES A.1, and B.1 to B.4)."""

from __future__ import annotations

import numpy as np

NUM_PLAYERS = 2  # D1
NUM_ROUNDS = 5  # A.3, D23
LAST_DOME_ROUND = 4  # D25: no dome tiles are taken in round 5

# Colours of round tiles -----------------------------------------------------------------------
COLOURS = ("blue", "turquoise", "red", "yellow", "black")
COLOUR_LETTERS = "BTRYK"
NUM_COLOURS = len(COLOURS)
TILES_PER_COLOUR = 13  # D4
NUM_TILES = NUM_COLOURS * TILES_PER_COLOUR
NUM_SPECIAL_TILES = 9  # D4

# What a space of the dome shows, and what lies on it: colours are 0..4 in both ----------------
SPECIAL = 5  # a special space, and the special tile
WILD = 6  # a wild space; tiles keep their colour there (D66)
EMPTY = -1  # no tile, no dome tile, nothing

# Factories ------------------------------------------------------------------------------------
NUM_SMALL = 4  # D3
LARGE = 4
NUM_FACTORIES = 5
FACTORIES = ("small-1", "small-2", "small-3", "small-4", "large")
TILES_ON_SMALL = 4
TILES_ON_LARGE = 5
FILL_ORDER = np.array([LARGE, 0, 1, 2, 3], np.int8)  # D16, D81, R12
MOON_HEIGHT = 3  # E7

# The player board -----------------------------------------------------------------------------
NUM_LINES = 6  # D8
BROKEN = 6  # the destination that is no pattern line
NUM_DESTINATIONS = 7
DOME_SIZE = 6
NUM_SLOTS = 9  # D9
NUM_ROTATIONS = 4
BROKEN_SPACES = 4  # D10
BROKEN_PENALTY = np.array([0, 1, 3, 6, 10], np.int16)  # points lost for 0..4 broken tiles (D80, B.4, R55)
FIRST_PLAYER_PENALTY = 2  # D80
START_SCORE = 5  # D12, R61
TOKENS_PER_ROUND = 2  # D2, D33
CHIPS_PER_ROUND = 2  # D53, D59

# Dome tiles (B.1) -----------------------------------------------------------------------------
DOME_TILES = (  # R59
    *("YKT*", "WBTK", "TRBW", "KYRW", "K*TR", "TYWK", "*KRB", "YBK*", "TRB*"),
    *("YRWB", "Y*KR", "TKRW", "BK*T", "RTYW", "TBWY", "*TYB", "RWBK", "*YBR"),
)
"""Layout as printed, read TL TR BL BR; ``*`` special space, ``W`` wild space."""
NUM_DOME_TILES = len(DOME_TILES)  # D5
DISPLAY_SIZE = 3
MAX_HAND = NUM_DOME_TILES - DISPLAY_SIZE - NUM_PLAYERS  # D35, R2: at most the whole stack is drawn
MAX_PUT_BACK = MAX_HAND - 1
SPECIAL_KIND, WILD_KIND = 0, 1
KINDS = ("special", "wild")
NUM_KINDS = 2
UNKNOWN = -1  # a kind or front that nobody has seen yet

_SPACE_CODES = {letter: code for code, letter in enumerate(COLOUR_LETTERS)} | {"*": SPECIAL, "W": WILD}


def _turned(layout: str) -> str:
    """Return a layout turned clockwise by a quarter turn."""
    top_left, top_right, bottom_left, bottom_right = tuple(layout)
    return bottom_left + top_left + bottom_right + top_right


def _spaces_of_all_layouts() -> np.ndarray:
    """Return the spaces [TL, TR, BL, BR] of each layout, indexed by ``4 * dome tile + rotation``."""
    rows = []
    for printed in DOME_TILES:
        layout = printed
        for _ in range(NUM_ROTATIONS):
            rows.append([_SPACE_CODES[letter] for letter in layout])
            layout = _turned(layout)
    return np.array(rows, np.int8)


LAYOUT_SPACES = _spaces_of_all_layouts()
"""int8 (72, 4): a *layout* is ``4 * dome tile + rotation``; rotation counts quarter turns clockwise (E18)."""
KIND_OF = np.array([WILD_KIND if "W" in layout else SPECIAL_KIND for layout in DOME_TILES], np.int8)

# Bonus chips (B.2) ----------------------------------------------------------------------------
CHIPS = ("B", "T", "R", "Y", "K", "TY", "BR", "RT", "BK", "KY")  # R60
NUM_CHIP_KINDS = len(CHIPS)
COPIES_OF_CHIP = 2  # R60
NUM_CHIPS = NUM_CHIP_KINDS * COPIES_OF_CHIP  # D6
CHIP_SHOWS = np.array([[letter in chip for letter in COLOUR_LETTERS] for chip in CHIPS], np.bool_)
"""bool (10, 5): whether a chip kind shows a colour; one with two colours counts as either (D71)."""
NO_CHIP, FACE_DOWN = -1, 10  # a factory's chip is one of these or a chip kind
PAIR, TRIPLE = 2, 3  # chips for one missing tile: two that match, or any three (D70)

# Scoring tiles (B.3): tile i has the sides i and i + 4 ----------------------------------------
CONDITIONS = (
    "rows",
    "columns",
    "diagonals",
    "wild_spaces",
    "five_colours",
    "border",
    "corners",
    "empty_special_spaces",
)
ROWS, COLUMNS, DIAGONALS, WILD_SPACES, FIVE_COLOURS, BORDER, CORNERS, EMPTY_SPECIAL_SPACES = range(8)
NUM_CONDITIONS = len(CONDITIONS)
NUM_SCORING_TILES = 4  # D7, R58: the order of the conditions pairs the sides
FIRST_GAME = ("rows", "columns", "diagonals")
"""Our guess (R40): the texts say that three tiles bear a star for the first game, but not which."""
POINTS_PER_ROW = 3
POINTS_PER_COLUMN = 7
POINTS_PER_DIAGONAL = 10
POINTS_PER_WILD_SPACE = 2
POINTS_PER_FIVE_COLOURS = 4
POINTS_PER_BORDER_TILE = 1
POINTS_PER_EMPTY_SPECIAL_SPACE = -3
CORNER_SLOTS = np.array([0, 2, 6, 8], np.int8)
CORNER_POINTS = np.array([3, 3, 8, 8], np.int8)  # B.4, R57
