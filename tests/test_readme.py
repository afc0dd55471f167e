"""README: its generated parts are true, its code runs, its links lead somewhere; and examples run."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from readme import README, ROOT, filled

from azul_duel_env._jit import COMPILED

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.skipif(not COMPILED, reason="plays 200 games")
def test_generated_parts_are_true():
    assert filled(TEXT) == TEXT, "run: python tests/readme.py"


def test_python_code_runs():
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for block in blocks:
        if block.startswith("state = env"):
            exec("env.reset(seed=1)", names)
        exec(block, names)


def test_links_lead_to_files():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_changelog_has_the_version():
    from azul_duel_env import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


EXAMPLES = {
    "aec_loop.py": ["--games", "1"],
    "search_with_clones.py": ["--simulations", "3", "--decisions", "6"],
    "vector_random.py": ["--envs", "4", "--steps", "20"],
}


def test_every_example_is_run():
    assert sorted(EXAMPLES) == sorted(path.name for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    if not COMPILED and name == "search_with_clones.py":
        pytest.skip("a thousand times too slow in this lane")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name), *EXAMPLES[name]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "row 6:" in done.stdout or "steps a second" in done.stdout
