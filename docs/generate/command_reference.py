"""The reference of the command, from the command itself."""

from __future__ import annotations

import inspect
import re
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import typer
from tables import table

from azul_duel_env.cli import app
from azul_duel_env.game.options import offered_options
from azul_duel_env.games import GAMES, find_game

GROUP: Any = typer.main.get_command(app)


def plain(text: str | None) -> str:
    """Return text of a command as Markdown: its bold is code, and a cell of a table must not end within it."""
    coded = re.sub(r"\[bold\](.*?)\[/\]", r"`\1`", " ".join((text or "").split()))
    return coded.replace("|", "\\|")


def paragraphs(command: Any) -> list[str]:
    """Return what a command says of itself."""
    return [plain(one) for one in inspect.cleandoc(command.callback.__doc__ or "").split("\n\n")]


def summary() -> str:
    rows: list[list[object]] = [
        [f"`azul-duel {name}`", paragraphs(command)[0]] for name, command in GROUP.commands.items()
    ]
    return table(["command", "what it does"], rows)


def options_of_games() -> set[str]:
    """Return the names of the options that belong to a game and not to a command."""
    return {one.name for game_id in GAMES for one, _ in offered_options(find_game(game_id).options)}


def reference() -> str:
    """Return every command with its arguments and options; those of games are in their specifications."""
    of_games = options_of_games()
    parts = []
    for name, command in GROUP.commands.items():
        context = command.context_class(command, info_name=name)
        shown = [one for one in command.get_params(context) if one.name not in of_games | {"help"}]
        given = [one for one in command.get_params(context) if one.name in of_games]
        words = " ".join(_argument(one) for one in shown if one.param_type_name == "argument")
        hints = get_type_hints(command.callback)
        rows: list[list[object]] = [
            [f"`{_name(one)}`", _kind(hints[one.name]), plain(one.help), _default(one)] for one in shown
        ]
        last = ["And the options of the game, as its specification lists them."] if given else []
        text = [
            *paragraphs(command),
            table(["argument or option", "value", "what it does", "usual value"], rows),
            *last,
        ]
        parts.append("\n\n".join([f"## {name}", f"```text\nazul-duel {name} [OPTIONS] {words}\n```", *text]))
    return "\n\n".join(parts)


def _argument(one: Any) -> str:
    name = one.name.removesuffix("_id").upper()
    name = name + ("..." if one.nargs != 1 else "")
    return name if one.required else f"[{name}]"


def _name(one: Any) -> str:
    if one.param_type_name == "argument":
        return _argument(one)
    return ", ".join([*one.opts, *one.secondary_opts])


def _kind(hint: Any) -> str:
    """Return the values that an argument or option takes."""
    kinds = [hint] if isinstance(hint, type) or get_origin(hint) is list else get_args(hint)
    [kind] = [kind for kind in kinds if kind is not NoneType]
    if get_origin(kind) is list:
        return f"{_word(get_args(kind)[0])}, may be repeated"
    return "" if kind is bool else _word(kind)


def _word(kind: Any) -> str:
    if issubclass(kind, Enum):
        return " / ".join(f"`{value.value}`" for value in kind)
    return {str: "text", Path: "path", int: "whole number", float: "number"}[kind]


def _default(one: Any) -> str:
    value = getattr(one.default, "value", one.default)
    if one.required or value is None or callable(value) or value is False or value == ():
        return ""
    return f"`{value}`"
