"""Hints: what a search would play, and what it expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.agents.search import Search
from azul_duel_env.game import Position
from azul_duel_env.play.agents import Thought

HINT = "mcts:400"
ALTERNATIVES = 3  # actions that a hint tells of, its own included


@dataclass(frozen=True)
class Hint:
    """What a search would play.

    Attributes:
        agent: spec of the search.
        action: what it would play.
        value: what that is worth for the player who decides: 1 is a sure win, -1 a sure loss.
        margin: points by which the player would be ahead where simulations end: at the end of the round.
        shares: the most visited actions, at most three, the best first, with their share of the simulations.
    """

    agent: str
    action: int
    value: float
    margin: float
    shares: tuple[tuple[int, float], ...]


def hint_thought(position: Position, key: np.uint64, spec: str = HINT) -> Thought[Hint]:
    """Return what finds a hint for the player who decides.

    Args:
        position: in which a player decides; it must not be changed meanwhile.
        key: random bits of the search.
        spec: of the search.

    Raises:
        ValueError: the spec names no search.
    """
    policy = make_agent(position.game, spec).policy
    if not isinstance(policy, Search):
        raise AgentError(f"a hint takes a search, such as {HINT}, not {spec!r}")
    return Thought(lambda: _hint_of(policy, spec, position, key), policy)


def _hint_of(policy: Search, spec: str, position: Position, key: np.uint64) -> Hint:
    found = policy.run(position.states, 0, key)
    by_visits = np.argsort(-found.visits, kind="stable")
    others = [place for place in by_visits if found.actions[place] != found.best][: ALTERNATIVES - 1]
    best = int(np.searchsorted(found.actions, found.best))
    total = max(1, int(found.visits.sum()))
    shares = tuple((int(found.actions[place]), float(found.visits[place] / total)) for place in (best, *others))
    value = float(found.values[best])
    return Hint(spec, int(found.best), 0.0 if np.isnan(value) else value, found.margin, shares)
