"""The folder of a run, whatever its algorithm: its files, who is told how the run goes on, and what an evaluation leaves there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from azul_duel_env.arena import Summary
from azul_duel_env.system.files import replaced
from azul_duel_env.training.config import AnyConfig, read_config
from azul_duel_env.training.progress import Progress, read_progress

PROGRESS, CONFIG, CURVE, TENSORBOARD = "progress.json", "config.yaml", "curve.png", "tensorboard"
SHOWN = ("win_rate", "win_rate_low", "win_rate_high", "score_mean", "opponent_score_mean", "margin_mean")
"""Of a summary, in an entry of ``Progress.evaluations``."""
LOGGED = ("win_rate", "score_mean", "margin_mean")


class Listener:
    """Who is told how a run goes on; this one does nothing with it."""

    def phase(self, name: str, done: int, total: int) -> None:
        """A phase begins: its name, steps done, steps in all."""

    def steps(self, done: int, note: str = "") -> None:
        """So many steps are done in this phase; a note such as the agreement with an expert."""

    def evaluated(self, evaluation: dict[str, Any]) -> None:
        """An entry of ``Progress.evaluations`` is new."""


def check_folder(folder: Path, config: AnyConfig, resume: bool) -> None:
    """Refuse a folder that holds another run.

    Raises:
        ValueError: it does; the message says what helps.
    """
    file = folder / CONFIG
    if not file.exists():
        return
    if not resume:
        raise ValueError(f"{folder} holds a run already: go on with --resume, or choose another folder with --out")
    if read_config(file) != config:
        raise ValueError(f"{folder} holds a run of another configuration, {file}: resume with that one")


def claim_folder(folder: Path, config: AnyConfig) -> None:
    """Take a folder for a run."""
    folder.mkdir(parents=True, exist_ok=True)
    with replaced(folder / CONFIG) as temporary:
        temporary.write_text(text_of(config), encoding="utf-8")


def text_of(config: AnyConfig) -> str:
    """Return a configuration in YAML."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)


def progress_in(folder: Path, config: AnyConfig) -> Progress:
    """Return how far the run in a folder is.

    Raises:
        ValueError: its file is damaged; the message says what helps.
    """
    file = folder / PROGRESS
    return read_progress(file, config.evaluation.opponents) if file.exists() else Progress()


def crossed(before: int, now: int, every: int) -> bool:
    """Return whether a multiple of ``every`` lies in (before, now]."""
    return now // every > before // every


def entry_of(steps: int, summaries: dict[str, Summary]) -> dict[str, Any]:
    """Return an entry of ``Progress.evaluations``; ``seconds`` are still to come."""
    entry: dict[str, Any] = {"steps": steps}
    for opponent, summary in summaries.items():
        entry[opponent] = {name: getattr(summary, name) for name in SHOWN}
    return entry
