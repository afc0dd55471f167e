"""The search of ``gumbel`` over many games in step, which hands out its leaves: whoever asks for it values them all at once. A template.

Each game has a tree, nodes and candidates of its own, in the same row of arrays. A simulation of all games is two calls: ``descend`` goes
to the leaves and writes what is seen there; ``expand`` takes what somebody thinks of them, and counts it. A state in which an action is
legal that has no child yet is a leaf.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry_without_gil, rule, rule_with_arrays
from azul_duel_env.kernels.constants import NO_NODE, ROOT

from .gumbel import (
    FIRST,
    Candidates,
    Settings,
    begin,
    explore,
    go_to,
    improve,
    is_beyond,
    make_candidates,
    num_phases,
    order_by_logits,
    order_by_scores,
    place_to_take,
    value_end,
)
from .rules import MAX_LEGAL, NUM_PLAYERS, list_legal, round_number, write_observation
from .search import NODE, TREE, add_children, back_up, clear_node, count_marked, mark_legal, select_child, soften

__all__ = [
    "FIRST",
    "NODE",
    "Settings",
    "descend",
    "expand",
    "expand_roots",
    "finish",
    "make_searches",
    "plant",
]

PLAN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("count", np.int64),  # legal actions of the root
                ("wanted", np.int64),  # actions still considered
                ("phases", np.int64),  # of sequential halving, in all
                ("turn", np.int64),  # simulations of this phase that are done
                ("turns", np.int64),  # simulations of this phase
                ("left", np.int64),  # simulations still to run
            ],
            align=True,
        ),
    )
)


class Scratch(NamedTuple):
    """Room for the legal actions of a state.

    Attributes:
        legal: int16 (MAX_LEGAL,).
        logits: float64 (MAX_LEGAL,).
    """

    legal: NDArray[np.int16]
    logits: NDArray[np.float64]


class Searches(NamedTuple):
    """Searches of some games, and what they work on.

    Attributes:
        states: one each, in which a player decides; they stay as they are.
        copies: states, one each: where the simulation is.
        trees: a TREE each.
        nodes: NODE (games, room), room for more than MAX_LEGAL.
        candidates: ``Candidates``, whose arrays have a row for each game.
        plans: a PLAN each.
        asked: int64 (games,): of which games the leaves are that wait to be valued.
        scratch: of all.
    """

    states: NDArray[Any]
    copies: NDArray[Any]
    trees: NDArray[Any]
    nodes: NDArray[Any]
    candidates: Candidates
    plans: NDArray[Any]
    asked: NDArray[np.int64]
    scratch: Scratch


def make_searches(states, room):
    """Return searches of copies of some states, with room for so many nodes each."""
    games = len(states)
    return Searches(
        states.copy(),
        states.copy(),
        np.zeros(games, TREE),
        np.zeros((games, room), NODE),
        Candidates(*(np.zeros((games, *array.shape), array.dtype) for array in make_candidates())),
        np.zeros(games, PLAN),
        np.zeros(games, np.int64),
        Scratch(np.zeros(MAX_LEGAL, np.int16), np.zeros(MAX_LEGAL)),
    )


@rule_with_arrays
def candidates_of(candidates, r):
    """Return the candidates of one game."""
    return Candidates(
        candidates.legal[r],
        candidates.logits[r],
        candidates.noisy[r],
        candidates.scores[r],
        candidates.order[r],
        candidates.policy[r],
        candidates.estimates[r],
        candidates.values[r],
    )


@rule
def write_seats(player, thought, values):
    """Write what somebody thinks, in turn order from ``player`` on, for each player; between two players one value says all."""
    for seat in range(NUM_PLAYERS):
        worth = thought[min(seat, len(thought) - 1)]
        values[(player + seat) % NUM_PLAYERS] = -worth if len(thought) == 1 and seat == 1 else worth


@rule
def begin_phase(plan, simulations):
    """Share simulations out to those still considered."""
    plan.turn = 0
    plan.turns = max(1, simulations // (plan.phases * plan.wanted)) * plan.wanted


@rule
def has_no_room(tree, nodes, node, legal, count):
    """Return whether the children that a node lacks don't fit into memory."""
    mark_legal(tree, legal, count)
    return tree.used + count - count_marked(tree, nodes, node) > len(nodes)


