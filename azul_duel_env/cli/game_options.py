"""Which game a command plays, and the options of that game, which come from its dataclass of options."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter, Signature
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from azul_duel_env.games import DEFAULT_GAME, SHORT_NAMES, find_game

if TYPE_CHECKING:
    from azul_duel_env.game import Game

GameId = Annotated[
    str, typer.Option("--game", metavar="GAME", help=f"{' or '.join(SHORT_NAMES)}, or an id such as {DEFAULT_GAME}.")
]
Players = Annotated[
    int | None, typer.Option("--players", help="Number of players, where a game can be played by several numbers.")
]
GIVEN = "azul_duel_env.options of the game"
"""Where a context keeps the options that were given."""
NAMED = "azul_duel_env.id of the game"


class GameCommand(TyperCommand):
    """A command with the options of the game that ``--game`` names, besides its own; ``options_given`` returns them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Find the game first, for it decides which options there are."""
        ctx.meta[NAMED] = _named_in(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all options, help last."""
        *own, last = super().get_params(ctx)
        return [*own, *_options_of(find_game(ctx.meta.get(NAMED, DEFAULT_GAME))), last]


def _named_in(args: Sequence[str]) -> str:
    """Return the id that ``--game`` gives, the last one of several."""
    found = DEFAULT_GAME
    for arg, following in zip_longest(args, args[1:], fillvalue=""):
        if arg == "--":
            break
        if arg == "--game" and following:
            found = following
        elif arg.startswith("--game="):
            found = arg.removeprefix("--game=")
    return found


def _options_of(game: Game) -> list[Any]:
    """Return the options that a game offers, as typer makes them of the parameters of a function."""
    from azul_duel_env.game.options import offered_options, value_from

    offers = {one.name: (one, offer) for one, offer in offered_options(game.options)}

    def keep(ctx: typer.Context, param: typer.CallbackParam, value: Any) -> None:
        """Remember one option, unless it is one that files name only where it isn't the default."""
        one, offer = offers[str(param.name)]
        source = ctx.get_parameter_source(one.name)
        if source is not None and source.name == "DEFAULT":
            value = one.default  # what the command shows of it is only text
        elif isinstance(value, str):
            value = value_from(value)
        if offer.always_named or value != one.default:
            ctx.meta.setdefault(GIVEN, {})[one.name] = value

    def options(**_: Any) -> None:
        """Have the options of a game."""

    parameters = []
    for one, offer in offers.values():
        kind: Any = bool if isinstance(one.default, bool) else str
        default = ",".join(one.default) if isinstance(one.default, tuple) else kind(one.default)
        words = f"[{'|'.join(offer.values)}]" if offer.values else None
        how = typer.Option(help=offer.help, metavar=words, callback=keep, expose_value=False)
        parameters.append(Parameter(one.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, how]))
    options.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    options.__annotations__ = {one.name: one.annotation for one in parameters}
    app = typer.Typer(add_completion=False)
    app.command()(options)
    return list(typer.main.get_command(app).params)


def options_given(ctx: typer.Context, game: Game) -> dict[str, Any]:
    """Return the options of the game that a command was given, as files name them.

    Raises:
        ValueError: a value that an option can't have.
    """
    from azul_duel_env.game.options import offered_options

    given = ctx.meta.get(GIVEN, {})
    options = {one.name: given[one.name] for one, _ in offered_options(game.options) if one.name in given}
    game.make_options(**options)
    return options
