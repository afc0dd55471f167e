"""How a fast network sees a position, and names an action. A template that a game may do better.

As it stands here, a network sees the observation, and has an output for each action.
"""

from __future__ import annotations

from azul_duel_env.game.observation_table import Block
from azul_duel_env.jit import rule

from .rules import NUM_ACTIONS

LOOKUPS: tuple[Block, ...] = ()
"""Blocks of inputs beside the observation, each 0 or 1."""
NUM_LOOKUPS = 0
"""How many."""
MAX_LOOKUPS = 1
"""Room for those that are 1."""
OUTPUTS: tuple[Block, ...] = ()
"""Blocks of what logits are summed from, if that is not an output for each action."""
NUM_OUTPUTS = NUM_ACTIONS
"""How many."""
MAX_OUTPUTS = 1
"""Room for those of one action."""
CONTEXT_SIZE = 1
"""Room for what is computed once for a position."""


@rule
def write_context(state, viewer, context):
    """Write what the two functions below need, seen by a viewer, into ``context`` (int64, CONTEXT_SIZE)."""


@rule
def list_lookups(state, viewer, context, out):  # noqa: ARG001 - of those that look something up
    """Write which lookups are 1 for a viewer into ``out`` (int16, MAX_LOOKUPS); return how many."""
    return 0


@rule
def list_outputs(state, action, context, out):  # noqa: ARG001 - of those with shared outputs
    """Write which outputs the logit of the viewer's legal action is summed from into ``out`` (int16, MAX_OUTPUTS); return how many."""
    out[0] = action
    return 1
