"""A state as plain Python, for drawing; all of it is open to everybody."""

from __future__ import annotations

from typing import Any

from azul_duel_env.games.pavilion_mini.components import EMPTY, STRUCTURE_SPACES
from azul_duel_env.games.pavilion_mini.drawing.parts import wild_of

FIELDS = (
    *("scores", "round_number", "stage", "chance", "player", "active", "first_player", "token", "grey", "wild_order"),
    *("bag", "deposit", "supply", "factories", "centre", "hands", "passed", "boards", "space", "colour"),
)


class Seen:
    """A state as a seat looks at it; numbers mean what they mean in ``state``.

    Attributes:
        seat: who looks.
        wild: the colour that is wild.
        others: the other seats, in turn order after this one.
    """

    scores: list[int]
    round_number: int
    stage: int
    chance: int
    player: int
    active: int
    first_player: int
    token: int
    grey: int
    wild_order: list[int]
    bag: list[int]
    deposit: list[int]
    supply: list[int]
    factories: list[list[int]]
    centre: list[int]
    hands: list[list[int]]
    passed: list[int]
    boards: list[list[int]]
    space: int
    colour: int

    def __init__(self, state: Any, seat: int) -> None:
        for name in FIELDS:
            setattr(self, name, state[name].tolist())
        self.seat = seat
        self.wild = wild_of(state)
        players = len(self.scores)
        self.others = [(seat + step) % players for step in range(1, players)]

    def is_closed(self, seat: int, structure: int) -> bool:
        """Return whether all spaces around a structure are filled."""
        spaces = [space for space in STRUCTURE_SPACES[structure].tolist() if space != EMPTY]
        return all(self.boards[seat][space] != EMPTY for space in spaces)
