"""Tiles: diamonds with the shape of their colour, alone or counted."""

from __future__ import annotations

from math import sqrt

from azul_duel_env.games.pavilion_mini.components import COLOURS
from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.svg import Diamond, Rect, box, text

GLYPH = 0.5
"""Side of the square of a tile's shape, in edges of the tile."""


def tile(canvas: Canvas, colour: int, place: Diamond) -> str:
    """Return a tile; its shape stays upright however it lies."""
    name = COLOURS[colour]
    rounded = 0.1 * place.side
    body = place.grown(-rounded / 2).outline(f"f-{name} k-{name}", stroke_width=rounded)
    return body + canvas.symbol(f"t{colour}", square(place.centre, GLYPH * place.side))


def square(centre: tuple[float, float], side: float) -> Rect:
    """Return a square around a point."""
    return Rect(centre[0] - side / 2, centre[1] - side / 2, side, side)


def upright(rect: Rect, height: float) -> Diamond:
    """Return a diamond of a height, standing in the middle of a rectangle."""
    return Diamond(*rect.centre, height / sqrt(3))


def counted(canvas: Canvas, colour: int, count: int, rect: Rect, height: float) -> str:
    """Return a tile with a number beside it; the place of one, if there is none."""
    number = 15.0
    wide = height / sqrt(3)
    left = rect.centre[0] - (wide + number) / 2
    stands = upright(Rect(left, rect.y, wide, rect.h), height)
    if count == 0:
        return stands.grown(-2).outline(f"f-pale-{COLOURS[colour]}", opacity=0.6)
    label = text(str(count), left + wide + 2, rect.centre[1] + 5, "l b")
    return tile(canvas, colour, stands) + label


def wild_mark(rect: Rect) -> str:
    """Return the mark of the colour that is wild: a bar below its tile."""
    return box(Rect(rect.x + 5, rect.y + rect.h - 3, rect.w - 10, 3), "f-accent", 1.5)
