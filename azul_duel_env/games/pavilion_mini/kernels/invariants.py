"""What holds in every state, as the template ``soundness`` takes it."""

from azul_duel_env.games.pavilion_mini.invariants import INVARIANTS, broken_invariants, ranges_for
from azul_duel_env.games.pavilion_mini.state import STATES

from . import NUM_PLAYERS

STATE = STATES[NUM_PLAYERS]
RANGES = ranges_for(NUM_PLAYERS)

__all__ = ["INVARIANTS", "RANGES", "STATE", "broken_invariants"]
