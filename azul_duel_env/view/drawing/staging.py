"""What is laid over a drawing between two decisions: what has just happened, with its points, and a card."""

from __future__ import annotations

from collections.abc import Sequence

from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.overlays import draw_new
from azul_duel_env.view.drawing.svg import Place, Rect, box, shortened, tag, text, wrapped
from azul_duel_env.view.picture import Card

PILL_HEIGHT = 24
CARD_WIDTH = 350
WAY_DOWN = 361
"""The middle of a card, which lies on top of the table's middle, on a phone within its first screen."""


def signed(points: int) -> str:
    """Return points with their sign, such as ``+4`` or, with a real minus, ``-2``."""
    return f"+{points}" if points > 0 else f"\N{MINUS SIGN}{-points}" if points else "0"


def draw_happening(canvas: Canvas, places: Sequence[Place], points: int, within: Rect) -> None:
    """Frame the places where something happened, and write the points that it brought, if any, at the last of them, inside ``within``."""
    draw_new(canvas, places)
    if points and places:
        _draw_points(canvas, places[-1].extent, points, within)


def _draw_points(canvas: Canvas, place: Rect, points: int, within: Rect) -> None:
    """Write points on a pill at the upper right corner of a place."""
    words = signed(points)
    width = 14 + 10.5 * len(words)
    x = min(max(place.x + place.w - 9, within.x + 2), within.x + within.w - width - 2)
    y = min(max(place.y - PILL_HEIGHT + 9, within.y + 2), within.y + within.h - PILL_HEIGHT - 2)
    pill = Rect(x, y, width, PILL_HEIGHT)
    paint = "gain" if points > 0 else "loss"
    shape = box(pill, f"f-{paint} k-card", PILL_HEIGHT / 2, stroke_width=1.5)
    canvas.add(
        pill.grown(2), tag("g", shape, text(words, pill.centre[0], pill.y + 18, "p b on", "middle"), class_="points")
    )


def draw_card(canvas: Canvas, card: Card, width: float, height: float) -> None:
    """Draw a card over the table, whose size is given: what begins or ends, and each player's points."""
    titles = wrapped(card.title, CARD_WIDTH - 40, 12.4)
    lines = wrapped(card.text, CARD_WIDTH - 40, 7.6) if card.text else []
    high = 28 + 28 * len(titles) + 20 * len(lines) + (34 + 28 * len(card.rows) if card.rows else 0) + 8
    rect = Rect((width - CARD_WIDTH) / 2, min(WAY_DOWN, height / 2) - high / 2, CARD_WIDTH, high)
    everything = Rect(0, 0, width, height)
    canvas.add(everything, box(everything, "veil"))
    content = [
        box(Rect(rect.x, rect.y + 3, rect.w, rect.h), "shade", 18),
        box(rect, "f-card k-accent", 18, stroke_width=2),
    ]
    y = rect.y + 18
    for line in titles:
        y += 28
        content.append(text(line, rect.centre[0], y - 4, "h b", "middle"))
    for line in lines:
        y += 20
        content.append(text(line, rect.centre[0], y - 2, "l q", "middle"))
    canvas.add(rect.grown(4), *content, *_table_of(card, rect, y + 26))


def _table_of(card: Card, rect: Rect, y: float) -> list[str]:
    """Return the players with their points, and what the round has brought them, from a base line on."""
    if not card.rows:
        return []
    left, middle, right = rect.x + 24, rect.x + rect.w - 110, rect.x + rect.w - 24
    shown = [text("points", middle, y, "s q", "end"), text(card.gained, right, y, "s q", "end") if card.gained else ""]
    for name, score, gain in card.rows:
        y += 28
        shown.append(text(shortened(name, middle - left - 44, 8.4), left, y, "l"))
        shown.append(text(str(score), middle, y, "h b", "end"))
        if gain is not None:
            shown.append(text(signed(gain), right, y, f"l b {'gained' if gain >= 0 else 'lost'}", "end"))
    return shown
