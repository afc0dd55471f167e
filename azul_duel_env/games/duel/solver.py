"""The best dome tiling: which columns and bonus chips bring a player most in phase 2 (RULES A.10 to A.13), found exactly.

Nothing is drawn in phase 2 and the other player changes nothing, so a player's tiling is a small finite problem: for each line that
can be finished whether to pay, with which bonus chips, and to which column its tile goes. What it is to bring, most important first:

1. points: of tiles and special tiles less the penalties, and in round 5 of the scoring tiles too, each sum at least 0 (R38, R43);
   a caller may add what a tile on each space and a bonus chip left face up are worth besides;
2. bonus chips left face up;
3. the lowest actions, decision by decision, the chips for a line in the order of their kinds.

The rules' own functions carry everything out, on copies. Which lines can be paid for together, and what that leaves, does not depend on
columns, so it is found first; then columns line by line. A branch is left only when a bound on what it can still bring shows that
it is no better than the best so far: all that might be placed before a tile is then taken as placed.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.actions import CHIP_DECLINE, CHIP_SPEND, TILE_COLUMN
from azul_duel_env.games.duel.chance import count_all
from azul_duel_env.games.duel.components import (
    CHIP_SHOWS,
    DOME_SIZE,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_LINES,
    NUM_ROUNDS,
    PAIR,
    TRIPLE,
)
from azul_duel_env.games.duel.scoring import penalty, points_for_scoring_tiles, points_for_tile, slot_of
from azul_duel_env.games.duel.state import COLUMN, EXAMINING, GAME_OVER, NOBODY, PAYING, STATE
from azul_duel_env.games.duel.tiling import (
    accepts_tile,
    can_pay,
    chips_face_up,
    count_accepting,
    end_payment,
    finish_payment,
    is_paid,
    leave_unplaceable,
    may_spend,
    missing_tiles,
    place_line_tile,
    place_special_tile,
    spend_chip,
)
from azul_duel_env.jit import entry, rule, rule_with_arrays

SETS_OF_LINES = 1 << NUM_LINES
"""A set of pattern lines is a number with a bit for each: 1 for line 1, 2 for line 2, 4 for line 3 ..."""
COLOURS_OF_CHIP = CHIP_SHOWS @ (1 << np.arange(NUM_COLOURS))
"""int64 (10,): the colours that a chip kind shows, a bit for each."""
IMPOSSIBLE = -1
NO_CHIP_YET = -1
NOT_PLACED = -1

PLAN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # --- the lines whose tiles can be placed, from top to bottom
                ("num_open", np.int64),
                ("open", np.int64, NUM_LINES),  # which line
                ("price", np.int64, NUM_LINES),  # the set of this line alone if it must be paid for, else 0
                ("prices", np.int64, NUM_LINES + 1),  # the set of all from this one on that must be paid for
                ("colours", np.int64, NUM_LINES + 1),  # the colours of those, a bit each
                # --- bounds for each of them
                ("fewest_chips", np.int64, NUM_LINES),
                ("most_points", np.int64, NUM_LINES),  # of the line's tile and its special tile
                ("most_worth", np.float64, NUM_LINES),  # what the caller adds
                ("most_scoring", np.int64),  # points of the scoring tiles
                # --- for each set of lines
                ("chips_left", np.int64, SETS_OF_LINES),  # at most, once they are paid for; or IMPOSSIBLE
                ("first_chip", np.int64, SETS_OF_LINES),  # the kind turned over first
                # --- the columns being tried, and the best tiling
                ("columns", np.int64, NUM_LINES),
                ("value", np.float64),
                ("paid", np.int64),  # the set of lines paid for
                ("best_columns", np.int64, NUM_LINES),  # or NOT_PLACED
            ],
            align=True,
        ),
    )
)
"""What the solver finds out about one tiling, and at last the best one: ``value``, ``paid``, ``best_columns``."""


# The problem ----------------------------------------------------------------------------------
@rule
def has_tiled(state, player):
    """Return whether a player's phase 2 of this round is over, and the other's is not."""
    return state.line != NOBODY and state.active != player and state.first_player == player  # R20


@rule
def start_tiling(trial, player):
    """Let a player's phase 2 begin, unless it is under way. A payment that contains a cheaper one is never better (R30)."""
    if trial.line == NOBODY or trial.active != player:
        trial.line = 0
        trial.stage = EXAMINING
        end_payment(trial)
    elif trial.stage == PAYING and is_paid(trial, player):
        finish_payment(trial)
    if trial.paid_matching + trial.paid_other == 0:
        trial.chip_payments_all = 0


