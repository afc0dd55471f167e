"""The vector environment: each row against a plain loop, Gymnasium's conventions against its own SyncVectorEnv."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from comparisons import assert_same, snapshot
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from lone_row import FIRST_LEGAL, LoneRow, at_random, first_legal
from sizes import scaled

from azul_duel_env.duel_v0 import DuelVectorEnv
from azul_duel_env.game import copy_of
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED

MODES = list(AutoresetMode)
INFOS = ("action_mask", "illegal_action", "score", "opponent_score", "seat")
COARSE = {
    "placement": "best_fit",
    "bonus_chips": "always",
    "moon_order": "useful_on_top",
    "return_order": "ascending",
    "drawing": "once",
}
CASES = [
    {"opponents": ["random"], "reward": {"win_loss": 2.0, "rank": 0.5}},
    {"opponents": ["greedy"], "seat": 1, "reward": "score_delta", **COARSE},
    {"opponents": ["random", FIRST_LEGAL], "reward": "score_margin", "placement": "split", "bonus_chips": "whether"},
    {
        "opponents": ["greedy", "random"],
        "reward": {"win_loss": 10.0, "potential": 0.5, "score_delta": 0.25},
        "gamma": 0.9,
        "scoring_tiles": 4,
        "zero_point_draw": "forced_only",
        "bonus_chips": "most_points",
        "columns": "most_points",
    },
    {"opponents": [FIRST_LEGAL], "seat": 0, "max_steps": 9, "first_player": 1, "bonus_chips": "never"},
]


def vector(num_envs, mode=AutoresetMode.NEXT_STEP, opponents=("greedy",), max_steps=None, **options) -> DuelVectorEnv:
    """The vector environment of a case."""
    pool = [first_legal if spec == FIRST_LEGAL else spec for spec in opponents]
    return DuelVectorEnv(num_envs, opponent=pool, autoreset_mode=mode, max_episode_steps=max_steps, **options)


def begun(num_envs=4, seed=3, steps=20, **options):
    """An environment in the midst of its games, and the infos."""
    env = DuelVectorEnv(num_envs, **({"opponent": "random"} | options))
    _, infos = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        *_, infos = env.step(at_random(infos["action_mask"], rng))
    return env, infos


# Against a plain loop, inside Gymnasium's own vector environment ------------------------------
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_rows_equal_a_plain_loop_in_sync_vector_env(case, mode):
    if not COMPILED and "greedy" in case["opponents"] and mode is not MODES[CASES.index(case) % len(MODES)]:
        pytest.skip("uncompiled, greedy plays in one mode a case")
    rows, episodes = scaled(5, 2), scaled(8, 1)
    ours, theirs = vector(rows, mode, **case), SyncVectorEnv([lambda: LoneRow(**case)] * rows, autoreset_mode=mode)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"] is mode
    got = ours.reset(seed=11)
    assert_same(got, theirs.reset(seed=11), "reset")
    rng, ended = np.random.default_rng(5), 0
    masks = got[1]["action_mask"]
    while ended < episodes:
        actions = at_random(masks, rng)
        got = ours.step(actions)
        expected = theirs.step(actions)
        assert_same(got, expected, "step")
        masks, done = got[4]["action_mask"], got[2] | got[3]
        ended += done.sum()
        if mode is AutoresetMode.DISABLED and done.any():
            got = ours.reset(options={"reset_mask": done})
            expected = theirs.reset(options={"reset_mask": done})
            assert_same(got[0], expected[0], "partial reset")
            for key in INFOS:
                np.testing.assert_array_equal(got[1][f"_{key}"], done)
                assert_same(got[1][key][done], expected[1][key][done], key)
            masks = got[1]["action_mask"]
    theirs.close()


@pytest.mark.parametrize("seed", [None, 5, [7, 8, 7], [7, None, 9]])
def test_seeds(seed):
    env, other = (DuelVectorEnv(3, opponent="random") for _ in range(2))
    env.reset(seed=1)
    other.reset(seed=1)
    first, infos = env.reset(seed=seed)
    second, _ = other.reset(seed=seed)
    np.testing.assert_array_equal(first, second)
    actions = infos["action_mask"].argmax(axis=1)
    np.testing.assert_array_equal(env.step(actions)[0], other.step(actions)[0])
    if isinstance(seed, list):
        np.testing.assert_array_equal(first[0], LoneRow(["random"]).reset(seed=7)[0])
        assert (first[0] == first[2]).all() == (seed[2] == 7)


def test_np_random_is_seeded_as_in_gymnasium():
    env = DuelVectorEnv(2)
    env.reset(seed=5)
    assert env.np_random_seed == 5
    assert env.np_random.random() == np.random.default_rng(5).random()


@pytest.mark.parametrize("opponents", [["random", "greedy"], ["random", FIRST_LEGAL]])
def test_threads_change_nothing(opponents, monkeypatch):
    monkeypatch.setattr("azul_duel_env.envs.row_arrays.ROWS_PER_THREAD", 1)
    rows = scaled(40, 3)
    envs = [vector(rows, opponents=opponents, threads=threads, reward="score_delta") for threads in (1, 3, -1)]
    results = [env.reset(seed=2) for env in envs]
    rng = np.random.default_rng(0)
    for _ in range(scaled(200, 10)):
        actions = at_random(results[0][1]["action_mask"], rng)
        results = [env.step(actions) for env in envs]
        for other in results[1:]:
            assert_same(results[0], other)
        results = [(result[0], result[4]) for result in results]
    assert envs[0].batch._team is None
    assert (envs[1].batch._team is not None) == COMPILED
    for env in envs:
        env.close()
        env.close()
        assert env.closed
    assert envs[1].batch._team is None


def transcript(mode, rows, length, opponents):
    """What each row goes through, real steps only: (observation, mask, action, reward, flags, next observation, infos)."""
    env = vector(rows, mode, opponents, reward="score_delta", max_steps=60)
    tape = np.random.default_rng(9).random((rows, length, env.single_action_space.n))
    told = [[] for _ in range(rows)]
    observations, infos = env.reset(seed=4)
    resets = np.zeros(rows, bool)
    while min(map(len, told)) < length:
        masks = infos["action_mask"]
        turns = [min(len(row), length - 1) for row in told]
        actions = (masks * tape[np.arange(rows), turns]).argmax(axis=1)
        after, rewards, terminated, truncated, infos = env.step(actions)
        done = terminated | truncated
        last, at_end = after, infos
        if mode is AutoresetMode.SAME_STEP and done.any():
            last = [infos["final_obs"][i] if done[i] else after[i] for i in range(rows)]
            at_end = infos["final_info"]
        for i in np.flatnonzero(~resets):
            facts = [(at_end if done[i] else infos)[key][i] for key in INFOS]
            told[i].append(
                [observations[i], masks[i], actions[i], rewards[i], terminated[i], truncated[i], last[i], *facts]
            )
        observations = after
        resets = done if mode is AutoresetMode.NEXT_STEP else np.zeros(rows, bool)
        if mode is AutoresetMode.DISABLED and done.any():
            observations, infos = env.reset(options={"reset_mask": done})
    return [row[:length] for row in told]


@pytest.mark.parametrize("opponents", [["random"], [FIRST_LEGAL, "random"]])
def test_autoreset_modes_agree_on_one_action_tape(opponents):
    rows, length = scaled(6, 2), scaled(300, 70)
    first, *others = [transcript(mode, rows, length, opponents) for mode in MODES]
    assert any(fact[5] for row in first for fact in row), "no episode ended"
    for other in others:
        for mine, yours in zip(first, other, strict=True):
            for ours, theirs in zip(mine, yours, strict=True):
                for a, b in zip(ours, theirs, strict=True):
                    np.testing.assert_array_equal(a, b)


# Masks, buffers, infos ------------------------------------------------------------------------
def test_masks_are_empty_just_where_an_episode_is_over_and_every_action_in_them_steps():
    env = DuelVectorEnv(scaled(30, 4), opponent="random", illegal_action="raise")
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(1)
    over = np.zeros(env.num_envs, bool)
    for _ in range(scaled(400, 120)):
        masks = infos["action_mask"]
        assert masks.dtype == np.int8
        assert masks.max() <= 1
        np.testing.assert_array_equal(masks.any(axis=1), ~over)
        np.testing.assert_array_equal(masks, env.action_masks())
        _, _, terminated, truncated, infos = env.step(at_random(masks, rng))
        over = terminated | truncated
        assert not infos["illegal_action"].any()


def test_every_legal_action_of_a_state_steps():
    env, infos = begun(1, steps=25)
    state = env.batch.states.copy()
    legal = np.flatnonzero(infos["action_mask"][0])
    many = DuelVectorEnv(len(legal), opponent="random", illegal_action="raise", seat=int(state["player"][0]))
    many.reset(options={"state": state})
    before = many.batch.states.copy()
    many.step(legal)
    assert (many.batch.states["decisions"] > before["decisions"]).all()


def arrays_of(value):
    """All arrays in what an environment returned."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return [value]
    if isinstance(value, (dict, tuple, list, np.ndarray)):
        return [array for part in (value.values() if isinstance(value, dict) else value) for array in arrays_of(part)]
    return []


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_copies_share_no_memory(mode):
    env = DuelVectorEnv(2, opponent="random", autoreset_mode=mode, max_episode_steps=3)
    rng = np.random.default_rng(0)
    results = [env.reset(seed=1)]
    for _ in range(7):
        results.append(env.step(at_random(env.action_masks(), rng)))
    results.append(env.reset(options={"reset_mask": np.array([True, False])}))
    arrays = [array for result in results for array in arrays_of(result)] + [env.action_masks()]
    own = [env.batch.states, env.batch.rows, env.batch.observations, env.batch.masks, env.batch.finals]
    for k, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[k + 1 :] + own)


