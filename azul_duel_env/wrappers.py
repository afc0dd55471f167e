"""Wrappers: which sub-decisions are asked, rewards, and observations in other forms.

``SubDecisions`` takes a PettingZoo or a Gymnasium environment and returns a wrapper of the same kind. It says what the environment's
options of the same names say at its making, and composes in any order, with others and with the libraries' own wrappers; of two for one
sub-decision the outer one counts. It comes before wrappers that change observations or actions in their own way, whose spaces would not
follow.

Rewards and observations are for the single Gymnasium environment: the PettingZoo one has ``reward=`` and ``abstraction.views``, the
vector one ``reward=``. In the same way a reward part of the environment is faster than a wrapper, which may use any function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, SupportsFloat, TypeAlias

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from azul_duel_env.game import Game, Position, copy_of, margins_of

Potential: TypeAlias = Callable[[Position, int], float]
"""``(position, seat) -> how good the position is for the seat``."""

Flat: TypeAlias = NDArray[np.float32]
Views: TypeAlias = dict[str, NDArray[np.float32]]
Step: TypeAlias = tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]


class Askable(Protocol):
    """What an unwrapped environment must have for the wrappers of sub-decisions.

    Attributes:
        abstraction: which sub-decisions are asked now.
    """

    abstraction: Any

    def set_abstraction(self, **changes: str) -> None:
        """Ask otherwise from now on: spaces follow, the game under way ends, and ``reset`` comes next."""


# Sub-decisions --------------------------------------------------------------------------------
class AECSubDecisions(BaseWrapper[Any, Any, Any]):
    """A PettingZoo environment in which some sub-decisions are asked otherwise; see ``SubDecisions``."""

    def __init__(self, env: AECEnv[Any, Any, Any], **choices: str) -> None:
        super().__init__(env)
        inner = env.unwrapped
        for agent in env.possible_agents:
            _check_follows(env.observation_space(agent) is inner.observation_space(agent))
            _check_follows(env.action_space(agent) is inner.action_space(agent))
        _askable(inner).set_abstraction(**choices)


class GymnasiumSubDecisions(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A Gymnasium environment in which some sub-decisions are asked otherwise; see ``SubDecisions``."""

    def __init__(self, env: gymnasium.Env[Any, Any], **choices: Any) -> None:
        RecordConstructorArgs.__init__(self, **choices)
        super().__init__(env)
        while isinstance(env, gymnasium.Wrapper):
            _check_follows(env._observation_space is None and env._action_space is None)
            env = env.env
        _askable(env).set_abstraction(**choices)


def _check_follows(follows: bool) -> None:
    """Refuse a wrapper inside whose spaces would stay what they are."""
    if not follows:
        raise ValueError(
            "a wrapper inside has spaces of its own, which would not follow: wrap sub-decisions before observations and actions"
        )


def _askable(env: Any) -> Askable:
    """Return an unwrapped environment, or say that it is none of this package."""
    if not hasattr(env, "set_abstraction"):
        raise TypeError(f"{type(env).__name__} has no sub-decisions: expected an environment of azul_duel_env")
    return env


def SubDecisions(env: Any, **choices: str) -> Any:
    """Return an environment in which sub-decisions are asked in full, in part or not at all.

    Args:
        env: an environment of this package, PettingZoo or Gymnasium (single), wrapped or not. It changes too, and its game ends.
        choices: fields of its abstraction, such as ``placement="split"``.

    Raises:
        ValueError: an unknown sub-decision or value, or a wrapper inside that has spaces of its own.
        TypeError: an environment of another kind.
    """
    if isinstance(env, AECEnv):
        return AECSubDecisions(env, **choices)
    if isinstance(env, gymnasium.Env):
        return GymnasiumSubDecisions(env, **choices)
    raise TypeError(
        f"expected a PettingZoo AEC or single Gymnasium environment, not {type(env).__name__}; vector environments take options: "
        f"make them with {', '.join(f'{name}={value!r}' for name, value in choices.items())}"
    )


