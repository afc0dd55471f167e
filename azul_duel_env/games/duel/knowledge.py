"""What each player may know, and drawing anew what a player may not.

All is public in Azul Duel (R49) but three things. Two are decided only when somebody sees them, so no state holds them: the bag's order
and face-down chips, and the dome tiles in the stack that nobody has looked at. The third is in the state: the fronts of dome tiles
that a player looked at and did not place (R4). Of those a player knows

* the identity and place of each tile that they put back themselves;
* of each return of the other player: how many special and how many wild tiles are left of it, not their order (R5);
* of the tiles that they have looked at and the other put back later: that they are among those the other put back or holds.
  In which of several returns such a tile lies is not remembered.

A player who has not yet stopped drawing knows the fronts of those drawn tiles that they had put back themselves.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.components import (
    EMPTY,
    KIND_OF,
    MAX_HAND,
    MAX_PUT_BACK,
    NUM_DOME_TILES,
    NUM_KINDS,
    UNKNOWN,
)
from azul_duel_env.games.duel.state import DRAWING, NO_CHANCE
from azul_duel_env.jit import rule, rule_with_arrays
from azul_duel_env.jit.rng import below

MAX_HIDDEN = MAX_HAND + MAX_PUT_BACK


@rule
def knows_hand_tile(state, viewer, place):
    """Return whether the viewer knows the front of a drawn dome tile (D29, D30, R4)."""
    if state.hand_from[place] == viewer:  # R4
        return True  # put back by the viewer before, or looked at by them after stopping
    return state.active == viewer and state.stage != DRAWING


@rule
def count_put_back(state):
    """Return how many dome tiles have been put back under the stack."""
    count = 0
    while count < MAX_PUT_BACK and state.put_back[count] != EMPTY:
        count += 1
    return count


@rule
def put_back_shown(state, viewer):
    """Return how many of the tiles put back the viewer sees as such: the other's return counts only once it is complete (R5)."""
    count = count_put_back(state)
    return count if state.active == viewer else count - state.returned


# Drawing anew ---------------------------------------------------------------------------------
@rule_with_arrays
def resample_state(state, viewer, key):
    """Draw anew all that the viewer does not know, with the right odds, and give the state another generator.

    The order in which the other player puts tiles back is taken as random. The result depends on what the viewer knows and on
    ``key`` alone, so that an agent that resamples first can't choose by what it doesn't know.
    """
    state.rng = key  # R49: nobody knows what will be drawn
    places = np.empty(MAX_HIDDEN + 1, np.int64)
    count = list_hidden(state, viewer, places)
    if count == 0:
        return
    shuffle_kinds(state, viewer)
    for kind in range(NUM_KINDS):
        redraw_fronts(state, viewer, places[:count], kind)


@rule
def list_hidden(state, viewer, places):
    """List where dome tiles lie that the other player knows and the viewer doesn't: see ``tile_in``."""
    count = 0
    for place in range(count_put_back(state)):
        if state.put_back_by[place] != viewer:
            places[count] = place
            count += 1
    for place in range(state.hand_size):
        if state.hand[place] != UNKNOWN and not knows_hand_tile(state, viewer, place):
            places[count] = MAX_PUT_BACK + place
            count += 1
    if state.kept != EMPTY and state.active != viewer:
        places[count] = MAX_HIDDEN
        count += 1
    return count


@rule
def tile_in(state, place):
    """Return the dome tile in a place: first those put back, then the hand, last the tile kept."""
    if place < MAX_PUT_BACK:
        return state.put_back[place]
    return state.hand[place - MAX_PUT_BACK] if place < MAX_HIDDEN else state.kept


@rule
def put_in(state, place, tile):
    """Put a dome tile in a place, numbered as in ``tile_in``."""
    if place < MAX_PUT_BACK:
        state.put_back[place] = tile
    elif place < MAX_HIDDEN:
        state.hand[place - MAX_PUT_BACK] = tile
        state.hand_kinds[place - MAX_PUT_BACK] = KIND_OF[tile]
    else:
        state.kept = tile


