"""Legal actions as a person picks them: the parts of the table that stand for one, each with its words, colour and picture."""

from __future__ import annotations

from typing import Any

from azul_duel_env.game import Component, Part, amount
from azul_duel_env.games.duel.actions import decode
from azul_duel_env.games.duel.components import (
    BROKEN,
    CHIP_SHOWS,
    COLOUR_LETTERS,
    COLOURS,
    NUM_CONDITIONS,
    NUM_DOME_TILES,
    NUM_ROTATIONS,
)
from azul_duel_env.games.duel.drawing.parts import parts
from azul_duel_env.games.duel.drawing.picture import scoring_tile, turned
from azul_duel_env.games.duel.drawing.themes import LIGHT
from azul_duel_env.games.duel.names import is_paid_already
from azul_duel_env.games.duel.preview import points_at
from azul_duel_env.games.duel.words import (
    SLOT_WORDS,
    chip_words,
    dome_tile_words,
    factory_words,
    on_moons,
    takes_first_player_tile,
)

COMPONENTS = {
    "tile": Component({"tile": NUM_DOME_TILES, "rotation": NUM_ROTATIONS}, turned),
    "condition": Component({"condition": NUM_CONDITIONS}, scoring_tile),
}
"""Small pictures: of a dome tile, turned clockwise by so many quarter turns, and of what a scoring tile wants."""

BOARD_COLOURS = {
    rf"(?<![a-z]){letter}(?![a-z]{{2}})": colour
    for letter, colour in zip(COLOUR_LETTERS, ("blue", "cyan", "red", "yellow", "bright_black"), strict=True)
}
"""Capital letters of what lies in stacks, on lines and on domes -> colour in a terminal."""


def pickable_parts(action: int, state: Any) -> tuple[Part, ...]:
    """Return what a person picks for an action, in order; keys as ``drawing.parts`` has them.

    Args:
        action: a legal action of the state, 0 to 399.
        state: one state record, before the action.
    """
    keys, labels = parts(action, state), _labels(action, state)
    colour, image = _colour_of(action), _image_of(action, state)
    return tuple(
        Part(
            key,
            label,
            question=_question(key),
            colour=colour if place == 0 else "",
            image=image if key.startswith("rotation-") else "",
        )
        for place, (key, label) in enumerate(zip(keys, labels, strict=True))
    )


def _question(key: str) -> str:
    """Return what is asked for where a part is picked after another."""
    if key.startswith("rotation-"):
        return "Which way round?"
    return "Which slot of your dome?" if key.startswith("slot-") else "Onto which pattern line?"


def _colour_of(action: int) -> str:
    """Return the colour of the tiles that an action takes from a sun or a moon, or stacks on one; "" for other actions."""
    block, i = decode(action)
    match block:
        case "sun":
            return LIGHT[COLOURS[i[1]]]
        case "moon" | "moon_order":
            return LIGHT[COLOURS[i[0]]]
    return ""


def _image_of(action: int, state: Any) -> str:
    """Return where the picture is of the dome tile that an action places, as it will lie; "" for other actions."""
    block, i = decode(action)
    match block:
        case "dome_display":
            return COMPONENTS["tile"].address("tile", int(state.display[i[0]]), i[2])
        case "dome_place":
            return COMPONENTS["tile"].address("tile", int(state.kept), i[1])
    return ""


# Words ----------------------------------------------------------------------------------------
def _line(destination: int) -> str:
    return "broken tiles" if destination == BROKEN else f"pattern line {destination + 1}"


def _turned(rotation: int) -> str:
    return "as it lies" if rotation == 0 else f"turned by {90 * rotation}°"


def _labels(action: int, state: Any) -> tuple[str, ...]:
    """Return words for what a person picks, one part after the other."""
    block, i = decode(action)
    match block:
        case "sun":
            return f"{state.suns[i[0], i[1]]} {COLOURS[i[1]]} from {factory_words(i[0])}", _line(i[2])
        case "moon":
            tile = ", and the first-player tile" if takes_first_player_tile(state, i[0]) else ""
            return f"{on_moons(state, i[0])} {COLOURS[i[0]]} from the moons{tile}", _line(i[1])
        case "dome_display":
            tile = dome_tile_words(int(state.display[i[0]]))
            return f"dome tile {i[0] + 1} of the display: {tile}", SLOT_WORDS[i[1]], _turned(i[2])
        case "dome_place":
            return SLOT_WORDS[i[0]], _turned(i[1])
    return (_single_label(block, i, state),)


def _single_label(block: str, i: tuple[int, ...], state: Any) -> str:
    """Return words for an action that one part stands for."""
    match block:
        case "dome_draw":
            return f"draw a dome tile from the stack {'for 1 point' if state.scores[int(state.active)] > 0 else 'for nothing'}"
        case "bonus_take":
            return f"{chip_words(int(state.factory_chips[i[0]]))} of {factory_words(i[0])}"
        case "dome_stop":
            return "stop drawing"
        case "dome_choose":
            return f"dome tile {dome_tile_words(i[0])}"
        case "moon_order":
            return f"{COLOURS[i[0]]} next on the moon"
        case "tile_column":
            points = points_at(state, int(state.active), int(state.line), i[0])
            return f"column {i[0] + 1}: {amount(points, 'point')}"
        case "chip_spend":
            matches = CHIP_SHOWS[i[0], int(state.line_colours[int(state.active), int(state.line)])]
            return f"turn over a {chip_words(i[0])}, which {'matches' if matches else 'does not match'}"
    return "enough chips: place the tile" if is_paid_already(state) else "leave the line unfinished"
