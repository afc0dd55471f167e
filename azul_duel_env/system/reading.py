"""Files that may come from anybody: read within bounds, and refused with one sentence that says what was expected.

Nothing here runs code from a file. What a file declares is checked before room is made for it.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

MOST_TEXT = 64 * 2**20
"""Bytes of a text; readers of smaller things name their own bound."""
MOST_DEEP = 50
"""Lists and mappings inside each other."""
MOST_VALUES = 10**6
"""Values in all; what an alias of YAML stands for counts each time."""
MOST_DIGITS = 600
"""Of a whole number: below any limit that Python can be set to."""
MOST_ARRAYS = 1000


def user_path(path: str | Path) -> Path:
    """Return a path in which ``~`` is the user's home; where there is no such home it stays as it is."""
    return Path(os.path.expanduser(path))


def visible(text: str) -> str:
    """Return a text in which characters that can't be seen are escaped, but for ends of lines: none of them moves a terminal's cursor."""
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in text)


def one_line(error: object) -> str:
    """Return what an error says in one line, shortened if it is long, with characters that can't be seen escaped."""
    words = visible(" ".join(str(error).split()))
    return words if len(words) <= 300 else f"{words[:300]}..."


# Texts ----------------------------------------------------------------------------------------
def read_bytes(path: Path, most: int) -> bytes:
    """Return what a file holds.

    Raises:
        OSError: it can't be read.
        ValueError: it holds more than ``most`` bytes.
    """
    with path.open("rb") as opened:
        content = opened.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{path}: expected at most {most:,} bytes")
    return content


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """Return the text in a file.

    Raises:
        OSError: it can't be read.
        ValueError: it holds more than ``most`` bytes, or no text in UTF-8; the message names the file.
    """
    try:
        text = read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: expected text in UTF-8") from None
    if "\0" in text:
        raise ValueError(f"{path}: expected text, but it holds NUL characters")
    return text


# JSON and YAML --------------------------------------------------------------------------------
def read_json(path: Path) -> Any:
    """Return the value in a file of JSON.

    Raises:
        OSError: it can't be read.
        ValueError: it is no JSON; the message names the file. See ``json_from``.
    """
    text = read_text(path)
    try:
        return json_from(text)
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from None


def json_from(text: str | bytes) -> Any:
    """Return the value that a text in JSON stands for.

    Raises:
        ValueError: it is no JSON (NaN and infinite numbers are none), a key stands twice, a number is too long, it is nested too deep
            or holds too much; the message is the end of a sentence.
    """
    try:
        text = text if isinstance(text, str) else text.decode()
        value = json.loads(
            text, object_pairs_hook=_mapping, parse_int=_whole, parse_float=_finite, parse_constant=_finite
        )
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError:
        raise ValueError("expected text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(one_line(error)) from None
    _check_size(value, _inside_value)
    return value


def read_yaml(path: Path, most: int = 2**20) -> Any:
    """Return the value in a file of YAML.

    Raises:
        OSError: it can't be read.
        ValueError: it holds more than ``most`` bytes, or no YAML; the message names the file. See ``yaml_from``.
    """
    text = read_text(path, most)
    try:
        return yaml_from(text)
    except ValueError as error:
        raise ValueError(f"{path} is no YAML: {error}") from None


def yaml_from(text: str) -> Any:
    """Return the value that a text in YAML stands for; only plain values, no objects.

    Raises:
        ValueError: it is no YAML, a key stands twice, a number is too long, it is nested too deep or holds too much; the message is the
            end of a sentence.
    """
    import yaml

    try:
        _check_depth(yaml.parse(text, yaml.SafeLoader))
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _check_size(node, _inside_node)
        return _constructed(loader, node)
    except yaml.YAMLError as error:
        raise ValueError(one_line(error)) from None


def _check_depth(events: Iterable[Any]) -> None:
    """Refuse nested YAML before anything goes down into it."""
    depth = 0
    for event in events:
        depth += type(event).__name__.endswith("StartEvent") - type(event).__name__.endswith("EndEvent")
        if depth > MOST_DEEP + 2:  # the stream and the document count too
            raise _too_deep()


def _constructed(loader: Any, node: Any) -> Any:
    import yaml

    try:
        return loader.construct_document(node)
    except yaml.YAMLError:
        raise
    except (
        Exception
    ):  # what is no value of its tag raises nearly anything: a day that there is not, digits that are none
        raise ValueError("it holds a value that can't be read") from None


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.80} stands twice")
        found[key] = value
    return found


