"""The agents of the Mini: ``greedy``, its evaluation, and the search for two to four players."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sizes import COMPILED, scaled

from azul_duel_env.agents import make_agent
from azul_duel_env.agents.search import search
from azul_duel_env.arena import play_match, summarise
from azul_duel_env.games import find_game
from azul_duel_env.games.pavilion_mini.actions import NUM_ACTIONS, PAY_WILDS, PLACE_TILE
from azul_duel_env.games.pavilion_mini.agents.greedy import evaluate_seat, rate_actions
from azul_duel_env.games.pavilion_mini.components import (
    CENTRE,
    GREY,
    NUM_COLOURS,
    NUM_OUTER,
    NUM_SPACES,
    SPACE_NUMBER,
    STAR_SIZE,
)
from azul_duel_env.games.pavilion_mini.state import PAY
from azul_duel_env.jit import entry

pytestmark = pytest.mark.long_uncompiled

ID = "azul/pavilion_mini-v0"
COUNTS = (2, 3, 4)
BOARDS = ("coloured", "grey")
MARKS = {"coloured": (90, 82, 73), "grey": (98, 93, 84)}
"""Mean points a seat when greedy plays against itself, by number of players, less two; 400 games tell them to 0.8."""
SPREAD = 6
"""Points by which the mean of ten games may be lower: three standard deviations."""
TURNED = [
    (space + STAR_SIZE) % (STAR_SIZE * NUM_OUTER)
    if space < STAR_SIZE * CENTRE
    else STAR_SIZE * CENTRE + (space + 1) % STAR_SIZE
    for space in range(NUM_SPACES)
]
"""The space on which each lies once the board is turned by 60 degrees (PAVILION.md 2.3)."""
needs_speed = pytest.mark.skipif(not COMPILED, reason="too slow in this lane")


def turned(action):
    """Return the same action on a turned board."""
    if not PLACE_TILE <= action < PAY_WILDS:
        return action
    space, colour = divmod(int(action - PLACE_TILE), NUM_COLOURS)
    return int(PLACE_TILE) + NUM_COLOURS * TURNED[space] + colour


def finished_at_random(num_players):
    """Return a game that was played to its end at random."""
    position, rng = find_game(ID, num_players).new(seed=1), random.Random(1)
    while not position.over:
        position.step(rng.choice(position.legal_actions().tolist()))
    return position


def greedy_games(num_players, games, first_seed=0, **options):
    """Play greedy against itself; yield the position before each action, and the finished game."""
    game = find_game(ID, num_players)
    policy = make_agent(game, "greedy").policy
    for seed in range(first_seed, first_seed + games):
        position, rng = game.new(seed=seed, **options), np.random.default_rng(seed)
        while not position.over:
            yield position
            position.step(int(policy(position.states, 0, np.uint64(rng.integers(2**63)))))
        yield position


def some_positions(num_players, count, **options):
    """Yield positions, all but the last few of them from the first rounds, of greedy games with a random action now and then."""
    rng = random.Random(num_players)
    game = find_game(ID, num_players)
    policy = make_agent(game, "greedy").policy
    seed = 0
    while True:
        position = game.new(seed=seed, **options)
        seed += 1
        while not position.over:
            if rng.random() < 0.3:
                yield position
                count -= 1
                if count == 0:
                    return
            legal = position.legal_actions().tolist()
            is_random = rng.random() < 0.3
            position.step(rng.choice(legal) if is_random else int(policy(position.states, 0, np.uint64(7))))


@entry
def rated(states, i, legal, values):
    return rate_actions(states, i, legal, values)


@entry
def evaluated(states, i, player):
    return evaluate_seat(states[i], player)


def ratings(game, states):
    """Return greedy's rating of each legal action."""
    legal, values = np.empty(game.max_legal, np.int16), np.full(game.max_legal, np.nan)
    count = rated(states, 0, legal, values)
    return dict(zip(legal[:count].tolist(), values[:count].tolist(), strict=True))


# Strength -------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("num_players", COUNTS)
def test_greedy_scores_what_it_did_over_many_games(num_players, board):
    """At full size, ``AZUL_DUEL_TEST_SCALE=40``, there are 400 games each."""
    games = scaled(10, least=0)
    if games == 0:
        pytest.skip("too slow in this lane")
    ends = [position.scores for position in greedy_games(num_players, games, board=board) if position.over]
    assert len(ends) == games
    mark = MARKS[board][COUNTS.index(num_players)]
    assert np.mean(ends) >= mark - SPREAD / np.sqrt(games / 10)


