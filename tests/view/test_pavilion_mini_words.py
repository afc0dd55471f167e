from __future__ import annotations

import re

import pytest
from mini import VARIANTS, game_of, play, table, walk

from azul_duel_env.game import YOU, amount, listed
from azul_duel_env.games.pavilion_mini import words
from azul_duel_env.games.pavilion_mini.actions import NUM_ACTIONS, action_name, decode, parse_action
from azul_duel_env.games.pavilion_mini.components import COLOURS
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.page_data import options_text
from azul_duel_env.play.session import Session

NAMES = ("Anna", "Bernd", "Cleo", "Dora")


def described(position, name: str, names=NAMES) -> str:
    return position.game.display.describe(parse_action(name), position.states[0], names)


def asked(position) -> str:
    return position.game.display.question(position.states[0])


def labels(position) -> list[tuple[str, ...]]:
    """Return what a person reads for each legal action, part after part."""
    display, state = position.game.display, position.states[0]
    return [tuple(part.label for part in display.parts(action, state)) for action in position.legal_actions().tolist()]


# Taking ---------------------------------------------------------------------------------------
def test_words_of_taking():
    position = table(3, factories=("B3 P", "P2 R2"), centre="Y2 P")
    assert asked(position) == "Take tiles of a colour; purple is wild"
    assert described(position, "take factory 1 blue") == "Anna takes 3 blue and a wild purple from factory 1"
    assert (
        described(position, "take centre yellow")
        == "Anna takes 2 yellow and a wild purple from the centre, with the first-player token"
    )
    assert described(table(factories=("P4",)), "take factory 1 purple") == "Anna takes a wild purple from factory 1"
    taken = table(factories=("G",), centre="Y2", token=1)
    assert described(taken, "take centre yellow") == "Anna takes 2 yellow from the centre"
    assert ("3 blue and a wild purple from factory 1",) in labels(position)


def test_words_of_taking_tell_how_many_tiles_come():
    counts = 0
    for position in walk(4, 5):
        if position.over:
            break
        state, seat = position.states[0].copy(), position.player
        for action in position.legal_actions().tolist():
            if decode(action)[0] != "take":
                continue
            after = position.copy()
            after.step(action)
            gained = {c: int(n) for c, n in zip(COLOURS, after.states[0].hands[seat] - state.hands[seat], strict=True)}
            text = position.game.display.describe(action, state, NAMES)
            found = {colour: int(count) for count, colour in re.findall(r"(\d+) (\w+)", text.split(" from ")[0])}
            found |= dict.fromkeys(re.findall(r"a wild (\w+)", text), 1)
            assert found == {colour: count for colour, count in gained.items() if count}, text
            counts += 1
    assert counts > 100


# Placing, paying, tiles from the supply -------------------------------------------------------
def test_words_of_placing_and_paying():
    position = table(hands=("B4 P3 R",))
    assert asked(position) == "Place a tile, or pass and throw 4 tiles for a point each; purple is wild"
    assert described(position, "place blue -> blue 4") == "Anna places blue on the 4 of the blue star"
    play(position, "place blue -> blue 4")
    assert asked(position) == "Choose the 4 tiles that pay for the 4 of the blue star"
    assert described(position, "pay 2 wild") == "Anna pays 2 blue and 2 wild purple for the 4 of the blue star"
    assert labels(position) == [
        ("4 blue",),
        ("3 blue and 1 wild purple",),
        ("2 blue and 2 wild purple",),
        ("1 blue and 3 wild purple",),
    ]


def test_spaces_of_a_star_with_a_number_twice_are_told_by_their_places():
    grey = table(hands=("B4",), board="grey")
    assert described(grey, "place blue -> centre 4") == "Anna places blue on the 3 (space 4) of the centre star"
    assert described(grey, "place blue -> red 3") == "Anna places blue on the 1 of the red star"


def test_a_colour_is_picked_only_where_several_fit():
    position = table(hands=("B2 R",))
    state, parts = position.states[0], position.game.display.parts
    centre = parts(parse_action("place blue -> centre 1"), state)
    assert [part.key for part in centre] == ["space-0-36", "hand-0-blue"]
    assert (centre[1].label, centre[1].question) == ("blue", "Which colour?")
    assert centre[1].colour
    assert [part.key for part in parts(parse_action("place blue -> centre 2"), state)] == [
        "space-0-37"
    ]  # red can't pay
    assert [part.key for part in parts(parse_action("place blue -> blue 1"), state)] == ["space-0-12"]


def test_words_of_tiles_from_the_supply():
    position = table(hands=("B6",), boards=({"blue": "....B."},))
    play(position, "place blue -> blue 6")
    assert asked(position) == "Take 3 tiles, one after the other, from the supply"
    assert described(position, "bonus orange") == "Anna takes an orange tile from the supply"
    assert ("orange from the supply",) in labels(position)


# Passing --------------------------------------------------------------------------------------
def test_words_of_passing():
    assert described(table(hands=("B3",)), "pass") == "Anna passes and keeps 3 tiles"
    assert described(table(hands=("B",), round_number=6), "pass") == "Anna passes and throws 1 tile"
    assert asked(table(hands=("B3",))) == "Place a tile, or pass; purple is wild"
    assert (
        asked(table(hands=("B",), round_number=6))
        == "Place a tile, or pass and throw 1 tile for a point each; red is wild"
    )


