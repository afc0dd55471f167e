"""Events of Azul Summer Pavilion Mini tell all that a step does: from them alone a table is kept that stays equal to the state."""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import fields

import mini
import numpy as np
import pytest
from sizes import scaled

from azul_duel_env.arena import play_match
from azul_duel_env.arena.statistics import statistics_of
from azul_duel_env.game import NOBODY, Event
from azul_duel_env.games.pavilion_mini import events
from azul_duel_env.games.pavilion_mini.actions import SOURCE_NAMES, SPACE_NAMES, parse_action
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    EMPTY,
    NUM_COLOURS,
    NUM_SPACES,
    START_SCORE,
    TILES_PER_COLOUR,
    num_factories,
)
from azul_duel_env.games.pavilion_mini.events import EVENT_KINDS
from azul_duel_env.games.pavilion_mini.score_breakdown import (
    BONUSES,
    SOURCES,
    STARS_AND_NUMBERS,
    bonus_points,
    carry_out_booked,
)
from azul_duel_env.games.pavilion_mini.state import IN_CENTRE, PLACE

COLOUR = {name: colour for colour, name in enumerate(COLOURS)}
SOURCE = {name: source for source, name in enumerate(SOURCE_NAMES)}
BRINGS = {"pillar": 1, "statue": 2, "window": 3}
OPTIONS = ({}, {"keep": "any"}, {"wild_order": tuple(reversed(COLOURS)), "first_player": 1})


