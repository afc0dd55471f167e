"""Chance, by the state's own generator and made explicit: the same games, and the odds that the rules give."""

from __future__ import annotations

import random
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from scipy.stats import chisquare
from sizes import scaled
from walks import choose, games, positions

from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.components import EMPTY, FACE_DOWN, KIND_OF
from azul_duel_env.games.duel.state import CHANCES, CHIP, FIRST, FRONT, SCORING, STACK_TOP, TILE

UNLIKELY = 1e-5
"""Seeds are fixed, so a test passes always or never; a p-value below this says that the odds are wrong."""
KINDS_OF_CHANCE = (STACK_TOP, FRONT, SCORING, TILE, CHIP, FIRST)


def follow_draws(position):
    """Let all draws that are due happen by the position's own generator; return which."""
    drawn = []
    while position.chance_is_due:
        drawn.append((int(position.states["chance"][0]), position.draw_chance()))
    return drawn


def due_positions(count, first_seed=0, kind=None):
    """Yield positions with a draw due, of one kind or any."""
    for position, rng, policy in games(first_seed, explicit_chance=True):
        while not position.over:
            if position.chance_is_due:
                if kind is None or position.states["chance"][0] == kind:
                    yield position
                    count -= 1
                    if count <= 0:
                        return
                position.draw_chance()
            else:
                position.step(choose(position, rng, policy))


def test_explicit_chance_drawn_by_the_generator_plays_the_same_game():
    left = scaled(120)
    for explicit, rng, policy in games(first_seed=40, explicit_chance=True):
        seed = 40 + scaled(120) - left
        fields = explicit.states[0]
        implicit = GAME.new(
            seed,
            scoring_tiles=int(explicit.states["num_scoring_tiles"][0]),
            zero_point_draw="free" if fields["zero_point_draw_free"] else "forced_only",
            special_counts_as_colour=bool(fields["special_counts_as_colour"]),
            chip_payments="all" if fields["chip_payments_all"] else "undominated",
        )
        drawn = Counter(kind for kind, _ in follow_draws(explicit))
        while True:
            same = explicit.copy()
            same.states["explicit_chance"] = 0
            assert same.states.tobytes() == implicit.states.tobytes()
            if implicit.over:
                break
            action = choose(implicit, rng, policy)
            implicit.step(action)
            explicit.step(action)
            drawn.update(kind for kind, _ in follow_draws(explicit))
        assert set(drawn) == set(KINDS_OF_CHANCE)
        left -= 1
        if left == 0:
            break


def test_probabilities():
    """They add up to 1, are all above 0, at least two, and those of the outcomes that can be drawn."""
    met = set()
    for position in due_positions(scaled(20_000, least=70)):
        outcomes = position.chance_outcomes()
        met.add(int(position.states["chance"][0]))
        assert abs(sum(odds for _, odds in outcomes) - 1) < 1e-12
        assert len(outcomes) >= 2, "a draw with one outcome is none"
        assert all(odds > 0 for _, odds in outcomes)
        assert [outcome for outcome, _ in outcomes] == sorted({outcome for outcome, _ in outcomes})
        assert len(position.legal_actions()) == 0
        assert not position.action_mask().any()
        assert position.copy().draw_chance() in [outcome for outcome, _ in outcomes]
    assert met == set(KINDS_OF_CHANCE)


def test_odds_are_those_of_what_is_left():
    for position in due_positions(scaled(6000, least=70), first_seed=9):
        s = position.states[0]
        odds = dict(position.chance_outcomes())
        unseen = [tile for tile in range(18) if s.fronts_unseen[tile]]
        if s.chance == TILE:
            if s.filling == 0:  # the large factory: see test_large_factory.py
                continue
            left = {colour: int(n) for colour, n in enumerate(s.bag) if n}
        elif s.chance == CHIP:
            left = {chip: int(n) for chip, n in enumerate(s.chips_unseen) if n}
        elif s.chance == STACK_TOP:
            left = Counter(int(KIND_OF[tile]) for tile in unseen)
            left.subtract(int(s.hand_kinds[place]) for place in range(int(s.hand_size)) if s.hand[place] == -1)
        elif s.chance == FRONT:
            kinds = {int(KIND_OF[tile]) for tile in odds}
            assert len(kinds) == 1
            left = {tile: 1 for tile in unseen if KIND_OF[tile] in kinds}
        elif s.chance == SCORING:
            count = {3: 32, 4: 16}[int(s.num_scoring_tiles)]
            assert len(odds) == count
            left = dict.fromkeys(odds, 1)
            for mask in odds:
                conditions = {c % 4 for c in range(8) if mask >> c & 1}
                assert len(conditions) == mask.bit_count() == s.num_scoring_tiles
        else:
            left = {0: 1, 1: 1}
        total = sum(left.values())
        assert odds == pytest.approx({outcome: n / total for outcome, n in left.items() if n})


