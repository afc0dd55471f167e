"""The file of a fast network (``kernels.fast_network``): what lies in it, checked before anything runs on it, and how one is written.

=================  ====================================================================================================
header             a text in JSON: format 2, game, ``num_players`` where it has several numbers, ``win_share``, digest of the tables
                   (``tables_digest``, of all actions and the encoding), and where the network comes from: config, steps, version of
                   the package
first_weight       int16 (inputs, units), UNIT times the weights; the inputs are the observation and the lookups of
                   ``kernels.encoding``; nothing overflows: see ``kernels.constants``
first_bias         int32 (units,), UNIT times the bias
second_weight      float16 or float32 (units, width)
second_bias        the same, (width,)
policy_weight      the same, (outputs, width): what logits are summed from, see ``kernels.encoding``
policy_bias        the same, (outputs,)
value_weight       the same, (values, width): one value for two players, else one for each seat in turn order from who decides
value_bias         the same, (values,)
=================  ====================================================================================================

Both hidden layers end with a ReLU, the values with tanh. A file runs no code, whoever made it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents.network_file import (
    FARTHEST,
    FAST_FORMAT,
    SOURCE,
    TABLES,
    check_fields,
    check_tables,
    read_parts,
    tables_digest,
)
from azul_duel_env.game import Game
from azul_duel_env.kernels.constants import LARGEST_BIAS, LARGEST_SUM, LARGEST_WEIGHT, UNIT
from azul_duel_env.system.files import replaced
from azul_duel_env.system.reading import one_line

LAYERS = ("first", "second", "policy", "value")


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


HEADER = {"win_share": ("a share, 0 to 1", _is_share), "tables": TABLES, "source": SOURCE}
"""What a header must have, besides format and game: what each must be."""


@dataclass(frozen=True)
class FastNetworkFile:
    """What a file of a fast network holds, checked.

    Attributes:
        game: that it plays.
        header: what it says about itself.
        compiled: a ``FastNetwork`` of the game's kernels.
    """

    game: Game
    header: Mapping[str, Any]
    compiled: Any


def num_values(game: Game) -> int:
    """Return how many values a network of a game has."""
    return 1 if game.num_players == 2 else game.num_players


def _tables(game: Game) -> tuple[Any, Any, Any]:
    """Return what a network is for, besides the observation: asked actions, lookups and outputs."""
    encoding = game.kernel("encoding")
    return game.make_abstraction(), encoding.LOOKUPS, encoding.OUTPUTS


def read_fast_network_file(path: Path) -> FastNetworkFile:
    """Return what a file of a fast network holds.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no such file, or for another game or other tables; the message names the file and says which.
    """
    return checked(path, *read_parts(path))


def checked(path: Path, header: Any, arrays: Mapping[str, NDArray[Any]]) -> FastNetworkFile:
    """Return what a file holds, or is to hold, after checking that it can be played.

    Raises:
        ValueError: it can't; the message names the file.
    """
    try:
        game = check_fields(header, FAST_FORMAT, HEADER)
        check_tables(header, game, *_tables(game))
        return FastNetworkFile(game, header, network_from(game, arrays, float(header["win_share"])))
    except ValueError as error:
        raise ValueError(f"{path}: {one_line(error)}") from None


def write_fast_network(
    path: Path, game: Game, arrays: Mapping[str, NDArray[Any]], win_share: float, source: Mapping[str, Any]
) -> None:
    """Write a fast network into a file, which is whole or as before.

    Args:
        path: the file, such as ``network.npz``.
        game: that it plays.
        arrays: as the file holds them; see ``quantised``.
        win_share: share of the utility in the value of a finished game.
        source: where it comes from: config (str), steps (int), version (str).

    Raises:
        ValueError: what such a file can't hold.
        OSError: the file can't be written.
    """
    header = {"format": FAST_FORMAT, "game": game.id, **game.players_option, "win_share": win_share}
    header |= {"tables": tables_digest(game, *_tables(game)), "source": dict(source)}
    checked(path, header, arrays)
    with replaced(path) as temporary, temporary.open("wb") as opened:
        np.savez_compressed(opened, allow_pickle=False, header=np.array(json.dumps(header)), **arrays)


def quantised(
    weight: NDArray[np.floating[Any]], bias: NDArray[np.floating[Any]]
) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
    """Return weights and bias of a first layer as a file holds them, rounded to multiples of 1 / UNIT.

    Args:
        weight: (inputs, units).
        bias: (units,).

    Raises:
        ValueError: one is not finite, or so large that sums could overflow: see ``kernels.constants``.
    """
    rows, biases = np.rint(weight * UNIT), np.rint(bias * UNIT)
    _check_bounds(rows, biases)
    return rows.astype(np.int16), biases.astype(np.int32)


# Checks ---------------------------------------------------------------------------------------
def network_from(game: Game, arrays: Mapping[str, NDArray[Any]], win_share: float) -> Any:
    """Return the network for compiled code (``FastNetwork``).

    Args:
        game: that it plays.
        arrays: as a file holds them.
        win_share: share of the utility in the value of a finished game.

    Raises:
        ValueError: they are not whole, don't fit together or onto the tables, or are so large that something could overflow.
    """
    names = {f"{layer}_{kind}" for layer in LAYERS for kind in ("weight", "bias")}
    if set(arrays) != names:
        raise ValueError(f"expected the arrays {', '.join(sorted(names))}, not {', '.join(sorted(arrays)):.200}")
    given = {name: _array(name, arrays[name]) for name in names}
    units, width = _sizes(game, given)
    if units == 0 or width == 0:
        raise ValueError(f"expected a second layer of some units and some width, not {units} and {width}")
    _check_bounds(given["first_weight"], given["first_bias"])
    _check_reach(given)
    ordered = [given[f"{layer}_{kind}"] for layer in LAYERS for kind in ("weight", "bias")]
    return game.kernel("fast_network").FastNetwork(*ordered, win_share)


def _array(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as compiled code takes it."""
    kinds = {"first_weight": ["int16"], "first_bias": ["int32"]}.get(name, ["float16", "float32"])
    dimensions = 1 if name.endswith("bias") else 2
    if array.dtype.name not in kinds or array.ndim != dimensions:
        raise ValueError(
            f"{name} must be {' or '.join(kinds)} with {dimensions} axes, not {array.shape} of {array.dtype}"
        )
    return np.ascontiguousarray(array, array.dtype if array.dtype.kind == "i" else np.float32)


