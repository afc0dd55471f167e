"""What a fast network of Azul Duel looks up, and which outputs the logit of an action is summed from.

A first layer adds up what it knows of each number of the observation by itself, and can't compute products. So it may look up counts, and
which spaces of each row, column and slot are filled. An output is shared by actions that are alike in something: two tiles more than the
line has room for, wherever they come from. Both tell what the rules tell of a position, and nothing of what is good.
"""

from .context import CONTEXT_SIZE, write_context
from .lookups import list_lookups
from .outputs import list_outputs
from .tables import LOOKUPS, MAX_LOOKUPS, MAX_OUTPUTS, NUM_LOOKUPS, NUM_OUTPUTS, OUTPUTS

__all__ = [
    "CONTEXT_SIZE",
    "LOOKUPS",
    "MAX_LOOKUPS",
    "MAX_OUTPUTS",
    "NUM_LOOKUPS",
    "NUM_OUTPUTS",
    "OUTPUTS",
    "list_lookups",
    "list_outputs",
    "write_context",
]
