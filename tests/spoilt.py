"""Small and large mistakes in texts and files, at random: what a stranger, a bad disk or an editor makes of them."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

import numpy as np

ODD = (
    "\0",
    "\ufeff",
    "\u0665",
    "²",
    "é",
    "\u2028",
    "\x1b[2J",
    "\r",
    "{" * 60,
    "[" * 3000,
    "9" * 5000,
    "-1",
    "NaN",
    "1e999",
    "null",
)
"""Parts that readers stumble over: no printable text, digits that are none, deep nesting, endless numbers."""
LETTERS = string.ascii_letters + string.digits + " .-|*/:,{}[]\"'#\n"


def spoilt_text(text: str, rng: random.Random, others: tuple[str, ...] = ()) -> str:
    """Return a text with one or a few mistakes; lines may come from other texts."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = _spoilt_once(text or " ", rng, others)
    return text


def _spoilt_once(text: str, rng: random.Random, others: tuple[str, ...]) -> str:
    at, lines = rng.randrange(len(text)), text.split("\n")
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(9):
        case 0:
            return text[:at] + text[at + rng.choice((1, 1, 5)) :]
        case 1:
            return text[:at] + rng.choice(LETTERS) + text[at + 1 :]
        case 2:
            return text[:at] + rng.choice(LETTERS) + text[at:]
        case 3:
            return text[:at] + rng.choice(ODD) + text[at + 1 :]
        case 4:
            lines[one], lines[two] = lines[two], lines[one]
        case 5:
            del lines[one]
        case 6:
            lines.insert(one, lines[two])
        case 7:
            name, colon, value = lines[one].partition(":")
            words = value.split()
            words.insert(rng.randint(0, len(words)), rng.choice((*ODD, *words, "0", "1", "12", "-", "|")))
            lines[one] = f"{name}{colon} {' '.join(words)}"
        case _:
            other = rng.choice(others or (text,)).split("\n")
            lines[one] = rng.choice(other)
    return "\n".join(lines)


def spoilt_bytes(content: bytes, rng: random.Random) -> bytes:
    """Return bytes of which some are flipped, lost, doubled or overwritten, or the end is gone."""
    found, at = bytearray(content), rng.randrange(len(content))
    match rng.randrange(6):
        case 0:
            del found[at:]
        case 1:
            del found[at : at + rng.randint(1, 64)]
        case 2:
            found[at:at] = found[at : at + rng.randint(1, 64)]
        case 3:
            found[at : at + 8] = bytes(rng.choice((0, 255)) for _ in range(8))
        case _:
            for place in (at, *(rng.randrange(len(content)) for _ in range(rng.choice((0, 0, 3))))):
                found[place] ^= 1 << rng.randrange(8)
    return bytes(found)


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


def spoilt_files(sound: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield ``count`` changed files: bits turned, pieces cut out, put in, doubled or exchanged, the end cut off."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        data = sound
        for _ in range(rng.integers(1, 4)):
            data = spoilt_file(data, rng)
        yield data


def spoilt_file(data: bytes, rng: np.random.Generator) -> bytes:
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
