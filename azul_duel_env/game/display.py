"""What a game tells people beside pictures and sentences: what they pick with, small pictures of its components, its options as a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
