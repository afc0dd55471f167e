"""The records that compiled rows keep of each episode and read of its settings. A template: see ``kernels``."""

from __future__ import annotations

import numpy as np

from azul_duel_env.kernels.constants import MAX_POOL, REWARD_PARTS

from .abstraction import ABSTRACTION
from .rules import NUM_PLAYERS


def filled(fields):
    """Return the dtype of a record of fields, widest first, that has no padding, which copies could leave out."""
    gap = -np.dtype(fields).itemsize % np.dtype(fields, align=True).alignment
    return np.dtype((np.record, np.dtype([*fields, ("filler", np.int8, gap)] if gap else fields, align=True)))


ROW = filled(
    [
        ("rng", np.uint64),  # seats, opponents, their random choices, the seeds of later games
        # --- this step and this episode, as the learner sees it; in self-play as player_0 does
        ("reward", np.float64),
        ("total", np.float64),  # of rewards
        # --- of each seat that is rewarded: the learner's alone, or all in self-play
        ("rewards", np.float64, NUM_PLAYERS),  # of this step
        ("potentials", np.float64, NUM_PLAYERS),  # at the decision before
        ("margins", np.float64, NUM_PLAYERS),  # own points less the mean of the others', as last rewarded
        ("steps", np.int64),  # taken by the seat that is asked
        ("final_sum", np.float64),  # final_*: of the episode that ended in this step
        ("final_steps", np.int32),
        ("final_scores", np.int16, NUM_PLAYERS),
        ("opponents", np.int16, NUM_PLAYERS),  # who plays each other seat: a place in the pool
        ("count", np.int16),  # of the game's legal actions in the decision that is due: ``listed`` has them
        ("terminated", np.int8),
        ("truncated", np.int8),
        ("illegal", np.int8),  # the action was not legal
        ("seat", np.int8),  # of the learner, or ALL_SEATS
        ("pending", np.int8),  # FOR_NOBODY, FOR_OPPONENT (outside) or FOR_SOLVER
        ("over", np.int8),  # UNDER_WAY, ENDED (and not begun anew), GIVEN or NO_GAME
        ("final_seat", np.int8),
        ("final_winner", np.int8),  # NOBODY if several share the first place
        ("final_ranks", np.int8, NUM_PLAYERS),  # places from 1; equal players share one
    ]
)

SETTINGS = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("abstraction", ABSTRACTION),
                ("weights", np.float64, len(REWARD_PARTS)),
                ("gamma", np.float64),
                ("penalty", np.float64),
                ("shares", np.float64, MAX_POOL),  # cumulative, of the pool
                ("codes", np.int64, MAX_POOL),
                ("advice", np.int64),  # 1: observations end with greedy's rating of each action
                ("pool", np.int64),  # how many opponents
                ("line_up", np.int64),  # 1: opponents sit in this order after the learner; 0: each seat draws one
                ("seat", np.int64),
                ("autoreset", np.int64),
                ("illegal_action", np.int64),
                ("max_steps", np.int64),  # 0: no limit
            ],
            align=True,
        ),
    )
)
