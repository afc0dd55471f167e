"""Games to learn from: played by compiled code in threads, the same whatever their number."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from threading import Event, local
from typing import Any

import numpy as np

from azul_duel_env.arena.workers import LOST, check_workers, run_tasks
from azul_duel_env.game import Game
from azul_duel_env.training.alphazero.config import SelfPlay, Variant
from azul_duel_env.training.alphazero.replay import Decisions, joined

LEAST_NODES = 4_000
NODES_PER_SIMULATION = 200  # more than simulations use but for a few
GAMES_AT_ONCE = 16
"""Of a worker of a Ray cluster, before it sends them: some MiB."""


@dataclass(frozen=True)
class Played:
    """Games that were played.

    Attributes:
        decisions: of all games, one game after the other.
        score_mean: points of a seat, beside its head start.
        length_mean: decisions of a game, with those without a choice.
    """

    decisions: Decisions
    score_mean: float
    length_mean: float


Finished = tuple[Decisions, float, int]
"""Of a game: decisions that are kept, the mean score of a seat, and how many actions it took."""
Seeds = list[np.random.SeedSequence]


class Players:
    """Threads that play games, each with memory of its own, or workers of a Ray cluster.

    Args:
        game: that is played.
        settings: how.
        variants: options of the games.
        threads: how many.

    Raises:
        ValueError: Ray is wanted, and is not installed.
    """

    def __init__(self, game: Game, settings: SelfPlay, variants: list[Variant], threads: int) -> None:
        if settings.backend == "ray":
            check_workers(settings.threads or -1, "ray")
        self.game, self.threads, self._variants = game, threads, variants
        self._kernel: Any = game.kernel("gumbel")
        self._settings = settings
        most = max(settings.simulations, settings.final_simulations or 0, settings.quick_simulations or 0)
        self._num_nodes = max(LEAST_NODES, NODES_PER_SIMULATION * most + game.max_legal)
        self._options = [game.make_options(**variant.options) for variant in variants]
        self._until = np.cumsum([variant.share for variant in variants])
        self._memory = local()

    def play(
        self,
        network: Any,
        simulations: int,
        strength: float,
        head_start: int,
        seeds: Seeds,
        tell: Callable[[int], None],
    ) -> Played:
        """Play one game a seed with a network (``FastNetwork``) in all seats.

        Args:
            network: asked by the searches.
            simulations: for each decision, at most those of the settings.
            strength: factor of Q values beside logits.
            head_start: points that all players of a game begin with beside those of the rules, at most.
            seeds: each decides its game, whichever thread plays it.
            tell: called with the number of games that are finished, as they come.

        Raises:
            KeyboardInterrupt: Ctrl-C; the games under way are finished first, within a second or so, and lost.
        """
        given = self._settings
        settings = self._kernel.Settings(
            simulations,
            given.considered,
            float(given.noise),
            float(strength),
            float(given.dirichlet_share),
            float(given.dirichlet_concentration),
            float(given.temperature),
            given.reuse,
            float(given.trace_decay),
        )
        play = self._play_by_ray if given.backend == "ray" else self._play_in_threads
        finished = []
        with closing(play(network, settings, head_start, seeds)) as games:
            for game in games:
                finished.append(game)
                tell(len(finished))
        decisions, scores, lengths = zip(*finished, strict=True)
        return Played(joined(decisions), float(np.mean(scores)), float(np.mean(lengths)))

    def _play_in_threads(self, network: Any, settings: Any, head_start: int, seeds: Seeds) -> Generator[Finished]:
        """Yield the games in their order, as they are finished."""
        stop = Event()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                games = [pool.submit(self.play_one, network, settings, head_start, seed, stop) for seed in seeds]
                for game in games:
                    yield game.result()
            except BaseException:
                stop.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _play_by_ray(self, network: Any, settings: Any, head_start: int, seeds: Seeds) -> Generator[Finished]:
        """Yield the games in their order; those whose worker is lost each time are played here."""
        parts = [seeds[first : first + GAMES_AT_ONCE] for first in range(0, len(seeds), GAMES_AT_ONCE)]
        tasks = [
            (self.game, self._settings, self._variants, network, tuple(settings), head_start, part) for part in parts
        ]
        for part, games in zip(parts, run_tasks(play_apart, tasks, self._settings.threads or -1, "ray"), strict=True):
            if games is LOST:
                yield from self._play_in_threads(network, settings, head_start, part)
            else:
                yield from games

    def play_one(
        self, network: Any, settings: Any, head_start: int, seed: np.random.SeedSequence, stop: Event
    ) -> Finished:
        """Play one game; return those of its decisions that are kept, the mean score of a seat, and how many actions it took."""
        if stop.is_set():
            raise RuntimeError("self-play was stopped")
        memory = self._own_memory()
        game_seed, key, share, ahead = seed.generate_state(4, np.uint64)
        variant = int(np.searchsorted(self._until, share / 2.0**64 * self._until[-1], side="right"))
        states = self.game.new_states([int(game_seed)], self._options[min(variant, len(self._options) - 1)])
        given = int(ahead) % (head_start + 1)
        states["scores"] += given
        learnt = np.random.default_rng(seed).random(self.game.max_decisions) < self._settings.kept
        quick = self._quick(settings)
        n, entries = self._kernel.play_game(
            states, memory["trees"], memory["nodes"], network, key, settings, quick, learnt, *memory["written"]
        )
        states_before, counts, actions, policies, searched, outcomes = memory["written"]
        learnt[n - 1] |= not learnt[:n].any()
        kept = learnt[:n]
        kept_entries = np.repeat(kept, counts[:n])
        found = Decisions(
            states_before[:n][kept],
            counts[:n][kept],
            actions[:entries][kept_entries],
            policies[:entries][kept_entries],
            searched[:n][kept],
            outcomes[:n][kept],
        )
        return found, float(states["scores"][0].mean()) - given, int(states["decisions"][0])

    def _quick(self, settings: Any) -> Any:
        """Return the settings of decisions that are not learnt from."""
        simulations = self._settings.quick_simulations
        return settings if simulations is None else settings._replace(simulations=simulations, noise=0.0)

    def _own_memory(self) -> dict[str, Any]:
        """Return the memory of this thread: room for the longest game that there can be, taken only as far as it is used."""
        if not hasattr(self._memory, "of_thread"):
            game, kernel = self.game, self._kernel
            room, entries = game.max_decisions, game.max_decisions * game.max_legal
            written = (
                np.zeros(room, game.state),
                np.zeros(room, np.int16),
                np.zeros(entries, np.int16),
                np.zeros(entries, np.float32),
                np.zeros((room, game.num_players), np.float32),
                np.zeros((room, game.num_players), np.float32),
            )
            nodes, trees = np.zeros(self._num_nodes, kernel.NODE), np.zeros(1, kernel.TREE)
            self._memory.of_thread = {"written": written, "nodes": nodes, "trees": trees}
        memory: dict[str, Any] = self._memory.of_thread
        return memory


def play_apart(
    game: Game,
    given: SelfPlay,
    variants: list[Variant],
    network: Any,
    settings: tuple[Any, ...],
    head_start: int,
    seeds: Seeds,
) -> list[Finished]:
    """Play games in another process."""
    players = Players(game, given.model_copy(update={"backend": "threads"}), variants, 1)
    return [
        players.play_one(network, game.kernel("gumbel").Settings(*settings), head_start, seed, Event())
        for seed in seeds
    ]
