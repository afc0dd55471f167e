"""Each ruling of ``RULINGS.md`` is complete, named on the line of code that decides it, and tested."""

from __future__ import annotations

import ast
import re
import tokenize
from pathlib import Path

import pytest

import azul_duel_env.duel

DUEL = Path(azul_duel_env.duel.__file__).parent
TESTS = Path(__file__).parent
RULINGS = [f"R{n}" for n in range(1, 62)]


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


def test_all_rulings_are_written_in_order():
    assert list(written_rulings()) == RULINGS


@pytest.mark.parametrize("ruling", RULINGS)
def test_each_ruling_has_a_question_a_decision_and_a_reason(ruling):
    text = written_rulings()[ruling]
    for field in ("Question", "Decision", "Reason"):
        assert re.search(rf"^\*\*{field}\.\*\* \S", text, flags=re.MULTILINE), f"{ruling} has no {field.lower()}"


def test_each_ruling_is_named_on_its_deciding_line():
    assert named_in_comments() == set(RULINGS)


def test_each_ruling_has_a_test():
    assert rulings_tested() == set(RULINGS)
