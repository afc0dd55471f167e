"""What a picture is asked for with, checked: theme, seat and names, actions and probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from azul_duel_env.view.drawing.styles import THEMES

COUNTS = ("no", "one", "two", "three", "four", "five", "six")


def check_request(num_players: int, theme: str, seat: int, names: Sequence[str], last_action: Any, before: Any) -> None:
    """Check what pictures of all games have in common.

    Raises:
        ValueError: no such theme or seat, not one name for each player, or ``last_action`` without ``before``.
    """
    if theme not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(THEMES)}, not {theme!r}")
    if seat not in range(num_players):
        seats = [str(one) for one in range(num_players)]
        raise ValueError(f"seat must be {', '.join(seats[:-1])} or {seats[-1]}, not {seat!r}")
    if len(names) != num_players:
        raise ValueError(f"names must be {COUNTS[num_players]}, not {names!r}")
    if last_action is not None and before is None:
        raise ValueError("last_action needs before, the state in which it was played")


def listed_actions(legal: Any, num_actions: int) -> Iterable[int]:
    """Return actions given as numbers or as a mask.

    Raises:
        ValueError: a mask of another length.
    """
    array = np.asarray(legal)
    if array.shape == (num_actions,):
        return np.flatnonzero(array).tolist()
    if array.dtype == np.bool_:
        raise ValueError(f"a mask must have {num_actions} entries, not {array.shape}")
    return array.tolist()


def chosen_actions(probabilities: Any, num_actions: int) -> dict[int, float]:
    """Return the actions that a policy may choose, with their probabilities.

    Raises:
        ValueError: not one probability for each action.
    """
    array = np.asarray(probabilities, np.float64)
    if array.shape != (num_actions,):
        raise ValueError(f"probabilities must have {num_actions} entries, not {array.shape}")
    return {action: float(array[action]) for action in np.flatnonzero(array).tolist()}
