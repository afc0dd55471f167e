"""States of Azul Summer Pavilion Mini as text: exact both ways, and a clear word on every mistake."""

from __future__ import annotations

import random
from functools import cache

import pytest
from mini import VARIANTS, game_of, move, walks
from sizes import scaled
from spoilt import spoilt_text

from azul_duel_env.game.notation_parts import NotationError
from azul_duel_env.games.pavilion_mini.actions import PLACE_TILE
from azul_duel_env.games.pavilion_mini.components import NUM_COLOURS, PLAYER_COUNTS, SPACE_NUMBER
from azul_duel_env.games.pavilion_mini.state import BONUS, DISCARD, FILL_FACTORIES, PAY, PLACE, STAGES
from azul_duel_env.jit import COMPILED


# Round trips -------------------------------------------------------------------------------------------------------------
def check_round_trip(position):
    text = position.to_text()
    again = position.game.read_position(text)
    assert again.states.tobytes() == position.states.tobytes(), text
    assert again.to_text() == text
    assert text.isascii()
    assert text.endswith("\n")


@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
@pytest.mark.parametrize("explicit_chance", [False, True])
def test_every_state_comes_back_exactly(num_players, board, explicit_chance):
    met = set()
    games = walks(num_players, range(7, 7 + scaled(4)), board=board, explicit_chance=explicit_chance)
    for at, position in enumerate(games):
        stage = int(position.states["stage"][0])
        if COMPILED or at % 12 == 0 or position.over or stage not in met:
            check_round_trip(position)
        met.add(stage)
    if COMPILED:
        assert len(met) == (10 if explicit_chance else 6), [STAGES[stage] for stage in met]


# By hand -----------------------------------------------------------------------------------------------------------------
BY_HAND = """
azul/pavilion_mini-v0
players: 2
options: board=coloured wild_order=purple,green,orange,yellow,blue,red keep=most explicit_chance=no
round: 1
stage: place
active: 0
first player: 0
token: 0
factory 1: -
factory 2: -
factory 3: -
factory 4: -
factory 5: -
centre: -
supply: P2 G2 O2 Y2 B1 R1
deposit: -
scores: 5 | 3
passed: no | yes
hands: G1 P3 | R1
orange star: 1 2 3 4 5 6 | 1 2 3 4 5 6
red star: 1 2 3 4 5 6 | 1 2 3 4 5 6
blue star: 1 2 3 4B 5B 6 | 1 2 3 4 5 6
yellow star: 1 2 3 4 5 6 | 1 2 3 4 5 6
green star: 1 2 3 4 5 6 | 1 2 3 4 5 6
purple star: 1 2 3 4 5 6 | 1 2 3 4 5 6
centre star: 1 2 3 4 5 6P | 1 2 3 4 5 6
"""


def test_a_state_written_by_hand_needs_neither_bag_nor_generator():
    position = game_of(2).read_position(BY_HAND)
    assert position.states["bag"][0].tolist() == [16, 19, 20, 20, 19, 20]
    assert position.states["rng"][0] == position.decisions == 0
    assert position.player == 0
    names = {name for _, name in position.named_actions()}
    assert {"place green -> green 4", "place purple -> purple 3", "pass"} <= names
    assert "place purple -> centre 3" not in names, "a purple tile lies in the centre star"
    check_round_trip(position)


def test_lines_may_come_in_any_order_and_with_blanks():
    lines = BY_HAND.strip().splitlines()
    for seed in range(5):
        random.Random(seed).shuffle(others := lines[1:])
        assert game_of(2).read_position("\n\n  ".join([lines[0], *others])) == game_of(2).read_position(BY_HAND)


@cache
def text_at(stage, num_players=2, board="coloured", explicit_chance=False):
    """Return the text of the first position of games that stands at a stage, after the first round if there is one."""
    for position in walks(num_players, range(100), board=board, explicit_chance=explicit_chance):
        s = position.states[0]
        if s.stage == stage and s.round_number in (1, 2, 3):
            return position.to_text()
    raise AssertionError(f"no position at {STAGES[stage]}")


def test_sub_decisions_have_lines_of_their_own():
    assert "\nplacing: " in text_at(PAY)
    assert "\nowed: " in text_at(BONUS)
    assert not {"placing", "owed", "lowest"} & {line.partition(":")[0] for line in text_at(PLACE).splitlines()}
    position = game_of(2).read_position(text_at(DISCARD))
    while "lowest" not in position.to_text():
        move(position, random.Random(1), "random")
    check_round_trip(position)


@pytest.mark.parametrize("num_players", [2, 4])
def test_a_placement_asked_in_parts_has_its_line_too(num_players):
    position = game_of(num_players).read_position(text_at(PLACE, num_players))
    placement = next(action for action in position.legal_actions().tolist() if action >= PLACE_TILE)
    space, colour = divmod(int(placement - PLACE_TILE), NUM_COLOURS)
    state = position.states[0]
    state.space = space
    check_round_trip(position)
    state.colour = colour
    assert position.check(), "the payment is missing"
    state.wilds = max(0, int(SPACE_NUMBER[0, space]) - int(state.hands[state.active, colour]))
    check_round_trip(position)
    state.wilds = 6
    assert position.check()


