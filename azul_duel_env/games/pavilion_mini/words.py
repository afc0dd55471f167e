"""Actions, decisions and events in plain words, for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from azul_duel_env.game import Event, amount, listed, said_of
from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, decode
from azul_duel_env.games.pavilion_mini.components import (
    CENTRE,
    COLOURS,
    MOST_PLAYERS,
    NUM_OUTER,
    NUM_ROUNDS,
    SPACE_NUMBER,
    STAR_SIZE,
    STARS,
)
from azul_duel_env.games.pavilion_mini.drawing.parts import may_throw
from azul_duel_env.games.pavilion_mini.preview import thrown_at_pass
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
    wild_of,
)

NAMES = tuple(f"player_{seat}" for seat in range(MOST_PLAYERS))
VERBS = {"passes": "pass"} | {
    f"{verb}s": verb
    for verb in ("begin", "close", "get", "keep", "lose", "pay", "place", "start", "take", "throw", "win")
}
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
    thrown = thrown_at_pass(state)
    cost = f" and throw {amount(thrown, 'tile')} for a point each" if thrown else ""
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
            return f"takes {_one(COLOURS[i[0]])} from the supply"
        case "discard":
            passes = "passes and " if state.stage == PLACE else ""
            return f"{passes}throws {_one(COLOURS[i[0]])}"
    return _passing(state)


def take_words(state: Any, source: int, colour: int) -> str:
    """Return what a take brings, such as ``3 blue and a wild purple from factory 2`` (S10, S11, S13, S15)."""
    first = source == CENTRE_SOURCE and state.token == IN_CENTRE
    place = f"{source_words(source)}{', with the first-player token' if first else ''}"
    tiles, wild = state.centre if source == CENTRE_SOURCE else state.factories[source], wild_of(state)
    if colour == wild:
        return f"a wild {COLOURS[wild]} from {place}"
    with_wild = f" and a wild {COLOURS[wild]}" if tiles[wild] else ""
    return f"{int(tiles[colour])} {COLOURS[colour]}{with_wild} from {place}"


def _passing(state: Any) -> str:
    """Return what becomes of the tiles at a pass (S29, SR7)."""
    tiles = int(state.hands[int(state.active)].sum())
    if state.stage != PLACE:
        return f"keeps {amount(tiles, 'tile')}"
    if tiles == 0:
        return "passes"
    fate = "throws" if state.round_number == NUM_ROUNDS else "keeps"
    return f"passes and {fate} {amount(tiles, 'tile')}"


def _one(colour: str) -> str:
    """Return a tile of a colour, such as ``an orange tile``."""
    return f"{'an' if colour[0] in 'aeiou' else 'a'} {colour} tile"


# What happened --------------------------------------------------------------------------------
def describe_event(event: Event, names: Sequence[str] = NAMES, seat: int | None = None) -> str:  # noqa: ARG001 # nothing is hidden
    """Return an event as a sentence, such as ``Anna places a blue tile on the 2 of the blue star, paid with 2 blue: 1 point``.

    Args:
        event: one of ``events.EVENT_KINDS``.
        names: of the players.
        seat: who reads; all players see all (SR19).

    Raises:
        ValueError: no event of this game.
    """
    if event.kind in _HAPPENINGS:
        return _HAPPENINGS[event.kind](event, names)
    if event.kind not in _DEEDS:
        raise ValueError(f"{event.kind!r:.80} is no kind of event of Azul Summer Pavilion Mini")
    return said_of(names[event.player], _DEEDS[event.kind](event), VERBS)


def _tiles(counts: Sequence[int]) -> str:
    """Return tiles counted by colour, such as ``2 blue and 1 red``."""
    return listed([f"{count} {colour}" for colour, count in zip(COLOURS, counts, strict=True) if count])


def _of_colour(event: Any) -> str:
    """Return tiles of a colour and wild ones, such as ``3 blue and 1 wild tile``."""
    wild = [amount(event.wild_tiles, "wild tile")] if event.wild_tiles else []
    return listed([f"{event.count} {event.colour}", *wild])


def _losing(event: Any, due: int) -> str:
    """Say how many points are lost, and how many there would have been to lose (S17, SR2)."""
    lost = "" if -event.points == due else f"{-event.points} of "
    return f"loses {lost}{amount(due, 'point')}"


def _placement(event: Any) -> str:
    star, position = event.space.split()
    number = event.count + event.wild_tiles
    place = f" (space {position})" if star == STARS[CENTRE] and number != int(position) else ""  # on the grey side
    paid = f", paid with {_of_colour(event)}" if number > 1 else ""
    return (
        f"places {_one(event.colour)} on the {number}{place} of the {star} star{paid}: {amount(event.points, 'point')}"
    )


def _structure(event: Any) -> str:
    star = STARS.index(event.star)
    if event.structure == "statue":
        return f"closes the statue between the {event.star} star and the {STARS[(star + 1) % NUM_OUTER]} one"
    return f"closes the {event.structure} of the {event.star} star"


def _full_star(event: Any) -> str:
    kinds = {event.star: "", "multicoloured": ", multicoloured"}
    kind = kinds.get(event.star_kind, f", all {event.star_kind}")
    return f"gets {amount(event.points, 'point')} for the full {event.star} star{kind}"


def _victory(event: Any, names: Sequence[str]) -> str:
    if len(event.winners) == 1:
        return said_of(names[event.player], "wins", VERBS)
    return f"The victory is shared by {listed([names[winner] for winner in event.winners])}"


_HAPPENINGS: dict[str, Callable[[Any, Sequence[str]], str]] = {
    "round_begins": lambda e, names: (
        f"Round {e.round_number} begins, and {e.wild_colour} is wild. {said_of(names[e.player], 'starts', VERBS)}"
    ),
    "placing_begins": lambda e, names: f"All tiles are taken. {said_of(names[e.player], 'begins to place', VERBS)}",
    "round_over": lambda e, names: (
        f"Round {e.round_number} is over. {said_of(names[e.player], 'begins the next one', VERBS)}"
    ),
    "game_over": lambda e, names: f"The game is over. {_victory(e, names)}",
    "tiles_left": lambda e, _: f"{_tiles(e.tiles)} {'goes' if sum(e.tiles) == 1 else 'go'} to the centre",
    "tile_drawn": lambda e, _: f"A{_one(e.colour)[1:]} comes to {'the supply' if e.target == 'supply' else e.target}",
    "factory_filled": lambda e, _: f"F{e.source[1:]} {f'holds {_tiles(e.tiles)}' if any(e.tiles) else 'stays empty'}",
    "bag_refilled": lambda e, _: f"The deposit goes into the bag: {_tiles(e.tiles)}",
}
"""Kind -> the sentence of what is not just what a player does."""

_DEEDS: dict[str, Callable[[Any], str]] = {
    "first_player": lambda _: "begins the game",
    "star_scored": _full_star,
    "number_scored": lambda e: f"gets {amount(e.points, 'point')} for all {e.number}s",
    "tiles_taken": lambda e: f"takes {_of_colour(e)} from {'the centre' if e.source == 'centre' else e.source}",
    "token_taken": lambda e: f"takes the first-player token and {_losing(e, e.due)}",
    "tile_placed": _placement,
    "structure_closed": _structure,
    "tiles_owed": lambda e: f"gets {amount(e.count, 'tile')} of the supply",
    "bonus_taken": lambda e: f"takes {_one(e.colour)} from the supply",
    "passed": lambda e: "passes" if e.by_choice else "passes with nothing to place",
    "tiles_thrown": lambda e: f"throws {_tiles(e.tiles)} away and {_losing(e, sum(e.tiles))}",
    "tiles_kept": lambda e: f"keeps {_tiles(e.tiles)} for the next round",
}
"""Kind -> what a player does, without who does it."""
