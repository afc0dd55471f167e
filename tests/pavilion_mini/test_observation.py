"""The observation of the Mini tells all that there is: exact in both directions, whatever the seat."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from mini import game_of, options_for, positions
from sizes import scaled

from azul_duel_env.games.pavilion_mini.abstraction import ABSTRACTIONS
from azul_duel_env.games.pavilion_mini.components import PLAYER_COUNTS
from azul_duel_env.games.pavilion_mini.observation import BLOCKS, DECISIONS
from azul_duel_env.games.pavilion_mini.state import GAME_OVER, TAKE

UNSEEN = ("rng", "decisions", "chance", "explicit_chance", "filling", "wilds", "spare")
"""Fields of a state that say nothing in a decision: what will be drawn, and what only counts or lasts no longer than a step."""


def one_hot(block):
    """Return the place of the 1, or -1."""
    return int(block.argmax()) if block.any() else -1


def rebuilt(named, viewer, game):
    """Return field -> value of the state that an observation shows, all but the UNSEEN ones."""
    n = game.num_players

    def count(name, scale):
        return np.rint(named[name] * scale).astype(int).tolist()

    def by_seat(rows):
        return [rows[(player - viewer) % n] for player in range(n)]

    def player_of(name):
        seat = one_hot(named[name])
        return seat if seat < 0 else (viewer + seat) % n

    decision, token = one_hot(named["decision"]), one_hot(named["token"])
    over = DECISIONS[decision] == "game over"
    active = player_of("active")
    boards = by_seat([[one_hot(space) for space in board] for board in named["boards"]])
    return {
        "stage": GAME_OVER if over else TAKE + decision,
        "player": active,
        "active": active,
        "first_player": player_of("first_player"),
        "token": -1 if token == 0 else (viewer + token - 1) % n,
        "round_number": 1 + one_hot(named["round"]),
        "wild_order": np.argsort(count("wild_rounds", 6)).tolist(),
        "grey": int(named["options"][0]),
        "keep_any": int(named["options"][1]),
        "scores": by_seat(count("scores", 384)),
        "bag": count("bag", 22),
        "deposit": count("deposit", 22),
        "supply": count("supply", 10),
        "factories": count("factories", 4),
        "centre": count("centre", 22),
        "hands": by_seat(count("hands", 22)),
        "passed": by_seat(count("passed", 1)),
        "boards": boards,
        "space": one_hot(named["chosen_space"]),
        "colour": one_hot(named["chosen_colour"]),
        "owed": count("owed", 3)[0],
        "lowest": count("lowest", 5)[0],
    }


def split_positions(size, num_players):
    """Yield positions of random games in which the space is asked before the colour."""
    game, rng, left = game_of(num_players), np.random.default_rng(3), size
    record = ABSTRACTIONS[num_players]("split").record
    for seed in range(size):
        position = game.new(seed, **options_for(seed))
        while not position.over and left > 0:
            yield position
            left -= 1
            asked = position.abstract_actions(ABSTRACTIONS[num_players]("split"))
            assert game.abstraction.try_action(position.states, 0, record, int(rng.choice(asked)))


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_blocks_lie_one_after_the_other_under_unique_names(num_players):
    blocks = BLOCKS[num_players]
    assert blocks[0].first == 0
    for block, following in pairwise(blocks):
        assert block.first + block.size == following.first, following.name
    assert blocks[-1].first + blocks[-1].size == game_of(num_players).observation_size == 108 + 276 * num_players
    assert len({block.name for block in blocks}) == len(blocks)
    assert all(block.meaning for block in blocks)


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_views_show_every_number_once_with_the_table_shapes(num_players):
    numbers = np.arange(game_of(num_players).observation_size, dtype=np.float32)
    views = game_of(num_players).text.unflatten(numbers)
    assert {name: view.shape for name, view in views.items()} == {b.name: b.shape for b in BLOCKS[num_players]}
    assert np.concatenate([view.ravel() for view in views.values()]).tolist() == numbers.tolist()
    batch = game_of(num_players).text.unflatten(np.stack([numbers, numbers]))
    assert batch["boards"].shape == (2, num_players, 42, 6)
    with pytest.raises(ValueError, match="660, 936, 1212"):
        game_of(num_players).text.unflatten(numbers[1:])


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
@pytest.mark.parametrize("walk", [positions, split_positions])
def test_the_state_can_be_rebuilt_from_what_any_seat_sees(num_players, walk):
    game = game_of(num_players)
    for position in walk(scaled(1500, least=60), num_players):
        state = position.states[0]
        for viewer in range(num_players):
            seen = position.observe(viewer)
            assert seen.dtype == np.float32
            assert seen.min() >= 0
            assert seen.max() <= 1
            named = game.text.unflatten(seen)
            found = rebuilt(named, viewer, game)
            assert {*found, *UNSEEN} >= set(game.state.names)
            for name, value in found.items():
                assert state[name].tolist() == value, name
            assert bool(named["my_decision"][0]) == (position.player == viewer)
            assert np.array_equal(
                named["scores_fine"], np.minimum(np.float32(1), np.roll(state["scores"] / np.float32(100), -viewer))
            )
            assert one_hot(named["wild"]) == state["wild_order"][max(1, state["round_number"]) - 1]


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_what_is_drawn_next_is_not_seen(num_players):
    for position in positions(scaled(200, least=10), num_players, first_seed=2):
        other = position.reseeded(7)
        other.states["decisions"] += 1
        for viewer in range(num_players):
            assert np.array_equal(other.observe(viewer), position.observe(viewer))


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_seats_turn(num_players):
    """Who sits one seat further sees the same of a table that is turned by one seat."""
    by_seat, players = ("scores", "hands", "passed", "boards"), ("player", "active", "first_player", "token")
    for position in positions(scaled(200, least=10), num_players, first_seed=6):
        turned = position.copy()
        for name in by_seat:
            turned.states[name][0] = np.roll(position.states[name][0], 1, axis=0)
        for name in players:
            player = int(position.states[name][0])
            turned.states[name] = player if player < 0 else (player + 1) % num_players
        for viewer in range(num_players):
            assert np.array_equal(turned.observe((viewer + 1) % num_players), position.observe(viewer))


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_observe_writes_every_number(num_players):
    """Nothing of an old content shines through."""
    for position in positions(scaled(100, least=5), num_players, first_seed=4):
        out = np.full(position.game.observation_size, 7, np.float32)
        position.game.rules.observe(position.states, 0, 1, out)
        assert np.array_equal(out, position.observe(1))


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_the_mask_is_a_function_of_the_observation(num_players):
    """Two states in which a player sees the same have the same mask: rebuilt from it, a state asks the same."""
    game = game_of(num_players)
    for position in positions(scaled(600, least=30), num_players, first_seed=3):
        if position.over:
            continue
        viewer = position.player
        other = game.new(99)
        for name, value in rebuilt(game.text.unflatten(position.observe(viewer)), viewer, game).items():
            other.states[name] = value
        assert np.array_equal(other.action_mask(), position.action_mask())


def test_observe_refuses_a_seat_that_does_not_exist():
    for player in (-1, 3):
        with pytest.raises(ValueError, match="player must be 0 to 2"):
            game_of(3).new(0).observe(player)
