"""What is laid over a drawing: legal actions, a policy's probabilities, what has just happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.svg import Place, Rect, box, hull, number, tag, text

PILL_HEIGHT = 15
LEAST_SHOWN = 0.005
"""The share of a policy below which nothing is shown."""


def draw_legal(canvas: Canvas, actions: Iterable[Sequence[str]]) -> None:
    """Outline the parts of actions, each given by the keys of its parts."""
    keys = {key for parts in actions for key in parts}
    for key, places in canvas.places.items():
        if key in keys:
            canvas.add(hull(places).grown(3), *[place.grown(-0.5).outline("legal", 7) for place in places])


# A policy -------------------------------------------------------------------------------------
def draw_heat(canvas: Canvas, shares: Mapping[str, float]) -> None:
    """Frame each part, the more the likelier, and write its share as a percentage, where it covers no other if there is such a corner."""
    shown = {key: share for key, share in shares.items() if share >= LEAST_SHOWN and canvas.places.get(key)}
    for key, share in shown.items():
        places = canvas.places[key]
        frames = [
            place.grown(-1).outline("heat", 7, stroke_width=1.5 + 3 * share, fill_opacity=0.1 + 0.2 * share)
            for place in places
        ]
        canvas.add(hull(places).grown(8), *frames)
    labelled: list[Rect] = []
    for key, share in shown.items():
        pill, percentage = _percentage(share, canvas.places[key], labelled)
        labelled.append(pill)
        canvas.add(pill.grown(2), percentage)


def shares_of(actions: Iterable[tuple[Sequence[str], float]]) -> dict[str, float]:
    """Return for each part the sum of the probabilities of the actions that it takes part in.

    Args:
        actions: the keys of the parts of each action, and its probability.
    """
    shares: dict[str, float] = {}
    for parts, probability in actions:
        for key in parts:
            shares[key] = shares.get(key, 0.0) + probability
    return shares


def _percentage(share: float, places: Sequence[Place], labelled: Sequence[Rect]) -> tuple[Rect, str]:
    """Return a percentage on a pill at a corner of a part, and where the pill lies."""
    words = f"{100 * share:.0f}%"
    corners = [pill for place in reversed(places) for pill in _corners(place.extent, 9 + 7 * len(words))]
    pill = min(corners, key=lambda corner: sum(_overlap(corner, other) for other in labelled))
    label = text(words, pill.centre[0], pill.y + 11.5, "s b o", "middle")
    return pill, tag("g", box(pill, "f-accent k-card", 7.5, stroke_width=1), label, class_="heat-label")


def _corners(place: Rect, width: float) -> list[Rect]:
    """Return where a pill so wide can lie at a place, the lower right corner first; then in its middle."""
    left, right = place.x - 3, place.x + place.w - width + 3
    top, bottom = place.y - 3, place.y + place.h - 12
    spots = ((right, bottom), (right, top), (left, top), (left, bottom), ((left + right) / 2, (top + bottom) / 2))
    return [Rect(x, y, width, PILL_HEIGHT) for x, y in spots]


def _overlap(one: Rect, other: Rect) -> float:
    """Return the area that two rectangles share."""
    wide = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    high = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
    return max(0.0, wide) * max(0.0, high)


# What has just happened -----------------------------------------------------------------------
def draw_last(canvas: Canvas, before: Canvas, start: str, end: str) -> None:
    """Mark the last action: the part where it came from as it lay in ``before``, where it went to, and a trail between them.

    Where another part lies now that has moved up, nothing is framed: it would look as if that had been taken.
    """
    source = before.places.get(start) or canvas.places.get(start, [])
    goal = canvas.places.get(end) or before.places.get(end, [])
    left = [place for place in source if not _is_covered(canvas, place, start)]
    for name, places in (("from", left), ("new", goal)):
        if places:
            canvas.add(hull(places).grown(4), *[place.grown(1).outline(name, 8) for place in places])
    if source and goal:
        _draw_trail(canvas, source[0].centre, hull(goal))


def _is_covered(canvas: Canvas, place: Place, key: str) -> bool:
    """Return whether the middle of a place is inside a part with another key."""
    x, y = place.centre
    return any(
        spot.x <= x <= spot.x + spot.w and spot.y <= y <= spot.y + spot.h
        for other, places in canvas.places.items()
        if other != key
        for spot in (there.extent for there in places)
    )


def draw_new(canvas: Canvas, places: Sequence[Place]) -> None:
    """Mark places where something is new."""
    if places:
        canvas.add(hull(places).grown(4), *[place.grown(1).outline("new", 8) for place in places])


def _draw_trail(canvas: Canvas, start: tuple[float, float], goal: Rect) -> None:
    """Draw a curve from a point to the edge of a place, with a tip."""
    (x0, y0), (x1, y1) = start, goal.centre
    bend_x, bend_y = (x0 + x1) / 2 + (y1 - y0) / 6, (y0 + y1) / 2 - (x1 - x0) / 6
    length = max(1.0, ((x1 - bend_x) ** 2 + (y1 - bend_y) ** 2) ** 0.5)
    u, v = (x1 - bend_x) / length, (y1 - bend_y) / length
    inside = min(goal.w / 2 / max(abs(u), 1e-6), goal.h / 2 / max(abs(v), 1e-6), length / 2)
    x1, y1 = x1 - inside * u, y1 - inside * v
    curve = f"M{_point(x0, y0)}Q{_point(bend_x, bend_y)} {_point(x1, y1)}"
    left, right = (x1 - 9 * u - 6 * v, y1 - 9 * v + 6 * u), (x1 - 9 * u + 6 * v, y1 - 9 * v - 6 * u)
    tip = f"M{_point(x1 + 3 * u, y1 + 3 * v)}L{_point(*left)}L{_point(*right)}Z"
    extent = hull([Rect(x, y, 0, 0) for x, y in (start, (x1, y1), (bend_x, bend_y))]).grown(12)
    lines = [tag("path", d=curve, class_=name) for name in ("halo", "trail")]
    canvas.add(extent, *lines, tag("path", d=tip, class_="tip"))


def _point(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"
