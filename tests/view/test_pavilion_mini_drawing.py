from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ElementTree
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from mini import VARIANTS, game_of, play, table, walk

from azul_duel_env.games.pavilion_mini.actions import NUM_ACTIONS, action_name, parse_action
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    EMPTY,
    NUM_COLOURS,
    NUM_SPACES,
    PLAYER_COUNTS,
    STRUCTURE_SPACES,
)
from azul_duel_env.games.pavilion_mini.drawing import picture as drawing
from azul_duel_env.games.pavilion_mini.drawing import themes
from azul_duel_env.games.pavilion_mini.drawing.geometry import Quarter, factory_place, layout_of
from azul_duel_env.games.pavilion_mini.drawing.parts import is_drawn, parts
from azul_duel_env.games.pavilion_mini.drawing.symbols import LIGHT_COLOURS, symbols
from azul_duel_env.view.drawing.svg import Rect
from azul_duel_env.view.picture import LAYOUTS, PAGE_LAYOUTS, THEMES
from azul_duel_env.view.render import FONTS

SVG = "{http://www.w3.org/2000/svg}"
PALETTES = {"light": themes.LIGHT, "dark": themes.DARK}


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def drawn_keys(svg: str) -> list[str]:
    return re.findall(r'data-part="([^"]+)"', svg)


def svg_of(state, **how) -> str:
    return drawing.picture(state, **how).svg()


@cache
def some_states(num_players: int, board: str):
    """Return a few positions of a game: of the first moves, of later rounds, in the midst of turns, and the last."""
    rng, found, kinds = random.Random(1), [], {}
    for position in walk(num_players, 7, "sensible", board=board):
        stage = int(position.states[0].stage)
        kinds[stage] = kinds.get(stage, 0) + 1
        if kinds[stage] <= 1 or position.over or rng.random() < 0.02:
            found.append(position.copy())
    return found


# Parts ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_every_part_of_every_legal_action_is_drawn(num_players, board):
    for position in some_states(num_players, board):
        state = position.states[0]
        for layout in PAGE_LAYOUTS:
            present = set(drawn_keys(svg_of(state, layout=layout, seat=max(position.player, 0))))
            for action in position.legal_actions().tolist():
                for key in filter(is_drawn, parts(action, state)):
                    assert key in present, f"{action_name(action)}: {key}"


@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_parts_are_one_group_each_and_have_labels_in_words(num_players, board):
    for position in some_states(num_players, board)[::2]:
        svg = svg_of(position.states[0])
        keys = drawn_keys(svg)
        assert len(set(keys)) == len(keys)
        for group in parse(svg).iter(SVG + "g"):
            if group.get("data-part"):
                assert re.fullmatch(r"[a-z0-9][a-z0-9_ ',:]+", str(group.get("aria-label"))), group.attrib


def test_a_finger_finds_each_part_of_the_own_board_and_the_table_in_the_narrow_drawing():
    for num_players in PLAYER_COUNTS:
        layout = layout_of("narrow", num_players)
        own = layout.boards[0]
        assert min(own.spaces[0].extent.w, own.hand_place(0).w, own.hand_place(0).h) >= 36
        assert min(factory_place(layout.factories[0], 0)[1].extent.w, layout.centre.h) >= 36
        assert (layout.supply.w - 10) / 10 >= 36


# Geometry -------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PAGE_LAYOUTS)
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_cards_lie_apart_and_inside(name, num_players):
    layout = layout_of(name, num_players)
    cards = [board.card for board in layout.boards]
    cards += [*layout.factories, layout.centre, layout.supply, layout.track, layout.stock]
    cards += [layout.status] if name != "phone" else []
    for one in cards:
        assert one.x >= 0
        assert one.x + one.w <= layout.width
        assert one.y >= 0
        assert one.y + one.h <= layout.height
    for one, other in combinations(cards, 2):
        assert apart(one, other), (one, other)
    for board in layout.boards:
        for inside in (board.head, board.hand, *(board.spaces[space].extent for space in range(NUM_SPACES))):
            assert board.card.x <= inside.x
            assert inside.x + inside.w <= board.card.x + board.card.w
            assert board.card.y <= inside.y
            assert inside.y + inside.h <= board.card.y + board.card.h
        assert all(apart(board.hand, board.spaces[space].extent) for space in range(NUM_SPACES))


def apart(one: Rect, other: Rect, by: float = 0.0) -> bool:
    """Return whether two rectangles don't overlap by more than a margin."""
    over_x = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    over_y = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
    return over_x <= by or over_y <= by


