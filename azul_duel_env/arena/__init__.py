"""Matches, ladders and ratings: agents play each other, over processes, the same whatever their number."""

from azul_duel_env.arena.external_agents import find_agent
from azul_duel_env.arena.intervals import wilson_interval
from azul_duel_env.arena.match import (
    GameResult,
    LostGameWarning,
    Summary,
    fixtures_of_match,
    pairings,
    play_fixtures,
    play_game,
    play_match,
    seeds_of_match,
    summarise,
)

__all__ = [
    "GameResult",
    "LostGameWarning",
    "Summary",
    "find_agent",
    "fixtures_of_match",
    "pairings",
    "play_fixtures",
    "play_game",
    "play_match",
    "seeds_of_match",
    "summarise",
    "wilson_interval",
]
