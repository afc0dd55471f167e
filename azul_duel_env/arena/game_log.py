"""What happened in a game besides its actions: events of the plies of a record, and the sentences that a log tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from azul_duel_env.arena.game_file import Ply, Record
from azul_duel_env.game import NOBODY, Event, Game, Moment, Position


def setup_events(record: Record) -> list[Event]:
    """Return what happens before the first decision or draw of a game."""
    return record.game.events.events_of_setup(record.initial_states(), 0)


def moments_of(position: Position, ply: Ply) -> list[Moment]:
    """Return what a draw or an action brings about, one thing after the other, which the position doesn't see yet.

    Raises:
        ValueError: it is not possible there.
    """
    events = position.game.events
    find = events.moments_of_outcome if ply.player == NOBODY else events.moments_of
    return list(find(position.states, 0, ply.number))


def moments_after(position: Position, plies: Iterable[Ply]) -> list[Moment]:
    """Return what some plies bring about from a position on, which stays as it is; see ``moments_of``.

    Raises:
        ValueError: one of them is not possible where it stands.
    """
    now = position.copy()
    moments: list[Moment] = []
    for ply in plies:
        moments += moments_of(now, ply)
        ply.apply(now)
    return moments


def events_after(position: Position, plies: Iterable[Ply]) -> list[Event]:
    """Return the events of ``moments_after``.

    Raises:
        ValueError: one of the plies is not possible where it stands.
    """
    return [event for moment in moments_after(position, plies) for event in moment.events]


def is_logged(game: Game, event: Event) -> bool:
    """Return whether logs tell of an event; see ``EventKind``."""
    return game.events.kinds[event.kind].is_logged


def sentences_of(game: Game, events: Iterable[Event], names: Sequence[str], seat: int | None = None) -> list[str]:
    """Return what a log tells of some events, as sentences.

    Args:
        game: whose events they are.
        events: in order.
        names: of the players.
        seat: who reads, and is told no more than they may know; None: all.
    """
    return [game.display.describe_event(event, names, seat) for event in events if is_logged(game, event)]
