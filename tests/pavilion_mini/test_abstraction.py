"""What is asked of the Mini's players and what policies do, against a second opinion written from the words of ``CHOICES`` alone."""

from __future__ import annotations

import copy
import pickle
import random
from itertools import product

import numpy as np
import pytest
from mini import game_of, options_for, positions
from sizes import scaled

from azul_duel_env.arena.external_agents import ExternalAgent
from azul_duel_env.games.pavilion_mini.abstraction import ABSTRACTIONS, CHOICES, MAX_ASKED, list_abstract
from azul_duel_env.games.pavilion_mini.actions import BLOCKS, SPACE_NAMES, action_name, decode, encode
from azul_duel_env.games.pavilion_mini.components import COLOURS, EMPTY, PLAYER_COUNTS, SPACE_NUMBER
from azul_duel_env.games.pavilion_mini.state import BONUS, DISCARD, PAY, PLACE
from azul_duel_env.jit import entry

ALL = list(product(*CHOICES.values()))
RICHEST = ("split", "with_placement", "full", "full")
SOME = [ALL[k] for k in sorted({ALL.index(RICHEST), *random.Random(0).sample(range(len(ALL)), scaled(32, least=3))})]
CASES = [(PLAYER_COUNTS[k % 3], values) for k, values in enumerate(SOME)]
NAMES = ["-".join(map(str, (n, *values))) for n, values in CASES]


def made(num_players, values):
    return ABSTRACTIONS[num_players](*values)


def split(num_players, payment="full"):
    return ABSTRACTIONS[num_players]("split", payment)


@entry
def list_asked(states, i, abstraction, legal, asked):
    return list_abstract(states[i], abstraction[0], legal, len(legal), asked)


# A second opinion -----------------------------------------------------------------------------
def wild_of(state, ahead=0):
    """Return the colour that is wild in this round, or so many rounds ahead; None after the last."""
    order, at = state["wild_order"].tolist(), int(state["round_number"]) - 1 + ahead
    return order[at] if at < 6 else None


def payments(state, space, colour):
    """Return the numbers of wild tiles with which a placement can be paid for."""
    number = int(SPACE_NUMBER[state["grey"], space])
    hand, wild = state["hands"][state["active"]].tolist(), wild_of(state)
    if colour == wild:
        return [0]
    return [k for k in range(number) if k <= hand[wild] and number - k <= hand[colour]]


def first_of_the_best(piles, lowest, wanted, key):
    """Return the lowest colour of the ``wanted`` tiles that come first by a key."""
    tiles = [colour for colour in range(int(lowest), 6) for _ in range(int(piles[colour]))]
    return min(sorted(tiles, key=key)[:wanted])


def most_useful(state):
    hand = state["hands"][state["active"]]
    key = lambda c: (c != wild_of(state), -hand[c], c)  # noqa: E731
    return first_of_the_best(state["supply"], state["lowest"], int(state["owed"]), key)


def least_useful(state):
    """Return the action that throws a tile, or passes."""
    hand = state["hands"][state["active"]]
    excess = int(hand.sum()) - 4
    if excess <= 0 or state["round_number"] == 6:
        return encode("pass")
    key = lambda c: (c == wild_of(state, 1), hand[c], c)  # noqa: E731
    return encode("discard", first_of_the_best(hand, state["lowest"], excess, key))


def policy(position, abstraction, wilds=None):
    """Return what is done without asking, or None; ``wilds``: the payment that was asked with the placement."""
    state, legal = position.states[0], position.legal_actions().tolist()
    if position.player < 0:
        return None
    if state["stage"] == PAY:
        if abstraction.payment == "with_placement":
            return None if wilds is None else encode("pay", wilds)
        keeps = abstraction.payment == "keep_next_wild" and state["colour"] == wild_of(state, 1)
        return {"full": None, "fewest_wilds": legal[0]}.get(abstraction.payment, legal[-1] if keeps else legal[0])
    if state["stage"] == BONUS and abstraction.bonus == "most_useful":
        return encode("bonus", most_useful(state))
    if state["stage"] == DISCARD and abstraction.discards == "least_useful":
        return least_useful(state)
    return None


