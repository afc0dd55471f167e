"""What holds in every state of Azul Duel, as the template ``soundness`` takes it."""

from azul_duel_env.games.duel.invariants import INVARIANTS, RANGES, broken_invariants
from azul_duel_env.games.duel.state import STATE

__all__ = ["INVARIANTS", "RANGES", "STATE", "broken_invariants"]
