"""The command ``azul-duel``."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from azul_duel_env.cli_pictures import GameFile, film, picture
from azul_duel_env.play.command import play

if TYPE_CHECKING:
    from azul_duel_env.analysis import Analysis
    from azul_duel_env.arena import GameResult, Summary
    from azul_duel_env.arena.ladder import Ladder, Standings
    from azul_duel_env.arena.rate import Estimate
    from azul_duel_env.game import Position
    from azul_duel_env.record import Record

app = typer.Typer(
    help="Azul Duel for reinforcement learning: train, set agents against each other, measure, look up, replay.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
console = Console()
errors = Console(stderr=True, soft_wrap=True)  # file names stay whole

GAME_ID = "azul/duel-v0"


class ZeroPointDraw(StrEnum):
    """Values of the option of ruling R1."""

    free = "free"
    forced_only = "forced_only"


class Seat(StrEnum):
    """A seat of the table."""

    player_0 = "player_0"
    player_1 = "player_1"


class Backend(StrEnum):
    """Where games are played."""

    joblib = "joblib"
    ray = "ray"


AGENT_SPECS = (
    "[bold]random[/], [bold]greedy[/], [bold]network[/], [bold]mcts:400[/], [bold]network+mcts:400[/], network:PATH, sb3:PATH of a saved "
    "MaskablePPO, module:function"
)
Seed = Annotated[int, typer.Option(help="Decides everything; the result doesn't depend on --jobs and --backend.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for one a core.")]
Where = Annotated[Backend, typer.Option("--backend", help="Processes of this machine, or a Ray cluster (RAY_ADDRESS).")]
ScoringTiles = Annotated[
    str, typer.Option(help="3 or 4 random ones, first_game, or names of conditions with commas between them.")
]
Draws = Annotated[ZeroPointDraw, typer.Option(help="Whether a player on 0 points may draw dome tiles (R1).")]
SpecialColour = Annotated[
    bool, typer.Option(help="Whether a special tile counts as a colour for the five-colours condition (R36).")
]
Out = Annotated[
    Path | None,
    typer.Option(help="Keep finished games in this file; the same command goes on where it was interrupted."),
]
Json = Annotated[Path | None, typer.Option("--json", help="Write the result as JSON; - for standard output.")]


@app.command()
def tournament(
    agents: Annotated[list[str], typer.Argument(help=f"Agents, each against each: {AGENT_SPECS}.")],
    games: Annotated[
        int, typer.Option(help="Games of each match, an even number: every seed is played with both seatings.")
    ] = 200,
    seed: Seed = 1,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    scoring_tiles: ScoringTiles = "3",
    zero_point_draw: Draws = ZeroPointDraw.free,
    special_counts_as_colour: SpecialColour = True,
    json_file: Json = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", help="Write one line a game as CSV; - for standard output.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write every game into this folder, for [bold]azul-duel replay[/].")
    ] = None,
) -> None:
    """Let agents play each other and print wins, scores and 95% confidence intervals. Ctrl-C prints what is finished.

    Example: [bold]azul-duel tournament random greedy --games 200 --seed 1[/]
    """
    from azul_duel_env.arena import pairings, play_match, summarise
    from azul_duel_env.games import find_game

    game = find_game(GAME_ID)
    options = _options(scoring_tiles, zero_point_draw, special_counts_as_colour)
    _make_room(json_file, csv_file, save)
    matches = [(pair, play_match(game, pair, games, seed, options, jobs, backend.value)) for pair in pairings(agents)]
    finished: list[tuple[Summary, list[GameResult]]] = []
    interrupted = False
    with _progress() as progress, _lost_games_told():
        task = progress.add_task("", total=games * len(matches))
        for pair, match in matches:
            progress.update(task, description=f"{pair[0]} - {pair[1]}")
            results: list[GameResult] = []
            try:
                for result in match:
                    results.append(result)
                    progress.advance(task)
            except KeyboardInterrupt:
                interrupted = True
            if results:
                finished.append((summarise(pair, results), results))
            if interrupted:
                break
    _report(finished, interrupted, games * len(matches), to_screen=_is_free(json_file, csv_file))
    if json_file is not None:
        _write(json_file, json.dumps([summary.as_dict() for summary, _ in finished], indent=2, allow_nan=False) + "\n")
    if csv_file is not None:
        _write_csv(csv_file, [result for _, results in finished for result in results])
    if save is not None:
        _save_games(save, options, [result for _, results in finished for result in results])
    if interrupted:
        raise typer.Exit(130)


def _options(scoring_tiles: str, zero_point_draw: ZeroPointDraw, special_counts_as_colour: bool) -> dict[str, Any]:
    """Return the configuration of the game."""
    return {
        "scoring_tiles": _scoring_tiles(scoring_tiles),
        "zero_point_draw": zero_point_draw.value,
        "special_counts_as_colour": special_counts_as_colour,
    }


@contextmanager
def _lost_games_told() -> Iterator[None]:
    """Print which games are missing as a line each."""
    import warnings

    from azul_duel_env.arena import LostGameWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", LostGameWarning)
        warnings.showwarning = lambda message, *_, **__: errors.print(str(message), markup=False, highlight=False)
        yield


def _make_room(json_file: Path | None, csv_file: Path | None = None, save: Path | None = None) -> None:
    """Find out whether the results can be written before anything is played.

    Raises:
        OSError: a file or folder can't be written.
    """
    for file in (json_file, csv_file):
        if file is not None and str(file) != "-":
            file.open("a", encoding="utf-8").close()
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)


def _scoring_tiles(text: str) -> int | str | tuple[str, ...]:
    """Return the option ``scoring_tiles`` from its text."""
    if text.isdigit():
        return int(text)
    return text if text == "first_game" else tuple(name.strip() for name in text.split(",") if name.strip())


def _progress() -> Progress:
    """Return a progress bar on standard error, so that tables and JSON can be piped."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=errors, transient=True)


