"""The margin that ``greedy2`` expects, as templates take it; ``azul_duel_env.kernels.margins`` says what each is."""

from azul_duel_env.games.duel.agents.greedy2 import expected_margin, read_weights

__all__ = ["expected_margin", "read_weights"]
