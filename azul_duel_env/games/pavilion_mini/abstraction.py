"""How finely the game is asked: each sub-decision in full, in part, or resolved by a policy.

The game has one table of actions and asks one decision at a time. An ``ActionAbstraction`` makes of it a coarser or finer series of
decisions with another table: what is *asked*. An asked action stands for one action of the game, for two that follow each other, or for
several that a policy chooses among or that are asked next; a decision that a policy resolves is not asked at all. It changes neither rules
nor chance. The observation is always that of the game, which tells a space that is chosen before its colour.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from azul_duel_env.game.action_table import Block, lay_out
from azul_duel_env.games.pavilion_mini import actions
from azul_duel_env.games.pavilion_mini.actions import (
    DISCARD_TILE,
    MAX_LEGAL,
    MOST_WILDS,
    NUM_ACTIONS,
    PASS,
    PAY_WILDS,
    PLACE_TILE,
    action_name,
)
from azul_duel_env.games.pavilion_mini.components import COLOURS, EMPTY, GREY, NUM_COLOURS, NUM_SPACES, SPACE_NUMBER
from azul_duel_env.games.pavilion_mini.observation import OBSERVATION_SIZES, planes, unflatten, write_observation
from azul_duel_env.games.pavilion_mini.placing import fewest_wilds, most_wilds
from azul_duel_env.games.pavilion_mini.policies import keep_next_wild, least_useful, most_useful, pay_fewest_wilds
from azul_duel_env.games.pavilion_mini.state import BONUS, DISCARD, PAY, PLACE
from azul_duel_env.jit import rule
from azul_duel_env.kernels.constants import ASKED, ILLEGAL

CHOICES: dict[str, dict[str, str]] = {
    "placement": {
        "full": "space and colour in one action",
        "split": "the space, then the colour if there is a choice",
    },
    "payment": {
        "full": "after the placement, how many wild tiles are spent, if there is a choice",
        "with_placement": "together with the colour that is placed",
        "fewest_wilds": "never asked: as few wild tiles as possible",
        "keep_next_wild": "never asked: as few tiles as possible of the colour that is wild in the next round: the most wild tiles if that "
        "colour is placed, else, and in round 6, the fewest",
    },
    "bonus": {
        "full": "each tile to take next from the supply",
        "most_useful": "never asked: wild tiles, then those of the colour that the hand has most of, then in the order of colours",
    },
    "discards": {
        "full": "each tile to throw next at a pass",
        "least_useful": "whether to pass, which keeps as many tiles as possible; never which: first those of the colour that the hand has "
        "fewest of, then in the order of colours, and last those of the colour that is wild in the next round",
    },
}
"""Option -> value -> what is asked then; the first value is the default."""

NAMES = tuple(CHOICES)
PLACEMENT, PAYMENT, BONUS_CHOICE, DISCARDS = (np.int64(i) for i in range(len(NAMES)))
FULL = 0
SPLIT = 1
WITH_PLACEMENT, FEWEST_WILDS = 1, 2
PAYMENTS = MOST_WILDS + 1
FIRST_ACTION = {block.name: block.first for block in actions.BLOCKS}

MAX_ASKED = max(MAX_LEGAL, sum(int(n) * (NUM_COLOURS - 1) + 1 for n in SPACE_NUMBER[GREY]) + NUM_COLOURS)
"""Room for what is asked in any state: of each space that costs n tiles the wild colour with one payment, others with n; and discards."""

ABSTRACTION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("choices", np.int64, len(NAMES)),  # the place of each value in CHOICES
                ("num_actions", np.int64),
                ("observation_size", np.int64),
                # asked action for each action of the game, of a placement with its payment that with no wild tile; ASKED (-1) for one
                # never offered
                ("first", np.int16, NUM_ACTIONS),
                ("second", np.int16, NUM_ACTIONS),  # and once the space is chosen
            ],
            align=True,
        ),
    )
)
"""An abstraction as compiled code reads it."""


@dataclass(frozen=True)
class ActionAbstraction:
    """Which sub-decisions are asked; the values of each are the keys of ``CHOICES``.

    Raises:
        ValueError: a value that is none of those.
    """

    num_players: ClassVar[int]
    has_solver: ClassVar[bool] = False

    placement: str = "full"
    payment: str = "full"
    bonus: str = "full"
    discards: str = "full"

    def __post_init__(self) -> None:
        for name, values in CHOICES.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} must be one of {', '.join(values)}, not {getattr(self, name)!r}")

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The table of asked actions, as ``actions.BLOCKS`` is that of the game's."""
        return _layout(self)[0]

    @property
    def num_actions(self) -> int:
        """Size of the table of asked actions."""
        return self.blocks[-1].first + self.blocks[-1].size

    @property
    def observation_size(self) -> int:
        """Length of the observation."""
        return OBSERVATION_SIZES[self.num_players]

    @cached_property
    def record(self) -> np.ndarray:
        """The same for compiled code: an array of one ``ABSTRACTION`` record; don't write into it."""
        return _layout(self)[1]

    def __reduce__(self) -> tuple[type[ActionAbstraction], tuple[str, ...]]:
        """Copy and pickle the choices only: a copy of ``record`` could be written into, and would compile everything anew."""
        return type(self), tuple(getattr(self, name) for name in NAMES)

    def action_name(self, action: int) -> str:
        """Return the name of an asked action.

        Raises:
            ValueError: there is no such action.
        """
        if not 0 <= action < self.num_actions:
            raise ValueError(f"action {action} does not exist: actions are 0 to {self.num_actions - 1}")
        block = next(block for block in reversed(self.blocks) if block.first <= action)
        at = action - block.first
        match block.name:
            case "space":
                return f"place on {actions.SPACE_NAMES[at]}"
            case "colour":
                return f"place {COLOURS[at]}"
            case "colour_and_payment":
                return f"place {COLOURS[at // PAYMENTS]}, pay {at % PAYMENTS} wild"
            case "place_and_payment":
                return f"{action_name(FIRST_ACTION['place'] + at // PAYMENTS)}, pay {at % PAYMENTS} wild"
            case name:
                return action_name(FIRST_ACTION[name] + at)

    def unflatten(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Return the named blocks of one observation or a batch, as ``observation.unflatten``."""
        return unflatten(observation[..., : self.observation_size])

    def planes(self, observation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return one observation or a batch as planes and vector, as ``observation.planes``; advice ends the vector."""
        size = self.observation_size
        boards, vector = planes(observation[..., :size])
        return boards, np.concatenate([vector, observation[..., size:]], axis=-1)


assert tuple(field.name for field in fields(ActionAbstraction)) == NAMES


class ActionAbstractionForTwo(ActionAbstraction):
    """Which sub-decisions are asked of two players."""

    num_players = 2


class ActionAbstractionForThree(ActionAbstraction):
    """Which sub-decisions are asked of three players."""

    num_players = 3


class ActionAbstractionForFour(ActionAbstraction):
    """Which sub-decisions are asked of four players."""

    num_players = 4


ABSTRACTIONS: dict[int, type[ActionAbstraction]] = {
    kind.num_players: kind for kind in (ActionAbstractionForTwo, ActionAbstractionForThree, ActionAbstractionForFour)
}
"""Number of players -> dataclass of what is asked."""


# The tables -----------------------------------------------------------------------------------
@cache
def _layout(abstraction: ActionAbstraction) -> tuple[tuple[Block, ...], np.ndarray]:
    """Return the blocks of asked actions, and the record for compiled code."""
    blocks = lay_out(*_rows(abstraction))
    records = np.zeros(1, ABSTRACTION)
    record = records[0]
    record.choices = [list(CHOICES[name]).index(getattr(abstraction, name)) for name in NAMES]
    record.num_actions = blocks[-1].first + blocks[-1].size
    record.observation_size = abstraction.observation_size
    first = {block.name: block.first for block in blocks}
    record.first, record.second = ASKED, ASKED
    for block in actions.BLOCKS:
        if block.name in first:
            at = np.arange(block.size)
            record.first[block.first + at] = first[block.name] + at
    if abstraction.discards == "least_useful":
        record.first[DISCARD_TILE:] = first["pass"]
    _write_placements(abstraction, first, record)
    records.flags.writeable = False
    return blocks, records


def _write_placements(abstraction: ActionAbstraction, first: dict[str, int], record: np.record) -> None:
    """Write what is asked for the placements of the game, where that differs."""
    at = np.arange(NUM_SPACES * NUM_COLOURS)
    place = slice(PLACE_TILE, PLACE_TILE + len(at))
    if abstraction.placement == "split":
        record.first[place] = first["space"] + at // NUM_COLOURS
        if abstraction.payment == "with_placement":
            record.second[place] = first["colour_and_payment"] + at % NUM_COLOURS * PAYMENTS
        else:
            record.second[place] = first["colour"] + at % NUM_COLOURS
    elif abstraction.payment == "with_placement":
        record.first[place] = first["place_and_payment"] + at * PAYMENTS


def _rows(abstraction: ActionAbstraction) -> list[tuple[str, tuple[int, ...], str, str]]:
    """Return name, shape, axes and occasion of each block of asked actions."""
    rows: list[tuple[str, tuple[int, ...], str, str]] = []
    for block in actions.BLOCKS:
        if block.name == "place":
            rows += _rows_of_placement(abstraction, block)
        elif _is_asked(abstraction, block.name):
            rows.append((block.name, block.shape, block.axes, block.when))
    return rows


def _rows_of_placement(abstraction: ActionAbstraction, block: Block) -> list[tuple[str, tuple[int, ...], str, str]]:
    """Return the blocks of asked actions by which a tile is placed."""
    paid = abstraction.payment == "with_placement"
    if abstraction.placement == "full":
        if not paid:
            return [(block.name, block.shape, block.axes, block.when)]
        return [("place_and_payment", (*block.shape, PAYMENTS), f"{block.axes}, wild tiles", "phase 2: place a tile")]
    space = ("space", (NUM_SPACES,), "space (star, position)", "phase 2: where to place a tile")
    when = "phase 2, after `space`: the colour of the tile"
    if paid:
        return [space, ("colour_and_payment", (NUM_COLOURS, PAYMENTS), "colour, wild tiles", when)]
    return [space, ("colour", (NUM_COLOURS,), "colour", when)]


def _is_asked(abstraction: ActionAbstraction, block: str) -> bool:
    """Return whether a block of the game's actions is asked as it is."""
    asked_in = {"pay": abstraction.payment, "bonus": abstraction.bonus, "discard": abstraction.discards}
    return asked_in.get(block, "full") == "full"


# What is asked, and what it means -------------------------------------------------------------
@rule
def is_placement(action):
    """Return whether an action of the game chooses a space and a colour."""
    return PLACE_TILE <= action < PAY_WILDS


@rule
def space_of(action):
    """Return the space of a placement."""
    return (action - PLACE_TILE) // NUM_COLOURS


@rule
def fewest_of(state, action):
    """Return the fewest wild tiles that pay for a placement."""
    return fewest_wilds(state, space_of(action), (action - PLACE_TILE) % NUM_COLOURS)


@rule
def count_payments(state, action):
    """Return in how many ways a placement can be paid for."""
    return most_wilds(state, space_of(action), (action - PLACE_TILE) % NUM_COLOURS) - fewest_of(state, action) + 1


@rule
def has_chosen_space(state):
    """Return whether a space has been chosen, and its colour is asked next."""
    return state.stage == PLACE and state.space != EMPTY


@rule
def abstract_for(state, action, abstraction):
    """Return the asked action that stands for an action of the game, of several the first; ASKED if none does now."""
    if abstraction.choices[PAYMENT] == WITH_PLACEMENT and state.stage == PAY:
        placed = PLACE_TILE + NUM_COLOURS * np.int64(state.space) + state.colour
        table = abstraction.second if abstraction.choices[PLACEMENT] == SPLIT else abstraction.first
        return table[placed] + action - PAY_WILDS
    if has_chosen_space(state):
        if not is_placement(action) or space_of(action) != state.space or abstraction.second[action] == ASKED:
            return np.int64(ASKED)
        return abstraction.second[action] + first_payment(state, action, abstraction)
    return abstraction.first[action] + first_payment(state, action, abstraction)


@rule
def asks_payment(state, action, abstraction):
    """Return whether what stands for an action of the game tells a placement and its payment."""
    return (
        abstraction.choices[PAYMENT] == WITH_PLACEMENT
        and is_placement(action)
        and (abstraction.choices[PLACEMENT] != SPLIT or has_chosen_space(state))
    )


@rule
def first_payment(state, action, abstraction):
    """Return the payment of the first asked action that stands for an action of the game; 0 where it tells none."""
    return fewest_of(state, action) if asks_payment(state, action, abstraction) else 0


@rule
def num_abstract_for(state, action, abstraction):
    """Return how many asked actions, from ``abstract_for`` on, stand for an action of the game: one a payment where it is told."""
    return count_payments(state, action) if asks_payment(state, action, abstraction) else 1


@rule
def asks_all(state, abstraction):
    """Return whether each legal action of the game is asked as it is."""
    return abstraction.num_actions == NUM_ACTIONS and not has_chosen_space(state)


@rule
def list_abstract(state, abstraction, legal, count, asked):
    """Write what is asked for the game's legal actions ``legal[:count]``, ascending, into ``asked`` (int16, MAX_ASKED); return how many."""
    found = 0
    for k in range(count):
        first = abstract_for(state, legal[k], abstraction)
        if first == ASKED or (found > 0 and asked[found - 1] == first):
            continue
        for action in range(first, first + num_abstract_for(state, legal[k], abstraction)):
            asked[found] = action
            found += 1
    return found


@rule
def write_abstract_mask(state, abstraction, mask, legal, count):
    """Write 1 for each legal asked action and 0 for the others into ``mask`` (int8, abstraction.num_actions)."""
    mask[:] = 0
    if asks_all(state, abstraction):
        for k in range(count):
            mask[legal[k]] = 1
        return
    for k in range(count):
        first = abstract_for(state, legal[k], abstraction)
        if first != ASKED:
            for action in range(first, first + num_abstract_for(state, legal[k], abstraction)):
                mask[action] = 1


@rule
def write_abstract_observation(state, abstraction, viewer, out):  # noqa: ARG001 # as templates call it
    """Write the observation into ``out`` (float32, abstraction.observation_size)."""
    write_observation(state, viewer, out)


@rule
def policy_action(state, abstraction, legal):  # noqa: ARG001 # as templates call it
    """Return the action of the game that a policy takes in the decision that is due, or ASKED if the player is asked."""
    stage = state.stage
    if stage == PAY:
        return paid_by_policy(state, abstraction.choices[PAYMENT])
    if stage == BONUS and abstraction.choices[BONUS_CHOICE] != FULL:
        return np.int64(most_useful(state))
    if stage == DISCARD and abstraction.choices[DISCARDS] != FULL:
        return np.int64(least_useful(state))
    return np.int64(ASKED)


quick_policy_action = policy_action
"""Nothing must be solved."""


@rule
def paid_by_policy(state, choice):
    """Return what is paid without asking now, or ASKED."""
    if choice == FULL:
        return np.int64(ASKED)
    if choice == WITH_PLACEMENT:
        return np.int64(ASKED) if state.wilds == EMPTY else np.int64(PAY_WILDS + state.wilds)
    return np.int64(pay_fewest_wilds(state)) if choice == FEWEST_WILDS else np.int64(keep_next_wild(state))


@rule
def solve_decision(state):  # noqa: ARG001 # as templates call it
    """Return ASKED: nothing must be solved."""
    return np.int64(ASKED)


@rule
def game_action_for(state, abstraction, asked, legal, count):
    """Return the action of the game, of the legal ones ``legal[:count]``, that an asked action stands for, or ILLEGAL.

    ASKED means that it names a space, which the state now remembers, and that its colour is asked next. The state also remembers a payment
    that an asked action tells besides.
    """
    first = 0
    while first < count and not stands_for(state, abstraction, asked, legal[first]):
        first += 1
    if first == count or asked < 0:
        return np.int64(ILLEGAL)
    last = first + 1
    while last < count and stands_for(state, abstraction, asked, legal[last]):
        last += 1
    action = np.int64(legal[first])
    if asks_payment(state, action, abstraction):
        remember_payment(state, action, asked - abstract_for(state, action, abstraction))
        return action
    if action >= PASS and last > first + 1:
        return np.int64(least_useful(state))
    if is_placement(action) and leaves_choice(state, abstraction, legal, first, last):
        state.space = space_of(action)
        return np.int64(ASKED)
    return action


@rule
def stands_for(state, abstraction, asked, action):
    """Return whether an asked action stands for an action of the game."""
    first = abstract_for(state, action, abstraction)
    return first != ASKED and first <= asked < first + num_abstract_for(state, action, abstraction)


@rule
def remember_payment(state, action, more):
    """Remember a placement with its payment, which has so many wild tiles more than it needs; then the placement can be carried out."""
    state.space = space_of(action)
    state.colour = (action - PLACE_TILE) % NUM_COLOURS
    state.wilds = fewest_of(state, action) + more


@rule
def leaves_choice(state, abstraction, legal, first, last):
    """Return whether the placements ``legal[first:last]``, on one space that is asked for, leave a choice that is asked next."""
    if last > first + 1:
        return True
    return abstraction.choices[PAYMENT] == WITH_PLACEMENT and count_payments(state, legal[first]) > 1
