"""What those think who look no further than a position, as numbers for people: greedy's ratings, and points by a network. A template."""

from __future__ import annotations

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry, entry_without_gil, rule

from .evaluation import rate_actions
from .fast_network import ask_network, likeliest
from .gumbel import begin
from .margins import expected_margin
from .network import rate_by_network, worth_by_network
from .rules import carry_out, list_legal, round_number

__all__ = ["opinion_of_network", "points_after", "ratings_of"]


@entry
def ratings_of(states, i, legal, values):
    """Write the legal actions of ``states[i]`` and greedy's rating of each, in points (float64, MAX_LEGAL); return how many."""
    return rate_actions(states, i, legal, values)


@entry
def opinion_of_network(states, i, network, legal, values):
    """Write the legal actions of ``states[i]`` and the logit that a network of training gives to each; return how many, and the worth.

    The arguments are those of ``network.rate_by_network``; the worth is that of ``network.worth_by_network``.
    """
    count = rate_by_network(states, i, network, legal, values)
    return count, worth_by_network(states[i], network)


@rule
def play_out_round_by_network(state, last_round, network, workspace):
    """Let the network play all sides to the end of a round: the action with the highest logit, of several the lowest."""
    while state.player != NOBODY and round_number(state) <= last_round:
        count = list_legal(state, workspace.legal)
        best = 0
        if count > 1:
            ask_network(state, network, workspace, workspace.legal, count, workspace.logits)
            best = likeliest(workspace.logits, count)
        carry_out(state, workspace.legal[best], workspace.legal)


@entry_without_gil
def points_after(states, i, copies, trees, network, workspace, weights, action, key, playouts):
    """Return the points by which who decides in ``states[i]`` is ahead at the end of the round after an action, as a network would go on.

    Args:
        states: not changed.
        i: which of them.
        copies: one state, and
        trees: one TREE: are room.
        network: plays all seats.
        workspace: of this thread.
        weights: of ``expected_margin``, which values the end of the round; the end of the game counts by the score.
        action: legal.
        key: uint64; decides all that is drawn.
        playouts: to take the mean of, at least 1; in each, all that the player may not know is drawn anew.
    """
    root = states[i]
    trees[0].rng = key
    last_round = max(1, round_number(root))
    total = 0.0
    for _ in range(playouts):
        begin(root, copies, trees[0])
        carry_out(copies[0], action, workspace.legal)
        play_out_round_by_network(copies[0], last_round, network, workspace)
        total += expected_margin(copies[0], root.player, weights, workspace.logits)
    return total / playouts
