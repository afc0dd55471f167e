"""What works in which library, and how fast: the parts of ``docs/pages/libraries/index.md``, and the measurements behind them.

    python docs/generate/libraries.py                    # measure what is installed here
    python docs/generate/libraries.py --only TorchRL     # one row
    python docs/generate                                 # write the page from the measurements that there are

Libraries pin against each other, so no environment has them all: each run measures the rows that it can, says which it left out, and adds
its figures to ``configs/results/libraries.json``. A row steps Azul Duel against random play and a reference by the same collector of the
library, in turns within one process.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tables import RESULTS, table

from azul_duel_env.system.files import replaced
from azul_duel_env.tools.bench import Contestant, machine, openspiel, play_aec, speeds_of, until, versions_of

Run = Callable[[float], tuple[int, float]]
"""Collects for so many seconds, and returns steps and seconds."""

FIGURES = RESULTS / "libraries.json"
GAMES, STEPS = 64, 16
"""Games at once, where a library steps several; and steps in each between two looks at the clock."""


@dataclass(frozen=True)
class Library:
    """A row.

    Attributes:
        name: as its authors write it.
        packages: whose versions matter, as pip knows them.
        works: what works, for people.
        page: of our documentation, seen from that of the libraries.
        glue: returns an environment as the library takes it; the lines of its body are those that a user writes.
        collect: takes that environment, and returns what collects from it.
        collector: what collects, for people.
        reference: what it is compared with, for people.
        collect_reference: returns what collects from that in the same way.
    """

    name: str
    packages: tuple[str, ...]
    works: str
    page: str
    glue: Callable[[], Any]
    collect: Callable[[Any], Run]
    collector: str
    reference: str
    collect_reference: Callable[[], Run]

    @property
    def lines_of_glue(self) -> int:
        """How many lines a user writes from the import to an environment."""
        lines = inspect.getsource(self.glue).splitlines()[1:]
        return len([line for line in lines if line.strip()])


# stable-baselines3 -----------------------------------------------------------------------------------------------------------------------
def sb3_glue():
    from azul_duel_env.envs.sb3 import make_sb3_vec

    return make_sb3_vec(GAMES, opponent="random", seed=1)


def sb3_collect(env: Any) -> Run:
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=GAMES, seed=1, device="cpu")
    _, callback = model._setup_learn(sys.maxsize)

    def play(_: int) -> int:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, STEPS)
        return STEPS * GAMES

    return lambda seconds: until(seconds, play)


def sb3_reference() -> Run:
    from sb3_contrib.common.envs import InvalidActionEnvDiscrete
    from stable_baselines3.common.env_util import make_vec_env

    return sb3_collect(make_vec_env(InvalidActionEnvDiscrete, GAMES, env_kwargs={"dim": 20, "n_invalid_actions": 10}))


# PettingZoo ------------------------------------------------------------------------------------------------------------------------------
def pettingzoo_glue():
    from azul_duel_env import duel_v0

    return duel_v0.env()


def pettingzoo_collect(env: Any) -> Run:
    rng = np.random.default_rng(0)
    return lambda seconds: until(seconds, lambda seed: play_aec(env, seed, rng))


def pettingzoo_reference() -> Run:
    from pettingzoo.classic import connect_four_v3

    return pettingzoo_collect(connect_four_v3.env())


# Gymnasium -------------------------------------------------------------------------------------------------------------------------------
def gymnasium_glue():
    import gymnasium

    return gymnasium.make_vec("azul_duel_env:azul/Duel-v0", num_envs=GAMES, opponent="random")


def gymnasium_collect(envs: Any) -> Run:
    rng, (_, infos) = np.random.default_rng(0), envs.reset(seed=1)
    mask = infos["action_mask"]

    def play(_: int) -> int:
        nonlocal mask
        for _ in range(STEPS):
            *_, infos = envs.step((rng.random(mask.shape, np.float32) * mask).argmax(axis=1))
            mask = infos["action_mask"]
        return STEPS * GAMES

    return lambda seconds: until(seconds, play)


def gymnasium_reference() -> Run:
    import gymnasium

    return gymnasium_collect(gymnasium.make_vec("Taxi-v4", num_envs=GAMES))


# OpenSpiel -------------------------------------------------------------------------------------------------------------------------------
def open_spiel_glue():
    import pyspiel

    import azul_duel_env.envs.open_spiel  # noqa: F401 # registers the games

    return pyspiel.load_game("python_azul_duel")


def open_spiel_collect(game: Any) -> Run:
    return openspiel(game.get_type().short_name).run


def open_spiel_reference() -> Run:
    import pyspiel

    return open_spiel_collect(pyspiel.load_game("backgammon"))


# TorchRL ---------------------------------------------------------------------------------------------------------------------------------
def torchrl_glue():
    from azul_duel_env.envs.torchrl import make_torchrl_env

    return make_torchrl_env(GAMES, opponent="random", seed=1)


def torchrl_collect(env: Any) -> Run:
    from torchrl.collectors import Collector

    frames = STEPS * max(1, env.numel())
    batches = iter(Collector(env, env.rand_action, frames_per_batch=frames, total_frames=-1))
    return lambda seconds: until(seconds, lambda _: next(batches).numel())


def torchrl_reference() -> Run:
    from torchrl.envs import TicTacToeEnv

    return torchrl_collect(TicTacToeEnv(single_player=True))


# RLlib -----------------------------------------------------------------------------------------------------------------------------------
def rllib_glue():
    from azul_duel_env.envs.rllib import self_play_config

    return self_play_config("duel", league_size=0).env_runners(num_envs_per_env_runner=GAMES)


def rllib_collect(config: Any) -> Run:
    runner = config.env_runner_cls(config=config)

    def play(_: int) -> int:
        return sum(len(episode) for episode in runner.sample(num_timesteps=STEPS * GAMES))

    return lambda seconds: until(seconds, play)


def rllib_reference() -> Run:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.examples.envs.classes.multi_agent.tic_tac_toe import TicTacToe

    players = ("player1", "player2")
    return rllib_collect(
        PPOConfig()
        .environment(TicTacToe)
        .env_runners(env_runner_cls=MultiAgentEnvRunner, num_envs_per_env_runner=GAMES)
        .multi_agent(policies=set(players), policy_mapping_fn=lambda agent, *_, **__: agent)
    )


# Tianshou --------------------------------------------------------------------------------------------------------------------------------
def tianshou_glue():
    from azul_duel_env.envs.tianshou import TianshouVecEnv

    return TianshouVecEnv(GAMES, opponent="random", seed=1)


def tianshou_collect(envs: Any) -> Run:
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector

    collector = Collector(MARLRandomDiscreteMaskedOffPolicyAlgorithm(envs.action_space[0]), envs)
    collector.reset()
    return lambda seconds: until(seconds, lambda _: collector.collect(n_step=STEPS * GAMES).n_collected_steps)


def tianshou_reference() -> Run:
    from pettingzoo.classic import tictactoe_v3
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    return tianshou_collect(DummyVectorEnv([lambda: PettingZooEnv(tictactoe_v3.env())] * GAMES))


# AgileRL ---------------------------------------------------------------------------------------------------------------------------------
def agilerl_glue():
    import gymnasium

    return gymnasium.make_vec("azul_duel_env:azul/Duel-v0", num_envs=GAMES, opponent="random")


def agilerl_collect(envs: Any) -> Run:
    from agilerl.algorithms import PPO
    from agilerl.rollouts import collect_rollouts

    agent = PPO(
        envs.single_observation_space, envs.single_action_space, num_envs=GAMES, learn_step=STEPS * GAMES, device="cpu"
    )
    last: dict[str, Any] = {}

    def play(_: int) -> int:
        _, *now = collect_rollouts(agent, envs, STEPS, **last)
        last.update(zip(("last_obs", "last_done", "last_scores", "last_info"), now, strict=True))
        return STEPS * GAMES

    return lambda seconds: until(seconds, play)


def agilerl_reference() -> Run:
    import gymnasium

    return agilerl_collect(gymnasium.make_vec("Taxi-v4", num_envs=GAMES))


# Loops of one's own ----------------------------------------------------------------------------------------------------------------------
def loop_glue():
    import gymnasium

    return gymnasium.make_vec(
        "azul_duel_env:azul/Duel-v0",
        num_envs=GAMES,
        autoreset_mode="SameStep",
        opponent="random",
    )


def collect_by(act: Callable[[Any, Any], Any], envs: Any) -> Run:
    """Return what steps by a function from observations and masks to actions; where there are no masks, all is legal."""
    everything = np.ones((GAMES, envs.single_action_space.n), np.int8)
    observations, infos = envs.reset(seed=1)

    def play(_: int) -> int:
        nonlocal observations, infos
        for _ in range(STEPS):
            observations, *_, infos = envs.step(act(observations, infos.get("action_mask", everything)))
        return STEPS * GAMES

    return lambda seconds: until(seconds, play)


def loop_reference() -> Any:
    import gymnasium

    return gymnasium.make_vec("CartPole-v1", num_envs=GAMES)


def cleanrl_collect(envs: Any) -> Run:
    import torch

    torch.manual_seed(1)
    size, actions = envs.single_observation_space.shape[0], envs.single_action_space.n
    body = torch.nn.Sequential(torch.nn.Linear(size, 256), torch.nn.ReLU(), torch.nn.Linear(256, actions))

    @torch.no_grad()
    def act(observations: Any, masks: Any) -> Any:
        logits = body(torch.from_numpy(observations))
        logits = logits.masked_fill(torch.from_numpy(masks) == 0, torch.finfo(torch.float32).min)
        return torch.distributions.Categorical(logits=logits).sample().numpy()

    return collect_by(act, envs)


def jax_collect(envs: Any) -> Run:
    import jax
    import jax.numpy as jnp
    from flax import nnx

    size, actions, rngs = envs.single_observation_space.shape[0], envs.single_action_space.n, nnx.Rngs(1)
    graph, params = nnx.split(
        nnx.Sequential(nnx.Linear(size, 256, rngs=rngs), nnx.relu, nnx.Linear(256, actions, rngs=rngs))
    )

    @jax.jit
    def sample(key: Any, observations: Any, masks: Any) -> Any:
        key, own = jax.random.split(key)
        logits = jnp.where(masks == 1, nnx.merge(graph, params)(observations), jnp.finfo(jnp.float32).min)
        return key, jax.random.categorical(own, logits)

    key = jax.random.key(1)

    def act(observations: Any, masks: Any) -> Any:
        nonlocal key
        key, chosen = sample(key, observations, masks)
        return np.asarray(chosen)

    return collect_by(act, envs)


LIBRARIES = (
    Library(
        name="stable-baselines3",
        packages=("stable-baselines3", "sb3-contrib"),
        works="`MaskablePPO` trains, evaluates and saves; saved models play as opponents; callbacks; pools of opponents",
        page="stable_baselines3.md",
        glue=sb3_glue,
        collect=sb3_collect,
        collector="`MaskablePPO.collect_rollouts`, `MlpPolicy`",
        reference="`InvalidActionEnvDiscrete`, its test environment with masks, of 20 actions",
        collect_reference=sb3_reference,
    ),
    Library(
        name="PettingZoo",
        packages=("pettingzoo",),
        works="AEC environment for 2 to 4 agents; `api_test`, `seed_test`, `render_test`",
        page="../environments/pettingzoo.md",
        glue=pettingzoo_glue,
        collect=pettingzoo_collect,
        collector="`agent_iter` and `last`, random legal actions",
        reference="`connect_four_v3`",
        collect_reference=pettingzoo_reference,
    ),
    Library(
        name="Gymnasium",
        packages=("gymnasium",),
        works="single and vector environment, all autoreset modes; `check_env`; wrappers and `RecordVideo`",
        page="../environments/gymnasium.md",
        glue=gymnasium_glue,
        collect=gymnasium_collect,
        collector="`VectorEnv.step`, random legal actions",
        reference="`Taxi-v4`, which has masks, in `SyncVectorEnv`",
        collect_reference=gymnasium_reference,
    ),
    Library(
        name="OpenSpiel",
        packages=("open-spiel",),
        works="a registered game with explicit chance; MCTS, IS-MCTS, `random_sim_test`; agents of this package as bots",
        page="open_spiel.md",
        glue=open_spiel_glue,
        collect=open_spiel_collect,
        collector="`State.apply_action` in Python, with tensor and mask",
        reference="`backgammon`, in C++",
        collect_reference=open_spiel_reference,
    ),
    Library(
        name="TorchRL",
        packages=("torchrl", "tensordict"),
        works="`EnvBase` of many games, bool masks, `check_env_specs`, collectors, masked PPO",
        page="torchrl.md",
        glue=torchrl_glue,
        collect=torchrl_collect,
        collector="`Collector`, random legal actions",
        reference="`TicTacToeEnv`, one game",
        collect_reference=torchrl_reference,
    ),
    Library(
        name="RLlib",
        packages=("ray", "gymnasium"),
        works="multi-agent and single environment, masked `RLModule`, a runner of many games, a league of past selves, clusters",
        page="rllib.md",
        glue=rllib_glue,
        collect=rllib_collect,
        collector="`EnvRunner.sample`, the default network",
        reference="`TicTacToe` of its examples",
        collect_reference=rllib_reference,
    ),
    Library(
        name="Tianshou",
        packages=("tianshou",),
        works="vector environment for collectors, masked actor for PPO and its like; the DQN family masks by itself",
        page="tianshou.md",
        glue=tianshou_glue,
        collect=tianshou_collect,
        collector="`Collector`, random legal actions",
        reference="`tictactoe_v3` in `PettingZooEnv`, as in its tutorial",
        collect_reference=tianshou_reference,
    ),
    Library(
        name="AgileRL",
        packages=("agilerl",),
        works='the vector environment as it is: its algorithms read `info["action_mask"]`',
        page="agilerl.md",
        glue=agilerl_glue,
        collect=agilerl_collect,
        collector="`collect_rollouts` of `PPO`",
        reference="`Taxi-v4` of Gymnasium, which has masks",
        collect_reference=agilerl_reference,
    ),
    Library(
        name="CleanRL",
        packages=("torch",),
        works="PPO in one file in its style, on the vector environment",
        page="cleanrl.md",
        glue=loop_glue,
        collect=cleanrl_collect,
        collector="a loop in torch, a network with one hidden layer of 256",
        reference="`CartPole-v1` of Gymnasium, of 4 inputs instead of 1,113",
        collect_reference=lambda: cleanrl_collect(loop_reference()),
    ),
    Library(
        name="JAX and Flax",
        packages=("jax", "flax"),
        works="PPO in one file on the vector environment",
        page="jax.md",
        glue=loop_glue,
        collect=jax_collect,
        collector="a loop in JAX, a network with one hidden layer of 256",
        reference="`CartPole-v1` of Gymnasium, of 4 inputs instead of 1,113",
        collect_reference=lambda: jax_collect(loop_reference()),
    ),
)


# Measuring -------------------------------------------------------------------------------------------------------------------------------
def measure(library: Library, seconds: float, progress: Callable[[str], object] = str) -> dict[str, Any]:
    """Return the figures of a row, ready for JSON.

    Raises:
        ImportError: the library is not installed.
    """
    entered = [
        Contestant("ours", library.name, library.collect(library.glue())),
        Contestant("reference", f"{library.name}: {library.reference}", library.collect_reference()),
    ]
    speeds = speeds_of(entered, seconds, progress)
    machine_now = machine()
    return {
        "versions": versions_of(library.packages),
        "steps_per_second": {name: round(speed) for name, speed in speeds.items()},
        "machine": {key: machine_now[key] for key in ("processor", "cores", "python")},
    }


def read_figures() -> dict[str, Any]:
    """Return the figures of all rows that were measured, by name."""
    return json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}


def add_figures(name: str, figures: dict[str, Any]) -> None:
    """Add the figures of a row to those of the others, in the order of the page."""
    known = read_figures() | {name: figures}
    ordered = {library.name: known[library.name] for library in LIBRARIES if library.name in known}
    with replaced(FIGURES) as file:
        file.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")


# The page --------------------------------------------------------------------------------------------------------------------------------
def overview() -> str:
    """Return what works in which library."""
    figures = read_figures()
    rows: list[list[object]] = []
    for library in LIBRARIES:
        linked = f"[{library.name}]({library.page})"
        rows.append([linked, _versions(library, figures.get(library.name)), library.works, library.lines_of_glue])
    return table(["library", "version", "what works", "lines of glue"], rows)


def speeds() -> str:
    """Return steps a second in each library, and on which machines they were measured."""
    figures, rows = read_figures(), []
    for library in LIBRARIES:
        if library.name not in figures:
            rows.append([library.name, library.collector, "not measured yet", library.reference, "", ""])
            continue
        ours, theirs = (figures[library.name]["steps_per_second"][name] for name in ("ours", "reference"))
        rows.append(
            [library.name, library.collector, f"{ours:,}", library.reference, f"{theirs:,}", f"{ours / theirs:.2g}"]
        )
    machines = sorted({f"{m['processor']}, {m['cores']} cores" for m in (one["machine"] for one in figures.values())})
    speed = table(["library", "collector", "Azul Duel", "reference", "its steps", "ratio"], rows)
    return f"{speed}\n\n{GAMES} games at once where the library steps several. Machine: {'; '.join(machines)}."


def glue() -> str:
    """Return the lines of glue of each library."""
    return "\n\n".join(f"**{one.name}**\n\n```python\n{_body(one.glue)}\n```" for one in LIBRARIES)


def _versions(library: Library, found: dict[str, Any] | None) -> str:
    """Return the versions that were measured."""
    if not found:
        return "not tried yet"
    known = [(package, version.partition("+")[0]) for package, version in found["versions"].items()]
    return ", ".join(
        version if package == library.name.lower() else f"{package} {version}" for package, version in known
    )


def _body(glue: Callable[[], Any]) -> str:
    """Return what a user writes: the body of a function, what it returns under a name."""
    lines = textwrap.dedent("\n".join(inspect.getsource(glue).splitlines()[1:])).replace("GAMES", str(GAMES))
    return lines.replace("return ", "env = ", 1).replace("noqa: F401 # ", "")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [library.name for library in LIBRARIES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="LIBRARY", help=", ".join(names))
    parser.add_argument("--seconds", type=float, default=5.0, help="for each figure")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # those of the libraries
    for library in LIBRARIES:
        if library.name not in arguments.only:
            continue
        try:
            figures = measure(library, arguments.seconds, lambda text: print(text, file=sys.stderr))
        except ImportError as error:
            print(f"{library.name}: left out: {error}")
            continue
        add_figures(library.name, figures)
        print(f"{library.name}: {figures['steps_per_second']}")


if __name__ == "__main__":
    main()
