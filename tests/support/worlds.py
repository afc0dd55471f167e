"""What a player may know, said a second time and in plain Python, and all the states that he can't tell apart.

Written from the docstring of ``azul_duel_env.games.duel.knowledge``, not from its code nor from the observation.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

from azul_duel_env.game import Position
from azul_duel_env.games.duel.components import EMPTY, KIND_OF, UNKNOWN
from azul_duel_env.games.duel.state import DRAWING

PUBLIC = (
    *("scores", "round_number", "stage", "player", "active", "first_player", "first_player_tile"),
    *("zero_point_draw_free", "special_counts_as_colour", "chip_payments_all", "scoring"),
    *("bag", "tower", "suns", "moons", "large_moon", "factory_chips", "chips_unseen", "display", "stack_unseen"),
    *("lines", "line_colours", "domes", "tiles", "broken", "tokens", "chips_up", "chips_down", "chips_taken"),
    *("ordering", "line", "paid_matching", "paid_other"),
)
"""Fields that everybody knows. Not among them, though no secret: how many decisions were made, and what only says how draws happen
(``rng``, ``explicit_chance``, ``chance``, ``filling``, ``tipped_midway``); ``num_scoring_tiles`` follows from ``scoring``."""


def returns_of(s: Any) -> list[list[int]]:
    """The places of the dome tiles put back, one list a return, from the top down."""
    returns: list[list[int]] = []
    for place, tile in enumerate(s.put_back):
        if tile != EMPTY:
            if s.put_back_starts[place] or not returns:
                returns.append([])
            returns[-1].append(place)
    return returns


def kinds(tiles: list[int]) -> tuple[int, int]:
    """How many special and wild tiles."""
    count = Counter(int(KIND_OF[tile]) for tile in tiles)
    return count[0], count[1]


def knowledge(position: Position, viewer: int) -> tuple[Any, ...]:
    """All that one player may know of a position, as a nested tuple: equal for two positions he can't tell apart."""
    s = position.states[0]
    other = 1 - viewer
    acting = s.active == viewer
    filled = [place for place, tile in enumerate(s.put_back) if tile != EMPTY]
    chosen_now = [] if acting else filled[len(filled) - s.returned :]  # the other's, of the action under way

    mine: list[tuple[int, int, int]] = []  # tile, where, whether the other player has looked at it
    theirs: list[int] = []  # tiles that only the other player may know
    stack: list[tuple[Any, ...]] = []
    for places in returns_of(s):
        shown = [place for place in places if place not in chosen_now]
        tiles = [int(s.put_back[place]) for place in shown]
        if not shown:
            continue
        if s.put_back_by[shown[0]] == viewer:
            mine += [(tile, place, int(s.looked_at[other, tile])) for tile, place in zip(tiles, shown, strict=True)]
            stack.append(("mine", len(shown)))
        else:
            theirs += tiles
            stack.append(("other's", len(shown), kinds(tiles)))
    shown = [place for place in filled if place not in chosen_now]
    top: int | None = None
    if s.stack_unseen > 0:
        top = int(s.top_kind)
    elif shown:
        top = int(KIND_OF[s.put_back[shown[0]]])

    drawn = [
        (int(s.hand_from[place]), int(s.hand_kinds[place]), int(s.hand[place])) for place in range(int(s.hand_size))
    ]
    looked = s.stage != DRAWING
    known: list[tuple[int, int]] = []
    choice: tuple[Any, ...]
    if not looked:  # the drawer may be either: each knows what he had put back himself
        backs = []
        for source, kind, tile in drawn:
            mine_before = source == viewer
            backs.append((source, kind, tile if mine_before else None))
            if mine_before:
                known.append((tile, int(s.looked_at[other, tile])))
            elif tile != UNKNOWN:
                theirs.append(tile)
        choice = ("drawing", tuple(sorted(backs, key=repr)))
    elif acting:
        known = [(tile, int(s.looked_at[other, tile])) for _, _, tile in drawn if tile != UNKNOWN]
        kept = None if s.kept == EMPTY else (int(s.kept), int(s.looked_at[other, s.kept]))
        choice = ("my choice", tuple(sorted(known)), kept, int(s.returned) if drawn or kept else 0)
    else:
        in_choice = [tile for _, _, tile in drawn] + [int(s.put_back[place]) for place in chosen_now]
        if s.kept != EMPTY:
            in_choice.append(int(s.kept))
        theirs += in_choice
        choice = ("other's choice", kinds(in_choice))
    seen = tuple(sorted(tile for tile in theirs if s.looked_at[viewer, tile]))
    public = tuple(s[field].tobytes() for field in PUBLIC)
    return public, top, tuple(stack), tuple(mine), seen, choice, tuple(sorted(known))


def hidden_places(position: Position, viewer: int) -> list[tuple[str, int]]:
    """Where dome tiles lie whose fronts the other player knows and the viewer doesn't."""
    s = position.states[0]
    places = [("put_back", p) for p, t in enumerate(s.put_back) if t != EMPTY and s.put_back_by[p] != viewer]
    for place in range(int(s.hand_size)):
        knows = s.hand_from[place] == viewer or (s.active == viewer and s.stage != DRAWING)
        if s.hand[place] != UNKNOWN and not knows:
            places.append(("hand", place))
    if s.kept != EMPTY and s.active != viewer:
        places.append(("kept", 0))
    return places


def hidden_tiles(position: Position, viewer: int) -> tuple[int, ...]:
    """The dome tiles in ``hidden_places``."""
    s = position.states[0]
    return tuple(
        int(s.kept if field == "kept" else s[field][place]) for field, place in hidden_places(position, viewer)
    )


def with_hidden(position: Position, viewer: int, tiles: tuple[int, ...]) -> Position:
    """The position with other dome tiles in ``hidden_places``."""
    other = 1 - viewer
    changed = position.copy()
    s = changed.states[0]
    for tile in hidden_tiles(position, viewer):
        s.fronts_unseen[tile] = 1
        s.looked_at[other, tile] = 0
    for (field, place), tile in zip(hidden_places(position, viewer), tiles, strict=True):
        s.fronts_unseen[tile] = 0
        s.looked_at[other, tile] = 1
        if field == "kept":
            s.kept = tile
        else:
            s[field][place] = tile
        if field == "hand":
            s.hand_kinds[place] = KIND_OF[tile]
    return changed


def worlds(position: Position, viewer: int) -> list[tuple[int, ...]]:
    """All the ways in which ``hidden_places`` may be filled, from what the viewer may know: found by trying all."""
    s = position.states[0]
    now = hidden_tiles(position, viewer)
    candidates = sorted({*now, *(tile for tile in range(18) if s.fronts_unseen[tile])})
    wanted = knowledge(position, viewer)
    seen_fronts = {tile for tile in now if s.looked_at[viewer, tile]}
    possible = []
    for tiles in permutations(candidates, len(now)):
        if not seen_fronts <= set(tiles):
            continue
        changed = with_hidden(position, viewer, tiles)
        if s.stage == DRAWING and changed.states[0].hand_kinds.tolist() != s.hand_kinds.tolist():
            continue  # the order of the backs in the hand says nothing, but stays
        if knowledge(changed, viewer) == wanted and not changed.check():
            possible.append(tiles)
    return possible