def _one(name: str, sub_decision: str, usual: str) -> Callable[..., Any]:
    """Return ``SubDecisions`` for one sub-decision under a name of its own; ``usual``: how it is asked unless something else is given."""

    def wrap(env: Any, how: str = usual) -> Any:
        return SubDecisions(env, **{sub_decision: how})

    wrap.__doc__ = f"Return ``SubDecisions(env, {sub_decision}=how)``, {usual!r} if nothing else is given."
    wrap.__name__ = wrap.__qualname__ = name  # where pickles look for it
    return wrap


PatternLinePlacement = _one("PatternLinePlacement", "placement", "split")
BonusChips = _one("BonusChips", "bonus_chips", "whether")
MoonOrder = _one("MoonOrder", "moon_order", "useful_on_top")
ReturnOrder = _one("ReturnOrder", "return_order", "ascending")
Drawing = _one("Drawing", "drawing", "once")
Columns = _one("Columns", "columns", "most_points")


# Rewards --------------------------------------------------------------------------------------
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


# Observations ---------------------------------------------------------------------------------
class _Viewing(gymnasium.ObservationWrapper[Any, Any, Any]):
    """An observation as named parts. The space is that of the abstraction, also when it changes afterwards."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        if not hasattr(env.unwrapped, "abstraction"):
            raise TypeError(f"{type(env.unwrapped).__name__} is no single Gymnasium environment of azul_duel_env")
        if env.observation_space is not env.unwrapped.observation_space:
            raise ValueError("a wrapper inside has changed the observation: this one takes that of the environment")
        self._space: gymnasium.spaces.Dict | None = None
        self._made_from: Any = None

    @property
    def _game(self) -> Game:
        return self.unwrapped.game  # type: ignore[attr-defined]

    @property
    def _abstraction(self) -> Any:
        return self.unwrapped.abstraction  # type: ignore[attr-defined]

    @property  # type: ignore[misc]
    def observation_space(self) -> gymnasium.spaces.Space[Any]:  # type: ignore[override]
        """A dictionary of float32 boxes in [0, 1]."""
        flat = self.env.observation_space
        if self._space is None or self._made_from is not flat:
            parts = self.observation(np.zeros(flat.shape or (), np.float32))
            boxes: dict[str, gymnasium.spaces.Space[Any]]
            boxes = {name: gymnasium.spaces.Box(0.0, 1.0, part.shape, np.float32) for name, part in parts.items()}
            self._space, self._made_from = gymnasium.spaces.Dict(boxes), flat
        return self._space


class PlanesObservation(_Viewing, RecordConstructorArgs):
    """The observation as planes of the boards and a vector of all the rest, for convolutional networks.

    A dictionary: ``planes``, float32 (planes, height, width), and ``vector``, float32; see ``abstraction.planes``. For stable-baselines3
    choose ``MultiInputPolicy``; it takes no float planes for an image, so give it a features extractor of your own for convolutions.

    Raises:
        ValueError: a wrapper inside has changed the observation.
        TypeError: an environment of another kind, or of a game whose observation has no planes.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        if not hasattr(self._abstraction, "planes"):
            raise TypeError(f"the observation of {self._game.title} has no planes: take ViewsObservation")

    def observation(self, observation: Flat) -> Views:
        """Return planes and vector of an observation; both are fresh."""
        planes, vector = self._abstraction.planes(observation)
        return {"planes": planes, "vector": vector}


class ViewsObservation(_Viewing, RecordConstructorArgs):
    """The observation as a dictionary of its named blocks, each in its shape.

    See ``abstraction.views``, or ``Text.views`` of the game where an abstraction has none.

    Raises:
        ValueError: a wrapper inside has changed the observation.
        TypeError: an environment of another kind.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def observation(self, observation: Flat) -> Views:
        """Return the blocks of an observation; they are views into it."""
        if hasattr(self._abstraction, "views"):
            return self._abstraction.views(observation)
        return self._game.text.views(observation[..., : self._game.observation_size])
