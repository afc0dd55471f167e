"""The rules of a game, as functions on an array of states and an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game.arrays import States


@dataclass(frozen=True)
class Rules:
    """Functions on an array of states and an index.

    Attributes:
        initial_states: ``(seeds, options) -> states``, one a seed, before anything was drawn.
        advance_to_decision: ``(states, i)``: go on to the first decision or draw.
        legal_actions: ``(states, i, int16[max_legal]) -> count``, ascending.
        legal_mask: ``(states, i, int8[num_actions])``.
        try_action: ``(states, i, action) -> bool``: carried out, or illegal and nothing changed.
        outcome_weights: ``(states, i, int64[max_outcomes]) -> count``: integer odds of the draw that is due.
        try_outcome: ``(states, i, outcome) -> bool``.
        draw_chance: ``(states, i) -> outcome`` by the state's own generator.
        drawn_in_vain: ``(states, i, outcome) -> count``: how many draws before this outcome, which the odds leave out, would have gone
            back together with it; 0 if it is just not possible.
        observe: ``(states, i, player, float32[observation_size])``.
        observe_rows: the same for all states: ``(states, int64[N], float32[N, observation_size])``; see ``Game.observations``.
        resample: ``(states, i, player, uint64)``: draw anew what the player can't know.
        resample_rows: the same for all states: ``(states, int64[N], uint64[N])``; see ``Game.resampled``.
        round_number: ``(states, i) -> int``: of the round under way, from 1; 0 before the first.
        first_player: ``(states, i) -> player`` who begins the round, or NOBODY before the first one was drawn.
        rank: ``(states, i, player) -> int``: the place of a player of a finished game, from 1; equal players share one. Who has more points
            comes first, on which files of results rely: rules for ties part only players with as many.
        check: ``(states, i) -> names of broken invariants``.
        unsound_rows: ``(states) -> int64`` of the rows that break one; an array of anything else is a ValueError.
        playouts: ``(states, start, count) -> decisions``: random games in ``states[0]``, each from ``start[0]``.
        count_leaves: ``(states, depth) -> int``: sequences of decisions from ``states[0]`` (perft).
    """

    initial_states: Callable[[Sequence[int | None], Any], States]
    advance_to_decision: Callable[[States, int], None]
    legal_actions: Callable[[States, int, NDArray[np.int16]], int]
    legal_mask: Callable[[States, int, NDArray[np.int8]], None]
    try_action: Callable[[States, int, int], bool]
    outcome_weights: Callable[[States, int, NDArray[np.int64]], int]
    try_outcome: Callable[[States, int, int], bool]
    draw_chance: Callable[[States, int], int]
    drawn_in_vain: Callable[[States, int, int], int]
    observe: Callable[[States, int, int, NDArray[np.float32]], None]
    observe_rows: Callable[[States, NDArray[np.int64], NDArray[np.float32]], None]
    resample: Callable[[States, int, int, np.uint64], None]
    resample_rows: Callable[[States, NDArray[np.int64], NDArray[np.uint64]], None]
    round_number: Callable[[States, int], int]
    first_player: Callable[[States, int], int]
    rank: Callable[[States, int, int], int]
    check: Callable[[States, int], list[str]]
    unsound_rows: Callable[[States], NDArray[np.int64]]
    playouts: Callable[[States, States, int], int]
    count_leaves: Callable[[States, int], int]

    @classmethod
    def of(cls, entries: ModuleType, **own: Callable[..., Any]) -> Rules:
        """Return the rules whose functions are those of ``kernels.entries``, bound to a game, and some of its own.

        Args:
            entries: the template ``entries``, bound to the game.
            own: ``initial_states``, ``drawn_in_vain``, ``check`` and ``unsound_rows``.
        """
        return cls(
            advance_to_decision=entries.advance_to_decision,
            legal_actions=entries.legal_actions,
            legal_mask=entries.legal_mask,
            try_action=entries.try_action,
            outcome_weights=entries.outcome_weights,
            try_outcome=entries.try_outcome,
            draw_chance=entries.draw_chance,
            observe=entries.observe,
            observe_rows=entries.observe_rows,
            resample=entries.resample,
            resample_rows=entries.resample_rows,
            round_number=entries.round_number_of,
            first_player=entries.first_player_of,
            rank=entries.rank_of,
            playouts=entries.playouts,
            count_leaves=entries.count_leaves,
            **own,
        )
