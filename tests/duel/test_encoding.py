"""What a fast network looks up, and which outputs a logit is summed from, against the rules as tests read them."""

from __future__ import annotations

import numpy as np
from fast_networks import decisions, encoded
from sizes import scaled

from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.actions import DOME_TILE_NAMES, decode
from azul_duel_env.games.duel.components import (
    CHIP_SHOWS,
    CONDITIONS,
    CORNER_POINTS,
    EMPTY,
    LAYOUT_SPACES,
    POINTS_PER_BORDER_TILE,
    POINTS_PER_COLUMN,
    POINTS_PER_DIAGONAL,
    POINTS_PER_EMPTY_SPECIAL_SPACE,
    POINTS_PER_FIVE_COLOURS,
    POINTS_PER_ROW,
    POINTS_PER_WILD_SPACE,
    SPECIAL,
    WILD,
)
from azul_duel_env.games.duel.encoding.tables import (
    LOOKUPS,
    MAX_LOOKUPS,
    MAX_OUTPUTS,
    NUM_LOOKUPS,
    NUM_OUTPUTS,
    OUTPUTS,
)


def blocks_of(row, blocks):
    """The blocks of a row by name, in their shapes."""
    return {block.name: row[block.first : block.first + block.size].reshape(block.shape) for block in blocks}


def one_hot(number, size):
    """A 1 in the place of a number from 1, the last one for all above; nothing for 0."""
    row = np.zeros(size)
    if number > 0:
        row[min(number, size) - 1] = 1
    return row


def run_through(filled, place):
    """How long the run of tiles through a space of a row is, or 0 for a tile alone."""
    until = place + 1
    while until < len(filled) and filled[until]:
        until += 1
    first = place
    while first > 0 and filled[first - 1]:
        first -= 1
    return until - first if until - first > 1 else 0


def points_at(filled, row, column):
    """Points for a tile there."""
    return max(1, run_through(filled[row], column) + run_through(filled[:, column], row))


def spaces_of(state, player):
    """What each space of a dome shows, (6, 6); EMPTY where no dome tile lies."""
    spaces = np.full((6, 6), EMPTY)
    for slot, layout in enumerate(state["domes"][player]):
        if layout != EMPTY:
            row, column = slot // 3 * 2, slot % 3 * 2
            spaces[row : row + 2, column : column + 2] = LAYOUT_SPACES[layout].reshape(2, 2)
    return spaces


def moon_counts(state):
    """Tiles of each colour that are taken from all moons at once."""
    counts = state["large_moon"].astype(int)
    for stack in state["moons"]:
        tiles = stack[stack != EMPTY]
        if len(tiles):
            counts[tiles[-1]] += 1
    return counts


