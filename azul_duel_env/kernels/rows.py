"""Many games, stepped by one compiled call: what ``Batch`` calls. A template: see ``kernels``.

Each row is one game and plays its own episodes. A step takes an action for each row, lets built-in opponents and policies decide until a
seat that is asked must decide again or the game is over, and writes reward, flags, observation and mask. A row whose opponent lives
outside (a network, a search) *waits*: its buffers hold the opponent's view, and the next call carries out the opponent's answer. So does a
row whose decision must be solved, which a step leaves out: to compile that may take as long as a third of all the rest.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.arrays import NOBODY
from azul_duel_env.jit import entry, entry_without_gil, rule
from azul_duel_env.jit.rng import below, next_bits, pick
from azul_duel_env.kernels.constants import (
    AGENT,
    ALL_SEATS,
    ASKED,
    DISABLED,
    ENDED,
    FINE,
    FOR_NOBODY,
    FOR_OPPONENT,
    FOR_SOLVER,
    ILLEGAL,
    ILLEGAL_ACTION,
    LOSE,
    MISSING,
    NO_GAME,
    NO_RANK,
    OUTSIDE,
    OVER,
    PENALTY,
    PENDING,
    POTENTIAL,
    RAISE,
    RANDOM,
    SAME_STEP,
    SOLVED,
    UNDER_WAY,
)
from azul_duel_env.kernels.team import LEADER, all_done, claim, comes_to_claim, finish, first_row, members_of, post

from .abstraction import (
    MAX_ASKED,
    asks_all,
    game_action_for,
    list_abstract,
    quick_policy_action,
    solve_decision,
    write_abstract_mask,
    write_abstract_observation,
)
from .advice import clear_advice, write_advice
from .episodes import (
    begin_episode,
    begin_from,
    clear_step,
    cut_off,
    draw_seated,
    end_episode,
    end_of_rewarded,
    fine,
    lose,
    potential_now,
    reward_end,
    reward_progress,
    seat_rewarded,
    sum_up,
)
from .evaluation import best_action
from .rules import MAX_LEGAL, NUM_PLAYERS, carry_out, list_legal
from .uniform import any_action


# A decision -----------------------------------------------------------------------------------
@rule
def decide(state, row, listed, action, settings, scratch):
    """Carry out the decision of the seat that is asked; ``scratch`` (int16) has MAX_ASKED entries."""
    row.steps += 1
    game_action = game_action_for(state, settings.abstraction, action, listed, row.count)
    if game_action == ILLEGAL:
        row.illegal = 1
        if settings.illegal_action == LOSE:
            lose(row, state.player)
        elif settings.illegal_action == PENALTY:
            fine(row, state.player, settings.penalty)
        else:
            found = list_abstract(state, settings.abstraction, listed, row.count, scratch)
            action = np.int64(scratch[pick(next_bits(row), found)])
            game_action = game_action_for(state, settings.abstraction, action, listed, row.count)
    if game_action >= 0:
        carry_out(state, game_action, scratch)


@rule
def carry_out_answer(state, row, listed, action, settings, scratch):
    """Carry out the answer that a row waits for."""
    game_action = action
    if row.pending == FOR_OPPONENT and settings.codes[row.opponents[state.player]] == OUTSIDE:
        game_action = game_action_for(state, settings.abstraction, action, listed, row.count)
    row.pending = FOR_NOBODY
    if game_action >= 0:
        carry_out(state, game_action, scratch)


@rule
def chosen_by(states, i, row, code):
    """Return the action of the game that a built-in agent chooses in row i."""
    if code == RANDOM:
        return np.int64(any_action(states, i, next_bits(row)))
    return np.int64(best_action(states, i, next_bits(row)))


@rule
def play_to_asked(states, i, row, settings, legal):
    """Let policies and built-in opponents decide, until somebody else must or the game is over; note whom the row waits for."""
    state = states[i]
    while state.player != NOBODY:
        code = settings.codes[row.opponents[state.player]]
        if code == OUTSIDE or state.player == row.seat:
            action = quick_policy_action(state, settings.abstraction, legal)
            if action == SOLVED:
                row.pending = FOR_SOLVER
                return
            if action == ASKED:
                row.pending = FOR_NOBODY if is_up(state, row) else FOR_OPPONENT
                return
        elif code == AGENT:
            row.pending = FOR_OPPONENT
            return
        else:
            action = chosen_by(states, i, row, code)
        carry_out(state, action, legal)


@rule
def is_up(state, row):
    """Return whether the seat that is asked decides, and no opponent outside."""
    return row.seat == ALL_SEATS or state.player == row.seat


@rule
def arrive(state, row, settings):
    """Reward what happened up to the decision that is due now; return whether the episode is cut off here."""
    if row.steps == 0:
        if settings.weights[POTENTIAL] != 0.0:
            for seat in range(seat_rewarded(row), end_of_rewarded(row)):
                row.potentials[seat] = potential_now(state, seat)
        return False
    reward_progress(state, row, settings)
    if settings.max_steps > 0 and row.steps >= settings.max_steps:
        cut_off(row)
    sum_up(row)
    return row.truncated == 1


@rule
def write_view(states, i, row, listed, settings, observation, mask):
    """Write what the seat that decides sees and may do, and remember what is legal."""
    state = states[i]
    row.count = list_legal(state, listed)
    write_abstract_observation(state, settings.abstraction, state.player, observation)
    write_abstract_mask(state, settings.abstraction, mask, listed, row.count)
    if settings.advice == 1:
        write_advice(states, i, listed, settings.abstraction, observation)


@rule
def write_end(state, row, settings, observation, mask):
    """Write the last observation of an episode; nothing is legal then."""
    write_last(state, row, settings, observation)
    for action in range(settings.abstraction.num_actions):
        mask[action] = 0


@rule
def write_last(state, row, settings, observation):
    """Write the last observation of an episode."""
    write_abstract_observation(state, settings.abstraction, seat_rewarded(row), observation)
    if settings.advice == 1:
        clear_advice(settings.abstraction, observation)


@rule
def go_on(states, i, row, listed, start, settings, observations, masks, finals, legal):
    """Go on to the next decision of a seat that is asked, over the end of the episode if it resets in the same step."""
    state = states[i]
    while goes_on_to_end(states, i, row, settings, legal):
        end_episode(state, row)
        if settings.autoreset != SAME_STEP:
            write_end(state, row, settings, observations[i], masks[i])
            return
        write_last(state, row, settings, finals[i])
        begin_episode(states, i, row, start, settings, legal)
    write_view(states, i, row, listed, settings, observations[i], masks[i])


@rule
def goes_on_to_end(states, i, row, settings, legal):
    """Go on to the next decision that is asked outside; return whether the episode has ended instead."""
    state = states[i]
    if row.terminated == 1 and row.steps > 0:  # lost by an illegal action
        for seat in range(seat_rewarded(row), end_of_rewarded(row)):
            row.rewards[seat] -= settings.weights[POTENTIAL] * row.potentials[seat]  # that of an end is 0
        sum_up(row)
        return True
    play_to_asked(states, i, row, settings, legal)
    if state.player == NOBODY:
        reward_progress(state, row, settings)
        reward_end(state, row, settings)
        row.terminated = 1
        sum_up(row)
        return True
    return row.pending == FOR_NOBODY and arrive(state, row, settings)


# From Python ----------------------------------------------------------------------------------
@rule
def step_part(control, part, states, rows, listed, start, settings, which, actions, observations, masks, finals, legal):
    """Step the rows of one part."""
    for k in range(first_row(control, part), first_row(control, part + 1)):
        i = which[k]
        row = rows[i]
        if row.pending != FOR_NOBODY:
            carry_out_answer(states[i], row, listed[i], actions[i], settings, legal)
        else:
            clear_step(row)
            if row.over == UNDER_WAY:
                decide(states[i], row, listed[i], actions[i], settings, legal)
            elif row.over == ENDED:
                begin_episode(states, i, row, start, settings, legal)
            else:
                begin_from(states[i], row, settings, legal)
        go_on(states, i, row, listed[i], start, settings, observations, masks, finals, legal)
    finish(control, part)


@entry_without_gil
def step(control, member, states, rows, listed, start, settings, which, actions, observations, masks, finals):
    """Step the rows ``which`` (int64): carry out ``actions[i]``, and go on to the next decision that is asked outside.

    Args:
        control: int64, what the members of a team share, see ``team``; it says how many of ``which`` are stepped.
        member: who of the team calls.
        states: one game a row.
        rows: one ROW record a row.
        listed: int16 (rows, MAX_LEGAL): the game's legal actions in the decision that is due, as many as ROW's count says. They are no
            field of ROW, so that what is read of all rows lies close together.
        start: one state, everything still in the box.
        settings: one SETTINGS record.
        which: the rows to step.
        actions: int64 (rows,): of the seat that is asked, or of the opponent outside for a row that waits. A row that is not
            under way begins an episode instead.
        observations: float32 (rows, abstraction.observation_size), of who is asked next; written.
        masks: int8 (rows, abstraction.num_actions); written.
        finals: as observations, last observations of episodes that ended; written where an episode is reset in the same step.

    Returns:
        Whether the whole step is done.
    """
    legal = np.empty(MAX_ASKED, np.int16)
    if member == LEADER:
        post(control)
        for part in range(members_of(control)):
            if claim(control, part):
                step_part(
                    control,
                    part,
                    states,
                    rows,
                    listed,
                    start,
                    settings[0],
                    which,
                    actions,
                    observations,
                    masks,
                    finals,
                    legal,
                )
        return all_done(control)
    while comes_to_claim(control, member):
        step_part(
            control,
            member,
            states,
            rows,
            listed,
            start,
            settings[0],
            which,
            actions,
            observations,
            masks,
            finals,
            legal,
        )
    return False


@entry
def solve(states, which, actions):
    """Write the action that is solved for into ``actions`` (int64, rows), for each of the rows ``which``."""
    for k in range(len(which)):
        actions[which[k]] = solve_decision(states[which[k]])


@entry
def find_problem(rows, settings, which, actions, masks):
    """Return the first row that can't be stepped and why: FINE, MISSING, PENDING, OVER (and it must be reset by hand) or ILLEGAL_ACTION."""
    for k in range(len(which)):
        i = which[k]
        if rows[i].over == NO_GAME:
            return i, MISSING
        if rows[i].pending != FOR_NOBODY:
            return i, PENDING
        if rows[i].over == ENDED:
            if settings[0].autoreset == DISABLED:
                return i, OVER
        elif settings[0].illegal_action == RAISE and (
            actions[i] < 0 or actions[i] >= masks.shape[1] or masks[i, actions[i]] == 0
        ):
            return i, ILLEGAL_ACTION
    return 0, FINE