def _is_free(*files: Path | None) -> bool:
    """Return whether no file goes to standard output."""
    return all(str(file) != "-" for file in files)


def _report(finished: list[tuple[Summary, list[GameResult]]], interrupted: bool, wanted: int, to_screen: bool) -> None:
    """Print the tables of a tournament."""
    if interrupted:
        errors.print(f"interrupted after {sum(len(results) for _, results in finished)} of {wanted} games")
    if not finished or not to_screen:
        return
    _screen().print(_table_of([summary for summary, _ in finished]))


def _table_of(summaries: list[Summary]) -> Table:
    """Return matches as a table."""
    table = Table(
        title="Azul Duel", caption="rates count draws half; intervals are 95%; scores are mean ± standard deviation"
    )
    for column in ("agent", "opponent"):
        table.add_column(column)
    for column in (
        "games",
        "wins",
        "draws",
        "losses",
        "win rate",
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


def _screen() -> Console:
    """Return a console that is wide enough where standard output is no terminal."""
    return console if console.is_terminal else Console(width=max(console.width, 150))


def _row(s: Summary) -> list[str]:
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
        f"{s.margin_mean:+.1f}" + ("" if s.margin_low is None else f" [{s.margin_low:+.1f}, {s.margin_high:+.1f}]"),
        f"{s.first_seat_win_rate:.1%}",
        f"{s.decisions_mean:.0f}",
    ]


def _write(file: Path, text: str) -> None:
    """Write a text to a file, or to standard output for ``-``."""
    if str(file) == "-":
        sys.stdout.write(text)
    else:
        file.write_text(text, encoding="utf-8")
        errors.print(f"wrote {file}")


def _write_csv(file: Path, results: list[GameResult]) -> None:
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player_0", "player_1", "seed", "score_0", "score_1", "winner", "decisions"])
    for result in results:
        winner = "" if result.winner < 0 else f"player_{result.winner}"
        writer.writerow([*result.agents, result.seed, *result.scores, winner, result.decisions])
    _write(file, text.getvalue())


def _save_games(folder: Path, options: dict[str, Any], results: list[GameResult]) -> None:
    """Write each game as a file that ``azul-duel replay`` reads."""
    from azul_duel_env.arena.outside import file_name_of
    from azul_duel_env.games import find_game
    from azul_duel_env.record import record_game

    for result in results:
        record = record_game(find_game(GAME_ID), result.seed, result.actions, options, result.agents)
        name = "-".join(map(file_name_of, result.agents))
        (folder / f"{name}-{result.seed}.game").write_text(record.write(), encoding="utf-8")
    errors.print(f"wrote {len(results)} games into {folder}")


