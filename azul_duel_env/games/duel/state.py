"""The state of Azul Duel as one NumPy record, and how new ones are made.

A batch of games is an array of records, a copy is an assignment, a save is ``tobytes()``, equality is ``==``. The state holds only
what at least one player knows: a face-down chip has no kind, the bag no order, a dome tile no kind before its back is seen and no
identity before its front is. Each is drawn when somebody sees it, which gives the same odds as shuffling first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from azul_duel_env.game.options import offered
from azul_duel_env.games.duel.components import (
    CONDITIONS,
    COPIES_OF_CHIP,
    EMPTY,
    FIRST_GAME,
    MAX_HAND,
    MAX_PUT_BACK,
    NO_CHIP,
    NUM_CHIP_KINDS,
    NUM_COLOURS,
    NUM_CONDITIONS,
    NUM_DOME_TILES,
    NUM_FACTORIES,
    NUM_LINES,
    NUM_PLAYERS,
    NUM_SCORING_TILES,
    NUM_SLOTS,
    NUM_SMALL,
    START_SCORE,
    TILES_PER_COLOUR,
    UNKNOWN,
)
from azul_duel_env.jit.rng import keys_from_seeds

# Where the game stands: ``stage`` -------------------------------------------------------------
REFILL_DISPLAY, CHOOSE_SCORING, FILL_FACTORIES, CHOOSE_FIRST = range(4)  # nobody decides
OPENING, TURN, DRAWING, KEEPING, RETURNING, PLACING, ORDERING = range(4, 11)  # a player decides, or goes on by itself
TURN_OVER, EXAMINING = 11, 12  # nobody decides
COLUMN, PAYING = 13, 14  # phase 2 asks the player who tiles
GAME_OVER = 15
STAGES = (
    *("refill display", "choose scoring tiles", "fill factories", "choose first player"),
    *("opening", "turn", "drawing", "keeping", "returning", "placing", "ordering", "turn over", "examining"),
    *("column", "paying", "game over"),
)

# What is drawn next, when chance is due: ``chance`` -------------------------------------------
NO_CHANCE, STACK_TOP, FRONT, SCORING, TILE, CHIP, FIRST = range(7)
CHANCES = ("none", "stack top", "dome tile", "scoring tiles", "tile", "chip", "first player")

NOBODY = -1
ON_LARGE_FACTORY = -1  # where the first-player tile lies when no player has it

STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # --- the generator, and how far the game is
                ("rng", np.uint64),
                ("decisions", np.int16),  # made so far by both players
                ("scores", np.int16, NUM_PLAYERS),
                ("round_number", np.int8),  # 1..5; 0 before the first round
                ("stage", np.int8),
                ("chance", np.int8),  # what chance must decide, with explicit chance; else NO_CHANCE
                ("player", np.int8),  # who decides; NOBODY when chance is due or the game is over
                ("active", np.int8),  # whose turn, or whose phase 2, it is
                ("first_player", np.int8),  # of this round; NOBODY before it is drawn
                ("first_player_tile", np.int8),  # a player, or ON_LARGE_FACTORY
                # --- the configuration
                ("zero_point_draw_free", np.int8),  # R1
                ("special_counts_as_colour", np.int8),  # R36
                ("explicit_chance", np.int8),
                ("num_scoring_tiles", np.int8),  # 3 or 4 (R39)
                ("scoring", np.int8, NUM_CONDITIONS),  # 1 for each condition in play
                # --- the table
                ("bag", np.int8, NUM_COLOURS),
                ("tower", np.int8, NUM_COLOURS),  # D11
                ("suns", np.int8, (NUM_FACTORIES, NUM_COLOURS)),
                ("moons", np.int8, (NUM_SMALL, 3)),  # colours from the bottom up, EMPTY above
                ("large_moon", np.int8, NUM_COLOURS),
                ("factory_chips", np.int8, NUM_SMALL),  # chip kind, FACE_DOWN or NO_CHIP
                ("chips_unseen", np.int8, NUM_CHIP_KINDS),  # copies that nobody has seen
                ("filling", np.int8),  # FILL_FACTORIES: place in FILL_ORDER
                # --- dome tiles on the table
                ("display", np.int8, 3),  # dome tile or EMPTY
                ("stack_unseen", np.int8),  # tiles on top of the stack that nobody has looked at
                ("top_kind", np.int8),  # kind of the topmost of those; UNKNOWN when there is none
                ("fronts_unseen", np.int8, NUM_DOME_TILES),  # 1 for each tile whose front nobody has seen
                ("put_back", np.int8, MAX_PUT_BACK),  # under the unseen ones, from the top down; EMPTY after the last
                ("put_back_by", np.int8, MAX_PUT_BACK),  # the player who put it there; NOBODY after the last
                ("put_back_starts", np.int8, MAX_PUT_BACK),  # 1 where a return of several tiles starts
                ("looked_at", np.int8, (NUM_PLAYERS, NUM_DOME_TILES)),  # 1: this player has seen that front, drawing it
                # --- dome tiles drawn from the stack in this action
                ("hand", np.int8, MAX_HAND),  # dome tile, UNKNOWN front, or EMPTY after the last
                ("hand_kinds", np.int8, MAX_HAND),
                ("hand_from", np.int8, MAX_HAND),  # the player who had put it back, NOBODY if it was unseen
                ("hand_size", np.int8),
                ("kept", np.int8),  # the dome tile kept, until it is placed; else EMPTY
                ("returned", np.int8),  # how many drawn tiles went back so far
                # --- the players' boards
                ("lines", np.int8, (NUM_PLAYERS, NUM_LINES)),  # tiles on each pattern line
                ("line_colours", np.int8, (NUM_PLAYERS, NUM_LINES)),  # EMPTY for an empty line
                ("domes", np.int8, (NUM_PLAYERS, NUM_SLOTS)),  # layout (4 * dome tile + rotation) or EMPTY
                ("tiles", np.int8, (NUM_PLAYERS, 6, 6)),  # colour, SPECIAL or EMPTY
                ("broken", np.int8, (NUM_PLAYERS, NUM_COLOURS)),
                ("tokens", np.int8, NUM_PLAYERS),  # unused in this round
                ("chips_up", np.int8, (NUM_PLAYERS, NUM_CHIP_KINDS)),
                ("chips_down", np.int8, (NUM_PLAYERS, NUM_CHIP_KINDS)),
                ("chips_taken", np.int8, NUM_PLAYERS),  # in this round
                # --- sub-decisions under way
                ("ordering", np.int8),  # ORDERING: the small factory
                ("line", np.int8),  # phase 2: the line being examined
                ("paid_matching", np.int8),  # PAYING: chips turned over so far that show the line's colour
                ("paid_other", np.int8),  # PAYING: and that don't
                (
                    "source",
                    np.int8,
                ),  # TURN asked in two parts (abstraction.py): what is taken, before its line is chosen
                ("chip_payments_all", np.int8),  # R30: a part of the configuration
                ("tipped_midway", np.int8),  # FILL_FACTORIES: 1 if the tower came into the bag amid the large factory
                ("spare", np.int8, 4),  # 0: fills the record to a multiple of 8 bytes; copies could leave padding out
            ],
            align=True,
        ),
    )
)


@dataclass(frozen=True)
class Options:
    """The configuration of a game, fixed when it starts.

    Attributes:
        scoring_tiles: 3 or 4 random scoring tiles with random sides, or the names of the conditions in play (R39, R40), or
            ``"first_game"``, our guess at the tiles with a star: rows, columns, diagonals.
        zero_point_draw: ``"free"``: for a player on 0 points the rest of the stack is free to look through; or ``"forced_only"``: a
            player with 0 points draws a dome tile only as the first draw of an action and only when the display is empty (R1).
        special_counts_as_colour: whether one special tile counts as a further colour for the five-colours condition (R36).
        first_player: 0, 1, or None for a random one (R54).
        explicit_chance: whether the game stops at every draw and takes the outcome as given.
        chip_payments: ``"undominated"``: no bonus chips beyond what pays for a line can be turned over; or ``"all"``: every payment that
            the rulebooks allow can be made, such as three chips of which two match (R30).
    """

    scoring_tiles: int | str | Sequence[str] = offered(
        3, "3 or 4 random ones, first_game, or names of conditions with commas between them."
    )
    zero_point_draw: str = offered(
        "free",
        "On 0 points: the rest of the stack is free, or only forced draws are (R1).",
        values={"free": "is free", "forced_only": "only if forced"},
        label="Drawing dome tiles with 0 points",
    )
    special_counts_as_colour: bool = offered(
        True,
        "Whether a special tile counts as a colour for the five-colours condition (R36).",
        label="A special tile counts as a colour for five colours",
    )
    first_player: int | None = None
    explicit_chance: bool = False
    chip_payments: str = offered(
        "undominated",
        "Whether bonus chips beyond what pays for a line may be turned over (R30).",
        values={"undominated": "no", "all": "yes"},
        label="More bonus chips than needed may be turned over",
        is_box=True,
        always_named=False,
    )

    def __post_init__(self) -> None:
        if self.zero_point_draw not in ("free", "forced_only"):
            raise ValueError(f"zero_point_draw must be 'free' or 'forced_only', not {self.zero_point_draw!r}")
        if self.chip_payments not in ("undominated", "all"):
            raise ValueError(f"chip_payments must be 'undominated' or 'all', not {self.chip_payments!r}")
        for name in ("special_counts_as_colour", "explicit_chance"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if self.first_player is not None and not (
            _is_whole(self.first_player) and self.first_player in range(NUM_PLAYERS)
        ):
            raise ValueError(f"first_player must be 0, 1 or None, not {self.first_player!r}")
        if isinstance(self.scoring_tiles, list):
            object.__setattr__(self, "scoring_tiles", tuple(self.scoring_tiles))
        self.conditions()

    def conditions(self) -> tuple[int, ...]:
        """Return the conditions in play, or () when they are drawn at random.

        Raises:
            ValueError: not 3 or 4 tiles, an unknown name, or two sides of one tile.
        """
        if _is_whole(self.scoring_tiles):
            if self.scoring_tiles in (3, NUM_SCORING_TILES):
                return ()
        elif self.scoring_tiles == "first_game":
            return tuple(CONDITIONS.index(name) for name in FIRST_GAME)
        elif isinstance(self.scoring_tiles, tuple):
            return _conditions_of(self.scoring_tiles)
        raise ValueError(
            f"scoring_tiles must be 3, 4, 'first_game' or 3 or 4 names of {', '.join(CONDITIONS)}, not {self.scoring_tiles!r:.80}"
        )


def _is_whole(value: object) -> bool:
    """Return whether a value is an integer, and no boolean."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _conditions_of(names: Sequence[str]) -> tuple[int, ...]:
    """Return the conditions with these names, which must lie on 3 or 4 different scoring tiles (R39)."""
    unknown = [name for name in names if name not in CONDITIONS]
    if unknown:
        raise ValueError(f"unknown scoring tile {unknown[0]!r:.80}: the names are {', '.join(CONDITIONS)}")
    conditions = tuple(sorted(CONDITIONS.index(name) for name in names))
    if len({condition % NUM_SCORING_TILES for condition in conditions}) != len(conditions):
        pairs = ", ".join(f"{CONDITIONS[i]} / {CONDITIONS[i + NUM_SCORING_TILES]}" for i in range(NUM_SCORING_TILES))
        raise ValueError(f"scoring_tiles {tuple(names)!r} uses two sides of one tile: the tiles are {pairs}")
    if len(conditions) not in (3, NUM_SCORING_TILES):
        raise ValueError(f"scoring_tiles must name 3 or 4 conditions, not {len(conditions)}")
    return conditions


