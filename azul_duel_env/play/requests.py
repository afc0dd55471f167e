"""What requests of the page ask for, and how they are answered: all of it is checked, and errors are reported as JSON."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from types import NoneType
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from azul_duel_env.play.session_file import MAX_BYTES
from azul_duel_env.play.table import DEFAULT_LOOK, RefusedError, error_text
from azul_duel_env.system.reading import json_from
from azul_duel_env.view.picture import PAGE_LAYOUTS, THEMES

LOG = logging.getLogger(__name__)
MAX_BODY = 2 * MAX_BYTES
WORDS_FOR = {int: "an integer", str: "a text", list: "a list", dict: "an object", NoneType: "null"}


def look_of(request: Request) -> tuple[str, str]:
    """Return the layout and the theme that a request asks for.

    Raises:
        RefusedError: there is no such layout or theme.
    """
    query = request.query_params
    look = query.get("layout", DEFAULT_LOOK[0]), query.get("theme", DEFAULT_LOOK[1])
    if look[0] not in PAGE_LAYOUTS or look[1] not in THEMES:
        raise RefusedError(
            400, f"layout must be one of {', '.join(PAGE_LAYOUTS)}, theme one of {', '.join(THEMES)}, not {look}"
        )
    return look


def number_in(request: Request, name: str) -> int | None:
    """Return a whole number in the query of a request, of at most 17 digits; None if it isn't there.

    Raises:
        RefusedError: it is something else.
    """
    text = request.query_params.get(name)
    if text is not None and not (text.isascii() and text.isdecimal() and len(text) < 18):
        raise RefusedError(400, f"{name} must be a number, not {text!r:.80}")
    return None if text is None else int(text)


def number_of(request: Request, name: str) -> int:
    """Return a whole number in the query of a request, which must be there; see ``number_in``."""
    number = number_in(request, name)
    if number is None:
        raise RefusedError(400, f"{name} must be a number, and is missing")
    return number


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
            return JSONResponse({"error": error_text(error), **error.more}, error.status)
        except (ValueError, OSError) as error:
            return JSONResponse({"error": error_text(error)}, 400)
        except Exception as error:  # a fault of ours: the page says what it is, the terminal where
            LOG.exception("%s %s", request.method, request.scope["path"])
            return JSONResponse({"error": error_text(error)}, 500)
        return found if isinstance(found, Response) else JSONResponse(found)

    return endpoint