# Mistakes ----------------------------------------------------------------------------------------------------------------
def with_line(text, name, value):
    """Return the text with another value in one line, added at the end where there was none."""
    lines = text.splitlines()
    at = [i for i, line in enumerate(lines) if line.startswith(f"{name}:")]
    if at:
        lines[at[0]] = f"{name}: {value}"
    else:
        lines.append(f"{name}: {value}")
    return "\n".join(lines)


def without_line(text, name):
    return "\n".join(line for line in text.splitlines() if not line.startswith(f"{name}:"))


OPTIONS = "board=coloured wild_order=purple,green,orange,yellow,blue,red keep=most explicit_chance=no"
EMPTY_STAR = "1 2 3 4 5 6 | 1 2 3 4 5 6"
MISTAKES = {
    "players": [
        ("3", "expected 2, for this is the game for so many players, not '3'"),
        ("5", "expected a number from 2 to 4, not '5'"),
        ("two", "expected a number from 2 to 4, not 'two'"),
    ],
    "options": [
        ("board=coloured", "expected name=value for each of board, wild_order, keep, explicit_chance"),
        (f"{OPTIONS} keep=most", "expected name=value for each"),
        (OPTIONS.replace("coloured", "brown"), r"expected a board \(coloured, grey\), not 'brown'"),
        (OPTIONS.replace("most", "all"), r"expected a keep \(most, any\), not 'all'"),
        (OPTIONS.replace("=no", "=maybe"), r"expected an explicit_chance \(no, yes\)"),
        (OPTIONS.replace(",red", ",blue"), "expected a wild_order such as purple,green,.* each colour once"),
    ],
    "round": [("7", "expected a number from 0 to 6, not '7'"), ("0", "E37")],
    "stage": [
        ("lunch", r"expected a stage \(fill supply, .*game over\), not 'lunch'"),
        ("take", "factories and centre"),
        ("pay", "what a sub-decision"),
        ("game over", "E37"),
        ("turn over", "what is drawn"),
    ],
    "active": [("2", "expected a number from 0 to 1, not '2'"), ("-", "E37"), ("1", "E37")],
    "first player": [("me", "expected a number from 0 to 1"), ("-", "E37")],
    "token": [("2", "expected a number from 0 to 1"), ("-", "expected a number from 0 to 1")],
    "factory 3": [
        ("PPPPP", "expected at most 4 colour letters, not 5"),
        ("PX", r"expected a colour letter \(P, G, O, Y, B, R\), not 'X'"),
        ("P", "factories and centre"),
    ],
    "centre": [("5B", "expected a colour letter of PGOYBR and a number, such as P5, not '5B'"), ("B1", "factories")],
    "supply": [("B11", "expected a number from 0 to 10, not '11'"), ("B6 R6", "at most 10 tiles in the supply")],
    "bag": [("B22", "E30"), ("B23", "expected a number from 0 to 22")],
    "deposit": [("B22", "every number within its range: bag"), ("B", "expected a colour letter")],
    "scores": [
        ("5", r"expected 2 parts, player 0 \| player 1, not '5'"),
        ("324 | 5", "expected a number from 0 to 323, not '324'"),
        ("300 | 5", "E34"),
    ],
    "passed": [("no | perhaps", r"expected an answer \(no, yes\)"), ("yes | yes", "E37")],
    "hands": [
        ("G1 | R1 | -", r"expected 2 parts, player 0 \| player 1"),
        ("G1 P3 | R5", "the corners"),
        ("- | -", "E36"),
    ],
    "blue star": [
        ("1 2 3 4 5 | 1 2 3 4 5 6", "expected 6 spaces, not '1 2 3 4 5'"),
        (
            "1 2 3 4 6 5 | 1 2 3 4 5 6",
            "expected the number 5 of the space, and the letter of the tile there, such as 5B, not '6'",
        ),
        ("1 2 3 4X 5 6 | 1 2 3 4 5 6", "expected the number 4 of the space.* not '4X'"),
        ("1 2 3 4G 5 6 | 1 2 3 4 5 6", "E32"),
    ],
    "placing": [
        ("blue", r"expected a space \(orange 1"),
        ("blue > centre 2", "expected 'COLOUR -> SPACE', such as blue -> centre 2, not 'blue > centre 2'"),
        ("centre 2, 1 wild", "expected 'COLOUR -> SPACE'"),
        ("pink -> centre 2", r"expected a colour \(purple, green"),
        ("blue -> moon 2", r"expected a space \(orange 1, orange 2"),
        ("blue -> centre 2", "what a sub-decision"),
    ],
    "owed": [("4", "expected a number from 0 to 3"), ("1", "what a sub-decision")],
    "lowest": [("pink", r"expected a colour \(purple"), ("red", "what a sub-decision")],
    "decisions": [("-1", "expected a number from 0 to 1200"), ("500", "E38")],
    "random": [("5", "expected 16 hexadecimal digits, not '5'"), ("G" * 16, "expected 16 hexadecimal digits")],
}
CASES = [(name, value, message) for name, values in MISTAKES.items() for value, message in values]


