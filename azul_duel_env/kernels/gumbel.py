"""Search with a fast network, and self-play to train one: nothing but the rules is known. A template: see ``kernels``.

The tree is that of ``search``: open-loop, on copies in which all that the player may not know is drawn anew, max^n, up to the end of the
round. A leaf is worth what the network says of it or, at the end of the game, what the game has come to.

At the root, actions compete by sequential halving over their logits with Gumbel noise, so that few simulations improve the policy already
(Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022). The improved policy, which a network learns, is the softmax of
logits and completed Q values: of an action without a visit, the mixed value of those with one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry, entry_without_gil, rule, rule_with_arrays
from azul_duel_env.jit.rng import next_bits
from azul_duel_env.kernels.constants import NO_NODE, ROOT

from .exploration import draw_place, gumbel, mix_dirichlet, write_logits
from .fast_network import ask_network, new_workspace
from .outcome import margin_of, utility
from .rules import MAX_LEGAL, NUM_PLAYERS, carry_out, let_chance_draw, list_legal, resample_state, round_number
from .search import (
    MAX_DEPTH,
    NODE,
    SCALE,
    TREE,
    add_children,
    back_up,
    child_of,
    clear_node,
    count_marked,
    mark_legal,
    most_visited,
    select_child,
    soften,
)

__all__ = [
    "NODE",
    "TREE",
    "Candidates",
    "Settings",
    "halve",
    "make_candidates",
    "most_visited",
    "next_node",
    "phases_of",
    "plant",
    "play_game",
    "replant",
    "simulate_each",
    "write_policy",
]

FIRST = ROOT + 1
"""The node of the first legal action; those of the others come after it."""
VISITS_ASSUMED = 50.0
"""Of the action visited most, in the weight of Q values beside logits: c_visit of the paper."""


class Settings(NamedTuple):
    """How a decision of self-play is searched.

    Attributes:
        simulations: 0 to go by what the network thinks of the root.
        considered: actions that sequential halving begins with, at least 1.
        noise: factor of the Gumbel noise; 0 for none.
        strength: factor of Q values beside logits: c_scale of the paper, at Q values scaled into 0 to 1.
        dirichlet_share: of Dirichlet noise in the priors of the root; 0 for none.
        dirichlet_concentration: of that noise, above 0: the smaller, the fewer actions have most of it.
        temperature: 0 to take the action that came first in sequential halving; else actions are drawn from the improved policy to the
            power of 1 / ``temperature``.
        reuse: whether what was found about the action taken serves the next decision, if the same player decides and nothing was drawn
            or dealt in between.
        trace_decay: the lambda of TD(lambda): 1 to learn what games came to; below it, what the searches after a decision thought counts
            the more, the sooner they came.
    """

    simulations: int
    considered: int
    noise: float
    strength: float
    dirichlet_share: float
    dirichlet_concentration: float
    temperature: float
    reuse: bool
    trace_decay: float


class Candidates(NamedTuple):
    """The legal actions of the root, one entry each, MAX_LEGAL at most.

    Attributes:
        legal: int16: the actions, ascending.
        logits: float64: the network's.
        noisy: float64: the same with noise.
        scores: float64: the same with what the search found.
        order: int64: places in ``legal``; those still considered come first, the best one foremost.
        policy: float64: the network's, then the improved one.
        estimates: float64 (NUM_PLAYERS,): what the network thinks that the root is worth for each player, and
        values: float64 (NUM_PLAYERS,): what it is worth under the improved policy.
    """

    legal: NDArray[np.int16]
    logits: NDArray[np.float64]
    noisy: NDArray[np.float64]
    scores: NDArray[np.float64]
    order: NDArray[np.int64]
    policy: NDArray[np.float64]
    estimates: NDArray[np.float64]
    values: NDArray[np.float64]


def _make_candidates():
    """Return room for the legal actions of a root."""
    return Candidates(
        np.zeros(MAX_LEGAL, np.int16),
        np.zeros(MAX_LEGAL),
        np.zeros(MAX_LEGAL),
        np.zeros(MAX_LEGAL),
        np.zeros(MAX_LEGAL, np.int64),
        np.zeros(MAX_LEGAL),
        np.zeros(NUM_PLAYERS),
        np.zeros(NUM_PLAYERS),
    )


make_candidates = _make_candidates
new_candidates = rule_with_arrays(_make_candidates)
"""The same for compiled code."""


# What a simulation comes to -------------------------------------------------------------------
@rule
def end_value(state, player, win_share):
    """Return what a finished game is worth for a player, in -1 to 1: the utility, and a share for the margin."""
    return win_share * utility(state, player) + (1.0 - win_share) * np.tanh(margin_of(state, player) / SCALE)


@rule
def value_end(state, tree, win_share):
    """Write what the finished game is worth for each player."""
    for player in range(NUM_PLAYERS):
        tree.values[player] = end_value(state, player, win_share)


@rule
def write_values(player, workspace, values):
    """Write what the network, asked for ``player``, thinks that it is worth for each player."""
    if NUM_PLAYERS == 2:
        values[player] = workspace.values[0]
        values[1 - player] = -workspace.values[0]
    else:
        for seat in range(NUM_PLAYERS):
            values[(player + seat) % NUM_PLAYERS] = workspace.values[seat]


@rule
def value_leaf(state, tree, network, workspace, count):
    """Write what a leaf is worth for each player, and the priors of ``workspace.legal[:count]`` into ``workspace.logits``."""
    ask_network(state, network, workspace, workspace.legal, count, workspace.logits)
    soften(workspace.logits, count, 1.0)
    write_values(state.player, workspace, tree.values)


# A simulation ---------------------------------------------------------------------------------
@rule
def is_beyond(state, tree):
    """Return whether the horizon is passed: what is dealt next makes every action mean something else."""
    return round_number(state) > tree.last_round or tree.length == MAX_DEPTH


@rule
def begin(root, states, tree):
    """Set ``states[0]`` to a copy of the root in which all that its player may not know is drawn anew."""
    states[0] = root
    let_chance_draw(states[0])
    resample_state(states[0], root.player, next_bits(tree))
    tree.path[0] = ROOT
    tree.length = 1


@rule
def ends_at(state, tree, nodes, node, network, workspace):
    """Return whether the simulation ends at a node, its values in ``tree.values``; if not, each legal action has a marked child."""
    if state.player == NOBODY:
        value_end(state, tree, network.win_share)
        return True
    count = list_legal(state, workspace.legal)
    if is_beyond(state, tree):
        value_leaf(state, tree, network, workspace, count)
        return True
    mark_legal(tree, workspace.legal, count)
    missing = count - count_marked(tree, nodes, node)
    if missing > 0:
        is_full = tree.used + missing > len(nodes)
        is_leaf = is_full or (nodes[node].first_child == NO_NODE and count > 1)
        if count > 1 or is_full:
            value_leaf(state, tree, network, workspace, count)
        else:
            workspace.logits[0] = 1.0
        if not is_full:
            add_children(tree, nodes, node, workspace.legal, count, workspace.logits)
        return is_leaf
    return False


@rule
def go_to(state, tree, nodes, node, workspace):
    """Carry out the action that leads to a node."""
    tree.path[tree.length] = node
    tree.length += 1
    carry_out(state, nodes[node].action, workspace.legal)


@rule
def simulate(root, states, tree, nodes, network, workspace, first):
    """Go from the root, by the node ``first``, to where the simulation ends, and count its values on the way."""
    begin(root, states, tree)
    node = first
    go_to(states[0], tree, nodes, node, workspace)
    while not ends_at(states[0], tree, nodes, node, network, workspace):
        node = select_child(tree, nodes, node, states[0].player)
        go_to(states[0], tree, nodes, node, workspace)
    back_up(tree, nodes)


# Q values of the root -------------------------------------------------------------------------
@rule
def mixed_value(nodes, count, player, estimate):
    """Return what an action without a visit is taken to be worth: the network's value and those found, mixed (v_mix of the paper)."""
    visits = 0
    share = 0.0
    total = 0.0
    for node in range(FIRST, FIRST + count):
        if nodes[node].visits > 0:
            visits += nodes[node].visits
            share += nodes[node].prior
            total += nodes[node].prior * nodes[node].totals[player] / nodes[node].visits
    return (estimate + visits * total / share) / (1.0 + visits) if share > 0.0 else estimate


