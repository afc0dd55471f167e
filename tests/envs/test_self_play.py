"""Self-play: both seats asked, against the AEC environment; every reward to the right seat."""

from __future__ import annotations

import copy
import pickle
import re
from textwrap import dedent

import numpy as np
import pytest
from lone_row import at_random
from sizes import scaled

from azul_duel_env import duel_v0
from azul_duel_env.envs.self_play import SelfPlayBatch
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.kernels import rows as duel_rows
from azul_duel_env.jit import COMPILED

REWARDS = ("win_loss", "score_margin", "score_delta")


def begun(num_games=4, seed=3, steps=40, **options):
    """Games under way."""
    games = duel_v0.self_play(num_games, **options)
    games.reset(seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        games.step(at_random(games.action_mask, rng))
    return games


def snapshot(games):
    parts = (games.batch.states, games.batch.rows, games.batch.observations, games.batch.masks)
    return b"".join(part.tobytes() for part in parts)


def assert_shows(games, row, env):
    """A row shows what the AEC environment tells the agent that decides."""
    agent = f"player_{games.player[row]}"
    assert agent == env.agent_selection
    told = env.observe(agent)
    np.testing.assert_array_equal(games.observation[row], told["observation"])
    np.testing.assert_array_equal(games.action_mask[row], told["action_mask"])


# Against the AEC environment ------------------------------------------------------------------
@pytest.mark.parametrize("reward", REWARDS)
def test_games_and_rewards_are_those_of_the_aec_environment(reward):
    num_games = scaled(6, 2)
    games = duel_v0.self_play(num_games, reward=reward, scoring_tiles=4)
    envs = [duel_v0.env(reward=reward, scoring_tiles=4) for _ in range(num_games)]
    games.reset(seed=20)
    for row, env in enumerate(envs):
        env.reset(seed=20 + row)
    rng, live = np.random.default_rng(1), np.ones(num_games, bool)
    while live.any():
        for row in np.flatnonzero(live):
            assert_shows(games, row, envs[row])
        actions = at_random(games.action_mask, rng)
        step = games.step(actions)
        for row in np.flatnonzero(live):
            env = envs[row]
            env.step(int(actions[row]))
            assert step.rewards[row].tolist() == [env.rewards[agent] for agent in env.possible_agents]
            assert step.over[row] == env.terminations["player_0"]
            assert step.scores[row].tolist() == [env.infos[agent]["score"] for agent in env.possible_agents]
            assert step.winner[row] == (env.position.winner if env.position.over else -1)
        live &= ~step.over


def test_win_loss_is_for_both_seats_in_turn():
    """Whoever makes the last decision, the winner gets +1."""
    games, rng = duel_v0.self_play(scaled(40, 3)), np.random.default_rng(2)
    games.reset(seed=2)
    won, movers = np.zeros(2, int), set()
    for _ in range(scaled(500, 400)):
        mover = games.player
        step = games.step(at_random(games.action_mask, rng))
        assert not step.rewards[~step.over].any()
        for row in np.flatnonzero(step.over):
            winner = step.winner[row]
            assert step.rewards[row].tolist() == [[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]][winner]
            movers.add((int(mover[row]), int(winner)))
            won[winner] += 1
        if won.all() and len(movers) >= 3:
            break
    assert won.all()
    assert len(movers) >= 2


@pytest.mark.parametrize("placement", ["split", "best_fit"])
def test_abstraction(placement):
    games = duel_v0.self_play(
        scaled(10, 2), placement=placement, bonus_chips="whether", drawing="once", reward="score_delta"
    )
    layer = games.batch.abstraction
    assert games.observation.shape == (games.num_games, layer.observation_size)
    assert games.action_mask.shape == (games.num_games, layer.num_actions) == (games.num_games, games.action_space.n)
    games.reset(seed=1)
    states = games.states
    rng, total, first = np.random.default_rng(1), np.zeros((games.num_games, 2)), None
    while first is None:
        actions = at_random(games.action_mask, rng)
        for row in range(games.num_games):
            assert GAME.abstraction.try_action(states, row, layer.record, int(actions[row]))
        step = games.step(actions)
        total += step.rewards
        live = ~step.over
        assert games.states[live].tobytes() == states[live].tobytes()
        assert (step.rewards.sum(axis=1) == 0).all()
        first = np.flatnonzero(step.over) if step.over.any() else None
    for row in first:
        assert total[row, 0] == step.scores[row, 0] - step.scores[row, 1]


def test_potential_is_zero_sum_and_sums_to_nothing_but_the_start():
    games = duel_v0.self_play(scaled(8, 2), reward="potential")
    games.reset(seed=1)
    rng, total, live = np.random.default_rng(1), np.zeros(games.num_games), np.ones(games.num_games, bool)
    while live.any():
        step = games.step(at_random(games.action_mask, rng))
        np.testing.assert_array_equal(step.rewards[:, 0], -step.rewards[:, 1])
        total += step.rewards[:, 0] * live
        live &= ~step.over
    np.testing.assert_allclose(total, 0.0, atol=1e-9)  # both boards are worth the same at the start


def test_seat_that_decides_sees_and_both_are_asked():
    games = begun(scaled(20, 4), steps=0)
    rng, seen = np.random.default_rng(0), np.zeros((games.num_games, 2), bool)
    for _ in range(30):
        player = games.player
        assert player.dtype == np.int8
        seen[np.arange(games.num_games), player] = True
        games.step(at_random(games.action_mask, rng))
    assert seen.all()


# The loop -------------------------------------------------------------------------------------
def test_the_loop_in_the_docstring_runs():
    example = re.search(r"Example::\n\n(.*?)\n\n    Obs", SelfPlayBatch.__doc__, re.S).group(1)
    names = {"np": np, "self_play": duel_v0.self_play}
    least = scaled(20, 2)
    exec(dedent(example).replace("< 20", f"< {least}"), names)
    assert sum(names["wins"]) >= least


def test_a_game_that_ends_is_followed_by_a_new_one():
    games = begun(scaled(16, 2), steps=0)
    rng, ended = np.random.default_rng(0), 0
    while ended < scaled(40, 3):
        before = games.states
        step = games.step(at_random(games.action_mask, rng))
        assert games.action_mask.any(axis=1).all()
        assert (games.player >= 0).all()
        assert (games.batch.states["decisions"][step.over] == 0).all()
        assert (games.batch.states["rng"][step.over] != before["rng"][step.over]).all()
        assert (step.winner[~step.over] == -1).all()
        ended += step.over.sum()


def test_without_autoreset_a_game_that_is_over_must_be_reset():
    games = begun(2, steps=0, autoreset=False)
    rng = np.random.default_rng(0)
    over = np.zeros(2, bool)
    while not over.any():
        step = games.step(at_random(games.action_mask, rng))
        over = step.over
    assert (games.player[over] == -1).all()
    assert not games.action_mask[over].any()
    np.testing.assert_array_equal(games.states["scores"][over], step.scores[over])
    before = snapshot(games)
    with pytest.raises(ValueError, match="reset"):
        games.step(games.action_mask.argmax(axis=1))
    assert snapshot(games) == before
    others = games.states[~over].tobytes()
    games.reset(mask=over)
    assert games.states[~over].tobytes() == others
    games.step(at_random(games.action_mask, rng))


def test_seeds():
    games, other = duel_v0.self_play(3), duel_v0.self_play(3)
    games.reset(seed=5)
    other.reset(seed=[5, 6, 7])
    assert snapshot(games) == snapshot(other)
    games.reset()
    other.reset()
    assert snapshot(games) == snapshot(other)
    games.reset(seed=9, mask=np.array([False, True, False]))
    other.reset(seed=[0, 10, 0], mask=np.array([False, True, False]))
    assert snapshot(games) == snapshot(other)
    games.reset(seed=1, options={"scoring_tiles": 4})
    assert (games.states["num_scoring_tiles"] == 4).all()


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("azul_duel_env.envs.row_arrays.ROWS_PER_THREAD", 1)
    one, three = (begun(scaled(50, 4), steps=0, threads=threads, reward="score_delta") for threads in (1, 3))
    rng = np.random.default_rng(0)
    for _ in range(scaled(200, 20)):
        actions = at_random(one.action_mask, rng)
        for mine, yours in zip(one.step(actions), three.step(actions), strict=True):
            np.testing.assert_array_equal(mine, yours)
        assert snapshot(one) == snapshot(three)
    one.close()
    three.close()


def test_buffers_and_copies():
    games = begun(2, steps=1, copy=False)
    observation, mask = games.observation, games.action_mask
    step = games.step(mask.argmax(axis=1))
    assert games.observation is observation
    assert games.action_mask is mask
    later = games.step(mask.argmax(axis=1))
    for mine, yours in zip(step, later, strict=True):
        assert not np.shares_memory(mine, yours)
    fresh = begun(2, steps=1)
    observation, mask = fresh.observation, fresh.action_mask
    kept = observation.copy(), mask.copy()
    fresh.step(mask.argmax(axis=1))
    assert not np.shares_memory(fresh.observation, observation)
    assert not np.shares_memory(fresh.action_mask, mask)
    np.testing.assert_array_equal(observation, kept[0])
    np.testing.assert_array_equal(mask, kept[1])


# States ---------------------------------------------------------------------------------------
def test_states_go_back_and_forth():
    games = begun(3)
    root = games.states
    rng = np.random.default_rng(0)
    tape = rng.random((15, *games.action_mask.shape))

    def play():
        told = []
        for numbers in tape:
            step = games.step((games.action_mask * numbers).argmax(axis=1))
            told.append((*step, games.observation.copy(), games.player))
        return told

    first = play()
    games.states = root
    assert games.states.tobytes() == root.tobytes()
    for mine, yours in zip(first, play(), strict=True):
        for a, b in zip(mine, yours, strict=True):
            np.testing.assert_array_equal(a, b)
    assert not np.shares_memory(games.states, games.batch.states)


def test_one_state_for_some_rows():
    games = begun(4)
    before = games.states
    mask = np.array([True, False, True, False])
    games.set_states(before[3:], mask)
    after = games.states
    assert after[~mask].tobytes() == before[~mask].tobytes()
    assert after[0].tobytes() == after[2].tobytes() == before[3].tobytes()
    games.set_states(GAME.text.write(before, 1))
    assert all(state.tobytes() == before[1].tobytes() for state in games.states)


def test_a_reset_begins_at_states():
    games = begun(3)
    states = games.states
    games.reset(options={"states": states})
    assert games.states.tobytes() == states.tobytes()
    games.reset(options={"state": GAME.text.write(states, 1)}, mask=np.array([True, False, False]))
    assert games.states[0].tobytes() == states[1].tobytes()
    assert games.states[2].tobytes() == states[2].tobytes()
    told = []
    for seed in (1, 1, 2):
        games.reset(seed=seed, options={"state": states[:1]})
        assert (games.states["decisions"] == states["decisions"][0]).all()
        told.append(games.states.tobytes())
    assert told[0] == told[1] != told[2]


def test_score_delta_starts_again_at_a_state():
    games = begun(1, steps=60, reward="score_delta", seed=5)
    rng = np.random.default_rng(0)
    while games.states["decisions"][0] < 60 or np.diff(games.states["scores"][0]) == 0:
        games.step(at_random(games.action_mask, rng))
    start = games.states["scores"][0].astype(int)
    games.states = games.states
    env = duel_v0.env(reward="score_delta")
    env.set_state(games.states)
    total, over = np.zeros(2), False
    while not over:
        action = at_random(games.action_mask, rng)
        step = games.step(action)
        env.step(int(action[0]))
        assert step.rewards[0].tolist() == list(env.rewards.values())
        total += step.rewards[0]
        over = step.over[0]
    final = step.scores[0]
    assert total[0] == -total[1] == (final[0] - final[1]) - (start[0] - start[1])


# Wrong input ----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(4))
def test_who_chooses_an_illegal_action_loses(seed):
    games = begun(2, steps=seed, seed=seed, illegal_action="lose")
    mover = int(games.player[0])
    step = games.step([-1, games.action_mask[1].argmax()])
    assert step.over.tolist() == [True, False]
    assert step.winner.tolist() == [1 - mover, -1]
    assert step.rewards[0, mover] == -1.0
    assert step.rewards[0, 1 - mover] == 1.0


@pytest.mark.parametrize("kind", ["read-only", "gaps", "int32", "list"])
def test_any_integers_are_actions_and_nothing_is_compiled_for_them(kind):
    games, twin = begun(seed=5), begun(seed=5)
    compiled = len(duel_rows.step.signatures) if COMPILED else 0
    for _ in range(20):
        actions = np.array([np.flatnonzero(mask)[0] for mask in games.action_mask])
        games.step(given_as(kind, actions.copy()))
        twin.step(actions)
        assert games.states.tobytes() == twin.states.tobytes()
    assert not COMPILED or len(duel_rows.step.signatures) == compiled


def given_as(kind, actions):
    """The same integers in another kind of array."""
    if kind == "read-only":
        actions.flags.writeable = False
        return actions
    if kind == "gaps":
        return np.repeat(actions, 2)[::2]
    return actions.tolist() if kind == "list" else actions.astype(kind)


def test_illegal_actions_raise_and_change_nothing():
    games = begun(3)
    before = snapshot(games)
    masked = int(games.action_mask[1].argmin())
    for wrong in (masked, -1, 400, 10**12):
        actions = games.action_mask.argmax(axis=1)
        actions[1] = wrong
        with pytest.raises(ValueError, match=rf"action {wrong}.* row 1"):
            games.step(actions)
        assert snapshot(games) == before
    for wrong in (1, [1, 2], np.zeros(3)):
        with pytest.raises(ValueError, match="3 integers"):
            games.step(wrong)
    assert snapshot(games) == before


def test_wrong_states_and_resets_change_nothing():
    games = begun(2)
    before, states = snapshot(games), games.states
    over = duel_v0.self_play(1, autoreset=False)
    over.reset(seed=1)
    while over.player[0] >= 0:
        over.step(over.action_mask.argmax(axis=1))
    broken = states.copy()
    broken["bag"][1, 0] += 1
    wrong_states = [
        (np.concatenate([states, states]), "one for each of 2"),
        (states["rng"], "states of"),
        (None, "states of"),
        ("nonsense", "."),
        (over.states, "over"),
        (broken, "state 1 .*broken"),
        (GAME.new(1, explicit_chance=True).states, "chance"),
    ]
    for wrong, message in wrong_states:
        with pytest.raises(ValueError, match=message):
            games.set_states(wrong)
        with pytest.raises(ValueError, match=message):
            games.states = wrong
    with pytest.raises(TypeError, match="mask"):
        games.set_states(states, [True, False])
    wrong_options = [
        {"scoring_tiles": 9},
        {"scoring": 4},
        {"anything": 1},
        {"state": "nonsense"},
        {"state": states[0], "states": states},
        {"state": states[0], "scoring_tiles": 4},
    ]
    wrong_seeds = [-1, [1], [1, -1], np.array([[1], [2]]), 1.0]
    for arguments in (
        {"mask": np.zeros(2, bool)},
        *({"seed": seed} for seed in wrong_seeds),
        {"seed": [1, -1], "mask": np.array([True, False])},
        *({"options": options} for options in wrong_options),
    ):
        with pytest.raises(ValueError):
            games.reset(**arguments)
    with pytest.raises(TypeError, match="dictionary or None"):
        games.reset(options="x")
    with pytest.raises(TypeError, match="MaskedArray"):
        games.reset(mask=np.ma.array([True, False], mask=[True, False]))
    assert snapshot(games) == before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"num_games": 0}, "num_games"),
        ({"threads": 0}, "threads"),
        ({"reward": "winning"}, "reward"),
        ({"opponent": "random"}, "unknown option 'opponent'"),
        ({"placment": "split"}, "did you mean 'placement'"),
        ({"explicit_chance": True}, "explicit_chance"),
        ({"copy": "no"}, "copy must be True or False"),
        ({"autoreset": "disabled"}, "autoreset must be True or False"),
    ],
)
def test_wrong_arguments(wrong, message):
    with pytest.raises(ValueError, match=message):
        duel_v0.self_play(**({"num_games": 1} | wrong))


def test_before_the_first_reset():
    games = duel_v0.self_play(2)
    assert games.player.tolist() == [-1, -1]
    with pytest.raises(ValueError, match="reset"):
        games.step([0, 0])
    games.states = GAME.new(1).states
    games.step(games.action_mask.argmax(axis=1))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_copies_go_on_the_same_way(duplicate):
    games = begun(2)
    other = duplicate(games)
    for _ in range(20):
        actions = games.action_mask.argmax(axis=1)
        games.step(actions)
        other.step(actions)
        assert snapshot(games) == snapshot(other)
        np.testing.assert_array_equal(games.observation, other.observation)
        np.testing.assert_array_equal(games.action_mask, other.action_mask)