def test_impossible_outcomes_are_refused_and_change_nothing():
    met = set()
    for position in due_positions(scaled(1500, least=70), first_seed=3):
        possible = {outcome for outcome, _ in position.chance_outcomes()}
        met.add(int(position.states["chance"][0]))
        before = position.states.tobytes()
        for outcome in (-1, *range(20), 256, 10**12, None, 1.0, True):
            if outcome not in possible or isinstance(outcome, (bool, float)):
                with pytest.raises(ValueError, match="possible: "):
                    position.apply_chance(outcome)
        with pytest.raises(ValueError, match="chance must draw first"):
            position.step(0)
        assert position.states.tobytes() == before
    assert met == set(KINDS_OF_CHANCE)


def test_outcomes_are_refused_when_no_draw_is_due():
    for position in (GAME.new(1), GAME.new(1, explicit_chance=True)):
        follow_draws(position)
        before = position.states.tobytes()
        assert position.chance_outcomes() == []
        for outcome in range(5):
            with pytest.raises(ValueError, match="no draw is due"):
                position.apply_chance(outcome)
        with pytest.raises(ValueError, match="no draw is due"):
            position.draw_chance()
        assert position.states.tobytes() == before


def test_every_possible_outcome_can_happen():
    for position in due_positions(scaled(1500, least=40), first_seed=21):
        for outcome, _ in position.chance_outcomes():
            other = position.copy()
            other.apply_chance(outcome)
            assert not other.check()
            assert other != position


# The odds of what is drawn ----------------------------------------------------------------------------------------------
def assert_odds(counts, odds, what):
    """Compare counts of outcomes with their odds by a chi-square test."""
    assert set(counts) <= set(odds), f"{what}: {set(counts) - set(odds)} can't be"
    total = sum(counts.values())
    observed = [counts[outcome] for outcome in odds]
    expected = [probability * total for probability in odds.values()]
    assert chisquare(observed, expected).pvalue > UNLIKELY, f"{what}: {observed}, expected {expected}"


@pytest.mark.untraced
@pytest.mark.parametrize("kind", KINDS_OF_CHANCE, ids=lambda kind: CHANCES[kind])
def test_draw_chance_keeps_to_the_odds(kind):
    for position in islice(due_positions(10**6, first_seed=kind, kind=kind), 3):
        odds = dict(position.chance_outcomes())
        counts = Counter(position.reseeded(seed).draw_chance() for seed in range(scaled(6000, least=40 * len(odds))))
        assert_odds(counts, odds, CHANCES[kind])


SETUP_DRAWS = {
    "first player": (lambda s: int(s.first_player), 2),
    "dome tile": (lambda s: int(s.display[0]), 18),
    "second dome tile": (lambda s: int(s.display[1]), 18),
    "kind on top": (lambda s: int(s.top_kind), 2),
    "scoring tiles": (lambda s: tuple(s.scoring.tolist()), 32),
}


@pytest.mark.untraced
@pytest.mark.parametrize("what", SETUP_DRAWS)
def test_the_setup_is_drawn_evenly(what):
    read, outcomes = SETUP_DRAWS[what]
    states = GAME.new_states(range(scaled(8000, least=12 * outcomes)))
    counts = Counter(read(s) for s in states)
    assert len(counts) == outcomes
    assert_odds(counts, dict.fromkeys(counts, 1 / outcomes), what)


