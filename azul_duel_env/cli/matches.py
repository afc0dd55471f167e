"""Commands that let agents play each other: tournament, ladder, rate, statistics."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from azul_duel_env.cli.output import show
from azul_duel_env.cli.shared import (
    AGENT_SPECS,
    GAME_ID,
    Backend,
    ChipPayments,
    Draws,
    Jobs,
    Json,
    Out,
    Payments,
    ScoringTiles,
    Seed,
    SpecialColour,
    Where,
    ZeroPointDraw,
    errors,
    hand_out,
    is_free,
    lost_games_reported,
    make_room,
    matches_table,
    options_of,
    progress_bar,
    until_interrupted,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from azul_duel_env.arena import GameResult, Summary
    from azul_duel_env.arena.ladder import Ladder, Standings
    from azul_duel_env.arena.rate import Estimate
    from azul_duel_env.arena.statistics import Statistics


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
    chip_payments: Payments = ChipPayments.undominated,
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
    options = options_of(scoring_tiles, zero_point_draw, special_counts_as_colour, chip_payments)
    make_room(json_file, csv_file, save)
    matches = [(pair, play_match(game, pair, games, seed, options, jobs, backend.value)) for pair in pairings(agents)]
    finished: list[tuple[Summary, list[GameResult]]] = []
    interrupted = False
    with progress_bar() as progress, lost_games_reported():
        task = progress.add_task("", total=games * len(matches))
        for pair, match in matches:
            progress.update(task, description=f"{pair[0]} - {pair[1]}")
            results, interrupted = until_interrupted(match, lambda _: progress.advance(task))
            if results:
                finished.append((summarise(pair, results), results))
            if interrupted:
                break
    all_results = [result for _, results in finished for result in results]
    hand_out(
        lambda: _report(finished, interrupted, games * len(matches), to_screen=is_free(json_file, csv_file)),
        lambda: write_json(json_file, [summary.as_dict() for summary, _ in finished]),
        lambda: _write_csv(csv_file, all_results),
        lambda: _save_games(save, options, all_results),
    )
    if interrupted:
        raise typer.Exit(130)


def _report(finished: list[tuple[Summary, list[GameResult]]], interrupted: bool, wanted: int, to_screen: bool) -> None:
    """Print the tables of a tournament."""
    if interrupted:
        errors.print(f"interrupted after {sum(len(results) for _, results in finished)} of {wanted} games")
    if not finished or not to_screen:
        return
    show(matches_table([summary for summary, _ in finished]))


def _write_csv(file: Path | None, results: list[GameResult]) -> None:
    """Write a line a game; None writes nothing."""
    import io

    if file is None:
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player_0", "player_1", "seed", "score_0", "score_1", "winner", "decisions"])
    for result in results:
        winner = "" if result.winner < 0 else f"player_{result.winner}"
        writer.writerow([*result.agents, result.seed, *result.scores, winner, result.decisions])
    write_text(file, text.getvalue())


def _save_games(folder: Path | None, options: dict[str, Any], results: list[GameResult]) -> None:
    """Write each game as a file that ``azul-duel replay`` reads; None writes nothing."""
    from azul_duel_env.arena.external_agents import file_name_of
    from azul_duel_env.arena.game_file import record_game
    from azul_duel_env.games import find_game

    if folder is None:
        return
    for result in results:
        record = record_game(find_game(GAME_ID), result.seed, result.actions, options, result.agents)
        name = "-".join(map(file_name_of, result.agents))
        (folder / f"{name}-{result.seed}.game").write_text(record.write(), encoding="utf-8")
    errors.print(f"wrote {len(results)} games into {folder}")


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
    chip_payments: Payments = ChipPayments.undominated,
    out: Out = None,
    json_file: Json = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the ratings into this file, such as ladder.png.")] = None,
) -> None:
    """Let agents play each other and print Bradley-Terry ratings on the Elo scale, where random is 0.

    With [bold]--out[/] Ctrl-C loses nothing: the same command goes on.
    """
    from azul_duel_env.arena.ladder import STANDARD, Ladder, play_ladder, standings_of
    from azul_duel_env.arena.picture import check_picture
    from azul_duel_env.arena.results_file import ResultsFile
    from azul_duel_env.games import find_game

    game = find_game(GAME_ID)
    options = options_of(scoring_tiles, zero_point_draw, special_counts_as_colour, chip_payments)
    plan = Ladder(tuple(agents or STANDARD), games, seed, reach, options)
    if picture is not None:
        check_picture(picture)
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
        _report_ladder(plan, standings_of(plan, file.results), json_file, picture)
    if interrupted:
        raise typer.Exit(130)


def _say_how_to_go_on(done: int, wanted: int, out: Path | None) -> None:
    """Say what an interrupted run leaves."""
    rest = "the same command goes on" if out is not None else "nothing is kept; with --out FILE the next run can go on"
    errors.print(f"interrupted after {done} of {wanted} games: {rest}", highlight=False)


def _report_ladder(plan: Ladder, standings: Standings, json_file: Path | None, picture: Path | None) -> None:
    """Print and write what came out of a ladder."""
    from azul_duel_env.games import find_game

    hand_out(
        lambda: _show_standings(standings) if is_free(json_file) else None,
        lambda: write_json(json_file, standings.as_dict(find_game(GAME_ID), plan)),
        lambda: _draw(standings, picture),
    )


def _show_standings(standings: Standings) -> None:
    from azul_duel_env.arena.report import first_player_line, standings_table

    show(standings_table(standings))
    show(first_player_line(standings))
    if standings.missing:
        show(f"{standings.missing} games are missing")


def _draw(standings: Standings, picture: Path | None) -> None:
    from azul_duel_env.arena.picture import draw_ladder

    if picture is not None:
        draw_ladder(standings, picture)
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
    max_games: Annotated[int, typer.Option(help="Play no more than so many, an even number.")] = 2000,
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
    from azul_duel_env.games import find_game

    game = find_game(GAME_ID)
    known = read_ladder(game, ladder_file)
    plan = RatingPlan(agent, known.against(game, against), interval, max_games, seed, known.options)
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
    agent: Annotated[str, typer.Argument(help=f"An agent: {AGENT_SPECS}.")],
    games: Annotated[int, typer.Option(help="Games, an even number.")] = 200,
    seed: Seed = 1,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
    scoring_tiles: ScoringTiles = "3",
    zero_point_draw: Draws = ZeroPointDraw.free,
    special_counts_as_colour: SpecialColour = True,
    chip_payments: Payments = ChipPayments.undominated,
    json_file: Json = None,
) -> None:
    """Let an agent play itself and print how: length, where points come from, scoring tiles, first-player advantage."""
    from azul_duel_env.arena import play_match
    from azul_duel_env.arena.statistics import statistics_of
    from azul_duel_env.games import find_game

    game = find_game(GAME_ID)
    options = options_of(scoring_tiles, zero_point_draw, special_counts_as_colour, chip_payments)
    make_room(json_file)
    with progress_bar() as progress, lost_games_reported():
        task = progress.add_task(agent, total=games)
        coming = play_match(game, (agent, agent), games, seed, options, jobs, backend.value)
        results, interrupted = until_interrupted(coming, lambda _: progress.advance(task))
    if interrupted:
        errors.print(f"interrupted after {len(results)} of {games} games")
    if results:
        found = statistics_of(game, agent, results, options)
        hand_out(
            lambda: _show_statistics(found) if is_free(json_file) else None,
            lambda: write_json(json_file, found.as_dict()),
        )
    if interrupted:
        raise typer.Exit(130)


def _show_statistics(found: Statistics) -> None:
    from azul_duel_env.arena.report import statistics_tables

    for part in statistics_tables(found):
        show(part)
