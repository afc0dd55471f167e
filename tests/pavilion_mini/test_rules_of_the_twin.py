"""The naive Azul Summer Pavilion Mini against its rulebook: worked examples, built positions, whole games.

Piles are written by first letters: "G1 P2" is one green and two purple tiles. Round 1, so purple is wild, unless said.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from naive_pavilion import (
    COLOURS,
    FACTORIES,
    OUTER_STARS,
    POSITIONS,
    SPACES,
    STARS,
    STRUCTURES,
    NaivePavilion,
    connected,
    final_points,
    may_lie,
    number_on,
    star_points,
    tiles_in,
    tiles_owed,
)

pytestmark = [pytest.mark.untraced, pytest.mark.compiled_only]
LETTERS = {colour[0].upper(): colour for colour in COLOURS}
FULL_SUPPLY = "P1 G2 O2 Y2 B2 R1"


def pile(text: str) -> Counter[str]:
    return Counter({LETTERS[word[0]]: int(word[1:]) for word in text.split()})


def board(*spaces: str) -> dict[tuple[str, int], str]:
    """Each space as "red 6", with the star's colour, or as "centre 6 purple"."""
    tiles = {}
    for star, p, *colour in map(str.split, spaces):
        tiles[star, int(p)] = colour[0] if colour else star
    return tiles


def whole_star(star: str, *colours: str) -> list[str]:
    """The spaces of a full star, of one colour or of six."""
    return [f"{star} {p} {(colours * 6)[p - 1]}" for p in POSITIONS]


def everywhere(grey: bool = False) -> dict[tuple[str, int], str]:
    """A full board: each outer star in its colour, the centre in all."""
    spaces = [space for star in OUTER_STARS for space in whole_star(star, star)]
    full = board(*spaces, *whole_star("centre", *COLOURS))
    assert all(may_lie({s: c for s, c in full.items() if s != space}, space, full[space], grey) for space in full)
    return full


def built(
    stage: str = "place",
    *,
    players: int = 2,
    grey: bool = False,
    keep: str = "most",
    hand: str = "",
    others: str = "G1",
    on: dict[tuple[str, int], str] | None = None,
    factories: tuple[str, ...] = (),
    supply: str = FULL_SUPPLY,
    bag: str = "",
    deposit: str = "",
    centre: str = "",
    **fields: Any,
) -> NaivePavilion:
    """Seat 0, with this hand and board, is to act; the others have a green tile, so that the round goes on."""
    game = NaivePavilion(players, grey, keep=keep, first_player=0)
    game.stage, game.turn, game.first_player = stage, 0, 0
    game.hands = [pile(hand)] + [pile(others) for _ in range(players - 1)]
    game.boards[0] = dict(on or {})
    game.bag, game.deposit, game.supply, game.centre = pile(bag), pile(deposit), pile(supply), pile(centre)
    empty = FACTORIES[players] - len(factories)
    game.factories = [pile(text) for text in factories] + [Counter() for _ in range(empty)]
    for name, value in fields.items():
        assert hasattr(game, name)
        setattr(game, name, value)
    game.go_on()
    return game


def do(game: NaivePavilion, *names: str) -> NaivePavilion:
    for name in names:
        game.do(name)
    return game


def placements(game: NaivePavilion, star: str, colour: str) -> list[int]:
    """The positions of a star where a tile of the colour may be placed."""
    return [p for p in POSITIONS if f"place {star} {p} {colour}" in game.legal()]


# Setup ----------------------------------------------------------------------------------------------------------------
def test_supply_then_factories_then_first_player_are_drawn():
    game = NaivePavilion(3)
    drawn = []
    assert game.due() == ("tile", dict.fromkeys(COLOURS, 22))
    while game.due()[0] == "tile":
        filling = "supply" if game.supply.total() < 10 else [f.total() for f in game.factories]
        drawn.append(filling)
        _, weights = game.due()
        assert sum(weights.values()) == 132 - len(drawn) + 1
        game.draw(max(weights, key=weights.get))
    assert drawn[:10] == ["supply"] * 10
    assert drawn[10] == [0] * 7
    assert drawn[15] == [4, 1, 0, 0, 0, 0, 0]
    assert len(drawn) == 10 + 28
    assert game.due() == ("first", {0: 1, 1: 1, 2: 1})
    assert game.player is None
    assert game.legal() == set()
    game.draw(2)
    assert (game.player, game.stage, game.token, game.scores) == (2, "take", None, [5, 5, 5])


