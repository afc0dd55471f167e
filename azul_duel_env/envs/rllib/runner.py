"""A runner for RLlib that steps many games in one compiled call."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.utils import metrics as names

from azul_duel_env.envs.arguments import count_of
from azul_duel_env.envs.rllib.environments import ACTION_MASK, OBSERVATIONS, SEEN, GameMultiAgentEnv, Seen, last_seen
from azul_duel_env.envs.rllib.module import impossible
from azul_duel_env.envs.self_play import SelfPlayBatch

DECIDED = (Columns.ACTIONS, Columns.ACTION_LOGP, Columns.ACTION_DIST_INPUTS)
DURATION = "seconds"
"""In an episode's custom data: how long the game took."""


class SeatEpisode(SingleAgentEpisode):
    """A part of a game as one seat saw it. Its slices, which several learners take, know whose they are too."""

    __slots__ = ()

    def slice(self, *args: Any, **kwargs: Any) -> SeatEpisode:
        """Return a part of it; see ``SingleAgentEpisode``."""
        part = super().slice(*args, **kwargs)
        part.__class__ = SeatEpisode
        part.agent_id, part.module_id = self.agent_id, self.module_id
        part.multi_agent_episode_id = self.multi_agent_episode_id
        return part


class _Ending(NamedTuple):
    """How a game ended: its episode, and what each seat saw last."""

    episode: MultiAgentEpisode
    seen: list[Seen]


class _Tape:
    """What happened in all rows since ``sample`` was called, step after step.

    Attributes:
        frames: what was seen and decided in each step: arrays (rows, ...).
        movers: who decided: int64 (rows,) each.
        rewards: float64 (rows, seats) each.
        endings: (step, row) -> how a game ended there.
        deciders: module -> how many decisions it made.
    """

    def __init__(self) -> None:
        self.frames: list[Seen] = []
        self.deciders: Counter[str] = Counter()
        self.movers: list[NDArray[np.int64]] = []
        self.rewards: list[NDArray[np.float64]] = []
        self.endings: dict[tuple[int, int], _Ending] = {}


