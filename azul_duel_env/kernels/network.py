"""The agent ``network``: a trained network, read from a file and run without any library of training.

It sees what its player sees: the observation and, if it was trained with it, greedy's advice. ``azul-duel export`` writes such files;
``network_file`` says what is in them. They run no code.

The network runs as a compiled rule, so that a search can ask it in the midst of its tree. Most inputs are 0 and cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents.base import AgentError
from azul_duel_env.agents.network_file import ACTIVATIONS, NetworkFile, read_network_file, rewards_of
from azul_duel_env.game import States
from azul_duel_env.games.duel.actions import MAX_LEGAL
from azul_duel_env.games.duel.agents.greedy import evaluate_seat, rate_actions
from azul_duel_env.games.duel.granularity import ASKED, asked_for, by_policy, meant_by, write_asked_observation
from azul_duel_env.jit import COMPILED, entry, rule, rule_with_arrays
from azul_duel_env.kernels.advice import LEAST_ADVICE, best_of_asked, clear_advice, write_ratings
from azul_duel_env.system.reading import user_path

TANH, RELU = range(len(ACTIVATIONS))
SHIPPED = Path(__file__).parents[1] / "games" / "duel" / "data" / "network.npz"
"""The network of ``configs/ppo_duel.yaml``."""

START, INPUTS, OUTPUTS = range(3)
LOG_LEAST = float(np.log(LEAST_ADVICE))


class Network(NamedTuple):
    """A network as compiled code reads it.

    Attributes:
        weights: float32, of all layers: bias, then for each input the weights of all outputs.
        plan: int64 (layers, 3): where a layer starts in ``weights``, inputs, outputs; those of the policy, then those of the value.
        layer: the granularity that asks it, an array of one ``LAYER`` record.
        policy_layers: how many layers of the plan are the policy's.
        activation: TANH or RELU.
        advised: 1 if its inputs end with greedy's advice.
        trust: factor of the advice in the logits.
        margin: factor of a point of margin in the reward.
        potential: factor of the potential in the reward.
        win: what a win by ``network_file.WIN_MARGIN`` points brings in all.
    """

    weights: NDArray[np.float32]
    plan: NDArray[np.int64]
    layer: NDArray[Any]
    policy_layers: int
    activation: int
    advised: int
    trust: float
    margin: float
    potential: float
    win: float


# Layers ---------------------------------------------------------------------------------------
def add_scaled_at_once(outputs, factor, row):
    """Add a multiple of a row to the outputs, as NumPy does it best."""
    outputs += factor * row


@rule
def add_scaled_one_by_one(outputs, factor, row):
    """Add a multiple of a row to the outputs, as compiled code does it best: four times as fast."""
    for k in range(len(outputs)):
        outputs[k] += factor * row[k]


add_scaled: Any = add_scaled_one_by_one if COMPILED else add_scaled_at_once


@rule_with_arrays
def apply_layer(weights, start, inputs, outputs):
    """Write bias and weighted inputs of the layer that starts at ``weights[start]`` into ``outputs`` (float32)."""
    size = len(outputs)
    outputs[:] = weights[start : start + size]
    for j in range(len(inputs)):
        if inputs[j] != 0.0:
            row = start + (j + 1) * size
            add_scaled(outputs, inputs[j], weights[row : row + size])


@rule
def activate(units, activation):
    """Replace units by what the activation makes of them."""
    for k in range(len(units)):
        units[k] = np.tanh(units[k]) if activation == TANH else max(units[k], np.float32(0.0))


@rule_with_arrays
def run_layers(network, first, last, inputs):
    """Return the outputs (float32) of the last of the layers ``first`` to ``last - 1``."""
    units = inputs
    for k in range(first, last):
        outputs = np.empty(network.plan[k, OUTPUTS], np.float32)
        apply_layer(network.weights, network.plan[k, START], units, outputs)
        if k < last - 1:
            activate(outputs, network.activation)
        units = outputs
    return units


# What it thinks -------------------------------------------------------------------------------
@rule_with_arrays
def inputs_of(state, network, legal, count, values):
    """Return what the network sees (float32) where a player decides, given greedy's ratings ``values[:count]``."""
    inputs = np.empty(network.plan[0, INPUTS], np.float32)
    write_asked_observation(state, network.layer[0], state.player, inputs)
    if network.advised == 1:
        write_ratings(state, legal, count, values, network.layer[0], inputs)
    return inputs


@rule_with_arrays
def rate_by_network(states, i, network, legal, values):
    """Write the legal actions into ``legal`` and the logit of each into ``values`` (float64); return how many.

    Actions that one asked action stands for differ by greedy's rating only; -inf is for what is not asked.
    """
    state = states[i]
    layer = network.layer[0]
    count = rate_actions(states, i, legal, values)
    inputs = inputs_of(state, network, legal, count, values)
    logits = run_layers(network, 0, network.policy_layers, inputs)
    best = best_of_asked(state, legal, count, values, layer)
    for k in range(count):
        asked = asked_for(state, legal[k], layer)
        if asked == ASKED:
            values[k] = -np.inf
        else:
            values[k] = logits[asked] + network.trust * max(LOG_LEAST, values[k] - best)
    return count


