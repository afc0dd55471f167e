"""The best dome tiling by brute force: every decision of the engine tried; it knows nothing of the solver."""

from __future__ import annotations

from functools import cache

import numpy as np

from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.components import SPECIAL
from azul_duel_env.games.duel.state import COLUMN, PAYING

NO_WORTH = np.zeros((6, 6))


def tiles_now(position, player):
    """Return whether a player is asked in his phase 2."""
    return position.player == player and position.states["stage"][0] in (COLUMN, PAYING)


def points_after(position, player):
    """Return a player's score once nobody tiles any more: the other tiles as he likes, which changes nothing for the player."""
    position = position.copy()
    while position.player >= 0 and position.states["stage"][0] in (COLUMN, PAYING):
        position.step(int(position.legal_actions()[0]))
    return position.scores[player]


def worth_of(before, after, player, worth, chip_worth):
    """Return what the tiles on coloured and wild spaces that came in this tiling, and the chips left, are worth."""
    came = after.states["tiles"][0, player] != before.states["tiles"][0, player]
    tiles = came & (after.states["tiles"][0, player] != SPECIAL)
    return float((worth * tiles).sum()) + chip_worth * chips_up(after, player)


def chips_up(position, player):
    return int(position.states["chips_up"][0, player].sum())


def brute_force(position, player, worth=NO_WORTH, chip_worth=0.0):
    """Return the best (value, chips left) and the lowest action that leads to it."""
    known = {}

    def best(now):
        if not tiles_now(now, player):
            value = points_after(now, player) + worth_of(position, now, player, worth, chip_worth)
            return round(value, 9), chips_up(now, player), None
        key = now.states.tobytes()
        if key not in known:
            known[key] = max(
                ((*best(stepped(now, action))[:2], -action) for action in now.legal_actions().tolist()),
            )
        return known[key]

    value, left, action = best(position)
    return value, left, None if action is None else -action


def stepped(position, action):
    after = position.copy()
    after.step(action)
    return after


@cache
def _lowest_best_action(state):
    position = Position(GAME, np.frombuffer(bytearray(state), GAME.state))
    return brute_force(position, position.player)[2]


def lowest_best_action(position):
    """Return the lowest action that leads to most points and then to most chips left; a state is solved but once."""
    return _lowest_best_action(position.states.tobytes())
