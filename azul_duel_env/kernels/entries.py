"""What Python calls to make, ask and change states: loops over the rules. A template: see ``kernels``.

``Rules`` and ``Abstraction`` of ``azul_duel_env.game`` say what each function is. A state is passed from Python as an array and an index:
that costs a fifth of passing a record.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry, rule, rule_with_arrays
from azul_duel_env.kernels.constants import ASKED, ILLEGAL

from .abstraction import (
    abstract_for,
    game_action_for,
    policy_action,
    quick_policy_action,
    write_abstract_mask,
    write_abstract_observation,
)
from .rules import (
    MAX_LEGAL,
    NUM_ACTIONS,
    carry_out,
    draw_outcome,
    first_player,
    list_legal,
    num_outcomes,
    outcome_weight,
    place_outcome,
    rank,
    resample_state,
    round_number,
    settle,
    write_observation,
)
from .uniform import playout


# Decisions and draws --------------------------------------------------------------------------
@entry
def advance_to_decision(states, i):
    """Let an initial state go on to its first decision, or with explicit chance its first draw."""
    settle(states[i], np.empty(MAX_LEGAL, np.int16))


@entry
def legal_actions(states, i, legal):
    """Write the legal actions of one state, ascending, into ``legal`` (int16, MAX_LEGAL); return how many."""
    return list_legal(states[i], legal)


@entry
def legal_mask(states, i, mask):
    """Write 1 for each legal action of one state and 0 for the others into ``mask`` (int8, NUM_ACTIONS)."""
    legal = np.empty(MAX_LEGAL, np.int16)
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    for k in range(list_legal(states[i], legal)):
        mask[legal[k]] = 1


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
def outcome_weights(states, i, weights):
    """Write the integer weights of the outcomes of the draw that is due into ``weights`` (int64); return how many."""
    count = num_outcomes(states[i])
    for outcome in range(count):
        weights[outcome] = outcome_weight(states[i], outcome)
    return count


@entry
def try_outcome(states, i, outcome):
    """Let an outcome of the draw that is due happen, if it is possible; return whether it was. Else nothing changes."""
    state = states[i]
    if not 0 <= outcome < num_outcomes(state) or outcome_weight(state, outcome) == 0:
        return False
    place_outcome(state, outcome)
    settle(state, np.empty(MAX_LEGAL, np.int16))
    return True


@entry
def draw_chance(states, i):
    """Draw, with the state's generator, an outcome of the draw that is due."""
    return draw_outcome(states[i])


# What players see and know --------------------------------------------------------------------
@entry
def observe(states, i, viewer, out):
    """Write the observation of one state from one player's seat into ``out`` (float32, OBSERVATION_SIZE)."""
    write_observation(states[i], viewer, out)


@entry
def observe_rows(states, viewers, out):
    """Write the observation of each state from the seat of ``viewers[i]`` (int64) into ``out`` (float32, (N, OBSERVATION_SIZE))."""
    for i in range(len(states)):
        write_observation(states[i], viewers[i], out[i])


@entry
def resample(states, i, viewer, key):
    """Draw anew, in place, what the viewer can't tell apart in one state; ``key`` (uint64) is its new generator."""
    resample_state(states[i], viewer, key)


@entry
def resample_rows(states, viewers, keys):
    """Draw anew, in place, what ``viewers[i]`` (int64) can't tell apart in each state; ``keys`` (uint64) are the new generators."""
    for i in range(len(states)):
        resample_state(states[i], viewers[i], keys[i])


# Facts ----------------------------------------------------------------------------------------
@entry
def round_number_of(states, i):
    """Return the number of the round under way, from 1; 0 before the first."""
    return round_number(states[i])


@entry
def first_player_of(states, i):
    """Return who begins the round, or NOBODY before the first one was drawn."""
    return first_player(states[i])


@entry
def rank_of(states, i, player):
    """Return the place of a player of a finished game, from 1; equal players share one."""
    return rank(states[i], player)


