"""Games in arrays, one a row, stepped by one compiled call: the memory below ``Batch``, its threads, copies and forks."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from copy import copy
from threading import RLock
from types import ModuleType
from typing import Any, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.forks import let_forks_wait_for
from azul_duel_env.game import NOBODY, Game, States, copy_of
from azul_duel_env.jit import COMPILED
from azul_duel_env.jit.rng import keys_from_seed
from azul_duel_env.kernels.constants import FOR_NOBODY, NO_GAME, UNDER_WAY
from azul_duel_env.kernels.team import LEADER, ROWS, Team, make_control

SCRATCH = ("kernel", "stepping", "_team", "_alone", "actions", "_shared_which")
COPIED = ("states", "rows", "_listed", "observations", "masks", "finals", "_start", "_settings", "_generator")
ROWS_PER_THREAD = 64
"""Fewer rows than this are not worth another thread."""


class Rows:
    """Games in arrays, and the compiled call that steps them.

    Args:
        game: the game.
        num_games: how many rows.
        start: one state of the game, everything still in the box.
        settings: one SETTINGS record of the game's compiled rows.
        abstraction: which sub-decisions are asked.
        threads: how many threads step rows.
        keeps_finals: whether the last observations of episodes are kept that are begun anew in the same step.

    Attributes:
        states: one game state a row.
        rows: one record a row, see ``kernels.records.ROW``.
        observations: float32 (num_games, observation size), overwritten by each step.
        masks: int8 (num_games, number of actions), overwritten by each step.
        finals: float32, the last observations of episodes that ended and were reset in the same step.
        actions: int64 (num_games,): what the next call carries out.
        kernel: the compiled rows of the game.
        stepping: held while rows are written, and until none waits for the solver, so that no other thread forks meanwhile.
        abstraction: as given.
        observation_space, action_space: of one row.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        start: States,
        settings: NDArray[Any],
        abstraction: Any,
        threads: int,
        keeps_finals: bool,
    ) -> None:
        self.game, self.num_games, self.threads = game, num_games, threads
        self._start, self._settings, self._keeps_finals = start, settings, keeps_finals
        self._make_scratch()
        self._make_buffers(abstraction)
        record = game.kernel("records").ROW
        self.states = np.zeros(num_games, game.state)
        self.rows = np.zeros(num_games, record)
        self.rows["over"] = NO_GAME
        self._listed = np.zeros((num_games, game.max_legal), np.int16)
        self._all = np.arange(num_games)
        self._generator = np.zeros(1, record)  # another dtype would compile the generator again
        self._generator["rng"] = keys_from_seed(None)

    def _make_scratch(self) -> None:
        """Make the attributes ``SCRATCH``, which hold nothing of a game: no copy has them."""
        self.kernel: ModuleType = self.game.kernel("rows")
        self._team: Team | None = None
        self._alone = make_control(1)
        self.actions, self._shared_which = np.zeros((2, self.num_games), np.int64)
        self.stepping = RLock()
        let_forks_wait_for(self)

    def _make_buffers(self, abstraction: Any) -> None:
        """Make spaces and buffers for an abstraction."""
        settings = self._settings[0]
        settings.abstraction = abstraction.record[0]
        self.abstraction = abstraction
        actions = abstraction.num_actions
        size = abstraction.observation_size + (actions if settings.advice else 0)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(actions)
        self.observations = np.zeros((self.num_games, size), np.float32)
        self.masks = np.zeros((self.num_games, actions), np.int8)
        self._are_given = False  # the observations, to somebody who keeps them
        self.finals = np.zeros((self.num_games if self._keeps_finals else 0, size), np.float32)

    # Stepping ---------------------------------------------------------------------------------
    def run_once(self, which: NDArray[np.int64], start: States | None = None) -> None:
        """Step rows by ``actions``, new games beginning from ``start``; on several threads if that is wanted and worth it."""
        with self.stepping:
            if self._are_given:
                self._go_on_elsewhere(whole=len(which) == self.num_games)
            if start is None and self.threads > 1 and len(which) >= 2 * ROWS_PER_THREAD and COMPILED:
                self._shared_which[: len(which)] = which
                if self._team is None:
                    self._team = self._make_team()
                self._team.lead(len(which))
            else:
                self._alone[ROWS] = len(which)
                self.kernel.step(self._alone, LEADER, *self._stepped(which, self._start if start is None else start))

    def _stepped(self, which: NDArray[np.int64], start: States) -> tuple[NDArray[Any], ...]:
        """Return what ``kernel.step`` takes."""
        rows = self.states, self.rows, self._listed, start, self._settings, which, self.actions
        return *rows, self.observations, self.masks, self.finals

    def _make_team(self) -> Team:
        """Return threads for the arrays that there are now."""
        step, stepped = self.kernel.step, self._stepped(self._shared_which, self._start)
        return Team(self.threads, lambda control, member: step(control, member, *stepped))

    def held_to_the_end(self, asks_outside: bool) -> AbstractContextManager[Any]:
        """Hold ``stepping`` until no row waits; opponents outside take too long for that, and may fork themselves."""
        return nullcontext() if asks_outside else self.stepping

    def close(self) -> None:
        """End the threads."""
        if self._team is not None:
            self._team.close()
            self._team = None

    # Observations for good --------------------------------------------------------------------
    def given_observations(self) -> NDArray[np.float32]:
        """Return the observations for good: float32 as ``observations``, never written again. Beside a team that is a copy."""
        if self.threads > 1:  # its followers know the buffers
            return self.observations.copy()
        self._are_given = True
        return self.observations

    def _go_on_elsewhere(self, *, whole: bool) -> None:
        """Write into another array from now on; ``whole``: every row will be."""
        self.observations = np.empty_like(self.observations) if whole else self.observations.copy()
        self._are_given = False

    # What there is to see ---------------------------------------------------------------------
    @property
    def is_begun(self) -> bool:
        """Whether every row has a game, be it over."""
        return not (self.rows["over"] == NO_GAME).any()

    @property
    def waiting(self) -> NDArray[np.bool_]:
        """Which rows wait for an answer, of an opponent outside or of the solver."""
        return self.rows["pending"] != FOR_NOBODY

    @property
    def deciders(self) -> NDArray[np.int8]:
        """Who decides in each row (int8); NOBODY (-1) where the episode is over."""
        return np.where(self.rows["over"] == UNDER_WAY, self.states["player"], NOBODY).astype(np.int8)

    # Copies and forks -------------------------------------------------------------------------
    def copy(self) -> Self:
        """Return an independent copy in the midst of its games; opponents outside are the same objects."""
        other = copy(self)
        for name in COPIED:
            setattr(other, name, copy_of(vars(self)[name]))
        return other

    def forget_games(self, which: NDArray[Any]) -> None:
        """Leave no game in some rows."""
        self.rows["over"][which], self.rows["pending"][which] = NO_GAME, FOR_NOBODY

    def go_on_in_child(self, *, whole: bool) -> None:
        """Go on in a process that was forked, without the threads.

        If a step was broken off, its games can't go on; rows that wait for an opponent outside can't either, as nobody is asking it here.
        """
        self.stepping, self._team = RLock(), None
        self.forget_games(self.waiting if whole else self._all)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in SCRATCH}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_scratch()
