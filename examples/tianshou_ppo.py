"""PPO of Tianshou 2 against an opponent inside, with masks: needs ``pip install 'azul_duel_env[tianshou]'``."""

import argparse

import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteCritic

from azul_duel_env.envs.tianshou import MaskedActor, ObservationNet, TianshouVecEnv

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=60_000)
parser.add_argument("--envs", type=int, default=64)
parser.add_argument("--rollout", type=int, default=32, help="decisions in each game between updates")
parser.add_argument("--games", type=int, default=100, help="to play at each test")
parser.add_argument("--tests", type=int, default=2, help="while it learns; there is one before")
parser.add_argument("--game", default="azul/pavilion_mini-v0")
parser.add_argument("--opponent", default="random")
parser.add_argument("--seed", type=int, default=1)
a = parser.parse_args()
np.random.seed(a.seed)  # Tianshou shuffles by it
torch.manual_seed(a.seed)

reward = {"win_loss": 1.0, "potential": 0.05}  # a hint at every step, which leaves open what the best policy is
gamma = 0.98
envs = TianshouVecEnv(a.envs, game=a.game, opponent=a.opponent, reward=reward, gamma=gamma, seed=a.seed)
tests = TianshouVecEnv(
    min(a.envs, a.games), game=a.game, opponent=a.opponent, seed=a.seed + 1_000_000
)  # 1, 0 or -1 at the end


def win_rate(stats: CollectStats) -> float:
    return (stats.returns.mean() + 1) / 2


body = ObservationNet(Net(state_shape=envs.observation_size, hidden_sizes=(256, 256)))
actor = MaskedActor(preprocess_net=body, action_shape=envs.num_actions)
algorithm = PPO(
    policy=DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0], deterministic_eval=True),
    critic=DiscreteCritic(preprocess_net=body),
    optim=AdamOptimizerFactory(lr=7e-4, eps=1e-5),
    gamma=gamma,
    gae_lambda=0.9,
    max_grad_norm=0.5,
    max_batchsize=2048,
)
rollout = a.envs * a.rollout
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=Collector(algorithm, envs, VectorReplayBuffer(rollout, a.envs)),
        test_collector=(test_collector := Collector(algorithm, tests)),
        max_epochs=a.tests,
        epoch_num_steps=max(rollout, a.steps // a.tests),
        collection_step_num_env_steps=rollout,
        update_step_num_repetitions=3,
        batch_size=min(512, rollout),
        test_step_num_episodes=a.games,
        compute_score_fn=win_rate,
        show_progress=False,
    )
)
test_collector.reset()
print(f"wins {win_rate(test_collector.collect(n_episode=a.games)):.0%} of {a.games} games against {a.opponent}")
