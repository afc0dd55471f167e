"""The board of the Mini, recomputed from where its spaces lie (RULES G.1 to G.4), and what its geometry implies."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations
from math import cos, dist, radians, sin, sqrt

import numpy as np
import pytest
from mini import play, table

from azul_duel_env.games.pavilion_mini import bounds, stars
from azul_duel_env.games.pavilion_mini.chance import TILES_OF_STRUCTURES
from azul_duel_env.games.pavilion_mini.components import (
    CENTRE,
    COLOUR_LETTERS,
    COLOURS,
    EMPTY,
    MOST_OWED,
    NUM_SPACES,
    NUM_STRUCTURES,
    PILLAR,
    SPACE_NUMBER,
    STAR_SIZE,
    STARS,
    STATUE,
    STRUCTURE_KIND,
    STRUCTURE_KINDS,
    STRUCTURE_SPACES,
    STRUCTURE_TILES,
    STRUCTURES_AT,
    WINDOW,
)
from azul_duel_env.games.pavilion_mini.state import blank_states
from azul_duel_env.tools.rulings import read_chapters

CHAPTERS = read_chapters("azul_duel_env.games.pavilion_mini")
AROUND = [{int(space) for space in spaces if space != EMPTY} for spaces in STRUCTURE_SPACES]


def towards(distance: float, degrees: float) -> tuple[float, float]:
    """Return the point at a distance in a direction from the middle of the board."""
    return distance * cos(radians(degrees)), distance * sin(radians(degrees))


def middle_of_space(space: int) -> tuple[float, float]:
    """Return the middle of a space (G.1)."""
    star, position = space // STAR_SIZE, space % STAR_SIZE + 1
    if star == CENTRE:
        return towards(sqrt(3) / 2, 90 - 60 * (position - 1))
    x, y = towards(3, 120 - 60 * star)
    dx, dy = towards(sqrt(3) / 2, 90 - 60 * ((position + star) % STAR_SIZE))
    return x + dx, y + dy


def middle_of_structure(structure: int) -> tuple[float, float]:
    """Return the middle of a pillar, statue or window (G.3)."""
    star, kind = structure // len(STRUCTURE_KINDS), STRUCTURE_KIND[structure]
    if kind == STATUE:
        return towards(1.5 * sqrt(3), 90 - 60 * star)
    return towards(1.5 if kind == PILLAR else 4, 120 - 60 * star)


MIDDLES = [middle_of_space(space) for space in range(NUM_SPACES)]


def table_of(chapter: str) -> dict[str, list[str]]:
    """Return the rows of a table of the rules by their first cell."""
    rows = re.findall(r"^\| (\w.*?) \|$", CHAPTERS[chapter].text, re.MULTILINE)
    return {row.split(" | ")[0]: row.split(" | ")[1:] for row in rows[1:]}


# Spaces ---------------------------------------------------------------------------------------
def test_the_rules_list_where_the_spaces_lie():
    written = table_of("G.1")
    assert tuple(written) == STARS
    found = [tuple(map(float, cell.split(", "))) for star in STARS for cell in written[star]]
    assert np.abs(np.array(found) - np.array(MIDDLES)).max() < 0.0051


def test_no_two_spaces_overlap():
    nearest = min(dist(one, other) for n, one in enumerate(MIDDLES) for other in MIDDLES[:n])
    assert nearest == pytest.approx(sqrt(3) / 2)


def test_neighbours_in_a_star_touch_along_an_edge():
    for space in range(NUM_SPACES):
        first = space - space % STAR_SIZE
        others = [other for other in range(first, first + STAR_SIZE) if other != space]
        nearest = sorted(others, key=lambda other: dist(MIDDLES[space], MIDDLES[other]))[:2]
        assert set(nearest) == {first + (space - first + step) % STAR_SIZE for step in (1, -1)}


def test_the_rules_list_the_numbers_that_the_code_has():
    rows = {name: [int(cell) for cell in cells] for name, cells in table_of("G.2").items()}
    assert SPACE_NUMBER[0].tolist() == rows["coloured, all"] * 7
    assert SPACE_NUMBER[1].tolist() == rows["grey, outer"] * 6 + rows["grey, centre"]
    assert Counter(SPACE_NUMBER[0].tolist()) == dict.fromkeys(range(1, 7), 7)
    assert Counter(SPACE_NUMBER[1].tolist()) == dict.fromkeys(range(1, 7), 6) | {3: 12}


# Structures -----------------------------------------------------------------------------------
@pytest.mark.parametrize("structure", range(NUM_STRUCTURES))
def test_the_spaces_around_a_structure_are_the_nearest(structure):
    middle = middle_of_structure(structure)
    by_distance = sorted(range(NUM_SPACES), key=lambda space: dist(middle, MIDDLES[space]))
    count = 2 if STRUCTURE_KIND[structure] == WINDOW else 4
    assert set(by_distance[:count]) == AROUND[structure]
    farthest, next_one = (dist(middle, MIDDLES[by_distance[k]]) for k in (count - 1, count))
    assert next_one > farthest + 0.1, "no other space is as near"


def test_structures_beside_a_space():
    for space in range(NUM_SPACES):
        beside = {structure for structure in range(NUM_STRUCTURES) if space in AROUND[structure]}
        assert {int(structure) for structure in STRUCTURES_AT[space] if structure != EMPTY} == beside
    kinds = {
        position: sorted(STRUCTURE_KIND[k] for k in range(NUM_STRUCTURES) if STAR_SIZE + position in AROUND[k])
        for position in range(STAR_SIZE)
    }
    assert kinds == {0: [STATUE], 1: [PILLAR, STATUE], 2: [PILLAR, STATUE], 3: [STATUE], 4: [WINDOW], 5: [WINDOW]}


@pytest.mark.parametrize("seed", range(3))
def test_a_full_board_has_brought_36_tiles(seed):
    assert TILES_OF_STRUCTURES == 36 == 6 * int(STRUCTURE_TILES.sum())
    marks = {star: ["."] * STAR_SIZE for star in STARS}
    brought = []
    for space in np.random.default_rng(seed).permutation(NUM_SPACES):
        star, position = STARS[space // STAR_SIZE], space % STAR_SIZE
        colour = position if star == "centre" else COLOURS.index(star)
        board = {name: "".join(letters) for name, letters in marks.items()}
        at_table = table(hands=(f"{COLOUR_LETTERS[colour]}{position + 1}", "R"), boards=(board,), bag="P")
        play(at_table, f"place {COLOURS[colour]} -> {star} {position + 1}")
        brought.append(int(at_table.states[0].owed))
        marks[star][position] = COLOUR_LETTERS[colour]
    assert sum(brought) == 36
    assert max(brought) <= MOST_OWED


def test_no_tile_brings_more_than_three():
    for space in range(NUM_SPACES):
        owed = sum(int(STRUCTURE_TILES[STRUCTURE_KIND[k]]) for k in STRUCTURES_AT[space] if k != EMPTY)
        assert 2 <= owed <= MOST_OWED


# Points ---------------------------------------------------------------------------------------
def test_a_star_brings_17_to_21_points_by_the_order_in_which_it_is_filled():
    group_size = getattr(stars.group_size, "py_func", stars.group_size)
    state = blank_states(1, 2)[0]
    totals = Counter()
    for order in permutations(range(STAR_SIZE)):
        state.boards[0, :STAR_SIZE] = EMPTY
        total = 0
        for space in order:
            state.boards[0, space] = 0
            total += int(group_size(state, 0, space))
        totals[total] += 1
    assert sum(totals.values()) == 720
    assert (min(totals), max(totals)) == (17, 21) == (17, bounds.MOST_FOR_STAR)


def test_e40_the_most_points():
    assert bounds.MOST_POINTS == 5 + 7 * 21 + (3 * 20 + 3 * 18 + 17) + 40 == 323
