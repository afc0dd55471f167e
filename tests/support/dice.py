"""The last round of the game of dice, in which everything can be worked out."""

from __future__ import annotations

from itertools import product

import numpy as np
from toy_game import GAME as TOY
from toy_game import rules as toy_rules


def returns_of(position, actions):
    """What the toy game comes to for each player on average over the rolls to come, if these are the actions that are left."""
    left = len(actions) - 1
    total = np.zeros(3)
    for dice in product(range(1, toy_rules.SIDES + 1), repeat=left):
        after = position.copy()
        for action, die in zip(actions, (*dice, None), strict=True):
            after.step(action)
            if die is not None:
                after.states["die"] = die
        total += after.returns
    return total / toy_rules.SIDES**left


def expected_returns(position, actions):
    """The same after some actions, if each player then plays for the best of their own, whatever is rolled, as in an open-loop tree.

    NaN where somebody is nearly indifferent, and so may make either of the others win.
    """
    if position.decisions + len(actions) == toy_rules.MAX_DECISIONS:
        return returns_of(position, actions)
    decides = (position.player + len(actions)) % 3
    one, other = (expected_returns(position, (*actions, action)) for action in (0, 1))
    if not abs(one[decides] - other[decides]) > 0.1 and not np.allclose(one, other):
        return np.full(3, np.nan)
    return one if one[decides] > other[decides] else other


def at_the_last_round(seed, first):
    """A position of the last round, in which the player ``first`` decides, with scores drawn at random."""
    rng, position = np.random.default_rng(seed), TOY.new(seed)
    while position.decisions < toy_rules.MAX_DECISIONS - 3 + first:
        position.step(int(rng.integers(2)))
    position.states["scores"][0] = 10 + rng.integers(4, size=3)
    return position
