"""The tables of the encoding: lookups, outputs, and where each block of them begins."""

from __future__ import annotations

from azul_duel_env.game.observation_table import lay_out
from azul_duel_env.games.duel.actions import NUM_ACTIONS
from azul_duel_env.games.duel.components import (
    BROKEN_SPACES,
    CORNER_SLOTS,
    DOME_SIZE,
    MAX_HAND,
    MOON_HEIGHT,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_DESTINATIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_ROTATIONS,
    NUM_SLOTS,
    NUM_SMALL,
    WILD,
)

MOST_POINTS = 2 * DOME_SIZE
MOST_TILES = 8  # that one action takes, or as if it were so many
MOST_CHIPS = 8  # likewise of one colour, or of all
MARGINS, POINTS_PER_MARGIN = 61, 2
SCORES, POINTS_PER_SCORE = 24, 5
RESULTS, LEAST_RESULT, POINTS_PER_RESULT = 60, -20, 2
LEVELS = DOME_SIZE + 1  # of tiles or colours in a line: none up to all
PATTERNS = 1 << DOME_SIZE
SLOT_PATTERNS = 16
NUM_CORNERS = len(CORNER_SLOTS)
CORNER_LEVELS = 5  # of tiles in a corner: none up to all
BORDER_SPACES = 4 * (DOME_SIZE - 1)
LINE_STARTS = 2  # whether a line is empty or begun

# Lookups ------------------------------------------------------------------------------------
LOOKUPS = lay_out(
    ("sun_counts", (NUM_FACTORIES, NUM_COLOURS, MOST_TILES), "one-hot tiles; nothing for none, as below"),
    ("moon_counts", (NUM_COLOURS, MOST_TILES), "one-hot tiles that are taken from all moons at once"),
    ("moon_tops", (NUM_SMALL, NUM_COLOURS), "one-hot colour"),
    ("margin", (MARGINS,), "one-hot: how far the viewer is ahead, by 2 points"),
    ("score", (NUM_PLAYERS, SCORES), "[me, other] one-hot: points, by 5"),
    ("line_tiles", (NUM_PLAYERS, NUM_LINES, NUM_COLOURS, NUM_LINES), "[me, other] one-hot tiles"),
    ("row_filled", (NUM_PLAYERS, DOME_SIZE, PATTERNS), "[me, other] one-hot: which spaces are filled"),
    ("column_filled", (NUM_PLAYERS, DOME_SIZE, PATTERNS), "likewise"),
    ("slot_filled", (NUM_PLAYERS, NUM_SLOTS, SLOT_PATTERNS), "likewise"),
    (
        "gains",
        (NUM_PLAYERS, DOME_SIZE, NUM_COLOURS, MOST_POINTS),
        "[me, other] one-hot: most points for a tile of a colour",
    ),
    ("broken_count", (NUM_PLAYERS, BROKEN_SPACES), "[me, other] one-hot tiles"),
    ("chips_showing", (NUM_PLAYERS, NUM_COLOURS, MOST_CHIPS), "[me, other] one-hot chips face up that show a colour"),
    ("chips_count", (NUM_PLAYERS, MOST_CHIPS), "[me, other] one-hot chips face up"),
    (
        "rows",
        (NUM_PLAYERS, DOME_SIZE, LEVELS),
        "[me, other] one-hot tiles of each row, if its condition is in play, as below",
    ),
    ("columns", (NUM_PLAYERS, DOME_SIZE, LEVELS), "likewise of each column"),
    ("diagonals", (NUM_PLAYERS, 2, LEVELS), "likewise of each diagonal"),
    ("wild_spaces", (NUM_PLAYERS, 2, NUM_SLOTS + 1), "[me, other] one-hot: wild spaces filled, empty"),
    ("five_colours", (NUM_PLAYERS, DOME_SIZE, LEVELS), "[me, other] one-hot colours of each row"),
    ("border", (NUM_PLAYERS, BORDER_SPACES + 1), "[me, other] one-hot tiles on the border"),
    ("corners", (NUM_PLAYERS, NUM_CORNERS, CORNER_LEVELS), "[me, other] one-hot tiles of each corner"),
    ("empty_special_spaces", (NUM_PLAYERS, NUM_SLOTS + 1), "[me, other] one-hot empty special spaces"),
    ("result", (NUM_PLAYERS, RESULTS), "[me, other] one-hot points with those for the scoring tiles, by 2"),
    ("result_margin", (MARGINS,), "one-hot: how far the viewer is ahead in these, by 2 points"),
)
NUM_LOOKUPS = LOOKUPS[-1].first + LOOKUPS[-1].size
MAX_LOOKUPS = (
    NUM_FACTORIES * NUM_COLOURS
    + NUM_COLOURS
    + NUM_SMALL
    + 1
    + NUM_PLAYERS * (1 + NUM_LINES + 2 * DOME_SIZE + NUM_SLOTS + DOME_SIZE * NUM_COLOURS + 1 + NUM_COLOURS + 1)
    + NUM_PLAYERS * (3 * DOME_SIZE + 2 + 2 + 1 + NUM_CORNERS + 1 + 1)
    + 1
)
(
    SUN_COUNTS,
    MOON_COUNTS,
    MOON_TOPS,
    MARGIN,
    SCORE,
    LINE_TILES,
    ROW_FILLED,
    COLUMN_FILLED,
    SLOT_FILLED,
    GAINS,
    BROKEN_COUNT,
    CHIPS_SHOWING,
    CHIPS_COUNT,
    ROW_TILES,
    COLUMN_TILES,
    DIAGONAL_TILES,
    WILD_TILES,
    ROW_COLOURS,
    BORDER_TILES,
    CORNER_TILES,
    EMPTY_SPECIALS,
    RESULT,
    RESULT_MARGIN,
) = (block.first for block in LOOKUPS)

