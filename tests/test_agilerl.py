"""What docs/agilerl.md says of AgileRL on the vector environment: masks, and where an episode ends."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest

pytest.importorskip("agilerl", reason="the extra agilerl is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of its own parts as it is imported
    from agilerl.algorithms import PPO
    from agilerl.rollouts.on_policy import collect_rollouts

import azul_duel_env  # noqa: F401 - registers the ids

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # of tensordict, in the version that AgileRL pins
ROWS, STEPS, GAMMA, LAMBDA = 4, 16, 0.9, 0.8


@pytest.fixture
def env():
    """Rows whose games end within a few steps."""
    made = gymnasium.make_vec(
        "azul/Duel-v0",
        num_envs=ROWS,
        vectorization_mode="vector_entry_point",
        opponent="random",
        autoreset_mode="SameStep",
        illegal_action="raise",
        reward="score_delta",
        drawing="once",
    )
    made.reset(seed=1)
    for _ in range(60):
        made.step(made.unwrapped.sample_actions())
    yield made
    made.close()


def agent_for(env):
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


def played(agent, env, done_of):
    """Fill the buffer as the example does; ``done_of(begins, ends)`` is what it takes for ``done``. Return how episodes ended."""
    begins, all_ends = np.zeros(ROWS, bool), []
    observation, infos = env.reset(options={"states": env.unwrapped.batch.states.copy()})
    for _ in range(STEPS):
        mask = infos["action_mask"]
        action, logprob, _, value = agent.get_action(observation, action_mask=mask)
        assert mask[np.arange(ROWS), action].all()
        following, reward, ends, _, infos = env.step(action)
        done = done_of(begins, ends)
        agent.rollout_buffer.add(observation, action, reward, done, value, logprob, following, action_mask=mask)
        observation, begins = following, ends
        all_ends.append(ends)
    _, _, _, value = agent.get_action(observation, action_mask=infos["action_mask"])
    agent.rollout_buffer.compute_returns_and_advantages(last_value=value, last_done=begins)
    return np.array(all_ends), value


def test_advantages_stop_at_the_end_of_a_game_where_done_means_that_an_episode_begins(env):
    agent = agent_for(env)
    ends, last = played(agent, env, lambda begins, ends: begins)
    assert ends[:-1].any(), "no game ended"
    right = advantages_by_hand(kept(agent, "rewards"), kept(agent, "values"), ends, last)
    np.testing.assert_allclose(kept(agent, "advantages"), right, atol=1e-4)
    masks = agent.rollout_buffer.buffer["action_masks"][:STEPS].cpu().numpy()
    actions = agent.rollout_buffer.buffer["actions"][:STEPS].cpu().numpy().astype(int)
    assert np.take_along_axis(masks, actions.reshape(STEPS, ROWS, 1), axis=2).all()
    agent.learn()


def test_collect_rollouts_of_agilerl_cuts_them_a_step_too_early(env):
    """Should this fail, AgileRL has been repaired: take ``collect_rollouts`` in the example, and say so in docs/agilerl.md."""
    agent = agent_for(env)
    begin = env.reset(options={"states": env.unwrapped.batch.states.copy()})
    with_theirs = {
        "last_obs": begin[0],
        "last_done": np.zeros(ROWS),
        "last_scores": np.zeros(ROWS),
        "last_info": begin[1],
    }
    collect_rollouts(agent, env, n_steps=STEPS, **with_theirs)
    ends = kept(agent, "dones").astype(bool)
    assert ends[:-1].any(), "no game ended"
    rewards, values, advantages = (kept(agent, key) for key in ("rewards", "values", "advantages"))
    at_an_end = np.argwhere(ends[:-1])
    assert all(not np.isclose(advantages[t, i], rewards[t, i] - values[t, i], atol=1e-4) for t, i in at_an_end)
