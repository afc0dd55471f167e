"""The games for Tianshou 2: environments with opponents inside, and an actor that masks. ``pip install 'azul_duel_env[tianshou]'``.

Example::

    envs = TianshouVecEnv(64, opponent="greedy", seed=1)
    body = ObservationNet(Net(state_shape=envs.observation_size, hidden_sizes=(256, 256)))
    actor = MaskedActor(preprocess_net=body, action_shape=envs.num_actions)
    policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])
    ppo = PPO(policy=policy, critic=DiscreteCritic(preprocess_net=body), optim=AdamOptimizerFactory(lr=7e-4))

Observations are dictionaries with the keys that Tianshou knows: ``obs``, float32 (observation size,) in [0, 1], and ``mask``, bool (number
of actions,): True for each legal action, all False once the episode is over. Of Tianshou's algorithms those of the DQN family read
``mask`` by themselves; all others, PPO among them, choose illegal actions unless their actor masks: ``MaskedActor`` does.

Learning needs the opponent inside. Tianshou also runs the AEC environment (``tianshou.env.PettingZooEnv``), but there the ``obs_next`` of a
transition is what whoever decides next sees: mostly the opponent, so that bootstrapping takes the opponent's value for one's own. And only
the transition that ends a game has its reward: what the loser or winner who moved before did last bootstraps from a game that goes on.
In the environments here ``obs_next`` is the learner's own next decision, and a reward is all that it got until then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

try:
    import torch
    from tianshou.data import Batch as TianshouBatch
    from tianshou.env import BaseVectorEnv
    from tianshou.utils.net.common import ActionReprNetWithVectorOutput, ModuleWithVectorOutput
    from tianshou.utils.net.discrete import DiscreteActor
except ImportError as error:
    raise ImportError(
        f"azul_duel_env.envs.tianshou needs Tianshou 2 (pip install 'azul_duel_env[tianshou]'): {error}"
    ) from error

from azul_duel_env.envs.arguments import actions_of, beginning_of, options_of, seeds_of
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.one_learner import OneLearner
from azul_duel_env.envs.opponents import refuse_self_play
from azul_duel_env.envs.rendering import RENDER_FPS, Renderer, frames_of
from azul_duel_env.games import DEFAULT_GAME, find_game

RowsLike = int | Sequence[int] | NDArray[np.integer[Any]] | None
"""Which rows: one, several, or None for all."""


def observation_space_for(observation: gymnasium.Space[Any], num_actions: int) -> Dict:
    """Return the space of ``obs`` and ``mask``."""
    return Dict({"obs": observation, "mask": Box(0, 1, (num_actions,), np.bool_)})


class TianshouEnv(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The single Gymnasium environment for Tianshou: ``TianshouEnv(gymnasium.make(ID, opponent="greedy"))``; see the module.

    For ``DummyVectorEnv`` and its like, and for watching. To learn take ``TianshouVecEnv``, which is several times as fast. Infos stay
    as they are.

    Args:
        env: an environment with ``info["action_mask"]``.

    Raises:
        TypeError: its actions are not discrete.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        if not isinstance(env.action_space, Discrete):
            raise TypeError(f"masks are for discrete actions, not for {env.action_space}")
        self.observation_space = observation_space_for(env.observation_space, int(env.action_space.n))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new episode; see the environment inside."""
        observation, info = self.env.reset(seed=seed, options=options)
        return {"obs": observation, "mask": info["action_mask"] == 1}, info

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carry out one decision of the learner; see the environment inside."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return {"obs": observation, "mask": info["action_mask"] == 1}, float(reward), terminated, truncated, info


