"""Phase 2, dome tiling (RULES A.10 to A.13): lines from top to bottom, bonus chips, special tiles, penalties."""

from __future__ import annotations

from azul_duel_env.games.duel.acquisition import break_tiles
from azul_duel_env.games.duel.actions import CHIP_DECLINE, CHIP_SPEND, TILE_COLUMN
from azul_duel_env.games.duel.components import (
    CHIP_SHOWS,
    DOME_SIZE,
    EMPTY,
    LAYOUT_SPACES,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_LINES,
    NUM_ROUNDS,
    PAIR,
    SPECIAL,
    TRIPLE,
    WILD,
)
from azul_duel_env.games.duel.scoring import (
    is_filled,
    penalty,
    points_for_scoring_tiles,
    points_for_tile,
    slot_of,
    space_at,
)
from azul_duel_env.games.duel.setup import begin_round
from azul_duel_env.games.duel.state import COLUMN, EXAMINING, GAME_OVER, NOBODY, PAYING, REFILL_DISPLAY
from azul_duel_env.jit import rule


# One line after the other ---------------------------------------------------------------------
@rule
def examine_line(state, player):
    """Examine the next pattern line (D61), and after the last end this player's phase 2."""
    line = state.line
    if line == NUM_LINES:
        end_tiling(state, player)
    elif state.lines[player, line] == 0:
        state.line += 1
    elif count_accepting(state, player) == 0:  # R26: chips don't help such a line
        leave_unplaceable(state, player)  # R23: now, when it is examined
    elif missing_tiles(state, player) == 0:
        state.stage = COLUMN  # D62, R21, R51
    elif can_pay(state, player):
        state.stage = PAYING  # D69, R28
    else:
        state.line += 1


@rule
def missing_tiles(state, player):
    """Return how many tiles the examined line lacks."""
    return state.line + 1 - state.lines[player, state.line]


@rule
def accepts_tile(state, player, column):
    """Return whether the examined line's tile may go to a column: a free space of its colour or a free wild one (D62)."""
    if is_filled(state, player, state.line, column):
        return False
    space = space_at(state, player, state.line, column)
    return space == state.line_colours[player, state.line] or space == WILD  # R22; special spaces never (R25)


@rule
def count_accepting(state, player):
    """Return how many columns accept the examined line's tile."""
    count = 0
    for column in range(DOME_SIZE):
        if accepts_tile(state, player, column):
            count += 1
    return count


@rule
def leave_unplaceable(state, player):
    """Keep a line that no space accepts while its row lacks a dome tile (D64), else break it (D65, R23, R24)."""
    line = state.line
    if row_has_all_dome_tiles(state, player, line):  # D65, R24: however many tiles it holds
        break_tiles(state, player, state.line_colours[player, line], state.lines[player, line])
        empty_line(state, player, line)
    state.line += 1


@rule
def row_has_all_dome_tiles(state, player, row):
    """Return whether the three slots of a row hold dome tiles."""
    missing = 0
    for column in range(0, DOME_SIZE, 2):
        missing += state.domes[player, slot_of(row, column)] == EMPTY
    return missing == 0


@rule
def empty_line(state, player, line):
    """Leave nothing on a pattern line."""
    state.lines[player, line] = 0
    state.line_colours[player, line] = EMPTY


# Placing the tile -----------------------------------------------------------------------------
@rule
def place_line_tile(state, player, column):
    """Move the rightmost tile of the examined line to the dome and score it (D62, D63); the others go to the tower (D67)."""
    line = state.line
    colour = state.line_colours[player, line]
    state.tower[colour] += state.lines[player, line] - 1  # R33: only physical tiles
    empty_line(state, player, line)
    state.tiles[player, line, column] = colour  # D66
    state.scores[player] += points_for_tile(state, player, line, column)
    place_special_tile(state, player, slot_of(line, column))
    state.line += 1
    state.stage = EXAMINING


@rule
def place_special_tile(state, player, slot):
    """Put a special tile on a special dome tile whose three coloured spaces are filled; it scores its row (D78, R34, R35)."""
    layout = state.domes[player, slot]
    special_row = -1
    special_column = -1
    for cell in range(4):
        row = slot // 3 * 2 + cell // 2
        column = slot % 3 * 2 + cell % 2
        if LAYOUT_SPACES[layout, cell] == SPECIAL:
            special_row = row
            special_column = column
        elif not is_filled(state, player, row, column):
            return
    if special_row >= 0:
        state.tiles[player, special_row, special_column] = SPECIAL
        state.scores[player] += special_row + 1  # D78, R34, R35, R56


# Bonus chips ----------------------------------------------------------------------------------
@rule
def payment_exists(missing, any_three, least_matching, most_matching, least_other, most_other):
    """Return whether a payment lies within these bounds of matching and other chips (D70, D72, R29, R30).

    Each missing tile costs two matching chips or any three. Unless ``any_three``, a payment must contain no cheaper one: then it has
    at most one matching chip outside the pairs, since two would be a pair.
    """
    for pairs in range(missing + 1):  # R29: some by pairs, some by triples
        triples = missing - pairs
        for odd in range(1 + (TRIPLE * triples if any_three else min(triples, 1))):  # R30
            matching = PAIR * pairs + odd
            other = TRIPLE * triples - odd
            if least_matching <= matching <= most_matching and least_other <= other <= most_other:
                return True
    return False


