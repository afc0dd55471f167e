"""The agent mcts: legal everywhere, repeatable, honest about what is hidden, and strong; and as an opponent in the environments."""

from __future__ import annotations

import copy
import json
import pickle
import time

import numpy as np
import pytest
from azul_duel_env.games.duel.kernels.search import MAX_LEGAL, NODE, most_visited
from gymnasium.vector import SyncVectorEnv
from lone_row import LoneRow, at_random
from networks import contents, written
from places import GOLDEN, HIDDEN
from searches import FEW, KEY, last_tiling_decisions, last_tilings, late, outcomes, same
from sizes import scaled
from walks import positions
from worlds import hidden_places, hidden_tiles, with_hidden, worlds

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.agents.network import read_network
from azul_duel_env.agents.search import LEAVES, ROOT, Search, search
from azul_duel_env.agents.tree_search import children_of
from azul_duel_env.arena import play_match, summarise
from azul_duel_env.duel_v0 import DuelEnv, DuelVectorEnv
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.state import COLUMN, DRAWING, KEEPING, OPENING, ORDERING, PAYING, PLACING, RETURNING, TURN
from azul_duel_env.jit import COMPILED

pytestmark = pytest.mark.long_uncompiled

GAME_BEFORE = GOLDEN / "search.jsonl"
ASKED = (OPENING, TURN, DRAWING, KEEPING, RETURNING, PLACING, ORDERING, COLUMN, PAYING)


# What comes out -------------------------------------------------------------------------------
def test_every_kind_of_decision_is_answered_legally_and_the_same_again():
    """In all variants, and nothing about the position changes."""
    left = dict.fromkeys(ASKED, scaled(10, least=1))
    for position in positions(10**6, first_seed=500):
        stage = -1 if position.over else int(position.states["stage"][0])
        if left.get(stage, 0) == 0:
            continue
        left[stage] -= 1
        before = position.states.tobytes()
        found = search(position, FEW, 7)
        assert position.states.tobytes() == before
        assert same(found, search(position, FEW, 7))
        assert found.best in position.legal_actions()
        if not any(left.values()) or (not COMPILED and sum(left.values()) <= 5):
            break


def test_a_result_adds_up():
    for position in late(scaled(20, least=2)):
        found = search(position, 4 * FEW)
        assert found.simulations == 4 * FEW == found.visits.sum()
        assert np.array_equal(found.actions, position.legal_actions())
        assert found.actions.dtype == np.int16
        assert found.priors.sum() == pytest.approx(1, abs=1e-5)
        tried = found.visits > 0
        assert np.isnan(found.values[~tried]).all()
        assert (np.abs(found.values[tried]) <= 1).all()
        assert found.visits[list(found.actions).index(found.best)] == found.visits.max()
        assert found.variation[0] == found.best
        assert (found.best, found.variation) == (int(found.best), tuple(map(int, found.variation)))


def test_other_words_search_otherwise():
    if not COMPILED:
        pytest.skip("nothing is drawn after the last tilings")
    for position in late(1, first_seed=40):
        found = [search(position, 8 * FEW, key).values.tobytes() for key in range(6)]
        assert len(set(found)) > 1


def test_a_policy_takes_the_action_that_the_result_calls_best():
    policy = Search(GAME, FEW)
    for position in late(scaled(40, least=1), first_seed=70):
        states = np.concatenate([GAME.new(1).states, position.states])
        assert policy(states, 1, KEY) == search(position, FEW, int(KEY)).best


def test_memory_that_runs_out_ends_the_growth_and_not_the_search():
    for position in late(scaled(10, least=1), first_seed=90):
        small = Search(GAME, 20 * FEW)
        small._nodes = np.zeros(MAX_LEGAL + 20, NODE)
        found = small.run(position.states, 0, KEY)
        assert found.visits.sum() == 20 * FEW
        assert small._trees["used"][0] <= len(small._nodes)
        assert found.best in position.legal_actions()


def test_a_search_can_be_copied_and_pickled():
    position = next(late(1))
    policy = Search(GAME, FEW, leaf="random")
    for other in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert same(other.run(position.states, 0, KEY), policy.run(position.states, 0, KEY))
        assert other.leaf == "random"


@pytest.mark.parametrize("leaf", LEAVES)
def test_milliseconds_are_spent(leaf, tmp_path):
    position = next(late(1))
    network = read_network(written(tmp_path / "tiny.npz", *contents())) if leaf == "network" else None
    policy = Search(GAME, milliseconds=20, leaf=leaf, network=network)
    policy.run(position.states, 0, KEY)
    start = time.perf_counter()
    found = policy.run(position.states, 0, KEY)
    assert time.perf_counter() - start >= 0.02
    assert found.simulations >= 16
    assert found.simulations > 16 or not COMPILED


