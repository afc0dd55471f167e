"""PPO's module for RLlib that obeys action masks."""

from __future__ import annotations

from typing import Any

import gymnasium
import torch
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns

from azul_duel_env.envs.rllib.environments import ACTION_MASK, OBSERVATIONS, SEEN


class MaskedPPOModule(DefaultPPOTorchRLModule):
    """PPO's own module, with the mask applied to its logits: an action that is not legal has the probability 0.

    Networks see ``observations`` only; ``model_config`` is that of the parent. Where a mask allows nothing, as at the end of a game, all
    actions are as likely, and nothing becomes NaN.

    Attributes:
        snapshot: int64 (1,), saved with the weights: which snapshot of a league this is, from 1; 0 for a module that learns.

    Raises:
        ValueError: an observation space without ``observations`` and ``action_mask``.
    """

    def __init__(self, *args: Any, observation_space: gymnasium.spaces.Space[Any] | None = None, **kwargs: Any) -> None:
        if not isinstance(observation_space, gymnasium.spaces.Dict) or set(observation_space.spaces) != set(SEEN):
            raise ValueError(f"expected a dictionary of {' and '.join(SEEN)} to observe, not {observation_space}")
        super().__init__(*args, observation_space=observation_space[OBSERVATIONS], **kwargs)
        self.observation_space = observation_space
        self.register_buffer("snapshot", torch.zeros(1, dtype=torch.int64))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return logits for playing."""
        return _masked(super()._forward(_without_mask(batch), **kwargs), batch)

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return logits, and embeddings for the value, for learning."""
        return _masked(super()._forward_train(_without_mask(batch), **kwargs), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the value of each observation, float32 (batch,)."""
        return super().compute_values(_without_mask(batch), embeddings)


def _without_mask(batch: dict[str, Any]) -> dict[str, Any]:
    """Return a batch whose observations are those that networks see."""
    return {**batch, Columns.OBS: batch[Columns.OBS][OBSERVATIONS]}


def _masked(outputs: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    """Apply the masks of a batch to the logits that were made of it."""
    logits, mask = outputs[Columns.ACTION_DIST_INPUTS], batch[Columns.OBS][ACTION_MASK]
    return {**outputs, Columns.ACTION_DIST_INPUTS: logits.masked_fill(mask == 0, impossible(logits.dtype))}


def impossible(dtype: torch.dtype) -> float:
    """Return the logit of an action that is not legal: its probability is exactly 0, and differences of two are still finite."""
    return torch.finfo(dtype).min / 4
