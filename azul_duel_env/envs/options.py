"""What users give to environments, checked: options by keyword, options of a reset, and states to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

import numpy as np

from azul_duel_env.game import Game, Position, copy_of

FIXED = "explicit_chance"
"""The one option of a game that a reset can't change."""


def split_options(game: Game, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Split options of an environment into the granularity and the options of the game.

    Raises:
        ValueError: an option that is neither, or a value that an option of the granularity can't have.
    """
    asked = [field.name for field in fields(game.granularity)]
    known = [*asked, *(field.name for field in fields(game.options))]
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"unknown option {name!r}: there are {', '.join(known)}{hint}")
    granularity = game.granularity(**{name: value for name, value in options.items() if name in asked})
    return granularity, {name: value for name, value in options.items() if name not in asked}


def changed_options(configuration: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options of a reset that change the configuration of the game; ``state`` and options of others are left out.

    Raises:
        ValueError: an option that looks like a misspelt one, or that a reset can't change.
    """
    known = [name for name in vars(configuration) if name != FIXED]
    for name in options:
        close = get_close_matches(str(name), [*known, "state"], 1, 0.8)
        if name == FIXED or (name not in known and name != "state" and close):
            hint = f": did you mean {close[0]!r}?" if close else ": it is fixed when the environment is made"
            raise ValueError(f"unknown reset option {name!r}{hint}")
    return {name: value for name, value in options.items() if name in known}


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
    position.states[FIXED] = 0
    ahead = position.copy()
    game.go_on_by_policy(ahead.states, 0, granularity.layer)
    mask = np.zeros(granularity.num_actions, np.int8)
    game.asked_mask(ahead.states, 0, granularity.layer, mask)
    if not (ahead.over or mask.any()):
        due = game.decision_name(ahead.states, 0)
        raise ValueError(f"an episode can't begin with this state: {granularity} does not ask what is due ({due})")
    return position
