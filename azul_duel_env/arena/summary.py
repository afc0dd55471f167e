"""What came out of a match between two agents, alone at a table or among others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from azul_duel_env.arena.intervals import mean_interval, rate_interval
from azul_duel_env.arena.result import GameResult


@dataclass(frozen=True)
class Summary:
    """Games of two agents from the first one's side. In games of several, all that is said is about these two.

    Attributes:
        agent, opponent: specs.
        games, wins, draws, losses: of the agent. A win is to come before the opponent, a draw to share a place; a game where one of them
            has several seats counts once for each two seats.
        win_rate: wins and half the draws, over games.
        win_rate_low, win_rate_high: 95% interval of it; see ``intervals.rate_interval``.
        score_mean, score_sd: of the agent's own points.
        opponent_score_mean, opponent_score_sd: of the opponent's.
        margin_mean, margin_low, margin_high: agent's points less the opponent's, with a 95% interval over seeds; None for less than
            two seeds.
        first_seat_win_rate: how often the seat of player_0 won, whoever sat there; a shared first place counts in parts.
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
    """Summarise how the first of two agents did against the second, from games of both in any order.

    Raises:
        ValueError: no game was finished.
    """
    met = list(_meetings(agents, results))
    if not met:
        raise ValueError("no game was finished: there is nothing to summarise")
    own = np.array([result.scores[seat] for result, seat, _ in met], float)
    theirs = np.array([result.scores[other] for result, _, other in met], float)
    points = np.array([result.points(seat, other) for result, seat, other in met])
    seeds = [result.seed for result, _, _ in met]
    low, high = rate_interval(points, seeds)
    margin_low, margin_high = mean_interval(own - theirs, seeds)
    return Summary(
        agent=agents[0],
        opponent=agents[1],
        games=len(met),
        wins=int((points == 1).sum()),
        draws=int((points == 0.5).sum()),
        losses=int((points == 0).sum()),
        win_rate=float(points.sum()) / len(met),
        win_rate_low=low,
        win_rate_high=high,
        score_mean=float(own.mean()),
        score_sd=float(own.std()),
        opponent_score_mean=float(theirs.mean()),
        opponent_score_sd=float(theirs.std()),
        margin_mean=float((own - theirs).mean()),
        margin_low=margin_low,
        margin_high=margin_high,
        first_seat_win_rate=sum(result.share_won(0) for result in results) / len(results),
        decisions_mean=float(np.mean([result.decisions for result in results])),
    )


def _meetings(agents: Sequence[str], results: Sequence[GameResult]) -> Iterator[tuple[GameResult, int, int]]:
    """Yield each game with a seat of the first agent and one of the second; against itself it takes turns."""
    agent, opponent = agents
    for number, result in enumerate(results):
        if agent == opponent:
            seat = number % len(result.agents)
            yield from ((result, seat, other) for other in result.others(seat))
        else:
            for seat in result.seats_of(agent):
                yield from ((result, seat, other) for other in result.seats_of(opponent))


def summaries_of(agents: Sequence[str], results: Sequence[GameResult]) -> list[Summary]:
    """Summarise games of any line-ups: each two agents that met, the earlier one first; an agent alone against itself."""
    different = list(dict.fromkeys(agents))
    pairs = [(a, b) for i, a in enumerate(different) for b in different[i + 1 :]]
    together = [(pair, _of_all(pair, results)) for pair in pairs or [(different[0], different[0])]]
    return [summarise(pair, games) for pair, games in together if games]


def _of_all(agents: Sequence[str], results: Sequence[GameResult]) -> list[GameResult]:
    """Return the games in which all of these agents sit."""
    return [result for result in results if set(agents) <= set(result.agents)]
