"""Networks for tests: files with weights drawn at random, and a second, obvious way to run such a file."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from azul_duel_env.games.duel.kernels.network import logits_of

from azul_duel_env.agents.network_file import tables_digest
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.abstraction import ActionAbstraction
from azul_duel_env.games.duel.actions import MAX_LEGAL

REWARD = {"win_loss": 0.5, "score_delta": 0.02, "potential": 0.03}


def contents(advice=None, activation="tanh", hidden=(6, 5), seed=0, **abstraction: str) -> tuple[dict[str, Any], dict]:
    """Header and arrays of a network with random weights."""
    asked, rng = ActionAbstraction(**abstraction), np.random.default_rng(seed)
    inputs = asked.observation_size + (asked.num_actions if advice else 0)
    arrays = {}
    for part, outputs in (("policy", asked.num_actions), ("value", 1)):
        sizes = [inputs, *hidden, outputs]
        for k, (before, after) in enumerate(pairwise(sizes)):
            arrays[f"{part}_{k}_bias"] = rng.normal(size=after).astype(np.float32)
            arrays[f"{part}_{k}_weight"] = (rng.normal(size=(before, after)) / 3).astype(np.float32)
    header = {"format": 1, "game": "azul/duel-v0", "granularity": abstraction, "advice": advice, "reward": REWARD}
    header |= {"activation": activation, "trust": 1.5 if advice else 0.0, "tables": tables_digest(GAME, asked)}
    return header | {"source": {"version": "azul_duel_env 0"}}, arrays


def written(file: Path, header: dict[str, Any], arrays: dict) -> Path:
    """The same as a file."""
    np.savez(file, header=np.array(json.dumps(header)), **arrays)
    return file


def outputs(header: dict[str, Any], arrays: dict, part: str, inputs: Any) -> Any:
    """What one part of a network makes of its inputs, by matrix products; with advice, the policy's end with it."""
    units, k = np.asarray(inputs, np.float64), 0
    while f"{part}_{k}_bias" in arrays:
        units = units @ arrays[f"{part}_{k}_weight"].astype(np.float64) + arrays[f"{part}_{k}_bias"]
        k += 1
        if f"{part}_{k}_bias" in arrays:
            units = np.tanh(units) if header["activation"] == "tanh" else np.maximum(units, 0)
    if part == "policy" and header["advice"]:
        units += header["trust"] * np.log(np.maximum(inputs[-len(units) :], 1e-3))
    return units


def ratings(network, position):
    """Legal actions and the logit of each."""
    legal, values = np.empty(MAX_LEGAL, np.int16), np.empty(MAX_LEGAL)
    count = logits_of(position.states, 0, network.compiled, legal, values)
    return legal[:count], values[:count]
