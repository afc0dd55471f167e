"""States, actions and draws as text: exact both ways, and a clear word on every mistake."""

from __future__ import annotations

import pytest
from places import POSITIONS
from sizes import scaled
from walks import choose, games, positions

from azul_duel_env.game.notation_parts import NotationError
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.actions import ACTIONS, BLOCKS, decode, encode
from azul_duel_env.games.duel.chance import NUM_OUTCOMES, SCORING_TILES_IN_MASK
from azul_duel_env.games.duel.state import CHANCES, NO_CHANCE, SCORING, STAGES, TURN
from azul_duel_env.jit import COMPILED

FILES = sorted(POSITIONS.glob("*.txt"))


# Round trips ------------------------------------------------------------------------------------------------------------
def check_round_trip(position):
    text = position.to_text()
    again = GAME.read_position(text)
    assert again.states.tobytes() == position.states.tobytes(), text
    assert again.to_text() == text
    assert text.isascii()
    assert text.endswith("\n")


def test_every_state_of_random_games_comes_back_exactly():
    for position in positions(scaled(1000, least=60), first_seed=400):
        check_round_trip(position)


def test_every_state_with_explicit_chance_comes_back_exactly():
    left = scaled(1500, least=90)
    met = set()
    for position, rng, policy in games(first_seed=410, explicit_chance=True):
        while not position.over and left > 0:
            check_round_trip(position)
            met.add((int(position.states["stage"][0]), int(position.states["chance"][0])))
            left -= 1
            if position.chance_is_due:
                position.draw_chance()
            else:
                position.step(choose(position, rng, policy))
        if left <= 0:
            break
    if COMPILED:
        assert {chance for _, chance in met} == set(range(len(CHANCES)))
        assert len({stage for stage, _ in met}) >= 12, [STAGES[stage] for stage, _ in met]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_saved_positions_stay_readable_word_for_word(path):
    assert GAME.read_position(path.read_text()).to_text() == path.read_text()


def test_what_says_nothing_may_be_left_out():
    position = next(p for p in positions(2000) if p.states["round_number"][0] == 2 and "put back" not in p.to_text())
    position.states["rng"] = 0
    text = position.to_text()
    short = "\n".join(line for line in text.splitlines() if not line.startswith(("bag:", "random:", "filled")))
    again = GAME.read_position(short)
    assert again == position
    assert GAME.read_position(text.replace("\n", "\n\n  ")) == position, "blank lines and indents don't matter"


# Actions and outcomes ---------------------------------------------------------------------------------------------------
def test_400_actions_have_400_names():
    assert len(set(ACTIONS.names)) == len(ACTIONS.names) == GAME.num_actions == 400


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_every_action_comes_back_from_its_name_and_its_indices(block):
    for action in range(block.first, block.first + block.size):
        name = GAME.text.action_name(action)
        assert GAME.text.parse_action(name) == action
        assert GAME.text.parse_action(f"  {name.upper().replace(' ', '   ')} ") == action
        found, indices = decode(action)
        assert found == block.name
        assert encode(found, *indices) == action


@pytest.mark.parametrize("action", [-1, 400, 10**9])
def test_an_action_out_of_range_has_no_name(action):
    with pytest.raises(ValueError, match="actions are 0 to 399"):
        GAME.text.action_name(action)


def test_a_wrong_action_name_is_answered_with_close_ones():
    with pytest.raises(ValueError, match="close names: 'B small-2 blue -> line 3'"):
        GAME.text.parse_action("B small-2 bleu -> line 3")
    with pytest.raises(ValueError, match="no action is called 'zzz'$"):
        GAME.text.parse_action("zzz")


@pytest.mark.parametrize(
    ("block", "indices", "message"),
    [
        ("nothing", (), "unknown action block 'nothing'.*sun, moon"),
        ("sun", (0, 0), r"sun takes indices below \(5, 5, 7\)"),
        ("sun", (0, 0, 7), r"sun takes indices below \(5, 5, 7\)"),
        ("moon", (-1, 0), r"moon takes indices below \(5, 7\)"),
        ("dome_draw", (1,), r"dome_draw takes indices below \(1,\)"),
    ],
)
def test_wrong_indices(block, indices, message):
    with pytest.raises(ValueError, match=message):
        encode(block, *indices)


@pytest.mark.parametrize("chance", range(1, len(CHANCES)), ids=lambda chance: CHANCES[chance])
def test_outcome_names_come_back(chance):
    outcomes = range(int(NUM_OUTCOMES[chance]))
    names = [GAME.text.outcome_name(chance, outcome) for outcome in outcomes]
    for outcome, name in zip(outcomes, names, strict=True):
        if chance == SCORING and SCORING_TILES_IN_MASK[outcome] == 0 and outcome:
            continue
        assert GAME.text.parse_outcome(chance, name) == outcome
        assert GAME.text.parse_outcome(chance, f" {name.replace(' ', '  ')} ") == outcome
    assert len(set(names)) == len(names)
    for outcome in (-1, len(outcomes)):
        with pytest.raises(ValueError, match="has no outcome"):
            GAME.text.outcome_name(chance, outcome)
    with pytest.raises(ValueError, match="is no outcome of this draw; outcomes: "):
        GAME.text.parse_outcome(chance, "pink")


