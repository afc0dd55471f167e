"""Every environment id of this package: ``azul/NAME-vN`` of ``games.GAMES`` for PettingZoo, its camel-case form for Gymnasium."""

from __future__ import annotations

import re

from azul_duel_env.games.ids import GAMES


def gymnasium_id(game_id: str) -> str:
    """Return the id of a game for Gymnasium: ``azul/OneGame-v0`` of ``azul/one_game-v0``."""
    namespace, _, name = game_id.partition("/")
    name, _, version = name.rpartition("-")
    return f"{namespace}/{camel_case(name)}-{version}"


def camel_case(name: str) -> str:
    """Return a name in CamelCase: ``OneGame`` of ``one_game``."""
    return "".join(part.capitalize() for part in re.split("[-_]", name))


def module_of(game_id: str) -> str:
    """Return the module that holds the environments of a game: ``azul_duel_env.one_game_v0`` of ``azul/one_game-v0``."""
    return f"azul_duel_env.{game_id.partition('/')[2].replace('-', '_')}"


def register() -> None:
    """Register the ids; again does no harm."""
    _register_in_pettingzoo()
    _register_in_gymnasium()


def _register_in_pettingzoo() -> None:
    """Register the AEC environments, where PettingZoo has a registry (since 1.27)."""
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    for game_id in GAMES:
        if game_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", game_id, f"{module_of(game_id)}:env")


def _register_in_gymnasium() -> None:
    """Register the single-agent environments, their vector classes with them."""
    import gymnasium

    for game_id in GAMES:
        environment = gymnasium_id(game_id)
        place = f"{module_of(game_id)}:{camel_case(game_id.partition('/')[2].rpartition('-')[0])}"
        if environment not in gymnasium.registry:
            gymnasium.register(environment, f"{place}Env", vector_entry_point=f"{place}VectorEnv")
