"""Wrappers, on both kinds of environment, and the same choices as options of the PettingZoo one."""

from __future__ import annotations

import copy
import pickle
import random
from itertools import permutations, product

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, TimeLimit
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils import OrderEnforcingWrapper
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, BaseWrapper, TerminateIllegalWrapper
from sizes import scaled

from azul_duel_env import duel_v0, wrappers
from azul_duel_env.envs.aec import REWARDS
from azul_duel_env.games.duel.abstraction import CHOICES, ActionAbstraction
from azul_duel_env.jit import COMPILED
from azul_duel_env.wrappers import (
    BonusChips,
    Columns,
    Drawing,
    MoonOrder,
    PatternLinePlacement,
    PlanesObservation,
    PotentialShaping,
    ReturnOrder,
    ScoreMarginReward,
    ViewsObservation,
)

pytestmark = [
    pytest.mark.compiled_only,
    # What PettingZoo says of every third-party environment whose observation is a dictionary with a mask:
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]
ID = "azul_duel_env:azul/Duel-v0"
ALL = [dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values())]
SOME = random.Random(1).sample(ALL, scaled(32, least=3))
FEW = random.Random(2).sample(ALL, scaled(12, least=2))
WRAPPERS = {
    "placement": PatternLinePlacement,
    "bonus_chips": BonusChips,
    "moon_order": MoonOrder,
    "return_order": ReturnOrder,
    "drawing": Drawing,
    "columns": Columns,
}
COARSE = {"placement": "split", "bonus_chips": "whether", "moon_order": "useful_on_top", "return_order": "ascending"}


