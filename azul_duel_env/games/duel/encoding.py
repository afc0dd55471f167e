"""What a fast network of Azul Duel looks up, and which outputs the logit of an action is summed from.

A first layer adds up what it knows of each number of the observation by itself, and can't compute products. So it may look up counts, and
which spaces of each row, column and slot are filled. An output is shared by actions that are alike in something: two tiles more than the
line has room for, wherever they come from. Both tell what the rules tell of a position, and nothing of what is good.
"""

from __future__ import annotations

from azul_duel_env.game.observation_table import lay_out
from azul_duel_env.games.duel.acquisition import moon_top
from azul_duel_env.games.duel.actions import (
    BONUS_TAKE,
    CHIP_DECLINE,
    CHIP_SPEND,
    DOME_CHOOSE,
    DOME_DISPLAY,
    DOME_DRAW,
    DOME_PLACE,
    DOME_STOP,
    MOON_ORDER,
    NUM_ACTIONS,
    TILE_COLUMN,
)
from azul_duel_env.games.duel.chance import count_all
from azul_duel_env.games.duel.components import (
    BORDER,
    BROKEN,
    BROKEN_SPACES,
    CHIP_SHOWS,
    COLUMNS,
    CORNER_POINTS,
    CORNER_SLOTS,
    CORNERS,
    DIAGONALS,
    DOME_SIZE,
    EMPTY,
    EMPTY_SPECIAL_SPACES,
    FIVE_COLOURS,
    LAYOUT_SPACES,
    MAX_HAND,
    MOON_HEIGHT,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_DESTINATIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROTATIONS,
    NUM_SLOTS,
    NUM_SMALL,
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
from azul_duel_env.games.duel.scoring import (
    FALLING,
    ONE_ROW,
    RISING,
    SPECIAL_CELLS,
    WILD_CELLS,
    colours_in_row,
    count_bits,
    filled_spaces,
    points_among,
    slot_of,
    space_at,
    spaces_showing,
    tiles_in_line,
    tiles_in_slot,
    tiles_on_border,
)
from azul_duel_env.games.duel.state import KEEPING, ON_LARGE_FACTORY
from azul_duel_env.games.duel.tiling import chips_face_up, count_chips, missing_tiles
from azul_duel_env.jit import rule

MOST_POINTS = 2 * DOME_SIZE
MOST_TILES = 8  # that one action takes, or as if it were so many
MOST_CHIPS = 8  # likewise of one colour, or of all
MARGINS, POINTS_PER_MARGIN = 61, 2
SCORES, POINTS_PER_SCORE = 24, 5
RESULTS, LEAST_RESULT, POINTS_PER_RESULT = 60, -20, 2
LEVELS = DOME_SIZE + 1  # of tiles or colours in a line: none up to all
PATTERNS = 1 << DOME_SIZE
SLOT_PATTERNS = 16
NUM_CORNERS = len(CORNER_SLOTS)
BORDER_SPACES = 4 * (DOME_SIZE - 1)
LINE_STARTS = 2  # whether a line is empty or begun

LOOKUPS = lay_out(
    ("sun_counts", (NUM_FACTORIES, NUM_COLOURS, MOST_TILES), "one-hot tiles; nothing for none, as below"),
    ("moon_counts", (NUM_COLOURS, MOST_TILES), "one-hot tiles that are taken from all moons at once"),
    ("moon_tops", (NUM_SMALL, NUM_COLOURS), "one-hot colour"),
    ("margin", (MARGINS,), "one-hot: how far the viewer is ahead, by 2 points"),
    ("score", (NUM_PLAYERS, SCORES), "[me, other] one-hot: points, by 5"),
    ("line_tiles", (NUM_PLAYERS, NUM_LINES, NUM_COLOURS, NUM_LINES), "[me, other] one-hot tiles"),
    ("row_filled", (NUM_PLAYERS, DOME_SIZE, PATTERNS), "[me, other] one-hot: which spaces are filled"),
    ("column_filled", (NUM_PLAYERS, DOME_SIZE, PATTERNS), "likewise"),
    ("slot_filled", (NUM_PLAYERS, NUM_SLOTS, SLOT_PATTERNS), "likewise"),
    (
        "gains",
        (NUM_PLAYERS, DOME_SIZE, NUM_COLOURS, MOST_POINTS),
        "[me, other] one-hot: most points for a tile of a colour",
    ),
    ("broken_count", (NUM_PLAYERS, BROKEN_SPACES), "[me, other] one-hot tiles"),
    ("chips_showing", (NUM_PLAYERS, NUM_COLOURS, MOST_CHIPS), "[me, other] one-hot chips face up that show a colour"),
    ("chips_count", (NUM_PLAYERS, MOST_CHIPS), "[me, other] one-hot chips face up"),
    (
        "rows",
        (NUM_PLAYERS, DOME_SIZE, LEVELS),
        "[me, other] one-hot tiles of each row, if its condition is in play, as below",
    ),
    ("columns", (NUM_PLAYERS, DOME_SIZE, LEVELS), "likewise of each column"),
    ("diagonals", (NUM_PLAYERS, 2, LEVELS), "likewise of each diagonal"),
    ("wild_spaces", (NUM_PLAYERS, 2, NUM_SLOTS + 1), "[me, other] one-hot: wild spaces filled, empty"),
    ("five_colours", (NUM_PLAYERS, DOME_SIZE, LEVELS), "[me, other] one-hot colours of each row"),
    ("border", (NUM_PLAYERS, BORDER_SPACES + 1), "[me, other] one-hot tiles on the border"),
    ("corners", (NUM_PLAYERS, NUM_CORNERS, 5), "[me, other] one-hot tiles of each corner"),
    ("empty_special_spaces", (NUM_PLAYERS, NUM_SLOTS + 1), "[me, other] one-hot empty special spaces"),
    ("result", (NUM_PLAYERS, RESULTS), "[me, other] one-hot points with those for the scoring tiles, by 2"),
    ("result_margin", (MARGINS,), "one-hot: how far the viewer is ahead in these, by 2 points"),
)
NUM_LOOKUPS = LOOKUPS[-1].first + LOOKUPS[-1].size
MAX_LOOKUPS = (
    NUM_FACTORIES * NUM_COLOURS
    + NUM_COLOURS
    + NUM_SMALL
    + 1
    + NUM_PLAYERS * (1 + NUM_LINES + 2 * DOME_SIZE + NUM_SLOTS + DOME_SIZE * NUM_COLOURS + 1 + NUM_COLOURS + 1)
    + NUM_PLAYERS * (3 * DOME_SIZE + 2 + 2 + 1 + NUM_CORNERS + 1 + 1)
    + 1
)
(
    SUN_COUNTS,
    MOON_COUNTS,
    MOON_TOPS,
    MARGIN,
    SCORE,
    LINE_TILES,
    ROW_FILLED,
    COLUMN_FILLED,
    SLOT_FILLED,
    GAINS,
    BROKEN_COUNT,
    CHIPS_SHOWING,
    CHIPS_COUNT,
    IN_ROWS,
    IN_COLUMNS,
    IN_DIAGONALS,
    IN_WILD_SPACES,
    IN_FIVE_COLOURS,
    IN_BORDER,
    IN_CORNERS,
    IN_EMPTY_SPECIAL_SPACES,
    RESULT,
    RESULT_MARGIN,
) = (block.first for block in LOOKUPS)


# What both need -------------------------------------------------------------------------------
BOARD = DOME_SIZE * NUM_COLOURS + 2
# Of the viewer's board, then of the other:
IN_GAINS, IN_ACROSS, IN_DOWN = 0, DOME_SIZE * NUM_COLOURS, DOME_SIZE * NUM_COLOURS + 1
IN_MOONS = NUM_PLAYERS * BOARD
IN_FACTORIES = IN_MOONS + NUM_COLOURS
CONTEXT_SIZE = IN_FACTORIES + NUM_FACTORIES


@rule
def write_context(state, viewer, context):
    """Write what lookups and outputs are made from into ``context`` (int64, CONTEXT_SIZE)."""
    for at in range(CONTEXT_SIZE):
        context[at] = 0
    for seat in range(NUM_PLAYERS):
        write_dome(state, viewer if seat == 0 else 1 - viewer, seat * BOARD, context)
    for colour in range(NUM_COLOURS):
        context[IN_MOONS + colour] = state.large_moon[colour]
    for factory in range(NUM_SMALL):
        top = moon_top(state, factory)
        if top != EMPTY:
            context[IN_MOONS + top] += 1
    for factory in range(NUM_FACTORIES):
        context[IN_FACTORIES + factory] = count_all(state.suns[factory])


@rule
def write_dome(state, player, first, context):
    """Write which spaces of a dome are filled, and the most points that a tile of a colour could bring in a row at once (D62, D76)."""
    across, down = filled_spaces(state, player)
    context[first + IN_ACROSS] = across
    context[first + IN_DOWN] = down
    for slot in range(NUM_SLOTS):
        layout = state.domes[player, slot]
        if layout != EMPTY:
            for cell in range(4):
                row = slot // 3 * 2 + cell // 2
                column = slot % 3 * 2 + cell % 2
                if across >> (DOME_SIZE * row + column) & 1 == 0:
                    points = points_among(across, down, row, column)
                    raise_gains(context, first + row * NUM_COLOURS, int(LAYOUT_SPACES[layout, cell]), points)


@rule
def raise_gains(context, first, space, points):
    """Let the gains of a row, from ``first`` on, be what a tile on an empty space brings, if that is more."""
    if space < NUM_COLOURS:
        context[first + space] = max(context[first + space], points)
    elif space == WILD:
        for colour in range(NUM_COLOURS):
            context[first + colour] = max(context[first + colour], points)


# What is looked up ----------------------------------------------------------------------------
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


@rule
def filled_in_slot(across, slot):
    """Return which of the four spaces of a slot are filled, as bits."""
    corner = across >> (slot // 3 * 2 * DOME_SIZE + slot % 3 * 2)
    return (corner & 3) | (corner >> DOME_SIZE & 3) << 2


# Progress towards the conditions in play, and what they bring now -------------------------------
@rule
def list_conditions(state, player, seat, context, out, count):
    """Append the lookups of the conditions in play (D86-D93); return how many there are now, and the points for them."""
    across = context[seat * BOARD + IN_ACROSS]
    down = context[seat * BOARD + IN_DOWN]
    points = 0
    if state.scoring[ROWS] == 1:
        count, full = list_lines(IN_ROWS + seat * DOME_SIZE * LEVELS, across, out, count)
        points += full * POINTS_PER_ROW
    if state.scoring[COLUMNS] == 1:
        count, full = list_lines(IN_COLUMNS + seat * DOME_SIZE * LEVELS, down, out, count)
        points += full * POINTS_PER_COLUMN
    if state.scoring[DIAGONALS] == 1:
        falling = count_bits(across & FALLING)
        rising = count_bits(across & RISING)
        out[count] = IN_DIAGONALS + seat * 2 * LEVELS + falling
        out[count + 1] = IN_DIAGONALS + (seat * 2 + 1) * LEVELS + rising
        count += 2
        points += (falling // DOME_SIZE + rising // DOME_SIZE) * POINTS_PER_DIAGONAL
    if state.scoring[FIVE_COLOURS] == 1:
        for row in range(DOME_SIZE):
            colours = colours_in_row(state, player, row)
            out[count] = IN_FIVE_COLOURS + (seat * DOME_SIZE + row) * LEVELS + colours
            count += 1
            points += POINTS_PER_FIVE_COLOURS if colours >= NUM_COLOURS else 0
    if state.scoring[BORDER] == 1:
        tiles = tiles_on_border(across, down)
        out[count] = IN_BORDER + seat * (BORDER_SPACES + 1) + tiles
        count += 1
        points += tiles * POINTS_PER_BORDER_TILE
    if state.scoring[CORNERS] == 1:
        for corner in range(NUM_CORNERS):
            tiles = tiles_in_slot(across, CORNER_SLOTS[corner])
            out[count] = IN_CORNERS + (seat * NUM_CORNERS + corner) * 5 + tiles
            count += 1
            points += CORNER_POINTS[corner] if tiles == 4 else 0
    return list_kinds_of_spaces(state, player, seat, across, out, count, points)


@rule
def list_lines(first, filled, out, count):
    """Append how many tiles each of six lines holds; return how many lookups there are now, and how many lines are full."""
    full = 0
    for line in range(DOME_SIZE):
        tiles = tiles_in_line(filled, line)
        out[count + line] = first + line * LEVELS + tiles
        full += tiles // DOME_SIZE
    return count + DOME_SIZE, full


@rule
def list_kinds_of_spaces(state, player, seat, across, out, count, points):
    """Append the lookups of wild and special spaces; return how many there are now, and ``points`` with those for them (D89, D93)."""
    if state.scoring[WILD_SPACES] == 1:
        wild = spaces_showing(state, player, WILD_CELLS)
        filled = count_bits(wild & across)
        empty = count_bits(wild & ~across)
        at = IN_WILD_SPACES + seat * 2 * (NUM_SLOTS + 1)
        out[count] = at + filled
        out[count + 1] = at + NUM_SLOTS + 1 + empty
        count += 2
        points += filled * POINTS_PER_WILD_SPACE if empty == 0 else 0
    if state.scoring[EMPTY_SPECIAL_SPACES] == 1:
        empty = count_bits(spaces_showing(state, player, SPECIAL_CELLS) & ~across)
        out[count] = IN_EMPTY_SPECIAL_SPACES + seat * (NUM_SLOTS + 1) + empty
        count += 1
        points += empty * POINTS_PER_EMPTY_SPECIAL_SPACE
    return count, points


# Outputs --------------------------------------------------------------------------------------
SOURCES = NUM_FACTORIES + 1  # the last one: all moons
ROW_STATES = 3  # the pattern line beside a space is empty, or wants it, or doesn't
SPACES = DOME_SIZE * DOME_SIZE
SPACE_KINDS = WILD + 1

OUTPUTS = lay_out(
    ("action", (NUM_ACTIONS,), "the action itself"),
    ("take_room", (NUM_LINES, LINE_STARTS, NUM_LINES, MOST_TILES), "line, whether begun, room before, tiles taken"),
    ("take_gain", (NUM_LINES, LINE_STARTS, MOST_POINTS + 1), "line, whether it gets full, most points for its tile"),
    ("take_broken", (BROKEN_SPACES + 1, MOST_TILES), "tiles broken before, tiles that don't fit"),
    ("take_colour", (NUM_COLOURS, NUM_DESTINATIONS), "colour, destination"),
    ("take_source", (SOURCES, NUM_COLOURS), "source, colour"),
    ("take_left", (SOURCES, MOST_TILES), "source, tiles left there"),
    ("take_first_player", (1,), "the first-player tile too"),
    ("layout", (NUM_DOME_TILES * NUM_ROTATIONS, NUM_SLOTS), "dome tile as it lies, slot"),
    ("space", (SPACE_KINDS, SPACES), "what a space of the dome tile shows, where"),
    (
        "space_line",
        (DOME_SIZE, ROW_STATES, NUM_LINES + 1),
        "row of such a space, what the line beside it wants, tiles it lacks",
    ),
    ("column_points", (MOST_POINTS + 1,), "points of the tile"),
    ("column_down", (DOME_SIZE, PATTERNS), "row, which spaces of the column are filled"),
    ("column_across", (DOME_SIZE, PATTERNS), "column, which spaces of the row are filled"),
    ("column_slot", (2, SLOT_PATTERNS), "whether there is a special space, which spaces of the slot are filled"),
    ("column_wild", (1,), "on a wild space"),
    ("chip", (2, NUM_LINES + 1, MOST_CHIPS), "whether it matches, tiles missing, chips that match"),
    ("decline", (NUM_LINES, NUM_LINES + 1), "line, tiles missing"),
    ("order_at", (NUM_SMALL, NUM_COLOURS), "factory, colour"),
    ("order_height", (MOON_HEIGHT, NUM_COLOURS), "tiles below, colour"),
    ("choose", (2, NUM_DOME_TILES), "whether to keep it, dome tile"),
    ("bonus", (NUM_CHIP_KINDS,), "chip"),
    ("draw", (MAX_HAND + 1,), "dome tiles drawn before"),
    ("column_rows", (LEVELS,), "tiles in the row of the space, if its condition is in play, as below"),
    ("column_columns", (LEVELS,), "tiles in the column"),
    ("column_diagonals", (LEVELS,), "tiles on the diagonal, if the space lies on one"),
    ("column_wild_spaces", (NUM_SLOTS + 1,), "empty wild spaces, if the space is wild"),
    ("column_five_colours", (2, LEVELS), "whether the row has the colour, its colours"),
    ("column_border", (1,), "on the border"),
    ("column_corners", (NUM_CORNERS, 5), "corner, its tiles"),
    ("column_special", (5,), "tiles of the slot, if it has an empty special space"),
)
NUM_OUTPUTS = OUTPUTS[-1].first + OUTPUTS[-1].size
MAX_OUTPUTS = 10
(
    ACTION,
    TAKE_ROOM,
    TAKE_GAIN,
    TAKE_BROKEN,
    TAKE_COLOUR,
    TAKE_SOURCE,
    TAKE_LEFT,
    TAKE_FIRST_PLAYER,
    LAYOUT,
    SPACE,
    SPACE_LINE,
    COLUMN_POINTS,
    COLUMN_DOWN,
    COLUMN_ACROSS,
    COLUMN_SLOT,
    COLUMN_WILD,
    CHIP,
    DECLINE,
    ORDER_AT,
    ORDER_HEIGHT,
    CHOOSE,
    BONUS,
    DRAW,
    COLUMN_ROWS,
    COLUMN_COLUMNS,
    COLUMN_DIAGONALS,
    COLUMN_WILD_SPACES,
    COLUMN_FIVE_COLOURS,
    COLUMN_BORDER,
    COLUMN_CORNERS,
    COLUMN_SPECIAL,
) = (block.first for block in OUTPUTS)


@rule
def list_outputs(state, action, context, out):
    """Write which outputs the logit of a legal action is summed from into ``out`` (int16, MAX_OUTPUTS); return how many."""
    out[0] = ACTION + action
    if action < DOME_DISPLAY:
        return list_take(state, action, context, out)
    if action < DOME_DRAW:
        place = (action - DOME_DISPLAY) // (NUM_SLOTS * NUM_ROTATIONS)
        turned = (action - DOME_DISPLAY) % (NUM_SLOTS * NUM_ROTATIONS)
        return list_dome_tile(state, int(state.display[place]), turned, out)
    if DOME_PLACE <= action < MOON_ORDER:
        return list_dome_tile(state, int(state.kept), action - DOME_PLACE, out)
    if MOON_ORDER <= action < TILE_COLUMN:
        return list_order(state, action - MOON_ORDER, out)
    if TILE_COLUMN <= action < CHIP_SPEND:
        return list_column(state, action - TILE_COLUMN, context, out)
    if action >= CHIP_SPEND:
        return list_payment(state, action, out)
    out[1] = other_output(state, action)
    return 2


@rule
def other_output(state, action):
    """Return the one output of drawing, of a bonus chip, or of a drawn dome tile."""
    if action == DOME_DRAW or action == DOME_STOP:  # noqa: SIM109 - compiled code has no tuples of both kinds
        return DRAW + int(state.hand_size)
    if action < DOME_STOP:
        return BONUS + int(state.factory_chips[action - BONUS_TAKE])
    return CHOOSE + (NUM_DOME_TILES if state.stage == KEEPING else 0) + action - DOME_CHOOSE


@rule
def list_take(state, action, context, out):
    """Write the outputs of tiles that are taken; return how many."""
    source = action // (NUM_COLOURS * NUM_DESTINATIONS)
    colour = action // NUM_DESTINATIONS % NUM_COLOURS
    destination = action % NUM_DESTINATIONS
    if source < NUM_FACTORIES:
        tiles = int(state.suns[source, colour])
        left = context[IN_FACTORIES + source] - tiles
    else:
        tiles = context[IN_MOONS + colour]
        left = 0
    out[1] = TAKE_COLOUR + colour * NUM_DESTINATIONS + destination
    out[2] = TAKE_SOURCE + source * NUM_COLOURS + colour
    out[3] = TAKE_LEFT + source * MOST_TILES + min(left, MOST_TILES - 1)
    count = 4
    if source == NUM_FACTORIES and state.large_moon[colour] > 0 and state.first_player_tile == ON_LARGE_FACTORY:
        out[count] = TAKE_FIRST_PLAYER
        count += 1
    return list_line(state, colour, destination, tiles, context, out, count)


@rule
def list_line(state, colour, destination, tiles, context, out, count):
    """Append the outputs of so many tiles on a line, or of those that break; return how many there are now."""
    player = state.player
    over = tiles
    if destination != BROKEN:
        has = int(state.lines[player, destination])
        room = destination + 1 - has
        begun = 1 if has > 0 else 0
        over = max(0, tiles - room)
        at = ((destination * LINE_STARTS + begun) * NUM_LINES + room - 1) * MOST_TILES
        out[count] = TAKE_ROOM + at + min(tiles, MOST_TILES) - 1
        full = 1 if tiles >= room else 0
        points = context[IN_GAINS + destination * NUM_COLOURS + colour]
        out[count + 1] = TAKE_GAIN + (destination * LINE_STARTS + full) * (MOST_POINTS + 1) + points
        count += 2
    if over > 0:
        broken = min(int(count_all(state.broken[player])), BROKEN_SPACES)
        out[count] = TAKE_BROKEN + broken * MOST_TILES + min(over, MOST_TILES) - 1
        count += 1
    return count


@rule
def list_dome_tile(state, tile, turned, out):
    """Write the outputs of a dome tile on a slot; return how many."""
    slot = turned // NUM_ROTATIONS
    layout = tile * NUM_ROTATIONS + turned % NUM_ROTATIONS
    out[1] = LAYOUT + layout * NUM_SLOTS + slot
    for cell in range(4):
        row = slot // 3 * 2 + cell // 2
        column = slot % 3 * 2 + cell % 2
        space = int(LAYOUT_SPACES[layout, cell])
        out[2 + cell] = SPACE + space * SPACES + row * DOME_SIZE + column
        out[6 + cell] = SPACE_LINE + space_line(state, row, space)
    return 10


@rule
def space_line(state, row, space):
    """Return the output for a new space in a row: what the pattern line beside it wants, and how many tiles it lacks."""
    tiles = int(state.lines[state.player, row])
    colour = int(state.line_colours[state.player, row])
    wants = 0 if tiles == 0 else (1 if space == WILD or space == colour else 2)  # noqa: SIM109 - as above
    return (row * ROW_STATES + wants) * (NUM_LINES + 1) + row + 1 - tiles


@rule
def list_column(state, column, context, out):
    """Write the outputs of a finished line's tile in a column; return how many."""
    player = state.player
    row = int(state.line)
    across = context[IN_ACROSS]
    down = context[IN_DOWN]
    slot = slot_of(row, column)
    layout = state.domes[player, slot]
    special = 0
    for cell in range(4):
        special |= LAYOUT_SPACES[layout, cell] == SPECIAL
    out[1] = COLUMN_POINTS + points_among(across, down, row, column)
    out[2] = COLUMN_DOWN + row * PATTERNS + (down >> DOME_SIZE * column & ONE_ROW)
    out[3] = COLUMN_ACROSS + column * PATTERNS + (across >> DOME_SIZE * row & ONE_ROW)
    out[4] = COLUMN_SLOT + special * SLOT_PATTERNS + filled_in_slot(across, slot)
    is_wild = space_at(state, player, row, column) == WILD
    out[5] = COLUMN_WILD
    return list_column_conditions(state, row, column, is_wild, special, across, down, out, 6 if is_wild else 5)


@rule
def list_column_conditions(state, row, column, is_wild, has_special, across, down, out, count):
    """Append what a tile on a space has to do with the conditions in play (D86-D93); return how many outputs there are now."""
    player = state.player
    slot = slot_of(row, column)
    if state.scoring[ROWS] == 1:
        out[count] = COLUMN_ROWS + tiles_in_line(across, row)
        count += 1
    if state.scoring[COLUMNS] == 1:
        out[count] = COLUMN_COLUMNS + tiles_in_line(down, column)
        count += 1
    if state.scoring[DIAGONALS] == 1 and (row == column or row + column == DOME_SIZE - 1):
        out[count] = COLUMN_DIAGONALS + count_bits(across & (FALLING if row == column else RISING))
        count += 1
    if state.scoring[WILD_SPACES] == 1 and is_wild:
        out[count] = COLUMN_WILD_SPACES + count_bits(spaces_showing(state, player, WILD_CELLS) & ~across)
        count += 1
    if state.scoring[FIVE_COLOURS] == 1:
        known = has_colour(state, player, row, state.line_colours[player, row])
        out[count] = COLUMN_FIVE_COLOURS + known * LEVELS + colours_in_row(state, player, row)
        count += 1
    if state.scoring[BORDER] == 1 and (row in (0, DOME_SIZE - 1) or column in (0, DOME_SIZE - 1)):
        out[count] = COLUMN_BORDER
        count += 1
    if state.scoring[CORNERS] == 1 and row // 2 != 1 and column // 2 != 1:
        out[count] = COLUMN_CORNERS + (row // 4 * 2 + column // 4) * 5 + tiles_in_slot(across, slot)
        count += 1
    if state.scoring[EMPTY_SPECIAL_SPACES] == 1 and has_special:
        out[count] = COLUMN_SPECIAL + tiles_in_slot(across, slot)
        count += 1
    return count


@rule
def has_colour(state, player, row, colour):
    """Return 1 if a row has a tile of a colour, else 0."""
    found = 0
    for column in range(DOME_SIZE):
        found |= state.tiles[player, row, column] == colour
    return found


@rule
def list_payment(state, action, out):
    """Write the outputs of a chip that is spent, or of spending none; return how many."""
    player = state.player
    line = int(state.line)
    missing = int(missing_tiles(state, player))
    if action == CHIP_DECLINE:
        out[1] = DECLINE + line * (NUM_LINES + 1) + missing
        return 2
    matches = 1 if CHIP_SHOWS[action - CHIP_SPEND, state.line_colours[player, line]] else 0
    chips = min(int(chips_face_up(state, player, True)), MOST_CHIPS - 1)
    out[1] = CHIP + (matches * (NUM_LINES + 1) + missing) * MOST_CHIPS + chips
    return 2


@rule
def list_order(state, colour, out):
    """Write the outputs of a tile that goes on a moon; return how many."""
    factory = int(state.ordering)
    height = 0
    while height < MOON_HEIGHT - 1 and state.moons[factory, height] != EMPTY:
        height += 1
    out[1] = ORDER_AT + factory * NUM_COLOURS + colour
    out[2] = ORDER_HEIGHT + height * NUM_COLOURS + colour
    return 3
