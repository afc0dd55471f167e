"""Compiled code on disk: one file for each entry and each kind of arguments that it was called with.

Numba's own cache notices a change only in the file that holds a function, not in the files it calls; it fails if a file is damaged or can't
be written; and users' settings lead it elsewhere. Here the name of a file covers all that decides what the code does (``sources``), the
file holds a checksum, and nothing that happens to it keeps anybody from playing.
"""

from __future__ import annotations

import errno
import os
import pickle
import stat
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any

import llvmlite
import numba
import platformdirs
from filelock import FileLock
from numba.core import config as numba_config
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaWarning
from numba.core.serialize import dumps

from azul_duel_env.jit.notice import COMPILING, print_notice
from azul_duel_env.jit.sources import digest_of

config: Any = numba_config
SETTINGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT")
"""Numba's settings that change compiled code."""

KEPT_FOR = 30 * 24 * 3600
"""Seconds after which compiled code that was not used since is removed."""

CHECKSUM = sha256().digest_size

WAIT_FOR = 300.0
"""Seconds to wait for another process that compiles the same, before doing it too."""

ANOTHER = "Set NUMBA_CACHE_DIR to another folder to keep it there."
WITHOUT = f"each process compiles anew. {ANOTHER}"


# Folders --------------------------------------------------------------------------------------
class Folder:
    """A folder for files of bytes, each after its checksum. It is made when the first is written.

    Args:
        path: where it is.
        private: it lies where everybody may write, so it must be the user's, and nobody else's to write.
    """

    def __init__(self, path: Path, private: bool = False) -> None:
        self.path = path
        self._private = private

    def has(self, name: str) -> bool:
        """Return whether something was written under a name, be it damaged since."""
        return (self.path / name).is_file()

    def _is_safe(self) -> bool:
        if not self._private or os.name == "nt":
            return True
        found = self.path.lstat()
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077

    def read(self, name: str) -> bytes | None:
        """Return what was written under a name; None if nothing was, or it is damaged or can't be read."""
        try:
            content = (self.path / name).read_bytes() if self._is_safe() else b""
        except OSError:
            return None
        checksum, content = content[:CHECKSUM], content[CHECKSUM:]
        if checksum != sha256(content).digest():
            return None
        with suppress(OSError):
            os.utime(self.path / name)  # it was used
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write under a name: whole or not at all.

        Raises:
            OSError: it can't be written.
        """
        self._make()
        part = self.path / f"{name}.{uuid.uuid4().hex}"
        try:
            part.write_bytes(sha256(content).digest() + content)
            part.replace(self.path / name)
        finally:
            _remove(part)

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Let one process at a time make what a name is for; where files can't be locked, or one takes too long, all of them."""
        with ExitStack() as held:
            with suppress(OSError, NotImplementedError), COMPILING:  # a timeout is an OSError
                self._make()
                path = self.path / f"{name}.lock"
                held.enter_context(FileLock(path, timeout=WAIT_FOR))
                held.callback(_remove, path)  # who waits for a removed one finds what was made
            yield

    def _make(self) -> None:
        self.path.mkdir(mode=0o700 if self._private else 0o777, parents=True, exist_ok=True)
        if not self._is_safe():
            raise PermissionError(errno.EPERM, "it belongs to somebody else, or others may write there")

    def remove_unused(self) -> None:
        """Remove what was not used for a month, and leave what can't be removed: another process may be at it."""
        with suppress(OSError):
            for path in self.path.iterdir():
                with suppress(OSError):
                    _remove_unused(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _remove_unused(path: Path) -> None:
    if time.time() - path.lstat().st_mtime < KEPT_FOR:
        return
    if path.is_dir() and not path.is_symlink():
        rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def chosen_folder() -> Path | None:
    """Return the folder in ``NUMBA_CACHE_DIR`` or else in the user's cache; None if neither is known.

    It stays the same wherever the process goes.
    """
    if config.CACHE_DIR:
        with suppress(OSError):  # a relative path, and the folder that we are in was removed
            return Path(config.CACHE_DIR).absolute() / "azul_duel_env" / "compiled"
    users = Path(platformdirs.user_cache_dir())
    return users / "azul_duel_env" / "compiled" if users.is_absolute() else None  # there are users without a home


def folder_of_last_resort() -> Path | None:
    """Return the user's own folder among temporary files; None if nothing temporary can be written."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    with suppress(OSError):
        return Path(tempfile.gettempdir()) / f"azul_duel_env-{user}"
    return None


class Store:
    """Files in the first of some folders that takes them.

    Args:
        chosen: the folder that comes first.
    """

    def __init__(self, chosen: Path | None) -> None:
        self._chosen = [] if chosen is None else [Folder(chosen)]
        self._swept = False

    @cached_property
    def _last_resort(self) -> list[Folder]:
        path = folder_of_last_resort()
        return [] if path is None else [Folder(path, private=True)]

    def _all(self) -> Iterator[Folder]:
        """Yield all folders; nobody looks for temporary ones while the first one has what is asked for."""
        yield from self._chosen
        yield from self._last_resort

    @cached_property
    def _writable(self) -> list[Folder]:
        """The folders that haven't refused anything yet."""
        folders = list(self._all())
        if not folders:
            print_notice(f"no folder is known for compiled code: {WITHOUT}")
        return folders

    @property
    def takes_more(self) -> bool:
        """Whether there is still a folder that may take something."""
        return bool(self._writable)

    def read(self, name: str) -> bytes | None:
        """Return what was written under a name, in whichever folder; None if nothing sound is there."""
        found = (folder.read(name) for folder in self._all())
        return next((content for content in found if content is not None), None)

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Let one process at a time make what a name is for, unless it is there."""
        is_to_be_made = self.takes_more and not any(folder.has(name) for folder in self._all())
        with self._writable[0].alone(name) if is_to_be_made else nullcontext():
            yield

    def write(self, name: str, content: bytes) -> None:
        """Write under a name. A folder that can't take it is not tried again, and that is told in one line.

        Where it has it already, as from a process that was quicker, it refused nothing: some systems replace no file that is being read.
        """
        refused: list[tuple[Folder, OSError]] = []
        while self._writable:
            try:
                self._writable[0].write(name, content)
                break
            except OSError as problem:
                if self._writable[0].read(name) is not None:
                    break
                refused.append((self._writable.pop(0), problem))
        if refused:
            self._tell(*refused[0])
        if self._writable and (refused or not self._swept):
            self._writable[0].remove_unused()
            self._swept = True

    def _tell(self, folder: Folder, problem: OSError) -> None:
        then = f"it goes to {self._writable[0].path}. {ANOTHER}" if self._writable else WITHOUT
        print_notice(f"can't keep compiled code in {folder.path} ({problem.strerror or problem}): {then}")


# One function ---------------------------------------------------------------------------------
@cache
def _tell_of_missing_sources() -> None:
    """Tell it once."""
    print_notice(
        "can't read the sources of compiled code: each process compiles anew. Install the package as plain .py files."
    )


class FunctionCache:
    """The compiled code of one function, as Numba's dispatchers ask for it.

    Args:
        function: an entry, as Python knows it.
        store: where its code is kept.
    """

    cache_path = None

    def __init__(self, function: Callable[..., Any], store: Store) -> None:
        self._function = function
        self._store = store
        self._sources = digest_of(Path(function.__code__.co_filename), function.__globals__.get("__package__") or "")
        self._used = self._sources is not None and function.__closure__ is None  # what a closure holds is in no source

    def _name(self, signature: Any, codegen: Any) -> str:
        """Return the file name for the kinds of arguments: it covers all that decides what the compiled code does."""
        code = self._function.__code__
        where = (self._function.__module__, self._function.__qualname__, code.co_firstlineno)
        versions = (sys.version, numba.__version__, llvmlite.__version__, codegen.magic_tuple())
        settings = [(name, getattr(config, name, None)) for name in SETTINGS]
        everything = repr((where, code.co_code, self._sources, versions, settings, str(signature)))
        return f"{self._function.__name__}-{sha256(everything.encode()).hexdigest()[:32]}"

    @contextmanager
    def alone(self, signature: Any, target: Any) -> Iterator[None]:
        """Let one process at a time compile for the kinds of arguments: others that start meanwhile wait, and find it kept."""
        with self._store.alone(self._name(signature, target.codegen())) if self._used else nullcontext():
            yield

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled code for the kinds of arguments; None if it must be compiled."""
        target.refresh()
        try:
            content = self._store.read(self._name(signature, target.codegen())) if self._used else None
            if content is None:
                return None
            kept_for, reduced = pickle.loads(content)
            return CompileResult._rebuild(target, *reduced) if kept_for == signature else None
        except Exception:  # whatever is wrong with it, to compile again is the answer
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep compiled code."""
        if self._sources is None:
            _tell_of_missing_sources()
        if not (self._used and self._store.takes_more):
            return
        if compiled.library.has_dynamic_globals:
            reason = "it holds addresses of this process, as of an array above 1 MB, or under NUMBA_OPT=0"
            warnings.warn(f"can't keep the compiled code of {self._function.__qualname__}: {reason}", NumbaWarning, 2)
            return
        try:
            name, content = self._name(signature, compiled.codegen), dumps((signature, compiled._reduce()))
        except Exception as problem:  # whatever it is: what was compiled plays all the same
            self._used = False
            print_notice(
                f"can't keep the compiled code of {self._function.__qualname__} ({problem}): each process compiles it anew"
            )
            return
        self._store.write(name, content)

    def flush(self) -> None:
        """Keep nothing any more: Numba is told to compile anew, as the world is no longer that of the sources."""
        self._used = False


STORE = Store(chosen_folder())