def blank_states(count: int) -> np.ndarray:
    """Return ``count`` states with everything in the box and an all-zero configuration and generator."""
    states = np.zeros(count, STATE)
    states["scores"] = START_SCORE  # D12
    states["bag"] = TILES_PER_COLOUR  # D15
    states["chips_unseen"] = COPIES_OF_CHIP
    states["stack_unseen"] = NUM_DOME_TILES
    states["fronts_unseen"] = 1
    for field in ("display", "put_back", "hand", "kept", "moons", "line_colours", "domes", "tiles"):
        states[field] = EMPTY
    for field in ("top_kind", "hand_kinds"):
        states[field] = UNKNOWN
    for field in ("player", "active", "first_player", "put_back_by", "hand_from", "ordering", "line", "source"):
        states[field] = NOBODY
    states["factory_chips"] = NO_CHIP
    states["first_player_tile"] = ON_LARGE_FACTORY  # D15
    states["stage"] = REFILL_DISPLAY  # D13
    return states


def configure(states: np.ndarray, options: Options) -> None:
    """Write a configuration into blank states."""
    conditions = options.conditions()
    states["zero_point_draw_free"] = options.zero_point_draw == "free"
    states["special_counts_as_colour"] = options.special_counts_as_colour
    states["chip_payments_all"] = options.chip_payments == "all"
    states["explicit_chance"] = options.explicit_chance
    states["num_scoring_tiles"] = len(conditions) or options.scoring_tiles
    for condition in conditions:
        states["scoring"][:, condition] = 1
    states["first_player"] = NOBODY if options.first_player is None else options.first_player


def initial_states(seeds: Sequence[int | None], options: Options) -> np.ndarray:
    """Return one configured state a seed, everything still in the box: the setup (D12-D19) has not begun."""
    states = blank_states(len(seeds))
    states["rng"] = keys_from_seeds(seeds)
    configure(states, options)
    return states