# A table kept by events alone -----------------------------------------------------------------
class Table:
    """What lies where, as an importer would keep it: it knows the box and what events say, and no rule."""

    def __init__(self, num_players):
        self.scores = [START_SCORE] * num_players
        self.bag = np.full(NUM_COLOURS, TILES_PER_COLOUR)
        self.deposit, self.supply, self.centre = (np.zeros(NUM_COLOURS, int) for _ in range(3))
        self.factories = np.zeros((num_factories(num_players), NUM_COLOURS), int)
        self.hands = np.zeros((num_players, NUM_COLOURS), int)
        self.boards = np.full((num_players, NUM_SPACES), EMPTY)
        self.passed = np.zeros(num_players, int)
        self.token, self.first_player, self.round_number, self.wild = IN_CENTRE, NOBODY, 0, None
        self.owed, self.brought, self.placing, self.winners = 0, 0, False, None

    def add(self, event):
        getattr(self, f"on_{event.kind}")(event, event.player)
        if event.points:
            self.scores[event.player] += event.points

    def equals(self, position):
        s = position.states[0]
        assert list(position.scores) == self.scores
        for name in ("bag", "deposit", "supply", "centre", "factories", "hands", "boards", "passed"):
            assert np.array_equal(s[name], getattr(self, name)), name
        for name in ("token", "round_number", "owed"):
            assert s[name] == getattr(self, name), name
        if self.first_player != NOBODY or self.round_number:
            assert s.first_player == self.first_player
        if position.player != NOBODY:
            assert self.placing == (s.stage >= PLACE)
            assert COLOURS[s.wild_order[s.round_number - 1]] == self.wild
        assert (self.winners is not None) == position.over
        if position.over:
            assert self.winners == tuple(position.winners)

    def source(self, name):
        return self.centre if name == "centre" else self.factories[SOURCE[name]]

    def on_first_player(self, _, player):
        assert self.round_number == 0
        self.first_player = player

    def on_round_begins(self, e, player):
        assert e.round_number == self.round_number + 1
        assert self.first_player in (player, NOBODY)
        self.first_player, self.round_number, self.wild = player, e.round_number, e.wild_colour

    def on_placing_begins(self, _, player):
        assert player == (self.first_player if self.token == IN_CENTRE else self.token)
        assert self.centre.sum() + self.factories.sum() == 0
        self.placing = True

    def on_round_over(self, e, player):
        assert self.passed.all()
        assert e.round_number == self.round_number
        self.passed[:], self.token, self.first_player, self.placing = 0, IN_CENTRE, player, False

    def on_tiles_taken(self, e, player):
        tiles = self.source(e.source)
        for colour, count in ((e.colour, e.count), (self.wild, e.wild_tiles)):
            tiles[COLOUR[colour]] -= count
            self.hands[player, COLOUR[colour]] += count

    def on_tiles_left(self, e, _):
        assert list(e.tiles) == self.source(e.source).tolist()
        self.source(e.source)[:] = 0
        self.centre += e.tiles

    def on_token_taken(self, e, player):
        assert self.token == IN_CENTRE
        assert e.points == -min(e.due, self.scores[player])  # S15, S17
        self.token = player

    def on_tile_placed(self, e, player):
        assert self.boards[player, mini.space_of(e.space)] == EMPTY
        self.boards[player, mini.space_of(e.space)] = COLOUR[e.colour]
        for colour, count, placed in ((e.colour, e.count, 1), (self.wild, e.wild_tiles, 0)):
            self.hands[player, COLOUR[colour]] -= count
            self.deposit[COLOUR[colour]] += count - placed

    def on_structure_closed(self, e, _):
        assert e.brings == BRINGS[e.structure]
        self.brought += e.brings

    def on_tiles_owed(self, e, _):
        assert e.count == min(self.brought, self.supply.sum()) > 0
        self.owed, self.brought = e.count, 0

    def on_bonus_taken(self, e, player):
        self.supply[COLOUR[e.colour]] -= 1
        self.hands[player, COLOUR[e.colour]] += 1
        self.owed -= 1

    def on_passed(self, _, player):
        assert not self.passed[player]
        self.passed[player] = 1

    def on_tiles_thrown(self, e, player):
        assert e.points == -min(sum(e.tiles), self.scores[player])  # SR2
        assert self.passed[player]
        self.hands[player] -= e.tiles
        self.deposit += e.tiles

    def on_tiles_kept(self, e, player):
        assert list(e.tiles) == self.hands[player].tolist()
        assert 0 < sum(e.tiles) <= 4  # S29

    def on_tile_drawn(self, e, _):
        self.bag[COLOUR[e.colour]] -= 1
        (self.supply if e.target == "supply" else self.factories[SOURCE[e.target]])[COLOUR[e.colour]] += 1

    def on_factory_filled(self, e, _):
        assert list(e.tiles) == self.source(e.source).tolist()

    def on_bag_refilled(self, e, _):
        assert self.bag.sum() == 0
        assert list(e.tiles) == self.deposit.tolist()
        self.bag += e.tiles
        self.deposit[:] = 0

    def on_star_scored(self, e, player):
        star = [colour for colour, name in zip(self.boards[player], SPACE_NAMES, strict=True) if e.star in name]
        assert EMPTY not in star
        assert len(set(star)) == (NUM_COLOURS if e.star_kind == "multicoloured" else 1)
        assert e.star_kind in (COLOURS[star[0]], "multicoloured")
        assert (
            e.points == {"multicoloured": 12, **dict(zip(COLOURS, (20, 18, 17, 16, 15, 14), strict=True))}[e.star_kind]
        )

    def on_number_scored(self, e, _):
        assert e.points == 4 * e.number

    def on_game_over(self, e, player):
        assert player == (e.winners[0] if len(e.winners) == 1 else NOBODY)
        self.winners = e.winners


# Games ----------------------------------------------------------------------------------------
def steps(game, seed, options, policy):
    """Yield, for a game's setup and each step, the position before it (None at first), the position after it, and its events.

    The positions are the same object all the time but for the one before. A step is an action or, with explicit chance, a draw.
    """
    rng = random.Random(seed)
    states = game.rules.initial_states([seed], game.make_options(**options))
    position = game.new(seed, **options)
    yield None, position, game.events.events_of_setup(states, 0)
    while not position.over:
        before = position.copy()
        if position.chance_is_due:
            outcome = game.rules.draw_chance(position.states, 0)
            drawn = position.copy()  # the generator has moved on
            happened = position.outcome_events(outcome)
            assert position == drawn
            position.apply_chance(outcome)
        else:
            action = mini.PLAYERS[policy](position, rng)
            happened = position.events(action)
            assert position == before
            position.step(action)
        yield before, position, happened


