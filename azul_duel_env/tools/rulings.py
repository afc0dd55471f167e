"""The rules and rulings of a game, read from its ``RULES.md`` and ``RULINGS.md``, and the lines of its code that carry them out."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from azul_duel_env.game import listed

HEADING = re.compile(r"^## (\S+) (.+)\n", re.MULTILINE)
RULE = re.compile(r"^- \*\*([A-Z]+\d+)\*\* (.+)$", re.MULTILINE)
NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True)
class Passage:
    """A numbered passage: a chapter of rules (``A.4``), a rule (``D36``), what always holds (``E7``) or a ruling (``R24``).

    Attributes:
        number: as above.
        title: a few words; for a rule that of its chapter.
        text: Markdown.
    """

    number: str
    title: str
    text: str

    def rules(self) -> dict[str, Passage]:
        """Return the rules of a chapter by number."""
        return {number: Passage(number, self.title, text) for number, text in RULE.findall(self.text)}


def read_chapters(package: str) -> dict[str, Passage]:
    """Return the chapters of the rules of a game's package by number."""
    return _sections(package, "RULES.md")


def read_rulings(package: str) -> dict[str, Passage]:
    """Return the rulings of a game's package by number."""
    return _sections(package, "RULINGS.md")


def _sections(package: str, file: str) -> dict[str, Passage]:
    """Return what stands below each second-level heading of a file, by the number that begins the heading."""
    text = (resources.files(package) / file).read_text(encoding="utf-8")
    parts = HEADING.split(text)[1:]
    return {
        number: Passage(number, title, body.strip())
        for number, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }


def find_passage(number: str, package: str) -> Passage:
    """Return a chapter, rule or ruling by its number; digits alone are those of a ruling, as the first one is numbered.

    Raises:
        ValueError: nothing has this number; the message says which there are.
    """
    passages = _read_passages(package)
    wanted = number.strip().upper()
    wanted = f"{_prefix(next(iter(read_rulings(package)), ''))}{wanted}" if wanted.isdigit() else wanted
    if wanted not in passages:
        raise ValueError(f"no rule {number!r}: there are {_ranges(list(passages))}")
    return passages[wanted]


def _read_passages(package: str) -> dict[str, Passage]:
    """Return all passages of a game's package by number: chapters, rules, rulings."""
    chapters = read_chapters(package)
    rules = {number: rule for chapter in chapters.values() for number, rule in chapter.rules().items()}
    return chapters | rules | read_rulings(package)


def _prefix(number: str) -> str:
    """Return what stands before the digits of a number: ``D`` of ``D36``, ``A.`` of ``A.4``."""
    return number.rstrip("0123456789")


def _ranges(numbers: list[str]) -> str:
    """Return numbers in words: ``A.1 to A.15, D1 to D94 and E.1``."""
    groups: dict[str, list[str]] = {}
    for number in numbers:
        groups.setdefault(_prefix(number), []).append(number)
    texts = [group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}" for group in groups.values()]
    return listed(texts)


@cache
def _citation(package: str) -> re.Pattern[str]:
    """Return what finds a number such as ``D36`` or ``A.4``, or a range such as ``D86-D93`` or ``A.4 to A.9``."""
    prefixes = {_prefix(number) for number in _read_passages(package)}
    return re.compile(rf"\b({'|'.join(map(re.escape, sorted(prefixes)))})(\d+)(?:(?:-| to )\1(\d+))?\b")


def numbers_cited(text: str, package: str) -> set[str]:
    """Return the numbers of a game's chapters, rules and rulings that a text names, those within ranges too.

    What looks like one counts, whether or not the game's files have so many.
    """
    return {
        f"{prefix}{number}"
        for prefix, first, last in _citation(package).findall(text)
        for number in range(int(first), int(last or first) + 1)
    }


def places_of(number: str, package: str) -> list[str]:
    """Return ``file:line: code`` for the lines of a game's code that name a chapter, rule or ruling.

    A ruling is named in a comment on the line that decides it. A rule or chapter may also be named in the docstring of what
    carries it out; then the line is the one documented.
    """
    places, is_ruling = [], number in read_rulings(package)
    for file, name in sorted(_sources(resources.files(package)), key=lambda source: source[1]):
        for line, text, noted in _notes(file.read_text(encoding="utf-8"), with_docstrings=not is_ruling):
            place = f"{name}:{line}: {text}"
            if number in numbers_cited(noted, package) and place not in places:
                places.append(place)
    return places


def _sources(folder: Traversable, path: str = "") -> Iterator[tuple[Traversable, str]]:
    """Yield the Python files of a folder and those within it, with their paths from there."""
    for entry in folder.iterdir():
        if entry.name.endswith(".py"):
            yield entry, path + entry.name
        elif entry.is_dir():
            yield from _sources(entry, f"{path}{entry.name}/")


def _notes(source: str, with_docstrings: bool) -> Iterator[tuple[int, str, str]]:
    """Yield number and text of each line with a comment, and of each documented one, with the comment or docstring."""
    documented = (1, source.partition("\n")[0])
    begins = True  # whether the next token begins a statement
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        here = (token.start[0], token.line.partition("\n")[0].strip())
        if token.type == tokenize.COMMENT:
            yield *here, token.string
        elif token.type == tokenize.STRING and begins and with_docstrings:
            yield *documented, token.string
        elif begins and token.type not in NO_CODE:
            documented = here
        if token.type not in NO_CODE:
            begins = token.type == tokenize.NEWLINE
