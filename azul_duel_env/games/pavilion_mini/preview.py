"""What comes of an action, as far as it is certain: where tiles land, what they score and bring, what is lost."""

from __future__ import annotations

from typing import Any

from azul_duel_env.game import Preview, amount, listed
from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, decode
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    CORNERS,
    EMPTY,
    NUM_ROUNDS,
    STAR_SIZE,
    STRUCTURE_KIND,
    STRUCTURE_KINDS,
    STRUCTURE_SPACES,
    STRUCTURE_TILES,
    STRUCTURES_AT,
)
from azul_duel_env.games.pavilion_mini.drawing.parts import hand_key, space_key
from azul_duel_env.games.pavilion_mini.state import IN_CENTRE, PLACE, wild_of

MINUS = "\N{MINUS SIGN}"


def preview(action: int, state: Any) -> Preview:
    """Return what comes of an action.

    Args:
        action: a legal action of the state, 0 to 330.
        state: one state record, before the action.
    """
    block, i = decode(int(action))
    seat = int(state.active)
    match block:
        case "take":
            return _of_taking(state, *i)
        case "place":
            return Preview((space_key(seat, i[0]),), placement_words(state, i[0]))
        case "pay":
            return Preview((space_key(seat, int(state.space)),), placement_words(state, int(state.space)))
        case "bonus":
            return Preview((hand_key(seat, i[0]),))
        case "discard":
            return Preview((), _losing(state, 1))
    return Preview((), pass_words(state))


def _of_taking(state: Any, source: int, colour: int) -> Preview:
    """Return what comes of a take (S10 to S15)."""
    seat, wild = int(state.active), wild_of(state)
    tiles = state.centre if source == CENTRE_SOURCE else state.factories[source]
    parts = [hand_key(seat, colour), *([hand_key(seat, wild)] if colour != wild and tiles[wild] else [])]
    cost = taking_costs(state, source, colour)
    words = f"the first-player token: {cost}, and you place first and begin the next round" if cost else ""
    return Preview(tuple(parts), words)


def taking_costs(state: Any, source: int, colour: int) -> str:
    """Say what is lost by a take that brings the first-player token: a point a tile; "" for any other (S15)."""
    if source != CENTRE_SOURCE or state.token != IN_CENTRE:
        return ""
    wild = wild_of(state)
    return _losing(state, 1 if colour == wild else int(state.centre[colour]) + int(state.centre[wild] > 0))


def _losing(state: Any, count: int) -> str:
    """Say how many points are lost for so many tiles; no score falls below 0 (S17, SR2)."""
    lost = min(count, int(state.scores[int(state.active)]))
    return f"{MINUS}{amount(lost, 'point')}" if lost else "no points, as there are none to lose"


def thrown_at_pass(state: Any) -> int:
    """Return how many tiles whoever decides must throw if they pass now (S29, SR6, SR7)."""
    tiles = int(state.hands[int(state.active)].sum())
    return tiles if state.round_number == NUM_ROUNDS else max(tiles - CORNERS, 0)


def pass_words(state: Any) -> str:
    """Say what a pass costs; "" if it costs nothing."""
    thrown = thrown_at_pass(state) if state.stage == PLACE else 0
    return f"throws {amount(thrown, 'tile')}: {_losing(state, thrown)}" if thrown else ""


# The board, in plain Python -------------------------------------------------------------------
def placement_words(state: Any, space: int) -> str:
    """Return what a tile on a space scores and brings, such as ``2 points; closes a statue: 2 tiles of the supply``."""
    board = state.boards[int(state.active)]
    closed = [kind for structure, kind in _structures_at(space) if _closes(board, structure, space)]
    words = amount(group_with(board, space), "point")
    if not closed:
        return words
    tiles = sum(int(STRUCTURE_TILES[kind]) for kind in closed)
    return f"{words}; closes {listed([f'a {STRUCTURE_KINDS[kind]}' for kind in closed])}: {amount(tiles, 'tile')} of the supply"


def group_with(board: Any, space: int) -> int:
    """Return how many tiles would hang together with one on a space, itself included; a star is a ring (S26)."""
    star, position = divmod(space, STAR_SIZE)
    size = 1
    for step in (1, -1):
        for distance in range(1, STAR_SIZE):
            if size == STAR_SIZE or board[STAR_SIZE * star + (position + step * distance) % STAR_SIZE] == EMPTY:
                break
            size += 1
    return size


def _structures_at(space: int) -> list[tuple[int, int]]:
    """Return number and kind of the structures beside a space."""
    return [(int(one), int(STRUCTURE_KIND[one])) for one in STRUCTURES_AT[space] if one != EMPTY]


def _closes(board: Any, structure: int, space: int) -> bool:
    """Return whether a tile on a space is the last one around a structure (S27)."""
    around = (int(one) for one in STRUCTURE_SPACES[structure] if one != EMPTY)
    return all(one == space or board[one] != EMPTY for one in around)


def colour_words(colours: int) -> str:
    """Return the colours in a bit mask as a list."""
    return listed([colour for number, colour in enumerate(COLOURS) if colours >> number & 1])
