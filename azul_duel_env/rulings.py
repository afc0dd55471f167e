"""The rulings of a game, read from its ``RULINGS.md``, and where its code decides them."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class Ruling:
    """What a game decided where the rulebooks leave something open.

    Attributes:
        number: such as ``R24``.
        title: a few words.
        fields: ``Question``, ``Decision``, ``Reason`` and perhaps ``Option`` with their texts.
    """

    number: str
    title: str
    fields: dict[str, str]


def read_rulings(package: str) -> dict[str, Ruling]:
    """Return the rulings of a game's package by number."""
    text = (resources.files(package) / "RULINGS.md").read_text(encoding="utf-8")
    rulings = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        head, _, body = section.partition("\n")
        number, _, title = head.partition(" ")
        rulings[number] = Ruling(number, title.strip(), dict(re.findall(r"^\*\*(\w+)\.\*\* (.+)$", body, re.MULTILINE)))
    return rulings


def find_ruling(number: str, package: str) -> Ruling:
    """Return one ruling.

    Raises:
        ValueError: no ruling has this number.
    """
    rulings = read_rulings(package)
    wanted = number.strip().upper()
    wanted = wanted if wanted.startswith("R") else f"R{wanted}"
    if wanted not in rulings:
        raise ValueError(f"no ruling {number!r}: there are {next(iter(rulings))} to {list(rulings)[-1]}")
    return rulings[wanted]


def places_of(number: str, package: str) -> list[str]:
    """Return ``file:line: code`` for each line of a game's code whose comment names a ruling."""
    places: list[str] = []
    for file in sorted(resources.files(package).iterdir(), key=lambda path: path.name):
        if not file.name.endswith(".py"):
            continue
        source = file.read_text(encoding="utf-8")
        places += [
            f"{file.name}:{token.start[0]}: {token.line.strip()}"
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT and re.search(rf"\b{number}\b", token.string)
        ]
    return places
