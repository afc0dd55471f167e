"""Films of played games: GIF, MP4, or a page that plays it by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import chain, pairwise
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.arena.game_file import Record
from azul_duel_env.arena.scenes import Scene, names_of, resting_scenes, scenes_of, seat_of
from azul_duel_env.system.files import replaced
from azul_duel_env.view.picture import LAYOUTS
from azul_duel_env.view.render import image

KINDS = (".gif", ".mp4", ".html")
PICTURE_KINDS = (".svg", ".png")
GIF_COLOURS = 128
SAME = 255
"""What stands in a GIF for a pixel that stays as it is; it is no colour of the palette."""
LAST_SECONDS = 3.0
"""How long the last frame of a GIF or MP4 stays."""

Report = Callable[[int, int], Any]
"""Is called with the number of each scene that is done, from 1, and how many there are."""


# Files ----------------------------------------------------------------------------------------
def write_film(
    record: Record,
    file: Path,
    *,
    theme: str = "auto",
    seat: int | None = None,
    width: int = 800,
    fps: float = 2.0,
    report: Report = lambda *_: None,
) -> None:
    """Write a game as a film. The file is whole or stays as it was.

    Args:
        record: the game, finished or not.
        file: ``.gif``, ``.mp4`` or ``.html``.
        theme: ``"light"``, ``"dark"`` or ``"auto"``: as the reader's browser is set; light in a GIF or MP4.
        seat: the point of view: whose board is below, and who may know what is shown; None for that of the only person, else the first.
        width: pixels, an even number; a page fills its window.
        fps: decisions a second; what follows a decision is shown longer, see ``scenes.LENGTHS``.
        report: see ``Report``.

    Raises:
        ValueError: another ending, theme or seat, a width or speed that can't be, or what the kind of file needs is not installed.
        OSError: the file can't be written.
    """
    check_film(file)
    if not 0.1 <= fps <= 50:
        raise ValueError(f"fps must be 0.1 to 50, not {fps}")
    if width < 160 or width % 2:
        raise ValueError(f"width must be an even number of at least 160, not {width}")
    seat = seat_of(record) if seat is None else seat
    scenes = scenes_of(record, seat)
    with replaced(file) as temporary:
        if file.suffix.lower() == ".html":
            temporary.write_text(page_of(record, scenes, theme, seat, fps, report), encoding="utf-8")
        else:
            frames = _frames(record, scenes, "light" if theme == "auto" else theme, seat, width, report)
            lengths = [scene.length for scene in scenes]
            (_write_gif if file.suffix.lower() == ".gif" else _write_mp4)(temporary, frames, lengths, fps)


def check_film(file: Path) -> None:
    """Find out whether a film of this kind can be written.

    Raises:
        ValueError: another ending, or what it needs is not installed.
    """
    if file.suffix.lower() not in KINDS:
        raise ValueError(f"a film must end with one of {', '.join(KINDS)}, not {file.name!r}")
    if file.suffix.lower() == ".mp4":
        try:
            import imageio_ffmpeg  # noqa: F401
        except ImportError:
            raise ValueError("an MP4 film needs imageio-ffmpeg: pip install 'azul_duel_env[video]'") from None


def write_picture(
    record: Record,
    file: Path,
    decision: int | None = None,
    *,
    theme: str = "light",
    seat: int | None = None,
    width: int = 800,
    layout: str = "wide",
    legal: bool = False,
) -> None:
    """Write the table after so many decisions of a game as a picture. The file is whole or stays as it was.

    Args:
        record: the game.
        file: ``.svg`` or ``.png``.
        decision: how many decisions were made; all of the record if left out.
        theme: as in ``write_film``; a PNG is light if it is ``"auto"``.
        seat: as in ``write_film``.
        width: pixels.
        layout: ``"wide"`` or ``"narrow"``.
        legal: whether legal actions are outlined.

    Raises:
        ValueError: another ending, theme, seat or layout, or no such decision.
        OSError: the file can't be written.
    """
    kind = file.suffix.lower()
    if kind not in PICTURE_KINDS:
        raise ValueError(f"a picture must end with one of {', '.join(PICTURE_KINDS)}, not {file.name!r}")
    seat = seat_of(record) if seat is None else seat
    scenes = resting_scenes(record, seat)
    at = len(scenes) - 1 if decision is None else decision
    if not 0 <= at < len(scenes):
        raise ValueError(f"decision must be 0 to {len(scenes) - 1} in this game, not {decision}")
    scene = scenes[at]
    how = {"legal": scene.position.legal_actions()} if legal else {}
    shown = "light" if kind == ".png" and theme == "auto" else theme
    picture = scene.picture(names_of(record), theme=shown, seat=seat, layout=layout, note=scene.words, **how)
    with replaced(file) as temporary:
        if kind == ".svg":
            temporary.write_text(picture.svg(width), encoding="utf-8")
        else:
            image(picture, width).save(temporary, optimize=True)


# GIF and MP4 ----------------------------------------------------------------------------------
def _frames(record: Record, scenes: list[Scene], theme: str, seat: int, width: int, report: Report) -> Iterator[Any]:
    """Yield the scenes as images of Pillow."""
    names = names_of(record)
    for number, scene in enumerate(scenes, 1):
        note = "" if scene.card else scene.words
        yield image(scene.picture(names, theme=theme, seat=seat, note=note), width)
        report(number, len(scenes))


def _write_gif(file: Path, frames: Iterator[Any], lengths: list[float], fps: float) -> None:
    """Write an animated GIF with one palette for all frames; each but the first holds only what changes, the rest is transparent."""
    images = [np.asarray(one) for one in frames]
    palette = _palette(images)
    nearest = _Nearest(palette)
    indices = [nearest(one) for one in images]
    changes = [np.where(now == then, SAME, now).astype(np.uint8) for then, now in pairwise(indices)]
    first, *others = [_as_palette_image(one, palette) for one in (indices[0], *changes)]
    durations = [round(1000 * length / fps) for length in lengths[:-1]] + [round(1000 * LAST_SECONDS)]
    first.save(
        file,
        format="GIF",
        save_all=True,
        append_images=others,
        duration=durations,
        loop=0,
        transparency=SAME,
        disposal=1,
        optimize=False,
    )


def _codes(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return each colour as one number below 2**24."""
    return pixels.astype(np.int64) @ (1 << 16, 1 << 8, 1)


