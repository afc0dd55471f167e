"""How much the tests try: ``AZUL_DUEL_TEST_SCALE`` (a float, 1 by default) scales it.

Uncompiled, all is about a hundred times slower, and the sizes are as much smaller.
"""

from __future__ import annotations

import os

from azul_duel_env.jit import COMPILED

SCALE = float(os.environ.get("AZUL_DUEL_TEST_SCALE", "1")) * (1 if COMPILED else 1 / 80)


def scaled(size: int, least: int = 1) -> int:
    """Return a size fit for this lane, never below ``least``."""
    return max(least, round(size * SCALE))
