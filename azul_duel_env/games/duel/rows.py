"""The loops over many states that Python calls to check, observe and resample them."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.abstraction import ASKED, abstract_for, by_rule_of_thumb
from azul_duel_env.games.duel.actions import MAX_LEGAL
from azul_duel_env.games.duel.engine import list_legal
from azul_duel_env.games.duel.invariants import HIGHEST, INVARIANTS, LOWEST, broken_invariants
from azul_duel_env.games.duel.knowledge import resample_state
from azul_duel_env.games.duel.observation import write_observation
from azul_duel_env.games.duel.state import NOBODY, STATE
from azul_duel_env.jit import entry, rule, rule_with_arrays

FIRST_NUMBER = -len(LOWEST)  # counted from the end of a record: the generator and two int16 fields come before
NUM_INVARIANTS = len(INVARIANTS)


@rule
def numbers_right(numbers):
    """Return whether every int8 number of a state, given as its bytes, is within its range."""
    wrong = 0
    for at in range(len(LOWEST)):
        number = numbers[FIRST_NUMBER + at]
        wrong += (number < LOWEST[at]) | (number > HIGHEST[at])
    return wrong == 0


@entry
def find_unsound(states, numbers, unsound):
    """Write 1 for each state that ``invariants.check`` finds wrong into ``unsound`` (int8, N), else 0.

    ``numbers`` are the bytes of the states (int8, (N, size)): an index is in range before it is used.
    """
    broken = np.zeros(NUM_INVARIANTS, np.int8)
    for i in range(len(states)):
        unsound[i] = not numbers_right(numbers[i]) or broken_invariants(states[i], broken) > 0


def unsound_rows(states: np.ndarray) -> np.ndarray:
    """Return the rows (int64, ascending) of states in which ``invariants.check`` finds something broken; any bytes may be asked about.

    Raises:
        ValueError: no array (N,) of state records.
    """
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.ndim != 1:
        found = f"{states.dtype.name} {states.shape}" if isinstance(states, np.ndarray) else type(states).__name__
        raise ValueError(f"expected an array (N,) of states, not {found}")
    states = np.ascontiguousarray(states).view(STATE)
    unsound = np.zeros(len(states), np.int8)
    find_unsound(states, states.view(np.int8).reshape(len(states), states.itemsize), unsound)
    return np.flatnonzero(unsound)


@rule_with_arrays
def asks_nothing(state, abstraction):
    """Return whether a player decides, and an abstraction neither lets a policy decide nor asks anything: it asks more coarsely."""
    legal = np.empty(MAX_LEGAL, np.int16)
    if state.player == NOBODY or by_rule_of_thumb(state, abstraction, legal) != ASKED:
        return False
    asked = 0
    for k in range(list_legal(state, legal)):
        asked += abstract_for(state, legal[k], abstraction) != ASKED
    return asked == 0


@entry
def find_unasked(states, abstraction, unasked):
    """Write 1 for each sound state into ``unasked`` (int8, N) in the midst of a decision that an abstraction asks as a whole."""
    for i in range(len(states)):
        unasked[i] = asks_nothing(states[i], abstraction[0])


def unasked_rows(states: np.ndarray, abstraction: np.ndarray) -> np.ndarray:
    """Return the rows (int64, ascending) of sound states in the midst of a decision that an abstraction asks as a whole."""
    unasked = np.zeros(len(states), np.int8)
    find_unasked(states, abstraction, unasked)
    return np.flatnonzero(unasked)


@entry
def observe_rows(states, viewers, out):
    """Write the observation of each state from the seat of ``viewers[i]`` (int64) into ``out`` (float32, (N, OBSERVATION_SIZE))."""
    for i in range(len(states)):
        write_observation(states[i], viewers[i], out[i])


@entry
def resample_rows(states, viewers, keys):
    """Draw anew, in place, what ``viewers[i]`` (int64) can't tell apart in each state; ``keys`` (uint64) are the new generators."""
    for i in range(len(states)):
        resample_state(states[i], viewers[i], keys[i])
