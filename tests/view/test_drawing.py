from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from boards import TURN as TURN_BOARD
from boards import board
from places import GOLDEN, POSITIONS
from sizes import scaled
from walks import choose, positions

from azul_duel_env.games.duel import GAME, events
from azul_duel_env.games.duel.actions import DOME_CHOOSE, NUM_ACTIONS, action_name, encode, parse_action
from azul_duel_env.games.duel.components import COLOURS, EMPTY, KIND_OF, NUM_COLOURS, NUM_DOME_TILES, SPECIAL, UNKNOWN
from azul_duel_env.games.duel.drawing import picture as drawing
from azul_duel_env.games.duel.drawing import themes
from azul_duel_env.games.duel.drawing.geometry import layout_of
from azul_duel_env.games.duel.drawing.parts import is_drawn, parts
from azul_duel_env.games.duel.drawing.view import Seen
from azul_duel_env.games.duel.state import KEEPING, RETURNING
from azul_duel_env.view.drawing import styles
from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.overlays import draw_heat, draw_last, shares_of
from azul_duel_env.view.drawing.svg import Rect
from azul_duel_env.view.picture import LAYOUTS, PAGE_LAYOUTS, Card

PATHS = sorted(POSITIONS.glob("*.txt"))
DRAWINGS = GOLDEN / "drawings.txt"
GOLDEN_POSITIONS = ("hidden-kept-0", "perft-column", "perft-keeping", "perft-opening", "perft-ordering", "perft-paying")
SVG = "{http://www.w3.org/2000/svg}"


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def drawn_keys(svg: str) -> list[str]:
    return re.findall(r'data-part="([^"]+)"', svg)


def read(path: Path):
    return GAME.read_position(path.read_text(encoding="utf-8"))


def legal_of(position) -> list[int]:
    return position.legal_actions().tolist()


def decided(count: int, first_seed: int = 0):
    """Yield positions in which a player decides."""
    return (position for position in positions(count, first_seed) if not position.over)


# Golden drawings ------------------------------------------------------------------------------
def outline(svg: str) -> list[str]:
    """Return what a drawing shows, piece by piece: key and label, symbols, texts, classes; no coordinates."""
    lines = []
    for piece in list(parse(svg))[2:]:
        inside = [one for one in piece.iter() if one.get("class") != "hit"]
        symbols = [one.get("href", "").split("-")[1] for one in inside if one.tag == SVG + "use"]
        texts = [repr(one.text) for one in inside if one.text]
        classes = sorted({one.get("class", "") for one in inside} - {""})
        head = [f"{piece.get('data-part')} | {piece.get('aria-label')}"] if piece.get("data-part") else []
        lines.append(" | ".join(filter(None, [*head, " ".join(symbols), " ".join(texts), ", ".join(classes)])))
    return lines


def golden_text() -> str:
    """Return the outlines of drawings of some positions, from the side of whoever decides and from the other in turn."""
    lines = []
    for number, path in enumerate(path for path in PATHS if path.stem in GOLDEN_POSITIONS):
        position = read(path)
        seat = (max(0, position.player) + number) % 2
        lines += [f"== {path.stem}, seat {seat}", *outline(drawing.draw(position.states[0], seat=seat))]
    return "\n".join(lines) + "\n"


def test_golden_drawings():
    """Written anew by ``PYTHONPATH=tests/support python tests/view/test_drawing.py``, when drawings are meant to change."""
    assert golden_text().splitlines() == DRAWINGS.read_text(encoding="utf-8").splitlines()


