"""The observation: one flat float32 vector in [0, 1], made of the named blocks of one table, from one player's seat.

It holds all that the player may know, perfect memory included, and nothing else; ``knowledge.py`` says what that is. The action mask
is a function of it. ``[me, other]`` marks blocks that hold the viewer's part first.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.observation_table import as_named, lay_out
from azul_duel_env.games.duel.components import (
    COPIES_OF_CHIP,
    DISPLAY_SIZE,
    DOME_SIZE,
    EMPTY,
    FACE_DOWN,
    KIND_OF,
    LAYOUT_SPACES,
    MAX_HAND,
    MAX_PUT_BACK,
    NO_CHIP,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_CONDITIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_KINDS,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROUNDS,
    NUM_SLOTS,
    NUM_SMALL,
    SPECIAL,
    TILES_PER_COLOUR,
    TOKENS_PER_ROUND,
    UNKNOWN,
    WILD,
    WILD_KIND,
)
from azul_duel_env.games.duel.dome_tiles import stack_is_empty
from azul_duel_env.games.duel.knowledge import knows_hand_tile, put_back_shown
from azul_duel_env.games.duel.state import COLUMN, GAME_OVER, NOBODY, ON_LARGE_FACTORY, OPENING, ORDERING, PAYING
from azul_duel_env.jit import rule

SCORE_SCALE = 512  # above any score: bounds.MOST_POINTS
FINE_SCORE_SCALE = 100
STAGE_NAMES = (
    "opening",
    "turn",
    "drawing",
    "keeping",
    "returning",
    "placing",
    "ordering",
    "column",
    "paying",
    "game over",
)
MOST_MATCHING, MOST_OTHER = 8, 12  # bounds on the chips turned over for one line
SPACE_PLANES = ("blue", "turquoise", "red", "yellow", "black", "special space", "wild space", "filled")
FILLED_PLANE = 7


BLOCKS = lay_out(
    ("decision", (len(STAGE_NAMES),), f"one-hot: {', '.join(STAGE_NAMES)}"),
    ("my_decision", (1,), "1 if the viewer decides now"),
    ("active", (2,), "[me, other] whose turn or phase 2 it is"),
    ("round", (NUM_ROUNDS,), "one-hot"),
    ("scores", (2,), f"[me, other] points / {SCORE_SCALE}"),
    ("scores_fine", (2,), f"[me, other] points / {FINE_SCORE_SCALE}, at most 1"),
    ("first_player", (2,), "[me, other] who began this round"),
    ("first_player_tile", (3,), "one-hot: large factory, me, other"),
    (
        "options",
        (2,),
        "zero_point_draw is free; special_counts_as_colour, and by a quarter nearer to 1/2 if chip_payments is all",
    ),
    ("scoring", (NUM_CONDITIONS,), "1 for each condition in play"),
    ("bag", (NUM_COLOURS,), "tiles / 13, by colour"),
    ("tower", (NUM_COLOURS,), "tiles / 13, by colour"),
    ("suns", (NUM_FACTORIES, NUM_COLOURS), "tiles / 5; factories small-1 to small-4, large"),
    ("moons", (NUM_SMALL, 3, NUM_COLOURS), "one-hot colour of each tile, from the bottom up"),
    ("large_moon", (NUM_COLOURS,), "tiles / 4"),
    ("factory_chips", (NUM_SMALL, NUM_CHIP_KINDS + 1), "one-hot: chip kind lying face up, or face down; all 0: none"),
    ("chips_unseen", (NUM_CHIP_KINDS,), "copies nobody has seen / 2"),
    ("display", (DISPLAY_SIZE, NUM_DOME_TILES), "one-hot dome tile; all 0: empty place"),
    ("stack_unseen", (1,), "dome tiles of the stack nobody has looked at / 18"),
    ("stack_top", (NUM_KINDS,), "one-hot kind of the top of the stack: special, wild"),
    ("unseen", (NUM_DOME_TILES,), "1 for each dome tile of which the viewer doesn't know where it is"),
    (
        "mine_put_back",
        (NUM_DOME_TILES,),
        "place / 12 from the top, among tiles put back, of each tile the viewer put back",
    ),
    (
        "mine_other_saw",
        (NUM_DOME_TILES,),
        "1 for each of those, or in the viewer's hand, that the other player has looked at too",
    ),
    ("other_put_back", (MAX_PUT_BACK,), "1 for each place, from the top, filled by the other player"),
    ("other_wild_share", (MAX_PUT_BACK,), "share of wild tiles in the return that fills such a place"),
    (
        "other_seen",
        (NUM_DOME_TILES,),
        "1 for each tile the other player holds or put back that the viewer has looked at",
    ),
    ("return_starts", (MAX_PUT_BACK,), "1 for each place where a return of tiles starts"),
    ("hand", (NUM_DOME_TILES,), "1 for each drawn dome tile of which the viewer knows the front"),
    ("hand_kinds", (3, NUM_KINDS), f"drawn tiles / {MAX_HAND} by who had put them back (nobody, me, other) and kind"),
    ("kept", (NUM_DOME_TILES,), "one-hot: the tile kept, for its drawer only"),
    ("returned", (1,), "tiles put back so far in this action / 12, for their drawer only"),
    ("lines", (2, NUM_LINES), "[me, other] tiles / length of the line"),
    ("line_colours", (2, NUM_LINES, NUM_COLOURS), "[me, other] one-hot; all 0: empty line"),
    ("domes", (2, len(SPACE_PLANES), DOME_SIZE, DOME_SIZE), f"[me, other] planes: {', '.join(SPACE_PLANES)}"),
    ("broken", (2, NUM_COLOURS), "[me, other] tiles / 4"),
    ("tokens", (2,), "[me, other] unused tokens / 2"),
    ("chips_up", (2, NUM_CHIP_KINDS), "[me, other] chips face up / 2"),
    ("chips_down", (2, NUM_CHIP_KINDS), "[me, other] chips face down / 2"),
    ("chips_taken", (2,), "[me, other] chips taken in this round / 2"),
    ("ordering", (NUM_SMALL,), "one-hot: the factory whose moon is being stacked"),
    ("line", (NUM_LINES,), "one-hot: the line being examined in phase 2"),
    ("paid", (2,), f"chips turned over for it: matching / {MOST_MATCHING}, other / {MOST_OTHER}"),
)
BLOCK = {block.name: block for block in BLOCKS}
ROUNDED = (
    *("scores", "scores_fine", "bag", "tower", "large_moon", "chips_unseen", "stack_unseen", "mine_put_back"),
    *(
        "other_wild_share",
        "hand_kinds",
        "returned",
        "lines",
        "broken",
        "tokens",
        "chips_up",
        "chips_down",
        "chips_taken",
        "paid",
    ),
)
"""Blocks with numbers that are no multiple of 1/255."""
OBSERVATION_SIZE = BLOCKS[-1].first + BLOCKS[-1].size

# First index of each block, as int64 so that a small integer of the state can be added to it in plain NumPy as well.
(
    DECISION,
    MY_DECISION,
    ACTIVE,
    ROUND,
    SCORES,
    SCORES_FINE,
    FIRST_PLAYER,
    FIRST_PLAYER_TILE,
    OPTIONS,
    SCORING,
    BAG,
    TOWER,
    SUNS,
    MOONS,
    LARGE_MOON,
    FACTORY_CHIPS,
    CHIPS_UNSEEN,
    DISPLAY,
    STACK_UNSEEN,
    STACK_TOP,
    UNSEEN,
    MINE_PUT_BACK,
    MINE_OTHER_SAW,
    OTHER_PUT_BACK,
    OTHER_WILD_SHARE,
    OTHER_SEEN,
    RETURN_STARTS,
    HAND,
    HAND_KINDS,
    KEPT,
    RETURNED,
    LINES,
    LINE_COLOURS,
    DOMES,
    BROKEN,
    TOKENS,
    CHIPS_UP,
    CHIPS_DOWN,
    CHIPS_TAKEN,
    ORDERING_AT,
    LINE,
    PAID,
) = (np.int64(block.first) for block in BLOCKS)


def unflatten(observation: np.ndarray) -> dict[str, np.ndarray]:
    """Return the named blocks of one observation, or of a batch (N, OBSERVATION_SIZE), as views with their shapes."""
    return as_named(observation, BLOCKS)


IN_PLANES = ("domes", "lines", "line_colours")
NUM_PLANES = 2 * (len(SPACE_PLANES) + NUM_COLOURS)
NUM_BESIDE_PLANES = OBSERVATION_SIZE - sum(BLOCK[name].size for name in IN_PLANES)


def planes(observation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one observation, or a batch (N, OBSERVATION_SIZE), as planes of the boards and a vector of all the rest.

    Nothing is lost: the blocks ``IN_PLANES`` are in the planes, the others, in their order, in the vector.

    Returns:
        ``planes``, float32 (NUM_PLANES, 6, 6) after the batch: the 2 x 8 planes of ``domes``, then 2 x 5 of the pattern lines, [me,
        other], a plane a colour; line i stands beside row i of the dome, filled from the right. And ``vector``, float32
        (NUM_BESIDE_PLANES,). Both are fresh.
    """
    named = unflatten(observation)
    lead = observation.shape[:-1]
    length = np.arange(1, NUM_LINES + 1, dtype=np.float32)
    tiles = np.rint(named["lines"] * length)
    filled = np.arange(DOME_SIZE) >= DOME_SIZE - tiles[..., np.newaxis]  # (2, line, space)
    lines = np.swapaxes(named["line_colours"], -1, -2)[..., np.newaxis] * filled[..., np.newaxis, :, :]
    domes = named["domes"].reshape(*lead, -1, DOME_SIZE, DOME_SIZE)
    boards = np.concatenate([domes, lines.reshape(*lead, -1, DOME_SIZE, DOME_SIZE)], axis=-3, dtype=np.float32)
    rest = [named[block.name].reshape(*lead, -1) for block in BLOCKS if block.name not in IN_PLANES]
    return boards, np.concatenate(rest, axis=-1)


