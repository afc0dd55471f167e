"""Small and large mistakes in texts and files, at random: what a stranger, a bad disk or an editor makes of them."""

from __future__ import annotations

import random
import string

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
    "!!bool",
    "!!int",
    "!!timestamp",
)
"""Parts that readers stumble over: no printable text, digits that are none, deep nesting, endless numbers, tags of YAML."""
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


def spoilt_file(content: bytes, rng: random.Random) -> bytes:
    """Return a file of text with mistakes: in its text, in its bytes, or with the line ends of another system."""
    match rng.randrange(8):
        case 0:
            return content.replace(b"\n", b"\r\n")
        case 1 | 2:
            return spoilt_bytes(content, rng)
        case _:
            return spoilt_text(content.decode(), rng).encode()
