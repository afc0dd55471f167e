"""The templates of ``azul_duel_env.kernels``, bound to the rules of dice."""

from azul_duel_env.kernels import templates_beside

__path__ = templates_beside(__path__)
