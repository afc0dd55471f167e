"""Hints: what a search would play, and what it expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from azul_duel_env.agents import Agent, find_search
from azul_duel_env.agents.outlook import Outlook, outlook_of
from azul_duel_env.game import Position
from azul_duel_env.play.agents import Thought

ALTERNATIVES = 3  # actions that a hint tells of, its own included


@dataclass(frozen=True)
class Hint:
    """What a search would play.

    Attributes:
        agent: spec of the search.
        action: what it would play.
        value: what that is worth for the player who decides: 1 is a sure win, -1 a sure loss.
        margin: points by which the player is expected to be ahead of the mean of the others at the end of the round.
        shares: the likeliest actions, at most three, the one to play first, with the share that the search gives to each.
        variation: the actions that it expects from here on, of all players; ``action`` is the first.
        share_meaning: in words, what ``shares`` are.
        value_meaning: in a sentence, what ``value`` is.
    """

    agent: str
    action: int
    value: float
    margin: float
    shares: tuple[tuple[int, float], ...]
    variation: tuple[int, ...]
    share_meaning: str
    value_meaning: str


def hint_thought(position: Position, key: np.uint64, spec: str | None = None) -> Thought[Hint]:
    """Return what finds a hint for the player who decides.

    Args:
        position: in which a player decides; it must not be changed meanwhile.
        key: random bits of the search.
        spec: of the search; that of ``Game.adviser`` if left out.

    Raises:
        ValueError: the spec names no search.
    """
    spec = position.game.adviser if spec is None else spec
    search = find_search(position.game, spec)
    agent = Agent(spec, search)
    return Thought(lambda: _hint_of(spec, position.player, outlook_of(agent, position, key)), search)


def _hint_of(spec: str, player: int, found: Outlook) -> Hint:
    assert found.probabilities is not None, "a search has them"
    assert found.values is not None, "a search has them"
    assert found.margin is not None, "a search has one"
    by_share = np.argsort(-found.probabilities, kind="stable")
    best = int(np.searchsorted(found.actions, found.best))
    places = [best, *(place for place in by_share if place != best)][:ALTERNATIVES]
    shares = tuple((int(found.actions[place]), float(found.probabilities[place])) for place in places)
    value = float(found.values[player])
    meanings = found.probability_meaning, found.value_meaning
    return Hint(spec, found.best, value, found.margin, shares, found.variation, *meanings)
