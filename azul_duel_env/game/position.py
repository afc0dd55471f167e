"""One state of a game, with friendly methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.arrays import NOBODY, States, as_index, copy_of
from azul_duel_env.jit.rng import keys_from_seed

if TYPE_CHECKING:
    from azul_duel_env.game.contract import Game
    from azul_duel_env.game.event import Event


class Position:
    """One state of a game, with friendly methods. It owns its state; ``copy`` makes another.

    Made from an array, it takes on trust that the state is sound, since most are made in search and steps: bytes of unknown origin are
    for ``Game.rules.unsound_rows`` first, or for ``reset`` and ``set_state`` of the environments, which check.

    Attributes:
        game: the game.
        states: array of one state record.
    """

    __slots__ = ("game", "states")

    def __init__(self, game: Game, states: States) -> None:
        self.game = game
        self.states = states.view(game.state)  # what NumPy has loaded from a file has forgotten that it holds records

    def __reduce__(self) -> tuple[type[Position], tuple[Game, States]]:
        return Position, (self.game, self.states)

    def __copy__(self) -> Position:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self.copy()

    def __repr__(self) -> str:
        return f"<{self.game.id} position, decision {self.decisions}: {self.game.text.decision_name(self.states, 0)}>"

    def __str__(self) -> str:
        return self.game.text.board(self.states, 0)

    def _repr_svg_(self) -> str:
        """Return the table as a picture from seat 0, as notebooks show it."""
        return self.game.display.picture(self.states[0], theme="auto").svg()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.states.tobytes() == other.states.tobytes()

    __hash__ = None  # type: ignore[assignment]

    @property
    def player(self) -> int:
        """Who decides, or NOBODY (-1) when chance must draw or the game is over."""
        return int(self.states["player"][0])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.player == NOBODY and not self.chance_is_due

    @property
    def chance_is_due(self) -> bool:
        """Whether something must be drawn; only with explicit chance."""
        return self.chance != 0

    @property
    def chance(self) -> int:
        """The kind of chance that must draw, as ``Game.text.outcome_name`` takes it; 0 when none must."""
        return int(self.states["chance"][0])

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each player."""
        return tuple(self.states["scores"][0].tolist())

    @property
    def round_number(self) -> int:
        """Number of the round under way, from 1; 0 before the first."""
        return int(self.game.rules.round_number(self.states, 0))

    @property
    def winner(self) -> int:
        """The only winner of a finished game, or NOBODY (-1) for a draw.

        Raises:
            ValueError: the game is not over.
        """
        self._check_over()
        return self.game.winner(self.states, 0)

    @property
    def winners(self) -> frozenset[int]:
        """Who won a finished game: all who share the first place.

        Raises:
            ValueError: the game is not over.
        """
        self._check_over()
        return self.game.winners(self.states, 0)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The place of each player of a finished game, from 1; equal players share one.

        Raises:
            ValueError: the game is not over.
        """
        self._check_over()
        return self.game.ranks(self.states, 0)

    @property
    def returns(self) -> tuple[float, ...]:
        """What a finished game is worth for each player, in [-1, 1]; see ``Game.returns``.

        Raises:
            ValueError: the game is not over.
        """
        self._check_over()
        return self.game.returns(self.states, 0)

    def _check_over(self) -> None:
        if not self.over:
            raise ValueError("the game is not over: it has no winner yet")

    @property
    def decisions(self) -> int:
        """Decisions made so far."""
        return int(self.states["decisions"][0])

    def legal_actions(self) -> NDArray[np.int16]:
        """Return the legal actions, ascending (int16); none when no player decides."""
        legal = np.empty(self.game.max_legal, np.int16)
        return legal[: self.game.rules.legal_actions(self.states, 0, legal)]

    def action_mask(self) -> NDArray[np.int8]:
        """Return a fresh mask (int8, num_actions): 1 for each legal action."""
        mask = np.empty(self.game.num_actions, np.int8)
        self.game.rules.legal_mask(self.states, 0, mask)
        return mask

    def abstract_actions(self, abstraction: Any) -> NDArray[np.int64]:
        """Return the legal asked actions under an abstraction, ascending (int64); none when no player decides."""
        mask = np.empty(abstraction.num_actions, np.int8)
        self.game.abstraction.mask(self.states, 0, abstraction.record, mask)
        return np.flatnonzero(mask)

    def observe(self, player: int) -> NDArray[np.float32]:
        """Return a fresh observation (float32, observation_size) from one seat.

        Raises:
            ValueError: no such player.
        """
        self._check_player(player)
        observation = np.empty(self.game.observation_size, np.float32)
        self.game.rules.observe(self.states, 0, player, observation)
        return observation

    def view(self, player: int) -> str:
        """Return what a player sees, for people: the table and what only they know. Nothing in it is hidden from them.

        Raises:
            ValueError: no such player.
        """
        return f"{self}{self.private_view(player)}"

    def private_view(self, player: int) -> str:
        """Return what only a player knows, for people, a line each; "" if that is nothing.

        Raises:
            ValueError: no such player.
        """
        self._check_player(player)
        private = self.game.text.private
        return "" if private is None else private(self.states, 0, int(player))

    def _check_player(self, player: int) -> None:
        if not 0 <= player < self.game.num_players:
            raise ValueError(f"player must be 0 to {self.game.num_players - 1}, not {player}")

    def step(self, action: int) -> None:
        """Carry out one decision.

        Raises:
            ValueError: the action is not legal; the message names what is, and nothing has changed.
        """
        if not self.game.rules.try_action(self.states, 0, as_index(action)):
            raise ValueError(self.why_illegal(action))

    def why_illegal(self, action: Any, abstraction: Any = None) -> str:
        """Return a message for an action that is not legal: what is due and what would be legal.

        Args:
            action: what was tried.
            abstraction: the abstraction that asks; None if the action is one of the game itself.
        """
        if self.chance_is_due:
            return f"action {action} can't be taken: chance must draw first ({self.game.text.decision_name(self.states, 0)})"
        if self.over:
            return f"action {action} can't be taken: the game is over"
        index, asked = as_index(action), abstraction or self.game.abstraction.make()
        name = f" ({asked.action_name(index)})" if 0 <= index < asked.num_actions else ""
        legal = self.abstract_actions(asked).tolist()
        shown = "; ".join(f"{a} {asked.action_name(a)}" for a in legal[:12])
        more = f"; and {len(legal) - 12} more" if len(legal) > 12 else ""
        return (
            f"action {action}{name} is not legal for player {self.player}, who decides: "
            f"{self.game.text.decision_name(self.states, 0)}. Legal ({len(legal)}): {shown}{more}"
        )

    def events(self, action: int) -> list[Event]:
        """Return what would happen besides the action, up to the next decision or draw, in order; the position stays as it is.

        What comes by chance comes as ``step`` would draw it.

        Raises:
            ValueError: the action is not legal; the message names what is.
        """
        if as_index(action) not in self.legal_actions():
            raise ValueError(self.why_illegal(action))
        return self.game.events.events_of(self.states, 0, as_index(action))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the draw that is due, ascending, with their probabilities; none when no draw is due."""
        if not self.chance_is_due:
            return []
        weights = np.empty(self.game.max_outcomes, np.int64)
        weights = weights[: self.game.rules.outcome_weights(self.states, 0, weights)]
        return [(int(outcome), float(weights[outcome] / weights.sum())) for outcome in np.flatnonzero(weights)]

    def apply_chance(self, outcome: int) -> None:
        """Let an outcome of the draw that is due happen.

        Raises:
            ValueError: no draw is due, or this outcome is not possible; nothing has changed.
        """
        if not self.chance_is_due or not self.game.rules.try_outcome(self.states, 0, as_index(outcome)):
            raise ValueError(self._why_impossible(outcome))

    def outcome_events(self, outcome: int) -> list[Event]:
        """Return where an outcome of the draw that is due would land and what would happen then, as ``events`` does.

        Raises:
            ValueError: no draw is due, or this outcome is not possible.
        """
        if as_index(outcome) not in [possible for possible, _ in self.chance_outcomes()]:
            raise ValueError(self._why_impossible(outcome))
        return self.game.events.events_of_outcome(self.states, 0, as_index(outcome))

    def _why_impossible(self, outcome: Any) -> str:
        """Return a message for an outcome that can't happen."""
        if not self.chance_is_due:
            return "no draw is due: explicit chance is off, or a player decides"
        possible = ", ".join(f"{o} {name}" for o, name in self.named_outcomes())
        return f"outcome {outcome} is not possible; possible: {possible}"

    def draw_chance(self) -> int:
        """Draw an outcome with the state's own generator, let it happen, and return it.

        Raises:
            ValueError: no draw is due.
        """
        if not self.chance_is_due:
            raise ValueError("no draw is due: explicit chance is off, or a player decides")
        outcome = int(self.game.rules.draw_chance(self.states, 0))
        self.apply_chance(outcome)
        return outcome

    def copy(self) -> Position:
        """Return an independent copy, its generator included, so that it goes on the same way."""
        return Position(self.game, copy_of(self.states))

    def reseeded(self, seed: int) -> Position:
        """Return a copy with another generator: all that is still to be drawn comes differently."""
        other = self.copy()
        other.states["rng"] = keys_from_seed(seed)
        return other

    def resampled(self, player: int, seed: int) -> Position:
        """Return a copy in which all that a player can't know is drawn anew, with the right odds, and another generator.

        Search agents use it: what they see of the future is then what the player could have imagined.

        Raises:
            ValueError: no such player, or a negative seed.
        """
        self._check_player(player)

        other = self.copy()
        self.game.rules.resample(other.states, 0, player, keys_from_seed(seed)[0])
        return other

    def check(self) -> list[str]:
        """Return the invariants that the state breaks, by name; none for a sound state."""
        return self.game.rules.check(self.states, 0)

    def to_text(self) -> str:
        """Return the whole state as text, exactly; ``Game.read_position`` reads it."""
        return self.game.text.write(self.states, 0)

    def named_actions(self) -> Iterator[tuple[int, str]]:
        """Yield each legal action with its name."""
        for action in self.legal_actions().tolist():
            yield action, self.game.text.action_name(action)

    def named_outcomes(self) -> Iterator[tuple[int, str]]:
        """Yield each outcome of the draw that is due with its name."""
        for outcome, _ in self.chance_outcomes():
            yield outcome, self.game.text.outcome_name(self.chance, outcome)
