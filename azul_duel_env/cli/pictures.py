"""The commands that make films and pictures of played games."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from azul_duel_env.cli.shared import GameFile, errors, progress_bar, read_game


class Theme(StrEnum):
    """Colours of a picture."""

    auto = "auto"
    light = "light"
    dark = "dark"


class Layout(StrEnum):
    """Arrangements of a picture."""

    wide = "wide"
    narrow = "narrow"


ThemeOption = Annotated[Theme, typer.Option(help="auto: as the reader's browser is set; light where there is none.")]
SeatOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="The point of view: whose board is below, and who may know it. That of the only person if left out, else 0.",
    ),
]


def film(
    file: GameFile,
    out: Annotated[Path, typer.Argument(help="The film: .html with slider and moves in words, .gif or .mp4.")],
    theme: ThemeOption = Theme.auto,
    seat: SeatOption = None,
    width: Annotated[int, typer.Option(help="Pixels, an even number; a page fills its window.")] = 800,
    fps: Annotated[
        float, typer.Option(help="Decisions a second; what follows one, such as the end of a round, is shown longer.")
    ] = 2.0,
) -> None:
    """Make a film of a game: a page that plays by itself, offline; a GIF; or an MP4.

    Example: [bold]azul-duel tournament mcts:400 greedy --games 2 --save games[/], then
    [bold]azul-duel film games/NAME.game game.html[/]
    """
    from azul_duel_env.arena.film import check_film, write_film

    check_film(out)
    record = read_game(file)
    with progress_bar() as bar:
        task = bar.add_task(out.name, total=None)
        write_film(
            record,
            out,
            theme=theme.value,
            seat=seat,
            width=width,
            fps=fps,
            report=lambda number, total: bar.update(task, completed=number, total=total),
        )
    errors.print(f"wrote {out} ({out.stat().st_size / 1e6:.1f} MB)", highlight=False)


def picture(
    file: GameFile,
    out: Annotated[Path, typer.Argument(help="The picture: .svg or .png.")],
    decision: Annotated[int | None, typer.Option(help="After so many decisions; at the end if left out.")] = None,
    theme: ThemeOption = Theme.light,
    seat: SeatOption = None,
    width: Annotated[int, typer.Option(help="Pixels.")] = 800,
    layout: Annotated[Layout, typer.Option(help="wide, or narrow for a phone.")] = Layout.wide,
    legal: Annotated[bool, typer.Option("--legal", help="Outline the legal actions.")] = False,
) -> None:
    """Draw the table of a game after so many decisions."""
    from azul_duel_env.arena.film import write_picture

    record = read_game(file)
    write_picture(record, out, decision, theme=theme.value, seat=seat, width=width, layout=layout.value, legal=legal)
    errors.print(f"wrote {out}", highlight=False)
