"""What all tests share."""

from __future__ import annotations

import os
import sys

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows open where nobody sees them
os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # several test processes, each with torch on all cores, would wait for each other


def pytest_configure() -> None:
    """Let coverage trace the tests and not the compiler, which would take twice as long."""
    from numba.core import event

    class Untraced(event.Listener):
        def __init__(self) -> None:
            self.tracers: list = []

        def on_start(self, _event: event.Event) -> None:
            self.tracers.append(sys.gettrace())
            sys.settrace(None)

        def on_end(self, _event: event.Event) -> None:
            sys.settrace(self.tracers.pop())

    event.register("numba:compile", Untraced())


def pytest_collection_finish() -> None:
    """Import all games while coverage traces: the test that wants one first may be untraced."""
    if sys.gettrace() is not None:
        from azul_duel_env.games import GAMES, find_game

        for name in GAMES:
            for num_players in find_game(name).player_counts:
                find_game(name, num_players)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Let coverage trace no test that is marked so. The ``no_cover`` of pytest-cov does nothing in the processes of pytest-xdist."""
    if item.get_closest_marker("untraced") is None:
        return (yield)
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
