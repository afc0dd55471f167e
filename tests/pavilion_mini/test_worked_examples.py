"""The worked examples of the Mini's rulebook (S15, S16, S25, S29), the numbers of its ends, and tables built for what seldom happens."""

from __future__ import annotations

import pytest
from mini import all_tiles, end_scores, full_star, hand, legal, on, pile, play, table

from azul_duel_env.game import Position
from azul_duel_env.games.pavilion_mini.components import NUMBER_POINTS, STAR_POINTS, STARS, STRUCTURES_AT
from azul_duel_env.games.pavilion_mini.state import BONUS, PLACE, TAKE

FULL_BOARD = dict(zip(STARS, ("OOOOOO", "RRRRRR", "BBBBBB", "YYYYYY", "GGGGGG", "PPPPPP", "PGOYBR"), strict=True))
"""A full board of the coloured side."""


def owed(position: Position) -> int:
    """Return how many tiles the player who has just placed still takes from the supply."""
    return int(position.states[0].owed)


def before(board: dict[str, str], space: str, tiles: str, **settings) -> Position:
    """Return the table on which player 0 has placed the first letter of ``tiles``, which fill the space exactly, on a board."""
    names = {"P": "purple", "G": "green", "O": "orange", "Y": "yellow", "B": "blue", "R": "red"}
    position = table(hands=(tiles, "R4"), boards=(board,), **settings)
    return play(position, f"place {names[tiles[0]]} -> {space}")


# Phase 1 --------------------------------------------------------------------------------------
def test_two_red_tiles_from_a_factory_without_a_wild_one():
    position = play(table(3, factories=("R2 Y2", "G4")), "take factory 1 red")
    assert (hand(position), pile(position, "centre")) == ("R2", "Y2")
    assert position.scores == (5, 5, 5)
    assert not position.states[0].factories[0].any()
    assert (position.player, position.states[0].token) == (1, -1)


def test_a_green_tile_with_a_wild_one():
    position = table(3, factories=("P2 G Y", "G4"))
    assert legal(position, "take factory 1") == {"take factory 1 green", "take factory 1 yellow"}
    play(position, "take factory 1 green")
    assert (hand(position), pile(position, "centre")) == ("P G", "P Y")


def test_yellow_tiles_and_a_wild_one_from_the_centre_first():
    position = play(table(3, factories=("G4",), centre="P Y3"), "take centre yellow")
    assert (hand(position), pile(position, "centre")) == ("P Y3", "-")
    assert position.scores == (1, 5, 5)
    assert position.states[0].token == 0


def test_the_second_take_from_the_centre_costs_nothing():
    position = play(table(3, centre="Y3 R2 G"), "take centre yellow", "take centre red")
    assert position.scores == (2, 5, 5)
    assert position.states[0].token == 0


@pytest.mark.parametrize(("had", "left"), [(2, 0), (0, 0), (4, 0), (5, 1)])
def test_the_first_take_from_the_centre_costs_no_more_than_there_is(had, left):
    position = play(table(centre="Y4", factories=("R",), scores=(had, 5)), "take centre yellow")
    assert position.scores == (left, 5)


@pytest.mark.parametrize("wilds", [1, 2, 4])
def test_a_factory_of_wild_tiles_gives_one(wilds):
    position = table(factories=(f"P{wilds}", "R"))
    assert legal(position, "take factory 1") == {"take factory 1 purple"}
    play(position, "take factory 1 purple")
    assert hand(position) == "P"
    assert pile(position, "centre") == {1: "-", 2: "P", 4: "P3"}[wilds]


def test_a_centre_of_wild_tiles_gives_one_for_a_point():
    position = table(centre="P3", scores=(5, 5))
    assert legal(position) == {"take centre purple"}
    play(position, "take centre purple", "take centre purple", "take centre purple")
    assert (hand(position, 0), hand(position, 1), position.scores) == ("P2", "P", (4, 5))
    assert position.states[0].stage == PLACE


def test_the_colour_of_another_round_is_not_wild():
    position = table(factories=("P2 G Y",), round_number=2)
    assert legal(position) == {"take factory 1 purple", "take factory 1 yellow"}
    play(position, "take factory 1 purple")
    assert (hand(position), pile(position, "centre")) == ("P2 G", "Y")


def test_phase_2_begins_with_the_holder_of_the_token():
    position = table(3, centre="R G B", hands=("Y", "Y", "Y"), active=2)
    play(position, "take centre red", "take centre green", "take centre blue")
    assert position.states[0].stage == PLACE
    assert (position.player, position.states[0].token) == (2, 2)


