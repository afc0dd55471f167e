"""The ladder: a field of agents that play each other, and what comes out as ratings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from azul_duel_env.agents.table import runs_code
from azul_duel_env.arena.external_agents import digest_of
from azul_duel_env.arena.match import (
    Fixture,
    GameResult,
    Summary,
    fixtures_of_match,
    pairings,
    play_fixtures,
    summarise,
)
from azul_duel_env.arena.ratings import PRIOR_SD, Rating, anchor_of, first_player_advantage, rate_field
from azul_duel_env.arena.results_file import ResultsFile, package_version
from azul_duel_env.game import Game
from azul_duel_env.system.reading import read_json

STANDARD = ("random", "greedy", "network", "greedy2", "mcts:50", "mcts:200", "mcts:1000", "network+mcts:200")
"""The standard ladder, weakest first."""

FARTHEST = 1e5
"""Elo points: no rating is farther from 0."""


@dataclass(frozen=True)
class Ladder:
    """Who plays whom, and how often.

    Args:
        agents: specs, each once, at least two; weakest first where ``reach`` is given.
        games: of each pair, an even number: each seed is played with both seatings.
        seed: decides all. All pairs play the same seeds.
        reach: how far apart in the list two agents may stand to meet; None for all pairs. Pairs far apart cost as much as
            neighbours and tell less.
        options: the configuration of the game.

    Raises:
        ValueError: fewer than two agents, one twice, an odd number of games, a reach below 1, or a negative seed.
    """

    agents: tuple[str, ...]
    games: int
    seed: int
    reach: int | None = None
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise ValueError(f"a ladder needs at least two agents, not {', '.join(self.agents) or 'none'}")
        if self.reach is not None and self.reach < 1:
            raise ValueError(f"reach must be at least 1, or None for all pairs, not {self.reach}")
        self.fixtures()

    def pairs(self) -> list[tuple[str, str]]:
        """Return who meets whom."""
        place = {agent: i for i, agent in enumerate(self.agents)}
        reach = len(self.agents) if self.reach is None else self.reach
        return [(a, b) for a, b in pairings(self.agents) if place[b] - place[a] <= reach]

    def fixtures(self) -> list[Fixture]:
        """Return all games, seed by seed, so that an interrupted ladder has as many of each pair."""
        matches = [fixtures_of_match(pair, self.games, self.seed) for pair in self.pairs()]
        return [match[at + i] for at in range(0, self.games, 2) for match in matches for i in range(2)]

    def settings(self, game: Game) -> dict[str, Any]:
        """Return what decides the results, in JSON's types. More games of the same seed go on with those played."""
        return settings_of_run(game, "ladder", self.agents, self.seed, self.options)


def settings_of_run(
    game: Game, kind: str, agents: Sequence[str], seed: int, options: Mapping[str, Any] | None, **others: Any
) -> dict[str, Any]:
    """Return what decides the results of a run, in JSON's types; a saved model counts by what it holds.

    Raises:
        OSError: a saved model can't be read.
    """
    models = {agent: digest for agent in agents if (digest := digest_of(game, agent)) is not None}
    settings = {"kind": kind, "game": game.id, "agents": sorted(agents), "seed": seed, "options": dict(options or {})}
    return json.loads(json.dumps({**settings, "models": models, **others}))


def play_ladder(
    game: Game, ladder: Ladder, file: ResultsFile, jobs: int = 1, backend: str = "joblib"
) -> Iterator[GameResult]:
    """Play what a file of games lacks of a ladder; each finished game goes into the file, then is yielded.

    Args:
        game: the game.
        ladder: what to play.
        file: made with ``ladder.settings(game)``.
        jobs: processes; -1 for one a core.
        backend: ``"joblib"`` or ``"ray"``.

    Raises:
        ValueError: an unknown agent, a wrong option, or an agent that failed.
        OSError: a saved model can't be read, or the file can't be written.
    """
    missing = [fixture for fixture in ladder.fixtures() if fixture not in file.results]
    for result in play_fixtures(game, missing, dict(ladder.options or {}), jobs, backend):
        file.add(result)
        yield result


