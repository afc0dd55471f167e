"""A game of three players in a real browser."""

from __future__ import annotations

import re

import pytest
from browsers import (
    COMPILING,
    browser,
    click,
    is_over,
    keys_of,
    moves_of,
    needs_browser,
    open_page,
    pick_all,
    scores_of,
    serve,
    sync_api,
    wait_for_turn,
)
from places import SUPPORT

from azul_duel_env.games.duel import GAME as DUEL
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.session import Session

__all__ = ["browser", "open_page", "serve"]  # fixtures
pytestmark = needs_browser

CODE = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from azul_duel_env.games import GAMES
GAMES["toy/dice-v0"] = "toy_game"
from azul_duel_env.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("seat", range(3))
def test_a_person_plays_two_agents_by_clicking(serve, open_page, seat):
    args = ("--game", "toy/dice-v0", "--opponent", "greedy", "--opponent", "random", "--seed", "11")
    page = open_page(serve(*args, "--seat", f"player_{seat}", code=CODE).address)
    sync_api.expect(page).to_have_title(re.compile(" \N{EN DASH} Dice$"))
    assert page.locator("#about").inner_text().split(" · ")[0].split(" \N{EN DASH} ")[seat] == "You"
    sync_api.expect(page.locator("#log li.opening")).to_contain_text("the die shows")
    while not is_over(page):
        assert keys_of(page) == ["action-0", "action-1"]
        pick_all(page, lambda choices: choices[0])
    assert moves_of(page) == 12
    assert page.locator("#log li.move ul").count() == 12
    assert re.fullmatch(r".+ gets ([123])\s*\+\1", page.locator("#log li.move li").first.inner_text()), (
        "the last move rolls no more"
    )
    rows = page.locator("#ending tbody tr td").all_inner_texts()
    assert [sum(int(cell) for cell in rows[1 + one :: 4]) for one in range(3)] == scores_of(page)


def test_a_whole_game_is_played_by_keys_and_then_another(serve, open_page):
    args = (
        "--game",
        "toy/dice-v0",
        "--opponent",
        "random",
        "--opponent",
        "random",
        "--seed",
        "11",
        "--seat",
        "player_0",
    )
    page = open_page(serve(*args, code=CODE).address)
    while not is_over(page):
        version = page.locator("#board").get_attribute("data-version")
        page.keyboard.press("1")
        sync_api.expect(page.locator("#board")).not_to_have_attribute("data-version", version)
        wait_for_turn(page)
    sync_api.expect(page.locator("#ending button").first).to_be_focused()
    page.keyboard.press("Enter")
    sync_api.expect(page.locator("#ending")).to_be_hidden(timeout=COMPILING)
    wait_for_turn(page)
    sync_api.expect(page.locator("#choices button").first).to_be_focused()


@pytest.mark.slow
def test_a_new_game_is_arranged_for_three(serve, open_page):
    page = open_page(serve("--game", "toy/dice-v0", "--opponent", "random", "--seed", "2", code=CODE).address)
    page.click("#new")
    page.wait_for_selector("#setup[open]")
    sync_api.expect(page.locator("[name=players]")).to_be_hidden()
    for place, words in enumerate(("against agents", "three people", "watch three agents")):
        sync_api.expect(page.locator("#setup fieldset label:visible").nth(place)).to_have_text(words)
    sync_api.expect(page.locator("#new-agents input:visible")).to_have_count(2)
    page.fill("[name=agent-0]", "greedy")
    page.fill("[name=agent-1]", "human")
    page.select_option("[name=seat]", "player_0")
    page.fill("[name=seed]", "21")
    page.click("#start")
    sync_api.expect(page.locator("#about")).to_contain_text(
        "Player 1 \N{EN DASH} greedy \N{EN DASH} Player 3 · seed 21"
    )
    wait_for_turn(page)
    click(page, "action-1")
    sync_api.expect(page.locator("#who")).to_contain_text("Player 3, round 1")
    page.click("#new")
    page.check("input[value=watch]")
    sync_api.expect(page.locator("#new-agents input:visible")).to_have_count(3)
    for place in range(3):
        page.fill(f"[name=agent-{place}]", "random")
    page.click("#start")
    page.click("#confirm-yes")
    page.wait_for_selector("#watch:not([hidden])")
    names = "random (0) \N{EN DASH} random (1) \N{EN DASH} random (2)"
    sync_api.expect(page.locator("#about")).to_contain_text(names)
    page.click("#step")
    sync_api.expect(page.locator("#log li.move")).to_have_count(1)


