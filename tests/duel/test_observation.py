"""The observation holds all that a player may know and nothing else: exact in both directions, against a plain second definition."""

from __future__ import annotations

import random
from itertools import pairwise, permutations

import numpy as np
import pytest
from sizes import scaled
from walks import choose, games, positions
from worlds import knowledge

from azul_duel_env.games.duel import GAME, observation
from azul_duel_env.games.duel.components import DOME_TILES, EMPTY, KIND_OF, LAYOUT_SPACES, SPECIAL, UNKNOWN, WILD
from azul_duel_env.games.duel.state import (
    COLUMN,
    DRAWING,
    KEEPING,
    NOBODY,
    OPENING,
    ORDERING,
    PAYING,
    PLACING,
    RETURNING,
    TURN,
)
from azul_duel_env.jit import COMPILED


# (a) The table
def test_blocks_lie_one_after_the_other_under_unique_names():
    blocks = observation.BLOCKS
    assert blocks[0].first == 0
    for block, following in pairwise(blocks):
        assert block.first + block.size == following.first, following.name
    assert blocks[-1].first + blocks[-1].size == GAME.observation_size
    assert len({block.name for block in blocks}) == len(blocks)
    assert all(block.meaning for block in blocks)


def test_views_show_every_number_once_with_the_table_shapes():
    numbers = np.arange(GAME.observation_size, dtype=np.float32)
    views = GAME.text.unflatten(numbers)
    assert {name: view.shape for name, view in views.items()} == {b.name: b.shape for b in observation.BLOCKS}
    assert np.concatenate([view.ravel() for view in views.values()]).tolist() == numbers.tolist()
    batch = GAME.text.unflatten(np.stack([numbers, numbers]))
    assert batch["domes"].shape == (2, *views["domes"].shape)
    views["bag"][0] = -1
    assert numbers[observation.BLOCK["bag"].first] == -1, "views share the memory"


def test_all_values_lie_between_0_and_1():
    for position in positions(scaled(5000, least=60)):
        for viewer in (0, 1):
            seen = position.observe(viewer)
            assert seen.dtype == np.float32
            assert seen.min() >= 0
            assert seen.max() <= 1


def test_observe_writes_every_number():
    """Nothing of an old content shines through."""
    for position in positions(scaled(300, least=5), first_seed=4):
        out = np.full(GAME.observation_size, 7, np.float32)
        GAME.rules.observe(position.states, 0, 1, out)
        assert np.array_equal(out, position.observe(1))


# (b) Exact in both directions
def sign(n, highest, rng):
    """Return a number next to n in 0..highest."""
    return rng.choice([x for x in (n - 1, n + 1) if 0 <= x <= highest])


COUNTS = {
    "scores": 511,
    "bag": 13,
    "tower": 13,
    "suns": 5,
    "large_moon": 4,
    "chips_unseen": 2,
    "broken": 4,
    "tokens": 2,
    "chips_up": 2,
    "chips_down": 2,
    "chips_taken": 2,
}
VALUES = {
    "round_number": range(1, 6),
    "first_player": range(2),
    "first_player_tile": range(-1, 2),
    "zero_point_draw_free": range(2),
    "special_counts_as_colour": range(2),
    "chip_payments_all": range(2),
    "scoring": range(2),
    "moons": range(-1, 5),
    "factory_chips": range(-1, 11),
    "display": range(-1, 18),
    "top_kind": range(2),
    "ordering": range(-1, 4),
    "line": range(-1, 6),
    "paid_matching": range(9),
    "paid_other": range(13),
    "stack_unseen": range(1, 19),
}


def change_count(s, rng):
    field = rng.choice(list(COUNTS))
    numbers = s[field]
    at = tuple(rng.randrange(n) for n in numbers.shape)
    numbers[at] = sign(int(numbers[at]), COUNTS[field], rng)


def change_value(s, rng):
    field = rng.choice(list(VALUES))
    value = rng.choice(VALUES[field])
    if s[field].ndim:
        s[field][tuple(rng.randrange(n) for n in s[field].shape)] = value
    else:
        s[field] = value


def change_stage(s, rng):
    if s.hand_size == 0 and s.kept == EMPTY:
        s.stage = rng.choice((OPENING, TURN, ORDERING, COLUMN, PAYING))
    elif s.stage != DRAWING:
        s.stage = rng.choice((KEEPING, RETURNING, PLACING))


