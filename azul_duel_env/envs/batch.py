"""Many games of one kind stepped together: the engine below the single, vector, stable-baselines3 and self-play environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import fields, replace
from inspect import signature
from threading import RLock
from types import ModuleType
from typing import Any, NoReturn, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.arguments import (
    actions_of,
    count_of,
    number_of,
    place_of,
    split_options,
    threads_of,
    weights_of,
)
from azul_duel_env.envs.forks import let_forks_wait_for
from azul_duel_env.envs.illegal_ends import IllegalEnds
from azul_duel_env.envs.opponents import Opponent, OpponentLike, Pool, make_pool
from azul_duel_env.game import NOBODY, Game, States, as_blocks, copy_of
from azul_duel_env.game.agent import Policy
from azul_duel_env.jit import COMPILED
from azul_duel_env.jit.rng import keys_from_seed
from azul_duel_env.kernels.team import LEADER, ROWS, Team, make_board

REWARDS = {
    "win_loss": "+1 and -1 at the end, 0 for a draw",
    "score_margin": "own points less the other's, at the end",
    "score_delta": "the change of that margin since the decision before",
    "potential": "gamma times the potential now, less that at the decision before (potential-based shaping: the best policy stays the "
    "same); the potential is greedy's evaluation of the own seat less that of the other, and 0 once the game is over",
}
"""Part of a reward -> what it gives."""

SELF_PLAY = "self-play"
NO_GAME_YET = "there is no game, not yet or not any more: call reset() first"
SCRATCH = ("kernel", "stepping", "_team", "_alone", "_actions", "_shared_which")
ROWS_PER_THREAD = 64
"""Fewer rows than this are not worth another thread."""


class Batch:
    """Rows of games. What a row shows is whoever is asked next: the learner or, in self-play, each player in turn.

    Args:
        game: the game.
        num_games: how many rows.
        opponent: see ``opponents.make_pool``, or ``SELF_PLAY``: both seats are asked.
        seat: ``"random"`` for each episode, or the learner's seat; of no meaning in self-play.
        reward: a part, or a mapping of parts to weights; see ``REWARDS``.
        gamma: discount of the learner, for the part ``potential``.
        illegal_action: ``"lose"``: the episode ends with reward -1; ``"random"``: a random legal action is taken instead;
            ``"penalty"``: nothing happens but a reward of -illegal_penalty; ``"raise"``: a ValueError, and nothing has changed.
        illegal_penalty: at least 0.
        autoreset: ``"next_step"``, ``"same_step"`` or ``"disabled"``, as Gymnasium defines them.
        advice: ``"greedy"``: the observation ends with what this agent thinks of each action that is asked: 1 for the best, less by a
            factor e for each point that it expects less, 0 for one that is not legal; None: nothing is added.
        max_episode_steps: cut an episode off after so many steps; None for never.
        threads: how many threads step rows, or -1 for one a core; results don't depend on it.
        one_by_one: whether opponents that are functions take single observations.
        abstraction: which sub-decisions are asked, as the game's ``abstraction`` takes them.
        options: the configuration of the game.

    Raises:
        ValueError: an argument that is none of these; the message says what was expected.

    Attributes:
        states: one game state a row.
        rows: one record a row, see ``duel_rows.ROW``.
        observations: float32 (num_games, observation size), overwritten by each step.
        masks: int8 (num_games, number of actions), overwritten by each step.
        stepping: held while rows are written, and until none waits for the solver, so that no other thread forks meanwhile.
        autoreset: as given.
        finals: float32, the last observations of episodes that ended and were reset in the same step.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        *,
        opponent: OpponentLike = "greedy",
        seat: str | int = "random",
        reward: str | Mapping[str, float] = "win_loss",
        gamma: float = 1.0,
        illegal_action: str = "lose",
        illegal_penalty: float = 0.1,
        autoreset: str = "next_step",
        advice: str | None = None,
        max_episode_steps: int | None = None,
        threads: int = 1,
        one_by_one: bool = False,
        abstraction: Any = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = game
        self.options = game.make_options(**(options or {}))
        if self.options.explicit_chance:
            raise ValueError("explicit_chance is for the AEC environment: here chance draws by itself")
        self.num_games, self.threads = count_of("num_games", num_games), threads_of(threads)
        self.one_by_one = one_by_one
        if advice not in (None, "greedy"):
            raise ValueError(f"advice must be 'greedy' or None, not {advice!r}")
        self.autoreset, self.advice = autoreset, advice
        self._make_scratch()
        self._make_buffers(game.abstraction.make() if abstraction is None else abstraction)
        self.states = np.zeros(num_games, game.state)
        self.rows = np.zeros(num_games, self.kernel.ROW)
        self.rows["over"] = self.kernel.NO_GAME
        self._listed = np.zeros((num_games, self.kernel.MAX_LEGAL), np.int16)
        self._all = np.arange(num_games)
        self._illegal_ends = IllegalEnds()
        self._start = game.rules.initial_states([0], self.options)
        self._settings = np.zeros(1, self.kernel.SETTINGS)
        self._settings["advice"] = advice is not None
        self._set_rules(seat, reward, gamma, illegal_action, illegal_penalty, autoreset, max_episode_steps)
        self.set_opponent(opponent)
        self._generator = np.zeros(1, self.kernel.ROW)  # another dtype would compile the generator again
        self._generator["rng"] = keys_from_seed(None)
        self.seed_rows(self._all, None)

    @classmethod
    def make(cls, game: Game, num_games: int, **options: Any) -> Self:
        """Return a batch from options of all three kinds: its own, sub-decisions, and the game's.

        Raises:
            ValueError: an unknown option, or a value that it can't have.
        """
        names = set(signature(cls).parameters) - {"game", "num_games", "granularity", "options"}
        own = {name: value for name, value in options.items() if name in names}
        others = {name: value for name, value in options.items() if name not in own}
        abstraction, game_options = split_options(game, others)
        return cls(game, num_games, abstraction=abstraction, options=game_options, **own)

    def _set_rules(
        self,
        seat: str | int,
        reward: str | Mapping[str, float],
        gamma: float,
        illegal_action: str,
        illegal_penalty: float,
        autoreset: str,
        max_episode_steps: int | None,
    ) -> None:
        """Write arguments into the settings that compiled code reads."""
        kernel, settings = self.kernel, self._settings[0]
        settings.abstraction = self.abstraction.record[0]
        settings.weights = weights_of(reward, kernel.REWARD_PARTS)
        settings.gamma = number_of("gamma", gamma, 1)
        settings.penalty = number_of("illegal_penalty", illegal_penalty)
        settings.max_steps = 0 if max_episode_steps is None else count_of("max_episode_steps", max_episode_steps)
        settings.autoreset = place_of("autoreset", autoreset, kernel.AUTORESET_MODES)
        settings.illegal_action = place_of("illegal_action", illegal_action, kernel.ILLEGAL_ACTIONS)
        if seat == "random":
            settings.seat = kernel.RANDOM_SEAT
        elif isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= seat < self.game.num_players:
            settings.seat = seat
        else:
            raise ValueError(f"seat must be 'random' or 0 to {self.game.num_players - 1}, not {seat!r}")

    def _make_scratch(self) -> None:
        """Make the attributes ``SCRATCH``, which hold nothing of a game: no copy has them."""
        self.kernel: ModuleType = self.game.kernel("rows")
        self._team: Team | None = None
        self._alone = make_board(1)
        self._actions, self._shared_which = np.zeros((2, self.num_games), np.int64)
        self.stepping = RLock()
        let_forks_wait_for(self)

    def _make_buffers(self, abstraction: Any) -> None:
        """Make spaces and buffers for an abstraction."""
        self.abstraction = abstraction
        size, actions = abstraction.observation_size, abstraction.num_actions
        size += 0 if self.advice is None else actions
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(actions)
        self.observations = np.zeros((self.num_games, size), np.float32)
        self.masks = np.zeros((self.num_games, actions), np.int8)
        self._are_given = False  # the observations, to somebody who keeps them
        self.finals = np.zeros((self.num_games if self.autoreset == "same_step" else 0, size), np.float32)

    def set_abstraction(self, **changes: str) -> None:
        """Change which sub-decisions are asked. Spaces and buffers are new, and every game ends: reset next.

        Args:
            changes: fields of the abstraction; the others stay.

        Raises:
            ValueError: an unknown field, a value that it can't have, or an opponent made for other spaces; nothing has changed.
        """
        known = [field.name for field in fields(self.abstraction)]
        for name in changes:
            if name not in known:
                raise ValueError(f"unknown sub-decision {name!r}: there are {', '.join(known)}")
        abstraction = replace(self.abstraction, **changes)
        self.close()  # its threads know the buffers before
        before = dict(vars(self))
        self._make_buffers(abstraction)
        try:
            self.set_opponent(self._opponent)
        except Exception:
            vars(self).update(before)
            raise
        self._settings[0].abstraction = abstraction.record[0]
        self._forget_games(self._all)

    # Opponents --------------------------------------------------------------------------------
    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against somebody else from now on: every row draws anew from the pool, in the midst of a game too.

        Raises:
            ValueError, TypeError, OSError: no opponent; see ``make_pool``. The one before stays.
        """
        settings = self._settings[0]
        if isinstance(opponent, str) and opponent == SELF_PLAY:
            self.pool, self._opponent = Pool((), ()), opponent
            settings.seat, settings.pool, settings.codes[0] = self.kernel.ALL_SEATS, 1, self.kernel.OUTSIDE
            self._asks_outside, self._rows_wait = False, self.abstraction.has_solver
            return
        built_in = self.kernel.BUILT_IN
        spaces = (self.observation_space, self.action_space)
        self.pool = make_pool(self.game, opponent, built_in, spaces, self.kernel.MAX_POOL, self.one_by_one)
        self._opponent = opponent
        members = len(self.pool.opponents)
        settings.pool = members
        settings.shares[:members] = np.cumsum(self.pool.shares)
        for place, member in enumerate(self.pool.opponents):
            settings.codes[place] = self._code_of(member)
        self._asks_outside = not all(member.is_built_in for member in self.pool.opponents)
        self._rows_wait = self._asks_outside or self.abstraction.has_solver
        self.kernel.draw_opponents(self.rows, self._settings)

    def _code_of(self, opponent: Opponent) -> int:
        """Return how the compiled rows know an opponent."""
        if opponent.is_built_in:
            return self.kernel.BUILT_IN.index(opponent.name)
        return self.kernel.OUTSIDE if opponent.policy is None else self.kernel.AGENT

    def _held_to_the_end(self) -> AbstractContextManager[Any]:
        """Hold ``stepping`` until no row waits; opponents outside take too long for that, and may fork themselves."""
        return nullcontext() if self._asks_outside else self.stepping

    def _answer(self) -> None:
        """Let opponents outside decide, each distinct one all its rows at once, and the solver, until no row waits.

        Should one of them fail, then rows that still wait have no game any more: their learners must not answer instead.
        """
        try:
            self._let_answer()
        except BaseException:
            self._forget_games(self._waiting())
            raise

    def _waiting(self) -> NDArray[np.bool_]:
        """Return which rows wait for an answer."""
        return self.rows["pending"] != self.kernel.FOR_NOBODY

    def _let_answer(self) -> None:
        rows, actions = self.rows, self._actions
        while (waiting := np.flatnonzero(rows["pending"])).size:
            solved = rows["pending"][waiting] == self.kernel.FOR_SOLVER
            if solved.any():
                self.kernel.solve(self.states, waiting[solved], actions)
            asked = waiting[~solved]
            seated = rows["opponents"][asked, self.states["player"][asked]]
            for place in np.unique(seated):
                at = asked[seated == place]
                actions[at] = self._answers(int(place), at)
            self._run_once(waiting[self._waiting()[waiting]])  # none in a child that an opponent forked off

    def _answers(self, place: int, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the actions of one opponent in some rows.

        Raises:
            ValueError: it answered with something else than one legal action for each.
        """
        opponent = self.pool.opponents[place]
        if opponent.policy is not None:
            return self._choices(opponent.policy, at)
        assert opponent.act is not None
        masks = self.masks[at]
        answers = actions_of(opponent.act(self.observations[at], masks), len(at), f"opponent {opponent.name}: ")
        wrong = illegal_rows(answers, masks)
        if wrong.size:
            row = int(wrong[0])
            raise ValueError(f"opponent {opponent.name}: {self.why_illegal(int(at[row]), int(answers[row]))}")
        return answers

    def _choices(self, policy: Policy, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the actions of the game that an agent chooses in some rows."""
        keys = np.empty(len(at), np.uint64)
        self.kernel.draw_keys(self.rows, at, keys)
        return np.array([policy(self.states, int(i), key) for i, key in zip(at, keys, strict=True)], np.int64)

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
        with self._held_to_the_end():
            with self.stepping:
                if given:
                    as_blocks(self.states)[which] = as_blocks(start if states is None else states)
                if seeds is not None:
                    self.states["rng"][which] = self.seed_rows(which, seeds)
                self.rows["over"][which] = self.kernel.GIVEN if given else self.kernel.ENDED
                self.rows["pending"][which] = self.kernel.FOR_NOBODY
                self._run_once(which, start)
            if self._rows_wait:
                self._answer()

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
        self._actions[:] = chosen  # another array may be read-only or have gaps: all would be compiled again for it
        which = self._all if which is None else which
        row, problem = self.kernel.find_problem(self.rows, self._settings, which, self._actions, self.masks)
        if problem:
            self._refuse(which, row, problem)
        if not self._rows_wait:
            self._run_once(which)
            return
        with self._held_to_the_end():
            self._run_once(which)
            self._answer()

    def _refuse(self, which: NDArray[np.int64], row: int, problem: int) -> NoReturn:
        """Say what keeps a row from being stepped."""
        kernel = self.kernel
        if problem == kernel.MISSING:
            raise ValueError(NO_GAME_YET)
        if problem == kernel.PENDING:
            raise ValueError(f"row {row} waits for an opponent's answer in another call: let that end, or call reset()")
        if problem == kernel.OVER:
            over = which[self.rows["over"][which] == kernel.ENDED]
            raise ValueError(f"the episodes of rows {over[:8].tolist()} are over: reset them first")
        raise ValueError(self.why_illegal(row, int(self._actions[row])))

    def _run_once(self, which: NDArray[np.int64], start: States | None = None) -> None:
        """Step rows by ``_actions``, new games beginning from ``start``; on several threads if that is wanted and worth it."""
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
        rows = self.states, self.rows, self._listed, start, self._settings, which, self._actions
        return *rows, self.observations, self.masks, self.finals

    def _make_team(self) -> Team:
        """Return threads for the arrays that there are now."""
        step, stepped = self.kernel.step, self._stepped(self._shared_which, self._start)
        return Team(self.threads, lambda board, member: step(board, member, *stepped))

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

    def why_illegal(self, row: int, action: int) -> str:
        """Return a message for an action that is not legal in a row: what is due, and what would be legal."""
        legal = np.flatnonzero(self.masks[row]).tolist()
        name = self.abstraction.action_name
        shown = "; ".join(f"{a} {name(a)}" for a in legal[:12])
        more = f"; and {len(legal) - 12} more" if len(legal) > 12 else ""
        what = f" ({name(action)})" if 0 <= action < self.abstraction.num_actions else ""
        due = self.game.text.decision_name(self.states, row)
        return f"action {action}{what} is not legal in row {row}: {due}. Legal ({len(legal)}): {shown}{more}"

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

    def note_ends(self, ended: NDArray[np.bool_]) -> None:
        """Note which rows' episodes ended in the step before, to warn once an illegal action was why of so many in a row."""
        if self._settings["illegal_action"][0] == self.kernel.LOSE:
            self._illegal_ends.note(self.rows["illegal"][ended] == 1)

    # What there is to see ---------------------------------------------------------------------
    @property
    def is_begun(self) -> bool:
        """Whether every row has a game, be it over."""
        return not (self.rows["over"] == self.kernel.NO_GAME).any()

    @property
    def deciders(self) -> NDArray[np.int8]:
        """Who decides in each row (int8); NOBODY (-1) where the episode is over."""
        return np.where(self.rows["over"] == self.kernel.UNDER_WAY, self.states["player"], NOBODY).astype(np.int8)

    def names_of(self, row: int) -> tuple[str, ...]:
        """Return who sits in each seat of a row: ``learner`` and the opponents' names; in self-play the names of agents."""
        if not self.pool.opponents:
            return tuple(f"player_{seat}" for seat in range(self.game.num_players))
        own, seated = int(self.rows["seat"][row]), self.rows["opponents"][row]
        names = [self.pool.opponents[place].name for place in seated]
        return tuple("learner" if seat == own else name for seat, name in enumerate(names))

    def copy(self) -> Batch:
        """Return an independent copy in the midst of its games; opponents outside are the same objects."""
        other = copy(self)
        for name in (
            "states",
            "rows",
            "_listed",
            "observations",
            "masks",
            "finals",
            "_start",
            "_settings",
            "_generator",
        ):
            setattr(other, name, copy_of(vars(self)[name]))
        other._illegal_ends = copy(self._illegal_ends)
        return other

    def go_on_in_child(self, *, whole: bool) -> None:
        """Go on in a process that was forked, without the threads.

        If a step was broken off, its games can't go on; rows that wait for an opponent outside can't either, as nobody is asking it here.
        """
        self.stepping, self._team = RLock(), None
        self._forget_games(self._waiting() if whole else self._all)

    def _forget_games(self, which: NDArray[Any]) -> None:
        """Leave no game in some rows."""
        self.rows["over"][which], self.rows["pending"][which] = self.kernel.NO_GAME, self.kernel.FOR_NOBODY

    def close(self) -> None:
        """End the threads."""
        if self._team is not None:
            self._team.close()
            self._team = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in SCRATCH}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_scratch()


def illegal_rows(
    actions: NDArray[np.int64], masks: NDArray[np.int8], asked: NDArray[np.bool_] | bool = True
) -> NDArray[np.int64]:
    """Return the rows that are asked and whose action is not legal by its mask."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    legal = inside & (masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1)
    return np.flatnonzero(~legal & asked)