def test_a_fixed_first_player_is_not_drawn():
    game = NaivePavilion(4, first_player=3)
    while game.due():
        assert game.due()[0] == "tile"
        game.draw(next(iter(game.due()[1])))
    assert game.player == 3


@pytest.mark.parametrize(
    "arguments",
    [
        (1,),
        (5,),
        (2, False, COLOURS[:5]),
        (2, False, ("red",) * 6),
        (2, False, COLOURS, "all"),
        (2, False, COLOURS, "any", 2),
    ],
)
def test_unknown_options_are_refused(arguments):
    with pytest.raises(ValueError):
        NaivePavilion(*arguments)


def test_what_is_not_legal_is_refused_and_changes_nothing():
    game = built(hand="R1")
    before = game.facts()
    for name in ("place red 2 red", "discard red", "pay 0 wild", "take centre red", ""):
        with pytest.raises(ValueError, match="not legal"):
            game.do(name)
    with pytest.raises(ValueError, match="chance"):
        game.draw("red")
    assert game.facts() == before


# The board ------------------------------------------------------------------------------------------------------------
def turned(distance: float, degrees: float) -> tuple[float, float]:
    return distance * math.cos(math.radians(degrees)), distance * math.sin(math.radians(degrees))


def middle(star: str, p: int) -> tuple[float, float]:
    """Where the diamond lies, with an edge of 1 and the board's centre as origin."""
    if star == "centre":
        return turned(math.sqrt(3) / 2, 90 - 60 * (p - 1))
    i = OUTER_STARS.index(star)
    (x, y), (dx, dy) = turned(3, 120 - 60 * i), turned(math.sqrt(3) / 2, 90 - 60 * ((p + i) % 6))
    return x + dx, y + dy


def test_structures_are_surrounded_by_the_diamonds_that_lie_nearest():
    by_the_drawing = []
    for i in range(6):
        outwards = 120 - 60 * i
        for tiles, spot, spaces in (
            (1, turned(1.5, outwards), 4),
            (2, turned(1.5 * math.sqrt(3), outwards - 30), 4),
            (3, turned(4, outwards), 2),
        ):
            by_distance = sorted((math.dist(spot, middle(*space)), space) for space in SPACES)
            assert by_distance[spaces - 1][0] < by_distance[spaces][0] - 0.1
            by_the_drawing.append((tiles, {space for _, space in by_distance[:spaces]}))
    assert by_the_drawing == STRUCTURES


def test_numbers_of_both_sides():
    assert Counter(number_on(space, grey=False) for space in SPACES) == dict.fromkeys(POSITIONS, 7)
    assert Counter(number_on(space, grey=True) for space in SPACES) == {1: 6, 2: 6, 3: 12, 4: 6, 5: 6, 6: 6}
    assert [number_on(("red", p), grey=True) for p in POSITIONS] == [3, 2, 1, 4, 5, 6]


def test_a_full_board_has_given_36_tiles():
    rng = random.Random(0)
    for _ in range(20):
        tiles, owed = {}, []
        for space in rng.sample(SPACES, 42):
            tiles[space] = "red"
            owed.append(tiles_owed(tiles, space))
        assert sum(owed) == 36
        assert max(owed) <= 3


# Phase 1 --------------------------------------------------------------------------------------------------------------
def test_t1_all_tiles_of_a_colour_are_taken_and_the_rest_goes_to_the_centre():
    game = do(built("take", factories=("R2 Y2",)), "take factory 1 red")
    assert game.hands[0] == pile("R2")
    assert game.centre == pile("Y2")
    assert (game.scores[0], game.token, game.turn) == (5, None, 1)


def test_t2_one_wild_tile_comes_along():
    game = built("take", factories=("R1", "G1 P2 Y1"))
    assert game.legal() == {"take factory 1 red", "take factory 2 green", "take factory 2 yellow"}
    do(game, "take factory 2 green")
    assert game.hands[0] == pile("G1 P1")
    assert game.centre == pile("Y1 P1")


def test_t3_first_to_take_from_the_centre_gets_the_token_and_loses_points():
    game = built("take", players=3, centre="Y3 P1 R1")
    assert game.legal() == {"take centre yellow", "take centre red"}
    do(game, "take centre yellow")
    assert game.hands[0] == pile("Y3 P1")
    assert (game.token, game.scores[0]) == (0, 1)
    assert game.centre == pile("R1")
    assert game.turn == 1
    assert do(game, "take centre red").scores == [1, 5, 5], "only the first pays"
    assert (game.token, game.stage, game.turn) == (0, "place", 0)


