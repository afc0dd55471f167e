"""A finished game as a line of JSON, and back; what can't be a game of the run is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from azul_duel_env.arena.match import seeds_of_match
from azul_duel_env.arena.result import GameResult
from azul_duel_env.game import NOBODY
from azul_duel_env.games import find_game
from azul_duel_env.system.reading import json_from

FIELDS = ("agents", "seed", "scores", "winner", "decisions", "first_player", "decided", "seconds")
RANKS = "ranks"
"""A further field of games with more than two seats."""
LEAST_SEEDS, SEEDS_A_LINE = 100_000, 10
"""So many seeds of a run may occur in its file: the first ones, for games are played seed by seed."""
MOST_SECONDS = 1e12
ANY_NUMBER = 2**31 - 1
"""The most decisions and points of a game that is not told."""
SHOWN = 60  # characters of a line in a message


class NoGameError(ValueError):
    """A line that is no game of the run; the message names the field and what was expected."""


@dataclass(frozen=True)
class Run:
    """What games of a run can be.

    Attributes:
        agents: who plays; None if anybody may.
        seed: what the seeds of its games come from; None if they may be any.
        most_seeds: how many of these may occur.
        most_decisions: of a game.
        most_points: of a player.
        seats: of a game; None: as many as a line has agents.
    """

    agents: tuple[str, ...] | None
    seed: int | None
    most_seeds: int
    most_decisions: int
    most_points: int
    seats: int | None

    @classmethod
    def of(cls, settings: Mapping[str, Any], lines: int) -> Run:
        """Return what games of a file with these settings, and so many lines, can be."""
        game = find_game(settings["game"], settings.get("num_players")) if "game" in settings else None
        most = (game.max_decisions, game.max_points) if game else (ANY_NUMBER, ANY_NUMBER)
        agents = settings.get("agents")
        seeds = max(SEEDS_A_LINE * lines, LEAST_SEEDS)
        return cls(
            None if agents is None else tuple(agents),
            settings.get("seed"),
            seeds,
            *most,
            game.num_players if game else None,
        )

    @property
    def seeds(self) -> frozenset[int] | None:
        """The seeds that its games may have; None for any."""
        return None if self.seed is None else _first_seeds(self.seed, self.most_seeds)


@lru_cache(maxsize=1)
def _first_seeds(seed: int, count: int) -> frozenset[int]:
    return frozenset(seeds_of_match(seed, count))


def as_line(result: GameResult) -> bytes:
    """Return a game as a line of JSON."""
    data = {name: getattr(result, name) for name in FIELDS}
    data["seconds"] = [round(seconds, 6) for seconds in result.seconds]
    return json.dumps(data | ({RANKS: result.ranks} if result.ranks else {})).encode() + b"\n"


def game_from(line: bytes, run: Run) -> GameResult:
    """Return the game that a line holds, without its actions.

    Raises:
        NoGameError: it can't be a game of the run.
    """
    data = object_from(line)
    seats = _seats_of(data) if run.seats is None else run.seats
    names = FIELDS if seats == 2 else (*FIELDS, RANKS)
    for name in {**dict.fromkeys(names), **data}:
        _expect(name in data, f"{name} is missing")
        _expect(name in names, f"there is no field {name!r:.{SHOWN}}: the fields are {', '.join(names)}")
    agents = _for_each_seat(data, "agents", seats, "names", lambda one: isinstance(one, str))
    known = ", ".join(run.agents or ())
    for agent in agents:
        _expect(
            run.agents is None or agent in run.agents, f"agents must be of this run, {known}, not {agent!r:.{SHOWN}}"
        )
    seed = _whole(data, "seed", 0, np.iinfo(np.uint32).max)
    _expect(run.seeds is None or seed in run.seeds, f"seed {seed} is none of the run with seed {run.seed}")
    scores = _for_each_seat(
        data, "scores", seats, f"points from 0 to {run.most_points:,}", lambda one: _is_whole(one, 0, run.most_points)
    )
    decisions = _whole(data, "decisions", 1, run.most_decisions)
    decided = _for_each_seat(data, "decided", seats, "numbers of decisions", lambda one: _is_whole(one, 0, decisions))
    _expect(sum(decided) == decisions, f"decided must sum to the {decisions} decisions, not to {sum(decided)}")
    seconds = _for_each_seat(data, "seconds", seats, "seconds of at least 0", _is_time)
    ranks = () if seats == 2 else _ranks(data, scores)
    winner = _winner(data, scores, ranks)
    first_player = _whole(data, "first_player", NOBODY, seats - 1)
    return GameResult(agents, seed, scores, winner, decisions, (), first_player, decided, seconds, ranks)


def _seats_of(data: dict[str, Any]) -> int:
    """Return how many agents a line names."""
    agents = data.get("agents")
    _expect(isinstance(agents, list) and len(agents) > 1, f"agents must be a list of names, not {agents!r:.{SHOWN}}")
    return len(data["agents"])


def _ranks(data: dict[str, Any], scores: Sequence[int]) -> tuple[int, ...]:
    """Return the places of all seats: who has more points comes first."""
    seats = range(len(scores))
    ranks = _for_each_seat(
        data, RANKS, len(scores), f"places from 1 to {len(scores)}", lambda one: _is_whole(one, 1, len(scores))
    )
    shared = [1 + sum(one < rank for one in ranks) for rank in ranks]
    _expect(list(ranks) == shared, f"ranks must be places, of which equal players share the first, not {list(ranks)}")
    fair = all(ranks[a] < ranks[b] for a in seats for b in seats if scores[a] > scores[b])
    _expect(fair, f"ranks must follow the points {list(scores)}, not {list(ranks)}")
    return ranks


def _winner(data: dict[str, Any], scores: Sequence[int], ranks: Sequence[int]) -> int:
    """Return who won: whoever has most points; several with as many may be parted by the rules."""
    winner = _whole(data, "winner", NOBODY, len(scores) - 1)
    leaders = [seat for seat, points in enumerate(scores) if points == max(scores)]
    _expect(
        len(leaders) > 1 or winner == leaders[0],
        f"winner must be {leaders[0]}, who has more points in {list(scores)}, not {winner}",
    )
    if ranks:
        first = [seat for seat, rank in enumerate(ranks) if rank == 1]
        right = first[0] if len(first) == 1 else NOBODY
        _expect(winner == right, f"winner must be {right}, as the ranks {list(ranks)} have it, not {winner}")
    return winner


def object_from(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line.

    Raises:
        NoGameError: it holds something else; see ``json_from``.
    """
    try:
        data = json_from(line)
    except ValueError as error:
        raise NoGameError(f"expected a game in JSON, not {_shown(line)}: {error}") from None
    _expect(isinstance(data, dict), f"expected a game in JSON, not {_shown(line)}")
    return data


def _shown(line: bytes) -> str:
    return f"{line.decode(errors='replace')!r:.{SHOWN}}"


def _expect(holds: bool, message: str) -> None:
    if not holds:
        raise NoGameError(message)


def _for_each_seat(data: dict[str, Any], name: str, seats: int, what: str, is_right: Any) -> tuple[Any, ...]:
    """Return a field with one value for each seat."""
    values = data[name]
    right = isinstance(values, list) and len(values) == seats and all(is_right(value) for value in values)
    _expect(right, f"{name} must be a list of {seats} {what}, not {values!r:.{SHOWN}}")
    return tuple(values)


def _whole(data: dict[str, Any], name: str, least: int, most: int) -> int:
    """Return a field that holds an integer."""
    value = data[name]
    _expect(
        _is_whole(value, least, most), f"{name} must be an integer from {least} to {most:,}, not {value!r:.{SHOWN}}"
    )
    return value


def _is_whole(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_time(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value < MOST_SECONDS  # type: ignore[operator]
