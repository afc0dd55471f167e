"""What a command prints arrives whole: in any encoding and width, and where nobody reads on."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from contextlib import suppress
from typing import Any, TextIO

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

PLAIN = "azul_duel_plain"
"""Name of the error handler that writes characters which an encoding lacks in others."""
OTHERS = {"±": "+-", "…": "...", "•": "*"}
UNBOUNDED = 10_000
ELLIPSIS = "…"


def _in_others(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for characters that can't be encoded; those without a likeness are escaped."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_likeness, error.object[error.start : error.end])), error.end


def _likeness(character: str) -> str:
    if character in OTHERS:
        return OTHERS[character]
    if unicodedata.category(character) == "So":
        return "*"
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or character.encode("ascii", "backslashreplace").decode()


codecs.register_error(PLAIN, _in_others)


class Terminal(Console):
    """A console that writes in the encoding of its file what that lacks, and goes on in silence where its reader has left."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text in characters that can be written, so that tables are as wide as they will be."""
        with suppress(LookupError):
            text = text.encode(self.encoding, PLAIN).decode(self.encoding)
        return super().render_str(text, **options)

    def on_broken_pipe(self) -> None:
        """Print no more: files are still to be written, and the command ends as it would."""
        self.quiet = True
        silence(self.file)


def write_any_character() -> None:
    """Let standard output and error write characters that their encoding lacks in others, and never fail at them."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=PLAIN)


def write_out(text: str) -> None:
    """Write a text to standard output as it is, as far as it is read."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def silence(stream: TextIO | Any) -> None:
    """Let a stream lead nowhere from now on, for Python flushes it at the end once more."""
    with suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def show(what: Table | str) -> None:
    """Print a table or a sentence on standard output, no value cut.

    A table is as wide as it wants to be where that is no terminal. On one that is too narrow its cells fold at spaces; if words would be
    cut, it goes row by row.
    """
    terminal = Terminal(width=UNBOUNDED, markup=False, emoji=False, highlight=False)
    if isinstance(what, str):
        terminal.print(what, soft_wrap=True)
        return
    limit = _width_of_terminal()
    terminal.width = min(Measurement.get(terminal, terminal.options, what).maximum, limit)
    if _cuts(terminal, what):
        terminal.print(_row_by_row(what), soft_wrap=True)
    else:
        terminal.print(what)


def _width_of_terminal() -> int:
    """Return how wide standard output is; without bound if it is no terminal, or one that does not say."""
    terminal = Terminal()
    real = sys.stdout is not None and sys.stdout.isatty() and not terminal.is_dumb_terminal
    return terminal.width if real else UNBOUNDED


def _cuts(terminal: Terminal, table: Table) -> bool:
    """Return whether a word of a value would be cut, or a whole column left out."""
    text = "".join(segment.text for segment in terminal.render(table))
    words = [word for row in _rows(table) for cell in row for word in terminal.render_str(cell).plain.split()]
    return ELLIPSIS in text or any(word not in text for word in words)


def _rows(table: Table) -> list[tuple[str, ...]]:
    """Return the texts of a table, its head first."""
    columns = [[str(cell) for cell in (column.header, *column.cells)] for column in table.columns]
    return list(zip(*columns, strict=True))


def _row_by_row(table: Table) -> str:
    """Return a table as text with a line for each value."""
    names, *rows = _rows(table)
    blocks = [str(table.title or "")]
    for row in rows:
        values = [(name, value) for name, value in zip(names, row, strict=True) if value]
        blocks.append("\n".join(f"{name}: {value}" if name else value for name, value in values))
    return "\n\n".join(block for block in [*blocks, str(table.caption or "")] if block)
