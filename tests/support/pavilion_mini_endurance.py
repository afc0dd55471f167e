"""The full-size tests of the Mini, by hand: every invariant after each of millions of decisions, and thousands of games against the twin.

    python tests/support/pavilion_mini_endurance.py --decisions 20000000 --games 10000 --jobs 2

Random and greedy players take turns, on all variants: with four players only sensible play leaves the last round short of tiles (SR17).
Prints how far it is; Ctrl-C stops it. The same tests run in a small size in ``tests/pavilion_mini``.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from mini_twin import play

from azul_duel_env.games import find_game
from azul_duel_env.games.pavilion_mini.actions import MAX_LEGAL
from azul_duel_env.games.pavilion_mini.agents.greedy import best_action
from azul_duel_env.games.pavilion_mini.components import COLOURS
from azul_duel_env.games.pavilion_mini.engine import carry_out, list_legal, settle
from azul_duel_env.games.pavilion_mini.invariants import INVARIANTS, broken_invariants
from azul_duel_env.games.pavilion_mini.state import GAME_OVER
from azul_duel_env.jit import entry
from azul_duel_env.jit.rng import below, next_bits

VARIANTS = list(product((2, 3, 4), ("coloured", "grey"), ("most", "any"), ("random", "greedy")))
GAMES_A_TURN = 500


@entry
def walk(states, start, games, is_greedy, broken):
    """Play games in ``states[0]``, checking after each decision; return the decisions, or minus that when an invariant broke."""
    legal = np.empty(MAX_LEGAL, np.int16)
    decisions = 0
    for _ in range(games):
        key = states[0].rng
        states[0] = start[0]
        states[0].rng = key
        settle(states[0], legal)
        while states[0].stage != GAME_OVER:
            count = list_legal(states[0], legal)
            if is_greedy and below(states[0], 20) > 0:
                action = best_action(states, 0, next_bits(states[0]))
            else:
                action = np.int64(legal[below(states[0], count)])
            carry_out(states[0], action, legal)
            decisions += 1
            if broken_invariants(states[0], broken) > 0:
                return -decisions
    return decisions


def check_invariants(wanted: int, seed: int) -> None:
    """Check every invariant after each of so many decisions, all variants in turn."""
    done, turn, begun = 0, 0, time.perf_counter()
    broken = np.zeros(len(INVARIANTS), np.int8)
    games = [find_game("pavilion_mini", num_players) for num_players, *_ in VARIANTS]
    kept = [
        game.rules.initial_states([seed + i], game.make_options(board=board, keep=keep))
        for i, (game, (_, board, keep, _)) in enumerate(zip(games, VARIANTS, strict=True))
    ]
    states = [each.copy() for each in kept]
    while done < wanted:
        which = turn % len(VARIANTS)
        made = walk(states[which], kept[which], GAMES_A_TURN, VARIANTS[which][-1] == "greedy", broken)
        if made < 0:
            names = [name for name, is_broken in zip(INVARIANTS, broken, strict=True) if is_broken]
            sys.exit(f"{VARIANTS[which]}: broken are {names} in\n{games[which].text.write(states[which], 0)}")
        done, turn = done + made, turn + 1
        if turn % len(VARIANTS) == 0 or done >= wanted:
            print(f"\r{done:,} decisions, no invariant broken, {time.perf_counter() - begun:.0f} s", end="", flush=True)
    print()


def play_twin(number: int) -> int:
    """Play one game against the twin; variants, policies and wild orders take turns."""
    num_players, board, keep, policy = VARIANTS[number % len(VARIANTS)]
    order = COLOURS if number % 5 == 0 else tuple(np.random.default_rng(number).permutation(COLOURS).tolist())
    twins_policy = "random" if policy == "random" else "sensible"
    return play(num_players, number, twins_policy, board=board, keep=keep, wild_order=order)


def check_twin(games: int, seed: int, jobs: int) -> None:
    """Play so many games against the naive twin."""
    begun, done, decisions = time.perf_counter(), 0, 0
    numbers = (delayed(play_twin)(seed + number) for number in range(games))
    for made in Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=8)(numbers):
        done, decisions = done + 1, decisions + made
        if done % 100 == 0 or done == games:
            print(
                f"\r{done:,} games, {decisions:,} decisions, core and twin agree, {time.perf_counter() - begun:.0f} s",
                end="",
                flush=True,
            )
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=20_000_000)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    check_invariants(given.decisions, given.seed)
    check_twin(given.games, given.seed, given.jobs)
