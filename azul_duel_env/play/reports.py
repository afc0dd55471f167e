"""What may be said of a game to those who look at it: moves and events in words, who has won. Nothing that they may not know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from azul_duel_env.arena.game_log import sentences_of
from azul_duel_env.arena.scenes import Scene, Teller
from azul_duel_env.game import YOU, Event, Position, listed
from azul_duel_env.play.session import Move, Session

MOST_EXPECTED = 6
"""Actions of a variation that are told."""


def seat_in_front(session: Session) -> int:
    """Return the seat from which the table is seen: that of the only person; of several, of one who decides in secret, else the first."""
    people, position = session.people, session.position
    if len(people) > 1 and position.player in people and session.game.display.is_secret(position.states[0]):
        return position.player
    return people[0] if people else 0


def reader_of(session: Session, player: int) -> int:
    """Return the seat for whose eyes something that concerns a player is described: what is secret is named to that player alone.

    Where several people look at one screen, none may know it of the others; where nobody plays, all may be known.
    """
    if not session.people:
        return player
    if len(session.people) == 1:
        return session.people[0]
    return next(seat for seat in session.people if seat != player)


def describe_move(session: Session, move: Move) -> str:
    """Return a move in words."""
    state, reader = move.before.states[0], reader_of(session, move.player)
    return session.game.display.describe(move.action, state, session.names, reader)


def describe_variation(session: Session, position: Position, actions: Sequence[int]) -> list[str]:
    """Return actions that are expected from a position on in words, as far as they stay legal and at most ``MOST_EXPECTED``.

    What is drawn on the way is a guess: neither the draws to come nor what the player who decides can't know are in it.
    """
    game, words = session.game, []
    imagined = position.resampled(position.player, 0)
    for action in actions[:MOST_EXPECTED]:
        if action not in imagined.legal_actions():
            break
        reader = reader_of(session, imagined.player)
        words.append(game.display.describe(action, imagined.states[0], session.names, reader))
        imagined.step(action)
        while imagined.chance_is_due:
            imagined.draw_chance()
    return words


def told_events(session: Session, events: Iterable[Event]) -> list[tuple[str, int]]:
    """Return what a log tells of events: a sentence each, and the points that it brought its player."""
    return [
        (sentence, event.points)
        for event in events
        for sentence in sentences_of(session.game, [event], session.names, reader_of(session, event.player))
    ]


def describe_events(session: Session, events: Iterable[Event]) -> list[str]:
    """Return what a log tells of events, a sentence each."""
    return [sentence for sentence, _ in told_events(session, events)]


def num_following(session: Session, move: Move) -> int:
    """Return how much of what followed a move is shown by itself."""
    kinds = session.game.events.kinds
    return sum(kinds[event.kind].staging != "none" for moment in move.moments[1:] for event in moment.events)


def move_scenes(session: Session, number: int) -> list[Scene]:
    """Return the scene of a move, by its place from 0, and those of what followed it."""
    moves = session.moves
    move, after = moves[number], (*(later.before for later in moves[number + 1 :]), session.position)[0]
    round_number = move.before.round_number
    since = next(one.before for one in moves if one.before.round_number == round_number)
    scene = Scene(number + 1, move.player, describe_move(session, move), (), after)
    if not is_secret(session, move):
        scene = replace(scene, before=move.before, action=move.action)
    teller = Teller(session.game, session.names, lambda player: reader_of(session, player), since)
    return teller.scenes(scene, move.moments)


def is_secret(session: Session, move: Move) -> bool:
    """Return whether it may not be shown what was moved."""
    return reader_of(session, move.player) != move.player and session.game.display.is_secret(move.before.states[0])


def result_of(session: Session, *, past: bool = False) -> str:
    """Return who has won a finished game, such as ``Anna wins``, or ``Anna won``; "A draw" where all share the first place."""
    winners = sorted(session.position.winners)
    if len(winners) == session.game.num_players:
        return "A draw"
    names = [session.names[seat] for seat in winners]
    if len(names) > 1:
        return f"{listed(names)} share the first place"
    return f"{names[0]} {'won' if past else 'win' if names[0] == YOU else 'wins'}"
