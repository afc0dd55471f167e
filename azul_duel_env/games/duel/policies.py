"""Policies for sub-decisions: small rules that choose one of the legal actions, so that nobody needs to be asked.

Each takes a state in which its kind of decision is due, and what is legal there; it looks at nothing that the player who decides may not
know.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.acquisition import moon_top
from azul_duel_env.games.duel.actions import CHIP_SPEND, MOON_ORDER, NUM_SOURCES
from azul_duel_env.games.duel.components import (
    BROKEN,
    CHIP_SHOWS,
    DOME_SIZE,
    NUM_COLOURS,
    NUM_DESTINATIONS,
    NUM_LINES,
    NUM_SMALL,
    WILD,
)
from azul_duel_env.games.duel.scoring import is_filled, space_at
from azul_duel_env.games.duel.tiling import row_has_all_dome_tiles
from azul_duel_env.jit import rule

COLOURS_SHOWN = CHIP_SHOWS.sum(axis=1).astype(np.int64)
ON_SUNS = NUM_SOURCES - NUM_COLOURS
WORST = -(2**30)


# Pattern-line placement -----------------------------------------------------------------------
@rule
def best_fit(state, legal, first, last):
    """Return the destination that suits the tiles best, of the actions ``legal[first:last]`` that take from one source.

    First come lines whose row has a free space for the colour, or still lacks a dome tile; among those the fewest tiles broken, then
    the fewest spaces left empty, then the longest line. The broken-tile space comes after every line.
    """
    colour = legal[first] // NUM_DESTINATIONS % NUM_COLOURS
    tiles = tiles_at(state, legal[first] // NUM_DESTINATIONS)
    chosen = legal[first]
    best = WORST
    for k in range(first, last):
        fit = fit_of(state, state.player, colour, tiles, legal[k] % NUM_DESTINATIONS)
        if fit > best:
            best = fit
            chosen = legal[k]
    return chosen


@rule
def tiles_at(state, source):
    """Return how many tiles are taken from a source."""
    colour = source % NUM_COLOURS
    if source < ON_SUNS:
        return int(state.suns[source // NUM_COLOURS, colour])
    tiles = int(state.large_moon[colour])
    for factory in range(NUM_SMALL):
        if moon_top(state, factory) == colour:
            tiles += 1
    return tiles


@rule
def fit_of(state, player, colour, tiles, destination):
    """Return how well a destination suits tiles of a colour: the order of ``best_fit`` as one number."""
    if destination == BROKEN:
        return WORST + 1
    room = destination + 1 - int(state.lines[player, destination])
    hopeful = 1 if may_take_colour(state, player, destination, colour) else 0
    return ((hopeful * 16 - max(0, tiles - room)) * 16 - max(0, room - tiles)) * 16 + destination


@rule
def may_take_colour(state, player, row, colour):
    """Return whether a row has a free space for a colour, or lacks a dome tile."""
    for column in range(DOME_SIZE):
        space = space_at(state, player, row, column)
        if is_filled(state, player, row, column) or (space != colour and space != WILD):
            continue
        return True
    return not row_has_all_dome_tiles(state, player, row)


# Bonus chips ----------------------------------------------------------------------------------
@rule
def fewest_chips(state, legal, first, last):
    """Return the bonus chip to turn over next, of the actions ``legal[first:last]``.

    Chips that show the line's colour come first, since two of them do for a tile instead of three; among those, and among the
    others, chips of one colour come before chips of two, then the lowest kind.
    """
    colour = state.line_colours[state.player, state.line]
    chosen = legal[first]
    best = WORST
    for k in range(first, last):
        chip = legal[k] - CHIP_SPEND
        worth = (2 if CHIP_SHOWS[chip, colour] else 0) + (1 if COLOURS_SHOWN[chip] == 1 else 0)
        if worth > best:
            best = worth
            chosen = legal[k]
    return chosen


# The order of a moon --------------------------------------------------------------------------
@rule
def useful_on_top(state, legal, count):
    """Return the colour to stack next, of ``legal[:count]``: those that the player's unfinished lines want most end up on top."""
    chosen = legal[0]
    least = tiles_wanted(state, state.player, legal[0] - MOON_ORDER)
    for k in range(1, count):
        wanted = tiles_wanted(state, state.player, legal[k] - MOON_ORDER)
        if wanted < least:
            least = wanted
            chosen = legal[k]
    return chosen


@rule
def tiles_wanted(state, player, colour):
    """Return how many tiles of a colour a player's unfinished pattern lines lack."""
    wanted = 0
    for line in range(NUM_LINES):
        if state.lines[player, line] > 0 and state.line_colours[player, line] == colour:
            wanted += line + 1 - int(state.lines[player, line])
    return wanted
