"""What lookups and outputs both need, computed once for a position."""

from __future__ import annotations

from azul_duel_env.games.duel.acquisition import moon_top
from azul_duel_env.games.duel.chance import count_all
from azul_duel_env.games.duel.components import (
    DOME_SIZE,
    EMPTY,
    LAYOUT_SPACES,
    NUM_COLOURS,
    NUM_FACTORIES,
    NUM_PLAYERS,
    NUM_SLOTS,
    NUM_SMALL,
    WILD,
)
from azul_duel_env.games.duel.scoring import filled_spaces, points_among
from azul_duel_env.jit import rule

BOARD = DOME_SIZE * NUM_COLOURS + 2
# Of the viewer's board, then of the other:
IN_GAINS, IN_ACROSS, IN_DOWN = 0, DOME_SIZE * NUM_COLOURS, DOME_SIZE * NUM_COLOURS + 1
IN_MOONS = NUM_PLAYERS * BOARD
IN_FACTORIES = IN_MOONS + NUM_COLOURS
CONTEXT_SIZE = IN_FACTORIES + NUM_FACTORIES


@rule
def write_context(state, viewer, context):
    """Write what lookups and outputs are made from into ``context`` (int64, CONTEXT_SIZE)."""
    for at in range(CONTEXT_SIZE):
        context[at] = 0
    for seat in range(NUM_PLAYERS):
        write_dome(state, viewer if seat == 0 else 1 - viewer, seat * BOARD, context)
    for colour in range(NUM_COLOURS):
        context[IN_MOONS + colour] = state.large_moon[colour]
    for factory in range(NUM_SMALL):
        top = moon_top(state, factory)
        if top != EMPTY:
            context[IN_MOONS + top] += 1
    for factory in range(NUM_FACTORIES):
        context[IN_FACTORIES + factory] = count_all(state.suns[factory])


@rule
def write_dome(state, player, first, context):
    """Write which spaces of a dome are filled, and the most points that a tile of a colour could bring in a row at once (D62, D76)."""
    across, down = filled_spaces(state, player)
    context[first + IN_ACROSS] = across
    context[first + IN_DOWN] = down
    for slot in range(NUM_SLOTS):
        layout = state.domes[player, slot]
        if layout != EMPTY:
            for cell in range(4):
                row = slot // 3 * 2 + cell // 2
                column = slot % 3 * 2 + cell % 2
                if across >> (DOME_SIZE * row + column) & 1 == 0:
                    points = points_among(across, down, row, column)
                    raise_gains(context, first + row * NUM_COLOURS, int(LAYOUT_SPACES[layout, cell]), points)


@rule
def raise_gains(context, first, space, points):
    """Let the gains of a row, from ``first`` on, be what a tile on an empty space brings, if that is more."""
    if space < NUM_COLOURS:
        context[first + space] = max(context[first + space], points)
    elif space == WILD:
        for colour in range(NUM_COLOURS):
            context[first + colour] = max(context[first + colour], points)
