"""The first layer of a fast network: integer sums over sparse inputs, of which only what changed is summed anew. A template.

Its inputs are the numbers of an observation, most of which are 0 and most others 1, and the lookups of ``encoding``. Each 1 adds a row of
int16 weights, each other number adds a multiple of its row, all in integers. So the sums are exact, in whatever order, and those of the
question before, asked for the same seat, serve the next one: rows of inputs that are 1 now are added, of those that were 1 subtracted (as
in the efficiently updatable networks of chess engines). Within a search some 50 of 200 rows change from one question to the next.

No sum overflows: see the bounds in ``constants``, which ``fast_network_file`` checks. Inputs are taken to be in -1 to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.jit import rule, rule_with_arrays
from azul_duel_env.kernels.constants import ROWS_AT_ONCE, STEPS

from .encoding import MAX_LOOKUPS, NUM_LOOKUPS
from .rules import NUM_PLAYERS, OBSERVATION_SIZE

NUM_INPUTS = OBSERVATION_SIZE + NUM_LOOKUPS
ROW_GROUP = 8
"""Rows that are added at once: sums then stay in registers for longer."""
BLOCK = 32
"""Numbers of the observation that are compared at once."""
NUM_BLOCKS = -(-OBSERVATION_SIZE // BLOCK)
MAX_CHANGES = NUM_BLOCKS * BLOCK + MAX_LOOKUPS + 1

IS_ONE, WILL_BE_ONE = 1, 2
"""Flags of a lookup."""


class FirstLayer(NamedTuple):
    """What has been summed for each seat, of one network, and memory to find out what changed.

    Attributes:
        sums: int32 (NUM_PLAYERS, units): UNIT times STEPS times the sums.
        inputs: float32 (NUM_PLAYERS, NUM_BLOCKS * BLOCK): the observation in them, then zeros.
        lookups: int16 (NUM_PLAYERS, MAX_LOOKUPS): the lookups in them, the first of these numbers.
        num_lookups: int64 (NUM_PLAYERS,): how many.
        flags: uint8 (NUM_PLAYERS, NUM_LOOKUPS): IS_ONE for each of them.
        rows: int16 (units,): sum of the last few rows.
        rising: int16 (MAX_CHANGES,): places of inputs that were 0 and are 1,
        falling: int16 (MAX_CHANGES,): of those that were 1 and are 0, and
        others: int16 (MAX_CHANGES,): of those that changed otherwise.
    """

    sums: NDArray[np.int32]
    inputs: NDArray[np.float32]
    lookups: NDArray[np.int16]
    num_lookups: NDArray[np.int64]
    flags: NDArray[np.uint8]
    rows: NDArray[np.int16]
    rising: NDArray[np.int16]
    falling: NDArray[np.int16]
    others: NDArray[np.int16]


def _make_first_layer(units):
    """Return the sums of so many units where all inputs are 0."""
    return FirstLayer(
        np.zeros((NUM_PLAYERS, units), np.int32),
        np.zeros((NUM_PLAYERS, NUM_BLOCKS * BLOCK), np.float32),
        np.zeros((NUM_PLAYERS, MAX_LOOKUPS), np.int16),
        np.zeros(NUM_PLAYERS, np.int64),
        np.zeros((NUM_PLAYERS, NUM_LOOKUPS), np.uint8),
        np.zeros(units, np.int16),
        np.zeros(MAX_CHANGES, np.int16),
        np.zeros(MAX_CHANGES, np.int16),
        np.zeros(MAX_CHANGES, np.int16),
    )


make_first_layer = _make_first_layer
new_first_layer = rule_with_arrays(_make_first_layer)
"""The same for compiled code."""


# Rows -----------------------------------------------------------------------------------------
@rule
def clear(sums):
    """Set all to 0."""
    for k in range(len(sums)):
        sums[k] = 0


@rule
def add_group(rows, weights, places, j):
    """Add ROW_GROUP rows of weights, those of ``places`` from ``j`` on, in int16."""
    a, b, c, d = weights[places[j]], weights[places[j + 1]], weights[places[j + 2]], weights[places[j + 3]]
    e, f, g, h = weights[places[j + 4]], weights[places[j + 5]], weights[places[j + 6]], weights[places[j + 7]]
    for k in range(len(rows)):
        rows[k] += np.int16(np.int16(a[k] + b[k]) + np.int16(c[k] + d[k])) + np.int16(
            np.int16(e[k] + f[k]) + np.int16(g[k] + h[k])
        )


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
def add_rows(sums, rows, weights, places, count, factor):
    """Add a multiple of each of the rows of weights ``places[:count]``; ``rows`` is overwritten."""
    for first in range(0, count, ROWS_AT_ONCE):
        clear(rows)
        until = min(first + ROWS_AT_ONCE, count)
        whole = until - (until - first) % ROW_GROUP
        for j in range(first, whole, ROW_GROUP):
            add_group(rows, weights, places, j)
        for j in range(whole, until):
            add_row(rows, weights[places[j]])
        add_multiple(sums, rows, factor)


# What changed: without branches where they could not be foretold ---------------------------------
@rule
def are_equal(now, before):
    """Return whether a block of inputs is as it was."""
    changes = 0
    for j in range(BLOCK):
        changes += now[j] != before[j]
    return changes == 0


@rule
def list_changes(inputs, summed, places):
    """Write the places of inputs that are not as they were summed; return how many."""
    new, old = inputs.reshape((NUM_BLOCKS, BLOCK)), summed.reshape((NUM_BLOCKS, BLOCK))
    changes = 0
    for block in range(NUM_BLOCKS):
        now, before = new[block], old[block]
        if not are_equal(now, before):
            for j in range(BLOCK):
                places[changes] = block * BLOCK + j
                changes += now[j] != before[j]
    return changes


@rule
def sort_changes(layer, inputs, summed):
    """Write which numbers of the observation rise, fall, and change otherwise; return how many do each."""
    rising = 0
    falling = 0
    others = 0
    for j in range(list_changes(inputs, summed, layer.others)):
        at = layer.others[j]
        rises = (inputs[at] == 1.0) & (summed[at] == 0.0)
        falls = (inputs[at] == 0.0) & (summed[at] == 1.0)
        layer.rising[rising] = at
        layer.falling[falling] = at
        layer.others[others] = at
        rising += rises
        falling += falls
        others += not (rises | falls)
    return rising, falling, others


@rule
def append_lookups(layer, seat, lookups, count, rising, falling):
    """Append the first ``count`` lookups that were 0 before, and those that were 1 and aren't among them; return how many rise, fall."""
    before, flags = layer.lookups[seat], layer.flags[seat]
    for j in range(count):
        lookup = lookups[j]
        layer.rising[rising] = OBSERVATION_SIZE + lookup
        rising += flags[lookup] == 0
        flags[lookup] |= WILL_BE_ONE
    for j in range(layer.num_lookups[seat]):
        lookup = before[j]
        layer.falling[falling] = OBSERVATION_SIZE + lookup
        falling += flags[lookup] == IS_ONE
        flags[lookup] = 0
    for j in range(count):
        before[j] = lookups[j]
        flags[lookups[j]] = IS_ONE
    layer.num_lookups[seat] = count
    return rising, falling


