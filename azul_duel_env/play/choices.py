"""Legal actions as a person picks them: one part of the table after the other, each with a label.

``duel.draw.parts`` says which parts stand for an action, in which order; here each gets its words, so that page and terminal ask alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from azul_duel_env.duel.actions import decode
from azul_duel_env.duel.components import (
    BROKEN,
    COLOUR_LETTERS,
    COLOURS,
    EMPTY,
    LAYOUT_SPACES,
    NUM_ROTATIONS,
)
from azul_duel_env.duel.draw import parts
from azul_duel_env.duel.words import SLOT_WORDS, chip_words, describe, dome_tile_words, factory_words
from azul_duel_env.game import Position


@dataclass(frozen=True)
class Choice:
    """A legal action.

    Attributes:
        action: its number.
        name: in the notation, such as ``B small-2 blue -> line 3``.
        words: in plain words.
        parts: the keys of the parts of the table that stand for it, in the order in which a person picks them.
        labels: words for each of them.
        layout: how the dome tile that it places comes to lie, as four letters ``TL TR BL BR``; "" for other actions.
    """

    action: int
    name: str
    words: str
    parts: tuple[str, ...]
    labels: tuple[str, ...]
    layout: str


def choices_of(position: Position, names: Sequence[str]) -> list[Choice]:
    """Return the legal actions of whoever decides, ascending; none at the end."""
    state = position.states[0]
    return [_choice(action, name, state, names) for action, name in position.named_actions()]


def _choice(action: int, name: str, state: Any, names: Sequence[str]) -> Choice:
    keys = parts(action, state)
    labels = _labels(action, state)
    if len(labels) != len(keys):  # the drawing knows better how many parts there are
        labels = (*keys[:-1], labels[-1])
    return Choice(action, name, describe(action, state, names), keys, labels, layout_of(action, state))


@dataclass(frozen=True)
class Step:
    """One part that can be picked next: its key, its words, and the choices that remain with it."""

    key: str
    label: str
    choices: tuple[Choice, ...]


def steps_after(choices: Sequence[Choice], picked: Sequence[str]) -> list[Step]:
    """Return what can be picked after some parts, in the order of the actions.

    Args:
        choices: the legal actions.
        picked: keys of the parts that were picked so far.
    """
    depth = len(picked)
    found: dict[str, list[Choice]] = {}
    for choice in choices:
        if len(choice.parts) > depth and choice.parts[:depth] == tuple(picked):
            found.setdefault(choice.parts[depth], []).append(choice)
    return [Step(key, rest[0].labels[depth], tuple(rest)) for key, rest in found.items()]


# Words ----------------------------------------------------------------------------------------
def _line(destination: int) -> str:
    return "broken tiles" if destination == BROKEN else f"pattern line {destination + 1}"


def _slot(slot: int) -> str:
    return f"the {SLOT_WORDS[slot]} slot"


def _turned(rotation: int) -> str:
    return "as it lies" if rotation == 0 else f"turned {90 * rotation}° clockwise"


def _labels(action: int, state: Any) -> tuple[str, ...]:  # noqa: PLR0911 - one line a block
    """Return words for what a person picks, one part after the other."""
    block, i = decode(action)
    match block:
        case "sun":
            return f"{state.suns[i[0], i[1]]} {COLOURS[i[1]]} from the sun of {factory_words(i[0])}", _line(i[2])
        case "moon":
            return f"{tiles_on_moons(state, i[0])} {COLOURS[i[0]]} from the moons", _line(i[1])
        case "dome_display":
            return dome_tile_words(int(state.display[i[0]])), _slot(i[1]), _turned(i[2])
        case "dome_draw":
            return ("draw a dome tile from the stack, for 1 point",)
        case "bonus_take":
            return (f"{chip_words(int(state.factory_chips[i[0]]))} of {factory_words(i[0])}",)
        case "dome_stop":
            return ("stop drawing",)
        case "dome_choose":
            return (dome_tile_words(i[0]),)
        case "dome_place":
            return _slot(i[0]), _turned(i[1])
        case "moon_order":
            return (f"{COLOURS[i[0]]} next on the moon",)
        case "tile_column":
            return (f"column {i[0] + 1}",)
        case "chip_spend":
            return (f"turn over a {chip_words(i[0])}",)
        case _:
            return ("leave the line unfinished",)


def tiles_on_moons(state: Any, colour: int) -> int:
    """Return how many tiles of a colour an action takes from all moons: those on top, and all on the large factory's."""
    tops = 0
    for stack in state.moons:
        here = [tile for tile in stack.tolist() if tile != EMPTY]
        tops += bool(here) and here[-1] == colour
    return tops + int(state.large_moon[colour])


def layout_of(action: int, state: Any) -> str:
    """Return how the dome tile that an action places comes to lie, as four letters ``TL TR BL BR``; "" for other actions."""
    block, i = decode(action)
    if block == "dome_display":
        tile, rotation = int(state.display[i[0]]), i[2]
    elif block == "dome_place":
        tile, rotation = int(state.kept), i[1]
    else:
        return ""
    letters = f"{COLOUR_LETTERS}*W"
    return "".join(letters[space] for space in LAYOUT_SPACES[NUM_ROTATIONS * tile + rotation].tolist())
