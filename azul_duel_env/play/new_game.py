"""How a game of people and agents starts: the game, who sits where, the seed, the options."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from azul_duel_env.arena.game_file import HUMAN
from azul_duel_env.game import Game
from azul_duel_env.games import DEFAULT_GAME, find_game
from azul_duel_env.jit.rng import keys_from_seed

RANDOM_SEAT = "random"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
FIRST_PLAYER = "first_player"
"""The option of a game that says which seat begins, in games that have it."""


class SessionError(ValueError):
    """Something that can't be done now; the message says why, and nothing has changed."""


def default_game() -> Game:
    """Return the game that is played unless another is named."""
    return find_game(DEFAULT_GAME)


@dataclass(frozen=True)
class Setup:
    """How a game starts.

    Attributes:
        seats: ``"human"`` or the spec of an agent, for each seat.
        seed: decides all that is drawn, and what agents choose at random; None for a game whose draws came from elsewhere.
        options: the configuration, without ``explicit_chance``.
        game: what is played.
    """

    seats: tuple[str, ...]
    seed: int | None
    options: dict[str, Any] = field(default_factory=dict)
    game: Game = field(default_factory=default_game)


def fresh_seed() -> int:
    """Return a seed that nobody has chosen, short enough to be written down."""
    return secrets.randbelow(10**6)


def seat_choices(game: Game) -> tuple[str, ...]:
    """Return what a person can ask for: any seat; to be the first, second, ... to play, where the game has that option; or a seat."""
    places = places_of(game) if FIRST_PLAYER in option_names(game) else ()
    return (RANDOM_SEAT, *places, *(f"player_{seat}" for seat in range(game.num_players)))


def places_of(game: Game) -> tuple[str, ...]:
    """Return what the players are called in their order: the first one, the second one, and so on."""
    return tuple(ORDINALS[n] if n < len(ORDINALS) else f"{n + 1}th" for n in range(game.num_players))


def option_names(game: Game) -> list[str]:
    """Return the options of a game, but for ``explicit_chance``, which is not for people."""
    return [option.name for option in fields(game.options) if option.name != "explicit_chance"]


def setup_for(
    opponents: str | Sequence[str], seat: str, seed: int | None, options: dict[str, Any], game: Game | None = None
) -> Setup:
    """Return the setup of a game of a person against agents or other people.

    Args:
        opponents: ``"human"`` or the spec of an agent: one for all other seats, or one for each, in turn order after the person.
        seat: one of ``seat_choices``, of the person.
        seed: None for a fresh one.
        options: the configuration, without ``first_player`` and ``explicit_chance``.
        game: what is played; the default game if left out.

    Raises:
        SessionError: no such seat, or not one opponent for each other seat.
    """
    game = default_game() if game is None else game
    if seat not in seat_choices(game):
        raise SessionError(f"seat must be one of {', '.join(seat_choices(game))}, not {seat!r}")
    seed = fresh_seed() if seed is None else seed
    own = _seat_of(seat, seed, game)
    others = _opponents_in(game, opponents)
    seats = {(own + 1 + place) % game.num_players: who for place, who in enumerate(others)}
    begins = {FIRST_PLAYER: 0} if seat in places_of(game) else {}
    return Setup(tuple(seats.get(n, HUMAN) for n in range(game.num_players)), seed, {**options, **begins}, game)


def _seat_of(seat: str, seed: int, game: Game) -> int:
    """Return the number of the seat that a person asks for."""
    if seat == RANDOM_SEAT:
        return int(keys_from_seed(seed, 1)[0]) * game.num_players >> 64
    return places_of(game).index(seat) if seat in places_of(game) else int(seat.removeprefix("player_"))


def _opponents_in(game: Game, opponents: str | Sequence[str]) -> tuple[str, ...]:
    """Return who sits in each other seat."""
    count = game.num_players - 1
    others = (opponents,) if isinstance(opponents, str) else tuple(opponents)
    if len(others) == 1:
        return others * count
    if len(others) != count:
        raise SessionError(f"{game.title} takes one opponent, or {count}, not {len(others)}")
    return others