# Outputs ------------------------------------------------------------------------------------
SOURCES = NUM_FACTORIES + 1  # the last one: all moons
ROW_STATES = 3  # the pattern line beside a space is empty, or wants it, or doesn't
SPACES = DOME_SIZE * DOME_SIZE
SPACE_KINDS = WILD + 1

OUTPUTS = lay_out(
    ("action", (NUM_ACTIONS,), "the action itself"),
    ("take_room", (NUM_LINES, LINE_STARTS, NUM_LINES, MOST_TILES), "line, whether begun, room before, tiles taken"),
    ("take_gain", (NUM_LINES, LINE_STARTS, MOST_POINTS + 1), "line, whether it gets full, most points for its tile"),
    ("take_broken", (BROKEN_SPACES + 1, MOST_TILES), "tiles broken before, tiles that don't fit"),
    ("take_colour", (NUM_COLOURS, NUM_DESTINATIONS), "colour, destination"),
    ("take_source", (SOURCES, NUM_COLOURS), "source, colour"),
    ("take_left", (SOURCES, MOST_TILES), "source, tiles left there"),
    ("take_first_player", (1,), "the first-player tile too"),
    ("layout", (NUM_DOME_TILES * NUM_ROTATIONS, NUM_SLOTS), "dome tile as it lies, slot"),
    ("space", (SPACE_KINDS, SPACES), "what a space of the dome tile shows, where"),
    (
        "space_line",
        (DOME_SIZE, ROW_STATES, NUM_LINES + 1),
        "row of such a space, what the line beside it wants, tiles it lacks",
    ),
    ("column_points", (MOST_POINTS + 1,), "points of the tile"),
    ("column_down", (DOME_SIZE, PATTERNS), "row, which spaces of the column are filled"),
    ("column_across", (DOME_SIZE, PATTERNS), "column, which spaces of the row are filled"),
    ("column_slot", (2, SLOT_PATTERNS), "whether there is a special space, which spaces of the slot are filled"),
    ("column_wild", (1,), "on a wild space"),
    ("chip", (2, NUM_LINES + 1, MOST_CHIPS), "whether it matches, tiles missing, chips that match"),
    ("decline", (NUM_LINES, NUM_LINES + 1), "line, tiles missing"),
    ("order_at", (NUM_SMALL, NUM_COLOURS), "factory, colour"),
    ("order_height", (MOON_HEIGHT, NUM_COLOURS), "tiles below, colour"),
    ("choose", (2, NUM_DOME_TILES), "whether to keep it, dome tile"),
    ("bonus", (NUM_CHIP_KINDS,), "chip"),
    ("draw", (MAX_HAND + 1,), "dome tiles drawn before"),
    ("column_rows", (LEVELS,), "tiles in the row of the space, if its condition is in play, as below"),
    ("column_columns", (LEVELS,), "tiles in the column"),
    ("column_diagonals", (LEVELS,), "tiles on the diagonal, if the space lies on one"),
    ("column_wild_spaces", (NUM_SLOTS + 1,), "empty wild spaces, if the space is wild"),
    ("column_five_colours", (2, LEVELS), "whether the row has the colour, its colours"),
    ("column_border", (1,), "on the border"),
    ("column_corners", (NUM_CORNERS, CORNER_LEVELS), "corner, its tiles"),
    ("column_special", (CORNER_LEVELS,), "tiles of the slot, if it has an empty special space"),
)
NUM_OUTPUTS = OUTPUTS[-1].first + OUTPUTS[-1].size
MAX_OUTPUTS = 10
(
    ACTION,
    TAKE_ROOM,
    TAKE_GAIN,
    TAKE_BROKEN,
    TAKE_COLOUR,
    TAKE_SOURCE,
    TAKE_LEFT,
    TAKE_FIRST_PLAYER,
    LAYOUT,
    SPACE,
    SPACE_LINE,
    COLUMN_POINTS,
    COLUMN_DOWN,
    COLUMN_ACROSS,
    COLUMN_SLOT,
    COLUMN_WILD,
    CHIP,
    DECLINE,
    ORDER_AT,
    ORDER_HEIGHT,
    CHOOSE,
    BONUS,
    DRAW,
    COLUMN_ROWS,
    COLUMN_COLUMNS,
    COLUMN_DIAGONALS,
    COLUMN_WILD_SPACES,
    COLUMN_FIVE_COLOURS,
    COLUMN_BORDER,
    COLUMN_CORNERS,
    COLUMN_SPECIAL,
) = (block.first for block in OUTPUTS)
