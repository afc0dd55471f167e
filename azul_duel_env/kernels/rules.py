"""What the templates take from a game's rules: ``rule`` functions on one state record, and sizes. Never loaded.

``legal`` is an int16 array of MAX_LEGAL entries. A player decides where ``state.player`` is one; it is NOBODY (-1) once the game is over.
Chance draws by itself in all of these, once ``let_chance_draw`` was called or where a state draws by itself anyway.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NUM_PLAYERS: int
NUM_ACTIONS: int
MAX_LEGAL: int
"""Room for the legal actions of any state."""

ASKED: int
"""-1, instead of an action: the player is asked."""
ILLEGAL: int
"""-2, instead of an action: not legal."""
SOLVED: int
"""-3, instead of an action: ``solve_decision`` decides."""

ABSTRACTION: np.dtype
"""An action abstraction as compiled code reads it: a record with the fields ``num_actions`` and ``observation_size``, int64."""


def settle(state: Any, legal: Any) -> None:
    """Go on to the next decision, or to the end of the game."""


def list_legal(state: Any, legal: Any) -> int:
    """Write the legal actions, ascending, into ``legal``; return how many."""
    raise NotImplementedError


def carry_out(state: Any, action: int, legal: Any) -> None:
    """Carry out a legal action and go on to the next decision; ``legal`` is scratch."""


def playout(state: Any, legal: Any) -> int:
    """Play to the end with random actions by the state's generator; return the number of decisions."""
    raise NotImplementedError


def rank(state: Any, player: int) -> int:
    """Return the place of a player of a finished game, from 1; equal players share one."""
    raise NotImplementedError


def round_number(state: Any) -> int:
    """Return the number of the round under way, from 1."""
    raise NotImplementedError


def let_chance_draw(state: Any) -> None:
    """Let chance draw by itself from now on."""


def resample_state(state: Any, player: int, key: Any) -> None:
    """Draw anew what a player can't know; ``key`` is the new generator."""


def abstract_for(state: Any, action: int, abstraction: Any) -> int:
    """Return the asked action that stands for an action of the game, or ASKED if none does now."""
    raise NotImplementedError


def asks_all(state: Any, abstraction: Any) -> bool:
    """Return whether each legal action of the game is asked as it is."""
    raise NotImplementedError


def list_abstract(state: Any, abstraction: Any, legal: Any, count: int, asked: Any) -> int:
    """Write what is asked for ``legal[:count]``, ascending, into ``asked`` (int16, MAX_LEGAL); return how many."""
    raise NotImplementedError


def write_abstract_mask(state: Any, abstraction: Any, mask: Any, legal: Any, count: int) -> None:
    """Write 1 for each legal asked action and 0 for the others into ``mask`` (int8, abstraction.num_actions)."""


def write_abstract_observation(state: Any, abstraction: Any, player: int, out: Any) -> None:
    """Write the observation into ``out`` (float32, abstraction.observation_size)."""


def game_action_for(state: Any, abstraction: Any, asked: int, legal: Any, count: int) -> int:
    """Return the action of the game that an asked action stands for, ILLEGAL, or ASKED if the state now remembers a part of it."""
    raise NotImplementedError


def by_policy(state: Any, abstraction: Any, legal: Any) -> int:
    """Return the action of the game that a policy takes in the decision that is due, or ASKED; ``legal`` is scratch."""
    raise NotImplementedError


def by_rule_of_thumb(state: Any, abstraction: Any, legal: Any) -> int:
    """Return the same, or SOLVED where ``solve_decision`` would decide: who steps many games need not have it compiled."""
    raise NotImplementedError


def solve_decision(state: Any) -> int:
    """Return the action of the game where ``by_rule_of_thumb`` says SOLVED."""
    raise NotImplementedError
