"""What the tree searches share: a budget, how one is called off, and what comes out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game import Game, States
from azul_duel_env.game.agent import AgentError
from azul_duel_env.kernels.constants import NO_NODE

NODES_PER_SIMULATION = 100  # more than simulations use on average
MOST_NODES = 2**22


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
        margin: points by which the player who decides is expected to be ahead of the mean of the others at the end of the round: the mean
            over all simulations, by greedy's evaluation, at the end of the game by the score.
        root_values: float64 (players,): what the position is worth for each player, -1 to 1, if ``best`` is taken.
    """

    actions: NDArray[np.int16]
    visits: NDArray[np.int32]
    values: NDArray[np.float64]
    priors: NDArray[np.float64]
    best: int
    variation: tuple[int, ...]
    simulations: int
    margin: float
    root_values: NDArray[np.float64]


class TreeSearch(ABC):
    """A search with a budget: for one thread at a time. Called as ``(states, i, key)`` it is an agent's policy.

    Args:
        game: that it plays.
        simulations: for each decision; None if time decides.
        milliseconds: for each decision, instead of a number of simulations. The same key may then give another action.

    Raises:
        ValueError: not exactly one budget, or one below 1.
    """

    def __init__(self, game: Game, simulations: int | None, milliseconds: int | None) -> None:
        if (simulations is None) == (milliseconds is None):
            raise ValueError("a search takes simulations or milliseconds, one of them")
        for name, budget in (("simulations", simulations), ("milliseconds", milliseconds)):
            if budget is not None and budget < 1:
                raise ValueError(f"{name} must be at least 1, not {budget}")
        self.game, self.simulations, self.milliseconds = game, simulations, milliseconds
        self._called_off = False

    @abstractmethod
    def __call__(self, states: States, i: int, key: np.uint64) -> int:
        """Return the action to take in ``states[i]``, where a player decides."""

    @abstractmethod
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

    @abstractmethod
    def brief(self) -> TreeSearch:
        """Return the same search with a budget of one simulation, which compiles all that it takes."""

    def call_off(self) -> None:
        """Let a search that runs in another thread, and all later ones, end with ``SearchCalledOffError``, within 0.1 s or so."""
        self._called_off = True

    def _check_called_off(self) -> None:
        if self._called_off:
            raise SearchCalledOffError("the search was called off")


# Trees ----------------------------------------------------------------------------------------
def nodes_for(node: np.dtype[Any], game: Game, simulations: int | None) -> NDArray[Any]:
    """Return memory for a tree; touched, and so taken, only as far as the tree grows."""
    wanted = MOST_NODES if simulations is None else NODES_PER_SIMULATION * simulations + game.max_legal
    return np.zeros(min(wanted, MOST_NODES), node)


def children_of(nodes: NDArray[Any], node: int) -> list[Any]:
    """Return the nodes below a node."""
    found = []
    child = nodes[node].first_child
    while child != NO_NODE:
        found.append(nodes[child])
        child = nodes[child].next_sibling
    return found


def variation_of(kernel: ModuleType, nodes: NDArray[Any], node: int) -> tuple[int, ...]:
    """Return the actions that lead to a node and on down by the most visited child."""
    actions: list[int] = []
    while node != NO_NODE:
        actions.append(int(nodes[node].action))
        node = kernel.most_visited(nodes, node)
    return tuple(actions)


# Specs ----------------------------------------------------------------------------------------
def budget_of(family: str, argument: str) -> tuple[int | None, int | None]:
    """Return the simulations or the milliseconds that stand after the colon of a spec.

    Raises:
        AgentError: neither, or below 1.
    """
    number = argument.removesuffix("ms")
    if not re.fullmatch("[0-9]{1,18}", number) or int(number) < 1:
        raise AgentError(
            f"{family} takes a number of simulations of at least 1, such as {family}:400, or of milliseconds, such as {family}:200ms, "
            f"not {argument!r:.80}"
        )
    return (None, int(number)) if argument.endswith("ms") else (int(number), None)
