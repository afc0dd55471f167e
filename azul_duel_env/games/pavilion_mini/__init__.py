"""Azul Summer Pavilion Mini: ``GAME`` is its rules core behind the contract that everything else uses, for two players.

``GAME.variants`` are the same for three and four.
"""

from __future__ import annotations

from typing import Any

from azul_duel_env.game import Game
from azul_duel_env.games.pavilion_mini.components import PLAYER_COUNTS
from azul_duel_env.games.pavilion_mini.game import HOMES, game_for

__all__ = ["GAME"]

GAME = game_for(PLAYER_COUNTS[0])
_PLAYERS_OF = {home.rpartition(":")[2]: num_players for num_players, home in HOMES.items()}


def __getattr__(name: str) -> Any:
    """Make the games for other numbers of players when they are first wanted."""
    if name not in _PLAYERS_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made: Game = globals().setdefault(name, game_for(_PLAYERS_OF[name]))
    return made
