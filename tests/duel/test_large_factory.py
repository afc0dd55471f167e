"""The tiles of the large factory: the odds that drawing again and again would give (D17), without drawing again and again."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from sizes import scaled
from walks import OPTIONS, choose, large_factory_next

from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.chance import DRAWN_AGAIN, MAX_DRAWS
from azul_duel_env.games.duel.components import LARGE, TILES_ON_LARGE
from azul_duel_env.games.duel.state import TILE
from azul_duel_env.jit import COMPILED


# The rule as a loop, in exact fractions -------------------------------------------------------
@cache
def drawn(bag, tower, sun):
    """Return (sun, bag, tower) -> probability once five tiles lie there, or all there are (D82)."""
    if sum(bag) == 0 and sum(sun) < TILES_ON_LARGE:
        bag, tower = tower, (0,) * 5
    if sum(bag) == 0 or sum(sun) == TILES_ON_LARGE:
        return {(sun, bag, tower): Fraction(1)}
    found = Counter()
    for colour, count in enumerate(bag):
        for end, odds in drawn(with_one(bag, colour, -1), tower, with_one(sun, colour, 1)).items() if count else ():
            found[end] += Fraction(count, sum(bag)) * odds
    return found


def with_one(counts, colour, more):
    return tuple(count + more * (c == colour) for c, count in enumerate(counts))


def by_the_loop(bag, tower):
    """Return sun -> probability when five equal tiles go back into the bag, as often as they come (D17, R9)."""
    found, again = Counter(), Counter()
    for (sun, bag_then, tower_then), odds in drawn(bag, tower, (0,) * 5).items():
        with_them = tuple(a + b for a, b in zip(bag_then, sun, strict=True))
        if max(sun) == TILES_ON_LARGE and max(with_them) < sum(with_them):
            again[with_them, tower_then] += odds
        else:
            found[sun] += odds
    for start, odds in again.items():
        if start == (bag, tower):  # from where it began: a geometric series
            return {sun: p / (1 - odds) for sun, p in found.items()}
        for sun, p in by_the_loop(*start).items():
            found[sun] += odds * p
    return found


# The tree of draws ----------------------------------------------------------------------------
def by_the_tree(position, known):
    """Return sun -> probability by the odds of each draw, and the most draws in a row; ``known`` keeps what was found."""
    s = position.states[0]
    if position.chance != TILE or s.filling != 0:
        return {tuple(s.suns[LARGE].tolist()): Fraction(1)}, 0
    key = s.suns.tobytes(), s.bag.tobytes(), s.tower.tobytes(), int(s.tipped_midway)
    if key not in known:
        weights = np.zeros(5, np.int64)
        GAME.rules.outcome_weights(position.states, 0, weights)
        found, most = Counter(), 0
        for colour in np.flatnonzero(weights).tolist():
            after = position.copy()
            after.apply_chance(colour)
            suns, draws = by_the_tree(after, known)
            most = max(most, 1 + draws)
            for sun, odds in suns.items():
                found[sun] += Fraction(int(weights[colour]), int(weights.sum())) * odds
        known[key] = found, most
    return known[key]


def counts_up_to(most):
    return [(*counts, 0, 0) for counts in product(range(most + 1), repeat=3)]


EMPTY = (0,) * 5
CASES = [
    *product(counts_up_to(1), counts_up_to(2)),
    *((bag, EMPTY) for bag in counts_up_to(4)),
    *product([(n, 0, 0, 0, 0) for n in range(8)], [(13 - n, 6, 0, 0, 0) for n in range(8)]),
    *(((13,) * 5, EMPTY), ((13, 9, 5, 1, 0), (0, 4, 8, 12, 13)), ((5, 1, 0, 0, 0), (8, 12, 13, 13, 13))),
]


@pytest.mark.parametrize("part", range(4))
def test_the_odds_are_those_of_drawing_again_and_again(part):
    """Exactly, whatever bag and tower hold; with fewer than five tiles too (R10), or only one colour (R9)."""
    known = {}
    longest = 0
    for bag, tower in CASES[part :: 4 if COMPILED else 40]:
        found, most = by_the_tree(large_factory_next(bag, tower), known)
        assert found == by_the_loop(bag, tower), (bag, tower)
        longest = max(longest, most)
    assert TILES_ON_LARGE <= longest <= TILES_ON_LARGE + DRAWN_AGAIN


def test_only_a_tower_tipped_in_midway_can_bring_five_equal_tiles_back():
    position = large_factory_next((2, 0, 0, 0, 0), (11, 13, 13, 13, 13))
    assert position.states["suns"][0, LARGE].tolist() == [2, 0, 0, 0, 0]
    for _ in range(3):
        assert dict(position.chance_outcomes())[1] == 13 / position.states["bag"].sum(), "every tile counts once"
        assert "tower tipped midway: yes" in position.to_text()
        assert GAME.read_position(position.to_text()) == position
        position.apply_chance(0)
    assert position.states["suns"][0, LARGE].sum() == 0
    assert position.states["bag"].tolist() == [[13] * 5]
    for _ in range(4):
        assert "tower tipped midway" not in position.to_text()
        position.apply_chance(0)
    assert [outcome for outcome, _ in position.chance_outcomes()] == [1, 2, 3, 4]
    assert position.check() == []


# A bound --------------------------------------------------------------------------------------
def most_equal(position, outcomes):
    """Return the colour that lies on the large factory most often."""
    return max(outcomes, key=lambda outcome: position.states["suns"][0, LARGE, outcome % 5])


SCRIPTS = {
    "first": lambda _, outcomes: outcomes[0],
    "last": lambda _, outcomes: outcomes[-1],
    "most equal": most_equal,
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_game_has_at_most_so_many_draws(script):
    most = 0
    for seed in range(scaled(30, least=2)):
        position, rng = GAME.new(seed, explicit_chance=True, **OPTIONS[seed % len(OPTIONS)]), random.Random(seed)
        draws = 0
        while not position.over:
            if position.chance_is_due:
                position.apply_chance(SCRIPTS[script](position, [outcome for outcome, _ in position.chance_outcomes()]))
                draws += 1
            else:
                position.step(choose(position, rng, "random"))
        most = max(most, draws)
    assert 60 < most <= MAX_DRAWS == GAME.max_draws
