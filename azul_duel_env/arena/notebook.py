"""A game to step through in a notebook: plain HTML, without widgets, that works in exported notebooks too."""

from __future__ import annotations

from functools import cached_property
from html import escape

from azul_duel_env.arena.film import page_of
from azul_duel_env.arena.game_file import Record
from azul_duel_env.arena.scenes import names_of, scenes_of, seat_of
from azul_duel_env.view.drawing.styles import THEMES

LEAST_HEIGHT = 240


class GameView:
    """A game as the value of a notebook's cell: the table, the moves in words, a slider and buttons to step through it.

    All of it is in the output, in a frame of its own that can reach neither the notebook nor the network; so it works without a running
    kernel, in ``nbconvert --to html`` as well. A game takes about a megabyte.

    Args:
        record: the game, finished or not: as ``read_record`` or ``record_game`` gives it.
        seat: the point of view; None for that of the only person, else the first.
        theme: ``"light"``, ``"dark"`` or ``"auto"``: as the reader's browser is set.
        height: of the frame, in pixels, at least 240; it is as wide as the cell.
        fps: decisions a second, where the reader lets it play.

    Raises:
        ValueError: no such seat or theme, or a height or speed that can't be.
    """

    def __init__(
        self, record: Record, *, seat: int | None = None, theme: str = "auto", height: int = 640, fps: float = 2.0
    ) -> None:
        if theme not in THEMES:
            raise ValueError(f"theme must be one of {', '.join(THEMES)}, not {theme!r}")
        if height < LEAST_HEIGHT:
            raise ValueError(f"height must be at least {LEAST_HEIGHT} pixels, not {height!r}")
        if not 0.1 <= fps <= 50:
            raise ValueError(f"fps must be 0.1 to 50, not {fps!r}")
        self._record, self._seat = record, seat_of(record) if seat is None else seat
        self._theme, self._height, self._fps = theme, height, fps
        self._scenes = scenes_of(record, self._seat)

    def __repr__(self) -> str:
        names = " - ".join(names_of(self._record))
        return f"<GameView of {self._record.game.full_title}: {names}, {self._scenes[-1].number} decisions>"

    @cached_property
    def page(self) -> str:
        """The page that is shown, as HTML."""
        return page_of(self._record, self._scenes, self._theme, self._seat, self._fps, plays=False, layouts=("wide",))

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        frame = f"width:100%;height:{self._height}px;border:0;border-radius:12px"
        title = escape(repr(self).strip("<>"), quote=True)
        page = escape(self.page, quote=True)
        return f'<iframe sandbox="allow-scripts" title="{title}" style="{frame}" srcdoc="{page}"></iframe>'
