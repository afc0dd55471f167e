"""How many points and decisions a game can bring, and how many it can have brought by now (RULES E.2).

A state that keeps to these bounds keeps to them however it is played on: no score leaves the observation, and no game is as long as
``MAX_DECISIONS``.
"""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.chance import TILES_OF_STRUCTURES, count_all
from azul_duel_env.games.pavilion_mini.components import (
    EMPTY,
    NUM_COLOURS,
    NUM_NUMBERS,
    NUM_ROUNDS,
    NUM_SPACES,
    NUM_STARS,
    NUM_STRUCTURES,
    NUMBER_POINTS,
    SPACE_NUMBER,
    STAR_POINTS,
    STAR_SIZE,
    START_SCORE,
    STRUCTURE_KIND,
    STRUCTURE_TILES,
    TILES_ON_FACTORY,
    TILES_PER_COLOUR,
)
from azul_duel_env.games.pavilion_mini.scoring import number_points, star_points
from azul_duel_env.games.pavilion_mini.stars import group_size, is_closed
from azul_duel_env.games.pavilion_mini.state import DISCARD, GAME_OVER, PAY, TAKE, TURN_OVER
from azul_duel_env.jit import rule

# Points ---------------------------------------------------------------------------------------
MOST_FOR_STAR = 21
"""E34: filling a star brings 1 + 2 + ... + 6 points at most."""
STARS_OF_COLOUR = TILES_PER_COLOUR // STAR_SIZE
"""Full stars of one colour that the tiles allow: 3."""


def _most_for_full_stars() -> int:
    """Return what seven full stars bring at most: the most valuable colours first, as often as there are tiles (grey side)."""
    values = sorted((int(points) for points in STAR_POINTS), reverse=True)
    stars = [points for points in values for _ in range(STARS_OF_COLOUR)]
    return sum(stars[:NUM_STARS])


MOST_POINTS = START_SCORE + NUM_STARS * MOST_FOR_STAR + _most_for_full_stars() + int(NUMBER_POINTS.sum())
"""E40: 323, on the grey side; 304 on the coloured one."""
assert NUM_COLOURS * STARS_OF_COLOUR >= NUM_STARS


@rule
def most_points(state, player):
    """Return the most points that a player can have by now: tiles that hang together were placed one beside the other."""
    halves = 0
    for space in range(NUM_SPACES):
        if state.boards[player, space] != EMPTY:
            halves += group_size(state, player, space) + 1  # of a group of n all n, which is 1 + 2 + ... + n twice
    points = START_SCORE + halves // 2
    if state.stage == GAME_OVER:
        points += end_points(state, player)
    return points


@rule
def end_points(state, player):
    """Return what a board brings at the end of the game (S34, S35)."""
    points = 0
    for star in range(NUM_STARS):
        points += star_points(state, player, star)
    for number in range(1, NUM_NUMBERS + 1):
        points += number_points(state, player, number)
    return points


# Decisions ------------------------------------------------------------------------------------
PAYMENTS = (SPACE_NUMBER > 1).sum(axis=1)
"""How often it can be asked how to pay on a board, by its side, 35 or 36: a space that costs one tile leaves no choice."""
DECISIONS_A_TILE = 2
"""To take it, and to throw it away."""


@rule
def most_decisions(state):
    """Return a bound on the decisions of a game for so many players (E38): 552, 804 or 1,056 on the grey side."""
    in_round = DECISIONS_A_TILE * TILES_ON_FACTORY * len(state.factories) + len(state.scores)
    on_board = NUM_SPACES + PAYMENTS[state.grey] + DECISIONS_A_TILE * TILES_OF_STRUCTURES
    return NUM_ROUNDS * in_round + len(state.scores) * on_board


@rule
def decisions_left(state):
    """Return a bound on the decisions that are still to be made; it sinks by one at least with each of them.

    These are: to take each tile, to throw away each, to pass once a round, for each space to place a tile, and to pay if it costs more.
    """
    if state.stage == GAME_OVER:
        return 0
    players = len(state.scores)
    later_rounds = NUM_ROUNDS - int(state.round_number)
    left = later_rounds * (DECISIONS_A_TILE * TILES_ON_FACTORY * len(state.factories) + players)
    left += DECISIONS_A_TILE * int(state.owed) - (state.stage == PAY) + (state.stage == DISCARD)
    for player in range(players):
        left += count_all(state.hands[player]) + decisions_on_board(state, player)
    if TAKE <= state.stage <= TURN_OVER:
        left += DECISIONS_A_TILE * tiles_out(state) + players - count_all(state.passed)
    return left


@rule
def decisions_on_board(state, player):
    """Return a bound on the decisions that empty spaces and open structures bring."""
    left = 0
    for space in range(NUM_SPACES):
        if state.boards[player, space] == EMPTY:
            left += 1 + (SPACE_NUMBER[state.grey, space] > 1)
    for structure in range(NUM_STRUCTURES):
        if not is_closed(state, player, structure):
            left += DECISIONS_A_TILE * int(STRUCTURE_TILES[STRUCTURE_KIND[structure]])
    return left


@rule
def tiles_out(state):
    """Return how many tiles lie on the factories and in the centre."""
    tiles = count_all(state.centre)
    for factory in range(len(state.factories)):
        tiles += count_all(state.factories[factory])
    return tiles