@needs_speed
@pytest.mark.parametrize("num_players", COUNTS)
def test_greedy_beats_random(num_players):
    line_up = ["greedy"] + ["random"] * (num_players - 1)
    games = list(play_match(find_game(ID, num_players), line_up, scaled(60) // num_players * num_players, 1))
    assert summarise(["greedy", "random"], games).win_rate >= 0.98


@pytest.mark.slow
@needs_speed
def test_a_search_beats_greedy():
    """Laxly: with 400 simulations it wins all of 200 games."""
    games = list(play_match(find_game(ID, 2), ["mcts:50", "greedy"], 6, 1))
    assert summarise(["mcts:50", "greedy"], games).wins >= 4


# What greedy goes by --------------------------------------------------------------------------
@pytest.mark.parametrize("num_players", COUNTS)
def test_the_same_seed_plays_the_same_game(num_players):
    game = find_game(ID, num_players)
    policy, rng = make_agent(game, "greedy").policy, np.random.default_rng(3)
    one, other = game.new(seed=3), game.new(seed=3)
    for _ in range(scaled(400, least=12)):
        if one.over:
            break
        key = np.uint64(rng.integers(2**63))
        before = one.states.tobytes()
        chosen = int(policy(one.states, 0, key))
        assert one.states.tobytes() == before
        one.step(chosen)
        other.step(int(policy(other.states, 0, key)))
        assert one == other


def test_greedy_sees_no_draw():
    """States that differ in the generator only, or in whether draws are asked for, are rated alike."""
    game = find_game(ID, 2)
    for position in some_positions(2, scaled(300, least=6)):
        expected = ratings(game, position.states)
        for field, value in (("rng", np.uint64(12345)), ("explicit_chance", 1)):
            other = position.states.copy()
            other[field] = value
            assert ratings(game, other) == expected


def test_a_position_is_worth_its_points_when_the_game_is_over():
    *_, position = greedy_games(2, 1, board="coloured") if COMPILED else [finished_at_random(2)]
    assert [evaluated(position.states, 0, player) for player in range(2)] == list(position.scores)


def test_a_placement_is_worth_what_it_is_after_the_best_payment():
    """An evaluation imagines the payment, what it scores and what structures owe; it leaves the state as it was."""
    compared, owed = 0, 0
    for position in some_positions(2, scaled(1500, least=30), board="grey"):
        player = position.player
        if position.states["stage"][0] != PAY:
            continue
        before = position.states.tobytes()
        found = evaluated(position.states, 0, player)
        assert position.states.tobytes() == before
        ends = [position.copy() for _ in position.legal_actions()]
        for end, action in zip(ends, position.legal_actions().tolist(), strict=True):
            end.step(action)
        if any(
            end.states["passed"][0, player] or end.states["round_number"] != position.states["round_number"]
            for end in ends
        ):
            continue  # it had to be followed by a pass
        tiles_paid = position.states["hands"][0, player].sum() - ends[0].states["hands"][0, player].sum()
        if tiles_paid == SPACE_NUMBER[GREY, position.states["space"][0]]:  # no tile came without being asked for
            assert found == pytest.approx(max(evaluated(end.states, 0, player) for end in ends))
            compared += 1
            owed += ends[0].states["owed"][0] > 0
    assert compared > 0
    assert owed > 0 or not COMPILED


def test_boards_turned_by_60_degrees_are_rated_alike_on_the_grey_side():
    game = find_game(ID, 2)
    for position in some_positions(2, scaled(300, least=6), board="grey"):
        states = position.states.copy()
        states["boards"][:, :, TURNED] = position.states["boards"]
        states["space"] = [TURNED[space] if space >= 0 else space for space in position.states["space"]]
        expected = {turned(action): rating for action, rating in ratings(game, position.states).items()}
        found = ratings(game, states)
        assert found == pytest.approx(expected, abs=1e-5)


def test_turned_actions_are_all_actions():
    assert sorted(map(turned, range(NUM_ACTIONS))) == list(range(NUM_ACTIONS))
    assert TURNED[0] == STAR_SIZE
    assert TURNED[STAR_SIZE * CENTRE + 5] == STAR_SIZE * CENTRE


# The search -----------------------------------------------------------------------------------
@pytest.mark.parametrize("num_players", COUNTS[::2])
def test_a_search_can_be_repeated(num_players):
    simulations = 40 if COMPILED else 2
    for position in some_positions(num_players, scaled(6, least=1)):
        before = position.states.tobytes()
        one, other = search(position, simulations, 5), search(position, simulations, 5)
        assert position.states.tobytes() == before
        assert np.array_equal(one.actions, position.legal_actions())
        assert np.array_equal(one.visits, other.visits)
        assert one.visits.sum() == simulations
        assert (one.best, one.variation, one.margin) == (other.best, other.variation, other.margin)


@pytest.mark.slow
@needs_speed
@pytest.mark.parametrize("num_players", COUNTS[1:])
def test_a_search_wins_among_several(num_players):
    line_up = ["mcts:30"] + ["greedy"] * (num_players - 1)
    games = list(play_match(find_game(ID, num_players), line_up, num_players, 1))
    assert summarise(["mcts:30", "greedy"], games).margin_mean > 0
