"""What no game can reach is refused, and what is accepted can be played on: bounds, and states changed at random."""

from __future__ import annotations

import random

import numpy as np
import pytest
from mutations import mutations, some_positions
from sizes import scaled
from walks import choose, games

from azul_duel_env.duel_v0 import env as duel_env
from azul_duel_env.game.notation_parts import NotationError
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.bounds import MOST_DECISIONS, MOST_POINTS, decisions_left, points_left
from azul_duel_env.games.duel.components import NO_CHIP
from azul_duel_env.games.duel.engine import MAX_DECISIONS
from azul_duel_env.games.duel.observation import SCORE_SCALE
from azul_duel_env.games.duel.state import CHIP, STATE
from azul_duel_env.jit import COMPILED, entry
from azul_duel_env.tools.rulings import find_passage


# Bounds --------------------------------------------------------------------------------------------------------------
@entry
def bounds_of(states, i, out):
    """Write decisions and points, each with what is left, into ``out`` (int64, 3)."""
    state = states[i]
    out[0] = state.decisions + decisions_left(state)
    for player in range(2):
        out[1 + player] = state.scores[player] + points_left(state, player)


def bounds(position):
    out = np.zeros(3, np.int64)
    bounds_of(position.states, 0, out)
    return out


def test_what_is_left_shrinks_by_at_least_what_a_decision_brings():
    left = scaled(2500, least=150)
    for position, rng, policy in games(first_seed=700, explicit_chance=True):
        before = bounds(position)
        assert before.tolist() == [MOST_DECISIONS, MOST_POINTS, MOST_POINTS]
        while not position.over and left > 0:
            if position.chance_is_due:
                position.draw_chance()
            else:
                position.step(choose(position, rng, policy))
                left -= 1
            after = bounds(position)
            assert (after <= before).all(), position.to_text()
            before = after
        if left <= 0:
            break


def test_the_bounds_fit_the_observation_and_the_guard():
    assert MOST_POINTS == 507
    assert MOST_POINTS <= SCORE_SCALE
    assert MOST_DECISIONS == 545
    assert MOST_DECISIONS <= 605 < MAX_DECISIONS


def test_the_rules_name_the_bounds():
    text = find_passage("E21", "azul_duel_env.games.duel").text
    assert f"at most {MOST_DECISIONS} decisions" in text
    assert f"the {MOST_DECISIONS} less" in text
    assert f"counts {MAX_DECISIONS} " in text
    assert f"= {MOST_POINTS} at most" in find_passage("E.1", "azul_duel_env.games.duel").text
    assert (GAME.max_points, GAME.max_decisions) == (MOST_POINTS, MAX_DECISIONS)


# What the boundaries refuse ------------------------------------------------------------------------------------------
WRONG = (
    [("scores", value, "E13") for value in (-1, 400, 507, 508, 32767)]
    + [("decisions", value, "E21") for value in (-1, -32768, 400, 485, 699, 32767)]
    + [("chips_taken", 1, "E9"), ("round_number", 3, "E3"), ("tokens", 1, "E3"), ("spare", 1, "range")]
    + [("player", 1, "E14"), ("suns", 5, "E7"), ("put_back_starts", 1, "order"), ("explicit_chance", -1, "range")]
)


@pytest.mark.parametrize(("field", "value", "named"), WRONG)
def test_a_state_that_no_game_reaches_is_refused_and_named(field, value, named):
    position = GAME.new(1)
    while position.states["stage"][0] < 5:
        position.step(int(position.legal_actions()[0]))
    states = position.states.copy().view(STATE)
    numbers = states[field].reshape(-1)
    numbers[0] = 1 - numbers[0] if field == "player" else value
    broken = GAME.rules.check(states, 0)
    assert any(named in name for name in broken), broken
    table = duel_env()
    table.reset(seed=1)
    kept = table.get_state()
    for act in (lambda: table.set_state(states), lambda: table.reset(options={"state": states})):
        with pytest.raises(ValueError, match="no state of the game"):
            act()
    assert table.get_state().tobytes() == kept.tobytes()
    assert GAME.rules.unsound_rows(states).tolist() == [0]


@pytest.mark.parametrize(
    ("line", "wrong"), [("scores", "508 5"), ("decisions", "486"), ("decisions", "-1"), ("scores", "400 5")]
)
def test_a_text_that_no_game_reaches_is_refused(line, wrong):
    lines = [f"{line}: {wrong}" if row.startswith(f"{line}:") else row for row in GAME.new(1).to_text().splitlines()]
    with pytest.raises(NotationError, match=r"from 0 to|E13|E21"):
        GAME.read_position("\n".join(lines))


# States changed at random --------------------------------------------------------------------------------------------
def check_what_is_seen(position):
    for viewer in (0, 1):
        seen = position.observe(viewer)
        assert seen.min() >= 0, position.to_text()
        assert seen.max() <= 1, position.to_text()


def check_text(position):
    text = position.to_text()
    again = GAME.read_position(text)
    assert again == position, text
    assert again.to_text() == text


def play_on(position, rng):
    """Play to the end, and look at every state on the way."""
    at = 0
    while True:
        assert position.check() == [], position.to_text()
        check_what_is_seen(position)
        if at % 16 == 0:
            check_text(position)
        if position.over:
            return
        if position.chance_is_due:
            position.apply_chance(rng.choice(position.chance_outcomes())[0])
        else:
            position.step(int(rng.choice(position.legal_actions())))
        at += 1


def test_a_changed_state_is_refused_or_can_be_played_on_to_the_end():
    rng = random.Random(15)
    pool = some_positions(scaled(400, least=12), every=9 if COMPILED else 3)
    refused = accepted = 0
    for position in mutations(scaled(500, least=25), rng, pool):
        before = position.states.tobytes()
        if position.check():
            refused += 1
        elif COMPILED or accepted == 0:
            accepted += 1
            play_on(position, rng)
            continue
        assert position.states.tobytes() == before
    assert refused > accepted > 0


def test_a_factory_with_tiles_needs_its_chip_while_another_one_is_revealed():
    for position, rng, policy in games(first_seed=3, explicit_chance=True):
        while not position.over:
            s = position.states[0]
            full = np.flatnonzero(s.suns[:4].sum(axis=1) > 0)
            if s.chance == CHIP and len(full):
                assert position.check() == []
                s.factory_chips[full[0]] = NO_CHIP
                assert any("E7" in name for name in position.check())
                return
            if position.chance_is_due:
                position.draw_chance()
            else:
                position.step(choose(position, rng, policy))


def test_rows_are_found_wrong_exactly_where_check_names_something():
    rng = random.Random(17)
    pool = some_positions(scaled(200, least=10), first_seed=60)
    states = np.concatenate([position.states for position in mutations(scaled(2000, least=30), rng, pool)]).view(STATE)
    noise = np.frombuffer(rng.randbytes(4 * STATE.itemsize), STATE)
    states = np.concatenate([states, noise]).view(STATE)
    before = states.tobytes()
    wrong = [i for i in range(len(states)) if GAME.rules.check(states, i)]
    assert GAME.rules.unsound_rows(states).tolist() == wrong
    assert GAME.rules.unsound_rows(states[::-1]).tolist() == [len(states) - 1 - i for i in reversed(wrong)]
    assert 0 < len(wrong) < len(states)
    assert states.tobytes() == before
    assert GAME.rules.unsound_rows(states[:0]).tolist() == []
