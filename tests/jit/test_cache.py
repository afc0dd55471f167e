"""Where compiled code is kept, and which sources it depends on; compiling itself is in test_compiling.py."""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType

import platformdirs
import pytest
from places import SUPPORT

import azul_duel_env
from azul_duel_env.games.duel import kernels
from azul_duel_env.games.pavilion_mini.kernels import two
from azul_duel_env.jit import cache as _cache
from azul_duel_env.jit import notice as _notice
from azul_duel_env.jit import sources as _sources

PACKAGE = Path(azul_duel_env.__file__).parent
ENTRIES = [
    path.relative_to(PACKAGE).as_posix()
    for path in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^@entry", path.read_text(encoding="utf-8"), re.MULTILINE)
    and not (path.parent == PACKAGE / "kernels" and (PACKAGE / "games/duel/kernels" / path.name).exists())
]
"""All files that hold what Python calls, but for templates of which Azul Duel has its own."""


# Sources --------------------------------------------------------------------------------------
def names_imported(path: Path) -> Iterator[str]:
    """Yield what a file imports from this package, as Python's own parser reads it: modules, or names in modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            origin = ".".join(filter(None, [package_of(path) if node.level else None, node.module]))
            assert node.level <= 1, f"{path}: only templates import relatively, from their siblings"
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def package_of(path: Path) -> str:
    """Return the package that a file is loaded in: templates in that of a game, here Azul Duel's; those of the Mini in its first."""
    folder = path.parent.relative_to(PACKAGE.parent)
    if path.parent.parts[-2:] == ("pavilion_mini", "kernels"):
        return two.__name__
    is_template = folder.name == "kernels" and re.search(r"^from \.", path.read_text(encoding="utf-8"), re.MULTILINE)
    return kernels.__name__ if is_template else ".".join(folder.parts)


def module_in(root: Path, name: str) -> _sources.Module:
    """Return a module of the package, or of a copy of it."""
    return _sources.Module(root / name, package_of(PACKAGE / name))


def file_that_holds(name: str) -> Path:
    """Return the file of a module, or the one that holds a name."""
    if name.startswith(f"{kernels.__name__}."):
        place = PACKAGE / "games/duel/kernels" / f"{name.split('.')[4]}.py"
        return place if place.is_file() else PACKAGE / "kernels" / place.name
    path = PACKAGE.parent.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py", path.parent.with_suffix(".py"))
    return next((file for file in candidates if file.is_file()), path.parent / "__init__.py")


def test_no_import_is_overlooked():
    for file in PACKAGE.rglob("*.py"):
        ours = [name for name in names_imported(file) if name.startswith("azul_duel_env.")]
        found = {module.file for module in _sources.read_source(_sources.Module(file, package_of(file))).imports}
        assert found >= {file_that_holds(name) for name in ours}, file


def files_called(function: Callable) -> set[Path]:
    """Return the files of all functions of this package that a function may call, however deep below."""
    seen, new = set(), {function}
    while new:
        seen |= new
        named = (one.__globals__.get(name) for one in new for name in one.__code__.co_names)
        plain = (getattr(value, "py_func", value) for value in named)
        new = {one for one in plain if isinstance(one, FunctionType)} - seen
    return {file for file in (Path(one.__code__.co_filename) for one in seen) if file.is_relative_to(PACKAGE)}


