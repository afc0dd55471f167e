"""A run that learns from nothing: self-play, learning, evaluation, again and again; stopped and resumed at will.

What an iteration does follows from the seed of the run, its number, and what was saved after the one before: a resumed run goes on exactly
as one that was never stopped, as far as the evaluation's opponents and PyTorch repeat.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from azul_duel_env import __version__
from azul_duel_env.agents.fast_network_file import network_from, num_values, write_fast_network
from azul_duel_env.arena import Summary, find_agent, play_match, summarise
from azul_duel_env.arena.lock import held
from azul_duel_env.envs.arguments import threads_of
from azul_duel_env.system.files import replaced
from azul_duel_env.system.reading import one_line
from azul_duel_env.system.signals import deferred
from azul_duel_env.training.alphazero.config import AlphaZeroConfig
from azul_duel_env.training.alphazero.network import Network, arrays_of, load_arrays
from azul_duel_env.training.alphazero.replay import Batch, Decisions, Replay, read_decisions, write_decisions
from azul_duel_env.training.alphazero.self_play import Played, Players
from azul_duel_env.training.curve import draw_curve
from azul_duel_env.training.folder import (
    CONFIG,
    CURVE,
    LOGGED,
    PROGRESS,
    TENSORBOARD,
    Listener,
    check_folder,
    claim_folder,
    crossed,
    entry_of,
    progress_in,
    text_of,
)
from azul_duel_env.training.progress import Progress
from azul_duel_env.training.tensorboard_files import EVALUATION, forget_events_after

CHECKPOINT, NETWORK, NETWORKS, REPLAY = "checkpoint.pt", "network.npz", "networks", "replay"
BLOCK = re.compile("0|[1-9][0-9]*")
"""The name of a file of decisions; others in their folder are somebody else's."""
OF_GAMES, OF_BATCHES = range(2)  # what the random numbers of an iteration are for


