"""The games of this package: each is one folder here, and one line in ``GAMES``."""

from __future__ import annotations

from importlib import import_module

from azul_duel_env.game import Game

GAMES = {"azul/duel-v0": "azul_duel_env.games.duel"}
"""Id -> the package of the game, whose ``GAME`` is imported when it is first wanted. The version of an id moves when dynamics, spaces or
rewards change."""


def find_game(game_id: str) -> Game:
    """Return the game with an id.

    Raises:
        ValueError: there is none.
    """
    if game_id not in GAMES:
        raise ValueError(f"unknown game {game_id!r}: there are {', '.join(GAMES)}")
    game: Game = import_module(GAMES[game_id]).GAME
    return game
