"""The vector environment for stable-baselines3: its conventions, its rewards, its opponents."""

from __future__ import annotations

import numpy as np
import pytest
from lone_row import at_random, first_legal
from sizes import scaled

from azul_duel_env.duel_v0 import DuelEnv, DuelVectorEnv
from azul_duel_env.envs.batch import Batch
from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.evaluation import evaluate_policy as evaluate_unmasked
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize, VecVideoRecorder

from azul_duel_env.envs.rendering import RENDER_FPS
from azul_duel_env.envs.sb3 import SB3VecEnv, make_sb3_vec

pytestmark = pytest.mark.compiled_only

COARSE = {
    "placement": "best_fit",
    "bonus_chips": "always",
    "moon_order": "useful_on_top",
    "return_order": "ascending",
    "drawing": "once",
}


QUICK = COARSE | {"opponent": "random"}


def learner(env, seed=1, algorithm=MaskablePPO):
    """A small model that has learnt nothing yet."""
    return algorithm(
        "MlpPolicy", env, n_steps=8, batch_size=16, policy_kwargs={"net_arch": [8]}, seed=seed, device="cpu"
    )


def walked(env, steps, seed=0, **reset):
    """Play at random; return all that the environment returned."""
    rng, results = np.random.default_rng(seed), [env.reset(**reset)]
    for _ in range(steps):
        results.append(env.step(at_random(env.action_masks(), rng)))
    return results


# With MaskablePPO and its helpers -------------------------------------------------------------
@pytest.mark.parametrize("threads", [1, 2])
def test_maskable_ppo_learns_on_it_as_it_is(threads, monkeypatch):
    monkeypatch.setattr("azul_duel_env.envs.row_arrays.ROWS_PER_THREAD", 1)
    env = make_sb3_vec(4, opponent="greedy", threads=threads, illegal_action="raise", **COARSE)
    model = learner(env)
    model.learn(scaled(1024, 32))
    assert model.num_timesteps >= scaled(1024, 32)
    assert (env.batch._team is not None) == (threads == 2 and COMPILED)
    if scaled(1024, 32) > 500:
        assert {"r", "l", "t"} == set(model.ep_info_buffer[0])
    env.close()
    assert env.batch._team is None


def test_masks_are_found_and_fresh():
    env = make_sb3_vec(3, seed=1)
    env.reset()
    assert is_masking_supported(env)
    assert is_masking_supported(VecNormalize(env, norm_obs=False))
    masks = get_action_masks(env)
    assert (masks.shape, masks.dtype) == ((3, GAME.num_actions), np.int8)
    np.testing.assert_array_equal(masks, env.action_masks())
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=1), masks[[1]])
    before = masks.copy()
    env.step(masks.argmax(axis=1))
    np.testing.assert_array_equal(masks, before)


def test_evaluation_needs_no_monitor():
    env = make_sb3_vec(2, opponent="random", **COARSE)
    rewards, lengths = evaluate_policy(
        learner(env), make_sb3_vec(2, seed=1, **COARSE), n_eval_episodes=2, return_episode_rewards=True
    )
    assert set(rewards) <= {-1.0, 0.0, 1.0}
    assert min(lengths) > 5
    assert env.env_is_wrapped(Monitor) == [True, True]
    assert env.env_is_wrapped(VecMonitor, indices=0) == [False]


def test_eval_callback():
    env, games = make_sb3_vec(2, **COARSE), make_sb3_vec(2, opponent="greedy", seed=1, **COARSE)
    callback = MaskableEvalCallback(games, n_eval_episodes=2, eval_freq=8, verbose=0)
    learner(env).learn(16, callback=callback)
    assert -1 <= callback.last_mean_reward <= 1


def test_monitor_of_stable_baselines3_tells_the_same_episodes():
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        env = VecMonitor(make_sb3_vec(2, reward="score_delta", max_episode_steps=7, **COARSE))
    own = []

    class Both(type(env.venv)):
        def step_wait(self):
            result = super().step_wait()
            own.extend(info["episode"] for info in result[3] if info)
            return result

    env.venv.__class__ = Both
    rng, told = np.random.default_rng(1), []
    env.reset()
    for _ in range(15):
        infos = env.step(at_random(get_action_masks(env), rng))[3]
        told += [info["episode"] for info in infos if info]
    assert len(told) == 4
    assert [(t["r"], t["l"]) for t in told] == [(o["r"], o["l"]) for o in own]
    assert all(episode["t"] >= 0 for episode in own)


