"""Many games in which every decision of every player is asked: for AlphaZero, PPO and search loops of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.arguments import (
    beginning_of,
    count_of,
    options_of,
    rows_of,
    seeds_of,
    split_options,
    states_of,
    yes_or_no,
)
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.observation_dtype import as_bytes, observation_dtype_of, space_in
from azul_duel_env.envs.opponents import SELF_PLAY
from azul_duel_env.game import NOBODY, Game, States, copy_of
from azul_duel_env.kernels.constants import NO_RANK

OWN_OPTIONS = ("reward", "gamma", "illegal_action", "illegal_penalty", "threads")


class SelfPlayStep(NamedTuple):
    """What a step did; all arrays are fresh.

    Attributes:
        rewards: float64 (num_games, num_players): what each seat got in this step; zero-sum.
        over: bool (num_games,): whether the game ended in this step.
        scores: int64 (num_games, num_players): final points where the game ended, points so far elsewhere.
        winner: int64 (num_games,): the seat that alone won where the game ended; NOBODY (-1) for a draw, and elsewhere.
        ranks: int64 (num_games, num_players): the place of each seat, from 1, where the game ended; equal players share one; 0 elsewhere.
    """

    rewards: NDArray[np.float64]
    over: NDArray[np.bool_]
    scores: NDArray[np.int64]
    winner: NDArray[np.int64]
    ranks: NDArray[np.int64]


class SelfPlayBatch:
    """Games without an opponent inside: whoever is to decide in a row is asked, whatever the seat.

    Example::

        games = self_play(16)  # of the module of a game
        games.reset(seed=1)
        rng, wins = np.random.default_rng(1), [0, 0]
        while sum(wins) < 20:
            prior = games.action_mask * rng.random(games.action_mask.shape)  # a network: of games.observation
            mover = games.player  # rewards[i, mover[i]] belongs to who chose actions[i]
            step = games.step(prior.argmax(axis=1))
            for winner in step.winner[step.over & (step.winner >= 0)]:
                wins[winner] += 1

    Observation and mask are always those of ``player``. The same player may be asked several times in a row.

    Args:
        game: the game.
        num_games: how many rows.
        autoreset: True: a game that ends is followed by a new one in the same step, which ``observation``, ``action_mask`` and
            ``player`` then show; False: it must be reset before the next step.
        copy: whether ``observation`` and ``action_mask`` are fresh after each call. False: they are always the same two
            arrays, overwritten by each call, which saves a part of the time: copy what you keep, and mind that ``jax.device_put``,
            ``torch.from_numpy`` and DLPack share memory rather than copy it: what they return would change with it.
        observation_dtype: ``"float32"``, or ``"uint8"`` for ``observation`` in bytes, always fresh; see ``envs.observation_dtype``.
        options: ``reward``, ``gamma``, ``illegal_action`` (here ``"raise"`` unless it is given), ``illegal_penalty`` and ``threads`` of
            ``options.BatchOptions``; which sub-decisions are asked (as ``game.abstraction`` takes them); the configuration of the game, and
            ``num_players`` where the game allows several numbers.

    Raises:
        ValueError: an argument that is none of these; the message says what was expected.

    Attributes:
        observation: float32 (num_games, size) in [0, 1], or uint8 from 0 to 255, from the seat of ``player``.
        action_mask: int8 (num_games, actions): 1 for each legal action; all 0 where the game is over.
        num_games: how many rows.
        observation_space, action_space: of one row.
        batch: the engine below.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        *,
        autoreset: bool = True,
        copy: bool = True,
        observation_dtype: str = "float32",
        **options: Any,
    ) -> None:
        self.game = game = game.of(options)
        own, abstraction, configuration = split_options(game, options, OWN_OPTIONS)
        self.copy = yes_or_no("copy", copy)
        self.observation_dtype = observation_dtype_of(observation_dtype)
        self.num_games = count_of("num_games", num_games)
        self.batch = Batch(
            game,
            self.num_games,
            opponent=SELF_PLAY,
            autoreset="same_step" if yes_or_no("autoreset", autoreset) else "disabled",
            abstraction=abstraction,
            options=configuration,
            **({"illegal_action": "raise"} | own),
        )
        self.observation_space = space_in(self.batch.observation_space, self.observation_dtype)
        self.action_space = self.batch.action_space
        self._show()

    @property
    def player(self) -> NDArray[np.int8]:
        """Who decides in each row: fresh int8 (num_games,); NOBODY (-1) where the game is over or none has begun."""
        return self.batch.deciders

    @property
    def states(self) -> States:
        """A copy of the state of each row, as ``set_states`` takes it; of dtype ``game.state``."""
        return copy_of(self.batch.states)

    @states.setter
    def states(self, states: States | str) -> None:
        self.set_states(states)

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        mask: NDArray[np.bool_] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin new games.

        Args:
            seed: s seeds row i with s + i; a list has one a row. A row without one goes on with its random numbers.
            mask: bool (num_games,): only these rows; the others stay as they are.
            options: other values of the game's options, for these games only; or ``state``, one for all rows, or ``states``, one a row,
                as ``set_states`` takes them, to begin there (a seed then decides what is still to be drawn).

        Raises:
            ValueError, TypeError: a value that an argument can't have; nothing has changed.
        """
        which = rows_of("mask", mask, self.num_games)
        seeds = seeds_of(seed, which, self.num_games)
        batch, given = self.batch, options_of(options)
        changed, states = beginning_of(self.game, batch.options, batch.abstraction, given, which, self.num_games)
        batch.reset_rows(which, seeds, changed, states)
        self._show()

    def set_states(self, states: States | str, mask: NDArray[np.bool_] | None = None) -> None:
        """Go to states, their generators included; rewards start again there.

        Args:
            states: (num_games,) records, as ``states`` returns them, or one for all rows, also in notation.
            mask: bool (num_games,): only these rows; the others stay as they are.

        Raises:
            ValueError, TypeError: no states of this game, one in which no player decides, or a wrong mask; nothing has changed.
        """
        which = rows_of("mask", mask, self.num_games)
        self.batch.reset_rows(
            which, None, {}, states_of(self.game, self.batch.abstraction, states, which, self.num_games)
        )
        self._show()

    def step(self, actions: Any, mask: NDArray[np.bool_] | None = None) -> SelfPlayStep:
        """Carry out one action a row, that of ``player``.

        Args:
            actions: integers (num_games,).
            mask: bool (num_games,): step only these rows; the others stay as they are and get no reward.

        Raises:
            ValueError: not one integer a row, no game yet, a game that is over and must be reset, or, with
                ``illegal_action="raise"``, an illegal action; nothing has changed.
        """
        batch = self.batch
        which = None if mask is None else rows_of("mask", mask, self.num_games)
        batch.step(actions, which)
        self._show()
        games, players = self.num_games, self.game.num_players
        result = SelfPlayStep(
            np.empty((games, players)),
            np.empty(games, bool),
            np.empty((games, players), np.int64),
            np.empty(games, np.int64),
            np.empty((games, players), np.int64),
        )
        batch.kernel.report(batch.states, batch.rows, *result)
        if mask is not None:
            result.rewards[~mask], result.over[~mask], result.winner[~mask], result.ranks[~mask] = (
                0.0,
                False,
                NOBODY,
                NO_RANK,
            )
        return result

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a legal action for each row (int64), every one as likely; 0 where the game is over. ``reset(seed=...)`` seeds it."""
        return self.batch.sample()

    def close(self) -> None:
        """End the threads."""
        self.batch.close()

    # Inside ----------------------------------------------------------------------------------
    def _show(self) -> None:
        """Show what there is now."""
        batch = self.batch
        self.observation: NDArray[Any]
        if self.observation_dtype == "uint8":
            self.observation = as_bytes(batch.observations)
        else:
            self.observation = batch.observations.copy() if self.copy else batch.observations
        self.action_mask = batch.masks.copy() if self.copy else batch.masks
