"""Search with a fast network, and self-play to train one: nothing but the rules is known. A template: see ``kernels``.

The tree is that of ``search``: open-loop, on copies in which all that the player may not know is drawn anew, max^n, up to the end of the
round. A leaf is worth what the network says of it, or, at the end of the game, what the game has come to. At the root, actions are chosen by
sequential halving over logits with Gumbel noise (Danihelka et al., Policy improvement by planning with Gumbel, 2022): few simulations
improve the policy already. The policy to learn is the softmax of the logits and what the search found each action to be worth.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry_without_gil, rule, rule_with_arrays
from azul_duel_env.jit.rng import next_bits
from azul_duel_env.kernels.constants import NO_NODE, ROOT

from .fast_network import ask_network
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
    mark_legal,
    select_child,
    soften,
    unmark_children,
)

__all__ = ["NODE", "TREE", "play_game", "plan"]

VISITS_ASSUMED = 50.0
"""Of the action visited most, in the weight of values beside logits: the paper's c_visit."""
UNIT_OF_BITS = 2.0**-53


# A simulation ---------------------------------------------------------------------------------
@rule
def end_value(state, player, win_share):
    """Return what a finished game is worth for a player, in -1 to 1: the utility, and a share for the margin."""
    return win_share * utility(state, player) + (1.0 - win_share) * np.tanh(margin_of(state, player) / SCALE)


@rule
def value_the_end(state, tree, win_share):
    """Write what the finished game is worth for each player."""
    for player in range(NUM_PLAYERS):
        tree.values[player] = end_value(state, player, win_share)


@rule
def value_leaf(state, tree, network, desk, legal, count, priors):
    """Write what the network thinks that a leaf is worth for each player, and the priors of ``legal[:count]``."""
    ask_network(state, network, desk, legal, count, priors)
    soften(priors, count, 1.0)
    if NUM_PLAYERS == 2:
        tree.values[state.player] = desk.values[0]
        tree.values[1 - state.player] = -desk.values[0]
    else:
        for seat in range(NUM_PLAYERS):
            tree.values[(state.player + seat) % NUM_PLAYERS] = desk.values[seat]


@rule
def is_beyond(state, tree):
    """Return whether the horizon is passed: what is dealt next makes every action mean something else."""
    return round_number(state) > tree.last_round or tree.length == MAX_DEPTH


@rule
def simulate(root, states, tree, nodes, network, desk, legal, priors):
    """Go from the root to a leaf, value it, and count that on the way."""
    states[0] = root
    state = states[0]
    let_chance_draw(state)
    resample_state(state, root.player, next_bits(tree))
    node = ROOT
    tree.path[0] = ROOT
    tree.length = 1
    while True:
        if state.player == NOBODY:
            value_the_end(state, tree, network.win_share)
            break
        count = list_legal(state, legal)
        if is_beyond(state, tree) or tree.used + count > len(nodes):
            value_leaf(state, tree, network, desk, legal, count, priors)
            break
        mark_legal(tree, legal, count)
        if unmark_children(tree, nodes, node) < count:
            is_leaf = nodes[node].first_child == NO_NODE and count > 1
            if count > 1:
                value_leaf(state, tree, network, desk, legal, count, priors)
            else:
                priors[0] = 1.0
            add_children(tree, nodes, node, legal, count, priors)
            if is_leaf:
                break
        mark_legal(tree, legal, count)
        if node == ROOT:
            node = child_of(nodes, ROOT, tree.first)
        else:
            node = select_child(tree, nodes, node, state.player)
        tree.path[tree.length] = node
        tree.length += 1
        carry_out(state, nodes[node].action, legal)
    back_up(tree, nodes)


# The root -------------------------------------------------------------------------------------
@rule
def gumbel(tree):
    """Return noise of the standard Gumbel distribution."""
    uniform = (np.float64(next_bits(tree) >> np.uint64(11)) + 0.5) * UNIT_OF_BITS
    return -np.log(-np.log(uniform))


@rule
def value_found(nodes, child, player, unvisited):
    """Return the mean value of a child for a player."""
    visits = nodes[child].visits
    return nodes[child].totals[player] / visits if visits > 0 else unvisited


@rule
def weight_of_values(nodes, legal, count, strength):
    """Return what a unit of value counts beside logits: the more, the better it is known."""
    most = 0
    for k in range(count):
        child = child_of(nodes, ROOT, legal[k])
        most = max(most, nodes[child].visits)
    return 0.5 * strength * (VISITS_ASSUMED + most)


@rule
def mixed_value(nodes, legal, count, player, own):
    """Return what is assumed of an action that nobody visited: the network's value and those found, mixed (the paper's v_mix)."""
    visits = 0
    share = 0.0
    total = 0.0
    for k in range(count):
        child = child_of(nodes, ROOT, legal[k])
        if nodes[child].visits > 0:
            visits += nodes[child].visits
            share += nodes[child].prior
            total += nodes[child].prior * nodes[child].totals[player] / nodes[child].visits
    return (own + visits * total / share) / (1.0 + visits) if visits > 0 else own


@rule
def improve(nodes, legal, count, player, logits, own, strength, policy):
    """Write the improved policy into ``policy[:count]``; return the value of the root under it."""
    unvisited = mixed_value(nodes, legal, count, player, own)
    weight = weight_of_values(nodes, legal, count, strength)
    for k in range(count):
        child = child_of(nodes, ROOT, legal[k])
        policy[k] = logits[k] + weight * value_found(nodes, child, player, unvisited)
    soften(policy, count, 1.0)
    worth = 0.0
    for k in range(count):
        worth += policy[k] * value_found(nodes, child_of(nodes, ROOT, legal[k]), player, unvisited)
    return worth


