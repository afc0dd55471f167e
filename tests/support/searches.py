"""What tests of searches share: positions, and what is right in them."""

from __future__ import annotations

import numpy as np
from walks import positions

from azul_duel_env.game import Position
from azul_duel_env.games.duel.components import NUM_LINES, NUM_ROUNDS
from azul_duel_env.games.duel.state import COLUMN, PAYING
from azul_duel_env.jit import COMPILED

KEY = np.uint64(12345)
FEW = 8 if COMPILED else 2


def same(one, two) -> bool:
    """Whether two searches found the same."""
    arrays = ("actions", "visits", "values", "priors")
    alike = all(np.array_equal(getattr(one, name), getattr(two, name), equal_nan=name == "values") for name in arrays)
    return alike and (one.best, one.variation, one.simulations) == (two.best, two.variation, two.simulations)


def late(count, **options):
    """Positions of the last two rounds; in the uncompiled lane of the last tilings, after which there is little to play on."""
    for position in positions(10**7, **options):
        if position.over or position.states["round_number"][0] < NUM_ROUNDS - 1:
            continue
        if COMPILED or position.states["stage"][0] in (COLUMN, PAYING):
            yield position
            count -= 1
            if count == 0:
                return


def outcomes(position: Position, player: int) -> set[tuple[int, int]]:
    """Points of both players in every way in which a game without draws may end, if one player makes all decisions."""
    if position.over:
        return {position.scores}
    assert position.player == player
    found = set()
    for action in position.legal_actions().tolist():
        after = position.copy()
        after.step(action)
        found |= outcomes(after, player)
    return found


def last_tiling_decisions(count):
    """Positions with a line or two left to tile, all of one player, up to the end of the game."""
    for position in positions(10**7, first_seed=900):
        s = position.states[0]
        if position.over or s.round_number < NUM_ROUNDS or s.line < NUM_LINES - 2 or s.active == s.first_player:
            continue
        yield position.copy()
        count -= 1
        if count == 0:
            return


def last_tilings(count):
    """Positions with a line or two left to tile, in which one first action always leads to more points than any other can.

    Yields:
        position, that action, the fewest points that it leads to, and the most that another leads to.
    """
    for position in last_tiling_decisions(10**7):
        player, reached = position.player, {}
        for action in position.legal_actions().tolist():
            after = position.copy()
            after.step(action)
            reached[action] = [scores[player] for scores in outcomes(after, player)]
        best = max(reached, key=lambda action: min(reached[action]))
        second = max(max(points) for action, points in reached.items() if action != best)
        if min(reached[best]) > second + 1:
            yield position, best, min(reached[best]), second
            count -= 1
            if count == 0:
                return