@pytest.mark.parametrize(("score", "after"), [(2, 0), (0, 0), (4, 0), (9, 5)])
def test_i_the_score_never_falls_below_0(score, after):
    assert do(built("take", centre="Y4", scores=[score, 5]), "take centre yellow").scores[0] == after


def test_one_tile_is_taken_where_all_are_wild():
    game = built("take", factories=("P4",), centre="P3")
    assert game.legal() == {"take factory 1 purple", "take centre purple"}
    do(game, "take factory 1 purple")
    assert game.hands[0] == pile("P1")
    assert game.centre == pile("P6")
    do(game, "take centre purple")
    assert game.hands[1] == pile("G1 P1")
    assert game.scores[1] == 4


def test_a_last_choice_is_asked():
    assert built("take", centre="Y1").legal() == {"take centre yellow"}


def test_sr1_nobody_takes_from_the_centre():
    game = built("take", factories=("R4", "B4", "R3 P1"), bag="R20")
    do(game, "take factory 1 red", "take factory 2 blue", "take factory 3 red")
    assert game.hands[0] == pile("R7 P1")
    assert (game.token, game.stage, game.turn) == (None, "place", 0)
    do(game, *["discard red"] * 4, "discard blue")
    assert game.scores == [1, 4]
    assert (game.round, game.stage, game.turn) == (2, "take", 0)


# Paying ---------------------------------------------------------------------------------------------------------------
def test_t4_legal_placements_with_wild_tiles():
    game = built(hand="G1 P3")
    assert placements(game, "green", "green") == [1, 2, 3, 4]
    assert placements(game, "purple", "purple") == [1, 2, 3]
    assert placements(game, "centre", "green") == [1, 2, 3, 4]
    assert placements(game, "centre", "purple") == [1, 2, 3]
    assert "pass" in game.legal()
    assert len(game.legal()) == 15
    for name in game.legal() - {"pass"}:
        assert do(built(hand="G1 P3"), name).stage == "place", "one payment only"

    with_purple = built(hand="G1 P3", on=board("centre 6 purple"))
    assert placements(with_purple, "centre", "purple") == []
    assert len(with_purple.legal()) == 12

    do(game, "place green 4 green")
    assert game.deposit == pile("P3")
    assert game.boards[0] == {("green", 4): "green"}
    assert game.hands[0].total() == 0


def test_t5_a_wild_tile_is_never_laid_as_another_colour():
    game = built(hand="P3")
    assert {name.split()[1] for name in game.legal() - {"pass"}} == {"purple", "centre"}
    assert placements(game, "purple", "purple") == [1, 2, 3]


@pytest.mark.parametrize(
    ("hand", "space", "wilds"),
    [("R4 P2", "red 4 red", {0, 1, 2}), ("R2 P6", "red 4 red", {2, 3}), ("R5 P2", "centre 5 red", {0, 1, 2})],
)
def test_sr11_which_payments_there_are(hand, space, wilds):
    game = do(built(hand=hand), f"place {space}")
    assert game.legal() == {f"pay {k} wild" for k in wilds}
    assert game.boards[0] == {}
    assert game.hands[0] == pile(hand)
    k = max(wilds)
    do(game, f"pay {k} wild")
    number = int(space.split()[1])
    assert game.deposit == +Counter({"red": number - 1 - k, "purple": k})
    assert list(game.boards[0].values()) == ["red"]


def test_a_wild_tile_in_the_centre_star_is_paid_with_its_own_colour():
    game = do(built(hand="P3 R2"), "place centre 2 purple")
    assert game.boards[0] == {("centre", 2): "purple"}
    assert game.hands[0] == pile("P1 R2")
    assert game.deposit == pile("P1")


def test_a_colour_is_wild_only_in_its_round():
    game = built(hand="G1 P3", round=2)
    assert placements(game, "green", "green") == [1]
    assert placements(game, "purple", "purple") == [1, 2, 3, 4]
    assert [NaivePavilion(2).wild_order[r - 1] for r in (1, 2)] == ["purple", "green"]
    assert NaivePavilion(2, wild_order=COLOURS[::-1]).wild == "red"


