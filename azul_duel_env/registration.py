"""Every environment id of this package, in one place."""

from __future__ import annotations

AEC_ENVIRONMENTS = {"azul/duel-v0": "azul_duel_env.duel_v0:env"}
"""Ids for ``pettingzoo.make("aec", id)``; versions move when dynamics, spaces or rewards change."""


def register() -> None:
    """Register the ids where the installed libraries have a registry (PettingZoo since 1.27); again does no harm."""
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    known = pettingzoo.aec_registry
    for environment, entry_point in AEC_ENVIRONMENTS.items():
        if environment not in known:
            pettingzoo.register("aec", environment, entry_point)
