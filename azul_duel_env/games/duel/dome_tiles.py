"""Action A of phase 1 (RULES A.4): take a dome tile from the display, or draw from the stack, and place it."""

from __future__ import annotations

from azul_duel_env.games.duel.actions import (
    DOME_CHOOSE,
    DOME_DISPLAY,
)
from azul_duel_env.games.duel.components import (
    DISPLAY_SIZE,
    EMPTY,
    KIND_OF,
    NUM_ROTATIONS,
    NUM_SLOTS,
    UNKNOWN,
)
from azul_duel_env.games.duel.setup import lift_put_back, make_public
from azul_duel_env.games.duel.state import (
    DRAWING,
    KEEPING,
    NOBODY,
    OPENING,
    PLACING,
    REFILL_DISPLAY,
    RETURNING,
    TURN_OVER,
)
from azul_duel_env.jit import rule


@rule
def take_from_display(state, player, place, slot, rotation):
    """Take a face-up dome tile, free, and place it (D26, D27, D31)."""
    tile = state.display[place]
    state.display[place] = EMPTY
    place_dome_tile(state, player, tile, slot, rotation)
    if state.stage == OPENING:
        state.stage = REFILL_DISPLAY  # D20, R48; no token (D22)
    else:
        state.tokens[player] -= 1  # D25
        state.stage = TURN_OVER


@rule
def place_dome_tile(state, player, tile, slot, rotation):
    """Put a dome tile on an empty slot of the dome, in any rotation (D31, D32, R52)."""
    state.domes[player, slot] = NUM_ROTATIONS * tile + rotation
    make_public(state, tile)


@rule
def may_draw_first(state, player):
    """Return whether a player with a token may draw from the stack (D26, R1)."""
    if stack_is_empty(state):
        return False
    return may_pay_for_draw(state, player) or not has_face_up(state)  # R1, R7: a token always finds a dome tile


@rule
def may_draw_again(state, player):
    """Return whether a player who is drawing may draw one more (D28, R1, R2)."""
    return not stack_is_empty(state) and may_pay_for_draw(state, player)  # R1, R2


@rule
def may_pay_for_draw(state, player):
    """Return whether a player's points allow a draw (R1)."""
    return state.zero_point_draw_free == 1 or state.scores[player] > 0  # R1


@rule
def stack_is_empty(state):
    """Return whether no dome tile is left in the stack."""
    return state.stack_unseen == 0 and state.put_back[0] == EMPTY


@rule
def has_face_up(state):
    """Return whether the display holds a dome tile."""
    for place in range(DISPLAY_SIZE):
        if state.display[place] != EMPTY:
            return True
    return False


@rule
def draw_dome_tile(state, player):
    """Pay 1 point at once (D28, R8) and take the top dome tile of the stack without looking at its front."""
    if state.stage != DRAWING:
        state.tokens[player] -= 1
        state.stage = DRAWING
    state.scores[player] = max(0, state.scores[player] - 1)  # D28, R8
    place = state.hand_size
    if state.stack_unseen > 0:
        state.hand[place] = UNKNOWN
        state.hand_kinds[place] = state.top_kind  # D29
        state.stack_unseen -= 1
        state.top_kind = UNKNOWN
    else:
        state.hand_from[place] = state.put_back_by[0]
        state.hand[place] = lift_put_back(state)
        state.hand_kinds[place] = KIND_OF[state.hand[place]]
    state.hand_size += 1


@rule
def look_at_hand(state, player):
    """Let the drawer see the fronts of all drawn dome tiles (D30), and nobody else (R4)."""
    for place in range(state.hand_size):
        state.looked_at[player, state.hand[place]] = 1  # R4: nobody else
        state.hand_from[place] = player


@rule
def keep_drawn(state, tile):
    """Keep exactly one of the drawn dome tiles (D30, R6)."""
    state.kept = tile
    state.returned = 0
    drop_from_hand(state, tile)
    state.stage = RETURNING


@rule
def put_under_stack(state, player, tile):
    """Put a drawn dome tile under the stack, below all others (D30, R5)."""
    place = 0
    while state.put_back[place] != EMPTY:
        place += 1
    state.put_back[place] = tile  # R5: in the order that the drawer chooses
    state.put_back_by[place] = player
    state.put_back_starts[place] = state.returned == 0 or place == 0
    state.returned += 1
    drop_from_hand(state, tile)


@rule
def drop_from_hand(state, tile):
    """Take a dome tile out of the hand and close the gap."""
    place = 0
    while state.hand[place] != tile:
        place += 1
    last = state.hand_size - 1
    while place < last:
        state.hand[place] = state.hand[place + 1]
        state.hand_kinds[place] = state.hand_kinds[place + 1]
        state.hand_from[place] = state.hand_from[place + 1]
        place += 1
    state.hand[last] = EMPTY
    state.hand_kinds[last] = UNKNOWN
    state.hand_from[last] = NOBODY
    state.hand_size = last


@rule
def place_kept(state, player, slot, rotation):
    """Place the kept dome tile (D31)."""
    place_dome_tile(state, player, state.kept, slot, rotation)
    state.kept = EMPTY
    state.returned = 0
    state.stage = TURN_OVER


# What is legal, and how a draw goes on ---------------------------------------------------------
@rule
def list_display(state, player, out, count):
    """Append the actions for each face-up dome tile."""
    for place in range(DISPLAY_SIZE):
        if state.display[place] != EMPTY:
            count = list_slots(state, player, DOME_DISPLAY + place * NUM_SLOTS * NUM_ROTATIONS, out, count)
    return count


@rule
def list_slots(state, player, first, out, count):
    """Append the actions for each empty slot and rotation (R52)."""
    for slot in range(NUM_SLOTS):
        if state.domes[player, slot] == EMPTY:  # R52
            for rotation in range(NUM_ROTATIONS):
                out[count] = first + slot * NUM_ROTATIONS + rotation
                count += 1
    return count


@rule
def list_hand(state, out):
    """Write the actions for each drawn dome tile in the hand, ascending."""
    count = 0
    for place in range(state.hand_size):
        action = DOME_CHOOSE + state.hand[place]
        at = count
        while at > 0 and out[at - 1] > action:
            out[at] = out[at - 1]
            at -= 1
        out[at] = action
        count += 1
    return count


@rule
def choose_drawn(state, player, tile):
    """Keep a drawn dome tile, or, when one is kept, put this one under the stack."""
    if state.stage == KEEPING:
        keep_drawn(state, tile)
    else:
        put_under_stack(state, player, tile)


@rule
def needs_choice_in_drawing(state, player):
    """Go on with a draw as far as there is nothing to choose; return whether the player must choose (D28, D30)."""
    stage = state.stage
    if stage == DRAWING:
        if may_draw_again(state, player):
            return True
        state.stage = KEEPING
    elif stage == KEEPING:
        look_at_hand(state, player)
        if state.hand_size > 1:
            return True
        keep_drawn(state, state.hand[0])
    elif stage == RETURNING:
        if state.hand_size > 1:
            return True
        if state.hand_size == 1:
            put_under_stack(state, player, state.hand[0])
        state.stage = PLACING
    return False
