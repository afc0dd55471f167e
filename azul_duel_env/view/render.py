"""Pictures as pixels, the same on every machine: by resvg, with the font that comes with the package.

Each piece of a picture is painted once and kept, since most of a table stays as it is from one decision to the next.
"""

from __future__ import annotations

import io
import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.view.picture import Picture, Piece

FONTS = Path(__file__).parent / "fonts"
KEPT_SPRITES = 8192


def pixels(picture: Picture, width: int = 800) -> NDArray[np.uint8]:
    """Return a picture as pixels: fresh uint8 (height, width, 3), red, green, blue. The height follows from the width, and is even.

    Raises:
        ValueError: a width below 1.
        ImportError: resvg_py or Pillow is not installed.
    """
    return np.array(image(picture, width))


def image(picture: Picture, width: int = 800) -> Any:
    """Return a picture as a fresh image of Pillow, in RGB; see ``pixels``."""
    from PIL import Image

    if width < 1:
        raise ValueError(f"width must be at least 1 pixel, not {width!r}")
    scale = width / picture.width
    canvas = Image.new("RGB", (width, 2 * max(1, round(picture.height * scale / 2))))
    sprite_of = _painter(_Kind(picture), scale)
    for piece in picture.pieces:
        sprite = sprite_of(piece)
        if sprite is not None:
            colours, mask, place = sprite
            canvas.paste(colours, place, mask)
    return canvas


class _Kind:
    """What all pictures of a kind share: their style and symbols. Equal if those are the same."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._key = (picture.style, tuple(picture.symbols))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kind) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(16)
def _painter(kind: _Kind, scale: float) -> Any:
    """Return a function that paints a piece of this kind of picture, and remembers it."""

    @lru_cache(KEPT_SPRITES)
    def paint(piece: Piece) -> tuple[Any, Any, tuple[int, int]] | None:
        return _paint(kind.picture, piece, scale)

    return paint


def _paint(picture: Picture, piece: Piece, scale: float) -> tuple[Any, Any, tuple[int, int]] | None:
    """Return a piece as an image, its mask, and its place in pixels; None if nothing of it shows."""
    from PIL import Image

    x, y, w, h = piece.extent
    left, top = math.floor(x * scale), math.floor(y * scale)
    wide, high = math.ceil((x + w) * scale) - left, math.ceil((y + h) * scale) - top
    used = dict.fromkeys(re.findall(r'href="#([^"]+)"', piece.svg))
    symbols = "".join(picture.plain(picture.symbols[name]) for name in used)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" preserveAspectRatio="none" '
        f'viewBox="{left / scale!r} {top / scale!r} {wide / scale!r} {high / scale!r}">'
        f"<defs>{symbols}</defs>{picture.plain(piece.svg)}</svg>"
    )
    painted = Image.open(io.BytesIO(png_of(svg))).convert("RGBA")
    box = painted.getchannel("A").getbbox()
    if box is None:
        return None
    shown = painted.crop(box)
    return shown.convert("RGB"), shown.getchannel("A"), (left + box[0], top + box[1])


def png_of(svg: str) -> bytes:
    """Return an SVG image as a PNG file, with no font but ours.

    Raises:
        ImportError: resvg_py is not installed.
    """
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=_font_files()))


@lru_cache
def _font_files() -> list[str]:
    return sorted(str(file) for file in FONTS.glob("*.ttf"))
