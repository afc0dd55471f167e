"""Commands that let agents play each other: tournament, ladder, rate, statistics."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from azul_duel_env.cli.game_options import GameId, Players, options_given
from azul_duel_env.cli.output import show
from azul_duel_env.cli.shared import (
    AGENT_SPECS,
    Backend,
    Jobs,
    Json,
    Out,
    Seed,
    Where,
    errors,
    hand_out,
    is_free,
    lost_games_reported,
    make_room,
    matches_table,
    progress_bar,
    until_interrupted,
    write_json,
    write_text,
)
from azul_duel_env.games import DEFAULT_GAME, find_game

if TYPE_CHECKING:
    from azul_duel_env.arena import GameResult
    from azul_duel_env.arena.ladder import Ladder, Standings
    from azul_duel_env.arena.rate import Estimate
    from azul_duel_env.arena.statistics import Statistics
    from azul_duel_env.game import Game

GAMES, MOST_GAMES = 200, 2000
Games = Annotated[
    int | None,
    typer.Option(
        help="Games of each match, a multiple of the players: every seed is played in all rotations of the seats. "
        f"{GAMES} or a few more if left out."
    ),
]


def full_rotations(games: int | None, usual: int, game: Game) -> int:
    """Return how many games are wanted: if nobody said, the usual number or what next is a multiple of the seats."""
    return usual + -usual % game.num_players if games is None else games


def tournament(
    ctx: typer.Context,
    agents: Annotated[list[str], typer.Argument(help=f"Agents, each with each: {AGENT_SPECS}.")],
    games: Games = None,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
    seed: Seed = 1,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
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
    from azul_duel_env.arena import line_ups, play_match, summaries_of

    game = find_game(game_id, players)
    options, games = options_given(ctx, game), full_rotations(games, GAMES, game)
    make_room(json_file, csv_file, save)
    matches = [
        (line_up, play_match(game, line_up, games, seed, options, jobs, backend.value))
        for line_up in line_ups(agents, game.num_players)
    ]
    all_results: list[GameResult] = []
    interrupted = False
    with progress_bar() as progress, lost_games_reported():
        task = progress.add_task("", total=games * len(matches))
        for line_up, match in matches:
            progress.update(task, description=" - ".join(line_up))
            results, interrupted = until_interrupted(match, lambda _: progress.advance(task))
            all_results += results
            if interrupted:
                break
    summaries = summaries_of(agents, all_results)
    if interrupted:
        errors.print(f"interrupted after {len(all_results)} of {games * len(matches)} games")
    hand_out(
        lambda: show(matches_table(summaries, game)) if summaries and is_free(json_file, csv_file) else None,
        lambda: write_json(json_file, [summary.as_dict() for summary in summaries]),
        lambda: _write_csv(csv_file, game, all_results),
        lambda: _save_games(save, game, options, all_results),
    )
    if interrupted:
        raise typer.Exit(130)


def _write_csv(file: Path | None, game: Game, results: list[GameResult]) -> None:
    """Write a line a game; None writes nothing."""
    import io

    if file is None:
        return
    text, seats = io.StringIO(), range(game.num_players)
    writer = csv.writer(text, lineterminator="\n")
    ranks = [f"rank_{seat}" for seat in seats if game.num_players > 2]
    names = (f"player_{seat}" for seat in seats), ["seed"], (f"score_{seat}" for seat in seats)
    writer.writerow([*chain(*names), "winner", "decisions", *ranks])
    for result in results:
        winner = "" if result.winner < 0 else f"player_{result.winner}"
        writer.writerow([*result.agents, result.seed, *result.scores, winner, result.decisions, *result.ranks])
    write_text(file, text.getvalue())


def _save_games(folder: Path | None, game: Game, options: dict[str, Any], results: list[GameResult]) -> None:
    """Write each game as a file that ``azul-duel replay`` reads; None writes nothing."""
    from azul_duel_env.arena.external_agents import file_name_of
    from azul_duel_env.arena.game_file import record_game

    if folder is None:
        return
    for result in results:
        record = record_game(game, result.seed, result.actions, options, result.agents)
        name = "-".join(map(file_name_of, result.agents))
        (folder / f"{name}-{result.seed}.game").write_text(record.write(), encoding="utf-8")
    errors.print(f"wrote {len(results)} games into {folder}")


def ladder(
    ctx: typer.Context,
    agents: Annotated[
        list[str] | None, typer.Argument(help=f"Agents; the standard ladder if left out. {AGENT_SPECS}.")
    ] = None,
    games: Games = None,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
    seed: Seed = 1,
    reach: Annotated[
        int | None,
        typer.Option(help="How far apart in the list, weakest first, two agents may be to meet; all if left out."),
    ] = None,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    out: Out = None,
    json_file: Json = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the ratings into this file, such as ladder.png.")] = None,
    scaling: Annotated[
        Path | None, typer.Option(help="Draw the ratings against milliseconds a decision into this file.")
    ] = None,
) -> None:
    """Let agents play each other and print Bradley-Terry ratings on the Elo scale, where random is 0.

    With [bold]--out[/] Ctrl-C loses nothing: the same command goes on.
    """
    from azul_duel_env.arena.ladder import Ladder, play_ladder, standings_of
    from azul_duel_env.arena.picture import check_picture
    from azul_duel_env.arena.results_file import ResultsFile

    game = find_game(game_id, players)
    options, games = options_given(ctx, game), full_rotations(games, GAMES, game)
    plan = Ladder(tuple(agents or game.ladder_agents), games, seed, reach, options, game.num_players)
    for drawn in (picture, scaling):
        if drawn is not None:
            check_picture(drawn)
    make_room(json_file)
    with ResultsFile(out, plan.settings(game)) as file, progress_bar() as progress, lost_games_reported():
        wanted = plan.fixtures()
        task = progress.add_task("ladder", total=len(wanted), completed=sum(one in file.results for one in wanted))
        _, interrupted = until_interrupted(
            play_ladder(game, plan, file, jobs, backend.value),
            lambda result: progress.update(task, advance=1, description=" - ".join(result.agents)),
        )
    if interrupted:
        _say_how_to_go_on(sum(one in file.results for one in wanted), len(wanted), out)
    met = {agent for one in wanted if one in file.results for agent in one[0]}
    if met >= set(plan.agents):
        _report_ladder(game, plan, standings_of(plan, file.results), json_file, picture, scaling)
    if interrupted:
        raise typer.Exit(130)


def _say_how_to_go_on(done: int, wanted: int, out: Path | None) -> None:
    """Say what an interrupted run leaves."""
    rest = "the same command goes on" if out is not None else "nothing is kept; with --out FILE the next run can go on"
    errors.print(f"interrupted after {done} of {wanted} games: {rest}", highlight=False)


def _report_ladder(
    game: Game,
    plan: Ladder,
    standings: Standings,
    json_file: Path | None,
    picture: Path | None,
    scaling: Path | None,
) -> None:
    """Print and write what came out of a ladder."""
    from azul_duel_env.arena.picture import draw_ladder, draw_scaling

    hand_out(
        lambda: _show_standings(standings, game.full_title) if is_free(json_file) else None,
        lambda: write_json(json_file, standings.as_dict(game, plan)),
        lambda: _draw(draw_ladder, standings, picture, f"{game.full_title}: ladder"),
        lambda: _draw(draw_scaling, standings, scaling, f"{game.full_title}: strength and time"),
    )


def _show_standings(standings: Standings, title: str) -> None:
    from azul_duel_env.arena.report import first_player_line, standings_table

    show(standings_table(standings, title))
    show(first_player_line(standings))
    if standings.missing:
        show(f"{standings.missing} games are missing")


def _draw(draw: Callable[[Standings, Path, str], None], standings: Standings, picture: Path | None, title: str) -> None:
    if picture is not None:
        draw(standings, picture, title)
        errors.print(f"wrote {picture}")


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
            "--ladder",
            help="Ratings that [bold]azul-duel ladder --json[/] wrote; the project's own if left out. Agents on it that run code "
            "(sb3:PATH, module:function; network:PATH runs none) are met only if [bold]--against[/] names them.",
        ),
    ] = None,
    max_games: Annotated[
        int | None,
        typer.Option(
            help=f"Play no more than so many, a multiple of the players; {MOST_GAMES} or a few more if left out."
        ),
    ] = None,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
    seed: Seed = 1,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    out: Out = None,
    json_file: Json = None,
) -> None:
    """Place an agent on the ladder, with as few games as the wanted interval needs.

    Opponents are those who tell most, the nearest in rating; their ratings and the options of the game are the ladder's.
    Ctrl-C prints what is known then.
    """
    from azul_duel_env.arena.ladder import read_ladder
    from azul_duel_env.arena.rate import RatingPlan, estimate
    from azul_duel_env.arena.rate import rate as find_rating
    from azul_duel_env.arena.report import estimate_lines, interval_text
    from azul_duel_env.arena.results_file import ResultsFile

    game = find_game(game_id, players)
    known, max_games = read_ladder(game, ladder_file), full_rotations(max_games, MOST_GAMES, game)
    plan = RatingPlan(agent, known.against(game, against), interval, max_games, seed, known.options, game.num_players)
    make_room(json_file)
    with ResultsFile(out, plan.settings(game)) as file, progress_bar() as progress, lost_games_reported():
        task = progress.add_task(agent, total=max_games)

        def report(so_far: Estimate) -> None:
            text = f"{agent}: {so_far.rating:+.0f} {interval_text(so_far.low, so_far.high)}"
            progress.update(task, completed=so_far.games, description=text)

        interrupted = False
        try:
            found = find_rating(game, plan, file, jobs, backend.value, report)
        except KeyboardInterrupt:
            interrupted, found = True, estimate(plan, list(file.results.values()))
    if interrupted:
        _say_how_to_go_on(found.games, max_games, out)
    if found.games:
        text = {"seed": seed, "interval": interval, "max_games": max_games, **found.as_dict()}
        hand_out(
            lambda: show("\n".join(estimate_lines(found, interval))) if is_free(json_file) else None,
            lambda: write_json(json_file, {**plan.settings(game), **text}),
        )
    if interrupted:
        raise typer.Exit(130)


def statistics(
    ctx: typer.Context,
    agent: Annotated[str, typer.Argument(help=f"An agent: {AGENT_SPECS}.")],
    games: Games = None,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
    seed: Seed = 1,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    json_file: Json = None,
) -> None:
    """Let an agent play itself and print how: length, where points come from, scoring tiles, first-player advantage."""
    from azul_duel_env.arena import play_match
    from azul_duel_env.arena.statistics import statistics_of

    game = find_game(game_id, players)
    options, games = options_given(ctx, game), full_rotations(games, GAMES, game)
    make_room(json_file)
    with progress_bar() as progress, lost_games_reported():
        task = progress.add_task(agent, total=games)
        coming = play_match(game, (agent,) * game.num_players, games, seed, options, jobs, backend.value)
        results, interrupted = until_interrupted(coming, lambda _: progress.advance(task))
    if interrupted:
        errors.print(f"interrupted after {len(results)} of {games} games")
    if results:
        found = statistics_of(game, agent, results, options)
        hand_out(
            lambda: _show_statistics(game, found) if is_free(json_file) else None,
            lambda: write_json(json_file, found.as_dict()),
        )
    if interrupted:
        raise typer.Exit(130)


def _show_statistics(game: Game, found: Statistics) -> None:
    from azul_duel_env.arena.report import statistics_tables

    for part in statistics_tables(found, game):
        show(part)
