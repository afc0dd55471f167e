"""A trained model as a file that plays without any library of training: see ``kernels.network``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import FlattenExtractor
from torch import nn

from azul_duel_env import __version__
from azul_duel_env.agents.network_file import FORMAT, PARTS, checked, tables_digest
from azul_duel_env.envs.opponents import load_model, model_file
from azul_duel_env.system.files import replaced
from azul_duel_env.system.reading import user_path
from azul_duel_env.training.config import Config
from azul_duel_env.training.policy import AdvisedPolicy
from azul_duel_env.training.run import MODEL, config_beside

Precision = Literal["float16", "float32"]
ACTIVATION = {nn.Tanh: "tanh", nn.ReLU: "relu"}


def export(model: str | Path, out: Path, precision: Precision = "float16") -> Mapping[str, Any]:
    """Write policy and value network of a trained model into one file; return its header.

    The file runs no code, but reading the model does (it is a pickle): export only what you trust.

    Args:
        model: a saved MaskablePPO with the config of its run beside it, or the folder of that run.
        out: the file, such as ``network.npz``; whole or as before.
        precision: of its weights.

    Raises:
        OSError: the model can't be read, or the file can't be written.
        ValueError: no model, no config beside it, or an architecture or weights that such a file can't hold.
    """
    model = user_path(model)
    file = model_file(model / MODEL if model.is_dir() else model)
    config, loaded = config_beside(file), load_model(file)
    layers, header = layers_of(loaded.policy), header_of(config, loaded)
    with np.errstate(over="ignore"):
        arrays = {name: array.astype(precision) for name, array in layers.items()}
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError(f"{file} has weights that {precision} can't hold")
    checked(file, header, arrays)
    with replaced(out) as temporary:
        np.savez(temporary, header=np.array(json.dumps(header)), **arrays)  # type: ignore[arg-type] # no pickles
    return header


def header_of(config: Config, model: Any) -> dict[str, Any]:
    """Return what the file says about a model."""
    given = config.environment
    abstraction = config.table.make_abstraction(**given.granularity)
    advised = isinstance(model.policy, AdvisedPolicy)
    return {
        "format": FORMAT,
        "game": config.game,
        **config.table.players_option,
        "granularity": given.granularity,
        "advice": given.advice,
        "activation": ACTIVATION[model.policy.activation_fn],
        "trust": model.policy.action_net.trust.item() if advised else 0.0,
        "reward": given.reward if isinstance(given.reward, dict) else {given.reward: 1.0},
        "tables": tables_digest(config.table, abstraction),
        "source": {
            "config": yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False),
            "steps": model.num_timesteps,
            "version": f"azul_duel_env {__version__}",
        },
    }


def layers_of(policy: Any) -> dict[str, NDArray[np.float32]]:
    """Return bias (outputs,) and weight (inputs, outputs) of each layer, by name.

    Raises:
        ValueError: another kind of policy than those of ``azul-duel train``.
    """
    extractor, activation = policy.mlp_extractor, policy.activation_fn
    if activation not in ACTIVATION or policy.features_extractor_class is not FlattenExtractor:
        found = f"{type(policy).__name__} with {activation.__name__} and {policy.features_extractor_class.__name__}"
        raise ValueError(f"expected layers of a flat observation with tanh or relu between them, not {found}")
    last = policy.action_net.correction if isinstance(policy, AdvisedPolicy) else policy.action_net
    linear = {
        "policy": [*_linear(extractor.policy_net), last],
        "value": [*_linear(extractor.value_net), policy.value_net],
    }
    arrays = {}
    for part in PARTS:
        for k, layer in enumerate(linear[part]):
            arrays[f"{part}_{k}_bias"] = layer.bias.detach().numpy()
            arrays[f"{part}_{k}_weight"] = layer.weight.detach().numpy().T
    return arrays


def _linear(layers: Any) -> list[nn.Linear]:
    return [layer for layer in layers if isinstance(layer, nn.Linear)]
