"""That the dome tiles drawn from the stack and put back fit the stage, and who knows which (R4, R5)."""

from __future__ import annotations

from azul_duel_env.games.duel.components import (
    EMPTY,
    KIND_OF,
    MAX_HAND,
    MAX_PUT_BACK,
    NUM_DOME_TILES,
    UNKNOWN,
)
from azul_duel_env.games.duel.dome_tiles import may_draw_again
from azul_duel_env.games.duel.knowledge import count_put_back
from azul_duel_env.games.duel.state import (
    DRAWING,
    FRONT,
    KEEPING,
    NO_CHANCE,
    NOBODY,
    PLACING,
    RETURNING,
)
from azul_duel_env.jit import rule


@rule
def drawing_right(state):
    """The hand, the tile kept and those returned agree with the stage; only face-down tiles are known to somebody alone."""
    stage = state.stage
    if (state.hand_size > 0) != (stage in (DRAWING, KEEPING, RETURNING)) or (state.kept != EMPTY) != (
        stage in (RETURNING, PLACING)
    ):
        return False
    if stage == DRAWING and state.chance == NO_CHANCE and not may_draw_again(state, state.active):
        return False
    if state.kept != EMPTY and state.looked_at[state.active, state.kept] == 0:
        return False
    for tile in range(NUM_DOME_TILES):
        if state.looked_at[0, tile] + state.looked_at[1, tile] > 0 and not is_hidden(state, tile):
            return False
    return hand_right(state)


@rule
def hand_right(state):
    """What was drawn has a kind; fronts are known of what somebody put back, which lay below all others, and after looking (R4)."""
    for place in range(MAX_HAND):
        tile = state.hand[place]
        whose = state.hand_from[place]
        if place >= state.hand_size:
            if tile != EMPTY or whose != NOBODY or state.hand_kinds[place] != UNKNOWN:
                return False
        elif tile == UNKNOWN:
            if state.hand_kinds[place] == UNKNOWN or whose != NOBODY or not may_be_unseen(state, place):
                return False
        elif state.hand_kinds[place] != KIND_OF[tile] or not is_known_rightly(state, tile, whose):
            return False
    return True


@rule
def may_be_unseen(state, place):
    """Return whether nobody may have seen the front of a tile in the hand: those drawn from below it came later."""
    if state.stage == KEEPING:
        return state.chance == FRONT
    return state.stage == DRAWING and (place == 0 or state.hand[place - 1] == UNKNOWN)


@rule
def is_known_rightly(state, tile, whose):
    """Return whether a tile in the hand, whose front is known, was put back by a player or looked at by the drawer."""
    if whose != NOBODY and state.looked_at[whose, tile] == 0:
        return False
    if state.stage == DRAWING:
        return whose != NOBODY and state.stack_unseen == 0
    return whose == state.active or (state.stage == KEEPING and state.chance == FRONT)


@rule
def is_hidden(state, tile):
    """Return whether a dome tile lies among those put back, in the hand or kept."""
    for place in range(count_put_back(state)):
        if state.put_back[place] == tile:
            return True
    for place in range(state.hand_size):
        if state.hand[place] == tile:
            return True
    return state.kept == tile


@rule
def order_right(state):
    """Places after the last are empty; each tile put back has its player, who knows it; returns of one player start where marked."""
    count = count_put_back(state)
    for place in range(MAX_PUT_BACK):
        filled = place < count
        whose = state.put_back_by[place]
        if (state.put_back[place] != EMPTY) != filled or (whose != NOBODY) != filled:
            return False
        if not filled:
            if state.put_back_starts[place] == 1:
                return False
            continue
        goes_on = state.put_back_starts[place] == 0
        if state.looked_at[whose, state.put_back[place]] == 0 or (goes_on and not follows_own(state, place)):
            return False
    return return_right(state, count)


@rule
def follows_own(state, place):
    """Return whether the tile above one that was put back has the same player."""
    return place > 0 and state.put_back_by[place - 1] == state.put_back_by[place]


@rule
def return_right(state, count):
    """The tiles put back in the action under way are the last ones, one return of the player whose turn it is (R5)."""
    if state.returned == 0:
        return True
    start = count - state.returned
    if start < 0 or state.stage not in (RETURNING, PLACING) or state.put_back_starts[start] == 0:
        return False
    for place in range(start, count):
        if state.put_back_by[place] != state.active or (place > start and state.put_back_starts[place] == 1):
            return False
    return True
