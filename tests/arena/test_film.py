from __future__ import annotations

import json
import random
import re
import subprocess
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from sizes import scaled
from typer.testing import CliRunner

from azul_duel_env.arena import film
from azul_duel_env.arena.film import write_film, write_picture
from azul_duel_env.arena.game_file import Record, record_game
from azul_duel_env.arena.notebook import GameView
from azul_duel_env.arena.scenes import names_of, resting_scenes, scenes_of, seat_of
from azul_duel_env.cli import app
from azul_duel_env.games.duel import GAME
from azul_duel_env.view.picture import Card
from azul_duel_env.view.render import pixels


def short_game(
    decisions: int = 12, seed: int = 5, players: tuple[str, ...] = ("Anna", "Bernd <b>"), **options
) -> Record:
    position, rng, actions = GAME.new(seed, **options), random.Random(seed), []
    while len(actions) < decisions and not position.over:
        actions.append(rng.choice(position.legal_actions().tolist()))
        position.step(actions[-1])
    return record_game(GAME, seed, actions, options, players)


def data_of(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


# Scenes ---------------------------------------------------------------------------------------
def test_scenes_are_the_decisions_and_what_follows_them():
    record = short_game()
    scenes = scenes_of(record, 0)
    actions = [ply for ply in record.plies if ply.player >= 0]
    decisions = [scene for scene in scenes if not scene.follows]
    assert [scene.number for scene in decisions] == list(range(len(actions) + 1))
    assert [scene.action for scene in decisions[1:]] == [ply.number for ply in actions]
    assert [scene.player for scene in decisions] == [-1, *(ply.player for ply in actions)]
    assert [scene.number for scene in scenes] == sorted(scene.number for scene in scenes)
    assert scenes[0].words == "The game begins"
    assert any(sentence.startswith("The large factory holds") for sentence in scenes[0].told)
    for scene in decisions[1:]:
        assert scene.words == GAME.display.describe(scene.action, scene.before.states[0], names_of(record), 0)
        assert scene.words.startswith(("Anna", "Bernd <b>")[scene.player])
        assert scene.position.decisions == scene.number
    assert [scene.events[0].kind for scene in scenes if scene.follows] == ["display_filled"] * 2 + ["round_begins"]
    with pytest.raises(ValueError, match="0 to 1"):
        scenes_of(record, 2)


def test_the_end_of_a_round_is_seen_tile_by_tile():
    """Scores change by what a scene says that it brought, and by nothing else; each round begins on a card, and so does the end."""
    record = short_game(1000)
    scenes = scenes_of(record, 0)
    scores, rounds = list(scenes[0].position.scores), []
    for scene in scenes:
        for player, points in scene.gains:
            scores[player] += points
        assert list(scene.position.scores) == scores
        if scene.card is not None:
            rounds.append(scene)
            assert [(name, points) for name, points, _ in scene.card.rows] == list(
                zip(names_of(record), scores, strict=True)
            )
    assert [scene.card.title for scene in rounds] == [*(f"Round {n} begins" for n in range(1, 6)), "The game is over"]
    for before, after in pairwise(rounds):
        gained = [now - then for now, then in zip(after.position.scores, before.position.scores, strict=True)]
        assert [gain for _, _, gain in after.card.rows] == gained
        assert after.card.gained == f"round {before.position.round_number}"
    kinds = [event.kind for scene in scenes if scene.follows for event in scene.events]
    assert {"tile_placed", "penalty", "scoring_tile", "factory_filled", "display_filled"} <= set(kinds)
    assert kinds.count("factory_filled") == 4 * 5
    assert all(len(scene.events) == 5 for scene in scenes if scene.follows and scene.events[0].kind == "factory_filled")


def test_a_card_says_all_in_a_line():
    card = Card("Round 2 begins", "You start", (("You", 12, 7), ("greedy", 4, -1)), "round 1")
    assert card.words == "Round 2 begins. You start. You 12 (+7), greedy 4 (-1)"
    assert Card("Round 1 begins", "", (("You", 5, None),)).words == "Round 1 begins. You 5"


def test_scenes_of_a_whole_game_end_with_it():
    record = short_game(1000)
    scenes, resting = scenes_of(record), resting_scenes(record)
    assert scenes[-1].position.over
    assert scenes[-1].words.startswith("The game is over")
    assert all(not scene.position.chance_is_due for scene in resting)
    assert [scene.number for scene in resting] == list(range(len(resting)))
    for before, scene in pairwise(resting):
        is_new = before.position.round_number != scene.position.round_number
        assert (scene.action is None) == is_new  # what was played in another round is marked no more


def test_a_game_is_seen_from_the_seat_of_its_only_person():
    assert seat_of(short_game(1, players=("greedy", "human"))) == 1
    assert seat_of(short_game(1, players=("human", "human"))) == seat_of(short_game(1, players=())) == 0


def test_names_that_are_the_same_are_told_apart():
    assert names_of(short_game(1, players=("greedy", "greedy"))) == ("greedy (0)", "greedy (1)")
    assert names_of(short_game(1, players=())) == ("player_0", "player_1")


# Pages ----------------------------------------------------------------------------------------
def test_a_page_holds_each_frame_in_both_arrangements(tmp_path):
    record, file, reported = short_game(scaled(30, 8)), tmp_path / "game.html", []
    write_film(record, file, seat=1, fps=3, report=lambda number, total: reported.append((number, total)))
    page = file.read_text(encoding="utf-8")
    data, scenes = data_of(page), scenes_of(record, 1)
    assert reported == [(number, len(scenes)) for number in range(1, len(scenes) + 1)]
    assert [(scene["number"], scene["follows"], scene["length"]) for scene in data["scenes"]] == [
        (scene.number, scene.follows, scene.length) for scene in scenes
    ]
    assert [scene["words"] for scene in data["scenes"]] == [scene.words for scene in scenes]
    assert (data["fps"], data["theme"], data["names"]) == (3, "auto", ["Anna", "Bernd <b>"])
    for layout in ("wide", "narrow"):
        for number, scene in enumerate(scenes):
            picture = scene.picture(names_of(record), theme="auto", seat=1, layout=layout)
            shown = [data["pieces"][piece] for piece in data["layouts"][layout]["frames"][number]]
            assert shown == [piece.svg for piece in picture.pieces]
            assert data["layouts"][layout]["heights"][number] == picture.height
    assert len(set(data["pieces"])) == len(data["pieces"])
    assert picture.style in page
    assert all(symbol in page for symbol in picture.symbols.values())


def test_a_page_needs_nothing_from_elsewhere_and_names_are_text(tmp_path):
    file = tmp_path / "game.html"
    write_film(short_game(players=("</script><script>alert(1)</script>", "b")), file)
    page = file.read_text(encoding="utf-8")
    assert "http" not in page
    assert "url(" not in page
    assert not re.findall(r"<!--\w+-->|/\*style\*/", page)
    assert page.count("<script") == page.count("</script") == 2
    assert data_of(page)["names"][0].startswith("</script>")


@pytest.mark.slow
def test_a_page_of_a_whole_game_is_small(tmp_path):
    file = tmp_path / "game.html"
    write_film(short_game(scaled(1000, 6)), file)
    assert file.stat().st_size < 2_000_000


# GIF and MP4 ----------------------------------------------------------------------------------
def test_a_gif_shows_each_frame(tmp_path):
    from PIL import Image

    record, file = short_game(6), tmp_path / "game.gif"
    write_film(record, file, width=320, fps=4, theme="dark")
    with Image.open(file) as gif:
        scenes = scenes_of(record, 0)
        assert gif.n_frames == len(scenes) == 7 + 3
        assert gif.size == (320, 288)
        for number, scene in enumerate(scenes):
            gif.seek(number)
            note = "" if scene.card else scene.words
            picture = scene.picture(names_of(record), theme="dark", note=note)
            difference = np.abs(np.asarray(gif.convert("RGB")).astype(int) - pixels(picture, 320))
            assert difference.mean() < 1  # the palette has most colours of a frame, and near ones of the others
            last = number == len(scenes) - 1
            wanted = 3000 if last else 250 * scene.length
            assert wanted - 10 < gif.info["duration"] <= wanted  # in hundredths of a second


def test_an_mp4_shows_each_frame(tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    record, file = short_game(4), tmp_path / "game.mp4"
    write_film(record, file, width=160, fps=2)
    command = [
        imageio_ffmpeg.get_ffmpeg_exe(),
        "-v",
        "error",
        "-i",
        str(file),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
    ]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(-1, 144, 160, 3)
    *others, last = scenes_of(record, 0)
    assert 1.5 in {scene.length for scene in others}
    assert (
        len(frames) == 2 * sum(scene.length for scene in others) + 12
    )  # at twice the speed; the last one stays for three seconds
    picture = last.picture(names_of(record), theme="light", note=last.words)
    assert np.abs(frames[-1].astype(int) - pixels(picture, 160)).mean() < 6


# Pictures -------------------------------------------------------------------------------------
def test_a_picture_of_one_decision(tmp_path):
    from PIL import Image

    record = short_game()
    write_picture(record, tmp_path / "a.svg", 3, theme="auto", layout="narrow", legal=True)
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    scene = resting_scenes(record, 0)[3]
    legal = scene.position.legal_actions()
    how = {"theme": "auto", "layout": "narrow", "legal": legal, "note": scene.words}
    assert svg == scene.picture(names_of(record), **how).svg(800)
    write_picture(record, tmp_path / "a.png", width=320, seat=1)
    last = resting_scenes(record, 1)[-1]
    with Image.open(tmp_path / "a.png") as png:
        expected = pixels(last.picture(names_of(record), seat=1, note=last.words), 320)
        assert np.array_equal(np.asarray(png.convert("RGB")), expected)


# Mistakes -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "how", "message"),
    [
        ("game.avi", {}, r"\.gif, \.mp4, \.html, not 'game\.avi'"),
        ("game", {}, "must end with"),
        ("game.gif", {"width": 321}, "even number"),
        ("game.gif", {"width": 20}, "at least 160"),
        ("game.html", {"fps": 0}, r"0\.1 to 50"),
        ("game.html", {"seat": 2}, "0 to 1"),
        ("game.gif", {"theme": "blue"}, "light, dark, auto"),
    ],
)
def test_wrong_films(tmp_path, name, how, message):
    with pytest.raises(ValueError, match=message):
        write_film(short_game(2), tmp_path / name, **how)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "decision", "how", "message"),
    [
        ("a.jpg", 1, {}, r"\.svg, \.png, not 'a\.jpg'"),
        ("a.png", 9, {}, "decision must be 0 to 2 in this game, not 9"),
        ("a.png", -1, {}, "0 to 2"),
        ("a.svg", 1, {"layout": "round"}, "'wide', 'narrow' or 'phone'"),
    ],
)
def test_wrong_pictures(tmp_path, name, decision, how, message):
    with pytest.raises(ValueError, match=message):
        write_picture(short_game(2), tmp_path / name, decision, **how)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["game.gif", "game.html"])
