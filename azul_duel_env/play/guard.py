"""Who may ask the server of the page: pages of its own, on this machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
PAGE = {"/": "index.html", "/app.js": "app.js", "/style.css": "style.css"}
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