def test_spaces_are_filled_once_and_the_centre_has_no_colour_twice():
    game = built(hand="R6", on=board("red 1", "red 5", "centre 3 blue"))
    assert placements(game, "red", "red") == [2, 3, 4, 6]
    assert placements(game, "centre", "red") == [1, 2, 4, 5, 6]
    again = built(hand="R6", on=board("centre 3 red"))
    assert placements(again, "centre", "red") == []


# Points and structures ------------------------------------------------------------------------------------------------
def test_a_a_single_tile_gives_a_point():
    game = do(built(hand="B7"), "place blue 6 blue")
    assert (game.scores[0], game.hands[0], game.deposit) == (6, pile("B1"), pile("B5"))
    assert (game.turn, game.stage) == (1, "place")


def test_b_a_gap_separates():
    game = do(built(hand="R3", on=board("red 6", "red 1")), "place red 3 red")
    assert (game.scores[0], game.deposit) == (6, pile("R2"))


def test_c_a_chain_counts_whole_and_closes_the_window():
    game = do(built(hand="B3 P3", on=board("blue 4", "blue 5")), "place blue 6 blue")
    assert (game.scores[0], game.deposit) == (8, pile("B2 P3"))
    assert (game.stage, game.owed, game.player) == ("bonus", 3, 0)


def test_d_three_points_and_a_tile_kept():
    game = do(built(hand="O1 G1 P3", on=board("orange 3", "orange 5")), "place orange 4 orange")
    assert (game.scores[0], game.deposit, game.hands[0]) == (8, pile("P3"), pile("G1"))
    do(game, "pass", "pass")
    assert game.hands[0] == pile("G1")
    assert game.round == 2


def test_e_a_gap_is_bridged():
    game = do(built(hand="P2 R2 G4", on=board("purple 1", "purple 3")), "place purple 2 purple")
    assert (game.scores[0], game.deposit, game.hands[0]) == (8, pile("P1"), pile("R2 G4"))
    assert game.turn == 1


def test_the_sixth_tile_of_a_star_gives_six_points():
    game = do(built(hand="Y3", on=board(*(f"yellow {p}" for p in (1, 2, 4, 5, 6)))), "place yellow 3 yellow")
    assert game.scores[0] == 11


def test_a_star_gives_17_to_21_points():
    rng = random.Random(1)
    totals = set()
    for _ in range(300):
        tiles, total = {}, 0
        for p in rng.sample(POSITIONS, 6):
            tiles["red", p] = "red"
            total += len(connected(tiles, ("red", p)))
        totals.add(total)
    assert totals <= set(range(17, 22))
    assert {17, 21} <= totals


@pytest.mark.parametrize(
    ("on", "space", "owed"),
    [
        (("yellow 2", "yellow 3", "centre 3 red"), "centre 4 yellow", 1),
        (("orange 2", "orange 3", "centre 1 red"), "centre 6 yellow", 1),
        (("purple 3", "purple 4", "orange 1"), "orange 2 orange", 0),
        (("purple 1", "orange 3", "orange 4"), "purple 2 purple", 2),
        (("red 1", "red 2", "blue 4"), "blue 3 blue", 2),
        (("green 5",), "green 6 green", 3),
        (("red 1", "red 3", "blue 3", "blue 4", "centre 1 red", "centre 2 blue"), "red 2 red", 3),
        (("red 2", "red 3", "blue 2", "blue 3", "centre 1 red", "centre 3 blue"), "centre 2 yellow", 2),
        (("red 1", "red 2", "blue 3"), "red 4 red", 0),
    ],
)
def test_closing_structures_owes_tiles(on, space, owed):
    game = do(built(hand="P6 O6 R6 B6 Y6 G6", on=board(*on), round=6), f"place {space}")
    if game.stage == "pay":
        do(game, "pay 0 wild")
    assert game.owed == owed
    assert game.stage == ("bonus" if owed else "place")


def closing_a_window(**fields: str) -> NaivePavilion:
    """Seat 0 has closed a window and is owed three tiles."""
    return do(built(hand="B6 R2", on=board("blue 5"), **fields), "place blue 6 blue")


