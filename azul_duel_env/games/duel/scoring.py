"""Scoring: placed tiles (RULES A.12), penalties (A.13) and the scoring tiles at the end (A.15)."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.chance import count_all
from azul_duel_env.games.duel.components import (
    BORDER,
    BROKEN_PENALTY,
    COLUMNS,
    CORNER_POINTS,
    CORNER_SLOTS,
    CORNERS,
    DIAGONALS,
    DOME_SIZE,
    EMPTY,
    EMPTY_SPECIAL_SPACES,
    FIRST_PLAYER_PENALTY,
    FIVE_COLOURS,
    LAYOUT_SPACES,
    NUM_COLOURS,
    NUM_CONDITIONS,
    NUM_SLOTS,
    POINTS_PER_BORDER_TILE,
    POINTS_PER_COLUMN,
    POINTS_PER_DIAGONAL,
    POINTS_PER_EMPTY_SPECIAL_SPACE,
    POINTS_PER_FIVE_COLOURS,
    POINTS_PER_ROW,
    POINTS_PER_WILD_SPACE,
    ROWS,
    SPECIAL,
    WILD,
    WILD_SPACES,
)
from azul_duel_env.jit import rule


# The dome -------------------------------------------------------------------------------------
@rule
def slot_of(row, column):
    """Return the slot of the dome tile that covers a space."""
    return row // 2 * 3 + column // 2


@rule
def space_at(state, player, row, column):
    """Return what a space of the dome shows: a colour, SPECIAL, WILD, or EMPTY where no dome tile lies."""
    layout = state.domes[player, slot_of(row, column)]
    if layout == EMPTY:
        return EMPTY
    return LAYOUT_SPACES[layout, row % 2 * 2 + column % 2]


@rule
def is_filled(state, player, row, column):
    """Return whether a tile lies on a space; special tiles are tiles (R47)."""
    return state.tiles[player, row, column] != EMPTY  # R47: a special tile is a tile


# A placed tile --------------------------------------------------------------------------------
@rule
def points_for_tile(state, player, row, column):
    """Return the points of a tile just placed: its runs of two or more, or 1 if it lies alone (D76, D77, R34)."""
    across = run_length(state, player, row, column, 0, 1)
    down = run_length(state, player, row, column, 1, 0)
    points = (across if across > 1 else 0) + (down if down > 1 else 0)  # D77, R34: special tiles are part of a run
    return max(1, points)


@rule
def run_length(state, player, row, column, down, right):
    """Return the length of the run of tiles through a space along one direction."""
    return 1 + reach(state, player, row, column, down, right) + reach(state, player, row, column, -down, -right)


@rule
def reach(state, player, row, column, down, right):
    """Return how many tiles follow a space without a gap in one direction."""
    length = 0
    row += down
    column += right
    while 0 <= row < DOME_SIZE and 0 <= column < DOME_SIZE and is_filled(state, player, row, column):
        length += 1
        row += down
        column += right
    return length


# The same for many spaces at once -------------------------------------------------------------
def _run_lengths() -> np.ndarray:
    """Return the length of the run of tiles through each space of a row, by which spaces of the row are filled (bits)."""
    lengths = np.ones((1 << DOME_SIZE, DOME_SIZE), np.int8)
    for filled in range(1 << DOME_SIZE):
        for column in range(DOME_SIZE):
            for step in (-1, 1):
                at = column + step
                while 0 <= at < DOME_SIZE and filled >> at & 1:
                    lengths[filled, column] += 1
                    at += step
    return lengths


RUN_POINTS = np.where(_run_lengths() > 1, _run_lengths(), 0).astype(np.int8)
ONE_ROW = (1 << DOME_SIZE) - 1
ONE_SLOT = 0b11 << DOME_SIZE | 0b11
NUM_BITS = np.array([bits.bit_count() for bits in range(1 << DOME_SIZE + 2)], np.int8)
INNER_ROWS = 0b011110
FALLING = sum(1 << (DOME_SIZE + 1) * i for i in range(DOME_SIZE))
RISING = sum(1 << (DOME_SIZE - 1) * (i + 1) for i in range(DOME_SIZE))
"""The diagonals from the top left and from the top right, as ``filled_spaces`` tells spaces."""
SHOWN = np.vstack([np.full((1, 4), EMPTY, np.int8), LAYOUT_SPACES])
"""What the four spaces of each dome tile show, as it lies; here and below the first row is for no dome tile."""
WILD_CELLS, SPECIAL_CELLS = (
    (space == SHOWN) @ (1 << np.array([0, 1, DOME_SIZE, DOME_SIZE + 1])) for space in (WILD, SPECIAL)
)
"""The wild, and the special, space of each dome tile, as ``filled_spaces`` tells spaces, were it in the first slot."""


@rule
def filled_spaces(state, player):
    """Return which spaces of a dome are filled as two integers: bit 6 * row + column of the first, 6 * column + row of the second."""
    across = 0
    down = 0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            filled = 1 if is_filled(state, player, row, column) else 0
            across |= filled << (DOME_SIZE * row + column)
            down |= filled << (DOME_SIZE * column + row)
    return across, down


@rule
def points_among(filled_across, filled_down, row, column):
    """Return ``points_for_tile`` from what ``filled_spaces`` returned."""
    across = int(RUN_POINTS[filled_across >> (DOME_SIZE * row) & ONE_ROW, column])
    down = int(RUN_POINTS[filled_down >> (DOME_SIZE * column) & ONE_ROW, row])
    return max(1, across + down)


@rule
def tiles_in_line(filled, line):
    """Return how many tiles a row holds, or a column, from the first or the second integer of ``filled_spaces``."""
    return int(NUM_BITS[filled >> (DOME_SIZE * line) & ONE_ROW])


@rule
def tiles_in_slot(filled_across, slot):
    """Return how many tiles the four spaces of a slot hold."""
    corner = int(slot) // 3 * 2 * DOME_SIZE + int(slot) % 3 * 2
    return int(NUM_BITS[filled_across >> corner & ONE_SLOT])


@rule
def filled_in_slot(across, slot):
    """Return which of the four spaces of a slot are filled, as bits."""
    corner = across >> (slot // 3 * 2 * DOME_SIZE + slot % 3 * 2)
    return (corner & 3) | (corner >> DOME_SIZE & 3) << 2


@rule
def spaces_showing(state, player, cells):
    """Return the wild or the special spaces of a dome, filled or not, as ``filled_spaces`` tells spaces."""
    spaces = 0
    for slot in range(NUM_SLOTS):
        spaces |= int(cells[int(state.domes[player, slot]) + 1]) << (slot // 3 * 2 * DOME_SIZE + slot % 3 * 2)
    return spaces


@rule
def count_bits(spaces):
    """Return how many spaces there are in what ``filled_spaces`` or ``spaces_showing`` returned."""
    count = 0
    for line in range(DOME_SIZE):
        count += tiles_in_line(spaces, line)
    return count


@rule
def tiles_on_border(across, down):
    """Return the number of tiles on the 20 outermost spaces."""
    count = 0
    for line in range(0, DOME_SIZE, DOME_SIZE - 1):
        count += tiles_in_line(across, line) + int(NUM_BITS[down >> (DOME_SIZE * line) & INNER_ROWS])
    return count


# Penalties ------------------------------------------------------------------------------------
@rule
def penalty(state, player):
    """Return the points that a player loses at the end of phase 2, in round 5 too (D80, R42, R43)."""
    points = BROKEN_PENALTY[count_all(state.broken[player])]
    if state.first_player_tile == player:  # R42: in round 5 too
        points += FIRST_PLAYER_PENALTY
    return points


# Scoring tiles --------------------------------------------------------------------------------
@rule
def points_for_scoring_tiles(state, player):
    """Return the sum over the conditions in play; it can be negative (R38)."""
    points = 0
    for condition in range(NUM_CONDITIONS):
        if state.scoring[condition] == 1:
            points += points_for_condition(state, player, condition)
    return points


@rule
def points_for_condition(state, player, condition):
    """Return the points of one condition (D86-D93)."""
    if condition == ROWS:
        return POINTS_PER_ROW * full_rows(state, player)  # D86
    if condition == COLUMNS:
        return POINTS_PER_COLUMN * full_columns(state, player)  # D87
    if condition == DIAGONALS:
        return POINTS_PER_DIAGONAL * full_diagonals(state, player)  # D88
    if condition == WILD_SPACES:
        return points_for_wild_spaces(state, player)
    if condition == FIVE_COLOURS:
        return POINTS_PER_FIVE_COLOURS * rows_of_five_colours(state, player)  # D90
    if condition == BORDER:
        return POINTS_PER_BORDER_TILE * border_tiles(state, player)  # D91
    if condition == CORNERS:
        return points_for_corners(state, player)
    if condition == EMPTY_SPECIAL_SPACES:
        return POINTS_PER_EMPTY_SPECIAL_SPACE * count_spaces(state, player, SPECIAL, False)  # D93
    return 0


@rule
def tiles_along(state, player, row, column, down, right):
    """Return how many of the six spaces from a space on, along one direction, hold a tile."""
    count = 0
    for i in range(DOME_SIZE):
        if is_filled(state, player, row + i * down, column + i * right):
            count += 1
    return count


@rule
def full_rows(state, player):
    """Return the number of full rows."""
    count = 0
    for row in range(DOME_SIZE):
        if tiles_along(state, player, row, 0, 0, 1) == DOME_SIZE:
            count += 1
    return count


@rule
def full_columns(state, player):
    """Return the number of full columns."""
    count = 0
    for column in range(DOME_SIZE):
        if tiles_along(state, player, 0, column, 1, 0) == DOME_SIZE:
            count += 1
    return count


@rule
def full_diagonals(state, player):
    """Return the number of full main diagonals."""
    count = 0
    if tiles_along(state, player, 0, 0, 1, 1) == DOME_SIZE:
        count += 1
    if tiles_along(state, player, 0, DOME_SIZE - 1, 1, -1) == DOME_SIZE:
        count += 1
    return count


@rule
def count_spaces(state, player, space, filled):
    """Return how many spaces of a kind are filled, or are not."""
    count = 0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            if space_at(state, player, row, column) == space and is_filled(state, player, row, column) == filled:
                count += 1
    return count


@rule
def points_for_wild_spaces(state, player):
    """Return 2 points for each wild space if all are filled, else 0 (D89, R45)."""
    if count_spaces(state, player, WILD, False) > 0:
        return 0
    return POINTS_PER_WILD_SPACE * count_spaces(state, player, WILD, True)  # D89, R45: 0 if there is none


@rule
def rows_of_five_colours(state, player):
    """Return the number of rows with tiles of five different colours."""
    count = 0
    for row in range(DOME_SIZE):
        if colours_in_row(state, player, row) >= NUM_COLOURS:
            count += 1
    return count


@rule
def colours_in_row(state, player, row):
    """Return the number of colours of the tiles in a row, on wild spaces too (R37); a special tile may be one more (R36)."""
    seen = 0
    for column in range(DOME_SIZE):
        seen |= 1 << int(state.tiles[player, row, column]) - EMPTY  # R37: the tile, not the space
    seen >>= -EMPTY  # the lowest bit stood for a space without a tile
    if state.special_counts_as_colour == 0:  # R36
        seen &= ~(1 << SPECIAL)
    return int(NUM_BITS[seen])


@rule
def border_tiles(state, player):
    """Return the number of tiles on the 20 outermost spaces."""
    count = 0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            on_border = row in (0, DOME_SIZE - 1) or column in (0, DOME_SIZE - 1)
            if on_border and is_filled(state, player, row, column):
                count += 1
    return count


@rule
def points_for_corners(state, player):
    """Return the points printed in each corner whose dome tile is filled, its special space included (D92, R46)."""
    points = 0
    for corner in range(len(CORNER_SLOTS)):
        if is_slot_full(state, player, CORNER_SLOTS[corner]):
            points += CORNER_POINTS[corner]
    return points


@rule
def is_slot_full(state, player, slot):
    """Return whether all four spaces of a slot hold tiles."""
    top = slot // 3 * 2
    left = slot % 3 * 2
    for row in range(top, top + 2):
        for column in range(left, left + 2):
            if not is_filled(state, player, row, column):  # R46: the special space too
                return False
    return True
