"""A real browser that looks at ``azul-duel play``, and what tests do in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from azul_duel_env.jit import COMPILED
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session_file import read_session

sync_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = [
    pytest.mark.skipif(not COMPILED, reason="a browser test takes long uncompiled"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium"),
]
CALM = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
CODE = "from azul_duel_env.cli import main; main()"
FIRST = "#choices button, #ending:not([hidden])"
PATIENCE = 60_000
"""Milliseconds that a page may take for what it does at once on an idle machine."""
COMPILING = 300_000
"""Milliseconds that something may take which is compiled first, on a busy machine."""
sync_api.expect.set_options(timeout=PATIENCE)


class Served:
    """``azul-duel play``, running."""

    def __init__(self, folder: Path, *args: str, code: str = CODE) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-c", code, "play", "--no-browser", *args],
            env={**os.environ, "AZUL_DUEL_DATA_DIR": str(folder), "COLUMNS": "300", "PYTHONPATH": str(folder)},
            stderr=subprocess.PIPE,
            text=True,
        )
        lines = iter(self.process.stderr.readline, "")
        self.address = next(found[0] for line in lines if (found := re.search(r"http://[^\s]+", line)))

    @property
    def port(self):
        return int(self.address.strip("/").rpartition(":")[2])

    @property
    def core(self):
        """The position that the server keeps on disk."""
        with Autosave(self.folder) as kept:
            return read_session(kept.resume().read_text(encoding="utf-8")).position

    def stop(self) -> str:
        self.process.terminate()
        _, errors = self.process.communicate(timeout=30)
        return errors


@pytest.fixture
def serve(tmp_path):
    running = []

    def start(*args, code=CODE):
        running.append(Served(tmp_path, *(() if "--port" in args else ("--port", "0")), *args, code=code))
        return running[-1]

    yield start
    for one in running:
        assert "Traceback" not in one.stop()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=CALM)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Open a page that moves nothing for show, and check at the end that nothing went wrong in it."""
    contexts, troubles = [], []

    def opened(address, until=FIRST, **how):
        context = browser.new_context(**{"reduced_motion": "reduce", **how})
        contexts.append(context)
        page = context.new_page()
        context.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: foreign(request.url, address, troubles))
        page.goto(address)
        page.wait_for_selector(until, timeout=COMPILING)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


def foreign(url, address, troubles):
    """Note a request to anywhere else."""
    if not url.startswith((address, "data:", "blob:")):
        troubles.append(f"asked for {url}")


def wait_until(page, read, wanted=True):
    """Read something of a page again and again until it is what is wanted: a page shows what came of an action some time later."""
    deadline = time.monotonic() + PATIENCE / 1000
    while (found := read()) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert found == wanted


def boxes_of(locator):
    """Where elements are in the window, all at the same moment: between two calls a page may move them."""
    return locator.evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")


def keys_of(page):
    """The parts that can be picked now, by the list."""
    return page.locator("#choices button").evaluate_all("all => all.map(one => one.dataset.key)")


def part(page, key):
    return page.locator(f'#board [data-part="{key}"]').first


def click(page, key):
    """Click a part on the table, or its button if it isn't drawn."""
    if part(page, key).count():
        part(page, key).locator(".hit").first.click()
    else:
        page.locator(f'#choices button[data-key="{key}"]').click()


def moves_of(page):
    return page.locator("#log li.move").count()


def state_with_choices(page):
    """Return the state once a person decides: agents may still do, and what follows a move is shown one thing after the other."""
    for _ in range(COMPILING // 100):
        state = page.request.get(f"{page.url}api/state").json()
        if state["choices"]:
            return state
        page.wait_for_timeout(100)
    raise AssertionError("no decision of a person is due")


def pick_all(page, choose=lambda choices: choices[len(choices) // 2], until=FIRST):
    """Pick the parts of a choice, one after the other, and wait until the next decision is due."""
    state = state_with_choices(page)
    page.wait_for_selector(f'#board[data-version="{state["version"]}"]')
    wait_for_turn(page)
    for key in choose(state["choices"])["parts"]:
        assert key in keys_of(page)
        click(page, key)
    page.wait_for_selector(f'#board:not([data-version="{state["version"]}"])')
    page.wait_for_selector(until, timeout=COMPILING)


def wait_for_turn(page):
    """Wait until a person decides; agents may have to wait for what is compiled beside them, such as the search that gives hints."""
    page.wait_for_selector(FIRST, timeout=COMPILING)


def is_over(page):
    return page.locator("#ending").is_visible()


def scores_of(page):
    return [int(cell) for cell in page.locator("#ending tfoot th").all_inner_texts()[1:]]
