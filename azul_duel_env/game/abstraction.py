"""How finely the decisions of a game are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.arrays import States


@dataclass(frozen=True)
class Abstraction:
    """How finely decisions are asked: an action abstraction makes of the game's actions a coarser or finer table.

    ``record`` below is what compiled code reads of one: ``make(...).record``.

    Attributes:
        make: dataclass of the choices, with ``num_actions``, ``observation_size``, ``record``, ``blocks``, ``action_name`` and
            ``has_solver``; as it is made without arguments, each action of the game is asked as it is. It may have ``unflatten``, in place
            of ``Text.unflatten``, and ``planes``, without which there is no ``PlanesObservation``.
        mask, observe, try_action: as ``legal_mask``, ``observe`` and ``try_action`` of the rules: ``(states, i, record, ...)``.
        advance: ``(states, i, record)``: carry out all that policies resolve before the next decision that is asked.
        next_action: ``(states, i, record) -> action`` of the game that a policy takes now, or -1 if the player is asked.
        unasked_rows: ``(states, record) -> int64`` of the rows in the midst of a decision that is asked as a whole.
        to_game_action: ``(states, i, record, asked) -> action`` of the game, or -1 if ``states[i]`` now remembers a part of it. It may
            also remember what the asked action says of the next decision, and goes on from there.
    """

    make: type[Any]
    mask: Callable[[States, int, States, NDArray[np.int8]], None]
    observe: Callable[[States, int, States, int, NDArray[np.float32]], None]
    try_action: Callable[[States, int, States, int], bool]
    advance: Callable[[States, int, States], None]
    next_action: Callable[[States, int, States], int]
    unasked_rows: Callable[[States, States], NDArray[np.int64]]
    to_game_action: Callable[[States, int, States, int], int]

    @classmethod
    def of(cls, entries: ModuleType, make: type[Any]) -> Abstraction:
        """Return the abstraction whose functions are those of ``kernels.entries``, bound to a game."""
        return cls(
            make=make,
            mask=entries.abstract_mask,
            observe=entries.abstract_observation,
            try_action=entries.try_abstract_action,
            advance=entries.advance,
            next_action=entries.next_action,
            unasked_rows=entries.unasked_rows,
            to_game_action=entries.to_game_action,
        )
