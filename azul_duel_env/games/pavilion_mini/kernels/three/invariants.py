"""What holds in every state with three players, as the template ``soundness`` takes it."""

from azul_duel_env.games.pavilion_mini.invariants import INVARIANTS, broken_invariants, ranges_for
from azul_duel_env.games.pavilion_mini.kernels.three.rules import NUM_PLAYERS
from azul_duel_env.games.pavilion_mini.state import STATES

STATE = STATES[NUM_PLAYERS]
RANGES = ranges_for(NUM_PLAYERS)

__all__ = ["INVARIANTS", "RANGES", "STATE", "broken_invariants"]
