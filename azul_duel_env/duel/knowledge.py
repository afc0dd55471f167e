"""What each player may know, and drawing anew what a player may not.

All is public in Azul Duel (R49) but three things. Two are decided only when somebody sees them, so no state holds them: the bag's order
and face-down chips, and the dome tiles in the stack that nobody has looked at. The third is in the state: the fronts of dome tiles
that a player looked at and did not place (R4). Of those a player knows

* the identity and place of each tile that he put back himself;
* of each return of the other player: how many special and how many wild tiles are left of it, not their order (R5);
* of the tiles that he has looked at and the other put back later: that they are among those the other put back or holds.
  In which of several returns such a tile lies is not remembered.

A player who has not yet stopped drawing knows the fronts of those drawn tiles that he had put back himself.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env._jit import entry, rule
from azul_duel_env.duel.components import (
    EMPTY,
    KIND_OF,
    MAX_HAND,
    MAX_PUT_BACK,
    NUM_DOME_TILES,
    NUM_KINDS,
    UNKNOWN,
)
from azul_duel_env.duel.state import DRAWING
from azul_duel_env.rng import below

MAX_HIDDEN = MAX_HAND + MAX_PUT_BACK


@rule
def knows_hand_tile(state, viewer, place):
    """Return whether the viewer knows the front of a drawn dome tile (D29, D30, R4)."""
    if state.hand_from[place] == viewer:  # R4
        return True  # put back by the viewer before, or looked at by him after stopping
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
@rule
def resample_state(state, viewer, word):
    """Draw anew all that the viewer does not know, with the right odds, and give the state another generator.

    The order in which the other player puts tiles back is taken as random.
    """
    state.rng = word  # R49: nobody knows what will be drawn
    places = np.empty(MAX_HIDDEN, np.int16)
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


@rule
def shuffle_kinds(state, viewer):
    """Shuffle each return of the other player, and what he is choosing from; only the kinds at their places matter here."""
    shown = put_back_shown(state, viewer)
    start = 0
    while start < shown:
        end = start + 1
        while end < shown and state.put_back_starts[end] == 0:
            end += 1
        if state.put_back_by[start] != viewer:
            top_is_visible = start == 0 and state.stack_unseen == 0  # R3
            shuffle(state, start + 1 if top_is_visible else start, end)  # R5: their order is not known
        start = end
    if state.active != viewer and state.stage != DRAWING:
        shuffle_choice(state, shown)


@rule
def shuffle(state, start, end):
    """Shuffle the dome tiles put back from one place up to before another."""
    for place in range(end - 1, start, -1):
        swap_places(state, place, start + below(state, place - start + 1))


@rule
def shuffle_choice(state, shown):
    """Shuffle what the other player drew in this action: tiles put back so far, in the hand, kept."""
    places = np.empty(MAX_HIDDEN + 1, np.int16)
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
    for last in range(count - 1, 0, -1):
        swap_places(state, places[last], places[below(state, last + 1)])


@rule
def swap_places(state, first, second):
    """Swap two dome tiles."""
    tile = tile_in(state, first)
    put_in(state, first, tile_in(state, second))
    put_in(state, second, tile)


@rule
def redraw_fronts(state, viewer, places, kind):
    """Draw anew the hidden tiles of one kind: those the viewer has seen before stay among them, the others may be any unseen one."""
    other = 1 - viewer
    chosen = np.empty(NUM_DOME_TILES, np.int16)
    pool = np.empty(NUM_DOME_TILES, np.int16)
    num_chosen = 0
    num_pool = 0
    wanted = 0
    for place in places:
        tile = tile_in(state, place)
        if KIND_OF[tile] != kind:
            continue
        wanted += 1
        if state.looked_at[viewer, tile] == 1:
            chosen[num_chosen] = tile
            num_chosen += 1
        else:
            pool[num_pool] = tile
            num_pool += 1
            state.fronts_unseen[tile] = 1
            state.looked_at[other, tile] = 0
    for tile in range(NUM_DOME_TILES):
        if state.fronts_unseen[tile] == 1 and KIND_OF[tile] == kind and not contains(pool[:num_pool], tile):
            pool[num_pool] = tile
            num_pool += 1
    while num_chosen < wanted:
        at = below(state, num_pool)
        chosen[num_chosen] = pool[at]
        num_pool -= 1
        pool[at] = pool[num_pool]
        state.fronts_unseen[chosen[num_chosen]] = 0
        state.looked_at[other, chosen[num_chosen]] = 1
        num_chosen += 1
    deal(state, places, kind, chosen, num_chosen)


@rule
def contains(tiles, wanted):
    """Return whether a dome tile is among some."""
    for tile in tiles:
        if tile == wanted:
            return True
    return False


@rule
def deal(state, places, kind, chosen, count):
    """Deal the chosen tiles at random to the places that hold a tile of this kind."""
    for place in places:
        if KIND_OF[tile_in(state, place)] == kind:
            at = below(state, count)
            put_in(state, place, chosen[at])
            count -= 1
            chosen[at] = chosen[count]


@entry
def resample(states, i, viewer, word):
    """Draw anew, in place, what the viewer can't tell apart in one state; ``word`` (uint64) is its new generator."""
    resample_state(states[i], viewer, word)
