"""Environments and the masked actor for Tianshou."""

from __future__ import annotations

import importlib
import re
import sys

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sizes import scaled

from azul_duel_env import duel_v0

tianshou = pytest.importorskip("tianshou", reason="the extra tianshou is not installed")

import torch  # noqa: E402
from tianshou.algorithm import DQN, PPO  # noqa: E402
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy  # noqa: E402
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy  # noqa: E402
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm  # noqa: E402
from tianshou.algorithm.optim import AdamOptimizerFactory  # noqa: E402
from tianshou.data import Batch, Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env import DummyVectorEnv, PettingZooEnv  # noqa: E402
from tianshou.trainer import OnPolicyTrainerParams  # noqa: E402
from tianshou.utils.net.common import Net  # noqa: E402
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic, dist_fn_categorical_from_logits  # noqa: E402

from azul_duel_env.envs import tianshou as ours  # noqa: E402
from azul_duel_env.envs.tianshou import MaskedActor, ObservationNet, TianshouEnv, TianshouVecEnv  # noqa: E402

COARSE = {"placement": "best_fit", "bonus_chips": "always", "moon_order": "useful_on_top", "drawing": "once"}
QUICK = COARSE | {"opponent": "random"}


def ppo_for(envs, actor_of=MaskedActor, **settings):
    """Return a small PPO; actor and critic share their body."""
    torch.manual_seed(1)
    body = ObservationNet(Net(state_shape=envs.observation_size, hidden_sizes=(8,)))
    actor = actor_of(preprocess_net=body, action_shape=envs.num_actions)
    policy = DiscreteActorPolicy(actor=actor, action_space=envs.action_space[0])
    critic = DiscreteCritic(preprocess_net=body)
    return PPO(policy=policy, critic=critic, optim=AdamOptimizerFactory(lr=0.01), **settings)


def unmasked(**settings):
    """Return the actor of Tianshou as it is."""
    return DiscreteActor(softmax_output=False, **settings)


