"""Ratings by the Bradley-Terry model on the Elo scale: who is 400 above the other wins ten times as often; a draw is half a win.

A game of n seats is a comparison of each two agents in it by their places, with weight 1/(n-1): so it counts for each agent as one game.

Ratings are the most likely ones under a wide normal prior: each agent's, before any game, with a standard deviation of ``PRIOR_SD``
around the mean of the field. It moves ratings by a point or two where there are games on both sides, and keeps an agent that has won all
its games finite.

The 95% interval of a difference holds what the likelihood ratio test doesn't reject (profile likelihood): near its middle that is the
curvature's interval, and where an agent has won almost everything it is as lopsided as what the games tell. A bootstrap would give an
agent that has won everything no spread at all. A side is open where only the prior bounds it. The test takes games as independent, while
those of one seed share their draws. So what it allows is multiplied by the design effect, the variance with all games of a seed as one
observation over that with each comparison as one (both by the sandwich estimator), with Student's t where seeds are few: see ``intervals``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.arena.intervals import count_seeds, design_effect, rate_interval, t_95
from azul_duel_env.arena.result import GameResult
from azul_duel_env.game import NOBODY

POINTS = 400 / log(10)
"""Elo points for one unit of log-odds."""
PRIOR_SD = 1500.0
PRIOR_PRECISION = (POINTS / PRIOR_SD) ** 2
ANCHOR = "random"
LARGEST_STEP = 2.0  # of Newton's method, in log-odds: a full step may overshoot far from the solution

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate in Elo points with its 95% interval; an end is None where games don't bound it.

    Attributes:
        value: the most likely value.
        low: lower end.
        high: upper end.
    """

    value: float
    low: float | None
    high: float | None

    @property
    def half(self) -> float:
        """Half the width; infinite if a side is open."""
        return float("inf") if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True)
class Rating:
    """An agent in a field of agents.

    Attributes:
        agent: its spec.
        rating: Elo points above the anchor.
        low: lower end of the 95% interval of that difference; None where games don't bound it.
        high: upper end.
        gap: Elo points above the next weaker agent; None for the weakest.
        gap_low: lower end of the 95% interval of that difference, which is narrower than the ratings' own where both have the same
            long way to the anchor.
        gap_high: upper end.
        games: that it played.
        win_rate: wins and half the draws over games, against all that it met: the share of the other seats that it came before.
        score_mean: mean of its own points.
        score_sd: standard deviation of them.
        seconds_per_decision: wall time; 0 if it is not known.
    """

    agent: str
    rating: float
    low: float | None
    high: float | None
    gap: float | None
    gap_low: float | None
    gap_high: float | None
    games: int
    win_rate: float
    score_mean: float
    score_sd: float
    seconds_per_decision: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as a plain dictionary, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Model:
    """Comparisons, whose log-odds of a win are ``design @ values + known``, one row for each kind.

    Attributes:
        design: float64 (rows, k).
        known: float64 (rows,): the part that is not estimated.
        points: float64 (rows,): the weight of each win, half of it for each draw.
        counts: float64 (rows,): the weight of all.
        centre: mean of the prior of each value.
    """

    design: Array
    known: Array
    points: Array
    counts: Array
    centre: float = 0.0

    def expected(self, values: Array) -> Array:
        """Return the chance of a win in each row."""
        return 1 / (1 + np.exp(-(self.design @ values + self.known)))

    def log_likelihood(self, values: Array) -> float:
        """Return how likely the games are, as a logarithm."""
        odds = self.design @ values + self.known
        lost = self.counts - self.points
        return -float(self.points @ np.logaddexp(0.0, -odds) + lost @ np.logaddexp(0.0, odds))

    def log_prior(self, values: Array) -> float:
        """Return how likely the values are before any game, as a logarithm and but for a constant."""
        return -PRIOR_PRECISION / 2 * float(((values - self.centre) ** 2).sum())

    def hessian(self, values: Array) -> Array:
        """Return the curvature at some values, float64 (k, k)."""
        expected = self.expected(values)
        weights = self.counts * expected * (1 - expected)
        return (self.design.T * weights) @ self.design + PRIOR_PRECISION * np.eye(len(values))

    def best(self, basis: Array, start: Array) -> Array:
        """Return the most likely values among ``start + basis @ (anything)``, by Newton's method; the basis is orthonormal."""
        values = start
        for _ in range(200):
            slope = self.design.T @ (self.points - self.counts * self.expected(values))
            slope = basis.T @ (slope - PRIOR_PRECISION * (values - self.centre))
            step = np.linalg.solve(basis.T @ self.hessian(values) @ basis, slope)
            largest = float(np.abs(step).max(initial=0.0))
            values = values + basis @ step * min(1.0, LARGEST_STEP / max(largest, LARGEST_STEP))
            if largest < 1e-9:
                break
        return values


