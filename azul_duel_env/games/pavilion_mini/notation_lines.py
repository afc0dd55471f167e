"""The lines of a state in notation: how each is written and read. ``notation.py`` puts them together.

What is written is a state in plain numbers and lists (``notation_parts.plain``).
"""

from __future__ import annotations

import re
from typing import Any

from azul_duel_env.game.notation_parts import (
    NOTHING,
    YES_NO,
    NotationError,
    Reader,
    Writer,
    index_of,
    read_counts,
    read_hexadecimal,
    read_letters,
    read_number,
    read_player,
    read_seats,
    read_values,
    write_counts,
    write_letters,
    write_player,
    write_values,
)
from azul_duel_env.games.pavilion_mini.actions import MOST_WILDS, SPACE_NAMES
from azul_duel_env.games.pavilion_mini.bounds import MOST_POINTS
from azul_duel_env.games.pavilion_mini.components import (
    BOARDS,
    COLOUR_LETTERS,
    COLOURS,
    EMPTY,
    MOST_OWED,
    NUM_ROUNDS,
    NUM_SPACES,
    SPACE_NUMBER,
    STAR_SIZE,
    STARS,
    SUPPLY_SIZE,
    TILES_ON_FACTORY,
    TILES_PER_COLOUR,
    num_factories,
)
from azul_duel_env.games.pavilion_mini.engine import MAX_DECISIONS
from azul_duel_env.games.pavilion_mini.state import KEEPS, STAGES

Lines = dict[str, tuple[Writer, Reader]]
"""Name of a line -> how it is written and read."""
BETWEEN_SEATS = "  |  "
WIDTH_OF_NAMES = len(f"{max(STARS, key=len)} star: ")
"""All boards begin in one column."""


# Kinds of lines -------------------------------------------------------------------------------
def _number_line(field: str, highest: int) -> tuple[Writer, Reader]:
    return (
        lambda s: str(getattr(s, field)),
        lambda s, text: s.__setitem__(field, read_number(text, 0, highest)),
    )


def _word_line(field: str, words: tuple[str, ...], what: str) -> tuple[Writer, Reader]:
    return (
        lambda s: words[getattr(s, field)],
        lambda s, text: s.__setitem__(field, index_of(text, words, what)),
    )


def _player_line(field: str, nobody: str) -> tuple[Writer, Reader]:
    return (
        lambda s: write_player(getattr(s, field), nobody),
        lambda s, text: s.__setitem__(field, read_player(text, nobody, len(s.scores))),
    )


def _counts_line(field: str, most: int) -> tuple[Writer, Reader]:
    return (
        lambda s: write_counts(getattr(s, field), COLOUR_LETTERS),
        lambda s, text: s.__setitem__(field, read_counts(text, COLOUR_LETTERS, most)),
    )


def _factory_line(factory: int) -> tuple[Writer, Reader]:
    def read(s: Any, text: str) -> None:
        for colour in read_letters(text, COLOUR_LETTERS, TILES_ON_FACTORY):
            s.factories[factory, colour] += 1

    return lambda s: write_letters(s.factories[factory], COLOUR_LETTERS), read


# One line each --------------------------------------------------------------------------------
def _write_options(s: Any) -> str:
    return write_values(
        {
            "board": BOARDS[s.grey],
            "wild_order": ",".join(COLOURS[colour] for colour in s.wild_order),
            "keep": KEEPS[s.keep_any],
            "explicit_chance": YES_NO[s.explicit_chance],
        }
    )


def _read_options(s: Any, text: str) -> None:
    values = read_values(text, ("board", "wild_order", "keep", "explicit_chance"))
    s.grey = index_of(values["board"], BOARDS, "board")
    s.wild_order = _read_wild_order(values["wild_order"])
    s.keep_any = index_of(values["keep"], KEEPS, "keep")
    s.explicit_chance = index_of(values["explicit_chance"], YES_NO, "explicit_chance")


def _read_wild_order(text: str) -> list[int]:
    names = text.split(",")
    if sorted(names) != sorted(COLOURS):
        raise NotationError(f"expected a wild_order such as {','.join(COLOURS)}, each colour once, not {text!r}")
    return [COLOURS.index(name) for name in names]


def _write_scores(s: Any) -> str:
    return " | ".join(map(str, s.scores))


def _read_scores(s: Any, text: str) -> None:
    s.scores = [read_number(part, 0, MOST_POINTS) for part in read_seats(text, len(s.scores))]


def _write_passed(s: Any) -> str:
    return " | ".join(YES_NO[passed] for passed in s.passed)


def _read_passed(s: Any, text: str) -> None:
    s.passed = [index_of(part, YES_NO, "answer") for part in read_seats(text, len(s.scores))]


def _write_hands(s: Any) -> str:
    return " | ".join(write_counts(hand, COLOUR_LETTERS) for hand in s.hands)


