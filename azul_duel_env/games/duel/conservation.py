"""That nothing of the box is lost or twice (RULES E1 to E4): tiles, special tiles, dome tiles and bonus chips."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.components import (
    COPIES_OF_CHIP,
    DISPLAY_SIZE,
    DOME_SIZE,
    EMPTY,
    FACE_DOWN,
    KIND_OF,
    MOON_HEIGHT,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_DOME_TILES,
    NUM_KINDS,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROTATIONS,
    NUM_SLOTS,
    NUM_SMALL,
    NUM_SPECIAL_TILES,
    SPECIAL,
    TILES_PER_COLOUR,
    UNKNOWN,
)
from azul_duel_env.games.duel.knowledge import count_put_back
from azul_duel_env.jit import rule, rule_with_arrays


@rule
def tiles_conserved(state):
    """E1."""
    for colour in range(NUM_COLOURS):
        count = (
            int(state.bag[colour]) + int(state.tower[colour]) + state.large_moon[colour] + state.suns[:, colour].sum()
        )
        for factory in range(NUM_SMALL):
            for height in range(MOON_HEIGHT):
                count += state.moons[factory, height] == colour
        for player in range(NUM_PLAYERS):
            count += state.broken[player, colour] + tiles_on_board(state, player, colour)
        if count != TILES_PER_COLOUR or min(state.bag[colour], state.tower[colour]) < 0:
            return False
    return True


@rule
def tiles_on_board(state, player, colour):
    """Return the tiles of a colour on pattern lines and dome."""
    count = 0
    for line in range(NUM_LINES):
        if state.line_colours[player, line] == colour:
            count += state.lines[player, line]
    return count + dome_count(state, player, colour)


@rule
def dome_count(state, player, tile):
    """Return the tiles of a colour, or the special tiles, on a dome."""
    count = 0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            count += state.tiles[player, row, column] == tile
    return count


@rule_with_arrays
def special_tiles_right(state):
    """E2."""
    return dome_count(state, 0, SPECIAL) + dome_count(state, 1, SPECIAL) <= NUM_SPECIAL_TILES


@rule_with_arrays
def dome_tiles_conserved(state):
    """E3."""
    found = np.zeros(NUM_DOME_TILES, np.int64)
    for place in range(DISPLAY_SIZE):
        if state.display[place] != EMPTY:
            found[state.display[place]] += 1
    for place in range(count_put_back(state)):
        found[state.put_back[place]] += 1
    hidden = np.int64(state.stack_unseen)
    for place in range(state.hand_size):
        if state.hand[place] == UNKNOWN:
            hidden += 1
        else:
            found[state.hand[place]] += 1
    if state.kept != EMPTY:
        found[state.kept] += 1
    for player in range(NUM_PLAYERS):
        for slot in range(NUM_SLOTS):
            if state.domes[player, slot] != EMPTY:
                found[state.domes[player, slot] // NUM_ROTATIONS] += 1
    return fronts_agree(state, found, hidden)


@rule_with_arrays
def fronts_agree(state, found, hidden):
    """Return whether each dome tile is found once or unseen, and as many are hidden, of each kind, as are unseen."""
    unseen = np.zeros(NUM_KINDS, np.int64)
    for tile in range(NUM_DOME_TILES):
        if found[tile] + state.fronts_unseen[tile] != 1:
            return False
        unseen[KIND_OF[tile]] += state.fronts_unseen[tile]
    for place in range(state.hand_size):
        if state.hand[place] == UNKNOWN:
            unseen[state.hand_kinds[place]] -= 1
            hidden -= 1
    top = state.top_kind
    if top != UNKNOWN and (state.stack_unseen == 0 or unseen[top] < 1):
        return False
    return unseen.min() >= 0 and unseen.sum() == hidden


@rule_with_arrays
def chips_conserved(state):
    """E4."""
    face_down = 0
    for factory in range(NUM_SMALL):
        face_down += state.factory_chips[factory] == FACE_DOWN
    for chip in range(NUM_CHIP_KINDS):
        count = state.chips_unseen[chip] + state.chips_up[:, chip].sum() + state.chips_down[:, chip].sum()
        for factory in range(NUM_SMALL):
            count += state.factory_chips[factory] == chip
        lowest = min(state.chips_unseen[chip], min(state.chips_up[:, chip].min(), state.chips_down[:, chip].min()))
        if count != COPIES_OF_CHIP or lowest < 0:
            return False
    return state.chips_unseen.sum() >= face_down
