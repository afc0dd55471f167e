"""The contract between a game and all that is shared: environments, matches, records, the command.

A ``Game`` says how to make, ask and change states in arrays; a ``Position`` is one state with friendly methods. Neither assumes
a number of players, an action table or an observation of any particular game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.picture import Picture

States = np.ndarray
"""An array of a game's state records. Shared code reads only the fields ``rng``, ``player``, ``chance``, ``scores``, ``decisions``."""

NOBODY = -1


@dataclass(frozen=True)
class Game:
    """A game: facts, and functions on an array of states and an index.

    Attributes:
        home: where this object is found, ``module:name``; pickles and copies refer to it.
        id: environment id, such as ``azul/duel-v0``; its version moves when dynamics, spaces or rewards change.
        title: name for people.
        num_players: number of seats.
        num_actions: size of the action table.
        observation_size: length of the observation vector.
        max_legal: room for the legal actions of any state.
        max_outcomes: room for the outcomes of any draw.
        max_decisions: bound on the decisions of a game; reaching it is a bug.
        max_points: bound on the points of a player; no score is above it.
        state: dtype of one state record.
        granularity: dataclass of the sub-decisions that are asked, with ``num_actions``, ``observation_size``, ``layer``,
            ``blocks``, ``action_name``, ``views`` and ``planes``.
        options: dataclass of the configuration; must have a field ``explicit_chance``.
        boxed_states: ``(seeds, options) -> states``, one a seed, before anything was drawn.
        begin: ``(states, i)``: go on to the first decision or draw.
        legal_actions: ``(states, i, int16[max_legal]) -> count``, ascending.
        legal_mask: ``(states, i, int8[num_actions])``.
        try_action: ``(states, i, action) -> bool``: carried out, or illegal and nothing changed.
        outcome_weights: ``(states, i, int64[max_outcomes]) -> count``: integer odds of the draw that is due.
        try_outcome: ``(states, i, outcome) -> bool``.
        draw_chance: ``(states, i) -> outcome`` by the state's own generator.
        drawn_in_vain: ``(states, i, outcome) -> count``: how many draws before this outcome, which the odds leave out, would have gone
            back together with it; 0 if it is just not possible.
        observe: ``(states, i, player, float32[observation_size])``.
        observe_rows: the same for all states: ``(states, int64[N], float32[N, observation_size])``; see ``observations``.
        resample: ``(states, i, player, uint64)``: draw anew what the player can't know.
        resample_rows: the same for all states: ``(states, int64[N], uint64[N])``; see ``resampled``.
        first_player: ``(states, i) -> player`` who begins the round, or NOBODY before the first one was drawn.
        winner: ``(states, i) -> player or NOBODY`` of a finished game.
        check: ``(states, i) -> names of broken invariants``.
        unsound_rows: ``(states) -> int64`` of the rows that break one; an array of anything else is a ValueError.
        asked_mask, observe_asked, try_asked, go_on_by_policy: as ``legal_mask``, ``observe`` and ``try_action``, under a
            granularity: ``(states, i, layer, ...)``; the last one carries out all that policies resolve before the next decision.
        next_by_policy: ``(states, i, layer) -> action`` of the game that a policy takes now, or -1 if the player is asked.
        unasked_rows: ``(states, layer) -> int64`` of the rows in the midst of a decision that a granularity asks as a whole.
        meaning: ``(states, i, layer, asked) -> action`` of the game, or -1 if ``states[i]`` now remembers a part of it.
        views: named views of an observation.
        action_name, parse_action: actions as text, both ways.
        outcome_name, parse_outcome: ``(chance, outcome) -> text`` and back.
        write, read: ``(states, i) -> text`` and ``text -> states``, both exact.
        board: ``(states, i) -> text``: what everybody sees, for people.
        decision_name: ``(states, i) -> text``: what is being decided.
        picture: ``(state, *, layout, theme, seat, names, last_action, before, legal, probabilities, note) -> Picture`` of one record.
        describe: ``(action, state, names, seat) -> text``: an action as a sentence, for people.
        question: ``(state) -> text``: what is being decided, for people.
        playouts: ``(states, start, count) -> decisions``: random games in ``states[0]``, each from ``start[0]``.
        count_leaves: ``(states, depth) -> int``: sequences of decisions from ``states[0]`` (perft).
    """

    home: str
    id: str
    title: str
    num_players: int
    num_actions: int
    observation_size: int
    max_legal: int
    max_outcomes: int
    max_decisions: int
    max_points: int
    state: np.dtype
    granularity: type[Any]
    options: type[Any]
    boxed_states: Callable[[Sequence[int | None], Any], States]
    begin: Callable[[States, int], None]
    legal_actions: Callable[[States, int, NDArray[np.int16]], int]
    legal_mask: Callable[[States, int, NDArray[np.int8]], None]
    try_action: Callable[[States, int, int], bool]
    outcome_weights: Callable[[States, int, NDArray[np.int64]], int]
    try_outcome: Callable[[States, int, int], bool]
    draw_chance: Callable[[States, int], int]
    drawn_in_vain: Callable[[States, int, int], int]
    observe: Callable[[States, int, int, NDArray[np.float32]], None]
    observe_rows: Callable[[States, NDArray[np.int64], NDArray[np.float32]], None]
    resample: Callable[[States, int, int, np.uint64], None]
    resample_rows: Callable[[States, NDArray[np.int64], NDArray[np.uint64]], None]
    first_player: Callable[[States, int], int]
    winner: Callable[[States, int], int]
    check: Callable[[States, int], list[str]]
    unsound_rows: Callable[[States], NDArray[np.int64]]
    asked_mask: Callable[[States, int, States, NDArray[np.int8]], None]
    observe_asked: Callable[[States, int, States, int, NDArray[np.float32]], None]
    try_asked: Callable[[States, int, States, int], bool]
    go_on_by_policy: Callable[[States, int, States], None]
    next_by_policy: Callable[[States, int, States], int]
    unasked_rows: Callable[[States, States], NDArray[np.int64]]
    meaning: Callable[[States, int, States, int], int]
    views: Callable[[NDArray[np.float32]], dict[str, NDArray[np.float32]]]
    action_name: Callable[[int], str]
    parse_action: Callable[[str], int]
    outcome_name: Callable[[int, int], str]
    parse_outcome: Callable[[int, str], int]
    write: Callable[[States, int], str]
    read: Callable[[str], States]
    board: Callable[[States, int], str]
    decision_name: Callable[[States, int], str]
    picture: Callable[..., Picture]
    describe: Callable[..., str]
    question: Callable[[Any], str]
    playouts: Callable[[States, States, int], int]
    count_leaves: Callable[[States, int], int]

    @property
    def package(self) -> str:
        """The package that holds its rules and rulings."""
        return self.home.partition(":")[0]

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        return _find, (self.home,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def make_options(self, **options: Any) -> Any:
        """Return a configuration.

        Raises:
            ValueError: an unknown option, or a value that it can't have.
        """
        known = [field.name for field in fields(self.options)]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise ValueError(f"unknown option {unknown[0]!r}: the options of {self.id} are {', '.join(known)}")
        return self.options(**options)

    def new_states(self, seeds: Sequence[int | None], options: Any = None) -> States:
        """Return one state a seed, at its first decision or, with explicit chance, its first draw.

        Raises:
            ValueError: a negative seed.
        """
        states = self.boxed_states(seeds, self.options() if options is None else options)
        for i in range(len(states)):
            self.begin(states, i)
        return states

    def new(self, seed: int | None = None, **options: Any) -> Position:
        """Return a new game; see ``make_options`` and ``new_states``."""
        return Position(self, self.new_states([seed], self.make_options(**options)))

    def observations(
        self, states: States, players: int | NDArray[np.integer[Any]], *, check: bool = True
    ) -> NDArray[np.float32]:
        """Return fresh observations (float32, (N, observation_size)) of many states at once, as ``Position.observe`` gives one.

        Args:
            states: sound states, shape (N,).
            players: whose seat each is seen from, shape (N,), or one for all.
            check: False: take on trust that the states are sound, which compiled code does not look at again; it saves 3 us of 4 a state.

        Raises:
            ValueError: no array of sound states of this game, or no such player.
        """
        states = self._rows(states, check)
        out = np.empty((len(states), self.observation_size), np.float32)
        self.observe_rows(states, self._seats(players, len(states)), out)
        return out

    def resampled(
        self,
        states: States,
        players: int | NDArray[np.integer[Any]],
        seeds: int | Sequence[int] | NDArray[np.integer[Any]],
        *,
        check: bool = True,
    ) -> States:
        """Return copies of many states in which all that a player can't know is drawn anew, as ``Position.resampled`` gives one.

        Args:
            states: sound states, shape (N,).
            players: who may know what each keeps, shape (N,), or one for all.
            seeds: one a state, shape (N,), or one for all of them, which is faster; each state gets a generator of its own.
            check: as ``observations`` takes it.

        Raises:
            ValueError: no array of sound states of this game, no such player, a negative seed, or another number of seeds.
        """
        from azul_duel_env.rng import words_from_seed, words_from_seeds

        copies = copy_of(self._rows(states, check))
        given: Any = seeds
        words = words_from_seed(given, len(copies)) if np.ndim(given) == 0 else words_from_seeds(list(given))
        if words.shape != copies.shape:
            raise ValueError(f"expected one seed, or one for each of {len(copies)} states, not {len(words)}")
        self.resample_rows(copies, self._seats(players, len(copies)), words)
        return copies

    def _rows(self, states: States, check: bool) -> States:
        """Return an array of states as compiled code takes it, which doesn't look whether an index is in range."""
        if not is_array(states) or states.dtype != self.state or states.ndim != 1:
            raise ValueError(f"expected an array (N,) of states of {self.id}, not {type(states).__name__}")
        rows = np.ascontiguousarray(states).view(self.state)
        unsound = self.unsound_rows(rows) if check else ()
        for i in unsound:
            broken = "; ".join(self.check(rows, int(i)))
            raise ValueError(f"state {i} is no state of the game: broken are {broken}")
        return rows

    def _seats(self, players: int | NDArray[np.integer[Any]], count: int) -> NDArray[np.int64]:
        """Return a player for each state."""
        seats = np.asarray(players)
        is_masked = isinstance(players, np.ma.MaskedArray)
        if is_masked or seats.shape not in ((), (count,)) or seats.dtype.kind not in "iu":
            raise ValueError(f"expected one player, or one for each of {count} states, not {players!r}")
        if not ((seats >= 0) & (seats < self.num_players)).all():
            raise ValueError(f"players must be 0 to {self.num_players - 1}, not {players!r}")
        return np.full(count, seats, np.int64)

    def read_position(self, text: str) -> Position:
        """Return the position written as text.

        Raises:
            ValueError: the text is no sound state; the message says what is wrong.
        """
        return Position(self, self.read(text))


def _find(home: str) -> Game:
    """Return the game that lives at ``module:name``."""
    module, _, name = home.partition(":")
    game = getattr(import_module(module), name)
    assert isinstance(game, Game)
    return game


class Position:
    """One state of a game, with friendly methods. It owns its state; ``copy`` makes another.

    Made from an array, it takes on trust that the state is sound, since most are made in search and steps: bytes of unknown origin are
    for ``Game.unsound_rows`` first, or for ``reset`` and ``set_state`` of the environments, which check.

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
        return f"<{self.game.id} position, decision {self.decisions}: {self.game.decision_name(self.states, 0)}>"

    def __str__(self) -> str:
        return self.game.board(self.states, 0)

    def _repr_svg_(self) -> str:
        """Return the table as a picture from seat 0, as notebooks show it."""
        return self.game.picture(self.states[0], theme="auto").svg()

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
        """The kind of chance that must draw, as ``Game.outcome_name`` takes it; 0 when none must."""
        return int(self.states["chance"][0])

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each player."""
        return tuple(self.states["scores"][0].tolist())

    @property
    def winner(self) -> int:
        """Who won a finished game, or NOBODY (-1) for a draw.

        Raises:
            ValueError: the game is not over.
        """
        if not self.over:
            raise ValueError("the game is not over: it has no winner yet")
        return int(self.game.winner(self.states, 0))

    @property
    def decisions(self) -> int:
        """Decisions made so far."""
        return int(self.states["decisions"][0])

    def legal_actions(self) -> NDArray[np.int16]:
        """Return the legal actions, ascending (int16); none when no player decides."""
        legal = np.empty(self.game.max_legal, np.int16)
        return legal[: self.game.legal_actions(self.states, 0, legal)]

    def action_mask(self) -> NDArray[np.int8]:
        """Return a fresh mask (int8, num_actions): 1 for each legal action."""
        mask = np.empty(self.game.num_actions, np.int8)
        self.game.legal_mask(self.states, 0, mask)
        return mask

    def asked_actions(self, granularity: Any) -> NDArray[np.int64]:
        """Return the legal asked actions under a granularity, ascending (int64); none when no player decides."""
        mask = np.empty(granularity.num_actions, np.int8)
        self.game.asked_mask(self.states, 0, granularity.layer, mask)
        return np.flatnonzero(mask)

    def observe(self, player: int) -> NDArray[np.float32]:
        """Return a fresh observation (float32, observation_size) from one seat.

        Raises:
            ValueError: no such player.
        """
        self._check_player(player)
        observation = np.empty(self.game.observation_size, np.float32)
        self.game.observe(self.states, 0, player, observation)
        return observation

    def _check_player(self, player: int) -> None:
        if not 0 <= player < self.game.num_players:
            raise ValueError(f"player must be 0 to {self.game.num_players - 1}, not {player}")

    def step(self, action: int) -> None:
        """Carry out one decision.

        Raises:
            ValueError: the action is not legal; the message names what is, and nothing has changed.
        """
        if not self.game.try_action(self.states, 0, as_index(action)):
            raise ValueError(self.why_illegal(action))

    def why_illegal(self, action: Any, granularity: Any = None) -> str:
        """Return a message for an action that is not legal: what is due and what would be legal.

        Args:
            action: what was tried.
            granularity: the granularity that asks; None if the action is one of the game itself.
        """
        if self.chance_is_due:
            return f"action {action} can't be taken: chance must draw first ({self.game.decision_name(self.states, 0)})"
        if self.over:
            return f"action {action} can't be taken: the game is over"
        index, table = as_index(action), self.game if granularity is None else granularity
        name = f" ({table.action_name(index)})" if 0 <= index < table.num_actions else ""
        legal = (self.legal_actions() if granularity is None else self.asked_actions(granularity)).tolist()
        shown = "; ".join(f"{a} {table.action_name(a)}" for a in legal[:12])
        more = f"; and {len(legal) - 12} more" if len(legal) > 12 else ""
        return (
            f"action {action}{name} is not legal for player {self.player}, who decides: "
            f"{self.game.decision_name(self.states, 0)}. Legal ({len(legal)}): {shown}{more}"
        )

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the draw that is due, ascending, with their probabilities; none when no draw is due."""
        if not self.chance_is_due:
            return []
        weights = np.empty(self.game.max_outcomes, np.int64)
        weights = weights[: self.game.outcome_weights(self.states, 0, weights)]
        return [(int(outcome), float(weights[outcome] / weights.sum())) for outcome in np.flatnonzero(weights)]

    def apply_chance(self, outcome: int) -> None:
        """Let an outcome of the draw that is due happen.

        Raises:
            ValueError: no draw is due, or this outcome is not possible; nothing has changed.
        """
        if not self.chance_is_due:
            raise ValueError("no draw is due: explicit chance is off, or a player decides")
        if not self.game.try_outcome(self.states, 0, as_index(outcome)):
            possible = ", ".join(f"{o} {name}" for o, name in self.named_outcomes())
            raise ValueError(f"outcome {outcome} is not possible; possible: {possible}")

    def draw_chance(self) -> int:
        """Draw an outcome with the state's own generator, let it happen, and return it.

        Raises:
            ValueError: no draw is due.
        """
        if not self.chance_is_due:
            raise ValueError("no draw is due: explicit chance is off, or a player decides")
        outcome = int(self.game.draw_chance(self.states, 0))
        self.apply_chance(outcome)
        return outcome

    def copy(self) -> Position:
        """Return an independent copy, its generator included, so that it goes on the same way."""
        return Position(self.game, copy_of(self.states))

    def reseeded(self, seed: int) -> Position:
        """Return a copy with another generator: all that is still to be drawn comes differently."""
        from azul_duel_env.rng import words_from_seed

        other = self.copy()
        other.states["rng"] = words_from_seed(seed)
        return other

    def resampled(self, player: int, seed: int) -> Position:
        """Return a copy in which all that a player can't know is drawn anew, with the right odds, and another generator.

        Search agents use it: what they see of the future is then what the player could have imagined.

        Raises:
            ValueError: no such player, or a negative seed.
        """
        self._check_player(player)
        from azul_duel_env.rng import words_from_seed

        other = self.copy()
        self.game.resample(other.states, 0, player, words_from_seed(seed)[0])
        return other

    def check(self) -> list[str]:
        """Return the invariants that the state breaks, by name; none for a sound state."""
        return self.game.check(self.states, 0)

    def to_text(self) -> str:
        """Return the whole state as text, exactly; ``Game.read_position`` reads it."""
        return self.game.write(self.states, 0)

    def named_actions(self) -> Iterator[tuple[int, str]]:
        """Yield each legal action with its name."""
        for action in self.legal_actions().tolist():
            yield action, self.game.action_name(action)

    def named_outcomes(self) -> Iterator[tuple[int, str]]:
        """Yield each outcome of the draw that is due with its name."""
        for outcome, _ in self.chance_outcomes():
            yield outcome, self.game.outcome_name(self.chance, outcome)


def is_array(value: Any) -> bool:
    """Return whether a value is an array all of whose entries are there: not a masked one."""
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)


def copy_of(states: States) -> States:
    """Return a copy of an array of states, as bytes: NumPy would copy field by field, seven times slower."""
    return states.view(np.uint8).copy().view(states.dtype)


def as_blocks(states: States) -> NDArray[np.void]:
    """Return a view of an array of states as blocks of bytes: to take or to set some of them field by field is 20 times slower."""
    return states.view(np.dtype((np.void, states.itemsize)))


def as_index(value: Any) -> int:
    """Return an action or outcome as an integer; anything that is not one becomes -1, which is never legal.

    Booleans, floats and masked arrays are refused: they are mistakes more often than meant.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0 and not isinstance(value, np.ma.MaskedArray):
        value = value[()]
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and -(2**31) < value < 2**31:
        return int(value)
    return -1