ONE_TITLE = CODE.replace(
    "main()",
    "import dataclasses, toy_game; toy_game.GAME = dataclasses.replace(toy_game.GAME, title='Azul Duel'); main()",
)


@pytest.mark.slow
def test_the_dialog_is_built_anew_for_another_number_of_players(serve, open_page, tmp_path):
    """Of one title: here a game of three has that of Azul Duel, of which a file is loaded."""
    args = ("--game", "toy/dice-v0", "--opponent", "random", "--seed", "2")
    page = open_page(serve(*args, code=ONE_TITLE).address)
    page.click("#new")
    sync_api.expect(page.locator("#new-agents input")).to_have_count(3)
    page.keyboard.press("Escape")
    file = tmp_path / "duel.game"
    file.write_text(Session(Setup((HUMAN, "random"), 3, {}, DUEL)).record().write(), encoding="utf-8")
    page.set_input_files("#file", file)
    sync_api.expect(page.locator("#about")).to_contain_text("seed 3", timeout=COMPILING)
    page.click("#new")
    sync_api.expect(page.locator("#new-agents input")).to_have_count(2)


SEVERAL = CODE.replace(
    "main()",
    """
import types
from dataclasses import replace
import toy_game
from azul_duel_env.games.duel import GAME as DUEL
homes = {2: "toy_several:TWO", 3: "toy_several:GAME"}
several = sys.modules["toy_several"] = types.ModuleType("toy_several")
several.GAME = replace(toy_game.GAME, home=homes[3], variants=homes)
several.TWO = replace(DUEL, home=homes[2], variants=homes, id="toy/dice-v0")
GAMES["toy/dice-v0"] = "toy_several"
main()""",
)
"""Dice for three players, or two, who play Azul Duel here."""


@pytest.mark.slow
def test_the_dialog_asks_for_the_number_of_players_where_there_are_several(serve, open_page):
    page = open_page(serve("--game", "toy/dice-v0", "--opponent", "random", "--seed", "2", code=SEVERAL).address)
    page.click("#new")
    sync_api.expect(page.locator("[name=players] option")).to_have_text(["2", "3"])
    sync_api.expect(page.locator("[name=players]")).to_have_value("3")
    page.select_option("[name=players]", "2")
    sync_api.expect(page.locator("#new-agents input:visible")).to_have_count(1)
    page.fill("[name=agent-0]", "random")
    page.fill("[name=seed]", "7")
    page.select_option("[name=seat]", "first")
    page.click("#start")
    sync_api.expect(page.locator("#about")).to_contain_text("You \N{EN DASH} random · seed 7", timeout=COMPILING)
    page.click("#new")
    page.wait_for_selector("#setup[open]")
    sync_api.expect(page.locator("[name=players]")).to_have_value("2")
    page.select_option("[name=game]", DUEL.id)
    sync_api.expect(page.locator("[name=players]")).to_be_hidden()
    page.select_option("[name=scoring_tiles]", "4")
    page.fill("[name=agent-0]", "random")
    page.click("#start")
    sync_api.expect(page.locator("#title")).to_have_text(DUEL.title, timeout=COMPILING)
    sync_api.expect(page.locator("#about")).to_contain_text("4 at random")
    wait_for_turn(page)
    page.click("#new")
    page.wait_for_selector("#setup[open]")
    page.select_option("[name=game]", "toy/dice-v0")
    sync_api.expect(page.locator("#new-agents input")).to_have_count(3)