@rule
def put_best_first(order, scores, count):
    """Sort ``order[:count]`` by falling score."""
    for k in range(1, count):
        one = order[k]
        at = k
        while at > 0 and scores[order[at - 1]] < scores[one]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = one


@rule
def score_actions(nodes, legal, order, wanted, player, noisy, weight, scores):
    """Write the score of each action still considered: logit and noise, and what was found."""
    for k in range(wanted):
        at = order[k]
        child = child_of(nodes, ROOT, legal[at])
        scores[at] = noisy[at] + weight * value_found(nodes, child, player, 0.0)


@rule_with_arrays
def search_root(states, i, tree, nodes, network, desk, copies, simulations, considered, noise, strength, legal, logits, policy):
    """Search ``states[i]``, where a player has a choice.

    Writes the legal actions into ``legal`` and the improved policy into ``policy``.

    Returns:
        count of legal actions, place of the action to take, value of the root for who decides.
    """
    root = states[i]
    player = root.player
    count = list_legal(root, legal)
    tree.used = 1
    tree.last_round = max(1, round_number(root))
    clear_node(nodes[ROOT], 0, 1.0)
    ask_network(root, network, desk, legal, count, logits)
    own = float(desk.values[0])
    priors = np.empty(MAX_LEGAL)
    scratch = np.empty(MAX_LEGAL, np.int16)
    noisy = np.empty(MAX_LEGAL)
    scores = np.empty(MAX_LEGAL)
    order = np.empty(MAX_LEGAL, np.int64)
    for k in range(count):
        priors[k] = logits[k]
        noisy[k] = logits[k] + (noise * gumbel(tree) if noise > 0.0 else 0.0)
        scores[k] = noisy[k]
        order[k] = k
    soften(priors, count, 1.0)
    add_children(tree, nodes, ROOT, legal, count, priors)
    put_best_first(order, scores, count)
    wanted = min(considered, count)
    phases = 1
    while 2**phases < wanted:
        phases += 1
    left = simulations
    while left > 0:
        each = max(1, simulations // (phases * wanted))
        for k in range(wanted):
            for _ in range(min(each, left)):
                tree.first = legal[order[k]]
                simulate(root, copies, tree, nodes, network, desk, scratch, priors)
                left -= 1
        weight = weight_of_values(nodes, legal, count, strength)
        score_actions(nodes, legal, order, wanted, player, noisy, weight, scores)
        put_best_first(order, scores, wanted)
        wanted = max(wanted // 2, min(2, wanted))
    worth = improve(nodes, legal, count, player, logits, own, strength, policy)
    return count, order[0], worth


# From Python ----------------------------------------------------------------------------------
@entry_without_gil
def plan(states, i, trees, nodes, network, desk, key, simulations, considered, noise, strength, legal, logits, policy):
    """Search ``states[i]`` with so many simulations; ``key`` (uint64) decides all draws.

    Args:
        considered: actions among which sequential halving begins.
        noise: factor of the Gumbel noise; 0: none.
        strength: factor of values beside logits.
        legal, logits, policy: int16, float64 and float64, MAX_LEGAL each: are written.

    Returns:
        count of legal actions, place of the best one among them, value for who decides.
    """
    trees[0].rng = key
    copies = states[i : i + 1].copy()
    return search_root(
        states, i, trees[0], nodes, network, desk, copies, simulations, considered, noise, strength, legal, logits, policy
    )


@entry_without_gil
def play_game(
    states, trees, nodes, network, desk, key, simulations, considered, noise, strength, kept, counts, actions, policies, results
):
    """Play the game in ``states[0]`` to its end, all seats by search, and write what is to be learnt.

    Args:
        kept: states, room for all decisions of a game: where a player had a choice.
        counts: int16: legal actions of each.
        actions: int16, flat: the legal actions of each, one after the other.
        policies: float32, flat: the improved policy over them.
        results: float32 (room, 3, NUM_PLAYERS): of each seat in turn order from who decided: utility, margin, and, for who decided, the
            value that the search found.

    Returns:
        decisions kept, entries of ``policies`` written.
    """
    tree = trees[0]
    tree.rng = key
    copies = states[0:1].copy()
    legal = np.empty(MAX_LEGAL, np.int16)
    logits = np.empty(MAX_LEGAL)
    policy = np.empty(MAX_LEGAL)
    decisions = 0
    written = 0
    state = states[0]
    while state.player != NOBODY:
        if list_legal(state, legal) == 1:
            carry_out(state, legal[0], legal)
            continue
        count, best, worth = search_root(
            states, 0, tree, nodes, network, desk, copies, simulations, considered, noise, strength, legal, logits, policy
        )
        kept[decisions] = state
        counts[decisions] = count
        for k in range(count):
            actions[written + k] = legal[k]
            policies[written + k] = policy[k]
        results[decisions, 2, 0] = worth
        written += count
        decisions += 1
        carry_out(state, legal[best], legal)
    for decision in range(decisions):
        for seat in range(NUM_PLAYERS):
            player = (kept[decision].player + seat) % NUM_PLAYERS
            results[decision, 0, seat] = utility(state, player)
            results[decision, 1, seat] = margin_of(state, player)
    return decisions, written
