"""Code in README and on the pages runs, and commands there are such as the command takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from parts import README, texts
from places import ROOT

from azul_duel_env.cli import app

SNIPPET = re.compile(r"(?:<!-- before\n(.*?)-->\n)?```python\n(.*?)```", re.DOTALL)
"""A snippet, and the comment above it with what stands for the reader's own: it runs before the snippet."""
COMMANDS = re.compile(r"```(?:sh|bash)\n(.*?)```", re.DOTALL)
ELSEWHERE = {"docs/pages/libraries/index.md"}
"""Pages whose code runs in another test: that of libraries, in ``test_libraries``."""
NEEDS = {
    "docs/pages/libraries/agilerl.md": "agilerl",
    "docs/pages/libraries/datasets.md": "pyarrow",
    "docs/pages/libraries/jax.md": "jax",
    "docs/pages/libraries/open_spiel.md": "pyspiel",
    "docs/pages/libraries/rllib.md": "lz4",  # Ray alone isn't RLlib
    "docs/pages/libraries/tianshou.md": "tianshou",
    "docs/pages/libraries/torchrl.md": "torchrl",
}
"""Page -> what it imports that the extra ``dev`` doesn't install."""
GROUP = typer.main.get_command(app)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def with_snippets() -> list[Path]:
    return [
        path for path in texts() if "```python" in path.read_text(encoding="utf-8") and name_of(path) not in ELSEWHERE
    ]


@pytest.mark.filterwarnings("default")  # warnings of the libraries
@pytest.mark.parametrize("path", with_snippets(), ids=name_of)
def test_python_code_runs(path, tmp_path, monkeypatch):
    """All snippets of a page, from the top, as one program."""
    if name_of(path) in NEEDS:
        pytest.importorskip(NEEDS[name_of(path)])
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "snippet"}
    text = path.read_text(encoding="utf-8")
    found = SNIPPET.findall(text)
    assert len(found) == text.count("```python")
    for before, snippet in found:
        exec(compile(before, name_of(path), "exec"), names)
        exec(compile(snippet, name_of(path), "exec"), names)


def commands_in(path: Path) -> list[str]:
    """Return the commands of this package that a page tells to give."""
    lines = [line for block in COMMANDS.findall(path.read_text(encoding="utf-8")) for line in block.splitlines()]
    return [part for line in lines for part in re.findall(r"(?:^|&& )(?:\S*/)?((?:azul|azul-duel) [^&]*)", line)]


def test_commands_are_found():
    assert sum(len(commands_in(path)) for path in texts()) > 25


@pytest.mark.parametrize("line", sorted({line for path in texts() for line in commands_in(path)}))
def test_commands_are_such_as_the_command_takes(line):
    """Arguments and options are those that there are, and configurations exist; nothing is carried out."""
    _, name, *arguments = shlex.split(line, comments=True)
    context = GROUP.commands[name].make_context(name, arguments)
    for value in context.params.values():
        if isinstance(value, Path) and value.parts[0] == "configs":
            assert (ROOT / value).exists(), line


def test_the_readme_has_one_line_of_each_command():
    lines = README.read_text(encoding="utf-8").splitlines()
    for end in ("-m pytest", "azul-duel train configs/ppo_quick.yaml"):
        [line] = [line for line in lines if line.startswith("python -m venv .venv && ") and end in line]
        assert ".venv/bin/pip install -q " in line
