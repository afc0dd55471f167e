"""Play random games of Azul Duel with the PettingZoo AEC environment.

python examples/aec_loop.py --games 3
"""

import argparse

from azul_duel_env import duel_v0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    env = duel_v0.env(reward="score_margin", render_mode="ansi")
    for seed in range(arguments.seed, arguments.seed + arguments.games):
        env.reset(seed=seed)
        env.action_space("player_0").seed(seed)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            if terminated or truncated:
                print(f"seed {seed}: {agent} ends with {info['score']} points, reward {reward:+.0f}")
                action = None
            else:
                action = env.action_space("player_0").sample(observation["action_mask"])
            env.step(action)
    print(env.render())


if __name__ == "__main__":
    main()
