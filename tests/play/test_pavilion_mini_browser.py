"""Azul Summer Pavilion Mini in a real browser."""

from __future__ import annotations

import re

import pytest
from browsers import (
    COMPILING,
    boxes_of,
    browser,
    keys_of,
    needs_browser,
    open_page,
    part,
    pick_all,
    serve,
    sync_api,
    wait_for_turn,
    wait_until,
)

__all__ = ["browser", "open_page", "serve"]  # fixtures
pytestmark = needs_browser

GAME = ("--game", "azul/pavilion_mini-v0", "--seed", "3")


def test_a_person_chooses_the_game_and_takes_places_and_passes_by_clicking_on_the_table(serve, open_page):
    """Nothing is named on the command line: the page asks what to play."""
    page = open_page(serve().address, until="#setup[open]")
    page.select_option("[name=game]", GAME[1])
    sync_api.expect(page.locator("[name=players] option")).to_have_text(["2", "3", "4"])
    page.select_option("[name=players]", "3")
    sync_api.expect(page.locator("#new-agents input")).to_have_count(3)
    for place in range(2):
        page.fill(f"[name=agent-{place}]", "random")
    page.select_option("[name=seat]", "first")
    page.fill("[name=seed]", GAME[3])
    page.click("#start")
    sync_api.expect(page.locator("#title")).to_have_text("Azul Summer Pavilion Mini, 3 players", timeout=COMPILING)
    sync_api.expect(page).to_have_title(re.compile(" \N{EN DASH} Azul Summer Pavilion Mini, 3 players$"))
    wait_for_turn(page)
    picked = set()
    while not {"factory", "space", "pass"} <= picked:
        state = page.request.get(f"{page.url}api/state").json()
        assert state["round_name"] == "round 1"
        for key in keys_of(page):
            assert part(page, key).count() == 1 or key.startswith("pay-"), key
        place = -1 if "space" in picked else len(state["choices"]) // 2
        picked |= {key.split("-")[0] for key in state["choices"][place]["parts"]}
        pick_all(page, lambda choices, place=place: choices[place])


@pytest.mark.slow
def test_the_table_fits_a_phone(serve, open_page):
    page = open_page(
        serve(*GAME, "--players", "4", "--opponent", "random", "--seat", "first", "--board", "grey").address,
        viewport={"width": 390, "height": 844},
    )
    wait_until(page, lambda: page.evaluate("document.documentElement.scrollWidth <= 390"))
    sync_api.expect(page.locator("#board svg")).to_have_attribute("viewBox", re.compile("^0 0 400 "))
    for key in keys_of(page):
        [box] = boxes_of(part(page, key).locator(".hit").first)
        assert min(box["width"], box["height"]) >= 34, key