# Parts ----------------------------------------------------------------------------------------
@pytest.mark.untraced
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_part_of_every_legal_action_is_drawn(layout):
    for position in decided(scaled(400, 12), 1):
        state = position.states[0]
        svg = drawing.draw(state, layout=layout, seat=position.player)
        present = set(drawn_keys(svg))
        for action in legal_of(position):
            for key in filter(is_drawn, parts(action, state)):
                assert key in present, f"{action_name(action)}: {key}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_parts_of_known_positions_are_the_things_that_actions_move(path):
    """What an action takes away is where its first part was: each bonus chip, display place and dome tile is another one."""
    position = read(path)
    if position.player < 0:
        return
    state = position.states[0]
    present = set(drawn_keys(drawing.draw(state, seat=position.player)))
    keys = {key for action in legal_of(position) for key in parts(action, state) if is_drawn(key)}
    assert keys <= present
    revealed = {f"bonus-{i}" for i, chip in enumerate(state.factory_chips.tolist()) if 0 <= chip < 10}
    assert {key for key in present if key.startswith("bonus-")} == revealed
    for action in legal_of(position):
        key = parts(action, state)[0]
        if key.startswith("bonus-"):
            after = position.copy()
            after.step(action)
            assert key not in drawn_keys(drawing.draw(after.states[0], seat=position.player))


def test_a_bonus_chip_is_its_part():
    state = GAME.new(1).states[0]
    assert [parts(encode("bonus_take", i), state) for i in range(4)] == [(f"bonus-{i}",) for i in range(4)]


def test_no_two_legal_actions_have_the_same_parts_or_words():
    for position in decided(scaled(400, 12), 2):
        state, legal = position.states[0], legal_of(position)
        assert len({parts(action, state) for action in legal}) == len(legal)
        assert len({GAME.display.describe(action, state) for action in legal}) == len(legal)


def test_parts_come_in_the_order_of_picking():
    state = GAME.new(1).states[0]
    assert parts(encode("sun", 2, 0, 3), state) == ("sun-2-blue", f"line-{state.active}-3")
    assert parts(encode("moon", 4, 6), state) == ("moon-black", f"broken-{state.active}")
    assert parts(encode("dome_display", 1, 4, 3), state) == ("display-1", f"slot-{state.active}-4", "rotation-3")
    assert parts(encode("dome_draw"), state) == ("stack",)
    assert parts(encode("dome_stop"), state) == ("button-dome_stop",)
    with pytest.raises(ValueError, match="does not exist"):
        parts(NUM_ACTIONS, state)


def test_only_tiles_on_the_moons_are_several_groups():
    for position in positions(scaled(200, 8), 3):
        for layout in PAGE_LAYOUTS:
            keys = drawn_keys(drawing.draw(position.states[0], layout=layout))
            repeated = {key for key in keys if keys.count(key) > 1}
            assert all(key.startswith("moon-") for key in repeated)


@pytest.mark.parametrize("layout", ["narrow", "phone"])
def test_a_finger_finds_each_part_of_a_narrow_drawing(layout):
    least = {"line": (19, 35), "column": (35, 35), "chip": (32, 38)}
    topic = (26, 26)
    for position in positions(scaled(100, 6), 4):
        root = parse(drawing.draw(position.states[0], layout=layout))
        for group in root.iter(SVG + "g"):
            for area in group:
                if area.get("class") == "hit":
                    key = group.get("data-part")
                    width, height = topic if key is None else least.get(key.split("-")[0], (36, 36))
                    assert float(area.get("width")) >= width, group.get("data-part")
                    assert float(area.get("height")) >= height, group.get("data-part")


def test_each_part_has_a_label_in_words():
    for position in positions(scaled(60, 6), 5):
        for group in parse(drawing.draw(position.states[0])).iter(SVG + "g"):
            if group.get("data-part"):
                assert re.fullmatch(r"[a-z0-9][a-z0-9 ',:;/_-]+", str(group.get("aria-label"))), group.attrib


# What is in the picture -----------------------------------------------------------------------
def shown_tiles(svg: str, tile: int) -> int:
    return len(re.findall(rf'href="#azl-t{tile}"', svg))


@pytest.mark.untraced
@pytest.mark.parametrize("layout", PAGE_LAYOUTS)
def test_the_picture_has_as_many_tiles_as_the_state(layout):
    for position in positions(scaled(300, 10), 6):
        state = position.states[0]
        svg = drawing.draw(state, layout=layout, seat=1)
        for colour in range(NUM_COLOURS):
            hidden = int(state.bag[colour]) + int(state.tower[colour])
            assert shown_tiles(svg, colour) - 1 == 13 - hidden  # one stands above the numbers of bag and tower
        assert shown_tiles(svg, SPECIAL) == int((state.tiles == SPECIAL).sum())


