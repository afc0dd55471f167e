"""States in arrays, and actions as integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

States = np.ndarray
"""An array of a game's state records; ``kernels.rules`` says which fields shared code knows."""

NOBODY = -1


def is_array(value: Any) -> bool:
    """Return whether a value is an array all of whose entries are there: not a masked one."""
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)


def copy_of(states: States) -> States:
    """Return a copy of an array of states, as bytes: NumPy would copy field by field, seven times slower."""
    return states.view(np.uint8).copy().view(states.dtype)


def as_blocks(states: States) -> NDArray[np.void]:
    """Return a view of an array of states as blocks of bytes: to take or to set some of them field by field is 20 times slower."""
    return states.view(np.dtype((np.void, states.itemsize)))


def margins_of(scores: Sequence[int]) -> list[float]:
    """Return each player's points less the mean of the others'."""
    total, others = sum(scores), len(scores) - 1
    return [score - (total - score) / others for score in scores]


def as_index(value: Any) -> int:
    """Return an action or outcome as an integer; anything that is not one becomes -1, which is never legal.

    Booleans, floats and masked arrays are refused: they are mistakes more often than meant.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0 and not isinstance(value, np.ma.MaskedArray):
        value = value[()]
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and -(2**31) < value < 2**31:
        return int(value)
    return -1
