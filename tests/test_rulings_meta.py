"""Rules and rulings are numbered without a gap, whatever cites one cites one that exists, and each ruling is decided and tested."""

from __future__ import annotations

import ast
import re
import tokenize
from pathlib import Path

import pytest

import azul_duel_env.games.duel
from azul_duel_env.games.duel.actions import DOME_TILE_NAMES
from azul_duel_env.games.duel.components import CHIPS, KIND_OF, KINDS
from azul_duel_env.tools.rulings import find_passage, numbers_cited, places_of, read_chapters

PACKAGE = "azul_duel_env.games.duel"
DUEL = Path(azul_duel_env.games.duel.__file__).parent
TESTS = Path(__file__).parent
ROOT = TESTS.parent
RULINGS = [f"R{n}" for n in range(1, 62)]
RULES = [f"D{n}" for n in range(1, 95)] + [f"E{n}" for n in range(1, 22)]
CHAPTERS = [f"A.{n}" for n in range(1, 16)] + [f"B.{n}" for n in range(1, 5)] + ["E.1"]
KNOWN = {*RULINGS, *RULES, *CHAPTERS}


def written_rulings() -> dict[str, str]:
    """Return the text below each heading such as ``## R24 Title``."""
    text = (DUEL / "RULINGS.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (R\d+) \S.*$", text, flags=re.MULTILINE)[1:]
    assert len(parts[::2]) == len(set(parts[::2])), "a ruling stands twice"
    return dict(zip(parts[::2], parts[1::2], strict=True))


def named_in_comments() -> set[str]:
    """Return the rulings named in comments of the rules core; what stands in docstrings doesn't count."""
    found: set[str] = set()
    for path in DUEL.glob("*.py"):
        with tokenize.open(path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type == tokenize.COMMENT:
                    found |= set(re.findall(r"\bR\d+\b", token.string))
    return found


def rulings_tested() -> set[str]:
    """Return the rulings that have a test function, such as ``test_r24_...``."""
    names = {
        node.name
        for path in TESTS.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    return {f"R{match[1]}" for name in names if (match := re.match(r"test_r(\d+)_", name))}


def texts_that_cite() -> list[Path]:
    """Return the sources of package and tests, and what is written for readers."""
    sources = [*DUEL.parent.rglob("*.py"), *DUEL.parent.rglob("*.md"), *TESTS.glob("*.py")]
    return sources + [path for name in ("README.md", "CHANGELOG.md") if (path := ROOT / name).exists()]


# Numbers ----------------------------------------------------------------------------------------------------------------
def test_all_rulings_are_written_in_order():
    assert list(written_rulings()) == RULINGS


def test_all_rules_are_written_once_and_in_order():
    text = (DUEL / "RULES.md").read_text(encoding="utf-8")
    assert re.findall(r"^- \*\*(\S+)\*\* \S", text, re.MULTILINE) == RULES
    assert re.findall(r"^## (\S+) \S", text, re.MULTILINE) == CHAPTERS


def test_each_rule_is_found_in_a_chapter():
    chapters = read_chapters(PACKAGE)
    assert list(chapters) == CHAPTERS
    assert [number for chapter in chapters.values() for number in chapter.rules()] == RULES


def test_every_number_cited_exists():
    texts = {str(path): re.sub(r"noqa:.*", "", path.read_text(encoding="utf-8")) for path in texts_that_cite()}
    cited = {file: numbers_cited(text, PACKAGE) for file, text in texts.items()}
    assert {"D36", "A.9", "E.1", "R24"} <= set().union(*cited.values())
    assert {file: sorted(numbers - KNOWN) for file, numbers in cited.items() if numbers - KNOWN} == {}


def test_every_number_in_the_name_of_a_test_exists():
    names = [name for path in TESTS.glob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())]
    numbers = {n.upper() for name in names for n in re.findall(r"(?<=_)[der]\d+(?=_)", name)}
    assert {"D34", "R24"} <= numbers <= KNOWN


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("A tile (D36, R9); RULES A.4", {"D36", "R9", "A.4"}),
        ("D86-D88 and A.9 to A.11", {"D86", "D87", "D88", "A.9", "A.10", "A.11"}),
        ("D36x, _D36, 1D36, SR3, a.B", set()),
    ],
)
def test_numbers_cited(text, numbers):
    assert numbers_cited(text, PACKAGE) == numbers


