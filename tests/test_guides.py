"""Games explained at the table: topics, lessons, why a part can't be picked, and what comes of an action, which must be so."""

from __future__ import annotations

import random
import re

import pytest

from azul_duel_env.games import GAMES, find_game
from azul_duel_env.games.duel import GAME as DUEL
from azul_duel_env.games.duel.components import BROKEN_PENALTY
from azul_duel_env.games.duel.state import TURN

ALL = [(game_id, count) for game_id in GAMES for count in find_game(game_id).player_counts]
MINUS = "\N{MINUS SIGN}"


def decisions(game, games, seed=1, **options):
    """Walk through games of random play, and give each position with the action that is then taken."""
    chooser = random.Random(seed)
    for number in range(games):
        position = game.new(number, **options)
        while not position.over:
            action = chooser.choice(position.legal_actions().tolist())
            yield position, action
            position.step(action)


def keys_in(position):
    return set(re.findall(r'data-part="([^"]+)"', position.game.display.picture(position.states[0]).svg()))


@pytest.mark.parametrize(("game_id", "players"), ALL)
def test_everything_that_can_be_picked_or_asked_about_has_a_topic(game_id, players):
    game = find_game(game_id).of({"num_players": players})
    guide = game.display.guide
    names = [topic.name for topic in guide.topics]
    assert len(set(names)) == len(names)
    for topic in guide.topics:
        assert topic.title
        assert all(paragraph.strip() and paragraph.strip()[-1] in ".:" for paragraph in topic.text.split("\n\n"))
        assert "{" not in topic.text
    seen, stages = set(), set()
    for position, _ in decisions(game, 2):
        state = position.states[0]
        if int(state.stage) in stages and position.decisions % 10:
            continue
        stages.add(int(state.stage))
        svg = game.display.picture(state).svg()
        assert set(re.findall(r'data-topic="([^"]+)"', svg)) <= set(names)
        seen |= keys_in(position)
    prefixes = tuple(prefix for topic in guide.topics for prefix in topic.parts)
    assert {key for key in seen if not key.startswith(prefixes)} == set()
    assert all(
        any(key.startswith(prefix) for key in seen | {"button-keep"}) for prefix in prefixes if prefix != "drawn-"
    )


@pytest.mark.parametrize(("game_id", "players"), ALL)
def test_there_is_a_lesson_for_each_decision_and_its_parts_exist(game_id, players):
    game = find_game(game_id).of({"num_players": players})
    told = set()
    for position, action in decisions(game, 3):
        lessons = game.display.guide.lessons(position.states[0])
        assert lessons
        told |= {lesson.name for lesson in lessons}
        keys = {part.key for part in game.display.parts(action, position.states[0])}
        assert all(lesson.title and lesson.text for lesson in lessons)
        assert keys
    assert len(told) > 7


@pytest.mark.parametrize(("game_id", "players"), ALL)
def test_what_can_not_be_picked_has_a_reason_that_is_a_sentence(game_id, players):
    game = find_game(game_id).of({"num_players": players})
    reasons = set()
    for position, _ in decisions(game, 1):
        if position.decisions % 6:
            continue
        state = position.states[0]
        first = {game.display.parts(action, state)[0].key for action in position.legal_actions().tolist()}
        for key in keys_in(position) - first:
            reasons.add(game.display.guide.why_not(key, (), state))
    assert len(reasons) > 8
    assert all(re.fullmatch(r"[A-Z].+\.", reason) for reason in reasons), reasons


def test_a_line_says_why_it_refuses_a_colour():
    for position, _ in decisions(DUEL, 1, seed=3):
        state = position.states[0]
        seat = int(state.active)
        held = [line for line in range(6) if 0 < state.lines[seat, line] <= line]
        if held and state.stage == TURN:
            break
    colour = "blue" if state.line_colours[seat, held[0]] != 0 else "red"
    told = DUEL.display.guide.why_not(f"line-{seat}-{held[0]}", (f"sun-0-{colour}",), state)
    assert told.startswith(f"Pattern line {held[0] + 1} holds ")
    assert told.endswith(f"so {colour} can't go there.")
    assert "other player" in DUEL.display.guide.why_not(f"line-{1 - seat}-0", (), state)


def test_points_foretold_for_a_tile_of_the_dome_are_those_it_gets():
    checked = 0
    for position, action in decisions(DUEL, 8):
        state = position.states[0]
        words = DUEL.display.guide.preview(action, state).words
        if not words.startswith("scores"):
            continue
        [tile, *others] = [event for event in position.events(action) if event.kind in ("tile_placed", "special_tile")]
        special = [event.points for event in others[:1] if event.kind == "special_tile"]
        points = tile.points + sum(special)
        assert words == f"scores {points} point{'' if points == 1 else 's'}"
        assert DUEL.display.parts(action, state)[-1].label.endswith(words.removeprefix("scores "))
        checked += 1
    assert checked > 40


def test_what_is_said_to_break_breaks():
    checked = 0
    for position, action in decisions(DUEL, 4, seed=2):
        state = position.states[0]
        preview = DUEL.display.guide.preview(action, state)
        broken = [
            event for event in position.events(action) if event.kind == "tiles_broken" and event.examined_line is None
        ]
        if not broken:
            assert not any(key.startswith("broken-") for key in preview.parts)
            continue
        seat, count = position.player, broken[0].count
        before = int(state.broken[seat].sum())
        cost = int(BROKEN_PENALTY[min(before + count, 4)] - BROKEN_PENALTY[before])
        assert f"{count} break" in preview.words
        assert (f"{MINUS}{cost} point" if cost else "no further cost") in preview.words
        assert f"broken-{seat}" in preview.parts
        checked += 1
    assert checked > 10


@pytest.mark.parametrize("board", ["coloured", "grey"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_points_and_tiles_foretold_in_the_mini_are_those_that_come(players, board):
    game = find_game("azul/pavilion_mini-v0").of({"num_players": players})
    checked = dict.fromkeys(("tile_placed", "tiles_owed", "token_taken"), 0)
    for position, action in decisions(game, 3, board=board):
        words = game.display.guide.preview(action, position.states[0]).words
        happened = {event.kind: event for event in position.events(action)}
        for kind in checked:
            checked[kind] += kind in happened
        if "tile_placed" in happened:
            assert re.match(r"\d+", words)[0] == str(happened["tile_placed"].points)
            assert ("supply" in words) == ("tiles_owed" in happened)
        if "tiles_owed" in happened:
            assert f": {happened['tiles_owed'].count} tile" in words
        if "token_taken" in happened:
            lost = -happened["token_taken"].points
            assert (f"{MINUS}{lost} point" if lost else "no points") in words
    assert all(checked.values())


def test_prices_and_counts_stand_in_questions_and_on_buttons():
    counted, priced = set(), set()
    for position, _ in decisions(DUEL, 4, seed=5):
        state = position.states[0]
        priced.add(DUEL.display.question(state))
        for action in position.legal_actions().tolist():
            counted.add(DUEL.display.parts(action, state)[0].label)
    assert any(re.fullmatch(r"\d \w+ from the moons, and the first-player tile", label) for label in counted)
    assert any(
        re.fullmatch(r"Finish pattern line \d \(\w+, 1 missing\): two matching chips, or any three\?", asked)
        for asked in priced
    )
