"""What holds in every state (RULES E.2), for the template ``soundness``.

What keeps to them can be played on to its end, whatever is chosen and drawn, and keeps to them all the way; its observations lie in
[0, 1] and its text reads back. They don't tell that a game really leads there: the supply may be short, for a puzzle.
"""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.actions import MAX_LEGAL, MOST_WILDS
from azul_duel_env.games.pavilion_mini.bounds import decisions_left, most_decisions, most_points, tiles_out
from azul_duel_env.games.pavilion_mini.chance import count_all, has_any, total_weight, wants_tile
from azul_duel_env.games.pavilion_mini.components import (
    ALL_COLOURS,
    CENTRE,
    COLOURED,
    CORNERS,
    EMPTY,
    GREY,
    MOST_OWED,
    NUM_COLOURS,
    NUM_ROUNDS,
    NUM_SPACES,
    NUM_STARS,
    STAR_COLOUR,
    START_SCORE,
    SUPPLY_SIZE,
    TILES_ON_FACTORY,
    TILES_PER_COLOUR,
    num_factories,
)
from azul_duel_env.games.pavilion_mini.engine import list_legal
from azul_duel_env.games.pavilion_mini.placing import can_place, can_place_on, fewest_wilds, most_wilds
from azul_duel_env.games.pavilion_mini.stars import colours_in
from azul_duel_env.games.pavilion_mini.state import (
    BONUS,
    CHOOSE_FIRST,
    DISCARD,
    FILL_FACTORIES,
    FILL_SUPPLY,
    FIRST,
    GAME_OVER,
    IN_CENTRE,
    KEEP_ANY,
    NO_CHANCE,
    NOBODY,
    PAY,
    PLACE,
    STATES,
    TAKE,
    TILE,
    TURN_OVER,
)
from azul_duel_env.jit import rule, rule_with_arrays

INVARIANTS = (
    "22 tiles of each colour (E30)",
    "at most 10 tiles in the supply (E31)",
    "factories and centre: at most 4 tiles on each, at most 3 from each bare one in the centre, and none outside of phase 1 (E31)",
    "the corners: at most 4 tiles of who has passed and between rounds, none in the end (E31)",
    "a star's tiles are of its colour, or all of one, or all differ, as the side of the board wants (E32)",
    "each colour is wild in one round (S8)",
    "the round, whose turn it is, who has passed and the first-player token fit the stage (E37)",
    "before the first round nothing has been played",
    "scores are not negative, and not more than the boards can have brought (E34)",
    "the number of decisions fits what has been played (E38)",
    "what a sub-decision is about fits the stage, and nothing is left of an earlier one",
    "what is drawn fits the stage, has several outcomes, and is asked with explicit chance only",
    "the player to decide is whose turn it is and has a choice, and nobody else (E36)",
    "every number within its range",
)


def ranges_for(num_players: int) -> dict[str, tuple[int, int]]:
    """Return the lowest and highest value of each int8 field with so many players."""
    seats = (NOBODY, num_players - 1)
    ranges = {
        "round_number": (0, NUM_ROUNDS),
        "stage": (0, GAME_OVER),
        "chance": (NO_CHANCE, FIRST),
        **dict.fromkeys(("player", "active", "first_player", "token"), seats),
        "grey": (COLOURED, GREY),
        "keep_any": (0, KEEP_ANY),
        **dict.fromkeys(("explicit_chance", "passed"), (0, 1)),
        **dict.fromkeys(("wild_order", "lowest"), (0, NUM_COLOURS - 1)),
        **dict.fromkeys(("bag", "deposit", "centre", "hands"), (0, TILES_PER_COLOUR)),
        "supply": (0, SUPPLY_SIZE),
        "factories": (0, TILES_ON_FACTORY),
        "filling": (0, num_factories(num_players) - 1),
        **dict.fromkeys(("boards", "colour"), (EMPTY, NUM_COLOURS - 1)),
        "space": (EMPTY, NUM_SPACES - 1),
        "wilds": (EMPTY, MOST_WILDS),
        "owed": (0, MOST_OWED),
        "spare": (0, 0),
    }
    return {name: ranges[name] for name in STATES[num_players].names or () if name in ranges}


