"""The folder that keeps games by itself as they are played."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType

import platformdirs
from filelock import BaseFileLock, FileLock, Timeout

from azul_duel_env.play.new_game import SessionError
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import read_text, write_session
from azul_duel_env.system.reading import user_path

MOST_KEPT = 20
"""Games that are kept by themselves; of more, the oldest go, unless somebody plays them."""

KEPT = "game-*.game"
BEFORE = "last.game"
"""Where earlier versions kept the only one. It is read, and never written or deleted."""

DECIDED = re.compile(r"^\d+: ", re.MULTILINE)  # a line with a decision of a player


def autosave_folder() -> Path:
    """Return where games are kept: ``AZUL_DUEL_DATA_DIR``, or the user's data folder."""
    folder = os.environ.get("AZUL_DUEL_DATA_DIR") or platformdirs.user_data_dir("azul_duel_env", appauthor=False)
    return user_path(folder)


class Autosave:
    """Keeps games of people as they are played: one file a game, all in one folder, which any number of processes may share.

    A file belongs to the process that plays its game, and to nobody else as long as that lives: a lock beside it says so.

    Args:
        folder: made when it is first wanted.

    Attributes:
        folder: the folder.
        file: of the game that is played; None until it is first kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file: Path | None = None
        self._lock: BaseFileLock | None = None

    def __enter__(self) -> Autosave:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Let go of the file: another game gets its own."""
        if self._lock is not None:
            self._lock.release()
        self.file, self._lock = None, None

    def keep(self, session: Session) -> None:
        """Write a game, if a person plays it.

        Raises:
            OSError: it can't be written.
        """
        if not session.people:
            return
        if self.file is None:
            self._take_new_file()
        assert self.file is not None
        write_session(session, self.file)

    def resume(self) -> Path:
        """Return the file of the game that was played last. It goes on in that file, unless another process plays it: then in a copy.

        Raises:
            SessionError: no game was kept.
        """
        kept = sorted((age, file) for file in self._files(KEPT, BEFORE) if (age := _changed(file)) is not None)
        if not kept:
            raise SessionError(f"no game was kept in {self.folder}")
        _, newest = kept[-1]
        self._lock = None if newest.name == BEFORE else _lock(newest)
        self.file = newest if self._lock else None
        return newest

    def _take_new_file(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._make_room()
        now = datetime.now().strftime("%Y%m%d-%H%M%S")
        file = self.folder / KEPT.replace("*", f"{now}-{secrets.token_hex(4)}")
        self.file, self._lock = file, _lock(file)

    def _make_room(self) -> None:
        """Delete all but the newest games, so that one more may come; those without a decision first, and none that is played."""
        by_worth = sorted((worth, file) for file in self._files(KEPT) if (worth := _worth(file)) is not None)
        for _, file in by_worth[: -(MOST_KEPT - 1)]:
            lock = _lock(file)
            if lock is None:
                continue
            with suppress(OSError):
                file.unlink(missing_ok=True)
            lock.release()
            for beside in self._files(f".{file.name}.*"):  # its lock, and what a killed process left half written
                with suppress(OSError):
                    beside.unlink(missing_ok=True)

    def _files(self, *patterns: str) -> Iterator[Path]:
        return (file for pattern in patterns for file in self.folder.glob(pattern))


def _lock(file: Path) -> BaseFileLock | None:
    """Return a lock on a game, which ends with the process; None if another process has it, or none can be made. See ``arena.lock`` too."""
    lock = FileLock(file.with_name(f".{file.name}.lock"), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except (Timeout, OSError):
        return None
    return lock


def _changed(file: Path) -> int | None:
    """Return when a file was last written, in nanoseconds; None if it is gone."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None


def _worth(file: Path) -> tuple[bool, int] | None:
    """Return what decides which games are kept: whether anything was decided, and when; None if the file is gone."""
    try:
        return bool(DECIDED.search(read_text(file))), file.stat().st_mtime_ns
    except ValueError:
        return False, 0
    except OSError:
        return None
