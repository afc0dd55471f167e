"""Paying for a line with bonus chips (D69 to D74) under both values of ``chip_payments`` (R30), against all payments that there are."""

from __future__ import annotations

import random

import gymnasium
import numpy as np
import pytest
from boards import END_PHASE_1, LAST_TURN, NO_TILES, SPECIAL_DOME, WILD_DOME, board, dome, legal, line, play
from naive_duel import CHIPS, all_payments, undominated_payments
from sizes import scaled
from walks import choose, games

from azul_duel_env import duel_v0
from azul_duel_env.games.duel import GAME, Options
from azul_duel_env.games.duel.abstraction import ActionAbstraction
from azul_duel_env.games.duel.actions import CHIP_DECLINE
from azul_duel_env.games.duel.solver import best_tiling_action, tiling_value
from azul_duel_env.games.duel.state import COLUMN, NOBODY, PAYING, STATE

ALL = "options: zero_point_draw=free special_counts_as_colour=yes explicit_chance=yes scoring_tiles=3 chip_payments=all"
DOMES = (*dome(0, NO_TILES, filled=WILD_DOME), *dome(1, NO_TILES, filled=SPECIAL_DOME))
MATCHING = [chip for chip in range(10) if "T" in CHIPS[chip]] * 2
OTHERS = [chip for chip in range(1, 10) if "T" not in CHIPS[chip]] * 2
PAYMENTS = {"undominated": undominated_payments, "all": all_payments}


def paying(chips, *lines, lacking=1):
    """Return a position in round 5 in which line 5 of player 0, of turquoise, lacks tiles and these chips lie face up."""
    line_5 = dome(0, NO_TILES, f"5:{'.' * lacking}{'T' * (5 - lacking)}", filled=WILD_DOME)
    return play(board(LAST_TURN, *DOMES, *line_5, f"chips up: {chips or '-'} | -", *lines), END_PHASE_1)


def payments_reached(position):
    """Follow every order of chips; return what lies face down whenever the tile is placed next, and what is asked."""
    reached, seen, waiting = set(), set(), [position]
    while waiting:
        now = waiting.pop()
        stage = int(now.states["stage"][0])
        down = tuple(np.repeat(np.arange(10), now.states["chips_down"][0, 0]).tolist())
        if stage != PAYING:
            if stage == COLUMN:
                reached.add(down)
            continue
        if down in seen:
            continue
        seen.add(down)
        assert now.check() == []
        assert len(now.legal_actions()) > 1, "nothing is asked that has one answer"
        for action in now.legal_actions().tolist():
            waiting.append(now.copy())
            waiting[-1].step(action)
    return reached


@pytest.mark.parametrize("chip_payments", PAYMENTS)
def test_r30_every_payment_can_be_made_and_nothing_else(chip_payments):
    rng = random.Random(30)
    sizes = set()
    for number in range(scaled(12, least=4)):
        lacking = 1 + number % 4
        size = 10 if lacking == 4 else rng.randint(2 * lacking, 3 * lacking + 1 - (lacking == 3))
        matching = rng.randint(max(0, 2 * (3 * lacking - size)), min(6, size))  # enough to pay with
        chips = sorted(rng.sample(MATCHING, matching) + rng.sample(OTHERS, size - matching))
        shown = " ".join(CHIPS[chip] for chip in chips)
        options = [ALL] if chip_payments == "all" else []
        reached = payments_reached(paying(shown, *options, lacking=lacking))
        assert reached == set(PAYMENTS[chip_payments](chips, 1, lacking)), (chips, lacking)
        sizes |= {(lacking, len(payment)) for payment in reached}
    assert {lacking for lacking, _ in sizes} == {1, 2, 3, 4}


def test_r30_a_recorded_real_payment_of_three_chips_of_which_two_match():
    """Line 5 lacks one turquoise tile; T, K and RT are turned over, and a fourth chip is at hand."""
    position = paying("T K RT Y")
    play(position, "spend chip T", "spend chip K")
    assert line(position, "chips down", 0) == "T Y K", "by default only Y may follow: T and RT would do alone"

    position = paying("T K RT Y", ALL)
    play(position, "spend chip T", "spend chip K")
    assert legal(position) == {"spend chip RT", "spend chip Y"}
    assert GAME.display.question(position.states[0]) == "Choose the next bonus chip to turn over for pattern line 5"
    play(position, "spend chip RT")
    assert line(position, "stage") == "column", "three is the most: nothing is asked"
    assert [line(position, name, 0) for name in ("chips up", "chips down")] == ["Y", "T K RT"]
    play(position, "column 4")
    assert line(position, "row 5", 0) == "..... .k .t .y Tw .b .t"
    assert line(position, "tower") == "T3"


def test_r30_a_player_who_has_paid_is_asked_whether_it_is_enough():
    position = play(paying("T K RT Y", ALL), "spend chip T", "spend chip RT")
    assert legal(position) == {"spend chip K", "spend chip Y", "leave line unfinished"}
    assert "another bonus chip, or enough" in str(position)
    assert GAME.display.question(position.states[0]) == (
        "Pattern line 5 is paid for: turn over another bonus chip, or is it enough?"
    )
    assert GAME.display.describe(CHIP_DECLINE, position.states[0]) == (
        "player_0 turns over no more bonus chips for pattern line 5"
    )
    assert GAME.read_position(position.to_text()) == position
    play(position, "leave line unfinished")
    assert line(position, "stage") == "column"
    assert [line(position, name, 0) for name in ("chips up", "chips down")] == ["Y K", "T RT"]


