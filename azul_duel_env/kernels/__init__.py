"""Compiled code that is written once for all games: rows stepped together, tree search, networks, random play.

These modules are templates: they name no game, and import its rules from siblings, ``from .rules import carry_out``. A game binds them in a
package of its own, ``games.NAME.kernels``, whose ``__path__`` is what ``templates_beside`` returns: it holds ``rules`` and whatever
else the game does better than ``abstraction``, ``encoding``, ``evaluation`` and ``margins`` here; all other modules are found here.
``games.NAME.kernels.rows`` is then this folder's ``rows``, loaded with the rules of that game. The ``rules`` and ``invariants`` of this
folder say what a game must write; they are never loaded.
"""

from __future__ import annotations

from collections.abc import Sequence


def templates_beside(path: Sequence[str]) -> list[str]:
    """Return where a game's package of kernels looks for modules: in its own folder, then among the templates."""
    return [*path, *__path__]
