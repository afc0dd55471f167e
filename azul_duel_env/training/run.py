"""A training run: MaskablePPO on the games of a configuration, evaluated as it trains, stopped and resumed at will."""

from __future__ import annotations

import copy
import json
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from azul_duel_env.arena import Summary
from azul_duel_env.arena.lock import held
from azul_duel_env.envs.arguments import threads_of
from azul_duel_env.envs.sb3 import SB3VecEnv, make_sb3_vec
from azul_duel_env.system.files import replaced
from azul_duel_env.system.reading import one_line
from azul_duel_env.system.signals import deferred, undisturbed
from azul_duel_env.training.config import PAST_SELVES, Config, Stage, read_config
from azul_duel_env.training.curve import draw_curve
from azul_duel_env.training.evaluate import evaluate
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
)
from azul_duel_env.training.league import PastSelves, pool_of
from azul_duel_env.training.policy import AdvisedPolicy
from azul_duel_env.training.progress import Progress
from azul_duel_env.training.tensorboard_files import EVALUATION, forget_events_after

CHECKPOINT, MODEL = "checkpoint.zip", "model.zip"


class Run:
    """One run, in its folder, which no other run can have until ``close`` or the end of ``train``.

    There lie ``config.yaml``, ``progress.json``, ``checkpoint.zip``, ``curve.png``, ``past_selves/``, ``tensorboard/``, and at the end
    ``model.zip``.

    Args:
        config: what to train.
        folder: made if it is missing.
        resume: go on with what is in the folder; else it must hold no run.
        listener: who is told.

    Raises:
        ValueError: another process trains in the folder, and the message says which; or the folder holds a run and ``resume`` is not
            set, or it holds the run of another configuration, or a damaged file, and the message says what helps; or the configuration
            has an opponent or a reward that there is not. The folder is as before.
        OSError: a saved model, an opponent, can't be read.
    """

    def __init__(self, config: Config, folder: Path, resume: bool = False, listener: Listener | None = None) -> None:
        self.config, self.folder, self.listener = config, folder, listener or Listener()
        self.game = config.table
        folder.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            opened.enter_context(held(folder))
            check_folder(folder, config, resume)
            self._prepare(opened)
            self._opened = opened.pop_all()

    def _prepare(self, opened: ExitStack) -> None:
        """Read how far the run is and make what it needs; ``opened`` then closes it."""
        config, folder = self.config, self.folder
        self.progress = progress_in(folder, config)
        self._threads = config.environment.threads or threads_of(-1)
        torch.set_num_threads(config.torch_threads or threads_of(-1))
        self.env = self._make_env()
        opened.callback(self.env.close)
        self._try_opponents()
        self.rate = Falling(config.ppo.learning_rate, config.ppo.final_learning_rate)
        resumed = (folder / CHECKPOINT).exists()
        self.model = self._load() if resumed else self._new_model()
        steps = self.model.num_timesteps
        self._lost_after = (
            (steps if resumed else -1) if (folder / CONFIG).exists() else None
        )  # of a run that was killed
        claim_folder(folder, config)
        self.selves = PastSelves(
            folder / "past_selves", config.league.size, self.model.policy, config.seed + steps, steps
        )
        self._whole: tuple[int, int, dict[str, Any]] | None = None  # steps, updates, parameters: after an iteration
        self._begun = time.monotonic() - self.progress.seconds

    def _make_env(self) -> SB3VecEnv:
        given = self.config.environment
        options: dict[str, Any] = {**given.granularity, **given.options}
        return make_sb3_vec(
            given.num_envs,
            game=self.config.game,
            reward=given.reward,
            advice=given.advice,
            gamma=self.config.ppo.gamma,
            illegal_action="raise",
            threads=self._threads,
            **options,
        )

    def _try_opponents(self) -> None:
        """Refuse an opponent that there is not now, and not when its stage begins."""
        specs = [spec for stage in self.config.stages for spec in stage.shares if spec != PAST_SELVES]
        for spec in {*specs, *self.config.evaluation.opponents}:
            self.env.set_opponent(spec)

    def _new_model(self) -> MaskablePPO:
        ppo, network = self.config.ppo, self.config.network
        arguments = ppo.model_dump(exclude={"learning_rate", "final_learning_rate"})
        return MaskablePPO(
            "MlpPolicy" if self.config.environment.advice is None else AdvisedPolicy,
            self.env,
            learning_rate=self.rate,
            policy_kwargs={"net_arch": {"pi": network.policy, "vf": network.value}},
            seed=self.config.seed,
            device="cpu",
            **arguments,
        )

    def _load(self) -> MaskablePPO:
        """Return the model of the checkpoint; its games begin anew, with seeds of their own."""
        file, schedules = self.folder / CHECKPOINT, {"learning_rate": self.rate, "lr_schedule": self.rate}
        try:
            model = MaskablePPO.load(file, env=self.env, device="cpu", custom_objects=schedules)
        except Exception as error:  # zipfile, pickle and PyTorch raise nearly anything at damaged bytes
            raise ValueError(
                f"{file} is no checkpoint of this run ({one_line(error)}): put a copy of it back, or delete it to train "
                "from the beginning"
            ) from error
        model.set_random_seed(self.config.seed + model.num_timesteps)
        return model

    # The run ----------------------------------------------------------------------------------
    def train(self) -> Progress:
        """Train to the end, and close; what was done before is not done again. Ctrl-C saves a checkpoint and is passed on."""
        with self._opened:
            self._begin()
            try:
                self._stages()
                self._finish()
            except KeyboardInterrupt:
                with undisturbed():
                    self._save_stopped()
                raise
        return self.progress

    def close(self) -> None:
        """End the threads of its games, and let other runs have the folder."""
        self._opened.close()

    def _begin(self) -> None:
        """Go on from the checkpoint: what a killed run left that is later than it will come again."""
        log = self.folder / TENSORBOARD
        if self._lost_after is not None:
            self.progress.forget_after(self._lost_after)
            evaluated = self._lost_after in [entry["steps"] for entry in self.progress.evaluations]
            forget_events_after(log, self._lost_after, evaluated)
        self.model.set_logger(configure(str(log), ["tensorboard"]))
        self._opened.callback(self.model.logger.close)

    def _stages(self) -> None:
        """Learn what is left of each stage."""
        done = 0
        for number, stage in enumerate(self.config.stages):
            done += stage.steps
            if self.model.num_timesteps < done:
                self._stage(number, done)

    def _save_stopped(self) -> None:
        """Save what whole iterations learnt: the one under way will be made anew."""
        if self._whole is not None:
            self.model.num_timesteps, self.model._n_updates, parameters = self._whole
            self.model.set_parameters(parameters)
        self.save()

    def complete_iteration(self) -> None:
        """Log what the last iteration (a rollout, and the update that learns from it) recorded, and keep what it learnt."""
        model = self.model
        model.logger.dump(model.num_timesteps)
        self._whole = model.num_timesteps, model._n_updates, copy.deepcopy(model.get_parameters())

    def _stage(self, number: int, until: int) -> None:
        stage = self.config.stages[number]
        if not self.selves.opponents and PAST_SELVES in stage.shares:
            self.selves.freeze(self.model.policy, self.model.num_timesteps)
        self.env.set_opponent(pool_of(stage, self.selves))
        self.listener.phase(
            f"stage {number + 1}: {' + '.join(stage.shares)}", self.model.num_timesteps, self.config.steps
        )
        watch = _Watch(self, stage)
        self.model.learn(until - self.model.num_timesteps, callback=watch, reset_num_timesteps=False)

    def _finish(self) -> None:
        """Evaluate thoroughly, and write the model and its learning curve; what is complete stays as it is."""
        if self.progress.final:
            return
        evaluation = self.config.evaluation
        with replaced(self.folder / MODEL) as temporary:
            self.model.save(temporary)
        self.listener.phase("final games", 0, evaluation.final_games * len(evaluation.opponents))
        summaries = {}
        for i, opponent in enumerate(evaluation.opponents):
            summaries[opponent] = self._play(opponent, evaluation.final_games, evaluation.seed + 1)
            self.listener.steps((i + 1) * evaluation.final_games, f"{opponent}: {summaries[opponent].win_rate:.1%}")
        with deferred():
            self._record(summaries)
            self.progress.final = {opponent: summary.as_dict() for opponent, summary in summaries.items()}
            self.save()

    def _play(self, opponent: str, games: int, seed: int) -> Summary:
        given = self.config.environment
        return evaluate(
            self.game,
            self.model,
            opponent,
            games,
            seed,
            advice=given.advice,
            abstraction=given.granularity,
            options=given.options,
            threads=self._threads,
        )

    def evaluate_now(self) -> None:
        """Play the evaluation's games, and report and log what came out."""
        evaluation = self.config.evaluation
        self._record({name: self._play(name, evaluation.games, evaluation.seed) for name in evaluation.opponents})

    def _record(self, summaries: dict[str, Summary]) -> None:
        """Report, log and keep what an evaluation came to."""
        entry = entry_of(self.model.num_timesteps, summaries)
        for opponent in summaries:
            for name in LOGGED:
                self.model.logger.record(f"{EVALUATION}{opponent}/{name}", entry[opponent][name])
        entry["seconds"] = round(time.monotonic() - self._begun, 1)
        self.model.logger.dump(self.model.num_timesteps)
        self.progress.evaluations.append(entry)
        self.listener.evaluated(entry)

    def save(self) -> None:
        """Write checkpoint, progress and learning curve; each is whole or as before. Ctrl-C is heard afterwards."""
        with deferred():
            self._write()

    def _write(self) -> None:
        self.progress.seconds = round(time.monotonic() - self._begun, 1)
        with replaced(self.folder / CHECKPOINT) as checkpoint, replaced(self.folder / PROGRESS) as progress:
            self.model.save(checkpoint)
            progress.write_text(json.dumps(vars(self.progress), indent=1) + "\n", encoding="utf-8")
        self.selves.drop_files()
        if self.progress.evaluations:
            with replaced(self.folder / CURVE) as temporary:
                title = f"{self.game.full_title}: learning curve"
                draw_curve(self.progress.evaluations, temporary, title, self.game.num_players)


