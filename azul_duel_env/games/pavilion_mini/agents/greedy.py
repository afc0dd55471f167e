"""The agent ``greedy``: the action after which its evaluation of the own seat is highest, one ply deep.

The evaluation counts points: those on the track, those that the board promises, and those that the tiles at hand may still bring. It never
sees a draw: the ply stops where something must be drawn. What others may do counts nothing.

==================  ====================================================================================================================
stars               a share of the bonus, by the tiles that are still wanted and the rounds left; what the next tile may score
structures          tiles of the supply, the more the fewer spaces are open
numbers             a share of the points for all 1s, 2s, 3s, 4s
tiles at hand       the best series of placements for each colour, the wild tiles shared out so that the sum is highest; in
                    each colour one of the tiles may go to a star of several colours
after a pass        the same for the tiles kept, by the rules of the next round
phase 1             a little for each wild tile, and the first-player token; a part of what one more tile of a colour would bring
payments            the one is imagined after which the evaluation is highest
tiles owed          so many points each, until they are chosen
==================  ====================================================================================================================

The weights, here and in ``plans``, were found by an evolution strategy: it raised the mean score of games in which all seats are greedy, of
all numbers of players and on both sides of the board at once. Over 400 games each, a seat scores

=============  ===========  =============  ============
..             two players  three players  four players
=============  ===========  =============  ============
coloured side  92           84             75
grey side      100          95             86
=============  ===========  =============  ============
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.actions import MAX_LEGAL
from azul_duel_env.games.pavilion_mini.agents.plans import (
    FULL,
    MIXED,
    MOST_TILES,
    NEXT_TILE,
    NOT_ALLOWED,
    NUM_BITS,
    NUMBER_MASKS,
    NUMBERS,
    PLANS,
    PROGRESS,
    SPACES_AROUND,
    STRUCTURES,
    count_bits,
)
from azul_duel_env.games.pavilion_mini.chance import count_all
from azul_duel_env.games.pavilion_mini.components import (
    CENTRE,
    COLOURED,
    EMPTY,
    MULTICOLOURED_POINTS,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_ROUNDS,
    NUM_STARS,
    NUM_STRUCTURES,
    SPACE_NUMBER,
    STAR_COLOUR,
    STAR_POINTS,
    STAR_SIZE,
    STRUCTURE_KIND,
)
from azul_duel_env.games.pavilion_mini.engine import carry_out, list_legal
from azul_duel_env.games.pavilion_mini.placing import fewest_wilds, most_wilds
from azul_duel_env.games.pavilion_mini.stars import group_size, tiles_for_structures
from azul_duel_env.games.pavilion_mini.state import BONUS, GAME_OVER, PAY, TAKE
from azul_duel_env.games.pavilion_mini.taking import wild_colour
from azul_duel_env.jit import entry, rule, rule_with_arrays
from azul_duel_env.jit.rng import pick_best

TOKEN = 7.17  # points that the first-player token is worth
WILD_TAKEN = 0.19  # for each wild tile at hand in phase 1
MORE = 0.59  # how much of what one more tile of the colour would bring counts in phase 1
OWED = 4.89  # for each tile that is still to be taken from the supply
LATER = 0.39  # weight of what kept tiles may bring
KEEP_WILD = 1.16  # for each tile left of the colour that is wild next
AGAIN = 1.68  # taken off for a second placement in stars of several colours, which may want the same space

MOST_SHARED = 4
"""Wild tiles that are shared out between other colours: rows of values by wild tiles are tuples of one more."""
MOST_OWN = MOST_TILES - MOST_SHARED - 1
NONE = (NOT_ALLOWED,) * (MOST_SHARED + 1)
NOTHING = (0.0, *NONE[1:])
NO_SINGLES = (NOT_ALLOWED,) * STAR_SIZE


# The evaluation -------------------------------------------------------------------------------
@rule
def evaluate_seat(state, player):
    """Return the points that a player has and may hope for."""
    if state.stage == GAME_OVER:
        return float(state.scores[player])
    if state.stage == PAY and state.active == player:
        return evaluate_payments(state, player)
    return evaluate_tiles(state, player)


@rule
def evaluate_payments(state, player):
    """Return the evaluation after the payment that is best for it, with what is scored then; the state is as before afterwards."""
    space, colour, wild = int(state.space), int(state.colour), int(wild_colour(state))
    number = int(SPACE_NUMBER[state.grey, space])
    fewest, most = fewest_wilds(state, state.space, state.colour), most_wilds(state, state.space, state.colour)
    best = -np.inf
    state.boards[player, space] = colour
    owed = min(tiles_for_structures(state, player, space), count_all(state.supply))
    scored = group_size(state, player, space) + OWED * owed
    for wilds in range(fewest, most + 1):
        state.hands[player, wild] -= wilds
        state.hands[player, colour] -= number - wilds
        best = max(best, evaluate_tiles(state, player))
        state.hands[player, wild] += wilds
        state.hands[player, colour] += number - wilds
    state.boards[player, space] = EMPTY
    return best + scored


@rule
def evaluate_tiles(state, player):
    """Return the points of a player, and what the tiles on and beside the board promise."""
    filled, used = look_at_board(state, player)
    now = round_index(state)
    value = state.scores[player] + value_of_board(state.grey, filled, used, now)
    if state.passed[player] == 0 and state.stage >= TAKE:
        value += value_of_hand(state, player, filled, used, now)
    elif now + 1 < NUM_ROUNDS:  # the tiles are kept for the next round
        value += LATER * value_of_hand(state, player, filled, used, now + 1)
    if state.stage == TAKE:
        value += value_in_phase_1(state, player)
    if state.stage == BONUS and state.active == player:
        value += OWED * state.owed
    return value


@rule
def value_in_phase_1(state, player):
    """Return what the wild tiles taken, and the token, are worth beyond the plans that are possible already."""
    token = TOKEN if state.token == player else 0.0
    return WILD_TAKEN * state.hands[player, wild_colour(state)] + token


# The board ------------------------------------------------------------------------------------
# ``filled`` and ``used``: a bit for each space that is filled, and for each colour in each star (``6 * star + colour``). ``now`` is the
# round, from 0.
@rule
def round_index(state):
    """Return the round, from 0; that of the first before it has begun."""
    return max(int(state.round_number), 1) - 1


@rule
def promise_of_board(state, player):
    """Return what a player's board is worth and promises beyond the points on the track."""
    filled, used = look_at_board(state, player)
    return value_of_board(state.grey, filled, used, round_index(state))


