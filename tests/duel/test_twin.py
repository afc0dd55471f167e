"""A second opinion: whole games on the core and on the naive twin, compared at every step."""

from __future__ import annotations

from itertools import product

import pytest
from sizes import scaled
from twin import play

from azul_duel_env.games.duel import Options
from azul_duel_env.jit import COMPILED

VARIANTS = [
    (*variant, ("undominated", "all")[number.bit_count() % 2])
    for number, variant in enumerate(product((3, 4), ("free", "forced_only"), (True, False)))
]
"""Each two values together."""
POLICIES = ("random", "fill", "draw")
GAMES = scaled(12)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_core_and_twin_agree(variant, policy):
    scoring_tiles, zero_point_draw, special_counts_as_colour, chip_payments = variant
    which = VARIANTS.index(variant) * len(POLICIES) + POLICIES.index(policy)
    if not COMPILED and which % 5:
        pytest.skip("uncompiled, every fifth variant is played")
    options = Options(
        scoring_tiles=scoring_tiles,
        zero_point_draw=zero_point_draw,
        special_counts_as_colour=special_counts_as_colour,
        chip_payments=chip_payments,
        explicit_chance=True,
    )
    for seed in range(which * 100_000, which * 100_000 + GAMES):
        try:
            decisions = play(seed, options, policy)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, {options}, policy {policy}: {error}") from error
        assert 66 <= decisions <= 605, f"seed {seed}: {decisions} decisions (E20, E21)"
