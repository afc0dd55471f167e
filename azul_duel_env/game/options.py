"""Options of a game that commands offer: fields of its dataclass of options which say how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

OFFER = "offer"
"""Where the metadata of a field has its ``Offer``."""


@dataclass(frozen=True)
class Offer:
    """How commands offer an option.

    Attributes:
        help: a sentence for people.
        values: all that it can be, if these are few words.
        always_named: whether files name it also where it has its default; False for an option that older files don't know.
    """

    help: str
    values: tuple[str, ...] = ()
    always_named: bool = True


def offered(default: Any, text: str, *, values: Sequence[str] = (), always_named: bool = True) -> Any:
    """Return the field of an option that commands offer; see ``Offer``."""
    return field(default=default, metadata={OFFER: Offer(text, tuple(values), always_named)})


def offered_options(options: type[Any]) -> list[tuple[Field[Any], Offer]]:
    """Return the fields of a dataclass of options that commands offer, in their order."""
    return [(one, one.metadata[OFFER]) for one in fields(options) if OFFER in one.metadata]


def value_from(text: str) -> int | str | tuple[str, ...]:
    """Return the value that a text on the command line stands for: a number, a word, or words with commas between them."""
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    return tuple(name.strip() for name in text.split(",") if name.strip()) if "," in text else text