def test_the_picture_has_scores_round_and_counts():
    for position in positions(scaled(100, 6), 7):
        state = position.states[0]
        texts = {one.text for one in parse(drawing.draw(state)).iter() if one.text}
        assert {str(int(score)) for score in state.scores} <= texts
        assert f"Bag {int(state.bag.sum())}" in texts
        assert f"Tower {int(state.tower.sum())}" in texts
        assert (f"Round {int(state.round_number)}" if state.round_number else "Opening") in texts


def test_svg_is_one_sound_image_that_needs_nothing_from_elsewhere():
    for position in positions(scaled(60, 6), 8):
        for theme in styles.THEMES:
            svg = drawing.draw(
                position.states[0], theme=theme, layout=random.Random(position.decisions).choice(LAYOUTS)
            )
            root = parse(svg)
            ids = [one.get("id") for one in root.iter() if one.get("id")]
            assert len(set(ids)) == len(ids)
            used = {one.get("href") for one in root.iter(SVG + "use")}
            assert used <= {f"#{name}" for name in ids}
            assert "url(" not in svg
            assert svg.count("http") == 1  # the name of the language


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_note_stands_in_the_status_as_far_as_there_is_room(layout):
    state = GAME.new(1).states[0]

    def texts(note: str) -> list[str]:
        return [
            one.text for one in parse(drawing.draw(state, layout=layout, note=note)).iter() if one.get("class") == "s a"
        ]

    assert texts("") == []
    if layout == "narrow":  # the question of the opening fills it
        assert texts("word") == []
        return
    assert texts("Anna takes 3 blue") == ["Anna takes 3 blue"]
    long = texts("word " * 60)
    assert long[-1].endswith("word…")
    assert len(long) == 2


def test_names_are_text():
    names = ("<script>alert(1)</script>", 'Ann "&" Bob with a name that is much too long for its place on the board')
    svg = drawing.draw(GAME.new(1).states[0], names=names)
    texts = [one.text for one in parse(svg).iter() if one.text]
    assert any(text.startswith("<script>") for text in texts)
    assert any(text.endswith("…") for text in texts)
    assert "<script" not in svg


def test_the_own_board_is_below_and_in_the_narrow_layout_first():
    state = GAME.new(1).states[0]
    for layout, own_first in (("wide", False), ("narrow", True)):
        for seat in (0, 1):
            root = parse(drawing.draw(state, layout=layout, seat=seat))
            top = {
                group.get("data-part"): float(next(iter(group.iter(SVG + "rect"))).get("y"))
                for group in root.iter(SVG + "g")
                if group.get("data-part")
            }
            assert (top[f"line-{seat}-0"] < top[f"line-{1 - seat}-0"]) == own_first


def test_width_and_notebooks():
    position = GAME.new(1)
    root = parse(drawing.draw(position.states[0], width=400))
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("400", "361", "0 0 800 722")
    assert position._repr_svg_() == drawing.draw(position.states[0], theme="auto")


def test_turned_dome_tiles():
    for rotation in range(4):
        svg = drawing.turned(0, rotation)  # yellow, black / turquoise, special
        shown = re.findall(r'href="#azl-s(\d)"', svg)
        order = [3, 4, 1, 5]
        turns = {0: (0, 1, 2, 3), 1: (2, 0, 3, 1), 2: (3, 2, 1, 0), 3: (1, 3, 0, 2)}
        assert [int(one) for one in shown] == [order[place] for place in turns[rotation]]
        parse(svg)


# Nothing hidden -------------------------------------------------------------------------------
@pytest.mark.untraced
def test_the_drawing_shows_nothing_that_the_seat_may_not_know():
    """All that a seat can't know is drawn anew, and the picture stays the same: fronts put back, drawn and kept, and legal actions."""
    changed = 0
    for position in positions(scaled(300, 40), 9):
        for viewer in (0, 1):
            other = position.resampled(viewer, position.decisions)
            changed += position.states[["put_back", "hand", "kept"]] != other.states[["put_back", "hand", "kept"]]
            svgs = [
                drawing.draw(one.states[0], layout=layout, seat=viewer, legal=one.legal_actions(), note="")
                for one in (position, other)
                for layout in LAYOUTS
            ]
            assert svgs[:2] == svgs[2:]
    assert changed


