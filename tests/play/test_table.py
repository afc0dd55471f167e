"""The table of the server: who comes first when several change it, agents that fail or take long, and one file a game."""

from __future__ import annotations

import sys
import threading

import pytest

from azul_duel_env.games.duel import GAME
from azul_duel_env.play.new_game import HUMAN
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import read_session

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from pages import WANTED, page_of, table_with

from azul_duel_env.play import api, table
from azul_duel_env.play.table import Table


@pytest.fixture(autouse=True)
def _without_search(monkeypatch):
    """Compile nothing in the background that a test doesn't ask for."""
    monkeypatch.setattr(table, "warm_up_extras", lambda *_: None)


SLOW = 77
"""The seed of games that are made ready slowly."""


class Slow:
    """Holds games with the seed SLOW back until it is told."""

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, setup):
        if setup.seed == SLOW:
            self.begun.set()
            assert self.go_on.wait(30)
        return Session(setup)


@pytest.fixture
def slow(monkeypatch):
    held = Slow()
    monkeypatch.setattr(api, "Session", held)
    yield held
    held.go_on.set()


class Asked:
    """A request in a thread of its own."""

    def __init__(self, page, path, body):
        self.answers = []
        self._thread = threading.Thread(target=lambda: self.answers.append(page.post(path, body)))
        self._thread.start()

    def answer(self):
        self._thread.join(30)
        return self.answers[0]


def begin_slowly(page, slow):
    """Ask for a new game that isn't ready yet."""
    asked = Asked(page, "new", {"version": page.state["version"], **WANTED, "seed": SLOW})
    assert slow.begun.wait(30)
    return asked


def kept_seeds(folder):
    return sorted(int(read_session(file.read_text(encoding="utf-8")).setup.seed) for file in folder.glob("*.game"))


@pytest.mark.parametrize("by", ["new", "load", "play", "undo"])
def test_a_slow_new_game_never_overwrites_what_was_done_after_it(by, slow, tmp_path):
    with page_of(table_with(HUMAN, HUMAN, saves=Autosave(tmp_path))) as page:
        page.play_on(2)
        text = page.get("game").text
        first = begin_slowly(page, slow)
        bodies = {
            "new": {**WANTED, "seed": 2},
            "load": {"text": text.replace("seed: 5", "seed: 6")},
            "play": {"action": page.state["choices"][0]["action"]},
            "undo": {},
        }
        after = page.ask(by, bodies[by]).json()
        slow.go_on.set()
        page.refused(409, "the table has changed", first.answer())
        assert page.state == after
        assert kept_seeds(tmp_path) == sorted({5, int(after["seed"])})


def test_of_two_new_games_the_later_wins_though_the_earlier_is_ready_first(slow):
    with page_of(table_with(HUMAN, "random")) as page:
        later_may_go_on = slow.go_on
        first = begin_slowly(page, slow)
        slow.begun, slow.go_on = threading.Event(), threading.Event()
        second = begin_slowly(page, slow)
        later_may_go_on.set()
        page.refused(409, "the table has changed", first.answer())
        assert page.state["seed"] == "5"
        slow.go_on.set()
        assert second.answer().status_code == 200
        assert page.state["seed"] == str(SLOW)


def test_an_agent_s_decision_does_not_stand_in_the_way_of_a_new_game(slow):
    with page_of(table_with("random", "random")) as page:
        asked = begin_slowly(page, slow)
        page.do("think")
        slow.go_on.set()
        assert asked.answer().json()["seed"] == str(SLOW)


def test_a_new_game_that_can_t_be_does_not_call_off_the_one_asked_for_before(slow):
    with page_of(table_with(HUMAN, HUMAN)) as page:
        asked = begin_slowly(page, slow)
        page.refused(400, "did you mean", page.ask("new", {**WANTED, "opponent": "greedi"}))
        page.refused(400, "is not legal", page.ask("play", {"action": -1}))
        slow.go_on.set()
        assert asked.answer().status_code == 200


@pytest.mark.parametrize(
    ("path", "body"), [("new", WANTED), ("load", {"text": "x"}), ("seats", {"seats": [HUMAN, HUMAN]}), ("undo", {})]
)
def test_all_that_changes_the_table_is_refused_for_a_state_that_is_gone(path, body):
    with page_of(table_with(HUMAN, HUMAN)) as page:
        stale = page.state["version"]
        page.play_on(1)
        page.refused(409, "the game has moved on", page.post(path, {"version": stale, **body}))


def test_versions_of_one_server_mean_nothing_to_the_next():
    first, second = (table_with(HUMAN, HUMAN) for _ in range(2))
    assert abs(first.version - second.version) > 1000
    assert first.number != second.number


