"""The box: tiles, factories, supply, and the player board as data (RULES C.1, G.1 to G.3)."""

from __future__ import annotations

import numpy as np

PLAYER_COUNTS = (2, 3, 4)  # S3, SR28
MOST_PLAYERS = max(PLAYER_COUNTS)
NUM_ROUNDS = 6  # S6
START_SCORE = 5  # S1
EMPTY = -1  # no tile, nothing

# Tiles ----------------------------------------------------------------------------------------
COLOURS = ("purple", "green", "orange", "yellow", "blue", "red")  # SR33
"""In the order in which they are wild, unless another order is chosen (S8); also that of falling star values."""
COLOUR_LETTERS = "PGOYBR"
NUM_COLOURS = len(COLOURS)
TILES_PER_COLOUR = 22  # S4, SR32
NUM_TILES = NUM_COLOURS * TILES_PER_COLOUR
SUPPLY_SIZE = 10  # S5
TILES_ON_FACTORY = 4  # S5
CORNERS = 4  # S29: so many tiles can be kept for the next round


def num_factories(num_players: int) -> int:
    """Return how many factories lie on the table: 5, 7 or 9 (S3)."""
    return 2 * num_players + 1


MOST_FACTORIES = num_factories(MOST_PLAYERS)

# The player board -----------------------------------------------------------------------------
STARS = ("orange", "red", "blue", "yellow", "green", "purple", "centre")
"""Clockwise from the upper left; the centre star last."""
NUM_STARS = len(STARS)
NUM_OUTER = NUM_STARS - 1
CENTRE = 6
STAR_SIZE = 6
NUM_SPACES = NUM_STARS * STAR_SIZE
"""A space is ``6 * star + position``; positions 0 to 5 run clockwise and are shown as 1 to 6."""
STAR_COLOUR = np.array([COLOURS.index(star) for star in STARS[:NUM_OUTER]], np.int8)
"""int8 (6,): the colour of each outer star on the coloured side."""
ALL_COLOURS = 2**NUM_COLOURS - 1
"""Sets of colours are bit masks."""

BOARDS = ("coloured", "grey")
COLOURED, GREY = range(len(BOARDS))
SPACE_NUMBER = np.array(  # SR35
    [
        [1, 2, 3, 4, 5, 6] * NUM_STARS,
        [3, 2, 1, 4, 5, 6] * NUM_OUTER + [3] * STAR_SIZE,
    ],
    np.int8,
)
"""int8 (2, 42): what each space costs, by the side of the board (G.2)."""

# Structures -----------------------------------------------------------------------------------
STRUCTURE_KINDS = ("pillar", "statue", "window")
PILLAR, STATUE, WINDOW = range(len(STRUCTURE_KINDS))
STRUCTURE_TILES = np.array([1, 2, 3], np.int8)
"""int8 (3,): how many tiles of the supply each kind brings (S27)."""


def _structures() -> list[tuple[int, list[int]]]:
    """Return kind and spaces of each structure: pillar, statue and window of one outer star after the other (G.3)."""
    found = []  # SR34
    for star in range(NUM_OUTER):
        after = (star + 1) % NUM_OUTER
        here, there, centre = STAR_SIZE * star, STAR_SIZE * after, STAR_SIZE * CENTRE
        found.append((PILLAR, [here + 1, here + 2, centre + (star - 1) % STAR_SIZE, centre + star]))
        found.append((STATUE, [here, here + 1, there + 2, there + 3]))
        found.append((WINDOW, [here + 4, here + 5]))
    return found


NUM_STRUCTURES = 3 * NUM_OUTER
STRUCTURE_KIND = np.array([kind for kind, _ in _structures()], np.int8)
"""int8 (18,)."""
STRUCTURE_SPACES = np.array([(spaces + [EMPTY] * 4)[:4] for _, spaces in _structures()], np.int8)
"""int8 (18, 4): the spaces around each structure; EMPTY after the two of a window."""


def _structures_at(space: int) -> list[int]:
    """Return the structures beside a space, and EMPTY up to two."""
    return ([structure for structure, (_, spaces) in enumerate(_structures()) if space in spaces] + [EMPTY] * 2)[:2]


STRUCTURES_AT = np.array([_structures_at(space) for space in range(NUM_SPACES)], np.int8)
"""int8 (42, 2): the structures beside each space; EMPTY where there is only one."""
MOST_OWED = 3
"""Tiles that one placement can bring: a window, or a pillar and a statue."""

# The end of the game --------------------------------------------------------------------------
STAR_POINTS = np.array([20, 18, 17, 16, 15, 14], np.int16)
"""int16 (6,): points for a full star of one colour, by colour (S34)."""
MULTICOLOURED_POINTS = 12
NUMBER_POINTS = np.array([0, 4, 8, 12, 16], np.int16)
"""int16 (5,): points for having filled all spaces with the number 1, 2, 3 or 4 (S35)."""
NUM_NUMBERS = 4
