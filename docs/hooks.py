"""What the site has besides ``docs/pages``: the rules, rulings and specification of each game, the changelog, and code that is linked to.

All links in Markdown are those of the repository, so that they work there and where README is shown. Here each becomes a link of the site:
to the page made of that file, to a page with its code, or to a copy of it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "pages"
GAMES = ROOT / "azul_duel_env" / "games"
LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)\s#]+)")
PREAMBLE = re.compile(r"<!-- before\n.*?-->\n", re.DOTALL)
"""Code that a test runs before the snippet below it, and no reader needs."""
CELL, ESCAPED = re.compile(r"^\|.*`.*\\\|.*`.*$", re.MULTILINE), re.compile(r"(`[^`]*)\\\|(?=[^`]*`)")
"""A row of a table with code in which the sign between cells is escaped: GitHub wants that, and Python-Markdown shows it."""
CODE = {".py": "python", ".yaml": "yaml", ".toml": "toml"}

pages: dict[Path, str] = {}
"""File of the repository -> its page of the site."""
sources: dict[str, Path] = {}
"""The reverse."""


def elsewhere() -> dict[Path, str]:
    """Return the Markdown that lies outside ``docs/pages`` and is a page."""
    found = {
        ROOT / "README.md": "index.md",
        ROOT / "CHANGELOG.md": "changelog.md",
        ROOT / "CONTRIBUTING.md": "contributing.md",
    }
    for folder in sorted(path.parent for path in GAMES.glob("*/SPEC.md")):
        for name, page in (("SPEC", "specification"), ("RULES", "rules"), ("RULINGS", "rulings")):
            found[folder / f"{name}.md"] = f"games/{folder.name}/{page}.md"
    return found


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that lie elsewhere, and what pages link to."""
    pages.clear()
    pages.update({path: path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md")})
    for path, page in elsewhere().items():
        pages[path] = page
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, content=path.read_text(encoding="utf-8")))
    sources.clear()
    sources.update({page: path for path, page in pages.items() if path != ROOT / "README.md"})
    for source in list(sources.values()):
        for target in sorted({linked(source, match[2]) for match in LINK.finditer(source.read_text(encoding="utf-8"))}):
            if target not in pages and not target.is_relative_to(PAGES):
                add(target, source, files, config)
    return files


def linked(source: Path, target: str) -> Path:
    """Return the file of the repository to which a link of another leads."""
    return Path(os.path.normpath(source.parent / unquote(target)))


def add(target: Path, source: Path, files: Files, config: Any) -> None:
    """Add a file that a page links to: code as a page, all else as it is."""
    if not target.is_file() and not target.is_dir():
        raise PluginError(f"{source.relative_to(ROOT)} links to {target.relative_to(ROOT)}, which isn't there")
    name = target.relative_to(ROOT).as_posix()
    if target.is_dir() or target.suffix in CODE:
        pages[target] = f"code/{name}.md"
        files.append(File.generated(config, pages[target], content=listing(target, name)))
        for file in code_in(target):
            if file not in pages:
                add(file, target, files, config)
    else:
        pages[target] = f"files/{name}"
        if files.get_file_from_path(pages[target]) is None:
            files.append(File.generated(config, pages[target], abs_src_path=str(target)))


def code_in(folder: Path) -> list[Path]:
    """Return the files with code of a folder, none of a file."""
    return sorted(path for path in folder.iterdir() if path.suffix in CODE) if folder.is_dir() else []


def listing(target: Path, name: str) -> str:
    """Return a page with the code of a file, or with the names of those in a folder."""
    head = f"---\nsearch:\n  exclude: true\n---\n\n# {name}\n\n"
    if target.is_dir():
        links = [f"* [{path.name}]({target.name}/{path.name}.md)" for path in code_in(target)]
        return head + "\n".join(links)
    return f"{head}``````{CODE[target.suffix]}\n{target.read_text(encoding='utf-8')}``````\n"


def on_post_build(config: Any) -> None:
    """Leave out the page that a server shows for what isn't there: its links would be those of a server."""
    (Path(config.site_dir) / "404.html").unlink()


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001 # as MkDocs calls it
    """Let links lead to pages of the site."""
    source = sources.get(page.file.src_uri)
    if source is None:
        return markdown
    folder = os.path.dirname(page.file.src_uri)

    def here(match: re.Match[str]) -> str:
        target = linked(source, match[2])
        place = pages.get(target) or target.relative_to(PAGES).as_posix()
        return match[1] + os.path.relpath(place, folder or ".")

    return CELL.sub(lambda row: ESCAPED.sub(r"\1|", row[0]), LINK.sub(here, PREAMBLE.sub("", markdown)))
