"""What each address of the server answers: JSON in, JSON out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import fields
from types import NoneType
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from azul_duel_env.agents import AGENTS
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.components import CONDITIONS, NUM_DOME_TILES, NUM_ROTATIONS
from azul_duel_env.games.duel.draw import turned
from azul_duel_env.play.saves import MAX_BYTES
from azul_duel_env.play.session import HINT, HUMAN, Session, Setup, fresh_seed, read_session, setup_for
from azul_duel_env.play.table import DEFAULT_LOOK, RefusedError, Table, told
from azul_duel_env.play.view import LAYOUTS, THEMES, hint_view, view_of
from azul_duel_env.system.reading import json_from

LOG = logging.getLogger(__name__)
MAX_BODY = 2 * MAX_BYTES
GAME_OPTIONS = [field.name for field in fields(GAME.options) if field.name not in ("first_player", "explicit_chance")]
WORDS_FOR = {int: "an integer", str: "a text", list: "a list", dict: "an object", NoneType: "null"}


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

    async def get_version(self, request: Request) -> dict[str, Any]:  # noqa: ARG002 # asks for nothing
        """``GET /api/version``."""
        return {"version": self._table.version}

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

    async def _asked(self, request: Request, **kinds: type | tuple[type, ...]) -> dict[str, Any]:
        """Return what a request brings that was meant for the state that there is.

        Raises:
            RefusedError: it is not as expected, or the game has moved on.
        """
        body = await body_of(request, version=int, **kinds)
        look_of(request)
        self._table.check_prepared()
        self._table.check_version(body["version"])
        return body

    async def play(self, request: Request) -> dict[str, Any]:
        """``POST /api/play``."""
        body = await self._asked(request, action=int)
        game = self._table.game
        if game.turn != HUMAN:
            raise RefusedError(400, "the game is over" if game.over else f"{game.turn} decides here, not a person")
        game.play(body["action"])
        self._table.changed()
        return self.state(request)

    async def think(self, request: Request) -> dict[str, Any]:
        """``POST /api/think``."""
        await self._asked(request)
        await self._table.think()
        return self.state(request)

    async def undo(self, request: Request) -> dict[str, Any]:
        """``POST /api/undo``."""
        await self._asked(request)
        self._table.game.undo()
        self._table.changed()
        return self.state(request)

    async def redo(self, request: Request) -> dict[str, Any]:
        """``POST /api/redo``."""
        await self._asked(request)
        self._table.game.redo()
        self._table.changed()
        return self.state(request)

    async def hint(self, request: Request) -> dict[str, Any]:
        """``POST /api/hint``."""
        body = await self._asked(request)
        found = await self._table.find_out(self._table.game.hint_thought())
        self._table.check_version(body["version"])
        return hint_view(self._table.game, found)

    async def new(self, request: Request) -> dict[str, Any]:
        """``POST /api/new``."""
        wanted = await self._asked(
            request, opponent=str, seat=str, watch=(list, NoneType), seed=(int, NoneType), options=dict
        )
        setup = self._setup_of(wanted)
        self._table.check_seats(setup.seats)
        await self._table.replace(lambda: Session(setup))
        return self.state(request)

    async def seats(self, request: Request) -> dict[str, Any]:
        """``POST /api/seats``."""
        seats = seats_of("seats", (await self._asked(request, seats=list))["seats"])
        self._table.check_seats(seats)
        text = self._table.game.record().write()
        await self._table.replace(lambda: read_session(text, seats=seats), another=False)
        return self.state(request)

    def _setup_of(self, wanted: dict[str, Any]) -> Setup:
        """Return the setup that somebody wants."""
        seed, watch, options = wanted["seed"], wanted["watch"], wanted["options"]
        unknown = set(options) - set(GAME_OPTIONS)
        if unknown:
            raise RefusedError(400, f"expected the options {', '.join(GAME_OPTIONS)}, not {sorted(unknown)}")
        if watch is None:
            return setup_for(wanted["opponent"], wanted["seat"], seed, options)
        return Setup(seats_of("watch", watch), fresh_seed() if seed is None else seed, options)

    async def load(self, request: Request) -> dict[str, Any]:
        """``POST /api/load``."""
        text = (await self._asked(request, text=str))["text"]
        await self._table.replace(lambda: read_session(text, self._table.may_play))
        return self.state(request)

    async def get_game(self, request: Request) -> Response:  # noqa: ARG002 # asks for nothing
        """``GET /api/game``."""
        game = self._table.game
        name = f"azul-duel-{'table' if game.setup.seed is None else game.setup.seed}.game"
        disposition = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(game.record().write(), media_type="text/plain; charset=utf-8", headers=disposition)


def seats_of(name: str, specs: list[Any]) -> tuple[str, ...]:
    """Return who sits where, as a request names them.

    Raises:
        RefusedError: not a text for each seat.
    """
    if len(specs) != GAME.num_players or not all(isinstance(spec, str) for spec in specs):
        raise RefusedError(400, f"{name} must be the specs of {GAME.num_players} agents, not {specs!r:.80}")
    return tuple(specs)


def answered(do: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers with JSON, errors included."""

    async def endpoint(request: Request) -> Response:
        try:
            found = await do(request)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is there to read it
        except asyncio.CancelledError:
            return Response(status_code=503)  # the server ends
        except RefusedError as error:
            return JSONResponse({"error": told(error), **error.more}, error.status)
        except (ValueError, OSError) as error:
            return JSONResponse({"error": told(error)}, 400)
        except Exception as error:  # a fault of ours: the page says what it is, the terminal where
            LOG.exception("%s %s", request.method, request.scope["path"])
            return JSONResponse({"error": told(error)}, 500)
        return found if isinstance(found, Response) else JSONResponse(found)

    return endpoint
