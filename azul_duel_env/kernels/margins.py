"""What the search takes from a game's expectation of the final margin. Never loaded."""

from __future__ import annotations

from typing import Any


def expected_margin(state: Any, player: int, weights: Any, values: Any) -> float:
    """Return the points by which a player is expected to be ahead of the mean of the others; ``values`` is scratch (float64, MAX_LEGAL)."""
    raise NotImplementedError


def read_weights() -> Any:
    """Return the weights that it takes."""
    raise NotImplementedError
