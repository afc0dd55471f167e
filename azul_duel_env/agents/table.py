"""The table of agent specs."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from azul_duel_env.agents.base import Agent, AgentError
from azul_duel_env.game import Game


def _random(_: Game) -> Agent:
    from azul_duel_env.agents.uniform import choose_uniformly

    return Agent("random", choose_uniformly)


def _greedy(_: Game) -> Agent:
    from azul_duel_env.agents.greedy import choose_greedily

    return Agent("greedy", choose_greedily)


AGENTS: dict[str, tuple[Callable[[Game], Agent], str]] = {
    "random": (_random, "every legal action alike"),
    "greedy": (_greedy, "the action after which a hand-made evaluation is highest, one ply deep"),
}
"""Spec -> how to make the agent, and what it does."""


def make_agent(game: Game, spec: str) -> Agent:
    """Return the agent that a spec names.

    Raises:
        AgentError: (a ValueError) no agent has this spec.
    """
    if spec not in AGENTS:
        close = get_close_matches(spec, AGENTS, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise AgentError(f"unknown agent {spec!r}: there are {', '.join(AGENTS)}{hint}")
    return AGENTS[spec][0](game)
