"""A player's board as SVG: pattern lines, dome, broken tiles, tokens, bonus chips, points."""

from __future__ import annotations

from typing import Any

from azul_duel_env.duel.components import (
    BROKEN_PENALTY,
    BROKEN_SPACES,
    COLOURS,
    DOME_SIZE,
    EMPTY,
    FIRST_PLAYER_PENALTY,
    LAYOUT_SPACES,
    NUM_CHIP_KINDS,
    NUM_LINES,
    SPECIAL,
    TOKENS_PER_ROUND,
    WILD,
)
from azul_duel_env.duel.draw_table import draw_first_player_tile
from azul_duel_env.duel.svg import Canvas
from azul_duel_env.duel.words import chip_words, slot_words

BOARD_WIDTH, BOARD_HEIGHT = 386, 298
LINE_TILE, LINE_PITCH = 22, 23.5
ROW_PITCH = 34
SLOT = 2 * ROW_PITCH
HEADER, FOOTER = 40, 44
DOME_WIDTH = DOME_SIZE * ROW_PITCH


def draw_board(canvas: Canvas, state: Any, player: int, name: str, x: float, y: float) -> None:
    """Draw one player's board."""
    canvas.rect((x, y, BOARD_WIDTH, BOARD_HEIGHT), "mine" if state.player == player else "card", 12)
    _draw_header(canvas, state, player, name, x, y)
    dome_x = x + BOARD_WIDTH - DOME_WIDTH - 22
    lines = zip(state.lines[player].tolist(), state.line_colours[player].tolist(), strict=True)
    for line, (count, colour) in enumerate(lines):
        _draw_line(canvas, player, line, count, colour, dome_x - 12, y + HEADER + line * ROW_PITCH)
        canvas.text(x + BOARD_WIDTH - 18, y + HEADER + line * ROW_PITCH + 21, line + 1, "muted")
    _draw_dome(canvas, state, player, dome_x, y + HEADER)
    _draw_footer(canvas, state, player, x + 10, y + HEADER + NUM_LINES * ROW_PITCH + 8)


def _draw_header(canvas: Canvas, state: Any, player: int, name: str, x: float, y: float) -> None:
    """Write name and points, and draw the tokens for dome tiles."""
    canvas.text(x + 12, y + 25, name if len(name) <= 22 else f"{name[:21]}…", "bold")
    canvas.text(x + BOARD_WIDTH - 14, y + 28, int(state.scores[player]), "score")
    for token in range(TOKENS_PER_ROUND):
        style = "token" if token < state.tokens[player] else "spent"
        canvas.circle(x + BOARD_WIDTH - 96 + 15 * token, y + 21, 5, style)


def _draw_line(canvas: Canvas, player: int, line: int, count: int, colour: int, right: float, y: float) -> None:
    """Draw a pattern line, filled from the right."""
    size = line + 1
    left = right - size * LINE_PITCH
    held = "empty" if not count else f"{count} {COLOURS[colour]}"
    whole = (right - NUM_LINES * LINE_PITCH - 2, y, NUM_LINES * LINE_PITCH + 4, float(ROW_PITCH - 1))
    with canvas.part(f"line-{player}-{line}", f"pattern line {line + 1}: {held} of {size}", whole):
        for place in range(size):
            at = left + place * LINE_PITCH + 1
            if place < size - count:
                canvas.rect((at, y + 5.5, LINE_TILE, LINE_TILE), "well", 5)
            else:
                canvas.symbol(f"tile-{colour}", at - 0.5, y + 5, LINE_TILE + 1)


