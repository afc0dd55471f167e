"""One game between people and agents: moves, undo, hints, files, final account. Nothing of the web or the terminal is in here.

All repeats by the seed. A move that was taken back and is played again meets the same draws and the same answers, and two agents play
the game that a match of the same seed has them play.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from azul_duel_env.agents import Agent, AgentError, make_agent
from azul_duel_env.agents.search import Search, SearchCalledOffError
from azul_duel_env.agents.table import is_agent
from azul_duel_env.arena.external_agents import Player, find_agent
from azul_duel_env.arena.game_file import Event, Record, read_record
from azul_duel_env.game import NOBODY, Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.words import YOU
from azul_duel_env.jit.rng import keys_from_seed

Found = TypeVar("Found")

HUMAN = "human"
"""The seat of a person; all other seats hold the spec of an agent."""

HINT = "mcts:400"
ALTERNATIVES = 3  # actions that a hint tells of, its own included


class SessionError(ValueError):
    """Something that can't be done now; the message says why, and nothing has changed."""


@dataclass(frozen=True)
class Setup:
    """How a game starts.

    Attributes:
        seats: ``"human"`` or the spec of an agent, for each seat.
        seed: decides all that is drawn, and what agents choose at random; None for a game whose draws came from elsewhere.
        options: the configuration, without ``explicit_chance``.
    """

    seats: tuple[str, ...]
    seed: int | None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Move:
    """A decision that was made.

    Attributes:
        before: the position in which it was made.
        player: who made it.
        action: what was chosen.
        draws: what was drawn after it, before the next decision.
    """

    before: Position
    player: int
    action: int
    draws: tuple[Event, ...]

    def events(self) -> tuple[Event, ...]:
        """Return the action and the draws after it, as a record holds them."""
        return (Event(self.player, self.action, GAME.text.action_name(self.action)), *self.draws)


@dataclass(frozen=True)
class Hint:
    """What a search would play.

    Attributes:
        agent: spec of the search.
        action: what it would play.
        value: what that is worth for the player who decides: 1 is a sure win, -1 a sure loss.
        margin: points by which the player would be ahead where simulations end: at the end of the round.
        shares: the most visited actions, at most three, the best first, with their share of the simulations.
    """

    agent: str
    action: int
    value: float
    margin: float
    shares: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Account:
    """A player's points by source.

    Attributes:
        start: points at the start.
        sources: points by source; see ``duel.score_breakdown.SOURCES``. With ``start`` they sum to the score.
        scoring_tiles: what each scoring tile in play gives as the board is now, by name.
        score: the player's points.
    """

    start: int
    sources: dict[str, int]
    scoring_tiles: dict[str, int]
    score: int


def fresh_seed() -> int:
    """Return a seed that nobody has chosen, short enough to be written down."""
    return secrets.randbelow(10**6)


class Thought(Generic[Found]):
    """Something to be found out about a position, on a copy: it may be called in another thread, and called off from here."""

    def __init__(self, find: Callable[[], Found], policy: Any = None) -> None:
        self._find = find
        self._search = policy if isinstance(policy, Search) else None

    def __call__(self) -> Found:
        """Find it out.

        Raises:
            SearchCalledOffError: it was called off.
        """
        return self._find()

    def call_off(self) -> None:
        """Let it end soon, if it is a search; nobody wants to know any more."""
        if self._search is not None:
            self._search.call_off()


@dataclass(frozen=True)
class _Asking:
    """Asks an agent for its action."""

    agent: Player
    spec: str
    position: Position
    key: np.uint64
    one_at_a_time: threading.Lock  # agents from outside may not bear two threads

    def __call__(self) -> int:
        try:
            with nullcontext() if is_agent(GAME, self.spec) else self.one_at_a_time:
                action = self.agent.act(self.position, self.key)
        except SearchCalledOffError:
            raise
        except (Exception, SystemExit) as error:
            raise SessionError(f"agent {self.spec!r} failed: {type(error).__name__}: {error}") from error
        if action not in self.position.legal_actions():
            raise SessionError(f"agent {self.spec!r} failed: {self.position.why_illegal(action)}")
        return int(action)


