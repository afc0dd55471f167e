"""A file of finished games: one JSON line each, added as they come, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from azul_duel_env.arena.match import Fixture, GameResult

FORMAT = "azul_duel_env games 1"


def package_version() -> str:
    """Return the version of this package as it is installed; "unknown" where it is not."""
    try:
        return metadata.version("azul_duel_env")
    except metadata.PackageNotFoundError:
        return "unknown"


class GamesFile:
    """The games of one run. Use it in a ``with`` statement.

    The first line holds the settings. A last line that was cut off while it was written is dropped, and its game played again.

    Args:
        file: where; what is there already is read. None keeps the games in memory only.
        settings: what decides the results, in JSON's types.

    Raises:
        ValueError: the file holds something else, or games of other settings; the message names them, and the file stays as it is.
        OSError: it can't be read or written.

    Attributes:
        results: finished games by fixture.
    """

    def __init__(self, file: Path | None, settings: Mapping[str, Any]) -> None:
        self.results: dict[Fixture, GameResult] = {}
        self._stream = None
        if file is None:
            return
        header = {"format": FORMAT, "version": package_version(), **json.loads(json.dumps(settings))}
        first_line = json.dumps(header) + "\n"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        if not whole and not first_line.startswith(text):
            raise ValueError(f"{file} holds something else than games: choose another file")
        if whole:
            self._read(file, whole, header)
        self._stream = file.open("a", encoding="utf-8")
        os.truncate(file, len(whole.encode()))
        if not whole:
            self._write(first_line)

    def _read(self, file: Path, text: str, header: dict[str, Any]) -> None:
        """Read what is there."""
        lines = text.splitlines()
        _check_header(file, lines[0], header)
        for number, line in enumerate(lines[1:], 2):
            try:
                result = _result_from(json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{file}, line {number}: expected a game, not {line[:60]!r}") from None
            self.results[result.agents, result.seed] = result

    def add(self, result: GameResult) -> None:
        """Keep a finished game."""
        self.results[result.agents, result.seed] = result
        self._write(json.dumps(_as_dict(result)) + "\n")

    def _write(self, line: str) -> None:
        if self._stream is not None:
            self._stream.write(line)
            self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.close()


def _check_header(file: Path, line: str, wanted: dict[str, Any]) -> None:
    """Compare the settings of a file with those wanted.

    Raises:
        ValueError: it is no file of games, or of other settings.
    """
    try:
        header = json.loads(line)
        found = header["format"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{file} holds something else than games: choose another file") from None
    if found != FORMAT:
        raise ValueError(f"{file} has the format {found!r}, expected {FORMAT!r}: choose another file")
    differing = [name for name in {**wanted, **header} if wanted.get(name) != header.get(name)]
    if differing:
        told = "; ".join(f"{name} {header.get(name)!r}, not {wanted.get(name)!r}" for name in differing)
        raise ValueError(f"{file} holds games with {told}: go on with the same settings, or choose another file")


def _as_dict(result: GameResult) -> dict[str, Any]:
    """Return a game for JSON."""
    return {
        "agents": result.agents,
        "seed": result.seed,
        "scores": result.scores,
        "winner": result.winner,
        "decisions": result.decisions,
        "first_player": result.first_player,
        "decided": result.decided,
        "seconds": [round(seconds, 6) for seconds in result.seconds],
    }


def _result_from(data: dict[str, Any]) -> GameResult:
    """Return a game from JSON."""
    return GameResult(
        tuple(data["agents"]),
        int(data["seed"]),
        tuple(data["scores"]),
        int(data["winner"]),
        int(data["decisions"]),
        (),
        int(data["first_player"]),
        tuple(data["decided"]),
        tuple(data["seconds"]),
    )
