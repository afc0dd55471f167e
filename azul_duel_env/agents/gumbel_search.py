"""``network+mcts`` with a fast network: the search of ``kernels.gumbel`` with a budget and memory of its own.

A budget of simulations is divided among the phases of sequential halving as the paper says; one of milliseconds in equal times.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.tree_search import SearchResult, TreeSearch, nodes_for, variation_of
from azul_duel_env.game import States
from azul_duel_env.kernels.constants import NO_NODE, ROOT

CONSIDERED = 16
"""Actions that sequential halving begins with."""
SLICE = 16  # simulations between two looks at the clock, about
PLAYOUTS = 32
"""Rounds that are played to their end for the margin expected then."""
CALL_OFF_SLICE = 2048  # and between two looks at whether somebody has called the search off


@dataclass(frozen=True)
class GumbelResult(SearchResult):
    """What a search with a fast network found out.

    Such a network knows no points. So ``margin`` is the mean over ``PLAYOUTS`` rounds that it plays to their end after ``best``, all seats
    alike. ``root_values`` are those under the improved policy or, if all simulations had to begin with one action, those of that action.

    Attributes:
        policy: float64 (n,): the improved policy over ``actions``; it sums to 1.
    """

    policy: NDArray[np.float64]


class GumbelSearch(TreeSearch):
    """The search of ``kernels.gumbel``, with memory of its own. It plays without noise: the same key gives the same action.

    Args:
        network: asked at the root and at each leaf.
        simulations: for each decision; None if time decides.
        milliseconds: for each decision, instead of a number of simulations.
        considered: actions that sequential halving begins with.
        strength: factor of Q values beside logits; None for what the game's network plays best with (``Game.trust_in_values``).
        reuse: begin with what the decision before found, where the same player goes on and nothing was drawn or dealt in between: the
            action then depends on the key of that decision too.

    Raises:
        ValueError: see ``TreeSearch``; or less than one action, or a strength that is not above 0.
    """

    def __init__(
        self,
        network: TrainedFastNetwork,
        simulations: int | None = None,
        milliseconds: int | None = None,
        considered: int = CONSIDERED,
        strength: float | None = None,
        reuse: bool = False,
    ) -> None:
        super().__init__(network.game, simulations, milliseconds)
        if considered < 1:
            raise ValueError(f"considered must be at least 1, not {considered}")
        strength = self.game.trust_in_values if strength is None else strength
        if not 0 < strength < np.inf:
            raise ValueError(f"strength must be a number above 0, not {strength}")
        self.network, self.considered, self.strength, self.reuse = network, considered, strength, reuse
        self._kernel: Any = self.game.kernel("gumbel")
        self._nodes = nodes_for(self._kernel.NODE, self.game, simulations)
        self._room = np.zeros_like(self._nodes) if reuse else None
        self._next: tuple[bytes, int] | None = None  # a state, and the node of what was found about it
        self._trees = np.zeros(1, self._kernel.TREE)
        self._copies = np.zeros(1, self.game.state)
        self._workspace = self.game.kernel("fast_network").make_workspace(network.compiled)
        self._candidates = self._kernel.make_candidates()
        self._margin_weights = self.game.kernel("margins").read_weights()

    def __reduce__(self) -> tuple[type[GumbelSearch], tuple[Any, ...]]:
        return GumbelSearch, (
            self.network,
            self.simulations,
            self.milliseconds,
            self.considered,
            self.strength,
            self.reuse,
        )

    def brief(self) -> GumbelSearch:
        """Return the same search with a budget of one simulation."""
        return GumbelSearch(self.network, 1, None, self.considered, self.strength)

    def __call__(self, states: States, i: int, key: np.uint64) -> int:
        """Return the action to take in ``states[i]``, where a player decides."""
        legal = self._candidates.legal
        kept = self._kept(states, i)
        if self.game.rules.legal_actions(states, i, legal) == 1:
            action, node = int(legal[0]), kept
        else:
            self._search(states, i, key, None, kept)
            action, node = int(legal[self._candidates.order[0]]), ROOT
        self._next = self._after(states, i, action, node) if self.reuse else None
        return action

    def _kept(self, states: States, i: int) -> int:
        """Return the node of what was found about ``states[i]`` before, or NO_NODE."""
        return self._next[1] if self._next is not None and self._next[0] == states[i].tobytes() else NO_NODE

    def _after(self, states: States, i: int, action: int, node: int) -> tuple[bytes, int] | None:
        """Return the state after an action, and the node of what was found about it, if that serves the next decision."""
        node = NO_NODE if node == NO_NODE else int(self._kernel.next_node(self._nodes, node, action))
        if node == NO_NODE:
            return None
        after = states[i : i + 1].copy()
        self.game.rules.try_action(after, 0, action)
        goes_on = after["player"][0] == states["player"][i] and after["rng"][0] == states["rng"][i]
        return (after[0].tobytes(), node) if goes_on else None

    def run(self, states: States, i: int, key: np.uint64, first: int | None = None) -> GumbelResult:
        """Search ``states[i]``: see ``TreeSearch.run``. ``best`` came first in sequential halving, whoever was visited most."""
        count = self._search(states, i, key, first, NO_NODE)
        kernel, found, player = self._kernel, self._candidates, int(states["player"][i])
        kernel.write_policy(self._nodes, found, count, player, self.strength)
        nodes = self._nodes[kernel.FIRST : kernel.FIRST + count]
        visits = nodes["visits"].copy()
        with np.errstate(invalid="ignore"):
            values = nodes["totals"][:, player] / visits
        place = int(found.order[0])
        best = int(found.legal[place])
        return GumbelResult(
            found.legal[:count].copy(),
            visits,
            values,
            nodes["prior"].astype(np.float64),
            best,
            variation_of(kernel, self._nodes, kernel.FIRST + place),
            int(visits.sum()),
            self._margin_after(states, i, best, key),
            found.values.copy() if first is None else nodes[place].totals / nodes[place].visits,
            found.policy[:count].copy(),
        )

    def _margin_after(self, states: States, i: int, action: int, key: np.uint64) -> float:
        """Return the points by which who decides is expected to be ahead at the end of the round after an action."""
        room = (self._copies, self._trees, self.network.compiled, self._workspace, self._margin_weights)
        return float(self.game.kernel("outlook").points_after(states, i, *room, action, key, PLAYOUTS))

    def _search(self, states: States, i: int, key: np.uint64, first: int | None, kept: int) -> int:
        """Spend the budget, beginning with what was found below the node ``kept``; return how many actions are legal."""
        self._check_called_off()
        self._next = None
        asked = self.network.compiled, self._workspace, self._candidates, key, 0.0
        if kept == NO_NODE:
            count = self._kernel.plant(states, i, self._trees, self._nodes, *asked)
        else:
            count = self._kernel.replant(states, i, self._trees, self._nodes, self._room, kept, *asked)
        wanted = min(self.considered, count) if first is None else self._begin_with(first, count)
        if self.simulations is None:
            self._spend_time(states, i, count, wanted)
        else:
            self._spend_simulations(states, i, count, wanted)
        return int(count)

    def _spend_simulations(self, states: States, i: int, count: int, wanted: int) -> None:
        """Halve the actions considered until all simulations are run, as many in each phase."""
        assert self.simulations is not None
        phases, left = self._kernel.phases_of(wanted), self.simulations
        while left > 0:
            times = max(1, self.simulations // (phases * wanted))
            left -= self._visit(states, i, wanted, times, left)
            wanted = self._halve(states, i, count, wanted)

    def _spend_time(self, states: States, i: int, count: int, wanted: int) -> None:
        """Halve the actions considered until the time is over, after as long in each phase."""
        assert self.milliseconds is not None
        begun, phases = time.perf_counter(), self._kernel.phases_of(wanted)
        for phase in range(1, phases + 1):
            self._visit_until(begun + self.milliseconds / 1000 * phase / phases, states, i, wanted)
            wanted = self._halve(states, i, count, wanted)

    def _halve(self, states: States, i: int, count: int, wanted: int) -> int:
        """Order the actions considered by what was found; return how many go on."""
        player = int(states["player"][i])
        return int(self._kernel.halve(self._nodes, self._candidates, count, wanted, player, self.strength))

    def _begin_with(self, first: int, count: int) -> int:
        """Consider one action only; return that it is one."""
        legal = self._candidates.legal[:count]
        if first not in legal:
            raise ValueError(f"a search can't begin with action {first}, which is not legal")
        self._candidates.order[0] = np.searchsorted(legal, first)
        return 1

    def _visit(self, states: States, i: int, wanted: int, times: int, most: int) -> int:
        """Simulate so many times with each action considered, ``most`` in all; return how often it was."""
        done = 0
        while times > 0 and done < most:
            self._check_called_off()
            now = min(times, max(1, CALL_OFF_SLICE // wanted))
            done += self._simulate(states, i, wanted, now, most - done)
            times -= now
        return done

    def _visit_until(self, until: float, states: States, i: int, wanted: int) -> None:
        """Simulate with each action considered, until a time of ``time.perf_counter``, at least once each."""
        times = max(1, SLICE // wanted)
        self._simulate(states, i, wanted, times, times * wanted)
        while time.perf_counter() < until:
            self._check_called_off()
            self._simulate(states, i, wanted, times, times * wanted)

    def _simulate(self, states: States, i: int, wanted: int, times: int, most: int) -> int:
        return int(
            self._kernel.simulate_each(
                states,
                i,
                self._copies,
                self._trees,
                self._nodes,
                self.network.compiled,
                self._workspace,
                self._candidates,
                wanted,
                times,
                most,
            )
        )