def test_the_board_is_that_of_the_specification():
    """Spaces where RULES 2.1 has their middles, and each structure nearest to the spaces around it."""
    board = layout_of("wide", 2).boards[0]
    expected = {0: (-0.75, 3.0311), 5: (-1.5, 3.4641), 12: (3, -0.866), 24: (-2.25, -2.1651), 36: (0, 0.866)}
    for space, (x, y) in expected.items():
        at = board.spaces[space].centre
        assert at == pytest.approx(
            (board.centre[0] + x * board.edge, board.centre[1] - y * board.edge), abs=0.01 * board.edge
        )
    middles = np.array([board.spaces[space].centre for space in range(NUM_SPACES)])
    for structure, spaces in enumerate(STRUCTURE_SPACES.tolist()):
        around = {space for space in spaces if space != EMPTY}
        distances = np.hypot(*(middles - board.structure(structure)).T)
        assert set(np.argsort(distances)[: len(around)].tolist()) == around


def test_a_quarter_of_a_disc():
    for right, down in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        quarter = Quarter(50, 60, 40, right, down)
        extent = quarter.extent
        assert (extent.w, extent.h) == (40, 40)
        assert quarter.centre == (50 + 20 * right, 60 + 20 * down)
        smaller = quarter.grown(-3).extent
        assert smaller.w < 37
        assert extent.x < smaller.x
        assert smaller.x + smaller.w < extent.x + extent.w
        assert "0 0 1" in quarter.outline("legal")


# What is in the picture -----------------------------------------------------------------------
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_the_picture_has_what_the_state_has(num_players, board, layout):
    for position in some_states(num_players, board)[::3]:
        state = position.states[0]
        svg = svg_of(state, layout=layout, seat=num_players - 1)
        texts = [one.text for one in parse(svg).iter() if one.text]
        for colour in range(NUM_COLOURS):
            single = int((state.boards == colour).sum() + state.factories[:, colour].sum() + state.supply[colour])
            stacks = int((state.hands[:, colour] > 0).sum() + (state.centre[colour] > 0))
            legends = 2  # the round in which it is wild; bag and deposit
            assert len(re.findall(rf'href="#azl-t{colour}"', svg)) == single + stacks + legends
        closed = sum(
            all(row[space] != EMPTY for space in spaces if space != EMPTY)
            for row in state.boards.tolist()
            for spaces in STRUCTURE_SPACES.tolist()
        )
        assert len(re.findall(r'aria-label="(?:pillar|statue|window), closed"', svg)) == closed
        assert {str(int(score)) for score in state.scores} <= set(texts)
        assert {f"Bag {int(state.bag.sum())}", f"Deposit {int(state.deposit.sum())}"} <= set(texts)
        assert texts.count("passed") == int(state.passed.sum())
        assert len(re.findall(r'href="#azl-first"', svg)) == 1
        now = max(position.round_number, 1)
        assert re.findall(r"round (\d), now: (\w+) is wild", svg) == [(str(now), COLOURS[state.wild_order[now - 1]])]


def test_numbers_of_spaces_are_those_of_the_side():
    for board, ones in (("coloured", 14), ("grey", 12)):
        svg = svg_of(game_of(2).new(seed=1, board=board).states[0])
        assert len(re.findall(r'aria-label="player_\d&#x27;s \w+ star, space \d: costs 1, empty"', svg)) == ones


def test_a_full_star_has_a_golden_ring():
    for filled, rings in (
        ({"blue": "BBBBBB"}, 1),
        ({"blue": "BBBBB."}, 0),
        ({"blue": "BBBBBB", "centre": "PGOYBR"}, 2),
    ):
        svg = svg_of(table(hands=("R",), boards=(filled,)).states[0])
        assert len(re.findall(r'class="f-card k-gold" stroke-width="(?!0")', svg)) == rings


def test_the_own_board_is_the_large_one_and_the_others_follow_in_turn_order():
    position = game_of(4).new(seed=1)
    for layout in LAYOUTS:
        for seat in range(4):
            root = parse(svg_of(position.states[0], layout=layout, seat=seat))
            names = [one.text for one in root.iter(SVG + "text") if (one.text or "").startswith("player_")]
            assert names[:4] == [f"player_{(seat + step) % 4}" for step in range(4)]


def test_who_has_won_and_what_is_asked_stands_in_the_status():
    over = table(3, round_number=6, scores=(7, 20, 20))
    texts = [one.text for one in parse(svg_of(over.states[0], names=("Anna", "Bernd", "Cleo"))).iter() if one.text]
    assert "Bernd and Cleo: 20 points" in texts
    assert "The game is over" in texts
    chance = game_of(2).new(seed=1, explicit_chance=True)
    assert ">Chance<" in svg_of(chance.states[0])
    note = svg_of(over.states[0], note="word " * 60)
    assert "word…" in note


