"""How good a model is: games against fixed opponents, from each seat, all stepped together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from azul_duel_env.arena import GameResult, Summary, seeds_of_match, summarise
from azul_duel_env.arena.match import seeds_for
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.opponents import OpponentLike, acting
from azul_duel_env.game import Game

GAMES_AT_ONCE = 256


def evaluate(
    game: Game,
    model: Any,
    opponent: OpponentLike,
    games: int,
    seed: int,
    *,
    name: str = "model",
    advice: str | None = None,
    abstraction: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
) -> Summary:
    """Play games and summarise them: each seed is played with the model in each seat, and the opponent in all others.

    Args:
        game: the game.
        model: a MaskablePPO; it takes the action that it thinks best.
        opponent: a spec, or whatever else the environments take.
        games: a multiple of the seats.
        seed: decides the games.
        name: of the model, in the summary.
        advice: what the model's observations end with; see ``Batch``.
        abstraction: which sub-decisions the model is asked.
        options: of the game.
        threads: threads that step games.

    Raises:
        ValueError: another number of games, or a model that was made for other spaces.
    """
    results: list[GameResult] = []
    seeds = seeds_of_match(seed, seeds_for(game.num_players, games))
    rival = opponent if isinstance(opponent, str) else "opponent"
    for first in range(0, len(seeds), GAMES_AT_ONCE):
        for seat in range(game.num_players):
            part = seeds[first : first + GAMES_AT_ONCE]
            results += _play(game, model, opponent, part, seat, (name, rival), advice, abstraction, options, threads)
    return summarise((name, rival), results)


def _play(
    game: Game,
    model: Any,
    opponent: OpponentLike,
    seeds: list[int],
    seat: int,
    names: tuple[str, str],
    advice: str | None,
    abstraction: Mapping[str, str] | None,
    options: Mapping[str, Any] | None,
    threads: int,
) -> list[GameResult]:
    """Play one game a seed with the model in one seat."""
    batch = Batch(
        game,
        len(seeds),
        opponent=opponent,
        seat=seat,
        illegal_action="raise",
        advice=advice,
        autoreset="disabled",
        threads=threads,
        abstraction=game.abstraction.make(**(abstraction or {})),
        options=options,
    )
    act = acting(model, (batch.observation_space, batch.action_space))
    batch.reset(seeds)
    actions = np.zeros(len(seeds), np.int64)
    while (going := np.flatnonzero(batch.rows["over"] == 0)).size:
        actions[going] = act(batch.observations[going], batch.masks[going])
        batch.step(actions, going)
    batch.close()
    agents = tuple(names[one != seat] for one in range(game.num_players))
    return [_result(agents, one, batch.rows[i], int(batch.states["decisions"][i])) for i, one in enumerate(seeds)]


def _result(agents: tuple[str, ...], seed: int, row: Any, decisions: int) -> GameResult:
    """Return the game that a row has finished."""
    ranks = tuple(row.final_ranks.tolist()) if len(agents) > 2 else ()
    return GameResult(agents, seed, tuple(row.final_scores.tolist()), int(row.final_winner), decisions, (), ranks=ranks)