@rule
def completed_value(nodes, node, player, mixed):
    """Return the mean value of a child of the root for a player."""
    visits = nodes[node].visits
    return nodes[node].totals[player] / visits if visits > 0 else mixed


@rule
def weight_of_values(nodes, count, strength):
    """Return what a unit of value counts beside logits: the more, the better it is known."""
    most = 0
    for node in range(FIRST, FIRST + count):
        most = max(most, nodes[node].visits)
    return 0.5 * strength * (VISITS_ASSUMED + most)  # values are -1 to 1, and the paper's 0 to 1


@rule
def improve(nodes, candidates, count, player, strength):
    """Write the improved policy of who decides, and what the root is worth for each player under it."""
    weight = weight_of_values(nodes, count, strength)
    policy = candidates.policy
    mixed = mixed_value(nodes, count, player, candidates.estimates[player])
    for k in range(count):
        policy[k] = candidates.logits[k] + weight * completed_value(nodes, FIRST + k, player, mixed)
    soften(policy, count, 1.0)
    for other in range(NUM_PLAYERS):
        mixed = mixed_value(nodes, count, other, candidates.estimates[other])
        worth = 0.0
        for k in range(count):
            worth += policy[k] * completed_value(nodes, FIRST + k, other, mixed)
        candidates.values[other] = worth