def _palette(images: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return the most frequent colours of some frames from all over the film: all that fill an area are among them."""
    codes = np.concatenate([_codes(one).ravel() for one in images[:: max(1, len(images) // 8)]])
    known, counts = np.unique(codes, return_counts=True)
    frequent = known[np.argsort(-counts, kind="stable")[:GIF_COLOURS]]
    return np.stack([frequent >> 16, frequent >> 8 & 255, frequent & 255], axis=1).astype(np.uint8)


class _Nearest:
    """Finds the place of the nearest colour in a palette, and remembers it."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        self._palette = palette.astype(np.int64)
        self._places = np.full(1 << 24, SAME, np.uint8)

    def __call__(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the places for pixels (height, width, 3)."""
        codes = _codes(pixels)
        new = np.unique(codes[self._places[codes] == SAME])
        for some in np.array_split(new, len(new) // 1024 + 1):
            colours = np.stack([some >> 16, some >> 8 & 255, some & 255], axis=1)
            distances = ((colours[:, None] - self._palette[None]) ** 2).sum(axis=2)
            self._places[some] = distances.argmin(axis=1)
        return self._places[codes]


def _as_palette_image(indices: NDArray[np.uint8], palette: NDArray[np.uint8]) -> Any:
    """Return an image of Pillow from places in a palette."""
    from PIL import Image

    image = Image.fromarray(indices)
    image.putpalette(np.resize(palette, (256, 3)).tobytes())
    return image


def _write_mp4(file: Path, frames: Iterator[Any], lengths: list[float], fps: float) -> None:
    """Write an MP4 film (H.264, as browsers and phones play it) by ffmpeg.

    Raises:
        OSError: ffmpeg could not write it.
    """
    rate = 2 * fps  # scenes are shown for halves of a decision's time: see ``scenes.LENGTHS``
    counts = [round(2 * length) for length in lengths[:-1]] + [round(LAST_SECONDS * rate)]
    first = next(frames)
    with Popen(_ffmpeg_command(file, first.size, rate), stdin=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for frame, count in zip(chain([first], frames), counts, strict=True):
                process.stdin.write(frame.tobytes() * max(1, count))
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended, and says why
        said = process.stderr.read().decode(errors="replace").strip()
    if process.returncode:
        raise OSError(f"ffmpeg could not write the film: {'; '.join(said.splitlines()) or 'it said nothing'}")


def _ffmpeg_command(file: Path, size: tuple[int, int], rate: float) -> list[str]:
    """Return the command that makes a film of raw pixels from its standard input."""
    import imageio_ffmpeg

    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", f"{rate:g}", "-i", "-"]
    film = ["-an", "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    return [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *source, *film, str(file)]


# A page ---------------------------------------------------------------------------------------
def page_of(
    record: Record,
    scenes: list[Scene],
    theme: str,
    seat: int,
    fps: float,
    report: Report = lambda *_: None,
    *,
    plays: bool = True,
    layouts: Sequence[str] = LAYOUTS,
) -> str:
    """Return a page that plays the game: each piece of the pictures is in it once, and frames are lists of pieces.

    Args:
        record: the game.
        scenes: what is shown of it.
        theme: as in ``write_film``.
        seat: likewise, but not None.
        fps: likewise.
        report: likewise.
        plays: whether it begins to play by itself, unless the reader wants no motion.
        layouts: the arrangements that it holds.
    """
    names = names_of(record)
    numbers: dict[str, int] = {}
    frames: dict[str, Any] = {}
    data: dict[str, Any] = {"names": names, "fps": fps, "theme": theme, "plays": plays, "layouts": frames, "scenes": []}
    for number, scene in enumerate(scenes, 1):
        data["scenes"].append(_entry(scene, names))
        for layout in layouts:
            picture = scene.picture(names, theme="auto", seat=seat, layout=layout)
            place = frames.setdefault(layout, {"width": picture.width, "heights": [], "frames": []})
            place["heights"].append(picture.height)
            place["frames"].append([numbers.setdefault(piece.svg, len(numbers)) for piece in picture.pieces])
        report(number, len(scenes))
    data["pieces"] = list(numbers)
    template = files("azul_duel_env.arena").joinpath("film.html").read_text(encoding="utf-8")
    parts = {
        "title": escape(f"{record.game.full_title}: {' - '.join(names)}"),
        "style": picture.style,
        "scope": picture.scope,
        "symbols": "".join(picture.symbols.values()),
        "data": _script_safe(json.dumps(data, ensure_ascii=False, separators=(",", ":"))),
    }
    for name, value in parts.items():
        template = template.replace(f"<!--{name}-->" if name != "style" else "/*style*/", value)
    return template


def _entry(scene: Scene, names: tuple[str, ...]) -> dict[str, Any]:
    """Return what a page tells of a scene."""
    position = scene.position
    return {
        "number": scene.number,
        "player": scene.player,
        "words": scene.words,
        "told": scene.told,
        "gains": [[names[player], points] for player, points in scene.gains],
        "follows": scene.follows,
        "length": scene.length,
        "round": position.round_number,
        "round_name": position.game.display.round_name(position.round_number),
        "scores": position.scores,
    }


def _script_safe(text: str) -> str:
    """Return JSON that can stand in a script element: nothing in it ends or begins one, or a comment."""
    return re.sub(r"<(?=!|script)", r"\\u003c", text.replace("</", "<\\/"), flags=re.IGNORECASE)
