"""The network as PyTorch trains it, and as files and compiled code take it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.fast_network_file import LAYERS, num_values, quantised
from azul_duel_env.agents.network import read_network
from azul_duel_env.game import Game
from azul_duel_env.kernels.constants import LARGEST_WEIGHT, UNIT

NOT_LEGAL = -1e9
"""The logit of what nobody can take."""


class Network(nn.Module):
    """Two layers with ReLU; from the second one the outputs that logits are summed from, and values: see ``kernels.fast_network``.

    Args:
        game: that it plays.
        units: of the first layer.
        width: of the second.
    """

    def __init__(self, game: Game, units: int, width: int) -> None:
        super().__init__()
        kernel = game.kernel("fast_network")
        self.first = nn.Linear(game.observation_size, units)
        self.lookups = nn.EmbeddingBag(kernel.NUM_LOOKUPS + 1, units, mode="sum", padding_idx=kernel.NUM_LOOKUPS)
        self.second = nn.Linear(units, width)
        self.policy = nn.Linear(width, kernel.NUM_OUTPUTS)
        self.value = nn.Linear(width, num_values(game))
        nn.init.zeros_(self.lookups.weight)

    def forward(
        self, observations: Tensor, lookups: Tensor, outputs: Tensor, is_legal: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits and values of positions, as ``replay.Batch`` has them.

        Args:
            observations: float32 (n, observation size).
            lookups: int64 (n, most lookups).
            outputs: int64 (legal actions of all, most outputs).
            is_legal: bool (n, m).

        Returns:
            logits (n, m), NOT_LEGAL where there is no action, and values (n, values) in -1 to 1.
        """
        first = functional.relu(self.first(observations) + self.lookups(lookups))
        hidden = functional.relu(self.second(first))
        products = functional.pad(self.policy(hidden), (0, 1))
        places = is_legal.nonzero()[:, :1] * products.shape[1] + outputs
        logits = torch.full(is_legal.shape, NOT_LEGAL)
        logits[is_legal] = products.flatten()[places].sum(1)
        return logits, torch.tanh(self.value(hidden))

    @torch.no_grad()
    def keep_within_bounds(self) -> None:
        """Clip the weights of the first layer to what its integers can hold; call it after each step of learning."""
        bound = LARGEST_WEIGHT / UNIT
        self.first.weight.clamp_(-bound, bound)
        self.lookups.weight.clamp_(-bound, bound)


@torch.no_grad()
def arrays_of(network: Network) -> dict[str, NDArray[np.generic]]:
    """Return what a file of the network holds; see ``fast_network_file``. The small layers stay float32.

    Raises:
        ValueError: weights of the first layer are out of bounds.
    """
    given = {name: getattr(network, name) for name in LAYERS}
    arrays = {f"{name}_weight": layer.weight.numpy().copy() for name, layer in given.items()}
    arrays |= {f"{name}_bias": layer.bias.numpy().copy() for name, layer in given.items()}
    arrays["second_weight"] = np.ascontiguousarray(arrays["second_weight"].T)
    rows = np.concatenate([arrays["first_weight"].T, network.lookups.weight.numpy()[:-1]])
    arrays["first_weight"], arrays["first_bias"] = quantised(rows, arrays["first_bias"])
    return arrays


@torch.no_grad()
def load_arrays(network: Network, game: Game, path: str) -> None:
    """Give a network the weights in a file, of the first layer as far as they were rounded.

    Raises:
        ValueError: there is no network of this game and size; the message names the file.
        OSError: it can't be read.
    """
    read = read_network(path)
    if not isinstance(read, TrainedFastNetwork) or read.game != game:
        raise ValueError(f"network.start: {path} holds no network with an integer first layer of {game.full_title}")
    units, width = read.compiled.second.shape
    if (units, width) != (network.first.out_features, network.second.out_features):
        raise ValueError(
            f"network.start: {path} has {units} units and a width of {width}, unlike network.units and network.width"
        )
    compiled = read.compiled
    of_observation, of_lookups = np.split(compiled.first / UNIT, [game.observation_size])
    network.lookups.weight[:-1] = torch.from_numpy(of_lookups)
    given = {
        "first": (of_observation.T, compiled.first_bias / UNIT),
        "second": (compiled.second.T, compiled.second_bias),
        "policy": (compiled.policy, compiled.policy_bias),
        "value": (compiled.value, compiled.value_bias),
    }
    for name in LAYERS:
        weight, bias = given[name]
        layer = getattr(network, name)
        layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(weight)))
        layer.bias.copy_(torch.from_numpy(np.ascontiguousarray(bias)))
