"""What lies between the players, as SVG: factories, dome tiles, scoring tiles, the drawn dome tiles."""

from __future__ import annotations

from typing import Any

from azul_duel_env.duel.components import (
    BORDER,
    COLOURS,
    COLUMNS,
    CONDITIONS,
    CORNERS,
    DIAGONALS,
    DISPLAY_SIZE,
    EMPTY,
    EMPTY_SPECIAL_SPACES,
    FACE_DOWN,
    FIVE_COLOURS,
    KIND_OF,
    KINDS,
    LARGE,
    LAYOUT_SPACES,
    MOON_HEIGHT,
    NO_CHIP,
    NUM_ROTATIONS,
    ROWS,
    UNKNOWN,
    WILD_SPACES,
)
from azul_duel_env.duel.state import DRAWING, ON_LARGE_FACTORY
from azul_duel_env.duel.svg import Box, Canvas
from azul_duel_env.duel.words import chip_words, factory_words

FACTORY_WIDTH, FACTORY_HEIGHT = 100, 132
LARGE_WIDTH = 130
DISPLAY_HEIGHT = FACTORY_HEIGHT
STRIP_HEIGHT = 46
TILE, PITCH = 21, 22
DOME_TILE = 52
LETTER = 6.4
"""Width of a letter, about."""

SCORING_TEXTS = {
    ROWS: ("rows", "3 for each full row", "3 each"),
    COLUMNS: ("columns", "7 for each full column", "7 each"),
    DIAGONALS: ("diagonals", "10 for each full diagonal", "10 each"),
    WILD_SPACES: ("wild spaces", "2 for each, if all are full", "2 each if all full"),
    FIVE_COLOURS: ("five colours", "4 for each row of 5 colours", "4 for each row"),
    BORDER: ("border", "1 for each tile on the border", "1 for each tile"),
    CORNERS: ("corners", "3, 3, 8, 8 for full corners", "3, 3, 8, 8 if full"),
    EMPTY_SPECIAL_SPACES: ("special spaces", "-3 for each empty one", "-3 if empty"),
}
"""Each scoring tile's name, and what it gives, in full and in short."""


def tile_words(count: int, colour: int) -> str:
    """Return tiles in words."""
    return f"{count} {COLOURS[colour]}"


# Factories ------------------------------------------------------------------------------------
def draw_factory(canvas: Canvas, state: Any, factory: int, x: float, y: float) -> None:
    """Draw a small factory: its sun, its moon with the stack, its bonus chip."""
    canvas.rect((x, y, FACTORY_WIDTH, FACTORY_HEIGHT), "card", 10)
    _draw_sun(canvas, state, factory, (x + 4, y + 4, FACTORY_WIDTH - 8, 46))
    _draw_moon(canvas, state, factory, x + 4, y + 54)
    _draw_bonus(canvas, state, factory, x + 46, y + 66)
    canvas.text(x + FACTORY_WIDTH - 14, y + FACTORY_HEIGHT - 8, factory + 1, "muted")


def _draw_sun(canvas: Canvas, state: Any, factory: int, box: Box) -> None:
    """Draw the tiles of a sun, those of a colour side by side."""
    x, y, width, height = box
    canvas.rect(box, "sun", 8)
    canvas.place(f"factory-{factory}", box)
    counts = state.suns[factory].tolist()
    at = x + (width - PITCH * sum(counts)) / 2
    for colour, count in enumerate(counts):
        if count:
            words = f"{tile_words(count, colour)} on the sun of {factory_words(factory)}"
            with canvas.part(f"sun-{factory}-{COLOURS[colour]}", words, (at, y + 2, PITCH * count, height - 4)):
                for k in range(count):
                    canvas.symbol(f"tile-{colour}", at + k * PITCH + 0.5, y + (height - TILE) / 2, TILE)
            at += PITCH * count


