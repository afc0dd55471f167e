"""What holds in every state (RULES E.1): ``check`` names each broken invariant."""

from __future__ import annotations

import numpy as np

from azul_duel_env._jit import entry, rule, rule_with_arrays
from azul_duel_env.duel.acquisition import colours_on_moons
from azul_duel_env.duel.actions import MAX_LEGAL, NUM_SOURCES
from azul_duel_env.duel.chance import SCORING_TILES_IN_MASK, chance_due, has_any, is_bare
from azul_duel_env.duel.components import (
    BROKEN_SPACES,
    CHIPS_PER_ROUND,
    COPIES_OF_CHIP,
    DISPLAY_SIZE,
    DOME_SIZE,
    EMPTY,
    FACE_DOWN,
    FILL_ORDER,
    KIND_OF,
    LARGE,
    MAX_HAND,
    MAX_PUT_BACK,
    MOON_HEIGHT,
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
    SPECIAL,
    TILES_ON_LARGE,
    TILES_ON_SMALL,
    TILES_PER_COLOUR,
    TOKENS_PER_ROUND,
    UNKNOWN,
    WILD,
)
from azul_duel_env.duel.engine import MAX_DECISIONS, list_legal
from azul_duel_env.duel.knowledge import count_put_back
from azul_duel_env.duel.scoring import space_at
from azul_duel_env.duel.state import (
    CHOOSE_SCORING,
    COLUMN,
    DRAWING,
    FILL_FACTORIES,
    FIRST,
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
    STATE,
    TURN,
)
from azul_duel_env.duel.tiling import count_accepting, missing_tiles

INVARIANTS = (
    "13 tiles of each colour (E1)",
    "9 special tiles, on special spaces (E2)",
    "each of the 18 dome tiles in one place (E3)",
    "2 bonus chips of each kind (E4)",
    "factories: counts, sun or moon, chip face up iff empty (E7)",
    "pattern lines: one colour, at most full (E9)",
    "tokens, broken tiles, chips taken within bounds, tokens usable (E9)",
    "a special space is filled iff its dome tile's other spaces are (E10)",
    "a tile lies on a space that accepts it (E11)",
    "first player and first-player tile exist (E12)",
    "scores are not negative (E13)",
    "the player to decide has a choice, and nobody else (E14)",
    "full domes and 9 special tiles at the end (E5)",
    "the round, the stage and the number of decisions exist (E21)",
    "the order of dome tiles put back and in the hand is well formed",
    "the scoring tiles in play are 3 or 4 different ones, as configured (R39)",
    "what a sub-decision or draw is about fits the stage, and nothing is left of an earlier one",
    "every number within its range",
)


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


@rule_with_arrays
def factories_right(state):
    """E7."""
    if state.stage == FILL_FACTORIES:
        return True
    if state.suns.min() < 0 or state.large_moon.min() < 0 or state.large_moon.sum() > TILES_ON_LARGE - 1:
        return False
    if has_any(state.suns[LARGE]) and has_any(state.large_moon):
        return False
    return all_small_right(state)


@rule
def all_small_right(state):
    """E7 for the small factories."""
    for factory in range(NUM_SMALL):
        on_moon = state.moons[factory, 0] != EMPTY
        for height in range(1, MOON_HEIGHT):
            if state.moons[factory, height] != EMPTY and state.moons[factory, height - 1] == EMPTY:
                return False
        if on_moon and has_any(state.suns[factory]) and factory != state.ordering:
            return False
        if state.suns[factory].sum() > TILES_ON_SMALL:
            return False
        face_down = state.factory_chips[factory] == FACE_DOWN
        if state.stage >= TURN and state.chance == NO_CHANCE and is_bare(state, factory) == face_down:
            return False
    return True


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


@rule_with_arrays
def counters_right(state):
    """E9 for tokens, broken tiles and chips."""
    for player in range(NUM_PLAYERS):
        if not 0 <= state.tokens[player] <= TOKENS_PER_ROUND or not 0 <= state.chips_taken[player] <= CHIPS_PER_ROUND:
            return False
        if state.broken[player].min() < 0 or state.broken[player].sum() > BROKEN_SPACES:
            return False
        if not tokens_usable(state, player):
            return False
    return True