def test_without_copies_the_buffers_are_returned():
    env = DuelVectorEnv(2, opponent="random", copy=False)
    observations, infos = env.reset(seed=1)
    later, *_, now = env.step(infos["action_mask"].argmax(axis=1))
    assert observations is later is env.batch.observations
    assert infos["action_mask"] is now["action_mask"] is env.action_masks() is env.batch.masks


def test_observations_are_in_their_space():
    env, infos = begun(3, placement="split")
    observations, rewards, terminations, truncations, _ = env.step(infos["action_mask"].argmax(axis=1))
    assert env.observation_space.contains(observations)
    assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, np.bool_, np.bool_)
    assert env.action_space.contains(env.action_space.sample())
    assert env.action_space.shape == (3,)


def test_partial_reset_leaves_other_rows_untouched():
    env, _ = begun(5)
    before = [copy_of(part) for part in (env.batch.states, env.batch.rows, env.batch.observations, env.batch.masks)]
    mask = np.array([False, True, False, True, False])
    options = {"reset_mask": mask}
    observations, infos = env.reset(seed=100, options=options)
    assert options["reset_mask"] is mask
    for part, old in zip((env.batch.states, env.batch.rows, observations, env.batch.masks), before, strict=True):
        now, then = (array.view(np.uint8).reshape(5, -1) for array in (part, old))
        same = (now == then).all(axis=1)
        np.testing.assert_array_equal(same, ~mask)
    np.testing.assert_array_equal(infos["_action_mask"], mask)
    np.testing.assert_array_equal(infos["action_mask"], env.action_masks())
    lone = LoneRow(["random"])
    for row in (1, 3):
        np.testing.assert_array_equal(observations[row], lone.reset(seed=100 + row)[0])