def test_a_pass_comes_before_what_is_thrown():
    position = table(hands=("B3 R3",))
    state, display = position.states[0], position.game.display
    throw = display.parts(parse_action("discard blue"), state)
    assert [part.key for part in throw] == ["pass-0", "hand-0-blue"]
    assert [part.label for part in throw] == ["pass; throws 2 tiles: \N{MINUS SIGN}2 points", "throw blue"]
    assert described(position, "discard blue") == "Anna passes and throws a blue tile"
    play(position, "discard blue")
    assert asked(position) == "Choose the next tile to throw"
    assert described(position, "discard red") == "Anna throws a red tile"
    assert [part.key for part in display.parts(parse_action("discard red"), position.states[0])] == ["hand-0-red"]


def test_who_may_keep_fewer_says_so():
    position = table(hands=("B2 R",), keep="any")
    state, display = position.states[0], position.game.display
    assert [part.key for part in display.parts(parse_action("pass"), state)] == ["pass-0", "button-keep"]
    play(position, "discard blue")
    assert asked(position) == "Choose the next tile to throw, or keep the rest"
    assert [part.label for part in display.parts(parse_action("pass"), position.states[0])] == ["keep the rest"]
    assert described(position, "pass") == "Anna keeps 2 tiles"


# All ------------------------------------------------------------------------------------------
def test_amounts_and_lists():
    assert [amount(count, "tile") for count in (0, 1, 2)] == ["0 tiles", "1 tile", "2 tiles"]
    assert [listed("abc"[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]


@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_no_two_legal_actions_have_the_same_parts_or_words(num_players, board):
    """And none has parts with which those of another begin: the page could not tell when the choice is complete."""
    kinds = set()
    for number, position in enumerate(walk(num_players, 1, board=board, keep="any" if num_players == 3 else "most")):
        if number % 3:
            continue
        legal, state, display = position.legal_actions().tolist(), position.states[0], position.game.display
        kinds |= {decode(action)[0] for action in legal}
        keys = [tuple(part.key for part in display.parts(action, state)) for action in legal]
        beginnings = {key[:depth] for key in keys for depth in range(1, len(key))}
        assert len(set(keys)) == len(legal)
        assert not beginnings & set(keys), position.decisions
        assert len({display.describe(action, state) for action in legal}) == len(legal)
        assert len(set(labels(position))) == len(legal)
        assert re.fullmatch(r"[A-Z].+[^.]", asked(position))
    assert {"take", "place", "pay", "discard"} <= kinds


def test_who_is_addressed_reads_verbs_of_the_second_person():
    position = table(hands=("B6 P3",), factories=())
    names = (YOU, "Bernd")
    assert described(position, "place blue -> centre 2", names) == "You place blue on the 2 of the centre star"
    assert described(position, "discard blue", names) == "You pass and throw a blue tile"
    assert described(table(factories=("B4",)), "take factory 1 blue", names) == "You take 4 blue from factory 1"
    for seed in range(2):
        for position in walk(2, seed, board="grey"):
            for action in position.legal_actions().tolist():
                verb = position.game.display.describe(action, position.states[0], (YOU, YOU)).split()[1]
                assert verb in words.VERBS.values(), action_name(action)


def test_questions_when_nobody_decides():
    position = game_of(2).new(seed=1, explicit_chance=True)
    assert asked(position) == "A tile is drawn"
    while position.chance_is_due and asked(position) == "A tile is drawn":
        position.draw_chance()
    assert asked(position) == "The first player is drawn"
    over = table(2, round_number=6)
    assert over.over
    assert asked(over) == "The game is over"
    assert [words.round_name(number) for number in (0, 3)] == ["setup", "round 3"]


def test_no_such_action():
    position = table(hands=("B",))
    for ask in (position.game.display.describe, position.game.display.parts):
        with pytest.raises(ValueError, match="does not exist"):
            ask(NUM_ACTIONS, position.states[0])


# Options --------------------------------------------------------------------------------------
def test_the_form_asks_for_values_that_games_take():
    for num_players in (2, 3, 4):
        found = game_of(num_players)
        for field in found.display.options:
            usual = getattr(found.options(), field.name)
            assert usual in [one.value for one in field.values]
            for one in field.values:
                assert getattr(found.options(**{field.name: one.value}), field.name) == one.value
            assert len({one.label for one in field.values}) == len(field.values)


def test_options_that_are_not_usual_are_told_on_the_page():
    def told(**options) -> str:
        return options_text(Session(Setup((HUMAN, "random"), 1, options, game_of(2))))

    usual = game_of(2).options()
    assert told() == told(wild_order=list(usual.wild_order), board="coloured") == ""
    assert told(board="grey", keep="any") == "boards: grey stars; who passes keeps: up to four tiles, as they like"
    assert told(wild_order=list(COLOURS[::-1])) == "wild colours: red, blue, yellow, orange, green, purple"
    other = ["green", "purple", *COLOURS[2:]]
    assert told(wild_order=other) == f"wild colours: {', '.join(other)}"


def test_letters_of_tiles_are_coloured_on_the_text_board():
    colours = game_of(2).display.board_colours
    assert len(colours) == len(set(colours.values())) == len(COLOURS)
    found = {colour for pattern, colour in colours.items() if re.search(pattern, "P2 G 3O")}
    assert found == {"magenta", "green", "dark_orange"}
    assert not any(re.search(pattern, "Round 3, player Bernd, Yes") for pattern in colours)
