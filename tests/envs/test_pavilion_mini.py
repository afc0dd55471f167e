"""Every environment with Azul Summer Pavilion Mini: the libraries' own checks, and one against another, for 2, 3 and 4 players."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pettingzoo
import pytest
from comparisons import assert_same
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from lone_row import EVALUATIONS, FIRST_LEGAL, LoneRow, at_random, first_legal
from mini import ID, game_of
from pettingzoo.test import api_test, seed_test
from sizes import scaled

from azul_duel_env import pavilion_mini_v0, wrappers
from azul_duel_env.envs.aec import REWARDS
from azul_duel_env.games.pavilion_mini.components import PLAYER_COUNTS
from azul_duel_env.games.pavilion_mini.state import PLACE
from azul_duel_env.jit import entry
from azul_duel_env.pavilion_mini_v0 import PavilionMiniAECEnv, PavilionMiniEnv, PavilionMiniVectorEnv

pytestmark = [
    # What PettingZoo says of every third-party environment whose observation is a dictionary with a mask:
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]
GYMNASIUM_ID = "azul/PavilionMini-v0"
SIZES = {2: 660, 3: 936, 4: 1212}
COARSE = {"payment": "fewest_wilds", "bonus": "most_useful", "discards": "least_useful"}
WHOLE = {"payment": "with_placement"}
SPLIT = {"placement": "split", "payment": "with_placement"}
CASES = [
    {"num_players": 2},
    {"num_players": 2, "board": "grey", **SPLIT},
    {"num_players": 3, "board": "grey", **WHOLE},
    {"num_players": 3, "keep": "any", "placement": "split"},
    {"num_players": 4, "keep": "any", **COARSE},
    {"num_players": 4, "board": "grey"},
]
RESETS = {"board": "grey", "wild_order": ("red", "blue", "yellow", "orange", "green", "purple"), "first_player": 1}


def _evaluation_of(num_players):
    evaluate_seat = game_of(num_players).kernel("evaluation").evaluate_seat

    @entry
    def evaluate(states, i, seat):
        return evaluate_seat(states[i], seat)

    return evaluate


def random_step(env, rng) -> None:
    observation, _, terminated, truncated, _ = env.last()
    done = terminated or truncated
    env.step(None if done else int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def trace(env, seed: int = 0, steps: int = 10**6) -> bytes:
    """Return what all see in a random game, from now to its end or so many steps on, in one string."""
    rng, parts = np.random.default_rng(seed), []
    while env.agents and steps > 0:
        observation, reward, *_ = env.last()
        parts += [observation["observation"].tobytes(), observation["action_mask"].tobytes(), repr(reward).encode()]
        random_step(env, rng)
        steps -= 1
    return b"".join(parts)


# PettingZoo -----------------------------------------------------------------------------------
@pytest.mark.parametrize("options", CASES, ids=str)
@pytest.mark.parametrize("reward", ["win_loss", "rank"])
def test_the_api_of_pettingzoo(options, reward):
    api_test(pavilion_mini_v0.env(reward=reward, **options), num_cycles=scaled(400, 30))


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_seeds_of_pettingzoo(num_players):
    seed_test(lambda: pavilion_mini_v0.env(num_players=num_players), num_cycles=scaled(300, 20))
    seed_test(lambda: pavilion_mini_v0.raw_env(num_players=num_players, board="grey"), num_cycles=scaled(300, 20))


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
def test_the_registry_of_pettingzoo():
    assert pettingzoo.make("aec", ID).possible_agents == ["player_0", "player_1"]
    env = pettingzoo.make("aec", ID, num_players=4, board="grey")
    assert type(env) is PavilionMiniAECEnv
    assert str(env) == "azul_pavilion_mini_v0"
    api_test(env, num_cycles=scaled(200, 20))


@pytest.mark.parametrize(("reward", "options"), list(zip(REWARDS, CASES[:4], strict=True)))
def test_masks_and_rewards_of_all_agents(options, reward):
    env, rng = pavilion_mini_v0.env(reward=reward, **options), np.random.default_rng(1)
    for seed in range(scaled(6)):
        env.reset(seed=seed, options=RESETS if seed % 2 else None)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        while not any(env.terminations.values()):
            for agent in env.possible_agents:
                told = env.observe(agent)
                assert told in env.observation_space(agent)
                assert told["action_mask"].any() == (agent == env.agent_selection)
            legal = np.flatnonzero(env.last()[0]["action_mask"]).tolist()
            assert legal == env.position.abstract_actions(env.abstraction).tolist()
            random_step(env, rng)
            assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-9)
            totals = {agent: totals[agent] + env.rewards[agent] for agent in totals}
        scores, position = env.position.scores, env.position
        margins = [score - (sum(scores) - score) / (len(scores) - 1) for score in scores]
        worth = {"win_loss": position.game.returns, "rank": position.game.rank_returns}.get(reward)
        expected = margins if worth is None else worth(position.states, 0)
        assert list(totals.values()) == pytest.approx(expected)
        assert env.state() in env.state_space
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


def test_an_illegal_action_changes_nothing():
    env = pavilion_mini_v0.env(num_players=3, placement="split")
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    while env.position.states["space"][0] < 0 or env.position.states["stage"][0] != PLACE:
        env.reset(seed=1, options={"board": "grey"}) if not env.agents else random_step(env, rng)
    before = env.get_state().tobytes()
    with pytest.raises(
        ValueError, match=r"action 0 \(take factory 1 purple\) is not legal for player \d.*colour to place on"
    ):
        env.step(0)
    assert env.get_state().tobytes() == before


@pytest.mark.parametrize(
    ("copied", "options"),
    [
        (copy.deepcopy, CASES[1]),
        (lambda env: pickle.loads(pickle.dumps(env)), CASES[3]),
        (lambda env: env.clone(), CASES[5]),
    ],
)
def test_copies_and_states_go_on_the_same_way(copied, options):
    env = pavilion_mini_v0.env(**options)
    env.reset(seed=3)
    trace(env, 3, steps=60)
    other, third = copied(env), pavilion_mini_v0.env(**options)
    third.set_state(env.get_state())
    assert trace(third, steps=50) == trace(other, steps=50) == trace(env, steps=50)


@pytest.mark.parametrize("options", CASES[1::2], ids=str)
def test_explicit_chance_stops_at_every_draw(options):
    env = pavilion_mini_v0.env(explicit_chance=True, **options)
    env.reset(seed=5)
    rng, draws = np.random.default_rng(5), 0
    while not any(env.terminations.values()):
        outcomes = env.chance_outcomes()
        if not outcomes:
            random_step(env, rng)
            continue
        assert not env.last()[0]["action_mask"].any()
        assert len(outcomes) > 1
        assert sum(chance for _, chance in outcomes) == pytest.approx(1)
        env.apply_chance(outcomes[int(rng.integers(len(outcomes)))][0])
        draws += 1
    assert draws > 100


# Sizes and numbers of players -----------------------------------------------------------------
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_spaces_are_those_of_the_number_of_players(num_players):
    for choices, num_actions in (({}, 331), (SPLIT, 151), (WHOLE, 1585), (COARSE, 313)):
        made = {"num_players": num_players, **choices}
        aec, single = pavilion_mini_v0.env(**made), PavilionMiniEnv(**made)
        vector, games = PavilionMiniVectorEnv(2, **made), pavilion_mini_v0.self_play(2, **made)
        observation = gymnasium.spaces.Box(0.0, 1.0, (SIZES[num_players],), np.float32)
        assert len(aec.possible_agents) == num_players
        assert aec.observation_space("player_1")["observation"] == observation
        assert aec.observation_space("player_1")["action_mask"].shape == (num_actions,)
        assert single.observation_space == vector.single_observation_space == observation
        assert games.observation_space == observation
        for space in (
            aec.action_space("player_0"),
            single.action_space,
            vector.single_action_space,
            games.action_space,
        ):
            assert space == gymnasium.spaces.Discrete(num_actions)
        assert aec.game is single.game is vector.game is games.batch.game is game_of(num_players)


@pytest.mark.parametrize("make", [pavilion_mini_v0.env, PavilionMiniEnv, PavilionMiniVectorEnv])
def test_the_number_of_players_is_fixed_when_an_environment_is_made(make):
    assert make().game.num_players == 2
    with pytest.raises(ValueError, match="num_players must be 2 or 3 or 4 in Azul Summer Pavilion Mini, not 5"):
        make(num_players=5)
    env = make(num_players=3)
    with pytest.raises(ValueError, match="unknown reset option 'num_players': it is fixed"):
        env.reset(seed=1, options={"num_players": 2})
    with pytest.raises(ValueError, match="placement must be one of full, split, not 'best_fit'"):
        make(placement="best_fit")
    with pytest.raises(ValueError, match="did you mean 'payment'"):
        make(payments="full")


# One learner ----------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore:.*render|.*spec")
@pytest.mark.parametrize("options", CASES, ids=str)
def test_gymnasiums_checker(options):
    check_env(gymnasium.make(GYMNASIUM_ID, opponent="random", **options).unwrapped)


@pytest.mark.parametrize("options", CASES[1::2], ids=str)
def test_stable_baselines3s_checker(options):
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env as sb3_check_env

    sb3_check_env(PavilionMiniEnv(opponent="random", **options), warn=True)


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_ids_of_gymnasium(num_players):
    env = gymnasium.make(GYMNASIUM_ID, num_players=num_players, opponent="greedy")
    assert type(env.unwrapped) is PavilionMiniEnv
    _, info = env.reset(seed=1, options={"board": "grey"})
    assert env.unwrapped.position.states["grey"][0] == 1
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    envs = gymnasium.make_vec(
        GYMNASIUM_ID, num_envs=2, num_players=num_players, opponents=["random"] * (num_players - 1)
    )
    assert type(envs.unwrapped) is PavilionMiniVectorEnv
    assert envs.reset(seed=1)[0].shape == (2, SIZES[num_players])


def test_the_end_is_told_by_result_and_rank():
    env, rng = PavilionMiniEnv(num_players=4, opponent="random", **COARSE), np.random.default_rng(3)
    for seed in range(scaled(20)):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert (info["result"], info["rank"]) == (0, 0)
            _, reward, terminated, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        scores, seat = env.position.scores, info["seat"]
        assert info["rank"] == 1 + sum(score > scores[seat] for score in scores)
        assert info["opponent_score"] == max(score for other, score in enumerate(scores) if other != seat)
        assert reward == pytest.approx(env.game.returns(env.position.states, 0)[seat])


# Many rows ------------------------------------------------------------------------------------
ALL_PARTS = {"win_loss": 2.0, "score_margin": 0.5, "score_delta": -0.25, "potential": 0.125, "rank": 3.0}
ROWS = [
    {"num_players": 2, "opponents": ["random"], "reward": ALL_PARTS, "gamma": 0.9, **WHOLE},
    {"num_players": 3, "opponents": [FIRST_LEGAL, "random"], "line_up": True, "reward": "rank", **SPLIT},
    {"num_players": 3, "opponents": ["greedy", FIRST_LEGAL], "reward": "score_delta", "board": "grey", **WHOLE},
    {"num_players": 4, "opponents": ["random", FIRST_LEGAL], "keep": "any", "max_steps": 30, **COARSE},
]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("case", ROWS, ids=range(len(ROWS)))
def test_rows_equal_a_plain_loop(case, mode, monkeypatch):
    game = game_of(case["num_players"])
    monkeypatch.setitem(EVALUATIONS, ID, _evaluation_of(case["num_players"]))
    rows, steps = scaled(4, 2), scaled(250, 12)
    options = {key: value for key, value in case.items() if key not in ("opponents", "line_up", "max_steps")}
    met = [first_legal if spec == FIRST_LEGAL else spec for spec in case["opponents"]]
    how = {"opponents" if case.get("line_up") else "opponent": met}
    ours = PavilionMiniVectorEnv(rows, autoreset_mode=mode, max_episode_steps=case.get("max_steps"), **how, **options)
    alone = {key: value for key, value in case.items() if key != "num_players"}
    theirs = SyncVectorEnv([lambda: LoneRow(game=game, **alone)] * rows, autoreset_mode=mode)
    got, rng = ours.reset(seed=11), np.random.default_rng(5)
    assert_same(got, theirs.reset(seed=11), "reset")
    for _ in range(steps):
        actions = at_random(got[-1]["action_mask"], rng)
        got = ours.step(actions)
        assert_same(got, theirs.step(actions), "step")
    theirs.close()


@pytest.mark.parametrize(("num_players", "choices"), [(2, SPLIT), (3, {}), (4, WHOLE)])
def test_self_play_is_the_aec_environment(num_players, choices):
    num_games = scaled(3, 1)
    options = {"num_players": num_players, "board": "grey", "reward": "score_delta", **choices}
    games = pavilion_mini_v0.self_play(num_games, **options)
    envs = [pavilion_mini_v0.env(**options) for _ in range(num_games)]
    games.reset(seed=20)
    for row, env in enumerate(envs):
        env.reset(seed=20 + row)
    rng, live, left = np.random.default_rng(1), np.ones(num_games, bool), scaled(10**5, 30)
    while live.any() and left > 0:
        for row in np.flatnonzero(live):
            told = envs[row].observe(f"player_{games.player[row]}")
            assert envs[row].agent_selection == f"player_{games.player[row]}"
            np.testing.assert_array_equal(games.observation[row], told["observation"])
            np.testing.assert_array_equal(games.action_mask[row], told["action_mask"])
        actions = at_random(games.action_mask, rng)
        step = games.step(actions)
        for row in np.flatnonzero(live):
            envs[row].step(int(actions[row]))
            assert step.rewards[row].tolist() == pytest.approx(list(envs[row].rewards.values()))
            assert step.over[row] == envs[row].terminations["player_0"]
            if step.over[row]:
                assert step.ranks[row].tolist() == list(envs[row].position.ranks)
        live &= ~step.over
        left -= 1


def test_an_illegal_action_where_payments_are_asked_with_placements():
    """What is chosen instead is any of the up to 763 that are asked."""
    env = PavilionMiniVectorEnv(
        8, num_players=2, board="grey", opponent="random", illegal_action="random", seat=0, **WHOLE
    )
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(2)
    for step in range(scaled(400, 40)):
        wrong = step % 3 == 0
        actions = at_random(infos["action_mask"] == (0 if wrong else 1), rng)
        *_, infos = env.step(actions)
        assert infos["illegal_action"].any() <= wrong
    assert (env.sample_actions() < 1585).all()


def test_stable_baselines3s_vector_environment():
    pytest.importorskip("sb3_contrib")
    from azul_duel_env.envs.sb3 import make_sb3_vec

    env = make_sb3_vec(3, game=ID, num_players=4, opponent="random", seed=1, board="grey", advice="greedy", **SPLIT)
    observations, rng, ended = env.reset(), np.random.default_rng(0), 0
    assert observations.shape == (3, 1212 + 151)
    for _ in range(scaled(300, 10)):
        masks = env.action_masks()
        assert not observations[:, 1212:][masks == 0].any()
        np.testing.assert_array_equal(observations[:, 1212:].max(axis=1), 1.0)
        observations, _, dones, infos = env.step(at_random(masks, rng))
        ended += dones.sum()
        assert all(info["rank"] in (1, 2, 3, 4) for info, done in zip(infos, dones, strict=True) if done)
    assert ended or scaled(300, 10) < 300


# Wrappers -------------------------------------------------------------------------------------
@pytest.mark.parametrize("choices", [SPLIT, WHOLE, COARSE], ids=str)
def test_wrappers_of_sub_decisions_are_the_options(choices):
    plain, env = pavilion_mini_v0.env(num_players=3, **choices), pavilion_mini_v0.env(num_players=3)
    for name, value in choices.items():
        env = wrappers.SubDecisions(env, **{name: value})
    for one in (plain, env):
        one.reset(seed=6)
    assert env.action_space("player_2") == plain.action_space("player_2")
    assert env.unwrapped.abstraction == plain.abstraction
    assert trace(env) == trace(plain)
    api_test(env, num_cycles=scaled(100, 20))
    single = wrappers.SubDecisions(gymnasium.make(GYMNASIUM_ID, num_players=3, opponent="random"), **choices)
    expected = gymnasium.make(GYMNASIUM_ID, num_players=3, opponent="random", **choices)
    assert single.action_space == expected.action_space
    for one, other in zip(single.reset(seed=4), expected.reset(seed=4), strict=True):
        np.testing.assert_equal(one, other)


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
@pytest.mark.parametrize("advice", [None, "greedy"])
def test_observations_as_planes_and_views(num_players, advice):
    made = {"num_players": num_players, "opponent": "random", "board": "grey", "advice": advice, **SPLIT}
    plain = PavilionMiniEnv(**made)
    flat, info = plain.reset(seed=2)
    planes = wrappers.PlanesObservation(gymnasium.make(GYMNASIUM_ID, **made))
    views = wrappers.ViewsObservation(gymnasium.make(GYMNASIUM_ID, **made))
    for env in (planes, views):
        seen, _ = env.reset(seed=2)
        assert env.observation_space.contains(seen)
        seen, *_ = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        assert env.observation_space.contains(seen)
    flat, *_ = plain.step(int(np.flatnonzero(info["action_mask"])[0]))
    named = plain.abstraction.unflatten(flat)
    for name, block in views.observation(flat).items():
        assert np.array_equal(block, named[name])
    boards = planes.observation(flat)["planes"]
    assert boards.shape == (6 * num_players, 7, 6)
    assert np.array_equal(boards, plain.abstraction.planes(flat)[0])
    assert sum(part.size for part in planes.observation(flat).values()) == flat.size


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_rewards_of_wrappers_are_those_of_the_options(num_players):
    made = {"num_players": num_players, "opponent": "random", **COARSE}
    env = wrappers.ScoreMarginReward(PavilionMiniEnv(**made))
    shaped = wrappers.PotentialShaping(PavilionMiniEnv(**made), weight=0.5)
    margin, potential = (
        PavilionMiniEnv(reward="score_margin", **made),
        PavilionMiniEnv(reward={"potential": 0.5}, **made),
    )
    rng, over = np.random.default_rng(1), False
    for one in (env, shaped, margin, potential):
        _, info = one.reset(seed=4)
    while not over:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        (_, by_wrapper, over, _, info), (_, expected, *_) = env.step(action), margin.step(action)
        assert by_wrapper == pytest.approx(expected)
        by_wrapper, expected = shaped.step(action)[1], potential.step(action)[1]
        assert over or by_wrapper == pytest.approx(expected)
