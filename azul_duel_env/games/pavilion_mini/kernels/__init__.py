"""The templates of ``azul_duel_env.kernels``, bound to the rules of Azul Summer Pavilion Mini, once for each number of players."""