class AlphaZeroRun:
    """One run, in its folder, which no other run can have until ``close`` or the end of ``train``.

    There lie ``config.yaml``, ``progress.json``, ``checkpoint.pt``, ``network.npz`` as it is now, ``networks/`` as it was evaluated, by
    positions, ``replay/``, ``tensorboard/`` and ``curve.png``.

    Args:
        config: what to train.
        folder: made if it is missing.
        resume: go on with what is in the folder; else it must hold no run.
        listener: who is told; its steps are positions.

    Raises:
        ValueError: another process trains in the folder, and the message says which; or the folder holds a run and ``resume`` is not
            set, or it holds the run of another configuration, or a damaged file, and the message says what helps; or the configuration
            has an opponent that there is not. The folder is as before.
        OSError: a file can't be read.
    """

    def __init__(
        self, config: AlphaZeroConfig, folder: Path, resume: bool = False, listener: Listener | None = None
    ) -> None:
        self.config, self.folder, self.listener = config, folder, listener or Listener()
        self.game = config.table
        folder.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            opened.enter_context(held(folder))
            check_folder(folder, config, resume)
            self._prepare()
            self._opened = opened.pop_all()

    def _prepare(self) -> None:
        """Read how far the run is and make what it needs."""
        config, game = self.config, self.game
        self.progress = progress_in(self.folder, config)
        for spec in config.evaluation.opponents:
            find_agent(game, spec)
        self._threads = config.self_play.threads or threads_of(-1)
        torch.set_num_threads(config.torch_threads or threads_of(-1))
        torch.manual_seed(config.seed)
        self.network = Network(game, config.network.units, config.network.width)
        if config.network.start is not None and not (self.folder / CHECKPOINT).exists():
            load_arrays(self.network, game, config.network.start)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), config.learning.learning_rate, weight_decay=config.learning.weight_decay
        )
        least, most = config.replay.least, config.replay.most
        self.replay = Replay(game, least, most, config.learning.search_share, num_values(game))
        self.players = Players(game, config.self_play, config.variants, self._threads)
        self.iterations = self.positions = 0
        if (self.folder / CHECKPOINT).exists():
            self._load()
        self._is_resumed = (self.folder / CONFIG).exists()
        claim_folder(self.folder, config)
        self._begun = time.monotonic() - self.progress.seconds

    def _load(self) -> None:
        """Go on from the checkpoint."""
        file = self.folder / CHECKPOINT
        try:
            saved = torch.load(file, weights_only=True)
            self.network.load_state_dict(saved["network"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.iterations, self.positions = int(saved["iterations"]), int(saved["positions"])
            numbers = [int(number) for number in saved["replay"]]
        except Exception as error:  # zipfile, pickle and PyTorch raise nearly anything at damaged bytes
            raise ValueError(
                f"{file} is no checkpoint of this run ({one_line(error)}): put a copy of it back, or train in another folder"
            ) from error
        for number in numbers:
            self.replay.add(number, read_decisions(self._block(number), self.game))

    def _block(self, number: int) -> Path:
        """Return the file of the decisions of an iteration."""
        return self.folder / REPLAY / f"{number}.npz"

    # The run ----------------------------------------------------------------------------------
    def train(self) -> Progress:
        """Train to the end, and close; what was done before is not done again. Ctrl-C loses the iteration under way, and is passed on."""
        from torch.utils.tensorboard import SummaryWriter

        with self._opened:
            log = self.folder / TENSORBOARD
            if self._is_resumed:
                self._forget_what_was_lost(log)
            self.log = SummaryWriter(str(log))
            self._opened.callback(self.log.close)
            self._iterate()
            self._finish()
        return self.progress

    def close(self) -> None:
        """Let other runs have the folder."""
        self._opened.close()

    def _forget_what_was_lost(self, log: Path) -> None:
        """Drop what a killed run left that is later than its checkpoint: it will come again."""
        self.progress.forget_after(self.positions)
        evaluated = self.positions in [entry["steps"] for entry in self.progress.evaluations]
        forget_events_after(log, self.positions, evaluated)

    def _iterate(self) -> None:
        """Evaluate where it is due, play and learn, until there are positions enough."""
        self.listener.phase("self-play and learning", self.positions, self.config.positions)
        self._evaluate_if_due()
        while self.positions < self.config.positions:
            played = self._play()
            self._keep(played.decisions)
            losses = self._learn(len(played.decisions))
            self._log(played, losses)
            self.save()
            note = f"policy {losses[0]:.3f}, value {losses[1]:.3f}, {played.score_mean:.1f} points"
            self.listener.steps(self.positions, note)
            self._evaluate_if_due()

    def _random(self, purpose: int) -> np.random.SeedSequence:
        """Return what decides the next games, or the batches of the games just played."""
        return np.random.SeedSequence([self.config.seed, self.iterations, purpose])

    def _play(self) -> Played:
        """Play the games of an iteration."""
        settings = self.config.self_play
        network = network_from(self.game, arrays_of(self.network), self._win_share())
        simulations = round(self._on_the_way(settings.simulations, settings.final_simulations))
        seeds = self._random(OF_GAMES).spawn(settings.games)
        strength = settings.strength / self.replay.spread()
        head_start = round(self._on_the_way(settings.head_start, settings.final_head_start))
        return self.players.play(
            network,
            simulations,
            strength,
            head_start,
            seeds,
            lambda done: self.listener.steps(self.positions, f"{done} games"),
        )

    def _keep(self, decisions: Decisions) -> None:
        """Add what was played to what is learnt from, and let go what is too old."""
        self.iterations += 1
        self.positions += len(decisions)
        file = self._block(self.iterations)
        file.parent.mkdir(exist_ok=True)
        with deferred():
            write_decisions(file, decisions)
        self.replay.add(self.iterations, decisions)
        self.replay.let_go(self.positions)

    # Learning ---------------------------------------------------------------------------------
    def _learn(self, new: int) -> tuple[float, float]:
        """Learn from all that is kept, a number of ``new`` positions being in it; return the mean losses of policy and value."""
        learning, rng = self.config.learning, np.random.default_rng(self._random(OF_BATCHES))
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate()
        losses = np.zeros(2)
        batches = max(1, round(new * learning.passes / learning.batch_size))
        value_weight = learning.value_weight / self.replay.spread() ** 2
        for _ in range(batches):
            losses += self._step(self.replay.draw(rng, learning.batch_size), value_weight)
        return float(losses[0] / batches), float(losses[1] / batches)

    def _learning_rate(self) -> float:
        return self._on_the_way(self.config.learning.learning_rate, self.config.learning.final_learning_rate)

    def _win_share(self) -> float:
        return self._on_the_way(self.config.learning.win_share, self.config.learning.final_win_share)

    def _on_the_way(self, first: float, last: float | None) -> float:
        """Return where a value is now that goes in a straight line, if it changes at all."""
        return first if last is None else first + (last - first) * min(1.0, self.positions / self.config.positions)

    def _step(self, batch: Batch, value_weight: float) -> tuple[float, float]:
        """Learn from a batch; return its losses: cross-entropy to the improved policy, and squared error of the values."""
        seen = (batch.observations, batch.lookups, batch.outputs, batch.is_legal)
        logits, values = self.network(*(torch.from_numpy(array) for array in seen))
        policy_loss = -(torch.from_numpy(batch.policies) * functional.log_softmax(logits, 1)).sum(1).mean()
        value_loss = functional.mse_loss(values, torch.from_numpy(batch.values))
        self.optimizer.zero_grad()
        (policy_loss + value_weight * value_loss).backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.learning.max_grad_norm)
        self.optimizer.step()
        self.network.keep_within_bounds()
        return policy_loss.item(), value_loss.item()

    def _log(self, played: Played, losses: tuple[float, float]) -> None:
        """Log an iteration for TensorBoard."""
        figures = {
            "loss/policy": losses[0],
            "loss/value": losses[1],
            "self_play/score_mean": played.score_mean,
            "self_play/length_mean": played.length_mean,
            "replay/positions": len(self.replay),
            "learning_rate": self._learning_rate(),
        }
        for name, value in figures.items():
            self.log.add_scalar(name, value, self.positions)
        self.log.flush()

    # Evaluation -------------------------------------------------------------------------------
    def _evaluate_if_due(self) -> None:
        """Play the evaluation's games, and keep what came out, unless that is done."""
        evaluation, done = self.config.evaluation, self.progress.evaluations
        if not done or crossed(done[-1]["steps"], self.positions, evaluation.every):
            summaries = self._meet_all(evaluation.games, evaluation.seed)
            with deferred():
                self._record(summaries)
                self._write_progress()

    def _meet_all(self, games: int, seed: int) -> dict[str, Summary]:
        """Let the network as it is now play against each opponent."""
        file = self.folder / NETWORKS / f"{self.positions}.npz"
        file.parent.mkdir(exist_ok=True)
        self._write_network(file)
        simulations = self.config.evaluation.simulations
        agent = f"network+mcts:{simulations}:{file}" if simulations else f"network:{file}"
        return {opponent: self._meet(agent, opponent, games, seed) for opponent in self.config.evaluation.opponents}

    def _meet(self, agent: str, opponent: str, games: int, seed: int) -> Summary:
        """Play games with the agent in one seat, and the opponent in all others."""
        agents = [agent, *[opponent] * (self.game.num_players - 1)]
        options = self.config.variants[0].options
        return summarise(
            (agent, opponent), list(play_match(self.game, agents, games, seed, options, jobs=self._threads))
        )

    def _record(self, summaries: dict[str, Summary]) -> None:
        """Report, log and keep what an evaluation came to."""
        entry = entry_of(self.positions, summaries)
        for opponent in summaries:
            for name in LOGGED:
                self.log.add_scalar(f"{EVALUATION}{opponent}/{name}", entry[opponent][name], self.positions)
        self.log.flush()
        entry["seconds"] = round(time.monotonic() - self._begun, 1)
        self.progress.evaluations.append(entry)
        self.listener.evaluated(entry)

    def _finish(self) -> None:
        """Evaluate thoroughly; what is complete stays as it is."""
        if self.progress.final:
            return
        evaluation = self.config.evaluation
        self.listener.phase("final games", 0, evaluation.final_games * len(evaluation.opponents))
        summaries = self._meet_all(evaluation.final_games, evaluation.seed + 1)
        with deferred():
            if self.progress.evaluations[-1]["steps"] < self.positions:
                self._record(summaries)
            self.progress.final = {opponent: summary.as_dict() for opponent, summary in summaries.items()}
            self._write_progress()

    # Files ------------------------------------------------------------------------------------
    def save(self) -> None:
        """Write all that the run goes on from; each file is whole or as before. Ctrl-C is heard afterwards."""
        with deferred():
            saved = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
            counts = {"iterations": self.iterations, "positions": self.positions, "replay": list(self.replay.blocks)}
            self._write_network(
                self.folder / NETWORK
            )  # first: after the checkpoint of the last iteration it would not come again
            with replaced(self.folder / CHECKPOINT) as temporary:
                torch.save(saved | counts, temporary)
            self._write_progress()
            self._drop_blocks()

    def _drop_blocks(self) -> None:
        """Remove the files of decisions that are not learnt from any more."""
        for file in (self.folder / REPLAY).glob("*.npz"):
            if BLOCK.fullmatch(file.stem) and int(file.stem) not in self.replay.blocks:
                file.unlink(missing_ok=True)

    def _write_network(self, file: Path) -> None:
        source = {"config": text_of(self.config), "steps": self.positions, "version": f"azul_duel_env {__version__}"}
        write_fast_network(file, self.game, arrays_of(self.network), self._win_share(), source)

    def _write_progress(self) -> None:
        """Write progress and learning curve."""
        self.progress.seconds = round(time.monotonic() - self._begun, 1)
        with replaced(self.folder / PROGRESS) as temporary:
            temporary.write_text(json.dumps(vars(self.progress), indent=1) + "\n", encoding="utf-8")
        if self.progress.evaluations:
            with replaced(self.folder / CURVE) as temporary:
                title = f"{self.game.title}: learning from nothing"
                draw_curve(self.progress.evaluations, temporary, title, self.game.num_players, against="seconds")
