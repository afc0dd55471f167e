"""A window that shows pixels, by pygame-ce. Several may be open; one that the user closes stays closed, and nothing else happens."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

_OPEN: dict[int, Window] = {}
"""Open windows by pygame's number."""
_display_is_ours = False


class Window:
    """A window; it opens when first something is shown.

    A copy or pickle of it is another one, not open.

    Args:
        title: what its frame says.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.is_closed = False
        self._window: Any = None
        self._clock: Any = None

    def __reduce__(self) -> tuple[type[Window], tuple[str]]:
        return Window, (self.title,)

    def show(self, pixels: NDArray[np.uint8], fps: float) -> None:
        """Show pixels, uint8 (height, width, 3), and wait so long that no more than ``fps`` are shown a second.

        Does nothing once the user has closed the window.
        """
        if self.is_closed:
            return
        pygame = _pygame()
        height, width, _ = pixels.shape
        if self._window is None:
            self._open(width, height)
        surface = pygame.image.frombuffer(np.ascontiguousarray(pixels), (width, height), "RGB")
        self._window.get_surface().blit(surface, (0, 0))
        self._window.flip()
        if pygame.display.get_driver() != "dummy":  # where nobody looks nobody waits
            self._clock.tick(fps)
        _hear()

    def _open(self, width: int, height: int) -> None:
        global _display_is_ours
        pygame = _pygame()
        if not pygame.display.get_init():
            pygame.display.init()
            _display_is_ours = True
        self._window = pygame.Window(self.title, (width, height))
        self._clock = pygame.time.Clock()
        _OPEN[self._window.id] = self

    def close(self) -> None:
        """Close the window; nothing is shown afterwards. The display ends with its last window, if it began with one of ours."""
        global _display_is_ours
        self.is_closed = True
        if self._window is None:
            return
        _OPEN.pop(self._window.id, None)
        self._window.destroy()
        self._window = None
        if not _OPEN and _display_is_ours:
            _pygame().display.quit()
            _display_is_ours = False


def _hear() -> None:
    """Close the windows that the user wants closed."""
    pygame = _pygame()
    for event in pygame.event.get():
        if event.type == pygame.QUIT:
            for window in list(_OPEN.values()):
                window.close()
        elif event.type == pygame.WINDOWCLOSE and getattr(event, "window", None) is not None:
            closed = _OPEN.get(event.window.id)
            if closed is not None:
                closed.close()
        if not pygame.display.get_init():
            return


def check_window() -> None:
    """Find out whether windows can be shown.

    Raises:
        ImportError: pygame-ce is not installed.
    """
    if find_spec("pygame") is None:
        raise ImportError("render_mode 'human' needs pygame-ce: pip install pygame-ce")


def _pygame() -> Any:
    """Return pygame, imported only now, and without its greeting."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    return pygame
