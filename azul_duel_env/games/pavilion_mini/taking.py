"""Phase 1: taking tiles from a factory or from the centre (RULES C.2)."""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, TAKE_TILES
from azul_duel_env.games.pavilion_mini.chance import has_any, move_all
from azul_duel_env.games.pavilion_mini.components import NUM_COLOURS
from azul_duel_env.games.pavilion_mini.state import IN_CENTRE
from azul_duel_env.jit import rule


@rule
def wild_colour(state):
    """Return the colour that is wild in this round (S8)."""
    return state.wild_order[max(int(state.round_number), 1) - 1]


@rule
def list_takes(state, out):
    """Write the legal takes, ascending, into ``out``; return how many."""
    count = 0
    for factory in range(len(state.factories)):
        count = list_takes_from(state.factories[factory], factory, wild_colour(state), out, count)
    return list_takes_from(state.centre, CENTRE_SOURCE, wild_colour(state), out, count)


@rule
def list_takes_from(tiles, source, wild, out, count):
    """List the takes from one source: a colour that is not wild, or the wild one where there is nothing else (S10, S11, S13, S14)."""
    before = count
    for colour in range(NUM_COLOURS):
        if tiles[colour] > 0 and colour != wild:
            out[count] = TAKE_TILES + NUM_COLOURS * source + colour
            count += 1
    if count == before and tiles[wild] > 0:
        out[count] = TAKE_TILES + NUM_COLOURS * source + wild
        count += 1
    return count


@rule
def carry_out_take(state, action):
    """Take tiles, and let the next player take, or phase 1 end."""
    source = (action - TAKE_TILES) // NUM_COLOURS
    colour = (action - TAKE_TILES) % NUM_COLOURS
    if source == CENTRE_SOURCE:
        taken = take_tiles(state, state.centre, colour)
        if state.token == IN_CENTRE:
            take_token(state, taken)
    else:
        take_tiles(state, state.factories[source], colour)
        move_all(state.factories[source], state.centre)  # S12
    state.active = (state.active + 1) % len(state.scores)


@rule
def take_tiles(state, tiles, colour):
    """Take all tiles of a colour and one wild one, or, of the wild colour, exactly one (S10, S11, S13); return how many."""
    wild = wild_colour(state)
    hand = state.hands[state.active]
    taken = 0
    if colour != wild:
        taken = int(tiles[colour])
        hand[colour] += tiles[colour]
        tiles[colour] = 0
    if tiles[wild] > 0:
        hand[wild] += 1
        tiles[wild] -= 1
        taken += 1
    return taken


@rule
def take_token(state, taken):
    """Take the first-player token from the centre, at a point a tile (S15)."""
    state.token = state.active
    lose_points(state, state.active, taken)


@rule
def lose_points(state, player, points):
    """Take points from a player, of whom nobody falls below 0 (S17, SR2)."""
    state.scores[player] = max(int(state.scores[player]) - points, 0)  # SR2


@rule
def all_taken(state):
    """Return whether centre and factories are empty (S18)."""
    if has_any(state.centre):
        return False
    for factory in range(len(state.factories)):
        if has_any(state.factories[factory]):
            return False
    return True
