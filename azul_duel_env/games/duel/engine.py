"""The engine: one decision after the other, and the loops over many states that Python calls.

A state is passed from Python as an array and an index: that costs a fifth of passing a record.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.acquisition import (
    carry_out_acquisition,
    end_turn,
    go_on_ordering,
    list_acquisition,
)
from azul_duel_env.games.duel.actions import MAX_LEGAL, NUM_ACTIONS, TILE_COLUMN
from azul_duel_env.games.duel.chance import (
    NUM_OUTCOMES,
    chance_due,
    chance_weight,
    draw_outcome,
    place_outcome,
    total_weight,
)
from azul_duel_env.games.duel.dome_tiles import needs_choice_in_drawing
from azul_duel_env.games.duel.setup import all_filled, begin_acquisition, begin_opening, fill_factory, refill_display
from azul_duel_env.games.duel.state import (
    CHOOSE_FIRST,
    CHOOSE_SCORING,
    COLUMN,
    DRAWING,
    EXAMINING,
    FILL_FACTORIES,
    GAME_OVER,
    KEEPING,
    NO_CHANCE,
    NOBODY,
    OPENING,
    ORDERING,
    PAYING,
    PLACING,
    REFILL_DISPLAY,
    RETURNING,
    TURN,
    TURN_OVER,
)
from azul_duel_env.games.duel.tiling import carry_out_tiling, examine_line, is_paid, list_tiling, needs_choice_in_tiling
from azul_duel_env.jit import entry, rule
from azul_duel_env.jit.rng import below

MAX_DECISIONS = 700  # E21: no game reaches it


# One state ------------------------------------------------------------------------------------
@rule
def settle(state, legal):
    """Go on until a player has a choice, the game is over, or, with explicit chance, something must be drawn.

    ``legal`` is scratch (int16, MAX_LEGAL).
    """
    while True:
        chance = chance_due(state)
        if chance == NO_CHANCE:
            if waits_for_player(state, legal):
                return
            continue
        total, outcome = total_weight(state, chance)
        if outcome == NOBODY:
            if state.explicit_chance == 1:
                state.chance = chance
                state.player = NOBODY
                return
            outcome = draw_outcome(state, chance, total)
        place_outcome(state, chance, outcome)


@rule
def waits_for_player(state, legal):
    """Do the next thing that nobody decides; return whether there is none, and a player must choose or the game is over."""
    stage = state.stage
    state.player = state.active
    if stage in (TURN, OPENING, PLACING):
        return True
    if stage == TURN_OVER:
        end_turn(state)
    elif stage == EXAMINING:
        examine_line(state, state.active)
    elif stage in (COLUMN, PAYING):
        return needs_choice_in_tiling(state, state.active, legal)
    elif stage == ORDERING:
        return go_on_ordering(state)
    elif stage in (DRAWING, KEEPING, RETURNING):
        return needs_choice_in_drawing(state, state.active)
    elif stage == GAME_OVER:
        state.player = NOBODY
        return True
    else:
        go_on_preparing(state)
    return False


@rule
def go_on_preparing(state):
    """Go on with the setup, in its order (D13-D19), or with the preparation of a round (D81)."""
    stage = state.stage
    if stage == REFILL_DISPLAY:
        refill_display(state)
    elif stage == CHOOSE_SCORING:
        state.stage = FILL_FACTORIES
    elif stage == CHOOSE_FIRST:
        begin_opening(state)
    elif not all_filled(state):
        fill_factory(state)
    elif state.round_number == 0:
        state.stage = CHOOSE_FIRST
    else:
        begin_acquisition(state)


@rule
def list_legal(state, out):
    """Write the legal actions, ascending, into ``out`` (int16, MAX_LEGAL); return how many: 0 when no player decides."""
    if state.player == NOBODY:
        return 0
    if state.stage in (COLUMN, PAYING):
        return list_tiling(state, state.player, out)
    return list_acquisition(state, state.player, out)


@rule
def carry_out(state, action, legal):
    """Carry out a legal action, and go on to the next decision; ``legal`` is scratch (int16, MAX_LEGAL)."""
    state.decisions += 1
    state.source = NOBODY
    if action < TILE_COLUMN:
        carry_out_acquisition(state, state.player, action)
    else:
        carry_out_tiling(state, state.player, action)
    settle(state, legal)


@rule
def draw_chance(state):
    """Draw, with the state's generator, an outcome of the draw that is due with explicit chance."""
    total, _ = total_weight(state, state.chance)
    return draw_outcome(state, state.chance, total)


