"""Where everything lies: wide (800 units), narrow (400 units), and for a phone, for each number of players.

No other module has coordinates of the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import cos, radians, sin, sqrt
from typing import NamedTuple

from azul_duel_env.games.pavilion_mini.components import (
    CENTRE,
    NUM_COLOURS,
    NUM_SPACES,
    PILLAR,
    STAR_SIZE,
    STATUE,
    STRUCTURE_KIND,
    WINDOW,
    num_factories,
)
from azul_duel_env.view.drawing.svg import Diamond, Rect, number, tag

STAR_DISTANCE = 3.0
"""From the centre of the board to that of an outer star, in edges of a diamond."""
STRUCTURE_DISTANCES = {PILLAR: 1.5, STATUE: 1.5 * sqrt(3), WINDOW: 4.43}
"""From the centre of the board, likewise; windows lie in the notches at the rim."""
HALF_WIDTH, HALF_HEIGHT = 4.8, 2.5 * sqrt(3)
"""Of a board, in edges of a diamond."""


@dataclass(frozen=True)
class Board:
    """A player board.

    Attributes:
        card: all of it.
        centre: the middle of its stars.
        edge: length of the edge of a diamond.
        head: name, score and tokens.
        hand: the tiles beside it.
        hand_columns: places for colours in a row of the hand.
        is_head_above: whether the head lies above the stars, as a line, and not beside them.
    """

    card: Rect
    centre: tuple[float, float]
    edge: float
    head: Rect
    hand: Rect
    hand_columns: int
    is_head_above: bool

    def _at(self, distance: float, direction: float, start: tuple[float, float] | None = None) -> tuple[float, float]:
        """Return the point so many edges away in a direction, in degrees, from the middle of the board or another point."""
        x, y = self.centre if start is None else start
        reach, angle = distance * self.edge, radians(direction)
        return x + reach * cos(angle), y - reach * sin(angle)

    def star(self, star: int) -> tuple[float, float]:
        """Return the middle of a star."""
        return self.centre if star == CENTRE else self._at(STAR_DISTANCE, _direction(star))

    @cached_property
    def spaces(self) -> tuple[Diamond, ...]:
        """Where each space lies; a little smaller than the whole diamond, so that lines show between them."""
        return tuple(self._space(space) for space in range(NUM_SPACES))

    def _space(self, space: int) -> Diamond:
        star, position = divmod(space, STAR_SIZE)
        turns = position if star == CENTRE else (position + 1 + star) % STAR_SIZE
        axis = 90.0 - 60.0 * turns
        x, y = self._at(sqrt(3) / 2, axis, self.star(star))
        return Diamond(x, y, self.edge, axis).grown(-0.035 * self.edge)

    def structure(self, structure: int) -> tuple[float, float]:
        """Return the middle of a pillar, statue or window."""
        kind, direction = int(STRUCTURE_KIND[structure]), _direction(structure // 3)
        return self._at(STRUCTURE_DISTANCES[kind], direction - 30 * (kind == STATUE))

    def hand_place(self, colour: int) -> Rect:
        """Return where the tiles of a colour lie."""
        rows = NUM_COLOURS // self.hand_columns
        w, h = self.hand.w / self.hand_columns, self.hand.h / rows
        return Rect(self.hand.x + colour % self.hand_columns * w, self.hand.y + colour // self.hand_columns * h, w, h)


def _direction(star: int) -> float:
    """Return the direction of an outer star from the middle, in degrees."""
    return 120.0 - 60.0 * star


@dataclass(frozen=True)
class Layout:
    """An arrangement of the whole table.

    Attributes:
        name: ``"wide"``, ``"narrow"`` or ``"phone"``.
        width, height: of all.
        boards: that of the seat that looks, then those of the others in turn order.
        factories: the discs, each in a square.
        centre, supply: tiles in the centre of the table and on the supply.
        track: the rounds with their wild colours.
        stock: bag and deposit, and what full stars bring.
        status: who decides what; None where the page around the picture says it.
    """

    name: str
    width: float
    height: float
    boards: tuple[Board, ...]
    factories: tuple[Rect, ...]
    centre: Rect
    supply: Rect
    track: Rect
    stock: Rect
    status: Rect | None


class Quarter(NamedTuple):
    """A quarter of a disc.

    Attributes:
        x, y: the middle of the disc.
        radius: of the disc.
        right, down: 1 or -1: on which side of the middle it lies.
        inset: by how much its edges lie inside.
    """

    x: float
    y: float
    radius: float
    right: int
    down: int
    inset: float = 0.0

    @property
    def centre(self) -> tuple[float, float]:
        """The middle, (x, y)."""
        return self.extent.centre

    @property
    def extent(self) -> Rect:
        """The smallest rectangle that holds it."""
        near, far = self.inset, self._reach
        left = self.x + (near if self.right > 0 else -far)
        top = self.y + (near if self.down > 0 else -far)
        return Rect(left, top, far - near, far - near)

    @property
    def _reach(self) -> float:
        """From the lines through the middle to the ends of the arc."""
        return sqrt((self.radius - self.inset) ** 2 - self.inset**2)

    def grown(self, by: float) -> Quarter:
        """Return it larger by so much on each side."""
        return self._replace(inset=self.inset - by)

    def outline(self, class_: str, radius: float = 0.0, **attributes: str | float | None) -> str:  # noqa: ARG002 # as that of a rectangle
        """Return its shape with a class of the style sheet."""
        near, far, arc = self.inset, self._reach, number(self.radius - self.inset)
        first, second = ((far, near), (near, far)) if self.right == self.down else ((near, far), (far, near))
        corner, start, end = (
            f"{number(self.x + self.right * dx)} {number(self.y + self.down * dy)}"
            for dx, dy in ((near, near), first, second)
        )
        return tag(
            "path",
            d=f"M{corner}L{start}A{arc} {arc} 0 0 1 {end}Z",
            class_=class_,
            stroke_linejoin="round",
            **attributes,
        )


def factory_place(disc: Rect, place: int) -> tuple[Diamond, Quarter]:
    """Return where one of the four tiles of a factory lies, clockwise from the upper left, and its quarter of the disc."""
    x, y = disc.centre
    radius = disc.w / 2
    quarter = Quarter(x, y, radius, 1 if place in (1, 2) else -1, 1 if place in (2, 3) else -1)
    axis = 135.0 - 90.0 * place
    reach = 0.55 * radius
    return Diamond(x + reach * cos(radians(axis)), y - reach * sin(radians(axis)), 0.49 * radius, axis), quarter


def _upright(card: Rect, edge: float, hand: float = 52, head: float = 40) -> Board:
    """Return a board with its head above and its hand below."""
    inside = card.grown(-10)
    middle = (inside.y + head + inside.y + inside.h - hand) / 2
    return Board(
        card=card,
        centre=(card.centre[0], middle),
        edge=edge,
        head=Rect(inside.x + 2, inside.y, inside.w - 4, head),
        hand=Rect(inside.x, inside.y + inside.h - hand, inside.w, hand),
        hand_columns=NUM_COLOURS,
        is_head_above=True,
    )


def _with_hand_beside(card: Rect, edge: float) -> Board:
    """Return a board with its head above and its hand, in three rows, at its right."""
    head = 36.0
    left = card.x + 2 * HALF_WIDTH * edge + 18
    return Board(
        card=card,
        centre=(card.x + 10 + HALF_WIDTH * edge, card.y + head + (card.h - head) / 2),
        edge=edge,
        head=Rect(card.x + 12, card.y + 6, card.w - 24, head),
        hand=Rect(left, card.y + card.h - 154, card.x + card.w - 8 - left, 144),
        hand_columns=2,
        is_head_above=True,
    )


def _beside(card: Rect, edge: float, hand: float = 80) -> Board:
    """Return a board with its head and its hand, in two rows, at its right."""
    left = card.x + 2 * HALF_WIDTH * edge + 18
    width = card.x + card.w - 8 - left
    return Board(
        card=card,
        centre=(card.x + 8 + HALF_WIDTH * edge, card.centre[1]),
        edge=edge,
        head=Rect(left, card.y + 8, width, card.h - hand - 20),
        hand=Rect(left, card.y + card.h - hand - 8, width, hand),
        hand_columns=3,
        is_head_above=False,
    )


WIDE_TOP = 78


def _wide(num_players: int) -> Layout:
    factories = num_factories(num_players)
    pitch = 776 / factories
    disc = min(102.0, pitch - 4)
    row = WIDE_TOP + disc + 8
    top = row + 78
    own = _upright(Rect(12, top, 446, 508), 44)
    column = Rect(466, top, 322, 508)
    count = num_players - 1
    height = (column.h - 8 * (count - 1)) / count
    cards = [Rect(column.x, top + i * (height + 8), column.w, height) for i in range(count)]
    arranged = {
        1: lambda card: _upright(card, 31.4),
        2: lambda card: _with_hand_beside(card, 22.6),
        3: lambda card: _beside(card, 16.8),
    }
    return Layout(
        name="wide",
        width=800,
        height=round(top + 508 + 12),
        boards=(own, *map(arranged[count], cards)),
        factories=tuple(Rect(12 + i * pitch + (pitch - disc) / 2, WIDE_TOP, disc, disc) for i in range(factories)),
        centre=Rect(12, row, 290, 70),
        supply=Rect(310, row, 266, 70),
        track=Rect(530, 12, 258, 58),
        stock=Rect(584, row, 204, 70),
        status=Rect(12, 12, 510, 58),
    )


NARROW_TOP = 94


def _narrow(name: str, num_players: int) -> Layout:
    """Return the narrow arrangement; that for a phone has no status, and all lies higher."""
    first = NARROW_TOP if name == "narrow" else 6
    factories = num_factories(num_players)
    columns = (factories + 1) // 2 if factories > 5 else factories
    rows = -(-factories // columns)
    pitch = 384 / columns
    disc = min(88.0, pitch - 2)
    discs = []
    for i in range(factories):
        row = i // columns
        indent = (columns * rows - factories) * pitch / 2 * (row == rows - 1)
        x = 8 + indent + i % columns * pitch + (pitch - disc) / 2
        discs.append(Rect(x, first + row * (disc + 4), disc, disc))
    centre = first + rows * (disc + 4) + 4
    top = centre + 148
    own = _upright(Rect(8, top, 384, 448), 38.6)
    below = top + 448 + 8
    cards = [Rect(8, below + i * 202, 384, 194) for i in range(num_players - 1)]
    track = below + 202 * (num_players - 1)
    return Layout(
        name=name,
        width=400,
        height=round(track + 146),
        boards=(own, *[_beside(card, 20.4, 92) for card in cards]),
        factories=tuple(discs),
        centre=Rect(8, centre, 384, 66),
        supply=Rect(8, centre + 74, 384, 66),
        track=Rect(8, track, 384, 58),
        stock=Rect(8, track + 66, 384, 72),
        status=Rect(8, 8, 384, 78) if name == "narrow" else None,
    )


@lru_cache
def layout_of(name: str, num_players: int) -> Layout:
    """Return an arrangement by its name, for a number of players.

    Raises:
        ValueError: no such arrangement.
    """
    if name == "wide":
        return _wide(num_players)
    if name in ("narrow", "phone"):
        return _narrow(name, num_players)
    raise ValueError(f"layout must be 'wide', 'narrow' or 'phone', not {name!r}")
