"""The board in the browser: one game, a page and a small JSON interface, for one machine.

========================  ==========================================================================================================
``GET /``                 the page; ``/app.js``, ``/style.css``
``GET /api/state``        the game as it is; ``503`` with ``preparing`` while the rules are compiled
``GET /api/setup``        agents and scoring tiles to choose from
``GET /api/game``         the game file
``GET /api/tile``         a dome tile as a picture: ``tile``, ``rotation``, ``theme``
``POST /api/play``        ``{"version", "action"}``: the decision of a person
``POST /api/think``       ``{"version"}``: the agent who decides makes one decision; answered when it is made
``POST /api/undo, redo``  ``{"version"}``
``POST /api/hint``        ``{"version"}``: what a search would play
``POST /api/new``         ``{"seats", "seed", "options"}``
``POST /api/load``        ``{"text"}`` of a game file
========================  ==========================================================================================================

``layout`` and ``theme`` of the picture are in the query. All that changes the game needs the version of the state that it was meant for,
and is refused with ``409`` if that has moved on: a double click or a second tab does no harm. An agent thinks in a
thread of its own; what it finds is dropped if the game has moved on.

A page of another origin can't play: the host must be this machine's, the origin this server's, the body JSON by its content type (which
other origins may not send unasked). Errors are ``{"error": what was expected}``, and nothing has changed. Over the web only agents that
come with the package and those named on the command line can be chosen: any other spec may load a file or run code.
"""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from importlib import resources
from ipaddress import ip_address
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from azul_duel_env.agents import AGENTS, hint_for, is_agent, make_agent
from azul_duel_env.agents.search import SearchCalledOffError
from azul_duel_env.duel import GAME
from azul_duel_env.duel.components import CONDITIONS, NUM_DOME_TILES, NUM_ROTATIONS
from azul_duel_env.duel.draw import turned
from azul_duel_env.play.saves import MAX_BYTES, write_game
from azul_duel_env.play.session import (
    HINT,
    HUMAN,
    Session,
    Setup,
    Thought,
    fresh_seed,
    is_plain,
    read_session,
    setup_for,
)
from azul_duel_env.play.view import LAYOUTS, THEMES, hint_view, view_of
from azul_duel_env.reading import json_from

Result = TypeVar("Result")

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
PAGE = {"/": "index.html", "/app.js": "app.js", "/style.css": "style.css"}
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
DEFAULT_LOOK = (LAYOUTS[0], THEMES[0])
MAX_BODY = 2 * MAX_BYTES
WORDS_FOR = {int: "an integer", str: "a text", list: "a list", dict: "an object", NoneType: "null"}
MOST_SIMULATIONS = 20_000
GAME_OPTIONS = ("scoring_tiles", "zero_point_draw", "special_counts_as_colour", "chip_payments")
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


# Requests -------------------------------------------------------------------------------------
def look_of(request: Request) -> tuple[str, str]:
    """Return the layout and the theme that a request asks for.

    Raises:
        RefusedError: there is no such layout or theme.
    """
    query = request.query_params
    look = query.get("layout", DEFAULT_LOOK[0]), query.get("theme", DEFAULT_LOOK[1])
    if look[0] not in LAYOUTS or look[1] not in THEMES:
        raise RefusedError(
            400, f"layout must be one of {', '.join(LAYOUTS)}, theme one of {', '.join(THEMES)}, not {look}"
        )
    return look


