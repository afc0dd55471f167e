"""What happened in a step besides the action: the base of every game's events."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from azul_duel_env.game.arrays import NOBODY


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
