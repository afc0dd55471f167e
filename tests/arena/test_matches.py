"""Matches: paired, deterministic whatever the number of processes; and the agents in them."""

from __future__ import annotations

import numpy as np
import pytest
from sizes import scaled

from azul_duel_env.agents import AgentError, agents_of, make_agent
from azul_duel_env.arena import GameResult, line_ups, play_game, play_match, seeds_of_match, summarise, wilson_interval
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.actions import DOME_DRAW
from azul_duel_env.games.duel.components import CONDITIONS
from azul_duel_env.games.duel.state import DRAWING
from azul_duel_env.jit import COMPILED
from azul_duel_env.jit.rng import keys_from_seed

SPECS = [spec.replace(":N", ":2") for spec in agents_of(GAME) if COMPILED or ":" not in spec]
"""One spec of each agent; a search is too slow uncompiled, and has tests of its own."""


def test_pairs_play_one_seed_with_both_seatings():
    pairs = scaled(3)
    results = list(play_match(GAME, ["random", "greedy"], 2 * pairs, 1))
    assert [r.agents for r in results] == [("random", "greedy"), ("greedy", "random")] * pairs
    assert [r.seed for r in results[::2]] == [r.seed for r in results[1::2]] == seeds_of_match(1, pairs)


def test_the_result_does_not_depend_on_processes():
    agents, games = ["random", "greedy" if COMPILED else "random"], 20 if COMPILED else 10
    one = list(play_match(GAME, agents, games, 3, jobs=1))
    two = list(play_match(GAME, agents, games, 3, jobs=2))
    assert one == two
    assert len(one) == games
    assert one[0] != next(play_match(GAME, agents, games, 4))


