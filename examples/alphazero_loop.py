"""AlphaZero in one file: torch, and the batched search of this package. Needs ``pip install torch``.

All seats are played by search; the network, asked about the leaves of all games at once, learns the improved policies and how the games
end. Nothing but the rules is known. ``azul train configs/az_duel.yaml`` is the fast way: there the network is compiled too.
"""

import argparse

import numpy as np
import torch
from torch import nn

from azul_duel_env.agents.batch_search import BatchSearch
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit.rng import keys_from_seed

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--iterations", type=int, default=200)
parser.add_argument("--games", type=int, default=128, help="at once, in each iteration")
parser.add_argument("--simulations", type=int, default=16)
parser.add_argument("--batch", type=int, default=512)
parser.add_argument("--passes", type=int, default=2)
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--seed", type=int, default=1)
a = parser.parse_args()
torch.manual_seed(a.seed)
rng = np.random.default_rng(a.seed)


class Network(nn.Module):
    """Logits of all actions, and the value for whoever decides."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(GAME.observation_size, 256), nn.ReLU(), nn.Linear(256, 64), nn.ReLU())
        self.policy, self.value = nn.Linear(64, GAME.num_actions), nn.Linear(64, 1)

    def forward(self, seen):
        hidden = self.body(torch.as_tensor(seen))
        return self.policy(hidden), torch.tanh(self.value(hidden))


network = Network()
optimizer = torch.optim.AdamW(network.parameters(), a.learning_rate)
search = BatchSearch(GAME, a.simulations)


def evaluate(seen, _masks):
    """What the network thinks of some states; the search leaves out what is not legal, so the masks aren't needed."""
    with torch.inference_mode():
        logits, values = network(seen)
    return logits.numpy(), values.numpy()


def self_play():
    """Games to their end: observations, legal actions, improved policies and who won, for each decision."""
    positions = [GAME.new(int(seed)) for seed in rng.integers(2**31, size=a.games)]
    kept = []
    while going := [i for i, position in enumerate(positions) if not position.over]:
        states = np.concatenate([positions[i].states for i in going])
        found = search.run(states, keys_from_seed(int(rng.integers(2**31)), len(going)), evaluate)
        seen = GAME.observations(states, states["player"], check=False)
        masks = np.array([positions[i].action_mask() for i in going])
        kept.append((seen, masks, found.policies, going, states["player"]))
        for i, action in zip(going, found.actions, strict=True):
            positions[i].step(int(action))
    returns = np.array([position.returns for position in positions])
    values = np.concatenate([returns[going, players] for *_, going, players in kept])
    seen, masks, policies = (np.concatenate([part[k] for part in kept]) for k in range(3))
    return seen, masks, policies.astype(np.float32), values.astype(np.float32)[:, None], positions


for iteration in range(a.iterations):
    *data, positions = self_play()
    losses = []
    for _ in range(max(1, a.passes * len(data[0]) // a.batch)):
        drawn = rng.integers(len(data[0]), size=a.batch)
        seen, masks, policies, values = (torch.as_tensor(part[drawn]) for part in data)
        logits, worth = network(seen)
        likely = logits.masked_fill(masks == 0, -1e9).log_softmax(1)
        loss = -(policies * likely).sum(1).mean() + (worth - values).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    points = np.mean([position.scores for position in positions])
    print(f"iteration {iteration}: {len(data[0]):,} decisions, loss {np.mean(losses):.2f}, {points:.1f} points a seat")
