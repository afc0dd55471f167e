"""Parts of the picture: for each action, the things on the table that a person picks to make it.

| key | what it is |
| --- | --- |
| `sun-F-COLOUR` | the tiles of a colour on the sun of factory F (0 to 3 small, 4 large); while a moon is stacked, those still to go there |
| `moon-COLOUR` | the tiles of a colour that action C takes: on top of moons, and all on the large moon |
| `line-P-L` | pattern line L (0 to 5) of player P |
| `broken-P` | the broken-tile spaces of player P |
| `display-D` | place D (0 to 2) of the display |
| `stack` | the stack of dome tiles |
| `bonus-F` | the bonus chip of small factory F |
| `drawn-T` | drawn dome tile T (0 to 17), in the hand |
| `slot-P-S` | slot S (0 to 8) of player P's dome |
| `rotation-R` | the placed dome tile turned R quarter turns clockwise; not in the picture |
| `space-P-ROW-COLUMN` | a space of player P's dome |
| `chip-P-K` | player P's bonus chips of kind K (0 to 9) that show their front |
| `button-BLOCK` | what lies nowhere on the table: `button-dome_stop`, `button-chip_decline`; not in the picture |

Overlays of the drawing, clicks in the browser and steps in the terminal all go by this.
"""

from __future__ import annotations

from typing import Any

from azul_duel_env.duel.actions import decode
from azul_duel_env.duel.components import BROKEN, COLOURS


def parts(action: int, state: Any) -> tuple[str, ...]:  # noqa: PLR0911 - one line a block
    """Return the keys of the parts that stand for an action, in the order in which a person picks them.

    Args:
        action: 0 to 399.
        state: the state (one record) in which it is legal.

    Returns:
        One to three keys: source, destination, rotation. No two legal actions have the same.

    Raises:
        ValueError: there is no such action.
    """
    block, i = decode(int(action))
    player = int(state.player)
    match block:
        case "sun":
            return f"sun-{i[0]}-{COLOURS[i[1]]}", destination_part(player, i[2])
        case "moon":
            return f"moon-{COLOURS[i[0]]}", destination_part(player, i[1])
        case "dome_display":
            return f"display-{i[0]}", f"slot-{player}-{i[1]}", f"rotation-{i[2]}"
        case "dome_place":
            return f"slot-{player}-{i[0]}", f"rotation-{i[1]}"
        case "tile_column":
            return (f"space-{player}-{int(state.line)}-{i[0]}",)
        case "chip_spend":
            return (f"chip-{player}-{i[0]}",)
        case "moon_order":
            return (f"sun-{int(state.ordering)}-{COLOURS[i[0]]}",)
        case "dome_choose":
            return (f"drawn-{i[0]}",)
        case "bonus_take":
            return (f"bonus-{i[0]}",)
        case "dome_draw":
            return ("stack",)
    return (f"button-{block}",)


def destination_part(player: int, destination: int) -> str:
    """Return the key of where taken tiles go: a pattern line, or the broken-tile spaces."""
    return f"broken-{player}" if destination == BROKEN else f"line-{player}-{destination}"
