"""Files as strangers, disks and editors leave them: a sound one, changed at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

PIECES = (
    *(b"", b"0", b"-1", b"7", b"1e999", b"NaN", b"true", b"null", b'"', b"[", b"]", b"{", b"}", b",", b":", b" ", b"#"),
    *(
        b"\n",
        b"\r\n",
        b"\r",
        b"\t",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b"\xef\xbb\xbf",
        b"9" * 5000,
        b"[" * 3000,
        b"\xe2\x80\xa8",
    ),
)
"""What is put in."""


def mutations(sound: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield ``count`` changed files: bits turned, pieces cut out, put in, doubled or exchanged, the end cut off."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        data = sound
        for _ in range(rng.integers(1, 4)):
            data = mutated(data, rng)
        yield data


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with one change."""
    at, then = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    near = min(at + int(rng.integers(1, 12)), len(data))
    piece = PIECES[rng.integers(len(PIECES))]
    kind = rng.integers(8)
    if kind == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << int(rng.integers(8))]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + data[near:]
    if kind == 3:
        return data[:at] + data[at:then] * 2 + data[then:]
    if kind == 4:
        return data.replace(b"\n", b"\r\n")
    if kind == 5:
        words = data.split(b" ")
        one, other = rng.integers(0, len(words), 2)
        words[one] = words[other]
        return b" ".join(words)
    if kind == 6:
        lines = data.split(b"\n")
        one, other = rng.integers(0, len(lines), 2)
        lines[one], lines[other] = lines[other], lines[one]
        return b"\n".join(lines)
    return data[:at] + piece + data[near if rng.random() < 0.5 else at :]
