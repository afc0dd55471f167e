"""The table that the server of the page holds: its game, the version of it, and what agents think about."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from azul_duel_env.agents import hint_for, is_agent, make_agent
from azul_duel_env.agents.search import SearchCalledOffError
from azul_duel_env.duel import GAME
from azul_duel_env.play.saves import write_game
from azul_duel_env.play.session import Session, Setup, Thought, is_plain
from azul_duel_env.play.view import LAYOUTS, THEMES, view_of

Result = TypeVar("Result")

DEFAULT_LOOK = (LAYOUTS[0], THEMES[0])
MOST_SIMULATIONS = 20_000
"""Of a search chosen on the page; the command line may name larger ones."""


class RefusedError(Exception):
    """A request that is not carried out: an HTTP status, and what was expected."""

    def __init__(self, status: int, expected: str) -> None:
        super().__init__(expected)
        self.status = status


async def in_thread(work: Callable[[], Result]) -> Result:
    """Do some work in a thread that doesn't keep the process alive."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except Exception as error:  # it is raised where the work was asked for
            failure = error
        with suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done


class Table:
    """The game that the server holds, and who may be asked to play.

    Args:
        start: makes the first game; it may compile, and so it is called in a thread.
        known: specs that were named on the command line, and so may be chosen on the page and in game files.
        autosave: where each change of a game of people is kept; None for nowhere.

    Attributes:
        session: the game; None while the rules are being compiled.
        version: moves with every change.
        number: moves with every new game.
        trouble: what went wrong where nobody could be told, or "".
    """

    def __init__(self, start: Callable[[], Session], known: Sequence[str] = (), autosave: Path | None = None) -> None:
        self._start = start
        self._known = tuple(known)
        self._autosave = autosave
        self.session: Session | None = None
        self.version = 0
        self.number = 0
        self.trouble = ""
        self._thinking: asyncio.Task[None] | None = None
        self._thoughts: list[Thought[Any]] = []

    async def prepare(self) -> None:
        """Start the first game, then compile what will be wanted later."""

        def begin() -> Session:
            session = self._start()
            session.warm_up()
            view_of(session, *DEFAULT_LOOK)
            return session

        try:
            self.put(await in_thread(begin))
        except (ValueError, OSError) as error:
            self.trouble = str(error)
            return
        await in_thread(warm_up_extras)

    @property
    def game(self) -> Session:
        """The game.

        Raises:
            RefusedError: it isn't there yet.
        """
        if self.session is None:
            raise RefusedError(503, self.trouble or "the rules are being compiled, once for this version: about 20 s")
        return self.session

    def put(self, session: Session) -> None:
        """Put another game on the table."""
        self.session = session
        self.number += 1
        self.changed()

    def changed(self) -> None:
        """Count a change, call off what is being thought about the state before, and keep the game."""
        self.version += 1
        self._thinking = None
        for thought in self._thoughts:
            thought.call_off()
        self._thoughts.clear()
        if self._autosave is None or not self.game.people:
            return
        try:
            write_game(self.game, self._autosave)
            self.trouble = ""
        except OSError as error:
            self.trouble = f"the game can't be kept in {self._autosave}: {error}"

    def check_version(self, version: int) -> None:
        """Check that a request was meant for the state that there is.

        Raises:
            RefusedError: it was not.
        """
        if version != self.version or self.session is None:
            raise RefusedError(409, f"the game has moved on: this was for version {version}, it is at {self.version}")

    def may_play(self, spec: str) -> bool:
        """Return whether a spec may be chosen on the page or by a game file."""
        return spec in self._known or (is_plain(spec) and budget_of(spec) <= MOST_SIMULATIONS)

    def check_seats(self, seats: Sequence[str]) -> None:
        """Check that all who are to play may.

        Raises:
            ValueError: a spec names no agent, or one that only the command line may name.
        """
        for spec in seats:
            if self.may_play(spec):
                continue
            if is_plain(spec):
                raise ValueError(f"{spec!r} is too large to be chosen here: at most {MOST_SIMULATIONS}")
            if not is_agent(GAME, spec) and (":" not in spec or hint_for(GAME, spec)):
                make_agent(GAME, spec)  # says what there is
            raise ValueError(f"{spec!r} may load a file or run code: name it on the command line, --opponent {spec}")

    async def think(self) -> None:
        """Let the agent who decides make one decision; several who ask wait for the same.

        Raises:
            ValueError: no agent decides, or it failed.
            RefusedError: the game has moved on meanwhile.
        """
        if self._thinking is None:
            self._thinking = asyncio.ensure_future(self._let_agent_decide())
        await asyncio.shield(self._thinking)

    async def _let_agent_decide(self) -> None:
        version, thinking = self.version, asyncio.current_task()
        try:
            action = await self.find_out(self.game.thought())
            self.check_version(version)
            self.game.play(action)
            self.changed()
        finally:
            if self._thinking is thinking:
                self._thinking = None

    async def find_out(self, thought: Thought[Result]) -> Result:
        """Return what a thought finds, in a thread.

        Raises:
            RefusedError: the game has moved on meanwhile.
        """
        self._thoughts.append(thought)
        try:
            return await in_thread(thought)
        except SearchCalledOffError:
            raise RefusedError(409, "the game has moved on while this was thought about") from None
        finally:
            if thought in self._thoughts:
                self._thoughts.remove(thought)


def budget_of(spec: str) -> int:
    """Return the simulations, or the milliseconds, of a plain spec; 0 without any."""
    digits = spec.partition(":")[2].removesuffix("ms")
    return (
        int(digits)
        if digits.isascii() and digits.isdigit() and len(digits) < 10
        else len(digits) and MOST_SIMULATIONS + 1
    )


def warm_up_extras() -> None:
    """Compile what a hint and the final account need, in a game of its own."""
    session = Session(Setup(("random", "random"), 0))
    session.hint()
    session.play(session.thought()())
    session.account(0)
