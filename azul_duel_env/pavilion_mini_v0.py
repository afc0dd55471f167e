"""The environments of Azul Summer Pavilion Mini: ``env(**options)`` for PettingZoo, ``self_play``, and those of Gymnasium's ids.

PettingZoo: ``env(**options)``, ``raw_env(**options)``.

Agents ``player_0``, ``player_1`` and so on: ``num_players`` is 2, 3 or 4, 2 unless it is given, and fixed when the environment is made.
Observations are dictionaries: ``observation``, float32 (660,), (936,) or (1212,) in [0, 1], see ``games.pavilion_mini.observation.BLOCKS``;
``action_mask``, int8 (331,) for any number of players, see ``games.pavilion_mini.actions.BLOCKS``; the mask is there only, all 0
for agents that are not to act. An illegal action raises ``ValueError`` and changes nothing. Options of the game are those of
``games.pavilion_mini.state.Options``, options of the environment those of ``GameAECEnv``. Which sub-decisions are asked, and so the number
of actions, is up to the options of ``games.pavilion_mini.abstraction.CHOICES``.
"""

from __future__ import annotations

from typing import Any

from azul_duel_env.envs.aec import GameAECEnv
from azul_duel_env.envs.rendering import RENDER_FPS, RENDER_MODES
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.envs.single import GameEnv
from azul_duel_env.envs.vector import GameVectorEnv
from azul_duel_env.games.pavilion_mini import GAME


class PavilionMiniAECEnv(GameAECEnv):
    """Azul Summer Pavilion Mini for PettingZoo."""

    game = GAME
    metadata = {  # noqa: RUF012 - PettingZoo and Gymnasium expect a plain dictionary
        "name": "azul_pavilion_mini_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }


class PavilionMiniEnv(GameEnv):
    """Azul Summer Pavilion Mini for one learner, opponents inside; see ``GameEnv``.

    ``gymnasium.make("azul_duel_env:azul/PavilionMini-v0", num_players=4, **options)``.
    """

    game = GAME
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 - Gymnasium expects a plain dictionary


class PavilionMiniVectorEnv(GameVectorEnv):
    """Many games of Azul Summer Pavilion Mini, stepped by one call; see ``GameVectorEnv``.

    ``gymnasium.make_vec("azul_duel_env:azul/PavilionMini-v0", num_players=4, ...)``.
    """

    game = GAME


raw_env = PavilionMiniAECEnv


def env(**options: Any) -> PavilionMiniAECEnv:
    """Return the environment, which needs none of PettingZoo's wrappers; see ``GameAECEnv`` for the options.

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