def random_step(env, rng) -> None:
    observation, _, terminated, truncated, _ = env.last()
    done = terminated or truncated
    env.step(None if done else int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def trace(env, rng_seed: int = 0) -> bytes:
    """Return what all see in a random game, from now to its end, in one string."""
    rng, parts = np.random.default_rng(rng_seed), []
    while env.agents:
        observation, reward, *_ = env.last()
        parts += [observation["observation"].tobytes(), observation["action_mask"].tobytes(), repr(reward).encode()]
        random_step(env, rng)
    return b"".join(parts)


def wrapped(env, choices, order=None):
    for name in order or choices:
        env = WRAPPERS[name](env, choices[name])
    return env


def mid_split(**options):
    """Return an environment in which a source has been chosen, and not yet its destination."""
    env = duel_v0.env(placement="split", **options)
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    while env.position.states["source"][0] < 0 or env.position.decisions < 60:
        random_step(env, rng)
    return env


# Options of the PettingZoo environment --------------------------------------------------------
@pytest.mark.parametrize("choices", SOME, ids=lambda choices: "-".join(choices.values()))
def test_api(choices):
    api_test(duel_v0.env(**choices), num_cycles=scaled(60, least=20))


@pytest.mark.parametrize("choices", SOME, ids=lambda choices: "-".join(choices.values()))
def test_spaces_masks_seeds_and_rewards(choices):
    abstraction = ActionAbstraction(**choices)
    one, two = (duel_v0.env(reward="score_delta", **choices) for _ in range(2))
    for seed in (3, None):
        one.reset(seed=seed)
        two.reset(seed=seed)
        rng, totals = np.random.default_rng(0), [0.0, 0.0]
        while not any(one.terminations.values()):
            mover = one.agent_selection
            waiting = one.possible_agents[1 - one.possible_agents.index(mover)]
            observation = one.observe(mover)
            assert observation in one.observation_space(mover)
            assert observation["observation"].shape == (abstraction.observation_size,)
            assert one.action_space(mover).n == abstraction.num_actions == len(observation["action_mask"])
            assert observation["action_mask"].any()
            assert not one.observe(waiting)["action_mask"].any()
            assert observation["observation"].tobytes() == two.observe(mover)["observation"].tobytes()
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            one.step(action)
            two.step(action)
            assert sum(one.rewards.values()) == 0
            totals = [total + reward for total, reward in zip(totals, one.rewards.values(), strict=True)]
        scores = one.position.scores
        assert totals == [scores[0] - scores[1], scores[1] - scores[0]]
        assert one.state() in one.state_space


@pytest.mark.parametrize("reward", REWARDS)
def test_max_cycles_counts_steps(reward):
    for choices in FEW:
        env = duel_v0.env(max_cycles=9, reward=reward, **choices)
        env.reset(seed=2)
        rng, steps = np.random.default_rng(2), 0
        while not any(env.truncations.values()):
            random_step(env, rng)
            steps += 1
        assert steps == 9
        env.set_state(duel_v0_state())
        assert not any(env.truncations.values())


def duel_v0_state():
    env = duel_v0.env()
    env.reset(seed=8)
    rng = np.random.default_rng(8)
    for _ in range(20):
        random_step(env, rng)
    return env.get_state()


def test_an_illegal_action_is_told_in_asked_words():
    env = duel_v0.env(placement="split")
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    while env.position.states["source"][0] < 0:
        random_step(env, rng)
    before = env.get_state().tobytes()
    with pytest.raises(ValueError, match=r"action 0 \(take from small-1 blue\) is not legal .* -> broken"):
        env.step(0)
    with pytest.raises(ValueError, match="action 10000 is not legal"):
        env.step(10_000)
    assert env.get_state().tobytes() == before


@pytest.mark.parametrize(
    "copied",
    [
        copy.deepcopy,
        lambda env: pickle.loads(pickle.dumps(env)),
        lambda env: env.clone(),
        lambda env: env.clone(reseed=1) and env.clone(),
    ],
)
def test_copies_in_the_midst_of_a_split_placement(copied):
    env = mid_split(reward="score_delta")
    other = copied(env)
    assert other.abstraction == env.abstraction
    assert other.get_state().tobytes() == env.get_state().tobytes()
    assert trace(other) == trace(env)


def test_states_in_the_midst_of_a_split_placement():
    env = mid_split()
    state, text = env.get_state(), env.position.to_text()
    expected = trace(env)
    for each in (state, text):
        other = duel_v0.env(placement="split")
        other.set_state(each)
        assert trace(other) == expected
        for placement in ("full", "best_fit"):
            other = duel_v0.env(placement=placement)
            other.reset(seed=1)
            before = other.get_state().tobytes()
            for go in (lambda o=other, s=each: o.set_state(s), lambda o=other, s=each: o.reset(options={"state": s})):
                with pytest.raises(ValueError, match="does not ask what is due in this state: the pattern line"):
                    go()
            assert other.get_state().tobytes() == before


def test_states_from_a_game_asked_in_full_go_on_to_what_is_asked():
    env = duel_v0.env()
    rng = np.random.default_rng(0)
    for seed in range(scaled(4)):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            random_step(env, rng)
            other = duel_v0.env(**ALL[int(rng.integers(len(ALL)))])
            other.set_state(env.get_state())
            acting = other.agent_selection
            assert other.observe(acting)["action_mask"].any() != other.terminations[acting]
            assert other.position.check() == []
            assert set(other.rewards.values()) == {0.0}


@pytest.mark.parametrize("choices", FEW, ids=lambda choices: "-".join(choices.values()))
def test_explicit_chance_stops_policies(choices):
    env, plain = (duel_v0.env(explicit_chance=explicit, **choices) for explicit in (True, False))
    env.reset(seed=5)
    plain.reset(seed=5)
    rng, draws = np.random.default_rng(5), 0
    while not any(env.terminations.values()):
        if env.chance_outcomes():
            assert not env.last()[0]["action_mask"].any()
            env.apply_chance(env.position.copy().draw_chance())
            draws += 1
            continue
        mask = env.last()[0]["action_mask"]
        assert mask.any()
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert draws > 50
    assert env.position.check() == []


# Wrappers of sub-decisions --------------------------------------------------------------------
@pytest.mark.parametrize("choices", FEW, ids=lambda choices: "-".join(choices.values()))
def test_wrappers_in_any_order_are_the_options(choices):
    expected = duel_v0.env(**choices)
    expected.reset(seed=6)
    expected = trace(expected)
    for order in random.Random(0).sample(list(permutations(choices)), scaled(3)):
        env = wrapped(duel_v0.env(), choices, order)
        assert env.unwrapped.abstraction == ActionAbstraction(**choices)
        env.reset(seed=6)
        assert trace(env) == expected


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("library", [OrderEnforcingWrapper, AssertOutOfBoundsWrapper, BaseWrapper])
def test_wrappers_compose_with_those_of_pettingzoo(library, inside):
    env = wrapped(library(duel_v0.env()), COARSE) if inside else library(wrapped(duel_v0.env(), COARSE))
    plain = duel_v0.env(**COARSE)
    for seed in (1, None):
        env.reset(seed=seed)
        plain.reset(seed=seed)
        assert trace(env) == trace(plain)
    assert env.action_space("player_0").n == plain.action_space("player_0").n
    assert str(env).count("AECSubDecisions<") == len(COARSE)


def test_conformance_of_wrapped_environments():
    api_test(wrapped(duel_v0.env(), COARSE), num_cycles=scaled(200))
    seed_test(lambda: wrapped(duel_v0.env(), COARSE), num_cycles=scaled(100))
    env = TerminateIllegalWrapper(PatternLinePlacement(duel_v0.env()), illegal_reward=-1)
    env.reset(seed=1)
    env.last()
    env.step(0)  # a source, in the opening
    assert env.rewards["player_0"] + env.rewards["player_1"] == -1


def test_a_wrapper_ends_the_game_and_the_outer_choice_counts():
    env = duel_v0.env()
    env.reset(seed=1)
    env = BonusChips(BonusChips(env, "never"), "always")
    assert env.unwrapped.abstraction.bonus_chips == "always"
    for use in (lambda: env.agents, env.last, env.get_state, lambda: env.observe("player_0")):
        with pytest.raises(AttributeError, match="call reset"):
            use()
    env.reset(seed=1)
    trace(env)


def test_wrappers_say_what_they_expect():
    env = duel_v0.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="placement must be one of full, split, best_fit"):
        PatternLinePlacement(env, "worst_fit")
    with pytest.raises(ValueError, match="unknown sub-decision 'placements': there are placement"):
        wrappers.SubDecisions(env, placements="split")
    assert env.last()[0]["action_mask"].any()  # nothing has changed
    for wrong in (5, gymnasium.make_vec("CartPole-v1", num_envs=1)):
        with pytest.raises(TypeError, match="vector environments take options: make them with placement='split'"):
            PatternLinePlacement(wrong)
    with pytest.raises(TypeError, match="CartPoleEnv has no sub-decisions"):
        PatternLinePlacement(gymnasium.make("CartPole-v1"))

    class Own(BaseWrapper):
        def action_space(self, agent):  # noqa: ARG002 - PettingZoo's signature
            return gymnasium.spaces.Discrete(3)

    with pytest.raises(ValueError, match="spaces of its own"):
        PatternLinePlacement(Own(env))


