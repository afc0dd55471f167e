"""The rulebooks' worked examples, each scoring tile, and states of shortage; D numbers are those of the rules."""

from __future__ import annotations

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
    shortage,
    tiling,
)


# Phase 1 --------------------------------------------------------------------------------------------------------------
def test_d34_two_drawn_dome_tiles_cost_two_points():
    position = play(board(TURN), "A draw", "stack top wild", "A draw", "stack top special", "stop drawing")
    play(position, "dome tile Y*/KR", "dome tile TK/RW", "choose dome tile TK/RW", "place -> slot 2-1 turned 90")
    assert position.scores == (18, 20)
    assert line(position, "stack") == "7 unseen, special on top"
    assert line(position, "put back") == "by 0: Y*/KR"
    assert [line(position, f"row {n}", 0) for n in (3, 4)] == ["... .r .t -- -- -- --", ".... .w .k -- -- -- --"]
    assert line(position, "tokens") == "1 2"
    assert line(position, "display") == "*K/RB YB/K* YR/WB", "it is not refilled now"


def test_d39_a_factory_with_only_the_taken_colour_reveals_its_chip_at_once():
    position = play(board(TURN), "B small-3 red -> line 4")
    assert set(odds(position)) > {"chip KY"}
    play(position, "chip KY")
    assert line(position, "small-3") == "sun -, moon -, chip KY"
    assert position.player == 1


D45 = ("small-1: sun TTYK, moon -, chip down", "large: sun TTRKK, moon -")


@pytest.mark.parametrize(
    ("action", "on_line", "holder"),
    [
        ("C red -> line 5", "....R", "0"),
        ("C black -> line 5", "...KK", "0"),
        ("C yellow -> line 5", "...YY", "large"),
    ],
)
def test_d45_suns_then_moons(action, on_line, holder):
    position = play(board(TURN, *D45), "B small-1 turquoise -> line 6", "stack black")
    assert line(position, "small-1") == "sun -, moon KY, chip down"
    play(position, "B large turquoise -> line 6")
    assert line(position, "large") == "sun -, moon RKK"
    assert line(position, "first-player tile") == "large"
    assert {name.split()[1] for name in legal(position, "C")} == {"red", "black", "yellow"}
    play(position, action)
    assert line(position, "row 5", 0).startswith(on_line)
    assert line(position, "first-player tile") == holder


@pytest.mark.parametrize("between", [(), ("A display 1 -> slot 1-1 turned 0",)])
def test_d54_a_revealed_chip_is_taken_by_a_later_action_of_either_player(between):
    position = board(TURN, "small-4: sun -, moon Y, chip down")
    play(position, "C yellow -> line 6", "chip KY", *between)
    assert line(position, "chips taken") == "0 0"
    taker = position.player
    play(position, "D small-4")
    assert line(position, "chips up", taker) == "KY"
    assert line(position, "small-4") == "sun -, moon -, chip -"


# Phase 2 --------------------------------------------------------------------------------------------------------------
def test_d68_six_lines():
    position = tiling(
        "row 1: R       .y .k  Yw .b  .k .*",
        "row 2: KK      .t .*  .t .k  .t .r",
        "row 3: ..R     .r .t  .r .w  -- --",
        "row 4: BBBB    .y .w  .b .k  -- --",
        "row 5: ..TTT   -- --  -- --  -- --",
    )
    assert line(position, "broken", 0) == "R1"
    play(position, "column 2")
    assert position.scores == (20 + 1 + 1 - 1, 20)
    assert line(position, "tower") == "B3 R1 K1"
    assert [line(position, f"row {n}", 0) for n in range(1, 6)] == [
        ". .y .k Yw .b .k .*",
        ".. .t .* .t Kk .t .r",
        "..R .r .t .r .w -- --",
        ".... .y Bw .b .k -- --",
        "..TTT -- -- -- -- -- --",
    ]


D75 = ("row 3: .TT  .r .t  .r .w  -- --", "row 4: .BBB  .y .w  .b .k  -- --", "chips up: TY RT KY | -")


def test_d75_two_half_turquoise_chips_supply_a_turquoise_tile():
    position = play(tiling(*D75), "spend chip TY")
    assert line(position, "stage") == "column"
    assert [line(position, name, 0) for name in ("chips up", "chips down")] == ["KY", "TY RT"]
    play(position, "column 2")
    assert line(position, "tower") == "T1"
    assert [line(position, f"row {n}", 0) for n in (3, 4)] == ["... .r Tt .r .w -- --", ".BBB .y .w .b .k -- --"]


