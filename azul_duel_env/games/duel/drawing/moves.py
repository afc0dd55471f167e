"""What an action moves, and what is new on the boards, for what is laid over a drawing."""

from __future__ import annotations

from typing import Any

from azul_duel_env.game import Journey
from azul_duel_env.games.duel.actions import decode
from azul_duel_env.games.duel.components import CHIPS, DOME_SIZE, NUM_CHIP_KINDS, NUM_LINES, NUM_PLAYERS, NUM_SLOTS
from azul_duel_env.games.duel.drawing.geometry import Layout
from azul_duel_env.games.duel.drawing.parts import destination_key, is_drawn, moon_top_key, parts
from azul_duel_env.games.duel.drawing.view import Seen
from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.svg import Place


def new_places(canvas: Canvas, layout: Layout, seen: Seen, then: Seen) -> list[Place]:
    """Return where something is new on the boards since an earlier state: tiles, dome tiles, chips."""
    return [place for seat in range(NUM_PLAYERS) for place in _new_on(canvas, layout, seen, then, seat)]


def _new_on(canvas: Canvas, layout: Layout, seen: Seen, then: Seen, seat: int) -> list[Place]:
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


def journey(action: int, state: Any) -> Journey:
    """Return between which places something moves in an action.

    Args:
        action: a legal action of the state, 0 to 399.
        state: one state record, before the action.
    """
    block, i = decode(action)
    seat = int(state.active)
    keys = [key for key in parts(action, state) if is_drawn(key)]
    match block:
        case "dome_display":
            return Journey(keys[0], keys[1], 90 * i[2])
        case "bonus_take":
            return Journey(keys[0], f"chip-{seat}-{CHIPS[int(state.factory_chips[i[0]])]}")
        case "tile_column":
            return Journey(destination_key(seat, int(state.line)), keys[0])
        case "moon_order":
            return Journey(keys[0], moon_top_key(int(state.ordering)))
        case "dome_draw" | "dome_choose":
            return Journey(keys[0])
        case "dome_place" | "chip_spend":
            return Journey(end=keys[0])
    return Journey(keys[0], keys[1]) if len(keys) > 1 else Journey()


def event_journey(event: Any) -> Journey:
    """Return between which parts something moves as an event happens; none where nothing moves from part to part."""
    match event.kind:
        case "tile_placed":
            return Journey(f"line-{event.player}-{event.row}", f"column-{event.player}-{event.row}-{event.column}")
        case "tiles_broken" if event.examined_line is not None:
            return Journey(f"line-{event.player}-{event.examined_line}", f"broken-{event.player}")
    return Journey()
