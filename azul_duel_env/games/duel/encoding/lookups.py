"""Which lookups are 1."""

from __future__ import annotations

from azul_duel_env.games.duel.acquisition import moon_top
from azul_duel_env.games.duel.chance import count_all
from azul_duel_env.games.duel.components import (
    BROKEN_SPACES,
    DOME_SIZE,
    NUM_COLOURS,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_SLOTS,
    NUM_SMALL,
)
from azul_duel_env.games.duel.encoding.conditions import list_conditions
from azul_duel_env.games.duel.encoding.context import BOARD, IN_ACROSS, IN_DOWN, IN_MOONS
from azul_duel_env.games.duel.encoding.tables import (
    BROKEN_COUNT,
    CHIPS_COUNT,
    CHIPS_SHOWING,
    COLUMN_FILLED,
    GAINS,
    LEAST_RESULT,
    LINE_TILES,
    MARGIN,
    MARGINS,
    MOON_COUNTS,
    MOON_TOPS,
    MOST_CHIPS,
    MOST_POINTS,
    MOST_TILES,
    PATTERNS,
    POINTS_PER_MARGIN,
    POINTS_PER_RESULT,
    POINTS_PER_SCORE,
    RESULT,
    RESULT_MARGIN,
    RESULTS,
    ROW_FILLED,
    SCORE,
    SCORES,
    SLOT_FILLED,
    SLOT_PATTERNS,
    SUN_COUNTS,
)
from azul_duel_env.games.duel.scoring import ONE_ROW, filled_in_slot
from azul_duel_env.games.duel.tiling import count_chips
from azul_duel_env.jit import rule


@rule
def list_lookups(state, viewer, context, out):
    """Write which lookups are 1 for a viewer into ``out`` (int16, MAX_LOOKUPS); return how many."""
    count = list_table(state, context, out)
    out[count] = MARGIN + level_of_margin(int(state.scores[viewer]) - int(state.scores[1 - viewer]))
    count += 1
    ahead = 0
    for seat in range(NUM_PLAYERS):
        player = viewer if seat == 0 else 1 - viewer
        count = list_board(state, player, seat, context, out, count)
        count, points = list_conditions(state, player, seat, context, out, count)
        result = int(state.scores[player]) + points
        out[count] = RESULT + seat * RESULTS + min(max((result - LEAST_RESULT) // POINTS_PER_RESULT, 0), RESULTS - 1)
        count += 1
        ahead += result if seat == 0 else -result
    out[count] = RESULT_MARGIN + level_of_margin(ahead)
    return count + 1


@rule
def level_of_margin(points):
    """Return the place of a margin among MARGINS."""
    return min(max(points // POINTS_PER_MARGIN + MARGINS // 2, 0), MARGINS - 1)


@rule
def append_count(number, most, first, out, count):
    """Append a number from 1 as one-hot, nothing for 0; return how many there are now."""
    out[count] = first + min(int(number), most) - 1
    return count + (1 if number > 0 else 0)


@rule
def list_table(state, context, out):
    """Write the lookups of factories and moons; return how many."""
    count = 0
    for factory in range(NUM_FACTORIES):
        for colour in range(NUM_COLOURS):
            at = SUN_COUNTS + (factory * NUM_COLOURS + colour) * MOST_TILES
            count = append_count(state.suns[factory, colour], MOST_TILES, at, out, count)
    for colour in range(NUM_COLOURS):
        at = MOON_COUNTS + colour * MOST_TILES
        count = append_count(context[IN_MOONS + colour], MOST_TILES, at, out, count)
    for factory in range(NUM_SMALL):
        count = append_count(moon_top(state, factory) + 1, NUM_COLOURS, MOON_TOPS + factory * NUM_COLOURS, out, count)
    return count


@rule
def list_board(state, player, seat, context, out, count):
    """Append the lookups of one player's board; return how many there are now."""
    out[count] = SCORE + seat * SCORES + min(int(state.scores[player]) // POINTS_PER_SCORE, SCORES - 1)
    count = append_count(
        count_all(state.broken[player]), BROKEN_SPACES, BROKEN_COUNT + seat * BROKEN_SPACES, out, count + 1
    )
    for line in range(NUM_LINES):
        colour = max(0, int(state.line_colours[player, line]))
        at = LINE_TILES + ((seat * NUM_LINES + line) * NUM_COLOURS + colour) * NUM_LINES
        count = append_count(state.lines[player, line], NUM_LINES, at, out, count)
    count = list_chips(state, player, seat, out, count)
    return list_dome(seat, context, out, count)


@rule
def list_chips(state, player, seat, out, count):
    """Append how many chips a player has face up, and how many of each colour."""
    at = CHIPS_COUNT + seat * MOST_CHIPS
    count = append_count(count_all(state.chips_up[player]), MOST_CHIPS, at, out, count)
    for colour in range(NUM_COLOURS):
        at = CHIPS_SHOWING + (seat * NUM_COLOURS + colour) * MOST_CHIPS
        count = append_count(count_chips(state, player, colour, True), MOST_CHIPS, at, out, count)
    return count


@rule
def list_dome(seat, context, out, count):
    """Append which spaces are filled, and what tiles could bring."""
    first = seat * BOARD
    across = context[first + IN_ACROSS]
    down = context[first + IN_DOWN]
    for line in range(DOME_SIZE):
        at = (seat * DOME_SIZE + line) * PATTERNS
        out[count] = ROW_FILLED + at + (across >> DOME_SIZE * line & ONE_ROW)
        out[count + 1] = COLUMN_FILLED + at + (down >> DOME_SIZE * line & ONE_ROW)
        count += 2
    for slot in range(NUM_SLOTS):
        out[count] = SLOT_FILLED + (seat * NUM_SLOTS + slot) * SLOT_PATTERNS + filled_in_slot(across, slot)
        count += 1
    for at in range(DOME_SIZE * NUM_COLOURS):
        block = GAINS + (seat * DOME_SIZE * NUM_COLOURS + at) * MOST_POINTS
        count = append_count(context[first + at], MOST_POINTS, block, out, count)
    return count
