"""Environments compared with one another."""

from __future__ import annotations

import numpy as np


def assert_same(ours, theirs, where=""):
    """Compare what two environments returned, types included."""
    assert type(ours) is type(theirs), where
    if isinstance(ours, dict):
        assert set(ours) == set(theirs), where
        for key in ours:
            assert_same(ours[key], theirs[key], f"{where}/{key}")
    elif isinstance(ours, np.ndarray) and ours.dtype != object:
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=where)
    elif isinstance(ours, (tuple, np.ndarray)):
        for mine, yours in zip(ours, theirs, strict=True):
            assert_same(mine, yours, where)
    else:
        assert ours is theirs is None, where


def snapshot(env):
    """All that an environment is, as bytes."""
    parts = (env.batch.states, env.batch.rows, env.batch.observations, env.batch.masks)
    return b"".join(part.tobytes() for part in parts)
