"""Greedy's advice: its rating of each asked action, as numbers at the end of an observation. A template: see ``kernels``."""

from __future__ import annotations

import numpy as np

from azul_duel_env.jit import rule, rule_with_arrays
from azul_duel_env.kernels.constants import ASKED

from .abstraction import abstract_for, num_abstract_for
from .evaluation import rate_actions
from .rules import MAX_LEGAL


@rule_with_arrays
def write_advice(states, i, legal, abstraction, observation):
    """Write greedy's rating of each asked action at the end of the observation: 1 for the best, less by a factor e a point.

    ``legal`` (int16, MAX_LEGAL) gets the legal actions.
    """
    values = np.empty(MAX_LEGAL)
    count = rate_actions(states, i, legal, values)
    write_ratings(states[i], legal, count, values, abstraction, observation)


@rule
def write_ratings(state, legal, count, values, abstraction, observation):
    """Write the advice that greedy's ratings ``values[:count]`` of the legal actions come to."""
    best = best_of_abstract(state, legal, count, values, abstraction)
    clear_advice(abstraction, observation)
    for k in range(count):
        asked = abstract_for(state, legal[k], abstraction)
        if asked != ASKED:
            at = abstraction.observation_size + asked
            rating = np.float32(np.exp(values[k] - best))
            for way in range(at, at + num_abstract_for(state, legal[k], abstraction)):
                observation[way] = max(observation[way], rating)


@rule
def best_of_abstract(state, legal, count, values, abstraction):
    """Return the highest of the ratings of actions that are asked."""
    best = -np.inf
    for k in range(count):
        if abstract_for(state, legal[k], abstraction) != ASKED:
            best = max(best, values[k])
    return best


@rule
def clear_advice(abstraction, observation):
    """Rate nothing."""
    for action in range(abstraction.num_actions):
        observation[abstraction.observation_size + action] = 0.0
