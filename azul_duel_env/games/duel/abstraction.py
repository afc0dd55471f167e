"""How finely the game is asked: each sub-decision in full, in part, or resolved by a policy.

The game has one table of actions and asks one decision at a time. An ``ActionAbstraction`` makes of it a coarser or finer series of
decisions with a smaller table: what is *asked*. An asked action stands for one action of the game, or for several that a policy chooses
among or that are asked next; a decision that a policy resolves is not asked at all. It changes neither rules nor chance.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, cached_property

import numpy as np

from azul_duel_env.game.action_table import Block, lay_out
from azul_duel_env.games.duel import actions
from azul_duel_env.games.duel.actions import (
    CHIP_DECLINE,
    CHIP_SPEND,
    DOME_STOP,
    MAX_LEGAL,
    NUM_ACTIONS,
    NUM_SOURCES,
    action_name,
)
from azul_duel_env.games.duel.components import NUM_COLOURS, NUM_DESTINATIONS, NUM_FACTORIES
from azul_duel_env.games.duel.engine import list_legal
from azul_duel_env.games.duel.observation import OBSERVATION_SIZE, planes, unflatten, write_observation
from azul_duel_env.games.duel.policies import best_fit, fewest_chips, useful_on_top
from azul_duel_env.games.duel.solver import most_points
from azul_duel_env.games.duel.state import COLUMN, DRAWING, KEEPING, NOBODY, ORDERING, PAYING, RETURNING
from azul_duel_env.jit import rule
from azul_duel_env.kernels.constants import ASKED, ILLEGAL, SOLVED

CHOICES: dict[str, dict[str, str]] = {
    "placement": {
        "full": "source and destination in one action",
        "split": "the source, then the pattern line or the broken-tile space",
        "best_fit": "the source; the line by the policy `best_fit`: one that can take the colour, then fewest tiles broken, "
        "fewest spaces left empty, longest line",
    },
    "bonus_chips": {
        "full": "each chip to turn over, or to leave the line unfinished",
        "whether": "whether to finish the line; the chips by the policy `fewest_chips`: matching ones first, chips of one colour first",
        "always": "never asked: every line that chips can finish is finished, with the chips of `fewest_chips`",
        "never": "never asked: no chip is turned over (a payment that a given state has begun is finished)",
        "most_points": "never asked: as in the dome tiling that brings most points in this round (in round 5 those of the scoring "
        "tiles too); of several such that which leaves most chips face up",
    },
    "moon_order": {
        "full": "each tile to stack next",
        "useful_on_top": "never asked: the colours that the player's unfinished lines want most end up on top",
    },
    "return_order": {
        "full": "each drawn dome tile to put under the stack next",
        "ascending": "never asked: in the order of the dome tiles' numbers",
    },
    "drawing": {
        "full": "after each dome tile drawn, whether to draw one more; then which to keep",
        "once": "never asked: one dome tile is drawn, and kept (of several in a given state that with the lowest number, and the "
        "others go back in the order of their numbers)",
    },
    "columns": {
        "full": "the column for each line's tile, if several accept it",
        "most_points": "never asked: as in the dome tiling that brings most points, with the chips of `most_points`",
    },
}
"""Option -> value -> what is asked then; the first value is the default."""

NAMES = tuple(CHOICES)
PLACEMENT, BONUS_CHIPS, MOON_ORDER, RETURN_ORDER, DRAWING_CHOICE, COLUMN_CHOICE = (
    np.int64(i) for i in range(len(NAMES))
)
FULL = 0
SPLIT, BEST_FIT = 1, 2
WHETHER, ALWAYS, NEVER, MOST_POINTS = 1, 2, 3, 4

MAX_ASKED = MAX_LEGAL
"""Room for what is asked in any state: never more than is legal."""

ABSTRACTION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("choices", np.int64, len(NAMES)),  # the place of each value in CHOICES
                ("num_actions", np.int64),
                ("observation_size", np.int64),
                (
                    "first",
                    np.int16,
                    NUM_ACTIONS,
                ),  # asked action for each action of the game; ASKED (-1) for one never offered
                ("second", np.int16, NUM_ACTIONS),  # and once the source is chosen
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

    placement: str = "full"
    bonus_chips: str = "full"
    moon_order: str = "full"
    return_order: str = "full"
    drawing: str = "full"
    columns: str = "full"

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
        """Length of the observation: with ``placement="split"`` the chosen source, one-hot, is added at its end."""
        return OBSERVATION_SIZE + (NUM_SOURCES if self.placement == "split" else 0)

    @property
    def has_solver(self) -> bool:
        """Whether the best dome tiling decides something."""
        return "most_points" in (self.bonus_chips, self.columns)

    @cached_property
    def record(self) -> np.ndarray:
        """The same for compiled code: an array of one ``ABSTRACTION`` record; don't write into it."""
        return _layout(self)[1]

    def __reduce__(self) -> tuple[type[ActionAbstraction], tuple[str, ...]]:
        """Copy and pickle the choices only: a copy of ``record`` could be written into, and would compile everything anew."""
        return ActionAbstraction, tuple(getattr(self, name) for name in NAMES)

    def action_name(self, action: int) -> str:
        """Return the name of an asked action.

        Raises:
            ValueError: there is no such action.
        """
        if not 0 <= action < self.num_actions:
            raise ValueError(f"action {action} does not exist: actions are 0 to {self.num_actions - 1}")
        block = next(block for block in reversed(self.blocks) if block.first <= action)
        at = action - block.first
        if block.name in actions.BLOCK:
            return action_name(actions.BLOCK[block.name].first + at)
        if block.name == "chip_pay":
            return "finish the line with bonus chips"
        if block.name == "destination":
            return f"-> {actions.DESTINATIONS[at]}"
        return f"take from {actions.SOURCES[at + (NUM_SOURCES - NUM_COLOURS if block.name == 'moon_source' else 0)]}"

    def unflatten(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Return the named blocks of one observation or a batch, as ``observation.unflatten``; ``source`` where it is asked."""
        named = unflatten(observation[..., :OBSERVATION_SIZE])
        if self.placement == "split":
            named["source"] = observation[..., OBSERVATION_SIZE : OBSERVATION_SIZE + NUM_SOURCES]
        return named

    def planes(self, observation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return one observation or a batch as planes and vector, as ``observation.planes``; ``source`` ends the vector."""
        boards, vector = planes(observation[..., :OBSERVATION_SIZE])
        return boards, np.concatenate([vector, observation[..., OBSERVATION_SIZE:]], axis=-1)


assert tuple(field.name for field in fields(ActionAbstraction)) == NAMES


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
        at = np.arange(block.first, block.first + block.size)
        if block.name in first:
            record.first[at] = first[block.name] + at - block.first
        elif block.name in ("sun", "moon"):
            record.first[at] = at // NUM_DESTINATIONS
        elif block.name == "chip_spend" and "chip_pay" in first:
            record.first[at] = first["chip_pay"]
    if abstraction.placement == "split":
        at = np.arange(NUM_SOURCES * NUM_DESTINATIONS)
        record.second[at] = first["destination"] + at % NUM_DESTINATIONS
    records.flags.writeable = False
    return blocks, records


def _rows(abstraction: ActionAbstraction) -> list[tuple[str, tuple[int, ...], str, str]]:
    """Return name, shape, axes and occasion of each block of asked actions."""
    rows: list[tuple[str, tuple[int, ...], str, str]] = []
    for block in actions.BLOCKS:
        if block.name == "sun" and abstraction.placement != "full":
            rows.append(("sun_source", (NUM_FACTORIES, NUM_COLOURS), "factory, colour", "action B: what to take"))
        elif block.name == "moon" and abstraction.placement != "full":
            rows.append(("moon_source", (NUM_COLOURS,), "colour", "action C: what to take"))
            if abstraction.placement == "split":
                rows.append(("destination", (NUM_DESTINATIONS,), "destination", "where what is taken goes"))
        elif block.name == "chip_spend" and abstraction.bonus_chips == "whether":
            rows.append(("chip_pay", (1,), "", "phase 2: finish the line with bonus chips"))
        elif _is_asked(abstraction, block.name):
            rows.append((block.name, block.shape, block.axes, block.when))
    return rows


def _is_asked(abstraction: ActionAbstraction, block: str) -> bool:
    """Return whether a block of the game's actions is asked as it is."""
    if block in ("chip_spend", "chip_decline"):
        return abstraction.bonus_chips in ("full", "whether")
    if block == "tile_column":
        return abstraction.columns == "full"
    if block == "moon_order":
        return abstraction.moon_order == "full"
    return block not in ("dome_stop", "dome_choose") or abstraction.drawing == "full"


# What is asked, and what it means -------------------------------------------------------------
@rule
def abstract_for(state, action, abstraction):
    """Return the asked action that stands for an action of the game, or -1 if none does now."""
    if state.source == NOBODY:
        return abstraction.first[action]
    return abstraction.second[action] if action // NUM_DESTINATIONS == state.source else ASKED


@rule
def num_abstract_for(state, action, abstraction):  # noqa: ARG001 # as templates call it
    """Return how many asked actions stand for an action of the game."""
    return 1


@rule
def asks_all(state, abstraction):
    """Return whether each legal action of the game is asked as it is."""
    return abstraction.num_actions == NUM_ACTIONS and state.source == NOBODY


@rule
def list_abstract(state, abstraction, legal, count, asked):
    """Write what is asked for the game's legal actions ``legal[:count]``, ascending, into ``asked`` (int16, MAX_ASKED); return how many."""
    found = 0
    for k in range(count):
        action = abstract_for(state, legal[k], abstraction)
        if action != ASKED and (found == 0 or asked[found - 1] != action):
            asked[found] = action
            found += 1
    return found


@rule
def write_abstract_mask(state, abstraction, mask, legal, count):
    """Write 1 for each legal asked action and 0 for the others into ``mask`` (int8, abstraction.num_actions)."""
    for action in range(abstraction.num_actions):
        mask[action] = 0
    if asks_all(state, abstraction):
        for k in range(count):
            mask[legal[k]] = 1
        return
    for k in range(count):
        action = abstract_for(state, legal[k], abstraction)
        if action != ASKED:
            mask[action] = 1


@rule
def write_abstract_observation(state, abstraction, viewer, out):
    """Write the observation into ``out`` (float32, abstraction.observation_size)."""
    write_observation(state, viewer, out)
    if abstraction.choices[PLACEMENT] == SPLIT:
        for source in range(NUM_SOURCES):
            out[OBSERVATION_SIZE + source] = 0.0
        if state.source != NOBODY and state.player == viewer:
            out[OBSERVATION_SIZE + int(state.source)] = 1.0


@rule
def policy_action(state, abstraction, legal):
    """Return the action of the game that a policy takes in the decision that is due, or ASKED if the player is asked."""
    action = quick_policy_action(state, abstraction, legal)
    return most_points(state) if action == SOLVED else action


@rule
def quick_policy_action(state, abstraction, legal):
    """Return the same as ``policy_action``, or SOLVED where the best dome tiling decides.

    Who steps many games need not have the solver compiled.
    """
    stage = state.stage
    if stage == ORDERING and abstraction.choices[MOON_ORDER] != FULL:
        return useful_on_top(state, legal, list_legal(state, legal))
    if stage == DRAWING and abstraction.choices[DRAWING_CHOICE] != FULL:
        return DOME_STOP
    if picks_lowest(stage, abstraction):
        list_legal(state, legal)
        return np.int64(legal[0])
    if solves(stage, abstraction):
        return np.int64(SOLVED)
    if stage == PAYING:
        return paid_by_policy(state, abstraction.choices[BONUS_CHIPS], legal)
    return np.int64(ASKED)


@rule
def solves(stage, abstraction):
    """Return whether the best dome tiling decides."""
    if stage == COLUMN:
        return abstraction.choices[COLUMN_CHOICE] != FULL
    return stage == PAYING and abstraction.choices[BONUS_CHIPS] == MOST_POINTS


@rule
def picks_lowest(stage, abstraction):
    """Return whether the lowest of the drawn dome tiles is taken: in a state from elsewhere several may have been drawn already."""
    if stage == KEEPING:
        return abstraction.choices[DRAWING_CHOICE] != FULL
    return stage == RETURNING and (
        abstraction.choices[RETURN_ORDER] != FULL or abstraction.choices[DRAWING_CHOICE] != FULL
    )


@rule
def paid_by_policy(state, choice, legal):
    """Return what a policy does about finishing a line with bonus chips, or ASKED."""
    begun = state.paid_matching + state.paid_other > 0
    if choice == NEVER and not begun:
        return CHIP_DECLINE
    if choice == ALWAYS or (choice != FULL and begun):  # R27: who has begun to pay must finish
        count = list_legal(state, legal)
        may_stop = legal[count - 1] == CHIP_DECLINE
        if begun and may_stop:  # R30: it is paid for
            return CHIP_DECLINE
        return np.int64(fewest_chips(state, legal, 0, count - 1 if may_stop else count))
    return np.int64(ASKED)


@rule
def game_action_for(state, abstraction, asked, legal, count):
    """Return the action of the game, of the legal ones ``legal[:count]``, that an asked action stands for, or ILLEGAL.

    ASKED means that it names a source, which the state now remembers, and that its destination is asked next.
    """
    if asks_all(state, abstraction):
        return np.int64(asked) if is_among(asked, legal, count) else np.int64(ILLEGAL)
    first = 0
    while first < count and abstract_for(state, legal[first], abstraction) != asked:
        first += 1
    if first == count or asked < 0:
        return np.int64(ILLEGAL)
    last = first + 1
    while last < count and abstract_for(state, legal[last], abstraction) == asked:
        last += 1
    if last == first + 1:
        return np.int64(legal[first])
    if legal[first] >= CHIP_SPEND:
        return np.int64(fewest_chips(state, legal, first, last))
    if abstraction.choices[PLACEMENT] == BEST_FIT:
        return np.int64(best_fit(state, legal, first, last))
    state.source = legal[first] // NUM_DESTINATIONS
    return np.int64(ASKED)


@rule
def is_among(action, legal, count):
    """Return whether an action is one of ``legal[:count]``: to look at all takes less than to guess where to stop."""
    found = 0
    for k in range(count):
        found += legal[k] == action
    return found > 0
