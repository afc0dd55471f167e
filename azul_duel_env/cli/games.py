"""Commands that go through a game file: replay, analyse."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from azul_duel_env.cli.output import show
from azul_duel_env.cli.shared import (
    GameFile,
    Jobs,
    Json,
    Seed,
    console,
    errors,
    hand_out,
    is_free,
    lost_games_reported,
    make_room,
    progress_bar,
    read_game,
    until_interrupted,
    write_json,
)

if TYPE_CHECKING:
    from azul_duel_env.arena.game_file import Record
    from azul_duel_env.tools.analysis import Analysis


def replay(
    file: GameFile,
    moves: Annotated[bool, typer.Option("--moves", help="Print all moves and the last position, and end.")] = False,
) -> None:
    """Step through a game in the terminal."""
    record = read_game(file)
    if moves or not sys.stdin.isatty():
        _print_moves(record)
    else:
        _step_through(record)


def _print_moves(record: Record) -> None:
    """Print each decision in words, below it what it brought about, and the last position."""
    from azul_duel_env.arena.scenes import scenes_of

    scenes = scenes_of(record)
    for scene in scenes:
        if scene.follows:
            show(f"     {scene.words if scene.card is None else scene.card.words}")
        else:
            show(f"{scene.number:3}  {scene.words}")
        for sentence in scene.told:
            show(f"     {sentence}")
    show(str(scenes[-1].position))


def _step_through(record: Record) -> None:
    """Show one scene after the other, as the reader asks for them: decisions, and what follows them."""
    from azul_duel_env.arena.scenes import scenes_of

    scenes = scenes_of(record)
    last = scenes[-1].number
    starts = [at for at, scene in enumerate(scenes) if not scene.follows]
    at = 0
    while True:
        scene = scenes[at]
        console.clear()
        console.print(str(scene.position), markup=False, highlight=False)
        said = scene.words if scene.card is None else scene.card.words
        console.print(f"{scene.number} of {last}: {said}", markup=False, highlight=False)
        for sentence in scene.told:
            console.print(sentence, markup=False, highlight=False, style="dim")
        try:
            answer = console.input("Enter: on, b: back, a number: go to that decision, q: quit > ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return
        if answer in ("q", "quit"):
            return
        if answer.isascii() and answer.isdigit() and len(answer) < 6:
            at = starts[min(int(answer), last)]
        else:
            at = max(at - 1, 0) if answer == "b" else min(at + 1, len(scenes) - 1)


def analyse(
    file: GameFile,
    agent: Annotated[
        str | None,
        typer.Option(
            help="The search that looks: [bold]mcts:N[/] of N simulations, [bold]network+mcts:N:PATH[/] with a network; that which suits "
            "the game if left out.",
            show_default=False,
        ),
    ] = None,
    seat: Annotated[
        str | None, typer.Option(metavar="player_N", help="Whose decisions; those of all players if left out.")
    ] = None,
    only_losses: Annotated[
        float, typer.Option(min=0.0, help="Show only decisions that lost at least so much; the rest is as without it.")
    ] = 0.0,
    seed: Seed = 1,
    jobs: Jobs = 1,
    json_file: Json = None,
) -> None:
    """Say of each decision of a game what a search would have played, and what was lost. Ctrl-C prints what is finished.

    A value is seen from who decides: 1 is a sure win, -1 a sure loss; without a network, in an even position before the last round, a
    point of margin is 0.04. Both actions are judged by a search of their own, of the same budget. Lost is how much more the search's
    action is worth than what was played, never less than 0; ? marks 0.1 and more, ?? 0.3 and more. Points are of the expected margin.

    Example: [bold]azul-duel tournament mcts:400 greedy --games 2 --save games[/], then [bold]azul-duel analyse games/NAME.game[/]
    """
    from azul_duel_env.tools.analysis import Analysis, analyse_game, count_choices

    record = read_game(file)
    agent = record.game.adviser if agent is None else agent
    player = None if seat is None else _player_of(seat, record.game.num_players)
    coming, wanted = analyse_game(record, agent, seed, player, jobs), count_choices(record, player)
    make_room(json_file)
    with progress_bar() as progress, lost_games_reported():
        task = progress.add_task(agent, total=wanted)
        decisions, interrupted = until_interrupted(coming, lambda _: progress.advance(task))
    if interrupted:
        errors.print(f"interrupted after {len(decisions)} of {wanted} decisions", highlight=False)
    _report_analysis(
        Analysis(record.game.id, record.players, agent, seed, tuple(decisions), wanted - len(decisions)),
        only_losses,
        json_file,
    )
    if interrupted:
        raise typer.Exit(130)


def _player_of(seat: str, count: int) -> int:
    """Return the number of the player in a seat.

    Raises:
        BadParameter: there is no such seat.
    """
    seats = [f"player_{player}" for player in range(count)]
    if seat not in seats:
        raise typer.BadParameter(f"{seat!r} is none of {', '.join(seats)}", param_hint="--seat")
    return seats.index(seat)


def _report_analysis(analysis: Analysis, only_losses: float, json_file: Path | None) -> None:
    """Print and write what an analysis found."""
    hand_out(
        lambda: _show_analysis(analysis, only_losses) if is_free(json_file) else None,
        lambda: write_json(json_file, analysis.as_dict()),
    )


def _show_analysis(analysis: Analysis, only_losses: float) -> None:
    from azul_duel_env.tools.analysis import decisions_table, summary_line

    show(decisions_table([one for one in analysis.decisions if one.loss >= only_losses], analysis.agent))
    for summary in analysis.summaries():
        show(summary_line(summary))
