"""Each ruling of ``RULINGS.md``, on a position in which the other decision would show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import naive_duel
import numpy as np
import pytest
from boards import (
    ALL_TILES,
    END_PHASE_1,
    LAST_TURN,
    NO_TILES,
    TILING,
    TURN,
    board,
    dome,
    legal,
    line,
    odds,
    play,
    points,
    same_view,
    shortage,
    tiling,
    until,
    view,
)

from azul_duel_env.game import NOBODY, Position
from azul_duel_env.games.duel import GAME, state
from azul_duel_env.games.duel.components import CHIPS, CONDITIONS, COPIES_OF_CHIP, DOME_TILES, LAYOUT_SPACES
from azul_duel_env.jit import COMPILED

FORCED_ONLY = "options: zero_point_draw=forced_only special_counts_as_colour=yes explicit_chance=yes scoring_tiles=3"
NO_COLOUR = "options: zero_point_draw=free special_counts_as_colour=no explicit_chance=yes scoring_tiles=3"
NO_CHIP = "small-1: sun -, moon -, chip -"
KEEP_OR_RETURN = ("choose dome tile Y*/KR", "choose dome tile BK/*T")
SIDES = (
    {"rows", "five_colours"},
    {"columns", "border"},
    {"diagonals", "corners"},
    {"wild_spaces", "empty_special_spaces"},
)


def destinations(*lines: int) -> set[str]:
    return {"broken"} | {f"line {n}" for n in lines}


def where(position: Position, action: str) -> set[str]:
    return {name.removeprefix(f"{action} -> ") for name in legal(position, f"{action} -> ")}


def drawn(*fronts: str) -> Position:
    """Let player 0 of ``TURN`` draw these dome tiles (special ones) and stop."""
    position = board(TURN)
    for _ in fronts:
        play(position, "A draw", "stack top special")
    return play(position, "stop drawing", *(f"dome tile {front}" for front in fronts))


def to_draw(chance: str, **options: object) -> Position:
    """Return a new game at the first draw of a kind."""
    return until(GAME.new(0, explicit_chance=True, **options), chance)


# Dome tiles and the stack ---------------------------------------------------------------------------------------------
def test_r1_on_0_points_draws_are_free_and_unlimited():
    position = board(TURN, "scores: 0 20")
    for _ in range(3):
        play(position, "A draw", "stack top wild")
        assert legal(position) == {"A draw", "stop drawing"}
        assert position.scores == (0, 20)


def test_r1_forced_only_on_0_points_needs_an_empty_display():
    assert not legal(board(TURN, FORCED_ONLY, "scores: 0 20"), "A draw")
    assert legal(board(TURN, FORCED_ONLY, "scores: 0 20", "display: - - -"), "A draw")
    assert legal(board(TURN, FORCED_ONLY, "scores: 1 20"), "A draw")


@pytest.mark.parametrize("points_left", [0, 1])
def test_r1_forced_only_ends_drawing_on_0_points(points_left):
    position = board(TURN, FORCED_ONLY, f"scores: {points_left} 20", "display: - - -")
    play(position, "A draw", "stack top wild")
    assert position.scores == (0, 20)
    assert set(odds(position)) > {"dome tile Y*/KR"}, "the front is looked at: drawing is over"


def test_r2_the_whole_stack_may_be_drawn():
    position = board(TURN)
    draws = 0
    while "A draw" in legal(position):
        play(position, "A draw", "...")
        draws += 1
    assert draws == 9
    assert position.scores == (11, 20)
    assert len(legal(position)) == len(legal(position, "choose")) == 9, "drawing has ended by itself"


def test_r3_backs_are_public_on_the_stack_and_in_the_hand():
    for player in (0, 1):
        special, wild = (board(TURN, f"stack: 9 unseen, {kind} on top") for kind in ("special", "wild"))
        assert view(special, player, "stack_top") == [[1, 0]]
        assert view(wild, player, "stack_top") == [[0, 1]]
        for position in (special, wild):
            play(position, "A draw", "stack top wild")
        assert not same_view(special, wild, player)


def test_r4_only_the_drawer_sees_the_fronts_put_back():
    first, second = drawn("TR/B*", "Y*/KR"), drawn("TR/B*", "BK/*T")
    for position in (first, second):
        play(position, "choose dome tile TR/B*", "place -> slot 3-1 turned 0")
    assert not same_view(first, second, 0)
    assert same_view(first, second, 1)


def test_r4_only_the_drawer_sees_the_fronts_in_his_hand():
    first, second = drawn("TR/B*", "Y*/KR"), drawn("TR/B*", "BK/*T")
    assert not same_view(first, second, 0)
    assert same_view(first, second, 1)


def test_r4_the_kept_dome_tile_is_public_once_placed():
    first, second = (play(drawn("Y*/KR", "BK/*T"), keep) for keep in KEEP_OR_RETURN)
    assert same_view(first, second, 1)
    for position in (first, second):
        play(position, "place -> slot 3-1 turned 0")
    assert not same_view(first, second, 1)


def kept_first_of_three(*fronts: str) -> Position:
    """Let player 0 of ``TURN`` draw three dome tiles, a special one first, and keep that."""
    names = {"*": "special", "W": "wild"}
    second, third = (names["*" if "*" in front else "W"] for front in fronts[1:])
    position = play(board(TURN), "A draw", f"stack top {second}", "A draw", f"stack top {third}", "A draw")
    play(position, "stack top special", "stop drawing", *(f"dome tile {front}" for front in fronts))
    return play(position, f"choose dome tile {fronts[0]}")


def test_r5_any_order_of_return_known_to_the_drawer_only():
    first = kept_first_of_three("TR/B*", "Y*/KR", "TK/RW")
    second = first.copy()
    assert legal(first) == {"choose dome tile Y*/KR", "choose dome tile TK/RW"}
    play(first, "choose dome tile Y*/KR", "place -> slot 3-1 turned 0")
    play(second, "choose dome tile TK/RW", "place -> slot 3-1 turned 0")
    assert line(first, "put back") == "by 0: Y*/KR TK/RW"
    assert line(second, "put back") == "by 0: TK/RW Y*/KR"
    assert not same_view(first, second, 0)
    assert same_view(first, second, 1)


def test_r5_the_kinds_put_back_are_public():
    mixed, special = (kept_first_of_three("TR/B*", "Y*/KR", third) for third in ("TK/RW", "BK/*T"))
    for position in (mixed, special):
        play(position, "choose dome tile Y*/KR", "place -> slot 3-1 turned 0")
    assert view(mixed, 1, "other_put_back") == view(special, 1, "other_put_back")
    assert view(mixed, 1, "other_wild_share") != view(special, 1, "other_wild_share")


def test_r5_a_back_shows_again_on_top_of_the_stack():
    others = "TR/B* BK/*T *T/YB *Y/BR RT/YW TB/WY RW/BK"
    seen = f"looked at: {others} Y*/KR TK/RW | -"
    special = board(TURN, f"put back: by 0: Y*/KR TK/RW {others}", seen)
    wild = board(TURN, f"put back: by 0: TK/RW Y*/KR {others}", seen)
    assert view(special, 1, "stack_top") == [[1, 0]]
    assert view(wild, 1, "stack_top") == [[0, 1]]


def test_r5_new_returns_go_under_older_ones():
    position = board(TURN, "put back: by 1: TK/RW", "looked at: - | TK/RW")
    play(position, "A draw", "stack top special", "A draw", "stack top special", "stop drawing", "dome tile Y*/KR")
    play(position, "dome tile BK/*T", "choose dome tile BK/*T")
    assert line(position, "put back") == "by 1: TK/RW by 0: Y*/KR"


def test_r6_one_of_the_drawn_dome_tiles_must_be_kept():
    assert legal(drawn("Y*/KR", "BK/*T")) == set(KEEP_OR_RETURN)


def test_r6_a_single_drawn_dome_tile_must_be_placed():
    position = drawn("Y*/KR")
    assert legal(position) == legal(position, "place -> ")
    assert len(legal(position)) == 6 * 4


@pytest.mark.parametrize("zero_point_draw", ["free", "forced_only"])
def test_r7_a_token_always_finds_a_dome_tile(zero_point_draw):
    turns_on_0_without_display = 0
    for position in turns_with_token(zero_point_draw, games=12 if COMPILED else 2):
        s = position.states[0]
        dome_tiles = np.count_nonzero(s.display >= 0) + s.stack_unseen + np.count_nonzero(s.put_back >= 0)
        assert dome_tiles == s.tokens.sum() + 4 * (4 - s.round_number)
        assert legal(position, "A ")
        turns_on_0_without_display += s.scores[position.player] == 0 and (s.display < 0).all()
    assert turns_on_0_without_display > 0, "the case that another decision would block must occur"


def turns_with_token(zero_point_draw: str, games: int) -> Iterator[Position]:
    """Yield the turns, in random games that like dome tiles from the display, of players who have a token."""
    rng = np.random.default_rng(7)
    for seed in range(games):
        position = GAME.new(seed, zero_point_draw=zero_point_draw)
        while not position.over:
            s = position.states[0]
            if s.stage == state.TURN and s.tokens[position.player] > 0:
                yield position
            actions = position.legal_actions()
            display = [a for a in actions if GAME.text.action_name(a).startswith("A display")]
            position.step(rng.choice(display if display and rng.random() < 0.5 else actions))


def test_r8_each_draw_is_paid_before_the_next_decision():
    position = board(TURN)
    for left in (19, 18):
        play(position, "A draw", "stack top wild")
        assert position.scores == (left, 20)
        assert legal(position) == {"A draw", "stop drawing"}


# Factories ------------------------------------------------------------------------------------------------------------
FULL_DISPLAY = "display: *K/RB YB/K* *T/YB"


def test_r9_five_equal_tiles_stay_if_the_bag_has_no_other_colour():
    position = tiling("bag: B6", "tower: B7 T13 R13 Y13 K13", FULL_DISPLAY)
    assert line(position, "large") == "sun BBBBB, moon -"
    assert line(position, "small-1").startswith("sun B,")


def test_r9_five_equal_tiles_stay_if_they_empty_the_bag():
    position = tiling("bag: B5", "tower: B8 T13 R13 Y13 K13", FULL_DISPLAY)
    assert line(position, "large") == "sun BBBBB, moon -"


def test_r9_five_equal_tiles_never_come_if_the_bag_has_another_colour():
    position = tiling("bag: B5 T1", "tower: B8 T12 R13 Y13 K13", FULL_DISPLAY)
    assert odds(position) == {"tile blue": 4 / 5, "tile turquoise": 1 / 5}, (
        "one turquoise and four of the five blue ones"
    )
    play(position, *["tile blue"] * 4)
    assert line(position, "large") == "sun BBBBT, moon -"


def test_r9_five_equal_tiles_go_back_if_the_tower_came_in_midway():
    position = tiling("bag: B4", "tower: B9 T13 R13 Y13 K13", FULL_DISPLAY)
    assert odds(position)["tile blue"] == 9 / 61
    play(position, "tile blue")
    assert line(position, "large") == "sun -, moon -"
    assert line(position, "bag") == "B13 T13 R13 Y13 K13"


THREE_BLUE = "row 4: ...B  Rr Tw  Tw Kk  -- --"
FOUR_BLUE = "row 4: ....  Rr Tw  Tw Kk  -- --"
THREE_YELLOW = "row 3: ...  Kk Yy  Tt Yy  -- --"


def test_r10_fewer_than_five_equal_tiles_stay():
    assert line(shortage(FOUR_BLUE), "large") == "sun BBBB, moon -"


def test_r11_nobody_gets_the_first_player_tile_with_tiles_of_the_large_sun():
    position = play(shortage(THREE_BLUE), "...", "B large blue -> line 6")
    assert line(position, "large") == "sun -, moon -"
    assert line(position, "first-player tile") == "large"


@pytest.mark.parametrize("first", [0, 1])
def test_r11_the_same_player_starts_again_and_nobody_pays(first):
    position = play(board(TILING, f"first player: {first}"), END_PHASE_1, "...")
    assert position.scores == (20, 20)
    assert (position.player, line(position, "first player")) == (first, str(first))


def test_r12_the_large_factory_is_filled_first_then_the_small_ones_in_order():
    position = play(shortage(FOUR_BLUE, THREE_YELLOW), *["tile blue"] * 4)
    assert line(position, "large") == "sun BBBBY, moon -"
    assert line(position, "small-1").startswith("sun YY, moon -")
    assert all(line(position, f"small-{n}").startswith("sun -, moon -") for n in (2, 3, 4))


def test_r13_only_a_factory_without_any_tile_reveals_its_chip_at_once():
    position = play(shortage(FOUR_BLUE, THREE_YELLOW), *["tile blue"] * 4, "chip T", "chip R", "chip K")
    assert [line(position, f"small-{n}").split("chip ")[1] for n in (1, 2, 3, 4)] == ["down", "T", "R", "K"]
    play(position, "B small-1 yellow -> line 6", "chip Y")
    assert line(position, "small-1") == "sun -, moon -, chip Y"


# Taking and placing tiles ---------------------------------------------------------------------------------------------
def test_r14_no_part_of_a_take_is_broken_by_choice():
    position = board(TURN)
    assert where(position, "B large blue") == destinations(1, 2, 3, 4, 5, 6)
    assert where(position, "B small-1 blue") == destinations(1, 2, 3, 4, 5, 6)
    play(position, "B small-1 blue -> line 6")
    assert line(position, "row 6", 0).startswith("....BB")
    assert legal(position) == {"stack turquoise", "stack red"}, "what follows is not about the tiles taken"
    assert line(position, "broken") == "- | -"


def test_r15_full_lines_and_lines_of_another_colour_are_no_destinations():
    position = board(TURN, "row 1: B  .y .k  .w .b  .k .*", "row 2: .T  .t .*  .t .k  .t .r")
    assert where(position, "B small-1 blue") == destinations(3, 4, 5, 6)
    assert where(position, "B small-1 turquoise") == destinations(2, 3, 4, 5, 6)


def test_r16_the_large_moon_cannot_be_left_out():
    position = board(TURN, "large: sun -, moon RY")
    assert len(legal(position, "C yellow")) == 7
    play(position, "C yellow -> line 6")
    assert line(position, "row 6", 0).startswith("....YY")
    assert line(position, "large") == "sun -, moon R"
    assert line(position, "first-player tile") == "0"


def test_r17_all_emptied_factories_reveal_their_chips_without_a_decision():
    position = board(TURN, "small-1: sun -, moon Y, chip down", "small-2: sun -, moon Y, chip down")
    play(position, "C yellow -> line 6", "chip B")
    assert odds(position)["chip T"] == 2 / 19
    play(position, "chip T")
    assert position.player == 1
    assert legal(position, "D") == {"D small-1", "D small-2"}


def test_r18_no_third_chip_even_if_the_other_player_took_none():
    chips = ("small-1: sun -, moon -, chip B", "small-2: sun -, moon -, chip T", "chips taken: 2 0")
    taken_from = ("small-3: sun -, moon -, chip -", "small-4: sun -, moon -, chip -")
    assert not legal(board(TURN, *chips, *taken_from), "D")
    position = board(TILING, *chips)
    for last in ("D small-1", "D small-2"):
        assert position.player == 1
        assert legal(position, last)
        play(position, last)
    assert line(position, "round") == "3"


WITHOUT_SLOT_3_3 = ("row 5 of player 1: .....  -- --  .t .b  -- --", "row 6 of player 1: ......  -- --  .w .y  -- --")
"""Of player 1 in ``TILING``: a token is not used yet."""


@pytest.mark.parametrize(
    ("action", "lines"),
    [
        ("D small-1", ()),
        ("B large blue -> line 6", (NO_CHIP, "large: sun BB, moon -", "chips taken: 2 2")),
        ("C black -> line 6", (NO_CHIP, "large: sun -, moon K", "chips taken: 2 2")),
        (
            "A display 1 -> slot 3-3 turned 0",
            (NO_CHIP, "display: *K/RB - -", "tokens: 0 1", "chips taken: 2 2", *WITHOUT_SLOT_3_3),
        ),
    ],
)
def test_r19_phase_1_ends_after_whatever_action_was_the_last(action, lines):
    position = board(TILING, *lines)
    assert line(position, "round") == "2"
    assert line(play(position, action), "round") == "3"


def test_r19_a_round_may_begin_without_any_tile():
    position = play(shortage(), "...")
    assert position.player == 0
    assert legal(position, "A")
    assert legal(position, "D") == {f"D small-{n}" for n in (1, 2, 3, 4)}
    assert legal(position) == legal(position, "A") | legal(position, "D")


# Phase 2 --------------------------------------------------------------------------------------------------------------
def test_r20_the_first_player_does_all_of_phase_2_before_the_other():
    position = tiling(
        "first player: 1",
        "row 1: K  .y .k  .w .b  .k .*",
        "row 3 of player 1: YYY  .k .y  .y .r  -- --",
        "broken: B1 | T2",
    )
    assert position.player == 1
    play(position, "column 3")
    assert position.player == 0
    assert position.scores == (20, 20 + 1 - 3), "the penalties are taken too"
    assert line(position, "broken") == "B1 | -"


def test_r21_a_placement_cannot_be_declined():
    position = tiling("row 1: B  .y .k  .w .b  .k .*")
    assert legal(position) == {"column 3", "column 4"}
    position = tiling("row 2: KK  .t .*  .t .k  .t .r")
    assert line(position, "row 2", 0) == ".. .t .* .t Kk .t .r", "with one space there is nothing to decide"


def test_r22_free_choice_between_coloured_and_wild_spaces():
    assert legal(tiling("row 1: K  .y .k  .w .b  .k .*")) == {"column 2", "column 3", "column 5"}


def test_r23_an_unplaceable_line_breaks_when_it_is_examined():
    position = tiling("row 1: B  .y .k  .w .b  .k .*", "row 2: .B  .t .*  .t .k  .t .r")
    assert line(position, "row 2", 0).startswith(".B")
    assert line(position, "broken", 0) == "-"
    play(position, "column 4")
    assert line(position, "row 2", 0).startswith("..")
    assert position.scores == (20 + 1 - 1, 20)


def test_r24_an_incomplete_line_without_a_space_breaks():
    position = tiling("row 2: .B  .t .*  .t .k  .t .r")
    assert line(position, "row 2", 0).startswith("..")
    assert line(position, "tower") == "B1"
    assert position.scores == (19, 20)


def test_r24_what_finds_no_room_goes_to_the_tower():
    position = play(board(LAST_TURN, *dome(0, NO_TILES, "6:.KKKKK")), END_PHASE_1)
    assert position.scores == (20 - 10, 20)
    assert line(position, "tower") == "K5"


def test_r24_it_waits_while_the_row_lacks_a_dome_tile():
    position = tiling("row 4: ...R  .y Bw  .b .k  -- --")
    assert line(position, "row 4", 0).startswith("...R")
    assert position.scores == (20, 20)


def test_r25_a_free_special_space_is_no_room():
    rows = dome(0, "...... X.XXXX ...... ...... ...... ......", "2:.T")
    position = play(board(LAST_TURN, *rows), END_PHASE_1)
    assert line(position, "row 2", 0) == ".. Tt .* Tt Rr Rr Bb"
    assert position.scores == (19, 20)


@pytest.mark.parametrize("colour", "BTRYK")
def test_r25_a_free_wild_space_is_room_for_every_colour(colour):
    position = tiling(f"row 1: {colour}  Yy Kk  .w Bb  Kk .*")
    assert f"{colour}w" in line(position, "row 1", 0)


@pytest.mark.parametrize("row", ["row 2: .B  .t .*  .t .k  .t .r", "row 3: .BB  .r .t  .r Kw  -- --"])
def test_r26_chips_do_not_complete_a_line_without_a_space(row):
    position = tiling(row, "chips up: BR BR BK BK | -")
    assert line(position, "stage").startswith("refill display"), "phase 2 is over: no decision"
    assert line(position, "chips up", 0) == "BR BR BK BK"


def test_r27_chips_pay_for_all_missing_tiles_or_none():
    row = "row 4: ..KK  .y .w  .b .k  -- --"
    position = tiling(row, "chips up: K K | -")
    assert line(position, "stage").startswith("refill display"), "two chips pay for one of two tiles: no decision"
    position = tiling(row, "chips up: K K BK BK | -")
    assert legal(position) == {"spend chip K", "spend chip BK", "leave line unfinished"}
    play(position, "spend chip K")
    assert legal(position) == {"spend chip K", "spend chip BK"}


LINES_2_AND_3 = ("row 2: .K  .t .*  .t .k  .t .r", "row 3: .TT  .r .t  .r .w  -- --", "chips up: K BK T RT | -")


def test_r28_a_declined_line_does_not_come_up_again():
    position = play(tiling(*LINES_2_AND_3), "leave line unfinished")
    assert line(position, "line") == "3"
    play(position, "spend chip T", "spend chip RT", "column 2")
    assert line(position, "stage").startswith("refill display")
    assert line(position, "row 2", 0).startswith(".K")
    assert line(position, "chips up", 0) == "K BK"


def test_r28_nor_does_any_of_two_declined_lines():
    position = play(tiling(*LINES_2_AND_3), "leave line unfinished", "leave line unfinished")
    assert line(position, "stage").startswith("refill display")


def test_r28_a_line_completed_by_chips_is_placed_before_the_next_comes_up():
    position = play(tiling(*LINES_2_AND_3), "spend chip K", "spend chip BK")
    assert line(position, "line") == "3"
    assert line(position, "row 2", 0) == ".. .t .* .t Kk .t .r"
    assert position.scores == (21, 20)


ROUND_3 = (
    "round: 3",
    *("row 5: .....  .* .k  .y .b  -- --", "row 6: ......  .r .b  .k .*  -- --"),
    *("row 1 of player 1: .  .t .r  .t .r  .y .*", "row 2 of player 1: ..  .b .*  .b .w  .k .r"),
)
"""``TILING`` a round later, with two more dome tiles each: more than four bonus chips have been taken."""


def test_r29_each_missing_tile_may_be_paid_in_its_own_way():
    position = tiling(*ROUND_3, "row 4: ..KK  .y .w  .b .k  -- --", "chips up: K BK T R Y | -")
    play(position, "spend chip K", "spend chip BK", "spend chip T", "spend chip R")
    assert legal(position) == {"column 2", "column 4"}
    assert line(position, "chips down", 0) == "T R Y K BK"


def test_r30_no_payment_contains_a_cheaper_one():
    position = tiling(*ROUND_3, "row 2: .K  .t .*  .t .k  .t .r", "chips up: K BK T R Y | -")
    play(position, "spend chip K")
    assert legal(position) == {f"spend chip {chip}" for chip in ("BK", "T", "R", "Y")}
    play(position, "spend chip T")
    assert legal(position) == {"spend chip R", "spend chip Y"}, "K, T and BK would contain the pair K, BK"


def test_r30_the_order_of_a_payment_is_free_and_a_pair_may_be_kept():
    position = tiling(*ROUND_3, "row 2: .K  .t .*  .t .k  .t .r", "chips up: K BK T R Y | -")
    play(position, "spend chip T")
    assert legal(position) == {f"spend chip {chip}" for chip in ("K", "BK", "R", "Y")}
    play(position, "spend chip R", "spend chip Y")
    assert line(position, "chips up", 0) == "K BK"
    assert line(position, "row 2", 0) == ".. .t .* .t Kk .t .r"


@pytest.mark.parametrize(
    ("row", "chips", "offered"),
    [
        ("row 2: .K  .t .*  .t .k  .t .r", "K", False),
        ("row 2: .K  .t .*  .t .k  .t .r", "BK", False),
        ("row 2: .K  .t .*  .t .k  .t .r", "BK KY", True),
        ("row 2: .T  .t .*  .t .k  .t .r", "RT TY", True),
        ("row 3: ..R  .r .t  .r .w  -- --", "RT BR", False),
        ("row 3: ..R  .r .t  .r .w  -- --", "RT BR R", False),
    ],
)
def test_r31_a_chip_counts_once_and_for_one_missing_tile(row, chips, offered):
    assert bool(legal(tiling(row, f"chips up: {chips} | -"), "spend")) == offered


def test_r32_a_chip_may_be_used_in_the_round_in_which_it_was_taken():
    position = board(
        TILING,
        "active: 0",
        "small-1: sun -, moon -, chip K",
        "chips taken: 1 2",
        "chips up: BK | -",
        "row 2: .K  .t .*  .t .k  .t .r",
    )
    play(position, END_PHASE_1)
    assert legal(position) == {"spend chip K", "spend chip BK", "leave line unfinished"}


def test_r33_only_physical_tiles_go_to_the_tower():
    position = tiling("row 4: ..KK  .y .w  .b .k  -- --", "chips up: K K BK BK | -")
    play(position, "spend chip K", "spend chip K", "column 4")
    assert line(position, "tower") == "K1"
    assert line(position, "row 4", 0) == ".... .y .w .b Kk -- --"
    assert line(position, "bag") == "B13 T13 R13 Y13 K11"


# Special tiles --------------------------------------------------------------------------------------------------------
def test_r34_a_special_tile_scores_its_row_only_but_is_part_of_later_runs():
    position = tiling(
        "row 1: Y  .y Kk  .w .b  .k .*",
        "row 2: TT  Tt .*  .t .k  .t .r",
        "row 3: ...  .r Tt  .r .w  -- --",
    )
    play(position, "column 1")
    assert line(position, "row 2", 0) == "TT Tt ** .t .k .t .r"
    assert position.scores == (20 + (2 + 2) + 2, 20)
    play(position, "column 3")
    assert position.scores == (26 + 3, 20), "the special tile lies in the middle of this run of three"


def test_r35_a_special_tile_scores_the_number_of_its_own_row():
    position = play(tiling("row 1: Y  .y Kk  .w .b  .k .*", "row 2: ..  Tt .*  .t .k  .t .r"), "column 1")
    assert position.scores == (20 + 4 + 2, 20), "from line 1 into row 2"
    position = tiling("row 1: .  .y .k  .w .b  Kk .*", "row 2: RR  .t .*  .t .k  Tt .r")
    assert line(position, "row 1", 0) == ". .y .k .w .b Kk **"
    assert position.scores == (20 + 2 + 1, 20), "from line 2 into row 1"


# Scoring tiles --------------------------------------------------------------------------------------------------------
FOUR_COLOURS_AND_SPECIAL = dome(0, "...... ...... ...... ...... XXXX.X ..XX..")
THREE_COLOURS_AND_TWO_SPECIAL = dome(0, "...... ...... ...... ...... .XXXXX ..XXXX")


def test_r36_a_special_tile_is_a_further_colour():
    assert points("five_colours", *FOUR_COLOURS_AND_SPECIAL) == 4


def test_r36_a_second_special_tile_adds_nothing():
    assert points("five_colours", *THREE_COLOURS_AND_TWO_SPECIAL) == 0


def test_r36_with_false_a_special_tile_never_counts():
    assert points("five_colours", *FOUR_COLOURS_AND_SPECIAL, NO_COLOUR) == 0
    five = dome(1, "...... XXXX.X ...... ...... ...... ......")
    assert points("five_colours", *five, NO_COLOUR, player=1) == 4, "five colours count all the same"


@pytest.mark.parametrize(("tile", "expected"), [("T", 4), ("B", 0), ("Y", 0)])
def test_r37_a_tile_on_a_wild_space_has_its_own_colour(tile, expected):
    row = f"row 2 of player 1: ..  Yy Kk  {tile}w Bb  .w Rr"
    assert points("five_colours", row, player=1) == expected


SIX_SPECIAL_TILES = dome(0, "XXXXXX XXXXXX XXXXXX XXXXXX ...... ......")


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        ("rows columns empty_special_spaces", 1 + 12 - 9),
        ("columns diagonals empty_special_spaces", 0),
        ("border diagonals empty_special_spaces", 1 + 12 - 9),
    ],
)
def test_r38_scoring_tiles_are_summed_before_the_floor_of_0(scoring, expected):
    position = board(LAST_TURN, *SIX_SPECIAL_TILES, "scores: 1 20", f"scoring: {scoring}")
    assert play(position, END_PHASE_1).scores[0] == expected


@pytest.mark.parametrize("number", [3, 4])
def test_r39_three_or_four_scoring_tiles_each_with_one_side(number):
    for name in odds(to_draw("scoring tiles", scoring_tiles=number)):
        conditions = set(name.removeprefix("scoring tiles ").split())
        assert len(conditions) == number
        assert all(len(sides & conditions) <= 1 for sides in SIDES)


def test_r39_three_is_the_default():
    assert odds(to_draw("scoring tiles")) == odds(to_draw("scoring tiles", scoring_tiles=3))


@pytest.mark.parametrize("wrong", [2, 5, ("rows", "columns"), ("rows", "five_colours", "columns")])
def test_r39_other_numbers_and_two_sides_of_one_tile_are_refused(wrong):
    with pytest.raises(ValueError, match="scoring_tiles"):
        GAME.new(0, scoring_tiles=wrong)


@pytest.mark.parametrize(("number", "sets"), [(3, 32), (4, 16)])
def test_r40_all_sets_of_scoring_tiles_are_equally_likely(number, sets):
    probabilities = odds(to_draw("scoring tiles", scoring_tiles=number))
    assert list(probabilities.values()) == [1 / sets] * sets


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("corners", "rows", "border"), "rows border corners"),
        ("first_game", "rows columns diagonals"),
    ],
)
def test_r40_named_scoring_tiles_are_fixed(given, expected):
    assert {line(GAME.new(seed, scoring_tiles=given), "scoring") for seed in range(5)} == {expected}


def test_r41_a_tie_is_a_draw_if_nobody_holds_the_first_player_tile():
    position = play(board(LAST_TURN), END_PHASE_1)
    assert position.scores == (20, 20)
    assert position.winner == NOBODY


@pytest.mark.parametrize("holder", [0, 1])
def test_r41_else_its_holder_wins_a_tie(holder):
    scores = [20, 20]
    scores[holder] += 2
    position = board(LAST_TURN, f"scores: {scores[0]} {scores[1]}", f"first-player tile: {holder}")
    assert play(position, END_PHASE_1).scores == (20, 20)
    assert position.winner == holder


def test_r42_the_first_player_tile_costs_points_in_round_5_too():
    assert play(board(LAST_TURN, "first-player tile: 0"), END_PHASE_1).scores == (18, 20)


@pytest.mark.parametrize(("before", "after"), [(10, 2), (8, 0), (7, 0), (1, 0)])
def test_r43_penalties_are_one_sum_with_the_floor_of_0(before, after):
    position = tiling("broken: B3 | -", "first-player tile: 0", f"scores: {before} 20")
    assert position.scores == (after, 20)


def test_r44_tiles_on_lines_and_chips_mean_nothing_at_the_end():
    rows = [*dome(0, NO_TILES, "4:..BB 5:....B"), *dome(1, NO_TILES, "6:.....R")]
    position = play(board(LAST_TURN, *rows, "chips up: T | KY K", "chips down: R | -"), END_PHASE_1)
    assert position.over
    assert [line(position, "row 4", 0)[:4], line(position, "row 6", 1)[:6]] == ["..BB", ".....R"]
    assert position.scores == (20, 20)


def test_r45_no_points_for_wild_spaces_if_there_are_none():
    assert points("wild_spaces", *dome(0, ALL_TILES)) == 0


@pytest.mark.parametrize(("picture", "expected"), [(".X.... XX....", 0), ("XX.... X.....", 0), ("XX.... XX....", 3)])
def test_r46_a_corner_needs_all_four_spaces(picture, expected):
    assert points("corners", *dome(1, f"{picture} ...... ...... ...... ......"), player=1) == expected


def test_r46_the_special_tile_comes_in_time_for_its_corner():
    rows = dome(0, "...... ...... ...... ...... XX.... ......", "6:TTTTTT")
    assert points("corners", *rows) == 8


@pytest.mark.parametrize(("condition", "expected"), [("rows", 18), ("columns", 42), ("diagonals", 20), ("border", 20)])
def test_r47_special_tiles_count_like_all_others(condition, expected):
    assert points(condition, *dome(0, ALL_TILES)) == expected


# The opening, and what players know -----------------------------------------------------------------------------------
def test_r48_the_first_player_may_take_what_came_to_the_display():
    position = play(GAME.new(0, first_player=0, explicit_chance=True), "...")
    assert position.player == 1
    until(play(position, "A display 2 -> slot 1-1 turned 0"), "dome tile")
    new = next(iter(odds(position)))
    play(position, new, "...")
    assert position.player == 0
    assert line(position, "display").split()[1] == new.removeprefix("dome tile ")
    assert len(legal(position, "A display 2")) == 36


@pytest.mark.parametrize(
    "public",
    [
        "tower: B2",
        "broken: B1 | -",
        "broken: - | B1",
        "chips up: - | K",
        "chips down: K | -",
        "scores: 19 20",
        "row 4: ...K  -- --  -- --  -- --",
        "small-4: sun -, moon KYR, chip down",
        "small-4: sun -, moon -, chip T",
        "display: YB/K* *K/RB YR/WB",
        "first-player tile: 1",
    ],
)
def test_r49_what_lies_open_is_public_and_bag_and_tower_too(public):
    for player in (0, 1):
        assert not same_view(board(TURN), board(TURN, public), player)


@pytest.mark.parametrize("explicit", ["yes", "no"])
def test_r49_what_will_be_drawn_is_hidden(explicit):
    options = FORCED_ONLY.replace("explicit_chance=yes", f"explicit_chance={explicit}")
    words = [f"random: {word:016x}" for word in range(1, 60)]
    positions = [board(TURN, options, word) for word in words]
    for player in (0, 1):
        assert all(same_view(positions[0], other, player) for other in positions[1:])
    if explicit == "no":
        chips = {line(play(position, "B small-3 red -> line 4"), "small-3") for position in positions}
        assert len(chips) == 10, "yet the chip under the tiles differs"


# Refills and rounds ---------------------------------------------------------------------------------------------------
def test_r50_the_tower_is_emptied_when_a_tile_is_needed_and_the_bag_is_empty():
    position = tiling("bag: B2 T1", "tower: B11 T12 R13 Y13 K13", FULL_DISPLAY)
    assert odds(position) == {"tile blue": 2 / 3, "tile turquoise": 1 / 3}
    play(position, "tile blue", "tile blue")
    assert line(position, "large") == "sun BBT, moon -"
    assert line(position, "bag") == "B11 T12 R13 Y13 K13"
    assert line(position, "tower") == "-"


def test_r50_a_bag_emptied_by_the_last_tile_stays_empty():
    position = play(tiling("bag: B7 T7 R7", "tower: B6 T6 R6 Y13 K13", FULL_DISPLAY), "...")
    assert position.player == 0
    assert line(position, "bag") == "-"
    assert line(position, "tower") == "B6 T6 R6 Y13 K13"


WAITING = "row 3: RRR  Rr .t  Rr Kw  -- --"


def test_r51_a_complete_line_waits_for_a_dome_tile_and_takes_no_tiles():
    position = tiling(WAITING, FULL_DISPLAY)
    assert line(position, "row 3", 0).startswith("RRR")
    assert position.scores == (20, 20)
    until(position, "tile")
    while position.chance_is_due:
        position.draw_chance()
    assert legal(position, "B")
    assert not [name for name in legal(position) if name.endswith("-> line 3")]


@pytest.mark.parametrize(
    ("placed", "row", "points_won"),
    [
        ("A display 1 -> slot 2-3 turned 90", "... Rr .t Rr Kw Rr .*", 3),
        ("A display 2 -> slot 2-3 turned 0", "... Rr .t Rr Kw .y .b", -6),
        ("A display 1 -> slot 3-3 turned 0", "RRR Rr .t Rr Kw -- --", 0),
    ],
)
def test_r51_it_is_examined_anew_in_each_phase_2(placed, row, points_won):
    without_slot_1_3 = ("row 1: .  .y .k  .w .b  -- --", "row 2: ..  .t .*  .t .k  -- --")
    token_left = ("active: 0", "chips taken: 2 2", "tokens: 1 0", "display: *K/RB YB/K* -")
    position = board(TILING, WAITING, NO_CHIP, *without_slot_1_3, *token_left)
    play(position, placed)
    assert line(position, "row 3", 0) == row
    assert position.scores == (20 + points_won, 20)


def test_r52_a_dome_tile_may_be_placed_on_any_empty_slot_and_turned():
    slots = ("2-1", "2-2", "2-3", "3-1", "3-2", "3-3")
    assert legal(board(TURN), "A display 1") == {
        f"A display 1 -> slot {slot} turned {turn}" for slot in slots for turn in (0, 90, 180, 270)
    }


def test_r53_the_opening_offers_the_display_only():
    position = GAME.new(0)
    for _ in range(2):
        assert line(position, "stage") == "opening"
        assert legal(position) == legal(position, "A display")
        position.step(position.legal_actions()[0])
    assert line(position, "stage") == "turn"


def test_r54_a_random_player_starts_unless_one_is_fixed():
    assert odds(to_draw("first player")) == {"first player player 0": 0.5, "first player player 1": 0.5}
    for first in (0, 1):
        position = GAME.new(0, first_player=first, explicit_chance=True)
        while position.chance_is_due:
            assert state.CHANCES[position.states[0].chance] != "first player"
            position.draw_chance()
        assert line(position, "first player") == str(first)


@pytest.mark.parametrize("first", [0, 1])
def test_r54_starting_round_1_gives_no_first_player_tile(first):
    position = GAME.new(0, first_player=first)
    for _ in range(2):
        position.step(position.legal_actions()[0])
    assert position.player == first
    assert position.scores == (5, 5)
    assert line(position, "first-player tile") == "large"


# Values that the texts only imply ----------------------------------------------------------------------------------------
def test_r55_each_broken_tile_costs_a_point_more_than_the_one_before():
    scores = [tiling(f"broken: - | R{count}" if count else "broken: - | -").scores[1] for count in range(5)]
    assert [before - after for before, after in pairwise(scores)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("row", "filled", "colour", "column"),
    [
        (1, {(2, 3), (2, 4)}, "K", "column 3"),
        (2, {(1, 1), (1, 2)}, "T", "column 1"),
        (3, {(4, 5), (4, 6)}, "Y", "column 5"),
        (4, {(3, 1), (3, 2)}, "K", "column 1"),
        (5, {(6, 3), (6, 4)}, "T", None),
        (6, {(5, 1), (5, 2)}, "T", None),
    ],
)
def test_r56_a_special_tile_scores_the_number_of_its_row_in_all_rows(row, filled, colour, column):
    picture = " ".join("".join("X" if (r, c) in filled else "." for c in range(1, 7)) for r in range(1, 7))
    position = play(board(LAST_TURN, *dome(0, picture, f"{row}:{colour * row}")), END_PHASE_1, *filter(None, [column]))
    assert line(position, f"row {row}", 0).count("**") == 1
    assert position.scores[0] - 20 == 2 + row, "a run of two, and the special tile"


@pytest.mark.parametrize(
    ("corner", "expected"), [("top left", 3), ("top right", 3), ("bottom left", 8), ("bottom right", 8)]
)
def test_r57_corners_at_the_top_give_3_points_and_those_at_the_bottom_8(corner, expected):
    full = "XX...." if "left" in corner else "....XX"
    rows = [full, full, *["......"] * 4] if "top" in corner else [*["......"] * 4, full, full]
    assert points("corners", *dome(1, " ".join(rows)), player=1) == expected


def test_r58_these_pairs_of_conditions_share_a_scoring_tile():
    sets = [set(name.split()[2:]) for name in odds(to_draw("scoring tiles", scoring_tiles=3))]
    never_together = [pair for pair in combinations(CONDITIONS, 2) if not any(set(pair) <= each for each in sets)]
    assert {frozenset(pair) for pair in never_together} == {frozenset(sides) for sides in SIDES}


def colours_clockwise(layout: str) -> str:
    """Return the three colours of a dome tile as they follow, clockwise, upon its special or wild space."""
    top_left, top_right, bottom_left, bottom_right = layout
    circle = top_left + top_right + bottom_right + bottom_left
    at = next(i for i, space in enumerate(circle) if space in "*W")
    return circle[at + 1 :] + circle[:at]


def is_regular(layouts: Sequence[str]) -> bool:
    """Return whether dome tiles have the structure that ruling R59 describes."""
    kinds = [{colours_clockwise(layout) for layout in layouts if kind in layout} for kind in "*W"]
    sets = [{frozenset(triple) for triple in kind} for kind in kinds]
    orders = kinds[0] | kinds[1]
    return (
        all(len(kind) == len(in_kind) == 9 for kind, in_kind in zip(kinds, sets, strict=True))
        and all(len(triple) == 3 for triple in sets[0] | sets[1])
        and (sets[1] - sets[0], sets[0] - sets[1]) == ({frozenset("RTY")}, {frozenset("BKY")})
        and len(orders) == 10
        and all(set(Counter(order[i] for order in orders).values()) == {2} for i in range(3))
    )


def test_r59_the_faces_of_the_dome_tiles_are_regular_and_those_of_the_second_copy():
    assert is_regular(DOME_TILES)
    assert list(DOME_TILES) == naive_duel.PLATES


def test_r59_a_single_wrong_space_would_show():
    for tile, layout in enumerate(DOME_TILES):
        for space, right in enumerate(layout):
            for wrong in set("BTRYK*W") - {right}:
                typed = layout[:space] + wrong + layout[space + 1 :]
                if sum(typed.count(odd) for odd in "*W") == 1:
                    assert not is_regular([*DOME_TILES[:tile], typed, *DOME_TILES[tile + 1 :]]), (tile, typed)


def test_r59_the_four_orientations_of_each_dome_tile_differ():
    assert all(len({tuple(turned) for turned in turns}) == 4 for turns in LAYOUT_SPACES.reshape(18, 4, 4).tolist())


def test_r60_the_faces_of_the_bonus_chips_are_regular_and_those_of_the_second_copy():
    assert set(CHIPS) == {*"BTRYK", "TY", "BR", "RT", "BK", "KY"}
    assert list(CHIPS) == naive_duel.CHIPS
    assert COPIES_OF_CHIP * len(CHIPS) == 20
    assert Counter("".join(CHIPS)) == dict.fromkeys("BTRYK", 3), "two of each, so six for each colour"
    ring = "T"
    while len(ring) < 5:
        neighbours = {chip.replace(ring[-1], "") for chip in CHIPS if len(chip) == 2 and ring[-1] in chip}
        ring += min(neighbours - set(ring))
    assert set(ring) == set("BTRYK")


def test_r61_players_begin_with_5_points():
    assert GAME.new(0).scores == (5, 5)