def test_vec_normalize_scales_rewards():
    env = VecNormalize(make_sb3_vec(4, reward="score_delta", **COARSE), norm_obs=False)
    learner(env).learn(64)
    assert env.ret_rms.count > 32
    env.reset()
    observations = env.step(get_action_masks(env).argmax(axis=1))[0]
    np.testing.assert_array_equal(observations, env.venv.batch.observations)


def test_successes_are_logged_without_a_monitor_and_without_a_warning(recwarn):
    env = make_sb3_vec(4, seat=0, **QUICK)
    told = []

    class Winning(type(env)):
        """Every episode is over at once, won in even rows, drawn in row 1 and lost in row 3."""

        def step_wait(self):
            self.batch.rows["final_winner"] = [0, -1, 0, 1]
            self.batch.rows["final_ranks"] = [[1, 2], [1, 1], [1, 2], [2, 1]]
            told.extend(self._info_of_end(row) for row in range(4))
            return self.reset(), np.zeros(4, np.float32), np.ones(4, bool), told[-4:]

    env.__class__ = Winning
    env.reset()
    env.batch.rows["final_seat"] = 0
    model = learner(env).learn(32)
    assert [info["is_success"] for info in told[:4]] == [True, False, True, False]
    assert set(model.ep_success_buffer) == {True, False}
    assert [info["win"] for info in told[:4]] == [1.0, 0.5, 1.0, 0.0]
    assert [str(warning.message) for warning in recwarn] == []


def test_success_rates_of_real_episodes(recwarn):
    games = make_sb3_vec(2, seed=1, max_episode_steps=5, **QUICK)
    callback = MaskableEvalCallback(games, n_eval_episodes=4, eval_freq=8, verbose=0)
    model = learner(make_sb3_vec(2, **QUICK))
    successes = []
    callback._log_success_callback = lambda told, _: successes.extend(
        [told["info"]["is_success"]] if told["done"] else []
    )
    model.learn(16, callback=callback)
    assert len(successes) >= 4
    assert set(successes) <= {True, False}
    assert [str(warning.message) for warning in recwarn] == []


def test_videos_run_at_our_speed(tmp_path):
    pytest.importorskip("moviepy")
    env = make_sb3_vec(1, opponent="random", render_mode="rgb_array", render_width=160)
    assert env.metadata["render_fps"] == RENDER_FPS
    video = VecVideoRecorder(env, str(tmp_path), lambda _: False)
    assert video.frames_per_sec == RENDER_FPS


# Without masks --------------------------------------------------------------------------------
def told_of_masks(caught):
    """The warnings that name the masked way."""
    told = [str(warning.message) for warning in caught if "illegal action" in str(warning.message)]
    assert all(
        "MaskablePPO" in text and "info['action_mask']" in text and "infos['action_mask']" in text for text in told
    )
    return told


@pytest.mark.parametrize(
    ("make", "episodes"),
    [(lambda: make_sb3_vec(3, **QUICK), 10), (lambda: Monitor(DuelEnv(**QUICK)), 16)],
    ids=["native", "single"],
)
def test_an_evaluation_without_masks_warns_once(make, episodes, recwarn):
    model = learner(make_sb3_vec(1, **QUICK))
    env = make()
    for _ in range(2):
        evaluate_unmasked(model, env, n_eval_episodes=episodes)
        assert len(told_of_masks(recwarn)) == 1
    evaluate_unmasked(model, make_sb3_vec(3, illegal_action="random", max_episode_steps=4, **QUICK), n_eval_episodes=10)
    assert len(told_of_masks(recwarn)) == 1


def test_learning_and_its_callback_without_masks_warn_once():
    with pytest.warns(UserWarning, match="illegal action") as told:
        learner(make_sb3_vec(4, **QUICK), algorithm=PPO).learn(64)
    assert len(told_of_masks(told)) == 1
    callback = EvalCallback(make_sb3_vec(1, **QUICK), n_eval_episodes=5, eval_freq=1, verbose=0)
    with pytest.warns(UserWarning, match="illegal action") as told:
        learner(make_sb3_vec(2, **QUICK)).learn(8, callback=callback)
    assert len(told_of_masks(told)) == 1


