"""A player board: seven stars with pillars, statues and windows between them, name and score, the tiles beside it."""

from __future__ import annotations

from azul_duel_env.game import amount, owned
from azul_duel_env.games.pavilion_mini.components import (
    CENTRE,
    COLOURED,
    COLOURS,
    EMPTY,
    NUM_COLOURS,
    NUM_SPACES,
    NUM_STARS,
    NUM_STRUCTURES,
    SPACE_NUMBER,
    STAR_COLOUR,
    STAR_SIZE,
    STARS,
    STRUCTURE_KIND,
    STRUCTURE_KINDS,
)
from azul_duel_env.games.pavilion_mini.drawing.geometry import HALF_HEIGHT, HALF_WIDTH, Board
from azul_duel_env.games.pavilion_mini.drawing.parts import colours_in_star, hand_key, pass_key, space_key
from azul_duel_env.games.pavilion_mini.drawing.tiles import counted, square, tile, wild_mark
from azul_duel_env.games.pavilion_mini.drawing.view import Seen
from azul_duel_env.games.pavilion_mini.state import PLACE
from azul_duel_env.view.drawing.canvas import Canvas, card
from azul_duel_env.view.drawing.svg import Rect, box, shortened, tag, text

LARGE_EDGE = 30
"""From this length of an edge on, numbers are large."""


def draw_board(canvas: Canvas, seen: Seen, board: Board, seat: int, name: str) -> None:
    """Draw the board of a seat."""
    canvas.add(board.card.grown(2), _card(seen, board, seat, name))
    if seen.player == seat:
        canvas.add(board.card.grown(3), box(board.card.grown(1), "none k-accent", 13, stroke_width=2))
    _draw_head(canvas, seen, board, seat, name)
    _draw_structures(canvas, seen, board, seat)
    for space in range(NUM_SPACES):
        _draw_space(canvas, seen, board, seat, space, name)
    _draw_hubs(canvas, seen, board, seat)
    _draw_hand(canvas, seen, board, seat, name)


def _card(seen: Seen, board: Board, seat: int, name: str) -> str:
    """Return the ground of a board, which says whose it is and how it stands."""
    first = ", the first-player token" if seen.token == seat else ""
    stands = f"{amount(seen.scores[seat], 'point')}{first}{', passed' if seen.passed[seat] else ''}"
    return tag("g", card(board.card), data_board=str(seat), role="img", aria_label=f"{owned(name, 'board')}: {stands}")


# Name and score -------------------------------------------------------------------------------
def _draw_head(canvas: Canvas, seen: Seen, board: Board, seat: int, name: str) -> None:
    """Draw name and score, the first-player token, and whether the player has passed or can pass."""
    rect, score = board.head, str(seen.scores[seat])
    room = 26.0 if seen.token == seat else 0.0
    if board.is_head_above:
        named, first = rect.w - 136 - room, 20.0
        scored = text(score, rect.x + rect.w, rect.y + 27, "xl", "end")
        passing = Rect(rect.x + rect.w - 132, rect.y, 62, 30)
    else:
        named, first = rect.w - room, 15.0
        scored = text(score, rect.x, rect.y + 48, "xl")
        passing = Rect(rect.x + rect.w - 62, rect.y + 26, 62, 30)
    label = text(shortened(name, named, 9.0), rect.x + room, rect.y + first, "l b")
    token = canvas.symbol("first", Rect(rect.x, rect.y + first - 16, 21, 21)) if room else ""
    canvas.add(rect.grown(2), label, scored, token)
    if seen.passed[seat]:
        canvas.add(passing, text("passed", passing.centre[0], passing.y + 19, "m q", "middle"))
    elif seen.player == seat and seen.stage == PLACE:
        words = text("Pass", passing.centre[0], passing.y + 19, "m b a", "middle")
        pill = box(passing.grown(-2), "f-well k-accent", 13, stroke_width=1)
        canvas.part(pass_key(seat), "pass", [passing.around(62, 36)], pill, words)


