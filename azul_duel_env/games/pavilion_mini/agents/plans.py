"""What an unfinished board and tiles at hand promise: tables made once from a few weights, which the agent ``greedy`` adds up.

A ``mask`` holds a bit for each position of a star that is filled; a star is of a ``kind``, ``2 * side + (star == CENTRE)``. A *plan* is a
series of placements in one star, all of one colour, that so many tiles pay for; it counts the points scored, what the spaces promise beyond
the star, and the tiles left.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.components import (
    BOARDS,
    CENTRE,
    EMPTY,
    MULTICOLOURED_POINTS,
    NUM_NUMBERS,
    NUM_ROUNDS,
    NUM_SPACES,
    NUM_STARS,
    NUMBER_POINTS,
    SPACE_NUMBER,
    STAR_POINTS,
    STAR_SIZE,
    STRUCTURE_KIND,
    STRUCTURE_KINDS,
    STRUCTURE_SPACES,
    STRUCTURE_TILES,
    STRUCTURES_AT,
)
from azul_duel_env.jit import rule

# Weights: see ``greedy`` for how they were found ----------------------------------------------
# FADE_n: the share of a star's bonus that counts in round n, but for the tiles it still takes.
FADE_1 = 0.00
FADE_2 = 1.26
FADE_3 = 0.00
FADE_4 = 0.20
FADE_5 = 0.84
REMAINING = 18.90  # tiles that a star still takes which leave a share of 1 / e of its bonus
OPEN = 0.48  # for each point that the best next tile of a star begun would score, in round 1; less later
STRUCTURE = 0.47  # for each tile that a structure will bring
STRUCTURE_POWER = 6.10  # to which the share of its filled spaces is raised
NUMBER = 0.94  # for each point that a number will bring
NUMBER_POWER = 5.26  # to which the share of its filled spaces is raised
STRUCTURE_STATIC = 0.35  # the same in a plan, shared out among its spaces, whatever else is filled
NUMBER_STATIC = 0.19  # the same of a number's points

FADES = np.array([FADE_1, FADE_2, FADE_3, FADE_4, FADE_5, 0.0])
"""By round: the same; nothing unfinished counts in the last."""
KEEPS = np.array([0.0] * (NUM_ROUNDS - 1) + [-1.0])
"""By round: points for a tile that is left; in the last it is thrown (SR7)."""
AVERAGE_BONUS = float(STAR_POINTS.mean())

# Sizes ----------------------------------------------------------------------------------------
MOST_TILES = 20
"""Tiles that a plan can take; more make no difference."""
NUM_KINDS = 2 * len(BOARDS)
FULL = 2**STAR_SIZE - 1
MASKS = range(FULL + 1)
NOT_ALLOWED = -1000.0
MOST_OF_A_NUMBER = 2 * STAR_SIZE
"""Spaces with the number 3 on the grey side."""

# What lies where ------------------------------------------------------------------------------
COSTS = np.array(
    [
        [SPACE_NUMBER[side, STAR_SIZE * star : STAR_SIZE * (star + 1)] for star in (0, CENTRE)]
        for side in range(len(BOARDS))
    ],
    np.int64,
).reshape(NUM_KINDS, STAR_SIZE)
"""The number on each position, by kind of star."""
SPACES_AROUND = np.where(STRUCTURE_SPACES == EMPTY, NUM_SPACES, STRUCTURE_SPACES).astype(np.int64)
"""int64 (18, 4): the spaces around each structure; one that there is not after the two of a window."""
NUM_SPACES_AROUND = (STRUCTURE_SPACES[: len(STRUCTURE_KINDS)] != EMPTY).sum(axis=1)
"""int64 (3,): spaces around each kind of structure; the first three structures are one of each kind."""
NUMBER_MASKS = np.array(
    [[sum(1 << int(s) for s in np.flatnonzero(side == n)) for n in range(NUM_NUMBERS + 1)] for side in SPACE_NUMBER],
    np.int64,
)
"""The spaces with each number as bits, by side."""
NUM_BITS = np.array([mask.bit_count() for mask in MASKS], np.int64)


@rule
def count_bits(spaces):
    """Return how many of 42 bits are set."""
    count = 0
    for star in range(NUM_STARS):
        count += NUM_BITS[spaces >> STAR_SIZE * star & FULL]
    return count


# Tables ---------------------------------------------------------------------------------------
def _points(mask: int, position: int) -> int:
    """Return what a tile on an empty position of a star scores (S26)."""

    def reach(step: int) -> int:
        size = 1
        while size < STAR_SIZE and mask >> (position + step * size) % STAR_SIZE & 1:
            size += 1
        return size

    return min(reach(1) + reach(-1) - 1, STAR_SIZE)


def _empty(mask: int) -> list[int]:
    """Return the empty positions of a star."""
    return [position for position in range(STAR_SIZE) if not mask >> position & 1]


def _progress() -> np.ndarray:
    """Return the share of a star's bonus that counts."""
    table = np.ones((NUM_ROUNDS, NUM_KINDS, len(MASKS)))
    for kind in range(NUM_KINDS):
        for mask in MASKS[:-1]:
            table[:, kind, mask] = FADES * np.exp(-COSTS[kind, _empty(mask)].sum() / REMAINING)
    return table


