"""Commands that measure and look up: bench, perft, rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from azul_duel_env.cli.screen import show
from azul_duel_env.cli.shared import GAME_ID, console, errors, hand_out, is_free, write_json

if TYPE_CHECKING:
    from azul_duel_env.game import Position


def bench(
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each contestant.")] = 5.0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON; - for standard output.")
    ] = None,
) -> None:
    """Measure the core, every kind of environment, the search and the peers that are installed, in one run, and print ratios.

    Peers: [bold]pip install open-spiel pygame-ce[/].
    """
    from azul_duel_env.bench import measure
    from azul_duel_env.games import find_game

    with errors.status("") as status:
        figures = measure(find_game(GAME_ID), seconds, status.update)
    hand_out(
        lambda: _show_figures(figures) if is_free(json_file) else None,
        lambda: write_json(json_file, figures),
    )


def _show_figures(figures: dict[str, Any]) -> None:
    from azul_duel_env.bench import search_line

    machine = figures["machine"]
    table = Table(title=f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}")
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
