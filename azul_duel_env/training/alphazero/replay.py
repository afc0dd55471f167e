"""What was played, to learn from: states, from which observations are made again, and what the search found there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game import Game, States
from azul_duel_env.system.files import replaced
from azul_duel_env.system.reading import one_line

LEAST_SPREAD = 0.02  # of values in -1 to 1: less is chance


@dataclass(frozen=True)
class Decisions:
    """Decisions of some games, n of them.

    Attributes:
        states: (n,).
        counts: int16 (n,): legal actions of each.
        actions: int16 (sum of counts,): these, one decision after the other, and
        policies: float32, likewise: the improved policy over them.
        searched: float32 (n, players): what the search thought that each seat's game is worth, in turn order from who decides, and
        outcomes: float32 (n, players): what it came to.
    """

    states: States
    counts: NDArray[np.int16]
    actions: NDArray[np.int16]
    policies: NDArray[np.float32]
    searched: NDArray[np.float32]
    outcomes: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.counts)


def joined(parts: Sequence[Decisions]) -> Decisions:
    """Return the decisions of several parts as one, in their order."""
    return Decisions(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Decisions)))


def write_decisions(file: Path, decisions: Decisions) -> None:
    """Write decisions into an ``.npz`` file, which is whole or as before."""
    arrays = {field.name: getattr(decisions, field.name) for field in fields(Decisions)}
    arrays["states"] = decisions.states.view(np.uint8)
    with replaced(file) as temporary, temporary.open("wb") as opened:
        np.savez(opened, allow_pickle=False, **arrays)


def read_decisions(file: Path, game: Game) -> Decisions:
    """Return the decisions in a file.

    Raises:
        OSError: it can't be read.
        ValueError: it holds none of this game; the message names it and what helps.
    """
    try:
        with np.load(file, allow_pickle=False) as held:
            arrays = {field.name: held[field.name] for field in fields(Decisions)}
        arrays["states"] = arrays["states"].view(game.state)
        return Decisions(**arrays)
    except OSError:
        raise
    except Exception as error:  # zipfile and NumPy raise nearly anything at damaged bytes
        raise ValueError(
            f"{file} holds no decisions of this run ({one_line(error)}): put a copy of it back, or train in another folder"
        ) from error


@dataclass(frozen=True)
class Batch:
    """Positions to learn from, n of them, with m legal actions at most.

    Attributes:
        observations: float32 (n, observation size), seen by who decides.
        lookups: int64 (n, most lookups): those that are 1, see ``kernels.encoding``; NUM_LOOKUPS stands for none.
        outputs: int64 (legal actions of all, most outputs): those of each, likewise, one position after the other.
        is_legal: bool (n, m): whether there is such an action.
        policies: float32 (n, m): the improved policy, 0 where there is none.
        values: float32 (n, values): as the network's.
    """

    observations: NDArray[np.float32]
    lookups: NDArray[np.int64]
    outputs: NDArray[np.int64]
    is_legal: NDArray[np.bool_]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]


class Replay:
    """The latest decisions, in blocks, the oldest of which are let go.

    Args:
        game: that is played.
        least: decisions that are kept, if there are so many.
        most: decisions that are kept, but for a part of the oldest block.
        search_share: of what the search thought, in values; the rest is what games came to.
        num_values: of the network.
    """

    def __init__(self, game: Game, least: int, most: int, search_share: float, num_values: int) -> None:
        self.game, self.least, self.most = game, least, most
        self.search_share, self.num_values = search_share, num_values
        self.blocks: dict[int, Decisions] = {}
        self._starts: dict[int, NDArray[np.int64]] = {}

    def __len__(self) -> int:
        return sum(len(block) for block in self.blocks.values())

    def add(self, number: int, block: Decisions) -> None:
        """Add a block, with a number of its own, above those before."""
        self.blocks[number] = block
        self._starts[number] = np.cumsum(block.counts, dtype=np.int64) - block.counts

    def spread(self) -> float:
        """Return the standard deviation of what the games of the latest block came to, LEAST_SPREAD at least; 1 before there is any."""
        if not self.blocks:
            return 1.0
        return max(LEAST_SPREAD, float(self.blocks[max(self.blocks)].outcomes.std()))

    def let_go(self, total: int) -> None:
        """Let blocks go that are not needed to keep the latest half of ``total`` decisions, within the bounds."""
        wanted = min(self.most, max(self.least, total // 2))
        while len(self) - len(self.blocks[min(self.blocks)]) >= wanted:
            oldest = min(self.blocks)
            del self.blocks[oldest], self._starts[oldest]

    def draw(self, rng: np.random.Generator, size: int) -> Batch:
        """Return positions drawn at random, with all as likely."""
        ends = np.cumsum([len(block) for block in self.blocks.values()])
        drawn = np.sort(rng.integers(ends[-1], size=size))
        of_block = np.searchsorted(ends, drawn, side="right")
        parts = [
            self._at(number, drawn[of_block == k] - (ends[k] - len(self.blocks[number])))
            for k, number in enumerate(self.blocks)
        ]
        return batch_of(self.game, joined(parts), self.search_share, self.num_values)

    def _at(self, number: int, places: NDArray[np.int64]) -> Decisions:
        """Return the decisions at some places of a block."""
        block = self.blocks[number]
        counts = block.counts[places].astype(np.int64)
        before = np.cumsum(counts) - counts
        entries = np.repeat(self._starts[number][places] - before, counts) + np.arange(counts.sum())
        return Decisions(
            block.states[places],
            block.counts[places],
            block.actions[entries],
            block.policies[entries],
            block.searched[places],
            block.outcomes[places],
        )


def batch_of(game: Game, decisions: Decisions, search_share: float, num_values: int) -> Batch:
    """Return decisions as a network learns from them; for the shares see ``Replay``."""
    kernel = game.kernel("fast_network")
    n, states, counts = len(decisions), decisions.states, decisions.counts
    lookups = np.empty((n, kernel.MAX_LOOKUPS), np.int16)
    listed = np.empty((len(decisions.actions), kernel.MAX_OUTPUTS), np.int16)
    kernel.encode(states, counts, decisions.actions, lookups, listed)
    is_legal = np.arange(counts.max(initial=1)) < counts[:, np.newaxis]
    policies = np.zeros(is_legal.shape, np.float32)
    policies[is_legal] = decisions.policies
    values = search_share * decisions.searched + (1 - search_share) * decisions.outcomes
    observations = game.observations(states, states["player"].astype(np.int64), check=False)
    return Batch(
        observations,
        lookups.astype(np.int64),
        listed.astype(np.int64),
        is_legal,
        policies,
        values[:, :num_values].astype(np.float32),
    )
