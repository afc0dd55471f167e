"""Azul Duel for Gymnasium: ``gymnasium.make("azul_duel_env:azul/Duel-v0", **options)``.

Observation: float32 (1113,) in [0, 1], see ``azul_duel_env.duel.observation.BLOCKS``. Actions: ``Discrete(400)``, see
``azul_duel_env.duel.actions.BLOCKS``. Options of the granularity change both, see ``azul_duel_env.duel.granularity.CHOICES``.
"""

from __future__ import annotations

from azul_duel_env.duel import GAME
from azul_duel_env.envs.rendering import RENDER_MODES
from azul_duel_env.envs.single import GameEnv


class DuelEnv(GameEnv):
    """Azul Duel for one learner, an opponent inside; see ``GameEnv`` for the options."""

    game = GAME
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium expects a plain dictionary
