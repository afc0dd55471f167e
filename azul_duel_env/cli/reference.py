"""Commands that measure, look up and compile: bench, perft, rules, compile-rules."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from azul_duel_env.cli.game_options import GameId, Players
from azul_duel_env.cli.output import show
from azul_duel_env.cli.shared import console, errors, hand_out, is_free, write_json
from azul_duel_env.games import DEFAULT_GAME, SHORT_NAMES, find_game
from azul_duel_env.jit import COMPILED
from azul_duel_env.system.reading import read_text

if TYPE_CHECKING:
    from azul_duel_env.game import Game, Position


MOST_POSITION = 64 * 1024
"""Bytes of a position in notation, which has about 2 KiB."""


def bench(
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each contestant.")] = 5.0,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON; - for standard output.")
    ] = None,
) -> None:
    """Measure the core, every kind of environment, the search and the peers that are installed, in one run, and print ratios.

    Peers: [bold]pip install open-spiel pygame-ce[/].
    """
    from azul_duel_env.tools.bench import measure

    game = find_game(game_id, players)
    with errors.status("") as status:
        figures = measure(game, seconds, status.update)
    hand_out(
        lambda: _show_figures(game, figures) if is_free(json_file) else None,
        lambda: write_json(json_file, figures),
    )


def _show_figures(game: Game, figures: dict[str, Any]) -> None:
    from azul_duel_env.tools.bench import search_line

    machine = figures["machine"]
    where = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}"
    table = Table(title=f"{game.full_title}: {where}")
    table.add_column("what")
    table.add_column("decisions a second", justify="right")
    for name, value in figures["decisions_per_second"].items():
        table.add_row(figures["texts"][name], f"{value:,}")
    show(table)
    show(search_line(figures["search"]))
    for name, value in figures["ratios"].items():
        show(f"{name}: {value:,.1f} times")
    for name, value in figures["facts"].items():
        show(f"{name.replace('_', ' ')}: {value:,}")


def perft(
    depth: Annotated[int, typer.Option(min=1, max=8, help="How many decisions deep.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of the game whose first position is counted.")] = 1,
    position: Annotated[
        Path | None, typer.Option(help="A file with a position in notation, instead of a seed.")
    ] = None,
    game_id: GameId = DEFAULT_GAME,
    players: Players = None,
) -> None:
    """Count the sequences of decisions from a position, depth by depth: a check of the rules, and a benchmark.

    What is drawn on the way comes from the position's own generator.
    """
    import time

    game = find_game(game_id, players)
    start = game.new(seed) if position is None else game.read_position(read_text(position, MOST_POSITION))
    game.rules.count_leaves(start.states, 1)
    for level in range(1, depth + 1):
        begun = time.perf_counter()
        leaves = _count_leaves(start, level)
        console.print(f"{level}: {leaves:,} ({time.perf_counter() - begun:.3f} s)", highlight=False)


def _count_leaves(position: Position, depth: int) -> int:
    """Count move by move down to two decisions, where Ctrl-C can still stop it."""
    if depth <= 2:
        return position.game.rules.count_leaves(position.states, depth)
    leaves = 0
    for action in position.legal_actions().tolist():
        child = position.copy()
        child.step(action)
        leaves += _count_leaves(child, depth - 1)
    return leaves


def rules(
    number: Annotated[
        str | None,
        typer.Argument(
            help="Number of a rule, a ruling or a chapter of the rules, such as D36, R24 and A.4; none lists what there is."
        ),
    ] = None,
    game_id: GameId = DEFAULT_GAME,
) -> None:
    """Show a rule, a chapter of the rules, or a ruling on what the rulebooks leave open, and the code that carries it out."""
    from rich.markdown import Markdown

    from azul_duel_env.tools.rulings import find_passage, places_of

    package = find_game(game_id).package
    if number is None:
        _list_rules(package)
        return
    passage = find_passage(number, package)
    console.print(f"{passage.number} {passage.title}", style="bold", markup=False, highlight=False)
    console.print()
    console.print(Markdown(passage.text))
    places = places_of(passage.number, package)
    console.print(f"\nIn {package}:" if places else f"\nNo line of {package} names it.", style="bold", highlight=False)
    for place in places:
        console.print(f"  {place}", markup=False, highlight=False, soft_wrap=True)


def _list_rules(package: str) -> None:
    """Print the titles of chapters, with their rules, and of rulings."""
    from azul_duel_env.tools.rulings import read_chapters, read_rulings

    for chapter in read_chapters(package).values():
        held = list(chapter.rules())
        span = f" ({held[0]} to {held[-1]})" if len(held) > 1 else f" ({held[0]})" if held else ""
        console.print(f"{chapter.number:4} {chapter.title}{span}", markup=False, highlight=False)
    for ruling in read_rulings(package).values():
        console.print(f"{ruling.number:4} {ruling.title}", markup=False, highlight=False)


def compile_rules(
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="The game; all games if none is named.")
    ] = None,
    players: Players = None,
) -> None:
    """Compile the environments and agents of a game ahead, once for this version: in an image of a container, say.

    Without [bold]--players[/] it is done for the usual number. Compiled code goes to the user's cache folder, or below NUMBA_CACHE_DIR.
    """
    from azul_duel_env.tools.compile_ahead import parts

    if not COMPILED:
        raise ValueError("nothing is compiled under NUMBA_DISABLE_JIT=1")
    for found in [find_game(name, players) for name in ([game] if game else SHORT_NAMES)]:
        for what, use in parts(found):
            started = time.perf_counter()
            use()
            errors.print(f"{found.full_title}: {what}, {time.perf_counter() - started:.1f} s")
