"""A network that a search can ask in a few microseconds: an integer first layer over sparse inputs, small layers after it. A template.

For the first layer see ``first_layer``. The small layers run in float32. The logit of an action is the sum of a few outputs, see
``encoding``; only those of legal actions are computed, each once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.jit import COMPILED, entry, entry_without_gil, rule, rule_in_any_order, rule_with_arrays
from azul_duel_env.kernels.constants import STEPS, UNIT

from .encoding import (
    CONTEXT_SIZE,
    MAX_LOOKUPS,
    MAX_OUTPUTS,
    NUM_LOOKUPS,
    NUM_OUTPUTS,
    list_lookups,
    list_outputs,
    write_context,
)
from .first_layer import BLOCK, NUM_BLOCKS, FirstLayer, make_first_layer, new_first_layer, update_sums
from .network import add_scaled
from .rules import MAX_LEGAL, NUM_PLAYERS, list_legal, write_observation

NUM_VALUES = 1 if NUM_PLAYERS == 2 else NUM_PLAYERS
"""A value for each seat, in turn order from who decides; between two players the first says all."""
GROUP = 4
"""Units of the first layer that are added at once in the second: sums then stay in registers for longer."""


class FastNetwork(NamedTuple):
    """A network as compiled code reads it.

    Attributes:
        first: int16 (NUM_INPUTS, units): UNIT times the weights of the first layer, of the observation and then of the lookups.
        first_bias: int32 (units,): UNIT times its bias.
        second: float32 (units, width): the second layer.
        second_bias: float32 (width,).
        policy: float32 (NUM_OUTPUTS, width): the outputs that logits are summed from.
        policy_bias: float32 (NUM_OUTPUTS,).
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
    """Memory of one thread that asks one network, so that no question allocates any.

    Attributes:
        inputs: float32 (NUM_BLOCKS * BLOCK,): the observation, then zeros.
        lookups: int16 (MAX_LOOKUPS,): those that are 1.
        layer: what the first layer has summed.
        units: float32 (units,): of the first layer, after the activation.
        active: int64 (units + 1,): places of those above 0, the first of these numbers.
        hidden: float32 (width,): of the second layer, after the activation.
        values: float32 (NUM_VALUES,), in -1 to 1.
        legal: int16 (MAX_LEGAL,): actions.
        logits: float64 (MAX_LEGAL,): of these.
        context: int64 (CONTEXT_SIZE,): see ``encoding``.
        outputs: int16 (MAX_OUTPUTS,): those of an action.
        products: float32 (NUM_OUTPUTS,): what an output came to, if it
        known: bool (NUM_OUTPUTS,): is known for this question.
    """

    inputs: NDArray[np.float32]
    lookups: NDArray[np.int16]
    layer: FirstLayer
    units: NDArray[np.float32]
    active: NDArray[np.int64]
    hidden: NDArray[np.float32]
    values: NDArray[np.float32]
    legal: NDArray[np.int16]
    logits: NDArray[np.float64]
    context: NDArray[np.int64]
    outputs: NDArray[np.int16]
    products: NDArray[np.float32]
    known: NDArray[np.bool_]


def _make_workspace(network, layer):
    """Return memory to ask a network in, with that of its first layer."""
    units, width = network.second.shape
    return Workspace(
        np.zeros(NUM_BLOCKS * BLOCK, np.float32),
        np.zeros(MAX_LOOKUPS, np.int16),
        layer,
        np.zeros(units, np.float32),
        np.zeros(units + 1, np.int64),
        np.zeros(width, np.float32),
        np.zeros(NUM_VALUES, np.float32),
        np.zeros(MAX_LEGAL, np.int16),
        np.zeros(MAX_LEGAL, np.float64),
        np.zeros(CONTEXT_SIZE, np.int64),
        np.zeros(MAX_OUTPUTS, np.int16),
        np.zeros(NUM_OUTPUTS, np.float32),
        np.zeros(NUM_OUTPUTS, np.bool_),
    )


_new_workspace = rule_with_arrays(_make_workspace)


def make_workspace(network):
    """Return memory to ask a network in."""
    return _make_workspace(network, make_first_layer(len(network.first_bias)))


@rule_with_arrays
def new_workspace(network):
    """Return memory to ask a network in, for compiled code."""
    return _new_workspace(network, new_first_layer(len(network.first_bias)))


@rule_with_arrays
def new_context():
    """Return room for what ``write_context`` writes."""
    return np.zeros(CONTEXT_SIZE, np.int64)


# The first layer ------------------------------------------------------------------------------
@rule
def apply_first_layer(seat, network, workspace, lookups):
    """Write the activated units of the first layer, and the places of those above 0; return how many these are."""
    update_sums(workspace.layer, seat, network.first, workspace.inputs, workspace.lookups, lookups)
    sums = workspace.layer.sums[seat]
    count = 0
    for k in range(len(workspace.units)):
        total = network.first_bias[k] + np.int32(sums[k] // STEPS)
        workspace.units[k] = max(np.float32(total) / np.float32(UNIT), np.float32(0.0))
        workspace.active[count] = k
        count += total > 0
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


@rule_in_any_order
def dot(weights, units):
    """Return the product of two rows."""
    total = np.float32(0.0)
    for k in range(len(units)):
        total += weights[k] * units[k]
    return total


@rule
def product_of(network, workspace, output):
    """Return what an output comes to."""
    if not workspace.known[output]:
        workspace.products[output] = dot(network.policy[output], workspace.hidden) + network.policy_bias[output]
        workspace.known[output] = True
    return workspace.products[output]


@rule
def write_logits_of(state, network, workspace, legal, count, logits):
    """Write the logits of ``legal[:count]``, the small layers being done."""
    for output in range(NUM_OUTPUTS):
        workspace.known[output] = False
    for k in range(count):
        logit = np.float32(0.0)
        for j in range(list_outputs(state, legal[k], workspace.context, workspace.outputs)):
            logit += product_of(network, workspace, workspace.outputs[j])
        logits[k] = logit


@rule
def ask_network(state, network, workspace, legal, count, logits):
    """Write what the network thinks where a player decides: ``logits`` (float64) of ``legal[:count]``, and ``workspace.values``."""
    write_observation(state, state.player, workspace.inputs)
    write_context(state, state.player, workspace.context)
    lookups = list_lookups(state, state.player, workspace.context, workspace.lookups)
    apply_second_layer(network, workspace, apply_first_layer(state.player, network, workspace, lookups))
    write_logits_of(state, network, workspace, legal, count, logits)
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


@entry_without_gil
def encode(states, counts, actions, lookups, outputs):
    """Write what ``encoding`` says of some positions, each with its player to decide.

    Args:
        states: (n,).
        counts: int16 (n,): legal actions of each.
        actions: int16 (sum of counts,): these, one position after the other.
        lookups: int16 (n, MAX_LOOKUPS): written, those that are 1, then NUM_LOOKUPS.
        outputs: int16 (sum of counts, MAX_OUTPUTS): written, those of each action, then NUM_OUTPUTS.
    """
    context = new_context()
    first = 0
    for i in range(len(states)):
        write_context(states[i], states[i].player, context)
        lookups[i, list_lookups(states[i], states[i].player, context, lookups[i]) :] = NUM_LOOKUPS
        for k in range(first, first + counts[i]):
            outputs[k, list_outputs(states[i], actions[k], context, outputs[k]) :] = NUM_OUTPUTS
        first += counts[i]
