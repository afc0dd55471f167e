"""The agents that play with people: which may sit at the table, and how one is asked without holding anything up."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from azul_duel_env.agents import Agent, make_agent
from azul_duel_env.agents.table import is_agent
from azul_duel_env.agents.tree_search import SearchCalledOffError, TreeSearch
from azul_duel_env.arena.external_agents import Player, find_agent
from azul_duel_env.game import Game, Position
from azul_duel_env.play.new_game import HUMAN, SessionError

Found = TypeVar("Found")

SEARCHES = ("mcts", "network+mcts")
"""Agents that a budget follows."""


class Thought(Generic[Found]):
    """Something to be found out about a position, on a copy: it may be called in another thread, and called off from here."""

    def __init__(self, find: Callable[[], Found], policy: Any = None) -> None:
        self._find = find
        self._search = policy if isinstance(policy, TreeSearch) else None

    def __call__(self) -> Found:
        """Find it out.

        Raises:
            SearchCalledOffError: it was called off.
        """
        return self._find()

    def call_off(self) -> None:
        """Let it end soon, if it is a search; nobody wants to know any more."""
        if self._search is not None:
            self._search.call_off()


@dataclass(frozen=True)
class Asking:
    """Asks an agent for its action.

    Attributes:
        agent: who is asked.
        spec: its name.
        position: in which it decides; a copy of its own.
        key: its random bits.
        one_at_a_time: agents from outside may not bear two threads.
    """

    agent: Player
    spec: str
    position: Position
    key: np.uint64
    one_at_a_time: threading.Lock

    def __call__(self) -> int:
        """Return the action.

        Raises:
            SearchCalledOffError: it was called off.
            SessionError: the agent failed, or answered with something that is not legal.
        """
        try:
            with nullcontext() if is_agent(self.position.game, self.spec) else self.one_at_a_time:
                action = self.agent.act(self.position, self.key)
        except SearchCalledOffError:
            raise
        except (Exception, SystemExit) as error:
            raise SessionError(f"agent {self.spec!r} failed: {type(error).__name__}: {error}") from error
        if action not in self.position.legal_actions():
            raise SessionError(f"agent {self.spec!r} failed: {self.position.why_illegal(action)}")
        return int(action)


def check_agent(game: Game, spec: str) -> None:
    """Check the spec of an agent, without compiling anything for agents of the table.

    Raises:
        ValueError: it names no agent; the message shows the nearest name.
        OSError: a saved model can't be read.
    """
    agent_of(game, spec)


def agent_of(game: Game, spec: str) -> Player:
    """Return the agent that a spec names; an agent of the table with memory of its own.

    Raises:
        ValueError: it names no agent, or its code fails while it is loaded.
        OSError: a saved model can't be read.
    """
    try:
        return make_agent(game, spec) if is_agent(game, spec) else find_agent(game, spec)
    except (ValueError, OSError):
        raise
    except (Exception, SystemExit) as error:
        raise SessionError(f"agent {spec!r} can't be loaded: {type(error).__name__}: {error}") from error


def is_plain(game: Game, spec: str) -> bool:
    """Return whether a spec names a person or an agent of the table that comes with the package, and no file or module."""
    family, colon, budget = spec.partition(":")
    if spec == HUMAN or (not colon and is_agent(game, spec)):
        return True
    return family in SEARCHES and re.fullmatch("[0-9]{1,18}(ms)?", budget) is not None


def warm_up(game: Game, agent: Player) -> None:
    """Let an agent of the table decide once, away from any game, so that it is compiled when its turn comes.

    A search is compiled as well by a single simulation.
    """
    if not isinstance(agent, Agent):
        return
    policy = agent.policy.brief() if isinstance(agent.policy, TreeSearch) else agent.policy
    policy(game.new(0).states, 0, np.uint64(0))
