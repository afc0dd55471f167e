"""A TorchRL environment: many games in one process, stepped by one compiled call; needs the extra ``torchrl``.

Example::

    from torchrl.collectors import Collector
    from azul_duel_env.envs.torchrl import make_torchrl_env

    env = make_torchrl_env(64, opponent="greedy", seed=1)
    for batch in Collector(env, env.rand_action, frames_per_batch=1024, total_frames=4096):
        print(batch["next", "reward"][batch["next", "done"]].mean())
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ImportError as error:
    raise ImportError("azul_duel_env.envs.torchrl needs TorchRL: pip install 'azul_duel_env[torchrl]'") from error

from azul_duel_env.envs.arguments import beginning_of, options_of
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.observation_dtype import as_bytes, observation_dtype_of, space_in
from azul_duel_env.envs.one_learner import OneLearner
from azul_duel_env.envs.opponents import refuse_self_play
from azul_duel_env.envs.vector import scores_of
from azul_duel_env.games import DEFAULT_GAME, find_game
from azul_duel_env.jit.rng import keys_from_seed


class ActionSpec(Categorical):
    """Integers of actions. A mask, such as ``ActionMask`` sets, tells what is legal now; it makes no other spec.

    Or else TorchRL would take that transform for one that changes what actions are, and refuse ``rand_action``.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ActionSpec) and (self.n, self.shape, self.device) == (
            other.n,
            other.shape,
            other.device,
        )

    __hash__ = None  # type: ignore[assignment] # as the spec above


