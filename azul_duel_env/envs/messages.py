"""What is said where rows of games can't be stepped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.row_arrays import Rows
from azul_duel_env.kernels.constants import ENDED, MISSING, OVER, PENDING

NO_GAME_YET = "there is no game, not yet or not any more: call reset() first"
SHOWN = 12
"""So many legal actions are named."""


def why_not_stepped(games: Rows, which: NDArray[np.int64], row: int, problem: int) -> str:
    """Return what keeps ``row`` of the rows ``which`` from being stepped, for a problem that the compiled rows have found."""
    if problem == MISSING:
        return NO_GAME_YET
    if problem == PENDING:
        return f"row {row} waits for an opponent's answer in another call: let that end, or call reset()"
    if problem == OVER:
        over = which[games.rows["over"][which] == ENDED]
        return f"the episodes of rows {over[:8].tolist()} are over: reset them first"
    return why_illegal(games, row, int(games.actions[row]))


def why_illegal(games: Rows, row: int, action: int) -> str:
    """Return a message for an action that is not legal in a row: what is due, and what would be legal."""
    legal = np.flatnonzero(games.masks[row]).tolist()
    name = games.abstraction.action_name
    shown = "; ".join(f"{a} {name(a)}" for a in legal[:SHOWN])
    more = f"; and {len(legal) - SHOWN} more" if len(legal) > SHOWN else ""
    what = f" ({name(action)})" if 0 <= action < games.abstraction.num_actions else ""
    due = games.game.text.decision_name(games.states, row)
    return f"action {action}{what} is not legal in row {row}: {due}. Legal ({len(legal)}): {shown}{more}"
