"""The environments of Azul Duel: ``env(**options)`` for PettingZoo, ``self_play``, and those that Gymnasium's ids stand for.

PettingZoo: ``env(**options)``, ``raw_env(**options)``.

Agents ``player_0`` and ``player_1``. Observations are dictionaries: ``observation``, float32 (1113,) in [0, 1], see
``games.duel.observation.BLOCKS``; ``action_mask``, int8 (400,), see ``azul_duel_env.games.duel.actions.BLOCKS``; the mask is there and
nowhere else, all 0 for the agent that is not to act. An illegal action raises ``ValueError`` and changes nothing. Options of the game are
those of ``azul_duel_env.games.duel.Options``, options of the environment those of ``GameAECEnv``. Which sub-decisions are asked, and so the
sizes, is up to the options of ``azul_duel_env.games.duel.abstraction.CHOICES``.
"""

from __future__ import annotations

from typing import Any

from azul_duel_env.envs.aec import GameAECEnv
from azul_duel_env.envs.rendering import RENDER_FPS, RENDER_MODES
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.envs.single import GameEnv
from azul_duel_env.envs.vector import GameVectorEnv
from azul_duel_env.games.duel import GAME


class DuelAECEnv(GameAECEnv):
    """Azul Duel for PettingZoo."""

    game = GAME
    metadata = {  # noqa: RUF012 - PettingZoo and Gymnasium expect a plain dictionary
        "name": "azul_duel_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }


class DuelEnv(GameEnv):
    """Azul Duel for one learner, opponents inside: ``gymnasium.make("azul_duel_env:azul/Duel-v0", **options)``; see ``GameEnv``."""

    game = GAME
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 - Gymnasium expects a plain dictionary


class DuelVectorEnv(GameVectorEnv):
    """Many games of Azul Duel, stepped by one call: ``gymnasium.make_vec("azul_duel_env:azul/Duel-v0", ...)``; see ``GameVectorEnv``."""

    game = GAME


raw_env = DuelAECEnv


def env(**options: Any) -> DuelAECEnv:
    """Return the environment; see ``GameAECEnv`` for the options.

    It needs none of PettingZoo's wrappers, and order enforcing alone would cost a third of its speed: the core checks that actions
    are legal, the environment that ``reset`` comes first.

    Raises:
        ValueError: an unknown option, or a value that it can't have.
    """
    return raw_env(**options)


def self_play(num_games: int, **options: Any) -> SelfPlayBatch:
    """Return many games stepped by one call in which every player's decisions are asked; see ``SelfPlayBatch`` for the options.

    Raises:
        ValueError: an unknown option, or a value that it can't have.
    """
    return SelfPlayBatch(GAME, num_games, **options)
