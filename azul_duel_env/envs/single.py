"""The single-agent Gymnasium environment of a game: one learner, opponents inside."""

from __future__ import annotations

import copy
from typing import Any, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.arguments import episode_from, episode_options, options_of, split_options, yes_or_no
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.messages import NO_GAME_YET
from azul_duel_env.envs.one_learner import OneLearner
from azul_duel_env.envs.opponents import refuse_self_play
from azul_duel_env.envs.options import EpisodeOptions, names_of
from azul_duel_env.envs.rendering import Frame, Renderer
from azul_duel_env.game import Game, Position, as_index, copy_of
from azul_duel_env.jit.rng import keys_from_seed
from azul_duel_env.kernels.constants import NO_RANK


class GameEnv(OneLearner, gymnasium.Env[NDArray[np.float32], np.int64]):
    """A game as a Gymnasium environment: one learner among any number of players.

    One step is one decision of the learner; where the game asks several things in a row, they are several steps. What opponents do
    until the learner must decide again belongs to the step, its rewards too. Observations, masks and infos are fresh each time.

    ``info``, from ``reset`` and ``step`` alike, in NumPy's types, since TorchRL's ``auto_register_info_dict`` takes no others:

    ========================  ==================================================================================
    ``action_mask``           int8 (number of actions,): 1 for each legal action; all 0 once the episode is over
    ``illegal_action``        bool (): the action of this step was not legal
    ``score``                 int64: points of the learner
    ``opponent_score``        int64: points of the opponent; of the best one, if there are several
    ``seat``                  int64: seat of the learner in this episode
    ``result``                int64: 1 if the learner alone has won, -1 if others have, 0 for a draw and until the end
    ``rank``                  int64: place of the learner at the end, from 1; equal players share one; 0 until then
    ``is_success``            bool (): ``result`` is 1; stable-baselines3 logs it as the success rate
    ========================  ==================================================================================

    Args:
        render_mode: ``"rgb_array"``: ``render()`` returns a picture, uint8 (height, width, 3); ``"human"``: a window shows it after each
            step; ``"ansi"``: ``render()`` returns the table as text; or None.
        render_theme: ``"light"`` or ``"dark"``.
        render_width: of pictures: pixels, an even number of at least 160.
        options: fields of ``options.EpisodeOptions``, such as ``opponent`` and ``reward``; the abstraction, such as
            ``placement="split"``; the configuration of the game, and ``num_players`` where the game allows several numbers.

    Raises:
        ValueError: an unknown option or opponent, or a value that an option can't have.
        TypeError: something that is no opponent.
        OSError: a saved model can't be read.
        ImportError: what the render mode needs is not installed.

    Attributes:
        batch: the game that is played, as a batch of one row.
    """

    game: Game
    """Of a class: the game for its usual number of players; of an environment: for its own."""

    def __init__(
        self,
        *,
        render_mode: str | None = None,
        render_theme: str = "light",
        render_width: int = 800,
        **options: Any,
    ) -> None:
        self._renderer = Renderer(render_mode, render_theme, render_width)
        refuse_self_play(options.get("opponent"))
        self.game = type(self).game.of(options)
        own, abstraction, configuration = split_options(self.game, options, names_of(EpisodeOptions))
        self.render_mode = render_mode
        self.batch = Batch(
            self.game,
            1,
            autoreset="disabled",
            one_by_one=True,
            abstraction=abstraction,
            options=configuration,
            **own,
        )
        self._take_spaces()
        self._is_seeded = False

    def _take_spaces(self) -> None:
        self.observation_space = self.batch.observation_space
        self.action_space = self.batch.action_space

    # What Gymnasium asks for ----------------------------------------------------------------------
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a new episode.

        Args:
            seed: the same seed gives the same episode against the same opponent, and the game that it gives in the AEC
                environment; None goes on with the random numbers of the seed before.
            options: ``state``, a whole state from ``get_state`` or in notation, to begin with (a seed then decides what is
                still to be drawn), or any option of the game but ``explicit_chance``, for this episode only.

        Raises:
            ValueError, TypeError: a value that an option or the seed can't have, an unknown option, or a state in which the learner
                has nothing to decide; nothing has changed.
        """
        keys_from_seed(seed)
        given = options_of(options)
        changed = episode_options(self.game, self.batch.options, given, ("state",))
        if "state" in given:
            self._reset_to(episode_from(self.game, given["state"], self.batch.abstraction), seed)
        else:
            if seed is None:
                self._seed_rows()
            self.batch.reset(None if seed is None else [seed], options=changed)
        super().reset(seed=None if seed is None else int(seed))
        self._is_seeded = True
        self._renderer.forget()
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Carry out one decision of the learner, and all that happens until its next one.

        ``truncated`` is always False: games end by themselves.

        Raises:
            ValueError: something that is no integer, an episode that has not begun or is over, or, with
                ``illegal_action="raise"``, an illegal action, and then what would be legal; nothing has changed. Also an
                opponent that answers with an illegal action; the game can't go on then.
        """
        batch = self.batch
        if not batch.is_begun:
            raise ValueError(NO_GAME_YET)
        if batch.rows["over"][0]:
            raise ValueError("the episode is over: call reset()")
        if self.render_mode not in (None, "ansi"):
            self._renderer.remember(batch.states)
        batch.step(np.array([_as_action(action)]))
        self._show()
        row = batch.rows[0]
        terminated = bool(row["terminated"])
        if terminated:
            batch.note_ends(np.ones(1, bool))
        return self._observation(), float(row["reward"]), terminated, bool(row["truncated"]), self._info()

    def render(self) -> Frame:
        """Return the table as pixels or text, or show it in a window, as ``render_mode`` says.

        Text has what everybody sees, pictures what the learner may know, with what is new since its last decision marked.
        """
        row = self.batch.rows[0]
        return self._renderer.show(self.render_mode, self.position, int(row["seat"]), self.batch.names_of(0))

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    # What else there is ---------------------------------------------------------------------------
    def action_masks(self) -> NDArray[np.int8]:
        """Return a fresh mask (int8, number of actions): 1 for each legal action, as sb3-contrib asks for it."""
        return self.batch.masks[0].copy()

    @property
    def abstraction(self) -> Any:
        """Which sub-decisions are asked."""
        return self.batch.abstraction

    def set_abstraction(self, **changes: str) -> None:
        """Change which sub-decisions are asked: spaces follow, the episode under way ends, and ``reset`` comes next.

        Raises:
            ValueError: an unknown sub-decision, a value that it can't have, or an opponent made for other spaces; nothing has changed.
        """
        self.batch.set_abstraction(**changes)
        self._take_spaces()

    @property
    def position(self) -> Position:
        """A copy of the state of the game, with friendly methods."""
        return Position(self.game, self.get_state())

    def get_state(self) -> NDArray[Any]:
        """Return a copy of the game's state, as ``reset(options={"state": ...})`` takes it: an array of one ``game.state``.

        Raises:
            ValueError: there is no game yet.
        """
        if not self.batch.is_begun:
            raise ValueError(NO_GAME_YET)
        return copy_of(self.batch.states)

    def clone(self, reseed: int | None = None, resample: bool = False) -> Self:
        """Return an independent copy in the midst of the episode. It shows nothing, should the original be ``"human"``.

        Args:
            reseed: None: the copy goes on exactly like the original, draws and opponents included. A seed: all that is still
                to be drawn comes differently.
            resample: all that the learner can't know is drawn anew as well, with the right odds, so that a search can't see
                hidden tiles; needs ``reseed``.

        Raises:
            ValueError: ``resample`` without ``reseed``, or a wrong seed.
        """
        if yes_or_no("resample", resample) and reseed is None:
            raise ValueError("resample needs reseed: the generator of the game must not be known either")
        other = copy.copy(self)
        other.render_mode = None if self.render_mode == "human" else self.render_mode
        other._renderer = self._renderer.copy()
        other.action_space = copy.deepcopy(self.action_space)
        other._np_random = copy.deepcopy(self._np_random)
        other.batch = self.batch.copy()
        if reseed is not None:
            keys = other.batch.seed_rows(np.arange(1), [reseed])
            other.batch.states["rng"] = keys
            if resample:
                self.game.rules.resample(other.batch.states, 0, int(self.batch.rows["seat"][0]), keys[0])
        return other

    # Inside ---------------------------------------------------------------------------------------
    def _seed_rows(self) -> None:
        """Before the first seed, seed what goes on without one."""
        if not self._is_seeded:
            self.batch.seed_rows(np.arange(1), [int(self.np_random.integers(2**63))])

    def _reset_to(self, position: Position, seed: int | None) -> None:
        """Begin an episode with a state, or say that it has nothing for the learner."""
        before = self.batch.copy()
        if seed is None:
            self._seed_rows()
        self.batch.reset(None if seed is None else [seed], states=position.states)
        if self.batch.rows["over"][0]:
            seat = int(self.batch.rows["seat"][0])
            self.batch = before
            raise ValueError(
                f"an episode can't begin with this state: the game ends before seat {seat}, the learner, must decide"
            )

    def _observation(self) -> NDArray[np.float32]:
        return self.batch.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        """Return what goes with an observation."""
        row, scores = self.batch.rows[0], self.batch.states["scores"][0].tolist()
        seat = int(row["seat"])
        score = scores.pop(seat)
        rank = int(row["final_ranks"][seat]) if row["over"] else NO_RANK
        won = rank == 1 and row["final_winner"] == seat
        result = 1 if won else -1 if rank > 1 else 0
        return {  # flags are arrays, since Gymnasium's own vectors of np.bool_ hold objects
            "action_mask": self.action_masks(),
            "illegal_action": np.array(row["illegal"] == 1),
            "score": np.int64(score),
            "opponent_score": np.int64(max(scores)),
            "seat": np.int64(seat),
            "result": np.int64(result),
            "rank": np.int64(rank),
            "is_success": np.array(result == 1),
        }

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _as_action(action: Any) -> int:
    """Return an action as an integer; any other integer than an action becomes one that is never legal.

    Raises:
        ValueError: no integer.
    """
    value = action[()] if isinstance(action, np.ndarray) and action.ndim == 0 else action
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or isinstance(action, np.ma.MaskedArray):
        raise ValueError(f"an action must be an integer, not {action!r}")
    return as_index(value)
