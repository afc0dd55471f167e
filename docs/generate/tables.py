"""What all generators share: where things lie, and tables in Markdown."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "configs" / "results"
PAGES = ROOT / "docs" / "pages"


def table(head: list[str], rows: list[list[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def fenced(text: str) -> str:
    inner = text.strip("\n")
    return f"```text\n{inner}\n```"
