"""Azul Summer Pavilion Mini explained at the table, in our own words: each part, and what to do at each kind of decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.game import Guide, Lesson, Topic, listed
from azul_duel_env.games.pavilion_mini.components import (
    COLOURS,
    CORNERS,
    MULTICOLOURED_POINTS,
    NUM_COLOURS,
    NUM_ROUNDS,
    NUMBER_POINTS,
    STAR_POINTS,
    STRUCTURE_TILES,
    SUPPLY_SIZE,
)
from azul_duel_env.games.pavilion_mini.preview import preview
from azul_duel_env.games.pavilion_mini.refusals import why_not
from azul_duel_env.games.pavilion_mini.state import BONUS, DISCARD, PAY, PLACE, TAKE

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
STARS_SCORE = listed([f"{COLOURS[colour]} {STAR_POINTS[colour]}" for colour in range(NUM_COLOURS)])
NUMBERS_SCORE = listed([str(points) for points in NUMBER_POINTS[1:].tolist()])
PILLAR_TILES, STATUE_TILES, WINDOW_TILES = STRUCTURE_TILES.tolist()

TOPICS = (
    Topic(
        "aim",
        "The aim",
        f"Fill the stars of your pavilion. In each of {NUMBERS[NUM_ROUNDS]} rounds you first take tiles by turns until none is left, "
        "and then place them by turns until all have passed. Each tile placed scores at once; full stars and numbers score at the end. "
        "Most points win.",
    ),
    Topic(
        "wild",
        "The wild colour",
        "In each round another colour is wild. Wild tiles pay for spaces together with any other colour. They lie on the board only as "
        "their own colour. Whether you took a tile in this round or kept it, what counts is the colour that is wild now.",
    ),
    Topic(
        "factory",
        "Factories",
        "Pick a colour on a factory that is not wild: you take all its tiles, and one wild tile if any lie there. What is left goes to "
        "the centre. From a factory with nothing but wild tiles you take one.",
        parts=("factory-",),
    ),
    Topic(
        "centre",
        "The centre, and the first-player token",
        "From the centre you take in the same way. The first to do so in a round also takes the first-player token: it costs a point "
        "for each tile taken in that turn, and makes you first to place and first in the next round. No score falls below 0.",
        parts=("centre-",),
    ),
    Topic(
        "space",
        "Spaces and what they cost",
        "The number on a space is the number of tiles that it costs. One of them is placed there, the others go to the deposit. At "
        "least one must have the colour that is placed; the others have it too or are wild.\n\nA coloured star takes tiles of its "
        "colour. The star in the middle takes six tiles that all differ. On the grey side each star is built "
        "in one colour, or in six different ones.",
        parts=("space-",),
    ),
    Topic(
        "points",
        "Points for a tile",
        "A tile scores 1 point for each tile of its group: itself and all that hang together with it in its star, around the ring. The "
        "sixth tile of a star scores six.",
    ),
    Topic(
        "structure",
        "Pillars, statues and windows",
        f"Between and around the stars stand pillars, statues and windows. Fill the last space around one and take tiles of the supply "
        f"at once: {PILLAR_TILES} for a pillar, {STATUE_TILES} for a statue, {WINDOW_TILES} for a window. You "
        "can use them in your next turns.",
    ),
    Topic(
        "supply",
        "The supply",
        f"{SUPPLY_SIZE} tiles lie open. They come to whoever closes a pillar, a statue or a window; then the "
        "supply is filled up from the bag.",
        parts=("supply-",),
    ),
    Topic(
        "hand",
        "Tiles beside your board",
        "What you take lies beside your board until you place it. Tiles with the mark are wild in this round.",
        parts=("hand-",),
    ),
    Topic(
        "pass",
        "Passing",
        f"Who passes is out for the round. Up to {NUMBERS[CORNERS]} tiles stay for the next round on the corners of the board; each "
        f"other one is thrown away and costs a point. After round {NUM_ROUNDS} nothing can be kept.",
        parts=("pass-", "button-keep"),
    ),
    Topic(
        "end",
        "The end of the game",
        f"A full star scores by its colour: {STARS_SCORE}; the star in the middle, or another of six colours, {MULTICOLOURED_POINTS}. "
        f"Having filled every space with the number 1, 2, 3 or 4 scores {NUMBERS_SCORE} points.",
    ),
    Topic(
        "stock",
        "Bag and deposit",
        "New tiles come from the bag; tiles spent or thrown away go to the deposit, and back into the bag when it is empty. The last "
        "row tells what a full star of each colour scores at the end.",
    ),
)

LESSONS: dict[int, tuple[Lesson, ...]] = {
    TAKE: (
        Lesson(
            "taking",
            "Take tiles",
            "Pick a colour on a factory. You get all tiles of that colour there, and one wild tile if there is any. Collect few "
            "colours: a space that costs five needs five tiles.",
            ("factory-",),
        ),
        Lesson(
            "centre",
            "The centre",
            "What is left on a factory goes to the centre, where piles grow. The first to take from there pays a point a tile, but "
            "places first and begins the next round.",
            ("centre-",),
        ),
        Lesson(
            "wild",
            "Wild tiles",
            "You can't choose the wild colour where others lie, but one comes along with each take. Wild tiles "
            "fill up what you lack for a space.",
            ("factory-", "centre-"),
        ),
    ),
    PLACE: (
        Lesson(
            "placing",
            "Place a tile",
            "Pick a lit space. Its number is what it costs. A tile scores its whole group, so build side by side; point at a space to "
            "see what it would score before you press.",
            ("space-",),
        ),
        Lesson(
            "structures",
            "Close structures",
            f"Fill all spaces around a pillar, a statue or a window, and you take {PILLAR_TILES}, {STATUE_TILES} or {WINDOW_TILES} "
            "tiles of the supply: that pays for further spaces in this round.",
            ("space-",),
        ),
        Lesson(
            "passing",
            "Pass in time",
            f"{NUMBERS[CORNERS].capitalize()} tiles can be kept for the next round; each further one costs a point. Keep what will be "
            "wild, or what you collect.",
            ("pass-",),
        ),
    ),
    PAY: (
        Lesson(
            "paying", "How to pay", "Wild tiles can stand for some of the tiles. Keep what you need more.", ("hand-",)
        ),
    ),
    BONUS: (
        Lesson(
            "bonus",
            "Tiles of the supply",
            "You have closed something. Take tiles one by one; you can use them in your next turn.",
            ("supply-",),
        ),
    ),
    DISCARD: (
        Lesson(
            "throwing", "Throw tiles", f"You keep {NUMBERS[CORNERS]} at most. Throw what you need least.", ("hand-",)
        ),
    ),
}


def lessons(state: Any) -> Sequence[Lesson]:
    """Return what to know for the decision that is due; see ``Guide.lessons``."""
    return LESSONS.get(int(state.stage), ())


GUIDE = Guide(TOPICS, lessons, why_not, preview)
