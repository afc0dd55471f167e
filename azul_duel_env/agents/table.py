"""The table of agent specs."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from azul_duel_env.agents.network import ShippedNetwork, network_policy
from azul_duel_env.agents.search import network_search_policy, search_policy
from azul_duel_env.agents.tree_search import TreeSearch
from azul_duel_env.game import Game
from azul_duel_env.game.agent import Agent, AgentError, Policy

ANY_GAME = {
    "random": "every legal action alike",
    "greedy": "the action after which a hand-made evaluation is highest, one ply deep",
    "network": "the best action of a trained network that comes with the package; network:PATH of another, a file that runs no code",
    "mcts:N": "Monte Carlo tree search, N simulations a decision; mcts:200ms for 200 milliseconds, which does not repeat",
    "network+mcts:N": "tree search with that network; network+mcts:N:PATH with another, after N or Nms",
}
"""Spec -> what the agent does, for those that need nothing from a game but its rules and a network. One with a colon stands for all that
have a value there."""

POLICIES: dict[str, Callable[[Game], Policy]] = {
    "random": lambda game: game.kernel("uniform").choose_uniformly,
    "greedy": lambda game: game.kernel("evaluation").choose_greedily,
    "network": ShippedNetwork,
}
"""Spec -> what makes the policy for a game; a game has more of its own, see ``Game.agents``."""

FAMILIES: dict[str, Callable[[Game, str], Policy]] = {
    "mcts": search_policy,
    "network": network_policy,
    "network+mcts": network_search_policy,
}
"""What stands before the colon -> what makes a policy for a game from the text after it; see ``Game.agent_families`` too."""

WITH_NETWORK = ("network", "network+mcts")
"""Specs and families that play with the network that comes with a game."""


def make_agent(game: Game, spec: str) -> Agent:
    """Return the agent that a spec names.

    Raises:
        AgentError: (a ValueError) no agent of this game has this spec.
    """
    family, colon, argument = spec.partition(":")
    if spec in specs_of(game):
        return Agent(spec, _find(game.agents[spec]) if spec in game.agents else POLICIES[spec](game))
    if colon and family in game.agent_families:
        return Agent(spec, _find(game.agent_families[family])(game, argument))
    if colon and family in families_of(game):
        return Agent(spec, FAMILIES[family](game, argument))
    known = ", ".join(agents_of(game))
    raise AgentError(f"unknown agent {spec!r:.200}: {game.title} has {known}{hint_for(game, spec)}")


def find_search(game: Game, spec: str) -> TreeSearch:
    """Return the search that a spec names, with memory of its own.

    Raises:
        AgentError: it names none.
    """
    policy = make_agent(game, spec).policy
    if not isinstance(policy, TreeSearch):
        raise AgentError(f"expected a search, such as {game.adviser}, not {spec!r:.200}")
    return policy


def agents_of(game: Game) -> dict[str, str]:
    """Return spec -> what the agent does, of all agents of a game; a spec with a colon stands for all that have a value there."""
    without = () if game.network is not None else WITH_NETWORK
    shared = {spec: text for spec, text in ANY_GAME.items() if spec.partition(":")[0] not in without}
    first = {spec: shared.pop(spec) for spec in ("random", "greedy")}
    return first | {spec: game.agent_texts.get(spec, "") for spec in game.agents} | shared


def specs_of(game: Game) -> list[str]:
    """Return the specs without a colon that a game has an agent for."""
    return [name for name in POLICIES if name not in WITH_NETWORK or game.network is not None] + list(game.agents)


def families_of(game: Game) -> list[str]:
    """Return what may stand before the colon of a spec."""
    return [*FAMILIES, *game.agent_families]


def is_agent(game: Game, spec: str) -> bool:
    """Return whether a spec names an agent of a game, or at least its family."""
    family, colon, _ = spec.partition(":")
    return spec in specs_of(game) or (colon == ":" and family in families_of(game))


def runs_code(game: Game, spec: str) -> bool:
    """Return whether a spec names none of these: a saved model or a function from outside, which run code of their own."""
    family, colon, _ = spec.partition(":")
    return colon == ":" and family not in families_of(game)


def hint_for(game: Game, spec: str) -> str:
    """Return the end of a message for an unknown spec: what may have been meant, or nothing."""
    family, _, argument = spec.partition(":")
    close = get_close_matches(spec, specs_of(game), 1)
    close = close or [f"{name}:{argument or 'N'}" for name in get_close_matches(family, families_of(game), 1)]
    return f"; did you mean {close[0]!r}?" if close else ""


def fit_of(game: Game) -> Callable[..., Any]:
    """Return what fits weights of a game's agents on self-play; see ``Game.fit``.

    Raises:
        ValueError: nothing does.
    """
    if game.fit is None:
        raise ValueError(f"{game.title} has no agent whose weights are fitted")
    fit: Callable[..., Any] = _find(game.fit)
    return fit


def _find(place: str) -> Any:
    """Return what lies at ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
