"""The AEC environment: PettingZoo's own tests with warnings as errors, and all that they don't look at."""

from __future__ import annotations

import copy
import pickle
import warnings
from itertools import pairwise

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from sizes import scaled

from azul_duel_env import duel_v0
from azul_duel_env.envs.aec import REWARDS
from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME

pytestmark = [
    # What PettingZoo says of every third-party environment whose observation is a dictionary with a mask:
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]

OPTIONS = [
    {},
    {"scoring_tiles": 4, "reward": "score_delta"},
    {"zero_point_draw": "forced_only", "special_counts_as_colour": False, "reward": "score_margin"},
    {"max_cycles": 50, "render_mode": "ansi"},
]


def random_step(env, rng) -> None:
    observation, _, terminated, truncated, _ = env.last()
    done = terminated or truncated
    env.step(None if done else int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def play(env, seed: int, steps: int | None = None) -> None:
    """Play at random, to the end or so many steps."""
    rng = np.random.default_rng(seed)
    while env.agents and steps != 0:
        random_step(env, rng)
        steps = None if steps is None else steps - 1


def midgame(seed: int = 3, steps: int = 60, **options):
    env = duel_v0.env(**options)
    env.reset(seed=seed)
    play(env, seed, steps)
    return env


# PettingZoo's own tests -----------------------------------------------------------------------
@pytest.mark.parametrize("options", OPTIONS)
def test_api(options):
    api_test(duel_v0.env(**options), num_cycles=scaled(1000))


def test_seed():
    seed_test(duel_v0.env, num_cycles=scaled(500))
    seed_test(duel_v0.raw_env, num_cycles=scaled(500))


def test_render():
    render_test(duel_v0.env)
    env = duel_v0.env(render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert "decides: opening placement" in text
    play(env, 1, 20)
    assert env.render() != text


def test_render_without_a_mode_warns_and_returns_none():
    env = midgame()
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert env.render() is None


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
def test_registry():
    env = pettingzoo.make("aec", "azul/duel-v0", scoring_tiles=4)
    env.reset(seed=1)
    assert str(env) == "azul_duel_v0"
    assert env.position.states["num_scoring_tiles"][0] == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from azul_duel_env.envs.registration import register

        register()  # a second time, with no complaint


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
def test_api_through_the_registry():
    api_test(pettingzoo.make("aec", "azul/duel-v0"), num_cycles=scaled(200))


def test_the_utilities_that_play_by_themselves():
    from pettingzoo.utils import average_total_reward, random_demo

    env = duel_v0.env()
    assert random_demo(env, render=False, episodes=1) in (-1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="not legal"):
        average_total_reward(duel_v0.env(), max_episodes=2, max_steps=200)  # it ignores masks (PettingZoo #1462)


def test_turn_based_parallel_conversion():
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

    assert duel_v0.env().metadata["is_parallelizable"] is False
    env = turn_based_aec_to_parallel(duel_v0.env())
    observations, _ = env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(20):
        actor = next(a for a, o in observations.items() if o["action_mask"].any())
        legal = np.flatnonzero(observations[actor]["action_mask"])
        observations, *_ = env.step({a: int(rng.choice(legal)) if a == actor else 0 for a in observations})


# Masks ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", OPTIONS[:3])
def test_mask_is_that_of_the_core_for_the_agent_to_act_and_zero_for_the_other(options):
    env = duel_v0.env(**options)
    rng = np.random.default_rng(0)
    for seed in range(scaled(10)):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            acting = env.agent_selection
            waiting = next(agent for agent in env.possible_agents if agent != acting)
            mask = env.observe(acting)["action_mask"]
            assert np.flatnonzero(mask).tolist() == env.position.legal_actions().tolist()
            assert mask.any()
            assert mask.dtype == np.int8
            assert not env.observe(waiting)["action_mask"].any()
            random_step(env, rng)
        for agent in env.possible_agents:
            assert not env.observe(agent)["action_mask"].any()


def test_every_action_out_of_the_mask_is_refused_and_changes_nothing():
    env = midgame()
    mask = env.last()[0]["action_mask"]
    before, rewards = env.get_state().tobytes(), dict(env.rewards)
    for action in [*np.flatnonzero(mask == 0).tolist(), -1, 400, 10**12, None, "B", 2.0, True, np.float32(1)]:
        with pytest.raises(ValueError, match="not legal .* Legal \\("):
            env.step(action)
    assert env.get_state().tobytes() == before
    assert env.rewards == rewards
    for action in np.flatnonzero(mask):
        env.clone().step(action)


def test_space_samples_by_the_mask_are_legal():
    env = midgame()
    for seed in range(20):
        space = env.action_space(env.agent_selection)
        space.seed(seed)
        env.clone().step(space.sample(env.last()[0]["action_mask"]))


def test_same_agent_acts_several_times_in_a_row():
    env = duel_v0.env()
    env.reset(seed=0)
    rng, movers = np.random.default_rng(0), []
    while not env.terminations[env.agent_selection]:
        movers.append(env.agent_selection)
        random_step(env, rng)
    assert any(one == two for one, two in pairwise(movers))


# Rewards and the end --------------------------------------------------------------------------
@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_sum_to_what_they_should(reward):
    env = duel_v0.env(reward=reward)
    rng = np.random.default_rng(0)
    for seed in range(scaled(30)):
        env.reset(seed=seed)
        total = dict.fromkeys(env.agents, 0.0)
        seen = dict.fromkeys(env.agents, 0.0)
        while env.agents:
            agent = env.agent_selection
            seen[agent] += env.last(observe=False)[1]
            done = env.terminations[agent]
            random_step(env, rng)
            if not done:
                assert sum(env.rewards.values()) == 0
                for each, value in env.rewards.items():
                    assert type(value) is float
                    total[each] += value
        assert seen == total  # what last() told each agent is what it got
        scores, winner = env.position.scores, env.position.winner
        expected = [0.0, 1.0, -1.0][winner + 1] if reward in ("win_loss", "rank") else scores[0] - scores[1]
        assert total["player_0"] == expected


def test_win_loss_is_zero_before_the_end():
    env = duel_v0.env()
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    while True:
        assert set(env.rewards.values()) == {0.0}
        random_step(env, rng)
        if any(env.terminations.values()):
            break
    assert sorted(env.rewards.values()) == [-1.0, 1.0] or set(env.rewards.values()) == {0.0}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_truncation_ends_both_and_gives_both_an_observation():
    env = duel_v0.env(max_cycles=7)
    env.reset(seed=1)
    play(env, 1, 7)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert env.observe("player_0")["observation"].any()
    play(env, 1)
    assert env.agents == []


def test_dead_agents_take_none_only_and_stay_observable():
    env = duel_v0.env()
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    while not env.terminations[env.agent_selection]:
        random_step(env, rng)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    env.step(None)
    env.step(None)
    assert env.agents == []
    assert env.observe("player_0")["observation"].shape == (GAME.observation_size,)
    with pytest.raises(ValueError, match="reset"):
        env.step(None)
    env.reset()
    assert env.agents == env.possible_agents


def test_infos_are_numbers_under_fixed_keys():
    env = duel_v0.env()
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while env.agents:
        for info in env.infos.values():
            assert list(info) == ["score"]
            assert type(info["score"]) is int
        random_step(env, rng)


# Before reset, spaces, arrays -----------------------------------------------------------------
def test_use_before_reset_says_so():
    env = duel_v0.env()
    env.render_mode = "ansi"
    for use in (lambda: env.observe("player_0"), env.render, env.get_state, env.state, lambda: env.step(0)):
        with pytest.raises(AttributeError, match="call reset"):
            use()


def test_spaces():
    env = midgame()
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.observe(agent) in env.observation_space(agent)
        assert env.action_space(agent).n == 400
    assert env.state() in env.state_space


def test_arrays_are_fresh():
    env = midgame()
    one, two = env.observe("player_0"), env.observe("player_0")
    for key in one:
        assert not np.shares_memory(one[key], two[key])
        one[key][:] = 1
    assert not np.array_equal(env.observe("player_0")["observation"], one["observation"])


# Seeds and options ----------------------------------------------------------------------------
def trace(env, rng_seed: int = 0) -> bytes:
    """Return all observations of a random game, in one string."""
    rng, parts = np.random.default_rng(rng_seed), []
    while env.agents:
        parts.append(env.observe(env.agents[0])["observation"].tobytes())
        random_step(env, rng)
    return b"".join(parts)


def test_seed_repeats_and_the_game_after_it_too():
    one, two = duel_v0.env(), duel_v0.env()
    for seed in (0, None, None, 7, None):
        one.reset(seed=seed)
        two.reset(seed=seed)
        assert trace(one) == trace(two)
    one.reset(seed=1)
    first = trace(one)
    one.reset()
    assert trace(one) != first


def test_a_seed_gives_the_game_of_the_core():
    env = duel_v0.env()
    env.reset(seed=11)
    assert env.position == GAME.new(11)


def test_unseeded_games_differ():
    one, two = duel_v0.env(), duel_v0.env()
    one.reset()
    two.reset()
    assert one.get_state().tobytes() != two.get_state().tobytes()


def test_reset_options():
    env = duel_v0.env()
    env.reset(
        seed=1,
        options={"scoring_tiles": ["rows", "corners", "border", "wild_spaces"], "first_player": 1, "anything": 3},
    )
    state = env.get_state()[0]
    assert np.flatnonzero(state["scoring"]).tolist() == [0, 3, 5, 6]
    assert state["first_player"] == 1
    env.reset(seed=1)
    assert env.get_state()[0]["scoring"].sum() == 3  # the option was for that game only
    text = midgame(9).position.to_text()
    env.reset(options={"state": text})
    assert env.position.to_text() == text
    with pytest.raises(ValueError, match="did you mean 'scoring_tiles'"):
        env.reset(options={"scoring_tile": 4})
    with pytest.raises(ValueError, match="first line"):
        env.reset(options={"state": "nonsense"})
    with pytest.raises(ValueError, match="leave out first_player"):
        env.reset(options={"state": text, "first_player": 1})
    with pytest.raises(TypeError, match="dictionary or None"):
        env.reset(options="x")
    assert env.position.to_text() == text  # nothing was lost


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "points"}, "win_loss, score_margin, score_delta"),
        ({"render_mode": "rgb"}, "ansi"),
        ({"max_cycles": 0}, "at least 1"),
        ({"scoring_tiles": 5}, "3, 4"),
        ({"scoring_tiles": ("rows", "five_colours", "border")}, "two sides of one tile"),
        ({"scoring_tiles": ("rows", "columns", "arches")}, "arches"),
        ({"zero_point_draw": "no"}, "forced_only"),
        ({"special_counts_as_colour": "yes"}, "True or False"),
        ({"first_player": 2}, "0, 1 or None"),
        ({"scoringtiles": 3}, "unknown option"),
    ],
)
def test_wrong_options_say_what_was_expected(options, message):
    with pytest.raises(ValueError, match=message):
        duel_v0.env(**options)


