"""Where everything lies: wide (800 units), narrow (400 units), and for a phone, which is narrow without what the page says.

No other module has coordinates of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from azul_duel_env.view.drawing.svg import Rect


@dataclass(frozen=True)
class Board:
    """A player board.

    Attributes:
        card: all of it.
        dome: left top corner of the dome.
        space: side of a space of the dome.
        lines: left edge of the pattern lines.
        line_tile: side of a tile on a line.
        head: name, score and tokens.
        broken: left top corner of the broken-tile space.
        chips: left top corner of the chip store.
        chip_columns: chips in a row.
        chip_pitch: from one chip to the next, and from row to row.
    """

    card: Rect
    dome: tuple[float, float]
    space: float
    lines: float
    line_tile: float
    head: Rect
    broken: tuple[float, float]
    chips: tuple[float, float]
    chip_columns: int
    chip_pitch: tuple[float, float]

    @property
    def slot_side(self) -> float:
        """Side of a dome tile: two spaces and what is between and around them."""
        return 2 * self.space + 5

    def slot(self, slot: int) -> Rect:
        """Return where a dome tile lies."""
        pitch = self.slot_side + 2
        return Rect(self.dome[0] + slot % 3 * pitch, self.dome[1] + slot // 3 * pitch, self.slot_side, self.slot_side)

    def place(self, row: int, column: int) -> Rect:
        """Return where a space of the dome lies."""
        return space_of(self.slot(row // 2 * 3 + column // 2), row % 2 * 2 + column % 2)

    def line_place(self, line: int, place: int) -> Rect:
        """Return where tile ``place`` of a pattern line lies; lines fill from the right, so 0 is the rightmost."""
        row = self.place(line, 0)
        pitch = self.line_tile + 2
        return Rect(
            self.lines + (5 - place) * pitch, row.y + (row.h - self.line_tile) / 2, self.line_tile, self.line_tile
        )

    def line(self, line: int) -> Rect:
        """Return where a pattern line lies, as high as its row: a finger finds it."""
        row, first = self.place(line, 0), self.line_place(line, line)
        return Rect(first.x - 1, row.y - 0.5, (line + 1) * (self.line_tile + 2), row.h + 1)

    @property
    def score(self) -> Rect:
        """Where the points stand."""
        if self.card.w > self.card.h:
            return Rect(self.head.x - 4, self.head.y + 22, 110, 34)
        return Rect(self.head.x + self.head.w - 56, self.head.y, 60, 32)

    def row_number(self, row: int) -> tuple[float, float]:
        """Return where the number right of a row stands (its middle)."""
        place = self.place(row, 5)
        return place.x + place.w + 11, place.centre[1]


@dataclass(frozen=True)
class Layout:
    """An arrangement of the whole table.

    Attributes:
        width, height: of all, without ``tray``.
        own, other: the board of the seat that looks, and that of the other player.
        small: the four small factories.
        large: the large factory.
        sun: side of a tile on a sun.
        stock: display and stack.
        dome_tile: side of a dome tile there.
        status: who decides what; None where the page around the picture says it.
        info: round, scoring tiles, bag and tower.
        tray: drawn dome tiles, if they don't go into ``status``: all that lies below moves down.
    """

    name: str
    width: float
    height: float
    own: Board
    other: Board
    small: tuple[Rect, ...]
    large: Rect
    sun: float
    stock: Rect
    dome_tile: float
    status: Rect | None
    info: Rect
    tray: Rect | None = None

    def board(self, seat: int, viewer: int) -> Board:
        """Return the board of a seat, seen from another or the same."""
        return self.own if seat == viewer else self.other


def space_of(dome_tile: Rect, cell: int) -> Rect:
    """Return where a space of a dome tile lies; cells are top left, top right, bottom left, bottom right."""
    side = dome_tile.w / 2 - 2.5
    return Rect(dome_tile.x + 2 + cell % 2 * (side + 1), dome_tile.y + 2 + cell // 2 * (side + 1), side, side)


def _wide_board(top: float) -> Board:
    return Board(
        card=Rect(12, top, 776, 231),
        dome=(424, top + 10),
        space=32.5,
        lines=204,
        line_tile=32,
        head=Rect(24, top + 12, 170, 130),
        broken=(24, top + 172),
        chips=(668, top + 32),
        chip_columns=3,
        chip_pitch=(36, 36),
    )


WIDE = Layout(
    name="wide",
    width=800,
    height=722,
    other=_wide_board(12),
    own=_wide_board(479),
    small=tuple(Rect(12 + i * 106, 253, 98, 126) for i in range(4)),
    large=Rect(436, 253, 188, 126),
    sun=31,
    stock=Rect(12, 387, 310, 84),
    dome_tile=64,
    status=Rect(330, 387, 294, 84),
    info=Rect(632, 253, 156, 218),
)


def _narrow_board(top: float) -> Board:
    return Board(
        card=Rect(8, top, 384, 362),
        dome=(148, top + 44),
        space=34.5,
        lines=14,
        line_tile=20,
        head=Rect(16, top + 8, 368, 34),
        broken=(14, top + 284),
        chips=(196, top + 282),
        chip_columns=6,
        chip_pitch=(32, 38),
    )


def _narrow(name: str, tray: float) -> Layout:
    """Return the narrow arrangement with a tray so high; that for a phone has no status, and all lies higher."""
    top = 84 if name == "narrow" else 4
    below = top + 326 + (tray + 8 if tray else 0)
    return Layout(
        name=name,
        width=400,
        height=below + 846,
        status=Rect(8, 8, 384, 68) if name == "narrow" else None,
        small=tuple(Rect(8 + i * 97.3, top, 92, 138) for i in range(4)),
        large=Rect(8, top + 146, 384, 66),
        sun=34,
        stock=Rect(8, top + 220, 384, 98),
        dome_tile=78,
        tray=Rect(8, top + 326, 384, tray) if tray else None,
        own=_narrow_board(below),
        other=_narrow_board(below + 370),
        info=Rect(8, below + 740, 384, 98),
    )


TRAY_COLUMNS, TRAY_TILE = 6, 54


def layout_of(name: str, num_drawn: int) -> Layout:
    """Return an arrangement by its name, with room for so many drawn dome tiles.

    Raises:
        ValueError: no such arrangement.
    """
    if name == "wide":
        return WIDE
    if name in ("narrow", "phone"):
        rows = -(-num_drawn // TRAY_COLUMNS)
        return _narrow(name, 24 + rows * (TRAY_TILE + 6) if rows else 0)
    raise ValueError(f"layout must be 'wide', 'narrow' or 'phone', not {name!r}")