@rule
def value_of_board(grey, filled, used, now):
    """Return what stars, structures and numbers are worth and promise."""
    return (
        value_of_stars(grey, filled, used, now) + value_of_structures(filled, now) + value_of_numbers(grey, filled, now)
    )


@rule
def look_at_board(state, player):
    """Return ``filled`` and ``used``."""
    filled, used = 0, 0
    for star in range(NUM_STARS):
        first = STAR_SIZE * star
        for space in range(first, first + STAR_SIZE):
            colour = int(state.boards[player, space])
            is_filled = int(colour != EMPTY)
            filled |= is_filled << space
            used |= is_filled << first + max(colour, 0)
    return filled, used


@rule
def in_star(bits, star):
    """Return the six bits of a star."""
    return bits >> STAR_SIZE * star & FULL


@rule
def kind_of(grey, star):
    """Return the kind of a star."""
    return 2 * int(grey) + int(star == CENTRE)


@rule
def bonus_of(grey, star, colours):
    """Return what a star brings if it is filled as it was begun (S34)."""
    if grey == COLOURED:
        return MULTICOLOURED_POINTS if star == CENTRE else int(STAR_POINTS[STAR_COLOUR[star]])
    for colour in range(NUM_COLOURS):
        if colours == 1 << colour:
            return int(STAR_POINTS[colour])
    return MULTICOLOURED_POINTS


@rule
def value_of_stars(grey, filled, used, now):
    """Return what the stars are worth and promise."""
    value = 0.0
    for star in range(NUM_STARS):
        mask = in_star(filled, star)
        if mask != 0:
            bonus = bonus_of(grey, star, in_star(used, star))
            value += bonus * PROGRESS[now, kind_of(grey, star), mask] + NEXT_TILE[now, mask]
    return value


