"""What lies between the players: factories, centre, supply, bag and deposit, the rounds, and what is going on."""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE
from azul_duel_env.games.pavilion_mini.components import COLOURS, NUM_COLOURS, NUM_ROUNDS, STAR_POINTS, SUPPLY_SIZE
from azul_duel_env.games.pavilion_mini.drawing.geometry import Layout, factory_place
from azul_duel_env.games.pavilion_mini.drawing.parts import source_key, supply_key
from azul_duel_env.games.pavilion_mini.drawing.tiles import counted, square, tile, upright, wild_mark
from azul_duel_env.games.pavilion_mini.drawing.view import Seen
from azul_duel_env.games.pavilion_mini.state import IN_CENTRE
from azul_duel_env.view.drawing.canvas import Canvas, card
from azul_duel_env.view.drawing.svg import Rect, box, shortened, tag, text, wrapped


def draw_table(canvas: Canvas, seen: Seen, layout: Layout) -> None:
    """Draw all that belongs to no player."""
    for factory in range(len(seen.factories)):
        _draw_factory(canvas, seen, layout.factories[factory], factory)
    _draw_centre(canvas, seen, layout.centre)
    _draw_supply(canvas, seen, layout.supply)
    _draw_track(canvas, seen, layout.track)
    _draw_stock(canvas, seen, layout.stock)


def _wild_words(seen: Seen, colour: int) -> str:
    return ", wild" if colour == seen.wild else ""


# Factories and centre -------------------------------------------------------------------------
def _draw_factory(canvas: Canvas, seen: Seen, disc: Rect, factory: int) -> None:
    """Draw a factory; its tiles of a colour are one part."""
    x, y = disc.centre
    canvas.add(
        disc.grown(2),
        tag("circle", cx=x, cy=y + 1.6, r=disc.w / 2, class_="shade"),
        tag("circle", cx=x, cy=y, r=disc.w / 2, class_="f-disc k-edge", stroke_width=1),
    )
    at = 0
    for colour, count in enumerate(seen.factories[factory]):
        if count:
            here = [factory_place(disc, place) for place in range(at, at + count)]
            at += count
            label = f"{count} {COLOURS[colour]}{_wild_words(seen, colour)}, on factory {factory + 1}"
            tiles = [tile(canvas, colour, place) for place, _ in here]
            canvas.part(source_key(factory, colour), label, [hit for _, hit in here], *tiles)
    hub = tag("circle", cx=x, cy=y, r=8.5, class_="f-disc")
    canvas.add(square((x, y), 18), hub, text(str(factory + 1), x, y + 4, "s b q", "middle"))


def _draw_centre(canvas: Canvas, seen: Seen, rect: Rect) -> None:
    """Draw the centre of the table: its tiles by colour, and the first-player token while it lies there."""
    canvas.add(rect.grown(2), card(rect), text("Centre", rect.x + 12, rect.y + 16, "s q"))
    token = Rect(rect.x + 12, rect.y + rect.h - 40, 30, 30)
    lies = seen.token == IN_CENTRE
    canvas.topic(
        "centre",
        f"place of the first-player token: {'it lies here' if lies else 'empty'}",
        token,
        canvas.symbol("first", token)
        if lies
        else tag("circle", cx=token.centre[0], cy=token.centre[1], r=14, class_="slot"),
    )
    pitch = (rect.w - 60) / NUM_COLOURS
    for colour, count in enumerate(seen.centre):
        place = Rect(rect.x + 52 + colour * pitch, rect.y + 5, pitch, rect.h - 10).grown(-1)
        content = counted(canvas, colour, count, place, 40)
        if count:
            label = f"{count} {COLOURS[colour]}{_wild_words(seen, colour)}, in the centre"
            mark = wild_mark(place) if colour == seen.wild else ""
            canvas.part(source_key(CENTRE_SOURCE, colour), label, [place], box(place, "f-well", 7), content, mark)
        else:
            canvas.add(place, content)


