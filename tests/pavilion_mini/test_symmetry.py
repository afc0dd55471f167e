"""Symmetries of the Mini (RULES G.4): a table and its image have the same turns and draws, on random and sensible walks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from mini import PLAYERS, VARIANTS, walk
from sizes import scaled

from azul_duel_env.game import Position
from azul_duel_env.games.pavilion_mini.actions import CENTRE_SOURCE, PASS, PAY_WILDS, PLACE_TILE, TAKE_BONUS
from azul_duel_env.games.pavilion_mini.components import (
    CENTRE,
    EMPTY,
    NUM_COLOURS,
    NUM_OUTER,
    NUM_SPACES,
    STAR_COLOUR,
    STAR_POINTS,
    STAR_SIZE,
)
from azul_duel_env.games.pavilion_mini.state import BONUS, DISCARD, FILL_FACTORIES, FIRST, NOBODY
from azul_duel_env.jit import COMPILED

pytestmark = pytest.mark.untraced
PILES = ("bag", "deposit", "supply", "centre")
SEATS = ("player", "active", "first_player", "token")
EVERY = 7 if COMPILED else 41
"""Every so many-th decision of a walk is looked at, and every so many-th draw times ten."""


@dataclass(frozen=True)
class Symmetry:
    """Where everything goes: arrays from old numbers to new ones.

    Attributes:
        spaces: (42,).
        colours: (6,).
        factories: (F,), or None for no change.
        players: (n,), or None for no change.
    """

    spaces: np.ndarray = field(default_factory=lambda: np.arange(NUM_SPACES))
    colours: np.ndarray = field(default_factory=lambda: np.arange(NUM_COLOURS))
    factories: np.ndarray | None = None
    players: np.ndarray | None = None

    def state(self, states: np.ndarray) -> np.ndarray:
        """Return the image of an array of one state."""
        old, image = states[0], states.copy()
        new = image[0]
        players = np.arange(len(old.scores)) if self.players is None else self.players
        factories = np.arange(len(old.factories)) if self.factories is None else self.factories
        for name in PILES:
            new[name][self.colours] = old[name]
        new.wild_order[:] = self.colours[old.wild_order]
        new.factories[np.ix_(factories, self.colours)] = old.factories
        new.hands[np.ix_(players, self.colours)] = old.hands
        new.boards[np.ix_(players, self.spaces)] = np.where(old.boards == EMPTY, EMPTY, self.colours[old.boards])
        new.scores[players], new.passed[players] = old.scores, old.passed
        for name in SEATS:
            new[name] = NOBODY if old[name] == NOBODY else players[old[name]]
        new.space = EMPTY if old.space == EMPTY else self.spaces[old.space]
        new.colour = EMPTY if old.colour == EMPTY else self.colours[old.colour]
        return image

    def action(self, action: int) -> int:
        """Return the image of a take, a placement, a payment or a pass."""
        if action < PLACE_TILE:
            source, colour = divmod(action, NUM_COLOURS)
            if source != CENTRE_SOURCE and self.factories is not None:
                source = self.factories[source]
            return int(NUM_COLOURS * source + self.colours[colour])
        if action < PAY_WILDS:
            space, colour = divmod(action - int(PLACE_TILE), NUM_COLOURS)
            return int(PLACE_TILE + NUM_COLOURS * self.spaces[space] + self.colours[colour])
        return action

    def outcome(self, chance: int, outcome: int) -> int:
        """Return the image of an outcome of a draw."""
        if chance == FIRST:
            return outcome if self.players is None else int(self.players[outcome])
        return int(self.colours[outcome])


def turned_spaces() -> np.ndarray:
    """Return where the spaces go when a board is turned by 60 degrees: star i to i + 1, centre position p to p + 1."""
    star, position = np.divmod(np.arange(NUM_SPACES), STAR_SIZE)
    outer = STAR_SIZE * ((star + 1) % NUM_OUTER) + position
    return np.where(star == CENTRE, STAR_SIZE * CENTRE + (position + 1) % STAR_SIZE, outer)


def turned_colours() -> np.ndarray:
    """Return where the colours go when they are turned along: that of star i to that of i + 1."""
    colours = np.empty(NUM_COLOURS, np.int64)
    colours[STAR_COLOUR] = np.roll(STAR_COLOUR, -1)
    return colours


def exchanged(count: int, seed: int) -> np.ndarray:
    """Return a permutation that is not the identity."""
    permutation = np.random.default_rng(seed).permutation(count)
    return permutation if (permutation != np.arange(count)).any() else np.roll(permutation, 1)


# Comparing ------------------------------------------------------------------------------------
def comparable(states: np.ndarray, symmetry: Symmetry | None = None) -> bytes:
    """Return a state, or its image, without what is not symmetric: decisions so far, the next draws, the points for colours of stars."""
    bare = states.copy()
    state = bare[0]
    state.rng = state.decisions = 0
    if state.player == NOBODY and state.chance == 0:
        for player in range(len(state.scores)):
            board = state.boards[player].reshape(-1, STAR_SIZE)
            alike = [star[0] for star in board if star[0] != EMPTY and (star == star[0]).all()]
            state.scores[player] -= STAR_POINTS[alike].sum()
    return (bare if symmetry is None else symmetry.state(bare)).tobytes()


def after_turn(position: Position, action: int) -> list[np.ndarray]:
    """Return the states after an action and all ways to go on with several tiles, whose spelling goes by the order of colours (SR24)."""
    following = position.copy()
    following.step(action)
    if following.states[0].stage not in (BONUS, DISCARD) or following.player == NOBODY:
        return [following.states]
    return [states for then in following.legal_actions().tolist() for states in after_turn(following, then)]


def as_whole(action: int) -> bool:
    """Return whether an action is not one of several tiles."""
    return action < TAKE_BONUS or action == PASS


def assert_symmetric(position: Position, symmetry: Symmetry) -> None:
    """Check that what can happen next at the image of a table is the image of what can happen next."""
    image = Position(position.game, symmetry.state(position.states))
    if position.chance_is_due:
        chances = {symmetry.outcome(position.chance, outcome): odds for outcome, odds in position.chance_outcomes()}
        assert chances == dict(image.chance_outcomes())
        for outcome, _ in position.chance_outcomes():
            one, other = position.copy(), image.copy()
            one.apply_chance(outcome)
            other.apply_chance(symmetry.outcome(position.chance, outcome))
            assert comparable(one.states, symmetry) == comparable(other.states)
        return
    legal, legal_there = position.legal_actions().tolist(), image.legal_actions().tolist()
    assert {symmetry.action(action) for action in legal if as_whole(action)} == set(filter(as_whole, legal_there))
    if position.states[0].stage in (BONUS, DISCARD):
        return  # in the midst of naming several tiles
    for action in filter(as_whole, legal):
        here = {comparable(states, symmetry) for states in after_turn(position, action)}
        assert here == {comparable(states) for states in after_turn(image, symmetry.action(action))}
    throws, throws_there = ([a for a in actions if not as_whole(a)] for actions in (legal, legal_there))
    if len(throws) <= 4 and position.states[0].hands[position.player].sum() <= 8:  # else there are too many sets
        here = {comparable(states, symmetry) for a in throws for states in after_turn(position, a)}
        assert here == {comparable(states) for a in throws_there for states in after_turn(image, a)}


def looked_at(num_players: int, board: str, play: str, every: int = EVERY) -> Iterator[Position]:
    """Yield some positions of walks on which chance draws nothing by itself."""
    for seed in range(scaled(4)):
        seen = [seed, seed]  # decisions, draws
        for position in walk(num_players, seed, play, board=board, explicit_chance=True):
            kind = int(position.chance_is_due)
            seen[kind] += 1
            if seen[kind] % (every, 10 * every)[kind] == 0:
                yield position


def of(*variants: tuple[int, str]) -> pytest.MarkDecorator:
    """Run a test on random and on sensible walks of some variants."""
    return pytest.mark.parametrize(
        ("num_players", "board", "play"), [(*variant, play) for variant in variants for play in PLAYERS]
    )


of_all = of(*VARIANTS)
of_grey, of_coloured = (of(*(variant for variant in VARIANTS if variant[1] == board)) for board in ("grey", "coloured"))


@of_grey
def test_turned_grey_boards(num_players, board, play):
    for position in looked_at(num_players, board, play):
        assert_symmetric(position, Symmetry(turned_spaces()))


@of_coloured
def test_turned_coloured_boards_but_for_the_numbers_of_the_centre(num_players, board, play):
    symmetry = Symmetry(turned_spaces(), turned_colours())
    for position in looked_at(num_players, board, play):
        filled = position.copy()
        filled.states[0].boards[:, STAR_SIZE * CENTRE :] = range(NUM_COLOURS)
        if len(filled.legal_actions()) > 0 and filled.states[0].space < STAR_SIZE * CENTRE:
            assert_symmetric(filled, symmetry)


@of_all
def test_seats_in_the_same_order(num_players, board, play):
    symmetry = Symmetry(players=np.roll(np.arange(num_players), 1))
    for position in looked_at(num_players, board, play):
        assert_symmetric(position, symmetry)


@of_all
def test_factories(num_players, board, play):
    symmetry = Symmetry(factories=exchanged(2 * num_players + 1, num_players))
    for position in looked_at(num_players, board, play):
        if position.states[0].stage != FILL_FACTORIES:
            assert_symmetric(position, symmetry)


@of_grey
def test_colours_of_the_grey_side(num_players, board, play):
    symmetry = Symmetry(colours=exchanged(NUM_COLOURS, 3))
    for position in looked_at(num_players, board, play):
        assert_symmetric(position, symmetry)


# What is not symmetric ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("board", "wrong"),
    [
        ("grey", Symmetry(np.roll(np.arange(NUM_SPACES), STAR_SIZE))),
        ("coloured", Symmetry(turned_spaces())),
        ("coloured", Symmetry(turned_spaces(), turned_colours())),
    ],
    ids=["stars", "turned without colours", "turned with the numbers of the centre"],
)
def test_a_wrong_map_is_found(board, wrong):
    def compare_all() -> None:
        for position in looked_at(2, board, "sensible", every=5):
            assert_symmetric(position, wrong)

    with pytest.raises(AssertionError):
        compare_all()


def test_turning_six_times_changes_nothing():
    spaces, colours = turned_spaces(), turned_colours()
    here, there = np.arange(NUM_SPACES), np.arange(NUM_COLOURS)
    for _ in range(6):
        here, there = spaces[here], colours[there]
    assert (here == np.arange(NUM_SPACES)).all()
    assert (there == np.arange(NUM_COLOURS)).all()
