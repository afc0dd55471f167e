"""Games looked at again over the page's server: what agents think, what a search found, and what may not be seen."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest

from azul_duel_env.arena import play_game
from azul_duel_env.arena.game_file import Record, record_game
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.session import Session
from azul_duel_env.tools.analysis import analyse_game, analysis_from_dict, count_choices

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from pages import OPPONENT, WANTED, page_of, table_with

from azul_duel_env.play import studies, study_api, table
from azul_duel_env.play.studies import MOST_STUDIES, RecordedGame, Studies
from azul_duel_env.play.study_data import is_hidden
from azul_duel_env.play.table import Table

BUDGET = 8 if COMPILED else 1
SEARCH = f"mcts:{BUDGET}"
MOVES = 24 if COMPILED else 5


@pytest.fixture(autouse=True)
def _without_search(monkeypatch):
    """Compile nothing in the background that a test doesn't ask for."""
    monkeypatch.setattr(table, "warm_up_extras", lambda *_: None)


@pytest.fixture(scope="module")
def record() -> Record:
    result = play_game(GAME, ("greedy", "random") if COMPILED else ("random", "random"), 4)
    return record_game(GAME, 4, result.actions[:MOVES], players=("Ann", "Bob"))


@pytest.fixture
def page():
    with page_of(table_with(HUMAN, OPPONENT)) as page:
        page.play_on(3)
        yield page


def refused(answer, status, told):
    assert answer.status_code == status, answer.text
    assert told in answer.json()["error"]


def analysed(page, study="table", agent=SEARCH):
    """Let a search look at a game, and return what came out."""
    assert page.post("study/analyse", {"id": study, "agent": agent}).status_code == 200
    return finished(page, study, agent)


def finished(page, study="table", agent=SEARCH):
    until = time.monotonic() + 300
    while (progress := page.get("study/progress", id=study, agent=agent).json())["running"]:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert progress["trouble"] == ""
    return progress


def opened(page, record):
    answer = page.post("study/open", {"text": record.write()})
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


# The game ---------------------------------------------------------------------------------------
def test_a_study_of_the_table_has_its_moves_and_positions(page):
    state, study = page.state, page.get("study").json()
    assert study["names"] == state["names"] == ["You", OPPONENT]
    assert [move["words"] for move in study["moves"]] == [entry["words"] for entry in state["log"]]
    assert (study["over"], study["front"], study["search"]) == (False, 0, GAME.adviser)
    for at in (0, 1, len(study["moves"])):
        shown = page.get("study/position", at=at, theme="dark").json()
        assert (shown["at"], shown["player"] in (0, 1)) == (at, True)
        assert shown["svg"].startswith("<svg")
    assert shown["choices"] == state["choices"]
    undressed = re.sub("<style>.*</defs>", "", shown["svg"])
    assert undressed == page.get(theme="dark").json()["svg"], "the last position is the table"
    refused(page.get("study/position", at=99), 400, "at must be 0 to")
    refused(page.get("study/position", at="x"), 400, "at must be a number")
    refused(page.get("study", id="nothing"), 404, "not open any more")
    assert page.get("study/position", at=1, key=study["key"]).status_code == 200
    for address in ("study/position", "study/progress"):
        refused(page.get(address, key="of another server"), 409, "another game lies on the table")


def test_a_game_file_is_looked_at_while_the_game_on_the_table_stays(page, record):
    before = page.state
    study = opened(page, record)
    data = page.get("study", id=study).json()
    assert data["names"] == ["Ann", "Bob"]
    assert len(data["moves"]) == MOVES
    assert data["moves"][0]["words"].startswith(("Ann", "Bob"))
    assert page.state == before
    refused(page.post("study/open", {"text": "no game"}), 400, "line 1: expected")
    refused(page.post("study/open", {"text": 3}), 400, "text must be a text")


def test_a_recorded_game_is_written_as_it_was_read(record):
    game = RecordedGame(record)
    assert game.record().write() == record.write()
    assert not game.people


def test_of_many_files_the_first_ones_close(record):
    kept = Studies(lambda: None, lambda: 0)
    names = [kept.open(record.write()) for _ in range(MOST_STUDIES + 2)]
    assert [kept.find(name) is None for name in names] == [True] * 2 + [False] * MOST_STUDIES


