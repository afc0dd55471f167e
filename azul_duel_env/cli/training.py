"""Commands that train, fit, evaluate and export."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from azul_duel_env.cli.game_options import GameId, Players
from azul_duel_env.cli.output import show
from azul_duel_env.cli.shared import (
    errors,
    hand_out,
    is_free,
    libraries_for,
    make_room,
    matches_table,
    until_interrupted,
    write_json,
)
from azul_duel_env.games import DEFAULT_GAME, find_game

if TYPE_CHECKING:
    from azul_duel_env.arena import Summary


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
    r"""Train as a config says (MaskablePPO, or learning from nothing by self-play and search), evaluate, draw the learning curve.

    Ctrl-C saves; [bold]--resume[/] goes on. Needs [bold]pip install 'azul_duel_env\[train]'[/].
    """
    with libraries_for("training", "train"):
        from azul_duel_env.training.config import Config, read_config
        from azul_duel_env.training.folder import CURVE
        from azul_duel_env.training.report import Reporter, results
    folder = out or Path("runs") / config.stem
    wanted = read_config(config, changes)
    players = wanted.table.num_players
    with Reporter(errors, players) as reporter:
        with libraries_for("training", "train"):
            from azul_duel_env.training.alphazero.run import NETWORK, AlphaZeroRun
            from azul_duel_env.training.run import MODEL, Run
        run: Run | AlphaZeroRun
        if isinstance(wanted, Config):
            run, made = Run(wanted, folder, resume, reporter), MODEL
        else:
            run, made = AlphaZeroRun(wanted, folder, resume, reporter), NETWORK
        try:
            progress = run.train()
        except KeyboardInterrupt:
            errors.print(f"stopped and saved in {folder}: go on with --resume")
            raise typer.Exit(130) from None
    show(results(progress, players))
    errors.print(f"wrote {folder / made} and {folder / CURVE}")


def fit(
    out: Annotated[Path, typer.Argument(help="Where the weights go, such as weights.npz.")],
    rounds: Annotated[
        int, typer.Option(help="How often weights are fitted, each time on games of the last ones.")
    ] = 14,
    games: Annotated[int, typer.Option(help="Games of self-play in each round.")] = 8000,
    seed: Annotated[int, typer.Option(help="Decides everything.")] = 1,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
) -> None:
    """Fit the weights of [bold]greedy2[/] on self-play, as those of the package were; play them as [bold]greedy2:FILE[/].

    Takes about half a minute a round. The same command goes on where it was interrupted.
    """
    from rich.progress import track

    from azul_duel_env.agents.table import fit_of

    game = find_game(game_id, players)
    fit_weights = fit_of(game)
    if not out.name.endswith(".npz"):
        raise typer.BadParameter(f"the file must end with .npz, not {out}")
    try:
        steps = fit_weights(game, out, rounds, games, seed)
        for done in track(steps, "fitting", total=rounds, console=errors, disable=not errors.is_terminal):
            errors.print(f"round {done.number} of {rounds}: {done.score_mean:.1f} points a seat")
    except KeyboardInterrupt:
        errors.print("stopped: the same command goes on with what is finished")
        raise typer.Exit(130) from None
    errors.print(f"wrote {out}")


def evaluate(
    model: Annotated[
        Path,
        typer.Argument(
            help="A saved MaskablePPO, such as [bold]runs/ppo_quick/model.zip[/]. It is a pickle, which runs code: only what you trust."
        ),
    ],
    opponents: Annotated[
        list[str] | None,
        typer.Argument(help="Agents, such as [bold]mcts:400[/]; [bold]random[/] and [bold]greedy[/] if left out."),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            help="Games against each, a multiple of the players: every seed is played in all rotations of the seats."
        ),
    ] = 400,
    seed: Annotated[int, typer.Option(help="Decides the games.")] = 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the summaries as JSON; - for standard output.")
    ] = None,
) -> None:
    """Let a saved model play paired games against agents. The config beside it says which sub-decisions it is asked.

    Ctrl-C prints what is finished.
    """
    with libraries_for("training", "train"):
        from azul_duel_env.envs.opponents import load_model
        from azul_duel_env.training.evaluate import evaluate as play
        from azul_duel_env.training.run import config_beside

    config = config_beside(model)
    game = config.table
    given, loaded = config.environment, load_model(model)
    rivals = opponents or ["random", "greedy"]
    make_room(json_file)

    def summary_against(opponent: str) -> Summary:
        with errors.status(escape(f"{model.name} - {opponent}")):
            return play(
                game,
                loaded,
                opponent,
                games,
                seed,
                name=model.parent.name or model.stem,
                advice=given.advice,
                abstraction=given.granularity,
                options=given.options,
            )

    summaries, interrupted = until_interrupted(map(summary_against, rivals), lambda _: None)
    if interrupted:
        errors.print(f"interrupted after {len(summaries)} of {len(rivals)} opponents", highlight=False)
    hand_out(
        lambda: show(matches_table(summaries, game)) if summaries and is_free(json_file) else None,
        lambda: write_json(json_file, [summary.as_dict() for summary in summaries]),
    )
    if interrupted:
        raise typer.Exit(130)


class Precision(StrEnum):
    """Kinds of numbers in a file of a network."""

    float16 = "float16"
    float32 = "float32"


def export(
    model: Annotated[
        Path,
        typer.Argument(
            help="A training run's folder, such as [bold]runs/ppo_quick[/], or a saved model in it: a pickle, which runs code."
        ),
    ],
    out: Annotated[Path, typer.Argument(help="The file to write, such as [bold]network.npz[/].")],
    precision: Annotated[Precision, typer.Option(help="Of the weights in the file.")] = Precision.float16,
) -> None:
    """Write a trained model's networks into a file that plays as [bold]network:PATH[/], without PyTorch and without running code."""
    with libraries_for("training", "train"):
        from azul_duel_env.training.export import export as write
    header = write(model, out, precision.value)
    errors.print(f"wrote {out}, trained for {header['source']['steps']:,} steps", highlight=False)
