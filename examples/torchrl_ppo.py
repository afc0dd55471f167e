"""Masked PPO with TorchRL, many games in one process: needs ``pip install 'azul_duel_env[torchrl]'``."""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from azul_duel_env.envs.torchrl import make_torchrl_env

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=1_000_000, help="decisions of the learner")
parser.add_argument("--envs", type=int, default=128, help="games at once")
parser.add_argument("--rollout", type=int, default=32, help="decisions in each game between updates")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--minibatch", type=int, default=1024)
parser.add_argument("--learning-rate", type=float, default=7e-4)
parser.add_argument("--gamma", type=float, default=0.98)
parser.add_argument("--opponent", default="greedy")
parser.add_argument("--games", type=int, default=64, help="to play at the end against each opponent")
parser.add_argument("--seed", type=int, default=1)
a = parser.parse_args()
torch.manual_seed(a.seed)

# The learner chooses what to take; rules of thumb choose the line, chips and the like: fewer, weightier decisions to learn.
choices = {"placement": "best_fit", "bonus_chips": "always", "moon_order": "useful_on_top", "drawing": "once"}
reward = {"win_loss": 1.0, "potential": 0.05}  # a hint at every step, which leaves open what the best policy is
env = make_torchrl_env(a.envs, opponent=a.opponent, reward=reward, gamma=a.gamma, seed=a.seed, **choices)


def network(outputs: int) -> nn.Module:
    inputs = env.observation_spec["observation"].shape[-1]
    return nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, outputs))


policy = ProbabilisticActor(
    TensorDictModule(network(env.action_spec.n), in_keys=["observation"], out_keys=["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    distribution_class=MaskedCategorical,
    return_log_prob=True,
    spec=env.action_spec_unbatched,
)
value = ValueOperator(network(1), in_keys=["observation"])
advantages = GAE(gamma=a.gamma, lmbda=0.9, value_network=value)
loss = ClipPPOLoss(policy, value, normalize_advantage=True, entropy_coeff=0.01)
optimizer = torch.optim.Adam(loss.parameters(), a.learning_rate, eps=1e-5)

frames = a.envs * a.rollout
collector = Collector(
    env,
    policy,
    frames_per_batch=frames,
    total_frames=max(1, a.steps // frames) * frames,
    auto_register_policy_transforms=False,  # which only a policy with a memory needs
)
for update, batch in enumerate(collector):
    with torch.no_grad():
        batch = advantages(batch)
    decisions = batch.reshape(-1)
    for _ in range(a.epochs):
        for part in torch.randperm(len(decisions)).split(a.minibatch):
            losses = loss(decisions[part])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
    if update % 20 == 0:
        ended = batch["next", "done"]
        won = batch["next", "score"] > batch["next", "opponent_score"]
        wins = f", more points than {a.opponent} in {won[ended].float().mean():.0%} of games" if ended.any() else ""
        entropy = losses["entropy"].item()
        print(f"{(update + 1) * frames:>10,} decisions, entropy {entropy:.2f}{wins}")
collector.shutdown()

for opponent in ("random", "greedy"):
    games = make_torchrl_env(a.games, opponent=opponent, seed=1_000_000 + a.seed, **choices)
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        played = games.rollout(
            games.batch.game.max_decisions, policy, break_when_any_done=False, break_when_all_done=True
        )
    results = played["next", "reward"].squeeze(-1)[played["next", "terminated"].squeeze(-1).cumsum(1) == 1]
    print(f"against {opponent}: wins {(results.mean() + 1) / 2:.0%} of {a.games} games")
