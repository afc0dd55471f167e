"""How many points a game can bring (RULES E.2)."""

from __future__ import annotations

from azul_duel_env.games.pavilion_mini.components import (
    NUM_COLOURS,
    NUM_STARS,
    NUMBER_POINTS,
    STAR_POINTS,
    STAR_SIZE,
    START_SCORE,
    TILES_PER_COLOUR,
)

MOST_FOR_STAR = 21
"""E34: filling a star brings 1 + 2 + ... + 6 points at most."""
STARS_OF_COLOUR = TILES_PER_COLOUR // STAR_SIZE
"""Full stars of one colour that the tiles allow: 3."""


def _most_for_full_stars() -> int:
    """Return what seven full stars bring at most: the most valuable colours first, as often as there are tiles (grey side)."""
    values = sorted((int(points) for points in STAR_POINTS), reverse=True)
    stars = [points for points in values for _ in range(STARS_OF_COLOUR)]
    return sum(stars[:NUM_STARS])


MOST_POINTS = START_SCORE + NUM_STARS * MOST_FOR_STAR + _most_for_full_stars() + int(NUMBER_POINTS.sum())
"""E40: 323, on the grey side; 304 on the coloured one."""
assert NUM_COLOURS * STARS_OF_COLOUR >= NUM_STARS
