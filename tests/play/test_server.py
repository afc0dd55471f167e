"""The server of the board in the browser: what it answers, what it refuses, and that nothing changes then."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED
from azul_duel_env.play.new_game import HUMAN
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session_file import read_session

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from pages import OPPONENT, WANTED, page_of, table_with

from azul_duel_env.play import table
from azul_duel_env.play.guard import origin_of
from azul_duel_env.play.server import address_of, listen, listen_near
from azul_duel_env.play.table import budget_of


@pytest.fixture(autouse=True)
def _without_search(monkeypatch):
    """Compile nothing in the background that a test doesn't ask for."""
    monkeypatch.setattr(table, "warm_up_extras", lambda *_: None)


@pytest.fixture
def page():
    with page_of(table_with(HUMAN, OPPONENT)) as page:
        page.play_on(3)
        yield page


@pytest.fixture(scope="module")
def unchanged():
    """One page for all that is refused, and so changes nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "warm_up_extras", lambda *_: None)
        with page_of(table_with(HUMAN, OPPONENT)) as page:
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
    assert all(len(choice["parts"]) == len(choice["buttons"]) for choice in state["choices"])
    assert state["svg"].startswith("<svg")
    narrow = page.get(layout="narrow", theme="dark").json()["svg"]
    assert narrow != state["svg"]
    page.refused(400, "layout must be", page.get(layout="round"))
    page.refused(400, "theme", page.get(theme="pink"))


def test_style_and_symbols_are_asked_for_once_and_answers_are_compressed(page):
    state = page.state
    dress = page.get("dress").json()
    assert dress["dress"] == state["dress"]
    assert "<style" not in state["svg"]
    assert "<symbol" not in state["svg"]
    assert f'class="{dress["scope"]}"' in state["svg"]
    assert set(re.findall(r'href="#([^"]+)"', state["svg"])) <= set(
        re.findall(r'<symbol[^>]* id="([^"]+)"', dress["symbols"])
    )
    assert dress["style"].count(dress["scope"]) > 10
    dark = page.get("dress", theme="dark").json()
    assert dark["dress"] == page.get(theme="dark").json()["dress"] != dress["dress"]
    answer = page.get()
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < 20_000 < len(answer.content)


def test_what_followed_a_move_is_told_scene_by_scene(page):
    state = page.state
    while len({entry["round"] for entry in state["log"]} - {0}) < 2:
        state = page.play_on(1)
    entry = next(one for one, after in pairwise(state["log"]) if 0 < one["round"] < after["round"])
    number = entry["number"]
    shown = page.get("scenes", move=number, version=state["version"]).json()
    assert (shown["version"], shown["dress"]) == (state["version"], state["dress"])
    first, *others = shown["scenes"]
    assert (first["words"], first["staging"]) == (entry["words"], "none")
    assert others[-1]["staging"] in ("card", "together")
    assert all(scene["frame"] and max(scene["frame"]) < len(shown["pieces"]) for scene in shown["scenes"])
    assert len(set(shown["pieces"])) == len(shown["pieces"]) < sum(len(scene["frame"]) for scene in shown["scenes"])
    gained = [0, 0]
    for scene in shown["scenes"]:
        for player, points in scene["gains"]:
            gained[player] += points
    after = [*state["log"], state][number]["scores"]
    assert [then + points for then, points in zip(entry["scores"], gained, strict=True)] == after
    page.refused(400, "move must be 1 to", page.get("scenes", move=999, version=state["version"]))
    page.refused(400, "move must be a number", page.get("scenes", version=state["version"]))
    page.refused(400, "version must be a number", page.get("scenes", move=1))
    page.refused(409, "moved on", page.get("scenes", move=1, version=state["version"] - 1))


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
    assert after["log"][-1]["words"].startswith("You ")


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
        (b'{"version": 1, "action": ' + b"[" * 900 + b"]" * 900 + b"}", 400, "nested more than 50 deep"),
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
def test_a_bad_body_is_refused(unchanged, content, status, told):
    answer = unchanged.client.post("/api/play", content=content, headers={"content-type": "application/json"})
    unchanged.refused(status, told, answer)


def test_another_content_type_is_refused(unchanged):
    page, body = unchanged, b'{"version": 1, "action": 1}'
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
def test_foreign_pages_and_names_are_refused(unchanged, headers):
    page, state = unchanged, unchanged.state
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
    table = table_with(HUMAN, "random")
    with page_of(table, hosts=("localhost", "box.local"), any_address=True) as page:
        client = page.client
        client.base_url = "http://192.168.1.5:8000"
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"host": "box.local"}).status_code == 200
        assert client.get("/", headers={"host": "[fe80::1]:8000"}).status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 403


FORWARDED = "https://abc-8765.dev.example"


def test_a_forwarding_service_may_show_the_page_where_it_is_allowed():
    with page_of(table_with(HUMAN, "random"), origins=(FORWARDED, "http://box:81")) as page:
        for headers in (
            {"host": "abc-8765.dev.example", "origin": FORWARDED},
            {"host": "ABC-8765.dev.example:443", "origin": FORWARDED},
            {"host": "abc-8765.dev.example"},
            {"host": "localhost:8765", "origin": FORWARDED},
            {"host": "localhost:8765", "origin": "http://localhost:8765"},
            {"host": "127.0.0.1:8765", "origin": "http://box:81"},
        ):
            headers = {"sec-fetch-site": "same-origin", **headers}
            answer = page.post("undo", {"version": page.state["version"]}, headers=headers)
            assert "there is no decision to take back" in answer.text


def test_nobody_else_is_let_in_beside_a_forwarding_service():
    with page_of(table_with(HUMAN, "random"), origins=(FORWARDED,)) as page:
        for headers in (
            {"host": "abc-8765.dev.example", "origin": "http://abc-8765.dev.example"},
            {"host": "abc-8765.dev.example", "origin": "https://other.dev.example"},
            {"host": "abc-8765.dev.example", "origin": FORWARDED, "sec-fetch-site": "cross-site"},
            {"host": "other.dev.example", "origin": FORWARDED},
            {"host": "localhost:8765", "origin": "https://abc-8765.dev.example.evil.example"},
            {"host": "localhost:8765", "origin": "null"},
            {"host": "localhost:8765", "origin": "https://abc-8765.dev.example:444"},
        ):
            page.refused(
                403,
                " can't play here" if "other" not in headers["host"] else "is called",
                page.post("new", {"version": page.state["version"], **WANTED}, headers=headers),
            )


def test_a_refusal_says_how_a_forwarding_service_is_allowed(page):
    for headers, wanted in (
        ({"host": "abc-8765.dev.example"}, FORWARDED),
        ({"host": "abc-8765.dev.example", "origin": FORWARDED}, FORWARDED),
        ({"origin": "https://127.0.0.1:8443"}, "https://127.0.0.1:8443"),
    ):
        told = page.client.get("/", headers=headers).json()["error"]
        assert told.endswith(f"add --allow-origin {wanted}")
    assert "--allow-origin" not in page.client.get("/", headers={"origin": "null"}).json()["error"]


def test_an_origin_is_read_as_browsers_write_it():
    assert origin_of("https://Name.Example/user/x/proxy/8765/") == "https://name.example"
    assert origin_of("https://name.example:443") == "https://name.example"
    assert origin_of("http://[fe80::1]:8080") == "http://[fe80::1]:8080"
    for url in (
        "name.example",
        "*",
        "https://",
        "ftp://name.example",
        "https://*.example",
        "https://a:b",
        "https://[x",
    ):
        with pytest.raises(ValueError, match="--allow-origin takes an address such as"):
            origin_of(url)


def test_unknown_addresses_and_methods_are_told(page):
    page.refused(404, "nothing here", page.client.get("/api/nothing"))
    page.refused(404, "nothing here", page.client.get("/../session.py"))
    page.refused(405, "GET is not answered", page.client.get("/api/play"))
    assert "access-control-allow-origin" not in page.client.options("/api/play").headers


def test_a_new_game(page):
    before = page.state
    after = page.ask("new", WANTED).json()
    assert after["game"] == before["game"] + 1
    assert after["version"] > before["version"]
    assert after["seed"] == "9"
    assert 'options: {"scoring_tiles": 4, "first_player": 0}' in page.get("game").text
    assert after["seats"] == [HUMAN, "random"]
    assert (
        "layout must be" in page.client.post("/api/new?layout=round", json={"version": after["version"], **WANTED}).text
    )
    assert page.state == after
    two = page.ask("new", {**WANTED, "opponent": HUMAN}).json()
    assert two["names"] == ["Player 1", "Player 2"]
    assert page.ask("new", {**WANTED, "seed": None}).status_code == 200


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"opponent": "greedi"}, "did you mean 'greedy'"),
        ({"opponent": "mtcs:3"}, "did you mean 'mcts:3'"),
        ({"opponent": "os:getcwd"}, "name it on the command line"),
        ({"opponent": "sb3:model.zip"}, "name it on the command line"),
        ({"opponent": "network:/etc/passwd"}, "name it on the command line"),
        ({"opponent": "mcts:1000000"}, "too large"),
        ({"opponent": "mcts:" + "9" * 5000}, "takes a number of simulations"),
        ({"opponent": "mcts:x"}, "takes a number of simulations"),
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
def test_a_new_game_that_can_t_be_is_refused(unchanged, change, told):
    unchanged.refused(400, told, unchanged.ask("new", {**WANTED, **change}))


@pytest.mark.parametrize(
    "spec", ["x:\ud800", "x\ud800", "x:" + "y" * 10_000, "mcts:" + "9" * 5000, "x:\n\x1b[2J"], ids=ascii
)
def test_whatever_spec_is_asked_for_the_answer_is_one_short_line(unchanged, spec):
    page = unchanged
    version = page.state["version"]
    for path, wanted in (("new", {**WANTED, "opponent": spec}), ("seats", {"seats": [HUMAN, spec]})):
        body = json.dumps({"version": version, **wanted})  # which escapes what is no character
        answer = page.client.post(f"/api/{path}", content=body, headers={"content-type": "application/json"})
        page.refused(400, "", answer)
        told = answer.json()["error"]
        assert told.isprintable()
        assert len(told) < 310


def test_specs_of_the_command_line_may_be_chosen_again():
    spec = f"{__name__}:first_legal"
    with page_of(table_with(HUMAN, "random", known=(spec,))) as page:
        assert page.ask("new", {**WANTED, "opponent": spec}).json()["seats"] == [HUMAN, spec]
        text = page.get("game").text
        assert page.ask("load", {"text": text}).json()["seats"] == [HUMAN, spec]


def first_legal(_observation, mask):
    return int(mask.argmax())


def test_save_and_load(page):
    answer = page.get("game")
    assert answer.headers["content-disposition"] == 'attachment; filename="azul-duel-5.game"'
    assert len(read_session(answer.text).moves) == len(page.state["log"])
    before = page.state
    page.play_on(1)
    loaded = page.ask("load", {"text": answer.text}).json()
    assert loaded["log"] == before["log"]
    assert loaded["choices"] == before["choices"]
    for text, told in (
        ("", "line 1: expected"),
        ("azul/duel-v0 game\nhello", "line 2: expected"),
        ("\0" * 9, "line 1"),
    ):
        page.refused(400, told, page.ask("load", {"text": text}))
    broken = answer.text.replace("scoring tiles ", "scoring tiles pink ", 1)
    page.refused(400, "line ", page.ask("load", {"text": broken}))


def test_a_loaded_game_names_no_program(page):
    text = page.get("game").text.replace(f"player 1: {OPPONENT}", "player 1: os:getcwd")
    assert page.ask("load", {"text": text}).json()["seats"] == [HUMAN, HUMAN]
    text = text.replace("os:getcwd", "mcts:100000000")
    assert page.ask("load", {"text": text}).json()["seats"] == [HUMAN, HUMAN]


def test_a_whole_game_ends_with_the_score_of_the_core(tmp_path):
    saves = Autosave(tmp_path)
    with page_of(table_with(HUMAN, "random", saves=saves)) as page:
        state = page.play_on(1000)
        assert state["turn"] == "over"
        assert state["choices"] == []
        core = read_session(saves.file.read_text(encoding="utf-8")).position
        assert core.over
        assert tuple(state["scores"]) == core.scores
        final = state["final"]
        assert final["result"] == {-1: "A draw", 0: "You win", 1: "random wins"}[core.winner]
        sums = [sum(points[player] for _, points in final["rows"]) for player in range(2)]
        assert sums == final["scores"] == state["scores"]
        assert len(final["bonuses"]) == 3
        page.refused(400, "the game is over", page.post("play", {"version": state["version"], "action": 0}))
        page.refused(400, "the game is over", page.post("hint", {"version": state["version"]}))


def test_two_agents_are_watched_decision_by_decision(tmp_path):
    saves = Autosave(tmp_path)
    with page_of(table_with("random", OPPONENT, saves=saves)) as page:
        for number in range(4):
            state = page.state
            assert (state["turn"], state["choices"], len(state["log"])) == ("agent", [], number)
            page.do("think")
        page.refused(400, "not a person", page.post("play", {"version": page.state["version"], "action": 0}))
    assert list(tmp_path.iterdir()) == []


def test_two_people_play_at_one_screen():
    with page_of(table_with(HUMAN, HUMAN)) as page:
        state = page.play_on(6)
        assert {entry["words"].split(" ")[1] for entry in state["log"]} == {"1", "2"}, "Player 1, Player 2"
        assert len(page.do("undo")["log"]) == 5


def test_dome_tiles_as_pictures(page):
    answer = page.get("components/tile", tile=3, rotation=1, theme="dark")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg")
    for query in ({}, {"tile": 18, "rotation": 0}, {"tile": 0, "rotation": 4}, {"tile": "x", "rotation": 0}):
        page.refused(400, "expected tile, 0 to 17", page.get("components/tile", **query))


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_a_hint_is_told_with_its_estimate(page):
    state = page.state
    hint = page.do("hint")
    assert hint["agent"] == "mcts:400"
    assert hint["parts"] in [choice["parts"] for choice in state["choices"]]
    assert -1 <= hint["value"] <= 1
    assert hint["words"].startswith("You ")
    assert hint["parts"]
    assert page.state["version"] == state["version"]


def test_a_game_that_can_t_be_kept_goes_on_and_says_so(tmp_path):
    (tmp_path / "a_file").write_text("")
    with page_of(table_with(HUMAN, "random", saves=Autosave(tmp_path / "a_file"))) as page:
        assert "can't be kept" in page.play_on(1)["trouble"]


def test_a_game_that_can_t_begin_is_told():
    with page_of(table_with(HUMAN, "greedi")) as page:
        while (answer := page.get()).json().get("preparing"):
            assert answer.status_code == 503
        assert "did you mean 'greedy'" in answer.json()["error"]
        begun = page.post("new", {"version": answer.json()["version"], **WANTED})
        assert begun.json()["seats"] == [HUMAN, "random"]


def test_budgets_of_specs():
    assert [budget_of(spec) for spec in ("greedy", "mcts:400", "network+mcts:20ms")] == [0, 400, 20]
    assert budget_of("mcts:" + "9" * 50) > table.MOST_SIMULATIONS


def test_listening_on_a_free_port_and_on_one_that_is_taken():
    with listen("127.0.0.1", 0) as listening:
        assert address_of(listening).startswith("http://127.0.0.1:")
        port = listening.getsockname()[1]
        with pytest.raises(OSError, match=f"can't listen on 127.0.0.1, port {port}"):
            listen("127.0.0.1", port)
        with listen_near("127.0.0.1", port) as other:
            assert other.getsockname()[1] not in (0, port)