@app.command()
def ladder(
    agents: Annotated[
        list[str] | None, typer.Argument(help=f"Agents; the standard ladder if left out. {AGENT_SPECS}.")
    ] = None,
    games: Annotated[
        int, typer.Option(help="Games of each pair, an even number: every seed is played with both seatings.")
    ] = 200,
    seed: Seed = 1,
    reach: Annotated[
        int | None,
        typer.Option(help="How far apart in the list, weakest first, two agents may be to meet; all if left out."),
    ] = None,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    scoring_tiles: ScoringTiles = "3",
    zero_point_draw: Draws = ZeroPointDraw.free,
    special_counts_as_colour: SpecialColour = True,
    out: Out = None,
    json_file: Json = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the ratings into this file, such as ladder.png.")] = None,
) -> None:
    """Let agents play each other and print Bradley-Terry ratings on the Elo scale, where random is 0.

    With [bold]--out[/] Ctrl-C loses nothing: the same command goes on.
    """
    from azul_duel_env.arena.games_file import GamesFile
    from azul_duel_env.arena.ladder import STANDARD, Ladder, play_ladder, standings_of
    from azul_duel_env.arena.picture import check_picture
    from azul_duel_env.games import find_game

    game = find_game(GAME_ID)
    options = _options(scoring_tiles, zero_point_draw, special_counts_as_colour)
    plan = Ladder(tuple(agents or STANDARD), games, seed, reach, options)
    if picture is not None:
        check_picture(picture)
    _make_room(json_file)
    interrupted = False
    with GamesFile(out, plan.settings(game)) as file, _progress() as progress, _lost_games_told():
        wanted = plan.fixtures()
        task = progress.add_task("ladder", total=len(wanted), completed=sum(one in file.results for one in wanted))
        try:
            for result in play_ladder(game, plan, file, jobs, backend.value):
                progress.update(task, advance=1, description=" - ".join(result.agents))
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        _say_how_to_go_on(sum(one in file.results for one in wanted), len(wanted), out)
    met = {agent for one in wanted if one in file.results for agent in one[0]}
    if met >= set(plan.agents):
        _report_ladder(plan, standings_of(plan, file.results), json_file, picture)
    if interrupted:
        raise typer.Exit(130)


def _say_how_to_go_on(done: int, wanted: int, out: Path | None) -> None:
    """Say what an interrupted run leaves."""
    rest = "the same command goes on" if out is not None else "nothing is kept; with --out FILE the next run can go on"
    errors.print(f"interrupted after {done} of {wanted} games: {rest}", highlight=False)


def _report_ladder(plan: Ladder, standings: Standings, json_file: Path | None, picture: Path | None) -> None:
    """Print and write what came out of a ladder."""
    from azul_duel_env.arena.picture import draw_ladder
    from azul_duel_env.arena.screen import first_player_line, standings_table
    from azul_duel_env.games import find_game

    if _is_free(json_file):
        _screen().print(standings_table(standings))
        _screen().print(first_player_line(standings), highlight=False)
        if standings.missing:
            _screen().print(f"{standings.missing} games are missing", highlight=False)
    if json_file is not None:
        _write(json_file, json.dumps(standings.as_dict(find_game(GAME_ID), plan), indent=2, allow_nan=False) + "\n")
    if picture is not None:
        draw_ladder(standings, picture)
        errors.print(f"wrote {picture}")


