"""Why a part of the table can't be picked now, for somebody who has just tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.games.pavilion_mini.components import COLOURS, SPACE_NUMBER, STAR_SIZE, STARS
from azul_duel_env.games.pavilion_mini.drawing.parts import colours_allowed, colours_that_fit
from azul_duel_env.games.pavilion_mini.preview import colour_words
from azul_duel_env.games.pavilion_mini.state import PLACE, TAKE, wild_of
from azul_duel_env.games.pavilion_mini.words import question, space_words

OWNED = ("space", "hand", "pass")
"""How the keys of parts begin that lie on the board of a seat."""


def why_not(key: str, picked: Sequence[str], state: Any) -> str:
    """Return why a part can't be picked.

    Args:
        key: of the part.
        picked: keys of the parts picked so far.
        state: one state record.
    """
    kind, *rest = key.split("-")
    if kind in OWNED and int(rest[0]) != int(state.active):
        return "That is another player's board."
    match int(state.stage):
        case stage if stage == TAKE:
            reason = _taking(kind, rest, state)
        case stage if stage == PLACE:
            reason = _placing(kind, rest, picked, state)
        case _:
            reason = ""
    return reason or f"Not now. {question(state)}."


def _taking(kind: str, rest: Sequence[str], state: Any) -> str:
    """Return why a part can't be picked in phase 1."""
    wild = COLOURS[wild_of(state)]
    if kind in ("factory", "centre") and rest[-1] == wild:
        return f"{wild.capitalize()} is wild in this round: take another colour, and one {wild} tile comes along."
    if kind in ("space", "hand"):
        return "Tiles are placed when all have been taken."
    return "Tiles of the supply come to whoever closes a pillar, a statue or a window." if kind == "supply" else ""


def _placing(kind: str, rest: Sequence[str], picked: Sequence[str], state: Any) -> str:
    """Return why a part can't be picked when tiles are placed."""
    if kind == "space" and not picked:
        return _space_refuses(state, int(rest[1]))
    if kind == "hand" and not picked:
        return "Pick the space first, and then the colour if several fit."
    if kind == "hand":
        return f"No {rest[1]} tile can be placed on that space."
    return "Tiles of the supply come to whoever closes a pillar, a statue or a window." if kind == "supply" else ""


def _space_refuses(state: Any, space: int) -> str:
    """Return why no tile can be placed on an empty space (S20 to S24)."""
    if colours_that_fit(state, space):
        return ""
    hand, wild = state.hands[int(state.active)], wild_of(state)
    number, allowed = int(SPACE_NUMBER[int(state.grey), space]), colours_allowed(state, space // STAR_SIZE)
    own = [colour for colour in range(len(COLOURS)) if allowed >> colour & 1 and hand[colour]]
    star = STARS[space // STAR_SIZE]
    if not own:
        return f"The {star} star takes {colour_words(allowed)} now, and you have no such tile."
    best = max(own, key=lambda colour: int(hand[colour]) + (int(hand[wild]) if colour != wild else 0))
    have = int(hand[best]) + (int(hand[wild]) if best != wild else 0)
    with_wild = f" with wild {COLOURS[wild]}" if best != wild and hand[wild] else ""
    return f"{space_words(state, space).capitalize()} costs {number} tiles; you have {have} {COLOURS[best]}{with_wild}."
