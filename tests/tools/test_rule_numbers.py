"""Rules and rulings are numbered without a gap, whatever cites one cites one that exists, and each ruling is decided and tested."""

from __future__ import annotations

import ast
import re
import tokenize
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from places import ROOT, TESTS

from azul_duel_env.games import GAMES
from azul_duel_env.games.duel.actions import DOME_TILE_NAMES
from azul_duel_env.games.duel.components import CHIPS, KIND_OF, KINDS
from azul_duel_env.tools.rulings import find_passage, numbers_cited, places_of, read_chapters


@dataclass(frozen=True)
class Book:
    """The numbers that a game should have."""

    package: str
    chapters: tuple[str, ...]
    rules: tuple[str, ...]
    rulings: tuple[str, ...]

    @property
    def folder(self) -> Path:
        return Path(str(import_module(self.package).__file__)).parent

    @property
    def known(self) -> set[str]:
        return {*self.chapters, *self.rules, *self.rulings}

    @property
    def prefix(self) -> str:
        """The letters of a ruling."""
        return self.rulings[0].rstrip("0123456789")


def numbered(prefix: str, last: int, first: int = 1) -> tuple[str, ...]:
    return tuple(f"{prefix}{n}" for n in range(first, last + 1))


DUEL = Book(
    GAMES["azul/duel-v0"],
    (*numbered("A.", 15), *numbered("B.", 4), "E.1"),
    (*numbered("D", 94), *numbered("E", 21)),
    numbered("R", 61),
)
MINI = Book(
    GAMES["azul/pavilion_mini-v0"],
    (*numbered("C.", 5), *numbered("G.", 4), "E.2"),
    (*numbered("S", 39), *numbered("E", 40, first=30)),
    numbered("SR", 35),
)
BOOKS = (DUEL, MINI)
of_each = pytest.mark.parametrize("book", BOOKS, ids=["duel", "mini"])


def written_rulings(book: Book) -> dict[str, str]:
    """Return the text below each heading such as ``## R24 Title``."""
    text = (book.folder / "RULINGS.md").read_text(encoding="utf-8")
    parts = re.split(rf"^## ({book.prefix}\d+) \S.*$", text, flags=re.MULTILINE)[1:]
    assert len(parts[::2]) == len(set(parts[::2])), "a ruling stands twice"
    return dict(zip(parts[::2], parts[1::2], strict=True))