class TianshouVecEnv(OneLearner, BaseVectorEnv):
    """Many games as a vector environment for Tianshou's ``Collector``, stepped by one compiled call; no process a game.

    Row i plays what the single environment with the same seed plays. Infos are empty, which Tianshou collects fastest (it takes no keys
    that only some rows have); with ``reward="win_loss"`` the mean return of a collection is the share of wins less that of losses.

    Args:
        num_envs: how many games.
        game: id of the game.
        seed: row i begins with seed + i, at the first reset; None for fresh entropy.
        render_mode: ``"rgb_array"``: ``render()`` returns a picture of each table, uint8 (height, width, 3); or None.
        render_theme: ``"light"`` or ``"dark"``.
        render_width: of a picture: pixels, an even number of at least 160.
        options: fields of ``options.BatchOptions`` but ``autoreset``, sub-decisions such as ``placement``, options of the game such as
            ``scoring_tiles``, and ``num_players`` where the game allows several numbers.

    Raises:
        ValueError, TypeError, OSError: an argument that is none of these; the message says what was expected.

    Attributes:
        batch: the engine below.
        env_num: how many games.
        observation_size, num_actions: of one row.
        action_space, observation_space: as in each of Tianshou's, lists with the space of each row.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        game: str = DEFAULT_GAME,
        seed: int | None = None,
        render_mode: str | None = None,
        render_theme: str = "light",
        render_width: int = 800,
        **options: Any,
    ) -> None:
        # Without that of the base, which makes one worker an environment.
        if "autoreset" in options:
            raise ValueError("Tianshou's collectors reset rows themselves: leave autoreset out")
        refuse_self_play(options.get("opponent"))
        self._renderer = Renderer(render_mode, render_theme, render_width, ("rgb_array",))
        self.batch = batch = Batch.make(find_game(game), num_envs, autoreset="disabled", **options)
        self.env_num, self.render_mode = batch.num_games, render_mode
        self.is_async, self.is_closed = False, False
        self.observation_size, self.num_actions = batch.observation_space.shape[0], int(batch.action_space.n)
        self._of_each_row = {
            "metadata": {"render_modes": ["rgb_array"], "render_fps": RENDER_FPS},
            "spec": None,
            "action_space": batch.action_space,
            "observation_space": observation_space_for(batch.observation_space, self.num_actions),
        }
        self._seeds: list[int | None] = [None] * self.env_num
        if seed is not None:
            self.seed(seed)

    # What collectors ask for --------------------------------------------------------------------
    def reset(
        self,
        env_id: RowsLike = None,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[TianshouBatch, NDArray[Any]]:
        """Begin new episodes.

        Args:
            env_id: which rows; the others stay as they are.
            seed: s seeds row i with s + i; a list has one a row of all. A row without one takes that of ``seed()``, once, or goes on with
                its random numbers.
            options: ``state``, one state for these rows, or ``states``, one for each of all rows: begin there; any option of the game
                but ``explicit_chance``, for this episode only.

        Returns:
            Observations, a ``Batch`` of ``obs``, float32 (rows, observation size), and ``mask``, bool (rows, number of actions), and
            infos: an array of empty dictionaries. Should a state leave the learner nothing to decide, its row is over at once.

        Raises:
            ValueError, TypeError: no such rows, an unknown option, or a value that a seed or option can't have; nothing has changed.
        """
        self._assert_is_not_closed()
        batch, which, given = self.batch, self._rows(env_id), options_of(options)
        given_seeds = seeds_of(seed, which, self.env_num) or [None] * len(which)
        seeds = [self._seeds[row] if one is None else one for row, one in zip(which, given_seeds, strict=True)]
        changed, states = beginning_of(batch.game, batch.options, batch.abstraction, given, which, self.env_num)
        batch.reset_rows(which, None if all(one is None for one in seeds) else seeds, changed, states)
        for row in which.tolist():
            self._seeds[row] = None
        self._renderer.forget()
        return self._observations(which), _no_infos(len(which))

    def step(
        self,
        action: Any,
        id: RowsLike = None,  # noqa: A002 # as Tianshou calls it
    ) -> tuple[TianshouBatch, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
        """Carry out one action a row, and let opponents decide until each learner must again.

        Args:
            action: integers, one for each of these rows.
            id: which rows; the others stay as they are.

        Returns:
            Observations and infos, see ``reset``; rewards float64 (rows,), terminations and truncations bool (rows,). A row that ended
            must be reset.

        Raises:
            ValueError: no such rows, not one integer a row, a row that has no game or is over, or, with ``illegal_action="raise"``, an
                illegal action; nothing has changed. Or an opponent's answer is no legal action; then reset.
        """
        self._assert_is_not_closed()
        batch, which = self.batch, self._rows(id)
        actions = np.zeros(self.env_num, np.int64)
        actions[which] = actions_of(action, len(which))
        if self.render_mode is not None:
            self._renderer.remember(batch.states)
        batch.step(actions, which)
        rows = batch.rows[which]
        terminated, truncated = rows["terminated"] == 1, rows["truncated"] == 1
        if (ended := terminated | truncated).any():
            batch.note_ends(np.isin(np.arange(self.env_num), which[ended]))
        return self._observations(which), rows["reward"].copy(), terminated, truncated, _no_infos(len(which))

    def seed(self, seed: int | Sequence[int | None] | None = None) -> list[list[int] | None]:
        """Seed the next reset of each row: row i with seed + i, or a list of one a row; None: rows go on with their random numbers.

        Returns:
            For each row a list of its seed, or None, as Tianshou expects it.

        Raises:
            ValueError: a seed that is no integer of at least 0, or a list of another length; the seeds before stay.
        """
        self._assert_is_not_closed()
        self._seeds = seeds_of(seed, np.arange(self.env_num), self.env_num) or [None] * self.env_num
        return [None if one is None else [one] for one in self._seeds]

    def render(self, **_: Any) -> list[NDArray[Any] | None]:
        """Return a picture of each table, what its learner may know; None for each without ``render_mode``."""
        self._assert_is_not_closed()
        if self.render_mode is None:
            return [None] * self.env_num
        return list(frames_of(self.batch, self._renderer))

    def close(self) -> None:
        """End the threads. Nothing can be played afterwards."""
        self._assert_is_not_closed()
        self.batch.close()
        self.is_closed = True

    # What else there is -------------------------------------------------------------------------
    def get_env_attr(self, key: str, id: RowsLike = None) -> list[Any]:  # noqa: A002
        """Return an attribute once a row: spaces and metadata of the row, or what this object has under the name.

        Raises:
            AttributeError: there is none of this name.
        """
        of_each = self._of_each_row
        value = of_each[key] if key in of_each else object.__getattribute__(self, key)
        return [value] * len(self._rows(id))

    def set_env_attr(self, key: str, value: Any, id: RowsLike = None) -> None:  # noqa: A002, ARG002
        """Refuse: rows have no attributes of their own; what may change has a method, such as ``set_opponent``.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{key!r} can't be set on rows: call a method, such as set_opponent('greedy')")

    # Inside -------------------------------------------------------------------------------------
    def _rows(self, which: RowsLike) -> NDArray[np.int64]:
        """Return rows as an array.

        Raises:
            ValueError: something that names no row, or one twice.
        """
        if which is None:
            return np.arange(self.env_num)
        rows = np.atleast_1d(np.asarray(which))
        if (
            rows.ndim != 1
            or rows.dtype.kind not in "iu"
            or not rows.size
            or not 0 <= rows.min() <= rows.max() < self.env_num
        ):
            raise ValueError(f"rows must be integers from 0 to {self.env_num - 1}, not {which!r}")
        if len(set(rows.tolist())) < len(rows):
            raise ValueError(f"each row can be named once only, not {which!r}")
        return rows.astype(np.int64)

    def _observations(self, which: NDArray[np.int64]) -> TianshouBatch:
        """Return fresh observations of rows."""
        return TianshouBatch(obs=self.batch.observations[which], mask=self.batch.masks[which] == 1)


