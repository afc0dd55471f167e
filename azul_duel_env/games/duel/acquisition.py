"""Phase 1, acquisition (RULES A.4 to A.9): actions A to D, the placing of tiles, passing and the end of the phase."""

from __future__ import annotations

from azul_duel_env.games.duel.actions import (
    BONUS_TAKE,
    DOME_CHOOSE,
    DOME_DISPLAY,
    DOME_DRAW,
    DOME_PLACE,
    DOME_STOP,
    MOON,
    MOON_ORDER,
    SUN,
)
from azul_duel_env.games.duel.chance import count_all, has_any
from azul_duel_env.games.duel.components import (
    BROKEN,
    BROKEN_SPACES,
    CHIPS_PER_ROUND,
    EMPTY,
    FACE_DOWN,
    LARGE,
    MOON_HEIGHT,
    NO_CHIP,
    NUM_COLOURS,
    NUM_DESTINATIONS,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_ROTATIONS,
    NUM_SLOTS,
    NUM_SMALL,
)
from azul_duel_env.games.duel.dome_tiles import (
    choose_drawn,
    draw_dome_tile,
    list_display,
    list_hand,
    list_slots,
    may_draw_first,
    place_kept,
    take_from_display,
)
from azul_duel_env.games.duel.setup import give_turn
from azul_duel_env.games.duel.state import (
    DRAWING,
    EXAMINING,
    KEEPING,
    NOBODY,
    ON_LARGE_FACTORY,
    OPENING,
    ORDERING,
    PLACING,
    RETURNING,
    TURN_OVER,
)
from azul_duel_env.jit import rule

ANY_COLOUR = sum(1 << NUM_DESTINATIONS * colour for colour in range(NUM_COLOURS))
"""Bits of one destination for every colour: see ``destinations``."""


# Whose turn it is -----------------------------------------------------------------------------
@rule
def end_turn(state):
    """Give the turn to the other player, to the same one if only they can act (D57), or end the phase (D55, R19)."""
    other = 1 - state.active
    if can_act(state, other):
        give_turn(state, other)  # R19: the phase goes on
    elif can_act(state, state.active):  # D56: who can't act is passed over
        give_turn(state, state.active)
    else:
        state.active = state.first_player  # R20
        state.line = 0
        state.stage = EXAMINING


@rule
def can_act(state, player):
    """Return whether a player has any legal action in phase 1: a token, a chip to take, or a tile anywhere (D58)."""
    if state.tokens[player] > 0 or can_take_chip(state, player):
        return True
    for factory in range(NUM_FACTORIES):
        if has_any(state.suns[factory]):
            return True
    for factory in range(NUM_SMALL):
        if state.moons[factory, 0] != EMPTY:
            return True
    return has_any(state.large_moon)


@rule
def can_take_chip(state, player):
    """Return whether a player may take one of the revealed chips."""
    if state.chips_taken[player] >= CHIPS_PER_ROUND:  # D53, R18
        return False
    for factory in range(NUM_SMALL):
        if is_revealed(state.factory_chips[factory]):
            return True
    return False


@rule
def is_revealed(chip):
    """Return whether a factory's chip lies there face up."""
    return chip not in (NO_CHIP, FACE_DOWN)


# Action B: take from a sun --------------------------------------------------------------------
@rule
def take_from_sun(state, player, factory, colour, destination):
    """Take all tiles of a colour from one sun (D36); the other tiles there go to the moon of that factory (D37, D38)."""
    taken = state.suns[factory, colour]
    state.suns[factory, colour] = 0
    place_tiles(state, player, colour, taken, destination)
    if factory == LARGE:  # D40: the first-player tile stays
        for other in range(NUM_COLOURS):
            state.large_moon[other] += state.suns[LARGE, other]
            state.suns[LARGE, other] = 0
        state.stage = TURN_OVER
    else:
        state.ordering = factory
        state.stage = ORDERING