@rule_with_arrays
def shuffle_kinds(state, viewer):
    """Shuffle each return of the other player, and what they are choosing from; only the kinds at their places matter here."""
    shown = put_back_shown(state, viewer)
    start = 0
    while start < shown:
        end = start + 1
        while end < shown and state.put_back_starts[end] == 0:
            end += 1
        if state.put_back_by[start] != viewer:
            top_is_visible = start == 0 and state.stack_unseen == 0  # R3
            shuffle(state, np.arange(start + 1 if top_is_visible else start, end))  # R5: their order is not known
        start = end
    if (
        state.active != viewer and state.stage != DRAWING and state.chance == NO_CHANCE
    ):  # fronts not seen yet have no order
        shuffle_choice(state, shown)


@rule_with_arrays
def shuffle_choice(state, shown):
    """Shuffle what the other player drew in this action: tiles put back so far, in the hand, kept."""
    places = np.empty(MAX_HIDDEN + 1, np.int64)
    count = 0
    for place in range(shown, shown + state.returned):
        places[count] = place
        count += 1
    for place in range(state.hand_size):
        places[count] = MAX_PUT_BACK + place
        count += 1
    if state.kept != EMPTY:
        places[count] = MAX_HIDDEN
        count += 1
    shuffle(state, places[:count])


@rule
def shuffle(state, places):
    """Shuffle the dome tiles in some places, sorted by kind first: what comes out must not depend on what lay there."""
    for last in range(len(places) - 1, 0, -1):
        for k in range(last):
            if KIND_OF[tile_in(state, places[k])] > KIND_OF[tile_in(state, places[k + 1])]:
                swap_places(state, places[k], places[k + 1])
    for last in range(len(places) - 1, 0, -1):
        swap_places(state, places[last], places[below(state, last + 1)])


@rule
def swap_places(state, first, second):
    """Swap two dome tiles."""
    tile = tile_in(state, first)
    put_in(state, first, tile_in(state, second))
    put_in(state, second, tile)


@rule_with_arrays
def redraw_fronts(state, viewer, places, kind):
    """Draw anew the hidden tiles of one kind: those the viewer has seen before stay among them, the others may be any unseen one."""
    chosen = np.empty(NUM_DOME_TILES, np.int64)
    pool = np.empty(NUM_DOME_TILES, np.int64)
    wanted = give_back(state, viewer, places, kind)
    num_chosen = 0
    num_pool = 0
    for tile in range(NUM_DOME_TILES):  # in the order of their numbers: the result must not depend on what lay where
        if KIND_OF[tile] == kind and state.fronts_unseen[tile] == 1:
            if state.looked_at[viewer, tile] == 1:
                chosen[num_chosen] = tile
                num_chosen += 1
            else:
                pool[num_pool] = tile
                num_pool += 1
    while num_chosen < wanted:
        at = below(state, num_pool)
        chosen[num_chosen] = pool[at]
        num_chosen += 1
        num_pool -= 1
        pool[at] = pool[num_pool]
    deal(state, viewer, places, kind, chosen, wanted)


@rule
def give_back(state, viewer, places, kind):
    """Count the hidden tiles of one kind as unseen for now; return how many there are."""
    count = 0
    for place in places:
        tile = tile_in(state, place)
        if KIND_OF[tile] == kind:
            state.fronts_unseen[tile] = 1
            state.looked_at[1 - viewer, tile] = 0
            count += 1
    return count


@rule
def deal(state, viewer, places, kind, chosen, count):
    """Deal the chosen tiles at random to the places that hold a tile of this kind."""
    for place in places:
        if KIND_OF[tile_in(state, place)] == kind:
            at = below(state, count)
            tile = chosen[at]
            count -= 1
            chosen[at] = chosen[count]
            put_in(state, place, tile)
            state.fronts_unseen[tile] = 0
            state.looked_at[1 - viewer, tile] = 1
