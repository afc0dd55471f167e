"""The observation: one flat float32 vector in [0, 1], made of the named blocks of one table, from one player's seat.

Seats stand in turn order from the viewer's: me, next, and so on. Nothing is hidden in this game, and the vector holds all there is: the
action mask is a function of it.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.game.observation_table import Block, as_named, lay_out
from azul_duel_env.games.pavilion_mini.components import (
    EMPTY,
    MOST_OWED,
    NUM_COLOURS,
    NUM_ROUNDS,
    NUM_SPACES,
    NUM_STARS,
    PLAYER_COUNTS,
    STAR_SIZE,
    SUPPLY_SIZE,
    TILES_ON_FACTORY,
    TILES_PER_COLOUR,
    num_factories,
)
from azul_duel_env.games.pavilion_mini.state import GAME_OVER, NOBODY, STAGES, TAKE
from azul_duel_env.games.pavilion_mini.taking import wild_colour
from azul_duel_env.jit import rule

SCORE_SCALE = 384  # above any score: bounds.MOST_POINTS
FINE_SCORE_SCALE = 100
DECISIONS = ("take", "place", "pay", "bonus", "discard", "game over")
SEATS = "in turn order from the viewer"


def _lay_out(num_players: int) -> tuple[Block, ...]:
    """Return the blocks for so many players."""
    n, factories = num_players, num_factories(num_players)
    return lay_out(
        ("decision", (len(DECISIONS),), f"one-hot: {', '.join(DECISIONS)}"),
        ("my_decision", (1,), "1 if the viewer decides now"),
        ("round", (NUM_ROUNDS,), "one-hot"),
        ("wild", (NUM_COLOURS,), "one-hot: the colour that is wild now"),
        ("wild_rounds", (NUM_COLOURS,), "round in which each colour is wild / 6"),
        ("options", (2,), "board is grey; keep is any"),
        ("bag", (NUM_COLOURS,), f"tiles / {TILES_PER_COLOUR}"),
        ("deposit", (NUM_COLOURS,), f"tiles / {TILES_PER_COLOUR}"),
        ("supply", (NUM_COLOURS,), f"tiles / {SUPPLY_SIZE}"),
        ("centre", (NUM_COLOURS,), f"tiles / {TILES_PER_COLOUR}"),
        ("owed", (1,), f"tiles still to be taken from the supply / {MOST_OWED}"),
        ("lowest", (1,), "bonus, discard: the first colour that may come now / 5"),
        ("chosen_space", (NUM_SPACES,), "one-hot: the space that is paid for, or whose colour is chosen next"),
        ("chosen_colour", (NUM_COLOURS,), "one-hot: the colour that is placed there"),
        ("factories", (factories, NUM_COLOURS), f"tiles / {TILES_ON_FACTORY}"),
        ("token", (n + 1,), f"one-hot, where the first-player token is: the centre, then seats {SEATS}"),
        ("active", (n,), f"one-hot, whose turn it is: {SEATS}"),
        ("first_player", (n,), f"one-hot, who began this round: {SEATS}"),
        ("scores", (n,), f"points / {SCORE_SCALE}, {SEATS}"),
        ("scores_fine", (n,), f"points / {FINE_SCORE_SCALE}, at most 1, {SEATS}"),
        ("passed", (n,), f"1 for who has passed, {SEATS}"),
        ("hands", (n, NUM_COLOURS), f"tiles beside the board, or on its corners / {TILES_PER_COLOUR}, {SEATS}"),
        ("boards", (n, NUM_SPACES, NUM_COLOURS), f"one-hot colour of the tile on each space, {SEATS}"),
    )


BLOCKS = {num_players: _lay_out(num_players) for num_players in PLAYER_COUNTS}
"""Number of players -> blocks; those up to ``factories`` begin where they do for any number."""
OBSERVATION_SIZES = {num_players: blocks[-1].first + blocks[-1].size for num_players, blocks in BLOCKS.items()}
"""Number of players -> length: 660, 936 or 1,212."""

# First index of each block that begins where it does for any number of players.
(
    DECISION,
    MY_DECISION,
    ROUND,
    WILD,
    WILD_ROUNDS,
    OPTIONS,
    BAG,
    DEPOSIT,
    SUPPLY,
    CENTRE_TILES,
    OWED,
    LOWEST,
    CHOSEN_SPACE,
    CHOSEN_COLOUR,
    FACTORIES,
) = (np.int64(block.first) for block in BLOCKS[PLAYER_COUNTS[0]][:15])


def unflatten(observation: np.ndarray) -> dict[str, np.ndarray]:
    """Return the named blocks of one observation, or of a batch (N, size), as views with their shapes.

    Raises:
        ValueError: no observation has this length.
    """
    for num_players, size in OBSERVATION_SIZES.items():
        if observation.shape[-1:] == (size,):
            return as_named(observation, BLOCKS[num_players])
    sizes = ", ".join(map(str, OBSERVATION_SIZES.values()))
    raise ValueError(f"expected observations of length {sizes}, not of shape {observation.shape}")


def planes(observation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one observation, or a batch (N, size), as planes of the boards and a vector of all the rest.

    Nothing is lost: ``boards`` are in the planes, the other blocks, in their order, in the vector.

    Returns:
        ``planes``, float32 (6 x players, 7, 6) after the batch: of each seat a plane a colour, a row a star, along which the positions of
        its ring stand, 1 where a tile of the colour lies. And ``vector``, float32 (size - 252 x players,). Both are fresh.

    Raises:
        ValueError: no observation has this length.
    """
    named = unflatten(observation)
    lead = observation.shape[:-1]
    colours = np.moveaxis(named.pop("boards"), -1, -2)  # (seat, colour, space)
    boards = colours.reshape(*lead, -1, NUM_STARS, STAR_SIZE).copy()
    return boards, np.concatenate([block.reshape(*lead, -1) for block in named.values()], axis=-1)


