"""Compiling: an edited rule never runs in its old form, and compiling is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import azul_duel_env
from azul_duel_env import _jit

PACKAGE = Path(azul_duel_env.__file__).parent
pytestmark = pytest.mark.skipif(not _jit.COMPILED, reason="nothing is compiled in this lane")


def run(code: str, root: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(root), "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True, cwd=root
    )


PENALTY = """
import numpy as np
from azul_duel_env._jit import entry
from azul_duel_env.duel import state
from azul_duel_env.agents.greedy import pending_penalty
@entry
def ask(states):
    return pending_penalty(states[0], 0)
states = state.blank_states(1)
states["broken"][0, 0] = [2, 0, 0, 0, 0]
print(ask(states))
"""


def test_an_edit_in_one_file_reaches_callers_in_another(tmp_path):
    """``pending_penalty`` (agents/greedy.py) holds BROKEN_PENALTY of duel/components.py and calls duel/chance.py."""
    shutil.copytree(PACKAGE, tmp_path / "azul_duel_env", ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "ask.py"
    script.write_text(PENALTY, encoding="utf-8")
    code = "import runpy; runpy.run_path('ask.py')"
    assert run(code, tmp_path, tmp_path / "cache").stdout.strip() == "3.0"
    assert run(code, tmp_path, tmp_path / "cache").stdout.strip() == "3.0"
    chance = tmp_path / "azul_duel_env" / "duel" / "chance.py"
    edited = chance.read_text(encoding="utf-8").replace("total += counts[i]", "total += 2 * counts[i]")
    chance.write_text(edited, encoding="utf-8")
    assert run(code, tmp_path, tmp_path / "cache").stdout.strip() == "9.0"  # 4 broken tiles cost 10, at most score + 4


def test_compiled_code_of_other_versions_goes_after_a_month(tmp_path):
    for name, age in (("old", 40), ("recent", 20)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rule.nbc").write_text("")
        then = time.time() - age * 24 * 3600
        os.utime(tmp_path / name, (then, then))
    _jit.remove_old_versions(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["recent"]


def test_the_digest_covers_every_source(tmp_path, monkeypatch):
    shutil.copytree(PACKAGE, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_jit, "PACKAGE", tmp_path / "copy")
    before = _jit.digest_of_sources()
    for path in sorted((tmp_path / "copy").rglob("*.py")):
        path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        assert _jit.digest_of_sources() != before, path
        before = _jit.digest_of_sources()


def test_bounds_checked_code_has_a_folder_of_its_own(monkeypatch):
    before = _jit.digest_of_sources()
    monkeypatch.setattr(_jit.config, "BOUNDSCHECK", 1 if not _jit.config.BOUNDSCHECK else 0)
    assert _jit.digest_of_sources() != before


def test_others_keep_their_cache_folder():
    assert str(_jit.CACHE_FOLDER) != _jit.config.CACHE_DIR


def test_a_cold_compile_is_told_in_one_line_and_a_warm_start_is_silent(tmp_path):
    code = "from azul_duel_env.duel import GAME; print(GAME.new(1).player)"
    cold = run(code, PACKAGE.parent, tmp_path / "cache")
    assert cold.stdout == run(code, PACKAGE.parent, tmp_path / "cache").stdout
    assert cold.stderr.count("\n") == 1
    assert cold.stderr.startswith("azul_duel_env: compiling the rules")
    assert run(code, PACKAGE.parent, tmp_path / "cache").stderr == ""


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    monkeypatch.setattr(_jit.platformdirs, "user_cache_dir", lambda: str(blocked))
    folder = _jit._writable_folder()
    assert folder.is_dir()
    assert not str(folder).startswith(str(blocked))


UNCOUNTED = """
import numpy as np
from azul_duel_env._jit import entry, rule, rule_with_arrays
@rule_with_arrays
def made(size):
    return np.ones(size)
@rule
def passed_on(values):
    return values
@rule
def total(size):
    return made(size).sum()
@rule_with_arrays
def counted_total(size):
    return made(size).sum()
@entry
def ask_passed_on(values):
    return passed_on(values).sum()
@entry
def ask_total(size):
    return total(size)
@entry
def ask_counted_total(size):
    return counted_total(size)
print(ask_counted_total(3))
for ask, argument in ((ask_passed_on, np.ones(3)), (ask_total, 3)):
    try:
        ask(argument)
    except Exception as problem:
        print("rule_with_arrays" in str(problem))
"""


def test_a_rule_that_would_lose_an_array_is_refused(tmp_path):
    (tmp_path / "uncounted.py").write_text(UNCOUNTED, encoding="utf-8")
    code = f"import sys; sys.path.append({str(tmp_path)!r}); import uncounted"
    assert run(code, PACKAGE.parent, tmp_path / "cache").stdout.split() == ["3.0", "True", "True"]
