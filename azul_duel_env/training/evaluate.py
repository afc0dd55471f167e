"""How good a model is: paired games against fixed opponents, all stepped together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from azul_duel_env.arena import GameResult, Summary, seeds_of_match, summarise
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
    """Play paired games and summarise them: each seed is played with both seatings.

    Args:
        game: the game.
        model: a MaskablePPO; it takes the action that it thinks best.
        opponent: a spec, or whatever else the environments take.
        games: an even number.
        seed: decides the games.
        name: of the model, in the summary.
        advice: what the model's observations end with; see ``Batch``.
        abstraction: which sub-decisions the model is asked.
        options: of the game.
        threads: threads that step games.

    Raises:
        ValueError: an odd number of games, or a model that was made for other spaces.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number of at least 2, since each seed is played twice, not {games}")
    results: list[GameResult] = []
    seeds = seeds_of_match(seed, games // 2)
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
    agents = names if seat == 0 else (names[1], names[0])
    return [
        GameResult(
            agents, seed, tuple(row.final_scores.tolist()), int(row.final_winner), int(batch.states["decisions"][i]), ()
        )
        for i, (seed, row) in enumerate(zip(seeds, batch.rows, strict=True))
    ]