# Writing it -----------------------------------------------------------------------------------
@rule
def write_observation(state, viewer, out):
    """Write what one player sees into ``out`` (float32, as long as the number of players says)."""
    out[:] = 0.0
    write_decision(state, viewer, out)
    write_table(state, out)
    write_seats(state, viewer, out)


@rule
def write_decision(state, viewer, out):
    """Write what is decided, and where a sub-decision stands."""
    if state.player != NOBODY:
        out[DECISION + state.stage - TAKE] = 1.0
    elif state.stage == GAME_OVER:
        out[DECISION + len(DECISIONS) - 1] = 1.0
    out[MY_DECISION] = state.player == viewer
    out[OWED] = state.owed / MOST_OWED
    out[LOWEST] = state.lowest / (NUM_COLOURS - 1)
    if state.space != EMPTY:
        out[CHOSEN_SPACE + state.space] = 1.0
    if state.colour != EMPTY:
        out[CHOSEN_COLOUR + state.colour] = 1.0


@rule
def write_table(state, out):
    """Write the round, the configuration and the tiles that belong to nobody."""
    if state.round_number > 0:
        out[ROUND + state.round_number - 1] = 1.0
    out[WILD + wild_colour(state)] = 1.0
    for k in range(NUM_ROUNDS):
        out[WILD_ROUNDS + state.wild_order[k]] = (k + 1) / NUM_ROUNDS
    out[OPTIONS] = state.grey
    out[OPTIONS + 1] = state.keep_any
    for colour in range(NUM_COLOURS):
        out[BAG + colour] = state.bag[colour] / TILES_PER_COLOUR
        out[DEPOSIT + colour] = state.deposit[colour] / TILES_PER_COLOUR
        out[SUPPLY + colour] = state.supply[colour] / SUPPLY_SIZE
        out[CENTRE_TILES + colour] = state.centre[colour] / TILES_PER_COLOUR
        for factory in range(len(state.factories)):
            out[FACTORIES + NUM_COLOURS * factory + colour] = state.factories[factory, colour] / TILES_ON_FACTORY


@rule
def write_seats(state, viewer, out):
    """Write what belongs to each player, the viewer first."""
    players = len(state.scores)
    token = FACTORIES + NUM_COLOURS * len(state.factories)
    active = token + players + 1
    first_player = active + players
    scores = first_player + players
    passed = scores + 2 * players
    hands = passed + players
    boards = hands + NUM_COLOURS * players
    if state.token < 0:
        out[token] = 1.0
    for seat in range(players):
        player = (viewer + seat) % players
        out[token + 1 + seat] = state.token == player
        out[active + seat] = state.active == player
        out[first_player + seat] = state.first_player == player
        out[scores + seat] = state.scores[player] / SCORE_SCALE
        out[scores + players + seat] = min(state.scores[player] / FINE_SCORE_SCALE, 1.0)
        out[passed + seat] = state.passed[player]
        for colour in range(NUM_COLOURS):
            out[hands + NUM_COLOURS * seat + colour] = state.hands[player, colour] / TILES_PER_COLOUR
        for space in range(NUM_SPACES):
            tile = int(state.boards[player, space])
            if tile != EMPTY:
                out[boards + NUM_COLOURS * (NUM_SPACES * seat + space) + tile] = 1.0


assert STAGES[TAKE : TAKE + len(DECISIONS) - 1] == DECISIONS[:-1]
