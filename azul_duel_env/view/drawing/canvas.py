"""What a drawing is put together on: pieces of SVG from back to front, and where each part lies."""

from __future__ import annotations

from collections.abc import Sequence

from azul_duel_env.view.drawing.svg import Place, Rect, box, hull, tag, use
from azul_duel_env.view.picture import Piece


class Canvas:
    """A drawing under way.

    Attributes:
        pieces: from back to front.
        places: for each part, by its key, where a pointer hits it; and where that lies which ``mark`` names.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.pieces: list[Piece] = []
        self.places: dict[str, list[Place]] = {}

    def add(self, extent: Rect, *content: str) -> None:
        """Add something that takes part in no action, all of it inside ``extent``."""
        self.pieces.append(Piece(extent, "".join(content)))

    def topic(self, name: str, label: str, extent: Rect, *content: str) -> None:
        """Add something that takes part in no action and that a topic of the game's guide explains, with its label in plain words.

        A pointer hits it anywhere in ``extent``, and about that if it is small.
        """
        area = extent.around(LEAST_HIT, LEAST_HIT)
        self.add(area, tag("g", *content, area.outline("hit", 6), data_topic=name, role="img", aria_label=label))

    def part(self, key: str, label: str, hits: Sequence[Place], *content: str) -> None:
        """Add a part with its label in plain words and the areas where a pointer hits it, which hold all of it but a margin."""
        self.places.setdefault(key, []).extend(hits)
        areas = "".join([hit.outline("hit", 6) for hit in hits])
        svg = tag("g", *content, areas, data_part=key, role="img", aria_label=label)
        self.pieces.append(Piece(hull(hits).grown(MARGIN), svg))

    def mark(self, key: str, places: Sequence[Place]) -> None:
        """Say where something lies that nobody picks, for what is laid over the drawing."""
        self.places.setdefault(key, []).extend(places)

    def symbol(self, name: str, rect: Rect) -> str:
        """Return a symbol in a rectangle."""
        return use(self._prefix + name, rect)


LEAST_HIT = 26
"""Least width and height of what a finger can hit: 24 pixels on a phone that shows the picture a little smaller."""
MARGIN = 6
"""How far a part may reach out of the areas that a pointer hits: badges and frames do."""


def card(rect: Rect) -> str:
    """Return a card of the table, with the hint of a shadow."""
    return box(Rect(rect.x, rect.y + 1.6, rect.w, rect.h), "shade", 12) + box(rect, "card", 12)
