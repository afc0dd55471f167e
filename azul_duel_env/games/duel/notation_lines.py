"""The lines of a state in notation: how each is written and read. ``notation.py`` puts them together.

What is written is a state in plain numbers and lists (``notation_parts.plain``).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

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
    read_numbers,
    read_player,
    read_seats,
    read_values,
    words_of,
    write_counts,
    write_letters,
    write_player,
)
from azul_duel_env.games.duel.actions import DOME_TILE_NAMES, SOURCES
from azul_duel_env.games.duel.bounds import MOST_DECISIONS, MOST_POINTS
from azul_duel_env.games.duel.components import (
    CHIPS,
    COLOUR_LETTERS,
    CONDITIONS,
    COPIES_OF_CHIP,
    EMPTY,
    FACE_DOWN,
    FACTORIES,
    KIND_OF,
    KINDS,
    LARGE,
    LAYOUT_SPACES,
    NO_CHIP,
    NUM_CHIPS,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_SLOTS,
    NUM_SMALL,
    NUM_TILES,
    UNKNOWN,
)
from azul_duel_env.games.duel.state import (
    CHANCES,
    NO_CHANCE,
    NOBODY,
    STAGES,
)

TILE_LETTERS = COLOUR_LETTERS + "*"
SPACE_LETTERS = COLOUR_LETTERS.lower() + "*w"


# Small parts ----------------------------------------------------------------------------------
def _counts(counts: list[int]) -> str:
    return write_counts(counts, COLOUR_LETTERS)


def _parse_counts(text: str) -> list[int]:
    return read_counts(text, COLOUR_LETTERS, NUM_TILES)


def _parse_letters(text: str) -> list[int]:
    return read_letters(text, COLOUR_LETTERS, NUM_TILES)


def _halves(text: str) -> list[str]:
    return read_seats(text, NUM_PLAYERS)


def _tile_name(tile: int) -> str:
    return NOTHING if tile == EMPTY else DOME_TILE_NAMES[tile]


def _parse_tile(word: str) -> int:
    return EMPTY if word == NOTHING else index_of(word, DOME_TILE_NAMES, "dome tile")


# Lines of text: name -> (writer, reader) ------------------------------------------------------
def write_options(s: Any) -> str:
    """``name=value`` for each option; ``chip_payments``, which came later than saved texts, if it is not the default."""
    return (
        f"zero_point_draw={'free' if s.zero_point_draw_free else 'forced_only'} "
        f"special_counts_as_colour={YES_NO[s.special_counts_as_colour]} explicit_chance={YES_NO[s.explicit_chance]} "
        f"scoring_tiles={s.num_scoring_tiles}{' chip_payments=all' if s.chip_payments_all else ''}"
    )


def read_options(s: Any, text: str) -> None:
    """Read what ``write_options`` writes; every option but ``chip_payments`` must be there."""
    allowed = {
        "zero_point_draw": ("forced_only", "free"),
        "special_counts_as_colour": YES_NO,
        "explicit_chance": YES_NO,
        "scoring_tiles": ("3", "4"),
        "chip_payments": ("undominated", "all"),
    }
    given = read_values(text, allowed, {"chip_payments": "undominated"})
    at = {name: index_of(value, allowed[name], name) for name, value in given.items()}
    s.zero_point_draw_free = at["zero_point_draw"]
    s.special_counts_as_colour = at["special_counts_as_colour"]
    s.explicit_chance = at["explicit_chance"]
    s.num_scoring_tiles = 3 + at["scoring_tiles"]
    s.chip_payments_all = at["chip_payments"]


def _write_scoring(s: Any) -> str:
    return " ".join(name for name, on in zip(CONDITIONS, s.scoring, strict=True) if on) or NOTHING


def _read_scoring(s: Any, text: str) -> None:
    for word in words_of(text):
        s.scoring[index_of(word, CONDITIONS, "scoring tile")] = 1


def _write_stage(s: Any) -> str:
    return STAGES[s.stage] + (f", draw {CHANCES[s.chance]}" if s.chance != NO_CHANCE else "")


def _read_stage(s: Any, text: str) -> None:
    stage, _, chance = text.partition(", draw ")
    s.stage = index_of(stage, STAGES, "stage")
    s.chance = index_of(chance, CHANCES, "draw") if chance else NO_CHANCE


def _write_factory(s: Any, factory: int) -> str:
    sun = write_letters(s.suns[factory], COLOUR_LETTERS)
    if factory == LARGE:
        return f"sun {sun}, moon {write_letters(s.large_moon, COLOUR_LETTERS)}"
    moon = "".join(COLOUR_LETTERS[c] for c in s.moons[factory] if c != EMPTY) or NOTHING
    return f"sun {sun}, moon {moon}, chip {_chip(s.factory_chips[factory])}"


def _chip(chip: int) -> str:
    if chip == NO_CHIP:
        return NOTHING
    return "down" if chip == FACE_DOWN else CHIPS[chip]


def _read_factory(s: Any, factory: int, text: str) -> None:
    form = "sun TILES, moon TILES" + ("" if factory == LARGE else ", chip CHIP")
    match = re.fullmatch(r"sun (\S+), moon (\S+)" + ("" if factory == LARGE else r", chip (\S+)"), text)
    if match is None:
        raise NotationError(f"expected {form!r}, not {text!r}")
    for colour in _parse_letters(match[1]):
        s.suns[factory, colour] += 1
    moon = _parse_letters(match[2])
    if factory == LARGE:
        for colour in moon:
            s.large_moon[colour] += 1
        return
    if len(moon) > len(s.moons[factory]):
        raise NotationError(f"expected at most {len(s.moons[factory])} tiles on a small moon, not {match[2]!r}")
    s.moons[factory, : len(moon)] = moon
    s.factory_chips[factory] = _parse_chip(match[3])


def _parse_chip(word: str) -> int:
    if word == NOTHING:
        return NO_CHIP
    return FACE_DOWN if word == "down" else index_of(word, CHIPS, "bonus chip")


def _write_display(s: Any) -> str:
    return " ".join(_tile_name(tile) for tile in s.display)


def _read_display(s: Any, text: str) -> None:
    words = text.split()
    if len(words) != len(s.display):
        raise NotationError(f"expected {len(s.display)} dome tiles or {NOTHING}, not {text!r}")
    s.display = [_parse_tile(word) for word in words]


def _write_stack(s: Any) -> str:
    top = f", {KINDS[s.top_kind]} on top" if s.top_kind != UNKNOWN else ""
    return f"{s.stack_unseen} unseen{top}"


def _read_stack(s: Any, text: str) -> None:
    match = re.fullmatch(r"([0-9]+) unseen(?:, (\w+) on top)?", text)
    if match is None:
        raise NotationError(f"expected 'N unseen, special on top', not {text!r}")
    s.stack_unseen = read_number(match[1], 0, len(DOME_TILE_NAMES))
    s.top_kind = index_of(match[2], KINDS, "kind") if match[2] else UNKNOWN


def _write_put_back(s: Any) -> str:
    parts: list[str] = []
    for tile, player, starts in zip(s.put_back, s.put_back_by, s.put_back_starts, strict=True):
        if tile != EMPTY:
            parts += [f"by {player}:"] * int(starts) + [DOME_TILE_NAMES[tile]]
    return " ".join(parts) or NOTHING


def _read_put_back(s: Any, text: str) -> None:
    place, player, starts = 0, NOBODY, 0
    for word in words_of(text.replace("by ", "by_")):
        match = re.fullmatch(r"by_([0-9]):", word)
        if match:
            player, starts = read_number(match[1], 0, NUM_PLAYERS - 1), 1
            continue
        if player == NOBODY or place == len(s.put_back):
            raise NotationError(f"expected 'by PLAYER: DOME TILES', at most {len(s.put_back)} tiles, not {text!r}")
        s.put_back[place], s.put_back_by[place], s.put_back_starts[place] = _parse_tile(word), player, starts
        place, starts = place + 1, 0


def _write_looked_at(s: Any) -> str:
    return " | ".join(
        " ".join(name for name, seen in zip(DOME_TILE_NAMES, row, strict=True) if seen) or NOTHING
        for row in s.looked_at
    )


def _read_looked_at(s: Any, text: str) -> None:
    for player, half in enumerate(_halves(text)):
        for word in words_of(half):
            s.looked_at[player, index_of(word, DOME_TILE_NAMES, "dome tile")] = 1


def _write_hand(s: Any) -> str:
    parts = []
    for place in range(s.hand_size):
        tile = KINDS[s.hand_kinds[place]] if s.hand[place] == UNKNOWN else DOME_TILE_NAMES[s.hand[place]]
        parts.append(f"{tile} from {write_player(s.hand_from[place], 'stack')}")
    return ", ".join(parts) or NOTHING


def _read_hand(s: Any, text: str) -> None:
    if text == NOTHING:
        return
    for place, part in enumerate(text.split(", ")):
        match = re.fullmatch(r"(\S+) from (\S+)", part)
        if match is None or place == len(s.hand):
            raise NotationError(f"expected 'DOME TILE from stack' or 'DOME TILE from PLAYER', not {part!r}")
        if match[1] in KINDS:
            s.hand_kinds[place] = KINDS.index(match[1])
        else:
            s.hand[place] = index_of(match[1], DOME_TILE_NAMES, "dome tile or kind")
            s.hand_kinds[place] = KIND_OF[s.hand[place]]
        s.hand_from[place] = read_player(match[2], "stack", NUM_PLAYERS)
        s.hand_size = place + 1


def _write_chips(chips: list[list[int]]) -> str:
    return " | ".join(" ".join(CHIPS[c] for c, n in enumerate(row) for _ in range(n)) or NOTHING for row in chips)


def _read_chips(chips: np.ndarray, text: str) -> None:
    for player, half in enumerate(_halves(text)):
        words = words_of(half)
        if len(words) > NUM_CHIPS:
            raise NotationError(f"expected at most {NUM_CHIPS} bonus chips, not {len(words)}")
        for word in words:
            chips[player, index_of(word, CHIPS, "bonus chip")] += 1


def _write_broken(s: Any) -> str:
    return " | ".join(_counts(row) for row in s.broken)


def _read_broken(s: Any, text: str) -> None:
    for player, half in enumerate(_halves(text)):
        s.broken[player] = _parse_counts(half)


def _write_pair(values: list[int]) -> str:
    return " ".join(map(str, values))


def _number_field(name: str, highest: int) -> tuple[Writer, Reader]:
    return (lambda s: str(getattr(s, name)), lambda s, text: s.__setitem__(name, read_number(text, 0, highest)))


def _pair_field(name: str, highest: int) -> tuple[Writer, Reader]:
    return (
        lambda s: _write_pair(getattr(s, name)),
        lambda s, text: s.__setitem__(name, read_numbers(text, NUM_PLAYERS, highest)),
    )


def _player_field(name: str, nobody: str) -> tuple[Writer, Reader]:
    return (
        lambda s: write_player(getattr(s, name), nobody),
        lambda s, text: s.__setitem__(name, read_player(text, nobody, NUM_PLAYERS)),
    )


def _factory_field(factory: int) -> tuple[Writer, Reader]:
    return (lambda s: _write_factory(s, factory), lambda s, text: _read_factory(s, factory, text))


def _counts_field(name: str) -> tuple[Writer, Reader]:
    return (lambda s: _counts(getattr(s, name)), lambda s, text: s.__setitem__(name, _parse_counts(text)))


def _read_paid(s: Any, text: str) -> None:
    s.paid_matching, s.paid_other = read_numbers(text, 2, 12)


def _small_factory(s: Any) -> str:
    return NOTHING if s.ordering == NOBODY else FACTORIES[s.ordering]


TABLE: dict[str, tuple[Writer, Reader]] = {
    "round": _number_field("round_number", 5),
    "stage": (_write_stage, _read_stage),
    "active": _player_field("active", NOTHING),
    "decisions": _number_field("decisions", MOST_DECISIONS),
    "first player": _player_field("first_player", NOTHING),
    "first-player tile": _player_field("first_player_tile", "large"),
    "scoring": (_write_scoring, _read_scoring),
    **{FACTORIES[factory]: _factory_field(factory) for factory in range(NUM_FACTORIES)},
    "bag": _counts_field("bag"),
    "tower": _counts_field("tower"),
    "display": (_write_display, _read_display),
    "stack": (_write_stack, _read_stack),
}
BOARD: dict[str, tuple[Writer, Reader]] = {
    "scores": _pair_field("scores", MOST_POINTS),
    "tokens": _pair_field("tokens", 2),
    "broken": (_write_broken, _read_broken),
    "chips up": (lambda s: _write_chips(s.chips_up), lambda s, text: _read_chips(s.chips_up, text)),
    "chips down": (lambda s: _write_chips(s.chips_down), lambda s, text: _read_chips(s.chips_down, text)),
    "chips taken": _pair_field("chips_taken", 2),
}
RARE: dict[str, tuple[Writer, Reader]] = {
    "put back": (_write_put_back, _read_put_back),
    "looked at": (_write_looked_at, _read_looked_at),
    "hand": (_write_hand, _read_hand),
    "kept": (lambda s: _tile_name(s.kept), lambda s, text: s.__setitem__("kept", _parse_tile(text))),
    "returned": _number_field("returned", 12),
    "filled factories": _number_field("filling", NUM_FACTORIES),
    "tower tipped midway": (
        lambda s: YES_NO[s.tipped_midway],
        lambda s, text: s.__setitem__("tipped_midway", index_of(text, YES_NO, "answer")),
    ),
    "ordering": (
        _small_factory,
        lambda s, text: s.__setitem__("ordering", index_of(text, FACTORIES[:NUM_SMALL], "small factory")),
    ),
    "line": (
        lambda s: NOTHING if s.line == NOBODY else str(s.line + 1),
        lambda s, text: s.__setitem__("line", read_number(text, 1, NUM_LINES) - 1),
    ),
    "paid": (
        lambda s: f"{s.paid_matching} {s.paid_other}",
        _read_paid,
    ),
    "source": (
        lambda s: NOTHING if s.source == NOBODY else SOURCES[s.source],
        lambda s, text: s.__setitem__("source", index_of(text, SOURCES, "source")),
    ),
    "random": (lambda s: f"{s.rng:016x}", lambda s, text: s.__setitem__("rng", read_hexadecimal(text))),
}
"""Lines left out when they say nothing; then they are read as these defaults."""
RARE_DEFAULTS = {
    **dict.fromkeys(("put back", "hand", "kept", "ordering", "line", "source"), NOTHING),
    "looked at": f"{NOTHING} | {NOTHING}",
    "returned": "0",
    "filled factories": str(NUM_FACTORIES),
    "tower tipped midway": "no",
    "paid": "0 0",
    "random": "0" * 16,
}


# Pattern lines and domes ----------------------------------------------------------------------
@cache
def _pattern_line(line: int, tiles: int, colour: int) -> str:
    """``..B``: line 3 with one blue tile."""
    letter = COLOUR_LETTERS[colour] if tiles else ""
    return ("." * (line + 1 - tiles) + letter * tiles).rjust(NUM_LINES)


# Both end with what EMPTY, which is -1, finds.
_SPACES_OF: list[list[int]] = [*LAYOUT_SPACES.tolist(), [EMPTY] * 4]
_SPACE_TEXTS = [[tile + space for tile in [*TILE_LETTERS, "."]] for space in SPACE_LETTERS] + [["--"] * 7]


def write_row(s: Any, row: int) -> str:
    """A pattern line and a dome row of both players."""
    cell, slot = row % 2 * 2, row // 2 * 3
    halves = []
    for player in range(NUM_PLAYERS):
        tiles = s.tiles[player][row]
        pairs = []
        for column, layout in enumerate(s.domes[player][slot : slot + 3]):
            spaces = _SPACES_OF[layout]
            left, right = _SPACE_TEXTS[spaces[cell]], _SPACE_TEXTS[spaces[cell + 1]]
            pairs.append(f"{left[tiles[2 * column]]} {right[tiles[2 * column + 1]]}")
        line = _pattern_line(row, s.lines[player][row], s.line_colours[player][row])
        halves.append(f"{line}   {'  '.join(pairs)}")
    return "   |   ".join(halves)


def read_row(s: Any, row: int, text: str, spaces: np.ndarray) -> None:
    """Read a pattern line and a dome row of both players; the spaces are put into ``spaces`` for ``lay_dome_tiles``."""
    for player, half in enumerate(_halves(text)):
        words = half.split()
        if len(words) != 7:
            raise NotationError(f"expected a pattern line and six spaces, not {half!r}")
        _read_pattern_line(s, player, row, words[0])
        for column, word in enumerate(words[1:]):
            if word == "--":
                continue
            if len(word) != 2 or word[0] not in "." + TILE_LETTERS or word[1] not in SPACE_LETTERS:
                raise NotationError(f"expected a tile or '.', then one of {SPACE_LETTERS}, or '--', not {word!r}")
            spaces[player, row, column] = SPACE_LETTERS.index(word[1])
            if word[0] != ".":
                s.tiles[player, row, column] = TILE_LETTERS.index(word[0])


def _read_pattern_line(s: Any, player: int, line: int, word: str) -> None:
    match = re.fullmatch(rf"(\.*)(([{COLOUR_LETTERS}])\3*)?", word)
    if match is None or len(word) != line + 1:
        raise NotationError(f"expected {line + 1} dots or letters of one colour from the right, not {word!r}")
    if match[2]:
        s.lines[player, line] = len(match[2])
        s.line_colours[player, line] = COLOUR_LETTERS.index(match[3])


def lay_dome_tiles(s: Any, spaces: np.ndarray) -> None:
    """Find the dome tile and rotation that show the spaces of each slot."""
    for player in range(NUM_PLAYERS):
        for slot in range(NUM_SLOTS):
            top, left = slot // 3 * 2, slot % 3 * 2
            shown = spaces[player, top : top + 2, left : left + 2].ravel()
            if (shown == EMPTY).all():
                continue
            found = np.flatnonzero((shown == LAYOUT_SPACES).all(axis=1))
            if not len(found):
                letters = "".join(SPACE_LETTERS[x] if x != EMPTY else "-" for x in shown)
                raise NotationError(
                    f"player {player}, slot {slot // 3 + 1}-{slot % 3 + 1}: no dome tile shows {letters!r}"
                )
            s.domes[player, slot] = found[0]


def box_the_rest(s: Any) -> None:
    """Count as unseen every bonus chip and dome tile that is nowhere else."""
    for chip in range(len(CHIPS)):
        seen = int(s.chips_up[:, chip].sum() + s.chips_down[:, chip].sum() + (s.factory_chips == chip).sum())
        s.chips_unseen[chip] = COPIES_OF_CHIP - seen
    seen_tiles = [*s.display, *s.put_back, *s.hand, s.kept, *(s.domes[s.domes != EMPTY] // 4)]
    for tile in seen_tiles:
        if tile != EMPTY:
            s.fronts_unseen[tile] = 0
