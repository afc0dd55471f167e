"""The points at the end of the game: full stars, and spaces with one number (RULES C.4)."""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.components import (
    EMPTY,
    MULTICOLOURED_POINTS,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_SPACES,
    NUM_STARS,
    NUMBER_POINTS,
    SPACE_NUMBER,
    STAR_POINTS,
    STAR_SIZE,
)
from azul_duel_env.games.pavilion_mini.stars import colours_in
from azul_duel_env.jit import rule

MULTICOLOURED = NUM_COLOURS
"""What a full star of six colours is called beside the colours of the others."""


@rule
def full_star(state, player, star):
    """Return the colour of a full star, MULTICOLOURED if all its colours differ, or EMPTY if it is not full (SR13)."""
    used, tiles = colours_in(state, player, star)
    if tiles < STAR_SIZE:
        return EMPTY
    for colour in range(NUM_COLOURS):
        if used == 1 << colour:
            return colour
    return MULTICOLOURED


@rule
def star_points(state, player, star):
    """Return what a star brings at the end: by its colour, or 12 if all its colours differ; 0 unless it is full (S34, SR14)."""
    kind = full_star(state, player, star)
    if kind == EMPTY:
        return 0
    return MULTICOLOURED_POINTS if kind == MULTICOLOURED else int(STAR_POINTS[kind])  # SR14


@rule
def number_points(state, player, number):
    """Return what a number from 1 to 4 brings at the end, if all its spaces are filled (S35, SR15)."""
    for space in range(NUM_SPACES):
        if SPACE_NUMBER[state.grey, space] == number and state.boards[player, space] == EMPTY:  # SR15
            return 0
    return int(NUMBER_POINTS[number])


@rule
def score_the_end(state):
    """Score full stars and numbers; nobody has tiles left on the corners (S34, S35, SR7)."""
    for player in range(len(state.scores)):
        for star in range(NUM_STARS):
            state.scores[player] += star_points(state, player, star)
        for number in range(1, NUM_NUMBERS + 1):
            state.scores[player] += number_points(state, player, number)


@rule
def rank(state, player):
    """Return the place of a player of a finished game, from 1, by points alone; equal players share one (S37, SR26)."""
    ahead = 0
    for other in range(len(state.scores)):
        ahead += state.scores[other] > state.scores[player]  # SR26
    return 1 + ahead
