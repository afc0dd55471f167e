"""The ladder: a field of agents that play each other, and what comes out as ratings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from azul_duel_env.agents.table import runs_code
from azul_duel_env.arena.external_agents import digest_of
from azul_duel_env.arena.match import Fixture, fixtures_of_match, line_ups, play_fixtures
from azul_duel_env.arena.ratings import PRIOR_SD, Rating, anchor_of, first_player_advantage, rate_field
from azul_duel_env.arena.result import GameResult
from azul_duel_env.arena.results_file import ResultsFile, package_version
from azul_duel_env.arena.summary import Summary, summarise
from azul_duel_env.game import Game
from azul_duel_env.games import find_game
from azul_duel_env.system.reading import read_json

FARTHEST = 1e5
"""Elo points: no rating is farther from 0."""


@dataclass(frozen=True)
class Ladder:
    """Who plays whom, and how often.

    Args:
        agents: specs, each once, at least two; weakest first where ``reach`` is given.
        games: of each line-up, a multiple of the seats: each seed is played in all rotations of the seats.
        seed: decides all. All line-ups play the same seeds.
        reach: how far apart in the list two agents may stand to meet; None for all. Agents far apart cost as much as neighbours and
            tell less.
        options: the configuration of the game.
        seats: of a game: each number of players has a ladder of its own.

    Raises:
        ValueError: fewer than two agents, one twice, a number of games that is no multiple of the seats, a reach so short that nobody
            meets, or a negative seed.
    """

    agents: tuple[str, ...]
    games: int
    seed: int
    reach: int | None = None
    options: Mapping[str, Any] | None = None
    seats: int = 2

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise ValueError(f"a ladder needs at least two agents, not {', '.join(self.agents) or 'none'}")
        least = min(self.seats, len(self.agents)) - 1
        if self.reach is not None and self.reach < least:
            raise ValueError(f"reach must be at least {least}, or None for all, not {self.reach}")
        self.fixtures()

    def line_ups(self) -> list[tuple[str, ...]]:
        """Return who sits together at a table."""
        place = {agent: i for i, agent in enumerate(self.agents)}
        reach = len(self.agents) if self.reach is None else self.reach
        return [one for one in line_ups(self.agents, self.seats) if place[one[-1]] - place[one[0]] <= reach]

    def pairs(self) -> list[tuple[str, str]]:
        """Return each two agents that meet in a line-up, in the order of the list."""
        met = [frozenset(line_up) for line_up in self.line_ups()]
        return [pair for pair in combinations(self.agents, 2) if any(one.issuperset(pair) for one in met)]

    def fixtures(self) -> list[Fixture]:
        """Return all games, seed by seed, so that an interrupted ladder has as many of each line-up."""
        matches = [fixtures_of_match(line_up, self.games, self.seed) for line_up in self.line_ups()]
        firsts = range(0, self.games, self.seats)
        return [fixture for at in firsts for match in matches for fixture in match[at : at + self.seats]]

    def settings(self, game: Game) -> dict[str, Any]:
        """Return what decides the results, in JSON's types. More games of the same seed go on with those played.

        Raises:
            ValueError: the game has another number of seats.
            OSError: a saved model can't be read.
        """
        check_seats(self.seats, game)
        return settings_of_run(game, "ladder", self.agents, self.seed, self.options)


def check_seats(seats: int, game: Game) -> None:
    """Check that a run is planned for as many seats as the game has.

    Raises:
        ValueError: it isn't.
    """
    if seats != game.num_players:
        raise ValueError(f"seats must be {game.num_players}, the players of {game.title}, not {seats}")


def settings_of_run(
    game: Game, kind: str, agents: Sequence[str], seed: int, options: Mapping[str, Any] | None, **others: Any
) -> dict[str, Any]:
    """Return what decides the results of a run, in JSON's types; a saved model counts by what it holds.

    The number of players is told where the game has several.

    Raises:
        OSError: a saved model can't be read.
    """
    models = {agent: digest for agent in agents if (digest := digest_of(game, agent)) is not None}
    settings = {"kind": kind, "game": game.id, "agents": sorted(agents), "seed": seed, "options": dict(options or {})}
    return json.loads(json.dumps({**settings, **game.players_option, "models": models, **others}))


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
        first_player: how often whoever began round 1 won, shared wins in parts, and its 95% interval; None if it is not known.
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
        games = [result for result in finished if set(result.agents) >= set(pair)]
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
        ValueError: there is no such file, or it holds something else, or the ladder of another game or number of players.
    """
    path = game.ladder if file is None else file
    if path is None or not path.exists():
        what = f"there is no ladder at {path}" if file else f"no ladder comes with {game.full_title}"
        raise ValueError(f"{what}: play one with azul-duel ladder --json FILE, and give it with --ladder FILE")
    try:
        data = read_json(path)
        ratings = {str(entry["agent"]): float(entry["rating"]) for entry in data["ratings"]}
        if not all(abs(rating) <= FARTHEST for rating in ratings.values()) or not isinstance(data["options"], dict):
            raise TypeError
        options, played = (
            data["options"],
            (data.get("game", game.id), data.get("num_players", find_game(game.id).num_players)),
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        raise ValueError(f"{path} is no ladder: expected a file that azul-duel ladder --json wrote") from None
    if played != (game.id, game.num_players):
        found = f"{played[0]!s:.40} for {played[1]!s:.40} players"
        raise ValueError(f"{path} is a ladder of {found}, not of {game.id} for {game.num_players}")
    return KnownRatings(ratings, options)
