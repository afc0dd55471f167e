"""Counts and recorded games of the Mini that must never change unseen.

``golden/mini_games.jsonl`` has a random and a sensible game of each variant: seed, actions, final scores and a digest of all
observations. Positions within them are counted (perft), pinned below, and counted a second time in plain Python. Run as a program, this
file writes the games anew, where the rules were meant to change, and prints the counts.
"""

from __future__ import annotations

import json
import random
from functools import cache
from hashlib import sha256
from typing import Any

import pytest
from mini import PLAYERS, VARIANTS, game_of
from places import GOLDEN

from azul_duel_env.game import Position
from azul_duel_env.jit import COMPILED

FILE = GOLDEN / "mini_games.jsonl"
KEYS = [(*variant, play) for variant in VARIANTS for play in PLAYERS]
"""Players, side and who plays, of each recorded game."""
MOST = 10**4 if COMPILED else 400
"""Larger counts are left out in this lane."""
LEAVES: dict[tuple[int, str, str, int], tuple[int, ...]] = {
    (2, "coloured", "random", 0): (13, 157, 1640),
    (2, "coloured", "random", 73): (4, 40, 358),
    (2, "coloured", "sensible", 83): (5, 65, 354),
    (2, "coloured", "sensible", 133): (7, 42, 215),
    (2, "coloured", "sensible", 145): (2, 12, 8),
    (2, "grey", "random", 61): (2, 8, 120),
    (2, "grey", "sensible", 33): (3, 315, 6138),
    (2, "grey", "sensible", 86): (3, 35, 259),
    (2, "grey", "random", 120): (20, 158, 716),
    (3, "coloured", "random", 75): (6, 96, 916),
    (3, "coloured", "random", 100): (3, 28, 232),
    (3, "coloured", "sensible", 157): (3, 9, 33),
    (3, "grey", "random", 82): (3, 132, 1884),
    (3, "grey", "sensible", 80): (5, 17, 1037),
    (3, "grey", "sensible", 178): (19, 325, 2912),
    (4, "coloured", "random", 164): (3, 18, 98),
    (4, "coloured", "sensible", 104): (6, 72, 540),
    (4, "coloured", "sensible", 209): (19, 342, 5554),
    (4, "grey", "random", 127): (4, 113, 5022),
    (4, "grey", "sensible", 94): (5, 115, 1982),
    (4, "grey", "sensible", 227): (18, 55, 794),
    (4, "grey", "sensible", 248): (2, 7, 18),
}
"""Players, side, who plays, decisions of the recorded game before: sequences of 1, 2 and 3 decisions."""


@cache
def recorded() -> dict[tuple[int, str, str], dict[str, Any]]:
    """Return the recorded games by players, side and who plays."""
    games = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return {(record["players"], record["board"], record["play"]): record for record in games}


def new(num_players: int, board: str, play: str) -> Position:
    """Return the beginning of a recorded game."""
    seed = 2026 + KEYS.index((num_players, board, play))
    return game_of(num_players).new(seed=seed, board=board, keep="any" if seed % 3 == 0 else "most")


def position_after(num_players: int, board: str, play: str, decisions: int) -> Position:
    """Return the position of a recorded game after so many decisions."""
    position = new(num_players, board, play)
    for action in recorded()[num_players, board, play]["actions"][:decisions]:
        position.step(action)
    return position


def digest_of(position: Position, actions: list[int]) -> str:
    """Carry out actions, and return a digest of what all players observe on the way."""
    digest = sha256()
    for action in [*actions, None]:
        for player in range(len(position.scores)):
            digest.update(position.observe(player).astype("<f4").tobytes())
        if action is not None:
            position.step(action)
    return digest.hexdigest()


def plain_count(position: Position, depth: int) -> int:
    """Count the sequences of decisions one by one, over copies."""
    legal = position.legal_actions().tolist()
    if depth == 1:
        return len(legal)
    leaves = 0
    for action in legal:
        following = position.copy()
        following.step(action)
        leaves += plain_count(following, depth - 1)
    return leaves


# Recorded games -------------------------------------------------------------------------------
@pytest.mark.untraced
@pytest.mark.parametrize("key", KEYS, ids=["-".join(map(str, key)) for key in KEYS])
def test_recorded_games_go_as_they_went(key):
    record = recorded()[key]
    position = new(*key)
    assert digest_of(position, record["actions"]) == record["observations"]
    assert position.over
    assert list(position.scores) == record["scores"]


def test_the_recorded_games_are_those_of_all_variants():
    assert set(recorded()) == set(KEYS)


def test_a_changed_game_is_found():
    key = KEYS[0]
    actions = recorded()[key]["actions"]
    assert digest_of(new(*key), actions[:30]) != digest_of(new(*key), actions[:29])
    legal = new(*key).legal_actions().tolist()
    other = [next(action for action in legal if action != actions[0])]
    assert digest_of(new(*key), other) != digest_of(new(*key), actions[:1])


# Counts ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("place", LEAVES, ids=["-".join(map(str, place)) for place in LEAVES])
def test_leaves(place):
    position = position_after(*place)
    before = position.states.tobytes()
    for depth, leaves in enumerate(LEAVES[place], start=1):
        if leaves > MOST:
            break
        assert position.game.rules.count_leaves(position.states, depth) == leaves
        assert plain_count(position, depth) == leaves
    assert position.states.tobytes() == before, "counting changes nothing"


def test_positions_of_each_variant_are_counted():
    assert {place[:2] for place in LEAVES} == set(VARIANTS)


# Writing them ---------------------------------------------------------------------------------
def _record(key: tuple[int, str, str]) -> dict[str, Any]:
    """Play one game."""
    num_players, board, play = key
    position, rng, actions = new(*key), random.Random(num_players), []
    while not position.over:
        actions.append(PLAYERS[play](position, rng))
        position.step(actions[-1])
    facts = {"players": num_players, "board": board, "play": play, "actions": actions}
    return facts | {"scores": list(position.scores), "observations": digest_of(new(*key), actions)}


if __name__ == "__main__":
    FILE.write_text("".join(json.dumps(_record(key)) + "\n" for key in KEYS), encoding="utf-8")
    for place in LEAVES:
        start = position_after(*place)
        print(f"    {place}: {tuple(int(start.game.rules.count_leaves(start.states, depth)) for depth in (1, 2, 3))},")
