"""The game for people: pictures and sentences, what they pick with, small pictures of its components, its options as a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from azul_duel_env.game.event import Event
from azul_duel_env.game.guide import Guide
from azul_duel_env.view.picture import Picture

YOU = "You"
"""The name of a player who is addressed: a sentence about them takes the verb of the second person."""


def said_of(name: str, deed: str, verbs: Mapping[str, str]) -> str:
    """Return a sentence about a player; one who is called You is addressed.

    Args:
        name: of the player.
        deed: what the player does, such as ``takes 3 blue``.
        verbs: each verb that deeds of the game have, in the third person -> in the second.
    """
    if name == YOU:
        deed = " ".join(verbs.get(word, word) for word in deed.split(" "))
    return f"{name} {deed}"


def owned(name: str, thing: str) -> str:
    """Return whose something is, such as ``Anna's pattern line 3``; that of a player who is called You is ``your pattern line 3``."""
    return f"your {thing}" if name == YOU else f"{name}'s {thing}"


def amount(count: int, thing: str) -> str:
    """Return how many there are of something, such as ``1 point`` or ``3 points``."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence, such as ``rows, border and corners``; "" for none."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return the players' names, those that are the same told apart by their seats."""
    return tuple(f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names))


@dataclass(frozen=True)
class Part:
    """One of the things that a person picks, one after the other, to say which action they want.

    Attributes:
        key: the same for the same thing. A group of the picture with this ``data-part`` is the thing itself; where there is none, a
            button stands for it.
        label: words for it.
        question: what picking it answers, such as ``Which way round?``; the first of an action answers that of the position.
        colour: a CSS colour to tell it by, or "".
        image: a small picture of it: the name of a component and its numbers, as ``Component.address`` writes them; "" for none.
    """

    key: str
    label: str
    question: str = ""
    colour: str = ""
    image: str = ""


@dataclass(frozen=True)
class Component:
    """Things of a kind in the box of a game, each told by a few numbers, that can be shown as small pictures.

    Attributes:
        sizes: for each number its name and how many values it has, from 0.
        draw: ``(*numbers, theme) -> SVG``.
    """

    sizes: Mapping[str, int]
    draw: Callable[..., str]

    def address(self, name: str, *numbers: int) -> str:
        """Return what asks for a picture, such as ``tile?tile=3&rotation=1``, for the component of this name."""
        return f"{name}?" + "&".join(f"{key}={number}" for key, number in zip(self.sizes, numbers, strict=True))

    def picture(self, given: Mapping[str, str], theme: str) -> str:
        """Return a picture as SVG, for numbers as texts.

        Raises:
            ValueError: a number is missing, is none, or is out of range.
        """
        numbers = [
            int(text) if (text := given.get(name, "")).isdecimal() and len(text) < 10 else -1 for name in self.sizes
        ]
        if not all(0 <= number < size for number, size in zip(numbers, self.sizes.values(), strict=True)):
            wanted = ", and ".join(f"{name}, 0 to {size - 1}" for name, size in self.sizes.items())
            raise ValueError(f"expected {wanted}")
        return self.draw(*numbers, theme=theme)


@dataclass(frozen=True)
class OptionValue:
    """A value that an option of a game can have.

    Attributes:
        value: as the option takes it, plain data.
        label: words for it.
        image: as that of a ``Part``.
    """

    value: Any
    label: str
    image: str = ""


@dataclass(frozen=True)
class OptionField:
    """How people are asked for an option of a game.

    Attributes:
        name: of the option.
        label: words for it.
        values: to choose from; of a box, its value without the tick and with it.
        is_box: whether it is a box to tick.
        elements: a list of some of these is a value too.
        elements_label: words for such a list as a whole, and for what it must be.
    """

    name: str
    label: str
    values: tuple[OptionValue, ...]
    is_box: bool = False
    elements: tuple[OptionValue, ...] = ()
    elements_label: tuple[str, str] = ("by name", "")


class Journey(NamedTuple):
    """How something moves on the table.

    Attributes:
        start, end: keys of the parts between which it moves; "" where there is none.
        turn: degrees by which it is turned clockwise on the way, and it is as large as where it comes to; None where it stays as it is.
    """

    start: str = ""
    end: str = ""
    turn: int | None = None


def _stays(*_: Any) -> Journey:
    return Journey()


def _is_open(state: Any) -> bool:  # noqa: ARG001 # as Display.is_secret is called
    return False


@dataclass(frozen=True)
class Display:
    """The game for people's eyes. All but the first four may be left out: then people pick actions by their names.

    Attributes:
        picture: ``(state, *, layout, theme, seat, names, last_action, before, legal, probabilities, note, events, card) -> Picture`` of
            one record. All but the state have defaults: each caller gives only what it has. With ``events``, what has just happened, the
            state may be one between two decisions.
        describe: ``(action, state, names, seat=None) -> text``: an action as a sentence, which tells no more than a seat may know; None:
            all. Positional; ``seat`` may be left out.
        question: ``(state) -> text``: what is being decided.
        describe_event: ``(event, names, seat=None) -> text``: an event as a sentence, without what the reader in that seat may not know.
        parts: ``(action, state) -> parts`` in the order in which a person picks them, no two legal actions alike.
        journey: ``(action, state) -> Journey`` of what moves in an action.
        event_journey: ``event -> Journey`` of what moves as it happens.
        is_secret: ``(state) -> bool``: whether only the player who decides may see what there is to choose, and what is chosen.
        round_name: ``(round_number) -> text``, such as ``round 3``.
        board_colours: regular expression -> colour of a terminal for what it finds in ``text.board``.
        components: name -> what can be shown as small pictures.
        options: how people are asked, when a game begins, for options that ask for more than ``offered`` says; see ``options.form_of``.
        guide: the game explained at the table; None for a game that nobody has written one for.
    """

    picture: Callable[..., Picture]
    describe: Callable[..., str]
    question: Callable[[Any], str]
    describe_event: Callable[..., str]
    parts: Callable[[int, Any], tuple[Part, ...]] | None = None
    journey: Callable[[int, Any], Journey] = _stays
    event_journey: Callable[[Event], Journey] = _stays
    is_secret: Callable[[Any], bool] = _is_open
    round_name: Callable[[int], str] = "round {}".format
    board_colours: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, Component] = field(default_factory=dict)
    options: Sequence[OptionField] = ()
    guide: Guide | None = None
