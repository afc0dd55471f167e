"""How many points and decisions a game can still bring, and how many it can have brought by now (RULES E.1, E20, E21).

What is left never grows, and shrinks by at least what a decision brings. So a state that keeps to these bounds keeps to them however it
is played on: no score leaves the observation or the notation, and no game is as long as ``MAX_DECISIONS``.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.components import (
    CHIPS_PER_ROUND,
    CORNER_POINTS,
    DISPLAY_SIZE,
    DOME_SIZE,
    EMPTY,
    LAST_DOME_ROUND,
    MOON_HEIGHT,
    NUM_CHIPS,
    NUM_DOME_TILES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROUNDS,
    NUM_SLOTS,
    NUM_SMALL,
    NUM_SPECIAL_TILES,
    POINTS_PER_BORDER_TILE,
    POINTS_PER_COLUMN,
    POINTS_PER_DIAGONAL,
    POINTS_PER_FIVE_COLOURS,
    POINTS_PER_ROW,
    POINTS_PER_WILD_SPACE,
    SPECIAL,
    START_SCORE,
    TILES_ON_LARGE,
    TILES_ON_SMALL,
    TOKENS_PER_ROUND,
)
from azul_duel_env.games.duel.knowledge import count_put_back
from azul_duel_env.games.duel.state import COLUMN, DRAWING, GAME_OVER, KEEPING, OPENING, PLACING
from azul_duel_env.jit import rule

# Points ---------------------------------------------------------------------------------------
MOST_FOR_TILE = 2 * DOME_SIZE
"""A run of six across and one of six down (D77)."""
MOST_FOR_SPECIAL = np.array([2, 2, 2, 4, 4, 4, 6, 6, 6], np.int16)
"""int16 (9,): what a special tile in a slot can bring: the number of the lower row (D78, R35)."""
SPACES_ON_BORDER = 4 * (DOME_SIZE - 1)
MOST_FOR_SIDES = (
    (POINTS_PER_ROW * DOME_SIZE, POINTS_PER_FIVE_COLOURS * DOME_SIZE),
    (POINTS_PER_COLUMN * DOME_SIZE, POINTS_PER_BORDER_TILE * SPACES_ON_BORDER),
    (POINTS_PER_DIAGONAL * 2, int(CORNER_POINTS.sum())),
    (POINTS_PER_WILD_SPACE * NUM_SLOTS, 0),
)
"""What the two sides of each scoring tile can bring: 18 or 24, 42 or 20, 20 or 22, 18 or 0."""
MOST_FOR_SCORING_TILES = sum(max(sides) for sides in MOST_FOR_SIDES)  # 106
MOST_POINTS = (
    START_SCORE
    + MOST_FOR_TILE * NUM_LINES * NUM_ROUNDS  # E15: a tile a line and round
    + int(MOST_FOR_SPECIAL.sum())
    + MOST_FOR_SCORING_TILES
)
"""No score is above 5 + 12 * 30 + 36 + 106 = 507."""


@rule
def points_left(state, player):
    """Return a bound on the points that a player can still win: tiles, special tiles and scoring tiles."""
    if state.stage == GAME_OVER:
        return 0
    points = MOST_FOR_SCORING_TILES + MOST_FOR_TILE * lines_left_in_game(state, player)
    for slot in range(NUM_SLOTS):
        if not has_special_tile(state, player, slot):
            points += MOST_FOR_SPECIAL[slot]
    return points


@rule
def has_special_tile(state, player, slot):
    """Return whether a special tile lies on a slot."""
    top = slot // 3 * 2
    left = slot % 3 * 2
    found = 0
    for cell in range(4):
        found += state.tiles[player, top + cell // 2, left + cell % 2] == SPECIAL
    return found > 0


@rule
def lines_left_in_game(state, player):
    """Return how many pattern lines of a player are still to be examined, each of which places one tile at most."""
    later = NUM_LINES * (NUM_ROUNDS - int(state.round_number))
    return later + (lines_left(state, player) if state.round_number > 0 else 0)


@rule
def lines_left(state, player):
    """Return how many pattern lines of a player are still to be examined in this round, the one being examined included (R20)."""
    if state.stage < COLUMN:
        return NUM_LINES
    if state.stage == GAME_OVER:
        return 0
    if player == state.active:
        return NUM_LINES - int(state.line)
    return NUM_LINES if state.active == state.first_player else 0


# Decisions ------------------------------------------------------------------------------------
TILES_ON_FACTORIES = TILES_ON_LARGE + NUM_SMALL * TILES_ON_SMALL
MOST_FOR_TILES = TILES_ON_FACTORIES + NUM_SMALL * TILES_ON_SMALL
"""Decisions about tiles in phase 1: each takes one off a factory or off a small sun, whence it goes to the moon (E20)."""
DECISIONS_A_LINE = 2
"""Phase 2 asks of a line whether to turn over no more chips (R30) and for a column, and for chips: each of those once a game."""
LINES_OF_ROUND = NUM_PLAYERS * NUM_LINES


def _stack_at_start(number: int) -> int:
    """Return how many dome tiles lie in the stack when a round starts (E6): 13, 9, 5, 1, 0."""
    on_domes = NUM_PLAYERS * (1 + TOKENS_PER_ROUND * min(number - 1, LAST_DOME_ROUND))
    return max(0, NUM_DOME_TILES - on_domes - DISPLAY_SIZE)


def _most_in_round(number: int) -> int:
    """Return a bound on the decisions of a round."""
    dome_tiles = 0
    for used in range(NUM_PLAYERS * TOKENS_PER_ROUND if number <= LAST_DOME_ROUND else 0):
        dome_tiles += max(1, 2 * (_stack_at_start(number) - used) + 1)
    return MOST_FOR_TILES + NUM_SMALL + dome_tiles + DECISIONS_A_LINE * LINES_OF_ROUND


DECISIONS_FROM_ROUND = np.array(
    [sum(_most_in_round(later) for later in range(max(1, number), NUM_ROUNDS + 1)) for number in range(NUM_ROUNDS + 2)]
)
"""int64 (7,): a bound on the decisions from the start of a round to the end of the game, but for chips turned over; 0 after the last."""
MOST_DECISIONS = NUM_PLAYERS + int(DECISIONS_FROM_ROUND[0]) + NUM_CHIPS
"""No game has more than 2 opening placements, 5 * 65 for tiles, chips taken and lines, 198 for dome tiles, and 20 chips turned over."""


@rule
def decisions_left(state):
    """Return a bound on the decisions that are still to be made."""
    if state.stage == GAME_OVER:
        return 0
    turned_over = 0
    for player in range(NUM_PLAYERS):
        turned_over += state.chips_down[player].sum()
    left = NUM_CHIPS - turned_over
    if state.round_number == 0:
        return left + openings_left(state) + DECISIONS_FROM_ROUND[1]
    if state.stage < OPENING:
        return left + DECISIONS_FROM_ROUND[state.round_number]
    left += DECISIONS_FROM_ROUND[state.round_number + 1]
    left += DECISIONS_A_LINE * (lines_left(state, 0) + lines_left(state, 1))
    if state.stage >= COLUMN:
        return left - (state.stage == COLUMN)  # the chips are turned over
    for player in range(NUM_PLAYERS):
        left += CHIPS_PER_ROUND - state.chips_taken[player]
    return left + decisions_about_tiles(state) + decisions_about_dome_tiles(state)


@rule
def openings_left(state):
    """Return how many opening placements are still to be made."""
    left = NUM_PLAYERS
    for player in range(NUM_PLAYERS):
        for slot in range(NUM_SLOTS):
            left -= state.domes[player, slot] != EMPTY
    return left


@rule
def decisions_about_tiles(state):
    """Return a bound on the decisions that take tiles or stack them in this round: see ``MOST_FOR_TILES``."""
    count = state.large_moon.sum() + state.suns[NUM_SMALL].sum()
    for factory in range(NUM_SMALL):
        count += 2 * state.suns[factory].sum()
        for height in range(MOON_HEIGHT):
            count += state.moons[factory, height] != EMPTY
    return count


@rule
def decisions_about_dome_tiles(state):
    """Return a bound on the decisions about dome tiles in this round: the draw under way, and one for each unused token.

    To draw k takes at most 2 k + 1: k draws, to stop, which to keep, k - 2 to put back, and where to place; each leaves one less.
    """
    stack = count_put_back(state) + int(state.stack_unseen)
    hand = int(state.hand_size)
    left = 0
    if state.stage == DRAWING:
        left = 2 * stack + hand + 1
    elif KEEPING <= state.stage < PLACING:
        left = hand
    elif state.stage == PLACING:
        left = 1
    if left > 0:
        stack += hand - (0 if state.kept != EMPTY else 1)
    for used in range(state.tokens[0] + state.tokens[1]):
        left += max(1, 2 * (stack - used) + 1)
    return left


assert TILES_ON_FACTORIES == 21
assert NUM_SPECIAL_TILES == NUM_SLOTS
