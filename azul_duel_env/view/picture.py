"""A picture of a position: pieces of SVG that lie on each other, so that what stays from one picture to the next is known as the same.

A game draws it; films and renderers use it. Its style sheet is simple: each rule is one class, or the tag ``text``, inside the class
``scope``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

LAYOUTS = ("wide", "narrow")
"""Arrangements of a picture that stands alone: for a screen, for a phone."""
PAGE_LAYOUTS = (*LAYOUTS, "phone")
"""One more for a page on a phone that says itself who decides what."""
THEMES = ("light", "dark")
"""Colours of a picture; ``"auto"``, of an SVG, is the one that the reader's browser is set to."""
NO_ATTRIBUTE = ("pointer-events",)
"""Properties that say nothing to a renderer."""


class Piece(NamedTuple):
    """A thing in a picture.

    Attributes:
        extent: left, top, width and height of a rectangle that holds all of it, in units of the picture.
        svg: the thing, as SVG elements.
    """

    extent: tuple[float, float, float, float]
    svg: str


class Card(NamedTuple):
    """What a card over the table says.

    Attributes:
        title: in large letters.
        text: a sentence below it, or "".
        rows: for each player the name, the points, and what they have gained lately or None.
        gained: since when that is, such as ``round 2``; "" without it.
    """

    title: str
    text: str = ""
    rows: tuple[tuple[str, int, int | None], ...] = ()
    gained: str = ""

    @property
    def words(self) -> str:
        """All of it in a line, such as ``Round 2 begins. Anna starts. Anna 12 (+7), Bernd 9 (+4)``."""
        points = [f"{name} {score}{'' if gain is None else f' ({gain:+})'}" for name, score, gain in self.rows]
        return ". ".join(part for part in (self.title, self.text, ", ".join(points)) if part)


@dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes:
        width, height: units.
        scope: class of the image, which the style sheet hangs on.
        style: the style sheet.
        symbols: what pieces use, by id.
        pieces: from back to front.
    """

    width: float
    height: float
    scope: str
    style: str
    symbols: Mapping[str, str]
    pieces: tuple[Piece, ...]

    def svg(self, width: float | None = None) -> str:
        """Return one SVG image, so many pixels wide; as wide as it has units if left out."""
        dress = f"<style>{self.style}</style><defs>{''.join(self.symbols.values())}</defs>"
        return f"{self.head(width)}{dress}{self._body}</svg>"

    def bare_svg(self) -> str:
        """Return one SVG image for a page that has the style sheet and the symbols already."""
        return f"{self.head()}{self._body}</svg>"

    @property
    def _body(self) -> str:
        return "".join([piece.svg for piece in self.pieces])

    def head(self, width: float | None = None) -> str:
        """Return the opening tag of an SVG image, so many pixels wide."""
        wide = self.width if width is None else width
        high = self.height * wide / self.width
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{wide:g}" height="{high:g}" class="{self.scope}">'
        )

    def plain(self, svg: str) -> str:
        """Return a piece or symbol with attributes in place of classes and without the areas for pointers.

        A renderer that need not match a style sheet is much faster.
        """
        attributes = _attributes_of(self.style)
        svg = re.sub(r'<(?:rect|path)[^>]*class="hit"[^>]*/>', "", svg)
        return re.sub(
            r'<(\w+)([^>]*?) class="([^"]*)"', lambda m: f"<{m[1]}{m[2]}{_all_of(attributes, m[1], m[3])}", svg
        )


def _all_of(attributes: Mapping[str, Mapping[str, str]], name: str, classes: str) -> str:
    """Return the attributes that a tag with these classes gets; later rules win."""
    found = dict(attributes.get(name, {}))
    for class_ in classes.split():
        found.update(attributes.get("." + class_, {}))
    return "".join([f' {key}="{value}"' for key, value in found.items()])


@lru_cache
def _attributes_of(style: str) -> dict[str, dict[str, str]]:
    """Return the properties that a style sheet gives each class or tag; what a medium changes is left out."""
    style = style.partition("@media")[0]
    attributes: dict[str, dict[str, str]] = {}
    for names, body in re.findall(r"([^{}]+)\{([^}]*)\}", style):
        properties = dict(one.split(":", 1) for one in body.split(";") if one)
        shown = {key.strip(): value.replace('"', "'") for key, value in properties.items() if key not in NO_ATTRIBUTE}
        for name in names.split(","):
            attributes.setdefault(name.split()[-1], {}).update(shown)
    return attributes
