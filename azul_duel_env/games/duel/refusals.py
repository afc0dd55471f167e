"""Why a part of the table can't be picked now, for somebody who has just tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.games.duel.components import CHIPS_PER_ROUND, COLOURS, NUM_ROUNDS, TOKENS_PER_ROUND
from azul_duel_env.games.duel.state import COLUMN, ORDERING, PAYING, PLACING, TURN
from azul_duel_env.games.duel.words import factory_words, question

OWNED = ("line", "broken", "slot", "column", "chip")
"""How the keys of parts begin that lie on the board of a seat."""


def why_not(key: str, picked: Sequence[str], state: Any) -> str:
    """Return why a part can't be picked.

    Args:
        key: of the part.
        picked: keys of the parts picked so far.
        state: one state record.
    """
    kind, *rest = key.split("-")
    if kind in OWNED and int(rest[0]) != int(state.active):
        return "That is on the other player's board."
    reason = _on_a_turn(kind, rest, picked, state) if state.stage == TURN else _elsewhere(kind, state)
    return reason or f"Not now. {question(state)}."


def _on_a_turn(kind: str, rest: Sequence[str], picked: Sequence[str], state: Any) -> str:
    """Return why a part can't be picked in a turn of phase 1."""
    seat = int(state.active)
    takes = picked[0].split("-") if picked else [""]
    match kind:
        case "line" if takes[0] in ("sun", "moon"):
            return _line_refuses(state, seat, int(rest[1]), takes[-1])
        case "line" | "broken":
            return "Pick the tiles first: a colour on a sun, or one on the moons."
        case "slot":
            return (
                "Pick a dome tile first, in the display or from the stack." if state.tokens[seat] else _no_token(state)
            )
        case "display" | "stack" if not picked:
            return _no_token(state) if not state.tokens[seat] else _no_draw(state, seat)
        case "bonus" if state.chips_taken[seat] >= CHIPS_PER_ROUND:
            return f"You have taken {CHIPS_PER_ROUND} bonus chips in this round, which is all you may."
        case "column":
            return "Spaces of the dome are filled at the end of the round, from finished pattern lines."
        case "chip":
            return "Your chips finish pattern lines at the end of the round."
    return ""


def _line_refuses(state: Any, seat: int, line: int, colour: str) -> str:
    """Return why tiles of a colour can't go to a pattern line (D47, D48)."""
    held = int(state.lines[seat, line])
    if held > line:
        return f"Pattern line {line + 1} is full."
    there = COLOURS[int(state.line_colours[seat, line])] if held else ""
    return (
        f"Pattern line {line + 1} holds {there} and takes no other colour, so {colour} can't go there."
        if there != colour
        else ""
    )


def _no_token(state: Any) -> str:
    if state.round_number == NUM_ROUNDS:
        return f"No dome tiles are taken in round {NUM_ROUNDS}."
    return f"You have used your {TOKENS_PER_ROUND} tokens of this round, and each dome tile costs one."


def _no_draw(state: Any, seat: int) -> str:
    """Return why there is nothing to draw from the stack (D28, R1)."""
    if state.scores[seat] == 0 and not state.zero_point_draw_free:
        return "A draw costs 1 point and you have none; take a dome tile of the display."
    return ""


def _elsewhere(kind: str, state: Any) -> str:
    """Return why a part can't be picked in a decision that is no turn."""
    match int(state.stage):
        case stage if stage == ORDERING and kind in ("sun", "moon"):
            return f"First stack the tiles that are left on {factory_words(int(state.ordering))}: pick one of them."
        case stage if stage == COLUMN and kind == "column":
            colour = COLOURS[int(state.line_colours[int(state.active), int(state.line)])]
            return f"The tile goes to a free {colour} or wild space of row {int(state.line) + 1}."
        case stage if stage == PAYING and kind == "chip":
            return "That chip doesn't help to finish this line."
        case stage if stage == PLACING and kind in ("display", "stack"):
            return "You keep the dome tile you have; pick a slot for it."
    return ""
