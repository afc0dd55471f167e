"""Azul Duel as a reinforcement-learning environment: exact rules, compiled, native in the libraries of the field.

``azul_duel_env.duel_v0.env()``, or ``pettingzoo.make("aec", "azul/duel-v0")``, is the PettingZoo environment;
``azul_duel_env.games.duel.GAME`` is the rules core.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from azul_duel_env.envs.registration import module_of, register
from azul_duel_env.games.ids import GAMES

if TYPE_CHECKING:
    from azul_duel_env import duel_v0 as duel_v0

__version__ = "0.2.0"
_PLACES = {place.rpartition(".")[2]: place for place in map(module_of, GAMES)}
__all__ = ["__version__", *_PLACES]


def __getattr__(name: str) -> Any:
    """Import the module of a game's environments when it is first used: what compiles code takes half a second."""
    if name in _PLACES:
        return import_module(_PLACES[name])
    raise AttributeError(f"module 'azul_duel_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register()
