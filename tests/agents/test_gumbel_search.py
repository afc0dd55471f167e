"""Search with a fast network, and self-play: repeatable, honest about what is hidden, right where all can be worked out, for any seats."""

from __future__ import annotations

import copy
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from dice import at_the_last_round, expected_returns
from fast_networks import decisions, network, trained, written
from places import HIDDEN
from searches import KEY, last_tiling_decisions, last_tilings, late, outcomes
from sizes import scaled
from toy_game import GAME as TOY
from toy_game import rules as toy_rules
from walks import positions
from worlds import hidden_places, hidden_tiles, with_hidden, worlds

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.gumbel_search import GumbelSearch
from azul_duel_env.agents.network import network_file, read_network
from azul_duel_env.agents.search import Search, SearchCalledOffError, search
from azul_duel_env.game import NOBODY, Position
from azul_duel_env.games import find_game, ids
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED

pytestmark = pytest.mark.long_uncompiled

FEW = 16 if COMPILED else 6
GAMES = pytest.mark.parametrize(
    "game", [pytest.param(GAME, id="duel", marks=pytest.mark.slow), pytest.param(TOY, id="toy")]
)


def blank(game, win_share=1.0):
    """A network that thinks everything alike."""
    found = network(game, win_share)
    for array in found[:-1]:
        array[:] = 0
    return TrainedFastNetwork(game, Path("memory"), {}, found)


def same(one, two) -> bool:
    arrays = ("actions", "visits", "values", "priors", "policy", "root_values")
    alike = all(np.array_equal(getattr(one, name), getattr(two, name), equal_nan=True) for name in arrays)
    rest = ("best", "variation", "simulations", "margin")
    return alike and all(getattr(one, name) == getattr(two, name) for name in rest)


# What comes out -------------------------------------------------------------------------------
@GAMES
def test_a_result_adds_up_and_repeats(game):
    policy = GumbelSearch(trained(game), FEW)
    for position in decisions(game, scaled(40, least=3)):
        before = position.states.tobytes()
        found = policy.run(position.states, 0, KEY)
        assert position.states.tobytes() == before
        assert same(found, policy.run(position.states, 0, KEY))
        np.testing.assert_array_equal(found.actions, position.legal_actions())
        assert found.simulations == FEW == found.visits.sum()
        assert found.priors.sum() == pytest.approx(1, abs=1e-5)
        assert found.policy.sum() == pytest.approx(1)
        assert (found.policy >= 0).all()
        tried = found.visits > 0
        assert np.isnan(found.values[~tried]).all()
        assert (np.abs(found.values[tried]) <= 1).all()
        assert (np.abs(found.root_values) <= 1).all()
        if game is GAME:
            assert found.root_values.sum() == pytest.approx(0)
        assert found.variation[0] == found.best
        if len(found.actions) > 1:
            assert policy(position.states, 0, KEY) == found.best


@pytest.mark.slow
def test_the_margin_is_in_points():
    """With a single way to the end, it is that of the score."""
    policy = GumbelSearch(trained(GAME), FEW)
    for position in last_tiling_decisions(scaled(20, least=2)):
        for first in position.legal_actions().tolist():
            after = position.copy()
            after.step(first)
            ends = {
                points[position.player] - points[1 - position.player] for points in outcomes(after, position.player)
            }
            found = policy.run(position.states, 0, KEY, first)
            assert min(ends) <= found.margin <= max(ends)


@pytest.mark.slow
def test_the_root_is_worth_what_the_action_is_that_all_simulations_begin_with():
    for game in (GAME, TOY):
        policy = GumbelSearch(trained(game), FEW)
        for position in decisions(game, scaled(10, least=2)):
            first = int(position.legal_actions()[-1])
            found = policy.run(position.states, 0, KEY, first)
            assert found.root_values[position.player] == found.values[-1]


def test_other_keys_search_otherwise():
    position = TOY.new(3)
    policy = GumbelSearch(trained(TOY), FEW)
    assert len({policy.run(position.states, 0, np.uint64(key)).values.tobytes() for key in range(6)}) > 1


def test_the_policy_moves_to_what_was_found_good():
    """The improved policy expects no less than the priors do: that is what it is for."""
    for position in decisions(TOY, scaled(60, least=6)):
        found = GumbelSearch(blank(TOY), 4 * FEW, strength=1.0).run(position.states, 0, KEY)
        assert found.policy @ found.values >= found.priors @ found.values - 1e-9