# Gymnasium ------------------------------------------------------------------------------------
def gym_env(**options):
    return gymnasium.make(ID, **({"opponent": "random"} | options))


def episode(env, seed: int, rng_seed: int = 0, mistakes: float = 0.0):
    """Return rewards, observations and infos of a random episode; now and then with an illegal action."""
    rng = np.random.default_rng(rng_seed)
    observation, info = env.reset(seed=seed)
    rewards, observations, infos = [], [observation], [info]
    over = False
    while not over:
        wanted = info["action_mask"] == (0 if rng.random() < mistakes else 1)
        observation, reward, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(wanted))))
        assert type(reward) is float
        rewards.append(reward)
        observations.append(observation)
        infos.append(info)
        over = terminated or truncated
    return rewards, observations, infos


def same(one, two) -> bool:
    return one[0] == two[0] and all(np.array_equal(a, b) for a, b in zip(one[1], two[1], strict=True))


@pytest.mark.parametrize("choices", FEW, ids=lambda choices: "-".join(choices.values()))
def test_gymnasium_wrappers_in_any_order_are_the_options(choices):
    plain = gym_env(reward="score_delta", **choices)
    for order in random.Random(0).sample(list(permutations(choices)), scaled(2)):
        env = wrapped(gym_env(reward="score_delta"), choices, order)
        assert env.observation_space == plain.observation_space
        assert env.action_space == plain.action_space
        assert same(episode(env, 3), episode(plain, 3))
        assert env.get_wrapper_attr("action_masks")().shape == (env.action_space.n,)


def test_gymnasium_wrappers_survive_a_spec_and_compose():
    env = TimeLimit(RecordEpisodeStatistics(wrapped(gym_env(), COARSE)), 40)
    again = gymnasium.make(env.spec)
    assert again.unwrapped.abstraction == ActionAbstraction(**COARSE)
    assert same(episode(env, 3), episode(again, 3))
    outer = wrapped(TimeLimit(RecordEpisodeStatistics(gym_env()), 40), COARSE)
    assert same(episode(env, 3), episode(outer, 3))
    shaped = PotentialShaping(ScoreMarginReward(PlanesObservation(MoonOrder(gym_env()))), gamma=0.9)
    assert gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(shaped.spec.to_json())).gamma == 0.9
    with pytest.raises(ValueError, match="spaces of its own"):
        MoonOrder(FlattenObservation(ViewsObservation(gym_env())))


def test_a_gymnasium_wrapper_ends_the_episode():
    env = gym_env()
    env.reset(seed=1)
    env = PatternLinePlacement(env)
    with pytest.raises(ValueError, match="reset"):
        env.step(0)
    env.reset(seed=1)