def change_mover(s, rng):
    del rng
    if s.hand_size == 0 and s.kept == EMPTY:
        s.active = 1 - s.active
        s.player = NOBODY if s.player == NOBODY else s.active


def change_line(s, rng):
    player, line = rng.randrange(2), rng.randrange(6)
    s.lines[player, line] = rng.randrange(line + 2)
    s.line_colours[player, line] = rng.randrange(5) if s.lines[player, line] else EMPTY


def change_dome_tile(s, rng):
    player, slot = rng.randrange(2), rng.randrange(9)
    row, column = slot // 3 * 2, slot % 3 * 2
    if (s.tiles[player, row : row + 2, column : column + 2] == EMPTY).all():
        s.domes[player, slot] = rng.choice([EMPTY, *range(72)])


def change_tile(s, rng):
    player, row, column = rng.randrange(2), rng.randrange(6), rng.randrange(6)
    layout = s.domes[player, row // 2 * 3 + column // 2]
    if layout == EMPTY:
        return
    space = int(LAYOUT_SPACES[layout, row % 2 * 2 + column % 2])
    tiles = range(5) if space == WILD else [SPECIAL if space == SPECIAL else space]
    s.tiles[player, row, column] = rng.choice([EMPTY, *tiles])


def renamed(tiles, one, two):
    """Swap two dome tiles in an array of dome tiles."""
    is_one, is_two = tiles == one, tiles == two
    tiles[is_one], tiles[is_two] = two, one


def swap_dome_tiles(s, rng):
    """Let two dome tiles of one kind change places, wherever they are: seen by those who see either."""
    kind = rng.randrange(2)
    one, two = rng.sample([tile for tile in range(18) if KIND_OF[tile] == kind], 2)
    for field in ("display", "put_back", "hand"):
        renamed(s[field], one, two)
    if s.kept in (one, two):
        s.kept = one + two - s.kept
    for field in ("fronts_unseen", "looked_at"):
        s[field][..., [one, two]] = s[field][..., [two, one]]
    empty = s.domes == EMPTY
    tiles, turned = s.domes // 4, s.domes % 4
    renamed(tiles, one, two)
    s.domes = np.where(empty, EMPTY, tiles * 4 + turned)


def filled(s):
    return [place for place, tile in enumerate(s.put_back) if tile != EMPTY]


def swap_put_back(s, rng):
    if len(filled(s)) > 1:
        one, two = rng.sample(filled(s), 2)
        if s.put_back_by[one] == s.put_back_by[two]:
            s.put_back[[one, two]] = s.put_back[[two, one]]


def change_start(s, rng):
    """Join two returns of one player, or part one."""
    places = [place for place in filled(s)[1:] if s.put_back_by[place] == s.put_back_by[place - 1]]
    places = [place for place in places if place < len(filled(s)) - s.returned]
    if places:
        place = rng.choice(places)
        s.put_back_starts[place] = 1 - s.put_back_starts[place]


def change_whose_return(s, rng):
    """Give a whole return to the other player."""
    starts = [place for place in filled(s) if s.put_back_starts[place] and place < len(filled(s)) - s.returned]
    if not starts:
        return
    start = rng.choice(starts)
    end = min([place for place in starts if place > start], default=len(filled(s)) - s.returned)
    s.put_back_by[start:end] = 1 - s.put_back_by[start]
    for tile in s.put_back[start:end]:
        s.looked_at[:, tile] = s.looked_at[::-1, tile].copy()
        s.looked_at[s.put_back_by[start], tile] = 1


def change_who_looked(s, rng):
    """Let a player have looked, or not, at a dome tile that the other one put back or holds."""
    places = [(int(s.put_back[place]), 1 - int(s.put_back_by[place])) for place in filled(s)]
    hand = [place for place in range(int(s.hand_size)) if s.hand[place] != UNKNOWN and s.hand_from[place] != NOBODY]
    places += [(int(s.hand[place]), 1 - int(s.hand_from[place])) for place in hand]
    if s.kept != EMPTY:
        places.append((int(s.kept), 1 - int(s.active)))
    if places:
        tile, player = rng.choice(places)
        s.looked_at[player, tile] = 1 - s.looked_at[player, tile]


def change_source(s, rng):
    """Let a dome tile in the hand have come from elsewhere."""
    if s.stage == DRAWING:
        place = rng.randrange(int(s.hand_size))
        if s.hand[place] != UNKNOWN:
            s.hand_from[place] = 1 - s.hand_from[place]
        else:
            s.hand_kinds[place] = 1 - s.hand_kinds[place]


def swap_choice(s, rng):
    """Keep another dome tile than the one kept."""
    if s.kept == EMPTY:
        return
    if s.hand_size > 0 and rng.random() < 0.5:
        place = rng.randrange(int(s.hand_size))
        s.kept, s.hand[place] = s.hand[place], s.kept
        s.hand_kinds[place] = KIND_OF[s.hand[place]]
    elif s.returned > 0:
        place = rng.choice(filled(s)[-int(s.returned) :])
        s.kept, s.put_back[place] = s.put_back[place], s.kept


PUBLIC_CHANGES = (
    change_count,
    change_value,
    change_stage,
    change_mover,
    change_line,
    change_dome_tile,
    change_tile,
)
DOME_TILE_CHANGES = (
    swap_dome_tiles,
    swap_put_back,
    change_start,
    change_whose_return,
    change_who_looked,
    change_source,
    swap_choice,
)


def turn_up_what_lies_somewhere(s):
    """Let nobody have seen the dome tiles that lie nowhere, and only these."""
    lie = {*s.display.tolist(), *(s.domes[s.domes != EMPTY] // 4).tolist(), *s.put_back.tolist(), *s.hand.tolist()}
    for tile in range(18):
        s.fronts_unseen[tile] = tile not in lie and tile != s.kept


def neighbours(position, rng, public, private):
    """Yield states that differ from a position in one respect, that somebody or nobody may know; and resampled ones."""
    for changes, count in ((PUBLIC_CHANGES, public), (DOME_TILE_CHANGES, private)):
        for _ in range(count):
            changed = position.copy()
            rng.choice(changes)(changed.states[0], rng)
            turn_up_what_lies_somewhere(changed.states[0])
            yield changed
    for player in (0, 1):
        yield position.resampled(player, rng.randrange(2**40))


def test_equal_observations_mean_equal_knowledge_and_the_reverse():
    observation_of, knowledge_of = {}, {}
    rng = random.Random(5)
    pairs = {True: 0, False: 0}
    hidden_differs = 0
    for position in positions(scaled(1500, least=30), first_seed=700):
        s = position.states[0]
        hides = s.put_back[0] != EMPTY or s.hand_size > 0
        own = [(knowledge(position, viewer), position.observe(viewer)) for viewer in (0, 1)]
        for changed in neighbours(position, rng, 3, 6 if hides else 1):
            for viewer in (0, 1):
                known, seen = knowledge(changed, viewer), changed.observe(viewer)
                knows_same, sees_same = known == own[viewer][0], np.array_equal(seen, own[viewer][1])
                assert knows_same == sees_same, difference(position, changed, viewer)
                pairs[sees_same] += 1
                hidden_differs += (
                    sees_same and changed.states["put_back"].tolist() != position.states["put_back"].tolist()
                )
                # and against all the states met so far
                key, seen = (viewer, known), (viewer, seen.tobytes())
                first = observation_of.setdefault(key, (seen, changed))
                assert first[0] == seen, difference(first[1], changed, viewer)
                first = knowledge_of.setdefault(seen, (key, changed))
                assert first[0] == key, difference(first[1], changed, viewer)
    assert min(pairs.values()) > 10
    assert hidden_differs > 0
    assert len(observation_of) == len(knowledge_of)


def difference(one, two, viewer):
    """Say in which fields, known things and blocks two positions differ."""
    fields = [f for f in GAME.state.names if one.states[f].tolist() != two.states[f].tolist()]
    views = [GAME.text.unflatten(position.observe(viewer)) for position in (one, two)]
    blocks = [name for name in views[0] if not np.array_equal(views[0][name], views[1][name])]
    known = [a for a in zip(knowledge(one, viewer)[1:], knowledge(two, viewer)[1:], strict=True) if a[0] != a[1]]
    same = knowledge(one, viewer) == knowledge(two, viewer)
    return (
        f"viewer {viewer}: fields {fields} differ, so what he knows {'stays the same' if same else f'differs: {known}'}, "
        f"but the blocks that differ are {blocks}\n{one.to_text()}\n{two.to_text()}"
    )


def test_every_change_that_the_viewer_knows_of_is_tried():
    """The changes above do reach every block of the observation."""
    rng = random.Random(2)
    reached = set()
    for position in positions(scaled(1000, least=500 if COMPILED else 40), first_seed=300):
        own = [GAME.text.unflatten(position.observe(viewer)) for viewer in (0, 1)]
        for changed in neighbours(position, rng, 4, 3):
            for viewer in (0, 1):
                other = GAME.text.unflatten(changed.observe(viewer))
                reached |= {name for name in own[viewer] if not np.array_equal(own[viewer][name], other[name])}
    missing = {block.name for block in observation.BLOCKS} - reached
    assert missing <= ({"returned"} if COMPILED else {block.name for block in observation.BLOCKS})


# (c) Resampling, and the mask as a function of the observation
def test_resampling_changes_neither_observation_nor_mask():
    for position in positions(scaled(5000, least=40), first_seed=1000):
        for viewer in (0, 1):
            other = position.resampled(viewer, position.decisions)
            assert np.array_equal(other.observe(viewer), position.observe(viewer)), difference(position, other, viewer)
            assert other.player == position.player
            if viewer == position.player:
                assert np.array_equal(other.action_mask(), position.action_mask())
                assert np.array_equal(other.legal_actions(), position.legal_actions())


def test_the_mask_is_a_function_of_the_observation():
    """Equal observations of the player who decides go with equal masks; games are replayed in part so that many are equal."""
    mask_of = {}
    again = 0
    for position in positions(scaled(3000, least=30), first_seed=2000):
        if position.player == NOBODY:
            continue
        for other in (position, position.resampled(position.player, 1), position.resampled(position.player, 2)):
            seen = other.observe(position.player).tobytes()
            mask = other.action_mask().tobytes()
            again += seen in mask_of
            assert mask_of.setdefault(seen, mask) == mask
    assert again > 0


# (d) What the drawer keeps and returns
def orders_of_keeping(position):
    """Yield the choices (keep, then return ...) that are possible when the drawn dome tiles have been looked at."""
    tiles = [int(tile) for tile in position.states[0].hand[: position.states[0].hand_size]]
    for order in permutations(tiles):
        yield order[:-1]


def keepings():
    """Yield positions in which 2 to 5 dome tiles have been drawn and one is to be kept."""
    for position, rng, _ in games(first_seed=3000):
        while not position.over and position.states["round_number"][0] < 5:
            if position.states["stage"][0] == KEEPING and position.states["hand_size"][0] <= (4 if COMPILED else 3):
                yield position.copy()
            position.step(choose(position, rng, "draw"))


def test_the_waiting_player_sees_nothing_of_the_choice_until_the_action_is_over():
    left = scaled(150, least=4)
    different_at_the_end = 0
    for position in keepings():
        waiting = 1 - position.player
        drawer = position.player
        seen, seen_at_the_end, drawer_saw = {}, set(), set()
        for order in orders_of_keeping(position):
            line = position.copy()
            for step, tile in enumerate(order):
                line.step(GAME.text.parse_action(f"choose dome tile {DOME_TILES[tile][:2]}/{DOME_TILES[tile][2:]}"))
                view = line.observe(waiting).tobytes()
                assert seen.setdefault(step, view) == view, f"after choice {step}\n{line.to_text()}"
            assert line.states["stage"][0] == PLACING
            drawer_saw.add(line.observe(drawer).tobytes())
            line.step(int(line.legal_actions()[0]))
            seen_at_the_end.add(line.observe(waiting).tobytes())
        assert len(drawer_saw) == len(list(orders_of_keeping(position))), "the drawer knows what he kept, and the order"
        different_at_the_end += len(seen_at_the_end) > 1
        left -= 1
        if left == 0:
            break
    assert different_at_the_end > 0


def test_observe_refuses_a_seat_that_does_not_exist():
    for player in (-1, 2):
        with pytest.raises(ValueError, match="player must be 0 to 1"):
            GAME.new(0).observe(player)
