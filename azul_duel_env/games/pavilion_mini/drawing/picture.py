"""A state as a picture: SVG of our own design, from the point of view of one seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.game import Event, Journey
from azul_duel_env.games.pavilion_mini.actions import NUM_ACTIONS, SPACE_NAMES, decode
from azul_duel_env.games.pavilion_mini.components import COLOURS, NUM_SPACES
from azul_duel_env.games.pavilion_mini.drawing.board import draw_board
from azul_duel_env.games.pavilion_mini.drawing.geometry import Layout, layout_of
from azul_duel_env.games.pavilion_mini.drawing.happenings import places_of
from azul_duel_env.games.pavilion_mini.drawing.parts import hand_key, parts, space_key, supply_key
from azul_duel_env.games.pavilion_mini.drawing.symbols import symbols
from azul_duel_env.games.pavilion_mini.drawing.table import draw_status, draw_table
from azul_duel_env.games.pavilion_mini.drawing.themes import DARK, LIGHT
from azul_duel_env.games.pavilion_mini.drawing.view import Seen
from azul_duel_env.games.pavilion_mini.state import GAME_OVER, NOBODY
from azul_duel_env.games.pavilion_mini.words import NAMES, question, round_name
from azul_duel_env.view.drawing.arguments import check_request, chosen_actions, listed_actions
from azul_duel_env.view.drawing.canvas import Canvas
from azul_duel_env.view.drawing.overlays import draw_heat, draw_last, draw_legal, draw_new, shares_of
from azul_duel_env.view.drawing.staging import draw_card, draw_happening
from azul_duel_env.view.drawing.styles import prefix_of, style_sheet
from azul_duel_env.view.drawing.svg import Place, Rect, box
from azul_duel_env.view.picture import Card, Picture


def picture(
    state: Any,
    *,
    layout: str = "wide",
    theme: str = "light",
    seat: int = 0,
    names: Sequence[str] | None = None,
    last_action: int | None = None,
    before: Any = None,
    legal: Any = None,
    probabilities: Any = None,
    note: str = "",
    events: Sequence[Event] | None = None,
    card: Card | None = None,
) -> Picture:
    """Return a state as a picture; everybody sees all of it.

    Each part of the picture that can take part in an action is a group with the attribute ``data-part``; see ``drawing.parts``.

    Args:
        state: one state record.
        layout: ``"wide"``, 800 units wide; ``"narrow"``, 400 units wide; or ``"phone"``, which leaves out who decides what.
        theme: ``"light"``, ``"dark"``, or ``"auto"``: as the reader's browser is set.
        seat: the point of view: its board is the large one; the others follow in turn order.
        names: of the players; ``player_0`` and so on if left out.
        last_action: the action just played, to be marked; needs ``before``.
        before: the state record before that action; without ``last_action`` an earlier one of the same game: tiles that have come onto the
            boards since then are marked.
        legal: actions to outline: numbers, or a mask (a boolean or int8 array of 331).
        probabilities: of a policy, float (331,), to frame parts with.
        note: a sentence for below the question, such as what was just played.
        events: what has just happened, to be marked where it did, with its points; with ``last_action`` only what brought any. The
            state may be one between two decisions, in which nothing is asked.
        card: what a card over the table says.

    Raises:
        ValueError: no such layout, theme or seat, a mask or probabilities of another length, or ``last_action`` without ``before``.
    """
    num_players = len(state.scores)
    names = NAMES[:num_players] if names is None else names
    check_request(num_players, theme, seat, names, last_action, before)
    seen, place, prefix = Seen(state, seat), layout_of(layout, num_players), prefix_of(theme)
    asks = events is None or seen.player != NOBODY or seen.stage == GAME_OVER
    canvas = _drawn(state, seen, place, prefix, names, note, asks=asks)
    if probabilities is not None:
        chosen = chosen_actions(probabilities, NUM_ACTIONS)
        draw_heat(canvas, shares_of((parts(action, state), share) for action, share in chosen.items()))
    if legal is not None:
        draw_legal(canvas, [parts(action, state) for action in listed_actions(legal, NUM_ACTIONS)])
    if before is not None:
        then = Seen(before, seat)
        if last_action is None:
            draw_new(canvas, _new_places(place, seen, then))
        else:
            moves = journey(int(last_action), before)
            draw_last(canvas, _drawn(before, then, place, prefix, names), moves.start, moves.end)
    for event in events or ():
        if event.points or last_action is None:
            where = Rect(0, 0, place.width, place.height)
            draw_happening(canvas, places_of(event, seen, place), event.points, where)
    if card is not None:
        draw_card(canvas, card, place.width, place.height)
    style = style_sheet(theme, LIGHT, DARK)
    return Picture(place.width, place.height, f"{prefix}scope", style, symbols(prefix), tuple(canvas.pieces))


def _drawn(
    state: Any, seen: Seen, layout: Layout, prefix: str, names: Sequence[str], note: str = "", *, asks: bool = True
) -> Canvas:
    """Return the drawing of a state, in which a decision is due if it ``asks``, without anything laid over it."""
    canvas = Canvas(prefix)
    ground = Rect(0, 0, layout.width, layout.height)
    canvas.add(ground, box(ground, "f-ground"))
    for player, board in zip((seen.seat, *seen.others), layout.boards, strict=True):
        draw_board(canvas, seen, board, player, names[player])
    draw_table(canvas, seen, layout)
    who, asked = (_who(seen, names), question(state)) if asks else (round_name(seen.round_number).capitalize(), "")
    draw_status(canvas, layout, who, asked, note)
    return canvas


def _who(seen: Seen, names: Sequence[str]) -> str:
    """Say who decides, or who has won."""
    if seen.player != NOBODY:
        return names[seen.player]
    if seen.stage != GAME_OVER:
        return "Chance"
    first = [name for name, score in zip(names, seen.scores, strict=True) if score == max(seen.scores)]
    return f"{' and '.join(first)}: {max(seen.scores)} points"


def _new_places(layout: Layout, seen: Seen, then: Seen) -> list[Place]:
    """Return where tiles have come onto the boards since an earlier state."""
    return [
        board.spaces[space]
        for player, board in zip((seen.seat, *seen.others), layout.boards, strict=True)
        for space in range(NUM_SPACES)
        if seen.boards[player][space] != then.boards[player][space]
    ]


def journey(action: int, state: Any) -> Journey:
    """Return between which parts something moves in an action.

    Args:
        action: a legal action of the state, 0 to 330.
        state: one state record, before the action.
    """
    block, i = decode(int(action))
    seat = int(state.active)
    match block:
        case "take":
            return Journey(parts(action, state)[0], hand_key(seat, i[1]))
        case "bonus":
            return Journey(parts(action, state)[0], hand_key(seat, i[0]))
        case "place":
            return Journey(hand_key(seat, i[1]), space_key(seat, i[0]))
        case "pay":
            return Journey(hand_key(seat, int(state.colour)), space_key(seat, int(state.space)))
        case "discard":
            return Journey(hand_key(seat, i[0]))
    return Journey()


def event_journey(event: Any) -> Journey:
    """Return between which parts something moves as an event happens; none where nothing moves from part to part."""
    match event.kind:
        case "tile_placed":
            start = hand_key(event.player, COLOURS.index(event.colour))
            return Journey(start, space_key(event.player, SPACE_NAMES.index(event.space)))
        case "bonus_taken":
            colour = COLOURS.index(event.colour)
            return Journey(supply_key(colour), hand_key(event.player, colour))
    return Journey()