@rule
def is_leaf(state, tree, nodes, node, scratch, count):
    """Return whether a legal action has no child yet, or the horizon is passed; if not, each legal action is marked.

    What is forced gets its child at once: nobody need be asked of it.
    """
    if is_beyond(state, tree):
        return True
    if count == 1 and nodes[node].first_child == NO_NODE and tree.used < len(nodes):
        scratch.logits[0] = 1.0
        add_children(tree, nodes, node, scratch.legal, count, scratch.logits)
    mark_legal(tree, scratch.legal, count)
    return count_marked(tree, nodes, node) < count


@rule
def walk(root, copies, tree, nodes, first, scratch):
    """Go from the root, by the node ``first``, to a leaf or the end of the game, in ``copies[0]``."""
    begin(root, copies, tree)
    node = first
    go_to(copies[0], tree, nodes, node, scratch)
    while copies[0].player != NOBODY:
        count = list_legal(copies[0], scratch.legal)
        if is_leaf(copies[0], tree, nodes, node, scratch, count):
            return
        node = select_child(tree, nodes, node, copies[0].player)
        go_to(copies[0], tree, nodes, node, scratch)


@rule
def show(state, scratch, observation, mask):
    """Write what who decides sees, and 1 into the mask (int8, NUM_ACTIONS) for each legal action; return how many."""
    write_observation(state, state.player, observation)
    for action in range(len(mask)):
        mask[action] = 0
    count = list_legal(state, scratch.legal)
    for k in range(count):
        mask[scratch.legal[k]] = 1
    return count


@rule
def list_masked(mask, legal):
    """Write the actions of a mask, ascending; return how many. It compiles in no time, which ``list_legal`` does not."""
    count = 0
    for action in range(len(mask)):
        if mask[action] == 1:
            legal[count] = action
            count += 1
    return count


@rule
def expand_leaf(state, tree, nodes, scratch, mask, logits):
    """Give a leaf the children that it lacks, if there is room, unless it is beyond the horizon."""
    node = tree.path[tree.length - 1]
    count = list_masked(mask, scratch.legal)
    if is_beyond(state, tree) or has_no_room(tree, nodes, node, scratch.legal, count):
        return
    for k in range(count):
        scratch.logits[k] = logits[scratch.legal[k]]
    soften(scratch.logits, count, 1.0)
    add_children(tree, nodes, node, scratch.legal, count, scratch.logits)


# From Python ----------------------------------------------------------------------------------
@entry_without_gil
def plant(searches, keys, observations, masks):
    """Begin a search of each state, and write what is seen there.

    Args:
        searches: all of them.
        keys: uint64, one each: decide all draws.
        observations: float32 (games, OBSERVATION_SIZE), and
        masks: int8 (games, NUM_ACTIONS): are written.
    """
    for r in range(len(searches.states)):
        state, tree = searches.states[r], searches.trees[r]
        tree.rng = keys[r]
        tree.used = FIRST
        tree.last_round = max(1, round_number(state))
        show(state, searches.scratch, observations[r], masks[r])


