"""Azul Duel explained at the table, in our own words: what to know about each part, and what to do at each kind of decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azul_duel_env.game import Guide, Lesson, Topic, amount, listed
from azul_duel_env.games.duel.choices import COMPONENTS
from azul_duel_env.games.duel.components import (
    BROKEN_PENALTY,
    BROKEN_SPACES,
    CHIPS_PER_ROUND,
    CONDITIONS,
    CORNER_POINTS,
    FIRST_PLAYER_PENALTY,
    NUM_LINES,
    NUM_ROUNDS,
    NUM_SLOTS,
    PAIR,
    POINTS_PER_BORDER_TILE,
    POINTS_PER_COLUMN,
    POINTS_PER_DIAGONAL,
    POINTS_PER_EMPTY_SPECIAL_SPACE,
    POINTS_PER_FIVE_COLOURS,
    POINTS_PER_ROW,
    POINTS_PER_WILD_SPACE,
    START_SCORE,
    TOKENS_PER_ROUND,
    TRIPLE,
)
from azul_duel_env.games.duel.preview import preview
from azul_duel_env.games.duel.refusals import why_not
from azul_duel_env.games.duel.state import (
    COLUMN,
    DRAWING,
    KEEPING,
    OPENING,
    ORDERING,
    PAYING,
    PLACING,
    RETURNING,
    TURN,
)

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
BROKEN_COSTS = listed([str(int(cost)) for cost in BROKEN_PENALTY[1:]])

TOPICS = (
    Topic(
        "aim",
        "The aim",
        f"Two players build a dome each. You begin with {START_SCORE} points. In {NUMBERS[NUM_ROUNDS]} rounds you take tiles, collect "
        "them on pattern lines, and move a tile of each finished line onto your dome, where it scores. At the end scoring tiles score "
        "too. Most points win; on a tie, whoever holds the first-player tile.\n\nA round has three parts: taking by turns, tiling the "
        "dome, and laying out new tiles.",
    ),
    Topic(
        "turn",
        "Your turn",
        "Do one of four things: take all tiles of a colour from one sun; take all that you can reach of a colour from the moons; take "
        "a dome tile, for a token; or take a bonus chip that lies face up. You may not pass while you can do any of them.",
    ),
    Topic(
        "sun",
        "Suns",
        "Each factory has a sun, where new tiles lie. Pick a colour there and take all tiles of that colour from that one sun. What is "
        "left goes to the moon of the same factory.",
        parts=("sun-",),
    ),
    Topic(
        "moon",
        "Moons",
        "On the moon of a small factory tiles lie one upon the other, and only the uppermost can be taken. On the large moon they lie "
        "side by side. Pick a colour and take all tiles of it that can be reached: the top one of every small moon that shows it, and "
        "all on the large moon. None may be left out.",
        parts=("moon-",),
    ),
    Topic(
        "order",
        "The last one ends on top",
        "When you leave tiles of several colours on a small sun, you choose the order in which they go on its moon. The first one you "
        "pick lies lowest; the last one ends on top, and is the only one that can be taken next. Bury what your opponent wants.",
    ),
    Topic(
        "first-player",
        "The first-player tile",
        f"It lies on the large moon. The first player in a round to take a tile from there takes it too, begins the next round, and "
        f"loses {FIRST_PLAYER_PENALTY} points for it at the end of this one. At the end of the game it breaks a tie.",
    ),
    Topic(
        "line",
        "Pattern lines",
        f"All tiles of one turn go on one of your {NUMBERS[NUM_LINES]} lines, from the right. Line 3 holds three tiles, and so on. A "
        "line that holds tiles takes the same colour only. What finds no room breaks. A finished line sends one tile to the row beside "
        "it; unfinished lines stay for later rounds.",
        parts=("line-",),
    ),
    Topic(
        "broken",
        "Broken tiles",
        f"Tiles that you can't or won't put on a line break. At the end of the round one, two, three and four broken tiles cost "
        f"{BROKEN_COSTS} points in all; more than {NUMBERS[BROKEN_SPACES]} cost nothing further. Nobody falls below 0.",
        parts=("broken-",),
    ),
    Topic(
        "tokens",
        "Tokens",
        f"You have {NUMBERS[TOKENS_PER_ROUND]} tokens a round, but none in round {NUM_ROUNDS}. Each pays for one dome tile, and both "
        f"must be used, so that your {NUM_SLOTS} slots are full after round {NUM_ROUNDS - 1}.",
    ),
    Topic(
        "dome-tile",
        "Dome tiles",
        "They bring the spaces on which tiles can lie. One of the display is free; it goes at once on any empty slot, turned as you "
        "like, and never moves again. Pattern lines 1 and 2 belong to the upper slots, 3 and 4 to the middle ones, 5 and 6 to the "
        "lower ones: put a colour where you have, or want, a line of it.",
        parts=("display-", "slot-", "drawn-"),
    ),
    Topic(
        "stack",
        "The stack",
        "Instead of one of the display you may draw from the stack: 1 point for each dome tile drawn, as often as you like. You see "
        "its kind by the back, the front only when you stop. Keep one; the others go under the stack in an order that you choose.",
        parts=("stack",),
    ),
    Topic(
        "space",
        "Coloured, wild and special spaces",
        "A coloured space takes tiles of its colour. A wild space, with five dots, takes any colour, and the tile keeps its colour "
        "there. A special space, with a flower, takes no tile from a line: when the three coloured spaces of its dome tile are filled, "
        "a special tile comes there by itself and scores the number of its row.",
        parts=("column-",),
    ),
    Topic(
        "chip",
        "Bonus chips",
        f"A chip lies under the tiles of each small factory, and is turned face up when the last of them is gone. Taking it is a turn "
        f"of its own; each player takes {NUMBERS[CHIPS_PER_ROUND]} a round.\n\nWhen the dome is tiled, chips stand for tiles that a "
        f"line lacks: each missing tile costs {NUMBERS[PAIR]} chips that show its colour, or any {NUMBERS[TRIPLE]}. A chip with two "
        "colours counts as either. At least one real tile must lie on the line. Used chips are turned over and don't count again.",
        parts=("bonus-", "chip-"),
    ),
    Topic(
        "tiling",
        "Tiling the dome",
        "When nothing is left to take, lines are looked at from 1 to 6. From a finished one the rightmost tile moves to a free space "
        "of its colour, or a wild one, in the same row, and the others go to the tower. If the row has no such space but lacks a dome "
        "tile, the line waits. If all three dome tiles of the row lie, it can never be used: its tiles break.",
    ),
    Topic(
        "points",
        "Points for a tile",
        "A tile that touches no other scores 1 point. Otherwise it scores the length of its row of neighbours, if that is two or more, "
        "and the length of its column likewise. A tile in a run of three across and of two down scores 5.",
    ),
    Topic(
        "supply",
        "Bag and tower",
        "New tiles come from the bag; tiles that are done with go to the tower. When the bag is empty, what is in the tower goes back "
        "into it. The numbers tell how many of each colour are where.",
    ),
)
"""All but the scoring tiles."""

CONDITION_TEXTS = {
    "rows": f"Each full row of six tiles scores {POINTS_PER_ROW} points.",
    "columns": f"Each full column of six tiles scores {POINTS_PER_COLUMN} points.",
    "diagonals": f"Each of the two diagonals from corner to corner, if full, scores {POINTS_PER_DIAGONAL} points.",
    "wild_spaces": f"If all wild spaces of your dome are filled, each scores {POINTS_PER_WILD_SPACE} points; if one is empty, none does.",
    "five_colours": f"Each row with at least five tiles of different colours scores {POINTS_PER_FIVE_COLOURS} points.",
    "border": f"Each tile on the outermost spaces of the dome scores {amount(POINTS_PER_BORDER_TILE, 'point')}.",
    "corners": f"Each dome tile in a corner whose four spaces are filled scores: {CORNER_POINTS.min()} points for the upper ones, "
    f"{CORNER_POINTS.max()} for the lower ones.",
    "empty_special_spaces": f"Each special space that is empty at the end costs {-POINTS_PER_EMPTY_SPECIAL_SPACE} points.",
}
SCORING_TOPICS = tuple(
    Topic(
        f"scoring-{name}",
        f"Scoring tile: {name.replace('_', ' ')}",
        f"{CONDITION_TEXTS[name]} Counted once, at the end of the game.",
        image=COMPONENTS["condition"].address("condition", condition),
    )
    for condition, name in enumerate(CONDITIONS)
)

# Lessons --------------------------------------------------------------------------------------
LESSONS: dict[int, tuple[Lesson, ...]] = {
    OPENING: (
        Lesson(
            "opening",
            "Your first dome tile",
            "Before round 1 each of you takes a dome tile of the display for nothing. Pick one, then a slot, then how to turn "
            "it.\n\nTiles reach a row only from its own pattern line. High rows need few tiles for a finished line, low rows many.",
            ("display-", "slot-"),
        ),
    ),
    TURN: (
        Lesson(
            "taking",
            "Take tiles",
            "Pick a colour on a sun, then a pattern line. You get all tiles of that colour from that sun. Try to finish lines exactly: "
            "what finds no room breaks and costs points. Point at a line to see what would happen before you press.",
            ("sun-",),
        ),
        Lesson(
            "moons",
            "Mind the moons",
            "What is left of a sun moves to the moon. From the moons you take a colour wherever it can be reached, all at once. The "
            f"first to take from the large moon gets the first-player tile: {FIRST_PLAYER_PENALTY} points less, "
            "but you begin the next round.",
            ("moon-",),
        ),
        Lesson(
            "tokens",
            "Use your tokens",
            f"You must use both tokens in each of the rounds 1 to {NUM_ROUNDS - 1}. A dome tile is a turn, too: take one when the "
            "tiles on the table don't suit you, and choose one with a free space for the colours on your lines.",
            ("display-", "stack"),
        ),
        Lesson(
            "chips",
            "Bonus chips",
            f"Empty a small factory and its chip turns up. Two chips a round are yours if you take them. At the end of the round "
            f"{NUMBERS[PAIR]} that match, or any {NUMBERS[TRIPLE]}, stand for a tile that a line lacks.",
            ("bonus-",),
        ),
    ),
    DRAWING: (
        Lesson(
            "drawing",
            "Draw or stop",
            "Each further dome tile costs a point. Stop when you have enough to choose from: you keep one.",
            ("stack",),
        ),
    ),
    KEEPING: (
        Lesson(
            "keeping", "Keep one", "Keep the dome tile whose colours your lines need; the others go back.", ("drawn-",)
        ),
    ),
    RETURNING: (
        Lesson(
            "returning",
            "Put the others back",
            "They go under the stack in the order in which you pick them.",
            ("drawn-",),
        ),
    ),
    PLACING: (
        Lesson(
            "placing",
            "Place it",
            "Pick an empty slot, then how to turn the dome tile. It never moves again.",
            ("slot-",),
        ),
    ),
    ORDERING: (
        Lesson(
            "ordering",
            "The last one ends on top",
            "The tiles left on this sun go on its moon one upon the other. Only the uppermost can be taken next, so put last what does "
            "your opponent least good.",
            ("sun-",),
        ),
    ),
    COLUMN: (
        Lesson(
            "column",
            "Tile your dome",
            "A finished line sends its tile to the dome. Pick one of the lit spaces: beside other tiles it scores more, and the third "
            "coloured space of a special dome tile brings a special tile on top.",
            ("column-",),
        ),
    ),
    PAYING: (
        Lesson(
            "paying",
            "Finish a line with chips",
            f"Each missing tile costs {NUMBERS[PAIR]} chips of the line's colour, or any {NUMBERS[TRIPLE]}. Pick the chips one by one, "
            "or leave the line as it is for the next round.",
            ("chip-",),
        ),
    ),
}


def lessons(state: Any) -> Sequence[Lesson]:
    """Return what to know for the decision that is due; see ``Guide.lessons``."""
    return LESSONS.get(int(state.stage), ())


GUIDE = Guide((*TOPICS, *SCORING_TOPICS), lessons, why_not, preview)