# Whole games ----------------------------------------------------------------------------------
@entry
def playouts(states, start, count):
    """Play ``count`` random games in ``states[0]``, one after the other, each from ``start[0]`` but for the generator, which goes on.

    Returns:
        decisions made in all (int64).
    """
    legal = np.empty(MAX_LEGAL, np.int16)
    decisions = 0
    for _ in range(count):
        key = states[0].rng
        states[0] = start[0]
        states[0].rng = key
        settle(states[0], legal)
        decisions += playout(states[0], legal)
    return decisions


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


# Under an action abstraction ------------------------------------------------------------------
@rule
def carry_out_policy_actions(state, abstraction, legal):
    """Carry out all that policies resolve, up to the next decision that is asked; ``legal`` is scratch."""
    while state.player != NOBODY:
        action = policy_action(state, abstraction, legal)
        if action == ASKED:
            return
        carry_out(state, action, legal)


@entry
def abstract_mask(states, i, abstraction, mask):
    """Write the mask of asked actions of one state into ``mask`` (int8, num_actions)."""
    legal = np.empty(MAX_LEGAL, np.int16)
    write_abstract_mask(states[i], abstraction[0], mask, legal, list_legal(states[i], legal))


@entry
def abstract_observation(states, i, abstraction, viewer, out):
    """Write the observation of one state from one player's seat into ``out`` (float32, observation_size)."""
    write_abstract_observation(states[i], abstraction[0], viewer, out)


@entry
def try_abstract_action(states, i, abstraction, asked):
    """Carry out an asked action and what policies resolve after it; return whether it was legal. An illegal one changes nothing."""
    legal = np.empty(MAX_LEGAL, np.int16)
    action = game_action_for(states[i], abstraction[0], asked, legal, list_legal(states[i], legal))
    if action >= 0:
        carry_out(states[i], action, legal)
        carry_out_policy_actions(states[i], abstraction[0], legal)
    return action != ILLEGAL


@entry
def advance(states, i, abstraction):
    """Carry out all that policies resolve, up to the next decision that is asked."""
    carry_out_policy_actions(states[i], abstraction[0], np.empty(MAX_LEGAL, np.int16))


@entry
def next_action(states, i, abstraction):
    """Return the action of the game that a policy takes now, or -1 if the player is asked or nobody decides."""
    if states[i].player == NOBODY:
        return np.int64(ASKED)
    return policy_action(states[i], abstraction[0], np.empty(MAX_LEGAL, np.int16))


@entry
def to_game_action(states, i, abstraction, asked):
    """Return the action of the game that an asked action stands for, -1 if the state now remembers a part of it, -2 if it is not legal."""
    legal = np.empty(MAX_LEGAL, np.int16)
    return game_action_for(states[i], abstraction[0], asked, legal, list_legal(states[i], legal))


@rule_with_arrays
def asks_nothing(state, abstraction):
    """Return whether a player decides, and an abstraction neither lets a policy decide nor asks anything: it asks more coarsely."""
    legal = np.empty(MAX_LEGAL, np.int16)
    if state.player == NOBODY or quick_policy_action(state, abstraction, legal) != ASKED:
        return False
    asked = 0
    for k in range(list_legal(state, legal)):
        asked += abstract_for(state, legal[k], abstraction) != ASKED
    return asked == 0


@entry
def find_unasked(states, abstraction, unasked):
    """Write 1 for each sound state into ``unasked`` (int8, N) in the midst of a decision that is asked as a whole."""
    for i in range(len(states)):
        unasked[i] = asks_nothing(states[i], abstraction[0])


def unasked_rows(states: np.ndarray, abstraction: np.ndarray) -> np.ndarray:
    """Return the rows (int64, ascending) of sound states in the midst of a decision that is asked as a whole."""
    unasked = np.zeros(len(states), np.int8)
    find_unasked(states, abstraction, unasked)
    return np.flatnonzero(unasked)
