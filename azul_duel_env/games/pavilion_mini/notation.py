"""States as text that a player can read, both ways and exactly."""

from __future__ import annotations

import numpy as np

from azul_duel_env.games.pavilion_mini.state import STATES

HEADER = "azul/pavilion_mini-v0"


def write(states: np.ndarray, i: int) -> str:
    """Return a state as text."""
    return f"{HEADER} {len(states['scores'][i])} {states[i : i + 1].tobytes().hex()}\n"


def read(text: str) -> np.ndarray:
    """Return the state that a text holds."""
    _, players, data = text.split()
    return np.frombuffer(bytes.fromhex(data), STATES[int(players)]).copy()


def board(states: np.ndarray, i: int) -> str:
    """Return what everybody sees."""
    return f"points {states['scores'][i].tolist()}"
