"""What environments take from their users: checked, and in the form that the engine wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game import NOBODY, Game, Position, States, as_blocks, copy_of, is_array
from azul_duel_env.jit.rng import keys_from_seed

NUM_PLAYERS = "num_players"  # the option of every game that chooses the game itself: see ``Game.of``


def split_options(
    game: Game, options: Mapping[str, Any], own: Sequence[str] = ()
) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """Split options into those of the environment, the abstraction, and the options of the game.

    Args:
        game: the game, for the number of players that the option ``num_players`` names (``game.of(options)``).
        options: those given.
        own: names of those of the environment.

    Raises:
        ValueError: an option that is none of these, or a value that an option of the abstraction can't have.
    """
    asked = [field.name for field in fields(game.abstraction.make)]
    others = [*asked, *(field.name for field in fields(game.options)), NUM_PLAYERS]
    for name in options:
        if name not in own and name not in others:
            known = f"besides those of the environment there are {', '.join(others)}"
            raise ValueError(f"unknown option {name!r}: {nearest(name, [*own, *others], known)}")
    abstraction = game.make_abstraction(**{name: value for name, value in options.items() if name in asked})
    of_environment = {name: value for name, value in options.items() if name in own}
    of_game = {name: value for name, value in options.items() if name not in (*own, *asked)}
    return of_environment, abstraction, of_game


def changed_abstraction(abstraction: Any, changes: Mapping[str, str]) -> Any:
    """Return an abstraction with other choices.

    Raises:
        ValueError: an unknown sub-decision, or a value that it can't have.
    """
    known = [field.name for field in fields(abstraction)]
    for name in changes:
        if name not in known:
            raise ValueError(f"unknown sub-decision {name!r}: there are {', '.join(known)}")
    return replace(abstraction, **changes)


def nearest(name: object, known: Sequence[str], otherwise: str, alike: float = 0.6) -> str:
    """Return the end of a message about an unknown name.

    Args:
        name: the name.
        known: those that there are.
        otherwise: what to say where none of them is near.
        alike: how near it must be, 1 for the same.
    """
    close = get_close_matches(str(name), known, 1, alike)
    return f"did you mean {close[0]!r}?" if close else otherwise


def count_of(name: str, value: Any) -> int:
    """Return a number of things.

    Raises:
        ValueError: no integer of at least 1.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
    return int(value)


