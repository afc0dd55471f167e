"""The options of environments that play rows of games, each documented here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from azul_duel_env.envs.arguments import count_of, number_of, place_of, weights_of
from azul_duel_env.envs.opponents import OpponentLike
from azul_duel_env.kernels.constants import AUTORESET_MODES, ILLEGAL_ACTIONS, RANDOM_SEAT, REWARD_PARTS

REWARDS = {
    "win_loss": "+1 and -1 at the end, 0 for a draw; among n players k winners get (n - k) / (k (n - 1)) each, the others -1 / (n - 1)",
    "score_margin": "own points less the mean of the others', at the end",
    "score_delta": "the change of that margin since the decision before",
    "potential": "gamma times the potential now, less that at the decision before (potential-based shaping: the best policy stays the "
    "same); the potential is greedy's evaluation of the own seat less the mean of the others', and 0 once the game is over",
    "rank": "by the place at the end, from +1 for the first in even steps down to -1 for the last; equal players share the mean",
}
"""Part of a reward -> what it gives."""
ADVISERS = ("greedy",)


@dataclass(frozen=True, kw_only=True)
class EpisodeOptions:
    """How one learner's episodes are played.

    Attributes:
        opponent: ``"random"``, ``"greedy"``, ``"network"``, ``"mcts:N"``, ``"network+mcts:N"``, ``"sb3:PATH"`` of a saved MaskablePPO,
            ``"module:function"``, a function ``(observation, action_mask) -> action`` (in vector environments on a batch of rows), a
            maskable stable-baselines3 model, or a pool: a sequence of those, or a mapping of specs to shares. In each episode each seat
            but the learner's draws one of the pool. None: ``"greedy"``, unless there are ``opponents``. Only specs survive in
            ``env.spec.to_json()``. ``sb3:PATH`` (a pickle) and ``module:function`` run code from there: name only what you trust;
            ``network:PATH`` of an exported model, or ``network+mcts:N:PATH`` with search, runs none.
        opponents: instead of ``opponent`` a fixed line-up: one for each seat but the learner's, in turn order after it.
        seat: the learner's seat, or ``"random"`` for each episode.
        reward: a part, or a mapping of parts to weights; see ``REWARDS``.
        gamma: discount of the learner, for the part ``potential``, in [0, 1].
        illegal_action: ``"lose"``: the episode ends with reward -1, and 1 / (n - 1) for each other of n players; ``"random"``: a random
            legal action is taken instead; ``"penalty"``: nothing happens but a reward of -illegal_penalty, which the others share;
            ``"raise"``: a ValueError, and nothing has changed.
        illegal_penalty: at least 0.
        advice: ``"greedy"``: the observation ends with what this agent thinks of each action that is asked: 1 for the best, less by a
            factor e for each point that it expects less, 0 for one that is not legal; None: nothing is added.
    """

    opponent: OpponentLike = None
    opponents: Sequence[OpponentLike] | None = None
    seat: str | int = "random"
    reward: str | Mapping[str, float] = "win_loss"
    gamma: float = 1.0
    illegal_action: str = "lose"
    illegal_penalty: float = 0.1
    advice: str | None = None


@dataclass(frozen=True, kw_only=True)
class BatchOptions(EpisodeOptions):
    """How many learners' episodes are played side by side.

    Attributes:
        autoreset: ``"next_step"``: the step after the end ignores the action and begins a new episode, with reward 0; ``"same_step"``:
            the step that ends an episode also begins the next; ``"disabled"``: it must be reset, and a step before that raises.
        max_episode_steps: truncate an episode after so many of the learner's steps; None for never (a game ends by itself).
        threads: how many threads step rows, or -1 for one a core; results don't depend on it.
    """

    autoreset: str = "next_step"
    max_episode_steps: int | None = None
    threads: int = 1


def names_of(options: type[Any]) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(field.name for field in fields(options))


def write_settings(options: BatchOptions, num_players: int, settings: np.record) -> None:
    """Write options into the record that compiled code reads; opponents and the abstraction are written elsewhere.

    Raises:
        ValueError: a value that an option can't have; the message says what was expected.
    """
    if options.advice not in (None, *ADVISERS):
        raise ValueError(f"advice must be 'greedy' or None, not {options.advice!r}")
    steps = options.max_episode_steps
    settings.advice = options.advice is not None
    settings.weights = weights_of(options.reward, REWARD_PARTS)
    settings.gamma = number_of("gamma", options.gamma, 1)
    settings.penalty = number_of("illegal_penalty", options.illegal_penalty)
    settings.max_steps = 0 if steps is None else count_of("max_episode_steps", steps)
    settings.autoreset = place_of("autoreset", options.autoreset, AUTORESET_MODES)
    settings.illegal_action = place_of("illegal_action", options.illegal_action, ILLEGAL_ACTIONS)
    settings.seat = _seat_of(options.seat, num_players)


def _seat_of(seat: Any, num_players: int) -> int:
    """Return a learner's seat, or RANDOM_SEAT."""
    if isinstance(seat, str) and seat == "random":
        return RANDOM_SEAT
    if isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= seat < num_players:
        return int(seat)
    raise ValueError(f"seat must be 'random' or 0 to {num_players - 1}, not {seat!r}")