@app.command()
def rate(
    agent: Annotated[str, typer.Argument(help=f"An agent: {AGENT_SPECS}.")],
    interval: Annotated[float, typer.Option(help="Wanted half width of the 95% interval, Elo points.")] = 50.0,
    against: Annotated[
        list[str] | None,
        typer.Option(help="An opponent on the ladder; may be repeated; the whole ladder if left out."),
    ] = None,
    ladder_file: Annotated[
        Path | None,
        typer.Option(
            "--ladder", help="Ratings that [bold]azul-duel ladder --json[/] wrote; the project's own if left out."
        ),
    ] = None,
    max_games: Annotated[int, typer.Option(help="Play no more than so many, an even number.")] = 2000,
    seed: Seed = 1,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    out: Out = None,
    json_file: Json = None,
) -> None:
    """Place an agent on the ladder, with as few games as the wanted interval needs.

    Opponents are those who tell most, the nearest in rating; their ratings and the options of the game are the ladder's.
    """
    from azul_duel_env.arena.games_file import GamesFile
    from azul_duel_env.arena.ladder import read_ladder
    from azul_duel_env.arena.rate import Search
    from azul_duel_env.arena.rate import rate as find_rating
    from azul_duel_env.arena.screen import estimate_lines, interval_text
    from azul_duel_env.games import find_game

    game, known = find_game(GAME_ID), read_ladder(ladder_file)
    search = Search(agent, known.against(against), interval, max_games, seed, known.options)
    _make_room(json_file)
    with GamesFile(out, search.settings(game)) as file, _progress() as progress, _lost_games_told():
        task = progress.add_task(agent, total=max_games)

        def tell(so_far: Estimate) -> None:
            told = f"{agent}: {so_far.rating:+.0f} {interval_text(so_far.low, so_far.high)}"
            progress.update(task, completed=so_far.games, description=told)

        try:
            found = find_rating(game, search, file, jobs, backend.value, tell)
        except KeyboardInterrupt:
            progress.stop()
            _say_how_to_go_on(len(file.results), max_games, out)
            raise typer.Exit(130) from None
    if _is_free(json_file):
        for line in estimate_lines(found, interval):
            _screen().print(line, highlight=False, markup=False)
    if json_file is not None:
        text = {"seed": seed, "interval": interval, "max_games": max_games, **found.as_dict()}
        _write(json_file, json.dumps({**search.settings(game), **text}, indent=2, allow_nan=False) + "\n")


@app.command()
def statistics(
    agent: Annotated[str, typer.Argument(help=f"An agent: {AGENT_SPECS}.")],
    games: Annotated[int, typer.Option(help="Games, an even number.")] = 200,
    seed: Seed = 1,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    scoring_tiles: ScoringTiles = "3",
    zero_point_draw: Draws = ZeroPointDraw.free,
    special_counts_as_colour: SpecialColour = True,
    json_file: Json = None,
) -> None:
    """Let an agent play itself and print how: length, where points come from, scoring tiles, first-player advantage."""
    from azul_duel_env.arena import play_match
    from azul_duel_env.arena.screen import statistics_tables
    from azul_duel_env.arena.statistics import statistics_of
    from azul_duel_env.games import find_game

    game = find_game(GAME_ID)
    options = _options(scoring_tiles, zero_point_draw, special_counts_as_colour)
    _make_room(json_file)
    results = []
    interrupted = False
    with _progress() as progress, _lost_games_told():
        task = progress.add_task(agent, total=games)
        try:
            for result in play_match(game, (agent, agent), games, seed, options, jobs, backend.value):
                results.append(result)
                progress.advance(task)
        except KeyboardInterrupt:
            interrupted = True
            errors.print(f"interrupted after {len(results)} of {games} games")
    if results:
        found = statistics_of(game, agent, results, options)
        if _is_free(json_file):
            for table in statistics_tables(found):
                _screen().print(table, highlight=False)
        if json_file is not None:
            _write(json_file, json.dumps(found.as_dict(), indent=2, allow_nan=False) + "\n")
    if interrupted:
        raise typer.Exit(130)


@app.command()
def train(
    config: Annotated[Path, typer.Argument(help="A YAML file, such as [bold]configs/ppo_quick.yaml[/].")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; runs/ and the name of the config if it is left out.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another value, such as seed=2 or ppo.n_epochs=4; may be repeated."),
    ] = None,
) -> None:
    r"""Train MaskablePPO as a config says, evaluate it as it learns, then print a table and draw the learning curve.

    Ctrl-C saves; [bold]--resume[/] goes on. Needs [bold]pip install 'azul_duel_env\[train]'[/].
    """
    with _training_libraries():
        from azul_duel_env.training.config import read_config
        from azul_duel_env.training.run import CURVE, MODEL, Run
        from azul_duel_env.training.screen import Screen, results
    folder = out or Path("runs") / config.stem
    with Screen(errors) as screen:
        run = Run(read_config(config, changes), folder, resume, screen)
        try:
            progress = run.train()
        except KeyboardInterrupt:
            errors.print(f"stopped and saved in {folder}: go on with --resume")
            raise typer.Exit(130) from None
    _screen().print(results(progress))
    errors.print(f"wrote {folder / MODEL} and {folder / CURVE}")


