"""Colours that all tables share, light and dark, and the style sheet. A game adds colours of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from azul_duel_env.view.drawing.svg import tag

LIGHT = {
    "ground": "#e8ecf2",
    "card": "#ffffff",
    "shade": "#c9d1dd",
    "edge": "#dbe1ea",
    "well": "#f1f4f8",
    "ink": "#1b2330",
    "muted": "#566172",
    "faint": "#a9b4c3",
    "frame": "#c3ccd9",
    "accent": "#6d3df2",
    "on-accent": "#ffffff",
    "trail": "#111827",
    "gain": "#15803d",
    "loss": "#b3261e",
}
DARK = {
    "ground": "#0f131a",
    "card": "#1a202a",
    "shade": "#0a0d12",
    "edge": "#343e4d",
    "well": "#141a23",
    "ink": "#eaeef5",
    "muted": "#a3aebd",
    "faint": "#566274",
    "frame": "#3b4656",
    "accent": "#a98bff",
    "on-accent": "#150b33",
    "trail": "#ffffff",
    "gain": "#4ade80",
    "loss": "#ff9d92",
}
THEMES = ("light", "dark", "auto")

FONT = "'Azul Duel Sans','Inter','Segoe UI',system-ui,sans-serif"
"""The first is the one that comes with the package, for pictures; browsers take what they have."""

SHAPES = f"""
text{{font-family:{FONT};font-size:12px}}
.s{{font-size:11px}} .m{{font-size:13px}} .l{{font-size:15px}} .p{{font-size:17px}} .h{{font-size:21px}} .xl{{font-size:32px}}
.b,.xl{{font-weight:700}}
.hit{{fill-opacity:0;stroke-opacity:0}}
.none{{fill:none}}
.ring{{fill:none;stroke-width:3.4}}
.legal,.new,.from,.trail,.slot{{fill:none}}
.legal{{stroke-width:2.4}}
.new{{stroke-width:3}}
.from{{stroke-width:2.4;stroke-dasharray:4 3}}
.trail{{stroke-width:3;stroke-linecap:round;opacity:.75}}
.slot{{stroke-width:1.5;stroke-dasharray:4 4}}
.halo{{fill:none;stroke-width:6;stroke-linecap:round;opacity:.8}}
.veil{{fill-opacity:.6}}
.legal,.new,.from,.trail,.halo,.heat,.heat-label,.tip,.points,.veil{{pointer-events:none}}
"""
"""What both themes share."""


def prefix_of(theme: str) -> str:
    """Return what ids and the scope of a theme begin with, so that several themes live on one page."""
    return f"az{theme[0]}-"


def style_sheet(theme: str, light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """Return the style sheet of a theme with these colours; "auto" follows the reader's setting.

    Rules hold inside the scope of the theme only, so that several drawings of a page, and the page, don't disturb each other. Symbols
    are styled where no selector knows what is around them: their classes begin with the prefix instead.
    """
    return _style_sheet(theme, tuple(light.items()), tuple(dark.items()))


@lru_cache
def _style_sheet(theme: str, light: tuple[tuple[str, str], ...], dark: tuple[tuple[str, str], ...]) -> str:
    prefix = prefix_of(theme)
    rules = _scoped(SHAPES, prefix) + _painted(dict(dark if theme == "dark" else light), prefix)
    if theme == "auto":
        rules += f"@media (prefers-color-scheme:dark){{{_painted(dict(dark), prefix)}}}"
    return rules


def _scoped(rules: str, prefix: str) -> str:
    """Return rules for elements in the scope, and those of symbols for classes with the prefix."""
    blocks = [block.strip() for block in rules.replace("\n", " ").split("}") if block.strip()]
    scoped = []
    for block in blocks:
        names, _, body = block.partition("{")
        selectors = [f".{prefix}scope {name.strip()}" for name in names.split(",")]
        selectors += [
            f".{prefix}{name.strip()[1:]}" for name in names.split(",") if name.strip().startswith(IN_SYMBOLS)
        ]
        scoped.append(",".join(selectors) + "{" + body + "}")
    return "".join(scoped)


IN_SYMBOLS = (".f-", ".k-", ".ring", ".none")
"""How the classes begin that symbols use."""


def _painted(colours: Mapping[str, str], prefix: str) -> str:
    """Return the rules that paint."""
    c = colours
    rules = [f".f-{name}{{fill:{value}}} .k-{name}{{stroke:{value}}}" for name, value in c.items()]
    rules += [
        f"text{{fill:{c['ink']}}} .q{{fill:{c['muted']}}} .a{{fill:{c['accent']}}} .o{{fill:{c['on-accent']}}} .on{{fill:{c['card']}}}",
        f".gained{{fill:{c['gain']}}} .lost{{fill:{c['loss']}}}",
        f".legal{{stroke:{c['accent']}}} .from,.trail{{stroke:{c['trail']}}} .new{{stroke:{c['trail']}}}",
        f".heat{{fill:{c['accent']};stroke:{c['accent']}}} .slot{{stroke:{c['faint']}}}",
        f".veil{{fill:{c['ground']}}} .tip{{fill:{c['trail']}}} .halo{{stroke:{c['card']}}}",
        f".card{{fill:{c['card']}}} .shade{{fill:{c['shade']}}} .well{{fill:{c['well']}}}",
    ]
    return _scoped("".join(rules), prefix)


SIDE = 32
"""Symbols are drawn in a square of so many units."""


def symbols_of(shapes: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return shapes, by their names, as symbols by their ids, which begin with a prefix, as their classes do."""
    return {
        prefix + name: tag(
            "symbol",
            _with_own_classes(shape, prefix),
            id=prefix + name,
            viewBox=f"0 0 {SIDE} {SIDE}",
            overflow="visible",
        )
        for name, shape in shapes.items()
    }


def _with_own_classes(shape: str, prefix: str) -> str:
    return re.sub(
        r'class="([^"]*)"', lambda match: f'class="{" ".join(prefix + name for name in match[1].split())}"', shape
    )