@rule
def stack_on_moon(state, factory, colour):
    """Put a remaining sun tile of a small factory on top of its moon stack (D37)."""
    height = 0
    while state.moons[factory, height] != EMPTY:
        height += 1
    state.moons[factory, height] = colour
    state.suns[factory, colour] -= 1


@rule
def go_on_ordering(state):
    """Stack what needs no choice; return whether the player is left with one: tiles of two or more colours."""
    factory = state.ordering
    colours = 0
    last = EMPTY
    for colour in range(NUM_COLOURS):
        if state.suns[factory, colour] > 0:
            colours += 1
            last = colour
    if colours > 1:
        return True
    while last != EMPTY and state.suns[factory, last] > 0:
        stack_on_moon(state, factory, last)
    state.ordering = NOBODY
    state.stage = TURN_OVER
    return False


# Action C: take from the moons ----------------------------------------------------------------
@rule
def moon_top(state, factory):
    """Return the colour on top of a small factory's moon, or EMPTY."""
    top = EMPTY
    for height in range(MOON_HEIGHT):  # to the end: how high a stack is can't be guessed
        tile = int(state.moons[factory, height])
        top = tile if tile != EMPTY else top
    return top


@rule
def colours_on_moons(state):
    """Return a bit for each colour that can be taken from the moons (D41)."""
    bits = 0
    for factory in range(NUM_SMALL):
        bits |= 1 << moon_top(state, factory) - EMPTY
    bits >>= -EMPTY  # the lowest bit stood for an empty moon
    for colour in range(NUM_COLOURS):
        bits |= int(state.large_moon[colour] > 0) << colour
    return bits


@rule
def take_from_moons(state, player, colour, destination):
    """Take every top tile of a colour from all moons (D41, D42, R16)."""
    taken = state.large_moon[colour]  # D42, R16: the large moon is never left out
    state.large_moon[colour] = 0
    if taken > 0 and state.first_player_tile == ON_LARGE_FACTORY:
        state.first_player_tile = player  # D44
    for factory in range(NUM_SMALL):
        if moon_top(state, factory) == colour:
            remove_moon_top(state, factory)
            taken += 1
    place_tiles(state, player, colour, taken, destination)
    state.stage = TURN_OVER


@rule
def remove_moon_top(state, factory):
    """Take the top tile off a small factory's moon."""
    height = MOON_HEIGHT - 1
    while state.moons[factory, height] == EMPTY:
        height -= 1
    state.moons[factory, height] = EMPTY


# Placing the tiles taken by B or C ------------------------------------------------------------
@rule
def destinations(state, player):
    """Return a bit, numbered ``7 * colour + destination``, for each place where tiles of a colour may go.

    A pattern line that is not full accepts any colour while it is empty, else its own (D47, D49, R15); the broken-tile space
    always accepts (D50).
    """
    bits = ANY_COLOUR << BROKEN
    for line in range(NUM_LINES):
        tiles = state.lines[player, line]
        if tiles == 0:
            bits |= ANY_COLOUR << line
        elif tiles <= line:  # R15: not when it is full
            bits |= 1 << (NUM_DESTINATIONS * int(state.line_colours[player, line]) + line)
    return bits


@rule
def place_tiles(state, player, colour, count, destination):
    """Put all tiles of one action on one pattern line, or all on the broken-tile space (D46, D50, R14)."""
    if destination == BROKEN:
        break_tiles(state, player, colour, count)
        return
    fitting = min(count, destination + 1 - state.lines[player, destination])  # R14: as many as fit
    state.lines[player, destination] += fitting
    state.line_colours[player, destination] = colour
    break_tiles(state, player, colour, count - fitting)  # D48


@rule
def break_tiles(state, player, colour, count):
    """Put tiles on the broken-tile space, which holds four; the others go to the tower (D51)."""
    room = BROKEN_SPACES - count_all(state.broken[player])
    breaking = min(count, room)
    state.broken[player, colour] += breaking
    state.tower[colour] += count - breaking


