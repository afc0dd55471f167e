"""Observations in bytes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from sizes import scaled

from azul_duel_env import duel_v0, pavilion_mini_v0
from azul_duel_env.envs.observation_dtype import as_bytes
from azul_duel_env.games import find_game
from azul_duel_env.jit import COMPILED

pytestmark = pytest.mark.compiled_only

GAMES = [find_game("duel"), *(find_game("pavilion_mini", players) for players in (2, 3, 4))]
NAMES = [f"{game.title} {game.num_players}" for game in GAMES]


def observations_of(game, games, seed=1):
    """Return the observations of all seats in random games: float32 (n, size)."""
    rng, seen = random.Random(seed), []
    for number in range(games):
        position = game.new(number)
        while not position.over:
            seen += [position.observe(player) for player in range(game.num_players)]
            position.step(rng.choice(position.legal_actions().tolist()))
    return np.array(seen)


@pytest.mark.parametrize("game", GAMES, ids=NAMES)
def test_the_blocks_that_are_rounded_are_named_and_no_others(game):
    seen = observations_of(game, scaled(30, least=2))
    again = as_bytes(seen) / np.float32(255)
    assert np.abs(again - seen).max() <= 1 / 510 + 1e-6
    off = (again != seen).any(axis=0)
    rounded = {b.name for b in game.observation_blocks if off[b.first : b.first + b.size].any()}
    assert rounded <= set(game.rounded_blocks)
    if COMPILED:  # enough games for all
        assert rounded == set(game.rounded_blocks)


@pytest.mark.parametrize("dtype", ["uint8", np.uint8, np.dtype(np.uint8)])
def test_vector_environments_in_bytes_are_those_in_float32_rounded(dtype):
    kinds = {"opponent": "random", "autoreset_mode": AutoresetMode.SAME_STEP}
    plain = duel_v0.DuelVectorEnv(3, **kinds)
    env = duel_v0.DuelVectorEnv(3, observation_dtype=dtype, copy=False, **kinds)
    expected, infos = plain.reset(seed=1)
    observations, _ = env.reset(seed=1)
    ended = 0
    for _ in range(150 if COMPILED else 60):  # long enough for a game to end
        assert observations.dtype == np.uint8
        assert env.observation_space.contains(observations)
        assert (observations == as_bytes(expected)).all()
        actions = infos["action_mask"].argmax(axis=1)
        expected, *_, infos = plain.step(actions)
        observations, *_, own_infos = env.step(actions)
        for row in np.flatnonzero(infos.get("_final_obs", np.zeros(3, bool))):
            ended += 1
            assert (own_infos["final_obs"][row] == as_bytes(infos["final_obs"][row])).all()
    assert ended or not COMPILED


@pytest.mark.slow
def test_self_play_in_bytes_is_that_in_float32_rounded():
    plain = pavilion_mini_v0.self_play(2, num_players=3)
    games = pavilion_mini_v0.self_play(2, num_players=3, observation_dtype="uint8", copy=False)
    plain.reset(seed=1)
    games.reset(seed=1)
    for _ in range(20):
        assert games.observation_space.contains(games.observation[0])
        assert (games.observation == as_bytes(plain.observation)).all()
        before = games.observation
        kept = before.copy()
        actions = plain.sample_actions()
        plain.step(actions)
        games.step(actions)
        assert (before == kept).all()


@pytest.mark.parametrize("dtype", ["float64", "int8", None, 8, np.int8])
def test_other_dtypes_are_refused(dtype):
    with pytest.raises(ValueError, match="observation_dtype must be float32 or uint8"):
        duel_v0.DuelVectorEnv(1, observation_dtype=dtype)
    with pytest.raises(ValueError, match="observation_dtype must be float32 or uint8"):
        duel_v0.self_play(1, observation_dtype=dtype)
