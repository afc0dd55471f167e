"""What happens in a step besides the action: the base of every game's events, and where a game tells them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from azul_duel_env.game.arrays import NOBODY, States


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
    """

    meaning: str
    fields: dict[str, str]
    source: str = ""
    is_logged: bool = True


@dataclass(frozen=True)
class Events:
    """What happens in a step besides the action. The functions leave the states as they are; who does not ask pays nothing.

    Attributes:
        kinds: kind -> what it tells, where its points are booked, and whether logs tell of it.
        events_of_setup: ``(initial states, i) -> events`` before the first decision or draw, in order.
        events_of: ``(states, i, action) -> events`` up to the next decision or draw, in order; a ValueError for an illegal action.
        events_of_outcome: ``(states, i, outcome) -> events``: the same for the draw that is due.
    """

    kinds: Mapping[str, EventKind]
    events_of_setup: Callable[[States, int], list[Event]]
    events_of: Callable[[States, int, int], list[Event]]
    events_of_outcome: Callable[[States, int, int], list[Event]]
