"""Opponents in their seats: how compiled rows know them, and how those that live outside answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.envs.arguments import actions_of
from azul_duel_env.envs.messages import why_illegal
from azul_duel_env.envs.opponents import Opponent, Pool
from azul_duel_env.envs.row_arrays import Rows
from azul_duel_env.game.agent import Policy
from azul_duel_env.kernels.constants import AGENT, ALL_SEATS, BUILT_IN, FOR_SOLVER, OUTSIDE


def seat_opponents(pool: Pool, settings: np.record) -> None:
    """Write opponents into the record that compiled code reads; without any, every seat is asked outside."""
    if not pool.opponents:
        settings.seat, settings.pool, settings.line_up, settings.codes[0] = ALL_SEATS, 1, 0, OUTSIDE
        return
    members = len(pool.opponents)
    settings.pool, settings.line_up = members, pool.is_line_up
    settings.shares[:members] = np.cumsum(pool.shares)
    settings.codes[:members] = [_code_of(member) for member in pool.opponents]


def _code_of(opponent: Opponent) -> int:
    """Return how the compiled rows know an opponent."""
    if opponent.is_built_in:
        return BUILT_IN.index(opponent.name)
    return OUTSIDE if opponent.policy is None else AGENT


def answer(games: Rows, pool: Pool) -> None:
    """Let opponents outside decide, each distinct one all its rows at once, and the solver, until no row waits.

    Should one of them fail, then rows that still wait have no game any more: their learners must not answer instead.
    """
    try:
        _let_answer(games, pool)
    except BaseException:
        games.forget_games(games.waiting)
        raise


def _let_answer(games: Rows, pool: Pool) -> None:
    rows, actions = games.rows, games.actions
    while (waiting := np.flatnonzero(rows["pending"])).size:
        solved = rows["pending"][waiting] == FOR_SOLVER
        if solved.any():
            games.kernel.solve(games.states, waiting[solved], actions)
        asked = waiting[~solved]
        seated = rows["opponents"][asked, games.states["player"][asked]]
        for place in np.unique(seated):
            at = asked[seated == place]
            actions[at] = _answers(games, pool.opponents[place], at)
        games.run_once(waiting[games.waiting[waiting]])  # none in a child that an opponent forked off


def _answers(games: Rows, opponent: Opponent, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the actions of one opponent in some rows.

    Raises:
        ValueError: it answered with something else than one legal action for each.
    """
    if opponent.policy is not None:
        return _choices(games, opponent.policy, at)
    assert opponent.act is not None
    masks = games.masks[at]
    answers = actions_of(opponent.act(games.observations[at], masks), len(at), f"opponent {opponent.name}: ")
    wrong = _illegal_rows(answers, masks)
    if wrong.size:
        row = int(wrong[0])
        raise ValueError(f"opponent {opponent.name}: {why_illegal(games, int(at[row]), int(answers[row]))}")
    return answers


def _choices(games: Rows, policy: Policy, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the actions of the game that an agent chooses in some rows."""
    keys = np.empty(len(at), np.uint64)
    games.kernel.draw_keys(games.rows, at, keys)
    return np.array([policy(games.states, int(i), key) for i, key in zip(at, keys, strict=True)], np.int64)


def _illegal_rows(actions: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the rows whose action is not legal by its mask."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    legal = inside & (masks[np.arange(len(actions)), np.where(inside, actions, 0)] == 1)
    return np.flatnonzero(~legal)
