"""What is laid over a drawing: legal actions, a policy's probabilities, the last action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from azul_duel_env.games.duel.actions import decode
from azul_duel_env.games.duel.components import CHIPS, DOME_SIZE, NUM_CHIP_KINDS, NUM_LINES, NUM_PLAYERS, NUM_SLOTS
from azul_duel_env.games.duel.drawing.canvas import Canvas
from azul_duel_env.games.duel.drawing.geometry import Layout
from azul_duel_env.games.duel.drawing.parts import destination_key, is_drawn, parts
from azul_duel_env.games.duel.drawing.svg import Rect, box, hull, number, tag, text
from azul_duel_env.games.duel.drawing.view import Seen

LEAST_SHOWN = 0.005
"""The share of a policy below which nothing is shown."""


def draw_legal(canvas: Canvas, state: Any, actions: Iterable[int]) -> None:
    """Outline the parts of actions."""
    keys = {key for action in actions for key in parts(action, state)}
    for key, places in canvas.places.items():
        if key in keys:
            canvas.add(hull(places).grown(2), *[box(place.grown(-0.5), "legal", 7) for place in places])


# A policy -------------------------------------------------------------------------------------
def draw_heat(canvas: Canvas, state: Any, probabilities: Mapping[int, float]) -> None:
    """Frame each part, the more the likelier, by the sum over the actions that it takes part in, and write it as a percentage."""
    for key, share in shares_of(state, probabilities).items():
        places = canvas.places.get(key, [])
        if share >= LEAST_SHOWN and places:
            frames = [
                box(place.grown(-1), "heat", 7, stroke_width=1.5 + 3 * share, fill_opacity=0.1 + 0.2 * share)
                for place in places
            ]
            canvas.add(hull(places).grown(8), *frames, _percentage(share, places[-1]))


def shares_of(state: Any, probabilities: Mapping[int, float]) -> dict[str, float]:
    """Return for each part the sum of the probabilities of the actions that it takes part in."""
    shares: dict[str, float] = {}
    for action, probability in probabilities.items():
        for key in parts(action, state):
            shares[key] = shares.get(key, 0.0) + probability
    return shares


def _percentage(share: float, place: Rect) -> str:
    """Return a percentage on a pill at the lower right corner of a place."""
    words = f"{100 * share:.0f}%"
    width = 9 + 7 * len(words)
    pill = Rect(place.x + place.w - width + 3, place.y + place.h - 12, width, 15)
    label = text(words, pill.centre[0], pill.y + 11.5, "s b o", "middle")
    return tag("g", box(pill, "f-accent k-card", 7.5, stroke_width=1), label, class_="heat-label")


# The last action ------------------------------------------------------------------------------
def draw_last(canvas: Canvas, before: Canvas, state: Any, action: int) -> None:
    """Mark the last action: where it came from as it lay in ``before``, where it went to, and a trail between them."""
    start, end = journey(action, state)
    source = before.places.get(start) or canvas.places.get(start, [])
    goal = canvas.places.get(end) or before.places.get(end, [])
    for name, places in (("from", source), ("new", goal)):
        if places:
            canvas.add(hull(places).grown(4), *[box(place.grown(1), name, 8) for place in places])
    if source and goal:
        _draw_trail(canvas, source[0].centre, hull(goal))


def draw_changes(canvas: Canvas, layout: Layout, seen: Seen, then: Seen) -> None:
    """Mark what is new on both boards since an earlier state: tiles, dome tiles, chips."""
    places = [place for seat in range(NUM_PLAYERS) for place in _new_on(canvas, layout, seen, then, seat)]
    if places:
        canvas.add(hull(places).grown(4), *[box(place.grown(1), "new", 8) for place in places])


def _new_on(canvas: Canvas, layout: Layout, seen: Seen, then: Seen, seat: int) -> list[Rect]:
    """Return where something is new on a board."""
    board = layout.board(seat, seen.seat)
    keys = [f"line-{seat}-{n}" for n in range(NUM_LINES) if seen.lines[seat][n] > then.lines[seat][n]]
    keys += [f"broken-{seat}"] if sum(seen.broken[seat]) > sum(then.broken[seat]) else []
    up, before = seen.chips_up[seat], then.chips_up[seat]
    keys += [f"chip-{seat}-{CHIPS[kind]}" for kind in range(NUM_CHIP_KINDS) if up[kind] > before[kind]]
    slots = [board.slot(slot) for slot in range(NUM_SLOTS) if seen.domes[seat][slot] != then.domes[seat][slot]]
    tiles = [
        board.place(row, column)
        for row in range(DOME_SIZE)
        for column in range(DOME_SIZE)
        if seen.tiles[seat][row][column] != then.tiles[seat][row][column]
    ]
    return [place for key in keys for place in canvas.places.get(key, [])] + slots + tiles


def journey(action: int, state: Any) -> tuple[str, str]:
    """Return the parts between which something moves in an action; "" where it is no part."""
    block, i = decode(action)
    seat = int(state.active)
    keys = [key for key in parts(action, state) if is_drawn(key)]
    match block:
        case "bonus_take":
            return keys[0], f"chip-{seat}-{CHIPS[int(state.factory_chips[i[0]])]}"
        case "tile_column":
            return destination_key(seat, int(state.line)), keys[0]
        case "dome_draw" | "moon_order" | "dome_choose":
            return keys[0], ""
        case "dome_place" | "chip_spend":
            return "", keys[0]
    return (keys[0], keys[1]) if len(keys) > 1 else ("", "")


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
