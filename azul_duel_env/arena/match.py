"""Matches between agents: each seed played in all rotations of the seats, over processes, the same whatever their number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from time import perf_counter
from typing import Any

import numpy as np

from azul_duel_env.arena.external_agents import Player, find_agent
from azul_duel_env.arena.result import GameResult
from azul_duel_env.arena.workers import LOST, check_workers, run_tasks
from azul_duel_env.game import NOBODY, Game, Position
from azul_duel_env.jit.rng import keys_from_seed

Fixture = tuple[tuple[str, ...], int]
"""A game to play: the spec of the agent in each seat, and the seed. It decides all that happens in the game."""


class LostGameWarning(RuntimeWarning):
    """A game is missing, since the processes that played it were ended from outside."""


def play_game(game: Game, agents: Sequence[str], seed: int, options: dict[str, Any] | None = None) -> GameResult:
    """Play one game.

    Args:
        game: the game.
        agents: spec of the agent in each seat; see ``find_agent``.
        seed: decides all: the draws of the game, and what the agents choose at random.
        options: the configuration.

    Raises:
        ValueError: an unknown agent, a wrong option, not one agent a seat, or an agent that failed; the message names it and the seed.
    """
    _check_seats(game, agents)
    players = [find_agent(game, spec) for spec in agents]
    position = game.new(seed, **(options or {}))
    keys = keys_from_seed(seed, 1 + game.max_decisions)[1:]
    actions: list[int] = []
    first_player, decided, seconds = NOBODY, [0] * len(agents), [0.0] * len(agents)
    while not position.over:
        if position.chance_is_due:
            position.draw_chance()
            continue
        if not actions:
            first_player = int(game.rules.first_player(position.states, 0))
        seat = position.player
        action, spent = _asked(players[seat], agents[seat], seed, position, keys[len(actions)])
        seconds[seat] += spent
        decided[seat] += 1
        position.step(action)
        actions.append(action)
    return GameResult(
        tuple(agents),
        seed,
        position.scores,
        position.winner,
        position.decisions,
        tuple(actions),
        first_player,
        tuple(decided),
        tuple(seconds),
        position.ranks if game.num_players > 2 else (),
    )


def _check_seats(game: Game, agents: Sequence[str]) -> None:
    if len(agents) != game.num_players:
        raise ValueError(f"{game.title} takes {game.num_players} agents, not {len(agents)}: {', '.join(agents)}")


def _asked(player: Player, spec: str, seed: int, position: Position, key: np.uint64) -> tuple[int, float]:
    """Return a legal action from a player, and the seconds it took.

    Raises:
        ValueError: the player failed, or its action is not legal.
    """
    try:
        begun = perf_counter()
        action = player.act(position, key)
        spent = perf_counter() - begun
        if action not in position.legal_actions():
            raise ValueError(position.why_illegal(action))
    except Exception as error:
        where = (
            f"agent {spec!r} failed in the game of seed {seed}, decision {position.decisions}, seat {position.player}"
        )
        raise ValueError(f"{where}: {type(error).__name__}: {error}") from error
    return action, spent


def _play_fixture(
    game: Game, agents: tuple[str, ...], seed: int, options: dict[str, Any], keep_actions: bool
) -> GameResult:
    """Play one game: what one task of a process does."""
    result = play_game(game, agents, seed, options)
    return result if keep_actions else replace(result, actions=())


def seeds_of_match(seed: int, count: int) -> list[int]:
    """Return the seeds of the games of a match; a longer match begins with those of a shorter one.

    Raises:
        ValueError: a negative seed.
    """
    if seed < 0:
        raise ValueError(f"seed must be an integer of at least 0, not {seed}")
    return [int(one) for one in np.random.SeedSequence(seed).generate_state(count, np.uint32)]


def rotations(agents: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the seatings of a line-up: each shifts all by one seat; those that repeat one before are left out."""
    shifted = [(*agents[first:], *agents[:first]) for first in range(len(agents))]
    return list(dict.fromkeys(shifted))


def seeds_for(seats: int, games: int, what: str = "games") -> int:
    """Return how many seeds give so many games, each being played in all rotations of the seats.

    Args:
        seats: of a game.
        games: at least one game for each rotation, as many of each.
        what: this number is called in messages.

    Raises:
        ValueError: another number of games.
    """
    if games < seats or games % seats:
        raise ValueError(
            f"{what} must be a multiple of {seats}, since each seed is played in all {seats} rotations of the seats, not {games}"
        )
    return games // seats


