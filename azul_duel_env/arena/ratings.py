"""Ratings by the Bradley-Terry model on the Elo scale: who is 400 above the other wins ten times as often; a draw is half a win.

Ratings are the most likely ones under a wide normal prior: each agent's, before any game, with a standard deviation of ``PRIOR_SD``
around the mean of the field. It moves ratings by a point or two where there are games on both sides, and keeps an agent that has won all
its games finite.

Intervals come from the curvature of the likelihood (the Hessian), which stays wide where an agent has won everything; a bootstrap would
give such an agent no spread at all. That takes games as independent, while those of one seed share their draws. So the variance is also
computed with all games of a seed as one observation (the sandwich estimator, clustered by seed), and the larger of the two counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.arena.match import Z_95, GameResult, mean_interval
from azul_duel_env.game import NOBODY

POINTS = 400 / log(10)
"""Elo points for one unit of log-odds."""
PRIOR_SD = 1500.0
ANCHOR = "random"
LARGEST_STEP = 2.0  # of Newton's method, in log-odds: a full step may overshoot far from the solution

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """An agent in a field of agents.

    Attributes:
        agent: its spec.
        rating: Elo points above the anchor.
        low: lower end of the 95% interval of the difference to the anchor.
        high: upper end.
        gap: Elo points above the next weaker agent; None for the weakest.
        gap_low: lower end of the 95% interval of that difference, which is narrower than the ratings' own where both have the same
            long way to the anchor.
        gap_high: upper end.
        games: that it played.
        win_rate: wins and half the draws over games, against all that it met.
        bound: ``"at least"`` if it won every game, ``"at most"`` if it lost every game: then the games tell one side only, and how far
            the rating lies from the next one comes from the prior; else ``""``.
        score_mean: mean of its own points.
        score_sd: standard deviation of them.
        seconds_per_decision: wall time; 0 if it is not known.
    """

    agent: str
    rating: float
    low: float
    high: float
    gap: float | None
    gap_low: float | None
    gap_high: float | None
    games: int
    win_rate: float
    bound: str
    score_mean: float
    score_sd: float
    seconds_per_decision: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as a plain dictionary, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Fit:
    """Most likely parameters of a model, and how sure they are.

    Attributes:
        values: log-odds, float64 (k,).
        curvature: covariance from the Hessian, float64 (k, k).
        clustered: covariance with the games of a seed as one observation, float64 (k, k); the same as ``curvature`` for fewer than two
            seeds.
    """

    values: Array
    curvature: Array
    clustered: Array

    def interval(self, contrast: Array) -> tuple[float, float]:
        """Return estimate and half width of the 95% interval, in Elo points, of a weighted sum of the parameters."""
        variance = max(float(contrast @ covariance @ contrast) for covariance in (self.curvature, self.clustered))
        return POINTS * float(contrast @ self.values), POINTS * Z_95 * max(variance, 0.0) ** 0.5


def fit(design: Array, known: Array, points: Array, seeds: NDArray[np.int64], centre: float = 0.0) -> Fit:
    """Fit log-odds of winning as ``design @ values + known``, by Newton's method.

    Args:
        design: float64 (games, k).
        known: float64 (games,): the part of the log-odds that is not estimated.
        points: float64 (games,): 1 for a win, 0.5 for a draw, 0 for a loss.
        seeds: int64 (games,): games with the same number are one observation.
        centre: mean of the prior of each parameter, log-odds.
    """
    precision = (POINTS / PRIOR_SD) ** 2 * np.eye(design.shape[1])
    values = np.full(design.shape[1], centre)
    for _ in range(200):
        expected = 1 / (1 + np.exp(-(design @ values + known)))
        slope = design.T @ (points - expected) - precision @ (values - centre)
        hessian = (design.T * (expected * (1 - expected))) @ design + precision
        step = np.linalg.solve(hessian, slope)
        largest = float(np.abs(step).max())
        values = values + step * min(1.0, LARGEST_STEP / max(largest, 1e-300))
        if largest < 1e-10:
            break
    curvature = np.linalg.inv(hessian)
    return Fit(values, curvature, _clustered(curvature, design * (points - expected)[:, None], seeds))


def _clustered(curvature: Array, slopes: Array, seeds: NDArray[np.int64]) -> Array:
    """Return the sandwich estimate of the covariance from each game's part of the slope."""
    _, cluster = np.unique(seeds, return_inverse=True)
    count = int(cluster.max()) + 1 if len(cluster) else 0
    if count < 2:
        return curvature
    sums = np.zeros((count, slopes.shape[1]))
    np.add.at(sums, cluster, slopes)
    return curvature @ (sums.T @ sums * (count / (count - 1))) @ curvature


