"""Actions and decisions in plain words, for people who look on or play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.duel.actions import SOURCES, decode
from azul_duel_env.duel.components import (
    BROKEN,
    CHIP_SHOWS,
    COLOURS,
    EMPTY,
    KIND_OF,
    KINDS,
    LARGE,
)
from azul_duel_env.duel.state import GAME_OVER, NO_CHANCE, NOBODY, STAGES

QUESTIONS = {
    "opening": "places a first dome tile",
    "turn": "takes tiles, a dome tile or a bonus chip",
    "drawing": "draws one more dome tile or stops",
    "keeping": "keeps one of the drawn dome tiles",
    "returning": "puts drawn dome tiles under the stack",
    "placing": "places the dome tile",
    "ordering": "stacks the remaining tiles on the moon",
    "column": "moves the tile of pattern line {line} into the dome",
    "paying": "turns bonus chips over for pattern line {line}, or leaves it",
}
YOU = "You"
VERBS = {"takes", "places", "draws", "keeps", "puts", "stacks", "moves", "turns", "leaves", "stops"}
SLOT_WORDS = ("top left", "top", "top right", "left", "centre", "right", "bottom left", "bottom", "bottom right")
TURNED = ("", ", turned by a quarter", ", turned upside down", ", turned by three quarters")


def factory_words(factory: int) -> str:
    """Return what a factory is called."""
    return "the large factory" if factory == LARGE else f"factory {factory + 1}"


def destination_words(destination: int) -> str:
    """Return where taken tiles go."""
    return "the broken tiles" if destination == BROKEN else f"pattern line {destination + 1}"


def slot_words(slot: int) -> str:
    """Return where a slot of the dome is."""
    return f"the {SLOT_WORDS[slot]} of the dome"


def chip_words(kind: int) -> str:
    """Return the colours that a kind of bonus chip shows."""
    return " and ".join(colour for colour, shown in zip(COLOURS, CHIP_SHOWS[kind], strict=True) if shown)


def factories_with_moon(state: Any, colour: int) -> list[int]:
    """Return the factories from whose moon action C takes a colour: on top of a small one, anywhere on the large one (D41, D42)."""
    stacks = ([tile for tile in moon if tile != EMPTY] for moon in state.moons.tolist())
    small = [factory for factory, stack in enumerate(stacks) if stack and stack[-1] == colour]
    return small + ([LARGE] if state.large_moon[colour] else [])


def tiles_on_moons(state: Any, colour: int) -> int:
    """Return how many tiles of a colour action C takes."""
    return sum(
        int(state.large_moon[colour]) if factory == LARGE else 1 for factory in factories_with_moon(state, colour)
    )


def describe(action: int, state: Any, names: Sequence[str]) -> str:
    """Return an action in plain words, such as ``Anna takes 2 blue from factory 2 to pattern line 3``.

    Args:
        action: 0 to 399.
        state: the state (one record) in which it is legal.
        names: of the players.

    Raises:
        ValueError: there is no such action.
    """
    return _said_of(names[int(state.player)], _deed(int(action), state))


def _said_of(name: str, deed: str) -> str:
    """Return a sentence about a player; one who is called You is addressed."""
    if name == YOU:
        deed = " ".join(word.removesuffix("s") if word in VERBS else word for word in deed.split(" "))
    return f"{name} {deed}"


def _deed(action: int, state: Any) -> str:  # noqa: PLR0911 - one line a block
    block, i = decode(action)
    match block:
        case "sun":
            return f"takes {state.suns[i[0], i[1]]} {COLOURS[i[1]]} from {factory_words(i[0])} to {destination_words(i[2])}"
        case "moon":
            return f"takes {tiles_on_moons(state, i[0])} {COLOURS[i[0]]} from the moons to {destination_words(i[1])}"
        case "dome_display":
            kind = KINDS[KIND_OF[state.display[i[0]]]]
            return f"places a dome tile with a {kind} space at {slot_words(i[1])}{TURNED[i[2]]}"
        case "dome_place":
            return f"places the dome tile at {slot_words(i[0])}{TURNED[i[1]]}"
        case "dome_draw":
            return "draws a dome tile for 1 point"
        case "dome_stop":
            return "stops drawing"
        case "dome_choose":
            return "keeps a drawn dome tile" if state.kept == EMPTY else "puts a drawn dome tile under the stack"
        case "bonus_take":
            return f"takes the bonus chip of {factory_words(i[0])}"
        case "moon_order":
            return f"puts {COLOURS[i[0]]} on the moon of {factory_words(int(state.ordering))}"
        case "tile_column":
            return f"moves a tile of pattern line {int(state.line) + 1} to column {i[0] + 1}"
        case "chip_spend":
            return f"turns over a bonus chip ({chip_words(i[0])}) for pattern line {int(state.line) + 1}"
    return f"leaves pattern line {int(state.line) + 1} unfinished"


def question(state: Any, names: Sequence[str] = ("player_0", "player_1")) -> str:
    """Return what is decided next and by whom, in plain words."""
    if state.stage == GAME_OVER:
        return "The game is over"
    if state.chance != NO_CHANCE or state.player == NOBODY:
        return "Something is drawn"
    if state.source != NOBODY:
        return _said_of(names[int(state.player)], f"places what is taken: {SOURCES[state.source]}")
    text = QUESTIONS[STAGES[state.stage]].format(line=int(state.line) + 1)
    return _said_of(names[int(state.player)], text)