# Writing it -----------------------------------------------------------------------------------
@rule
def write_observation(state, viewer, out):
    """Write what one player may know into ``out`` (float32, OBSERVATION_SIZE)."""
    for i in range(OBSERVATION_SIZE):
        out[i] = 0.0
    write_situation(state, viewer, out)
    write_factories(state, out)
    write_dome_tiles(state, viewer, out)
    write_put_back(state, viewer, out)
    if state.hand_size > 0 or state.kept != EMPTY:
        write_hand(state, viewer, out)
    for seat in range(NUM_PLAYERS):
        write_board(state, viewer if seat == 0 else 1 - viewer, seat, out)
    write_sub_decision(state, out)


@rule
def write_situation(state, viewer, out):
    """Write what is to be decided by whom, scores, round and configuration."""
    stage = state.stage
    if OPENING <= stage <= ORDERING:
        out[DECISION + stage - OPENING] = 1.0
    elif COLUMN <= stage <= GAME_OVER:
        out[DECISION + 7 + stage - COLUMN] = 1.0
    if state.player == viewer:
        out[MY_DECISION] = 1.0
    write_seat(state.active, viewer, ACTIVE, out)
    write_seat(state.first_player, viewer, FIRST_PLAYER, out)
    if state.first_player_tile == ON_LARGE_FACTORY:
        out[FIRST_PLAYER_TILE] = 1.0
    write_seat(state.first_player_tile, viewer, FIRST_PLAYER_TILE + 1, out)
    if state.round_number > 0:
        out[ROUND + state.round_number - 1] = 1.0
    out[OPTIONS] = state.zero_point_draw_free
    out[OPTIONS + 1] = (
        1.0 - 0.5 * state.chip_payments_all
    ) * state.special_counts_as_colour + 0.25 * state.chip_payments_all
    for condition in range(NUM_CONDITIONS):
        out[SCORING + condition] = state.scoring[condition]


