"""Players. An agent chooses from a position; ``make_agent`` makes one from a short spec such as ``greedy``."""

from azul_duel_env.agents.base import Agent, AgentError
from azul_duel_env.agents.table import AGENTS, make_agent

__all__ = ["AGENTS", "Agent", "AgentError", "make_agent"]
