"""What the template ``soundness`` takes from a game's invariants: what holds in every state. Never loaded."""

from __future__ import annotations

from typing import Any

import numpy as np

STATE: np.dtype[Any]
"""The dtype of a state, whose int8 fields stand together at its end."""

RANGES: dict[str, tuple[int, int]]
"""int8 field -> lowest and highest value: compiled code indexes with them, so they are looked at first."""

INVARIANTS: tuple[str, ...]
"""The names of all invariants; the last is that every number is within its range."""


def broken_invariants(state: Any, broken: Any) -> int:
    """Write 1 for each broken invariant but the last into ``broken`` (int8), and return how many.

    It is asked only about states whose numbers are within their ranges.
    """
    raise NotImplementedError
