"""Scoring of many spaces at once agrees with the rule for one."""

import numpy as np
from sizes import scaled
from walks import positions

from azul_duel_env.games.duel.components import DOME_SIZE
from azul_duel_env.games.duel.scoring import filled_spaces, points_among, points_for_tile
from azul_duel_env.jit import entry


@entry
def points_both_ways(states, i, player, points):
    across, down = filled_spaces(states[i], player)
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            points[0, row, column] = points_for_tile(states[i], player, row, column)
            points[1, row, column] = points_among(across, down, row, column)


def test_points_among_filled_spaces_are_those_of_the_rule():
    points, seen = np.empty((2, DOME_SIZE, DOME_SIZE), np.int64), set()
    for position in positions(scaled(3000, 1500)):
        for player in range(2):
            points_both_ways(position.states, 0, player, points)
            assert (points[0] == points[1]).all()
            seen.update(points[0].ravel().tolist())
    assert max(seen) >= 5


def test_points_among_all_ways_to_fill_a_row():
    states = next(positions(1)).states.copy()
    points = np.empty((2, DOME_SIZE, DOME_SIZE), np.int64)
    for filled in range(2**DOME_SIZE):
        for column in range(DOME_SIZE):
            states["tiles"][0, 1, 2, column] = 0 if filled >> column & 1 else -1
            states["tiles"][0, 1, column, 3] = 0 if filled >> column & 1 else -1
        points_both_ways(states, 0, 1, points)
        assert (points[0] == points[1]).all()
