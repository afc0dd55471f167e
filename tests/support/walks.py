"""Random games, state by state, for tests that look at many positions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.actions import CHIP_DECLINE, DOME_DISPLAY, DOME_DRAW
from azul_duel_env.games.duel.state import TILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from azul_duel_env.game import Position

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"scoring_tiles": 4, "zero_point_draw": "forced_only"},
    {"special_counts_as_colour": False},
    {"scoring_tiles": 4, "special_counts_as_colour": False, "chip_payments": "all"},
)
"""Both values of each switch."""
POLICIES = ("random", "draw", "fill")


BREAKS = {action for action in range(DOME_DISPLAY) if action % 7 == 6}
"""Actions B and C that break all tiles."""


def choose(position: Position, rng: random.Random, policy: str) -> int:
    """Choose at random; "draw" prefers to draw dome tiles, "fill" pattern lines and chips to breaking and declining."""
    legal = position.legal_actions().tolist()
    if policy == "draw" and DOME_DRAW in legal and rng.random() < 0.7:
        return DOME_DRAW
    action = rng.choice(legal)
    if policy == "fill":
        for _ in range(5):
            if action not in BREAKS and action != CHIP_DECLINE:
                break
            action = rng.choice(legal)
    return action


def games(first_seed: int = 0, **options: Any) -> Iterator[tuple[Position, random.Random, str]]:
    """Yield new games for ever, with a generator for the choices and a policy; all variants in turn."""
    seed = first_seed
    while True:
        position = GAME.new(seed, **(OPTIONS[seed % len(OPTIONS)] | options))
        yield position, random.Random(seed), POLICIES[seed % len(POLICIES)]
        seed += 1


def positions(count: int, first_seed: int = 0, **options: Any) -> Iterator[Position]:
    """Yield ``count`` positions of random games in which a player decides or, once a game, nobody does any more.

    Each is the same object, which moves on: copy what must stay.
    """
    left = count
    for position, rng, policy in games(first_seed, **options):
        while left > 0:
            while position.chance_is_due:
                position.draw_chance()
            yield position
            left -= 1
            if position.over:
                break
            position.step(choose(position, rng, policy))
        if left <= 0:
            return


def large_factory_next(bag, tower):
    """Return a game in which the large factory is filled next, from a bag and a tower with these counts."""
    position = GAME.new(3, explicit_chance=True)
    while position.chance != TILE:
        position.draw_chance()
    position.states["bag"], position.states["tower"], position.states["chance"] = bag, tower, 0
    GAME.rules.advance_to_decision(position.states, 0)
    return position
