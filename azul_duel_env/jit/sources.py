"""Which sources decide what the compiled code of a file does: the file itself and all of this package that it imports, directly or not.

A rule is a part of each entry that calls it, and so are the constants and tables that it reads, in whatever file they are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1]

IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
"""An import statement: where names come from, if it says so, and the names. To parse whole files would take a fifth of a second."""


class Source(NamedTuple):
    """A source file: a digest of its content, and the files of this package that it imports."""

    digest: str
    imports: frozenset[Path]


@cache
def digest_of(file: Path) -> str | None:
    """Return a hexadecimal digest of all sources that compiled code of a file depends on; None if one of them can't be read.

    What was read once is not read again, so that the digest is of what was imported, whatever is edited later.
    """
    digest = sha256()
    try:
        for path in sorted(reached_from(file)):
            name = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
            digest.update(f"{name} {read_source(path).digest}\n".encode())
    except OSError:
        return None
    return digest.hexdigest()


def reached_from(file: Path) -> set[Path]:
    """Return a file and all files of this package that it imports, directly or not.

    Raises:
        OSError: one of them can't be read.
    """
    reached: set[Path] = set()
    new = {file}
    while new:
        reached |= new
        new = {path for source in new for path in read_source(source).imports} - reached
    return reached


@cache
def read_source(path: Path) -> Source:
    """Return what there is to know of a source file.

    Raises:
        OSError: it, or what it imports, can't be read.
    """
    content = path.read_bytes()
    return Source(sha256(content).hexdigest(), frozenset(_imported_by(content.decode(errors="replace"))))


def _imported_by(text: str) -> Iterator[Path]:
    """Yield the files of this package that a source imports: all, if it does not say what it takes from which."""
    ours = PACKAGE.name
    for origin, names in IMPORT.findall(text):
        if origin.startswith(".") or (not origin and re.search(rf"\b{ours}\b", names)):
            yield from PACKAGE.rglob("*.py")
        elif origin == ours or origin.startswith(f"{ours}."):
            yield from _files_behind(origin, re.findall(r"\w+", re.sub(r"#.*", "", names)))


def _files_behind(origin: str, names: list[str]) -> Iterator[Path]:
    """Yield the files behind ``from origin import names``: modules of a package, or the file that holds the names."""
    file = _file_of(origin)
    if file is None:
        raise FileNotFoundError(f"the source of {origin} is not here")
    for name in names:
        yield (_file_of(f"{origin}.{name}") if file.name == "__init__.py" else None) or file


@cache
def _file_of(module: str) -> Path | None:
    """Return the source of a module of this package; None if there is none."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
