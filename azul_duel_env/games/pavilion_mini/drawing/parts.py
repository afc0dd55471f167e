"""Which parts of the picture stand for an action: the one rule of overlays, marks, heat and clicking.

Keys, with numbers from 0 as in the action table:

====================  ===========================================================================================
``factory-F-COLOUR``  the tiles of a colour on factory F
``centre-COLOUR``     the tiles of a colour in the centre of the table
``space-S-K``         empty space K of the board of seat S, ``6 * star + position``
``hand-S-COLOUR``     the tiles of a colour beside the board of seat S
``supply-COLOUR``     the tiles of a colour on the supply
``pass-S``            to pass, beside the name of seat S
``pay-K``             a payment with K wild tiles; never in the drawing
``button-keep``       throw no more tiles; never in the drawing
====================  ===========================================================================================
"""

from __future__ import annotations

from typing import Any

from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, decode
from azul_duel_env.games.pavilion_mini.components import (
    ALL_COLOURS,
    CENTRE,
    COLOURED,
    COLOURS,
    CORNERS,
    EMPTY,
    NUM_COLOURS,
    NUM_ROUNDS,
    SPACE_NUMBER,
    STAR_COLOUR,
    STAR_SIZE,
)
from azul_duel_env.games.pavilion_mini.state import PLACE, wild_of


def parts(action: int, state: Any) -> tuple[str, ...]:
    """Return the keys of the parts that stand for an action, in the order in which a person picks them.

    A space comes before the tiles for it, which are picked only where several colours fit; to pass comes before what is thrown.

    Args:
        action: a legal action of the state, 0 to 330.
        state: one state record, before the action.

    Raises:
        ValueError: no such action.
    """
    block, i = decode(int(action))
    seat = int(state.active)
    match block:
        case "take":
            return (source_key(i[0], i[1]),)
        case "place":
            space = (space_key(seat, i[0]),)
            return (*space, hand_key(seat, i[1])) if len(colours_that_fit(state, i[0])) > 1 else space
        case "pay":
            return (f"pay-{i[0]}",)
        case "bonus":
            return (supply_key(i[0]),)
        case "discard":
            return (*_passing(state), hand_key(seat, i[0]))
    return (*_passing(state), "button-keep") if may_throw(state) or state.stage != PLACE else (pass_key(seat),)


def _passing(state: Any) -> tuple[str, ...]:
    """Return what is picked before what is thrown."""
    return (pass_key(int(state.active)),) if state.stage == PLACE else ()


def is_drawn(key: str) -> bool:
    """Return whether a part with this key can be in a drawing."""
    return not key.startswith(("pay-", "button-"))


def source_key(source: int, colour: int) -> str:
    """Return the key of the tiles of a colour on a factory or in the centre."""
    return f"centre-{COLOURS[colour]}" if source == CENTRE_SOURCE else f"factory-{source}-{COLOURS[colour]}"


def space_key(seat: int, space: int) -> str:
    """Return the key of an empty space."""
    return f"space-{seat}-{space}"


def hand_key(seat: int, colour: int) -> str:
    """Return the key of the tiles of a colour beside a board."""
    return f"hand-{seat}-{COLOURS[colour]}"


def pass_key(seat: int) -> str:
    """Return the key of passing."""
    return f"pass-{seat}"


def supply_key(colour: int) -> str:
    """Return the key of the tiles of a colour on the supply."""
    return f"supply-{COLOURS[colour]}"


# What the rules say of a state, in plain Python -----------------------------------------------
def colours_in_star(board: Any, star: int) -> list[int]:
    """Return the colours of the tiles in a star of a board, by position."""
    return [int(colour) for colour in board[STAR_SIZE * star : STAR_SIZE * (star + 1)] if colour != EMPTY]


def colours_that_fit(state: Any, space: int) -> list[int]:
    """Return the colours that the player whose turn it is can place on an empty space and pay for (S20 to S24)."""
    hand, wild = state.hands[int(state.active)].tolist(), wild_of(state)
    number, allowed = int(SPACE_NUMBER[int(state.grey), space]), colours_allowed(state, space // STAR_SIZE)
    return [
        colour
        for colour in range(NUM_COLOURS)
        if allowed >> colour & 1 and hand[colour] and hand[colour] + (hand[wild] if colour != wild else 0) >= number
    ]


def colours_allowed(state: Any, star: int) -> int:
    """Return the set of colours that may come into a star of the player whose turn it is, as a bit mask (S22, SR13)."""
    if state.grey == COLOURED and star != CENTRE:
        return 1 << int(STAR_COLOUR[star])
    lying = colours_in_star(state.boards[int(state.active)], star)
    used = sum(1 << colour for colour in set(lying))
    if state.grey == COLOURED or len(set(lying)) > 1:
        return ALL_COLOURS & ~used
    return used if len(lying) > 1 else ALL_COLOURS


def may_throw(state: Any) -> bool:
    """Return whether who passes may throw a tile without having to (SR6, SR7)."""
    tiles = int(state.hands[int(state.active)].sum())
    return bool(state.keep_any) and state.round_number < NUM_ROUNDS and 0 < tiles <= CORNERS
