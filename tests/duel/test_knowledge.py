"""Drawing anew what a player can't know: it fits all that he saw, with the right odds, and nothing hidden leaks."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from places import HIDDEN
from scipy.stats import chisquare
from sizes import scaled
from walks import choose, games, positions
from worlds import hidden_places, hidden_tiles, knowledge, returns_of, worlds

from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.components import EMPTY, KIND_OF
from azul_duel_env.games.duel.state import DRAWING, FRONT, KEEPING
from azul_duel_env.jit import COMPILED

"""Positions in which the player named last in the file's name can't tell 4 to 36 states apart."""
UNLIKELY = 1e-5


def case(path):
    """Return a position and the viewer."""
    return GAME.read_position(path.read_text()), int(path.stem[-1])


# What the viewer saw stays ----------------------------------------------------------------------------------------------
def kinds_in(s, places):
    return Counter(int(KIND_OF[s.put_back[place]]) for place in places)


def check_what_the_viewer_saw(before, after, viewer):
    """Known places, tiles seen, kinds in each return, and the visible top are kept."""
    a, b = before.states[0], after.states[0]
    other = 1 - viewer
    for field in GAME.state.names:
        if field not in ("rng", "put_back", "hand", "hand_kinds", "kept", "fronts_unseen", "looked_at"):
            assert np.array_equal(a[field], b[field]), field
    assert np.array_equal(a.looked_at[viewer], b.looked_at[viewer])
    now_chosen = a.returned if a.active == other else 0
    filled = int((a.put_back != EMPTY).sum())
    for places in returns_of(a):
        if a.put_back_by[places[0]] == viewer:
            assert [int(a.put_back[p]) for p in places] == [int(b.put_back[p]) for p in places]
        elif places[-1] < filled - now_chosen:
            assert kinds_in(a, places) == kinds_in(b, places)
    if a.stack_unseen == 0 and filled > now_chosen:
        assert KIND_OF[a.put_back[0]] == KIND_OF[b.put_back[0]], "the back of the top is visible"
    if a.stage == DRAWING:
        assert np.array_equal(a.hand_kinds, b.hand_kinds), "backs are public"
    for place in range(int(a.hand_size)):
        if a.hand_from[place] == viewer or (a.active == viewer and a.stage != DRAWING):
            assert a.hand[place] == b.hand[place]
    if a.active == viewer:
        assert a.kept == b.kept
    theirs = [set(hidden_tiles(position, viewer)) for position in (before, after)]
    seen = [{tile for tile in tiles if a.looked_at[viewer, tile]} for tiles in theirs]
    assert seen[0] == seen[1], "tiles seen before stay with the other player"
    for tile in theirs[1]:
        assert b.looked_at[other, tile] == 1
        assert b.fronts_unseen[tile] == 0


def test_resampled_states_are_sound_and_fit_what_the_viewer_saw():
    different = 0
    for position in positions(scaled(6000, least=40), first_seed=8000):
        s = position.states[0]
        if s.put_back[0] == EMPTY and s.hand_size == 0 and position.decisions % 10:
            continue
        for viewer in (0, 1):
            for seed in (1, position.decisions):
                other = position.resampled(viewer, seed)
                assert not other.check(), other.to_text()
                check_what_the_viewer_saw(position, other, viewer)
                assert knowledge(other, viewer) == knowledge(position, viewer)
                different += hidden_tiles(other, viewer) != hidden_tiles(position, viewer)
    assert different > 0


def test_resampled_amid_looking_at_fronts():
    """With explicit chance some drawn dome tiles have a front, one put back before or just seen, and the others have none yet."""
    met = 0
    for position, rng, _ in games(first_seed=8800, explicit_chance=True):
        while not position.over:
            s = position.states[0]
            if s.stage == KEEPING and s.chance == FRONT and len(set(s.hand[: s.hand_size].tolist())) > 1:
                met += 1
                for viewer in (0, 1):
                    for seed in range(4):
                        other = position.resampled(viewer, seed)
                        assert not other.check(), other.to_text()
                        assert np.array_equal(other.observe(viewer), position.observe(viewer))
            if position.chance_is_due:
                position.draw_chance()
            else:
                position.step(choose(position, rng, "draw"))
            if met == scaled(300, least=2):
                return


def test_resampled_games_can_be_played_on():
    left = scaled(300, least=2)
    for position in positions(10**6, first_seed=8500):
        if position.over or position.states["hand_size"][0] == 0 or position.states["put_back"][0, 0] == EMPTY:
            continue
        other = position.resampled(1 - position.player, left)
        rng = random.Random(left)
        while not other.over:
            assert not other.check()
            other.step(choose(other, rng, "draw"))
        left -= 1
        if left == 0:
            break


# The odds ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", HIDDEN, ids=lambda path: path.stem)
def test_resampling_is_uniform(path):
    """All that the viewer can't tell apart comes equally often: found by trying all, counted over many seeds."""
    position, viewer = case(path)
    possible = worlds(position, viewer)
    assert hidden_tiles(position, viewer) in possible
    assert 4 <= len(possible) <= 36
    counts = Counter()
    for seed in range(scaled(400 * len(possible), least=10 * len(possible))):
        counts[hidden_tiles(position.resampled(viewer, seed), viewer)] += 1
    assert set(counts) <= set(possible)
    assert chisquare([counts[tiles] for tiles in possible]).pvalue > UNLIKELY, counts


