"""The margin that a search expects, as templates take it; ``azul_duel_env.kernels.margins`` says what each is."""

from azul_duel_env.games.pavilion_mini.agents.margins import expected_margin, read_weights

__all__ = ["expected_margin", "read_weights"]
