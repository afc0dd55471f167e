"""The drawing: everything on the table is in it, nothing hidden is, and each action has its parts."""

import itertools
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter

import numpy as np
import pytest

from azul_duel_env.duel.actions import NUM_ACTIONS, encode
from azul_duel_env.duel.components import COLOURS, EMPTY, NUM_COLOURS, NUM_PLAYERS
from azul_duel_env.duel.draw import LAYOUTS, draw
from azul_duel_env.duel.parts import parts
from azul_duel_env.duel.svg import GLYPH_PAINT, PAINT, TILE_PAINT
from azul_duel_env.duel.words import describe, question
from azul_duel_env.games import find_game
from tests.sizes import scaled

GAME = find_game("azul/duel-v0")
SVG = "{http://www.w3.org/2000/svg}"
NOT_DRAWN = re.compile(r"rotation-\d|button-\w+")


def walk(seed, **options):
    """Yield each position of a random game."""
    position, rng = GAME.new(seed, **options), np.random.default_rng(seed)
    while not position.over:
        yield position
        position = position.copy()
        position.step(int(rng.choice(position.legal_actions())))
    yield position


def walks(games, **options):
    return (position for seed in range(games) for position in walk(seed, **options))


def drawn(state, **options):
    return ElementTree.fromstring(draw(state, **options))


def keys_in(picture):
    return [group.get("data-part") for group in picture.iter(f"{SVG}g") if group.get("data-part")]


def uses(picture):
    """Count tiles, spaces and chips, without the little tiles above the counts of bag and tower."""
    return Counter(use.get("href")[1:] for use in picture.iter(f"{SVG}use") if float(use.get("width")) > 12)


def tiles_on(state):
    """Count the round tiles of each colour that lie on the table and the boards, and the special ones."""
    lying = Counter()
    for colour in range(NUM_COLOURS):
        lying[colour] += int(state.suns[:, colour].sum() + state.large_moon[colour] + state.broken[:, colour].sum())
        lying[colour] += int((state.moons == colour).sum() + (state.tiles == colour).sum())
        lying[colour] += int(state.lines[state.line_colours == colour].sum())
    lying[NUM_COLOURS] = int((state.tiles == NUM_COLOURS).sum())
    return lying


@pytest.mark.parametrize("layout", LAYOUTS)
def test_everything_on_the_table_is_drawn(layout):
    for number, position in enumerate(walks(scaled(6, 1))):
        if number % 5:
            continue
        state = position.states[0]
        found = uses(drawn(state, layout=layout))
        assert {kind: found[f"tile-{kind}"] for kind in range(NUM_COLOURS + 1)} == tiles_on(state)
        ups = state.chips_up.sum(axis=0) + [(state.factory_chips == kind).sum() for kind in range(10)]
        assert [found[f"chip-{kind}"] for kind in range(10)] == ups.tolist()
        assert found["chip-back"] == state.chips_down.sum() + (state.factory_chips == 10).sum()


def test_each_action_has_parts_of_its_own_and_they_are_in_the_picture():
    seen = set()
    for position in walks(scaled(8, 1)):
        state = position.states[0]
        legal = position.legal_actions()
        told = [parts(int(action), state) for action in legal]
        assert len(set(told)) == len(told)
        keys = set(keys_in(drawn(state, seat=max(position.player, 0))))
        for action, wanted in zip(legal, told, strict=True):
            assert {key for key in wanted if not NOT_DRAWN.fullmatch(key)} <= keys, (int(action), wanted)
            seen.add(wanted[0].split("-")[0])
    assert {"sun", "moon", "display", "stack", "bonus", "slot", "space", "button"} <= seen


def test_every_action_is_described_and_every_decision_asked_in_words():
    sentences = set()
    for position in walks(scaled(3, 1)):
        state = position.states[0]
        assert question(state, ("Ann", "Ben"))
        for action in position.legal_actions():
            told = describe(int(action), state, ("Ann", "Ben"))
            assert told.startswith(("Ann ", "Ben ")[position.player])
            sentences.add(told.split()[1])
    assert {"takes", "places", "draws", "puts", "moves", "leaves"} <= sentences


def test_who_is_called_you_is_addressed():
    position = GAME.new(1)
    action, names = int(position.legal_actions()[0]), ["Ann", "Ann"]
    assert " places " in describe(action, position.states[0], names)
    names[position.player] = "You"
    assert describe(action, position.states[0], names).startswith("You place ")
    assert question(position.states[0], names) == "You place a first dome tile"


def test_words_of_a_turn():
    state = next(position for position in walk(0) if position.states[0].round_number == 1).states[0]
    factory, colour = (int(place) for place in np.argwhere(state.suns > 0)[0])
    count = state.suns[factory, colour]
    words = describe(encode("sun", factory, colour, 2), state, ("Ann", "Ben"))
    assert words.endswith(f"takes {count} {COLOURS[colour]} from factory {factory + 1} to pattern line 3")
    assert describe(encode("sun", factory, colour, 6), state, ("Ann", "Ben")).endswith("to the broken tiles")


