"""What the notations of games are made of: named lines of text, and the small parts that stand in them.

A reader raises NotationError, which says what was expected; ``read_line`` adds in which line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from azul_duel_env.game.arrays import NOBODY

NOTHING = "-"
YES_NO = ("no", "yes")

Writer = Callable[[Any], str]
"""Takes a state in plain numbers and lists: ``plain``."""
Reader = Callable[[Any, str], None]
"""Takes a state record, and what stands after ``name:``."""


class NotationError(ValueError):
    """A text that is no state: the message names the line and what was expected."""


def plain(states: np.ndarray, i: int) -> SimpleNamespace:
    """Return one state with its fields as attributes: integers and nested lists of them, ten times as fast to look at as an array."""
    return SimpleNamespace(**{name: states[name][i].tolist() for name in states.dtype.names or ()})


# Lines ----------------------------------------------------------------------------------------
def lines_of(text: str, header: str, most_letters: int) -> dict[str, str]:
    """Split a text into its lines, name -> value; blank lines, and the one that names the players above their boards, say nothing.

    Raises:
        NotationError: another first line, a line of more than ``most_letters``, without a name, or that stands twice.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines or lines[0] != header:
        raise NotationError(f"expected {header!r} as the first line, not {lines[0] if lines else ''!r:.80}")
    longest = max(map(len, lines))
    if longest > most_letters:
        raise NotationError(f"expected lines of at most {most_letters} characters, not {longest}")
    fields: dict[str, str] = {}
    for line in lines[1:]:
        if not line or line.startswith("player 0"):
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise NotationError(f"expected 'name: value', not {line!r}")
        if name in fields:
            raise NotationError(f"the line {name!r} stands twice")
        fields[name] = value.strip()
    return fields


def check_names(names: Iterable[str], known: Iterable[str], required: Iterable[str]) -> None:
    """Look for lines that nobody knows, and for missing ones.

    Raises:
        NotationError: there is one.
    """
    names, known = list(names), list(known)
    unknown = [name for name in names if name not in known]
    missing = [name for name in required if name not in names]
    if unknown:
        raise NotationError(f"unknown line {unknown[0]!r}; known are {', '.join(known)}")
    if missing:
        raise NotationError(f"the line {missing[0]!r} is missing")


def read_line(state: Any, name: str, reader: Reader, value: str) -> None:
    """Read one line; a mistake in it is told with its name."""
    try:
        reader(state, value)
    except NotationError as error:
        raise NotationError(f"line {name!r}: {error}") from None


def check_sound(broken: Sequence[str]) -> None:
    """Refuse a state that breaks invariants.

    Raises:
        NotationError: it does; the message names them.
    """
    if broken:
        raise NotationError(f"the text is well formed, but no state of the game: broken are {'; '.join(broken)}")


# Small parts ----------------------------------------------------------------------------------
def write_counts(counts: Sequence[int], letters: str) -> str:
    """``B5 K1``: how many tiles of each colour."""
    return " ".join(f"{letter}{n}" for letter, n in zip(letters, counts, strict=True) if n) or NOTHING


def read_counts(text: str, letters: str, most: int) -> list[int]:
    """Read what ``write_counts`` writes; a colour has at most ``most`` tiles."""
    counts = [0] * len(letters)
    for word in words_of(text):
        if not re.fullmatch(rf"[{letters}][0-9]+", word):
            raise NotationError(
                f"expected a colour letter of {letters} and a number, such as {letters[0]}5, not {word!r}"
            )
        counts[letters.index(word[0])] = read_number(word[1:], 0, most)
    return counts


def write_letters(counts: Sequence[int], letters: str) -> str:
    """``BBK``: each tile one letter."""
    return "".join(letter * n for letter, n in zip(letters, counts, strict=True)) or NOTHING


def read_letters(text: str, letters: str, most: int) -> list[int]:
    """Return the colours of the letters, in their order; there are at most ``most``."""
    if text.strip() == NOTHING:
        return []
    if len(text.strip()) > most:
        raise NotationError(f"expected at most {most} colour letters, not {len(text.strip())}")
    return [index_of(letter, letters, "colour letter") for letter in text.strip()]


def words_of(text: str) -> list[str]:
    """Return the words of a text; none of ``-``."""
    return [] if text.strip() in ("", NOTHING) else text.split()


def index_of(word: str, names: Any, what: str) -> int:
    """Return the place of a word among names, or say what was expected."""
    if word not in names:
        article = "an" if what[0] in "aeiou" else "a"
        raise NotationError(f"expected {article} {what} ({', '.join(names)}), not {word!r}")
    return int(names.index(word))


def read_number(word: str, lowest: int = 0, highest: int = 32767) -> int:
    """Return a number, or say between which it was expected."""
    if not re.fullmatch(r"-?[0-9]{1,9}", word) or not lowest <= int(word) <= highest:
        raise NotationError(f"expected a number from {lowest} to {highest}, not {word!r:.40}")
    return int(word)


def read_numbers(text: str, count: int, highest: int = 32767) -> list[int]:
    """Return ``count`` numbers from 0 to ``highest``."""
    words = text.split()
    if len(words) != count:
        raise NotationError(f"expected {count} numbers, not {text!r}")
    return [read_number(word, 0, highest) for word in words]


def read_seats(text: str, num_players: int) -> list[str]:
    """Split ``of player 0 | of player 1``."""
    parts = text.split("|")
    if len(parts) != num_players:
        seats = " | ".join(f"player {player}" for player in range(num_players))
        raise NotationError(f"expected {num_players} parts, {seats}, not {text!r}")
    return [part.strip() for part in parts]


def write_player(player: int, nobody: str) -> str:
    """Return a seat, or the word for nobody."""
    return nobody if player == NOBODY else str(player)


def read_player(word: str, nobody: str, num_players: int) -> int:
    """Return the seat, or NOBODY, that ``write_player`` has written."""
    return NOBODY if word == nobody else read_number(word, 0, num_players - 1)


def write_values(values: dict[str, str]) -> str:
    """``name=value`` for each option."""
    return " ".join(f"{name}={value}" for name, value in values.items())


def read_values(text: str, names: Iterable[str], defaults: dict[str, str] | None = None) -> dict[str, str]:
    """Read what ``write_values`` writes; each name must be there once, if it has no default."""
    given = [word.partition("=")[::2] for word in text.split()]
    values = (defaults or {}) | dict(given)
    if values.keys() != set(names) or len(dict(given)) != len(given):
        raise NotationError(f"expected name=value for each of {', '.join(names)}, not {text!r}")
    return values


def read_hexadecimal(text: str) -> np.uint64:
    """Return the generator of a state."""
    if not re.fullmatch(r"[0-9a-f]{16}", text):
        raise NotationError(f"expected 16 hexadecimal digits, not {text!r}")
    return np.uint64(int(text, 16))
