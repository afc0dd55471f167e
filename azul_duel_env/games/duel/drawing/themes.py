"""Colours, light and dark, and the style sheet. No other module names a colour."""

from __future__ import annotations

from functools import lru_cache

LIGHT = {
    "ground": "#e8ecf2",
    "card": "#ffffff",
    "shade": "#c9d1dd",
    "edge": "#dbe1ea",
    "well": "#f1f4f8",
    "sun": "#fff3d1",
    "moon": "#e3e8f8",
    "ink": "#1b2330",
    "muted": "#566172",
    "faint": "#a9b4c3",
    "frame": "#c3ccd9",
    "accent": "#6d3df2",
    "on-accent": "#ffffff",
    "trail": "#111827",
    "plain": "#e9e4fb",
    "plain-ink": "#7b5fd6",
    "blue": "#1f62d0",
    "turquoise": "#0f9f92",
    "red": "#d6352f",
    "yellow": "#f4b71e",
    "black": "#262c36",
    "rim": "#262c36",
    "special": "#8a63e8",
    "on-tile": "#ffffff",
    "on-yellow": "#5c3d00",
    "pale-blue": "#d9e6fb",
    "pale-turquoise": "#cdefeb",
    "pale-red": "#fbdedc",
    "pale-yellow": "#fdefc6",
    "pale-black": "#d8dce3",
    "glyph-blue": "#1f62d0",
    "glyph-turquoise": "#0b857a",
    "glyph-red": "#c92d27",
    "glyph-yellow": "#a87800",
    "glyph-black": "#3d4552",
}
DARK = LIGHT | {
    "ground": "#0f131a",
    "card": "#1a202a",
    "shade": "#0a0d12",
    "edge": "#343e4d",
    "well": "#141a23",
    "sun": "#3a311a",
    "moon": "#1f2740",
    "ink": "#eaeef5",
    "muted": "#a3aebd",
    "faint": "#566274",
    "frame": "#3b4656",
    "accent": "#a98bff",
    "on-accent": "#150b33",
    "trail": "#ffffff",
    "plain": "#2c2547",
    "plain-ink": "#b9a3ff",
    "blue": "#3b7ff0",
    "turquoise": "#1db5a6",
    "red": "#ec5049",
    "yellow": "#f6c03a",
    "black": "#07090c",
    "rim": "#7d899a",
    "special": "#9b78f5",
    "pale-blue": "#1a2f55",
    "pale-turquoise": "#0f3f3b",
    "pale-red": "#4a2124",
    "pale-yellow": "#463911",
    "pale-black": "#313945",
    "glyph-blue": "#7eaaf8",
    "glyph-turquoise": "#43cdbf",
    "glyph-red": "#f78a84",
    "glyph-yellow": "#f0bf45",
    "glyph-black": "#aab4c2",
}
COLOURS = ("blue", "turquoise", "red", "yellow", "black")
THEMES = ("light", "dark", "auto")

FONT = "'Azul Duel Sans','Inter','Segoe UI',system-ui,sans-serif"
"""The first is the one that comes with the package, for pictures; browsers take what they have."""

SHAPES = f"""
text{{font-family:{FONT};font-size:12px}}
.s{{font-size:11px}} .m{{font-size:13px}} .l{{font-size:15px}} .xl{{font-size:32px}}
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
.legal,.new,.from,.trail,.halo,.heat,.heat-label,.tip{{pointer-events:none}}
"""
"""What both themes share."""


@lru_cache
def style_sheet(theme: str, prefix: str) -> str:
    """Return the style sheet of a theme; "auto" follows the reader's setting.

    Rules hold inside the class ``{prefix}scope`` only, so that several drawings of a page, and the page, don't disturb each other. Symbols
    are styled where no selector knows what is around them: their classes begin with the prefix instead.
    """
    rules = _scoped(SHAPES, prefix) + _painted(DARK if theme == "dark" else LIGHT, prefix)
    if theme == "auto":
        rules += f"@media (prefers-color-scheme:dark){{{_painted(DARK, prefix)}}}"
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


def _painted(colours: dict[str, str], prefix: str) -> str:
    """Return the rules that paint."""
    c = colours
    rules = [f".f-{name}{{fill:{value}}} .k-{name}{{stroke:{value}}}" for name, value in c.items()]
    rules += [
        f"text{{fill:{c['ink']}}} .q{{fill:{c['muted']}}} .a{{fill:{c['accent']}}} .o{{fill:{c['on-accent']}}} .on{{fill:{c['card']}}}",
        f".legal{{stroke:{c['accent']}}} .from,.trail{{stroke:{c['trail']}}} .new{{stroke:{c['trail']}}}",
        f".heat{{fill:{c['accent']};stroke:{c['accent']}}} .slot{{stroke:{c['faint']}}}",
        f".tip{{fill:{c['trail']}}} .halo{{stroke:{c['card']}}}",
        f".card{{fill:{c['card']}}} .shade{{fill:{c['shade']}}} .well{{fill:{c['well']}}}",
    ]
    return _scoped("".join(rules), prefix)