def _draw_moon(canvas: Canvas, state: Any, factory: int, x: float, y: float) -> None:
    """Draw the moon stack, its top above; only the top can be taken."""
    canvas.rect((x, y, 38, 74), "moon", 12)
    canvas.place(f"moon-of-{factory}", (x, y, 38, 74))
    stack = [tile for tile in state.moons[factory].tolist() if tile != EMPTY]
    for height in range(MOON_HEIGHT):
        place = (x + 8.0, y + 49 - height * PITCH, float(TILE), float(TILE))
        if height >= len(stack):
            canvas.rect(place, "moonwell", 4)
        elif height == len(stack) - 1:
            words = f"{COLOURS[stack[height]]} on top of the moon of {factory_words(factory)}"
            with canvas.part(f"moon-{COLOURS[stack[height]]}", words, (x + 3, place[1] - 2, 32, TILE + 4)):
                canvas.symbol(f"tile-{stack[height]}", place[0], place[1], TILE)
        else:
            canvas.symbol(f"tile-{stack[height]}", place[0], place[1], TILE)


def _draw_bonus(canvas: Canvas, state: Any, factory: int, x: float, y: float) -> None:
    """Draw the bonus chip of a factory, or where it was."""
    chip = int(state.factory_chips[factory])
    if chip == NO_CHIP:
        canvas.rect((x + 8, y + 2, 32, 32), "well", 16)
        canvas.place(f"bonus-{factory}", (x + 6, y, 36, 36))
        return
    shown = "face down" if chip == FACE_DOWN else chip_words(chip)
    with canvas.part(f"bonus-{factory}", f"bonus chip of {factory_words(factory)}: {shown}", (x + 4, y - 2, 40, 40)):
        canvas.symbol("chip-back" if chip == FACE_DOWN else f"chip-{chip}", x + 6, y, 36)


def draw_large_factory(canvas: Canvas, state: Any, x: float, y: float, width: float = LARGE_WIDTH) -> None:
    """Draw the large factory: its sun, its moon, and the first-player tile while it lies there."""
    canvas.rect((x, y, width, FACTORY_HEIGHT), "card", 10)
    _draw_sun(canvas, state, LARGE, (x + 4, y + 4, width - 8, 46))
    canvas.rect((x + 4, y + 54, width - 8, 40), "moon", 12)
    canvas.place(f"moon-of-{LARGE}", (x + 4, y + 54, width - 8, 40))
    tiles = [(colour, count) for colour, count in enumerate(state.large_moon.tolist()) if count]
    at = x + 4 + (width - 8 - PITCH * sum(count for _, count in tiles)) / 2
    for colour, count in tiles:
        words = f"{tile_words(count, colour)} on the large moon"
        with canvas.part(f"moon-{COLOURS[colour]}", words, (at, y + 56, PITCH * count, 36)):
            for k in range(count):
                canvas.symbol(f"tile-{colour}", at + k * PITCH + 0.5, y + 63.5, TILE)
        at += PITCH * count
    if state.first_player_tile == ON_LARGE_FACTORY:
        draw_first_player_tile(canvas, x + 8, y + 102)
        canvas.text(x + 38, y + 117, "first player", "muted")


def draw_first_player_tile(canvas: Canvas, x: float, y: float) -> None:
    """Draw the first-player tile."""
    canvas.rect((x, y, 22, 22), "first", 5)
    canvas.text(x + 11, y + 15.5, "1", "badge")


