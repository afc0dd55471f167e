"""The full-size random tests, by hand: every invariant after each of millions of random decisions, and thousands of games against the twin.

    python tests/support/duel_endurance.py --decisions 20000000 --games 20000 --jobs 2

Prints how far it is; Ctrl-C stops it. The same tests run in a small size in ``tests/duel``.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from twin import play

from azul_duel_env.games.duel import GAME, Options
from azul_duel_env.games.duel.actions import MAX_LEGAL
from azul_duel_env.games.duel.engine import carry_out, list_legal, settle
from azul_duel_env.games.duel.invariants import INVARIANTS, broken_invariants
from azul_duel_env.games.duel.state import GAME_OVER
from azul_duel_env.jit import entry
from azul_duel_env.jit.rng import below

VARIANTS = [
    {"scoring_tiles": tiles, "zero_point_draw": draw, "special_counts_as_colour": special, "chip_payments": payments}
    for tiles, draw, special, payments in product(
        (3, 4), ("free", "forced_only"), (True, False), ("undominated", "all")
    )
]
POLICIES = ("random", "fill", "draw")
GAMES_A_TURN = 2000


@entry
def walk(states, start, games, broken):
    """Play random games in ``states[0]``, checking after each decision; return the decisions, or minus that when an invariant broke."""
    legal = np.empty(MAX_LEGAL, np.int16)
    decisions = 0
    for _ in range(games):
        word = states[0].rng
        states[0] = start[0]
        states[0].rng = word
        settle(states[0], legal)
        while states[0].stage != GAME_OVER:
            carry_out(states[0], legal[below(states[0], list_legal(states[0], legal))], legal)
            decisions += 1
            if broken_invariants(states[0], broken) > 0:
                return -decisions
    return decisions


def check_invariants(wanted: int, seed: int) -> None:
    """Check every invariant after each of so many random decisions, all variants in turn."""
    done, turn, begun = 0, 0, time.perf_counter()
    broken = np.zeros(len(INVARIANTS), np.int8)
    kept = [GAME.rules.initial_states([seed + i], GAME.make_options(**variant)) for i, variant in enumerate(VARIANTS)]
    states = [each.copy() for each in kept]
    while done < wanted:
        which = turn % len(VARIANTS)
        made = walk(states[which], kept[which], GAMES_A_TURN, broken)
        if made < 0:
            names = [name for name, is_broken in zip(INVARIANTS, broken, strict=True) if is_broken]
            sys.exit(f"{VARIANTS[which]}: broken are {names} in\n{GAME.text.write(states[which], 0)}")
        done, turn = done + made, turn + 1
        if turn % len(VARIANTS) == 0 or done >= wanted:
            print(f"\r{done:,} decisions, no invariant broken, {time.perf_counter() - begun:.0f} s", end="", flush=True)
    print()


def play_twin(number: int) -> int:
    """Play one game against the twin; variants and policies take turns."""
    variant = VARIANTS[number % len(VARIANTS)]
    return play(number, Options(**variant, explicit_chance=True), POLICIES[number // len(VARIANTS) % len(POLICIES)])


def check_twin(games: int, seed: int, jobs: int) -> None:
    """Play so many games against the naive twin."""
    decisions, begun = 0, time.perf_counter()
    results = Parallel(n_jobs=jobs, return_as="generator", batch_size=8)(
        delayed(play_twin)(seed + i) for i in range(games)
    )
    for number, made in enumerate(results, 1):
        decisions += made
        if number % 100 == 0 or number == games:
            spent = time.perf_counter() - begun
            print(f"\r{number:,} games, {decisions:,} decisions, the twin agrees, {spent:.0f} s", end="", flush=True)
    print()


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=0)
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    check_invariants(arguments.decisions, arguments.seed)
    if arguments.games:
        check_twin(arguments.games, arguments.seed, arguments.jobs)


if __name__ == "__main__":
    main()
