"""How environments show a game: as text, as pixels, or in a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.batch import Batch
from azul_duel_env.game import Position, States, as_index, copy_of
from azul_duel_env.view.picture import THEMES
from azul_duel_env.view.render import pixels
from azul_duel_env.view.window import Window, check_window

RENDER_MODES = ("human", "rgb_array", "ansi")
VECTOR_RENDER_MODES = ("rgb_array", "ansi")
RENDER_FPS = 4
LEAST_WIDTH = 160

Frame = str | NDArray[np.uint8] | None
"""What ``render()`` returns: text, pixels uint8 (height, width, 3), or nothing."""


class Renderer:
    """Shows positions of one game, and what has changed since the one before.

    Args:
        mode: ``"human"``: a window; ``"rgb_array"``: pixels; ``"ansi"``: text; or None.
        theme: ``"light"`` or ``"dark"``, of pictures.
        width: of pictures, pixels, an even number; heights are even too, as video formats want it.
        modes: those that are offered.

    Raises:
        ValueError: an argument that is none of these.
        ImportError: what the mode needs is not installed.
    """

    def __init__(
        self, mode: str | None, theme: str = "light", width: int = 800, modes: Sequence[str] = RENDER_MODES
    ) -> None:
        if mode not in (None, *modes):
            raise ValueError(f"render_mode must be one of {', '.join(modes)}, or None, not {mode!r}")
        if theme not in THEMES:
            raise ValueError(f"render_theme must be one of {', '.join(THEMES)}, not {theme!r}")
        if as_index(width) < LEAST_WIDTH or width % 2:
            raise ValueError(f"render_width must be an even number of at least {LEAST_WIDTH}, not {width!r}")
        if mode == "human":
            check_window()
        self.theme, self.width = theme, int(width)
        self._before: States | None = None
        self._action: int | None = None
        self._window: Window | None = None

    def remember(self, before: States, action: int | None = None) -> None:
        """Remember states before a step, and the action that was taken in the first, if it is known: pictures show what it changed."""
        self._before, self._action = copy_of(before), action

    def forget(self) -> None:
        """Forget what was before: a new episode begins."""
        self._before = self._action = None

    def frame(
        self, position: Position, seat: int = 0, names: Sequence[str] | None = None, row: int | None = 0
    ) -> NDArray[np.uint8]:
        """Return a position as pixels.

        Args:
            position: what is shown.
            seat: the point of view.
            names: of the players.
            row: its place among the states remembered; None if it follows from none of them.
        """
        how: dict[str, Any] = {} if names is None else {"names": names}
        if self._before is not None and row is not None and self._before["decisions"][row] < position.decisions:
            how |= {
                "before": self._before[row],
                "last_action": self._action,
                "note": self._note(position, seat, names, row),
            }
        return pixels(position.game.display.picture(position.states[0], theme=self.theme, seat=seat, **how), self.width)

    def _note(self, position: Position, seat: int, names: Sequence[str] | None, row: int) -> str:
        """Return the action remembered in words, no more than a seat may know; "" if it is not known."""
        if self._before is None or self._action is None:
            return ""
        shown = [f"player_{player}" for player in range(position.game.num_players)] if names is None else names
        return position.game.display.describe(self._action, self._before[row], shown, seat)

    def show(self, mode: str | None, position: Position, seat: int = 0, names: Sequence[str] | None = None) -> Frame:
        """Return a position as text or pixels, or show it in the window, as the mode says; without one, warn."""
        if mode is None:
            message = "render() draws nothing: make the environment with render_mode='rgb_array', 'human' or 'ansi'"
            gymnasium.logger.warn(message)
            return None
        if mode == "ansi":
            return str(position)
        frame = self.frame(position, seat, names)
        if mode == "rgb_array":
            return frame
        if self._window is None:
            self._window = Window(position.game.title)
        self._window.show(frame, RENDER_FPS)
        return None

    def copy(self) -> Renderer:
        """Return a renderer with the same memory and no window."""
        other = Renderer(None, self.theme, self.width)
        other._before, other._action = self._before, self._action
        return other

    def close(self) -> None:
        """Close the window; it doesn't open again."""
        if self._window is not None:
            self._window.close()


def frames_of(batch: Batch, renderer: Renderer) -> list[NDArray[np.uint8]]:
    """Return a picture of each row, from the point of view of its learner."""
    frames = []
    for row in range(batch.num_games):
        position = Position(batch.game, batch.states[row : row + 1])
        before = row if batch.rows["steps"][row] > 0 else None  # a new game has begun since
        frames.append(renderer.frame(position, int(batch.rows["seat"][row]), batch.names_of(row), before))
    return frames