@dataclass(frozen=True)
class Standings:
    """What came out of a ladder.

    Attributes:
        anchor: the agent whose rating is 0.
        ratings: strongest first.
        first_player: how often whoever began round 1 won, draws half, and its 95% interval; None if it is not known.
        matches: each pair, from the side of the agent listed first.
        missing: games that were to be played and are not there.
    """

    anchor: str
    ratings: list[Rating]
    first_player: tuple[float, float, float] | None
    matches: list[Summary]
    missing: int

    def as_dict(self, game: Game, ladder: Ladder) -> dict[str, Any]:
        """Return it as a plain dictionary, for JSON."""
        return {
            "version": package_version(),
            **ladder.settings(game),
            "agents": list(ladder.agents),
            "games_of_a_pair": ladder.games,
            "reach": ladder.reach,
            "missing_games": self.missing,
            "anchor": self.anchor,
            "prior_sd": PRIOR_SD,
            "ratings": [rating.as_dict() for rating in self.ratings],
            "first_player": dict(zip(("win_rate", "low", "high"), self.first_player, strict=True))
            if self.first_player
            else None,
            "matches": [match.as_dict() for match in self.matches],
        }


def standings_of(ladder: Ladder, results: Mapping[Fixture, GameResult]) -> Standings:
    """Rate the agents of a ladder from the games that are finished, all or not.

    Raises:
        ValueError: an agent has not finished a game.
    """
    wanted = ladder.fixtures()
    finished = [results[fixture] for fixture in wanted if fixture in results]
    ratings = rate_field(ladder.agents, finished)
    matches = []
    for pair in ladder.pairs():
        games = [result for result in finished if set(result.agents) == set(pair)]
        if games:
            matches.append(summarise(pair, games))
    advantage = first_player_advantage(finished)
    return Standings(anchor_of(ladder.agents), ratings, advantage, matches, len(wanted) - len(finished))


@dataclass(frozen=True)
class KnownRatings:
    """Ratings to measure others by.

    Attributes:
        ratings: Elo points by agent.
        options: the configuration of the game that they hold for.
    """

    ratings: dict[str, float]
    options: dict[str, Any]

    def against(self, game: Game, agents: Sequence[str] | None) -> dict[str, float]:
        """Return the ratings of some agents; of all for None, if none of them runs code of its own: a ladder may come from anybody.

        Raises:
            ValueError: one of them is not there, or runs code and was not named.
        """
        unknown = [agent for agent in agents or () if agent not in self.ratings]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not on the ladder: there are {', '.join(self.ratings)}")
        unnamed = [agent for agent in self.ratings if runs_code(game, agent)] if not agents else []
        if unnamed:
            raise ValueError(f"{unnamed[0]!r} on the ladder runs code of its own: name the opponents, --against AGENT")
        return {agent: self.ratings[agent] for agent in agents or self.ratings}


def read_ladder(game: Game, file: Path | None = None) -> KnownRatings:
    """Return ratings from a file that ``azul-duel ladder --json`` wrote; None for the one that comes with the game.

    Raises:
        ValueError: there is no such file, or it holds something else.
    """
    path = game.ladder if file is None else file
    if path is None or not path.exists():
        what = f"there is no ladder at {path}" if file else "this installation has no reference ladder"
        raise ValueError(f"{what}: play one with azul-duel ladder --json FILE, and give it with --ladder FILE")
    try:
        data = read_json(path)
        ratings = {str(entry["agent"]): float(entry["rating"]) for entry in data["ratings"]}
        if not all(abs(rating) <= FARTHEST for rating in ratings.values()) or not isinstance(data["options"], dict):
            raise TypeError
        return KnownRatings(ratings, data["options"])
    except (ValueError, KeyError, TypeError, OverflowError):
        raise ValueError(f"{path} is no ladder: expected a file that azul-duel ladder --json wrote") from None
