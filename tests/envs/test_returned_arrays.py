"""What an environment hands out never changes, whatever is called afterwards; sharing is asked for by name."""

from __future__ import annotations

import numpy as np
import pytest

from azul_duel_env import duel_v0
from azul_duel_env.duel_v0 import DuelEnv, DuelVectorEnv
from azul_duel_env.games.duel import GAME
from azul_duel_env.wrappers import PlanesObservation, PotentialShaping, ViewsObservation

pytestmark = pytest.mark.compiled_only

ROWS = 3
SOME = np.array([True, False, True])


def arrays_in(value):
    """All arrays in what was handed out: in dictionaries, lists, tuples, positions and arrays of objects too."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return [value]
    if hasattr(value, "states") and hasattr(value, "game"):
        return [value.states]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list, np.ndarray)):
        return [array for part in value for array in arrays_in(part)]
    return []


def lone(**options):
    """The single environment, and all that can be called or read."""
    env = DuelEnv(opponent="random", render_mode="rgb_array", render_width=160, **options)

    return {
        "reset": env.reset,
        "reset to a state": lambda: env.reset(options={"state": GAME.new(3).states}),
        "step": lambda: env.step(int(env.action_masks().argmax())),
        "an illegal step": lambda: [env.reset(), env.step(-1), env.reset()],
        "masks": env.action_masks,
        "position": lambda: env.position,
        "state": env.get_state,
        "render": env.render,
        "clone": lambda: [clone := env.clone(), clone.step(int(clone.action_masks().argmax()))][1:],
    }


def viewed():
    """The single environment in wrappers, whose potential keeps what it is shown."""
    kept = []
    env = DuelEnv(opponent="random")
    env = PlanesObservation(PotentialShaping(env, potential=lambda position, _: kept.append(position) or 0.0))
    views = ViewsObservation(DuelEnv(opponent="random"))

    def shown():
        new, kept[:] = list(kept), []
        return new

    def step():
        return [one.step(int(one.unwrapped.action_masks().argmax())) for one in (env, views)]

    return {"reset": lambda: [env.reset(), views.reset(), shown()], "step": lambda: [step(), shown()]}


def vector(mode="SameStep", **options):
    """The vector environment."""
    env = DuelVectorEnv(ROWS, opponent="random", autoreset_mode=mode, max_episode_steps=3, **options)

    def step():
        if mode == "Disabled" and not env.action_masks().any(axis=1).all():
            return env.reset(options={"reset_mask": ~env.action_masks().any(axis=1)})
        return env.step(env.action_masks().argmax(axis=1))

    return {
        "reset": env.reset,
        "reset some": lambda: env.reset(options={"reset_mask": SOME}),
        "reset to a state": lambda: env.reset(options={"state": GAME.new(3).states}),
        "step": step,
        "masks": env.action_masks,
        "actions": env.sample_actions,
    }


def for_sb3(**options):
    """The vector environment of stable-baselines3."""
    pytest.importorskip("stable_baselines3")
    from azul_duel_env.envs.sb3 import make_sb3_vec

    env = make_sb3_vec(ROWS, **({"opponent": "random", "max_episode_steps": 3} | options))

    def reset_by_options():
        env.set_options([{"scoring_tiles": 4}, {}, {"state": GAME.new(3).states}])
        return env.reset()

    return {
        "reset": env.reset,
        "reset by options": reset_by_options,
        "step": lambda: env.step(env.action_masks().argmax(axis=1)),
        "masks": env.action_masks,
        "masks of rows": lambda: [env.env_method("action_masks", indices=[0, 1]), env.env_method("action_masks")],
        "below": lambda: env.batch.step(env.action_masks().argmax(axis=1), np.arange(2)),
    }


def keeping_opponent():
    """The same, and an opponent that keeps what it is shown."""
    kept = []

    def answer(observations, masks):
        kept.extend([observations, masks])
        return masks.argmax(axis=1)

    def shown():
        new, kept[:] = list(kept), []
        return new

    return {name: lambda call=call: [call(), shown()] for name, call in for_sb3(opponent=answer).items()}


def self_play(**options):
    """The self-play batch."""
    games = duel_v0.self_play(ROWS, **options)

    def seen():
        return [games.observation, games.action_mask, games.player, games.states]

    return {
        "reset": lambda: [games.reset(), seen()],
        "reset some": lambda: [games.reset(mask=SOME), seen()],
        "to a state": lambda: [games.set_states(GAME.new(3).states, SOME), seen()],
        "step": lambda: [games.step(games.sample_actions()), seen()],
        "step some": lambda: [games.step(games.sample_actions(), SOME), seen()],
        "see": seen,
        "actions": games.sample_actions,
    }


def aec():
    """The PettingZoo environment."""
    env = duel_v0.env(render_mode="rgb_array", render_width=160)

    def step():
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        return [env.last(), env.observe("player_0"), env.rewards, env.infos]

    return {
        "reset": lambda: [env.reset(), env.last()],
        "step": step,
        "see": lambda: [env.observe(agent) for agent in env.possible_agents],
        "global": env.state,
        "position": lambda: env.position,
        "state": env.get_state,
        "to a state": lambda: env.set_state(GAME.new(3).states),
        "render": env.render,
    }


ENVIRONMENTS = {
    "single": lone,
    "wrapped": viewed,
    "vector, next step": lambda: vector("NextStep"),
    "vector, same step": vector,
    "vector, disabled": lambda: vector("Disabled"),
    "stable-baselines3": for_sb3,
    "stable-baselines3, two threads": lambda: for_sb3(threads=2),
    "opponent": keeping_opponent,
    "self-play": self_play,
    "aec": aec,
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_nothing_that_was_handed_out_changes(name):
    calls = ENVIRONMENTS[name]()
    calls["reset"]()
    held = []
    for call in [*calls, *reversed(calls)]:  # whatever the first round hands out, everything else is called after it
        held += [(call, array, array.copy()) for array in arrays_in(calls[call]())]
        for what, array, before in held:
            assert array.tobytes() == before.tobytes(), f"{what} gave it, {call} changed it"
    assert held


def test_who_writes_to_what_was_handed_out_changes_no_game():
    rows = np.array([True, False])
    games, twin = (duel_v0.self_play(2) for _ in range(2))
    for batch in (games, twin):
        batch.reset(seed=1)
    actions = games.action_mask.argmax(axis=1)
    games.observation.fill(0)
    games.action_mask.fill(0)
    for batch in (games, twin):
        batch.step(actions, rows)
    np.testing.assert_array_equal(games.observation, twin.observation)
    np.testing.assert_array_equal(games.action_mask, twin.action_mask)
    env, other = (DuelVectorEnv(2, opponent="random") for _ in range(2))
    for one in (env, other):
        observations, infos = one.reset(seed=1)
    observations, infos = env.reset(seed=1)
    observations.fill(0)
    infos["action_mask"].fill(0)
    results = [one.reset(seed=2, options={"reset_mask": rows}) for one in (env, other)]
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1]["action_mask"], results[1][1]["action_mask"])


@pytest.mark.parametrize(
    "make", [lambda: self_play(copy=False), lambda: vector(copy=False)], ids=["self-play", "vector"]
)
def test_sharing_is_asked_for_by_name(make):
    calls = make()
    first, now = arrays_in(calls["reset"]()), arrays_in(calls["step"]())
    assert sum(one is other for one in first for other in now) == 2  # observations and masks