# Beginning elsewhere --------------------------------------------------------------------------
def test_begin_from_states():
    source, _ = begun(3, steps=30)
    states = source.batch.states.copy()
    env = DuelVectorEnv(3, opponent="random", reward="score_delta")
    env.reset(seed=1, options={"states": states})
    again = DuelVectorEnv(3, opponent="random", reward="score_delta")
    observations, infos = again.reset(seed=1, options={"states": states})
    np.testing.assert_array_equal(observations, env.batch.observations)
    assert (again.batch.states["decisions"] >= states["decisions"]).all()
    text = GAME.text.write(states, 1)
    for one in (states[1:2], states[1], text):
        env.reset(options={"state": one, "reset_mask": np.array([True, False, False])})
        assert env.batch.states["decisions"][0] >= states["decisions"][1]
    total, rng = np.zeros(3), np.random.default_rng(0)
    start = np.array([states["scores"][i, s] - states["scores"][i, 1 - s] for i, s in enumerate(infos["seat"])])
    live = np.ones(3, bool)
    while live.any():
        _, rewards, terminated, _, infos = again.step(at_random(infos["action_mask"], rng))
        total += rewards * live
        for i in np.flatnonzero(terminated & live):
            assert total[i] == infos["score"][i] - infos["opponent_score"][i] - start[i]
        live &= ~terminated