def test_masked_learning_brings_no_warning(recwarn):
    learner(make_sb3_vec(4, max_episode_steps=3, **QUICK)).learn(64)
    assert told_of_masks(recwarn) == []


# As any VecEnv --------------------------------------------------------------------------------
def test_attributes_and_methods():
    env = make_sb3_vec(3, opponent="random", max_episode_steps=5)
    env.reset()
    assert env.get_attr("render_mode") == [None] * 3
    assert env.get_attr("num_envs", indices=[0, 2]) == [3, 3]
    assert env.has_attr("action_masks")
    assert not env.has_attr("valid_action_mask")
    assert env.get_images() == [None] * 3
    with pytest.raises(AttributeError):
        env.get_attr("no_such_thing")
    with pytest.raises(AttributeError):
        env.env_method("no_such_thing")
    with pytest.raises(AttributeError, match="set_opponent"):
        env.set_attr("opponent", "greedy")
    with pytest.raises(ValueError, match="all rows"):
        env.env_method("set_opponent", "greedy", indices=[0])


def test_another_opponent_by_env_method():
    env = VecNormalize(make_sb3_vec(4, opponent="random", **COARSE), norm_obs=False)
    model = learner(env)
    env.reset()
    pool = {"greedy": 1, "random": 2, model: 1}
    for opponent, names in [
        ("greedy", ["greedy"]),
        (["random", first_legal], ["random", "first_legal"]),
        (model, ["MaskablePPO"]),
        (pool, ["greedy", "random", "MaskablePPO"]),
    ]:
        env.env_method("set_opponent", opponent)
        assert [member.name for member in env.venv.batch.pool.opponents] == names
        env.step(get_action_masks(env).argmax(axis=1))
    with pytest.raises(ValueError, match="did you mean 'greedy'"):
        env.env_method("set_opponent", "gredy")
    assert env.venv.batch.pool.shares == (0.25, 0.5, 0.25)


def test_self_play_is_refused():
    with pytest.raises(ValueError, match="SelfPlayBatch"):
        make_sb3_vec(2, opponent="self-play")
    env = make_sb3_vec(2)
    with pytest.raises(ValueError, match="SelfPlayBatch"):
        env.set_opponent("self-play")


def test_wrong_arguments():
    with pytest.raises(ValueError, match="did you mean 'placement'"):
        make_sb3_vec(2, placment="best_fit")
    with pytest.raises(ValueError, match="unknown game"):
        make_sb3_vec(2, game="azul/summer-v0")
    with pytest.raises(ValueError, match="same_step"):
        SB3VecEnv(Batch(GAME, 2))
    env = make_sb3_vec(2)
    with pytest.raises(ValueError, match="reset"):
        env.step(np.zeros(2, int))


def test_options_are_of_each_row_and_for_one_reset():
    env = make_sb3_vec(3, opponent="random", seat=0)
    env.set_options({"scoring_tiles": 4})
    env.reset()
    assert env.batch.states["num_scoring_tiles"].tolist() == [4, 4, 4]
    env.reset()
    assert env.batch.states["num_scoring_tiles"].tolist() == [3, 3, 3]
    state = GAME.new(7, scoring_tiles=4).states
    options = [{"scoring_tiles": 4}, {}, {"state": state}]
    env.set_options(options)
    options[0].clear()
    env.seed(5)
    observations = env.reset()
    assert env.batch.states["num_scoring_tiles"].tolist() == [4, 3, 4]
    plain = make_sb3_vec(3, opponent="random", seat=0, seed=5)
    np.testing.assert_array_equal(plain.reset()[1], observations[1])
    env.set_options({"first_player": 1})
    env.set_options()
    env.seed(5)
    np.testing.assert_array_equal(env.reset(), plain.reset() if plain.seed(5) else None)
    assert env.step(env.action_masks().argmax(axis=1))[0].shape == observations.shape


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scoring_tile": 4}, ValueError, "did you mean 'scoring_tiles'"),
        ({"anything": 4}, ValueError, "there are state, scoring_tiles"),
        ({"scoring_tiles": 9}, ValueError, "scoring_tiles"),
        ({"explicit_chance": True}, ValueError, "fixed"),
        ({"state": "nonsense"}, ValueError, "."),
        ({"states": []}, ValueError, "did you mean 'state'"),
        ({"state": GAME.new(1).states, "first_player": 1}, ValueError, "leave out first_player"),
        ([{}], ValueError, "one for each of 2 rows"),
        ([{}, {"scoring_tiles": 9}], ValueError, "scoring_tiles"),
        ([{}, 3], TypeError, "dictionary or None"),
        ("x", TypeError, "dictionary or None"),
    ],
)
def test_wrong_options_are_refused_at_once(options, error, message):
    env = make_sb3_vec(2, opponent="random")
    env.set_options({"scoring_tiles": 4})
    with pytest.raises(error, match=message):
        env.set_options(options)
    env.reset()
    assert env.batch.states["num_scoring_tiles"].tolist() == [4, 4]


