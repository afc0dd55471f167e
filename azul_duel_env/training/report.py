"""A training run in the terminal: a progress bar, a line for each evaluation, a table at the end."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from azul_duel_env.training.folder import Listener
from azul_duel_env.training.progress import NOT_OPPONENTS
from azul_duel_env.training.progress import Progress as RunProgress


class Reporter(Listener):
    """Shows a run as it goes on.

    Args:
        console: where.
        num_players: of the game.
    """

    def __init__(self, console: Console, num_players: int) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}/{task.total:,}"))
        times = (TextColumn("{task.fields[note]}"), TimeElapsedColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, *times, console=console, transient=True)
        self._console = console
        self._rate = "wins against" if num_players == 2 else "came before"
        self._task: TaskID | None = None
        self._seen: tuple[float, int] = (time.monotonic(), 0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def phase(self, name: str, done: int, total: int) -> None:
        """Begin a bar of its own."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(name, total=total, completed=done, note="")
        self._seen = (time.monotonic(), done)
        if not self._bar.console.is_terminal:
            self._console.print(f"{name}: {done:,} of {total:,}", highlight=False)

    def steps(self, done: int, note: str = "") -> None:
        """Move the bar, with steps a second."""
        if self._task is None:
            return
        spent = time.monotonic() - self._seen[0]
        speed = f"{(done - self._seen[1]) / spent:,.0f}/s " if done > self._seen[1] and spent > 0 else ""
        self._bar.update(self._task, completed=done, note=f"{speed}{note}")

    def evaluated(self, evaluation: dict[str, Any]) -> None:
        """Print a line above the bar."""
        results = [
            f"{opponent} {result['win_rate']:.0%} ({result['score_mean']:.1f} : {result['opponent_score_mean']:.1f})"
            for opponent, result in evaluation.items()
            if opponent not in NOT_OPPONENTS
        ]
        self._console.print(
            f"{evaluation['steps']:>11,} steps, {evaluation['seconds']:,.0f} s: {self._rate} " + ", ".join(results),
            highlight=False,
        )


def results(progress: RunProgress, num_players: int) -> Table:
    """Return the last evaluation of a run as a table. Of more than two players, the rate is how often the learner came before another."""
    rate_name = "win rate" if num_players == 2 else "came before"
    table = Table(
        title=f"after {progress.seconds / 60:.1f} minutes", caption="rates count draws half; intervals are 95%"
    )
    for column in ("opponent", "games", rate_name, "score", "opponent's", "margin"):
        table.add_column(column, justify="left" if column == "opponent" else "right")
    for opponent, s in progress.final.items():
        rate = f"{s['win_rate']:.1%} [{s['win_rate_low']:.1%}, {s['win_rate_high']:.1%}]"
        scores = [f"{s['score_mean']:.1f} ± {s['score_sd']:.1f}"]
        scores += [f"{s['opponent_score_mean']:.1f} ± {s['opponent_score_sd']:.1f}", f"{s['margin_mean']:+.1f}"]
        table.add_row(opponent, str(s["games"] // (num_players - 1)), rate, *scores)
    return table
