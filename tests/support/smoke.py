"""Play both games in an installed package: Gymnasium to the end of an episode, and PettingZoo's own test."""

from __future__ import annotations

import sys
import warnings

import gymnasium
import numba
from pettingzoo.test import api_test

from azul_duel_env import duel_v0, pavilion_mini_v0


def play(name: str) -> int:
    """Return the learner's decisions in one episode of the first legal actions."""
    env = gymnasium.make(name)
    _, info = env.reset(seed=1)
    decisions, ended = 0, False
    while not ended:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        ended = terminated or truncated
        decisions += 1
    return decisions


def main() -> None:
    warnings.filterwarnings("ignore", module="pettingzoo")
    for name, module in (("azul/Duel-v0", duel_v0), ("azul/PavilionMini-v0", pavilion_mini_v0)):
        decisions = play(f"azul_duel_env:{name}")
        api_test(module.env(), num_cycles=100)
        print(
            f"Python {sys.version.split()[0]}, numba {numba.__version__}: {name}, {decisions} decisions; PettingZoo's test passes"
        )


if __name__ == "__main__":
    main()
