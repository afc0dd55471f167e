"""The agents ``mcts`` and ``network+mcts``: the tree search of ``kernels.search`` with a budget and memory of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents.network import TrainedNetwork, shipped
from azul_duel_env.game import NOBODY, Game, Position, States
from azul_duel_env.game.agent import AgentError
from azul_duel_env.kernels.constants import ANY_ACTION, BY_GREEDY, BY_NETWORK, LEAVES, NO_NODE, ROOT

NODES_PER_SIMULATION = 100  # more than simulations use on average
MOST_NODES = 2**22
SLICE = 16  # simulations between two looks at the clock
CALL_OFF_SLICE = 512  # and between two looks at whether somebody has called the search off


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
        variation: the actions expected from here on, the best one first, of all players; as far as the tree was visited.
        simulations: how many were run.
        margin: points by which the player who decides is ahead of the mean of the others where simulations end, on average: by greedy's
            evaluation, at the end of the game by the score.
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
    """A search with a budget and memory of its own: for one thread at a time. Called as ``(states, i, key)`` it is an agent's policy.

    Args:
        game: that it plays.
        simulations: for each decision; None if time decides.
        milliseconds: for each decision, instead of a number of simulations. The same key may then give another action.
        leaf: how a leaf is valued; see ``LEAVES``. ``"network"`` if there is one, else ``"greedy"``, if it is left out.
        network: gives the priors; None for greedy's.

    Raises:
        ValueError: not exactly one budget, one below 1, an unknown leaf, or one that needs a network.
    """

    def __init__(
        self,
        game: Game,
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
        self.game, self.simulations, self.milliseconds, self.network = game, simulations, milliseconds, network
        self._kernel = game.kernel("search")
        wanted = MOST_NODES if simulations is None else NODES_PER_SIMULATION * simulations + game.max_legal
        self._nodes = np.zeros(
            min(wanted, MOST_NODES), self._kernel.NODE
        )  # touched, and so taken, only as far as a tree grows
        self._trees = np.zeros(1, self._kernel.TREE)
        self._legal = np.empty(game.max_legal, np.int16)
        self._weights = game.kernel("margins").read_weights()
        self._called_off = False

    def call_off(self) -> None:
        """Let a search that runs in another thread, and all later ones, end with ``SearchCalledOffError``, within 0.1 s or so."""
        self._called_off = True

    def __reduce__(self) -> tuple[type[Search], tuple[Any, ...]]:
        return Search, (self.game, self.simulations, self.milliseconds, self.leaf, self.network)

    def __call__(self, states: States, i: int, key: np.uint64) -> int:
        """Return the action to take in ``states[i]``, where a player decides."""
        if self.game.rules.legal_actions(states, i, self._legal) == 1:
            return int(self._legal[0])
        self._grow(states, i, key)
        return int(self._nodes[self._kernel.most_visited(self._nodes, ROOT)].action)

    def run(self, states: States, i: int, key: np.uint64, first: int | None = None) -> SearchResult:
        """Search ``states[i]``, where a player decides, and return all that was found out; nothing is cut short.

        Args:
            states: not changed.
            i: which of them.
            key: the same 64 bits give the same result, unless time decides.
            first: a legal action that every simulation begins with, to find out what it is worth; any action if left out.

        Raises:
            ValueError: the first action is not legal.
        """
        if first is not None and first not in self._legal[: self.game.rules.legal_actions(states, i, self._legal)]:
            raise ValueError(f"a search can't begin with action {first}, which is not legal")
        self._grow(states, i, key, ANY_ACTION if first is None else first)
        player = states["player"][i]
        nodes = sorted(self._children(ROOT), key=lambda node: node.action)
        variation = self._variation()
        return SearchResult(
            np.array([node.action for node in nodes], np.int16),
            np.array([node.visits for node in nodes], np.int32),
            np.array([node.totals[player] / node.visits if node.visits else np.nan for node in nodes]),
            np.array([node.prior for node in nodes], np.float64),
            variation[0],
            variation,
            int(self._nodes[ROOT].visits),
            float(self._trees["margins"][0] / self._nodes[ROOT].visits),
        )

    def _grow(self, states: States, i: int, key: np.uint64, first: int = ANY_ACTION) -> None:
        """Plant a tree, and spend the budget on it.

        Raises:
            SearchCalledOffError: somebody has called it off.
        """
        self._kernel.plant(states, i, self._trees, self._nodes, LEAVES.index(self.leaf), key, first)
        network = None if self.network is None else self.network.compiled
        run = partial(self._kernel.grow, states, i, self._trees, self._nodes, self._weights, network)
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
        node = self._kernel.most_visited(self._nodes, ROOT)
        while node != NO_NODE:
            actions.append(int(self._nodes[node].action))
            node = self._kernel.most_visited(self._nodes, node)
        return tuple(actions)


def search(position: Position, simulations: int, key: int = 0, first: int | None = None) -> SearchResult:
    """Search a position for the player who decides in it; it is not changed.

    Args:
        position: where a player decides.
        simulations: at least 1; several hundred are wanted for visits that mean something.
        key: the same 64 bits give the same result.
        first: a legal action that every simulation begins with, to find out what it is worth; any action if left out.

    Raises:
        ValueError: no player decides, no simulations, or a first action that is not legal.
    """
    if position.player == NOBODY:
        raise ValueError(f"there is nothing to search for, since no player decides: {position!r}")
    return Search(position.game, simulations).run(position.states, 0, np.uint64(key), first)


def search_policy(game: Game, argument: str) -> Search:
    """Return the policy of ``mcts:argument``: a number of simulations, or of milliseconds with ``ms`` after it.

    Raises:
        AgentError: neither, or below 1.
    """
    return Search(game, *_budget_of("mcts", argument))


def network_search_policy(game: Game, argument: str) -> Search:
    """Return the policy of ``network+mcts:argument``: the same, with the network that comes with the game.

    Raises:
        AgentError: neither a number of simulations nor of milliseconds, or below 1.
    """
    return Search(game, *_budget_of("network+mcts", argument), network=shipped(game))


def _budget_of(family: str, argument: str) -> tuple[int | None, int | None]:
    """Return the simulations or the milliseconds that stand after the colon of a spec."""
    number = argument.removesuffix("ms")
    if not re.fullmatch("[0-9]{1,18}", number) or int(number) < 1:
        raise AgentError(
            f"{family} takes a number of simulations of at least 1, such as {family}:400, or of milliseconds, such as {family}:200ms, "
            f"not {argument!r:.80}"
        )
    return (None, int(number)) if argument.endswith("ms") else (int(number), None)