def _draw_dome(canvas: Canvas, state: Any, player: int, x: float, y: float) -> None:
    """Draw the slots with their dome tiles, and the tiles on them."""
    tiles = state.tiles[player].tolist()
    for slot, layout in enumerate(state.domes[player].tolist()):
        left, top = x + slot % 3 * SLOT, y + slot // 3 * SLOT
        box = (left + 1, top + 1, SLOT - 2.0, SLOT - 2.0)
        if layout == EMPTY:
            with canvas.part(f"slot-{player}-{slot}", f"empty slot at {slot_words(slot)}", box):
                canvas.rect((left + 2, top + 2, SLOT - 4, SLOT - 4), "well", 8)
            continue
        canvas.place(f"slot-{player}-{slot}", box)
        canvas.rect(box, "dome", 8)
        for cell, space in enumerate(LAYOUT_SPACES[layout].tolist()):
            row, column = slot // 3 * 2 + cell // 2, slot % 3 * 2 + cell % 2
            _draw_space(
                canvas, player, row, column, space, tiles[row][column], x + column * ROW_PITCH, y + row * ROW_PITCH
            )


def _draw_space(canvas: Canvas, player: int, row: int, column: int, space: int, tile: int, x: float, y: float) -> None:
    """Draw a space of a dome tile, or the tile on it."""
    wanted = {SPECIAL: "special", WILD: "wild"}.get(space, COLOURS[min(space, len(COLOURS) - 1)])
    held = "empty" if tile == EMPTY else "special tile" if tile == SPECIAL else COLOURS[tile]
    words = f"row {row + 1}, column {column + 1}: {wanted} space, {held}"
    with canvas.part(f"space-{player}-{row}-{column}", words, (x + 2, y + 2, ROW_PITCH - 4, ROW_PITCH - 4)):
        canvas.symbol(f"space-{space}" if tile == EMPTY else f"tile-{tile}", x + 2.5, y + 2.5, ROW_PITCH - 5)


def _draw_footer(canvas: Canvas, state: Any, player: int, x: float, y: float) -> None:
    """Draw broken tiles with what they cost, the first-player tile's place, and the bonus chips."""
    broken = [colour for colour, count in enumerate(state.broken[player].tolist()) for _ in range(count)]
    costs = [int(BROKEN_PENALTY[k + 1] - BROKEN_PENALTY[k]) for k in range(BROKEN_SPACES)]
    words = f"broken tiles: {len(broken)}, {-int(BROKEN_PENALTY[min(len(broken), BROKEN_SPACES)])} points"
    with canvas.part(f"broken-{player}", words, (x - 2, y - 2, BROKEN_SPACES * 26 + 2, 40)):
        for place, cost in enumerate(costs):
            at = x + place * 26
            if place < len(broken):
                canvas.symbol(f"tile-{broken[place]}", at - 0.5, y - 0.5, 25)
            else:
                canvas.rect((at, y, 24, 24), "well", 5)
            canvas.text(at + 12, y + 36, f"-{cost}", "mid")
    at = x + BROKEN_SPACES * 26 + 4
    if state.first_player_tile == player:
        draw_first_player_tile(canvas, at + 1, y + 1)
    else:
        canvas.rect((at, y, 24, 24), "well", 5)
    canvas.text(at + 12, y + 36, f"-{FIRST_PLAYER_PENALTY}", "mid")
    _draw_chips(canvas, state, player, at + 36, y)


def _draw_chips(canvas: Canvas, state: Any, player: int, x: float, y: float) -> None:
    """Draw a player's bonus chips: first those that show their front, then the ones turned over."""
    up, down = state.chips_up[player].tolist(), state.chips_down[player].tolist()
    canvas.place(f"chips-{player}", (x, y - 2, 216, 28))
    shown = sum(up) + sum(down)
    pitch = min(24.0, 216 / max(1, shown))
    for kind in range(NUM_CHIP_KINDS):
        if up[kind]:
            words = f"{up[kind]} bonus chips: {chip_words(kind)}" if up[kind] > 1 else f"bonus chip: {chip_words(kind)}"
            with canvas.part(f"chip-{player}-{kind}", words, (x - 1, y - 2, pitch * up[kind], 28)):
                for k in range(up[kind]):
                    canvas.symbol(f"chip-{kind}", x + k * pitch, y, 22)
            x += pitch * up[kind]
    for _ in range(sum(down)):
        canvas.symbol("chip-back", x, y, 22)
        x += pitch
