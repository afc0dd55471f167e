"""Links of README and of the pages, and the site that is made of them."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from parts import README, specs, texts
from places import ROOT

LINK = re.compile(r"\]\((?!https?:|#)([^)\s#]+)")


@pytest.mark.parametrize("file", [*texts(), *specs.written()], ids=lambda file: file.relative_to(ROOT).as_posix())
def test_links_lead_to_files(file):
    for target in LINK.findall(file.read_text(encoding="utf-8")):
        assert (file.parent / target).exists(), target


def test_readme_is_short():
    assert len(README.read_bytes()) < 7000


class Fetched(HTMLParser):
    """Collects what a browser fetches for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        kinds = (given.get("rel") or "").split()
        if tag == "link" and not {"stylesheet", "icon", "preload", "preconnect", "prefetch", "manifest"} & set(kinds):
            return
        if tag != "a":
            self.found += [given[name] for name in ("src", "href", "data", "poster", "srcset") if given.get(name)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with warnings as errors."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "-q",
        "--strict",
        "-f",
        ROOT / "docs" / "mkdocs.yml",
        "-d",
        folder,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_fetches_nothing_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        parser = Fetched()
        parser.feed(page.read_text(encoding="utf-8"))
        assert parser.found
        for target in parser.found:
            assert not re.match(r"(?:[a-z]+:)?//", target), f"{page}: {target}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style


def test_what_pages_fetch_is_there(site):
    for page in site.rglob("*.html"):
        parser = Fetched()
        parser.feed(page.read_text(encoding="utf-8"))
        for target in parser.found:
            if not target.startswith(("data:", "#")):
                assert (page.parent / target.partition("#")[0].partition("?")[0]).exists(), f"{page}: {target}"


def test_each_part_of_the_package_has_its_page(site):
    text = (site / "api" / "environments.html").read_text(encoding="utf-8")
    assert "explicit_chance" in text
    assert "GameVectorEnv" in text
    for name in ("specification", "rules", "rulings"):
        assert (site / "games" / "duel" / f"{name}.html").exists()
