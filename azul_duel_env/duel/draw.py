"""A state as a picture: SVG of our own design, from the point of view of one seat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from azul_duel_env.duel.actions import NUM_ACTIONS
from azul_duel_env.duel.components import NUM_PLAYERS, NUM_ROTATIONS
from azul_duel_env.duel.drawing.board import draw_board
from azul_duel_env.duel.drawing.canvas import Canvas
from azul_duel_env.duel.drawing.geometry import Layout, layout_of
from azul_duel_env.duel.drawing.info import draw_info
from azul_duel_env.duel.drawing.overlays import draw_heat, draw_last, draw_legal
from azul_duel_env.duel.drawing.parts import parts
from azul_duel_env.duel.drawing.svg import Rect, box, number, tag
from azul_duel_env.duel.drawing.symbols import symbols
from azul_duel_env.duel.drawing.table import dome_tile, draw_status, draw_table, num_in_tray
from azul_duel_env.duel.drawing.themes import THEMES, style_sheet
from azul_duel_env.duel.drawing.view import Seen
from azul_duel_env.duel.state import GAME_OVER, NOBODY
from azul_duel_env.duel.words import NAMES, question

__all__ = ["draw", "parts", "turned"]

LAYOUTS = ("wide", "narrow")


def draw(
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
    width: float | None = None,
) -> str:
    """Return a state as one SVG image: what everybody sees, and what one seat may know.

    Each part of the picture that can take part in an action is a group with the attribute ``data-part``; see ``drawing.parts``.

    Args:
        state: one state record.
        layout: ``"wide"``, 800 units wide, or ``"narrow"``, 400 units wide, for a phone.
        theme: ``"light"``, ``"dark"``, or ``"auto"``: as the reader's browser is set.
        seat: the point of view: its board is below; in the narrow layout it is the first.
        names: of the players.
        last_action: the action just played, to be marked; needs ``before``.
        before: the state record before that action.
        legal: actions to outline: numbers, or a mask of 400 (a boolean or int8 array).
        probabilities: of a policy, float (400,), to shade parts with.
        width: width attribute of the image, in pixels; None: the design's own.

    Raises:
        ValueError: no such layout, theme or seat, a mask or probabilities of another length, or ``last_action`` without ``before``.
    """
    _check(theme, seat, names, last_action, before)
    seen = Seen(state, seat)
    place = layout_of(layout, num_in_tray(seen))
    prefix = f"az{theme[0]}-"
    canvas = _drawn(state, seen, place, prefix, names)
    if probabilities is not None:
        draw_heat(canvas, state, _chosen(probabilities))
    if legal is not None:
        draw_legal(canvas, state, _listed(legal))
    if last_action is not None:
        draw_last(canvas, _drawn(before, Seen(before, seat), place, prefix, names), before, int(last_action))
    return _page(canvas, place, theme, prefix, width)


def turned(tile: int, rotation: int, *, theme: str = "light", width: float = 72) -> str:
    """Return a dome tile, turned clockwise by so many quarter turns, as an SVG image of its own.

    Raises:
        ValueError: no such theme.
    """
    _check(theme, 0, NAMES, None, None)
    prefix = f"az{theme[0]}-"
    canvas = Canvas(prefix)
    canvas.add(dome_tile(canvas, NUM_ROTATIONS * tile + rotation, Rect(2, 2, 68, 68)))
    return _image(canvas.pieces, 72, 72, theme, prefix, width)


def _check(theme: str, seat: int, names: Sequence[str], last_action: Any, before: Any) -> None:
    if theme not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(THEMES)}, not {theme!r}")
    if seat not in range(NUM_PLAYERS):
        raise ValueError(f"seat must be 0 or 1, not {seat!r}")
    if len(names) != NUM_PLAYERS:
        raise ValueError(f"names must be two, not {names!r}")
    if last_action is not None and before is None:
        raise ValueError("last_action needs before, the state in which it was played")


def _drawn(state: Any, seen: Seen, layout: Layout, prefix: str, names: Sequence[str]) -> Canvas:
    """Return the drawing of a state without anything laid over it."""
    canvas = Canvas(prefix)
    for player in (1 - seen.seat, seen.seat):
        draw_board(canvas, seen, layout, player, names[player])
    draw_table(canvas, seen, layout)
    draw_info(canvas, seen, layout)
    draw_status(canvas, seen, layout, _who(seen, names), question(state))
    return canvas


def _who(seen: Seen, names: Sequence[str]) -> str:
    """Say who decides, or who has won by points."""
    if seen.player != NOBODY:
        return names[seen.player]
    if seen.stage == GAME_OVER:
        return f"{seen.scores[0]} : {seen.scores[1]}"
    return "Chance"


def _listed(legal: Any) -> Iterable[int]:
    """Return actions given as numbers or as a mask."""
    array = np.asarray(legal)
    if array.shape == (NUM_ACTIONS,):
        return np.flatnonzero(array).tolist()
    if array.dtype == np.bool_:
        raise ValueError(f"a mask must have {NUM_ACTIONS} entries, not {array.shape}")
    return array.tolist()


def _chosen(probabilities: Any) -> dict[int, float]:
    """Return the actions that a policy may choose, with their probabilities."""
    array = np.asarray(probabilities, np.float64)
    if array.shape != (NUM_ACTIONS,):
        raise ValueError(f"probabilities must have {NUM_ACTIONS} entries, not {array.shape}")
    return {action: float(array[action]) for action in np.flatnonzero(array).tolist()}


def _page(canvas: Canvas, layout: Layout, theme: str, prefix: str, width: float | None) -> str:
    """Return the whole image, on its ground."""
    ground = box(Rect(0, 0, layout.width, layout.height), "f-ground")
    return _image([ground, *canvas.pieces], layout.width, layout.height, theme, prefix, width or layout.width)


def _image(pieces: list[str], w: float, h: float, theme: str, prefix: str, width: float) -> str:
    """Return pieces as an image."""
    scope = prefix + "scope"
    return tag(
        "svg",
        f"<style>{style_sheet(theme, scope)}</style><defs>{symbols(prefix)}</defs>",
        *pieces,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(w)} {number(h)}",
        width=width,
        height=h * width / w,
        class_=scope,
    )
