"""Azul Duel as a reinforcement-learning environment: exact rules, compiled, native in the libraries of the field.

``azul_duel_env.duel_v0.env()``, or ``pettingzoo.make("aec", "azul/duel-v0")``, is the PettingZoo environment;
``azul_duel_env.games.duel.GAME`` is the rules core.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from azul_duel_env.envs.registration import register

if TYPE_CHECKING:
    from azul_duel_env import duel_v0

__version__ = "0.1.0"
__all__ = ["__version__", "duel_v0"]


def __getattr__(name: str) -> Any:
    """Import a public module when it is first used: what compiles code takes half a second."""
    if name == "duel_v0":
        return import_module(f"azul_duel_env.{name}")
    raise AttributeError(f"module 'azul_duel_env' has no attribute {name!r}")


register()
