"""Every environment with a game of three players: seats, line-ups, rewards, places; and the number of players as an option."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from comparisons import assert_same, snapshot
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from lone_row import EVALUATIONS, FIRST_LEGAL, LoneRow, at_random, first_legal
from pettingzoo.test import api_test, seed_test
from sizes import scaled
from toy_game import GAME, rules
from toy_game.kernels.evaluation import evaluate_seat
from toy_game.kernels.outcome import margin_of, utility, utility_of_rank
from toy_game.kernels.search import SCALE, WIN

from azul_duel_env import duel_v0, wrappers
from azul_duel_env.agents.search import search
from azul_duel_env.envs.aec import REWARDS as AEC_REWARDS
from azul_duel_env.envs.aec import GameAECEnv
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.opponents import SELF_PLAY
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.envs.single import GameEnv
from azul_duel_env.envs.vector import GameVectorEnv
from azul_duel_env.game import NOBODY
from azul_duel_env.games import find_game
from azul_duel_env.games.duel import GAME as DUEL
from azul_duel_env.jit import entry

SEATS = range(3)
MODES = list(AutoresetMode)
TAKE, GIVE = rules.TAKE, rules.GIVE
REWARDS = ["win_loss", "score_margin", "score_delta", "potential", "rank"]
ALL_PARTS = {"win_loss": 2.0, "score_margin": 0.5, "score_delta": -0.25, "potential": 0.125, "rank": 3.0}


@entry
def evaluate(states, i, seat):
    return evaluate_seat(states[i], seat)


@entry
def compiled_utility(states, i, seat):
    return utility(states[i], seat)


@entry
def compiled_utility_of_rank(states, i, seat):
    return utility_of_rank(states[i], seat)


@entry
def compiled_margin(states, i, seat):
    return margin_of(states[i], seat)


EVALUATIONS[GAME.id] = evaluate
VARIANTS = {2: f"{__name__}:TWO", 3: f"{__name__}:SEVERAL"}
SEVERAL = replace(GAME, home=VARIANTS[3], variants=VARIANTS)
"""A game for three players, or two: in the test of the option these play Azul Duel, which has other spaces."""
TWO = replace(DUEL, home=VARIANTS[2], variants=VARIANTS)


class ToyAECEnv(GameAECEnv):
    game = GAME
    metadata = {"name": "dice_v0", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012


class ToyEnv(GameEnv):
    game = GAME
    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012


class ToyVectorEnv(GameVectorEnv):
    game = GAME


class SeveralAECEnv(ToyAECEnv):
    game = SEVERAL


class SeveralEnv(ToyEnv):
    game = SEVERAL


class SeveralVectorEnv(GameVectorEnv):
    game = SEVERAL


def worth(scores):
    """What an end is worth for each player, by points: +1 shared by the winners, paid by the others alike."""
    best, n = max(scores), len(scores)
    k = list(scores).count(best)
    return [(n - k) / (k * (n - 1)) if score == best else -1 / (n - 1) for score in scores]


def worth_of_ranks(scores):
    """The share of the others that a player is ahead of, less the share that is ahead."""
    return [(sum(s > o for o in scores) - sum(s < o for o in scores)) / (len(scores) - 1) for s in scores]


def margins(scores):
    return [score - (sum(scores) - score) / (len(scores) - 1) for score in scores]


# The formulas ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("scores", "ranks", "returns", "by_rank"),
    [
        ((9, 5, 2), (1, 2, 3), (1, -0.5, -0.5), (1, 0, -1)),
        ((5, 5, 2), (1, 1, 3), (0.25, 0.25, -0.5), (0.5, 0.5, -1)),
        ((2, 9, 2), (2, 1, 2), (-0.5, 1, -0.5), (-0.5, 1, -0.5)),
        ((4, 4, 4), (1, 1, 1), (0, 0, 0), (0, 0, 0)),
    ],
)
def test_returns_of_three_players(scores, ranks, returns, by_rank):
    states = GAME.new(1).states
    states["scores"], states["decisions"], states["player"] = scores, rules.MAX_DECISIONS, NOBODY
    assert GAME.ranks(states, 0) == ranks
    assert GAME.returns(states, 0) == tuple(worth(scores)) == returns
    assert GAME.rank_returns(states, 0) == tuple(worth_of_ranks(scores)) == by_rank
    assert GAME.winners(states, 0) == {seat for seat in SEATS if ranks[seat] == 1}
    for seat in SEATS:
        assert compiled_utility(states, 0, seat) == pytest.approx(returns[seat])
        assert compiled_utility_of_rank(states, 0, seat) == pytest.approx(by_rank[seat])
        assert compiled_margin(states, 0, seat) == pytest.approx(margins(scores)[seat])


# PettingZoo -----------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.parametrize("reward", AEC_REWARDS)
def test_the_api_of_pettingzoo(reward):
    api_test(ToyAECEnv(reward=reward), num_cycles=scaled(200, 40))


def test_seeds_of_pettingzoo():
    seed_test(ToyAECEnv, num_cycles=scaled(200, 20))


@pytest.mark.parametrize("reward", AEC_REWARDS)
def test_three_agents_get_what_is_theirs(reward):
    rng = np.random.default_rng(1)
    for seed in range(scaled(20, 3)):
        env = ToyAECEnv(reward=reward)
        env.reset(seed=seed)
        got, steps = dict.fromkeys(env.possible_agents, 0.0), 0
        for agent in env.agent_iter():
            *_, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            assert agent == f"player_{steps % 3}"
            assert [bool(env.observe(one)["action_mask"].any()) for one in env.agents] == [
                one == agent for one in env.agents
            ]
            env.step(int(rng.integers(2)))
            steps += 1
            assert sum(env.rewards.values()) == pytest.approx(0)
            for one, reward_now in env.rewards.items():
                got[one] += reward_now
            scores = env.position.scores
        expected = {"win_loss": worth, "rank": worth_of_ranks}.get(reward, margins)(scores)
        assert list(got.values()) == pytest.approx(expected)
        assert steps == rules.MAX_DECISIONS


def test_three_agents_are_cut_off_together():
    env = ToyAECEnv(max_cycles=4, reward="rank")
    env.reset(seed=1)
    for _ in range(4):
        env.step(TAKE)
    assert set(env.truncations.values()) == {True}
    assert set(env.rewards.values()) == {0.0}
    for _ in range(3):
        env.step(None)
    assert not env.agents


def test_an_illegal_action_changes_nothing_among_three():
    env = ToyAECEnv()
    env.reset(seed=1)
    before = env.get_state().tobytes()
    with pytest.raises(ValueError, match="is not legal for player 0"):
        env.step(2)
    assert env.get_state().tobytes() == before
    with pytest.raises(ValueError, match="there are player_0, player_1, player_2"):
        env.observe("player_3")


# One learner ----------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore:.*render|.*spec")
@pytest.mark.parametrize(
    "options", [{}, {"opponents": ["random", "greedy"]}, {"reward": ALL_PARTS, "advice": "greedy"}]
)
def test_gymnasiums_checker(options):
    check_env(ToyEnv(**options), skip_render_check=True)


def test_the_end_is_told_by_result_and_rank():
    env, met = ToyEnv(opponent="random"), set()
    rng = np.random.default_rng(3)
    for seed in range(60):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert (info["result"], info["rank"], info["is_success"]) == (0, 0, False)
            _, reward, terminated, _, info = env.step(int(rng.integers(2)))
        scores, seat = env.position.scores, info["seat"]
        best = max(scores)
        winners = scores.count(best)
        assert info["opponent_score"] == max(s for k, s in enumerate(scores) if k != seat)
        assert info["rank"] == 1 + sum(s > scores[seat] for s in scores)
        assert info["result"] == (-1 if scores[seat] < best else 1 if winners == 1 else 0)
        assert info["is_success"] == (info["result"] == 1)
        assert reward == pytest.approx(worth(scores)[seat])
        met.add((info["result"], winners))
    assert met >= {(1, 1), (-1, 1), (0, 2), (-1, 2)}


def test_a_line_up_sits_in_turn_order_after_the_learner():
    asked = []

    def noting(name, action):
        def play(_, mask):
            asked.append(name)
            assert mask[action]
            return action

        return play

    env = ToyEnv(opponents=[noting("next", TAKE), noting("last", GIVE)])
    for seed in range(9):
        asked.clear()
        env.reset(seed=seed)
        seat, terminated = env.batch.rows["seat"][0], False
        assert asked == ["next", "last"][2 - seat :]
        names = env.batch.names_of(0)
        assert names[seat] == "learner"
        asked.clear()
        while not terminated:
            *_, terminated, _, _ = env.step(TAKE)
        assert asked == (["next", "last"] * rules.ROUNDS)[: len(asked)]
    env.set_opponents(["random", "greedy"])
    env.reset(seed=1)
    seat = int(env.batch.rows["seat"][0])
    assert [env.batch.names_of(0)[(seat + k) % 3] for k in SEATS] == ["learner", "random", "greedy"]
    env.set_opponent("greedy")
    assert sorted(env.batch.names_of(0)) == ["greedy", "greedy", "learner"]


def test_each_seat_draws_its_own_opponent():
    env = ToyVectorEnv(scaled(400, 100), opponent={"random": 3, "greedy": 1}, seat=1)
    env.reset(seed=1)
    drawn = env.batch.rows["opponents"][:, [2, 0]]
    assert not drawn.any(axis=1).all()
    assert (drawn == 1).mean(axis=0) == pytest.approx([0.25, 0.25], abs=0.1)
    assert (drawn[:, 0] != drawn[:, 1]).any()


@pytest.mark.parametrize("make", [ToyEnv, lambda **options: ToyVectorEnv(2, **options)])
@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"opponent": "greedy", "opponents": ["random", "random"]}, ValueError, "opponent.* or opponents.*, not both"),
        ({"opponents": ["random"]}, ValueError, "a list of 2, one for each other seat in turn order.*, not 1"),
        ({"opponents": ["random"] * 3}, ValueError, "a list of 2.*, not 3"),
        ({"opponents": "random"}, ValueError, "a list of 2.*, not 'random'"),
        ({"opponents": {"random": 1, "greedy": 1}}, ValueError, "a list of 2"),
        ({"opponents": ["random", "gredy"]}, ValueError, "unknown opponent 'gredy'.*did you mean 'greedy'"),
        ({"opponents": ["random", ["random", "greedy"]]}, TypeError, "an opponent is"),
        ({"seat": 3}, ValueError, "0 to 2"),
        ({"num_players": 2}, ValueError, "num_players must be 3 in Dice, not 2"),
    ],
)
def test_wrong_line_ups_are_refused_and_those_before_stay(make, wrong, error, message):
    with pytest.raises(error, match=message):
        make(**wrong)
    if list(wrong) == ["opponents"]:
        env = make(opponents=["greedy", "random"])
        env.reset(seed=1)
        before = snapshot(env)
        with pytest.raises(error, match=message):
            env.set_opponents(wrong["opponents"])
        assert snapshot(env) == before
        assert [one.name for one in env.batch.pool.opponents] == ["greedy", "random"]


@pytest.mark.slow
@pytest.mark.parametrize("illegal_action", ["lose", "random", "penalty", "raise"])
def test_an_illegal_action_of_a_learner_among_three(illegal_action):
    env = ToyEnv(opponent="random", illegal_action=illegal_action, illegal_penalty=0.5)
    env.reset(seed=1)
    before = env.get_state().tobytes()
    if illegal_action == "raise":
        with pytest.raises(
            ValueError, match=r"action 5 is not legal in row 0: take or give. Legal \(2\): 0 take; 1 give"
        ):
            env.step(5)
        assert env.get_state().tobytes() == before
        return
    _, reward, terminated, _, info = env.step(5)
    assert info["illegal_action"]
    assert (reward, terminated) == {"lose": (-1.0, True), "random": (0.0, False), "penalty": (-0.5, False)}[
        illegal_action
    ]
    assert (env.get_state().tobytes() == before) is (illegal_action != "random")
    assert (info["result"], info["rank"]) == ((-1, 3) if illegal_action == "lose" else (0, 0))


# Many rows ------------------------------------------------------------------------------------
CASES = [
    {"opponents": ["random"], "reward": "rank"},
    {"opponents": ["random", "greedy"], "reward": ALL_PARTS, "gamma": 0.9},
    {"opponents": ["greedy", FIRST_LEGAL, "random"], "reward": "score_delta", "seat": 2},
    {"opponents": [FIRST_LEGAL, "random"], "reward": ALL_PARTS, "line_up": True},
    {"opponents": ["greedy", "random"], "reward": "win_loss", "line_up": True, "max_steps": 3},
    {"opponents": ["random", "mcts:4"], "reward": "score_margin", "line_up": True, "seat": 1},
]


def vector(num_envs, mode, opponents, line_up=False, max_steps=None, **options):
    met = [first_legal if spec == FIRST_LEGAL else spec for spec in opponents]
    how = {"opponents" if line_up else "opponent": met}
    return ToyVectorEnv(num_envs, autoreset_mode=mode, max_episode_steps=max_steps, **how, **options)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_rows_of_three_seats_equal_a_plain_loop(case, mode):
    rows, steps = scaled(6, 3), scaled(60, 15)
    ours = vector(rows, mode, **case)
    theirs = SyncVectorEnv([lambda: LoneRow(game=GAME, **case)] * rows, autoreset_mode=mode)
    got, rng, ended = ours.reset(seed=11), np.random.default_rng(5), 0
    assert_same(got, theirs.reset(seed=11), "reset")
    masks = got[1]["action_mask"]
    for _ in range(steps):
        actions = at_random(masks, rng)
        got = ours.step(actions)
        assert_same(got, theirs.step(actions), "step")
        masks, done = got[4]["action_mask"], got[2] | got[3]
        ended += done.sum()
        if mode is AutoresetMode.DISABLED and done.any():
            got = ours.reset(options={"reset_mask": done})
            expected = theirs.reset(options={"reset_mask": done})
            assert_same(got[0], expected[0], "partial reset")
            masks = got[1]["action_mask"]
    theirs.close()
    assert ended >= rows


def test_threads_change_nothing_for_three(monkeypatch):
    monkeypatch.setattr("azul_duel_env.envs.row_arrays.ROWS_PER_THREAD", 1)
    seen = []
    for threads in (1, 3):
        env, rng = ToyVectorEnv(12, opponents=["random", "greedy"], threads=threads, reward=ALL_PARTS), None
        rng = np.random.default_rng(2)
        env.reset(seed=4)
        for _ in range(scaled(30, 10)):
            env.step(rng.integers(2, size=12))
        seen.append(snapshot(env))
        env.close()
    assert seen[0] == seen[1]


def test_final_ranks_are_those_of_the_episode_that_ended():
    env = ToyVectorEnv(8, opponent="random", autoreset_mode="Disabled", max_episode_steps=3)
    env.reset(seed=1)
    for _ in range(3):
        _, _, terminated, truncated, _ = env.step(np.full(8, TAKE))
    assert truncated.all()
    assert not terminated.any()
    assert not env.batch.rows["final_ranks"].any()
    env = ToyVectorEnv(8, opponent="random", autoreset_mode="Disabled")
    env.reset(seed=1)
    for _ in range(rules.ROUNDS):
        env.step(np.full(8, GIVE))
    for row in range(8):
        assert tuple(env.batch.rows["final_ranks"][row]) == GAME.ranks(env.batch.states, row)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_line_ups_go_on_the_same_way(duplicate):
    env = ToyVectorEnv(4, opponents=["random", "greedy"])
    env.reset(seed=1)
    other = duplicate(env)
    assert other.game is GAME
    for _ in range(6):
        assert_same(env.step(np.full(4, GIVE)), other.step(np.full(4, GIVE)))
    assert snapshot(env) == snapshot(other)


def test_pictures_and_texts_of_three():
    env = ToyVectorEnv(2, opponents=["random", "greedy"], render_mode="ansi")
    env.reset(seed=1)
    assert all(text.startswith("die ") for text in env.render())


# Wrappers -------------------------------------------------------------------------------------
def test_views_are_those_of_the_game_and_there_are_no_planes():
    env = wrappers.ViewsObservation(ToyEnv(opponent="random", advice="greedy"))
    seen, _ = env.reset(seed=1)
    assert list(seen) == ["points"]
    assert seen in env.observation_space
    with pytest.raises(TypeError, match="the observation of Dice has no planes"):
        wrappers.PlanesObservation(ToyEnv())


def test_wrapped_rewards_are_the_parts_of_the_reward():
    margin, part = wrappers.ScoreMarginReward(ToyEnv()), ToyEnv(reward="score_margin")
    shaped, potential = wrappers.PotentialShaping(ToyEnv(), gamma=0.9), ToyEnv(reward="potential", gamma=0.9)
    plain = ToyEnv()
    for seed in range(scaled(5, 2)):
        for env in (margin, part, shaped, potential, plain):
            env.reset(seed=seed)
        over = False
        while not over:
            got = [env.step(GIVE) for env in (margin, part, shaped, potential, plain)]
            over = got[0][2]
            assert got[0][1] == pytest.approx(got[1][1])
            assert got[2][1] == pytest.approx(got[3][1] + got[4][1])


# stable-baselines3 ----------------------------------------------------------------------------
def sb3_env(rows, **options):
    pytest.importorskip("stable_baselines3")
    from azul_duel_env.envs.sb3 import SB3VecEnv

    return SB3VecEnv(Batch.make(GAME, rows, autoreset="same_step", **options))


@pytest.mark.slow
def test_maskable_ppo_learns_among_three():
    algorithm = pytest.importorskip("sb3_contrib").MaskablePPO
    env = sb3_env(16, opponents=["random", "greedy"], reward="rank")
    env.seed(1)
    model = algorithm("MlpPolicy", env, n_steps=16, batch_size=64, seed=1, device="cpu", learning_rate=3e-3)
    model.learn(scaled(8192, 512))
    wins = []
    for name, choose in (
        ("model", lambda o, m: model.predict(o, action_masks=m)[0]),
        ("random", lambda o, _: np.random.default_rng(len(o)).integers(2, size=len(o))),
    ):
        env.seed(2)
        observations, ended = env.reset(), []
        while len(ended) < 200:
            observations, _, dones, infos = env.step(choose(observations, env.action_masks()))
            ended += [infos[i] for i in np.flatnonzero(dones)]
        assert {info["rank"] for info in ended} <= {1, 2, 3}, name
        wins.append(np.mean([info["win"] for info in ended]))
    if scaled(100) == 100:
        assert wins[0] > wins[1]


def test_infos_of_an_end_among_three():
    env, seen = sb3_env(8, opponent="random"), set()
    env.seed(5)
    env.reset()
    for _ in range(scaled(200, 60)):
        before = env.batch.states.copy()
        assert len(before) == 8
        _, rewards, dones, infos = env.step(np.full(8, TAKE))
        for i in np.flatnonzero(dones):
            info, row = infos[i], env.batch.rows[i]
            scores = row["final_scores"].tolist()
            first = scores.count(max(scores))
            assert info["rank"] == 1 + sum(s > info["score"] for s in scores)
            assert info["win"] == (1 / first if info["rank"] == 1 else 0)
            assert info["is_success"] is (info["win"] == 1)
            assert info["opponent_score"] == max(s for k, s in enumerate(scores) if k != info["seat"])
            assert rewards[i] == pytest.approx(worth(scores)[info["seat"]])
            seen.add(info["win"])
    assert seen >= {0, 0.5, 1}
    cut = sb3_env(2, opponent="random", max_episode_steps=1)
    cut.reset()
    *_, dones, infos = cut.step([TAKE, TAKE])
    assert dones.all()
    assert [(info["win"], info["rank"], info["is_success"]) for info in infos] == [(1 / 3, 0, False)] * 2


# Self-play ------------------------------------------------------------------------------------
@pytest.mark.parametrize("reward", [*REWARDS, ALL_PARTS], ids=str)
def test_self_play_rewards_all_three_seats(reward):
    rows = scaled(20, 4)
    games, rng = SelfPlayBatch(GAME, rows, reward=reward), np.random.default_rng(1)
    games.reset(seed=3)
    positions = [GAME.new(3 + row) for row in range(rows)]
    sums = np.zeros((rows, 3))
    starts = [margins([float(evaluate(p.states, 0, seat)) for seat in SEATS]) for p in positions]
    for _ in range(rules.MAX_DECISIONS):
        assert games.player.tolist() == [position.player for position in positions]
        actions = rng.integers(2, size=rows)
        for position, action in zip(positions, actions, strict=True):
            position.step(int(action))
        step = games.step(actions)
        sums += step.rewards
        np.testing.assert_allclose(step.rewards.sum(axis=1), 0, atol=1e-12)
        assert not step.ranks[~step.over].any()
    assert step.over.all()
    weights = reward if isinstance(reward, dict) else {reward: 1.0}
    for row, position in enumerate(positions):
        scores = position.scores
        parts = {
            "win_loss": worth(scores),
            "score_margin": margins(scores),
            "score_delta": margins(scores),
            "potential": [-start for start in starts[row]],
            "rank": worth_of_ranks(scores),
        }
        expected = sum(weight * np.array(parts[name]) for name, weight in weights.items())
        np.testing.assert_allclose(sums[row], expected, atol=1e-9)
        assert tuple(step.scores[row]) == scores
        assert step.winner[row] == position.winner
        assert tuple(step.ranks[row]) == position.ranks


def test_self_play_loses_and_fines_for_the_others_alike():
    for how, rewards, over, ranks in (
        ("lose", [0.5, -1, 0.5], True, [1, 3, 1]),
        ("penalty", [0.1, -0.2, 0.1], False, [0, 0, 0]),
    ):
        games = SelfPlayBatch(GAME, 2, illegal_action=how, illegal_penalty=0.2)
        games.reset(seed=1)
        games.step([TAKE, TAKE])
        step = games.step([7, TAKE])
        np.testing.assert_allclose(step.rewards, [rewards, [0, 0, 0]])
        assert step.over.tolist() == [over, False]
        assert step.winner.tolist() == [NOBODY, NOBODY]
        assert step.ranks.tolist() == [ranks, [0, 0, 0]]


def test_a_masked_step_tells_of_the_other_rows_nothing():
    games = SelfPlayBatch(GAME, 2, autoreset=False)
    games.reset(seed=1)
    for _ in range(rules.MAX_DECISIONS):
        step = games.step([TAKE, TAKE], np.array([True, False]))
    assert step.over.tolist() == [True, False]
    assert step.ranks[0].min() == 1
    assert not step.ranks[1].any()
    assert not step.rewards[1].any()
    assert games.player.tolist() == [NOBODY, 0]


# The number of players ------------------------------------------------------------------------
def test_the_number_of_players_chooses_the_game():
    assert GAME.of({}) is GAME.of({"num_players": 3}) is GAME.of({"num_players": None}) is GAME
    assert (SEVERAL.player_counts, GAME.player_counts, DUEL.player_counts) == ((2, 3), (3,), (2,))
    assert SEVERAL.of({"num_players": 2}) is TWO
    assert SEVERAL.of({"num_players": np.int64(3), "other": 1}) is SEVERAL
    assert SEVERAL.new(1, num_players=2) == TWO.new(1)
    assert find_game(DUEL.id, 2) is find_game(DUEL.id) is DUEL
    for wrong in (1, 4, "2", 2.0, True, 0, -2):
        with pytest.raises(ValueError, match=f"num_players must be 2 or 3 in Dice, not {wrong!r}"):
            SEVERAL.of({"num_players": wrong})
    with pytest.raises(ValueError, match="num_players must be 2 in Azul Duel, not 3"):
        find_game(DUEL.id, 3)
    with pytest.raises(ValueError, match="for 3 players: take game.of"):
        SEVERAL.make_options(num_players=2)
    assert SEVERAL.make_options(num_players=3) == GAME.make_options()


@pytest.mark.parametrize("players", [2, 3])
def test_every_environment_takes_the_number_of_players(players):
    actions, size = (DUEL.num_actions, DUEL.observation_size) if players == 2 else (2, GAME.observation_size)
    how = {"num_players": players}
    aec = SeveralAECEnv(**how)
    assert aec.possible_agents == [f"player_{seat}" for seat in range(players)]
    assert aec.action_space("player_0").n == actions
    aec.reset(seed=1)
    assert aec.observe("player_1")["observation"].shape == (size,)
    for env in (SeveralEnv(opponent="random", **how), SeveralVectorEnv(3, opponent="random", **how)):
        env.reset(seed=1)
        assert env.batch.states["scores"].shape[1] == players
        assert env.observation_space.shape[-1] == size
        assert pickle.loads(pickle.dumps(env)).game is SEVERAL.of(how)
    games = SelfPlayBatch(SEVERAL, 2, **how)
    games.reset(seed=1)
    assert games.step(games.sample_actions()).ranks.shape == (2, players)
    batch = Batch.make(SEVERAL, 2, opponent=SELF_PLAY, **how)
    assert batch.game is SEVERAL.of(how)
    assert (SeveralEnv.game, SeveralVectorEnv.game, SeveralAECEnv.game) == (SEVERAL,) * 3
    for made in (aec, SeveralEnv(**how)):
        with pytest.raises(ValueError, match="num_players.* fixed when the environment is made"):
            made.reset(options={"num_players": 2})


def test_azul_duel_is_for_two_at_every_border():
    pytest.importorskip("stable_baselines3")
    from azul_duel_env.envs.sb3 import make_sb3_vec

    name = "azul_duel_env:azul/Duel-v0"
    borders = [
        duel_v0.env,
        lambda **options: duel_v0.self_play(1, **options),
        lambda **options: make_sb3_vec(1, **options),
        lambda **options: gymnasium.make(name, **options),
        lambda **options: gymnasium.make_vec(name, 1, **options),
        lambda **options: DUEL.new(1, **options),
    ]
    for make in borders:
        with pytest.raises(ValueError, match="num_players must be 2 in Azul Duel, not 3"):
            make(num_players=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert make(num_players=2) is not None


def test_a_game_of_several_numbers_survives_pickling():
    assert pickle.loads(pickle.dumps(SEVERAL)) is SEVERAL
    assert pickle.loads(pickle.dumps(SEVERAL.new(1, num_players=2))).game is TWO
    assert copy.deepcopy(SEVERAL) is SEVERAL


# The search -----------------------------------------------------------------------------------
def test_a_search_of_three_goes_by_the_value_of_who_decides():
    """At the last decision of a game a value is what the game then is worth for who decides, and not its negative for the others."""
    seen = set()
    for seed in range(12):
        position = GAME.new(seed=seed)
        while position.decisions < GAME.max_decisions - 1:
            position.step((seed + position.decisions) % 2)
        mover, found = position.player, search(position, 40)
        for action, value in zip(found.actions.tolist(), found.values, strict=True):
            after = position.copy()
            after.step(action)
            margin = after.scores[mover] - np.mean([after.scores[other] for other in range(3) if other != mover])
            assert value == pytest.approx(WIN * after.returns[mover] + (1 - WIN) * np.tanh(margin / SCALE))
            seen.add(after.returns[mover])
        assert found.best == found.actions[np.argmax(found.values)]
    assert seen >= {1.0, -0.5}


def test_bounds_of_utility_are_reached():
    worth = {value for seed in range(40) for value in played_out(seed).returns}
    assert (min(worth), max(worth)) == GAME.utility_bounds == (-0.5, 1.0)


def played_out(seed):
    position, rng = GAME.new(seed=seed), np.random.default_rng(seed)
    while not position.over:
        position.step(int(rng.choice(position.legal_actions())))
    return position