def _whole(digits: str) -> int:
    check_digits(digits)
    return int(digits)


def check_digits(digits: str) -> None:
    """Refuse a whole number that is longer than any that is meant.

    Raises:
        ValueError: it has more than ``MOST_DIGITS``; the message is the end of a sentence.
    """
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"it holds a number of {len(digits)} digits")


def _finite(number: str) -> float:
    if not math.isfinite(float(number)):
        raise ValueError(f"{number:.80} is no number of JSON")
    return float(number)


def _too_deep() -> ValueError:
    return ValueError(f"it is nested more than {MOST_DEEP} deep")


def _check_size(whole: Any, inside: Callable[[Any], Sequence[Any]]) -> None:
    """Refuse what is nested too deep or holds too much, level by level."""
    level, count = [whole], 0
    for _ in range(MOST_DEEP):
        deeper: list[Any] = []
        for outer in level:
            found = inside(outer)
            count += len(found)
            if count > MOST_VALUES:
                raise ValueError(f"it holds more than {MOST_VALUES:,} values")
            deeper += found
        level = deeper
        if not level:
            return
    raise _too_deep()


def _inside_value(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


def _inside_node(node: Any) -> Sequence[Any]:
    """Return the nodes in one of YAML; a scalar has none, and stands for no number that is too long. No key may stand twice."""
    if node.id == "scalar":
        if node.tag == "tag:yaml.org,2002:int":
            check_digits(node.value)
        return ()
    if node.id == "sequence":
        return node.value
    names = set()
    for key, _ in node.value:
        if key.id == "scalar" and key.value in names:
            raise ValueError(f"the key {key.value!r:.80} stands twice, from line {node.start_mark.line + 1}")
        names.add(key.value if key.id == "scalar" else key)
    return [one for pair in node.value for one in pair]


# Arrays ---------------------------------------------------------------------------------------
def read_arrays(path: Path, most: int) -> dict[str, NDArray[Any]]:
    """Return the arrays in an ``.npz`` file, by name: of numbers or text, in the byte order of this machine.

    Args:
        path: the file.
        most: bytes of the file, and bytes of all that it holds.

    Raises:
        OSError: it can't be read.
        ValueError: it is no such file, damaged, or holds more; the message names the file.
    """
    content = read_bytes(path, most)
    try:
        with ZipFile(BytesIO(content)) as archive:
            members = archive.infolist()
            _check_members(members, most)
            return {member.filename.removesuffix(".npy"): _array_from(_content(archive, member)) for member in members}
    except Exception as error:  # zipfile, zlib and NumPy raise nearly anything at damaged bytes
        raise ValueError(f"{path}: expected an .npz file of arrays: {one_line(error)}") from None


def _check_members(members: list[ZipInfo], most: int) -> None:
    """Refuse what can't be a file of NumPy, or would take up too much."""
    if len(members) > MOST_ARRAYS or len({member.filename for member in members}) != len(members):
        raise ValueError(f"more than {MOST_ARRAYS} arrays, or two of one name")
    if sum(member.file_size for member in members) > most:
        raise ValueError(f"more than {most:,} bytes when they are unpacked")
    if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
        raise ValueError("packed as NumPy packs nothing")


def _content(archive: ZipFile, member: ZipInfo) -> bytes:
    """Return the bytes of a member, and never more than it declares."""
    with archive.open(member) as opened:
        return opened.read(member.file_size)


def _array_from(content: bytes) -> NDArray[Any]:
    """Return the array in the bytes of an ``.npy`` file."""
    stream = BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"an array in the unknown format {version}")
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a header that Python 2 might have written, which it has not
        shape, by_column, dtype = read_header(stream)
    if dtype.kind not in "fiuU":
        raise ValueError(f"an array of {dtype}")
    rest = content[stream.tell() :]
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError(f"an array {shape} of {dtype} in {len(rest)} bytes")
    array = np.frombuffer(rest, dtype).reshape(shape, order="F" if by_column else "C")
    if dtype.kind == "U":
        array.tolist()  # raises where something is no character
    return array.astype(dtype.newbyteorder("="))
