"""States as text that a player can read, both ways and exactly; and names for what is decided or drawn.

Colours are B blue, T turquoise, R red, Y yellow, K black. A dome shows two characters a space: the tile on it or ``.``, then what the
space asks for: ``b t r y k`` a colour, ``w`` wild, ``*`` special; ``--`` where no dome tile lies. Pattern lines fill from the right. A
dome tile is named by its printed layout, top row / bottom row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from azul_duel_env.duel.actions import DOME_TILE_NAMES
from azul_duel_env.duel.components import (
    CHIPS,
    COLOUR_LETTERS,
    COLOURS,
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
    NUM_COLOURS,
    NUM_CONDITIONS,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_SLOTS,
    NUM_SMALL,
    TILES_PER_COLOUR,
    UNKNOWN,
)
from azul_duel_env.duel.invariants import check
from azul_duel_env.duel.state import (
    CHANCES,
    CHIP,
    FIRST,
    FRONT,
    GAME_OVER,
    NO_CHANCE,
    NOBODY,
    SCORING,
    STACK_TOP,
    STAGES,
    TILE,
    Options,
    blank_states,
)

HEADER = "azul/duel-v0"
TILE_LETTERS = COLOUR_LETTERS + "*"
SPACE_LETTERS = COLOUR_LETTERS.lower() + "*w"
NOTHING = "-"
_YES_NO = ("no", "yes")


# Names of decisions and draws -----------------------------------------------------------------
_DECISION_TEXTS = {
    "opening": "opening placement of a dome tile",
    "turn": "a turn: take tiles (B, C), a dome tile (A) or a bonus chip (D)",
    "drawing": "draw another dome tile, or stop",
    "keeping": "which drawn dome tile to keep",
    "returning": "which drawn dome tile goes under the stack next",
    "placing": "where and how to place the kept dome tile",
    "ordering": "which remaining tile goes on the moon next",
    "column": "the column for the tile of the finished line",
    "paying": "bonus chips towards finishing the line",
}


def decision_name(states: np.ndarray, i: int) -> str:
    """Return what one state waits for, in words."""
    state = states[i]
    if state.chance != NO_CHANCE:
        return f"draw of the {CHANCES[state.chance]}"
    if state.stage == GAME_OVER:
        return "nothing: the game is over"
    text = _DECISION_TEXTS[STAGES[state.stage]]
    return f"{text} (line {state.line + 1})" if state.line != NOBODY else text


def _outcome_names(chance: int) -> list[str]:
    """Return the names of all outcomes of a kind of chance."""
    if chance == SCORING:
        return [" ".join(_conditions_in(mask)) for mask in range(2**NUM_CONDITIONS)]
    names: dict[int, tuple[str, ...]] = {
        STACK_TOP: KINDS,
        FRONT: DOME_TILE_NAMES,
        TILE: COLOURS,
        CHIP: CHIPS,
        FIRST: tuple(f"player {p}" for p in range(NUM_PLAYERS)),
    }
    return list(names.get(chance, ()))


def _conditions_in(mask: int) -> list[str]:
    """Return the names of the conditions in a bit mask."""
    return [name for condition, name in enumerate(CONDITIONS) if mask >> condition & 1]


def outcome_name(chance: int, outcome: int) -> str:
    """Return the name of an outcome of a draw, such as ``tile blue`` or ``chip TY``.

    Raises:
        ValueError: no such kind of chance or outcome.
    """
    names = _outcome_names(chance)
    if not 0 <= outcome < len(names):
        raise ValueError(f"chance {chance} has no outcome {outcome}: there are {len(names)}")
    return f"{CHANCES[chance]} {names[outcome]}"


def parse_outcome(chance: int, name: str) -> int:
    """Return the outcome with this name; the inverse of ``outcome_name``.

    Raises:
        ValueError: no outcome of this kind of chance has this name.
    """
    names = [f"{CHANCES[chance]} {known}".strip() for known in _outcome_names(chance)]
    wanted = " ".join(name.split())
    if wanted not in names:
        shown = ", ".join(names[:18]) if len(names) <= 18 else f"{CHANCES[chance]} and names of {', '.join(CONDITIONS)}"
        raise ValueError(f"{name!r} is no outcome of this draw; outcomes: {shown}")
    return names.index(wanted)


# Small parts ----------------------------------------------------------------------------------
class NotationError(ValueError):
    """A text that is no state: the message names the line and what was expected."""


def _counts(counts: np.ndarray) -> str:
    """``B5 K1``: how many of each colour."""
    return " ".join(f"{letter}{n}" for letter, n in zip(COLOUR_LETTERS, counts, strict=True) if n) or NOTHING


def _parse_counts(text: str) -> list[int]:
    counts = [0] * NUM_COLOURS
    for word in _words(text):
        if not re.fullmatch(rf"[{COLOUR_LETTERS}]\d+", word):
            raise NotationError(f"expected a colour letter of {COLOUR_LETTERS} and a number, such as B5, not {word!r}")
        counts[COLOUR_LETTERS.index(word[0])] += int(word[1:])
    return counts


def _words(text: str) -> list[str]:
    return [] if text.strip() in ("", NOTHING) else text.split()


def _letters(counts: np.ndarray) -> str:
    """``BBK``: each tile one letter."""
    return "".join(letter * int(n) for letter, n in zip(COLOUR_LETTERS, counts, strict=True)) or NOTHING


def _parse_letters(text: str) -> list[int]:
    if text.strip() == NOTHING:
        return []
    return [_index(letter, COLOUR_LETTERS, "colour letter") for letter in text.strip()]


def _index(word: str, names: Any, what: str) -> int:
    """Return the place of a word among names, or say what was expected."""
    if word not in names:
        raise NotationError(f"expected a {what} ({', '.join(names)}), not {word!r}")
    return int(names.index(word))


def _number(word: str, lowest: int = 0, highest: int = 32767) -> int:
    if not re.fullmatch(r"-?\d+", word) or not lowest <= int(word) <= highest:
        raise NotationError(f"expected a number from {lowest} to {highest}, not {word!r}")
    return int(word)


def _numbers(text: str, count: int, highest: int = 32767) -> list[int]:
    words = text.split()
    if len(words) != count:
        raise NotationError(f"expected {count} numbers, not {text!r}")
    return [_number(word, 0, highest) for word in words]


def _halves(text: str) -> list[str]:
    """Split ``of player 0 | of player 1``."""
    halves = text.split("|")
    if len(halves) != NUM_PLAYERS:
        raise NotationError(f"expected two parts, player 0 | player 1, not {text!r}")
    return [half.strip() for half in halves]


def _tile_name(tile: int) -> str:
    return NOTHING if tile == EMPTY else DOME_TILE_NAMES[tile]


def _parse_tile(word: str) -> int:
    return EMPTY if word == NOTHING else _index(word, DOME_TILE_NAMES, "dome tile")


def _player(player: int, nobody: str) -> str:
    return nobody if player == NOBODY else str(player)


def _parse_player(word: str, nobody: str) -> int:
    return NOBODY if word == nobody else _number(word, 0, NUM_PLAYERS - 1)


# Lines of text: name -> (writer, reader) ------------------------------------------------------
def _write_options(s: Any) -> str:
    return (
        f"zero_point_draw={'free' if s.zero_point_draw_free else 'forced_only'} "
        f"special_counts_as_colour={_YES_NO[s.special_counts_as_colour]} explicit_chance={_YES_NO[s.explicit_chance]} "
        f"scoring_tiles={s.num_scoring_tiles}"
    )


def _read_options(s: Any, text: str) -> None:
    allowed = {
        "zero_point_draw": ("forced_only", "free"),
        "special_counts_as_colour": _YES_NO,
        "explicit_chance": _YES_NO,
        "scoring_tiles": ("3", "4"),
    }
    given = dict(word.partition("=")[::2] for word in text.split())
    if set(given) != allowed.keys():
        raise NotationError(f"expected name=value for each of {', '.join(allowed)}, not {text!r}")
    at = {name: _index(value, allowed[name], name) for name, value in given.items()}
    s.zero_point_draw_free = at["zero_point_draw"]
    s.special_counts_as_colour = at["special_counts_as_colour"]
    s.explicit_chance = at["explicit_chance"]
    s.num_scoring_tiles = 3 + at["scoring_tiles"]


def _write_scoring(s: Any) -> str:
    return " ".join(name for name, on in zip(CONDITIONS, s.scoring, strict=True) if on) or NOTHING


def _read_scoring(s: Any, text: str) -> None:
    for word in _words(text):
        s.scoring[_index(word, CONDITIONS, "scoring tile")] = 1


def _write_stage(s: Any) -> str:
    return STAGES[s.stage] + (f", draw {CHANCES[s.chance]}" if s.chance != NO_CHANCE else "")


def _read_stage(s: Any, text: str) -> None:
    stage, _, chance = text.partition(", draw ")
    s.stage = _index(stage, STAGES, "stage")
    s.chance = _index(chance, CHANCES, "draw") if chance else NO_CHANCE


def _write_factory(s: Any, factory: int) -> str:
    sun = _letters(s.suns[factory])
    if factory == LARGE:
        return f"sun {sun}, moon {_letters(s.large_moon)}"
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
    return FACE_DOWN if word == "down" else _index(word, CHIPS, "bonus chip")


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
    match = re.fullmatch(r"(\d+) unseen(?:, (\w+) on top)?", text)
    if match is None:
        raise NotationError(f"expected 'N unseen, special on top', not {text!r}")
    s.stack_unseen = _number(match[1], 0, len(DOME_TILE_NAMES))
    s.top_kind = _index(match[2], KINDS, "kind") if match[2] else UNKNOWN


def _write_put_back(s: Any) -> str:
    parts: list[str] = []
    for tile, player, starts in zip(s.put_back, s.put_back_by, s.put_back_starts, strict=True):
        if tile != EMPTY:
            parts += [f"by {player}:"] * int(starts) + [DOME_TILE_NAMES[tile]]
    return " ".join(parts) or NOTHING


def _read_put_back(s: Any, text: str) -> None:
    place, player, starts = 0, NOBODY, 0
    for word in _words(text.replace("by ", "by_")):
        match = re.fullmatch(r"by_(\d):", word)
        if match:
            player, starts = _number(match[1], 0, NUM_PLAYERS - 1), 1
            continue
        if player == NOBODY or place == len(s.put_back):
            raise NotationError(f"expected 'by PLAYER: DOME TILES', at most {len(s.put_back)} tiles, not {text!r}")
        s.put_back[place], s.put_back_by[place], s.put_back_starts[place] = _parse_tile(word), player, starts
        place, starts = place + 1, 0


def _write_looked_at(s: Any) -> str:
    return " | ".join(" ".join(DOME_TILE_NAMES[t] for t in np.flatnonzero(row)) or NOTHING for row in s.looked_at)


def _read_looked_at(s: Any, text: str) -> None:
    for player, half in enumerate(_halves(text)):
        for word in _words(half):
            s.looked_at[player, _index(word, DOME_TILE_NAMES, "dome tile")] = 1


def _write_hand(s: Any) -> str:
    parts = []
    for place in range(s.hand_size):
        tile = KINDS[s.hand_kinds[place]] if s.hand[place] == UNKNOWN else DOME_TILE_NAMES[s.hand[place]]
        parts.append(f"{tile} from {_player(s.hand_from[place], 'stack')}")
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
            s.hand[place] = _index(match[1], DOME_TILE_NAMES, "dome tile or kind")
            s.hand_kinds[place] = KIND_OF[s.hand[place]]
        s.hand_from[place] = _parse_player(match[2], "stack")
        s.hand_size = place + 1


def _write_chips(chips: np.ndarray) -> str:
    return " | ".join(" ".join(CHIPS[c] for c in np.repeat(np.arange(len(CHIPS)), row)) or NOTHING for row in chips)


def _read_chips(chips: np.ndarray, text: str) -> None:
    for player, half in enumerate(_halves(text)):
        for word in _words(half):
            chips[player, _index(word, CHIPS, "bonus chip")] += 1


def _write_broken(s: Any) -> str:
    return " | ".join(_counts(row) for row in s.broken)


def _read_broken(s: Any, text: str) -> None:
    for player, half in enumerate(_halves(text)):
        s.broken[player] = _parse_counts(half)


def _write_pair(values: np.ndarray) -> str:
    return " ".join(str(int(value)) for value in values)


Writer = Callable[[Any], str]
Reader = Callable[[Any, str], None]


def _number_field(name: str, highest: int) -> tuple[Writer, Reader]:
    return (lambda s: str(int(s[name])), lambda s, text: s.__setitem__(name, _number(text, 0, highest)))


def _pair_field(name: str, highest: int) -> tuple[Writer, Reader]:
    return (
        lambda s: _write_pair(s[name]),
        lambda s, text: s.__setitem__(name, _numbers(text, NUM_PLAYERS, highest)),
    )


def _player_field(name: str, nobody: str) -> tuple[Writer, Reader]:
    return (
        lambda s: _player(s[name], nobody),
        lambda s, text: s.__setitem__(name, _parse_player(text, nobody)),
    )


def _factory_field(factory: int) -> tuple[Writer, Reader]:
    return (lambda s: _write_factory(s, factory), lambda s, text: _read_factory(s, factory, text))


def _counts_field(name: str) -> tuple[Writer, Reader]:
    return (lambda s: _counts(s[name]), lambda s, text: s.__setitem__(name, _parse_counts(text)))


def _read_paid(s: Any, text: str) -> None:
    s.paid_matching, s.paid_other = _numbers(text, 2, 12)


def _small_factory(s: Any) -> str:
    return NOTHING if s.ordering == NOBODY else FACTORIES[s.ordering]


TABLE: dict[str, tuple[Writer, Reader]] = {
    "round": _number_field("round_number", 5),
    "stage": (_write_stage, _read_stage),
    "active": _player_field("active", NOTHING),
    "decisions": _number_field("decisions", 32767),
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
    "scores": _pair_field("scores", 32767),
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
    "ordering": (
        _small_factory,
        lambda s, text: s.__setitem__("ordering", _index(text, FACTORIES[:NUM_SMALL], "small factory")),
    ),
    "line": (
        lambda s: NOTHING if s.line == NOBODY else str(s.line + 1),
        lambda s, text: s.__setitem__("line", _number(text, 1, NUM_LINES) - 1),
    ),
    "paid": (
        lambda s: f"{s.paid_matching} {s.paid_other}",
        _read_paid,
    ),
    "random": (lambda s: f"{int(s.rng):016x}", lambda s, text: s.__setitem__("rng", np.uint64(_hexadecimal(text)))),
}
"""Lines left out when they say nothing; then they are read as these defaults."""
RARE_DEFAULTS = {
    **dict.fromkeys(("put back", "hand", "kept", "ordering", "line"), NOTHING),
    "looked at": f"{NOTHING} | {NOTHING}",
    "returned": "0",
    "filled factories": str(NUM_FACTORIES),
    "paid": "0 0",
    "random": "0" * 16,
}


def _hexadecimal(text: str) -> int:
    if not re.fullmatch(r"[0-9a-f]{16}", text):
        raise NotationError(f"expected 16 hexadecimal digits, not {text!r}")
    return int(text, 16)


# Pattern lines and domes ----------------------------------------------------------------------
def _write_pattern_line(s: Any, player: int, line: int) -> str:
    """``..B``: line 3 with one blue tile."""
    tiles = int(s.lines[player, line])
    letter = COLOUR_LETTERS[s.line_colours[player, line]] if tiles else ""
    return ("." * (line + 1 - tiles) + letter * tiles).rjust(NUM_LINES)


def _space(s: Any, player: int, row: int, column: int) -> int:
    layout = s.domes[player, row // 2 * 3 + column // 2]
    return EMPTY if layout == EMPTY else int(LAYOUT_SPACES[layout, row % 2 * 2 + column % 2])


def _write_space(s: Any, player: int, row: int, column: int) -> str:
    space, tile = _space(s, player, row, column), s.tiles[player, row, column]
    if space == EMPTY:
        return "--"
    return ("." if tile == EMPTY else TILE_LETTERS[tile]) + SPACE_LETTERS[space]


def _write_row(s: Any, row: int) -> str:
    halves = []
    for player in range(NUM_PLAYERS):
        spaces = [_write_space(s, player, row, column) for column in range(6)]
        dome = "  ".join(" ".join(spaces[i : i + 2]) for i in (0, 2, 4))
        halves.append(f"{_write_pattern_line(s, player, row)}   {dome}")
    return "   |   ".join(halves)


def _read_row(s: Any, row: int, text: str, spaces: np.ndarray) -> None:
    """Read a pattern line and a dome row of both players; the spaces are put into ``spaces`` for ``_lay_dome_tiles``."""
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


def _lay_dome_tiles(s: Any, spaces: np.ndarray) -> None:
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


def _box_the_rest(s: Any) -> None:
    """Count as unseen every bonus chip and dome tile that is nowhere else."""
    for chip in range(len(CHIPS)):
        seen = int(s.chips_up[:, chip].sum() + s.chips_down[:, chip].sum() + (s.factory_chips == chip).sum())
        s.chips_unseen[chip] = COPIES_OF_CHIP - seen
    seen_tiles = [*s.display, *s.put_back, *s.hand, s.kept, *(s.domes[s.domes != EMPTY] // 4)]
    for tile in seen_tiles:
        if tile != EMPTY:
            s.fronts_unseen[tile] = 0


# A whole state --------------------------------------------------------------------------------
def _lines_of(s: Any, with_hidden: bool) -> list[str]:
    """Return the lines of a state; without hidden ones, what everybody at the table sees."""
    lines = [f"{name}: {writer(s)}" for name, (writer, _) in TABLE.items()]
    lines += ["", _heading()]
    lines += [f"row {row + 1}: {_write_row(s, row)}" for row in range(NUM_LINES)]
    lines += [f"{name}: {writer(s)}" for name, (writer, _) in BOARD.items()]
    rare = {name: writer(s) for name, (writer, _) in RARE.items()}
    if not with_hidden:
        rare = {name: rare[name] for name in ("ordering", "line", "paid")} | _public_dome_tiles(s)
    return lines + [f"{name}: {text}" for name, text in rare.items() if text != RARE_DEFAULTS.get(name, NOTHING)]


def _heading() -> str:
    """Return the players' names above their boards."""
    width = len(_write_row(blank_states(1)[0], 0).partition("|")[0])
    indent = " " * len("row 1: ")
    return f"{indent}{'player 0':>{NUM_LINES + 8}}".ljust(len(indent) + width) + f"|  {'player 1':>{NUM_LINES + 8}}"


