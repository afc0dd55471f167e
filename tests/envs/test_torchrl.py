"""Games in TorchRL."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
import warnings

import gymnasium
import numpy as np
import pytest
import toy_game
from sizes import scaled

from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.opponents import SELF_PLAY
from azul_duel_env.games import find_game

pytest.importorskip("torchrl", reason="the extra torchrl is not installed")

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # TorchRL's own
    from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.envs import ActionMask, Compose, GymWrapper, RewardSum, SerialEnv, StepCounter, TransformedEnv
from torchrl.envs.utils import check_env_specs
from torchrl.modules import EGreedyModule, MaskedCategorical, ProbabilisticActor

from azul_duel_env.envs.torchrl import TorchRLEnv, make_torchrl_env

DUEL, MINI = "azul/duel-v0", "azul/pavilion_mini-v0"


def make(num_envs=4, **options):
    return make_torchrl_env(num_envs, **{"opponent": "random", "seed": 1} | options)


def dice(num_envs=3, **options):
    """Return the toy game, whose episodes are short."""
    env = TorchRLEnv(Batch.make(toy_game.GAME, num_envs, autoreset="same_step", opponent="random", **options))
    env.set_seed(1)
    return env


def assert_equal(one, other):
    assert set(one.keys(True, True)) == set(other.keys(True, True))
    assert (one == other).all()


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (DUEL, {}),
        (DUEL, {"observation_dtype": "uint8", "placement": "split", "device": "cpu"}),
        (DUEL, {"advice": "greedy", "max_episode_steps": 2}),
        (MINI, {"num_players": 3}),
    ],
)
def test_specs_are_true(game, options):
    env = make(game=game, **options)
    check_env_specs(env, break_when_any_done="both")
    check_env_specs(env, seed=2)
    observation = env.rollout(5)["observation"][:, -1]
    assert env.observation_spec["observation"].is_in(observation)
    assert observation.max() == (255 if env.observation_dtype == "uint8" else 1)


def test_specs_are_true_where_episodes_end():
    check_env_specs(dice(max_episode_steps=1), break_when_any_done=False)


@pytest.mark.parametrize("transforms", [[ActionMask()], [RewardSum(), StepCounter()], [ActionMask(), RewardSum()]])
def test_transforms(transforms):
    env = TransformedEnv(make(illegal_action="raise"), Compose(*transforms))
    check_env_specs(env)
    played = env.rollout(scaled(50))
    assert played["action_mask"].gather(-1, played["action"][..., None]).all()


def test_an_environment_of_environments():
    env = SerialEnv(2, [lambda: make(3, seed=1), lambda: make(3, seed=2)])
    assert env.batch_size == (2, 3)
    masked = TransformedEnv(env, ActionMask())
    check_env_specs(masked)
    played = masked.rollout(50, break_when_any_done=False)
    assert played.shape == (2, 3, 50)
    assert not played["next", "illegal_action"].any()
    masked.close()


@pytest.mark.parametrize(
    "options", [{}, {"max_episode_steps": 7}, {"illegal_action": "penalty", "reward": "score_delta"}]
)
@pytest.mark.parametrize("observation_dtype", ["float32", "uint8"])
def test_a_row_plays_what_the_vector_environment_plays(options, observation_dtype):
    options = {"opponent": "greedy", "observation_dtype": observation_dtype, **options}
    env = make(3, **options)
    env_id = "azul_duel_env:azul/Duel-v0"
    twin = gymnasium.make_vec(env_id, 3, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", **options)
    observations, infos = twin.reset(seed=1)
    rng, ended = np.random.default_rng(0), 0
    now = env.reset()
    for _ in range(scaled(200)):
        assert np.array_equal(now["observation"], observations)
        assert np.array_equal(now["action_mask"], infos["action_mask"])
        for name in ("score", "opponent_score", "seat"):
            assert np.array_equal(now[name][:, 0], infos[name])
        assert not now["done"].any()
        actions = rng.integers(0, env.action_spec.n, 3)
        legal = [rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]]
        actions = np.where(rng.random(3) < 0.01, actions, legal)
        step, now = env.step_and_maybe_reset(now.set("action", torch.from_numpy(actions)))
        observations, rewards, terminations, truncations, infos = twin.step(actions)
        after, done = step["next"], terminations | truncations
        assert np.array_equal(after["reward"][:, 0], rewards.astype(np.float32))
        assert np.array_equal(after["terminated"][:, 0], terminations)
        assert np.array_equal(after["truncated"][:, 0], truncations)
        assert np.array_equal(after["done"][:, 0], done)
        for row in range(3):
            last = {"observation": infos["final_obs"][row], **infos["final_info"]} if done[row] else infos
            expected = last["observation"] if done[row] else observations[row]
            assert np.array_equal(after["observation"][row], expected)
            for name in ("score", "opponent_score", "seat", "illegal_action"):
                assert after[name][row, 0] == last[name][row]
            assert after["action_mask"][row].all() if done[row] else after["action_mask"][row].any()
        ended += done.sum()
    assert ended >= 3 or scaled(200) < 200


def test_nothing_that_was_handed_out_changes():
    env, kept = dice(), []
    now = env.reset()
    for _ in range(20):
        step, now = env.step_and_maybe_reset(env.rand_action(now))
        kept.append((step, step.clone()))
    for step, same in kept:
        assert_equal(step, same)


def test_episodes_that_are_all_played_to_their_end():
    played = dice(5).rollout(1000, break_when_any_done=False, break_when_all_done=True)
    first = played["next", "done"].squeeze(-1).int().argmax(1)
    for row, last in enumerate(first):
        env = dice(1)
        env.set_seed(1 + row)
        now = env.reset()
        for step in range(last + 1):
            now = env.step(now.set("action", played["action"][row, step : step + 1]))["next"]
            assert torch.equal(now["observation"][0], played["next", "observation"][row, step])
        assert now["done"].all()
        assert torch.equal(now["reward"][0], played["next", "reward"][row, last])


def test_rows_that_a_step_leaves_out_stay_as_they_are():
    env, twin = make(3), make(3)
    now, then = env.reset(), twin.reset()
    assert_equal(now, then)
    actions = env.rand_action()["action"]
    mask = torch.tensor([True, False, True])
    partly = env.step(now.clone().update({"action": actions, "_step": mask}))["next"]
    whole = twin.step(then.clone().set("action", actions))["next"]
    assert_equal(partly[mask], whole[mask])
    assert torch.equal(partly["observation"][1], now["observation"][1])
    assert torch.equal(partly["action_mask"][1], now["action_mask"][1])
    assert not partly["reward"][1]
    rest = env.step(partly.clone().update({"action": actions, "_step": ~mask}))["next"]
    assert_equal(rest.exclude("reward", "illegal_action"), whole.exclude("reward", "illegal_action"))
    assert rest["reward"][1] == whole["reward"][1]


def ended(env):
    """Return what an environment shows when the first of its episodes have just ended."""
    now = env.reset()
    while True:
        now = env.step(env.rand_action(now))["next"].exclude("reward")
        if now["done"].any():
            return now


def test_what_is_done_must_be_reset():
    env = dice()
    now = ended(env)
    states, row = env.batch.states.copy(), int(now["done"].int().argmax())
    with pytest.raises(ValueError, match=rf"the episode of row {row} is over: call reset\(\)"):
        env.step(env.rand_action(now.clone()))
    assert np.array_equal(env.batch.states, states)


def test_a_reset_begins_the_rows_that_it_names_and_no_others():
    env = dice(4)
    env.reset()
    env.step(env.rand_action(env.reset()))
    before = env.batch.states.copy()
    mask = torch.tensor([[True], [False], [False], [True]])
    env.reset(TensorDict({"_reset": mask, "done": torch.zeros(4, 1, dtype=torch.bool)}, [4]))
    changed = before["rng"] != env.batch.states["rng"]
    assert changed[[0, 3]].all()
    assert np.array_equal(before[1:3], env.batch.states[1:3])
    assert (env.batch.states["decisions"][1:3] > 0).all()


def test_a_reset_of_no_row_changes_nothing():
    env = dice()
    env.reset()
    before = env.batch.states.copy()
    env.reset(
        TensorDict({"_reset": torch.zeros(3, 1, dtype=torch.bool), "done": torch.zeros(3, 1, dtype=torch.bool)}, [3])
    )
    assert np.array_equal(env.batch.states, before)


def test_no_episode_is_begun_in_vain():
    env = dice()
    ended(env)
    begun = env.batch.states.copy()
    env = dice()
    done = ended(env)["done"].squeeze(-1).numpy()
    env.reset()  # of all rows: those that ended have begun anew already
    assert np.array_equal(env.batch.states[done], begun[done])
    assert not np.array_equal(env.batch.states[~done], begun[~done]) or done.all()


def test_seeds_repeat():
    one, other = make(3), make(3, seed=None)
    other.set_seed(1)
    assert_equal(one.rollout(scaled(40)), other.rollout(scaled(40)))
    one.set_seed(7)
    first = one.rollout(5)
    assert not torch.equal(first["observation"], one.rollout(5)["observation"])
    one.set_seed(7)
    assert_equal(first, one.rollout(5))
    one.set_seed(None)
    assert not torch.equal(first["observation"], one.rollout(5)["observation"])


@pytest.mark.parametrize("seed", [-1, 1.5, "one"])
def test_a_wrong_seed_is_refused(seed):
    env = make(1)
    with pytest.raises((ValueError, TypeError), match="seed"):
        env.set_seed(seed)
    assert_equal(env.rollout(3), make(1).rollout(3))


def test_threads_change_nothing():
    one, other = make(300), make(300, threads=2)
    assert_equal(one.rollout(20, break_when_any_done=False), other.rollout(20, break_when_any_done=False))
    other.close()
    assert other.is_closed


def test_options_of_a_reset():
    env = make(2)
    game = find_game(DUEL)
    position = game.new(5)
    for _ in range(30):
        position.step(position.legal_actions()[0])
    now = env.reset(options={"state": position.to_text()})
    assert (env.batch.states["decisions"] >= 30).all()
    assert torch.equal(now["observation"], torch.from_numpy(env.batch.observations))
    env.reset(options={"scoring_tiles": 4})
    assert (env.batch.states["decisions"] < 30).all()
    transformed = TransformedEnv(env, RewardSum())
    transformed.reset(options={"state": position.to_text()})
    assert (env.batch.states["decisions"] >= 30).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nonsense": 1}, "unknown reset option 'nonsense'"),
        ({"state": "nonsense"}, "nonsense"),
        ({"scoring_tiles": "nonsense"}, "scoring_tiles"),
    ],
)
def test_wrong_options_of_a_reset_change_nothing(options, message):
    env = make(2)
    env.reset()
    before = env.batch.states.copy()
    with pytest.raises((ValueError, TypeError), match=message):
        env.reset(options=options)
    assert np.array_equal(env.batch.states, before)


def test_a_state_that_leaves_the_learner_nothing_is_refused():
    env = dice(2, seat=0)
    env.reset()
    before = env.batch.states.copy()
    state = toy_game.GAME.new(3)
    while not state.over and not (state.player != 0 and state.decisions == toy_game.GAME.max_decisions - 1):
        state.step(0)
    assert not state.over
    with pytest.raises(ValueError, match="an episode can't begin with the state of row 0"):
        env.reset(options={"state": state.states})
    assert np.array_equal(env.batch.states, before)
    check_env_specs(env)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"autoreset": "same_step"}, "leave autoreset out"),
        ({"opponent": SELF_PLAY}, "opponent"),
        ({"observation_dtype": "float16"}, "observation_dtype must be float32 or uint8"),
        ({"num_envs": 0}, "at least 1"),
        ({"placement": "nonsense"}, "placement"),
        ({"nonsense": 1}, "unknown option 'nonsense'"),
        ({"game": "chess"}, "unknown game 'chess'"),
    ],
)
def test_wrong_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_torchrl_env(**options)


def test_other_batches_are_refused():
    with pytest.raises(ValueError, match="needs autoreset 'same_step', not 'next_step'"):
        TorchRLEnv(Batch.make(toy_game.GAME, 1))
    with pytest.raises(ValueError, match="SelfPlayBatch"):
        TorchRLEnv(Batch.make(toy_game.GAME, 1, autoreset="same_step", opponent=SELF_PLAY))


def test_an_illegal_action_is_told():
    env = make(2, illegal_action="lose")
    now = env.reset()
    illegal = int((~now["action_mask"][1]).int().argmax())
    actions = env.rand_action(now)["action"].clone()
    actions[1] = illegal
    after = env.step(now.set("action", actions))["next"]
    assert after["illegal_action"].squeeze(-1).tolist() == [False, True]
    assert after["terminated"].squeeze(-1).tolist() == [False, True]
    assert after["reward"][1] == -1
    now = env.maybe_reset(after.exclude("reward"))
    assert not now["illegal_action"][1]
    assert not now["done"].any()


def test_opponents_can_change():
    env = TransformedEnv(make(2), RewardSum())
    asked = []

    def opponent(observations, masks):
        asked.append(len(observations))
        return masks.argmax(axis=1)

    env.set_opponent(opponent)
    env.rollout(5)
    assert asked
    with pytest.raises(ValueError, match="no opponent|unknown|opponent"):
        env.set_opponent("nobody")
    env.set_opponents(["random"])
    before = len(asked)
    env.rollout(5)
    assert len(asked) == before


def test_copies_are_independent():
    env = make(2)
    env.rollout(3)
    copied, pickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    played = env.rollout(3)
    assert_equal(played, copied.rollout(3))
    assert_equal(played, pickled.rollout(3))


def policy_of(env):
    network = torch.nn.Linear(env.observation_spec["observation"].shape[-1], env.action_spec.n)
    return ProbabilisticActor(
        TensorDictModule(network, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def test_a_policy_collects_legal_actions_into_a_buffer():
    env = make(4, illegal_action="raise")
    collector = Collector(
        env, policy_of(env), frames_per_batch=4 * 50, total_frames=8 * 50, auto_register_policy_transforms=False
    )
    buffer = ReplayBuffer(storage=LazyTensorStorage(1000), batch_size=32)
    seen = 0
    for batch in collector:
        assert batch.shape == (4, 50)
        assert batch["action_mask"].gather(-1, batch["action"][..., None]).all()
        assert batch["action_log_prob"].isfinite().all()
        done = batch["next", "done"][:, :-1].squeeze(-1)
        went_on = torch.equal(batch["next", "observation"][:, :-1][~done], batch["observation"][:, 1:][~done])
        assert went_on
        buffer.extend(batch.reshape(-1))
        seen += batch.numel()
    assert seen == len(buffer) == 8 * 50
    assert buffer.sample()["action_mask"].dtype == torch.bool
    collector.shutdown()


def test_a_policy_can_be_asked_in_the_last_observation_too():
    env = dice(illegal_action="raise")
    now = ended(env)
    distribution = policy_of(env).get_dist(now)
    assert distribution.entropy().isfinite().all()


def test_exploration_is_masked():
    env = make(4, illegal_action="raise")
    explore = EGreedyModule(env.action_spec, eps_init=1.0, eps_end=1.0, action_mask_key="action_mask")
    first = TensorDictModule(lambda mask: mask.int().argmax(-1), in_keys=["action_mask"], out_keys=["action"])
    played = env.rollout(20, TensorDictSequential(first, explore))
    assert (played["action"] != played["action_mask"].int().argmax(-1)).any()


def test_the_single_environment_tells_its_info():
    single = gymnasium.make("azul_duel_env:azul/Duel-v0", opponent="random")
    env = GymWrapper(single, categorical_action_encoding=True).auto_register_info_dict()
    played = TransformedEnv(env, ActionMask()).rollout(10)
    assert played["next", "score"].shape == (10,)
    assert played["next", "is_success"].dtype == torch.bool
    assert played["action_mask"].gather(-1, played["action"][:, None]).all()


def test_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchrl.envs", None)
    monkeypatch.delitem(sys.modules, "azul_duel_env.envs.torchrl")
    with pytest.raises(ImportError, match=r"needs TorchRL: pip install 'azul_duel_env\[torchrl\]'"):
        importlib.import_module("azul_duel_env.envs.torchrl")