@pytest.mark.parametrize("path", [path for path in PATHS if "hidden" in path.stem], ids=lambda path: path.stem)
def test_hidden_positions_look_the_same_to_who_may_not_know(path):
    position = read(path)
    viewer = int(path.stem[-1])
    shown = {drawing.draw(position.resampled(viewer, seed).states[0], seat=viewer) for seed in range(scaled(30, 5))}
    assert len(shown) == 1


def test_what_the_other_player_keeps_and_puts_back_is_neither_marked_nor_named():
    seen = 0
    for position in decided(scaled(1200, 40), 1):
        if position.states[0].stage not in (KEEPING, RETURNING):
            continue
        seen += 1
        state, viewer, after = position.states[0], 1 - position.player, position.copy()
        action = legal_of(position)[0]
        after.step(action)
        svg = drawing.draw(after.states[0], seat=viewer, before=state, last_action=action)
        assert "drawn-" not in svg
        assert "drawn-" in drawing.draw(state, seat=position.player)
        assert len({GAME.display.describe(one, state, seat=viewer) for one in legal_of(position)}) == 1
        assert len({GAME.display.describe(one, state) for one in legal_of(position)}) > 1
    assert seen


# Overlays -------------------------------------------------------------------------------------
def pieces_of(state, **how) -> list[str]:
    return [piece.svg for piece in drawing.picture(state, **how).pieces]


def test_legal_actions_are_outlined():
    for position in decided(scaled(60, 5), 10):
        state, legal = position.states[0], position.legal_actions()
        seat = position.player
        keys = {key for action in legal.tolist() for key in parts(action, state) if is_drawn(key)}
        groups = drawn_keys(drawing.draw(state, seat=seat))
        expected = sum(groups.count(key) > 0 for key in keys)
        for given in (legal, legal.tolist(), position.action_mask(), position.action_mask().astype(bool)):
            added = pieces_of(state, seat=seat, legal=given)[len(pieces_of(state, seat=seat)) :]
            assert len(added) == expected
            assert all('class="legal"' in piece for piece in added)


def test_probabilities_are_summed_by_part_and_written_as_percentages():
    position = GAME.new(1)
    state, legal = position.states[0], legal_of(position)
    probabilities = np.zeros(NUM_ACTIONS)
    probabilities[legal[:2]] = 0.75, 0.25
    shares = shares_of([(parts(legal[0], state), 0.75), (parts(legal[1], state), 0.25)])
    first, second = parts(legal[0], state), parts(legal[1], state)
    assert shares[first[0]] == (1.0 if first[0] == second[0] else 0.75)
    svg = drawing.draw(state, seat=position.player, probabilities=probabilities)
    assert {"100%"} == set(re.findall(r"\d+%", svg))  # both are the same dome tile and slot, turned differently
    probabilities[legal[0]], probabilities[legal[-1]] = 0.372, 0.378
    assert {"37%", "25%", "38%", "62%"} & set(
        re.findall(r"\d+%", drawing.draw(state, seat=1, probabilities=probabilities))
    )
    assert "%" not in drawing.draw(state, probabilities=probabilities * 0.001)


@pytest.mark.untraced
def test_the_last_action_is_marked():
    """Each action leaves a mark, but for those without a place; where a drawn dome tile was chosen, the others may have moved up."""
    rng = random.Random(3)
    for position in decided(scaled(300, 12), 3):
        action, after, seat = choose(position, rng, "draw"), position.copy(), position.player
        if action in range(DOME_CHOOSE, DOME_CHOOSE + NUM_DOME_TILES):
            continue
        after.step(action)
        how = {"seat": seat, "before": position.states[0], "last_action": action}
        added = pieces_of(after.states[0], **how)[len(pieces_of(after.states[0], seat=seat)) :]
        has_place = any(is_drawn(key) for key in parts(action, position.states[0]))
        assert bool(added) == has_place, action_name(action)


