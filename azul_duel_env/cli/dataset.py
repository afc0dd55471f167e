"""The command that writes games as data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from azul_duel_env.cli.game_options import GameId, Players, options_given
from azul_duel_env.cli.matches import GAMES, Games, full_rotations
from azul_duel_env.cli.shared import (
    AGENT_SPECS,
    Backend,
    Jobs,
    Seed,
    Where,
    errors,
    libraries_for,
    lost_games_reported,
    progress_bar,
    until_interrupted,
)
from azul_duel_env.games import DEFAULT_GAME, find_game

if TYPE_CHECKING:
    from azul_duel_env.arena.dataset import DatasetPlan, Writer
    from azul_duel_env.game import Game


class Format(StrEnum):
    """How games are written."""

    parquet = "parquet"
    minari = "minari"


def _writer(file_format: Format, out: Path, plan: DatasetPlan, game: Game) -> Writer:
    """Return what writes games in a format."""
    from azul_duel_env.arena.dataset import ParquetWriter
    from azul_duel_env.arena.minari_dataset import MinariWriter

    made = MinariWriter if file_format is Format.minari else ParquetWriter
    return made(out, game, plan.settings(game))


def dataset(
    ctx: typer.Context,
    out: Annotated[Path, typer.Argument(help="A folder; what it lacks is played. For Minari it is called NAME-v0.")],
    agents: Annotated[
        list[str], typer.Argument(help=f"Agents, each with each; one alone plays itself: {AGENT_SPECS}.")
    ],
    games: Games = None,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
    seed: Seed = 1,
    file_format: Annotated[
        Format,
        typer.Option("--format", help="Parquet: a row a decision; Minari: an episode a seat, with observations."),
    ] = Format.parquet,
    jobs: Jobs = 1,
    backend: Where = Backend.joblib,
) -> None:
    """Let agents play each other and write every decision, for learning offline. Ctrl-C loses nothing: the same command goes on.

    Example: [bold]azul-duel dataset games greedy random --games 1000 --jobs -1[/]
    """
    from azul_duel_env.arena.dataset import DatasetPlan, play_dataset
    from azul_duel_env.arena.lock import held

    game = find_game(game_id, players)
    options, games = options_given(ctx, game), full_rotations(games, GAMES, game)
    plan = DatasetPlan(agents, games, seed, options)
    wanted = len(plan.fixtures(game))
    out.mkdir(parents=True, exist_ok=True)
    with held(out / "dataset"), progress_bar() as progress, lost_games_reported():
        with libraries_for(f"a dataset in {file_format}", "dataset"):
            writer = _writer(file_format, out, plan, game)
        task = progress.add_task("dataset", total=wanted, completed=min(writer.done, wanted))
        _, interrupted = until_interrupted(
            play_dataset(game, plan, writer, jobs, backend.value), lambda _: progress.advance(task)
        )
    done = min(writer.done, wanted)
    if interrupted:
        errors.print(f"interrupted after {done} of {wanted} games: the same command goes on", highlight=False)
        raise typer.Exit(130)
    errors.print(f"{out} has {done} games")
