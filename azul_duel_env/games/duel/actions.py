"""The action table: one flat id for every decision of Azul Duel, with a name that a player understands."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from azul_duel_env.games.duel.components import (
    BROKEN,
    CHIPS,
    COLOURS,
    DISPLAY_SIZE,
    DOME_SIZE,
    DOME_TILES,
    FACTORIES,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_DESTINATIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_ROTATIONS,
    NUM_SLOTS,
    NUM_SMALL,
)


@dataclass(frozen=True)
class Block:
    """A run of action ids: its name, first id, shape (row-major) and when it is offered."""

    name: str
    first: int
    shape: tuple[int, ...]
    axes: str
    when: str

    @property
    def size(self) -> int:
        """Number of ids."""
        return prod(self.shape)


def lay_out(*rows: tuple[str, tuple[int, ...], str, str]) -> tuple[Block, ...]:
    """Number the blocks one after the other."""
    blocks: list[Block] = []
    first = 0
    for name, shape, axes, when in rows:
        blocks.append(Block(name, first, shape, axes, when))
        first += prod(shape)
    return tuple(blocks)


BLOCKS = lay_out(
    (
        "sun",
        (NUM_FACTORIES, NUM_COLOURS, NUM_DESTINATIONS),
        "factory, colour, destination",
        "action B: take from a sun",
    ),
    ("moon", (NUM_COLOURS, NUM_DESTINATIONS), "colour, destination", "action C: take from all moons"),
    (
        "dome_display",
        (DISPLAY_SIZE, NUM_SLOTS, NUM_ROTATIONS),
        "display place, slot, rotation",
        "action A, face up; and the opening placements",
    ),
    ("dome_draw", (1,), "", "action A, face down: pay 1 point, draw one dome tile; again while drawing"),
    ("bonus_take", (NUM_SMALL,), "small factory", "action D: take a revealed bonus chip"),
    ("dome_stop", (1,), "", "stop drawing dome tiles"),
    (
        "dome_choose",
        (NUM_DOME_TILES,),
        "dome tile",
        "keep this drawn dome tile; then: put this one under the stack next",
    ),
    ("dome_place", (NUM_SLOTS, NUM_ROTATIONS), "slot, rotation", "place the kept dome tile"),
    ("moon_order", (NUM_COLOURS,), "colour", "which remaining tile goes on the moon next, from the bottom up"),
    ("tile_column", (DOME_SIZE,), "column", "phase 2: the column where the finished line's tile goes"),
    ("chip_spend", (NUM_CHIP_KINDS,), "chip kind", "phase 2: turn over a bonus chip towards finishing the line"),
    (
        "chip_decline",
        (1,),
        "",
        'phase 2: leave the line unfinished; with `chip_payments="all"` also, once it is paid for: turn over no more chips',
    ),
)
NUM_ACTIONS = BLOCKS[-1].first + BLOCKS[-1].size
BLOCK = {block.name: block for block in BLOCKS}

# First id of each block, as int64 so that a small integer of the state can be added to it in plain NumPy as well.
(
    SUN,
    MOON,
    DOME_DISPLAY,
    DOME_DRAW,
    BONUS_TAKE,
    DOME_STOP,
    DOME_CHOOSE,
    DOME_PLACE,
    MOON_ORDER,
    TILE_COLUMN,
    CHIP_SPEND,
    CHIP_DECLINE,
) = (np.int64(block.first) for block in BLOCKS)

NUM_SOURCES = (NUM_FACTORIES + 1) * NUM_COLOURS
"""What tiles can be taken from: a colour on a sun, then a colour on all moons; each is a run of NUM_DESTINATIONS action ids from 0."""

MAX_LEGAL = 350
"""Room for the legal actions of any state: a turn offers at most 25 x 7 + 5 x 7 + 3 x 9 x 4 + 1 + 4 = 323."""


def block_of(action: int) -> Block:
    """Return the block of an action id.

    Raises:
        ValueError: the id is not in 0..399.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action} does not exist: actions are 0 to {NUM_ACTIONS - 1}")
    return next(block for block in reversed(BLOCKS) if block.first <= action)


