"""Actions and decisions in plain words, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from azul_duel_env.game import YOU
from azul_duel_env.games.duel.actions import decode
from azul_duel_env.games.duel.components import (
    BROKEN,
    CHIP_SHOWS,
    CHIPS_PER_ROUND,
    COLOURS,
    EMPTY,
    FACE_DOWN,
    LARGE,
    LAYOUT_SPACES,
    MOON_HEIGHT,
    NO_CHIP,
    NUM_ROTATIONS,
    NUM_SMALL,
)
from azul_duel_env.games.duel.names import is_paid_already
from azul_duel_env.games.duel.state import (
    COLUMN,
    DRAWING,
    GAME_OVER,
    KEEPING,
    NO_CHANCE,
    NOBODY,
    ON_LARGE_FACTORY,
    OPENING,
    ORDERING,
    PAYING,
    PLACING,
    RETURNING,
    TURN,
)

NAMES = ("player_0", "player_1")
VERBS = {"takes", "places", "draws", "pays", "keeps", "puts", "stacks", "moves", "turns", "leaves", "stops", "breaks"}
SPACE_WORDS = (*COLOURS, "special", "wild")
SLOT_WORDS = tuple(f"{row} {column}" for row in ("top", "middle", "bottom") for column in ("left", "centre", "right"))
CHIP_WORDS = tuple("-".join(colour for colour, shows in zip(COLOURS, row, strict=True) if shows) for row in CHIP_SHOWS)


def dome_tile_words(tile: int, rotation: int = 0) -> str:
    """Return what a dome tile shows, such as ``yellow, black / turquoise, special``: top row / bottom row."""
    top_left, top_right, bottom_left, bottom_right = (
        SPACE_WORDS[space] for space in LAYOUT_SPACES[NUM_ROTATIONS * tile + rotation].tolist()
    )
    return f"{top_left}, {top_right} / {bottom_left}, {bottom_right}"


def chip_words(kind: int) -> str:
    """Return the name of a bonus chip, such as ``turquoise-yellow bonus chip``."""
    return f"{CHIP_WORDS[kind]} bonus chip"


def factory_words(factory: int) -> str:
    """Return the name of a factory."""
    return "the large factory" if factory == LARGE else f"factory {factory + 1}"


def round_name(round_number: int) -> str:
    """Return what a round is called."""
    return f"round {round_number}" if round_number else "opening"


# What is decided ------------------------------------------------------------------------------
def is_secret(state: Any) -> bool:
    """Return whether a dome tile is kept or put back, of which only the player who decides may see the front (R4, R5)."""
    return bool(state.stage in (KEEPING, RETURNING))


def question(state: Any) -> str:
    """Return the decision that is due in plain words, such as ``Take tiles, a dome tile or a bonus chip``.

    Args:
        state: one state record. What is asked for is what everybody sees.
    """
    if state.chance != NO_CHANCE:
        return "Something is drawn"
    if state.stage == GAME_OVER:
        return "The game is over"
    if state.source != NOBODY:
        return "Choose the pattern line for these tiles"
    line = int(state.line) + 1
    match int(state.stage):
        case stage if stage == TURN:
            return _turn_question(state)
        case stage if stage == COLUMN:
            return f"Choose the space for the {_line_colour(state)} tile of pattern line {line}"
        case stage if stage == PAYING:
            return _paying_question(state)
        case stage if stage == ORDERING:
            return f"Choose the tile that goes on the moon of {factory_words(int(state.ordering))} next"
    return _DOME_QUESTIONS[int(state.stage)]


_DOME_QUESTIONS = {
    OPENING: "Take a dome tile of the display and place it: the first of the dome",
    DRAWING: "Draw another dome tile (1 point), or stop",
    KEEPING: "Choose the dome tile to keep",
    RETURNING: "Choose which goes under the stack next",
    PLACING: "Place the dome tile in an empty slot",
}


def _turn_question(state: Any) -> str:
    """Return what a turn can be used for."""
    player = int(state.player)
    choices = []
    if state.suns.any() or state.large_moon.any() or (state.moons != EMPTY).any():
        choices.append("tiles")
    if state.tokens[player] > 0:
        choices.append("a dome tile")
    revealed = [chip for chip in state.factory_chips.tolist() if chip not in (NO_CHIP, FACE_DOWN)]
    if revealed and state.chips_taken[player] < CHIPS_PER_ROUND:
        choices.append("a bonus chip")
    return "Take " + " or ".join([", ".join(choices[:-1]), choices[-1]] if len(choices) > 1 else choices)


def _paying_question(state: Any) -> str:
    line, player = int(state.line), int(state.active)
    missing = line + 1 - int(state.lines[player, line])
    spent = int(state.paid_matching) + int(state.paid_other)
    if is_paid_already(state):
        return f"Pattern line {line + 1} is paid for: turn over another bonus chip, or is it enough?"
    if spent:
        return f"Choose the next bonus chip to turn over for pattern line {line + 1}"
    return f"Finish pattern line {line + 1} ({_line_colour(state)}, {missing} missing) with bonus chips?"


def _line_colour(state: Any) -> str:
    return COLOURS[int(state.line_colours[int(state.active), int(state.line)])]


# What was done --------------------------------------------------------------------------------
def describe(action: int, state: Any, names: Sequence[str] = NAMES, seat: int | None = None) -> str:
    """Return an action as a sentence, such as ``Anna takes 3 blue from factory 2 and puts them on pattern line 4``.

    Args:
        action: a legal action of the state, 0 to 399.
        state: one state record, before the action.
        names: of the players.
        seat: who reads; what the other player does in secret (dome tiles kept and put back, R4, R5) is then not named. None: all is.

    Raises:
        ValueError: no such action.
    """
    block, i = decode(int(action))
    player = int(state.active)
    return _said_of(names[player], _deed(block, i, state, seat not in (None, player)))


def _said_of(name: str, deed: str) -> str:
    """Return a sentence about a player; one who is called You is addressed."""
    if name == YOU:
        own, *rest = deed.split(";")  # what breaks is said of tiles
        deed = ";".join([" ".join(word.removesuffix("s") if word in VERBS else word for word in own.split(" ")), *rest])
    return f"{name} {deed}"


def _deed(block: str, i: tuple[int, ...], state: Any, is_secret: bool) -> str:
    """Return what is done, without who does it."""
    line = int(state.line) + 1
    match block:
        case "sun":
            return _taking(int(state.suns[i[0], i[1]]), i[1], f"from {factory_words(i[0])}", i[2], state)
        case "moon":
            return _taking(
                _on_moons(state, i[0]), i[0], f"from the moons{_with_first_player_tile(state, i[0])}", i[1], state
            )
        case "dome_display":
            tile = int(state.display[i[0]])
            return f"takes the dome tile {dome_tile_words(tile, i[2])} and places it {SLOT_WORDS[i[1]]}{_turned(i[2])}"
        case "dome_draw":
            return "pays 1 point and draws a dome tile" if state.scores[int(state.active)] > 0 else "draws a dome tile"
        case "dome_place":
            return f"places the dome tile {dome_tile_words(int(state.kept), i[1])} {SLOT_WORDS[i[0]]}{_turned(i[1])}"
        case "moon_order":
            return f"stacks {COLOURS[i[0]]} on the moon of {factory_words(int(state.ordering))}"
        case "tile_column":
            return f"moves the {_line_colour(state)} tile of pattern line {line} to column {i[0] + 1}"
        case "chip_spend":
            return f"turns over the {chip_words(i[0])} for pattern line {line}"
    return _small_deed(block, i, state, is_secret)


def _small_deed(block: str, i: tuple[int, ...], state: Any, is_secret: bool) -> str:
    """Return the deeds that need few words."""
    match block:
        case "bonus_take":
            return f"takes the {chip_words(int(state.factory_chips[i[0]]))} of {factory_words(i[0])}"
        case "dome_stop":
            return "stops drawing"
        case "dome_choose":
            shown = "a dome tile" if is_secret else f"the dome tile {dome_tile_words(i[0])}"
            return f"keeps {shown}" if state.stage == KEEPING else f"puts {shown} under the stack"
    if is_paid_already(state):
        return f"turns over no more bonus chips for pattern line {int(state.line) + 1}"
    return f"leaves pattern line {int(state.line) + 1} unfinished"


def _turned(rotation: int) -> str:
    return f", turned by {90 * rotation}°" if rotation else ""


def _taking(count: int, colour: int, where: str, destination: int, state: Any) -> str:
    """Return the taking of tiles and where they go; tiles that don't fit break (D48)."""
    them = "it" if count == 1 else "them"
    taken = f"takes {count} {COLOURS[colour]} {where}"
    if destination == BROKEN:
        return f"{taken} and breaks {them}"
    room = destination + 1 - int(state.lines[int(state.active), destination])
    over = f"; {count - room} break{'s' if count - room == 1 else ''}" if count > room else ""
    return f"{taken} and puts {them} on pattern line {destination + 1}{over}"


def _on_moons(state: Any, colour: int) -> int:
    """Return how many tiles of a colour are taken from the moons (D41)."""
    tops = [_top(state.moons[factory]) for factory in range(NUM_SMALL)]
    return int(state.large_moon[colour]) + tops.count(colour)


def _top(moon: np.ndarray) -> int:
    """Return the colour on top of a small moon, or EMPTY."""
    return next((int(moon[height]) for height in reversed(range(MOON_HEIGHT)) if moon[height] != EMPTY), EMPTY)


def _with_first_player_tile(state: Any, colour: int) -> str:
    """Say whether the first-player tile comes along (D44)."""
    comes = state.large_moon[colour] > 0 and state.first_player_tile == ON_LARGE_FACTORY
    return ", with the first-player tile," if comes else ""
