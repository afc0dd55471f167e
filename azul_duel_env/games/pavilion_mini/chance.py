"""Chance: what must be drawn now, with which odds, and what an outcome does.

Tiles are drawn one at a time, first for the supply and then for the factories, and at last, once a game, who begins. A draw with one
possible outcome is no draw (SR27).
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.components import (
    NUM_COLOURS,
    NUM_ROUNDS,
    STRUCTURE_KIND,
    STRUCTURE_TILES,
    SUPPLY_SIZE,
    TILES_ON_FACTORY,
    num_factories,
)
from azul_duel_env.games.pavilion_mini.state import (
    CHOOSE_FIRST,
    FILL_FACTORIES,
    FILL_SUPPLY,
    FIRST,
    NO_CHANCE,
    NOBODY,
    TILE,
    TURN_OVER,
)
from azul_duel_env.jit import rule
from azul_duel_env.jit.rng import below

TILES_OF_STRUCTURES = int(STRUCTURE_TILES[STRUCTURE_KIND].sum())
"""Tiles that a full board has brought: 36."""


def max_outcomes(num_players: int) -> int:
    """Return room for the outcomes of any draw: colours, or seats."""
    return max(NUM_COLOURS, num_players)


def max_draws(num_players: int) -> int:
    """Return a bound on the draws of a game: the supply, the factories of each round, what structures bring, and who begins."""
    filled = NUM_ROUNDS * num_factories(num_players) * TILES_ON_FACTORY
    return SUPPLY_SIZE + filled + num_players * TILES_OF_STRUCTURES + 1


# Counting -------------------------------------------------------------------------------------
@rule
def count_all(counts):
    """Return the sum of some counts."""
    total = 0
    for i in range(len(counts)):
        total += int(counts[i])
    return total


@rule
def has_any(counts):
    """Return whether any count is above 0."""
    for i in range(len(counts)):
        if counts[i] > 0:
            return True
    return False


@rule
def move_all(source, target):
    """Move all tiles of one place to another."""
    for colour in range(NUM_COLOURS):
        target[colour] += source[colour]
        source[colour] = 0


# What is due ----------------------------------------------------------------------------------
@rule
def wants_tile(state):
    """Return whether a tile is wanted now, for the supply (S5, S28) or for the factory being filled (S5, S32)."""
    stage = state.stage
    if stage in (FILL_SUPPLY, TURN_OVER):
        return count_all(state.supply) < SUPPLY_SIZE
    if stage == FILL_FACTORIES:
        return state.filling < len(state.factories) and count_all(state.factories[state.filling]) < TILES_ON_FACTORY
    return False


@rule
def chance_due(state):
    """Return which kind of chance must decide before anything else can happen, or NO_CHANCE.

    If a tile is wanted and the bag is empty, the whole deposit goes into it first (S28, S32, SR21).
    """
    if wants_tile(state):
        if not has_any(state.bag):  # SR21
            move_all(state.deposit, state.bag)
        return TILE if has_any(state.bag) else NO_CHANCE
    if state.stage == CHOOSE_FIRST and state.first_player == NOBODY:  # S7
        return FIRST
    return NO_CHANCE


# Odds -----------------------------------------------------------------------------------------
@rule
def num_outcomes(state):
    """Return how many outcomes the draw that is due has, possible or not."""
    return outcomes_of(state, state.chance)


@rule
def outcomes_of(state, chance):
    """Return how many outcomes a kind of chance has: 0 to 5 are colours, or the seats."""
    return NUM_COLOURS if chance == TILE else len(state.scores)


@rule
def chance_weight(state, chance, outcome):
    """Return the integer weight of an outcome; its probability is this over the sum of all."""
    return np.int64(state.bag[outcome]) if chance == TILE else np.int64(1)


@rule
def outcome_weight(state, outcome):
    """Return the integer weight of an outcome of the draw that is due; 0 if it is not possible."""
    return chance_weight(state, state.chance, outcome)


@rule
def total_weight(state, chance):
    """Return the sum of all weights, and the outcome if only one is possible, else NOBODY."""
    total = 0
    only = NOBODY
    for outcome in range(outcomes_of(state, chance)):
        weight = chance_weight(state, chance, outcome)
        if weight > 0:
            only = outcome if total == 0 else NOBODY  # SR27
            total += weight
    return total, only


@rule
def pick_outcome(state, chance, total):
    """Draw an outcome with the state's own generator."""
    left = below(state, total)
    outcome = -1
    while left >= 0:
        outcome += 1
        left -= chance_weight(state, chance, outcome)
    return outcome


@rule
def draw_outcome(state):
    """Draw, with the state's generator, an outcome of the draw that is due."""
    total, _ = total_weight(state, state.chance)
    return pick_outcome(state, state.chance, total)


# What an outcome does -------------------------------------------------------------------------
@rule
def place_outcome(state, outcome):
    """Let an outcome of the draw that is due happen."""
    let_happen(state, state.chance, outcome)


@rule
def let_happen(state, chance, outcome):
    """Let an outcome happen: a tile comes out of the bag, or somebody begins."""
    state.chance = NO_CHANCE
    if chance == FIRST:
        state.first_player = outcome
        return
    state.bag[outcome] -= 1
    if state.stage == FILL_FACTORIES:
        state.factories[state.filling, outcome] += 1
    else:
        state.supply[outcome] += 1
