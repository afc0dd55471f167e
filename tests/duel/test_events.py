"""Events tell all that a step does: from them alone a table is kept that stays equal to the state."""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import fields

import numpy as np
import pytest
import toy_game
from boards import TURN as TURN_BOARD
from boards import board
from sizes import scaled
from walks import OPTIONS, POLICIES, choose, large_factory_next

from azul_duel_env.game import NOBODY, Event
from azul_duel_env.games.duel import GAME, events
from azul_duel_env.games.duel.actions import DOME_TILE_NAMES
from azul_duel_env.games.duel.agents.greedy import choose_greedily
from azul_duel_env.games.duel.components import (
    BROKEN_PENALTY,
    CHIPS,
    COLOURS,
    CONDITIONS,
    EMPTY,
    FACE_DOWN,
    FACTORIES,
    FIRST_PLAYER_PENALTY,
    KINDS,
    LARGE,
    NO_CHIP,
    NUM_PLAYERS,
    SPECIAL,
    START_SCORE,
    UNKNOWN,
)
from azul_duel_env.games.duel.event_log import ACTION, MAX_EVENTS, OUTCOME, ROW_SIZE, SETUP, carry_out_logged
from azul_duel_env.games.duel.event_log import KINDS as EVENT_NAMES
from azul_duel_env.games.duel.state import KEEPING, NO_CHANCE, ON_LARGE_FACTORY, PLACING, RETURNING, TURN

COLOUR = {name: colour for colour, name in enumerate(COLOURS)}
FACTORY = {name: factory for factory, name in enumerate(FACTORIES)}
SETTINGS = tuple(options | {"explicit_chance": explicit} for explicit in (False, True) for options in OPTIONS)


