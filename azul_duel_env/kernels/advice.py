"""Greedy's advice: its rating of each asked action, as numbers at the end of an observation."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.actions import MAX_LEGAL
from azul_duel_env.games.duel.agents.greedy import rate_actions
from azul_duel_env.games.duel.granularity import ASKED, asked_for
from azul_duel_env.jit import rule, rule_with_arrays

LEAST_ADVICE = 1e-3
"""Networks that start from the advice take ratings below this for this."""


@rule_with_arrays
def write_advice(states, i, legal, layer, observation):
    """Write greedy's rating of each asked action at the end of the observation: 1 for the best, less by a factor e a point.

    ``legal`` (int16, MAX_LEGAL) gets the legal actions.
    """
    values = np.empty(MAX_LEGAL)
    count = rate_actions(states, i, legal, values)
    write_ratings(states[i], legal, count, values, layer, observation)


@rule
def write_ratings(state, legal, count, values, layer, observation):
    """Write the advice that greedy's ratings ``values[:count]`` of the legal actions come to."""
    best = best_of_asked(state, legal, count, values, layer)
    clear_advice(layer, observation)
    for k in range(count):
        asked = asked_for(state, legal[k], layer)
        if asked != ASKED:
            at = layer.observation_size + asked
            observation[at] = max(observation[at], np.float32(np.exp(values[k] - best)))


@rule
def best_of_asked(state, legal, count, values, layer):
    """Return the highest of the ratings of actions that are asked."""
    best = -np.inf
    for k in range(count):
        if asked_for(state, legal[k], layer) != ASKED:
            best = max(best, values[k])
    return best


@rule
def clear_advice(layer, observation):
    """Rate nothing."""
    for action in range(layer.num_actions):
        observation[layer.observation_size + action] = 0.0
