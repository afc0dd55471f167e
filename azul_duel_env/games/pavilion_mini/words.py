"""Actions and decisions in plain words, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.game import said_of
from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, decode
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    CORNERS,
    MOST_PLAYERS,
    NUM_ROUNDS,
    SPACE_NUMBER,
    STAR_SIZE,
    STARS,
)
from azul_duel_env.games.pavilion_mini.drawing.parts import may_throw, wild_of
from azul_duel_env.games.pavilion_mini.state import (
    BONUS,
    DISCARD,
    GAME_OVER,
    IN_CENTRE,
    NO_CHANCE,
    PAY,
    PLACE,
    TAKE,
    TILE,
)

NAMES = tuple(f"player_{seat}" for seat in range(MOST_PLAYERS))
VERBS = {"passes": "pass"} | {f"{verb}s": verb for verb in ("keep", "lose", "pay", "place", "take", "throw")}
"""Verb of a sentence about a player -> the same to a player."""


def source_words(source: int) -> str:
    """Return where tiles are taken from, such as ``factory 3``."""
    return "the centre" if source == CENTRE_SOURCE else f"factory {source + 1}"


def space_words(state: Any, space: int) -> str:
    """Return the name of a space, such as ``the 2 of the centre star``.

    On the grey side, where a star can have a number several times, it is told by its place: ``the 3 (space 4) of the centre star``.
    """
    star, position = divmod(space, STAR_SIZE)
    number = int(SPACE_NUMBER[int(state.grey), space])
    numbers = SPACE_NUMBER[int(state.grey), STAR_SIZE * star : STAR_SIZE * (star + 1)].tolist()
    place = f" (space {position + 1})" if numbers.count(number) > 1 else ""
    return f"the {number}{place} of the {STARS[star]} star"


def payment_words(state: Any, wilds: int) -> str:
    """Return what is paid with so many wild tiles, such as ``2 blue and 1 wild purple``."""
    own = int(SPACE_NUMBER[int(state.grey), int(state.space)]) - wilds
    wild = f" and {wilds} wild {COLOURS[wild_of(state)]}" if wilds else ""
    return f"{own} {COLOURS[int(state.colour)]}{wild}"


def round_name(round_number: int) -> str:
    """Return what a round is called."""
    return f"round {round_number}" if round_number else "setup"


# What is decided ------------------------------------------------------------------------------
def question(state: Any) -> str:
    """Return the decision that is due in plain words, such as ``Place a tile, or pass``.

    Args:
        state: one state record.
    """
    if state.chance != NO_CHANCE:
        return "A tile is drawn" if state.chance == TILE else "The first player is drawn"
    match int(state.stage):
        case stage if stage == TAKE:
            return f"Take tiles of a colour; {COLOURS[wild_of(state)]} is wild"
        case stage if stage == PLACE:
            return _placing_question(state)
        case stage if stage == PAY:
            number = int(SPACE_NUMBER[int(state.grey), int(state.space)])
            return f"Choose the {number} tiles that pay for {space_words(state, int(state.space))}"
        case stage if stage == BONUS:
            owed = int(state.owed)
            return f"Take {'a tile' if owed == 1 else f'{owed} tiles, one after the other,'} from the supply"
        case stage if stage == DISCARD:
            return f"Choose the next tile to throw{', or keep the rest' if may_throw(state) else ''}"
    return "The game is over" if state.stage == GAME_OVER else "The table is set"


def _placing_question(state: Any) -> str:
    """Return what a turn can be used for, and what a pass costs."""
    tiles = int(state.hands[int(state.active)].sum())
    thrown = tiles if state.round_number == NUM_ROUNDS else max(tiles - CORNERS, 0)
    cost = f" and throw {_number_of(thrown, 'tile')} for a point each" if thrown else ""
    return f"Place a tile, or pass{cost}; {COLOURS[wild_of(state)]} is wild"


# What was done --------------------------------------------------------------------------------
def describe(action: int, state: Any, names: Sequence[str] = NAMES, seat: int | None = None) -> str:  # noqa: ARG001 # nothing is hidden
    """Return an action as a sentence, such as ``Anna takes 3 blue and a wild purple from factory 2``.

    Args:
        action: a legal action of the state, 0 to 330.
        state: one state record, before the action.
        names: of the players.
        seat: who reads; all players see all (SR19).

    Raises:
        ValueError: no such action.
    """
    block, i = decode(int(action))
    return said_of(names[int(state.active)], _deed(block, i, state), VERBS)


def _deed(block: str, i: tuple[int, ...], state: Any) -> str:
    """Return what is done, without who does it."""
    match block:
        case "take":
            return f"takes {take_words(state, *i)}"
        case "place":
            return f"places {COLOURS[i[1]]} on {space_words(state, i[0])}"
        case "pay":
            return f"pays {payment_words(state, i[0])} for {space_words(state, int(state.space))}"
        case "bonus":
            return f"takes {_one(i[0])} from the supply"
        case "discard":
            passes = "passes and " if state.stage == PLACE else ""
            return f"{passes}throws {_one(i[0])}"
    return _passing(state)


def take_words(state: Any, source: int, colour: int) -> str:
    """Return what a take brings, such as ``3 blue and a wild purple from factory 2`` (S10, S11, S13, S15)."""
    first = source == CENTRE_SOURCE and state.token == IN_CENTRE
    place = f"{source_words(source)}{', with the first-player token' if first else ''}"
    tiles, wild = state.centre if source == CENTRE_SOURCE else state.factories[source], wild_of(state)
    if colour == wild:
        return f"a wild {COLOURS[wild]} from {place}"
    joker = f" and a wild {COLOURS[wild]}" if tiles[wild] else ""
    return f"{int(tiles[colour])} {COLOURS[colour]}{joker} from {place}"


def _passing(state: Any) -> str:
    """Return what becomes of the tiles at a pass (S29, SR7)."""
    tiles = int(state.hands[int(state.active)].sum())
    if state.stage != PLACE:
        return f"keeps {_number_of(tiles, 'tile')}"
    if tiles == 0:
        return "passes"
    fate = "throws" if state.round_number == NUM_ROUNDS else "keeps"
    return f"passes and {fate} {_number_of(tiles, 'tile')}"


def _number_of(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _one(colour: int) -> str:
    """Return a tile of a colour, such as ``an orange tile``."""
    return f"{'an' if COLOURS[colour][0] in 'aeiou' else 'a'} {COLOURS[colour]} tile"
