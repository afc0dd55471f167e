"""The tasks of the benchmark, and its baselines from the files of results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tables import RESULTS, gap_text, rate_text, table

from azul_duel_env.games import find_game

LADDERS = {"duel": ("duel", None), **{f"mini-{number}": ("pavilion_mini", number) for number in (2, 3, 4)}}
"""Task -> game and number of players."""


@dataclass(frozen=True)
class Run:
    """A training run that is a baseline.

    Attributes:
        task: which it solves.
        name: for people.
        file: of its results, below ``configs/results``; it may be still to be run.
        command: reproduces it.
        knows: what is given to it besides the rules.
    """

    task: str
    name: str
    file: str
    command: str
    knows: str


RUNS = (
    Run("duel", "MaskablePPO, shaped", "ppo_quick", "azul-duel train configs/ppo_quick.yaml", "rules of thumb for lines and chips"),
    Run("duel", "MaskablePPO, not shaped", "ppo_quick_unshaped",
        "azul-duel train configs/ppo_quick.yaml --set environment.reward.potential=0 --out runs/ppo_quick_unshaped",
        "rules of thumb for lines and chips"),
    Run("duel", "MaskablePPO, like the next without advice", "ppo_duel_unadvised",
        "azul-duel train configs/ppo_duel.yaml --set environment.advice=null --set 'stages=[{steps: 900000, opponent: greedy}]'"
        " --out runs/ppo_duel_unadvised",
        "rules of thumb for chips, moons and dome tiles put back"),
    Run("duel", "MaskablePPO on advice", "ppo_duel", "azul-duel train configs/ppo_duel.yaml", "greedy's rating of each action"),
    Run("duel", "AlphaZero", "az_duel", "azul train configs/az_duel.yaml", "the rules only"),
    Run("duel", "AlphaZero, after `az_duel`", "az_duel_more", "azul train configs/az_duel_more.yaml", "the rules only"),
    Run("mini-2", "MaskablePPO, shaped", "ppo_mini", "azul-duel train configs/ppo_mini.yaml", "rules of thumb for payments"),
)  # fmt: skip
KNOWS = {
    "random": "nothing",
    "greedy": "a hand-made evaluation",
    "greedy2": "that evaluation, fitted on self-play",
    "mcts": "the rules, and greedy at its leaves",
}
"""Agent or family -> what is given to it besides the rules."""
OPPONENTS = ("against `random`", "against `greedy`")
NETWORKS = {"duel": "greedy's rating of each action", "mini-2": "the rules only"}
"""Task -> what the network that comes with the package was given."""
LEARNT_IN = {"duel": "ppo_duel", "mini-2": "1.6 hours"}
"""Task -> the run that made that network, or how long it learnt, on two cores at most."""


def tasks() -> str:
    rows: list[list[object]] = []
    for task, (name, players) in LADDERS.items():
        game = find_game(name, players)
        given = f", num_players={players}" if players else ""
        data = ladder_of(task)
        options = ", ".join(f"`{option}={_text(value)}`" for option, value in data["options"].items())
        opponents = ", ".join(f"`{agent}`" for agent in data["agents"])
        rows.append([f"`{task}`", f'{game.title}: `find_game("{name}"{given})`', game.num_players, options, opponents])
    return table(["task", "game", "players", "options", "agents of its ladder, weakest first"], rows)


def _text(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def ladder_of(task: str) -> dict[str, Any]:
    name, players = LADDERS[task]
    ladder = find_game(name, players).ladder
    assert ladder is not None
    return json.loads(ladder.read_text(encoding="utf-8"))


def read_run(run: Run) -> dict[str, Any] | None:
    """Return the results of a run, or None if it is still to be run."""
    path = RESULTS / f"{run.file}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _span(seconds: float) -> str:
    """Return minutes up to two hours, else hours."""
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def _rate(played: dict[str, Any] | None) -> str:
    return "" if played is None else f"{rate_text(played)} of {played['games']}"


def _trained() -> Iterator[list[object]]:
    for run in RUNS:
        found = read_run(run)
        command = f"`{run.command}`"
        if found is None:
            yield [f"`{run.task}`", run.name, run.knows, "not run yet", "", "", "", command]
            continue
        steps, final = found["evaluations"][-1]["steps"], found["final"]
        minutes = _span(found["seconds"])
        rates = [_rate(final.get(name)) for name in ("random", "greedy")]
        yield [f"`{run.task}`", run.name, run.knows, f"{steps:,}", minutes, *rates, command]


def _against(task: str, agent: str, opponent: str) -> dict[str, Any] | None:
    """Return the games of a pair on the ladder, as the first of them sees them."""
    for match in ladder_of(task)["matches"]:
        if (match["agent"], match["opponent"]) == (agent, opponent):
            return match
        if (match["agent"], match["opponent"]) == (opponent, agent):
            low, high = 1 - match["win_rate_high"], 1 - match["win_rate_low"]
            return match | {"win_rate": 1 - match["win_rate"], "win_rate_low": max(0.0, low), "win_rate_high": high}
    return None


def _knows(task: str, agent: str) -> str:
    if agent.startswith("network"):
        return NETWORKS[task]
    return KNOWS[agent.partition(":")[0]]


def _learnt_in(task: str, agent: str) -> str:
    """Return how long an agent learnt; nothing for those that didn't."""
    if not agent.startswith("network"):
        return ""
    for run in RUNS:
        if run.file == LEARNT_IN[task] and (found := read_run(run)):
            return _span(found["seconds"])
    return LEARNT_IN[task]