def _next_tile() -> np.ndarray:
    """Return what a star that was begun and is not full promises by what its next tile may score."""
    left = np.linspace(1.0, 0.0, NUM_ROUNDS)
    best = [max((_points(mask, position) for position in _empty(mask)), default=0) * (mask > 0) for mask in MASKS]
    return OPEN * left[:, None] * np.array(best)


def _structures() -> np.ndarray:
    """Return what a structure promises while it is not closed."""
    table = np.zeros((NUM_ROUNDS, len(STRUCTURE_KINDS), 5))
    for kind, tiles in enumerate(STRUCTURE_TILES):
        spaces = int(NUM_SPACES_AROUND[kind])
        table[:, kind, :spaces] = STRUCTURE * tiles * (np.arange(spaces) / spaces) ** STRUCTURE_POWER
    table[NUM_ROUNDS - 1] = 0.0
    return table


def _numbers() -> np.ndarray:
    """Return what the filled spaces with a number are worth: its points if they are all."""
    table = np.zeros((NUM_ROUNDS, len(BOARDS), NUM_NUMBERS + 1, MOST_OF_A_NUMBER + 1))
    for side in range(len(BOARDS)):
        for number in range(1, NUM_NUMBERS + 1):
            spaces = int(NUMBER_MASKS[side, number]).bit_count()
            shares = (np.arange(spaces) / spaces) ** NUMBER_POWER
            table[:, side, number, :spaces] = NUMBER * NUMBER_POINTS[number] * shares
            table[NUM_ROUNDS - 1, side, number] = 0.0
            table[:, side, number, spaces] = NUMBER_POINTS[number]
    return table


def _beyond_the_star(kind: int, position: int) -> float:
    """Return what a tile promises for structures and numbers."""
    space = position + (STAR_SIZE * CENTRE if kind % 2 else 0)
    kinds = STRUCTURE_KIND[[structure for structure in STRUCTURES_AT[space] if structure != EMPTY]]
    promise = STRUCTURE_STATIC * float((STRUCTURE_TILES[kinds] / NUM_SPACES_AROUND[kinds]).sum())
    number = int(COSTS[kind, position])
    if number <= NUM_NUMBERS:
        promise += NUMBER_STATIC * NUMBER_POINTS[number] / int(NUMBER_MASKS[kind // 2, number]).bit_count()
    return promise


def _gains(kind: int, mask: int, position: int, bonus: float) -> np.ndarray:
    """Return, by round, what a tile in a star scores and promises."""
    after = mask | 1 << position
    sure = _points(mask, position) + _beyond_the_star(kind, position)
    return (
        sure + NEXT_TILE[:, after] - NEXT_TILE[:, mask] + bonus * (PROGRESS[:, kind, after] - PROGRESS[:, kind, mask])
    )


def _plans() -> np.ndarray:
    """Return what the best plan is worth, of one placement at most or of any number."""
    kept = KEEPS[:, None] * np.arange(MOST_TILES + 1)
    table = np.zeros((NUM_ROUNDS, NUM_KINDS, 2, len(MASKS), MOST_TILES + 1), np.float32)
    for kind in range(NUM_KINDS):
        for mask in reversed(MASKS):
            table[:, kind, :, mask] = kept[:, None]
            for position in _empty(mask):
                cost = int(COSTS[kind, position])
                gains = _gains(kind, mask, position, AVERAGE_BONUS)[:, None, None]
                rests = np.stack((kept, table[:, kind, 1, mask | 1 << position]), axis=1)
                best = table[:, kind, :, mask, cost:]
                np.maximum(best, gains + rests[:, :, : MOST_TILES + 1 - cost], out=best)
    return table


def _mixed() -> np.ndarray:
    """Return what one tile on a space with each number brings in a star of several colours."""
    table = np.full((NUM_ROUNDS, NUM_KINDS, len(MASKS), STAR_SIZE + 1), NOT_ALLOWED, np.float32)
    for kind in range(NUM_KINDS):
        for mask in MASKS:
            for position in _empty(mask):
                best = table[:, kind, mask, COSTS[kind, position]]
                np.maximum(best, _gains(kind, mask, position, MULTICOLOURED_POINTS), out=best)
    return table


PROGRESS = _progress()
"""float64 (6 rounds, 4 kinds of star, 64 masks): the share of a star's bonus that counts; 1 for a full one."""
NEXT_TILE = _next_tile()
"""float64 (6 rounds, 64 masks): what a star promises by what its next tile may score."""
STRUCTURES = _structures()
"""float64 (6 rounds, 3 kinds of structure, 5): what a structure promises with so many of its spaces filled; 0 once it is closed."""
NUMBERS = _numbers()
"""float64 (6 rounds, 2 sides, 5 numbers, 13): what so many filled spaces with a number are worth."""
PLANS = _plans()
"""float32 (6 rounds, 4 kinds of star, 2, 64 masks, 21): the best plan, of one placement (0) or any number (1), for so many tiles."""
MIXED = _mixed()
"""float32 (6 rounds, 4 kinds of star, 64 masks, 7): one tile on a space with a number, in a star of several colours."""
