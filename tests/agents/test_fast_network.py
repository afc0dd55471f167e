"""Fast networks: the integer first layer is exact, the whole is near the float network, wrong files are named."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fast_networks import SOURCE, decisions, encoded, first_sums, floats, integer_units, outputs, rounded, written
from sizes import scaled
from toy_game import GAME as TOY

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.agents.fast_network_file import network_from, num_values, quantised, write_fast_network
from azul_duel_env.agents.network import read_network
from azul_duel_env.games import ids
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import entry
from azul_duel_env.kernels.constants import (
    LARGEST_BIAS,
    LARGEST_SUM,
    LARGEST_WEIGHT,
    ROWS_AT_ONCE,
    STEPS,
    UNIT,
)

KERNEL = GAME.kernel("fast_network")
NUM_INPUTS = GAME.kernel("first_layer").NUM_INPUTS
KEY = np.uint64(7)
GAMES = pytest.mark.parametrize("game", [GAME, TOY], ids=["duel", "toy"])


update_sums = GAME.kernel("first_layer").update_sums


@entry
def write_sums(network, workspace):
    update_sums(workspace.layer, 0, network.first, workspace.inputs, workspace.lookups, 0)


def thought(game, network, position, workspace=None):
    """Legal actions, their logits, and the values."""
    kernel = game.kernel("fast_network")
    workspace = workspace or kernel.make_workspace(network)
    before = position.states.tobytes()
    count = kernel.think(position.states, 0, network, workspace)
    assert position.states.tobytes() == before
    return workspace.legal[:count], workspace.logits[:count], workspace.values, workspace


# What it computes -----------------------------------------------------------------------------
@GAMES
def test_the_first_layer_is_exact(game):
    """Of each position, asked one after the other for either seat: what was summed before serves the next."""
    arrays = rounded(floats(game))
    network = network_from(game, arrays, 0.5)
    workspace = game.kernel("fast_network").make_workspace(network)
    for position in decisions(game, scaled(400, least=8)):
        thought(game, network, position, workspace)
        seen, _ = encoded(position)
        np.testing.assert_array_equal(workspace.inputs[: game.observation_size], position.observe(position.player))
        np.testing.assert_array_equal(workspace.layer.sums[position.player], first_sums(arrays, seen))
        np.testing.assert_array_equal(workspace.units, integer_units(arrays, seen).astype(np.float32))


@GAMES
def test_logits_and_values_are_those_of_matrices(game):
    """Given the units of the first layer, within what float32 rounds."""
    arrays = rounded(floats(game))
    network = network_from(game, arrays, 0.5)
    for position in decisions(game, scaled(400, least=8)):
        legal, logits, values, _ = thought(game, network, position)
        np.testing.assert_array_equal(legal, position.legal_actions())
        seen, summed = encoded(position)
        expected, worth = outputs(arrays, seen, integer_units(arrays, seen))
        np.testing.assert_allclose(logits, summed @ expected, atol=1e-3)
        np.testing.assert_allclose(values, worth, atol=1e-5)
        assert len(values) == num_values(game)


@GAMES
def test_it_is_near_the_network_before_rounding(game):
    """A unit errs by half a step of each weight that counts, and half a step of each input that is rounded."""
    exact = floats(game)
    network = network_from(game, rounded(exact), 0.5)
    for position in decisions(game, scaled(400, least=8)):
        _, logits, values, workspace = thought(game, network, position)
        seen, summed = encoded(position)
        units = np.maximum(seen @ exact["first_weight"].astype(float) + exact["first_bias"].astype(float), 0)
        fractions = (seen != 0) & (np.abs(seen) != 1)
        bound = (np.abs(seen).sum() + 1) * 0.5 / UNIT + 1 / UNIT
        bound = bound + np.abs(exact["first_weight"][fractions]).sum(axis=0) * 0.5 / STEPS
        assert (np.abs(workspace.units - units) <= bound).all()
        expected, worth = outputs(exact, seen)
        assert np.abs(logits - summed @ expected).max() <= 0.2
        assert np.abs(values - worth).max() <= 0.1


def test_the_largest_sums_fit():
    """All inputs at 1 or -1, weights at their bound as far as a sum may go: nothing wraps around."""
    units = 8
    arrays = rounded(floats(GAME, units=units))
    rows = np.zeros((NUM_INPUTS, units), np.int16)
    rows[: LARGEST_SUM // LARGEST_WEIGHT] = LARGEST_WEIGHT
    rows[:, 1::2] *= -1
    arrays |= {"first_weight": rows, "first_bias": np.full(units, LARGEST_BIAS, np.int32)}
    network = network_from(GAME, arrays, 0.5)
    workspace = KERNEL.make_workspace(network)
    for sign in (1.0, -1.0, np.float32(0.9996)):
        workspace.inputs[: GAME.observation_size] = sign
        write_sums(network, workspace)
        seen = np.append(workspace.inputs[: GAME.observation_size], np.zeros(KERNEL.NUM_LOOKUPS))
        np.testing.assert_array_equal(workspace.layer.sums[0], first_sums(arrays, seen))
        assert np.abs(workspace.layer.sums[0]).max() > 0.99 * 2**31
    assert ROWS_AT_ONCE * LARGEST_WEIGHT < 2**15
    assert np.float32(LARGEST_BIAS + LARGEST_SUM) == LARGEST_BIAS + LARGEST_SUM


@pytest.mark.parametrize(
    ("weight", "bias", "message"),
    [
        (np.full((3, 2), 4.0), np.zeros(2), "weight of the first layer may be 3.998 from 0 at most"),
        (np.full((3, 2), np.nan), np.zeros(2), "weight of the first layer"),
        (np.zeros((3, 2)), np.full(2, 2.0**14 + 1), "bias of the first layer may be 16,384.000"),
        (np.full((1100, 2), 3.99), np.zeros(2), "sum of the weights of a unit"),
    ],
)
def test_weights_that_could_overflow_are_refused(weight, bias, message):
    with pytest.raises(ValueError, match=message):
        quantised(weight, bias)


# Files and agents -----------------------------------------------------------------------------
@GAMES
def test_a_file_plays_the_best_logit(game, tmp_path, monkeypatch):
    monkeypatch.setitem(ids.GAMES, TOY.id, "toy_game")
    agent = make_agent(game, f"network:{written(tmp_path / 'tiny.npz', game)}")
    for position in decisions(game, scaled(100, least=5)):
        legal, logits, _, _ = thought(game, agent.policy.compiled, position)
        assert agent.act(position, KEY) == legal[logits.argmax()]


def test_a_file_holds_what_was_written(tmp_path):
    arrays = rounded(floats(GAME))
    file = tmp_path / "tiny.npz"
    write_fast_network(file, GAME, arrays, 0.25, SOURCE)
    network = read_network(file)
    assert (network.game, network.header["source"]) == (GAME, SOURCE)
    np.testing.assert_array_equal(network.compiled.first, arrays["first_weight"])
    np.testing.assert_array_equal(network.compiled.value_bias, arrays["value_bias"])
    assert network.compiled.win_share == 0.25
    assert copy.deepcopy(network) is network
    assert len(pickle.dumps(network)) < 1000
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(network)).compiled.first, network.compiled.first)


def test_threads_share_a_network(tmp_path):
    agent = make_agent(GAME, f"network:{written(tmp_path / 'tiny.npz', GAME)}")
    asked = list(decisions(GAME, scaled(200, least=4)))
    alone = [agent.act(position, KEY) for position in asked]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda position: agent.act(position, KEY), asked)) == alone


HEADER = {"format": 2, "game": "azul/duel-v0", "win_share": 0.75, "source": SOURCE}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 3}, "expected format 1 or 2 for azul/duel-v0.*, not format 3"),
        ({"win_share": 1.5}, "win_share must be a share, 0 to 1, not 1.5"),
        ({"win_share": None}, "win_share must be a share"),
        ({"tables": "0"}, "other tables of observation and actions"),
        ({"source": 1}, "source must be"),
        (
            {"first_weight": np.zeros((3, 16), np.int16)},
            rf"first_weight must have the shape \({NUM_INPUTS}, 16\)",
        ),
        ({"first_weight": np.full((NUM_INPUTS, 16), 2048, np.int16)}, "weight of the first layer may be 3.998"),
        ({"first_weight": np.zeros((NUM_INPUTS, 16), np.float32)}, "first_weight must be int16"),
        ({"second_weight": np.zeros((16, 12), np.float32)}, r"second_bias must have the shape \(12,\)"),
        (
            {"second_weight": np.zeros((0, 8), np.float32)},
            rf"first_weight must have the shape \({NUM_INPUTS}, 0\)",
        ),
        ({"second_weight": np.full((16, 8), np.inf, np.float32)}, "not finite"),
        ({"policy_weight": np.full((KERNEL.NUM_OUTPUTS, 8), 1e30, np.float32)}, "would overflow"),
        ({"value_bias": np.zeros(2, np.float32)}, r"value_bias must have the shape \(1,\)"),
        ({"value_bias": np.zeros((1, 1), np.float32)}, "value_bias must be float16 or float32 with 1 axes"),
        ({"extra": np.zeros(1)}, "expected the arrays first_bias"),
    ],
)
def test_wrong_files_are_named(change, message, tmp_path):
    file = written(tmp_path / "tiny.npz", GAME)
    with np.load(file) as held:
        arrays = dict(held)
    header = json.loads(arrays.pop("header").item())
    for name, value in change.items():
        (header if name in header else arrays)[name] = value
    np.savez(file, header=np.array(json.dumps(header)), **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        read_network(file)
    assert str(file) in str(caught.value)
    with pytest.raises(AgentError, match=message):
        make_agent(GAME, f"network:{file}")


def test_a_layer_of_nothing_is_refused():
    with pytest.raises(ValueError, match="second layer of some units"):
        network_from(GAME, rounded(floats(GAME, units=0)), 0.5)


def test_nothing_wrong_is_written(tmp_path):
    file = written(tmp_path / "tiny.npz", GAME)
    before = file.read_bytes()
    arrays = rounded(floats(GAME)) | {"value_bias": np.full(1, np.nan, np.float32)}
    with pytest.raises(ValueError, match="not finite"):
        write_fast_network(file, GAME, arrays, 0.5, SOURCE)
    assert file.read_bytes() == before
