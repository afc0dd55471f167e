"""Azul Summer Pavilion Mini for tests: games, tables made by setting fields, and players that choose the same way in every lane.

Tiles are written by first letters, purple P, green G, orange O, yellow Y, blue B, red R: ``P2 R``, or ``PPR``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count, islice
from typing import Any

import numpy as np

from azul_duel_env.game import Game, Position
from azul_duel_env.games import find_game
from azul_duel_env.games.pavilion_mini import actions
from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, DISCARD_TILE, PASS, PLACE_TILE, TAKE_BONUS
from azul_duel_env.games.pavilion_mini.components import (
    BOARDS,
    COLOUR_LETTERS,
    COLOURS,
    EMPTY,
    NUM_COLOURS,
    PLAYER_COUNTS,
    SPACE_NUMBER,
    STAR_SIZE,
    STARS,
    STRUCTURE_KIND,
    STRUCTURE_SPACES,
    STRUCTURE_TILES,
    STRUCTURES_AT,
    TILES_PER_COLOUR,
)
from azul_duel_env.games.pavilion_mini.state import KEEPS, PAY, PLACE, TAKE, blank_states
from azul_duel_env.jit.rng import keys_from_seed

ID = "azul/pavilion_mini-v0"
VARIANTS = tuple((num_players, board) for num_players in PLAYER_COUNTS for board in BOARDS)
"""Number of players and side of the boards."""
FULL_SUPPLY = "P2 G2 O2 Y2 B R"


def game_of(num_players: int) -> Game:
    """Return the game for so many players."""
    return find_game(ID, num_players)


def options_for(seed: int) -> dict[str, Any]:
    """Return options that differ from seed to seed: both values of each switch within four, and another order of wild colours."""
    order = random.Random(seed).sample(COLOURS, NUM_COLOURS)
    return {"board": BOARDS[seed % 2], "keep": KEEPS[seed // 2 % 2], "wild_order": order}


# Building -------------------------------------------------------------------------------------
def counts(tiles: str) -> np.ndarray:
    """Return the counts (int8, 6) of tiles such as ``P2 R`` or ``PPR``."""
    found = np.zeros(NUM_COLOURS, np.int8)
    for letter, number in re.findall(r"([PGOYBR])(\d*)", tiles):
        found[COLOUR_LETTERS.index(letter)] += int(number or 1)
    return found


def tiles_in(found: Iterable[int]) -> str:
    """Return counts as text such as ``P2 R``, the inverse of ``counts``; ``-`` for none."""
    words = [
        f"{letter}{number if number > 1 else ''}"
        for letter, number in zip(COLOUR_LETTERS, found, strict=True)
        if number
    ]
    return " ".join(words) or "-"


def space_of(name: str) -> int:
    """Return the number of a space such as ``blue 6``."""
    star, position = name.split()
    return STAR_SIZE * STARS.index(star) + int(position) - 1


def filled(board: Mapping[str, str]) -> np.ndarray:
    """Return the spaces (int8, 42) of a board given as star -> its six spaces, a letter or ``.`` each."""
    spaces = np.full(STAR_SIZE * len(STARS), EMPTY, np.int8)
    for star, marks in board.items():
        assert len(marks) == STAR_SIZE
        for position, mark in enumerate(marks, start=1):
            if mark != ".":
                spaces[space_of(f"{star} {position}")] = COLOUR_LETTERS.index(mark)
    return spaces


def table(
    num_players: int = 2,
    *,
    hands: tuple[str, ...] = (),
    boards: tuple[Mapping[str, str], ...] = (),
    supply: str = FULL_SUPPLY,
    deposit: str = "",
    bag: str | None = None,
    factories: tuple[str, ...] = (),
    centre: str = "",
    scores: tuple[int, ...] = (),
    round_number: int = 1,
    active: int = 0,
    first_player: int = 0,
    token: int | None = None,
    passed: tuple[int, ...] = (),
    board: str = "coloured",
    keep: str = "most",
    wild_order: tuple[str, ...] = COLOURS,
    draws: bool = True,
) -> Position:
    """Return a table: in phase 1 if anything lies on factories or in the centre, else in phase 2 with ``active`` to place.

    Args:
        num_players: players.
        hands: tiles of each player, from player 0; ``boards`` and ``scores`` likewise. What is left out is empty, or 5 points.
        boards: as ``filled`` takes them.
        supply: tiles there.
        deposit: tiles there.
        bag: tiles there; None for all that lie nowhere else.
        factories: tiles on each, from the first.
        centre: tiles there.
        scores: points.
        round_number: 1 to 6.
        active: whose turn it is.
        first_player: who began the round.
        token: who has it; -1 for the centre; None for the centre in phase 1, and ``active`` in phase 2.
        passed: the players who have passed.
        board: side of all boards.
        keep: the option.
        wild_order: the option.
        draws: whether chance draws by itself.
    """
    states = blank_states(1, num_players)
    state = states[0]
    taking = bool(factories or centre)
    state.rng = keys_from_seed(1)[0]
    state.grey, state.keep_any, state.explicit_chance = BOARDS.index(board), KEEPS.index(keep), not draws
    state.wild_order[:] = [COLOURS.index(colour) for colour in wild_order]
    state.round_number, state.first_player, state.active = round_number, first_player, active
    state.token = token if token is not None else -1 if taking else active
    state.stage = TAKE if taking else PLACE
    state.supply[:], state.deposit[:], state.centre[:] = counts(supply), counts(deposit), counts(centre)
    for row, tiles in zip(state.factories, factories, strict=False):
        row[:] = counts(tiles)
    for row, tiles in zip(state.hands, hands, strict=False):
        row[:] = counts(tiles)
    for row, given in zip(state.boards, boards, strict=False):
        row[:] = filled(given)
    state.scores[: len(scores)] = scores
    state.passed[list(passed)] = 1
    state.bag[:] = 0
    state.bag[:] = TILES_PER_COLOUR - all_tiles(state) if bag is None else counts(bag)
    assert (state.bag >= 0).all(), "more tiles than there are"
    position = Position(game_of(num_players), states)
    position.game.rules.advance_to_decision(states, 0)
    return position


def all_tiles(state: Any) -> np.ndarray:
    """Return how many tiles of each colour a state has, everywhere (E30)."""
    on_boards = [np.count_nonzero(state.boards == colour) for colour in range(NUM_COLOURS)]
    piles = state.bag + state.deposit + state.supply + state.centre
    return piles + state.factories.sum(axis=0) + state.hands.sum(axis=0) + np.array(on_boards)


# Looking --------------------------------------------------------------------------------------
def legal(position: Position, start: str = "") -> set[str]:
    """Return the names of the legal actions that begin this way."""
    return {name for _, name in position.named_actions() if name.startswith(start)}


def play(position: Position, *names: str) -> Position:
    """Carry out decisions and draws by name, and return the position. ``...`` lets chance draw until a player decides."""
    for name in names:
        if name == "...":
            while position.chance_is_due:
                position.draw_chance()
        elif position.chance_is_due:
            position.apply_chance(position.game.text.parse_outcome(position.chance, name))
        else:
            position.step(actions.parse_action(name))
    return position


def hand(position: Position, player: int = 0) -> str:
    """Return the tiles beside a board, or on its corners."""
    return tiles_in(position.states[0].hands[player])


def pile(position: Position, name: str) -> str:
    """Return the tiles of ``bag``, ``deposit``, ``supply`` or ``centre``."""
    return tiles_in(position.states[0][name])


def on(position: Position, space: str, player: int = 0) -> str:
    """Return the letter of the tile on a space, or ``.``."""
    colour = int(position.states[0].boards[player, space_of(space)])
    return "." if colour == EMPTY else COLOUR_LETTERS[colour]


def full_star(star: str, letters: str) -> dict[str, str]:
    """Return a board with one full star; one letter stands for six."""
    return {star: letters * STAR_SIZE if len(letters) == 1 else letters}


def end_scores(*boards: Mapping[str, str], board: str = "coloured", scores: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the points after a game that ends with these boards and no other tiles in players' hands."""
    players = max(2, len(boards))
    position = table(players, boards=boards, board=board, scores=scores or (0,) * players, round_number=6)
    assert position.over
    return position.scores


