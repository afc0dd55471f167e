"""Which sources decide what the compiled code of a module does: the module itself and all that it imports, directly or not.

A rule is a part of each entry that calls it, and so are the constants and tables that it reads, in whatever file they are made. Followed
are imports of this package, of the package that the module belongs to (a game may come from elsewhere), and relative ones, by which a
template is bound to the rules of a game: see ``kernels``. What a game imports from packages other than its own does not count.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).parents[1]
PACKAGE = HOME
"""The package; tests look at a copy."""

NEVER_LOADED = ("rules.py", "invariants.py")
"""Files among the templates that only say what a game writes."""

IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
"""An import statement: where names come from, if it says so, and the names. To parse whole files would take a fifth of a second."""


class Module(NamedTuple):
    """A source file, and the package that it is loaded in; a template is loaded in several."""

    file: Path
    package: str


class Source(NamedTuple):
    """What a module holds: a digest of its content, and the modules that it imports."""

    digest: str
    imports: frozenset[Module]


@cache
def digest_of(file: Path, package: str = "") -> str | None:
    """Return a hexadecimal digest of all sources that compiled code of a module depends on; None if one of them can't be read.

    What was read once is not read again, so that the digest is of what was imported, whatever is edited later.
    """
    digest = sha256()
    try:
        for path in sorted({module.file for module in reached_from(Module(file, package))}):
            name = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
            digest.update(f"{name} {_digest_of_file(path)}\n".encode())
    except OSError:
        return None
    return digest.hexdigest()


def reached_from(module: Module) -> set[Module]:
    """Return a module and all that it imports, directly or not.

    Raises:
        OSError: one of them can't be read.
    """
    reached: set[Module] = set()
    new = {module}
    while new:
        reached |= new
        new = {found for source in new for found in read_source(source).imports} - reached
    return reached


@cache
def _digest_of_file(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@cache
def read_source(module: Module) -> Source:
    """Return what there is to know of a module.

    Raises:
        OSError: it, or what it imports, can't be read.
    """
    text = module.file.read_bytes().decode(errors="replace")
    return Source(_digest_of_file(module.file), frozenset(_imported_by(text, module.package)))


def _imported_by(text: str, package: str) -> Iterator[Module]:
    """Yield the modules that a source imports: all of a package, if it does not say what it takes from which module."""
    followed = {PACKAGE.name, package.partition(".")[0]} - {""}
    for origin, names in IMPORT.findall(re.sub(r"#.*", "", text)):
        if not origin:
            for name in re.findall(r"[\w.]+", names):
                yield from _modules_named(name) if name.partition(".")[0] in followed else ()
            continue
        dots = len(origin) - len(origin.lstrip("."))
        if dots:
            parents = package.split(".")[: len(package.split(".")) - dots + 1]
            origin = ".".join([*parents, *filter(None, [origin[dots:]])])
        if origin.partition(".")[0] in followed:
            yield from _modules_behind(origin, re.findall(r"\w+", names))


def _modules_named(name: str) -> Iterator[Module]:
    """Yield the module that ``import`` names; of a whole package all there is, since it may be used by its full name."""
    found = _module(name)
    if found is not None and "." in name:
        yield found
    elif found is not None:
        yield from (Module(path, "") for path in found.file.parent.rglob("*.py"))


def _modules_behind(origin: str, names: list[str]) -> Iterator[Module]:
    """Yield the modules behind ``from origin import names``: those of a package, or the one that holds the names."""
    found = _module(origin)
    if found is None:
        raise FileNotFoundError(f"the source of {origin} is not here")
    if not names:  # a star: all that this module holds
        yield found
    for name in names:
        yield (_module(f"{origin}.{name}") if found.file.name == "__init__.py" else None) or found


@cache
def _module(name: str) -> Module | None:
    """Return a module by its name; None if there is none."""
    parent, _, last = name.rpartition(".")
    loaded = sys.modules.get(name)
    source = getattr(loaded, "__file__", None) or ""
    if name.partition(".")[0] != PACKAGE.name and source.endswith(
        ".py"
    ):  # from elsewhere: Python knows where it found it
        return Module(Path(source), getattr(loaded, "__package__", None) or "")
    for folder in _folders_of(parent):
        for file, package in ((folder / f"{last}.py", parent), (folder / last / "__init__.py", name)):
            if file.is_file() and file not in (PACKAGE / "kernels" / name for name in NEVER_LOADED):
                return Module(file, package)
    return None


def _folders_of(package: str) -> list[Path]:
    """Return where the modules of a package are looked for: as it says itself if it was imported, else in its folder."""
    if not package:
        return [PACKAGE.parent, *(Path(path) for path in sys.path)]
    path = getattr(sys.modules.get(package), "__path__", None)
    if path is not None:
        folders = [Path(folder) for folder in path]
        return [PACKAGE / folder.relative_to(HOME) if folder.is_relative_to(HOME) else folder for folder in folders]
    parent, _, last = package.rpartition(".")
    own = [folder / last for folder in _folders_of(parent) if (folder / last).is_dir()][:1]
    is_bound = last == "kernels" and own != [PACKAGE / "kernels"]
    return [*own, PACKAGE / "kernels"] if is_bound else own
