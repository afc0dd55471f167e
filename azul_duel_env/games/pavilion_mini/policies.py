"""Policies for sub-decisions: small rules that choose one of the legal actions, so that nobody needs to be asked.

Each takes a state in which its kind of decision is due. They remember nothing: the hand that they look at is as it is now, with what came
and went a moment ago.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.actions import DISCARD_TILE, PASS, PAY_WILDS, TAKE_BONUS
from azul_duel_env.games.pavilion_mini.components import NUM_COLOURS, NUM_ROUNDS
from azul_duel_env.games.pavilion_mini.placing import excess, fewest_wilds, most_wilds
from azul_duel_env.games.pavilion_mini.state import NOBODY
from azul_duel_env.games.pavilion_mini.taking import wild_colour
from azul_duel_env.jit import rule

NO_COLOUR = NOBODY


@rule
def next_wild_colour(state):
    """Return the colour that is wild in the next round; NO_COLOUR in the last one."""
    return int(state.wild_order[state.round_number]) if state.round_number < NUM_ROUNDS else NO_COLOUR


# Payments -------------------------------------------------------------------------------------
@rule
def pay_fewest_wilds(state):
    """Return the payment with the fewest wild tiles."""
    return PAY_WILDS + fewest_wilds(state, state.space, state.colour)


@rule
def keep_next_wild(state):
    """Return the payment that keeps most tiles of the colour that is wild in the next round.

    It has the most wild tiles if that colour is the one that is placed, and the fewest if it is not, or in the last round.
    """
    if state.colour == next_wild_colour(state):
        return PAY_WILDS + most_wilds(state, state.space, state.colour)
    return pay_fewest_wilds(state)


# Tiles from the supply ------------------------------------------------------------------------
@rule
def most_useful(state):
    """Return the tile to take next from the supply: of the most useful ones that may still be taken, as many as are owed, the first.

    Wild tiles are most useful, then those of the colour that the hand has most of, of several such the first in the order of colours.
    """
    for colour in range(state.lowest, NUM_COLOURS):
        if state.supply[colour] > 0 and count_more_useful(state, colour) < state.owed:
            return TAKE_BONUS + colour
    return TAKE_BONUS + NUM_COLOURS - 1  # never reached: so many tiles are there


@rule
def count_more_useful(state, colour):
    """Return how many tiles of the supply that may still be taken are more useful than those of a colour."""
    tiles = 0
    for other in range(state.lowest, NUM_COLOURS):
        if is_more_useful(state, other, colour):
            tiles += state.supply[other]
    return tiles


@rule
def is_more_useful(state, one, other):
    """Return whether a tile of one colour is more useful in this round than one of another."""
    wild = wild_colour(state)
    if one == wild or other == wild:
        return other != wild
    hand = state.hands[state.active]
    return hand[one] > hand[other] or (hand[one] == hand[other] and one < other)


# Tiles thrown at a pass -----------------------------------------------------------------------
@rule
def least_useful(state):
    """Return the tile to throw next, of the least useful ones that may still be thrown, as many as must be, the first; PASS if none must.

    Tiles of the colour that the hand has fewest of are least useful, of several such those of the first in the order of colours; but
    last come those of the colour that is wild in the next round.
    """
    wanted = excess(state)
    if wanted > 0 and state.round_number < NUM_ROUNDS:
        for colour in range(state.lowest, NUM_COLOURS):
            if state.hands[state.active, colour] > 0 and count_less_useful(state, colour) < wanted:
                return DISCARD_TILE + colour
    return np.int64(PASS)


@rule
def count_less_useful(state, colour):
    """Return how many tiles of the hand that may still be thrown are less useful than those of a colour."""
    tiles = 0
    for other in range(state.lowest, NUM_COLOURS):
        if is_less_useful(state, other, colour):
            tiles += state.hands[state.active, other]
    return tiles


@rule
def is_less_useful(state, one, other):
    """Return whether a tile of one colour is less useful in the next round than one of another."""
    wild = next_wild_colour(state)
    if one == wild or other == wild:
        return one != wild
    hand = state.hands[state.active]
    return hand[one] < hand[other] or (hand[one] == hand[other] and one < other)
