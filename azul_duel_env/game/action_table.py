"""A table of actions: blocks of ids one after the other, each id with a name that a player understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np


@dataclass(frozen=True)
class Block:
    """A run of action ids: its name, first id, shape (row-major) and when it is offered."""

    name: str
    first: int
    shape: tuple[int, ...]
    axes: str
    when: str

    @property
    def size(self) -> int:
        """Number of ids."""
        return prod(self.shape)


def lay_out(*rows: tuple[str, tuple[int, ...], str, str]) -> tuple[Block, ...]:
    """Number the blocks one after the other."""
    blocks: list[Block] = []
    first = 0
    for name, shape, axes, when in rows:
        blocks.append(Block(name, first, shape, axes, when))
        first += prod(shape)
    return tuple(blocks)


@dataclass(frozen=True)
class ActionTable:
    """Ids of actions as blocks and indices, and as names.

    Attributes:
        blocks: as ``lay_out`` returns them.
        name_in_block: ``(block, indices) -> name`` of one action.
    """

    blocks: tuple[Block, ...]
    name_in_block: Callable[[str, tuple[int, ...]], str]

    @property
    def size(self) -> int:
        """Number of actions."""
        return self.blocks[-1].first + self.blocks[-1].size

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each action."""
        return tuple(self.name_in_block(*self.decode(action)) for action in range(self.size))

    @cached_property
    def _action_of_name(self) -> dict[str, int]:
        return {name.lower(): action for action, name in enumerate(self.names)}

    def block_of(self, action: int) -> Block:
        """Return the block of an action id.

        Raises:
            ValueError: there is no such id.
        """
        if not 0 <= action < self.size:
            raise ValueError(f"action {action} does not exist: actions are 0 to {self.size - 1}")
        return next(block for block in reversed(self.blocks) if block.first <= action)

    def encode(self, name: str, *indices: int) -> int:
        """Return the id of an action from its block and indices; a block of one action needs none.

        Raises:
            ValueError: unknown block, wrong number of indices, or an index out of range.
        """
        block = next((block for block in self.blocks if block.name == name), None)
        if block is None:
            known = ", ".join(block.name for block in self.blocks)
            raise ValueError(f"unknown action block {name!r}: the blocks are {known}")
        if block.shape == (1,) and not indices:
            indices = (0,)
        if len(indices) != len(block.shape) or not all(0 <= i < n for i, n in zip(indices, block.shape, strict=True)):
            raise ValueError(f"{name} takes indices below {block.shape}, not {indices}")
        return block.first + int(np.ravel_multi_index(indices, block.shape))

    def decode(self, action: int) -> tuple[str, tuple[int, ...]]:
        """Return the block and indices of an action id; the inverse of ``encode``.

        Raises:
            ValueError: there is no such id.
        """
        block = self.block_of(action)
        return block.name, tuple(int(i) for i in np.unravel_index(action - block.first, block.shape))

    def name(self, action: int) -> str:
        """Return the name of an action.

        Raises:
            ValueError: there is no such id.
        """
        self.block_of(action)
        return self.names[action]

    def parse(self, name: str) -> int:
        """Return the action with this name (space and case don't matter); the inverse of ``name``.

        Raises:
            ValueError: no action has this name; the message shows the closest ones.
        """
        wanted = " ".join(name.split()).lower()
        if wanted in self._action_of_name:
            return self._action_of_name[wanted]
        from difflib import get_close_matches

        close = get_close_matches(" ".join(name.split()), self.names, n=3, cutoff=0.5)
        hint = f"; close names: {', '.join(map(repr, close))}" if close else ""
        raise ValueError(f"no action is called {name!r:.80}{hint}")
