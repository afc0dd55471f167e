"""A learner that doesn't look at the mask of legal actions loses every episode at once: it is told so, and how to do better."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

import numpy as np
from numpy.typing import NDArray

EPISODES = 10
"""So many in a row are no accident: as many as an evaluation has by default."""
CHECKERS = "env_checker"
"""How modules are named that choose actions without masks on purpose, and must not warn users whose warnings are errors."""

WARNING = (
    "the last {} episodes all ended by an illegal action, which loses at once (illegal_action='lose'): actions must be "
    "chosen among those that the mask allows. With stable-baselines3 train MaskablePPO of sb3-contrib, evaluate it by evaluate_policy "
    "and MaskableEvalCallback of sb3_contrib.common.maskable, and call model.predict(observation, "
    "action_masks=env.action_masks()); with Gymnasium choose where info['action_mask'] is 1, such as "
    "env.action_space.sample(info['action_mask']); in a vector environment infos['action_mask'] has a row for each game; "
    "with TorchRL take MaskedCategorical for policies and env.rand_action for random play. Algorithms that take no mask can learn with "
    "illegal_action='random'"
)


class IllegalEnds:
    """Counts episodes that end by an illegal action, and warns once if there are too many in a row."""

    def __init__(self) -> None:
        self._in_a_row, self._has_warned = 0, False

    def note(self, illegal: NDArray[np.bool_]) -> None:
        """Note episodes that ended, in their order: whether each did by an illegal action."""
        fair = np.flatnonzero(~illegal)
        self._in_a_row = len(illegal) - 1 - int(fair[-1]) if fair.size else self._in_a_row + len(illegal)
        if self._in_a_row >= EPISODES and not self._has_warned and not _is_checked():
            self._has_warned = True
            warnings.warn(WARNING.format(self._in_a_row), stacklevel=4)  # at who called step


def _is_checked() -> bool:
    """Return whether a checker of environments steps, such as Gymnasium's or that of stable-baselines3."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).endswith(CHECKERS):
            return True
        frame = frame.f_back
    return False
