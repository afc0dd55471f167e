"""Matches, ladders and ratings: agents play each other, over processes, the same whatever their number."""

from azul_duel_env.arena.external_agents import find_agent
from azul_duel_env.arena.intervals import wilson_interval
from azul_duel_env.arena.match import (
    LostGameWarning,
    fixtures_of_match,
    line_ups,
    play_fixtures,
    play_game,
    play_match,
    seeds_of_match,
)
from azul_duel_env.arena.result import GameResult
from azul_duel_env.arena.summary import Summary, summaries_of, summarise

__all__ = [
    "GameResult",
    "LostGameWarning",
    "Summary",
    "find_agent",
    "fixtures_of_match",
    "line_ups",
    "play_fixtures",
    "play_game",
    "play_match",
    "seeds_of_match",
    "summaries_of",
    "summarise",
    "wilson_interval",
]
