"""Games to learn from: played by compiled code in threads, the same whatever their number."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, local
from typing import Any

import numpy as np

from azul_duel_env.game import Game
from azul_duel_env.training.alphazero.config import SelfPlay, Variant
from azul_duel_env.training.alphazero.replay import Decisions, joined

LEAST_NODES = 4_000
NODES_PER_SIMULATION = 200  # more than simulations use but for a few


@dataclass(frozen=True)
class Played:
    """Games that were played.

    Attributes:
        decisions: of all games, one game after the other.
        score_mean: points of a seat.
        length_mean: decisions of a game, with those without a choice.
    """

    decisions: Decisions
    score_mean: float
    length_mean: float


class Players:
    """Threads that play games, each with memory of its own.

    Args:
        game: that is played.
        settings: how.
        variants: options of the games.
        threads: how many.
    """

    def __init__(self, game: Game, settings: SelfPlay, variants: list[Variant], threads: int) -> None:
        self.game, self.threads = game, threads
        self._kernel: Any = game.kernel("gumbel")
        self._settings = settings
        most = max(settings.simulations, settings.final_simulations or 0)
        self._num_nodes = max(LEAST_NODES, NODES_PER_SIMULATION * most + game.max_legal)
        self._options = [game.make_options(**variant.options) for variant in variants]
        self._until = np.cumsum([variant.share for variant in variants])
        self._memory = local()

    def play(
        self,
        network: Any,
        simulations: int,
        strength: float,
        seeds: list[np.random.SeedSequence],
        tell: Callable[[int], None],
    ) -> Played:
        """Play one game a seed with a network (``FastNetwork``) in all seats.

        Args:
            network: asked by the searches.
            simulations: for each decision, at most those of the settings.
            strength: factor of Q values beside logits.
            seeds: each decides its game, whichever thread plays it.
            tell: called with the number of games that are finished, as they come.

        Raises:
            KeyboardInterrupt: Ctrl-C; the games under way are finished first, within a second or so, and lost.
        """
        stop = Event()
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
        )
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                games = [pool.submit(self._play, network, settings, seed, stop) for seed in seeds]
                finished = []
                for number, game in enumerate(games):
                    finished.append(game.result())
                    tell(number + 1)
            except BaseException:
                stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        decisions, scores, lengths = zip(*finished, strict=True)
        return Played(joined(decisions), float(np.mean(scores)), float(np.mean(lengths)))

    def _play(
        self, network: Any, settings: Any, seed: np.random.SeedSequence, stop: Event
    ) -> tuple[Decisions, float, int]:
        """Play one game; return those of its decisions that are kept, the mean score of a seat, and how many actions it took."""
        if stop.is_set():
            raise RuntimeError("self-play was stopped")
        memory = self._own_memory()
        game_seed, key, share = seed.generate_state(3, np.uint64)
        variant = int(np.searchsorted(self._until, share / 2.0**64 * self._until[-1], side="right"))
        states = self.game.new_states([int(game_seed)], self._options[min(variant, len(self._options) - 1)])
        n, entries = self._kernel.play_game(
            states, memory["trees"], memory["nodes"], network, key, settings, *memory["written"]
        )
        states_before, counts, actions, policies, searched, outcomes = memory["written"]
        kept = np.zeros(n, bool)
        kept[np.random.default_rng(seed).choice(n, max(1, round(n * self._settings.kept)), replace=False)] = True
        kept_entries = np.repeat(kept, counts[:n])
        found = Decisions(
            states_before[:n][kept],
            counts[:n][kept],
            actions[:entries][kept_entries],
            policies[:entries][kept_entries],
            searched[:n][kept],
            outcomes[:n][kept],
        )
        return found, float(states["scores"][0].mean()), int(states["decisions"][0])

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