class Session:
    """A game under way.

    Args:
        setup: how it starts.

    Attributes:
        setup: how it started.
        position: where it is, always at a decision or at the end. It must not be changed from outside.
        opening: what was drawn before the first decision.
        moves: the decisions so far.

    Raises:
        ValueError: an unknown agent, a wrong option or seed, or not one seat a player.
        OSError: a saved model can't be read.
    """

    def __init__(self, setup: Setup) -> None:
        if len(setup.seats) != GAME.num_players:
            raise SessionError(f"{GAME.title} takes {GAME.num_players} seats, not {len(setup.seats)}")
        self.setup = setup
        self._agents = {spec: agent_of(spec) for spec in setup.seats if spec != HUMAN}
        self._one_at_a_time = threading.Lock()
        self._keys = keys_from_seed(0 if setup.seed is None else setup.seed, 1 + GAME.max_decisions)[1:]
        self.position = Record(GAME, setup.options, setup.seed, ()).start()
        self.opening: tuple[Event, ...] = _drawn(self.position)
        self.moves: list[Move] = []
        self._undone: list[Move] = []  # the next one last

    # Whose turn ---------------------------------------------------------------------------
    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.position.over

    @property
    def turn(self) -> str | None:
        """Who sits where the decision is: ``"human"``, the spec of an agent, or None at the end."""
        return None if self.over else self.setup.seats[self.position.player]

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, who in enumerate(self.setup.seats) if who == HUMAN)

    @property
    def names(self) -> tuple[str, ...]:
        """What each seat is called on the table."""
        alone = len(self.people) == 1
        return tuple(
            who if who != HUMAN else YOU if alone else f"Player {seat + 1}" for seat, who in enumerate(self.setup.seats)
        )

    # Moves --------------------------------------------------------------------------------
    def play(self, action: int) -> Move:
        """Carry out a decision and return it. If it was taken back before, the same is drawn after it.

        Raises:
            ValueError: the action is not legal; nothing has changed.
        """
        before = self.position.copy()
        self.position.step(action)
        if self._undone and self._undone[-1].action == action:
            return self._play_again()
        self._undone.clear()
        move = Move(before, before.player, int(action), _drawn(self.position))
        self.moves.append(move)
        return move

    def _play_again(self) -> Move:
        """Go on as before, after the action of the move that was last taken back."""
        move = self._undone.pop()
        for event in move.draws:
            _let_happen(self.position, event)
        self.moves.append(move)
        return move

    def undo(self) -> int:
        """Take back the last decision of a person and all that came after it; of two agents, the last decision.

        Returns:
            how many decisions were taken back.

        Raises:
            SessionError: there is none.
        """
        if not self.can_undo:
            raise SessionError("there is no decision to take back")
        count = 0
        while True:
            move = self.moves.pop()
            self._undone.append(move)
            count += 1
            if move.player in self.people or not self.people:
                self.position = move.before.copy()
                return count

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision to take back."""
        return any(move.player in self.people or not self.people for move in self.moves)

    def redo(self) -> int:
        """Play again what ``undo`` took back last.

        Returns:
            how many decisions were played.

        Raises:
            SessionError: nothing was taken back since the last decision.
        """
        if not self._undone:
            raise SessionError("nothing was taken back since the last decision")
        count = 0
        while self._undone and (count == 0 or self._waits_for_agent_against_people()):
            self.play(self._undone[-1].action)
            count += 1
        return count

    def _waits_for_agent_against_people(self) -> bool:
        return bool(self.people) and self.position.player not in self.people

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back and can be played again."""
        return bool(self._undone)

    # Agents -------------------------------------------------------------------------------
    def thought(self) -> Thought[int]:
        """Return what finds the action of the agent who decides.

        Raises:
            SessionError: no agent decides.
        """
        if self.turn in (None, HUMAN):
            raise SessionError("no agent decides here: " + ("the game is over" if self.over else "a person does"))
        spec, position = str(self.turn), self.position.copy()
        agent = agent_of(spec) if is_agent(GAME, spec) else self._agents[spec]
        ask = _Asking(agent, spec, position, self._keys[position.decisions], self._one_at_a_time)
        return Thought(ask, getattr(agent, "policy", None))

    def hint_thought(self, spec: str = HINT) -> Thought[Hint]:
        """Return what finds a hint for the player who decides.

        Raises:
            ValueError: the spec names no search, or nobody decides.
        """
        if self.over:
            raise SessionError("there is nothing to hint at: the game is over")
        policy = make_agent(GAME, spec).policy
        if not isinstance(policy, Search):
            raise AgentError(f"a hint takes a search, such as {HINT}, not {spec!r}")
        position, key = self.position.copy(), self._keys[self.position.decisions]
        return Thought(lambda: _hint_of(policy, spec, position, key), policy)

    def hint(self, spec: str = HINT) -> Hint:
        """Return what a search would play for the player who decides.

        Raises:
            ValueError: the spec names no search, or nobody decides.
        """
        return self.hint_thought(spec)()

    def warm_up(self) -> None:
        """Let the agents of the table decide once, away from the game, so that they are compiled when their turn comes.

        A search is compiled as well by a single simulation.
        """
        for agent in self._agents.values():
            if isinstance(agent, Agent):
                policy = agent.policy
                brief = (
                    Search(GAME, 1, leaf=policy.leaf, network=policy.network) if isinstance(policy, Search) else policy
                )
                brief(GAME.new(0).states, 0, np.uint64(0))

    # Files --------------------------------------------------------------------------------
    def record(self) -> Record:
        """Return the game so far."""
        events = [*self.opening, *(event for move in self.moves for event in move.events())]
        return Record(GAME, self.setup.options, self.setup.seed, tuple(events), self.setup.seats)

    def follow(self, record: Record) -> None:
        """Become the game of a record of the same setup."""
        self.position = record.start()
        happened: list[Event] = []
        for event in record.events:
            if event.player == NOBODY:
                _let_happen(self.position, event)
                happened.append(event)
            else:
                self._note_draws(happened)
                before = self.position.copy()
                self.position.step(event.number)
                self.moves.append(Move(before, before.player, event.number, ()))
                happened = []
        self._note_draws([*happened, *_drawn(self.position)])

    def _note_draws(self, happened: Sequence[Event]) -> None:
        """Note what was drawn after the last move, or before the first."""
        if self.moves:
            self.moves[-1] = replace(self.moves[-1], draws=tuple(happened))
        else:
            self.opening = tuple(happened)

    def account(self, player: int) -> Account:
        """Return where a player's points come from, so far."""
        book = np.zeros((GAME.num_players, len(GAME.breakdown.sources)), np.int64)
        for move in self.moves:
            states = move.before.copy().states
            states["explicit_chance"] = 0
            GAME.breakdown.carry_out(states, 0, move.action, book)
        points = np.zeros(len(GAME.breakdown.bonuses), np.int64)
        GAME.breakdown.bonus_points(self.position.states, 0, player, points)
        in_play = GAME.breakdown.bonuses_in_play(self.position.states, 0)
        return Account(
            start=GAME.breakdown.start,
            sources=dict(zip(GAME.breakdown.sources, book[player].tolist(), strict=True)),
            scoring_tiles={
                name: int(given)
                for name, given, active in zip(GAME.breakdown.bonuses, points, in_play, strict=True)
                if active
            },
            score=self.position.scores[player],
        )


