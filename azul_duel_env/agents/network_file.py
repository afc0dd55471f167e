"""The file of a network: what lies in it, read and checked before anything is compiled on it.

===============  ======================================================================================================
header           a text in JSON: format, game, ``num_players`` where it has several numbers, sub-decisions that are asked, advice,
                 activation, trust, parts of the reward, digest of the tables (``tables_digest``), and where the network comes from:
                 config, steps, version of the package
policy_I_bias    float16 or float32 (outputs,) of layer I, from 0; all layers but the last end with the activation
policy_I_weight  the same, (inputs, outputs); the last layer has an output for each asked action, its logit
value_I_*        the same of the value network, whose last layer has one output: the discounted reward still to come
===============  ======================================================================================================

With advice, ``trust`` times the logarithm of greedy's rating is added to each logit. A file runs no code, whoever made it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.game import Game
from azul_duel_env.games import GAMES, find_game
from azul_duel_env.kernels.constants import ACTIVATIONS, REWARD_PARTS
from azul_duel_env.system.reading import json_from, one_line, read_arrays

FORMAT, FAST_FORMAT = FORMATS = (1, 2)
"""Of the files that are told here, and of those of ``fast_network_file``."""
PARTS = ("policy", "value")
WIN_MARGIN = 25.0

MOST_BYTES = 2**28
"""Of a file, and of the weights in it: hidden layers of 4,096 units fit in."""
MOST_LAYERS = 100
LARGEST = 1e6
"""No trust and no weight of the reward is larger."""
FARTHEST = 1e30
"""No unit can get farther from 0, whatever it sees: so nothing overflows in float32."""


@dataclass(frozen=True)
class NetworkFile:
    """What a file of a network holds, checked.

    Attributes:
        game: that it plays.
        header: what it says about itself.
        abstraction: the sub-decisions that it is asked.
        policy: its layers, float32 (1 + inputs, outputs): bias, then weights.
        value: those of the value network.
    """

    game: Game
    header: Mapping[str, Any]
    abstraction: Any
    policy: list[NDArray[np.float32]]
    value: list[NDArray[np.float32]]


def tables_digest(game: Game, abstraction: Any, *more: Any) -> str:
    """Return what tells tables of observation and asked actions from others: of the names, places and shapes of all blocks.

    Of ``more`` tables too, but for those that are empty.
    """
    seen, asked, *others = (
        [(block.name, block.first, block.shape) for block in blocks]
        for blocks in (game.observation_blocks, abstraction.blocks, *more)
    )
    tables = [seen, asked, abstraction.observation_size, *(blocks for blocks in others if blocks)]
    return sha256(json.dumps(tables).encode()).hexdigest()[:16]


def read_network_file(path: Path) -> NetworkFile:
    """Return what a file of a network holds.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no such file, or for another game or other tables; the message names the file and says which.
    """
    return checked(path, *read_parts(path))


def read_parts(path: Path) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a file of a network, of whatever format; neither is checked.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no such file; the message names it.
    """
    try:
        arrays = read_arrays(path, MOST_BYTES)
        return json_from(arrays.pop("header").item()), arrays
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        reason = "it has no header" if isinstance(error, KeyError) else str(error).removeprefix(f"{path}: ")
        raise ValueError(f"{path} is no network: 'azul-duel export' writes such files; {reason}") from None


def checked(path: Path, header: Any, arrays: Mapping[str, NDArray[Any]]) -> NetworkFile:
    """Return what a file holds, or is to hold, after checking that it can be played.

    Raises:
        ValueError: it can't; the message names the file.
    """
    try:
        game, abstraction = _check_header(header)
        advised = header["advice"] is not None
        inputs = abstraction.observation_size + (abstraction.num_actions if advised else 0)
        policy = _layers(arrays, "policy", inputs, abstraction.num_actions)
        value = _layers(arrays, "value", inputs, 1)
        for part, layers in zip(PARTS, (policy, value), strict=True):
            _check_reach(part, layers, header["activation"])
    except ValueError as error:
        raise ValueError(f"{path}: {one_line(error)}") from None
    return NetworkFile(game, header, abstraction, policy, value)


# The header -----------------------------------------------------------------------------------
def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST


def _is_reward(value: Any) -> bool:
    """Return whether a value gives weights to parts of the reward, and a win no tiny one, by which all worths are divided."""
    if not isinstance(value, dict) or not all(part in REWARD_PARTS and _is_number(value[part]) for part in value):
        return False
    return abs(rewards_of(value)[2]) >= 1 / LARGEST


def _is_granularity(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value[name], str) for name in value)


def _is_source(value: Any) -> bool:
    kinds = {"config": str, "steps": int, "version": str}
    return isinstance(value, dict) and all(type(value[name]) is kind for name, kind in kinds.items() if name in value)


SOURCE = ("a mapping of config, steps and version", _is_source)
TABLES = ("a digest", lambda value: isinstance(value, str))
HEADER: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "granularity": ("a mapping of sub-decisions to their values", _is_granularity),
    "advice": ("null or 'greedy'", lambda value: value in (None, "greedy")),
    "activation": (f"one of {', '.join(ACTIVATIONS)}", lambda value: value in ACTIVATIONS),
    "trust": (f"a number of at most {LARGEST:,.0f}", _is_number),
    "reward": (f"a mapping of {', '.join(REWARD_PARTS)} to weights of at most {LARGEST:,.0f}", _is_reward),
    "tables": TABLES,
    "source": SOURCE,
}
"""What a header must have, besides format and game: what each must be."""