def last_legal(masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


# The vector environment -----------------------------------------------------------------------
def test_each_row_plays_what_the_single_environment_plays():
    rows, ends = 3, 0
    many = TianshouVecEnv(rows, seed=7, reward="score_delta", **QUICK)
    single = [TianshouEnv(duel_v0.DuelEnv(reward="score_delta", **QUICK)) for _ in range(rows)]
    observations, infos = many.reset()
    one_by_one = [env.reset(seed=7 + row)[0] for row, env in enumerate(single)]
    for _ in range(scaled(120, 10)):
        for row, seen in enumerate(one_by_one):
            np.testing.assert_array_equal(observations.obs[row], seen["obs"])
            np.testing.assert_array_equal(observations.mask[row], seen["mask"])
        actions = last_legal(observations.mask)
        observations, rewards, terminated, truncated, infos = many.step(actions, np.arange(rows))
        assert not truncated.any()
        assert infos.tolist() == [{}] * rows
        for row, env in enumerate(single):
            one_by_one[row], reward, over, _, _ = env.step(int(actions[row]))
            assert (reward, over) == (rewards[row], terminated[row])
        if terminated.any():
            ends += terminated.sum()
            assert not observations.mask[terminated].any()
            again = np.flatnonzero(terminated)
            observations[again], _ = many.reset(again)
            for row in again:
                one_by_one[row], _ = single[row].reset()
    assert ends or scaled(120, 10) < 120


def test_what_is_returned_is_in_the_spaces_and_fresh():
    envs = TianshouVecEnv(2, seed=1, **QUICK)
    assert (len(envs), len(envs.observation_space), envs.spec) == (2, 2, [None, None])
    first, _ = envs.reset()
    space = envs.observation_space[0]
    assert space.contains({"obs": first.obs[0], "mask": first.mask[0]})
    assert (first.obs.dtype, first.mask.dtype) == (np.float32, np.bool_)
    np.testing.assert_array_equal(first.mask, envs.batch.masks == 1)
    before = first.obs.copy(), first.mask.copy()
    second, *_ = envs.step(last_legal(first.mask))
    np.testing.assert_array_equal(first.obs, before[0])
    np.testing.assert_array_equal(first.mask, before[1])
    own = [envs.batch.observations, envs.batch.masks]
    assert not any(np.shares_memory(array, other) for array in second.values() for other in own)


def test_rows_that_are_not_named_stay_as_they_are():
    envs = TianshouVecEnv(4, seed=1, **QUICK)
    observations, _ = envs.reset()
    before = envs.batch.states.copy()
    after, rewards, *_ = envs.step(last_legal(observations.mask[[3, 1]]), [3, 1])
    assert (len(after), rewards.shape) == (2, (2,))
    np.testing.assert_array_equal(after.obs, envs.batch.observations[[3, 1]])
    assert (envs.batch.states != before).tolist() == [False, True, False, True]
    before = envs.batch.states.copy()
    envs.reset(2)
    assert (envs.batch.states != before).tolist() == [False, False, True, False]


def test_seeds_are_for_one_reset():
    envs = TianshouVecEnv(2, **QUICK)
    assert envs.seed(5) == [[5], [6]]
    first, _ = envs.reset()
    second, _ = envs.reset()
    assert (first.obs != second.obs).any()
    for again in (envs.reset(seed=5)[0], envs.reset(seed=[5, 6])[0], TianshouVecEnv(2, seed=5, **QUICK).reset()[0]):
        np.testing.assert_array_equal(again.obs, first.obs)
    envs.seed([None, 9])
    envs.reset([0])
    row, _ = envs.reset([1])
    np.testing.assert_array_equal(row.obs[0], TianshouVecEnv(1, seed=9, **QUICK).reset()[0].obs[0])


def test_a_state_or_an_option_begins_an_episode():
    envs = TianshouVecEnv(2, seed=1, seat=0, **QUICK)
    envs.reset()
    state = envs.batch.states[:1].copy()
    envs.step(envs.batch.masks.argmax(axis=1))
    first, _ = envs.reset([0], options={"state": state})
    np.testing.assert_array_equal(first.mask[0], envs.batch.masks[0] == 1)
    assert envs.batch.states["decisions"][0] == state["decisions"][0]
    with pytest.raises(ValueError, match="unknown reset option 'stat': did you mean 'state'"):
        envs.reset(options={"stat": state})


@pytest.mark.parametrize("rows", [[], [0, 0], [2], -1, [0.5], [[0]], [True]])
def test_rows_that_there_are_not_are_refused(rows):
    envs = TianshouVecEnv(2, seed=1, **QUICK)
    envs.reset()
    before = envs.batch.states.copy()
    with pytest.raises(ValueError, match="rows must be integers from 0 to 1|each row can be named once"):
        envs.step([0] * np.size(rows), rows)
    np.testing.assert_array_equal(envs.batch.states, before)


def test_what_cannot_be_is_refused():
    envs = TianshouVecEnv(2, seed=1, **(QUICK | {"illegal_action": "raise", "max_episode_steps": 2}))
    with pytest.raises(ValueError, match="reset"):
        envs.step([0, 0])
    observations, _ = envs.reset()
    with pytest.raises(ValueError, match="expected 2 integers"):
        envs.step([0])
    with pytest.raises(ValueError, match="legal"):
        envs.step(observations.mask.argmin(axis=1))
    with pytest.raises(ValueError, match="seed"):
        envs.seed(-1)
    with pytest.raises(AttributeError, match="set_opponent"):
        envs.set_env_attr("opponent", "greedy")
    with pytest.raises(AttributeError, match="reward_range"):
        envs.get_env_attr("reward_range")
    for _ in range(2):
        observations, _, terminated, truncated, _ = envs.step(last_legal(observations.mask))
    assert truncated.all()
    assert not terminated.any()
    with pytest.raises(ValueError, match="reset"):
        envs.step([0, 0])
    envs.close()
    with pytest.raises(AssertionError, match="close"):
        envs.reset()
    with pytest.raises(ValueError, match="leave autoreset out"):
        TianshouVecEnv(1, autoreset="same_step")
    with pytest.raises(ValueError, match="SelfPlayBatch"):
        TianshouVecEnv(1, opponent="self-play")
    with pytest.raises(ValueError, match="num_games"):
        TianshouVecEnv(0)


def test_the_opponent_may_change():
    envs = TianshouVecEnv(2, seed=1, **QUICK)
    envs.set_opponent(["greedy", "random"])
    assert [one.name for one in envs.batch.pool.opponents] == ["greedy", "random"]
    envs.set_opponents(["greedy"])
    with pytest.raises(ValueError, match="unknown opponent"):
        envs.set_opponent("nobody")
    assert [one.name for one in envs.batch.pool.opponents] == ["greedy"]


def test_pictures():
    assert TianshouVecEnv(2, **QUICK).render() == [None, None]
    envs = TianshouVecEnv(2, seed=1, render_mode="rgb_array", render_width=160, **QUICK)
    observations, _ = envs.reset()
    envs.step(last_legal(observations.mask))
    frames = envs.render()
    assert [(frame.dtype, frame.shape[1]) for frame in frames] == [(np.uint8, 160)] * 2


def test_the_single_environment_passes_gymnasiums_check(recwarn):
    check_env(TianshouEnv(duel_v0.DuelEnv(**QUICK)), skip_render_check=True)
    told = [str(warning.message) for warning in recwarn]
    assert all("different from the unwrapped" in text or "illegal action" in text for text in told), told


# The actor ------------------------------------------------------------------------------------
def test_log_probabilities_and_entropy_are_those_of_the_legal_actions():
    net = ObservationNet(Net(state_shape=3, hidden_sizes=(4,)))
    actor = MaskedActor(preprocess_net=net, action_shape=5)
    mask = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]], bool)
    logits, _ = actor(Batch(obs=np.ones((3, 3), np.float32), mask=mask))
    dist = dist_fn_categorical_from_logits(logits)
    assert (dist.probs[0][~torch.as_tensor(mask[0])] == 0).all()
    legal = torch.distributions.Categorical(logits=logits[0][mask[0]])
    torch.testing.assert_close(dist.log_prob(torch.tensor([2, 4, 0]))[0], legal.log_prob(torch.tensor(1)))
    torch.testing.assert_close(dist.entropy()[:2], torch.stack([legal.entropy(), torch.tensor(0.0)]))
    torch.testing.assert_close(dist.probs[2], torch.full((5,), 0.2))
    dist.entropy().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in actor.parameters())
    with pytest.raises(ValueError, match="no mask"):
        actor(np.ones((3, 3), np.float32))