def test_a_film_that_fails_leaves_the_old_one(tmp_path, name):
    file = tmp_path / name
    file.write_text("old")

    def stop(number: int, total: int) -> None:  # noqa: ARG001 # as a report is called
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_film(short_game(4), file, width=160, report=stop)
    assert [one.name for one in tmp_path.iterdir()] == [name]
    assert file.read_text() == "old"


def test_without_ffmpeg_the_error_names_the_extra(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ValueError, match=r"azul_duel_env\[video\]"):
        write_film(short_game(2), tmp_path / "game.mp4")


def test_a_film_that_ffmpeg_refuses(tmp_path, monkeypatch):
    pytest.importorskip("imageio_ffmpeg")
    plain = film._ffmpeg_command
    monkeypatch.setattr(film, "_ffmpeg_command", lambda *given: [*plain(*given)[:-1], "-f", "nonsense", str(given[0])])
    with pytest.raises(OSError, match=r"ffmpeg could not write the film: .*nonsense"):
        write_film(short_game(2), tmp_path / "game.mp4", width=160)
    assert not list(tmp_path.iterdir())


# Notebooks ------------------------------------------------------------------------------------
def test_a_notebook_shows_a_game_in_a_frame_of_its_own():
    record = short_game(4, players=("human", "greedy <b>"))
    view = GameView(record, height=500)
    shown = view._repr_html_()
    assert repr(view) == "<GameView of Azul Duel: human - greedy <b>, 4 decisions>"
    frame = re.fullmatch(
        r'<iframe sandbox="allow-scripts" title="([^"]*)" style="([^"]*)" srcdoc="([^"]*)"></iframe>', shown
    )
    assert frame
    assert "height:500px" in frame[2]
    page = unescape(frame[3])
    data = data_of(page)
    assert (data["plays"], list(data["layouts"])) == (False, ["wide"])
    assert [scene["words"] for scene in data["scenes"]] == [scene.words for scene in scenes_of(record, 0)]
    assert "http" not in page


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"seat": 2}, "0 to 1"),
        ({"theme": "blue"}, "light, dark, auto"),
        ({"height": 9}, "240"),
        ({"fps": 0}, "0.1 to 50"),
    ],
)
def test_wrong_views(how, message):
    with pytest.raises(ValueError, match=message):
        GameView(short_game(2), **how)


# The command ----------------------------------------------------------------------------------
def test_commands(tmp_path):
    game = tmp_path / "a.game"
    game.write_text(short_game(3).write(), encoding="utf-8")
    film_file, picture_file = tmp_path / "a.html", tmp_path / "a.svg"
    made = CliRunner().invoke(app, ["film", str(game), str(film_file), "--theme", "dark", "--seat", "1", "--fps", "1"])
    assert made.exit_code == 0, made.output
    assert data_of(film_file.read_text(encoding="utf-8"))["theme"] == "dark"
    made = CliRunner().invoke(
        app, ["picture", str(game), str(picture_file), "--decision", "2", "--width", "640", "--legal"]
    )
    assert made.exit_code == 0, made.output
    assert 'width="640"' in picture_file.read_text(encoding="utf-8")
    wrong = CliRunner().invoke(app, ["film", str(game), str(tmp_path / "a.avi")])
    assert isinstance(wrong.exception, ValueError)
    assert film.KINDS == (".gif", ".mp4", ".html")
