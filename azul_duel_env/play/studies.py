"""Games that are looked at again: what a search says of their moves, found in the background and kept as long as the game is there."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from azul_duel_env.agents import find_search
from azul_duel_env.agents.outlook import value_meaning_of
from azul_duel_env.agents.tree_search import SearchCalledOffError, TreeSearch
from azul_duel_env.arena.game_file import Record, read_record
from azul_duel_env.arena.scenes import names_of
from azul_duel_env.game import Position
from azul_duel_env.play.new_game import SessionError, Setup
from azul_duel_env.play.session import Session
from azul_duel_env.system.reading import one_line
from azul_duel_env.tools.analysis import Analysis, Choice, Decision, look_at

SEED = 1
"""Of analyses: that of ``azul-duel analyse``, which finds the same."""
ON_THE_TABLE = "table"
"""The id of the study of the game on the table."""
MOST_STUDIES = 8
"""Game files that are open at once; of more, the one that was opened first goes."""


class RecordedGame(Session):
    """A game as a record has it, with the names of those who played: nobody goes on with it, and nothing in it is secret.

    Args:
        record: the game.
    """

    def __init__(self, record: Record) -> None:
        seats = ("random",) * record.game.num_players  # an agent that is always there; it is never asked
        super().__init__(Setup(seats, record.seed, dict(record.options), record.game))
        self._record = record
        self.follow(record)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each seat is called."""
        return names_of(self._record)

    def record(self) -> Record:
        """Return the game, with the names of those who played."""
        played = super().record()
        return Record(played.game, played.options, played.seed, played.plies, self._record.players)


class Run:
    """An analysis under way, in a thread of its own.

    Args:
        search: looks at one decision after the other.
        choices: the decisions.
        keep: is called with each decision, and what was found about it.

    Attributes:
        trouble: why it ended before its time, or "".
        value_meaning: in a sentence, what values are.
    """

    def __init__(self, search: TreeSearch, choices: list[Choice], keep: Callable[[Choice, Decision], None]) -> None:
        self._search, self._choices, self._keep = search, choices, keep
        self._stopped = False
        self.trouble, self.value_meaning = "", value_meaning_of(search)
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether there is more to come."""
        return self._thread.is_alive() and not self._stopped

    def stop(self) -> None:
        """Let it end soon; what was found stays."""
        self._stopped = True
        self._search.call_off()

    def _look(self) -> None:
        try:
            for choice in self._choices:
                if self._stopped:
                    return
                self._keep(choice, look_at(self._search, choice, SEED))
        except SearchCalledOffError:
            pass
        except Exception as error:  # nobody waits in this thread: see trouble
            self.trouble = one_line(f"{type(error).__name__}: {error}")


@dataclass(frozen=True)
class Progress:
    """How far an analysis is.

    Attributes:
        decisions: what was found, in the order of the game.
        wanted: how many decisions there are to be looked at.
        is_running: whether more is to come by itself.
        trouble: why it ended before its time, or "".
        value_meaning: in a sentence, what values are; "" before it was begun.
    """

    decisions: tuple[Decision, ...]
    wanted: int
    is_running: bool
    trouble: str
    value_meaning: str


class Study:
    """A game that is looked at.

    What a search has found about a decision is kept as long as the study is: a game that goes on, or in which something is taken back, is
    looked at again only where it is another one.

    Args:
        current: returns the game as it is now.

    Attributes:
        key: tells it from every other study, of this server and of those before it.
    """

    def __init__(self, current: Callable[[], Session]) -> None:
        self.key = secrets.token_hex(8)
        self._current = current
        self._found: dict[tuple[str, int, int, bytes], Decision] = {}
        self._runs: dict[str, Run] = {}

    @property
    def session(self) -> Session:
        """The game."""
        return self._current()

    def position(self, at: int) -> Position:
        """Return the position after so many decisions; it must not be changed.

        Raises:
            SessionError: the game has not so many.
        """
        session = self.session
        if not 0 <= at <= len(session.moves):
            raise SessionError(f"at must be 0 to {len(session.moves)}, the decisions of the game, not {at}")
        return session.position if at == len(session.moves) else session.moves[at].before

    # Analyses -----------------------------------------------------------------------------
    def start(self, agent: str) -> None:
        """Let a search look at all decisions that it has not looked at yet; other analyses end.

        Raises:
            ValueError: the spec names no search.
        """
        search = find_search(self.session.game, agent)
        self.stop()
        missing = [choice for choice in self._choices() if _key(agent, choice) not in self._found]

        def keep(choice: Choice, decision: Decision) -> None:
            self._found[_key(agent, choice)] = decision

        self._runs[agent] = Run(search, missing, keep)

    def stop(self) -> None:
        """End what is under way; what was found stays."""
        for run in self._runs.values():
            run.stop()

    def progress(self, agent: str) -> Progress:
        """Return how far an analysis is."""
        run, choices = self._runs.get(agent), self._choices()
        is_running = run is not None and run.is_running  # asked first: what comes meanwhile is not missed
        found = [self._found.get(_key(agent, choice)) for choice in choices]
        decisions = tuple(decision for decision in found if decision is not None)
        trouble, meaning = ("", "") if run is None else (run.trouble, run.value_meaning)
        return Progress(decisions, len(choices), is_running, trouble, meaning)

    def analysis(self, agent: str) -> Analysis:
        """Return what was found so far, as ``azul-duel analyse`` does."""
        progress, record = self.progress(agent), self.session.record()
        missing = progress.wanted - len(progress.decisions)
        return Analysis(record.game.id, record.players, agent, SEED, progress.decisions, missing)

    def _choices(self) -> list[Choice]:
        """Return the decisions in which a player had a choice."""
        choices = [Choice(number, move.before, move.action) for number, move in enumerate(self.session.moves, 1)]
        return [choice for choice in choices if len(choice.position.legal_actions()) > 1]


def _key(agent: str, choice: Choice) -> tuple[str, int, int, bytes]:
    return agent, choice.number, choice.action, choice.position.states.tobytes()


class Studies:
    """The games that are looked at: that on the table, and those of files that were opened.

    Args:
        current: returns the game on the table.
        number: returns its number, which moves with every new game.
    """

    def __init__(self, current: Callable[[], Session], number: Callable[[], int]) -> None:
        self._current, self._number = current, number
        self._on_the_table: tuple[int, Study] | None = None
        self._opened: OrderedDict[str, Study] = OrderedDict()

    def open(self, text: str) -> str:
        """Open a game file, and return the id of its study. The game on the table stays as it is.

        Raises:
            ValueError: it is no game of ours; the message names the line.
        """
        game = RecordedGame(read_record(text))
        study = Study(lambda: game)
        self._opened[study.key] = study
        while len(self._opened) > MOST_STUDIES:
            self._opened.popitem(last=False)[1].stop()
        return study.key

    def find(self, name: str) -> Study | None:
        """Return the study with an id; None if there is none, or none any more."""
        if name != ON_THE_TABLE:
            return self._opened.get(name)
        number = self._number()
        if self._on_the_table is None or self._on_the_table[0] != number:
            if self._on_the_table is not None:
                self._on_the_table[1].stop()
            self._on_the_table = number, Study(self._current)
        return self._on_the_table[1]