def test_wrong_seeds_actions_and_rows_are_refused_at_once():
    env = make_sb3_vec(2, opponent="random")
    env.seed(3)
    for seed in (-1, 1.5, "1", True):
        with pytest.raises(ValueError, match="seed"):
            env.seed(seed)
    first = env.reset()
    np.testing.assert_array_equal(first, make_sb3_vec(2, opponent="random", seed=3).reset())
    assert len(env.seed()) == 2
    actions = env.action_masks().argmax(axis=1)
    for wrong in (np.ma.array(actions, mask=[True, False]), actions[:1], actions.astype(float), actions == 0, None):
        with pytest.raises(ValueError, match="expected 2 integers"):
            env.step_async(wrong)
    with pytest.raises(ValueError, match="step_async"):
        env.step_wait()
    env.step_async(actions)
    actions[:] = -1
    assert not env.step_wait()[2].any(), "actions are those of the call"
    for rows in (2, [0, 5], -1, ["a"]):
        with pytest.raises(ValueError, match="0 to 1"):
            env.env_method("action_masks", indices=rows)
    with pytest.raises(TypeError):
        env.env_method("action_masks", 1)
    with pytest.raises(ValueError, match="all rows"):
        env.env_method("set_opponent", "greedy", indices=[0, 0])
    for wrong in ({"autoreset": "disabled"}, {"granularity": 1}, {"options": {}}):
        with pytest.raises(ValueError, match="autoreset|unknown option"):
            make_sb3_vec(2, **wrong)


def test_seeds_repeat():
    first, again, other = (walked(make_sb3_vec(3, seed=seed), scaled(30, 8)) for seed in (5, 5, 6))
    for mine, yours in zip(first[1:], again[1:], strict=True):
        for a, b in zip(mine[:3], yours[:3], strict=True):
            np.testing.assert_array_equal(a, b)
    assert (first[0] != other[0]).any()
    env = make_sb3_vec(3, seed=6)
    env.seed(5)
    np.testing.assert_array_equal(env.reset(), first[0])
    assert (env.reset() != first[0]).any(), "a seed is for one reset"


@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "greedy", "reward": {"win_loss": 1.0, "potential": 0.1}, "gamma": 0.9, **COARSE},
        {"opponent": ["random", first_legal], "reward": "score_delta", "placement": "split", "max_episode_steps": 30},
    ],
)
def test_it_plays_what_the_gymnasium_environment_plays(options):
    rows = scaled(6, 2)
    ours = make_sb3_vec(rows, seed=8, **options)
    options = dict(options)
    theirs = DuelVectorEnv(rows, autoreset_mode="SameStep", **options)
    assert ours.observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.single_action_space
    observations, infos = theirs.reset(seed=8)
    np.testing.assert_array_equal(ours.reset(), observations)
    rng, episodes = np.random.default_rng(2), 0
    for _ in range(150 if COMPILED else 45):
        actions = at_random(ours.action_masks(), rng)
        seats = infos["seat"]
        observations, rewards, dones, told = ours.step(actions)
        expected = theirs.step(actions)
        infos = expected[4]
        np.testing.assert_array_equal(observations, expected[0])
        np.testing.assert_array_equal(ours.action_masks(), infos["action_mask"])
        np.testing.assert_array_equal(rewards, expected[1].astype(np.float32))
        np.testing.assert_array_equal(dones, expected[2] | expected[3])
        assert (observations.dtype, rewards.dtype, dones.dtype) == (np.float32, np.float32, np.bool_)
        for i in range(rows):
            if not dones[i]:
                assert told[i] == {}
                continue
            np.testing.assert_array_equal(told[i]["terminal_observation"], infos["final_obs"][i])
            assert told[i]["TimeLimit.truncated"] is bool(expected[3][i])
            final = infos["final_info"]
            assert told[i]["seat"] == seats[i] == final["seat"][i]
            assert (told[i]["score"], told[i]["opponent_score"]) == (final["score"][i], final["opponent_score"][i])
            episodes += 1
    assert episodes > 0 or not COMPILED


