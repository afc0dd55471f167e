"""The games: which there are, what a new one writes, and names that they share."""

from __future__ import annotations

import inspect

import specs
from docstrings import as_markdown
from tables import PAGES, table

import azul_duel_env.games
from azul_duel_env.envs.registration import gymnasium_id
from azul_duel_env.games import GAMES, find_game
from azul_duel_env.play.levels import levels_of
from azul_duel_env.tools.rulings import read_rulings


def table_of_games() -> str:
    rows: list[list[object]] = []
    for game_id in GAMES:
        games = specs.variants_of(find_game(game_id))
        path = specs.path_of(game_id).relative_to(PAGES.parents[1])
        sizes = [specs.each(games, fact) for fact in ("num_actions", "observation_size")]
        players = ", ".join(str(number) for number in games[0].player_counts)
        rows.append(
            [games[0].title, f"`{game_id}`", f"`{gymnasium_id(game_id)}`", players, *sizes, f"[SPEC.md](../../{path})"]
        )
    return table(["game", "PettingZoo", "Gymnasium", "players", "actions", "observation", "specification"], rows)


def levels() -> str:
    without, with_network = (levels_of(find_game(name, number)) for name, number in (("pavilion_mini", 3), ("duel", 2)))
    rows: list[list[object]] = [[name, f"`{without[name]}`", f"`{spec}`"] for name, spec in with_network.items()]
    return table(["level", "agent", "where a game has a trained network"], rows)


def rulings() -> str:
    counted = []
    for game_id in GAMES:
        game = find_game(game_id)
        counted.append(f"{len(read_rulings(game.package))} things open in {game.title}")
    return f"The rulebooks leave {' and '.join(counted)}."


def files_of_a_game() -> str:
    """Return the docstring of ``azul_duel_env.games``."""
    text = inspect.cleandoc(azul_duel_env.games.__doc__ or "")
    return as_markdown(text).replace("``", "`").replace("\n\n\n", "\n\n")
