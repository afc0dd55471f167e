"""Ladders and ratings in the terminal."""

from __future__ import annotations

from rich.table import Table

from azul_duel_env.arena.ladder import Standings
from azul_duel_env.arena.rate import Estimate
from azul_duel_env.arena.ratings import Rating
from azul_duel_env.arena.statistics import Statistics
from azul_duel_env.game import Game

UNKNOWN = "?"


def standings_table(standings: Standings, title: str) -> Table:
    """Return ratings as a table, strongest first."""
    table = Table(
        title=title,
        caption=f"Elo points, {standings.anchor} = 0: 400 more are odds of 10 to 1; intervals are 95%; {UNKNOWN}: won or lost too "
        "regularly to tell; rates count draws half; scores are mean ± standard deviation",
    )
    table.add_column("agent")
    for column in ("rating", "interval", "above the next", "win rate", "score", "ms a decision", "games"):
        table.add_column(column, justify="right")
    for rating in standings.ratings:
        table.add_row(*rating_row(rating, standings.anchor))
    return table


def rating_row(rating: Rating, anchor: str) -> list[str]:
    """Return one agent's row."""
    gap = "" if rating.gap is None else f"{rating.gap:+.0f} {interval_text(rating.gap_low, rating.gap_high)}"
    return [
        rating.agent,
        f"{rating.rating:+.0f}" if rating.agent != anchor else "0",
        interval_text(rating.low, rating.high) if rating.agent != anchor else "",
        gap,
        f"{rating.win_rate:.1%}",
        f"{rating.score_mean:.1f} ± {rating.score_sd:.1f}",
        f"{1000 * rating.seconds_per_decision:.3g}",
        f"{rating.games:,}",
    ]


def interval_text(low: float | None, high: float | None, digits: int = 0) -> str:
    """Return an interval; an open side is unknown."""
    ends = (UNKNOWN if end is None else f"{end:+.{digits}f}" for end in (low, high))
    return f"[{', '.join(ends)}]"


def first_player_line(standings: Standings) -> str:
    """Return the first-player advantage as a sentence; "" if it is not known."""
    return advantage_line(standings.first_player)


def advantage_line(first_player: tuple[float, float, float] | None) -> str:
    """Return how often whoever began won, and its interval, as a sentence; "" if it is not known."""
    if first_player is None:
        return ""
    rate, low, high = first_player
    return f"whoever began round 1 won {rate:.1%} [{low:.1%}, {high:.1%}], shared wins in equal parts"


def statistics_tables(found: Statistics, game: Game) -> list[Table | str]:
    """Return how an agent plays a game against itself as tables and sentences."""
    bonus = game.breakdown.bonus
    points = Table(title=f"{found.agent} against itself: {found.games:,} games", caption="mean points of a board")
    points.add_column("source")
    points.add_column("points", justify="right")
    for source, mean in {"at the start": float(found.start), **found.points}.items():
        points.add_row(source.replace("_", " "), f"{mean:+.1f}")
    points.add_row("score", f"{found.score_mean:.1f} ± {found.score_sd:.1f}")
    bonuses = Table(caption=f"of the boards where a {bonus} was in play")
    bonuses.add_column(bonus)
    for column in ("boards", "reached", "points"):
        bonuses.add_column(column, justify="right")
    for name, one in found.bonuses.items():
        bonuses.add_row(name.replace("_", " "), f"{one.boards:,}", f"{one.reached:.1%}", f"{one.points_mean:+.1f}")
    length = f"{found.decisions_mean:.0f} ± {found.decisions_sd:.0f} decisions a game; {found.draws:.1%} draws"
    tables: list[Table | str] = [points, bonuses] if found.bonuses else [points]
    return [game.full_title, *tables, length, advantage_line(found.first_player)]


def estimate_lines(known: Estimate, wanted: float) -> list[str]:
    """Return the rating of an agent as sentences."""
    met = ", ".join(f"{games} against {agent}" for agent, games in known.opponents.items())
    games = f"{known.games} games ({known.wins} won, {known.draws} drawn, {known.losses} lost; {met})"
    if known.bound is not None:
        won = known.wins == known.games
        lines = [
            f"{known.agent}: {'at least' if won else 'at most'} {known.bound:+.0f} (95%), after {games}",
            f"It {'won' if won else 'lost'} everything: how far it stands {'above' if won else 'below'} that, these opponents can't tell.",
        ]
    else:
        lines = [f"{known.agent}: {known.rating:+.0f} {interval_text(known.low, known.high)} (95%), after {games}"]
        if known.half > wanted:
            lines.append(f"The wanted interval, ± {wanted:g}, was not reached.")
    return [*lines, f"{1000 * known.seconds_per_decision:.3g} ms a decision"]