async def body_of(request: Request, **kinds: type | tuple[type, ...]) -> dict[str, Any]:
    """Return the JSON object that a request brings, with exactly these fields.

    Raises:
        RefusedError: another content type, too large, no JSON object, or other fields.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(415, "expected the content type application/json")
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY:
            raise RefusedError(413, f"expected at most {MAX_BODY} bytes")
    try:
        body = json_from(bytes(content))
    except ValueError as error:
        raise RefusedError(400, f"expected JSON: {error}") from None
    if not isinstance(body, dict) or set(body) != set(kinds):
        raise RefusedError(400, f"expected a JSON object with {', '.join(kinds)}, and nothing else")
    for name, kind in kinds.items():
        wanted = kind if isinstance(kind, tuple) else (kind,)
        if type(body[name]) not in wanted:
            raise RefusedError(
                400, f"{name} must be {' or '.join(WORDS_FOR[one] for one in wanted)}, not {body[name]!r:.80}"
            )
    return body


class Interface:
    """What each address does, for one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def state(self, request: Request) -> dict[str, Any]:
        """Return the game as it is."""
        table = self._table
        about = {"game": table.number, "version": table.version, "trouble": table.trouble}
        return {**about, **view_of(table.game, *look_of(request))}

    async def get_state(self, request: Request) -> dict[str, Any]:
        """``GET /api/state``."""
        return self.state(request)

    async def get_setup(self, request: Request) -> dict[str, Any]:  # noqa: ARG002 # asks for nothing
        """``GET /api/setup``."""
        return {"agents": AGENTS, "scoring_tiles": CONDITIONS, "hint": HINT}

    async def get_tile(self, request: Request) -> Response:
        """``GET /api/tile``."""
        query = request.query_params
        try:
            tile, rotation = int(query.get("tile", "")), int(query.get("rotation", ""))
        except ValueError:
            tile, rotation = -1, -1
        if not (0 <= tile < NUM_DOME_TILES and 0 <= rotation < NUM_ROTATIONS):
            raise RefusedError(400, f"expected tile, 0 to {NUM_DOME_TILES - 1}, and rotation, 0 to {NUM_ROTATIONS - 1}")
        return Response(turned(tile, rotation, theme=look_of(request)[1]), media_type="image/svg+xml")

    async def play(self, request: Request) -> dict[str, Any]:
        """``POST /api/play``."""
        body = await body_of(request, version=int, action=int)
        look_of(request)
        self._table.check_version(body["version"])
        game = self._table.game
        if game.turn != HUMAN:
            raise RefusedError(400, "the game is over" if game.over else f"{game.turn} decides here, not a person")
        game.play(body["action"])
        self._table.changed()
        return self.state(request)

    async def think(self, request: Request) -> dict[str, Any]:
        """``POST /api/think``."""
        body = await body_of(request, version=int)
        self._table.check_version(body["version"])
        await self._table.think()
        return self.state(request)

    async def undo(self, request: Request) -> dict[str, Any]:
        """``POST /api/undo``."""
        body = await body_of(request, version=int)
        self._table.check_version(body["version"])
        self._table.game.undo()
        self._table.changed()
        return self.state(request)

    async def redo(self, request: Request) -> dict[str, Any]:
        """``POST /api/redo``."""
        body = await body_of(request, version=int)
        self._table.check_version(body["version"])
        self._table.game.redo()
        self._table.changed()
        return self.state(request)

    async def hint(self, request: Request) -> dict[str, Any]:
        """``POST /api/hint``."""
        body = await body_of(request, version=int)
        self._table.check_version(body["version"])
        found = await self._table.find_out(self._table.game.hint_thought())
        self._table.check_version(body["version"])
        return hint_view(self._table.game, found)

    async def new(self, request: Request) -> dict[str, Any]:
        """``POST /api/new``."""
        wanted = await body_of(
            request, opponent=str, seat=str, watch=(list, NoneType), seed=(int, NoneType), options=dict
        )
        setup = self._setup_of(wanted)
        self._table.game  # noqa: B018 # refused while nothing can be played
        self._table.check_seats(setup.seats)
        self._table.put(await in_thread(lambda: ready(Session(setup))))
        return self.state(request)

    def _setup_of(self, wanted: dict[str, Any]) -> Setup:
        """Return the setup that somebody wants."""
        seed, watch, options = wanted["seed"], wanted["watch"], wanted["options"]
        unknown = set(options) - set(GAME_OPTIONS)
        if unknown:
            raise RefusedError(400, f"expected the options {', '.join(GAME_OPTIONS)}, not {unknown}")
        if watch is None:
            return setup_for(wanted["opponent"], wanted["seat"], seed, options)
        if len(watch) != GAME.num_players or not all(isinstance(spec, str) for spec in watch):
            raise RefusedError(400, f"watch must be the specs of {GAME.num_players} agents, not {watch!r:.80}")
        return Setup(tuple(watch), fresh_seed() if seed is None else seed, options)

    async def load(self, request: Request) -> dict[str, Any]:
        """``POST /api/load``."""
        body = await body_of(request, text=str)
        self._table.game  # noqa: B018 # refused while nothing can be played
        session = await in_thread(lambda: ready(read_session(body["text"], self._table.may_play)))
        self._table.put(session)
        return self.state(request)

    async def get_game(self, request: Request) -> Response:  # noqa: ARG002 # asks for nothing
        """``GET /api/game``."""
        game = self._table.game
        name = f"azul-duel-{'table' if game.setup.seed is None else game.setup.seed}.game"
        disposition = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(game.record().write(), media_type="text/plain; charset=utf-8", headers=disposition)


