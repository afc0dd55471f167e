"""Chance in self-play, so that games differ and try what a network thinks little of. A template: see ``kernels``.

Gumbel noise on the logits of the root is what sequential halving takes; Dirichlet noise on its priors and a temperature of the choice are
what AlphaZero does (Silver et al., "Mastering chess and shogi by self-play with a general reinforcement learning algorithm", 2017).
All draws come from the generator of a tree.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.jit import rule
from azul_duel_env.jit.rng import next_bits

BITS_OF_DOUBLE = np.uint64(11)  # shifted away from 64 they leave the 53 that a float64 holds
UNIT_OF_BITS = 2.0**-53
LEAST_PRIOR = 1e-12  # whose logarithm is a logit that noise can outdo


@rule
def uniform(tree):
    """Return a draw from between 0 and 1, neither of them."""
    return (np.float64(next_bits(tree) >> BITS_OF_DOUBLE) + 0.5) * UNIT_OF_BITS


@rule
def gumbel(tree):
    """Return a draw from the standard Gumbel distribution."""
    return -np.log(-np.log(uniform(tree)))


@rule
def normal(tree):
    """Return a draw from the standard normal distribution (Box and Muller)."""
    return np.sqrt(-2.0 * np.log(uniform(tree))) * np.cos(2.0 * np.pi * uniform(tree))


@rule
def gamma(tree, shape):
    """Return a draw from the gamma distribution of a shape above 0 and scale 1 (Marsaglia and Tsang, 2000)."""
    boost = uniform(tree) ** (1.0 / shape) if shape < 1.0 else 1.0
    d = (shape + 1.0 if shape < 1.0 else shape) - 1.0 / 3.0
    while True:
        x = normal(tree)
        v = (1.0 + x / np.sqrt(9.0 * d)) ** 3
        if v > 0.0 and np.log(uniform(tree)) < 0.5 * x * x + d - d * v + d * np.log(v):
            return boost * d * v


@rule
def mix_dirichlet(tree, priors, room, count, concentration, share):
    """Make ``share`` of ``priors[:count]`` a draw from the symmetric Dirichlet distribution; ``room`` is overwritten."""
    total = 0.0
    for k in range(count):
        room[k] = gamma(tree, concentration)
        total += room[k]
    for k in range(count):
        noise = room[k] / total if total > 0.0 else 1.0 / count
        priors[k] = (1.0 - share) * priors[k] + share * noise


@rule
def write_logits(priors, logits, count):
    """Write the logarithms of ``priors[:count]``."""
    for k in range(count):
        logits[k] = np.log(max(priors[k], LEAST_PRIOR))


@rule
def draw_place(tree, policy, count, temperature):
    """Return a place in ``policy[:count]``, drawn in proportion to what stands there to the power of 1 / ``temperature``."""
    best = 0.0
    for k in range(count):
        best = max(best, policy[k])
    total = 0.0
    for k in range(count):
        total += (policy[k] / best) ** (1.0 / temperature)
    left = uniform(tree) * total
    for k in range(count):
        left -= (policy[k] / best) ** (1.0 / temperature)
        if left < 0.0:
            return k
    return count - 1