def test_an_agent_against_itself_plays_each_seed_once():
    results = list(play_match(GAME, ["random", "random"], 4, 1))
    assert len({r.seed for r in results}) == 4
    assert line_ups(["random"], 2) == [("random", "random")]
    assert line_ups(["a", "b", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_greedy_beats_random_at_least_99_times_in_100():
    games = max(2, scaled(200) // 2 * 2)
    summary = summarise(["greedy", "random"], list(play_match(GAME, ["greedy", "random"], games, 1)))
    assert summary.wins >= 0.99 * summary.games


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scoring_tiles": 4, "zero_point_draw": "forced_only", "special_counts_as_colour": False},
        *({"scoring_tiles": (CONDITIONS[i], CONDITIONS[(i + 1) % 4], CONDITIONS[(i + 6) % 8])} for i in range(4)),
    ],
)
def test_agents_choose_legal_actions_by_the_key_alone_and_change_nothing(spec, options):
    agent = make_agent(GAME, spec)
    for seed in range(scaled(3)):
        position = GAME.new(seed, **options)
        for key in keys_from_seed(seed, 400 if COMPILED else 8):
            if position.over:
                break
            before = position.states.tobytes()
            action = agent.act(position, key)
            assert position.states.tobytes() == before
            assert action == agent.act(position, key)
            position.step(action)
        assert position.over or not COMPILED


@pytest.mark.parametrize("spec", SPECS)
def test_agents_do_not_see_what_is_hidden(spec):
    agent = make_agent(GAME, spec)
    rng = np.random.default_rng(0)
    for seed in range(scaled(6)):
        position = GAME.new(seed)
        while not position.over and (COMPILED or position.decisions < 40):
            key = rng.integers(2**64, dtype=np.uint64)
            twin = position.resampled(position.player, int(rng.integers(2**31)))
            assert agent.act(position, key) == agent.act(twin, key)
            position.step(int(rng.choice(position.legal_actions())))


def test_random_draws_every_legal_action_alike():
    position = GAME.new(1)
    agent = make_agent(GAME, "random")
    keys = keys_from_seed(0, max(scaled(20000), 2000))
    counts = np.bincount([agent.act(position, key) for key in keys], minlength=400)
    legal = position.legal_actions()
    assert counts.sum() == counts[legal].sum()
    from scipy.stats import chisquare

    assert chisquare(counts[legal]).pvalue > 0.001


def test_mistakes_are_named_before_anything_is_played():
    with pytest.raises(AgentError, match="did you mean 'greedy'"):
        play_match(GAME, ["random", "greddy"], 2, 1)
    with pytest.raises(ValueError, match="multiple of 2"):
        play_match(GAME, ["random", "greedy"], 3, 1)
    with pytest.raises(ValueError, match="unknown option"):
        play_match(GAME, ["random", "greedy"], 2, 1, {"tiles": 3})
    with pytest.raises(ValueError, match="takes 2 agents"):
        play_game(GAME, ["random"], 1)
    with pytest.raises(ValueError, match="once in a tournament"):
        line_ups(["random", "random", "greedy"], 2)
    with pytest.raises(ValueError, match="at least one"):
        line_ups([], 2)
    with pytest.raises(ValueError, match="nothing to summarise"):
        summarise(["random", "greedy"], [])


def result(agents, seed, scores, winner) -> GameResult:
    return GameResult(agents, seed, scores, winner, 100, ())


def test_summary_counts_from_the_first_agents_side():
    a, b = ("x", "y"), ("y", "x")
    results = [result(a, 1, (30, 10), 0), result(b, 1, (20, 40), 1), result(a, 2, (5, 5), -1), result(b, 2, (9, 4), 0)]
    summary = summarise(["x", "y"], results)
    assert (summary.wins, summary.draws, summary.losses) == (2, 1, 1)
    assert summary.win_rate == 0.625
    assert summary.score_mean == (30 + 40 + 5 + 4) / 4
    assert summary.opponent_score_mean == (10 + 20 + 5 + 9) / 4
    assert summary.margin_mean == (20 + 20 + 0 - 5) / 4
    assert summary.first_seat_win_rate == 2.5 / 4
    assert summary.margin_low < summary.margin_mean < summary.margin_high
    assert summarise(["x", "y"], results[::-1]).as_dict() == pytest.approx(summary.as_dict())
    assert summarise(["y", "x"], results).win_rate == 0.375
    assert summarise(["x", "y"], results[:2]).margin_low is None


def test_wilson_interval_against_published_values():
    low, high = wilson_interval(0.9, 10)  # Brown, Cai and DasGupta's form; checked with scipy
    from scipy.stats import binomtest

    expected = binomtest(9, 10).proportion_ci(0.95, "wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high))
    assert wilson_interval(0.0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("spec", SPECS)
def test_agents_do_not_look_at_drawn_dome_tiles_before_they_stop(spec):
    """Where a stack holds what the other player put back, the state knows fronts that the drawer does not."""
    agent = make_agent(GAME, spec)
    rng = np.random.default_rng(1)
    asked = 0
    for seed in range(scaled(6 if "mcts" in spec else 30, least=1)):
        position = GAME.new(seed)
        while not position.over:
            legal = position.legal_actions()
            if (
                position.states["stage"][0] == DRAWING
                and (position.states["put_back_by"][0] == 1 - position.player).any()
            ):
                asked += 1
                for key in keys_from_seed(asked, 3):
                    others = {agent.act(position.resampled(position.player, number), key) for number in range(6)}
                    assert others == {agent.act(position, key)}
            draws = DOME_DRAW in legal and rng.random() < 0.7
            position.step(int(DOME_DRAW) if draws else int(rng.choice(legal)))
    assert asked > 4 or not COMPILED


def test_an_agent_is_not_asked_where_no_player_decides():
    position = GAME.new(1, explicit_chance=True)
    with pytest.raises(ValueError, match="nothing to decide"):
        make_agent(GAME, "random").act(position, np.uint64(1))


def test_explicit_chance_plays_the_same_match():
    one = play_game(GAME, ["random", "random"], 5)
    two = play_game(GAME, ["random", "random"], 5, {"explicit_chance": True})
    assert one == two
