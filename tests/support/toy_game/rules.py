"""Dice: a game of three players. In turn, each rolls a die of three sides and takes its points, or gives them to the player after them."""

from __future__ import annotations

import numpy as np

from azul_duel_env.game import NOBODY
from azul_duel_env.jit import rule
from azul_duel_env.jit.rng import below

NUM_PLAYERS, NUM_ACTIONS, MAX_LEGAL, SIDES, ROUNDS = 3, 2, 2, 3, 4
TAKE, GIVE = range(NUM_ACTIONS)
MAX_DECISIONS = NUM_PLAYERS * ROUNDS
OBSERVATION_SIZE = NUM_PLAYERS + 2
FIELDS = [("rng", np.uint64), ("scores", np.int16, NUM_PLAYERS), ("decisions", np.int16)]
STATE = np.dtype(
    (np.record, np.dtype([*FIELDS, *((name, np.int8) for name in ("player", "chance", "explicit_chance", "die"))]))
)


@rule
def settle(state, legal):
    """Roll the die for the next player, or wait for it to be rolled."""
    state.player = NOBODY
    if state.decisions == MAX_DECISIONS:
        return
    if state.die == 0 and state.explicit_chance == 1:
        state.chance = 1
        return
    if state.die == 0:
        state.die = 1 + below(state, SIDES)
    state.player = state.decisions % NUM_PLAYERS


@rule
def list_legal(state, legal):
    """Both actions are always legal."""
    legal[0], legal[1] = TAKE, GIVE
    return 0 if state.player == NOBODY else NUM_ACTIONS


@rule
def carry_out(state, action, legal):
    """Book the points of the die."""
    state.scores[(state.player + action) % NUM_PLAYERS] += state.die
    state.die = 0
    state.decisions += 1
    settle(state, legal)


@rule
def num_outcomes(state):
    """A die has three sides."""
    return SIDES


@rule
def outcome_weight(state, outcome):
    """All are as likely."""
    return 1


@rule
def draw_outcome(state):
    """Roll."""
    return below(state, SIDES)


@rule
def place_outcome(state, outcome):
    """Lay the die."""
    state.die = 1 + outcome
    state.chance = 0


@rule
def let_chance_draw(state):
    """Roll by itself from now on."""
    state.explicit_chance = 0


@rule
def rank(state, player):
    """Most points are first."""
    ahead = 0
    for other in range(NUM_PLAYERS):
        ahead += state.scores[other] > state.scores[player]
    return 1 + ahead


@rule
def round_number(state):
    """Each player decides once a round."""
    return 1 + min(int(state.decisions), MAX_DECISIONS - 1) // NUM_PLAYERS


@rule
def first_player(state):
    """Player 0 begins each round."""
    return 0


@rule
def resample_state(state, player, key):
    """Nothing is hidden but what will be rolled."""
    state.rng = key


@rule
def write_observation(state, player, out):
    """Own points first, then those of the players after; the die; the round."""
    for k in range(NUM_PLAYERS):
        out[k] = state.scores[(player + k) % NUM_PLAYERS] / (SIDES * MAX_DECISIONS)
    out[NUM_PLAYERS] = state.die / SIDES
    out[NUM_PLAYERS + 1] = round_number(state) / ROUNDS
