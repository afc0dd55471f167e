"""A slow and obvious Azul Summer Pavilion Mini, written from the rules alone: the second opinion for the fast engine.

Numbers in comments are those of the rules (S rules, SR rulings; "line" is one of the Mini's rulebook). Nothing here is meant
to be quick: piles of tiles are Counters, colours are words, and actions are called by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

COLOURS = (
    "purple",
    "green",
    "orange",
    "yellow",
    "blue",
    "red",
)  # lines 232 to 237; "ascending" (SR24) means this order
OUTER_STARS = ("orange", "red", "blue", "yellow", "green", "purple")  # clockwise from the upper left
STARS = (*OUTER_STARS, "centre")
POSITIONS = (1, 2, 3, 4, 5, 6)  # clockwise
TILES_OF_A_COLOUR = 22  # S4
FACTORIES = {2: 5, 3: 7, 4: 9}  # S3
TILES_ON_A_FACTORY = 4
SUPPLY_SPACES = 10  # S5
CORNERS = 4  # S29
ROUNDS = 6  # S7

Space = tuple[str, int]
Board = dict[Space, str]
Pile = Counter[str]

SPACES: list[Space] = [(star, p) for star in STARS for p in POSITIONS]
GREY_NUMBERS = dict(zip(POSITIONS, (3, 2, 1, 4, 5, 6), strict=True))

STAR_POINTS = {"red": 14, "blue": 15, "yellow": 16, "orange": 17, "green": 18, "purple": 20}  # S34
MULTICOLOURED_POINTS = 12  # S34
NUMBER_POINTS = {1: 4, 2: 8, 3: 12, 4: 16}  # S35

Structure = tuple[int, set[Space]]  # tiles from the supply, the spaces around it


def all_structures() -> list[Structure]:
    """Six pillars, statues and windows (lines 155 to 157)."""
    structures = []
    for i, star in enumerate(OUTER_STARS):
        clockwise = OUTER_STARS[(i + 1) % 6]
        pillar = {(star, 2), (star, 3), ("centre", i or 6), ("centre", i + 1)}
        statue = {(star, 1), (star, 2), (clockwise, 3), (clockwise, 4)}
        window = {(star, 5), (star, 6)}
        structures += [(1, pillar), (2, statue), (3, window)]
    return structures


STRUCTURES = all_structures()


# ------------------------------------------------------------------------------------------------ piles and the board


def colours_in(pile: Pile) -> list[str]:
    """The colours of which the pile has a tile, ascending."""
    return [colour for colour in COLOURS if pile[colour] > 0]


def move(tiles: Iterable[str], source: Pile, target: Pile) -> None:
    """Move these tiles from one pile to another."""
    for tile in list(tiles):
        assert source[tile] > 0, f"no {tile} tile to move"
        source[tile] -= 1
        target[tile] += 1


def number_on(space: Space, grey: bool) -> int:
    """The number printed on a space."""
    star, p = space
    if not grey:
        return p
    return 3 if star == "centre" else GREY_NUMBERS[p]


def tiles_in(board: Board, star: str) -> list[str]:
    """The tiles of a star."""
    return [board[star, p] for p in POSITIONS if (star, p) in board]


def may_lie(board: Board, space: Space, colour: str, grey: bool) -> bool:
    """Does the space take a tile of this colour (S21, S22, S38)?"""
    star, _ = space
    if space in board:
        return False
    if not grey and star != "centre":
        return colour == star
    before = tiles_in(board, star)
    all_different = colour not in before
    all_the_same = set(before) <= {colour}
    if not grey:
        return all_different
    # SR13: one tile leaves both open, two decide.
    built_different = len(set(before)) == len(before)
    return (built_different and all_different) or all_the_same


def connected(board: Board, space: Space) -> set[Space]:
    """The tiles of the star that hang together with this one, itself included (S26)."""
    star, p = space
    group, fresh = {space}, [p]
    while fresh:
        p = fresh.pop()
        for beside in (p % 6 + 1, (p - 2) % 6 + 1):
            if (star, beside) in board and (star, beside) not in group:
                group.add((star, beside))
                fresh.append(beside)
    return group


def tiles_owed(board: Board, space: Space) -> int:
    """How many supply tiles the structures give that the tile on this space has closed (S27, SR4)."""
    return sum(tiles for tiles, around in STRUCTURES if space in around and around <= set(board))


def star_points(tiles: Sequence[str]) -> int:
    """What a star is worth in the end (S34, SR14)."""
    if len(tiles) < len(POSITIONS):
        return 0
    return STAR_POINTS[tiles[0]] if len(set(tiles)) == 1 else MULTICOLOURED_POINTS


def final_points(board: Board, grey: bool) -> int:
    """The points of a board at the end of the game (S34, S35, SR15)."""
    stars = sum(star_points(tiles_in(board, star)) for star in STARS)
    numbers = 0
    for number, points in NUMBER_POINTS.items():
        if all(space in board for space in SPACES if number_on(space, grey) == number):
            numbers += points
    return stars + numbers


# --------------------------------------------------------------------------------------------------------------- game


class NaivePavilion:
    """One game of Azul Summer Pavilion Mini.

    It stops where a player must decide (``legal()``, ``do(name)``), where chance must (``due()``, ``draw(outcome)``), and
    when it is over. ``stage`` says which:

    * "fill supply", "fill factories", "choose first": chance; the setup and phase 3
    * "take": ``turn`` takes tiles (phase 1)
    * "place": ``turn`` places a tile or passes (phase 2)
    * "pay": ``turn`` says how many wild tiles pay for ``building`` = (space, colour)
    * "bonus": ``turn`` takes the next of ``owed`` supply tiles, of the colour ``lowest`` or a later one
    * "discard": ``turn`` passes and throws away the next tile, of the colour ``lowest`` or a later one
    * "turn over": chance; the supply is filled up
    * "over"
    """

    def __init__(
        self,
        num_players: int,
        grey: bool = False,
        wild_order: Sequence[str] = COLOURS,
        keep: str = "most",
        first_player: int | None = None,
    ) -> None:
        if num_players not in FACTORIES:
            raise ValueError(f"2, 3 or 4 players, not {num_players}")
        if sorted(wild_order) != sorted(COLOURS):
            raise ValueError(f"wild_order has each of {COLOURS} once, not {wild_order}")
        if keep not in ("most", "any"):
            raise ValueError(f'keep is "most" or "any", not {keep!r}')
        if first_player is not None and first_player not in range(num_players):
            raise ValueError(f"first_player is a seat below {num_players} or None, not {first_player}")
        self.num_players = num_players
        self.seats = range(num_players)
        self.grey = grey
        self.wild_order = tuple(wild_order)
        self.keep = keep
        self.possible_first = list(self.seats) if first_player is None else [first_player]

        self.round = 1
        self.stage = "fill supply"
        self.first_player: int | None = None
        self.turn: int | None = None
        self.token: int | None = None  # who has it; None: the centre of the table (S6)
        self.bag: Pile = Counter(dict.fromkeys(COLOURS, TILES_OF_A_COLOUR))
        self.deposit: Pile = Counter()
        self.supply: Pile = Counter()
        self.factories: list[Pile] = [Counter() for _ in range(FACTORIES[num_players])]
        self.centre: Pile = Counter()
        self.hands: list[Pile] = [Counter() for _ in self.seats]  # beside the boards
        self.corners: list[Pile] = [Counter() for _ in self.seats]
        self.boards: list[Board] = [{} for _ in self.seats]
        self.scores = [5 for _ in self.seats]  # S2
        self.passed = [False for _ in self.seats]
        self.building: tuple[Space, str] | None = None
        self.owed = 0
        self.lowest = COLOURS[0]
        self.go_on()

    # ------------------------------------------------------------------------------------------------- outside view

    @property
    def wild(self) -> str:
        """The wild colour of the round (S8)."""
        return self.wild_order[self.round - 1]

    @property
    def over(self) -> bool:
        """Is the game over?"""
        return self.stage == "over"

    @property
    def player(self) -> int | None:
        """Who decides now; None where nobody does."""
        return self.turn if self.stage in ("take", "place", "pay", "bonus", "discard") else None

    @property
    def winners(self) -> set[int]:
        """All who have the most points (S37, SR26)."""
        return {seat for seat in self.seats if self.scores[seat] == max(self.scores)}

    @property
    def ranks(self) -> list[int]:
        """One more than the number of players with more points."""
        return [1 + sum(other > own for other in self.scores) for own in self.scores]

    def due(self) -> tuple[str, dict[Any, int]] | None:
        """What chance decides now, ("tile", {colour: weight}) or ("first", {seat: weight}); None if it decides nothing."""
        outcomes = self._outcomes()
        if not outcomes:
            return None
        return ("first" if self.stage == "choose first" else "tile"), outcomes

    def draw(self, outcome: str | int) -> None:
        """Let chance decide this way."""
        if outcome not in self._outcomes():
            raise ValueError(f"chance can't decide {outcome!r} now, only {self._outcomes()}")
        self._drawn(outcome)
        self.go_on()

    def legal(self) -> set[str]:
        """The names of the actions that the deciding player may choose."""
        if self.stage == "take":
            return self._takes()
        if self.stage == "place":
            return self._placements() | self._ways_to_pass()
        if self.stage == "pay":
            return {f"pay {wilds} wild" for wilds in self._payments(*self._building())}
        if self.stage == "bonus":
            return {f"bonus {colour}" for colour in self._ascending(self.supply, self.owed)}
        if self.stage == "discard":
            return self._ways_to_pass()
        return set()

    def do(self, name: str) -> None:
        """Carry out an action."""
        if name not in self.legal():
            raise ValueError(f"{name!r} is not legal, only {sorted(self.legal())}")
        self._carry_out(name)
        self.go_on()

    def facts(self) -> dict[str, Any]:
        """The complete state in plain objects; of a pile only the colours that are there."""

        def plain(pile: Pile) -> dict[str, int]:
            return {colour: pile[colour] for colour in colours_in(pile)}

        return deepcopy(
            {
                "round": self.round,
                "wild": self.wild,
                "decision": self.stage,
                "player": self.player,
                "first_player": self.first_player,
                "token": self.token,
                "scores": self.scores,
                "passed": self.passed,
                "bag": plain(self.bag),
                "deposit": plain(self.deposit),
                "supply": plain(self.supply),
                "factories": [plain(factory) for factory in self.factories],
                "centre": plain(self.centre),
                "hands": [plain(hand) for hand in self.hands],
                "corners": [plain(corners) for corners in self.corners],
                "boards": self.boards,
                "building": self.building,
                "owed": self.owed,
                "lowest": self.lowest,
            }
        )

    # ------------------------------------------------------------------------------------------- the course of the game

    def go_on(self) -> None:
        """Let happen all that is neither a player's choice nor chance."""
        while not self.over:
            self._refill_bag()
            outcomes = self._outcomes()
            if len(outcomes) > 1:
                return
            if outcomes:
                self._drawn(next(iter(outcomes)))  # SR27
            elif self.player is None:
                self._filled()
            elif (name := self._not_asked()) is not None:
                self._carry_out(name)
            else:
                return

    def _not_asked(self) -> str | None:
        """The one action of which the rules say that it is not asked, if it is one."""
        legal = self.legal()
        if self.stage in ("place", "discard") and legal == {"pass"}:
            return "pass"  # SR25
        if self.stage == "pay" and len(legal) == 1:
            return legal.pop()
        if self.stage == "bonus":
            allowed = self._from_lowest(self.supply)
            if allowed.total() == self.owed or len(colours_in(allowed)) == 1:
                return f"bonus {colours_in(allowed)[0]}"
        return None

    def _carry_out(self, name: str) -> None:
        kind, *words = name.split()
        if kind == "take":
            self._take(self.centre if words[0] == "centre" else self.factories[int(words[1]) - 1], words[-1])
        elif kind == "place":
            star, p, colour = words
            self.building = (star, int(p)), colour
            self.stage = "pay"
        elif kind == "pay":
            self._place(*self._building(), int(words[0]))
        elif kind == "bonus":
            self._take_bonus(words[0])
        elif kind == "discard":
            self._discard(words[0])
        else:
            self._pass()

    # --------------------------------------------------------------------------------------------------------- chance

    def _pile_to_fill(self) -> Pile | None:
        """Where the next tile from the bag goes: the supply, the factories one after the other (S5, SR17)."""
        if self.stage in ("fill supply", "turn over") and self.supply.total() < SUPPLY_SPACES:
            return self.supply
        if self.stage == "fill factories":
            for factory in self.factories:
                if factory.total() < TILES_ON_A_FACTORY:
                    return factory
        return None

    def _refill_bag(self) -> None:
        """Put the whole deposit into the bag, if a tile must be drawn and the bag is empty (S28, S32, SR21)."""
        if self._pile_to_fill() is not None and self.bag.total() == 0:
            self.bag, self.deposit = self.deposit, Counter()

    def _outcomes(self) -> dict[Any, int]:
        """What can be drawn now, with weights."""
        if self.stage == "choose first":
            return dict.fromkeys(self.possible_first, 1)
        if self._pile_to_fill() is not None:
            return {colour: self.bag[colour] for colour in colours_in(self.bag)}
        return {}

    def _drawn(self, outcome: Any) -> None:
        if self.stage == "choose first":
            self.first_player = outcome
            self._phase_1()
        else:
            pile = self._pile_to_fill()
            assert pile is not None
            move([outcome], self.bag, pile)

    def _filled(self) -> None:
        """All is filled, or there is no tile left to fill it with (SR3, S32)."""
        if self.stage == "fill supply":
            self.stage = "fill factories"
        elif self.stage == "fill factories" and self.first_player is None:
            self.stage = "choose first"
        elif self.stage == "fill factories":
            self._begin_next_round()
        elif all(self.passed):
            self._end_round()
        else:
            self._next_turn()

    # --------------------------------------------------------------------------------------- phase 1: acquiring tiles

    def _phase_1(self) -> None:
        """The first player begins (S7); with no tile on the table the phase ends at once (SR17)."""
        self.turn = self.first_player
        self.stage = "take"
        if self._nothing_to_take():
            self._phase_2()

    def _nothing_to_take(self) -> bool:
        return self.centre.total() == 0 and all(factory.total() == 0 for factory in self.factories)

    def _takes(self) -> set[str]:
        """Any colour but the wild one, which can be chosen only where there is no other (S10 to S14)."""
        sources = {f"factory {n}": factory for n, factory in enumerate(self.factories, 1)} | {"centre": self.centre}
        names = set()
        for source, pile in sources.items():
            colours = [colour for colour in colours_in(pile) if colour != self.wild] or colours_in(pile)
            names |= {f"take {source} {colour}" for colour in colours}
        return names

    def _take(self, source: Pile, colour: str) -> None:
        """All tiles of a colour and one wild tile, or one wild tile alone (S10 to S15)."""
        seat = self._seat()
        taken = [] if colour == self.wild else [colour] * source[colour]
        if source[self.wild] > 0:
            taken.append(self.wild)
        move(taken, source, self.hands[seat])
        if source is not self.centre:
            move(source.elements(), source, self.centre)  # S12
        elif self.token is None:
            self.token = seat
            self._lose(seat, len(taken))
        if self._nothing_to_take():
            self._phase_2()  # S18
        else:
            self.turn = self._left_of(seat)

    # ------------------------------------------------------------------------------------- phase 2: placing and scoring

    def _phase_2(self) -> None:
        """The token holder begins (S19)."""
        self.turn = self._next_first_player()
        self.stage = "place"

    def _next_turn(self) -> None:
        """Clockwise, without those who have passed (S19, S29)."""
        seat = self._left_of(self._seat())
        while self.passed[seat]:
            seat = self._left_of(seat)
        self.turn = seat
        self.stage = "place"

    def _placements(self) -> set[str]:
        board = self.boards[self._seat()]
        return {
            f"place {star} {p} {colour}"
            for star, p in SPACES
            for colour in COLOURS
            if may_lie(board, (star, p), colour, self.grey) and self._payments((star, p), colour)
        }

    def _payments(self, space: Space, colour: str) -> list[int]:
        """How many of the tiles spent may be wild ones that stand for another colour (S20, S23, S24, SR11)."""
        hand, number = self.hands[self._seat()], number_on(space, self.grey)
        wild_tiles = 0 if colour == self.wild else hand[self.wild]
        # At least one tile of the colour itself: it is laid on the space.
        return [wilds for wilds in range(number) if wilds <= wild_tiles and number - wilds <= hand[colour]]

    def _place(self, space: Space, colour: str, wilds: int) -> None:
        """One tile goes on the board, the others of the payment to the deposit (S20); then points and structures (SR22)."""
        seat = self._seat()
        hand, board = self.hands[seat], self.boards[seat]
        others = [colour] * (number_on(space, self.grey) - 1 - wilds) + [self.wild] * wilds
        move(others, hand, self.deposit)
        assert hand[colour] > 0
        hand[colour] -= 1
        board[space] = colour
        self.building = None
        self.scores[seat] += len(connected(board, space))
        self.owed = min(tiles_owed(board, space), self.supply.total())  # SR3
        self.stage = "bonus" if self.owed else "turn over"

    def _take_bonus(self, colour: str) -> None:
        """One of the supply tiles owed (S27, SR24)."""
        move([colour], self.supply, self.hands[self._seat()])
        self.owed -= 1
        self.lowest = colour
        if self.owed == 0:
            self._end_turn()

    def _from_lowest(self, pile: Pile) -> Pile:
        """The tiles of the pile that ascending order still allows (SR24)."""
        return Counter({colour: pile[colour] for colour in COLOURS[COLOURS.index(self.lowest) :]})

    def _ascending(self, pile: Pile, number: int) -> list[str]:
        """The colours that the next of so many tiles may have, so that the rest can follow in ascending order (SR24)."""
        allowed = self._from_lowest(pile)
        colours = COLOURS[COLOURS.index(self.lowest) :]
        return [
            colour
            for i, colour in enumerate(colours)
            if allowed[colour] > 0 and sum(allowed[later] for later in colours[i:]) >= number
        ]

    # -------------------------------------------------------------------------------------------------------- passing

    def _ways_to_pass(self) -> set[str]:
        """Pass, with up to four tiles; with more, the first tile to throw away (S29, SR6, SR7)."""
        hand = self.hands[self._seat()]
        if self.round == ROUNDS:
            return {"pass"}
        too_many = max(0, hand.total() - CORNERS)
        names = set() if too_many else {"pass"}
        if too_many or self.keep == "any":
            names |= {f"discard {colour}" for colour in self._ascending(hand, too_many)}
        return names

    def _discard(self, colour: str) -> None:
        """A tile goes to the deposit and costs a point (S29, SR2)."""
        seat = self._seat()
        hand = self.hands[seat]
        move([colour], hand, self.deposit)
        self._lose(seat, 1)
        self.stage, self.lowest = "discard", colour
        if self.keep == "most" and hand.total() <= CORNERS:
            self._pass()

    def _pass(self) -> None:
        """What is left goes on the corners, in round 6 to the deposit (S29, SR7)."""
        seat = self._seat()
        hand = self.hands[seat]
        if self.round == ROUNDS:
            self._lose(seat, hand.total())
            move(hand.elements(), hand, self.deposit)
        move(hand.elements(), hand, self.corners[seat])
        self.passed[seat] = True
        self._end_turn()

    def _end_turn(self) -> None:
        """The supply is filled before the next turn, after a pass too (S28, SR5, SR22)."""
        self.lowest = COLOURS[0]
        self.stage = "turn over"

    # ----------------------------------------------------------------------------------- phase 3 and the end of the game

    def _end_round(self) -> None:
        """Prepare the next round, or finish the game (S31, S32)."""
        if self.round == ROUNDS:
            self._finish()
        else:
            self.first_player = self._next_first_player()
            self.round += 1
            self.stage = "fill factories"

    def _begin_next_round(self) -> None:
        """The token goes back to the centre, the tiles of the corners beside the boards (S33)."""
        self.token = None
        for seat in self.seats:
            move(self.corners[seat].elements(), self.corners[seat], self.hands[seat])
        self.passed = [False for _ in self.seats]
        self._phase_1()

    def _finish(self) -> None:
        """Points for stars and numbers (S34, S35); no tile can lie on a corner, so S36 has no effect (SR7)."""
        for seat in self.seats:
            self.scores[seat] += final_points(self.boards[seat], self.grey)
        self.turn = None
        self.stage = "over"

    # -------------------------------------------------------------------------------------------------------- helpers

    def _seat(self) -> int:
        assert self.turn is not None
        return self.turn

    def _building(self) -> tuple[Space, str]:
        assert self.building is not None
        return self.building

    def _left_of(self, seat: int) -> int:
        """The next seat clockwise."""
        return (seat + 1) % self.num_players

    def _next_first_player(self) -> int | None:
        """The token holder; the same player as before if nobody took the token (SR1)."""
        return self.first_player if self.token is None else self.token

    def _lose(self, seat: int, points: int) -> None:
        """Never below 0 (S17, SR2)."""
        self.scores[seat] = max(0, self.scores[seat] - points)
