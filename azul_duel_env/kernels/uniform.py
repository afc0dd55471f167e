"""The agent ``random``: every legal action alike. A template: see ``kernels``."""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry, rule, rule_with_arrays
from azul_duel_env.jit.rng import below, pick

from .rules import MAX_LEGAL, carry_out, draw_outcome, list_legal, place_outcome, settle


@rule_with_arrays
def any_action(states, i, key):
    """Return a legal action; every one is as likely."""
    legal = np.empty(MAX_LEGAL, np.int16)
    return legal[pick(key, list_legal(states[i], legal))]


@entry
def choose_uniformly(states, i, key):
    """Return a legal action; every one is as likely."""
    return any_action(states, i, key)


@rule
def playout(state, legal):
    """Play a state to its end with random actions; return the number of decisions. Explicit chance draws by itself here."""
    decisions = 0
    while state.player != NOBODY or state.chance != 0:
        if state.player == NOBODY:
            place_outcome(state, draw_outcome(state))
            settle(state, legal)
        else:
            carry_out(state, legal[below(state, list_legal(state, legal))], legal)
            decisions += 1
    return decisions