@rule
def value_of_structures(filled, now):
    """Return what the structures promise that are not closed."""
    value = 0.0
    for structure in range(NUM_STRUCTURES):
        spaces = 0
        for k in range(SPACES_AROUND.shape[1]):
            spaces += filled >> SPACES_AROUND[structure, k] & 1
        value += STRUCTURES[now, STRUCTURE_KIND[structure], spaces]
    return value


@rule
def value_of_numbers(grey, filled, now):
    """Return what the numbers are worth and promise."""
    value = 0.0
    for number in range(1, NUM_NUMBERS + 1):
        value += NUMBERS[now, grey, number, count_bits(filled & NUMBER_MASKS[grey, number])]
    return value


# Tiles at hand --------------------------------------------------------------------------------
# Rows of values are tuples: what a colour brings with 0, 1, ... 4 wild tiles.
@rule
def value_of_hand(state, player, filled, used, now):
    """Return what the tiles at hand bring in round ``now``, the wild ones shared out so that the sum is highest."""
    hand = state.hands[player]
    wild = int(state.wild_order[now])
    alone, mixed = NOTHING, NONE  # of the colours so far: without a tile in a star of several colours, and with some
    for colour in range(NUM_COLOURS):
        own = min(int(hand[colour]), MOST_OWN)
        if own > 0 and colour != wild:
            plan, with_mixed = plans_of(state, filled, used, now, colour, own)
            mixed = higher(combine(mixed, plan), combine(higher(alone, less(mixed, AGAIN)), with_mixed))
            alone = combine(alone, plan)
    return with_wild_tiles(state, filled, used, now, min(int(hand[wild]), MOST_OWN), alone, mixed)


@rule
def with_wild_tiles(state, filled, used, now, wilds, alone, mixed):
    """Return the highest sum of what wild tiles bring as tiles of their own colour and, shared out, to the others."""
    wild = int(state.wild_order[now])
    either = higher(alone, mixed)
    best = either[wilds] if wilds <= MOST_SHARED else NOT_ALLOWED
    for shared in range(min(wilds - 1, MOST_SHARED) + 1):
        plan, with_mixed = plans_of(state, filled, used, now, wild, wilds - shared)
        best = max(best, either[shared] + plan[0], max(alone[shared], mixed[shared] - AGAIN) + with_mixed[0])
    return best


@rule
def plans_of(state, filled, used, now, colour, own):
    """Return what ``own`` tiles of a colour bring: in a star of that colour alone, and with one of them in a star of several."""
    grey = state.grey
    more = MORE if state.stage == TAKE else 0.0
    kept = PLANS[now, 0, 0, FULL]
    best, rest, plan, singles = kept, kept, row_from(kept, own, more), NO_SINGLES
    for star in range(NUM_STARS):
        mask, colours = in_star(filled, star), in_star(used, star)
        kind = kind_of(grey, star)
        if takes_alone(grey, star, colours, colour):
            values = PLANS[now, kind, int(own > 1), mask]
            plan = higher(plan, row_from(values, own, more))
            if own > 1 and is_better(values, best, own):
                best, rest = values, PLANS[now, kind, int(own > 2), mask]
        elif takes_mixed(grey, star, colours, mask, colour):
            singles = higher_singles(singles, MIXED[now, kind, mask])
    if now + 1 < NUM_ROUNDS and colour == state.wild_order[now + 1]:
        plan = (max(plan[0], KEEP_WILD * own), plan[1], plan[2], plan[3], plan[4])
    with_mixed = (
        with_single(singles, rest, own),
        with_single(singles, rest, own + 1),
        with_single(singles, rest, own + 2),
        with_single(singles, rest, own + 3),
        with_single(singles, rest, own + 4),
    )
    return plan, with_mixed


@rule
def takes_alone(grey, star, colours, colour):
    """Return whether a colour may go to a star as its only one (S22, S38)."""
    if grey == COLOURED:
        return star != CENTRE and STAR_COLOUR[star] == colour
    return colours in (0, 1 << colour)