def test_d75_or_any_three_chips_supply_a_blue_tile():
    position = play(tiling(*D75), "leave line unfinished", "spend chip KY", "spend chip TY", "column 3")
    assert [line(position, name, 0) for name in ("chips up", "chips down")] == ["-", "TY RT KY"]
    assert line(position, "tower") == "B2"
    assert [line(position, f"row {n}", 0) for n in (3, 4)] == [".TT .r .t .r .w -- --", ".... .y .w Bb .k -- --"]


def test_d79_four_plus_two_plus_three():
    position = tiling(
        "row 1: .    .w .b  Rr Bb  -- --",
        "row 2: YY   .t Kk  .y .*  -- --",
        "row 3: BBB  .r .t  .r .w  -- --",
        "row 5: .....  -- --  -- --  .k .*",
        "row 6: ......  -- --  -- --  .t .r",
    )
    assert line(position, "row 2", 0) == ".. .t Kk Yy ** -- --"
    assert line(position, "row 3", 0) == "... .r .t .r Bw -- --"
    assert position.scores == (20 + 4 + 2 + 3, 20)


def test_d76_d77_runs_of_two_or_more_in_both_directions():
    alone = tiling("row 2: KK  .t .*  .t .k  .t .r")
    assert alone.scores == (21, 20)
    across = tiling("row 2: KK  Tt .*  Tt .k  Tt Rr")
    assert across.scores == (20 + 4, 20), "the gap ends the run on the left"
    down = tiling("row 1: .  .y .k  .w Bb  .k .*", "row 2: KK  .t .*  .t .k  .t .r", "row 3: ...  .r .t  .r Kw  -- --")
    assert down.scores == (20 + 3, 20)


def test_d80_three_broken_tiles_and_the_first_player_tile():
    position = tiling("broken: B2 K1 | -", "first-player tile: 0")
    assert position.scores == (20 - 8, 20)
    assert line(position, "tower") == "B2 K1"
    assert line(position, "broken", 0) == "-"


@pytest.mark.parametrize(("broken", "points_lost"), [(0, 0), (1, 1), (2, 3), (3, 6), (4, 10)])
def test_d80_what_broken_tiles_cost(broken, points_lost):
    assert tiling(f"broken: - | R{broken}").scores == (20, 20 - points_lost)


def test_d48_d51_excess_breaks_and_only_four_broken_tiles_lie_and_count():
    position = play(board(TURN, "broken: K2 | -"), "B small-3 red -> line 1")
    assert line(position, "row 1", 0).startswith("R")
    assert line(position, "broken", 0) == "R2 K2"
    assert line(position, "tower") == "R1"


def test_d84_who_has_the_first_player_tile_starts_and_it_goes_back():
    position = play(board(TILING, "first-player tile: 1"), END_PHASE_1, "...")
    assert (position.player, line(position, "first player")) == (1, "1")
    assert line(position, "first-player tile") == "large"
    assert position.scores == (20, 18)


@pytest.mark.parametrize("zero_point_draw", ["free", "forced_only"])
@pytest.mark.parametrize("score", [0, 20])
def test_round_4_with_one_dome_tile_in_the_stack(zero_point_draw, score):
    options = f"zero_point_draw={zero_point_draw} special_counts_as_colour=yes explicit_chance=yes scoring_tiles=3"
    gap = dome(0, NO_TILES)
    gap[0], gap[1] = ("row 1: .  -- -- .k .* .* .k", "row 2: ..  -- -- .t .r .r .b")
    position = board(
        LAST_TURN,
        *gap,
        "round: 4",
        "active: 0",
        "tokens: 1 0",
        "chips taken: 1 2",
        f"scores: {score} 20",
        f"options: {options}",
    )
    assert line(position, "stack") == "1 unseen, special on top"
    play(position, "A draw")
    assert legal(position) == {f"place -> slot 1-1 turned {turn}" for turn in (0, 90, 180, 270)}
    assert position.scores == (max(0, score - 1), 20)


# Scoring tiles --------------------------------------------------------------------------------------------------------
REST = "...... ...... ...... ......"


