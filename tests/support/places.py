"""Where files are that tests read."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
GOLDEN = TESTS / "golden"
POSITIONS = TESTS / "positions"
HIDDEN = sorted(POSITIONS.glob("hidden-*.txt"))
"""Positions in which the player named last in the file's name can't tell some states apart."""