@pytest.mark.parametrize("mode", MODES)
def test_begin_where_the_learner_has_nothing_left_to_decide(mode):
    rng, last = np.random.default_rng(1), None
    position = GAME.new(1)
    while not position.over:
        last = position.copy()
        position.step(int(rng.choice(position.legal_actions())))
    env = DuelVectorEnv(1, opponent="random", seat=1 - last.player, autoreset_mode=mode)
    _, infos = env.reset(seed=1, options={"state": last.states})
    assert infos["action_mask"].any() == (mode is AutoresetMode.SAME_STEP)
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(ValueError, match="reset"):
            env.step([0])
        return
    _, rewards, terminated, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert not rewards.any()
    assert not (terminated | truncated).any()
    assert infos["action_mask"].any()


def test_options_of_one_episode():
    env = DuelVectorEnv(2, opponent="random", max_episode_steps=1)
    _, infos = env.reset(seed=1, options={"scoring_tiles": 4})
    assert env.batch.states["num_scoring_tiles"].tolist() == [4, 4]
    for _ in range(2):
        *_, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert env.batch.states["num_scoring_tiles"].tolist() == [3, 3]


# Opponents ------------------------------------------------------------------------------------
def test_a_function_is_called_once_for_all_rows_that_wait():
    rows, sizes = scaled(12, 3), []

    def counting(observations, masks):
        assert observations.shape == (len(masks), GAME.observation_size)
        assert masks.any(axis=1).all()
        sizes.append(len(masks))
        return first_legal(observations, masks)

    env = DuelVectorEnv(rows, opponent=counting, autoreset_mode="SameStep")
    lone = SyncVectorEnv([lambda: LoneRow([FIRST_LEGAL])] * rows, autoreset_mode="Disabled")
    _, infos = env.reset(seed=1)
    lone.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(scaled(60, 20)):
        sizes.clear()
        actions = at_random(infos["action_mask"], rng)
        _, _, terminated, _, infos = env.step(actions)
        lone.step(actions)
        if terminated.any():
            break
        waits = np.array([one.times_asked_outside for one in lone.envs])
        assert sizes == [int((waits > k).sum()) for k in range(waits.max())]
    lone.close()


def test_each_of_two_functions_is_called_for_its_own_rows():
    seen = {"first": 0, "last": 0}

    def first(_observations, masks):
        seen["first"] += len(masks)
        return masks.argmax(axis=1)

    def last(_observations, masks):
        seen["last"] += len(masks)
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)

    env = DuelVectorEnv(scaled(40, 12), opponent={first: 1, last: 1, "random": 2})
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(6):
        *_, infos = env.step(at_random(infos["action_mask"], rng))
    assert all(seen.values())
    assert set(env.batch.rows["opponents"].max(axis=1)) == {0, 1, 2}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: masks.argmin(axis=1), "not legal"),
        (lambda masks: masks.argmax(axis=1) - 10**6, "not legal"),
        (lambda masks: masks.argmax(axis=1) + 10**6, "not legal"),
        (lambda masks: masks.argmax(axis=1).astype(float), "integers"),
        (lambda masks: 0 * masks, "integers"),
        (lambda _: None, "integers"),
    ],
)
def test_an_illegal_answer_raises_and_no_game_goes_on_from_there(answer, message):
    good = True

    def sometimes(observations, masks):
        return first_legal(observations, masks) if good else answer(masks)

    env = DuelVectorEnv(3, opponent=sometimes)
    _, infos = env.reset(seed=1)
    good = False
    with pytest.raises(ValueError, match=message):  # noqa: PT012
        for _ in range(50):
            *_, infos = env.step(infos["action_mask"].argmax(axis=1))
    for _ in range(2):
        with pytest.raises(ValueError, match="reset"):
            env.step(np.zeros(3, int))
    env.set_opponent("random")
    with pytest.raises(ValueError, match="reset"):
        env.step(np.zeros(3, int))
    _, infos = env.reset(seed=1)
    env.step(infos["action_mask"].argmax(axis=1))


