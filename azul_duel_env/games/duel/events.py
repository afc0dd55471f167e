"""Events: what a step does besides the action, as plain objects (RULES A.2 to A.15).

Places count from 0, as in the state; colours, factories, dome tiles, bonus chips and scoring tiles go by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from azul_duel_env.game import NOBODY, Event, EventKind, Moment, Staging, one_by_one
from azul_duel_env.game.arrays import copy_of
from azul_duel_env.games.duel.actions import DOME_TILE_NAMES, TILE_COLUMN
from azul_duel_env.games.duel.components import (
    CHIPS,
    COLOURS,
    CONDITIONS,
    EMPTY,
    FACTORIES,
    KINDS,
    NUM_COLOURS,
)
from azul_duel_env.games.duel.event_log import (
    ACTION,
    MAX_EVENTS,
    OUTCOME,
    ROW_SIZE,
    SETUP,
    VALUES,
    begin_logged,
    go_on_logged,
)
from azul_duel_env.games.duel.event_log import KINDS as EVENT_NAMES


# The table ------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class ScoringTiles(Event):
    """The scoring tiles in play are known, drawn or given (D14)."""

    kind: ClassVar[str] = "scoring_tiles"
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FirstPlayer(Event):
    """It is known, drawn or given, that ``player`` begins the first round (D19)."""

    kind: ClassVar[str] = "first_player"


@dataclass(frozen=True, kw_only=True)
class RoundBegins(Event):
    """A round begins, with ``player`` to start; the first-player tile and the tokens are back (D81, D84)."""

    kind: ClassVar[str] = "round_begins"
    round_number: int


@dataclass(frozen=True, kw_only=True)
class GameOver(Event):
    """The game is over, and ``player`` has won; NOBODY for a draw (D85, D94, R41)."""

    kind: ClassVar[str] = "game_over"


# Tiles and factories --------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class TilesTaken(Event):
    """A player takes tiles of a colour from one factory (D36, D41)."""

    kind: ClassVar[str] = "tiles_taken"
    factory: str
    moon: bool
    colour: str
    count: int


@dataclass(frozen=True, kw_only=True)
class FirstPlayerTile(Event):
    """A player takes the first-player tile (D44)."""

    kind: ClassVar[str] = "first_player_tile"


@dataclass(frozen=True, kw_only=True)
class TilesOnLine(Event):
    """Tiles go on a pattern line (D46)."""

    kind: ClassVar[str] = "tiles_on_line"
    line: int
    colour: str
    count: int


@dataclass(frozen=True, kw_only=True)
class TilesBroken(Event):
    """Tiles break: just taken ones (D48, D50), or in phase 2 those of a line that no space accepts any more (D65)."""

    kind: ClassVar[str] = "tiles_broken"
    examined_line: int | None
    colour: str
    count: int
    over: int


@dataclass(frozen=True, kw_only=True)
class MoonStacked(Event):
    """Tiles left on a sun go to the moon of their factory: on top of its stack, or on the spaces of the large moon (D37, D38)."""

    kind: ClassVar[str] = "moon_stacked"
    factory: str
    colour: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Passed(Event):
    """A player who can't do anything any more is passed over in this turn (D56)."""

    kind: ClassVar[str] = "passed"


# Bonus chips ----------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class ChipRevealed(Event):
    """The bonus chip of a factory without tiles is turned face up (D39, D43, D83)."""

    kind: ClassVar[str] = "chip_revealed"
    factory: str
    chip: str


@dataclass(frozen=True, kw_only=True)
class ChipTaken(Event):
    """A player takes a bonus chip from a factory (D52)."""

    kind: ClassVar[str] = "chip_taken"
    factory: str
    chip: str


@dataclass(frozen=True, kw_only=True)
class ChipSpent(Event):
    """A player turns a bonus chip over for a pattern line (D69, D73)."""

    kind: ClassVar[str] = "chip_spent"
    line: int
    chip: str