def test_the_cases_cover_what_can_be_hidden():
    names = {path.stem[7:-2] for path in HIDDEN}
    assert names == {
        *("one-return", "two-returns", "seen-before", "visible-top"),
        *("choosing", "kept", "drawing-theirs", "they-draw"),
    }
    for path in HIDDEN:
        position, viewer = case(path)
        kinds = {int(KIND_OF[tile]) for tile in hidden_tiles(position, viewer)}
        assert len(kinds) == 2 or path.stem[7:-2] in ("they-draw", "seen-before", "choosing"), path.stem
        assert 2 <= len(hidden_places(position, viewer)) <= 4, path.stem


# Seeds ------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", HIDDEN, ids=lambda path: path.stem)
def test_a_seed_repeats_and_others_differ(path):
    position, viewer = case(path)
    assert position.resampled(viewer, 5) == position.resampled(viewer, 5)
    assert len({position.resampled(viewer, seed).states.tobytes() for seed in range(100)}) == 100
    before = position.copy()
    position.resampled(viewer, 5)
    assert position == before, "the position itself stays as it is"


def test_what_is_drawn_after_resampling_differs_with_the_seed():
    position = next(p.copy() for p in positions(10**4, first_seed=77) if p.states["round_number"][0] == 1)
    futures = Counter()
    for seed in range(scaled(200, least=6)):
        other = position.resampled(position.player, seed)
        other.states["explicit_chance"] = 1
        rng = random.Random(3)
        drawn = []
        while len(drawn) < 12 and not other.over:
            if other.chance_is_due:
                drawn.append((int(other.states["chance"][0]), other.draw_chance()))
            else:
                other.step(choose(other, rng, "fill"))
        futures[tuple(drawn)] += 1
    assert len(futures) > 0.9 * scaled(200, least=6)


# Nothing hidden leaks ---------------------------------------------------------------------------------------------------
def test_games_that_differ_in_the_generator_only_look_alike_until_a_draw():
    """The same actions on both; as long as nothing has been drawn, both players see and may do the same on both."""
    left = scaled(400, least=4)
    compared = 0
    for position in positions(10**7, first_seed=9000):
        if position.over or position.decisions % 7:
            continue
        left -= 1
        if left < 0:
            break
        one, two = position.copy(), position.reseeded(position.decisions + 1)
        rng = random.Random(left)
        while not one.over:
            for viewer in (0, 1):
                assert np.array_equal(one.observe(viewer), two.observe(viewer))
            assert one.player == two.player
            assert np.array_equal(one.legal_actions(), two.legal_actions())
            assert str(one) == str(two)
            compared += 1
            word = one.states["rng"][0]
            action = choose(one, rng, "fill")
            one.step(action)
            two.step(action)
            if one.states["rng"][0] != word:
                break
            assert two.states["rng"][0] != one.states["rng"][0]
    assert compared > scaled(400, least=4)


def play_like(position, actions):
    """Play actions with the draws of the position's own generator."""
    other = position.copy()
    for action in actions:
        other.step(action)
    return other


def test_other_hidden_tiles_do_not_change_what_may_happen_until_they_are_seen():
    """In two states that a waiting player can't tell apart, his own next decisions are the same, whatever he does."""
    compared = 0
    for path in HIDDEN:
        position, viewer = case(path)
        if position.player != viewer:
            continue
        for tiles in range(scaled(20, least=2)):
            other = position.resampled(viewer, tiles)
            for action in position.legal_actions()[:: 1 if COMPILED else 40].tolist():
                one, two = play_like(position, [action]), play_like(other, [action])
                if one.player == viewer and one.states["stage"][0] != KEEPING:
                    assert np.array_equal(one.legal_actions(), two.legal_actions())
                    compared += 1
    assert compared > 0


def test_the_state_holds_no_future():
    """Before any draw every outcome that the odds allow can follow from the same state: only the generator decides."""
    seen = Counter()
    start = next(p.copy() for p, _, _ in games(first_seed=12, explicit_chance=True))
    for seed in range(scaled(400, least=40)):
        seen[start.reseeded(seed).draw_chance()] += 1
    assert set(seen) == {outcome for outcome, _ in start.chance_outcomes()}


def test_resampling_keeps_the_games_options():
    for options in (
        {"scoring_tiles": 4},
        {"zero_point_draw": "forced_only"},
        {"explicit_chance": True},
        {"chip_payments": "all"},
    ):
        position = GAME.new(2, **options)
        while position.chance_is_due:
            position.draw_chance()
        other = position.resampled(0, 1)
        for field in (
            "zero_point_draw_free",
            "special_counts_as_colour",
            "explicit_chance",
            "chip_payments_all",
            "num_scoring_tiles",
            "scoring",
        ):
            assert (other.states[field] == position.states[field]).all()
        assert isinstance(other, Position)
