"""Matches between agents: each seed played with both seatings, over processes, the same whatever their number."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from azul_duel_env.arena.external_agents import Player, find_agent
from azul_duel_env.arena.intervals import mean_interval, rate_interval
from azul_duel_env.arena.workers import LOST, check_workers, run_tasks
from azul_duel_env.game import NOBODY, Game, Position
from azul_duel_env.jit.rng import keys_from_seed

Fixture = tuple[tuple[str, ...], int]
"""A game to play: the spec of the agent in each seat, and the seed. It decides all that happens in the game."""


class LostGameWarning(RuntimeWarning):
    """A game is missing, since the processes that played it were ended from outside."""


@dataclass(frozen=True)
class GameResult:
    """A finished game.

    Attributes:
        agents: spec of the agent in each seat.
        seed: seed of the game.
        scores: points of each seat.
        winner: seat, or NOBODY (-1) for a draw.
        decisions: decisions of all players.
        actions: all actions, in order; () where they are not kept.
        first_player: the seat that began round 1, or NOBODY (-1) if it is not known.
        decided: decisions of each seat; () if they are not known.
        seconds: wall time that the agent in each seat took for them. It is all that differs between two runs of a game, and
            doesn't count in comparisons.
    """

    agents: tuple[str, ...]
    seed: int
    scores: tuple[int, ...]
    winner: int
    decisions: int
    actions: tuple[int, ...]
    first_player: int = NOBODY
    decided: tuple[int, ...] = ()
    seconds: tuple[float, ...] = field(default=(), compare=False)


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
    if len(agents) != game.num_players:
        raise ValueError(f"{game.title} takes {game.num_players} agents, not {len(agents)}")
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
    )


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


def fixtures_of_match(agents: Sequence[str], games: int, seed: int) -> list[Fixture]:
    """Return the games of a match: each seed twice, with the seats swapped; once for an agent against itself, which would repeat it.

    Raises:
        ValueError: an odd number of games, or fewer than 2; not two agents; a negative seed.
    """
    if games < 2 or games % 2:
        raise ValueError(
            f"games must be an even number of at least 2, since each seed is played with both seatings, not {games}"
        )
    if len(agents) != 2:
        raise ValueError(f"a match is between two agents, not {len(agents)}")
    seatings = [tuple(agents)] if agents[0] == agents[1] else [tuple(agents), tuple(reversed(agents))]
    return [(seating, one) for one in seeds_of_match(seed, games // len(seatings)) for seating in seatings]


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
        agents: specs of the two agents; see ``find_agent``.
        games: how many, an even number: each seed is played twice with the seats swapped. An agent against itself plays as many
            seeds once.
        seed: decides all; the results don't depend on ``jobs`` and ``backend``.
        options: the configuration.
        jobs: processes; -1 for one a core.
        backend: ``"joblib"`` for processes of this machine, ``"ray"`` for a Ray cluster.

    Raises:
        ValueError: an odd or negative number of games, or what ``play_fixtures`` raises, before anything is played.
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
        ValueError: an unknown agent, a wrong option, or what ``check_workers`` raises, before anything is played; later, an agent
            that failed.
        OSError: a saved model can't be read.
    """
    check_workers(jobs, backend)
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
            told = f"{' - '.join(agents)}, seed {seed}: its process was lost each time; this game is missing"
            warnings.warn(told, LostGameWarning, stacklevel=2)
        else:
            yield result


def pairings(agents: Sequence[str]) -> list[tuple[str, str]]:
    """Return the matches of a tournament: every two agents, and an agent against itself if it is alone.

    Raises:
        ValueError: no agent, or one twice among several.
    """
    if not agents:
        raise ValueError("a tournament needs at least one agent")
    if len(agents) == 1:
        return [(agents[0], agents[0])]
    if len(set(agents)) < len(agents):
        raise ValueError(f"each agent may stand once in a tournament, not {', '.join(agents)}")
    return list(combinations(agents, 2))


# What came out --------------------------------------------------------------------------------
@dataclass(frozen=True)
class Summary:
    """A match from the first agent's side.

    Attributes:
        agent, opponent: specs.
        games, wins, draws, losses: of the agent.
        win_rate: wins and half the draws, over games.
        win_rate_low, win_rate_high: 95% interval of it; see ``intervals.rate_interval``.
        score_mean, score_sd: of the agent's own points.
        opponent_score_mean, opponent_score_sd: of the opponent's.
        margin_mean, margin_low, margin_high: agent's points less the opponent's, with a 95% interval over seeds; None for less than
            two seeds.
        first_seat_win_rate: how often the seat of player_0 won, draws half.
        decisions_mean: decisions a game.
    """

    agent: str
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    score_mean: float
    score_sd: float
    opponent_score_mean: float
    opponent_score_sd: float
    margin_mean: float
    margin_low: float | None
    margin_high: float | None
    first_seat_win_rate: float
    decisions_mean: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as a plain dictionary, for JSON and CSV."""
        return asdict(self)


def summarise(agents: Sequence[str], results: Sequence[GameResult]) -> Summary:
    """Summarise a match of two agents, finished or not, from its results in any order.

    Raises:
        ValueError: no game was finished.
    """
    if not results:
        raise ValueError("no game was finished: there is nothing to summarise")
    seats = [_seat_of(agents, result, i) for i, result in enumerate(results)]  # the first agent's
    own = np.array([result.scores[seat] for result, seat in zip(results, seats, strict=True)], float)
    other = np.array([result.scores[1 - seat] for result, seat in zip(results, seats, strict=True)], float)
    wins = sum(result.winner == seat for result, seat in zip(results, seats, strict=True))
    draws = sum(result.winner == NOBODY for result in results)
    rate = (wins + draws / 2) / len(results)
    seeds = [result.seed for result in results]
    points = [0.5 if r.winner == NOBODY else float(r.winner == seat) for r, seat in zip(results, seats, strict=True)]
    low, high = rate_interval(np.array(points), seeds)
    margin_low, margin_high = mean_interval(own - other, seeds)
    first_seat = sum(1.0 if r.winner == 0 else 0.5 if r.winner == NOBODY else 0.0 for r in results)
    return Summary(
        agent=agents[0],
        opponent=agents[1],
        games=len(results),
        wins=wins,
        draws=draws,
        losses=len(results) - wins - draws,
        win_rate=rate,
        win_rate_low=low,
        win_rate_high=high,
        score_mean=float(own.mean()),
        score_sd=float(own.std()),
        opponent_score_mean=float(other.mean()),
        opponent_score_sd=float(other.std()),
        margin_mean=float((own - other).mean()),
        margin_low=margin_low,
        margin_high=margin_high,
        first_seat_win_rate=first_seat / len(results),
        decisions_mean=float(np.mean([result.decisions for result in results])),
    )


def _seat_of(agents: Sequence[str], result: GameResult, number: int) -> int:
    """Return the seat of the first agent in a game; against itself it takes turns."""
    return number % 2 if agents[0] == agents[1] else result.agents.index(agents[0])
