"""Long answers as what has changed since an earlier one."""

from __future__ import annotations

import json
import random
from statistics import mean

import pytest
from pages import BASE, page_of, table_with

from azul_duel_env.games import find_game
from azul_duel_env.play.changes import LEAST, MOST_KEPT, changes_from, parts_of
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.page_data import page_data
from azul_duel_env.play.session import Session


def put_together(changes, known):
    return "".join(one if isinstance(one, str) else "".join(known[one[0] : sum(one)]) for one in changes)


@pytest.mark.parametrize(("name", "players", "share"), [("duel", 2, 0.2), ("pavilion_mini", 4, 0.1)])
def test_states_of_a_game_are_put_together_from_few_changes(name, players, share):
    session, dice = Session(Setup((HUMAN,) * players, 5, {}, find_game(name, players))), random.Random(1)
    known, whole, told = [], [], []
    while not session.over and len(whole) < 80:
        text = json.dumps(page_data(session, "wide", "light"), ensure_ascii=False, separators=(",", ":"))
        parts = parts_of(text)
        assert "".join(parts) == text
        changes = changes_from(known, parts)
        assert put_together(changes, known) == text
        whole.append(len(text))
        told.append(len(json.dumps(changes, ensure_ascii=False, separators=(",", ":"))))
        known = parts
        session.play(dice.choice(session.position.legal_actions()))
    assert mean(told[1:]) < share * mean(whole[1:])


def test_parts_that_come_again_moved_or_not_at_all():
    for known, parts, changes in (
        ("", "ab", ["ab"]),
        ("abc", "abc", [[0, 3]]),
        ("abc", "axc", [[0, 1], "x", [2, 1]]),
        ("abc", "cab", [[2, 1], [0, 2]]),
        ("aab", "aaab", [[0, 2], [0, 1], [2, 1]]),
        ("abc", "", []),
    ):
        assert changes_from(list(known), list(parts)) == changes
        assert put_together(changes, list(known)) == parts


@pytest.fixture
def page():
    with page_of(table_with(HUMAN, HUMAN)) as opened:
        assert opened.state
        yield opened


def test_who_names_an_answer_is_told_the_changes_to_it(page):
    plain = page.get()
    assert not {"x-name", "x-earlier"} & set(plain.headers), "who asks for nothing gets answers as they are"
    first = page.get(known="")
    assert first.text == plain.text
    assert "x-earlier" not in first.headers
    name = first.headers["x-name"]
    body = {"version": page.version, "action": first.json()["choices"][0]["action"]}
    after = page.client.post("/api/play", params={"known": name}, json=body)
    assert after.headers["x-earlier"] == name
    assert len(after.content) < len(first.content) / 2
    assert int(after.headers.get("content-length", len(after.content))) <= len(after.content)
    text = put_together(after.json(), parts_of(first.text))
    assert text == page.get().text
    assert page.get(known=after.headers["x-name"]).json() == [[0, len(parts_of(text))]]


def test_a_name_that_is_not_known_any_more_brings_all(page):
    name = page.get(known="").headers["x-name"]
    for number in range(MOST_KEPT):
        body = {"version": page.version, "action": page.get().json()["choices"][0]["action"]}
        answer = page.client.post("/api/play", params={"known": "none" if number % 2 else ""}, json=body)
        assert answer.json()["log"][-1]["number"] == number + 1
    answer = page.get(known=name)
    assert "x-earlier" not in answer.headers
    assert answer.json()["version"] == page.version


def test_short_answers_errors_and_files_are_as_they_are(page):
    assert page.get("version", known="").headers.keys().isdisjoint({"x-name"})
    refused = page.get("scenes", version=1, move=0, known="")
    assert refused.status_code in (400, 409)
    assert refused.json()["error"]
    assert len(page.get("version", known="").content) < LEAST
    for path in ("/api/game", "/app.js"):
        whole, asked = page.client.get(path), page.client.get(path, params={"known": ""})
        assert (asked.text, "x-name" in asked.headers) == (whole.text, False)
    assert page.client.base_url == BASE