def test_bonus_tiles_come_at_once_in_ascending_order_and_the_supply_is_filled():
    game = closing_a_window(supply="P2 G1 Y4 R3", bag="O9")
    assert game.legal() == {"bonus purple", "bonus green", "bonus yellow", "bonus red"}
    do(game, "bonus green")
    assert game.hands[0] == pile("R2 G1")
    assert game.legal() == {"bonus yellow", "bonus red"}
    do(game, "bonus yellow")
    assert game.legal() == {"bonus yellow", "bonus red"}
    assert game.supply.total() == 8
    do(game, "bonus yellow")
    assert game.hands[0] == pile("R2 G1 Y2")
    assert game.supply == pile("P2 Y2 R3 O3")
    assert (game.turn, game.stage) == (1, "place")


def test_a_bonus_choice_leaves_enough_tiles_for_the_rest():
    game = closing_a_window(supply="P8 R2")
    assert game.legal() == {"bonus purple"}
    do(game, "bonus purple")
    assert game.legal() == {"bonus purple", "bonus red"}
    do(game, "bonus red")
    assert game.hands[0] == pile("R4 P1")


def test_the_tiles_of_one_colour_left_are_not_asked():
    game = closing_a_window(supply="B10")
    assert game.hands[0] == pile("R2 B3")
    game = do(closing_a_window(supply="P5 G1 R4"), "bonus green")
    assert game.hands[0] == pile("R4 G1"), "after a green tile only red ones may follow"


def test_sr20_a_pillar_may_give_a_wild_tile():
    on = board("yellow 2", "yellow 3", "centre 3 red")
    game = do(built(hand="B4", on=on), "place centre 4 blue", "bonus purple")
    assert game.hands[0] == pile("P1")


def test_sr3_a_short_supply_gives_what_it_has():
    game = closing_a_window(supply="G1 Y1")
    assert game.hands[0] == pile("R2 G1 Y1")
    # The five tiles paid come back at once.
    assert game.supply == pile("B5")
    assert game.deposit.total() == 0


def test_sr21_and_sr22_the_payment_comes_back_in_the_refill_of_the_same_turn():
    game = do(closing_a_window(bag="O2"), "bonus purple", "bonus green", "bonus red")
    assert game.hands[0] == pile("R3 P1 G1")
    assert game.supply == pile("G1 O4 Y2 B3")
    assert (game.bag, game.deposit) == (pile("B4"), pile(""))


def test_sr21_a_bag_just_emptied_stays_empty():
    game = do(closing_a_window(bag="O3"), "bonus purple", "bonus green", "bonus red")
    assert (game.bag, game.deposit) == (pile(""), pile("B5"))


def test_sr27_only_what_is_open_is_drawn():
    game = do(closing_a_window(bag="O2 R1"), "bonus purple", "bonus green", "bonus red")
    assert game.due() == ("tile", {"orange": 2, "red": 1})
    assert (game.player, game.legal()) == (None, set())
    game.draw("red")
    assert game.due() is None, "the two orange tiles follow"
    assert game.supply == pile("G1 O4 Y2 B2 R1")
    assert game.turn == 1


def test_sr5_a_short_supply_is_filled_after_any_turn():
    game = do(built(hand="R2 G1", supply="Y3"), "place red 2 red")
    assert game.supply == pile("Y3 R1")
    assert do(built(hand="R5", supply="Y3"), "discard red").supply == pile("Y3 R1")


# Passing --------------------------------------------------------------------------------------------------------------
def test_example_f_six_tiles_and_four_kept():
    game = built(hand="G4 R2", scores=[20, 5])
    assert "pass" not in game.legal()
    assert {"discard green", "discard red"} <= game.legal()
    do(game, "discard red")
    assert (game.stage, game.player, game.legal()) == ("discard", 0, {"discard red"})
    do(game, "discard red")
    assert (game.scores[0], game.corners[0], game.deposit) == (18, pile("G4"), pile("R2"))
    assert game.passed == [True, False]
    assert game.hands[0].total() == 0
    assert game.turn == 1


@pytest.mark.parametrize(("score", "tiles", "after"), [(0, 5, 0), (0, 6, 0), (1, 6, 0), (5, 6, 3)])
def test_sr2_discards_cost_points_down_to_0(score, tiles, after):
    game = do(built(hand=f"R{tiles}", scores=[score, 5]), *["discard red"] * (tiles - 4))
    assert (game.scores[0], game.corners[0]) == (after, pile("R4"))


def test_a_discard_leaves_enough_tiles_for_the_rest():
    game = built(hand="P5 B1 R1")
    assert {name for name in game.legal() if name.startswith("discard")} == {"discard purple"}
    assert do(game, "discard purple").legal() == {"discard purple", "discard blue"}
    assert do(game, "discard blue").legal() == {"discard red"}
    assert do(game, "discard red").corners[0] == pile("P4")


