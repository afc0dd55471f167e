"""A step in small: what the engine does in one go, one thing at a time.

``engine.carry_out`` and ``engine.settle`` run through without looking at what they do, which costs nothing. Who wants to know what happened
lets the same rules run here, and looks at the state in between.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.actions import MAX_LEGAL
from azul_duel_env.games.pavilion_mini.chance import num_outcomes, outcome_weight, place_outcome
from azul_duel_env.games.pavilion_mini.engine import decide, goes_on, list_legal
from azul_duel_env.games.pavilion_mini.state import NO_CHANCE
from azul_duel_env.jit import entry, rule


@rule
def decide_if_legal(state, action, legal):
    """Carry out an action, if it is legal, and nothing that follows; return whether it was. ``legal`` is scratch (int16, MAX_LEGAL)."""
    for k in range(list_legal(state, legal)):
        if legal[k] == action:
            decide(state, action)
            return True
    return False


@entry
def begin_with_action(states, i, action):
    """Carry out an action, if it is legal, and nothing that follows; return whether it was. An illegal one changes nothing."""
    return decide_if_legal(states[i], action, np.empty(MAX_LEGAL, np.int16))


@entry
def begin_with_outcome(states, i, outcome):
    """Let an outcome happen, if it is possible, and nothing that follows; return whether it was. An impossible one changes nothing."""
    state = states[i]
    if state.chance == NO_CHANCE or not 0 <= outcome < num_outcomes(state) or outcome_weight(state, outcome) == 0:
        return False
    place_outcome(state, outcome)
    return True


@entry
def go_on(states, i):
    """Do the next thing that nobody decides; return False if a player decides next, a draw is due or the game is over."""
    return goes_on(states[i], np.empty(MAX_LEGAL, np.int16))
