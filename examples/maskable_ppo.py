"""MaskablePPO of sb3-contrib against ``greedy``, many games in one process: needs ``pip install 'azul_duel_env[train]'``."""

import argparse

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from azul_duel_env.envs.sb3 import make_sb3_vec

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=300_000)
parser.add_argument("--envs", type=int, default=128)
parser.add_argument("--games", type=int, default=64, help="to play at the end against each opponent")
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()

# The learner chooses what to take; rules of thumb choose the line, chips and the like: fewer, weightier decisions to learn.
choices = {"placement": "best_fit", "bonus_chips": "always", "moon_order": "useful_on_top", "drawing": "once"}
reward = {"win_loss": 1.0, "potential": 0.05}  # a hint at every step, which leaves open what the best policy is
env = make_sb3_vec(arguments.envs, opponent="greedy", reward=reward, gamma=0.98, **choices)
model = MaskablePPO(
    "MlpPolicy", env, n_steps=32, gamma=0.98, batch_size=8 * arguments.envs, seed=arguments.seed, verbose=1
)
model.learn(arguments.steps)
model.save("maskable_ppo")

for opponent in ("random", "greedy"):
    games = make_sb3_vec(32, opponent=opponent, seed=arguments.seed, **choices)
    reward_mean, _ = evaluate_policy(model, games, n_eval_episodes=arguments.games)  # the one that masks
    print(f"against {opponent}: wins {(reward_mean + 1) / 2:.0%} of {arguments.games} games")