def _no_infos(count: int) -> NDArray[Any]:
    """Return as many empty dictionaries as an array."""
    infos = np.empty(count, object)
    infos[:] = [{} for _ in range(count)]
    return infos


class ObservationNet(ActionReprNetWithVectorOutput[Any]):
    """Gives a network ``obs`` of the observations here: for actors and critics alike, which may share it.

    Args:
        net: a network of Tianshou that takes an array, such as ``Net`` without ``action_shape``.
    """

    def __init__(self, net: ActionReprNetWithVectorOutput[Any]) -> None:
        super().__init__(net.get_output_dim())
        self.net = net

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return what the network says of ``obs.obs``, float32 (rows, output size), and its hidden state."""
        return self.net(obs.obs, state=state, info=info)


class MaskedActor(DiscreteActor):
    """An actor that never chooses an illegal action: logits of those are the lowest number that there is, and so their probability is 0.

    Log-probabilities and the entropy are those of the legal actions, in collecting as in learning, since Tianshou makes both from these
    logits. A row without any legal action, which is one that is over and never acts, has
    all actions alike instead of NaN.

    Args:
        preprocess_net: takes observations as they are here, with ``obs`` and ``mask``: ``ObservationNet``.
        action_shape: the number of actions.
        hidden_sizes: of layers between.
    """

    def __init__(
        self, *, preprocess_net: ModuleWithVectorOutput, action_shape: int, hidden_sizes: Sequence[int] = ()
    ) -> None:
        super().__init__(
            preprocess_net=preprocess_net, action_shape=action_shape, hidden_sizes=hidden_sizes, softmax_output=False
        )

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return masked logits, float32 (rows, number of actions), and the hidden state.

        Raises:
            ValueError: there is no mask in the observations.
        """
        mask = getattr(obs, "mask", None)
        if mask is None:
            raise ValueError(
                "the observations have no mask: they must be a Batch with obs and mask, as TianshouVecEnv gives them"
            )
        logits, hidden = super().forward(obs, state, info)
        legal = torch.as_tensor(mask, dtype=torch.bool, device=logits.device)
        return logits.masked_fill(~legal, torch.finfo(logits.dtype).min), hidden