# Dome tiles -----------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class DomeTileDrawn(Event):
    """A player draws the top dome tile of the stack, and pays if there are points to pay with (D28, R1)."""

    kind: ClassVar[str] = "dome_tile_drawn"
    tile_kind: str


@dataclass(frozen=True, kw_only=True)
class DomeTileSeen(Event):
    """A player looks at the front of a drawn dome tile (D30, R4)."""

    kind: ClassVar[str] = "dome_tile_seen"
    private: ClassVar[bool] = True
    dome_tile: str


@dataclass(frozen=True, kw_only=True)
class DomeTileKept(Event):
    """A player keeps a drawn dome tile (D30)."""

    kind: ClassVar[str] = "dome_tile_kept"
    private: ClassVar[bool] = True
    dome_tile: str


@dataclass(frozen=True, kw_only=True)
class DomeTileReturned(Event):
    """A player puts a drawn dome tile under the stack (D30, R5)."""

    kind: ClassVar[str] = "dome_tile_returned"
    private: ClassVar[bool] = True
    dome_tile: str


@dataclass(frozen=True, kw_only=True)
class DomeTilePlaced(Event):
    """A player places a dome tile, taken from the display or drawn (D20, D31)."""

    kind: ClassVar[str] = "dome_tile_placed"
    dome_tile: str
    slot: int
    rotation: int
    place: int | None


# Phase 2 and the end --------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class TilingBegins(Event):
    """A player begins phase 2 (D60, D61)."""

    kind: ClassVar[str] = "tiling_begins"


@dataclass(frozen=True, kw_only=True)
class TilePlaced(Event):
    """The tile of a pattern line goes to the dome and scores; the line is empty again (D62, D67, D76, D77)."""

    kind: ClassVar[str] = "tile_placed"
    row: int
    column: int
    colour: str
    across: int
    down: int
    discarded: int


@dataclass(frozen=True, kw_only=True)
class SpecialTile(Event):
    """A special tile goes on the dome and scores its row (D78)."""

    kind: ClassVar[str] = "special_tile"
    row: int
    column: int


@dataclass(frozen=True, kw_only=True)
class Penalty(Event):
    """A player loses points for broken tiles and the first-player tile, as far as there are any to lose (D80)."""

    kind: ClassVar[str] = "penalty"
    broken: int
    first_player_tile: bool
    due: int


@dataclass(frozen=True, kw_only=True)
class ScoringTile(Event):
    """A scoring tile scores at the end, with 0 points too; what would take the sum of all below 0 is forgiven (D86 to D93, R38)."""

    kind: ClassVar[str] = "scoring_tile"
    name: str
    due: int


# Setup and preparation ------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class StackTop(Event):
    """The back of the topmost dome tile of the stack is seen (D29, R3)."""

    kind: ClassVar[str] = "stack_top"
    tile_kind: str


@dataclass(frozen=True, kw_only=True)
class DisplayFilled(Event):
    """A dome tile comes from the stack into the display (D13, D20, D81)."""

    kind: ClassVar[str] = "display_filled"
    place: int
    dome_tile: str


@dataclass(frozen=True, kw_only=True)
class TileDrawn(Event):
    """A tile comes from the bag onto the sun of a factory (D16, D81)."""

    kind: ClassVar[str] = "tile_drawn"
    factory: str
    colour: str


@dataclass(frozen=True, kw_only=True)
class TowerTipped(Event):
    """The tower is tipped into the empty bag, while a factory is being filled (D82)."""

    kind: ClassVar[str] = "tower_tipped"
    factory: str
    tiles: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class LargeFactoryRedrawn(Event):
    """Five tiles of one colour go from the large factory back into the bag, and are drawn anew (D17)."""

    kind: ClassVar[str] = "large_factory_redrawn"
    factory: str
    tiles: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class FactoryFilled(Event):
    """A factory holds its tiles, as far as there were any; a small one gets its bonus chip, face down (D16, D18, D81, D83)."""

    kind: ClassVar[str] = "factory_filled"
    factory: str
    tiles: tuple[int, ...]


