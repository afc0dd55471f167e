"""SVG, the little that the drawing needs: a canvas, the look of tiles and spaces, and the themes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from math import cos, pi, sin

from azul_duel_env.duel.components import CHIP_SHOWS, NUM_COLOURS, SPECIAL, WILD

Box = tuple[float, float, float, float]
"""x, y, width, height."""

FONT = "Azul Duel Sans, DejaVu Sans, Verdana, sans-serif"
UNIT = 28
"""Side of the square in which a tile or space is designed."""

PAINT = {
    "light": {
        "ground": "#eceff4",
        "card": "#ffffff",
        "edge": "#d5dbe6",
        "well": "#f0f2f7",
        "well-edge": "#c3cbd9",
        "ink": "#1d2433",
        "muted": "#5a6478",
        "sun": "#fdf0cd",
        "moon": "#3c4766",
        "moon-well": "#56628a",
        "dome": "#dfd6c6",
        "dome-edge": "#bfb29b",
        "accent": "#7c3aed",
        "last": "#e8590c",
        "chip-back": "#98a2b8",
        "free": "#ffffff",
    },
    "dark": {
        "ground": "#12161f",
        "card": "#1c2230",
        "edge": "#303a4e",
        "well": "#252d3e",
        "well-edge": "#465270",
        "ink": "#eef1f8",
        "muted": "#a3aec4",
        "sun": "#4a4126",
        "moon": "#0c1020",
        "moon-well": "#2b3554",
        "dome": "#4b4538",
        "dome-edge": "#6d644f",
        "accent": "#b794ff",
        "last": "#ff9248",
        "chip-back": "#5d6880",
        "free": "#c4c9d6",
    },
}
TILE_PAINT = ("#2b66d9", "#12a594", "#d43d2f", "#f3b61f", "#2e323c", "#8450c9")
"""Of the five colours and of the special tile."""
GLYPH_PAINT = ("#ffffff", "#ffffff", "#ffffff", "#5b3d00", "#ffffff", "#ffffff")


def _star(points: int, outer: float, inner: float) -> str:
    """Return the path of a star around the origin."""
    corners = []
    for corner in range(2 * points):
        radius, angle = (outer, inner)[corner % 2], pi * corner / points
        corners.append(f"{radius * sin(angle):.2f} {-radius * cos(angle):.2f}")
    return f"M{'L'.join(corners)}Z"


GLYPHS = (
    "M0-7.5 7.5 0 0 7.5-7.5 0Z",
    "M0-7a7 7 0 1 0 .01 0ZM0-3.6a3.6 3.6 0 1 1-.01 0Z",
    "M-2.3-7h4.6v4.7h4.7v4.6h-4.7v4.7h-4.6v-4.7h-4.7v-4.6h4.7Z",
    _star(4, 8.5, 3),
    "M-7-5.2h14v3.9h-14ZM-7 1.3h14v3.9h-14Z",
    _star(8, 8, 5.2),
)
"""A shape for each colour, so that nobody must tell colours apart: diamond, ring, cross, star, bars; and for special tiles a flower."""


class Canvas:
    """An SVG that grows, and remembers where its parts are.

    Attributes:
        boxes: the places of each part, by its key.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self.boxes: dict[str, list[Box]] = {}

    def add(self, line: str) -> None:
        """Append a piece of SVG."""
        self._lines.append(line)

    def rect(self, box: Box, style: str, radius: float = 6) -> None:
        """Draw a rectangle with round corners."""
        x, y, width, height = box
        self.add(f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"/>')

    def circle(self, x: float, y: float, radius: float, style: str) -> None:
        """Draw a circle."""
        self.add(f'<circle class="{style}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')

    def text(self, x: float, y: float, words: object, style: str = "ink") -> None:
        """Write; the anchor and size are the style's."""
        self.add(f'<text class="{style}" x="{x:g}" y="{y:g}">{escape(str(words))}</text>')

    def symbol(self, name: str, x: float, y: float, size: float) -> None:
        """Draw a tile, a space or a chip, its upper left corner at x, y."""
        self.add(f'<use href="#{name}" x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}"/>')

    def place(self, key: str, box: Box) -> None:
        """Remember where something is."""
        self.boxes.setdefault(key, []).append(box)

    @contextmanager
    def part(self, key: str, words: str, box: Box) -> Iterator[None]:
        """Draw a part that can be picked: what is drawn inside belongs to it."""
        self.place(key, box)
        self.add(f'<g data-part="{key}" aria-label="{escape(words)}">')
        self.rect(box, "hit", 5)
        yield
        self.add("</g>")

    def svg(self, width: float, height: float, theme: str, shown_width: int | None, title: str) -> str:
        """Return the whole picture."""
        shown = "" if shown_width is None else f' width="{shown_width}" height="{round(shown_width * height / width)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"{shown} class="azul {theme}" role="img">'
        return "".join([head, f"<title>{escape(title)}</title>", style_of(theme), SYMBOLS, *self._lines, "</svg>"])


# The style sheet ------------------------------------------------------------------------------
def _rules(scope: str, paint: dict[str, str]) -> str:
    """Return the style of one theme, for pictures of one class."""
    rules = {
        "ground": f"fill:{paint['ground']}",
        "card": f"fill:{paint['card']};stroke:{paint['edge']}",
        "mine": f"fill:{paint['card']};stroke:{paint['accent']};stroke-width:2.5",
        "well": f"fill:{paint['well']};stroke:{paint['well-edge']};stroke-dasharray:3 2.5",
        "sun": f"fill:{paint['sun']}",
        "moon": f"fill:{paint['moon']}",
        "moonwell": f"fill:{paint['moon-well']}",
        "dome": f"fill:{paint['dome']};stroke:{paint['dome-edge']}",
        "free": f"fill:{paint['free']}",
        "ink": f"fill:{paint['ink']}",
        "bold": f"fill:{paint['ink']};font-weight:bold",
        "score": f"fill:{paint['ink']};font-weight:bold;font-size:22px;text-anchor:end",
        "muted": f"fill:{paint['muted']}",
        "end": f"fill:{paint['muted']};text-anchor:end",
        "mid": f"fill:{paint['muted']};text-anchor:middle",
        "badge": "fill:#fff;text-anchor:middle;font-weight:bold",
        "token": f"fill:{paint['accent']}",
        "spent": f"fill:none;stroke:{paint['well-edge']}",
        "back": f"fill:{paint['chip-back']}",
        "mini": f"fill:{paint['well-edge']}",
        "minion": f"fill:{paint['accent']}",
        "first": f"fill:{paint['accent']}",
        "legal": f"fill:{paint['accent']};fill-opacity:.07;stroke:{paint['accent']};stroke-width:2;stroke-dasharray:4 3",
        "last": f"fill:none;stroke:{paint['last']};stroke-width:2.5",
        "heat": f"fill:{paint['last']}",
        "heatlabel": f"fill:{paint['last']}",
        "hit": "fill:transparent",
    }
    return "".join(f"{scope} .{name}{{{rule}}}" for name, rule in rules.items())


def style_of(theme: str) -> str:
    """Return the style sheet of a theme; ``auto`` follows the reader's.

    Raises:
        ValueError: there is no such theme.
    """
    themes = (*PAINT, "auto")
    if theme not in themes:
        raise ValueError(f"theme must be one of {', '.join(themes)}, not {theme!r}")
    text = f".azul text{{font-family:{FONT};font-size:12px}}"
    if theme != "auto":
        return f"<style>{text}{_rules(f'.{theme}', PAINT[theme])}</style>"
    dark = f"@media (prefers-color-scheme:dark){{{_rules('.auto', PAINT['dark'])}}}"
    return f"<style>{text}{_rules('.auto', PAINT['light'])}{dark}</style>"


# Tiles, spaces and chips ----------------------------------------------------------------------
def _symbol(name: str, content: str) -> str:
    half = UNIT / 2
    return f'<symbol id="{name}" viewBox="{-half:g} {-half:g} {UNIT} {UNIT}">{content}</symbol>'


def _tile(kind: int) -> str:
    shape = f'<rect x="-13" y="-13" width="26" height="26" rx="5" fill="{TILE_PAINT[kind]}" stroke="#000" stroke-opacity=".25"/>'
    shine = '<rect x="-11.5" y="-11.5" width="23" height="23" rx="4" fill="none" stroke="#fff" stroke-opacity=".3"/>'
    return _symbol(f"tile-{kind}", f'{shape}{shine}<path d="{GLYPHS[kind]}" fill="{GLYPH_PAINT[kind]}"/>')


FREE = '<rect class="free" x="-13" y="-13" width="26" height="26" rx="5"/>'


def _space(kind: int) -> str:
    """Return an empty space of the dome: the tile's glyph on a pale ground of its colour."""
    paint = TILE_PAINT[kind]
    place = 'x="-12.5" y="-12.5" width="25" height="25" rx="4"'
    ground = f'<rect {place} fill="{paint}" fill-opacity=".3" stroke="{paint}" stroke-width="1.2"/>'
    return _symbol(f"space-{kind}", f'{FREE}{ground}<path d="{GLYPHS[kind]}" fill="{paint}"/>')


def _dots(ring: float, radius: float) -> str:
    """Return a dot of each colour, in a ring: the sign of wild spaces."""
    turns = [2 * pi * colour / NUM_COLOURS for colour in range(NUM_COLOURS)]
    return "".join(
        f'<circle cx="{ring * sin(turn):.2f}" cy="{-ring * cos(turn):.2f}" r="{radius}" fill="{paint}"/>'
        for turn, paint in zip(turns, TILE_PAINT, strict=False)
    )


def _chip_half(colour: int) -> str:
    """Return a chip of one colour; a second one is drawn over its right half."""
    glyph = f'<path transform="scale(.75)" d="{GLYPHS[colour]}" fill="{GLYPH_PAINT[colour]}"/>'
    return f'<circle r="12.5" fill="{TILE_PAINT[colour]}" stroke="#000" stroke-opacity=".25"/>{glyph}'


def _chip_of_two(left: int, right: int) -> str:
    """Return a chip of two colours."""
    halves = (
        f'<path d="M0-12.5a12.5 12.5 0 0 0 0 25Z" fill="{TILE_PAINT[left]}"/>'
        f'<path d="M0-12.5a12.5 12.5 0 0 1 0 25Z" fill="{TILE_PAINT[right]}"/>'
    )
    glyphs = "".join(
        f'<path transform="translate({x} 0) scale(.55)" d="{GLYPHS[colour]}" fill="{GLYPH_PAINT[colour]}"/>'
        for x, colour in ((-6, left), (6, right))
    )
    return f'{halves}<circle r="12.5" fill="none" stroke="#000" stroke-opacity=".25"/>{glyphs}'


def _chips() -> list[str]:
    symbols = [
        _symbol(
            "chip-back",
            '<circle class="back" r="12.5"/><circle r="8" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="2"/>',
        )
    ]
    for kind, shows in enumerate(CHIP_SHOWS):
        colours = [colour for colour in range(NUM_COLOURS) if shows[colour]]
        symbols.append(_symbol(f"chip-{kind}", _chip_half(*colours) if len(colours) == 1 else _chip_of_two(*colours)))
    return symbols


def _backs() -> list[str]:
    """Return the backs of dome tiles: with the sign of a special or a wild space, or plain."""
    ground = '<rect class="dome" x="-13" y="-13" width="26" height="26" rx="4"/>'
    special = f'<path d="{GLYPHS[SPECIAL]}" fill="{TILE_PAINT[SPECIAL]}"/>'
    signs = {"special": special, "wild": _dots(5.6, 2.9), "unknown": ""}
    return [_symbol(f"back-{name}", ground + sign) for name, sign in signs.items()]


def _all_symbols() -> str:
    kinds = range(NUM_COLOURS + 1)
    drawn = [
        *map(_tile, kinds),
        *map(_space, kinds),
        _symbol(f"space-{WILD}", FREE + _dots(6.4, 3.3)),
        *_chips(),
        *_backs(),
    ]
    return f"<defs>{''.join(drawn)}</defs>"


SYMBOLS = _all_symbols()