def test_a_pool_is_met_in_its_shares():
    rows = scaled(4000, 60)
    env = DuelVectorEnv(rows, opponent={"random": 3, first_legal: 1, "greedy": 0}, max_episode_steps=1)
    env.reset(seed=1)
    met = np.bincount(env.batch.rows["opponents"].max(axis=1), minlength=3) / rows
    assert np.abs(met - [0.75, 0.25, 0.0]).max() < 4 * np.sqrt(0.25 * 0.75 / rows)
    before = env.batch.rows["opponents"].max(axis=1).copy()
    for _ in range(2):
        env.step(env.action_masks().argmax(axis=1))
    assert (env.batch.rows["opponents"].max(axis=1) != before).any(), "every episode draws anew"
    seats = env.batch.rows["seat"].mean()
    assert abs(seats - 0.5) < 4 * 0.5 / np.sqrt(rows)


@pytest.mark.parametrize("later", [["greedy"], [FIRST_LEGAL], ["greedy", FIRST_LEGAL]])
def test_another_opponent_in_the_midst_of_a_game(later):
    rows = scaled(4, 2)
    env, lone = vector(rows, opponents=["random"]), SyncVectorEnv([lambda: LoneRow(["random"])] * rows)
    _, infos = env.reset(seed=6)
    lone.reset(seed=6)
    rng = np.random.default_rng(6)
    for step in range(scaled(120, 40)):
        if step == 15:
            env.set_opponent([first_legal if spec == FIRST_LEGAL else spec for spec in later])
            for one in lone.envs:
                one.meet(later)
                one.draw_opponents()
        actions = at_random(infos["action_mask"], rng)
        result = env.step(actions)
        assert_same(result, lone.step(actions))
        infos = result[4]
    lone.close()


def test_no_opponent_leaves_the_one_before():
    env, infos = begun()
    before = snapshot(env)
    for wrong in ("gredy", "self-play", [], {"random": -1}):
        with pytest.raises(ValueError):
            env.set_opponent(wrong)
    with pytest.raises(TypeError):
        env.set_opponent(3)
    assert snapshot(env) == before
    env.step(infos["action_mask"].argmax(axis=1))


# Truncation and illegal actions ---------------------------------------------------------------
@pytest.mark.parametrize("mode", MODES)
def test_truncation(mode):
    env = DuelVectorEnv(2, opponent="random", autoreset_mode=mode, max_episode_steps=5)
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for step in range(1, 6):
        _, rewards, terminated, truncated, infos = env.step(at_random(infos["action_mask"], rng))
        assert not terminated.any()
        assert truncated.all() == truncated.any() == (step == 5)
        assert not rewards.any()
    assert infos["action_mask"].any() == (mode is AutoresetMode.SAME_STEP)
    if mode is AutoresetMode.DISABLED:
        before = snapshot(env)
        with pytest.raises(ValueError, match="reset"):
            env.step(np.zeros(2, int))
        assert snapshot(env) == before


def illegal_actions(infos):
    """For each row something else that is not legal."""
    masked = int(infos["action_mask"][0].argmin())
    return np.array([masked, -1, infos["action_mask"].shape[1], 10**12])


