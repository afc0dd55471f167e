"""SIGTERM, by which clusters ask a process to end: it stops a command as Ctrl-C does, so that what is done is saved and told."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

TERMINATED = 128 + signal.SIGTERM
"""Exit code of a command that SIGTERM stopped."""


@contextmanager
def sigterm_interrupts(came: threading.Event) -> Iterator[None]:
    """Raise KeyboardInterrupt in the main thread when SIGTERM comes, and set ``came``.

    Once it came, another does nothing: who ends a process and its whole group sends two, the second amid handing out what is done.
    """

    def interrupt(_number: int, _frame: Any) -> None:
        if not came.is_set():
            came.set()
            raise KeyboardInterrupt

    with _handled({signal.SIGTERM: interrupt}):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore Ctrl-C and SIGTERM inside: what is already stopping saves once, and whole, however often it is asked."""
    with _handled({signal.SIGINT: signal.SIG_IGN, signal.SIGTERM: signal.SIG_IGN}):
        yield


@contextmanager
def deferred() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait for the end: what is written inside is whole, and nothing is left half imported."""
    came: list[int] = []

    def note(number: int, _frame: Any) -> None:
        came.append(number)

    with _handled({signal.SIGINT: note, signal.SIGTERM: note}):
        yield
    if came:
        signal.raise_signal(came[0])


@contextmanager
def _handled(handlers: dict[signal.Signals, Any]) -> Iterator[None]:
    """Handle signals so inside, and as before afterwards. In other threads, where Python can't, nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with ExitStack() as before:  # each is put back, also if a signal comes amid this
        for number, handler in handlers.items():
            before.callback(signal.signal, number, signal.getsignal(number) or signal.SIG_DFL)
            signal.signal(number, handler)
        yield


@contextmanager
def unheard_by_children() -> Iterator[None]:
    """Let processes that are started inside never hear Ctrl-C, which a terminal sends to all of them: who started them ends them.

    Ctrl-C waits for the end in this thread. On Windows nothing changes.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # where it starts inside, Python up to 3.12 lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