class Fit:
    """The most likely values of a model.

    Args:
        model: the comparisons by rows.
        rows: int64 (N,): the row of each comparison.
        met: of each comparison.

    Attributes:
        values: log-odds, float64 (k,).
    """

    def __init__(self, model: Model, rows: NDArray[np.int64], met: Sequence[Comparison]) -> None:
        size = model.design.shape[1]
        self.model = model
        self.values = model.best(np.eye(size), np.full(size, model.centre))
        self._covariance: Array = np.linalg.inv(model.hessian(self.values)).astype(np.float64)
        self._weights = np.array([one.weight for one in met], np.float64)
        surprise = np.array([one.points for one in met], np.float64) - model.expected(self.values)[rows]
        self._slopes: Array = model.design[rows] * (self._weights * surprise)[:, None]
        self._seeds = np.array([one.seed for one in met], np.int64)

    def interval(self, contrast: Array) -> Interval:
        """Return a weighted sum of the values, in Elo points; fewer than two seeds bound it on neither side."""
        value, seeds = float(contrast @ self.values), count_seeds(self._seeds)
        if seeds < 2:
            return Interval(POINTS * value, None, None)
        deviations = self._slopes @ self._covariance @ contrast
        allowed = t_95(seeds - 1) ** 2 * max(1.0, design_effect(deviations, self._seeds, self._weights))
        step = (allowed * float(contrast @ self._covariance @ contrast)) ** 0.5
        low, high = (self._end(contrast, value, sign * step, allowed) for sign in (-1, 1))
        return Interval(POINTS * value, low, high)

    def _end(self, contrast: Array, value: float, step: float, allowed: float) -> float | None:
        """Return the end of an interval on one side, in Elo points, or None if only the prior bounds it."""
        inside, outside = value, value + step
        while self._drop(contrast, outside)[0] < allowed:
            inside, outside = outside, outside + 2 * (outside - value)
        for _ in range(25):  # to a thousandth of a point
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self._drop(contrast, middle)[0] < allowed else (inside, middle)
        return POINTS * outside if self._drop(contrast, outside)[1] > allowed / 2 else None

    def _drop(self, contrast: Array, value: float) -> tuple[float, float]:
        """Return twice by how much the fit gets worse when the weighted sum must have a value, and the games' own part of that."""
        normal = contrast / float(contrast @ contrast)
        start = self.values + normal * (value - float(contrast @ self.values))
        held = self.model.best(_orthogonal_to(contrast), start)
        games = 2 * (self.model.log_likelihood(self.values) - self.model.log_likelihood(held))
        return games + 2 * (self.model.log_prior(self.values) - self.model.log_prior(held)), games


def _orthogonal_to(vector: Array) -> Array:
    """Return an orthonormal basis of what is orthogonal to a vector, float64 (k, k - 1)."""
    return np.linalg.svd(vector[None])[2][1:].T


@dataclass(frozen=True)
class Comparison:
    """Two agents in a game.

    Attributes:
        kind: who met, as the fit tells rows apart.
        points: 1 if the first came before the second, 0.5 if they share a place, else 0.
        seed: of the game; comparisons of one seed are one observation.
        weight: what it counts for.
    """

    kind: Any
    points: float
    seed: int
    weight: float


def fit_comparisons(
    kinds: Sequence[Any], design: Array, known: Array, met: Sequence[Comparison], centre: float = 0.0
) -> Fit:
    """Fit a model to comparisons; row i of the design is that of ``kinds[i]``."""
    place = {kind: i for i, kind in enumerate(kinds)}
    rows = np.array([place[one.kind] for one in met], np.int64)
    weights = np.array([one.weight for one in met], np.float64)
    earned = weights * np.array([one.points for one in met], np.float64)
    counts, points = (np.bincount(rows, given, len(kinds)).astype(np.float64) for given in (weights, earned))
    return Fit(Model(design, known, points, counts, centre), rows, met)


def comparisons_in(result: GameResult) -> list[Comparison]:
    """Return each two seats of a game whose agents differ, the earlier seat first."""
    agents, seats = result.agents, range(len(result.agents))
    return [
        Comparison((agents[seat], agents[other]), result.points(seat, other), result.seed, 1 / (len(agents) - 1))
        for seat in seats
        for other in seats[seat + 1 :]
        if agents[seat] != agents[other]
    ]


def fit_field(agents: Sequence[str], results: Sequence[GameResult]) -> Fit:
    """Fit the log-odds of all agents from games between them."""
    met = [one for result in results for one in comparisons_in(result)]
    kinds = sorted({one.kind for one in met})
    design = np.zeros((len(kinds), len(agents)))
    for row, (first, second) in enumerate(kinds):
        design[row, agents.index(first)] = 1
        design[row, agents.index(second)] = -1
    return fit_comparisons(kinds, design, np.zeros(len(kinds)), met)


