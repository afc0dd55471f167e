"""The compiled log: a step carried out as the engine does, stage by stage, and what each stage did written down as a row.

``engine.carry_out`` and ``engine.settle`` run through without looking at what they do, which costs nothing. Here the same engine runs one
thing at a time, with a copy of the state before each, and what it did is read off both states.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.actions import (
    BONUS_TAKE,
    DOME_CHOOSE,
    DOME_DISPLAY,
    DOME_DRAW,
    DOME_PLACE,
    DOME_STOP,
    MAX_LEGAL,
    MOON,
    MOON_ORDER,
    NUM_ACTIONS,
    SUN,
    TILE_COLUMN,
)
from azul_duel_env.games.duel.chance import (
    NUM_OUTCOMES,
    chance_due,
    chance_weight,
    count_all,
    place_outcome,
)
from azul_duel_env.games.duel.components import (
    DISPLAY_SIZE,
    DOME_SIZE,
    EMPTY,
    FILL_ORDER,
    LARGE,
    MOON_HEIGHT,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_CONDITIONS,
    NUM_DESTINATIONS,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROTATIONS,
    NUM_SLOTS,
    SPECIAL,
)
from azul_duel_env.games.duel.engine import decide, goes_on, list_legal, winner
from azul_duel_env.games.duel.scoring import penalty, points_for_condition, points_for_tile, run_length
from azul_duel_env.games.duel.state import (
    CHIP,
    CHOOSE_FIRST,
    CHOOSE_SCORING,
    COLUMN,
    EXAMINING,
    FILL_FACTORIES,
    FRONT,
    GAME_OVER,
    KEEPING,
    NO_CHANCE,
    NOBODY,
    OPENING,
    ORDERING,
    PAYING,
    REFILL_DISPLAY,
    RETURNING,
    STACK_TOP,
    TILE,
    TURN_OVER,
)
from azul_duel_env.jit import entry, rule

KINDS = (
    *("scoring_tiles", "first_player", "round_begins", "game_over"),
    *("tiles_taken", "first_player_tile", "tiles_on_line", "tiles_broken", "moon_stacked", "passed"),
    *("chip_revealed", "chip_taken", "chip_spent"),
    *("dome_tile_drawn", "dome_tile_seen", "dome_tile_kept", "dome_tile_returned", "dome_tile_placed"),
    *("tiling_begins", "tile_placed", "special_tile", "penalty", "scoring_tile"),
    *("stack_top", "display_filled", "tile_drawn", "tower_tipped", "large_factory_redrawn", "factory_filled"),
)
"""Names of the kinds of events; a row of the log holds the place here."""
SCORING_TILES, FIRST_PLAYER, ROUND_BEGINS, END_OF_GAME = range(4)
TILES_TAKEN, FIRST_PLAYER_TILE, TILES_ON_LINE, TILES_BROKEN, MOON_STACKED, PASSED = range(4, 10)
CHIP_REVEALED, CHIP_TAKEN, CHIP_SPENT = range(10, 13)
DOME_TILE_DRAWN, DOME_TILE_SEEN, DOME_TILE_KEPT, DOME_TILE_RETURNED, DOME_TILE_PLACED = range(13, 18)
TILING_BEGINS, TILE_PLACED, SPECIAL_TILE, PENALTY, SCORING_TILE = range(18, 23)
TOP_OF_STACK, DISPLAY_FILLED, TILE_DRAWN, TOWER_TIPPED, LARGE_FACTORY_REDRAWN, FACTORY_FILLED = range(23, 29)

KIND, PLAYER, POINTS, VALUES = range(4)
ROW_SIZE = VALUES + 6
"""A row is kind, player or NOBODY, points, and the kind's own values in the order of its fields, then zeros."""

MAX_EVENTS = 256
"""Room for the events of any step. A turn always waits for a player, so a step holds fewer than 30 events of a turn, at most one phase 2
(12 lines with a tile and a special tile each, 20 bonus chips, 2 penalties), and one preparation (6 for the display, 26 tiles, 7 for the
factories) or the end of the game: fewer than 128."""

