"""A player board: pattern lines, dome, broken-tile space, tokens and chips."""

from __future__ import annotations

from azul_duel_env.game import amount, owned
from azul_duel_env.games.duel.components import (
    BROKEN_PENALTY,
    BROKEN_SPACES,
    CHIPS,
    COLOURS,
    EMPTY,
    FIRST_PLAYER_PENALTY,
    LAYOUT_SPACES,
    NUM_LINES,
    NUM_SLOTS,
    SPECIAL,
    TOKENS_PER_ROUND,
)
from azul_duel_env.games.duel.drawing.geometry import WIDE, Board, Layout, space_of
from azul_duel_env.games.duel.drawing.symbols import space_symbol, tile_symbol
from azul_duel_env.games.duel.drawing.view import Seen
from azul_duel_env.games.duel.words import SLOT_WORDS, SPACE_WORDS, chip_words
from azul_duel_env.view.drawing.canvas import Canvas, card
from azul_duel_env.view.drawing.svg import Rect, box, number, shortened, tag, text


def draw_board(canvas: Canvas, seen: Seen, layout: Layout, seat: int, name: str) -> None:
    """Draw the board of a seat."""
    board = layout.board(seat, seen.seat)
    canvas.add(board.card.grown(2), _card(seen, board, seat, name))
    if seen.player == seat:
        canvas.add(board.card.grown(3), box(board.card.grown(1), "none k-accent", 13, stroke_width=2))
    _draw_head(canvas, seen, layout, board.head, seat, name)
    if layout.name == "wide":
        _draw_arrows(canvas, board)
    for line in range(NUM_LINES):
        _draw_line(canvas, seen, board, seat, line, name)
    for slot in range(NUM_SLOTS):
        _draw_slot(canvas, seen, board, seat, slot, name)
    _draw_broken(canvas, seen, board, seat, name)
    _draw_chips(canvas, seen, board, seat, name)


def _card(seen: Seen, board: Board, seat: int, name: str) -> str:
    """Return the ground of a board, which says whose it is and how it stands."""
    first = ", and the first-player tile" if seen.first_player_tile == seat else ""
    stands = f"{amount(seen.scores[seat], 'point')}, {seen.tokens[seat]} of 2 tokens{first}"
    return tag("g", card(board.card), data_board=str(seat), role="img", aria_label=f"{owned(name, 'board')}: {stands}")


# Name, score, tokens --------------------------------------------------------------------------
def _draw_head(canvas: Canvas, seen: Seen, layout: Layout, rect: Rect, seat: int, name: str) -> None:
    score = str(seen.scores[seat])
    label = owned(name, f"tokens: {seen.tokens[seat]} of {TOKENS_PER_ROUND} left")
    tokens = [f"token{int(i < seen.tokens[seat])}" for i in range(TOKENS_PER_ROUND)]
    if layout.name == "wide":
        canvas.add(
            rect,
            text(shortened(name, rect.w, 8.2), rect.x, rect.y + 12, "l b"),
            tag(
                "text",
                tag("tspan", score, class_="xl"),
                tag("tspan", "point" if score == "1" else "points", class_="m q", dx=7),
                x=rect.x,
                y=rect.y + 50,
                class_="m",
            ),
        )
        symbols = [canvas.symbol(token, Rect(rect.x + 30 * i, rect.y + 62, 24, 24)) for i, token in enumerate(tokens)]
        words = text(f"{seen.tokens[seat]} of 2 tokens", rect.x + 66, rect.y + 82, "s q")
        canvas.topic("tokens", label, Rect(rect.x, rect.y + 60, rect.w, 28), *symbols, words)
        return
    canvas.add(
        rect,
        text(shortened(name, 180, 8.2), rect.x, rect.y + 22, "l b"),
        text(score, rect.x + rect.w, rect.y + 27, "xl", "end"),
    )
    symbols = [canvas.symbol(token, Rect(rect.x + 200 + 30 * i, rect.y + 4, 24, 24)) for i, token in enumerate(tokens)]
    canvas.topic("tokens", label, Rect(rect.x + 198, rect.y + 2, 60, 28), *symbols)


# Pattern lines --------------------------------------------------------------------------------
def _draw_line(canvas: Canvas, seen: Seen, board: Board, seat: int, line: int, name: str) -> None:
    """Draw a pattern line; it fills from the right (D46)."""
    count, colour = seen.lines[seat][line], seen.line_colours[seat][line]
    places = [board.line_place(line, place) for place in range(line + 1)]
    spaces = [box(place, "f-well k-edge", place.w / 4.6, stroke_width=1) for place in places[count:]]
    tiles = [canvas.symbol(tile_symbol(colour), place) for place in places[:count]]
    whose = owned(name, f"pattern line {line + 1}")
    held = f"{count} of {line + 1}, {COLOURS[colour]}" if count else "empty"
    canvas.part(f"line-{seat}-{line}", f"{whose}: {held}", [board.line(line)], *spaces, *tiles)
    if seen.line == line and seen.active == seat:
        here = board.line(line)
        canvas.add(here.grown(3), box(here.grown(1.5), "none k-accent", 8, stroke_width=2))


def _draw_arrows(canvas: Canvas, board: Board) -> None:
    """Draw an arrow from each line to its row of the dome."""
    x = board.dome[0] - 12
    shapes = []
    for row in range(NUM_LINES):
        y = board.place(row, 0).centre[1]
        shapes.append(f"M{number(x)} {number(y - 4)}L{number(x + 5)} {number(y)}L{number(x)} {number(y + 4)}Z")
    canvas.add(Rect(x, board.dome[1], 6, 220), tag("path", d="".join(shapes), class_="f-frame"))


