"""What environments take from their users: checked, and in the form that the engine wants."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game import NOBODY, Game, Position, as_blocks, copy_of
from azul_duel_env.rng import words_from_seed

ASKED = -1  # what ``next_by_policy`` answers when the player is asked


def split_options(game: Game, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Split options into the granularity and the options of the game.

    Raises:
        ValueError: an option that is neither, or a value that an option of the granularity can't have.
    """
    asked = [field.name for field in fields(game.granularity)]
    known = asked + [field.name for field in fields(game.options)]
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = (
                f"did you mean {close[0]!r}?"
                if close
                else f"besides those of the environment there are {', '.join(known)}"
            )
            raise ValueError(f"unknown option {name!r}: {hint}")
    granularity = game.granularity(**{name: value for name, value in options.items() if name in asked})
    return granularity, {name: value for name, value in options.items() if name not in asked}


def count_of(name: str, value: Any) -> int:
    """Return a number of things.

    Raises:
        ValueError: no integer of at least 1.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
    return int(value)


def threads_of(threads: int) -> int:
    """Return a number of threads; -1 stands for all cores that this process may use.

    Raises:
        ValueError: neither -1 nor at least 1.
    """
    if isinstance(threads, (int, np.integer)) and threads == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return count_of("threads (or -1 for all cores)", threads)


def rows_of(name: str, mask: Any, num_rows: int) -> NDArray[np.int64]:
    """Return the rows that a mask chooses; None chooses all.

    Raises:
        TypeError: no NumPy array, or not of bool.
        ValueError: another shape, or no row at all.
    """
    if mask is None:
        return np.arange(num_rows)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = f"an array of {mask.dtype}" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"{name} must be a NumPy array of bool, not {kind}")
    if mask.shape != (num_rows,):
        raise ValueError(f"{name} must have the shape ({num_rows},), not {mask.shape}")
    if not mask.any():
        raise ValueError(f"{name} must choose at least one row")
    return np.flatnonzero(mask)


def seeds_of(
    seed: int | Sequence[int | None] | None, which: NDArray[np.int64], num_rows: int
) -> list[int | None] | None:
    """Return the seed of each row ``which``: for an integer s row i gets s + i, as in Gymnasium; None if there is none at all.

    Raises:
        ValueError: a seed that is no integer of at least 0, or a list of another length than all rows.
    """
    if seed is None:
        return None
    if isinstance(seed, (list, tuple, np.ndarray)):
        if len(seed) != num_rows:
            raise ValueError(f"a list of seeds must have one for each of {num_rows} rows, not {len(seed)}")
        seeds = [seed[i] for i in which]
        for one in seeds:
            words_from_seed(one)
        return None if all(one is None for one in seeds) else seeds
    words_from_seed(seed)  # type: ignore[arg-type] # what is no seed is refused here
    return [int(seed) + int(i) for i in which]  # type: ignore[arg-type]


def states_of(game: Game, granularity: Any, states: Any, which: NDArray[np.int64], num_rows: int) -> NDArray[Any]:
    """Return the states to begin rows ``which`` with: from one for all, as array or text, or an array with one for each of all rows.

    Raises:
        ValueError: no states of this game, or one in which no player decides; the message says which.
    """
    if isinstance(states, str):
        states = game.read_position(states).states
    if not isinstance(states, (np.ndarray, np.void)) or states.dtype != game.state:
        raise ValueError(f"expected an array of states of {game.id}, or one in notation, not {type(states).__name__}")
    array = np.ascontiguousarray(np.atleast_1d(np.asarray(states))).view(game.state)
    if array.shape not in ((1,), (num_rows,)):
        raise ValueError(f"expected one state, or one for each of {num_rows} rows, not {array.shape}")
    chosen = np.zeros(len(which), np.int64) if len(array) == 1 else which
    _check_states(game, granularity, array, chosen)
    return as_blocks(array)[chosen].view(game.state)


def _check_states(game: Game, granularity: Any, states: NDArray[Any], chosen: NDArray[np.int64]) -> None:
    """Refuse states that games can't go on from; of the others, which are not chosen, nothing is asked.

    Raises:
        ValueError: one is broken, chance is explicit in it, nobody decides, or it is asked about more finely than here.
    """
    rows = np.unique(chosen)
    asked_about = as_blocks(states)[rows].view(game.state)
    for i in rows[game.unsound_rows(asked_about)]:
        raise ValueError(f"state {i} is no state of the game: broken are {'; '.join(game.check(states, int(i)))}")
    for i in rows[(asked_about["chance"] != 0) | (asked_about["explicit_chance"] != 0)]:
        raise ValueError(f"state {i} has explicit chance: here chance draws by itself")
    for i in rows[asked_about["player"] == NOBODY]:
        raise ValueError(f"state {i} is over: nobody decides")
    check_asked(game, granularity, asked_about)


def check_asked(game: Game, granularity: Any, states: NDArray[Any]) -> None:
    """Refuse sound states in the midst of a decision that a granularity asks as a whole.

    Raises:
        ValueError: one of them is.
    """
    for i in game.unasked_rows(states, granularity.layer):
        due = game.decision_name(states, int(i))
        raise ValueError(f"{granularity} does not ask what is due in this state: {due}")


def position_from(game: Game, state: Any) -> Position:
    """Return a position of one's own from an array, as ``get_state`` returned it, or a text in notation.

    Raises:
        ValueError: no sound state of this game.
    """
    if isinstance(state, str):
        return game.read_position(state)
    if not isinstance(state, np.ndarray) or state.dtype != game.state or state.shape != (1,):
        raise ValueError(
            f"expected the array that get_state() returned, or a text in notation, not {type(state).__name__}"
        )
    position = Position(game, copy_of(state))
    broken = position.check()
    if broken:
        raise ValueError(f"the array is no state of the game: broken are {'; '.join(broken)}")
    return position


def episode_from(game: Game, state: Any, granularity: Any) -> Position:
    """Return a position for an episode to begin with; as ``position_from``, and from now on chance draws by itself.

    Raises:
        ValueError: no sound state, a game that is over, a draw that is due, or a decision that this granularity doesn't ask.
    """
    position = position_from(game, state)
    if position.over:
        raise ValueError("an episode can't begin with this state: the game is over")
    if position.chance_is_due:
        due = game.decision_name(position.states, 0)
        raise ValueError(f"an episode can't begin with this state: a draw is due ({due})")
    position.states["explicit_chance"] = 0
    check_asked(game, granularity, position.states)
    return position


def episode_options(game: Game, now: Any, options: Mapping[str, Any], others: Sequence[str]) -> dict[str, Any]:
    """Return the options of the game among those given to ``reset``; what is unknown is ignored, as PettingZoo asks.

    Args:
        game: the game.
        now: its options as they are.
        options: those given.
        others: names that mean something else to ``reset``.

    Raises:
        ValueError: a value that an option can't have, ``explicit_chance``, or a name that looks like a misspelt one.
    """
    known = [field.name for field in fields(game.options) if field.name != "explicit_chance"]
    for name in options:
        close = get_close_matches(str(name), [*known, *others], 1, 0.8)
        if name == "explicit_chance" or (name not in known and name not in others and close):
            hint = f"did you mean {close[0]!r}?" if close else "it is fixed when the environment is made"
            raise ValueError(f"unknown reset option {name!r}: {hint}")
    changed = {name: value for name, value in options.items() if name in known}
    game.make_options(**(vars(now) | changed))
    return changed
