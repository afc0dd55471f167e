"""The agents ``mcts`` and ``network+mcts``: the tree search of ``kernels.search`` with a budget and memory of its own.

With a fast network ``network+mcts`` is ``gumbel_search.GumbelSearch``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.gumbel_search import GumbelSearch
from azul_duel_env.agents.network import AnyNetwork, TrainedNetwork, network_at, shipped
from azul_duel_env.agents.tree_search import (
    SearchCalledOffError,
    SearchResult,
    TreeSearch,
    budget_of,
    children_of,
    nodes_for,
    variation_of,
)
from azul_duel_env.game import NOBODY, Game, Position, States
from azul_duel_env.kernels.constants import ANY_ACTION, BY_GREEDY, BY_NETWORK, LEAVES, ROOT

__all__ = ["LEAVES", "ROOT", "Search", "SearchCalledOffError", "SearchResult", "search"]

SLICE = 16  # simulations between two looks at the clock
CALL_OFF_SLICE = 512  # and between two looks at whether somebody has called the search off


class Search(TreeSearch):
    """The search of ``kernels.search``, with memory of its own.

    Args:
        game: that it plays.
        simulations: for each decision; None if time decides.
        milliseconds: for each decision, instead of a number of simulations.
        leaf: how a leaf is valued; see ``LEAVES``. ``"network"`` if there is one, else ``"greedy"``, if it is left out.
        network: gives the priors; None for greedy's.

    Raises:
        ValueError: see ``TreeSearch``; or an unknown leaf, or one that needs a network.
    """

    def __init__(
        self,
        game: Game,
        simulations: int | None = None,
        milliseconds: int | None = None,
        leaf: str | None = None,
        network: TrainedNetwork | None = None,
    ) -> None:
        super().__init__(game, simulations, milliseconds)
        self.leaf = leaf if leaf is not None else LEAVES[BY_GREEDY if network is None else BY_NETWORK]
        if self.leaf not in LEAVES:
            raise ValueError(f"leaf must be one of {', '.join(LEAVES)}, not {leaf!r}")
        if self.leaf == LEAVES[BY_NETWORK] and network is None:
            raise ValueError(f"leaf {leaf!r} needs a network")
        self.network = network
        self._kernel = game.kernel("search")
        self._nodes = nodes_for(self._kernel.NODE, game, simulations)
        self._trees = np.zeros(1, self._kernel.TREE)
        self._legal = np.empty(game.max_legal, np.int16)
        self._weights = game.kernel("margins").read_weights()

    def __reduce__(self) -> tuple[type[Search], tuple[Any, ...]]:
        return Search, (self.game, self.simulations, self.milliseconds, self.leaf, self.network)

    def __call__(self, states: States, i: int, key: np.uint64) -> int:
        """Return the action to take in ``states[i]``, where a player decides."""
        if self.game.rules.legal_actions(states, i, self._legal) == 1:
            return int(self._legal[0])
        self._grow(states, i, key)
        return int(self._nodes[self._kernel.most_visited(self._nodes, ROOT)].action)

    def brief(self) -> Search:
        """Return the same search with a budget of one simulation."""
        return Search(self.game, 1, leaf=self.leaf, network=self.network)

    def run(self, states: States, i: int, key: np.uint64, first: int | None = None) -> SearchResult:
        """Search ``states[i]``: see ``TreeSearch.run``."""
        if first is not None and first not in self._legal[: self.game.rules.legal_actions(states, i, self._legal)]:
            raise ValueError(f"a search can't begin with action {first}, which is not legal")
        self._grow(states, i, key, ANY_ACTION if first is None else first)
        player = states["player"][i]
        nodes = sorted(children_of(self._nodes, ROOT), key=lambda node: node.action)
        best = self._kernel.most_visited(self._nodes, ROOT)
        variation, chosen = variation_of(self._kernel, self._nodes, best), self._nodes[best]
        return SearchResult(
            np.array([node.action for node in nodes], np.int16),
            np.array([node.visits for node in nodes], np.int32),
            np.array([node.totals[player] / node.visits if node.visits else np.nan for node in nodes]),
            np.array([node.prior for node in nodes], np.float64),
            variation[0],
            variation,
            int(self._nodes[ROOT].visits),
            float(self._trees["margins"][0] / self._nodes[ROOT].visits),
            chosen.totals / chosen.visits,
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
        self._check_called_off()
        run(simulations)


def search_with(
    network: AnyNetwork, simulations: int | None = None, milliseconds: int | None = None
) -> Search | GumbelSearch:
    """Return the search with a network of either kind.

    Raises:
        ValueError: see ``TreeSearch``.
    """
    if isinstance(network, TrainedFastNetwork):
        return GumbelSearch(network, simulations, milliseconds)
    return Search(network.game, simulations, milliseconds, network=network)


def search(
    position: Position,
    simulations: int,
    key: int = 0,
    first: int | None = None,
    network: AnyNetwork | None = None,
) -> SearchResult:
    """Search a position for the player who decides in it; it is not changed.

    Args:
        position: where a player decides.
        simulations: at least 1; several hundred are wanted for visits that mean something.
        key: the same 64 bits give the same result.
        first: a legal action that every simulation begins with, to find out what it is worth; any action if left out.
        network: from ``agents.network.read_network``; with a fast one the result is a ``GumbelResult``. None: none, as ``mcts``.

    Raises:
        ValueError: no player decides, no simulations, a first action that is not legal, or a network of another game.
    """
    if position.player == NOBODY:
        raise ValueError(f"there is nothing to search for, since no player decides: {position!r}")
    if network is not None and network.game is not position.game:
        raise ValueError(f"expected a network of {position.game.id}, not of {network.game.id}")
    policy = Search(position.game, simulations) if network is None else search_with(network, simulations)
    return policy.run(position.states, 0, np.uint64(key), first)


# Specs ----------------------------------------------------------------------------------------
def search_policy(game: Game, argument: str) -> Search:
    """Return the policy of ``mcts:argument``: a number of simulations, or of milliseconds with ``ms`` after it.

    Raises:
        AgentError: neither, or below 1.
    """
    return Search(game, *budget_of("mcts", argument))


def network_search_policy(game: Game, argument: str) -> Search | GumbelSearch:
    """Return the policy of ``network+mcts:argument``: a budget as ``mcts`` takes it, with the network that comes with the game.

    After another colon may follow the name of another one that comes with it, or the file of a network of either kind.

    Raises:
        AgentError: neither a number of simulations nor of milliseconds, or below 1; or no such network.
    """
    number, _, path = argument.partition(":")
    budget = budget_of("network+mcts", number)
    return search_with(network_at(game, path, f"network+mcts:{argument}") if path else shipped(game), *budget)
