"""Legal actions as a person picks them: the parts of the table that stand for one, each with its words and colour."""

from __future__ import annotations

from typing import Any

from azul_duel_env.game import Part
from azul_duel_env.games.pavilion_mini.actions import decode
from azul_duel_env.games.pavilion_mini.components import COLOUR_LETTERS, COLOURS
from azul_duel_env.games.pavilion_mini.drawing.parts import parts
from azul_duel_env.games.pavilion_mini.drawing.themes import LIGHT
from azul_duel_env.games.pavilion_mini.preview import pass_words, placement_words, taking_costs
from azul_duel_env.games.pavilion_mini.words import payment_words, space_words, take_words

BOARD_COLOURS = {
    rf"(?<![A-Za-z]){letter}(?![A-Za-z]{{2}})": colour
    for letter, colour in zip(COLOUR_LETTERS, ("magenta", "green", "dark_orange", "yellow", "blue", "red"), strict=True)
}
"""Capital letters of tiles -> colour in a terminal."""


def pickable_parts(action: int, state: Any) -> tuple[Part, ...]:
    """Return what a person picks for an action, in order; keys as ``drawing.parts`` has them.

    Args:
        action: a legal action of the state, 0 to 330.
        state: one state record, before the action.
    """
    block, i = decode(int(action))
    return tuple(_part(key, block, i, state) for key in parts(action, state))


def _part(key: str, block: str, i: tuple[int, ...], state: Any) -> Part:
    """Return one of the parts of an action, with its words."""
    if key.startswith("pass-"):
        cost = pass_words(state)
        return Part(key, f"pass; {cost}" if cost else "pass")
    if key == "button-keep":
        return Part(key, "keep the rest", question="Which tile do you throw?")
    match block:
        case "take":
            cost = taking_costs(state, *i)
            return Part(key, take_words(state, *i) + (f" ({cost})" if cost else ""), colour=_colour(i[1]))
        case "pay":
            return Part(key, payment_words(state, i[0]))
        case "bonus":
            return Part(key, f"{COLOURS[i[0]]} from the supply", colour=_colour(i[0]))
        case "discard":
            return Part(key, f"throw {COLOURS[i[0]]}", question="Which tile do you throw?", colour=_colour(i[0]))
    if key.startswith("space-"):
        return Part(key, f"{space_words(state, i[0])}: {placement_words(state, i[0])}")
    return Part(key, COLOURS[i[1]], question="Which colour?", colour=_colour(i[1]))


def _colour(colour: int) -> str:
    return LIGHT[COLOURS[colour]]
