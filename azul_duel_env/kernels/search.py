"""Monte Carlo tree search that knows no more than its player: the agent ``mcts``. A template: see ``kernels``.

One tree of decisions is grown (open-loop information-set search). Each simulation starts from a copy of the position in which all that
the player may not know is drawn anew (``resample_state``), so all that is hidden and all future draws differ from one to the
next; only actions that are legal in it compete.

===========  ==========================================================================================================
selection    the child with the highest mean value plus a bonus for its prior and few visits (PUCT); priors are greedy's ratings
leaf         greedy plays all sides on to the end of the round, looking at a few random actions of each decision; then the margin
             that is expected then is squashed into -1 to 1
the horizon  the end of the round, of round 1 in the opening: what is dealt next makes every action mean something else
the end      0.9 times the utility (a win 0.9, a loss -0.9, a draw 0 between two), and the margin squashed into the rest
the choice   the action visited most
===========  ==========================================================================================================

Each node keeps a value for each seat, and who decides goes by their own (max^n): 1 is a sure win, -1 a sure loss. Between two players
one value is the negative of the other.

``network+mcts`` with a network of ``kernels.network`` is the same search: priors are a softmax of its logits, and where greedy has played
on to the end of the round its value network says what that is worth. With a fast network it is that of ``kernels.gumbel``.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry, entry_without_gil, rule
from azul_duel_env.jit.rng import below, next_bits
from azul_duel_env.kernels.constants import ANY_ACTION, AT_RANDOM, BY_NETWORK, NO_NODE, ROOT

from .evaluation import rate_actions, rate_listed
from .margins import expected_margin
from .network import is_asked, rate_by_network, worth_by_network
from .outcome import NUM_OTHERS, utility
from .rules import (
    MAX_LEGAL,
    NUM_ACTIONS,
    NUM_PLAYERS,
    carry_out,
    let_chance_draw,
    list_legal,
    resample_state,
    round_number,
)
from .uniform import playout

EXPLORATION = 1.5
TEMPERATURE = 1.5  # points of greedy's rating that make a prior e times as large
NETWORK_TEMPERATURE = 3.0  # and units of a network's logit
SCALE = 25.0  # points of margin that count as three quarters of the way to a sure win
CANDIDATES = 16  # legal actions that greedy looks at when it plays on from a leaf: more would be better, and slower
WIN = 0.9  # value of a win by no margin


MAX_DEPTH = 256  # decisions from the root; a round has fewer

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("totals", np.float64, NUM_PLAYERS),  # of the values of all simulations through it, for each player
                ("prior", np.float32),  # share of its parent's attention before anything is known
                ("visits", np.int32),
                ("first_child", np.int32),
                ("next_sibling", np.int32),
                ("action", np.int16),  # that leads here from the parent
                ("spare", np.int16, 3),  # 0: fills the record to a multiple of 8 bytes
            ],
            align=True,
        ),
    )
)

TREE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rng", np.uint64),  # gives each simulation its own key
                ("used", np.int64),  # nodes
                ("leaf", np.int64),  # BY_GREEDY, AT_RANDOM or BY_NETWORK
                ("last_round", np.int64),  # the horizon is its end
                ("first", np.int64),  # the action that every simulation begins with, or ANY_ACTION
                ("margins", np.float64),  # sum of those that simulations ended with, for the player who searches
                ("stamp", np.int64),
                ("marks", np.int64, NUM_ACTIONS),  # the stamp for each action that is legal where the simulation stands
                ("visits", np.int64),  # of the children there whose action is marked
                ("values", np.float64, NUM_PLAYERS),  # of the simulation, for each player
                ("path", np.int64, MAX_DEPTH),  # nodes of the simulation, from the root
                ("length", np.int64),  # of the path
            ],
            align=True,
        ),
    )
)


# The tree -------------------------------------------------------------------------------------
@rule
def clear_node(node, action, prior):
    """Make a node one that nobody has visited."""
    for player in range(NUM_PLAYERS):
        node.totals[player] = 0.0
    node.prior = prior
    node.visits = 0
    node.first_child = NO_NODE
    node.next_sibling = NO_NODE
    node.action = action


@rule
def mark_legal(tree, legal, count):
    """Mark the actions ``legal[:count]`` as those that are legal where the simulation stands."""
    tree.stamp += 1
    for k in range(count):
        tree.marks[legal[k]] = tree.stamp


@rule
def is_marked(tree, action):
    """Return whether an action is marked as legal."""
    return tree.marks[action] == tree.stamp


@rule
def count_marked(tree, nodes, node):
    """Return how many marked actions have a child, and write their visits: an action that is seldom legal is not behind for that."""
    known = 0
    visits = 0
    child = nodes[node].first_child
    while child != NO_NODE:
        if is_marked(tree, nodes[child].action):
            known += 1
            visits += nodes[child].visits
        child = nodes[child].next_sibling
    tree.visits = visits
    return known


@rule
def unmark_children(tree, nodes, node):
    """Take the marks off the actions that have a child already."""
    child = nodes[node].first_child
    while child != NO_NODE:
        if is_marked(tree, nodes[child].action):
            tree.marks[nodes[child].action] = 0
        child = nodes[child].next_sibling


@rule
def add_children(tree, nodes, node, legal, count, priors):
    """Add a child for each legal action that has none; mark all legal actions."""
    mark_legal(tree, legal, count)
    unmark_children(tree, nodes, node)
    for k in range(count):
        if is_marked(tree, legal[k]):
            clear_node(nodes[tree.used], legal[k], priors[k])
            nodes[tree.used].next_sibling = nodes[node].first_child
            nodes[node].first_child = tree.used
            tree.used += 1
    mark_legal(tree, legal, count)


@rule
def has_all_children(states, tree, nodes, node, network, legal, values):
    """See that each action legal in ``states[0]`` has a child, and mark them; return False if there is no room for more."""
    count = list_legal(states[0], legal)
    mark_legal(tree, legal, count)
    if count_marked(tree, nodes, node) < count:
        if tree.used + count > len(nodes):
            return False
        rate_priors(states, network, legal, values)
        add_children(tree, nodes, node, legal, count, values)
    return True


@rule
def select_child(tree, nodes, node, player):
    """Return the child that a player goes to, of those whose action is marked."""
    weight = EXPLORATION * np.sqrt(1.0 + tree.visits)
    parent = nodes[node]
    unvisited = parent.totals[player] / parent.visits if parent.visits > 0 else 0.0  # as good as its parent
    best = -np.inf
    chosen = NO_NODE
    child = parent.first_child
    while child != NO_NODE:
        candidate = nodes[child]
        if is_marked(tree, candidate.action):
            value = candidate.totals[player] / candidate.visits if candidate.visits > 0 else unvisited
            value += weight * candidate.prior / (1.0 + candidate.visits)
            if value > best:
                best = value
                chosen = child
        child = candidate.next_sibling
    return chosen


@rule
def child_of(nodes, node, action):
    """Return the child that an action leads to; NO_NODE without one."""
    child = nodes[node].first_child
    while child != NO_NODE and nodes[child].action != action:
        child = nodes[child].next_sibling
    return child


# What a position is worth ---------------------------------------------------------------------
@rule
def rate_priors(states, network, legal, priors):
    """Write the legal actions of ``states[0]`` and the prior of each; they sum to 1.

    Without a network, and for sub-decisions that it is not asked, greedy rates them.
    """
    if network is None:
        soften(priors, rate_actions(states, 0, legal, priors), TEMPERATURE)
    elif is_asked(states[0], network, legal):
        soften(priors, rate_by_network(states, 0, network, legal, priors), NETWORK_TEMPERATURE)
    else:
        soften(priors, rate_actions(states, 0, legal, priors), TEMPERATURE)


@rule
def soften(priors, count, temperature):
    """Replace the ratings ``priors[:count]`` by their softmax."""
    best = -np.inf
    for k in range(count):
        best = max(best, priors[k])
    total = 0.0
    for k in range(count):
        priors[k] = np.exp((priors[k] - best) / temperature)
        total += priors[k]
    for k in range(count):
        priors[k] /= total


@rule
def play_on(states, tree, legal, values):
    """Play ``states[0]`` on from a leaf."""
    if tree.leaf == AT_RANDOM:
        playout(states[0], legal)
    else:
        play_out_round(states, tree.last_round, legal, values)


@rule
def value_leaf(state, tree, network, searcher, weights, scratch):
    """Write the value, in -1 to 1, of a state that was played on from a leaf for each player; return the margin of who searches.

    Between two players one estimate does: what one may win the other may lose.
    """
    margin = expected_margin(state, searcher, weights, scratch)
    tree.values[searcher] = value_for(state, tree, network, searcher, margin)
    for player in range(NUM_PLAYERS):
        if player != searcher:
            if NUM_PLAYERS == 2:
                tree.values[player] = -tree.values[searcher]
            else:
                expected = expected_margin(state, player, weights, scratch)
                tree.values[player] = value_for(state, tree, network, player, expected)
    return margin


@rule
def value_for(state, tree, network, player, margin):
    """Return what a state is worth for a player who is ahead by a margin, in -1 to 1."""
    if network is not None and tree.leaf == BY_NETWORK and state.player != NOBODY:
        return value_by_network(state, network, player)
    return value_of(state, player, margin)


@rule
def value_by_network(state, network, player):
    """Return what the network thinks that a state is worth for a player, in -1 to 1: it is asked for who decides there."""
    worth = np.tanh(worth_by_network(state, network))
    return worth if state.player == player else -worth / NUM_OTHERS


@rule
def play_out_round(states, last_round, legal, values):
    """Let greedy play all sides of ``states[0]`` to the end of a round; of many legal actions it looks at some only."""
    state = states[0]
    while state.player != NOBODY and round_number(state) <= last_round:
        count = draw_candidates(state, legal)
        rate_listed(states, 0, legal, count, values)
        chosen = 0
        for k in range(1, count):
            if values[k] > values[chosen]:
                chosen = k
        carry_out(state, legal[chosen], legal)


@rule
def draw_candidates(state, legal):
    """Write legal actions, at most CANDIDATES, drawn at random if there are more; return how many."""
    count = list_legal(state, legal)
    wanted = min(count, CANDIDATES)
    if count > wanted:
        for k in range(wanted):
            other = k + below(state, count - k)
            legal[k], legal[other] = legal[other], legal[k]
    return wanted


@rule
def value_of(state, player, margin):
    """Return what a state as it stands is worth for a player who is ahead by a margin, in -1 to 1."""
    squashed = np.tanh(margin / SCALE)
    if state.player != NOBODY:
        return squashed
    return WIN * utility(state, player) + (1.0 - WIN) * squashed


# A simulation ---------------------------------------------------------------------------------
@rule
def descend(root, states, tree, nodes, network, legal, values):
    """Go from the root to a leaf: ``states[0]`` is left there, ``tree.path`` holds the way."""
    states[0] = root
    state = states[0]
    let_chance_draw(state)
    resample_state(state, root.player, next_bits(tree))
    node = ROOT
    tree.path[0] = ROOT
    tree.length = 1
    while tree.length < MAX_DEPTH and state.player != NOBODY and round_number(state) <= tree.last_round:
        is_leaf = node != ROOT and nodes[node].visits == 0
        if is_leaf or not has_all_children(states, tree, nodes, node, network, legal, values):
            return
        if node == ROOT and tree.first != ANY_ACTION:
            node = child_of(nodes, ROOT, tree.first)
        else:
            node = select_child(tree, nodes, node, state.player)
        tree.path[tree.length] = node
        tree.length += 1
        carry_out(state, nodes[node].action, legal)


@rule
def back_up(tree, nodes):
    """Count the values of the simulation at every node of the path."""
    for k in range(tree.length):
        for player in range(NUM_PLAYERS):
            nodes[tree.path[k]].totals[player] += tree.values[player]
        nodes[tree.path[k]].visits += 1


# From Python ----------------------------------------------------------------------------------
@entry
def plant(states, i, trees, nodes, leaf, key, first):
    """Begin a tree for the player who decides in ``states[i]``; each simulation begins with ``first``, unless it is ANY_ACTION."""
    tree = trees[0]
    tree.rng = key
    tree.used = 1
    tree.leaf = leaf
    tree.first = first
    tree.margins = 0.0
    tree.last_round = max(1, round_number(states[i]))
    clear_node(nodes[ROOT], 0, 1.0)


@entry_without_gil
def grow(states, i, trees, nodes, weights, network, simulations):
    """Run simulations from ``states[i]``, which stays as it is, in the tree that was planted for it.

    ``weights`` are those of ``expected_margin``; ``network`` may be None.
    """
    tree = trees[0]
    root = states[i]
    copies = states[i : i + 1].copy()
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    for _ in range(simulations):
        descend(root, copies, tree, nodes, network, legal, values)
        play_on(copies, tree, legal, values)
        tree.margins += value_leaf(copies[0], tree, network, root.player, weights, values)
        back_up(tree, nodes)


@entry
def most_visited(nodes, node):
    """Return the child of a node that was visited most; of several the one with the lowest action. NO_NODE without a visited child."""
    chosen = NO_NODE
    child = nodes[node].first_child
    while child != NO_NODE:
        ahead = nodes[child].visits - (nodes[chosen].visits if chosen != NO_NODE else 0)
        if ahead > 0 or (ahead == 0 and chosen != NO_NODE and nodes[child].action < nodes[chosen].action):
            chosen = child
        child = nodes[child].next_sibling
    return chosen
