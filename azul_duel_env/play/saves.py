"""Game files on disk, and the one that keeps the last game by itself."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from azul_duel_env.play.session import Session, SessionError

MAX_BYTES = 256 * 1024
"""A game file has about 8 KiB; a longer file is none."""


def autosave_file() -> Path:
    """Return where the last game is kept: in ``AZUL_DUEL_DATA_DIR``, or in the user's data folder."""
    folder = os.environ.get("AZUL_DUEL_DATA_DIR") or platformdirs.user_data_dir("azul_duel_env", appauthor=False)
    return Path(folder) / "last.game"


def write_game(session: Session, file: Path) -> None:
    """Write a game; the file is whole or as it was.

    Raises:
        OSError: it can't be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        temporary.write_text(session.record().write(), encoding="utf-8")
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def read_text(file: Path) -> str:
    """Return the text of a game file.

    Raises:
        SessionError: it is too long for one, or no text.
        OSError: it can't be read.
    """
    if file.stat().st_size > MAX_BYTES:
        raise SessionError(f"{file}: {file.stat().st_size} bytes are no game file, which has less than {MAX_BYTES}")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SessionError(f"{file}: expected a game file, which is text in UTF-8") from None
