"""Threads that step rows together: each row once, whoever is awake, and nothing hangs on a thread that isn't."""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock
from sizes import scaled

from azul_duel_env.duel_v0 import self_play
from azul_duel_env.envs import forks
from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.opponents import SELF_PLAY
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED, entry_without_gil
from azul_duel_env.kernels import team as module
from azul_duel_env.kernels.team import (
    LEADER,
    Team,
    all_done,
    claim,
    comes_to_claim,
    finish,
    first_row,
    members_of,
    post,
)

pytestmark = pytest.mark.skipif(not COMPILED, reason="without compiled code there are no teams")


@entry_without_gil
def count_rows(control, member, counts, who):
    """Add 1 to each row of the parts that are claimed, and note who did it."""
    if member == LEADER:
        post(control)
        for part in range(members_of(control)):
            if claim(control, part):
                for row in range(first_row(control, part), first_row(control, part + 1)):
                    counts[row] += 1
                    who[row] = member
                finish(control, part)
        return all_done(control)
    while comes_to_claim(control, member):
        for row in range(first_row(control, member), first_row(control, member + 1)):
            counts[row] += 1
            who[row] = member
        finish(control, member)
    return False


def counting(members, rows=1000):
    counts, who = np.zeros(rows, np.int64), np.full(rows, -1)
    return Team(members, lambda control, member: count_rows(control, member, counts, who)), counts, who


def our_threads():
    return [thread for thread in threading.enumerate() if thread.name == "azul_duel_env"]


@pytest.mark.parametrize("members", [2, 3, 5])
@pytest.mark.parametrize("rows", [1, 4, 999])
def test_each_row_is_done_once_a_step(members, rows):
    team, counts, who = counting(members, rows)
    for step in range(1, 2001):
        team.lead(rows)
        assert (counts == step).all()
    assert set(who) <= set(range(members))
    team.close()


def test_followers_do_their_parts():
    rows = 4_000_000  # long enough for a thread to wake up
    team, _, who = counting(2, rows)
    seen = set()
    for _ in range(20):
        team.lead(rows)
        seen |= {int(who[0]), int(who[-1])}
    assert seen == {0, 1}
    team.close()


def test_fewer_rows_than_there_are_can_be_stepped():
    team, counts, _ = counting(3, 100)
    team.lead(100)
    team.lead(10)
    assert (counts == 1 + (np.arange(100) < 10)).all()
    team.close()


def test_the_leader_does_all_when_nobody_follows():
    team, counts, who = counting(3)
    team.close()
    while our_threads():
        time.sleep(0.01)
    team.lead(1000)
    assert (counts == 1).all()
    assert (who == LEADER).all()


def test_threads_end_with_their_team_and_with_a_batch_that_is_forgotten():
    games = self_play(256, threads=2)
    games.reset(seed=0)
    games.step(games.sample_actions())
    assert our_threads()
    del games
    gc.collect()
    for _ in range(6000):
        if not our_threads():
            break
        time.sleep(0.01)
    assert not our_threads()


def test_what_fails_in_a_follower_is_raised_by_the_leader(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 10)
    counts, who = np.zeros(1000, np.int64), np.full(1000, -1)
    fails = True

    def work(control, member):
        if member != LEADER and fails:
            raise ZeroDivisionError("in a follower")
        return count_rows(control, member, counts, who)

    team = Team(2, work)

    def lead_often():
        for _ in range(5000):  # a busy machine lets no follower in for long
            team.lead(1000)
            time.sleep(0.001)

    with pytest.raises(ZeroDivisionError, match="in a follower"):
        lead_often()
    fails, done = False, counts[0]
    for step in range(1, 50):
        with contextlib.suppress(ZeroDivisionError):  # it failed once more meanwhile
            team.lead(1000)
        assert (counts == done + step).all()
    team.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_goes_on_alone():
    games, twin = self_play(256, threads=2), self_play(256)
    for batch in (games, twin):
        batch.reset(seed=3)
        for _ in range(3):
            batch.step(batch.sample_actions())
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def go_on():
        for _ in range(3):
            games.step(games.sample_actions())
        answers.put(games.observation.sum())

    process = context.Process(target=go_on)
    process.start()
    told = answers.get(timeout=60)
    process.join()
    for _ in range(3):
        twin.step(twin.sample_actions())
    assert told == twin.observation.sum()
    games.close()


def exit_code_of(task):
    """Run a task in a forked process; return 0, or what it failed with, be it the signal after too long."""
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        with contextlib.suppress(BaseException):
            task()
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1]