class TorchRLEnv(OneLearner, EnvBase):
    """Games as an ``EnvBase`` of batch size (num_envs,): the learner in one seat of each, opponents in the others.

    Row i plays exactly what the Gymnasium environments with the same seed play. The entries, all fresh with each call:

    ======================  ======================================================================================
    ``observation``         float32 or uint8 (num_envs, size), from the learner's seat
    ``action_mask``         bool (num_envs, actions): True for each legal action, as ``MaskedCategorical`` and ``ActionMask`` take
                            it. In the last observation of an episode, where nothing is legal, it is True throughout, since some
                            losses ask the policy there too and a mask without any action would make NaN
    ``score``               int64 (num_envs, 1): the learner's points
    ``opponent_score``      int64 (num_envs, 1): the opponent's; of the best one, if there are several
    ``seat``                int64 (num_envs, 1): the learner's seat in this episode
    ``illegal_action``      bool (num_envs, 1): whether the action just taken was not legal
    ``action``              int64 (num_envs,)
    ``reward``              float32 (num_envs, 1)
    ``done``                bool (num_envs, 1): the episode is over, be it ``terminated`` or ``truncated``, of the same shape
    ======================  ======================================================================================

    ``("next", ...)`` of the step that ends an episode has that episode's last observation and points. The same compiled call has already
    begun the next one, which the reset that TorchRL asks for then hands out: so resets cost nothing, and opponents outside are asked
    for all rows at once. A row that is done can't be stepped before it was reset; rows that ``"_step"`` leaves out stay as they are.

    Args:
        batch: the games; must reset in the same step.
        observation_dtype: ``"float32"``, or ``"uint8"`` for observations in bytes; see ``envs.observation_dtype``.
        device: where the entries are; the games are played by the processor.

    Raises:
        ValueError: the batch doesn't, or has no opponents; or another dtype.
    """

    def __init__(
        self,
        batch: Batch,
        observation_dtype: str = "float32",
        device: torch.device | str | int | None = None,
    ) -> None:
        if batch.autoreset != "same_step":
            raise ValueError(f"TorchRLEnv needs autoreset 'same_step', not {batch.autoreset!r}")
        if not batch.pool.opponents:
            raise ValueError("a batch in which every seat is asked has no learner: SelfPlayBatch steps one")
        super().__init__(device=device, batch_size=[batch.num_games])
        self.batch = batch
        self.observation_dtype = observation_dtype_of(observation_dtype)
        self._begun_anew = np.zeros(batch.num_games, bool)
        """Of each row: its episode is over, and the next one, already begun, was not handed out yet."""
        self._seed: int | None = None
        self._make_specs()
        self.is_closed = False

    def _make_specs(self) -> None:
        """Say what entries there are."""
        batch, rows = self.batch, (self.batch.num_games, 1)
        space = space_in(batch.observation_space, self.observation_dtype)
        self.observation_spec = Composite(
            observation=Bounded(
                low=0,
                high=float(space.high.max()),
                shape=batch.observations.shape,
                dtype=getattr(torch, self.observation_dtype),
            ),
            action_mask=Binary(shape=batch.masks.shape, dtype=torch.bool),
            score=Unbounded(rows, dtype=torch.int64),
            opponent_score=Unbounded(rows, dtype=torch.int64),
            seat=Categorical(batch.game.num_players, rows, dtype=torch.int64),
            illegal_action=Binary(shape=rows, dtype=torch.bool),
            shape=self.batch_size,
        ).to(self.device)
        self.action_spec = ActionSpec(int(batch.action_space.n), self.batch_size, self.device, torch.int64)
        self.reward_spec = Unbounded(rows, self.device, torch.float32)
        flags = {name: Binary(shape=rows, dtype=torch.bool) for name in ("done", "terminated", "truncated")}
        self.done_spec = Composite(flags, shape=self.batch_size).to(self.device)

    # What TorchRL asks for -----------------------------------------------------------------------
    def _reset(
        self, tensordict: TensorDictBase | None = None, *, options: Mapping[str, Any] | None = None
    ) -> TensorDictBase:
        """Begin new episodes, in the rows that the entry ``"_reset"`` names or in all; see ``make_torchrl_env`` for the options.

        Raises:
            ValueError, TypeError: an unknown option, a value that one can't have, or a state in which the learner has nothing to decide;
                nothing has changed.
        """
        named = _rows_named(tensordict, "_reset")
        which = np.arange(self.batch.num_games) if named is None else np.flatnonzero(named)
        self._begin(which, options_of(options))
        self._begun_anew[which] = False
        return self._entries({"illegal_action": np.zeros(self.batch.num_games, bool)})

    def _begin(self, which: NDArray[np.int64], options: dict[str, Any]) -> None:
        """Begin new episodes in rows, except where the step before did it."""
        batch, seeds = self.batch, None
        beginning = beginning_of(batch.game, batch.options, batch.abstraction, options, which, batch.num_games)
        if self._seed is not None and len(which) == batch.num_games:
            seeds = [self._seed + row for row in range(batch.num_games)]
        elif not options:
            which = which[~self._begun_anew[which]]
        if len(which) == 0:
            return
        before = batch.copy() if beginning[1] is not None else None
        batch.reset_rows(which, seeds, *beginning)
        over = which[batch.rows["terminated"][which] == 1]  # and another episode has begun in its place
        if before is not None and len(over):
            batch.close()
            self.batch = before
            raise ValueError(
                f"an episode can't begin with the state of row {over[0]}: the game ends before the learner must decide"
            )
        self._seed = None if seeds is not None else self._seed

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Carry out one action a row, and let opponents decide until each learner must again.

        Raises:
            ValueError: not one integer a row, no game yet, a row that is done and was not reset, or, with ``illegal_action="raise"``, an
                illegal action; nothing has changed. Or an opponent's answer is no legal action; then reset.
        """
        batch, named = self.batch, _rows_named(tensordict, "_step")
        stepped = np.ones(batch.num_games, bool) if named is None else named
        waiting = np.flatnonzero(self._begun_anew & stepped)
        if len(waiting):
            raise ValueError(f"the episode of row {waiting[0]} is over: call reset(), or step_and_maybe_reset()")
        batch.step(tensordict.get("action").numpy(force=True), None if named is None else np.flatnonzero(stepped))
        rows = batch.rows
        ended = stepped & ((rows["terminated"] == 1) | (rows["truncated"] == 1))
        if ended.any():
            self._begun_anew |= ended
            batch.note_ends(ended)
        return self._entries(
            {
                "illegal_action": stepped & (rows["illegal"] == 1),
                "reward": np.where(stepped, rows["reward"], 0).astype(np.float32),
            }
        )

    def _set_seed(self, seed: int | None) -> None:
        """Seed the next reset of all rows: row i with seed + i; for None with fresh entropy.

        Raises:
            ValueError: no integer of at least 0; nothing has changed.
        """
        keys_from_seed(seed)
        self._seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Write a legal action for each row to ``action``, every one as likely. ``set_seed`` seeds it.

        Raises:
            ValueError: there is no game yet.
        """
        action = torch.from_numpy(self.batch.sample()).to(self.device)
        if tensordict is None:
            return TensorDict({"action": action}, self.batch_size, device=self.device)
        return tensordict.set("action", action)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """End the threads of the games."""
        super().close(raise_if_closed=raise_if_closed)
        self.batch.close()

    # What else there is --------------------------------------------------------------------------
    # Inside --------------------------------------------------------------------------------------
    def _entries(self, others: dict[str, NDArray[Any]]) -> TensorDictBase:
        """Return what there is to see now, of episodes that are over the last there was, beside other entries, one a row."""
        batch, over = self.batch, self._begun_anew
        rows, scores, seats = batch.rows, batch.states["scores"], batch.rows["seat"]
        observations, masks = batch.given_observations(), batch.masks.astype(np.bool_)
        if over.any():
            observations = observations.copy()
            observations[over], masks[over] = batch.finals[over], True
            scores = np.where(over[:, None], rows["final_scores"], scores)
            seats = np.where(over, rows["final_seat"], seats)
        others |= scores_of(scores, seats.astype(np.int64))
        others |= {"terminated": over & (rows["terminated"] == 1), "truncated": over & (rows["truncated"] == 1)}
        others["done"] = over.copy()
        arrays = {name: values[:, None] for name, values in others.items()}
        arrays["observation"] = as_bytes(observations) if self.observation_dtype == "uint8" else observations
        arrays["action_mask"] = masks
        tensors = {name: torch.from_numpy(values) for name, values in arrays.items()}
        return TensorDict(tensors, self.batch_size, device=self.device)