def _drawn(position: Position) -> tuple[Event, ...]:
    """Draw all that is due, and return it."""
    events = []
    while position.chance_is_due:
        chance = position.chance
        outcome = position.draw_chance()
        events.append(Event(NOBODY, outcome, GAME.text.outcome_name(chance, outcome)))
    return tuple(events)


def _let_happen(position: Position, event: Event) -> None:
    """Let a known draw happen. The generator moves as if it had drawn it, so that a game from a seed goes on as it would have."""
    drawing = position.copy()
    drawing.draw_chance()
    position.apply_chance(event.number)
    position.states["rng"] = drawing.states["rng"]


def _hint_of(policy: Search, spec: str, position: Position, key: np.uint64) -> Hint:
    found = policy.run(position.states, 0, key)
    by_visits = np.argsort(-found.visits, kind="stable")
    others = [place for place in by_visits if found.actions[place] != found.best][: ALTERNATIVES - 1]
    best = int(np.searchsorted(found.actions, found.best))
    total = max(1, int(found.visits.sum()))
    shares = tuple((int(found.actions[place]), float(found.visits[place] / total)) for place in (best, *others))
    value = float(found.values[best])
    return Hint(spec, int(found.best), 0.0 if np.isnan(value) else value, found.margin, shares)


# Agents and files -----------------------------------------------------------------------------
def check_agent(spec: str) -> None:
    """Check the spec of an agent, without compiling anything for agents of the table.

    Raises:
        ValueError: it names no agent; the message shows the nearest name.
        OSError: a saved model can't be read.
    """
    agent_of(spec)


