"""Forks between steps, never in the midst of one: a child process has whole games, though another thread was stepping them.

A child has only the thread that forked. What other threads had begun is never finished there: a game half stepped, a lock held for ever.
So a fork waits for the steps under way, which take milliseconds, and holds back others until it is done.
"""

from __future__ import annotations

import os
from threading import RLock
from typing import Any, Protocol
from weakref import WeakValueDictionary

PATIENCE = 60.0
"""Seconds that a fork waits for one step: longer than all rules take to compile, which the first step does."""


class Stepped(Protocol):
    """What a fork waits for.

    Attributes:
        stepping: a lock, held by whoever steps.
    """

    stepping: Any

    def go_on_in_child(self, *, whole: bool) -> None:
        """Go on in a child process, with a new lock and without the threads; ``whole`` is False if a step was under way all the same."""


_known: WeakValueDictionary[int, Stepped] = WeakValueDictionary()
_forking: Any = RLock()
_held: list[Any] = []
"""The locks that a fork under way has: none of the steps that they belong to is under way."""


def let_forks_wait_for(stepped: Stepped) -> None:
    """Let every fork of this process wait until nobody steps this."""
    _known[id(stepped)] = stepped


def _hold_back_steps() -> None:
    _hold(_forking)
    for reference in _known.valuerefs():
        stepped = reference()
        if stepped is not None:
            _hold(stepped.stepping)


def _hold(lock: Any) -> None:
    if lock.acquire(timeout=PATIENCE):
        _held.append(lock)


def _let_parent_go_on() -> None:
    while _held:
        _held.pop().release()


def _let_child_go_on() -> None:
    global _forking
    _forking = RLock()
    for stepped in list(_known.values()):
        stepped.go_on_in_child(whole=stepped.stepping in _held)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_back_steps, after_in_parent=_let_parent_go_on, after_in_child=_let_child_go_on)
