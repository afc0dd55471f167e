"""PPO of RLlib against itself and its past selves, on as many runners as there are: needs ``pip install 'azul_duel_env[rllib]'``.

On a cluster, start it where ``RAY_ADDRESS`` names the head; ``--runners`` are then spread over the nodes.

python examples/rllib_self_play.py --runners 2
"""

import argparse

import numpy as np
import torch
from ray.rllib.core.columns import Columns

from azul_duel_env import duel_v0
from azul_duel_env.envs.rllib import self_play_config

# Rules of thumb choose the line, chips and the like: fewer, weightier decisions to learn.
CHOICES = {"placement": "best_fit", "bonus_chips": "always", "moon_order": "useful_on_top", "drawing": "once"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0: in this one")
    parser.add_argument("--games", type=int, default=64, help="that each runner plays at once")
    parser.add_argument("--batch", type=int, default=8192, help="decisions to learn from at once")
    parser.add_argument("--snapshot-every", type=int, default=10, help="iterations")
    parser.add_argument("--test-games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    reward = {"win_loss": 1.0, "potential": 0.05}  # a hint at every step, which leaves open what the best policy is
    algorithm = (
        self_play_config("duel", snapshot_every=arguments.snapshot_every, reward=reward, gamma=0.98, **CHOICES)
        .env_runners(num_env_runners=arguments.runners, num_envs_per_env_runner=arguments.games)
        .training(
            train_batch_size_per_learner=arguments.batch,
            minibatch_size=min(1024, arguments.batch),
            num_epochs=3,
            lr=5e-4,
            gamma=0.98,
            lambda_=0.9,
            entropy_coeff=0.01,
            use_kl_loss=False,
        )
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=arguments.seed, log_level="ERROR")
        .build_algo()
    )
    for iteration in range(arguments.iterations):
        result = algorithm.train()
        played = result["env_runners"]
        print(
            f"iteration {iteration}: {played['num_env_steps_sampled_lifetime']:,.0f} decisions,"
            f" {result['league']['snapshots']} snapshots,"
            f" wins {played.get('win_rate_against_past', float('nan')):.0%} against past selves"
        )
    print(f"saved in {algorithm.save_to_path()}")

    # How good is it? Against random legal actions; the network sits in seat 0 in even rows, in seat 1 in odd ones.
    module = algorithm.get_module("main")
    games = duel_v0.self_play(arguments.test_games, autoreset=False, **CHOICES)
    games.reset(seed=1_000_000)
    rows, won = np.arange(arguments.test_games), 0.0
    going = np.ones(arguments.test_games, bool)
    while going.any():
        seen = {"observations": torch.from_numpy(games.observation), "action_mask": torch.from_numpy(games.action_mask)}
        own = module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS].argmax(dim=1).numpy()
        step = games.step(np.where(games.player == rows % 2, own, games.sample_actions()), going)
        won += (step.winner == rows % 2)[step.over].sum() + 0.5 * (step.winner[step.over] < 0).sum()
        going &= ~step.over
    print(f"wins {won / arguments.test_games:.0%} of {arguments.test_games} games against random")
    algorithm.stop()


if __name__ == "__main__":
    main()