def asked(position, abstraction, space):
    """Return name -> (actions of the game, payment or None) of all that is asked; ``space`` is the one already chosen, or None."""
    found: dict[str, tuple[list[int], int | None]] = {}
    state = position.states[0]
    paid = abstraction.payment == "with_placement"
    for action in position.legal_actions().tolist() if position.player >= 0 else ():
        block, at = decode(action)
        names = {action_name(action): None}
        if block == "place":
            colour, where = f"place {COLOURS[at[1]]}", SPACE_NAMES[at[0]]
            ways = payments(state, *at)
            if abstraction.placement == "split":
                names = {f"place on {where}": None} if space is None else {colour: None} if where == space else {}
            if paid and (space is not None or abstraction.placement == "full"):
                names = {f"{name}, pay {k} wild": k for name, k in product(names, ways)}
        elif space is not None:
            continue
        elif block == "pay" and paid:
            placed = f"place {COLOURS[state['colour']]}"
            on = f" -> {SPACE_NAMES[state['space']]}" if abstraction.placement == "full" else ""
            names = {f"{placed}{on}, pay {at[0]} wild": None}
        elif block == "discard" and abstraction.discards == "least_useful":
            names = {"pass": None}
        for name, wilds in names.items():
            found.setdefault(name, ([], wilds))[0].append(action)
    return found


def meaning(position, abstraction, name, due):
    """Return the action that an asked one stands for, or None if its colour is asked next; and the payment that it tells."""
    group, wilds = due[name]
    if name == "pass":
        return least_useful(position.states[0]) if abstraction.discards == "least_useful" else group[0], None
    if name.startswith("place on "):
        ways = sum(len(payments(position.states[0], *decode(action)[1])) for action in group)
        paid = abstraction.payment == "with_placement"
        return (None if (ways if paid else len(group)) > 1 else group[0]), None
    assert len(group) == 1
    return group[0], wilds


def carry_out(position, action, abstraction, wilds):
    while action is not None:
        assert action in position.legal_actions()
        position.step(action)
        action = policy(position, abstraction, wilds)
        wilds = None


def assert_same_but_for_memory(core, naive, space):
    """Nothing differs but the space that was chosen, which only the core remembers."""
    held = int(core.states["space"][0])
    if core.states["stage"][0] == PLACE:
        assert (SPACE_NAMES[held] if held >= 0 else None) == space
        core.states["space"] = EMPTY
    assert core == naive
    core.states["space"] = held


# Against it -----------------------------------------------------------------------------------
@pytest.mark.untraced
@pytest.mark.parametrize(("num_players", "values"), CASES, ids=NAMES)
def test_games_are_asked_as_the_second_opinion_says(num_players, values):
    game, abstraction = game_of(num_players), made(num_players, values)
    rng = random.Random(str(abstraction))
    names = [abstraction.action_name(action) for action in range(abstraction.num_actions)]
    for seed in range(scaled(4)):
        core = game.new(seed, **options_for(seed + len(values[1])))
        naive, space = core.copy(), None
        while not core.over:
            due = asked(naive, abstraction, space)
            offered = core.abstract_actions(abstraction).tolist()
            assert offered
            assert sorted(names[action] for action in offered) == sorted(due)
            action = rng.choice(offered)
            meant, wilds = meaning(naive, abstraction, names[action], due)
            if meant is None:
                space = names[action].removeprefix("place on ")
            else:
                carry_out(naive, meant, abstraction, wilds)
                space = None
            if rng.random() < 0.5:
                assert game.abstraction.try_action(core.states, 0, abstraction.record, action)
            else:  # the same in two parts, as recorders do it
                told = game.abstraction.to_game_action(core.states, 0, abstraction.record, action)
                assert told == (-1 if meant is None else meant)
                assert core.check() == []
                if told >= 0:
                    core.step(told)
                    game.abstraction.advance(core.states, 0, abstraction.record)
            assert core.check() == []
            assert_same_but_for_memory(core, naive, space)


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
@pytest.mark.parametrize("explicit_chance", [False, True])
def test_from_any_state_policies_reach_a_decision_that_is_asked(num_players, explicit_chance):
    game = game_of(num_players)
    for position in positions(scaled(300, least=12), num_players, first_seed=5, explicit_chance=explicit_chance):
        for values in SOME:
            abstraction = made(num_players, values)
            core, naive = position.copy(), position.copy()
            assert not game.abstraction.unasked_rows(core.states, abstraction.record).size
            game.abstraction.advance(core.states, 0, abstraction.record)
            carry_out(naive, policy(naive, abstraction), abstraction, None)
            assert core == naive
            assert game.abstraction.next_action(core.states, 0, abstraction.record) == -1
            assert (core.abstract_actions(abstraction).size > 0) == (core.player >= 0)