# Analyses ---------------------------------------------------------------------------------------
def test_the_page_finds_what_the_command_finds(page, record):
    study = opened(page, record)
    found = analysed(page, study)
    expected = list(analyse_game(record, SEARCH))
    assert (found["done"], found["wanted"]) == (len(expected), count_choices(record))
    for told, one in zip(found["decisions"], expected, strict=True):
        assert (told["number"], told["player"], told["mark"]) == (one.number, one.player, one.mark)
        assert told["loss"] == pytest.approx(one.loss, abs=1e-3)
        assert told["values"] == pytest.approx(one.played_values, abs=1e-3)
        assert told["best"] == GAME.text.parse_action(one.best)
        assert told["variation"][0] == told["best_words"]
    saved = page.get("study/analysis", id=study, agent=SEARCH)
    assert "analysis.json" in saved.headers["content-disposition"]
    assert analysis_from_dict(json.loads(saved.text)).decisions == tuple(expected)
    assert [one["name"] for one in found["summary"]] == ["Ann", "Bob"]
    later = page.get("study/progress", id=study, agent=SEARCH, after=expected[2].number).json()
    assert later["decisions"] == found["decisions"][3:]


def test_what_was_found_is_kept_while_the_game_goes_on(page, monkeypatch):
    looked = []
    look_at = studies.look_at
    monkeypatch.setattr(
        studies, "look_at", lambda search, choice, seed: looked.append(choice) or look_at(search, choice, seed)
    )
    first = analysed(page)
    assert first["done"] == first["wanted"] == len(looked) > 0
    page.play_on(1)
    second = page.get("study/progress", agent=SEARCH).json()
    assert second["decisions"] == first["decisions"]
    assert second["wanted"] > second["done"]
    looked.clear()
    third = analysed(page)
    assert third["done"] == third["wanted"]
    assert len(looked) == third["wanted"] - first["wanted"]
    page.do("undo")
    assert page.get("study/progress", agent=SEARCH).json()["done"] <= first["done"] + 1
    page.do("new", **WANTED)
    assert page.get("study/progress", agent=SEARCH).json()["done"] == 0


def test_an_analysis_can_be_stopped_and_goes_on_where_it_was(page, record, monkeypatch):
    look_at, few = studies.look_at, threading.Semaphore(3)
    monkeypatch.setattr(studies, "look_at", lambda *what: (few.acquire(), look_at(*what))[1])
    study = opened(page, record)
    assert page.post("study/analyse", {"id": study, "agent": SEARCH}).status_code == 200
    while (progress := page.get("study/progress", id=study, agent=SEARCH).json())["done"] < 3:
        assert progress["running"]
    assert page.post("study/stop", {"id": study}).status_code == 200
    few.release(1000)
    stopped = finished(page, study)
    assert 3 <= stopped["done"] < stopped["wanted"]
    assert analysed(page, study)["done"] == stopped["wanted"]


def test_the_server_answers_while_a_game_is_analysed(page, record):
    study = opened(page, record)
    page.post("study/analyse", {"id": study, "agent": "mcts:20000" if COMPILED else SEARCH})
    before = page.version
    assert page.do("play", action=page.state["choices"][0]["action"])["version"] != before
    progress = page.get("study/progress", id=study, agent="mcts:20000" if COMPILED else SEARCH).json()
    assert progress["running"] or not COMPILED
    page.post("study/stop", {"id": study})


