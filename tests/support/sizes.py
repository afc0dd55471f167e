"""How much the tests try: ``AZUL_DUEL_TEST_SCALE`` (a float) scales it. ``.ci/run`` sets 0.5; compiled, it
is 0.25 by default, so that who waits for all tests does not wait long, and else 1.

Uncompiled, all is about a hundred times slower, and the sizes are as much smaller.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from azul_duel_env.jit import COMPILED

DEFAULT = "0.25" if COMPILED else "1"
SCALE = float(os.environ.get("AZUL_DUEL_TEST_SCALE", DEFAULT)) * (1 if COMPILED else 1 / 80)


def scaled(size: int, least: int = 1) -> int:
    """Return a size fit for this lane, never below ``least``."""
    return max(least, round(size * SCALE))


def slow(*cases: Any) -> Iterator[Any]:
    """Yield cases of ``pytest.mark.parametrize`` that are left out by default."""
    for case in cases:
        yield pytest.param(case, marks=pytest.mark.slow)
