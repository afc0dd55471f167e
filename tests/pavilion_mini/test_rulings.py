"""Each ruling of the Mini's ``RULINGS.md``, on a table in which the other decision would show."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from mini import FULL_SUPPLY, all_tiles, counts, end_scores, full_star, game_of, hand, legal, on, pile, play, table

from azul_duel_env.game import Position
from azul_duel_env.games.pavilion_mini.actions import SPACE_NAMES
from azul_duel_env.games.pavilion_mini.components import COLOUR_LETTERS, COLOURS, EMPTY, STARS, STRUCTURE_SPACES
from azul_duel_env.games.pavilion_mini.state import DISCARD, PLACE

STUCK = {"green": "GGGGGG", "red": "RRRRRR", "centre": "GR...."}
"""A board on which green and red tiles find no space."""
STATUE_AND_PILLAR = {"orange": "O.O...", "red": "..RR..", "centre": "P....G"}
"""Orange 2 closes the statue and the pillar of orange: three tiles."""
WINDOW = {"blue": "....B."}
"""Blue 6 closes the window of blue: three tiles."""


def state_of(position: Position) -> Any:
    return position.states[0]


def close_window(**settings: Any) -> Position:
    """Return a table on which player 0, with an empty hand then, has filled blue 6."""
    return play(table(hands=("B6", "R8"), boards=(WINDOW,), **settings), "place blue -> blue 6")


# Phase 1 --------------------------------------------------------------------------------------
def test_sr1_if_nobody_takes_from_the_centre_the_same_player_begins_again():
    position = table(3, factories=("R4",), active=1, first_player=1, scores=(9, 9, 9), hands=("Y", "", "G"))
    play(position, "take factory 1 red")
    assert (state_of(position).stage, position.player) == (PLACE, 1), (
        "phase 2 begins with the first player of the round"
    )
    assert position.scores == (9, 9, 9)
    play(position, "pass", "pass", "pass")
    assert (position.round_number, position.player, state_of(position).token) == (2, 1, -1)


@pytest.mark.parametrize(("had", "left"), [(7, 4), (3, 0), (2, 0), (0, 0)])
def test_sr2_no_loss_takes_a_score_below_0(had, left):
    taking = table(factories=("R",), centre="Y3", scores=(had, 9))
    assert play(taking, "take centre yellow").scores == (left, 9)
    passing = table(hands=("R7", "R8"), scores=(had, 9))
    assert play(passing, "discard red").scores == (left, 9)


# Tiles from the supply ------------------------------------------------------------------------
def test_sr3_a_supply_too_small_is_taken_whole():
    position = close_window(supply="P G", bag="")
    assert hand(position) == "P G"
    assert state_of(position).owed == 0, "the third is lost"
    assert pile(position, "supply") == "B5", "what was paid fills the supply"


def test_sr4_two_structures_bring_the_sum_from_one_supply():
    position = table(hands=("O2", "R"), boards=(STATUE_AND_PILLAR,), draws=False)
    play(position, "place orange -> orange 2")
    for left in (3, 2, 1):
        assert state_of(position).owed == left
        assert not position.chance_is_due, "not filled in between"
        play(position, "bonus purple" if left > 1 else "bonus green")
    assert position.chance_is_due
    assert hand(position) == "P2 G"


def test_sr5_a_pass_fills_the_supply_too():
    position = table(hands=("R7", "R8"), supply="P G", bag="")
    assert pile(play(position, "discard red"), "supply") == "P G R3"


def test_sr20_a_pillar_brings_wild_tiles_too():
    position = table(hands=("O3", "R"), boards=({"orange": ".O....", "centre": "P....G"},))
    play(position, "place orange -> orange 3")
    assert state_of(position).owed == 1
    assert legal(position) == {f"bonus {colour}" for colour in COLOURS}


def test_sr21_the_deposit_goes_into_the_bag_when_the_next_tile_is_drawn():
    kept = play(table(hands=("R", "R"), supply="P9", bag="Y", deposit="G3"), "pass")
    assert [pile(kept, name) for name in ("supply", "bag", "deposit")] == ["P9 Y", "-", "G3"]
    moved = play(table(hands=("R", "R"), supply="P8", bag="Y", deposit="G3"), "pass")
    assert [pile(moved, name) for name in ("supply", "bag", "deposit")] == ["P8 G Y", "G2", "-"]


def test_sr22_what_was_just_paid_can_come_back():
    position = close_window(supply="P10", bag="")
    assert hand(position) == "P3"
    assert [pile(position, name) for name in ("supply", "bag", "deposit")] == ["P7 B3", "B2", "-"]


def test_sr22_the_supply_is_filled_before_the_factories():
    position = table(hands=("G", ""), supply="P8", bag="R2")
    play(position, "pass")
    assert position.round_number == 2
    assert pile(position, "supply") == "P8 R2"
    assert not state_of(position).factories.any()


def test_sr24_several_tiles_are_named_in_the_order_of_colours():
    position = close_window()
    play(position, "bonus orange")
    assert legal(position) == {"bonus orange", "bonus yellow", "bonus blue"}, "after red none would follow"
    few = close_window(supply="P B R2")
    assert legal(few) == {"bonus purple", "bonus blue"}
    throwing = play(table(hands=("P2 Y3 B3", "R8")), "discard yellow")
    assert legal(throwing) == {"discard yellow", "discard blue"}


def test_sr24_each_set_of_tiles_has_one_spelling():
    def hands_from(position: Position) -> list[str]:
        if state_of(position).owed == 0:
            return [hand(position)]
        return [found for name in legal(position) for found in hands_from(play(position.copy(), name))]

    found = hands_from(close_window())
    limits = counts(FULL_SUPPLY)
    sets = [taken for taken in product(range(4), repeat=6) if sum(taken) == 3 and (np.array(taken) <= limits).all()]
    assert len(found) == len(set(found)) == len(sets) == 40


# Placing --------------------------------------------------------------------------------------
def test_sr9_who_can_place_may_pass():
    assert "pass" in legal(table(hands=("R4", "R")))
    assert "discard red" in legal(table(hands=("R6", "R")))


def test_sr10_who_has_no_tile_passes():
    position = table(3, hands=("", "R", "R"))
    assert position.player == 1
    assert state_of(position).passed.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("tiles", "space", "wilds"),
    [
        ("G2 P3", "green 4", {2, 3}),
        ("G5 P3", "green 4", {0, 1, 2, 3}),
        ("G P4", "green 4", set()),
        ("G P9", "green 6", set()),
        ("G6", "green 6", set()),
        ("G6 P", "green 1", set()),
        ("G3 P3", "green 6", set()),
        ("G3 P5", "green 6", {3, 4, 5}),
    ],
)
def test_sr11_any_number_of_wild_tiles_but_for_one_of_the_colour(tiles, space, wilds):
    position = play(table(hands=(tiles, "R8")), f"place green -> {space}")
    assert legal(position, "pay") == {f"pay {k} wild" for k in wilds}
    assert (on(position, space) == "G") == (not wilds), "a single payment is not asked"


def test_sr11_the_wild_colour_pays_for_itself():
    position = table(hands=("P3 G8", "R"))
    assert legal(position, "place purple") == {
        f"place purple -> {star} {n}" for star in ("purple", "centre") for n in (1, 2, 3)
    }
    assert hand(play(position, "place purple -> purple 3")) == "G8"


def test_sr12_the_wild_colour_may_lie_in_the_centre():
    placed = play(table(hands=("P3 G", "R8")), "place purple -> centre 3")
    assert (on(placed, "centre 3"), hand(placed)) == ("P", "G")
    assert not legal(table(hands=("P3 G", "R8"), boards=({"centre": "P....."},)), "place purple -> centre")


@pytest.mark.parametrize("star", ["orange", "centre"])
@pytest.mark.parametrize(
    ("tiles", "accepts"),
    [
        ("......", "PGOYBR"),
        ("R.....", "PGOYBR"),
        ("RR....", "R"),
        ("R....R", "R"),
        ("RG....", "POYB"),
        ("...ROG", "PYB"),
    ],
)
def test_sr13_the_second_tile_of_a_grey_star_decides(star, tiles, accepts):
    position = table(hands=("P3 G3 O3 Y3 B3 R3", "R"), boards=({star: tiles},), board="grey")
    placed = {name.split()[1] for name in legal(position, "place") if f"-> {star} " in name}
    assert {COLOUR_LETTERS[COLOURS.index(colour)] for colour in placed} == set(accepts)


def test_sr16_the_last_player_goes_on_turn_after_turn():
    position = table(3, hands=("R8", "G3", "G3"), passed=(1, 2))
    play(position, "place red -> red 1", "place red -> red 2", "place red -> red 3")
    assert (position.player, hand(position)) == (0, "R2")


def test_sr23_the_score_has_no_upper_end():
    assert play(table(hands=("R2", "R8"), scores=(400, 0)), "place red -> red 1").scores == (401, 0)


# Passing --------------------------------------------------------------------------------------
def test_sr6_as_many_tiles_as_possible_are_kept():
    assert legal(table(hands=("G R2", "R"))) - legal(table(hands=("G R2", "R")), "place") == {"pass"}
    position = table(hands=("G3 R3", "R"))
    assert legal(position) - legal(position, "place") == {"discard green", "discard red"}
    play(position, "discard green", "discard red")
    assert (hand(position), position.scores[0]) == ("G2 R2", 3)


def test_sr6_any_number_of_tiles_may_be_kept():
    position = table(hands=("G3 R3", "R"), keep="any")
    assert not legal(position, "pass"), "at most four"
    play(position, "discard green", "discard green")
    assert legal(position) == {"pass", "discard green", "discard red"}
    play(position, "discard red", "pass")
    assert (hand(position), position.scores[0]) == ("G R2", 2)


@pytest.mark.parametrize("keep", ["most", "any"])
def test_sr7_a_pass_in_round_6_throws_all(keep):
    position = table(hands=("Y2 B5", "R8"), round_number=6, scores=(9, 9), keep=keep)
    assert legal(position) - legal(position, "place") == {"pass"}
    play(position, "pass")
    assert (hand(position), pile(position, "deposit")) == ("-", "Y2 B5")
    assert position.scores == (2, 9)


def test_sr8_unused_tiles_cost_points_before_stars_score():
    position = table(hands=("R4", ""), boards=(full_star("red", "R"),), round_number=6, scores=(1, 0))
    assert play(position, "pass").scores == (14, 0)


def test_sr25_who_can_place_nothing_is_not_asked():
    position = table(hands=("G2 R2", "Y"), boards=(STUCK,))
    assert (position.player, hand(position), position.scores[0]) == (1, "G2 R2", 5)
    last = table(hands=("G4 R3", "Y"), boards=(STUCK,), round_number=6, scores=(9, 9))
    assert (last.player, hand(last), last.scores[0]) == (1, "-", 2)


def test_sr29_which_tiles_to_throw_is_asked_although_the_pass_is_not():
    position = table(hands=("G3 R3", "Y"), boards=(STUCK,))
    assert (position.player, state_of(position).stage, state_of(position).passed[0]) == (0, DISCARD, 1)
    assert legal(position) == {"discard green", "discard red"}
    alike = table(hands=("G6", "Y"), boards=(STUCK,))
    assert (alike.player, hand(alike), alike.scores[0]) == (1, "G4", 3)


def test_sr30_turns_are_asked_and_parts_of_them_only_where_there_is_a_choice():
    taking = table(factories=("R2",))
    assert legal(taking) == {"take factory 1 red"}
    assert legal(play(taking, "take factory 1 red")) == {
        "pass",
        *(f"place red -> {star} {n}" for star in ("red", "centre") for n in (1, 2)),
    }
    single = close_window(supply="P10")
    assert (single.player, hand(single)) == (1, "P3"), "neither the payment nor the tiles from the supply were asked"


@pytest.mark.parametrize(
    ("tiles", "round_number", "asked"),
    [("G2", 1, {"pass", "discard green"}), ("", 1, set()), ("G2", 6, set()), ("G6 R", 6, set())],
)
def test_sr31_what_to_keep_is_asked_although_the_pass_is_not(tiles, round_number, asked):
    position = table(hands=(tiles, "Y"), boards=(STUCK,), round_number=round_number, keep="any")
    assert state_of(position).passed[0] == 1
    assert (legal(position) if position.player == 0 else set()) == asked


# Rounds and the end ---------------------------------------------------------------------------
def test_sr14_a_grey_star_scores_by_how_it_was_built():
    values = dict(zip("PGOYBR", (20, 18, 17, 16, 15, 14), strict=True)) | {"PGOYBR": 12, "RBYOGP": 12}
    for star in ("orange", "centre"):
        for letters, points in values.items():
            assert end_scores(full_star(star, letters), board="grey") == (points, 0)
    assert end_scores({"orange": "PPPPPP", "red": "PPPPPP"}, board="grey") == (40, 0)


def test_sr15_all_spaces_with_a_number_on_the_grey_side():
    threes = dict.fromkeys(STARS[:6], "R.....") | {"centre": "YYYYYY"}
    assert end_scores(threes, threes | {"green": "......"}, board="grey") == (12 + 16, 16)
    for position, points in ((3, 4), (2, 8), (4, 16)):
        marks = "." * (position - 1) + "R" + "." * (6 - position)
        six = dict.fromkeys(STARS[:6], marks)
        assert end_scores(six, six | {"green": "......"}, board="grey") == (points, 0)


def test_sr17_factories_are_filled_one_after_the_other():
    position = table(4, hands=("R",), bag="P6 G5 O5 Y5 B5 R5", round_number=5)
    play(position, "pass")
    assert position.round_number == 6
    assert state_of(position).factories.sum(axis=1).tolist() == [4] * 7 + [3, 0]


def test_sr17_without_any_tile_phase_1_ends_at_once():
    position = table(hands=("R", ""), supply="", bag="", round_number=3)
    play(position, "pass")
    assert (position.round_number, state_of(position).stage, position.player) == (4, PLACE, 0)
    assert (hand(position), state_of(position).token) == ("R", -1)


def test_sr26_all_with_the_most_points_win():
    position = table(3, scores=(9, 4, 9), round_number=6)
    assert position.over
    assert position.winners == {0, 2}
    assert position.ranks == (1, 3, 1)
    assert position.returns == (0.25, -0.5, 0.25)


# The table ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("board", "stars"), [("coloured", 2), ("grey", 6)])
def test_sr18_all_play_on_the_same_side(board, stars):
    position = table(hands=("R", "R"), board=board)
    for _ in range(2):
        assert len({name.split()[3] for name in legal(position, "place")}) == stars
        play(position, "pass")
    with pytest.raises(ValueError, match="board must be"):
        game_of(2).new(board=("coloured", "grey"))


def test_sr19_only_what_will_be_drawn_is_unknown():
    position = table(3, hands=("R", "Y G", "B2"))
    other = position.resampled(0, 7)
    assert other.states["rng"] != position.states["rng"]
    other.states["rng"] = position.states["rng"]
    assert other == position
    seen = position.game.text.unflatten(position.observe(0))
    for player in range(3):
        assert (seen["hands"][player] == (state_of(position).hands[player] / 22).astype(np.float32)).all()
    assert (seen["bag"] == (state_of(position).bag / 22).astype(np.float32)).all()


def test_sr27_a_draw_with_one_outcome_happens_by_itself():
    one = play(table(hands=("R", "R"), supply="P9", bag="Y5", draws=False), "pass")
    assert not one.chance_is_due
    assert pile(one, "supply") == "P9 Y"
    two = play(table(hands=("R", "R"), supply="P9", bag="Y5 B", draws=False), "pass")
    assert two.chance_is_due


def test_sr28_the_number_of_players_is_that_of_the_game():
    for players in (2, 3, 4):
        position = game_of(players).new(seed=1)
        assert len(position.scores) == players
        assert len(state_of(position).factories) == 2 * players + 1
    with pytest.raises(ValueError, match="2 or 3 or 4"):
        game_of(5)


def test_sr32_there_are_22_tiles_of_each_colour():
    assert all_tiles(state_of(game_of(3).new(seed=5))).tolist() == [22] * 6


@pytest.mark.parametrize(("round_number", "wild"), tuple(enumerate("PGOYBR", start=1)))
def test_sr33_the_wild_colour_of_each_round(round_number, wild):
    paid = {
        other
        for other in "PGOYBR"
        if legal(table(hands=(f"R {other}", "R"), round_number=round_number), "place red -> red 2")
    }
    assert paid == {"R", wild}


def test_sr34_the_drawing_of_the_board():
    around = [[SPACE_NAMES[space] for space in spaces if space != EMPTY] for spaces in STRUCTURE_SPACES]
    assert around[3:6] == [
        ["red 2", "red 3", "centre 1", "centre 2"],
        ["red 1", "red 2", "blue 3", "blue 4"],
        ["red 5", "red 6"],
    ]
    assert around[0] == ["orange 2", "orange 3", "centre 6", "centre 1"]


def test_sr35_the_numbers_of_the_spaces():
    for n in range(1, 7):
        coloured = {f"{star} {k}" for star in ("yellow", "centre") for k in range(1, n + 1)}
        grey_star = {1: [3], 2: [2], 3: [1], 4: [4], 5: [5], 6: [6]}
        grey = {f"{star} {k}" for star in STARS[:6] for number in range(1, n + 1) for k in grey_star[number]}
        grey |= {f"centre {k}" for k in range(1, 7) if n >= 3}
        for board, spaces in (("coloured", coloured), ("grey", grey)):
            position = table(hands=(f"Y{n}", "R"), board=board)
            assert {name.partition(" -> ")[2] for name in legal(position, "place")} == spaces
