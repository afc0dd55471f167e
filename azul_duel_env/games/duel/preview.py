"""What comes of an action, as far as it is certain: where things land, what breaks and costs, what a finished line will score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from azul_duel_env.game import Preview, amount
from azul_duel_env.games.duel.actions import decode
from azul_duel_env.games.duel.components import (
    BROKEN,
    BROKEN_PENALTY,
    BROKEN_SPACES,
    CHIPS,
    COLOURS,
    DOME_SIZE,
    EMPTY,
    FIRST_PLAYER_PENALTY,
    LAYOUT_SPACES,
    SPECIAL,
    WILD,
)
from azul_duel_env.games.duel.words import on_moons, takes_first_player_tile

MINUS = "\N{MINUS SIGN}"


def preview(action: int, state: Any) -> Preview:
    """Return what comes of an action.

    Args:
        action: a legal action of the state, 0 to 399.
        state: one state record, before the action.
    """
    block, i = decode(int(action))
    seat = int(state.active)
    match block:
        case "sun":
            return _of_taking(state, int(state.suns[i[0], i[1]]), i[1], i[2], is_first=False)
        case "moon":
            is_first = takes_first_player_tile(state, i[0])
            return _of_taking(state, on_moons(state, i[0]), i[0], i[1], is_first=is_first)
        case "dome_display":
            return Preview((f"slot-{seat}-{i[1]}",))
        case "dome_place":
            return Preview((f"slot-{seat}-{i[0]}",))
        case "bonus_take":
            return Preview((f"chip-{seat}-{CHIPS[int(state.factory_chips[i[0]])]}",))
        case "tile_column":
            row = int(state.line)
            points = points_at(state, seat, row, i[0])
            return Preview((f"column-{seat}-{row}-{i[0]}",), f"scores {amount(points, 'point')}")
    return Preview()


# Tiles onto a line ----------------------------------------------------------------------------
def _of_taking(state: Any, count: int, colour: int, destination: int, *, is_first: bool) -> Preview:
    """Return what comes of so many tiles of a colour that go to a pattern line or break (D46 to D51)."""
    seat = int(state.active)
    if destination == BROKEN:
        parts, words, over = [], [], count
    else:
        held = int(state.lines[seat, destination])
        over = max(0, held + count - destination - 1)
        parts = [f"line-{seat}-{destination}"]
        words = [_of_line(state, seat, destination, colour, destination + 1 - held - count)]
    if over:
        parts.append(f"broken-{seat}")
        words.append(_breaking(int(state.broken[seat].sum()), over))
    if is_first:
        words.append(f"the first-player tile costs {FIRST_PLAYER_PENALTY} and you begin the next round")
    return Preview(tuple(parts), "; ".join(words))


def _breaking(already: int, over: int) -> str:
    """Say how many tiles break and what that costs, with so many broken already (D80, D51)."""
    costs = [int(BROKEN_PENALTY[min(count, BROKEN_SPACES)]) for count in (already, already + over)]
    cost = costs[1] - costs[0]
    return f"{over} break{'s' if over == 1 else ''}{f': {MINUS}{cost} point' if cost else ' at no further cost'}{'s' if cost > 1 else ''}"


def _of_line(state: Any, seat: int, line: int, colour: int, missing: int) -> str:
    """Say what becomes of a line of a colour that then lacks so many tiles, as the dome is now (D62 to D65)."""
    name, row = f"line {line + 1}", f"row {line + 1}"
    points = sorted(points_at(state, seat, line, column) for column in columns_for(state, seat, line, colour))
    then = f"finishes {name}" if missing <= 0 else f"{name} then lacks {missing}"
    if points:
        scored = f"{points[0]} to {points[-1]} points" if points[0] < points[-1] else amount(points[0], "point")
        return f"{then}: {scored} for its tile, as your dome is now"
    if any(int(state.domes[seat, line // 2 * 3 + slot]) == EMPTY for slot in range(3)):
        return f"{then}; {row} has no space for {COLOURS[colour]} yet"
    return f"{then}, but {row} has no space for {COLOURS[colour]}: its tiles will break"


# The dome, in plain Python --------------------------------------------------------------------
def columns_for(state: Any, seat: int, row: int, colour: int) -> Iterator[int]:
    """Return the columns of a row whose space is free for a colour (D62)."""
    for column in range(DOME_SIZE):
        if int(state.tiles[seat, row, column]) == EMPTY and _space(state, seat, row, column) in (colour, WILD):
            yield column


def _space(state: Any, seat: int, row: int, column: int) -> int:
    layout = int(state.domes[seat, row // 2 * 3 + column // 2])
    return EMPTY if layout == EMPTY else int(LAYOUT_SPACES[layout, row % 2 * 2 + column % 2])


def points_at(state: Any, seat: int, row: int, column: int) -> int:
    """Return the points of a tile that comes to a space, with those of a special tile that it brings (D76 to D78)."""
    filled = {(r, c) for r in range(DOME_SIZE) for c in range(DOME_SIZE) if int(state.tiles[seat, r, c]) != EMPTY}
    filled.add((row, column))
    points = _runs(filled, row, column)
    top, left = row // 2 * 2, column // 2 * 2
    cells = [(r, c) for r in (top, top + 1) for c in (left, left + 1)]
    special = [cell for cell in cells if _space(state, seat, *cell) == SPECIAL]
    if special and all(cell in filled for cell in cells if cell not in special):
        points += special[0][0] + 1
    return points


def _runs(filled: set[tuple[int, int]], row: int, column: int) -> int:
    """Return the points of a tile by its runs across and down (D76, D77)."""
    lengths = []
    for down, right in ((0, 1), (1, 0)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while (r, c) in filled:
                length, r, c = length + 1, r + sign * down, c + sign * right
        lengths.append(length)
    return max(1, sum(length for length in lengths if length > 1))
