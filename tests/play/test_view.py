"""What a person is told and shown of a game: words, parts, and nothing that the other player did in secret."""

from __future__ import annotations

import json

import pytest

from azul_duel_env.game.options import offered_options
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.actions import decode
from azul_duel_env.games.duel.drawing.picture import parts
from azul_duel_env.games.duel.state import DRAWING, KEEPING, RETURNING
from azul_duel_env.play.choices import choices_of, steps_after
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.page_data import log_entry, options_text, page_data, setup_data
from azul_duel_env.play.reports import describe_events, seat_in_front
from azul_duel_env.play.session import Session

DRAW, STOP = GAME.text.parse_action("A draw"), GAME.text.parse_action("stop drawing")


def after_drawing(*seats, drawer):
    """Return a game in which one seat has drawn three dome tiles, kept one and put two back, in an order of its own."""
    session = Session(Setup(seats, 1, {"first_player": drawer}))
    while session.position.states[0].round_number == 0 or session.position.player != drawer:
        session.play(int(session.position.legal_actions()[0]))
    for action in (DRAW, DRAW, DRAW, STOP):
        session.play(action)
        if session.position.states[0].stage not in (DRAWING, KEEPING):
            break
    while session.position.states[0].stage in (KEEPING, RETURNING):
        session.play(int(session.position.legal_actions()[0]))
    return session


def choosing(session):
    """The numbers of the moves that kept a dome tile or put one back."""
    return [n for n, move in enumerate(session.moves) if move.before.states[0].stage in (KEEPING, RETURNING)]


def test_what_the_opponent_keeps_and_puts_back_is_not_named():
    session = after_drawing(HUMAN, "random", drawer=1)
    numbers = choosing(session)
    assert len(numbers) >= 2
    for number in numbers:
        entry = log_entry(session, number)
        assert entry["words"] in ("random keeps a dome tile", "random puts a dome tile under the stack")
        assert entry["journey"] == ("", "", None)
    seen = [
        sentence
        for entry in page_data(session, "wide", "light")["log"]
        for sentence, _ in entry["events"]
        if "looks at" in sentence
    ]
    assert seen
    assert set(seen) == {"random looks at a dome tile"}
    shown = json.dumps(page_data(session, "wide", "light"))
    assert "drawn-" not in shown


def test_ones_own_are_named_and_so_are_those_of_two_agents():
    for seats in ((HUMAN, "random"), ("random", "random")):
        session = after_drawing(*seats, drawer=0)
        for number in choosing(session):
            entry = log_entry(session, number)
            assert "the dome tile" in entry["words"]
            assert entry["journey"][0].startswith("drawn-")
        events = [sentence for move in session.moves for sentence in describe_events(session, move.events)]
        assert any("at the dome tile" in sentence for sentence in events)


def test_two_people_at_one_screen_keep_it_from_each_other():
    session = after_drawing(HUMAN, HUMAN, drawer=1)
    for number in choosing(session):
        assert " a dome tile" in log_entry(session, number)["words"]
    events = [sentence for move in session.moves for sentence in describe_events(session, move.events)]
    assert "Player 2 looks at a dome tile" in events
    assert not any("at the dome tile" in sentence for sentence in events)