def test_what_is_new_is_marked():
    position = GAME.new(3)
    begin = position.copy()
    state = position.states[0]
    assert pieces_of(state, before=begin.states[0]) == pieces_of(state)
    position.step(parse_action("A display 2 -> slot 1-2 turned 90"))
    marked = pieces_of(state, before=begin.states[0])
    assert len(marked) == len(pieces_of(state)) + 1
    assert marked[-1].count('class="new"') == 1
    position.step(legal_of(position)[0])
    position.step(parse_action(next(action_name(a) for a in legal_of(position) if "line 3" in action_name(a))))
    assert pieces_of(state, before=begin.states[0])[-1].count('class="new"') == 3


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"layout": "round"}, "'wide', 'narrow' or 'phone'"),
        ({"theme": "blue"}, "light, dark, auto"),
        ({"seat": 2}, "0 or 1"),
        ({"names": ("a",)}, "two"),
        ({"last_action": 3}, "needs before"),
        ({"legal": np.ones(30, bool)}, "400"),
        ({"probabilities": [1.0]}, "400"),
    ],
)
def test_wrong_arguments(how, message):
    with pytest.raises(ValueError, match=message):
        drawing.draw(GAME.new(1).states[0], **how)


def test_drawing_changes_nothing():
    for position in positions(scaled(40, 4), 11):
        before = position.states.tobytes()
        drawing.draw(position.states[0], legal=position.legal_actions(), before=position.states[0])
        assert position.states.tobytes() == before


# Pieces ---------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_reaches_out_of_the_extent_of_its_piece(layout, theme):
    """Painted piece by piece, each cut at its extent, a picture is the same as painted at once, with all that can be laid over it."""
    import io

    from PIL import Image

    from azul_duel_env.view.render import pixels, png_of

    before, seen = None, 0
    width = 800 if layout == "wide" else 400
    for position in positions(scaled(60, 25), 12):
        if position.decisions % 8 == 0 and before is not None and not position.over:
            seen += 1
            state, seat = position.states[0], position.player
            heat = position.action_mask() / position.action_mask().sum()
            how = {"before": before[0].states[0], "last_action": before[1], "legal": position.legal_actions()}
            picture = drawing.picture(state, seat=seat, layout=layout, theme=theme, probabilities=heat, **how)
            whole = np.asarray(Image.open(io.BytesIO(png_of(picture.svg(width)))).convert("RGB")).astype(int)
            assert np.abs(pixels(picture, width).astype(int) - whole).max() <= 20
        legal = legal_of(position)
        before = (position.copy(), legal[0]) if legal else None
    assert seen


