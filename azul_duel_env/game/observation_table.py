"""The table of an observation: named blocks of numbers one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Block:
    """A named part of the observation: where it starts, its shape, and what its numbers mean; all lie in [0, 1]."""

    name: str
    first: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


def lay_out(*rows: tuple[str, tuple[int, ...], str]) -> tuple[Block, ...]:
    """Lay the blocks out one after the other."""
    blocks: list[Block] = []
    first = 0
    for name, shape, meaning in rows:
        blocks.append(Block(name, first, shape, meaning))
        first += prod(shape)
    return tuple(blocks)


def as_named(observation: NDArray[np.float32], blocks: tuple[Block, ...]) -> dict[str, NDArray[np.float32]]:
    """Return the named blocks of one observation, or of a batch (N, size), as views with their shapes."""
    lead = observation.shape[:-1]
    return {
        block.name: observation[..., block.first : block.first + block.size].reshape(*lead, *block.shape)
        for block in blocks
    }
