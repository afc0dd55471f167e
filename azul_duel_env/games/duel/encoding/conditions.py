"""Lookups of the scoring tiles: progress towards each condition in play, and the points that they bring now."""

from __future__ import annotations

from azul_duel_env.games.duel.components import (
    BORDER,
    COLUMNS,
    CORNER_POINTS,
    CORNER_SLOTS,
    CORNERS,
    DIAGONALS,
    DOME_SIZE,
    EMPTY_SPECIAL_SPACES,
    FIVE_COLOURS,
    NUM_COLOURS,
    NUM_SLOTS,
    POINTS_PER_BORDER_TILE,
    POINTS_PER_COLUMN,
    POINTS_PER_DIAGONAL,
    POINTS_PER_EMPTY_SPECIAL_SPACE,
    POINTS_PER_FIVE_COLOURS,
    POINTS_PER_ROW,
    POINTS_PER_WILD_SPACE,
    ROWS,
    WILD_SPACES,
)
from azul_duel_env.games.duel.encoding.context import BOARD, IN_ACROSS, IN_DOWN
from azul_duel_env.games.duel.encoding.tables import (
    BORDER_SPACES,
    BORDER_TILES,
    COLUMN_TILES,
    CORNER_LEVELS,
    CORNER_TILES,
    DIAGONAL_TILES,
    EMPTY_SPECIALS,
    LEVELS,
    NUM_CORNERS,
    ROW_COLOURS,
    ROW_TILES,
    WILD_TILES,
)
from azul_duel_env.games.duel.scoring import (
    FALLING,
    RISING,
    SPECIAL_CELLS,
    WILD_CELLS,
    colours_in_row,
    count_bits,
    spaces_showing,
    tiles_in_line,
    tiles_in_slot,
    tiles_on_border,
)
from azul_duel_env.jit import rule


@rule
def list_conditions(state, player, seat, context, out, count):
    """Append the lookups of the conditions in play (D86-D93); return how many there are now, and the points for them."""
    across = context[seat * BOARD + IN_ACROSS]
    down = context[seat * BOARD + IN_DOWN]
    points = 0
    if state.scoring[ROWS] == 1:
        count, points = list_lines(ROW_TILES, seat, across, POINTS_PER_ROW, out, count, points)
    if state.scoring[COLUMNS] == 1:
        count, points = list_lines(COLUMN_TILES, seat, down, POINTS_PER_COLUMN, out, count, points)
    if state.scoring[DIAGONALS] == 1:
        count, points = list_diagonals(seat, across, out, count, points)
    if state.scoring[WILD_SPACES] == 1:
        count, points = list_wild_spaces(state, player, seat, across, out, count, points)
    if state.scoring[FIVE_COLOURS] == 1:
        count, points = list_colours(state, player, seat, out, count, points)
    if state.scoring[BORDER] == 1:
        count, points = list_border(seat, across, down, out, count, points)
    if state.scoring[CORNERS] == 1:
        count, points = list_corners(seat, across, out, count, points)
    if state.scoring[EMPTY_SPECIAL_SPACES] == 1:
        count, points = list_special_spaces(state, player, seat, across, out, count, points)
    return count, points


# One condition each: append its lookups, and return how many there are now, and the points, its own added.
@rule
def list_lines(first, seat, filled, points_each, out, count, points):
    """D86, D87: the tiles of each row, or of each column."""
    for line in range(DOME_SIZE):
        tiles = tiles_in_line(filled, line)
        out[count + line] = first + (seat * DOME_SIZE + line) * LEVELS + tiles
        points += points_each if tiles == DOME_SIZE else 0
    return count + DOME_SIZE, points


@rule
def list_diagonals(seat, across, out, count, points):
    """D88: the tiles of each diagonal."""
    falling = count_bits(across & FALLING)
    rising = count_bits(across & RISING)
    out[count] = DIAGONAL_TILES + seat * 2 * LEVELS + falling
    out[count + 1] = DIAGONAL_TILES + (seat * 2 + 1) * LEVELS + rising
    full = falling // DOME_SIZE + rising // DOME_SIZE
    return count + 2, points + full * POINTS_PER_DIAGONAL


@rule
def list_wild_spaces(state, player, seat, across, out, count, points):
    """D89: the wild spaces that are filled, and those that are empty."""
    wild = spaces_showing(state, player, WILD_CELLS)
    filled = count_bits(wild & across)
    empty = count_bits(wild & ~across)
    out[count] = WILD_TILES + seat * 2 * (NUM_SLOTS + 1) + filled
    out[count + 1] = WILD_TILES + (seat * 2 + 1) * (NUM_SLOTS + 1) + empty
    return count + 2, points + (filled * POINTS_PER_WILD_SPACE if empty == 0 else 0)


@rule
def list_colours(state, player, seat, out, count, points):
    """D90: the colours of each row."""
    for row in range(DOME_SIZE):
        colours = colours_in_row(state, player, row)
        out[count + row] = ROW_COLOURS + (seat * DOME_SIZE + row) * LEVELS + colours
        points += POINTS_PER_FIVE_COLOURS if colours >= NUM_COLOURS else 0
    return count + DOME_SIZE, points


@rule
def list_border(seat, across, down, out, count, points):
    """D91: the tiles on the border."""
    tiles = tiles_on_border(across, down)
    out[count] = BORDER_TILES + seat * (BORDER_SPACES + 1) + tiles
    return count + 1, points + tiles * POINTS_PER_BORDER_TILE


@rule
def list_corners(seat, across, out, count, points):
    """D92: the tiles of each corner."""
    for corner in range(NUM_CORNERS):
        tiles = tiles_in_slot(across, CORNER_SLOTS[corner])
        out[count + corner] = CORNER_TILES + (seat * NUM_CORNERS + corner) * CORNER_LEVELS + tiles
        points += int(CORNER_POINTS[corner]) if tiles == CORNER_LEVELS - 1 else 0
    return count + NUM_CORNERS, points


@rule
def list_special_spaces(state, player, seat, across, out, count, points):
    """D93: the empty special spaces."""
    empty = count_bits(spaces_showing(state, player, SPECIAL_CELLS) & ~across)
    out[count] = EMPTY_SPECIALS + seat * (NUM_SLOTS + 1) + empty
    return count + 1, points + empty * POINTS_PER_EMPTY_SPECIAL_SPACE