def test_nothing_hidden_is_drawn():
    drawing = 0
    for position in walks(scaled(30, 3)):
        state = position.states[0]
        for seat in range(NUM_PLAYERS):
            other = position.copy()
            GAME.resample(other.states, 0, seat, np.uint64(7))
            assert draw(state, seat=seat) == draw(other.states[0], seat=seat)
            drawing += other != position and state.hand_size > 0
    assert drawing or scaled(30, 3) < 30


def test_drawn_dome_tiles_are_shown_to_their_drawer_only():
    position = next(
        position
        for position in walks(40)
        if position.states[0].hand_size > 1 and (position.states[0].hand != EMPTY).sum() > 1
    )
    state, mine = position.states[0], int(position.states[0].active)
    theirs = [key for key in keys_in(drawn(state, seat=1 - mine)) if key.startswith("drawn")]
    assert theirs == []
    if position.legal_actions()[0] >= encode("dome_choose", 0):
        assert [key for key in keys_in(drawn(state, seat=mine)) if key.startswith("drawn")]


def styles_in(picture):
    return Counter(
        shape.get("class") for shape in picture.iter(f"{SVG}rect") if shape.get("class") in ("last", "legal", "heat")
    )


def test_the_last_move_is_marked():
    positions = list(walk(2))
    for before, after in itertools.pairwise(positions):
        action = next(int(action) for action in before.legal_actions() if _leads(before, int(action), after))
        picture = drawn(after.states[0], last_action=action, before=before.states[0])
        texts = [text.text for text in picture.iter(f"{SVG}text")]
        assert describe(action, before.states[0], ("player_0", "player_1")) in texts
        if not all(NOT_DRAWN.fullmatch(key) for key in parts(action, before.states[0])):
            assert styles_in(picture)["last"] > 0


def _leads(before, action, after):
    trial = before.copy()
    trial.step(action)
    return trial == after


def test_what_is_legal_is_marked_by_numbers_or_mask():
    position = next(position for position in walk(4) if position.states[0].round_number == 1)
    by_numbers = draw(position.states[0], legal=position.legal_actions())
    assert by_numbers == draw(position.states[0], legal=position.action_mask())
    assert by_numbers == draw(position.states[0], legal=position.action_mask().astype(bool))
    assert styles_in(ElementTree.fromstring(by_numbers))["legal"] > 5
    assert styles_in(drawn(position.states[0]))["legal"] == 0


def test_a_policy_is_shown_as_heat_with_percentages():
    position = next(position for position in walk(4) if position.states[0].round_number == 1)
    probabilities = np.zeros(NUM_ACTIONS)
    first, second = position.legal_actions()[[0, -1]]
    probabilities[first], probabilities[second] = 3.0, 1.0
    picture = drawn(position.states[0], probabilities=probabilities)
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert "75%" in texts or "75" in texts
    assert "25%" in texts or "25" in texts
    assert styles_in(picture)["heat"] >= 2


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_picture_needs_nothing_from_outside(theme, layout):
    text = draw(GAME.new(0).states[0], theme=theme, layout=layout, names=("<Ann> & Co", 'B"en'))
    ElementTree.fromstring(text)
    assert re.findall(r"(?:href|src)=\"(?!#)|url\(|@import", text) == []
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []


def test_a_width_can_be_asked_for():
    picture = drawn(GAME.new(0).states[0], width=640)
    assert (picture.get("width"), picture.get("height")) == ("640", str(round(640 * 548 / 800)))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"layout": "square"}, "layout must be one of wide, narrow"),
        ({"theme": "blue"}, "theme must be one of light, dark, auto"),
        ({"seat": 2}, "seat must be 0 or 1"),
        ({"names": ("one",)}, "names must be 2"),
        ({"last_action": 0}, "last_action needs before"),
        ({"probabilities": np.ones(3)}, "probabilities must be 400 numbers"),
        ({"probabilities": -np.ones(400)}, "probabilities must be 400 numbers"),
        ({"last_action": 400, "before": GAME.new(0).states[0]}, "action 400 does not exist"),
    ],
)
def test_wrong_arguments_are_told(options, expected):
    with pytest.raises(ValueError, match=expected):
        draw(GAME.new(0).states[0], **options)


def luminance(paint):
    channels = [int(paint[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", PAINT)
def test_text_and_glyphs_stand_out(theme):
    paint = PAINT[theme]
    for ground in ("ground", "card"):
        assert contrast(paint["ink"], paint[ground]) > 7
        assert contrast(paint["muted"], paint[ground]) > 4.5
    for tile, glyph in zip(TILE_PAINT, GLYPH_PAINT, strict=True):
        assert contrast(tile, glyph) > 2.5