def ready(session: Session) -> Session:
    """Return a game whose agents are compiled."""
    session.warm_up()
    return session


def answered(do: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers with JSON, errors included."""

    async def endpoint(request: Request) -> Response:
        try:
            found = await do(request)
        except RefusedError as error:
            preparing = {"preparing": True} if error.status == HTTPStatus.SERVICE_UNAVAILABLE else {}
            return JSONResponse({"error": str(error), **preparing}, error.status)
        except (ValueError, OSError) as error:
            return JSONResponse({"error": str(error)}, 400)
        return found if isinstance(found, Response) else JSONResponse(found)

    return endpoint


async def page(request: Request) -> Response:
    """Return a file of the page."""
    name = PAGE[request.url.path]
    content = resources.files("azul_duel_env.play").joinpath("page", name).read_bytes()
    return Response(content, media_type=KINDS[name.rpartition(".")[2]] + "; charset=utf-8")


# Who may ask ----------------------------------------------------------------------------------
class Guard:
    """Lets only this machine's own pages in, and puts the headers on that keep a page to itself.

    Args:
        app: what is guarded.
        hosts: names by which the server may be called; an address that is none of this machine's is no name.
        any_address: whether any numeric address is such a name: the server listens to more than this machine.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = LOOPBACK, *, any_address: bool = False) -> None:
        self._app, self._hosts, self._any_address = app, tuple(hosts), any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in HEADERS.items())]
            await send(message)

        trouble = self._trouble_with(Request(scope))
        answer: ASGIApp = self._app if trouble is None else JSONResponse({"error": trouble}, 403)
        await answer(scope, receive, send_with_headers)

    def _trouble_with(self, request: Request) -> str | None:
        """Return why a request is refused, or None."""
        host = request.headers.get("host", "")
        if not self._is_ours(host):
            return f"this server is called {' or '.join(self._hosts)}, not {host!r:.80}"
        origin = request.headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return f"pages of {origin!r:.80} can't play here"
        is_page = request.method == "GET" and request.url.path in PAGE
        if not is_page and request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "pages of other sites can't play here"
        return None

    def _is_ours(self, host: str) -> bool:
        """Return whether a ``Host`` names this server: no other site can make its own name one of these."""
        name = re.sub(r":[0-9]+$", "", host)
        return name in self._hosts or (self._any_address and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def make_app(table: Table, hosts: Sequence[str] = LOOPBACK, *, any_address: bool = False) -> Guard:
    """Return the ASGI application for a table; see ``Guard`` for the rest."""
    interface = Interface(table)
    get = {"/api/state": interface.get_state, "/api/setup": interface.get_setup, "/api/game": interface.get_game}
    get["/api/tile"] = interface.get_tile
    names = ("play", "think", "undo", "redo", "hint", "new", "load")
    routes = [Route(path, page, methods=["GET"]) for path in PAGE]
    routes += [Route(path, answered(do), methods=["GET"]) for path, do in get.items()]
    routes += [Route(f"/api/{name}", answered(getattr(interface, name)), methods=["POST"]) for name in names]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        preparing = asyncio.ensure_future(table.prepare())
        yield
        preparing.cancel()

    async def missing(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        text = "there is nothing here" if status == HTTPStatus.NOT_FOUND else f"{request.method} is not answered here"
        return JSONResponse({"error": text}, status)

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: missing, 405: missing})
    return Guard(app, hosts, any_address=any_address)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        OSError: the address can't be had; the message names it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise OSError(
            f"can't listen on {host}, port {port}: {error.strerror or error}; --port 0 takes a free one"
        ) from None


def address_of(listening: socket.socket) -> str:
    """Return the address of the page."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(table: Table, listening: socket.socket, host: str, opened: Callable[[], None]) -> None:
    """Serve a table until it is interrupted.

    Args:
        table: the table.
        listening: from ``listen``.
        host: by which name it listens.
        opened: called when the page can be asked for.
    """

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            opened()

    here = host in ("localhost", "::1") or host.startswith("127.")
    hosts = LOOPBACK if host in LOOPBACK or here else (*LOOPBACK, host)
    app = make_app(table, hosts, any_address=not here)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, server_header=False
    )
    Server(config).run([listening])
