"""A game looked at again by a search: what it would have played at each decision, and what was lost.

The search knows no more than the player who decided. It chooses first, with its whole budget. If it chooses otherwise than the player,
it seldom tried what was played, and so knows little about it; and what it tried most, it tried most because it looked good. So the two
actions are then judged each by a search of its own: the same budget, every simulation of which begins with that action, and the same
draws for both. What was lost is the difference of these two values.

======  ===========================================================================================================================
value   of an action, for the player who decides: 1 is a sure win, -1 a sure loss. With a network it is what that expects of the whole
        game. Without one, as in ``kernels.search``, in rounds before the last it stands for the margin at the end of the round: near 0,
        a point of margin is 0.04; 25 points are 0.76. In the last round it is the chance to win less that to lose, times 0.9, and at
        most 0.1 for the margin
lost    the value of what the search would have played, less that of what was played; 0 if they are the same, and where the closer
        look prefers what was played
``?``   at least 0.1 was lost
``??``  at least 0.3 was lost
points  of margin that the search expects to have at the end of the round with its action, less those with what was played: by an
        evaluation of all boards, at the end of the game by the scores. It tells what was given away in a game that is as good as
        decided, where hardly any value can be lost. It may be negative: the search wants to win, by however little
======  ===========================================================================================================================

A value is an estimate: with 400 simulations two looks at the same action differ by a few hundredths. Decisions with a single legal
action are left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from azul_duel_env.agents import find_search
from azul_duel_env.agents.tree_search import SearchResult, TreeSearch
from azul_duel_env.arena.game_file import Record
from azul_duel_env.arena.match import LostGameWarning
from azul_duel_env.arena.workers import LOST, check_workers, run_tasks
from azul_duel_env.game import Position
from azul_duel_env.jit.rng import keys_from_seed

MARKS = (("??", 0.3), ("?", 0.1))
"""Mark, and the loss from which on it is given; the largest first."""


@dataclass(frozen=True)
class Decision:
    """A decision that was looked at.

    Attributes:
        number: its number among all decisions of the game, from 1, as in ``azul-duel replay``.
        round: its number, from 1; 0 before the first one.
        player: the seat that decided.
        choices: legal actions, at least 2.
        played: name of the action that was played.
        best: name of the action that the search would have played.
        played_value: value of what was played, -1 to 1, for the player who decided.
        best_value: value of what the search would have played; the same number if that was played.
        played_values: value of what was played for each player.
        played_margin: points by which the player would be ahead at the end of the round after what was played.
        best_margin: the same after what the search would have played.
        loss: 0 to 2: how much larger ``best_value`` is, or 0.
        mark: ``"??"``, ``"?"`` or ``""``; see ``MARKS``.
        variation: names of the actions that the search expects from here on, of all players; ``best`` is the first.
    """

    number: int
    round: int
    player: int
    choices: int
    played: str
    best: str
    played_value: float
    best_value: float
    played_values: tuple[float, ...]
    played_margin: float
    best_margin: float
    loss: float
    mark: str
    variation: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether the search would have played the same."""
        return self.played == self.best

    @property
    def points(self) -> float:
        """Points of margin that were given away; negative if what was played has more."""
        return self.best_margin - self.played_margin


@dataclass(frozen=True)
class SeatSummary:
    """What came out for one player.

    Attributes:
        player: the seat.
        name: who sat there; "" if the game file doesn't say.
        decisions: how many were looked at.
        agreement: share of them in which the search would have played the same.
        loss_mean: what was lost in a decision.
        points_mean: points of margin that were given away in a decision.
        loss_max: the largest loss.
        worst: number of the decision with the largest loss; the first of several.
        marks: how many got each mark.
    """

    player: int
    name: str
    decisions: int
    agreement: float
    loss_mean: float
    points_mean: float
    loss_max: float
    worst: int
    marks: dict[str, int]


