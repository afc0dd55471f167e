"""The agent ``greedy2``: as ``greedy``, one ply deep, with an evaluation whose weights were fitted on games of its own.

The value of a position is a weighted sum of ``features``, by round and phase: the points by which a player is expected to win, found by
regression (``fit``). The weights lie in ``data/greedy2.npz``; ``azul-duel fit`` makes them anew.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from azul_duel_env.game import Game
from azul_duel_env.game.agent import AgentError
from azul_duel_env.games.duel.actions import MAX_LEGAL
from azul_duel_env.games.duel.agents.features import NUM_FEATURES, NUM_SEGMENTS, names, segment_of, write_features
from azul_duel_env.games.duel.agents.greedy import carry_out_before_draws
from azul_duel_env.games.duel.engine import list_legal
from azul_duel_env.games.duel.state import GAME_OVER
from azul_duel_env.jit import entry, rule, rule_with_arrays
from azul_duel_env.jit.rng import pick_best
from azul_duel_env.system.reading import read_arrays, user_path

WEIGHTS = Path(__file__).parents[1] / "data" / "greedy2.npz"
"""The weights of the package."""
MOST_BYTES = 2**22
LARGEST = 1e6


def read_weights(path: Path = WEIGHTS) -> np.ndarray:
    """Return the weights of a file that ``azul-duel fit`` wrote: float64 (NUM_SEGMENTS, NUM_FEATURES), in points.

    Raises:
        OSError: there is no such file.
        ValueError: it is no file of weights for these features, or one is no number or huge.
    """
    found = read_arrays(path, MOST_BYTES)
    if not {"weights", "names"} <= set(found) or found["names"].tolist() != names():
        raise ValueError(f"{path} holds no weights for the features of greedy2: make some with azul-duel fit")
    weights = found["weights"]
    if weights.shape != (NUM_SEGMENTS, NUM_FEATURES) or weights.dtype.kind != "f":
        raise ValueError(
            f"{path}: expected float weights {(NUM_SEGMENTS, NUM_FEATURES)}, not {weights.shape} of {weights.dtype}"
        )
    if not (np.abs(weights.astype(np.float64)) <= LARGEST).all():
        raise ValueError(f"{path}: expected weights from -{LARGEST:,.0f} to {LARGEST:,.0f} points")
    return np.ascontiguousarray(weights, np.float64)


# The evaluation -------------------------------------------------------------------------------
@rule
def expected_margin(state, player, weights, features):
    """Return the points by which a player is expected to win; ``features`` is scratch (float64, NUM_FEATURES)."""
    if state.stage == GAME_OVER:
        return float(int(state.scores[player]) - int(state.scores[1 - player]))
    write_features(state, player, features)
    segment = segment_of(state)
    margin = 0.0
    for k in range(NUM_FEATURES):
        margin += weights[segment, k] * features[k]
    return margin


@rule_with_arrays
def rate_by_margin(states, i, legal, values, weights):
    """Write the legal actions into ``legal`` (int16, MAX_LEGAL) and the margin expected after each into ``values``; return how many."""
    player = states[i].player
    scratch = np.empty(MAX_LEGAL, np.int16)
    features = np.empty(NUM_FEATURES)
    trial = states[i : i + 1].copy()
    count = list_legal(states[i], legal)
    for k in range(count):
        trial[0] = states[i]
        carry_out_before_draws(trial[0], player, legal[k], scratch)
        values[k] = expected_margin(trial[0], player, weights, features)
    return count


@rule_with_arrays
def best_by_margin(states, i, key, weights):
    """Return the action after which the expected margin is highest; among equals the random key decides."""
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    count = rate_by_margin(states, i, legal, values, weights)
    return np.int64(legal[pick_best(key, values, count)])


@entry
def choose_by_margin(states, i, key, weights):
    """Return the action after which the expected margin is highest; among equals the random key decides."""
    return best_by_margin(states, i, key, weights)


class Greedy2:
    """A policy ``(states, i, key) -> action``; its weights are read when they are first wanted."""

    def __init__(self, path: Path = WEIGHTS) -> None:
        self.path = path

    @cached_property
    def weights(self) -> np.ndarray:
        """As ``read_weights`` returns them."""
        return read_weights(self.path)

    def __call__(self, states: np.ndarray, i: int, key: np.uint64) -> int:
        """Return the action to take in ``states[i]``, where a player decides."""
        return int(choose_by_margin(states, i, key, self.weights))


choose_by_fitted_margin = Greedy2()


def policy_from(game: Game, argument: str) -> Greedy2:  # noqa: ARG001 # as families are called
    """Return the policy of ``greedy2:argument``, with the weights of a file.

    Raises:
        AgentError: there is no such file, or it holds no weights for these features.
    """
    policy = Greedy2(user_path(argument))
    try:
        policy.weights  # noqa: B018 # read now, so that a wrong file is told here
    except (OSError, ValueError) as error:
        raise AgentError(
            f"greedy2 takes a file of weights that azul-duel fit wrote, not {argument!r}: {error}"
        ) from error
    return policy
