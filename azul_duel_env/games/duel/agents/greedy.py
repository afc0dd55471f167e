"""The agent ``greedy``: the action after which its evaluation is highest, one ply deep.

The evaluation counts points: those on the track, those that the pattern lines promise, progress towards the scoring tiles, less what
breaks; and the same of the other player with the opposite sign. It never sees a draw: the ply stops where something must be drawn.

=====================  ==================================================================================================
a full pattern line    the points its tile would score now, on the best space that accepts it
an unfinished line     half of that, times the share of its spaces that are filled
a line without space   a little while its row lacks a dome tile; else what its tiles would cost, broken
scoring tiles          each row, column, corner ... counts its points times the square of the share that is filled
dome tiles             spaces that accept the colour of a line count through that line; others a little, more in lower rows
bonus chips            a third of a point each, while rounds are left
drawing                worth a dome tile, half a point more for each further tile drawn, less the points paid
=====================  ==================================================================================================
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.acquisition import moon_top
from azul_duel_env.games.duel.actions import DOME_DRAW, DOME_STOP, MAX_LEGAL
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
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROTATIONS,
    NUM_ROUNDS,
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
from azul_duel_env.games.duel.dome_tiles import draw_dome_tile
from azul_duel_env.games.duel.engine import carry_out, list_legal
from azul_duel_env.games.duel.scoring import (
    FALLING,
    RISING,
    SHOWN,
    SPECIAL_CELLS,
    WILD_CELLS,
    colours_in_row,
    count_bits,
    filled_spaces,
    points_among,
    slot_of,
    spaces_showing,
    tiles_in_line,
    tiles_in_slot,
    tiles_on_border,
)
from azul_duel_env.games.duel.state import COLUMN, DRAWING, GAME_OVER, KEEPING, NOBODY, PAYING
from azul_duel_env.games.duel.tiling import row_has_all_dome_tiles
from azul_duel_env.jit import entry, rule, rule_with_arrays
from azul_duel_env.jit.rng import pick_best

OTHER_PLAYER = 0.6  # weight of the other player's evaluation
UNFINISHED_LINE = 0.5
HOPEFUL_LINE = 0.5
BROKEN_LINE_TILE = 1.5  # points lost for each tile of a line that will break
BONUS_CHIP = 0.33
DOME_TILE = 2.0
FURTHER_DRAW = 0.5
MOST_FURTHER_DRAWS = 4
OPEN_SPACE = 0.05  # for an empty space of a dome tile, times the number of its row
MOON_TOP = 0.1  # for a tile on top of a moon that fits an unfinished line
NEXT_START = 0.5  # worth of starting the next round

SHARES = np.array([[part / max(1, whole) for part in range(NUM_SLOTS + 1)] for whole in range(NUM_SLOTS + 1)])
"""The share of a part (second index) in a whole (first)."""
SQUARED = SHARES * SHARES
IS_SPECIAL = SHOWN == SPECIAL
HAS_SPECIAL = np.array([cells.any() for cells in IS_SPECIAL], np.int64)
CELL_ROWS = np.array([cells.argmax() // 2 + 1 for cells in IS_SPECIAL], np.int64)
SPECIAL_SHARES = np.array([0.15 * 1, 0.15 * 2, 1.0, 1.0, 1.0])
"""How much of a special tile's points to count when one more space of its dome tile is filled, by how many are."""
WORTH_OF_SPACES = np.zeros((1 + len(LAYOUT_SPACES), 4))
WORTH_OF_SPACES[1:][LAYOUT_SPACES < SPECIAL] = OPEN_SPACE
WORTH_OF_SPACES[1:][LAYOUT_SPACES == WILD] = 2 * OPEN_SPACE
"""What a free space of each dome tile, as it lies, is worth for each point of a tile there."""


@rule
def evaluate_seat(state, player):
    """Return the points that a player has and may hope for."""
    if state.stage == GAME_OVER:
        return float(state.scores[player])
    across, down = filled_spaces(state, player)
    lines = value_of_lines(state, player, across, down)
    scoring_tiles = value_of_scoring_tiles(state, player, across, down)
    return sum_up(state, player, lines, scoring_tiles, value_of_spaces(state, player, across, down))


@rule
def sum_up(state, player, lines, scoring_tiles, spaces):
    """Return the evaluation of a seat from those parts of it that take long to find, and all others."""
    value = float(state.scores[player])
    value -= pending_penalty(state, player)
    value += lines + scoring_tiles + spaces
    rounds_left = NUM_ROUNDS - state.round_number
    value += BONUS_CHIP * count_all(state.chips_up[player]) * (1.0 if rounds_left > 0 or state.line == NOBODY else 0.0)
    value += MOON_TOP * useful_moon_tops(state, player)
    if state.active == player:
        value += value_of_draw(state, player)
    return value


