"""Azul Duel as Gymnasium environments."""

from __future__ import annotations

from azul_duel_env.duel import GAME
from azul_duel_env.envs.vector import GameVectorEnv


class DuelVectorEnv(GameVectorEnv):
    """Many games of Azul Duel for Gymnasium; see ``GameVectorEnv``.

    Options of the granularity are those of ``azul_duel_env.duel.granularity.CHOICES`` (``placement``, ``bonus_chips``,
    ``moon_order``, ``return_order``, ``drawing``), options of the game those of ``azul_duel_env.duel.Options``.
    """

    game = GAME
