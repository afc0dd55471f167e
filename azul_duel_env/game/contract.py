"""What a game gives to all that is shared: environments, matches, records, the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.abstraction import Abstraction
from azul_duel_env.game.arrays import NOBODY, States, as_index, copy_of, is_array
from azul_duel_env.game.breakdown import ScoreBreakdown
from azul_duel_env.game.display import Display
from azul_duel_env.game.event import Events
from azul_duel_env.game.position import Position
from azul_duel_env.game.rules import Rules
from azul_duel_env.game.text import Text
from azul_duel_env.jit.rng import keys_from_seed, keys_from_seeds


@dataclass(frozen=True, eq=False)  # there is one of each
class Game:
    """A game for a fixed number of players: facts, and groups of functions.

    Attributes:
        home: where this object is found, ``module:name``; pickles and copies refer to it.
        id: environment id, ``azul/NAME-vN``; its version moves when dynamics, spaces or rewards change.
        title: name for people.
        num_players: number of seats.
        num_actions: size of the action table.
        observation_size: length of the observation vector.
        max_legal: room for the legal actions of any state.
        max_outcomes: room for the outcomes of any draw.
        max_decisions: bound on the decisions of a game, the field ``decisions`` of its states, which counts every action carried out,
            whether asked or by a policy; reaching it is a bug.
        max_draws: bound on the draws of a game with explicit chance.
        max_points: bound on the points of a player; no score is above it, and none below 0.
        state: dtype of one state record.
        options: dataclass of the configuration; must have a field ``explicit_chance``, and ``first_player``, a seat, where it can be
            chosen who begins.
        rules: functions that make, ask and change states.
        text: names and notation.
        display: pictures and sentences.
        abstraction: how finely decisions are asked.
        events: what happens in a step besides the action.
        breakdown: where points come from.
        kernels: the package in which the templates of ``azul_duel_env.kernels`` are bound to the game's rules.
        observation_blocks: name, first entry and shape of each block of the observation.
        rounded_blocks: blocks with numbers that are no multiple of 1/255, which observations in bytes round.
        agents: spec -> the policy, ``module:name``, imported when it is first wanted: those that know this game's rules.
        agent_families: what stands before the colon of a spec -> what makes a policy of the game and the text after it, ``module:name``.
        agent_texts: spec -> what the agent does, of ``agents``.
        trust_in_values: factor of Q values beside logits with which a search with a fast network plays best: the less, the more its
            values err.
        ladder_agents: specs of the ladder that is played where none are named, weakest first.
        fit: what fits weights of its agents on self-play, ``module:name`` of ``(game, file, rounds, games, seed)``; None if nothing does.
            It yields a record with ``number`` and ``score_mean`` after each round.
        network: file of the network that comes with the game; None if none does.
        networks: name -> file of each other network that comes with it: ``network:NAME`` plays its best action.
        adviser: spec of the search that gives hints and looks at games where none is named.
        ladder: file of the ladder that comes with the game; None if none does.
        variants: number of players -> ``home`` of the same game for that number, which is imported when it is first wanted; empty for a
            game that has one number only. All variants list the same numbers, each its own among them. See ``of``.
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
    max_draws: int
    max_points: int
    state: np.dtype
    options: type[Any]
    rules: Rules
    text: Text
    display: Display
    abstraction: Abstraction
    events: Events
    breakdown: ScoreBreakdown
    kernels: str
    observation_blocks: Sequence[Any]
    rounded_blocks: Sequence[str] = ()
    agents: Mapping[str, str] = field(default_factory=dict)
    agent_families: Mapping[str, str] = field(default_factory=dict)
    agent_texts: Mapping[str, str] = field(default_factory=dict)
    trust_in_values: float = 3.0
    ladder_agents: Sequence[str] = ("random", "greedy")
    fit: str | None = None
    network: Path | None = None
    networks: Mapping[str, Path] = field(default_factory=dict)
    adviser: str = "mcts:400"
    ladder: Path | None = None
    variants: Mapping[int, str] = field(default_factory=dict)

    @property
    def player_counts(self) -> tuple[int, ...]:
        """For how many players there is this game, ascending."""
        return tuple(sorted({self.num_players, *self.variants}))

    @property
    def players_option(self) -> dict[str, Any]:
        """The option that tells this game from the others of its id, ``num_players``; none where it is for one number of players only."""
        return {"num_players": self.num_players} if self.variants else {}

    @property
    def full_title(self) -> str:
        """The title, with the number of players where there are several, such as ``Dice, 3 players``."""
        return f"{self.title}, {self.num_players} players" if self.variants else self.title

    def of(self, options: Mapping[str, Any]) -> Game:
        """Return this game for as many players as the option ``num_players`` says; this one itself without that option, or for None.

        The number is fixed before anything is made: states, tables and compiled code depend on it.

        Raises:
            ValueError: the game isn't for so many, or its ``variants`` don't agree.
        """
        wanted = options.get("num_players")
        count = self.num_players if wanted is None else as_index(wanted)
        if count not in self.player_counts:
            allowed = " or ".join(str(known) for known in self.player_counts)
            raise ValueError(f"num_players must be {allowed} in {self.title}, not {wanted!r}")
        return self if count == self.num_players else self._variant(count)

    def _variant(self, count: int) -> Game:
        """Return the variant for a number of players, after a look whether the two list the same numbers."""
        home = self.variants[count]
        found = _find(home)
        if found.num_players != count:
            raise ValueError(f"variants of {self.home}: {home} is for {found.num_players} players, not {count}")
        if found.variants != self.variants or self.num_players not in self.variants:
            numbers = f"{self.home} lists {sorted(self.variants)}, {home} {sorted(found.variants)}"
            raise ValueError(f"variants must be the same in each variant, its own number among them: {numbers}")
        return found

    def kernel(self, name: str) -> ModuleType:
        """Return a template of ``azul_duel_env.kernels``, bound to this game's rules."""
        return import_module(f"{self.kernels}.{name}")

    @property
    def package(self) -> str:
        """The package that holds its rules and rulings."""
        return self.home.partition(":")[0]

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        return _find, (self.home,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    @property
    def utility_bounds(self) -> tuple[float, float]:
        """The least and the most that a finished game is worth for a player; see ``returns``."""
        return -1 / (self.num_players - 1), 1.0

    def ranks(self, states: States, i: int) -> tuple[int, ...]:
        """Return the place of each player of a finished game, from 1; equal players share one."""
        return tuple(int(self.rules.rank(states, i, player)) for player in range(self.num_players))

    def winners(self, states: States, i: int) -> frozenset[int]:
        """Return who won a finished game: all who share the first place."""
        return frozenset(player for player, rank in enumerate(self.ranks(states, i)) if rank == 1)

    def winner(self, states: States, i: int) -> int:
        """Return the only winner of a finished game, or NOBODY (-1) if several share the first place."""
        winners = self.winners(states, i)
        return next(iter(winners)) if len(winners) == 1 else NOBODY

    def returns(self, states: States, i: int) -> tuple[float, ...]:
        """Return what a finished game is worth for each player; they sum to 0, and a win of one player alone is worth 1.

        With k winners among n players each winner gets (n - k) / (k (n - 1)), and each other -1 / (n - 1); 0 if all have won.
        """
        n, winners = self.num_players, self.winners(states, i)
        k = len(winners)
        return tuple((n - k) / (k * (n - 1)) if p in winners else -1 / (n - 1) for p in range(n))

    def rank_returns(self, states: States, i: int) -> tuple[float, ...]:
        """Return 1 for the first place of a finished game down to -1 for the last, in even steps; they sum to 0.

        With n players place p is worth 1 - 2 (p - 1) / (n - 1); who share places get the mean of these.
        """
        ranks = self.ranks(states, i)
        mean_places = (rank + (ranks.count(rank) - 1) / 2 for rank in ranks)
        return tuple(1 - 2 * (place - 1) / (self.num_players - 1) for place in mean_places)

    def make_options(self, num_players: int | None = None, **options: Any) -> Any:
        """Return a configuration.

        Args:
            num_players: that of this game, or None; another one makes another game, see ``of``.
            options: fields of ``options``.

        Raises:
            ValueError: an unknown option, or a value that it can't have.
        """
        if self.of({"num_players": num_players}) is not self:
            raise ValueError(f"this game is for {self.num_players} players: take game.of(options) for {num_players}")
        known = [field.name for field in fields(self.options)]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise ValueError(f"unknown option {unknown[0]!r}: the options of {self.id} are {', '.join(known)}")
        return self.options(**options)

    def make_abstraction(self, **choices: str) -> Any:
        """Return an action abstraction.

        Raises:
            ValueError: an unknown sub-decision, or a value that it can't have.
        """
        known = [field.name for field in fields(self.abstraction.make)]
        for name in choices:
            if name not in known:
                raise ValueError(f"unknown sub-decision {name!r}: there are {', '.join(known)}")
        return self.abstraction.make(**choices)

    def new_states(self, seeds: Sequence[int | None], options: Any = None) -> States:
        """Return one state a seed, at its first decision or, with explicit chance, its first draw.

        Raises:
            ValueError: a negative seed.
        """
        states = self.rules.initial_states(seeds, self.options() if options is None else options)
        for i in range(len(states)):
            self.rules.advance_to_decision(states, i)
        return states

    def new(self, seed: int | None = None, **options: Any) -> Position:
        """Return a new game, of ``num_players`` where the game allows several numbers; see ``make_options`` and ``new_states``."""
        game = self.of(options)
        return Position(game, game.new_states([seed], game.make_options(**options)))

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
        self.rules.observe_rows(states, self._seats(players, len(states)), out)
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
        copies = copy_of(self._rows(states, check))
        given: Any = seeds
        keys = keys_from_seed(given, len(copies)) if np.ndim(given) == 0 else keys_from_seeds(list(given))
        if keys.shape != copies.shape:
            raise ValueError(f"expected one seed, or one for each of {len(copies)} states, not {len(keys)}")
        self.rules.resample_rows(copies, self._seats(players, len(copies)), keys)
        return copies

    def _rows(self, states: States, check: bool) -> States:
        """Return an array of states as compiled code takes it, which doesn't look whether an index is in range."""
        if not is_array(states) or states.dtype != self.state or states.ndim != 1:
            raise ValueError(f"expected an array (N,) of states of {self.id}, not {type(states).__name__}")
        rows = np.ascontiguousarray(states).view(self.state)
        unsound = self.rules.unsound_rows(rows) if check else ()
        for i in unsound:
            broken = "; ".join(self.rules.check(rows, int(i)))
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
        return Position(self, self.text.read(text))


def _find(home: str) -> Game:
    """Return the game that lives at ``module:name``."""
    module, _, name = home.partition(":")
    game = getattr(import_module(module), name)
    if not isinstance(game, Game):
        raise TypeError(f"expected a Game at {home}, not {type(game).__name__}")
    return game