# Sequential halving ---------------------------------------------------------------------------
@rule
def put_best_first(order, scores, wanted):
    """Sort ``order[:wanted]`` by falling score."""
    for k in range(1, wanted):
        one = order[k]
        at = k
        while at > 0 and scores[order[at - 1]] < scores[one]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = one


@rule
def look_at_root(root, tree, network, workspace, candidates):
    """Ask the network about a root; return how many actions are legal."""
    count = list_legal(root, candidates.legal)
    tree.last_round = max(1, round_number(root))
    ask_network(root, network, workspace, candidates.legal, count, candidates.logits)
    write_values(root.player, workspace, candidates.estimates)
    for k in range(count):
        candidates.policy[k] = candidates.logits[k]
    soften(candidates.policy, count, 1.0)
    return count


@rule
def expand_root(root, tree, nodes, network, workspace, candidates):
    """Begin a tree for who decides; return how many actions are legal."""
    count = look_at_root(root, tree, network, workspace, candidates)
    tree.used = FIRST
    clear_node(nodes[ROOT], 0, 1.0)
    add_children(tree, nodes, ROOT, candidates.legal, count, candidates.policy)
    return count


# What was found before ------------------------------------------------------------------------
@rule
def still_applies(state, player, rng):
    """Return whether the same player decides, and nothing was drawn: what was found for the state before then holds for this one."""
    return state.player == player and state.rng == rng


@rule
def visited_child(nodes, node, action):
    """Return the child of a node that an action leads to; NO_NODE without one that was visited."""
    child = child_of(nodes, node, action)
    return child if child != NO_NODE and nodes[child].visits > 0 else NO_NODE


@rule
def regrow_root(root, tree, nodes, room, kept, network, workspace, candidates):
    """Make what lies below the node ``kept`` the tree of who decides; return how many actions are legal."""
    count = look_at_root(root, tree, network, workspace, candidates)
    move_root(nodes, room, kept, candidates, count)
    tree.used = move_rest(nodes, room, FIRST + count)
    for node in range(tree.used):
        nodes[node] = room[node]
    return count


@rule
def move_root(nodes, room, kept, candidates, count):
    """Write a node as root into ``room``, and a child for each legal action, whose own first child is still that in ``nodes``."""
    room[ROOT] = nodes[kept]
    room[ROOT].next_sibling = NO_NODE
    room[ROOT].first_child = NO_NODE
    for k in range(count):
        child = child_of(nodes, kept, candidates.legal[k])
        if child == NO_NODE:
            clear_node(room[FIRST + k], candidates.legal[k], candidates.policy[k])
        else:
            room[FIRST + k] = nodes[child]
            room[FIRST + k].prior = candidates.policy[k]
        room[FIRST + k].next_sibling = room[ROOT].first_child
        room[ROOT].first_child = FIRST + k


@rule
def move_rest(nodes, room, used):
    """Write all that lies below the children of the root into ``room``, as far as there is any; return how many nodes are used."""
    node = FIRST
    while node < used:
        child = room[node].first_child
        room[node].first_child = NO_NODE
        while child != NO_NODE and used < len(room):
            room[used] = nodes[child]
            room[used].next_sibling = room[node].first_child
            room[node].first_child = used
            used += 1
            child = nodes[child].next_sibling
        node += 1
    return used


# A decision -----------------------------------------------------------------------------------
@rule
def order_by_logits(tree, candidates, count, noise):
    """Order all actions by their logits with noise."""
    for k in range(count):
        candidates.noisy[k] = candidates.logits[k] + (noise * gumbel(tree) if noise > 0.0 else 0.0)
        candidates.order[k] = k
    put_best_first(candidates.order, candidates.noisy, count)


