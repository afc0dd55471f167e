"""Intervals hold the truth as often as they say, from two seeds on, whatever the games of a seed have in common."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest
from sizes import scaled

from azul_duel_env.arena import GameResult, summarise
from azul_duel_env.arena.intervals import (
    Z_95,
    design_effect,
    mean_interval,
    rate_interval,
    t_95,
    wilson_interval,
)
from azul_duel_env.arena.rate import RatingPlan, estimate
from azul_duel_env.arena.rate import rate as find_rating
from azul_duel_env.arena.ratings import POINTS, fit_field, fit_one, rate_field
from azul_duel_env.arena.report import estimate_lines, rating_row
from azul_duel_env.cli.shared import matches_table
from azul_duel_env.games.duel import GAME

AGAINST_B, AGAINST_A = ("a", "b"), ("b", "a")


# Margins -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seeds", [2, 3, 5, 10, 40])
@pytest.mark.parametrize("luck_of_seed", [0.0, 2.0])
def test_margins_are_covered(seeds, luck_of_seed):
    rng = np.random.default_rng(seeds)
    runs = 3000
    margins = 7 + 10 * (rng.standard_normal((runs, seeds, 2)) + luck_of_seed * rng.standard_normal((runs, seeds, 1)))
    of_game = np.repeat(np.arange(seeds), 2)
    ends = np.array([mean_interval(row.ravel(), of_game) for row in margins])
    assert np.mean((ends[:, 0] <= 7) & (ends[:, 1] >= 7)) == pytest.approx(0.95, abs=0.015)


def test_margins_of_seeds_with_one_game_and_with_two_are_covered():
    rng = np.random.default_rng(1)
    of_game = np.array([0, 1, 1, 2, 2, 3, 4, 4])
    covered = 0
    for _ in range(3000):
        margins = 5 * rng.standard_normal(8) + 5 * rng.standard_normal(5)[of_game]
        low, high = mean_interval(margins, of_game)
        covered += low <= 0 <= high
    assert covered / 3000 == pytest.approx(0.94, abs=0.025)


def test_a_mean_interval_is_students_and_unknown_for_one_seed():
    values = np.array([3.0, 8.0, -2.0, 5.0])
    half = 3.182446 * values.std(ddof=1) / 2  # Student's t for 3 degrees of freedom, as tables have it
    expected = (values.mean() - half, values.mean() + half)
    assert mean_interval(values, [1, 2, 3, 4]) == pytest.approx(expected)
    assert mean_interval(np.repeat(values, 2), [1, 1, 2, 2, 3, 3, 4, 4]) == pytest.approx(expected)
    assert mean_interval(values, [7, 7, 7, 7]) == (None, None)
    assert mean_interval(values[:0], []) == (None, None)
    assert t_95(1) == pytest.approx(12.706, abs=1e-3)
    assert t_95(10**6) == pytest.approx(Z_95, abs=1e-4)


# Results of pairs: every one there is, with its chance ---------------------------------------------------------------
@cache
def results_of(seeds):
    """Return how many pairs are won, shared and lost (int64, (N, 3)): all that can come of so many seeds."""
    return np.array([(w, s, seeds - w - s) for w in range(seeds + 1) for s in range(seeds + 1 - w)])


def chances_of(seeds, rate, common):
    """Return the chance of each of these results, where luck of the seed decides both games of a pair with chance ``common``."""
    won, lost = (p * p * (1 - common) + p * common for p in (rate, 1 - rate))
    shared = 1 - won - lost
    return np.array(
        [comb(seeds, w) * comb(seeds - w, s) * won**w * shared**s * lost**n for w, s, n in results_of(seeds)]
    )


def games_of(won, shared, lost):
    """Return points of agent a, game by game, and their seeds."""
    points = np.array([1.0, 1.0] * won + [1.0, 0.0] * shared + [0.0, 0.0] * lost)
    return points, np.repeat(np.arange(won + shared + lost), 2)


@cache
def rate_intervals(seeds):
    return np.array([rate_interval(*games_of(*result)) for result in results_of(seeds)])


def coverage(intervals, truth, seeds, rate, common):
    inside = (intervals[:, 0] <= truth) & (truth <= intervals[:, 1])
    return float(chances_of(seeds, rate, common) @ inside)


RATES = (0.03, 0.1, 0.3, 0.5, 0.6, 0.8, 0.9, 0.97)
COMMON = (0.0, 0.3, 0.7, 1.0)


@pytest.mark.parametrize("seeds", [2, 3, 5, 10, 30])
def test_win_rates_are_covered(seeds):
    found = [coverage(rate_intervals(seeds), rate, seeds, rate, common) for rate in RATES for common in COMMON]
    assert np.mean(found) >= 0.95
    assert min(found) >= 0.89  # what Wilson's interval itself comes down to between two counts


def test_win_rates_of_independent_games_are_not_much_wider_than_wilsons():
    points, seeds = games_of(50, 100, 50)
    low = rate_interval(points, seeds)[0]
    expected = wilson_interval(0.5, 400)
    assert expected[0] - 0.002 < low <= expected[0]
    assert rate_interval(points, np.arange(400)) == expected
    assert rate_interval(np.ones(4), [1, 1, 2, 2]) == wilson_interval(1.0, 2), (
        "all one way: the games of a seed count as one"
    )
    assert rate_interval(np.array([1.0, 0.0]), [1, 1]) == wilson_interval(0.5, 1)
    assert rate_interval(np.zeros(0), []) == (0.0, 1.0)


def test_design_effect():
    rng = np.random.default_rng(0)
    of_game = np.repeat(np.arange(2000), 2)
    assert design_effect(rng.standard_normal(4000), of_game) == pytest.approx(1.0, abs=0.06)
    assert design_effect(np.repeat(rng.standard_normal(2000), 2), of_game) == pytest.approx(2.0, abs=0.01)
    assert design_effect(rng.standard_normal(4000), np.arange(4000)) == 1.0
    assert design_effect(np.ones(6), [1, 1, 1, 2, 2, 2]) == 3.0


# Ratings -------------------------------------------------------------------------------------------------------------
def game_of(agents, seed, won):
    """Return a game that the agent a won, or lost."""
    return GameResult(
        agents, seed, (10, 5), agents.index("a") if won else 1 - agents.index("a"), 100, (), 0, (50, 50), (1.0, 1.0)
    )


def pairs_of(won, shared, lost):
    points, seeds = games_of(won, shared, lost)
    return [game_of((AGAINST_B, AGAINST_A)[i % 2], int(seeds[i]), points[i] == 1) for i in range(len(points))]


@cache
def rating_intervals(seeds):
    found = [estimate(RatingPlan("a", {"b": 100.0}), pairs_of(*result)) for result in results_of(seeds)]
    return np.array([(-np.inf if e.low is None else e.low, np.inf if e.high is None else e.high) for e in found])


@pytest.mark.parametrize("seeds", [2, 3, 5, 10])
def test_ratings_by_few_seeds_are_covered(seeds):
    found = []
    for rate in RATES:
        truth = 100 + POINTS * np.log(rate / (1 - rate))
        found += [coverage(rating_intervals(seeds), truth, seeds, rate, common) for common in COMMON]
    assert np.mean(found) >= 0.95
    assert min(found) >= 0.89


class Outcomes(dict):
    """Games of the agent a, as if all were played; luck of a seed decides both of its games alike."""

    def __init__(self, ladder, truth, rng):
        super().__init__()
        self.ladder, self.truth, self.rng = ladder, truth, rng

    def __contains__(self, _):
        return True

    def __missing__(self, fixture):
        agents, seed = fixture
        other = agents[1 - agents.index("a")]
        won = self.rng.random() < 1 / (1 + np.exp((self.ladder[other] - self.truth) / POINTS))
        for seating in (("a", other), (other, "a")):
            self[seating, seed] = game_of(seating, seed, won)
        return self[fixture]


@pytest.mark.slow
def test_a_rating_that_stops_by_itself_is_covered():
    """Each round's opponents, and the end, depend on the games so far."""
    ladder, truth = {"b": 0.0, "c": 150.0, "d": 300.0, "e": 500.0}, 240.0
    runs, covered, games = max(60, scaled(60)), 0, set()
    for run in range(runs):
        file = SimpleNamespace(results=Outcomes(ladder, truth, np.random.default_rng(run)))
        found = find_rating(GAME, RatingPlan("a", ladder, 130, 600, run), file)
        assert found.half <= 130
        covered += found.low <= truth <= found.high
        games.add(found.games)
    assert len(games) > 1
    assert covered / runs >= 0.92  # without the design effect it is at most 0.9