# Copies ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), lambda env: env.clone()]
)
def test_copies_go_on_identically_and_apart(copied):
    env = midgame(reward="score_delta")
    other = copied(env)
    assert other.last()[1:] == env.last()[1:]
    before = other.get_state().tobytes()
    expected = trace(env)
    assert other.get_state().tobytes() == before  # untouched by what the original did
    assert trace(other) == expected
    assert other._cumulative_rewards == env._cumulative_rewards
    env.reset()
    other.reset()
    assert env.get_state().tobytes() == other.get_state().tobytes()  # unseeded games follow on alike


def test_clone_with_another_seed_differs_in_what_is_still_to_be_drawn():
    env = midgame()
    same, one, two = env.clone(), env.clone(reseed=1), env.clone(reseed=2)
    assert one.observe("player_0")["observation"].tobytes() == env.observe("player_0")["observation"].tobytes()
    traces = {trace(each) for each in (env, one, two)}
    assert len(traces) == 3
    assert trace(same) in traces


def test_clone_for_an_agent_keeps_what_it_knows():
    env = midgame(4, 90)
    with pytest.raises(ValueError, match="needs reseed"):
        env.clone(resample_for="player_0")
    other = env.clone(reseed=1, resample_for="player_0")
    assert other.observe("player_0")["observation"].tobytes() == env.observe("player_0")["observation"].tobytes()


