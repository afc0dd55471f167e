"""The agent ``network``: a trained network, read from a file and run without any library of training.

It sees what its player sees: the observation and, if it was trained with it, greedy's advice. ``azul-duel export`` writes such files.

===============  ======================================================================================================
header           a text in JSON: format, game, sub-decisions that are asked, advice, activation, trust, parts of the
                 reward, digest of the tables (``tables_digest``), and where the network comes from: config, steps, version of the package
policy_I_bias    float16 or float32 (outputs,) of layer I, from 0; all layers but the last end with the activation
policy_I_weight  the same, (inputs, outputs); the last layer has an output for each asked action, its logit
value_I_*        the same of the value network, whose last layer has one output: the discounted reward still to come
===============  ======================================================================================================

With advice, ``trust`` times the logarithm of greedy's rating is added to each logit.

The network runs as a compiled rule, so that a search can ask it in the midst of its tree. Most inputs are 0 and cost nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from azul_duel_env._jit import COMPILED, entry, rule, rule_with_arrays
from azul_duel_env.agents.advice import LEAST_ADVICE, best_of_asked, clear_advice, write_ratings
from azul_duel_env.agents.base import AgentError
from azul_duel_env.agents.greedy import evaluate_seat, rate_actions
from azul_duel_env.duel import observation
from azul_duel_env.duel.actions import MAX_LEGAL
from azul_duel_env.duel.granularity import ASKED, Granularity, asked_for, by_policy, meant_by, write_asked_observation
from azul_duel_env.game import States

FORMAT = 1
GAME_ID = "azul/duel-v0"
ACTIVATIONS = ("tanh", "relu")
TANH, RELU = range(len(ACTIVATIONS))
PARTS = ("policy", "value")
KEYS = ("granularity", "advice", "activation", "trust", "reward", "tables", "source")
"""What a header must have, besides format and game."""
SHIPPED = Path(__file__).parents[1] / "data" / "network.npz"
"""The network of ``configs/ppo_duel.yaml``."""

START, INPUTS, OUTPUTS = range(3)
WIN_MARGIN = 25.0
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
        win: what a win by WIN_MARGIN points brings in all.
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
def tables_digest(granularity: Granularity) -> str:
    """Return what tells tables of observation and asked actions from others: of the names, places and shapes of all blocks."""
    seen = [(block.name, block.first, block.shape) for block in observation.BLOCKS]
    asked = [(block.name, block.first, block.shape) for block in granularity.blocks]
    return sha256(json.dumps([seen, asked, granularity.observation_size]).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class TrainedNetwork:
    """A network from a file. Called as ``(states, i, word)`` it is an agent's policy, which plays the best action.

    Attributes:
        path: of the file.
        header: what it says about itself; see the module.
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
    """Return the network in a file that ``azul-duel export`` wrote.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no such file, or for another game or other tables; the message says which.
    """
    path = Path(path)
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")))
    except (BadZipFile, KeyError, TypeError, AttributeError, EOFError, ValueError):
        raise ValueError(f"{path} is no network: 'azul-duel export' writes such files") from None
    return TrainedNetwork(path, header, _network_of(path, header, arrays))


def _network_of(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Network:
    """Return the network for compiled code, after checking that it fits."""
    if header.get("format") != FORMAT or header.get("game") != GAME_ID:
        found = f"format {header.get('format')} for {header.get('game')}"
        raise ValueError(f"{path}: expected format {FORMAT} for {GAME_ID}, not {found}")
    for name in KEYS:
        if name not in header:
            raise ValueError(f"{path} is no network: its header lacks {name!r}")
    if header["activation"] not in ACTIVATIONS:
        raise ValueError(f"{path}: activation must be one of {', '.join(ACTIVATIONS)}, not {header['activation']!r}")
    granularity = Granularity(**header["granularity"])
    if header["tables"] != tables_digest(granularity):
        made_by = header["source"].get("version", "another version")
        raise ValueError(
            f"{path} is for other tables of observation and actions: {made_by} made it; export or train anew"
        )
    policy, value = (_layers(path, arrays, part) for part in PARTS)
    advised = header["advice"] is not None
    inputs = granularity.observation_size + (granularity.num_actions if advised else 0)
    _check_sizes(path, policy, inputs, granularity.num_actions)
    _check_sizes(path, value, inputs, 1)
    weights, plan = _flattened([*policy, *value])
    activation = ACTIVATIONS.index(header["activation"])
    rewards = _rewards_of(header["reward"])
    return Network(weights, plan, granularity.layer, len(policy), activation, int(advised), header["trust"], *rewards)


def _rewards_of(weights: Mapping[str, float]) -> tuple[float, float, float]:
    """Return the last three fields of a ``Network``, given the weights of the parts of the reward."""
    win_loss, at_end, delta, potential = (
        float(weights.get(part, 0.0)) for part in ("win_loss", "score_margin", "score_delta", "potential")
    )
    return delta, potential, win_loss + WIN_MARGIN * (at_end + delta) or 1.0


def _layers(path: Path, arrays: Mapping[str, NDArray[Any]], part: str) -> list[NDArray[np.float32]]:
    """Return the layers of one part, each (1 + inputs, outputs): its bias, then its weights."""
    count = len({name.rpartition("_")[0] for name in arrays if name.startswith(f"{part}_")})
    try:
        return [
            np.vstack([arrays[f"{part}_{k}_bias"], arrays[f"{part}_{k}_weight"]]).astype(np.float32)
            for k in range(count)
        ]
    except (KeyError, ValueError):
        raise ValueError(f"{path}: its layers of {part} are not whole") from None


def _check_sizes(path: Path, layers: list[NDArray[np.float32]], inputs: int, outputs: int) -> None:
    """Refuse layers that don't fit together."""
    sizes = [inputs]
    for layer in layers:
        if len(layer) != 1 + sizes[-1]:
            raise ValueError(f"{path}: expected a layer of {sizes[-1]} inputs, not {len(layer) - 1}")
        sizes.append(layer.shape[1])
    if len(sizes) == 1 or sizes[-1] != outputs:
        raise ValueError(f"{path}: expected {outputs} outputs, not {sizes[-1]}")


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
        return Path(argument)
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