def test_a_field_that_shares_its_seeds_is_covered():
    """Luck of a seed favours one seat of the table in all games of all pairs."""
    rng = np.random.default_rng(4)
    names, strength = ("a", "b", "c"), {"a": 0.5, "b": 0.0, "c": -0.5}
    runs, seeds = 60, 6
    covered = 0
    for _ in range(runs):
        games = []
        for seed in range(seeds):
            luck = {name: 2.0 * rng.standard_normal() for name in names}
            for one in names:
                for two in names:
                    if one < two:
                        odds = strength[one] - strength[two] + luck[one] - luck[two]
                        for agents in ((one, two), (two, one)):
                            won = rng.random() < 1 / (1 + np.exp(-odds))
                            winner = agents.index(one if won else two)
                            games.append(GameResult(agents, seed, (10, 5), winner, 100, ()))
        found = fit_field(names, games).interval(np.array([1.0, 0.0, -1.0]))
        low = -np.inf if found.low is None else found.low
        high = np.inf if found.high is None else found.high
        covered += low <= truth_of_field() <= high
    assert covered / runs >= 0.93


@cache
def truth_of_field():
    """Return the difference between a and c that so many games would give."""
    rng = np.random.default_rng(5)
    many = 200_000
    luck = 2.0 * rng.standard_normal((3, many))
    expected = [(luck[i] - luck[j] + (j - i) * 0.5) for i, j in ((0, 1), (0, 2), (1, 2))]
    rates = [np.mean(1 / (1 + np.exp(-odds))) for odds in expected]
    gaps = np.linspace(0, 2, 20_001)  # by symmetry b stands in the middle: the slope of the likelihood is 0 where
    slopes = rates[0] + 2 * rates[1] + rates[2] - 2 / (1 + np.exp(-gaps / 2)) - 2 / (1 + np.exp(-gaps))
    return POINTS * gaps[np.argmin(np.abs(slopes))]


