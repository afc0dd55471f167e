"""Wrappers of rewards, for the single Gymnasium environment: a reward part of the environment is faster, but any function will do here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsFloat, TypeAlias

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from azul_duel_env.game import Position, copy_of, margins_of

Potential: TypeAlias = Callable[[Position, int], float]
"""``(position, seat) -> how good the position is for the seat``."""

Step: TypeAlias = tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]


class _Rewarding(gymnasium.Wrapper[Any, Any, Any, Any]):
    """What the wrappers of rewards look at."""

    def _position(self) -> Position:
        """Return a copy of the position now."""
        batch = self._batch()
        return Position(batch.game, copy_of(batch.states))

    def _seat(self) -> int:
        """Return the learner's seat."""
        return int(self._batch().rows["seat"][0])

    def _batch(self) -> Any:
        """Return the batch of one row that the environment plays."""
        batch = getattr(self.unwrapped, "batch", None)
        if batch is None:
            raise TypeError(f"{type(self.unwrapped).__name__} is no single Gymnasium environment of azul_duel_env")
        return batch


class ScoreMarginReward(_Rewarding, RecordConstructorArgs):
    """At the end of a game the learner's points less the mean of the others', in place of the reward; 0 before.

    The reward of an illegal action stays, unless the game goes on to its end in that step: a game lost by one has no margin.

    Raises:
        TypeError: an environment of another kind.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._batch()

    def step(self, action: Any) -> Step:
        """Step, with another reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        position = self._position()
        if position.over:
            reward = margins_of(position.scores)[self._seat()]
        elif not self._batch().rows["illegal"][0]:
            reward = 0.0
        return observation, reward, terminated, truncated, info


class PotentialShaping(_Rewarding, RecordConstructorArgs):
    """Add ``weight * (gamma * potential(after) - potential(before))`` to the reward, which leaves the best policy what it is.

    The potential of an end is 0, also of a game lost by an illegal action.

    Args:
        env: a single Gymnasium environment of this package.
        gamma: discount of the learner, in [0, 1]; the same as in its algorithm.
        weight: of what is added.
        potential: see ``Potential``; None for greedy's evaluation of the learner's seat less the mean of the others', in points.

    Raises:
        ValueError: gamma not in [0, 1], or a weight that is no finite number.
        TypeError: an environment of another kind.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        gamma: float = 1.0,
        weight: float = 1.0,
        potential: Potential | None = None,
    ) -> None:
        RecordConstructorArgs.__init__(self, gamma=gamma, weight=weight, potential=potential)
        super().__init__(env)
        if not 0 <= gamma <= 1:
            raise ValueError(f"gamma must be in [0, 1], not {gamma}")
        if not np.isfinite(weight):
            raise ValueError(f"weight must be a finite number, not {weight}")
        self._batch()
        self.gamma, self.weight, self.potential = gamma, weight, potential
        self._before = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        result = self.env.reset(seed=seed, options=options)
        self._before = self._potential()
        return result

    def step(self, action: Any) -> Step:
        """Step, with more reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        before, self._before = self._before, 0.0 if terminated else self._potential()
        shaped = float(reward) + self.weight * (self.gamma * self._before - before)
        return observation, shaped, terminated, truncated, info

    def _potential(self) -> float:
        """Return the potential for the learner now."""
        if self.potential is not None:
            return float(self.potential(self._position(), self._seat()))
        batch = self._batch()
        return float(batch.kernel.potential(batch.states, 0, self._seat()))
