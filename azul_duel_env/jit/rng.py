"""The generator that lives inside the state: splitmix64 on one 64-bit word, ``state.rng``.

A state and a list of actions replay exactly, because everything drawn comes from here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from azul_duel_env.jit import COMPILED, Function, rule

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_1, SHIFT_2, SHIFT_3, HALF = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)

_wraps: Callable[[Function], Function] = rule if COMPILED else np.errstate(over="ignore")
"""Arithmetic modulo 2**64 is meant: plain NumPy would warn of it, compiled code doesn't."""


@_wraps
def next_bits(state):
    """Advance the generator of one state and return 64 random bits (uint64)."""
    state.rng += GOLDEN_GAMMA
    bits = state.rng
    bits = (bits ^ (bits >> SHIFT_1)) * MIX_1
    bits = (bits ^ (bits >> SHIFT_2)) * MIX_2
    return bits ^ (bits >> SHIFT_3)


@rule
def below(state, bound):
    """Return a random integer in [0, bound), for a bound of at least 1 and far below 2**32."""
    return np.int64(((next_bits(state) >> HALF) * np.uint64(bound)) >> HALF)


@rule
def pick(key, count):
    """Return a number in [0, count) from 64 random bits."""
    return np.int64(((key >> HALF) * np.uint64(count)) >> HALF)


@rule
def pick_best(key, values, count):
    """Return the place of the highest of ``values[:count]``; among equals 64 random bits decide."""
    first = pick(key, count)
    chosen = first
    for k in range(1, count):
        other = (first + k) % count
        if values[other] > values[chosen]:
            chosen = other
    return chosen


def keys_from_seed(seed: int | None, count: int = 1) -> np.ndarray:
    """Return ``count`` independent keys of 64 random bits (uint64) for a seed; None takes fresh entropy.

    Raises:
        ValueError: the seed is no integer of at least 0.
    """
    if seed is not None and (not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or seed < 0):
        raise ValueError(f"seed must be an integer of at least 0, or None, not {seed!r}")
    return np.random.SeedSequence(seed).generate_state(count, np.uint64)


def keys_from_seeds(seeds: Sequence[int | None]) -> np.ndarray:
    """Return one key (uint64) for each seed, the same that each gives alone."""
    return np.array([keys_from_seed(seed)[0] for seed in seeds], np.uint64)
