"""The command ``azul``, which is also called ``azul-duel``."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import typer

from azul_duel_env.cli.dataset import dataset
from azul_duel_env.cli.game_options import GameCommand
from azul_duel_env.cli.games import analyse, replay
from azul_duel_env.cli.matches import ladder, rate, statistics, tournament
from azul_duel_env.cli.output import write_any_character
from azul_duel_env.cli.pictures import film, picture
from azul_duel_env.cli.play import play
from azul_duel_env.cli.reference import bench, compile_rules, perft, rules
from azul_duel_env.cli.shared import at_home, errors
from azul_duel_env.cli.training import evaluate, export, fit, train
from azul_duel_env.system.reading import visible
from azul_duel_env.system.signals import TERMINATED, sigterm_interrupts

app = typer.Typer(
    help="Board games for reinforcement learning: train, set agents against each other, measure, look up, replay.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    *(tournament, ladder, rate, statistics, dataset),
    *(train, fit, evaluate, export),
    *(play, replay, film, picture, analyse),
    *(bench, perft, rules, compile_rules),
)
WITH_GAME_OPTIONS = (tournament, ladder, statistics, dataset, play)
for command in COMMANDS:
    app.command(cls=GameCommand if command in WITH_GAME_OPTIONS else None)(at_home(command))


def main() -> None:
    """Run the command; mistakes of the caller end with a line that says what was expected, and exit code 2.

    With ``AZUL_DUEL_DEBUG`` set in the environment they end with a traceback. SIGTERM does what Ctrl-C does, and exits with 143.
    """
    write_any_character()
    sys.path.insert(0, "")  # modules of agents lie where the command is given
    terminated = threading.Event()
    try:
        with sigterm_interrupts(terminated):
            _run()
    except (KeyboardInterrupt, SystemExit):
        if terminated.is_set():
            exec("")  # after one that KeyboardInterrupt left, such as a dataclass's, Python would end by SIGINT instead
            sys.exit(TERMINATED)
        raise


def _name() -> str:
    """Return the name by which the command was called."""
    return "azul" if Path(sys.argv[0]).stem == "azul" else "azul-duel"


def _run() -> None:
    try:
        app()
    except (ValueError, OSError) as error:
        if "AZUL_DUEL_DEBUG" in os.environ:
            raise
        errors.print(f"{_name()}: {visible(str(error))}", style="red", markup=False, highlight=False)
        sys.exit(2)
