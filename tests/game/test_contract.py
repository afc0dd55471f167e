"""What an environment id promises: the same state, actions and observation for as long as the id stays."""

from __future__ import annotations

import hashlib

import pytest
from places import POSITIONS

from azul_duel_env.games import find_game

PINNED = {
    ("azul/duel-v0", 2): {
        "state": "4123c73c59c4752c",
        "actions": "fe56220fb63a91d0",
        "observation": "d3ea39acf75df1c9",
        "observed values": "71ba424c292adc36",
        "games": "f678a7ceb9d836e9",
    },
    ("azul/pavilion_mini-v0", 2): {
        "state": "17dc61011edfd58b",
        "actions": "323be572a9e6adb2",
        "observation": "ac5d207443c289a4",
        "observed values": "c2ddfa2a6b1d0f3a",
        "games": "48ac48f327c41cc5",
    },
    ("azul/pavilion_mini-v0", 3): {
        "state": "8ad9ea7146ae097e",
        "actions": "323be572a9e6adb2",
        "observation": "354a1d57df79ab7a",
        "observed values": "214888fd73bb806b",
        "games": "fd1654b7392e258e",
    },
    ("azul/pavilion_mini-v0", 4): {
        "state": "1aaade91996df158",
        "actions": "323be572a9e6adb2",
        "observation": "00859325e1ccbfe1",
        "observed values": "8c17de00ddfd4a04",
        "games": "74bccc219d12c1d0",
    },
}
OPTIONS = {"azul/pavilion_mini-v0": ({}, {"board": "grey"}, {"keep": "any"})}
"""Id -> options of the games that are played, where not all are those by default."""
CASES = [(*game, what) for game, pinned in PINNED.items() for what in pinned]
MOVED = (
    "{id} is not what it was: {what}. Dynamics or spaces are no longer what users of this id trained on. "
    "If that is meant, move the version of {id} (HEADER in the game's notation.py and the id in games/ids.py), "
    "and pin the new hash {found} here."
)


def state_table(game):
    fields = game.state.fields
    return [(name, str(fields[name][0].base), fields[name][0].shape, fields[name][1]) for name in game.state.names] + [
        game.state.itemsize
    ]


def action_table(game):
    blocks = game.make_abstraction().blocks
    return [(block.name, block.first, block.shape) for block in blocks] + [
        game.text.action_name(action) for action in range(game.num_actions)
    ]


def observation_table(game):
    return [(block.name, block.first, block.shape) for block in game.observation_blocks]


def observed_values(game):
    """What some positions look like from all seats, to six digits: scales and meanings are part of the promise too."""
    positions = saved_positions(game) or [position for game_played in played(game) for position in game_played[::8]]
    return [
        [round(float(x), 6) for x in position.observe(viewer)]
        for position in positions
        for viewer in range(game.num_players)
    ]


def saved_positions(game):
    texts = [path.read_text() for path in sorted(POSITIONS.glob("*.txt"))]
    return [game.read_position(text) for text in texts if text.startswith(game.id)]


def played(game):
    """The positions of a few games under fixed choices, one list a game."""
    games = []
    for seed, options in enumerate(OPTIONS.get(game.id, ({}, {}, {}))):
        games.append([game.new(seed, **options)])
        while not games[-1][-1].over:
            position = games[-1][-1].copy()
            legal = position.legal_actions()
            position.step(int(legal[position.decisions * 7919 % len(legal)]))
            games[-1].append(position)
    return games


def games(game):
    """The final states of those games: dynamics and draws."""
    return [positions[-1].states.tobytes().hex() for positions in played(game)]


TABLES = {
    "state": state_table,
    "actions": action_table,
    "observation": observation_table,
    "observed values": observed_values,
    "games": games,
}


@pytest.mark.parametrize(("game_id", "num_players", "what"), CASES)
def test_tables_stay_as_long_as_the_id(game_id, num_players, what):
    game = find_game(game_id, num_players)
    found = hashlib.sha256(repr(TABLES[what](game)).encode()).hexdigest()[:16]
    assert game.id == game_id
    assert found == PINNED[game_id, num_players][what], MOVED.format(id=game_id, what=what, found=found)
