"""Many states at once: observed, resampled and asked about as each alone."""

from __future__ import annotations

import numpy as np
import pytest
from mutations import some_positions
from sizes import scaled

from azul_duel_env import duel_v0
from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.abstraction import ActionAbstraction
from azul_duel_env.games.duel.state import STATE


@pytest.fixture(scope="module")
def states():
    positions = some_positions(scaled(300, least=12), every=11)
    return np.concatenate([position.states for position in positions]).view(STATE)


def spoilt(states, i):
    """Return a copy in which one state would be used to index out of range."""
    states = states.copy().view(STATE)
    states["domes"][i, 0, 0] = 120
    return states


def test_who_knows_that_states_are_sound_may_say_so(states, monkeypatch):
    seen, drawn = GAME.observations(states, 0), GAME.resampled(states, 0, 5)
    monkeypatch.setattr(GAME.kernel("soundness"), "find_unsound", None)
    assert np.array_equal(GAME.observations(states, 0, check=False), seen)
    assert GAME.resampled(states, 0, 5, check=False).tobytes() == drawn.tobytes()


def one(states, i):
    return Position(GAME, states[i : i + 1].copy())


def test_rows_are_observed_as_each_alone(states):
    players = np.arange(len(states)) % 2
    before = states.tobytes()
    seen = GAME.observations(states, players)
    assert seen.shape == (len(states), GAME.observation_size)
    assert seen.dtype == np.float32
    for i, player in enumerate(players):
        assert np.array_equal(seen[i], one(states, i).observe(int(player)))
    assert np.array_equal(GAME.observations(states, 1)[players == 1], seen[players == 1])
    assert np.array_equal(GAME.observations(states[::-2], players[::-2].astype(np.int8)), seen[::-2])
    assert GAME.observations(states[:0], 0).shape == (0, GAME.observation_size)
    assert states.tobytes() == before


def test_rows_are_resampled_as_each_alone(states):
    players, seeds = np.arange(len(states)) % 2, np.arange(len(states)) + 5
    before = states.tobytes()
    drawn = GAME.resampled(states, players, seeds)
    for i, player in enumerate(players):
        assert drawn[i].tobytes() == one(states, i).resampled(int(player), int(seeds[i])).states.tobytes()
    assert GAME.rules.unsound_rows(drawn).size == 0
    assert GAME.resampled(states[:1], 0, 9).tobytes() == one(states, 0).resampled(0, 9).states.tobytes()
    together = GAME.resampled(states, 0, 9)
    assert together.tobytes() == GAME.resampled(states, 0, 9).tobytes()
    assert len(np.unique(together["rng"])) == len(states)
    assert np.array_equal(GAME.observations(together, 0), GAME.observations(states, 0))
    assert states.tobytes() == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: GAME.observations(s, 2), "players must be 0 to 1"),
        (lambda s: GAME.observations(s, [0, -1, 0]), "players must be 0 to 1"),
        (lambda s: GAME.observations(s, [0, 1]), "one for each of 3 states"),
        (lambda s: GAME.observations(s, 0.0), "expected one player"),
        (lambda s: GAME.observations(s[0], 0), r"array \(N,\) of states"),
        (lambda s: GAME.observations(np.ma.array(s), 0), r"array \(N,\) of states of azul/duel-v0, not MaskedArray"),
        (lambda s: GAME.observations(s, np.ma.array([0, 1, 0])), "one for each of 3 states"),
        (lambda s: duel_v0.self_play(3).set_states(np.ma.array(s)), "expected an array of states"),
        (lambda _: GAME.observations(np.zeros(3), 0), r"array \(N,\) of states"),
        (lambda s: GAME.observations(spoilt(s, 1), 0), "state 1 is no state of the game: broken are "),
        (lambda s: GAME.resampled(spoilt(s, 2), 0, 1), "state 2 is no state of the game: broken are "),
        (
            lambda _: GAME.rules.unsound_rows(np.zeros((3, STATE.itemsize), np.int8)),
            r"array \(N,\) of states, not int8",
        ),
        (lambda s: GAME.rules.unsound_rows(s[0]), r"array \(N,\) of states"),
        (lambda s: GAME.rules.unsound_rows(s.reshape(3, 1)), r"array \(N,\) of states"),
        (lambda s: GAME.resampled(s, 0, [1, 2]), "one seed, or one for each of 3 states, not 2"),
        (lambda s: GAME.resampled(s, 0, -1), "seed must be"),
        (lambda s: GAME.resampled(s, 0, [1, 2, -3]), "seed must be"),
        (lambda s: GAME.resampled(s, 0, [[1, 2, 3]]), "seed must be"),
        (lambda s: GAME.resampled(s, 7, 1), "players must be"),
    ],
)
def test_wrong_arrays_are_refused_and_nothing_changes(states, call, message):
    three = states[:3].copy().view(STATE)
    before = three.tobytes()
    with pytest.raises(ValueError, match=message):
        call(three)
    assert three.tobytes() == before


@pytest.mark.parametrize("choices", [{}, {"bonus_chips": "whether"}, {"placement": "split"}, {"placement": "best_fit"}])
def test_rows_are_unasked_where_the_mask_is_empty_and_no_policy_decides(states, choices):
    abstraction = ActionAbstraction(**choices)
    mask = np.empty(abstraction.num_actions, np.int8)
    expected = []
    with_sources = states.copy().view(STATE)
    turns = np.flatnonzero((states["stage"] == 5) & (states["suns"][:, 4, 0] > 0))
    with_sources["source"][turns] = 20
    for i in range(len(states)):
        GAME.abstraction.mask(with_sources, i, abstraction.record, mask)
        policy = GAME.abstraction.next_action(with_sources, i, abstraction.record)
        if with_sources["player"][i] >= 0 and policy == -1 and not mask.any():
            expected.append(i)
    assert GAME.abstraction.unasked_rows(with_sources, abstraction.record).tolist() == expected
