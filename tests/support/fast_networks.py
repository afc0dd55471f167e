"""Fast networks for tests: weights drawn at random, and a second, obvious way to run such a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from walks import positions

from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.fast_network_file import LAYERS, network_from, num_values, quantised, write_fast_network
from azul_duel_env.game import Game
from azul_duel_env.games.duel import GAME
from azul_duel_env.kernels.constants import STEPS, UNIT

SOURCE = {"config": "", "steps": 0, "version": "azul_duel_env 0"}


def floats(game: Game, units: int = 16, width: int = 8, seed: int = 0) -> dict[str, np.ndarray]:
    """Weights and biases of all layers before anything is rounded, the first layer's among them."""
    rng = np.random.default_rng(seed)
    kernel = game.kernel("fast_network")
    sizes = {
        "first": (game.kernel("first_layer").NUM_INPUTS, units),
        "second": (units, width),
        "policy": (kernel.NUM_OUTPUTS, width),
        "value": (num_values(game), width),
    }
    arrays = {}
    for layer, shape in sizes.items():
        biases = shape[0] if layer in ("policy", "value") else shape[1]
        arrays[f"{layer}_weight"] = (rng.normal(size=shape) / 3).astype(np.float32)
        arrays[f"{layer}_bias"] = (rng.normal(size=biases) / 3).astype(np.float32)
    return arrays


def rounded(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same as a file holds them."""
    first_weight, first_bias = quantised(arrays["first_weight"], arrays["first_bias"])
    return {**arrays, "first_weight": first_weight, "first_bias": first_bias}


def network(game: Game, win_share: float = 0.75, **sizes: int) -> Any:
    """A network with random weights, for compiled code."""
    return network_from(game, rounded(floats(game, **sizes)), win_share)


def written(file: Path, game: Game, **sizes: int) -> Path:
    """The same as a file."""
    write_fast_network(file, game, rounded(floats(game, **sizes)), 0.75, SOURCE)
    return file


def encoded(position: Any) -> tuple[np.ndarray, np.ndarray]:
    """All inputs as whoever decides sees them, and which outputs each legal action is summed from, (legal actions, NUM_OUTPUTS)."""
    kernel, legal = position.game.kernel("fast_network"), position.legal_actions().astype(np.int16)
    lookups = np.empty((1, kernel.MAX_LOOKUPS), np.int16)
    listed = np.empty((len(legal), kernel.MAX_OUTPUTS), np.int16)
    kernel.encode(position.states, np.array([len(legal)], np.int16), legal, lookups, listed)
    on = np.zeros(kernel.NUM_LOOKUPS)
    np.add.at(on, lookups[lookups < kernel.NUM_LOOKUPS], 1)
    summed = np.zeros((len(legal), kernel.NUM_OUTPUTS))
    for row, outputs_of_one in zip(summed, listed, strict=True):
        np.add.at(row, outputs_of_one[outputs_of_one < kernel.NUM_OUTPUTS], 1)
    return np.append(position.observe(position.player), on), summed


def first_sums(arrays: dict[str, np.ndarray], inputs: np.ndarray) -> np.ndarray:
    """What the first layer sums, UNIT times STEPS times, in exact integers."""
    parts = np.rint(np.asarray(inputs, np.float64) * STEPS).astype(np.int64)
    return parts @ arrays["first_weight"].astype(np.int64)


def outputs(arrays: dict[str, np.ndarray], inputs: np.ndarray, units: np.ndarray | None = None) -> tuple[Any, Any]:
    """All outputs and the values, in float64; ``units`` of the first layer are computed unless they are given."""
    exact = {name: array.astype(np.float64) for name, array in arrays.items()}
    if units is None:
        units = np.maximum(inputs.astype(np.float64) @ exact["first_weight"] + exact["first_bias"], 0)
    hidden = np.maximum(units @ exact["second_weight"] + exact["second_bias"], 0)
    return (
        exact["policy_weight"] @ hidden + exact["policy_bias"],
        np.tanh(exact["value_weight"] @ hidden + exact["value_bias"]),
    )


def integer_units(arrays: dict[str, np.ndarray], inputs: np.ndarray) -> np.ndarray:
    """The units of the first layer as they follow from its integers."""
    total = first_sums(arrays, inputs) // STEPS + arrays["first_bias"]
    return np.maximum(total / UNIT, 0)


__all__ = [
    "LAYERS",
    "SOURCE",
    "encoded",
    "first_sums",
    "floats",
    "integer_units",
    "network",
    "outputs",
    "rounded",
    "written",
]


def trained(game, **settings):
    """A network with random weights; only in memory."""
    return TrainedFastNetwork(game, Path("memory"), {}, network(game, **settings))


def decisions(game, count):
    """Positions in which a player decides."""
    if game is GAME:
        found = (one.copy() for one in positions(10**7, first_seed=60) if not one.over)
    else:
        found = (one for seed in range(count) for one in walk(game, seed))
    for _, position in zip(range(count), found, strict=False):
        yield position


def walk(game, seed):
    """The decisions of a game at random."""
    rng, position = np.random.default_rng(seed), game.new(seed)
    while not position.over:
        yield position.copy()
        position.step(int(rng.choice(position.legal_actions())))