def points_of(result: GameResult, seat: int) -> float:
    """Return 1, 0.5 or 0 points for what a seat got out of a game."""
    return 0.5 if result.winner == NOBODY else float(result.winner == seat)


def fit_field(agents: Sequence[str], results: Sequence[GameResult]) -> Fit:
    """Fit the log-odds of all agents from games between them."""
    place = {agent: i for i, agent in enumerate(agents)}
    design = np.zeros((len(results), len(agents)))
    for game, result in enumerate(results):
        design[game, place[result.agents[0]]] += 1
        design[game, place[result.agents[1]]] -= 1
    points = np.array([points_of(result, 0) for result in results])
    return fit(design, np.zeros(len(results)), points, np.array([result.seed for result in results], np.int64))


def rate_field(agents: Sequence[str], results: Sequence[GameResult]) -> list[Rating]:
    """Rate agents from games between them, strongest first. ``random`` is 0, or else the first agent.

    Args:
        agents: specs, each once.
        results: finished games of these agents, in any order; of two different agents each.

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
        to_anchor = found.interval(unit[i] - unit[agents.index(anchor_of(agents))])
        gap = None if weaker is None else found.interval(unit[i] - unit[weaker])
        ratings.append(_rating(agents[i], to_anchor, gap, results))
    return ratings


def anchor_of(agents: Sequence[str]) -> str:
    """Return the agent whose rating is 0."""
    return ANCHOR if ANCHOR in agents else agents[0]


def _rating(
    agent: str, to_anchor: tuple[float, float], gap: tuple[float, float] | None, results: Sequence[GameResult]
) -> Rating:
    """Return an agent's rating, from estimates and half widths, with what else its games tell."""
    seats = [(result, result.agents.index(agent)) for result in results if agent in result.agents]
    scores = np.array([result.scores[seat] for result, seat in seats], float)
    timed = [(result.seconds[seat], result.decided[seat]) for result, seat in seats if result.decided]
    seconds, decided = sum(s for s, _ in timed), sum(d for _, d in timed)
    win_rate = float(np.mean([points_of(result, seat) for result, seat in seats]))
    return Rating(
        agent=agent,
        rating=to_anchor[0],
        low=to_anchor[0] - to_anchor[1],
        high=to_anchor[0] + to_anchor[1],
        gap=None if gap is None else gap[0],
        gap_low=None if gap is None else gap[0] - gap[1],
        gap_high=None if gap is None else gap[0] + gap[1],
        games=len(seats),
        win_rate=win_rate,
        bound={1.0: "at least", 0.0: "at most"}.get(win_rate, ""),
        score_mean=float(scores.mean()),
        score_sd=float(scores.std()),
        seconds_per_decision=seconds / decided if decided else 0.0,
    )


def fit_one(agent: str, ladder: Mapping[str, float], results: Sequence[GameResult]) -> Fit:
    """Fit the log-odds of one agent from its games against agents whose ratings (Elo points) are taken as they are."""
    seats = [result.agents.index(agent) for result in results]
    known = np.array([-ladder[result.agents[1 - seat]] for result, seat in zip(results, seats, strict=True)]) / POINTS
    points = np.array([points_of(result, seat) for result, seat in zip(results, seats, strict=True)])
    centre = float(np.mean(list(ladder.values()))) / POINTS
    seeds = np.array([result.seed for result in results], np.int64)
    return fit(np.ones((len(results), 1)), known, points, seeds, centre)


def one_sided(opponents: Sequence[float], won: bool) -> float:
    """Return the 95% bound of a rating after nothing but wins, from below, or nothing but losses, from above.

    At the bound so one-sided a result has a chance of 1 in 20, games taken as independent.

    Args:
        opponents: ratings of the opponents, one a game; at least one.
        won: whether all were won.
    """
    sign = 1.0 if won else -1.0
    gaps = sign * np.array(opponents) / POINTS
    low, high = float(gaps.min()) - 20, float(gaps.max()) + 20
    for _ in range(100):
        middle = (low + high) / 2
        chance = -np.logaddexp(0.0, -(middle - gaps)).sum()
        low, high = (middle, high) if chance < log(0.05) else (low, middle)
    return sign * POINTS * high


def first_player_advantage(results: Sequence[GameResult]) -> tuple[float, float, float] | None:
    """Return how often whoever began round 1 won, draws half, with a 95% interval over seeds; None for fewer than two seeds.

    It is measured, not a part of the model: each seed is played with both seatings, so it cancels out of the ratings.
    """
    known = [result for result in results if result.first_player != NOBODY]
    points = np.array([points_of(result, result.first_player) for result in known])
    low, high = mean_interval(points, [result.seed for result in known])
    if low is None or high is None:
        return None
    return float(points.mean()), max(0.0, low), min(1.0, high)
