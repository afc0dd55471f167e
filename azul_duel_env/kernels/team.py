"""Threads that step rows together: one leader, the caller's thread, and followers that wait for work awake for a while.

To wake a thread takes about 50 us, as long as to step 50 rows; one that waits awake begins at once. So a follower looks for its part of the
next step again and again, for a fraction of a millisecond, inside compiled code and without Python's lock; only then it sleeps. The leader
does whatever part no follower has begun, so nothing ever waits for one to wake up, and none need exist (in a forked process none does).
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from threading import Lock, Thread

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.jit import entry, rule
from azul_duel_env.jit.atomic import load, replace, store

LEADER = 0
LINE = 8
"""Words of a cache line: what different threads write lies on lines of its own."""
TICKET, ROWS = 0, 1  # of the first line of a control: the number of the step, and its rows
CLAIMED, DONE, ASLEEP = 1, 2, 3  # lines of each member: of which step its part was claimed, and done; whether it sleeps
LINES_PER_MEMBER = 3
PATIENCE = 1_500_000
"""How often a member looks again before it gives up: for about half a millisecond."""


def make_control(members: int) -> NDArray[np.int64]:
    """Return the words that a team shares, int64."""
    return np.zeros((1 + members * LINES_PER_MEMBER) * LINE, np.int64)


# Compiled: the control ------------------------------------------------------------------------
def _place(member: int, line: int) -> int:
    """Return where in the control a member's word of one kind is."""
    return (member * LINES_PER_MEMBER + line) * LINE


place = rule(_place)


@rule
def members_of(control):
    """Return how many members a team has; each step has a part for each."""
    return len(control) // (LINE * LINES_PER_MEMBER)


@rule
def post(control):
    """Tell the followers that there is a step, of as many rows as its control says."""
    store(control, TICKET, control[TICKET] + 1)


@rule
def claim(control, part):
    """Return whether the caller is to do a part of the step that is posted: nobody else does it then."""
    ticket = load(control, TICKET)
    claimed = load(control, place(part, CLAIMED))
    return claimed < ticket and replace(control, place(part, CLAIMED), claimed, ticket)


@rule
def comes_to_claim(control, part):
    """Wait for a step and claim a part of it; return False if for long there was none to claim."""
    for _ in range(PATIENCE):
        if claim(control, part):
            return True
    return False


@rule
def first_row(control, part):
    """Return the place of a part's first row among those that are stepped."""
    return control[ROWS] * part // members_of(control)


@rule
def finish(control, part):
    """Tell that a part is done."""
    store(control, place(part, DONE), load(control, place(part, CLAIMED)))


@rule
def all_done(control):
    """Wait until every part is done; return whether that came soon."""
    part = 0
    for _ in range(PATIENCE):
        if load(control, place(part, DONE)) == load(control, TICKET):
            part += 1
        if part == members_of(control):
            return True
    return False


@entry
def is_done(control):
    """Return whether every part of the step is done, after a while of waiting."""
    return all_done(control)


@entry
def give_up(control, part):
    """Tell that a part is over, though it failed."""
    finish(control, part)


# The threads --------------------------------------------------------------------------------
Work = Callable[[NDArray[np.int64], int], object]
"""``(control, member)``: do parts of the step until there is none; the leader returns whether all are done."""


class Team:
    """Threads that do parts of what the caller's thread leads.

    Args:
        members: how many, the leader included; at least 2.
        work: what each runs, compiled and without Python's lock.
    """

    def __init__(self, members: int, work: Work) -> None:
        self._control, self._work = make_control(members), work
        self._followers = [_Follower(self._control, member, work) for member in range(1, members)]
        self.close = weakref.finalize(self, _dismiss, self._followers)

    def lead(self, rows: int) -> None:
        """Do what ``work`` does with so many rows, together with the followers.

        Raises:
            Exception: whatever it raised in a follower.
        """
        self._await_followers()  # Ctrl-C may have come in the midst of the step before
        self._control[ROWS] = rows
        for follower in self._followers:
            follower.wake()
        if not self._work(self._control, LEADER):
            self._await_followers()
        for follower in self._followers:
            if follower.failure is not None:
                failure, follower.failure = follower.failure, None
                raise failure

    def _await_followers(self) -> None:
        while not is_done(self._control):
            time.sleep(0)  # a follower that has no processor now may want this one


class _Follower:
    """A thread that does its part of each step, and sleeps when for long there was none."""

    def __init__(self, control: NDArray[np.int64], member: int, work: Work) -> None:
        self.failure: BaseException | None = None
        self._control, self._member, self._work = control, member, work
        self._asleep_at = _place(member, ASLEEP)
        self._bed, self._dismissed = Lock(), False
        self._bed.acquire()
        self._thread = Thread(target=self._serve, name="azul_duel_env", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            self._control[self._asleep_at] = 1
            if self._dismissed:
                return
            self._bed.acquire()
            try:
                self._work(self._control, self._member)
            except BaseException as failure:  # the leader tells it
                self.failure = failure
                give_up(self._control, self._member)

    def wake(self) -> None:
        """Wake it if it sleeps."""
        if self._control[self._asleep_at]:
            self._control[self._asleep_at] = 0
            self._bed.release()

    def dismiss(self) -> None:
        """End the thread, once it has done its part."""
        self._dismissed = True
        self.wake()


def _dismiss(followers: Sequence[_Follower]) -> None:
    for follower in followers:
        follower.dismiss()
