"""What an agent is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from azul_duel_env.game.arrays import NOBODY, States
from azul_duel_env.game.position import Position


class AgentError(ValueError):
    """An agent spec that names no agent; the message says what there is."""


Policy = Callable[[States, int, np.uint64], int]
"""A policy ``(states, i, key) -> action``: a compiled function, or an object that holds settings and memory and calls some.

``key`` holds all the randomness it may use; the states stay as they are.
"""


@dataclass(frozen=True)
class Agent:
    """A player that chooses by a policy.

    Attributes:
        spec: the text that ``make_agent`` makes it from.
        policy: ``(states, i, key) -> action``, the same for the same arguments unless its budget is a time.
    """

    spec: str
    policy: Policy

    def act(self, position: Position, key: np.uint64) -> int:
        """Return a legal action for the player to decide.

        Args:
            position: where a player decides. It is not changed.
            key: 64 random bits, all the randomness that the agent uses.

        Raises:
            ValueError: no player decides: a draw is due, or the game is over.
        """
        if position.player == NOBODY:
            raise ValueError(f"{self.spec} has nothing to decide: {position!r}")
        return int(self.policy(position.states, 0, key))
