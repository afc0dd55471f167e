"""PPO against itself in one file: torch, and the self-play batch of this package. Needs ``pip install torch``.

Both seats learn by one network, which always sees the game from the seat that decides. The same player may decide several times in a
row, so the value of the next decision counts with a minus only where the mover changes: the game is zero-sum.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

from azul_duel_env import duel_v0

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=2_000_000, help="decisions, of both seats")
parser.add_argument("--games", type=int, default=256, help="at once")
parser.add_argument("--rollout", type=int, default=32, help="decisions in each game between updates")
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--minibatch", type=int, default=2048)
parser.add_argument("--learning-rate", type=float, default=7e-4)
parser.add_argument("--gamma", type=float, default=0.98)
parser.add_argument("--lam", type=float, default=0.9)
parser.add_argument("--entropy", type=float, default=0.01)
parser.add_argument("--threads", type=int, default=2, help="that step games")
parser.add_argument("--test-games", type=int, default=200)
parser.add_argument("--seed", type=int, default=1)
a = parser.parse_args()
torch.manual_seed(a.seed)
rng = np.random.default_rng(a.seed)
CHOICES = {"placement": "best_fit", "bonus_chips": "always", "moon_order": "useful_on_top", "drawing": "once"}


class Network(nn.Module):
    """Logits of the legal actions, and the value for whoever decides."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy, self.value = nn.Linear(256, actions), nn.Linear(256, 1)

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        hidden = self.body(observation)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits, validate_args=False), self.value(hidden).squeeze(-1)


reward = {"win_loss": 1.0, "potential": 0.05}  # a hint at every step, which leaves open what the best policy is
games = duel_v0.self_play(a.games, reward=reward, gamma=a.gamma, threads=a.threads, **CHOICES)
games.reset(seed=a.seed)
network = Network(games.observation_space.shape[0], int(games.action_space.n))
optimizer = torch.optim.Adam(network.parameters(), a.learning_rate, eps=1e-5)
rows = np.arange(a.games)
begun = time.perf_counter()
for update in range(max(1, a.steps // (a.games * a.rollout))):
    # Play. ``sign`` is what the value of the next decision counts for whoever decides now: 1, -1, or 0 after the end.
    seen, masks, actions, logs, values, rewards, signs = ([] for _ in range(7))
    for _ in range(a.rollout):
        observation, mask, mover = (
            torch.from_numpy(games.observation),
            torch.from_numpy(games.action_mask),
            games.player,
        )
        with torch.no_grad():
            chance, value = network(observation, mask)
            action = chance.sample()
        step = games.step(action.numpy())
        seen.append(observation), masks.append(mask), actions.append(action), logs.append(chance.log_prob(action))
        values.append(value), rewards.append(torch.from_numpy(step.rewards[rows, mover]).float())
        signs.append(torch.from_numpy(np.where(step.over, 0.0, np.where(games.player == mover, 1.0, -1.0))).float())
    # Estimate advantages, each for whoever decided.
    with torch.no_grad():
        following = network(torch.from_numpy(games.observation), torch.from_numpy(games.action_mask))[1]
    advantage, advantages = torch.zeros(a.games), []
    for t in reversed(range(a.rollout)):
        error = rewards[t] + a.gamma * signs[t] * following - values[t]
        advantage = error + a.gamma * a.lam * signs[t] * advantage
        advantages.insert(0, advantage)
        following = values[t]
    seen, masks, actions, logs = (torch.cat(parts) for parts in (seen, masks, actions, logs))
    advantages = torch.cat(advantages)
    targets = advantages + torch.cat(values)
    # Learn.
    for _ in range(a.epochs):
        for part in torch.randperm(len(actions)).split(a.minibatch):
            chance, value = network(seen[part], masks[part])
            ratio = (chance.log_prob(actions[part]) - logs[part]).exp()
            gain = (advantages[part] - advantages[part].mean()) / (advantages[part].std() + 1e-8)
            policy_loss = -torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
            loss = policy_loss + 0.5 * (value - targets[part]).square().mean() - a.entropy * chance.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
    if update % 20 == 0:
        done = (update + 1) * a.games * a.rollout
        print(
            f"{done:>10,} decisions, {done / (time.perf_counter() - begun):,.0f}/s, entropy {chance.entropy().mean():.2f}"
        )

# How good is it? Against random legal actions; the network sits in seat 0 in even rows, in seat 1 in odd ones.
games = duel_v0.self_play(a.test_games, autoreset=False, **CHOICES)
games.reset(seed=a.seed + 1_000_000)
seat, going = np.arange(a.test_games) % 2, np.ones(a.test_games, bool)
won = 0.0
while going.any():
    with torch.no_grad():
        chance, _ = network(torch.from_numpy(games.observation), torch.from_numpy(games.action_mask))
    by_chance = (games.action_mask * rng.random(games.action_mask.shape)).argmax(axis=1)
    step = games.step(np.where(games.player == seat, chance.logits.argmax(dim=1).numpy(), by_chance), going)
    won += (step.winner == seat)[step.over].sum() + 0.5 * (step.winner[step.over] < 0).sum()
    going &= ~step.over
print(f"wins {won / a.test_games:.0%} of {a.test_games} games against random")