def test_with_keep_any_fewer_than_four_may_be_kept():
    game = built(hand="R2 B1", keep="any")
    assert {"pass", "discard red", "discard blue"} <= game.legal()
    do(game, "discard blue")
    assert (game.stage, game.legal()) == ("discard", {"pass", "discard red"})
    do(game, "discard red", "pass")
    assert (game.corners[0], game.scores[0]) == (pile("R1"), 3)

    game = do(built(hand="B1 R5", keep="any"), "discard red")
    assert game.legal() == {"discard red"}, "six tiles: two must go"
    assert do(game, "discard red").legal() == {"pass", "discard red"}

    game = do(built(hand="B2 R1", keep="any"), "discard red")
    assert game.corners[0] == pile("B2"), "nothing but the pass is left"


NO_PLACE_FOR_RED = board(*whole_star("red", "red"), "centre 1 red")


def test_sr25_who_can_only_pass_is_passed_over():
    passed_over = built(hand="R4", on=NO_PLACE_FOR_RED)
    assert (passed_over.turn, passed_over.passed[0], passed_over.corners[0]) == (1, True, pile("R4"))
    assert built(hand="R5", on=NO_PLACE_FOR_RED).legal() == {"discard red"}
    assert built(hand="R4", on=NO_PLACE_FOR_RED, keep="any").legal() == {"pass", "discard red"}
    assert built(hand="", keep="any").turn == 1
    for keep in ("most", "any"):
        last_round = built(hand="B7", on=board(*whole_star("blue", "blue"), "centre 1 blue"), round=6, keep=keep)
        assert (last_round.turn, last_round.scores[0], last_round.deposit) == (1, 0, pile("B7"))


def test_sr7_in_round_6_a_pass_discards_all():
    for keep in ("most", "any"):
        game = built(hand="B7", round=6, scores=[10, 5], keep=keep)
        assert not any(name.startswith("discard") for name in game.legal())
        do(game, "pass")
        assert (game.scores[0], game.deposit, game.corners[0]) == (3, pile("B7"), pile(""))


def test_sr16_the_last_player_goes_on_alone():
    game = built(players=3, hand="B6 R3", passed=[False, True, True])
    do(game, "place blue 1 blue", "place blue 2 blue", "place blue 3 blue")
    assert (game.turn, game.scores[0]) == (0, 5 + 1 + 2 + 3)


# Phase 3 --------------------------------------------------------------------------------------------------------------
def test_g_the_token_holder_begins_the_next_round():
    game = built(players=3, hand="G4", token=1, bag="R28")
    do(game, "pass", "pass", "pass")
    assert (game.round, game.wild, game.turn, game.first_player, game.token) == (2, "green", 1, 1, None)
    assert game.hands == [pile("G4"), pile("G1"), pile("G1")]
    assert not any(corners.total() for corners in game.corners)
    assert game.passed == [False] * 3
    assert game.factories == [pile("R4")] * 7


def test_phase_2_begins_with_the_token_holder():
    game = built("take", players=4, hand="R1", factories=("R2 Y1", "R4"))
    do(game, "take factory 1 red", "take centre yellow")
    assert game.token == 1
    do(game, "take factory 2 red")
    assert (game.stage, game.turn) == ("place", 1)
    do(game, "place yellow 1 yellow")
    assert game.turn == 2


def test_sr17_short_factories_are_filled_one_by_one():
    game = do(built(players=4, others="", hand="R1", round=5, bag="Y10", deposit="B21"), "pass")
    assert game.round == 6
    assert [factory.total() for factory in game.factories] == [4] * 7 + [3, 0]
    assert game.factories[2] == pile("Y2 B2")
    assert game.legal() == {
        *(f"take factory {n} yellow" for n in (1, 2, 3)),
        *(f"take factory {n} blue" for n in (3, 4, 5, 6, 7, 8)),
    }


def test_sr17_without_any_tile_phase_1_ends_at_once():
    game = do(built(hand="R1", others="", round=4, supply=""), "pass")
    assert (game.round, game.stage, game.turn) == (5, "place", 0)
    assert game.legal() == {"place red 1 red", "place centre 1 red", "pass"}


def test_sr22_the_supply_comes_before_the_factories():
    game = do(built(hand="R1", others="", supply="Y9", bag="O1", deposit="B3"), "pass")
    assert game.supply == pile("Y9 O1")
    assert game.factories[0] == pile("B3")


