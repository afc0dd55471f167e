"""What docs/pages/libraries/agilerl.md says of AgileRL on the vector environment: masks, and where an episode ends."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest

pytest.importorskip("agilerl", reason="the extra agilerl is not installed")

import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of its own parts as it is imported
    from agilerl.algorithms import PPO
    from agilerl.rollouts.on_policy import collect_rollouts

import azul_duel_env  # noqa: F401 - registers the ids

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # of tensordict, in the version that AgileRL pins
ROWS, STEPS, GAMMA, LAMBDA = 4, 16, 0.9, 0.8


@pytest.fixture
def games():
    """An environment whose rows' games end within a few steps, what is seen there, and infos."""
    env = gymnasium.make_vec(
        "azul/Duel-v0",
        num_envs=ROWS,
        vectorization_mode="vector_entry_point",
        opponent="random",
        autoreset_mode="SameStep",
        illegal_action="raise",
        reward="score_delta",
        drawing="once",
    )
    env.reset(seed=1)
    for _ in range(68):
        observation, *_, infos = env.step(env.unwrapped.sample_actions())
    yield env, observation, infos
    env.close()


def agent_for(env):
    torch.manual_seed(1)
    return PPO(
        env.single_observation_space,
        env.single_action_space,
        num_envs=ROWS,
        learn_step=ROWS * STEPS,
        batch_size=32,
        gamma=GAMMA,
        gae_lambda=LAMBDA,
        net_config={"latent_dim": 8, "encoder_config": {"hidden_size": [8]}, "head_config": {"hidden_size": [8]}},
    )


def advantages_by_hand(rewards, values, ends, last_value):
    """Generalised advantage estimates, of arrays (steps, rows)."""
    following, advantage, all_of_them = last_value, np.zeros(ROWS), []
    for reward, value, end in zip(rewards[::-1], values[::-1], ends[::-1], strict=True):
        advantage = reward + GAMMA * (1 - end) * (following + LAMBDA * advantage) - value
        following = value
        all_of_them.insert(0, advantage)
    return np.array(all_of_them)


def kept(agent, key):
    return agent.rollout_buffer.buffer[key][:STEPS].cpu().numpy().reshape(STEPS, ROWS)


def test_advantages_end_with_a_game_where_done_says_that_an_episode_begins(games):
    env, observation, infos = games
    agent, begins, all_ends = agent_for(env), np.zeros(ROWS, bool), []
    for _ in range(STEPS):
        mask = infos["action_mask"]
        action, logprob, _, value = agent.get_action(observation, action_mask=mask)
        following, reward, ends, _, infos = env.step(action)
        agent.rollout_buffer.add(observation, action, reward, begins, value, logprob, following, action_mask=mask)
        observation, begins = following, ends
        all_ends.append(ends)
    _, _, _, last = agent.get_action(observation, action_mask=infos["action_mask"])
    agent.rollout_buffer.compute_returns_and_advantages(last_value=last, last_done=begins)
    assert np.any(all_ends[:-1]), "no game ended"
    right = advantages_by_hand(kept(agent, "rewards"), kept(agent, "values"), np.array(all_ends), last)
    np.testing.assert_allclose(kept(agent, "advantages"), right, atol=1e-4)
    masks = agent.rollout_buffer.buffer["action_masks"][:STEPS].cpu().numpy()
    actions = kept(agent, "actions").astype(int)
    assert np.take_along_axis(masks, actions[:, :, None], axis=2).all()
    assert np.isfinite(agent.learn())


def test_collect_rollouts_of_agilerl_cuts_them_a_step_too_early(games):
    """Should this fail, AgileRL has been repaired: take ``collect_rollouts`` in the example, and say so on its page in docs."""
    env, observation, infos = games
    agent, nothing = agent_for(env), np.zeros(ROWS)
    collect_rollouts(
        agent, env, STEPS, last_obs=observation, last_done=nothing, last_scores=nothing.copy(), last_info=infos
    )
    ends = kept(agent, "dones").astype(bool)
    assert ends[1:-1].any(), "no game ended"
    rewards, values, advantages = (kept(agent, key) for key in ("rewards", "values", "advantages"))
    for step, row in np.array([1, 0]) + np.argwhere(ends[1:-1]):
        assert not np.isclose(advantages[step, row], rewards[step, row] - values[step, row], atol=1e-4)
        cut = rewards[step - 1, row] - values[step - 1, row]
        assert np.isclose(advantages[step - 1, row], cut, atol=1e-4)
