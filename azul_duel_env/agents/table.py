"""The table of agent specs."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from azul_duel_env.agents.base import Agent, AgentError
from azul_duel_env.game import Game

AGENTS = {
    "random": "every legal action alike",
    "greedy": "the action after which a hand-made evaluation is highest, one ply deep",
}
"""Spec -> what the agent does."""

POLICIES = {
    ("azul/duel-v0", "random"): "azul_duel_env.agents.uniform:choose_uniformly",
    ("azul/duel-v0", "greedy"): "azul_duel_env.agents.greedy:choose_greedily",
}
"""Game and spec -> the compiled policy, imported when it is first wanted."""


def make_agent(game: Game, spec: str) -> Agent:
    """Return the agent that a spec names.

    Raises:
        AgentError: (a ValueError) no agent of this game has this spec.
    """
    if (game.id, spec) not in POLICIES:
        known = [name for game_id, name in POLICIES if game_id == game.id]
        close = get_close_matches(spec, known, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise AgentError(f"unknown agent {spec!r}: {game.title} has {', '.join(known) or 'none'}{hint}")
    module, _, name = POLICIES[game.id, spec].partition(":")
    return Agent(spec, getattr(import_module(module), name))
