"""What is generated in README, pages and specifications is what the code and the results say."""

from __future__ import annotations

import re

import parts
import pytest
import tables
from places import ROOT

import azul_duel_env

FILES = [*parts.texts(), *parts.specs.written()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_generated_parts_are_true(file):
    text = file.read_text(encoding="utf-8")
    written = parts.specs.written().get(file) or parts.filled(text)
    assert text == written, "run: python docs/generate"


def test_every_part_stands_somewhere():
    used = [name for file in parts.texts() for name in parts.names_in(file.read_text(encoding="utf-8"))]
    assert set(used) == set(parts.PARTS)


def test_a_part_must_end():
    with pytest.raises(ValueError, match="board"):
        parts.filled("<!-- begin board -->\n\n<!-- end ladder -->")


def test_cells_of_tables_keep_to_themselves():
    for file in FILES:
        text = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        for rows in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows.splitlines()}
            assert len(widths) == 1, f"{file}: {rows}"


def test_the_version_is_cited_and_has_its_changes():
    version = azul_duel_env.__version__
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in cited
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version {version}\n" in (tables.PAGES / "benchmark.md").read_text(encoding="utf-8")
