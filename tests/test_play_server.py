"""The server of the board in the browser: what it answers, what it refuses, and that nothing changes then."""

from __future__ import annotations

import threading
import warnings

import pytest

from azul_duel_env._jit import COMPILED
from azul_duel_env.duel import GAME
from azul_duel_env.play.session import HUMAN, Session, Setup, read_session

pytest.importorskip("starlette")
pytest.importorskip("httpx")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer versions would rather have httpx2
    from starlette.testclient import TestClient

from azul_duel_env.play import table
from azul_duel_env.play.server import address_of, listen, make_app
from azul_duel_env.play.table import Table, budget_of

BASE = "http://127.0.0.1:8000"
OPPONENT = "greedy" if COMPILED else "random"


@pytest.fixture(autouse=True)
def _without_search(monkeypatch):
    """Compile nothing in the background that a test doesn't ask for."""
    monkeypatch.setattr(table, "warm_up_extras", lambda: None)


def table_with(*seats, seed=5, known=(), autosave=None, **options):
    return Table(lambda: Session(Setup(seats, seed, options)), known, autosave)


class Page:
    """What the page does, without a browser."""

    def __init__(self, client):
        self.client = client

    def get(self, path="state", **query):
        return self.client.get(f"/api/{path}", params=query)

    def post(self, path, body, **how):
        return self.client.post(f"/api/{path}", json=body, **how)

    @property
    def state(self):
        while (answer := self.get()).status_code == 503:
            assert answer.json()["preparing"]
        assert answer.status_code == 200, answer.text
        return answer.json()

    def do(self, path, **body):
        answer = self.post(path, {"version": self.state["version"], **body})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def play_on(self, count):
        """Let both sides decide, the person by a rule."""
        state = self.state
        while count and state["turn"] != "over":
            if state["turn"] == "human":
                state = self.do("play", action=state["choices"][len(state["choices"]) // 2]["action"])
                count -= 1
            else:
                state = self.do("think")
        while state["turn"] == "agent":
            state = self.do("think")
        return state

    def refused(self, status, told, answer):
        """Check that an answer refuses, says why, and that nothing has changed."""
        before = self.state
        assert answer.status_code == status, answer.text
        assert told in answer.json()["error"]
        assert self.state["version"] == before["version"]
        assert self.state["log"] == before["log"]


@pytest.fixture
def page():
    with TestClient(make_app(table_with(HUMAN, OPPONENT)), base_url=BASE) as client:
        page = Page(client)
        page.play_on(3)
        yield page


def test_the_page_and_its_headers(page):
    for path, kind in (("/", "text/html"), ("/app.js", "text/javascript"), ("/style.css", "text/css")):
        answer = page.client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "script-src 'self';" in answer.headers["content-security-policy"]
        assert "http" not in answer.text.replace("http://www.w3.org", "")  # nothing from elsewhere
    assert page.get().headers["x-content-type-options"] == "nosniff"


def test_the_state_has_all_that_is_shown(page):
    state = page.state
    assert state["turn"] == "human"
    assert state["names"] == ["You", OPPONENT]
    assert state["seed"] == "5"
    assert len(state["log"]) >= 3
    assert all(choice["words"].startswith("You ") for choice in state["choices"])
    assert all(len(choice["parts"]) == len(choice["labels"]) for choice in state["choices"])
    assert state["svg"].startswith("<svg")
    narrow = page.get(layout="narrow", theme="dark").json()["svg"]
    assert narrow != state["svg"]
    page.refused(400, "layout must be", page.get(layout="round"))
    page.refused(400, "theme", page.get(theme="pink"))


def test_every_choice_has_parts_that_are_drawn_and_no_two_the_same(page):
    for _ in range(12 if COMPILED else 3):
        state = page.play_on(1)
        if state["turn"] == "over":
            break
        picks = [tuple(choice["parts"]) for choice in state["choices"]]
        assert len(set(picks)) == len(picks)
        for key in {key for parts in picks for key in parts if not key.startswith(("rotation-", "button-"))}:
            assert f'data-part="{key}"' in state["svg"]


def test_a_person_and_an_agent_take_turns(page):
    state = page.state
    after = page.do("play", action=state["choices"][0]["action"])
    assert after["version"] > state["version"]
    assert len(after["log"]) == len(state["log"]) + 1
    assert after["log"][-1]["words"] == state["choices"][0]["words"]


def test_undo_redo_and_a_stale_version(page):
    before = page.state
    page.play_on(1)
    stale = page.post("play", {"version": before["version"], "action": before["choices"][0]["action"]})
    page.refused(409, "the game has moved on", stale)
    undone = page.do("undo")
    assert undone["log"] == before["log"]
    assert undone["can_redo"]
    redone = page.do("redo")
    assert len(redone["log"]) > len(before["log"])
    page.refused(400, "nothing was taken back", page.post("redo", {"version": redone["version"]}))


def test_an_illegal_action_is_refused(page):
    state = page.state
    legal = {choice["action"] for choice in state["choices"]}
    illegal = next(action for action in range(GAME.num_actions) if action not in legal)
    for action in (illegal, -1, 10**9):
        page.refused(400, "is not legal", page.post("play", {"version": state["version"], "action": action}))
    page.refused(400, "no agent decides", page.post("think", {"version": state["version"]}))


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [
        (b"{", 400, "expected JSON"),
        (b"[" * 100_000, 400, "expected JSON"),
        (b"\xff\xfe", 400, "expected JSON"),
        (b"[1]", 400, "expected a JSON object with version, action"),
        (b'{"version": 1}', 400, "expected a JSON object with version, action"),
        (b'{"version": 1, "action": 1, "more": 1}', 400, "expected a JSON object with version, action"),
        (b'{"version": 1, "action": "1"}', 400, "action must be an integer"),
        (b'{"version": true, "action": 1}', 400, "version must be an integer"),
        (b'{"version": 1.0, "action": 1}', 400, "version must be an integer"),
        (b" " * (600 * 1024), 413, "expected at most"),
    ],
)
def test_a_bad_body_is_refused(page, content, status, told):
    answer = page.client.post("/api/play", content=content, headers={"content-type": "application/json"})
    page.refused(status, told, answer)


def test_another_content_type_is_refused(page):
    body = b'{"version": 1, "action": 1}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = page.client.post("/api/play", content=body, headers={"content-type": kind})
        page.refused(415, "application/json", answer)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8000"},
        {"host": "127.0.0.1.evil.example:8000"},
        {"host": "192.168.1.5:8000"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9000"},
        {"origin": "https://127.0.0.1:8000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_foreign_pages_and_names_are_refused(page, headers):
    state = page.state
    body = {"version": state["version"], "action": state["choices"][0]["action"]}
    for answer in (page.post("play", body, headers=headers), page.client.get("/api/state", headers=headers)):
        assert answer.status_code == 403
        assert "svg" not in answer.json()
    assert page.state["version"] == state["version"]


def test_its_own_page_may_ask(page):
    for host in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000"):
        headers = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
        assert page.client.get("/api/state", headers=headers).status_code == 200
    link = page.client.get("/", headers={"sec-fetch-site": "cross-site"})
    assert link.status_code == 200


def test_a_server_for_the_network_knows_addresses_but_no_other_names():
    app = make_app(table_with(HUMAN, "random"), ("localhost", "box.local"), any_address=True)
    with TestClient(app, base_url="http://192.168.1.5:8000") as client:
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"host": "box.local"}).status_code == 200
        assert client.get("/", headers={"host": "[fe80::1]:8000"}).status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 403


def test_unknown_addresses_and_methods_are_told(page):
    page.refused(404, "nothing here", page.client.get("/api/nothing"))
    page.refused(404, "nothing here", page.client.get("/../session.py"))
    page.refused(405, "GET is not answered", page.client.get("/api/play"))
    assert "access-control-allow-origin" not in page.client.options("/api/play").headers


WANTED = {"opponent": "random", "seat": "first", "watch": None, "seed": 9, "options": {"scoring_tiles": 4}}


def test_a_new_game(page):
    before = page.state
    after = page.post("new", WANTED).json()
    assert after["game"] == before["game"] + 1
    assert after["version"] > before["version"]
    assert after["seed"] == "9"
    assert after["options"] == {"scoring_tiles": 4, "first_player": 0}
    assert after["seats"] == [HUMAN, "random"]
    two = page.post("new", {**WANTED, "opponent": HUMAN}).json()
    assert two["names"] == ["Player 1", "Player 2"]
    assert page.post("new", {**WANTED, "seed": None}).status_code == 200


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"opponent": "greedi"}, "did you mean 'greedy'"),
        ({"opponent": "mtcs:3"}, "did you mean 'mcts:3'"),
        ({"opponent": "os:getcwd"}, "name it on the command line"),
        ({"opponent": "sb3:model.zip"}, "name it on the command line"),
        ({"opponent": "network:/etc/passwd"}, "name it on the command line"),
        ({"opponent": "mcts:1000000"}, "too large"),
        ({"opponent": "mcts:" + "9" * 5000}, "too large"),
        ({"opponent": "mcts:0"}, "at least 1"),
        ({"seat": "third"}, "seat must be"),
        ({"watch": ["random"]}, "watch must be"),
        ({"watch": ["random", 1]}, "watch must be"),
        ({"watch": ["random", "greedi"]}, "did you mean"),
        ({"seed": -1}, "seed must be"),
        ({"seed": "1"}, "seed must be an integer or null"),
        ({"options": {"scoring_tiles": 7}}, "scoring_tiles must be"),
        ({"options": {"scoring_tiles": ["rows", "five_colours", "border"]}}, "two sides"),
        ({"options": {"explicit_chance": True}}, "expected the options"),
        ({"options": {"special_counts_as_colour": 1}}, "must be True or False"),
    ],
)
def test_a_new_game_that_can_t_be_is_refused(page, change, told):
    page.refused(400, told, page.post("new", {**WANTED, **change}))


