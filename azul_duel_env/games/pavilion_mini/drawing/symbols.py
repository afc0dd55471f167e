"""The shapes of colours and structures, as symbols in a square of 32 x 32 units.

Each colour has a shape of its own, so that nobody needs to tell colours apart: purple a cross, green two bars, orange a square, yellow a
star of four points, blue a ring, red a triangle. A pillar is a disc with a square, a statue a figure on a base, a window an arch.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

from azul_duel_env.games.pavilion_mini.components import COLOURS, NUM_COLOURS, STRUCTURE_KINDS
from azul_duel_env.view.drawing.styles import symbols_of
from azul_duel_env.view.drawing.svg import tag

_SHAPES = {
    "purple": "M12 5h8v7h7v8h-7v7h-8v-7h-7v-8h7z",
    "green": "M6 7.5h20v6.5H6zM6 18h20v6.5H6z",
    "orange": "M7.5 7.5h17v17h-17z",
    "yellow": "M16 2L20 12L30 16L20 20L16 30L12 20L2 16L12 12Z",
    "red": "M16 4.5L28 26.5H4Z",
}
LIGHT_COLOURS = ("orange", "yellow")
"""Colours on which shapes are dark."""


def _glyph(colour: str, paint: str) -> str:
    """Return the shape of a colour."""
    if colour == "blue":
        return tag("circle", cx=16, cy=16, r=9, class_=f"none k-{paint}", stroke_width=5.4)
    return tag("path", d=_SHAPES[colour], class_=f"f-{paint}")


def _dots() -> str:
    """Return the shape of a star of several colours: a dot of each colour in a ring."""
    dots = []
    for i, colour in enumerate(COLOURS):
        angle = 2 * pi * i / NUM_COLOURS
        place = {"cx": 16 + 9.5 * sin(angle), "cy": 16 - 9.5 * cos(angle)}
        dots.append(tag("circle", **place, r=4.4, class_=f"f-{colour}"))
    return "".join(dots)


_STRUCTURES = {
    "pillar": "M16 3A13 13 0 0 1 16 29A13 13 0 0 1 16 3ZM10.5 10.5V21.5H21.5V10.5Z",
    "statue": "M16 2A5.5 5.5 0 0 1 16 13A5.5 5.5 0 0 1 16 2ZM16 14.5C21.5 14.5 23 18 22.5 24H25.5V30H6.5V24H9.5C9 18 10.5 14.5 16 14.5Z",
    "window": "M5 30V15A11 11 0 0 1 27 15V30ZM9 26H14.3V17H9ZM17.7 26H23V17H17.7ZM9.2 13.4H22.8A7.4 7.4 0 0 0 9.2 13.4Z",
}


def _structure(kind: str, paint: str) -> str:
    return tag("path", d=_STRUCTURES[kind], class_=f"f-{paint}", fill_rule="evenodd")


def _first_player() -> str:
    """Return the first-player token: a 1, drawn so that it needs no font."""
    one = tag("path", d="M11.5 12.2L16.6 8H18.6V24H15.2V12.6L12.8 14.4Z", class_="f-on-accent")
    return tag("circle", cx=16, cy=16, r=14.5, class_="f-accent") + one


def on_tile(colour: str) -> str:
    """Return what shapes on tiles of a colour are painted with."""
    return "on-light" if colour in LIGHT_COLOURS else "on-dark"


@lru_cache
def symbols(prefix: str) -> dict[str, str]:
    """Return all symbols by their ids, which begin with ``prefix``.

    Names are ``tC`` for the shape of colour C on a tile, ``gC`` for that on paper, ``dots``, ``first``, and ``KIND1`` and ``KIND0`` for
    structures that are closed or not.
    """
    shapes = {f"t{i}": _glyph(colour, on_tile(colour)) for i, colour in enumerate(COLOURS)}
    shapes |= {f"g{i}": _glyph(colour, f"glyph-{colour}") for i, colour in enumerate(COLOURS)}
    shapes |= {f"{kind}1": _structure(kind, "gold-line") for kind in STRUCTURE_KINDS}
    shapes |= {f"{kind}0": _structure(kind, "stone-line") for kind in STRUCTURE_KINDS}
    return symbols_of(shapes | {"dots": _dots(), "first": _first_player()}, prefix)