# Placing --------------------------------------------------------------------------------------
def test_a_green_tile_and_three_wild_ones_reach_these_spaces():
    position = table(hands=("G P3", "R8"))
    expected = {f"place green -> {star} {n}" for star in ("green", "centre") for n in (1, 2, 3, 4)}
    expected |= {f"place purple -> {star} {n}" for star in ("purple", "centre") for n in (1, 2, 3)}
    assert legal(position) == expected | {"pass"}
    assert len(expected) == 14
    for name in expected:
        assert not legal(play(position.copy(), name), "pay"), "one payment each"
    play(position, "place green -> green 4")
    assert (on(position, "green 4"), pile(position, "deposit"), hand(position)) == ("G", "P3", "-")


def test_a_purple_tile_in_the_centre_leaves_no_room_for_another():
    position = table(hands=("G P3", "R8"), boards=({"centre": ".....P"},))
    assert len(legal(position)) == 12


def test_wild_tiles_alone_fill_no_space_of_another_colour():
    assert not any("green" in name for name in legal(table(hands=("P3", "R8"))))


def test_example_a():
    position = before({}, "blue 6", "B7")
    assert (position.scores[0], pile(position, "deposit"), hand(position)) == (6, "B5", "B")


def test_example_b():
    position = before({"red": "R....R"}, "red 3", "R3")
    assert (position.scores[0], pile(position, "deposit"), hand(position)) == (6, "R2", "-")


def test_example_c():
    position = before({"blue": "...BB."}, "blue 6", "B3 P3")
    assert (position.scores[0], pile(position, "deposit")) == (8, "P3 B2")
    assert owed(position) == 3, "the window is closed"
    assert position.states[0].stage == BONUS


def test_example_d():
    position = before({"orange": "..O.O."}, "orange 4", "O P3 G")
    assert (position.scores[0], pile(position, "deposit"), hand(position)) == (8, "P3", "G")
    assert owed(position) == 0
    play(position, "pass", "pass")
    assert hand(position) == "G"


def test_examples_e_and_f():
    position = before({"purple": "P.P..."}, "purple 2", "P2 R2 G4")
    assert (position.scores[0], pile(position, "deposit"), hand(position)) == (8, "P", "G4 R2")
    assert owed(position) == 0
    play(position, "pass", "discard red")  # the other player, then this one
    assert (position.scores[0], pile(position, "deposit"), hand(position)) == (6, "P R2", "G4")


def test_the_next_round():
    position = table(3, hands=("G4", "R", ""), active=1, token=1, first_player=0, draws=False)
    play(position, "pass", "pass")
    assert position.round_number == 1, "the factories are filled first"
    play(position, "...")
    state = position.states[0]
    assert (position.round_number, state.stage, position.player) == (2, TAKE, 1)
    assert (state.first_player, state.token, state.passed.tolist()) == (1, -1, [0, 0, 0])
    assert state.factories.sum(axis=1).tolist() == [4] * 7
    assert [hand(position, player) for player in range(3)] == ["G4", "R", "-"]
    assert state.wild_order[position.round_number - 1] == 1, "green"


# Structures -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("board", "space", "tiles", "points", "brings"),
    [
        ({"orange": "O...", "red": "..RR"}, "orange 2", "O2", 2, 2),
        ({"orange": ".O", "red": "..RR"}, "orange 1", "O", 2, 2),
        ({"orange": "OO", "red": "..R."}, "red 4", "R4", 2, 2),
        ({"purple": "PP", "orange": "...O"}, "orange 3", "O3", 2, 2),
        ({"orange": ".O", "centre": "P....G"}, "orange 3", "O3", 2, 1),
        ({"orange": ".OO", "centre": "P"}, "centre 6", "G6", 2, 1),
        ({"orange": "....O"}, "orange 6", "O6", 2, 3),
        ({"orange": ".....O"}, "orange 5", "O5", 2, 3),
        ({"orange": "O.O", "red": "..RR", "centre": "P....G"}, "orange 2", "O2", 3, 3),
        ({"orange": ".OO", "red": ".RR", "centre": ".P...G"}, "centre 1", "Y", 3, 2),
        ({"orange": "O", "red": "..RR"}, "orange 3", "O3", 1, 0),
        ({"red": "R....R"}, "red 5", "R5", 3, 3),
    ],
)
def test_a_structure_brings_tiles_when_its_last_space_is_filled(board, space, tiles, points, brings):
    stars = {star: marks.ljust(6, ".") for star, marks in board.items()}
    position = before(stars, space, tiles)
    assert position.scores[0] == 5 + points
    assert owed(position) == brings
    assert position.player == (0 if brings else 1)


