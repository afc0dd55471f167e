"""The games for RLlib (Ray 2.60, its new API stack): environments, a module that obeys masks, a fast runner, and a league of past selves.

Importing this module registers two environments of each game by the ids that they have elsewhere too:

====================  ==================================================================================================
``azul/NAME-v0``      ``GameMultiAgentEnv``, an agent for each seat, as in PettingZoo
``azul/Name-v0``      ``MaskedObservations``, one learner with opponents inside, as in Gymnasium
====================  ==================================================================================================

Observations of both are dictionaries: ``observations``, float32 (size,) in [0, 1], and ``action_mask``, int8 (actions,), 1 for each legal
action. ``MaskedPPOModule`` takes them, and never samples an action whose mask is 0.

Example::

    from azul_duel_env.envs.rllib import self_play_config

    algorithm = self_play_config().env_runners(num_env_runners=4, num_envs_per_env_runner=64).build_algo()
    for _ in range(100):
        print(algorithm.train()["env_runners"].get("win_rate_against_past"))

Needs ``pip install 'azul_duel_env[rllib]'``.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from azul_duel_env.envs.arguments import count_of, number_of
from azul_duel_env.envs.registration import gymnasium_id
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.envs.single import GameEnv
from azul_duel_env.game import Game
from azul_duel_env.games import DEFAULT_GAME, GAMES, find_game

try:
    import ray
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.core import COMPONENT_RL_MODULE
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
    from ray.rllib.env.single_agent_episode import SingleAgentEpisode
    from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
    from ray.rllib.utils import metrics as names
    from ray.tune.registry import register_env
except ImportError as error:
    raise ImportError(f"RLlib is needed here: pip install 'azul_duel_env[rllib]' ({error})") from error

OBSERVATIONS, ACTION_MASK = "observations", "action_mask"
MAIN = "main"
"""The module that learns."""
SEEN = (OBSERVATIONS, ACTION_MASK)
DECIDED = (Columns.ACTIONS, Columns.ACTION_LOGP, Columns.ACTION_DIST_INPUTS)
DURATION = "seconds"
"""In an episode's custom data: how long the game took."""
CHOSEN_HERE = ("autoreset", "copy", "observation_dtype")

Seen = dict[str, NDArray[Any]]
PerAgent = dict[str, Any]


def masked_space(observation: gymnasium.spaces.Space[Any], action: gymnasium.spaces.Discrete) -> gymnasium.spaces.Dict:
    """Return the space of observations with masks."""
    mask = gymnasium.spaces.Box(0, 1, (int(action.n),), np.int8)
    return gymnasium.spaces.Dict({OBSERVATIONS: observation, ACTION_MASK: mask})


