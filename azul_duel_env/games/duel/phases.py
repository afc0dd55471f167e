"""What lies on the table and with the players in each round, phase and stage (RULES E3, E4, E6, E7, E9, E12)."""

from __future__ import annotations

from azul_duel_env.games.duel.bounds import lines_left
from azul_duel_env.games.duel.chance import count_all, has_any, is_bare
from azul_duel_env.games.duel.components import (
    BROKEN_SPACES,
    CHIPS_PER_ROUND,
    EMPTY,
    FACE_DOWN,
    FILL_ORDER,
    LARGE,
    LAST_DOME_ROUND,
    MAX_HAND,
    MOON_HEIGHT,
    NO_CHIP,
    NUM_FACTORIES,
    NUM_PLAYERS,
    NUM_SLOTS,
    NUM_SMALL,
    TILES_ON_LARGE,
    TILES_ON_SMALL,
    TOKENS_PER_ROUND,
)
from azul_duel_env.games.duel.knowledge import count_put_back
from azul_duel_env.games.duel.state import (
    CHIP,
    CHOOSE_FIRST,
    CHOOSE_SCORING,
    COLUMN,
    DRAWING,
    FILL_FACTORIES,
    NOBODY,
    ON_LARGE_FACTORY,
    OPENING,
    PLACING,
    REFILL_DISPLAY,
    TURN,
    TURN_OVER,
)
from azul_duel_env.jit import rule, rule_with_arrays


@rule_with_arrays
def factories_right(state):
    """E7, and E4 on the table: what is not filled yet, or was emptied, holds nothing."""
    if state.suns[LARGE].sum() > TILES_ON_LARGE or state.large_moon.sum() > TILES_ON_LARGE - 1:
        return False
    if has_any(state.large_moon) and (has_any(state.suns[LARGE]) or not TURN <= state.stage <= TURN_OVER):
        return False
    for place in range(NUM_FACTORIES):
        factory = FILL_ORDER[place]
        if place >= factories_begun(state) and has_any(state.suns[factory]):
            return False
        if factory != LARGE and not (small_right(state, factory) and chip_right(state, factory, place)):
            return False
    return filling_right(state)


@rule
def factories_begun(state):
    """Return how many factories, in the order in which they are filled, may hold tiles now."""
    stage = state.stage
    if stage == FILL_FACTORIES:
        return state.filling + 1
    return NUM_FACTORIES if CHOOSE_FIRST <= stage <= TURN_OVER or is_between_openings(state) else 0


@rule
def is_between_openings(state):
    """Return whether the display is being refilled after an opening placement, not for the setup or a round (D20)."""
    return state.stage == REFILL_DISPLAY and state.round_number == 0 and state.active != NOBODY


@rule
def filling_right(state):
    """The setup fills the factories from the first on; later the place in their order means nothing but while they are filled."""
    in_setup = state.round_number == 0 and state.stage <= CHOOSE_SCORING and not is_between_openings(state)
    return state.filling == 0 or not in_setup


@rule
def small_right(state, factory):
    """E7 for a small factory; what is being stacked must fit on its moon."""
    sun = count_all(state.suns[factory])
    moon = 0
    for height in range(MOON_HEIGHT):
        if state.moons[factory, height] != EMPTY:
            if moon < height:
                return False
            moon += 1
    if factory == state.ordering and sun + moon > MOON_HEIGHT:
        return False
    if moon > 0 and ((sun > 0 and factory != state.ordering) or not TURN <= state.stage <= TURN_OVER):
        return False
    return sun <= TILES_ON_SMALL


@rule
def chip_right(state, factory, place):
    """D18, D39: a chip lies where a factory was filled, face up if it is bare, until it is taken in phase 1."""
    chip = state.factory_chips[factory]
    filled = state.filling if state.stage == FILL_FACTORIES else factories_begun(state)
    if place >= filled:
        return chip == NO_CHIP
    if not is_bare(state, factory):
        return chip == FACE_DOWN
    if chip == NO_CHIP:
        return state.stage >= TURN
    return chip != FACE_DOWN or state.chance == CHIP


