"""A ladder as pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from azul_duel_env.arena.ladder import Standings
from azul_duel_env.arena.ratings import Rating

COLOUR = "#0072b2"
SEARCH = re.compile("([^:]*):([0-9]+(?:ms)?)(:.*)?")
"""The spec of an agent that searches: its family, its budget, and the file of its network."""
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


def draw_scaling(standings: Standings, file: Path, title: str) -> None:
    """Draw ratings against milliseconds a decision: a line for each search with several budgets, which stand at its points.

    Args:
        standings: what came out.
        file: a picture, its kind by its ending.
        title: of the picture.

    Raises:
        ValueError: an ending that stands for no kind of picture, or matplotlib is not installed, or nobody's time is known.
        OSError: the file can't be written.
    """
    check_picture(file)
    from matplotlib.figure import Figure

    timed = [rating for rating in standings.ratings if rating.seconds_per_decision > 0]
    if not timed:
        raise ValueError("ratings against time need games whose time was measured")
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for name, ratings in _by_search(timed).items():
        _draw_line(axes, name, ratings)
    axes.set_xscale("log")
    axes.set(xlabel="milliseconds a decision", ylabel=f"Elo points, {standings.anchor} = 0", title=title)
    axes.margins(0.08)
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.savefig(file, dpi=110)


def _by_search(ratings: list[Rating]) -> dict[str, list[Rating]]:
    """Return ratings by search, whatever its budget; an agent that doesn't search stands for itself."""
    found: dict[str, list[Rating]] = {}
    for rating in sorted(ratings, key=lambda rating: rating.seconds_per_decision):
        parts = SEARCH.fullmatch(rating.agent)
        name = f"{parts[1]}{parts[3] or ''}" if parts else rating.agent
        found.setdefault(name, []).append(rating)
    return found


def _draw_line(axes: Any, name: str, ratings: list[Rating]) -> None:
    """Draw a search, its budgets at its points, or one agent."""
    times = [1000 * rating.seconds_per_decision for rating in ratings]
    values = [rating.rating for rating in ratings]
    axes.plot(times, values, "o-", label=name)
    for time, rating in zip(times, ratings, strict=True):
        parts = SEARCH.fullmatch(rating.agent)
        if parts:
            axes.annotate(parts[2], (time, rating.rating), (0, 7), textcoords="offset points", ha="center", fontsize=8)


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
