"""Advice of greedy in observations, which compiled code writes into the rows of a batch."""

from __future__ import annotations

import numpy as np
import pytest
from lone_row import at_random

from azul_duel_env.jit import COMPILED

pytest.importorskip("stable_baselines3")

from azul_duel_env.envs.sb3 import make_sb3_vec

COARSE = {"bonus_chips": "whether", "moon_order": "useful_on_top", "return_order": "ascending"}


@pytest.mark.parametrize("options", [{}, COARSE, {"placement": "split"}], ids=["full", "coarse", "split"])
def test_advice_rates_legal_actions_and_the_best_with_1(options):
    rows = 16 if COMPILED else 2
    env = make_sb3_vec(rows, opponent="random", advice="greedy", seed=2, **options)
    plain = make_sb3_vec(rows, opponent="random", seed=2, **options)
    actions, rng = env.action_space.n, np.random.default_rng(0)
    observations, without = env.reset(), plain.reset()
    seen = set()
    for _ in range(40 if COMPILED else 6):
        masks = env.action_masks()
        advice = observations[:, -actions:]
        assert env.observation_space.contains(observations[0])
        assert not advice[masks == 0].any()
        np.testing.assert_array_equal(advice.max(axis=1), 1.0)
        np.testing.assert_array_equal(observations[:, :-actions], without)
        seen |= set(np.round(advice[masks == 1], 3).tolist())
        chosen = at_random(masks, rng)
        observations, without = env.step(chosen)[0], plain.step(chosen)[0]
    assert len(seen) > 3