# Action D: take a bonus chip ------------------------------------------------------------------
@rule
def take_chip(state, player, factory):
    """Take a revealed chip from a small factory (D52)."""
    state.chips_up[player, state.factory_chips[factory]] += 1
    state.factory_chips[factory] = NO_CHIP
    state.chips_taken[player] += 1
    state.stage = TURN_OVER


# What is legal --------------------------------------------------------------------------------
@rule
def list_turn(state, player, out):
    """Write the legal actions of a turn, ascending, into ``out``; return how many (D24)."""
    count = 0
    where = destinations(state, player)
    for factory in range(NUM_FACTORIES):
        for colour in range(NUM_COLOURS):
            if state.suns[factory, colour] > 0:
                first = SUN + (factory * NUM_COLOURS + colour) * NUM_DESTINATIONS
                count = list_destinations(where, colour, first, out, count)
    on_moons = colours_on_moons(state)
    for colour in range(NUM_COLOURS):
        if on_moons >> colour & 1:
            count = list_destinations(where, colour, MOON + colour * NUM_DESTINATIONS, out, count)
    if state.tokens[player] > 0:
        count = list_display(state, player, out, count)
        if may_draw_first(state, player):
            out[count] = DOME_DRAW
            count += 1
    if state.chips_taken[player] < CHIPS_PER_ROUND:  # D53, R18
        for factory in range(NUM_SMALL):
            if is_revealed(state.factory_chips[factory]):
                out[count] = BONUS_TAKE + factory
                count += 1
    return count


@rule
def list_destinations(where, colour, first, out, count):
    """Append the actions, from id ``first`` on, for tiles of a colour; ``where`` are the bits of ``destinations``."""
    bits = where >> (NUM_DESTINATIONS * colour)
    for destination in range(NUM_DESTINATIONS):
        out[count] = first + destination
        count += bits >> destination & 1
    return count


@rule
def list_acquisition(state, player, out):
    """Write the legal actions of the decision that is due in the opening or in phase 1; return how many."""
    stage = state.stage
    if stage == OPENING:
        return list_display(state, player, out, 0)  # R53
    if stage == DRAWING:
        out[0] = DOME_DRAW
        out[1] = DOME_STOP
        return 2
    if stage in (KEEPING, RETURNING):
        return list_hand(state, out)  # D30, R5, R6: one of these, and no way back
    if stage == PLACING:
        return list_slots(state, player, DOME_PLACE, out, 0)
    if stage == ORDERING:
        count = 0
        for colour in range(NUM_COLOURS):
            if state.suns[state.ordering, colour] > 0:
                out[count] = MOON_ORDER + colour
                count += 1
        return count
    return list_turn(state, player, out)


# What happens ---------------------------------------------------------------------------------
@rule
def carry_out_acquisition(state, player, action):
    """Carry out one decision of the opening or of phase 1."""
    if action < MOON:
        source, destination = divmod(action - SUN, NUM_DESTINATIONS)
        factory, colour = divmod(source, NUM_COLOURS)
        take_from_sun(state, player, factory, colour, destination)
    elif action < DOME_DISPLAY:
        colour, destination = divmod(action - MOON, NUM_DESTINATIONS)
        take_from_moons(state, player, colour, destination)
    elif action < DOME_DRAW:
        place, where = divmod(action - DOME_DISPLAY, NUM_SLOTS * NUM_ROTATIONS)
        slot, rotation = divmod(where, NUM_ROTATIONS)
        take_from_display(state, player, place, slot, rotation)
    elif action < BONUS_TAKE:
        draw_dome_tile(state, player)
    elif action < DOME_STOP:
        take_chip(state, player, action - BONUS_TAKE)
    elif action < DOME_CHOOSE:
        state.stage = KEEPING
    elif action < DOME_PLACE:
        choose_drawn(state, player, action - DOME_CHOOSE)
    elif action < MOON_ORDER:
        slot, rotation = divmod(action - DOME_PLACE, NUM_ROTATIONS)
        place_kept(state, player, slot, rotation)
    else:
        stack_on_moon(state, state.ordering, action - MOON_ORDER)
