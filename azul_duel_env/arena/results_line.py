"""A finished game as a line of JSON, and back; what can't be a game of the run is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from azul_duel_env.arena.match import GameResult, seeds_of_match
from azul_duel_env.game import NOBODY
from azul_duel_env.games import find_game
from azul_duel_env.system.reading import json_from

SEATS = 2
FIELDS = ("agents", "seed", "scores", "winner", "decisions", "first_player", "decided", "seconds")
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
    """

    agents: tuple[str, ...] | None
    seed: int | None
    most_seeds: int
    most_decisions: int
    most_points: int

    @classmethod
    def of(cls, settings: Mapping[str, Any], lines: int) -> Run:
        """Return what games of a file with these settings, and so many lines, can be."""
        game = find_game(settings["game"]) if "game" in settings else None
        most = (game.max_decisions, game.max_points) if game else (ANY_NUMBER, ANY_NUMBER)
        agents = settings.get("agents")
        seeds = max(SEEDS_A_LINE * lines, LEAST_SEEDS)
        return cls(None if agents is None else tuple(agents), settings.get("seed"), seeds, *most)

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
    return json.dumps({**data, "seconds": [round(seconds, 6) for seconds in result.seconds]}).encode() + b"\n"


def game_from(line: bytes, run: Run) -> GameResult:
    """Return the game that a line holds, without its actions.

    Raises:
        NoGameError: it can't be a game of the run.
    """
    data = object_from(line)
    for name in {**dict.fromkeys(FIELDS), **data}:
        _expect(name in data, f"{name} is missing")
        _expect(name in FIELDS, f"there is no field {name!r:.{SHOWN}}: the fields are {', '.join(FIELDS)}")
    agents = _for_each_seat(data, "agents", "names", lambda one: isinstance(one, str))
    known = ", ".join(run.agents or ())
    for agent in agents:
        _expect(
            run.agents is None or agent in run.agents, f"agents must be of this run, {known}, not {agent!r:.{SHOWN}}"
        )
    seed = _whole(data, "seed", 0, np.iinfo(np.uint32).max)
    _expect(run.seeds is None or seed in run.seeds, f"seed {seed} is none of the run with seed {run.seed}")
    scores = _for_each_seat(
        data, "scores", f"points from 0 to {run.most_points:,}", lambda one: _is_whole(one, 0, run.most_points)
    )
    decisions = _whole(data, "decisions", 1, run.most_decisions)
    decided = _for_each_seat(data, "decided", "numbers of decisions", lambda one: _is_whole(one, 0, decisions))
    _expect(sum(decided) == decisions, f"decided must sum to the {decisions} decisions, not to {sum(decided)}")
    seconds = _for_each_seat(data, "seconds", "seconds of at least 0", _is_time)
    winner = _whole(data, "winner", NOBODY, SEATS - 1)
    best = scores.index(max(scores))
    _expect(
        scores[0] == scores[1] or winner == best,
        f"winner must be {best}, who has more points in {list(scores)}, not {winner}",
    )
    first_player = _whole(data, "first_player", NOBODY, SEATS - 1)
    return GameResult(agents, seed, scores, winner, decisions, (), first_player, decided, seconds)


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


def _for_each_seat(data: dict[str, Any], name: str, what: str, is_right: Any) -> tuple[Any, ...]:
    """Return a field with one value for each seat."""
    values = data[name]
    right = isinstance(values, list) and len(values) == SEATS and all(is_right(value) for value in values)
    _expect(right, f"{name} must be a list of {SEATS} {what}, not {values!r:.{SHOWN}}")
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