def test_infos_of_an_episode():
    env = make_sb3_vec(2, opponent="random", reward="score_delta", max_episode_steps=4)
    sums = np.zeros(2)
    env.reset()
    for step in range(1, 9):
        _, rewards, dones, infos = env.step(env.action_masks().argmax(axis=1))
        sums += rewards
        assert dones.all() == dones.any() == (step % 4 == 0)
        for i in np.flatnonzero(dones):
            assert infos[i]["TimeLimit.truncated"] is True
            assert infos[i]["episode"]["r"] == sums[i]
            assert infos[i]["episode"]["l"] == 4
            assert infos[i]["episode"]["t"] >= 0
            assert infos[i]["terminal_observation"].shape == env.observation_space.shape
            assert infos[i]["win"] == 0.5
            sums[i] = 0
    _, rewards, dones, infos = env.step(np.array([-1, env.action_masks()[1].argmax()]))
    assert (rewards[0], dones.tolist(), infos[1]) == (-1, [True, False], {})
    assert infos[0]["illegal_action"] is True
    assert infos[0]["TimeLimit.truncated"] is False
    assert infos[0]["win"] == 0.0


def test_what_is_handed_out_shares_no_memory():
    env = make_sb3_vec(2, opponent="random", max_episode_steps=2)
    arrays = [array for result in walked(env, 5)[1:] for array in result[:3]] + [env.reset(), env.action_masks()]
    *_, infos = [env.step(env.action_masks().argmax(axis=1)) for _ in range(2)][-1]
    arrays += [info["terminal_observation"] for info in infos] + [env.env_method("action_masks")]
    own = [env.batch.states, env.batch.rows, env.batch.observations, env.batch.masks, env.batch.finals]
    for k, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[k + 1 :] + own)


# Whose reward it is ---------------------------------------------------------------------------
@pytest.mark.parametrize("seat", ["random", 0, 1])
def test_each_reward_is_the_learners_in_its_own_row(seat):
    """Replay with ``Position`` alone: the learner takes its last legal action, the opponent its first."""
    rows = scaled(6, 2)
    env = make_sb3_vec(
        rows,
        seed=40,
        opponent=first_legal,
        seat=seat,
        reward={"score_delta": 1.0, "win_loss": 1000.0},
    )
    env.reset()
    seats = env.batch.rows["seat"].tolist()
    games = [GAME.new(40 + i) for i in range(rows)]
    for game, seat in zip(games, seats, strict=True):
        answer(game, seat)
    margins, ended, wins = [0] * rows, 0, set()
    while ended < 2 * rows:
        masks = env.action_masks()
        for game, mask, seat in zip(games, masks, seats, strict=True):
            assert game.player == seat
            np.testing.assert_array_equal(np.flatnonzero(mask), np.sort(game.legal_actions()))
        _, rewards, dones, infos = env.step(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))
        for i, (game, seat) in enumerate(zip(games, seats, strict=True)):
            game.step(int(max(game.legal_actions())))
            answer(game, seat)
            margin = game.scores[seat] - game.scores[1 - seat]
            won = 0 if not game.over or game.winner < 0 else 1 if game.winner == seat else -1
            assert rewards[i] == margin - margins[i] + 1000 * won
            assert dones[i] == game.over
            margins[i] = margin
            if game.over:
                assert infos[i]["episode"]["r"] == margin + 1000 * won
                assert infos[i]["win"] == (won + 1) / 2
                assert (infos[i]["score"], infos[i]["seat"]) == (game.scores[seat], seat)
                wins.add(won)
                ended += 1
                seats[i], margins[i] = int(env.batch.rows["seat"][i]), 0
                games[i] = Position(GAME, env.batch.states[i : i + 1].copy())
    assert scaled(6, 2) < 6 or len(wins) > 1


