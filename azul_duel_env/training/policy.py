"""A policy that starts from an agent's advice, and learns where to depart from it."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import MlpExtractor
from torch import nn

from azul_duel_env.kernels.constants import LEAST_ADVICE


class _WithAdvice(MlpExtractor):
    """Hidden layers, with the advice handed on beside what they make of the observation."""

    def __init__(self, inputs: int, actions: int, **arguments: Any) -> None:
        super().__init__(inputs, **arguments)
        self.actions = actions
        self.latent_dim_pi += actions

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Return hidden units, then the logarithm of each action's rating."""
        advice = features[:, -self.actions :].clamp_min(LEAST_ADVICE).log()
        return torch.cat([self.policy_net(features), advice], dim=1)


class _Residual(nn.Module):
    """Logits: the advice, scaled, and what is learnt on top."""

    def __init__(self, hidden: int, actions: int) -> None:
        super().__init__()
        self.correction = nn.Linear(hidden, actions)
        self.trust = nn.Parameter(torch.ones(()))
        self.actions = actions

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        correction: torch.Tensor = self.correction(latent[:, : -self.actions])
        return correction + self.trust * latent[:, -self.actions :]


class AdvisedPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy for observations that end with advice (``Batch``'s ``advice="greedy"``).

    Logits are the advice's logarithm and a correction by the network, which starts near 0: so learning starts from the adviser's play
    (residual policy learning).
    """

    def _build_mlp_extractor(self) -> None:
        actions = int(self.action_space.n)  # type: ignore[attr-defined]
        self.mlp_extractor = _WithAdvice(
            self.features_dim, actions, net_arch=self.net_arch, activation_fn=self.activation_fn, device=self.device
        )

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        actions = int(self.action_space.n)  # type: ignore[attr-defined]
        residual = _Residual(self.mlp_extractor.latent_dim_pi - actions, actions).to(self.device)
        nn.init.orthogonal_(residual.correction.weight, gain=0.01)
        nn.init.zeros_(residual.correction.bias)
        self.action_net = residual
        optimizer: Any = self.optimizer_class
        self.optimizer = optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)