# A table kept by events alone -----------------------------------------------------------------
class Table:
    """What lies where, as an importer would keep it: it knows the box and what events say, and no rule."""

    def __init__(self):
        self.scores = [START_SCORE] * NUM_PLAYERS
        self.bag, self.tower = np.full(5, 13), np.zeros(5, int)
        self.suns, self.large_moon = np.zeros((5, 5), int), np.zeros(5, int)
        self.moons = [[] for _ in range(4)]
        self.factory_chips = [NO_CHIP] * 4
        self.lines = np.zeros((2, 6), int)
        self.line_colours = np.full((2, 6), EMPTY)
        self.broken = np.zeros((2, 5), int)
        self.tiles = np.full((2, 6, 6), EMPTY)
        self.domes = np.full((2, 9), EMPTY)
        self.display, self.stack, self.top = [EMPTY] * 3, 18, None
        self.seen, self.kept = [], None
        self.chips_up, self.chips_down = np.zeros((2, 10), int), np.zeros((2, 10), int)
        self.first_player, self.first_player_tile = NOBODY, ON_LARGE_FACTORY
        self.round_number, self.scoring, self.won = 0, [], None

    def add(self, event):
        getattr(self, f"on_{event.kind}")(event, event.player)
        if event.points:
            self.scores[event.player] += event.points

    def equals(self, position):
        s = position.states[0]
        assert list(position.scores) == self.scores
        for name in ("bag", "tower", "suns", "large_moon", "lines", "line_colours", "broken", "tiles", "domes"):
            assert np.array_equal(s[name], getattr(self, name)), name
        for name in ("factory_chips", "display", "chips_up", "chips_down"):
            assert np.array_equal(s[name], getattr(self, name)), name
        assert [[t for t in moon if t != EMPTY] for moon in s.moons.tolist()] == self.moons
        assert s.stack_unseen + (s.put_back != EMPTY).sum() == self.stack
        assert (KINDS[s.top_kind] if s.top_kind != UNKNOWN else None) == self.top
        for name in ("round_number", "first_player_tile"):
            assert s[name] == getattr(self, name), name
        if s.stage in (RETURNING, PLACING) or (s.stage == KEEPING and not position.chance_is_due):
            assert sorted([*s.hand[: s.hand_size].tolist(), *([s.kept] if s.kept != EMPTY else [])]) == sorted(
                self.seen
            )
        assert (DOME_TILE_NAMES[s.kept] if s.kept != EMPTY else None) == self.kept
        assert (self.won is not None) == position.over
        if position.over:
            assert (self.won, self.first_player) == (position.winner, s.first_player)
            assert self.scoring == [name for name, active in zip(CONDITIONS, s.scoring, strict=True) if active]

    def on_scoring_tiles(self, e, _):
        self.scoring = list(e.names)

    def on_first_player(self, _, player):
        self.first_player = player

    def on_first_player_tile(self, _, player):
        assert self.first_player_tile == ON_LARGE_FACTORY
        self.first_player_tile = player

    def on_round_begins(self, e, player):
        assert e.round_number == self.round_number + 1
        assert self.first_player_tile in (player, ON_LARGE_FACTORY)
        self.round_number, self.first_player, self.first_player_tile = e.round_number, player, ON_LARGE_FACTORY

    def on_game_over(self, _, player):
        self.won = player

    def on_tiles_taken(self, e, _):
        factory, colour = FACTORY[e.factory], COLOUR[e.colour]
        if not e.moon:
            self.suns[factory, colour] -= e.count
        elif factory == LARGE:
            self.large_moon[colour] -= e.count
        else:
            assert (self.moons[factory].pop(), e.count) == (colour, 1)

    def on_tiles_on_line(self, e, player):
        self.lines[player, e.line] += e.count
        self.line_colours[player, e.line] = COLOUR[e.colour]

    def on_tiles_broken(self, e, player):
        self.broken[player, COLOUR[e.colour]] += e.count - e.over
        self.tower[COLOUR[e.colour]] += e.over
        if e.examined_line is not None:
            assert self.lines[player, e.examined_line] == e.count
            self.clear(player, e.examined_line)

    def clear(self, player, line):
        self.lines[player, line], self.line_colours[player, line] = 0, EMPTY

    def on_moon_stacked(self, e, _):
        factory, colour = FACTORY[e.factory], COLOUR[e.colour]
        self.suns[factory, colour] -= e.count
        if factory == LARGE:
            self.large_moon[colour] += e.count
        else:
            self.moons[factory] += [colour] * e.count

    def on_passed(self, _, player):
        assert player in range(NUM_PLAYERS)

    def on_chip_revealed(self, e, _):
        assert self.factory_chips[FACTORY[e.factory]] == FACE_DOWN
        self.factory_chips[FACTORY[e.factory]] = CHIPS.index(e.chip)

    def on_chip_taken(self, e, player):
        assert self.factory_chips[FACTORY[e.factory]] == CHIPS.index(e.chip)
        self.factory_chips[FACTORY[e.factory]] = NO_CHIP
        self.chips_up[player, CHIPS.index(e.chip)] += 1

    def on_chip_spent(self, e, player):
        self.chips_up[player, CHIPS.index(e.chip)] -= 1
        self.chips_down[player, CHIPS.index(e.chip)] += 1

    def on_dome_tile_drawn(self, e, player):
        assert e.points == (-1 if self.scores[player] else 0)  # D28, R1
        assert self.top in (e.tile_kind, None)
        self.stack, self.top = self.stack - 1, None

    def on_dome_tile_seen(self, e, _):
        self.seen.append(DOME_TILE_NAMES.index(e.dome_tile))

    def on_dome_tile_kept(self, e, _):
        assert DOME_TILE_NAMES.index(e.dome_tile) in self.seen
        self.kept = e.dome_tile

    def on_dome_tile_returned(self, e, _):
        self.seen.remove(DOME_TILE_NAMES.index(e.dome_tile))
        self.stack += 1

    def on_dome_tile_placed(self, e, player):
        tile = DOME_TILE_NAMES.index(e.dome_tile)
        self.domes[player, e.slot] = 4 * tile + e.rotation
        if e.place is None:
            assert (self.kept, self.seen) == (e.dome_tile, [tile])
            self.kept, self.seen = None, []
        else:
            assert self.display[e.place] == tile
            self.display[e.place] = EMPTY

    def on_tiling_begins(self, _, player):
        assert player in range(NUM_PLAYERS)

    def on_tile_placed(self, e, player):
        assert e.colour == COLOURS[self.line_colours[player, e.row]]
        assert e.discarded == self.lines[player, e.row] - 1
        self.tower[COLOUR[e.colour]] += e.discarded
        self.clear(player, e.row)
        assert self.tiles[player, e.row, e.column] == EMPTY
        self.tiles[player, e.row, e.column] = COLOUR[e.colour]
        assert e.across == run(self.tiles[player, e.row], e.column)
        assert e.down == run(self.tiles[player, :, e.column], e.row)
        assert e.points == (sum(length for length in (e.across, e.down) if length > 1) or 1)  # D76, D77

    def on_special_tile(self, e, player):
        assert self.tiles[player, e.row, e.column] == EMPTY
        assert e.points == e.row + 1  # D78
        self.tiles[player, e.row, e.column] = SPECIAL

    def on_penalty(self, e, player):
        assert e.broken == self.broken[player].sum()
        assert e.first_player_tile == (self.first_player_tile == player)
        assert e.due == BROKEN_PENALTY[e.broken] + FIRST_PLAYER_PENALTY * e.first_player_tile > 0
        assert e.points == -min(self.scores[player], e.due)  # D80
        self.tower += self.broken[player]
        self.broken[player] = 0

    def on_scoring_tile(self, e, _):
        assert e.name in self.scoring
        assert e.points == e.due or e.points > e.due < 0

    def on_stack_top(self, e, _):
        assert self.top is None
        self.top = e.tile_kind

    def on_display_filled(self, e, _):
        assert self.display[e.place] == EMPTY
        self.display[e.place] = DOME_TILE_NAMES.index(e.dome_tile)
        self.stack, self.top = self.stack - 1, None

    def on_tile_drawn(self, e, _):
        self.bag[COLOUR[e.colour]] -= 1
        self.suns[FACTORY[e.factory], COLOUR[e.colour]] += 1

    def on_tower_tipped(self, e, _):
        assert self.bag.sum() == 0
        assert list(e.tiles) == self.tower.tolist()
        self.bag += e.tiles
        self.tower -= e.tiles

    def on_large_factory_redrawn(self, e, _):
        assert e.factory == "large"
        assert list(e.tiles) == self.suns[LARGE].tolist()
        self.bag += e.tiles
        self.suns[LARGE] -= e.tiles

    def on_factory_filled(self, e, _):
        factory = FACTORY[e.factory]
        assert list(e.tiles) == self.suns[factory].tolist()
        if factory != LARGE:
            self.factory_chips[factory] = FACE_DOWN


