"""Whether states are sound: what a state breaks, by name, and which of many break anything. A template: see ``kernels``.

A game that binds it has ``invariants`` beside its ``rules``; those of this folder say what it must write.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.jit import entry, rule

from .invariants import INVARIANTS, RANGES, STATE, broken_invariants

NUM_INVARIANTS = len(INVARIANTS)
FIRST_NUMBER = min(int(np.dtype(STATE).fields[field][1]) for field in RANGES)  # type: ignore[index] # it is a record
"""Where the int8 fields begin, in bytes."""


def _ranges() -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest value of each byte from the first int8 field on."""
    low, high = np.zeros(1, STATE), np.zeros(1, STATE)
    for field, (lowest, highest) in RANGES.items():
        low[field], high[field] = lowest, highest
    return low.view(np.int8)[FIRST_NUMBER:], high.view(np.int8)[FIRST_NUMBER:]


LOWEST, HIGHEST = _ranges()


@rule
def numbers_right(numbers):
    """Return whether every int8 number of a state, given as its bytes, is within its range."""
    wrong = 0
    for at in range(len(LOWEST)):
        number = numbers[FIRST_NUMBER + at]
        wrong += (number < LOWEST[at]) | (number > HIGHEST[at])
    return wrong == 0


@entry
def find_broken(states, i, broken):
    """Write 1 for each broken invariant of one state but the last into ``broken`` (int8, NUM_INVARIANTS); return how many."""
    return broken_invariants(states[i], broken)


@entry
def find_unsound(states, numbers, unsound):
    """Write 1 for each state that breaks an invariant into ``unsound`` (int8, N), else 0.

    ``numbers`` are the bytes of the states (int8, (N, size)): an index is in range before it is used.
    """
    broken = np.zeros(NUM_INVARIANTS, np.int8)
    for i in range(len(states)):
        unsound[i] = not numbers_right(numbers[i]) or broken_invariants(states[i], broken) > 0


def _numbers_of(states: np.ndarray) -> np.ndarray:
    """Return the bytes of an array of states, a row a state."""
    return states.view(np.int8).reshape(len(states), states.itemsize)


def check(states: np.ndarray, i: int = 0) -> list[str]:
    """Return the invariants that one state breaks, by name (of numbers out of range, with the fields); none for a sound state.

    Any bytes may be asked about: nothing is used as an index before it is known to be in range.
    """
    numbers = _numbers_of(states[i : i + 1])[0, FIRST_NUMBER:]
    if (numbers < LOWEST).any() or (numbers > HIGHEST).any():
        fields = [
            f"{name} {RANGES[name]}"
            for name, (low, high) in RANGES.items()
            if np.min(states[name][i]) < low or np.max(states[name][i]) > high
        ]
        return [f"{INVARIANTS[-1]}: {', '.join(fields)}"]
    broken = np.zeros(NUM_INVARIANTS, np.int8)
    find_broken(states, i, broken)
    return [name for name, is_broken in zip(INVARIANTS, broken, strict=True) if is_broken]


def unsound_rows(states: np.ndarray) -> np.ndarray:
    """Return the rows (int64, ascending) of states in which ``check`` finds something broken; any bytes may be asked about.

    Raises:
        ValueError: no array (N,) of state records.
    """
    if not isinstance(states, np.ndarray) or states.dtype != STATE or states.ndim != 1:
        found = f"{states.dtype.name} {states.shape}" if isinstance(states, np.ndarray) else type(states).__name__
        raise ValueError(f"expected an array (N,) of states, not {found}")
    states = np.ascontiguousarray(states).view(STATE)
    unsound = np.zeros(len(states), np.int8)
    find_unsound(states, _numbers_of(states), unsound)
    return np.flatnonzero(unsound)