@contextlib.contextmanager
def stepped_by_another_thread(games):
    """Step games again and again meanwhile."""
    stop = threading.Event()

    def step_on():
        while not stop.is_set():
            games.step(games.sample_actions())

    thread = threading.Thread(target=step_on)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_fork_while_another_thread_steps_has_whole_games_and_threads_of_its_own(threads):
    games = self_play(2048, threads=threads)
    games.reset(seed=1)
    games.step(games.sample_actions())

    def go_on():
        states = games.states
        assert not any(GAME.rules.check(states, i) for i in range(games.num_games))
        assert games.batch._team is None
        for _ in range(3):
            games.step(games.sample_actions())
        assert (games.batch._team is not None) == (threads == 2)
        games.close()

    assert not GAME.rules.check(games.states, 0)  # compiled before a child must
    with stepped_by_another_thread(games):
        for _ in range(scaled(6, 3)):
            time.sleep(0.0137)  # at another moment of a step each time
            assert exit_code_of(go_on) == 0
    games.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_waits_until_no_other_thread_compiles():
    compiles = threading.Event()

    def compile_for_long():
        with global_compiler_lock:
            compiles.set()
            time.sleep(0.3)

    def compile_at_all():
        with global_compiler_lock:
            pass

    thread = threading.Thread(target=compile_for_long)
    thread.start()
    assert compiles.wait(timeout=30)
    assert exit_code_of(compile_at_all) == 0
    thread.join()
    compile_at_all()


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_an_opponent_outside_thinks_leaves_no_game_that_waits_for_it():
    asked, may_answer = threading.Event(), threading.Event()

    def slow(_, masks):
        asked.set()
        assert may_answer.wait(timeout=30)
        return masks.argmax(axis=1)

    games = Batch.make(GAME, 2, opponent=slow, seat=1)
    thread = threading.Thread(target=games.reset, args=([1, 2],))
    thread.start()
    assert asked.wait(timeout=30)

    def go_on():
        with pytest.raises(ValueError, match="there is no game, not yet or not any more"):
            games.step([0, 0])
        may_answer.set()
        games.reset([1, 2])
        games.step(games.sample())

    assert exit_code_of(go_on) == 0
    assert games.rows["pending"].any()
    may_answer.set()
    thread.join()
    games.step(games.sample())


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_an_opponent_forks_off_has_no_game_that_waits_for_it():
    codes = []

    def forking(_, masks):
        codes.append(exit_code_of(lambda: games.is_begun and 1 / 0))
        return masks.argmax(axis=1)

    games = Batch.make(GAME, 2, opponent=forking, seat=1)
    games.reset([1, 2])
    assert games.is_begun
    assert set(codes) == {0}


def test_no_fork_comes_before_the_solver_is_done(monkeypatch):
    games = self_play(64, bonus_chips="most_points", columns="most_points")
    solve, is_held = games.batch.kernel.solve, []

    def fork_would_come() -> None:
        if games.batch.stepping.acquire(blocking=False):
            games.batch.stepping.release()
            is_held.append(False)
        else:
            is_held.append(True)

    def solving(*args):
        other = threading.Thread(target=fork_would_come)
        other.start()
        other.join()
        solve(*args)

    monkeypatch.setattr(games.batch.kernel, "solve", solving)
    games.reset(seed=1)
    for _ in range(60):
        games.step(games.sample_actions())
    assert is_held
    assert all(is_held)


@pytest.mark.parametrize("changes", [{"placement": "split"}, {"bonus_chips": "whether"}])
def test_a_granularity_that_the_opponent_refuses_leaves_all_threads(changes):
    games = Batch.make(GAME, 256, opponent=SELF_PLAY, threads=2)
    games.reset([1] * 256)
    games.step(games.sample())
    games._opponent = "nobody at all"  # as a model made for other spaces
    before = games.masks
    with pytest.raises(ValueError, match="nobody"):
        games.set_abstraction(**changes)
    assert games.masks is before
    assert games._team is None  # made anew: the one before is closed
    games.step(games.sample())
    assert games._team is not None
    games.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_games_of_a_step_that_a_fork_could_not_wait_for_are_gone_in_the_child_only(monkeypatch):
    monkeypatch.setattr(forks, "PATIENCE", 0.01)
    games, other = self_play(2), self_play(2)
    for batch in (games, other):
        batch.reset(seed=1)
    may_end, holds = threading.Event(), threading.Event()

    def step_for_ever():
        with games.batch.stepping:
            holds.set()
            may_end.wait()

    def go_on():
        with pytest.raises(ValueError, match="reset"):
            games.step(games.sample_actions())
        games.reset(seed=1)
        games.step(games.sample_actions())
        other.step(other.sample_actions())

    thread = threading.Thread(target=step_for_ever)
    thread.start()
    holds.wait()
    assert exit_code_of(go_on) == 0
    may_end.set()
    thread.join()
    games.step(games.sample_actions())
    other.step(other.sample_actions())
