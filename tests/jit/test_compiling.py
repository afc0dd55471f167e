"""Compiling: an edited rule never runs in its old form, nothing that befalls the disk keeps anybody from playing, and compiling is told."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numba
import pytest
from sizes import SCALE, scaled

import azul_duel_env
from azul_duel_env import jit as _jit

if not _jit.COMPILED:
    pytest.skip("nothing is compiled in this lane", allow_module_level=True)

from azul_duel_env.jit import cache as _cache
from azul_duel_env.jit import notice as _notice

PACKAGE = Path(azul_duel_env.__file__).parent


def run(code: str, root: Path, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python on some code: what lies in ``root`` is imported first, and temporary files go beside the cache."""
    temporary = cache.with_name(f"{cache.name}-tmp")
    temporary.mkdir(exist_ok=True)
    path = f"{root}{os.pathsep}{PACKAGE.parent}"
    places = {"PYTHONPATH": path, "XDG_CACHE_HOME": str(cache), "TMPDIR": str(temporary), "NUMBA_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | places | environment,
        cwd=root,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done


# An edited rule -------------------------------------------------------------------------------
PENALTY = """
import os
import numpy as np
from azul_duel_env.jit import entry
from azul_duel_env.games.duel import state
from azul_duel_env.games.duel.agents.greedy import pending_penalty
@entry
def ask(states):
    return pending_penalty(states[0], 0)
states = state.blank_states(1)
states["broken"][0, 0] = [2, 0, 0, 0, 0]
os.makedirs("elsewhere", exist_ok=True)
os.chdir("elsewhere")
print(ask(states), sum(ask.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_an_edit_in_one_file_reaches_callers_in_another_whatever_is_set(tmp_path):
    """``pending_penalty`` (agents/greedy.py) holds BROKEN_PENALTY of components.py and calls chance.py."""
    shutil.copytree(PACKAGE, tmp_path / "azul_duel_env", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "ask.py").write_text(PENALTY, encoding="utf-8")
    code = "import runpy; runpy.run_path('ask.py')"
    settings = {"NUMBA_CACHE_DIR": "relative", "NUMBA_CACHE_LOCATOR_CLASSES": "InTreeCacheLocator"}

    def asked() -> str:
        return run(code, tmp_path, tmp_path / "cache", **settings).stdout.strip()

    assert asked() == "3.0 0"
    assert asked() == "3.0 1"
    chance = tmp_path / "azul_duel_env" / "games" / "duel" / "chance.py"
    edited = chance.read_text(encoding="utf-8").replace("total += counts[i]", "total += 2 * counts[i]")
    chance.write_text(edited, encoding="utf-8")
    assert asked() == "9.0 0"  # 4 broken tiles cost 10, at most score + 4
    assert (tmp_path / "relative").is_dir()
    assert not any((tmp_path / "elsewhere").iterdir())


# What befalls the disk ------------------------------------------------------------------------
TOY = """
from azul_duel_env.jit import entry, rule
@rule
def twice(x):
    return 2 * x
@entry
def ask(x):
    return twice(x) + 1
"""


class Toy:
    """An entry in a file of its own. Each ``ask`` is like one in a new process: it has nothing compiled yet."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._file = folder / "toy.py"
        self._file.write_text(TOY, encoding="utf-8")
        self._monkeypatch = monkeypatch
        self.chosen = folder / "chosen"
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        monkeypatch.setattr(_cache.tempfile, "tempdir", str(self.temporary))
        monkeypatch.setattr(_notice, "NOTICE_AFTER", 3600)  # however slow the machine

    def ask(self, argument: float = 3) -> tuple[float, bool]:
        """Return the answer, and whether its code came from the disk."""
        self._monkeypatch.setattr(_jit, "STORE", _cache.Store(self.chosen))
        spec = spec_from_file_location("toy", self._file)
        module = module_from_spec(spec)
        self._monkeypatch.setitem(sys.modules, "toy", module)
        spec.loader.exec_module(module)
        answer = module.ask(argument)
        return answer, sum(module.ask.stats.cache_hits.values()) == 1

    def files(self) -> list[Path]:
        return sorted(path for folder in (self.chosen, self.temporary) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def toy(tmp_path, monkeypatch):
    return Toy(tmp_path, monkeypatch)


KEPT, ANEW = (7, True), (7, False)


def test_compiled_code_is_kept_for_each_kind_of_arguments(toy, capsys):
    assert [toy.ask(), toy.ask()] == [ANEW, KEPT]
    assert [toy.ask(0.5), toy.ask(0.5)] == [(2.0, False), (2.0, True)]
    assert toy.ask() == KEPT
    assert len(toy.files()) == 2
    assert not any(toy.temporary.iterdir())
    assert capsys.readouterr().err == ""


def test_bounds_checked_code_is_kept_apart(toy, monkeypatch):
    assert toy.ask() == ANEW
    monkeypatch.setattr(_jit.config, "BOUNDSCHECK", 1 - bool(_jit.config.BOUNDSCHECK))
    assert [toy.ask(), toy.ask()] == [ANEW, KEPT]


def damaged_forms(whole: bytes) -> list[bytes]:
    """Return what a disk, a killed process or a stranger may leave: the last ones have right checksums."""
    changed = bytes([whole[len(whole) // 2] ^ 1])
    flipped = whole[: len(whole) // 2] + changed + whole[len(whole) // 2 + 1 :]
    signature, reduced = pickle.loads(whole[_cache.CHECKSUM :])
    strange = [b"", b"garbage", pickle.dumps(3), pickle.dumps((signature, reduced[:2])), pickle.dumps(((), reduced))]
    return [b"", whole[:10], whole[:-1], whole + b"\0", flipped, *(sha256(form).digest() + form for form in strange)]


def test_a_damaged_file_is_compiled_again_and_replaced(toy, capsys):
    assert toy.ask() == ANEW
    (file,) = toy.files()
    for form in damaged_forms(file.read_bytes()):
        file.write_bytes(form)
        assert [toy.ask(), toy.ask()] == [ANEW, KEPT], form[:80]
    assert toy.files() == [file]
    assert capsys.readouterr().err == ""


def test_no_flipped_byte_is_believed(tmp_path):
    folder = _cache.Folder(tmp_path)
    folder.write("code", bytes(range(256)))
    whole = (tmp_path / "code").read_bytes()
    for at in range(0, len(whole), max(1, round(4 / SCALE))):
        (tmp_path / "code").write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        assert folder.read("code") is None, at


def test_a_folder_that_cannot_be_written_is_told_and_the_users_own_is_found_again(toy, capsys):
    toy.chosen.write_text("a file, and no folder", encoding="utf-8")
    assert toy.ask() == ANEW
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in told
    assert toy.ask() == KEPT
    assert capsys.readouterr().err == ""
    (own,) = toy.temporary.iterdir()
    assert str(own) in told
    assert own.stat().st_mode & 0o777 == 0o700


def foreign(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def link(folder: Path) -> None:
    folder.with_name("elsewhere").mkdir(mode=0o700)
    folder.symlink_to("elsewhere")


@pytest.mark.parametrize("prepare", [foreign, link, Path.touch])
def test_a_folder_among_temporary_files_that_others_may_have_laid_is_not_used(toy, prepare, capsys):
    toy.chosen.write_text("", encoding="utf-8")
    own = _cache.folder_of_last_resort()
    prepare(own)
    assert [toy.ask(), toy.ask()] == [ANEW, ANEW]
    assert capsys.readouterr().err.count("each process compiles anew") == 2  # one for each
    assert not any(path.is_file() for path in own.rglob("*"))


def test_a_full_disk_is_told_once_and_leaves_nothing_behind(toy, monkeypatch, capsys):
    def write_a_part(path: Path, content: bytes) -> None:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", write_a_part)
    assert [toy.ask(), toy.ask()] == [ANEW, ANEW]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2  # one for each
    assert "No space left on device" in lines[0]
    assert toy.files() == []


def test_sources_that_cannot_be_read_are_told_once(toy, monkeypatch, capsys):
    monkeypatch.setattr(_cache, "digest_of", lambda *_: None)
    _cache._tell_of_missing_sources.cache_clear()
    assert [toy.ask(), toy.ask()] == [ANEW, ANEW]
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "each process compiles anew" in told
    assert toy.files() == []


def empty(path: Path) -> None:
    path.mkdir()


def damaged(path: Path) -> None:
    run(START_TOGETHER, path.parent, path, STARTERS="1")
    for file in path.rglob("ask-*"):
        file.write_bytes(file.read_bytes()[:1000])


def not_to_be_written(path: Path) -> None:
    path.touch()  # root may write to all folders, but nobody below a file


def full(path: Path) -> None:
    """Lay a full disk, or where that isn't allowed, what can't be written either."""
    path.mkdir()
    try:
        mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(path)]
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        path.rmdir()
        path.touch()


START_TOGETHER = """
import os
import numba
import azul_duel_env.jit  # nothing of it is compiled or read yet

numba.njit(lambda x: x)(1)  # Numba is at work already, which saves time

def start():
    process = os.fork()
    if process == 0:
        import toy
        os.write(1, f"{toy.ask(3)} {sum(toy.ask.stats.cache_hits.values())}\\n".encode())
        os._exit(0)
    return process

for process in [start() for _ in range(int(os.environ["STARTERS"]))]:
    os.waitpid(process, 0)
os.waitpid(start(), 0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("lay", [empty, damaged, not_to_be_written, full])
def test_processes_that_start_together_all_play(tmp_path, lay):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    starters = scaled(2, 2)
    lay(tmp_path / "cache")
    try:
        done = run(START_TOGETHER, tmp_path, tmp_path / "cache", STARTERS=str(starters))
    finally:
        if os.path.ismount(tmp_path / "cache"):
            subprocess.run(["umount", str(tmp_path / "cache")], check=True)
    answers = done.stdout.splitlines()
    assert [answer[0] for answer in answers] == ["7"] * (starters + 1), done.stderr
    assert answers[-1] == "7 1"
    if lay is empty:
        assert sorted(answers) == ["7 0", *["7 1"] * starters]  # one compiled it, for all
    told = done.stderr.count("can't keep")
    assert told <= starters
    assert (told > 0) == (lay in (not_to_be_written, full))


FORK_MEANWHILE = """
import os
import threading
import time
from azul_duel_env.jit import cache
import toy

begins = threading.Event()
make = cache.Folder._make

def make_and_tell(folder):
    make(folder)
    begins.set()

cache.Folder._make = make_and_tell
thread = threading.Thread(target=toy.ask, args=(3,))
thread.start()
begins.wait()
time.sleep(0.02)  # it has the lock of the file, and compiles
process = os.fork()
if process == 0:
    os.write(1, f"{toy.ask(3)} ".encode())
    os._exit(0)
os.waitpid(process, 0)
thread.join()
os.write(1, str(toy.ask(3)).encode())
"""


def test_a_process_forks_while_a_thread_compiles(tmp_path):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    assert run(FORK_MEANWHILE, tmp_path, tmp_path / "cache").stdout == "7 7"


# Others ---------------------------------------------------------------------------------------
def test_others_compile_what_they_like():
    space: dict = {}
    exec("def add(x): return x + 1", space)  # it has no module
    assert numba.njit(space["add"])(1) == 2
    with numba.core.event.trigger_event("numba:compile", data=None):
        pass


def test_an_import_leaves_settings_events_and_the_disk_alone(tmp_path):
    code = """
import numba
import azul_duel_env.games.duel
print(repr(numba.config.CACHE_DIR), any(numba.core.event._registered.values()))
"""
    assert run(code, tmp_path, tmp_path / "cache").stdout == "'' False\n"
    assert not (tmp_path / "cache").exists()
    assert not any((tmp_path / "cache-tmp").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["codegen.JITCodeLibrary", "compiler.CompileResult._reduce", "codegen.CodeLibrary.has_dynamic_globals"]
)
def test_other_inner_parts_of_numba_cost_time_only(part, tmp_path):
    (tmp_path / "uncounted.py").write_text(UNCOUNTED, encoding="utf-8")
    code = f"import numba.core.codegen, numba.core.compiler; del numba.core.{part}; import uncounted"
    done = run(code, tmp_path, tmp_path / "cache")
    assert done.stdout.splitlines()[0] == "3.0"
    assert done.stderr.count("\n") == 1
    assert part.rpartition(".")[2] in done.stderr


# What is told ---------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_cold_compile_is_told_in_one_line_and_a_warm_start_is_silent(tmp_path):
    code = "from azul_duel_env.games.duel import GAME; print(GAME.new(1).player)"
    cold = run(code, tmp_path, tmp_path / "cache")
    warm = run(code, tmp_path, tmp_path / "cache")
    assert cold.stdout == warm.stdout
    assert cold.stderr.count("\n") == 1
    assert cold.stderr.startswith("azul_duel_env: compiling the rules")
    assert warm.stderr == ""


# Rules without counted references -------------------------------------------------------------
UNCOUNTED = """
import numpy as np
from azul_duel_env.jit import entry, rule, rule_with_arrays
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
    assert run("import uncounted", tmp_path, tmp_path / "cache").stdout.split() == ["3.0", "True", "True"]
