"""What all generators share: where things lie, and tables in Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "configs" / "results"
PAGES = ROOT / "docs" / "pages"


def table(head: list[str], rows: list[list[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def fenced(text: str) -> str:
    inner = text.strip("\n")
    return f"```text\n{inner}\n```"


def rate_text(played: dict[str, Any]) -> str:
    """Return a win rate of results, with its interval."""
    return f"{played['win_rate']:.1%} [{played['win_rate_low']:.1%}, {played['win_rate_high']:.1%}]"


def gap_text(rating: dict[str, Any]) -> str:
    """Return how far a rating of a ladder is above the next, with its interval."""
    from azul_duel_env.arena.report import interval_text

    return (
        "" if rating["gap"] is None else f"{rating['gap']:+.0f} {interval_text(rating['gap_low'], rating['gap_high'])}"
    )
