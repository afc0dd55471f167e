"""Everything that lies on the table more than once, as symbols in a square of 32 x 32 units.

Each colour has a shape of its own, so that nobody needs to tell colours apart: blue a ring, turquoise a diamond, red a triangle, yellow
a star of four points, black two bars; special a flower, wild five dots.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

from azul_duel_env.games.duel.components import CHIP_SHOWS, NUM_CHIP_KINDS, NUM_COLOURS, SPECIAL, WILD
from azul_duel_env.games.duel.drawing.themes import COLOURS
from azul_duel_env.view.drawing.styles import symbols_of
from azul_duel_env.view.drawing.svg import Rect, box, number, tag

WHOLE = Rect(1, 1, 30, 30)
_SHAPES = {
    "turquoise": "M16 6.5L25.5 16L16 25.5L6.5 16Z",
    "red": "M16 7.5L25 23.5H7Z",
    "yellow": "M16 5.5L19 13L26.5 16L19 19L16 26.5L13 19L5.5 16L13 13Z",
    "black": "M8 9.5h16v4.5H8zM8 18h16v4.5H8z",
}


def _glyph(colour: str, paint: str, scale: float = 1.0, x: float = 16, y: float = 16) -> str:
    """Return the shape of a colour, smaller and elsewhere if asked."""
    if colour == "blue":
        shape = tag("circle", cx=16, cy=16, r=6.8, class_=f"ring k-{paint}")
    else:
        shape = tag("path", d=_SHAPES[colour], class_=f"f-{paint}")
    if scale == 1.0:
        return shape
    return tag("g", shape, transform=f"translate({number(x)} {number(y)}) scale({number(scale)}) translate(-16 -16)")


def _flower(paint: str) -> str:
    """Return the shape of special spaces and tiles: eight petals."""
    points = []
    for i in range(16):
        reach = 10.5 if i % 2 == 0 else 5.6
        points.append(f"{number(16 + reach * sin(i * pi / 8))} {number(16 - reach * cos(i * pi / 8))}")
    return tag("path", d="M" + "L".join(points) + "Z", class_=f"f-{paint}")


def _dots() -> str:
    """Return the shape of wild spaces: a dot of each colour in a ring."""
    dots = []
    for i, colour in enumerate(COLOURS):
        angle = 2 * pi * i / NUM_COLOURS
        dots.append(
            tag(
                "circle",
                cx=16 + 7.6 * sin(angle),
                cy=16 - 7.6 * cos(angle),
                r=3.5,
                class_=f"f-{colour} k-rim",
                stroke_width=0.4,
            )
        )
    return "".join(dots)


def _tile(colour: str) -> str:
    """Return a tile of a colour."""
    on = "on-yellow" if colour == "yellow" else "on-tile"
    rim = f"f-{colour} k-{'rim' if colour == 'black' else colour}"
    return box(WHOLE, rim, 7, stroke_width=1) + _glyph(colour, on)


def _space(colour: str) -> str:
    """Return an empty space of a colour."""
    return box(WHOLE, f"f-pale-{colour}", 7) + _glyph(colour, f"glyph-{colour}", 0.72)


def _chip(kind: int) -> str:
    """Return a bonus chip, face up: a half for each of its colours; one with one colour has an empty half."""
    shown = [colour for colour, shows in zip(COLOURS, CHIP_SHOWS[kind].tolist(), strict=True) if shows]
    halves = [shown[0], shown[1] if len(shown) > 1 else "well"]
    left = tag("path", d="M16 2A14 14 0 0 0 16 30Z", class_=f"f-{halves[0]}")
    right = tag("path", d="M16 2A14 14 0 0 1 16 30Z", class_=f"f-{halves[1]}")
    glyphs = [
        _glyph(colour, "on-yellow" if colour == "yellow" else "on-tile", 0.46, 9.6 + 12.8 * side, 16)
        for side, colour in enumerate(shown)
    ]
    rim = tag("circle", cx=16, cy=16, r=14, class_="none k-muted", stroke_width=1.4)
    return left + right + "".join(glyphs) + rim


def _chip_down() -> str:
    """Return a bonus chip, face down."""
    circle = tag("circle", cx=16, cy=16, r=14, class_="f-frame k-muted", stroke_width=1.4)
    return circle + tag("circle", cx=16, cy=16, r=8, class_="none k-card", stroke_width=2)


def _back(shape: str) -> str:
    """Return the back of a dome tile."""
    return box(WHOLE, "f-plain k-plain-ink", 5, stroke_width=1) + shape


def _first_player() -> str:
    """Return the first-player tile: a 1, drawn so that it needs no font."""
    one = tag("path", d="M11.5 12.2L16.6 8H18.6V24H15.2V12.6L12.8 14.4Z", class_="f-on-accent")
    return tag("circle", cx=16, cy=16, r=14.5, class_="f-accent") + one


def _token(unused: bool) -> str:
    """Return a player token: a little dome."""
    shape = "M5 25A11 13 0 0 1 27 25Z"
    return tag(
        "path",
        d=shape,
        class_="f-accent k-accent" if unused else "none k-faint",
        stroke_width=2,
        stroke_linejoin="round",
    )


def _sun() -> str:
    rays = [f"M16 16L{number(16 + 14 * sin(i * pi / 4))} {number(16 - 14 * cos(i * pi / 4))}" for i in range(8)]
    return tag("path", d="".join(rays), class_="none k-glyph-yellow", stroke_width=2.6) + tag(
        "circle", cx=16, cy=16, r=7.5, class_="f-glyph-yellow k-sun", stroke_width=2
    )


def _moon() -> str:
    return tag("path", d="M21 4A12.5 12.5 0 1 0 28 21A10.5 10.5 0 0 1 21 4Z", class_="f-plain-ink")


def tile_symbol(tile: int) -> str:
    """Return the symbol of a tile: a colour or SPECIAL."""
    return f"t{tile}"


def space_symbol(space: int) -> str:
    """Return the symbol of an empty space: a colour, SPECIAL or WILD."""
    return f"s{space}"


@lru_cache
def symbols(prefix: str) -> dict[str, str]:
    """Return all symbols by their ids, which begin with ``prefix``."""
    shapes = {tile_symbol(i): _tile(colour) for i, colour in enumerate(COLOURS)}
    shapes |= {space_symbol(i): _space(colour) for i, colour in enumerate(COLOURS)}
    shapes |= {f"c{kind}": _chip(kind) for kind in range(NUM_CHIP_KINDS)}
    shapes |= {
        tile_symbol(SPECIAL): box(WHOLE, "f-special k-special", 7, stroke_width=1) + _flower("on-tile"),
        space_symbol(SPECIAL): box(WHOLE.grown(-0.5), "f-plain k-plain-ink", 7, stroke_dasharray="3 2.4")
        + _flower("plain-ink"),
        space_symbol(WILD): box(WHOLE.grown(-0.5), "f-card k-muted", 7, stroke_width=1) + _dots(),
        "down": _chip_down(),
        "back0": _back(_flower("plain-ink")),
        "back1": _back(_dots()),
        "first": _first_player(),
        "token1": _token(True),
        "token0": _token(False),
        "sun": _sun(),
        "moon": _moon(),
    }
    return symbols_of(shapes, prefix)