def _check_header(header: Any) -> tuple[Game, Any]:
    """Return the game and the sub-decisions that are asked, after checking all that a header says."""
    game = check_fields(header, FORMAT, HEADER)
    abstraction = _abstraction_of(game, header["granularity"])
    check_tables(header, game, abstraction)
    return game, abstraction


def check_fields(header: Any, number: int, fields: Mapping[str, tuple[str, Callable[[Any], bool]]]) -> Game:
    """Return the game of a header, after checking that it is of a format and has each field of it, as ``HEADER`` tells them.

    Raises:
        ValueError: it isn't, or has not; the message says what was expected.
    """
    if not isinstance(header, dict):
        raise ValueError("no network: its header must be a mapping")
    found = header.get("format"), header.get("game")
    if type(found[0]) is not int or found[0] != number or not isinstance(found[1], str) or found[1] not in GAMES:
        known = " or ".join(GAMES)
        formats = " or ".join(str(one) for one in FORMATS)
        raise ValueError(f"expected format {formats} for {known}, not format {found[0]!s:.40} for {found[1]!s:.40}")
    for name, (expected, fits) in fields.items():
        if name not in header:
            raise ValueError(f"no network: its header lacks {name!r}")
        if not fits(header[name]):
            raise ValueError(f"{name} must be {expected}, not {header[name]!r:.80}")
    return _game_of(header)


def check_tables(header: Mapping[str, Any], game: Game, abstraction: Any, *more: Any) -> None:
    """Refuse a network that was made for other tables; see ``tables_digest``.

    Raises:
        ValueError: it was.
    """
    if header["tables"] != tables_digest(game, abstraction, *more):
        made_by = header["source"].get("version", "another version")
        raise ValueError(
            f"it is for other tables of observation and actions: {made_by!s:.40} made it; export or train anew"
        )


def _game_of(header: Mapping[str, Any]) -> Game:
    """Return the game that a header names, for the usual number of players if it tells none."""
    players = header.get("num_players")
    if "num_players" in header and type(players) is not int:
        raise ValueError(f"num_players must be a number of players, not {players!r:.80}")
    return find_game(header["game"], players)


def _abstraction_of(game: Game, choices: Mapping[str, str]) -> Any:
    """Return the abstraction that a header names."""
    try:
        return game.make_abstraction(**choices)
    except ValueError as error:
        raise ValueError(f"granularity must be sub-decisions of {game.title}: {error}") from None


def rewards_of(weights: Mapping[str, float]) -> tuple[float, float, float]:
    """Return what a point of margin, the potential, and a win by ``WIN_MARGIN`` points in all bring, given the weights of the parts.

    To come first is worth 1 in ``rank`` as in ``win_loss``.
    """
    win_loss, at_end, delta, potential, rank = (float(weights.get(part, 0.0)) for part in REWARD_PARTS)
    return delta, potential, win_loss + rank + WIN_MARGIN * (at_end + delta) or 1.0


# Layers ---------------------------------------------------------------------------------------
def _layers(arrays: Mapping[str, NDArray[Any]], part: str, inputs: int, outputs: int) -> list[NDArray[np.float32]]:
    """Return the layers of one part, which must fit together and onto the tables."""
    names = [name for name in arrays if name.startswith(f"{part}_")]
    pairs = [(f"{part}_{k}_bias", f"{part}_{k}_weight") for k in range(len(names) // 2)]
    if {name for pair in pairs for name in pair} != set(names) or not 1 <= len(pairs) <= MOST_LAYERS:
        raise ValueError(f"its layers of {part} are not whole")
    layers: list[NDArray[np.float32]] = []
    for bias, weight in pairs:
        layers.append(_layer(arrays[bias], arrays[weight], f"{part} {len(layers)}", inputs))
        inputs = layers[-1].shape[1]
    if inputs != outputs:
        raise ValueError(f"expected {outputs} outputs, not {inputs}")
    return layers


def _layer(bias: NDArray[Any], weight: NDArray[Any], name: str, inputs: int) -> NDArray[np.float32]:
    for array in (bias, weight):
        if array.dtype not in (np.float16, np.float32) or array.size == 0:
            raise ValueError(f"expected float16 or float32 numbers in layer {name}, not {array.shape} of {array.dtype}")
    if bias.ndim != 1 or weight.ndim != 2 or weight.shape[1] != len(bias):
        raise ValueError(
            f"expected a bias (outputs,) and weights (inputs, outputs) in layer {name}, not {bias.shape} and {weight.shape}"
        )
    if len(weight) != inputs:
        raise ValueError(f"expected a layer of {inputs} inputs, not {len(weight)}")
    layer = np.vstack([bias, weight]).astype(np.float32)
    if not np.isfinite(layer).all():
        raise ValueError(f"layer {name} holds numbers that are not finite")
    return layer


def _check_reach(part: str, layers: list[NDArray[np.float32]], activation: str) -> None:
    """Refuse weights with which a unit could overflow: inputs are at most 1, and tanh makes all units so."""
    reach = np.ones(len(layers[0]) - 1, np.float32)
    for layer in layers:
        with np.errstate(over="ignore"):
            summed = np.abs(layer[0]) + reach @ np.abs(layer[1:])
        if not summed.max() <= FARTHEST:
            raise ValueError(f"its weights of {part} are so large that it would overflow")
        reach = np.ones_like(summed) if activation == "tanh" else summed
