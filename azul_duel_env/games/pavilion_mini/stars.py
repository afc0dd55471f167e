"""The stars of a player board: what may lie where, what a tile scores, and which structures it closes (RULES C.3, C.5, G.3)."""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.components import (
    ALL_COLOURS,
    CENTRE,
    COLOURED,
    EMPTY,
    STAR_COLOUR,
    STAR_SIZE,
    STRUCTURE_KIND,
    STRUCTURE_SPACES,
    STRUCTURE_TILES,
    STRUCTURES_AT,
)
from azul_duel_env.jit import rule


@rule
def colours_for(state, player, star):
    """Return the set of colours that may be placed in a star, as a bit mask (S22, S38, SR13)."""
    if state.grey == COLOURED and star != CENTRE:
        return 1 << STAR_COLOUR[star]
    used, tiles = colours_in(state, player, star)
    if state.grey == COLOURED or (used & (used - 1)) != 0:  # a star of several colours: all differ
        return ALL_COLOURS & ~used  # SR12: the wild colour too
    return used if tiles > 1 else ALL_COLOURS  # SR13


@rule
def colours_in(state, player, star):
    """Return the set of colours that lie in a star, as a bit mask, and how many tiles."""
    used = 0
    tiles = 0
    for position in range(STAR_SIZE):
        colour = state.boards[player, STAR_SIZE * star + position]
        if colour != EMPTY:
            used |= 1 << colour
            tiles += 1
    return used, tiles


@rule
def group_size(state, player, space):
    """Return how many tiles of a star hang together with the one on a space, itself included; a star is a ring (S26)."""
    first = space - space % STAR_SIZE
    position = space % STAR_SIZE
    clockwise = 1
    while clockwise < STAR_SIZE and state.boards[player, first + (position + clockwise) % STAR_SIZE] != EMPTY:
        clockwise += 1
    if clockwise == STAR_SIZE:
        return STAR_SIZE
    back = 1
    while state.boards[player, first + (position - back) % STAR_SIZE] != EMPTY:
        back += 1
    return clockwise + back - 1


@rule
def tiles_for_structures(state, player, space):
    """Return how many tiles of the supply the structures bring that the tile on a space has closed (S27, SR4)."""
    tiles = 0
    for k in range(2):
        structure = STRUCTURES_AT[space, k]
        if structure != EMPTY and is_closed(state, player, structure):
            tiles += STRUCTURE_TILES[STRUCTURE_KIND[structure]]  # SR4
    return tiles


@rule
def is_closed(state, player, structure):
    """Return whether all spaces around a structure are filled."""
    for k in range(4):
        space = STRUCTURE_SPACES[structure, k]
        if space != EMPTY and state.boards[player, space] == EMPTY:
            return False
    return True