@rule
def tokens_usable(state, player):
    """R7: an empty slot for each unused token and the dome tile being drawn, and enough dome tiles for both players' tokens."""
    empty = 0
    for slot in range(NUM_SLOTS):
        empty += state.domes[player, slot] == EMPTY
    if state.active == player and DRAWING <= state.stage <= PLACING:
        empty -= 1
    available = state.stack_unseen + count_put_back(state)
    for place in range(DISPLAY_SIZE):
        available += state.display[place] != EMPTY
    return state.tokens[player] <= empty and state.tokens[0] + state.tokens[1] <= available


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
def first_player_right(state):
    """E12."""
    begun = state.stage >= OPENING
    return (
        NOBODY <= state.first_player_tile < NUM_PLAYERS and (0 if begun else NOBODY) <= state.first_player < NUM_PLAYERS
    )


@rule
def scoring_right(state):
    """R39."""
    mask = 0
    for condition in range(NUM_CONDITIONS):
        mask |= int(state.scoring[condition]) << condition
    if mask == 0:
        return state.stage <= CHOOSE_SCORING
    return SCORING_TILES_IN_MASK[mask] == state.num_scoring_tiles


@rule
def stage_right(state):
    """The fields of a sub-decision or draw under way agree with the stage."""
    stage = state.stage
    tiling = stage in (COLUMN, PAYING)
    if (state.line != NOBODY) != tiling or not NOBODY <= state.line < NUM_LINES:
        return False
    if stage != PAYING and state.paid_matching + state.paid_other > 0:
        return False
    if tiling and count_accepting(state, state.active) == 0:
        return False
    if tiling and (
        state.lines[state.active, state.line] == 0 or (stage == PAYING and missing_tiles(state, state.active) == 0)
    ):
        return False
    if (state.ordering != NOBODY) != (stage == ORDERING) and state.chance == NO_CHANCE:
        return False
    if state.source != NOBODY and not source_right(state):
        return False
    if state.tipped_midway == 1 and not (
        fills_large(state) and has_any(state.suns[LARGE]) and not has_any(state.tower)
    ):
        return False
    return drawing_right(state) and (state.chance == NO_CHANCE or state.chance == chance_due(state))


@rule
def fills_large(state):
    """Return whether the large factory is being filled."""
    return state.stage == FILL_FACTORIES and state.filling < NUM_FACTORIES and FILL_ORDER[state.filling] == LARGE


