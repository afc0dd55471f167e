"""The score breakdown of a game under way: each player's points by source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from azul_duel_env.play.session import Session


@dataclass(frozen=True)
class Breakdown:
    """A player's points by source.

    Attributes:
        start: points at the start.
        sources: points by source; see ``Game.breakdown``. With ``start`` they sum to the score.
        bonuses: what each bonus in play gives as the board is now, by name.
        score: the player's points.
    """

    start: int
    sources: dict[str, int]
    bonuses: dict[str, int]
    score: int


def breakdown_of(session: Session) -> list[Breakdown]:
    """Return where each player's points come from, so far."""
    game, position = session.game, session.position
    book = _points_by_source(session)
    return [
        Breakdown(
            start=game.breakdown.start,
            sources=book[player],
            bonuses=_bonuses_of(session, player),
            score=position.scores[player],
        )
        for player in range(game.num_players)
    ]


def _points_by_source(session: Session) -> list[dict[str, int]]:
    """Return each player's points by source, as the events of the game so far brought them.

    Raises:
        ValueError: an event has points, and its kind names none of the sources.
    """
    game = session.game
    book = [dict.fromkeys(game.breakdown.sources, 0) for _ in range(game.num_players)]
    for event in session.events():
        if not event.points:
            continue
        source = game.events.kinds[event.kind].source
        if source not in game.breakdown.sources:
            raise ValueError(
                f"the kind {event.kind} of events has points: its source must be one of {', '.join(book[0])}"
            )
        book[event.player][source] += event.points
    return book


def _bonuses_of(session: Session, player: int) -> dict[str, int]:
    """Return what each bonus in play gives a player as the board is now."""
    breakdown, states = session.game.breakdown, session.position.states
    points = np.zeros(len(breakdown.bonuses), np.int64)
    breakdown.bonus_points(states, 0, player, points)
    in_play = breakdown.bonuses_in_play(states, 0)
    return {name: int(given) for name, given, on in zip(breakdown.bonuses, points, in_play, strict=True) if on}
