"""A lock beside a file, so that one run at a time writes it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

OURS = "process "
"""How the text in a lock begins that says who holds it. Where the file system has no locks, filelock keeps a text of its own there: then
the file itself is the lock."""


@contextmanager
def held(file: Path) -> Iterator[None]:
    """Hold the lock of a file. The system gives it back when the process ends, however that happens.

    The lock is ``.NAME.lock`` in the folder of the file. It says who holds it, and may stay there. Where the file system has no locks, its
    being there is the lock: one that a killed process left is removed by the next run on that machine; elsewhere somebody must delete it.

    Raises:
        ValueError: another run holds it; the message says which.
        OSError: there is no such folder, or it can't be written.
    """
    if not file.parent.is_dir():
        raise FileNotFoundError(f"can't write {file}: there is no folder {file.parent}")
    target = file.resolve()
    place = target.with_name(f".{target.name}.lock")
    holder = _text(place)
    lock = FileLock(place)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        who = " ".join((_text(place) or holder).split()) or "unknown"
        left = "" if who.startswith(OURS) else f"; if it was killed, delete {place}"
        raise ValueError(
            f"another run writes {file} ({who}): wait for its end, or choose another place{left}"
        ) from None
    try:
        text = _text(place)
        if not text or text.startswith(OURS):
            since = time.strftime("%Y-%m-%d %H:%M:%S")
            with suppress(OSError):
                place.write_text(f"{OURS}{os.getpid()} on {socket.gethostname()} since {since}\n", encoding="utf-8")
        yield
    finally:
        lock.release()


def _text(place: Path) -> str:
    """Return what a lock says; "" where it can't be read."""
    with suppress(OSError, ValueError):
        return place.read_text(encoding="utf-8")
    return ""