@rule
def visit_each(root, copies, tree, nodes, network, workspace, candidates, wanted, times, most):
    """Begin so many simulations with each of the first ``wanted`` actions in turn, but ``most`` in all; return how many."""
    done = 0
    for _ in range(times):
        for k in range(wanted):
            if done < most:
                simulate(root, copies, tree, nodes, network, workspace, FIRST + candidates.order[k])
                done += 1
    return done


@rule
def order_by_scores(nodes, candidates, count, wanted, player, strength):
    """Order those still considered by their scores; return how many go on, the better half."""
    weight = weight_of_values(nodes, count, strength)
    mixed = mixed_value(nodes, count, player, candidates.estimates[player])
    for k in range(wanted):
        place = candidates.order[k]
        found = completed_value(nodes, FIRST + place, player, mixed)
        candidates.scores[place] = candidates.noisy[place] + weight * found
    put_best_first(candidates.order, candidates.scores, wanted)
    return min(wanted, max(2, wanted // 2))


def _phases_of(wanted):
    """Return how often ``wanted`` actions are halved until one is left, at least once."""
    phases = 1
    while 2**phases < wanted:
        phases += 1
    return phases


phases_of = _phases_of
num_phases = rule(_phases_of)
"""The same for compiled code."""


@rule
def explore(tree, candidates, count, settings):
    """Mix Dirichlet noise into what the network thinks of the root's actions, if it is wanted."""
    if settings.dirichlet_share > 0.0:
        share, concentration = settings.dirichlet_share, settings.dirichlet_concentration
        mix_dirichlet(tree, candidates.policy, candidates.scores, count, concentration, share)
        write_logits(candidates.policy, candidates.logits, count)


@rule
def place_to_take(tree, candidates, count, temperature):
    """Return the place of the action to take, after the search."""
    return draw_place(tree, candidates.policy, count, temperature) if temperature > 0.0 else candidates.order[0]


@rule
def search_root(root, copies, tree, nodes, room, kept, network, workspace, candidates, settings):
    """Search a state in which a player has a choice; return how many actions are legal. ``candidates.order[0]`` is the one to take.

    ``kept`` is the node that led here in the tree before, or NO_NODE.
    """
    if kept == NO_NODE:
        count = expand_root(root, tree, nodes, network, workspace, candidates)
    else:
        count = regrow_root(root, tree, nodes, room, kept, network, workspace, candidates)
    explore(tree, candidates, count, settings)
    order_by_logits(tree, candidates, count, settings.noise)
    wanted = min(settings.considered, count)
    phases = num_phases(wanted)
    left = settings.simulations
    while left > 0:
        times = max(1, settings.simulations // (phases * wanted))
        left -= visit_each(root, copies, tree, nodes, network, workspace, candidates, wanted, times, left)
        wanted = order_by_scores(nodes, candidates, count, wanted, root.player, settings.strength)
    improve(nodes, candidates, count, root.player, settings.strength)
    candidates.order[0] = place_to_take(tree, candidates, count, settings.temperature)
    return count


# From Python: a search in steps, which a clock may divide ---------------------------------------
@entry_without_gil
def plant(states, i, trees, nodes, network, workspace, candidates, key, noise):
    """Begin a search of ``states[i]``, where a player decides; return how many actions are legal.

    Args:
        states: not changed.
        i: which of them.
        trees: one TREE.
        nodes: NODE, more than MAX_LEGAL.
        network: asked.
        workspace: of this thread.
        candidates: are written, ordered by logits with noise.
        key: uint64; decides all draws of the search.
        noise: factor of the Gumbel noise; 0 for none.
    """
    trees[0].rng = key
    count = expand_root(states[i], trees[0], nodes, network, workspace, candidates)
    order_by_logits(trees[0], candidates, count, noise)
    return count


@entry_without_gil
def replant(states, i, trees, nodes, room, kept, network, workspace, candidates, key, noise):
    """Begin a search of ``states[i]`` with what was found below the node ``kept`` in the tree before; return how many actions are legal.

    ``room`` is as long as ``nodes``, and overwritten; the others are those of ``plant``.
    """
    trees[0].rng = key
    count = regrow_root(states[i], trees[0], nodes, room, kept, network, workspace, candidates)
    order_by_logits(trees[0], candidates, count, noise)
    return count


@entry
def next_node(nodes, node, action):
    """Return the child of a node that an action leads to; NO_NODE without one that was visited."""
    return visited_child(nodes, node, action)


@entry_without_gil
def simulate_each(states, i, copies, trees, nodes, network, workspace, candidates, wanted, times, most):
    """Begin ``times`` simulations with each of the first ``wanted`` candidates in turn, but ``most`` in all; return how many.

    ``copies`` (one state) is room; the others are those of ``plant``.
    """
    return visit_each(states[i], copies, trees[0], nodes, network, workspace, candidates, wanted, times, most)


@entry_without_gil
def halve(nodes, candidates, count, wanted, player, strength):
    """Order the first ``wanted`` of ``count`` candidates by what was found; return how many go on."""
    return order_by_scores(nodes, candidates, count, wanted, player, strength)


@entry_without_gil
def write_policy(nodes, candidates, count, player, strength):
    """Write the improved policy of the player who decides, and the values of the root under it, into ``candidates``."""
    improve(nodes, candidates, count, player, strength)


# Self-play ------------------------------------------------------------------------------------
@rule
def record_decision(state, candidates, count, decision, first, kept, counts, actions, policies, searched):
    """Write what is to be learnt from a decision; its legal actions lie from ``first`` on."""
    kept[decision] = state
    counts[decision] = count
    for k in range(count):
        actions[first + k] = candidates.legal[k]
        policies[first + k] = candidates.policy[k]
    for seat in range(NUM_PLAYERS):
        searched[decision, seat] = candidates.values[(state.player + seat) % NUM_PLAYERS]


@rule
def write_returns(state, network, decay, decisions, kept, searched, outcomes, worth):
    """Write what each decision came to: the returns of TD(lambda), from the finished game back. ``worth`` is overwritten."""
    for player in range(NUM_PLAYERS):
        worth[player] = end_value(state, player, network.win_share)
    for decision in range(decisions - 1, -1, -1):
        for seat in range(NUM_PLAYERS):
            player = (kept[decision].player + seat) % NUM_PLAYERS
            outcomes[decision, seat] = worth[player]
            worth[player] = decay * worth[player] + (1.0 - decay) * searched[decision, seat]


@rule
def take_action(state, nodes, node, action, workspace, reuse):
    """Carry out an action; return its node below that of the state, if what was found there serves the next decision, or NO_NODE."""
    player, rng = state.player, state.rng
    carry_out(state, action, workspace.legal)
    if not reuse or node == NO_NODE or not still_applies(state, player, rng):
        return NO_NODE
    return visited_child(nodes, node, action)


@entry_without_gil
def play_game(
    states, trees, nodes, network, key, settings, quick, learnt, kept, counts, actions, policies, searched, outcomes
):
    """Play the game in ``states[0]`` to its end, all seats by search, and write what was found where a player had a choice.

    Args:
        states: one state; chance draws by itself. It ends as the finished game.
        trees: one TREE.
        nodes: NODE, more than MAX_LEGAL.
        network: of all seats.
        key: uint64; decides all draws of the searches.
        settings: ``Settings``.
        quick: the same, for decisions that are not learnt from.
        learnt: bool (room,): whether each decision is learnt from.
        kept: states, room for all decisions of a game (``Game.max_decisions``): those with a choice are written.
        counts: int16 (room,): legal actions of each.
        actions: int16 (room times MAX_LEGAL,): the legal actions of each, one decision after the other.
        policies: float32, likewise: the improved policy over them.
        searched: float32 (room, NUM_PLAYERS): what the search thought that each seat's game is worth, in turn order from who decides.
        outcomes: the same: what the game came to, as the network's ``win_share`` values it, and what later searches thought, by
            ``trace_decay``.

    Returns:
        decisions written, entries of ``policies`` written.
    """
    tree = trees[0]
    tree.rng = key
    workspace = new_workspace(network)
    candidates = new_candidates()
    copies = states[0:1].copy()
    room = nodes.copy()
    state = states[0]
    decisions = 0
    written = 0
    node = NO_NODE
    while state.player != NOBODY:
        if list_legal(state, workspace.legal) == 1:
            action = workspace.legal[0]
        else:
            of_this = settings if learnt[decisions] else quick
            count = search_root(state, copies, tree, nodes, room, node, network, workspace, candidates, of_this)
            record_decision(state, candidates, count, decisions, written, kept, counts, actions, policies, searched)
            decisions += 1
            written += count
            action = candidates.legal[candidates.order[0]]
            node = ROOT
        node = take_action(state, nodes, node, action, workspace, settings.reuse)
    write_returns(state, network, settings.trace_decay, decisions, kept, searched, outcomes, candidates.values)
    return decisions, written