# Stars ----------------------------------------------------------------------------------------
def _draw_space(canvas: Canvas, seen: Seen, board: Board, seat: int, space: int, name: str) -> None:
    """Draw a space with what it costs, or the tile on it."""
    place, colour = board.spaces[space], seen.boards[seat][space]
    star, position = divmod(space, STAR_SIZE)
    if colour != EMPTY:
        canvas.add(place.extent.grown(1), tile(canvas, colour, place))
        return
    number, paint = int(SPACE_NUMBER[seen.grey, space]), _paper(seen, star)
    x, y = place.centre
    size, down = ("m b", 4.6) if board.edge >= LARGE_EDGE else ("s", 3.9)
    shape = place.outline(f"f-{paint} k-card", stroke_width=0.6)
    digit = text(str(number), x, y + down, size, "middle")
    label = owned(name, f"{STARS[star]} star, space {position + 1}: costs {number}, empty")
    canvas.part(space_key(seat, space), label, [place], shape, digit)
    if seen.active == seat and seen.space == space:
        canvas.add(place.extent.grown(4), place.grown(1).outline("none k-accent", stroke_width=3))


def _paper(seen: Seen, star: int) -> str:
    """Return what the empty spaces of a star are painted with."""
    return "stone" if seen.grey != COLOURED or star == CENTRE else f"pale-{COLOURS[int(STAR_COLOUR[star])]}"


def _draw_hubs(canvas: Canvas, seen: Seen, board: Board, seat: int) -> None:
    """Draw in the middle of each star what it is of: a colour, or all of them; nothing while that is open. Full ones have a golden ring."""
    side = 0.46 * board.edge
    shapes = []
    for star in range(NUM_STARS):
        name = _hub(seen, seat, star)
        if name:
            x, y = board.star(star)
            is_full = EMPTY not in seen.boards[seat][STAR_SIZE * star : STAR_SIZE * (star + 1)]
            shapes += [
                tag("circle", cx=x, cy=y, r=0.72 * side, class_="f-card k-gold", stroke_width=0.2 * side * is_full),
                canvas.symbol(name, square((x, y), side)),
            ]
    extent = Rect(*board.centre, 0, 0).around(2 * HALF_WIDTH * board.edge, 2 * HALF_HEIGHT * board.edge)
    canvas.add(extent, *shapes)


def _hub(seen: Seen, seat: int, star: int) -> str:
    """Return the symbol of what a star is of (SR13)."""
    if seen.grey == COLOURED:
        return "dots" if star == CENTRE else f"g{int(STAR_COLOUR[star])}"
    lying = colours_in_star(seen.boards[seat], star)
    if len(lying) < 2:
        return ""
    return "dots" if len(set(lying)) > 1 else f"g{lying[0]}"


def _draw_structures(canvas: Canvas, seen: Seen, board: Board, seat: int) -> None:
    """Draw pillars, statues and windows: golden if they are closed."""
    for structure in range(NUM_STRUCTURES):
        closed = seen.is_closed(seat, structure)
        kind = STRUCTURE_KINDS[STRUCTURE_KIND[structure]]
        x, y = board.structure(structure)
        ground = tag("circle", cx=x, cy=y, r=0.36 * board.edge, class_="f-gold" if closed else "f-well")
        mark = canvas.symbol(f"{kind}{int(closed)}", square((x, y), 0.44 * board.edge))
        label = f"{kind}, {'closed' if closed else 'open'}"
        canvas.topic("structure", label, square((x, y), board.edge), ground, mark)


# Tiles beside the board -----------------------------------------------------------------------
def _draw_hand(canvas: Canvas, seen: Seen, board: Board, seat: int, name: str) -> None:
    """Draw the tiles beside a board, or, of who has passed, on its corners."""
    for colour in range(NUM_COLOURS):
        count, rect = seen.hands[seat][colour], board.hand_place(colour).grown(-1.5)
        content = [counted(canvas, colour, count, rect, min(rect.h - 4, 40))]
        if count:
            content += [wild_mark(rect)] if colour == seen.wild else []
            label = f"{count} {COLOURS[colour]}{', wild' if colour == seen.wild else ''}, beside {owned(name, 'board')}"
            canvas.part(hand_key(seat, colour), label, [rect], box(rect, "f-well", 7), *content)
        else:
            canvas.add(rect.grown(1), *content)
