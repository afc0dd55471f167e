"""One game between people and agents: moves, undo, whose turn it is. Nothing of the web or the terminal is in here.

All repeats by the seed. A move that was taken back and is played again meets the same draws and the same answers, and agents alone play
the game that a match of the same seed has them play.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from azul_duel_env.agents.table import is_agent
from azul_duel_env.arena.game_file import Ply, Record
from azul_duel_env.arena.game_log import events_after, moments_after, setup_events
from azul_duel_env.game import NOBODY, Event, Moment, Position
from azul_duel_env.jit.rng import keys_from_seed
from azul_duel_env.play.agents import Asking, Thought, agent_of, warm_up
from azul_duel_env.play.hints import Hint, hint_thought
from azul_duel_env.play.new_game import HUMAN, SessionError, Setup
from azul_duel_env.play.seat_names import names_of_seats


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
    draws: tuple[Ply, ...]

    def plies(self) -> tuple[Ply, ...]:
        """Return the action and the draws after it, as a record holds them."""
        name = self.before.game.text.action_name(self.action)
        return (Ply(self.player, self.action, name), *self.draws)

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """What happened, one thing after the other, up to the next decision; the first is the action itself."""
        return tuple(moments_after(self.before, self.plies()))

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened besides the action, up to the next decision, in order."""
        return tuple(event for moment in self.moments for event in moment.events)


class Session:
    """A game under way.

    Args:
        setup: how it starts.

    Attributes:
        setup: how it started.
        game: what is played.
        position: where it is, always at a decision or at the end. It must not be changed from outside.
        opening: what was drawn before the first decision.
        moves: the decisions so far.

    Raises:
        ValueError: an unknown agent, a wrong option or seed, or not one seat a player.
        OSError: a saved model can't be read.
    """

    def __init__(self, setup: Setup) -> None:
        game = setup.game
        if len(setup.seats) != game.num_players:
            raise SessionError(f"{game.title} takes {game.num_players} seats, not {len(setup.seats)}")
        self.setup, self.game = setup, game
        self._agents = {spec: agent_of(game, spec) for spec in setup.seats if spec != HUMAN}
        self._one_at_a_time = threading.Lock()
        self._keys = keys_from_seed(0 if setup.seed is None else setup.seed, 1 + game.max_decisions)[1:]
        self.position = Record(game, setup.options, setup.seed, ()).start()
        self.opening: tuple[Ply, ...] = _drawn(self.position)
        self._opening_events: list[Event] | None = None
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

    @cached_property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, who in enumerate(self.setup.seats) if who == HUMAN)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each seat is called on the table."""
        return names_of_seats(self.setup.seats)

    # Moves --------------------------------------------------------------------------------
    def play(self, action: int) -> Move:
        """Carry out a decision and return it. If it was taken back before, the same is drawn after it.

        Raises:
            ValueError: the action is not legal; nothing has changed.
        """
        before, after = self.position, self.position.copy()
        after.step(action)
        self.position = after
        if self._undone and self._undone[-1].action == action:
            return self._play_again()
        self._undone.clear()
        move = Move(before, before.player, int(action), _drawn(self.position))
        self.moves.append(move)
        return move

    def _play_again(self) -> Move:
        """Go on as before, after the action of the move that was last taken back."""
        move = self._undone.pop()
        for ply in move.draws:
            _let_happen(self.position, ply)
        self.moves.append(move)
        return move

    def undo(self) -> int:
        """Take back the last decision of a person and all that came after it; of agents alone, the last decision.

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
        ask = self.asking(str(self.turn), self.position, self._keys[self.position.decisions])
        return Thought(ask, getattr(ask.agent, "policy", None))

    def asking(self, spec: str, position: Position, key: np.uint64) -> Asking:
        """Return what asks an agent, of this game or not, about a copy of a position.

        Raises:
            ValueError: the spec names no agent.
            OSError: a saved model can't be read.
        """
        is_loaded = spec in self._agents and not is_agent(self.game, spec)
        agent = self._agents[spec] if is_loaded else agent_of(self.game, spec)
        return Asking(agent, spec, position.copy(), key, self._one_at_a_time)

    def hint_thought(self, spec: str | None = None) -> Thought[Hint]:
        """Return what finds a hint for the player who decides; see ``hints.hint_thought``.

        Raises:
            ValueError: the spec names no search, or nobody decides.
        """
        if self.over:
            raise SessionError("there is nothing to hint at: the game is over")
        return hint_thought(self.position.copy(), self._keys[self.position.decisions], spec)

    def hint(self, spec: str | None = None) -> Hint:
        """Return what a search would play for the player who decides.

        Raises:
            ValueError: the spec names no search, or nobody decides.
        """
        return self.hint_thought(spec)()

    def warm_up(self) -> None:
        """Let the agents of the table be compiled before their turn comes."""
        for agent in self._agents.values():
            warm_up(self.game, agent)

    # Records ------------------------------------------------------------------------------
    def record(self) -> Record:
        """Return the game so far."""
        plies = [*self.opening, *(ply for move in self.moves for ply in move.plies())]
        return Record(self.game, self.setup.options, self.setup.seed, tuple(plies), self.setup.seats)

    def opening_events(self) -> list[Event]:
        """Return what happened before the first decision, in order."""
        if self._opening_events is None:
            start = Record(self.game, self.setup.options, self.setup.seed, ())
            self._opening_events = [*setup_events(start), *events_after(start.start(), self.opening)]
        return self._opening_events

    def events(self) -> list[Event]:
        """Return all that happened so far besides the actions, in order."""
        return [*self.opening_events(), *(event for move in self.moves for event in move.events)]

    def follow(self, record: Record) -> None:
        """Become the game of a record of the same setup."""
        self.position = record.start()
        happened: list[Ply] = []
        for ply in record.plies:
            if ply.player == NOBODY:
                _let_happen(self.position, ply)
                happened.append(ply)
            else:
                self._note_draws(happened)
                before = self.position.copy()
                self.position.step(ply.number)
                self.moves.append(Move(before, before.player, ply.number, ()))
                happened = []
        self._note_draws([*happened, *_drawn(self.position)])

    def _note_draws(self, happened: Sequence[Ply]) -> None:
        """Note what was drawn after the last move, or before the first."""
        if self.moves:
            self.moves[-1] = replace(self.moves[-1], draws=tuple(happened))
        else:
            self.opening = tuple(happened)
            self._opening_events = None


def _drawn(position: Position) -> tuple[Ply, ...]:
    """Draw all that is due, and return it."""
    plies = []
    while position.chance_is_due:
        chance = position.chance
        outcome = position.draw_chance()
        plies.append(Ply(NOBODY, outcome, position.game.text.outcome_name(chance, outcome)))
    return tuple(plies)


def _let_happen(position: Position, ply: Ply) -> None:
    """Let a known draw happen. The generator moves as if it had drawn it, so that a game from a seed goes on as it would have."""
    drawing = position.copy()
    drawing.draw_chance()
    position.apply_chance(ply.number)
    position.states["rng"] = drawing.states["rng"]