def test_names_are_text():
    svg = svg_of(game_of(2).new(1).states[0], names=("<script>alert(1)</script>", "Ann & Bob " * 9))
    assert "<script" not in svg
    assert "…" in svg


# Sound images ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_svg_is_one_sound_image_of_the_right_size_that_needs_nothing_from_elsewhere(num_players, board):
    state = some_states(num_players, board)[-2].states[0]
    for layout, width in (("wide", 800), ("narrow", 400)):
        for theme in (*THEMES, "auto"):
            picture = drawing.picture(state, layout=layout, theme=theme)
            svg = picture.svg()
            root = parse(svg)
            assert (picture.width, root.get("width")) == (width, str(width))
            assert root.get("viewBox") == f"0 0 {width} {picture.height:g}"
            ids = [one.get("id") for one in root.iter() if one.get("id")]
            assert len(set(ids)) == len(ids)
            assert {one.get("href") for one in root.iter(SVG + "use")} <= {f"#{name}" for name in ids}
            assert svg.count("http") == 1  # the name of the language


@cache
def font(size: int, bold: bool):
    from PIL import ImageFont

    file = next(path for path in sorted(FONTS.glob("*.ttf")) if ("Bold" in path.stem) == bold)
    return ImageFont.truetype(str(file), size)


def text_places(svg: str) -> list[tuple[str, Rect]]:
    """Return each text of a picture with the rectangle that its letters fill."""
    sizes = {"s": 11, "m": 13, "l": 15, "xl": 32}
    found = []
    for one in parse(svg).iter(SVG + "text"):
        classes = str(one.get("class")).split()
        size = next((sizes[name] for name in classes if name in sizes), 12)
        left, top, right, bottom = font(size, bool({"b", "xl"} & set(classes))).getbbox(one.text, anchor="ls")
        shift = {"middle": right / 2, "end": right}.get(str(one.get("text-anchor")), 0)
        x, y = float(one.get("x")) - shift, float(one.get("y"))
        found.append((str(one.text), Rect(x + left, y + top, right - left, bottom - top)))
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_no_text_leaves_the_image_or_lies_on_another(num_players, board, layout):
    names = ("Anna", "A name that is much too long for its place", "mcts:20000", "player_3")[:num_players]
    for position in some_states(num_players, board)[::3]:
        state = position.states[0].copy()
        state.scores[:] = 188
        picture = drawing.picture(
            state, layout=layout, seat=max(position.player, 0), names=names, note="Anna takes 3 blue " * 9
        )
        places = text_places(picture.svg())
        assert len(places) > 30
        for words, place in places:
            assert place.x >= 0, words
            assert place.x + place.w <= picture.width, words
            assert place.y + place.h <= picture.height, words
        for (words, one), (others, other) in combinations(places, 2):
            assert apart(one, other, 0.5), (words, others)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("theme", THEMES)
def test_nothing_reaches_out_of_the_extent_of_its_piece(layout, theme):
    """Painted piece by piece, each cut at its extent, a picture is the same as painted at once, with all that can be laid over it."""
    import io

    from PIL import Image

    from azul_duel_env.view.render import pixels, png_of

    width = 800 if layout == "wide" else 400
    before = some_states(4, "coloured")[2]
    position, action = before.copy(), before.legal_actions().tolist()[0]
    position.step(action)
    mask = position.action_mask()
    how = {"before": before.states[0], "last_action": action, "legal": position.legal_actions()}
    picture = drawing.picture(
        position.states[0], seat=before.player, layout=layout, theme=theme, probabilities=mask / mask.sum(), **how
    )
    whole = np.asarray(Image.open(io.BytesIO(png_of(picture.svg(width)))).convert("RGB")).astype(int)
    assert np.abs(pixels(picture, width).astype(int) - whole).max() <= 20


# Overlays -------------------------------------------------------------------------------------
def pieces_of(state, **how) -> list[str]:
    return [piece.svg for piece in drawing.picture(state, **how).pieces]


@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
def test_legal_actions_are_outlined(num_players, board):
    for position in some_states(num_players, board)[::3]:
        state, legal, seat = position.states[0], position.legal_actions(), max(position.player, 0)
        keys = {key for action in legal.tolist() for key in parts(action, state) if is_drawn(key)}
        for given in (legal, position.action_mask().astype(bool)):
            added = pieces_of(state, seat=seat, legal=given)[len(pieces_of(state, seat=seat)) :]
            assert len(added) == len(keys)
            assert all('class="legal"' in piece for piece in added)


