"""Where points come from: every change of a score has its source, and the game goes on as the engine lets it."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from sizes import scaled
from typer.testing import CliRunner
from walks import OPTIONS, POLICIES, choose

from azul_duel_env.arena import play_match
from azul_duel_env.arena.statistics import statistics_of
from azul_duel_env.cli import app
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.actions import DOME_DRAW, TILE_COLUMN
from azul_duel_env.games.duel.components import CONDITIONS, SPECIAL
from azul_duel_env.games.duel.score_breakdown import (
    SOURCES,
    START,
    carry_out_booked,
    scoring_tiles_of,
)

TILES, SPECIAL_TILES, DRAWS, PENALTIES, SCORING_TILES = range(len(SOURCES))


def booked_games(seeds):
    """Yield, for games of random play of every kind, the end, the book, and the book's changes decision by decision."""
    for seed in seeds:
        rng, policy = random.Random(seed), POLICIES[seed % len(POLICIES)]
        position = GAME.new(seed, **OPTIONS[seed % len(OPTIONS)])
        twin, book, changes = position.copy(), np.zeros((2, len(SOURCES)), np.int64), []
        while not position.over:
            action, before = choose(position, rng, policy), book.copy()
            player = position.player
            carry_out_booked(twin.states, 0, action, book)
            position.step(action)
            assert twin == position
            assert tuple(START + book.sum(axis=1)) == position.scores
            changes.append((player, action, book - before))
        yield position, book, changes


def test_books_balance_after_every_decision_and_the_game_goes_on_the_same():
    seen = np.zeros(len(SOURCES), bool)
    games = 0
    for position, book, _ in booked_games(range(scaled(300, least=3))):
        seen |= (book != 0).any(axis=0)
        games += 1
        for player in range(2):
            rows = np.flatnonzero((position.states["tiles"][0, player] == SPECIAL).any(axis=1))
            counts = (position.states["tiles"][0, player] == SPECIAL).sum(axis=1)
            assert book[player, SPECIAL_TILES] == sum((row + 1) * counts[row] for row in rows)
    assert seen.all() or games < 100


def test_sources_change_when_they_may():
    for position, book, changes in booked_games(range(1, scaled(60, least=2))):
        points = np.zeros(len(CONDITIONS), np.int64)
        for player, action, change in changes:
            assert change[1 - player, DRAWS] == 0
            assert change[player, DRAWS] in (0, -1)
            assert action == DOME_DRAW or change[player, DRAWS] == 0
            assert (change[:, [TILES, SPECIAL_TILES]] >= 0).all()
            assert (change[:, PENALTIES] <= 0).all()
            assert action < TILE_COLUMN or change[:, DRAWS].sum() == 0
        for _, _, change in changes[:-1]:
            assert (change[:, SCORING_TILES] == 0).all()
        for player in range(2):
            scoring_tiles_of(position.states, 0, player, points)
            given = int(points[position.states["scoring"][0] == 1].sum())
            if position.scores[player] > 0:
                assert book[player, SCORING_TILES] == given
            else:
                assert book[player, SCORING_TILES] >= given


def test_sources_are_the_points_of_events_by_kind():
    source_of = {
        "tile_placed": TILES,
        "special_tile": SPECIAL_TILES,
        "dome_tile_drawn": DRAWS,
        "penalty": PENALTIES,
        "scoring_tile": SCORING_TILES,
    }
    for seed in range(scaled(24, least=1)):
        position, booked = GAME.new(seed), np.zeros((2, len(SOURCES)), np.int64)
        twin, book, rng = position.copy(), np.zeros_like(booked), random.Random(seed)
        while not position.over:
            action = choose(position, rng, "draw")
            for event in position.events(action):
                if event.points:
                    booked[event.player, source_of[event.kind]] += event.points
            carry_out_booked(twin.states, 0, action, book)
            position.step(action)
            assert np.array_equal(booked, book)


def test_statistics_sum_to_the_score():
    games = max(2, scaled(20) // 2 * 2)
    results = list(play_match(GAME, ("random", "random"), games, 1, {"scoring_tiles": 4}))
    found = statistics_of(GAME, "random", results, {"scoring_tiles": 4})
    assert found.score_mean == pytest.approx(found.start + sum(found.points.values()))
    assert found.games == games
    assert sum(tile.boards for tile in found.bonuses.values()) == 4 * 2 * games
    assert found.decisions_mean == np.mean([len(result.actions) for result in results])
    with pytest.raises(ValueError, match="nothing to count"):
        statistics_of(GAME, "random", [], {})


def test_statistics_prints_and_writes():
    def invoke(*args):
        return CliRunner().invoke(app, ["statistics", "random", "--games", "2", *args], catch_exceptions=False).stdout

    assert "special tiles" in invoke()
    assert json.loads(invoke("--json", "-"))["games"] == 2
