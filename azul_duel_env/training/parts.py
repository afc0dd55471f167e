"""What the configurations of all algorithms share: kinds of numbers, the evaluation, checks of what a game has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from azul_duel_env.agents import AgentError, agents_of, is_agent, make_agent
from azul_duel_env.envs.arguments import nearest
from azul_duel_env.envs.opponents import SAVED_MODEL, names_function
from azul_duel_env.game import Game
from azul_duel_env.games import GAMES, SHORT_NAMES


def _no_truth(value: Any) -> Any:
    """Refuse true and false as numbers, which they are to Python."""
    if isinstance(value, bool):
        raise ValueError(f"expected a number, not {str(value).lower()}")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth)]
Number = Annotated[float, BeforeValidator(_no_truth)]
Count = Annotated[Whole, Field(ge=1)]
Share = Annotated[Number, Field(ge=0, le=1)]
AtLeast0 = Annotated[Number, Field(ge=0)]
Above0 = Annotated[Number, Field(gt=0)]


class Part(BaseModel):
    """A part of a configuration: other keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Evaluation(Part):
    """How good it is, as it trains: games against fixed opponents, each seed from each seat, the best action taken each time.

    Attributes:
        every: steps between evaluations.
        games: against each opponent while it trains; a multiple of the seats.
        final_games: against each at the end; a multiple of the seats.
        opponents: specs.
        seed: of the games.
    """

    every: Count = 500_000
    games: Count = 200
    final_games: Count = 400
    opponents: Annotated[list[str], Field(min_length=1)] = ["random", "greedy"]
    seed: Annotated[Whole, Field(ge=0)] = 1_000_000


def full_id(name: Any) -> Any:
    """Return the id of a game that a short name stands for."""
    return SHORT_NAMES.get(name, name) if isinstance(name, str) else name


def check_game(name: str) -> None:
    """Refuse the id of a game that there is not.

    Raises:
        ValueError: there is none; the message names the nearest.
    """
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}: {hint(name, [*SHORT_NAMES, *GAMES])}")


def check_options(game: Game, place: str, options: Mapping[str, Any]) -> None:
    """Refuse names of options that a game has not, or that don't suit training.

    Raises:
        ValueError: there is one; the message names the nearest right one.
    """
    known = [field.name for field in fields(game.options) if field.name != "explicit_chance"]
    for name in options:
        if name == "explicit_chance":
            raise ValueError(f"{place}: explicit_chance is for the AEC environment: here chance draws by itself")
        if name not in [*known, "num_players"]:
            raise ValueError(f"unknown option {name!r} in {place}: {hint(name, known)}")


def check_opponent(game: Game, place: str, spec: str, others: Sequence[str]) -> None:
    """Refuse a spec that no opponent can have. Whether its file or module is there shows when it is loaded.

    Raises:
        ValueError: it is one; the message names the nearest right one.
    """
    from_files = ("network", *game.agent_families)
    if spec in others or spec.startswith(SAVED_MODEL) or spec.partition(":")[0] in from_files:
        return
    if not is_agent(game, spec):
        if names_function(spec):
            return
        known = [*others, *agents_of(game)]
        also = f"there are also {SAVED_MODEL}PATH and module:function"
        raise ValueError(f"unknown opponent {spec!r} in {place}: {hint(spec, known)}; {also}")
    try:
        make_agent(game, spec)
    except AgentError as error:
        raise ValueError(f"{place}: {error}") from None


def hint(name: str, known: Sequence[str]) -> str:
    """Return what may have been meant by a name."""
    return nearest(name, known, f"the keys there are {', '.join(known)}", 0.4)