# Players --------------------------------------------------------------------------------------
def wild_in(state: Any) -> int:
    """Return the colour that is wild now."""
    return int(state.wild_order[state.round_number - 1])


def at_random(position: Position, rng: random.Random) -> int:
    """Choose a legal action at random."""
    legal_now = position.legal_actions().tolist()
    return legal_now[rng.randrange(len(legal_now))]


def sensibly(position: Position, _: random.Random | None = None) -> int:
    """Choose an action that a beginner might: points, structures and cheap spaces, and no more."""
    legal_now = position.legal_actions().tolist()
    return max(legal_now, key=lambda action: (_worth(position.states[0], action), -action))


def _worth(state: Any, action: int) -> float:
    """Return what an action is worth to ``sensibly``."""
    if state.stage == TAKE:
        return _worth_of_take(state, *divmod(action, NUM_COLOURS))
    if state.stage == PAY:
        return -action
    if action < PASS and action >= TAKE_BONUS:
        colour = action - TAKE_BONUS
        return float(state.hands[state.active, colour]) + 10 * (colour == wild_in(state))
    if action >= DISCARD_TILE:
        return -100.0 - float(state.hands[state.active, action - DISCARD_TILE])
    return -50.0 if action == PASS else _worth_of_placement(state, int(action - PLACE_TILE) // NUM_COLOURS)


def _worth_of_take(state: Any, source: int, colour: int) -> float:
    """Return how many tiles a take brings, those that fit others more, less what the token costs."""
    tiles = state.centre if source == CENTRE_SOURCE else state.factories[source]
    wild = wild_in(state)
    taken = int(tiles[colour] if colour != wild else 1)
    with_wild = colour != wild and tiles[wild] > 0
    cost = 1.0 * (taken + with_wild) * (source == CENTRE_SOURCE and state.token < 0)
    return taken + 1.5 * with_wild + 0.3 * int(state.hands[state.active, colour]) - cost


def _worth_of_placement(state: Any, space: int) -> float:
    """Return the points of a placement, and a bit for structures that it helps to close, less its price."""
    board = state.boards[state.active]
    first = space - space % STAR_SIZE
    neighbours = [first + (space - first + step) % STAR_SIZE for step in (1, -1)]
    worth = 1.0 + sum(board[beside] != EMPTY for beside in neighbours)
    for structure in STRUCTURES_AT[space]:
        if structure != EMPTY:
            around = [other for other in STRUCTURE_SPACES[structure] if other not in (EMPTY, space)]
            done = sum(board[other] != EMPTY for other in around) / len(around)
            worth += done * float(STRUCTURE_TILES[STRUCTURE_KIND[structure]])
    return worth - 0.6 * float(SPACE_NUMBER[state.grey, space])


PLAYERS = {"random": at_random, "sensible": sensibly}


# Walks ----------------------------------------------------------------------------------------
def move(position: Position, rng: random.Random, play_as: str = "random") -> None:
    """Draw what is due, or decide."""
    if position.chance_is_due:
        position.draw_chance()
    else:
        position.step(PLAYERS[play_as](position, rng))


def walk(num_players: int, seed: int, play_as: str = "random", **options: Any) -> Iterator[Position]:
    """Yield the positions of one game up to its end; with explicit chance those of draws too.

    Each is the same object, which moves on: copy what must stay.
    """
    position, rng = game_of(num_players).new(seed, **options), random.Random(seed)
    yield position
    while not position.over:
        move(position, rng, play_as)
        yield position


def walks(num_players: int, seeds: Iterable[int], **options: Any) -> Iterator[Position]:
    """Yield the positions of games, as ``walk`` does: with ``options_for`` their seeds, random and sensible ones in turn."""
    for seed in seeds:
        yield from walk(num_players, seed, tuple(PLAYERS)[seed % len(PLAYERS)], **options_for(seed) | options)


def positions(size: int, num_players: int, first_seed: int = 0, **options: Any) -> Iterator[Position]:
    """Yield so many positions of random games in which a player decides or the game is over, as ``walk`` does."""
    games = (walk(num_players, seed, **options_for(seed) | options) for seed in count(first_seed))
    return islice((position for position in chain.from_iterable(games) if not position.chance_is_due), size)
