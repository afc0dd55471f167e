"""The board in the browser: one game, a page and a small JSON interface, for one machine.

========================  ==========================================================================================================
``GET /``                 the page; ``/app.js``, ``/style.css``
``GET /api/state``        the game as it is; ``503`` with ``preparing`` while the rules are compiled
``GET /api/version``      its version only
``GET /api/setup``        agents and scoring tiles to choose from
``GET /api/game``         the game file
``GET /api/tile``         a dome tile as a picture: ``tile``, ``rotation``, ``theme``
``POST /api/play``        ``{"version", "action"}``: the decision of a person
``POST /api/think``       ``{"version"}``: the agent who decides makes one decision; answered when it is made
``POST /api/undo, redo``  ``{"version"}``
``POST /api/hint``        ``{"version"}``: what a search would play
``POST /api/new``         ``{"version", "opponent", "seat", "watch", "seed", "options"}``
``POST /api/load``        ``{"version", "text"}`` of a game file
``POST /api/seats``       ``{"version", "seats"}``: others go on with the game
========================  ==========================================================================================================

``layout`` and ``theme`` of the picture are in the query. All that changes the game needs the version of the state that it was meant for,
and is refused with ``409`` if that has moved on: a double click or a second tab does no harm. A game that takes long to be made ready is
refused likewise if a person has done anything else meanwhile. An agent thinks in a thread of its own; what it finds is dropped if the
game has moved on.

A page of another origin can't play: the host must be this machine's, the origin this server's, the body JSON by its content type (which
other origins may not send unasked); where a service forwards the port, ``--allow-origin`` names one more. Errors are
``{"error": what was expected}``, and nothing has changed. Over the web only agents that come with the package and those named on the
command line can be chosen: any other spec may load a file or run code.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib import resources

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from azul_duel_env.play.connections import BoundedProtocol
from azul_duel_env.play.guard import LOOPBACK, PAGE, Guard
from azul_duel_env.play.interface import Interface, answered
from azul_duel_env.play.table import Table

KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


async def page(request: Request) -> Response:
    """Return a file of the page."""
    name = PAGE[request.scope["path"]]
    content = resources.files("azul_duel_env.play").joinpath("page", name).read_bytes()
    return Response(content, media_type=KINDS[name.rpartition(".")[2]] + "; charset=utf-8")


def make_app(
    table: Table, hosts: Sequence[str] = LOOPBACK, *, any_address: bool = False, origins: Sequence[str] = ()
) -> Guard:
    """Return the ASGI application for a table; see ``Guard`` for the rest."""
    interface = Interface(table)
    get = {"/api/state": interface.get_state, "/api/setup": interface.get_setup, "/api/game": interface.get_game}
    get |= {"/api/version": interface.get_version, "/api/tile": interface.get_tile}
    names = ("play", "think", "undo", "redo", "hint", "new", "load", "seats")
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
    return Guard(app, hosts, any_address=any_address, origins=origins)


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


def listen_near(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port, or on a free one if that is taken.

    Raises:
        OSError: the host can't be had; the message names it.
    """
    try:
        return listen(host, port)
    except OSError:
        return listen(host, 0)


def address_of(listening: socket.socket) -> str:
    """Return the address of the page."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(
    table: Table, listening: socket.socket, host: str, opened: Callable[[], None], origins: Sequence[str] = ()
) -> None:
    """Serve a table until it is interrupted.

    Args:
        table: the table.
        listening: from ``listen``.
        host: by which name it listens.
        opened: called when the page can be asked for.
        origins: see ``Guard``.
    """

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            opened()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            for task in self.server_state.tasks:  # nobody waits for an agent any more
                task.cancel()
            await super().shutdown(sockets)

    here = host in ("localhost", "::1") or host.startswith("127.")
    hosts = LOOPBACK if host in LOOPBACK or here else (*LOOPBACK, host)
    app = make_app(table, hosts, any_address=not here, origins=origins)
    Server(config_for(app)).run([listening])


def config_for(app: Guard) -> uvicorn.Config:
    """Return how a server runs: with bounds for whoever asks, and silent about what they do wrong."""
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