SETUP, ACTION, OUTCOME = range(3)
"""What a step begins with."""


@rule
def add(log, count, kind, player, points, first, second, third, fourth):
    """Append an event with up to four values; return how many there are."""
    log[count] = 0
    log[count, KIND] = kind
    log[count, PLAYER] = player
    log[count, POINTS] = points
    log[count, VALUES] = first
    log[count, VALUES + 1] = second
    log[count, VALUES + 2] = third
    log[count, VALUES + 3] = fourth
    return count + 1


@rule
def add_tiles(log, count, kind, factory, tiles):
    """Append an event of a factory and tiles, counted by colour."""
    count = add(log, count, kind, NOBODY, 0, factory, 0, 0, 0)
    for colour in range(NUM_COLOURS):
        log[count - 1, VALUES + 1 + colour] = tiles[colour]
    return count


# Phase 1 --------------------------------------------------------------------------------------
@rule
def note_acquisition(was, state, player, action, log, count):
    """Note what a decision of the opening or of phase 1 did."""
    if action < DOME_DISPLAY:
        return note_taking(was, state, player, action, log, count)
    if action < DOME_DRAW:
        place, where = divmod(action - DOME_DISPLAY, NUM_SLOTS * NUM_ROTATIONS)
        return note_dome_tile(state, player, where // NUM_ROTATIONS, place, log, count)
    if action < BONUS_TAKE:
        points = state.scores[player] - was.scores[player]
        kind = state.hand_kinds[state.hand_size - 1]
        return add(log, count, DOME_TILE_DRAWN, player, points, kind, 0, 0, 0)  # D28, D29
    if action < DOME_STOP:
        factory = action - BONUS_TAKE
        return add(log, count, CHIP_TAKEN, player, 0, factory, was.factory_chips[factory], 0, 0)  # D52
    if DOME_CHOOSE <= action < DOME_PLACE:
        return note_choice(was, state, player, log, count)
    if DOME_PLACE <= action < MOON_ORDER:
        return note_dome_tile(state, player, (action - DOME_PLACE) // NUM_ROTATIONS, NOBODY, log, count)
    return note_stacking(was, state, player, log, count)


@rule
def note_taking(was, state, player, action, log, count):
    """Note tiles taken from a sun or from the moons (D36, D41), and where they and those left over go."""
    if action < MOON:
        factory, colour = divmod((action - SUN) // NUM_DESTINATIONS, NUM_COLOURS)
        count = add(log, count, TILES_TAKEN, player, 0, factory, 0, colour, was.suns[factory, colour])
    else:
        colour = (action - MOON) // NUM_DESTINATIONS
        for factory in range(NUM_FACTORIES):
            taken = on_moon(was, factory, colour) - on_moon(state, factory, colour)
            if taken > 0:
                count = add(log, count, TILES_TAKEN, player, 0, factory, 1, colour, taken)
    if state.first_player_tile != was.first_player_tile:
        count = add(log, count, FIRST_PLAYER_TILE, player, 0, 0, 0, 0, 0)  # D44
    for line in range(NUM_LINES):
        added = state.lines[player, line] - was.lines[player, line]
        if added > 0:
            count = add(log, count, TILES_ON_LINE, player, 0, line, colour, added, 0)  # D46
    count = note_broken(was, state, player, NOBODY, log, count)
    return note_stacking(was, state, player, log, count)


@rule
def on_moon(state, factory, colour):
    """Return how many tiles of a colour lie on a factory's moon."""
    if factory == LARGE:
        return int(state.large_moon[colour])
    tiles = 0
    for height in range(MOON_HEIGHT):
        tiles += state.moons[factory, height] == colour
    return tiles


@rule
def note_broken(was, state, player, line, log, count):
    """Note tiles that broke, and how many of them found no room (D48, D50, D51, D65)."""
    for colour in range(NUM_COLOURS):
        over = state.tower[colour] - was.tower[colour]
        broken = state.broken[player, colour] - was.broken[player, colour] + over
        if broken > 0:
            count = add(log, count, TILES_BROKEN, player, 0, line, colour, broken, over)
    return count


@rule
def note_stacking(was, state, player, log, count):
    """Note tiles that went from a sun to the moon of its factory (D37, D38)."""
    for factory in range(NUM_FACTORIES):
        for colour in range(NUM_COLOURS):
            added = on_moon(state, factory, colour) - on_moon(was, factory, colour)
            if added > 0:
                count = add(log, count, MOON_STACKED, player, 0, factory, colour, added, 0)
    return count


@rule
def note_dome_tile(state, player, slot, place, log, count):
    """Note a dome tile placed, from a place of the display or, NOBODY, drawn (D31)."""
    tile, rotation = divmod(int(state.domes[player, slot]), NUM_ROTATIONS)
    return add(log, count, DOME_TILE_PLACED, player, 0, tile, slot, rotation, place)


@rule
def note_seen(was, player, log, count):
    """Note the fronts that the drawer sees of dome tiles somebody had put back (D30); the others came by chance."""
    for place in range(was.hand_size):
        if was.hand_from[place] != NOBODY:
            count = add(log, count, DOME_TILE_SEEN, player, 0, was.hand[place], 0, 0, 0)
    return count


@rule
def note_choice(was, state, player, log, count):
    """Note the drawn dome tile that is kept, or goes under the stack (D30)."""
    if state.kept != was.kept:
        return add(log, count, DOME_TILE_KEPT, player, 0, state.kept, 0, 0, 0)
    if state.returned == was.returned:
        return count
    last = 0
    for place in range(len(state.put_back)):
        if state.put_back[place] != EMPTY:
            last = place
    return add(log, count, DOME_TILE_RETURNED, player, 0, state.put_back[last], 0, 0, 0)


@rule
def note_end_of_turn(was, state, log, count):
    """Note that the other player is passed over (D56), or that phase 1 is over (D55)."""
    if state.stage == EXAMINING:
        return add(log, count, TILING_BEGINS, state.active, 0, 0, 0, 0, 0)
    if state.active == was.active:
        return add(log, count, PASSED, 1 - was.active, 0, 0, 0, 0, 0)
    return count


# Phase 2 --------------------------------------------------------------------------------------
@rule
def note_tiling(was, state, player, log, count):
    """Note what a decision of phase 2 did: a bonus chip turned over, or a tile placed; ``was`` is written to."""
    line = was.line
    for chip in range(NUM_CHIP_KINDS):
        if state.chips_down[player, chip] > was.chips_down[player, chip]:
            return add(log, count, CHIP_SPENT, player, 0, line, chip, 0, 0)  # D73
    points = state.scores[player] - was.scores[player]
    for column in range(DOME_SIZE):
        colour = state.tiles[player, line, column]
        if colour != was.tiles[player, line, column] and colour != SPECIAL:
            was.tiles[player, line, column] = colour  # scored before a special tile lies there (D78)
            own = points_for_tile(was, player, line, column)
            across = run_length(was, player, line, column, 0, 1)
            down = run_length(was, player, line, column, 1, 0)
            count = add(log, count, TILE_PLACED, player, own, line, column, colour, across)
            log[count - 1, VALUES + 4] = down
            log[count - 1, VALUES + 5] = was.lines[player, line] - 1  # D67
            return note_special_tile(was, state, player, points - own, log, count)
    return count


@rule
def note_special_tile(was, state, player, points, log, count):
    """Note the special tile that a placed tile brought (D78)."""
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            if state.tiles[player, row, column] != was.tiles[player, row, column]:
                count = add(log, count, SPECIAL_TILE, player, points, row, column, 0, 0)
    return count


@rule
def note_examining(was, state, log, count):
    """Note a line that breaks as no space accepts it (D65), or the end of a player's phase 2."""
    player = was.active
    if was.line < NUM_LINES:
        return note_broken(was, state, player, was.line, log, count)
    due = int(penalty(was, player))
    points = -min(int(was.scores[player]), due)  # D80: a score never falls below 0
    if due > 0:
        holds_tile = int(was.first_player_tile == player)
        count = add(log, count, PENALTY, player, points, count_all(was.broken[player]), holds_tile, due, 0)
    if state.stage == EXAMINING:
        return add(log, count, TILING_BEGINS, state.active, 0, 0, 0, 0, 0)
    if state.stage == GAME_OVER:
        was.scores[player] += points
        return note_end_of_game(was, state, log, count)
    return note_round(was, state, log, count)


@rule
def note_end_of_game(was, state, log, count):
    """Note the scoring tiles one by one (D86 to D93), and who has won (D94)."""
    for player in range(NUM_PLAYERS):
        forgiven = state.scores[player] - was.scores[player]  # R38: what the sum would take below 0
        for condition in range(NUM_CONDITIONS):
            if state.scoring[condition] == 1:
                forgiven -= points_for_condition(state, player, condition)
        for condition in range(NUM_CONDITIONS):
            if state.scoring[condition] == 1:
                due = points_for_condition(state, player, condition)
                points = due + forgiven if due < 0 else due  # only one condition takes points
                count = add(log, count, SCORING_TILE, player, points, condition, due, 0, 0)
    return add(log, count, END_OF_GAME, winner(state), 0, 0, 0, 0, 0)


# Setup and preparation ------------------------------------------------------------------------
@rule
def note_round(was, state, log, count):
    """Note that a round begins (D81, D84)."""
    if state.round_number == was.round_number:
        return count
    return add(log, count, ROUND_BEGINS, state.first_player, 0, state.round_number, 0, 0, 0)


@rule
def note_display(was, state, log, count):
    """Note a dome tile that came into the display (D13, D20, D81)."""
    for place in range(DISPLAY_SIZE):
        if state.display[place] != was.display[place]:
            count = add(log, count, DISPLAY_FILLED, NOBODY, 0, place, state.display[place], 0, 0)
    return count


@rule
def note_filling(was, state, log, count):
    """Note a factory filled (D16, D81), the tower tipped into the bag (D82) or the large factory emptied again (D17)."""
    if was.filling == NUM_FACTORIES:
        return count
    factory = FILL_ORDER[was.filling]
    if state.filling != was.filling:
        return add_tiles(log, count, FACTORY_FILLED, factory, state.suns[factory])
    if count_all(state.suns[factory]) < count_all(was.suns[factory]):
        return add_tiles(log, count, LARGE_FACTORY_REDRAWN, factory, was.suns[factory])
    return add_tiles(log, count, TOWER_TIPPED, factory, was.tower)


@rule
def note_outcome(was, state, chance, log, count):
    """Note where a draw landed. The scoring tiles and the first player are noted, drawn or given, when play goes on with them."""
    if chance == TILE:
        factory = FILL_ORDER[state.filling]
        for colour in range(NUM_COLOURS):
            if state.suns[factory, colour] != was.suns[factory, colour]:
                count = add(log, count, TILE_DRAWN, NOBODY, 0, factory, colour, 0, 0)
    elif chance == STACK_TOP:
        return add(log, count, TOP_OF_STACK, NOBODY, 0, state.top_kind, 0, 0, 0)
    elif chance == CHIP:
        for factory in range(len(state.factory_chips)):
            if state.factory_chips[factory] != was.factory_chips[factory]:
                count = add(log, count, CHIP_REVEALED, NOBODY, 0, factory, state.factory_chips[factory], 0, 0)
    elif chance == FRONT and state.stage == KEEPING:
        for place in range(state.hand_size):
            if state.hand[place] != was.hand[place]:
                count = add(log, count, DOME_TILE_SEEN, state.active, 0, state.hand[place], 0, 0, 0)
    elif chance == FRONT:
        return note_display(was, state, log, count)
    return count


@rule
def note_preparing(was, state, log, count):
    """Note what a stage of the setup or of phase 3 did."""
    stage = was.stage
    if stage == REFILL_DISPLAY:
        return note_round(was, state, log, note_display(was, state, log, count))
    if stage == CHOOSE_SCORING:
        tiles = 0
        for condition in range(NUM_CONDITIONS):
            tiles |= int(state.scoring[condition]) << condition
        return add(log, count, SCORING_TILES, NOBODY, 0, tiles, 0, 0, 0)
    if stage == CHOOSE_FIRST and state.stage == OPENING:
        return add(log, count, FIRST_PLAYER, state.first_player, 0, 0, 0, 0, 0)
    if stage == FILL_FACTORIES:
        return note_filling(was, state, log, count)
    return count


# Steps ----------------------------------------------------------------------------------------
@rule
def note_stage(was, state, log, count):
    """Note what a stage did that nobody decided."""
    stage = was.stage
    if stage == TURN_OVER:
        return note_end_of_turn(was, state, log, count)
    if stage == EXAMINING:
        return note_examining(was, state, log, count)
    if stage in (COLUMN, PAYING):
        return note_tiling(was, state, was.active, log, count)
    if stage == ORDERING:
        return note_stacking(was, state, was.active, log, count)
    if stage == KEEPING:
        return note_choice(was, state, was.active, log, note_seen(was, was.active, log, count))
    if stage == RETURNING:
        return note_choice(was, state, was.active, log, count)
    return note_preparing(was, state, log, count)


@rule
def go_on_and_note(state, before, legal, log, count):
    """Do the next thing that nobody decides, and note what it did; return whether there was one, and how many events there are.

    ``before`` is scratch (one state): the state as it was.
    """
    before[0] = state
    chance = chance_due(state)
    going = goes_on(state, legal)
    if chance == NO_CHANCE:
        return going, note_stage(before[0], state, log, count)
    if going:
        count = note_outcome(before[0], state, chance, log, count)
    return going, count


@rule
def is_legal(state, action, legal):
    """Return whether an action is legal; ``legal`` is scratch (int16, MAX_LEGAL)."""
    for k in range(list_legal(state, legal)):
        if legal[k] == action:
            return True
    return False


@rule
def begin_and_note(state, begins, number, before, legal, log):
    """Let an action or a draw happen and nothing that follows, and note what it did; see ``begin_logged``. Of a setup nothing happens."""
    before[0] = state
    player = state.player
    chance = state.chance
    if begins == ACTION:
        if not 0 <= number < NUM_ACTIONS or not is_legal(state, number, legal):
            return -1
        decide(state, number)
        if number < TILE_COLUMN:
            return note_acquisition(before[0], state, player, number, log, 0)
        return note_tiling(before[0], state, player, log, 0)
    if begins == OUTCOME:
        if not 0 <= number < NUM_OUTCOMES[chance] or chance_weight(state, chance, number) == 0:
            return -1
        place_outcome(state, chance, number)
        return note_outcome(before[0], state, chance, log, 0)
    return 0


@entry
def begin_logged(states, i, begins, number, log):
    """Let an action or a draw happen and nothing that follows, writing down what it does.

    Args:
        states: one of them is changed.
        i: which.
        begins: what a step begins with: ACTION, OUTCOME or SETUP, of which nothing happens yet.
        number: the action or the outcome; of a setup, anything.
        log: int16 (MAX_EVENTS, ROW_SIZE); the first rows are written.

    Returns:
        the number of events (int64), or -1 if the action is not legal or the outcome not possible; then nothing has changed.
    """
    return begin_and_note(states[i], begins, number, np.empty(1, states.dtype), np.empty(MAX_LEGAL, np.int16), log)


@entry
def go_on_logged(states, i, log):
    """Do the next thing that nobody decides, writing down what it does; see ``begin_logged``.

    Returns:
        whether there was one, or else a player decides, a draw is due or the game is over; and the number of events (int64).
    """
    return go_on_and_note(states[i], np.empty(1, states.dtype), np.empty(MAX_LEGAL, np.int16), log, 0)


@entry
def carry_out_logged(states, i, begins, number, log):
    """Carry out a step and go on to the next decision or draw, writing down what happens; see ``begin_logged``."""
    legal = np.empty(MAX_LEGAL, np.int16)
    before = np.empty(1, states.dtype)
    count = begin_and_note(states[i], begins, number, before, legal, log)
    going = count >= 0
    while going:
        going, count = go_on_and_note(states[i], before, legal, log, count)
    return count
