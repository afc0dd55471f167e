"""A played game as a row of scenes, one a decision: what films, pictures and replays show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from azul_duel_env.arena.game_file import Ply, Record
from azul_duel_env.arena.game_log import events_of, sentences_of, setup_events
from azul_duel_env.game import NOBODY, Position, distinct
from azul_duel_env.view.picture import Picture


@dataclass(frozen=True)
class Scene:
    """What there is after so many decisions.

    Attributes:
        number: decisions made, 0 at the beginning.
        player: who made the last one; -1 at the beginning.
        words: what was done, as a sentence.
        events: what happened then, a sentence each.
        position: the position in which the next player decides, or the last one.
        before: the position in which the last decision was made; None at the beginning.
        action: that decision; None at the beginning.
    """

    number: int
    player: int
    words: str
    events: tuple[str, ...]
    position: Position
    before: Position | None
    action: int | None

    def picture(self, names: tuple[str, ...], **how: Any) -> Picture:
        """Return the scene as a picture, with the last action marked; ``how`` as ``Display.picture`` takes it."""
        if self.before is not None:
            how |= {"before": self.before.states[0], "last_action": self.action}
        return self.position.game.display.picture(self.position.states[0], names=names, **how)


def scenes_of(record: Record, seat: int | None = None) -> list[Scene]:
    """Return the scenes of a game, from its first decision on; words tell no more than a seat may know, or all for None.

    Raises:
        ValueError: no such seat.
    """
    if seat is not None and seat not in range(record.game.num_players):
        raise ValueError(f"seat must be 0 to {record.game.num_players - 1}, not {seat!r}")
    names, describe = names_of(record), record.game.display.describe
    scenes: list[Scene] = []
    events, words = setup_events(record), "The game begins"
    before: Position | None = None
    last: Ply | None = None
    for position, ply in record.positions():
        if ply is None or ply.player != NOBODY:
            player, action = (NOBODY, None) if last is None else (last.player, last.number)
            happened = tuple(sentences_of(record.game, events, names, seat))
            scenes.append(Scene(len(scenes), player, words, happened, position, before, action))
            if ply is not None:
                events, words = [], describe(ply.number, position.states[0], names, seat)
                before, last = position, ply
        if ply is not None:
            events += events_of(position, ply)
    return scenes


def names_of(record: Record) -> tuple[str, ...]:
    """Return the players' names as the record has them, made distinct should they be the same."""
    seats = range(record.game.num_players)
    names = [record.players[seat] if seat < len(record.players) else f"player_{seat}" for seat in seats]
    return distinct(names)
