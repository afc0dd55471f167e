"""The house: shared code knows no game by name, in imports, strings, comments or anywhere else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import azul_duel_env
from azul_duel_env.envs.registration import module_of
from azul_duel_env.games import GAMES, find_game

ROOT = Path(azul_duel_env.__file__).parent
SHARED = ("agents", "arena", "cli", "envs", "game", "jit", "kernels", "play", "system", "tools", "training", "view")
OWN_NAME = re.compile(r"azul[_-]duel(_env|_plain|_debug)?|azul duel sans", re.IGNORECASE)
"""What this package, its command, its environment variables and its font are called."""


def names_of(game_id):
    """Return what a game is known by: its id, title, package and module of environments."""
    package = GAMES[game_id].rpartition(".")[2]
    return {game_id, find_game(game_id).title, package, module_of(game_id).rpartition(".")[2]}


def named_in(text, names):
    text = OWN_NAME.sub("", text)
    return [name for name in names if re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text, re.IGNORECASE)]


@pytest.mark.parametrize("folder", SHARED)
def test_shared_code_names_no_game(folder):
    names = {name for game_id in GAMES for name in names_of(game_id)}
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    found = {str(file.relative_to(ROOT)): named_in(file.read_text(encoding="utf-8"), names) for file in files}
    assert not {file: names for file, names in found.items() if names}


def test_a_name_is_found_wherever_it_stands():
    names = names_of("azul/duel-v0")
    for text in (
        'GAME_ID = "azul/duel-v0"',
        "from azul_duel_env.games.duel import GAME",
        "import azul_duel_env.games.duel.state as state",
        'title="Azul Duel"',
        "# as in Azul Duel",
        "from azul_duel_env import duel_v0",
        'import_module("azul_duel_env.games." + "duel")',
    ):
        assert named_in(text, names), text
    for text in ("import azul_duel_env", "azul-duel ladder", "AZUL_DUEL_DEBUG", "individuel"):
        assert not named_in(text, names), text


def import_contract(beginning):
    settings = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [contract] = [one for one in contracts if one["name"].startswith(beginning)]
    return contract


def test_the_house_has_a_floor_for_the_environments_of_each_game():
    layers = [layer.split(" : ") for layer in import_contract("the house")["layers"]]
    [floor] = [layer for layer in layers if "azul_duel_env.wrappers" in layer]
    assert set(floor) == {"azul_duel_env.wrappers", *map(module_of, GAMES)}


def test_the_linter_forbids_shared_code_to_import_each_game():
    contract = import_contract("shared code imports no game")
    assert set(contract["forbidden_modules"]) == set(GAMES.values())
    assert {f"azul_duel_env.{folder}" for folder in SHARED} <= set(contract["source_modules"])
