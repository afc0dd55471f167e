"""A played game as a row of scenes: what films, pictures, replays and the page show.

Each decision is a scene, and so is what follows it and nobody decides, as far as a game says that it is shown by itself: the end of a round
is seen tile by tile, with its points, and what a round has brought is on a card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from azul_duel_env.arena.game_file import HUMAN, Ply, Record
from azul_duel_env.arena.game_log import is_logged, moments_of, sentences_of, setup_events
from azul_duel_env.game import NOBODY, Event, Game, Moment, Position, Staging, distinct
from azul_duel_env.view.picture import Card, Picture

LENGTHS: dict[Staging, float] = {"alone": 1.5, "together": 1.5, "card": 4.0}
"""How long scenes are shown that follow a decision, by how they are staged; a decision's own has length 1."""

Reader = Callable[[int], int | None]
"""For whose eyes something is told that concerns a player: a seat, or None for all to be told."""


@dataclass(frozen=True)
class Scene:
    """What there is to see after so many decisions, or in what follows the last of them.

    Attributes:
        number: decisions made, 0 at the beginning.
        player: who made the last one, or in what follows, whom it concerns; -1 for nobody.
        words: what was done or happened, as a sentence; several are parted by ``; ``.
        told: what logs tell besides, a sentence each.
        position: what lies on the table. A player decides there, or the game is over, if no scene of the same number comes after it.
        before: the position in which the last decision was made; None in what follows it, and at the beginning.
        action: that decision; None likewise.
        events: what has happened, to be marked; None at the beginning.
        card: what a card over the table says, or None.
        staging: how it is shown; ``"none"`` for decisions and the beginning.
    """

    number: int
    player: int
    words: str
    told: tuple[str, ...]
    position: Position
    before: Position | None = None
    action: int | None = None
    events: tuple[Event, ...] | None = None
    card: Card | None = None
    staging: Staging = "none"

    @property
    def follows(self) -> bool:
        """Whether it shows what follows a decision, and not a decision or the beginning."""
        return self.staging != "none"

    @property
    def length(self) -> float:
        """How long it is shown; 1 is usual."""
        return LENGTHS.get(self.staging, 1.0)

    @property
    def gains(self) -> list[tuple[int, int]]:
        """Seats and points of what has happened, as far as it brought or cost any."""
        return [(event.player, event.points) for event in self.events or () if event.points]

    def picture(self, names: tuple[str, ...], **how: Any) -> Picture:
        """Return the scene as a picture, with what has happened marked; ``how`` as ``Display.picture`` takes it."""
        if self.before is not None:
            how |= {"before": self.before.states[0], "last_action": self.action}
        if self.events is not None:
            how |= {"events": self.events, "card": self.card}
        return self.position.game.display.picture(self.position.states[0], names=names, **how)