def _public_dome_tiles(s: Any) -> dict[str, str]:
    """Say what everybody knows of the dome tiles put back and in the hand: how many of each kind (R3, R5)."""
    back = KIND_OF[[tile for tile in s.put_back if tile != EMPTY]]
    hand = s.hand_kinds[: s.hand_size].tolist() + ([int(KIND_OF[s.kept])] if s.kept != EMPTY else [])
    return {"put back": _kind_counts(list(back)), "drawn": _kind_counts(hand)}


def _kind_counts(kinds: list[int]) -> str:
    return ", ".join(f"{kinds.count(kind)} {name}" for kind, name in enumerate(KINDS) if kind in kinds) or NOTHING


def write(states: np.ndarray, i: int = 0) -> str:
    """Return one whole state as text, hidden parts and the generator included; ``read`` gives it back exactly."""
    s = states[i]
    return "\n".join([HEADER, f"options: {_write_options(s)}", *_lines_of(s, with_hidden=True)]) + "\n"


def board(states: np.ndarray, i: int = 0) -> str:
    """Return what everybody at the table sees, for people: nothing that a player may not know."""
    s = states[i]
    decides = f"player {s.player} decides: " if s.player != NOBODY else ""
    return "\n".join([*_lines_of(s, with_hidden=False), "", f"{decides}{decision_name(states, i)}"]) + "\n"


