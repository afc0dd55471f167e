"""The agent ``random``: every legal action alike."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.actions import MAX_LEGAL
from azul_duel_env.games.duel.engine import list_legal
from azul_duel_env.jit import entry, rule, rule_with_arrays

HALF = np.uint64(32)


@rule
def pick(word, count):
    """Return a number in [0, count) from 64 random bits."""
    return np.int64(((word >> HALF) * np.uint64(count)) >> HALF)


@rule
def pick_best(word, values, count):
    """Return the place of the highest of ``values[:count]``; among equals 64 random bits decide."""
    first = pick(word, count)
    chosen = first
    for k in range(1, count):
        other = (first + k) % count
        if values[other] > values[chosen]:
            chosen = other
    return chosen


@rule_with_arrays
def any_action(states, i, word):
    """Return a legal action; every one is as likely."""
    legal = np.empty(MAX_LEGAL, np.int16)
    return legal[pick(word, list_legal(states[i], legal))]


@entry
def choose_uniformly(states, i, word):
    """Return a legal action; every one is as likely."""
    return any_action(states, i, word)