def test_specs_of_the_command_line_may_be_chosen_again():
    spec = "test_play_server:first_legal"
    with TestClient(make_app(table_with(HUMAN, "random", known=(spec,))), base_url=BASE) as client:
        page = Page(client)
        assert page.state["version"] == 1
        assert page.post("new", {**WANTED, "opponent": spec}).json()["seats"] == [HUMAN, spec]
        text = page.get("game").text
        assert page.post("load", {"text": text}).json()["seats"] == [HUMAN, spec]


def first_legal(_observation, mask):
    return int(mask.argmax())


def test_save_and_load(page):
    answer = page.get("game")
    assert answer.headers["content-disposition"] == 'attachment; filename="azul-duel-5.game"'
    assert len(read_session(answer.text).moves) == len(page.state["log"])
    before = page.state
    page.play_on(1)
    loaded = page.post("load", {"text": answer.text}).json()
    assert loaded["log"] == before["log"]
    assert loaded["choices"] == before["choices"]
    for text, told in (
        ("", "line 1: expected"),
        ("azul/duel-v0 game\nhello", "line 2: expected"),
        ("\0" * 9, "line 1"),
    ):
        page.refused(400, told, page.post("load", {"text": text}))
    broken = answer.text.replace("scoring tiles ", "scoring tiles pink ", 1)
    page.refused(400, "line ", page.post("load", {"text": broken}))


