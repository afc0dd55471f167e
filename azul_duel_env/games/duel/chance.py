"""Chance: what must be drawn now, with which odds, and what an outcome does.

Drawing an outcome and placing it are apart: the generator draws by default, with explicit chance somebody else says what came,
and both go through ``place_outcome``. Nothing is drawn before somebody sees it. A draw with one possible outcome is no draw.
"""

from __future__ import annotations

from math import comb

import numpy as np

from azul_duel_env.games.duel.components import (
    DISPLAY_SIZE,
    EMPTY,
    FACE_DOWN,
    FILL_ORDER,
    KIND_OF,
    LARGE,
    NUM_CHIP_KINDS,
    NUM_CHIPS,
    NUM_COLOURS,
    NUM_CONDITIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_KINDS,
    NUM_PLAYERS,
    NUM_ROUNDS,
    NUM_SCORING_TILES,
    NUM_SMALL,
    NUM_TILES,
    TILES_ON_LARGE,
    TILES_ON_SMALL,
    UNKNOWN,
)
from azul_duel_env.games.duel.state import (
    CHIP,
    CHOOSE_FIRST,
    CHOOSE_SCORING,
    FILL_FACTORIES,
    FIRST,
    FRONT,
    KEEPING,
    NO_CHANCE,
    NOBODY,
    REFILL_DISPLAY,
    SCORING,
    STACK_TOP,
    TILE,
)
from azul_duel_env.jit import rule
from azul_duel_env.jit.rng import below

NUM_OUTCOMES = np.array(
    [0, NUM_KINDS, NUM_DOME_TILES, 2**NUM_CONDITIONS, NUM_COLOURS, NUM_CHIP_KINDS, NUM_PLAYERS], np.int16
)
"""Outcomes of each kind of chance are 0 to this. An outcome of SCORING is a bit mask of conditions."""


def _tiles_in_mask(mask: int) -> int:
    """Return how many scoring tiles a mask of conditions uses; 0 if it uses two sides of one tile."""
    conditions = [c for c in range(NUM_CONDITIONS) if mask >> c & 1]
    tiles = {c % NUM_SCORING_TILES for c in conditions}
    return len(tiles) if len(tiles) == len(conditions) else 0


SCORING_TILES_IN_MASK = np.array([_tiles_in_mask(mask) for mask in range(2**NUM_CONDITIONS)], np.int8)

WAYS = np.array([[comb(n, k) for k in range(TILES_ON_LARGE)] for n in range(NUM_TILES)], np.int64)
"""int64 (65, 5): in how many ways k of n tiles can be drawn."""

TILES_A_FILL = TILES_ON_LARGE + NUM_SMALL * TILES_ON_SMALL
DRAWN_AGAIN = TILES_ON_LARGE - 1  # D17: the first tiles, of one colour, were all that the bag still held, and no draws
MAX_DRAWS = NUM_ROUNDS * TILES_A_FILL + (NUM_ROUNDS - 1) * DRAWN_AGAIN + NUM_CHIPS + 2 * NUM_DOME_TILES + 2
"""At most so many draws in a game, whatever comes: each fill of the factories, at most one large factory a preparation drawn again
(the bag of the setup is full), each chip, back and front once, the scoring tiles and the first player."""


# What is due ----------------------------------------------------------------------------------
@rule
def chance_due(state):
    """Return which kind of chance must decide before anything else can happen, or NO_CHANCE."""
    if state.stack_unseen > 0 and state.top_kind == UNKNOWN:
        return STACK_TOP  # R3
    if chip_to_reveal(state) != NOBODY:  # R17: one after the other, nobody chooses
        return CHIP
    stage = state.stage
    if stage == REFILL_DISPLAY:
        return FRONT if state.stack_unseen > 0 and empty_display_place(state) != NOBODY else NO_CHANCE
    if stage == KEEPING:
        return FRONT if unseen_place_in_hand(state) != NOBODY else NO_CHANCE
    if stage == FILL_FACTORIES:
        return TILE if factory_wants_tile(state) and has_any(state.bag) else NO_CHANCE
    if stage == CHOOSE_SCORING:
        return NO_CHANCE if has_any(state.scoring) else SCORING  # R40
    if stage == CHOOSE_FIRST:
        return FIRST if state.first_player == NOBODY else NO_CHANCE  # D19, R54
    return NO_CHANCE


@rule
def has_any(counts):
    """Return whether any count is above 0."""
    for i in range(len(counts)):
        if counts[i] > 0:
            return True
    return False


@rule
def count_all(counts):
    """Return the sum of some counts."""
    total = 0
    for i in range(len(counts)):
        total += counts[i]
    return total


@rule
def chip_to_reveal(state):
    """Return the first small factory whose chip lies face down although it has no tile left (D39, D43, D83), or NOBODY."""
    for factory in range(NUM_SMALL):
        if state.factory_chips[factory] == FACE_DOWN and is_bare(state, factory):
            return factory
    return NOBODY


@rule
def is_bare(state, factory):
    """Return whether a small factory has no tile on its sun and none on its moon."""
    return state.moons[factory, 0] == EMPTY and not has_any(state.suns[factory])


