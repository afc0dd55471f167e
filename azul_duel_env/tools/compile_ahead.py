"""Compile what most people use of a game before anybody waits for it: where an image of a container is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import gymnasium

from azul_duel_env.agents import agents_of
from azul_duel_env.arena import play_game
from azul_duel_env.envs.registration import gymnasium_id, module_of
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.game import Game


def parts(game: Game) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what can be compiled of a game: what it is, and a function that uses it once, so that it is compiled and kept."""
    yield "PettingZoo environment", lambda: _use_aec(game)
    yield "Gymnasium environments", lambda: _use_vector(game)
    yield "self-play batch", lambda: _use_self_play(game)
    for name in agents_of(game):
        spec = name.replace(":N", ":2")
        yield f"agent {spec}", lambda spec=spec: _use_agent(game, spec)  # type: ignore[misc]


def _use_aec(game: Game) -> None:
    env = import_module(module_of(game.id)).env(**game.players_option)
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    env.last()
    env.close()


def _use_vector(game: Game) -> None:
    name, mode = gymnasium_id(game.id), "vector_entry_point"
    env = gymnasium.make_vec(name, 2, vectorization_mode=mode, opponent="greedy", **game.players_option)
    env.reset(seed=0)
    env.step(env.unwrapped.sample_actions())  # type: ignore[attr-defined]
    env.close()


def _use_self_play(game: Game) -> None:
    batch = SelfPlayBatch(game, 2)
    batch.reset(seed=0)
    batch.step(batch.sample_actions())


def _use_agent(game: Game, spec: str) -> None:
    play_game(game, [spec] * game.num_players, seed=0)