def test_r30_before_the_first_chip_the_line_may_stay_unfinished():
    position = paying("T K RT Y", ALL)
    assert GAME.display.describe(CHIP_DECLINE, position.states[0]) == "player_0 leaves pattern line 5 unfinished"
    play(position, "leave line unfinished")
    assert line(position, "row 5", 0).startswith(".TTTT")


# The option -----------------------------------------------------------------------------------
def test_texts_name_the_option_only_if_it_is_not_the_default():
    old = GAME.new(1)
    assert "chip_payments" not in old.to_text()
    new = GAME.new(1, chip_payments="all")
    assert " chip_payments=all\n" in new.to_text()
    assert GAME.read_position(new.to_text()) == new
    for wrong in ("chip_payments=some", "chip_payments=all chip_payments=all"):
        with pytest.raises(ValueError, match="line 'options': expected"):
            GAME.read_position(new.to_text().replace("chip_payments=all", wrong))
    with pytest.raises(ValueError, match="chip_payments must be 'undominated' or 'all', not 'some'"):
        Options(chip_payments="some")


def test_states_written_before_the_option_are_read_with_its_default():
    """Its byte, and that of the tower, were spare and 0."""
    fields = STATE.fields
    assert STATE.itemsize == 416
    assert fields["chip_payments_all"][1] == fields["source"][1] + 1
    state = GAME.new(1).states
    assert state["chip_payments_all"][0] == state["tipped_midway"][0] == 0


def test_the_mover_sees_the_option():
    for special in (True, False):
        seen = {}
        for value in ("undominated", "all"):
            position = GAME.new(5, chip_payments=value, special_counts_as_colour=special)
            seen[value] = position.observe(0)
        assert np.flatnonzero(seen["all"] != seen["undominated"]).size == 1
        assert GAME.text.unflatten(seen["undominated"])["options"].tolist() == [1, float(special)]
        assert GAME.text.unflatten(seen["all"])["options"].tolist() == [1, 0.75 if special else 0.25]


def test_environments_take_the_option():
    one = gymnasium.make("azul_duel_env:azul/Duel-v0", chip_payments="all", opponent="random")
    one.reset(seed=1)
    assert one.unwrapped.position.states["chip_payments_all"][0] == 1
    assert one.spec.kwargs["chip_payments"] == "all"
    several = gymnasium.make_vec("azul_duel_env:azul/Duel-v0", num_envs=2, chip_payments="all", opponent="random")
    several.reset(seed=1)
    aec = duel_v0.env(chip_payments="all")
    aec.reset(seed=1)
    assert aec.unwrapped.position.states["chip_payments_all"][0] == 1
    aec.reset(seed=1, options={"chip_payments": "undominated"})
    assert aec.unwrapped.position.states["chip_payments_all"][0] == 0
    several = duel_v0.self_play(2, chip_payments="all")
    several.reset(seed=1)
    assert several.states["chip_payments_all"].tolist() == [1, 1]


# Policies and the solver ----------------------------------------------------------------------
def payable(count):
    """Yield positions of random games in which a player may pay with chips, or has begun to, under ``"all"``."""
    for position, rng, _ in games(first_seed=4000, explicit_chance=False, chip_payments="all"):
        while not position.over and count > 0:
            if position.states["stage"][0] == PAYING:
                yield position
                count -= 1
            position.step(choose(position, rng, "fill"))
        if count <= 0:
            return


def undominated(position):
    """Return the same position under the default."""
    other = position.copy()
    other.states["chip_payments_all"] = 0
    return other


def test_the_solver_gains_nothing_from_more_chips():
    worth = np.zeros((6, 6))
    begun = 0
    for position in payable(scaled(300, least=12)):
        player = position.player
        action = best_tiling_action(position.states, 0, worth, 0.0)
        assert action in position.legal_actions()
        if position.states["paid_matching"][0] + position.states["paid_other"][0] > 0:
            begun += 1
            continue
        other = undominated(position)
        assert tiling_value(position.states, 0, player) == tiling_value(other.states, 0, player)
        assert action == best_tiling_action(other.states, 0, worth, 0.0)
    assert begun > 0


@pytest.mark.parametrize("bonus_chips", ["whether", "always", "never", "most_points"])
def test_policies_turn_over_no_more_chips_than_by_default(bonus_chips):
    layer = ActionAbstraction(bonus_chips=bonus_chips).record
    for position in payable(scaled(60, least=6)):
        if position.states["paid_matching"][0] + position.states["paid_other"][0] > 0:
            continue
        other = undominated(position)
        for one in (position := position.copy(), other):
            GAME.abstraction.advance(one.states, 0, layer)
            if one.player != NOBODY and one.states["stage"][0] == PAYING:
                asked = one.abstract_actions(ActionAbstraction(bonus_chips=bonus_chips))
                assert GAME.abstraction.try_action(one.states, 0, layer, int(asked[0]))
        position.states["decisions"] = other.states["decisions"]  # to say that it is enough is one
        assert undominated(position) == other
