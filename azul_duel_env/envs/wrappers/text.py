"""A wrapper that speaks in words, for the single Gymnasium environment."""

from __future__ import annotations

import string
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from azul_duel_env.envs.text import prompt_for, read_name

MOST_LETTERS = 50_000
"""Of an observation; of an action as well."""


class TextWrapper(gymnasium.Wrapper[str, str, Any, Any], RecordConstructorArgs):
    """The environment in words: observations are prompts of ``envs.text``, from the learner's own seat; actions are names of actions.

    An answer that names no legal action raises ``AnswerError``, and nothing has changed.

    Raises:
        TypeError: an environment of another kind.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        if not hasattr(env.unwrapped, "abstraction"):
            raise TypeError(f"{type(env.unwrapped).__name__} is no single Gymnasium environment of azul_duel_env")
        self.observation_space = gymnasium.spaces.Text(MOST_LETTERS, charset=string.printable)
        self.action_space = gymnasium.spaces.Text(MOST_LETTERS, charset=string.printable)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin a new episode, as the environment does."""
        _, info = self.env.reset(seed=seed, options=options)
        return self._prompt(info), info

    def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
        """Carry out the action that a text names; see ``envs.text.read_answer``.

        Raises:
            AnswerError: it names no legal action; nothing has changed.
            ValueError: as the environment.
        """
        inner: gymnasium.Env[Any, Any] = self.env
        _, reward, terminated, truncated, info = inner.step(read_name(action, self._actions()))
        return self._prompt(info), reward, terminated, truncated, info

    def _actions(self) -> dict[str, int]:
        """Return the legal actions by their names."""
        inner: Any = self.unwrapped
        return {inner.abstraction.action_name(a): a for a in np.flatnonzero(inner.action_masks()).tolist()}

    def _prompt(self, info: dict[str, Any]) -> str:
        return prompt_for(self.unwrapped.position, info["seat"], self._actions())  # type: ignore[attr-defined]