def read(text: str) -> np.ndarray:
    """Return the state (array of one) written as text.

    Chips and dome tiles that lie nowhere are unseen; lines of the last part may be left out when they say nothing, and ``bag``
    when it holds all other tiles.

    Raises:
        NotationError: (a ValueError) a line is missing or wrong, or the state breaks an invariant; the message says which.
    """
    states = blank_states(1)
    s = states[0]
    fields = _fields_of(text)
    spaces = np.full((NUM_PLAYERS, NUM_LINES, 6), EMPTY, np.int8)
    s.filling = NUM_FACTORIES
    s.bag = 0
    handlers: dict[str, Reader] = {"options": _read_options}
    handlers |= {name: reader for table in (TABLE, BOARD, RARE) for name, (_, reader) in table.items()}
    handlers |= {f"row {row + 1}": _row_reader(row, spaces) for row in range(NUM_LINES)}
    required = [name for name in handlers if name not in RARE and name != "bag"]
    _check_names(fields, list(handlers), required)
    for name, value in fields.items():
        try:
            handlers[name](s, value)
        except NotationError as error:
            raise NotationError(f"line {name!r}: {error}") from None
    _lay_dome_tiles(s, spaces)
    _box_the_rest(s)
    if "bag" not in fields:
        s.bag = [TILES_PER_COLOUR - n for n in _tiles_outside_bag(s)]
    s.player = NOBODY if s.chance != NO_CHANCE or s.stage == GAME_OVER else s.active
    broken = check(states)
    if broken:
        raise NotationError(f"the text is well formed, but no state of the game: broken are {'; '.join(broken)}")
    return states