@pytest.mark.slow
def test_sequential_halving_shares_the_simulations_out():
    """16 of many actions, 8, 4, 2: each phase has a quarter of the simulations."""
    position = next(one for one in decisions(GAME, 10**6) if len(one.legal_actions()) > 16)
    found = GumbelSearch(trained(GAME), 64, considered=16).run(position.states, 0, KEY)
    assert sorted(found.visits[found.visits > 0].tolist()) == [1] * 8 + [3] * 4 + [7] * 2 + [15] * 2
    assert found.visits[list(found.actions).index(found.best)] == 15


@pytest.mark.slow
def test_fewer_simulations_than_actions_go_to_the_best_priors():
    position = next(one for one in decisions(GAME, 10**6) if len(one.legal_actions()) > 16)
    found = GumbelSearch(trained(GAME), 3).run(position.states, 0, KEY)
    assert set(np.flatnonzero(found.visits)) == set(np.argsort(-found.priors, kind="stable")[:3])


@pytest.mark.slow
def test_memory_that_runs_out_ends_the_growth_and_not_the_search():
    for position in late(scaled(10, least=1), first_seed=90):
        small = GumbelSearch(trained(GAME), 20 * FEW)
        small._nodes = np.zeros(GAME.max_legal + 20, GAME.kernel("gumbel").NODE)
        found = small.run(position.states, 0, KEY)
        assert found.visits.sum() == 20 * FEW
        assert small._trees["used"][0] <= len(small._nodes)
        assert found.best in position.legal_actions()


def test_a_search_can_be_copied_and_pickled(tmp_path):
    position = next(late(1))
    policy = GumbelSearch(read_network(written(tmp_path / "tiny.npz", GAME)), FEW, considered=3, strength=0.5)
    for other in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert same(other.run(position.states, 0, KEY), policy.run(position.states, 0, KEY))
        assert (other.considered, other.strength) == (3, 0.5)


def test_milliseconds_are_spent():
    policy = GumbelSearch(trained(TOY), milliseconds=20)
    policy.run(TOY.new(1).states, 0, KEY)
    begun = time.perf_counter()
    found = policy.run(TOY.new(1).states, 0, KEY)
    assert time.perf_counter() - begun >= 0.02
    assert found.simulations >= 16


def test_a_search_may_have_to_begin_with_an_action():
    position = TOY.new(1)
    for first in (0, 1):
        found = search(position, FEW, 3, first, trained(TOY))
        assert (found.visits[first], found.visits.sum(), found.best) == (FEW, FEW, first)
    with pytest.raises(ValueError, match="can't begin with action 9"):
        search(position, FEW, first=9, network=trained(TOY))


def test_a_search_that_is_called_off_ends():
    policy = GumbelSearch(trained(TOY), FEW)
    policy.call_off()
    with pytest.raises(SearchCalledOffError):
        policy.run(TOY.new(1).states, 0, KEY)


