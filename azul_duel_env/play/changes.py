"""Long answers as what has changed since an earlier one: most of a picture and of a log is as it was before the move.

Whoever can put answers together adds ``known`` to the query: the name of an answer that they still have, from its header ``x-name``, or
nothing. A long answer then comes with a name of its own. If the server still has the one that was named, it repeats that name in the
header ``x-earlier`` and answers with a list: each element is a text, or ``[place, count]`` for so many parts of the earlier answer from a
place on. Both sides divide an answer alike: see ``parts_of``. Who asks without ``known`` gets answers as they are.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST = 2000
"""Bytes from which on an answer is long."""
MOST_KEPT = 16
"""Answers that are kept: more than pages are open, and of each the latest."""
BREAK = "\0"
"""Stands in no JSON text."""


def parts_of(text: str) -> list[str]:
    """Divide an answer: before each JSON object that holds something, and between two tags of SVG unless the second one closes."""
    broken = text.replace('{"', BREAK + '{"').replace("><", f">{BREAK}<").replace(f">{BREAK}</", "></")
    return broken.split(BREAK)


def changes_from(known: Sequence[str], parts: Sequence[str]) -> list[str | list[int]]:
    """Return what makes the parts of an answer from those of an earlier one: texts, and runs ``[place, count]`` of earlier parts."""
    places = {part: place for place, part in reversed(list(enumerate(known)))}
    told: list[str | list[int]] = []
    for part in parts:
        last = told[-1] if told else None
        if isinstance(last, list) and sum(last) < len(known) and known[sum(last)] == part:
            last[1] += 1
        elif part in places:
            told.append([places[part], 1])
        elif isinstance(last, str):
            told[-1] = last + part
        else:
            told.append(part)
    return told


class ChangesMiddleware:
    """Answers with changes those who ask for them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: OrderedDict[str, list[str]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        known = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True).get("known")
        if scope["type"] != "http" or known is None:
            await self._app(scope, receive, send)
            return
        start: Message = {}
        body = bytearray()

        async def send_changes(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                content = self._told(start, bytes(body), known[-1])
                await send(start)
                await send({"type": "http.response.body", "body": content})

        await self._app(scope, receive, send_changes)

    def _told(self, start: Message, body: bytes, known: str) -> bytes:
        """Return what is sent in place of a body, and put the headers right."""
        is_json = Headers(raw=start["headers"]).get("content-type", "").startswith("application/json")
        if len(body) < LEAST or not is_json:
            return body
        name, earlier, parts = sha256(body).hexdigest()[:16], self._kept.get(known), parts_of(body.decode())
        self._kept[name] = parts
        self._kept.move_to_end(name)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        headers = MutableHeaders(raw=start["headers"])
        if earlier is not None:
            body = json.dumps(changes_from(earlier, parts), ensure_ascii=False, separators=(",", ":")).encode()
            headers["x-earlier"] = known
        headers["x-name"], headers["content-length"] = name, str(len(body))
        return body
