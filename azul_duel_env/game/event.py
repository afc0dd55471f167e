"""What happens in a step besides the action: the base of every game's events, and where a game tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from azul_duel_env.game.arrays import NOBODY, States, copy_of

Staging = Literal["none", "alone", "together", "card"]
"""How films, pictures and the page show an event that nobody decided: only in what follows it; in a scene of its own; in one scene with
those of its kind that come next to it; on a card over the table."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a game; each kind is a subclass, with fields of its own.

    Attributes:
        kind: name of the kind, a key of ``Game.events.kinds``.
        private: whether only ``player`` sees what exactly happened.
        player: whom it concerns, or NOBODY (-1).
        points: how the score of ``player`` changed; over a game these sum to the final score less the points at the start.
    """

    kind: ClassVar[str] = ""
    private: ClassVar[bool] = False
    player: int = NOBODY
    points: int = 0

    @property
    def text(self) -> str:
        """The event as one line for logs, such as ``special_tile player=0 points=2 row=1 column=3``."""
        return " ".join([self.kind, *(f"{name}={value}" for name, value in self.as_dict().items() if name != "kind")])

    def as_dict(self) -> dict[str, Any]:
        """Return kind and fields as a plain dictionary, for JSON."""
        return {"kind": self.kind} | {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class EventKind:
    """What a kind of events tells.

    Attributes:
        meaning: what happened.
        fields: name -> meaning of the fields besides ``player`` and ``points``.
        source: where its points are booked, a key of ``ScoreBreakdown.sources``; "" for a kind that never has any.
        is_logged: whether logs for people tell of it; not of what the action's sentence or another event says as well, or what always
            follows.
        staging: how it is shown where it follows a decision.
    """

    meaning: str
    fields: dict[str, str]
    source: str = ""
    is_logged: bool = True
    staging: Staging = "none"


@dataclass(frozen=True, eq=False)
class Moment:
    """One thing of those that a step does, and the table as it looks then.

    Attributes:
        events: what happened, in order; none where an action only begins something.
        states: shape (1,), to look at: nobody decides there, scores are as far as they have been counted, and what events to come tell may
            lie there already.
    """

    events: tuple[Event, ...]
    states: States

    @classmethod
    def of(cls, events: Iterable[Event], states: States) -> Moment:
        """Return a moment with a copy of a state (shape (1,)), in which nobody decides."""
        shown = copy_of(states)
        shown["player"] = NOBODY
        return cls(tuple(events), shown)


def one_by_one(events: Iterable[Event], before: States, after: States) -> Iterator[Moment]:
    """Yield a moment for each event of one thing that happened between two states (shape (1,)); scores count up from one to the next."""
    scores = before["scores"][0].copy()
    for event in events:
        if event.points:
            scores[event.player] += event.points
        moment = Moment.of([event], after)
        moment.states["scores"][0] = scores
        yield moment


@dataclass(frozen=True)
class Events:
    """What happens in a step besides the action. The functions leave the states as they are; who does not ask pays nothing.

    Attributes:
        kinds: kind -> what it tells, where its points are booked, whether logs tell of it, and how it is shown.
        moments_of_setup: ``(initial states, i) -> moments`` before the first decision or draw, in order.
        moments_of: ``(states, i, action) -> moments`` up to the next decision or draw, in order, the first of which is the action itself;
            a ValueError for an illegal action, at once.
        moments_of_outcome: ``(states, i, outcome) -> moments``: the same for the draw that is due.
    """

    kinds: Mapping[str, EventKind]
    moments_of_setup: Callable[[States, int], Iterator[Moment]]
    moments_of: Callable[[States, int, int], Iterator[Moment]]
    moments_of_outcome: Callable[[States, int, int], Iterator[Moment]]

    def events_of_setup(self, states: States, i: int) -> list[Event]:
        """Return what happens before the first decision or draw, in order."""
        return _events_of(self.moments_of_setup(states, i))

    def events_of(self, states: States, i: int, action: int) -> list[Event]:
        """Return what happens when an action is carried out, up to the next decision or draw, in order.

        Raises:
            ValueError: the action is not legal.
        """
        return _events_of(self.moments_of(states, i, action))

    def events_of_outcome(self, states: States, i: int, outcome: int) -> list[Event]:
        """Return where the outcome of a draw lands and what happens then, up to the next decision or draw, in order.

        Raises:
            ValueError: the outcome is not possible, or no draw is due.
        """
        return _events_of(self.moments_of_outcome(states, i, outcome))


def _events_of(moments: Iterable[Moment]) -> list[Event]:
    return [event for moment in moments for event in moment.events]