def encode(block: str, *indices: int) -> int:
    """Return the id of an action from its block and indices.

    Raises:
        ValueError: unknown block, wrong number of indices, or an index out of range.
    """
    if block not in BLOCK:
        raise ValueError(f"unknown action block {block!r}: the blocks are {', '.join(BLOCK)}")
    shape = BLOCK[block].shape
    if shape == (1,) and not indices:
        indices = (0,)
    if len(indices) != len(shape) or not all(0 <= i < n for i, n in zip(indices, shape, strict=True)):
        raise ValueError(f"{block} takes indices below {shape}, not {indices}")
    return BLOCK[block].first + int(np.ravel_multi_index(indices, shape))


def decode(action: int) -> tuple[str, tuple[int, ...]]:
    """Return the block and indices of an action id; the inverse of ``encode``.

    Raises:
        ValueError: the id is not in 0..399.
    """
    block = block_of(action)
    return block.name, tuple(int(i) for i in np.unravel_index(action - block.first, block.shape))


# Names ----------------------------------------------------------------------------------------
DESTINATIONS = tuple("broken" if d == BROKEN else f"line {d + 1}" for d in range(NUM_LINES + 1))
SLOTS = tuple(f"slot {slot // 3 + 1}-{slot % 3 + 1}" for slot in range(NUM_SLOTS))
DOME_TILE_NAMES = tuple(f"{layout[:2]}/{layout[2:]}" for layout in DOME_TILES)


def _name(block: str, i: tuple[int, ...]) -> str:  # noqa: PLR0911 - one line a block
    """Return the name of an action given as block and indices."""
    match block:
        case "sun":
            return f"B {FACTORIES[i[0]]} {COLOURS[i[1]]} -> {DESTINATIONS[i[2]]}"
        case "moon":
            return f"C {COLOURS[i[0]]} -> {DESTINATIONS[i[1]]}"
        case "dome_display":
            return f"A display {i[0] + 1} -> {SLOTS[i[1]]} turned {90 * i[2]}"
        case "dome_draw":
            return "A draw"
        case "bonus_take":
            return f"D {FACTORIES[i[0]]}"
        case "dome_stop":
            return "stop drawing"
        case "dome_choose":
            return f"choose dome tile {DOME_TILE_NAMES[i[0]]}"
        case "dome_place":
            return f"place -> {SLOTS[i[0]]} turned {90 * i[1]}"
        case "moon_order":
            return f"stack {COLOURS[i[0]]}"
        case "tile_column":
            return f"column {i[0] + 1}"
        case "chip_spend":
            return f"spend chip {CHIPS[i[0]]}"
        case _:
            return "leave line unfinished"


SOURCES = tuple(f"{where} {colour}" for where in (*FACTORIES, "moons") for colour in COLOURS)
ACTION_NAMES = tuple(_name(*decode(action)) for action in range(NUM_ACTIONS))
_ACTION_OF_NAME = {name: action for action, name in enumerate(ACTION_NAMES)}


def action_name(action: int) -> str:
    """Return the name of an action, such as ``B small-2 blue -> line 3``; slots are row-column, turns are clockwise degrees.

    Raises:
        ValueError: the id is not in 0..399.
    """
    block_of(action)
    return ACTION_NAMES[action]


def parse_action(name: str) -> int:
    """Return the action with this name (space and case don't matter); the inverse of ``action_name``.

    Raises:
        ValueError: no action has this name; the message shows the closest ones.
    """
    wanted = " ".join(name.split())
    if wanted in _ACTION_OF_NAME:
        return _ACTION_OF_NAME[wanted]
    folded = {known.lower(): action for known, action in _ACTION_OF_NAME.items()}
    if wanted.lower() in folded:
        return folded[wanted.lower()]
    from difflib import get_close_matches

    close = get_close_matches(wanted, ACTION_NAMES, n=3, cutoff=0.5)
    hint = f"; close names: {', '.join(map(repr, close))}" if close else ""
    raise ValueError(f"no action is called {name!r:.80}{hint}")
