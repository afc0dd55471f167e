"""Play random moves in many games of Azul Duel at once, and print how fast that goes."""

import argparse
import time

import gymnasium
import numpy as np

import azul_duel_env  # noqa: F401 - registers the id

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--envs", type=int, default=1024)
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--opponent", default="random")
parser.add_argument("--threads", type=int, default=-1, help="-1: one a core")
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()

env = gymnasium.make_vec(
    "azul/Duel-v0",
    num_envs=arguments.envs,
    vectorization_mode="vector_entry_point",
    opponent=arguments.opponent,
    threads=arguments.threads,
    autoreset_mode="SameStep",
    copy=False,  # observations and masks are the environment's own arrays, overwritten by the next step
)
games = env.unwrapped
env.reset(seed=arguments.seed)
env.step(games.sample_actions())  # compiles, the first time
results = np.zeros(3, np.int64)
start = time.perf_counter()
for _ in range(arguments.steps):
    observations, rewards, terminated, truncated, infos = env.step(games.sample_actions())
    results += np.bincount(rewards[terminated].astype(np.int64) + 1, minlength=3)
seconds = time.perf_counter() - start
env.close()
lost, drawn, won = results
print(f"{arguments.envs * arguments.steps / seconds:,.0f} steps a second, against {arguments.opponent}")
print(f"{results.sum()} games: {won} won, {drawn} drawn, {lost} lost")
