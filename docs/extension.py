"""Docstrings of the API reference as Markdown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from griffe import Extension

sys.path.insert(0, str(Path(__file__).parent / "generate"))

from docstrings import as_markdown


class Markdown(Extension):
    """For mkdocstrings: every docstring as Markdown."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
