"""The templates of ``azul_duel_env.kernels``, bound to the rules of Azul Summer Pavilion Mini for two players."""

from azul_duel_env.games.pavilion_mini import kernels
from azul_duel_env.kernels import templates_beside

NUM_PLAYERS = 2
__path__ = templates_beside([*__path__, *kernels.__path__])