class Teller:
    """Tells what decisions bring about, as scenes, one decision after the other.

    Args:
        game: what is played.
        names: of the players.
        reader: see ``Reader``.
        since: a position at the beginning of the round under way; cards say what players have gained since.
    """

    def __init__(self, game: Game, names: Sequence[str], reader: Reader, since: Position) -> None:
        self._game, self._names, self._reader = game, tuple(names), reader
        self._scores, self._round = since.scores, since.round_number

    def scenes(self, scene: Scene, moments: Iterable[Moment]) -> list[Scene]:
        """Return the scene of a decision and those of what follows it, in order.

        Args:
            scene: of the decision, with the position in which the next one is due.
            moments: what happened, one thing after the other; the first is the action itself.
        """
        own, *later = moments
        scenes = [replace(scene, events=own.events, told=self._told(own.events))]
        for moment in later:
            for event in moment.events:
                self._add(scenes, event, Position(self._game, moment.states))
        if len(scenes) > 1:
            scenes[0] = replace(scenes[0], position=Position(self._game, own.states))
            scenes[-1] = replace(scenes[-1], position=scene.position)
        return scenes

    def _add(self, scenes: list[Scene], event: Event, position: Position) -> None:
        """Add a scene of an event, or tell of it in the last one."""
        staging, last = self._game.events.kinds[event.kind].staging, scenes[-1]
        if staging == "none":
            scenes[-1] = replace(last, told=(*last.told, *self._told([event])))
            return
        words = self._sentence(event)
        if staging == "together" and last.staging == staging and last.events and last.events[-1].kind == event.kind:
            events = (*last.events, event)
            scenes[-1] = replace(last, words=f"{last.words}; {words}", events=events, position=position)
            return
        card = self._card(words, position) if staging == "card" else None
        scenes.append(Scene(last.number, event.player, words, (), position, None, None, (event,), card, staging))

    def _sentence(self, event: Event) -> str:
        return self._game.display.describe_event(event, self._names, self._reader(event.player))

    def _told(self, events: Iterable[Event]) -> tuple[str, ...]:
        return tuple(self._sentence(event) for event in events if is_logged(self._game, event))

    def _card(self, words: str, position: Position) -> Card:
        """Return a card with each player's points and what they have gained since the card before; then they count anew."""
        title, _, text = words.partition(". ")
        gains = [now - then for now, then in zip(position.scores, self._scores, strict=True)]
        gained = self._game.display.round_name(self._round) if self._round else ""
        rows = [
            (name, score, gain if gained else None)
            for name, score, gain in zip(self._names, position.scores, gains, strict=True)
        ]
        self._scores, self._round = position.scores, position.round_number
        return Card(title, text, tuple(rows), gained)


def scenes_of(record: Record, seat: int | None = None) -> list[Scene]:
    """Return the scenes of a game, from its first decision on; words tell no more than a seat may know, or all for None.

    Raises:
        ValueError: no such seat.
    """
    if seat is not None and seat not in range(record.game.num_players):
        raise ValueError(f"seat must be 0 to {record.game.num_players - 1}, not {seat!r}")
    names, describe = names_of(record), record.game.display.describe
    scenes: list[Scene] = []
    moments: list[Moment] = []
    opening = setup_events(record)
    begun: tuple[Position, Ply, Teller] | None = None
    for position, ply in record.positions():
        if ply is None or ply.player != NOBODY:
            if begun is None:
                teller = Teller(record.game, names, lambda _: seat, position)
                told = sentences_of(record.game, [*opening, *(e for one in moments for e in one.events)], names, seat)
                scenes.append(Scene(0, NOBODY, "The game begins", tuple(told), position))
            else:
                before, last, teller = begun
                words = describe(last.number, before.states[0], names, seat)
                scene = Scene(scenes[-1].number + 1, last.player, words, (), position, before, last.number)
                scenes += teller.scenes(scene, moments)
            if ply is not None:
                begun, moments = (position, ply, teller), []
        if ply is not None:
            moments += moments_of(position, ply)
    return scenes


def resting_scenes(record: Record, seat: int | None = None) -> list[Scene]:
    """Return the scene of each decision of a game with the table as it lies when the next one is due, after all that followed.

    Raises:
        ValueError: no such seat.
    """
    positions = [position for position, ply in record.positions() if ply is None or ply.player != NOBODY]
    decisions = [scene for scene in scenes_of(record, seat) if not scene.follows]
    return [_resting(scene, position) for scene, position in zip(decisions, positions, strict=True)]


def _resting(scene: Scene, position: Position) -> Scene:
    """Return the scene of a decision on the table as it lies in the end; if another round has begun there, nothing is marked."""
    if scene.before is not None and scene.before.round_number != position.round_number:
        return replace(scene, position=position, before=None, action=None, events=None)
    return replace(scene, position=position)


def seat_of(record: Record) -> int:
    """Return the seat from which a game is best seen: that of its only person, else the first."""
    people = [seat for seat, name in enumerate(record.players) if name == HUMAN]
    return people[0] if len(people) == 1 else 0


def names_of(record: Record) -> tuple[str, ...]:
    """Return the players' names as the record has them, made distinct should they be the same."""
    seats = range(record.game.num_players)
    names = [record.players[seat] if seat < len(record.players) else f"player_{seat}" for seat in seats]
    return distinct(names)