def _read_hands(s: Any, text: str) -> None:
    s.hands = [read_counts(part, COLOUR_LETTERS, TILES_PER_COLOUR) for part in read_seats(text, len(s.scores))]


def _write_placing(s: Any) -> str:
    """As the action is called that has chosen it; of one asked in parts, what is chosen so far, and the payment if that is."""
    if s.space == EMPTY:
        return NOTHING
    colour = "" if s.colour == EMPTY else f"{COLOURS[s.colour]} -> "
    return f"{colour}{SPACE_NAMES[s.space]}{'' if s.wilds == EMPTY else f', {s.wilds} wild'}"


def _read_placing(s: Any, text: str) -> None:
    match = re.fullmatch(r"(?:(\S+) -> )?([^,>]+)(?:, ([0-9]) wild)?", text)
    if match is None or (match[3] and not match[1]):
        raise NotationError(f"expected 'COLOUR -> SPACE', such as blue -> centre 2, not {text!r}")
    s.space = index_of(match[2], SPACE_NAMES, "space")
    s.colour = index_of(match[1], COLOURS, "colour") if match[1] else EMPTY
    s.wilds = read_number(match[3], 0, MOST_WILDS) if match[3] else EMPTY


# The boards -----------------------------------------------------------------------------------
def _star_line(star: int) -> tuple[Writer, Reader]:
    spaces = range(STAR_SIZE * star, STAR_SIZE * (star + 1))

    def write(s: Any) -> str:
        numbers = SPACE_NUMBER[s.grey]
        rows = [" ".join(f"{numbers[space]}{_letter(board[space])}" for space in spaces) for board in s.boards]
        return BETWEEN_SEATS.join(rows).rstrip()

    def read(s: Any, text: str) -> None:
        for player, part in enumerate(read_seats(text, len(s.scores))):
            words = part.split()
            if len(words) != STAR_SIZE:
                raise NotationError(f"expected {STAR_SIZE} spaces, not {part!r}")
            for space, word in zip(spaces, words, strict=True):
                s.boards[player, space] = _read_space(int(SPACE_NUMBER[s.grey, space]), word)

    return write, read


def _letter(tile: int) -> str:
    return " " if tile == EMPTY else COLOUR_LETTERS[tile]


def _read_space(number: int, word: str) -> int:
    """Return the tile on a space."""
    match = re.fullmatch(rf"{number}([{COLOUR_LETTERS}]?)", word)
    if match is None:
        raise NotationError(
            f"expected the number {number} of the space, and the letter of the tile there, such as {number}B, not {word!r}"
        )
    return COLOUR_LETTERS.index(match[1]) if match[1] else EMPTY


def heading(num_players: int) -> str:
    """Return the players' names above their boards."""
    width = 3 * STAR_SIZE - 1
    return (
        " " * WIDTH_OF_NAMES
        + BETWEEN_SEATS.join(f"player {player}".ljust(width) for player in range(num_players)).rstrip()
    )


# All lines ------------------------------------------------------------------------------------
def table(num_players: int) -> Lines:
    """Return the lines of the table, in their order."""
    return {
        "round": _number_line("round_number", NUM_ROUNDS),
        "stage": _word_line("stage", STAGES, "stage"),
        "active": _player_line("active", NOTHING),
        "first player": _player_line("first_player", NOTHING),
        "token": _player_line("token", "centre"),
        **{f"factory {factory + 1}": _factory_line(factory) for factory in range(num_factories(num_players))},
        "centre": _counts_line("centre", TILES_PER_COLOUR),
        "supply": _counts_line("supply", SUPPLY_SIZE),
        "bag": _counts_line("bag", TILES_PER_COLOUR),
        "deposit": _counts_line("deposit", TILES_PER_COLOUR),
        "scores": (_write_scores, _read_scores),
        "passed": (_write_passed, _read_passed),
        "hands": (_write_hands, _read_hands),
    }


OPTIONS: Lines = {"options": (_write_options, _read_options)}
BOARD: Lines = {f"{name} star": _star_line(star) for star, name in enumerate(STARS)}
SUB_DECISIONS: Lines = {
    "placing": (_write_placing, _read_placing),
    "owed": _number_line("owed", MOST_OWED),
    "lowest": _word_line("lowest", COLOURS, "colour"),
}
HIDDEN: Lines = {
    "decisions": _number_line("decisions", MAX_DECISIONS),
    "random": (lambda s: f"{s.rng:016x}", lambda s, text: s.__setitem__("rng", read_hexadecimal(text))),
}
"""What nobody looks at who plays."""
DEFAULTS = {"placing": NOTHING, "owed": "0", "lowest": COLOURS[0], "decisions": "0", "random": "0" * 16}
"""Lines of ``SUB_DECISIONS`` and ``HIDDEN`` are left out when they say this."""
assert len(SPACE_NAMES) == NUM_SPACES