def fixtures_of_match(agents: Sequence[str], games: int, seed: int) -> list[Fixture]:
    """Return the games of a match: each seed in all rotations of the seats; once for an agent against itself, which would repeat it.

    Args:
        agents: one for each seat.
        games: a multiple of the seats.
        seed: of the match.

    Raises:
        ValueError: another number of games; fewer than two agents; a negative seed.
    """
    if len(agents) < 2:
        raise ValueError(f"a match takes an agent for each seat, at least two, not {len(agents)}")
    seatings = rotations(agents)
    seeds = seeds_of_match(seed, seeds_for(len(agents), games) * len(agents) // len(seatings))
    return [(seating, one) for one in seeds for seating in seatings]


def play_match(
    game: Game,
    agents: Sequence[str],
    games: int,
    seed: int,
    options: dict[str, Any] | None = None,
    jobs: int = 1,
    backend: str = "joblib",
) -> Iterator[GameResult]:
    """Play a match and yield the results in their order, as they come.

    Args:
        game: the game.
        agents: spec of an agent for each seat; see ``find_agent``.
        games: how many, a multiple of the seats: each seed is played in all rotations of the seats. An agent against itself plays as
            many seeds once.
        seed: decides all; the results don't depend on ``jobs`` and ``backend``.
        options: the configuration.
        jobs: processes; -1 for one a core.
        backend: ``"joblib"`` for processes of this machine, ``"ray"`` for a Ray cluster.

    Raises:
        ValueError: a number of games that is no multiple of the seats, or what ``play_fixtures`` raises, before anything is played.
    """
    return play_fixtures(game, fixtures_of_match(agents, games, seed), options, jobs, backend, keep_actions=True)


def play_fixtures(
    game: Game,
    fixtures: Sequence[Fixture],
    options: dict[str, Any] | None = None,
    jobs: int = 1,
    backend: str = "joblib",
    *,
    keep_actions: bool = False,
) -> Iterator[GameResult]:
    """Play games and yield the results in their order, as they come.

    A game whose process is ended from outside is tried again; if that happens each time, it is left out with a ``LostGameWarning``.

    Args:
        game: the game.
        fixtures: the games to play.
        options: the configuration.
        jobs: see ``play_match``.
        backend: see ``play_match``.
        keep_actions: whether results have their actions.

    Raises:
        ValueError: not one agent a seat, an unknown agent, a wrong option, or what ``check_workers`` raises, before anything is played;
            later, an agent that failed.
        OSError: a saved model can't be read.
    """
    check_workers(jobs, backend)
    for agents in dict.fromkeys(agents for agents, _ in fixtures):
        _check_seats(game, agents)
    for spec in dict.fromkeys(spec for agents, _ in fixtures for spec in agents):
        find_agent(game, spec)
    game.make_options(**(options or {}))
    return _results(game, fixtures, options or {}, jobs, backend, keep_actions)


def _results(
    game: Game, fixtures: Sequence[Fixture], options: dict[str, Any], jobs: int, backend: str, keep_actions: bool
) -> Iterator[GameResult]:
    tasks = [(game, agents, seed, options, keep_actions) for agents, seed in fixtures]
    for (agents, seed), result in zip(fixtures, run_tasks(_play_fixture, tasks, jobs, backend), strict=True):
        if result is LOST:
            message = f"{' - '.join(agents)}, seed {seed}: its process was lost each time; this game is missing"
            warnings.warn(message, LostGameWarning, stacklevel=2)
        else:
            yield result


def line_ups(agents: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Return the matches of a tournament: who sits together at a table.

    That is every choice of as many agents as there are seats. Where there are fewer agents, some have several seats, in every way in which
    none is left out: an agent that is alone plays itself.

    Args:
        agents: specs, each once.
        seats: of a game, at least two.

    Raises:
        ValueError: no agent, or one twice.
    """
    if not agents:
        raise ValueError("a tournament needs at least one agent")
    if len(set(agents)) < len(agents):
        raise ValueError(f"each agent may stand once in a tournament, not {', '.join(agents)}")
    if len(agents) >= seats:
        return list(combinations(agents, seats))
    return [one for one in combinations_with_replacement(agents, seats) if len(set(one)) == len(agents)]
