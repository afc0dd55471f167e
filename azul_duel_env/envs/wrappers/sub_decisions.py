"""Wrappers that ask sub-decisions otherwise.

``SubDecisions`` takes a PettingZoo or a Gymnasium environment and returns a wrapper of the same kind. It says what the environment's
options of the same names say at its making, and composes in any order, with others and with the libraries' own wrappers; of two for one
sub-decision the outer one counts. It comes before wrappers that change observations or actions in their own way, whose spaces would not
follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import gymnasium
from gymnasium.utils import RecordConstructorArgs
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper


class Askable(Protocol):
    """What an unwrapped environment must have for the wrappers of sub-decisions.

    Attributes:
        abstraction: which sub-decisions are asked now.
    """

    abstraction: Any

    def set_abstraction(self, **changes: str) -> None:
        """Ask otherwise from now on: spaces follow, the game under way ends, and ``reset`` comes next."""


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


def short_for(name: str, sub_decision: str, usual: str) -> Callable[..., Any]:
    """Return ``SubDecisions`` for one sub-decision under a name of its own; ``usual``: how it is asked unless something else is given."""

    def wrap(env: Any, how: str = usual) -> Any:
        return SubDecisions(env, **{sub_decision: how})

    wrap.__doc__ = f"Return ``SubDecisions(env, {sub_decision}=how)``, {usual!r} if nothing else is given."
    wrap.__name__ = wrap.__qualname__ = name  # with the module, where pickles look for it
    wrap.__module__ = "azul_duel_env.wrappers"
    return wrap
