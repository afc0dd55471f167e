"""The rating of one agent against others whose ratings are known, with as few games as the wanted interval needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from math import ceil
from typing import Any

import numpy as np

from azul_duel_env.arena.ladder import check_seats, settings_of_run
from azul_duel_env.arena.match import Fixture, play_fixtures, rotations, seeds_for, seeds_of_match
from azul_duel_env.arena.ratings import Interval, fit_one, one_sided
from azul_duel_env.arena.result import GameResult
from azul_duel_env.arena.results_file import ResultsFile
from azul_duel_env.game import Game

LEAST_ROUND, MOST_ROUND = 10, 100  # seeds of a round
OPPONENTS_OF_ROUND = 2
ONE_SIDED_GAMES = 200
"""After so many games, all won or all lost, no more are played: they would hardly tell more."""


@dataclass(frozen=True)
class RatingPlan:
    """How an agent is to be rated.

    Args:
        agent: its spec.
        ladder: ratings of its opponents, Elo points; they are taken as they are. The agent itself is left out.
        interval: wanted half width of the 95% interval, Elo points.
        max_games: a multiple of the seats; no more are played.
        seed: decides all.
        options: the configuration of the game.
        seats: of a game.

    Raises:
        ValueError: no opponent, an interval that is not above 0, or a wrong number of games.
    """

    agent: str
    ladder: Mapping[str, float]
    interval: float = 50.0
    max_games: int = 2000
    seed: int = 1
    options: Mapping[str, Any] | None = None
    seats: int = 2

    def __post_init__(self) -> None:
        if not self.opponents:
            raise ValueError(f"to rate {self.agent} the ladder must have another agent")
        if not 0 < self.interval < np.inf:
            raise ValueError(f"interval must be a number above 0, not {self.interval}")
        self.seeds()

    def seeds(self) -> list[int]:
        """Return the seeds that may be played, each in all rotations of the seats."""
        return seeds_of_match(self.seed, seeds_for(self.seats, self.max_games, "max_games"))

    @property
    def opponents(self) -> dict[str, float]:
        """Opponents and their ratings, weakest first."""
        others = [agent for agent in self.ladder if agent != self.agent]
        return {agent: self.ladder[agent] for agent in sorted(others, key=lambda agent: (self.ladder[agent], agent))}

    def settings(self, game: Game) -> dict[str, Any]:
        """Return what decides which games are played, in JSON's types. More games or a smaller interval go on with those played.

        Raises:
            ValueError: the game has another number of seats.
            OSError: a saved model can't be read.
        """
        check_seats(self.seats, game)
        agents = [self.agent, *self.opponents]
        return settings_of_run(game, "rate", agents, self.seed, self.options, agent=self.agent, ladder=self.opponents)


@dataclass(frozen=True)
class Estimate:
    """The rating of an agent as far as it is known.

    Attributes:
        agent: its spec.
        rating: Elo points.
        low: lower end of the 95% interval, which leaves out how sure the opponents' ratings are; None where games don't bound it.
        high: upper end.
        games: that it played.
        wins: of these, alone in the first place.
        draws: of these, in the first place with others.
        losses: of these, in another place.
        bound: if it came before all others in each game, or after all: the rating is, with 95% confidence, at least or at most
            this; else None.
        seconds_per_decision: wall time of the agent; 0 before the first game.
        opponents: games with each.
    """

    agent: str
    rating: float
    low: float | None
    high: float | None
    games: int
    wins: int
    draws: int
    losses: int
    bound: float | None
    seconds_per_decision: float
    opponents: dict[str, int]

    @property
    def half(self) -> float:
        """Half the width of the interval; infinite if a side is open."""
        return Interval(self.rating, self.low, self.high).half

    def as_dict(self) -> dict[str, Any]:
        """Return it as a plain dictionary, for JSON."""
        return asdict(self)


def estimate(plan: RatingPlan, results: Sequence[GameResult]) -> Estimate:
    """Return what games tell of the agent's rating; none tell what the prior does: the mean of the opponents, very wide."""
    agent, opponents = plan.agent, plan.opponents
    found = fit_one(agent, opponents, results).interval(np.ones(1))
    played = [(result, result.agents.index(agent)) for result in results]
    games, wins = len(played), sum(result.share_won(seat) == 1 for result, seat in played)
    draws = sum(0 < result.share_won(seat) < 1 for result, seat in played)
    seconds = sum(result.seconds[seat] for result, seat in played)
    decided = sum(result.decided[seat] for result, seat in played)
    return Estimate(
        agent=agent,
        rating=found.value,
        low=found.low,
        high=found.high,
        games=games,
        wins=wins,
        draws=draws,
        losses=games - wins - draws,
        bound=_bound(played, opponents),
        seconds_per_decision=seconds / max(decided, 1),
        opponents={other: count for other in opponents if (count := sum(other in r.agents for r in results))},
    )


