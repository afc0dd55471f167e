"""Where the points of a game come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.arrays import States


@dataclass(frozen=True)
class ScoreBreakdown:
    """Where points come from.

    Attributes:
        sources: source -> what it is, to which ``EventKind.source`` books points; besides, everybody starts with ``start`` points.
        start: points at the start.
        bonuses: names of what may score at the end, such as scoring tiles; together they are the last of the sources.
        carry_out: ``(states, i, action, int64[num_players, sources])``: carry out a legal action without explicit chance, and add to each
            player's sources what they gained.
        bonus_points: ``(states, i, player, int64[bonuses])``: what each bonus gives a player, in play or not.
        bonuses_in_play: ``(states, i) -> bool[bonuses]``.
        bonus: what one of the bonuses is called.
    """

    sources: Mapping[str, str]
    start: int
    bonuses: Sequence[str]
    carry_out: Callable[[States, int, int, NDArray[np.int64]], None]
    bonus_points: Callable[[States, int, int, NDArray[np.int64]], None]
    bonuses_in_play: Callable[[States, int], NDArray[np.bool_]]
    bonus: str = "bonus"