@rule
def empty_display_place(state):
    """Return the first empty place of the display, or NOBODY."""
    for place in range(DISPLAY_SIZE):
        if state.display[place] == EMPTY:
            return place
    return NOBODY


@rule
def unseen_place_in_hand(state):
    """Return the first drawn dome tile whose front nobody has seen, or NOBODY."""
    for place in range(state.hand_size):
        if state.hand[place] == UNKNOWN:
            return place
    return NOBODY


@rule
def factory_wants_tile(state):
    """Return whether the factory being filled has fewer tiles than it should (D16)."""
    if state.filling == NUM_FACTORIES:
        return False
    factory = FILL_ORDER[state.filling]
    wanted = TILES_ON_LARGE if factory == LARGE else TILES_ON_SMALL
    return count_all(state.suns[factory]) < wanted


# Odds -----------------------------------------------------------------------------------------
@rule
def chance_weight(state, chance, outcome):
    """Return the integer weight of an outcome; its probability is this over the sum of all."""
    if chance == TILE:
        return tile_weight(state, outcome)
    if chance == CHIP:
        return np.int64(state.chips_unseen[outcome])
    if chance == STACK_TOP:
        return np.int64(unseen_of_kind(state, outcome))
    if chance == FRONT:
        return np.int64(state.fronts_unseen[outcome] == 1 and KIND_OF[outcome] == kind_looked_at(state))
    if chance == SCORING:
        return np.int64(SCORING_TILES_IN_MASK[outcome] == state.num_scoring_tiles)  # R39, R40
    return np.int64(1)


@rule
def tile_weight(state, colour):
    """Return the weight of a colour for the next tile: the tiles of it in the bag, times the ways to fill the large factory after it.

    The ways that end with five tiles of one colour don't count (D17), so nothing need be drawn again. Each tile counts once for a
    small factory; for fewer than five tiles (R10); if the bag holds one colour (R9); and when the tower has come into the bag midway.
    """
    tiles = np.int64(state.bag[colour])
    left = count_all(state.bag) - 1
    if FILL_ORDER[state.filling] != LARGE or state.tipped_midway == 1 or tiles == 0 or left == tiles - 1:  # R9
        return tiles
    lying = count_all(state.suns[LARGE])
    others = TILES_ON_LARGE - 1 - lying
    if left < others:  # R10, or the tower will be tipped in midway
        return tiles
    ways = WAYS[left, others]
    if state.suns[LARGE, colour] == lying:
        ways -= WAYS[tiles - 1, others]  # D17
    return tiles * ways  # 65 * WAYS[64, 4] in all, far below 2**32


@rule
def unseen_of_kind(state, kind):
    """Return how many dome tiles of a kind nobody has looked at, less those in the hand, whose backs are known."""
    count = 0
    for tile in range(NUM_DOME_TILES):
        if state.fronts_unseen[tile] == 1 and KIND_OF[tile] == kind:
            count += 1
    for place in range(state.hand_size):
        if state.hand[place] == UNKNOWN and state.hand_kinds[place] == kind:
            count -= 1
    return count


@rule
def kind_looked_at(state):
    """Return the kind, known from its back, of the dome tile whose front is about to be seen."""
    if state.stage == KEEPING:
        return state.hand_kinds[unseen_place_in_hand(state)]
    return state.top_kind


@rule
def total_weight(state, chance):
    """Return the sum of all weights, and the outcome if only one is possible, else NOBODY."""
    total = 0
    only = NOBODY
    for outcome in range(NUM_OUTCOMES[chance]):
        weight = chance_weight(state, chance, outcome)
        if weight > 0:
            only = outcome if total == 0 else NOBODY
            total += weight
    return total, only


@rule
def draw_outcome(state, chance, total):
    """Draw an outcome with the state's own generator."""
    left = below(state, total)
    outcome = -1
    while left >= 0:
        outcome += 1
        left -= chance_weight(state, chance, outcome)
    return outcome


# What an outcome does -------------------------------------------------------------------------
@rule
def place_outcome(state, chance, outcome):
    """Let an outcome happen."""
    state.chance = NO_CHANCE
    if chance == TILE:
        state.bag[outcome] -= 1
        state.suns[FILL_ORDER[state.filling], outcome] += 1
    elif chance == STACK_TOP:
        state.top_kind = outcome
    elif chance == FRONT:
        place_front(state, outcome)
    elif chance == CHIP:
        state.factory_chips[chip_to_reveal(state)] = outcome
        state.chips_unseen[outcome] -= 1
    elif chance == SCORING:
        for condition in range(NUM_CONDITIONS):
            state.scoring[condition] = (outcome >> condition) & 1
    else:
        state.first_player = outcome


@rule
def place_front(state, tile):
    """Look at the front of a dome tile: one drawn into the hand, or the top of the stack, which goes to the display."""
    state.fronts_unseen[tile] = 0
    if state.stage == KEEPING:
        state.hand[unseen_place_in_hand(state)] = tile
    else:
        state.display[empty_display_place(state)] = tile
        state.stack_unseen -= 1
        state.top_kind = UNKNOWN
