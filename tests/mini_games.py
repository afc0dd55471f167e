"""Games of Azul Summer Pavilion Mini, state by state, for tests that look at many positions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from azul_duel_env.games import find_game
from azul_duel_env.games.pavilion_mini.actions import PAY_WILDS, PLACE_TILE
from azul_duel_env.games.pavilion_mini.components import BOARDS, COLOURS, NUM_COLOURS, PLAYER_COUNTS, SPACE_NUMBER
from azul_duel_env.games.pavilion_mini.state import PLACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from azul_duel_env.game import Game, Position

GAME_ID = "azul/pavilion_mini-v0"
VARIANTS = tuple((num_players, board) for num_players in PLAYER_COUNTS for board in BOARDS)
"""Numbers of players and sides of the boards."""
POLICIES = ("random", "sensible")


def game(num_players: int) -> Game:
    """Return the game for so many players."""
    return find_game(GAME_ID, num_players)


def choose(position: Position, rng: random.Random, policy: str) -> int:
    """Choose at random; "sensible" places what it can, on low numbers first: with four players, factories then run short (SR17)."""
    legal = position.legal_actions().tolist()
    if policy == "sensible" and position.states["stage"][0] == PLACE:
        numbers = SPACE_NUMBER[position.states["grey"][0]]
        places = [action for action in legal if PLACE_TILE <= action < PAY_WILDS]
        lowest = min(numbers[(action - PLACE_TILE) // NUM_COLOURS] for action in places)
        legal = [action for action in places if numbers[(action - PLACE_TILE) // NUM_COLOURS] == lowest]
    return int(rng.choice(legal))


def new_game(num_players: int, board: str, seed: int, **options: Any) -> Position:
    """Return a new game; the wild order and what may be kept change with the seed."""
    order = random.Random(seed).sample(COLOURS, NUM_COLOURS)
    given: dict[str, Any] = {"board": board, "wild_order": order, "keep": ("most", "any")[seed % 2]}
    return game(num_players).new(seed, **(given | options))


def go_on(position: Position, rng: random.Random, policy: str) -> None:
    """Draw what is due, or decide."""
    if position.chance_is_due:
        position.draw_chance()
    else:
        position.step(choose(position, rng, policy))


def states_of_games(num_players: int, board: str, seeds: range, **options: Any) -> Iterator[Position]:
    """Yield every position of random and sensible games, in turn. Each is the same object, which moves on: copy what must stay."""
    for seed in seeds:
        position, rng = new_game(num_players, board, seed, **options), random.Random(seed)
        policy = POLICIES[seed // 2 % len(POLICIES)]
        yield position
        while not position.over:
            go_on(position, rng, policy)
            yield position