def agent_of(spec: str) -> Player:
    """Return the agent that a spec names; an agent of the table with memory of its own.

    Raises:
        ValueError: it names no agent, or its code fails while it is loaded.
        OSError: a saved model can't be read.
    """
    try:
        return make_agent(GAME, spec) if is_agent(GAME, spec) else find_agent(GAME, spec)
    except (ValueError, OSError):
        raise
    except (Exception, SystemExit) as error:
        raise SessionError(f"agent {spec!r} can't be loaded: {type(error).__name__}: {error}") from error


SEARCHES = ("mcts", "network+mcts")
"""Agents that a budget follows."""


def is_plain(spec: str) -> bool:
    """Return whether a spec names a person or an agent of the table that comes with the package, and no file or module."""
    family, colon, budget = spec.partition(":")
    if spec == HUMAN or (not colon and is_agent(GAME, spec)):
        return True
    return family in SEARCHES and re.fullmatch("[0-9]{1,18}(ms)?", budget) is not None


def read_session(text: str, trust: Callable[[str], bool] = is_plain, seats: Sequence[str] | None = None) -> Session:
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
    named = record.players if len(record.players) == GAME.num_players else (HUMAN,) * GAME.num_players
    trusted = tuple(name if trust(name) else HUMAN for name in named)
    session = Session(Setup(tuple(seats or trusted), record.seed, dict(record.options)))
    session.follow(record)
    return session


SEATS = ("random", "first", "second", "player_0", "player_1")
"""What a person can ask for: any seat; to begin, or not; or one of the seats, whoever begins."""


def setup_for(opponent: str, seat: str, seed: int | None, options: dict[str, Any]) -> Setup:
    """Return the setup of a game of a person against an agent or another person.

    Args:
        opponent: the spec of an agent, or ``"human"``.
        seat: one of ``SEATS``, of the person.
        seed: None for a fresh one.
        options: the configuration, without ``first_player`` and ``explicit_chance``.

    Raises:
        SessionError: no such seat.
    """
    if seat not in SEATS:
        raise SessionError(f"seat must be one of {', '.join(SEATS)}, not {seat!r}")
    seed = fresh_seed() if seed is None else seed
    own = int(keys_from_seed(seed, 1)[0] >> np.uint64(63)) if seat == "random" else int(seat in ("second", "player_1"))
    begins = {"first_player": 0} if seat in ("first", "second") else {}
    return Setup((HUMAN, opponent) if own == 0 else (opponent, HUMAN), seed, {**options, **begins})
