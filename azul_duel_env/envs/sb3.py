"""A vector environment for stable-baselines3: many games in one process, stepped by one compiled call."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from azul_duel_env.envs.arguments import actions_of, beginning_of, options_of
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.one_learner import OneLearner
from azul_duel_env.envs.opponents import refuse_self_play
from azul_duel_env.envs.rendering import RENDER_FPS, Renderer, frames_of
from azul_duel_env.game import States
from azul_duel_env.games import DEFAULT_GAME, find_game
from azul_duel_env.jit.rng import keys_from_seed

Indices = int | Iterable[int] | None
NO_SELF_PLAY = "a batch in which every seat is asked has no learner: SelfPlayBatch steps one"


class SB3VecEnv(OneLearner, VecEnv):
    """Games as a ``VecEnv``, with masks: ``MaskablePPO("MlpPolicy", make_sb3_vec(256))`` works as it is.

    A row that ends begins anew in the same step. Its info then has ``terminal_observation``, ``TimeLimit.truncated``, ``episode`` as
    ``Monitor`` writes it (so no ``VecMonitor`` is needed), ``is_success`` (True for a win alone, which makes the success rate of
    stable-baselines3), ``win`` (1 for a win, shared by all who have the first place, else 0; where the episode was cut off, shared by
    all players), ``rank`` (the place, from 1; 0 where it was cut off), ``score`` and ``opponent_score`` (points, of the best opponent),
    ``seat`` and ``illegal_action``; infos of other rows are empty. All arrays that are returned are fresh.

    Args:
        batch: the games; must reset in the same step.
        render_mode: ``"rgb_array"``: ``get_images()`` returns a picture of each table, and ``render()`` all in one; or None.
        render_theme: ``"light"`` or ``"dark"``.
        render_width: of a picture: pixels, an even number of at least 160.

    Raises:
        ValueError: the batch doesn't, or has no opponents; or another render mode, theme or width.
    """

    def __init__(
        self, batch: Batch, render_mode: str | None = None, render_theme: str = "light", render_width: int = 800
    ) -> None:
        if batch.autoreset != "same_step":
            raise ValueError(f"stable-baselines3 needs autoreset 'same_step', not {batch.autoreset!r}")
        if not batch.pool.opponents:
            raise ValueError(NO_SELF_PLAY)
        self.batch = batch
        self._renderer = Renderer(render_mode, render_theme, render_width, ("rgb_array",))
        self.render_mode = render_mode
        self._actions: NDArray[Any] | None = None
        self._begun_at = time.time()
        super().__init__(batch.num_games, batch.observation_space, batch.action_space)
        self.metadata["render_fps"] = RENDER_FPS  # type: ignore[assignment] # stable-baselines3 reads an int

    # What MaskablePPO and its callbacks ask for ----------------------------------------------
    def action_masks(self) -> NDArray[np.int8]:
        """Return fresh masks, int8 (num_envs, number of actions)."""
        return self.batch.masks.copy()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next ``reset``: row i with seed + i, for None with a random seed; return the seeds.

        Raises:
            ValueError: no integer of at least 0; the seeds before stay.
        """
        keys_from_seed(seed)
        return super().seed(None if seed is None else int(seed))

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Give options to the next ``reset``, which are for one episode.

        Args:
            options: a dictionary for all rows, or a list of one a row: any option of the game but ``explicit_chance``, or ``state``, one
                as ``reset`` of the Gymnasium environment takes it; None for none.

        Raises:
            ValueError, TypeError: an unknown option, a value that one can't have, or a list of another length; those before stay.
        """
        given = list(options) if isinstance(options, (list, tuple)) else [options] * self.num_envs
        if len(given) != self.num_envs:
            raise ValueError(f"a list of options must have one for each of {self.num_envs} rows, not {len(given)}")
        given = [options_of(one) for one in given]
        for one in given:
            self._beginning(one)
        super().set_options(given)

    def _beginning(self, options: dict[str, Any]) -> tuple[dict[str, Any], States | None]:
        """Return how a row begins by its options: the options of the game that change, and a state if there is one."""
        batch, row = self.batch, np.zeros(1, np.int64)
        return beginning_of(batch.game, batch.options, batch.abstraction, options, row, 1, ways=("state",))

    def reset(self) -> NDArray[np.float32]:
        """Begin new games in all rows, by what ``seed()`` and ``set_options()`` just said; return their observations."""
        seeds = None if self._seeds[0] is None else self._seeds
        if any(self._options):
            self._reset_by_options(seeds)
        else:
            self.batch.reset(seeds)
        self._actions = None
        self._renderer.forget()
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.batch.given_observations()

    def _reset_by_options(self, seeds: Sequence[int | None] | None) -> None:
        """Begin new games in all rows, each by its own options."""
        for row, options in enumerate(self._options):
            changed, states = self._beginning(options)
            self.batch.reset(None if seeds is None else [seeds[row]], np.array([row]), changed, states)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions for ``step_wait``: integers (num_envs,).

        Raises:
            ValueError: not one integer a row.
        """
        self._actions = actions_of(actions, self.num_envs).copy()

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Carry out the actions; return fresh observations, rewards (float32), dones and infos.

        Raises:
            ValueError: see ``Batch.step``; or there are no actions of ``step_async``.
        """
        batch, actions = self.batch, self._actions
        if actions is None:
            raise ValueError("step_async(actions) must come before step_wait()")
        self._actions = None
        if self.render_mode is not None:
            self._renderer.remember(batch.states)
        batch.step(actions)
        rows = batch.rows
        dones = np.logical_or(rows["terminated"], rows["truncated"])
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(dones).tolist():
            infos[i] = self._info_of_end(i)
        if dones.any():
            batch.note_ends(dones)
        return batch.given_observations(), rows["reward"].astype(np.float32), dones, infos

    def _info_of_end(self, i: int) -> dict[str, Any]:
        """Return the info of the episode that ended in a row."""
        rows = self.batch.rows
        row = dict(zip(rows.dtype.names or (), rows[i].item(), strict=True))
        seat, scores, ranks = row["final_seat"], row["final_scores"].tolist(), row["final_ranks"].tolist()
        best = min(ranks)  # 1, or 0 of all where nobody has a place
        win = 1 / ranks.count(best) if ranks[seat] == best else 0.0
        return {
            "terminal_observation": self.batch.finals[i].copy(),
            "TimeLimit.truncated": bool(row["truncated"] and not row["terminated"]),
            "episode": {
                "r": round(row["final_sum"], 6),
                "l": row["final_steps"],
                "t": round(time.time() - self._begun_at, 6),
            },
            "score": scores[seat],
            "opponent_score": max(score for other, score in enumerate(scores) if other != seat),
            "win": win,
            "rank": ranks[seat],
            "is_success": row["final_winner"] == seat,
            "seat": seat,
            "illegal_action": bool(row["illegal"]),
        }

    def close(self) -> None:
        """End the threads of the games."""
        self.batch.close()

    # What any VecEnv must have -----------------------------------------------------------------
    def _rows(self, indices: Indices) -> list[int]:
        rows = list(self._get_indices(indices))
        if not all(isinstance(row, (int, np.integer)) and 0 <= row < self.num_envs for row in rows):
            raise ValueError(f"indices must be rows, 0 to {self.num_envs - 1}, not {indices!r}")
        return rows

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute once a row.

        Raises:
            AttributeError: there is none of this name.
        """
        return [getattr(self, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:  # noqa: ARG002
        """Refuse: rows have no attributes of their own; what may change has a method, such as ``set_opponent``.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(
            f"{attr_name!r} can't be set on rows: call a method with env_method, such as env_method('set_opponent', 'greedy')"
        )

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> Any:
        """Call a method; ``action_masks`` gives one row a row, the others are called once for all rows.

        Raises:
            AttributeError: there is none of this name.
            ValueError: rows were named for a method that is for all of them.
        """
        if method_name == "action_masks":
            return self.action_masks(*args, **kwargs)[self._rows(indices)]
        if len(set(self._rows(indices))) < self.num_envs:
            raise ValueError(f"{method_name} is for all rows: leave indices out")
        return [getattr(self, method_name)(*args, **kwargs)] * self.num_envs

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Say of each row whether it is wrapped: as good as in a ``Monitor``, since infos tell the episodes; in nothing else.

        So ``evaluate_policy`` and ``EvalCallback`` take the episodes from infos, and ``VecMonitor`` warns that it is one too many.
        """
        return [issubclass(Monitor, wrapper_class)] * len(self._rows(indices))

    def get_images(self) -> Sequence[NDArray[Any] | None]:
        """Return a picture of each table, uint8 (height, width, 3), what its learner may know; None for each without ``render_mode``."""
        if self.render_mode is None:
            return [None] * self.num_envs
        return frames_of(self.batch, self._renderer)


def make_sb3_vec(
    num_envs: int = 64,
    *,
    game: str = DEFAULT_GAME,
    seed: int | None = None,
    render_mode: str | None = None,
    render_theme: str = "light",
    render_width: int = 800,
    **options: Any,
) -> SB3VecEnv:
    """Return games as a vector environment for stable-baselines3.

    Args:
        num_envs: how many games.
        game: id of the game.
        seed: row i begins with seed + i; None for fresh entropy.
        render_mode: ``"rgb_array"`` or None; see ``SB3VecEnv``.
        render_theme: ``"light"`` or ``"dark"``.
        render_width: of a picture, pixels.
        options: fields of ``options.BatchOptions`` but ``autoreset``, sub-decisions such as ``placement``, options of the game such as
            ``scoring_tiles``, and ``num_players`` where the game allows several numbers.

    Raises:
        ValueError: an argument that is none of these.
    """
    if "autoreset" in options:
        raise ValueError("stable-baselines3 resets in the same step: leave autoreset out")
    refuse_self_play(options.get("opponent"))
    batch = Batch.make(find_game(game), num_envs, autoreset="same_step", **options)
    env = SB3VecEnv(batch, render_mode, render_theme, render_width)
    if seed is not None:
        env.seed(seed)
    return env
