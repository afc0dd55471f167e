"""Opponents inside the single-agent environments: built-in agents, functions, and saved networks, alone or in a pool.

A saved model (``sb3:PATH``) is a pickle, and like a function (``module:function``) runs code: name only what you trust. The safe form of a
model, which runs none whoever made it, is ``network:PATH``; ``azul-duel export`` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents import agents_of, hint_for, is_agent, make_agent
from azul_duel_env.envs.arguments import is_number
from azul_duel_env.game import Game
from azul_duel_env.game.agent import Policy
from azul_duel_env.system.reading import one_line, user_path

Function: TypeAlias = Callable[[Any, Any], Any]
"""``(observation, action_mask) -> action``: one of each in the single environment, a batch of each in the vector environment."""

OpponentLike: TypeAlias = Any
"""A spec, a function, a maskable stable-baselines3 model, or a pool: a sequence of those, or a mapping of specs to shares."""

SAVED_MODEL = "sb3:"
SELF_PLAY = "self-play"
"""Instead of opponents: every seat is asked."""


class _Model(Protocol):
    """A model of stable-baselines3 or sb3-contrib, as far as it is used here."""

    observation_space: Any
    action_space: Any

    def predict(self, observation: Any, **options: Any) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Opponent:
    """One opponent.

    Attributes:
        name: the spec, or the name of the function or the class of the model.
        act: ``(observations, action_masks) -> actions`` on batches of rows; None for an agent.
        policy: of an agent that is asked from Python, with the state of each row; None for one that plays inside the compiled call.
    """

    name: str
    act: Function | None = None
    policy: Policy | None = None

    @property
    def is_built_in(self) -> bool:
        """Whether it plays inside the compiled call."""
        return self.act is None and self.policy is None


@dataclass(frozen=True)
class Pool:
    """Opponents: those that each seat but the learner's draws from in every episode, or a line-up, which has its seats.

    Attributes:
        opponents: at least one, or none at all in self-play.
        shares: how often each is met; they sum to 1.
        is_line_up: whether they sit in this order in the seats after the learner's, one in each.
    """

    opponents: tuple[Opponent, ...]
    shares: tuple[float, ...]
    is_line_up: bool = False

    @property
    def asks_outside(self) -> bool:
        """Whether some of them play outside the compiled call."""
        return not all(member.is_built_in for member in self.opponents)


NO_OPPONENTS = Pool((), ())


def refuse_self_play(opponent: OpponentLike) -> None:
    """Refuse a word that ``Batch`` knows and a learner's environment can't.

    Raises:
        ValueError: the opponent is to be the learner itself.
    """
    if isinstance(opponent, str) and opponent == SELF_PLAY:
        raise ValueError(
            f"{SELF_PLAY!r} is no opponent of a single learner: for a past self, save the model and give 'sb3:PATH'; where every seat "
            "is to be asked, take SelfPlayBatch"
        )


def make_pool(
    game: Game,
    opponent: OpponentLike,
    built_in: Sequence[str],
    spaces: tuple[Any, Any],
    most: int,
    one_by_one: bool = False,
) -> Pool:
    """Return the pool that an argument ``opponent`` stands for.

    Args:
        game: the game.
        opponent: see ``OpponentLike``. Specs are those of agents, ``sb3:PATH`` for a saved MaskablePPO, and
            ``module:function``; these two run code from there.
        built_in: specs of the agents that play inside the compiled call.
        spaces: observation and action space of one row; a model must have the same.
        most: how many a pool may have.
        one_by_one: whether functions take single observations.

    Raises:
        ValueError: an unknown spec, a model for other spaces, an empty pool or one that is too large, or shares that are negative
            or all 0.
        OSError: a saved model can't be read.
        TypeError: something that is no opponent.
    """
    if isinstance(opponent, Mapping):
        members, shares = list(opponent), list(opponent.values())
    elif isinstance(opponent, Sequence) and not isinstance(opponent, str):
        members, shares = list(opponent), [1.0] * len(opponent)
    else:
        members, shares = [opponent], [1.0]
    if not 1 <= len(members) <= most:
        raise ValueError(f"a pool has 1 to {most} opponents, not {len(members)}")
    if not all(is_number(share) and share >= 0 for share in shares) or sum(shares) <= 0:
        raise ValueError(f"shares of a pool must be numbers of at least 0, and not all 0, not {shares}")
    found = tuple(_opponent(game, member, built_in, spaces, one_by_one) for member in members)
    return Pool(found, tuple(share / sum(shares) for share in shares))


def make_line_up(
    game: Game, opponents: Any, built_in: Sequence[str], spaces: tuple[Any, Any], one_by_one: bool = False
) -> Pool:
    """Return the line-up that an argument ``opponents`` stands for; the other arguments are those of ``make_pool``.

    Raises:
        ValueError, OSError, TypeError: as ``make_pool``; or not one for each seat but the learner's.
    """
    others = game.num_players - 1
    if isinstance(opponents, (str, Mapping)) or not isinstance(opponents, Sequence) or len(opponents) != others:
        found = len(opponents) if isinstance(opponents, (list, tuple)) else repr(opponents)
        raise ValueError(
            f"opponents must be a list of {others}, one for each other seat in turn order after the learner's, not {found}"
        )
    seated = tuple(_opponent(game, one, built_in, spaces, one_by_one) for one in opponents)
    return Pool(seated, (1 / others,) * others, is_line_up=True)


def _opponent(
    game: Game, opponent: Any, built_in: Sequence[str], spaces: tuple[Any, Any], one_by_one: bool
) -> Opponent:
    """Return one opponent."""
    if isinstance(opponent, Opponent):
        return opponent
    if isinstance(opponent, str):
        return _from_spec(game, opponent, built_in, spaces, one_by_one)
    if hasattr(opponent, "predict"):
        return Opponent(type(opponent).__name__, acting(opponent, spaces))
    if callable(opponent):
        act = _OneByOne(opponent) if one_by_one else opponent
        return Opponent(getattr(opponent, "__name__", type(opponent).__name__), act)
    raise TypeError(
        "an opponent is a spec, a function (observation, action_mask) -> action, a maskable stable-baselines3 model, or a pool "
        f"of those, not {type(opponent).__name__}"
    )


def _from_spec(game: Game, spec: str, built_in: Sequence[str], spaces: tuple[Any, Any], one_by_one: bool) -> Opponent:
    """Return the opponent that a spec names."""
    if spec in built_in:
        return Opponent(spec)
    if is_agent(game, spec):
        return Opponent(spec, policy=make_agent(game, spec).policy)
    if spec.startswith(SAVED_MODEL):
        return Opponent(spec, acting(load_model(spec.removeprefix(SAVED_MODEL)), spaces))
    function = load_function(spec)
    if function is not None:
        return Opponent(spec, _OneByOne(function) if one_by_one else function)
    agents = ", ".join(agents_of(game))
    raise ValueError(
        f"unknown opponent {spec!r}: there are {agents}, {SAVED_MODEL}PATH of a saved model, and module:function"
        + hint_for(game, spec)
    )


@dataclass(frozen=True)
class _OneByOne:
    """Lets a function that takes one observation take a batch; an object, so that it can be pickled if the function can."""

    function: Function

    def __call__(self, observations: Any, masks: Any) -> list[Any]:
        return [self.function(o, m) for o, m in zip(observations, masks, strict=True)]

    def __deepcopy__(self, memo: dict[int, Any]) -> _OneByOne:
        return self


def names_function(spec: str) -> bool:
    """Return whether a spec has the form ``module:function``."""
    module, _, name = spec.partition(":")
    return module.replace(".", "").isidentifier() and name.isidentifier()


def load_function(spec: str) -> Function | None:
    """Return the function that ``module:function`` names, or None if the spec has another form. Importing the module runs its code.

    Raises:
        ValueError: there is no such module, or it has no such function.
    """
    if not names_function(spec):
        return None
    module, _, name = spec.partition(":")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"opponent {spec!r} can't be imported: {error}") from None
    if not callable(function):
        raise ValueError(f"opponent {spec!r} is no function (observation, action_mask) -> action")
    return function


def model_file(path: str | Path) -> Path:
    """Return the file of a saved model, whose ending ``.zip`` may be left out.

    Raises:
        OSError: there is no such file.
    """
    file = user_path(path)
    if not file.exists() and file.suffix != ".zip":
        file = file.with_name(file.name + ".zip")
    if not file.exists():
        raise FileNotFoundError(f"no saved model at {path}")
    return file


def load_model(path: str | Path) -> Any:
    """Return a MaskablePPO saved by stable-baselines3: a pickle, which runs what code it likes. Load only what you trust.

    Raises:
        OSError: there is no such file.
        ValueError: it is no saved MaskablePPO, or sb3-contrib is not installed.
    """
    file = model_file(path)
    try:
        from sb3_contrib import MaskablePPO
    except ImportError:
        raise ValueError("a saved model needs sb3-contrib: pip install 'azul_duel_env[train]'") from None
    try:
        return MaskablePPO.load(file, device="cpu")
    except Exception as error:
        raise ValueError(
            f"{file} is no saved MaskablePPO (an exported network is named network:PATH): {one_line(error)}"
        ) from error


def acting(model: _Model, spaces: tuple[Any, Any]) -> Function:
    """Return how a model answers a batch, after checking that it was made for the same spaces."""
    import inspect

    for name, wanted, found in zip(
        ("observation", "action"), spaces, (model.observation_space, model.action_space), strict=True
    ):
        if wanted != found:
            raise ValueError(
                f"the opponent's {name} space is {found}, the environment's {wanted}: they must be made with the same granularity"
            )
    if "action_masks" not in inspect.signature(model.predict).parameters:
        raise ValueError(
            f"{type(model).__name__} takes no action masks: an opponent must, as sb3-contrib's MaskablePPO does"
        )
    return _ByModel(model)


@dataclass(frozen=True)
class _ByModel:
    """A model's answers to a batch; an object, so that it can be pickled if the model can. Copies share the model."""

    model: _Model

    def __call__(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        return self.model.predict(observations, action_masks=masks, deterministic=True)[0]

    def __deepcopy__(self, memo: dict[int, Any]) -> _ByModel:
        return self
