"""What the commands share: consoles, options, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from azul_duel_env.cli.output import Terminal, write_out
from azul_duel_env.system.reading import read_text, user_path
from azul_duel_env.system.signals import deferred

if TYPE_CHECKING:
    from azul_duel_env.arena import Summary
    from azul_duel_env.arena.game_file import Record
    from azul_duel_env.game import Game


Result = TypeVar("Result")

console = Terminal()
errors = Terminal(stderr=True, soft_wrap=True, markup=False, emoji=False)  # file names stay whole


class Backend(StrEnum):
    """Where games are played."""

    joblib = "joblib"
    ray = "ray"


AGENT_SPECS = (
    "[bold]random[/], [bold]greedy[/], [bold]network[/], [bold]mcts:400[/], [bold]network+mcts:400[/], network:PATH of an exported one; "
    "sb3:PATH of a saved MaskablePPO, module:function and text:module:function, which answers in words, run code from there, so name only "
    "what you trust"
)
Seed = Annotated[int, typer.Option(help="Decides everything; the result doesn't depend on --jobs and --backend.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for one a core.")]
Where = Annotated[Backend, typer.Option("--backend", help="Processes of this machine, or a Ray cluster (RAY_ADDRESS).")]
Out = Annotated[
    Path | None,
    typer.Option(help="Keep finished games in this file; the same command goes on where it was interrupted."),
]
GameFile = Annotated[
    Path, typer.Argument(help="A game file, as [bold]azul-duel tournament --save FOLDER[/] writes it.")
]
Json = Annotated[Path | None, typer.Option("--json", help="Write the result as JSON; - for standard output.")]


def at_home(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for which ``~`` in all paths is the user's home: the shell leaves it as it is in ``--out=~/x``."""

    @wraps(command)
    def expanded(**given: Any) -> None:
        command(**{name: user_path(value) if isinstance(value, Path) else value for name, value in given.items()})

    return expanded


@contextmanager
def libraries_for(what: str, extra: str, otherwise: str = "") -> Iterator[None]:
    """Say what to install where libraries of an extra are missing, and what there is ``otherwise``.

    Raises:
        ValueError: one is.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("azul_duel_env"):
            raise
        missing = (error.name or "").partition(".")[0]
        raise ValueError(f"{what} needs {missing}: pip install 'azul_duel_env[{extra}]'{otherwise}") from None


@contextmanager
def lost_games_reported() -> Iterator[None]:
    """Print which games are missing as a line each."""
    import warnings

    from azul_duel_env.arena import LostGameWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", LostGameWarning)
        warnings.showwarning = lambda message, *_, **__: errors.print(str(message), markup=False, highlight=False)
        yield


def make_room(json_file: Path | None, csv_file: Path | None = None, save: Path | None = None) -> None:
    """Find out whether the results can be written before anything is played.

    Raises:
        OSError: a file or folder can't be written.
    """
    for file in (json_file, csv_file):
        if file is not None and str(file) != "-":
            is_new = not file.exists()
            file.open("a", encoding="utf-8").close()
            if is_new:
                file.unlink()  # what fails before there is a result leaves no file
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)


def progress_bar() -> Progress:
    """Return a progress bar on standard error, so that tables and JSON can be piped."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=errors, transient=True)


def until_interrupted(coming: Iterable[Result], report: Callable[[Result], object]) -> tuple[list[Result], bool]:
    """Return what comes before Ctrl-C is pressed, each reported as it comes, and whether it was pressed."""
    came: list[Result] = []
    try:
        for result in coming:
            came.append(result)
            report(result)
    except KeyboardInterrupt:
        return came, True
    return came, False


def is_free(*files: Path | None) -> bool:
    """Return whether no file goes to standard output."""
    return all(str(file) != "-" for file in files)


def hand_out(*outputs: Callable[[], object]) -> None:
    """Call each of them, also after one failed: no result is lost with another. Ctrl-C and SIGTERM wait for the last.

    Raises:
        Exception: the first error, at the end.
    """
    failed = []
    with deferred():
        for output in outputs:
            try:
                output()
            except Exception as error:  # whatever it is, the others go out
                failed.append(error)
        if failed:
            raise failed[0]


def write_text(file: Path, text: str) -> None:
    """Write a text to a file, or to standard output for ``-``."""
    if str(file) == "-":
        write_out(text)
    else:
        file.write_text(text, encoding="utf-8")
        errors.print(f"wrote {file}")


def write_json(file: Path | None, data: Any) -> None:
    """Write a result as JSON; None writes nothing."""
    if file is not None:
        write_text(file, json.dumps(data, indent=2, allow_nan=False) + "\n")


def read_game(file: Path) -> Record:
    """Return the game that a file holds.

    Raises:
        ValueError: it holds none; the message names the file and the line.
        OSError: it can't be read.
    """
    from azul_duel_env.arena.game_file import MOST_BYTES, RecordError, read_record

    try:
        return read_record(read_text(file, MOST_BYTES))
    except RecordError as error:
        raise ValueError(f"{file}: {error}") from None


def matches_table(summaries: list[Summary], game: Game) -> Table:
    """Return matches as a table. Of a game of several players it says what is counted: each two seats of a game, and their places."""
    for_two = game.num_players == 2
    table = Table(
        title=game.full_title,
        caption=("" if for_two else "a win is to come before the opponent, a draw to share a place; ")
        + "rates count draws half; intervals are 95%, over seeds; ?: too few to tell; scores are mean ± standard deviation",
    )
    for column in ("agent", "opponent"):
        table.add_column(column)
    for column in (
        "games" if for_two else "meetings",
        "wins",
        "draws",
        "losses",
        "win rate" if for_two else "came before",
        "score",
        "opponent's",
        "margin",
        "player_0 wins",
        "decisions",
    ):
        table.add_column(column, justify="right")
    for summary in summaries:
        table.add_row(*_row(summary))
    return table


def _row(s: Summary) -> list[str]:
    from azul_duel_env.arena.report import interval_text

    return [
        s.agent,
        s.opponent,
        str(s.games),
        str(s.wins),
        str(s.draws),
        str(s.losses),
        f"{s.win_rate:.1%} [{s.win_rate_low:.1%}, {s.win_rate_high:.1%}]",
        f"{s.score_mean:.1f} ± {s.score_sd:.1f}",
        f"{s.opponent_score_mean:.1f} ± {s.opponent_score_sd:.1f}",
        f"{s.margin_mean:+.1f} {interval_text(s.margin_low, s.margin_high, 1)}",
        f"{s.first_seat_win_rate:.1%}",
        f"{s.decisions_mean:.0f}",
    ]
