"""Speed, measured: this package and the peers that are installed, in one run, as ratios.

Machines are shared and drift, so every contestant gets several short turns, one after the other, and the median turn counts.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

import gymnasium
import numpy as np

from azul_duel_env.agents import make_agent
from azul_duel_env.agents.search import Search
from azul_duel_env.envs.arguments import threads_of
from azul_duel_env.envs.registration import gymnasium_id, module_of
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.game import Game, Position

PACKAGES = ("azul_duel_env", "numpy", "numba", "pettingzoo", "gymnasium", "open_spiel", "stable_baselines3", "torch")
"""Whose versions a measurement names."""
TURNS = 5
BATCH = 200
SIMULATIONS = (100, 1000)
SEARCHED = 8
"""Positions of a game of greedy against itself that are searched in turn."""

MOST_MILLISECONDS = 1000
"""Goal: a decision of ``mcts:1000``, on one core."""
LEAST_PLAYOUTS = 10_000
"""Goal: random playouts a second inside the search, on one core."""


@dataclass(frozen=True)
class Contestant:
    """Something whose speed is measured.

    Attributes:
        name: short key, in JSON.
        text: for people.
        run: plays for about so many seconds and returns what it counted and seconds.
        counts: what it counts.
    """

    name: str
    text: str
    run: Callable[[float], tuple[int, float]]
    counts: str = "decisions"


def until(seconds: float, play: Callable[[int], int]) -> tuple[int, float]:
    """Call ``play(0)``, ``play(1)`` ... until the time is over; return the sum of what it returns, and the seconds."""
    decisions, turn, start = 0, 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        decisions += play(turn)
        turn += 1
    return decisions, spent


def core(game: Game) -> Contestant:
    """Random games inside the compiled core."""
    start = game.rules.initial_states([0], game.options())
    states = start.copy()
    return Contestant(
        "core",
        "core, random playouts",
        lambda seconds: until(seconds, lambda _: game.rules.playouts(states, start, BATCH)),
    )


def play_aec(env: Any, seed: int, rng: np.random.Generator) -> int:
    """Play one random game of an AEC environment with the mask in its observation; return the decisions."""
    env.reset(seed=seed)
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        decisions += 1
    return decisions


def _aec(name: str, text: str, env: Any) -> Contestant:
    rng = np.random.default_rng(0)
    return Contestant(name, text, lambda seconds: until(seconds, lambda seed: play_aec(env, seed, rng)))


def aec(game: Game) -> Contestant:
    """The AEC environment of the game."""
    return _aec("aec", "AEC environment, random play", import_module(module_of(game.id)).env(**game.players_option))


def self_play(game: Game, games: int, threads: int) -> Contestant:
    """The self-play batch: random play, observation and mask at each decision of any player, in the batch's own arrays."""
    batch = SelfPlayBatch(game, games, threads=threads, copy=False)
    batch.reset(seed=0)
    steps = max(1, 4096 // games)

    def play(_: int) -> int:
        for _ in range(steps):
            batch.step(batch.sample_actions())
        return steps * games

    text = f"self-play batch, {games:,} game{'s' if games > 1 else ''}, {threads} thread{'s' if threads > 1 else ''}"
    return Contestant(f"self_play_{games}_{threads}", text, lambda seconds: until(seconds, play))


def vector(game: Game, opponent: str) -> Contestant:
    """The Gymnasium vector environment, fresh arrays at each step; counted are the learner's decisions."""
    games = 1024
    env = gymnasium.make_vec(
        gymnasium_id(game.id),
        games,
        vectorization_mode="vector_entry_point",
        opponent=opponent,
        **game.players_option,
    )
    env.reset(seed=0)
    inner: Any = env.unwrapped

    def play(_: int) -> int:
        env.step(inner.sample_actions())
        return games

    text = f"Gymnasium vector environment, {games:,} games against {opponent}"
    return Contestant(f"vector_{opponent}", text, lambda seconds: until(seconds, play))


def single(game: Game) -> Contestant:
    """The Gymnasium environment with one game; counted are the learner's decisions."""
    env = gymnasium.make(gymnasium_id(game.id), opponent="random", disable_env_checker=True, **game.players_option)
    rng = np.random.default_rng(0)

    def play(seed: int) -> int:
        _, info = env.reset(seed=seed)
        decisions, terminated = 0, False
        while not terminated:
            _, _, terminated, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            decisions += 1
        return decisions

    return Contestant("gymnasium", "Gymnasium environment against random", lambda seconds: until(seconds, play))


def sb3(game: Game) -> Contestant | None:
    """The vector environment of stable-baselines3, if that is installed; counted are the learner's decisions."""
    try:
        from azul_duel_env.envs.sb3 import make_sb3_vec
    except ImportError:
        return None
    games = 256
    env = make_sb3_vec(games, game=game.id, opponent="random", seed=0, **game.players_option)
    env.reset()

    def play(_: int) -> int:
        env.step(env.batch.sample())
        return games

    text = f"stable-baselines3 VecEnv, {games} games against random"
    return Contestant("sb3", text, lambda seconds: until(seconds, play))


def searched_positions(game: Game) -> list[Position]:
    """Return positions from the beginning of a game to its end, in each of which the player has a choice."""
    position, greedy = game.new(0), make_agent(game, "greedy")
    found = []
    while not position.over:
        if len(position.legal_actions()) > 1:
            found.append(position.copy())
        position.step(greedy.act(position, np.uint64(0)))
    return found[:: len(found) // SEARCHED][:SEARCHED]


def mcts(positions: list[Position], simulations: int) -> Contestant:
    """The search as an agent, on one core."""
    search = Search(positions[0].game, simulations)

    def play(key: int) -> int:
        for position in positions:
            search(position.states, 0, np.uint64(key))
        return len(positions)

    return Contestant(f"mcts_{simulations}", f"agent mcts:{simulations}", lambda seconds: until(seconds, play))


def search_playouts(positions: list[Position]) -> Contestant:
    """The search with random playouts to the end of the game as leaves, on one core; one simulation is one playout."""
    search = Search(positions[0].game, BATCH, leaf="random")

    def play(key: int) -> int:
        return sum(search.run(position.states, 0, np.uint64(key)).simulations for position in positions)

    return Contestant("playouts", "random playouts inside the search", lambda seconds: until(seconds, play), "playouts")


def search_figures(median: dict[str, float]) -> dict[str, Any]:
    """Return the speed of the search in its own units, with the goals."""
    return {
        "milliseconds_per_decision": {f"mcts:{n}": round(1000 / median[f"mcts_{n}"], 2) for n in SIMULATIONS},
        "simulations_per_second": {f"mcts:{n}": round(n * median[f"mcts_{n}"]) for n in SIMULATIONS},
        "random_playouts_per_second": round(median["playouts"]),
        "goals": {"milliseconds_at_most": {"mcts:1000": MOST_MILLISECONDS}, "random_playouts_at_least": LEAST_PLAYOUTS},
    }


def search_line(figures: dict[str, Any]) -> str:
    """Return what ``search_figures`` gave as a sentence."""
    most = figures["goals"]["milliseconds_at_most"]
    agents = [
        f"{agent} takes {spent:g} ms a decision"
        + (f" (goal: at most {most[agent]:,})" if agent in most else "")
        + f", {figures['simulations_per_second'][agent]:,} simulations a second"
        for agent, spent in figures["milliseconds_per_decision"].items()
    ]
    playouts, least = figures["random_playouts_per_second"], figures["goals"]["random_playouts_at_least"]
    return (
        f"The search, on one core, in {SEARCHED} positions from the beginning of a game to its end: {'; '.join(agents)}; "
        f"with random playouts to the end of the game as leaves, {playouts:,} a second (goal: at least {least:,})."
    )


def connect_four() -> Contestant | None:
    """PettingZoo's connect four, if it is installed."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return None
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _aec("connect_four", "PettingZoo connect_four_v3, random play", connect_four_v3.env())


def openspiel(name: str) -> Contestant | None:
    """A game of OpenSpiel from Python, with observation tensor and mask read at each decision, if it is installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    import random

    game, rng = pyspiel.load_game(name), random.Random(0)

    def play(_seed: int) -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, _ = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(outcomes[int(len(outcomes) * rng.random())])
                continue
            state.observation_tensor(state.current_player())
            state.legal_actions_mask()
            legal = state.legal_actions()
            state.apply_action(legal[int(len(legal) * rng.random())])
            decisions += 1
        return decisions

    return Contestant(f"openspiel_{name}", f"OpenSpiel {name} from Python", lambda seconds: until(seconds, play))


def contestants(game: Game) -> list[Contestant]:
    """Return all that can be measured here."""
    found: list[Contestant | None] = [core(game)]
    found += [self_play(game, games, threads) for games in (1, 64, 1024, 4096) for threads in (1, 2)]
    found += [vector(game, opponent) for opponent in ("random", "greedy")]
    found += [sb3(game), single(game), aec(game)]
    positions = searched_positions(game)
    found += [mcts(positions, simulations) for simulations in SIMULATIONS]
    found += [search_playouts(positions), connect_four(), openspiel("backgammon")]
    return [contestant for contestant in found if contestant is not None]


def speeds_of(
    entered: Sequence[Contestant], seconds: float, progress: Callable[[str], object] = str
) -> dict[str, float]:
    """Return how much of what it counts each contestant does in a second, by name: the median of several short turns.

    Args:
        entered: the contestants.
        seconds: for each in all.
        progress: called with what is being measured.
    """
    for contestant in entered:
        progress(f"warming up: {contestant.text}")
        contestant.run(0.05)
    speeds: dict[str, list[float]] = {contestant.name: [] for contestant in entered}
    for turn in range(TURNS):
        for contestant in entered:
            progress(f"turn {turn + 1} of {TURNS}: {contestant.text}")
            count, spent = contestant.run(seconds / TURNS)
            speeds[contestant.name].append(count / spent)
    return {name: statistics.median(values) for name, values in speeds.items()}


def measure(game: Game, seconds: float, progress: Callable[[str], object] = str) -> dict[str, Any]:
    """Measure everything.

    Args:
        game: the game.
        seconds: for each contestant in all.
        progress: called with what is being measured.

    Returns:
        ``decisions_per_second`` and ``texts`` by contestant, ``search`` (see ``search_figures``), ``ratios``, ``facts`` of random play,
        ``machine`` and the id of the ``game``, with ``num_players`` where it has several numbers; ready for JSON.
    """
    entered = contestants(game)
    median = speeds_of(entered, seconds, progress)
    return {
        "game": game.id,
        **game.players_option,
        "decisions_per_second": {one.name: round(median[one.name]) for one in entered if one.counts == "decisions"},
        "texts": {contestant.name: contestant.text for contestant in entered},
        "search": search_figures(median),
        "ratios": {
            f"{one}/{other}": round(median[one] / median[other], 2)
            for one, other in RATIOS
            if {one, other} <= set(median)
        },
        "facts": facts(game),
        "machine": machine(),
    }


RATIOS = (
    ("self_play_1024_1", "openspiel_backgammon"),
    ("self_play_1024_2", "openspiel_backgammon"),
    ("self_play_1024_1", "connect_four"),
    ("self_play_1024_2", "self_play_1024_1"),
    ("aec", "connect_four"),
    ("core", "connect_four"),
    ("core", "openspiel_backgammon"),
)


def facts(game: Game, games: int = 1000) -> dict[str, float]:
    """Return the size and the shape of the game under random play."""
    rng = np.random.default_rng(0)
    lengths, branching = [], []
    for seed in range(games // 10):
        position = game.new(seed)
        while not position.over:
            legal = position.legal_actions()
            branching.append(len(legal))
            position.step(int(rng.choice(legal)))
        lengths.append(position.decisions)
    return {
        "bytes_per_state": game.state.itemsize,
        "observation_size": game.observation_size,
        "actions": game.num_actions,
        "decisions_per_game": round(float(np.mean(lengths)), 1),
        "legal_actions_mean": round(float(np.mean(branching)), 1),
        "legal_actions_max": int(np.max(branching)),
    }


def machine() -> dict[str, Any]:
    """Return what this ran on."""
    return {
        "processor": _processor(),
        "cores": threads_of(-1),
        "python": platform.python_version(),
        "versions": versions_of(PACKAGES),
    }


def versions_of(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed, by name."""
    versions = {}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _processor() -> str:
    """Return the name of the processor, as far as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            names = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    except OSError:
        names = []
    return (names or [platform.processor() or platform.machine()])[0]
