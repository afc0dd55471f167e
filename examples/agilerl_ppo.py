"""PPO of AgileRL on the vector environment, with masks: needs ``pip install 'azul_duel_env[agilerl]'``, in an environment of its own.

The loop is written out instead of AgileRL's ``collect_rollouts``, which (in 2.58) cuts advantages one step too early: there the result of a
game reaches its last decision only, and that one bootstraps from the game after.
"""

import argparse
import time
import warnings

import gymnasium
import numpy as np
import torch

warnings.filterwarnings("ignore", category=FutureWarning, module="tensordict")  # of the version that AgileRL pins
warnings.filterwarnings("ignore", category=DeprecationWarning, module="agilerl")  # its own, as it is imported

from agilerl.algorithms import PPO  # noqa: E402

import azul_duel_env  # noqa: E402, F401 - registers the ids

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--env", default="azul/PavilionMini-v0", help="or azul/Duel-v0, which takes longer")
parser.add_argument("--opponent", default="random")
parser.add_argument("--steps", type=int, default=100_000)
parser.add_argument("--envs", type=int, default=64)
parser.add_argument("--rollout", type=int, default=32, help="steps of each environment between updates")
parser.add_argument("--games", type=int, default=200, help="to play at each test")
parser.add_argument("--tests", type=int, default=2, help="while it learns; there is one before")
parser.add_argument("--seed", type=int, default=1)
a = parser.parse_args()
np.random.seed(a.seed)  # AgileRL shuffles by it
torch.manual_seed(a.seed)
gamma = 0.98


def make(num_envs: int, **options) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec(
        a.env,
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        opponent=a.opponent,
        autoreset_mode="SameStep",  # the step that ends an episode begins the next: every step is one to learn from
        illegal_action="raise",  # a forgotten mask would stop here
        **options,
    )


def win_rate(agent: PPO) -> float:
    """The share of games won, with sampled actions; a draw is half a win. Each row plays one, so that none are left out."""
    games = make(a.games)
    observation, infos = games.reset(seed=a.seed + 1_000_000)
    first, over = np.zeros(a.games), np.zeros(a.games, bool)
    while not over.all():
        action, *_ = agent.get_action(observation, action_mask=infos["action_mask"])
        observation, reward, terminated, _, infos = games.step(action)
        first[terminated & ~over] = reward[terminated & ~over]
        over |= terminated
    games.close()
    return (first.mean() + 1) / 2


reward = {"win_loss": 1.0, "potential": 0.05}  # a hint at every step, which leaves open what the best policy is
envs = make(a.envs, reward=reward, gamma=gamma)
agent = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    num_envs=a.envs,
    learn_step=a.envs * a.rollout,
    batch_size=512,
    update_epochs=3,
    lr=7e-4,
    gamma=gamma,
    gae_lambda=0.9,
    net_config={
        "latent_dim": 128,
        "encoder_config": {"hidden_size": [256]},
        "head_config": {"hidden_size": [128]},
    },
)
buffer = agent.rollout_buffer
print(f"      0 steps: wins {win_rate(agent):.0%} of {a.games} games against {a.opponent}")
updates = max(1, a.steps // (a.envs * a.rollout))
tested = {round(updates * (k + 1) / a.tests) for k in range(a.tests)}
observation, infos = envs.reset(seed=a.seed)
begins = np.ones(a.envs, bool)
begun = time.perf_counter()
for update in range(1, updates + 1):
    buffer.reset()
    for _ in range(a.rollout):
        mask = infos["action_mask"]
        action, logprob, _, value = agent.get_action(observation, action_mask=mask)
        following, step_reward, terminated, _, infos = envs.step(action)
        # The buffer takes ``done`` for: this observation begins an episode. It keeps the masks, under which ``learn`` asks again.
        buffer.add(observation, action, step_reward, begins, value, logprob, following, action_mask=mask)
        observation, begins = following, terminated
    with torch.no_grad():
        _, _, _, value = agent.get_action(observation, action_mask=infos["action_mask"])
    buffer.compute_returns_and_advantages(last_value=value, last_done=begins)
    agent.learn()
    if update in tested:
        steps = update * a.envs * a.rollout
        print(
            f"{steps:>7,} steps: wins {win_rate(agent):.0%} of {a.games} games against {a.opponent}"
            f" ({steps / (time.perf_counter() - begun):,.0f} steps a second)"
        )
envs.close()
