"""Where points come from: the points of events, added up by their kind."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.components import CONDITIONS, START_SCORE
from azul_duel_env.games.duel.event_log import (
    ACTION,
    KIND,
    MAX_EVENTS,
    PLAYER,
    POINTS,
    ROW_SIZE,
    carry_out_logged,
)
from azul_duel_env.games.duel.events import EVENT_KINDS
from azul_duel_env.games.duel.scoring import points_for_condition
from azul_duel_env.jit import entry

SOURCES = {
    "tiles": "tiles placed from pattern lines",
    "special_tiles": "special tiles",
    "draws": "paid for drawing dome tiles",
    "penalties": "broken tiles and the first-player tile, as far as there were points to lose",
    "scoring_tiles": "the scoring tiles at the end",
}
"""Source -> what it is; besides, everybody starts with ``START_SCORE`` points."""

NO_SOURCE = -1
SOURCE_OF = np.array(
    [list(SOURCES).index(kind.source) if kind.source else NO_SOURCE for kind in EVENT_KINDS.values()], np.int64
)
"""int64 (kinds of events,): the source of an event's points."""

START = START_SCORE
SCORING_TILE_NAMES = CONDITIONS


@entry
def book_points(log, count, book):
    """Add the points of the first ``count`` events of a log to the book (int64, players, sources)."""
    for k in range(count):
        source = SOURCE_OF[log[k, KIND]]
        if source != NO_SOURCE:
            book[log[k, PLAYER], source] += log[k, POINTS]


def carry_out_booked(states: np.ndarray, i: int, action: int, book: np.ndarray) -> None:
    """Carry out a legal action and go on to the next decision or, with explicit chance, the next draw.

    Args:
        states: one of them is changed as ``entries.try_action`` does.
        i: which.
        action: a legal one; an illegal one changes nothing.
        book: int64 (players, sources); what changed is added.
    """
    log = np.empty((MAX_EVENTS, ROW_SIZE), np.int16)
    book_points(log, carry_out_logged(states, i, ACTION, action, log), book)


@entry
def scoring_tiles_of(states, i, player, points):
    """Write the points of each condition, in play or not, into ``points`` (int64, conditions)."""
    for condition in range(len(points)):
        points[condition] = points_for_condition(states[i], player, condition)


def scoring_tiles_in_play(states: np.ndarray, i: int) -> np.ndarray:
    """Return which conditions are in play (bool, conditions)."""
    in_play: np.ndarray = states["scoring"][i] == 1
    return in_play
