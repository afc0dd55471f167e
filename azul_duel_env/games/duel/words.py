"""Actions, decisions and events in plain words, for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from azul_duel_env.game import Event, amount, listed, said_of
from azul_duel_env.games.duel.actions import DOME_TILE_NAMES, decode
from azul_duel_env.games.duel.components import (
    BROKEN,
    CHIP_SHOWS,
    CHIPS,
    CHIPS_PER_ROUND,
    COLOURS,
    EMPTY,
    FACE_DOWN,
    FACTORIES,
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
VERBS = {
    verb: verb.removesuffix("s")
    for verb in (
        *("takes", "places", "draws", "pays", "keeps", "puts", "stacks", "moves", "turns", "leaves", "stops", "breaks"),
        *("begins", "starts", "wins", "sits", "looks", "gets", "loses"),
    )
}
"""Verb of a sentence about a player -> the same to a player."""
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
        choices.append(f"a dome tile ({amount(int(state.tokens[player]), 'token')} left)")
    revealed = [chip for chip in state.factory_chips.tolist() if chip not in (NO_CHIP, FACE_DOWN)]
    if revealed and state.chips_taken[player] < CHIPS_PER_ROUND:
        choices.append(f"a bonus chip ({CHIPS_PER_ROUND - int(state.chips_taken[player])} left)")
    return "Take " + " or ".join([", ".join(choices[:-1]), choices[-1]] if len(choices) > 1 else choices)


def _paying_question(state: Any) -> str:
    line, player = int(state.line), int(state.active)
    missing = line + 1 - int(state.lines[player, line])
    spent = int(state.paid_matching) + int(state.paid_other)
    if is_paid_already(state):
        return f"Pattern line {line + 1} is paid for: turn over another bonus chip, or is it enough?"
    if spent:
        return f"Choose the next bonus chip to turn over for pattern line {line + 1}"
    each = "" if missing == 1 else " for each tile"
    return f"Finish pattern line {line + 1} ({_line_colour(state)}, {missing} missing): two matching chips, or any three{each}?"


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
    """Return a sentence about a player; what follows a ``;`` is said of tiles."""
    own, semicolon, rest = deed.partition(";")
    return said_of(name, own, VERBS) + semicolon + rest


def _deed(block: str, i: tuple[int, ...], state: Any, is_secret: bool) -> str:
    """Return what is done, without who does it."""
    line = int(state.line) + 1
    match block:
        case "sun":
            return _taking(int(state.suns[i[0], i[1]]), i[1], f"from {factory_words(i[0])}", i[2], state)
        case "moon":
            return _taking(
                on_moons(state, i[0]), i[0], f"from the moons{_with_first_player_tile(state, i[0])}", i[1], state
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


def on_moons(state: Any, colour: int) -> int:
    """Return how many tiles of a colour are taken from the moons (D41)."""
    tops = [_top(state.moons[factory]) for factory in range(NUM_SMALL)]
    return int(state.large_moon[colour]) + tops.count(colour)


def _top(moon: np.ndarray) -> int:
    """Return the colour on top of a small moon, or EMPTY."""
    return next((int(moon[height]) for height in reversed(range(MOON_HEIGHT)) if moon[height] != EMPTY), EMPTY)


def takes_first_player_tile(state: Any, colour: int) -> bool:
    """Return whether the first-player tile comes along with a colour from the moons (D44)."""
    return bool(state.large_moon[colour] > 0 and state.first_player_tile == ON_LARGE_FACTORY)


def _with_first_player_tile(state: Any, colour: int) -> str:
    return ", with the first-player tile," if takes_first_player_tile(state, colour) else ""


# What happened --------------------------------------------------------------------------------
def describe_event(event: Event, names: Sequence[str] = NAMES, seat: int | None = None) -> str:
    """Return an event as a sentence, such as ``Anna places a blue tile in row 2, column 3: 4 points``.

    Args:
        event: one of ``events.EVENT_KINDS``.
        names: of the players.
        seat: who reads; which dome tile the other player sees, keeps or puts back is then not named (R4, R5). None: all is.

    Raises:
        ValueError: no event of this game.
    """
    if event.kind in _HAPPENINGS:
        return _HAPPENINGS[event.kind](event)
    if event.kind == "round_begins":
        return f"Round {event.round_number} begins. {_said_of(names[event.player], 'starts')}"  # type: ignore[attr-defined]
    if event.kind == "game_over":
        return f"The game is over. {'Nobody wins' if event.player == NOBODY else _said_of(names[event.player], 'wins')}"
    if event.private and seat not in (None, event.player):
        return _said_of(names[event.player], _SECRET_DEEDS[event.kind].format("a dome tile"))
    if event.kind in _SECRET_DEEDS:
        return _said_of(names[event.player], _SECRET_DEEDS[event.kind].format(_the_dome_tile(event)))
    if event.kind not in _DEEDS:
        raise ValueError(f"{event.kind!r:.80} is no kind of event of Azul Duel")
    return _said_of(names[event.player], _DEEDS[event.kind](event))


def _tiles(counts: Sequence[int]) -> str:
    """Return tiles counted by colour, such as ``2 blue and 1 red``."""
    return listed([f"{count} {colour}" for count, colour in zip(counts, COLOURS, strict=True) if count])


def _factory_of(event: Any) -> str:
    return factory_words(FACTORIES.index(event.factory))


def _chip_of(event: Any) -> str:
    return f"the {chip_words(CHIPS.index(event.chip))}"


def _the_dome_tile(event: Any) -> str:
    return f"the dome tile {dome_tile_words(DOME_TILE_NAMES.index(event.dome_tile))}"


def _filled_factory(event: Any) -> str:
    factory = _factory_of(event)
    holds = f"holds {_tiles(event.tiles)}" if any(event.tiles) else "stays empty"
    return f"{factory[0].upper()}{factory[1:]} {holds}"


def _breaking(event: Any) -> str:
    over = f"; {event.over} go{'es' if event.over == 1 else ''} to the tower" if event.over else ""
    if event.examined_line is None:
        return f"breaks {event.count} {event.colour}{over}"
    line = event.examined_line + 1
    return f"breaks {event.count} {event.colour} of pattern line {line}, for which there is no space{over}"


def _placed_dome_tile(event: Any) -> str:
    tile = dome_tile_words(DOME_TILE_NAMES.index(event.dome_tile), event.rotation)
    return f"places the dome tile {tile} {SLOT_WORDS[event.slot]}{_turned(event.rotation)}"


def _placed_tile(event: Any) -> str:
    others = f"; {event.discarded} go{'es' if event.discarded == 1 else ''} to the tower" if event.discarded else ""
    return f"places a {event.colour} tile in row {event.row + 1}, column {event.column + 1}: {amount(event.points, 'point')}{others}"


def _lost(event: Any) -> str:
    """Return a loss of points, and how many there would have been to lose (D80, R38)."""
    due = f" of {abs(event.due)}" if abs(event.due) > -event.points else ""
    return f"loses {amount(-event.points, 'point') if not due else f'{-event.points}{due} points'}"


def _penalty(event: Any) -> str:
    tiles = [amount(event.broken, "broken tile")] if event.broken else []
    return f"{_lost(event)} for {listed([*tiles, 'the first-player tile'] if event.first_player_tile else tiles)}"


def _scoring_tile(event: Any) -> str:
    scored = _lost(event) if event.due < 0 else f"gets {amount(event.points, 'point')}"
    return f"{scored} for {event.name.replace('_', ' ')}"


_HAPPENINGS: dict[str, Callable[[Any], str]] = {
    "scoring_tiles": lambda e: f"The scoring tiles are {listed([name.replace('_', ' ') for name in e.names])}",
    "chip_revealed": lambda e: f"T{_chip_of(e)[1:]} of {_factory_of(e)} is turned face up",
    "stack_top": lambda e: f"The topmost dome tile of the stack is a {e.tile_kind} one",
    "display_filled": lambda e: f"T{_the_dome_tile(e)[1:]} comes into the display",
    "tile_drawn": lambda e: f"A {e.colour} tile comes to {_factory_of(e)}",
    "tower_tipped": lambda e: f"The tower is tipped into the bag: {_tiles(e.tiles)}",
    "large_factory_redrawn": lambda e: f"{_tiles(e.tiles)} go back into the bag and are drawn anew",
    "factory_filled": _filled_factory,
}
"""Kind -> the sentence of what no player does."""

_DEEDS: dict[str, Callable[[Any], str]] = {
    "first_player": lambda _: "begins the game",
    "tiles_taken": lambda e: f"takes {e.count} {e.colour} from {'the moon of ' if e.moon else ''}{_factory_of(e)}",
    "first_player_tile": lambda _: "takes the first-player tile",
    "tiles_on_line": lambda e: f"puts {e.count} {e.colour} on pattern line {e.line + 1}",
    "tiles_broken": _breaking,
    "moon_stacked": lambda e: f"puts {e.count} {e.colour} on the moon of {_factory_of(e)}",
    "passed": lambda _: "sits this turn out, with nothing left to do",
    "chip_taken": lambda e: f"takes {_chip_of(e)} of {_factory_of(e)}",
    "chip_spent": lambda e: f"turns over {_chip_of(e)} for pattern line {e.line + 1}",
    "dome_tile_drawn": lambda e: f"{'pays 1 point and ' if e.points else ''}draws a {e.tile_kind} dome tile",
    "dome_tile_placed": _placed_dome_tile,
    "tiling_begins": lambda _: "begins to tile the dome",
    "tile_placed": _placed_tile,
    "special_tile": lambda e: (
        f"gets a special tile in row {e.row + 1}, column {e.column + 1}: {amount(e.points, 'point')}"
    ),
    "penalty": _penalty,
    "scoring_tile": _scoring_tile,
}
"""Kind -> what a player does, without who does it."""

_SECRET_DEEDS = {
    "dome_tile_seen": "looks at {}",
    "dome_tile_kept": "keeps {}",
    "dome_tile_returned": "puts {} under the stack",
}
"""The same of what only that player sees, with room for the dome tile."""
