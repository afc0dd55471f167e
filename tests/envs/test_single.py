"""The single-agent Gymnasium environment: the checkers' own tests with warnings as errors, and whole games against a second account."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from sizes import scaled

from azul_duel_env import duel_v0
from azul_duel_env.agents.table import make_agent
from azul_duel_env.duel_v0 import DuelEnv
from azul_duel_env.envs.arguments import episode_from
from azul_duel_env.envs.registration import register
from azul_duel_env.game import NOBODY, Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.abstraction import CHOICES, ActionAbstraction
from azul_duel_env.games.duel.agents.greedy import evaluate_seat
from azul_duel_env.jit import COMPILED, entry
from azul_duel_env.jit.rng import keys_from_seed

ID = "azul/Duel-v0"
INFO = {
    "action_mask": np.ndarray,
    "illegal_action": np.ndarray,
    "score": np.int64,
    "opponent_score": np.int64,
    "seat": np.int64,
    "result": np.int64,
    "rank": np.int64,
    "is_success": np.ndarray,
}
COARSE = {"placement": "best_fit", "bonus_chips": "whether", "moon_order": "useful_on_top", "drawing": "once"}


def first_legal(_, action_mask):
    """An opponent: the first legal action."""
    return int(np.flatnonzero(action_mask)[0])


def hopeless(_, action_mask):
    """An opponent that knows no rules."""
    return int(np.flatnonzero(action_mask == 0)[0])


CONFIGURATIONS = [
    {},
    {"opponent": "random", "illegal_action": "random", "placement": "split", "reward": "score_delta"},
    {"opponent": first_legal, "illegal_action": "penalty", "seat": 1, "reward": {"win_loss": 1, "potential": 0.01}},
    {"opponent": {"random": 1, "greedy": 3}, "seat": 0, "scoring_tiles": 4, **COARSE},
    {"opponent": f"{__name__}:first_legal", "bonus_chips": "never", "return_order": "ascending", "gamma": 0.99},
]


def legal_choice(env, rng) -> int:
    return int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))


def trace(env, seed: int = 0, episodes: int = 1, steps: int | None = None) -> list:
    """Play on at random until so many episodes or steps are done; return all that was seen."""
    rng, seen = np.random.default_rng(seed), []
    while episodes > 0 and steps != 0:
        observation, reward, terminated, truncated, info = env.step(legal_choice(env, rng))
        seen.append((observation.tobytes(), reward, terminated, truncated, {**info, "action_mask": None}))
        seen.append(info["action_mask"].tobytes())
        steps = None if steps is None else steps - 1
        if terminated:
            episodes -= 1
            if episodes > 0:
                observation, info = env.reset()
                seen.append((observation.tobytes(), info["seat"]))
    return seen


def midgame(seed: int = 3, steps: int = 30, **options) -> DuelEnv:
    env = DuelEnv(**{"opponent": "random", "seat": 0, **options})
    env.reset(seed=seed)
    trace(env, seed, steps=steps)
    return env


# The checkers ---------------------------------------------------------------------------------
@pytest.mark.parametrize("options", CONFIGURATIONS)
def test_gymnasiums_checker(options):
    check_env(gymnasium.make(ID, **options).unwrapped)


@pytest.mark.parametrize("options", CONFIGURATIONS)
def test_stable_baselines3s_checker(options):
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env as sb3_check_env

    sb3_check_env(DuelEnv(**options), warn=True)
    sb3_check_env(gymnasium.make(ID, **options), warn=True)


def test_ids():
    for name in (ID, f"azul_duel_env:{ID}"):
        env = gymnasium.make(name, opponent="random", render_mode="ansi")
        assert type(env.unwrapped) is DuelEnv
        env.reset(seed=1)
        mask = env.get_wrapper_attr("action_masks")()
        env.step(int(np.flatnonzero(mask)[0]))
        assert "player 0" in env.render()
        env.close()
        env.close()
    register()  # a second time, with no complaint


def test_the_id_works_without_an_import_before_and_importing_stays_light():
    code = (
        "import sys, gymnasium, azul_duel_env; print([m for m in ('numba', 'torch') if m in sys.modules]);"
        f"print(gymnasium.spec({ID!r}).entry_point)"
    )
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    assert lines[:2] == ["[]", "azul_duel_env.duel_v0:DuelEnv"]
    code = f"import gymnasium; print(gymnasium.make('azul_duel_env:{ID}').spec.id)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == f"{ID}\n"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"opponent": {"random": 0.5, "greedy": 0.5}, "reward": {"win_loss": 1.0, "score_delta": 0.01}, "gamma": 0.9},
        {
            "opponent": ["random", "greedy"],
            "seat": 1,
            "placement": "split",
            "scoring_tiles": ["rows", "corners", "border"],
        },
    ],
)
def test_specs_survive_json(options):
    env = gymnasium.make(ID, **options)
    text = env.spec.to_json()
    json.loads(text)
    other = gymnasium.make(EnvSpec.from_json(text))
    for each in (env, other, again := gymnasium.make(env.spec)):
        each.reset(seed=5)
    assert trace(env, steps=20) == trace(other, steps=20) == trace(again, steps=20)


def test_spaces_follow_the_granularity():
    env = DuelEnv()
    assert env.observation_space == gymnasium.spaces.Box(0.0, 1.0, (1113,), np.float32)
    assert env.action_space == gymnasium.spaces.Discrete(400)
    split = ActionAbstraction(placement="split")
    env = DuelEnv(placement="split")
    assert env.observation_space.shape == (split.observation_size,)
    assert env.action_space.n == split.num_actions < 400


# What comes back ------------------------------------------------------------------------------
@pytest.mark.parametrize("options", CONFIGURATIONS)
def test_types_and_keys_are_the_same_each_time(options):
    env, rng = DuelEnv(**options), np.random.default_rng(0)

    def check(observation, info):
        assert {key: type(value) for key, value in info.items()} == INFO
        assert list(info) == list(INFO)
        assert observation in env.observation_space
        assert {(info[key].shape, info[key].dtype) for key in ("illegal_action", "is_success")} == {
            ((), np.dtype(bool))
        }
        mask = info["action_mask"]
        assert (mask.dtype, mask.shape) == (np.int8, (env.action_space.n,))
        assert np.array_equal(mask, env.action_masks())
        assert info["is_success"] == (info["result"] == 1)

    for seed in range(scaled(3)):
        observation, info = env.reset(seed=seed)
        check(observation, info)
        terminated = False
        while not terminated:
            assert info["action_mask"].any()
            assert info["result"] == 0
            seat = info["seat"]
            observation, reward, terminated, truncated, info = env.step(np.int64(legal_choice(env, rng)))
            check(observation, info)
            assert (type(reward), type(terminated), truncated) == (float, bool, False)
            assert info["seat"] == seat
            assert not info["illegal_action"]
        assert not info["action_mask"].any()
        scores = env.get_state()["scores"][0].tolist()
        assert [info["score"], info["opponent_score"]] == [scores[seat], scores[1 - seat]]


def test_arrays_are_fresh():
    env = midgame()
    rng = np.random.default_rng(0)
    kept = [env.reset(seed=1)]
    for _ in range(5):
        observation, _, _, _, info = env.step(legal_choice(env, rng))
        kept.append((observation, info))
    kept.append(env.reset())
    arrays = [observation for observation, _ in kept] + [info["action_mask"] for _, info in kept]
    arrays += [env.action_masks(), env.action_masks(), env.batch.observations, env.batch.masks]
    for i, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[i + 1 :])
    assert len({id(info) for _, info in kept}) == len(kept)
    env.action_masks()[:] = 0
    env.get_state()["scores"][:] = 99
    assert env.action_masks().any()
    assert env.get_state()["scores"].max() < 99


# A second account -----------------------------------------------------------------------------
@entry
def evaluation(states, i, seat):
    return evaluate_seat(states[i], seat)


def potential(position: Position, seat: int) -> float:
    return 0.0 if position.over else evaluation(position.states, 0, seat) - evaluation(position.states, 0, 1 - seat)


REWARDS = [
    "win_loss",
    "score_margin",
    "score_delta",
    "potential",
    {"win_loss": 2.0, "score_margin": 0.5, "score_delta": -0.25, "potential": 0.1, "rank": 1.5},
]


class Splitmix:
    """The generator of a row, written once more."""

    def __init__(self, word: int) -> None:
        self.word = int(word)

    def next(self) -> np.uint64:
        self.word = (self.word + 0x9E3779B97F4A7C15) % 2**64
        bits = self.word
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
        return np.uint64(bits ^ (bits >> 31))


class Account:
    """Episodes played with one ``Position``, one decision after the other, with the full abstraction."""

    def __init__(self, pool: dict[str, float], seat: int | str, reward, gamma: float) -> None:
        self.pool, self.seat_wanted, self.gamma = pool, seat, gamma
        self.weights = reward if isinstance(reward, dict) else {reward: 1.0}

    def reset(self, seed: int | None) -> None:
        if seed is not None:
            self.position = GAME.new(seed)
            self.word = Splitmix(keys_from_seed(seed, 2)[1]).next
        else:
            states = GAME.rules.initial_states([0], GAME.make_options())
            states["rng"] = self.word()
            GAME.rules.advance_to_decision(states, 0)
            self.position = Position(GAME, states)
        self.seat = int(self.word()) >> 63 if self.seat_wanted == "random" else self.seat_wanted
        share, passed = int(self.word()) / 2**64, 0.0
        for name, part in self.pool.items():
            passed += part / sum(self.pool.values())
            self.opponent = name
            if share < passed:
                break
        self.go_on()
        self.margin, self.potential = 0, potential(self.position, self.seat)

    def go_on(self) -> None:
        policy = make_agent(GAME, self.opponent).policy
        while self.position.player == 1 - self.seat:
            self.position.step(int(policy(self.position.states, 0, self.word())))

    def step(self, action: int) -> float:
        self.position.step(action)
        self.go_on()
        position = self.position
        margin, potential_now = (
            position.scores[self.seat] - position.scores[1 - self.seat],
            potential(position, self.seat),
        )
        parts = {"score_delta": margin - self.margin, "potential": self.gamma * potential_now - self.potential}
        self.margin, self.potential = margin, potential_now
        if position.over:
            parts["score_margin"] = margin
            parts["win_loss"] = parts["rank"] = self.result()  # with two players the same
        return sum(self.weights.get(name, 0.0) * value for name, value in parts.items())

    def result(self) -> int:
        if not self.position.over or self.position.winner == NOBODY:
            return 0
        return 1 if self.position.winner == self.seat else -1


@pytest.mark.parametrize("seat", ["random", 0, 1])
@pytest.mark.parametrize("reward", REWARDS, ids=str)
def test_whole_games_against_a_second_account(reward, seat):
    pool = {"random": 3.0, "greedy": 1.0} if seat == "random" else {"random": 1.0}
    env = DuelEnv(opponent=pool, seat=seat, reward=reward, gamma=0.95)
    account, rng, seats, opponents = Account(pool, seat, reward, 0.95), np.random.default_rng(1), set(), set()
    for seed in [7, *[None] * 6, 8][: None if COMPILED else 2]:
        observation, info = env.reset(seed=seed)
        account.reset(seed)
        reward_now, expected, terminated = 0.0, 0.0, False
        while True:
            position = account.position
            assert np.array_equal(observation, position.observe(account.seat))
            assert np.array_equal(info["action_mask"], position.action_mask())
            assert reward_now == pytest.approx(expected, rel=1e-12, abs=1e-9)
            assert terminated == position.over
            assert (info["score"], info["seat"]) == (position.scores[account.seat], account.seat)
            assert info["opponent_score"] == position.scores[1 - account.seat]
            assert info["result"] == account.result()
            assert env.position == position
            if terminated:
                break
            action = legal_choice(env, rng)
            observation, reward_now, terminated, _, info = env.step(action)
            expected = account.step(action)
        seats.add(account.seat)
        opponents.add(account.opponent)
    if COMPILED:
        assert seats == ({0, 1} if seat == "random" else {seat})
        assert opponents == set(pool)


def test_the_pool_is_drawn_by_its_shares():
    env = DuelEnv(opponent={"random": 9, "greedy": 1}, seat=0)
    env.reset(seed=0)
    drawn = []
    for _ in range(scaled(2000, least=10)):
        env.reset()
        drawn.append(int(env.batch.rows["opponents"][0].max()))
    if COMPILED:
        assert 0.07 < np.mean(drawn) < 0.13


# Seeds ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", CONFIGURATIONS[:2])
def test_a_seed_repeats_and_the_episodes_after_it_too(options):
    one, two = DuelEnv(**options), DuelEnv(**options)
    episodes = scaled(4, least=2)
    for seed in (0, 7, np.int64(2**40))[: None if COMPILED else 1]:
        one.reset(seed=seed)
        two.reset(seed=int(seed))
        assert one.np_random_seed == seed
        assert trace(one, episodes=episodes) == trace(two, episodes=episodes)
    one.reset(seed=1)
    first = one.get_state()
    one.reset()
    assert one.get_state().tobytes() != first.tobytes()


def test_a_seed_gives_the_game_of_the_aec_environment():
    aec = duel_v0.env(scoring_tiles=4)
    aec.reset(seed=11)
    env = DuelEnv(seat=aec.position.player, scoring_tiles=4)
    env.reset(seed=11)
    assert env.position == aec.position


def test_unseeded_games_differ_and_come_from_np_random():
    one, two, three = DuelEnv(), DuelEnv(), DuelEnv()
    one.reset()
    two.reset()
    assert one.get_state().tobytes() != two.get_state().tobytes()
    two, three = DuelEnv(), DuelEnv()
    two.np_random, three.np_random = np.random.default_rng(5), np.random.default_rng(5)
    two.reset()
    three.reset()
    assert two.get_state().tobytes() == three.get_state().tobytes()


def test_random_seats_are_fair():
    env = DuelEnv(opponent="random")
    env.reset(seed=0)
    seats = [env.reset()[1]["seat"] for _ in range(scaled(400, least=5))]
    if COMPILED:
        assert 0.4 < np.mean(seats) < 0.6


@pytest.mark.parametrize("seed", ["a", 1.5, -1, True])
def test_wrong_seeds_change_nothing(seed):
    env = midgame()
    before = pickle.dumps(env.batch)
    with pytest.raises(ValueError, match="at least 0"):
        env.reset(seed=seed)
    assert pickle.dumps(env.batch) == before


# Options of a reset ---------------------------------------------------------------------------
def test_reset_options():
    env = DuelEnv(seat=0)
    options = {"scoring_tiles": ["rows", "corners", "border", "wild_spaces"], "first_player": 1}
    env.reset(seed=1, options=options)
    state = env.get_state()[0]
    assert np.flatnonzero(state["scoring"]).tolist() == [0, 3, 5, 6]
    assert state["first_player"] == 1
    env.reset(seed=1)
    assert env.get_state()[0]["scoring"].sum() == 3  # the option was for that episode only


def test_begin_with_a_state():
    source = midgame(9)
    state, text = source.get_state(), source.position.to_text()
    env = DuelEnv(opponent="random", seat=0)
    for given in (state, text):
        observation, info = env.reset(options={"state": given})
        assert env.position == source.position
        assert np.array_equal(observation, source.batch.observations[0])
        assert info["score"] == state["scores"][0, 0]
    games = []
    for seed in (1, 1, 2):
        env.reset(seed=seed, options={"state": state})
        assert np.array_equal(env.position.observe(0), source.batch.observations[0])
        games.append(trace(env, steps=40))
    assert games[0] == games[1] != games[2]
    assert state.tobytes() == source.get_state().tobytes()
    other = DuelEnv(opponent="random", seat=1)  # then the opponent moves first
    other.reset(options={"state": state})
    assert other.get_state()["player"] == 1


def test_rewards_begin_at_the_state_that_is_given():
    """A delta is one of this episode: the points that the state came with are none of it."""
    rng, seed = np.random.default_rng(0), 0
    while len({*(source := midgame(seed, 30)).position.scores}) == 1:
        seed += 1
    env, begun = DuelEnv(opponent="random", reward="score_delta"), source.position.scores
    for seed in range(4):  # either seat, so that in some the opponent moves first: its points belong to the first step
        _, info = env.reset(seed=seed, options={"state": source.get_state()})
        seat = info["seat"]
        _, reward, _, _, info = env.step(legal_choice(env, rng))
        assert reward == info["score"] - info["opponent_score"] - (begun[seat] - begun[1 - seat])


def test_a_state_with_explicit_chance_goes_on_by_itself():
    aec, rng = duel_v0.env(explicit_chance=True), np.random.default_rng(0)
    aec.reset(seed=2)
    with pytest.raises(ValueError, match="a draw is due"):
        DuelEnv().reset(options={"state": aec.get_state()})
    while aec.chance_outcomes():
        outcomes = aec.chance_outcomes()
        aec.apply_chance(outcomes[int(rng.integers(len(outcomes)))][0])
    env = DuelEnv(opponent="random")
    env.reset(options={"state": aec.get_state()})
    assert trace(env)[-2][2] is True


def test_wrong_reset_options_change_nothing():
    env = midgame()
    over = midgame()
    trace(over)
    before = pickle.dumps(env.batch)
    for options, message in (
        ({"scoring_tile": 4}, "did you mean 'scoring_tiles'"),
        ({"stat": 4}, "did you mean 'state'"),
        ({"explicit_chance": True}, "fixed when the environment is made"),
        ({"scoring_tiles": 5}, "3, 4"),
        ({"anything": 3}, "unknown reset option 'anything': there are state, scoring_tiles"),
        ({"state": env.get_state(), "scoring_tiles": 4}, "leave out scoring_tiles"),
        ({"state": "nonsense"}, "first line"),
        ({"state": b"x"}, "get_state"),
        ({"state": np.zeros(1, GAME.state)}, "broken are"),
        ({"state": over.get_state()}, "the game is over"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=1, options=options)
        assert pickle.dumps(env.batch) == before
    for options in ("x", [], 0, [("scoring_tiles", 4)]):
        with pytest.raises(TypeError, match="dictionary or None"):
            env.reset(seed=1, options=options)
        assert pickle.dumps(env.batch) == before


def test_a_state_that_leaves_the_learner_nothing_to_decide():
    env = DuelEnv(opponent="random", seat=1)
    env.reset(seed=3)
    before, generator = pickle.dumps(env.batch), env.np_random.bit_generator.state
    with pytest.raises(ValueError, match="seat 1, the learner"):
        env.reset(seed=1, options={"state": last_decision(seat=0)})
    assert pickle.dumps(env.batch) == before
    assert env.np_random.bit_generator.state == generator


def last_decision(seat: int) -> np.ndarray:
    """Return the state before the last decision of a game, which a seat makes."""
    rng = np.random.default_rng(0)
    for seed in range(100):
        position = GAME.new(seed)
        while not position.over:
            before, decider = position.copy(), position.player
            position.step(int(rng.choice(position.legal_actions())))
        if decider == seat:
            return before.states
    raise AssertionError("no such game")


def test_states_in_the_midst_of_what_is_not_asked():
    """They are resolved where a policy can, and refused where none can: never a mask with nothing in it."""
    rng = np.random.default_rng(0)
    coarse = [{name: value} for name, values in CHOICES.items() for value in list(values)[1:]]
    envs = [DuelEnv(opponent="random", seat=seat, **options) for options in coarse for seat in (0, 1)]
    refused = begun = 0
    for seed in range(scaled(6)):
        source = duel_v0.env()
        source.reset(seed=seed)
        position = source.position
        while not position.over:
            if COMPILED or position.decisions % 40 == 0:
                env = envs[int(rng.integers(len(envs)))]
                try:
                    _, info = env.reset(options={"state": position.states})
                except ValueError as error:
                    refused += 1
                    assert "an episode can't begin with this state" in str(error)  # noqa: PT017
                else:
                    begun += 1
                    assert info["action_mask"].any()
                    assert env.position.check() == []
            position.step(int(rng.choice(position.legal_actions())))
    assert begun > 20 * refused
    if COMPILED:
        assert refused > 0
    source = midgame(placement="split", seat=0)
    while source.get_state()["source"] == NOBODY:
        source.step(legal_choice(source, rng))
    with pytest.raises(ValueError, match="does not ask what is due"):
        DuelEnv().reset(options={"state": source.get_state()})
    env = DuelEnv(placement="split", seat=0)
    observation, _ = env.reset(options={"state": source.get_state()})
    assert np.array_equal(observation, source.batch.observations[0])


@pytest.mark.skipif(not COMPILED, reason="too many games")
def test_who_has_begun_to_pay_finishes_whatever_is_asked():
    """R27: also where chips are never asked for, and the state comes from a game in which they are."""
    rng, found = np.random.default_rng(0), 0
    abstraction = ActionAbstraction(bonus_chips="never")
    for seed in range(40):
        position = GAME.new(seed)
        while not position.over:
            if position.states["paid_matching"][0] + position.states["paid_other"][0] > 0:
                found += 1
                action = GAME.abstraction.next_action(position.states, 0, abstraction.record)
                assert action in position.legal_actions()
                episode_from(GAME, position.states, abstraction)
            position.step(int(rng.choice(position.legal_actions())))
    assert found > 5


# Illegal actions ------------------------------------------------------------------------------
def an_illegal_action(env) -> int:
    return int(np.flatnonzero(env.action_masks() == 0)[0])


@pytest.mark.parametrize("action", [None, -1, 400, 10**6, 2**31, -(2**70)])
def test_lose(action):
    env = midgame(illegal_action="lose", reward="score_margin")
    before = env.position
    observation, reward, terminated, truncated, info = env.step(an_illegal_action(env) if action is None else action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert (info["illegal_action"], info["result"], info["is_success"]) == (True, -1, False)
    assert not info["action_mask"].any()
    assert np.array_equal(observation, before.observe(0))
    assert env.position == before
    with pytest.raises(ValueError, match=r"the episode is over: call reset\(\)"):
        env.step(0)
    _, info = env.reset()
    assert not info["illegal_action"]


def test_penalty():
    env = midgame(illegal_action="penalty", illegal_penalty=0.25)
    before, mask = env.position, env.action_masks()
    for _ in range(3):
        observation, reward, terminated, _, info = env.step(an_illegal_action(env))
        assert (reward, terminated, info["illegal_action"], info["result"]) == (-0.25, False, True, 0)
        assert np.array_equal(observation, before.observe(0))
        assert np.array_equal(info["action_mask"], mask)
        assert env.position == before
    _, reward, _, _, info = env.step(int(np.flatnonzero(mask)[0]))
    assert (reward, info["illegal_action"]) == (0.0, False)


def test_random_legal_action_instead():
    env = midgame(illegal_action="random")
    taken = set()
    for seed in range(scaled(30, least=3)):
        other = env.clone(reseed=seed)
        wrong = an_illegal_action(other)
        row = Splitmix(other.batch.rows["rng"][0])
        expected = other.position
        legal = expected.legal_actions()
        action = int(legal[int(row.next()) * len(legal) >> 64])
        expected.step(action)
        policy = make_agent(GAME, "random").policy
        while expected.player == 1:
            expected.step(int(policy(expected.states, 0, row.next())))
        _, reward, terminated, _, info = other.step(wrong)
        assert (reward, terminated, info["illegal_action"]) == (0.0, False, True)
        assert other.position == expected
        taken.add(action)
    assert len(taken) > 1


def test_raise():
    env = midgame(illegal_action="raise")
    before = pickle.dumps(env.batch)
    wrong = an_illegal_action(env)
    with pytest.raises(ValueError, match=rf"action {wrong} .* is not legal.*Legal \(\d+\)"):
        env.step(wrong)
    assert pickle.dumps(env.batch) == before
    env.step(int(np.flatnonzero(env.action_masks())[0]))


@pytest.mark.parametrize("action", [1.0, "1", None, True, np.array([1]), np.float32(1), [1]])
def test_what_is_no_integer_is_a_mistake_and_not_a_loss(action):
    env = midgame()
    before = pickle.dumps(env.batch)
    with pytest.raises(ValueError, match="must be an integer"):
        env.step(action)
    assert pickle.dumps(env.batch) == before
    env.step(np.array(np.flatnonzero(env.action_masks())[0]))  # what a model predicts: an array of no dimension


# Opponents ------------------------------------------------------------------------------------
def test_a_function_sees_one_dimensional_arrays_and_is_asked_only_when_it_can_choose():
    asked = []

    def opponent(observation, action_mask):
        assert (observation.dtype, observation.shape) == (np.float32, env.observation_space.shape)
        assert (action_mask.dtype, action_mask.shape) == (np.int8, (env.action_space.n,))
        assert action_mask.any()
        asked.append((observation, action_mask))
        return first_legal(observation, action_mask)

    for options in CONFIGURATIONS:
        env = DuelEnv(**{**options, "opponent": opponent})
        env.reset(seed=1)
        trace(env)
    assert len(asked) > 100
    assert not any(np.shares_memory(one[0], two[0]) for one, two in pairwise(asked))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("placement", ["full", "split", "best_fit"])
def test_a_function_against_a_second_account(seat, placement):
    abstraction = ActionAbstraction(placement=placement, drawing="once")
    env = DuelEnv(opponent=first_legal, seat=seat, placement=placement, drawing="once")
    layer, rng = abstraction.record, np.random.default_rng(0)
    observation, info = env.reset(seed=3)
    position = GAME.new(3)
    mask, seen = np.zeros(abstraction.num_actions, np.int8), np.zeros(abstraction.observation_size, np.float32)
    terminated = False
    while True:
        while position.player == 1 - seat:
            GAME.abstraction.mask(position.states, 0, layer, mask)
            assert GAME.abstraction.try_action(position.states, 0, layer, first_legal(None, mask))
        assert terminated == position.over
        if terminated:
            break
        GAME.abstraction.mask(position.states, 0, layer, mask)
        GAME.abstraction.observe(position.states, 0, layer, seat, seen)
        assert np.array_equal(observation, seen)
        assert np.array_equal(info["action_mask"], mask)
        action = legal_choice(env, rng)
        observation, _, terminated, _, info = env.step(action)
        assert GAME.abstraction.try_action(position.states, 0, layer, action)
    assert env.position == position


def test_opponents_in_modules():
    env, same = DuelEnv(opponent=f"{__name__}:first_legal"), DuelEnv(opponent=first_legal)
    env.reset(seed=1)
    same.reset(seed=1)
    assert trace(env) == trace(same)


def test_another_opponent_in_the_midst_of_an_episode():
    env = midgame(opponent="random")
    asked = []

    def opponent(observation, action_mask):
        asked.append(1)
        return first_legal(observation, action_mask)

    before = env.position
    env.set_opponent(opponent)
    assert env.position == before
    trace(env, steps=10)
    count = len(asked)
    assert count > 0
    env.set_opponent("greedy")
    trace(env)
    assert len(asked) == count
    env.reset(seed=1)
    fresh = DuelEnv(opponent="greedy", seat=0)
    fresh.reset(seed=1)
    assert trace(env) == trace(fresh)


@pytest.mark.parametrize(
    ("opponent", "error", "message"),
    [
        ("gredy", ValueError, "did you mean 'greedy'"),
        ("self-play", ValueError, "no opponent of a single learner"),
        ("no_such_module:act", ValueError, "can't be imported"),
        (f"{__name__}:nobody", ValueError, "can't be imported"),
        ("sb3:nowhere", OSError, "no saved model"),
        ([], ValueError, "1 to 64"),
        ({"random": -1}, ValueError, "at least 0"),
        ({"random": 0, "greedy": 0}, ValueError, "not all 0"),
        (5, TypeError, "an opponent is"),
    ],
)
def test_wrong_opponents_are_told_and_the_one_before_stays(opponent, error, message):
    with pytest.raises(error, match=message):
        DuelEnv(opponent=opponent)
    env = midgame(opponent="greedy")
    before = pickle.dumps(env.batch)
    with pytest.raises(error, match=message):
        env.set_opponent(opponent)
    assert pickle.dumps(env.batch) == before


def test_an_opponent_that_fails_ends_the_episode():
    """The learner must not answer in its place: what is legal for the one is not for the other."""

    def broken(*_):
        raise RuntimeError("no answer")

    for opponent, error, message in (
        (broken, RuntimeError, "no answer"),
        (hopeless, ValueError, "hopeless: action"),
        (lambda *_: 0.5, ValueError, "integers"),
        (lambda *_: None, ValueError, "integers"),
    ):
        env = midgame(opponent=first_legal)
        env.set_opponent(opponent)
        with pytest.raises(error, match=message):
            trace(env)
        with pytest.raises(ValueError, match="call reset"):
            env.step(0)
        env.set_opponent("random")
        with pytest.raises(ValueError, match="call reset"):
            env.step(0)
        env.reset()
        trace(env)


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory):
    """A tiny MaskablePPO, as users save it."""
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO

    model = MaskablePPO(
        "MlpPolicy", DuelEnv(opponent="random"), policy_kwargs={"net_arch": [8]}, n_steps=8, batch_size=8, device="cpu"
    )
    model.learn(8)
    path = tmp_path_factory.mktemp("models") / "tiny"
    model.save(path)
    return path


@pytest.mark.parametrize("given", ["sb3", "model"])
def test_saved_models(saved_model, given):
    from azul_duel_env.envs.opponents import load_model

    model = load_model(saved_model)
    env = DuelEnv(opponent=f"sb3:{saved_model}" if given == "sb3" else model)

    def same(observation, action_mask):
        return model.predict(observation, action_masks=action_mask, deterministic=True)[0]

    other = DuelEnv(opponent=same)
    env.reset(seed=1)
    other.reset(seed=1)
    assert trace(env, steps=30) == trace(other, steps=30)
    copied = pickle.loads(pickle.dumps(env))
    assert trace(copy.deepcopy(env), steps=30) == trace(copied, steps=30) == trace(env, steps=30)
    with pytest.raises(ValueError, match="the same granularity"):
        DuelEnv(opponent=model, placement="split")


@pytest.mark.usefixtures("saved_model")
def test_a_model_learns_here():
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy
    from stable_baselines3.common.monitor import Monitor

    env = Monitor(gymnasium.make(ID, opponent="random", illegal_action="raise", **COARSE))
    model = MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, n_steps=128, batch_size=64, device="cpu")
    model.learn(scaled(256))  # no illegal action among them
    if COMPILED:
        assert len(model.ep_success_buffer) > 0
        mean, _ = evaluate_policy(model, env, n_eval_episodes=2)
        assert -1 <= mean <= 1


# Copies ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), lambda env: env.clone()]
)
@pytest.mark.parametrize("options", CONFIGURATIONS)
def test_copies_go_on_identically_and_apart(copied, options):
    env = DuelEnv(**options)
    env.reset(seed=1)
    trace(env, steps=20)
    other = copied(env)
    before = other.get_state().tobytes()
    episodes = 2 if COMPILED else 1
    expected = trace(env, episodes=episodes)
    assert other.get_state().tobytes() == before  # untouched by what the original did
    assert trace(other, episodes=episodes) == expected
    assert env.action_space.seed(1) == other.action_space.seed(1)
    env.reset()
    other.reset()
    assert env.get_state().tobytes() == other.get_state().tobytes()


def test_copies_of_wrapped_environments():
    env = gymnasium.make(ID, opponent="random")
    env.reset(seed=1)
    trace(env, steps=20)
    copied, unpickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    assert trace(copied) == trace(unpickled) == trace(env)


def test_copies_before_the_first_reset():
    env = DuelEnv()
    for other in (copy.deepcopy(env), env.clone()):
        with pytest.raises(ValueError, match="call reset"):
            other.step(0)
        other.reset()


def test_clones_with_other_draws():
    env = midgame(4, 50, render_mode="human")
    clones = [env.clone(), env.clone(reseed=1), env.clone(reseed=2), env.clone(reseed=1, resample=True)]
    for clone in clones:
        assert np.array_equal(clone.position.observe(0), env.position.observe(0))
        assert np.array_equal(clone.action_masks(), env.action_masks())
        assert clone.position.check() == []
    traces = [trace(clone) for clone in clones]
    assert [clone.render_mode for clone in clones] == [None] * 4
    env.close()
    assert traces[0] != traces[1] != traces[2] != traces[0]
    assert trace(env) == traces[0]
    with pytest.raises(ValueError, match="needs reseed"):
        env.clone(resample=True)
    with pytest.raises(ValueError, match="at least 0"):
        env.clone(reseed=-1)


# Rendering, and mistakes ----------------------------------------------------------------------
def test_render():
    env = DuelEnv(render_mode="ansi", opponent="random")
    env.reset(seed=1)
    assert env.render() == str(env.position)
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert midgame().render() is None


def test_a_forgotten_reset_is_told():
    env = DuelEnv(render_mode="ansi")
    for use in (lambda: env.step(0), env.get_state, env.render, lambda: env.position):
        with pytest.raises(ValueError, match=r"call reset\(\) first"):
            use()
    env = midgame()
    trace(env)
    with pytest.raises(ValueError, match=r"the episode is over: call reset\(\)"):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "points"}, "win_loss, score_margin, score_delta, potential"),
        ({"reward": {}}, "must be one of"),
        ({"reward": {"win_loss": np.inf}}, "finite"),
        ({"gamma": 1.5}, "gamma"),
        ({"seat": 2}, "0 to 1"),
        ({"seat": True}, "0 to 1"),
        ({"seat": "first"}, "'random' or 0"),
        ({"illegal_action": "ignore"}, "lose, random, penalty, raise"),
        ({"illegal_penalty": -1}, "at least 0"),
        ({"render_mode": "rgb"}, "ansi"),
        ({"scoring_tiles": 5}, "3, 4"),
        ({"placement": "halves"}, "full, split, best_fit"),
        ({"placment": "split"}, "did you mean 'placement'"),
        ({"scoringtiles": 3}, "did you mean 'scoring_tiles'"),
        ({"explicit_chance": True}, "chance draws by itself"),
    ],
)
def test_wrong_options_say_what_was_expected(options, message):
    with pytest.raises(ValueError, match=message):
        DuelEnv(**options)
