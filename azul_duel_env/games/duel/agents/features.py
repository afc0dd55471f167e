"""What ``greedy2`` looks at: numbers that describe a position from one player's side.

Each seat has the features ``SEAT_FEATURES``, the player's own first, then the other's; ``TABLE_FEATURES`` follow. They are worth
something else early and late in a game, so each *segment*, a round and one of its two phases, has weights of its own.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.agents.greedy import (
    best_points,
    pending_penalty,
    useful_moon_tops,
    value_of_draw,
    value_of_scoring_tiles,
    value_of_spaces,
)
from azul_duel_env.games.duel.chance import count_all
from azul_duel_env.games.duel.components import (
    DOME_SIZE,
    EMPTY,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_ROUNDS,
    NUM_SLOTS,
    NUM_SMALL,
    SPECIAL,
    WILD,
)
from azul_duel_env.games.duel.scoring import filled_spaces, is_filled, points_for_scoring_tiles, space_at
from azul_duel_env.games.duel.state import NOBODY
from azul_duel_env.games.duel.tiling import row_has_all_dome_tiles
from azul_duel_env.jit import rule

SEAT_FEATURES = (
    ("score", "points on the track"),
    ("penalty", "what broken tiles and the first-player tile will cost, less half a point for starting the next round"),
    ("first_player_tile", "1 if the player has it"),
    ("draw", "what dome tiles drawn and not yet placed are worth to greedy"),
    ("scoring_progress", "points of the conditions in play times the square of the share that is filled"),
    ("scoring_points", "what the scoring tiles would score now"),
    ("spaces", "greedy's value of the empty spaces"),
    ("chips", "bonus chips face up"),
    ("moon_tops", "small moons on whose top lies a colour of which the player has an unfinished line"),
    ("tokens", "tokens not used in this round"),
    ("active", "1 if it is the player's turn or phase 2"),
    ("dome_tiles", "dome tiles placed"),
    ("filled", "tiles on the dome, special ones too"),
    ("free_spaces", "empty coloured spaces"),
    ("free_wild", "empty wild spaces"),
    ("free_special", "empty special spaces"),
    ("full_lines", "full pattern lines whose tile has a space"),
    ("full_points", "the most points that each of their tiles would score now, summed"),
    ("open_lines", "unfinished lines, begun, whose tile has a space"),
    ("open_missing", "tiles that they lack"),
    ("open_points", "the most points that each of their tiles would score now, summed"),
    ("open_share", "the same, each times the share of the line that is filled"),
    ("open_square", "the same, each times the square of that share"),
    ("hopeful_share", "shares of lines whose tile has no space yet, while their row lacks a dome tile"),
    ("hopeful_full", "how many of those are full"),
    ("hopeful_tiles", "tiles on them"),
    ("dead_tiles", "tiles on lines that will break"),
)
"""Name and meaning of what is looked at for each seat."""
TABLE_FEATURES = (
    ("suns", "tiles on suns"),
    ("moons", "tiles on moons"),
    ("decides", "1 if the player decides next"),
    ("always", "1"),
)
NUM_SEAT = len(SEAT_FEATURES)
NUM_FEATURES = 2 * NUM_SEAT + len(TABLE_FEATURES)
NUM_SEGMENTS = 2 * NUM_ROUNDS
(
    SCORE,
    PENALTY,
    FIRST_PLAYER_TILE,
    DRAW,
    SCORING_PROGRESS,
    SCORING_POINTS,
    SPACES,
    CHIPS,
    MOON_TOPS,
    TOKENS,
    ACTIVE,
    PLACED,
    FILLED,
    FREE_SPACES,
    FREE_WILD,
    FREE_SPECIAL,
    FULL_LINES,
    FULL_POINTS,
    OPEN_LINES,
    OPEN_MISSING,
    OPEN_POINTS,
    OPEN_SHARE,
    OPEN_SQUARE,
    HOPEFUL_SHARE,
    HOPEFUL_FULL,
    HOPEFUL_TILES,
    DEAD_TILES,
) = range(NUM_SEAT)
SUNS, MOONS, DECIDES, ALWAYS = range(2 * NUM_SEAT, NUM_FEATURES)


@rule
def segment_of(state):
    """Return which weights count: twice the number of the round, from 0, and 1 more in phase 2; the opening is as round 1."""
    phase = 0 if state.line == NOBODY else 1
    return 2 * max(0, int(state.round_number) - 1) + phase


@rule
def write_features(state, player, out):
    """Write what describes a state from a player's side into ``out`` (float64, NUM_FEATURES)."""
    for k in range(NUM_FEATURES):
        out[k] = 0.0
    write_seat(state, player, out[:NUM_SEAT])
    write_seat(state, 1 - player, out[NUM_SEAT : 2 * NUM_SEAT])
    for factory in range(NUM_FACTORIES):
        out[SUNS] += count_all(state.suns[factory])
    out[MOONS] = count_all(state.large_moon)
    for factory in range(NUM_SMALL):
        for height in range(3):
            out[MOONS] += 1.0 if state.moons[factory, height] != EMPTY else 0.0
    out[DECIDES] = 1.0 if state.player == player else 0.0
    out[ALWAYS] = 1.0