@rule
def source_right(state):
    """A source that is chosen, and not yet its destination, has tiles to take."""
    if state.stage != TURN or state.chance != NO_CHANCE:
        return False
    source = int(state.source)
    if source < NUM_FACTORIES * NUM_COLOURS:
        return state.suns[source // NUM_COLOURS, source % NUM_COLOURS] > 0
    return colours_on_moons(state) >> (source - NUM_FACTORIES * NUM_COLOURS) & 1 == 1


@rule
def drawing_right(state):
    """The hand, the tile kept and those returned agree with the stage; only face-down tiles are known to somebody alone."""
    stage = state.stage
    if (state.hand_size > 0) != (stage in (DRAWING, KEEPING, RETURNING)) or (state.kept != EMPTY) != (
        stage in (RETURNING, PLACING)
    ):
        return False
    if state.returned > (count_put_back(state) if stage in (RETURNING, PLACING) else 0):
        return False
    for tile in range(NUM_DOME_TILES):
        if state.looked_at[:, tile].max() == 1 and not is_hidden(state, tile):
            return False
    return True


@rule
def is_hidden(state, tile):
    """Return whether a dome tile lies among those put back, in the hand or kept."""
    for place in range(count_put_back(state)):
        if state.put_back[place] == tile:
            return True
    for place in range(state.hand_size):
        if state.hand[place] == tile:
            return True
    return state.kept == tile


@rule_with_arrays
def decision_right(state):
    """E14: nobody decides when chance must or the game is over; the deciding player has a choice, of two or more but for turns."""
    if not stage_right(state) or (state.chance == NO_CHANCE and not asks_player(state.stage)):
        return False
    legal = np.empty(MAX_LEGAL, np.int16)
    count = list_legal(state, legal)
    if state.player == NOBODY:
        return count == 0 and (state.stage == GAME_OVER or state.chance != NO_CHANCE)
    return state.chance == NO_CHANCE and count >= (1 if state.stage in (TURN, PLACING, OPENING) else 2)


@rule
def asks_player(stage):
    """Return whether a player decides in a stage, or the game is over."""
    return OPENING <= stage <= ORDERING or stage >= COLUMN


@rule
def end_right(state):
    """E5."""
    if state.stage != GAME_OVER:
        return True
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
    return 0 <= state.round_number <= NUM_ROUNDS and 0 <= state.stage <= GAME_OVER and state.decisions < MAX_DECISIONS


@rule
def order_right(state):
    """Places after the last are empty, each tile put back has its player, and the top of the stack starts a return."""
    count = count_put_back(state)
    for place in range(len(state.put_back)):
        filled = place < count
        if (state.put_back[place] != EMPTY) != filled or (state.put_back_by[place] != NOBODY) != filled:
            return False
        if filled and state.looked_at[state.put_back_by[place], state.put_back[place]] == 0:
            return False
    if count > 0 and state.put_back_starts[0] == 0:
        return False
    return state.hand_size == 0 or state.hand_kinds[state.hand_size - 1] != UNKNOWN


@rule_with_arrays
def broken_invariants(state, broken):
    """Write 1 for each broken invariant into ``broken`` (int8, 18), all but the last; return how many."""
    broken[0] = not tiles_conserved(state)
    broken[1] = not special_tiles_right(state)
    broken[2] = not dome_tiles_conserved(state)
    broken[3] = not chips_conserved(state)
    broken[4] = not factories_right(state)
    broken[5] = not lines_right(state)
    broken[6] = not counters_right(state)
    broken[7] = not special_spaces_right(state)
    broken[8] = not spaces_right(state)
    broken[9] = not first_player_right(state)
    broken[10] = state.scores.min() < 0  # E13
    broken[11] = not decision_right(state)
    broken[12] = not end_right(state)
    broken[13] = not progress_right(state)
    broken[14] = not order_right(state)
    broken[15] = not scoring_right(state)
    broken[16] = not stage_right(state)
    return broken.sum()


@entry
def find_broken(states, i, broken):
    """Write 1 for each broken invariant of one state into ``broken``; return how many."""
    return broken_invariants(states[i], broken)


def _small_integers(states: np.ndarray) -> np.ndarray:
    """Return the int8 fields of an array of one state as one flat view."""
    fields = STATE.fields
    assert fields is not None
    return states.view(np.int8).reshape(-1)[fields["round_number"][1] :]


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


def _is_within(values: np.ndarray, low: int, high: int) -> bool:
    """Return whether all numbers of a field are in range."""
    return bool((np.asarray(values) >= low).all() and (np.asarray(values) <= high).all())


def _ranges() -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest value of each byte from the first int8 field on."""
    low, high = np.zeros(1, STATE), np.zeros(1, STATE)
    for field, (lowest, highest) in RANGES.items():
        low[field], high[field] = lowest, highest
    return _small_integers(low), _small_integers(high)


LOWEST, HIGHEST = _ranges()


def check(states: np.ndarray, i: int = 0) -> list[str]:
    """Return the invariants that one state breaks, by name (of numbers out of range, with the fields); none for a sound state.

    Any bytes may be asked about: nothing is used as an index before it is known to be in range.
    """
    numbers = _small_integers(states[i : i + 1])
    if (numbers < LOWEST).any() or (numbers > HIGHEST).any():
        fields = [name for name, (low, high) in RANGES.items() if not _is_within(states[name][i], low, high)]
        return [f"{INVARIANTS[-1]}: {', '.join(f'{name} {RANGES[name]}' for name in fields)}"]
    broken = np.zeros(len(INVARIANTS), np.int8)
    find_broken(states, i, broken)
    return [name for name, is_broken in zip(INVARIANTS, broken, strict=True) if is_broken]