@app.command()
def fit(
    out: Annotated[Path, typer.Argument(help="Where the weights go, such as weights.npz.")],
    rounds: Annotated[
        int, typer.Option(help="How often weights are fitted, each time on games of the last ones.")
    ] = 14,
    games: Annotated[int, typer.Option(help="Games of self-play in each round.")] = 8000,
    seed: Annotated[int, typer.Option(help="Decides everything.")] = 1,
) -> None:
    """Fit the weights of [bold]greedy2[/] on self-play, as those of the package were; play them as [bold]greedy2:FILE[/].

    Takes about half a minute a round. The same command goes on where it was interrupted.
    """
    from rich.progress import track

    from azul_duel_env.training.fit import fit_weights

    if not out.name.endswith(".npz"):
        raise typer.BadParameter(f"the file must end with .npz, not {out}")
    try:
        steps = fit_weights(out, rounds, games, seed)
        for done in track(steps, "fitting", total=rounds, console=errors, disable=not errors.is_terminal):
            errors.print(f"round {done.number} of {rounds}: {done.score_mean:.1f} points a seat")
    except KeyboardInterrupt:
        errors.print("stopped: the same command goes on with what is finished")
        raise typer.Exit(130) from None
    errors.print(f"wrote {out}")


@app.command()
def evaluate(
    model: Annotated[Path, typer.Argument(help="A saved MaskablePPO, such as [bold]runs/ppo_quick/model.zip[/].")],
    opponents: Annotated[
        list[str] | None,
        typer.Argument(help="Agents, such as [bold]mcts:400[/]; [bold]random[/] and [bold]greedy[/] if left out."),
    ] = None,
    games: Annotated[
        int, typer.Option(help="Games against each, an even number: every seed is played with both seatings.")
    ] = 400,
    seed: Annotated[int, typer.Option(help="Decides the games.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the summaries as JSON; - for standard output.")
    ] = None,
) -> None:
    """Let a saved model play paired games against agents. The config beside it says which sub-decisions it is asked."""
    with _training_libraries():
        from azul_duel_env.envs.opponents import load_model
        from azul_duel_env.training.evaluate import evaluate as play
        from azul_duel_env.training.run import config_beside
    from azul_duel_env.games import find_game

    config = config_beside(model)
    given, loaded = config.environment, load_model(model)
    summaries = []
    for opponent in opponents or ["random", "greedy"]:
        with errors.status(f"{model.name} - {opponent}"):
            summaries.append(
                play(
                    find_game(config.game),
                    loaded,
                    opponent,
                    games,
                    seed,
                    name=model.parent.name or model.stem,
                    advice=given.advice,
                    granularity=given.granularity,
                    options=given.options,
                )
            )
    if _is_free(json_file):
        _screen().print(_table_of(summaries))
    if json_file is not None:
        _write(json_file, json.dumps([summary.as_dict() for summary in summaries], indent=2, allow_nan=False) + "\n")


class Precision(StrEnum):
    """Kinds of numbers in a file of a network."""

    float16 = "float16"
    float32 = "float32"


@app.command()
def export(
    model: Annotated[
        Path, typer.Argument(help="A training run's folder, such as [bold]runs/ppo_duel[/], or a saved model in it.")
    ],
    out: Annotated[Path, typer.Argument(help="The file to write, such as [bold]network.npz[/].")],
    precision: Annotated[Precision, typer.Option(help="Of the weights in the file.")] = Precision.float16,
) -> None:
    """Write a trained model's networks into a file that plays as [bold]network:PATH[/], without PyTorch."""
    with _training_libraries():
        from azul_duel_env.training.export import export as write
    header = write(model, out, precision.value)
    errors.print(f"wrote {out}, trained for {header['source']['steps']:,} steps", highlight=False)