@pytest.mark.parametrize(("num_players", "values"), CASES[::4])
def test_what_is_not_asked_is_refused_and_changes_nothing(num_players, values):
    game, abstraction, rng = game_of(num_players), made(num_players, values), random.Random(0)
    for position in positions(scaled(60, least=5), num_players, first_seed=9):
        core = position.copy()
        game.abstraction.advance(core.states, 0, abstraction.record)
        legal, before = set(core.abstract_actions(abstraction).tolist()), core.copy()
        for action in [-1, abstraction.num_actions, 10**6, *rng.sample(range(abstraction.num_actions), 30)]:
            if action not in legal:
                assert not game.abstraction.try_action(core.states, 0, abstraction.record, action)
                assert core == before


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_asked_in_full_is_the_game_itself(num_players):
    game = game_of(num_players)
    full = game.make_abstraction()
    assert full.blocks == BLOCKS
    assert (full.num_actions, full.observation_size) == (game.num_actions, game.observation_size)
    assert [full.action_name(a) for a in range(full.num_actions)] == [action_name(a) for a in range(full.num_actions)]
    rng = random.Random(0)
    for position in positions(scaled(400, least=10), num_players):
        assert position.abstract_actions(full).tolist() == position.legal_actions().tolist()
        seen = np.empty(full.observation_size, np.float32)
        for player in range(num_players):
            game.abstraction.observe(position.states, 0, full.record, player, seen)
            assert np.array_equal(seen, position.observe(player))
        if not position.over:
            action, one, two = rng.choice(position.legal_actions().tolist()), position.copy(), position.copy()
            one.step(action)
            assert game.abstraction.try_action(two.states, 0, full.record, action)
            assert one == two


def test_there_is_room_for_all_that_can_be_asked():
    """On an empty grey board and with more in hand than any game brings."""
    position = game_of(2).new(1, board="grey")
    position.states["hands"], position.states["stage"] = 20, PLACE
    abstraction = ABSTRACTIONS[2](payment="with_placement")
    count = position.abstract_actions(abstraction).size
    assert MAX_ASKED > count == sum(5 * number + 1 for number in SPACE_NUMBER[1].tolist()) + 1 == 763  # E39
    listed, legal = np.zeros(MAX_ASKED, np.int16), position.legal_actions()
    found = list_asked(position.states, 0, abstraction.record, legal, listed)
    assert listed[:found].tolist() == position.abstract_actions(abstraction).tolist()


# Tables ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("values", ALL, ids="-".join)
def test_tables(values):
    for abstraction in (made(num_players, values) for num_players in PLAYER_COUNTS):
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
        assert abstraction.observation_size == game_of(abstraction.num_players).observation_size
        for other in (pickle.loads(pickle.dumps(abstraction)), copy.deepcopy(abstraction)):
            assert other == abstraction
            assert other.record is abstraction.record
        batch = np.zeros((3, abstraction.observation_size), np.float32)
        assert sum(view[0].size for view in abstraction.unflatten(batch).values()) == abstraction.observation_size
    assert made(2, values) != made(3, values)