@pytest.mark.parametrize("file", ENTRIES)
def test_no_function_that_is_called_lies_in_a_source_that_does_not_count(file):
    module = import_module(f"{package_of(PACKAGE / file)}.{Path(file).stem}".removesuffix(".__init__"))
    functions = [value.py_func for value in vars(module).values() if hasattr(value, "py_func")] or vars(module).values()
    own = [one for one in functions if isinstance(one, FunctionType) and one.__module__ == module.__name__]
    assert own
    for function in own:
        reached = {module.file for module in _sources.reached_from(module_in(PACKAGE, file))}
        assert files_called(function) <= reached, function


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the package whose sources are digested instead."""
    root = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, root, ignore=shutil.ignore_patterns("__pycache__", "data", "static"))
    monkeypatch.setattr(_sources, "PACKAGE", root)
    forget()
    yield root
    forget()


def forget() -> None:
    for remembered in (_sources.digest_of, _sources.read_source, _sources._module, _sources._digest_of_file):
        remembered.cache_clear()


def digests(root: Path) -> dict[str, str | None]:
    forget()
    return {name: _sources.digest_of(*module_in(root, name)) for name in ENTRIES}


def changed_by_editing(root: Path, file: str) -> set[str]:
    """Return the files whose entries compile anew after an edit."""
    before = digests(root)
    (root / file).write_text((root / file).read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    after = digests(root)
    assert None not in before.values()
    return {name for name in ENTRIES if before[name] != after[name]}


OF_NO_GAME = {"kernels/team.py"}
OF_THE_MINI = {file for file in ENTRIES if file.startswith("games/pavilion_mini/")}
OF_DUEL = {file for file in ENTRIES if file.startswith(("games/duel/", "kernels/"))} - OF_NO_GAME
WITHOUT_ACTIONS = {"games/duel/knowledge.py", "games/duel/observation.py"}
WITH_SEARCH = {"kernels/search.py", "kernels/gumbel.py", "kernels/leaves.py", "kernels/outlook.py"}
WITH_NETWORK = WITH_SEARCH | {"kernels/network.py", "kernels/fast_network.py"}


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("games/duel/tiling.py", OF_DUEL - WITHOUT_ACTIONS),  # a rule; to observe takes none of tiling
        ("games/duel/components.py", OF_DUEL),  # constants
        (
            "games/duel/actions.py",
            OF_DUEL - {"games/duel/knowledge.py"},
        ),  # tables that plain code builds
        ("games/pavilion_mini/taking.py", OF_THE_MINI),
        ("jit/compilers.py", {*ENTRIES}),
        ("jit/rng.py", {*ENTRIES} - OF_NO_GAME),
        ("jit/atomic.py", {"kernels/team.py", "kernels/rows.py"}),
        ("kernels/network.py", WITH_NETWORK),
        ("kernels/search.py", WITH_SEARCH),
        ("kernels/rows.py", {"kernels/rows.py"}),
        ("kernels/episodes.py", {"kernels/rows.py"}),
        ("kernels/records.py", set()),  # record types are part of each signature
    ],
)
def test_an_edit_invalidates_what_reaches_it(copy, file, changed):
    assert changed_by_editing(copy, file) == changed


NOT_IN_COMPILED_CODE = (
    "__init__.py",
    "games/duel/names.py",
    "games/duel/notation.py",
    "games/duel/words.py",
    "games/pavilion_mini/choices.py",
    "games/pavilion_mini/words.py",
    "view/render.py",
)


def test_an_edit_elsewhere_invalidates_nothing(copy):
    folders = ("cli", "play", "training", "arena", "view/drawing", "games/duel/drawing", "games/pavilion_mini/drawing")
    inside = [path.relative_to(copy).as_posix() for folder in folders for path in (copy / folder).rglob("*.py")]
    elsewhere = [
        name for name in (*inside, *NOT_IN_COMPILED_CODE) if name not in ("games/duel/agents/fit.py", "system/files.py")
    ]
    before = digests(copy)
    for file in elsewhere:
        assert (copy / file).is_file()
        (copy / file).write_text("# edited", encoding="utf-8")
    assert digests(copy) == before


def test_templates_of_a_game_from_elsewhere_depend_on_its_rules():
    """The toy game's kernels take its rules by a star; what only documents the rules is never looked at."""
    import_module("toy_game.kernels")
    rows = _sources.Module(PACKAGE / "kernels/rows.py", "toy_game.kernels")
    toy = SUPPORT / "toy_game"
    files = {module.file for module in _sources.reached_from(rows)}
    assert {toy / "rules.py", toy / "kernels/rules.py", PACKAGE / "kernels/abstraction.py"} <= files
    assert PACKAGE / "kernels/rules.py" not in files
    assert not any(file.is_relative_to(PACKAGE / "games") for file in files)


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        ("from azul_duel_env.games.duel.tiling import *", "games/duel/tiling.py"),
        (
            "from azul_duel_env.games.duel.tiling import (  # a note (in brackets)\n    examine_line,\n)",
            "games/duel/tiling.py",
        ),
        ("import azul_duel_env.games.duel.tiling as tiling", "games/duel/tiling.py"),
        ("import azul_duel_env", "games/duel/tiling.py"),
        ("from azul_duel_env.games.duel import tiling", "games/duel/tiling.py"),
    ],
)
def test_every_form_of_import_is_followed(tmp_path, statement, file):
    (tmp_path / "one.py").write_text(statement + "\n", encoding="utf-8")
    forget()
    assert PACKAGE / file in {module.file for module in _sources.reached_from(_sources.Module(tmp_path / "one.py", ""))}


def test_without_a_source_nothing_is_kept(copy, tmp_path):
    (copy / "games" / "duel" / "tiling.py").unlink()
    assert {name for name, digest in digests(copy).items() if digest is None} == OF_DUEL - WITHOUT_ACTIONS
    assert _sources.digest_of(Path("<stdin>"), "") is None
    (tmp_path / "all.py").write_text("import azul_duel_env.games.duel.engine", encoding="utf-8")
    (tmp_path / "none.py").write_text("import numpy", encoding="utf-8")
    assert _sources.digest_of(tmp_path / "none.py", "") is not None
    assert _sources.digest_of(tmp_path / "all.py", "") is None


