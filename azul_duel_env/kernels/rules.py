"""What the templates take from a game's rules: ``rule`` functions on one state record, and sizes. Never loaded.

``legal`` is an int16 array of MAX_LEGAL entries. A player decides where ``state.player`` is one; it is NOBODY (-1) where a draw is due,
whose kind ``state.chance`` then tells, and where the game is over, with ``state.chance`` 0. Chance draws by itself in ``settle`` and
``carry_out`` unless the state has explicit chance.

Shared code knows only these fields of a state; a game adds its own:

===================  ==================================================================================================
``rng``              uint64: the state's generator; also written, for a new seed
``player``           who decides, or NOBODY (-1)
``chance``           the kind of the draw that is due, from 1; 0 if none is
``scores``           points, exactly one entry for each of NUM_PLAYERS, never below 0
``decisions``        how many actions were carried out, whoever chose them
``explicit_chance``  whether the game stops at every draw: 1, or 0, which is also written, for chance to draw by itself
===================  ==================================================================================================
"""

from __future__ import annotations

from typing import Any

NUM_PLAYERS: int
NUM_ACTIONS: int
MAX_LEGAL: int
"""Room for the legal actions of any state."""
OBSERVATION_SIZE: int


def settle(state: Any, legal: Any) -> None:
    """Go on to the next decision, or to the end of the game."""


def list_legal(state: Any, legal: Any) -> int:
    """Write the legal actions, ascending, into ``legal``; return how many."""
    raise NotImplementedError


def carry_out(state: Any, action: int, legal: Any) -> None:
    """Carry out a legal action and go on to the next decision; ``legal`` is scratch."""


def num_outcomes(state: Any) -> int:
    """Return how many outcomes the draw that is due has, possible or not."""
    raise NotImplementedError


def outcome_weight(state: Any, outcome: int) -> int:
    """Return the integer weight of an outcome of the draw that is due; 0 if it is not possible."""
    raise NotImplementedError


def draw_outcome(state: Any) -> int:
    """Draw, with the state's generator, an outcome of the draw that is due."""
    raise NotImplementedError


def place_outcome(state: Any, outcome: int) -> None:
    """Let an outcome of the draw that is due happen; ``settle`` comes next."""


def write_observation(state: Any, player: int, out: Any) -> None:
    """Write what a player sees into ``out`` (float32, OBSERVATION_SIZE)."""


def first_player(state: Any) -> int:
    """Return who begins the round, or NOBODY (-1) before the first one was drawn."""
    raise NotImplementedError


def rank(state: Any, player: int) -> int:
    """Return the place of a player of a finished game, from 1; equal players share one."""
    raise NotImplementedError


def round_number(state: Any) -> int:
    """Return the number of the round under way, from 1; 0 before the first."""
    raise NotImplementedError


def let_chance_draw(state: Any) -> None:
    """Let chance draw by itself from now on."""


def resample_state(state: Any, player: int, key: Any) -> None:
    """Draw anew what a player can't know; ``key`` is the new generator."""
