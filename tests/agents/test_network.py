"""The agent network: what a file says is what it plays; wrong files are named; and the network in the search."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from azul_duel_env.games.duel.kernels.network import worth_of
from azul_duel_env.games.duel.kernels.rows import potential
from networks import REWARD, contents, outputs, ratings, written
from places import GOLDEN, HIDDEN, POSITIONS
from searches import FEW, KEY, late, same
from sizes import scaled
from walks import positions

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.agents.network import network_file, read_network, shipped
from azul_duel_env.agents.network_file import rewards_of
from azul_duel_env.agents.search import Search
from azul_duel_env.arena import play_match, summarise
from azul_duel_env.arena.external_agents import ExternalAgent, digest_of
from azul_duel_env.duel_v0 import DuelEnv
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.abstraction import ActionAbstraction
from azul_duel_env.games.duel.components import NUM_ROUNDS
from azul_duel_env.games.duel.state import COLUMN, PAYING
from azul_duel_env.jit import COMPILED
from azul_duel_env.kernels.constants import REWARD_PARTS

pytestmark = pytest.mark.long_uncompiled

BEFORE = json.loads((GOLDEN / "network.json").read_text(encoding="utf-8"))
"""Position -> asked actions, their logits and the worth, as PyTorch found them for the model that was exported."""
GRANULARITIES = (
    {},
    {"placement": "split", "bonus_chips": "whether"},
    {"placement": "best_fit", "drawing": "once", "columns": "most_points"},
    {"bonus_chips": "whether", "moon_order": "useful_on_top", "return_order": "ascending"},
)
WITH_CHIPS = {"bonus_chips": "whether"}


def reference(header, arrays) -> ExternalAgent:
    """An agent that sees observation and mask, and computes with matrices."""

    def answer(observation, mask):
        logits = outputs(header, arrays, "policy", observation)
        return int(np.where(mask == 1, logits, -np.inf).argmax())

    return ExternalAgent("reference", answer, ActionAbstraction(**header["granularity"]), header["advice"] is not None)


def decisions(count, first_seed=0):
    """Positions in which somebody decides."""
    for position in positions(10**7, first_seed=first_seed):
        if not position.over:
            yield position
            count -= 1
            if count == 0:
                return


# What it computes -----------------------------------------------------------------------------
@pytest.mark.parametrize("advice", [None, "greedy"])
@pytest.mark.parametrize("abstraction", GRANULARITIES)
def test_it_plays_what_matrices_say(abstraction, advice, tmp_path):
    """In all kinds of decisions, asked and not; nothing changes."""
    activation, hidden = ("relu", (7,)) if len(abstraction) == 2 else ("tanh", (6, 5))
    header, arrays = contents(advice, activation, hidden, **abstraction)
    expected = reference(header, arrays)
    agent = make_agent(GAME, f"network:{written(tmp_path / 'tiny.npz', header, arrays)}")
    for position in decisions(scaled(1500, least=12), 30):
        before = position.states.tobytes()
        assert agent.act(position, KEY) == expected.act(position, KEY), position.to_text()
        assert position.states.tobytes() == before


@pytest.mark.slow
def test_logits_of_the_game_are_those_of_what_is_asked(tmp_path):
    """Of chips that one asked action stands for, the one that greedy rates best has its logit."""
    header, arrays = contents("greedy", **WITH_CHIPS)
    expected, network = reference(header, arrays), read_network(written(tmp_path / "tiny.npz", header, arrays))
    asked, shared = ActionAbstraction(**WITH_CHIPS), 0
    for position in decisions(scaled(3000, least=5), 60):
        if GAME.abstraction.next_action(position.states, 0, asked.record) != -1:
            continue
        logits = outputs(header, arrays, "policy", expected._observe(position))
        legal, values = ratings(network, position)
        stands_for = asked.record["first"][0][legal]
        for action in np.unique(stands_for):
            assert values[stands_for == action].max() == pytest.approx(logits[action], abs=1e-4)
            shared += (stands_for == action).sum() > 1
    assert shared > (5 if COMPILED else -1)


@pytest.mark.parametrize("advice", [None, "greedy"])
def test_the_worth_counts_what_there_is_and_what_is_expected(advice, tmp_path):
    header, arrays = contents(advice)
    network = read_network(written(tmp_path / "tiny.npz", header, arrays))
    for position in late(scaled(300, least=5), first_seed=90):
        me = position.player
        seen = np.append(position.observe(me), np.zeros(GAME.num_actions if advice else 0, np.float32))
        reward = outputs(header, arrays, "value", seen)[0]
        reward += REWARD["score_delta"] * (position.scores[me] - position.scores[1 - me])
        reward += REWARD["potential"] * potential(position.states, 0, me)
        worth = reward / (REWARD["win_loss"] + 25 * REWARD["score_delta"])
        assert worth_of(position.states, 0, network.compiled) == pytest.approx(worth, abs=1e-4)


def test_the_shipped_network_thinks_what_pytorch_thought():
    for name, found in BEFORE.items():
        position = GAME.read_position((POSITIONS / name).read_text(encoding="utf-8"))
        legal, values = ratings(shipped(GAME), position)
        best = [
            values[shipped(GAME).compiled.abstraction["first"][0][legal] == action].max() for action in found["asked"]
        ]
        np.testing.assert_allclose(best, found["logits"], atol=0.02)
        assert worth_of(position.states, 0, shipped(GAME).compiled) == pytest.approx(found["worth"], abs=0.005)
    assert len(BEFORE) >= 6


# Files ----------------------------------------------------------------------------------------
def test_the_shipped_file_is_small_and_says_where_it_comes_from():
    assert GAME.network.stat().st_size <= 4 * 2**20
    source = shipped(GAME).header["source"]
    assert source["steps"] > 10**6
    assert "num_envs: 256" in source["config"]


def test_a_network_is_loaded_once_and_copies_share_it():
    network = shipped(GAME)
    assert copy.deepcopy(network) is network
    again = pickle.loads(pickle.dumps(network))
    assert again.compiled.abstraction is network.compiled.abstraction
    np.testing.assert_array_equal(again.compiled.weights, network.compiled.weights)
    assert len(pickle.dumps(network)) < 1000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 3}, "expected format 1 or 2 for azul/duel-v0.*, not format 3 for azul/duel-v0"),
        ({"game": "azul/other-v0"}, "not format 1 for azul/other-v0"),
        ({"tables": "0"}, "other tables of observation and actions: azul_duel_env 0 made it"),
        ({"granularity": {"placement": "split"}}, "other tables"),
        ({"granularity": {"placement": "none"}}, "placement must be one of"),
        ({"activation": "gelu"}, "activation must be one of tanh, relu, not 'gelu'"),
        ({"advice": "greedy"}, "expected a layer of 1513 inputs, not 1113"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(change, message, tmp_path):
    header, arrays = contents()
    file = written(tmp_path / "other.npz", header | change, arrays)
    with pytest.raises(ValueError, match=message):
        read_network(file)


def test_a_network_may_be_trained_with_each_part_of_the_reward(tmp_path):
    header, arrays = contents()
    for part in REWARD_PARTS:
        reward = {part: 0.5, "score_delta": 0.02}
        file = written(tmp_path / "other.npz", header | {"reward": reward}, arrays)
        assert read_network(file).header["reward"] == reward
    assert rewards_of({"win_loss": 0.5, "score_delta": 0.02}) == (0.02, 0.0, 1.0)
    assert rewards_of({"rank": 0.5, "score_delta": 0.02}) == (0.02, 0.0, 1.0), "equal for two players"
    with pytest.raises(ValueError, match="reward must be a mapping of win_loss, .*, rank to weights"):
        read_network(written(tmp_path / "other.npz", header | {"reward": {"place": 1.0}}, arrays))


def test_broken_files_are_refused(tmp_path):
    header, arrays = contents()
    for name in ("policy_1_bias", "value_0_weight", "policy_2_weight"):
        file = written(tmp_path / "other.npz", header, {key: value for key, value in arrays.items() if key != name})
        with pytest.raises(ValueError, match="layers of (policy|value) are not whole"):
            read_network(file)
    fewer = {key: value for key, value in arrays.items() if not key.startswith("policy_2")}
    with pytest.raises(ValueError, match="expected 400 outputs, not 5"):
        read_network(written(tmp_path / "other.npz", header, fewer))
    without = {key: value for key, value in header.items() if key != "trust"}
    with pytest.raises(ValueError, match="no network.*lacks 'trust'"):
        read_network(written(tmp_path / "other.npz", without, arrays))


def test_what_is_no_network_is_refused(tmp_path):
    file = tmp_path / "other.npz"
    np.savez(file, weights=np.zeros(3))
    for wrong in (None, b"", b"weights", b"PK\x03\x04 no zip"):
        if wrong is not None:
            file.write_bytes(wrong)
        with pytest.raises(ValueError, match="other.npz is no network: 'azul-duel export' writes such files"):
            read_network(file)
    np.savez(file, header=np.array({"format": 1}, dtype=object))
    with pytest.raises(ValueError, match="is no network"):
        read_network(file)
    with pytest.raises(OSError, match=r"none\.npz"):
        read_network(tmp_path / "none.npz")


# Specs ----------------------------------------------------------------------------------------
def test_specs_name_files(tmp_path):
    header, arrays = contents()
    file = written(tmp_path / "tiny.npz", header, arrays)
    assert network_file(GAME, "network") == network_file(GAME, "network+mcts:20") == GAME.network
    assert network_file(GAME, f"network:{file}") == file
    assert network_file(GAME, "mcts:20") is None
    assert (
        digest_of(GAME, "network")
        == digest_of(GAME, "network+mcts:200ms")
        != digest_of(GAME, f"network:{file}")
        is not None
    )
    with pytest.raises(AgentError, match=r"network:.*none\.npz"):
        make_agent(GAME, f"network:{tmp_path / 'none.npz'}")


def test_a_wrong_budget_is_named():
    for spec in ("network+mcts:0", "network+mcts:", "network+mcts:5s"):
        with pytest.raises(AgentError, match=r"network\+mcts takes a number.*network\+mcts:400.*network\+mcts:200ms"):
            make_agent(GAME, spec)
    assert make_agent(GAME, "network+mcts:20ms").policy.milliseconds == 20
    with pytest.raises(AgentError, match="did you mean 'network'"):
        make_agent(GAME, "netwrk")


# In the search --------------------------------------------------------------------------------
@pytest.mark.slow
def test_priors_are_a_softmax_of_the_logits():
    for position in decisions(scaled(200, least=3), 120):
        found = Search(GAME, 1, network=shipped(GAME)).run(position.states, 0, KEY)
        greedy = Search(GAME, 1).run(position.states, 0, KEY)
        if GAME.abstraction.next_action(position.states, 0, shipped(GAME).compiled.abstraction) != -1:
            np.testing.assert_array_equal(found.priors, greedy.priors)
        else:
            _, values = ratings(shipped(GAME), position)
            shares = np.exp((values - values.max()) / 3)
            np.testing.assert_allclose(found.priors, shares / shares.sum(), atol=1e-5)


def test_a_leaf_is_worth_as_much_less_to_the_other_player(tmp_path):
    """A network that is always sure of a win: what a round comes to is won by whoever holds the first-player tile and so goes on."""
    header, arrays = contents()
    arrays |= {name: np.zeros_like(array) for name, array in arrays.items() if name.startswith("value")}
    arrays["value_2_bias"][:] = 20
    network, left = read_network(written(tmp_path / "sure.npz", header, arrays)), {-1: 0, 1: 0}
    for position in decisions(scaled(20000, least=400), 300):
        state = position.states[0]
        if state["stage"] in (COLUMN, PAYING) and state["round_number"] < NUM_ROUNDS:
            expected = 1 if state["first_player_tile"] == position.player else -1
            found = Search(GAME, FEW, network=network).run(position.states, 0, KEY)
            np.testing.assert_allclose(found.values[found.visits > 0], expected, atol=1e-6)
            left[expected] += 1
        if min(left.values()) >= scaled(20, least=1):
            break
    assert min(left.values()) > 0


def test_a_search_with_a_network_repeats_and_can_be_copied():
    for position in late(scaled(10, least=1), first_seed=10):
        policy = Search(GAME, FEW, network=shipped(GAME))
        found = policy.run(position.states, 0, KEY)
        for other in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy)), policy):
            assert same(other.run(position.states, 0, KEY), found)
            assert other.leaf == "network"


def test_a_search_with_a_network_sees_nothing_that_is_hidden():
    for path in HIDDEN[: scaled(len(HIDDEN), least=1)]:
        position, viewer = GAME.read_position(path.read_text()), int(path.stem[-1])
        if position.player == viewer:
            twins = [position.resampled(viewer, seed) for seed in range(scaled(8, least=1))]
            found = Search(GAME, FEW, network=shipped(GAME)).run(position.states, 0, KEY)
            assert all(same(found, Search(GAME, FEW, network=shipped(GAME)).run(twin.states, 0, KEY)) for twin in twins)


def test_a_leaf_by_the_network_needs_one():
    assert Search(GAME, 1).leaf == "greedy"
    with pytest.raises(ValueError, match="'network' needs a network"):
        Search(GAME, 1, leaf="network")


# Strength, and in the environments ------------------------------------------------------------
@pytest.mark.slow
def test_it_beats_greedy_mostly():
    if not COMPILED:
        pytest.skip("too slow in this lane")
    games = scaled(100, least=20) // 2 * 2
    assert summarise(["network", "greedy"], list(play_match(GAME, ["network", "greedy"], games, 1))).win_rate > 0.6
    pair = ["network+mcts:20", "greedy"]
    assert summarise(pair, list(play_match(GAME, pair, 20, 1))).win_rate > 0.7


def test_it_is_an_opponent_in_environments():
    env = DuelEnv(opponent="network", seat=1, placement="best_fit")
    env.reset(seed=1)
    for _ in range(scaled(60, least=2)):
        mask = env.action_masks()
        *_, terminated, _, info = env.step(int(mask.argmax()))
        assert not info["illegal_action"]
        if terminated:
            break