@rule
def pending_penalty(state, player):
    """Return what the broken tiles and the first-player tile will cost, less what the tile is worth."""
    points = float(BROKEN_PENALTY[count_all(state.broken[player])])
    if state.first_player_tile == player:
        points += FIRST_PLAYER_PENALTY - (NEXT_START if state.round_number < NUM_ROUNDS else 0.0)
    return min(points, float(state.scores[player]) + 4.0)  # a score never falls below 0


# Pattern lines --------------------------------------------------------------------------------
# ``across`` and ``down``: which spaces of the player's dome are filled, as ``filled_spaces`` tells.
@rule
def value_of_lines(state, player, across, down):
    """Return what the pattern lines promise."""
    value = 0.0
    for line in range(NUM_LINES):
        value += value_of_line(state, player, across, down, line)
    return value


@rule
def value_of_line(state, player, across, down, line):
    """Return what one pattern line promises. Without branches: which lines hold tiles, and what for, can't be guessed."""
    tiles = int(state.lines[player, line])
    share = SHARES[line + 1, tiles]
    points = best_points(state, player, across, down, line)
    paid_in_part = (state.stage == PAYING) & (state.paid_matching + state.paid_other > 0)
    paid_in_full = (state.stage == COLUMN) & (
        state.chip_payments_all == 1
    )  # R30: else more chips than enough looked better
    being_paid = (state.active == player) & (state.line == line)
    finished = (tiles == line + 1) | (being_paid & (paid_in_part | paid_in_full))
    placed = points if finished else UNFINISHED_LINE * share * points
    breaks = row_has_all_dome_tiles(state, player, line)
    not_placed = -BROKEN_LINE_TILE * tiles if breaks else HOPEFUL_LINE * share
    value = placed if points > 0.0 else not_placed
    return value if tiles > 0 else 0.0


@rule
def best_points(state, player, across, down, line):
    """Return the most points that a tile of a line's colour would score in its row now; 0 if no space accepts it."""
    colour = int(state.line_colours[player, line])
    best = 0.0
    for column in range(DOME_SIZE):  # without branches: what a space shows can't be guessed
        layout = int(state.domes[player, slot_of(line, column)])
        space = int(SHOWN[layout + 1, line % 2 * 2 + column % 2])
        is_free = (across >> (DOME_SIZE * line + column) & 1) == 0
        accepts = is_free & ((space == colour) | (space == WILD))
        points = points_among(across, down, line, column) + special_bonus(state, player, across, line, column)
        best = max(best, points * accepts)
    return best


