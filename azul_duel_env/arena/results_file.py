"""A file of finished games: one JSON line each, added as they come, so that an interrupted run goes on where it stopped.

All is counted in bytes. Lines may end as on Windows, and a mark of the byte order may stand in front.
"""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from azul_duel_env.arena.lock import held
from azul_duel_env.arena.match import Fixture
from azul_duel_env.arena.result import GameResult
from azul_duel_env.arena.results_line import NoGameError, Run, as_line, game_from, object_from
from azul_duel_env.system.reading import json_from

FORMAT = "azul_duel_env games 1"
SHOWN = 60  # characters of a value in a message
QUOTE = "'"


@cache
def package_version() -> str:
    """Return the version of this package as it is installed; "unknown" where it is not."""
    try:
        return metadata.version("azul_duel_env")
    except metadata.PackageNotFoundError:
        return "unknown"


class ResultsFile:
    """The games of one run. Use it in a ``with`` statement; until its end no other run can use the file.

    The first line holds the settings. A last line that was cut off while it was written is dropped, and its game played again; one that
    lacks nothing but its end is kept.

    Args:
        file: where; what is there already is read. None keeps the games in memory only.
        settings: what decides the results, in JSON's types. Games must be of its ``game``, ``agents`` and ``seed``, as far as it
            has them.

    Raises:
        ValueError: the file holds something else, games of other settings, or a line that is no game of this run; the message names
            what differs, or line and field. Or another run uses it; the message says which. The file stays as it is.
        OSError: it can't be read or written.

    Attributes:
        results: finished games by fixture.
    """

    def __init__(self, file: Path | None, settings: Mapping[str, Any]) -> None:
        self.results: dict[Fixture, GameResult] = {}
        self._stream: BinaryIO | None = None
        self._open = ExitStack()
        if file is None:
            return
        header = {"format": FORMAT, "version": package_version(), **json.loads(json.dumps(settings))}
        with ExitStack() as opening:
            opening.enter_context(held(file))
            data = file.read_bytes() if file.exists() else b""
            whole = data.rfind(b"\n") + 1
            only_unended = whole > 0 and _is_json(data[whole:])
            self._read(file, data + b"\n" if only_unended else data[:whole], data[whole:], header)
            self._stream = opening.enter_context(file.open("ab"))
            if only_unended:
                self._write(b"\n")
            elif whole < len(data):
                os.truncate(file, whole)
            if not whole:
                self._write(_header_line(header))
            self._open = opening.pop_all()

    def _read(self, file: Path, whole: bytes, torn: bytes, header: dict[str, Any]) -> None:
        """Read whole lines; without any, what is there must be the begin of the first one."""
        if not whole:
            if not _header_line(header).startswith(torn):
                raise ValueError(f"{file} holds something else than games: choose another file")
            return
        lines = [line.removesuffix(b"\r") for line in whole.removeprefix(BOM_UTF8).split(b"\n")[:-1]]
        _check_header(file, lines[0], header)
        run = Run.of(header, len(lines))
        for number, line in enumerate(lines[1:], 2):
            try:
                result = game_from(line, run)
                self._keep(result)
            except NoGameError as error:
                raise ValueError(f"{file}, line {number}: {error}") from None

    def _keep(self, result: GameResult) -> None:
        """Keep a game in memory.

        Raises:
            NoGameError: it is there already, with another result.
        """
        if self.results.setdefault((result.agents, result.seed), result) != result:
            raise NoGameError(
                f"this game of {' - '.join(result.agents)}, seed {result.seed}, stands above with another result"
            )

    def add(self, result: GameResult) -> None:
        """Keep a finished game."""
        self.results[result.agents, result.seed] = result
        self._write(as_line(result))

    def _write(self, line: bytes) -> None:
        if self._stream is not None:
            self._stream.write(line)
            self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()


def _header_line(header: dict[str, Any]) -> bytes:
    return json.dumps(header).encode() + b"\n"


def _check_header(file: Path, line: bytes, wanted: dict[str, Any]) -> None:
    """Compare the settings of a file with those wanted.

    Raises:
        ValueError: it is no file of games, or of other settings.
    """
    try:
        header = object_from(line)
        found = header["format"]
    except (NoGameError, KeyError):
        raise ValueError(f"{file} holds something else than games: choose another file") from None
    if found != FORMAT:
        raise ValueError(f"{file} has the format {_short(found)}, expected {FORMAT!r}: choose another file")
    differing = [name for name in {**wanted, **header} if _text(wanted, name) != _text(header, name)]
    if differing:
        differences = "; ".join(
            f"{_short(name).strip(QUOTE)} {_short(header.get(name))}, not {_short(wanted.get(name))}"
            for name in differing
        )
        raise ValueError(f"{file} holds games with {differences}: go on with the same settings, or choose another file")


def _text(header: dict[str, Any], name: str) -> str:
    """Return a value as JSON, which tells true from 1."""
    return json.dumps(header.get(name), sort_keys=True)


def _short(value: Any) -> str:
    """Return a value for a message."""
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _is_json(line: bytes) -> bool:
    """Return whether a line is whole: every part of a line of JSON that lacks its end is none."""
    try:
        json_from(line)
    except ValueError:
        return False
    return True
