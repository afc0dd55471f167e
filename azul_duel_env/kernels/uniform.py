"""The agent ``random``: every legal action alike. A template: see ``kernels``."""

from __future__ import annotations

import numpy as np

from azul_duel_env.jit import entry, rule_with_arrays
from azul_duel_env.jit.rng import pick

from .rules import MAX_LEGAL, list_legal


@rule_with_arrays
def any_action(states, i, key):
    """Return a legal action; every one is as likely."""
    legal = np.empty(MAX_LEGAL, np.int16)
    return legal[pick(key, list_legal(states[i], legal))]


@entry
def choose_uniformly(states, i, key):
    """Return a legal action; every one is as likely."""
    return any_action(states, i, key)
