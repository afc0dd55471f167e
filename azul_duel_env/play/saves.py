"""Game files on disk, and the one that keeps the last game by itself."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from azul_duel_env import reading
from azul_duel_env.play.session import Session
from azul_duel_env.record import MOST_BYTES as MAX_BYTES


def autosave_folder() -> Path:
    """Return where games are kept: ``AZUL_DUEL_DATA_DIR``, or the user's data folder."""
    folder = os.environ.get("AZUL_DUEL_DATA_DIR") or platformdirs.user_data_dir("azul_duel_env", appauthor=False)
    return reading.user_path(folder)


def autosave_file() -> Path:
    """Return where the last game is kept."""
    return autosave_folder() / "last.game"


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
        ValueError: it is too long for one, or no text.
        OSError: it can't be read.
    """
    return reading.read_text(file, MAX_BYTES)
