"""A second opinion: whole games of the Mini on the core and on the naive twin, compared at every step.

``AZUL_DUEL_TEST_SCALE=70`` plays more than 10,000 games.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from mini_twin import play
from sizes import scaled

from azul_duel_env.games.pavilion_mini.components import COLOURS

VARIANTS = list(product((2, 3, 4), ("coloured", "grey"), ("most", "any"), ("random", "sensible")))
GAMES = scaled(6)


@pytest.mark.untraced
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_core_and_twin_agree(variant):
    num_players, board, keep, policy = variant
    first = VARIANTS.index(variant) * 100_000
    for seed in range(first, first + GAMES):
        order = COLOURS if seed % 2 else tuple(np.random.default_rng(seed).permutation(COLOURS).tolist())
        beginner = {"first_player": seed % num_players} if seed % 3 == 0 else {}
        try:
            decisions = play(num_players, seed, policy, board=board, keep=keep, wild_order=order, **beginner)
        except AssertionError as error:
            raise AssertionError(f"{variant}, seed {seed}: {error}") from error
        assert 60 < decisions < 450
