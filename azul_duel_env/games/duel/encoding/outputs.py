"""Which outputs the logit of an action is summed from."""

from __future__ import annotations

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
    TILE_COLUMN,
)
from azul_duel_env.games.duel.chance import count_all
from azul_duel_env.games.duel.components import (
    BORDER,
    BROKEN,
    BROKEN_SPACES,
    CHIP_SHOWS,
    COLUMNS,
    CORNERS,
    DIAGONALS,
    DOME_SIZE,
    EMPTY,
    EMPTY_SPECIAL_SPACES,
    FIVE_COLOURS,
    LAYOUT_SPACES,
    MOON_HEIGHT,
    NUM_COLOURS,
    NUM_DESTINATIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_ROTATIONS,
    NUM_SLOTS,
    ROWS,
    SPECIAL,
    WILD,
    WILD_SPACES,
)
from azul_duel_env.games.duel.encoding.context import IN_ACROSS, IN_DOWN, IN_FACTORIES, IN_GAINS, IN_MOONS
from azul_duel_env.games.duel.encoding.tables import (
    ACTION,
    BONUS,
    CHIP,
    CHOOSE,
    COLUMN_ACROSS,
    COLUMN_BORDER,
    COLUMN_COLUMNS,
    COLUMN_CORNERS,
    COLUMN_DIAGONALS,
    COLUMN_DOWN,
    COLUMN_FIVE_COLOURS,
    COLUMN_POINTS,
    COLUMN_ROWS,
    COLUMN_SLOT,
    COLUMN_SPECIAL,
    COLUMN_WILD,
    COLUMN_WILD_SPACES,
    CORNER_LEVELS,
    DECLINE,
    DRAW,
    LAYOUT,
    LEVELS,
    LINE_STARTS,
    MOST_CHIPS,
    MOST_POINTS,
    MOST_TILES,
    ORDER_AT,
    ORDER_HEIGHT,
    PATTERNS,
    ROW_STATES,
    SLOT_PATTERNS,
    SPACE,
    SPACE_LINE,
    SPACES,
    TAKE_BROKEN,
    TAKE_COLOUR,
    TAKE_FIRST_PLAYER,
    TAKE_GAIN,
    TAKE_LEFT,
    TAKE_ROOM,
    TAKE_SOURCE,
)
from azul_duel_env.games.duel.scoring import (
    FALLING,
    ONE_ROW,
    RISING,
    WILD_CELLS,
    colours_in_row,
    count_bits,
    filled_in_slot,
    points_among,
    slot_of,
    space_at,
    spaces_showing,
    tiles_in_line,
    tiles_in_slot,
)
from azul_duel_env.games.duel.state import KEEPING, ON_LARGE_FACTORY
from azul_duel_env.games.duel.tiling import chips_face_up, missing_tiles
from azul_duel_env.jit import rule


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
        out[count] = COLUMN_CORNERS + (row // 4 * 2 + column // 4) * CORNER_LEVELS + tiles_in_slot(across, slot)
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
