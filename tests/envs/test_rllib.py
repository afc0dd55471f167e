"""The games in RLlib."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from collections import defaultdict
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import toy_game
from gymnasium.utils.env_checker import check_env
from sizes import scaled

from azul_duel_env import duel_v0, pavilion_mini_v0
from azul_duel_env.envs.aec import GameAECEnv

pytest.importorskip("lz4", reason="the extra rllib is not installed")  # of what it installs, what nothing else does
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own

import ray  # noqa: E402
import torch  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402
from ray.rllib.algorithms.algorithm import Algorithm  # noqa: E402
from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.core.rl_module.rl_module import RLModuleSpec  # noqa: E402
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner  # noqa: E402
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv  # noqa: E402
from ray.rllib.utils.pre_checks.env import check_multiagent_environments  # noqa: E402
from ray.tune.registry import register_env  # noqa: E402

from azul_duel_env.envs import rllib  # noqa: E402
from azul_duel_env.envs.rllib import (  # noqa: E402
    GameMultiAgentEnv,
    League,
    MaskedObservations,
    MaskedPPOModule,
    SelfPlayEnvRunner,
    masked_space,
    self_play_config,
)

DUEL, MINI, DICE = "duel", "pavilion_mini", toy_game.GAME
GAMES = [{"game": DUEL}, {"game": MINI}, {"game": MINI, "num_players": 4}, {"game": DICE}]
SMALL = {"fcnet_hiddens": [16]}


class DiceAEC(GameAECEnv):
    game = DICE
    metadata = {"name": "dice"}  # noqa: RUF012 - as PettingZoo wants it


def aec_of(config):
    options = {name: value for name, value in config.items() if name != "game"}
    return {DUEL: duel_v0.env, MINI: pavilion_mini_v0.env}.get(config["game"], DiceAEC)(**options)


@pytest.fixture(scope="module")
def cluster():
    """Two nodes, each with room for one runner."""
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - else 15: they starve where others work too
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    found.add_node(num_cpus=1)
    ray.init(address=found.address, log_to_driver=False)
    yield found
    ray.shutdown()
    found.shutdown()


def small_config(game=DUEL, games=4, **options):
    """Return a configuration in which all is small and happens here."""
    return (
        self_play_config(game, **options)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=games)
        .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
        .rl_module(model_config=SMALL)
        .debugging(seed=3)
    )


# Environments -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", GAMES)
def test_rllibs_check_passes_whatever_it_samples(config):
    env = GameMultiAgentEnv(config)
    for seed in range(scaled(20)):
        env.get_action_space("player_0").seed(seed)
        check_multiagent_environments(env)


@pytest.mark.parametrize("reward", ["win_loss", "score_delta"])
@pytest.mark.parametrize("config", GAMES)
def test_it_is_the_game_that_the_aec_environment_plays(config, reward):
    ours, theirs, rng = GameMultiAgentEnv(config | {"reward": reward}), aec_of(config | {"reward": reward}), seeded(1)
    seen, infos = ours.reset(seed=5)
    theirs.reset(seed=5)
    sums, decided, over = defaultdict(lambda: [0.0, 0.0]), set(), False
    while not over:
        [mover] = seen
        assert mover == theirs.agent_selection
        assert infos == {mover: theirs.infos[mover]}
        same_seen(seen[mover], theirs.observe(mover))
        assert seen[mover] in ours.get_observation_space(mover)
        action = int(rng.choice(np.flatnonzero(seen[mover]["action_mask"])))
        seen, rewards, ends, truncations, infos = ours.step({mover: action})
        theirs.step(action)
        decided.add(mover)
        over = ends["__all__"]
        assert set(ends.values()) == set(theirs.terminations.values()) == {over}
        assert not any(truncations.values())
        for agent in ours.possible_agents:
            sums[agent][0] += rewards[agent]
            sums[agent][1] += theirs.rewards[agent]
            assert agent in decided or over or rewards[agent] == 0
    assert list(seen) == ours.possible_agents == ours.agents
    for agent in ours.possible_agents:
        same_seen(seen[agent], theirs.observe(agent))
        assert not seen[agent]["action_mask"].any()
        assert sums[agent][0] == pytest.approx(sums[agent][1])


def seeded(seed):
    return np.random.default_rng(seed)


def same_seen(ours, theirs):
    np.testing.assert_array_equal(ours["observations"], theirs["observation"])
    np.testing.assert_array_equal(ours["action_mask"], theirs["action_mask"])
    assert ours["observations"].dtype == np.float32
    assert ours["action_mask"].dtype == np.int8


def test_an_illegal_action_loses_or_raises():
    env = GameMultiAgentEnv({"game": MINI, "num_players": 3})
    [(mover, seen)] = env.reset(seed=1)[0].items()
    illegal = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    seen, rewards, ends, _, _ = env.step({mover: illegal})
    assert ends["__all__"]
    assert list(seen) == env.possible_agents
    assert rewards == {agent: -1.0 if agent == mover else 0.5 for agent in env.possible_agents}
    env = GameMultiAgentEnv({"game": MINI, "illegal_action": "raise"})
    [mover] = env.reset(seed=1)[0]
    with pytest.raises(ValueError, match="not legal"):
        env.step({mover: illegal})


def test_wrong_steps_are_refused_and_change_nothing():
    env = GameMultiAgentEnv()
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step({"player_0": 0})
    [(mover, seen)] = env.reset(seed=1)[0].items()
    legal = int(np.flatnonzero(seen["action_mask"])[0])
    for actions in ({}, {"player_0": legal, "player_1": legal}, {"nobody": legal}):
        with pytest.raises(ValueError, match=f"expected an action of {mover} only"):
            env.step(actions)
    assert env.step({mover: legal})[2]["__all__"] is False
    assert "row 6" in env.render()
    env.close()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"autoreset": True}, "autoreset can't be chosen here"),
        ({"observation_dtype": "uint8"}, "observation_dtype can't be chosen here"),
        ({"rewards": "win_loss"}, "did you mean 'reward'"),
    ],
)
def test_wrong_configurations_are_refused(config, message):
    with pytest.raises(ValueError, match=message):
        GameMultiAgentEnv(config)


def test_the_single_environment_has_its_masks_in_the_observations():
    import gymnasium

    env = MaskedObservations(gymnasium.make("azul/PavilionMini-v0", opponent="random"))
    check_env(env, skip_render_check=True)
    seen, info = env.reset(seed=1)
    np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
    assert seen in env.observation_space
    with pytest.raises(TypeError, match="is no single Gymnasium environment"):
        MaskedObservations(gymnasium.make("CartPole-v1"))


def test_without_rllib_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "azul_duel_env.envs.rllib")
    with pytest.raises(ImportError, match=r"pip install 'azul_duel_env\[rllib\]'"):
        importlib.import_module("azul_duel_env.envs.rllib")


# The module -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shares", [False, True])
def test_no_action_that_the_mask_forbids_has_a_chance(shares):
    space = masked_space(env_space(5), env_actions(7))
    module = MaskedPPOModule(
        observation_space=space, action_space=env_actions(7), model_config=SMALL | {"vf_share_layers": shares}
    )
    with torch.no_grad():
        module.pi.net.mlp[-1].bias.copy_(torch.tensor([1e6, 0, 0, 0, 0, 0, -1e6]))
    mask = torch.tensor([[0, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]] * 999 + [[0] * 7], dtype=torch.int8)
    batch = {Columns.OBS: {"observations": torch.rand(len(mask), 5), "action_mask": mask}}
    for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
        logits = forward(batch)[Columns.ACTION_DIST_INPUTS]
        chances = module.get_exploration_action_dist_cls().from_logits(logits)
        assert (logits.softmax(dim=1)[:-1][mask[:-1] == 0] == 0).all()
        assert mask[:-1].gather(1, chances.sample()[:-1, None]).all()
        assert torch.isfinite(chances.entropy()).all()
    assert module.compute_values(batch).shape == (len(mask),)
    loss = (chances.entropy() + chances.logp(mask.argmax(dim=1))).sum() + module.compute_values(batch).sum()
    loss.backward()
    assert all(torch.isfinite(part.grad).all() for part in module.parameters() if part.grad is not None)


def env_space(size):
    from gymnasium.spaces import Box

    return Box(0.0, 1.0, (size,), np.float32)


def env_actions(number):
    from gymnasium.spaces import Discrete

    return Discrete(number)


@pytest.mark.parametrize("space", [None, env_space(5)])
def test_a_module_without_masks_is_refused(space):
    with pytest.raises(ValueError, match="expected a dictionary of observations and action_mask"):
        MaskedPPOModule(observation_space=space, action_space=env_actions(7), model_config=SMALL)


# The runner -------------------------------------------------------------------------------------------
def whole_games(episodes):
    """Return of each seat what it saw, did and gained, all samples after each other."""
    found = defaultdict(list)
    for episode in episodes:
        for own in episode.agent_episodes.values() if hasattr(episode, "agent_episodes") else [episode]:
            columns = (own.get_observations(slice(0, len(own))), own.get_actions(), own.get_rewards())
            seen, actions, rewards = columns
            found[own.agent_id].append(
                (
                    np.asarray(seen["observations"]),
                    np.asarray(seen["action_mask"]),
                    np.asarray(actions),
                    np.asarray(rewards),
                    np.asarray(own.get_extra_model_outputs(Columns.ACTION_DIST_INPUTS)),
                )
            )
    return {seat: [np.concatenate(column) for column in zip(*parts, strict=True)] for seat, parts in found.items()}


@pytest.mark.parametrize("config", [GAMES[0], {"game": MINI, "num_players": 3}, GAMES[3]])
def test_its_data_are_those_of_rllibs_own_runner(config):
    game, players = config["game"], {name: value for name, value in config.items() if name != "game"}
    runner_config = small_config(game, 1, league_size=0, reward="score_delta", **players)
    ours = SelfPlayEnvRunner(config=runner_config)
    theirs = MultiAgentEnvRunner(config=runner_config.copy().env_runners(env_runner_cls=MultiAgentEnvRunner))
    theirs.module.set_state(ours.module.get_state())
    samples, steps = 10, 37
    mine = whole_games(one for _ in range(samples) for one in ours.sample(num_timesteps=steps, explore=False))
    other = whole_games(one for _ in range(samples) for one in theirs.sample(num_timesteps=steps, explore=False))
    assert set(mine) == set(other) == set(ours.env.envs[0].unwrapped.possible_agents)
    assert sum(len(columns[0]) for columns in mine.values()) > samples * steps - 10
    for seat, columns in mine.items():
        for column, same in zip(columns, other[seat], strict=True):
            np.testing.assert_allclose(column, same, atol=1e-5)
    measured, expected = ours.get_metrics(), theirs.get_metrics()
    for name in ("num_env_steps_sampled", "num_episodes", "episode_len_mean", "episode_return_mean"):
        assert measured[name].peek() == pytest.approx(expected[name].peek(), abs=1e-6), name
    for name in ("agent_episode_returns_mean", "module_episode_returns_mean", "agent_steps"):
        for who, value in expected[name].items():
            assert measured[name][who].peek() == pytest.approx(value.peek(), abs=1e-6), (name, who)


@pytest.mark.parametrize("random_actions", [False, True])
def test_nothing_is_lost_between_samples_of_many_games(random_actions):
    """Episodes of whole games sum to what the games gave, and only what is legal is done, whatever the network wants."""
    config = small_config(DICE, 8, league_size=0, reward="win_loss", illegal_action="raise")
    runner = SelfPlayEnvRunner(config=config.environment(disable_env_checking=True))
    with torch.no_grad():
        runner.module["main"].pi.net.mlp[-1].bias += 1000 * torch.arange(DICE.num_actions)
    returns, lengths, gaps = defaultdict(float), defaultdict(int), []
    for _ in range(40):
        for episode in runner.sample(num_timesteps=8 * 5, random_actions=random_actions):
            game, seat, begun = episode.id_.split("-")
            assert int(begun) == lengths[game, seat]
            assert (0, len(episode)) == (
                episode.get_observations(0)["observations"].ndim - 1,
                len(episode.get_actions()),
            )
            lengths[game, seat] += len(episode)
            returns[game, seat] += episode.get_return()
            mask = episode.get_observations(slice(0, len(episode)))["action_mask"]
            assert mask[np.arange(len(episode)), episode.get_actions()].all()
            if episode.is_terminated:
                assert not episode.get_observations(-1)["action_mask"].any()
                gaps.append(game)
    whole = [game for game in set(gaps) if gaps.count(game) == 3]
    assert len(whole) == len(set(gaps)) > 20
    for game in whole:
        assert sum(returns[game, seat] for seat in "012") == pytest.approx(0)
        assert max(returns[game, seat] for seat in "012") > 0 or not any(returns[game, seat] for seat in "012")


def test_whole_games_are_sampled_too():
    runner = SelfPlayEnvRunner(config=small_config(DICE, 2, league_size=0, reward="score_delta"))
    runner.sample(num_timesteps=2 * 7)  # broken off, and forgotten
    episodes = runner.sample(num_episodes=5)
    assert all(episode.is_terminated for episode in episodes)
    assert 3 * 5 <= len(episodes) <= 3 * 6
    assert all(int(episode.id_.rpartition("-")[2]) == 0 and len(episode) == 4 for episode in episodes)
    for game in {episode.id_.partition("-")[0] for episode in episodes}:
        assert sum(one.get_return() for one in episodes if one.id_.startswith(game)) == pytest.approx(0)
    metrics = runner.get_metrics()
    assert metrics["episode_len_mean"].peek() == 12


def test_samples_repeat_with_a_seed():
    def sampled():
        runner = SelfPlayEnvRunner(config=small_config(league_size=0))
        return whole_games(runner.sample(num_timesteps=200))

    for one, other in zip(sampled().values(), sampled().values(), strict=True):
        np.testing.assert_array_equal(one[2], other[2])


def test_slices_know_whose_they_are():
    [episode, *_] = SelfPlayEnvRunner(config=small_config(league_size=0)).sample(num_timesteps=100)
    first, rest = episode[:3], episode[3:]
    assert len(first) + len(rest) == len(episode)
    for part in (first, rest, rest[1:]):
        assert (part.agent_id, part.module_id) == (episode.agent_id, "main")
        assert part.multi_agent_episode_id == episode.id_


def test_what_the_runner_cannot_play_is_refused():
    config = small_config(league_size=0).env_runners(env_to_module_connector=lambda *_: [])
    with pytest.raises(ValueError, match="no connectors"):
        SelfPlayEnvRunner(config=config)
    register_env("plain", PlainGlue)
    with pytest.raises(ValueError, match="plays GameMultiAgentEnv, not PlainGlue"):
        SelfPlayEnvRunner(config=small_config(league_size=0).environment("plain", disable_env_checking=True))


class PlainGlue(PettingZooEnv):
    """The AEC environment as RLlib wraps it, under the names that its masked modules know."""

    def __init__(self, _config=None):
        super().__init__(duel_v0.env())
        space = masked_space(self.observation_spaces["player_0"]["observation"], self.action_spaces["player_0"])
        self.observation_spaces = dict.fromkeys(self.observation_spaces, space)

    def reset(self, **how):
        seen, infos = super().reset(**how)
        return self._named(seen), infos

    def step(self, action):
        seen, *rest = super().step(action)
        return self._named(seen), *rest

    def _named(self, seen):
        return {agent: {"observations": s["observation"], "action_mask": s["action_mask"]} for agent, s in seen.items()}


def test_it_is_twice_as_fast_as_the_plain_glue():
    register_env("plain", PlainGlue)
    config = small_config(games=64, league_size=0).rl_module(model_config={"fcnet_hiddens": [256, 256]})
    plain_config = config.copy().environment("plain", disable_env_checking=True)
    plain = MultiAgentEnvRunner(config=plain_config.env_runners(env_runner_cls=MultiAgentEnvRunner))
    ours = SelfPlayEnvRunner(config=config)

    def seconds(runner):
        """Return processor seconds for a step: the least of several tries, as others share the machine."""
        runner.sample(num_timesteps=64)
        tries, steps = [], 64 * 10
        for _ in range(3):
            begun = time.process_time()
            runner.sample(num_timesteps=steps)
            tries.append((time.process_time() - begun) / steps)
        return min(tries)

    slow, fast = seconds(plain), seconds(ours)
    print(f"plain {1 / slow:,.0f} steps a processor second, ours {1 / fast:,.0f}: {slow / fast:.1f} times")
    assert slow > 2 * fast


# Training ---------------------------------------------------------------------------------------------
def weights_of(module):
    return {name: np.asarray(value) for name, value in module.get_state(inference_only=True).items()}


def are_equal(one, other):
    return all(np.array_equal(value, other[name]) for name, value in one.items() if name != "snapshot")


def learner_module(algorithm, name):
    return algorithm.learner_group._learner.module[name]


@pytest.mark.usefixtures("cluster")
def test_a_league_keeps_past_selves_and_survives_a_checkpoint(tmp_path):
    config = small_config(DICE, 16, league_size=2, snapshot_every=1, against_past=1.0)
    algorithm = config.training(lr=1e-2, train_batch_size_per_learner=16 * 16).build_algo()  # games have 12 decisions
    selves, made = [], []
    for _ in range(4):
        result = algorithm.train()
        made.append(result["league"]["snapshots"])
        selves.append(weights_of(learner_module(algorithm, "main")))
    assert made == [1, 2, 3, 4]
    assert not any(are_equal(one, other) for one, other in pairwise(selves))
    for place, number in (("past_1", 3), ("past_2", 4)):  # the newest two, in a ring
        for module in (learner_module(algorithm, place), algorithm.env_runner.module[place]):
            assert int(module.snapshot) == number
            assert are_equal(weights_of(module), selves[number - 1])
    assert int(learner_module(algorithm, "main").snapshot) == 0
    assert 0 <= result["env_runners"]["win_rate_against_past"] <= 1
    played = result["env_runners"]["num_module_steps_sampled"]
    assert set(played) >= {"main", "past_1", "past_2"}
    assert 0.2 < played["main"] / sum(played.values()) < 0.5  # one seat of three in most games by now
    path = algorithm.save_to_path(str(tmp_path / "saved"))
    algorithm.stop()
    restored = Algorithm.from_checkpoint(path)
    for place, number in (("past_1", 3), ("past_2", 4)):
        assert are_equal(weights_of(restored.env_runner.module[place]), selves[number - 1])
    assert restored.train()["league"]["snapshots"] == 5
    restored.stop()


@pytest.mark.usefixtures("cluster")
def test_a_league_plays_in_rllibs_own_runner_too():
    config = small_config(DICE, 4, league_size=1, snapshot_every=1, against_past=1.0)
    algorithm = config.env_runners(env_runner_cls=MultiAgentEnvRunner).build_algo()
    for _ in range(3):
        result = algorithm.train()
    assert result["env_runners"]["num_module_steps_sampled"]["past_1"] > 0
    assert 0 <= result["env_runners"]["win_rate_against_past"] <= 1
    algorithm.stop()


@pytest.mark.usefixtures("cluster")
def test_a_cluster_of_two_nodes_trains_and_outlives_a_runner():
    config = (
        small_config(DUEL, 8, snapshot_every=1, against_past=1.0)
        .env_runners(num_env_runners=2, rollout_fragment_length=16)
        .training(train_batch_size_per_learner=256)
        .fault_tolerance(restart_failed_env_runners=True)
    )
    algorithm = config.build_algo()
    runners = algorithm.env_runner_group
    nodes = runners.foreach_env_runner(lambda _: ray.get_runtime_context().get_node_id(), local_env_runner=False)
    assert len(set(nodes)) == 2
    algorithm.train()
    steps = algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"]
    assert steps >= 512
    killed, _ = runners.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)
    os.kill(killed, signal.SIGKILL)
    until = time.monotonic() + 120
    while True:
        result = algorithm.train()
        pids = runners.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)
        if len(pids) == 2 and killed not in pids:
            break
        assert time.monotonic() < until, "the runner was not restarted"
    result = algorithm.train()
    assert result["env_runners"]["num_env_steps_sampled_lifetime"] > steps
    learnt = {name: weights_of(learner_module(algorithm, name)) for name in ("main", "past_1", "past_2", "past_3")}
    for states in runners.foreach_env_runner(
        lambda runner: runner.module.get_state(inference_only=True), local_env_runner=False
    ):
        for name, weights in learnt.items():
            assert are_equal(weights, states[name]), name
            assert np.array_equal(weights["snapshot"], states[name]["snapshot"])
    algorithm.stop()


@pytest.mark.usefixtures("cluster")
def test_one_learner_trains_by_the_name_of_the_gymnasium_environment():
    config = (
        PPOConfig()
        .environment("azul/Duel-v0", env_config={"opponent": "random", "illegal_action": "raise"})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .training(train_batch_size_per_learner=400, minibatch_size=128, num_epochs=1)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule), model_config=SMALL)
    )
    algorithm = config.build_algo()
    result = algorithm.train()
    assert result["env_runners"]["num_env_steps_sampled"] >= 400
    assert result["env_runners"]["episode_len_mean"] > 20
    algorithm.stop()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"league_size": -1}, "league_size must be an integer of at least 0"),
        ({"snapshot_every": 0}, "snapshot_every must be an integer of at least 1"),
        ({"against_past": 1.5}, r"against_past must be a number in \[0, 1\]"),
        ({"placment": "split"}, "did you mean 'placement'"),
        ({"game": "chess"}, "unknown game"),
    ],
)
def test_wrong_configurations_of_self_play_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        self_play_config(**options)


def test_a_league_without_its_modules_is_refused():
    algorithm = SimpleNamespace(config=SimpleNamespace(policies={"main", "past_1"}))
    League(1).on_algorithm_init(algorithm=algorithm)
    with pytest.raises(ValueError, match="needs the modules past_2, past_3 too"):
        League(3).on_algorithm_init(algorithm=algorithm)


def test_a_league_seats_the_module_that_learns_once_a_game():
    class Module:
        snapshot = torch.ones(1)

    class Episode:
        agent_to_module_mapping_fn = None

    runner = SelfPlayEnvRunner(config=small_config(MINI, 1, league_size=0, num_players=4))
    league, seats = League(3, against_past=1.0), defaultdict(set)
    modules = dict.fromkeys(["main", *rllib.past_ids(3)], Module())
    for _ in range(50):
        episode = Episode()
        league.on_episode_created(episode=episode, env_runner=runner, env=runner.env, rl_module=modules)
        seated = {
            agent: episode.agent_to_module_mapping_fn(agent, episode) for agent in runner.env.envs[0].unwrapped.agents
        }
        assert list(seated.values()).count("main") == 1
        for agent, name in seated.items():
            seats[agent].add(name)
    assert all(names == set(modules) for names in seats.values())