# Dome tiles -----------------------------------------------------------------------------------
def draw_dome_tile(canvas: Canvas, layout: int, x: float, y: float, size: float) -> None:
    """Draw a dome tile that holds no tiles; ``layout`` is 4 * dome tile + rotation."""
    canvas.rect((x, y, size, size), "dome", 6)
    cell = (size - 4) / 2
    for place, space in enumerate(LAYOUT_SPACES[layout].tolist()):
        canvas.symbol(f"space-{space}", x + 2 + place % 2 * cell, y + 2 + place // 2 * cell, cell)


def draw_display(canvas: Canvas, state: Any, box: Box) -> None:
    """Draw the display, the stack, and how many tiles are in the bag and the tower."""
    x, y, width, height = box
    canvas.rect(box, "card", 10)
    pitch = (width - 8) / DISPLAY_SIZE
    size = min(DOME_TILE, pitch - 4)
    for place in range(DISPLAY_SIZE):
        at = x + 4 + place * pitch + (pitch - size) / 2
        _draw_place(canvas, state, place, at, y + 8, size)
    _draw_stack(canvas, state, x + 8, y + height - 56)
    _draw_counts(canvas, state, x + 60, y + height - 50)


def _draw_counts(canvas: Canvas, state: Any, x: float, y: float) -> None:
    """Write how many tiles of each colour are in the bag and in the tower."""
    canvas.text(x, y + 26, "bag", "muted")
    canvas.text(x, y + 42, "tower", "muted")
    for colour, (bag, tower) in enumerate(zip(state.bag.tolist(), state.tower.tolist(), strict=True)):
        middle = x + 44 + 14.5 * colour
        canvas.symbol(f"tile-{colour}", middle - 6, y, 12)
        canvas.text(middle, y + 26, bag, "mid")
        canvas.text(middle, y + 42, tower, "mid")


def _draw_place(canvas: Canvas, state: Any, place: int, x: float, y: float, size: float) -> None:
    tile = int(state.display[place])
    if tile == EMPTY:
        canvas.rect((x, y, size, size), "well")
        canvas.place(f"display-{place}", (x, y, size, size))
        return
    with canvas.part(f"display-{place}", f"dome tile {place + 1} of the display", (x - 1, y - 1, size + 2, size + 2)):
        draw_dome_tile(canvas, NUM_ROTATIONS * tile, x, y, size)


def top_of_stack(state: Any) -> tuple[int, str]:
    """Return how many dome tiles the stack holds, and the kind on the back of the topmost, as everybody sees it."""
    put_back = [int(tile) for tile in state.put_back if tile != EMPTY]
    held = len(put_back) - int(state.returned)  # a return counts as drawn until it is complete
    unseen = int(state.stack_unseen)
    kind = int(state.top_kind) if unseen else int(KIND_OF[put_back[0]]) if held else UNKNOWN
    return unseen + held, "unknown" if kind == UNKNOWN else KINDS[kind]


def _draw_stack(canvas: Canvas, state: Any, x: float, y: float) -> None:
    """Draw the stack of dome tiles: the back on top, and how many they are."""
    count, kind = top_of_stack(state)
    box = (x - 2, y - 2, 48.0, 52.0)
    if not count:
        canvas.rect((x, y + 4, 44, 44), "well")
        canvas.place("stack", box)
        return
    with canvas.part("stack", f"stack of {count} dome tiles, a {kind} space on top", box):
        for below in range(min(3, count - 1), 0, -1):
            canvas.rect((x + 2 * below, y + 4 - 2 * below, 42, 42), "dome", 6)
        canvas.symbol(f"back-{kind}", x - 1, y + 2, 46)
        canvas.rect((x + 26, y + 32, 20, 16), "first", 8)
        canvas.text(x + 36, y + 44, count, "badge")


def shown_hand(state: Any, seat: int) -> list[tuple[int, str]]:
    """Return the drawn dome tiles as a seat sees them: the tile or UNKNOWN, and the kind on its back.

    Until a return is complete, the other player sees only backs, of what was kept and put back too (R4, R5).
    """
    size = int(state.hand_size)
    kinds = [int(kind) for kind in state.hand_kinds[:size]]
    if state.active == seat:
        known = [
            state.stage != DRAWING or by == seat for by in state.hand_from[:size]
        ]  # R4: fronts are looked at after the last draw
        tiles = [int(tile) if seen else UNKNOWN for tile, seen in zip(state.hand[:size], known, strict=True)]
        return [(tile, KINDS[kind]) for tile, kind in zip(tiles, kinds, strict=True)]
    gone = [int(tile) for tile in state.put_back if tile != EMPTY]
    gone = gone[len(gone) - int(state.returned) :] + ([int(state.kept)] if state.kept != EMPTY else [])
    return [(UNKNOWN, KINDS[kind]) for kind in sorted(kinds + [int(KIND_OF[tile]) for tile in gone])]


def draw_hand(canvas: Canvas, state: Any, seat: int, box: Box) -> bool:
    """Draw the dome tiles drawn in this action, if there are any; return whether there are."""
    tiles = shown_hand(state, seat)
    kept = int(state.kept) if state.active == seat else EMPTY
    if not tiles and kept == EMPTY:
        return False
    x, y, width, _ = box
    canvas.rect(box, "mine", 10)
    canvas.text(x + 10, y + 27, "Drawn" if tiles else "Kept", "bold")
    if kept != EMPTY:
        draw_dome_tile(canvas, NUM_ROTATIONS * kept, x + 62, y + 4, STRIP_HEIGHT - 8)
    at, first = x + 62 + (54 if kept != EMPTY else 0), y + 4
    for tile, kind in tiles:
        if at + 40 > x + width:
            at, first = x + 62, first + STRIP_HEIGHT
        _draw_drawn(canvas, tile, kind, at, first)
        at += 46
    return True


def _draw_drawn(canvas: Canvas, tile: int, kind: str, x: float, y: float) -> None:
    size = STRIP_HEIGHT - 8
    if tile == UNKNOWN:
        canvas.symbol(f"back-{kind}", x, y, size)
        return
    with canvas.part(f"drawn-{tile}", f"drawn dome tile with a {kind} space", (x - 3, y - 3, size + 6, size + 6)):
        draw_dome_tile(canvas, NUM_ROTATIONS * tile, x, y, size)


# Scoring tiles --------------------------------------------------------------------------------
def draw_scoring_tiles(canvas: Canvas, state: Any, box: Box, columns: int) -> None:
    """Draw the scoring tiles in play: a small dome that shows what they want, and what they give."""
    x, y, width, _ = box
    in_play = [condition for condition in range(len(CONDITIONS)) if state.scoring[condition]]
    across = min(columns, max(1, len(in_play)))
    gap = 8
    each = (width - gap * (across - 1)) / across
    for k, condition in enumerate(in_play):
        left, top = x + k % across * (each + gap), y + k // across * (STRIP_HEIGHT + gap)
        name, text, short = SCORING_TEXTS[condition]
        canvas.rect((left, top, each, STRIP_HEIGHT), "card", 10)
        _draw_pattern(canvas, condition, left + 6, top + 6)
        canvas.text(left + 48, top + 19, name, "bold")
        canvas.text(left + 48, top + 35, text if len(text) * LETTER <= each - 52 else short, "muted")


def _draw_pattern(canvas: Canvas, condition: int, x: float, y: float) -> None:
    """Draw a dome of 6 x 6 dots, those lit that count."""
    for row, spaces in enumerate(PATTERNS[condition].split()):
        for column, sign in enumerate(spaces):
            style = "minion" if sign == "#" else "mini"
            canvas.rect((x + column * 5.7, y + row * 5.7, 4.6, 4.6), style, 1)


PATTERNS = {
    ROWS: "...... ###### ...... ...... ...... ......",
    COLUMNS: ".#.... .#.... .#.... .#.... .#.... .#....",
    DIAGONALS: "#....# .#..#. ..##.. ..##.. .#..#. #....#",
    WILD_SPACES: ".#.... ....#. ...... ..#... .....# #.....",
    FIVE_COLOURS: "...... ...... ...... #####. ...... ......",
    BORDER: "###### #....# #....# #....# #....# ######",
    CORNERS: "##..## ##..## ...... ...... ##..## ##..##",
    EMPTY_SPECIAL_SPACES: "...#.. ...... .#.... ....#. ...... ..#...",
}
"""The spaces that stand for a condition in its little picture."""