@pytest.mark.parametrize(
    ("condition", "player", "picture", "expected"),
    [
        ("rows", 1, f"XXXXX. XXXXX. {REST}", 0),
        ("rows", 1, f"...... XXXXXX {REST}", 3),
        ("rows", 1, ALL_TILES, 18),
        ("columns", 1, "X..... X..... X..... X..... X..... ......", 0),
        ("columns", 1, ".....X .....X .....X .....X .....X .....X", 7),
        ("columns", 1, ALL_TILES, 42),
        ("diagonals", 1, "X..... .X.... ..X... ...X.. ....X. ......", 0),
        ("diagonals", 1, "X..... .X.... ..X... ...X.. ....X. .....X", 10),
        ("diagonals", 1, ".....X ....X. ...X.. ..X... .X.... X.....", 10),
        ("diagonals", 1, "X....X .X..X. ..XX.. ..XX.. .X..X. X....X", 20),
        ("wild_spaces", 1, "XXXXXX XXXXXX XXXXXX XXXXXX XXXXXX XXXX.X", 0),
        ("wild_spaces", 1, "X..... ..X.X. ...XX. .X.... ...X.. .X..X.", 18),
        ("five_colours", 1, f"XXXXX. {REST} ......", 0),
        ("five_colours", 1, f"...... XXXX.X {REST}", 4),
        ("five_colours", 1, ALL_TILES, 24),
        ("border", 1, "...... .XXXX. .XXXX. .XXXX. .XXXX. ......", 0),
        ("border", 1, "X....X ...... .....X ...... ...... ..X...", 4),
        ("border", 1, ALL_TILES, 20),
        ("corners", 1, "..XX.. ..XX.. XXXXXX XXXXXX ..XX.. ..XX..", 0),
        ("corners", 1, f"XX.... XX.... {REST}", 3),
        ("corners", 1, f"....XX ....XX {REST}", 3),
        ("corners", 1, f"{REST} XX.... XX....", 8),
        ("corners", 1, f"{REST} ....XX ....XX", 8),
        ("corners", 1, ALL_TILES, 22),
        ("empty_special_spaces", 0, NO_TILES, -27),
        ("empty_special_spaces", 0, "XXXXXX XXXXXX XXXXXX XXXXXX ...... ......", -9),
        ("empty_special_spaces", 0, ALL_TILES, 0),
        ("empty_special_spaces", 1, NO_TILES, 0),
    ],
)
def test_d86_to_d93_scoring_tiles(condition, player, picture, expected):
    assert points(condition, *dome(player, picture), player=player) == expected


def test_d94_most_points_win():
    assert play(board(LAST_TURN, "scores: 21 20"), END_PHASE_1).winner == 0
    assert play(board(LAST_TURN, "scores: 20 21"), END_PHASE_1).winner == 1


# Shortages ------------------------------------------------------------------------------------------------------------
NO_LINE_3 = "row 3: ...  Kk Yy  Tt Yy  -- --"
NO_LINE_4 = "row 4: ....  Rr Tw  Tw Kk  -- --"


def test_d82_the_tower_refills_an_empty_bag_in_the_middle():
    position = shortage(NO_LINE_3, NO_LINE_4, "bag: Y3", "tower: B4")
    assert line(position, "large") == "sun BBYYY, moon -", "what is left in the bag comes first"
    assert line(position, "small-1").startswith("sun BB, moon -")
    assert (line(position, "bag"), line(position, "tower")) == ("-", "-")


@pytest.mark.parametrize("lines", [(), (NO_LINE_4,), (NO_LINE_3, NO_LINE_4)])
def test_d83_a_game_goes_on_with_incomplete_factories(lines):
    position = play(shortage(*lines), "...")
    tiles = 3 * (NO_LINE_3 in lines) + 4 * (NO_LINE_4 in lines)
    empty = [n for n in (1, 2, 3, 4) if line(position, f"small-{n}").startswith("sun -")]
    assert sum(position.states[0].suns.ravel()) == tiles
    assert len(empty) == (3 if tiles > 5 else 4)
    assert legal(position, "D") == {f"D small-{n}" for n in empty}
    assert (line(position, "bag"), line(position, "tower")) == ("-", "-")
    while not position.over:
        assert not position.check()
        position.step(position.legal_actions()[-1])
        play(position, "...")
    assert not position.check()
    assert line(position, "round") == "5"
