"""Events in plain words, for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from azul_duel_env.game import Event, said_of
from azul_duel_env.games.pavilion_mini.components import CENTRE, COLOURS, MOST_PLAYERS, NUM_OUTER, STARS

NAMES = tuple(f"player_{seat}" for seat in range(MOST_PLAYERS))
VERBS = {"passes": "pass"} | {
    f"{verb}s": verb for verb in ("begin", "close", "get", "keep", "lose", "place", "start", "take", "throw", "win")
}
"""Verb of a sentence about a player -> the same to a player."""


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


# Parts of sentences ---------------------------------------------------------------------------
def _listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence, such as ``1 red, 2 blue and 1 green``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _tiles(counts: Sequence[int]) -> str:
    """Return tiles counted by colour, such as ``2 blue and 1 red``."""
    return _listed([f"{count} {colour}" for colour, count in zip(COLOURS, counts, strict=True) if count])


def _number_of(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _of_colour(event: Any) -> str:
    """Return tiles of a colour and wild ones, such as ``3 blue and 1 wild tile``."""
    wild = [_number_of(event.wild_tiles, "wild tile")] if event.wild_tiles else []
    return _listed([f"{event.count} {event.colour}", *wild])


def _losing(event: Any, due: int) -> str:
    """Say how many points are lost, and how many there would have been to lose (S17, SR2)."""
    lost = "" if -event.points == due else f"{-event.points} of "
    return f"loses {lost}{_number_of(due, 'point')}"


def _placement(event: Any) -> str:
    star, position = event.space.split()
    number = event.count + event.wild_tiles
    place = f" (space {position})" if star == STARS[CENTRE] and number != int(position) else ""  # on the grey side
    paid = f", paid with {_of_colour(event)}" if number > 1 else ""
    return f"places {_one(event.colour)} on the {number}{place} of the {star} star{paid}: {_number_of(event.points, 'point')}"


def _structure(event: Any) -> str:
    star = STARS.index(event.star)
    if event.structure == "statue":
        return f"closes the statue between the {event.star} star and the {STARS[(star + 1) % NUM_OUTER]} one"
    return f"closes the {event.structure} of the {event.star} star"


def _full_star(event: Any) -> str:
    kinds = {event.star: "", "multicoloured": ", multicoloured"}
    kind = kinds.get(event.star_kind, f", all {event.star_kind}")
    return f"gets {_number_of(event.points, 'point')} for the full {event.star} star{kind}"


def _one(colour: str) -> str:
    return f"{'an' if colour == 'orange' else 'a'} {colour} tile"


def _victory(event: Any, names: Sequence[str]) -> str:
    if len(event.winners) == 1:
        return said_of(names[event.player], "wins", VERBS)
    return f"The victory is shared by {_listed([names[winner] for winner in event.winners])}"


# Kinds ----------------------------------------------------------------------------------------
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
    "bag_refilled": lambda e, _: f"The deposit goes into the bag: {_tiles(e.tiles)}",
}
"""Kind -> the sentence of what is not just what a player does."""

_DEEDS: dict[str, Callable[[Any], str]] = {
    "first_player": lambda _: "begins the game",
    "star_scored": _full_star,
    "number_scored": lambda e: f"gets {_number_of(e.points, 'point')} for all {e.number}s",
    "tiles_taken": lambda e: f"takes {_of_colour(e)} from {'the centre' if e.source == 'centre' else e.source}",
    "token_taken": lambda e: f"takes the first-player token and {_losing(e, e.due)}",
    "tile_placed": _placement,
    "structure_closed": _structure,
    "tiles_owed": lambda e: f"gets {_number_of(e.count, 'tile')} of the supply",
    "bonus_taken": lambda e: f"takes {_one(e.colour)} from the supply",
    "passed": lambda e: "passes" if e.by_choice else "passes with nothing to place",
    "tiles_thrown": lambda e: f"throws {_tiles(e.tiles)} away and {_losing(e, sum(e.tiles))}",
    "tiles_kept": lambda e: f"keeps {_tiles(e.tiles)} for the next round",
}
"""Kind -> what a player does, without who does it."""