def test_a_search_may_have_to_begin_with_an_action():
    for position in late(scaled(20, least=1), first_seed=110):
        for first in position.legal_actions()[:3].tolist():
            found = search(position, FEW, 3, first)
            at = list(found.actions).index(first)
            assert found.visits[at] == found.visits.sum() == FEW
            assert np.isnan(np.delete(found.values, at)).all()
            assert found.best == found.variation[0] == first
            assert found.root_values[position.player] == found.values[at]
            assert found.root_values.sum() == pytest.approx(0)
    with pytest.raises(ValueError, match="can't begin with action 999"):
        search(position, FEW, first=999)
    assert same(search(position, FEW, 3), search(position, FEW, 3))


def test_the_margin_is_in_points():
    """With a single way to the end, it is that of the score."""
    for position in last_tiling_decisions(scaled(20, least=2)):
        for first in position.legal_actions().tolist():
            after = position.copy()
            after.step(first)
            ends = {
                points[position.player] - points[1 - position.player] for points in outcomes(after, position.player)
            }
            found = search(position, FEW, first=first)
            assert min(ends) <= found.margin <= max(ends)


def test_where_nobody_decides_there_is_nothing_to_search():
    position = GAME.new(1, explicit_chance=True)
    with pytest.raises(ValueError, match="nothing to search"):
        search(position, 10)
    with pytest.raises(ValueError, match="nothing to decide"):
        make_agent(GAME, "mcts:1").act(position, KEY)


# Specs ----------------------------------------------------------------------------------------
def test_specs_give_budgets():
    assert make_agent(GAME, "mcts:7").policy.simulations == 7
    timed = make_agent(GAME, "mcts:200ms").policy
    assert (timed.simulations, timed.milliseconds) == (None, 200)


@pytest.mark.parametrize(
    "spec", ["mcts:0", "mcts:abc", "mcts:", "mcts:-3", "mcts:1.5", "mcts:0ms", "mcts:10s", "mcts:٣"]
)
def test_a_wrong_budget_is_named(spec):
    with pytest.raises(AgentError, match=r"mcts:400.*mcts:200ms"):
        make_agent(GAME, spec)


@pytest.mark.parametrize(
    ("spec", "meant"), [("mcts", "mcts:N"), ("mtcs:40", "mcts:40"), ("mct:9ms", "mcts:9ms"), ("greddy", "greedy")]
)
def test_what_may_have_been_meant(spec, meant):
    with pytest.raises(AgentError, match=f"has random, greedy, .*mcts:N.*; did you mean '{meant}'"):
        make_agent(GAME, spec)


def test_wrong_settings_are_named():
    for settings in ({}, {"simulations": 1, "milliseconds": 1}):
        with pytest.raises(ValueError, match="one of them"):
            Search(GAME, **settings)
    with pytest.raises(ValueError, match="at least 1"):
        Search(GAME, milliseconds=0)
    with pytest.raises(ValueError, match="greedy, random, network"):
        Search(GAME, 1, leaf="static")


# Honesty --------------------------------------------------------------------------------------
def test_a_search_sees_nothing_of_what_its_player_does_not_know():
    """All states that the player can't tell apart, found without ``knowledge``, give the same search."""
    compared, simulations = 0, 4 * FEW if COMPILED else FEW
    for path in HIDDEN:
        position, viewer = GAME.read_position(path.read_text()), int(path.stem[-1])
        if position.player != viewer:
            continue
        found = search(position, simulations)
        possible = [tiles for tiles in worlds(position, viewer) if tiles != hidden_tiles(position, viewer)]
        for tiles in possible[: scaled(8, least=8 if COMPILED else 1)]:
            other = with_hidden(position, viewer, tiles).reseeded(compared)
            assert same(found, search(other, simulations)), path.stem
            compared += 1
    assert compared > (20 if COMPILED else 2)


def test_hidden_tiles_of_random_games_do_not_change_the_search():
    left = scaled(120, least=1)
    for position in positions(10**7, first_seed=6200):
        if position.over or not hidden_places(position, position.player):
            continue
        twin = position.resampled(position.player, left)
        assert same(search(position, FEW, left), search(twin, FEW, left)), position.to_text()
        left -= 1
        if left == 0:
            break


def test_how_draws_happen_does_not_change_the_search():
    """Neither the generator nor explicit chance: inside the search chance draws by itself."""
    for position in late(scaled(30, least=1), first_seed=60, explicit_chance=True):
        other = position.reseeded(5)
        other.states["explicit_chance"] = 0
        assert same(search(position, FEW), search(other, FEW))


# Strength -------------------------------------------------------------------------------------
def test_the_only_winning_action_is_found():
    for position, winning, least, second in last_tilings(scaled(8, least=1)):
        other, between = 1 - position.player, (least + second) // 2
        gained = outcomes(position, position.player).pop()[other] - position.scores[other]  # by his scoring tiles
        position.states["scores"][0, other] = between - gained
        if {scores[other] for scores in outcomes(position, position.player)} != {between}:
            continue  # less than nothing
        found = search(position, 60)
        assert found.best == winning, position.to_text()
        assert found.values[list(found.actions).index(winning)] > 0


