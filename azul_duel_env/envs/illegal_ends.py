"""A learner that doesn't look at the mask of legal actions loses every episode at once: it is told so, and how to do better."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

EPISODES = 10
"""So many in a row are no accident."""
EPISODES_OF_ONE_GAME = 16
"""So many in the single environment: checkers choose actions without masks on purpose, and those of Gymnasium and stable-baselines3 end up
to 15 episodes in one environment, which must not be told to users whose warnings are errors."""

WARNING = (
    "the last {} episodes all ended by an illegal action, which loses at once (illegal_action='lose'): actions must be "
    "chosen among those that the mask allows. With stable-baselines3 train MaskablePPO of sb3-contrib, evaluate it by evaluate_policy "
    "and MaskableEvalCallback of sb3_contrib.common.maskable, and call model.predict(observation, "
    "action_masks=env.action_masks()); with Gymnasium choose where info['action_mask'] is 1, such as "
    "env.action_space.sample(info['action_mask']); in a vector environment infos['action_mask'] has a row for each game. Algorithms that "
    "take no mask can learn with illegal_action='random'"
)


class IllegalEnds:
    """Counts episodes that end by an illegal action, and warns once if there are too many in a row."""

    def __init__(self) -> None:
        self._in_a_row, self._is_told = 0, False

    def note(self, illegal: NDArray[np.bool_], enough: int = EPISODES) -> None:
        """Note episodes that ended, in their order: whether each did by an illegal action; so many in a row are enough to warn."""
        fair = np.flatnonzero(~illegal)
        self._in_a_row = len(illegal) - 1 - int(fair[-1]) if fair.size else self._in_a_row + len(illegal)
        if self._in_a_row >= enough and not self._is_told:
            self._is_told = True
            warnings.warn(WARNING.format(self._in_a_row), stacklevel=4)  # at who called step
