"""Fitting ``greedy2``: regression of the final margin on features, round after round of self-play.

In each round the agent of the round before (``greedy`` at first) plays itself, with some random actions in between. Every position after
a decision becomes a sample: its features from the side of who decided, and the points by which that player won in the end. Sums of
products are all that is kept, and earlier rounds count less. Ridge regression then gives each segment its weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game import Game
from azul_duel_env.games.duel.actions import MAX_LEGAL
from azul_duel_env.games.duel.agents.features import NUM_FEATURES, NUM_SEGMENTS, names, segment_of, write_features
from azul_duel_env.games.duel.agents.greedy import best_action, carry_out_before_draws
from azul_duel_env.games.duel.agents.greedy2 import best_by_margin
from azul_duel_env.games.duel.engine import MAX_DECISIONS, carry_out, settle
from azul_duel_env.games.duel.kernels.uniform import any_action
from azul_duel_env.games.duel.state import GAME_OVER, NOBODY, Options, initial_states
from azul_duel_env.jit import entry, rule, rule_with_arrays
from azul_duel_env.jit.rng import below, keys_from_seed, next_bits
from azul_duel_env.system.files import replaced
from azul_duel_env.system.reading import one_line, read_arrays

RANDOM_SHARE = 0.05  # of decisions: so that positions occur that the agent would avoid
KEPT = 0.6  # what the samples of the rounds before count for in the next
RIDGE = 1e-4  # penalty on a squared weight, as a share of the mean square of its feature
THOUSAND = 1000
ARRAYS = ("weights", "products", "targets")
MOST_BYTES = 2**28  # of an unfinished fit
GAMES_AT_ONCE = 200


@dataclass(frozen=True)
class Fit:
    """Where fitting stands after a round.

    Attributes:
        seed: decides everything.
        games: played in each round.
        number: of the last round; 0 before the first.
        score_mean: points a seat in it.
        weights: float64 (NUM_SEGMENTS, NUM_FEATURES), in points.
        products, targets: the sums that they come from.
        word: the generator (uint64).
    """

    seed: int
    games: int
    number: int
    score_mean: float
    weights: NDArray[np.float64]
    products: NDArray[np.float64]
    targets: NDArray[np.float64]
    word: np.uint64


def begin_fit(games: int, seed: int) -> Fit:
    """Return the state before the first round.

    Raises:
        ValueError: no games in a round, or a negative seed.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    products = np.zeros((NUM_SEGMENTS, NUM_FEATURES, NUM_FEATURES))
    targets = np.zeros((NUM_SEGMENTS, NUM_FEATURES))
    return Fit(seed, games, 0, 0.0, np.zeros_like(targets), products, targets, keys_from_seed(seed)[0])


def fit_round(fit: Fit) -> Fit:
    """Play one more round, and return the state after it."""
    start = initial_states([0], Options())
    states = initial_states([0, 0], Options())
    states["rng"][1] = fit.word
    products, targets = KEPT * fit.products, KEPT * fit.targets
    points = 0
    for first in range(0, fit.games, GAMES_AT_ONCE):  # Ctrl-C is heard in between
        count = min(GAMES_AT_ONCE, fit.games - first)
        points += play_and_sum(states, start, fit.weights, fit.number > 0, count, products, targets)
    mean = points / (2 * fit.games)
    weights = _solve(products, targets)
    return Fit(fit.seed, fit.games, fit.number + 1, mean, weights, products, targets, states["rng"][1])


