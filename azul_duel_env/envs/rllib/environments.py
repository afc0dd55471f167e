"""The games as environments of RLlib, registered with Ray by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env

from azul_duel_env.envs.registration import gymnasium_id
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.envs.single import GameEnv
from azul_duel_env.game import Game
from azul_duel_env.games import DEFAULT_GAME, GAMES, find_game

OBSERVATIONS, ACTION_MASK = "observations", "action_mask"
SEEN = (OBSERVATIONS, ACTION_MASK)
CHOSEN_HERE = ("autoreset", "copy", "observation_dtype")

Seen = dict[str, NDArray[Any]]
PerAgent = dict[str, Any]


def masked_space(observation: gymnasium.spaces.Space[Any], action: gymnasium.spaces.Discrete) -> gymnasium.spaces.Dict:
    """Return the space of observations with masks."""
    mask = gymnasium.spaces.Box(0, 1, (int(action.n),), np.int8)
    return gymnasium.spaces.Dict({OBSERVATIONS: observation, ACTION_MASK: mask})


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