def test_a_structure_brings_tiles_only_once():
    position = before({"orange": "....OO"}, "orange 4", "O4 R")
    assert (position.scores[0], owed(position), position.player) == (8, 0, 1)


@pytest.mark.parametrize(
    ("marks", "space", "points"),
    [
        ("P.P...", 2, 3),
        ("PPPPP.", 6, 6),
        (".PPPPP", 1, 6),
        ("......", 3, 1),
        ("P...P.", 6, 3),
        ("PP..P.", 6, 4),
        ("P..P..", 2, 2),
        ("P.PP.P", 2, 5),
        ("PP..PP", 3, 5),
    ],
)
def test_the_group_of_a_tile_goes_round_the_ring_up_to_gaps(marks, space, points):
    assert before({"purple": marks}, f"purple {space}", f"P{space}").scores[0] == 5 + points


def test_tiles_of_a_structure_may_be_used_in_a_later_turn():
    position = play(before({"blue": "....B."}, "blue 6", "B6"), "bonus purple", "bonus purple", "bonus green")
    play(position, "place red -> red 1", "place green -> green 3")
    assert (hand(position), on(position, "green 3")) == ("-", "G")


# The last round -------------------------------------------------------------------------------
def test_a_pass_with_five_tiles_at_0_points():
    position = play(table(hands=("R5", "R8"), scores=(0, 5)), "discard red")
    assert (position.scores[0], hand(position), pile(position, "deposit")) == (0, "R4", "R")


def test_a_pass_with_seven_tiles_in_the_last_round():
    position = play(table(hands=("R5 Y2", "R8"), round_number=6, scores=(9, 9)), "pass")
    assert (position.scores[0], hand(position), pile(position, "deposit")) == (2, "-", "Y2 R5")


def test_round_6_with_too_few_tiles_is_played():
    position = table(4, hands=("R",), bag="P6 G5 O5 Y5 B5 R5", round_number=5, scores=(9,) * 4)
    tiles = all_tiles(position.states[0]).tolist()
    play(position, "pass")
    assert [int(row.sum()) for row in position.states[0].factories] == [4] * 7 + [3, 0]
    assert not legal(position, "take factory 9")
    while not position.over:
        position.step(int(position.legal_actions()[0]))
    assert all_tiles(position.states[0]).tolist() == tiles


def test_the_last_player_goes_on_alone_with_tiles_of_a_window():
    position = table(3, hands=("B6", "G", "G"), boards=({"blue": "....B."},), passed=(1, 2))
    play(position, "place blue -> blue 6", "bonus orange", "bonus orange", "bonus blue")
    play(position, "place orange -> orange 1")
    assert position.player == 0
    assert hand(position) == "O B"


# The end --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("star", "points"),
    [("centre", 12), ("red", 14), ("blue", 15), ("yellow", 16), ("orange", 17), ("green", 18), ("purple", 20)],
)
def test_a_full_star_scores(star, points):
    assert end_scores(full_star(star, FULL_BOARD[star])) == (points, 0)
    for gap in range(6):
        letters = FULL_BOARD[star]
        assert end_scores({star: letters[:gap] + "." + letters[gap + 1 :]}) == (0, 0)


@pytest.mark.parametrize(("number", "points"), [(1, 4), (2, 8), (3, 12), (4, 16), (5, 0), (6, 0)])
def test_all_spaces_with_a_number_score(number, points):
    board = {
        star: "." * (number - 1) + letters[number - 1] + "." * (6 - number) for star, letters in FULL_BOARD.items()
    }
    assert end_scores(board) == (points, 0)
    for star in STARS:
        assert end_scores(board | {star: "......"}) == (0, 0)


def test_a_full_board_scores():
    assert end_scores(FULL_BOARD) == (int(STAR_POINTS.sum()) + 12 + int(NUMBER_POINTS.sum()), 0) == (152, 0)


def test_two_purple_stars_of_the_grey_side():
    assert end_scores({"orange": "PPPPPP", "blue": "PPPPPP"}, board="grey") == (40, 0)


def test_two_of_three_win():
    position = table(3, scores=(7, 7, 3), round_number=6)
    assert position.over
    assert (position.winners, position.winner) == ({0, 1}, -1)


def test_a_window_has_no_second_structure():
    assert [(STRUCTURES_AT[6 * star + place] >= 0).sum() for star in range(6) for place in (4, 5)] == [1] * 12
