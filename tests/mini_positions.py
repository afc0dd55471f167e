"""Games of Azul Summer Pavilion Mini for tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

from azul_duel_env.game import Game, Position
from azul_duel_env.games import find_game

ID = "azul/pavilion_mini-v0"
COUNTS = (2, 3, 4)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"board": "grey"},
    {"keep": "any"},
    {"board": "grey", "keep": "any", "wild_order": ("red", "blue", "yellow", "orange", "green", "purple")},
)
"""Both values of each switch."""


def game_of(num_players: int) -> Game:
    return find_game(ID, num_players)


def positions(size: int, num_players: int, first_seed: int = 0, **options: Any) -> Iterator[Position]:
    """Yield ``size`` positions of random games in which a player decides or nobody does any more, all variants in turn.

    Each is the same object, which moves on: copy what must stay.
    """
    game, left = game_of(num_players), size
    for seed in count(first_seed):
        position = game.new(seed, **(OPTIONS[seed % len(OPTIONS)] | options))
        rng = random.Random(seed)
        while left > 0:
            while position.chance_is_due:
                position.draw_chance()
            yield position
            left -= 1
            if position.over:
                break
            position.step(rng.choice(position.legal_actions().tolist()))
        if left <= 0:
            return
