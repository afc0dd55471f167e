"""How environments show a game: as text, returned or printed."""

from __future__ import annotations

import gymnasium

from azul_duel_env.game import Position

RENDER_MODES = ("ansi", "human")


def check_render_mode(mode: str | None) -> None:
    """Check an argument ``render_mode``.

    Raises:
        ValueError: no mode.
    """
    if mode not in (None, *RENDER_MODES):
        raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)}, or None, not {mode!r}")


def show(position: Position, mode: str | None) -> str | None:
    """Return the table as text, or print it, as the mode says; without one, warn."""
    if mode is None:
        gymnasium.logger.warn(f"render() draws nothing: make the environment with render_mode={RENDER_MODES[0]!r}")
        return None
    text = str(position)
    if mode == "human":
        print(text)
        return None
    return text
