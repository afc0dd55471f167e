"""A state as a picture: SVG of our own design, from the point of view of one seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.game import Event
from azul_duel_env.games.duel.actions import NUM_ACTIONS
from azul_duel_env.games.duel.components import NUM_PLAYERS, NUM_ROTATIONS
from azul_duel_env.games.duel.drawing.board import draw_board
from azul_duel_env.games.duel.drawing.geometry import Layout, layout_of
from azul_duel_env.games.duel.drawing.happenings import places_of
from azul_duel_env.games.duel.drawing.info import condition_icon, draw_info
from azul_duel_env.games.duel.drawing.moves import journey, new_places
from azul_duel_env.games.duel.drawing.parts import parts
from azul_duel_env.games.duel.drawing.symbols import symbols
from azul_duel_env.games.duel.drawing.table import dome_tile, draw_status, draw_table, num_in_tray
from azul_duel_env.games.duel.drawing.themes import DARK, LIGHT
from azul_duel_env.games.duel.drawing.view import Seen
from azul_duel_env.games.duel.state import GAME_OVER, NOBODY
from azul_duel_env.games.duel.words import NAMES, question, round_name
from azul_duel_env.view.drawing.arguments import check_request, chosen_actions, listed_actions
from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.overlays import draw_heat, draw_last, draw_legal, draw_new, shares_of
from azul_duel_env.view.drawing.staging import draw_card, draw_happening
from azul_duel_env.view.drawing.styles import prefix_of, style_sheet
from azul_duel_env.view.drawing.svg import Rect, box
from azul_duel_env.view.picture import Card, Picture

__all__ = ["draw", "journey", "parts", "picture", "scoring_tile", "turned"]


def draw(state: Any, *, width: float | None = None, **how: Any) -> str:
    """Return a state as one SVG image: what everybody sees, and what one seat may know.

    Args:
        state: one state record.
        width: of the image, in pixels; the design's own if left out: 800 wide, 400 narrow.
        how: ``layout``, ``theme``, ``seat``, ``names``, ``last_action``, ``before``, ``legal``, ``probabilities``, ``note``, ``events``,
            ``card``: see ``picture``.

    Raises:
        ValueError: as ``picture``.
    """
    return picture(state, **how).svg(width)


def picture(
    state: Any,
    *,
    layout: str = "wide",
    theme: str = "light",
    seat: int = 0,
    names: Sequence[str] = NAMES,
    last_action: int | None = None,
    before: Any = None,
    legal: Any = None,
    probabilities: Any = None,
    note: str = "",
    events: Sequence[Event] | None = None,
    card: Card | None = None,
) -> Picture:
    """Return a state as a picture: what everybody sees, and what one seat may know.

    Each part of the picture that can take part in an action is a group with the attribute ``data-part``; see ``drawing.parts``.

    Args:
        state: one state record.
        layout: ``"wide"``, 800 units wide; ``"narrow"``, 400 units wide; or ``"phone"``, which leaves out who decides what.
        theme: ``"light"``, ``"dark"``, or ``"auto"``: as the reader's browser is set.
        seat: the point of view: its board is below; in the narrow layout it is the first.
        names: of the players.
        last_action: the action just played, to be marked; needs ``before``.
        before: the state record before that action; without ``last_action`` an earlier one of the same game: what is new on the boards
            since then is marked.
        legal: actions to outline: numbers, or a mask (a boolean or int8 array of 400).
        probabilities: of a policy, float (400,), to frame parts with.
        note: a sentence for below the question, such as what was just played.
        events: what has just happened, to be marked where it did, with its points; with ``last_action`` only what brought any. The
            state may be one between two decisions, in which nothing is asked.
        card: what a card over the table says.

    Raises:
        ValueError: no such layout, theme or seat, a mask or probabilities of another length, or ``last_action`` without ``before``.
    """
    check_request(NUM_PLAYERS, theme, seat, names, last_action, before)
    seen = Seen(state, seat)
    place = layout_of(layout, num_in_tray(seen))
    prefix = prefix_of(theme)
    asks = events is None or seen.player != NOBODY or seen.stage == GAME_OVER
    canvas = _drawn(state, seen, place, prefix, names, note, asks=asks)
    if probabilities is not None:
        chosen = chosen_actions(probabilities, NUM_ACTIONS)
        draw_heat(canvas, shares_of((parts(action, state), share) for action, share in chosen.items()))
    if legal is not None:
        draw_legal(canvas, [parts(action, state) for action in listed_actions(legal, NUM_ACTIONS)])
    if before is not None:
        then = Seen(before, seat)
        if last_action is None:
            draw_new(canvas, new_places(canvas, place, seen, then))
        else:
            moves = journey(int(last_action), before)
            draw_last(canvas, _drawn(before, then, place, prefix, names), moves.start, moves.end)
    for event in events or ():
        if event.points or last_action is None:
            where = Rect(0, 0, place.width, place.height)
            draw_happening(canvas, places_of(event, canvas, seen, place), event.points, where)
    if card is not None:
        draw_card(canvas, card, place.width, place.height)
    return _picture(canvas, place.width, place.height, theme)


def turned(tile: int, rotation: int, *, theme: str = "light", width: float = 72) -> str:
    """Return a dome tile, turned clockwise by so many quarter turns, as an SVG image of its own, so many pixels wide.

    Raises:
        ValueError: no such theme.
    """
    check_request(NUM_PLAYERS, theme, 0, NAMES, None, None)
    canvas = Canvas(prefix_of(theme))
    whole = Rect(0, 0, 72, 72)
    canvas.add(whole, dome_tile(canvas, NUM_ROTATIONS * tile + rotation, whole.grown(-2)))
    return _picture(canvas, 72, 72, theme).svg(width)


def scoring_tile(condition: int, *, theme: str = "light", width: float = 72) -> str:
    """Return what a scoring tile wants, as an SVG image of its own, so many pixels wide.

    Raises:
        ValueError: no such theme.
    """
    check_request(NUM_PLAYERS, theme, 0, NAMES, None, None)
    canvas = Canvas(prefix_of(theme))
    whole = Rect(0, 0, 72, 72)
    canvas.add(whole, condition_icon(canvas, condition, whole.grown(-2)))
    return _picture(canvas, 72, 72, theme).svg(width)


def _drawn(
    state: Any, seen: Seen, layout: Layout, prefix: str, names: Sequence[str], note: str = "", *, asks: bool = True
) -> Canvas:
    """Return the drawing of a state, in which a decision is due if it ``asks``, without anything laid over it."""
    canvas = Canvas(prefix)
    ground = Rect(0, 0, layout.width, layout.height)
    canvas.add(ground, box(ground, "f-ground"))
    for player in (1 - seen.seat, seen.seat):
        draw_board(canvas, seen, layout, player, names[player])
    draw_table(canvas, seen, layout)
    draw_info(canvas, seen, layout)
    who, asked = (_who(seen, names), question(state)) if asks else (round_name(seen.round_number).capitalize(), "")
    draw_status(canvas, seen, layout, who, asked, note)
    return canvas


def _who(seen: Seen, names: Sequence[str]) -> str:
    """Say who decides, or who has won by points."""
    if seen.player != NOBODY:
        return names[seen.player]
    if seen.stage == GAME_OVER:
        return f"{names[0]} {seen.scores[0]} : {seen.scores[1]} {names[1]}"
    return "Chance"


def _picture(canvas: Canvas, width: float, height: float, theme: str) -> Picture:
    """Return what is on a canvas."""
    prefix = prefix_of(theme)
    return Picture(
        width, height, prefix + "scope", style_sheet(theme, LIGHT, DARK), symbols(prefix), tuple(canvas.pieces)
    )
