"""What environments take from their users, where one test is for all of them; and what they are told of masks."""

from __future__ import annotations

import io
import os
import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sizes import scaled

from azul_duel_env import duel_v0
from azul_duel_env.duel_v0 import DuelEnv, DuelVectorEnv
from azul_duel_env.envs.arguments import threads_of
from azul_duel_env.envs.illegal_ends import EPISODES, IllegalEnds


# Cores ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("quota", "threads"), [("150000 100000", 2), ("50000 100000", 1), ("max 100000", 8)])
def test_all_cores_are_those_that_a_container_may_use(quota, threads, monkeypatch):
    limits = "/sys/fs/cgroup/cpu.max"
    really_open, really_exists = open, os.path.exists
    monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("os.process_cpu_count", lambda: 8, raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr("os.path.exists", lambda path: path == limits or really_exists(path))
    monkeypatch.setattr(
        "builtins.open",
        lambda path, *how, **more: io.StringIO(quota) if path == limits else really_open(path, *how, **more),
    )
    found = threads_of(-1)
    monkeypatch.undo()
    assert found == threads


# Actions --------------------------------------------------------------------------------------
@pytest.mark.parametrize("wrong", [1.0, np.nan, True, None, "1", np.array([1]), np.ma.array(1), np.ma.masked])
def test_what_is_no_integer_is_no_action_of_one_game(wrong):
    env, aec = DuelEnv(opponent="random"), duel_v0.env()
    env.reset(seed=1)
    aec.reset(seed=1)
    before = env.get_state().tobytes(), aec.get_state().tobytes()
    for one in (env, aec):
        with pytest.raises(ValueError, match="must be an integer|is not legal"):
            one.step(wrong)
    assert (env.get_state().tobytes(), aec.get_state().tobytes()) == before


def test_a_clone_is_for_the_learner_or_not():
    env = DuelEnv(opponent="random")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="resample must be True or False"):
        env.clone(reseed=1, resample="player_0")


# Episodes that end by illegal actions ---------------------------------------------------------
def test_only_illegal_ends_in_a_row_count():
    counter = IllegalEnds()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counter.note(np.ones(EPISODES - 1, bool))
        counter.note(np.array([True, False, True]))
        counter.note(np.ones(EPISODES - 2, bool))
        counter.note(np.zeros(3, bool))
        counter.note(np.ones(EPISODES - 1, bool))
    with pytest.warns(UserWarning, match="illegal action"):
        counter.note(np.ones(1, bool))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counter.note(np.ones(2 * EPISODES, bool))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_vector_environment_warns_once_of_a_policy_without_masks(mode):
    env, other = (DuelVectorEnv(4, opponent="random", autoreset_mode=mode) for _ in range(2))

    def play_unmasked(env):
        env.reset(seed=1)
        for _ in range(4):
            env.step(np.full(4, -1))
            env.reset()

    for one in (env, other):
        with pytest.warns(UserWarning, match="illegal action") as told:
            play_unmasked(one)
        assert len(told) == 1
        assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        play_unmasked(env)


def test_the_single_environment_warns_once_after_as_many_episodes_as_an_evaluation_has():
    env = DuelEnv(opponent="random")

    def lose():
        env.reset()
        env.step(-1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(EPISODES - 1):
            lose()
    with pytest.warns(UserWarning, match=f"the last {EPISODES} episodes all ended by an illegal action"):
        lose()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2 * EPISODES):
            lose()


@pytest.mark.parametrize("illegal_action", ["random", "penalty"])
def test_where_an_illegal_action_ends_nothing_there_is_no_warning(illegal_action):
    env = DuelVectorEnv(4, opponent="random", illegal_action=illegal_action, max_episode_steps=1)
    env.reset(seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(8):
            env.step(np.full(4, -1))


@pytest.mark.filterwarnings("error")
@pytest.mark.filterwarnings("ignore:.*render_mode|.*spec")
def test_checkers_that_choose_without_masks_are_not_warned():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    for _ in range(scaled(8, 1)):
        env = DuelEnv(opponent="random")
        check_env(env, skip_render_check=True)
        checker.check_env(env)
