"""Games of Azul Summer Pavilion Mini for tests: all numbers of players, both sides of the boards, random and sensible play."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from azul_duel_env.games import find_game
from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, decode
from azul_duel_env.games.pavilion_mini.components import EMPTY, PLAYER_COUNTS, SPACE_NUMBER, STAR_SIZE

if TYPE_CHECKING:
    from azul_duel_env.game import Game, Position

GAME_ID = "azul/pavilion_mini-v0"
VARIANTS = tuple((num_players, board) for num_players in PLAYER_COUNTS for board in ("coloured", "grey"))
"""Number of players, and side of the boards."""
POLICIES = ("random", "sensible")


def game_of(num_players: int) -> Game:
    """Return the game for so many players."""
    return find_game(GAME_ID, num_players)


def choose(position: Position, rng: random.Random, policy: str) -> int:
    """Choose at random, or sensibly: most tiles, and cheap placements that go on with a star, and no pass."""
    legal = position.legal_actions().tolist()
    rng.shuffle(legal)
    return legal[0] if policy == "random" else max(legal, key=lambda action: _worth(position, action))


def _worth(position: Position, action: int) -> int:
    """Return how good an action looks."""
    state = position.states[0]
    block, i = decode(action)
    if block == "take":
        return int((state.centre if i[0] == CENTRE_SOURCE else state.factories[i[0]])[i[1]])
    if block == "place":
        star = state.boards[state.active, i[0] // STAR_SIZE * STAR_SIZE :][:STAR_SIZE]
        return 10 + 2 * int((star != EMPTY).sum()) - int(SPACE_NUMBER[state.grey, i[0]])
    return 0