def yes_or_no(name: str, value: Any) -> bool:
    """Return a value that is one of two.

    Raises:
        ValueError: neither True nor False.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def number_of(name: str, value: Any, most: float = np.inf) -> float:
    """Return a finite number from 0 to ``most``.

    Raises:
        ValueError: none, or outside.
    """
    if not is_number(value) or not 0 <= value <= most:
        limits = "of at least 0" if most == np.inf else f"in [0, {most:g}]"
        raise ValueError(f"{name} must be a number {limits}, not {value!r}")
    return float(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, and no bool."""
    kinds = (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(np.isfinite(value))


def place_of(name: str, value: Any, values: Sequence[str]) -> int:
    """Return the place of a word among those allowed.

    Raises:
        ValueError: another one.
    """
    if not isinstance(value, str) or value not in values:
        raise ValueError(f"{name} must be one of {', '.join(values)}, not {value!r}")
    return values.index(value)


def weights_of(reward: str | Mapping[str, float], parts: Sequence[str]) -> list[float]:
    """Return the weight of each part of a reward.

    Raises:
        ValueError: an unknown part, no part, or a weight that is no finite number.
    """
    wanted: Any = {reward: 1.0} if isinstance(reward, str) else reward
    if not isinstance(wanted, Mapping) or not wanted or any(name not in parts for name in wanted):
        raise ValueError(f"reward must be one of {', '.join(parts)}, or a mapping of those to weights, not {reward!r}")
    if not all(is_number(weight) for weight in wanted.values()):
        raise ValueError(f"weights of a reward must be finite numbers, not {dict(wanted)}")
    return [float(wanted.get(name, 0.0)) for name in parts]


def threads_of(threads: int) -> int:
    """Return a number of threads; -1 stands for all cores that this process may use, a container's share of processor time counted.

    Raises:
        ValueError: neither -1 nor at least 1.
    """
    if isinstance(threads, (int, np.integer)) and threads == -1:
        from joblib import cpu_count

        return int(cpu_count())
    return count_of("threads (or -1 for all cores)", threads)


def rows_of(name: str, mask: Any, num_rows: int) -> NDArray[np.int64]:
    """Return the rows that a mask chooses; None chooses all.

    Raises:
        TypeError: no NumPy array, or not of bool.
        ValueError: another shape, or no row at all.
    """
    if mask is None:
        return np.arange(num_rows)
    if not is_array(mask) or mask.dtype != np.bool_:
        kind = f"an array of {mask.dtype}" if is_array(mask) else type(mask).__name__
        raise TypeError(f"{name} must be a NumPy array of bool, not {kind}")
    if mask.shape != (num_rows,):
        raise ValueError(f"{name} must have the shape ({num_rows},), not {mask.shape}")
    if not mask.any():
        raise ValueError(f"{name} must choose at least one row")
    return np.flatnonzero(mask)


def actions_of(actions: Any, num_rows: int, who: str = "") -> NDArray[Any]:
    """Return actions as an array of integers, one a row.

    Args:
        actions: those given.
        num_rows: how many there must be.
        who: chose them, for the message.

    Raises:
        ValueError: something else, a masked array among it.
    """
    try:
        chosen = np.asarray(actions)
    except ValueError:
        raise ValueError(f"{who}expected {num_rows} integers, one a row, not rows of different lengths") from None
    masked = isinstance(actions, np.ma.MaskedArray)
    if masked or chosen.shape != (num_rows,) or chosen.dtype.kind not in "iu":
        found = "a masked array" if masked else f"{chosen.dtype} {chosen.shape}"
        raise ValueError(f"{who}expected {num_rows} integers, one a row, not {found}")
    return chosen


def seeds_of(
    seed: int | Sequence[int | None] | None, which: NDArray[np.int64], num_rows: int
) -> list[int | None] | None:
    """Return the seed of each row ``which``: for an integer s row i gets s + i, as in Gymnasium; None if there is none at all.

    Raises:
        ValueError: a seed that is no integer of at least 0, or a list of another length than all rows.
    """
    if seed is None:
        return None
    if isinstance(seed, (list, tuple)) or (isinstance(seed, np.ndarray) and seed.ndim > 0):
        if len(seed) != num_rows:
            raise ValueError(f"a list of seeds must have one for each of {num_rows} rows, not {len(seed)}")
        for one in seed:
            keys_from_seed(one)  # what is no seed is refused here, also where it would not be used
        seeds = [seed[i] for i in which]
        return None if all(one is None for one in seeds) else seeds
    keys_from_seed(seed)  # type: ignore[arg-type] # what is no seed is refused here
    return [int(seed) + int(i) for i in which]  # type: ignore[arg-type]


def states_of(game: Game, abstraction: Any, states: Any, which: NDArray[np.int64], num_rows: int) -> NDArray[Any]:
    """Return the states to begin rows ``which`` with: from one for all, as array or text, or an array with one for each of all rows.

    Raises:
        ValueError: no states of this game, or one in which no player decides; the message says which.
    """
    if isinstance(states, str):
        states = game.read_position(states).states
    is_record = isinstance(states, np.void) and not isinstance(states, np.ma.MaskedArray)
    if not (is_array(states) or is_record) or states.dtype != game.state:
        raise ValueError(f"expected an array of states of {game.id}, or one in notation, not {type(states).__name__}")
    array = np.ascontiguousarray(np.atleast_1d(np.asarray(states))).view(game.state)
    if array.shape not in ((1,), (num_rows,)):
        raise ValueError(f"expected one state, or one for each of {num_rows} rows, not {array.shape}")
    chosen = np.zeros(len(which), np.int64) if len(array) == 1 else which
    _check_states(game, abstraction, array, chosen)
    return as_blocks(array)[chosen].view(game.state)


def _check_states(game: Game, abstraction: Any, states: NDArray[Any], chosen: NDArray[np.int64]) -> None:
    """Refuse states that games can't go on from; of the others, which are not chosen, nothing is asked.

    Raises:
        ValueError: one is broken, chance is explicit in it, nobody decides, or it is asked about more finely than here.
    """
    rows = np.unique(chosen)
    asked_about = as_blocks(states)[rows].view(game.state)
    for i in rows[game.rules.unsound_rows(asked_about)]:
        raise ValueError(f"state {i} is no state of the game: broken are {'; '.join(game.rules.check(states, int(i)))}")
    for i in rows[(asked_about["chance"] != 0) | (asked_about["explicit_chance"] != 0)]:
        raise ValueError(f"state {i} has explicit chance: here chance draws by itself")
    for i in rows[asked_about["player"] == NOBODY]:
        raise ValueError(f"state {i} is over: nobody decides")
    check_asked(game, abstraction, asked_about)


def check_asked(game: Game, abstraction: Any, states: NDArray[Any]) -> None:
    """Refuse sound states in the midst of a decision that an abstraction asks as a whole.

    Raises:
        ValueError: one of them is.
    """
    for i in game.abstraction.unasked_rows(states, abstraction.record):
        due = game.text.decision_name(states, int(i))
        raise ValueError(f"{abstraction} does not ask what is due in this state: {due}")


def position_from(game: Game, state: Any) -> Position:
    """Return a position of one's own from an array, as ``get_state`` returned it, or a text in notation.

    Raises:
        ValueError: no sound state of this game.
    """
    if isinstance(state, str):
        return game.read_position(state)
    if not is_array(state) or state.dtype != game.state or state.shape != (1,):
        raise ValueError(
            f"expected the array that get_state() returned, or a text in notation, not {type(state).__name__}"
        )
    position = Position(game, copy_of(state))
    broken = position.check()
    if broken:
        raise ValueError(f"the array is no state of the game: broken are {'; '.join(broken)}")
    return position


def episode_from(game: Game, state: Any, abstraction: Any) -> Position:
    """Return a position for an episode to begin with; as ``position_from``, and from now on chance draws by itself.

    Raises:
        ValueError: no sound state, a game that is over, a draw that is due, or a decision that this abstraction doesn't ask.
    """
    position = position_from(game, state)
    if position.over:
        raise ValueError("an episode can't begin with this state: the game is over")
    if position.chance_is_due:
        due = game.text.decision_name(position.states, 0)
        raise ValueError(f"an episode can't begin with this state: a draw is due ({due})")
    position.states["explicit_chance"] = 0
    check_asked(game, abstraction, position.states)
    return position


def options_of(options: Any) -> dict[str, Any]:
    """Return the options given to ``reset``, as a dictionary of one's own.

    Raises:
        TypeError: neither a dictionary nor None.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options must be a dictionary or None, not {options!r}")
    return dict(options or {})


def episode_options(
    game: Game, now: Any, options: Mapping[str, Any], others: Sequence[str], *, ignore_unknown: bool = False
) -> dict[str, Any]:
    """Return the options of the game among those given to ``reset``.

    Args:
        game: the game.
        now: its options as they are.
        options: those given.
        others: names that mean something else to ``reset``.
        ignore_unknown: unknown ones are ignored, as PettingZoo asks, unless they look like a misspelt one.

    Raises:
        ValueError: a value that an option can't have, ``explicit_chance``, an unknown name, or options beside a state.
    """
    known = [field.name for field in fields(game.options) if field.name != "explicit_chance"]
    for name in options:
        if name in known or name in others:
            continue
        names = [*others, *known]
        hint = (
            nearest(name, names, "", 0.8) if ignore_unknown else nearest(name, names, f"there are {', '.join(names)}")
        )
        if name in ("explicit_chance", NUM_PLAYERS):
            hint = "it is fixed when the environment is made"
        if hint:
            raise ValueError(f"unknown reset option {name!r}: {hint}")
    changed = {name: value for name, value in options.items() if name in known}
    if changed and ("state" in options or "states" in options):
        raise ValueError(f"a state has its own options: leave out {', '.join(changed)}")
    game.make_options(**(vars(now) | changed))
    return changed


def beginning_of(
    game: Game,
    now: Any,
    abstraction: Any,
    options: Mapping[str, Any],
    which: NDArray[np.int64],
    num_rows: int,
    others: Sequence[str] = (),
    ways: Sequence[str] = ("state", "states"),
) -> tuple[dict[str, Any], States | None]:
    """Return how rows ``which`` begin by the options given to ``reset``: the options of the game that change, and states if there are any.

    Args:
        game: the game.
        now: its options as they are.
        abstraction: which sub-decisions are asked.
        options: those given: ``state``, one for all rows; ``states``, one for each of all rows; or options of the game.
        which: the rows.
        num_rows: how many rows there are.
        others: names that mean something else to ``reset``.
        ways: which of ``state`` and ``states`` may be given here.

    Raises:
        ValueError: see ``episode_options`` and ``states_of``; or both ``state`` and ``states``.
    """
    changed = episode_options(game, now, options, (*ways, *others))
    given = [options[name] for name in ways if name in options]
    if len(given) == 2:
        raise ValueError("give state or states, not both")
    return changed, states_of(game, abstraction, given[0], which, num_rows) if given else None
