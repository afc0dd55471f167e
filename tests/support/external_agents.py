"""Agents from outside, as ``module:function``."""
# ruff: noqa: ARG001 - they needn't look at all they are given

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np


def lowest(observation, mask):
    return int(np.flatnonzero(mask)[0])


def highest(observation, mask):
    return int(np.flatnonzero(mask)[-1])


def illegal(observation, mask):
    return int(np.flatnonzero(mask == 0)[0])


def failing(observation, mask):
    raise RuntimeError("out of ideas")


def sees_nothing_else(observation, mask):
    assert observation.dtype == np.float32
    assert observation.shape == (1113,)
    assert mask.dtype == np.int8
    assert mask.shape == (400,)
    return highest(observation, mask)


def lost(observation, mask):
    """End this process as often as there are lines left in a file; once it is empty, play on."""
    file = Path(os.environ["AZUL_DUEL_TEST_LOSSES"])
    left = file.read_text().splitlines()
    if left:
        file.write_text("\n".join(left[1:]))
        os._exit(1)
    return lowest(observation, mask)


def telling(observation, mask):
    """Write a file at the 2,000th question to this process, after some ten games: who waits for it knows that they are played."""
    global asked
    asked += 1
    if asked == TELLS_AT:
        Path(os.environ["AZUL_DUEL_TEST_TOLD"], str(os.getpid())).touch()
    return lowest(observation, mask)


TELLS_AT, STOPPED_AT = 2000, 200
asked, stopped_by = 0, signal.SIGTERM


def stopped(observation, mask):
    """Get a signal at the 200th question, after a game or two."""
    global asked
    asked += 1
    if asked == STOPPED_AT:
        signal.raise_signal(stopped_by)
    return lowest(observation, mask)


not_a_function = 3