@rule
def list_open_lines(trial, player, plan):
    """List the lines whose tiles can be placed, and break those that must break: no choice changes which (R23, R24, R26)."""
    at = int(trial.line)
    stage = trial.stage
    plan.num_open = 0
    for line in range(at, NUM_LINES):
        trial.line = line
        if trial.lines[player, line] == 0:
            continue
        if count_accepting(trial, player) == 0:
            leave_unplaceable(trial, player)
        elif missing_tiles(trial, player) == 0 or (line == at and stage == COLUMN):  # D74
            open_line(plan, line, 0)
        elif can_pay(trial, player) or (line == at and stage == PAYING):
            open_line(plan, line, 1 << line)
    trial.line = at


@rule
def open_line(plan, line, price):
    """Add a line to those whose tiles can be placed."""
    plan.open[plan.num_open] = line
    plan.price[plan.num_open] = price
    plan.num_open += 1


# Bonus chips ----------------------------------------------------------------------------------
@rule
def find_payments(path, player, plan):
    """Write for each set of lines how many chips paying for it leaves at most; ``path[0]`` is the state."""
    for lines in range(SETS_OF_LINES):
        plan.chips_left[lines] = IMPOSSIBLE
    plan.colours[plan.num_open] = 0
    plan.prices[plan.num_open] = 0
    for k in range(plan.num_open - 1, -1, -1):
        plan.colours[k] = plan.colours[k + 1]
        plan.prices[k] = plan.prices[k + 1] | plan.price[k]
        if plan.price[k] > 0:
            plan.colours[k] |= 1 << int(path[0].line_colours[player, plan.open[k]])
            path[0].line = plan.open[k]
            plan.fewest_chips[k] = fewest_for_line(path[0], player)
    try_payments(path, 0, player, plan, 0, 0, 0, NO_CHIP_YET)


