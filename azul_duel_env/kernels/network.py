"""A trained network, run as compiled rules, so that a search can ask it in the midst of its tree. A template: see ``kernels``.

It sees what its player sees: the observation and, if it was trained with it, greedy's advice. Most inputs are 0 and cost nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.jit import COMPILED, entry, rule, rule_with_arrays
from azul_duel_env.kernels.constants import ACTIVATIONS, ASKED, LEAST_ADVICE

from .abstraction import (
    abstract_for,
    game_action_for,
    num_abstract_for,
    policy_action,
    write_abstract_observation,
)
from .advice import best_of_abstract, clear_advice, write_ratings
from .evaluation import rate_actions
from .outcome import margin_of, potential_of
from .rules import MAX_LEGAL

TANH, RELU = range(len(ACTIVATIONS))
START, INPUTS, OUTPUTS = range(3)
LOG_LEAST = float(np.log(LEAST_ADVICE))


class Network(NamedTuple):
    """A network as compiled code reads it.

    Attributes:
        weights: float32, of all layers: bias, then for each input the weights of all outputs.
        plan: int64 (layers, 3): where a layer starts in ``weights``, inputs, outputs; those of the policy, then those of the value.
        abstraction: what asks it, an array of one ``ABSTRACTION`` record.
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
    abstraction: NDArray[Any]
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
    write_abstract_observation(state, network.abstraction[0], state.player, inputs)
    if network.advised == 1:
        write_ratings(state, legal, count, values, network.abstraction[0], inputs)
    return inputs


@rule_with_arrays
def rate_by_network(states, i, network, legal, values):
    """Write the legal actions into ``legal`` and the logit of each into ``values`` (float64); return how many.

    Actions that one asked action stands for differ by greedy's rating only, and one for which several stand has the highest of their
    logits; -inf is for what is not asked.
    """
    state = states[i]
    abstraction = network.abstraction[0]
    count = rate_actions(states, i, legal, values)
    inputs = inputs_of(state, network, legal, count, values)
    logits = run_layers(network, 0, network.policy_layers, inputs)
    best = best_of_abstract(state, legal, count, values, abstraction)
    for k in range(count):
        asked = abstract_for(state, legal[k], abstraction)
        if asked == ASKED:
            values[k] = -np.inf
        else:
            logit = logits[asked : asked + num_abstract_for(state, legal[k], abstraction)].max()
            values[k] = logit + network.trust * max(LOG_LEAST, values[k] - best)
    return count


@rule_with_arrays
def expected_reward(state, network):
    """Return the discounted reward that the value network expects for the player who decides.

    It is not told greedy's advice, which takes three times as long as all else and hardly changes what it says.
    """
    inputs = np.empty(network.plan[0, INPUTS], np.float32)
    write_abstract_observation(state, network.abstraction[0], state.player, inputs)
    if network.advised == 1:
        clear_advice(network.abstraction[0], inputs)
    return float(run_layers(network, network.policy_layers, len(network.plan), inputs)[0])


@rule
def worth_by_network(state, network):
    """Return what a game that isn't over is worth for the player who decides: about 1 for a win by WIN_MARGIN points, -1 for such a loss.

    Of the reward that is expected some was given for what there is already: points, and the potential, which is 0 at the end.
    """
    reward = expected_reward(state, network) + network.margin * margin_of(state, state.player)
    return (reward + network.potential * potential_of(state, state.player)) / network.win


@rule
def is_asked(state, network, legal):
    """Return whether the network is asked what is due; ``legal`` is scratch."""
    return policy_action(state, network.abstraction[0], legal) == ASKED


# From Python ----------------------------------------------------------------------------------
@entry
def choose_by_network(states, i, network):
    """Return the action of the game that the network thinks best in ``states[i]``, or what the policy of a sub-decision takes."""
    asking = states[i : i + 1].copy()  # remembers a source until its destination has been asked
    abstraction = network.abstraction[0]
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    action = policy_action(asking[0], abstraction, legal)
    while action == ASKED:
        count = rate_by_network(asking, 0, network, legal, values)
        chosen = 0
        for k in range(1, count):
            if values[k] > values[chosen]:
                chosen = k
        action = game_action_for(
            asking[0], abstraction, abstract_for(asking[0], legal[chosen], abstraction), legal, count
        )
    return action


@entry
def logits_of(states, i, network, legal, values):
    """As ``rate_by_network``."""
    return rate_by_network(states, i, network, legal, values)


@entry
def worth_of(states, i, network):
    """As ``worth_by_network``."""
    return worth_by_network(states[i], network)
