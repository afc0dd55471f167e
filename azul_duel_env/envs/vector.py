"""The vector environment of a game: many games against opponents inside, stepped by one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from azul_duel_env.envs.arguments import beginning_of, count_of, options_of, rows_of, seeds_of, split_options, yes_or_no
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.observation_dtype import as_bytes, observation_dtype_of, space_in
from azul_duel_env.envs.one_learner import OneLearner
from azul_duel_env.envs.opponents import refuse_self_play
from azul_duel_env.envs.options import BatchOptions, names_of
from azul_duel_env.envs.rendering import RENDER_FPS, VECTOR_RENDER_MODES, Renderer, frames_of
from azul_duel_env.game import Game

OWN_OPTIONS = tuple(name for name in names_of(BatchOptions) if name != "autoreset")


class GameVectorEnv(OneLearner, VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """A game as a Gymnasium vector environment: the learner in one seat of each row, opponents in the others.

    Row i plays exactly what the single environment with the same seed plays. Observations are float32 (num_envs, size) in [0, 1], from
    the learner's seat. ``infos`` has, at ``reset`` and at each step, one entry a row (and, as in Gymnasium, a boolean array
    ``_key`` beside each ``key``: for which rows it tells something new):

    ======================  =============================================================================
    ``action_mask``         int8 (num_envs, actions): 1 for each legal action; all 0 once the episode is over
    ``illegal_action``      bool: whether the action just taken was not legal
    ``score``               int64: the learner's points
    ``opponent_score``      int64: the opponent's; of the best one, if there are several
    ``seat``                int64: the learner's seat in this episode
    ``final_obs``           with ``SAME_STEP``, where an episode ended: its last observation (None elsewhere)
    ``final_info``          and its last infos: a dictionary of the keys above
    ======================  =============================================================================

    Args:
        num_envs: how many games.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value: ``NEXT_STEP``, ``SAME_STEP``, or ``DISABLED``: then
            ``reset(options={"reset_mask": ...})`` begins an episode.
        copy: whether observations and masks are fresh with each call; False: they are the environment's own, overwritten by the next
            call, which saves up to a quarter of the time: copy what you keep, and mind that ``jax.device_put``, ``torch.from_numpy`` and
            DLPack share memory rather than copy it: what they return would change with it.
        observation_dtype: ``"float32"``, or ``"uint8"`` for observations in bytes, always fresh; see ``envs.observation_dtype``.
        render_mode: ``"rgb_array"``: ``render()`` returns a picture of each table, uint8 (height, width, 3); ``"ansi"``: each as text; or
            None.
        render_theme: ``"light"`` or ``"dark"``.
        render_width: of pictures: pixels, an even number of at least 160.
        options: fields of ``options.BatchOptions`` but ``autoreset``; which sub-decisions are asked (as ``game.abstraction`` takes them);
            the configuration of the game, and ``num_players`` where the game allows several numbers.

    Raises:
        ValueError, TypeError, OSError: an argument that is none of these; the message says what was expected.

    Attributes:
        batch: the engine below.
    """

    game: Game
    """Of a class: the game for its usual number of players; of an environment: for its own."""
    metadata = {  # noqa: RUF012 - Gymnasium expects a plain dictionary
        "render_modes": list(VECTOR_RENDER_MODES),
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        observation_dtype: str = "float32",
        render_mode: str | None = None,
        render_theme: str = "light",
        render_width: int = 800,
        **options: Any,
    ) -> None:
        self.num_envs = count_of("num_envs", num_envs)
        self._renderer = Renderer(render_mode, render_theme, render_width, VECTOR_RENDER_MODES)
        refuse_self_play(options.get("opponent"))
        self.render_mode = render_mode
        self.autoreset_mode = _mode_of(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}
        self.copy = yes_or_no("copy", copy)
        self.observation_dtype = observation_dtype_of(observation_dtype)
        self.game = type(self).game.of(options)
        own, abstraction, configuration = split_options(self.game, options, OWN_OPTIONS)
        self.batch = Batch(
            self.game,
            self.num_envs,
            autoreset=self.autoreset_mode.name.lower(),
            abstraction=abstraction,
            options=configuration,
            **own,
        )
        self.single_observation_space = space_in(self.batch.observation_space, self.observation_dtype)
        self.single_action_space = self.batch.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin new episodes.

        Args:
            seed: s seeds row i with s + i; a list has one a row. A row without one goes on with its random numbers.
            options: ``reset_mask``, bool (num_envs,): only these rows, the others stay as they are, and the boolean arrays in
                ``infos`` are True for these only; ``state``, one state for all rows (an array of one record, or in notation),
                or ``states``, one a row: begin there; any option of the game but ``explicit_chance``, for this episode only.

        Returns:
            Observations and infos, see the class. Should a state leave the learner nothing to decide, its row is over at once.

        Raises:
            ValueError, TypeError: an unknown option, or a value that a seed or option can't have; nothing has changed.
        """
        given = options_of(options)  # a copy: Gymnasium's wrappers read the mask from ``options`` later
        which = rows_of("reset_mask", given.pop("reset_mask", None), self.num_envs)
        seeds = seeds_of(seed, which, self.num_envs)
        batch, more = self.batch, ("reset_mask",)
        changed, states = beginning_of(self.game, batch.options, batch.abstraction, given, which, self.num_envs, more)
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        batch.reset_rows(which, seeds, changed, states)
        self._renderer.forget()
        present = np.zeros(self.num_envs, bool)
        present[which] = True
        return self._observations(), self._infos(present)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Carry out one action a row, and let opponents decide until each learner must again.

        Args:
            actions: integers (num_envs,).

        Returns:
            Observations float32 (num_envs, size), rewards float64 (num_envs,), terminations and truncations bool (num_envs,), and
            infos; see the class.

        Raises:
            ValueError: not one integer a row, no game yet, a row that must be reset by hand, or, with ``illegal_action="raise"``, an
                illegal action; nothing has changed. Or an opponent's answer is no legal action; then reset.
        """
        if self.render_mode == "rgb_array":
            self._renderer.remember(self.batch.states)
        self.batch.step(actions)
        rows = self.batch.rows
        terminations, truncations = rows["terminated"] == 1, rows["truncated"] == 1
        infos = self._infos(np.ones(self.num_envs, bool))
        ended = terminations | truncations
        if ended.any():
            self.batch.note_ends(ended)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                self._add_finals(infos, ended)
        return self._observations(), rows["reward"].copy(), terminations, truncations, infos

    def action_masks(self) -> NDArray[np.int8]:
        """Return the mask of each row's legal actions: int8 (num_envs, actions), as in ``infos``."""
        return self.batch.masks.copy() if self.copy else self.batch.masks

    def sample_actions(self) -> NDArray[np.int64]:
        """Return a legal action for each row (int64), every one as likely; 0 where the episode is over. ``reset(seed=...)`` seeds it."""
        return self.batch.sample()

    def render(self) -> tuple[Any, ...] | None:
        """Return the table of each row as pixels or text, as ``render_mode`` says; None without one.

        Text has what everybody sees, pictures what the learner may know, with what is new since its last decision marked.
        """
        if self.render_mode is None:
            return None
        if self.render_mode == "ansi":
            return tuple(self.game.text.board(self.batch.states, row) for row in range(self.num_envs))
        return tuple(frames_of(self.batch, self._renderer))

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ARG002 - as Gymnasium calls it
        """End the threads; the arguments that other vector environments take mean nothing here."""
        if "batch" in vars(self):
            self.batch.close()

    # Inside ----------------------------------------------------------------------------------
    def _observations(self) -> NDArray[Any]:
        if self.observation_dtype == "uint8":
            return as_bytes(self.batch.observations)
        return self.batch.observations.copy() if self.copy else self.batch.observations

    def _infos(self, present: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos of what is due now, new for the rows ``present``."""
        rows = self.batch.rows
        infos = scores_of(self.batch.states["scores"], rows["seat"].astype(np.int64))
        infos["action_mask"] = self.action_masks()
        infos["illegal_action"] = (rows["illegal"] == 1) & present
        return infos | {f"_{key}": present.copy() for key in infos}

    def _add_finals(self, infos: dict[str, Any], ended: NDArray[np.bool_]) -> None:
        """Add the last observations and infos of the episodes that ended, in Gymnasium's form."""
        batch, rows = self.batch, self.batch.rows
        last = scores_of(rows["final_scores"], rows["final_seat"].astype(np.int64))
        final = {key: np.where(ended, value, 0) for key, value in last.items()}
        final["action_mask"] = np.zeros_like(batch.masks)
        final["illegal_action"] = infos["illegal_action"] & ended
        infos["illegal_action"] = infos["illegal_action"] & ~ended
        observations = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(ended):
            final_observation = batch.finals[row]
            is_bytes = self.observation_dtype == "uint8"
            observations[row] = as_bytes(final_observation) if is_bytes else final_observation.copy()
        infos["final_obs"], infos["_final_obs"] = observations, ended
        infos["final_info"] = final | {f"_{key}": ended.copy() for key in final}
        infos["_final_info"] = ended.copy()


def scores_of(scores: NDArray[np.int16], seats: NDArray[np.int64]) -> dict[str, Any]:
    """Return points and seats as infos have them: int64, one a row."""
    rows = np.arange(len(seats))
    others = scores.astype(np.int64)
    own = others[rows, seats]
    others[rows, seats] = np.iinfo(np.int64).min
    return {"score": own, "opponent_score": others.max(axis=1), "seat": seats}


def _mode_of(mode: str | AutoresetMode) -> AutoresetMode:
    """Return the autoreset mode that an argument names."""
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if mode in (known.value, known.name, known.name.lower()):
            return known
    values = ", ".join(repr(known.value) for known in AutoresetMode)
    raise ValueError(f"autoreset_mode must be an AutoresetMode or one of {values}, not {mode!r}")
