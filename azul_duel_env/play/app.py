"""The board in the browser: one game, a page and a small JSON interface, for one machine.

============================  ======================================================================================================
``GET /``                     the page; ``/app.js``, ``/style.css``
``GET /analysis``             the page on which a game is looked at again; see ``study_api`` for what it asks for below ``/api/study``
``GET /api/state``            the game as it is; ``503`` with ``preparing`` while the rules are compiled
``GET /api/version``          its version only
``GET /api/dress``            style sheet and symbols of its pictures, which carry their name only, ``dress``
``GET /api/scenes``           ``move``, ``version``: what followed that move, one thing after the other: the end of a round
``GET /api/setup``            games, agents, seats and options to choose from; ``game``: of another game; ``players``: for so many
``GET /api/game``             the game file
``GET /api/guide``            the rules of the game on the table by topic; ``game`` and ``players`` as above
``GET /api/why``              ``version``: why ``part``, by its key, can't be picked now, after those in ``picked``, by their keys with
                              spaces between
``GET /api/preview``          ``version``: what comes of the legal ``action``: words, and SVG to lay over the picture
``GET /api/film``             a finished game as a film, a page of its own
``GET /api/components/NAME``  a component of the game as a small picture: its numbers, ``theme``; ``game``: of another game
``POST /api/play``            ``{"version", "action"}``: the decision of a person
``POST /api/think``           ``{"version"}``: the agent who decides makes one decision; answered when it is made
``POST /api/undo, redo``      ``{"version"}``
``POST /api/hint``            ``{"version"}``: what a search would play
``POST /api/new``             ``{"version", "game", "players", "opponent", "seat", "watch", "seed", "options"}``; ``game``: its id, or null
                              for that on the table; ``players``: how many, or null for as many as now; ``opponent``: one for all
                              other seats, or a list
``POST /api/rematch``         ``{"version"}``: the same players and options again, with another seed
``POST /api/stay``            ``{"version"}``: the game that is being made ready is not wanted any more
``POST /api/load``            ``{"version", "text"}`` of a game file
``POST /api/seats``           ``{"version", "seats"}``: others go on with the game
============================  ======================================================================================================

Answers are compressed for who can read it, and told as changes to an earlier one for who asks for that: see ``changes``. ``layout`` and
``theme`` of the picture are in the query. All that changes the game, and all that is asked about its position, needs the version of the
state that it was meant for, and is refused with ``409`` if that has moved on: a double click or a second tab does no harm. A game that
takes long to be made ready is refused likewise if a person has done anything else meanwhile. An agent thinks in a thread of its own; what
it finds is dropped if the game has moved on.

A page of another origin can't play: the host must be this machine's, the origin this server's, the body JSON by its content type (which
other origins may not send unasked); where a service forwards the port, ``--allow-origin`` names one more. Errors are
``{"error": what was expected}``, and nothing has changed. Over the web only agents that come with the package and those named on the
command line can be chosen: any other spec may load a file or run code.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from azul_duel_env.play.api import Api
from azul_duel_env.play.changes import ChangesMiddleware
from azul_duel_env.play.guard import FOLDER, LOOPBACK, PAGE, Guard
from azul_duel_env.play.guide_api import GuideApi
from azul_duel_env.play.requests import answered
from azul_duel_env.play.study_api import StudyApi
from azul_duel_env.play.table import Table

KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


async def page(request: Request) -> Response:
    """Return a file of the page."""
    name = PAGE[request.scope["path"]]
    content = FOLDER.joinpath(name).read_bytes()
    return Response(content, media_type=KINDS[name.rpartition(".")[2]] + "; charset=utf-8")


def routes_of(table: Table) -> list[Route]:
    """Return what is at which address."""
    api, guide_api = Api(table), GuideApi(table)
    get = {
        "state": api.get_state,
        "version": api.get_version,
        "setup": api.get_setup,
        "game": api.get_game,
        "film": api.get_film,
    }
    get |= {"dress": api.get_dress, "scenes": api.get_scenes}
    get |= {"guide": guide_api.get_guide, "why": guide_api.get_why, "preview": guide_api.get_preview}
    post = {"play": api.play, "think": api.think, "undo": api.undo, "redo": api.redo, "hint": api.hint}
    post |= {"new": api.new, "load": api.load, "seats": api.seats, "stay": api.stay, "rematch": api.rematch}
    return [
        *(Route(path, page, methods=["GET"]) for path in PAGE),
        *(Route(f"/api/{name}", answered(do), methods=["GET"]) for name, do in get.items()),
        *(Route(f"/api/{name}", answered(do), methods=["POST"]) for name, do in post.items()),
        Route("/api/components/{name}", answered(api.get_component), methods=["GET"]),
        *StudyApi(table).routes(),
    ]


async def missing(request: Request, error: Exception) -> Response:
    """Answer a request for an address, or by a method, that there isn't."""
    status = getattr(error, "status_code", 404)
    text = "there is nothing here" if status == HTTPStatus.NOT_FOUND else f"{request.method} is not answered here"
    return JSONResponse({"error": text}, status)


def make_app(
    table: Table, hosts: Sequence[str] = LOOPBACK, *, any_address: bool = False, origins: Sequence[str] = ()
) -> Guard:
    """Return the ASGI application for a table; see ``Guard`` for the rest."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        preparing = asyncio.ensure_future(table.prepare())
        yield
        preparing.cancel()

    packed = [Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5), Middleware(ChangesMiddleware)]
    refused = {404: missing, 405: missing}
    app = Starlette(routes=routes_of(table), lifespan=lifespan, exception_handlers=refused, middleware=packed)
    return Guard(app, hosts, any_address=any_address, origins=origins)
