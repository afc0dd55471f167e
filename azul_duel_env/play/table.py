"""The table that the server of the page holds: its game, the version of it, and what agents think about."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from azul_duel_env.agents import hint_for, is_agent, make_agent
from azul_duel_env.agents.tree_search import SearchCalledOffError
from azul_duel_env.game import Game
from azul_duel_env.games import find_game
from azul_duel_env.play.agents import SEARCHES, Thought, is_plain
from azul_duel_env.play.breakdown import breakdown_of
from azul_duel_env.play.new_game import Setup, default_game
from azul_duel_env.play.page_data import page_data
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session import Session
from azul_duel_env.system.reading import one_line
from azul_duel_env.view.picture import PAGE_LAYOUTS, THEMES

Result = TypeVar("Result")

DEFAULT_LOOK = (PAGE_LAYOUTS[0], THEMES[0])
MOST_SIMULATIONS = 20_000
"""Of a search chosen on the page; the command line may name larger ones."""


class RefusedError(Exception):
    """A request that is not carried out: an HTTP status, what was expected, and what else the page must know."""

    def __init__(self, status: int, expected: str, **more: Any) -> None:
        super().__init__(expected)
        self.status, self.more = status, more


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
        except BaseException as error:  # it is raised where the work was asked for
            failure = error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
        with suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await done


class Table:
    """The game that the server holds, and who may be asked to play.

    Args:
        start: makes the first game; it may compile, and so it is called in a thread.
        known: specs that were named on the command line, and so may be chosen on the page and in game files.
        saves: keeps each change of a game of people; None for nowhere.
        game: what new games are of until a session begins; the default game if left out.
        is_offered: whether nobody has asked for the first game: the page then asks what to play until somebody has decided there.
        adviser: spec of the search that gives hints and looks at games of ``game``; that of ``Game.adviser`` if left out.

    Attributes:
        session: the game; None while the rules are being compiled, or if the first game could not begin.
        version: moves with every change. Its first value is drawn by lot, so that a page never takes this table for that of a server
            which was here before.
        number: moves with every new game; drawn likewise.
        trouble: what went wrong where nobody waits for the answer, or "".
    """

    def __init__(
        self,
        start: Callable[[], Session],
        known: Sequence[str] = (),
        saves: Autosave | None = None,
        game: Game | None = None,
        *,
        is_offered: bool = False,
        adviser: str | None = None,
    ) -> None:
        self._start = start
        self._is_offered = is_offered
        self._game = game
        self._known = (*known, *(() if adviser is None else (adviser,)))
        self._adviser = None if adviser is None else (adviser, default_game() if game is None else game)
        self._saves = saves
        self.session: Session | None = None
        self.version = secrets.randbelow(2**48)
        self.number = secrets.randbelow(2**48)
        self.trouble = ""
        self._prepared: set[Game] = set()  # games of which nothing is left to be compiled
        self._requests = 0  # of people, to change the table
        self._thinking: asyncio.Task[None] | None = None
        self._thoughts: list[Thought[Any]] = []

    async def prepare(self) -> None:
        """Start the first game, then compile what will be wanted later."""

        def begin() -> Session:
            session = self._start()
            session.warm_up()
            page_data(session, *DEFAULT_LOOK)
            return session

        try:
            self._put(await in_thread(begin))
        except Exception as error:  # nobody waits here: see trouble
            self.trouble = error_text(error)
            return
        self._prepare_extras()

    def _prepare_extras(self) -> None:
        """Compile in a thread what will be wanted later of the game that is played, unless that was done before."""
        game = self.game
        if game in self._prepared:
            return
        self._prepared.add(game)

        def compile_extras() -> None:
            with suppress(Exception):  # whoever asks for a hint will hear of it
                warm_up_extras(game, self.adviser_for(game))

        threading.Thread(target=compile_extras, daemon=True).start()

    def adviser_for(self, game: Game) -> str:
        """Return the spec of the search that gives hints and looks at games of one kind, unless another is named."""
        if self._adviser is not None and self._adviser[1] is game:
            return self._adviser[0]
        return game.adviser

    def find_game(self, game_id: str | None, players: int | None) -> Game:
        """Return the game that a page asks for.

        Args:
            game_id: None for the one that is played.
            players: how many; None for as many as now, or in another game for its usual number.

        Raises:
            ValueError: there is no such game, or it isn't for so many.
        """
        game = self.game if game_id in (None, self.game.id) else find_game(str(game_id))
        return game.of({"num_players": players})

    @property
    def game(self) -> Game:
        """What is played, and what new games are of."""
        if self.session is not None:
            return self.session.game
        return default_game() if self._game is None else self._game

    @property
    def is_offered(self) -> bool:
        """Whether nobody has asked for the game on the table, nor decided in it."""
        session = self.session
        return (
            self._is_offered
            and session is not None
            and all(move.player not in session.people for move in session.moves)
        )

    def ready_session(self) -> Session:
        """Return the game under way.

        Raises:
            RefusedError: it isn't there yet.
        """
        self.check_prepared()
        if self.session is None:
            raise RefusedError(503, self.trouble, version=self.version)
        return self.session

    def check_prepared(self) -> None:
        """Check that a game can be played or begun.

        Raises:
            RefusedError: not yet.
        """
        if self.session is None and not self.trouble:
            raise RefusedError(503, "the rules are being compiled, once for this version: about 15 s", preparing=True)

    async def replace(self, make: Callable[[], Session], *, another: bool = True) -> None:
        """Put a game on the table once it is ready, which may take a while.

        Args:
            make: makes it, in a thread.
            another: whether it is another game, and not the one under way with others in its seats.

        Raises:
            RefusedError: a person has changed the table meanwhile, or asked for another game, which counts; or, where the game goes on,
                an agent has played. Nothing has changed.
        """
        self._requests += 1
        request, version = self._requests, self.version

        def ready() -> Session:
            session = make()
            session.warm_up()
            page_data(session, *DEFAULT_LOOK)
            return session

        session = await in_thread(ready)
        if request != self._requests or not (another or version == self.version):
            raise RefusedError(409, "the table has changed while this was made ready; it stays as it is now")
        self._is_offered = False
        if another:
            self.number += 1
            if self._saves is not None:
                self._saves.let_go()
        self._put(session)
        self._prepare_extras()

    def stay(self) -> None:
        """Drop the game that is being made ready: the one on the table stays."""
        self._requests += 1

    def _put(self, session: Session) -> None:
        self.session = session
        self.changed()

    def changed(self, *, by_agent: bool = False) -> None:
        """Count a change, call off what is being thought about the state before, and keep the game.

        Whatever a person asked for earlier and is not ready yet comes too late. An agent's decision does not stand in its way.
        """
        self.version += 1
        if not by_agent:
            self._requests += 1
        self._thinking = None
        for thought in self._thoughts:
            thought.call_off()
        self._thoughts.clear()
        self.trouble = ""
        if self._saves is None:
            return
        try:
            self._saves.keep(self.ready_session())
        except OSError as error:
            self.trouble = one_line(f"the game can't be kept in {self._saves.folder}: {error}")

    def check_version(self, version: int) -> None:
        """Check that a request was meant for the state that there is.

        Raises:
            RefusedError: it was not.
        """
        if version != self.version:
            raise RefusedError(409, "the game has moved on since this was asked")

    def may_play(self, game: Game, spec: str) -> bool:
        """Return whether a spec may be chosen on the page or by a game file."""
        return spec in self._known or (is_plain(game, spec) and budget_of(spec) <= MOST_SIMULATIONS)

    def check_seats(self, game: Game, seats: Sequence[str]) -> None:
        """Check that all who are to play a game may.

        Raises:
            ValueError: a spec names no agent, or one that only the command line may name.
        """
        for spec in seats:
            if self.may_play(game, spec):
                continue
            if is_plain(game, spec):
                raise ValueError(f"{spec!r:.80} is too large to be chosen here: at most {MOST_SIMULATIONS}")
            family, colon, _ = spec.partition(":")
            unknown = not is_agent(game, spec) and (not colon or hint_for(game, spec))
            names_no_file = family in SEARCHES and spec.count(":") == 1
            if names_no_file or unknown:
                make_agent(game, spec)  # says what there is
            raise ValueError(f"{spec!r:.80} may load a file or run code: name it on the command line with --opponent")

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
            action = await self.find_out(self.ready_session().thought())
            self.check_version(version)
            self.ready_session().play(action)
            self.changed(by_agent=True)
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


def error_text(error: Exception) -> str:
    """Return what to say of an error, in a line that can be sent: those that are meant for people speak for themselves."""
    meant_for_people = isinstance(error, (RefusedError, ValueError, OSError))
    return one_line(error if meant_for_people else f"{type(error).__name__}: {error}")


def budget_of(spec: str) -> int:
    """Return the simulations, or the milliseconds, of a plain spec; 0 without any."""
    digits = spec.partition(":")[2].removesuffix("ms")
    return (
        int(digits)
        if digits.isascii() and digits.isdigit() and len(digits) < 10
        else len(digits) and MOST_SIMULATIONS + 1
    )


def warm_up_extras(game: Game, adviser: str) -> None:
    """Compile what a hint and the score breakdown need, in a game of its own."""
    session = Session(Setup(("random",) * game.num_players, 0, game=game))
    session.hint(adviser)
    session.play(session.thought()())
    breakdown_of(session)