@pytest.mark.parametrize(
    ("choices", "num_actions"),
    [
        ({}, 331),
        ({"placement": "split"}, 331 - 252 + 42 + 6),
        ({"payment": "with_placement"}, 331 - 252 - 6 + 1512),
        ({"placement": "split", "payment": "with_placement"}, 331 - 252 - 6 + 42 + 36),
        ({"payment": "fewest_wilds", "bonus": "most_useful", "discards": "least_useful"}, 331 - 18),
    ],
)
def test_sizes(choices, num_actions):
    assert ABSTRACTIONS[4](**choices).num_actions == num_actions


@pytest.mark.parametrize("name", CHOICES)
def test_wrong_choices(name):
    with pytest.raises(ValueError, match=f"{name} must be one of full, "):
        ABSTRACTIONS[3](**{name: "sometimes"})


# A space that waits for its colour ------------------------------------------------------------
def pending(count, num_players):
    """Yield positions in which a space has been chosen, with the position before."""
    rng, abstraction = random.Random(1), split(num_players)
    for position in positions(10**9, num_players, first_seed=1):
        if position.over or position.states["stage"][0] != PLACE:
            continue
        core = position.copy()
        action = rng.choice(core.abstract_actions(abstraction).tolist())
        assert core.game.abstraction.try_action(core.states, 0, abstraction.record, action)
        if core.states["space"][0] >= 0 and core.states["stage"][0] == PLACE:
            yield position, core
            count -= 1
        if count == 0:
            return


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_all_see_the_space_and_the_game_forgets_it(num_players):
    for before, core in pending(scaled(60, least=3), num_players):
        space = int(core.states["space"][0])
        assert core.player == before.player
        for viewer in range(num_players):
            named = core.game.text.unflatten(core.observe(viewer))
            assert np.flatnonzero(named["chosen_space"]).tolist() == [space]
            assert not named["chosen_colour"].any()
            named["chosen_space"][:] = 0
            assert all(
                np.array_equal(a, b)
                for a, b in zip(named.values(), core.game.text.unflatten(before.observe(viewer)).values(), strict=True)
            )
        assert core.game.text.decision_name(core.states, 0) == f"the colour to place on {SPACE_NAMES[space]}"
        names = [split(num_players).action_name(action) for action in core.abstract_actions(split(num_players))]
        assert len(names) > 1
        assert {name.removeprefix("place ") for name in names} <= set(COLOURS)
        for action in before.legal_actions()[[0, -1]]:  # the game itself allows any action
            plain, other = before.copy(), core.copy()
            plain.step(int(action))
            other.step(int(action))
            assert plain == other


def test_text_keeps_the_space():
    for _, core in pending(scaled(30, least=3), 3):
        assert core.game.read_position(core.to_text()) == core


def test_who_is_not_asked_in_parts_refuses_a_state_with_a_chosen_space():
    _, core = next(pending(1, 2))
    unasked = core.game.abstraction.unasked_rows
    assert unasked(core.states, split(2).record).tolist() == []
    for values in (("full",), ("full", "with_placement")):
        assert unasked(core.states, made(2, values).record).tolist() == [0]


# A payment that waits for its placement -------------------------------------------------------
def with_choice_of_payment(num_players, seed):
    """Return a position in which a player can place and pay in several ways, and an asked action that tells the highest payment."""
    abstraction = ABSTRACTIONS[num_players](payment="with_placement")
    for position in positions(10**9, num_players, first_seed=seed):
        if position.states["stage"][0] == PLACE:
            for action in position.abstract_actions(abstraction)[::-1]:
                name = abstraction.action_name(int(action))
                if "pay" in name and "pay 0" not in name:
                    return position.copy(), abstraction, int(action)
    raise AssertionError


