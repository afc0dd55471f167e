"""The engine: one decision after the other. What Python calls is in ``kernels.entries``."""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.actions import DISCARD_TILE, PASS, PAY_WILDS, TAKE_BONUS
from azul_duel_env.games.pavilion_mini.chance import chance_due, let_happen, pick_outcome, total_weight, wants_tile
from azul_duel_env.games.pavilion_mini.components import NUM_ROUNDS
from azul_duel_env.games.pavilion_mini.placing import (
    can_place,
    choose_space,
    end_turn,
    fewest_wilds,
    keep_the_rest,
    list_bonus,
    list_passing,
    list_payments,
    list_placements,
    most_wilds,
    pass_turn,
    pay,
    take_bonus,
    throw_tile,
)
from azul_duel_env.games.pavilion_mini.scoring import score_the_end
from azul_duel_env.games.pavilion_mini.state import (
    BONUS,
    CHOOSE_FIRST,
    DISCARD,
    FILL_FACTORIES,
    FILL_SUPPLY,
    GAME_OVER,
    IN_CENTRE,
    NO_CHANCE,
    NOBODY,
    PAY,
    PLACE,
    TAKE,
)
from azul_duel_env.games.pavilion_mini.taking import all_taken, carry_out_take, list_takes
from azul_duel_env.jit import rule

MAX_DECISIONS = 1200
"""E38: no game reaches it."""


# One state ------------------------------------------------------------------------------------
@rule
def settle(state, legal):
    """Go on until a player has a choice, the game is over, or, with explicit chance, something must be drawn.

    ``legal`` is scratch (int16, MAX_LEGAL).
    """
    while goes_on(state, legal):
        pass


@rule
def goes_on(state, legal):
    """Do the next thing that nobody decides, a draw or else; return whether there was one, or what ``settle`` waits for has come."""
    chance = chance_due(state)
    if chance == NO_CHANCE:
        return not waits_for_player(state, legal)
    total, outcome = total_weight(state, chance)
    if outcome == NOBODY:
        if state.explicit_chance == 1:
            state.chance = chance
            state.player = NOBODY
            return False
        outcome = pick_outcome(state, chance, total)
    let_happen(state, chance, outcome)
    return True


@rule
def waits_for_player(state, legal):
    """Do the next thing that nobody decides; return whether there is none, and a player must choose or the game is over."""
    stage = state.stage
    state.player = state.active
    if stage == TAKE:
        return waits_in_phase_1(state)
    if stage == PLACE:
        return waits_for_placement(state)
    if stage in (PAY, BONUS, DISCARD):
        return needs_choice(state, legal)
    if stage == GAME_OVER:
        state.player = NOBODY
        return True
    if stage == FILL_SUPPLY:
        state.stage = FILL_FACTORIES
    elif stage == FILL_FACTORIES:
        go_on_filling(state)
    elif stage == CHOOSE_FIRST:
        begin_round(state)
    else:
        next_placing(state)
    return False


@rule
def waits_in_phase_1(state):
    """Return whether there is something to take; else phase 2 begins, with who has the token (S18, S19, SR1)."""
    if not all_taken(state):
        return True
    state.active = state.first_player if state.token == IN_CENTRE else state.token  # SR1
    state.stage = PLACE
    return False


@rule
def waits_for_placement(state):
    """Return whether the player has anything to place; who has not passes without being asked (SR10, SR25)."""
    if can_place(state, state.active):
        return True  # SR30: a turn is asked
    pass_turn(state)  # SR10, SR25, SR29
    return False


@rule
def needs_choice(state, legal):
    """Return whether a part of a turn leaves a choice; go on if it does not."""
    if state.stage == PAY:
        fewest = fewest_wilds(state, state.space, state.colour)
        if fewest < most_wilds(state, state.space, state.colour):
            return True
        pay(state, fewest)
        return False
    if state.stage == BONUS and state.owed == 0:
        end_turn(state)
        return False
    if list_part(state, legal) > 1:  # SR30
        return True
    carry_out_part(state, legal[0])
    return False