# Fields ---------------------------------------------------------------------------------------
def _optional(value: int) -> int | None:
    return None if value < 0 else value


def _conditions_in(mask: int) -> tuple[str, ...]:
    return tuple(name for condition, name in enumerate(CONDITIONS) if mask >> condition & 1)


FIELDS: dict[str, tuple[str, Callable[[int], Any]]] = {
    "across": ("length of the run of tiles through it in its row, itself included (1: it lies alone)", int),
    "broken": ("broken tiles that count, 0 to 4", int),
    "chip": (f"what the bonus chip shows: {', '.join(CHIPS)}", CHIPS.__getitem__),
    "colour": (", ".join(COLOURS), COLOURS.__getitem__),
    "column": ("column of the dome, 0 to 5 from the left", int),
    "count": ("number of tiles", int),
    "discarded": ("the other tiles of the line, which go to the tower", int),
    "dome_tile": ("the dome tile as printed, such as `YK/T*`", DOME_TILE_NAMES.__getitem__),
    "down": ("length of the run of tiles through it in its column, itself included", int),
    "due": (
        "points by the rule: of a penalty the loss, of a scoring tile the gain; `points` is what the score did",
        int,
    ),
    "examined_line": ("the pattern line, 0 to 5, that no space accepts; None for tiles just taken", _optional),
    "factory": (", ".join(FACTORIES), FACTORIES.__getitem__),
    "first_player_tile": ("whether the player holds the first-player tile", bool),
    "line": ("pattern line, 0 to 5 from the top", int),
    "moon": ("whether from the moon; else from the sun", bool),
    "name": (f"the condition: {', '.join(CONDITIONS)}", CONDITIONS.__getitem__),
    "names": ("the conditions in play", _conditions_in),
    "over": ("those of them for which the broken-tile space had no room", int),
    "place": ("place of the display, 0 to 2; None for a dome tile that was drawn", _optional),
    "rotation": ("quarter turns clockwise, 0 to 3", int),
    "round_number": ("1 to 5", int),
    "row": ("row of the dome, 0 to 5 from the top", int),
    "slot": ("slot of the dome, 0 to 8, row by row", int),
    "tile_kind": ("what the back shows: special, wild", KINDS.__getitem__),
    "tiles": (f"number of tiles of each colour: {', '.join(COLOURS)}", int),
}
"""Name of a field -> what it means, and how it is read from the log's value. ``tiles`` takes a value for each colour."""

_CLASSES = {cls.kind: cls for cls in Event.__subclasses__() if cls.__module__ == __name__}
_OWN_FIELDS = {kind: [field.name for field in fields(cls)[len(fields(Event)) :]] for kind, cls in _CLASSES.items()}

_SOURCES = {
    "tile_placed": "tiles",
    "special_tile": "special_tiles",
    "dome_tile_drawn": "draws",
    "penalty": "penalties",
    "scoring_tile": "scoring_tiles",
}
_NOT_LOGGED = {
    *("tiles_taken", "first_player_tile", "tiles_on_line", "moon_stacked", "chip_taken", "chip_spent"),
    *("dome_tile_kept", "dome_tile_returned", "dome_tile_placed", "tile_drawn"),
}
_STAGING: dict[str, Staging] = {
    **dict.fromkeys(
        ("tiling_begins", "tile_placed", "special_tile", "tiles_broken", "penalty", "scoring_tile"), "alone"
    ),
    **dict.fromkeys(("chip_spent", "tower_tipped", "large_factory_redrawn"), "alone"),
    **dict.fromkeys(("factory_filled", "display_filled"), "together"),
    **dict.fromkeys(("round_begins", "game_over"), "card"),
}


