"""The games of this package: each is one folder here, and one line in ``ids``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from azul_duel_env.games.ids import DEFAULT_GAME, GAMES

if TYPE_CHECKING:
    from azul_duel_env.game import Game

__all__ = ["DEFAULT_GAME", "GAMES", "find_game"]


def find_game(game_id: str, num_players: int | None = None) -> Game:
    """Return the game with an id, for a number of players or the usual one; it is imported when it is first wanted.

    Raises:
        ValueError: there is none, or it isn't for so many players.
    """
    if game_id not in GAMES:
        raise ValueError(f"unknown game {game_id!r}: there are {', '.join(GAMES)}")
    game: Game = import_module(GAMES[game_id]).GAME
    return game.of({"num_players": num_players})
