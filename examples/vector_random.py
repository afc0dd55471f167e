"""Play random moves in many games of Azul Duel at once, and print how fast that goes.

python examples/vector_random.py --envs 1024 --steps 500 --opponent greedy --threads -1
"""

import argparse
import time

import numpy as np

from azul_duel_env.envs.duel import DuelVectorEnv


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choose a legal action for each row, every one alike: number them, and look where the k-th is."""
    counts = masks.sum(axis=1, dtype=np.int64)
    wanted = (rng.random(len(masks)) * counts).astype(np.int64)
    _, actions = np.nonzero(masks)  # row by row
    return actions[np.cumsum(counts) - counts + wanted]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    env = DuelVectorEnv(
        arguments.envs, opponent=arguments.opponent, threads=arguments.threads, autoreset_mode="SameStep", copy=False
    )
    rng = np.random.default_rng(arguments.seed)
    _, infos = env.reset(seed=arguments.seed)
    env.step(random_legal(infos["action_mask"], rng))  # compiles, the first time
    results = np.zeros(3, np.int64)
    start = time.perf_counter()
    for _ in range(arguments.steps):
        _, rewards, terminated, _, infos = env.step(random_legal(env.action_masks(), rng))
        results += np.bincount(rewards[terminated].astype(np.int64) + 1, minlength=3)
    seconds = time.perf_counter() - start
    env.close()
    lost, drawn, won = results
    print(f"{arguments.envs * arguments.steps / seconds:,.0f} steps a second, against {arguments.opponent}")
    print(f"{results.sum()} games: {won} won, {drawn} drawn, {lost} lost")


if __name__ == "__main__":
    main()
