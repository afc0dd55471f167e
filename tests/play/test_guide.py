"""What the server of the page answers to those who learn: rules, reasons, what comes of an action; and rematch, film, names and levels."""

from __future__ import annotations

import json

import pytest

from azul_duel_env.games import GAMES, find_game
from azul_duel_env.play.levels import levels_of
from azul_duel_env.play.new_game import HUMAN
from azul_duel_env.play.seat_names import names_of_seats

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from pages import OPPONENT, WANTED, page_of, table_with

from azul_duel_env.play import table


@pytest.fixture(autouse=True)
def _without_search(monkeypatch):
    """Compile nothing in the background that a test doesn't ask for."""
    monkeypatch.setattr(table, "warm_up_extras", lambda _game: None)


@pytest.fixture
def page():
    with page_of(table_with(HUMAN, OPPONENT)) as page:
        page.play_on(2)
        yield page


def test_rules_come_by_topic_for_each_game(page):
    own = page.get("guide").json()
    assert own["title"] == "Azul Duel"
    assert {"sun", "chip", "scoring-rows"} <= {topic["name"] for topic in own["topics"]}
    assert all(topic["text"] and all(topic["text"]) for topic in own["topics"])
    other = page.get("guide", game="azul/pavilion_mini-v0", players=3).json()
    assert {"wild", "structure"} <= {topic["name"] for topic in other["topics"]}
    page.refused(400, "players must be a number", page.get("guide", players="x"))
    page.refused(400, "unknown game", page.get("guide", game="azul/chess-v0"))


def test_a_reason_is_given_for_parts_of_the_table_only(page):
    state = page.state
    first = next(one["parts"][0] for one in state["choices"] if one["parts"][0].startswith("sun-"))
    assert page.asked("why", part="line-1-0").json()["why"] == "That is on the other player's board."
    assert page.asked("why", part="line-0-0").json()["why"].startswith("Pick the tiles first")
    assert page.asked("why", part="line-0-0", picked=first).json()["why"].endswith(".")
    page.refused(400, "there is no part 'line-7-9'", page.asked("why", part="line-7-9"))
    page.refused(400, "there is no part ''", page.asked("why"))
    page.refused(400, "no legal action begins", page.asked("why", part="line-0-0", picked="stack line-0-0"))


def test_what_comes_of_an_action_is_shown_and_nothing_has_changed(page):
    before = page.state
    taking = [one for one in before["choices"] if one["parts"][-1].startswith(("line-", "broken-"))]
    for choice in taking[:12]:
        answer = page.asked("preview", action=choice["action"], layout="phone").json()
        assert answer["words"]
        assert "<use" in answer["svg"]
        assert "data-part" not in answer["svg"]
    assert page.state == before
    illegal = next(n for n in range(400) if n not in {one["action"] for one in before["choices"]})
    page.refused(400, "legal action", page.asked("preview", action=illegal))
    page.refused(400, "legal action", page.asked("preview"))
    page.refused(400, "action must be a number", page.asked("preview", action="-1"))


@pytest.mark.parametrize(
    ("path", "more"), [("why", {"part": "line-0-0"}), ("preview", {"action": 0}), ("scenes", {"move": 1})]
)
def test_a_question_about_a_position_that_is_gone_is_refused(page, path, more):
    before = page.version
    assert page.get(path, version=before, **more).status_code in (200, 400)
    page.play_on(1)
    page.refused(409, "the game has moved on", page.get(path, version=before, **more))
    page.refused(400, "version must be a number", page.get(path, **more))


def test_lessons_stand_in_the_state_of_whoever_decides(page):
    assert [lesson["name"] for lesson in page.state["lessons"]][:1] == ["taking"]
    assert page.state["round"] == 1


def test_nobody_is_told_what_comes_of_the_action_of_an_agent():
    with page_of(table_with("random", "random")) as page:
        assert page.state["lessons"] == []
        page.refused(409, "no person decides", page.asked("preview", action=0))
        assert page.asked("why", part="line-0-0").json()["why"] == f"It is the turn of random ({page.state['player']})."
        page.refused(409, "not over", page.get("film"))
        while page.state["turn"] != "over":
            page.do("think")
        assert page.asked("why", part="line-0-0").json()["why"] == "The game is over."
        film = page.get("film")
        assert film.headers["content-disposition"] == 'attachment; filename="azul-duel-5.html"'
        assert film.text.startswith("<!doctype html>")
        over = page.state
        again = page.do("rematch")
        assert (again["seats"], again["options_text"], again["log"]) == (over["seats"], over["options_text"], [])
        assert again["seed"] != over["seed"]
        assert again["game"] != over["game"]


def test_what_is_made_ready_can_be_called_off(monkeypatch):
    here = table_with(HUMAN, OPPONENT)
    made = []

    async def ready_too_late(make):
        made.append(make())
        here.stay()
        return made[-1]

    with page_of(here) as page:
        before = page.state
        monkeypatch.setattr(table, "in_thread", ready_too_late)
        assert page.ask("new", WANTED).status_code == 409
        assert made
        assert page.state["game"] == before["game"]
        assert page.do("stay") == {"version": before["version"]}


# Names and levels -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("seats", "names"),
    [
        (("human", "greedy"), ("You", "greedy")),
        (("human", "human"), ("Player 1", "Player 2")),
        (("random", "random"), ("random (0)", "random (1)")),
        (("network:/home/me/runs/a/long/way/model.npz", "human"), ("network:…/model.npz", "You")),
        (("a_module_with_a_very_long_name:and_its_function", "greedy"), ("a_module_with…d_its_function", "greedy")),
        (
            ("x:" + 40 * "a", "x:" + 40 * "a"),
            ("x:aaaaaaaaaaa…" + 14 * "a" + " (0)", "x:aaaaaaaaaaa…" + 14 * "a" + " (1)"),
        ),
    ],
)
def test_names_on_the_table_are_short_and_distinct(seats, names):
    assert names_of_seats(seats) == names


@pytest.mark.parametrize(
    ("game_id", "players"), [(game_id, players) for game_id in GAMES for players in find_game(game_id).player_counts]
)
def test_levels_rise_as_the_ladder_of_the_game_says(game_id, players):
    game = find_game(game_id).of({"num_players": players})
    ladder = json.loads(game.ladder.read_text(encoding="utf-8"))
    ratings = {row["agent"]: row["rating"] for row in ladder["ratings"]}
    levels = list(levels_of(game).values())
    assert set(levels) <= set(ratings)
    assert levels == sorted(levels, key=ratings.get)