def fit_weights(game: Game, file: Path, rounds: int, games: int, seed: int) -> Iterator[Fit]:  # noqa: ARG001 # as ``Game.fit`` is called
    """Fit weights for ``file``, written after the last round; yield the state after each.

    What was done is kept beside it, so that the same call goes on where it was interrupted.

    Raises:
        ValueError: no rounds, no games, a negative seed, or what is kept beside the file was begun with others.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, not {rounds}")
    unfinished = file.with_name(f"{file.stem}.unfinished.npz")
    fit = read_fit(unfinished) if unfinished.exists() else begin_fit(games, seed)
    if (fit.games, fit.seed) != (games, seed):
        raise ValueError(
            f"{unfinished} was begun with --games {fit.games} --seed {fit.seed}: go on with those, or remove it"
        )
    while fit.number < rounds:
        fit = fit_round(fit)
        with replaced(unfinished) as new:
            np.savez(new, **vars(fit))
        yield fit
    made_by = f"azul-duel fit --rounds {rounds} --games {games} --seed {seed}"
    with replaced(file) as new, new.open("wb") as opened:
        np.savez(opened, weights=fit.weights, names=np.array(names()), made_by=np.array(made_by))
    unfinished.unlink(missing_ok=True)


def read_fit(file: Path) -> Fit:
    """Return the state that ``fit_weights`` has kept.

    Raises:
        ValueError: it is no such file.
    """
    try:
        found = read_arrays(file, MOST_BYTES)
        scalars = {name: found[name].item() for name in ("seed", "games", "number", "score_mean")}
        wanted = begin_fit(scalars["games"], scalars["seed"])
        for name in ARRAYS:
            if found[name].shape != getattr(wanted, name).shape or not np.isfinite(found[name]).all():
                raise ValueError(f"expected {name} {getattr(wanted, name).shape}, finite")
        arrays: dict[str, Any] = {name: np.ascontiguousarray(found[name], np.float64) for name in ARRAYS}
        return Fit(**scalars, **arrays, word=np.uint64(found["word"].item()))
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{file} is no unfinished fit: {one_line(error).removeprefix(f'{file}: ')}") from None


def _solve(products: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ridge regression of each segment; a segment or feature that never occurred gets weights of 0."""
    weights = np.zeros_like(targets)
    for segment in range(NUM_SEGMENTS):
        scale = np.diag(products[segment])
        occurs = scale > 0
        if occurs.any():
            matrix = products[segment][np.ix_(occurs, occurs)] + RIDGE * np.diag(scale[occurs])
            weights[segment, occurs] = np.linalg.solve(matrix, targets[segment, occurs])
    return weights


# Compiled -------------------------------------------------------------------------------------
@rule
def choose(states, weights, fitted):
    """Return the action of who decides in ``states[0]``: now and then a random one."""
    if below(states[1], THOUSAND) < RANDOM_SHARE * THOUSAND:
        return np.int64(any_action(states, 0, next_bits(states[1])))
    if fitted:
        return np.int64(best_by_margin(states, 0, next_bits(states[1]), weights))
    return np.int64(best_action(states, 0, next_bits(states[1])))


@rule_with_arrays
def play_sampled(states, weights, fitted, samples, segments, deciders, legal):
    """Play ``states[0]`` to its end; write features, segment and decider of the position after each decision. Return how many."""
    trial = states[:1].copy()
    count = 0
    while states[0].player != NOBODY:
        player = states[0].player
        action = choose(states, weights, fitted)
        trial[0] = states[0]
        carry_out_before_draws(trial[0], player, action, legal)
        if trial[0].stage != GAME_OVER:
            write_features(trial[0], player, samples[count])
            segments[count] = segment_of(trial[0])
            deciders[count] = player
            count += 1
        carry_out(states[0], action, legal)
    return count


@rule
def add_sample(sample, margin, products, targets):
    """Add one sample to the sums of its segment."""
    for j in range(NUM_FEATURES):
        targets[j] += margin * sample[j]
        if sample[j] != 0.0:
            for k in range(NUM_FEATURES):
                products[j, k] += sample[j] * sample[k]


@entry
def play_and_sum(states, start, weights, fitted, games, products, targets):
    """Play games, and add their samples to the sums.

    Args:
        states: two states: the game is played in the first, and the second's generator gives all random keys.
        start: one state, everything still in the box.
        weights: of the agent that plays.
        fitted: whether there are any; else greedy plays.
        games: how many.
        products: float64 (NUM_SEGMENTS, NUM_FEATURES, NUM_FEATURES): sums of products of features.
        targets: float64 (NUM_SEGMENTS, NUM_FEATURES): sums of products of features and margin.

    Returns:
        points of both seats in all games (int64).
    """
    legal = np.empty(MAX_LEGAL, np.int16)
    samples = np.empty((MAX_DECISIONS, NUM_FEATURES))
    segments = np.empty(MAX_DECISIONS, np.int64)
    deciders = np.empty(MAX_DECISIONS, np.int64)
    points = 0
    for _ in range(games):
        states[0] = start[0]
        states[0].rng = next_bits(states[1])
        settle(states[0], legal)
        count = play_sampled(states, weights, fitted, samples, segments, deciders, legal)
        scores = states[0].scores
        points += int(scores[0]) + int(scores[1])
        for k in range(count):
            margin = float(int(scores[deciders[k]]) - int(scores[1 - deciders[k]]))
            add_sample(samples[k], margin, products[segments[k]], targets[segments[k]])
    return points