def _playing() -> Iterator[list[object]]:
    for task, (_, players) in LADDERS.items():
        for row in ladder_of(task)["ratings"]:
            agent = row["agent"]
            played = "" if players in (3, 4) else _rate(_against(task, agent, "greedy"))
            milliseconds = f"{1000 * row['seconds_per_decision']:.3g}"
            yield [
                f"`{task}`",
                f"`{agent}`",
                _knows(task, agent),
                f"{row['rating']:.0f}",
                gap_text(row),
                _learnt_in(task, agent),
                milliseconds,
                played,
            ]


def baselines() -> str:
    trained = table(
        ["task", "learner", "given besides the rules", "decisions", "wall time", *OPPONENTS, "command"],
        list(_trained()),
    )  # fmt: skip
    playing = table(
        ["task", "agent", "given besides the rules", "rating", "above the next", "learnt in", "ms a decision", OPPONENTS[1]],
        list(_playing()),
    )  # fmt: skip
    return f"### Learners\n\n{trained}\n\n### Agents on the ladders\n\n{playing}"


def short_baselines() -> str:
    """Return the baselines of Azul Duel in a few rows."""
    rated = {row["agent"]: row for row in ladder_of("duel")["ratings"]}
    rows: list[list[object]] = []
    for agent in ("random", "greedy", "greedy2", "mcts:200", "network+mcts:200"):
        row = rated[agent]
        rates = [_won(agent, opponent) for opponent in ("random", "greedy")]
        milliseconds = f"{1000 * row['seconds_per_decision']:.2g}"
        rows.append([f"`{agent}`", _learnt_in("duel", agent), milliseconds, *rates, f"{row['rating']:.0f}"])
    for run in RUNS:
        found = read_run(run)
        if found and run.task == "duel":
            learnt = f"{_span(found['seconds'])}, {found['evaluations'][-1]['steps'] / 1e6:.1f} million decisions"
            rating = f"{rated['network']['rating']:.0f}" if run.file == "ppo_duel" else ""
            rates = [_rate(found["final"].get(name)) for name in ("random", "greedy")]
            rows.append([f"{run.name}: `{run.file}`", learnt, "", *rates, rating])
    return table(
        ["Azul Duel", "learnt in", "ms a decision", "won against `random`", "won against `greedy`", "Elo"], rows
    )


def _won(agent: str, opponent: str) -> str:
    """Return how often an agent won in a match of its own, or else on the ladder."""
    path = RESULTS / f"{agent.replace('+', '_').replace(':', '_')}_{opponent}.json"
    if path.exists():
        [played] = json.loads(path.read_text(encoding="utf-8"))
        return _rate(played)
    return _rate(_against("duel", agent, opponent))
