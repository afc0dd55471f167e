"""The games for RLlib (Ray 2.60, its new API stack): environments, a module that obeys masks, a fast runner, and a league of past selves.

Importing this module registers two environments of each game by the ids that they have elsewhere too:

====================  ==================================================================================================
``azul/NAME-v0``      ``GameMultiAgentEnv``, an agent for each seat, as in PettingZoo
``azul/Name-v0``      ``MaskedObservations``, one learner with opponents inside, as in Gymnasium
====================  ==================================================================================================

Observations of both are dictionaries: ``observations``, float32 (size,) in [0, 1], and ``action_mask``, int8 (actions,), 1 for each legal
action. ``MaskedPPOModule`` takes them, and never samples an action whose mask is 0.

Example::

    from azul_duel_env.envs.rllib import self_play_config

    algorithm = self_play_config().env_runners(num_env_runners=4, num_envs_per_env_runner=64).build_algo()
    for _ in range(100):
        print(algorithm.train()["env_runners"].get("win_rate_against_past"))

Needs ``pip install 'azul_duel_env[rllib]'``.
"""

from __future__ import annotations

try:
    import ray.rllib  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError(f"RLlib is needed here: pip install 'azul_duel_env[rllib]' ({error})") from error

from azul_duel_env.envs.rllib.environments import (
    ACTION_MASK,
    OBSERVATIONS,
    GameMultiAgentEnv,
    MaskedObservations,
    masked_space,
    register,
)
from azul_duel_env.envs.rllib.league import MAIN, League, past_ids, self_play_config
from azul_duel_env.envs.rllib.module import MaskedPPOModule
from azul_duel_env.envs.rllib.runner import SeatEpisode, SelfPlayEnvRunner

__all__ = [
    "ACTION_MASK",
    "MAIN",
    "OBSERVATIONS",
    "GameMultiAgentEnv",
    "League",
    "MaskedObservations",
    "MaskedPPOModule",
    "SeatEpisode",
    "SelfPlayEnvRunner",
    "masked_space",
    "past_ids",
    "register",
    "self_play_config",
]