# Environments -----------------------------------------------------------------------------------------
class GameMultiAgentEnv(MultiAgentEnv):
    """A game for RLlib, of agents ``player_0`` and so on, one for each seat.

    ``reset`` and ``step`` return what the agent to decide sees, and at the end what each agent sees, all masks 0. All agents end in the
    same step, which ``terminateds["__all__"]`` tells as well. Each step has the rewards of all agents, but what an agent gets before it
    has first decided comes with its first decision, since RLlib would drop it. Infos have ``score``, the points of an agent, where there
    are observations.

    Args:
        config: ``game``, an id, short name or ``Game`` (the first game unless given), and options of ``SelfPlayBatch``: ``reward``,
            ``illegal_action`` (here ``"lose"`` unless given: RLlib's checks sample without masks), which sub-decisions are asked, the
            options of the game, and ``num_players`` where the game allows several numbers.

    Raises:
        ValueError: an unknown option, or a value that it can't have.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        options = dict(config or {})
        game = options.pop("game", DEFAULT_GAME)
        for name in options:
            if name in CHOSEN_HERE:
                raise ValueError(f"{name} can't be chosen here: leave it out")
        self.game: Game = (game if isinstance(game, Game) else find_game(game)).of(options)
        self.options = {"illegal_action": "lose"} | options
        self.games = self.make_games(1)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self.agents = self.possible_agents.copy()
        space = masked_space(self.games.observation_space, self.games.action_space)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(int(self.games.action_space.n)) for agent in self.possible_agents
        }
        self._over = True

    def make_games(self, num_games: int) -> SelfPlayBatch:
        """Return many games with the same options, which must be reset when they are over."""
        return SelfPlayBatch(self.game, num_games, autoreset=False, **self.options)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[PerAgent, dict[str, PerAgent]]:
        """Begin a new game.

        Args:
            seed: the same seed gives the same game; None goes on with the random numbers of the seed before.
            options: of ``SelfPlayBatch.reset``.

        Raises:
            ValueError, TypeError: a value that an argument can't have; nothing has changed.
        """
        self.games.reset(seed, options=options)
        self._over = False
        self._owed = np.zeros(self.game.num_players)
        self._has_decided = np.zeros(self.game.num_players, bool)
        mover = self.possible_agents[int(self.games.player[0])]
        return {mover: self._seen()}, self._infos([mover])

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[PerAgent, dict[str, float], dict[str, bool], dict[str, bool], dict[str, PerAgent]]:
        """Carry out the action of the one agent that is to decide.

        Raises:
            ValueError: the game is over, or there is not one action, of this agent; or, with ``illegal_action="raise"``, it is not legal;
                nothing has changed.
        """
        if self._over:
            raise ValueError("there is no game, or it is over: call reset()")
        seat = int(self.games.player[0])
        mover = self.possible_agents[seat]
        if set(action_dict) != {mover}:
            raise ValueError(
                f"expected an action of {mover} only, not of {', '.join(map(str, action_dict)) or 'nobody'}"
            )
        step = self.games.step(np.array([action_dict[mover]]))
        self._has_decided[seat] = True
        self._over = over = bool(step.over[0])
        self._owed += step.rewards[0]
        paid = np.where(self._has_decided | over, self._owed, 0.0)
        self._owed -= paid
        if over:
            seen = dict(zip(self.possible_agents, last_seen(self.games, 0), strict=True))
        else:
            seen = {self.possible_agents[int(self.games.player[0])]: self._seen()}
        ends = {**dict.fromkeys(self.possible_agents, over), "__all__": over}
        rewards = dict(zip(self.possible_agents, paid.tolist(), strict=True))
        return seen, rewards, ends, dict.fromkeys(ends, False), self._infos(seen)

    def render(self) -> str:
        """Return the table as text, as everybody sees it."""
        return self.game.text.board(self.games.batch.states, 0)

    def close(self) -> None:
        """End the threads."""
        self.games.close()

    def _seen(self) -> Seen:
        """Return what the agent to decide sees; fresh arrays."""
        return {OBSERVATIONS: self.games.observation[0], ACTION_MASK: self.games.action_mask[0]}

    def _infos(self, agents: Sequence[str] | PerAgent) -> dict[str, PerAgent]:
        scores = dict(zip(self.possible_agents, self.games.batch.states["scores"][0].tolist(), strict=True))
        return {agent: {"score": scores[agent]} for agent in agents}


def last_seen(games: SelfPlayBatch, row: int) -> list[Seen]:
    """Return what each seat sees of a game that is over, all masks 0."""
    batch, seen = games.batch, []
    for seat in range(games.game.num_players):
        observation = np.zeros(batch.observations.shape[1], np.float32)
        games.game.abstraction.observe(batch.states, row, batch.abstraction.record, seat, observation)
        seen.append({OBSERVATIONS: observation, ACTION_MASK: np.zeros(batch.masks.shape[1], np.int8)})
    return seen


class MaskedObservations(gymnasium.Wrapper[Seen, Any, Any, Any], RecordConstructorArgs):
    """The single-agent environment with its masks in the observations, for RLlib.

    Args:
        env: a single environment of this package.

    Raises:
        TypeError: an environment of another kind.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        if not isinstance(env.unwrapped, GameEnv):
            raise TypeError(f"{type(env.unwrapped).__name__} is no single Gymnasium environment of azul_duel_env")
        actions: Any = env.action_space
        space: Any = masked_space(env.observation_space, actions)
        self.observation_space = space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin a new episode, as the environment does."""
        observation, info = self.env.reset(seed=seed, options=options)
        return {OBSERVATIONS: observation, ACTION_MASK: info[ACTION_MASK]}, info

    def step(self, action: Any) -> tuple[Seen, Any, bool, bool, dict[str, Any]]:
        """Carry out an action, as the environment does."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return {OBSERVATIONS: observation, ACTION_MASK: info[ACTION_MASK]}, reward, terminated, truncated, info


def _make_multi_agent_env(game: str | Game, config: Mapping[str, Any]) -> GameMultiAgentEnv:
    return GameMultiAgentEnv({"game": game, **config})


def _make_single_env(environment: str, config: Mapping[str, Any]) -> MaskedObservations:
    return MaskedObservations(gymnasium.make(environment, disable_env_checker=True, **config))


def register(game: str | Game) -> str:
    """Register the multi-agent environment of a game with Ray by its id, which is returned."""
    game_id = game if isinstance(game, str) else game.id
    register_env(game_id, partial(_make_multi_agent_env, game))
    return game_id