def test_no_search_is_run_to_find_out_whether_an_opponent_can_play(monkeypatch):
    budgets = []
    monkeypatch.setattr(GAME.kernel("search"), "grow", lambda *args: budgets.append(args[-1]))
    with page_of(table_with(HUMAN, "mcts:20000")) as page:
        assert page.ask("new", {**WANTED, "opponent": "network+mcts:20000ms"}).status_code == 200
    assert budgets == [1, 1]


def test_each_game_has_a_file_of_its_own(tmp_path):
    saves = Autosave(tmp_path)
    with page_of(table_with(HUMAN, HUMAN, saves=saves)) as page:
        page.play_on(1)
        first = saves.file.read_text(encoding="utf-8")
        page.ask("new", {**WANTED, "opponent": HUMAN})
        page.play_on(1)
        assert kept_seeds(tmp_path) == [5, 9]
        assert first in {file.read_text(encoding="utf-8") for file in tmp_path.glob("*.game")}


def test_a_server_of_which_nothing_can_be_made_says_so():
    def fails():
        raise MemoryError("no room")

    with page_of(Table(fails)) as page:
        while (answer := page.get()).json().get("preparing"):
            pass
        assert answer.status_code == 503
        assert answer.json()["error"] == "MemoryError: no room"


FAILURES = {"RuntimeError": RuntimeError, "SystemExit": SystemExit, "StopIteration": StopIteration}


@pytest.mark.parametrize("kind", FAILURES)
def test_an_agent_that_fails_can_be_asked_again_or_leave_its_seat(kind, tmp_path):
    spec = f"{__name__}:{kind}"
    saves = Autosave(tmp_path)
    with page_of(table_with(HUMAN, spec, known=(spec,), saves=saves, first_player=1)) as page:
        state = page.do("play", action=page.state["choices"][0]["action"])
        for _ in range(2):
            page.refused(400, f"failed: {kind}: no idea", page.post("think", {"version": state["version"]}))
        page.refused(400, "did you mean 'greedy'", page.ask("seats", {"seats": [HUMAN, "greedi"]}))
        page.refused(400, "seats must be", page.ask("seats", {"seats": [HUMAN]}))
        page.refused(400, "name it on the command line", page.ask("seats", {"seats": [HUMAN, "os:getcwd"]}))
        after = page.do("seats", seats=[HUMAN, "random"])
        assert after["seats"] == [HUMAN, "random"]
        assert (after["log"], after["game"]) == ([{**entry} for entry in state["log"]], state["game"])
        assert len(page.do("think")["log"]) == len(state["log"]) + 1
        assert len(list(tmp_path.glob("*.game"))) == 1


def __getattr__(name):
    """Return an agent that fails as its name says."""
    if name not in FAILURES:
        raise AttributeError(name)

    def fails(_observation, _mask):
        raise FAILURES[name]("no idea")

    return fails


def test_an_agent_whose_code_can_t_be_loaded_is_told(tmp_path, monkeypatch):
    (tmp_path / "broken_agent.py").write_text("raise RuntimeError('not today')\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    spec = "broken_agent:act"
    with page_of(table_with(HUMAN, "random", known=(spec,))) as page:
        page.refused(400, "can't be loaded: RuntimeError: not today", page.ask("new", {**WANTED, "opponent": spec}))


BEGUN, GO_ON = threading.Event(), threading.Event()


def waits(_observation, mask):
    """Think until the test says so."""
    BEGUN.set()
    assert GO_ON.wait(30)
    return int(mask.argmax())


def test_what_an_agent_thinks_about_a_state_that_is_gone_is_dropped():
    spec = f"{__name__}:waits"
    GO_ON.clear()
    BEGUN.clear()
    with page_of(table_with(HUMAN, spec, known=(spec,), first_player=1)) as page:
        state = page.do("play", action=page.state["choices"][0]["action"])
        assert state["turn"] == "agent"
        answers = []
        ask = [threading.Thread(target=lambda: answers.append(page.post("think", {"version": state["version"]})))]
        ask[0].start()
        assert BEGUN.wait(30)
        assert page.state["version"] == state["version"]  # the page is alive meanwhile
        undone = page.do("undo")
        GO_ON.set()
        ask[0].join(30)
        assert [answer.status_code for answer in answers] == [409]
        assert page.state["version"] == undone["version"]
        assert page.state["log"] == []


def test_an_agent_that_fails_is_told():
    spec = f"{__name__}:fails"
    with page_of(table_with(HUMAN, spec, known=(spec,), first_player=1)) as page:
        state = page.do("play", action=page.state["choices"][0]["action"])
        page.refused(400, "failed: RuntimeError: no idea", page.post("think", {"version": state["version"]}))


def fails(_observation, _mask):
    raise RuntimeError("no idea")
