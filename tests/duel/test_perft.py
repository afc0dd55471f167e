"""Counts: how many sequences of decisions fixed positions allow (perft), pinned, and counted a second time in plain Python."""

from __future__ import annotations

import pytest
from azul_duel_env.games.duel.kernels.entries import count_leaves
from places import POSITIONS
from sizes import SCALE

from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED

LEAVES = {
    "opening": (108, 11664, 2437776),
    "first-turn": (237, 26458, 2210013),
    "drawing": (2, 5, 46),
    "keeping": (4, 12, 24),
    "ordering": (2, 73, 1808),
    "round-3": (103, 5242, 299221),
    "column": (2, 10, 210),
    "paying": (6, 29, 203),
    "paying-all": (6, 29, 211),
    "last-turns": (7, 28, 96),
}
"""Sequences of 1, 2 and 3 decisions; draws come from the generator in the file."""
MOST = 10**7 if COMPILED else 300 * max(1.0, 80 * SCALE)
"""Larger counts are left out in this lane."""


def position_of(name):
    """Return a saved position; ``paying-all`` is ``paying`` with every payment on offer (R30)."""
    text = (POSITIONS / f"perft-{name.removesuffix('-all')}.txt").read_text()
    return GAME.read_position(
        text.replace(" scoring_tiles", " chip_payments=all scoring_tiles") if "-all" in name else text
    )


def plain_count(position, depth):
    """Count the sequences of decisions one by one, over copies."""
    legal = position.legal_actions()
    if depth == 1 or len(legal) == 0:
        return len(legal) if depth == 1 else 0
    leaves = 0
    for action in legal.tolist():
        following = position.copy()
        following.step(action)
        leaves += plain_count(following, depth - 1)
    return leaves


CASES = [(name, depth) for name in LEAVES for depth in (1, 2, 3)]


@pytest.mark.parametrize(("name", "depth"), CASES, ids=[f"{name}-{depth}" for name, depth in CASES])
def test_leaves(name, depth):
    expected = LEAVES[name][depth - 1]
    if expected > MOST:
        pytest.skip("too many for this lane")
    position = position_of(name)
    before = position.states.tobytes()
    assert count_leaves(position.states, depth) == expected
    assert position.states.tobytes() == before, "counting changes nothing"
    if depth <= 2:
        assert plain_count(position, depth) == expected


def test_a_finished_game_has_no_leaves():
    position = position_of("last-turns")
    while not position.over:
        position.step(int(position.legal_actions()[0]))
    assert [int(count_leaves(position.states, depth)) for depth in (1, 2)] == [0, 0]


def test_every_saved_position_is_counted():
    assert {path.stem.removeprefix("perft-") for path in POSITIONS.glob("perft-*.txt")} == set(LEAVES) - {"paying-all"}
