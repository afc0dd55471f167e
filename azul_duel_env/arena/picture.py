"""A ladder as a picture."""

from __future__ import annotations

from pathlib import Path

from azul_duel_env.arena.ladder import Standings

COLOUR = "#0072b2"
OPEN_LENGTH = 250.0  # Elo points of the dotted line where games don't bound an interval


def draw_ladder(standings: Standings, file: Path, title: str) -> None:
    """Draw ratings with 95% intervals, strongest on top.

    Args:
        standings: what came out.
        file: a picture, its kind by its ending.
        title: of the picture.

    Raises:
        ValueError: an ending that stands for no kind of picture, or matplotlib is not installed.
        OSError: the file can't be written.
    """
    check_picture(file)
    from matplotlib.figure import Figure

    ratings = standings.ratings[::-1]
    figure = Figure(figsize=(9, 1.4 + 0.45 * len(ratings)), layout="constrained")
    axes = figure.subplots()
    values = [rating.rating for rating in ratings]
    for place, rating in enumerate(ratings):
        for end, side in ((rating.low, -1), (rating.high, 1)):
            reach = rating.rating + side * OPEN_LENGTH if end is None else end
            axes.plot([rating.rating, reach], [place, place], ":" if end is None else "-|", color=COLOUR)
    axes.plot(values, range(len(ratings)), "o", color=COLOUR)
    for place, rating in enumerate(ratings):
        axes.annotate(
            f"{rating.rating:.0f}", (rating.rating, place), (0, 7), textcoords="offset points", ha="center", fontsize=8
        )
    axes.set_yticks(range(len(ratings)), [rating.agent for rating in ratings])
    axes.set(xlabel=f"Elo points, {standings.anchor} = 0, with 95% intervals", title=title)
    axes.set_ylim(-0.6, len(ratings) - 0.4)
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=110)


def check_picture(file: Path) -> None:
    """Find out whether a picture can be drawn, before anything is played.

    Raises:
        ValueError: an ending that stands for no kind of picture, or matplotlib is not installed.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise ValueError("a picture needs matplotlib: pip install 'azul_duel_env[train]'") from None
    kinds = FigureCanvasBase.get_supported_filetypes()
    if file.suffix.lstrip(".").lower() not in kinds:
        raise ValueError(f"{file} must end with a kind of picture, such as .png: {', '.join(sorted(kinds))}")
