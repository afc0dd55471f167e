"""Frozen copies of the learner, to play against."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from azul_duel_env.envs.opponents import Opponent
from azul_duel_env.system.files import replaced
from azul_duel_env.system.reading import one_line
from azul_duel_env.training.config import PAST_SELVES, Stage

STEPS = re.compile("0|[1-9][0-9]*")
"""The name of a past self's file; others in their folder are somebody else's."""


class PastSelves:
    """The last few frozen copies of a policy, kept as files so that a resumed run meets them again.

    Args:
        folder: where they are kept, one file each, named by the steps trained.
        size: how many are kept.
        policy: a policy of the learner's architecture, as made or loaded: one that has computed gradients can't be copied.
        seed: of their choices: they sample, as the learner does.
        steps: that the learner has trained; a later copy is of a run that was killed after its checkpoint, and is not met.

    Raises:
        ValueError: a file that is to be met is damaged; the message names it and what helps.
    """

    def __init__(self, folder: Path, size: int, policy: Any, seed: int, steps: int) -> None:
        self.folder, self.size = folder, size
        self._rng = np.random.default_rng(seed)
        self._blank = copy.deepcopy(policy)
        self.opponents: dict[int, Opponent] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for frozen in [frozen for frozen in self._on_disk() if frozen <= steps][-size:]:
            self._meet_again(frozen)

    def _file(self, steps: int) -> Path:
        return self.folder / f"{steps}.pt"

    def _meet_again(self, steps: int) -> None:
        """Add a copy that a file holds."""
        file = self._file(steps)
        try:
            self._add(torch.load(file, weights_only=True), steps)
        except Exception as error:  # zipfile, pickle and PyTorch raise nearly anything at damaged bytes
            raise ValueError(
                f"{file} is no past self of this run ({one_line(error)}): put a copy of it back, or delete it to go on without"
            ) from error

    def freeze(self, policy: Any, steps: int) -> None:
        """Add a copy of the policy as it is now, and let the oldest go if there are too many."""
        with replaced(self._file(steps)) as temporary:
            torch.save(policy.state_dict(), temporary)
        self._add(policy.state_dict(), steps)
        while len(self.opponents) > self.size:
            del self.opponents[min(self.opponents)]

    def drop_files(self) -> None:
        """Remove the files of copies that are not met any more; a run that is killed before its next checkpoint needs them."""
        for steps in self._on_disk():
            if steps not in self.opponents:
                self._file(steps).unlink(missing_ok=True)

    def _on_disk(self) -> list[int]:
        """Return the steps of all copies that have a file, in order."""
        return sorted(int(file.stem) for file in self.folder.glob("*.pt") if STEPS.fullmatch(file.stem))

    def _add(self, parameters: dict[str, Any], steps: int) -> None:
        frozen = copy.deepcopy(self._blank)
        frozen.load_state_dict(parameters)
        frozen.set_training_mode(False)
        rng = self._rng

        def act(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
            with torch.inference_mode():
                logits = frozen.get_distribution(torch.from_numpy(observations), action_masks=masks).distribution.logits
            return np.asarray((logits.numpy() + rng.gumbel(size=masks.shape).astype(np.float32)).argmax(axis=1))

        self.opponents[steps] = Opponent(f"self after {steps} steps", act)


def pool_of(stage: Stage, selves: PastSelves) -> dict[Any, float]:
    """Return the opponents of a stage, as environments take them: past selves share what is set aside for them."""
    shares: dict[Any, float] = dict(stage.shares)
    for_selves = shares.pop(PAST_SELVES, 0.0)
    if for_selves > 0:
        shares |= dict.fromkeys(selves.opponents.values(), for_selves / len(selves.opponents))
    return shares
