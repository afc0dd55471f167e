"""How an agent plays: games against itself, and where its points come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from azul_duel_env.arena.ratings import first_player_advantage
from azul_duel_env.arena.result import GameResult
from azul_duel_env.game import NOBODY, Game


@dataclass(frozen=True)
class Bonus:
    """What may score at the end, such as a scoring tile, over the boards of all games in which it was in play.

    Attributes:
        boards: how many.
        reached: share of them on which it gave points; of one that only takes points, on which it took none.
        points_mean: what it gave.
    """

    boards: int
    reached: float
    points_mean: float


@dataclass(frozen=True)
class Statistics:
    """An agent's play against itself.

    Attributes:
        agent: its spec.
        games: games; all boards of each count.
        decisions_mean: decisions a game, of all players.
        decisions_sd: standard deviation of that.
        score_mean: points of a board at the end.
        score_sd: standard deviation of that.
        start: points that everybody starts with.
        points: mean points of a board by source; with ``start`` they sum to ``score_mean``.
        bonuses: by name; those that were in play.
        bonus: what one of them is called.
        draws: share of games that nobody won alone.
        first_player: how often whoever began round 1 won, shared wins in parts, and its 95% interval; None for fewer than two games.
    """

    agent: str
    games: int
    decisions_mean: float
    decisions_sd: float
    score_mean: float
    score_sd: float
    start: int
    points: dict[str, float]
    bonuses: dict[str, Bonus]
    draws: float
    first_player: tuple[float, float, float] | None
    bonus: str = "bonus"

    def as_dict(self) -> dict[str, Any]:
        """Return it as a plain dictionary, for JSON; the bonuses under what they are called, such as ``scoring_tiles``."""
        found = asdict(self)
        one = found.pop("bonus").replace(" ", "_")
        names = f"{one}{'es' if one.endswith('s') else 's'}"
        return {names if name == "bonuses" else name: value for name, value in found.items()}


def statistics_of(game: Game, agent: str, results: Sequence[GameResult], options: dict[str, Any]) -> Statistics:
    """Replay games of an agent against itself and count.

    Args:
        game: the game.
        agent: its spec.
        results: games with their actions.
        options: the configuration with which they were played.

    Raises:
        ValueError: no game.
    """
    if not results:
        raise ValueError("no game was finished: there is nothing to count")
    breakdown = game.breakdown
    names = breakdown.bonuses
    books, in_play, points = [], [], []
    for result in results:
        states, book = _replay(game, result, options)
        books.append(book)
        for player in range(game.num_players):
            given = np.zeros(len(names), np.int64)
            breakdown.bonus_points(states, 0, player, given)
            points.append(given)
            in_play.append(breakdown.bonuses_in_play(states, 0))
    scores = np.array([result.scores for result in results], float)
    decisions = np.array([result.decisions for result in results], float)
    by_source = np.mean(np.concatenate(books), axis=0)
    return Statistics(
        agent=agent,
        games=len(results),
        decisions_mean=float(decisions.mean()),
        decisions_sd=float(decisions.std()),
        score_mean=float(scores.mean()),
        score_sd=float(scores.std()),
        start=breakdown.start,
        points=dict(zip(breakdown.sources, by_source.tolist(), strict=True)),
        bonuses=_bonuses(names, np.array(in_play), np.array(points)),
        draws=float(np.mean([result.winner == NOBODY for result in results])),
        first_player=first_player_advantage(results),
        bonus=breakdown.bonus,
    )


def _replay(game: Game, result: GameResult, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the end of a game, and the points of each player by source."""
    states = game.new(result.seed, **{**options, "explicit_chance": False}).states
    book = np.zeros((game.num_players, len(game.breakdown.sources)), np.int64)
    for action in result.actions:
        game.breakdown.carry_out(states, 0, action, book)
    return states, book


def _bonuses(names: Sequence[str], in_play: Any, points: Any) -> dict[str, Bonus]:
    """Return what each bonus gave where it was in play."""
    found = {}
    for place, name in enumerate(names):
        given = points[in_play[:, place], place]
        if len(given):
            only_takes = points[:, place].max() <= 0 and points[:, place].min() < 0
            reached = float(np.mean(given >= 0 if only_takes else given > 0))
            found[name] = Bonus(len(given), reached, float(given.mean()))
    return found
