"""What holds in every state (RULES E.1), for the template ``soundness``.

What keeps to them can be played on to its end, whatever is chosen and drawn, and keeps to them all the way; its observations lie in
[0, 1] and its text reads back. They don't tell that a game really leads there: a dome may be fuller than its round allows, for a puzzle.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.acquisition import colours_on_moons
from azul_duel_env.games.duel.actions import MAX_LEGAL, NUM_SOURCES
from azul_duel_env.games.duel.bounds import MOST_DECISIONS, MOST_POINTS, decisions_left, points_left
from azul_duel_env.games.duel.chance import SCORING_TILES_IN_MASK, chance_due, count_all, has_any, total_weight
from azul_duel_env.games.duel.components import (
    BROKEN_SPACES,
    CHIP_SHOWS,
    CHIPS_PER_ROUND,
    COPIES_OF_CHIP,
    DOME_SIZE,
    EMPTY,
    FACE_DOWN,
    FILL_ORDER,
    KIND_OF,
    LARGE,
    MAX_HAND,
    MAX_PUT_BACK,
    NO_CHIP,
    NUM_CHIP_KINDS,
    NUM_CHIPS,
    NUM_COLOURS,
    NUM_CONDITIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_KINDS,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROTATIONS,
    NUM_ROUNDS,
    NUM_SCORING_TILES,
    NUM_SLOTS,
    NUM_SMALL,
    NUM_SPECIAL_TILES,
    PAIR,
    SPECIAL,
    TILES_ON_LARGE,
    TILES_PER_COLOUR,
    TOKENS_PER_ROUND,
    UNKNOWN,
    WILD,
)
from azul_duel_env.games.duel.conservation import (
    chips_conserved,
    dome_tiles_conserved,
    special_tiles_right,
    tiles_conserved,
)
from azul_duel_env.games.duel.engine import list_legal
from azul_duel_env.games.duel.hand_invariants import drawing_right, order_right
from azul_duel_env.games.duel.phases import counters_right, dome_tiles_right, factories_right, first_player_right
from azul_duel_env.games.duel.scoring import space_at
from azul_duel_env.games.duel.state import (
    CHOOSE_SCORING,
    COLUMN,
    FILL_FACTORIES,
    FIRST,
    GAME_OVER,
    NO_CHANCE,
    NOBODY,
    OPENING,
    ORDERING,
    PAYING,
    PLACING,
    REFILL_DISPLAY,
    TURN,
)
from azul_duel_env.games.duel.tiling import count_accepting, missing_tiles
from azul_duel_env.jit import rule, rule_with_arrays

INVARIANTS = (
    "13 tiles of each colour (E1)",
    "9 special tiles, on special spaces (E2)",
    "each of the 18 dome tiles in one place, and as many on each dome as the round and the tokens say (E3)",
    "2 bonus chips of each kind (E4)",
    "factories: counts, sun or moon, chip face up iff empty, nothing outside of phase 1 (E7)",
    "pattern lines: one colour, at most full (E9)",
    "tokens, broken tiles and chips fit the round and its phase (E9)",
    "a special space is filled iff its dome tile's other spaces are (E10)",
    "a tile lies on a space that accepts it (E11)",
    "whose turn it is, first player and first-player tile fit what has been played (E12)",
    "scores are not negative, and not more than a game can have brought (E13)",
    "the player to decide is whose turn it is and has a choice, and nobody else (E14)",
    "full domes and 9 special tiles at the end (E5)",
    "the round fits the stage, and the number of decisions what has been played (E21)",
    "the order of dome tiles put back is well formed",
    "the scoring tiles in play are 3 or 4 different ones, as configured (R39)",
    "what a sub-decision or draw is about fits the stage, and nothing is left of an earlier one",
    "every number within its range",
)


@rule
def lines_right(state):
    """E9 for pattern lines."""
    for player in range(NUM_PLAYERS):
        for line in range(NUM_LINES):
            tiles = state.lines[player, line]
            colour = state.line_colours[player, line]
            if not 0 <= tiles <= line + 1 or (tiles == 0) != (colour == EMPTY) or not EMPTY <= colour < NUM_COLOURS:
                return False
    return True


@rule
def special_spaces_right(state):
    """E10."""
    for player in range(NUM_PLAYERS):
        for slot in range(NUM_SLOTS):
            filled = 0
            special = -1
            for cell in range(4):
                row = slot // 3 * 2 + cell // 2
                column = slot % 3 * 2 + cell % 2
                if space_at(state, player, row, column) == SPECIAL:
                    special = state.tiles[player, row, column] != EMPTY
                elif state.tiles[player, row, column] != EMPTY:
                    filled += 1
            if special >= 0 and (special == 1) != (filled == 3):
                return False
    return True


@rule
def spaces_right(state):
    """E11."""
    for player in range(NUM_PLAYERS):
        for row in range(DOME_SIZE):
            for column in range(DOME_SIZE):
                tile = state.tiles[player, row, column]
                space = space_at(state, player, row, column)
                on_wild = space == WILD and tile < SPECIAL
                if tile != EMPTY and tile != space and not on_wild:
                    return False
    return True


@rule
def scores_right(state):
    """E13: no score is negative, or above what a game can have brought by now."""
    for player in range(NUM_PLAYERS):
        if not 0 <= state.scores[player] <= MOST_POINTS - points_left(state, player):
            return False
    return True


@rule
def scoring_right(state):
    """R39."""
    mask = 0
    for condition in range(NUM_CONDITIONS):
        mask |= int(state.scoring[condition]) << condition
    if mask == 0:
        return state.stage <= CHOOSE_SCORING and state.active == NOBODY
    return SCORING_TILES_IN_MASK[mask] == state.num_scoring_tiles


@rule
def stage_right(state):
    """The fields of a sub-decision or draw under way agree with the stage."""
    stage = state.stage
    if (state.ordering != NOBODY) != (stage == ORDERING):
        return False
    if state.source != NOBODY and not source_right(state):
        return False
    if state.tipped_midway == 1 and not is_tipped_midway(state):
        return False
    return tiling_right(state) and drawing_right(state) and chance_right(state)


@rule
def chance_right(state):
    """What is due to be drawn is what the rules say, and is asked with explicit chance only, when there are several outcomes."""
    if state.chance != chance_due(state):
        return False
    if state.chance == NO_CHANCE:
        return True
    total, only = total_weight(state, state.chance)
    return state.explicit_chance == 1 and total > 0 and only == NOBODY


@rule
def tiling_right(state):
    """In phase 2 the line being examined holds tiles that its row accepts, and chips turned over are there."""
    stage = state.stage
    tiling = stage in (COLUMN, PAYING)
    if (state.line != NOBODY) != tiling:
        return False
    if stage != PAYING and state.paid_matching + state.paid_other > 0:
        return False
    if not tiling:
        return True
    player = state.active
    if count_accepting(state, player) == 0 or state.lines[player, state.line] == 0:
        return False
    missing = missing_tiles(state, player)
    if stage == COLUMN:
        return PAIR * missing <= count_all(
            state.chips_down[player]
        )  # a line may be full of chips that just paid for it
    return missing > 0 and are_paid_chips_down(state, player)


@rule
def are_paid_chips_down(state, player):
    """Return whether as many chips lie face down as were turned over for the examined line."""
    matching = 0
    other = 0
    for chip in range(NUM_CHIP_KINDS):
        if CHIP_SHOWS[chip, state.line_colours[player, state.line]]:
            matching += state.chips_down[player, chip]
        else:
            other += state.chips_down[player, chip]
    return state.paid_matching <= matching and state.paid_other <= other


@rule
def is_tipped_midway(state):
    """Return whether the tower can have come into the bag while the large factory was being filled."""
    if state.stage != FILL_FACTORIES or state.filling == NUM_FACTORIES or FILL_ORDER[state.filling] != LARGE:
        return False
    return has_any(state.suns[LARGE]) and not has_any(state.tower)


@rule
def source_right(state):
    """A source that is chosen, and not yet its destination, has tiles to take."""
    if state.stage != TURN or state.chance != NO_CHANCE:
        return False
    source = int(state.source)
    if source < NUM_FACTORIES * NUM_COLOURS:
        return state.suns[source // NUM_COLOURS, source % NUM_COLOURS] > 0
    return colours_on_moons(state) >> (source - NUM_FACTORIES * NUM_COLOURS) & 1 == 1


@rule_with_arrays
def decision_right(state):
    """E14: who decides is whose turn it is, and has a choice, of two or more but for turns; nobody when chance must or the game is over."""
    if not stage_right(state):
        return False
    if state.chance != NO_CHANCE or state.stage == GAME_OVER:
        return state.player == NOBODY
    if not asks_player(state.stage) or state.player == NOBODY or state.player != state.active:
        return False
    count = list_legal(state, np.empty(MAX_LEGAL, np.int16))
    return count >= (1 if state.stage in (TURN, PLACING, OPENING) else 2)


@rule
def asks_player(stage):
    """Return whether a player decides in a stage, or the game is over."""
    return OPENING <= stage <= ORDERING or stage >= COLUMN


@rule
def end_right(state):
    """E5."""
    if state.stage != GAME_OVER:
        return True
    if state.round_number != NUM_ROUNDS:
        return False
    specials = 0
    for player in range(NUM_PLAYERS):
        for slot in range(NUM_SLOTS):
            if state.domes[player, slot] == EMPTY:
                return False
            specials += KIND_OF[state.domes[player, slot] // NUM_ROTATIONS] == 0
    return specials == NUM_SPECIAL_TILES


@rule
def progress_right(state):
    """E21; round 0 is the setup with the opening placements, and nothing else."""
    in_setup = state.stage <= OPENING and state.stage not in (REFILL_DISPLAY, FILL_FACTORIES)
    if (state.round_number == 0 and state.stage >= TURN) or (state.round_number > 0 and in_setup):
        return False
    return 0 <= state.decisions <= MOST_DECISIONS - decisions_left(state)


@rule_with_arrays
def broken_invariants(state, broken):
    """Write 1 for each broken invariant into ``broken`` (int8, 18), all but the last; return how many."""
    broken[0] = not tiles_conserved(state)
    broken[1] = not special_tiles_right(state)
    broken[2] = not (dome_tiles_conserved(state) and dome_tiles_right(state))
    broken[3] = not chips_conserved(state)
    broken[4] = not factories_right(state)
    broken[5] = not lines_right(state)
    broken[6] = not counters_right(state)
    broken[7] = not special_spaces_right(state)
    broken[8] = not spaces_right(state)
    broken[9] = not first_player_right(state)
    broken[10] = not scores_right(state)
    broken[11] = not decision_right(state)
    broken[12] = not end_right(state)
    broken[13] = not progress_right(state)
    broken[14] = not order_right(state)
    broken[15] = not scoring_right(state)
    broken[16] = not stage_right(state)
    return broken.sum()


RANGES = {
    "round_number": (0, NUM_ROUNDS),
    "stage": (0, GAME_OVER),
    "chance": (0, FIRST),
    **dict.fromkeys(("player", "active", "first_player", "first_player_tile"), (NOBODY, NUM_PLAYERS - 1)),
    **dict.fromkeys(("zero_point_draw_free", "special_counts_as_colour", "explicit_chance", "scoring"), (0, 1)),
    **dict.fromkeys(("chip_payments_all", "tipped_midway"), (0, 1)),
    "num_scoring_tiles": (3, NUM_SCORING_TILES),
    **dict.fromkeys(("bag", "tower"), (0, TILES_PER_COLOUR)),
    **dict.fromkeys(("suns", "large_moon"), (0, TILES_ON_LARGE)),
    **dict.fromkeys(("moons", "line_colours"), (EMPTY, NUM_COLOURS - 1)),
    "factory_chips": (NO_CHIP, FACE_DOWN),
    **dict.fromkeys(("chips_unseen", "chips_up", "chips_down"), (0, COPIES_OF_CHIP)),
    "filling": (0, NUM_FACTORIES),
    **dict.fromkeys(("display", "put_back", "hand", "kept"), (EMPTY, NUM_DOME_TILES - 1)),
    "stack_unseen": (0, NUM_DOME_TILES),
    **dict.fromkeys(("top_kind", "hand_kinds"), (UNKNOWN, NUM_KINDS - 1)),
    **dict.fromkeys(("fronts_unseen", "put_back_starts", "looked_at"), (0, 1)),
    **dict.fromkeys(("put_back_by", "hand_from"), (NOBODY, NUM_PLAYERS - 1)),
    "hand_size": (0, MAX_HAND),
    "returned": (0, MAX_PUT_BACK),
    "lines": (0, NUM_LINES),
    "domes": (EMPTY, NUM_DOME_TILES * NUM_ROTATIONS - 1),
    "tiles": (EMPTY, SPECIAL),
    "broken": (0, BROKEN_SPACES),
    "tokens": (0, TOKENS_PER_ROUND),
    "chips_taken": (0, CHIPS_PER_ROUND),
    "ordering": (NOBODY, NUM_SMALL - 1),
    "line": (NOBODY, NUM_LINES - 1),
    **dict.fromkeys(("paid_matching", "paid_other"), (0, NUM_CHIPS)),
    "source": (NOBODY, NUM_SOURCES - 1),
    "spare": (0, 0),
}
"""Lowest and highest value of each int8 field: compiled code indexes with them, so they are looked at first."""
