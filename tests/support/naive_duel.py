"""A slow and obvious Azul Duel, written from the rules alone: the second opinion for the fast engine.

Numbers in comments are those of RULES.md (D rules, R rulings). Nothing here is meant to be quick. The whole game is one
coroutine: it yields a `Decision` or a `Chance` and is sent the action id or the outcome.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any, TypeVar

COLOURS = "BTRYK"
SPECIAL_TILE = 5
SPECIAL, WILD = 0, 1  # kinds of dome tile (its back)
SMALL = range(4)
LARGE = 4
BROKEN = 6  # destination "broken-tile space"
ON_FACTORY = "factory"

# B.1: top left, top right, bottom left, bottom right
PLATES = [
    "YKT*", "WBTK", "TRBW", "KYRW", "K*TR", "TYWK", "*KRB", "YBK*", "TRB*",
    "YRWB", "Y*KR", "TKRW", "BK*T", "RTYW", "TBWY", "*TYB", "RWBK", "*YBR",
]  # fmt: skip
CHIPS = ["B", "T", "R", "Y", "K", "TY", "BR", "RT", "BK", "KY"]  # B.2, two of each
BROKEN_COST = [1, 2, 3, 4]  # B.4
CORNER_VALUE = {0: 3, 2: 3, 6: 8, 8: 8}  # B.4, by dome slot
ROWS, COLUMNS, DIAGONALS, WILDS, FIVE_COLOURS, BORDER, CORNERS, EMPTY_SPECIALS = range(8)

SUN, MOON, DOME_DISPLAY, DOME_DRAW, BONUS_TAKE, DOME_STOP = 0, 175, 210, 318, 319, 323
DOME_CHOOSE, DOME_PLACE, MOON_ORDER, TILE_COLUMN, CHIP_SPEND, CHIP_DECLINE = 324, 342, 378, 383, 389, 399


@dataclass
class Decision:
    """A player has to choose one of these action ids."""

    player: int
    legal: set[int]


@dataclass
class Chance:
    """Something random has to happen: outcome -> weight."""

    name: str
    weights: dict[int, int]


T = TypeVar("T")
Script = Generator[Decision | Chance, int, T]  # yields requests, is sent answers, returns T


# ---------------------------------------------------------------------------------------------- pieces and payments


def kind_of(plate: int) -> int:
    """What the back of a dome tile shows (D5)."""
    return WILD if "W" in PLATES[plate] else SPECIAL


def turned(plate: int, rotation: int) -> str:
    """The layout of a dome tile after some clockwise quarter turns (D31)."""
    layout = PLATES[plate]
    for _ in range(rotation):
        top_left, top_right, bottom_left, bottom_right = list(layout)
        layout = bottom_left + top_left + bottom_right + top_right
    return layout


def scoring_masks(tiles: int) -> list[int]:
    """All sets of conditions with this many scoring tiles, one side each, as bit masks (D14, B.3, R40)."""
    masks = []
    for chosen in combinations(range(4), tiles):
        for sides in product((0, 1), repeat=tiles):
            masks.append(sum(1 << (tile + 4 * side) for tile, side in zip(chosen, sides, strict=True)))
    return masks


@cache
def two_colour_orders(bag: tuple[int, ...], sun: tuple[int, ...], still: int) -> int:
    """In how many orders can so many tiles still come from the bag, so that the sun shows two colours in the end (D17)?"""
    if still == 0:
        return int(len([count for count in sun if count]) > 1)
    orders = 0
    for colour in range(5):
        if bag[colour] > 0:
            fewer, more = list(bag), list(sun)
            fewer[colour] -= 1
            more[colour] += 1
            orders += bag[colour] * two_colour_orders(tuple(fewer), tuple(more), still - 1)
    return orders


def shows(chip: int, colour: int) -> bool:
    """Does this kind of chip show the colour (D71)?"""
    return COLOURS[colour] in CHIPS[chip]


@cache
def is_payment(chips: tuple[int, ...], colour: int, missing: int) -> bool:
    """Can the chips be split, none left over, into a pair or a triple for each missing tile (D70, D72, R29, R31)?"""
    if missing == 0:
        return not chips
    if not 2 * missing <= len(chips) <= 3 * missing:
        return False
    # The first chip is in some group: try all groups.
    first, rest = chips[0], chips[1:]
    groups: list[tuple[int, ...]] = list(combinations(range(len(rest)), 2))
    if shows(first, colour):
        groups += [(i,) for i in range(len(rest)) if shows(rest[i], colour)]
    return any(is_payment(tuple(c for i, c in enumerate(rest) if i not in g), colour, missing - 1) for g in groups)


def contains(big: Iterable[int], small: Iterable[int]) -> bool:
    """Is the multiset `small` part of the multiset `big`?"""
    left = list(big)
    for item in small:
        if item not in left:
            return False
        left.remove(item)
    return True


def all_payments(chips: list[int], colour: int, missing: int) -> list[tuple[int, ...]]:
    """All payments from these chips (sorted multisets)."""
    sizes = range(2 * missing, 3 * missing + 1)
    multisets = {group for size in sizes for group in combinations(sorted(chips), size)}
    return [group for group in multisets if is_payment(group, colour, missing)]


def undominated_payments(chips: list[int], colour: int, missing: int) -> list[tuple[int, ...]]:
    """Those without a smaller payment inside (R30)."""
    payments = all_payments(chips, colour, missing)
    return [p for p in payments if not any(q != p and contains(p, q) for q in payments)]


# ------------------------------------------------------------------------------------------------------- action ids


def sun_id(factory: int, colour: int, destination: int) -> int:
    """Action B."""
    return SUN + (factory * 5 + colour) * 7 + destination


def moon_id(colour: int, destination: int) -> int:
    """Action C."""
    return MOON + colour * 7 + destination


def display_id(place: int, slot: int, rotation: int) -> int:
    """Action A from the display."""
    return DOME_DISPLAY + (place * 9 + slot) * 4 + rotation


def place_id(slot: int, rotation: int) -> int:
    """Placing the kept dome tile."""
    return DOME_PLACE + slot * 4 + rotation


# ------------------------------------------------------------------------------------------------------------- game


class NaiveDuel:
    """One game of Azul Duel; see the module docstring."""

    def __init__(
        self,
        scoring_tiles: int = 3,
        zero_point_draw: str = "free",
        special_counts_as_colour: bool = True,
        chip_payments: str = "undominated",
    ) -> None:
        if scoring_tiles not in (3, 4) or zero_point_draw not in ("free", "forced_only"):
            raise ValueError("unknown option")
        self.payments = {"undominated": undominated_payments, "all": all_payments}[chip_payments]
        self.scoring_tiles = scoring_tiles
        self.zero_point_draw = zero_point_draw
        self.special_counts_as_colour = special_counts_as_colour

        self.round = 1
        self.over = False
        self.winner: int | None = None
        self.first_player: int | None = None
        self.first_player_tile: str | int = ON_FACTORY  # D15
        self.scores = [5, 5]  # D12
        self.scoring: list[int] = []
        self.bag = [13] * 5  # D4
        self.tower = [0] * 5
        self.suns = [[0] * 5 for _ in range(5)]
        self.moons: list[list[int]] = [[] for _ in SMALL]
        self.large_moon = [0] * 5
        self.chips: list[str | int | None] = [None] * 4
        self.unseen_chips = [2] * 10  # D6
        self.unseen_plates = list(range(18))  # ids nobody has looked at
        self.unseen_in_stack = 18  # D13: these lie above ...
        self.put_back: list[int] = []  # ... the ones that were returned (D30)
        self.top_kind: int | None = None
        self.display: list[int | None] = [None] * 3
        self.hand: list[tuple[int, int | None]] = []  # (kind, id or None)
        self.kept: int | None = None
        self.lines: list[list[list[Any]]] = [[[None, 0] for _ in range(6)] for _ in range(2)]
        self.domes: list[list[tuple[int, int] | None]] = [[None] * 9 for _ in range(2)]
        self.tiles: list[list[list[int | None]]] = [[[None] * 6 for _ in range(6)] for _ in range(2)]
        self.broken = [[0] * 5 for _ in range(2)]
        self.tokens = [2, 2]
        self.chips_up = [[0] * 10 for _ in range(2)]
        self.chips_down = [[0] * 10 for _ in range(2)]
        self.chips_taken = [0, 0]

        self._request: Decision | Chance | None = None
        self._script = self._game()
        self._go_on(None)

    # ------------------------------------------------------------------------------------------------ outside view

    @property
    def player(self) -> int | None:
        """Who decides now."""
        return self._request.player if isinstance(self._request, Decision) else None

    def chance(self) -> tuple[str, dict[int, int]] | None:
        """The chance event that is due, with its weights."""
        if isinstance(self._request, Chance):
            return self._request.name, dict(self._request.weights)
        return None

    def apply_chance(self, outcome: int) -> None:
        """Let the due chance event end this way."""
        if not isinstance(self._request, Chance) or outcome not in self._request.weights:
            raise ValueError(f"impossible chance outcome {outcome}")
        self._go_on(outcome)

    def legal_actions(self) -> set[int]:
        """The action ids the deciding player may choose."""
        return set(self._request.legal) if isinstance(self._request, Decision) else set()

    def step(self, action: int) -> None:
        """Carry out an action."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action}")
        self._go_on(action)

    def to_dict(self) -> dict[str, Any]:
        """The complete state in plain lists."""
        return deepcopy(
            {
                "round": self.round,
                "over": self.over,
                "first_player": self.first_player,
                "first_player_tile": self.first_player_tile,
                "scores": self.scores,
                "scoring": self.scoring,
                "bag": self.bag,
                "tower": self.tower,
                "suns": self.suns,
                "moons": self.moons,
                "large_moon": self.large_moon,
                "chips": self.chips,
                "display": self.display,
                "stack": self._stack_size(),
                "put_back": self.put_back,
                "top_kind": self.top_kind,
                "hand": [plate for _, plate in self.hand],
                "kept": self.kept,
                "lines": self.lines,
                "domes": [[None if p is None else list(p) for p in dome] for dome in self.domes],
                "tiles": self.tiles,
                "broken": self.broken,
                "tokens": self.tokens,
                "chips_up": self.chips_up,
                "chips_down": self.chips_down,
                "chips_taken": self.chips_taken,
            }
        )

    # ------------------------------------------------------------------------------------------------ the coroutine

    def _go_on(self, value: int | None) -> None:
        """Run the script up to its next request."""
        try:
            self._request = next(self._script) if value is None else self._script.send(value)
        except StopIteration:
            self._request = None

    def _chance(self, name: str, weights: dict[int, int]) -> Script[int]:
        """Ask for an outcome, unless only one is possible."""
        possible = {outcome: weight for outcome, weight in weights.items() if weight > 0}
        if len(possible) == 1:
            return next(iter(possible))
        return (yield Chance(name, possible))

    def _choose(self, player: int, legal: set[int]) -> Script[int]:
        """Ask for a sub-decision, unless only one action is legal."""
        if len(legal) == 1:
            return next(iter(legal))
        return (yield Decision(player, legal))

    def _game(self) -> Script[None]:
        """A whole game (D23, D85)."""
        yield from self._setup()
        yield from self._opening()
        while True:
            yield from self._acquisition()
            yield from self._dome_tiling()
            if self.round == 5:
                break
            yield from self._preparation()
        self._final_scoring()

    # --------------------------------------------------------------------------------------------------- the setup

    def _setup(self) -> Script[None]:
        """D12 to D19."""
        yield from self._look_at_back()
        yield from self._fill_display()
        mask = yield from self._chance("scoring", dict.fromkeys(scoring_masks(self.scoring_tiles), 1))
        self.scoring = [condition for condition in range(8) if mask >> condition & 1]
        yield from self._fill_factories()
        self.first_player = yield from self._chance("first", {0: 1, 1: 1})

    def _opening(self) -> Script[None]:
        """The other player, then the first player, takes a dome tile from the display (D20 to D22, R48, R53)."""
        assert self.first_player is not None
        for player in (1 - self.first_player, self.first_player):
            action = yield Decision(player, self._display_actions(player))
            self._take_from_display(player, action)
            yield from self._fill_display()

    # ------------------------------------------------------------------------------------------ the stack and display

    def _stack_size(self) -> int:
        return self.unseen_in_stack + len(self.put_back)

    def _look_at_back(self) -> Script[None]:
        """The back of the tile that is now on top of the stack becomes visible (D29, R3)."""
        if self.unseen_in_stack:
            weights = {}
            for kind in (SPECIAL, WILD):
                unseen = len([plate for plate in self.unseen_plates if kind_of(plate) == kind])
                in_hand = len([1 for hand_kind, plate in self.hand if plate is None and hand_kind == kind])
                weights[kind] = unseen - in_hand
            self.top_kind = yield from self._chance("top", weights)
        else:
            self.top_kind = kind_of(self.put_back[0]) if self.put_back else None

    def _lift_top(self) -> tuple[int, int | None]:
        """Take the top tile off the stack: its kind, and its id if it was put back earlier. The new top is not seen."""
        kind = self.top_kind
        assert kind is not None
        self.top_kind = None
        if self.unseen_in_stack:
            self.unseen_in_stack -= 1
            return kind, None
        return kind, self.put_back.pop(0)

    def _look_at_front(self, kind: int) -> Script[int]:
        """Somebody looks at a dome tile for the first time."""
        plate = yield from self._chance("front", {p: 1 for p in self.unseen_plates if kind_of(p) == kind})
        self.unseen_plates.remove(plate)
        return plate

    def _fill_display(self) -> Script[None]:
        """Refill the display as far as the stack goes (D13, D20, D81)."""
        for place in range(3):
            if self.display[place] is None and self._stack_size():
                if self.unseen_in_stack:
                    assert self.top_kind is not None
                    plate: int | None = yield from self._look_at_front(self.top_kind)
                    self._lift_top()
                else:
                    _, plate = self._lift_top()
                self.display[place] = plate
                yield from self._look_at_back()

    # --------------------------------------------------------------------------------------------------- factories

    def _fill_factories(self) -> Script[None]:
        """Large factory, then the small ones with their chips (D16 to D18, D81, D83, R12)."""
        yield from self._fill_large_factory()
        for factory in SMALL:
            yield from self._fill_sun(factory, 4)
            self.chips[factory] = "down"
            yield from self._reveal_chips([factory])

    def _fill_large_factory(self) -> Script[None]:
        """Five tiles, drawn again as long as all have one colour and the bag offers another (D17, R9, R10).

        From a bag that holds five they are drawn with the odds that come out of that; else five equal ones do go back, once.
        """
        if sum(self.bag) == 0:
            self.bag, self.tower = self.tower, [0] * 5
        if sum(self.bag) >= 5:
            yield from self._draw_two_colours()
            return
        yield from self._fill_sun(LARGE, 5)
        sun = self.suns[LARGE]
        if max(sun) == 5 and any(self.bag[c] for c in range(5) if sun[c] == 0):
            self.bag = [self.bag[c] + sun[c] for c in range(5)]
            self.suns[LARGE] = [0] * 5
            yield from self._draw_two_colours()

    def _draw_two_colours(self) -> Script[None]:
        """Five tiles from a bag that holds them, as if all were drawn again until they show two colours (D17); if they can (R9)."""
        for still in (4, 3, 2, 1, 0):
            weights = {}
            for colour in range(5):
                bag, sun = list(self.bag), list(self.suns[LARGE])
                bag[colour] -= 1
                sun[colour] += 1
                weights[colour] = self.bag[colour] * two_colour_orders(tuple(bag), tuple(sun), still)
            if not any(weights.values()):
                weights = dict(enumerate(self.bag))
            colour = yield from self._chance("tile", weights)
            self.bag[colour] -= 1
            self.suns[LARGE][colour] += 1

    def _fill_sun(self, factory: int, count: int) -> Script[None]:
        """Draw tiles onto a sun; an empty bag is refilled from the tower only when a tile is needed (D82, D83, R50)."""
        for _ in range(count):
            if sum(self.bag) == 0:
                self.bag, self.tower = self.tower, [0] * 5
            if sum(self.bag) == 0:
                return
            colour = yield from self._chance("tile", dict(enumerate(self.bag)))
            self.bag[colour] -= 1
            self.suns[factory][colour] += 1

    def _reveal_chips(self, factories: Iterable[int]) -> Script[None]:
        """Turn up the chips of the small factories without tiles (D39, D43, R17)."""
        for factory in factories:
            empty = sum(self.suns[factory]) == 0 and not self.moons[factory]
            if self.chips[factory] == "down" and empty:
                chip = yield from self._chance("chip", dict(enumerate(self.unseen_chips)))
                self.unseen_chips[chip] -= 1
                self.chips[factory] = chip

    # ----------------------------------------------------------------------------------------- phase 1: acquisition

    def _acquisition(self) -> Script[None]:
        """Turns alternate; who can't act is passed over; when neither can, the phase ends (D24, D55 to D59, R19)."""
        assert self.first_player is not None
        player = self.first_player
        while True:
            if not self._turn_actions(player):
                player = 1 - player
            legal = self._turn_actions(player)
            if not legal:
                return
            action = yield Decision(player, legal)
            yield from self._turn(player, action)
            player = 1 - player

    def _turn_actions(self, player: int) -> set[int]:
        """Actions A, B, C and D that are open to the player."""
        legal = self._sun_actions(player) | self._moon_actions(player) | self._bonus_actions(player)
        if self._may_place_plate(player):
            legal |= self._display_actions(player)
            if self._may_draw_first(player):
                legal.add(DOME_DRAW)
        return legal

    def _turn(self, player: int, action: int) -> Script[None]:
        """Carry out one turn."""
        if action < MOON:
            yield from self._take_sun(player, action)
        elif action < DOME_DISPLAY:
            self._take_moons(player, action)
        elif action < DOME_DRAW:
            self.tokens[player] -= 1  # D25
            self._take_from_display(player, action)
        elif action == DOME_DRAW:
            self.tokens[player] -= 1  # D25
            yield from self._draw_plates(player)
        else:
            self._take_chip(player, action - BONUS_TAKE)
        yield from self._reveal_chips(SMALL)

    # Action A

    def _may_place_plate(self, player: int) -> bool:
        """D25, D33."""
        return self.round <= 4 and self.tokens[player] > 0

    def _placements(self, player: int) -> list[tuple[int, int]]:
        """Every empty slot in every orientation (D31, D32, R52)."""
        return [(slot, turn) for slot in range(9) if self.domes[player][slot] is None for turn in range(4)]

    def _display_actions(self, player: int) -> set[int]:
        """One face-up dome tile onto an empty slot (D26)."""
        places = [place for place in range(3) if self.display[place] is not None]
        return {display_id(place, slot, turn) for place in places for slot, turn in self._placements(player)}

    def _take_from_display(self, player: int, action: int) -> None:
        """Display tile to the dome; no refill here (D26, D27)."""
        for place in range(3):
            for slot, turn in self._placements(player):
                if display_id(place, slot, turn) == action:
                    plate = self.display[place]
                    assert plate is not None
                    self.display[place] = None
                    self.domes[player][slot] = (plate, turn)
                    return

    def _may_draw_further(self, player: int) -> bool:
        """A second or later draw of one action (D28, R1, R2)."""
        return self._stack_size() > 0 and (self.zero_point_draw == "free" or self.scores[player] > 0)

    def _may_draw_first(self, player: int) -> bool:
        """The first draw is also open on 0 points if the display is empty (R1)."""
        forced = self._stack_size() > 0 and all(plate is None for plate in self.display)
        return self._may_draw_further(player) or forced

    def _draw_plates(self, player: int) -> Script[None]:
        """Draw, look, keep one, return the others, place (D28 to D31)."""
        while True:
            self.scores[player] = max(0, self.scores[player] - 1)  # R8
            self.hand.append(self._lift_top())
            yield from self._look_at_back()
            if not self._may_draw_further(player):
                break
            action = yield from self._choose(player, {DOME_DRAW, DOME_STOP})
            if action == DOME_STOP:
                break
        for i, (kind, plate) in enumerate(self.hand):
            if plate is None:
                seen = yield from self._look_at_front(kind)
                self.hand[i] = (kind, seen)
        in_hand = {DOME_CHOOSE + plate for _, plate in self.hand if plate is not None}
        self.kept = (yield from self._choose(player, in_hand)) - DOME_CHOOSE  # R6
        yield from self._return_plates(player)
        action = yield from self._choose(player, {place_id(*where) for where in self._placements(player)})
        for slot, turn in self._placements(player):
            if place_id(slot, turn) == action:
                self.domes[player][slot] = (self.kept, turn)
        self.hand = []
        self.kept = None

    def _return_plates(self, player: int) -> Script[None]:
        """All but the kept dome tile go under the stack in any order, the first one uppermost (D30, R5)."""
        while len(self.hand) > 1:
            others = {DOME_CHOOSE + plate for _, plate in self.hand if plate is not None and plate != self.kept}
            plate = (yield from self._choose(player, others)) - DOME_CHOOSE
            self.hand.remove((kind_of(plate), plate))
            self.put_back.append(plate)
            if self._stack_size() == 1:
                yield from self._look_at_back()

    # Actions B and C

    def _destinations(self, player: int, colour: int) -> list[int]:
        """Lines that take the colour, and the broken-tile space (D46 to D50, R14, R15)."""
        fitting = []
        for line in range(6):
            line_colour, count = self.lines[player][line]
            if count == 0 or (line_colour == colour and count < line + 1):
                fitting.append(line)
        return [*fitting, BROKEN]

    def _sun_actions(self, player: int) -> set[int]:
        """D36."""
        takes = [(factory, colour) for factory in range(5) for colour in range(5) if self.suns[factory][colour]]
        return {sun_id(f, colour, to) for f, colour in takes for to in self._destinations(player, colour)}

    def _moon_actions(self, player: int) -> set[int]:
        """D41."""
        colours = {moon[-1] for moon in self.moons if moon} | {c for c in range(5) if self.large_moon[c]}
        return {moon_id(colour, to) for colour in colours for to in self._destinations(player, colour)}

    def _take_sun(self, player: int, action: int) -> Script[None]:
        """Take one colour from a sun; the rest goes to the moon of that factory (D36 to D40)."""
        factory, colour, destination = next(
            (f, c, to) for f in range(5) for c in range(5) for to in range(7) if sun_id(f, c, to) == action
        )
        sun = self.suns[factory]
        count, sun[colour] = sun[colour], 0
        self._put_tiles(player, colour, count, destination)
        if factory == LARGE:
            self.large_moon = [self.large_moon[c] + sun[c] for c in range(5)]  # D38
            self.suns[LARGE] = [0] * 5
            return
        while sum(sun):  # D37, from the bottom up
            pick = (yield from self._choose(player, {MOON_ORDER + c for c in range(5) if sun[c]})) - MOON_ORDER
            sun[pick] -= 1
            self.moons[factory].append(pick)

    def _take_moons(self, player: int, action: int) -> None:
        """Take every top tile of a colour and all such tiles of the large moon (D41 to D44, R16)."""
        colour, destination = next((c, to) for c in range(5) for to in range(7) if moon_id(c, to) == action)
        count = 0
        for moon in self.moons:
            if moon and moon[-1] == colour:
                moon.pop()
                count += 1
        if self.large_moon[colour]:
            count += self.large_moon[colour]
            self.large_moon[colour] = 0
            if self.first_player_tile == ON_FACTORY:
                self.first_player_tile = player
        self._put_tiles(player, colour, count, destination)

    def _put_tiles(self, player: int, colour: int, count: int, destination: int) -> None:
        """All tiles to one line, what does not fit is broken; or all of them are broken (D46, D48, D50)."""
        if destination != BROKEN:
            line = self.lines[player][destination]
            line[0] = colour
            while count and line[1] < destination + 1:
                line[1] += 1
                count -= 1
        self._break_tiles(player, colour, count)

    def _break_tiles(self, player: int, colour: int, count: int) -> None:
        """Four broken tiles find room, further ones go to the tower (D51)."""
        for _ in range(count):
            if sum(self.broken[player]) < 4:
                self.broken[player][colour] += 1
            else:
                self.tower[colour] += 1

    # Action D

    def _bonus_actions(self, player: int) -> set[int]:
        """Revealed chips, two per round (D52, D53, R18)."""
        if self.chips_taken[player] == 2:
            return set()
        return {BONUS_TAKE + factory for factory in SMALL if isinstance(self.chips[factory], int)}

    def _take_chip(self, player: int, factory: int) -> None:
        chip = self.chips[factory]
        assert isinstance(chip, int)
        self.chips[factory] = None
        self.chips_up[player][chip] += 1
        self.chips_taken[player] += 1

    # ----------------------------------------------------------------------------------------- phase 2: dome tiling

    def _dome_tiling(self) -> Script[None]:
        """The round's first player completely, then the other (D60, R20)."""
        assert self.first_player is not None
        for player in (self.first_player, 1 - self.first_player):
            yield from self._tile_dome(player)

    def _tile_dome(self, player: int) -> Script[None]:
        """Lines from top to bottom, then the tower, then the penalties (D61 to D67, D80)."""
        moved = []
        for line in range(6):
            if (yield from self._examine_line(player, line)):
                moved.append(line)
        for line in moved:  # D67, R33: physical tiles only
            colour, count = self.lines[player][line]
            if count:
                self.tower[colour] += count
            self.lines[player][line] = [None, 0]
        self._pay_penalties(player)

    def _examine_line(self, player: int, line: int) -> Script[bool]:
        """One line; tells whether a tile was moved to the dome (D62 to D65, D69)."""
        colour, count = self.lines[player][line]
        if count == 0:
            return False
        columns = self._accepting_columns(player, line, colour)
        if not columns:
            if self._row_has_three_plates(player, line):  # D65, R24
                self.lines[player][line] = [None, 0]
                self._break_tiles(player, colour, count)
            return False  # otherwise the tiles stay: D64
        if count < line + 1:
            complete = yield from self._offer_chips(player, colour, line + 1 - count)
            if not complete:
                return False
        action = yield from self._choose(player, {TILE_COLUMN + column for column in columns})  # D62, R21, R22
        left = count - 1
        self.lines[player][line] = [colour if left else None, left]
        self._place_tile(player, line, action - TILE_COLUMN, colour)
        return True

    def _space(self, player: int, row: int, column: int) -> str | None:
        """What is printed on a space: a colour letter, *, W; None without a dome tile (D9)."""
        placed = self.domes[player][row // 2 * 3 + column // 2]
        return None if placed is None else turned(*placed)[row % 2 * 2 + column % 2]

    def _accepting_columns(self, player: int, row: int, colour: int) -> list[int]:
        """Free spaces of the row with this colour, and free wild ones (D62, R25)."""
        free = [column for column in range(6) if self.tiles[player][row][column] is None]
        return [column for column in free if self._space(player, row, column) in (COLOURS[colour], "W")]

    def _row_has_three_plates(self, player: int, row: int) -> bool:
        return all(self._space(player, row, column) is not None for column in range(6))

    def _offer_chips(self, player: int, colour: int, missing: int) -> Script[bool]:
        """Finish the line with chips? Asked chip by chip, up to a payment that the player finds enough (D69 to D74, R26 to R30)."""
        held = [chip for chip in range(10) for _ in range(self.chips_up[player][chip])]
        payments = self.payments(held, colour, missing)
        spent: list[int] = []
        while True:
            legal = {CHIP_SPEND + chip for chip in range(10) if any(contains(p, [*spent, chip]) for p in payments)}
            complete = is_payment(tuple(sorted(spent)), colour, missing)
            if complete or not spent:
                legal.add(CHIP_DECLINE)
            action = yield from self._choose(player, legal)
            if action == CHIP_DECLINE:
                return complete
            chip = action - CHIP_SPEND
            spent.append(chip)
            self.chips_up[player][chip] -= 1
            self.chips_down[player][chip] += 1  # D73

    def _place_tile(self, player: int, row: int, column: int, colour: int) -> None:
        """Place and score a tile, then perhaps a special tile (D63, D66, D76 to D78, R34, R35)."""
        tiles = self.tiles[player]
        tiles[row][column] = colour
        self.scores[player] += self._placement_points(player, row, column)
        block = self._block(row // 2 * 3 + column // 2)
        specials = [(r, c) for r, c in block if self._space(player, r, c) == "*"]
        others = [(r, c) for r, c in block if self._space(player, r, c) != "*"]
        if all(tiles[r][c] is not None for r, c in others):
            for r, c in specials:
                tiles[r][c] = SPECIAL_TILE
                self.scores[player] += r + 1

    def _block(self, slot: int) -> list[tuple[int, int]]:
        """The four spaces of a dome slot."""
        return [(slot // 3 * 2 + r, slot % 3 * 2 + c) for r in (0, 1) for c in (0, 1)]

    def _placement_points(self, player: int, row: int, column: int) -> int:
        """Lengths of the runs through the new tile, if longer than 1; else 1 point (D76, D77)."""
        across = 1 + self._walk(player, row, column, 0, -1) + self._walk(player, row, column, 0, 1)
        down = 1 + self._walk(player, row, column, -1, 0) + self._walk(player, row, column, 1, 0)
        return sum(run for run in (across, down) if run >= 2) or 1

    def _walk(self, player: int, row: int, column: int, step_down: int, step_right: int) -> int:
        """How many tiles follow without a gap in this direction."""
        steps = 0
        while True:
            row, column = row + step_down, column + step_right
            if not (0 <= row < 6 and 0 <= column < 6) or self.tiles[player][row][column] is None:
                return steps
            steps += 1

    def _pay_penalties(self, player: int) -> None:
        """Broken tiles and the first-player tile (D80, R42, R43)."""
        cost = sum(BROKEN_COST[: sum(self.broken[player])])
        if self.first_player_tile == player:
            cost += 2
        self.scores[player] = max(0, self.scores[player] - cost)
        self.tower = [self.tower[c] + self.broken[player][c] for c in range(5)]
        self.broken[player] = [0] * 5

    # ----------------------------------------------------------------------------------------- phase 3: preparation

    def _preparation(self) -> Script[None]:
        """The next round (D81 to D84, R11)."""
        self.round += 1
        self.tokens = [2, 2]
        self.chips_taken = [0, 0]
        yield from self._fill_display()
        yield from self._fill_factories()
        if isinstance(self.first_player_tile, int):
            self.first_player = self.first_player_tile
        self.first_player_tile = ON_FACTORY

    # ---------------------------------------------------------------------------------------------- end of the game

    def _final_scoring(self) -> None:
        """Scoring tiles, then the winner (D85, D94, R38, R41)."""
        for player in range(2):
            points = sum(self._condition_points(player, condition) for condition in self.scoring)
            self.scores[player] = max(0, self.scores[player] + points)
        self.over = True
        if self.scores[0] != self.scores[1]:
            self.winner = 0 if self.scores[0] > self.scores[1] else 1
        elif isinstance(self.first_player_tile, int):
            self.winner = self.first_player_tile

    def _condition_points(self, player: int, condition: int) -> int:
        """Points of one scoring tile (D86 to D93, R45 to R47)."""
        tiles = self.tiles[player]
        spaces = [(row, column) for row in range(6) for column in range(6)]

        def full(some: Iterable[tuple[int, int]]) -> bool:
            return all(tiles[row][column] is not None for row, column in some)

        if condition == ROWS:
            return sum(3 for row in range(6) if full((row, c) for c in range(6)))
        if condition == COLUMNS:
            return sum(7 for column in range(6) if full((r, column) for r in range(6)))
        if condition == DIAGONALS:
            down, up = [(i, i) for i in range(6)], [(i, 5 - i) for i in range(6)]
            return sum(10 for diagonal in (down, up) if full(diagonal))
        if condition == WILDS:
            wilds = [space for space in spaces if self._space(player, *space) == "W"]
            return 2 * len(wilds) if full(wilds) else 0
        if condition == FIVE_COLOURS:
            return sum(4 for row in range(6) if self._has_five_colours(tiles[row]))
        if condition == BORDER:
            border = [(r, c) for r, c in spaces if r in (0, 5) or c in (0, 5)]
            return sum(1 for space in border if full([space]))
        if condition == CORNERS:
            return sum(value for slot, value in CORNER_VALUE.items() if full(self._block(slot)))
        assert condition == EMPTY_SPECIALS
        return sum(-3 for space in spaces if self._space(player, *space) == "*" and not full([space]))

    def _has_five_colours(self, row: list[int | None]) -> bool:
        """Five tiles of different colours; a special tile may be one of them (D90, R36, R37)."""
        present = [tile for tile in row if tile is not None]
        if not self.special_counts_as_colour:
            present = [tile for tile in present if tile != SPECIAL_TILE]
        return any(len(set(five)) == 5 for five in combinations(present, 5))
