"""Phase 2: placing tiles, paying for them, tiles from the supply, and passing (RULES C.3)."""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.actions import (
    DISCARD_TILE,
    PASS,
    PAY_WILDS,
    PLACE_TILE,
    TAKE_BONUS,
)
from azul_duel_env.games.pavilion_mini.chance import count_all, move_all
from azul_duel_env.games.pavilion_mini.components import (
    CORNERS,
    EMPTY,
    NUM_COLOURS,
    NUM_ROUNDS,
    NUM_STARS,
    NUM_TILES,
    SPACE_NUMBER,
    STAR_SIZE,
)
from azul_duel_env.games.pavilion_mini.stars import colours_for, group_size, tiles_for_structures
from azul_duel_env.games.pavilion_mini.state import BONUS, DISCARD, PAY, TURN_OVER
from azul_duel_env.games.pavilion_mini.taking import lose_points, wild_colour
from azul_duel_env.jit import rule


# What can be placed ---------------------------------------------------------------------------
@rule
def tiles_towards(state, player, colour):
    """Return how many tiles can be spent to place a colour: of it and wild ones, but none without one of it (S23, S24)."""
    own = int(state.hands[player, colour])
    wild = wild_colour(state)
    return own if own == 0 or colour == wild else own + int(state.hands[player, wild])


@rule
def list_placements(state, player, out):
    """Write what a player can place, ascending, into ``out``; return how many."""
    grey = state.grey
    at_hand = 0  # colours, as a bit mask
    for colour in range(NUM_COLOURS):
        at_hand |= int(state.hands[player, colour] > 0) << colour
    count = 0
    for star in range(NUM_STARS):
        colours = colours_for(state, player, star) & at_hand
        if colours == 0:
            continue
        for space in range(STAR_SIZE * star, STAR_SIZE * (star + 1)):
            if state.boards[player, space] == EMPTY:  # S21
                count = list_colours(state, player, space, SPACE_NUMBER[grey, space], colours, out, count)
    return count


@rule
def list_colours(state, player, space, number, colours, out, count):
    """List the colours that a player can place on a space that costs ``number`` tiles (S20)."""
    for colour in range(NUM_COLOURS):
        if (colours >> colour) & 1 and tiles_towards(state, player, colour) >= number:
            out[count] = PLACE_TILE + NUM_COLOURS * space + colour
            count += 1
    return count