def _sizes(game: Game, arrays: Mapping[str, NDArray[Any]]) -> tuple[int, int]:
    """Return units of the first and width of the second layer, after checking that all layers fit."""
    units, width = arrays["second_weight"].shape
    kernel = game.kernel("fast_network")
    expected = {
        "first_weight": (game.kernel("first_layer").NUM_INPUTS, units),
        "first_bias": (units,),
        "second_bias": (width,),
        "policy_weight": (kernel.NUM_OUTPUTS, width),
        "policy_bias": (kernel.NUM_OUTPUTS,),
        "value_weight": (num_values(game), width),
        "value_bias": (num_values(game),),
    }
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} must have the shape {shape}, not {arrays[name].shape}")
    return units, width


def _check_bounds(rows: NDArray[Any], biases: NDArray[Any]) -> None:
    """Refuse a first layer, in multiples of 1 / UNIT, in which a sum could overflow."""
    bounds = {
        "weight of the first layer": (np.abs(rows, dtype=np.float64).max(initial=0), LARGEST_WEIGHT),
        "bias of the first layer": (np.abs(biases, dtype=np.float64).max(initial=0), LARGEST_BIAS),
        "sum of the weights of a unit": (np.abs(rows, dtype=np.float64).sum(axis=0).max(initial=0), LARGEST_SUM),
    }
    for name, (found, most) in bounds.items():
        if not found <= most:
            raise ValueError(
                f"the {name} may be {most / UNIT:,.3f} from 0 at most, so that nothing overflows, not {found / UNIT:,.3f}"
            )


def _check_reach(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse small layers in which something could overflow in float32, whatever the inputs are."""
    reach = (
        np.abs(arrays["first_weight"], dtype=np.float64).sum(axis=0) + np.abs(arrays["first_bias"], dtype=np.float64)
    ) / UNIT
    with np.errstate(over="ignore", invalid="ignore"):
        hidden = reach @ np.abs(arrays["second_weight"]) + np.abs(arrays["second_bias"])
        ends = [
            np.abs(arrays[f"{part}_weight"]) @ hidden + np.abs(arrays[f"{part}_bias"]) for part in ("policy", "value")
        ]
    for sums in (hidden, *ends):
        if not sums.max(initial=0) <= FARTHEST:
            raise ValueError("its weights are not finite, or so large that it would overflow")
