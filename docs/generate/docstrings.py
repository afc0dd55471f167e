"""Docstrings as Markdown: the tables and the code in them, as they are written for people who read the source, become those of Markdown."""

from __future__ import annotations

import re

BORDER = re.compile(r" *=+(?: +=+)+")


def as_markdown(text: str) -> str:
    """Return a docstring, without its indentation, as Markdown."""
    lines, made = text.splitlines(), []
    while lines:
        line = lines.pop(0)
        if BORDER.fullmatch(line):
            end = max(i for i, other in enumerate(lines[: _end_of(lines)]) if BORDER.fullmatch(other))
            made += ["", *_table(line, lines[:end]), ""]
            del lines[: end + 1]
        else:
            made.append(line[:-1] if line.endswith("::") else line)
    return "\n".join(made)


def _end_of(lines: list[str]) -> int:
    """Return how many lines belong to what begins with the first, which an empty line ends."""
    return next((i for i, line in enumerate(lines) if not line.strip()), len(lines))


def _table(border: str, lines: list[str]) -> list[str]:
    starts = [match.start() for match in re.finditer("=+", border)]
    rows: list[list[str]] = []
    head: list[list[str]] = []
    for line in lines:
        if BORDER.fullmatch(line):
            head, rows = rows, []
            continue
        cells = [line[a:b].strip().replace("|", "\\|") for a, b in zip(starts, [*starts[1:], None], strict=True)]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [" ".join(filter(None, both)) for both in zip(rows[-1], cells, strict=True)]
    titles = head[0] if head else [""] * len(starts)
    rows = [titles, ["---"] * len(starts), *rows]
    indent = " " * starts[0]
    return [f"{indent}| {' | '.join(row)} |" for row in rows]