@rule
def can_place_on(state, player, space, colour):
    """Return whether a player can place a colour on a space (S20 to S22)."""
    if state.boards[player, space] != EMPTY or not (colours_for(state, player, space // STAR_SIZE) >> colour) & 1:
        return False
    return tiles_towards(state, player, colour) >= SPACE_NUMBER[state.grey, space]


@rule
def can_place(state, player):
    """Return whether a player can place anything."""
    for star in range(NUM_STARS):
        colours = colours_for(state, player, star)
        lowest = lowest_number(state, player, star)
        for colour in range(NUM_COLOURS):
            if (colours >> colour) & 1 and tiles_towards(state, player, colour) >= lowest:
                return True
    return False


@rule
def lowest_number(state, player, star):
    """Return the lowest number on an empty space of a star, or more than anybody can pay if it is full."""
    lowest = NUM_TILES + 1
    for space in range(STAR_SIZE * star, STAR_SIZE * (star + 1)):
        if state.boards[player, space] == EMPTY:
            lowest = min(lowest, int(SPACE_NUMBER[state.grey, space]))
    return lowest


# Placing and paying ---------------------------------------------------------------------------
@rule
def choose_space(state, action):
    """Choose a space and the colour that is placed there; the payment comes next."""
    space = (action - PLACE_TILE) // NUM_COLOURS
    colour = (action - PLACE_TILE) % NUM_COLOURS
    if space != state.space or colour != state.colour:
        state.wilds = EMPTY  # chosen for another placement
    state.space = space
    state.colour = colour
    state.stage = PAY


@rule
def forget_placement(state):
    """Forget what was chosen of a placement."""
    state.space = EMPTY
    state.colour = EMPTY
    state.wilds = EMPTY


@rule
def fewest_wilds(state, space, colour):
    """Return how many wild tiles it takes at least to place a colour on a space (S23, SR11)."""
    if colour == wild_colour(state):
        return 0
    return max(int(SPACE_NUMBER[state.grey, space]) - int(state.hands[state.active, colour]), 0)  # SR11


@rule
def most_wilds(state, space, colour):
    """Return how many wild tiles it takes at most: one tile at least has the placed colour (S23, SR11)."""
    wild = wild_colour(state)
    if colour == wild:
        return 0
    return min(int(SPACE_NUMBER[state.grey, space]) - 1, int(state.hands[state.active, wild]))  # SR11


@rule
def list_payments(state, out):
    """Write the legal payments, ascending, into ``out``; return how many."""
    fewest = fewest_wilds(state, state.space, state.colour)
    count = most_wilds(state, state.space, state.colour) - fewest + 1
    for k in range(count):
        out[k] = PAY_WILDS + fewest + k
    return count


@rule
def pay(state, wilds):
    """Pay for the chosen space, place the tile, score it, and let structures bring tiles (S20, S24, S26, S27)."""
    player, space, colour = state.active, state.space, state.colour
    own = int(SPACE_NUMBER[state.grey, space]) - wilds
    wild = wild_colour(state)
    state.hands[player, colour] -= own
    state.deposit[colour] += own - 1
    state.hands[player, wild] -= wilds
    state.deposit[wild] += wilds
    state.boards[player, space] = colour
    state.scores[player] += group_size(state, player, space)  # SR23: without an upper end
    forget_placement(state)
    state.owed = min(tiles_for_structures(state, player, space), count_all(state.supply))  # SR3
    state.stage = BONUS


# Tiles from the supply ------------------------------------------------------------------------
@rule
def list_from(tiles, lowest, wanted, first, out, count):
    """List the next of ``wanted`` tiles that are taken in the order of colours, none before ``lowest`` (SR24); ids begin at ``first``.

    No colour is listed after which too few tiles would follow.
    """
    left = 0
    for colour in range(lowest, NUM_COLOURS):
        left += tiles[colour]
    for colour in range(lowest, NUM_COLOURS):
        if tiles[colour] > 0 and left >= wanted:  # SR24
            out[count] = first + colour
            count += 1
        left -= tiles[colour]
    return count


@rule
def list_bonus(state, out):
    """Write which tile may come next from the supply, ascending, into ``out``; return how many."""
    return list_from(state.supply, state.lowest, state.owed, TAKE_BONUS, out, 0)  # SR20: wild tiles too


@rule
def take_bonus(state, colour):
    """Take a tile from the supply (S27)."""
    state.supply[colour] -= 1
    state.hands[state.active, colour] += 1
    state.owed -= 1
    state.lowest = colour


@rule
def end_turn(state):
    """Let the supply be filled, and then the next player come."""
    state.owed = 0
    state.lowest = 0
    state.stage = TURN_OVER  # SR5, SR22: after a pass too


# Passing --------------------------------------------------------------------------------------
@rule
def excess(state):
    """Return how many tiles whoever passes must throw at least: all but four, or, in the last round, all (S29, SR7)."""
    tiles = count_all(state.hands[state.active])
    return tiles if state.round_number == NUM_ROUNDS else max(tiles - CORNERS, 0)


@rule
def list_passing(state, out, count):
    """List the ways to pass, or to go on with passing: to throw no more tiles, or which one comes next."""
    if state.round_number == NUM_ROUNDS:  # SR7: nothing is asked
        out[count] = PASS
        return count + 1
    wanted = excess(state)
    if wanted == 0:  # SR9
        out[count] = PASS
        count += 1
    if wanted > 0 or state.keep_any == 1:  # SR6, SR29, SR31
        count = list_from(state.hands[state.active], state.lowest, wanted, DISCARD_TILE, out, count)
    return count


@rule
def pass_turn(state):
    """Place no more in this round (S29)."""
    forget_placement(state)
    state.passed[state.active] = 1
    state.stage = DISCARD


@rule
def throw_tile(state, colour):
    """Throw a tile into the deposit, for a point (S29)."""
    state.hands[state.active, colour] -= 1
    state.deposit[colour] += 1
    state.lowest = colour
    lose_points(state, state.active, 1)


@rule
def keep_the_rest(state):
    """End a pass: what is left stays for the next round, or, in the last one, is thrown (SR7)."""
    if state.round_number == NUM_ROUNDS:
        lose_points(state, state.active, count_all(state.hands[state.active]))  # SR7, SR8: before stars score
        move_all(state.hands[state.active], state.deposit)
    end_turn(state)