def test_what_is_compiled_is_what_was_imported(copy):
    """An edit after the import doesn't count until the next start, which imports it."""
    before = _sources.digest_of(*module_in(copy, "games/duel/engine.py"))
    (copy / "games/duel/tiling.py").write_text("# edited", encoding="utf-8")
    assert _sources.digest_of(*module_in(copy, "games/duel/engine.py")) == before


# Folders --------------------------------------------------------------------------------------
def test_what_was_not_used_for_a_month_goes(tmp_path):
    folder = _cache.Folder(tmp_path)
    for name, days in (("old", 40), ("recent", 20), ("read", 40)):
        folder.write(name, b"code")
        set_age(tmp_path / name, days)
    (tmp_path / "of another version").mkdir()
    (tmp_path / "of another version" / "rule.nbc").touch()
    set_age(tmp_path / "of another version", 40)
    (tmp_path / "dangling").symlink_to("nowhere")
    set_age(tmp_path / "dangling", 40)
    assert folder.read("read") == b"code"
    folder.remove_unused()
    assert {path.name for path in tmp_path.iterdir()} == {"recent", "read"}


def set_age(path: Path, days: float) -> None:
    then = time.time() - days * 24 * 3600
    os.utime(path, (then, then), follow_symlinks=False)


def test_to_remove_what_another_process_removes_fails_nothing(tmp_path, monkeypatch):
    names = ["one", "two", "three"]
    for name in names:
        (tmp_path / name).touch()
        set_age(tmp_path / name, 40)
    unlink = Path.unlink

    def gone_before(path: Path, missing_ok: bool = False) -> None:
        unlink(path)
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", gone_before)
    folder = _cache.Folder(tmp_path)
    folder.remove_unused()
    assert not any(tmp_path.iterdir())
    tmp_path.rmdir()
    folder.remove_unused()


def test_the_chosen_folder_is_the_same_wherever_the_process_goes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_cache.config, "CACHE_DIR", "mine", raising=False)
    assert _cache.chosen_folder() == tmp_path / "mine" / "azul_duel_env" / "compiled"
    monkeypatch.setattr(_cache.config, "CACHE_DIR", "", raising=False)
    assert _cache.chosen_folder() == Path(platformdirs.user_cache_dir(), "azul_duel_env", "compiled")


def test_a_user_without_a_home_or_temporary_files_plays_too(monkeypatch, capsys):
    monkeypatch.setattr(_cache.platformdirs, "user_cache_dir", lambda: "~/.cache")
    monkeypatch.setattr(_cache.tempfile, "gettempdir", no_folder)
    store = _cache.Store(_cache.chosen_folder())
    assert store.read("code") is None
    store.write("code", b"")
    store.write("code", b"")
    assert not store.takes_more
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in told


def test_what_cannot_be_replaced_while_it_is_read_is_kept(tmp_path, monkeypatch, capsys):
    def replace(_: Path, target: Path) -> None:
        raise PermissionError(13, "Access is denied", str(target))

    store = _cache.Store(tmp_path / "chosen")
    store.write("code", b"as compiled")
    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(_cache.tempfile, "tempdir", str(tmp_path))
    store.write("code", b"as compiled")
    assert capsys.readouterr().err == ""
    assert store.read("code") == b"as compiled"
    assert [path.name for path in (tmp_path / "chosen").iterdir()] == ["code"]
    (tmp_path / "chosen" / "code").write_bytes(b"damaged")
    store.write("code", b"as compiled")
    assert capsys.readouterr().err.count("Access is denied") == 1


def no_folder() -> str:
    raise FileNotFoundError("No usable temporary directory found")


# What is told ---------------------------------------------------------------------------------
class FullFile(io.StringIO):
    def write(self, _: str) -> int:
        raise OSError("No space left on device")


def closed() -> io.StringIO:
    file = io.StringIO()
    file.close()
    return file


@pytest.mark.parametrize("error", [None, closed(), FullFile()])
def test_what_cannot_be_told_fails_nothing(error, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", error)
    _notice.print_notice("a line")
    assert capsys.readouterr().out == ""


def test_a_process_that_may_start_no_thread_compiles_too(monkeypatch):
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_notice.threading.Timer, "start", start)
    with _notice.Notice() as notice:
        assert notice is None


def test_compiling_is_told_once_and_only_if_it_takes_long(monkeypatch, capsys):
    monkeypatch.setattr(_notice, "NOTICE_AFTER", 0.02)
    notice = _notice.Notice()
    for seconds in (0, 0.3, 0.3):
        with notice, notice:
            time.sleep(seconds)
    assert capsys.readouterr().err.count("\n") == 1
