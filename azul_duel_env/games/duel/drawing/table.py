"""The table between the players: factories, dome tiles, and what is going on."""

from __future__ import annotations

from azul_duel_env.games.duel.components import (
    COLOURS,
    EMPTY,
    FACE_DOWN,
    KINDS,
    LARGE,
    LAYOUT_SPACES,
    NO_CHIP,
    NUM_ROTATIONS,
    NUM_SMALL,
    UNKNOWN,
)
from azul_duel_env.games.duel.drawing.geometry import TRAY_COLUMNS, TRAY_TILE, Layout, space_of
from azul_duel_env.games.duel.drawing.parts import moon_key, moon_top_key, sun_key
from azul_duel_env.games.duel.drawing.symbols import space_symbol, tile_symbol
from azul_duel_env.games.duel.drawing.view import Seen
from azul_duel_env.games.duel.state import ON_LARGE_FACTORY
from azul_duel_env.games.duel.words import chip_words, dome_tile_words, factory_words
from azul_duel_env.view.drawing.canvas import Canvas, card
from azul_duel_env.view.drawing.svg import Rect, box, shortened, tag, text, wrapped


def draw_table(canvas: Canvas, seen: Seen, layout: Layout) -> None:
    """Draw factories, display and stack."""
    for factory in range(NUM_SMALL):
        _draw_small(canvas, seen, layout, factory)
    _draw_large(canvas, seen, layout)
    _draw_stock(canvas, seen, layout)


def dome_tile(canvas: Canvas, layout: int, rect: Rect) -> str:
    """Return a dome tile, lying as ``layout`` (4 * dome tile + rotation) says."""
    spaces = [
        canvas.symbol(space_symbol(space), space_of(rect, cell))
        for cell, space in enumerate(LAYOUT_SPACES[layout].tolist())
    ]
    return box(rect, "f-card k-frame", rect.w / 9, stroke_width=1.2) + "".join(spaces)


# Factories ------------------------------------------------------------------------------------
def _draw_small(canvas: Canvas, seen: Seen, layout: Layout, factory: int) -> None:
    """Draw a small factory: sun above, moon below."""
    rect = layout.small[factory]
    moon = Rect(rect.x + 4, rect.y + rect.h - 42, rect.w - 8, 38)
    sun = Rect(rect.x + 4, rect.y + 4, rect.w - 8, rect.h - 50)
    number = text(str(factory + 1), sun.x + 5, sun.y + 12, "s b q")
    canvas.add(rect.grown(2), card(rect), box(sun, "f-sun", 9), box(moon, "f-moon", 9), number)
    _draw_sun(canvas, seen, factory, _square(sun, layout.sun))
    _draw_chip(canvas, seen, factory, Rect(moon.x + 3, moon.y + 7, 24, 24))
    _draw_moon(canvas, seen, factory, moon)


def _square(sun: Rect, side: float) -> list[Rect]:
    """Return four places for tiles, two by two."""
    x, y = sun.centre[0] + 5, sun.centre[1]  # beside the number
    gap = 2
    return [
        Rect(x + dx * (side / 2 + gap / 2) - side / 2, y + dy * (side / 2 + gap / 2) - side / 2, side, side)
        for dy in (-1, 1)
        for dx in (-1, 1)
    ]


def _draw_sun(canvas: Canvas, seen: Seen, factory: int, places: list[Rect]) -> None:
    """Draw the tiles on a sun; those of a colour are one part."""
    at = 0
    for colour, count in enumerate(seen.suns[factory]):
        if count:
            here = places[at : at + count]
            at += count
            label = f"{count} {COLOURS[colour]} on the sun of {factory_words(factory)}"
            tiles = [canvas.symbol(tile_symbol(colour), place) for place in here]
            canvas.part(sun_key(factory, colour), label, [place.around(36, 36) for place in here], *tiles)


def _draw_moon(canvas: Canvas, seen: Seen, factory: int, moon: Rect) -> None:
    """Draw the moon stack of a small factory: its top, and beside it what is covered, small, from the bottom up."""
    stack = [colour for colour in seen.moons[factory] if colour != EMPTY]
    if not stack:
        icon = Rect(moon.x + moon.w - 20, moon.y + 11, 15, 15)
        canvas.add(icon, canvas.symbol("moon", icon))
        return
    side, small = 27, 17
    top = Rect(moon.x + moon.w - side - 2, moon.y + 5.5, side, side)
    for height, colour in enumerate(stack[:-1]):
        place = Rect(top.x - small - 1.5, moon.y + moon.h - (small + 1) * (height + 1) - 1, small, small)
        canvas.add(place, canvas.symbol(tile_symbol(colour), place))
    label = f"{COLOURS[stack[-1]]} on top of the moon of {factory_words(factory)}"
    tile = canvas.symbol(tile_symbol(stack[-1]), top)
    canvas.part(moon_key(stack[-1]), label, [top.around(36, 38)], tile)
    canvas.mark(moon_top_key(factory), [top])


