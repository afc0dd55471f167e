"""The launcher of the page: a port that listens, and a server that answers there until it is interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence

import uvicorn

from azul_duel_env.play.app import make_app
from azul_duel_env.play.connections import BoundedProtocol
from azul_duel_env.play.guard import LOOPBACK, Guard
from azul_duel_env.play.table import Table


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
