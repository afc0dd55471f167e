"""Setup (RULES A.2) and phase 3, preparation (A.14): what both do with the display, the bag and the factories."""

from __future__ import annotations

from azul_duel_env.games.duel.chance import count_all, empty_display_place, factory_wants_tile, has_any
from azul_duel_env.games.duel.components import (
    EMPTY,
    FACE_DOWN,
    FILL_ORDER,
    LARGE,
    LAST_DOME_ROUND,
    MAX_PUT_BACK,
    NUM_COLOURS,
    NUM_FACTORIES,
    NUM_PLAYERS,
    TILES_ON_LARGE,
    TOKENS_PER_ROUND,
)
from azul_duel_env.games.duel.state import (
    CHOOSE_SCORING,
    FILL_FACTORIES,
    NOBODY,
    ON_LARGE_FACTORY,
    OPENING,
    TURN,
    TURN_OVER,
)
from azul_duel_env.jit import rule


@rule
def refill_display(state):
    """Fill the display from the stack (D13, D20, D81); unseen tiles come by chance, this moves the ones put back."""
    place = empty_display_place(state)
    if place != NOBODY and state.put_back[0] != EMPTY:
        tile = lift_put_back(state)
        state.display[place] = tile
        make_public(state, tile)
    elif state.round_number > 0:
        state.filling = 0
        state.stage = FILL_FACTORIES
    elif state.active == NOBODY:
        state.stage = CHOOSE_SCORING
    else:
        next_opening(state)


@rule
def lift_put_back(state):
    """Take the uppermost of the dome tiles put back, once no unseen tile lies above them."""
    tile = state.put_back[0]
    for place in range(MAX_PUT_BACK - 1):
        state.put_back[place] = state.put_back[place + 1]
        state.put_back_by[place] = state.put_back_by[place + 1]
        state.put_back_starts[place] = state.put_back_starts[place + 1]
    state.put_back[MAX_PUT_BACK - 1] = EMPTY
    state.put_back_by[MAX_PUT_BACK - 1] = NOBODY
    state.put_back_starts[MAX_PUT_BACK - 1] = 0
    if state.put_back[0] != EMPTY:
        state.put_back_starts[0] = 1
    return tile


@rule
def make_public(state, tile):
    """Forget who has looked at a dome tile: everybody sees it now."""
    for player in range(NUM_PLAYERS):
        state.looked_at[player, tile] = 0


@rule
def fill_factory(state):
    """Go on filling the factories in their order (D16, D81, R12); the tiles themselves come by chance."""
    factory = FILL_ORDER[state.filling]
    if factory_wants_tile(state) and has_any(state.tower):
        state.tipped_midway = factory == LARGE and has_any(state.suns[LARGE])
        tip_tower_into_bag(state)  # D82, R50: only now that the bag is empty
    elif factory == LARGE and must_redraw(state):
        state.tipped_midway = 0
        return_to_bag(state)
    else:
        if factory != LARGE:
            state.factory_chips[factory] = FACE_DOWN  # D18, R13
        state.tipped_midway = 0
        state.filling += 1


@rule
def tip_tower_into_bag(state):
    """Put everything from the tower into the bag."""
    for colour in range(NUM_COLOURS):
        state.bag[colour] += state.tower[colour]
        state.tower[colour] = 0


@rule
def must_redraw(state):
    """Return whether five tiles of one colour lie on the large sun and the bag holds another colour (D17).

    That comes of the tower tipped in midway only: else the odds leave it out, as they do when these five are drawn again.
    """
    for colour in range(NUM_COLOURS):
        if state.suns[LARGE, colour] == TILES_ON_LARGE:  # R10: fewer than five tiles stay
            return count_all(state.bag) > state.bag[colour]  # R9: the tower does not count
    return False


@rule
def return_to_bag(state):
    """Put the tiles of the large sun back into the bag (D17)."""
    for colour in range(NUM_COLOURS):
        state.bag[colour] += state.suns[LARGE, colour]
        state.suns[LARGE, colour] = 0


@rule
def all_filled(state):
    """Return whether every factory has been filled, as far as the tiles went."""
    return state.filling == NUM_FACTORIES


@rule
def begin_opening(state):
    """Let the other player begin with the opening placements (D20)."""
    state.active = 1 - state.first_player
    state.stage = OPENING


@rule
def next_opening(state):
    """Go on after an opening placement: the first player is second (D21), then round 1 begins."""
    if state.active != state.first_player:
        state.active = state.first_player
        state.stage = OPENING
    else:
        begin_round(state)
        begin_acquisition(state)


@rule
def begin_round(state):
    """Set up what each round starts with (D81, D84): tokens, no chip taken, the holder of the first-player tile starts."""
    state.round_number += 1
    for player in range(NUM_PLAYERS):
        state.tokens[player] = TOKENS_PER_ROUND if state.round_number <= LAST_DOME_ROUND else 0  # D33
        state.chips_taken[player] = 0
    if state.first_player_tile != ON_LARGE_FACTORY:  # R11: else the same player starts again
        state.first_player = state.first_player_tile
        state.first_player_tile = ON_LARGE_FACTORY


@rule
def begin_acquisition(state):
    """Give the first turn of phase 1 to the first player (D24), after the same test as after every turn (R19)."""
    state.active = 1 - state.first_player
    state.stage = TURN_OVER  # R19


@rule
def give_turn(state, player):
    """Let a player take a turn."""
    state.active = player
    state.stage = TURN
