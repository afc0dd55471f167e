"""A little SVG: tags as text, and places: rectangles and diamonds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from itertools import chain
from math import cos, radians, sin, sqrt
from typing import NamedTuple, Protocol


class Rect(NamedTuple):
    """A rectangle in units of the drawing: left, top, width, height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def centre(self) -> tuple[float, float]:
        """The middle, (x, y)."""
        return self.x + self.w / 2, self.y + self.h / 2

    def grown(self, by: float) -> Rect:
        """Return it larger by so much on each side."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)

    def around(self, width: float, height: float) -> Rect:
        """Return it at least so wide and high, with the same middle."""
        wider, higher = max(0.0, width - self.w) / 2, max(0.0, height - self.h) / 2
        return Rect(self.x - wider, self.y - higher, self.w + 2 * wider, self.h + 2 * higher)

    @property
    def extent(self) -> Rect:
        """The smallest rectangle that holds it."""
        return self

    def outline(self, class_: str, radius: float = 0.0, **attributes: str | float | None) -> str:
        """Return its shape with a class of the style sheet."""
        return box(self, class_, radius, **attributes)


class Diamond(NamedTuple):
    """A rhombus with angles of 60 and 120 degrees.

    Attributes:
        x, y: its middle, in units of the drawing.
        side: length of an edge.
        axis: direction of the long diagonal, in degrees, anticlockwise from the right.
    """

    x: float
    y: float
    side: float
    axis: float = 90.0

    @property
    def centre(self) -> tuple[float, float]:
        """The middle, (x, y)."""
        return self.x, self.y

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The four corners, (x, y), beginning with an acute one."""
        u, v = cos(radians(self.axis)), -sin(radians(self.axis))
        long, short = sqrt(3) / 2 * self.side, self.side / 2
        return (
            (self.x + long * u, self.y + long * v),
            (self.x - short * v, self.y + short * u),
            (self.x - long * u, self.y - long * v),
            (self.x + short * v, self.y - short * u),
        )

    @property
    def extent(self) -> Rect:
        """The smallest rectangle that holds it."""
        xs, ys = zip(*self.corners, strict=True)
        return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))

    def grown(self, by: float) -> Diamond:
        """Return it with each edge moved outwards by so much."""
        return self._replace(side=self.side + 4 * by / sqrt(3))

    def outline(self, class_: str, radius: float = 0.0, **attributes: str | float | None) -> str:  # noqa: ARG002 # as that of a rectangle
        """Return its shape with a class of the style sheet; its corners are as round as lines are joined."""
        return tag("path", d=_path_of(self), class_=class_, stroke_linejoin="round", **attributes)


class Place(Protocol):
    """Where something lies: a rectangle, a diamond, or a shape of a game's own."""

    @property
    def centre(self) -> tuple[float, float]:
        """The middle, (x, y)."""

    @property
    def extent(self) -> Rect:
        """The smallest rectangle that holds it."""

    def grown(self, by: float) -> Place:
        """Return it larger by so much on each side."""

    def outline(self, class_: str, radius: float = 0.0, **attributes: str | float | None) -> str:
        """Return its shape with a class of the style sheet; corners may be rounded."""


@lru_cache(4096)
def _path_of(diamond: Diamond) -> str:
    """Return the closed path through the corners of a diamond; those of boards are the same in each picture."""
    return "M" + "L".join([f"{number(x)} {number(y)}" for x, y in diamond.corners]) + "Z"


def hull(places: Sequence[Place]) -> Rect:
    """Return the smallest rectangle that holds all of these (at least one)."""
    rects = [place.extent for place in places]
    left, top = min(r.x for r in rects), min(r.y for r in rects)
    return Rect(left, top, max(r.x + r.w for r in rects) - left, max(r.y + r.h for r in rects) - top)


def number(value: float) -> str:
    """Return a number with at most two decimals, and none without need."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return ``<name attributes>children</name>``.

    Attributes are written with ``-`` for ``_`` (a last ``_`` is dropped, as in ``class_``), left out if None, and escaped; children are
    SVG already.
    """
    shown = "".join(
        [
            f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
            for key, value in attributes.items()
            if value is not None
        ]
    )
    return f"<{name}{shown}>{''.join(children)}</{name}>" if children else f"<{name}{shown}/>"


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def box(rect: Rect, class_: str, radius: float = 0.0, **attributes: str | float | None) -> str:
    """Return a rectangle with a class of the style sheet."""
    x, y, w, h = rect
    return tag("rect", x=x, y=y, width=w, height=h, rx=radius or None, class_=class_, **attributes)


def use(symbol: str, rect: Rect) -> str:
    """Return a symbol, by its id, in a rectangle."""
    x, y, w, h = (number(value) for value in rect)
    return f'<use href="#{symbol}" x="{x}" y="{y}" width="{w}" height="{h}"/>'


def text(words: str, x: float, y: float, class_: str, anchor: str | None = None) -> str:
    """Return a line of text with its base line at y; ``anchor`` is ``"middle"`` or ``"end"``."""
    return tag("text", escape(words, quote=False), x=x, y=y, class_=class_, text_anchor=anchor)


BREADTHS = {0.6: " '.,:;/|-ijlfIJ", 0.8: "()[]rt!", 1.9: "mwMW%@"}
"""How broad letters are beside the mean one of a sentence, in the fonts that pictures are shown in; see ``breadth`` for all others."""
BREADTH_OF = {letter: breadth for breadth, letters in BREADTHS.items() for letter in letters}


def breadth(words: str) -> float:
    """Return how broad a line of text is, in mean letters."""
    return sum(BREADTH_OF.get(letter, 1.45 if letter.isupper() else 1.2) for letter in words)


def wrapped(words: str, width: float, letter: float, most: int | None = None) -> list[str]:
    """Return a text broken into lines, where the mean letter is so wide; into at most so many, with an ellipsis if it was cut."""
    room = width / letter
    lines: list[str] = [""]
    for piece in chain.from_iterable(_pieces(word, room) for word in words.split()):
        longer = f"{lines[-1]} {piece}".strip()
        if breadth(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(piece)
    if most is None or len(lines) <= most:
        return lines
    if most <= 0:
        return []
    last = lines[most - 1]
    while " " in last and breadth(last + "…") > room:
        last = last.rpartition(" ")[0]
    return [*lines[: most - 1], _cut(last, room)]


def _pieces(word: str, room: float) -> list[str]:
    """Return a word, in several pieces if no line has room for it."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and breadth(pieces[-1] + letter) > room:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def shortened(words: str, width: float, letter: float) -> str:
    """Return a text that fits, with an ellipsis if it was cut."""
    room = width / letter
    return words if breadth(words) <= room else _cut(words, room)


def _cut(words: str, room: float) -> str:
    """Return as much of a text as fits with an ellipsis after it."""
    while words and breadth(words + "…") > room:
        words = words[:-1]
    return words + "…"