# Supply, bag and deposit ----------------------------------------------------------------------
def _draw_supply(canvas: Canvas, seen: Seen, rect: Rect) -> None:
    """Draw the ten places of the supply, tiles of a colour side by side; these are one part."""
    canvas.add(rect.grown(2), card(rect), text("Supply", rect.x + 12, rect.y + 16, "s q"))
    pitch = (rect.w - 10) / SUPPLY_SIZE
    places = [Rect(rect.x + 5 + i * pitch, rect.y + 20, pitch, rect.h - 24) for i in range(SUPPLY_SIZE)]
    height = min(1.732 * (pitch - 2), rect.h - 24)
    tiles = [colour for colour, count in enumerate(seen.supply) for _ in range(count)]
    for place in places[len(tiles) :]:
        canvas.add(place, upright(place, height).grown(-1.5).outline("slot"))
    for colour, count in enumerate(seen.supply):
        if count:
            here = [place for place, other in zip(places, tiles, strict=False) if other == colour]
            label = f"{count} {COLOURS[colour]}{_wild_words(seen, colour)}, on the supply"
            drawn = [tile(canvas, colour, upright(place, height)) for place in here]
            canvas.part(supply_key(colour), label, here, *drawn)


def _draw_stock(canvas: Canvas, seen: Seen, rect: Rect) -> None:
    """Draw for each colour how many tiles are in the bag and in the deposit, and what a full star brings."""
    canvas.add(rect.grown(2), card(rect))
    left, pitch = rect.x + 74, (rect.w - 82) / NUM_COLOURS
    content = [
        tile(canvas, colour, upright(Rect(left + colour * pitch, rect.y + 3, pitch, 22), 20))
        for colour in range(NUM_COLOURS)
    ]
    rows: list[tuple[str, list[int]]] = [
        (f"Bag {sum(seen.bag)}", seen.bag),
        (f"Deposit {sum(seen.deposit)}", seen.deposit),
        ("Full star", STAR_POINTS.tolist()),
    ]
    for row, (name, numbers) in enumerate(rows):
        y = rect.y + 36 + 14 * row
        content.append(text(name, rect.x + 10, y, "s q"))
        content += [
            text(str(shown), left + (colour + 0.5) * pitch, y, "s", "middle") for colour, shown in enumerate(numbers)
        ]
    label = f"{sum(seen.bag)} tiles in the bag, {sum(seen.deposit)} in the deposit; what full stars score"
    canvas.topic("stock", label, rect, *content)


# The rounds, and what is going on -------------------------------------------------------------
def _draw_track(canvas: Canvas, seen: Seen, rect: Rect) -> None:
    """Draw the wild colour of each round; the one of this round is framed, those of earlier ones are faint."""
    canvas.add(rect.grown(2), card(rect))
    pitch = (rect.w - 64) / NUM_ROUNDS
    words = [text("Wild", rect.x + 12, rect.y + 25, "m b"), text("colours", rect.x + 12, rect.y + 41, "s q")]
    canvas.add(rect, *words)
    for i, colour in enumerate(seen.wild_order):
        place = Rect(rect.x + 58 + i * pitch, rect.y + 4, pitch, rect.h - 8)
        now = i + 1 == max(seen.round_number, 1)
        frame = box(place.grown(-0.5), "f-well k-accent", 7, stroke_width=2) if now else ""
        shown = tile(canvas, colour, upright(Rect(place.x, place.y + 1, place.w, place.h - 14), 33))
        number = text(str(i + 1), place.centre[0], place.y + place.h - 4, "s b" if now else "s q", "middle")
        faint = tag("g", shown, opacity=0.35) if i + 1 < seen.round_number else shown
        label = f"round {i + 1}{', now' if now else ''}: {COLOURS[colour]} is wild"
        canvas.topic("wild", label, place.grown(1), frame, faint, number)


def draw_status(canvas: Canvas, layout: Layout, who: str, asked: str, note: str) -> None:
    """Draw who decides what, and a note as far as there is room."""
    rect = layout.status
    if rect is None:
        return
    lines = [text(shortened(who, rect.w - 24, 8.4), rect.x + 12, rect.y + 21, "l b")]
    questions = wrapped(asked, rect.w - 24, 6.6, 2)
    lines += [text(line, rect.x + 12, rect.y + 37 + 14 * i, "m q") for i, line in enumerate(questions)]
    below = 37 + 14 * len(questions)
    room = int((rect.h + 8 - below) / 12)
    notes = wrapped(note, rect.w - 24, 5.6, room) if note else []
    lines += [text(line, rect.x + 12, rect.y + below + 12 * i, "s a") for i, line in enumerate(notes)]
    canvas.add(rect.grown(2), card(rect), *lines)