def test_only_the_masked_actor_plays_legally():
    options = QUICK | {"illegal_action": "raise"}
    envs = TianshouVecEnv(4, seed=1, **options)
    collector = Collector(ppo_for(envs), envs, VectorReplayBuffer(4 * scaled(200, 4), 4))
    collector.reset()
    collector.collect(n_step=4 * scaled(200, 4))
    kept = collector.buffer.sample(0)[0]
    assert kept.obs.mask[np.arange(len(kept)), kept.act].all()
    stock = Collector(ppo_for(envs, unmasked), TianshouVecEnv(4, seed=1, **options))
    stock.reset()
    with pytest.raises(ValueError, match="legal"):
        stock.collect(n_step=400)


def test_ppo_learns_on_it():
    envs = TianshouVecEnv(4, seed=1, **(QUICK | {"illegal_action": "raise"}))
    algorithm = ppo_for(envs)
    before = {name: value.clone() for name, value in algorithm.policy.state_dict().items()}
    result = algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=Collector(algorithm, envs, VectorReplayBuffer(64, 4)),
            max_epochs=1,
            epoch_num_steps=128,
            collection_step_num_env_steps=64,
            batch_size=32,
            verbose=False,
            show_progress=False,
        )
    )
    assert result.train_step == 128
    assert all(torch.isfinite(value).all() for value in algorithm.policy.state_dict().values())
    assert all((value != before[name]).any() for name, value in algorithm.policy.state_dict().items())