@rule
def write_seat(state, player, out):
    """Write the features of one seat."""
    across, down = filled_spaces(state, player)
    out[SCORE] = state.scores[player]
    out[PENALTY] = pending_penalty(state, player)
    out[FIRST_PLAYER_TILE] = 1.0 if state.first_player_tile == player else 0.0
    out[SCORING_PROGRESS] = value_of_scoring_tiles(state, player, across, down)
    out[SCORING_POINTS] = points_for_scoring_tiles(state, player)
    out[SPACES] = value_of_spaces(state, player, across, down)
    out[CHIPS] = count_all(state.chips_up[player])
    out[MOON_TOPS] = useful_moon_tops(state, player)
    out[TOKENS] = state.tokens[player]
    if state.active == player:
        out[ACTIVE] = 1.0
        out[DRAW] = value_of_draw(state, player)
    write_dome_counts(state, player, out)
    for line in range(NUM_LINES):
        write_line(state, player, across, down, line, out)


@rule
def write_dome_counts(state, player, out):
    """Write how far a dome is built and filled."""
    for slot in range(NUM_SLOTS):
        out[PLACED] += 1.0 if state.domes[player, slot] != EMPTY else 0.0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            space = space_at(state, player, row, column)
            if is_filled(state, player, row, column):
                out[FILLED] += 1.0
            elif space == WILD:
                out[FREE_WILD] += 1.0
            elif space == SPECIAL:
                out[FREE_SPECIAL] += 1.0
            elif space != EMPTY:
                out[FREE_SPACES] += 1.0


@rule
def write_line(state, player, across, down, line, out):
    """Add what one pattern line holds."""
    tiles = int(state.lines[player, line])
    if tiles == 0:
        return
    share = tiles / (line + 1)
    points = best_points(state, player, across, down, line)
    if points > 0.0:
        write_placeable_line(points, share, line + 1 - tiles, out)
    elif row_has_all_dome_tiles(state, player, line):
        out[DEAD_TILES] += tiles
    else:
        out[HOPEFUL_SHARE] += share
        out[HOPEFUL_TILES] += tiles
        out[HOPEFUL_FULL] += 1.0 if share == 1.0 else 0.0


@rule
def write_placeable_line(points, share, missing, out):
    """Add a line whose tile has a space."""
    if missing == 0:
        out[FULL_LINES] += 1.0
        out[FULL_POINTS] += points
        return
    out[OPEN_LINES] += 1.0
    out[OPEN_MISSING] += missing
    out[OPEN_POINTS] += points
    out[OPEN_SHARE] += share * points
    out[OPEN_SQUARE] += share * share * points


def names() -> list[str]:
    """Return the name of each feature, in order: own ones, then the other's with ``other_`` before it, then those of the table."""
    own = [name for name, _ in SEAT_FEATURES]
    return own + [f"other_{name}" for name in own] + [name for name, _ in TABLE_FEATURES]


assert len(names()) == NUM_FEATURES
assert np.unique(names()).size == NUM_FEATURES
