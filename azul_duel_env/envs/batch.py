"""Many games of one kind stepped together: the engine below the single, vector, stable-baselines3 and self-play environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.arguments import actions_of, changed_abstraction, count_of, split_options, threads_of
from azul_duel_env.envs.illegal_ends import IllegalEnds
from azul_duel_env.envs.messages import NO_GAME_YET, why_not_stepped
from azul_duel_env.envs.opponents import NO_OPPONENTS, SELF_PLAY, OpponentLike, Pool, make_line_up, make_pool
from azul_duel_env.envs.options import BatchOptions, names_of, write_settings
from azul_duel_env.envs.row_arrays import Rows
from azul_duel_env.envs.seating import answer, seat_opponents
from azul_duel_env.game import Game, as_blocks
from azul_duel_env.jit.rng import keys_from_seed
from azul_duel_env.kernels.constants import BUILT_IN, ENDED, FOR_NOBODY, GIVEN, LOSE, MAX_POOL


class Batch(Rows):
    """Rows of games. What a row shows is whoever is asked next: the learner or, in self-play, each player in turn.

    Args:
        game: the game.
        num_games: how many rows.
        one_by_one: whether opponents that are functions take single observations.
        abstraction: which sub-decisions are asked, as the game's ``abstraction.make`` makes it; None for all.
        options: the configuration of the game.
        own: fields of ``BatchOptions``; the ``opponent`` may also be ``SELF_PLAY``: every seat is asked, and ``seat`` means nothing.

    Raises:
        ValueError: an argument that is none of these; the message says what was expected.

    Attributes:
        options: the configuration of the game.
        pool: the opponents.
        autoreset: as given.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        *,
        one_by_one: bool = False,
        abstraction: Any = None,
        options: Mapping[str, Any] | None = None,
        **own: Any,
    ) -> None:
        how = BatchOptions(**own)
        self.options = game.make_options(**(options or {}))
        if self.options.explicit_chance:
            raise ValueError("explicit_chance is for the AEC environment: here chance draws by itself")
        num_games, self.one_by_one, self.autoreset = count_of("num_games", num_games), one_by_one, how.autoreset
        settings = np.zeros(1, game.kernel("records").SETTINGS)
        write_settings(how, game.num_players, settings[0])
        super().__init__(
            game,
            num_games,
            game.rules.initial_states([0], self.options),
            settings,
            game.abstraction.make() if abstraction is None else abstraction,
            threads_of(how.threads),
            keeps_finals=self.autoreset == "same_step",
        )
        self._illegal_ends = IllegalEnds()
        self._set_opponents(how.opponent, how.opponents)
        self.seed_rows(self._all, None)

    @classmethod
    def make(cls, game: Game, num_games: int, **options: Any) -> Self:
        """Return a batch from options of all kinds: ``BatchOptions``, sub-decisions, and the game's, ``num_players`` among them.

        Raises:
            ValueError: an unknown option, or a value that it can't have.
        """
        game = game.of(options)
        own, abstraction, configuration = split_options(game, options, names_of(BatchOptions))
        return cls(game, num_games, abstraction=abstraction, options=configuration, **own)

    def set_abstraction(self, **changes: str) -> None:
        """Change which sub-decisions are asked. Spaces and buffers are new, and every game ends: reset next.

        Args:
            changes: fields of the abstraction; the others stay.

        Raises:
            ValueError: an unknown field, a value that it can't have, or an opponent made for other spaces; nothing has changed.
        """
        abstraction = changed_abstraction(self.abstraction, changes)
        self.close()  # its threads know the buffers before
        before = dict(vars(self))
        self._make_buffers(abstraction)
        try:
            self._set_opponents(self._opponent, self._opponents)
        except Exception:
            vars(self).update(before)
            self._settings[0].abstraction = self.abstraction.record[0]
            raise
        self.forget_games(self._all)

    # Opponents --------------------------------------------------------------------------------
    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against somebody else from now on: every seat draws anew from the pool, in the midst of a game too.

        Raises:
            ValueError, TypeError, OSError: no opponent; see ``make_pool``. Those before stay.
        """
        if opponent is None:
            raise TypeError("an opponent is a spec, a function, a model or a pool of those, not None")
        self._set_opponents(opponent, None)

    def set_opponents(self, opponents: Sequence[OpponentLike]) -> None:
        """Play against a line-up from now on, in the midst of a game too: one for each other seat, in turn order after the learner's.

        Raises:
            ValueError, TypeError, OSError: no line-up; see ``make_line_up``. Those before stay.
        """
        self._set_opponents(None, opponents)

    def _set_opponents(self, opponent: OpponentLike, opponents: Sequence[OpponentLike] | None) -> None:
        """Seat the opponents that the two arguments name, of which one may be given."""
        self.pool = self._pool_of(opponent, opponents)
        self._opponent, self._opponents = opponent, opponents
        self._asks_outside = self.pool.asks_outside
        self._rows_wait = self._asks_outside or self.abstraction.has_solver
        seat_opponents(self.pool, self._settings[0])
        if self.pool.opponents:
            self.kernel.draw_opponents(self.rows, self._settings)

    def _pool_of(self, opponent: OpponentLike, opponents: Sequence[OpponentLike] | None) -> Pool:
        """Return the opponents that the two arguments name."""
        spaces = (self.observation_space, self.action_space)
        if opponents is not None:
            if opponent is not None:
                raise ValueError("give opponent, a pool to draw from, or opponents, one for each other seat, not both")
            return make_line_up(self.game, opponents, BUILT_IN, spaces, self.one_by_one)
        if isinstance(opponent, str) and opponent == SELF_PLAY:
            return NO_OPPONENTS
        pool = "greedy" if opponent is None else opponent
        return make_pool(self.game, pool, BUILT_IN, spaces, MAX_POOL, self.one_by_one)

    def names_of(self, row: int) -> tuple[str, ...]:
        """Return who sits in each seat of a row: ``learner`` and the opponents' names; in self-play the names of agents."""
        if not self.pool.opponents:
            return tuple(f"player_{seat}" for seat in range(self.game.num_players))
        own, seated = int(self.rows["seat"][row]), self.rows["opponents"][row]
        names = [self.pool.opponents[place].name for place in seated]
        return tuple("learner" if seat == own else name for seat, name in enumerate(names))

    # Playing ----------------------------------------------------------------------------------
    def seed_rows(self, which: NDArray[np.int64], seeds: Sequence[int | None] | None) -> NDArray[np.uint64]:
        """Seed the generators of rows, and return the keys that decide their next games; None takes fresh entropy.

        Raises:
            ValueError: a negative seed.
        """
        if seeds is None:
            keys = keys_from_seed(None, 2 * len(which)).reshape(-1, 2)
        else:
            keys = np.array([keys_from_seed(seed, 2) for seed in seeds]).reshape(-1, 2)
            self._generator["rng"] = keys_from_seed(seeds[0], 3)[2] if len(seeds) else self._generator["rng"]
        self.rows["rng"][which] = keys[:, 1]
        return keys[:, 0]

    def reset(
        self,
        seeds: Sequence[int | None] | None = None,
        which: NDArray[np.int64] | None = None,
        options: Mapping[str, Any] | None = None,
        states: NDArray[Any] | None = None,
    ) -> None:
        """Begin new episodes.

        Args:
            seeds: one a row; None goes on with the rows' generators.
            which: the rows; None for all.
            options: other values of the game's options, for this episode only.
            states: one state a row to begin with, instead of new games.

        Raises:
            ValueError: a value that a seed or option can't have; nothing has changed.
        """
        which = self._all if which is None else which
        start = self._start
        if options:
            start = self.game.rules.initial_states([0], replace(self.options, **options))
        given = seeds is not None or states is not None
        with self.held_to_the_end(self._asks_outside):
            with self.stepping:
                if given:
                    as_blocks(self.states)[which] = as_blocks(start if states is None else states)
                if seeds is not None:
                    self.states["rng"][which] = self.seed_rows(which, seeds)
                self.rows["over"][which] = GIVEN if given else ENDED
                self.rows["pending"][which] = FOR_NOBODY
                self.run_once(which, start)
            if self._rows_wait:
                answer(self, self.pool)

    def reset_rows(
        self,
        which: NDArray[np.int64],
        seeds: Sequence[int | None] | None,
        options: Mapping[str, Any],
        states: NDArray[Any] | None = None,
    ) -> None:
        """Begin new episodes as ``reset`` does; a row whose seed is None goes on with its generator."""
        seeded = np.array([seed is not None for seed in seeds or [None] * len(which)], bool)
        if seeds is not None and seeded.any():
            given = [seed for seed in seeds if seed is not None]
            self.reset(given, which[seeded], options, None if states is None else states[seeded])
        if not seeded.any():
            self.reset(None, which, options, states)
        elif not seeded.all():
            self.reset(None, which[~seeded], options, None if states is None else states[~seeded])

    def step(self, actions: Any, which: NDArray[np.int64] | None = None) -> None:
        """Carry out one action a row, and go on to the next decision of each.

        Args:
            actions: integers, one for each row of the batch.
            which: the rows to step; None for all.

        Raises:
            ValueError: not one integer a row, a row that is over while it must be reset by hand, or, with
                ``illegal_action="raise"``, an illegal action; nothing has changed.
        """
        chosen = actions_of(actions, self.num_games)
        self.actions[:] = chosen  # another array may be read-only or have gaps: all would be compiled again for it
        which = self._all if which is None else which
        row, problem = self.kernel.find_problem(self.rows, self._settings, which, self.actions, self.masks)
        if problem:
            raise ValueError(why_not_stepped(self, which, row, problem))
        if not self._rows_wait:
            self.run_once(which)
            return
        with self.held_to_the_end(self._asks_outside):
            self.run_once(which)
            answer(self, self.pool)

    def sample(self) -> NDArray[np.int64]:
        """Return a legal action for each row (int64), every one as likely; 0 for a row that is over.

        Repeats after a reset with the same seeds.

        Raises:
            ValueError: there is no game yet.
        """
        actions = np.empty(self.num_games, np.int64)
        if not self.kernel.sample(self.states, self.rows, self._listed, self._settings, self._generator, actions):
            raise ValueError(NO_GAME_YET)
        return actions

    def note_ends(self, ended: NDArray[np.bool_]) -> None:
        """Note which rows' episodes ended in the step before, to warn once an illegal action was why of so many in a row."""
        if self._settings["illegal_action"][0] == LOSE:
            self._illegal_ends.note(self.rows["illegal"][ended] == 1)

    def copy(self) -> Self:
        """Return an independent copy in the midst of its games; opponents outside are the same objects."""
        other = super().copy()
        other._illegal_ends = copy(self._illegal_ends)
        return other