def _row_reader(row: int, spaces: np.ndarray) -> Reader:
    return lambda s, text: _read_row(s, row, text, spaces)


def _fields_of(text: str) -> dict[str, str]:
    """Split the text into its named lines."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines or lines[0] != HEADER:
        raise NotationError(f"expected {HEADER!r} as the first line, not {lines[0] if lines else ''!r}")
    fields: dict[str, str] = {}
    for line in lines[1:]:
        if not line or line.startswith("player 0"):
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise NotationError(f"expected 'name: value', not {line!r}")
        if name in fields:
            raise NotationError(f"the line {name!r} stands twice")
        fields[name] = value.strip()
    return fields


def _check_names(fields: dict[str, str], known: list[str], required: list[str]) -> None:
    unknown = [name for name in fields if name not in known]
    missing = [name for name in required if name not in fields]
    if unknown:
        raise NotationError(f"unknown line {unknown[0]!r}; known are {', '.join(known)}")
    if missing:
        raise NotationError(f"the line {missing[0]!r} is missing")


def _tiles_outside_bag(s: Any) -> list[int]:
    """Count the tiles of each colour that are not in the bag."""
    counts = s.tower + s.large_moon + s.suns.sum(axis=0) + s.broken.sum(axis=0)
    for colour in range(NUM_COLOURS):
        counts[colour] += (s.moons == colour).sum() + (s.tiles == colour).sum()
        counts[colour] += s.lines[s.line_colours == colour].sum()
    return [int(count) for count in counts]


def options_of(states: np.ndarray, i: int = 0) -> Options:
    """Return the configuration of one state; scoring tiles by name where they are known."""
    s = states[i]
    names = tuple(name for name, on in zip(CONDITIONS, s.scoring, strict=True) if on)
    return Options(
        scoring_tiles=names or int(s.num_scoring_tiles),
        zero_point_draw="free" if s.zero_point_draw_free else "forced_only",
        special_counts_as_colour=bool(s.special_counts_as_colour),
        first_player=None if s.first_player == NOBODY else int(s.first_player),
        explicit_chance=bool(s.explicit_chance),
    )
