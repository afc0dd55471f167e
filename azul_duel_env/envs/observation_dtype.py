"""Observations as bytes: a quarter of the memory of a replay buffer.

Each number x in [0, 1] becomes 255 x, rounded. Divide by 255 to get it back: exactly where it is a multiple of 1/255, as 0, 1, and fifths
are; elsewhere it is off by 1/510 at most. ``Game.rounded_blocks`` names the blocks of an observation in which there are such numbers;
advice behind them is rounded too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

OBSERVATION_DTYPES = ("float32", "uint8")
MOST = 255


def observation_dtype_of(value: Any) -> str:
    """Return the name of a dtype that observations can have.

    Raises:
        ValueError: it is none of them.
    """
    for name in OBSERVATION_DTYPES:
        if isinstance(value, (str, type, np.dtype)) and value in (name, np.dtype(name), np.dtype(name).type):
            return name
    raise ValueError(f"observation_dtype must be {' or '.join(OBSERVATION_DTYPES)}, not {value!r}")


def as_bytes(observations: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return observations, of any shape, as fresh uint8 from 0 to 255."""
    scaled = observations * np.float32(MOST)
    return np.rint(scaled, out=scaled).astype(np.uint8)


def space_in(space: Box, dtype: str) -> Box:
    """Return the space of observations of a dtype."""
    return space if dtype == "float32" else Box(0, MOST, space.shape, np.uint8)