@dataclass(frozen=True)
class Analysis:
    """An analysed game.

    Attributes:
        game: id of the game.
        players: who sat in each seat, or none.
        agent: spec of the search.
        seed: of the analysis.
        decisions: those that were looked at, in order.
        missing: how many could not be: the analysis was interrupted, or their process was lost each time.
    """

    game: str
    players: tuple[str, ...]
    agent: str
    seed: int
    decisions: tuple[Decision, ...]
    missing: int = 0

    def summaries(self) -> list[SeatSummary]:
        """Return a summary for each player of whom a decision was looked at."""
        seats = sorted({decision.player for decision in self.decisions})
        return [self._summary_of(seat, [d for d in self.decisions if d.player == seat]) for seat in seats]

    def _summary_of(self, seat: int, decisions: Sequence[Decision]) -> SeatSummary:
        losses = [decision.loss for decision in decisions]
        return SeatSummary(
            player=seat,
            name=self.players[seat] if seat < len(self.players) else "",
            decisions=len(decisions),
            agreement=float(np.mean([decision.agrees for decision in decisions])),
            loss_mean=float(np.mean(losses)),
            points_mean=float(np.mean([decision.points for decision in decisions])),
            loss_max=max(losses),
            worst=decisions[int(np.argmax(losses))].number,
            marks={mark: sum(decision.mark == mark for decision in decisions) for mark, _ in MARKS},
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as a plain dictionary, for JSON.

        Returns:
            The attributes of this class by name, ``decisions`` as a list with the attributes of ``Decision`` by name; and ``summary``:
            a list with the attributes of ``SeatSummary`` by name. All numbers are finite.
        """
        return {**asdict(self), "summary": [asdict(summary) for summary in self.summaries()]}


def analysis_from_dict(data: dict[str, Any]) -> Analysis:
    """Return the analysis that ``Analysis.as_dict`` gave, also after a way through JSON.

    Raises:
        ValueError: something is missing, or there is something else.
    """
    try:
        rows = ("variation", "played_values")
        decisions = tuple(Decision(**{**one, **{name: tuple(one[name]) for name in rows}}) for one in data["decisions"])
        given = {name: value for name, value in data.items() if name != "summary"}
        return Analysis(**{**given, "players": tuple(data["players"]), "decisions": decisions})
    except (KeyError, TypeError) as error:
        raise ValueError(f"expected an analysis as `azul-duel analyse --json` writes it: {error}") from None


# Looking at a game ----------------------------------------------------------------------------
@dataclass(frozen=True)
class Choice:
    """A decision of a game, before anybody has looked at it.

    Attributes:
        number: its number among all decisions of the game, from 1.
        position: in which it was made.
        action: what was played.
    """

    number: int
    position: Position
    action: int


def analyse_game(
    record: Record, agent: str | None = None, seed: int = 1, player: int | None = None, jobs: int = 1
) -> Iterator[Decision]:
    """Look at each decision of a game and yield what was found, in their order, as they come.

    A decision whose process is ended from outside each time it is tried is left out with a ``LostGameWarning``.

    Args:
        record: the game, finished or not.
        agent: a search, such as ``mcts:400`` or ``network+mcts:400:PATH``; also ``mcts:200ms``, which does not repeat. That of
            ``Game.adviser`` if left out.
        seed: decides all that is drawn; what is found about a decision doesn't depend on ``player`` and ``jobs``.
        player: the seat whose decisions are looked at; all if left out.
        jobs: processes; -1 for one a core.

    Raises:
        ValueError: another agent, no such player, a negative seed, or what ``check_workers`` raises, before anything is searched.
    """
    check_workers(jobs, "joblib")
    search = find_search(record.game, record.game.adviser if agent is None else agent)
    keys_from_seed(seed)
    return _looked_at([(search, choice, seed) for choice in choices_of(record, player)], jobs)


def count_choices(record: Record, player: int | None = None) -> int:
    """Return how many decisions ``analyse_game`` looks at.

    Raises:
        ValueError: no such player.
    """
    return len(choices_of(record, player))


def choices_of(record: Record, player: int | None = None) -> list[Choice]:
    """Return the decisions of a game in which a player had a choice, in order.

    Args:
        record: the game, finished or not.
        player: the seat whose decisions are wanted; all if left out.

    Raises:
        ValueError: no such player.
    """
    if player is not None and not 0 <= player < record.game.num_players:
        raise ValueError(f"player must be 0 to {record.game.num_players - 1}, or None for all, not {player}")
    decided = [(position, ply) for position, ply in record.positions() if ply is not None and ply.player >= 0]
    return [
        Choice(number, position, ply.number)
        for number, (position, ply) in enumerate(decided, 1)
        if player in (None, ply.player) and len(position.legal_actions()) > 1
    ]


def _looked_at(tasks: list[tuple[TreeSearch, Choice, int]], jobs: int) -> Iterator[Decision]:
    for (_, choice, _), decision in zip(tasks, run_tasks(look_at, tasks, jobs), strict=True):
        if decision is LOST:
            message = f"decision {choice.number}: its process was lost each time; it is missing"
            warnings.warn(message, LostGameWarning, stacklevel=2)
        else:
            yield decision


def look_at(search: TreeSearch, choice: Choice, seed: int) -> Decision:
    """Look at one decision; ``seed`` and its number decide all that is drawn.

    Raises:
        SearchCalledOffError: the search was called off.
    """
    position, name = choice.position, choice.position.game.text.action_name
    choosing, judging = keys_from_seed(seed, 2 * choice.number + 2)[-2:]
    found = search.run(position.states, 0, choosing)
    played = search.run(position.states, 0, judging, choice.action)
    best = played if found.best == choice.action else search.run(position.states, 0, judging, found.best)
    loss = max(0.0, _value_of(best) - _value_of(played))
    return Decision(
        number=choice.number,
        round=position.round_number,
        player=position.player,
        choices=len(found.actions),
        played=name(choice.action),
        best=name(found.best),
        played_value=_value_of(played),
        best_value=_value_of(best),
        played_values=tuple(played.root_values.tolist()),
        played_margin=played.margin,
        best_margin=best.margin,
        loss=loss,
        mark=mark_of(loss),
        variation=tuple(name(action) for action in found.variation),
    )


def mark_of(loss: float) -> str:
    """Return the mark that a loss is given; see ``MARKS``."""
    return next((mark for mark, least in MARKS if loss >= least), "")


def _value_of(result: SearchResult) -> float:
    """Return the value of the best action: the only one that a search which must begin with it has tried."""
    return float(result.values[np.searchsorted(result.actions, result.best)])


# In the terminal ------------------------------------------------------------------------------
SAME = "the same"


def decisions_table(decisions: Sequence[Decision], agent: str) -> Table:
    """Return decisions as a table, at most 120 columns wide."""
    table = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        caption="value: of what was played, 1 is a sure win, -1 a sure loss; points: of margin",
    )
    for column in ("no", "round", "player"):
        table.add_column(column, justify="right", no_wrap=True)
    for column in ("played", f"{agent} would play"):
        table.add_column(column, no_wrap=True)
    for column in ("value", "lost", "points"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in decisions:
        table.add_row(*_row(one))
    return table


def _row(one: Decision) -> list[str]:
    head = [str(one.number), str(one.round), str(one.player), one.played]
    if one.agrees:
        return [*head, SAME, f"{one.played_value:+.2f}", "", "", ""]
    return [*head, one.best, f"{one.played_value:+.2f}", f"{one.loss:.2f}", f"{one.points:+.1f}", one.mark]


def summary_line(summary: SeatSummary) -> str:
    """Return what came out for a player as a sentence."""
    who = f"player {summary.player}" + (f" ({summary.name})" if summary.name else "")
    marks = ", ".join(f"{count} {mark}" for mark, count in reversed(summary.marks.items()))
    return (
        f"{who}: {summary.decisions} decisions, {summary.agreement:.0%} as the search; lost {summary.loss_mean:.3f} a decision "
        f"({summary.points_mean:.2f} points), at most {summary.loss_max:.2f} (no {summary.worst}); {marks}"
    )
