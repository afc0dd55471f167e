"""YAML as configurations are written in it: each key once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml


class _EachKeyOnce(yaml.SafeLoader):
    """PyYAML takes the last of several values of a key, without a word."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the key {name!r} stands twice, from line {node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)


def read_yaml(text: str) -> Any:
    """Return what a text in YAML holds.

    Raises:
        ValueError: it is no YAML, or a key stands twice; the message, one line, says where.
    """
    try:
        return yaml.load(text, _EachKeyOnce)  # a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(one_line(str(error))) from None


def one_line(message: str) -> str:
    """Return a message as one line, with characters that can't be seen escaped."""
    text = " ".join(message.split())
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