def board(state, player):
    """The lookups of a player's board by name."""
    filled, spaces = state["tiles"][player] != EMPTY, spaces_of(state, player)
    patterns = np.zeros((2, 6, 64))
    for line in range(6):
        for kind, of_line in enumerate((filled[line], filled[:, line])):
            patterns[kind, line, sum(1 << k for k in range(6) if of_line[k])] = 1
    slots, gains = np.zeros((9, 16)), np.zeros((6, 5, 12))
    for slot in range(9):
        four = filled[slot // 3 * 2 :][:2, slot % 3 * 2 :][:, :2].ravel()
        slots[slot, sum(1 << k for k in range(4) if four[k])] = 1
    for row in range(6):
        for colour in range(5):
            open_ones = [c for c in range(6) if spaces[row, c] in (colour, WILD) and not filled[row, c]]
            gains[row, colour] = one_hot(max((points_at(filled, row, c) for c in open_ones), default=0), 12)
    lines = np.zeros((6, 5, 6))
    for line, (colour, tiles) in enumerate(zip(state["line_colours"][player], state["lines"][player], strict=True)):
        lines[line, max(colour, 0)] = one_hot(tiles, 6)
    chips = state["chips_up"][player]
    return {
        "score": one_hot(state["scores"][player] // 5 + 1, 24),
        "line_tiles": lines,
        "row_filled": patterns[0],
        "column_filled": patterns[1],
        "slot_filled": slots,
        "gains": gains,
        "broken_count": one_hot(state["broken"][player].sum(), 4),
        "chips_showing": np.array([one_hot(chips[CHIP_SHOWS[:, colour]].sum(), 8) for colour in range(5)]),
        "chips_count": one_hot(chips.sum(), 8),
    }


def conditions(state, player):
    """The lookups of the conditions in play by name, and the points with those for the scoring tiles."""
    tiles, spaces = state["tiles"][player], spaces_of(state, player)
    filled = tiles != EMPTY
    colours = [
        len(set(row[row != EMPTY].tolist()) - ({SPECIAL} if not state["special_counts_as_colour"] else set()))
        for row in tiles
    ]
    fours = [filled[row : row + 2, column : column + 2].sum() for row in (0, 4) for column in (0, 4)]
    counts = {
        "rows": filled.sum(axis=1),
        "columns": filled.sum(axis=0),
        "diagonals": [filled.diagonal().sum(), filled[:, ::-1].diagonal().sum()],
        "wild_spaces": [(filled & (spaces == WILD)).sum(), (~filled & (spaces == WILD)).sum()],
        "five_colours": colours,
        "border": filled.sum() - filled[1:5, 1:5].sum(),
        "corners": fours,
        "empty_special_spaces": (~filled & (spaces == SPECIAL)).sum(),
    }
    shapes = {block.name: block.shape[1:] for block in LOOKUPS}
    found = {}
    for name, count in counts.items():
        found[name] = np.zeros(shapes[name])
        if state["scoring"][CONDITIONS.index(name)]:
            np.put_along_axis(found[name], np.expand_dims(np.asarray(count), -1), 1, -1)
    wild, empty = counts["wild_spaces"]
    points = {
        "rows": POINTS_PER_ROW * (counts["rows"] == 6).sum(),
        "columns": POINTS_PER_COLUMN * (counts["columns"] == 6).sum(),
        "diagonals": POINTS_PER_DIAGONAL * counts["diagonals"].count(6),
        "wild_spaces": POINTS_PER_WILD_SPACE * wild * (empty == 0),
        "five_colours": POINTS_PER_FIVE_COLOURS * sum(count >= 5 for count in colours),
        "border": POINTS_PER_BORDER_TILE * counts["border"],
        "corners": sum(points for points, four in zip(CORNER_POINTS, fours, strict=True) if four == 4),
        "empty_special_spaces": POINTS_PER_EMPTY_SPECIAL_SPACE * counts["empty_special_spaces"],
    }
    for_tiles = sum(points[name] for name, is_in_play in zip(CONDITIONS, state["scoring"], strict=True) if is_in_play)
    return found, int(state["scores"][player]) + int(for_tiles)


def expected_lookups(state, viewer):
    """All lookups by name."""
    boards = [board(state, viewer), board(state, 1 - viewer)]
    results = []
    for player, one in zip((viewer, 1 - viewer), boards, strict=True):
        of_conditions, result = conditions(state, player)
        one |= of_conditions
        one["result"] = one_hot(max(0, (result + 20) // 2) + 1, 60)
        results.append(result)
    found = {name: np.array([one[name] for one in boards]) for name in boards[0]}
    margin = (int(state["scores"][viewer]) - int(state["scores"][1 - viewer])) // 2
    tops = [stack[stack != EMPTY] for stack in state["moons"]]
    return found | {
        "sun_counts": np.array([[one_hot(tiles, 8) for tiles in sun] for sun in state["suns"]]),
        "moon_counts": np.array([one_hot(tiles, 8) for tiles in moon_counts(state)]),
        "moon_tops": np.array([one_hot(stack[-1] + 1 if len(stack) else 0, 5) for stack in tops]),
        "margin": one_hot(min(max(margin + 30, 0), 60) + 1, 61),
        "result_margin": one_hot(min(max((results[0] - results[1]) // 2 + 30, 0), 60) + 1, 61),
    }


def test_lookups_are_those_of_a_naive_twin():
    seen = np.zeros(NUM_LOOKUPS, bool)
    for position in decisions(GAME, scaled(3000, least=20)):
        on = encoded(position)[0][GAME.observation_size :]
        found, expected = blocks_of(on, LOOKUPS), expected_lookups(position.states[0], position.player)
        assert found.keys() == expected.keys()
        for name, block in found.items():
            np.testing.assert_array_equal(block, expected[name], err_msg=name)
        assert on.sum() <= MAX_LOOKUPS
        seen |= on > 0
    assert seen.sum() > 800 or scaled(3000) < 3000


def test_actions_of_a_position_differ_by_their_own_output():
    for position in decisions(GAME, scaled(500, least=10)):
        _, summed = encoded(position)
        assert (summed.sum(axis=1) <= MAX_OUTPUTS).all()
        own = blocks_of_all(summed)["action"]
        np.testing.assert_array_equal(own.nonzero(), [range(len(own)), position.legal_actions()])


def blocks_of_all(summed):
    """The outputs of many actions by name, (actions, size of the block)."""
    return {block.name: summed[:, block.first : block.first + block.size] for block in OUTPUTS}


def happenings(position, action):
    """What happens first when an action is carried out, by kind."""
    found = {}
    for event in position.events(action):
        found.setdefault(event.kind, event)
    return found


def place_in(block, row):
    """Where the one output of a block that counts lies, in its shape."""
    (place,) = np.flatnonzero(row)
    return tuple(int(at) for at in np.unravel_index(place, {b.name: b.shape for b in OUTPUTS}[block]))


def test_outputs_tell_what_happens():
    """Tiles taken, on the line and broken, the first-player tile, points of a column: as the events of the action have them."""
    told = set()
    for position in decisions(GAME, scaled(3000, least=20)):
        legal, state = position.legal_actions(), position.states[0]
        found = blocks_of_all(encoded(position)[1])
        for k in range(0, len(legal), max(1, len(legal) // 4)):
            block, i = decode(int(legal[k]))
            rows = {name: row[k] for name, row in found.items() if name != "action" and row[k].any()}
            events = happenings(position, int(legal[k]))
            told.add(block)
            if block in ("sun", "moon"):
                check_take(state, block, i, rows, events)
            elif block == "tile_column":
                assert place_in("column_points", rows["column_points"]) == (events["tile_placed"].points,)
                filled = state["tiles"][position.player] != EMPTY
                row, column = int(state["line"]), i[0]
                bits = [sum(1 << b for b in range(6) if line[b]) for line in (filled[:, column], filled[row])]
                assert place_in("column_down", rows["column_down"]) == (row, bits[0])
                assert place_in("column_across", rows["column_across"]) == (column, bits[1])
                assert ("column_wild" in rows) == (spaces_of(state, position.player)[row, column] == WILD)
                check_conditions(state, position.player, row, column, rows)
            elif block in ("dome_display", "dome_place"):
                check_dome_tile(state, position.player, events["dome_tile_placed"], rows)
    assert {"sun", "moon", "tile_column", "dome_display"} <= told or scaled(3000) < 3000


def check_take(state, block, i, rows, events):
    """An action that takes tiles: ``rows`` are its outputs by name."""
    colour, destination = i[-2:]
    taken = int(state["suns"][i[0], colour]) if block == "sun" else int(moon_counts(state)[colour])
    player = int(state["player"])
    assert place_in("take_colour", rows["take_colour"]) == (colour, destination)
    assert place_in("take_source", rows["take_source"]) == (i[0] if block == "sun" else 5, colour)
    left = int(state["suns"][i[0]].sum()) - taken if block == "sun" else 0
    assert place_in("take_left", rows["take_left"]) == (i[0] if block == "sun" else 5, left)
    assert ("take_first_player" in rows) == ("first_player_tile" in events)
    on_line = events["tiles_on_line"].count if "tiles_on_line" in events else 0
    if destination < 6:
        before = int(state["lines"][player, destination])
        room = destination + 1 - before
        assert place_in("take_room", rows["take_room"]) == (destination, int(before > 0), room - 1, min(taken, 8) - 1)
        line, full, points = place_in("take_gain", rows["take_gain"])
        assert (line, full) == (destination, int(on_line == room))
        gains = board(state, player)["gains"][destination, colour]
        assert points == (np.flatnonzero(gains)[0] + 1 if gains.any() else 0)
    else:
        assert "take_room" not in rows
    if taken > on_line:
        broken = min(4, int(state["broken"][player].sum()))
        assert place_in("take_broken", rows["take_broken"]) == (broken, min(taken - on_line, 8) - 1)
    else:
        assert "take_broken" not in rows


def check_conditions(state, player, row, column, rows):
    """What a tile on a space has to do with the conditions in play."""
    tiles, spaces = state["tiles"][player], spaces_of(state, player)
    filled = tiles != EMPTY
    of_slot = np.s_[row // 2 * 2 : row // 2 * 2 + 2, column // 2 * 2 : column // 2 * 2 + 2]
    in_slot = int(filled[of_slot].sum())
    colours = set(tiles[row][filled[row]].tolist())
    num_colours = len(colours - ({SPECIAL} if not state["special_counts_as_colour"] else set()))
    expected = {
        "rows": (filled[row].sum(),),
        "columns": (filled[:, column].sum(),),
        "five_colours": (int(state["line_colours"][player, row] in colours), num_colours),
    }
    if row == column or row + column == 5:
        line = filled if row == column else filled[:, ::-1]
        expected["diagonals"] = (line.diagonal().sum(),)
    if spaces[row, column] == WILD:
        expected["wild_spaces"] = ((~filled & (spaces == WILD)).sum(),)
    if row in (0, 5) or column in (0, 5):
        expected["border"] = (0,)
    if row // 2 != 1 and column // 2 != 1:
        expected["corners"] = (row // 4 * 2 + column // 4, in_slot)
    if (spaces[of_slot] == SPECIAL).any():
        expected["special"] = (in_slot,)
    for name, is_in_play in zip((*CONDITIONS[:-1], "special"), state["scoring"], strict=True):
        block = f"column_{name}"
        assert (block in rows) == bool(is_in_play and name in expected), block
        if block in rows:
            assert place_in(block, rows[block]) == expected[name], block


def check_dome_tile(state, player, event, rows):
    """An action that places a dome tile."""
    layout = 4 * DOME_TILE_NAMES.index(event.dome_tile) + event.rotation
    assert place_in("layout", rows["layout"]) == (layout, event.slot)
    spaces, lines = set(), set()
    for cell, space in enumerate(LAYOUT_SPACES[layout].tolist()):
        row, column = event.slot // 3 * 2 + cell // 2, event.slot % 3 * 2 + cell % 2
        tiles, colour = int(state["lines"][player, row]), int(state["line_colours"][player, row])
        wants = 0 if tiles == 0 else (1 if space in (colour, WILD) else 2)
        spaces.add((space, row * 6 + column))
        lines.add((row, wants, row + 1 - tiles))
    shapes = {block.name: block.shape for block in OUTPUTS}
    for name, expected in (("space", spaces), ("space_line", lines)):
        assert set(zip(*np.unravel_index(np.flatnonzero(rows[name]), shapes[name]), strict=True)) == expected


def test_tables_hold_what_they_say():
    for blocks, total in ((LOOKUPS, NUM_LOOKUPS), (OUTPUTS, NUM_OUTPUTS)):
        assert sum(block.size for block in blocks) == total
        assert len({block.name for block in blocks}) == len(blocks)
        assert total < 2**15
