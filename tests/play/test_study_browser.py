"""What agents think, and a game looked at again, in a real browser."""

from __future__ import annotations

import json
import re
import time

import pytest
from browsers import (
    COMPILING,
    boxes_of,
    browser,
    click,
    moves_of,
    needs_browser,
    open_page,
    pick_all,
    serve,
    sync_api,
    wait_for_turn,
    wait_until,
)

from azul_duel_env.arena import play_game
from azul_duel_env.arena.game_file import record_game
from azul_duel_env.games import find_game
from azul_duel_env.tools.analysis import analysis_from_dict

__all__ = ["browser", "open_page", "serve"]  # fixtures
pytestmark = [*needs_browser, pytest.mark.slow]

WIDTHS = [(1280, 900, "light"), (800, 1000, "dark"), (390, 844, "light")]


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Files of played games, by the number of players: Azul Duel of two, the Mini of four."""
    folder, files = tmp_path_factory.mktemp("games"), {}
    for name, players, agents in (
        ("duel", 2, ("greedy", "random")),
        ("pavilion_mini", 4, ("greedy", "random", "greedy", "random")),
    ):
        game = find_game(name, players)
        record = record_game(game, 7, play_game(game, agents, 7).actions[:60], players=agents)
        files[players] = folder / f"{name}.game"
        files[players].write_text(record.write(), encoding="utf-8")
    return files


def wait_until_it_fits(page, width):
    wait_until(page, lambda: page.evaluate("document.documentElement.scrollWidth") <= width)


def toggle_policy(page):
    """Press the button, which on a phone lies in a menu."""
    if page.locator("#more").is_visible():
        page.click("#more")
    page.click("#policy-toggle")


def choose_search(page, spec):
    page.fill("#analyse [name=agent]", spec)
    page.locator("#analyse [name=agent]").blur()


def open_study(open_page, served, file):
    """Open a game file on the analysis page, where nothing has begun yet."""
    page = open_page(served.address, viewport={"width": 1280, "height": 900})
    opened = page.request.post(f"{served.address}api/study/open", data={"text": file.read_text(encoding="utf-8")})
    page.goto(f"{served.address}analysis?id={opened.json()['id']}")
    page.wait_for_selector("#start")
    sync_api.expect(page.locator("#progress-text")).to_contain_text("0 of")
    return page


def analyse(page, spec="mcts:30"):
    choose_search(page, spec)
    page.click("#start")
    sync_api.expect(page.locator("#progress-text")).to_contain_text("done", timeout=COMPILING)


# The policy, live -------------------------------------------------------------------------------
def labels_of(page):
    return page.locator(".policy-label text").all_text_contents()


@pytest.mark.parametrize(("width", "height", "scheme"), WIDTHS)
def test_the_policy_lies_over_the_board_and_follows_what_is_picked(serve, open_page, width, height, scheme):
    served = serve("--opponent", "greedy", "--seed", "3", "--seat", "first", "--adviser", "mcts:50")
    page = open_page(served.address, viewport={"width": width, "height": height}, color_scheme=scheme)
    assert labels_of(page) == []
    toggle_policy(page)
    page.wait_for_selector(".policy-label", timeout=COMPILING)
    sync_api.expect(page.locator("#policy-body [name=one]")).to_have_value("mcts:50")
    wait_until_it_fits(page, width)
    sync_api.expect(page.locator("#policy .evaluation")).to_have_attribute("aria-label", re.compile("You"))
    sync_api.expect(page.locator("table.likely tbody tr").nth(2)).to_be_attached()
    boxes = boxes_of(page.locator(".policy-label rect"))
    assert len(boxes) > 1
    assert not [(one, other) for one in boxes for other in boxes if one is not other and overlap(one, other)]
    body = {"id": "table", "at": moves_of(page), "agent": "mcts:50"}
    best = page.request.post(f"{served.address}api/study/outlook", data=body).json()["parts"]
    click(page, best[0])
    sync_api.expect(page.locator(".policy-frame")).not_to_have_count(0)
    page.keyboard.press("Escape")
    pick_all(page)
    page.wait_for_selector("table.likely", timeout=COMPILING)
    page.reload()
    page.wait_for_selector(".policy-label", timeout=COMPILING)  # it stays on
    toggle_policy(page)
    sync_api.expect(page.locator(".policy-layer")).to_have_count(0)
    sync_api.expect(page.locator("#policy")).to_be_hidden()


def overlap(one, other):
    """Whether two boxes share more than an edge."""
    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return across > 1 and down > 1


def test_two_agents_stand_side_by_side_with_where_they_disagree(serve, open_page):
    served = serve("--opponent", "greedy", "--seed", "3", "--seat", "first", "--adviser", "mcts:50")
    page = open_page(served.address, viewport={"width": 1280, "height": 900})
    toggle_policy(page)
    page.fill("#policy-body [name=one]", "mcts:50")
    page.fill("#policy-body [name=other]", "greedy")
    page.click("#policy-body form button")
    sync_api.expect(page.locator(".comparison")).to_contain_text(
        "of their probability lies on the same actions", timeout=COMPILING
    )
    sync_api.expect(page.locator("table.likely thead th")).to_have_text(["likeliest", "mcts:50", "greedy"])
    sync_api.expect(page.locator("table.likely tbody td").nth(2)).to_contain_text("pts")
    sync_api.expect(page.locator("#policy-body")).to_contain_text("It gives no value")
    sync_api.expect(page.locator("table.likely tr.differs")).not_to_have_count(0)
    page.locator("#policy-body .views button", has_text="difference").click()
    for sign in ("+", "\N{MINUS SIGN}"):
        sync_api.expect(page.locator(".policy-label text", has_text=sign)).not_to_have_count(0)
    page.fill("#policy-body [name=other]", "greedy2")
    page.click("#policy-body form button")
    sync_api.expect(page.locator("#policy-body")).to_contain_text("it has none that could be shown", timeout=COMPILING)
    page.fill("#policy-body [name=one]", "gredy")
    page.click("#policy-body form button")
    sync_api.expect(page.locator("#policy-body .trouble")).to_contain_text("did you mean 'greedy'")


def test_the_panel_asks_the_agents_of_the_game_that_is_played(serve, open_page):
    page = open_page(serve("--opponent", "greedy", "--seed", "3", "--seat", "first", "--adviser", "mcts:50").address)
    toggle_policy(page)
    sync_api.expect(page.locator("#policy-body [name=one]")).to_have_value("mcts:50")
    page.click("#new")
    page.select_option("[name=game]", label="Azul Summer Pavilion Mini")
    page.wait_for_selector("[name=players]")
    page.fill("[name=agent-0]", "greedy")
    page.click("#start")
    page.wait_for_selector("#title:has-text('Pavilion')", timeout=COMPILING)
    sync_api.expect(page.locator("#policy-body [name=one]")).to_have_value("network+mcts:400")
    page.wait_for_selector(".opinion .evaluation", timeout=COMPILING)
    sync_api.expect(page.locator("#policy-body .trouble")).to_have_count(0)


def test_a_hint_says_why_and_what_its_numbers_mean(serve, open_page):
    page = open_page(serve("--opponent", "greedy", "--seed", "8", "--seat", "first").address)
    for _ in range(4):
        pick_all(page)
    page.click("#ask")
    hint = page.locator("#hint")
    sync_api.expect(hint).to_contain_text("expects you to be", timeout=COMPILING)
    sync_api.expect(hint).to_contain_text("at the end of the round")
    sync_api.expect(hint.locator("ol.variation li")).not_to_have_count(0)
    hint.locator("summary").click()
    meanings = hint.locator("details[open]")
    sync_api.expect(meanings).to_contain_text("Value: 1 is a sure win")
    sync_api.expect(meanings).to_contain_text("share of the simulations")


def test_four_seats_get_a_bar_each(serve, open_page):
    args = ("--game", "pavilion_mini", "--players", "4", "--opponent", "random", "--seed", "3", "--seat", "first")
    page = open_page(serve(*args).address, viewport={"width": 390, "height": 844}, color_scheme="dark")
    toggle_policy(page)
    sync_api.expect(page.locator("#policy-body .evaluation .seat")).to_have_count(4, timeout=COMPILING)
    wait_until_it_fits(page, 390)


# The analysis page ------------------------------------------------------------------------------
@pytest.mark.parametrize("players", [2, 4])
def test_a_game_file_is_analysed_at_every_width(serve, open_page, games, players):
    served = serve("--opponent", "random", "--seed", "1", "--seat", "first")
    page = open_page(served.address, viewport={"width": 1280, "height": 900})
    page.goto(f"{served.address}analysis")
    page.wait_for_selector("#board svg")
    page.set_input_files("#file", games[players])
    page.wait_for_url("**id=**")
    page.wait_for_selector("#stop:not([hidden])", timeout=COMPILING)  # it has begun by itself
    page.click("#stop")
    sync_api.expect(page.locator("#start")).to_be_visible()
    page.wait_for_url(lambda address: "start" not in address)  # a reload begins nothing
    analyse(page, "mcts:10")
    sync_api.expect(page.locator("#list button")).to_have_count(60)
    sync_api.expect(page.locator("#graph polyline")).to_have_count(1 if players == 2 else 4)
    sync_api.expect(page.locator("#summary tbody tr")).to_have_count(players)
    for width, height, scheme in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        sync_api.expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        narrow = "0 0 400 " if width <= 760 else "0 0 "
        sync_api.expect(page.locator("#board svg")).to_have_attribute("viewBox", re.compile(f"^{narrow}"))
        wait_until_it_fits(page, width)


def is_in_the_list(page):
    """Whether the row of the move that is shown lies in the part of the list that is."""
    shown, row = boxes_of(page.locator("#list, #list [aria-current]"))
    return shown["top"] <= row["top"] + 1 and row["bottom"] <= shown["bottom"] + 1


def test_moves_are_clicked_and_stepped_through(serve, open_page, games):
    served = serve("--opponent", "random", "--seed", "1", "--seat", "first")
    page = open_study(open_page, served, games[2])
    analyse(page)
    page.locator("#list button").nth(11).click()
    sync_api.expect(page.locator("#board")).to_have_attribute("data-at", "11")
    sync_api.expect(page.locator("#move h2")).to_have_text("Move 12")
    sync_api.expect(page.locator("#list [aria-current] .number")).to_have_text("12")
    page.click("#to-end")
    page.click("#step-back")
    sync_api.expect(page.locator("#list [aria-current] .number")).to_have_text("60")
    wait_until(page, lambda: is_in_the_list(page))
    page.click("#to-start")
    page.locator("#list button").nth(11).click()
    sync_api.expect(page.locator("#board")).to_have_attribute("data-at", "11")
    sync_api.expect(page.locator("#board .played, #board .hinted")).not_to_have_count(0)
    page.keyboard.press("ArrowRight")
    sync_api.expect(page.locator("#board")).to_have_attribute("data-at", "12")
    page.click("#to-end")
    sync_api.expect(page.locator("#board")).to_have_attribute("data-at", "60")
    page.click("#to-start")
    sync_api.expect(page.locator("#board")).to_have_attribute("data-at", "0")
    [box] = boxes_of(page.locator("#graph svg"))
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    sync_api.expect(page.locator("#board")).not_to_have_attribute("data-at", "0")
    wait_until(page, lambda: page.url.endswith("#" + page.locator("#board").get_attribute("data-at")))
    page.check("#policy-toggle")
    page.fill("#policy-body [name=one]", "greedy")
    page.click("#policy-body form button")
    page.wait_for_selector(".policy-label", timeout=COMPILING)
    with page.expect_download() as download:
        page.click("#save")
    found = analysis_from_dict(json.loads(download.value.path().read_text(encoding="utf-8")))
    assert (found.players, found.agent) == (("greedy", "random"), "mcts:30")
    assert len(found.decisions) > 40


def test_games_are_looked_at_again_by_the_next_server(serve, open_page, games):
    served = serve("--opponent", "random", "--seed", "1", "--seat", "first")
    page, other = open_page(served.address), open_page(served.address)
    for one in (page, other):
        one.goto(f"{served.address}analysis")
        one.wait_for_selector("#board svg.table")
    page.set_input_files("#file", games[2])
    page.wait_for_url("**/analysis?id=*")
    page.wait_for_selector("#board svg.table")
    page.click("#to-end")
    sync_api.expect(page.locator("#board")).to_have_attribute("data-at", "60")
    before = page.url
    served.process.kill()
    served.process.wait(timeout=30)
    serve("--opponent", "random", "--seed", "2", "--seat", "first", "--port", str(served.port))
    deadline = time.monotonic() + 120
    while "preparing" in page.request.get(f"{served.address}api/state").text():
        assert time.monotonic() < deadline
        time.sleep(0.5)
    page.click("#step-back")
    sync_api.expect(page.locator("#message")).to_contain_text("this game was opened again")
    sync_api.expect(page.locator("#board")).to_have_attribute("data-at", "59")
    page.wait_for_url(lambda address: address != before)
    sync_api.expect(page.locator("#about")).to_contain_text("greedy")
    other.click("#step-back")
    sync_api.expect(other.locator("#message")).to_contain_text("Another game lies on the table")
    sync_api.expect(other.locator("#about")).to_contain_text("seed 2")


def test_a_puzzle_is_solved_on_the_board(serve, open_page, games):
    served = serve("--opponent", "random", "--seed", "1", "--seat", "first")
    page = open_study(open_page, served, games[2])
    analyse(page)
    study = page.evaluate("new URLSearchParams(location.search).get('id')")
    found = page.request.get(f"{served.address}api/study/progress?id={study}&agent=mcts:30").json()["decisions"]
    worst = max(found, key=lambda one: (one["loss"], -one["number"]))
    assert worst["loss"] >= 0.1
    at = worst["number"] - 1
    choices = page.request.get(f"{served.address}api/study/position?id={study}&at={at}").json()["choices"]
    parts = {choice["action"]: choice["parts"] for choice in choices}
    page.click("#puzzles")
    sync_api.expect(page.locator("#puzzle-text")).to_contain_text(f"Move {worst['number']}:")
    for action, told in (
        (worst["played"], "That is what was played."),
        (worst["best"], "Right: the search would play the same."),
    ):
        for key in parts[action]:
            page.wait_for_selector(f'#choices button[data-key="{key}"]')
            click(page, key)
        sync_api.expect(page.locator("#verdict")).to_contain_text(told, timeout=COMPILING)
    sync_api.expect(page.locator("#verdict")).to_contain_text(worst["best_words"])
    sync_api.expect(page.locator("#board .hinted")).not_to_have_count(0)
    page.click("#puzzle-end")
    sync_api.expect(page.locator("#moves")).to_be_visible()
    sync_api.expect(page.locator("#puzzle")).to_be_hidden()


def test_a_finished_game_is_analysed_with_one_click(serve, open_page):
    served = serve("--watch", "random", "random", "--seed", "5", "--adviser", "mcts:5")
    page = open_page(served.address, until="#watch:not([hidden])")
    page.locator("#speed").fill("4")
    page.click("#pause")
    page.wait_for_selector("#ending:not([hidden])", timeout=COMPILING)
    page.locator("#ending a", has_text="Analyse this game").click()
    sync_api.expect(page.locator("#progress-text")).to_contain_text("done", timeout=COMPILING)
    sync_api.expect(page.locator("#list button").nth(50)).to_be_attached()
    sync_api.expect(page.locator("#about")).to_have_text(re.compile("^random"))
    page.click("nav a")
    page.wait_for_selector("#ending:not([hidden])")


def test_the_analysis_page_is_there_within_a_second(serve, open_page):
    served = serve("--opponent", "random", "--seed", "1", "--seat", "first")
    page = open_page(served.address)
    for _ in range(3):
        pick_all(page)
    wait_for_turn(page)
    page.goto(f"{served.address}analysis")
    taken = []
    for _ in range(3):
        begun = time.perf_counter()
        page.reload()
        page.wait_for_selector("#board svg")
        page.wait_for_selector("#list button")
        taken.append(time.perf_counter() - begun)
    assert min(taken) < 3  # a coarse guard, for a busy machine too; the aim is 1 s
