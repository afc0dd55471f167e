"""What the page tells a person who learns the game: rules by topic, lessons, why something can't be picked, what comes of an action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from azul_duel_env.game import Game, Preview
from azul_duel_env.play.new_game import HUMAN
from azul_duel_env.play.reports import seat_in_front
from azul_duel_env.play.session import Session
from azul_duel_env.view.picture import Picture, Piece

PART = re.compile(r' data-part="([^"]+)"')
MARGIN = 8
"""How far what lands on a part may reach out of it."""


def guide_data(game: Game) -> dict[str, Any]:
    """Return the rules of a game by topic; none where nobody has written them."""
    guide = game.display.guide
    topics = [] if guide is None else guide.topics
    return {"game": game.id, "title": game.title, "topics": [_as_data(topic) for topic in topics]}


def lessons_data(session: Session) -> list[dict[str, Any]]:
    """Return the lessons for the decision of a person."""
    guide = session.game.display.guide
    if guide is None or session.turn != HUMAN:
        return []
    return [_as_data(lesson) for lesson in guide.lessons(session.position.states[0])]


def _as_data(told: Any) -> dict[str, Any]:
    return {**vars(told), "text": told.text.split("\n\n")}


def why_not(session: Session, key: str, picked: Sequence[str]) -> str:
    """Return why a person can't pick a part now."""
    if session.over:
        return "The game is over."
    if session.turn != HUMAN:
        return f"It is the turn of {session.names[session.position.player]}."
    guide = session.game.display.guide
    return "This can't be picked now." if guide is None else guide.why_not(key, picked, session.position.states[0])


# What comes of an action ----------------------------------------------------------------------
def preview_data(session: Session, action: int, layout: str, theme: str) -> dict[str, Any]:
    """Return what comes of a legal action: words, and what would lie on the table in the end, as SVG to lay over the picture."""
    guide, state = session.game.display.guide, session.position.states[0]
    preview = Preview() if guide is None else guide.preview(action, state)
    if not preview.parts:
        return {"words": preview.words, "svg": ""}
    after = session.position.copy()
    after.step(action)
    before = table_picture(session, state, layout, theme)
    landed = landing(before, table_picture(session, after.states[0], layout, theme), preview.parts)
    return {"words": preview.words, "svg": PART.sub("", "".join(piece.svg for piece in landed))}


def landing(before: Picture, after: Picture, parts: Sequence[str]) -> list[Piece]:
    """Return what is new in a picture inside the parts with these keys, as they lie before or after."""
    known = set(before.pieces)
    places = [piece.extent for piece in (*before.pieces, *after.pieces) if _key_of(piece) in parts]
    return [piece for piece in after.pieces if piece not in known and any(_lies_in(piece, place) for place in places)]


def _lies_in(piece: Piece, place: tuple[float, float, float, float]) -> bool:
    (x, y, w, h), (left, top, width, height) = piece.extent, place
    return (
        left - MARGIN <= x and top - MARGIN <= y and x + w <= left + width + MARGIN and y + h <= top + height + MARGIN
    )


def _key_of(piece: Piece) -> str:
    found = PART.search(piece.svg)
    return found[1] if found else ""


def parts_of(picture: Picture) -> set[str]:
    """Return the keys of the parts in a picture."""
    return {_key_of(piece) for piece in picture.pieces} - {""}


def table_picture(session: Session, state: Any, layout: str, theme: str) -> Picture:
    """Return the table in a state of a game, without marks."""
    return session.game.display.picture(
        state, layout=layout, theme=theme, seat=seat_in_front(session), names=session.names
    )