@rule
def chips_face_up(state, player, matching):
    """Return how many face-up chips show the examined line's colour (D71, R31), or how many don't; chips of this round too (R32)."""
    return count_chips(state, player, int(state.line_colours[player, state.line]), matching)


@rule
def count_chips(state, player, colour, matching):
    """Return how many face-up chips show a colour (D71, R31), or how many don't."""
    count = 0
    for chip in range(NUM_CHIP_KINDS):
        if CHIP_SHOWS[chip, colour] == matching:  # D71, R31: one chip, whether it shows one colour or two
            count += state.chips_up[player, chip]  # R32: those of this round too
    return count


@rule
def can_pay(state, player):
    """Return whether the face-up chips can pay for all missing tiles of the examined line (R27)."""
    matching = chips_face_up(state, player, True)
    other = chips_face_up(state, player, False)
    return payment_exists(missing_tiles(state, player), False, 0, matching, 0, other)  # R27: for all that is missing


@rule
def may_spend(state, player, matching):
    """Return whether one more matching chip, or one that is not, may be turned over: a payment contains it and those before (R30)."""
    paid_matching = state.paid_matching
    paid_other = state.paid_other
    return payment_exists(
        missing_tiles(state, player),
        state.chip_payments_all == 1,
        paid_matching + 1 if matching else paid_matching,
        paid_matching + chips_face_up(state, player, True),
        paid_other if matching else paid_other + 1,
        paid_other + chips_face_up(state, player, False),
    )


@rule
def is_paid(state, player):
    """Return whether the chips turned over so far pay for the examined line."""
    matching = state.paid_matching
    other = state.paid_other
    missing = missing_tiles(state, player)
    return payment_exists(missing, state.chip_payments_all == 1, matching, matching, other, other)


@rule
def spend_chip(state, player, chip):
    """Turn a chip over (D73); when the line is paid for and no larger payment is possible (R30), its tile is placed next (D74, R26)."""
    state.chips_up[player, chip] -= 1
    state.chips_down[player, chip] += 1
    if CHIP_SHOWS[chip, state.line_colours[player, state.line]]:
        state.paid_matching += 1
    else:
        state.paid_other += 1
    if is_paid(state, player) and not (may_spend(state, player, True) or may_spend(state, player, False)):
        finish_payment(state)


@rule
def finish_payment(state):
    """Let the examined line be complete: its tile is placed next."""
    end_payment(state)
    state.stage = COLUMN


@rule
def decline(state, player):
    """Turn no further chip over: the examined line is paid for (R30), or it stays unfinished (D69)."""
    if is_paid(state, player):
        finish_payment(state)
        return
    state.line += 1
    state.stage = EXAMINING


@rule
def end_payment(state):
    """Forget what was turned over for the examined line."""
    state.paid_matching = 0
    state.paid_other = 0


# The end of the phase -------------------------------------------------------------------------
@rule
def end_tiling(state, player):
    """Take the penalties; then the other player tiles (D60, R20), or the round ends (D23)."""
    state.scores[player] = max(0, state.scores[player] - penalty(state, player))  # D80, R43: one sum
    for colour in range(NUM_COLOURS):
        state.tower[colour] += state.broken[player, colour]
        state.broken[player, colour] = 0
    if player == state.first_player:
        state.active = 1 - player
        state.line = 0
    else:
        state.line = NOBODY
        end_round(state)


@rule
def end_round(state):
    """Prepare the next round (D81), or end the game after the fifth (D85)."""
    if state.round_number < NUM_ROUNDS:
        begin_round(state)
        state.stage = REFILL_DISPLAY
        return
    for player in range(len(state.scores)):
        state.scores[player] = max(0, state.scores[player] + points_for_scoring_tiles(state, player))  # R38
    state.stage = GAME_OVER  # R44: what is left on lines and of chips means nothing


# What is legal, and what happens --------------------------------------------------------------
@rule
def list_tiling(state, player, out):
    """Write the legal actions of the decision that is due in phase 2, ascending; return how many."""
    count = 0
    if state.stage == COLUMN:
        for column in range(DOME_SIZE):
            if accepts_tile(state, player, column):
                out[count] = TILE_COLUMN + column
                count += 1
        return count
    matching = may_spend(state, player, True)
    other = may_spend(state, player, False)
    for chip in range(NUM_CHIP_KINDS):
        fits = matching if CHIP_SHOWS[chip, state.line_colours[player, state.line]] else other
        if fits and state.chips_up[player, chip] > 0:  # D73
            out[count] = CHIP_SPEND + chip
            count += 1
    begun = state.paid_matching + state.paid_other > 0
    if not begun or is_paid(state, player):  # R27: who has begun to pay must finish; R30: and may then stop
        out[count] = CHIP_DECLINE
        count += 1
    return count


@rule
def carry_out_tiling(state, player, action):
    """Carry out one decision of phase 2."""
    if action < CHIP_SPEND:
        place_line_tile(state, player, action - TILE_COLUMN)
    elif action < CHIP_DECLINE:
        spend_chip(state, player, action - CHIP_SPEND)
    else:
        decline(state, player)


@rule
def needs_choice_in_tiling(state, player, legal):
    """Carry out the decision that is due if only one action is legal; return whether the player must choose (D62, D69)."""
    if list_tiling(state, player, legal) > 1:
        return True
    carry_out_tiling(state, player, legal[0])
    return False
