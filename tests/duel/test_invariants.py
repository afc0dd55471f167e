"""What holds in every state and across every step (RULES E.1), and that ``check`` finds what does not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import scaled
from walks import OPTIONS, POLICIES, choose, games, positions

from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.acquisition import carry_out_acquisition
from azul_duel_env.games.duel.actions import DOME_DRAW, MAX_LEGAL
from azul_duel_env.games.duel.chance import chance_due, draw_outcome, place_outcome, total_weight
from azul_duel_env.games.duel.components import (
    EMPTY,
    FACE_DOWN,
    KIND_OF,
    LARGE,
    LAYOUT_SPACES,
    SPECIAL,
    UNKNOWN,
    WILD,
)
from azul_duel_env.games.duel.engine import waits_for_player
from azul_duel_env.games.duel.invariants import INVARIANTS
from azul_duel_env.games.duel.state import (
    COLUMN,
    DRAWING,
    EXAMINING,
    GAME_OVER,
    KEEPING,
    NO_CHANCE,
    NOBODY,
    OPENING,
    ORDERING,
    PAYING,
    PLACING,
    RETURNING,
    TILE,
    TURN,
)
from azul_duel_env.jit import COMPILED, entry, rule

PHASE_1 = (TURN, DRAWING, KEEPING, RETURNING, PLACING, ORDERING)
PHASE_2 = (COLUMN, PAYING)


# Every state ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("variant", range(len(OPTIONS)))
@pytest.mark.parametrize("policy", POLICIES)
def test_every_state_of_random_games_is_sound(variant, policy):
    checked = 0
    rng = random.Random(variant)
    wanted = scaled(20_000, least=60)
    while checked < wanted:
        position = GAME.new(rng.randrange(2**40), **OPTIONS[variant])
        while True:
            assert not position.check(), position.to_text()
            checked += 1
            if position.over or checked >= wanted:
                break
            position.step(choose(position, rng, policy))


def test_every_state_between_the_draws_is_sound():
    checked = 0
    wanted = scaled(20_000, least=60)
    for position, rng, policy in games(explicit_chance=True):
        while not position.over and checked < wanted:
            assert not position.check(), position.to_text()
            checked += 1
            if position.chance_is_due:
                position.draw_chance()
            else:
                position.step(choose(position, rng, policy))
        if checked >= wanted:
            return


# Every step: what must hold between one state and the next -----------------------------------------------------------
def spaces_of(s, player, row):
    """What the six spaces of a dome row ask for; EMPTY where no dome tile lies."""
    layouts = [s.domes[player, row // 2 * 3 + column // 2] for column in range(6)]
    cells = [row % 2 * 2 + column % 2 for column in range(6)]
    return [EMPTY if lay == EMPTY else int(LAYOUT_SPACES[lay, c]) for lay, c in zip(layouts, cells, strict=True)]


def check_end_of_acquisition(s, finished):
    """E3, E4: dome tiles and chips after phase 1 of a round."""
    for player in (0, 1):
        assert (s.domes[player] != EMPTY).sum() == 1 + 2 * min(finished, 4), "E3"
        assert s.chips_up[player].sum() + s.chips_down[player].sum() == 2 * finished, "E4"


def check_round_start(s):
    """E6, E8: stack, display and the large sun when a round starts."""
    number = int(s.round_number)
    stack = s.stack_unseen + (s.put_back != EMPTY).sum()
    assert (stack, (s.display != EMPTY).sum()) == {1: (13, 3), 2: (9, 3), 3: (5, 3), 4: (1, 3), 5: (0, 0)}[number], "E6"
    if number <= 3:  # never a shortage before round 4
        assert s.suns.sum() == 21
        assert (s.suns[LARGE] > 0).sum() >= 2, "E8"
    # E8 in later rounds: one colour only under R9, when nothing else was in the bag for the first small factory either
    elif s.suns[LARGE].max() == 5 and s.tower.sum() > 0:
        assert (s.bag > 0).sum() <= 1, "E8"


def check_end_of_tiling(s, finished):
    """E15, E16: the domes and lines after phase 2 of a round."""
    for player in (0, 1):
        for row in range(6):
            tiles = s.tiles[player, row]
            assert ((tiles != EMPTY) & (tiles != SPECIAL)).sum() <= finished, "E15"
            if finished >= 4 and s.lines[player, row]:
                colour = s.line_colours[player, row]
                free = [space for space, tile in zip(spaces_of(s, player, row), tiles, strict=True) if tile == EMPTY]
                assert colour in free or WILD in free, "E16"


def check_step(before, action, after):
    """E13: what one decision may do to the scores."""
    actor, other = int(before.player), 1 - int(before.player)
    change = after.scores.astype(int) - before.scores.astype(int)
    if before.stage in (OPENING, *PHASE_1):
        if after.stage in (OPENING, *PHASE_1) and after.round_number == max(before.round_number, 1):
            assert change[other] == 0, "E13"
            lost = 1 if action == DOME_DRAW and before.scores[actor] > 0 else 0
            assert change[actor] == -lost, "E13"
    elif after.stage in PHASE_2 and after.active == actor and after.round_number == before.round_number:
        assert change[other] == 0, "E13"
        assert change[actor] >= (1 if before.stage == COLUMN else 0), "E13"


def test_steps_of_random_games():
    """E3, E4, E6, E8, E13, E15, E16, and the bounds E20 and E21."""
    left = scaled(60_000, least=150)
    for position, rng, policy in games(first_seed=50_000):
        turns = 0
        turns_in_all = 0
        while not position.over:
            before = position.states[0].copy()
            action = choose(position, rng, policy)
            turns += before.stage == TURN
            turns_in_all += before.stage == TURN
            full = turns > 1 or before.stage != TURN or before.suns.sum() + (before.moons >= 0).sum() == 21
            position.step(action)
            left -= 1
            after = position.states[0]
            check_step(before, action, after)
            in_phase_1 = before.stage in PHASE_1
            if in_phase_1 and (after.stage not in PHASE_1 or after.round_number != before.round_number):
                check_end_of_acquisition(after, int(before.round_number))
                most, least = (25, 10) if before.round_number == 5 else (29, 14)
                assert turns <= most, "E20"
                assert turns >= least or not full or before.round_number >= 4, "E20"
                turns = 0
            if after.round_number != before.round_number:
                check_round_start(after)
                if before.round_number > 0:
                    check_end_of_tiling(after, int(before.round_number))
        check_end_of_tiling(position.states[0], 5)
        assert 66 <= turns_in_all <= 141, "E20"
        assert position.decisions <= 605, "E21"
        if left < 0:
            return


# E8: the large factory -----------------------------------------------------------------------------------------------
def at_the_large_factory(bag, tower):
    """Return a game in which the large factory is filled next, from a bag and a tower with these counts."""
    position = GAME.new(3, explicit_chance=True)
    while int(position.states["chance"][0]) != TILE:
        position.draw_chance()
    position.states["bag"][0] = bag
    position.states["tower"][0] = tower
    return position


def test_e8_five_tiles_of_one_colour_do_not_come():
    position = at_the_large_factory([13, 13, 13, 13, 13], [0] * 5)
    for _ in range(4):
        position.apply_chance(2)
    with pytest.raises(ValueError, match="outcome 2 is not possible"):
        position.apply_chance(2)
    position.apply_chance(4)
    assert position.states["suns"][0][LARGE].tolist() == [0, 0, 4, 0, 1]
    assert position.states["filling"][0] == 1


def test_e8_r9_five_tiles_of_the_only_colour_in_the_bag_stay():
    position = at_the_large_factory([0, 0, 8, 0, 0], [13, 13, 5, 13, 13])
    assert position.chance_outcomes() == [(2, 1.0)]
    position.apply_chance(2)
    assert position.states["suns"][0][LARGE].tolist() == [0, 0, 5, 0, 0]
    assert position.states["suns"][0][0].tolist()[2] >= 3, "then the bag's last three, and only then the tower (D82)"


def test_e8_r10_fewer_than_five_tiles_of_one_colour_stay():
    position = at_the_large_factory([0, 0, 3, 0, 0], [0] * 5)
    position.apply_chance(2)
    assert position.states["suns"][0].sum() == 3
    assert position.states["suns"][0][LARGE].tolist() == [0, 0, 3, 0, 0]


# E17: the order of the players in phase 2 ----------------------------------------------------------------------------
@rule
def go_on_to_tiling(state, legal):
    """Go on like ``engine.settle``, but stop where phase 2 begins; return whether it did."""
    while state.stage != EXAMINING:
        chance = chance_due(state)
        if chance == NO_CHANCE:
            if waits_for_player(state, legal):
                return False
            continue
        total, outcome = total_weight(state, chance)
        if outcome == NOBODY:
            outcome = draw_outcome(state, chance, total)
        place_outcome(state, chance, outcome)
    return True


@entry
def step_to_tiling(states, i, action):
    """Carry out an action of phase 1; return whether phase 2 now begins, where the state then stands."""
    state = states[i]
    carry_out_acquisition(state, state.player, action)
    return go_on_to_tiling(state, np.empty(MAX_LEGAL, np.int16))


def play_tiling(position, choices):
    """Play one phase 2 with the same choices for each player whatever the order; stop before anything is drawn."""
    position.states["explicit_chance"] = 1
    number = position.states["round_number"][0]
    GAME.rules.advance_to_decision(position.states, 0)
    made = [0, 0]
    while position.player != NOBODY and position.states["round_number"][0] == number:
        player = position.player
        legal = position.legal_actions()
        position.step(int(legal[choices[player][made[player]] % len(legal)]))
        made[player] += 1
    return position


def test_e17_the_order_of_the_players_in_phase_2_does_not_matter():
    rounds = scaled(1500, least=5)
    different_choices = 0
    for position, rng, policy in games(first_seed=90_000):
        while not position.over:
            action = choose(position, rng, policy)
            if position.states["stage"][0] in PHASE_1:
                first = position.copy()
                if step_to_tiling(first.states, 0, action):
                    rounds -= 1
                    second = first.copy()
                    second.states["first_player"] = 1 - first.states["first_player"]
                    second.states["active"] = second.states["first_player"]
                    choices = [[rng.randrange(10**6) for _ in range(80)] for _ in range(2)]
                    decisions = position.decisions
                    first, second = play_tiling(first, choices), play_tiling(second, choices)
                    different_choices += first.decisions - decisions > 1
                    assert first.scores == second.scores
                    for state in (first.states, second.states):
                        state["active"] = 0
                        if first.over or first.states["first_player_tile"][0] == NOBODY:  # as swapped above
                            state["first_player"] = 0
                    assert first == second, "E17"
            position.step(action)
        if rounds <= 0:
            break
    assert different_choices > 0


# Each way to break a state is found and named ------------------------------------------------------------------------
def any_position(condition, first_seed=0, **options):
    """Return the first position of random games that meets a condition."""
    for position in positions(scaled(10**6, least=40_000), first_seed, **options):
        if condition(position.states[0]):
            return position.copy()
    raise AssertionError("no such position in the random games")


def middle(s):
    return s.stage == TURN and s.round_number == 2 and s.suns[LARGE].sum() > 0 and (s.suns[:4].sum(axis=1) == 0).any()


def set_at(field, index, value):
    def change(s):
        s[field][index] = value

    return change


def set_to(field, value):
    def change(s):
        s[field] = value

    return change


def add_at(field, index, amount):
    def change(s):
        s[field][index] += amount

    return change


def ten_special_tiles(s):
    s.tiles[0].ravel()[:10] = SPECIAL


def dome_tile_twice(s):
    s.display[0] = s.domes[0][s.domes[0] != EMPTY][0] // 4


def wrong_top_kind(s):
    s.fronts_unseen[s.top_kind == KIND_OF] = 0


def fill_both_sides(s):
    s.large_moon[0] += 1


def face_down_on_bare_factory(s):
    s.factory_chips[np.flatnonzero(s.suns[:4].sum(axis=1) == 0)[0]] = FACE_DOWN
    s.moons[np.flatnonzero(s.suns[:4].sum(axis=1) == 0)[0]] = EMPTY


def floating_moon_tile(s):
    s.moons[0] = (EMPTY, 1, EMPTY)


def special_space_of(s):
    """Return player, row, column of an empty special space."""
    for player in (0, 1):
        for row in range(6):
            for column, space in enumerate(spaces_of(s, player, row)):
                if space == SPECIAL and s.tiles[player, row, column] == EMPTY:
                    return player, row, column
    raise AssertionError("no empty special space")


def special_tile_too_early(s):
    s.tiles[special_space_of(s)] = SPECIAL


def tile_of_wrong_colour(s):
    for row in range(6):
        for column, space in enumerate(spaces_of(s, 0, row)):
            if space in range(5):
                s.tiles[0, row, column] = (space + 1) % 5
                return


def tile_beside_the_dome_tiles(s):
    for row in range(6):
        if EMPTY in spaces_of(s, 1, row):
            s.tiles[1, row, spaces_of(s, 1, row).index(EMPTY)] = 0
            return


def put_back_with_a_gap(s):
    s.put_back[5] = np.flatnonzero(s.fronts_unseen)[0]
    s.put_back_by[5] = 0


BREAKAGES = [
    ("E1", add_at("bag", 0, 1)),
    ("within its range", add_at("tower", 2, -50)),
    ("E1", add_at("broken", (1, 3), 1)),
    ("E1", add_at("suns", (LARGE, 1), 1)),
    ("E2", ten_special_tiles),
    ("E3", dome_tile_twice),
    ("E3", lambda s: set_to("stack_unseen", s.stack_unseen + 1)(s)),
    ("E3", set_at("fronts_unseen", slice(None), 0)),
    ("E3", wrong_top_kind),
    ("E4", add_at("chips_unseen", 0, 1)),
    ("E4", add_at("chips_up", (0, 3), 1)),
    ("within its range", add_at("chips_down", (1, 9), -1)),
    ("E7", fill_both_sides),
    ("within its range", add_at("suns", (LARGE, 1), -9)),
    ("E7", face_down_on_bare_factory),
    ("E7", floating_moon_tile),
    ("E7", set_at("large_moon", slice(None), 1)),
    ("E9", set_at("lines", (0, 2), 4)),
    ("within its range", set_at("line_colours", (0, 2), 5)),
    ("E9", lambda s: (set_at("lines", (1, 0), 0)(s), set_at("line_colours", (1, 0), 3)(s))),
    ("within its range", set_at("tokens", 0, 3)),
    ("E9", set_at("broken", (0, slice(None)), 1)),
    ("within its range", set_at("chips_taken", 1, 3)),
    ("E10", special_tile_too_early),
    ("E11", tile_of_wrong_colour),
    ("E11", tile_beside_the_dome_tiles),
    ("within its range", set_to("first_player_tile", 2)),
    ("E12", set_to("first_player", NOBODY)),
    ("E13", set_at("scores", 1, -1)),
    ("E14", set_to("player", NOBODY)),
    ("E14", set_to("stage", KEEPING)),
    ("E14", set_to("chance", TILE)),
    ("E5", set_to("stage", GAME_OVER)),
    ("within its range", set_to("round_number", 6)),
    ("within its range", set_to("stage", GAME_OVER + 1)),
    ("E21", set_to("decisions", 700)),
    ("order of dome tiles", put_back_with_a_gap),
    ("what a sub-decision", set_to("ordering", 2)),
    ("what a sub-decision", set_to("stage", ORDERING)),
    ("what a sub-decision", set_to("line", 3)),
    ("order of dome tiles", set_to("returned", 3)),
    ("what a sub-decision", set_to("paid_matching", 1)),
    ("what a sub-decision", set_to("tipped_midway", 1)),
    ("what a sub-decision", set_to("chance", TILE)),
    ("R39", set_at("scoring", slice(None), 0)),
    ("R39", set_at("scoring", slice(None), 1)),
    ("within its range", set_to("num_scoring_tiles", 5)),
    ("what a sub-decision", lambda s: (set_to("hand_size", 1)(s), set_at("hand", 0, UNKNOWN)(s))),
    ("E21", set_to("round_number", 0)),
    ("within its range", set_at("spare", 3, 1)),
]


def names_with(key):
    """Return the invariants that a key stands for."""
    return {name for name in INVARIANTS if f"({key})" in name or key in name.split(" (")[0]}


@pytest.fixture(scope="module")
def sound():
    position = any_position(middle)
    assert position.check() == []
    assert (position.states["suns"][0][:4].sum(axis=1) == 0).any()
    return position


@pytest.mark.parametrize("number", range(len(BREAKAGES)), ids=lambda number: f"{number}-{BREAKAGES[number][0]}")
def test_check_names_what_is_broken(sound, number):
    key, change = BREAKAGES[number]
    position = sound.copy()
    change(position.states[0])
    found = position.check()
    assert any(name.startswith(wanted) for name in found for wanted in names_with(key)), (
        f"{key} is broken and not named"
    )


def test_check_names_each_invariant():
    named = set().union(*(names_with(key) for key, _ in BREAKAGES))
    assert named == set(INVARIANTS)
    assert len(INVARIANTS) == 18


def test_check_wants_a_choice_in_a_sub_decision():
    """A sub-decision with one choice is never asked (E14)."""
    position = any_position(lambda s: s.stage == ORDERING)
    colours = np.flatnonzero(position.states["suns"][0][position.states["ordering"][0]])
    s = position.states[0]
    for colour in colours[1:]:
        s.suns[s.ordering, colours[0]] += s.suns[s.ordering, colour]
        s.suns[s.ordering, colour] = 0
    assert names_with("E14") <= set(position.check())


def test_check_wants_whose_the_put_back_dome_tiles_are():
    position = any_position(lambda s: s.put_back[0] != EMPTY, first_seed=1)
    for field, value in (("put_back_by", NOBODY), ("put_back_starts", 0)):
        broken = position.copy()
        broken.states[field][0, 0] = value
        assert names_with("order of dome tiles") <= set(broken.check())


# Games by drawn integers, which shrink -------------------------------------------------------------------------------
def check_actions(position):
    """The mask, the list and the names of the legal actions agree; what is illegal is refused and changes nothing."""
    legal = position.legal_actions().tolist()
    mask = position.action_mask()
    assert np.flatnonzero(mask).tolist() == legal
    assert set(mask.tolist()) <= {0, 1}
    names = [GAME.text.action_name(action) for action in legal]
    assert len(set(names)) == len(names)
    assert [GAME.text.parse_action(name) for name in names] == legal


def check_refusals(position, numbers):
    """Illegal actions raise, and the state keeps every byte."""
    before = position.states.tobytes()
    legal = set(position.legal_actions().tolist())
    for number in numbers:
        if number not in legal:
            with pytest.raises(ValueError, match="action"):
                position.step(number)
    assert position.states.tobytes() == before


WRONG = (-1, 400, 2**31, 2**70, True, 1.0, None, "0")


@settings(deadline=None, max_examples=scaled(150, least=3), derandomize=True, database=None)
@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(range(len(OPTIONS))),
    explicit_chance=st.booleans(),
    skip=st.integers(0, 170 if COMPILED else 20),
    numbers=st.lists(st.integers(0, 10**6), max_size=60 if COMPILED else 8),
)
def test_games_by_drawn_integers(seed, variant, explicit_chance, skip, numbers):
    position = GAME.new(seed, **(OPTIONS[variant] | {"explicit_chance": explicit_chance}))
    rng = random.Random(seed)
    for number in [None] * skip + numbers:
        if position.over:
            break
        if position.chance_is_due:
            with pytest.raises(ValueError, match="chance"):
                position.step(0)
            outcomes = [outcome for outcome, _ in position.chance_outcomes()]
            position.apply_chance(rng.choice(outcomes) if number is None else outcomes[number % len(outcomes)])
        else:
            legal = position.legal_actions()
            position.step(int(rng.choice(legal) if number is None else legal[number % len(legal)]))
        if number is None:
            continue
        assert not position.check()
        again = GAME.read_position(position.to_text())
        assert again == position
        assert again.to_text() == position.to_text()
        copy = position.copy()
        assert copy == position
        if position.player != NOBODY:
            check_actions(position)
            check_refusals(position, [*range(0, 400, 7), number % 400, *WRONG])
            copy.step(int(position.legal_actions()[0]))
            assert copy != position, "a copy is its own"
            assert again == position


def test_a_finished_game_refuses_every_action():
    position = next(p.copy() for p in positions(10**5) if p.over)
    before = position.states.tobytes()
    for action in range(400):
        with pytest.raises(ValueError, match="the game is over"):
            position.step(action)
    assert position.states.tobytes() == before
    assert not position.action_mask().any()
    assert len(position.legal_actions()) == 0