def test_the_other_player_is_expected_to_choose_against_the_one_who_searches():
    """The reply visited most is worse for the player who searches than replies are on average."""
    if not COMPILED:
        pytest.skip("too slow in this lane")
    policy, gaps = Search(GAME, 300), []
    for position in late(scaled(60, least=20), first_seed=20):
        found, after = policy.run(position.states, 0, KEY), position.copy()
        after.step(found.best)
        if after.player != 1 - position.player:
            continue
        replies = [node for node in children_of(policy._nodes, most_visited(policy._nodes, ROOT)) if node.visits > 0]
        if len(replies) > 1:
            likeliest = max(replies, key=lambda node: node.visits)
            seat = position.player
            mean = np.mean([node.totals[seat] / node.visits for node in replies])
            gaps.append(likeliest.totals[seat] / likeliest.visits - mean)
    assert len(gaps) > 5
    assert np.mean(gaps) < 0


def test_it_beats_random_always_and_greedy_mostly():
    games = scaled(10, least=0) // 2 * 2
    if games == 0:
        pytest.skip("too slow in this lane")
    assert summarise(["mcts:20", "random"], list(play_match(GAME, ["mcts:20", "random"], games, 1))).wins == games
    summary = summarise(["mcts:60", "greedy"], list(play_match(GAME, ["mcts:60", "greedy"], 2 * games, 1)))
    assert summary.win_rate > 0.7


# In the environments --------------------------------------------------------------------------
@pytest.mark.parametrize("options", [{}, {"placement": "split", "drawing": "once"}])
def test_an_opponent_that_searches_plays_in_every_row_as_in_a_plain_loop(options):
    if not COMPILED:
        pytest.skip("too slow in this lane")
    rows, pool = 3, ["mcts:3", "random", "mcts:5"]
    ours = DuelVectorEnv(rows, opponent=pool, **options)
    theirs = SyncVectorEnv([lambda: LoneRow(pool, **options)] * rows)
    (observations, infos), (expected, _) = ours.reset(seed=4), theirs.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(scaled(100)):
        np.testing.assert_array_equal(observations, expected)
        actions = at_random(infos["action_mask"], rng)
        observations, rewards, terminated, _, infos = ours.step(actions)
        expected, their_rewards, their_terminated, _, _ = theirs.step(actions)
        np.testing.assert_array_equal(rewards, their_rewards)
        np.testing.assert_array_equal(terminated, their_terminated)
    assert np.unique(ours.batch.rows["opponents"].max(axis=1)).size > 1
    theirs.close()
    ours.close()


def test_a_single_environment_takes_one_and_names_a_wrong_one():
    env = DuelEnv(opponent="random", seat=0)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"mcts takes a number"):
        env.set_opponent("mcts:none")
    with pytest.raises(ValueError, match=r"network\+mcts:N, sb3:PATH.*did you mean 'mcts:5'"):
        env.set_opponent("mtcs:5")
    env.set_opponent("mcts:1")
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(scaled(8, least=1)):
        mask = env.action_masks()
        first = env.step(int(mask.argmax()))
        second = twin.step(int(mask.argmax()))
        np.testing.assert_array_equal(first[0], second[0])


# The same tree as ever ------------------------------------------------------------------------
SIMULATIONS = {"greedy": 80, "random": 30}


def game_of_golden(seed):
    """Yield the positions of the game in which the golden searches were run, with the number of decisions before each."""
    random, greedy = make_agent(GAME, "random"), make_agent(GAME, "greedy")
    position, step = GAME.new(seed=seed), 0
    while not position.over:
        yield step, position
        agent = random if step % 5 == 0 else greedy
        position.step(agent.act(position, np.uint64(1000 * seed + step)))
        step += 1


@pytest.mark.skipif(not COMPILED, reason="thousands of simulations")
@pytest.mark.parametrize("seed", [0, 3])
def test_between_two_players_the_tree_is_that_of_one_value(seed):
    """Each node has a value for each seat; the golden visits are of the search that had one value, of who searches."""
    golden = [json.loads(line) for line in GAME_BEFORE.read_text(encoding="utf-8").splitlines()]
    due = {(line["step"], line["leaf"]): line for line in golden if line["seed"] == seed}
    for step, position in game_of_golden(seed):
        for leaf, simulations in SIMULATIONS.items():
            if (step, leaf) in due:
                expected = due.pop((step, leaf))
                found = Search(GAME, simulations, leaf=leaf).run(position.states, 0, np.uint64(seed + 1))
                visits = {str(a): v for a, v in zip(found.actions.tolist(), found.visits.tolist(), strict=True) if v}
                assert visits == expected["visits"]
                assert found.variation[0] == expected["variation"][0] == found.best
    assert not due
