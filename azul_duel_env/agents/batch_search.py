"""Searches of many positions in step, with a network of one's own: it is asked about all their leaves at once, on whatever device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents.fast_network_file import num_values
from azul_duel_env.agents.gumbel_search import CONSIDERED
from azul_duel_env.agents.tree_search import nodes_for
from azul_duel_env.game import Game, States

Evaluate = Callable[[NDArray[np.float32], NDArray[np.int8]], tuple[Any, Any]]
"""``(observations, masks) -> (logits, values)``: float32 (n, observation size) and int8 (n, number of actions), 1 for what is legal; then
the logits of all actions, (n, number of actions), of which those of legal ones count, and values in -1 to 1: (n, 1) for who decides of two
players, else (n, players) in turn order from who decides."""


@dataclass(frozen=True)
class BatchResult:
    """What a batch of searches found out, of n positions.

    Attributes:
        actions: int16 (n,): those to take. With noise they are draws, by which games of self-play differ.
        policies: float64 (n, number of actions): the improved policy, to be learnt; each sums to 1.
        values: float64 (n, players): what each position is worth for each player under it, -1 to 1.
        visits: int32 (n, number of actions): simulations that began with each action.
    """

    actions: NDArray[np.int16]
    policies: NDArray[np.float64]
    values: NDArray[np.float64]
    visits: NDArray[np.int32]


class BatchSearch:
    """The search of ``kernels.gumbel`` for many positions, in one thread, with a network that is asked from Python.

    Args:
        game: of the positions.
        simulations: for each position; where one action is legal there are none.
        considered: actions that sequential halving begins with.
        noise: factor of the Gumbel noise: 1 for self-play, 0 to play one's best.
        strength: factor of Q values beside logits; None for ``Game.trust_in_values``.
        win_share: share of the utility in the value of a finished game, which values to learn should have too; the rest is for the margin.
        dirichlet_share: of Dirichlet noise in the priors of the root, 0 to 1; 0 for none.
        dirichlet_concentration: of that noise, above 0: the smaller, the fewer actions have most of it.
        temperature: 0 to take what came first in sequential halving; else actions are drawn from the improved policy to the power of
            1 / ``temperature``.

    Raises:
        ValueError: one of them is out of range.
    """

    def __init__(
        self,
        game: Game,
        simulations: int,
        considered: int = CONSIDERED,
        noise: float = 1.0,
        strength: float | None = None,
        win_share: float = 1.0,
        dirichlet_share: float = 0.0,
        dirichlet_concentration: float = 0.3,
        temperature: float = 0.0,
    ) -> None:
        if simulations < 1 or considered < 1:
            raise ValueError(f"simulations and considered must be at least 1, not {simulations} and {considered}")
        strength = game.trust_in_values if strength is None else strength
        if not (noise >= 0 and strength > 0 and 0 <= win_share <= 1):
            raise ValueError(
                f"expected a noise of at least 0, a strength above 0 and a win_share in 0 to 1, not {noise}, {strength} and {win_share}"
            )
        if not (0 <= dirichlet_share <= 1 and dirichlet_concentration > 0 and temperature >= 0):
            raise ValueError(
                "expected a dirichlet_share in 0 to 1, a dirichlet_concentration above 0 and a temperature of at least 0, "
                f"not {dirichlet_share}, {dirichlet_concentration} and {temperature}"
            )
        self.game, self.win_share = game, float(win_share)
        self._kernel: Any = game.kernel("leaves")
        exploration = float(dirichlet_share), float(dirichlet_concentration), float(temperature)
        self._settings = self._kernel.Settings(
            simulations, considered, float(noise), float(strength), *exploration, False, 1.0
        )

    def run(self, states: States, keys: NDArray[np.uint64], evaluate: Evaluate) -> BatchResult:
        """Search each state for the player who decides in it.

        Args:
            states: (n,), a player decides in each; not changed.
            keys: uint64 (n,): the same key, state and answers give the same result.
            evaluate: asked once about all roots, then once for each simulation about all leaves; see ``Evaluate``.

        Raises:
            ValueError: a state in which nobody decides, not one key each, or answers of other shapes.
        """
        kernel, n = self._kernel, len(states)
        if n == 0 or (states["player"] < 0).any():
            raise ValueError("expected states in each of which a player decides, at least one")
        if np.shape(keys) != (n,):
            raise ValueError(f"expected one key for each of {n} states, not {np.shape(keys)}")
        room = len(nodes_for(kernel.NODE, self.game, self._settings.simulations))
        searches = kernel.make_searches(states.view(self.game.state), room)
        seen = np.zeros((n, self.game.observation_size), np.float32)
        masks, policies = np.zeros((n, self.game.num_actions), np.int8), np.zeros((n, self.game.num_actions))
        kernel.plant(searches, np.asarray(keys, np.uint64), seen, masks)
        answers = self._ask(evaluate, seen, masks)
        kernel.expand_roots(searches, masks, *answers, self._settings)
        for _ in range(self._settings.simulations):
            leaves = kernel.descend(searches, self.win_share, seen, masks)
            if leaves:
                answers = self._ask(evaluate, seen[:leaves], masks[:leaves])
            kernel.expand(searches, leaves, masks, *answers, self._settings)
        kernel.finish(searches, self._settings, policies)
        return self._result(searches, policies)

    def _ask(
        self, evaluate: Evaluate, seen: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return logits and values of some states, on arrays that whoever is asked may keep."""
        logits, values = (np.asarray(answer, np.float64) for answer in evaluate(seen.copy(), masks.copy()))
        expected = (len(seen), self.game.num_actions), (len(seen), num_values(self.game))
        if (logits.shape, values.shape) != expected:
            raise ValueError(f"expected logits and values {expected}, not {logits.shape} and {values.shape}")
        return np.ascontiguousarray(logits), np.ascontiguousarray(values)

    def _result(self, searches: Any, policies: NDArray[np.float64]) -> BatchResult:
        first, found, visits = self._kernel.FIRST, searches.candidates, np.zeros(policies.shape, np.int32)
        for r, count in enumerate(searches.plans["count"].tolist()):
            visits[r, found.legal[r, :count]] = searches.nodes["visits"][r, first : first + count]
        best = found.legal[np.arange(len(policies)), found.order[:, 0]]
        return BatchResult(best, policies, found.values.copy(), visits)