# The table ------------------------------------------------------------------------------------
@rule
def tiles_conserved(state):
    """E30."""
    for colour in range(NUM_COLOURS):
        count = int(state.bag[colour]) + int(state.deposit[colour]) + int(state.supply[colour])
        count += int(state.centre[colour])
        for factory in range(len(state.factories)):
            count += int(state.factories[factory, colour])
        for player in range(len(state.scores)):
            count += int(state.hands[player, colour])
            for space in range(NUM_SPACES):
                count += state.boards[player, space] == colour
        if count != TILES_PER_COLOUR:
            return False
    return True


@rule
def factories_right(state):
    """E31; while factories are being filled, those before are full and those after are bare (SR17)."""
    bare = 0
    for factory in range(len(state.factories)):
        tiles = count_all(state.factories[factory])
        if tiles > TILES_ON_FACTORY or not filled_in_order(state, factory, tiles):
            return False
        bare += tiles == 0
    if count_all(state.centre) > (TILES_ON_FACTORY - 1) * bare:
        return False
    if state.stage == TAKE:
        return tiles_out(state) > 0
    return not has_any(state.centre) and (state.stage in (FILL_FACTORIES, CHOOSE_FIRST) or tiles_out(state) == 0)


@rule
def filled_in_order(state, factory, tiles):
    """Return whether so many tiles may lie on a factory, as far as filling has come."""
    if state.stage == CHOOSE_FIRST or (state.stage == FILL_FACTORIES and factory < state.filling):
        return tiles == TILES_ON_FACTORY
    return state.stage != FILL_FACTORIES or factory == state.filling or tiles == 0


@rule
def wild_order_right(state):
    """S8."""
    colours = 0
    for k in range(NUM_ROUNDS):
        colours |= 1 << state.wild_order[k]
    return colours == ALL_COLOURS


# The players ----------------------------------------------------------------------------------
@rule
def corners_right(state):
    """E31, SR7; who is just throwing tiles away may have more."""
    for player in range(len(state.scores)):
        tiles = count_all(state.hands[player])
        throws = state.stage == DISCARD and player == state.active
        on_corners = state.passed[player] == 1 or state.stage == FILL_FACTORIES
        if on_corners and not throws and tiles > most_on_corners(state):
            return False
    return True


@rule
def most_on_corners(state):
    """Return how many tiles a player can keep now (S29, SR7)."""
    return 0 if state.round_number == NUM_ROUNDS else CORNERS


@rule
def stars_right(state):
    """E32."""
    for player in range(len(state.scores)):
        for star in range(NUM_STARS):
            used, tiles = colours_in(state, player, star)
            if not colours_fit(state, star, used, tiles):
                return False
    return True


@rule
def colours_fit(state, star, used, tiles):
    """Return whether so many tiles of a set of colours may lie in a star (S22, S38)."""
    colours = 0
    for colour in range(NUM_COLOURS):
        colours += (used >> colour) & 1
    if state.grey == COLOURED and star != CENTRE:
        return tiles == 0 or used == 1 << STAR_COLOUR[star]
    return colours == tiles or (colours == 1 and state.grey == GREY)


@rule
def scores_right(state):
    """S17, E34."""
    for player in range(len(state.scores)):
        if not 0 <= state.scores[player] <= most_points(state, player):
            return False
    return True


# How far the game is --------------------------------------------------------------------------
@rule
def progress_right(state):
    """E37, S31: round, turn, token and who has passed."""
    stage = state.stage
    in_setup = state.round_number == 0
    if in_setup != (stage in (FILL_SUPPLY, CHOOSE_FIRST)) and stage != FILL_FACTORIES:
        return False
    if stage == FILL_FACTORIES and state.round_number == NUM_ROUNDS:
        return False
    if stage == GAME_OVER and state.round_number != NUM_ROUNDS:
        return False
    if (state.active == NOBODY) != (in_setup or stage == GAME_OVER):
        return False
    if (stage < TAKE and state.token != IN_CENTRE) or (state.first_player == NOBODY and not in_setup):
        return False
    return passed_right(state)


@rule
def passed_right(state):
    """S29, S33: nobody has passed before phase 2, all have in the end, and whose turn it is only while throwing tiles or at its end."""
    stage = state.stage
    if stage <= TAKE:
        return not has_any(state.passed)
    if stage == GAME_OVER:
        return count_all(state.passed) == len(state.scores)
    return stage == TURN_OVER or (state.active != NOBODY and (state.passed[state.active] == 1) == (stage == DISCARD))