def test_one_seed_tells_no_rating():
    found = fit_one("a", {"b": 0.0}, pairs_of(0, 1, 0)).interval(np.ones(1))
    assert (found.value, found.low, found.high) == (pytest.approx(0, abs=1e-6), None, None)


def test_bounds_after_nothing_but_wins_count_seeds():
    pairs, lone = pairs_of(30, 0, 0), [game_of(AGAINST_B, seed, True) for seed in range(30)]
    bounds = [estimate(RatingPlan("a", {"b": 100.0}), games).bound for games in (pairs, lone)]
    assert bounds[0] == pytest.approx(bounds[1])
    assert (1 / (1 + 10 ** (-(bounds[0] - 100) / 400))) ** 30 == pytest.approx(0.05)


# What is shown -------------------------------------------------------------------------------------------------------
def test_what_too_few_seeds_can_not_tell_is_shown_as_unknown():
    from rich.console import Console

    one = summarise(("a", "b"), pairs_of(1, 0, 0))
    console = Console(width=200)
    with console.capture() as shown:
        console.print(matches_table([one], GAME))
    assert "[?, ?]" in shown.get()
    assert (one.margin_low, one.margin_high) == (None, None)
    assert one.win_rate_low == pytest.approx(wilson_interval(1.0, 1)[0])
    for rating in rate_field(("random", "b"), [replace(game, agents=("b", "random")) for game in pairs_of(1, 0, 0)]):
        assert rating.agent == "random" or rating_row(rating, "random")[2] == "[?, ?]"
    told = estimate_lines(estimate(RatingPlan("a", {"b": 0.0}), pairs_of(0, 1, 0)), 50)
    assert "[?, ?]" in told[0]
