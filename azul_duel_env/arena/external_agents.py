"""Agents in matches: those of the table and, by the specs that environments take too, saved models and functions from outside.

Those two run code from the file or module; ``network:PATH`` of an exported model runs none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

import gymnasium
import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.agents.network import network_file
from azul_duel_env.envs.opponents import SAVED_MODEL, Function, acting, load_function, load_model, model_file
from azul_duel_env.envs.text import Answer, TextAgent
from azul_duel_env.game import Game, Position, as_index, copy_of
from azul_duel_env.kernels.constants import ASKED
from azul_duel_env.system.reading import one_line, read_yaml

CONFIG = "config.yaml"
"""Lies beside the model of a training run, and says which sub-decisions it is asked."""


IN_WORDS = "text:"
"""Stands before ``module:function`` of a function that answers in words."""


class Player(Protocol):
    """Whoever can be asked for an action; ``agents.Agent`` is one."""

    def act(self, position: Position, key: np.uint64) -> int:
        """Return a legal action for the player to decide; see ``agents.Agent.act``."""


@dataclass(frozen=True)
class ExternalAgent:
    """An agent that sees the observation and the action mask of whoever decides, and nothing else.

    Attributes:
        spec: the text that names it.
        answer: ``(observation, action_mask) -> action``, one of each: float32 (observation size,), int8 (number of actions,).
        abstraction: which sub-decisions it is asked.
        advised: whether its observations end with greedy's rating of each action; see ``Batch``.
    """

    spec: str
    answer: Function
    abstraction: Any
    advised: bool = False

    def act(self, position: Position, key: np.uint64) -> int:  # noqa: ARG002 # randomness is its own affair
        """Return a legal action for the player to decide. The position is not changed.

        Raises:
            ValueError: it answered with something else than a legal action.
        """
        game, record = position.game, self.abstraction.record
        action = int(game.abstraction.next_action(position.states, 0, record))
        asking = Position(game, copy_of(position.states))  # remembers a source until its destination has been asked
        while action == ASKED:
            answer = self.answer(self._observe(asking), self._mask(asking))
            action = int(game.abstraction.to_game_action(asking.states, 0, record, as_index(answer)))
            if action < ASKED:
                raise ValueError(asking.why_illegal(answer, self.abstraction))
        return action

    def _observe(self, position: Position) -> NDArray[np.float32]:
        game, size = position.game, self.abstraction.observation_size
        observation = np.zeros(size + (self.abstraction.num_actions if self.advised else 0), np.float32)
        game.abstraction.observe(position.states, 0, self.abstraction.record, position.player, observation)
        if self.advised:
            game.kernel("rows").advise(position.states, 0, self.abstraction.record, observation)
        return observation

    def _mask(self, position: Position) -> NDArray[np.int8]:
        mask = np.zeros(self.abstraction.num_actions, np.int8)
        position.game.abstraction.mask(position.states, 0, self.abstraction.record, mask)
        return mask


def find_agent(game: Game, spec: str) -> Player:
    """Return the agent that a spec names, loaded once in each process.

    Args:
        game: the game.
        spec: of an agent of the table, such as ``greedy``; ``sb3:PATH`` of a saved MaskablePPO, which answers deterministically (a
            ``config.yaml`` of its training run beside it says which sub-decisions it is asked); or ``module:function``, a function
            ``(observation, action_mask) -> action`` that is asked in full; or ``text:module:function``, a function
            ``prompt -> answer`` in words, see ``envs.text``. Results repeat if the function's answers do.
            The last three run code from there: name only what you trust; ``network:PATH`` of an exported model runs none.

    Raises:
        ValueError: none of these, a module that can't be imported, or a model for other spaces.
        OSError: a saved model can't be read.
    """
    if spec.startswith(SAVED_MODEL):
        file = model_file(spec.removeprefix(SAVED_MODEL))
        return _saved(game, spec, file, file.stat().st_mtime_ns)
    return _named(game, spec)


@lru_cache(maxsize=32)
def _named(game: Game, spec: str) -> Player:
    """Return an agent of the table or a function."""
    if spec.startswith(IN_WORDS) and (answer := load_function(spec.removeprefix(IN_WORDS))) is not None:
        return TextAgent(spec, cast(Answer, answer))
    try:
        return _ready(game, make_agent(game, spec))
    except AgentError as error:
        unknown = error
    try:
        function = load_function(spec)
    except ValueError as error:
        raise AgentError(f"{unknown}; and {error}") from None
    if function is None:
        raise AgentError(
            f"{unknown}; {SAVED_MODEL}PATH of a saved model, module:function, or {IN_WORDS}module:function"
        )
    agent = ExternalAgent(spec, function, game.abstraction.make())
    _ready(game, replace(agent, answer=_first_legal))  # the function itself is not asked out of turn
    return agent


def _first_legal(_observation: Any, mask: Any) -> int:
    return int(np.argmax(mask))


def _ready(game: Game, player: Player) -> Player:
    """Let an agent decide once, so that what it compiles or loads on first use is there before its time is taken."""
    player.act(game.new(0), np.uint64(0))
    return player


@lru_cache(maxsize=8)
def _saved(game: Game, spec: str, file: Path, changed: int) -> Player:  # noqa: ARG001 # a file that changed is loaded anew
    """Return a saved model as an agent."""
    settings = settings_beside(file)
    try:
        abstraction = game.abstraction.make(**settings.get("granularity", {}))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{spec}: {CONFIG} beside it: {one_line(error)}") from None
    advised = settings.get("advice") is not None
    actions = abstraction.num_actions
    size = abstraction.observation_size + (actions if advised else 0)
    spaces = gymnasium.spaces.Box(0.0, 1.0, (size,), np.float32), gymnasium.spaces.Discrete(actions)
    try:
        answers = acting(load_model(file), spaces)
    except ValueError as error:
        raise ValueError(f"{spec}: {error} ({CONFIG} of its training run, beside it, says with which)") from None
    return _ready(game, ExternalAgent(spec, _OneRow(answers), abstraction, advised))


@dataclass(frozen=True)
class _OneRow:
    """Asks a batch function about one row."""

    answers: Function

    def __call__(self, observation: Any, mask: Any) -> Any:
        return self.answers(observation[None], mask[None])[0]


def settings_beside(file: Path) -> Mapping[str, Any]:
    """Return the part ``environment`` of the config of the training run beside a model; {} if there is none.

    Raises:
        ValueError: the config is no YAML, or its sub-decisions are not given as texts by name.
    """
    config = file.parent / CONFIG
    if not config.exists():
        return {}
    data = read_yaml(config)
    settings: Any = data.get("environment", {}) if isinstance(data, dict) else None
    asked = settings.get("granularity", {}) if isinstance(settings, dict) else None
    if not isinstance(asked, dict) or not all(isinstance(word, str) for pair in asked.items() for word in pair):
        raise ValueError(f"{config} is no config of a training run, whose 'environment' has a mapping 'granularity'")
    return settings


def digest_of(game: Game, spec: str) -> str | None:
    """Return what tells one version of a saved model or network from another; None for other specs, which are known by their names.

    Raises:
        OSError: the model can't be read.
    """
    from hashlib import sha256

    file = model_file(spec.removeprefix(SAVED_MODEL)) if spec.startswith(SAVED_MODEL) else network_file(game, spec)
    return None if file is None else sha256(file.read_bytes()).hexdigest()[:16]


def file_name_of(spec: str) -> str:
    """Return a spec as part of a file name."""
    return re.sub(r"[^\w.+-]+", "_", spec)