@rule
def write_seat(player, viewer, first, out):
    """Write 1 at ``first`` if the player is the viewer, after it if it is the other one."""
    if player != NOBODY:
        out[first + (0 if player == viewer else 1)] = 1.0


@rule
def write_factories(state, out):
    """Write bag, tower, factories and chips on the table."""
    for colour in range(NUM_COLOURS):
        out[BAG + colour] = state.bag[colour] * OF_COLOUR
        out[TOWER + colour] = state.tower[colour] * OF_COLOUR
        out[LARGE_MOON + colour] = state.large_moon[colour] / 4
    for at in range(NUM_FACTORIES * NUM_COLOURS):
        out[SUNS + at] = state.suns[at // NUM_COLOURS, at % NUM_COLOURS] * OF_FIVE
    for factory in range(NUM_SMALL):
        for height in range(3):
            tile = int(state.moons[factory, height])
            out[MOONS + (factory * 3 + height) * NUM_COLOURS + max(0, tile)] = present(tile)
        chip = state.factory_chips[factory]
        if chip != NO_CHIP:
            out[FACTORY_CHIPS + factory * (FACE_DOWN + 1) + chip] = 1.0
    for chip in range(NUM_CHIP_KINDS):
        out[CHIPS_UNSEEN + chip] = state.chips_unseen[chip] / COPIES_OF_CHIP


@rule
def write_dome_tiles(state, viewer, out):
    """Write the display, the top of the stack, and which dome tiles the viewer can't place."""
    for place in range(DISPLAY_SIZE):
        if state.display[place] != EMPTY:
            out[DISPLAY + place * NUM_DOME_TILES + state.display[place]] = 1.0
    out[STACK_UNSEEN] = state.stack_unseen / NUM_DOME_TILES
    if state.stack_unseen > 0:
        if state.top_kind != UNKNOWN:
            out[STACK_TOP + state.top_kind] = 1.0
    elif not stack_is_empty(state) and put_back_shown(state, viewer) > 0:
        out[STACK_TOP + KIND_OF[state.put_back[0]]] = 1.0
    for tile in range(NUM_DOME_TILES):
        out[UNSEEN + tile] = state.fronts_unseen[tile]


@rule
def write_put_back(state, viewer, out):
    """Write what the viewer knows of the dome tiles put back under the stack (R4, R5)."""
    other = 1 - viewer
    start = 0
    for place in range(put_back_shown(state, viewer)):
        tile = state.put_back[place]
        if state.put_back_starts[place] == 1:
            out[RETURN_STARTS + place] = 1.0
            start = place
        if state.put_back_by[place] == viewer:
            out[MINE_PUT_BACK + tile] = (place + 1) / MAX_PUT_BACK
            out[MINE_OTHER_SAW + tile] = state.looked_at[other, tile]
        else:
            out[OTHER_PUT_BACK + place] = 1.0
            out[OTHER_WILD_SHARE + place] = wild_share(state, start)
            write_elsewhere(state, viewer, tile, out)


@rule
def write_elsewhere(state, viewer, tile, out):
    """Write a dome tile that the other player put back or holds: the viewer knows at most that it is among those."""
    if state.looked_at[viewer, tile] == 1:
        out[OTHER_SEEN + tile] = 1.0
    else:
        out[UNSEEN + tile] = 1.0


@rule
def wild_share(state, start):
    """Return the share of wild dome tiles in the return that starts at a place."""
    wild = 0
    count = 0
    place = start
    while (
        place < MAX_PUT_BACK
        and state.put_back[place] != EMPTY
        and (place == start or state.put_back_starts[place] == 0)
    ):
        count += 1
        if KIND_OF[state.put_back[place]] == WILD_KIND:
            wild += 1
        place += 1
    return wild / count


@rule
def write_hand(state, viewer, out):
    """Write what the viewer knows of the dome tiles drawn in the action under way."""
    for place in range(state.hand_size):
        source = state.hand_from[place]
        row = 0 if source == NOBODY else (1 if source == viewer else 2)
        out[HAND_KINDS + row * NUM_KINDS + state.hand_kinds[place]] += 1 / MAX_HAND
        tile = state.hand[place]
        if tile == UNKNOWN:
            continue
        if knows_hand_tile(state, viewer, place):
            out[HAND + tile] = 1.0
            out[MINE_OTHER_SAW + tile] = state.looked_at[1 - viewer, tile]
        else:
            write_elsewhere(state, viewer, tile, out)
    if state.active == viewer:
        write_own_choice(state, viewer, out)
    else:
        write_hidden_choice(state, viewer, out)


@rule
def write_own_choice(state, viewer, out):
    """Write what the drawer has kept and put back so far."""
    out[RETURNED] = state.returned / MAX_PUT_BACK
    if state.kept != EMPTY:
        out[KEPT + state.kept] = 1.0
        out[MINE_OTHER_SAW + state.kept] = state.looked_at[1 - viewer, state.kept]


@rule
def write_hidden_choice(state, viewer, out):
    """Write for the other player, until the action is over, what was kept and put back as if it still were in the hand."""
    shown = put_back_shown(state, viewer)
    for place in range(shown, shown + state.returned):
        write_drawn_by_other(state, viewer, state.put_back[place], out)
    if state.kept != EMPTY:
        write_drawn_by_other(state, viewer, state.kept, out)


@rule
def write_drawn_by_other(state, viewer, tile, out):
    """Write one dome tile that the other player has looked at in this action."""
    out[HAND_KINDS + 2 * NUM_KINDS + KIND_OF[tile]] += 1 / MAX_HAND
    write_elsewhere(state, viewer, tile, out)


@rule
def write_board(state, player, seat, out):
    """Write one player's board and score; seat 0 is the viewer's, 1 the other's."""
    out[SCORES + seat] = state.scores[player] / SCORE_SCALE
    out[SCORES_FINE + seat] = min(1.0, state.scores[player] / FINE_SCORE_SCALE)
    out[TOKENS + seat] = state.tokens[player] / TOKENS_PER_ROUND
    out[CHIPS_TAKEN + seat] = state.chips_taken[player] / 2
    for line in range(NUM_LINES):
        at = seat * NUM_LINES + line
        colour = int(state.line_colours[player, line])
        out[LINES + at] = state.lines[player, line] * OF_LINE[line]
        out[LINE_COLOURS + at * NUM_COLOURS + max(0, colour)] = present(colour)
    for colour in range(NUM_COLOURS):
        out[BROKEN + seat * NUM_COLOURS + colour] = state.broken[player, colour] / 4
    for chip in range(NUM_CHIP_KINDS):
        out[CHIPS_UP + seat * NUM_CHIP_KINDS + chip] = state.chips_up[player, chip] / COPIES_OF_CHIP
        out[CHIPS_DOWN + seat * NUM_CHIP_KINDS + chip] = state.chips_down[player, chip] / COPIES_OF_CHIP
    write_dome(state, player, DOMES + seat * len(SPACE_PLANES) * DOME_SIZE * DOME_SIZE, out)


# A product with a part takes a tenth of the time of a division; as float32 both are the same.
OF_COLOUR = 1 / TILES_PER_COLOUR
OF_FIVE = 1 / 5
OF_LINE = 1 / np.arange(1.0, NUM_LINES + 1)

PLANE = DOME_SIZE * DOME_SIZE
NO_LAYOUT = np.zeros((1, 4), np.int8)  # EMPTY, which is -1, finds it in the last row
SPACE_AT = np.concatenate([LAYOUT_SPACES * np.int64(PLANE) + [0, 1, DOME_SIZE, DOME_SIZE + 1], NO_LAYOUT]).astype(
    np.uint16
)
"""uint16 (73, 4): where the four spaces of a layout lie in the planes, from the first of its slot."""
HAS_SPACES = np.append(np.ones(len(LAYOUT_SPACES), np.float32), np.float32(0.0))
HAS_WILD = np.append((LAYOUT_SPACES == WILD).any(axis=1), False)
WILD_CELL = np.append((LAYOUT_SPACES == WILD).argmax(axis=1), 0).astype(np.uint8)


@rule
def write_dome(state, player, first, out):
    """Write the planes of a dome: the colour planes show the tile on a space, or the colour an empty space asks for.

    An empty slot writes zeros: a branch that can't be foretold would take longer.
    """
    for at in range(PLANE):
        tile = state.tiles[player, at // DOME_SIZE, at % DOME_SIZE]
        out[first + FILLED_PLANE * PLANE + at] = present(tile)
    for slot in range(NUM_SLOTS):
        layout = state.domes[player, slot]
        for cell in range(4):
            at = slot // 3 * 2 * DOME_SIZE + slot % 3 * 2 + SPACE_AT[layout, cell]
            out[first + at] = HAS_SPACES[layout]
        write_wild_tile(state, player, slot, layout, first, out)


@rule
def write_wild_tile(state, player, slot, layout, first, out):
    """Write the colour of a tile on the wild space of a slot."""
    row = slot // 3 * 2 + np.int64(WILD_CELL[layout]) // 2
    column = slot % 3 * 2 + np.int64(WILD_CELL[layout]) % 2
    tile = int(state.tiles[player, row, column])
    if HAS_WILD[layout] & (tile != EMPTY):  # one branch, not two
        out[first + tile * PLANE + row * DOME_SIZE + column] = 1.0


@rule
def present(tile):
    """Return 1 for a tile and 0 for EMPTY: to write it is faster than to ask whether to write, which can't be foretold."""
    return 1.0 if tile != EMPTY else 0.0


@rule
def write_sub_decision(state, out):
    """Write where a sub-decision stands."""
    if state.ordering != NOBODY:
        out[ORDERING_AT + state.ordering] = 1.0
    if state.line != NOBODY and state.line < NUM_LINES:
        out[LINE + state.line] = 1.0
    out[PAID] = state.paid_matching / MOST_MATCHING
    out[PAID + 1] = state.paid_other / MOST_OTHER


# A special space's plane is its code, as a colour's is: the table above and the codes of components.py must agree.
assert SPACE_PLANES[SPECIAL] == "special space"
assert SPACE_PLANES[WILD] == "wild space"
assert PAYING == COLUMN + 1
assert GAME_OVER == COLUMN + 2