def test_an_illegal_action_loses():
    env, infos = begun(illegal_action="lose")
    seats = infos["seat"]
    actions = illegal_actions(infos)
    actions[3] = infos["action_mask"][3].argmax()
    _, rewards, terminated, truncated, infos = env.step(actions)
    assert rewards.tolist() == [-1.0, -1.0, -1.0, 0.0]
    assert terminated.tolist() == [True, True, True, False] == infos["illegal_action"].tolist()
    assert not truncated.any()
    assert not infos["action_mask"][:3].any()
    assert (env.batch.rows["final_winner"][:3] == 1 - seats[:3]).all()
    _, rewards, terminated, _, infos = env.step(np.full(4, -7))
    assert rewards.tolist() == [0.0, 0.0, 0.0, -1.0]
    assert infos["illegal_action"].tolist() == terminated.tolist() == [False, False, False, True]


def test_an_illegal_action_loses_and_begins_anew_in_the_same_step():
    env, infos = begun(illegal_action="lose", autoreset_mode="SameStep")
    *_, terminated, _, infos = env.step(illegal_actions(infos))
    assert terminated.all()
    assert infos["final_info"]["illegal_action"].all()
    assert not infos["illegal_action"].any()
    assert infos["action_mask"].any(axis=1).all()


def test_an_illegal_action_costs_a_penalty():
    env, infos = begun(illegal_action="penalty", illegal_penalty=0.25)
    states, observations = env.batch.states.tobytes(), env.batch.observations.copy()
    after, rewards, terminated, truncated, later = env.step(illegal_actions(infos))
    assert rewards.tolist() == [-0.25] * 4
    assert later["illegal_action"].all()
    assert not (terminated | truncated).any()
    assert env.batch.states.tobytes() == states
    np.testing.assert_array_equal(after, observations)
    np.testing.assert_array_equal(later["action_mask"], infos["action_mask"])


def test_an_illegal_action_is_replaced():
    env, infos = begun(illegal_action="random")
    before = env.batch.states["decisions"].copy()
    _, rewards, terminated, _, later = env.step(illegal_actions(infos))
    assert later["illegal_action"].all()
    assert not terminated.any()
    assert not rewards.any()
    assert (env.batch.states["decisions"] > before).all()


def test_an_illegal_action_raises_and_changes_nothing():
    env, infos = begun(illegal_action="raise")
    before = snapshot(env)
    for row, action in enumerate(illegal_actions(infos)):
        actions = infos["action_mask"].argmax(axis=1)
        actions[row] = action
        with pytest.raises(ValueError, match=rf"action {action}.* in row {row}: .*Legal \(\d+\): "):
            env.step(actions)
        assert snapshot(env) == before