def test_the_example_of_the_module_runs():
    [code] = re.findall(r"Example::\n\n((?:    .*\n)+)", ours.__doc__)
    names = dict(globals())
    exec(re.sub(r"^    ", "", code, flags=re.MULTILINE), names)
    Collector(names["ppo"], names["envs"]).reset()


# Why the opponent is inside ---------------------------------------------------------------------
def test_a_transition_leads_to_the_learners_own_next_decision():
    envs = TianshouVecEnv(1, seed=1, **QUICK)
    collector = Collector(ppo_for(envs), envs, VectorReplayBuffer(400, 1))
    collector.reset()
    collector.collect(n_step=scaled(200, 20))
    kept = collector.buffer.sample(0)[0]
    goes_on = ~kept.done[:-1]
    np.testing.assert_array_equal(kept.obs_next.obs[:-1][goes_on], kept.obs.obs[1:][goes_on])
    np.testing.assert_array_equal(kept.rew != 0, kept.done & (kept.rew != 0))


def test_in_the_aec_environment_it_mostly_leads_to_the_opponents_and_a_last_one_lacks_its_reward():
    """What ``docs/pages/libraries/tianshou.md`` says of ``PettingZooEnv``; the environment itself gives both players theirs."""
    env, rng, movers, lacking = PettingZooEnv(duel_v0.env()), np.random.default_rng(1), [], 0
    games = scaled(20, 1)
    for seed in range(games):
        observation, _ = env.reset(seed=seed)
        got, over = {}, False
        while not over:
            mover = observation["agent_id"]
            action = rng.choice(np.flatnonzero(observation["mask"]))
            observation, rewards, over, _, _ = env.step(int(action))
            got[mover] = rewards[env.agent_idx[mover]]
            if not over:
                movers.append(observation["agent_id"] == mover)
        assert sum(rewards) == 0
        lacking += sum(got[agent] != rewards[env.agent_idx[agent]] for agent in env.agents)
    if games == 20:
        assert np.mean(movers) == pytest.approx(0.36, abs=0.03)
        assert lacking >= 18  # all but draws


def test_masked_dqn_of_tianshou_plays_the_aec_environment():
    """Which raises for an illegal action."""

    def make():
        return PettingZooEnv(duel_v0.env(**COARSE))

    env = make()
    [size], actions = env.observation_space["observation"].shape, int(env.action_space.n)

    def learner():
        net = Net(state_shape=size, action_shape=actions, hidden_sizes=(8,))
        policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.5)
        return DQN(policy=policy, optim=AdamOptimizerFactory(lr=0.01))

    both = MultiAgentOffPolicyAlgorithm(algorithms=[learner(), learner()], env=env)
    collector = Collector(both, DummyVectorEnv([make]), VectorReplayBuffer(200, 1), exploration_noise=True)
    collector.reset()
    stats = collector.collect(n_step=scaled(150, 10))
    assert stats.n_collected_steps == scaled(150, 10)


# Without Tianshou -------------------------------------------------------------------------------
def test_without_tianshou_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tianshou", None)
    monkeypatch.setitem(sys.modules, "tianshou.data", None)
    monkeypatch.delitem(sys.modules, "azul_duel_env.envs.tianshou")
    with pytest.raises(ImportError, match=r"pip install 'azul_duel_env\[tianshou\]'"):
        importlib.import_module("azul_duel_env.envs.tianshou")
