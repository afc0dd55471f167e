"""Files that are whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced(file: Path) -> Iterator[Path]:
    """Give a temporary file beside ``file`` to write into, and put it in its place at the end; an error leaves the old one."""
    temporary = file.with_name(f".{file.stem}.new{file.suffix}")
    try:
        yield temporary
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
