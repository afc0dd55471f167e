"""Game files of sessions: written whole or not at all, and read without trusting whom they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from azul_duel_env.arena.game_file import MOST_BYTES as MAX_BYTES
from azul_duel_env.arena.game_file import read_record
from azul_duel_env.game import Game
from azul_duel_env.play.agents import is_plain
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.session import Session
from azul_duel_env.system import reading

Trust = Callable[[Game, str], bool]
"""Says of a game and a spec whether whoever it names may take a seat because a file says so."""


def read_session(text: str, trust: Trust = is_plain, seats: Sequence[str] | None = None) -> Session:
    """Return the game that a game file holds, at its last decision; the seed's draws go on from there.

    A game file names who played, and some names load files or run code. So only those that are trusted take their seats again; in the
    place of all others sits a person.

    Args:
        text: of the file.
        trust: which specs may be taken from the file.
        seats: who sits there instead of those that the file names.

    Raises:
        ValueError: it is no game of ours (a ``RecordError``, which names the line), or an agent can't play.
    """
    record = read_record(text)
    game = record.game
    named = record.players if len(record.players) == game.num_players else (HUMAN,) * game.num_players
    trusted = tuple(name if trust(game, name) else HUMAN for name in named)
    session = Session(Setup(tuple(seats or trusted), record.seed, dict(record.options), game))
    session.follow(record)
    return session


def write_session(session: Session, file: Path) -> None:
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
