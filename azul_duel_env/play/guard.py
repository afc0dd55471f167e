"""Who may ask the server of the page: pages of its own, on this machine or where the user says that they are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

USUAL_PORTS = {"http": 80, "https": 443}
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
FOLDER = resources.files("azul_duel_env.play").joinpath("page")
PAGE = {"/": "index.html", "/analysis": "analysis.html"} | {
    f"/{file.name}": file.name for file in FOLDER.iterdir() if file.name.endswith((".js", ".css"))
}
"""Addresses that other sites may link to -> files of the page."""
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


class Guard:
    """Lets only the server's own pages in, and puts the headers on that keep a page to itself.

    Args:
        app: what is guarded.
        hosts: names by which the server may be called; an address that is none of this machine's is no name.
        any_address: whether any numeric address is such a name: the server listens to more than this machine.
        origins: where else the page is shown, by a service that forwards the port: as ``origin_of`` returns them. The server may be called
            by their names too.
    """

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str] = LOOPBACK, *, any_address: bool = False, origins: Sequence[str] = ()
    ) -> None:
        self._app, self._hosts, self._any_address = app, tuple(hosts), any_address
        self._origins = frozenset(origins)
        self._forwarded = frozenset(_name_in(origin.partition("://")[2]) for origin in origins)

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
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if not self._is_ours(host) and _name_in(host) not in self._forwarded:
            return f"this server is called {' or '.join(self._hosts)}, not {host!r:.80}{_way_in(origin or f'https://{host}')}"
        own = f"http://{host}" if self._is_ours(host) else None
        if origin is not None and origin != own and origin not in self._origins:
            return f"pages of {origin!r:.80} can't play here{_way_in(origin)}"
        is_page = request.method == "GET" and request.scope["path"] in PAGE
        if not is_page and request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "pages of other sites can't play here"
        return None

    def _is_ours(self, host: str) -> bool:
        """Return whether a ``Host`` names this server: no other site can make its own name one of these."""
        name = _name_in(host)
        return name in self._hosts or (self._any_address and _is_address(name))


def origin_of(url: str) -> str:
    """Return the origin of an address, as browsers write it: scheme, name, and port unless it is the usual one.

    Raises:
        ValueError: it has none.
    """
    try:
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port
    except ValueError:
        parts, name, port = urlsplit(""), "", None
    if parts.scheme not in USUAL_PORTS or not re.fullmatch(r"[a-z0-9.:_-]+", name):
        raise ValueError(
            f"--allow-origin takes an address such as https://name.example or http://box:8080, not {url!r}"
        )
    name = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{name}" + (f":{port}" if port not in (None, USUAL_PORTS[parts.scheme]) else "")


def _way_in(url: str) -> str:
    """Return the end of a refusal: what to do if one came through a service that forwards the port."""
    try:
        return f"; if a service that you trust forwards this port to you there, add --allow-origin {origin_of(url)}"
    except ValueError:
        return ""


def _name_in(host: str) -> str:
    """Return a ``Host`` without its port."""
    return re.sub(r":[0-9]+$", "", host.lower())


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
