"""What a game comes to for one player among any number: utility, place, margin. A template: see ``kernels``."""

from __future__ import annotations

from azul_duel_env.jit import rule

from .evaluation import evaluate_seat
from .rules import NUM_PLAYERS, rank

NUM_OTHERS = NUM_PLAYERS - 1


@rule
def players_at(state, place):
    """Return how many players of a finished game share a place."""
    found = 0
    for player in range(NUM_PLAYERS):
        found += rank(state, player) == place
    return found


@rule
def utility(state, player):
    """Return what a finished game is worth for a player: see ``Game.returns``. Between two: 1, -1, or 0 for a draw."""
    if rank(state, player) != 1:
        return -1.0 / NUM_OTHERS
    winners = players_at(state, 1)
    return (NUM_PLAYERS - winners) / (winners * NUM_OTHERS)


@rule
def utility_of_rank(state, player):
    """Return 1 for the first place down to -1 for the last; equal players share the mean of their places."""
    place = rank(state, player)
    mean_place = place + (players_at(state, place) - 1) / 2.0
    return 1.0 - 2.0 * (mean_place - 1.0) / NUM_OTHERS


@rule
def margin_of(state, player):
    """Return a player's points less the mean of the others'."""
    total = 0
    for other in range(NUM_PLAYERS):
        total += int(state.scores[other])
    own = int(state.scores[player])
    return own - (total - own) / NUM_OTHERS


@rule
def potential_of(state, player):
    """Return greedy's evaluation of a player's seat less the mean of the others'."""
    others = 0.0
    for other in range(NUM_PLAYERS):
        if other != player:
            others += evaluate_seat(state, other)
    return evaluate_seat(state, player) - others / NUM_OTHERS