def _rows_named(tensordict: TensorDictBase | None, key: str) -> NDArray[np.bool_] | None:
    """Return which rows an entry, bool (num_envs, 1) or (num_envs,), names; None if it isn't there."""
    entry = None if tensordict is None else tensordict.get(key, None)
    return None if entry is None else entry.reshape(-1).numpy(force=True)


def make_torchrl_env(
    num_envs: int = 64,
    *,
    game: str = DEFAULT_GAME,
    seed: int | None = None,
    observation_dtype: str = "float32",
    device: torch.device | str | int | None = None,
    **options: Any,
) -> TorchRLEnv:
    """Return games as an environment for TorchRL.

    Its ``reset(options=...)`` takes for one episode ``state``, one state for all rows (an array of one record, or in notation), or
    ``states``, one a row, to begin with; or any option of the game but ``explicit_chance``.

    Args:
        num_envs: how many games.
        game: id of the game.
        seed: row i begins with seed + i; None for fresh entropy. ``set_seed`` does the same later.
        observation_dtype: ``"float32"`` or ``"uint8"``; see ``TorchRLEnv``.
        device: where the entries are; None for the processor's memory.
        options: fields of ``options.BatchOptions`` but ``autoreset``, sub-decisions such as ``placement``, options of the game such as
            ``scoring_tiles``, and ``num_players`` where the game allows several numbers.

    Raises:
        ValueError, TypeError, OSError: an argument that is none of these; the message says what was expected.
    """
    if "autoreset" in options:
        raise ValueError("TorchRL resets by itself: leave autoreset out")
    refuse_self_play(options.get("opponent"))
    env = TorchRLEnv(Batch.make(find_game(game), num_envs, autoreset="same_step", **options), observation_dtype, device)
    if seed is not None:
        env.set_seed(seed)
    return env
