"""What the page is told of a game: plain data for JSON, and the picture. Nothing that the person who looks may not know."""

from __future__ import annotations

from typing import Any

from azul_duel_env.games.duel.choices import choices_of
from azul_duel_env.games.duel.draw import draw, parts
from azul_duel_env.games.duel.score_breakdown import SOURCES
from azul_duel_env.games.duel.state import KEEPING, RETURNING
from azul_duel_env.games.duel.words import YOU, describe, question
from azul_duel_env.play.session import HUMAN, Hint, Move, Session

LAYOUTS = ("wide", "narrow")
THEMES = ("light", "dark")


def seat_in_front(session: Session) -> int:
    """Return the seat from which the table is seen: that of the only person; of two, of whoever must see drawn dome tiles, else 0."""
    if len(session.people) == 1:
        return session.people[0]
    state = session.position.states[0]
    return int(state.active) if session.people and state.stage in (KEEPING, RETURNING) else 0


def reader_of(session: Session, move: Move) -> int:
    """Return the seat for whose eyes a move is told: a dome tile that is kept or put back is named to whoever did it alone.

    Where two people look at one screen, neither may know it of the other; where nobody plays, all may be known.
    """
    if not session.people:
        return move.player
    return session.people[0] if len(session.people) == 1 else 1 - move.player


def told(session: Session, move: Move) -> str:
    """Return a move in words."""
    return describe(move.action, move.before.states[0], session.names, reader_of(session, move))


def is_secret(session: Session, move: Move) -> bool:
    """Return whether the moved dome tile may not be shown."""
    return reader_of(session, move) != move.player and move.before.states[0].stage in (KEEPING, RETURNING)


def picture(session: Session, layout: str, theme: str) -> str:
    """Return the table as SVG, the last move visible."""
    last = session.moves[-1] if session.moves else None
    if last is not None and is_secret(session, last):
        last = None
    return draw(
        session.position.states[0],
        layout=layout,
        theme=theme,
        seat=seat_in_front(session),
        names=session.names,
        last_action=None if last is None else last.action,
        before=None if last is None else last.before.states[0],
    )


def view_of(session: Session, layout: str, theme: str) -> dict[str, Any]:
    """Return all that the page shows of a game."""
    state = session.position.states[0]
    return {
        "seats": session.setup.seats,
        "names": session.names,
        "seed": None
        if session.setup.seed is None
        else str(session.setup.seed),  # a browser's numbers are not that exact
        "options": session.setup.options,
        "round": int(state.round_number),
        "scores": session.position.scores,
        "player": session.position.player,
        "turn": "over" if session.over else "human" if session.turn == HUMAN else "agent",
        "question": question(state),
        "choices": choices_for_page(session) if session.turn == HUMAN else [],
        "log": [log_entry(session, number) for number in range(len(session.moves))],
        "can_undo": session.can_undo,
        "can_redo": session.can_redo,
        "final": final_of(session) if session.over else None,
        "svg": picture(session, layout, theme),
        "seat": seat_in_front(session),
    }


def choices_for_page(session: Session) -> list[dict[str, Any]]:
    """Return the legal actions for the page: number, words, parts, labels, and the dome tile with its turn."""
    return [
        {
            "action": choice.action,
            "words": choice.words,
            "parts": choice.parts,
            "labels": choice.labels,
            "dome_tile": choice.dome_tile,
        }
        for choice in choices_of(session.position, session.names)
    ]


def log_entry(session: Session, number: int) -> dict[str, Any]:
    """Return one move for the log: its number from 1, round, seat, words, and the parts it is animated between."""
    move = session.moves[number]
    state = move.before.states[0]
    return {
        "number": number + 1,
        "round": int(state.round_number),
        "player": move.player,
        "words": told(session, move),
        "parts": () if is_secret(session, move) else parts(move.action, state),
    }


def final_of(session: Session) -> dict[str, Any]:
    """Return who won, and each player's points by source."""
    accounts = [session.account(player) for player in range(len(session.names))]
    rows = [("points at the start", [account.start for account in accounts])]
    rows += [(text, [account.sources[name] for account in accounts]) for name, text in SOURCES.items()]
    tiles = [
        (name.replace("_", " "), [account.scoring_tiles[name] for account in accounts])
        for name in accounts[0].scoring_tiles
    ]
    winner = session.position.winner
    return {
        "winner": winner,
        "result": "A draw" if winner < 0 else _wins(session.names[winner]),
        "rows": rows,
        "tiles": tiles,
        "tiles_label": SOURCES["scoring_tiles"],
        "scores": session.position.scores,
    }


def _wins(name: str) -> str:
    return "You win" if name == YOU else f"{name} wins"


def hint_view(session: Session, hint: Hint) -> dict[str, Any]:
    """Return a hint for the page: words, the parts to highlight, the estimate, and what else was looked at."""
    state = session.position.states[0]
    by_action = {choice.action: choice for choice in choices_of(session.position, session.names)}
    best = by_action[hint.action]
    return {
        "agent": hint.agent,
        "action": hint.action,
        "player": int(state.player),
        "words": best.words,
        "parts": best.parts,
        "value": round(hint.value, 3),
        "margin": round(hint.margin, 1),
        "shares": [{"words": by_action[action].words, "share": round(share, 3)} for action, share in hint.shares],
    }