@rule
def takes_mixed(grey, star, colours, mask, colour):
    """Return whether a colour may go to a star beside others (S22, S38, SR13)."""
    if grey == COLOURED and star != CENTRE:
        return False
    is_single = grey != COLOURED and NUM_BITS[colours] == 1 and NUM_BITS[mask] > 1
    return colours >> colour & 1 == 0 and not is_single


@rule
def with_single(singles, rest, tiles):
    """Return the best of one tile in a star of several colours and the plan ``rest`` for the others of ``tiles``."""
    best = NOT_ALLOWED
    for number in range(1, min(tiles, STAR_SIZE) + 1):
        best = max(best, singles[number - 1] + rest[tiles - number])
    return best


@rule
def is_better(values, best, own):
    """Return whether a star is better than another for ``own`` tiles, or as good and better with wild ones."""
    with_wilds = own + MOST_SHARED
    return values[own] > best[own] or (values[own] == best[own] and values[with_wilds] > best[with_wilds])


# Rows -----------------------------------------------------------------------------------------
@rule
def row_from(values, own, more):
    """Return a row of values by tiles, from ``own`` tiles on; of what one more tile would bring the share ``more`` counts."""
    return (
        values[own] + more * (values[own + 1] - values[own]),
        values[own + 1] + more * (values[own + 2] - values[own + 1]),
        values[own + 2] + more * (values[own + 3] - values[own + 2]),
        values[own + 3] + more * (values[own + 4] - values[own + 3]),
        values[own + 4] + more * (values[own + 5] - values[own + 4]),
    )


@rule
def less(row, cost):
    """Return a row less a cost."""
    return (row[0] - cost, row[1] - cost, row[2] - cost, row[3] - cost, row[4] - cost)


@rule
def higher(one, other):
    """Return the higher of two rows, value by value."""
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
        max(one[4], other[4]),
    )


@rule
def higher_singles(one, other):
    """Return the higher of a tuple by number, from 1, and a row of ``MIXED``."""
    return (
        max(one[0], other[1]),
        max(one[1], other[2]),
        max(one[2], other[3]),
        max(one[3], other[4]),
        max(one[4], other[5]),
        max(one[5], other[6]),
    )


@rule
def combine(one, other):
    """Return the row of two that share the wild tiles so that their sum is highest."""
    return (
        one[0] + other[0],
        max(one[0] + other[1], one[1] + other[0]),
        max(one[0] + other[2], one[1] + other[1], one[2] + other[0]),
        max(one[0] + other[3], one[1] + other[2], one[2] + other[1], one[3] + other[0]),
        max(one[0] + other[4], one[1] + other[3], one[2] + other[2], one[3] + other[1], one[4] + other[0]),
    )


# The choice -----------------------------------------------------------------------------------
@rule
def rate_actions(states, i, legal, values):
    """Write the legal actions into ``legal`` (int16, MAX_LEGAL) and how good each is into ``values`` (float64); return how many."""
    count = list_legal(states[i], legal)
    rate_listed(states, i, legal, count, values)
    return count


@rule_with_arrays
def rate_listed(states, i, legal, count, values):
    """Write into ``values`` (float64) the evaluation of the seat that decides after each of the actions ``legal[:count]``.

    The ply ends before anything is drawn.
    """
    player = states[i].player
    scratch = np.empty(MAX_LEGAL, np.int16)
    trial = states[i : i + 1].copy()
    for k in range(count):
        trial[0] = states[i]
        trial[0].explicit_chance = 1
        carry_out(trial[0], legal[k], scratch)
        values[k] = evaluate_seat(trial[0], player)


@rule_with_arrays
def best_action(states, i, key):
    """Return the action after which the evaluation is highest; among equals ``key`` (uint64) decides."""
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    count = rate_actions(states, i, legal, values)
    return np.int64(legal[pick_best(key, values, count)])


@entry
def choose_greedily(states, i, key):
    """Return the action after which the evaluation is highest; among equals ``key`` (uint64) decides."""
    return best_action(states, i, key)
