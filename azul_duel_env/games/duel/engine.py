"""The engine: one decision after the other. What Python calls is in ``kernels.entries``."""

from __future__ import annotations

from azul_duel_env.games.duel.acquisition import (
    carry_out_acquisition,
    end_turn,
    go_on_ordering,
    list_acquisition,
)
from azul_duel_env.games.duel.actions import TILE_COLUMN
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

MAX_DECISIONS = 700  # E21: no game reaches it


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
        outcome = draw_outcome(state, chance, total)
    place_outcome(state, chance, outcome)
    return True


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
    decide(state, action)
    settle(state, legal)


@rule
def decide(state, action):
    """Carry out a legal action, and nothing that follows by itself."""
    state.decisions += 1
    state.source = NOBODY
    if action < TILE_COLUMN:
        carry_out_acquisition(state, state.player, action)
    else:
        carry_out_tiling(state, state.player, action)


# Facts ----------------------------------------------------------------------------------------
@rule
def winner(state):
    """Return who won: most points, on a tie who has the first-player tile (D94), else NOBODY (R41)."""
    if state.scores[0] != state.scores[1]:
        return 0 if state.scores[0] > state.scores[1] else 1
    return state.first_player_tile  # D94, R41: NOBODY if it lies on the large factory


@rule
def rank(state, player):
    """Return the place of a player of a finished game: 1, or 2; in a draw both are first (R41)."""
    won = winner(state)
    return 1 if won in (NOBODY, player) else 2


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


# The draw that is due -------------------------------------------------------------------------
@rule
def num_outcomes(state):
    """Return how many outcomes the draw that is due has, possible or not."""
    return NUM_OUTCOMES[state.chance]


@rule
def outcome_weight(state, outcome):
    """Return the integer weight of an outcome of the draw that is due; 0 if it is not possible."""
    return chance_weight(state, state.chance, outcome)


@rule
def place_due_outcome(state, outcome):
    """Let an outcome of the draw that is due happen."""
    place_outcome(state, state.chance, outcome)


@rule
def draw_chance(state):
    """Draw, with the state's generator, an outcome of the draw that is due."""
    total, _ = total_weight(state, state.chance)
    return draw_outcome(state, state.chance, total)


@entry
def is_paid_of(states, i):
    """Return whether the chips that a player has turned over so far pay for the examined line (R30)."""
    return is_paid(states[i], states[i].active)
