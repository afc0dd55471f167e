"""A network that a search can ask in a few microseconds: sparse inputs, an integer first layer, logits of legal actions only. A template.

Most numbers of an observation are 0, and most others 1. Each 1 adds a row of int16 weights, other numbers add a multiple of theirs, in
integers that give the same sums in any order; the small layers after it run in float32, of the policy only the outputs of legal actions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.jit import entry, rule

from .rules import MAX_LEGAL, NUM_PLAYERS, OBSERVATION_SIZE, list_legal, write_observation

UNIT = 512
"""Of weights and sums of the first layer: what stands for 1."""
STEPS = 1024
"""Of inputs that are neither 0 nor 1: they are rounded to so many parts of 1."""
NUM_VALUES = 1 if NUM_PLAYERS == 2 else NUM_PLAYERS
"""A value for each seat in turn order from who decides; between two players the first says all."""


class FastNetwork(NamedTuple):
    """A network as compiled code reads it.

    Attributes:
        rows: int16 (OBSERVATION_SIZE, units): the first layer, UNIT times its weights.
        bias: int32 (units,): UNIT times its bias.
        hidden: float32 (units, width): the second layer, and
        hidden_bias: float32 (width,).
        policy: float32 (NUM_ACTIONS, width): what each action takes from it, and
        policy_bias: float32 (NUM_ACTIONS,).
        value: float32 (NUM_VALUES, width), and
        value_bias: float32 (NUM_VALUES,).
        win_share: of a win in the value of a finished game; the rest is for the margin.
    """

    rows: NDArray[np.int16]
    bias: NDArray[np.int32]
    hidden: NDArray[np.float32]
    hidden_bias: NDArray[np.float32]
    policy: NDArray[np.float32]
    policy_bias: NDArray[np.float32]
    value: NDArray[np.float32]
    value_bias: NDArray[np.float32]
    win_share: float


class Desk(NamedTuple):
    """Room to work in, so that nothing is allocated for a question.

    Attributes:
        inputs: float32 (OBSERVATION_SIZE,).
        ones: int16 (units,): sum of the rows of inputs that are 1.
        sums: int32 (units,): sum of all.
        units: float32 (units,), after the activation.
        width: float32 (width,), the same of the second layer.
        values: float32 (NUM_VALUES,).
    """

    inputs: NDArray[np.float32]
    ones: NDArray[np.int16]
    sums: NDArray[np.int32]
    units: NDArray[np.float32]
    width: NDArray[np.float32]
    values: NDArray[np.float32]


def desk_for(network: FastNetwork) -> Desk:
    """Return room to ask a network in."""
    units, width = network.hidden.shape
    return Desk(
        np.zeros(OBSERVATION_SIZE, np.float32),
        np.zeros(units, np.int16),
        np.zeros(units, np.int32),
        np.zeros(units, np.float32),
        np.zeros(width, np.float32),
        np.zeros(NUM_VALUES, np.float32),
    )


# The first layer ------------------------------------------------------------------------------
@rule
def add_row(sums, row):
    """Add a row of int16."""
    for k in range(len(sums)):
        sums[k] += row[k]


@rule
def add_part(sums, row, part):
    """Add a multiple of a row, in int32."""
    for k in range(len(sums)):
        sums[k] += np.int32(row[k]) * part


@rule
def apply_first_layer(network, desk):
    """Write the activated units of the first layer for ``desk.inputs`` into ``desk.units``."""
    ones, sums, inputs = desk.ones, desk.sums, desk.inputs
    for k in range(len(ones)):
        ones[k] = 0
        sums[k] = 0
    for j in range(OBSERVATION_SIZE):
        x = inputs[j]
        if x != 0.0:
            if x == 1.0:
                add_row(ones, network.rows[j])
            else:
                add_part(sums, network.rows[j], np.int32(x * STEPS + np.float32(0.5)))
    for k in range(len(ones)):
        total = np.int32(ones[k]) + network.bias[k] + np.int32(sums[k] // STEPS)
        desk.units[k] = max(np.float32(total) / np.float32(UNIT), np.float32(0.0))


# The small layers -----------------------------------------------------------------------------
@rule
def apply_second_layer(network, desk):
    """Write the activated units of the second layer into ``desk.width``."""
    width = desk.width
    for k in range(len(width)):
        width[k] = network.hidden_bias[k]
    for j in range(len(desk.units)):
        unit = desk.units[j]
        if unit > 0.0:
            row = network.hidden[j]
            for k in range(len(width)):
                width[k] += unit * row[k]
    for k in range(len(width)):
        width[k] = max(width[k], np.float32(0.0))


@rule
def dot(weights, units):
    """Return the product of two rows, summed in eight lanes."""
    a = b = c = d = e = f = g = h = np.float32(0.0)
    for k in range(0, len(units), 8):
        a += weights[k] * units[k]
        b += weights[k + 1] * units[k + 1]
        c += weights[k + 2] * units[k + 2]
        d += weights[k + 3] * units[k + 3]
        e += weights[k + 4] * units[k + 4]
        f += weights[k + 5] * units[k + 5]
        g += weights[k + 6] * units[k + 6]
        h += weights[k + 7] * units[k + 7]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@rule
def ask_network(state, network, desk, legal, count, logits):
    """Write what the network thinks where a player decides: ``logits`` (float64) of ``legal[:count]``, and ``desk.values`` in -1 to 1."""
    write_observation(state, state.player, desk.inputs)
    apply_first_layer(network, desk)
    apply_second_layer(network, desk)
    for k in range(count):
        action = legal[k]
        logits[k] = dot(network.policy[action], desk.width) + network.policy_bias[action]
    for seat in range(NUM_VALUES):
        desk.values[seat] = np.tanh(dot(network.value[seat], desk.width) + network.value_bias[seat])


# From Python ----------------------------------------------------------------------------------
@entry
def think(states, i, network, desk, legal, logits):
    """Write the legal actions of ``states[i]`` and the logit of each; return how many. ``desk.values`` are the values."""
    count = list_legal(states[i], legal)
    ask_network(states[i], network, desk, legal, count, logits)
    return count


@entry
def think_often(states, network, desk, times):
    """Ask about each state so many times, to measure."""
    legal = np.empty(MAX_LEGAL, np.int16)
    logits = np.empty(MAX_LEGAL)
    total = 0.0
    for _ in range(times):
        for i in range(len(states)):
            count = list_legal(states[i], legal)
            ask_network(states[i], network, desk, legal, count, logits)
            total += desk.values[0]
    return total
