"""A game in a notebook that was exported: it is stepped through in a browser, from a file, without a kernel."""

from __future__ import annotations

import pytest
from browsers import browser, needs_browser, open_page, sync_api

from azul_duel_env.arena import play_game
from azul_duel_env.arena.game_file import record_game
from azul_duel_env.arena.notebook import GameView
from azul_duel_env.games import find_game

__all__ = ["browser", "open_page"]  # fixtures
pytestmark = needs_browser


@pytest.mark.parametrize(("name", "players"), [("duel", 2), ("pavilion_mini", 3)])
def test_its_controls_step_through_the_game(open_page, tmp_path, name, players):
    game, agents = find_game(name, players), ("random",) * players
    view = GameView(record_game(game, 7, play_game(game, agents, 7).actions[:12], players=agents))
    file = tmp_path / "exported.html"
    file.write_text(f"<!doctype html><title>exported</title><div>{view._repr_html_()}</div>", encoding="utf-8")
    page = open_page(file.as_uri(), until="iframe", viewport={"width": 1100, "height": 800})
    frame = page.frame_locator("iframe")
    place, board = frame.locator("#place"), frame.locator("#board")
    sync_api.expect(place).to_have_text("0 of 12")
    seen = [board.inner_html()]
    for button, told in (("on", "1 of 12"), ("last", "12 of 12"), ("first", "0 of 12")):
        frame.locator(f"#{button}").click()
        sync_api.expect(place).to_have_text(told)
        seen.append(board.inner_html())
    assert len(set(seen)) == 3
    assert seen[0] == seen[-1]
    frame.locator("#moves button").last.click()
    sync_api.expect(place).to_have_text("12 of 12")
    sync_api.expect(frame.locator("#words")).to_have_text(view._scenes[-1].words)
    frame.locator("#slider").press("Home")
    frame.locator("#play").click()
    sync_api.expect(place).to_have_text("2 of 12")