@rule
def setup_right(state):
    """S1, S5, S6."""
    if state.round_number > 0:
        return True
    if has_any(state.deposit) or state.decisions != 0:
        return False
    if state.stage > FILL_SUPPLY and count_all(state.supply) < SUPPLY_SIZE:
        return False
    for player in range(len(state.scores)):
        if has_any(state.hands[player]) or state.scores[player] != START_SCORE:
            return False
        for space in range(NUM_SPACES):
            if state.boards[player, space] != EMPTY:
                return False
    return True


@rule
def decisions_right(state):
    """E38."""
    return 0 <= state.decisions <= most_decisions(state) - decisions_left(state)


# What is decided or drawn ---------------------------------------------------------------------
@rule
def parts_right(state):
    """The fields of a part of a turn, and of filling the factories, agree with the stage."""
    stage = state.stage
    if (state.filling > 0 and stage != FILL_FACTORIES) or (state.owed > 0) != (stage == BONUS):
        return False
    if state.lowest > 0 and not lowest_right(state):
        return False
    if stage != PAY and stage != PLACE:
        return state.space == EMPTY and state.colour == EMPTY and state.wilds == EMPTY
    return placement_right(state)


@rule
def placement_right(state):
    """A placement being paid is possible; before it is carried out, its space alone may be chosen, or all of it with its payment."""
    if state.space == EMPTY:
        return state.stage == PLACE and state.colour == EMPTY and state.wilds == EMPTY
    if state.active == NOBODY:
        return False
    if state.colour == EMPTY:
        return state.stage == PLACE and state.wilds == EMPTY and takes_any(state, state.space)
    if not can_place_on(state, state.active, state.space, state.colour):
        return False
    if state.wilds == EMPTY:
        return state.stage == PAY
    fewest = fewest_wilds(state, state.space, state.colour)
    return fewest <= state.wilds <= most_wilds(state, state.space, state.colour)


@rule
def takes_any(state, space):
    """Return whether the player can place anything on a space."""
    for colour in range(NUM_COLOURS):
        if can_place_on(state, state.active, space, colour):
            return True
    return False


@rule
def lowest_right(state):
    """SR24: the tile that came before lies where it was taken or thrown to."""
    if state.stage == BONUS:
        return state.owed < MOST_OWED and state.active != NOBODY and state.hands[state.active, state.lowest] > 0
    return state.stage == DISCARD and state.deposit[state.lowest] > 0


@rule
def chance_right(state):
    """SR27: a draw is due where a tile is wanted, or, once a game, who begins; and nowhere else."""
    if TAKE <= state.stage < TURN_OVER or state.stage == GAME_OVER:
        return state.chance == NO_CHANCE
    if state.explicit_chance == 0 or state.chance == NO_CHANCE or state.chance != due(state):
        return False
    total, only = total_weight(state, state.chance)
    return total > 0 and only == NOBODY


@rule
def due(state):
    """Return which kind of draw a stage in which nobody decides waits for; the bag was refilled before."""
    if wants_tile(state):
        return TILE
    return FIRST if state.stage == CHOOSE_FIRST and state.first_player == NOBODY else NO_CHANCE


@rule_with_arrays
def decision_right(state):
    """E36: who decides is whose turn it is, and has a choice, of two or more but for turns; nobody when chance must or the game is over."""
    if state.chance != NO_CHANCE or state.stage == GAME_OVER:
        return state.player == NOBODY
    if not TAKE <= state.stage < TURN_OVER or state.player == NOBODY or state.player != state.active:
        return False
    if state.stage == TAKE:
        return tiles_out(state) > 0
    if state.stage == PLACE:
        return can_place(state, state.active)
    return parts_right(state) and list_legal(state, np.empty(MAX_LEGAL, np.int16)) > 1


@rule_with_arrays
def broken_invariants(state, broken):
    """Write 1 for each broken invariant into ``broken`` (int8), all but the last; return how many."""
    broken[0] = not tiles_conserved(state)
    broken[1] = count_all(state.supply) > SUPPLY_SIZE
    broken[2] = not factories_right(state)
    broken[3] = not corners_right(state)
    broken[4] = not stars_right(state)
    broken[5] = not wild_order_right(state)
    broken[6] = not progress_right(state)
    broken[7] = not setup_right(state)
    broken[8] = not scores_right(state)
    broken[9] = not decisions_right(state)
    broken[10] = not parts_right(state)
    broken[11] = not chance_right(state)
    broken[12] = not decision_right(state)
    return broken.sum()