def test_a_payment_is_for_the_placement_that_it_was_told_with():
    position, abstraction, action = with_choice_of_payment(3, 4)
    other = position.copy()
    told = position.game.abstraction.to_game_action(position.states, 0, abstraction.record, action)
    assert position.states["wilds"][0] > 0
    for different in other.legal_actions().tolist():
        if different != told:
            one, two = position.copy(), other.copy()
            one.step(different)
            two.step(different)
            assert one == two


@pytest.mark.parametrize("placement", ["full", "split"])
def test_a_payment_that_is_due_is_asked_by_the_same_actions(placement):
    """An agent outside that keeps nothing between two actions of the game is asked once more."""
    checked = 0
    abstraction = ABSTRACTIONS[2](placement, "with_placement")
    for position in positions(scaled(2000, least=150), 2, first_seed=2):
        if position.states["stage"][0] == PAY:
            names = [abstraction.action_name(action) for action in position.abstract_actions(abstraction)]
            assert len(names) == position.legal_actions().size
            assert all(name.startswith(f"place {COLOURS[position.states['colour'][0]]}") for name in names)
            checked += 1
    assert checked > 2


@pytest.mark.parametrize("values", [("full", "with_placement"), ("split", "with_placement"), ("split", "full")])
def test_agents_outside_play_whole_games(values):
    position, rng = game_of(3).new(5, board="grey"), np.random.default_rng(1)

    def answer(observation, mask):
        assert observation.shape == (position.game.observation_size,)
        return int(rng.choice(np.flatnonzero(mask)))

    agent = ExternalAgent("tests", answer, made(3, values))
    while not position.over and position.decisions < scaled(1000, least=60):
        position.step(agent.act(position, np.uint64(0)))


# Policies, by hand ----------------------------------------------------------------------------
def built(stage, hand, supply=(0,) * 6, owed=0, round_number=1, lowest=0):
    position = game_of(2).new(1, first_player=0)
    states = position.states
    states["stage"], states["round_number"], states["owed"], states["lowest"] = stage, round_number, owed, lowest
    states["hands"][0, 0], states["supply"][0] = hand, supply
    return position


def chosen(position, **choices):
    action = position.game.abstraction.next_action(position.states, 0, ABSTRACTIONS[2](**choices).record)
    return action_name(int(action))


@pytest.mark.parametrize(
    ("hand", "supply", "owed", "round_number", "lowest", "taken"),
    [
        ((0, 0, 0, 0, 0, 5), (2, 2, 2, 2, 2, 0), 1, 1, 0, "bonus purple"),  # wild
        ((0, 0, 0, 0, 3, 5), (0, 2, 2, 2, 2, 2), 1, 1, 0, "bonus red"),  # most in hand
        ((0, 0, 0, 0, 3, 5), (0, 2, 2, 2, 2, 1), 2, 1, 0, "bonus blue"),  # red and blue: blue comes first
        ((0, 0, 4, 4, 0, 0), (0, 2, 2, 2, 2, 2), 1, 1, 0, "bonus orange"),  # alike: the first
        ((9, 0, 0, 0, 0, 0), (3, 3, 0, 0, 0, 3), 3, 2, 0, "bonus green"),  # green is wild now, purple no more
        ((9, 0, 0, 0, 0, 0), (3, 1, 0, 0, 0, 3), 2, 2, 0, "bonus purple"),
        ((9, 0, 0, 0, 1, 0), (3, 1, 0, 0, 2, 3), 1, 3, 2, "bonus blue"),  # purple and green may come no more
    ],
)
def test_the_most_useful_tile(hand, supply, owed, round_number, lowest, taken):
    assert chosen(built(BONUS, hand, supply, owed, round_number, lowest), bonus="most_useful") == taken


