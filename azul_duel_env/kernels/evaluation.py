"""What the templates take from a game's agent ``greedy``: ``rule`` functions. Never loaded."""

from __future__ import annotations

from typing import Any


def evaluate_seat(state: Any, player: int) -> float:
    """Return the points that a player has and may hope for."""
    raise NotImplementedError


def rate_actions(states: Any, i: int, legal: Any, values: Any) -> int:
    """Write the legal actions into ``legal`` and the rating of each into ``values`` (float64, MAX_LEGAL); return how many."""
    raise NotImplementedError


def rate_listed(states: Any, i: int, legal: Any, count: int, values: Any) -> None:
    """Write the rating of each of the legal actions ``legal[:count]`` into ``values``."""


def best_action(states: Any, i: int, key: Any) -> int:
    """Return the action with the highest rating; among equals ``key`` (uint64) decides."""
    raise NotImplementedError
