"""What is said on standard error while the package starts. Saying it never fails anything."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

NOTICE_AFTER = 1.0
"""Seconds of compiling before it is said."""


def print_notice(line: str) -> None:
    """Print one line on standard error, unless that is closed or can't be written."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(f"azul_duel_env: {line}", file=sys.stderr, flush=True)


class Notice:
    """A context that says once, in one line, that rules are being compiled, if that takes more than a second.

    Entries compile one at a time, under Numba's lock, and one may compile another meanwhile.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._timer: threading.Timer | None = None
        self._printed = False

    def _print(self) -> None:
        self._printed = True
        print_notice("compiling the rules, once for this version (10 to 20 s) ...")

    def __enter__(self) -> None:
        self._depth += 1
        if self._depth == 1 and not self._printed:
            self._timer = threading.Timer(NOTICE_AFTER, self._print)
            self._timer.daemon = True
            with suppress(RuntimeError):  # no more threads
                self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()


COMPILING = Notice()
