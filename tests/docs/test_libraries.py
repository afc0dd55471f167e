"""The table of libraries: its parts are what its script makes of the measurements, and each row that can be run here runs."""

from __future__ import annotations

import json
import re

import libraries
import pytest
from libraries import LIBRARIES

from azul_duel_env.jit import COMPILED

NAMES = [library.name for library in LIBRARIES]


def test_figures_are_of_rows():
    figures = libraries.read_figures()
    assert list(figures) == [name for name in NAMES if name in figures]
    for library in LIBRARIES:
        if library.name in figures:
            assert set(figures[library.name]["versions"]) == set(library.packages)


def test_lines_of_glue_are_those_of_the_page():
    blocks = re.findall(r"```python\n(.*?)```", libraries.glue(), re.DOTALL)
    counted = [len([line for line in block.splitlines() if line.strip()]) for block in blocks]
    assert counted == [library.lines_of_glue for library in LIBRARIES]


@pytest.mark.skipif(not COMPILED, reason="a thousand times too slow in this lane")
@pytest.mark.filterwarnings("default")  # warnings of the libraries
@pytest.mark.parametrize("library", LIBRARIES, ids=NAMES)
def test_a_row_runs(library):
    try:
        runs = library.collect(library.glue()), library.collect_reference()
    except ImportError as missing:
        pytest.skip(str(missing))
    for run in runs:
        steps, seconds = run(0.01)
        assert steps > 0
        assert seconds > 0


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Let figures be a file of this test."""
    monkeypatch.setattr(libraries, "FIGURES", tmp_path / "libraries.json")


def nothing():
    return None


def row(name, ours=lambda seconds: (100, seconds)):
    """Return a row that takes no time."""
    return libraries.Library(
        name,
        ("numpy",),
        "all",
        "none.md",
        nothing,
        lambda _: ours,
        "a loop",
        "chess",
        lambda: lambda seconds: (10, seconds),
    )


def missing(_):
    raise ImportError("No module named 'nothing'")


@pytest.mark.usefixtures("elsewhere")
def test_runs_in_several_environments_add_up(monkeypatch, capsys):
    rows = [row("one"), row("two"), row("three")]
    monkeypatch.setattr(libraries, "LIBRARIES", rows)
    monkeypatch.setattr("sys.argv", ["libraries.py", "--seconds", "0.5", "--only", "two"])
    libraries.main()
    assert list(libraries.read_figures()) == ["two"]
    assert "| one | a loop | not measured yet | chess |  |  |" in libraries.speeds()
    rows[1] = row("two", ours=missing)
    monkeypatch.setattr("sys.argv", ["libraries.py", "--seconds", "0.5"])
    libraries.main()
    assert "two: left out: No module named 'nothing'" in capsys.readouterr().out
    figures = json.loads(libraries.FIGURES.read_text())
    assert list(figures) == ["one", "two", "three"]
    assert figures["two"]["steps_per_second"] == {"ours": 1000, "reference": 100}
    assert "| two | a loop | 1,000 | chess | 100 | 10 |" in libraries.speeds()


@pytest.mark.usefixtures("elsewhere")
def test_what_is_measured_is_kept_when_a_later_row_fails(monkeypatch):
    def broken(_):
        raise RuntimeError("broken")

    monkeypatch.setattr(libraries, "LIBRARIES", [row("one"), row("two", ours=broken)])
    monkeypatch.setattr("sys.argv", ["libraries.py", "--seconds", "0.5"])
    with pytest.raises(RuntimeError):
        libraries.main()
    assert list(libraries.read_figures()) == ["one"]