def test_whoever_must_see_drawn_dome_tiles_sits_in_front():
    session = after_drawing(HUMAN, HUMAN, drawer=1)
    number = choosing(session)[0]
    assert seat_in_front(session) == 0
    session.position = session.moves[number].before.copy()
    assert seat_in_front(session) == 1
    keys = {key for choice in choices_of(session.position, session.names) for key in choice.keys}
    assert keys
    for key in keys:
        assert f'data-part="{key}"' in page_data(session, "wide", "light")["svg"]
    assert seat_in_front(Session(Setup(("random", HUMAN), 1))) == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_picking_parts_leads_to_every_action_and_to_no_other(seed):
    position = GAME.new(seed)
    for _ in range(60):
        choices = choices_of(position, ("Anna", "Ben"))
        assert [choice.action for choice in choices] == position.legal_actions().tolist()
        for choice in choices[:: max(1, len(choices) // 6)]:
            assert choice.keys == parts(choice.action, position.states[0])
            for depth, key in enumerate(choice.keys):
                [step] = [one for one in steps_after(choices, choice.keys[:depth]) if one.part.key == key]
                assert step.part.label == choice.labels[depth]
                assert choice in step.choices
            assert steps_after(choices, choice.keys) == []
        position.step(choices[(7 * seed) % len(choices)].action)


def test_the_words_for_how_a_dome_tile_is_turned_are_those_of_its_picture():
    """Rotations are asked last."""
    found = {}
    for choice in choices_of(GAME.new(seed=2), ("Anna", "Ben")):
        name, i = decode(choice.action)
        if name == "dome_display":
            found.setdefault(i[2], set()).add(choice.labels[-1])
    assert found == {0: {"as it lies"}, 1: {"turned by 90°"}, 2: {"turned by 180°"}, 3: {"turned by 270°"}}


def test_buttons_ask_and_show_what_is_picked_next():
    position = GAME.new(3, first_player=0)
    dome = choices_of(position, ("Anna", "Ben"))[1]
    assert [part.question for part in dome.parts[1:]] == ["Which slot of your dome?", "Which way round?"]
    tile = position.states[0].display[0]
    assert [part.image for part in dome.parts] == ["", "", f"tile?tile={tile}&rotation=1"]
    while position.round_number == 0:
        position.step(int(position.legal_actions()[0]))
    sun = next(choice for choice in choices_of(position, ("Anna", "Ben")) if choice.name.startswith("B small-1"))
    assert sun.parts[0].colour.startswith("#")
    assert (sun.parts[1].question, sun.parts[1].colour) == ("Onto which pattern line?", "")


@pytest.mark.parametrize("numbers", [(), (3,), (3, 4), (18, 0), ("x", 0), (-1, 0), ("²", 0)])
def test_a_component_is_told_by_its_numbers(numbers):
    tile = GAME.display.components["tile"]
    with pytest.raises(ValueError, match="expected tile, 0 to 17, and rotation, 0 to 3"):
        tile.picture(dict(zip(tile.sizes, map(str, numbers), strict=False)), "light")


def test_each_component_has_pictures_in_both_themes():
    for component in GAME.display.components.values():
        pictures = {
            component.picture({name: str(number % size) for name, size in component.sizes.items()}, theme)
            for number in range(max(component.sizes.values()))
            for theme in ("light", "dark")
        }
        assert len(pictures) >= 2 * max(component.sizes.values())
        assert all(picture.startswith("<svg") for picture in pictures)


def test_the_form_asks_for_each_option_that_commands_offer_and_its_values_are_legal():
    fields = {field["name"]: field for field in setup_data(GAME)["options"]}
    assert list(fields) == ["scoring_tiles", "zero_point_draw", "special_counts_as_colour", "chip_payments"]
    assert set(fields) == {option.name for option, _ in offered_options(GAME.options)}
    for name, field in fields.items():
        values = [value["value"] for value in field["values"]]
        assert field["default"] in values
        for value in values:
            GAME.make_options(**{name: value})
    elements = [element["value"] for element in fields["scoring_tiles"]["elements"]]
    GAME.make_options(scoring_tiles=elements[:3])
    assert not fields["chip_payments"]["is_named"]


def test_options_that_are_not_usual_are_in_sight():
    def text(**options):
        return options_text(Session(Setup((HUMAN, "random"), 1, options)))

    assert text() == text(scoring_tiles=3, zero_point_draw="free", special_counts_as_colour=True) == ""
    assert text(scoring_tiles=4) == "scoring tiles: 4 at random"
    named = text(scoring_tiles=["rows", "corners", "wild_spaces"], chip_payments="all")
    assert named == "scoring tiles: rows, wild spaces, corners; more bonus chips than needed may be turned over: yes"
