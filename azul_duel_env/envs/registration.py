"""Every environment id of this package, in one place."""

from __future__ import annotations

AEC_ENVIRONMENTS = {"azul/duel-v0": "azul_duel_env.duel_v0:env"}
"""Ids for ``pettingzoo.make("aec", id)``; versions move when dynamics, spaces or rewards change."""

GYMNASIUM_ENVIRONMENTS = {
    "azul/Duel-v0": (
        "azul_duel_env.games.duel.environments:DuelEnv",
        "azul_duel_env.games.duel.environments:DuelVectorEnv",
    ),
}
"""Ids for ``gymnasium.make(id)`` and ``make_vec(id)``: the class of each; versions move likewise."""

GYMNASIUM_IDS = {environment.lower(): environment for environment in GYMNASIUM_ENVIRONMENTS}
"""Game -> its id for Gymnasium."""


def register() -> None:
    """Register the ids; again does no harm."""
    _register_in_pettingzoo()
    _register_in_gymnasium()


def _register_in_pettingzoo() -> None:
    """Register the AEC environments, where PettingZoo has a registry (since 1.27)."""
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    known = pettingzoo.aec_registry
    for environment, entry_point in AEC_ENVIRONMENTS.items():
        if environment not in known:
            pettingzoo.register("aec", environment, entry_point)


def _register_in_gymnasium() -> None:
    """Register the single-agent environments, their vector classes with them."""
    import gymnasium

    for environment, (entry_point, vector_entry_point) in GYMNASIUM_ENVIRONMENTS.items():
        if environment not in gymnasium.registry:
            gymnasium.register(environment, entry_point, vector_entry_point=vector_entry_point)
