"""The state of Azul Summer Pavilion Mini as one NumPy record, and how new ones are made.

There is a record for each number of players: same fields, with as many seats. A batch of games is an array of records, a copy is an
assignment, a save is ``tobytes()``, equality is ``==``. Nothing is hidden: a tile gets its colour when it is drawn, and everybody sees it,
so the bag is counts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from azul_duel_env.game.options import offered
from azul_duel_env.games.pavilion_mini.components import (
    BOARDS,
    COLOURS,
    EMPTY,
    NUM_COLOURS,
    NUM_ROUNDS,
    NUM_SPACES,
    PLAYER_COUNTS,
    START_SCORE,
    TILES_PER_COLOUR,
    num_factories,
)
from azul_duel_env.jit.rng import keys_from_seeds

# Where the game stands: ``stage`` -------------------------------------------------------------
FILL_SUPPLY, FILL_FACTORIES, CHOOSE_FIRST = range(3)  # nobody decides
TAKE, PLACE, PAY, BONUS, DISCARD = range(3, 8)  # a player decides, or goes on by itself
TURN_OVER, GAME_OVER = 8, 9  # nobody decides
STAGES = (
    *("fill supply", "fill factories", "choose first player"),
    *("take", "place", "pay", "bonus", "discard", "turn over", "game over"),
)

# What is drawn next, when chance is due: ``chance`` -------------------------------------------
NO_CHANCE, TILE, FIRST = range(3)
CHANCES = ("none", "tile", "first player")

NOBODY = -1
IN_CENTRE = -1  # where the first-player token lies when no player has it

KEEP_MOST, KEEP_ANY = range(2)
KEEPS = ("most", "any")


def _state_type(num_players: int) -> np.dtype:
    """Return the dtype of the states of a game for so many players."""
    wide = [
        # --- the generator, and how far the game is
        ("rng", np.uint64),
        ("decisions", np.int16),  # made so far by all players
        ("scores", np.int16, num_players),
    ]
    narrow = [
        ("round_number", np.int8),  # 1..6; 0 before the first round
        ("stage", np.int8),
        ("chance", np.int8),  # what chance must decide, with explicit chance; else NO_CHANCE
        ("player", np.int8),  # who decides; NOBODY when chance is due or the game is over
        ("active", np.int8),  # whose turn it is
        ("first_player", np.int8),  # of this round; NOBODY before it is drawn
        ("token", np.int8),  # a player, or IN_CENTRE
        # --- the configuration
        ("grey", np.int8),  # COLOURED or GREY: which side of all boards is up (SR18)
        ("keep_any", np.int8),  # SR6
        ("explicit_chance", np.int8),
        ("wild_order", np.int8, NUM_ROUNDS),  # the wild colour of each round
        # --- the table
        ("bag", np.int8, NUM_COLOURS),
        ("deposit", np.int8, NUM_COLOURS),
        ("supply", np.int8, NUM_COLOURS),
        ("factories", np.int8, (num_factories(num_players), NUM_COLOURS)),
        ("centre", np.int8, NUM_COLOURS),
        ("filling", np.int8),  # FILL_FACTORIES: the factory being filled
        # --- the players
        ("hands", np.int8, (num_players, NUM_COLOURS)),  # beside the board; of who has passed: on its corners
        ("passed", np.int8, num_players),
        ("boards", np.int8, (num_players, NUM_SPACES)),  # colour or EMPTY
        # --- sub-decisions under way
        # PAY: the space, and the colour that is placed there; else EMPTY. PLACE: what is chosen so far where a placement is asked in parts.
        ("space", np.int8),
        ("colour", np.int8),
        ("wilds", np.int8),  # the payment, where it is asked together with the placement; else EMPTY
        ("owed", np.int8),  # BONUS: tiles still to be taken from the supply
        ("lowest", np.int8),  # BONUS, DISCARD: no colour before this one (SR24)
    ]
    gap = -np.dtype([*wide, *narrow]).itemsize % 8
    spare = [("spare", np.int8, gap)] if gap else []  # 0: copies could leave padding out
    return np.dtype((np.record, np.dtype([*wide, *narrow, *spare], align=True)))


STATES = {num_players: _state_type(num_players) for num_players in PLAYER_COUNTS}
"""Number of players -> dtype of a state."""


@dataclass(frozen=True)
class Options:
    """The configuration of a game, fixed when it starts.

    Attributes:
        board: ``"coloured"`` or ``"grey"``: which side of the boards all play on (S38, SR18).
        wild_order: the six colours in the order of the rounds in which they are wild (S8, S39).
        keep: ``"most"``: who passes keeps four tiles, or all of fewer; or ``"any"``: also fewer, as the text allows (SR6).
        first_player: a seat, or None for a random one (S7).
        explicit_chance: whether the game stops at every draw and takes the outcome as given.
    """

    num_players: ClassVar[int]

    board: str = offered(
        "coloured",
        "Which side of the boards is up: coloured stars, or grey ones (S38).",
        values={"coloured": "coloured stars", "grey": "grey stars"},
        label="Boards",
    )
    wild_order: str | Sequence[str] = offered(
        COLOURS, "The six colours in the order in which they are wild, with commas between them (S39)."
    )
    keep: str = offered(
        "most",
        "Whether who passes keeps four tiles if there are so many, or may keep fewer (SR6).",
        values={"most": "four tiles, or all of fewer", "any": "up to four tiles, as they like"},
        label="Who passes keeps",
    )
    first_player: int | None = None
    explicit_chance: bool = False

    def __post_init__(self) -> None:
        if self.board not in BOARDS:
            raise ValueError(f"board must be {' or '.join(map(repr, BOARDS))}, not {self.board!r}")
        if self.keep not in KEEPS:
            raise ValueError(f"keep must be {' or '.join(map(repr, KEEPS))}, not {self.keep!r}")
        if not isinstance(self.explicit_chance, (bool, np.bool_)):
            raise ValueError(f"explicit_chance must be True or False, not {self.explicit_chance!r}")
        if self.first_player is not None and not (
            isinstance(self.first_player, (int, np.integer))
            and not isinstance(self.first_player, bool)
            and self.first_player in range(self.num_players)
        ):
            raise ValueError(
                f"first_player must be 0 to {self.num_players - 1}, or None, with {self.num_players} players, "
                f"not {self.first_player!r}"
            )
        if not isinstance(self.wild_order, (list, tuple)) or sorted(map(str, self.wild_order)) != sorted(COLOURS):
            raise ValueError(
                f"wild_order must be the six colours {', '.join(COLOURS)} in any order, not {self.wild_order!r:.100}"
            )
        object.__setattr__(self, "wild_order", tuple(self.wild_order))


class OptionsForTwo(Options):
    """The configuration of a game for two players."""

    num_players = 2


class OptionsForThree(Options):
    """The configuration of a game for three players."""

    num_players = 3


class OptionsForFour(Options):
    """The configuration of a game for four players."""

    num_players = 4


OPTIONS: dict[int, type[Options]] = {
    kind.num_players: kind for kind in (OptionsForTwo, OptionsForThree, OptionsForFour)
}
"""Number of players -> dataclass of its configuration."""


def blank_states(count: int, num_players: int) -> np.ndarray:
    """Return ``count`` states with everything in the box and an all-zero configuration and generator."""
    states = np.zeros(count, STATES[num_players])
    states["scores"] = START_SCORE  # S1
    states["bag"] = TILES_PER_COLOUR  # S5
    states["wild_order"] = range(NUM_COLOURS)
    for field in ("boards", "space", "colour", "wilds"):
        states[field] = EMPTY
    for field in ("player", "active", "first_player"):
        states[field] = NOBODY
    states["token"] = IN_CENTRE  # S6
    states["stage"] = FILL_SUPPLY
    return states


def configure(states: np.ndarray, options: Options) -> None:
    """Write a configuration into blank states."""
    states["grey"] = BOARDS.index(options.board)
    states["keep_any"] = KEEPS.index(options.keep)
    states["explicit_chance"] = options.explicit_chance
    states["wild_order"] = [COLOURS.index(name) for name in options.wild_order]
    states["first_player"] = NOBODY if options.first_player is None else options.first_player


def initial_states(seeds: Sequence[int | None], options: Options) -> np.ndarray:
    """Return one configured state a seed, everything still in the box: the setup has not begun."""
    states = blank_states(len(seeds), options.num_players)
    states["rng"] = keys_from_seeds(seeds)
    configure(states, options)
    return states