def answer(game, seat):
    """Let the scripted opponent play until the learner is asked."""
    while not game.over and game.player != seat:
        game.step(int(min(game.legal_actions())))


# Networks as opponents ------------------------------------------------------------------------
class Counting:
    """A model that notes how many rows it is asked at once."""

    def __init__(self, model) -> None:
        self.model, self.sizes = model, []
        self.observation_space, self.action_space = model.observation_space, model.action_space

    def predict(self, observation, state=None, episode_start=None, deterministic=False, action_masks=None):
        assert deterministic
        assert action_masks.any(axis=1).all()
        self.sizes.append(len(observation))
        return self.model.predict(observation, state, episode_start, deterministic, action_masks)


def test_each_network_is_asked_once_for_all_its_rows_that_wait():
    rows = scaled(24, 6)
    env = make_sb3_vec(rows, seed=1)
    pool = [Counting(learner(env, seed)) for seed in (1, 2)]
    env.set_opponent(pool)
    env.seed(1)
    env.reset()
    met, rng, asked = env.batch.rows["opponents"].max(axis=1).copy(), np.random.default_rng(0), 0
    assert set(met) == {0, 1}
    while True:
        before = env.batch.states["decisions"].astype(int)
        for network in pool:
            network.sizes.clear()
        dones = env.step(at_random(env.action_masks(), rng))[2]
        if dones.any():
            break
        answers = env.batch.states["decisions"] - before - 1
        for place, network in enumerate(pool):
            waits = answers[met == place]
            assert network.sizes == [int((waits > k).sum()) for k in range(waits.max())]
            asked += len(network.sizes)
    assert asked > 20


def test_a_model_for_other_spaces_is_refused():
    env, coarse = make_sb3_vec(2), make_sb3_vec(2, **COARSE)
    model = learner(coarse)
    with pytest.raises(ValueError, match="same granularity"):
        env.set_opponent(model)
    with pytest.raises(ValueError, match="observation space"):
        make_sb3_vec(2, opponent=model, advice="greedy", **COARSE)
    assert [member.name for member in env.batch.pool.opponents] == ["greedy"]


def test_a_model_without_masks_is_refused():
    env = make_sb3_vec(2)
    with pytest.raises(ValueError, match="PPO takes no action masks"):
        env.set_opponent(learner(env, algorithm=PPO))


def test_a_saved_model(tmp_path):
    model = learner(make_sb3_vec(2, **COARSE))
    model.save(tmp_path / "saved.zip")
    envs = [
        make_sb3_vec(3, seed=1, opponent=opponent, **COARSE)
        for opponent in (model, f"sb3:{tmp_path}/saved.zip", f"sb3:{tmp_path}/saved")
    ]
    first, *others = [walked(env, 20) for env in envs]
    for other in others:
        np.testing.assert_array_equal(first[-1][0], other[-1][0])
        np.testing.assert_array_equal(first[0], other[0])
    with pytest.raises(FileNotFoundError, match="no saved model"):
        make_sb3_vec(2, opponent=f"sb3:{tmp_path}/nothing")
    (tmp_path / "text.zip").write_text("no model")
    with pytest.raises(ValueError, match="no saved MaskablePPO"):
        make_sb3_vec(2, opponent=f"sb3:{tmp_path}/text.zip")


class Changing(BaseCallback):
    """Changes the opponent in the midst of learning, as self-play does."""

    def __init__(self, env) -> None:
        super().__init__()
        self.env, self.changes = env, 0

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        self.env.env_method("set_opponent", [self.model, "random"])
        self.changes += 1


def test_the_opponent_may_change_as_it_learns():
    env = make_sb3_vec(4, opponent="greedy", illegal_action="raise", **COARSE)
    callback = Changing(env)
    learner(env).learn(96, callback=callback)
    assert callback.changes == 3