def test_an_analysis_that_fails_says_why(page, monkeypatch):
    def fail(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(studies, "look_at", fail)
    page.post("study/analyse", {"id": "table", "agent": SEARCH})
    while (progress := page.get("study/progress", agent=SEARCH).json())["running"]:
        pass
    assert progress["trouble"] == "MemoryError: no room"


def test_only_searches_analyse_and_only_agents_that_may_be_chosen_are_asked(page):
    version = page.version
    for agent, told in (
        ("greedy", "expected a search"),
        ("mtcs:5", "did you mean 'mcts:5'"),
        ("mcts:20001", "too large"),
        ("sb3:/tmp/model.zip", "may load a file or run code"),
        ("network+mcts:5:/tmp/x.npz", "may load a file or run code"),
        (HUMAN, "expected an agent, not a person"),
    ):
        refused(page.post("study/analyse", {"id": "table", "agent": agent}), 400, told)
        if agent != "greedy":
            refused(page.post("study/outlook", {"id": "table", "at": 0, "agent": agent}), 400, told)
            refused(page.get("study/progress", agent=agent), 400, told)
    refused(page.post("study/analyse", {"id": "table"}), 400, "expected a JSON object with id, agent")
    assert page.version == version


# What agents think ------------------------------------------------------------------------------
@pytest.mark.parametrize("agent", ["random", "greedy", SEARCH, "greedy2"])
def test_an_outlook_tells_actions_with_their_parts(page, agent):
    state = page.state
    answer = page.post("study/outlook", {"id": "table", "at": len(state["log"]), "agent": agent})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    parts = {choice["action"]: choice["parts"] for choice in state["choices"]}
    assert {row["action"]: row["parts"] for row in found["actions"]}.items() <= parts.items()
    assert found["words"].startswith("You ")
    assert found["variation"][0] == found["words"]
    shares = [row["probability"] for row in found["actions"]]
    if agent == "greedy2":
        assert shares == [None]
        assert "only what it plays" in found["probability_meaning"]
    else:
        assert sum(shares) == pytest.approx(1, abs=0.05)
        assert shares == sorted(shares, reverse=True)
    assert (found["values"] is None) == (agent != SEARCH)
    assert (found["actions"][0]["rating"] is None) == (agent != "greedy")


def test_an_agent_from_outside_that_was_named_tells_what_it_plays():
    with page_of(table_with(HUMAN, "random", known=(f"{__name__}:plays_the_last",))) as page:
        state = page.play_on(1)
        body = {"id": "table", "at": len(state["log"]), "agent": f"{__name__}:plays_the_last"}
        found = page.post("study/outlook", body).json()
        assert found["best"] == state["choices"][-1]["action"]
        assert found["actions"][0]["probability"] is None


def plays_the_last(_observation, mask):
    return int(mask.nonzero()[0][-1])


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_another_position_calls_off_what_is_thought_about_the_one_before(page, monkeypatch):
    at, answers, begun, outlook_by = len(page.state["log"]), [], threading.Event(), study_api.outlook_by
    monkeypatch.setattr(study_api, "outlook_by", lambda asking: (begun.set(), outlook_by(asking))[1])
    body = {"id": "table", "at": at, "agent": f"mcts:{table.MOST_SIMULATIONS}"}
    first = threading.Thread(target=lambda: answers.append(page.post("study/outlook", body)))
    first.start()
    assert begun.wait(timeout=60)
    assert page.post("study/outlook", {**body, "at": at - 1}).status_code == 200
    first.join(timeout=60)
    refused(answers[0], 409, "another position")


def test_nobody_is_asked_about_a_finished_game():
    with page_of(table_with("random", "random")) as page:
        state = page.play_on(0)
        assert state["turn"] == "over"
        body = {"id": "table", "at": len(state["log"]), "agent": "random"}
        refused(page.post("study/outlook", body), 400, "the game is over")
        assert page.get("study").json()["result"]


# Puzzles ----------------------------------------------------------------------------------------
def test_an_action_is_judged_as_in_the_analysis(page, record):
    study = opened(page, record)
    found = analysed(page, study)
    worst = max(found["decisions"], key=lambda one: one["loss"])
    body = {"id": study, "at": worst["number"] - 1, "agent": SEARCH}
    assert page.post("study/judge", {**body, "action": worst["played"]}).json() == worst
    best = page.post("study/judge", {**body, "action": worst["best"]}).json()
    assert (best["loss"], best["agrees"]) == (0, True)
    assert best["value"] == worst["best_value"]
    refused(page.post("study/judge", {**body, "action": -1}), 400, "is not legal")
    refused(page.post("study/judge", {**body, "action": 0, "at": MOVES}), 400, "nothing was decided here yet")
    refused(page.post("study/judge", {**body, "action": worst["best"], "agent": "greedy"}), 400, "expected a search")


# Secrets ----------------------------------------------------------------------------------------
def secret_moves(session):
    return [n for n, move in enumerate(session.moves) if session.game.display.is_secret(move.before.states[0])]


@pytest.mark.skipif(not COMPILED, reason="too slow in this lane")
def test_what_an_opponent_chooses_from_in_secret_stays_secret():
    """Somebody draws dome tiles and chooses one that only they see."""
    record = next(found for seed in range(30) if secret_moves(RecordedGame(found := drawing_game(seed))))
    at = secret_moves(RecordedGame(record))[0]
    owner = RecordedGame(record).moves[at].player
    seats = tuple(HUMAN if seat != owner else "random" for seat in range(2))

    def start():
        session = Session(Setup(seats, record.seed, dict(record.options)))
        session.follow(record)
        return session

    session = start()
    position = session.moves[at].before
    assert is_hidden(session, position)
    with page_of(Table(start)) as page:
        assert page.state
        assert page.get("study/position", at=at).json()["choices"] == []
        for path, more in (("outlook", {}), ("judge", {"action": session.moves[at].action})):
            answer = page.post(f"study/{path}", {"id": "table", "at": at, "agent": SEARCH, **more})
            refused(answer, 400, "is secret")
        for one in analysed(page)["decisions"]:
            if one["number"] - 1 in secret_moves(session):
                assert (one["played"], one["best"], one["variation"]) == (None, None, [])
        study = opened(page, record)
        assert page.get("study/position", id=study, at=at).json()["choices"] != [], "of a file all may be known"


def drawing_game(seed) -> Record:
    return record_game(GAME, seed, play_game(GAME, ("random", "random"), seed).actions)
