"""The table of agent specs."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

from azul_duel_env.agents.base import Agent, AgentError
from azul_duel_env.game import Game

AGENTS = {
    "random": "every legal action alike",
    "greedy": "the action after which a hand-made evaluation is highest, one ply deep",
    "greedy2": "as greedy, with an evaluation whose weights were fitted on self-play",
    "network": "the best action of a trained network that comes with the package; network:PATH of another, a file that runs no code",
    "mcts:N": "Monte Carlo tree search, N simulations a decision; mcts:200ms for 200 milliseconds, which does not repeat",
    "network+mcts:N": "the same search with priors and values of that network",
}
"""Spec -> what the agent does. A spec with a colon stands for all that have a value there."""

POLICIES = {
    ("azul/duel-v0", "random"): "azul_duel_env.kernels.uniform:choose_uniformly",
    ("azul/duel-v0", "greedy"): "azul_duel_env.games.duel.agents.greedy:choose_greedily",
    ("azul/duel-v0", "greedy2"): "azul_duel_env.games.duel.agents.greedy2:choose_by_fitted_margin",
    ("azul/duel-v0", "network"): "azul_duel_env.kernels.network:play_shipped",
}
"""Game and spec -> the policy, imported when it is first wanted."""

FAMILIES = {
    ("azul/duel-v0", "greedy2"): "azul_duel_env.games.duel.agents.greedy2:policy_from",
    ("azul/duel-v0", "mcts"): "azul_duel_env.kernels.search:policy_from",
    ("azul/duel-v0", "network"): "azul_duel_env.kernels.network:policy_from",
    ("azul/duel-v0", "network+mcts"): "azul_duel_env.kernels.search:network_policy_from",
}
"""Game and what stands before the colon -> what makes a policy from the text after it, imported when it is first wanted."""


def make_agent(game: Game, spec: str) -> Agent:
    """Return the agent that a spec names.

    Raises:
        AgentError: (a ValueError) no agent of this game has this spec.
    """
    family, colon, argument = spec.partition(":")
    if (game.id, spec) in POLICIES:
        return Agent(spec, _find(POLICIES[game.id, spec]))
    if colon and (game.id, family) in FAMILIES:
        return Agent(spec, _find(FAMILIES[game.id, family])(argument))
    known = ", ".join(name for name in AGENTS if is_agent(game, name)) or "none"
    raise AgentError(f"unknown agent {spec!r:.200}: {game.title} has {known}{hint_for(game, spec)}")


def is_agent(game: Game, spec: str) -> bool:
    """Return whether a spec names an agent of a game, or at least its family."""
    family, colon, _ = spec.partition(":")
    return (game.id, spec) in POLICIES or (colon == ":" and (game.id, family) in FAMILIES)


def runs_code(spec: str) -> bool:
    """Return whether a spec names none of the table: a saved model or a function from outside, which run code of their own."""
    family, colon, _ = spec.partition(":")
    return colon == ":" and family not in {name for _, name in FAMILIES}


def hint_for(game: Game, spec: str) -> str:
    """Return the end of a message for an unknown spec: what may have been meant, or nothing."""
    family, _, argument = spec.partition(":")
    families = [name for game_id, name in FAMILIES if game_id == game.id]
    close = get_close_matches(spec, [name for game_id, name in POLICIES if game_id == game.id], 1)
    close = close or [f"{name}:{argument or 'N'}" for name in get_close_matches(family, families, 1)]
    return f"; did you mean {close[0]!r}?" if close else ""


def _find(place: str) -> Any:
    """Return what lies at ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
