"""An episode in a row: who plays in it, what it rewards, and how it ends. A template: see ``kernels``."""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import rule
from azul_duel_env.jit.rng import next_bits, pick
from azul_duel_env.kernels.constants import (
    ALL_SEATS,
    ENDED,
    FOR_NOBODY,
    NO_RANK,
    POTENTIAL,
    RANDOM_SEAT,
    RANK,
    SCORE_DELTA,
    SCORE_MARGIN,
    UNDER_WAY,
    WIN_LOSS,
)

from .outcome import NUM_OTHERS, margin_of, potential_of, utility, utility_of_rank
from .rules import NUM_PLAYERS, rank, settle


@rule
def begin_episode(states, i, row, start, settings, legal):
    """Begin a new game, dealt by the row's generator."""
    states[i] = start[0]
    states[i].rng = next_bits(row)
    settle(states[i], legal)
    open_episode(row, settings)


@rule
def begin_from(state, row, settings, legal):
    """Begin an episode from a state that is given; points made before don't count."""
    settle(state, legal)
    open_episode(row, settings)
    for seat in range(seat_rewarded(row), end_of_rewarded(row)):
        row.margins[seat] = margin_of(state, seat)


@rule
def open_episode(row, settings):
    """Draw seat and opponents, and count anew."""
    row.seat = pick(next_bits(row), NUM_PLAYERS) if settings.seat == RANDOM_SEAT else settings.seat
    draw_seated(row, settings)
    row.steps = 0
    row.total = 0.0
    for seat in range(NUM_PLAYERS):
        row.margins[seat] = 0.0
        row.potentials[seat] = 0.0
    row.over = UNDER_WAY
    row.pending = FOR_NOBODY


@rule
def draw_seated(row, settings):
    """Seat an opponent in each seat that is not the learner's."""
    row.opponents[seat_rewarded(row)] = 0
    for k in range(1, NUM_PLAYERS):
        drawn = draw_opponent(next_bits(row), settings)
        row.opponents[(seat_rewarded(row) + k) % NUM_PLAYERS] = k - 1 if settings.line_up == 1 else drawn


@rule
def draw_opponent(key, settings):
    """Return the place of an opponent in the pool, by the shares of the pool."""
    share = float(key >> np.uint64(11)) / float(1 << 53)
    opponent = 0
    while opponent < settings.pool - 1 and share >= settings.shares[opponent]:
        opponent += 1
    return opponent


@rule
def end_episode(state, row):
    """Keep what the episode came to."""
    row.final_seat = row.seat
    row.final_steps = row.steps
    row.final_sum = row.total
    for player in range(NUM_PLAYERS):
        row.final_scores[player] = state.scores[player]
    row.over = ENDED


# Rewards --------------------------------------------------------------------------------------
@rule
def clear_step(row):
    """Forget the step before."""
    row.reward = 0.0
    for seat in range(NUM_PLAYERS):
        row.rewards[seat] = 0.0
    row.terminated = 0
    row.truncated = 0
    row.illegal = 0


@rule
def seat_rewarded(row):
    """Return the seat that a row rewards first: the learner's, or in self-play that of player_0."""
    return np.int64(0) if row.seat == ALL_SEATS else np.int64(row.seat)


@rule
def end_of_rewarded(row):
    """Return the seat after the last that a row rewards: the learner's alone, or all in self-play."""
    return np.int64(NUM_PLAYERS) if row.seat == ALL_SEATS else np.int64(row.seat) + 1


@rule
def reward_progress(state, row, settings):
    """Add what has changed since the decision before: points and potential."""
    for seat in range(seat_rewarded(row), end_of_rewarded(row)):
        margin = margin_of(state, seat)
        row.rewards[seat] += settings.weights[SCORE_DELTA] * (margin - row.margins[seat])
        row.margins[seat] = margin
        if settings.weights[POTENTIAL] != 0.0:
            potential = potential_now(state, seat)
            row.rewards[seat] += settings.weights[POTENTIAL] * (settings.gamma * potential - row.potentials[seat])
            row.potentials[seat] = potential


@rule
def potential_now(state, seat):
    """Return the potential of a seat; 0 once the game is over."""
    return 0.0 if state.player == NOBODY else potential_of(state, seat)


@rule
def reward_end(state, row, settings):
    """Add what the end of the game gives, and note who came where."""
    for player in range(NUM_PLAYERS):
        row.final_ranks[player] = rank(state, player)
    note_winner(row)
    for seat in range(seat_rewarded(row), end_of_rewarded(row)):
        row.rewards[seat] += settings.weights[WIN_LOSS] * utility(state, seat)
        row.rewards[seat] += settings.weights[SCORE_MARGIN] * margin_of(state, seat)
        row.rewards[seat] += settings.weights[RANK] * utility_of_rank(state, seat)


@rule
def note_winner(row):
    """Note who alone has the first place, or NOBODY."""
    row.final_winner = NOBODY
    first = 0
    for player in range(NUM_PLAYERS):
        if row.final_ranks[player] == 1:
            row.final_winner = player
            first += 1
    if first > 1:
        row.final_winner = NOBODY


@rule
def cut_off(row):
    """End the episode before the game does: nobody has won."""
    row.truncated = 1
    row.final_winner = NOBODY
    for player in range(NUM_PLAYERS):
        row.final_ranks[player] = NO_RANK


@rule
def sum_up(row):
    """Add the rewards of this step to what the episode has brought."""
    row.reward = row.rewards[seat_rewarded(row)]
    row.total += row.reward


@rule
def lose(row, loser):
    """End the episode by an illegal action: -1 for who took it, and as much in all for the others, who share the first place."""
    for player in range(NUM_PLAYERS):
        row.rewards[player] = -1.0 if player == loser else 1.0 / NUM_OTHERS
        row.final_ranks[player] = NUM_PLAYERS if player == loser else 1
    note_winner(row)
    row.terminated = 1


@rule
def fine(row, player, penalty):
    """Take a penalty from a player, which the others share."""
    for seat in range(NUM_PLAYERS):
        row.rewards[seat] += -penalty if seat == player else penalty / NUM_OTHERS
