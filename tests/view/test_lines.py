"""Text that is broken into lines or cut: what is drawn is not broader than its place."""

from __future__ import annotations

import pytest

from azul_duel_env.arena import play_game
from azul_duel_env.arena.game_file import record_game
from azul_duel_env.arena.scenes import scenes_of
from azul_duel_env.games import find_game
from azul_duel_env.view.drawing.svg import breadth, shortened, wrapped
from azul_duel_env.view.render import FONTS

image_font = pytest.importorskip("PIL.ImageFont")

SIZE = 11
BROAD = 1 / 0.9
"""How much broader a usual font of browsers, DejaVu Sans, is than the condensed one of the package."""
LETTER = 5.6
"""As the notes of pictures are told, which are of this size."""
MARGIN = 1.05
"""Of a place, what a line may take: about it is more room than that."""


def width_of(words):
    return BROAD * image_font.truetype(str(FONTS / "AzulDuelSans-Regular.ttf"), 100 * SIZE).getlength(words) / 100


def sentences():
    for game, players in (("duel", ("greedy", "random")), ("pavilion_mini", ("greedy", "random", "random"))):
        kind = find_game(game, len(players))
        record = record_game(kind, 7, play_game(kind, players, 7).actions[:40], players=players)
        yield from (scene.words for scene in scenes_of(record, 0))


@pytest.mark.compiled_only
def test_sentences_of_games_stay_in_their_places():
    for words in sentences():
        for width in (270, 360, 486):
            lines = wrapped(words, width, LETTER)
            assert " ".join(lines) == words
            assert max(map(width_of, lines)) <= MARGIN * width, words


@pytest.mark.parametrize("words", ["W" * 60, "mmm " * 30, "a_module_of_agents:WITH_CAPITALS takes 3 blue", "i" * 90])
def test_broad_letters_and_long_names_stay_in_their_places(words):
    lines = wrapped(words, 270, LETTER)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    assert max(map(width_of, [*lines, shortened(words, 270, LETTER)])) <= MARGIN * 270


def test_what_is_cut_ends_with_an_ellipsis_and_nothing_else_does():
    words = "You take 3 blue from the large factory and put them on pattern line 4"
    room = LETTER * breadth(words)
    assert shortened(words, room + 1, LETTER) == words
    cut = shortened(words, room / 2, LETTER)
    assert cut.endswith("…")
    assert words.startswith(cut[:-1])
    two = wrapped(words, room / 3, LETTER, 2)
    assert len(two) == 2
    assert two[-1].endswith("…")
    assert max(map(breadth, two)) <= room / 3 / LETTER
    assert wrapped(words, room, LETTER, 1) == [words]
    assert wrapped(words, room, LETTER, 0) == []
    assert wrapped("", room, LETTER) == [""]