def _bound(played: Sequence[tuple[GameResult, int]], opponents: Mapping[str, float]) -> float | None:
    """Return the bound of a rating after games in which the agent came before all others, or after all; else None."""
    shares = {result.share_beaten(seat) for result, seat in played}
    if shares not in ({1.0}, {0.0}):
        return None
    met = [(result.seed, opponents[result.agents[other]]) for result, seat in played for other in result.others(seat)]
    return one_sided([rating for _, rating in met], [seed for seed, _ in met], won=shares == {1.0})


def rate(
    game: Game,
    plan: RatingPlan,
    file: ResultsFile,
    jobs: int = 1,
    backend: str = "joblib",
    report: Callable[[Estimate], None] = lambda _: None,
) -> Estimate:
    """Rate an agent, in rounds, until the interval is as narrow as wanted, or the games are used up.

    The first round meets every opponent once; each later one those whose rating is closest, who tell most. The rounds depend on
    the results alone: the same plan plays the same games, whatever the number of processes, interrupted or not.

    Args:
        game: the game.
        plan: what is wanted.
        file: made with ``plan.settings(game)``; games that it holds are not played again.
        jobs: processes; -1 for one a core.
        backend: ``"joblib"`` or ``"ray"``.
        report: called after each game with what is known then.

    Returns:
        the rating. Who has won all of many games, or lost them, is not pursued further: see ``Estimate.bound``.

    Raises:
        ValueError: an unknown agent, a wrong option, or an agent that failed.
        OSError: a saved model can't be read, or the file can't be written.
    """
    seeds = plan.seeds()
    results: list[GameResult] = []
    known = estimate(plan, results)
    used = 0
    while used < len(seeds) and not _is_enough(plan, known):
        fixtures = _round(plan, known, seeds[used:])
        used += len(fixtures) // plan.seats
        missing = [fixture for fixture in fixtures if fixture not in file.results]
        for result in play_fixtures(game, missing, dict(plan.options or {}), jobs, backend):
            file.add(result)
            report(estimate(plan, [*results, *_finished(file, fixtures)]))
        results += _finished(file, fixtures)
        known = estimate(plan, results)
    return known


def _finished(file: ResultsFile, fixtures: Sequence[Fixture]) -> list[GameResult]:
    return [file.results[fixture] for fixture in fixtures if fixture in file.results]


def _is_enough(plan: RatingPlan, known: Estimate) -> bool:
    """Return whether more games are not wanted, or would hardly tell more."""
    if known.bound is not None:
        return known.games >= ONE_SIDED_GAMES
    return known.games > 0 and known.half <= plan.interval


def _round(plan: RatingPlan, known: Estimate, seeds: Sequence[int]) -> list[Fixture]:
    """Return the games of the next round: each seed in all rotations of the agent and as many opponents as there are other seats."""
    opponents, others = list(plan.opponents), plan.seats - 1
    if known.games:
        nearest = sorted(opponents, key=lambda agent: (abs(plan.ladder[agent] - known.rating), agent))
        opponents = nearest[: max(OPPONENTS_OF_ROUND, others)]
        seeds = seeds[: _seeds_of_round(plan, known)]
    else:
        seeds = seeds[: ceil(len(opponents) / others)]
    turns = cycle(opponents)
    line_ups = [(plan.agent, *islice(turns, others)) for _ in seeds]
    return [(seating, seed) for line_up, seed in zip(line_ups, seeds, strict=True) for seating in rotations(line_up)]


def _seeds_of_round(plan: RatingPlan, known: Estimate) -> int:
    """Return the seeds of the next round: a quarter more games, so that few are played beyond what is needed.

    It depends on neither the wanted interval nor the most games, so that a plan that wants more begins with the same rounds.
    """
    return min(max(known.games // (4 * plan.seats), LEAST_ROUND), MOST_ROUND)