def test_a_loaded_game_names_no_program(page):
    text = page.get("game").text.replace(f"player 1: {OPPONENT}", "player 1: os:getcwd")
    assert page.post("load", {"text": text}).json()["seats"] == [HUMAN, HUMAN]
    text = text.replace("os:getcwd", "mcts:100000000")
    assert page.post("load", {"text": text}).json()["seats"] == [HUMAN, HUMAN]


def test_a_whole_game_ends_with_the_score_of_the_core(tmp_path):
    file = tmp_path / "last.game"
    with TestClient(make_app(table_with(HUMAN, "random", autosave=file)), base_url=BASE) as client:
        page = Page(client)
        state = page.play_on(1000)
        assert state["turn"] == "over"
        assert state["choices"] == []
        core = read_session(file.read_text(encoding="utf-8")).position
        assert core.over
        assert tuple(state["scores"]) == core.scores
        final = state["final"]
        assert final["winner"] == core.winner
        sums = [sum(points[player] for _, points in final["rows"]) for player in range(2)]
        assert sums == final["scores"] == state["scores"]
        assert len(final["tiles"]) == 3
        page.refused(400, "the game is over", page.post("play", {"version": state["version"], "action": 0}))
        page.refused(400, "the game is over", page.post("hint", {"version": state["version"]}))


