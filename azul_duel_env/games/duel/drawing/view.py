"""What one seat sees of a state, as plain Python: nothing else gets into a drawing."""

from __future__ import annotations

from typing import Any

from azul_duel_env.games.duel.components import EMPTY, KIND_OF, NUM_KINDS, UNKNOWN
from azul_duel_env.games.duel.knowledge import knows_hand_tile

_knows_hand_tile = getattr(knows_hand_tile, "py_func", knows_hand_tile)

OPEN = (
    *("scores", "round_number", "stage", "chance", "player", "active", "first_player", "first_player_tile", "scoring"),
    *("bag", "tower", "suns", "moons", "large_moon", "factory_chips", "display", "stack_unseen", "top_kind"),
    *("lines", "line_colours", "domes", "tiles", "broken", "tokens", "chips_up", "chips_down", "chips_taken"),
    *("ordering", "line", "source"),
)
"""Fields of a state that everybody sees."""


class Seen:
    """A state as a seat sees it; numbers mean what they mean in ``state.STATE``.

    Attributes:
        seat: who looks.
        drawn: dome tiles drawn in this action and not yet put back or kept, as (kind, dome tile or UNKNOWN).
        kept: the dome tile kept, where the seat may know it, else EMPTY.
        returns: each return under the stack, from the top down: who, and how many special and wild dome tiles are left of it (R5).
        stack_size: dome tiles in the stack.
        stack_kind: kind of the topmost, or UNKNOWN when there is none (R3).
    """

    scores: list[int]
    round_number: int
    stage: int
    chance: int
    player: int
    active: int
    first_player: int
    first_player_tile: int
    scoring: list[int]
    bag: list[int]
    tower: list[int]
    suns: list[list[int]]
    moons: list[list[int]]
    large_moon: list[int]
    factory_chips: list[int]
    display: list[int]
    stack_unseen: int
    top_kind: int
    lines: list[list[int]]
    line_colours: list[list[int]]
    domes: list[list[int]]
    tiles: list[list[list[int]]]
    broken: list[list[int]]
    tokens: list[int]
    chips_up: list[list[int]]
    chips_down: list[list[int]]
    chips_taken: list[int]
    ordering: int
    line: int
    source: int

    def __init__(self, state: Any, seat: int) -> None:
        for name in OPEN:
            setattr(self, name, state[name].tolist())
        self.seat = seat
        own = self.active == seat
        put_back = [tile for tile in state.put_back.tolist() if tile != EMPTY]
        shown = len(put_back) - (0 if own else int(state.returned))  # a return counts as drawn until it is complete
        self.returns = _returns(state, put_back[:shown])
        self.stack_size = self.stack_unseen + shown
        self.stack_kind = self.top_kind
        if self.stack_unseen == 0 and shown:
            self.stack_kind = int(KIND_OF[put_back[0]])
        self.kept = int(state.kept) if own else EMPTY
        self.drawn = _drawn(state, seat)
        if not own:
            hidden = put_back[shown:] + ([int(state.kept)] if state.kept != EMPTY else [])
            self.drawn = sorted(self.drawn + [(int(KIND_OF[tile]), UNKNOWN) for tile in hidden])


def _drawn(state: Any, seat: int) -> list[tuple[int, int]]:
    """Return the dome tiles in the hand: kind, and the front if the seat knows it; in the order in which actions name them."""
    drawn = [
        (int(state.hand_kinds[place]), int(state.hand[place]) if _knows_hand_tile(state, seat, place) else UNKNOWN)
        for place in range(int(state.hand_size))
    ]
    return sorted(drawn, key=lambda one: (one[1] == UNKNOWN, one[1]))


def _returns(state: Any, put_back: list[int]) -> list[tuple[int, list[int]]]:
    """Return who put dome tiles back, and how many of each kind, from the top of the stack down."""
    returns: list[tuple[int, list[int]]] = []
    starts, players = state.put_back_starts.tolist(), state.put_back_by.tolist()
    for place, tile in enumerate(put_back):
        if starts[place] or not returns:
            returns.append((players[place], [0] * NUM_KINDS))
        returns[-1][1][int(KIND_OF[tile])] += 1
    return returns
