"""The page for people who learn the game, or who look at it on a phone, by keys or by ear; in a real browser."""

from __future__ import annotations

import re

import pytest
from browsers import (
    COMPILING,
    boxes_of,
    browser,
    click,
    keys_of,
    moves_of,
    needs_browser,
    open_page,
    part,
    pick_all,
    serve,
    sync_api,
    wait_for_turn,
    wait_until,
)

axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")

__all__ = ["browser", "open_page", "serve"]  # fixtures
pytestmark = [*needs_browser, pytest.mark.slow]

DUEL = ("--opponent", "greedy", "--seed", "5", "--seat", "first")
MINI = ("--game", "pavilion_mini", "--players", "4", "--opponent", "greedy", "--seed", "5")
SIZES = {"wide": (1280, 800), "tablet": (800, 1000), "phone": (390, 844), "side": (640, 400)}
LOOKS = [("wide", "light"), ("wide", "dark"), ("tablet", "light"), ("phone", "light"), ("phone", "dark")]
LONG = "a_rather_long_module_of_agents_from_a_research_project"
COUNT_SOUNDS = """
window.made = 0;
window.AudioContext = new Proxy(AudioContext, { construct: (made, args) => (window.made++, new made(...args)) });
true;
"""
EXPECT = sync_api.expect


def size(name):
    width, height = SIZES[name]
    return {"viewport": {"width": width, "height": height}}


def state_of(page):
    return page.request.get(f"{page.url}api/state").json()


def source_and_line(page):
    """Return the keys of tiles on a sun that can go on a pattern line, and that line."""
    choices = [one["parts"] for one in state_of(page)["choices"]]
    return next(parts for parts in choices if parts[0].startswith("sun-") and parts[1].startswith("line-"))


def middle(locator):
    [box] = boxes_of(locator)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def open_setup(page):
    page.click("#new")
    page.wait_for_selector("#setup[open]")