for _game_id in GAMES:
    register(_game_id)
    register_env(gymnasium_id(_game_id), partial(_make_single_env, gymnasium_id(_game_id)))


# The module -------------------------------------------------------------------------------------------
class MaskedPPOModule(DefaultPPOTorchRLModule):
    """PPO's own module, with the mask applied to its logits: an action that is not legal has the probability 0.

    Networks see ``observations`` only; ``model_config`` is that of the parent. Where a mask allows nothing, as at the end of a game, all
    actions are as likely, and nothing becomes NaN.

    Attributes:
        snapshot: int64 (1,), saved with the weights: which snapshot of a league this is, from 1; 0 for a module that learns.

    Raises:
        ValueError: an observation space without ``observations`` and ``action_mask``.
    """

    def __init__(self, *args: Any, observation_space: gymnasium.spaces.Space[Any] | None = None, **kwargs: Any) -> None:
        if not isinstance(observation_space, gymnasium.spaces.Dict) or set(observation_space.spaces) != set(SEEN):
            raise ValueError(f"expected a dictionary of {' and '.join(SEEN)} to observe, not {observation_space}")
        super().__init__(*args, observation_space=observation_space[OBSERVATIONS], **kwargs)
        self.observation_space = observation_space
        self.register_buffer("snapshot", torch.zeros(1, dtype=torch.int64))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return logits for playing."""
        return _masked(super()._forward(_without_mask(batch), **kwargs), batch)

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return logits, and embeddings for the value, for learning."""
        return _masked(super()._forward_train(_without_mask(batch), **kwargs), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the value of each observation, float32 (batch,)."""
        return super().compute_values(_without_mask(batch), embeddings)


def _without_mask(batch: dict[str, Any]) -> dict[str, Any]:
    """Return a batch whose observations are those that networks see."""
    return {**batch, Columns.OBS: batch[Columns.OBS][OBSERVATIONS]}


def _masked(outputs: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    """Apply the masks of a batch to the logits that were made of it."""
    logits, mask = outputs[Columns.ACTION_DIST_INPUTS], batch[Columns.OBS][ACTION_MASK]
    return {**outputs, Columns.ACTION_DIST_INPUTS: logits.masked_fill(mask == 0, impossible(logits.dtype))}


def impossible(dtype: torch.dtype) -> float:
    """Return the logit of an action that is not legal: its probability is exactly 0, and differences of two are still finite."""
    return torch.finfo(dtype).min / 4


# The runner -------------------------------------------------------------------------------------------
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


# The league -------------------------------------------------------------------------------------------
def past_ids(size: int) -> list[str]:
    """Return the ids of the modules that hold a league's snapshots."""
    return [f"past_{place}" for place in range(1, size + 1)]


class League(RLlibCallback):
    """Freezes a copy of the module that learns from time to time, and lets it play against these past selves.

    The copies are modules that the configuration must have from the beginning, ``past_ids(size)``; a new one replaces the oldest when all
    are in use. Which are in use is told by ``MaskedPPOModule.snapshot``, which travels with the weights: so runners that were restarted,
    and runs that go on from a checkpoint, know the league. Works with RLlib's own runner too.

    Results of training have ``league``: ``snapshots``, how many were made so far; and ``env_runners`` have ``win_rate_against_past``: the
    mean over the last games against past selves, 1 for a win and 0.5 for a draw, where the reward at the end tells who has won.

    Args:
        size: how many snapshots are kept.
        snapshot_every: iterations of training between two.
        against_past: the share of games against past selves, in [0, 1]; in the others the module plays itself. In such a game it has one
            seat at random, and each other seat draws a snapshot.

    Raises:
        ValueError: a value that an argument can't have.
    """

    def __init__(self, size: int = 4, snapshot_every: int = 10, against_past: float = 0.5) -> None:
        super().__init__()
        self.places = past_ids(count_of("size", size))
        self.snapshot_every = count_of("snapshot_every", snapshot_every)
        self.against_past = number_of("against_past", against_past, 1)
        self._rng: np.random.Generator | None = None

    def on_algorithm_init(self, *, algorithm: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Check that all modules are there.

        Raises:
            ValueError: one is missing.
        """
        missing = [name for name in (MAIN, *self.places) if name not in algorithm.config.policies]
        if missing:
            raise ValueError(
                f"a league of {len(self.places)} needs the modules {', '.join(missing)} too: add them to policies"
            )

    def on_episode_created(self, *, episode: Any, env_runner: Any, env: Any, rl_module: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Decide who sits where in a new game."""
        if self._rng is None:
            seed = env_runner.config.seed
            self._rng = np.random.default_rng(None if seed is None else [seed, env_runner.worker_index or 0])
        past = [place for place in self.places if place in rl_module and int(rl_module[place].snapshot) > 0]
        if not past or self._rng.random() >= self.against_past:
            return
        agents = env.envs[0].unwrapped.possible_agents
        seated = dict(zip(agents, self._rng.choice(past, len(agents)).tolist(), strict=True))
        seated[agents[self._rng.integers(len(agents))]] = MAIN
        episode.agent_to_module_mapping_fn = partial(_module_at, seated)

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Log whether the module that learns has won against past selves."""
        own = [one for one in episode.agent_episodes.values() if one.module_id == MAIN and len(one) > 0]
        if len(own) == 1 and len(episode.agent_episodes) > 1:
            won = (1 + np.sign(own[0].get_rewards(-1))) / 2
            metrics_logger.log_value("win_rate_against_past", won, reduce="mean", window=WINDOW)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **kwargs: Any) -> None:  # noqa: ARG002
        """Take a snapshot when it is time."""
        freezes = result["training_iteration"] % self.snapshot_every == 0
        freeze = partial(_snapshots, places=self.places, freezes=freezes)
        made, place, state = algorithm.learner_group.foreach_learner(freeze).result_or_errors[0].get()
        if freezes:
            weights = partial(_take_weights, weights=ray.put({place: state}))
            for group in filter(None, (algorithm.env_runner_group, algorithm.eval_env_runner_group)):
                group.foreach_env_runner(weights)
        result["league"] = {"snapshots": made}


WINDOW = 100
"""Games over which the league's rate of wins is the mean."""


def _module_at(seated: Mapping[str, str], agent: str, episode: Any, **kwargs: Any) -> str:  # noqa: ARG001 # as RLlib calls it
    return seated[agent]


def _snapshots(learner: Any, places: Sequence[str], freezes: bool) -> tuple[int, str, Any]:
    """Return how many snapshots a learner has made; make one if it is time, and return its place and state too."""
    modules = learner.module
    made = max(int(modules[place].unwrapped().snapshot) for place in places)
    place = places[made % len(places)]
    if not freezes:
        return made, place, None
    module = modules[place].unwrapped()
    module.set_state(modules[MAIN].get_state())
    module.snapshot.fill_(made + 1)
    return made + 1, place, module.get_state(inference_only=True)


def _take_weights(env_runner: Any, weights: Any) -> None:
    """Give weights to a runner, without the number by which it would ignore what is no newer than the last update."""
    env_runner.set_state({COMPONENT_RL_MODULE: weights})


def always_main(agent: str, episode: Any, **kwargs: Any) -> str:  # noqa: ARG001 # as RLlib calls it
    """Return the module that learns: it has all seats unless a league says otherwise."""
    return MAIN


def self_play_config(
    game: str | Game = DEFAULT_GAME,
    *,
    league_size: int = 4,
    snapshot_every: int = 10,
    against_past: float = 0.5,
    **options: Any,
) -> PPOConfig:
    """Return a configuration of PPO in which one module learns by playing itself and its past selves.

    All else is as in any other: chain ``.env_runners(...)``, ``.training(...)``, ``.rl_module(model_config=...)`` and so on.

    Args:
        game: id, short name, or a ``Game``.
        league_size: how many past selves are kept; 0: it plays itself only.
        snapshot_every: see ``League``.
        against_past: see ``League``.
        options: of ``GameMultiAgentEnv``.

    Raises:
        ValueError: a value that an argument can't have.
    """
    found = game if isinstance(game, Game) else find_game(game)
    GameMultiAgentEnv({"game": found, **options}).close()  # what is wrong is told here, not by actors
    if not isinstance(league_size, int) or isinstance(league_size, bool) or league_size < 0:
        raise ValueError(f"league_size must be an integer of at least 0, not {league_size!r}")
    modules = [MAIN, *past_ids(league_size)]
    config = (
        PPOConfig()
        .environment(register(found.id if found.id in GAMES else found), env_config=options)
        .env_runners(env_runner_cls=SelfPlayEnvRunner)
        .multi_agent(policies=set(modules), policy_mapping_fn=always_main, policies_to_train=[MAIN])
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule))  # each module has one of its own
    )
    if league_size:
        League(league_size, snapshot_every, against_past)  # likewise
        config.callbacks(partial(League, league_size, snapshot_every, against_past))
    return config
