"""The configuration of a training run: a YAML file, all of it checked when it is read, before anything is made."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from azul_duel_env.arena.match import seeds_for
from azul_duel_env.envs.arguments import weights_of
from azul_duel_env.game import Game
from azul_duel_env.games import DEFAULT_GAME, find_game
from azul_duel_env.kernels.constants import REWARD_PARTS
from azul_duel_env.system.reading import one_line, read_yaml, user_path, yaml_from
from azul_duel_env.training.alphazero.config import AlphaZeroConfig
from azul_duel_env.training.parts import (
    Above0,
    AtLeast0,
    Count,
    Evaluation,
    Number,
    Part,
    Share,
    Whole,
    check_game,
    check_opponent,
    check_options,
    full_id,
    hint,
)

UNION_PARTS = ("str", "dict[")
"""How pydantic calls the kinds of a value that may have several."""

PAST_SELVES = "past_selves"
"""In a stage's ``opponent``: frozen copies of the learner, taken as it trains; their share is divided among them."""


class Environment(Part):
    """The games that are learnt from.

    Attributes:
        num_envs: games at once.
        threads: threads that step them; null for one a core.
        reward: a part or parts with weights, as the environments take it.
        advice: ``greedy``, so that the observation holds its rating of each action and learning starts from its play; or null.
        granularity: which sub-decisions are asked, each with its value.
        options: options of the game, and ``num_players`` where it can be played by several numbers.
    """

    num_envs: Count = 256
    threads: Count | None = None
    reward: str | dict[str, Number] = "win_loss"
    advice: Literal["greedy"] | None = None
    granularity: dict[str, str] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)


class Network(Part):
    """Widths of the hidden layers of policy and value network."""

    policy: list[Count] = Field(default_factory=lambda: [256, 256])
    value: list[Count] = Field(default_factory=lambda: [256, 256])


class PPO(Part):
    """Arguments of MaskablePPO, under its own names; ``learning_rate`` falls in a straight line to ``final_learning_rate``."""

    learning_rate: Above0 = 3e-4
    final_learning_rate: AtLeast0 = 0.0
    n_steps: Count = 64
    batch_size: Annotated[Whole, Field(ge=2)] = 4096
    n_epochs: Count = 3
    gamma: Share = 0.995
    gae_lambda: Share = 0.95
    clip_range: Above0 = 0.2
    ent_coef: AtLeast0 = 0.01
    vf_coef: AtLeast0 = 0.5
    max_grad_norm: Above0 = 0.5
    target_kl: Above0 | None = None


class Stage(Part):
    """A part of the reinforcement learning.

    Attributes:
        steps: decisions of the learner.
        opponent: a spec, or specs with shares; ``past_selves`` stands for frozen copies of the learner. ``sb3:PATH`` and
            ``module:function`` run code from there; ``network:PATH`` runs none.
    """

    steps: Count
    opponent: str | dict[str, AtLeast0] = "greedy"

    @property
    def shares(self) -> dict[str, float]:
        """Specs of those who are met at all -> their shares."""
        shares = {self.opponent: 1.0} if isinstance(self.opponent, str) else self.opponent
        return {spec: share for spec, share in shares.items() if share > 0}

    @model_validator(mode="after")
    def _has_somebody(self) -> Stage:
        if not self.shares:
            raise ValueError("opponent: the shares must not all be 0")
        return self


class League(Part):
    """Past selves: one more after each ``every`` steps, the last ``size`` of them are met."""

    every: Count = 500_000
    size: Annotated[Whole, Field(ge=1, le=32)] = 6


class Config(Part):
    """A training run with MaskablePPO; see the parts.

    Attributes:
        algorithm: ``ppo``; another one has a configuration of its own: see ``read_config``.
        game: id of the game, or its short name: what stands in it before the version.
        seed: decides the run, as far as the libraries below repeat.
        torch_threads: null for one a core.
    """

    algorithm: Literal["ppo"] = "ppo"
    game: str = DEFAULT_GAME
    seed: Annotated[Whole, Field(ge=0)] = 1
    torch_threads: Count | None = None
    environment: Environment = Environment()
    network: Network = Network()
    ppo: PPO = PPO()
    stages: Annotated[list[Stage], Field(min_length=1)]
    league: League = League()
    evaluation: Evaluation = Evaluation()

    @property
    def table(self) -> Game:
        """The game, for as many players as its options say."""
        return find_game(self.game, self.environment.options.get("num_players"))

    @property
    def steps(self) -> int:
        """Steps of all stages."""
        return sum(stage.steps for stage in self.stages)

    @field_validator("game", mode="before")
    @classmethod
    def _full_id(cls, name: Any) -> Any:
        return full_id(name)

    @model_validator(mode="after")
    def _fits(self) -> Config:
        rollout = self.environment.num_envs * self.ppo.n_steps
        if self.ppo.batch_size > rollout:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size} is more than a rollout of {rollout} (environment.num_envs x ppo.n_steps)"
            )
        return self

    @model_validator(mode="after")
    def _is_of_game(self) -> Config:
        check_game(self.game)
        game = self.table
        _check_environment(game, self.environment)
        for name in ("games", "final_games"):
            seeds_for(game.num_players, getattr(self.evaluation, name), f"evaluation.{name}")
        for number, stage in enumerate(self.stages):
            for spec in stage.shares:
                check_opponent(game, f"stages.{number}.opponent", spec, [PAST_SELVES])
        for spec in self.evaluation.opponents:
            check_opponent(game, "evaluation.opponents", spec, [])
        return self