def test_numbers_have_the_letters_of_the_files_of_a_game(tmp_path, monkeypatch):
    package = tmp_path / "tents"
    package.mkdir()
    (package / "__init__.py").write_text('"""Tents (S1)."""\n\nA = 1  # SR2, R9\n', encoding="utf-8")
    (package / "RULES.md").write_text("## P.1 Box\n\n- **S1** A box.\n- **S17** A tent.\n", encoding="utf-8")
    (package / "RULINGS.md").write_text("## SR1 One\n\nYes.\n\n## SR2 Two\n\nNo.\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert numbers_cited("S16-S17, SR1 to SR2, P.1; D36, R2, A.1", "tents") == {"S16", "S17", "SR1", "SR2", "P.1"}
    assert find_passage("s17", "tents").text == "A tent."
    assert find_passage("2", "tents").title == "Two"
    assert places_of("SR2", "tents") == ["__init__.py:3: A = 1  # SR2, R9"]
    with pytest.raises(ValueError, match=r"there are P\.1, S1 to S17 and SR1 to SR2"):
        find_passage("R2", "tents")


# Where rules are carried out --------------------------------------------------------------------------------------------
def test_places_of_a_rule_are_lines_with_a_comment_and_what_docstrings_document():
    places = places_of("D71", PACKAGE)
    assert any(re.fullmatch(r"components\.py:\d+: CHIP_SHOWS = .*", place) for place in places), "a constant"
    assert any(re.fullmatch(r"tiling\.py:\d+: def chips_face_up\(.*", place) for place in places), "a function"
    assert any(re.fullmatch(r"tiling\.py:\d+: if CHIP_SHOWS.*# D71, R31.*", place) for place in places), "a comment"
    assert any(place.startswith("drawing/board.py") for place in places_of("D46", PACKAGE)), "a folder within"
    for place in places:
        name, line, text = place.split(":", 2)
        assert (DUEL / name).read_text(encoding="utf-8").splitlines()[int(line) - 1].strip() == text.strip()


def test_places_of_a_ruling_are_comments_only():
    assert places_of("R1", PACKAGE)
    assert all(re.search(r"# .*\bR1\b", place) for place in places_of("R1", PACKAGE))


def test_the_rules_list_the_components_that_the_code_has():
    chapters = read_chapters(PACKAGE)
    rows = re.findall(r"(\d+) \| `(\S+)` \| (\w+)", chapters["B.1"].text)
    assert sorted((int(n), front, kind) for n, front, kind in rows) == [
        (n, DOME_TILE_NAMES[n], KINDS[KIND_OF[n]]) for n in range(18)
    ]
    assert tuple(re.findall(r"`([A-Z]+)`", chapters["B.2"].text)) == CHIPS


# Rulings ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ruling", RULINGS)
def test_each_ruling_has_a_question_a_decision_and_a_reason(ruling):
    text = written_rulings()[ruling]
    for field in ("Question", "Decision", "Reason"):
        assert re.search(rf"^\*\*{field}\.\*\* \S", text, flags=re.MULTILINE), f"{ruling} has no {field.lower()}"


def test_each_ruling_is_named_on_its_deciding_line():
    assert named_in_comments() == set(RULINGS)


def test_each_ruling_has_a_test():
    assert rulings_tested() == set(RULINGS)


def test_the_readme_counts_them():
    assert f"leave {len(RULINGS)} things open" in (ROOT / "README.md").read_text(encoding="utf-8")