@rule
def special_bonus(state, player, across, row, column):
    """Return what filling a space adds through a special tile: its row if it completes the three, a part of it before."""
    slot = slot_of(row, column)
    layout = int(state.domes[player, slot])
    special_row = (slot // 3 * 2 + CELL_ROWS[layout + 1]) * HAS_SPECIAL[layout + 1]  # counted from 1
    return special_row * SPECIAL_SHARES[tiles_in_slot(across, slot)]


# Scoring tiles --------------------------------------------------------------------------------
@rule
def value_of_scoring_tiles(state, player, across, down):
    """Return the progress towards the conditions in play."""
    value = 0.0
    if state.scoring[ROWS] == 1 or state.scoring[COLUMNS] == 1 or state.scoring[FIVE_COLOURS] == 1:
        value += value_of_rows_and_columns(state, player, across, down)
    if state.scoring[DIAGONALS] == 1:
        value += POINTS_PER_DIAGONAL * SQUARED[DOME_SIZE, count_bits(across & FALLING)]
        value += POINTS_PER_DIAGONAL * SQUARED[DOME_SIZE, count_bits(across & RISING)]
    if state.scoring[WILD_SPACES] == 1:
        spaces = spaces_showing(state, player, WILD_CELLS)
        wild = count_bits(spaces)
        value += POINTS_PER_WILD_SPACE * wild * SQUARED[wild, count_bits(spaces & across)]
    if state.scoring[BORDER] == 1:
        value += POINTS_PER_BORDER_TILE * tiles_on_border(across, down)
    if state.scoring[CORNERS] == 1:
        value += value_of_corners(across)
    if state.scoring[EMPTY_SPECIAL_SPACES] == 1:
        value += POINTS_PER_EMPTY_SPECIAL_SPACE * count_bits(spaces_showing(state, player, SPECIAL_CELLS) & ~across)
    return value


@rule
def value_of_rows_and_columns(state, player, across, down):
    """Return the progress in rows, columns and rows of five colours."""
    value = 0.0
    for i in range(DOME_SIZE):
        if state.scoring[ROWS] == 1:
            value += POINTS_PER_ROW * SQUARED[DOME_SIZE, tiles_in_line(across, i)]
        if state.scoring[COLUMNS] == 1:
            value += POINTS_PER_COLUMN * SQUARED[DOME_SIZE, tiles_in_line(down, i)]
        if state.scoring[FIVE_COLOURS] == 1:
            value += POINTS_PER_FIVE_COLOURS * SQUARED[NUM_COLOURS, min(NUM_COLOURS, colours_in_row(state, player, i))]
    return value


@rule
def value_of_corners(across):
    """Return the progress in the four corners."""
    value = 0.0
    for corner in range(len(CORNER_SLOTS)):
        value += CORNER_POINTS[corner] * SQUARED[4, tiles_in_slot(across, CORNER_SLOTS[corner])]
    return value


# Dome tiles -----------------------------------------------------------------------------------
@rule
def value_of_spaces(state, player, across, down):
    """Return a little for each empty space that a tile may go to, more in the lower rows and where tiles adjoin."""
    value = 0.0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            value += value_of_space(state, player, across, down, row, column)
    return value


@rule
def value_of_space(state, player, across, down, row, column):
    """Return what one space is worth: 0 if no tile may go there. Without branches: which spaces are filled can't be guessed."""
    layout = int(state.domes[player, slot_of(row, column)])
    worth = WORTH_OF_SPACES[layout + 1, row % 2 * 2 + column % 2]
    is_free = 1 - (across >> (DOME_SIZE * row + column) & 1)
    return worth * (points_among(across, down, row, column) * is_free)


@rule
def value_of_draw(state, player):
    """Return what dome tiles drawn and not yet placed are worth."""
    if state.kept != EMPTY:
        return best_placement(state, player)
    if state.stage in (DRAWING, KEEPING) and state.hand_size > 0:
        return DOME_TILE + FURTHER_DRAW * min(MOST_FURTHER_DRAWS, state.hand_size - 1)
    return 0.0


@rule
def best_placement(state, player):
    """Return what the kept dome tile adds in the slot and rotation that suit it best; the state is as before afterwards."""
    best = -np.inf
    across, down = filled_spaces(state, player)
    before = value_of_lines_and_spaces(state, player, across, down)
    for slot in range(NUM_SLOTS):
        if state.domes[player, slot] == EMPTY:
            for rotation in range(NUM_ROTATIONS):
                state.domes[player, slot] = NUM_ROTATIONS * state.kept + rotation
                best = max(best, value_of_lines_and_spaces(state, player, across, down) - before)
            state.domes[player, slot] = EMPTY
    return best


@rule
def value_of_lines_and_spaces(state, player, across, down):
    """Return what a dome tile can add to."""
    return value_of_lines(state, player, across, down) + value_of_spaces(state, player, across, down)


# Moons ----------------------------------------------------------------------------------------
@rule
def useful_moon_tops(state, player):
    """Return how many small moons show a colour of which the player has an unfinished line."""
    wanted = 0  # a bit for each colour; the lowest stands for no tile and is never set
    for line in range(NUM_LINES):
        unfinished = (state.lines[player, line] > 0) & (state.lines[player, line] <= line)
        wanted |= int(unfinished) << int(state.line_colours[player, line]) - EMPTY
    count = 0
    for factory in range(NUM_SMALL):
        count += wanted >> int(moon_top(state, factory)) - EMPTY & 1
    return count


# What one action changes -----------------------------------------------------------------------
SCORING_TILES_KNOWN, SPACES_KNOWN, LINES_KNOWN = 0, 1, 2
SPACE_KNOWN = LINES_KNOWN + NUM_LINES
NUM_KNOWN = SPACE_KNOWN + DOME_SIZE * DOME_SIZE
SEVERAL = -2


@rule
def learn_root(root, known):
    """Write, for each seat, the parts of the evaluation that most actions leave as they are into ``known`` (float64, 2 x NUM_KNOWN)."""
    for player in range(NUM_PLAYERS):
        across, down = filled_spaces(root, player)
        known[player, SCORING_TILES_KNOWN] = value_of_scoring_tiles(root, player, across, down)
        known[player, SPACES_KNOWN] = 0.0
        for line in range(NUM_LINES):
            known[player, LINES_KNOWN + line] = value_of_line(root, player, across, down, line)
            for column in range(DOME_SIZE):
                value = value_of_space(root, player, across, down, line, column)
                known[player, SPACE_KNOWN + line * DOME_SIZE + column] = value
                known[player, SPACES_KNOWN] += value


@rule
def evaluate_near(state, root, known, player):
    """Return ``evaluate_seat`` of a state one action after the root, looking anew only at what has changed."""
    slot = changed_slot(state, root, player)
    if state.stage in (GAME_OVER, PAYING) or root.stage == PAYING or slot == SEVERAL:
        return evaluate_seat(state, player)
    across, down = filled_spaces(state, player)
    scoring_tiles = known[player, SCORING_TILES_KNOWN]
    if slot >= 0 and (state.scoring[WILD_SPACES] == 1 or state.scoring[EMPTY_SPECIAL_SPACES] == 1):
        scoring_tiles = value_of_scoring_tiles(state, player, across, down)
    spaces = known[player, SPACES_KNOWN] if slot == NOBODY else spaces_near(state, known, player, across, down, slot)
    lines = lines_near(state, root, known, player, across, down, slot)
    return sum_up(state, player, lines, scoring_tiles, spaces)


@rule
def lines_near(state, root, known, player, across, down, slot):
    """Return ``value_of_lines`` where at most one slot has changed."""
    value = 0.0
    for line in range(NUM_LINES):
        same_tiles = state.lines[player, line] == root.lines[player, line]
        same_colour = state.line_colours[player, line] == root.line_colours[player, line]
        if same_tiles and same_colour and (slot == NOBODY or slot_of(line, 0) // 3 != slot // 3):
            value += known[player, LINES_KNOWN + line]
        else:
            value += value_of_line(state, player, across, down, line)
    return value


@rule
def spaces_near(state, known, player, across, down, slot):
    """Return ``value_of_spaces`` where only one slot has changed."""
    value = 0.0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            if slot_of(row, column) == slot:
                value += value_of_space(state, player, across, down, row, column)
            else:
                value += known[player, SPACE_KNOWN + row * DOME_SIZE + column]
    return value


@rule
def changed_slot(state, root, player):
    """Return the slot of a player's dome that has changed, NOBODY for none, SEVERAL if more has."""
    different = 0  # counted to the end: that compiles into a few wide comparisons
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            different += state.tiles[player, row, column] != root.tiles[player, row, column]
    if different > 0:
        return SEVERAL
    changed = NOBODY
    for slot in range(NUM_SLOTS):
        if state.domes[player, slot] != root.domes[player, slot]:
            if changed != NOBODY:
                return SEVERAL
            changed = slot
    return changed


# The choice -----------------------------------------------------------------------------------
@rule
def carry_out_before_draws(state, player, action, scratch):
    """Carry out an action up to where something is drawn or looked at."""
    if action == DOME_DRAW:
        draw_dome_tile(state, player)
    elif action != DOME_STOP:
        state.explicit_chance = 1
        carry_out(state, action, scratch)


@rule
def value_after(state, root, known, player, action, scratch):
    """Return how good an action is for a player: their evaluation after it less a part of the other's.

    The action is carried out in ``state``, a copy of ``root``; the ply ends before anything is drawn or looked at.
    """
    carry_out_before_draws(state, player, action, scratch)
    return evaluate_near(state, root, known, player) - OTHER_PLAYER * evaluate_near(state, root, known, 1 - player)


@rule
def rate_actions(states, i, legal, values):
    """Write the legal actions into ``legal`` (int16, MAX_LEGAL) and how good each is into ``values`` (float64); return how many."""
    count = list_legal(states[i], legal)
    rate_listed(states, i, legal, count, values)
    return count


@rule_with_arrays
def rate_listed(states, i, legal, count, values):
    """Write how good each of the legal actions ``legal[:count]`` is into ``values`` (float64)."""
    state = states[i]
    player = state.player
    scratch = np.empty(MAX_LEGAL, np.int16)
    known = np.empty((NUM_PLAYERS, NUM_KNOWN))
    learn_root(state, known)
    trial = states[i : i + 1].copy()
    for k in range(count):
        trial[0] = state
        values[k] = value_after(trial[0], state, known, player, legal[k], scratch)


@rule_with_arrays
def best_action(states, i, key):
    """Return the action after which the evaluation is highest; among equals the random key decides."""
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    count = rate_actions(states, i, legal, values)
    return legal[pick_best(key, values, count)]


@entry
def choose_greedily(states, i, key):
    """Return the action after which the evaluation is highest; among equals the random key decides."""
    return best_action(states, i, key)