def run(spaces, at):
    """Return the length of the run of tiles through a place."""
    first = last = at
    while first > 0 and spaces[first - 1] != EMPTY:
        first -= 1
    while last < 5 and spaces[last + 1] != EMPTY:
        last += 1
    return last - first + 1


# Games ----------------------------------------------------------------------------------------
def start(seed, options):
    """Return a new game and the events of its setup."""
    states = GAME.rules.initial_states([seed], GAME.make_options(**options))
    return GAME.new(seed, **options), GAME.events.events_of_setup(states, 0)


def steps(seed, options, policy):
    """Yield, for a game's setup and each step, the position before it (None at first), the position after it, and its events.

    The positions are the same object all the time but for the one before. A step is an action or, with explicit chance, a draw.
    """
    rng = random.Random(seed)
    position, happened = start(seed, options)
    yield None, position, happened
    while not position.over:
        before = position.copy()
        if position.chance_is_due:
            outcome = GAME.rules.draw_chance(position.states, 0)
            drawn = position.copy()  # the generator has moved on
            happened = position.outcome_events(outcome)
            assert position == drawn
            position.apply_chance(outcome)
        else:
            action = choose(position, rng, policy) if policy else greedily(position, rng)
            happened = position.events(action)
            assert position == before
            position.step(action)
        yield before, position, happened


def greedily(position, rng):
    return int(choose_greedily(position.states, 0, np.uint64(rng.getrandbits(64))))