class _Part(NamedTuple):
    """A part of a game, from one row of a tape.

    Attributes:
        columns: what was seen and decided in the whole tape: arrays (seats + steps, rows, ...), what each seat had left open in front.
        row: of the game.
        start: the step with which this part begins.
        movers: who decided in each step.
        rewards: (steps, seats).
        episode: of the game.
        ending: what each seat saw at the end of the game; None if it goes on.
    """

    columns: Seen
    row: int
    start: int
    movers: NDArray[np.int64]
    rewards: NDArray[np.float64]
    episode: MultiAgentEpisode
    ending: list[Seen] | None

    def decisions(self, seat: int, is_open: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the frames in which a seat decided, and what each decision gained until the next.

        What came before the first counts for the first.
        """
        times = np.flatnonzero(self.movers == seat)
        frames = times + (self.rewards.shape[1] + self.start)
        if is_open:
            frames, times = np.append(seat, frames), np.append(0, times)
        sums = np.append(0.0, np.cumsum(self.rewards[:, seat]))
        limits = np.append(times, len(self.movers))
        limits[0] = 0
        return frames, np.diff(sums[limits])


class SelfPlayEnvRunner(MultiAgentEnvRunner):
    """Samples games of ``GameMultiAgentEnv`` that one compiled call steps, with one forward pass a step for each module that is to decide.

    The data are those of RLlib's own runner: of each seat its decisions, each with what came until its next one. Differences:

    * ``sample`` returns episodes of single seats, and only those of modules that learn: a frozen opponent's are of no use.
    * A decision whose consequences are not all known when a sample ends comes with the next sample.
    * ``on_episode_step`` is not called. ``on_episode_end`` is called at the end of a sample, with the last part of the game in
      ``episode.agent_episodes``. Callbacks get as ``env`` one environment that doesn't play; the games are ``env_runner.games``.
    * There are no connectors between environment and module: modules see observations as they are.

    Raises:
        ValueError: connectors of one's own, or an environment that is no ``GameMultiAgentEnv``.
    """

    games: SelfPlayBatch
    _needs_initial_reset: bool

    def make_env(self) -> None:
        """Make the games; see the parent."""
        if self.config._env_to_module_connector is not None or self.config._module_to_env_connector is not None:
            raise ValueError("SelfPlayEnvRunner has no connectors between environment and module: leave yours out")
        num_games = count_of("num_envs_per_env_runner", self.config.num_envs_per_env_runner)
        self.config.num_envs_per_env_runner = 1  # the parent makes one environment, and checks it
        try:
            super().make_env()
        finally:
            self.config.num_envs_per_env_runner = num_games
        env = self.env.envs[0].unwrapped
        if not isinstance(env, GameMultiAgentEnv):
            raise ValueError(
                f"SelfPlayEnvRunner plays GameMultiAgentEnv, not {type(env).__name__}: leave env_runner_cls out"
            )
        self.games, self.num_envs = env.make_games(num_games), num_games
        self._agents, players = env.possible_agents, env.game.num_players
        by_seat = (num_games, players)
        size, actions = self.games.observation_space.shape[0], int(self.games.action_space.n)
        kinds = {
            OBSERVATIONS: ((size,), np.float32),
            ACTION_MASK: ((actions,), np.int8),
            Columns.ACTIONS: ((), np.int64),
            Columns.ACTION_LOGP: ((), np.float32),
            Columns.ACTION_DIST_INPUTS: ((actions,), np.float32),
        }
        # Decisions whose consequences were not all known when the sample before ended: one a seat, where ``_is_open``.
        self._open = {name: np.zeros((players, num_games, *shape), kind) for name, (shape, kind) in kinds.items()}
        self._is_open = np.zeros(by_seat, bool)
        self._owed = np.zeros(by_seat)  # what came of them so far, or before the first decision
        self._modules = np.full(by_seat, "", object)
        self._returns, self._seat_steps = np.zeros(by_seat), np.zeros(by_seat, np.int64)
        self._begun_at = np.zeros(num_games)

    def stop(self) -> None:
        """End the threads of the games."""
        super().stop()
        if self.env is not None:
            self.games.close()

    # Sampling ------------------------------------------------------------------------------------
    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SeatEpisode]:
        """Play so many steps, or so many games to their end; see the parent's ``sample``."""
        if force_reset or num_episodes is not None or self._needs_initial_reset:
            self._reset_envs_and_episodes(explore)
        self._needs_initial_reset = num_episodes is not None
        tape = _Tape()
        while (
            len(tape.endings) < (num_episodes or 0)
            if num_timesteps is None
            else len(tape.frames) * self.num_envs < num_timesteps
        ):
            self._step(tape, explore, random_actions)
        if not tape.frames:
            return []
        self._count(tape)
        episodes = self._episodes_of(tape)
        if num_timesteps is None:
            return [episode for episode in episodes if episode.is_terminated]
        return episodes

    def _reset_envs(self, episodes: list[Any], shared_data: Any, explore: bool) -> None:  # noqa: ARG002 # as RLlib calls it
        """Begin new games in all rows, and forget those under way."""
        if self._needs_initial_reset and self._seed is not None:
            others = np.random.SeedSequence(self._seed).generate_state(self.num_envs - 1, np.uint64)
            self.games.reset([self._seed, *others.tolist()])  # not in a row, where runners' seeds are
        else:
            self.games.reset()
        self._forget(slice(None))
        for row in range(self.num_envs):
            self._new_episode(row, episodes)
            self._make_on_episode_callback("on_episode_start", row, episodes)

    def _forget(self, rows: int | slice) -> None:
        """Forget the games of rows."""
        self._is_open[rows], self._owed[rows] = False, 0.0
        self._returns[rows], self._seat_steps[rows] = 0.0, 0

    def _new_episode(self, env_index: int, episodes: list[Any] | None = None) -> None:
        """Begin the episode of a new game in a row: who sits where is decided here."""
        episodes = self._ongoing_episodes if episodes is None else episodes
        env = self.env.envs[0].unwrapped
        episodes[env_index] = episode = MultiAgentEpisode(
            observation_space=env.observation_spaces,
            action_space=env.action_spaces,
            agent_to_module_mapping_fn=self.config.policy_mapping_fn,
        )
        self._make_on_episode_callback("on_episode_created", env_index, episodes)
        self._modules[env_index] = [episode.module_for(agent) for agent in self._agents]
        self._begun_at[env_index] = time.perf_counter()

    def _step(self, tape: _Tape, explore: bool, random_actions: bool) -> None:
        """Play one step in all rows."""
        games = self.games
        movers = games.player.astype(np.int64)
        frame = {OBSERVATIONS: games.observation, ACTION_MASK: games.action_mask}
        frame |= self._random_decisions(frame) if random_actions else self._decisions(frame, movers, explore)
        tape.deciders.update(self._modules[np.arange(self.num_envs), movers].tolist())
        step = games.step(frame[Columns.ACTIONS])
        for row in np.flatnonzero(step.over).tolist():
            episode = self._ongoing_episodes[row]
            episode.custom_data[DURATION] = time.perf_counter() - self._begun_at[row]
            tape.endings[len(tape.frames), row] = _Ending(episode, last_seen(games, row))
        tape.frames.append(frame)
        tape.movers.append(movers)
        tape.rewards.append(step.rewards)
        if step.over.any():
            games.reset(mask=step.over)
            for row in np.flatnonzero(step.over).tolist():
                self._new_episode(row)
                self._make_on_episode_callback("on_episode_start", row, self._ongoing_episodes)

    def _decisions(self, seen: Seen, movers: NDArray[np.int64], explore: bool) -> dict[str, NDArray[Any]]:
        """Let the module of who decides in each row choose."""
        deciders = self._modules[np.arange(self.num_envs), movers]
        decided = {name: np.empty_like(self._open[name][0]) for name in DECIDED}
        for module_id in dict.fromkeys(deciders.tolist()):
            rows = np.flatnonzero(deciders == module_id)
            module = self.module[module_id]
            batch = {Columns.OBS: {name: torch.from_numpy(seen[name][rows]).to(self._device) for name in SEEN}}
            if explore:
                inputs = module.forward_exploration(batch)[Columns.ACTION_DIST_INPUTS]
                chances = module.get_exploration_action_dist_cls().from_logits(inputs)
                actions = chances.sample()
            else:
                inputs = module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
                chances = module.get_inference_action_dist_cls().from_logits(inputs)
                actions = chances.to_deterministic().sample()
            for name, values in zip(DECIDED, (actions, chances.logp(actions), inputs), strict=True):
                decided[name][rows] = values.cpu().numpy()
        return decided

    def _random_decisions(self, seen: Seen) -> dict[str, NDArray[Any]]:
        """Choose legal actions, every one as likely."""
        mask = seen[ACTION_MASK]
        return {
            Columns.ACTIONS: self.games.sample_actions(),
            Columns.ACTION_LOGP: -np.log(mask.sum(axis=1, dtype=np.float32)),
            Columns.ACTION_DIST_INPUTS: np.where(mask == 0, impossible(torch.float32), 0.0).astype(np.float32),
        }

    # Episodes ------------------------------------------------------------------------------------
    def _episodes_of(self, tape: _Tape) -> list[SeatEpisode]:
        """Return the episodes of the seats that learn, ended and ongoing; keep the decisions that are still open."""
        columns = {
            name: np.concatenate([kept, np.stack([frame[name] for frame in tape.frames])])
            for name, kept in self._open.items()
        }
        movers, rewards = np.stack(tape.movers), np.stack(tape.rewards)
        now = {OBSERVATIONS: self.games.observation, ACTION_MASK: self.games.action_mask, "mover": self.games.player}
        ends: dict[int, list[int]] = defaultdict(list)
        for end, row in tape.endings:
            ends[row].append(end)
        episodes = []
        for row in range(self.num_envs):
            start = 0
            for end in ends[row]:
                steps = slice(start, end + 1)
                part = _Part(columns, row, start, movers[steps, row], rewards[steps, row], *tape.endings[end, row])
                episodes += self._end_game(part)
                start = end + 1
            if start < len(movers):
                part = _Part(
                    columns, row, start, movers[start:, row], rewards[start:, row], self._ongoing_episodes[row], None
                )
                episodes += self._seat_episodes(part, {name: array[row] for name, array in now.items()})
        return [episode for episode in episodes if self._learns(episode.module_id)]

    def _learns(self, module_id: str) -> bool:
        """Return whether a module learns, in each of the ways in which the configuration may say it."""
        to_train = self.config.policies_to_train
        if callable(to_train):
            return bool(to_train(module_id, None))
        return to_train is None or module_id in to_train

    def _seat_episodes(self, part: _Part, now: Seen) -> list[SeatEpisode]:
        """Return what each seat did in a part of a game, as far as it is known what came of it; the rest stays open.

        Args:
            part: of the game.
            now: what who is to decide next sees, and ``"mover"``, its seat; nothing where the game is over.
        """
        row, episodes = part.row, []
        self._returns[row] += part.rewards.sum(axis=0)
        for seat in range(len(self._agents)):
            frames, gained = part.decisions(seat, bool(self._is_open[row, seat]))
            if not len(frames):  # it hasn't decided yet
                self._owed[row, seat] += part.rewards[:, seat].sum()
                continue
            gained[0] += self._owed[row, seat]
            last = part.ending[seat] if part.ending else now if now["mover"] == seat else None
            self._is_open[row, seat], self._owed[row, seat] = last is None, gained[-1] if last is None else 0.0
            if last is None:
                gained = gained[:-1]
                for name, kept in self._open.items():
                    kept[seat, row] = part.columns[name][frames[-1], row]
            if len(gained):
                episodes.append(self._seat_episode(part, seat, frames, gained, last))
                self._seat_steps[row, seat] += len(gained)
        return episodes

    def _seat_episode(
        self, part: _Part, seat: int, frames: NDArray[np.int64], gained: NDArray[np.float64], last: Seen | None
    ) -> SeatEpisode:
        """Return the episode of a seat from its decisions in a part of a game.

        Args:
            part: of the game.
            seat: the seat.
            frames: of its decisions.
            gained: what came of each; the last decision may have nothing yet.
            last: what it saw after them all; None: what it saw at the last.
        """
        seen = {name: part.columns[name][frames, part.row] for name in SEEN}
        if last is not None:
            seen = {name: np.concatenate([values, last[name][None]]) for name, values in seen.items()}
        decided = {name: part.columns[name][frames[: len(gained)], part.row] for name in DECIDED}
        decided[names.WEIGHTS_SEQ_NO] = np.full(len(gained), self._weights_seq_no)
        begun = int(self._seat_steps[part.row, seat])
        part_id = f"{part.episode.id_}-{seat}-{begun}"  # each has its own: a batch may have several parts of a game
        return SeatEpisode(
            id_=part_id,
            agent_id=self._agents[seat],
            module_id=part.episode.module_for(self._agents[seat]),
            multi_agent_episode_id=part_id,
            observations=InfiniteLookbackBuffer(seen),
            actions=InfiniteLookbackBuffer(decided.pop(Columns.ACTIONS)),
            rewards=InfiniteLookbackBuffer(gained),
            extra_model_outputs={name: InfiniteLookbackBuffer(values) for name, values in decided.items()},
            terminated=part.ending is not None,
            t_started=begun,
            len_lookback_buffer=0,
        )

    def _end_game(self, part: _Part) -> list[SeatEpisode]:
        """Return what each seat did in the last part of a game, after telling callbacks and metrics of its end."""
        row, episode = part.row, part.episode
        episodes = self._seat_episodes(part, {})
        episode.agent_episodes = {seat_episode.agent_id: seat_episode for seat_episode in episodes}
        episode.is_terminated = True
        self._make_on_episode_callback("on_episode_end", row, {row: episode})
        self._ongoing_episodes_for_metrics.clear()
        returns = dict(zip(self._agents, self._returns[row].tolist(), strict=True))
        of_modules: dict[str, float] = defaultdict(float)
        for agent, gained in returns.items():
            of_modules[episode.module_for(agent)] += gained
        self._log_episode_metrics(
            int(self._seat_steps[row].sum()),
            sum(returns.values()),
            episode.custom_data[DURATION],
            returns,
            dict(of_modules),
            dict(zip(self._agents, self._seat_steps[row].tolist(), strict=True)),
        )
        self._forget(row)
        return episodes

    def _count(self, tape: _Tape) -> None:
        """Log how much was sampled, as the parent does step by step."""
        steps = len(tape.frames) * self.num_envs
        self._log_env_steps(self._metrics_num_env_steps_sampled, steps)
        sampled: dict[Any, int] = {names.NUM_ENV_STEPS_SAMPLED: steps, names.NUM_EPISODES: len(tape.endings)}
        for seat, count in enumerate(np.bincount(np.concatenate(tape.movers), minlength=len(self._agents)).tolist()):
            sampled[names.NUM_AGENT_STEPS_SAMPLED, self._agents[seat]] = count
        for module_id, count in tape.deciders.items():
            sampled[names.NUM_MODULE_STEPS_SAMPLED, module_id] = count
        for key, count in sampled.items():
            name, *of_whom = key if isinstance(key, tuple) else (key,)
            self.metrics.log_value(key, count, reduce="sum")
            self.metrics.log_value(
                (f"{name}_lifetime", *of_whom),
                count,
                reduce="lifetime_sum",
                with_throughput=name == names.NUM_ENV_STEPS_SAMPLED,
            )
