"""The names and the notation of a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.arrays import States


@dataclass(frozen=True)
class Text:
    """Names and notation.

    Attributes:
        action_name, parse_action: actions as text, both ways.
        outcome_name, parse_outcome: ``(chance, outcome) -> text`` and back.
        write, read: ``(states, i) -> text`` and ``text -> states``, both exact.
        board: ``(states, i) -> text``: what everybody sees, for people.
        decision_name: ``(states, i) -> text``: what is being decided.
        unflatten: an observation, or a batch, as a dictionary of its blocks.
    """

    action_name: Callable[[int], str]
    parse_action: Callable[[str], int]
    outcome_name: Callable[[int, int], str]
    parse_outcome: Callable[[int, str], int]
    write: Callable[[States, int], str]
    read: Callable[[str], States]
    board: Callable[[States, int], str]
    decision_name: Callable[[States, int], str]
    unflatten: Callable[[NDArray[np.float32]], dict[str, NDArray[np.float32]]]
