"""The learning curve, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from azul_duel_env.training.progress import NOT_OPPONENTS

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by the colour-blind too
MARKERS = "osD^vP"


AXES = {"steps": (1e6, "decisions of the learner, millions"), "seconds": (3600, "hours")}
"""What a curve can be drawn against: in an evaluation, what counts 1, and its name."""


def draw_curve(
    evaluations: list[dict[str, Any]], file: Path, title: str, num_players: int, against: str = "steps"
) -> None:
    """Draw win rates with 95% intervals, and mean scores.

    Args:
        evaluations: as in ``progress.Progress``; at least one.
        file: a picture, its kind by its ending.
        title: of the picture.
        num_players: of the game; a rate of more than two is how often the learner came before an opponent.
        against: ``"steps"`` or ``"seconds"``.
    """
    figure = Figure(figsize=(9, 7), layout="constrained")
    rates, scores = figure.subplots(2, 1, sharex=True)
    unit, name = AXES[against]
    x = [entry[against] / unit for entry in evaluations]
    for opponent, colour, marker in zip(
        [name for name in evaluations[0] if name not in NOT_OPPONENTS], COLOURS, MARKERS, strict=False
    ):
        seen = [entry[opponent] for entry in evaluations]
        style = {"color": colour, "marker": marker, "markersize": 4}
        rates.plot(x, [100 * s["win_rate"] for s in seen], label=f"against {opponent}", **style)
        low, high = ([100 * s[f"win_rate_{end}"] for s in seen] for end in ("low", "high"))
        rates.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        scores.plot(x, [s["score_mean"] for s in seen], label=f"own, against {opponent}", **style)
        other = [s["opponent_score_mean"] for s in seen]
        scores.plot(x, other, label=f"{opponent}'s", color=colour, linestyle=":")
    rates.set(ylabel="games won, %" if num_players == 2 else "came before an opponent, %", ylim=(0, 100), title=title)
    scores.set(ylabel="mean score", xlabel=name)
    for axes in (rates, scores):
        axes.grid(alpha=0.3)
        axes.legend(loc="best", fontsize="small")
    figure.savefig(file, dpi=110)