def test_probabilities_are_summed_by_part_and_written_as_percentages():
    position = table(hands=("B2 R2",))
    state = position.states[0]
    probabilities = np.zeros(NUM_ACTIONS)
    for name, share in (
        ("place blue -> centre 1", 0.25),
        ("place red -> centre 1", 0.5),
        ("place blue -> blue 1", 0.25),
    ):
        probabilities[parse_action(name)] = share
    added = pieces_of(state, probabilities=probabilities)[len(pieces_of(state)) :]
    assert sorted(re.findall(r"\d+%", "".join(added))) == ["25%", "25%", "50%", "75%"]


def test_the_last_action_is_marked():
    """Each action leaves a mark, but for a pass that throws nothing."""
    seen = set()
    for position in some_states(3, "coloured"):
        if position.over:
            continue
        action, after, seat = position.legal_actions().tolist()[-1], position.copy(), position.player
        after.step(action)
        how = {"seat": seat, "before": position.states[0], "last_action": action}
        added = pieces_of(after.states[0], **how)[len(pieces_of(after.states[0], seat=seat)) :]
        assert bool(added) == (action_name(action) != "pass"), action_name(action)
        seen.add(action_name(action).split()[0])
    assert {"take", "pay", "bonus", "pass", "discard"} <= seen
    position = table(hands=("B",))
    state = position.states[0].copy()
    play(position, "place blue -> blue 1")
    marked = pieces_of(position.states[0], before=state, last_action=parse_action("place blue -> blue 1"))
    assert ['class="from"' in piece or 'class="new"' in piece for piece in marked][-3:] == [True, True, False]
    assert 'class="trail"' in marked[-1]


def test_what_is_new_is_marked():
    position = table(hands=("B R", "G"))
    begin = position.states[0].copy()
    assert pieces_of(begin, before=begin) == pieces_of(begin)
    play(position, "place blue -> blue 1", "place green -> green 1")
    state = position.states[0]
    marked = pieces_of(state, before=begin)
    assert len(marked) == len(pieces_of(state)) + 1
    assert marked[-1].count('class="new"') == int((state.boards != begin.boards).sum()) >= 2


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"layout": "round"}, "'wide', 'narrow' or 'phone'"),
        ({"theme": "blue"}, "light, dark, auto"),
        ({"seat": 3}, "0, 1 or 2"),
        ({"names": ("a", "b")}, "three"),
        ({"last_action": 3}, "needs before"),
        ({"legal": np.ones(30, bool)}, "331"),
        ({"probabilities": [1.0]}, "331"),
    ],
)
def test_wrong_arguments(how, message):
    with pytest.raises(ValueError, match=message):
        drawing.picture(game_of(3).new(1).states[0], **how)


def test_drawing_changes_nothing():
    for position in some_states(3, "grey")[:4]:
        before = position.states.tobytes()
        drawing.picture(position.states[0], legal=position.legal_actions(), before=position.states[0])
        assert position.states.tobytes() == before


# Colours --------------------------------------------------------------------------------------
def linear(colour: str) -> np.ndarray:
    value = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG defines it: 1 to 21."""
    low, high = sorted(float(linear(colour) @ (0.2126, 0.7152, 0.0722)) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", PALETTES)
def test_text_and_shapes_stand_out(name):
    c = PALETTES[name]
    for colour in COLOURS:
        shape = "on-light" if colour in LIGHT_COLOURS else "on-dark"
        assert contrast(c[shape], c[colour]) >= 3
        assert contrast(c["ink"], c[f"pale-{colour}"]) >= 7
        assert contrast(c[f"glyph-{colour}"], c["card"]) >= 4.5
    assert contrast(c["ink"], c["stone"]) >= 7
    assert contrast(c["muted"], c["disc"]) >= 4.5
    assert contrast(c["gold-line"], c["gold"]) >= 3


def test_tiles_differ_without_colour():
    """Each has a shape of its own, and those that look alike to many people differ in brightness too."""
    shapes = [
        re.sub(r'class="[^"]*"|id="[^"]*"', "", symbols("azl-")[f"azl-t{colour}"]) for colour in range(NUM_COLOURS)
    ]
    assert len(set(shapes)) == NUM_COLOURS
    for palette in PALETTES.values():
        for one, other in (("purple", "blue"), ("red", "orange"), ("red", "green"), ("orange", "yellow")):
            assert contrast(palette[one], palette[other]) >= 1.25, (one, other)


def test_both_themes_have_the_same_colours():
    assert themes.LIGHT.keys() == themes.DARK.keys()