@rule
def fewest_for_line(state, player):
    """Return the fewest chips that can pay for the examined line (D70): two that match for a tile as long as there are some."""
    missing = missing_tiles(state, player)
    pairs = min(missing, chips_face_up(state, player, True) // PAIR)
    return PAIR * pairs + TRIPLE * (missing - pairs)


@rule
def try_payments(path, depth, player, plan, k, paid, lowest, first):
    """Try all ways to pay for open lines from the k-th on, or not, when ``path[depth]`` is left after ``paid``.

    Chips for a line come in the order of their kinds, from ``lowest`` on; ``first`` is the first of all.
    """
    state = path[depth]
    while k < plan.num_open and plan.price[k] == 0:
        k += 1
    if k == plan.num_open:
        note_payment(plan, paid, count_all(state.chips_up[player]), first)
        return
    begun = state.paid_matching + state.paid_other > 0
    if not begun and not may_leave_more(plan, k, paid, count_all(state.chips_up[player])):
        return
    state.line = plan.open[k]
    matching = may_spend(state, player, True)
    other = may_spend(state, player, False)
    for chip in range(lowest, NUM_CHIP_KINDS):
        fits = matching if CHIP_SHOWS[chip, state.line_colours[player, state.line]] else other
        if fits and state.chips_up[player, chip] > 0 and not has_stand_in(state, player, chip, plan.colours[k]):
            done = spend_on_copy(path, depth, player, chip)
            now_first = chip if first == NO_CHIP_YET else first
            now_paid = paid | plan.price[k] if done else paid
            now_lowest = 0 if done else chip
            try_payments(path, depth + 1, player, plan, k + 1 if done else k, now_paid, now_lowest, now_first)
    if not begun:  # R27: who has begun to pay must finish
        try_payments(path, depth, player, plan, k + 1, paid, np.int64(0), first)


@rule
def may_leave_more(plan, k, paid, left):
    """Return whether some of the lines from the k-th on, paid for with the ``left`` chips, might leave more than is known."""
    some = plan.prices[k]
    while True:
        fewest = 0
        for later in range(k, plan.num_open):
            fewest += plan.fewest_chips[later] if plan.price[later] & some > 0 else 0
        if left - fewest > plan.chips_left[paid | some]:
            return True
        if some == 0:
            return False
        some = (some - 1) & plan.prices[k]  # the next smaller set of these lines


@rule
def spend_on_copy(path, depth, player, chip):
    """Turn a chip over for the examined line of ``path[depth]``, in ``path[depth + 1]``; return whether that pays for the line."""
    path[depth + 1] = path[depth]
    after = path[depth + 1]
    after.stage = PAYING
    spend_chip(after, player, chip)
    if after.stage == PAYING and is_paid(after, player):
        finish_payment(after)
    if after.stage == COLUMN:  # R30: only a payment that a given state has begun may have to be a wasteful one
        after.chip_payments_all = 0
    return after.stage == COLUMN


@rule
def has_stand_in(state, player, chip, colours):
    """Return whether a face-up chip of a lower kind is as good: it shows the same of the colours that still matter."""
    for other in range(chip):
        same = (COLOURS_OF_CHIP[other] ^ COLOURS_OF_CHIP[chip]) & colours == 0
        if same and state.chips_up[player, other] > 0:
            return True
    return False


@rule
def note_payment(plan, paid, left, first):
    """Keep the payment for a set of lines that leaves most chips."""
    if left > plan.chips_left[paid]:
        plan.chips_left[paid] = left
        plan.first_chip[paid] = first


# Bounds ---------------------------------------------------------------------------------------
@rule_with_arrays
def find_bounds(hope, player, plan, worth):
    """Write what each open line, and the scoring tiles, can bring at most; ``hope`` is a copy of the state.

    More tiles on the dome never make a tile or a scoring tile worth less, so in ``hope`` all go wherever they might.
    """
    for k in range(plan.num_open):
        line = plan.open[k]
        hope.line = line
        points = np.zeros(DOME_SIZE, np.int64)
        plan.most_points[k] = 0
        plan.most_worth[k] = 0.0 if plan.price[k] > 0 else -np.inf
        for column in range(DOME_SIZE):
            if accepts_tile(hope, player, column):
                points[column] = points_for_tile(hope, player, line, column)
                plan.most_worth[k] = max(plan.most_worth[k], worth[line, column])
        for column in range(DOME_SIZE):
            if points[column] > 0:
                before = int(hope.scores[player])
                hope.tiles[player, line, column] = hope.line_colours[player, line]
                place_special_tile(hope, player, slot_of(line, column))
                plan.most_points[k] = max(plan.most_points[k], points[column] + hope.scores[player] - before)
    plan.most_scoring = points_for_scoring_tiles(hope, player)


@rule
def most_from(state, player, plan, k, paid, added):
    """Return at most what open lines from the k-th on bring a state in which ``paid`` were paid for and ``added`` is added."""
    points = 0
    for later in range(k, plan.num_open):
        if plan.chips_left[paid | plan.price[later]] != IMPOSSIBLE:
            points += plan.most_points[later]
            added += plan.most_worth[later]
    return final_score(state, player, points, plan.most_scoring) + added


@rule
def final_score(state, player, points, scoring):
    """Return a player's score at the end of phase 2 (D80, R43), in round 5 with the scoring tiles (D85, R38)."""
    score = max(0, state.scores[player] + points - penalty(state, player))
    if state.round_number == NUM_ROUNDS:
        score = max(0, score + scoring)
    return score


# Columns --------------------------------------------------------------------------------------
@rule
def try_columns(path, k, player, plan, paid, added, worth, chip_worth):
    """Try all columns for the tiles of open lines from the k-th on; ``path[k]`` is the state after those before it."""
    state = path[k]
    left = plan.chips_left[paid]
    if k == plan.num_open:
        value = final_score(state, player, 0, points_for_scoring_tiles(state, player)) + added + chip_worth * left
        note_tiling(plan, value, paid)
        return
    hoped = most_from(state, player, plan, k, paid, added) + chip_worth * left
    if not is_better(plan, hoped, paid):
        return
    state.line = plan.open[k]
    now_paid = paid | plan.price[k]
    for column in range(DOME_SIZE):
        if plan.chips_left[now_paid] != IMPOSSIBLE and accepts_tile(state, player, column):
            path[k + 1] = state
            place_line_tile(path[k + 1], player, column)
            plan.columns[k] = column
            more = added + worth[plan.open[k], column]
            try_columns(path, k + 1, player, plan, now_paid, more, worth, chip_worth)
    if plan.price[k] > 0:
        path[k + 1] = state
        plan.columns[k] = NOT_PLACED
        try_columns(path, k + 1, player, plan, paid, added, worth, chip_worth)


@rule
def is_better(plan, value, paid):
    """Return whether a tiling of this value with these lines paid for is better than the best so far."""
    if value != plan.value:
        return value > plan.value
    return plan.chips_left[paid] > plan.chips_left[plan.paid]


@rule
def note_tiling(plan, value, paid):
    """Keep a tiling that is better than the best so far."""
    if is_better(plan, value, paid):
        plan.value = value
        plan.paid = paid
        for k in range(plan.num_open):
            plan.best_columns[k] = plan.columns[k]


# The best tiling ------------------------------------------------------------------------------
@rule_with_arrays
def solve(state, player, worth, chip_worth):
    """Return the plan, an array of one ``PLAN``, of a player's best tiling, from now if it is under way, else as if it came now.

    ``worth`` (float64, 6 x 6) is what a line's tile on each space, and ``chip_worth`` (at least 0) what each chip left face up is
    worth besides the points. The state is not changed.
    """
    plans = np.zeros(1, PLAN)
    plan = plans[0]
    plan.value = -np.inf
    path = np.empty(max(NUM_LINES, count_all(state.chips_up[player])) + 2, STATE)
    path[0] = state
    start_tiling(path[0], player)
    list_open_lines(path[0], player, plan)
    find_payments(path, player, plan)
    paid = np.int64(0)
    if path[0].paid_matching + path[0].paid_other > 0:  # R27: who has begun to pay must finish
        paid = plan.price[0]
        plan.price[0] = 0
    path[1] = path[0]
    find_bounds(path[1], player, plan, worth)
    try_columns(path, 0, player, plan, paid, 0.0, worth, chip_worth)
    return plans


@rule
def planned_action(state, plan):
    """Return the action that a player's plan chooses in the decision of phase 2 that is due."""
    if state.stage == COLUMN:
        return TILE_COLUMN + plan.best_columns[0]
    if plan.paid >> int(state.line) & 1 == 0:
        return np.int64(CHIP_DECLINE)
    return CHIP_SPEND + plan.first_chip[plan.paid]


@rule_with_arrays
def most_points(state):
    """Return the action of the tiling that brings most points, in the decision of phase 2 that is due."""
    return planned_action(state, solve(state, state.player, np.zeros((NUM_LINES, DOME_SIZE)), 0.0)[0])


# From Python: states and an index -------------------------------------------------------------
@entry
def tiling_value(states, i, player):
    """Return by how many points (int) the player's score changes if their phase 2 comes now, or goes on if it is under way, at best.

    Round 5 includes the scoring tiles. Who has tiled in this round gets those alone, and after the game nobody gets anything.
    """
    state = states[i]
    if state.stage == GAME_OVER:
        return 0
    if has_tiled(state, player):
        scoring = points_for_scoring_tiles(state, player) if state.round_number == NUM_ROUNDS else 0
        return max(0, state.scores[player] + scoring) - state.scores[player]
    plan = solve(state, player, np.zeros((NUM_LINES, DOME_SIZE)), 0.0)[0]
    return int(plan.value) - state.scores[player]


@entry
def best_tiling_action(states, i, worth, chip_worth):
    """Return the action of the best tiling in the decision of phase 2 that is due.

    Args:
        states: array of states.
        i: which of them; its stage must be COLUMN or PAYING.
        worth: float64 (6, 6), what a line's tile on each space is worth besides its points; all 0 for points alone.
        chip_worth: float, at least 0, what each bonus chip left face up is worth; 0.0 for points alone.
    """
    return planned_action(states[i], solve(states[i], states[i].player, worth, chip_worth)[0])
