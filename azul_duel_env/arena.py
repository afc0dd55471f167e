"""Matches between agents: each seed played with both seatings, over processes, the same whatever their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from azul_duel_env.agents import make_agent
from azul_duel_env.game import NOBODY, Game
from azul_duel_env.rng import words_from_seed

SEEDS_PER_TASK = 4


@dataclass(frozen=True)
class GameResult:
    """A finished game.

    Attributes:
        agents: spec of the agent in each seat.
        seed: seed of the game.
        scores: points of each seat.
        winner: seat, or NOBODY (-1) for a draw.
        decisions: decisions of all players.
        actions: all actions, in order.
    """

    agents: tuple[str, ...]
    seed: int
    scores: tuple[int, ...]
    winner: int
    decisions: int
    actions: tuple[int, ...]


def play_game(game: Game, agents: Sequence[str], seed: int, options: dict[str, Any] | None = None) -> GameResult:
    """Play one game.

    Args:
        game: the game.
        agents: spec of the agent in each seat.
        seed: decides all: the draws of the game, and what the agents choose at random.
        options: the configuration.

    Raises:
        ValueError: an unknown agent, a wrong option, or not one agent a seat.
    """
    if len(agents) != game.num_players:
        raise ValueError(f"{game.title} takes {game.num_players} agents, not {len(agents)}")
    players = [make_agent(game, spec) for spec in agents]
    position = game.new(seed, **(options or {}))
    words = words_from_seed(seed, 1 + game.max_decisions)[1:]
    actions: list[int] = []
    while not position.over:
        if position.chance_is_due:
            position.draw_chance()
            continue
        action = players[position.player].act(position, words[len(actions)])
        position.step(action)
        actions.append(action)
    return GameResult(tuple(agents), seed, position.scores, position.winner, position.decisions, tuple(actions))


def games_of_seed(
    game: Game, agents: Sequence[str], seed: int, options: dict[str, Any] | None = None
) -> list[GameResult]:
    """Play one seed twice, the second time with the seats swapped; once for an agent against itself, which would repeat it."""
    seatings = [tuple(agents)] if len(set(agents)) == 1 else [tuple(agents), tuple(reversed(agents))]
    return [play_game(game, seating, seed, options) for seating in seatings]


def _games_of_seeds(
    game: Game, agents: Sequence[str], seeds: Sequence[int], options: dict[str, Any]
) -> list[GameResult]:
    """Play several seeds: what one task of a process does."""
    return [result for seed in seeds for result in games_of_seed(game, agents, seed, options)]


def seeds_of_match(seed: int, count: int) -> list[int]:
    """Return the seeds of the games of a match.

    Raises:
        ValueError: a negative seed.
    """
    if seed < 0:
        raise ValueError(f"seed must be an integer of at least 0, not {seed}")
    return [int(word) for word in np.random.SeedSequence(seed).generate_state(count, np.uint32)]


def play_match(
    game: Game, agents: Sequence[str], games: int, seed: int, options: dict[str, Any] | None = None, jobs: int = 1
) -> Iterator[GameResult]:
    """Play a match and yield the results in their order, as they come.

    Args:
        game: the game.
        agents: specs of the two agents.
        games: how many, an even number: each seed is played twice with the seats swapped. An agent against itself plays as many
            seeds once.
        seed: decides all; the results don't depend on ``jobs``.
        options: the configuration.
        jobs: processes; -1 for one a core.

    Raises:
        ValueError: an odd or negative number of games, or what ``play_game`` raises, before anything is played.
    """
    if games < 2 or games % 2:
        raise ValueError(
            f"games must be an even number of at least 2, since each seed is played with both seatings, not {games}"
        )
    if jobs == 0 or jobs < -1:
        raise ValueError(f"jobs must be a number of processes, or -1 for one a core, not {jobs}")
    if len(agents) != 2:
        raise ValueError(f"a match is between two agents, not {len(agents)}")
    for spec in agents:
        make_agent(game, spec)
    game.make_options(**(options or {}))
    seeds = seeds_of_match(seed, games if len(set(agents)) == 1 else games // 2)
    tasks = [seeds[at : at + SEEDS_PER_TASK] for at in range(0, len(seeds), SEEDS_PER_TASK)]
    return _run(game, agents, tasks, options or {}, jobs)


def _run(
    game: Game, agents: Sequence[str], tasks: list[list[int]], options: dict[str, Any], jobs: int
) -> Iterator[GameResult]:
    """Play tasks here, or over processes."""
    if jobs == 1:
        for seeds in tasks:
            for seed in seeds:
                yield from games_of_seed(game, agents, seed, options)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator")
    for results in parallel(delayed(_games_of_seeds)(game, agents, seeds, options) for seeds in tasks):
        yield from results


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
        win_rate_low, win_rate_high: 95% Wilson interval of it.
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


Z_95 = NormalDist().inv_cdf(0.975)


def wilson_interval(rate: float, count: int) -> tuple[float, float]:
    """Return the 95% Wilson score interval of a rate over ``count`` trials; (0, 1) for none."""
    if count == 0:
        return 0.0, 1.0
    middle = (rate + Z_95**2 / (2 * count)) / (1 + Z_95**2 / count)
    half = Z_95 / (1 + Z_95**2 / count) * sqrt(rate * (1 - rate) / count + Z_95**2 / (4 * count**2))
    return max(0.0, middle - half), min(1.0, middle + half)


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
    low, high = wilson_interval(rate, len(results))
    margin_low, margin_high = _mean_interval(own - other, [result.seed for result in results])
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


def _mean_interval(margins: np.ndarray, seeds: Sequence[int]) -> tuple[float | None, float | None]:
    """Return a 95% interval of the mean margin, from the means of seeds: the two games of a seed are not independent."""
    of_seed: dict[int, list[float]] = {}
    for seed, margin in zip(seeds, margins.tolist(), strict=True):
        of_seed.setdefault(seed, []).append(margin)
    if len(of_seed) < 2:
        return None, None
    means = np.array([np.mean(values) for values in of_seed.values()])
    half = Z_95 * float(means.std(ddof=1)) / sqrt(len(means))
    return float(margins.mean()) - half, float(margins.mean()) + half