def test_no_chance_has_no_outcome():
    with pytest.raises(ValueError, match="has no outcome 0"):
        GAME.text.outcome_name(NO_CHANCE, 0)


# Mistakes ---------------------------------------------------------------------------------------------------------------
def saved(name):
    return (POSITIONS / f"{name}.txt").read_text()


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


MISTAKES = {
    "options": [
        (
            "zero_point_draw=free zero_point_draw=free special_counts_as_colour=yes explicit_chance=no scoring_tiles=3",
            "expected name=value for each",
        ),
        ("zero_point_draw=free", "expected name=value for each of zero_point_draw"),
        (
            "zero_point_draw=never special_counts_as_colour=yes explicit_chance=no scoring_tiles=3",
            r"expected a zero_point_draw \(forced_only, free\), not 'never'",
        ),
        (
            "zero_point_draw=free special_counts_as_colour=yes explicit_chance=no scoring_tiles=5",
            r"expected a scoring_tiles \(3, 4\), not '5'",
        ),
    ],
    "round": [
        ("0", "the round fits the stage"),
        ("6", "expected a number from 0 to 5, not '6'"),
        ("one", "expected a number from 0 to 5, not 'one'"),
    ],
    "stage": [
        ("lunch", r"expected a stage \(refill display.*game over\), not 'lunch'"),
        ("turn, draw straw", r"expected a draw \(none, stack top"),
        ("game over", "E5"),
        ("drawing", "no state of the game"),
        ("ordering", "no state of the game"),
        ("column", "no state of the game"),
        ("examining", "no state of the game"),
        ("turn, draw tile", "no state of the game"),
    ],
    "active": [("2", "expected a number from 0 to 1, not '2'"), ("me", "expected a number from 0 to 1")],
    "decisions": [("-1", "expected a number from 0 to 545"), ("480", "E21"), ("700", "from 0 to 545")],
    "first player": [("2", "expected a number from 0 to 1"), ("-", "E12")],
    "first-player tile": [("small", "expected a number from 0 to 1, not 'small'")],
    "scoring": [
        ("rows squares", r"expected a scoring tile \(rows, columns"),
        ("rows", "no state of the game|expected"),
        ("rows five_colours corners empty_special_spaces", "no state of the game|expected"),
    ],
    "small-1": [
        ("sun BBBB", "expected 'sun TILES, moon TILES, chip CHIP'"),
        ("sun BG, moon -, chip down", r"expected a colour letter \(B, T, R, Y, K\), not 'G'"),
        ("sun -, moon BBBB, chip down", "expected at most 3 tiles on a small moon, not 'BBBB'"),
        ("sun BTRY, moon -, chip QQ", r"expected a bonus chip \(B, T, R"),
        ("sun BBBBB, moon -, chip down", "E1"),
        ("sun " + "B" * 300 + ", moon -, chip down", "E1|expected"),
    ],
    "large": [
        ("sun B, moon -, chip B", "expected 'sun TILES, moon TILES'"),
        ("sun " + "B" * 14 + ", moon -", "within its range: suns"),
    ],
    "bag": [
        ("5B", "expected a colour letter of BTRYK and a number, such as B5, not '5B'"),
        ("B", "expected a colour letter"),
        ("B14", "within its range: bag"),
        ("B200", "E1|expected"),
    ],
    "tower": [("G1", "expected a colour letter"), ("B99999999999", "E1|expected")],
    "display": [
        ("YK/T*", "expected 3 dome tiles or -, not 'YK/T\\*'"),
        ("YK/T* - XX/XX", r"expected a dome tile \(YK/T\*.*, not 'XX/XX'"),
        ("YK/T* YK/T* -", "E3"),
    ],
    "stack": [
        ("many", "expected 'N unseen, special on top', not 'many'"),
        ("19 unseen", "expected a number from 0 to 18, not '19'"),
        ("3 unseen, blue on top", r"expected a kind \(special, wild\), not 'blue'"),
        ("1 unseen, wild on top", "E3"),
    ],
    "row 1": [
        (". -- -- -- -- -- --", r"expected 2 parts, player 0 \| player 1"),
        (". -- -- -- -- -- | . -- -- -- -- -- --", "expected a pattern line and six spaces"),
        (".. -- -- -- -- -- -- | . -- -- -- -- -- --", "expected 1 dots or letters of one colour from the right"),
        (". .q -- -- -- -- -- | . -- -- -- -- -- --", r"expected a tile or '\.', then one of btryk\*w, or '--'"),
        (". .b -- -- -- -- -- | . -- -- -- -- -- --", "player 0, slot 1-1: no dome tile shows"),
    ],
    "row 3": [("BT. -- -- -- -- -- -- | ... -- -- -- -- -- --", "expected 3 dots or letters of one colour")],
    "scores": [
        ("5", "expected 2 numbers, not '5'"),
        ("5 x", "expected a number from 0 to 507, not 'x'"),
        ("600 5", "from 0 to 507"),
        ("400 5", "E13"),
    ],
    "tokens": [("3 0", "expected a number from 0 to 2, not '3'")],
    "broken": [
        ("B1", r"expected 2 parts, player 0 \| player 1"),
        ("B1 | x", "expected a colour letter"),
        ("B300 | -", "E9|expected"),
    ],
    "chips up": [
        ("QQ | -", "expected a bonus chip"),
        ("B B B | -", "within its range: .*chips_up"),
        ("B " * 250 + "| -", "E4|expected"),
    ],
    "chips down": [("-", "expected 2 parts")],
    "chips taken": [("0 3", "expected a number from 0 to 2, not '3'")],
    "put back": [
        ("YK/T*", "expected 'by PLAYER: DOME TILES', at most 12 tiles"),
        ("by 2: YK/T*", "expected a number from 0 to 1, not '2'"),
        ("by 0: XX/XX", "expected a dome tile"),
        ("by 0:" + " YK/T*" * 13, "at most 12 tiles"),
        ("by 0: YK/T* YK/T*", "E3"),
    ],
    "looked at": [
        ("YK/T*", "expected 2 parts"),
        ("XX/XX | -", "expected a dome tile"),
        ("YK/T* | -", "no state of the game"),
    ],
    "hand": [
        ("YK/T*", "expected 'DOME TILE from stack' or 'DOME TILE from PLAYER'"),
        ("XX/XX from 0", r"expected a dome tile or kind \("),
        ("special from 7", "expected a number from 0 to 1, not '7'"),
        (", ".join(["special from stack"] * 14), "expected 'DOME TILE from stack'"),
    ],
    "kept": [("XX/XX", "expected a dome tile")],
    "returned": [("13", "expected a number from 0 to 12"), ("3", "no state of the game")],
    "filled factories": [("6", "expected a number from 0 to 5")],
    "ordering": [("large", r"expected a small factory \(small-1"), ("small-1", "what a sub-decision")],
    "line": [
        ("0", "expected a number from 1 to 6"),
        ("7", "expected a number from 1 to 6"),
        ("3", "no state of the game"),
    ],
    "paid": [("1", "expected 2 numbers"), ("13 0", "expected a number from 0 to 12"), ("3 3", "no state of the game")],
    "random": [("5", "expected 16 hexadecimal digits, not '5'"), ("G" * 16, "expected 16 hexadecimal digits")],
}
CASES = [(name, value, message) for name, values in MISTAKES.items() for value, message in values]