@pytest.mark.parametrize(("name", "value", "message"), CASES, ids=[f"{name}={value[:20]}" for name, value, _ in CASES])
def test_a_mistake_in_a_line_is_told(name, value, message):
    with pytest.raises(NotationError, match=message) as caught:
        game_of(2).read_position(with_line(BY_HAND.strip(), name, value))
    told = str(caught.value)
    assert told.startswith(f"line {name!r}: expected") or "no state of the game: broken are" in told


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "", "expected 'azul/pavilion_mini-v0' as the first line, not ''"),
        (lambda text: text.replace("mini-v0", "mini-v9"), "not 'azul/pavilion_mini-v9'"),
        (lambda text: text + "hello\n", "expected 'name: value', not 'hello'"),
        (lambda text: text + "weather: fine\n", "unknown line 'weather'; known are players, options, round"),
        (lambda text: text + "factory 6: -\n", "unknown line 'factory 6'"),
        (lambda text: text + "round: 1\n", "the line 'round' stands twice"),
        (lambda text: text + "owed: " + "1" * 400, "expected lines of at most 400 characters, not 406"),
    ],
)
def test_a_mistake_in_the_whole_text_is_told(change, message):
    with pytest.raises(NotationError, match=message):
        game_of(2).read_position(change(BY_HAND.strip() + "\n"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_missing_line_is_named(name):
    text = without_line(BY_HAND.strip(), name)
    if name in ("bag", "placing", "owed", "lowest", "decisions", "random"):
        game_of(2).read_position(text)
    else:
        with pytest.raises(NotationError, match=f"the line '{name}' is missing"):
            game_of(2).read_position(text)


def test_a_game_reads_no_text_of_another_number_of_players():
    for num_players in PLAYER_COUNTS:
        text = game_of(num_players).new(3, board="grey").to_text()
        for other in {*PLAYER_COUNTS} - {num_players}:
            with pytest.raises(NotationError, match=f"line 'players': expected {other}, .* not '{num_players}'"):
                game_of(other).read_position(text)


def test_the_numbers_are_those_of_the_side():
    text = with_line(BY_HAND.strip(), "options", OPTIONS.replace("coloured", "grey"))
    with pytest.raises(NotationError, match="line 'orange star': expected the number 3 of the space.* not '1'"):
        game_of(2).read_position(text)


# Spoilt texts ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_a_spoilt_text_is_refused_or_read_as_a_sound_state(num_players):
    rng = random.Random(num_players)
    texts = tuple(
        text_at(stage, num_players, board, explicit_chance=stage == FILL_FACTORIES)
        for stage in (PLACE, PAY, DISCARD, FILL_FACTORIES)
        for board in ("coloured", "grey")
    )
    read = 0
    for _ in range(scaled(600, least=40)):
        text = spoilt_text(rng.choice(texts), rng, texts)
        try:
            position = game_of(num_players).read_position(text)
        except NotationError:
            continue
        read += 1
        assert position.check() == []
        check_round_trip(position)
    assert read > 0


# What everybody sees -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_the_board_shows_the_table_and_what_is_decided(num_players, board):
    games = walks(num_players, range(3, 4), board=board, explicit_chance=True)
    for position in (position for at, position in enumerate(games) if at % 20 == 0 or position.over):
        shown = str(position)
        assert shown == str(position.resampled(0, 5)), "nothing is hidden but the generator"
        for line in ("wild: ", "round: ", "centre: ", "supply: ", "scores: ", "hands: ", "centre star: "):
            assert f"\n{line}" in f"\n{shown}"
        for word in ("random", "decisions", "options"):
            assert f"{word}:" not in shown
        assert shown.splitlines()[-1].startswith(f"player {position.player} decides: ") == (position.player >= 0)
        assert max(map(len, shown.splitlines())) <= 100


def test_the_board_of_a_position_in_full():
    assert str(game_of(2).read_position(BY_HAND)) == (
        """wild: purple
round: 1
stage: place
active: 0
first player: 0
token: 0
factory 1: -
factory 2: -
factory 3: -
factory 4: -
factory 5: -
centre: -
supply: P2 G2 O2 Y2 B1 R1
bag: P16 G19 O20 Y20 B19 R20
deposit: -
scores: 5 | 3
passed: no | yes
hands: P3 G1 | R1

             player 0           |  player 1
orange star: 1  2  3  4  5  6   |  1  2  3  4  5  6
red star:    1  2  3  4  5  6   |  1  2  3  4  5  6
blue star:   1  2  3  4B 5B 6   |  1  2  3  4  5  6
yellow star: 1  2  3  4  5  6   |  1  2  3  4  5  6
green star:  1  2  3  4  5  6   |  1  2  3  4  5  6
purple star: 1  2  3  4  5  6   |  1  2  3  4  5  6
centre star: 1  2  3  4  5  6P  |  1  2  3  4  5  6

player 0 decides: a turn: place a tile, or pass
"""
    )
