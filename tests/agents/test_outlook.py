"""What agents think of a position: probabilities that add up, values for every seat, and what each of them really plays."""

from __future__ import annotations

from pathlib import Path

import networks
import numpy as np
import pytest
from fast_networks import decisions, network
from places import ROOT
from sizes import scaled
from toy_game import GAME as TOY

from azul_duel_env.agents import Agent, AgentError, find_search, make_agent
from azul_duel_env.agents import outlook as words
from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.gumbel_search import GumbelSearch
from azul_duel_env.agents.network import network_file
from azul_duel_env.agents.outlook import GAME_VALUE, ROUND_VALUE, only_action, outlook_of, value_meaning_of
from azul_duel_env.agents.search import search_with
from azul_duel_env.games import find_game
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED

pytestmark = pytest.mark.long_uncompiled

KEY = np.uint64(7)
BUDGET = 16 if COMPILED else 4


def fast(game):
    return TrainedFastNetwork(game, Path("memory"), {}, network(game))


def agents_for(game):
    yield from (make_agent(game, spec) for spec in ("random", "greedy", f"mcts:{BUDGET}"))
    yield Agent("network:memory", fast(game))
    yield Agent("network+mcts:memory", search_with(fast(game), BUDGET))


@pytest.mark.parametrize("game", [GAME, TOY], ids=["duel", "toy"])
def test_an_outlook_adds_up_and_repeats(game):
    for agent in agents_for(game):
        for position in decisions(game, scaled(8, least=2)):
            before = position.states.tobytes()
            found, again = (outlook_of(agent, position, KEY) for _ in range(2))
            assert position.states.tobytes() == before
            np.testing.assert_array_equal(found.actions, position.legal_actions())
            assert found.probabilities.sum() == pytest.approx(1)
            assert (found.probabilities >= 0).all()
            assert found.best == found.variation[0] == again.best
            np.testing.assert_array_equal(found.probabilities, again.probabilities)
            assert (found.values is None) == (not found.value_meaning) == (agent.spec in ("random", "greedy"))
            if found.values is not None:
                assert found.values.shape == (game.num_players,)
                assert (np.abs(found.values) <= 1).all()
                assert game.num_players > 2 or found.values.sum() == pytest.approx(0, abs=1e-6)
            assert found.probability_meaning


def test_each_agent_plays_what_its_outlook_says():
    for agent in agents_for(GAME):
        for position in decisions(GAME, scaled(8, least=2)):
            found = outlook_of(agent, position, KEY)
            assert found.best == agent.act(position, KEY)
            place = list(found.actions).index(found.best)
            if agent.spec.startswith("network:"):
                assert found.probabilities[place] == found.probabilities.max()
            elif agent.spec == "greedy":
                assert found.ratings[place] == found.ratings.max()
                assert found.probabilities[place] > 0
                assert (found.probabilities[found.ratings < found.ratings.max()] == 0).all()


def test_a_fast_network_s_values_go_to_the_seats_they_are_for():
    """They come in turn order from who decides."""
    position = next(one for one in decisions(TOY, 10**6) if one.player == 1)
    policy = fast(TOY)
    kernel = TOY.kernel("fast_network")
    workspace = kernel.make_workspace(policy.compiled)
    kernel.think(position.states, 0, policy.compiled, workspace)
    found = outlook_of(Agent("network:memory", policy), position, KEY)
    np.testing.assert_array_equal(np.roll(found.values, -1), workspace.values.astype(np.float64))


@pytest.mark.slow
def test_a_network_of_training_is_asked_as_the_search_asks_it(tmp_path):
    header, arrays = networks.contents("greedy", bonus_chips="whether")
    agent = make_agent(GAME, f"network:{networks.written(tmp_path / 'one.npz', header, arrays)}")
    for position in decisions(GAME, scaled(12, least=2)):
        found = outlook_of(agent, position, KEY)
        assert found.probabilities.sum() == pytest.approx(1)
        assert found.best == agent.act(position, KEY)
        worth = GAME.kernel("network").worth_of(position.states, 0, agent.policy.compiled)
        assert found.values[position.player] == pytest.approx(np.tanh(worth)) == -found.values[1 - position.player]


def test_an_agent_without_probabilities_says_so():
    position = GAME.new(1)
    for found in (outlook_of(make_agent(GAME, "greedy2"), position, KEY), only_action(position, 3)):
        assert found.probabilities is None
        assert "only what it plays" in found.probability_meaning
        assert found.best in (3, make_agent(GAME, "greedy2").act(position, KEY))


def test_where_nobody_decides_there_is_nothing_to_think_about():
    with pytest.raises(ValueError, match="no player decides"):
        outlook_of(make_agent(GAME, "random"), GAME.new(1, explicit_chance=True), KEY)


def test_what_looks_at_games_is_a_search_that_suits_them():
    advisers = {GAME.adviser, TOY.adviser, *(find_game("pavilion_mini", players).adviser for players in (3, 4))}
    assert advisers == {"mcts:400"}
    mini = find_game("pavilion_mini", 2)
    assert mini.adviser == "network+mcts:400"
    assert isinstance(find_search(mini, mini.adviser), GumbelSearch)


def test_further_networks_that_come_with_a_game_have_names():
    file = GAME.networks["az"]
    assert network_file(GAME, "network:az") == network_file(GAME, "network+mcts:4:az") == file
    assert make_agent(GAME, "network:az").policy.path == file
    assert find_search(GAME, "network+mcts:4:az").network.path == file
    assert network_file(GAME, "network:other.npz") == Path("other.npz")


def test_a_search_is_found_by_its_spec_and_says_what_its_values_are():
    assert find_search(TOY, "mcts:5").simulations == 5
    assert value_meaning_of(find_search(TOY, "mcts:5")) == ROUND_VALUE
    assert value_meaning_of(search_with(fast(TOY), 5)) == GAME_VALUE
    for spec in ("greedy", "random", "mtcs:5"):
        with pytest.raises(AgentError):
            find_search(TOY, spec)


DOCS = (ROOT / "docs" / "pages" / "analysis.md").read_text(encoding="utf-8")


def test_the_docs_tell_what_probabilities_are():
    for meaning in (words.SIMULATIONS, words.IMPROVED, words.POLICY, words.ALIKE, words.NO_PROBABILITIES):
        assert meaning in DOCS, meaning
