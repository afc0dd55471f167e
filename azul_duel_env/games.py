"""The games of this package, by the id of their environments."""

from __future__ import annotations

from azul_duel_env.duel import GAME as DUEL
from azul_duel_env.game import Game

GAMES: dict[str, Game] = {DUEL.id: DUEL}


def find_game(game_id: str) -> Game:
    """Return the game with an id.

    Raises:
        ValueError: there is none.
    """
    if game_id not in GAMES:
        raise ValueError(f"unknown game {game_id!r}: there are {', '.join(GAMES)}")
    return GAMES[game_id]
