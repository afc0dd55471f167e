"""Legal actions as a person picks them: one part of the table after the other, so that page and terminal ask alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from azul_duel_env.game import Part, Position


@dataclass(frozen=True)
class Choice:
    """A legal action.

    Attributes:
        action: its number.
        name: in the notation of the game.
        words: in plain words.
        parts: what a person picks for it, in order.
    """

    action: int
    name: str
    words: str
    parts: tuple[Part, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its parts."""
        return tuple(part.key for part in self.parts)

    @property
    def labels(self) -> tuple[str, ...]:
        """The words for each of its parts."""
        return tuple(part.label for part in self.parts)


def choices_of(position: Position, names: Sequence[str]) -> list[Choice]:
    """Return the legal actions of whoever decides, ascending; none at the end."""
    state, display = position.states[0], position.game.display
    return [
        Choice(action, name, display.describe(action, state, names), parts_of(position, action))
        for action, name in position.named_actions()
    ]


def parts_of(position: Position, action: int) -> tuple[Part, ...]:
    """Return what a person picks for an action; a button with its name where the game has no parts."""
    game = position.game
    if game.display.parts is None:
        return (Part(f"action-{action}", game.text.action_name(action)),)
    return game.display.parts(action, position.states[0])


@dataclass(frozen=True)
class Step:
    """One part that can be picked next, and the choices that remain with it."""

    part: Part
    choices: tuple[Choice, ...]


def steps_after(choices: Sequence[Choice], picked: Sequence[str]) -> list[Step]:
    """Return what can be picked after some parts, in the order of the actions.

    Args:
        choices: the legal actions.
        picked: keys of the parts that were picked so far.
    """
    depth = len(picked)
    found: dict[str, list[Choice]] = {}
    for choice in choices:
        if len(choice.parts) > depth and choice.keys[:depth] == tuple(picked):
            found.setdefault(choice.parts[depth].key, []).append(choice)
    return [Step(rest[0].parts[depth], tuple(rest)) for rest in found.values()]
