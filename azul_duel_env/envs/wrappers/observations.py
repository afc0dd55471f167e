"""Wrappers of observations, for the single Gymnasium environment: as planes, or as named blocks."""

from __future__ import annotations

from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from azul_duel_env.game import Game

Flat: TypeAlias = NDArray[np.float32]
Blocks: TypeAlias = dict[str, NDArray[np.float32]]


class _Reshaping(gymnasium.ObservationWrapper[Any, Any, Any]):
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


class PlanesObservation(_Reshaping, RecordConstructorArgs):
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

    def observation(self, observation: Flat) -> Blocks:
        """Return planes and vector of an observation; both are fresh."""
        planes, vector = self._abstraction.planes(observation)
        return {"planes": planes, "vector": vector}


class ViewsObservation(_Reshaping, RecordConstructorArgs):
    """The observation as a dictionary of its named blocks, each in its shape.

    See ``abstraction.unflatten``, or ``Text.unflatten`` of the game where an abstraction has none.

    Raises:
        ValueError: a wrapper inside has changed the observation.
        TypeError: an environment of another kind.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def observation(self, observation: Flat) -> Blocks:
        """Return the blocks of an observation; they are views into it."""
        if hasattr(self._abstraction, "unflatten"):
            return self._abstraction.unflatten(observation)
        return self._game.text.unflatten(observation[..., : self._game.observation_size])