@pytest.mark.parametrize(
    ("name", "value", "message"), CASES, ids=[f"{name}={value[:30]}-{i}" for i, (name, value, _) in enumerate(CASES)]
)
def test_a_mistake_in_a_line_is_told(name, value, message):
    with pytest.raises(NotationError, match=message) as caught:
        GAME.read_position(with_line(saved("perft-first-turn"), name, value))
    told = str(caught.value)
    assert f"line {name!r}" in told or "no state of the game" in told or "no dome tile shows" in told


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "", "expected 'azul/duel-v0' as the first line, not ''"),
        (lambda text: text.replace("azul/duel-v0", "azul/duel-v9"), "not 'azul/duel-v9'"),
        (lambda text: text + "hello\n", "expected 'name: value', not 'hello'"),
        (lambda text: text + "weather: fine\n", "unknown line 'weather'; known are options, round"),
        (lambda text: text + "round: 1\n", "the line 'round' stands twice"),
    ],
)
def test_a_mistake_in_the_whole_text_is_told(change, message):
    with pytest.raises(NotationError, match=message):
        GAME.read_position(change(saved("perft-opening")))


@pytest.mark.parametrize("name", [name for name in MISTAKES if name not in ("bag",)])
def test_a_missing_line_is_named(name):
    text = saved("perft-first-turn")
    rare = (
        "put back",
        "looked at",
        "hand",
        "kept",
        "returned",
        "filled factories",
        "ordering",
        "line",
        "paid",
        "random",
    )
    if name in rare:
        GAME.read_position(without_line(text, name))
    else:
        with pytest.raises(NotationError, match=f"the line '{name}' is missing"):
            GAME.read_position(without_line(text, name))


# What everybody sees ----------------------------------------------------------------------------------------------------
def test_the_board_shows_nothing_hidden():
    """It is the same for all states that a player can't tell apart, and so is what is being decided."""
    for position in positions(scaled(1000, least=60), first_seed=600):
        for viewer in (0, 1):
            other = position.resampled(viewer, position.decisions)
            assert str(other) == str(position), f"for player {viewer}, of\n{position.to_text()}"
            assert repr(other) == repr(position)


def test_the_board_shows_what_everybody_sees():
    position = next(
        p
        for p in positions(3000, first_seed=3)
        if p.states["put_back"][0, 0] >= 0 and p.player == 1 and p.states["stage"][0] == TURN
    )
    board = str(position)
    assert "player 1 decides: " in board
    for word in ("random", "looked at", "hand:", "kept:"):
        assert word not in board
    for word in ("scores: ", "bag: ", "display: ", "stack: ", "put back: ", "row 6: "):
        assert word in board
