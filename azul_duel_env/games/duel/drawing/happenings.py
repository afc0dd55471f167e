"""Where on the table an event happened, for what is laid over a drawing."""

from __future__ import annotations

from typing import Any

from azul_duel_env.game import NOBODY, Event
from azul_duel_env.games.duel.components import CONDITIONS, FACTORIES, LARGE
from azul_duel_env.games.duel.drawing.board import chip_store, first_player_place
from azul_duel_env.games.duel.drawing.geometry import Layout
from azul_duel_env.games.duel.drawing.info import condition_places
from azul_duel_env.games.duel.drawing.view import Seen
from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.svg import Place


def places_of(event: Event, canvas: Canvas, seen: Seen, layout: Layout) -> list[Place]:
    """Return where an event happened; points are written at the last of these. None for what has no place.

    Args:
        event: one of ``events.EVENT_KINDS``.
        canvas: the drawing of the table as it is then.
        seen: what is drawn there.
        layout: how it is arranged.
    """
    told: Any = event
    match event.kind:
        case "factory_filled" | "large_factory_redrawn":
            factory = FACTORIES.index(told.factory)
            return [layout.large if factory == LARGE else layout.small[factory]]
        case "display_filled":
            return list(canvas.places.get(f"display-{told.place}", []))
    return [] if event.player == NOBODY else _places_on_board(told, canvas, seen, layout)


def _places_on_board(event: Any, canvas: Canvas, seen: Seen, layout: Layout) -> list[Place]:
    """Return where something happened that concerns a player."""
    seat = event.player
    board = layout.board(seat, seen.seat)
    match event.kind:
        case "tile_placed" | "special_tile":
            return [board.place(event.row, event.column)]
        case "penalty":
            tile = [first_player_place(board)] if event.first_player_tile else []
            return [*(canvas.places[f"broken-{seat}"] if event.broken else []), *tile]
        case "tiles_broken":
            return list(canvas.places[f"broken-{seat}"])
        case "chip_spent":
            return [*canvas.places[f"line-{seat}-{event.line}"], chip_store(board)]
        case "scoring_tile":
            return [condition_places(seen, layout)[CONDITIONS.index(event.name)], board.score]
        case "tiling_begins":
            return [board.card]
        case "dome_tile_drawn":
            return [board.score] if event.points else []
    return []
