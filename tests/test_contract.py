"""What an environment id promises: the same state, actions and observation for as long as the id stays."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from azul_duel_env.games.duel import GAME, actions, observation
from azul_duel_env.games.duel.state import STATE

POSITIONS = Path(__file__).parent / "positions"
PINNED = {
    "state": "4123c73c59c4752c",
    "actions": "fe56220fb63a91d0",
    "observation": "d3ea39acf75df1c9",
    "observed values": "71ba424c292adc36",
    "games": "f678a7ceb9d836e9",
}
MOVED = (
    "azul/duel-v0 is not what it was: {what}. Dynamics or spaces are no longer what users of this id trained on. "
    "If that is meant, move the version of azul/duel-v0 (HEADER in duel/notation.py and the ids in registration.py), "
    "and pin the new hash {found} here."
)


def state_table():
    return [
        (name, str(STATE.fields[name][0].base), STATE.fields[name][0].shape, STATE.fields[name][1])
        for name in STATE.names
    ] + [STATE.itemsize]


def action_table():
    return [(block.name, block.first, block.shape) for block in actions.BLOCKS] + list(actions.ACTIONS.names)


def observation_table():
    return [(block.name, block.first, block.shape) for block in observation.BLOCKS]


def observed_values():
    """What the saved positions look like from both seats, to six digits: scales and meanings are part of the promise too."""
    positions = [GAME.read_position(path.read_text()) for path in sorted(POSITIONS.glob("*.txt"))]
    return [[round(float(x), 6) for x in position.observe(viewer)] for position in positions for viewer in (0, 1)]


def games():
    """The final states of a few games under fixed choices: dynamics and draws."""
    finals = []
    for seed in range(3):
        position = GAME.new(seed)
        while not position.over:
            legal = position.legal_actions()
            position.step(int(legal[position.decisions * 7919 % len(legal)]))
        finals.append(position.states.tobytes().hex())
    return finals


TABLES = {
    "state": state_table,
    "actions": action_table,
    "observation": observation_table,
    "observed values": observed_values,
    "games": games,
}


@pytest.mark.parametrize("what", PINNED)
def test_tables_stay_as_long_as_the_id(what):
    found = hashlib.sha256(repr(TABLES[what]()).encode()).hexdigest()[:16]
    assert GAME.id == "azul/duel-v0"
    assert found == PINNED[what], MOVED.format(what=what, found=found)