# The sums ---------------------------------------------------------------------------------------
@rule
def steps_of(value):
    """Return an input in STEPS."""
    return np.int32(np.rint(value * np.float32(STEPS)))


@rule
def update_sums(layer, seat, weights, inputs, lookups, count):
    """Make ``layer.sums[seat]`` those of an observation and the first ``count`` lookups.

    Args:
        layer: of the network with these weights.
        seat: for which the question is asked; between two of the same seat little changes.
        weights: int16 (NUM_INPUTS, units).
        inputs: float32 (NUM_BLOCKS * BLOCK,): the observation, then zeros.
        lookups: int16: those that are 1, each once.
        count: how many.
    """
    sums, summed = layer.sums[seat], layer.inputs[seat]
    rising, falling, others = sort_changes(layer, inputs, summed)
    rising, falling = append_lookups(layer, seat, lookups, count, rising, falling)
    add_rows(sums, layer.rows, weights, layer.rising, rising, np.int32(STEPS))
    add_rows(sums, layer.rows, weights, layer.falling, falling, np.int32(-STEPS))
    for j in range(others):
        at = layer.others[j]
        add_multiple(sums, weights[at], steps_of(inputs[at]) - steps_of(summed[at]))
    for j in range(len(summed)):
        summed[j] = inputs[j]
