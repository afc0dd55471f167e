"""Where points come from: what a score did in each stage of a turn, and full stars and numbers one by one."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.actions import MAX_LEGAL
from azul_duel_env.games.pavilion_mini.components import COLOURS, EMPTY, NUM_NUMBERS, NUM_STARS
from azul_duel_env.games.pavilion_mini.engine import goes_on
from azul_duel_env.games.pavilion_mini.scoring import full_star, number_points, star_points
from azul_duel_env.games.pavilion_mini.state import DISCARD, PAY, PLACE, STAGES, TAKE, TURN_OVER
from azul_duel_env.games.pavilion_mini.steps import decide_if_legal
from azul_duel_env.jit import entry, rule

SOURCES = {
    "tiles": "tiles placed",
    "token": "the first-player token, as far as there were points to lose",
    "thrown_tiles": "tiles thrown away, as far as there were points to lose",
    "stars_and_numbers": "full stars and numbers at the end",
}
"""Source -> what it is; besides, everybody starts with ``START_SCORE`` points."""
TILES, TOKEN, THROWN_TILES, STARS_AND_NUMBERS = range(len(SOURCES))

SOURCE_OF = np.full(len(STAGES), TILES, np.int64)
"""int64 (stages,): the source of points that a score wins or loses in a stage; in those not named here none does."""
SOURCE_OF[PAY] = TILES
SOURCE_OF[TAKE] = TOKEN
SOURCE_OF[PLACE] = THROWN_TILES  # who passes
SOURCE_OF[DISCARD] = THROWN_TILES
SOURCE_OF[TURN_OVER] = STARS_AND_NUMBERS  # the last turn of the game

STAR_KINDS = (*COLOURS, "multicoloured")
"""Names of what ``scoring.full_star`` returns."""
BONUSES = (*(f"{kind}_star" for kind in STAR_KINDS), *(f"all_{number}s" for number in range(1, NUM_NUMBERS + 1)))
"""Full stars by colour, and numbers."""


@rule
def book_scores(state, source, sign, book):
    """Add all scores, or take them away, in a column of the book."""
    for player in range(len(state.scores)):
        book[player, source] += sign * state.scores[player]


@entry
def carry_out_booked(states, i, action, book):
    """Carry out a legal action and go on to the next decision or, with explicit chance, the next draw.

    Args:
        states: one of them is changed as ``entries.try_action`` does.
        i: which.
        action: a legal one; an illegal one changes nothing.
        book: int64 (players, sources); what each player gained or lost is added.
    """
    state = states[i]
    legal = np.empty(MAX_LEGAL, np.int16)
    source = SOURCE_OF[state.stage]
    book_scores(state, source, -1, book)
    going = decide_if_legal(state, action, legal)
    book_scores(state, source, 1, book)
    while going:
        source = SOURCE_OF[state.stage]
        book_scores(state, source, -1, book)
        going = goes_on(state, legal)
        book_scores(state, source, 1, book)


@entry
def final_points(states, i, player, kinds, points):
    """Write what a player's board brings at the end.

    Args:
        states: the states; they are not changed.
        i: which.
        player: whose.
        kinds: int64 (NUM_STARS,): place in STAR_KINDS of each star, or EMPTY if it is not full.
        points: int64 (NUM_STARS + NUM_NUMBERS,): of each star, and then of each number.
    """
    state = states[i]
    for star in range(NUM_STARS):
        kinds[star] = full_star(state, player, star)
        points[star] = star_points(state, player, star)
    for number in range(1, NUM_NUMBERS + 1):
        points[NUM_STARS + number - 1] = number_points(state, player, number)


def final_points_of(states: np.ndarray, i: int, player: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the kinds of a player's stars, their points, and the points of the numbers, as ``final_points`` writes them."""
    kinds, points = np.empty(NUM_STARS, np.int64), np.empty(NUM_STARS + NUM_NUMBERS, np.int64)
    final_points(states, i, player, kinds, points)
    return kinds, points[:NUM_STARS], points[NUM_STARS:]


def bonus_points(states: np.ndarray, i: int, player: int, points: np.ndarray) -> None:
    """Write what full stars of each colour, and each number, bring a player as the board is, into ``points`` (int64, bonuses)."""
    kinds, stars, numbers = final_points_of(states, i, player)
    points[: len(STAR_KINDS)] = 0
    for kind, given in zip(kinds, stars, strict=True):
        if kind != EMPTY:
            points[kind] += given
    points[len(STAR_KINDS) :] = numbers


def bonuses_in_play(states: np.ndarray, i: int) -> np.ndarray:  # noqa: ARG001 # as ScoreBreakdown is called
    """Return which bonuses are in play (bool, bonuses): all of them, on both sides of the board."""
    return np.ones(len(BONUSES), bool)