def test_two_agents_are_watched_decision_by_decision(tmp_path):
    file = tmp_path / "last.game"
    with TestClient(make_app(table_with("random", OPPONENT, autosave=file)), base_url=BASE) as client:
        page = Page(client)
        for number in range(4):
            state = page.state
            assert (state["turn"], state["choices"], len(state["log"])) == ("agent", [], number)
            page.do("think")
        page.refused(400, "not a person", page.post("play", {"version": page.state["version"], "action": 0}))
    assert not file.exists()


def test_two_people_play_at_one_screen():
    with TestClient(make_app(table_with(HUMAN, HUMAN)), base_url=BASE) as client:
        page = Page(client)
        state = page.play_on(6)
        assert {entry["player"] for entry in state["log"]} == {0, 1}
        assert len(page.do("undo")["log"]) == 5


def test_dome_tiles_as_pictures(page):
    answer = page.get("tile", tile=3, rotation=1, theme="dark")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg")
    for query in ({}, {"tile": 18, "rotation": 0}, {"tile": 0, "rotation": 4}, {"tile": "x", "rotation": 0}):
        page.refused(400, "expected tile, 0 to 17", page.get("tile", **query))


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_a_hint_is_told_with_its_estimate(page):
    state = page.state
    hint = page.do("hint")
    assert hint["agent"] == "mcts:400"
    assert hint["action"] in {choice["action"] for choice in state["choices"]}
    assert -1 <= hint["value"] <= 1
    assert hint["words"].startswith("You ")
    assert hint["parts"]
    assert page.state["version"] == state["version"]


def test_a_game_that_can_t_be_kept_goes_on_and_says_so(tmp_path):
    (tmp_path / "a_file").write_text("")
    app = make_app(table_with(HUMAN, "random", autosave=tmp_path / "a_file" / "last.game"))
    with TestClient(app, base_url=BASE) as client:
        assert "can't be kept" in Page(client).play_on(1)["trouble"]


def test_a_game_that_can_t_begin_is_told():
    with TestClient(make_app(table_with(HUMAN, "greedi")), base_url=BASE) as client:
        while "did you mean 'greedy'" not in client.get("/api/state").json()["error"]:
            pass
        assert client.post("/api/new", json=WANTED).status_code == 503


BEGUN, GO_ON = threading.Event(), threading.Event()


def waits(_observation, mask):
    """Think until the test says so."""
    BEGUN.set()
    assert GO_ON.wait(30)
    return int(mask.argmax())


def test_what_an_agent_thinks_about_a_state_that_is_gone_is_dropped():
    spec = "test_play_server:waits"
    GO_ON.clear()
    BEGUN.clear()
    with TestClient(make_app(table_with(HUMAN, spec, known=(spec,), first_player=1)), base_url=BASE) as client:
        page = Page(client)
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
    spec = "test_play_server:fails"
    with TestClient(make_app(table_with(HUMAN, spec, known=(spec,), first_player=1)), base_url=BASE) as client:
        page = Page(client)
        state = page.do("play", action=page.state["choices"][0]["action"])
        page.refused(400, "failed: RuntimeError: no idea", page.post("think", {"version": state["version"]}))


def fails(_observation, _mask):
    raise RuntimeError("no idea")


def test_budgets_of_specs():
    assert [budget_of(spec) for spec in ("greedy", "mcts:400", "network+mcts:20ms")] == [0, 400, 20]
    assert budget_of("mcts:" + "9" * 50) > table.MOST_SIMULATIONS


def test_listening_on_a_free_port_and_on_one_that_is_taken():
    with listen("127.0.0.1", 0) as listening:
        assert address_of(listening).startswith("http://127.0.0.1:")
        port = listening.getsockname()[1]
        with pytest.raises(OSError, match=f"can't listen on 127.0.0.1, port {port}"):
            listen("127.0.0.1", port)
