"""What holds in every state of Azul Summer Pavilion Mini (RULES E.2), and that ``check`` finds what does not."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from mini import VARIANTS, game_of, move, walks
from sizes import scaled

from azul_duel_env.games.pavilion_mini.components import (
    EMPTY,
    NUM_COLOURS,
    PLAYER_COUNTS,
    STAR_SIZE,
    TILES_PER_COLOUR,
)
from azul_duel_env.games.pavilion_mini.engine import MAX_DECISIONS
from azul_duel_env.games.pavilion_mini.invariants import INVARIANTS
from azul_duel_env.games.pavilion_mini.state import (
    BONUS,
    DISCARD,
    FILL_FACTORIES,
    FILL_SUPPLY,
    FIRST,
    GAME_OVER,
    NOBODY,
    OPTIONS,
    PAY,
    PLACE,
    STAGES,
    STATES,
    TAKE,
    TILE,
    TURN_OVER,
    initial_states,
)
from azul_duel_env.jit import COMPILED

PURPLE, GREEN, ORANGE, YELLOW, BLUE, RED = range(NUM_COLOURS)


# Every state -------------------------------------------------------------------------------------------------------------
@pytest.mark.untraced
@pytest.mark.parametrize(("num_players", "board"), VARIANTS)
@pytest.mark.parametrize("explicit_chance", [False, True])
def test_every_state_of_a_game_is_sound(num_players, board, explicit_chance):
    met = set()
    games = walks(num_players, range(4, 4 + scaled(40, least=3)), board=board, explicit_chance=explicit_chance)
    for at, position in enumerate(games):
        stage = int(position.states["stage"][0])
        if COMPILED or at % 12 == 0 or stage not in met:
            assert position.check() == [], position.to_text()
            met.add(stage)
    assert met >= {TAKE, PLACE, PAY, DISCARD, GAME_OVER}
    assert not explicit_chance or met >= {FILL_SUPPLY, FILL_FACTORIES, TURN_OVER} or not COMPILED
    assert met >= {BONUS} or not COMPILED


# Each invariant, broken --------------------------------------------------------------------------------------------------
@cache
def first_at(stage, num_players, board, round_number, first_seed, explicit_chance):
    for position in walks(
        num_players, range(first_seed, first_seed + 400), board=board, explicit_chance=explicit_chance
    ):
        s = position.states[0]
        if s.stage == stage and round_number in (None, s.round_number):
            assert position.check() == [], position.to_text()
            return position.copy()
    raise AssertionError(f"no position at {STAGES[stage]} in the games")


def position_at(stage, num_players=3, board="coloured", round_number=None, first_seed=0, explicit_chance=False):
    """Return the first position of games that stands at a stage, in a round."""
    return first_at(stage, num_players, board, round_number, first_seed, explicit_chance).copy()


def bag_the_rest(s):
    """Put into the bag what lies nowhere else."""
    for colour in range(NUM_COLOURS):
        lying = s.deposit[colour] + s.supply[colour] + s.centre[colour] + s.factories[:, colour].sum()
        s.bag[colour] = TILES_PER_COLOUR - lying - s.hands[:, colour].sum() - (s.boards == colour).sum()


def to(field, value, index=None):
    """Return a change: a field, or a part of it, becomes a value."""

    def change(s):
        if index is None:
            s[field] = value
        else:
            s[field][index] = value

    return change


def first_empty(s, player=0):
    return int(np.flatnonzero(s.boards[player] == EMPTY)[0])


def eleven_in_supply(s):
    s.supply[:] = (2, 2, 2, 2, 2, 1)


def tile_on_bare_factory(s):
    s.factories[2, RED] = 1


def centre_of_nowhere(s):
    s.centre[:] = 0
    s.factories[:, :] = 0
    s.factories[:, BLUE] = 3
    s.centre[BLUE] = 1


def five_on_a_factory(s):
    s.factories[0] = (1, 1, 1, 1, 1, 0)


def nothing_to_take(s):
    s.factories[:, :] = 0
    s.centre[:] = 0


def five_on_corners(s):
    s.passed[s.active - 1] = 1
    s.hands[s.active - 1] = (1, 1, 1, 1, 1, 0)


def red_in_the_green_star(s):
    s.boards[0, STAR_SIZE * 4] = RED


def two_red_in_the_centre_star(s):
    s.boards[0, STAR_SIZE * 6 : STAR_SIZE * 6 + 2] = RED


def neither_one_nor_all_colours(s):
    s.boards[0, :3] = (RED, RED, BLUE)


def points_of_nowhere(s):
    s.scores[0] += 150


MID_TAKE = {"stage": TAKE, "round_number": 2}
MID_PLACE = {"stage": PLACE, "round_number": 2}
BREAKAGES = [
    ("E30", MID_TAKE, lambda s: to("bag", s.bag[RED] - 1, RED)(s)),
    ("E30", MID_TAKE, lambda s: to("boards", RED, (1, first_empty(s, 1)))(s)),
    ("E30", MID_PLACE, lambda s: to("hands", s.hands[2, RED] + 1, (2, RED))(s)),
    ("at most 10 tiles", MID_TAKE, eleven_in_supply),
    ("factories and centre", MID_TAKE, five_on_a_factory),
    ("factories and centre", MID_TAKE, centre_of_nowhere),
    ("factories and centre", MID_TAKE, nothing_to_take),
    ("factories and centre", MID_PLACE, tile_on_bare_factory),
    ("factories and centre", MID_PLACE, to("centre", 1, RED)),
    ("the corners", MID_PLACE, five_on_corners),
    ("the corners", {"stage": GAME_OVER}, to("hands", 1, (0, RED))),
    ("the corners", {"stage": FILL_FACTORIES, "explicit_chance": True}, to("hands", 5, (0, RED))),
    ("E32", MID_TAKE, red_in_the_green_star),
    ("E32", MID_TAKE, two_red_in_the_centre_star),
    ("E32", MID_TAKE | {"board": "grey"}, neither_one_nor_all_colours),
    ("S8", MID_TAKE, lambda s: to("wild_order", s.wild_order[1], 0)(s)),
    ("E37", MID_TAKE, to("round_number", 0)),
    ("E37", MID_TAKE, to("first_player", NOBODY)),
    ("E37", MID_TAKE, to("active", NOBODY)),
    ("E37", MID_TAKE, to("passed", 1, 0)),
    ("E37", MID_PLACE, lambda s: to("passed", 1, s.active)(s)),
    ("E37", {"stage": DISCARD}, to("passed", 0)),
    ("E37", {"stage": GAME_OVER}, to("passed", 0, 1)),
    ("E37", {"stage": GAME_OVER}, to("round_number", 5)),
    ("E37", {"stage": GAME_OVER}, to("active", 0)),
    ("E37", {"stage": FILL_FACTORIES, "explicit_chance": True}, to("token", 1)),
    ("E37", {"stage": FILL_FACTORIES, "explicit_chance": True}, to("round_number", 6)),
    ("before the first round", {"stage": FILL_SUPPLY, "explicit_chance": True}, to("scores", 6, 0)),
    ("before the first round", {"stage": FILL_SUPPLY, "explicit_chance": True}, to("decisions", 1)),
    ("before the first round", {"stage": FILL_SUPPLY, "explicit_chance": True}, to("deposit", 1, RED)),
    ("before the first round", {"stage": FILL_SUPPLY, "explicit_chance": True}, to("boards", ORANGE, (0, 0))),
    ("before the first round", {"stage": FILL_FACTORIES, "explicit_chance": True}, to("supply", 0)),
    ("E34", MID_TAKE, to("scores", -1, 0)),
    ("E34", MID_TAKE, points_of_nowhere),
    ("E34", {"stage": GAME_OVER}, points_of_nowhere),
    ("E38", MID_TAKE, to("decisions", -1)),
    ("E38", MID_TAKE, to("decisions", 500)),
    ("E38", MID_TAKE, to("decisions", MAX_DECISIONS)),
    ("what a sub-decision", MID_TAKE, to("filling", 1)),
    ("what a sub-decision", MID_TAKE, to("owed", 1)),
    ("what a sub-decision", MID_TAKE, to("lowest", 1)),
    ("what a sub-decision", MID_PLACE, to("space", 3)),
    ("what a sub-decision", MID_PLACE, to("colour", 3)),
    ("what a sub-decision", {"stage": PAY}, to("space", EMPTY)),
    (
        "what a sub-decision",
        {"stage": PAY},
        lambda s: to("colour", (s.colour + 1) % NUM_COLOURS)(s) or to("space", 1)(s),
    ),
    ("what a sub-decision", {"stage": PAY}, lambda s: to("boards", s.colour, (s.active, s.space))(s)),
    ("what a sub-decision", {"stage": BONUS, "first_seed": 2}, to("owed", 0)),
    ("what a sub-decision", {"stage": DISCARD}, lambda s: to("lowest", 5)(s) or to("deposit", 0, 5)(s)),
    ("what is drawn", MID_TAKE, to("chance", TILE)),
    ("what is drawn", {"stage": FILL_FACTORIES, "explicit_chance": True}, to("chance", FIRST)),
    ("what is drawn", {"stage": FILL_FACTORIES, "explicit_chance": True}, to("explicit_chance", 0)),
    (
        "what is drawn",
        {"stage": FILL_FACTORIES, "explicit_chance": True},
        lambda s: to("bag", 0)(s) or to("bag", 3, 2)(s),
    ),
    ("what is drawn", {"stage": FILL_FACTORIES, "explicit_chance": True}, to("bag", 0)),
    ("E36", MID_TAKE, to("player", NOBODY)),
    ("E36", MID_TAKE, lambda s: to("player", (s.active + 1) % 3)(s)),
    ("E36", MID_TAKE, to("stage", TURN_OVER)),
    ("E36", MID_PLACE, lambda s: to("hands", 0, s.active)(s)),
    ("E36", {"stage": PAY}, lambda s: to("hands", 0, s.active)(s)),
    ("E36", {"stage": BONUS, "first_seed": 2}, to("supply", 0)),
    ("E36", {"stage": DISCARD}, to("hands", 0)),
    ("E36", {"stage": GAME_OVER}, to("player", 0)),
    ("every number", MID_TAKE, to("grey", 2)),
    ("every number", MID_TAKE, to("active", 3)),
    ("every number", MID_TAKE, to("boards", 6, (2, 41))),
    ("every number", MID_TAKE, to("wild_order", -1, 3)),
    ("every number", MID_TAKE, to("stage", 10)),
]


def named(key):
    """Return the invariant that a key stands for."""
    (name,) = [name for name in INVARIANTS if f"({key})" in name or name.startswith(key)]
    return name


@pytest.mark.parametrize("number", range(len(BREAKAGES)), ids=lambda number: f"{number}-{BREAKAGES[number][0]}")
def test_check_names_what_is_broken(number):
    key, where, change = BREAKAGES[number]
    position = position_at(**where)
    change(position.states[0])
    found = position.check()
    assert any(name.startswith(named(key)) for name in found), found
    assert position.game.rules.unsound_rows(position.states).tolist() == [0]


def test_each_invariant_is_broken_once():
    assert {named(key) for key, _, _ in BREAKAGES} == set(INVARIANTS)


def test_check_names_the_fields_that_are_out_of_range():
    position = position_at(**MID_TAKE)
    position.states["token"] = 3
    position.states["supply"][0, 2] = 11
    assert position.check() == ["every number within its range: token (-1, 2), supply (0, 10)"]


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_a_state_whose_setup_has_not_begun_is_none_yet(num_players):
    states = initial_states([1], OPTIONS[num_players]())
    assert game_of(num_players).rules.check(states, 0) == [named("what is drawn"), named("E36")]


# The bounds --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("num_players", "most"), [(2, 552), (3, 804), (4, 1056)])
def test_a_new_game_can_have_no_decisions_behind_it(num_players, most):
    """E38: exactly so many are left."""
    position = game_of(num_players).new(1, board="grey")
    assert position.states["decisions"][0] == 0
    assert position.check() == []
    position.states["decisions"] = 1
    assert position.check() == [named("E38")]
    left_in_the_end = position_at(GAME_OVER, num_players, "grey")
    left_in_the_end.states["decisions"] = most
    assert left_in_the_end.check() == []
    left_in_the_end.states["decisions"] = most + 1
    assert left_in_the_end.check() == [named("E38")]
    assert most < MAX_DECISIONS


def full_board(grey):
    """Return a finished game in which player 0 has filled the board, as dear as can be on the grey side."""
    position = position_at(GAME_OVER, 2, "grey" if grey else "coloured")
    s = position.states[0]
    s.boards[1] = EMPTY
    stars = (ORANGE, RED, BLUE, YELLOW, GREEN, PURPLE) if not grey else (PURPLE,) * 3 + (GREEN,) * 3
    s.boards[0] = np.repeat([*stars, ORANGE], STAR_SIZE)
    if not grey:
        s.boards[0, -STAR_SIZE:] = range(NUM_COLOURS)
    for field in ("deposit", "supply"):
        s[field] = 0
    bag_the_rest(s)
    return position


@pytest.mark.parametrize(("grey", "most"), [(False, 304), (True, 323)])
def test_the_most_points_are_those_of_a_full_board(grey, most):
    """E40."""
    position = full_board(grey)
    position.states["scores"] = ((most, 5),)
    assert position.check() == []
    position.states["scores"] = ((most, 6),)
    assert position.check() == [named("E34")]
    position.states["scores"] = ((most + 1, 5),)
    assert position.check() == [named("E34")]
    assert most <= position.game.max_points == 323


def test_tiles_apart_bring_less_than_those_side_by_side():
    """E34: what two groups can have brought, until they become one."""
    position = position_at(TAKE, 2)
    s = position.states[0]
    for positions, most in (((0, 2), 2), ((0, 1), 3), ((0, 5), 3), ((0, 1, 2, 4), 7), ((0, 1, 2, 3, 4, 5), 21)):
        s.boards[0, list(positions)] = ORANGE
        bag_the_rest(s)
        s.scores[0] = 5 + most
        assert position.check() == []
        s.scores[0] += 1
        assert position.check() == [named("E34")]
        s.boards[0] = EMPTY


# States changed at random ------------------------------------------------------------------------------------------------
def pool_of(num_players):
    """Return copies of positions of all kinds."""
    found = []
    for k, (num, board) in enumerate(variant for variant in VARIANTS if variant[0] == num_players):
        for explicit_chance in (False, True):
            games = walks(num, range(k, k + scaled(8, least=1)), board=board, explicit_chance=explicit_chance)
            found += [
                position.copy()
                for at, position in enumerate(games)
                if at % (5 if COMPILED else 20) == 0 or position.over
            ]
    return found


PLACES = ("bag", "deposit", "supply", "centre", "factories", "hands")
EXTREMES = (-128, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 22, 23, 41, 42, 127)
WIDE_EXTREMES = (-32768, -1, 0, 1, 5, 100, 304, 323, 324, 500, 552, 804, 1056, 1200, 32767)


def set_number(states, rng, _pool):
    """Set one number to something: in its range, beside it or far from it."""
    name = rng.choice([name for name in states.dtype.names if name != "rng"])
    numbers = states[name].reshape(-1)
    numbers[rng.randrange(len(numbers))] = rng.choice(EXTREMES if numbers.itemsize == 1 else WIDE_EXTREMES)


def take_field(states, rng, pool):
    """Take a whole field from another position."""
    name = rng.choice(states.dtype.names)
    states[name] = rng.choice(pool).states[name]


def move_tile(states, rng, _pool):
    """Move a tile, so that none is lost."""
    colour = rng.randrange(NUM_COLOURS)
    places = [numbers[colour:] for name in PLACES for numbers in states[name].reshape(-1, NUM_COLOURS)]
    places = [numbers for numbers in places if numbers[0] < 127]
    held = [numbers for numbers in places if numbers[0] > 0]
    if held and places:
        rng.choice(held)[0] -= 1
        rng.choice(places)[0] += 1


def place_tile(states, rng, _pool):
    """Put a tile of the bag onto a space, or back."""
    spaces = states["boards"].reshape(-1)
    at, colour = rng.randrange(len(spaces)), rng.randrange(NUM_COLOURS)
    bag = states["bag"][0]
    if spaces[at] in range(NUM_COLOURS) and bag[spaces[at]] < TILES_PER_COLOUR:
        bag[spaces[at]] += 1
        spaces[at] = EMPTY
    elif spaces[at] == EMPTY and bag[colour] > 0:
        bag[colour] -= 1
        spaces[at] = colour


CHANGES = (set_number, take_field, move_tile, move_tile, move_tile, place_tile)


def changed(rng, pool):
    """Return a copy of a position with some things changed."""
    position = rng.choice(pool).copy()
    for _ in range(rng.choice((1, 1, 2, 6, 20))):
        rng.choice(CHANGES)(position.states, rng, pool)
    return position


def play_on(position, rng):
    """Play to the end, and look at every state on the way."""
    at = 0
    policy = rng.choice(("random", "sensible"))
    while True:
        assert position.check() == [], position.to_text()
        for viewer in range(position.game.num_players):
            seen = position.observe(viewer)
            assert seen.min() >= 0, position.to_text()
            assert seen.max() <= 1, position.to_text()
        if at % 16 == 0:
            assert position.game.read_position(position.to_text()) == position
        if position.over:
            return
        if position.chance_is_due:
            position.apply_chance(rng.choice(position.chance_outcomes())[0])
        else:
            assert 1 <= len(position.legal_actions()) <= position.game.max_legal
            move(position, rng, policy)
        at += 1


@pytest.mark.untraced
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_a_changed_state_is_refused_or_can_be_played_on_to_the_end(num_players):
    rng = random.Random(num_players)
    pool = pool_of(num_players)
    refused = accepted = 0
    for _ in range(scaled(150, least=30)):
        position = changed(rng, pool)
        before = position.states.tobytes()
        if position.check():
            refused += 1
        elif COMPILED or accepted == 0:
            accepted += 1
            play_on(position, rng)
            continue
        assert position.states.tobytes() == before
    assert refused > 0
    assert accepted > 0


# Many at once ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_rows_are_found_wrong_exactly_where_check_names_something(num_players):
    rng = random.Random(17)
    pool = pool_of(num_players)
    dtype = STATES[num_players]
    states = [changed(rng, pool).states for _ in range(scaled(400, least=30))]
    noise = np.frombuffer(rng.randbytes(50 * dtype.itemsize), dtype)
    states = np.concatenate([*states, noise]).view(dtype)
    before = states.tobytes()
    rules = game_of(num_players).rules
    wrong = [i for i in range(len(states)) if rules.check(states, i)]
    assert rules.unsound_rows(states).tolist() == wrong
    assert rules.unsound_rows(states[::-1]).tolist() == [len(states) - 1 - i for i in reversed(wrong)]
    assert 0 < len(wrong) < len(states)
    assert states.tobytes() == before
    assert rules.unsound_rows(states[:0]).tolist() == []


def test_bytes_within_the_ranges_may_be_asked_about():
    """What no index forbids, though no state is like it: nothing crashes, and all is refused."""
    rng = np.random.default_rng(3)
    for num_players in PLAYER_COUNTS:
        rules = game_of(num_players).rules
        ranges = game_of(num_players).kernel("invariants").RANGES
        states = np.zeros(scaled(5000, least=100), STATES[num_players])
        for field, (low, high) in ranges.items():
            states[field] = rng.integers(low, high + 1, states[field].shape)
        for field in ("scores", "decisions"):
            states[field] = rng.integers(-32768, 32768, states[field].shape)
        assert len(rules.unsound_rows(states)) == len(states)
        assert all(len(rules.check(states, i)) > 1 for i in range(100))


@pytest.mark.parametrize(
    "wrong", [None, np.zeros((3, 8), np.int8), np.zeros((1, 1), STATES[2]), np.zeros(2, STATES[3])]
)
def test_only_an_array_of_states_of_the_game_can_be_asked_about(wrong):
    with pytest.raises(ValueError, match=r"expected an array \(N,\) of states"):
        game_of(2).rules.unsound_rows(wrong)


def test_a_state_that_no_game_reaches_is_refused_by_the_game():
    position = position_at(**MID_TAKE)
    position.states["token"] = 2
    assert position.game.observations(position.states, 0).shape == (1, position.game.observation_size)
    position.states["scores"] = -1
    with pytest.raises(ValueError, match="state 0 is no state of the game: broken are scores"):
        position.game.observations(position.states, 0)