@entry_without_gil
def expand_roots(searches, masks, logits, thoughts, settings):
    """Take what somebody thinks of the roots, and choose the actions that are considered.

    Args:
        searches: all of them.
        masks: those of ``plant``.
        logits: float64 (games, NUM_ACTIONS).
        thoughts: float64 (games, values): in turn order from who decides.
        settings: ``Settings``; where one action is legal there are no simulations.
    """
    for r in range(len(searches.states)):
        state, tree, plan = searches.states[r], searches.trees[r], searches.plans[r]
        found = candidates_of(searches.candidates, r)
        plan.count = list_masked(masks[r], found.legal)
        for k in range(plan.count):
            found.logits[k] = logits[r, found.legal[k]]
            found.policy[k] = found.logits[k]
        soften(found.policy, plan.count, 1.0)
        clear_node(searches.nodes[r, ROOT], 0, 1.0)
        add_children(tree, searches.nodes[r], ROOT, found.legal, plan.count, found.policy)
        write_seats(state.player, thoughts[r], found.estimates)
        explore(tree, found, plan.count, settings)
        order_by_logits(tree, found, plan.count, settings.noise)
        plan.wanted = min(settings.considered, plan.count)
        plan.phases = num_phases(plan.wanted)
        plan.left = settings.simulations if plan.count > 1 else 0
        begin_phase(plan, settings.simulations)


@entry_without_gil
def descend(searches, win_share, observations, masks):
    """Begin a simulation of each game that has some left; return how many leaves are to be valued.

    Args:
        searches: all of them.
        win_share: of the utility in the value of a finished game.
        observations: float32 (games, OBSERVATION_SIZE): what who decides sees at each leaf, and
        masks: int8 (games, NUM_ACTIONS): what is legal there: are written.
    """
    leaves = 0
    for r in range(len(searches.states)):
        plan, tree, nodes = searches.plans[r], searches.trees[r], searches.nodes[r]
        if plan.left == 0:
            continue
        copy = searches.copies[r : r + 1]
        first = FIRST + searches.candidates.order[r, plan.turn % plan.wanted]
        walk(searches.states[r], copy, tree, nodes, first, searches.scratch)
        plan.left -= 1
        plan.turn += 1
        if copy[0].player == NOBODY:
            value_end(copy[0], tree, win_share)
            back_up(tree, nodes)
        else:
            show(copy[0], searches.scratch, observations[leaves], masks[leaves])
            searches.asked[leaves] = r
            leaves += 1
    return leaves


@entry_without_gil
def expand(searches, leaves, masks, logits, thoughts, settings):
    """Take what somebody thinks of the leaves, count it, and halve the actions considered where a phase is over.

    Args:
        searches: all of them.
        leaves: how many ``descend`` found.
        masks: those that it wrote.
        logits: float64 (leaves, NUM_ACTIONS).
        thoughts: float64 (leaves, values): in turn order from who decides.
        settings: ``Settings``.
    """
    for leaf in range(leaves):
        r = searches.asked[leaf]
        state, tree, nodes = searches.copies[r], searches.trees[r], searches.nodes[r]
        write_seats(state.player, thoughts[leaf], tree.values)
        expand_leaf(state, tree, nodes, searches.scratch, masks[leaf], logits[leaf])
        back_up(tree, nodes)
    for r in range(len(searches.states)):
        plan, player = searches.plans[r], searches.states[r].player
        if plan.turn > 0 and (plan.turn == plan.turns or plan.left == 0):
            found = candidates_of(searches.candidates, r)
            plan.wanted = order_by_scores(searches.nodes[r], found, plan.count, plan.wanted, player, settings.strength)
            begin_phase(plan, settings.simulations)


@entry_without_gil
def finish(searches, settings, policies):
    """Write the improved policies (float64 (games, NUM_ACTIONS)), and the values under them into ``searches.candidates``.

    The place of the action to take then comes first in the order there.
    """
    for r in range(len(searches.states)):
        count, found = searches.plans[r].count, candidates_of(searches.candidates, r)
        improve(searches.nodes[r], found, count, searches.states[r].player, settings.strength)
        found.order[0] = place_to_take(searches.trees[r], found, count, settings.temperature)
        for action in range(policies.shape[1]):
            policies[r, action] = 0.0
        for k in range(count):
            policies[r, found.legal[k]] = found.policy[k]
