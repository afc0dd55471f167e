"""Where points come from: decisions carried out as the engine does, with every change of a score booked to its source."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.duel.acquisition import carry_out_acquisition
from azul_duel_env.games.duel.actions import MAX_LEGAL, TILE_COLUMN
from azul_duel_env.games.duel.chance import chance_due, draw_outcome, place_outcome, total_weight
from azul_duel_env.games.duel.components import CONDITIONS, DOME_SIZE, NUM_LINES, NUM_PLAYERS, SPECIAL, START_SCORE
from azul_duel_env.games.duel.engine import waits_for_player
from azul_duel_env.games.duel.scoring import penalty, points_for_condition
from azul_duel_env.games.duel.state import COLUMN, EXAMINING, NO_CHANCE, NOBODY, PAYING
from azul_duel_env.games.duel.tiling import carry_out_tiling
from azul_duel_env.jit import entry, rule

SOURCES = {
    "tiles": "tiles placed from pattern lines",
    "special_tiles": "special tiles",
    "draws": "paid for drawing dome tiles",
    "penalties": "broken tiles and the first-player tile, as far as there were points to lose",
    "scoring_tiles": "the scoring tiles at the end",
}
"""Source -> what it is; besides, everybody starts with ``START_SCORE`` points."""
TILES, SPECIAL_TILES, DRAWS, PENALTIES, SCORING_TILES = range(len(SOURCES))

START = START_SCORE
SCORING_TILE_NAMES = CONDITIONS


@rule
def points_on_special_tiles(state, player):
    """Return what a player's special tiles have scored: each the number of its row."""
    points = 0
    for row in range(DOME_SIZE):
        for column in range(DOME_SIZE):
            if state.tiles[player, row, column] == SPECIAL:
                points += row + 1
    return points


@rule
def take_notes(state, notes):
    """Note scores, points on special tiles, and penalties that are due at this very step."""
    for player in range(NUM_PLAYERS):
        notes[player, 0] = state.scores[player]
        notes[player, 1] = points_on_special_tiles(state, player)
        notes[player, 2] = 0
    if state.stage == EXAMINING and state.line == NUM_LINES:
        notes[state.active, 2] = min(np.int64(state.scores[state.active]), np.int64(penalty(state, state.active)))


@rule
def book_changes(state, stage, notes, book):
    """Book what has changed since the notes, in a step that began at some stage."""
    for player in range(NUM_PLAYERS):
        change = np.int64(state.scores[player]) - notes[player, 0]
        if stage == EXAMINING:
            book[player, PENALTIES] -= notes[player, 2]
            book[player, SCORING_TILES] += change + notes[player, 2]
        elif stage in (COLUMN, PAYING):
            special = points_on_special_tiles(state, player) - notes[player, 1]
            book[player, SPECIAL_TILES] += special
            book[player, TILES] += change - special
        else:
            book[player, DRAWS] += change


@rule
def settle_booked(state, legal, notes, book):
    """Go on to the next decision, as ``engine.settle`` does where chance draws by itself."""
    while True:
        chance = chance_due(state)
        if chance != NO_CHANCE:
            total, outcome = total_weight(state, chance)
            place_outcome(state, chance, draw_outcome(state, chance, total) if outcome == NOBODY else outcome)
            continue
        stage = state.stage
        take_notes(state, notes)
        waits = waits_for_player(state, legal)
        book_changes(state, stage, notes, book)
        if waits:
            return


@entry
def carry_out_booked(states, i, action, book):
    """Carry out a legal action and go on to the next decision, in a game without explicit chance.

    Args:
        states: one of them is changed as ``engine.try_action`` does.
        i: which.
        action: a legal one.
        book: int64 (players, sources); what changed is added.
    """
    state = states[i]
    legal = np.empty(MAX_LEGAL, np.int16)
    notes = np.empty((NUM_PLAYERS, 3), np.int64)
    state.decisions += 1
    state.source = NOBODY
    stage = state.stage
    take_notes(state, notes)
    if action < TILE_COLUMN:
        carry_out_acquisition(state, state.player, action)
    else:
        carry_out_tiling(state, state.player, action)
    book_changes(state, stage, notes, book)
    settle_booked(state, legal, notes, book)


@entry
def scoring_tiles_of(states, i, player, points):
    """Write the points of each condition, in play or not, into ``points`` (int64, conditions)."""
    for condition in range(len(points)):
        points[condition] = points_for_condition(states[i], player, condition)


def scoring_tiles_in_play(states: np.ndarray, i: int) -> np.ndarray:
    """Return which conditions are in play (bool, conditions)."""
    in_play: np.ndarray = states["scoring"][i] == 1
    return in_play