@entry
def report(states, rows, rewards, over, scores, winners, ranks):
    """Write what a step of self-play did: rewards of all seats, whether the game ended, points, who won and everybody's place.

    Where no game ended the winner is NOBODY, and places are NO_RANK.
    """
    for i in range(len(rows)):
        row = rows[i]
        over[i] = row.terminated == 1 or row.truncated == 1
        winners[i] = row.final_winner if over[i] else NOBODY
        for player in range(NUM_PLAYERS):
            rewards[i, player] = row.rewards[player]
            scores[i, player] = row.final_scores[player] if over[i] else states[i].scores[player]
            ranks[i, player] = row.final_ranks[player] if over[i] else NO_RANK


@entry
def potential(states, i, seat):
    """Return greedy's evaluation of a seat less the mean of the others'; 0 once the game is over."""
    return potential_now(states[i], seat)


@entry
def advise(states, i, abstraction, observation):
    """Write greedy's rating of each asked action at the end of ``observation`` (float32, observation_size + num_actions)."""
    write_advice(states, i, np.empty(MAX_LEGAL, np.int16), abstraction[0], observation)


@entry
def draw_opponents(rows, settings):
    """Seat opponents anew in every row; a row that waits for the one before asks the new one."""
    for i in range(len(rows)):
        draw_seated(rows[i], settings[0])


@entry
def draw_keys(rows, which, keys):
    """Write 64 random bits of each of the rows ``which`` into ``keys`` (uint64): all the randomness of an agent's decision."""
    for k in range(len(which)):
        keys[k] = next_bits(rows[which[k]])


@rule
def all_begun(rows):
    """Return whether every row has a game, be it over."""
    for i in range(len(rows)):
        if rows[i].over == NO_GAME:
            return False
    return True


@entry
def sample(states, rows, listed, settings, generator, actions):
    """Write a legal asked action for each row into ``actions`` (int64), every one as likely; 0 for a row that is over.

    ``generator``: one more ROW record, of which only the generator counts. Return whether every row has a game; else nothing is written.
    """
    if not all_begun(rows):
        return False
    asked = np.empty(MAX_ASKED, np.int16)
    abstraction = settings[0].abstraction
    for i in range(len(rows)):
        row = rows[i]
        if row.over != UNDER_WAY:
            actions[i] = 0
        elif asks_all(states[i], abstraction):
            actions[i] = listed[i, below(generator[0], row.count)]
        else:
            actions[i] = asked[below(generator[0], list_abstract(states[i], abstraction, listed[i], row.count, asked))]
    return True