def _draw_chip(canvas: Canvas, seen: Seen, factory: int, rect: Rect) -> None:
    """Draw the bonus chip on a small factory."""
    chip = seen.factory_chips[factory]
    if chip == FACE_DOWN:
        label = f"bonus chip, face down, on {factory_words(factory)}"
        canvas.topic("chip", label, rect, canvas.symbol("down", rect))
    elif chip != NO_CHIP:
        label = f"{chip_words(chip)} on {factory_words(factory)}"
        canvas.part(f"bonus-{factory}", label, [rect.around(38, 38)], canvas.symbol(f"c{chip}", rect.grown(3)))


def _draw_large(canvas: Canvas, seen: Seen, layout: Layout) -> None:
    """Draw the large factory: sun above or left, moon below or right."""
    rect = layout.large
    if layout.name == "wide":
        sun, moon = Rect(rect.x + 4, rect.y + 4, rect.w - 8, 58), Rect(rect.x + 4, rect.y + 66, rect.w - 8, 56)
    else:
        sun, moon = Rect(rect.x + 4, rect.y + 4, 186, rect.h - 8), Rect(rect.x + 194, rect.y + 4, 186, rect.h - 8)
    name = text("large", sun.x + 5, sun.y + 12, "s b q")
    canvas.add(rect.grown(2), card(rect), box(sun, "f-sun", 9), box(moon, "f-moon", 9), name)
    pitch = (sun.w - 6) / 5
    _draw_sun(canvas, seen, LARGE, [_row_place(sun, i, pitch, min(pitch - 3, layout.sun)) for i in range(5)])
    _draw_large_moon(canvas, seen, moon)


def _row_place(zone: Rect, i: int, pitch: float, side: float) -> Rect:
    """Return place i of a row of tiles at the bottom of a zone."""
    return Rect(zone.x + 3 + i * pitch + (pitch - side) / 2, zone.y + zone.h - side - 5, side, side)


def _draw_large_moon(canvas: Canvas, seen: Seen, moon: Rect) -> None:
    """Draw the large moon: four places, and the first-player tile while it lies there."""
    pitch = (moon.w - 6) / 5
    side = min(pitch - 3, 32)
    icon = Rect(moon.x + 4, moon.y + 3, 13, 13)
    canvas.add(icon, canvas.symbol("moon", icon))
    at = 0
    for colour, count in enumerate(seen.large_moon):
        if count:
            here = [_row_place(moon, at + i, pitch, side) for i in range(count)]
            at += count
            label = f"{count} {COLOURS[colour]} on the large moon"
            tiles = [canvas.symbol(tile_symbol(colour), place) for place in here]
            canvas.part(moon_key(colour), label, [place.around(pitch, 38) for place in here], *tiles)
    if seen.first_player_tile == ON_LARGE_FACTORY:
        place = _row_place(moon, 4, pitch, side)
        canvas.topic("first-player", "the first-player tile, on the large moon", place, canvas.symbol("first", place))


# Dome tiles on the table ----------------------------------------------------------------------
def _draw_stock(canvas: Canvas, seen: Seen, layout: Layout) -> None:
    """Draw the display and the stack."""
    rect, side = layout.stock, layout.dome_tile
    canvas.add(rect.grown(2), card(rect))
    pitch = (rect.w - 16) / 4
    for place, tile in enumerate(seen.display):
        here = Rect(rect.x + 10 + place * pitch, rect.y + (rect.h - side) / 2, side, side)
        if tile == EMPTY:
            canvas.add(here.grown(2), box(here, "slot", side / 9))
        else:
            label = f"dome tile {dome_tile_words(tile)} of the display"
            canvas.part(f"display-{place}", label, [here], dome_tile(canvas, NUM_ROTATIONS * tile, here))
    _draw_stack(canvas, seen, Rect(rect.x + 10 + 3 * pitch, rect.y + (rect.h - side) / 2, side, side))


def _draw_stack(canvas: Canvas, seen: Seen, rect: Rect) -> None:
    """Draw the stack: the back on top, how many there are, and what went back under it."""
    if seen.stack_size == 0:
        canvas.add(rect.grown(2), box(rect, "slot", 7), text("empty", *_below(rect, 0.55), "s q", "middle"))
        return
    back = rect.grown(-4)
    under = [
        box(Rect(back.x + d, back.y + d, back.w, back.h), "f-plain k-plain-ink", 8, stroke_width=1) for d in (4, 2)
    ]
    kind = f"back{seen.stack_kind}" if seen.stack_kind != UNKNOWN else "back0"
    badge = Rect(rect.x + rect.w - 22, rect.y - 3, 26, 17)
    count = box(badge, "f-ink", 8) + text(str(seen.stack_size), badge.centre[0], badge.y + 13, "s b on", "middle")
    canvas.part(
        "stack", stack_words(seen), [rect], *(under if seen.stack_size > 1 else []), canvas.symbol(kind, back), count
    )


