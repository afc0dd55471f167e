"""How a fast network sees a position of Azul Duel, and names an action; ``azul_duel_env.kernels.encoding`` says what each is."""

from azul_duel_env.games.duel.encoding.context import CONTEXT_SIZE, write_context
from azul_duel_env.games.duel.encoding.lookups import list_lookups
from azul_duel_env.games.duel.encoding.outputs import list_outputs
from azul_duel_env.games.duel.encoding.tables import (
    LOOKUPS,
    MAX_LOOKUPS,
    MAX_OUTPUTS,
    NUM_LOOKUPS,
    NUM_OUTPUTS,
    OUTPUTS,
)

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
