"""The action abstraction of a game without sub-decisions: each action is asked as it is. A template: see ``kernels``.

A game with sub-decisions has an ``abstraction`` of its own, with the same names, beside its ``rules``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from azul_duel_env.jit import rule
from azul_duel_env.kernels.constants import ASKED, ILLEGAL

from .rules import MAX_LEGAL, NUM_ACTIONS, OBSERVATION_SIZE, write_observation

MAX_ASKED = MAX_LEGAL
"""Room for the legal asked actions of any state; never less than MAX_LEGAL."""

ABSTRACTION = np.dtype((np.record, np.dtype([("num_actions", np.int64), ("observation_size", np.int64)], align=True)))
"""An abstraction as compiled code reads it; a game's own has more fields."""

RECORD = np.array([(NUM_ACTIONS, OBSERVATION_SIZE)], ABSTRACTION)
RECORD.flags.writeable = False


@dataclass(frozen=True)
class WholeActions:
    """There is nothing to choose."""

    num_actions: ClassVar[int] = NUM_ACTIONS
    observation_size: ClassVar[int] = OBSERVATION_SIZE
    record: ClassVar[np.ndarray] = RECORD
    blocks: ClassVar[tuple[Any, ...]] = ()
    has_solver: ClassVar[bool] = False

    def action_name(self, action: int) -> str:
        """Return the name of an action; a game's subclass knows better ones."""
        return f"action {action}"


@rule
def abstract_for(state, action, abstraction):
    """Return the asked action that stands for an action of the game, of several the first; ASKED if none does now."""
    return np.int64(action)


@rule
def num_abstract_for(state, action, abstraction):
    """Return how many asked actions stand for an action of the game: that of ``abstract_for``, and those that follow it."""
    return 1


@rule
def asks_all(state, abstraction):
    """Return whether each legal action of the game is asked as it is."""
    return True


@rule
def list_abstract(state, abstraction, legal, count, asked):
    """Write what is asked for ``legal[:count]``, ascending, into ``asked`` (int16, MAX_ASKED); return how many."""
    for k in range(count):
        asked[k] = legal[k]
    return count


@rule
def write_abstract_mask(state, abstraction, mask, legal, count):
    """Write 1 for each legal asked action and 0 for the others into ``mask`` (int8, abstraction.num_actions)."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    for k in range(count):
        mask[legal[k]] = 1


@rule
def write_abstract_observation(state, abstraction, player, out):
    """Write the observation into ``out`` (float32, abstraction.observation_size)."""
    write_observation(state, player, out)


@rule
def game_action_for(state, abstraction, asked, legal, count):
    """Return the action of the game that an asked action stands for, ILLEGAL, or ASKED if the state now remembers a part of it."""
    for k in range(count):
        if legal[k] == asked:
            return np.int64(asked)
    return np.int64(ILLEGAL)


@rule
def policy_action(state, abstraction, legal):
    """Return the action of the game that a policy takes in the decision that is due, or ASKED; ``legal`` is scratch."""
    return np.int64(ASKED)


@rule
def quick_policy_action(state, abstraction, legal):
    """Return the same as ``policy_action``, or SOLVED where ``solve_decision`` would decide.

    Who steps many games need not have it compiled.
    """
    return np.int64(ASKED)


@rule
def solve_decision(state):
    """Return the action of the game where ``quick_policy_action`` says SOLVED."""
    return np.int64(ASKED)