def all_games(count):
    """Yield seeds, options and policies: all options, with and without explicit chance, random play of each kind and greedy play."""
    for seed in range(count):
        policies = (*POLICIES, None)
        yield seed, SETTINGS[seed % len(SETTINGS)], policies[seed // len(SETTINGS) % len(policies)]


def test_a_table_kept_by_events_alone_stays_equal_to_the_state():
    kinds, most, games = set(), 0, 0
    for seed, options, policy in all_games(scaled(160, least=4)):
        table = Table()
        for _, position, happened in steps(seed, options, policy):
            for event in happened:
                table.add(event)
            table.equals(position)
            kinds |= {event.kind for event in happened}
            most = max(most, len(happened))
        games += 1
    assert most < MAX_EVENTS / 2
    assert games < 100 or kinds == set(EVENT_NAMES) - {"large_factory_redrawn"}  # that one is rare: see its own test


def test_points_sum_to_the_scores():
    for seed, options, policy in all_games(scaled(320, least=4)):
        points = [START_SCORE] * NUM_PLAYERS
        for _, position, happened in steps(seed, options, policy):
            for event in happened:
                if event.points:
                    points[event.player] += event.points
            assert tuple(points) == position.scores


def test_the_logged_step_leads_to_the_same_state():
    log = np.empty((MAX_EVENTS, ROW_SIZE), np.int16)
    for seed, options, policy in all_games(scaled(64, least=2)):
        rng, position = random.Random(seed), GAME.new(seed, **options)
        states = GAME.rules.initial_states([seed], GAME.make_options(**options))
        carry_out_logged(states, 0, SETUP, 0, log)
        while not position.over:
            assert states.tobytes() == position.states.tobytes()
            if position.chance_is_due:
                outcome = position.draw_chance()
                assert GAME.rules.draw_chance(states, 0) == outcome
                carry_out_logged(states, 0, OUTCOME, outcome, log)
            else:
                action = choose(position, rng, policy or "random")
                position.step(action)
                carry_out_logged(states, 0, ACTION, action, log)
        assert states.tobytes() == position.states.tobytes()


def test_moments_come_one_by_one_on_the_table_as_it_is_then():
    """Each score is as far as it was counted; a special tile lies there after the tile that brings it, broken tiles until they cost."""
    seen = set()
    for seed in range(scaled(12, least=2)):
        for before, moments, after in moments_of_game(seed):
            scores = list(before.scores)
            for moment in moments:
                state = moment.states[0]
                for event in moment.events:
                    seen.add(event.kind)
                    if event.points:
                        scores[event.player] += event.points
                assert state.scores.tolist() == scores
                if moment.events and moment.events[-1].kind == "tile_placed":
                    placed, special = moment.events[-1], following(moments, moment)
                    assert state.tiles[placed.player, placed.row, placed.column] != EMPTY
                    if special and special.kind == "special_tile":
                        assert state.tiles[special.player, special.row, special.column] == EMPTY
                if moment.events and moment.events[0].kind == "penalty":
                    [loss] = moment.events
                    assert state.broken[loss.player].sum() == loss.broken
            assert tuple(scores) == after.scores
    assert seen >= {"tile_placed", "special_tile", "penalty", "scoring_tile", "round_begins", "game_over"}


def moments_of_game(seed):
    """Yield for each action of a greedy game the position before it, its moments, and the position after it."""
    rng, position = random.Random(seed), GAME.new(seed)
    while not position.over:
        before, action = position.copy(), greedily(position, rng)
        moments = list(GAME.events.moments_of(position.states, 0, action))
        assert [event for moment in moments for event in moment.events] == position.events(action)
        position.step(action)
        yield before, moments, position


def following(moments, moment):
    """Return the first event of the moment after one, if there is one."""
    after = moments[moments.index(moment) + 1 :]
    return after[0].events[0] if after and after[0].events else None


def test_explicit_chance_tells_the_same_piece_by_piece():
    for seed in range(scaled(24, least=2)):
        options = OPTIONS[seed % len(OPTIONS)]
        by_itself, explicit = (
            [
                event
                for _, _, happened in steps(seed, {**options, "explicit_chance": on}, POLICIES[seed % 3])
                for event in happened
            ]
            for on in (False, True)
        )
        assert by_itself == explicit


def test_a_draw_says_where_it_lands():
    lands = {"tile": "tile_drawn", "chip": "chip_revealed", "stack top": "stack_top"}
    seen = set()
    for seed in range(scaled(16, least=1)):
        for before, _, happened in steps(seed, {"explicit_chance": True}, "draw"):
            if before is None or not before.chance_is_due:
                continue
            drawn = GAME.text.decision_name(before.states, 0).removeprefix("draw of the ")
            in_hand = before.states["stage"][0] == KEEPING
            lands |= {"dome tile": "dome_tile_seen" if in_hand else "display_filled"}
            seen.add(drawn)
            kinds = [event.kind for event in happened]
            if drawn in lands:
                assert kinds[0] == lands[drawn]
            else:
                assert {"first player": "first_player", "scoring tiles": "scoring_tiles"}[drawn] in kinds
    assert seen == {*lands, "first player", "scoring tiles"}


def test_passed_is_told_when_a_player_takes_two_turns_in_a_row():
    passes = 0
    for seed in range(scaled(64, least=2)):
        for before, after, happened in steps(seed, {}, "draw"):
            s = after.states[0]
            if before is None or s.stage != TURN or before.round_number != after.round_number:
                continue
            passed = [event.player for event in happened if event.kind == "passed"]
            assert passed == ([1 - s.active] if before.states["active"][0] == s.active else [])
            passes += len(passed)
    assert passes


# Single steps ---------------------------------------------------------------------------------
def told(position, name):
    """Return the events of a named action, without those of the next round's preparation."""
    happened = position.events(GAME.text.parse_action(name))
    return [event for event in happened if event.kind not in ("tile_drawn", "factory_filled", "stack_top")]


def test_d44_tiles_from_the_moons_come_factory_by_factory():
    position = board(TURN_BOARD, "small-1: sun -, moon BR, chip down", "large: sun -, moon RR")
    assert told(position, "C red -> line 2")[:5] == [
        events.TilesTaken(player=0, factory="small-1", moon=True, colour="red", count=1),
        events.TilesTaken(player=0, factory="large", moon=True, colour="red", count=2),
        events.FirstPlayerTile(player=0),
        events.TilesOnLine(player=0, line=1, colour="red", count=2),
        events.TilesBroken(player=0, examined_line=None, colour="red", count=1, over=0),
    ]


def test_d17_five_equal_tiles_go_back():
    position = large_factory_next([0, 0, 0, 1, 1], [1, 0, 0, 0, 8])  # any two colours: the first draw is due
    position.states["bag"], position.states["chance"] = [0, 0, 0, 0, 3], NO_CHANCE
    happened = GAME.events.events_of_setup(position.states, 0)  # the last three black ones are no draws
    assert [event.kind for event in happened] == ["tile_drawn"] * 3 + ["tower_tipped"]
    assert happened[-1] == events.TowerTipped(factory="large", tiles=(1, 0, 0, 0, 8))
    GAME.rules.advance_to_decision(position.states, 0)
    black = COLOUR["black"]
    position.apply_chance(black)
    assert position.outcome_events(black)[:2] == [
        events.TileDrawn(factory="large", colour="black"),
        events.LargeFactoryRedrawn(factory="large", tiles=(0, 0, 0, 0, 5)),
    ]


def test_d80_r38_what_the_score_has_not_is_not_lost():
    """Two points, four broken tiles and the first-player tile at the end, then empty special spaces only."""
    for seed in range(scaled(120, least=8)):
        options = {"scoring_tiles": ("empty_special_spaces", "rows", "columns")}
        for before, after, happened in steps(seed, options, "random"):
            if not after.over:
                continue
            for player in range(NUM_PLAYERS):
                scored = [e for e in happened if e.kind == "scoring_tile" and e.player == player]
                assert [e.name for e in scored] == ["rows", "columns", "empty_special_spaces"]
                lost = sum(e.points for e in happened if e.kind == "penalty" and e.player == player)
                placed = sum(
                    e.points for e in happened if e.kind in ("tile_placed", "special_tile") and e.player == player
                )
                left = before.scores[player] + placed + lost
                assert after.scores[player] == max(0, left + sum(e.due for e in scored))  # R38: one sum


def test_refused_steps_change_nothing():
    position = GAME.new(1)
    before = position.copy()
    illegal = next(a for a in range(GAME.num_actions) if a not in position.legal_actions())
    with pytest.raises(ValueError, match="is not legal for player"):
        position.events(illegal)
    for bad in (illegal, -1, 400, 2**40):
        with pytest.raises(ValueError, match="not legal in this state"):
            GAME.events.events_of(position.states, 0, bad)
    for outcome in (0, -1, 10**6):
        with pytest.raises(ValueError, match="no draw is due"):
            position.outcome_events(outcome)
        with pytest.raises(ValueError, match="not possible in this state"):
            GAME.events.events_of_outcome(position.states, 0, outcome)
    assert position == before
    drawing = GAME.new(1, explicit_chance=True)
    with pytest.raises(ValueError, match="outcome 99 is not possible; possible: "):
        drawing.outcome_events(99)
    with pytest.raises(ValueError, match="chance must draw first"):
        drawing.events(0)


# Kinds and words ------------------------------------------------------------------------------
SENTENCES = {
    events.ScoringTiles(
        names=("rows", "wild_spaces", "corners")
    ): "The scoring tiles are rows, wild spaces and corners",
    events.FirstPlayer(player=0): "Ann begins the game",
    events.RoundBegins(player=1, round_number=2): "Round 2 begins. You start",
    events.GameOver(player=0): "The game is over. Ann wins",
    events.GameOver(): "The game is over. Nobody wins",
    events.TilesTaken(player=0, factory="small-2", moon=True, colour="red", count=1): (
        "Ann takes 1 red from the moon of factory 2"
    ),
    events.TilesTaken(player=1, factory="large", moon=False, colour="blue", count=2): (
        "You take 2 blue from the large factory"
    ),
    events.FirstPlayerTile(player=0): "Ann takes the first-player tile",
    events.TilesOnLine(player=0, line=2, colour="black", count=3): "Ann puts 3 black on pattern line 3",
    events.TilesBroken(
        player=1, examined_line=None, colour="red", count=3, over=2
    ): "You break 3 red; 2 go to the tower",
    events.TilesBroken(player=0, examined_line=4, colour="red", count=1, over=0): (
        "Ann breaks 1 red of pattern line 5, for which there is no space"
    ),
    events.MoonStacked(player=0, factory="small-1", colour="blue", count=1): "Ann puts 1 blue on the moon of factory 1",
    events.Passed(player=1): "You sit this turn out, with nothing left to do",
    events.ChipRevealed(factory="small-1", chip="TY"): (
        "The turquoise-yellow bonus chip of factory 1 is turned face up"
    ),
    events.ChipTaken(player=0, factory="small-1", chip="B"): "Ann takes the blue bonus chip of factory 1",
    events.ChipSpent(player=0, line=0, chip="B"): "Ann turns over the blue bonus chip for pattern line 1",
    events.DomeTileDrawn(player=0, points=-1, tile_kind="wild"): "Ann pays 1 point and draws a wild dome tile",
    events.DomeTileDrawn(player=1, tile_kind="special"): "You draw a special dome tile",
    events.DomeTileSeen(player=0, dome_tile="YK/T*"): "Ann looks at a dome tile",
    events.DomeTileKept(player=0, dome_tile="YK/T*"): "Ann keeps a dome tile",
    events.DomeTileReturned(player=0, dome_tile="YK/T*"): "Ann puts a dome tile under the stack",
    events.DomeTileReturned(player=1, dome_tile="YK/T*"): (
        "You put the dome tile yellow, black / turquoise, special under the stack"
    ),
    events.DomeTilePlaced(player=0, dome_tile="YK/T*", slot=0, rotation=1, place=None): (
        "Ann places the dome tile turquoise, yellow / special, black top left, turned by 90°"
    ),
    events.TilingBegins(player=0): "Ann begins to tile the dome",
    events.TilePlaced(player=0, points=4, row=1, column=2, colour="blue", across=2, down=2, discarded=1): (
        "Ann places a blue tile in row 2, column 3: 4 points; 1 goes to the tower"
    ),
    events.SpecialTile(player=1, points=1, row=0, column=5): "You get a special tile in row 1, column 6: 1 point",
    events.Penalty(player=0, points=-8, broken=3, first_player_tile=True, due=8): (
        "Ann loses 8 points for 3 broken tiles and the first-player tile"
    ),
    events.Penalty(player=1, points=-1, broken=0, first_player_tile=True, due=2): (
        "You lose 1 of 2 points for the first-player tile"
    ),
    events.ScoringTile(player=0, points=9, name="rows", due=9): "Ann gets 9 points for rows",
    events.ScoringTile(player=0, points=0, name="empty_special_spaces", due=-6): (
        "Ann loses 0 of 6 points for empty special spaces"
    ),
    events.StackTop(tile_kind="wild"): "The topmost dome tile of the stack is a wild one",
    events.DisplayFilled(place=0, dome_tile="YK/T*"): (
        "The dome tile yellow, black / turquoise, special comes into the display"
    ),
    events.TileDrawn(factory="large", colour="red"): "A red tile comes to the large factory",
    events.TowerTipped(
        factory="large", tiles=(1, 0, 2, 0, 3)
    ): "The tower is tipped into the bag: 1 blue, 2 red and 3 black",
    events.LargeFactoryRedrawn(factory="large", tiles=(0, 0, 5, 0, 0)): "5 red go back into the bag and are drawn anew",
    events.FactoryFilled(factory="small-1", tiles=(1, 0, 3, 0, 0)): "Factory 1 holds 1 blue and 3 red",
    events.FactoryFilled(factory="large", tiles=(0,) * 5): "The large factory stays empty",
}


@pytest.mark.parametrize("event", SENTENCES, ids=lambda event: event.kind)
def test_each_event_has_a_sentence(event):
    assert GAME.display.describe_event(event, ("Ann", "You"), 1) == SENTENCES[event]


def test_every_kind_is_in_the_table_with_its_fields_and_a_sentence():
    assert tuple(GAME.events.kinds) == EVENT_NAMES
    assert {event.kind for event in SENTENCES} == set(EVENT_NAMES)
    for event in SENTENCES:
        kind = GAME.events.kinds[event.kind]
        assert ["player", "points", *kind.fields] == [field.name for field in fields(event)]
        assert kind.meaning.endswith(").")
        assert all(kind.fields.values())


def test_only_the_drawer_reads_which_dome_tile_it_is():
    hidden = 0
    for event in SENTENCES:
        if event.private:
            hidden += 1
            words = [GAME.display.describe_event(event, seat=seat) for seat in (None, event.player, 1 - event.player)]
            assert words[0] == words[1] != words[2]
            assert ("yellow" in words[0], "yellow" in words[2]) == (True, False)
    assert hidden == 4


def test_every_event_of_a_game_is_told():
    for seed in range(scaled(8, least=1)):
        for _, _, happened in steps(seed, {}, "draw"):
            for event in happened:
                assert GAME.display.describe_event(event, ("Ann", "Bob")).count("{") == 0


def test_events_go_through_json_and_pickle_and_print_as_a_line():
    for event in SENTENCES:
        assert json.loads(json.dumps(event.as_dict()))["kind"] == event.kind
        assert pickle.loads(pickle.dumps(event)) == event
    line = "special_tile player=1 points=1 row=0 column=5"
    assert next(event for event in SENTENCES if event.kind == "special_tile").text == line


def test_an_unknown_event_has_no_sentence():
    with pytest.raises(ValueError, match="no kind of event of Azul Duel"):
        GAME.display.describe_event(Event(player=0))


# Any game -------------------------------------------------------------------------------------
@pytest.mark.parametrize("explicit", [False, True])
def test_a_game_of_three_players_tells_its_events(explicit):
    states = toy_game.GAME.rules.initial_states([1], toy_game.Options(explicit))
    position, points = toy_game.GAME.new(1, explicit_chance=explicit), [0, 0, 0]
    happened = toy_game.GAME.events.events_of_setup(states, 0)
    while not position.over:
        for event in happened:
            assert event.kind in toy_game.GAME.events.kinds
            assert toy_game.GAME.display.describe_event(event)
            points[event.player] += event.points
        assert tuple(points) == position.scores
        if position.chance_is_due:
            happened = position.outcome_events(2)
            position.apply_chance(2)
        else:
            happened = position.events(1)
            position.step(1)
    assert happened == [toy_game.Given(player=0, points=happened[0].points)]