@rule_with_arrays
def counters_right(state):
    """E9 for tokens, broken tiles and chips: a round begins with none taken or broken, and phase 2 with no token and chip left."""
    in_phase_1 = TURN <= state.stage <= TURN_OVER
    for player in range(NUM_PLAYERS):
        tokens = TOKENS_PER_ROUND if 0 < state.round_number <= LAST_DOME_ROUND else 0
        chips = 0
        if in_phase_1:
            tokens = min(tokens, state.tokens[player])
            chips = state.chips_taken[player]
        elif state.stage >= COLUMN:
            tokens = 0
            chips = CHIPS_PER_ROUND
        if state.tokens[player] != tokens or state.chips_taken[player] != chips:
            return False
        broken = state.broken[player].sum()
        if broken > BROKEN_SPACES or (broken > 0 and not may_have_broken(state, player)):
            return False
        if state.chips_up[player].sum() + state.chips_down[player].sum() > most_chips(state, player):
            return False
    return not in_phase_1 or chips_on_table(state) == NUM_SMALL - state.chips_taken[0] - state.chips_taken[1]


@rule
def may_have_broken(state, player):
    """Return whether broken tiles of this round may lie with a player: from the first turn to the end of their phase 2."""
    return TURN <= state.stage <= TURN_OVER or (state.stage >= COLUMN and lines_left(state, player) > 0)


@rule
def most_chips(state, player):
    """E4: return how many chips a player can have taken by now: two in each round before, and those of this round."""
    return CHIPS_PER_ROUND * max(0, int(state.round_number) - 1) + state.chips_taken[player]


@rule
def chips_on_table(state):
    """Return how many chips lie on factories."""
    count = 0
    for factory in range(NUM_SMALL):
        count += state.factory_chips[factory] != NO_CHIP
    return count


@rule
def dome_tiles_right(state):
    """E3, E6: each dome holds a tile for the opening and each token used; the display has been filled from the stack."""
    for player in range(NUM_PLAYERS):
        count = 0
        for slot in range(NUM_SLOTS):
            count += state.domes[player, slot] != EMPTY
        if count != dome_tiles_before(state, player) + tokens_placed(state, player):
            return False
    if state.stage == REFILL_DISPLAY or state.round_number == 0:
        return True
    return state.hand_size + state.stack_unseen + count_put_back(state) <= MAX_HAND  # R2: all may be drawn


@rule
def tokens_placed(state, player):
    """Return how many dome tiles of this round a player has placed: one for each token used, but for a draw under way."""
    if not 0 < state.round_number <= LAST_DOME_ROUND:
        return 0
    drawing = player == state.active and DRAWING <= state.stage <= PLACING
    return TOKENS_PER_ROUND - state.tokens[player] - (1 if drawing else 0)


@rule
def dome_tiles_before(state, player):
    """Return how many dome tiles lay on a dome when the round began; in the setup, how many lie there now (D20, D21)."""
    if state.round_number > 0:
        return 1 + TOKENS_PER_ROUND * min(int(state.round_number) - 1, LAST_DOME_ROUND)
    if state.active == NOBODY:
        return 0
    if player == state.active:
        return 1 if state.stage == REFILL_DISPLAY else 0
    return 1 if state.active == state.first_player else 0


@rule
def first_player_right(state):
    """E12: whose turn it is and who began exist once play has begun, and the tile is taken in phase 1 (D44)."""
    in_play = state.round_number > 0 or state.stage == OPENING or is_between_openings(state)
    if (state.active != NOBODY) != in_play or (in_play and state.first_player == NOBODY):
        return False
    return state.first_player_tile == ON_LARGE_FACTORY or state.stage >= TURN
