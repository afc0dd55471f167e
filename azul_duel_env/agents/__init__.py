"""Players. An agent chooses from a position; ``make_agent`` makes one from a short spec such as ``greedy`` or ``mcts:400``."""

from azul_duel_env.agents.table import agents_of, find_search, hint_for, is_agent, make_agent
from azul_duel_env.game.agent import Agent, AgentError

__all__ = ["Agent", "AgentError", "agents_of", "find_search", "hint_for", "is_agent", "make_agent"]