def config_beside(model: Path) -> Config:
    """Return the configuration of the run that saved a model.

    Raises:
        ValueError: there is none beside it.
    """
    file = model.parent / CONFIG
    if not file.exists():
        raise ValueError(
            f"expected {file}, which says how the model was trained: keep a model in the folder of its run"
        )
    config = read_config(file)
    if not isinstance(config, Config):
        raise ValueError(
            f"{file} is of a run with {config.algorithm}, which saves no such model: its networks play as network:PATH"
        )
    return config


class _Watch(BaseCallback):
    """Reports steps, lets the learning rate fall, evaluates, saves and freezes past selves between rollouts."""

    def __init__(self, run: Run, stage: Stage) -> None:
        super().__init__()
        self.run, self.stage = run, stage

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self.run.complete_iteration()

    def _on_rollout_start(self) -> None:
        run, steps = self.run, self.model.num_timesteps
        run.complete_iteration()
        run.listener.steps(steps)
        run.rate.progress = steps / run.config.steps
        frozen, evaluations = max(run.selves.opponents, default=0), run.progress.evaluations
        if PAST_SELVES in self.stage.shares and crossed(frozen, steps, run.config.league.every):
            run.selves.freeze(self.model.policy, steps)
            run.env.set_opponent(pool_of(self.stage, run.selves))
        if not evaluations or crossed(evaluations[-1]["steps"], steps, run.config.evaluation.every):
            run.evaluate_now()
            run.save()


@dataclass
class Falling:
    """A learning rate that falls in a straight line over all stages; what is left of one stage, which it is called with, is no matter."""

    first: float
    last: float
    progress: float = 0.0

    def __call__(self, _: float) -> float:
        """Return the rate now."""
        return self.first + (self.last - self.first) * min(1.0, self.progress)