def test_get_and_set_state():
    env = midgame()
    state = env.get_state()
    expected = trace(env)
    fresh = duel_v0.env()
    fresh.set_state(state)
    assert trace(fresh) == expected
    fresh.set_state(midgame().position.to_text())
    assert trace(fresh) == expected
    assert fresh.position.over
    final = fresh.get_state()
    fresh.reset()
    fresh.set_state(final)
    assert all(fresh.terminations.values())
    for wrong in (b"bytes", state[:0], np.zeros(1)):
        with pytest.raises(ValueError, match="get_state"):
            fresh.set_state(wrong)


def test_explicit_chance():
    env = duel_v0.env(explicit_chance=True)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    draws = 0
    while not all(env.terminations.values()):
        outcomes = env.chance_outcomes()
        if not outcomes:
            random_step(env, rng)
            continue
        assert sum(p for _, p in outcomes) == pytest.approx(1)
        assert not env.last()[0]["action_mask"].any()
        with pytest.raises(ValueError, match="chance must draw first"):
            env.step(0)
        with pytest.raises(ValueError, match="possible"):
            env.apply_chance(-5)
        env.apply_chance(outcomes[int(rng.integers(len(outcomes)))][0])
        draws += 1
    assert draws > 50
    assert env.chance_outcomes() == []
    with pytest.raises(ValueError, match="no draw is due"):
        env.apply_chance(0)


