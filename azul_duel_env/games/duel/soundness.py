"""The loop over many states that Python calls to check them."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.invariants import HIGHEST, INVARIANTS, LOWEST, broken_invariants
from azul_duel_env.games.duel.state import STATE
from azul_duel_env.jit import entry, rule

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
