"""The best dome tiling, against a brute force that knows the engine alone: every decision tried, on many kinds of positions."""

from __future__ import annotations

import random

import numpy as np
import pytest
from boards import END_PHASE_1, LAST_TURN, NO_TILES, SPECIAL_DOME, WILD_DOME, board, dome, play, tiling
from naive_tiling import NO_WORTH, brute_force, chips_up, points_after, stepped, tiles_now, worth_of
from sizes import scaled
from walks import OPTIONS, choose, games

from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.components import (
    COPIES_OF_CHIP,
    DOME_TILES,
    LAYOUT_SPACES,
    NUM_CHIP_KINDS,
    NUM_ROUNDS,
    SPECIAL,
    WILD,
)
from azul_duel_env.games.duel.solver import best_tiling_action, tiling_value
from azul_duel_env.games.duel.state import COLUMN, EXAMINING, PAYING, TURN


# What the solver says ------------------------------------------------------------------------
def solved(position, player):
    """Return the score that the solver promises a player."""
    return position.scores[player] + tiling_value(position.states, 0, player)


def follow(position, player, worth=NO_WORTH, chip_worth=0.0):
    """Let a player tile as the solver says, and return the position after."""
    position = position.copy()
    while tiles_now(position, player):
        position.step(int(best_tiling_action(position.states, 0, worth, chip_worth)))
    return position


# Positions ------------------------------------------------------------------------------------
def made_up(rng, round_number, chips):
    """Return a random position at the beginning of a phase 2: any dome, any lines, that many chips; draws wait."""
    position = GAME.new(rng.randrange(1000), **rng.choice(OPTIONS))
    state = position.states[0]
    state.explicit_chance = 1
    player = rng.randrange(2)
    state.round_number, state.active, state.line, state.stage = round_number, player, 0, EXAMINING
    state.first_player, state.first_player_tile = rng.randrange(2), rng.choice([-1, 0, 1])
    state.scoring[:] = 0
    for side in rng.sample(range(4), state.num_scoring_tiles):
        state.scoring[side + rng.choice([0, 4])] = 1
    state.scores[player] = rng.choice([0, 3, 60])
    fill_dome(rng, state, player, rng.choice([0.3, 0.6, 0.9]))
    fill_lines(rng, state, player)
    state.broken[player] = rng.choice([[0, 0, 0, 0, 0], [1, 0, 1, 0, 0]])
    state.chips_up[player] = 0
    for chip in rng.sample(list(range(NUM_CHIP_KINDS)) * COPIES_OF_CHIP, chips):
        state.chips_up[player, chip] += 1
    GAME.rules.advance_to_decision(position.states, 0)
    return position


