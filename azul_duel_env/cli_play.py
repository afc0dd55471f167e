"""The command that lets people play: a page in the browser, or text in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from azul_duel_env.play.session import Session

EXTRA = "the page needs starlette and uvicorn: pip install 'azul_duel_env[play]', or play with --terminal"


class SeatChoice(StrEnum):
    """Where a person sits."""

    random = "random"
    first = "first"
    second = "second"
    player_0 = "player_0"
    player_1 = "player_1"


def play(
    opponent: Annotated[
        str, typer.Option(help="The agent you play against, such as mcts:400; human for two people at one screen.")
    ] = "mcts:400",
    watch: Annotated[
        tuple[str, str] | None, typer.Option(help="Watch two agents play instead, such as greedy2 mcts:100.")
    ] = None,
    seat: Annotated[SeatChoice, typer.Option(help="Your seat; first: you begin.")] = SeatChoice.random,
    seed: Annotated[int | None, typer.Option(min=0, help="Decides all that is drawn; a fresh one by default.")] = None,
    scoring_tiles: Annotated[
        str, typer.Option(help="3 or 4 random ones, first_game, or names of conditions with commas between them.")
    ] = "3",
    load: Annotated[
        Path | None, typer.Option(help="Go on with this game file; those who played it take their seats.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last game that was played here.")] = False,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in the terminal, without a page.")] = False,
    host: Annotated[str, typer.Option(help="Where the page is served.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Its port; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Play against an agent, in the browser or in the terminal; or watch two of them.

    Example: [bold]azul-duel play --opponent mcts:400[/]
    """
    from azul_duel_env.cli import _scoring_tiles
    from azul_duel_env.play.saves import autosave_file

    options = {"scoring_tiles": _scoring_tiles(scoring_tiles)}
    file = autosave_file() if resume else load
    seats = list(watch) if watch else None
    start = _starter(opponent, seats, seat.value, seed, options, file)
    if terminal:
        from azul_duel_env.play.terminal import play_in_terminal

        play_in_terminal(start())
        return
    known = [spec for spec in (opponent, *(seats or ())) if spec != "human"]
    _serve(start, known, host, port, browser)


def _starter(
    opponent: str, watch: list[str] | None, seat: str, seed: int | None, options: dict[str, Any], file: Path | None
) -> Callable[[], Session]:
    """Return what makes the first game, after a look at its specs, which costs nothing.

    Raises:
        ValueError: an unknown agent, wrong options, or no game file.
        OSError: the file can't be read.
    """
    from azul_duel_env.duel import GAME
    from azul_duel_env.play.saves import read_text
    from azul_duel_env.play.session import (
        HUMAN,
        Session,
        Setup,
        agent_of,
        fresh_seed,
        is_plain,
        read_session,
        setup_for,
    )

    trusted = {opponent, *(watch or ())}
    if file is not None:
        text = read_text(file)
        return lambda: read_session(text, lambda spec: is_plain(spec) or spec in trusted)
    for spec in watch or [opponent]:
        if spec != HUMAN:
            agent_of(spec)
    GAME.make_options(**options)
    if watch:
        return lambda: Session(Setup(tuple(watch), fresh_seed() if seed is None else seed, options))
    return lambda: Session(setup_for(opponent, seat, seed, options))


def _serve(start: Callable[[], Session], known: list[str], host: str, port: int, browser: bool) -> None:
    """Serve the page until Ctrl-C."""
    from azul_duel_env.cli import console
    from azul_duel_env.play.saves import autosave_file

    try:
        from azul_duel_env.play.server import Table, address_of, listen, serve
    except ImportError as error:
        raise ValueError(f"{EXTRA} ({error})") from None
    listening = listen(host, port)
    address = address_of(listening)

    def opened() -> None:
        console.print(
            f"Azul Duel at [bold]{address}[/]  (Ctrl-C ends; azul-duel play --resume goes on)", highlight=False
        )
        if browser:
            import webbrowser

            webbrowser.open(address)

    serve(Table(start, known, autosave_file()), listening, host, opened)
