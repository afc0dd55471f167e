"""95% intervals from few seeds, whose games are not independent: all seatings share the draws, and in a ladder all line-ups do.

A seed is one observation (a cluster). Means have the cluster-robust variance with Student's t at one degree of freedom less than there are
seeds (A. C. Cameron and D. L. Miller, A practitioner's guide to cluster-robust inference, 2015). Win rates have Wilson's interval for
so many games as the games are worth: their number over the design effect, with the same t (E. L. Korn and B. I. Graubard, Confidence
intervals for proportions with small expected number of positive counts estimated from survey data, 1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Seeds = Sequence[int] | NDArray[np.int64]
CONFIDENCE = 0.95
Z_95 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def t_95(freedom: int) -> float:
    """Return the factor of a two-sided 95% interval by Student's t: 12.7 for one degree of freedom, 1.96 for infinitely many."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def mean_interval(values: NDArray[np.float64], seeds: Seeds) -> tuple[float | None, float | None]:
    """Return the interval of a mean, games of one seed being one observation; (None, None) for fewer than two seeds."""
    sums, sizes = _clusters(values - values.mean() if len(values) else values, seeds)
    count = len(sizes)
    if count < 2:
        return None, None
    half = t_95(count - 1) * sqrt(count / (count - 1) * float(sums @ sums)) / len(values)
    return float(values.mean()) - half, float(values.mean()) + half


def rate_interval(points: NDArray[np.float64], seeds: Seeds) -> tuple[float, float]:
    """Return the interval of a win rate from what each game brought, 0 to 1; (0, 1) for no game.

    The games of one seed only, or such that all went one way, don't tell what they have in common: then a seed counts as one game, as if
    that were everything.
    """
    rate, count = float(points.mean()) if len(points) else 0.0, count_seeds(seeds)
    if count in (0, 1, len(points)) or (points == points[0]).all():
        return wilson_interval(rate, count)
    few = (t_95(count - 1) / Z_95) ** 2
    return wilson_interval(rate, len(points) / max(1.0, few * design_effect(points - rate, seeds)))


def count_seeds(seeds: Seeds) -> int:
    """Return how many different seeds there are."""
    return len(np.unique(np.asarray(seeds, np.int64)))


def wilson_interval(rate: float, count: float) -> tuple[float, float]:
    """Return the 95% Wilson score interval of a rate over ``count`` independent trials, which need not be whole; (0, 1) for none."""
    if count == 0:
        return 0.0, 1.0
    middle = (rate + Z_95**2 / (2 * count)) / (1 + Z_95**2 / count)
    half = Z_95 / (1 + Z_95**2 / count) * sqrt(rate * (1 - rate) / count + Z_95**2 / (4 * count**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def design_effect(parts: NDArray[np.float64], seeds: Seeds, weights: NDArray[np.float64] | None = None) -> float:
    """Return the variance of a sum with all of a seed as one observation, over that with each part as an observation of its own.

    Where all games went one way it is as if those of a seed had everything in common.

    Args:
        parts: float64 (N,): the deviation of each game, or each comparison in a game, from what is expected, as it counts for the estimate.
        seeds: of each; at least two different ones.
        weights: float64 (N,): what each counts for, which is in the parts already; 1 if left out.
    """
    weights = np.ones(len(parts)) if weights is None else weights
    sums, sizes = _clusters(parts, seeds)
    count = len(sizes)
    if sizes.max() == 1:
        return 1.0
    if (parts >= 0).all() or (parts <= 0).all():
        counted, _ = _clusters(weights, seeds)
        return float(counted @ counted) / float(weights.sum())
    return count / (count - 1) * float(sums @ sums) / float(parts @ (parts / weights))


def _clusters(parts: NDArray[np.float64], seeds: Seeds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum of the parts of each seed, and how many it has."""
    _, cluster = np.unique(np.asarray(seeds, np.int64), return_inverse=True)
    return np.bincount(cluster, parts).astype(np.float64), np.bincount(cluster).astype(np.float64)