@rule_with_arrays
def expected_reward(state, network):
    """Return the discounted reward that the value network expects for the player who decides.

    It is not told greedy's advice, which takes three times as long as all else and hardly changes what it says.
    """
    inputs = np.empty(network.plan[0, INPUTS], np.float32)
    write_asked_observation(state, network.layer[0], state.player, inputs)
    if network.advised == 1:
        clear_advice(network.layer[0], inputs)
    return float(run_layers(network, network.policy_layers, len(network.plan), inputs)[0])


@rule
def worth_by_network(state, network):
    """Return what a game that isn't over is worth for the player who decides: about 1 for a win by WIN_MARGIN points, -1 for such a loss.

    Of the reward that is expected some was given for what there is already: points, and the potential, which is 0 at the end.
    """
    me = state.player
    margin = int(state.scores[me]) - int(state.scores[1 - me])
    potential = evaluate_seat(state, me) - evaluate_seat(state, 1 - me)
    reward = expected_reward(state, network) + network.margin * margin + network.potential * potential
    return reward / network.win


@rule
def is_asked(state, network, legal):
    """Return whether the network is asked what is due; ``legal`` is scratch."""
    return by_policy(state, network.layer[0], legal) == ASKED


# From Python ----------------------------------------------------------------------------------
@entry
def choose_by_network(states, i, network):
    """Return the action of the game that the network thinks best in ``states[i]``, or what the policy of a sub-decision takes."""
    asking = states[i : i + 1].copy()  # remembers a source until its destination has been asked
    layer = network.layer[0]
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    action = by_policy(asking[0], layer, legal)
    while action == ASKED:
        count = rate_by_network(asking, 0, network, legal, values)
        chosen = 0
        for k in range(1, count):
            if values[k] > values[chosen]:
                chosen = k
        action = meant_by(asking[0], layer, asked_for(asking[0], legal[chosen], layer), legal, count)
    return action


@entry
def logits_of(states, i, network, legal, values):
    """As ``rate_by_network``."""
    return rate_by_network(states, i, network, legal, values)


@entry
def worth_of(states, i, network):
    """As ``worth_by_network``."""
    return worth_by_network(states[i], network)


# Files ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TrainedNetwork:
    """A network from a file. Called as ``(states, i, word)`` it is an agent's policy, which plays the best action.

    Attributes:
        path: of the file.
        header: what it says about itself; see ``network_file``.
        compiled: the same for compiled code.
    """

    path: Path
    header: Mapping[str, Any]
    compiled: Network

    def __call__(self, states: States, i: int, word: np.uint64) -> int:  # noqa: ARG002 # nothing is left to chance
        """Return the action to take in ``states[i]``, where a player decides."""
        return int(choose_by_network(states, i, self.compiled))

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        """Copy and pickle the place of the file only: weights are large, and a copy of ``layer`` would compile everything anew."""
        return read_network, (self.path,)

    def __deepcopy__(self, memo: dict[int, Any]) -> TrainedNetwork:
        return self


def read_network(path: str | Path) -> TrainedNetwork:
    """Return the network in a file that ``azul-duel export`` wrote; ``~`` is the user's home.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no such file, or for another game or other tables; the message says which.
    """
    path = user_path(path)
    file = read_network_file(path)
    return TrainedNetwork(path, file.header, _network_of(file))


def _network_of(file: NetworkFile) -> Network:
    """Return the network for compiled code."""
    header = file.header
    weights, plan = _flattened([*file.policy, *file.value])
    return Network(
        weights,
        plan,
        file.granularity.layer,
        len(file.policy),
        ACTIVATIONS.index(header["activation"]),
        int(header["advice"] is not None),
        float(header["trust"]),
        *rewards_of(header["reward"]),
    )


def _flattened(layers: list[NDArray[np.float32]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return all weights in one row, and the plan of where they lie."""
    starts = np.cumsum([0] + [layer.size for layer in layers])
    plan = [(start, len(layer) - 1, layer.shape[1]) for start, layer in zip(starts, layers, strict=False)]
    return np.concatenate([layer.ravel() for layer in layers]), np.array(plan, np.int64)


# Specs ----------------------------------------------------------------------------------------
@cache
def shipped() -> TrainedNetwork:
    """Return the network that comes with the package."""
    return read_network(SHIPPED)


def play_shipped(states: States, i: int, word: np.uint64) -> int:
    """The policy of ``network``: the best action of the network that comes with the package."""
    return shipped()(states, i, word)


def network_file(spec: str) -> Path | None:
    """Return the file of the network that a spec plays with; None if it plays with none."""
    family, _, argument = spec.partition(":")
    if family == "network" and argument:
        return user_path(argument)
    return SHIPPED if family in ("network", "network+mcts") else None


def policy_from(argument: str) -> TrainedNetwork:
    """Return the policy of ``network:argument``, a path.

    Raises:
        AgentError: there is no such file, or none for this game and these tables.
    """
    try:
        return read_network(argument)
    except (OSError, ValueError) as error:
        raise AgentError(f"network:{argument}: {error}") from error
