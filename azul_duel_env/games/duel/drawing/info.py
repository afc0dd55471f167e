"""The round, the scoring tiles, bag and tower."""

from __future__ import annotations

from functools import lru_cache

from azul_duel_env.games.duel.components import (
    BORDER,
    COLUMNS,
    CONDITIONS,
    CORNER_POINTS,
    CORNERS,
    DIAGONALS,
    EMPTY_SPECIAL_SPACES,
    FIVE_COLOURS,
    NUM_COLOURS,
    NUM_ROUNDS,
    POINTS_PER_BORDER_TILE,
    POINTS_PER_COLUMN,
    POINTS_PER_DIAGONAL,
    POINTS_PER_EMPTY_SPECIAL_SPACE,
    POINTS_PER_FIVE_COLOURS,
    POINTS_PER_ROW,
    POINTS_PER_WILD_SPACE,
    ROWS,
    SPECIAL,
    WILD,
    WILD_SPACES,
)
from azul_duel_env.games.duel.drawing.geometry import Layout
from azul_duel_env.games.duel.drawing.symbols import space_symbol, tile_symbol
from azul_duel_env.games.duel.drawing.themes import COLOURS
from azul_duel_env.games.duel.drawing.view import Seen
from azul_duel_env.view.drawing.canvas import Canvas, card
from azul_duel_env.view.drawing.svg import Rect, box, tag, text

CONDITION_WORDS = {
    ROWS: ("full row", f"{POINTS_PER_ROW}"),
    COLUMNS: ("full column", f"{POINTS_PER_COLUMN}"),
    DIAGONALS: ("full diagonal", f"{POINTS_PER_DIAGONAL}"),
    WILD_SPACES: ("all wild: each", f"{POINTS_PER_WILD_SPACE}"),
    FIVE_COLOURS: ("row of 5 colours", f"{POINTS_PER_FIVE_COLOURS}"),
    BORDER: ("border tile", f"{POINTS_PER_BORDER_TILE}"),
    CORNERS: ("full corner", f"{min(CORNER_POINTS)}/{max(CORNER_POINTS)}"),
    EMPTY_SPECIAL_SPACES: ("empty special", f"\N{MINUS SIGN}{-POINTS_PER_EMPTY_SPECIAL_SPACE}"),
}
"""What a condition wants, and the points for each."""


def draw_info(canvas: Canvas, seen: Seen, layout: Layout) -> None:
    """Draw the round, the scoring tiles in play, bag and tower."""
    rect = layout.info
    canvas.add(rect.grown(2), card(rect))
    for condition, place in condition_places(seen, layout).items():
        _draw_condition(canvas, condition, place)
    if layout.name == "wide":
        _draw_round(canvas, seen, rect.x + 12, rect.y + 22)
        _draw_supply(canvas, seen, rect.x + 12, rect.y + rect.h - 46, 17.5)
    else:
        _draw_round(canvas, seen, rect.x + 206, rect.y + 20)
        _draw_supply(canvas, seen, rect.x + 206, rect.y + 40, 21)


def condition_places(seen: Seen, layout: Layout) -> dict[int, Rect]:
    """Return where the scoring tiles in play are drawn, by their conditions."""
    rect, conditions = layout.info, [condition for condition, on in enumerate(seen.scoring) if on]
    if layout.name == "wide":
        places = [Rect(rect.x + 10, rect.y + 36 + 30 * i, rect.w - 20, 26) for i in range(len(conditions))]
    else:
        places = [Rect(rect.x + 12, rect.y + 5 + 24 * i, 168, 17) for i in range(len(conditions))]
    return dict(zip(conditions, places, strict=True))


def _draw_round(canvas: Canvas, seen: Seen, x: float, y: float) -> None:
    """Draw the number of the round, and a dot for each round."""
    words = f"Round {seen.round_number}" if seen.round_number else "Opening"
    dots = [
        tag("circle", cx=x + 84 + 12 * i, cy=y - 5, r=3.6, class_="f-accent" if i < seen.round_number else "f-edge")
        for i in range(NUM_ROUNDS)
    ]
    canvas.add(Rect(x, y - 16, 142, 22), text(words, x, y, "l b"), *dots)


def _draw_condition(canvas: Canvas, condition: int, rect: Rect) -> None:
    """Draw a scoring tile: a little dome, what it wants, and points."""
    words, points = CONDITION_WORDS[condition]
    y = rect.centre[1] + 4
    icon = Rect(rect.x, rect.y, rect.h, rect.h)
    name = CONDITIONS[condition]
    canvas.topic(
        f"scoring-{name}",
        f"scoring tile {name.replace('_', ' ')}: {words}, {points}",
        rect.grown(1),
        condition_icon(canvas, condition, icon),
        text(words, rect.x + rect.h + 8, y, "s"),
        text(points, rect.x + rect.w, y, "s b", "end"),
    )


def condition_icon(canvas: Canvas, condition: int, rect: Rect) -> str:
    """Return a picture of a condition."""
    if condition in (WILD_SPACES, EMPTY_SPECIAL_SPACES):
        return canvas.symbol(space_symbol(WILD if condition == WILD_SPACES else SPECIAL), rect)
    return _little_dome(condition, rect)


@lru_cache(32)
def _little_dome(condition: int, rect: Rect) -> str:
    """Return a dome with the spaces filled that a condition wants."""
    side = rect.w / 6
    spaces = []
    for row in range(6):
        for column in range(6):
            wanted = _wants(condition, row, column)
            paint = f"f-{'edge' if not wanted else COLOURS[column] if condition == FIVE_COLOURS else 'accent'}"
            spaces.append(box(Rect(rect.x + column * side, rect.y + row * side, side - 0.6, side - 0.6), paint))
    return "".join(spaces)


def _wants(condition: int, row: int, column: int) -> bool:
    """Return whether the picture of a condition shows a space filled."""
    match condition:
        case c if c == COLUMNS:
            return column == 2
        case c if c == DIAGONALS:
            return row in (column, 5 - column)
        case c if c == BORDER:
            return row in (0, 5) or column in (0, 5)
        case c if c == CORNERS:
            return row not in (2, 3) and column not in (2, 3)
        case c if c == FIVE_COLOURS:
            return row == 2 and column < NUM_COLOURS
    return row == 2


def _draw_supply(canvas: Canvas, seen: Seen, x: float, y: float, pitch: float) -> None:
    """Draw what is in the bag and in the tower, by colour."""
    content = [
        canvas.symbol(tile_symbol(colour), Rect(x + 53 + pitch * colour, y - 4, 14, 14))
        for colour in range(NUM_COLOURS)
    ]
    for name, counts, down in (("Bag", seen.bag, 24), ("Tower", seen.tower, 40)):
        content.append(text(f"{name} {sum(counts)}", x, y + down, "s q"))
        content += [text(str(n), x + 60 + pitch * i, y + down, "s", "middle") for i, n in enumerate(counts)]
    label = f"{sum(seen.bag)} tiles in the bag, {sum(seen.tower)} in the tower"
    canvas.topic("supply", label, Rect(x, y - 6, 60 + 5 * pitch, 52), *content)