# Colours --------------------------------------------------------------------------------------
def linear(colour: str) -> np.ndarray:
    value = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG defines it: 1 to 21."""
    low, high = sorted(float(linear(colour) @ (0.2126, 0.7152, 0.0722)) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


PALETTES = {"light": themes.LIGHT, "dark": themes.DARK}


@pytest.mark.parametrize("name", PALETTES)
def test_text_and_shapes_stand_out(name):
    c = PALETTES[name]
    for ground in ("card", "ground", "sun", "moon"):
        assert contrast(c["ink"], c[ground]) >= 7
    for ground in ("card", "sun"):
        assert contrast(c["muted"], c[ground]) >= 4.5
    assert contrast(c["accent"], c["card"]) >= 4.5
    assert contrast(c["on-accent"], c["accent"]) >= 4.5
    for colour in COLOURS:
        shape = "on-yellow" if colour == "yellow" else "on-tile"
        assert contrast(c[shape], c[colour]) >= (2.4 if colour == "turquoise" else 3)
        assert contrast(c[f"glyph-{colour}"], c[f"pale-{colour}"]) >= 3


# Vienot, Brettel and Mollon 1999, in linear RGB: how people without red or green cones see.
NO_GREEN = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
NO_RED = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])


def lab(rgb: np.ndarray) -> np.ndarray:
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    x, y, z = np.cbrt(xyz / (0.9505, 1, 1.089) + 0.001)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", [np.eye(3), NO_GREEN, NO_RED], ids=["all", "no green", "no red"])
@pytest.mark.parametrize("name", PALETTES)
def test_tiles_differ_for_everybody(name, sight):
    """By colour alone, and besides each has a shape of its own."""
    seen = [lab(sight @ linear(PALETTES[name][colour])) for colour in COLOURS]
    apart = [np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i]]
    assert min(apart) >= 20
    from azul_duel_env.games.duel.drawing.symbols import symbols

    shapes = {re.sub(r'class="[^"]*"|id="[^"]*"', "", symbols("azl-")[f"azl-t{tile}"]) for tile in range(SPECIAL + 1)}
    assert len(shapes) == SPECIAL + 1


def test_both_themes_have_the_same_colours_and_auto_has_both():
    assert themes.LIGHT.keys() == themes.DARK.keys()
    sheet = styles.style_sheet("auto", themes.LIGHT, themes.DARK)
    light, dark = sheet.split("@media (prefers-color-scheme:dark)")
    assert themes.LIGHT["ground"] in light
    assert themes.DARK["ground"] in dark
    sizes = [int(size) for size in re.findall(r"font-size:(\d+)px", sheet)]
    assert min(sizes) == 11


# Words ----------------------------------------------------------------------------------------
def test_words_of_taking_tell_how_many_tiles_go_where():
    checked = 0
    for position in decided(scaled(600, 20), 13):
        before = position.states[0]
        for action in legal_of(position)[:: max(1, len(legal_of(position)) // 3)]:
            match = re.match(r"(\w+) takes (\d) (\w+) from", GAME.display.describe(action, before))
            if not match or "bonus" in action_name(action) or action >= encode("dome_display", 0, 0, 0):
                continue
            after = position.copy()
            after.step(action)
            colour, player = COLOURS.index(match[3]), position.player
            on_table = [
                one.suns[:, colour].sum() + one.large_moon[colour] + (one.moons == colour).sum()
                for one in (before, after.states[0])
            ]
            assert match[1] == f"player_{player}"
            if after.states[0].round_number == before.round_number:
                assert on_table[0] - on_table[1] == int(match[2])
                checked += 1
            words = GAME.display.describe(action, before)
            broke = after.states[0].broken[player].sum() > before.broken[player].sum()
            assert ("break" in words) >= broke
    assert checked


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("perft-first-turn", "Take tiles or a dome tile (2 tokens left)"),
        ("perft-paying", "Finish pattern line 4 (black, 1 missing): two matching chips, or any three?"),
        ("perft-drawing", "Draw another dome tile (1 point), or stop"),
        ("perft-keeping", "Choose the dome tile to keep"),
        ("perft-opening", "Take a dome tile of the display and place it: the first of the dome"),
    ],
)
def test_questions(path, asked):
    assert GAME.display.question(read(POSITIONS / f"{path}.txt").states[0]) == asked


def test_a_question_for_every_decision():
    asked = {GAME.display.question(position.states[0]) for position in positions(scaled(900, 400), 14)}
    assert all(text and text[0].isupper() for text in asked)
    assert {
        "Take tiles, a dome tile (1 token left) or a bonus chip (2 left)",
        "Place the dome tile in an empty slot",
    } <= asked


def test_words_of_each_kind_of_action():
    state = GAME.new(1).states[0]
    tile = int(state.display[0])
    assert tile not in (EMPTY, UNKNOWN)
    names = ("Anna", "Bernd")
    who = names[int(state.active)]
    words = GAME.display.describe(encode("dome_display", 0, 4, 3), state, names)
    assert words.startswith(f"{who} takes the dome tile ")
    assert words.endswith(" and places it middle centre, turned by 270°")
    assert GAME.display.describe(encode("dome_draw"), state, names) == f"{who} pays 1 point and draws a dome tile"
    assert GAME.display.describe(encode("dome_stop"), state, names) == f"{who} stops drawing"
    assert GAME.display.describe(int(DOME_CHOOSE), state, names) == (
        f"{who} puts the dome tile yellow, black / turquoise, special under the stack"
    )


# Between decisions, and overlays of any game --------------------------------------------------
def test_what_has_moved_up_is_not_framed_as_taken():
    """A ring says what was taken; where another part lies now, it would say so of that."""
    place, goal = Rect(100, 100, 30, 30), Rect(300, 100, 30, 30)
    before, after, empty = Canvas(""), Canvas(""), Canvas("")
    before.part("taken", "", [place])
    after.part("other", "", [place.grown(2)])
    for canvas, framed in ((after, False), (empty, True), (before, True)):
        canvas.part("goal", "", [goal])
        draw_last(canvas, before, "taken", "goal")
        shown = "".join(piece.svg for piece in canvas.pieces)
        assert ('class="from"' in shown) == framed
        assert 'class="new"' in shown
        assert 'class="trail"' in shown


def test_percentages_cover_each_other_in_no_factory():
    """Four tiles of four colours, two by two."""
    canvas = Canvas("")
    places = {f"{x}{y}": Rect(100 + 33 * x, 100 + 33 * y, 36, 36) for x in (0, 1) for y in (0, 1)}
    for key, place in places.items():
        canvas.part(key, "", [place])
    draw_heat(canvas, dict.fromkeys(places, 0.25))
    pills = [Rect(*piece.extent).grown(-2) for piece in canvas.pieces if "heat-label" in piece.svg]
    assert len(pills) == 4
    for one, other in combinations(pills, 2):
        assert (
            one.x + one.w <= other.x
            or other.x + other.w <= one.x
            or one.y + one.h <= other.y
            or other.y + other.h <= one.y
        )


@pytest.mark.parametrize("layout", ["wide", "narrow"])
def test_points_stand_at_the_tile_that_brought_them(layout):
    state = board(TURN_BOARD).states[0]
    placed = events.TilePlaced(player=1, points=4, row=2, column=5, colour="blue", across=2, down=2, discarded=0)
    lost = events.Penalty(player=0, points=-3, broken=2, first_player_tile=False, due=3)
    place = layout_of(layout, 0)
    for event, words, there in (
        (placed, "+4", place.own.place(2, 5)),
        (lost, "\N{MINUS SIGN}3", Rect(*place.other.broken, 134, 46)),
    ):
        drawn = drawing.picture(state, layout=layout, seat=1, events=[event])
        [pill] = [piece for piece in drawn.pieces if 'class="points"' in piece.svg]
        assert words in pill.svg
        x, y, w, h = pill.extent
        assert abs(x - there.x - there.w) < 20
        assert abs(y + h - there.y) < 20
        assert x >= 0
        assert y >= 0
        assert x + w <= drawn.width
    assert not any('class="points"' in piece.svg for piece in drawing.picture(state, layout=layout).pieces)


def test_a_card_lies_over_all_of_the_table():
    state = board(TURN_BOARD).states[0]
    card = Card("Round 2 begins", "Anna starts", (("Anna", 12, 7), ("Bernd", 9, -2)), "round 1")
    for layout in ("wide", "narrow"):
        drawn = drawing.picture(state, layout=layout, events=[events.RoundBegins(player=0, round_number=2)], card=card)
        *_, veil, shown = drawn.pieces
        assert veil.extent == (0, 0, drawn.width, drawn.height)
        for words in ("Round 2 begins", "Anna starts", "Anna", "12", "+7", "Bernd", "\N{MINUS SIGN}2", "round 1"):
            assert f">{words}<" in shown.svg
        x, y, w, h = shown.extent
        assert 0 <= x < x + w <= drawn.width
        assert 0 <= y < y + h <= drawn.height


def test_drawn_dome_tiles_lie_in_the_order_of_their_actions():
    position = GAME.new(1)
    position.states["hand"][0, :3], position.states["hand_kinds"][0, :3] = (7, 2, 5), KIND_OF[[7, 2, 5]]
    position.states["hand_size"], position.states["hand_from"][0, :3] = 3, position.player
    assert [tile for _, tile in Seen(position.states[0], position.player).drawn] == [2, 5, 7]


if __name__ == "__main__":
    DRAWINGS.write_text(golden_text(), encoding="utf-8")