def test_the_bag_is_drawn_evenly():
    """One tile a game, of a factory chosen by the game's number, so that all tiles counted are independent."""
    states = GAME.new_states(range(scaled(8000, least=60)))
    rng = np.random.default_rng(0)
    counts = Counter()
    for s in states:
        sun = s.suns[rng.integers(5)]
        counts[int(rng.choice(5, p=sun / sun.sum()))] += 1
    assert_odds(counts, dict.fromkeys(range(5), 1 / 5), "tile")


def steps_to(kind):
    """Yield (position before, action, odds) where an action leads at once to a draw of a kind, all explicit."""
    for position, rng, _ in games(first_seed=600, explicit_chance=True):
        while not position.over:
            if position.chance_is_due:
                position.draw_chance()
                continue
            action = choose(position, rng, "draw")
            before = position.copy()
            position.step(action)
            if position.states["chance"][0] == kind:
                yield before, action, dict(position.chance_outcomes())


def revealed_chip(before, after):
    """The chip that has been turned up."""
    at = np.flatnonzero((before.factory_chips == FACE_DOWN) & (after.factory_chips != FACE_DOWN))
    return int(after.factory_chips[at[0]])


def looked_at(before, after):
    """The one dome tile that has been drawn and looked at."""
    del before
    return int(after.kept)


def back_on_top(before, after):
    """The kind that has become visible on top of the stack."""
    del before
    return int(after.top_kind)


WITHIN = {
    CHIP: (revealed_chip, lambda before: before.stage != 0),
    STACK_TOP: (back_on_top, lambda before: before.stack_unseen > 2),
    FRONT: (looked_at, lambda before: before.hand_size == 1),
}


@pytest.mark.parametrize("kind", WITHIN, ids=lambda kind: CHANCES[kind])
def test_what_a_step_draws_keeps_to_the_odds(kind):
    read, wanted = WITHIN[kind]
    cases = (case for case in steps_to(kind) if wanted(case[0].states[0]))
    for before, action, odds in islice(cases, 3):
        counts = Counter()
        for seed in range(scaled(3000, least=20 * len(odds))):
            position = before.reseeded(seed)
            position.states["explicit_chance"] = 0
            position.step(action)
            if kind == STACK_TOP and position.states["top_kind"][0] == EMPTY:
                continue
            counts[read(before.states[0], position.states[0])] += 1
        assert_odds(counts, odds, CHANCES[kind])


# Seeds ------------------------------------------------------------------------------------------------------------------
def play(seed, choices=7):
    """Play a random game; return its states."""
    position, rng = GAME.new(seed), random.Random(choices)
    states = [position.states.tobytes()]
    while not position.over:
        position.step(choose(position, rng, "random"))
        states.append(position.states.tobytes())
    return states


def test_a_seed_repeats():
    for seed in range(scaled(20)):
        assert play(seed) == play(seed)


def test_different_seeds_differ():
    count = scaled(3000, least=20)
    states = GAME.new_states(range(count))
    states["rng"] = 0
    assert len({s.tobytes() for s in states}) == count


def test_a_batch_is_made_of_the_single_games():
    states = GAME.new_states([3, 1, 4])
    for i, seed in enumerate([3, 1, 4]):
        assert states[i].tobytes() == GAME.new(seed).states[0].tobytes()


def test_no_seed_means_a_fresh_game():
    assert GAME.new() != GAME.new()


def test_wrong_seeds_are_refused():
    with pytest.raises(ValueError, match="seed must be an integer of at least 0"):
        GAME.new(-1)


def test_a_copy_draws_the_same_and_a_reseeded_one_does_not():
    reached, reseeded = set(), set()
    start = next(p.copy() for p in positions(10**4, first_seed=5) if p.states["round_number"][0] == 1)
    for seed in range(scaled(40, least=3)):
        for position, ends in ((start.copy(), reached), (start.reseeded(seed), reseeded)):
            rng = random.Random(1)
            while not position.over and position.states["round_number"][0] == 1:
                position.step(choose(position, rng, "random"))
            position.states["rng"] = 0
            ends.add(position.states.tobytes())
    assert len(reached) == 1
    assert len(reseeded) == scaled(40, least=3)
