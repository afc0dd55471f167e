"""Which parts of the picture stand for an action: the one rule of overlays, marks, heat and clicking.

Keys, with numbers from 0 as in the action table:

==================  =====================================================================================
``sun-F-COLOUR``    the tiles of a colour on the sun of factory F (4: the large one)
``moon-COLOUR``     the tiles of a colour that can be taken from the moons, all together: several groups of the drawing may have this key
``display-N``       a dome tile of the display
``stack``           the stack of dome tiles
``bonus-F``         a revealed bonus chip on a small factory
``drawn-T``         dome tile T, drawn from the stack, in sight of who drew it
``line-S-N``        pattern line N of seat S
``broken-S``        the broken-tile space of seat S
``slot-S-N``        an empty slot of the dome of seat S, row by row
``column-S-R-C``    an empty space for a tile in the dome of seat S, row R, column C
``chip-S-KIND``     bonus chips of a kind, such as KY, face up in the store of seat S
``rotation-N``      N quarter turns clockwise; never in the drawing: ``picture.turned`` draws them to choose from
``button-NAME``     an action without a place, ``dome_stop`` or ``chip_decline``; never in the drawing
==================  =====================================================================================
"""

from __future__ import annotations

from typing import Any

from azul_duel_env.games.duel.actions import decode
from azul_duel_env.games.duel.components import BROKEN, CHIPS, COLOURS


def parts(action: int, state: Any) -> tuple[str, ...]:
    """Return the keys of the parts that stand for an action, in the order in which a person picks them: source, destination, rotation.

    Args:
        action: a legal action of the state, 0 to 399.
        state: one state record, before the action.

    Raises:
        ValueError: no such action.
    """
    block, i = decode(int(action))
    seat = int(state.active)
    match block:
        case "sun":
            return sun_key(i[0], i[1]), destination_key(seat, i[2])
        case "moon":
            return moon_key(i[0]), destination_key(seat, i[1])
        case "dome_display":
            return f"display-{i[0]}", f"slot-{seat}-{i[1]}", f"rotation-{i[2]}"
        case "dome_place":
            return f"slot-{seat}-{i[0]}", f"rotation-{i[1]}"
    return (_single_part(block, i, seat, state),)


def _single_part(block: str, i: tuple[int, ...], seat: int, state: Any) -> str:
    """Return the key of an action that one part stands for."""
    match block:
        case "dome_draw":
            return "stack"
        case "bonus_take":
            return f"bonus-{i[0]}"
        case "dome_choose":
            return f"drawn-{i[0]}"
        case "moon_order":
            return sun_key(int(state.ordering), i[0])
        case "tile_column":
            return f"column-{seat}-{int(state.line)}-{i[0]}"
        case "chip_spend":
            return f"chip-{seat}-{CHIPS[i[0]]}"
    return f"button-{block}"


def is_drawn(key: str) -> bool:
    """Return whether a part with this key can be in a drawing."""
    return not key.startswith(("rotation-", "button-"))


def sun_key(factory: int, colour: int) -> str:
    """Return the key of the tiles of a colour on a sun."""
    return f"sun-{factory}-{COLOURS[colour]}"


def moon_key(colour: int) -> str:
    """Return the key of the tiles of a colour on all moons."""
    return f"moon-{COLOURS[colour]}"


def moon_top_key(factory: int) -> str:
    """Return the key of the top of a small moon, which is no part: it marks where a tile was stacked."""
    return f"top-{factory}"


def destination_key(seat: int, destination: int) -> str:
    """Return the key of a pattern line or the broken-tile space."""
    return f"broken-{seat}" if destination == BROKEN else f"line-{seat}-{destination}"
