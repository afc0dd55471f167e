"""Azul Duel for Gymnasium: ``gymnasium.make("azul_duel_env:azul/Duel-v0", **options)``, and ``gymnasium.make_vec``.

Observation: float32 (1113,) in [0, 1], see ``azul_duel_env.games.duel.observation.BLOCKS``. Actions: ``Discrete(400)``, see
``azul_duel_env.games.duel.actions.BLOCKS``. Options of the granularity change both, see ``azul_duel_env.games.duel.granularity.CHOICES``.
Options of the game are those of ``azul_duel_env.games.duel.Options``.
"""

from __future__ import annotations

from azul_duel_env.envs.rendering import RENDER_FPS, RENDER_MODES
from azul_duel_env.envs.single import GameEnv
from azul_duel_env.envs.vector import GameVectorEnv
from azul_duel_env.games.duel import GAME


class DuelEnv(GameEnv):
    """Azul Duel for one learner, an opponent inside; see ``GameEnv`` for the options."""

    game = GAME
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 - Gymnasium expects a plain dictionary


class DuelVectorEnv(GameVectorEnv):
    """Many games of Azul Duel, stepped by one call; see ``GameVectorEnv`` for the options."""

    game = GAME
