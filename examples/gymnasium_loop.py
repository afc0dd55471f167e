"""A random learner plays ``greedy`` in Gymnasium: masks, rewards, and what a finished episode tells."""

import argparse

import gymnasium
import numpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--episodes", type=int, default=3)
parser.add_argument("--opponent", default="greedy")
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()

env = gymnasium.make(
    "azul_duel_env:azul/Duel-v0", opponent=arguments.opponent, reward="score_delta", render_mode="ansi"
)
rng = np.random.default_rng(arguments.seed)
for episode in range(arguments.episodes):
    observation, info = env.reset(seed=arguments.seed + episode)
    terminated = truncated = False
    total = 0.0
    while not (terminated or truncated):
        action = rng.choice(np.flatnonzero(info["action_mask"]))  # or env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(int(action))
        total += float(reward)
    assert total == info["score"] - info["opponent_score"]
    print(f"episode {episode + 1}, seat {info['seat']}: {info['score']} to {info['opponent_score']} points")
print(env.render())
