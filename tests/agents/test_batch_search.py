"""Searches of many positions in step, with a network of one's own: as one search alone, honest, and asked as is said."""

from __future__ import annotations

import numpy as np
import pytest
from dice import at_the_last_round, expected_returns
from fast_networks import decisions, floats, integer_units, outputs, rounded, trained
from toy_game import GAME as TOY
from toy_game import rules as toy_rules
from walks import positions
from worlds import hidden_places

from azul_duel_env.agents.batch_search import BatchSearch
from azul_duel_env.agents.gumbel_search import GumbelSearch
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED
from azul_duel_env.jit.rng import keys_from_seed

FEW = 16


def alike(_, masks):
    """Thinks everything alike."""
    return np.zeros(masks.shape), np.zeros((len(masks), 1 if masks.shape[1] > 2 else 3))


def as_matrices(game):
    """The network of ``trained``, by matrices; where a game has lookups and shared outputs, without them."""
    arrays = rounded(floats(game))
    arrays["first_weight"] = arrays["first_weight"][: game.observation_size]

    def evaluate(observations, masks):
        assert observations.dtype == np.float32
        assert masks.dtype == np.int8
        assert (masks.sum(axis=1) > 0).all()
        answers = [outputs(arrays, one, integer_units(arrays, one)) for one in observations]
        return np.array([logits[: game.num_actions] for logits, _ in answers]), np.array(
            [values for _, values in answers]
        )

    return evaluate


def states_of(game, count):
    return np.concatenate([position.states for position in decisions(game, count)])


def test_each_position_is_searched_as_alone():
    states, keys = states_of(TOY, 20), keys_from_seed(1, 20)
    search = BatchSearch(TOY, FEW, noise=0.0, win_share=0.75)
    found = search.run(states, keys, as_matrices(TOY))
    alone = GumbelSearch(trained(TOY), FEW)
    for i in range(20):
        expected = alone.run(states, i, keys[i])
        np.testing.assert_array_equal(found.visits[i, expected.actions], expected.visits)
        np.testing.assert_allclose(found.policies[i, expected.actions], expected.policy, atol=1e-4)
        np.testing.assert_allclose(found.values[i], expected.root_values, atol=1e-4)
        assert found.actions[i] == expected.best


@pytest.mark.slow
def test_a_result_adds_up_and_repeats():
    states, keys = states_of(GAME, 8), keys_from_seed(2, 8)
    before = states.tobytes()
    search = BatchSearch(GAME, FEW)
    found = search.run(states, keys, as_matrices(GAME))
    again = search.run(states, keys, as_matrices(GAME))
    assert states.tobytes() == before
    assert all(np.array_equal(array, getattr(again, name)) for name, array in vars(found).items())
    np.testing.assert_allclose(found.policies.sum(axis=1), 1)
    np.testing.assert_allclose(found.values.sum(axis=1), 0, atol=1e-9)
    for i, position in enumerate(decisions(GAME, 8)):
        legal = position.legal_actions()
        assert found.policies[i][np.setdiff1d(np.arange(GAME.num_actions), legal)].sum() == 0
        assert found.visits[i].sum() == (FEW if len(legal) > 1 else 0)
        assert found.actions[i] in legal


@pytest.mark.slow
def test_what_is_hidden_or_will_be_drawn_does_not_matter():
    pairs = []
    for position in positions(10**7, first_seed=6200):
        if not position.over and hidden_places(position, position.player):
            pairs += [position.states.copy(), position.resampled(position.player, 5).states]
        if len(pairs) == 8:
            break
    found = BatchSearch(GAME, 8).run(np.concatenate(pairs), np.repeat(keys_from_seed(3, 4), 2), as_matrices(GAME))
    for array in vars(found).values():
        np.testing.assert_array_equal(array[::2], array[1::2])


def test_each_of_three_plays_for_their_own():
    chosen = [at_the_last_round(seed, first=2) for seed in range(12)]
    found = BatchSearch(TOY, 60, noise=0.0).run(
        np.concatenate([position.states for position in chosen]), keys_from_seed(1, 12), alike
    )
    compared = 0
    for i, position in enumerate(chosen):
        take, give = (expected_returns(position, (one,))[position.player] for one in (0, 1))
        if take != give:
            assert found.actions[i] == (toy_rules.TAKE if take > give else toy_rules.GIVE)
            compared += 1
    assert compared > 3


def test_it_is_asked_once_a_simulation_at_most():
    asked = []

    def counted(observations, masks):
        asked.append(len(observations))
        return alike(observations, masks)

    BatchSearch(TOY, 10).run(states_of(TOY, 6), keys_from_seed(1, 6), counted)
    assert asked[0] == 6
    assert len(asked) <= 11
    assert max(asked) <= 6


@pytest.mark.slow
def test_memory_that_runs_out_ends_the_growth_and_not_the_search(monkeypatch):
    room = GAME.max_legal + 20
    monkeypatch.setattr("azul_duel_env.agents.batch_search.nodes_for", lambda *_: range(room))
    found = BatchSearch(GAME, 40 if COMPILED else 10).run(states_of(GAME, 3), keys_from_seed(1, 3), as_matrices(GAME))
    assert set(found.visits.sum(axis=1)) <= {0, 40 if COMPILED else 10}


def test_mistakes_are_named():
    for settings, message in (
        ({"simulations": 0}, "at least 1"),
        ({"simulations": 1, "considered": 0}, "at least 1"),
        ({"simulations": 1, "noise": -1}, "noise of at least 0"),
        ({"simulations": 1, "win_share": 2}, "win_share in 0 to 1"),
    ):
        with pytest.raises(ValueError, match=message):
            BatchSearch(TOY, **settings)
    search, states = BatchSearch(TOY, 2), states_of(TOY, 2)
    with pytest.raises(ValueError, match="one key for each of 2 states"):
        search.run(states, keys_from_seed(1, 3), alike)
    with pytest.raises(ValueError, match=r"expected logits and values \(\(2, 2\), \(2, 3\)\)"):
        search.run(states, keys_from_seed(1, 2), lambda _, __: (np.zeros((2, 2)), np.zeros((2, 1))))
    states["player"] = -1
    with pytest.raises(ValueError, match="a player decides"):
        search.run(states, keys_from_seed(1, 2), alike)