def wait_until_as_wide_as_the_window(page):
    wait_until(page, lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


# Faults that were ------------------------------------------------------------------------------
def test_enter_starts_the_game_and_escape_does_not(serve, open_page):
    page = open_page(serve(*DUEL).address)
    before = state_of(page)["game"]
    open_setup(page)
    page.press("[name=seed]", "Escape")
    EXPECT(page.locator("#setup")).not_to_be_visible()
    assert state_of(page)["game"] == before
    open_setup(page)
    page.fill("[name=agent-0]", "random")
    page.fill("[name=seed]", "31")
    page.press("[name=seed]", "Enter")
    EXPECT(page.locator("#about")).to_contain_text("seed 31")


def test_a_game_that_is_made_ready_says_so_and_can_be_called_off(serve, open_page):
    page = open_page(serve(*DUEL).address)
    before = state_of(page)["game"]
    page.route("**/api/new?*", lambda _: None)  # never answered
    open_setup(page)
    page.click("#start")
    EXPECT(page.locator("#setup-wait")).to_contain_text(re.compile(r"compiled first, once.* [2-9] s"))
    EXPECT(page.locator("#start")).to_be_disabled()
    with page.expect_response("**/api/stay?*") as answered:
        page.click("#cancel")
    assert answered.value.ok
    EXPECT(page.locator("#setup")).not_to_be_visible()
    assert state_of(page)["game"] == before
    pick_all(page)
    wait_until(page, lambda: moves_of(page) > 1)


def test_a_game_under_way_is_left_only_when_that_was_meant(serve, open_page):
    page = open_page(serve(*DUEL).address)
    pick_all(page)
    state = state_of(page)
    open_setup(page)
    page.click("#start")
    EXPECT(page.locator("#confirm")).to_contain_text(f"You {state['scores'][0]}")
    page.keyboard.press("Enter")  # the first answer is to keep playing
    EXPECT(page.locator("#confirm")).not_to_be_visible()
    assert state_of(page)["game"] == state["game"]
    page.click("#start")
    page.click("#confirm-yes")
    EXPECT(page.locator("#setup")).not_to_be_visible()
    assert state_of(page)["game"] != state["game"]


@pytest.mark.parametrize("name", ["wide", "tablet", "phone"])
def test_long_names_leave_room(serve, open_page, tmp_path, name):
    (tmp_path / f"{LONG}.py").write_text(
        "def choose(observation, mask):\n    return int(mask.argmax())\n", encoding="utf-8"
    )
    args = ("--watch", "random", f"{LONG}:choose", "--seed", "5")
    page = open_page(serve(*args).address, until="#watch:not([hidden])", **size(name))
    page.locator("#speed").fill("4")
    page.click("#pause")
    page.wait_for_selector("#ending:not([hidden])", timeout=COMPILING)
    wait_until_as_wide_as_the_window(page)
    assert page.locator("#ending").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert max(map(len, state_of(page)["names"])) <= 28


@pytest.mark.parametrize("args", [DUEL, MINI], ids=["duel", "mini"])
def test_a_phone_shows_table_and_lines_above_the_question_and_each_board_at_a_press(serve, open_page, args):
    page = open_page(serve(*args).address, has_touch=True, **size("phone"))
    page.locator("#coach-close").evaluate("one => one.click()")
    last = "broken-0" if args is DUEL else re.search(r"supply-\w+", page.locator("#board").inner_html())[0]
    wait_until(page, lambda: is_above_the_question(page, part(page, last)))
    wait_until_as_wide_as_the_window(page)
    EXPECT(page.locator("#decision")).not_to_contain_text("who")
    for seat in range(len(state_of(page)["names"])):
        page.locator("#players button").nth(seat).click()
        board = page.locator(f'#board [data-board="{seat}"]')
        wait_until(page, lambda board=board: -2 <= top_of(board) < top_of(page.locator("#decision")) - 60)


def top_of(locator):
    [box] = boxes_of(locator)
    return box["top"]


def is_above_the_question(page, locator):
    [box] = boxes_of(locator)
    return box["top"] > 0 and box["bottom"] <= top_of(page.locator("#decision")) + 1


def test_an_enlarged_page_has_table_and_question_side_by_side(serve, open_page):
    page = open_page(serve(*DUEL).address, **size("side"))
    board, question = boxes_of(page.locator("#board, #decision"))
    assert board["right"] <= question["left"]
    [stack] = boxes_of(part(page, "stack"))
    assert stack["bottom"] <= 400


def test_those_who_listen_hear_moves_scores_and_whose_board_it_is(serve, open_page):
    page = open_page(serve(*DUEL).address)
    for _ in range(2):
        pick_all(page)
    log = state_of(page)["log"]
    EXPECT(page.locator("#heard p", has_text=f"{log[-1]['words']}.")).to_have_count(1)
    EXPECT(page.locator("#heard p", has_text=re.compile("^greedy "))).not_to_have_count(0)
    labels = page.locator("#board [data-part]").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert "your pattern line 3: empty" in labels or any(label.startswith("your pattern line 3: ") for label in labels)
    assert any(label.startswith("greedy's pattern line 3: ") for label in labels)
    stands = page.locator('#board [data-board="0"]').get_attribute("aria-label")
    assert re.fullmatch(r"your board: \d+ points?, \d of 2 tokens.*", stands)


@pytest.mark.parametrize("args", [DUEL, MINI], ids=["duel", "mini"])
@pytest.mark.parametrize(
    ("name", "scheme"),
    LOOKS,
)
def test_axe_finds_no_violation(serve, open_page, args, name, scheme):
    page = open_page(serve(*args).address, color_scheme=scheme, **size(name))
    scan(page)
    pick_all(page)
    scan(page)
    if name == "phone":
        page.click("#more")
        scan(page)
        page.keyboard.press("Escape")
    page.click("#rules-open")
    page.wait_for_selector("#rules[open]")
    scan(page)
    page.click("#rules-close")
    open_setup(page)
    scan(page)
    page.click("#start")
    page.wait_for_selector("#confirm[open]")
    scan(page)


def scan(page):
    found = axe_core.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


# Learning the game ----------------------------------------------------------------------------
def test_a_press_on_what_can_not_be_picked_says_why_and_what_it_is(serve, open_page):
    page = open_page(serve(*DUEL).address)
    click(page, "line-0-2")
    EXPECT(page.locator("#bubble")).to_contain_text("Not now. Take a dome tile of the display")
    EXPECT(page.locator("#bubble")).to_contain_text("Pattern lines.")
    page.keyboard.press("Escape")
    EXPECT(page.locator("#bubble")).to_be_hidden()
    click(page, "line-1-2")
    EXPECT(page.locator("#bubble")).to_contain_text("That is on the other player's board.")
    page.locator('#board [data-topic^="scoring-"]').first.click()
    EXPECT(page.locator("#bubble")).to_contain_text("Counted once, at the end of the game.")
    page.locator("#bubble button").click()
    EXPECT(page.locator("#rules-title")).to_have_text("How to play Azul Duel")
    EXPECT(page.locator("#topics details[open] summary")).to_contain_text("Scoring tile")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    EXPECT(page.locator("#topics details[open] summary")).to_have_text("The aim")


def test_a_first_round_is_guided_if_that_was_asked_for(serve, open_page):
    page = open_page(serve(*DUEL).address)
    EXPECT(page.locator("#coach")).to_be_hidden()
    open_setup(page)
    page.check("[name=guided]")
    page.fill("[name=agent-0]", "random")
    page.fill("[name=seed]", "4")
    page.select_option("[name=seat]", "first")
    page.click("#start")
    EXPECT(page.locator("#coach-title")).to_have_text("Your first dome tile")
    told = [page.locator("#coach-title").inner_text()]
    page.reload()
    EXPECT(page.locator("#coach-title")).to_have_text(told[0])
    while "That was a round" not in told and len(told) < 60:
        pick_all(page)
        if page.locator("#coach").is_visible():
            told.append(page.locator("#coach-title").inner_text())
    assert told[1] == "Take tiles"
    assert len(set(told)) == len(told) > 5
    assert told[-1] == "That was a round"
    pick_all(page)
    EXPECT(page.locator("#coach")).to_be_hidden()
    open_setup(page)
    EXPECT(page.locator("[name=guided]")).to_be_checked()


def test_pointing_shows_what_would_come_and_dragging_does_it(serve, open_page):
    page = open_page(serve(*DUEL).address)
    pick_all(page)
    tiles, line = source_and_line(page)
    moves = moves_of(page)
    click(page, tiles)
    part(page, line).locator(".hit").hover()
    EXPECT(page.locator("#foretold")).to_have_text(re.compile("line 1"))
    EXPECT(page.locator("#board .ghost use")).not_to_have_count(0)
    page.mouse.move(2, 2)
    EXPECT(page.locator("#board .ghost")).to_have_count(0)
    page.keyboard.press("Escape")
    drag(page, tiles, "line-1-0")
    EXPECT(page.locator("#bubble")).to_contain_text("other player's board")
    assert moves_of(page) == moves
    assert tiles in keys_of(page)
    drag(page, tiles, line)
    EXPECT(page.locator("#log li.move")).not_to_have_count(moves)
    EXPECT(page.locator("#board .dragged")).to_have_count(0)


def drag(page, source, goal):
    page.mouse.move(*middle(part(page, source).locator(".hit").first))
    page.mouse.down()
    page.mouse.move(*middle(part(page, goal).locator(".hit").first), steps=6)
    EXPECT(page.locator("#board .dragged")).not_to_have_count(0)
    page.mouse.up()


def test_a_finger_scrolls_and_once_held_it_drags_or_is_shown_what_would_come(serve, open_page):
    page = open_page(serve(*DUEL).address, has_touch=True, is_mobile=True, **size("phone"))
    page.locator("#coach-close").evaluate("one => one.click()")
    finger = Finger(page)
    pick_all(page)
    tiles, line = source_and_line(page)
    moves = moves_of(page)
    finger.down(*middle(part(page, tiles).locator(".hit").first))
    finger.move(0, -200)
    page.wait_for_timeout(300)  # a finger that rests before it is lifted lets nothing scroll on
    finger.up()
    wait_until(page, lambda: page.evaluate("scrollY > 50"))
    assert tiles in keys_of(page)
    EXPECT(page.locator("#board .picked")).to_have_count(0)
    page.evaluate("scrollTo(0, 0)")
    finger.hold(*middle(part(page, tiles).locator(".hit").first))
    EXPECT(page.locator("#board .dragged")).not_to_have_count(0)
    finger.move_to(*middle(part(page, line).locator(".hit").first))
    EXPECT(page.locator("#board .ghost use")).not_to_have_count(0)
    finger.move_to(200, 60)
    finger.up()
    EXPECT(page.locator("#board .dragged")).to_have_count(0)
    assert page.evaluate("scrollY") == 0
    assert moves_of(page) == moves
    page.keyboard.press("Escape")
    part(page, tiles).locator(".hit").first.tap()
    finger.hold(*middle(part(page, line).locator(".hit").first))
    EXPECT(page.locator("#foretold")).not_to_be_empty()
    finger.up()
    EXPECT(page.locator("#board .ghost use")).not_to_have_count(0)
    assert moves_of(page) == moves
    part(page, line).locator(".hit").first.tap()
    EXPECT(page.locator("#log li.move")).not_to_have_count(moves)
    wait_for_turn(page)
    page.locator("#undo").tap()
    EXPECT(page.locator("#log li.move")).to_have_count(moves)
    finger.hold(*middle(part(page, tiles).locator(".hit").first))
    EXPECT(page.locator("#board .dragged")).not_to_have_count(0)
    finger.move_to(*middle(part(page, line).locator(".hit").first))
    finger.up()
    EXPECT(page.locator("#log li.move")).not_to_have_count(moves)


@pytest.mark.parametrize("args", [DUEL, MINI], ids=["duel", "mini"])
def test_a_drag_at_the_edge_of_the_window_scrolls(serve, open_page, args):
    page = open_page(serve(*args).address, has_touch=True, is_mobile=True, **size("phone"))
    finger, key = Finger(page), keys_of(page)[0]
    finger.hold(*middle(part(page, key).locator(".hit").first))
    if args is DUEL:
        EXPECT(page.locator("#board .dragged")).not_to_have_count(0)
        finger.move_to(200, top_of(page.locator("#decision")) + 20)
        wait_until(page, lambda: page.evaluate("scrollY > 150"))
        finger.move_to(200, 15)
        wait_until(page, lambda: page.evaluate("scrollY === 0"))
        finger.move_to(200, 400)
        page.wait_for_timeout(200)
        assert page.evaluate("scrollY") == 0
    else:
        finger.move_to(
            200, top_of(page.locator("#decision")) + 20
        )  # nothing is left to be picked: it is looked at only
        page.wait_for_timeout(300)
        assert page.evaluate("scrollY") == 0
    finger.up()


@pytest.mark.parametrize("name", ["wide", "tablet", "phone"])
@pytest.mark.parametrize("args", [DUEL, MINI], ids=["duel", "mini"])
def test_what_can_be_hit_is_large_enough_for_a_finger(serve, open_page, args, name):
    page = open_page(serve(*args).address, **size(name))
    for one in page.locator("#board [data-topic] > .hit, #board .can > .hit").all():
        [box] = boxes_of(one)
        assert min(box["width"], box["height"]) >= 23.9, one.evaluate("hit => hit.parentElement.outerHTML")
    topic = page.locator(f'#board [data-topic="{"tokens" if args is DUEL else "wild"}"]').last
    gap = topic.evaluate(BETWEEN)
    page.mouse.click(*gap)
    EXPECT(page.locator("#bubble .label")).to_have_text(re.compile(topic.get_attribute("aria-label"), re.IGNORECASE))


BETWEEN = """topic => {
  topic.scrollIntoView({ block: "center" });
  const [one, other] = [...topic.querySelectorAll("use, text")].map((shape) => shape.getBoundingClientRect());
  const beside = [(one.right + other.left) / 2, (one.top + one.bottom) / 2];
  return other.left > one.right ? beside : [(one.left + one.right) / 2, (one.bottom + other.top) / 2];
}"""
"""The middle of the gap between the first two things of a topic."""


class Finger:
    """A finger on the screen of a page."""

    def __init__(self, page):
        self._page, self._device, self._at = page, page.context.new_cdp_session(page), (0.0, 0.0)

    def _send(self, kind, *places):
        points = [{"x": x, "y": y} for x, y in places]
        self._device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def down(self, x, y):
        self._at = x, y
        self._send("touchStart", self._at)

    def hold(self, x, y):
        self.down(x, y)
        self._page.wait_for_timeout(600)

    def move_to(self, x, y, steps=8):
        (left, top) = self._at
        for step in range(1, steps + 1):
            self._at = left + (x - left) * step / steps, top + (y - top) * step / steps
            self._send("touchMove", self._at)
            self._page.wait_for_timeout(20)

    def move(self, dx, dy):
        self.move_to(self._at[0] + dx, self._at[1] + dy)

    def up(self):
        self._send("touchEnd")


def test_another_part_can_be_picked_instead(serve, open_page):
    page = open_page(serve(*DUEL).address)
    pick_all(page)
    first, other = [key for key in keys_of(page) if key.startswith("sun-")][:2]
    click(page, first)
    click(page, other)
    EXPECT(part(page, other)).to_have_class("picked")
    EXPECT(part(page, first)).not_to_have_class(re.compile("picked"))


# Around a game --------------------------------------------------------------------------------
def test_levels_stand_beside_specs(serve, open_page):
    page = open_page(serve(*DUEL).address)
    open_setup(page)
    level = page.locator("#new-agents select").first
    EXPECT(level.locator("option")).to_have_text(["easy", "medium", "hard", "strong", "by spec"])
    level.select_option(label="medium")
    EXPECT(page.locator("[name=agent-0]")).to_have_value("greedy")
    page.fill("[name=agent-0]", "mcts:7")
    EXPECT(level).to_have_value("")
    page.fill("[name=agent-0]", "random")
    EXPECT(level).to_have_value("random")


def test_a_finished_game_is_played_again_or_kept_as_a_film(serve, open_page):
    page = open_page(serve("--watch", "random", "random", "--seed", "5").address, until="#watch:not([hidden])")
    page.locator("#speed").fill("4")
    page.click("#pause")
    page.wait_for_selector("#ending:not([hidden])", timeout=COMPILING)
    with page.expect_download() as download:
        page.click(".after a[href='api/film']")
    assert download.value.suggested_filename == "azul-duel-5.html"
    assert "<svg" in download.value.path().read_text(encoding="utf-8")
    before = state_of(page)
    page.click(".after .primary")
    EXPECT(page.locator("#ending")).to_be_hidden()
    after = state_of(page)
    assert after["seats"] == before["seats"]
    assert after["seed"] != before["seed"]
    assert after["game"] != before["game"]


def test_sounds_are_off_until_they_are_asked_for(serve, open_page):
    page = open_page(serve(*DUEL).address)
    page.evaluate(COUNT_SOUNDS)
    pick_all(page)
    assert page.evaluate("made") == 0
    EXPECT(page.locator("#sound")).to_have_attribute("aria-pressed", "false")
    page.click("#sound")
    wait_until(page, lambda: page.evaluate("made"), 1)
    wait_for_turn(page)
    page.reload()
    wait_for_turn(page)
    EXPECT(page.locator("#sound")).to_have_text("Sound on")