@rule
def write_mask(state, mask, legal):
    """Write 1 for each legal action and 0 for the others into ``mask`` (int8, NUM_ACTIONS); ``legal`` is scratch."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    for i in range(list_legal(state, legal)):
        mask[legal[i]] = 1


# From Python: states and an index -------------------------------------------------------------
@entry
def advance_to_decision(states, i):
    """Let a boxed state go on to its first decision, or with explicit chance its first draw."""
    settle(states[i], np.empty(MAX_LEGAL, np.int16))


@entry
def try_action(states, i, action):
    """Carry out an action if it is legal; return whether it was. An illegal one changes nothing."""
    state = states[i]
    legal = np.empty(MAX_LEGAL, np.int16)
    for k in range(list_legal(state, legal)):
        if legal[k] == action:
            carry_out(state, action, legal)
            return True
    return False


@entry
def legal_mask(states, i, mask):
    """Write the action mask of one state into ``mask`` (int8, NUM_ACTIONS)."""
    write_mask(states[i], mask, np.empty(MAX_LEGAL, np.int16))


@entry
def legal_actions(states, i, legal):
    """Write the legal actions of one state, ascending, into ``legal`` (int16, MAX_LEGAL); return how many."""
    return list_legal(states[i], legal)


@entry
def outcome_weights(states, i, weights):
    """Write the integer weights of the outcomes of the draw that is due into ``weights`` (int64, 256); return how many."""
    state = states[i]
    count = NUM_OUTCOMES[state.chance]
    for outcome in range(count):
        weights[outcome] = chance_weight(state, state.chance, outcome)
    return count


@entry
def try_outcome(states, i, outcome):
    """Let an outcome of the draw that is due happen, if it is possible; return whether it was. Else nothing changes."""
    state = states[i]
    if not 0 <= outcome < NUM_OUTCOMES[state.chance] or chance_weight(state, state.chance, outcome) == 0:
        return False
    place_outcome(state, state.chance, outcome)
    settle(state, np.empty(MAX_LEGAL, np.int16))
    return True


@entry
def draw_chance_of(states, i):
    """Draw, with the state's generator, an outcome of the draw that is due."""
    return draw_chance(states[i])


# Whole games ----------------------------------------------------------------------------------
@rule
def playout(state, legal):
    """Play a state to its end with random actions; return the number of decisions. Explicit chance draws by itself here."""
    decisions = 0
    while state.stage != GAME_OVER:
        if state.player == NOBODY:
            place_outcome(state, state.chance, draw_chance(state))
            settle(state, legal)
        else:
            carry_out(state, legal[below(state, list_legal(state, legal))], legal)
            decisions += 1
    return decisions


@entry
def playouts(states, start, count):
    """Play ``count`` random games in ``states[0]``, one after the other, each from ``start[0]`` but for the generator, which goes on.

    Returns:
        decisions made in all (int64).
    """
    legal = np.empty(MAX_LEGAL, np.int16)
    decisions = 0
    for _ in range(count):
        word = states[0].rng
        states[0] = start[0]
        states[0].rng = word
        settle(states[0], legal)
        decisions += playout(states[0], legal)
    return decisions


@rule
def winner(state):
    """Return who won: most points, on a tie who has the first-player tile (D94), else NOBODY (R41)."""
    if state.scores[0] != state.scores[1]:
        return 0 if state.scores[0] > state.scores[1] else 1
    return state.first_player_tile  # D94, R41: NOBODY if it lies on the large factory


@entry
def first_player_of(states, i):
    """Return who begins the round, or NOBODY before the first one was drawn."""
    return states[i].first_player


@entry
def is_paid_of(states, i):
    """Return whether the chips that a player has turned over so far pay for the examined line (R30)."""
    return is_paid(states[i], states[i].active)


@rule
def rank(state, player):
    """Return the place of a player of a finished game: 1, or 2; in a draw both are first (R41)."""
    won = winner(state)
    return 1 if won in (NOBODY, player) else 2


@entry
def rank_of(states, i, player):
    """Return the place of a player of a finished game, from 1; equal players share one."""
    return rank(states[i], player)


@rule
def round_number(state):
    """Return the number of the round under way, from 1."""
    return int(state.round_number)


@entry
def round_number_of(states, i):
    """Return the number of the round under way, from 1."""
    return round_number(states[i])


@rule
def let_chance_draw(state):
    """Let chance draw by itself from now on."""
    state.explicit_chance = 0


@entry
def count_leaves(states, depth):
    """Return how many sequences of ``depth`` decisions the first state allows; draws go by the state's own generator (perft)."""
    legal = np.empty((depth, MAX_LEGAL), np.int16)
    total = np.empty(depth, np.int64)
    at = np.zeros(depth, np.int64)
    scratch = np.empty(MAX_LEGAL, np.int16)
    path = np.empty(depth + 1, states.dtype)
    path[0] = states[0]
    total[0] = list_legal(path[0], legal[0])
    leaves = 0
    level = 0
    while level >= 0:
        if level == depth - 1 or at[level] == total[level]:
            leaves += total[level] if level == depth - 1 else 0
            level -= 1
            continue
        path[level + 1] = path[level]
        carry_out(path[level + 1], legal[level, at[level]], scratch)
        at[level] += 1
        level += 1
        at[level] = 0
        total[level] = list_legal(path[level], legal[level])
    return leaves