@pytest.mark.parametrize(
    ("hand", "round_number", "lowest", "thrown"),
    [
        ((3, 0, 0, 0, 2, 1), 1, 0, "discard blue"),  # two: the red one and a blue one
        ((3, 0, 0, 0, 1, 1), 1, 0, "discard blue"),
        ((4, 1, 0, 0, 0, 0), 1, 0, "discard purple"),  # green is wild in round 2
        ((4, 1, 0, 0, 0, 0), 2, 0, "discard green"),
        ((2, 2, 2, 0, 0, 0), 5, 0, "discard purple"),
        ((1, 0, 0, 0, 3, 2), 1, 4, "discard red"),  # the purple one may be thrown no more
        ((1, 1, 1, 1, 0, 0), 1, 0, "pass"),
        ((9, 1, 1, 1, 0, 0), 6, 0, "pass"),
    ],
)
def test_the_least_useful_tile(hand, round_number, lowest, thrown):
    position = built(DISCARD, hand, round_number=round_number, lowest=lowest)
    position.states["keep_any"] = 1
    if round_number < 6:  # in round 6 nothing is asked once somebody has passed
        assert chosen(position, discards="least_useful") == thrown
    if lowest == 0:
        position.states["stage"] = PLACE
        abstraction = ABSTRACTIONS[2](discards="least_useful")
        asked_action = [a for a in position.abstract_actions(abstraction) if abstraction.action_name(a) == "pass"]
        meant = position.game.abstraction.to_game_action(position.states, 0, abstraction.record, *asked_action)
        assert action_name(int(meant)) == thrown


@pytest.mark.parametrize(
    ("colour", "round_number", "fewest", "keeping"),
    [("red", 1, 1, 1), ("green", 1, 1, 3), ("orange", 2, 1, 3), ("green", 3, 1, 1), ("green", 6, 1, 1)],
)
def test_payments_without_asking(colour, round_number, fewest, keeping):
    """A 5 with four tiles of the colour and three wild ones."""
    position = built(PAY, (0,) * 6, round_number=round_number)
    states, c = position.states, COLOURS.index(colour)
    states["hands"][0, 0, c], states["hands"][0, 0, round_number - 1] = 4, 3
    states["space"], states["colour"] = SPACE_NAMES.index(f"{colour} 5"), c
    assert chosen(position, payment="fewest_wilds") == f"pay {fewest} wild"
    assert chosen(position, payment="keep_next_wild") == f"pay {keeping} wild"


# Planes and advice ----------------------------------------------------------------------------
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_planes_hold_the_boards_and_the_vector_the_rest(num_players):
    abstraction, seen = split(num_players), []
    for position in positions(scaled(200, least=20), num_players, first_seed=8):
        seen.append(position.observe(max(0, position.player)))
        boards, vector = abstraction.planes(seen[-1])
        assert (boards.shape, boards.dtype) == ((6 * num_players, 7, 6), np.float32)
        assert (vector.shape, vector.dtype) == ((position.game.observation_size - 252 * num_players,), np.float32)
        for seat, colour in product(range(num_players), range(6)):
            board = position.states["boards"][0, (max(0, position.player) + seat) % num_players]
            assert np.array_equal(boards[6 * seat + colour].ravel(), board == colour)
        rest = [part.ravel() for name, part in abstraction.unflatten(seen[-1]).items() if name != "boards"]
        assert np.array_equal(vector, np.concatenate(rest))
    batch_boards, batch_vectors = abstraction.planes(np.array(seen))
    assert np.array_equal(batch_boards[-1], boards)
    assert np.array_equal(batch_vectors[-1], vector)
    advised = np.zeros(abstraction.observation_size + 9, np.float32)
    assert abstraction.planes(advised)[1].size == vector.size + 9


def test_advice_rates_each_payment_of_a_placement():
    abstraction = ABSTRACTIONS[2](payment="with_placement")
    size = abstraction.observation_size
    observation, rated = np.zeros(size + abstraction.num_actions, np.float32), 0
    for position in positions(scaled(300, least=20), 2, first_seed=1):
        if position.over:
            continue
        position.game.kernel("rows").advise(position.states, 0, abstraction.record, observation)
        asked_now = position.abstract_actions(abstraction)
        assert np.array_equal(np.flatnonzero(observation[size:]), asked_now)
        assert observation[size:].max() == 1
        rated += len(asked_now) > len(position.legal_actions())
    assert rated > 0