@pytest.mark.parametrize("make", [PlanesObservation, ViewsObservation])
@pytest.mark.parametrize("choices", [{}, COARSE], ids=["full", "coarse"])
def test_observations_in_other_forms(make, choices):
    plain = gym_env(**choices)
    abstraction = plain.unwrapped.abstraction
    env = make(gym_env(**choices))
    inner = wrapped(make(gym_env()), choices)  # the other way round
    assert inner.observation_space == env.observation_space
    assert env.observation_space is env.observation_space
    expected, found, other = (episode(each, 5) for each in (plain, env, inner))
    assert expected[0] == found[0] == other[0]
    for flat, parts, again in zip(expected[1], found[1], other[1], strict=True):
        assert parts in env.observation_space
        wanted = abstraction.unflatten(flat) if make is ViewsObservation else abstraction.planes(flat)
        wanted = dict(zip(("planes", "vector"), wanted, strict=True)) if make is PlanesObservation else wanted
        for name, part in parts.items():
            assert np.array_equal(part, wanted[name])
            assert np.array_equal(part, again[name])
    with pytest.raises(ValueError, match="has changed the observation"):
        make(FlattenObservation(env))
    with pytest.raises(TypeError, match="CartPoleEnv"):
        make(gymnasium.make("CartPole-v1"))


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
@pytest.mark.parametrize("make", [PlanesObservation, ViewsObservation, ScoreMarginReward, PotentialShaping])
def test_wrapped_environments_pass_the_check_of_gymnasium(make):
    from gymnasium.utils.env_checker import check_env

    check_env(make(gym_env(disable_env_checker=True)), skip_render_check=True)


# Rewards --------------------------------------------------------------------------------------
@pytest.mark.parametrize("illegal_action", ["lose", "random", "penalty"])
def test_score_margin(illegal_action):
    plain = gym_env(reward="score_margin", illegal_action=illegal_action)
    env = ScoreMarginReward(gym_env(illegal_action=illegal_action))
    margins = set()
    for seed in range(scaled(20)):
        for mistakes in (0.0, 0.02):
            rewards, _, infos = episode(env, seed, seed, mistakes)
            assert rewards == episode(plain, seed, seed, mistakes)[0]
            if not mistakes:
                assert rewards[-1] == infos[-1]["score"] - infos[-1]["opponent_score"]
                assert not any(rewards[:-1])
                margins.add(rewards[-1])
    assert len(margins) > 1 or not COMPILED


@pytest.mark.parametrize("illegal_action", ["lose", "random", "penalty"])
def test_shaping_by_greedy_is_the_part_of_the_reward(illegal_action):
    settings = {"illegal_action": illegal_action}
    plain = gym_env(reward={"win_loss": 1, "potential": 0.1}, gamma=0.9, **settings)
    env = PotentialShaping(gym_env(**settings), gamma=0.9, weight=0.1)
    for seed in range(scaled(20)):
        for mistakes in (0.0, 0.02):
            expected, found = (episode(each, seed, seed, mistakes)[0] for each in (plain, env))
            assert found == pytest.approx(expected)


def test_shaping_telescopes_for_any_potential():
    def potential(position, seat):
        return position.decisions / 10 + seat

    plain = gym_env()
    env = PotentialShaping(gym_env(), weight=2.0, potential=potential)
    for seed in range(scaled(10)):
        rewards, _, _ = episode(env, seed, seed)
        expected, _, _ = episode(plain, seed, seed)
        env.reset(seed=seed)
        begun = potential(env.unwrapped.position, env.unwrapped.batch.rows["seat"][0])
        assert sum(rewards) == pytest.approx(sum(expected) - 2.0 * begun)
    cut = PotentialShaping(TimeLimit(gym_env(), 5), potential=lambda *_: 1.0)
    assert episode(cut, 1)[0] == [0.0] * 5  # an episode that is cut off has no end


def test_wrong_shaping():
    env = gym_env()
    for wrong in ({"gamma": 1.5}, {"weight": np.inf}):
        with pytest.raises(ValueError, match="must be"):
            PotentialShaping(env, **wrong)
    for make in (PotentialShaping, ScoreMarginReward):
        with pytest.raises(TypeError, match="CartPoleEnv"):
            make(gymnasium.make("CartPole-v1"))


# stable-baselines3 ----------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore:.*image:UserWarning")  # planes are taken for one, which they are not
@pytest.mark.skipif(not COMPILED, reason="slow uncompiled, and nothing of it is compiled")
def test_a_maskable_learner_on_planes():
    contrib = pytest.importorskip("sb3_contrib")
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.preprocessing import is_image_space

    env = PatternLinePlacement(PlanesObservation(gym_env()))
    check_env(env)
    assert not is_image_space(env.observation_space["planes"])
    model = contrib.MaskablePPO("MultiInputPolicy", env, n_steps=64, batch_size=32, n_epochs=1, device="cpu", seed=0)
    model.learn(64)
    observation, info = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=info["action_mask"])
    assert info["action_mask"][action] == 1


@pytest.mark.parametrize(
    "name", ["PatternLinePlacement", "BonusChips", "MoonOrder", "ReturnOrder", "Drawing", "Columns"]
)
def test_short_names_are_pickled_by_name(name):
    wrapper = getattr(wrappers, name)
    assert pickle.loads(pickle.dumps(wrapper)) is wrapper
    assert wrapper.__name__ == name
