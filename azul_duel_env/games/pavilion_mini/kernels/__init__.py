"""The templates of ``azul_duel_env.kernels``, bound to the rules of Azul Summer Pavilion Mini, once for each number of players.

The modules of this folder are templates too: they are loaded in ``two``, ``three`` and ``four``, and take NUM_PLAYERS from there.
"""

NUM_PLAYERS: int
"""What each of these packages sets."""
