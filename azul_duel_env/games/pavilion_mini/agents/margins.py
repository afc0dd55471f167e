"""The margin that a search expects where its simulations end: at the beginning of a round.

The weights are rounded from least squares on the final margins of games of greedy, some with random actions strewn in, of two to four
players on both sides. They explain 2% of the variance at the beginning of round 2 and 47% at that of round 6, which a fit to each round
and side betters by 1 to 8 points.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.agents.greedy import promise_of_board
from azul_duel_env.games.pavilion_mini.chance import count_all
from azul_duel_env.games.pavilion_mini.state import GAME_OVER
from azul_duel_env.jit import rule

POINTS, BOARD, TILES, BEGINS = range(4)
WEIGHTS = np.array([1.2, 0.5, 1.6, 3.5])
"""float64 (4,): for a point, a point that stars, structures and numbers promise, a tile at hand, and who begins the round."""


@rule
def expected_margin(state, player, weights, values):  # noqa: ARG001 # as templates call it
    """Return the points by which a player is expected to be ahead of the mean of the others."""
    others = 0.0
    for other in range(len(state.scores)):
        if other != player:
            others += expected_points(state, other, weights)
    return expected_points(state, player, weights) - others / (len(state.scores) - 1)


@rule
def expected_points(state, player, weights):
    """Return the points that a player is expected to have in the end, up to what is the same for all."""
    if state.stage == GAME_OVER:
        return float(state.scores[player])
    points = weights[POINTS] * state.scores[player]
    points += weights[BOARD] * promise_of_board(state, player)
    points += weights[TILES] * count_all(state.hands[player])
    return points + weights[BEGINS] * (state.first_player == player)


def read_weights() -> np.ndarray:
    """Return the weights that it takes."""
    return WEIGHTS
