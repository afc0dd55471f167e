"""How far a training run is, as a file beside its checkpoint, all of it checked when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from azul_duel_env.system.reading import one_line, read_json

NOT_OPPONENTS = ("steps", "seconds")
"""In an entry of ``Progress.evaluations``."""


@dataclass
class Progress:
    """How far a run is; a file beside its checkpoint.

    Attributes:
        seconds: spent so far, evaluation included.
        evaluations: one dictionary each: ``steps``, ``seconds`` and, by opponent, win rate, interval and scores.
        final: summaries of the last evaluation, by opponent; empty until the run is complete.
    """

    seconds: float = 0.0
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    final: dict[str, dict[str, Any]] = field(default_factory=dict)

    def forget_after(self, steps: int) -> None:
        """Drop what a killed run wrote down when it could not save its checkpoint any more; the resumed one will do it again."""
        kept = [entry for entry in self.evaluations if entry["steps"] <= steps]
        if len(kept) < len(self.evaluations):
            self.evaluations, self.final = kept, {}


class _Kept(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Scores(_Kept):
    """What is shown of games against an opponent; more may be kept."""

    win_rate: float
    win_rate_low: float
    win_rate_high: float
    score_mean: float
    opponent_score_mean: float


class _FinalScores(_Scores):
    games: int
    score_sd: float
    opponent_score_sd: float
    margin_mean: float


class _Entry(_Kept):
    steps: int
    seconds: float
    opponents: dict[str, _Scores]

    @model_validator(mode="before")
    @classmethod
    def _gather_opponents(cls, entry: Any) -> Any:
        if not isinstance(entry, dict):
            return entry
        numbers = {name: entry[name] for name in NOT_OPPONENTS if name in entry}
        return {**numbers, "opponents": {name: entry[name] for name in entry if name not in NOT_OPPONENTS}}


class _File(_Kept):
    model_config = ConfigDict(extra="forbid")

    seconds: float = 0.0
    evaluations: list[_Entry] = []
    final: dict[str, _FinalScores] = {}


def read_progress(file: Path, opponents: Sequence[str]) -> Progress:
    """Return the progress that a file holds.

    Args:
        file: of a run.
        opponents: of the run's evaluation.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no progress of a run with these opponents; the message names the file and what helps.
    """
    try:
        data = read_json(file)
        found = _File.model_validate(data)
        _check_opponents(found, opponents)
    except ValueError as error:
        raise ValueError(
            f"{file} is no progress of this run ({_explain(error)}): put a copy of it back, or delete it to go on without "
            "the evaluations so far"
        ) from None
    return Progress(**data)


def _check_opponents(found: _File, opponents: Sequence[str]) -> None:
    """Refuse evaluations against others."""
    evaluated = [list(entry.opponents) for entry in found.evaluations]
    for met in [*evaluated, list(found.final)] if found.final else evaluated:
        if set(met) != set(opponents):
            raise ValueError(f"expected evaluations against {', '.join(opponents)}, not {', '.join(met) or 'nobody'}")


def _explain(error: ValueError) -> str:
    """Say the first thing that is wrong."""
    if not isinstance(error, ValidationError):
        return one_line(error)
    problem = error.errors()[0]
    return one_line(": ".join(filter(None, [".".join(map(str, problem["loc"])), problem["msg"]])))
