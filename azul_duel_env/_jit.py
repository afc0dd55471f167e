"""The one compile decorator, and where compiled rules are kept.

Numba's disk cache notices a change only in the file that holds a function, not in the files it calls. So the cache folder carries
a digest of all sources of this package: after any edit, everything compiles anew and nothing old can run.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs
from numba.core import config as numba_config
from numba.core import event

from azul_duel_env._compilers import EntryCompiler, RuleCompiler

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config
COMPILED = not config.DISABLE_JIT
"""False under ``NUMBA_DISABLE_JIT=1``: the same functions then run as plain Python."""

PACKAGE = Path(__file__).parent
KEPT_FOR = 30 * 24 * 3600
"""Seconds after which compiled code of other versions, not used since, is removed."""

NOTICE_AFTER = 1.0
"""Seconds of compiling before the one-line notice."""


def digest_of_sources() -> str:
    """Return a hexadecimal digest of all that decides what the compiled code does."""
    digest = hashlib.sha256(f"boundscheck={config.BOUNDSCHECK}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable_folder() -> Path:
    """Return the folder of compiled code: in ``NUMBA_CACHE_DIR``, in the user's cache, or, if that can't be written, a temporary one."""
    root = Path(config.CACHE_DIR or platformdirs.user_cache_dir()) / "azul_duel_env" / "compiled"
    folder = root / digest_of_sources()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return Path(tempfile.mkdtemp(prefix="azul_duel_env-"))
    folder.touch()
    remove_old_versions(root)
    return folder


def remove_old_versions(root: Path) -> None:
    """Remove the compiled code of versions that were not used for a month."""
    for folder in root.iterdir():
        if time.time() - folder.stat().st_mtime > KEPT_FOR:
            shutil.rmtree(folder, ignore_errors=True)


CACHE_FOLDER = _writable_folder() if COMPILED else None


@contextmanager
def _our_cache_folder() -> Iterator[None]:
    """Let Numba put what is decorated inside into our folder, and leave everybody else's setting alone."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def rule(function: Function) -> Function:
    """Compile a function of the rules that compiled code calls; under ``NUMBA_DISABLE_JIT=1`` leave it as it is.

    It becomes a part of the ``entry`` functions that call it: see ``_compilers``. Python can't call it. It makes no array and returns none,
    so nobody counts references to those it is given.
    """
    return _compiled(function, pipeline_class=RuleCompiler, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def rule_with_arrays(function: Function) -> Function:
    """Compile a rule that makes arrays, by NumPy's functions too, or returns them."""
    return _compiled(function, pipeline_class=RuleCompiler, _nrt=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def entry(function: Function) -> Function:
    """Compile a function that Python calls; under ``NUMBA_DISABLE_JIT=1`` leave it as it is."""
    return _compiled(function, pipeline_class=EntryCompiler, cache=True)


def entry_without_gil(function: Function) -> Function:
    """Compile a function that Python calls from several threads at once, each on rows of its own."""
    return _compiled(function, pipeline_class=EntryCompiler, cache=True, nogil=True)


def _compiled(function: Function, **options: Any) -> Function:
    """Compile on the first call; with ``cache=True`` keep the result in our cache folder."""
    if not COMPILED:
        return function
    with _our_cache_folder():
        # No rule divides by zero (the uncompiled lane would tell): not to ask saves a tenth of a step.
        dispatcher: Any = numba.njit(error_model="numpy", **options)(function)
    resolve = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: resolve([_widest(arg) for arg in args], kws)
    return dispatcher


def _widest(argument: Any) -> Any:
    """Take every integer as int64 and no value as a constant, so that each function compiles once and not for each kind of call."""
    argument = numba.types.unliteral(argument)
    return numba.types.int64 if argument in numba.types.signed_domain else argument


class _Notice(event.Listener):
    """Tell once, on standard error, that rules are being compiled, if that takes more than a second."""

    def __init__(self) -> None:
        self._depth = 0
        self._timer: threading.Timer | None = None
        self._told = False

    @staticmethod
    def _is_ours(happening: event.Event) -> bool:
        return happening.data["dispatcher"].py_func.__module__.startswith("azul_duel_env.")

    def _tell(self) -> None:
        self._told = True
        print("azul_duel_env: compiling the rules, once for this version (10 to 25 s) ...", file=sys.stderr, flush=True)

    def on_start(self, event: event.Event) -> None:
        if not self._is_ours(event):
            return
        self._depth += 1
        if self._depth == 1 and not self._told:
            self._timer = threading.Timer(NOTICE_AFTER, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: event.Event) -> None:
        if not self._is_ours(event):
            return
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()


if COMPILED:
    event.register("numba:compile", _Notice())
