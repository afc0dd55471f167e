"""A game explained to somebody who learns it at the table: rules by topic, lessons, why a part can't be picked, what comes of an action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Topic:
    """Something to know about a game.

    Attributes:
        name: the same as ``data-topic`` of groups of the picture that it explains.
        title: a heading.
        text: paragraphs, with an empty line between them.
        parts: how the keys of the parts begin that it explains.
        image: as that of a ``Part``.
    """

    name: str
    title: str
    text: str
    parts: tuple[str, ...] = ()
    image: str = ""


@dataclass(frozen=True)
class Lesson:
    """What to know for a decision that comes up for the first time.

    Attributes:
        name: the same for the same lesson.
        title: a heading.
        text: paragraphs, with an empty line between them.
        parts: how the keys of the parts begin that it speaks of.
    """

    name: str
    title: str
    text: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preview:
    """What comes of an action, as far as it is certain.

    Attributes:
        parts: keys of the parts onto which something comes.
        words: what breaks and what it costs or brings, as a sentence; "" if there is nothing to say.
    """

    parts: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Guide:
    """A game explained at the table.

    Attributes:
        topics: in the order in which they are read.
        lessons: ``(state) -> lessons`` for the decision that is due, the first ones first: a learner gets one of them each time that
            such a decision comes up, each only once.
        why_not: ``(key, picked, state) -> text``: why the part with this key can't be picked now, after parts with the keys ``picked``,
            as far as whoever decides may know.
        preview: ``(action, state) -> Preview`` of a legal action.
    """

    topics: Sequence[Topic]
    lessons: Callable[[Any], Sequence[Lesson]]
    why_not: Callable[[str, Sequence[str], Any], str]
    preview: Callable[[int, Any], Preview]
