"""The agent ``greedy`` of a game that has none of its own: points, one ply deep. A template: see ``kernels``.

A game with a better evaluation has an ``evaluation`` of its own, with the same names, beside its ``rules``.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.jit import entry, rule, rule_with_arrays
from azul_duel_env.jit.rng import pick_best

from .rules import MAX_LEGAL, NUM_PLAYERS, carry_out, let_chance_draw, list_legal, resample_state

IMAGINED = np.uint64(0)


@rule
def evaluate_seat(state, player):
    """Return the points that a player has and may hope for."""
    return float(state.scores[player])


@rule_with_arrays
def rate_actions(states, i, legal, values):
    """Write the legal actions into ``legal`` and the rating of each into ``values`` (float64, MAX_LEGAL); return how many."""
    count = list_legal(states[i], legal)
    rate_listed(states, i, legal, count, values)
    return count


@rule_with_arrays
def rate_listed(states, i, legal, count, values):
    """Write the rating of each of the legal actions ``legal[:count]`` into ``values``: own points less the mean of the others'.

    What is drawn on the way comes from a generator of its own: greedy never sees what will be.
    """
    player = states[i].player
    trial = states[i : i + 1].copy()
    scratch = np.empty(MAX_LEGAL, np.int16)
    for k in range(count):
        trial[0] = states[i]
        let_chance_draw(trial[0])
        resample_state(trial[0], player, IMAGINED)
        carry_out(trial[0], legal[k], scratch)
        others = 0.0
        for other in range(NUM_PLAYERS):
            if other != player:
                others += evaluate_seat(trial[0], other)
        values[k] = evaluate_seat(trial[0], player) - others / (NUM_PLAYERS - 1)


@rule_with_arrays
def best_action(states, i, key):
    """Return the action with the highest rating; among equals ``key`` (uint64) decides."""
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    count = rate_actions(states, i, legal, values)
    return np.int64(legal[pick_best(key, values, count)])


@entry
def choose_greedily(states, i, key):
    """Return the action with the highest rating; among equals ``key`` (uint64) decides."""
    return best_action(states, i, key)