# What once went wrong -------------------------------------------------------------------------------
def test_foreign_arrays_are_refused_and_change_nothing():
    env = midgame()
    before = env.position.to_text()
    rng = np.random.default_rng(0)
    wrong = [np.zeros(1, GAME.state), np.frombuffer(rng.bytes(GAME.state.itemsize), GAME.state)]
    for _ in range(scaled(300, least=3)):
        state = env.get_state()
        numbers = state.view(np.int8)
        numbers[rng.integers(14, len(numbers))] = rng.integers(-128, 128)
        wrong.append(state)
    refused = 0
    for state in wrong:
        if not Position(GAME, state).check():  # a change that makes another sound state
            continue
        refused += 1
        with pytest.raises(ValueError, match="broken are"):
            env.set_state(state)
        assert env.position.to_text() == before
    assert refused > len(wrong) / 2


def test_a_state_that_went_through_a_file(tmp_path):
    env = midgame()
    np.save(tmp_path / "state.npy", env.get_state())
    other = duel_v0.env(render_mode="ansi")
    other.set_state(np.load(tmp_path / "state.npy"))
    assert other.render() == str(env.position)
    env.reset(options={"state": env.get_state()})


def test_truncation_counts_from_where_the_game_begins_and_waits_for_a_player():
    state = midgame(steps=30).get_state()
    env = duel_v0.env(max_cycles=5, explicit_chance=True, reward="score_margin")
    env.reset(options={"state": state})
    assert not any(env.truncations.values())
    env.reset(seed=1)
    paid, rng = [], np.random.default_rng(0)
    while not any(env.truncations.values()):
        if env.chance_outcomes():
            outcomes = env.chance_outcomes()
            env.apply_chance(outcomes[int(rng.integers(len(outcomes)))][0])
        else:
            env.step(int(env.position.legal_actions()[0]))
        paid.append(env.rewards["player_0"])
    assert not any(paid[:-1])
    env.step(None)
    with pytest.raises(ValueError, match="reset"):
        env.apply_chance(0)


def test_a_forgotten_reset_is_told():
    env = duel_v0.env()
    for use in (
        lambda: list(env.agent_iter()),
        env.last,
        lambda: env.agents,
        lambda: env.rewards,
        lambda: env.num_agents,
    ):
        with pytest.raises(AttributeError, match="call reset"):
            use()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        env.nonsense  # noqa: B018


def test_clones_share_nothing():
    env = duel_v0.env(render_mode="human")
    env.reset(seed=1)
    env.action_space("player_0").seed(3)
    clone = env.clone()
    clone.action_space("player_0").sample()
    play(clone, 1, 3)
    assert clone.render_mode is None
    env.close()
    expected = duel_v0.env().action_space("player_0")
    expected.seed(3)
    assert env.action_space("player_0").sample() == expected.sample()
    assert type(clone) is type(env)


@pytest.mark.parametrize("seed", ["a", 1.5, -1, True])
def test_wrong_seeds(seed):
    env = midgame()
    before = env.position.to_text()
    with pytest.raises(ValueError, match="at least 0"):
        env.reset(seed=seed)
    assert env.position.to_text() == before


def test_more_mistakes_are_named():
    env = midgame()
    with pytest.raises(ValueError, match="player_0, player_1"):
        env.observe("player_2")
    with pytest.raises(ValueError, match="player_0, player_1"):
        env.clone(reseed=1, resample_for="me")
    with pytest.raises(ValueError, match="fixed when the environment is made"):
        env.reset(options={"explicit_chance": True})
    for state in (5, b"x"):
        with pytest.raises(ValueError, match="get_state"):
            env.reset(options={"state": state})
    with pytest.raises(ValueError, match="player must be 0 to 1"):
        env.position.resampled(5, 1)
    for options in ({"first_player": True}, {"first_player": 1.0}, {"max_cycles": 2.5}, {"max_cycles": True}):
        with pytest.raises(ValueError, match="must be"):
            duel_v0.env(**options)