def rate_field(agents: Sequence[str], results: Sequence[GameResult]) -> list[Rating]:
    """Rate agents from games between them, strongest first. ``random`` is 0, or else the first agent.

    Args:
        agents: specs, each once.
        results: finished games of these agents, in any order; of at least two different ones each.

    Raises:
        ValueError: no game, or an agent that played none.
    """
    idle = [agent for agent in agents if not any(agent in result.agents for result in results)]
    if idle or not agents:
        raise ValueError(f"there is nothing to rate: {', '.join(idle) or 'nobody'} finished no game")
    found, unit = fit_field(agents, results), np.eye(len(agents))
    order = sorted(range(len(agents)), key=lambda i: -found.values[i])
    ratings = []
    for i, weaker in zip(order, [*order[1:], None], strict=True):
        anchor = agents.index(anchor_of(agents))
        rating = Interval(0.0, 0.0, 0.0) if i == anchor else found.interval(unit[i] - unit[anchor])
        gap = None if weaker is None else found.interval(unit[i] - unit[weaker])
        ratings.append(_rating(agents[i], rating, gap, results))
    return ratings


def anchor_of(agents: Sequence[str]) -> str:
    """Return the agent whose rating is 0."""
    return ANCHOR if ANCHOR in agents else agents[0]


def _rating(agent: str, rating: Interval, gap: Interval | None, results: Sequence[GameResult]) -> Rating:
    """Return an agent's rating with what else its games tell."""
    seats = [(result, seat) for result in results for seat in result.seats_of(agent)]
    scores = np.array([result.scores[seat] for result, seat in seats], float)
    timed = [(result.seconds[seat], result.decided[seat]) for result, seat in seats if result.decided]
    seconds, decided = sum(s for s, _ in timed), sum(d for _, d in timed)
    return Rating(
        agent=agent,
        rating=rating.value,
        low=rating.low,
        high=rating.high,
        gap=None if gap is None else gap.value,
        gap_low=None if gap is None else gap.low,
        gap_high=None if gap is None else gap.high,
        games=sum(agent in result.agents for result in results),
        win_rate=_win_rate(agent, seats),
        score_mean=float(scores.mean()),
        score_sd=float(scores.std()),
        seconds_per_decision=seconds / decided if decided else 0.0,
    )


def _win_rate(agent: str, seats: Sequence[tuple[GameResult, int]]) -> float:
    """Return the mean of the points of an agent against each seat of another."""
    points = [
        result.points(seat, other)
        for result, seat in seats
        for other in result.others(seat)
        if result.agents[other] != agent
    ]
    return float(np.mean(points))


def fit_one(agent: str, ladder: Mapping[str, float], results: Sequence[GameResult]) -> Fit:
    """Fit the log-odds of one agent from its games against agents whose ratings (Elo points) are taken as they are."""
    opponents = list(ladder)
    met = []
    for result in results:
        seat = result.agents.index(agent)
        weight = 1 / (len(result.agents) - 1)
        met += [
            Comparison(result.agents[other], result.points(seat, other), result.seed, weight)
            for other in result.others(seat)
        ]
    known = -np.array([ladder[opponent] for opponent in opponents]) / POINTS
    return fit_comparisons(opponents, np.ones((len(opponents), 1)), known, met, -float(known.mean()))


def one_sided(opponents: Sequence[float], seeds: Sequence[int], won: bool) -> float:
    """Return the 95% bound of a rating after nothing but wins, from below, or nothing but losses, from above.

    At the bound so one-sided a result has a chance of 1 in 20. The games of a seed count as the least likely one of them: when all went
    one way, nothing tells how much they have in common.

    Args:
        opponents: ratings of the opponents, each as often as it was met; at least one.
        seeds: of the games, one for each opponent.
        won: whether all were won.
    """
    sign = 1.0 if won else -1.0
    hardest: dict[int, float] = {}
    for seed, opponent in zip(seeds, opponents, strict=True):
        hardest[seed] = max(hardest.get(seed, -np.inf), sign * opponent / POINTS)
    gaps = np.array(list(hardest.values()))
    low, high = float(gaps.min()) - 20, float(gaps.max()) + 20
    for _ in range(100):
        middle = (low + high) / 2
        chance = -np.logaddexp(0.0, -(middle - gaps)).sum()
        low, high = (middle, high) if chance < log(0.05) else (low, middle)
    return sign * POINTS * high


def first_player_advantage(results: Sequence[GameResult]) -> tuple[float, float, float] | None:
    """Return how often whoever began round 1 won, a shared win in parts, with a 95% interval; None for fewer than two seeds.

    It is measured, not a part of the model: each seed is played in all rotations of the seats, so it cancels out of the ratings.
    """
    known = [result for result in results if result.first_player != NOBODY]
    points = np.array([result.share_won(result.first_player) for result in known])
    seeds = [result.seed for result in known]
    if len(set(seeds)) < 2:
        return None
    return float(points.mean()), *rate_interval(points, seeds)
