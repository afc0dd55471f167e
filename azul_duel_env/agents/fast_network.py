"""A fast network as an agent, which plays its best action: ``network:PATH`` with a file of ``fast_network_file``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from azul_duel_env.agents.fast_network_file import read_fast_network_file
from azul_duel_env.game import Game, States


@dataclass(frozen=True)
class TrainedFastNetwork:
    """A fast network from a file. Called as ``(states, i, key)`` it is an agent's policy, for any number of threads.

    Attributes:
        game: that it plays.
        path: of the file.
        header: what it says about itself; see ``fast_network_file``.
        compiled: the same for compiled code.
    """

    game: Game
    path: Path
    header: Mapping[str, Any]
    compiled: Any

    def __call__(self, states: States, i: int, key: np.uint64) -> int:  # noqa: ARG002 # nothing is left to chance
        """Return the action to take in ``states[i]``, where a player decides."""
        return int(self.game.kernel("fast_network").choose_by_fast_network(states, i, self.compiled))

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        """Copy and pickle the place of the file only: weights are large."""
        return read_fast_network, (self.path,)

    def __deepcopy__(self, memo: dict[int, Any]) -> TrainedFastNetwork:
        return self


def read_fast_network(path: Path) -> TrainedFastNetwork:
    """Return the fast network in a file.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no such file, or for another game or other tables; the message says which.
    """
    file = read_fast_network_file(path)
    return TrainedFastNetwork(file.game, path, file.header, file.compiled)