# Rounds ---------------------------------------------------------------------------------------
@rule
def go_on_filling(state):
    """Go on to the next factory, or, after the last, to who begins (S5, S32, SR17)."""
    if state.filling < len(state.factories) and not wants_tile(state):  # SR17
        state.filling += 1
    else:
        state.filling = 0
        state.stage = CHOOSE_FIRST


@rule
def begin_round(state):
    """Let the first player of a round take (S7, S31)."""
    state.round_number += 1
    state.active = state.first_player
    state.stage = TAKE


@rule
def next_placing(state):
    """Let the next player place who has not passed; if all have, the round ends (S19, S30)."""
    players = len(state.scores)
    for step in range(1, players + 1):
        player = (state.active + step) % players
        if state.passed[player] == 0:  # SR16
            state.active = player
            state.stage = PLACE
            return
    end_round(state)


@rule
def end_round(state):
    """Prepare the next round, or end the game after the last (S31 to S33)."""
    if state.round_number == NUM_ROUNDS:
        score_the_end(state)
        state.active = NOBODY
        state.stage = GAME_OVER
        return
    if state.token != IN_CENTRE:  # SR1: else the same player begins again
        state.first_player = state.token
        state.token = IN_CENTRE
    for player in range(len(state.scores)):
        state.passed[player] = 0
    state.stage = FILL_FACTORIES


# Decisions ------------------------------------------------------------------------------------
@rule
def list_legal(state, out):
    """Write the legal actions, ascending, into ``out`` (int16, MAX_LEGAL); return how many: 0 when no player decides."""
    if state.player == NOBODY:
        return 0
    if state.stage == TAKE:
        return list_takes(state, out)
    if state.stage == PLACE:
        return list_passing(state, out, list_placements(state, state.active, out))
    return list_part(state, out)


@rule
def list_part(state, out):
    """List what can be chosen in the midst of a turn."""
    if state.stage == PAY:
        return list_payments(state, out)
    if state.stage == BONUS:
        return list_bonus(state, out)
    return list_passing(state, out, 0)


@rule
def carry_out(state, action, legal):
    """Carry out a legal action, and go on to the next decision; ``legal`` is scratch (int16, MAX_LEGAL)."""
    decide(state, action)
    settle(state, legal)


@rule
def decide(state, action):
    """Carry out a legal action, and nothing that follows by itself."""
    state.decisions += 1
    if state.stage == TAKE:
        carry_out_take(state, action)
    elif state.stage == PLACE:
        carry_out_placing(state, action)
    else:
        carry_out_part(state, action)


@rule
def carry_out_placing(state, action):
    """Place a tile, or pass."""
    if action < PAY_WILDS:
        choose_space(state, action)
        return
    pass_turn(state)
    carry_out_part(state, action)


@rule
def carry_out_part(state, action):
    """Carry out a part of a turn: a payment, a tile from the supply, a tile thrown, or the end of a pass."""
    if action < TAKE_BONUS:
        pay(state, action - PAY_WILDS)
    elif action < PASS:
        take_bonus(state, action - TAKE_BONUS)
    elif action == PASS:
        keep_the_rest(state)
    else:
        throw_tile(state, action - DISCARD_TILE)


# Facts ----------------------------------------------------------------------------------------
@rule
def round_number(state):
    """Return the number of the round under way, from 1; 0 before the first."""
    return int(state.round_number)


@rule
def first_player(state):
    """Return who begins the round, or NOBODY before the first one was drawn."""
    return int(state.first_player)


@rule
def let_chance_draw(state):
    """Let chance draw by itself from now on."""
    state.explicit_chance = 0


@rule
def resample_state(state, player, key):  # noqa: ARG001 # as templates call it
    """Draw anew what a player can't know: only what will be drawn (SR19); ``key`` is the new generator."""
    state.rng = key  # SR19
