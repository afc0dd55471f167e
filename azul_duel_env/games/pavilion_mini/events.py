"""Events: what a step does besides the action, as plain objects (RULES 1.1 to 1.5).

A step is carried out one thing at a time (``steps``), and what each of them did is read off the states before and after it. Colours,
factories, spaces, stars and structures go by their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from azul_duel_env.game import Event, EventKind, Moment, Staging, one_by_one
from azul_duel_env.game.arrays import NOBODY, copy_of
from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, SOURCE_NAMES, SPACE_NAMES
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    EMPTY,
    STARS,
    STRUCTURE_KIND,
    STRUCTURE_KINDS,
    STRUCTURE_SPACES,
    STRUCTURE_TILES,
    STRUCTURES_AT,
)
from azul_duel_env.games.pavilion_mini.score_breakdown import STAR_KINDS, final_points_of
from azul_duel_env.games.pavilion_mini.state import (
    BONUS,
    CHOOSE_FIRST,
    DISCARD,
    FILL_FACTORIES,
    FILL_SUPPLY,
    GAME_OVER,
    PAY,
    PLACE,
    TAKE,
    TURN_OVER,
    wild_of,
)
from azul_duel_env.games.pavilion_mini.steps import begin_with_action, begin_with_outcome, go_on


# Rounds and the end ---------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class FirstPlayer(Event):
    """It has been drawn that ``player`` begins the first round (S7)."""

    kind: ClassVar[str] = "first_player"


@dataclass(frozen=True, kw_only=True)
class RoundBegins(Event):
    """A round begins, with ``player`` to take first (S6, S8, S31)."""

    kind: ClassVar[str] = "round_begins"
    round_number: int
    wild_colour: str


@dataclass(frozen=True, kw_only=True)
class PlacingBegins(Event):
    """Phase 2 begins, with ``player`` to place first: nothing is left to take (S18, S19, SR1)."""

    kind: ClassVar[str] = "placing_begins"


@dataclass(frozen=True, kw_only=True)
class RoundOver(Event):
    """All have passed: the token goes back to the centre, and ``player`` begins the next round; not after the last (S30, S31, S33)."""

    kind: ClassVar[str] = "round_over"
    round_number: int


@dataclass(frozen=True, kw_only=True)
class StarScored(Event):
    """A full star brings points at the end (S34, SR14)."""

    kind: ClassVar[str] = "star_scored"
    star: str
    star_kind: str


@dataclass(frozen=True, kw_only=True)
class NumberScored(Event):
    """All spaces with a number are filled, which brings points at the end (S35, SR15)."""

    kind: ClassVar[str] = "number_scored"
    number: int


@dataclass(frozen=True, kw_only=True)
class GameOver(Event):
    """The game is over, and ``player`` has won alone; NOBODY if some share the victory (S37, SR26)."""

    kind: ClassVar[str] = "game_over"
    winners: tuple[int, ...]


# Phase 1 --------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class TilesTaken(Event):
    """A player takes all tiles of a colour, and a wild one if there is any; or one wild tile alone (S10, S11, S13)."""

    kind: ClassVar[str] = "tiles_taken"
    source: str
    colour: str
    count: int
    wild_tiles: int


@dataclass(frozen=True, kw_only=True)
class TilesLeft(Event):
    """What ``player`` leaves on a factory goes to the centre (S12)."""

    kind: ClassVar[str] = "tiles_left"
    source: str
    tiles: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class TokenTaken(Event):
    """A player takes the first-player token from the centre, and loses points if there are any to lose (S15, S17)."""

    kind: ClassVar[str] = "token_taken"
    due: int


# Phase 2 --------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class TilePlaced(Event):
    """A player places a tile and scores its group; the other tiles paid go to the deposit (S20, S24, S26)."""

    kind: ClassVar[str] = "tile_placed"
    space: str
    colour: str
    count: int
    wild_tiles: int


@dataclass(frozen=True, kw_only=True)
class StructureClosed(Event):
    """All spaces around a pillar, statue or window are filled (S27)."""

    kind: ClassVar[str] = "structure_closed"
    structure: str
    star: str
    brings: int


@dataclass(frozen=True, kw_only=True)
class TilesOwed(Event):
    """A player must take tiles from the supply for structures just closed, as far as there are any (S27, SR3, SR4)."""

    kind: ClassVar[str] = "tiles_owed"
    count: int


@dataclass(frozen=True, kw_only=True)
class BonusTaken(Event):
    """A player takes one of the tiles owed from the supply (S27)."""

    kind: ClassVar[str] = "bonus_taken"
    colour: str


@dataclass(frozen=True, kw_only=True)
class Passed(Event):
    """A player places no more in this round (S29), by choice or with nothing to place (SR25)."""

    kind: ClassVar[str] = "passed"
    by_choice: bool


@dataclass(frozen=True, kw_only=True)
class TilesThrown(Event):
    """Who has passed throws tiles into the deposit, for a point each if there are any to lose (S29, SR2, SR7)."""

    kind: ClassVar[str] = "tiles_thrown"
    tiles: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class TilesKept(Event):
    """Who has passed keeps tiles on the corners of the board, for the next round (S29)."""

    kind: ClassVar[str] = "tiles_kept"
    tiles: tuple[int, ...]


# Draws ----------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class TileDrawn(Event):
    """A tile comes from the bag to the supply or onto a factory (S5, S28, S32)."""

    kind: ClassVar[str] = "tile_drawn"
    target: str
    colour: str


@dataclass(frozen=True, kw_only=True)
class FactoryFilled(Event):
    """A factory holds its tiles, as far as there were any (S5, S32, SR17)."""

    kind: ClassVar[str] = "factory_filled"
    source: str
    tiles: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class BagRefilled(Event):
    """The bag is empty, and the whole deposit goes into it (S28, S32, SR21)."""

    kind: ClassVar[str] = "bag_refilled"
    tiles: tuple[int, ...]


# Kinds ----------------------------------------------------------------------------------------
FIELDS = {
    "brings": "tiles that it brings: 1, 2, 3 for a pillar, a statue, a window",
    "by_choice": "whether the player was asked; else there was nothing to place",
    "colour": ", ".join(COLOURS),
    "count": "number of tiles; of a placement, those of the colour, the placed one included",
    "due": "points by the rule; `points` is what the score did",
    "number": "1 to 4",
    "round_number": "1 to 6",
    "source": f"{SOURCE_NAMES[0]} to {SOURCE_NAMES[CENTRE_SOURCE - 1].split()[1]}, or {SOURCE_NAMES[CENTRE_SOURCE]}",
    "space": f"star and position, such as `{SPACE_NAMES[0]}`",
    "star": f"{', '.join(STARS)}; of a structure the outer star beside it, of a statue the first of two, clockwise",
    "star_kind": f"the colour of all its tiles, or {STAR_KINDS[-1]}",
    "structure": ", ".join(STRUCTURE_KINDS),
    "target": f"supply, or {SOURCE_NAMES[0]} to {SOURCE_NAMES[CENTRE_SOURCE - 1].split()[1]}",
    "tiles": f"number of tiles of each colour: {', '.join(COLOURS)}",
    "wild_colour": "the colour that is wild in this round",
    "wild_tiles": "wild tiles besides those of the colour",
    "winners": "seats of all with most points",
}
"""Name of a field -> what it means."""

_SOURCES = {
    "tile_placed": "tiles",
    "token_taken": "token",
    "tiles_thrown": "thrown_tiles",
    "star_scored": "stars_and_numbers",
    "number_scored": "stars_and_numbers",
}
_NOT_LOGGED = {"tiles_taken", "tiles_left", "tiles_owed", "tile_drawn", "round_over"}
_STAGING: dict[str, Staging] = {
    **dict.fromkeys(
        ("placing_begins", "tile_placed", "structure_closed", "bonus_taken", "passed", "tiles_thrown"), "alone"
    ),
    **dict.fromkeys(("star_scored", "number_scored", "bag_refilled"), "alone"),
    "factory_filled": "together",
    **dict.fromkeys(("round_begins", "game_over"), "card"),
}


def _event_kind(cls: type[Event]) -> EventKind:
    return EventKind(
        meaning=(cls.__doc__ or "").strip(),
        fields={field.name: FIELDS[field.name] for field in fields(cls)[len(fields(Event)) :]},
        source=_SOURCES.get(cls.kind, ""),
        is_logged=cls.kind not in _NOT_LOGGED,
        staging=_STAGING.get(cls.kind, "none"),
    )


EVENT_KINDS = {cls.kind: _event_kind(cls) for cls in Event.__subclasses__() if cls.__module__ == __name__}
"""Kind -> what it tells."""


# Steps ----------------------------------------------------------------------------------------
def moments_of_setup(states: np.ndarray, i: int) -> Iterator[Moment]:
    """Return what happens before the first decision or, with explicit chance, the first draw, one thing after the other.

    Args:
        states: as ``initial_states`` gives them; they are not changed, here and below.
        i: which.
    """
    return _moments_from_here(copy_of(states[i : i + 1]))


def moments_of(states: np.ndarray, i: int, action: int) -> Iterator[Moment]:
    """Return what happens when an action is carried out, up to the next decision or draw, one thing after the other.

    Args:
        states: the states before it.
        i: which.
        action: a legal one.

    Raises:
        ValueError: it is not legal.
    """
    was = copy_of(states[i : i + 1])
    after = copy_of(was)
    if not begin_with_action(after, 0, action):
        raise ValueError(f"action {action} is not legal in this state: see legal_actions")
    happened = list(_happened(was, after, by_choice=True))
    if not happened and after["stage"][0] == PAY:
        was = copy_of(after)
        if go_on(after, 0):  # the only payment there is belongs to the choice of the space
            happened = list(_happened(was, after))
    is_whole = was["stage"][0] == TAKE or not happened
    first = [Moment.of(happened, after)] if is_whole else one_by_one(happened, was, copy_of(after))
    return chain(first, _moments_from_here(after))


def moments_of_outcome(states: np.ndarray, i: int, outcome: int) -> Iterator[Moment]:
    """Return where the outcome of a draw lands and what happens then, up to the next decision or draw, one thing after the other.

    Args:
        states: the states before it, with explicit chance.
        i: which.
        outcome: a possible one.

    Raises:
        ValueError: it is not possible, or no draw is due.
    """
    was = copy_of(states[i : i + 1])
    after = copy_of(was)
    if not begin_with_outcome(after, 0, outcome):
        raise ValueError(f"outcome {outcome} is not possible in this state: see outcome_weights")
    return chain([Moment.of(_happened(was, after), after)], _moments_from_here(after))


def _moments_from_here(states: np.ndarray) -> Iterator[Moment]:
    """Let one state go on to the next decision or draw, and tell what happens."""
    going = True
    while going:
        was = copy_of(states)
        going = go_on(states, 0)
        yield from one_by_one(_happened(was, states), was, states)


# What happened --------------------------------------------------------------------------------
def _happened(before: np.ndarray, after: np.ndarray, by_choice: bool = False) -> Iterator[Event]:
    """Tell what one thing has done that happened to one state: a decision if ``by_choice``, or what nobody decides."""
    was, now = before[0], after[0]
    if was.stage == TAKE:
        yield from _taking(was, now)
    elif was.stage == PLACE and now.passed[was.active]:
        yield Passed(player=int(was.active), by_choice=by_choice)
        yield from _throwing(was, now)
    elif was.stage == PAY and now.stage != PAY:
        yield from _placing(was, now)
    elif was.stage == BONUS:
        for colour in _changed(was.supply, now.supply):
            yield BonusTaken(player=int(was.active), colour=COLOURS[colour])
    elif was.stage == DISCARD:
        yield from _throwing(was, now)
    elif was.stage in (FILL_SUPPLY, FILL_FACTORIES, TURN_OVER):
        yield from _drawing(was, now)
        yield from _ending(was, after)
    elif was.stage == CHOOSE_FIRST:
        yield from _beginning(was, now)


def _changed(was: np.ndarray, now: np.ndarray) -> list[int]:
    """Return the places at which two arrays differ."""
    return [int(place) for place in np.flatnonzero(was != now)]


def _by_colour(tiles: np.ndarray) -> tuple[int, ...]:
    return tuple(int(count) for count in tiles)


def _points(was: Any, now: Any, player: int) -> int:
    return int(now.scores[player]) - int(was.scores[player])


def _taking(was: Any, now: Any) -> Iterator[Event]:
    """Tell what a player took (S10 to S15), or that nothing is left to take (S18)."""
    player = int(was.active)
    taken = now.hands[player] - was.hands[player]
    if taken.any():
        factories = _changed(was.factories.sum(axis=1), now.factories.sum(axis=1))
        source = SOURCE_NAMES[factories[0] if factories else CENTRE_SOURCE]
        wild = wild_of(was)
        colour = next((int(colour) for colour in np.flatnonzero(taken) if colour != wild), wild)
        count = int(taken[colour])
        yield TilesTaken(
            player=player, source=source, colour=COLOURS[colour], count=count, wild_tiles=int(taken.sum()) - count
        )
        left = now.centre - was.centre
        if factories and left.any():
            yield TilesLeft(player=player, source=source, tiles=_by_colour(left))
        if now.token != was.token:
            yield TokenTaken(player=player, points=_points(was, now, player), due=int(taken.sum()))
    elif now.stage == PLACE:
        yield PlacingBegins(player=int(now.active))


def _placing(was: Any, now: Any) -> Iterator[Event]:
    """Tell of a tile placed (S20, S24, S26), and of the structures that it closed (S27)."""
    player, space, colour = int(was.active), int(was.space), int(was.colour)
    paid = was.hands[player] - now.hands[player]
    count = int(paid[colour])
    yield TilePlaced(
        player=player,
        points=_points(was, now, player),
        space=SPACE_NAMES[space],
        colour=COLOURS[colour],
        count=count,
        wild_tiles=int(paid.sum()) - count,
    )
    closed = [int(structure) for structure in STRUCTURES_AT[space] if _is_closed(now.boards[player], structure)]
    for structure in closed:
        kind = int(STRUCTURE_KIND[structure])
        yield StructureClosed(
            player=player,
            structure=STRUCTURE_KINDS[kind],
            star=STARS[structure // len(STRUCTURE_KINDS)],
            brings=int(STRUCTURE_TILES[kind]),
        )
    if closed:
        yield TilesOwed(player=player, count=int(now.owed))


def _is_closed(board: np.ndarray, structure: int) -> bool:
    """Return whether there is a structure, and all spaces around it are filled."""
    spaces = STRUCTURE_SPACES[structure]
    return structure != EMPTY and bool((board[spaces[spaces != EMPTY]] != EMPTY).all())


def _throwing(was: Any, now: Any) -> Iterator[Event]:
    """Tell what who has passed throws, and, at the end of the turn, keeps (S29)."""
    player = int(was.active)
    thrown = was.hands[player] - now.hands[player]
    if thrown.any():
        yield TilesThrown(player=player, points=_points(was, now, player), tiles=_by_colour(thrown))
    if now.stage == TURN_OVER and now.hands[player].any():
        yield TilesKept(player=player, tiles=_by_colour(now.hands[player]))


def _drawing(was: Any, now: Any) -> Iterator[Event]:
    """Tell that the bag was filled again (SR21), and where a tile landed (S5, S28, S32)."""
    if was.deposit.any() and not now.deposit.any():
        yield BagRefilled(tiles=_by_colour(was.deposit))
    for colour in _changed(was.supply, now.supply):
        yield TileDrawn(target="supply", colour=COLOURS[colour])
    for factory, colour in np.argwhere(was.factories != now.factories):
        yield TileDrawn(target=SOURCE_NAMES[factory], colour=COLOURS[colour])
    if now.stage == was.stage == FILL_FACTORIES and now.filling != was.filling:
        factory = int(was.filling)
        yield FactoryFilled(source=SOURCE_NAMES[factory], tiles=_by_colour(now.factories[factory]))


def _ending(was: Any, after: np.ndarray) -> Iterator[Event]:
    """Tell that a round (S30, S31) or the game is over (S33 to S37)."""
    now = after[0]
    if was.stage != TURN_OVER:
        return
    if now.stage == FILL_FACTORIES:
        yield RoundOver(player=int(now.first_player), round_number=int(now.round_number))
    if now.stage == GAME_OVER:
        for player in range(len(now.scores)):
            yield from _final_scoring(after, player)
        winners = tuple(int(player) for player in np.flatnonzero(now.scores == now.scores.max()))
        yield GameOver(player=winners[0] if len(winners) == 1 else NOBODY, winners=winners)


def _final_scoring(after: np.ndarray, player: int) -> Iterator[Event]:
    """Tell which stars and numbers bring a player points at the end, one by one (S34, S35)."""
    kinds, stars, numbers = final_points_of(after, 0, player)
    for star in np.flatnonzero(stars):
        yield StarScored(player=player, points=int(stars[star]), star=STARS[star], star_kind=STAR_KINDS[kinds[star]])
    for place in np.flatnonzero(numbers):
        yield NumberScored(player=player, points=int(numbers[place]), number=int(place) + 1)


def _beginning(was: Any, now: Any) -> Iterator[Event]:
    """Tell who was drawn to begin (S7), or that a round begins (S31)."""
    if now.first_player != was.first_player:
        yield FirstPlayer(player=int(now.first_player))
    if now.round_number != was.round_number:
        wild = COLOURS[wild_of(now)]
        yield RoundBegins(player=int(now.first_player), round_number=int(now.round_number), wild_colour=wild)