def all_games(per_variant, **options):
    """Yield, for each variant, games with their seeds, options and policies: in two games both policies and both modes of chance."""
    for place, (num_players, board) in enumerate(mini.VARIANTS):
        for seed in range(per_variant):
            explicit = (seed + seed // 2 + place) % 2 == 1
            chosen = OPTIONS[seed % len(OPTIONS)] | {"board": board, "explicit_chance": explicit} | options
            yield mini.game_of(num_players), seed, chosen, tuple(mini.PLAYERS)[seed % 2]


@pytest.mark.untraced
def test_a_table_kept_by_events_alone_stays_equal_to_the_state():
    kinds = set()
    for game, seed, options, policy in all_games(scaled(8, least=2)):
        table = Table(game.num_players)
        for _, position, happened in steps(game, seed, options, policy):
            for event in happened:
                table.add(event)
            table.equals(position)
            kinds |= {event.kind for event in happened}
    assert kinds == set(EVENT_KINDS)


@pytest.mark.untraced
def test_explicit_chance_tells_the_same_piece_by_piece():
    for game, seed, options, policy in all_games(scaled(2)):
        by_itself, explicit = (
            [
                event
                for _, _, happened in steps(game, seed, options | {"explicit_chance": on}, policy)
                for event in happened
            ]
            for on in (False, True)
        )
        assert by_itself == explicit


def test_a_draw_says_first_where_it_lands():
    seen = set()
    game = mini.game_of(4)
    for before, _, happened in steps(game, 1, {"explicit_chance": True}, "sensible"):
        if before is not None and before.chance_is_due:
            drawn = game.text.decision_name(before.states, 0).removeprefix("draw of the ")
            assert happened[0].kind == {"tile": "tile_drawn", "first player": "first_player"}[drawn]
            seen.add(getattr(happened[0], "target", drawn))
    assert seen == {"first player", "supply", *SOURCE_NAMES[:-1]}


# Single steps ---------------------------------------------------------------------------------
def happenings(position, name):
    """Return the events of a named action that concern player 0."""
    return [event for event in position.events(parse_action(name)) if event.player == 0]


def test_t1_t2_what_is_left_on_a_factory_goes_to_the_centre():
    position = mini.table(factories=("G P2 Y",))
    assert position.events(parse_action("take factory 1 green")) == [
        events.TilesTaken(player=0, source="factory 1", colour="green", count=1, wild_tiles=1),
        events.TilesLeft(player=0, source="factory 1", tiles=(1, 0, 0, 1, 0, 0)),
    ]


def test_t3_s17_the_token_costs_a_point_a_tile_as_far_as_there_are_any():
    position = mini.table(centre="Y3 P", scores=(2,))
    assert happenings(position, "take centre yellow")[:2] == [
        events.TilesTaken(player=0, source="centre", colour="yellow", count=3, wild_tiles=1),
        events.TokenTaken(player=0, points=-2, due=4),
    ]


def test_s27_a_tile_that_closes_a_pillar_and_a_statue():
    board = {"orange": "O.O...", "red": "..RR..", "centre": "P....G"}
    position = mini.table(hands=("O2 P",), boards=(board,), supply="P5 G5")
    position.step(parse_action("place orange -> orange 2"))
    assert happenings(position, "pay 1 wild") == [
        events.TilePlaced(player=0, points=3, space="orange 2", colour="orange", count=1, wild_tiles=1),
        events.StructureClosed(player=0, structure="pillar", star="orange", brings=1),
        events.StructureClosed(player=0, structure="statue", star="orange", brings=2),
        events.TilesOwed(player=0, count=3),
    ]


def test_sr3_what_the_supply_has_not_is_not_owed():
    position = mini.table(hands=("B6",), boards=({"blue": "BBBBB."},), supply="G2", bag="", deposit="")
    assert happenings(position, "place blue -> blue 6") == [
        events.TilePlaced(player=0, points=6, space="blue 6", colour="blue", count=6, wild_tiles=0),
        events.StructureClosed(player=0, structure="window", star="blue", brings=3),
        events.TilesOwed(player=0, count=2),
        events.BonusTaken(player=0, colour="green"),
        events.BonusTaken(player=0, colour="green"),
    ]


def test_sr21_the_deposit_goes_into_the_bag_when_a_tile_is_wanted():
    """The tiles paid in this turn come back; all blue, they are no draws (SR27)."""
    position = mini.table(hands=("B6",), boards=({"blue": "BBBBB."},), supply=mini.FULL_SUPPLY, bag="", deposit="")
    position.step(parse_action("place blue -> blue 6"))
    position.step(parse_action("bonus purple"))
    position.step(parse_action("bonus green"))
    assert position.events(parse_action("bonus orange"))[1:5] == [
        events.BagRefilled(tiles=(0, 0, 0, 0, 5, 0)),
        *[events.TileDrawn(target="supply", colour="blue")] * 3,
    ]


def test_s29_sr2_a_pass_throws_tiles_one_by_one_and_keeps_four():
    position = mini.table(hands=("R4 B2",), scores=(1,))
    assert happenings(position, "discard blue") == [
        events.Passed(player=0, by_choice=True),
        events.TilesThrown(player=0, points=-1, tiles=(0, 0, 0, 0, 1, 0)),
    ]
    position.step(parse_action("discard blue"))
    assert happenings(position, "discard blue")[:2] == [
        events.TilesThrown(player=0, points=0, tiles=(0, 0, 0, 0, 1, 0)),
        events.TilesKept(player=0, tiles=(0, 0, 0, 0, 0, 4)),
    ]


def test_sr7_a_pass_in_the_last_round_throws_all():
    position = mini.table(hands=("G7",), scores=(5, 9), round_number=6)
    assert happenings(position, "pass") == [
        events.Passed(player=0, by_choice=True),
        events.TilesThrown(player=0, points=-5, tiles=(0, 7, 0, 0, 0, 0)),
    ]


def test_sr25_who_can_place_nothing_passes_without_being_asked():
    position = mini.table(hands=("R", "R"), boards=({}, {"red": "R.....", "centre": "R....."}))
    assert position.events(parse_action("pass"))[:5] == [
        events.Passed(player=0, by_choice=True),
        events.TilesKept(player=0, tiles=(0, 0, 0, 0, 0, 1)),
        events.Passed(player=1, by_choice=False),
        events.TilesKept(player=1, tiles=(0, 0, 0, 0, 0, 1)),
        events.RoundOver(player=0, round_number=1),
    ]


def test_sr26_a_shared_victory_names_all_who_share_it():
    position = mini.table(3, hands=("R",), scores=(8, 3, 7), round_number=6)
    assert position.events(parse_action("pass"))[-1] == events.GameOver(winners=(0, 2))


def test_sr14_stars_and_numbers_at_the_end_are_told_one_by_one():
    ones = dict.fromkeys(("red", "blue", "yellow", "green", "purple"), "..B...")
    board = {"orange": "PPPPPP", "centre": "PGOYBR", **ones}
    position = mini.table(hands=("R2",), boards=(board,), board="grey", scores=(0, 0), round_number=6)
    assert happenings(position, "pass")[2:] == [
        events.StarScored(player=0, points=20, star="orange", star_kind="purple"),
        events.StarScored(player=0, points=12, star="centre", star_kind="multicoloured"),
        events.NumberScored(player=0, points=4, number=1),
        events.GameOver(player=0, winners=(0,)),
    ]


def test_refused_steps_change_nothing():
    game = mini.game_of(3)
    position, drawing = game.new(1), game.new(1, explicit_chance=True)
    before = position.copy()
    illegal = next(a for a in range(game.num_actions) if a not in position.legal_actions())
    for bad in (illegal, -1, 400, 2**40):
        with pytest.raises(ValueError, match=f"action {bad} is not legal in this state"):
            game.events.events_of(position.states, 0, bad)
    for outcome in (0, -1, 10**6):
        with pytest.raises(ValueError, match="not possible in this state"):
            game.events.events_of_outcome(position.states, 0, outcome)
    assert position == before
    with pytest.raises(ValueError, match="not possible in this state"):
        game.events.events_of_outcome(drawing.states, 0, NUM_COLOURS)
    with pytest.raises(ValueError, match="not legal in this state"):
        game.events.events_of(drawing.states, 0, 0)


# Kinds and words ------------------------------------------------------------------------------
SENTENCES = {
    events.FirstPlayer(player=0): "Ann begins the game",
    events.FirstPlayer(player=1): "You begin the game",
    events.RoundBegins(player=1, round_number=2, wild_colour="green"): "Round 2 begins, and green is wild. You start",
    events.PlacingBegins(player=0): "All tiles are taken. Ann begins to place",
    events.RoundOver(player=1, round_number=1): "Round 1 is over. You begin the next one",
    events.StarScored(player=0, points=15, star="blue", star_kind="blue"): "Ann gets 15 points for the full blue star",
    events.StarScored(player=1, points=20, star="blue", star_kind="purple"): (
        "You get 20 points for the full blue star, all purple"
    ),
    events.StarScored(player=0, points=12, star="centre", star_kind="multicoloured"): (
        "Ann gets 12 points for the full centre star, multicoloured"
    ),
    events.NumberScored(player=0, points=4, number=1): "Ann gets 4 points for all 1s",
    events.GameOver(player=1, winners=(1,)): "The game is over. You win",
    events.GameOver(winners=(0, 1)): "The game is over. The victory is shared by Ann and You",
    events.TilesTaken(player=0, source="factory 3", colour="blue", count=2, wild_tiles=1): (
        "Ann takes 2 blue and 1 wild tile from factory 3"
    ),
    events.TilesTaken(player=1, source="centre", colour="purple", count=1, wild_tiles=0): (
        "You take 1 purple from the centre"
    ),
    events.TilesLeft(player=0, source="factory 3", tiles=(0, 1, 0, 0, 0, 0)): "1 green goes to the centre",
    events.TilesLeft(player=0, source="factory 3", tiles=(1, 0, 2, 0, 0, 0)): "1 purple and 2 orange go to the centre",
    events.TokenTaken(player=1, points=-1, due=1): "You take the first-player token and lose 1 point",
    events.TokenTaken(player=0, points=-2, due=5): "Ann takes the first-player token and loses 2 of 5 points",
    events.TilePlaced(player=0, points=1, space="centre 1", colour="orange", count=1, wild_tiles=0): (
        "Ann places an orange tile on the 1 of the centre star: 1 point"
    ),
    events.TilePlaced(player=1, points=3, space="blue 6", colour="blue", count=3, wild_tiles=3): (
        "You place a blue tile on the 6 of the blue star, paid with 3 blue and 3 wild tiles: 3 points"
    ),
    events.TilePlaced(player=0, points=2, space="centre 5", colour="red", count=3, wild_tiles=0): (
        "Ann places a red tile on the 3 (space 5) of the centre star, paid with 3 red: 2 points"
    ),
    events.StructureClosed(
        player=0, structure="window", star="blue", brings=3
    ): "Ann closes the window of the blue star",
    events.StructureClosed(player=1, structure="statue", star="purple", brings=2): (
        "You close the statue between the purple star and the orange one"
    ),
    events.TilesOwed(player=1, count=3): "You get 3 tiles of the supply",
    events.BonusTaken(player=0, colour="red"): "Ann takes a red tile from the supply",
    events.Passed(player=0, by_choice=True): "Ann passes",
    events.Passed(player=1, by_choice=False): "You pass with nothing to place",
    events.TilesThrown(player=0, points=-1, tiles=(0, 0, 1, 0, 0, 0)): "Ann throws 1 orange away and loses 1 point",
    events.TilesThrown(player=1, points=0, tiles=(0, 0, 1, 0, 0, 0)): "You throw 1 orange away and lose 0 of 1 point",
    events.TilesKept(player=0, tiles=(1, 1, 0, 0, 0, 2)): "Ann keeps 1 purple, 1 green and 2 red for the next round",
    events.TileDrawn(target="supply", colour="orange"): "An orange tile comes to the supply",
    events.TileDrawn(target="factory 9", colour="red"): "A red tile comes to factory 9",
    events.FactoryFilled(source="factory 2", tiles=(1, 0, 0, 0, 3, 0)): "Factory 2 holds 1 purple and 3 blue",
    events.FactoryFilled(source="factory 2", tiles=(0,) * 6): "Factory 2 stays empty",
    events.BagRefilled(tiles=(0, 0, 0, 3, 0, 1)): "The deposit goes into the bag: 3 yellow and 1 red",
}


@pytest.mark.parametrize("event", SENTENCES, ids=lambda event: event.text)
def test_each_event_has_a_sentence(event):
    assert mini.game_of(2).display.describe_event(event, ("Ann", "You"), 1) == SENTENCES[event]


def test_every_kind_is_in_the_table_with_its_fields_and_a_sentence():
    assert {event.kind for event in SENTENCES} == set(EVENT_KINDS)
    for event in SENTENCES:
        kind = EVENT_KINDS[event.kind]
        assert ["player", "points", *kind.fields] == [field.name for field in fields(event)]
        assert kind.meaning.endswith((").", ")."))
        assert all(kind.fields.values())


def test_events_are_plain_data_have_a_sentence_and_print_as_a_line():
    game = mini.game_of(4)
    for _, _, happened in steps(game, 1, {"board": "grey"}, "sensible"):
        for event in happened:
            assert json.loads(json.dumps(event.as_dict()))["kind"] == event.kind
            assert pickle.loads(pickle.dumps(event)) == event
            assert game.display.describe_event(event, ("Ann", "Bob", "Cy", "Di"))
    line = "structure_closed player=0 points=0 structure=window star=blue brings=3"
    assert events.StructureClosed(player=0, structure="window", star="blue", brings=3).text == line


def test_an_unknown_event_has_no_sentence():
    with pytest.raises(ValueError, match="no kind of event of Azul Summer Pavilion Mini"):
        mini.game_of(2).display.describe_event(Event(player=0))


# Where points come from -----------------------------------------------------------------------
def test_sources_are_the_points_of_events_by_kind_and_sum_to_the_score():
    seen = np.zeros(len(SOURCES), bool)
    places = {source: place for place, source in enumerate(SOURCES)}
    for game, seed, options, policy in all_games(scaled(6), explicit_chance=False):
        rng, position = random.Random(seed), game.new(seed, **options)
        twin, book = position.copy(), np.zeros((game.num_players, len(SOURCES)), np.int64)
        booked = book.copy()
        while not position.over:
            action = mini.PLAYERS[policy](position, rng)
            for event in position.events(action):
                if event.points:
                    booked[event.player, places[EVENT_KINDS[event.kind].source]] += event.points
            carry_out_booked(twin.states, 0, action, book)
            position.step(action)
            assert twin == position
            assert np.array_equal(booked, book)
            assert tuple(START_SCORE + book.sum(axis=1)) == position.scores
        seen |= (book != 0).any(axis=0)
        points = np.full(len(BONUSES), 99, np.int64)
        for player in range(game.num_players):
            bonus_points(position.states, 0, player, points)
            assert points.sum() == book[player, STARS_AND_NUMBERS]
    assert seen.all()


def test_an_illegal_action_is_not_booked():
    position, book = mini.game_of(2).new(1), np.zeros((2, len(SOURCES)), np.int64)
    before = position.copy()
    carry_out_booked(position.states, 0, parse_action("pass"), book)
    assert position == before
    assert not book.any()


def test_bonuses_add_up_stars_of_a_colour_and_name_numbers():
    position, points = mini.game_of(2).new(1, board="grey"), np.full(len(BONUSES), 99, np.int64)
    board = {"orange": "PPPPPP", "red": "PPPPPP", "blue": "RRRRRR", "centre": "PGOYBR"}
    position.states["boards"][0, 1] = mini.filled(board | dict.fromkeys(("yellow", "green", "purple"), "GGG..."))
    bonus_points(position.states, 0, 1, points)
    wanted = {"purple_star": 40, "red_star": 14, "multicoloured_star": 12, "all_1s": 4, "all_2s": 8, "all_3s": 12}
    assert dict(zip(BONUSES, points.tolist(), strict=True)) == dict.fromkeys(BONUSES, 0) | wanted


@pytest.mark.parametrize("num_players", [2, 3])
def test_statistics_sum_to_the_score(num_players):
    game = mini.game_of(num_players)
    results = list(play_match(game, ("random",) * num_players, num_players, 1, {"board": "grey"}))
    found = statistics_of(game, "random", results, {"board": "grey"})
    assert found.score_mean == pytest.approx(found.start + sum(found.points.values()))
    assert set(found.points) == set(SOURCES)
    assert {bonus.boards for bonus in found.bonuses.values()} == {num_players * len(results)}
    assert sum(bonus.points_mean for bonus in found.bonuses.values()) == pytest.approx(
        found.points["stars_and_numbers"]
    )
    assert set(found.as_dict()["bonuses"]) == set(BONUSES)
