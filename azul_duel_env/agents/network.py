"""The agent ``network``: a trained network, read from a file and run without any library of training.

``azul-duel export`` writes such files, and training from nothing those of fast networks: see ``network_file``, ``fast_network_file``. They
run no code. What the network does is in ``kernels.network`` and ``kernels.fast_network``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents import fast_network_file as fast_file
from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.network_file import FAST_FORMAT, NetworkFile, checked, read_parts, rewards_of
from azul_duel_env.game import Game, States
from azul_duel_env.game.agent import AgentError
from azul_duel_env.kernels.constants import ACTIVATIONS
from azul_duel_env.system.reading import user_path


# Files ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TrainedNetwork:
    """A network from a file. Called as ``(states, i, key)`` it is an agent's policy, which plays the best action.

    Attributes:
        game: that it plays.
        path: of the file.
        header: what it says about itself; see ``network_file``.
        compiled: the same for compiled code.
    """

    game: Game
    path: Path
    header: Mapping[str, Any]
    compiled: Any

    def __call__(self, states: States, i: int, key: np.uint64) -> int:  # noqa: ARG002 # nothing is left to chance
        """Return the action to take in ``states[i]``, where a player decides."""
        return int(self.game.kernel("network").choose_by_network(states, i, self.compiled))

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        """Copy and pickle the place of the file only: weights are large, and a copy of its records would compile everything anew."""
        return read_network, (self.path,)

    def __deepcopy__(self, memo: dict[int, Any]) -> TrainedNetwork:
        return self


def read_network(path: str | Path) -> TrainedNetwork | TrainedFastNetwork:
    """Return the network in a file, of either format; ``~`` is the user's home.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no such file, or for another game or other tables; the message says which.
    """
    path = user_path(path)
    header, arrays = read_parts(path)
    if isinstance(header, dict) and header.get("format") == FAST_FORMAT:
        fast = fast_file.checked(path, header, arrays)
        return TrainedFastNetwork(fast.game, path, fast.header, fast.compiled)
    file = checked(path, header, arrays)
    return TrainedNetwork(file.game, path, file.header, _network_of(file))


def _network_of(file: NetworkFile) -> Any:
    """Return the network for compiled code."""
    header = file.header
    weights, plan = _flattened([*file.policy, *file.value])
    return file.game.kernel("network").Network(
        weights,
        plan,
        file.abstraction.record,
        len(file.policy),
        ACTIVATIONS.index(header["activation"]),
        int(header["advice"] is not None),
        float(header["trust"]),
        *rewards_of(header["reward"]),
    )


def _flattened(layers: list[NDArray[np.float32]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return all weights in one row, and the plan of where they lie."""
    starts = np.cumsum([0] + [layer.size for layer in layers])
    plan = [(start, len(layer) - 1, layer.shape[1]) for start, layer in zip(starts, layers, strict=False)]
    return np.concatenate([layer.ravel() for layer in layers]), np.array(plan, np.int64)


# Specs ----------------------------------------------------------------------------------------
AnyNetwork = TrainedNetwork | TrainedFastNetwork


@cache
def _at_home(path: Path) -> AnyNetwork:
    return read_network(path)


def shipped(game: Game) -> AnyNetwork:
    """Return the network that comes with a game.

    Raises:
        AgentError: none does, or it plays another one.
    """
    if game.network is None:
        raise AgentError(f"no network comes with {game.title}")
    network = _at_home(game.network)
    if network.game is not game:
        raise _other_game(f"the network that comes with {game.title}", network, game)
    return network


@dataclass(frozen=True)
class ShippedNetwork:
    """The policy of ``network``: the best action of the network that comes with a game, read when it is first wanted."""

    game: Game

    def __call__(self, states: States, i: int, key: np.uint64) -> int:
        """Return the action to take in ``states[i]``, where a player decides."""
        return shipped(self.game)(states, i, key)


def network_file(game: Game, spec: str) -> Path | None:
    """Return the file of the network that a spec plays with; None if it plays with none."""
    family, _, argument = spec.partition(":")
    path = argument if family == "network" else argument.partition(":")[2]
    if family in ("network", "network+mcts") and path:
        return game.networks.get(path) or user_path(path)
    return game.network if family in ("network", "network+mcts") else None


def network_policy(game: Game, argument: str) -> AnyNetwork:
    """Return the policy of ``network:argument``: see ``network_at``.

    Raises:
        AgentError: there is no such network.
    """
    return network_at(game, argument, f"network:{argument}")


def network_at(game: Game, path: str, spec: str) -> AnyNetwork:
    """Return the network that a spec names: one of ``Game.networks``, or that in a file.

    Raises:
        AgentError: there is no such file, or none for this game and these tables; the message names the spec.
    """
    try:
        network = _at_home(game.networks[path]) if path in game.networks else read_network(path)
    except (OSError, ValueError) as error:
        raise AgentError(f"{spec}: {error}") from error
    if network.game is not game:
        raise _other_game(spec, network, game)
    return network


def _other_game(name: str, network: AnyNetwork, game: Game) -> AgentError:
    """Return the error that a network is for another game, or another number of players."""
    played, wanted = (f"{one.id} for {one.num_players} players" for one in (network.game, game))
    return AgentError(f"{name} plays {played}, not {wanted}")
