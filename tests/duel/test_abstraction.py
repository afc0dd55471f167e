"""What is asked and what policies do, against a second opinion written from the words of ``CHOICES`` alone."""

from __future__ import annotations

import copy
import pickle
import random
from itertools import product

import numpy as np
import pytest
from naive_tiling import lowest_best_action
from sizes import scaled
from walks import OPTIONS, choose, positions

from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.abstraction import CHOICES, ActionAbstraction
from azul_duel_env.games.duel.actions import BLOCKS, NUM_SOURCES, SOURCES, action_name, decode, encode
from azul_duel_env.games.duel.components import CHIPS, COLOUR_LETTERS, COLOURS, DOME_TILES
from azul_duel_env.games.duel.observation import BLOCK as SEEN
from azul_duel_env.games.duel.observation import (
    IN_PLANES,
    NUM_BESIDE_PLANES,
    NUM_PLANES,
    OBSERVATION_SIZE,
    SPACE_PLANES,
    planes,
)

ALL = [ActionAbstraction(*values) for values in product(*CHOICES.values())]
SOME = random.Random(0).sample(ALL, scaled(32, least=5))
SPLIT = ActionAbstraction(placement="split")


# A second opinion -----------------------------------------------------------------------------
def row_of_dome(state, player, row):
    """Return the six spaces of a row: a letter, "?" where a dome tile is missing, "." where a tile lies."""
    spaces = []
    for column in range(6):
        layout = int(state["domes"][player, row // 2 * 3 + column // 2])
        if layout < 0:
            spaces.append("?")
            continue
        top_left, top_right, bottom_left, bottom_right = DOME_TILES[layout // 4]
        for _ in range(layout % 4):
            top_left, top_right, bottom_left, bottom_right = bottom_left, top_left, bottom_right, top_right
        turned = [[top_left, top_right], [bottom_left, bottom_right]]
        spaces.append("." if state["tiles"][player, row, column] >= 0 else turned[row % 2][column % 2])
    return spaces


def tiles_in(state, source):
    where, colour = SOURCES[source].split()
    colour = COLOURS.index(colour)
    if where != "moons":
        return int(state["suns"][source // 5, colour])
    tops = [[tile for tile in moon if tile >= 0][-1:] for moon in state["moons"].tolist()]
    return int(state["large_moon"][colour]) + tops.count([colour])


def best_fit(position, group):
    state, player = position.states[0], position.player
    tiles = tiles_in(state, group[0] // 7)
    letter = COLOUR_LETTERS[group[0] // 7 % 5]

    def worth(action):
        line = action % 7
        if line == 6:
            return (-1,)
        room = line + 1 - int(state["lines"][player, line])
        takes = any(space in (letter, "W", "?") for space in row_of_dome(state, player, line))
        return int(takes), -max(0, tiles - room), -max(0, room - tiles), line

    return max(group, key=worth)


def fewest_chips(position, group):
    state, player = position.states[0], position.player
    letter = COLOUR_LETTERS[state["line_colours"][player, state["line"]]]

    def cost(action):
        chip = CHIPS[decode(action)[1][0]]
        return letter not in chip, len(chip), action

    return min(group, key=cost)


def useful_on_top(position, group):
    state, player = position.states[0], position.player

    def wanted(action):
        lines = zip(range(1, 7), state["lines"][player], state["line_colours"][player], strict=True)
        return sum(length - held for length, held, colour in lines if held and colour == decode(action)[1][0])

    return min(group, key=lambda action: (wanted(action), action))


def policy(position, abstraction):
    """Return what is done without asking, or None."""
    if position.player < 0:
        return None
    legal = position.legal_actions().tolist()
    blocks = {decode(action)[0] for action in legal}
    state = position.states[0]
    if blocks == {"moon_order"} and abstraction.moon_order == "useful_on_top":
        return useful_on_top(position, legal)
    if "dome_stop" in blocks and abstraction.drawing == "once":
        return encode("dome_stop")
    if blocks == {"dome_choose"} and (
        abstraction.drawing == "once" or (state["kept"] >= 0 and abstraction.return_order == "ascending")
    ):
        return legal[0]
    if blocks == {"tile_column"} and abstraction.columns == "most_points":
        return lowest_best_action(position)
    if "chip_spend" in blocks and abstraction.bonus_chips == "most_points":
        return lowest_best_action(position)
    if "chip_spend" in blocks and abstraction.bonus_chips != "full":
        chips = [action for action in legal if decode(action)[0] == "chip_spend"]
        begun = bool(state["paid_matching"] + state["paid_other"])
        if begun and "chip_decline" in blocks:
            return encode("chip_decline")
        if abstraction.bonus_chips == "always" or begun:
            return fewest_chips(position, chips)
        if abstraction.bonus_chips == "never":
            return encode("chip_decline")
    return None


def asked(position, abstraction, source):
    """Return name -> actions of the game, of all that is asked; ``source`` is the one already chosen, or None."""
    found: dict[str, list[int]] = {}
    for action in position.legal_actions().tolist() if position.player >= 0 else ():
        block, _ = decode(action)
        name = action_name(action)
        if block in ("sun", "moon") and abstraction.placement != "full":
            taken, destination = name.split(" -> ")
            name = taken.replace("B ", "take from ").replace("C ", "take from moons ")
            if source is not None:
                if name != source:
                    continue
                name = f"-> {destination}"
        elif source is not None:
            continue
        if block == "chip_spend" and abstraction.bonus_chips == "whether":
            name = "finish the line with bonus chips"
        found.setdefault(name, []).append(action)
    return found


def meaning(position, abstraction, group):
    """Return the action that an asked one stands for, or None if its destination is asked next."""
    if len(group) == 1:
        return group[0]
    if decode(group[0])[0] == "chip_spend":
        return fewest_chips(position, group)
    return best_fit(position, group) if abstraction.placement == "best_fit" else None


def carry_out(position, action, abstraction):
    while action is not None:
        assert action in position.legal_actions()
        position.step(action)
        action = policy(position, abstraction)


def mask_of(position, abstraction):
    return np.isin(np.arange(abstraction.num_actions), position.abstract_actions(abstraction))


# Against it -----------------------------------------------------------------------------------
@pytest.mark.untraced
@pytest.mark.parametrize("abstraction", SOME, ids=str)
def test_games_are_asked_as_the_second_opinion_says(abstraction):
    rng = random.Random(str(abstraction))
    names = [abstraction.action_name(action) for action in range(abstraction.num_actions)]
    for seed in range(scaled(3)):
        core = GAME.new(seed, **OPTIONS[seed % len(OPTIONS)])
        naive, source = core.copy(), None
        while not core.over:
            due = asked(naive, abstraction, source)
            offered = core.abstract_actions(abstraction).tolist()
            assert offered
            assert sorted(names[action] for action in offered) == sorted(due)
            action = rng.choice(offered)
            meant = meaning(naive, abstraction, due[names[action]])
            if meant is None:
                source = names[action]
            else:
                carry_out(naive, meant, abstraction)
                source = None
            if rng.random() < 0.5:
                assert GAME.abstraction.try_action(core.states, 0, abstraction.record, action)
            else:  # the same in two parts, as recorders do it
                told = GAME.abstraction.to_game_action(core.states, 0, abstraction.record, action)
                assert told == (-1 if meant is None else meant)
                if told >= 0:
                    core.step(told)
                    GAME.abstraction.advance(core.states, 0, abstraction.record)
            held = int(core.states["source"][0])
            assert (f"take from {SOURCES[held]}" if held >= 0 else None) == source
            assert core.check() == []
            core.states["source"] = -1
            assert core == naive
            core.states["source"] = held


@pytest.mark.parametrize("explicit_chance", [False, True])
def test_from_any_state_policies_reach_a_decision_that_is_asked(explicit_chance):
    for position in positions(scaled(300, least=8), first_seed=5, explicit_chance=explicit_chance):
        for abstraction in SOME:
            core, naive = position.copy(), position.copy()
            GAME.abstraction.advance(core.states, 0, abstraction.record)
            carry_out(naive, policy(naive, abstraction), abstraction)
            assert core == naive
            assert GAME.abstraction.next_action(core.states, 0, abstraction.record) == -1
            assert core.check() == []
            assert mask_of(core, abstraction).any() == (core.player >= 0)


def test_what_is_not_asked_is_refused_and_changes_nothing():
    rng = random.Random(0)
    for position in positions(scaled(40, least=3), first_seed=9):
        for abstraction in SOME[:: max(1, len(SOME) // 12)]:
            core = position.copy()
            GAME.abstraction.advance(core.states, 0, abstraction.record)
            mask, before = mask_of(core, abstraction), core.copy()
            for action in [-1, abstraction.num_actions, 10**6, *rng.sample(range(abstraction.num_actions), 10)]:
                if 0 <= action < len(mask) and mask[action]:
                    continue
                assert not GAME.abstraction.try_action(core.states, 0, abstraction.record, action)
                assert core == before


def test_asked_in_full_is_the_game_itself():
    full = ActionAbstraction()
    assert full.blocks == BLOCKS
    assert (full.num_actions, full.observation_size) == (GAME.num_actions, GAME.observation_size)
    assert [full.action_name(action) for action in range(400)] == [action_name(action) for action in range(400)]
    rng = random.Random(0)
    for position in positions(scaled(400, least=10)):
        assert position.abstract_actions(full).tolist() == position.legal_actions().tolist()
        seen = np.empty(full.observation_size, np.float32)
        for player in range(2):
            GAME.abstraction.observe(position.states, 0, full.record, player, seen)
            assert np.array_equal(seen, position.observe(player))
        if position.over:
            continue
        action, one, two = choose(position, rng, "random"), position.copy(), position.copy()
        one.step(action)
        assert GAME.abstraction.try_action(two.states, 0, full.record, action)
        assert one == two


# Tables ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("abstraction", ALL, ids=str)
def test_tables(abstraction):
    first = 0
    for block in abstraction.blocks:
        assert block.first == first
        first += block.size
    assert first == abstraction.num_actions == abstraction.record["num_actions"][0]
    names = [abstraction.action_name(action) for action in range(first)]
    assert len(set(names)) == first
    for action in (-1, first):
        with pytest.raises(ValueError, match=f"0 to {first - 1}"):
            abstraction.action_name(action)
    assert abstraction.observation_size == OBSERVATION_SIZE + (NUM_SOURCES if abstraction.placement == "split" else 0)
    for other in (pickle.loads(pickle.dumps(abstraction)), copy.deepcopy(abstraction)):
        assert other == abstraction
        assert other.record is abstraction.record
    batch = np.zeros((3, abstraction.observation_size), np.float32)
    assert sum(view[0].size for view in abstraction.unflatten(batch).values()) == abstraction.observation_size


@pytest.mark.parametrize("name", CHOICES)
def test_wrong_choices(name):
    with pytest.raises(ValueError, match=f"{name} must be one of full, "):
        ActionAbstraction(**{name: "sometimes"})


# A source that waits for its destination ------------------------------------------------------
def pending(count):
    """Yield positions in which a source has been chosen, with the position before."""
    rng = random.Random(1)
    for position in positions(10**9, first_seed=2):
        sources = [action for action in position.abstract_actions(SPLIT) if action < NUM_SOURCES]
        if not sources:
            continue
        core = position.copy()
        assert GAME.abstraction.try_action(core.states, 0, SPLIT.record, rng.choice(sources))
        if core.states["source"][0] >= 0:
            yield position, core
            count -= 1
        if count == 0:
            return


def seen_split(position, player):
    seen = np.empty(SPLIT.observation_size, np.float32)
    GAME.abstraction.observe(position.states, 0, SPLIT.record, player, seen)
    return seen


def test_the_mover_sees_the_source_and_nobody_else():
    for before, core in pending(scaled(100, least=3)):
        mover, source = core.player, int(core.states["source"][0])
        assert core.player == before.player
        assert np.flatnonzero(SPLIT.unflatten(seen_split(core, mover))["source"]).tolist() == [source]
        assert np.array_equal(seen_split(core, 1 - mover), seen_split(before, 1 - mover))
        assert not seen_split(before, mover)[OBSERVATION_SIZE:].any()
        assert "pattern line" in GAME.text.decision_name(core.states, 0)


def test_the_mask_is_a_function_of_the_observation():
    rng, masks = random.Random(3), {}
    for seed in range(scaled(10)):
        core = GAME.new(seed % 3)  # the same openings several times
        while not core.over:
            key = seen_split(core, core.player).tobytes()
            mask = mask_of(core, SPLIT).tobytes()
            assert masks.setdefault(key, mask) == mask
            assert GAME.abstraction.try_action(core.states, 0, SPLIT.record, rng.choice(core.abstract_actions(SPLIT)))


def test_text_keeps_the_source():
    for _, core in pending(scaled(60, least=3)):
        text = core.to_text()
        assert f"source: {SOURCES[core.states['source'][0]]}" in text
        assert GAME.read_position(text) == core


def test_a_wrong_source_is_named():
    checked = 0
    for position in positions(scaled(200, least=10), first_seed=4):
        allowed = set() if position.over else {action // 7 for action in position.legal_actions() if action < 210}
        for source in range(NUM_SOURCES):
            wrong = position.copy()
            wrong.states["source"] = source
            assert (wrong.check() == []) == (source in allowed)
            checked += source not in allowed
    assert checked > 10
    position.states["source"] = NUM_SOURCES
    assert "source" in position.check()[0]


def test_a_source_asks_for_its_destinations_only_and_the_game_forgets_it():
    for before, core in pending(scaled(50, least=2)):
        names = {SPLIT.action_name(action) for action in core.abstract_actions(SPLIT)}
        assert names
        assert all(name.startswith("-> ") for name in names)
        other = core.copy()
        other.step(int(other.legal_actions()[-1]))  # the game itself allows any action
        assert other.states["source"][0] == -1
        plain = before.copy()
        plain.step(int(plain.legal_actions()[-1]))
        assert plain == other


# Planes ---------------------------------------------------------------------------------------
def test_planes_hold_the_boards_and_the_vector_the_rest():
    seen = []
    for position in positions(scaled(100, least=10), first_seed=8):
        seen.append(position.observe(max(0, position.player)))
        boards, vector = planes(seen[-1])
        assert (boards.shape, boards.dtype) == ((NUM_PLANES, 6, 6), np.float32)
        assert (vector.shape, vector.dtype) == ((NUM_BESIDE_PLANES,), np.float32)
        views = GAME.text.unflatten(seen[-1])
        domes = 2 * len(SPACE_PLANES)
        assert np.array_equal(boards[:domes].reshape(views["domes"].shape), views["domes"])
        lines = boards[domes:].reshape(2, 5, 6, 6)
        for seat, line in product(range(2), range(6)):
            tiles = round(float(views["lines"][seat, line]) * (line + 1))
            for colour, at in product(range(5), range(6)):
                filled = views["line_colours"][seat, line, colour] == 1 and at >= 6 - tiles
                assert lines[seat, colour, line, at] == filled
        rest = [views[name].ravel() for name in SEEN if name not in IN_PLANES]
        assert np.array_equal(vector, np.concatenate(rest))
    batch_boards, batch_vectors = planes(np.array(seen))
    assert np.array_equal(batch_boards[-1], boards)
    assert np.array_equal(batch_vectors[-1], vector)
    assert SPLIT.planes(np.zeros(SPLIT.observation_size, np.float32))[1].shape == (NUM_BESIDE_PLANES + NUM_SOURCES,)


def test_positions_know_what_is_asked():
    position = Position(GAME, GAME.new_states([1]))
    assert "take from" not in position.why_illegal(5)
    assert position.why_illegal(0, SPLIT).count("display 1") > 1
    assert "take from small-1 blue" in position.why_illegal(0, SPLIT)