def named_in_comments(book: Book) -> set[str]:
    """Return the rulings named in comments of the rules core; what stands in docstrings doesn't count."""
    found: set[str] = set()
    for path in book.folder.glob("*.py"):
        with tokenize.open(path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type == tokenize.COMMENT:
                    found |= set(re.findall(rf"\b{book.prefix}\d+\b", token.string))
    return found


def rulings_tested(book: Book) -> set[str]:
    """Return the rulings that have a test function, such as ``test_r24_...``."""
    names = {
        node.name
        for path in TESTS.rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    pattern = rf"test_{book.prefix.lower()}(\d+)_"
    return {f"{book.prefix}{match[1]}" for name in names if (match := re.match(pattern, name))}


def texts_of(book: Book) -> list[Path]:
    """Return the sources of a game and what is written about it."""
    return [*book.folder.rglob("*.py"), *book.folder.rglob("*.md")]


def texts_of_all() -> list[Path]:
    """Return the other sources of package and tests, and what is written for readers."""
    own = {path for book in BOOKS for path in texts_of(book)}
    package = DUEL.folder.parents[1]
    sources = [*package.rglob("*.py"), *package.rglob("*.md"), *TESTS.rglob("*.py")]
    pages = (ROOT / "docs" / "pages").rglob("*.md")
    texts = [*sources, *pages, *(path for name in ("README.md", "CHANGELOG.md") if (path := ROOT / name).exists())]
    return [path for path in texts if path not in own]


def unknown_in(paths: list[Path], books: tuple[Book, ...]) -> tuple[set[str], dict[str, list[str]]]:
    """Return the numbers that files cite, and, by file, those that none of the books has."""
    known = set().union(*(book.known for book in books))
    cited, unknown = set(), {}
    for path in paths:
        text = re.sub(r"noqa:.*", "", path.read_text(encoding="utf-8"))
        numbers = set().union(*(numbers_cited(text, book.package) for book in books))
        cited |= numbers
        if numbers - known:
            unknown[str(path)] = sorted(numbers - known)
    return cited, unknown


# Numbers ----------------------------------------------------------------------------------------------------------------
@of_each
def test_all_rulings_are_written_in_order(book):
    assert tuple(written_rulings(book)) == book.rulings


@of_each
def test_all_rules_are_written_once_and_in_order(book):
    text = (book.folder / "RULES.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^- \*\*(\S+)\*\* \S", text, re.MULTILINE)) == book.rules
    assert tuple(re.findall(r"^## (\S+) \S", text, re.MULTILINE)) == book.chapters


@of_each
def test_each_rule_is_found_in_a_chapter(book):
    chapters = read_chapters(book.package)
    assert tuple(chapters) == book.chapters
    assert tuple(number for chapter in chapters.values() for number in chapter.rules()) == book.rules


def test_no_number_has_two_meanings():
    assert not DUEL.known & MINI.known


@pytest.mark.parametrize(
    ("book", "some"),
    [(DUEL, {"D36", "A.9", "E.1", "R24"}), (MINI, {"S26", "C.3", "E.2", "SR24", "E34"})],
    ids=["duel", "mini"],
)
def test_every_number_that_a_game_cites_exists(book, some):
    cited, unknown = unknown_in(texts_of(book), (book,))
    assert some <= cited
    assert unknown == {}


def test_every_number_cited_elsewhere_exists():
    cited, unknown = unknown_in(texts_of_all(), BOOKS)
    assert {"D36", "R24", "S25"} <= cited
    assert unknown == {}


def test_every_number_in_the_name_of_a_test_exists():
    names = [name for path in TESTS.rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())]
    numbers = {n.upper() for name in names for n in re.findall(r"(?<=_)(?:d|e|r|s|sr)\d+(?=_)", name)}
    assert {"D34", "R24", "SR24"} <= numbers <= DUEL.known | MINI.known


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("A tile (D36, R9); RULES A.4", {"D36", "R9", "A.4"}),
        ("D86-D88 and A.9 to A.11", {"D86", "D87", "D88", "A.9", "A.10", "A.11"}),
        ("D36x, _D36, 1D36, SR3, a.B", set()),
    ],
)
def test_numbers_cited(text, numbers):
    assert numbers_cited(text, DUEL.package) == numbers


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
    places = places_of("D71", DUEL.package)
    assert any(re.fullmatch(r"components\.py:\d+: CHIP_SHOWS = .*", place) for place in places), "a constant"
    assert any(re.fullmatch(r"tiling\.py:\d+: def chips_face_up\(.*", place) for place in places), "a function"
    assert any(re.fullmatch(r"tiling\.py:\d+: if CHIP_SHOWS.*# D71, R31.*", place) for place in places), "a comment"
    assert any(place.startswith("drawing/board.py") for place in places_of("D46", DUEL.package)), "a folder within"
    for place in places:
        name, line, text = place.split(":", 2)
        assert (DUEL.folder / name).read_text(encoding="utf-8").splitlines()[int(line) - 1].strip() == text.strip()


def test_places_of_a_ruling_are_comments_only():
    assert places_of("R1", DUEL.package)
    assert all(re.search(r"# .*\bR1\b", place) for place in places_of("R1", DUEL.package))


def test_the_rules_list_the_components_that_the_code_has():
    chapters = read_chapters(DUEL.package)
    rows = re.findall(r"(\d+) \| `(\S+)` \| (\w+)", chapters["B.1"].text)
    assert sorted((int(n), front, kind) for n, front, kind in rows) == [
        (n, DOME_TILE_NAMES[n], KINDS[KIND_OF[n]]) for n in range(18)
    ]
    assert tuple(re.findall(r"`([A-Z]+)`", chapters["B.2"].text)) == CHIPS


def test_places_in_the_code_of_the_mini():
    assert any(re.fullmatch(r"placing\.py:\d+: if tiles.*# SR24", place) for place in places_of("SR24", MINI.package))
    assert any(place.startswith("stars.py") and "def group_size" in place for place in places_of("S26", MINI.package))


# Rulings ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("book", "ruling"), [pytest.param(book, ruling, id=ruling) for book in BOOKS for ruling in book.rulings]
)
def test_each_ruling_has_a_question_a_decision_and_a_reason(book, ruling):
    text = written_rulings(book)[ruling]
    for field in ("Question", "Decision", "Reason"):
        assert re.search(rf"^\*\*{field}\.\*\* \S", text, flags=re.MULTILINE), f"{ruling} has no {field.lower()}"


@of_each
def test_each_ruling_is_named_on_its_deciding_line(book):
    assert named_in_comments(book) == set(book.rulings)


@of_each
def test_each_ruling_has_a_test(book):
    assert rulings_tested(book) == set(book.rulings)
