"""Self-play in RLlib against a league of past selves, and the configuration for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import COMPONENT_RL_MODULE
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from azul_duel_env.envs.arguments import count_of, number_of
from azul_duel_env.envs.rllib.environments import GameMultiAgentEnv, register
from azul_duel_env.envs.rllib.module import MaskedPPOModule
from azul_duel_env.envs.rllib.runner import SelfPlayEnvRunner
from azul_duel_env.game import Game
from azul_duel_env.games import DEFAULT_GAME, GAMES, find_game

MAIN = "main"
"""The module that learns."""
WINDOW = 100
"""Games over which the league's rate of wins is the mean."""


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