def fill_dome(rng, state, player, share):
    """Lay dome tiles in most slots, and tiles on a share of their spaces; special tiles where they are due."""
    for slot, tile in enumerate(rng.sample(range(len(DOME_TILES)), 9)):
        layout = 4 * tile + rng.randrange(4)
        state.domes[player, slot] = layout if rng.random() < 0.9 else -1
        if state.domes[player, slot] < 0:
            continue
        cells = [(slot // 3 * 2 + cell // 2, slot % 3 * 2 + cell % 2) for cell in range(4)]
        spaces = LAYOUT_SPACES[layout].tolist()
        filled = [space != SPECIAL and rng.random() < share for space in spaces]
        due = sum(filled) == 3
        for cell, space, full in zip(cells, spaces, filled, strict=True):
            if full or (due and space == SPECIAL):
                state.tiles[player][cell] = rng.randrange(5) if space == WILD else space


def fill_lines(rng, state, player):
    """Put tiles on pattern lines, in colours that mostly have a free space."""
    for line in range(6):
        free = [
            int(LAYOUT_SPACES[state.domes[player, line // 2 * 3 + column // 2], line % 2 * 2 + column % 2])
            for column in range(6)
            if state.domes[player, line // 2 * 3 + column // 2] >= 0 and state.tiles[player, line, column] < 0
        ]
        colours = [space for space in free if space < SPECIAL]
        state.lines[player, line] = rng.choice([0, line + 1, line + 1, max(1, line), rng.randint(1, line + 1)])
        if state.lines[player, line] > 0:
            state.line_colours[player, line] = rng.choice(colours if colours and rng.random() < 0.9 else range(5))


def made_up_positions(count, first_seed=0):
    """Yield positions in all rounds, with no chips and with many, the last round most often."""
    for seed in range(first_seed, first_seed + count):
        rng = random.Random(seed)
        yield rng, made_up(rng, rng.choice([1, 2, 4, NUM_ROUNDS, NUM_ROUNDS]), rng.choice([0, 2, 4, 6]))


def real_positions(count, first_seed=0):
    """Yield positions of phase 2 from random games that finish lines, all variants."""
    for position, rng, _ in games(first_seed):
        while not position.over:
            if position.states["stage"][0] in (COLUMN, PAYING):
                yield position
                count -= 1
                if count == 0:
                    return
            position.step(choose(position, rng, "fill"))


def half_paid(rng, position):
    """Return the position after some random decisions, from the midst of a payment if there is one."""
    player = position.player
    for _ in range(rng.randrange(6)):
        after = stepped(position, int(rng.choice(position.legal_actions().tolist())))
        if not tiles_now(after, player):
            break
        position = after
    return position


# Against it -----------------------------------------------------------------------------------
def check_against_brute_force(position):
    player = position.player
    value, left, action = brute_force(position, player)
    before = position.copy()
    assert solved(position, player) == value
    assert best_tiling_action(position.states, 0, NO_WORTH, 0.0) == action
    assert position == before
    after = follow(position, player)
    assert points_after(after, player) == value
    assert chips_up(after, player) == left


def test_real_positions():
    for position in real_positions(scaled(400, least=5)):
        check_against_brute_force(position)


def test_made_up_positions():
    stages = set()
    for rng, position in made_up_positions(scaled(400, least=12)):
        if position.states["stage"][0] in (COLUMN, PAYING):
            position = half_paid(rng, position)
            stages.add((int(position.states["stage"][0]), int(position.states["paid_other"][0]) > 0))
            check_against_brute_force(position)
    assert len(stages) == 3 or scaled(400) < 100


def test_with_many_chips():
    for seed in range(scaled(60)):
        rng = random.Random(seed)
        position = made_up(rng, rng.choice([3, NUM_ROUNDS]), rng.choice([7, 8, 9]) if scaled(60) > 1 else 5)
        if tiles_now(position, position.player):
            check_against_brute_force(position)


def test_every_decision_on_the_way_is_that_of_the_brute_force():
    for _, position in made_up_positions(scaled(60, least=3), first_seed=10_000):
        player = position.player
        while tiles_now(position, player):
            action = int(best_tiling_action(position.states, 0, NO_WORTH, 0.0))
            assert action == brute_force(position, player)[2]
            position.step(action)


def test_what_a_caller_adds_counts():
    changed = 0
    for rng, position in made_up_positions(scaled(150, least=6), first_seed=20_000):
        if not tiles_now(position, position.player):
            continue
        player, chip_worth = position.player, rng.choice([0.0, 0.25, 2.0, 5.0])
        worth = np.array([[rng.choice([0.0, 0.5, 3.0, -1.0, -8.0]) for _ in range(6)] for _ in range(6)])
        value, left, action = brute_force(position, player, worth, chip_worth)
        assert best_tiling_action(position.states, 0, worth, chip_worth) == action
        after = follow(position, player, worth, chip_worth)
        found = points_after(after, player) + worth_of(position, after, player, worth, chip_worth)
        assert (round(found, 9), chips_up(after, player)) == (value, left)
        changed += action != best_tiling_action(position.states, 0, NO_WORTH, 0.0)
    assert changed > 0 or scaled(150) < 50


# What if phase 2 came now -----------------------------------------------------------------------
def as_if_now(position, player):
    """Return the position in which the player's phase 2 begins, and the other player has tiled already."""
    position = position.copy()
    state = position.states[0]
    state.stage, state.line, state.active, state.first_player, state.explicit_chance = (
        EXAMINING,
        0,
        player,
        1 - player,
        1,
    )
    GAME.rules.advance_to_decision(position.states, 0)
    return position


def turns(count, first_seed=0):
    """Yield positions of phase 1 in which a turn begins, all rounds and variants."""
    for position, rng, _ in games(first_seed):
        while not position.over:
            if position.states["stage"][0] == TURN and rng.random() < 0.2:
                yield position
                count -= 1
                if count == 0:
                    return
            position.step(choose(position, rng, "fill"))


def test_during_phase_1_for_both_players():
    values = set()
    for position in turns(scaled(300, least=5)):
        before = position.copy()
        for player in range(2):
            now = as_if_now(position, player)
            value = int(tiling_value(position.states, 0, player))
            assert value == brute_force(now, player)[0] - position.scores[player]
            values.add(value)
        assert position == before
    assert len(values) > 5 or scaled(300) < 50


def test_who_has_tiled_gets_the_scoring_tiles_alone():
    seen = set()
    for position in real_positions(scaled(300, least=10), first_seed=7):
        first, last = int(position.states["first_player"][0]), position.states["round_number"][0] == NUM_ROUNDS
        if position.player == first:
            continue
        gained = points_after(position, first) - position.scores[first]
        assert tiling_value(position.states, 0, first) == gained
        assert last or gained == 0
        seen.add(bool(last))
    assert len(seen) == 2 or scaled(300) < 50


def test_nobody_gets_anything_after_the_game():
    position = play(board(LAST_TURN, *dome(0, NO_TILES), *dome(1, NO_TILES), "first-player tile: 0"), END_PHASE_1)
    assert position.over
    assert [tiling_value(position.states, 0, player) for player in range(2)] == [0, 0]


# By hand ----------------------------------------------------------------------------------------
def chosen(position):
    return GAME.text.action_name(int(best_tiling_action(position.states, 0, NO_WORTH, 0.0)))


ROW_2 = "row 2: .K  .t .*  .t .k  .t .r"


def test_a_chip_is_kept_if_the_points_would_be_lost_again():
    assert chosen(tiling(ROW_2, "chips up: K BK | -")) == "spend chip K"
    sinking = tiling(ROW_2, "chips up: K BK | -", "scores: 2 20", "broken: B3 | -")  # R43: 2 + 1 - 6 is 0 as well
    assert chosen(sinking) == "leave line unfinished"
    assert tiling_value(sinking.states, 0, 0) == -2


def test_r31_a_chip_of_two_colours_is_left_for_the_line_that_needs_it():
    rows = ("row 2: .T  .t .*  .t .k  .t .r", "row 3: .YY  .r .t  .r .w  -- --")
    position = tiling(*rows, "chips up: T Y TY RT | -")
    assert tiling_value(position.states, 0, 0) == 2
    assert chosen(position) == "spend chip T"
    assert chosen(play(position, "spend chip T")) == "spend chip RT"
    assert tiling_value(position.states, 0, 0) == 2
    assert tiling_value(play(position, "spend chip TY").states, 0, 0) == 1


@pytest.mark.parametrize(
    ("round_number", "scoring", "column"),
    [(4, "rows border corners", 2), (5, "rows columns corners", 2), (5, "rows border corners", 1)],
)
def test_in_round_5_scoring_tiles_count(round_number, scoring, column):
    """A run of two in column 2, or one tile and one point for the border in column 1; of equals the lower."""
    mine = dome(0, "...... ...... .X.... ...... ...... ......", "4:TTTT", filled=WILD_DOME)
    theirs = dome(1, NO_TILES, filled=SPECIAL_DOME)
    last_turn = board(LAST_TURN, *mine, *theirs, f"round: {round_number}", f"scoring: {scoring}")
    position = play(last_turn, END_PHASE_1)
    assert chosen(position) == f"column {column}"
    assert tiling_value(position.states, 0, 0) == 2