def _below(rect: Rect, share: float) -> tuple[float, float]:
    return rect.centre[0], rect.y + rect.h * share


def stack_words(seen: Seen) -> str:
    """Return what everybody knows of the stack, in words (R3, R5)."""
    top = f", the topmost is {KINDS[seen.stack_kind]}" if seen.stack_kind != UNKNOWN else ""
    returns = [
        f"{' and '.join(f'{count} {KINDS[kind]}' for kind, count in enumerate(counts) if count)} put back by player_{player}"
        for player, counts in seen.returns
    ]
    return f"stack of {seen.stack_size} dome tiles{top}" + "".join(f"; {one}" for one in returns)


# What is going on -----------------------------------------------------------------------------
def draw_status(canvas: Canvas, seen: Seen, layout: Layout, who: str, asked: str, note: str) -> None:
    """Draw who decides what, a note if there is room, and the dome tiles drawn."""
    rect = layout.status
    if rect is not None:
        canvas.add(
            rect.grown(2),
            card(rect),
            text(shortened(who, rect.w - 24, 9.0), rect.x + 12, rect.y + 21, "l b"),
            *_status_lines(rect, layout, num_in_tray(seen), asked, note),
        )
    if layout.tray is not None:
        canvas.add(layout.tray.grown(2), card(layout.tray))
    for i, place in enumerate(_tray_places(layout, num_in_tray(seen))):
        _draw_drawn(canvas, seen, i, place)


def _status_lines(rect: Rect, layout: Layout, num_drawn: int, asked: str, note: str) -> list[str]:
    """Return the text below the name; the wide arrangement has no room for it while dome tiles lie there."""
    has_tiles = num_drawn > 0 and layout.tray is None
    num_questions = 0 if has_tiles else 2
    questions = wrapped(asked, rect.w - 24, 6.6, num_questions)
    left, top = rect.x + 12, rect.y + 37
    below = top + 14 * len(questions) + 1
    num_notes = 0 if has_tiles or not note else int((rect.y + rect.h + 6 - below) / 12)
    notes = wrapped(note, rect.w - 24, 5.6, num_notes)
    return [text(line, left, top + 14 * i, "m q") for i, line in enumerate(questions)] + [
        text(line, left, below + 12 * i, "s a") for i, line in enumerate(notes)
    ]


SHAPES_OF_TRAY = ((4, 54), (6, 42))
"""Drawn dome tiles that fit in a row of the wide arrangement, and their side; more lie in two rows, with a side of 25."""


def num_in_tray(seen: Seen) -> int:
    """Return how many dome tiles lie drawn: in the hand or kept."""
    return len(seen.drawn) + (seen.kept != EMPTY)


def _draw_drawn(canvas: Canvas, seen: Seen, i: int, rect: Rect) -> None:
    """Draw a dome tile drawn from the stack: its front where this seat knows it. The kept one comes last."""
    kind, tile = seen.drawn[i] if i < len(seen.drawn) else (0, seen.kept)
    if tile == UNKNOWN:
        canvas.add(rect, canvas.symbol(f"back{kind}", rect))
        return
    front = dome_tile(canvas, NUM_ROTATIONS * tile, rect)
    if i < len(seen.drawn):
        canvas.part(f"drawn-{tile}", f"drawn dome tile {dome_tile_words(tile)}", [rect], front)
    else:
        mark = box(rect.grown(2), "none k-accent", 7, stroke_width=2)
        label = f"dome tile kept: {dome_tile_words(tile)}"
        canvas.add(rect.grown(4), tag("g", front, mark, role="img", aria_label=label))


def _tray_places(layout: Layout, count: int) -> list[Rect]:
    """Return where drawn dome tiles lie."""
    if layout.tray is not None:
        columns, side, left, top = TRAY_COLUMNS, TRAY_TILE, layout.tray.x + 14, layout.tray.y + 13
        pitch = (layout.tray.w - 22) / columns
    elif layout.status is None or not count:
        return []
    else:
        columns, side = next(((count, wide) for most, wide in SHAPES_OF_TRAY if count <= most), (-(-count // 2), 25))
        down = 27 + (54 - side) // 2 if columns == count else 29
        left, top, pitch = layout.status.x + 12, layout.status.y + down, side + 4
    return [Rect(left + i % columns * pitch, top + i // columns * (side + 2), side, side) for i in range(count)]