# Wrong input ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": True}, "num_envs"),
        ({"threads": 0}, "threads"),
        ({"threads": -2}, "threads"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"autoreset_mode": "never"}, "'NextStep', 'SameStep', 'Disabled'"),
        ({"autoreset_mode": None}, "autoreset_mode"),
        ({"render_mode": "human"}, "render_mode"),
        ({"opponent": "gredy"}, "did you mean 'greedy'"),
        ({"opponent": "self-play"}, "SelfPlayBatch"),
        ({"seat": 2}, "seat"),
        ({"reward": "winning"}, "reward"),
        ({"gamma": 1.5}, "gamma"),
        ({"illegal_action": "ignore"}, "illegal_action"),
        ({"illegal_penalty": -1.0}, "illegal_penalty"),
        ({"illegal_penalty": "much"}, "illegal_penalty"),
        ({"gamma": np.nan}, "gamma"),
        ({"gamma": "0.9"}, "gamma"),
        ({"illegal_action": None}, "illegal_action"),
        ({"reward": 3}, "reward"),
        ({"reward": {"win_loss": "1"}}, "weights"),
        ({"reward": {"win_loss": True}}, "weights"),
        ({"opponent": {"random": "1"}}, "shares"),
        ({"copy": "no"}, "copy must be True or False"),
        ({"one_by_one": True}, "unknown option 'one_by_one'"),
        ({"placement": "half"}, "placement"),
        ({"plcement": "split"}, "did you mean 'placement'"),
        ({"weather": 1}, "placement, .* scoring_tiles"),
        ({"scoring_tiles": 5}, "scoring_tiles"),
        ({"explicit_chance": True}, "explicit_chance"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(ValueError, match=message):
        DuelVectorEnv(**({"num_envs": 2} | wrong))


def given_states(env):
    """A state that is over, one with explicit chance, one in the midst of a split decision, and a broken one."""
    over = GAME.new(1)
    while not over.over:
        over.step(int(over.legal_actions()[0]))
    midway = GAME.new(1)
    layer = GAME.abstraction.make(placement="split").record
    while midway.states["source"][0] < 0:
        mask = np.zeros(GAME.abstraction.make(placement="split").num_actions, np.int8)
        GAME.abstraction.mask(midway.states, 0, layer, mask)
        GAME.abstraction.try_action(midway.states, 0, layer, int(mask.argmax()))
    broken = env.batch.states[:1].copy()
    broken["bag"][0, 0] += 1
    return {
        "over": over.states,
        "chance": GAME.new(1, explicit_chance=True).states,
        "does not ask": midway.states,
        "broken are": broken,
    }


def test_wrong_resets_change_nothing():
    env, _ = begun(4)
    env.reset(seed=3)
    before, random = snapshot(env), env.np_random.bit_generator.state
    wrong = [
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": True}, ValueError, "seed"),
        ({"seed": 1.5}, ValueError, "seed"),
        ({"seed": [1, 2]}, ValueError, "4 rows"),
        ({"seed": [1, 2, -3, 4]}, ValueError, "seed"),
        ({"seed": [1, None, -3, 4]}, ValueError, "seed"),
        ({"options": {"reset_mask": [True] * 4}}, TypeError, "bool"),
        ({"options": {"reset_mask": np.ones(4, int)}}, TypeError, "bool"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, ValueError, "shape"),
        ({"options": {"reset_mask": np.zeros(4, bool)}}, ValueError, "at least one"),
        ({"options": {"scoring_tiles": 7}}, ValueError, "scoring_tiles"),
        ({"options": {"scoring_tile": 4}}, ValueError, "scoring_tiles"),
        ({"options": {"explicit_chance": True}}, ValueError, "explicit_chance"),
        ({"options": {"stats": None}}, ValueError, "states?"),
        ({"options": {"state": 3}}, ValueError, "states of"),
        ({"options": {"state": "nonsense"}}, ValueError, "."),
        ({"options": {"states": env.batch.states[:2].copy()}}, ValueError, "one for each of 4"),
        ({"options": {"states": np.zeros(4)}}, ValueError, "states of"),
        (
            {"options": {"anything": 1}},
            ValueError,
            "unknown reset option 'anything': there are state, states, reset_mask",
        ),
        ({"options": {"state": env.batch.states[0], "states": env.batch.states}}, ValueError, "not both"),
        ({"options": {"state": env.batch.states[0], "first_player": 1}}, ValueError, "leave out first_player"),
        ({"options": "x"}, TypeError, "dictionary or None"),
        ({"options": {"reset_mask": np.ma.array(np.ones(4, bool))}}, TypeError, "bool"),
        ({"seed": np.array(1.0)}, ValueError, "seed"),
    ]
    wrong += [({"options": {"state": state}}, ValueError, name) for name, state in given_states(env).items()]
    for arguments, error, message in wrong:
        with pytest.raises(error, match=message):
            env.reset(**({"seed": 8} | arguments))
        assert snapshot(env) == before, arguments
        assert env.np_random.bit_generator.state == random


def test_wrong_actions_change_nothing():
    env = DuelVectorEnv(3)
    with pytest.raises(ValueError, match="reset"):
        env.step(np.zeros(3, int))
    env.reset(seed=1)
    before = snapshot(env)
    for wrong in (
        0,
        np.zeros(2, int),
        np.zeros((3, 1), int),
        np.zeros(3),
        np.zeros(3, bool),
        [None] * 3,
        ["1"] * 3,
        [[1], 2, 3],
    ):
        with pytest.raises(ValueError, match="expected 3 integers"):
            env.step(wrong)
    for masked in (np.ma.array([1, 2, 3], mask=[True, False, False]), np.ma.array([1, 2, 3])):
        with pytest.raises(ValueError, match="not a masked array"):
            env.step(masked)
    assert snapshot(env) == before
    env.step([1, 2, 3])
    env.step(np.array([1, 2, 3], np.uint8))


# Together with Gymnasium ----------------------------------------------------------------------
@pytest.mark.parametrize("mode", MODES)
def test_record_episode_statistics(mode):
    env = RecordEpisodeStatistics(DuelVectorEnv(3, opponent="random", autoreset_mode=mode, reward="score_delta"))
    _, infos = env.reset(seed=2)
    rng = np.random.default_rng(2)
    lengths, returns, resetting = np.zeros(3, int), np.zeros(3), np.zeros(3, bool)
    expected, episodes = [], scaled(9, 2)
    flawed = mode is AutoresetMode.SAME_STEP and gymnasium.__version__ < "1.3"  # drops the first step of later episodes
    while len(expected) < episodes:
        _, rewards, terminated, _, infos = env.step(at_random(infos["action_mask"], rng))
        lengths += ~resetting
        returns += rewards
        for i in np.flatnonzero(terminated):
            expected.append((lengths[i], returns[i]))
            if not flawed or lengths.sum() == infos["episode"]["l"].sum():
                assert (infos["episode"]["l"][i], infos["episode"]["r"][i]) == expected[-1]
        np.testing.assert_array_equal(infos.get("_episode", np.zeros(3, bool)), terminated)
        lengths[terminated], returns[terminated] = 0, 0
        if mode is AutoresetMode.NEXT_STEP:
            resetting = terminated
        elif mode is AutoresetMode.DISABLED and terminated.any():
            _, infos = env.reset(options={"reset_mask": terminated.copy()})
    assert env.episode_count == len(expected)
    if not flawed:
        assert list(zip(env.length_queue, env.return_queue, strict=True)) == expected


def test_render():
    env, _ = begun(2, render_mode="ansi")
    texts = env.render()
    assert isinstance(texts, tuple)
    assert len(texts) == 2
    assert all("decides" in text for text in texts)
    assert DuelVectorEnv(1).render() is None


def test_metadata_belongs_to_the_instance():
    assert DuelVectorEnv(1, autoreset_mode="Disabled").metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert DuelVectorEnv(1).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert DuelVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    with pytest.raises(ValueError):
        DuelVectorEnv(1, opponent="nobody")  # and what was never made is closed without complaint


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_the_same_way(duplicate):
    env, infos = begun(3, opponent=["random", "greedy"], threads=2)
    other = duplicate(env)
    rng = np.random.default_rng(3)
    for _ in range(scaled(100, 10)):
        actions = at_random(infos["action_mask"], rng)
        result = env.step(actions)
        assert_same(result, other.step(actions))
        infos = result[4]


REGISTERED = gymnasium.registry.get("azul/Duel-v0")


@pytest.mark.skipif(
    REGISTERED is None or REGISTERED.vector_entry_point is None, reason="the id has no vector entry point yet"
)
def test_make_vec():
    env = gymnasium.make_vec("azul/Duel-v0", num_envs=3, vectorization_mode="vector_entry_point", opponent="random")
    assert isinstance(env.unwrapped, DuelVectorEnv)
    assert env.spec.id == "azul/Duel-v0"
    observations, _ = env.reset(seed=1)
    again = gymnasium.make_vec(env.spec)
    assert again.num_envs == 3
    np.testing.assert_array_equal(again.reset(seed=1)[0], observations)


def test_make_vec_of_a_spec():
    spec = gymnasium.envs.registration.EnvSpec(
        "Duel-v0", vector_entry_point="azul_duel_env.duel_v0:DuelVectorEnv", max_episode_steps=50
    )
    env = gymnasium.make_vec(spec, num_envs=2, vectorization_mode="vector_entry_point", opponent="random", copy=False)
    assert env.num_envs == 2
    assert env.batch._settings["max_steps"][0] == 50
    assert repr(env)
    env.spec.to_json()
