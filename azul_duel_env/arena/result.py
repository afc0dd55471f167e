"""A finished game, and what it says about each two of its players."""

from __future__ import annotations

from dataclasses import dataclass, field

from azul_duel_env.game import NOBODY


@dataclass(frozen=True)
class GameResult:
    """A finished game.

    Attributes:
        agents: spec of the agent in each seat.
        seed: seed of the game.
        scores: points of each seat.
        winner: seat, or NOBODY (-1) if several share the first place.
        decisions: decisions of all players.
        actions: all actions, in order; () where they are not kept.
        first_player: the seat that began round 1, or NOBODY (-1) if it is not known.
        decided: decisions of each seat; () if they are not known.
        seconds: wall time that the agent in each seat took for them. It is all that differs between two runs of a game, and
            doesn't count in comparisons.
        ranks: place of each seat, from 1; equal seats share one. () for two seats, where the winner says all.
    """

    agents: tuple[str, ...]
    seed: int
    scores: tuple[int, ...]
    winner: int
    decisions: int
    actions: tuple[int, ...]
    first_player: int = NOBODY
    decided: tuple[int, ...] = ()
    seconds: tuple[float, ...] = field(default=(), compare=False)
    ranks: tuple[int, ...] = ()

    @property
    def places(self) -> tuple[int, ...]:
        """Place of each seat, from 1; equal seats share one."""
        if self.ranks:
            return self.ranks
        return tuple(1 if self.winner in (NOBODY, seat) else 2 for seat in range(len(self.agents)))

    def seats_of(self, agent: str) -> list[int]:
        """Return the seats of an agent."""
        return [seat for seat, one in enumerate(self.agents) if one == agent]

    def others(self, seat: int) -> list[int]:
        """Return all seats but one, in turn order from there."""
        count = len(self.agents)
        return [(seat + step) % count for step in range(1, count)]

    def points(self, seat: int, other: int) -> float:
        """Return 1 if a seat came before another, 0.5 if they share a place, else 0."""
        own, theirs = self.places[seat], self.places[other]
        return 0.5 if own == theirs else float(own < theirs)

    def share_beaten(self, seat: int) -> float:
        """Return the share of the other seats that a seat came before, shared places counting half."""
        others = self.others(seat)
        return sum(self.points(seat, other) for other in others) / len(others)

    def share_won(self, seat: int) -> float:
        """Return what a seat has of the win: 1, or as large a part as each other that shares the first place; else 0."""
        return 1 / self.places.count(1) if self.places[seat] == 1 else 0.0
