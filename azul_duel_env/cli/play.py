"""The command ``azul-duel play``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from azul_duel_env.cli.game_options import GameId, Players, options_given
from azul_duel_env.cli.shared import errors, libraries_for
from azul_duel_env.games import DEFAULT_GAME, find_game

if TYPE_CHECKING:
    from azul_duel_env.game import Game
    from azul_duel_env.play.new_game import Setup
    from azul_duel_env.play.session import Session
    from azul_duel_env.play.table import Table

WHERE = ("terminal", "host", "port", "allow_origin", "browser", "adviser")
"""Options that say where is played and who looks on, and nothing of what."""

OF_NEW_GAMES = ("watch", "seat", "seed")
"""What, besides the options of the game, a game that goes on has already."""

PORT = 8765
"""Of the page: the same at each start, so that a page that has lost its server finds the next one."""


def play(
    ctx: typer.Context,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[A B]", help="With --watch: one for each seat.")
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="An agent, such as [bold]mcts:400[/] or network:PATH of an exported model; sb3:PATH of a saved MaskablePPO and "
            "module:function run code from there, so name only what you trust; [bold]human[/] for another person. One for all other seats, "
            "or once for each, in turn order; mcts:400 if left out.",
            show_default=False,
        ),
    ] = None,
    seat: Annotated[
        str,
        typer.Option(
            help="Yours: [bold]random[/]; [bold]first[/] or [bold]second[/], and so on, to begin round 1; or [bold]player_0[/] and so on."
        ),
    ] = "random",
    watch: Annotated[bool, typer.Option("--watch", help="Watch agents instead: --watch A B.")] = False,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Decides all that is drawn; a fresh one if left out.")] = None,
    adviser: Annotated[
        str | None,
        typer.Option(
            help="The search that gives hints and analyses games, such as [bold]network+mcts:400:PATH[/]; that "
            "which suits the game if left out.",
            show_default=False,
        ),
    ] = None,
    load: Annotated[Path | None, typer.Option(help="Go on with a game file, in its seats.")] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the game that was played last; --load FILE with any that was kept."),
    ] = False,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play here, in text.")] = False,
    host: Annotated[
        str, typer.Option(help="Where the page is served; other addresses than this let the network play along.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help=f"Of the page; 0 for a free one. {PORT} if left out, or a free one if it is taken."
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Where a service that forwards the port shows the page, such as [bold]https://name.example[/]; once for each. No other "
            "site is answered.",
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")] = True,
) -> None:
    r"""Play against agents in the browser, with hints and undo; or several people at one screen, or watch agents.

    Where nothing is named, the page asks what to play. It needs [bold]pip install 'azul_duel_env\[play]'[/]. The game is kept on disk as it
    is played: [bold]--resume[/] goes on.

    Example: [bold]azul-duel play --opponent network+mcts:200 --seat first[/]
    """
    from azul_duel_env.agents import find_search
    from azul_duel_env.arena.game_file import game_of
    from azul_duel_env.play.agents import check_agent
    from azul_duel_env.play.new_game import HUMAN
    from azul_duel_env.play.saves import Autosave, autosave_folder
    from azul_duel_env.play.session_file import read_text

    if load is not None and resume:
        raise typer.BadParameter("--load and --resume name a game each: give one")
    if bool(agents) != watch:
        raise typer.BadParameter("--watch takes an agent for each seat, and nothing else does: --watch A B")
    opponents = opponent or ["mcts:400"]
    specs = tuple(spec for spec in (agents or opponents) if spec != HUMAN)
    with Autosave(autosave_folder()) as saves:
        file = saves.resume() if resume else load
        text = None if file is None else read_text(file)
        if text is None:
            game = find_game(game_id, players)
        else:
            game = game_of(text)
            _check_named(ctx, game, game_id, players)
            _check_goes_on(ctx, game)
        options = options_given(ctx, game)
        for spec in specs:
            check_agent(game, spec)
        if adviser is not None:
            find_search(game, adviser)
        start = _starting(text, specs, lambda: _setup(game, agents, opponents, seat, seed, options))
        if terminal:
            from azul_duel_env.play.terminal import play_in_terminal

            play_in_terminal(start(), saves, Console(highlight=False), adviser)
        else:
            from azul_duel_env.play.table import Table

            table = Table(start, specs, saves, game, is_offered=not _named(ctx) - set(WHERE), adviser=adviser)
            _serve(table, saves.folder, host, port, allow_origin or [], browser)


def _named(ctx: typer.Context) -> set[str]:
    """Return the parameters that the command was given."""
    names = [str(param.name) for param in ctx.command.get_params(ctx)]
    return {
        name for name in names if (source := ctx.get_parameter_source(name)) is not None and source.name != "DEFAULT"
    }


def _check_goes_on(ctx: typer.Context, game: Game) -> None:
    """Check that a command that goes on with a game asks for nothing that is decided when one begins.

    Raises:
        BadParameter: it does.
    """
    from azul_duel_env.game.options import offered_options

    named = _named(ctx)
    decided = (*OF_NEW_GAMES, *(option.name for option, _ in offered_options(game.options)))
    wrong = [f"--{name.replace('_', '-')}" for name in decided if name in named]
    if wrong:
        raise typer.BadParameter(f"{', '.join(wrong)}: for new games only; a game that goes on has begun already")


def _check_named(ctx: typer.Context, game: Game, game_id: str, players: int | None) -> None:
    """Check that the game of a file is the one that the command names, as far as it names one.

    Raises:
        BadParameter: it is another one, or for another number of players.
    """
    if "game_id" in _named(ctx) and find_game(game_id).id != game.id:
        raise typer.BadParameter(f"the file holds a game of {game.id}, not of {game_id}", param_hint="--game")
    if players not in (None, game.num_players):
        raise typer.BadParameter(
            f"the file holds a game of {game.num_players} players, not of {players}", param_hint="--players"
        )


def _starting(text: str | None, specs: Sequence[str], make_setup: Callable[[], Setup]) -> Callable[[], Session]:
    """Return what starts the game of a file, or without one the game that the command asks for; a wrong option is told now.

    Raises:
        ValueError: a wrong option.
    """
    from azul_duel_env.play.agents import is_plain
    from azul_duel_env.play.session import Session
    from azul_duel_env.play.session_file import read_session

    if text is not None:
        return lambda: read_session(text, lambda game, spec: is_plain(game, spec) or spec in specs)
    setup = make_setup()
    return lambda: Session(setup)


def _setup(
    game: Game,
    watched: Sequence[str] | None,
    opponents: Sequence[str],
    seat: str,
    seed: int | None,
    options: dict[str, Any],
) -> Setup:
    """Return how the game starts that the command asks for.

    Raises:
        ValueError: a wrong seat, or not an agent for each seat.
    """
    from azul_duel_env.play.new_game import Setup, fresh_seed, setup_for

    if not watched:
        return setup_for(opponents, seat, seed, options, game)
    if len(watched) != game.num_players:
        raise ValueError(f"--watch takes {game.num_players} agents in {game.title}, not {len(watched)}")
    return Setup(tuple(watched), fresh_seed() if seed is None else seed, options, game)


def _serve(table: Table, folder: Path, host: str, port: int | None, origins: Sequence[str], browser: bool) -> None:
    """Serve the page until Ctrl-C."""
    with libraries_for("the page", "play", "; --terminal needs nothing more"):
        from azul_duel_env.play.guard import origin_of
        from azul_duel_env.play.server import address_of, listen, listen_near, serve

    allowed = [origin_of(url) for url in origins]
    listening = listen_near(host, PORT) if port is None else listen(host, port)
    address = address_of(listening)

    def opened() -> None:
        kept = f"games are kept in {folder}"
        title = table.game.full_title
        errors.print(f"{title} is at {address}  (Ctrl-C ends; {kept}: --resume goes on)", markup=False, highlight=False)
        sys.stderr.flush()
        if browser:
            _open_browser(address)

    serve(table, listening, host, opened, allowed)


def _open_browser(address: str) -> None:
    """Open the page, in a thread: some browsers take their time."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