# The dome -------------------------------------------------------------------------------------
def _draw_slot(canvas: Canvas, seen: Seen, board: Board, seat: int, slot: int, name: str) -> None:
    """Draw a slot of the dome: its dome tile with all that lies on it, or an empty place."""
    rect, layout = board.slot(slot), seen.domes[seat][slot]
    if layout == EMPTY:
        label = owned(name, f"empty slot {SLOT_WORDS[slot]}")
        canvas.part(f"slot-{seat}-{slot}", label, [rect], box(rect.grown(-1), "slot", 8))
    else:
        canvas.add(rect.grown(1), box(rect, "f-card k-frame", 8, stroke_width=1.2))
        for cell, space in enumerate(LAYOUT_SPACES[layout].tolist()):
            _draw_space(canvas, seen, seat, slot, cell, space, space_of(rect, cell), name)
    for row in range(slot // 3 * 2, slot // 3 * 2 + 2):
        if slot % 3 == 2:
            x, y = board.row_number(row)
            canvas.add(Rect(x - 6, y - 8, 12, 16), text(str(row + 1), x, y + 4, "s q", "middle"))


def _draw_space(canvas: Canvas, seen: Seen, seat: int, slot: int, cell: int, space: int, rect: Rect, name: str) -> None:
    """Draw a space of a dome tile, or the tile on it."""
    row, column = slot // 3 * 2 + cell // 2, slot % 3 * 2 + cell % 2
    tile = seen.tiles[seat][row][column]
    if tile != EMPTY:
        canvas.add(rect, canvas.symbol(tile_symbol(tile), rect))
    elif space == SPECIAL:
        label = owned(name, f"dome, row {row + 1}, column {column + 1}: special, empty")
        canvas.topic("space", label, rect, canvas.symbol(space_symbol(space), rect))
    else:
        label = owned(name, f"dome, row {row + 1}, column {column + 1}: {SPACE_WORDS[space]}, empty")
        canvas.part(f"column-{seat}-{row}-{column}", label, [rect.grown(0.5)], canvas.symbol(space_symbol(space), rect))


# Broken tiles and chips -----------------------------------------------------------------------
def _draw_broken(canvas: Canvas, seen: Seen, board: Board, seat: int, name: str) -> None:
    """Draw the broken-tile space with what each place costs, and the place of the first-player tile."""
    x, y = board.broken
    tiles = [colour for colour, count in enumerate(seen.broken[seat]) for _ in range(count)]
    content = []
    for place in range(BROKEN_SPACES):
        rect = Rect(x + 34 * place, y + 14, 30, 30)
        points = int(BROKEN_PENALTY[place + 1] - BROKEN_PENALTY[place])
        content.append(text(f"\N{MINUS SIGN}{points}", rect.centre[0], y + 9, "s q", "middle"))
        content.append(
            canvas.symbol(tile_symbol(tiles[place]), rect)
            if place < len(tiles)
            else box(rect, "f-well k-edge", 7, stroke_width=1)
        )
    hit = Rect(x - 2, y - 2, 4 * 34, 48)
    canvas.part(f"broken-{seat}", owned(name, f"broken tiles: {len(tiles)} of {BROKEN_SPACES}"), [hit], *content)
    rect = first_player_place(board)
    holds = seen.first_player_tile == seat
    shown = (
        canvas.symbol("first", rect)
        if holds
        else tag("circle", cx=rect.centre[0], cy=rect.centre[1], r=14, class_="slot")
    )
    cost = text(f"\N{MINUS SIGN}{FIRST_PLAYER_PENALTY}", rect.centre[0], y + 9, "s q", "middle")
    label = owned(name, f"place of the first-player tile: {'it lies here' if holds else 'empty'}")
    canvas.topic("first-player", label, Rect(rect.x, y - 2, rect.w, 48), cost, shown)


def first_player_place(board: Board) -> Rect:
    """Return where the first-player tile lies with who has it."""
    x, y = board.broken
    return Rect(x + 34 * BROKEN_SPACES + 4, y + 14, 30, 30)


def chip_store(board: Board) -> Rect:
    """Return where the first row of bonus chips lies."""
    pitch, height = board.chip_pitch
    return Rect(*board.chips, board.chip_columns * pitch, height)


def _draw_chips(canvas: Canvas, seen: Seen, board: Board, seat: int, name: str) -> None:
    """Draw the chip store: a chip for each kind face up with how many there are, then those turned over."""
    x, y = board.chips
    pitch, height = board.chip_pitch
    if board.chip_columns == WIDE.own.chip_columns:
        canvas.add(Rect(x, y - 20, 100, 16), text("Bonus chips", x + 3, y - 8, "s q"))
    up = [(kind, count) for kind, count in enumerate(seen.chips_up[seat]) if count]
    down = sum(seen.chips_down[seat])
    for i, (kind, count) in enumerate([*up, *([(-1, down)] if down else [])]):
        cell = Rect(x + i % board.chip_columns * pitch, y + i // board.chip_columns * height, pitch, height)
        chip = Rect(cell.x + (pitch - 30) / 2, cell.y + (height - 30) / 2, 30, 30)
        badge = _badge(count, chip) if count > 1 else ""
        if kind < 0:
            canvas.add(chip.grown(6), canvas.symbol("down", chip), badge)
        else:
            label = owned(name, amount(count, chip_words(kind)))
            canvas.part(f"chip-{seat}-{CHIPS[kind]}", label, [cell], canvas.symbol(f"c{kind}", chip), badge)


def _badge(count: int, rect: Rect) -> str:
    """Return a number at the corner of something."""
    x, y = rect.x + rect.w - 4, rect.y + rect.h - 4
    return tag("circle", cx=x, cy=y, r=8, class_="f-ink") + text(str(count), x, y + 4, "s b on", "middle")
