"""Where on the table an event happened, for what is laid over a drawing."""

from __future__ import annotations

from typing import Any

from azul_duel_env.game import NOBODY, Event
from azul_duel_env.games.pavilion_mini.actions import SOURCE_NAMES, SPACE_NAMES
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    NUM_SPACES,
    SPACE_NUMBER,
    STAR_SIZE,
    STARS,
    STRUCTURE_KIND,
    STRUCTURE_KINDS,
)
from azul_duel_env.games.pavilion_mini.drawing.geometry import Layout
from azul_duel_env.games.pavilion_mini.drawing.tiles import square
from azul_duel_env.games.pavilion_mini.drawing.view import Seen
from azul_duel_env.view.drawing.svg import Place


def places_of(event: Event, seen: Seen, layout: Layout) -> list[Place]:
    """Return where an event happened; points are written at the last of these. None for what has no place.

    Args:
        event: one of ``events.EVENT_KINDS``.
        seen: what is drawn.
        layout: how it is arranged.
    """
    told: Any = event
    match event.kind:
        case "factory_filled":
            return [layout.factories[SOURCE_NAMES.index(told.source)]]
        case "bag_refilled":
            return [layout.stock]
    return [] if event.player == NOBODY else _places_on_board(told, seen, layout)


def _places_on_board(event: Any, seen: Seen, layout: Layout) -> list[Place]:
    """Return where something happened that concerns a player."""
    board = layout.boards[(seen.seat, *seen.others).index(event.player)]
    match event.kind:
        case "tile_placed":
            return [board.spaces[SPACE_NAMES.index(event.space)]]
        case "structure_closed":
            star, kind = STARS.index(event.star), STRUCTURE_KINDS.index(event.structure)
            beside = range(len(STRUCTURE_KINDS) * star, len(STRUCTURE_KINDS) * (star + 1))
            structure = next(one for one in beside if STRUCTURE_KIND[one] == kind)
            return [square(board.structure(structure), board.edge)]
        case "star_scored":
            first = STAR_SIZE * STARS.index(event.star)
            return list(board.spaces[first : first + STAR_SIZE])
        case "number_scored":
            return [
                board.spaces[space] for space in range(NUM_SPACES) if SPACE_NUMBER[seen.grey, space] == event.number
            ]
        case "bonus_taken":
            return [board.hand_place(COLOURS.index(event.colour))]
        case "tiles_thrown":
            return [board.hand]
        case "token_taken" | "passed":
            return [board.head]
        case "placing_begins":
            return [board.card]
    return []