# The end --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("spaces", "points"),
    [
        (whole_star("centre", *COLOURS), 12),
        (whole_star("red", "red"), 14),
        (whole_star("blue", "blue"), 15),
        (whole_star("yellow", "yellow"), 16),
        (whole_star("orange", "orange"), 17),
        (whole_star("green", "green"), 18),
        (whole_star("purple", "purple"), 20),
        (whole_star("purple", "purple")[:5], 0),
    ],
)
def test_h_points_of_stars(spaces, points):
    assert final_points(board(*spaces), grey=False) == points


@pytest.mark.parametrize(("number", "points"), [(1, 4), (2, 8), (3, 12), (4, 16), (5, 0), (6, 0)])
@pytest.mark.parametrize("grey", [False, True])
def test_h_points_of_numbers(grey, number, points):
    spaces = [space for space in SPACES if number_on(space, grey) == number]
    # The centre is not to be a full star: on the grey side it has all its 3s.
    stars = 12 if grey and number == 3 else 0
    tiles = {space: everywhere()[space] for space in spaces}
    assert final_points(tiles, grey) == points + stars
    tiles.pop(spaces[0])
    assert final_points(tiles, grey) == stars
    assert len(spaces) == (7 if not grey else 12 if number == 3 else 6)


def test_h_a_full_board():
    for grey in (False, True):
        assert final_points(everywhere(), grey) == 112 + 40


def test_the_end_adds_the_points_of_the_board():
    game = built(on=everywhere(), others="", round=6)
    assert game.over
    assert game.scores == [5 + 152, 5]
    assert (game.winners, game.ranks, game.player, game.due(), game.legal()) == ({0}, [1, 2], None, None, set())


def test_the_penalty_of_round_6_comes_before_the_points_of_the_board():
    game = do(built(hand="B4", on=board(*whole_star("red", "red")), others="", round=6, scores=[1, 5]), "pass")
    assert game.over
    assert game.scores == [14, 5]


@pytest.mark.parametrize(
    ("scores", "winners", "ranks"),
    [([20, 20, 9], {0, 1}, [1, 1, 3]), ([3, 9, 3], {1}, [2, 1, 2]), ([7, 7, 7], {0, 1, 2}, [1, 1, 1])],
)
def test_j_ties_share_the_victory(scores, winners, ranks):
    game = built(players=3, others="", round=6, scores=scores)
    assert game.over
    assert (game.winners, game.ranks) == (winners, ranks)


# The grey side --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "allowed"),
    [
        ((), set(COLOURS)),
        (("red",), set(COLOURS)),
        (("red", "red"), {"red"}),
        (("red", "blue"), set(COLOURS) - {"red", "blue"}),
        (("red", "blue", "green", "purple", "yellow"), {"orange"}),
        (("red",) * 5, {"red"}),
    ],
)
@pytest.mark.parametrize("star", STARS)
def test_sr13_two_tiles_decide_what_a_grey_star_becomes(star, before, allowed):
    tiles = {(star, p): colour for p, colour in enumerate(before, 1)}
    assert {colour for colour in COLOURS if may_lie(tiles, (star, 6), colour, grey=True)} == allowed


def test_grey_stars_are_worth_what_was_built():
    assert star_points(["purple"] * 6) == 20
    assert star_points(COLOURS) == 12
    two_purple = board(*whole_star("red", "purple"), *whole_star("centre", "purple"))
    assert final_points(two_purple, grey=True) == 40


def test_a_grey_space_costs_its_own_number():
    game = built(hand="R3", grey=True)
    assert placements(game, "blue", "red") == [1, 2, 3]
    assert placements(game, "centre", "red") == [1, 2, 3, 4, 5, 6]
    do(game, "place blue 1 red")
    assert game.deposit == pile("R2")


def on_the_next_star(name: str) -> str:
    """The same action with the board turned by 60 degrees."""
    kind, *words = name.split()
    if kind != "place":
        return name
    star, p, colour = words
    if star == "centre":
        return f"place centre {int(p) % 6 + 1} {colour}"
    return f"place {OUTER_STARS[(OUTER_STARS.index(star) + 1) % 6]} {p} {colour}"