def test_wrong_settings_are_named():
    for settings, message in (
        ({}, "one of them"),
        ({"simulations": 0}, "at least 1"),
        ({"simulations": 1, "considered": 0}, "considered must be at least 1"),
        ({"simulations": 1, "strength": 0.0}, "strength must be a number above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            GumbelSearch(trained(TOY), **settings)
    with pytest.raises(ValueError, match="expected a network of toy/dice-v0"):
        search(TOY.new(1), 4, network=trained(GAME))


def test_specs_name_the_file_after_the_budget(tmp_path, monkeypatch):
    file = written(tmp_path / "tiny.npz", GAME)
    policy = make_agent(GAME, f"network+mcts:7:{file}").policy
    assert (type(policy), policy.simulations, policy.network.path) == (GumbelSearch, 7, file)
    assert make_agent(GAME, f"network+mcts:20ms:{file}").policy.milliseconds == 20
    assert network_file(GAME, f"network+mcts:7:{file}") == file
    older = make_agent(GAME, f"network+mcts:7:{GAME.network}").policy
    assert (type(older), older.network.path) == (Search, GAME.network)
    monkeypatch.setitem(ids.GAMES, TOY.id, "toy_game")
    dice = written(tmp_path / "dice.npz", TOY)
    assert make_agent(TOY, f"network+mcts:{FEW}:{dice}").act(TOY.new(1), KEY) in (0, 1)
    for spec, message in (
        (f"network+mcts:0:{file}", "at least 1"),
        (f"network+mcts:7:{tmp_path / 'none.npz'}", "none.npz"),
        (f"network+mcts:7:{dice}", "plays toy/dice-v0 for 3 players, not azul/duel-v0"),
    ):
        with pytest.raises(AgentError, match=message):
            make_agent(GAME, spec)
    with pytest.raises(AgentError, match="no network comes with Dice"):
        make_agent(TOY, "network+mcts:7")


# Honesty --------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_search_sees_nothing_of_what_its_player_does_not_know():
    """All states that the player can't tell apart, found without ``knowledge``, give the same search."""
    policy, compared = GumbelSearch(trained(GAME), FEW), 0
    for path in HIDDEN:
        position, viewer = GAME.read_position(path.read_text()), int(path.stem[-1])
        if position.player != viewer:
            continue
        found = policy.run(position.states, 0, KEY)
        possible = [tiles for tiles in worlds(position, viewer) if tiles != hidden_tiles(position, viewer)]
        for tiles in possible[: scaled(8, least=8 if COMPILED else 1)]:
            other = with_hidden(position, viewer, tiles).reseeded(compared)
            assert same(found, policy.run(other.states, 0, KEY)), path.stem
            compared += 1
    assert compared > (20 if COMPILED else 2)


@pytest.mark.slow
def test_hidden_tiles_and_future_draws_do_not_change_the_search():
    policy, left = GumbelSearch(trained(GAME), FEW), scaled(80, least=1)
    for position in positions(10**7, first_seed=6200):
        if position.over or not hidden_places(position, position.player):
            continue
        twin = position.resampled(position.player, left)
        assert twin != position
        assert same(policy.run(position.states, 0, KEY), policy.run(twin.states, 0, KEY)), position.to_text()
        left -= 1
        if left == 0:
            break


@pytest.mark.slow
def test_the_mini_for_three_is_searched_and_what_is_drawn_does_not_matter():
    mini = find_game("pavilion_mini", 3)
    policy = GumbelSearch(trained(mini), FEW)
    for seed in range(scaled(10, least=1)):
        position = mini.new(seed)
        found = policy.run(position.states, 0, KEY)
        assert same(found, policy.run(position.reseeded(seed + 1).states, 0, KEY))
        assert found.policy.sum() == pytest.approx(1)
        assert found.root_values.shape == (3,)


# Strength -------------------------------------------------------------------------------------
@pytest.mark.slow
def test_the_only_winning_action_is_found():
    for position, winning, least, second in last_tilings(scaled(8, least=1)):
        other, between = 1 - position.player, (least + second) // 2
        gained = outcomes(position, position.player).pop()[other] - position.scores[other]
        position.states["scores"][0, other] = between - gained
        if {scores[other] for scores in outcomes(position, position.player)} != {between}:
            continue
        found = GumbelSearch(trained(GAME), 100).run(position.states, 0, KEY)
        assert found.best == winning, position.to_text()
        assert found.values[list(found.actions).index(winning)] > 0


def test_three_players_each_play_for_their_own():
    """In the last round of dice, where all can be worked out, with a network that knows nothing."""
    policy, compared = GumbelSearch(blank(TOY), 900 if COMPILED else 150), 0
    for seed in range(scaled(60, least=4)):
        position = at_the_last_round(seed, first=seed % 3)
        values = [expected_returns(position, (action,))[position.player] for action in (0, 1)]
        found = policy.run(position.states, 0, KEY)
        if abs(values[0] - values[1]) > 0.15:
            assert found.best == int(np.argmax(values)), (position.scores, values)
            assert found.values[found.best] == pytest.approx(max(values), abs=0.25)
            compared += 1
    assert compared > (5 if COMPILED else 0)


# What was found before ------------------------------------------------------------------------
def children_of(nodes, node):
    child, found = nodes["first_child"][node], []
    while child >= 0:
        found.append(int(child))
        child = nodes["next_sibling"][child]
    return found


def check_tree(policy, position):
    """Each node but the root has one parent, was visited at least as often as its children, and those of the root are what is legal."""
    nodes, used = policy._nodes, int(policy._trees["used"][0])
    parents = [child for node in range(used) for child in children_of(nodes, node)]
    assert sorted(parents) == list(range(1, used))
    for node in range(1, used):
        assert nodes["visits"][children_of(nodes, node)].sum() <= nodes["visits"][node]
        assert np.abs(nodes["totals"][node]).max() <= nodes["visits"][node] + 1e-9
    legal = position.legal_actions()
    np.testing.assert_array_equal(nodes["action"][1 : 1 + len(legal)], legal)


@pytest.mark.slow
def test_what_was_found_serves_the_next_decision_of_a_turn():
    """With ``reuse`` a root has the visits that its node had, and those of its own search; without it, those of its own."""
    fresh, policy = GumbelSearch(trained(GAME), 4 * FEW), GumbelSearch(trained(GAME), 4 * FEW, reuse=True)
    served = 0
    for seed in range(scaled(6, least=2)):
        position = GAME.new(seed)
        while position.player != NOBODY and position.decisions < 40:
            kept = policy._kept(position.states, 0)
            had = policy._nodes["visits"][kept] if kept >= 0 else 0
            action = policy(position.states, 0, np.uint64(position.decisions))
            if len(position.legal_actions()) > 1:
                check_tree(policy, position)
                visits = policy._nodes["visits"][1 : 1 + len(position.legal_actions())].sum()
                assert 4 * FEW <= visits <= 4 * FEW + had
                served += visits > 4 * FEW
                if kept < 0:
                    assert action == fresh(position.states, 0, np.uint64(position.decisions))
            position.step(action)
    assert served > 3


@pytest.mark.slow
def test_what_was_found_elsewhere_serves_nobody():
    policy = GumbelSearch(trained(GAME), FEW, reuse=True)
    position = next(one for one in decisions(GAME, 10**6) if len(one.legal_actions()) > 16)
    expected = policy(position.states, 0, KEY)
    policy(GAME.new(7).states, 0, KEY)
    assert policy(position.states, 0, KEY) == expected


@pytest.mark.slow
def test_self_play_may_reuse_what_was_found():
    alone, again, other = (self_play(GAME, 5, reuse=reuse, simulations=32) for reuse in (True, True, False))
    for one, two in zip(alone, again, strict=True):
        assert one.tobytes() == two.tobytes()
    assert alone[5].tobytes() != other[5].tobytes()


# Noise ----------------------------------------------------------------------------------------
def test_noise_and_temperature_change_games_and_what_is_learnt():
    plain = self_play(TOY, 5, noise=0.0)
    noisy, warm = self_play(TOY, 5, noise=0.0, dirichlet_share=0.5), self_play(TOY, 5, noise=0.0, temperature=1.0)
    assert noisy[4].tobytes() != plain[4].tobytes()
    assert warm[1].tobytes() != plain[1].tobytes()


# Self-play ------------------------------------------------------------------------------------
def self_play(
    game,
    key,
    noise=1.0,
    simulations=FEW,
    seed=1,
    dirichlet_share=0.0,
    temperature=0.0,
    reuse=False,
    decay=1.0,
    quick=FEW,
    learnt=True,
):
    """A game by ``play_game``: the finished state, and all that it wrote.

    Decisions for which ``learnt`` (one for all, or one each) is False are searched with ``quick`` simulations, without noise.
    """
    kernel, room = game.kernel("gumbel"), game.max_decisions
    states = game.new_states([seed])
    kept, counts = np.zeros(room, game.state), np.zeros(room, np.int16)
    actions, policies = np.zeros(room * game.max_legal, np.int16), np.zeros(room * game.max_legal, np.float32)
    searched, ends = (np.zeros((room, game.num_players), np.float32) for _ in range(2))
    nodes, trees = np.zeros(10_000, kernel.NODE), np.zeros(1, kernel.TREE)
    settings = kernel.Settings(simulations, 8, noise, 0.1, dirichlet_share, 0.3, temperature, reuse, decay)
    quickly = settings._replace(simulations=quick, noise=0.0)
    are_learnt = np.broadcast_to(learnt, room).copy()
    written = (kept, counts, actions, policies, searched, ends)
    decisions, entries = kernel.play_game(
        states, trees, nodes, network(game), np.uint64(key), settings, quickly, are_learnt, *written
    )
    counted = counts[:decisions]
    return (
        states,
        kept[:decisions],
        counted,
        actions[:entries],
        policies[:entries],
        searched[:decisions],
        ends[:decisions],
    )


def test_decisions_that_are_not_learnt_from_are_searched_quickly():
    """With one simulation the search thinks what the network thinks, mixed with one leaf; the decisions that are learnt from as before."""
    first_learnt = np.arange(TOY.max_decisions) == 0
    whole, mixed, quick = (self_play(TOY, 5, quick=1, learnt=learnt)[4] for learnt in (True, first_learnt, False))
    np.testing.assert_array_equal(mixed[:2], whole[:2])
    assert (mixed[:2] != quick[:2]).any()
    assert (mixed[2:] != whole[2:]).any()


@pytest.mark.parametrize("game", [TOY, GAME], ids=["toy", "duel"])
def test_decisions_without_simulations_are_those_of_the_network(game):
    """Its first choice is played, and what it thinks is what was found."""
    asked = network(game)
    _, kept, counts, _, policies, searched, _ = self_play(game, 5, seed=3, quick=0, learnt=False)
    kernel, first = game.kernel("fast_network"), np.cumsum(counts) - counts
    workspace, position = kernel.make_workspace(asked), Position(game, game.new_states([3]))
    for i in range(min(len(kept), scaled(400, least=12))):
        count = kernel.think(kept, i, asked, workspace)
        expected = np.exp(workspace.logits[:count] - workspace.logits[:count].max())
        np.testing.assert_allclose(policies[first[i] :][:count], expected / expected.sum(), atol=1e-6)
        np.testing.assert_allclose(searched[i, : len(workspace.values)], workspace.values, atol=1e-6)
        while len(position.legal_actions()) == 1:
            position.step(int(position.legal_actions()[0]))
        assert position.states.tobytes() == kept[i : i + 1].tobytes()
        position.step(kernel.choose_by_fast_network(kept, i, asked))


def test_a_game_of_self_play_is_whole():
    states, kept, counts, actions, policies, searched, ends = self_play(TOY, 5)
    assert states["decisions"][0] == toy_rules.MAX_DECISIONS == len(kept)
    assert counts.tolist() == [2] * len(kept)
    assert actions.reshape(-1, 2).tolist() == [[0, 1]] * len(kept)
    np.testing.assert_allclose(policies.reshape(-1, 2).sum(axis=1), 1, atol=1e-6)
    returns, scores = TOY.returns(states, 0), states["scores"][0].astype(float)
    margins = (scores - (scores.sum() - scores) / 2) / 25
    for state, found, end in zip(kept, searched, ends, strict=True):
        turn = [(int(state["player"]) + seat) % 3 for seat in range(3)]
        np.testing.assert_allclose(end, [0.75 * returns[one] + 0.25 * np.tanh(margins[one]) for one in turn], atol=1e-6)
        assert (np.abs(found) <= 1).all()


def test_returns_look_ahead_as_far_as_they_are_told():
    """At 0 a decision is worth what the next search thinks; between 0 and 1 the returns of TD(lambda), by their recursion."""
    plain = self_play(TOY, 5)
    for decay in (0.0, 0.7):
        _, kept, _, _, _, searched, returns = self_play(TOY, 5, decay=decay)
        assert searched.tobytes() == plain[5].tobytes()
        np.testing.assert_array_equal(returns[-1], plain[6][-1])
        for now in range(len(kept) - 1):
            turned = (int(kept["player"][now]) - int(kept["player"][now + 1]) + np.arange(3)) % 3
            expected = decay * returns[now + 1] + (1 - decay) * searched[now + 1]
            np.testing.assert_allclose(returns[now], expected[turned], atol=1e-6)


@pytest.mark.slow
def test_a_game_of_two_is_legal_throughout():
    if not COMPILED:
        pytest.skip("too slow in this lane")
    states, kept, counts, actions, policies, searched, ends = self_play(GAME, 5, simulations=4)
    first = np.cumsum(counts) - counts
    assert states["player"][0] == NOBODY
    assert (counts > 1).all()
    for i, (start, count) in enumerate(zip(first, counts, strict=True)):
        legal = Position(GAME, kept[i : i + 1].copy()).legal_actions()
        np.testing.assert_array_equal(actions[start : start + count], legal)
        assert policies[start : start + count].sum() == pytest.approx(1, abs=1e-4)
    assert not GAME.rules.unsound_rows(kept).size
    np.testing.assert_allclose(searched.sum(axis=1), 0, atol=1e-5)
    np.testing.assert_allclose(ends.sum(axis=1), 0, atol=1e-6)


def test_self_play_repeats_by_its_key_and_explores_by_its_noise():
    one, again, other = self_play(TOY, 5), self_play(TOY, 5), self_play(TOY, 6)
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not np.array_equal(one[0], other[0])
    plain = {self_play(TOY, key, noise=0.0, simulations=1)[1][1]["scores"].tobytes() for key in range(12)}
    noisy = {self_play(TOY, key, simulations=1)[1][1]["scores"].tobytes() for key in range(12)}
    assert len(plain) == 1 < len(noisy)


def test_self_play_searches_as_the_agent_does():
    _, kept, counts, actions, policies, searched, _ = self_play(TOY, 11, noise=0.0)
    found = GumbelSearch(trained(TOY), FEW, considered=8, strength=0.1).run(kept[:1].copy(), 0, np.uint64(11))
    np.testing.assert_array_equal(actions[: counts[0]], found.actions)
    np.testing.assert_array_equal(policies[: counts[0]], found.policy.astype(np.float32))
    np.testing.assert_array_equal(searched[0], np.roll(found.root_values, -int(kept["player"][0])).astype(np.float32))