def _check_environment(game: Game, given: Environment) -> None:
    """Refuse what no environment of a game takes.

    Raises:
        ValueError: an unknown name, with the nearest right one; or a value that can't be.
    """
    known = [field.name for field in fields(game.abstraction.make)]
    for name in given.granularity:
        if name not in known:
            raise ValueError(f"unknown key 'environment.granularity.{name}': {hint(name, known)}")
    check_options(game, "environment.options", given.options)
    for name in [given.reward] if isinstance(given.reward, str) else given.reward:
        if name not in REWARD_PARTS:
            raise ValueError(f"unknown part {name!r} in environment.reward: {hint(name, REWARD_PARTS)}")
    for place, make in {
        "environment.reward": lambda: weights_of(given.reward, REWARD_PARTS),
        "environment.granularity": lambda: game.abstraction.make(**given.granularity),
        "environment.options": lambda: game.make_options(**given.options),
    }.items():
        try:
            make()
        except (TypeError, ValueError) as error:
            raise ValueError(f"{place}: {error}") from None


AnyConfig = Config | AlphaZeroConfig
CONFIGS: dict[str, type[AnyConfig]] = {"ppo": Config, "alphazero": AlphaZeroConfig}
"""Algorithm -> its configuration."""


def read_config(path: str | Path, changes: list[str] | None = None) -> AnyConfig:
    """Return the configuration in a YAML file: that of the ``algorithm`` that it names, or of PPO.

    Args:
        path: the file.
        changes: ``key=value`` or ``part.key=value``, values in YAML.

    Raises:
        ValueError: it is no YAML, or a key or value is wrong; the message names the key, and the nearest right one.
        OSError: the file can't be read.
    """
    data = read_yaml(user_path(path))
    if not isinstance(data, dict):
        raise ValueError(f"{path} must hold keys and values, such as 'seed: 1'")
    for change in changes or []:
        _change(data, change)
    algorithm = data.get("algorithm", "ppo")
    if not isinstance(algorithm, str) or algorithm not in CONFIGS:
        raise ValueError(f"{path}: algorithm must be {' or '.join(CONFIGS)}, not {algorithm!r:.80}")
    model = CONFIGS[algorithm]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(_explain(model, problem) for problem in error.errors())
        raise ValueError(f"{path}: {one_line(problems)}") from None


def _change(data: Any, change: str) -> None:
    """Set one value from the command line."""
    name, equals, text = change.partition("=")
    if not equals:
        raise ValueError(f"expected key=value, not {change!r}")
    *parts, key = name.split(".")
    try:
        value = yaml_from(text)
    except ValueError as error:
        raise ValueError(f"{change!r:.200}: the value is no YAML: {error}") from None
    try:
        for part in parts:
            data = data[int(part)] if isinstance(data, list) else data.setdefault(part, {})
        data[int(key) if isinstance(data, list) else key] = value
    except (AttributeError, IndexError, TypeError, ValueError):
        raise ValueError(f"{change!r}: there is no place {name!r} in the file") from None


def _explain(model: Any, problem: Any) -> str:
    """Say one thing that is wrong, with the nearest right key for an unknown one."""
    place = ".".join(str(part) for part in problem["loc"] if not str(part).startswith(UNION_PARTS))
    if problem["type"] != "extra_forbidden":
        message = str(problem["msg"]).removeprefix("Value error, ")
        return f"{place}: {message}" if place else message
    return f"unknown key {place!r}: {hint(str(problem['loc'][-1]), _keys_at(model, problem['loc'][:-1]))}"


def _keys_at(model: Any, place: tuple[Any, ...]) -> list[str]:
    """Return the keys of the part of a configuration at a place."""
    for part in place:
        if isinstance(part, str) and part in getattr(model, "model_fields", {}):
            model = _model_in(model.model_fields[part].annotation)
    return list(model.model_fields)


def _model_in(annotation: Any) -> Any:
    """Return the part that an annotation is, is a list of, or may be."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_in(inner)
        if found is not None:
            return found
    return None
