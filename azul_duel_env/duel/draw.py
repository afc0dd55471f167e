"""A state as a picture: SVG with everything that one seat may see, the last move, what is legal, and what a policy would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.duel.actions import NUM_ACTIONS
from azul_duel_env.duel.components import COLOURS, NUM_PLAYERS, NUM_ROUNDS, NUM_SMALL
from azul_duel_env.duel.draw_board import BOARD_HEIGHT, BOARD_WIDTH, draw_board
from azul_duel_env.duel.draw_table import (
    DISPLAY_HEIGHT,
    FACTORY_HEIGHT,
    FACTORY_WIDTH,
    LARGE_WIDTH,
    STRIP_HEIGHT,
    draw_display,
    draw_factory,
    draw_hand,
    draw_large_factory,
    draw_scoring_tiles,
)
from azul_duel_env.duel.parts import parts
from azul_duel_env.duel.svg import Box, Canvas
from azul_duel_env.duel.words import describe, factories_with_moon, question

LAYOUTS = {"wide": (800, 548), "narrow": (400, 1060)}
"""Layout -> width and height of the picture in its own units."""
MARGIN, GAP = 10, 8
HEAD = 46
TOLD = 54
"""How many letters of the last move have room in the narrow layout."""


def draw(
    state: Any,
    *,
    layout: str = "wide",
    theme: str = "light",
    seat: int = 0,
    names: Sequence[str] = ("player_0", "player_1"),
    last_action: int | None = None,
    before: Any = None,
    legal: Any = None,
    probabilities: NDArray[np.floating] | None = None,
    width: int | None = None,
) -> str:
    """Return a state as SVG.

    Args:
        state: one record of ``duel.state.STATE``.
        layout: ``"wide"``, 800 units wide; ``"narrow"``, 400, for phones.
        theme: ``"light"``, ``"dark"``, or ``"auto"``: as the reader's system has it, for pages and notebooks.
        seat: from whose side: this player's board comes first, and of hidden things only what this player knows is drawn.
        names: of the players.
        last_action: the action just carried out, which is marked; ``before`` is the state it was chosen in.
        before: see there.
        legal: what to mark as legal: action numbers, or an int8 or bool mask of 400.
        probabilities: what a policy would do, 400 numbers of at least 0: the parts of its actions are shaded, with percentages.
        width: width in pixels that the SVG asks for; None for as wide as there is room.

    Returns:
        SVG. Each part that an action is made of is a group with ``data-part``; see ``duel.parts``.

    Raises:
        ValueError: an argument that is none of these; the message says what was expected.
    """
    _check(layout, seat, names, last_action, before)
    canvas = Canvas()
    size = LAYOUTS[layout]
    canvas.rect((0, 0, *size), "ground", 0)
    told = "" if last_action is None else describe(last_action, before, names)
    _draw_head(canvas, state, names, told, layout)
    (_lay_wide if layout == "wide" else _lay_narrow)(canvas, state, seat, names)
    if legal is not None:
        _mark(canvas, _keys_of(_numbers(legal), state), "legal")
    if last_action is not None:
        _mark(canvas, [place for key in parts(last_action, before) for place in _where(key, before)], "last")
    if probabilities is not None:
        _shade(canvas, state, _checked(probabilities))
    return canvas.svg(*size, theme, width, question(state, names))


def _check(layout: str, seat: int, names: Sequence[str], last_action: int | None, before: Any) -> None:
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, not {layout!r}")
    if seat not in range(NUM_PLAYERS):
        raise ValueError(f"seat must be 0 or 1, not {seat!r}")
    if len(names) != NUM_PLAYERS:
        raise ValueError(f"names must be {NUM_PLAYERS}, not {len(names)}")
    if last_action is not None and before is None:
        raise ValueError("last_action needs before: the state in which it was chosen")


# Where things go ------------------------------------------------------------------------------
def _draw_head(canvas: Canvas, state: Any, names: Sequence[str], told: str, layout: str) -> None:
    """Write the round, whose decision it is, and the last move."""
    number = int(state.round_number)
    asked, left = question(state, names), MARGIN + 2
    if layout == "wide":
        canvas.text(left, 19, f"Round {number} of {NUM_ROUNDS}" if number else "Setup", "muted")
        canvas.text(left + 90, 19, asked, "bold")
    else:
        canvas.text(left, 19, asked, "bold")
        told = told if len(told) <= TOLD else f"{told[: TOLD - 1]}…"
        canvas.text(LAYOUTS[layout][0] - left, 38, f"{number} / {NUM_ROUNDS}", "end")
    canvas.text(left, 38, told, "muted")


def _lay_wide(canvas: Canvas, state: Any, seat: int, names: Sequence[str]) -> None:
    x, y = float(MARGIN), float(HEAD)
    for factory in range(NUM_SMALL):
        draw_factory(canvas, state, factory, x, y)
        x += FACTORY_WIDTH + GAP
    draw_large_factory(canvas, state, x, y)
    x += LARGE_WIDTH + GAP
    draw_display(canvas, state, (x, y, LAYOUTS["wide"][0] - MARGIN - x, FACTORY_HEIGHT))
    y += FACTORY_HEIGHT + GAP
    _draw_strip(canvas, state, seat, (MARGIN, y, LAYOUTS["wide"][0] - 2 * MARGIN, STRIP_HEIGHT), 4)
    y += STRIP_HEIGHT + GAP
    draw_board(canvas, state, seat, names[seat], MARGIN, y)
    draw_board(canvas, state, 1 - seat, names[1 - seat], LAYOUTS["wide"][0] - MARGIN - BOARD_WIDTH, y)


def _lay_narrow(canvas: Canvas, state: Any, seat: int, names: Sequence[str]) -> None:
    margin = (LAYOUTS["narrow"][0] - BOARD_WIDTH) / 2
    y = float(HEAD)
    for factory in range(NUM_SMALL):
        column, row = factory % 2, factory // 2
        draw_factory(canvas, state, factory, margin + column * (FACTORY_WIDTH + GAP), y + row * (FACTORY_HEIGHT + GAP))
    right = margin + 2 * (FACTORY_WIDTH + GAP)
    draw_large_factory(canvas, state, right, y, margin + BOARD_WIDTH - right)
    draw_display(canvas, state, (right, y + FACTORY_HEIGHT + GAP, margin + BOARD_WIDTH - right, DISPLAY_HEIGHT))
    y += 2 * (FACTORY_HEIGHT + GAP)
    _draw_strip(canvas, state, seat, (margin, y, BOARD_WIDTH, 2 * STRIP_HEIGHT + GAP), 2)
    y += 2 * STRIP_HEIGHT + 2 * GAP
    draw_board(canvas, state, seat, names[seat], margin, y)
    draw_board(canvas, state, 1 - seat, names[1 - seat], margin, y + BOARD_HEIGHT + GAP)


def _draw_strip(canvas: Canvas, state: Any, seat: int, box: Box, columns: int) -> None:
    """Draw the scoring tiles; while dome tiles are drawn, those in their place."""
    if not draw_hand(canvas, state, seat, box):
        draw_scoring_tiles(canvas, state, box, columns)


# Overlays -------------------------------------------------------------------------------------
def _numbers(legal: Any) -> list[int]:
    """Return action numbers from numbers or a mask."""
    given = np.asarray(legal)
    if given.shape == (NUM_ACTIONS,) and (given.dtype == bool or set(np.unique(given)) <= {0, 1}):
        return [int(action) for action in np.flatnonzero(given)]
    return [int(action) for action in given]


def _checked(probabilities: Any) -> NDArray[np.float64]:
    given = np.asarray(probabilities, np.float64)
    if given.shape != (NUM_ACTIONS,) or not (given >= 0).all():
        raise ValueError(f"probabilities must be {NUM_ACTIONS} numbers of at least 0, not {given.dtype} {given.shape}")
    return given


def _keys_of(actions: Sequence[int], state: Any) -> list[str]:
    """Return the parts of actions, each once."""
    return list(dict.fromkeys(key for action in actions for key in parts(action, state)))


def _where(key: str, before: Any) -> list[str]:
    """Return the places to mark for a part of the last move: where it lay, since what was taken is gone."""
    kind, _, rest = key.partition("-")
    if kind == "sun":
        return [f"factory-{rest.partition('-')[0]}"]
    if kind == "moon":
        return [f"moon-of-{factory}" for factory in factories_with_moon(before, COLOURS.index(rest))]
    return [{"drawn": "stack", "chip": f"chips-{rest.partition('-')[0]}"}.get(kind, key)]


def _mark(canvas: Canvas, keys: Sequence[str], style: str) -> None:
    for key in keys:
        for x, y, width, height in canvas.boxes.get(key, ()):
            canvas.rect((x - 1, y - 1, width + 2, height + 2), f'{style}" pointer-events="none', 6)


def _shade(canvas: Canvas, state: Any, probabilities: NDArray[np.float64]) -> None:
    """Shade each part by the probability of the actions that it belongs to."""
    total = probabilities.sum()
    heat: dict[str, float] = {}
    for action in np.flatnonzero(probabilities):
        for key in parts(int(action), state):
            heat[key] = heat.get(key, 0.0) + probabilities[action] / total
    for key, share in heat.items():
        if share >= 0.005:
            for box in canvas.boxes.get(key, ()):
                _shade_box(canvas, box, share)


def _shade_box(canvas: Canvas, box: Box, share: float) -> None:
    x, y, width, _ = box
    canvas.rect(box, f'heat" pointer-events="none" fill-opacity="{0.08 + 0.5 * share:.2f}', 5)
    label = f"{100 * share:.0f}"
    size = 9 + 7 * len(label)
    canvas.rect((x + width - size, y - 5, size, 14), 'heatlabel" pointer-events="none', 7)
    canvas.text(x + width - size / 2, y + 6, f"{label}%" if size > 30 else label, "badge")