def test_a_grey_board_may_be_turned():
    rng = random.Random(5)
    game, turned_game = NaivePavilion(3, grey=True), NaivePavilion(3, grey=True)
    while not game.over:
        assert game.due() == turned_game.due()
        if game.due():
            _, weights = game.due()
            (outcome,) = rng.choices(list(weights), list(weights.values()))
            game.draw(outcome)
            turned_game.draw(outcome)
            continue
        assert {on_the_next_star(name) for name in game.legal()} == turned_game.legal()
        name = rng.choice(sorted(game.legal()))
        do(game, name)
        do(turned_game, on_the_next_star(name))
        assert game.scores == turned_game.scores
    assert turned_game.over


# Whole games ----------------------------------------------------------------------------------------------------------
Player = Callable[[NaivePavilion, random.Random], str]


def anyhow(game: NaivePavilion, rng: random.Random) -> str:
    return rng.choice(sorted(game.legal()))


def sensibly(game: NaivePavilion, rng: random.Random) -> str:
    """Many tiles in the draft; then points and supply tiles for few tiles, and a pass only where nothing can be placed."""
    before = game.hands[game.player]

    def value(name: str) -> float:
        kind, *words = name.split()
        if kind == "take":
            source = game.centre if words[0] == "centre" else game.factories[int(words[1]) - 1]
            return source[words[-1]] + 0.1 * before[words[-1]]
        if kind == "place":
            space = (words[0], int(words[1]))
            tiles = game.boards[game.player] | {space: words[2]}
            return 100 + len(connected(tiles, space)) + 2 * tiles_owed(tiles, space) - number_on(space, game.grey)
        if kind == "pay":
            return -int(words[0])
        if kind == "bonus":
            return before[words[0]] + 10 * (words[0] == game.wild)
        return -before[words[0]] if kind == "discard" else 0

    return max(sorted(game.legal()), key=lambda name: (value(name), rng.random()))


def all_tiles(game: NaivePavilion) -> Counter[str]:
    piles = [game.bag, game.deposit, game.supply, game.centre, *game.factories, *game.hands, *game.corners]
    return sum(piles, Counter(tile for tiles in game.boards for tile in tiles.values()))


def check(game: NaivePavilion) -> None:
    """What holds at every stop."""
    assert all_tiles(game) == dict.fromkeys(COLOURS, 22)
    assert min(game.scores) >= 0
    assert game.supply.total() <= 10
    assert all(corners.total() <= 4 for corners in game.corners)
    assert all(factory.total() <= 4 for factory in game.factories)
    assert (game.due() is None) + (not game.legal()) == (2 if game.over else 1)
    for tiles in game.boards:
        for star in STARS:
            built_so_far = tiles_in(tiles, star)
            colours = len(set(built_so_far))
            assert colours in ({0, 1, len(built_so_far)} if game.grey else {colours})
            assert game.grey or (colours == len(built_so_far) if star == "centre" else set(built_so_far) <= {star})
    if game.stage == "take":
        assert len(game.legal()) <= 4 * len(game.factories)
    else:
        assert len(game.legal()) <= (258 if game.grey else 78)


def play(game: NaivePavilion, player: Player, rng: random.Random) -> list[int]:
    """Play a game to its end; return how many tiles lay on the factories as each round began."""
    laid, decisions = [], 0
    while not game.over:
        check(game)
        if game.due():
            _, weights = game.due()
            assert len(weights) > 1
            game.draw(*rng.choices(list(weights), list(weights.values())))
        else:
            if game.round > len(laid):
                laid.append(sum(factory.total() for factory in game.factories))
            do(game, player(game, rng))
            decisions += 1
    check(game)
    assert game.round == 6
    assert decisions < 1200
    return laid


@pytest.mark.parametrize("player", [anyhow, sensibly])
@pytest.mark.parametrize("keep", ["most", "any"])
@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_end_and_lose_no_tile(players, grey, keep, player):
    for seed in range(3):
        rng = random.Random(f"{players} {grey} {keep} {seed}")
        game = NaivePavilion(players, grey, rng.sample(COLOURS, 6), keep)
        laid = play(game, player, rng)
        assert len(laid) == 6
        if players < 4:
            assert set(laid) == {4 * FACTORIES[players]}


def test_sr17_four_sensible_players_mostly_begin_round_6_with_short_factories():
    games = 10
    laid = [play(NaivePavilion(4), sensibly, random.Random(seed)) for seed in range(games)]
    assert all(rounds[:5] == [36] * 5 for rounds in laid)
    assert sum(rounds[5] < 36 for rounds in laid) > games // 2
