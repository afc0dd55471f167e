"""Refuse a wheel or sdist in a folder that lacks a file of the package or holds what doesn't belong there: ``distributions.py FOLDER``."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITH_SDIST = ("azul_duel_env", "configs", "docs", "examples", "tests")


def files_below(*folders: str) -> set[str]:
    """Return the files of the tree below some folders, but for what Python writes."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def names_in_wheel(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as wheel:
        return {name for name in wheel.namelist() if ".dist-info/" not in name}


def names_in_sdist(path: Path) -> set[str]:
    with tarfile.open(path) as sdist:
        return {name.partition("/")[2] for name in sdist.getnames()}


def differences(kind: str, found: set[str], wanted: set[str], may_hold: set[str]) -> list[str]:
    """Return what is missing and what is too much, a line each."""
    missing = [f"{kind} lacks {name}" for name in sorted(wanted - found)]
    return [*missing, *(f"{kind} holds {name}" for name in sorted(found - wanted - may_hold))]


def main(folder: Path) -> None:
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    about = {
        ".gitignore",
        "CHANGELOG.md",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
    }
    wrong = [
        *differences("the wheel", names_in_wheel(wheel), files_below("azul_duel_env"), set()),
        *differences("the sdist", names_in_sdist(sdist), files_below(*WITH_SDIST), about),
    ]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{wheel.name} and {sdist.name} hold what they must")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