@contextmanager
def _training_libraries() -> Iterator[None]:
    """Say what to install where the libraries of training are missing.

    Raises:
        ValueError: one is.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("azul_duel_env"):
            raise
        raise ValueError(f"training needs {error.name}: pip install 'azul_duel_env[train]'") from None


@app.command()
def bench(
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each contestant.")] = 5.0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON; - for standard output.")
    ] = None,
) -> None:
    """Measure the core, every kind of environment, the search and the peers that are installed, in one run, and print ratios.

    Peers: [bold]pip install open-spiel pygame-ce[/].
    """
    from azul_duel_env.bench import measure, search_line
    from azul_duel_env.games import find_game

    with errors.status("") as status:
        figures = measure(find_game(GAME_ID), seconds, status.update)
    if _is_free(json_file):
        machine = figures["machine"]
        table = Table(title=f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}")
        table.add_column("what")
        table.add_column("decisions a second", justify="right")
        for name, value in figures["decisions_per_second"].items():
            table.add_row(figures["texts"][name], f"{value:,}")
        console.print(table)
        console.print(search_line(figures["search"]), highlight=False)
        for name, value in figures["ratios"].items():
            console.print(f"{name}: {value:,.1f} times")
        for name, value in figures["facts"].items():
            console.print(f"{name.replace('_', ' ')}: {value:,}")
    if json_file is not None:
        _write(json_file, json.dumps(figures, indent=2) + "\n")


@app.command()
def replay(
    file: GameFile,
    moves: Annotated[bool, typer.Option("--moves", help="Print all moves and the last position, and end.")] = False,
) -> None:
    """Step through a game in the terminal."""
    record = _read_game(file)
    if moves or not sys.stdin.isatty():
        _print_moves(record)
    else:
        _step_through(record)


def _read_game(file: Path) -> Record:
    """Return the game that a file holds.

    Raises:
        ValueError: it holds none; the message names the file and the line.
        OSError: it can't be read.
    """
    from azul_duel_env.record import read_record

    try:
        return read_record(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _print_moves(record: Record) -> None:
    for event in record.events:
        console.print(
            f"{'drawn' if event.player < 0 else f'player {event.player}'}: {event.name}", markup=False, highlight=False
        )
    console.print(str(list(record.positions())[-1][0]), markup=False, highlight=False)


def _step_through(record: Record) -> None:
    """Show one position after the other, as the reader asks for them: draws pass by, decisions stop."""
    positions = list(record.positions())
    stops = [i for i, (position, _) in enumerate(positions) if position.player >= 0 or i == len(positions) - 1]
    at = 0
    while True:
        position, event = positions[stops[at]]
        console.clear()
        console.print(str(position), markup=False, highlight=False)
        console.print(f"{at + 1} of {len(stops)}: {event.name if event else 'the end'}", markup=False, highlight=False)
        try:
            answer = console.input("Enter: on, b: back, a number: go there, q: quit > ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return
        if answer in ("q", "quit"):
            return
        if answer.isdigit():
            at = min(max(int(answer) - 1, 0), len(stops) - 1)
        else:
            at = max(at - 1, 0) if answer == "b" else min(at + 1, len(stops) - 1)


app.command()(film)
app.command()(picture)
app.command()(play)


@app.command()
def analyse(
    file: GameFile,
    agent: Annotated[str, typer.Option(help="The search that looks: [bold]mcts:N[/] of N simulations.")] = "mcts:400",
    seat: Annotated[Seat | None, typer.Option(help="Whose decisions; both players' if left out.")] = None,
    only_losses: Annotated[
        float, typer.Option(min=0.0, help="Show only decisions that lost at least so much; the rest is as without it.")
    ] = 0.0,
    seed: Seed = 1,
    jobs: Jobs = 1,
    json_file: Json = None,
) -> None:
    """Say of each decision of a game what a search would have played, and what was lost. Ctrl-C prints what is finished.

    A value is seen from who decides: 1 is a sure win, -1 a sure loss; in an even position before the last round a point of margin is
    0.04. Both actions are judged by a search of their own, of the same budget. Lost is how much more the search's action is worth than
    what was played, never less than 0; ? marks 0.1 and more, ?? 0.3 and more. Points are of the expected margin.

    Example: [bold]azul-duel tournament mcts:400 greedy --games 2 --save games[/], then [bold]azul-duel analyse games/NAME.game[/]
    """
    from azul_duel_env.analysis import Analysis, Decision, analyse_game, count_choices

    record, player = _read_game(file), None if seat is None else list(Seat).index(seat)
    coming, wanted = analyse_game(record, agent, seed, player, jobs), count_choices(record, player)
    _make_room(json_file)
    decisions: list[Decision] = []
    interrupted = False
    with _progress() as progress, _lost_games_told():
        task = progress.add_task(agent, total=wanted)
        try:
            for decision in coming:
                decisions.append(decision)
                progress.advance(task)
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        errors.print(f"interrupted after {len(decisions)} of {wanted} decisions", highlight=False)
    _report_analysis(
        Analysis(record.game.id, record.players, agent, seed, tuple(decisions), wanted - len(decisions)),
        only_losses,
        json_file,
    )
    if interrupted:
        raise typer.Exit(130)


def _report_analysis(analysis: Analysis, only_losses: float, json_file: Path | None) -> None:
    """Print and write what an analysis found."""
    from azul_duel_env.analysis import decisions_table, summary_line

    if _is_free(json_file):
        shown = [decision for decision in analysis.decisions if decision.loss >= only_losses]
        _screen().print(decisions_table(shown, analysis.agent), highlight=False)
        for summary in analysis.summaries():
            _screen().print(summary_line(summary), markup=False, highlight=False)
    if json_file is not None:
        _write(json_file, json.dumps(analysis.as_dict(), indent=2, allow_nan=False) + "\n")


@app.command()
def perft(
    depth: Annotated[int, typer.Option(min=1, max=8, help="How many decisions deep.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of the game whose first position is counted.")] = 1,
    position: Annotated[
        Path | None, typer.Option(help="A file with a position in notation, instead of a seed.")
    ] = None,
) -> None:
    """Count the sequences of decisions from a position, depth by depth: a check of the rules, and a benchmark.

    What is drawn on the way comes from the position's own generator.
    """
    import time

    from azul_duel_env.games import find_game

    game = find_game(GAME_ID)
    start = game.new(seed) if position is None else game.read_position(position.read_text(encoding="utf-8"))
    game.count_leaves(start.states, 1)
    for level in range(1, depth + 1):
        begun = time.perf_counter()
        leaves = _count_leaves(start, level)
        console.print(f"{level}: {leaves:,} ({time.perf_counter() - begun:.3f} s)", highlight=False)


def _count_leaves(position: Position, depth: int) -> int:
    """Count move by move down to two decisions, where Ctrl-C can still stop it."""
    if depth <= 2:
        return position.game.count_leaves(position.states, depth)
    leaves = 0
    for action in position.legal_actions().tolist():
        child = position.copy()
        child.step(action)
        leaves += _count_leaves(child, depth - 1)
    return leaves


@app.command()
def rules(
    number: Annotated[str | None, typer.Argument(help="A ruling, such as R24; none lists all.")] = None,
) -> None:
    """Show a ruling: what the rulebooks leave open, what was decided and why, and the code that decides it."""
    from azul_duel_env.games import find_game
    from azul_duel_env.rulings import find_ruling, places_of, read_rulings

    package = find_game(GAME_ID).package
    if number is None:
        for ruling in read_rulings(package).values():
            console.print(f"{ruling.number:4} {ruling.title}", highlight=False)
        return
    ruling = find_ruling(number, package)
    console.print(f"[bold]{ruling.number} {ruling.title}[/]", highlight=False)
    for name, text in ruling.fields.items():
        console.print(f"[bold]{name}.[/] ", end="", highlight=False)
        console.print(text, markup=False, highlight=False)
    console.print(f"[bold]Decided in[/] {package}:", highlight=False)
    for place in places_of(ruling.number, package):
        console.print(f"  {place}", markup=False, highlight=False)


def main() -> None:
    """Run the command; mistakes of the caller end with a line that says what was expected, and exit code 2.

    With ``AZUL_DUEL_DEBUG`` set in the environment they end with a traceback.
    """
    sys.path.insert(0, "")  # modules of agents lie where the command is given
    try:
        app()
    except (ValueError, OSError) as error:
        if "AZUL_DUEL_DEBUG" in os.environ:
            raise
        errors.print(f"azul-duel: {error}", style="red", markup=False, highlight=False)
        sys.exit(2)
