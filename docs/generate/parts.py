"""The generated parts of README.md and of the pages: each stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import benchmark
import command_reference
import games
import libraries
import results
import specs
from tables import PAGES, ROOT

from azul_duel_env.games.duel import GAME

README = ROOT / "README.md"
PARTS: dict[str, Callable[[], str]] = {
    "games": games.table_of_games,
    "files of a game": games.files_of_a_game,
    "levels": games.levels,
    "rewards": specs.rewards,
    "rulings": games.rulings,
    "quick": partial(results.training, "ppo_quick"),
    "duel": partial(results.training, "ppo_duel"),
    "mini": partial(results.training, "ppo_mini"),
    "agents": partial(specs.agents, GAME),
    "ladder": partial(results.ladder, "duel"),
    "mini ladder": partial(results.ladder, "pavilion_mini"),
    "mini ladder of 3": partial(results.ladder, "pavilion_mini", 3),
    "mini ladder of 4": partial(results.ladder, "pavilion_mini", 4),
    "scaling of duel": partial(results.scaling, "duel"),
    "scaling of mini": partial(results.scaling, "pavilion_mini"),
    "statistics": results.statistics,
    "strongest": results.strongest,
    "board": results.board,
    "analysis": results.analysis,
    "speed": results.speed,
    "commands": command_reference.summary,
    "command reference": command_reference.reference,
    "tasks": benchmark.tasks,
    "baselines": benchmark.baselines,
    "short baselines": benchmark.short_baselines,
    "glue": libraries.glue,
    "libraries": libraries.overview,
    "speed of libraries": libraries.speeds,
}
_PART = re.compile(r"<!-- begin ([\w ]+) -->\n.*?<!-- end \1 -->", re.DOTALL)
_part = cache(lambda name: PARTS[name]())


def names_in(text: str) -> list[str]:
    """Return the names of the generated parts of a text."""
    return re.findall(r"<!-- begin ([\w ]+) -->", text)


def filled(text: str) -> str:
    """Return a text with every part of it generated anew.

    Raises:
        KeyError: there is no part of such a name.
        ValueError: a part begins that doesn't end.
    """
    found = [match[1] for match in _PART.finditer(text)]
    if found != names_in(text):
        raise ValueError(f"parts that don't end: {sorted(set(names_in(text)) - set(found))}")
    return _PART.sub(lambda match: f"<!-- begin {match[1]} -->\n\n{_part(match[1])}\n\n<!-- end {match[1]} -->", text)


def texts() -> list[Path]:
    """Return README and all pages that are written by hand."""
    return [README, *sorted(PAGES.rglob("*.md"))]


def written() -> dict[Path, str]:
    """Return every file as it should be: README and pages with their parts, and the specification of every game."""
    return {path: filled(path.read_text(encoding="utf-8")) for path in texts()} | specs.written()