def _event_kind(kind: str) -> EventKind:
    return EventKind(
        meaning=(_CLASSES[kind].__doc__ or "").strip(),
        fields={name: FIELDS[name][0] for name in _OWN_FIELDS[kind]},
        source=_SOURCES.get(kind, ""),
        is_logged=kind not in _NOT_LOGGED,
        staging=_STAGING.get(kind, "none"),
    )


EVENT_KINDS = {kind: _event_kind(kind) for kind in EVENT_NAMES}
"""Kind -> what it tells."""


# Steps ----------------------------------------------------------------------------------------
def moments_of_setup(states: np.ndarray, i: int) -> Iterator[Moment]:
    """Return what happens before the first decision or, with explicit chance, the first draw, one thing after the other.

    Args:
        states: as ``initial_states`` gives them; they are not changed, here and below.
        i: which.
    """
    return _moments(states, i, SETUP, 0)


def moments_of(states: np.ndarray, i: int, action: int) -> Iterator[Moment]:
    """Return what happens when an action is carried out, up to the next decision or draw, one thing after the other.

    Args:
        states: the states before it.
        i: which.
        action: a legal one.

    Raises:
        ValueError: it is not legal.
    """
    return _moments(states, i, ACTION, action)


def moments_of_outcome(states: np.ndarray, i: int, outcome: int) -> Iterator[Moment]:
    """Return where the outcome of a draw lands and what happens then, up to the next decision or draw, one thing after the other.

    Args:
        states: the states before it, with explicit chance.
        i: which.
        outcome: a possible one.

    Raises:
        ValueError: it is not possible, or no draw is due.
    """
    return _moments(states, i, OUTCOME, outcome)


def _moments(states: np.ndarray, i: int, begins: int, number: int) -> Iterator[Moment]:
    was = copy_of(states[i : i + 1])
    now, log = copy_of(was), np.empty((MAX_EVENTS, ROW_SIZE), np.int16)
    count = begin_logged(now, 0, begins, number, log)
    if count < 0:
        what = "action {} is not legal" if begins == ACTION else "outcome {} is not possible"
        raise ValueError(f"{what.format(number)} in this state: see legal_actions and outcome_weights")
    begun = tuple(_event(row) for row in log[:count].tolist())
    is_whole = begins == OUTCOME or (begins == ACTION and (number < TILE_COLUMN or count == 0))
    first = [Moment.of(begun, now)] if is_whole else _one_by_one(begun, was, now)
    return chain(first, _moments_from_here(now, log))


def _moments_from_here(now: np.ndarray, log: np.ndarray) -> Iterator[Moment]:
    """Let one state go on to the next decision or draw, and tell what happens."""
    going = True
    while going:
        was = copy_of(now)
        going, count = go_on_logged(now, 0, log)
        yield from _one_by_one([_event(row) for row in log[:count].tolist()], was, now)


def _one_by_one(events: Iterable[Event], was: np.ndarray, now: np.ndarray) -> Iterator[Moment]:
    """Yield a moment for each event of one stage: a special tile comes after the tile that brings it, and what is lost is still there."""
    events = list(events)
    specials = [event for event in events if isinstance(event, SpecialTile)]
    for moment in one_by_one(events, was, now):
        [event] = moment.events
        if isinstance(event, TilePlaced):
            for special in specials:
                moment.states["tiles"][0, event.player, special.row, special.column] = EMPTY
        if isinstance(event, Penalty):
            scores = moment.states["scores"].copy()
            moment.states[:] = was
            moment.states["scores"], moment.states["player"] = scores, NOBODY
        yield moment


def _event(row: list[int]) -> Event:
    """Return a row of the log as an event."""
    kind, player, points = EVENT_NAMES[row[0]], row[1], row[2]
    values = iter(row[VALUES:])
    own = {}
    for name in _OWN_FIELDS[kind]:
        if name == "tiles":
            own[name] = tuple(next(values) for _ in range(NUM_COLOURS))
        else:
            own[name] = FIELDS[name][1](next(values))
    return _CLASSES[kind](player=player, points=points, **own)
