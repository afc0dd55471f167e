"""A network that a search can ask in a few microseconds: an integer first layer over sparse inputs, small layers after it. A template.

Most numbers of an observation are 0, and most others 1. Each 1 adds a row of int16 weights, each other number adds a multiple of its row,
all in integers: the sums are exact, in whatever order (as in the efficiently updatable networks of chess engines). The small layers run in
float32; of the policy only the outputs of legal actions are computed.

No sum overflows: see the bounds in ``constants``, which ``fast_network_file`` checks. Inputs are taken to be in -1 to 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.jit import COMPILED, entry, entry_without_gil, rule, rule_with_arrays
from azul_duel_env.kernels.constants import ROWS_AT_ONCE, STEPS, UNIT

from .network import add_scaled
from .rules import MAX_LEGAL, NUM_PLAYERS, OBSERVATION_SIZE, list_legal, write_observation

NUM_VALUES = 1 if NUM_PLAYERS == 2 else NUM_PLAYERS
"""A value for each seat, in turn order from who decides; between two players the first says all."""


GROUP = 4
"""Units of the first layer that are added to the second at once: its sums then stay in registers for longer."""


class FastNetwork(NamedTuple):
    """A network as compiled code reads it.

    Attributes:
        first: int16 (OBSERVATION_SIZE, units): UNIT times the weights of the first layer.
        first_bias: int32 (units,): UNIT times its bias.
        second: float32 (units, width): the second layer.
        second_bias: float32 (width,).
        policy: float32 (NUM_ACTIONS, width): the logit of each action.
        policy_bias: float32 (NUM_ACTIONS,).
        value: float32 (NUM_VALUES, width): the values, before tanh.
        value_bias: float32 (NUM_VALUES,).
        win_share: share of the utility in the value of a finished game; the rest is for the margin.
    """

    first: NDArray[np.int16]
    first_bias: NDArray[np.int32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    policy: NDArray[np.float32]
    policy_bias: NDArray[np.float32]
    value: NDArray[np.float32]
    value_bias: NDArray[np.float32]
    win_share: float


class Workspace(NamedTuple):
    """Memory of one thread that asks a network, so that no question allocates any.

    Attributes:
        inputs: float32 (OBSERVATION_SIZE,).
        rows: int16 (units,): sum of the last few rows of inputs that are 1.
        sums: int32 (units,): UNIT times STEPS times the sum of all.
        units: float32 (units,): of the first layer, after the activation.
        active: int64 (units,): places of those above 0, the first of these numbers.
        hidden: float32 (width,): of the second layer, after the activation.
        values: float32 (NUM_VALUES,), in -1 to 1.
        legal: int16 (MAX_LEGAL,): actions.
        logits: float64 (MAX_LEGAL,): of these.
    """

    inputs: NDArray[np.float32]
    rows: NDArray[np.int16]
    sums: NDArray[np.int32]
    units: NDArray[np.float32]
    active: NDArray[np.int64]
    hidden: NDArray[np.float32]
    values: NDArray[np.float32]
    legal: NDArray[np.int16]
    logits: NDArray[np.float64]


def _make_workspace(network):
    """Return memory to ask a network in."""
    units, width = network.second.shape
    return Workspace(
        np.zeros(OBSERVATION_SIZE, np.float32),
        np.zeros(units, np.int16),
        np.zeros(units, np.int32),
        np.zeros(units, np.float32),
        np.zeros(units, np.int64),
        np.zeros(width, np.float32),
        np.zeros(NUM_VALUES, np.float32),
        np.zeros(MAX_LEGAL, np.int16),
        np.zeros(MAX_LEGAL, np.float64),
    )


make_workspace = _make_workspace
new_workspace = rule_with_arrays(_make_workspace)
"""The same for compiled code."""


# The first layer ------------------------------------------------------------------------------
@rule
def clear(sums):
    """Set all to 0."""
    for k in range(len(sums)):
        sums[k] = 0


@rule
def add_row(rows, weights):
    """Add a row of weights, in int16."""
    for k in range(len(rows)):
        rows[k] += weights[k]


@rule
def add_multiple(sums, weights, factor):
    """Add a multiple of a row of weights, in int32."""
    for k in range(len(sums)):
        sums[k] += np.int32(weights[k]) * factor


@rule
def sum_rows(network, workspace):
    """Write the sums of the first layer for ``workspace.inputs`` into ``workspace.sums``."""
    rows, sums, inputs = workspace.rows, workspace.sums, workspace.inputs
    clear(sums)
    clear(rows)
    added = 0
    for j in range(OBSERVATION_SIZE):
        x = inputs[j]
        if x == 1.0:
            add_row(rows, network.first[j])
            added += 1
            if added % ROWS_AT_ONCE == 0:
                add_multiple(sums, rows, np.int32(STEPS))
                clear(rows)
        elif x != 0.0:
            add_multiple(sums, network.first[j], np.int32(np.rint(x * np.float32(STEPS))))
    add_multiple(sums, rows, np.int32(STEPS))


@rule
def apply_first_layer(network, workspace):
    """Write the activated units of the first layer, and the places of those above 0; return how many these are."""
    sum_rows(network, workspace)
    count = 0
    for k in range(len(workspace.units)):
        total = network.first_bias[k] + np.int32(workspace.sums[k] // STEPS)
        workspace.units[k] = max(np.float32(total) / np.float32(UNIT), np.float32(0.0))
        if total > 0:
            workspace.active[count] = k
            count += 1
    return count


# The small layers -----------------------------------------------------------------------------
def add_group_at_once(outputs, a, row_a, b, row_b, c, row_c, d, row_d):
    """Add multiples of four rows to the outputs, as NumPy does it best."""
    outputs += (a * row_a + b * row_b) + (c * row_c + d * row_d)


@rule
def add_group_one_by_one(outputs, a, row_a, b, row_b, c, row_c, d, row_d):
    """Add multiples of four rows to the outputs, as compiled code does it best."""
    for k in range(len(outputs)):
        outputs[k] += (a * row_a[k] + b * row_b[k]) + (c * row_c[k] + d * row_d[k])


add_group: Any = add_group_one_by_one if COMPILED else add_group_at_once


@rule
def add_next(network, workspace, j):
    """Add what GROUP active units bring, from the one in place ``j`` on."""
    a, b, c, d = workspace.active[j], workspace.active[j + 1], workspace.active[j + 2], workspace.active[j + 3]
    units, rows = workspace.units, network.second
    add_group(workspace.hidden, units[a], rows[a], units[b], rows[b], units[c], rows[c], units[d], rows[d])


@rule
def apply_second_layer(network, workspace, count):
    """Write the activated units of the second layer into ``workspace.hidden``, ``count`` of the first being active."""
    hidden = workspace.hidden
    for k in range(len(hidden)):
        hidden[k] = network.second_bias[k]
    whole = count - count % GROUP
    for j in range(0, whole, GROUP):
        add_next(network, workspace, j)
    for j in range(whole, count):
        unit = workspace.active[j]
        add_scaled(hidden, workspace.units[unit], network.second[unit])
    for k in range(len(hidden)):
        hidden[k] = max(hidden[k], np.float32(0.0))


@rule
def dot(weights, units):
    """Return the product of two rows, summed in LANES."""
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
def ask_network(state, network, workspace, legal, count, logits):
    """Write what the network thinks where a player decides: ``logits`` (float64) of ``legal[:count]``, and ``workspace.values``."""
    write_observation(state, state.player, workspace.inputs)
    apply_second_layer(network, workspace, apply_first_layer(network, workspace))
    for k in range(count):
        action = legal[k]
        logits[k] = dot(network.policy[action], workspace.hidden) + network.policy_bias[action]
    for seat in range(NUM_VALUES):
        workspace.values[seat] = np.tanh(dot(network.value[seat], workspace.hidden) + network.value_bias[seat])


@rule
def likeliest(logits, count):
    """Return the place of the highest of ``logits[:count]``; of several the lowest place."""
    best = 0
    for k in range(1, count):
        if logits[k] > logits[best]:
            best = k
    return best


# From Python ----------------------------------------------------------------------------------
@entry
def think(states, i, network, workspace):
    """Write the legal actions of ``states[i]``, the logit of each, and the values into the workspace; return how many actions."""
    count = list_legal(states[i], workspace.legal)
    ask_network(states[i], network, workspace, workspace.legal, count, workspace.logits)
    return count


@entry_without_gil
def choose_by_fast_network(states, i, network):
    """Return the legal action of ``states[i]`` with the highest logit; of several the lowest action."""
    workspace = new_workspace(network)
    count = list_legal(states[i], workspace.legal)
    ask_network(states[i], network, workspace, workspace.legal, count, workspace.logits)
    return np.int64(workspace.legal[likeliest(workspace.logits, count)])
