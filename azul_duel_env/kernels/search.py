"""The agent ``mcts``: Monte Carlo tree search that knows no more than its player.

One tree of decisions is grown (open-loop information-set search). Each simulation starts from a copy of the position in which all that
the player may not know is drawn anew (``knowledge.resample_state``), so hidden dome tiles and all future draws differ from one to the
next; only actions that are legal in it compete.

===========  ==========================================================================================================
selection    the child with the highest mean value plus a bonus for its prior and few visits (PUCT); priors are greedy's ratings
leaf         greedy plays both sides on to the end of the round, looking at a few random actions of each decision; then the margin
             that greedy2 expects is squashed into -1 to 1
the horizon  the end of the round, of round 1 in the opening: what is dealt next makes every action mean something else
the end      0.9 for a win, -0.9 for a loss, 0 for a draw, and the margin squashed into the rest
the choice   the action visited most
===========  ==========================================================================================================

A value is seen from the player who searches: 1 is a sure win, -1 a sure loss.

``network+mcts`` is the same search with a trained network (``kernels.network``) in it: priors are a softmax of its logits, and where greedy
has played on to the end of the round its value network says what that is worth.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents.base import AgentError
from azul_duel_env.game import Position, States
from azul_duel_env.games.duel.actions import MAX_LEGAL, NUM_ACTIONS
from azul_duel_env.games.duel.agents.greedy import rate_actions, rate_listed
from azul_duel_env.games.duel.agents.greedy2 import expected_margin, read_weights
from azul_duel_env.games.duel.engine import carry_out, legal_actions, list_legal, playout, winner
from azul_duel_env.games.duel.knowledge import resample_state
from azul_duel_env.games.duel.state import GAME_OVER, NOBODY
from azul_duel_env.jit import entry, rule
from azul_duel_env.jit.rng import below, next_bits
from azul_duel_env.kernels.network import TrainedNetwork, is_asked, rate_by_network, shipped, worth_by_network

EXPLORATION = 1.5
TEMPERATURE = 1.5  # points of greedy's rating that make a prior e times as large
NETWORK_TEMPERATURE = 3.0  # and units of a network's logit
SCALE = 25.0  # points of margin that count as three quarters of the way to a sure win
CANDIDATES = 16  # legal actions that greedy looks at when it plays on from a leaf: more would be better, and slower
WIN = 0.9  # value of a win by no margin

LEAVES = ("greedy", "random", "network")
"""How a leaf is valued: greedy plays on to the end of the round, or random actions to the end of the game; or greedy plays on, and what
comes out is valued by the network."""
BY_GREEDY, AT_RANDOM, BY_NETWORK = range(len(LEAVES))

NO_NODE = -1
ROOT = 0
ANY_ACTION = -1
MAX_DEPTH = 256  # decisions from the root; a round has fewer
NODES_PER_SIMULATION = 100  # more than simulations use on average
MOST_NODES = 2**22
SLICE = 16  # simulations between two looks at the clock
CALL_OFF_SLICE = 512  # and between two looks at whether somebody has called the search off

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("total", np.float64),  # of the values of all simulations through it, for the player who searches
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
                ("rng", np.uint64),  # gives each simulation its own word
                ("used", np.int64),  # nodes
                ("leaf", np.int64),  # BY_GREEDY, AT_RANDOM or BY_NETWORK
                ("last_round", np.int64),  # the horizon is its end
                ("first", np.int64),  # the action that every simulation begins with, or ANY_ACTION
                ("margins", np.float64),  # sum of those that simulations ended with, for the player who searches
                ("stamp", np.int64),
                ("marks", np.int64, NUM_ACTIONS),  # the stamp for each action that is legal where the simulation stands
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
    node.total = 0.0
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
def unmark_children(tree, nodes, node):
    """Take the marks off the actions that have a child already; return how many had one."""
    known = 0
    child = nodes[node].first_child
    while child != NO_NODE:
        if is_marked(tree, nodes[child].action):
            known += 1
            tree.marks[nodes[child].action] = 0
        child = nodes[child].next_sibling
    return known


@rule
def add_children(tree, nodes, node, legal, count, priors):
    """Add a child for each legal action that has none."""
    mark_legal(tree, legal, count)
    unmark_children(tree, nodes, node)
    for k in range(count):
        if is_marked(tree, legal[k]):
            clear_node(nodes[tree.used], legal[k], priors[k])
            nodes[tree.used].next_sibling = nodes[node].first_child
            nodes[node].first_child = tree.used
            tree.used += 1


@rule
def has_all_children(states, tree, nodes, node, network, legal, values):
    """See that each action legal in ``states[0]`` has a child, and mark them; return False if there is no room for more."""
    count = list_legal(states[0], legal)
    mark_legal(tree, legal, count)
    if unmark_children(tree, nodes, node) < count:
        if tree.used + count > len(nodes):
            return False
        rate_priors(states, network, legal, values)
        add_children(tree, nodes, node, legal, count, values)
    mark_legal(tree, legal, count)
    return True


@rule
def select_child(tree, nodes, node, sign):
    """Return the child to go to, of those whose action is marked; ``sign`` is -1 where the other player chooses."""
    weight = EXPLORATION * np.sqrt(1.0 + visits_of_marked(tree, nodes, node))
    parent = nodes[node]
    unvisited = sign * parent.total / parent.visits if parent.visits > 0 else 0.0  # as good as its parent
    best = -np.inf
    chosen = NO_NODE
    child = parent.first_child
    while child != NO_NODE:
        candidate = nodes[child]
        if is_marked(tree, candidate.action):
            value = sign * candidate.total / candidate.visits if candidate.visits > 0 else unvisited
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


@rule
def visits_of_marked(tree, nodes, node):
    """Return the visits of the children whose action is marked: an action that is seldom legal is not behind for that."""
    visits = 0
    child = nodes[node].first_child
    while child != NO_NODE:
        if is_marked(tree, nodes[child].action):
            visits += nodes[child].visits
        child = nodes[child].next_sibling
    return visits


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
def value_leaf(state, tree, network, player, margin):
    """Return the value of a state that was played on from a leaf, and where a player is ahead by a margin, in -1 to 1."""
    if network is not None and tree.leaf == BY_NETWORK and state.player != NOBODY:
        return value_by_network(state, network, player)
    return value_of(state, player, margin)


@rule
def value_by_network(state, network, player):
    """Return what the network thinks that a state is worth for a player, in -1 to 1."""
    worth = np.tanh(worth_by_network(state, network))
    return worth if state.player == player else -worth


@rule
def play_out_round(states, last_round, legal, values):
    """Let greedy play both sides of ``states[0]`` to the end of a round; of many legal actions it looks at some only."""
    state = states[0]
    while state.player != NOBODY and state.round_number <= last_round:
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
    if state.stage != GAME_OVER:
        return squashed
    won = winner(state)
    return (0.0 if won == NOBODY else WIN if won == player else -WIN) + (1.0 - WIN) * squashed


# A simulation ---------------------------------------------------------------------------------
@rule
def descend(root, states, tree, nodes, network, legal, values):
    """Go from the root to a leaf: ``states[0]`` is left there, ``tree.path`` holds the way."""
    states[0] = root
    state = states[0]
    state.explicit_chance = 0
    resample_state(state, root.player, next_bits(tree))
    node = ROOT
    tree.path[0] = ROOT
    tree.length = 1
    while tree.length < MAX_DEPTH and state.player != NOBODY and state.round_number <= tree.last_round:
        is_leaf = node != ROOT and nodes[node].visits == 0
        if is_leaf or not has_all_children(states, tree, nodes, node, network, legal, values):
            return
        if node == ROOT and tree.first != ANY_ACTION:
            node = child_of(nodes, ROOT, tree.first)
        else:
            node = select_child(tree, nodes, node, 1.0 if state.player == root.player else -1.0)
        tree.path[tree.length] = node
        tree.length += 1
        carry_out(state, nodes[node].action, legal)


@rule
def back_up(tree, nodes, value):
    """Count a value at every node of the path."""
    for k in range(tree.length):
        nodes[tree.path[k]].total += value
        nodes[tree.path[k]].visits += 1


# From Python ----------------------------------------------------------------------------------
@entry
def plant(states, i, trees, nodes, leaf, word, first):
    """Begin a tree for the player who decides in ``states[i]``; each simulation begins with ``first``, unless it is ANY_ACTION."""
    tree = trees[0]
    tree.rng = word
    tree.used = 1
    tree.leaf = leaf
    tree.first = first
    tree.margins = 0.0
    tree.last_round = max(1, int(states[i].round_number))
    clear_node(nodes[ROOT], 0, 1.0)


@entry
def grow(states, i, trees, nodes, weights, network, simulations):
    """Run simulations from ``states[i]``, which stays as it is, in the tree that was planted for it.

    ``weights`` are greedy2's; ``network`` may be None.
    """
    tree = trees[0]
    root = states[i]
    copies = states[i : i + 1].copy()
    legal = np.empty(MAX_LEGAL, np.int16)
    values = np.empty(MAX_LEGAL)
    for _ in range(simulations):
        descend(root, copies, tree, nodes, network, legal, values)
        play_on(copies, tree, legal, values)
        margin = expected_margin(copies[0], root.player, weights, values)
        tree.margins += margin
        back_up(tree, nodes, value_leaf(copies[0], tree, network, root.player, margin))


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


class SearchCalledOffError(RuntimeError):
    """A search that was called off before it had found anything."""


@dataclass(frozen=True)
class SearchResult:
    """What a search found out about a position.

    Attributes:
        actions: int16 (n,): the legal actions, ascending.
        visits: int32 (n,): simulations that began with each; none where a single action is legal.
        values: float64 (n,): mean value of each for the player who decides, -1 to 1 (a sure win); NaN without a visit.
        priors: float64 (n,): the share that greedy's rating, or the network, gives to each; they sum to 1.
        best: the action to take.
        variation: the actions expected from here on, the best one first, of both players; as far as the tree was visited.
        simulations: how many were run.
        margin: points by which the player who decides is ahead where simulations end, on average: by greedy's evaluation of both
            boards, at the end of the game by the score.
    """

    actions: NDArray[np.int16]
    visits: NDArray[np.int32]
    values: NDArray[np.float64]
    priors: NDArray[np.float64]
    best: int
    variation: tuple[int, ...]
    simulations: int
    margin: float


class Search:
    """A search with a budget and memory of its own: for one thread at a time. Called as ``(states, i, word)`` it is an agent's policy.

    Args:
        simulations: for each decision; None if time decides.
        milliseconds: for each decision, instead of a number of simulations. The same word may then give another action.
        leaf: how a leaf is valued; see ``LEAVES``. ``"network"`` if there is one, else ``"greedy"``, if it is left out.
        network: gives the priors; None for greedy's.

    Raises:
        ValueError: not exactly one budget, one below 1, an unknown leaf, or one that needs a network.
    """

    def __init__(
        self,
        simulations: int | None = None,
        milliseconds: int | None = None,
        leaf: str | None = None,
        network: TrainedNetwork | None = None,
    ) -> None:
        if (simulations is None) == (milliseconds is None):
            raise ValueError("a search takes simulations or milliseconds, one of them")
        for name, budget in (("simulations", simulations), ("milliseconds", milliseconds)):
            if budget is not None and budget < 1:
                raise ValueError(f"{name} must be at least 1, not {budget}")
        self.leaf = leaf if leaf is not None else LEAVES[BY_GREEDY if network is None else BY_NETWORK]
        if self.leaf not in LEAVES:
            raise ValueError(f"leaf must be one of {', '.join(LEAVES)}, not {leaf!r}")
        if self.leaf == LEAVES[BY_NETWORK] and network is None:
            raise ValueError(f"leaf {leaf!r} needs a network")
        self.simulations, self.milliseconds, self.network = simulations, milliseconds, network
        wanted = MOST_NODES if simulations is None else NODES_PER_SIMULATION * simulations + MAX_LEGAL
        self._nodes = np.zeros(min(wanted, MOST_NODES), NODE)  # touched, and so taken, only as far as a tree grows
        self._trees = np.zeros(1, TREE)
        self._legal = np.empty(MAX_LEGAL, np.int16)
        self._weights = read_weights()
        self._called_off = False

    def call_off(self) -> None:
        """Let a search that runs in another thread, and all later ones, end with ``SearchCalledOffError``, within 0.1 s or so."""
        self._called_off = True

    def __reduce__(self) -> tuple[type[Search], tuple[int | None, int | None, str, TrainedNetwork | None]]:
        return Search, (self.simulations, self.milliseconds, self.leaf, self.network)

    def __call__(self, states: States, i: int, word: np.uint64) -> int:
        """Return the action to take in ``states[i]``, where a player decides."""
        if legal_actions(states, i, self._legal) == 1:
            return int(self._legal[0])
        self._grow(states, i, word)
        return int(self._nodes[most_visited(self._nodes, ROOT)].action)

    def run(self, states: States, i: int, word: np.uint64, first: int | None = None) -> SearchResult:
        """Search ``states[i]``, where a player decides, and return all that was found out; nothing is cut short.

        Args:
            states: not changed.
            i: which of them.
            word: the same 64 bits give the same result, unless time decides.
            first: a legal action that every simulation begins with, to find out what it is worth; any action if left out.

        Raises:
            ValueError: the first action is not legal.
        """
        if first is not None and first not in self._legal[: legal_actions(states, i, self._legal)]:
            raise ValueError(f"a search can't begin with action {first}, which is not legal")
        self._grow(states, i, word, ANY_ACTION if first is None else first)
        nodes = sorted(self._children(ROOT), key=lambda node: node.action)
        variation = self._variation()
        return SearchResult(
            np.array([node.action for node in nodes], np.int16),
            np.array([node.visits for node in nodes], np.int32),
            np.array([node.total / node.visits if node.visits else np.nan for node in nodes]),
            np.array([node.prior for node in nodes], np.float64),
            variation[0],
            variation,
            int(self._nodes[ROOT].visits),
            float(self._trees["margins"][0] / self._nodes[ROOT].visits),
        )

    def _grow(self, states: States, i: int, word: np.uint64, first: int = ANY_ACTION) -> None:
        """Plant a tree, and spend the budget on it.

        Raises:
            SearchCalledOffError: somebody has called it off.
        """
        plant(states, i, self._trees, self._nodes, LEAVES.index(self.leaf), word, first)
        network = None if self.network is None else self.network.compiled
        run = partial(grow, states, i, self._trees, self._nodes, self._weights, network)
        if self.simulations is not None:
            for done in range(0, self.simulations, CALL_OFF_SLICE):
                self._grow_by(run, min(CALL_OFF_SLICE, self.simulations - done))
            return
        assert self.milliseconds is not None
        until = time.perf_counter() + self.milliseconds / 1000
        self._grow_by(run, SLICE)
        while time.perf_counter() < until:
            self._grow_by(run, SLICE)

    def _grow_by(self, run: Callable[[int], None], simulations: int) -> None:
        """Run some more simulations, unless the search was called off."""
        if self._called_off:
            raise SearchCalledOffError("the search was called off")
        run(simulations)

    def _children(self, node: int) -> list[Any]:
        """Return the nodes below a node."""
        found = []
        child = self._nodes[node].first_child
        while child != NO_NODE:
            found.append(self._nodes[child])
            child = self._nodes[child].next_sibling
        return found

    def _variation(self) -> tuple[int, ...]:
        """Return the actions on the way down by the most visited child."""
        actions: list[int] = []
        node = most_visited(self._nodes, ROOT)
        while node != NO_NODE:
            actions.append(int(self._nodes[node].action))
            node = most_visited(self._nodes, node)
        return tuple(actions)


def search(position: Position, simulations: int, word: int = 0, first: int | None = None) -> SearchResult:
    """Search a position for the player who decides in it; it is not changed.

    Args:
        position: where a player decides.
        simulations: at least 1; several hundred are wanted for visits that mean something.
        word: the same 64 bits give the same result.
        first: a legal action that every simulation begins with, to find out what it is worth; any action if left out.

    Raises:
        ValueError: no player decides, no simulations, or a first action that is not legal.
    """
    if position.player == NOBODY:
        raise ValueError(f"there is nothing to search for, since no player decides: {position!r}")
    return Search(simulations).run(position.states, 0, np.uint64(word), first)


def policy_from(argument: str) -> Search:
    """Return the policy of ``mcts:argument``: a number of simulations, or of milliseconds with ``ms`` after it.

    Raises:
        AgentError: neither, or below 1.
    """
    return Search(*_budget_of("mcts", argument))


def network_policy_from(argument: str) -> Search:
    """Return the policy of ``network+mcts:argument``: the same, with the network that comes with the package.

    Raises:
        AgentError: neither a number of simulations nor of milliseconds, or below 1.
    """
    return Search(*_budget_of("network+mcts", argument), network=shipped())


def _budget_of(family: str, argument: str) -> tuple[int | None, int | None]:
    """Return the simulations or the milliseconds that stand after the colon of a spec."""
    number = argument.removesuffix("ms")
    if not re.fullmatch("[0-9]{1,18}", number) or int(number) < 1:
        raise AgentError(
            f"{family} takes a number of simulations of at least 1, such as {family}:400, or of milliseconds, such as {family}:200ms, "
            f"not {argument!r:.80}"
        )
    return (None, int(number)) if argument.endswith("ms") else (int(number), None)
