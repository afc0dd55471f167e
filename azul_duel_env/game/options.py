"""Options of a game that people are offered, by commands and in forms: fields of its dataclass of options which say how."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

from azul_duel_env.game.display import OptionField, OptionValue

OFFER = "offer"
"""Where the metadata of a field has its ``Offer``."""


@dataclass(frozen=True)
class Offer:
    """How people are offered an option.

    Attributes:
        help: a sentence, for commands.
        values: all that it can be, if these are few words, and what a form calls each.
        label: what a form calls the option.
        is_box: whether a form asks with a box to tick: the first of two values without the tick.
        always_named: whether files name it also where it has its default; False for an option that older files don't know.
    """

    help: str
    values: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    is_box: bool = False
    always_named: bool = True


def offered(
    default: Any,
    text: str,
    *,
    values: Sequence[str] | Mapping[str, str] = (),
    label: str = "",
    is_box: bool = False,
    always_named: bool = True,
) -> Any:
    """Return the field of an option that people are offered; see ``Offer``. Forms call words what they are, if nothing else is given."""
    words = values if isinstance(values, Mapping) else {value: value.replace("_", " ") for value in values}
    return field(default=default, metadata={OFFER: Offer(text, words, label, is_box, always_named)})


def offered_options(options: type[Any]) -> list[tuple[Field[Any], Offer]]:
    """Return the fields of a dataclass of options that people are offered, in their order."""
    return [(one, one.metadata[OFFER]) for one in fields(options) if OFFER in one.metadata]


def form_of(options: type[Any], own: Sequence[OptionField]) -> list[OptionField]:
    """Return how people are asked for options when a game begins, in the order of the dataclass.

    Args:
        options: the dataclass of options.
        own: how a game asks for some of them. It asks for the others as they are offered: a form can do so if they are yes or no, or one
            of a few words.
    """
    fields_by_name = {
        one.name: _field_from(one, offer) for one, offer in offered_options(options) if _is_plain(one, offer)
    }
    fields_by_name |= {one.name: one for one in own}
    return [fields_by_name[one.name] for one in fields(options) if one.name in fields_by_name]


def _is_plain(one: Field[Any], offer: Offer) -> bool:
    return isinstance(one.default, bool) or bool(offer.values)


def _field_from(one: Field[Any], offer: Offer) -> OptionField:
    """Return how a form asks for an option that is yes or no, or one of a few words."""
    is_yes_or_no = isinstance(one.default, bool)
    labels: Mapping[Any, str] = {False: "no", True: "yes"} if is_yes_or_no else offer.values
    values = tuple(OptionValue(value, label) for value, label in labels.items())
    label = offer.label or one.name.replace("_", " ").capitalize()
    return OptionField(one.name, label, values, is_box=is_yes_or_no or offer.is_box)


def value_from(text: str) -> int | str | tuple[str, ...]:
    """Return the value that a text on the command line stands for: a number, a word, or words with commas between them."""
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    return tuple(name.strip() for name in text.split(",") if name.strip()) if "," in text else text
