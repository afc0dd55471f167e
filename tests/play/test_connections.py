"""What clients may do to a connection: whatever it is, it ends, nothing is printed, and others are answered."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import pytest

pytest.importorskip("uvicorn")

import uvicorn

from azul_duel_env.play import connections
from azul_duel_env.play.app import make_app
from azul_duel_env.play.server import config_for, listen
from azul_duel_env.play.table import Table

POST = b"POST /api/new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
NOWHERE = POST.replace(b"/api/new", b"/nowhere")
FOREIGN = POST.replace(b"127.0.0.1", b"evil.example")
VERSION = b"GET /api/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SOON = 15  # seconds: less than the server's patience, and long enough for a busy machine


def no_game():
    raise ValueError("no game is wanted here")


@pytest.fixture(scope="module")
def served():
    """Serve in a thread; the port, and the connections that the server counts."""
    most, connections.MOST_CONNECTIONS = connections.MOST_CONNECTIONS, 20
    server = uvicorn.Server(config_for(make_app(Table(no_game))))
    with listen("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1], server.server_state.connections
        server.should_exit = True
        thread.join(30)
    connections.MOST_CONNECTIONS = most


@pytest.fixture
def port(served):
    return served[0]


@pytest.fixture
def impatient(monkeypatch):
    """Let the server wait little for a request."""
    monkeypatch.setattr(connections, "SECONDS_TO_ARRIVE", 0.5)


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=SOON)


def answer_of(client):
    """Read until the server closes the connection."""
    content = b""
    try:
        while part := client.recv(65536):
            content += part
    except ConnectionError:
        pass
    return content


def is_alive(port):
    with connected(port) as client:
        client.sendall(VERSION)
        return b"200 OK" in answer_of(client)


def forgets(counted):
    """Return whether the server soon counts none of the connections that have ended."""
    until = time.monotonic() + SOON
    while counted and time.monotonic() < until:
        time.sleep(0.01)
    return not counted


@pytest.fixture(autouse=True)
def _all_is_forgotten_and_nothing_printed(served, capfd):
    port, counted = served
    assert is_alive(port)
    yield
    assert forgets(counted)
    assert is_alive(port)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


@pytest.mark.parametrize("abruptly", [False, True])
@pytest.mark.parametrize(
    "sent",
    [
        b"POST /api/new HT",
        POST + b"Content-Length: 100\r\n\r\n{",
        POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
        POST + b"Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
        NOWHERE + b"Content-Length: 100\r\n\r\n{",
        b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20,
    ],
)
def test_a_client_that_goes_away_is_forgotten(port, sent, abruptly):
    with connected(port) as client:
        client.sendall(sent)
        time.sleep(0.05)
        if abruptly:  # a reset in place of a farewell
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\nHost:", *(kind + b"Content-Length: 9\r\n\r\n{" for kind in (POST, NOWHERE))]
)
@pytest.mark.usefixtures("impatient")
def test_half_a_request_is_not_waited_for(port, sent):
    begun = time.monotonic()
    with connected(port) as client:
        client.sendall(sent)
        answer_of(client)
    assert time.monotonic() - begun < SOON


@pytest.mark.parametrize("kind", [POST, NOWHERE, FOREIGN])
@pytest.mark.parametrize("chunk", [b"1\r\n \r\n", b"10000\r\n" + b" " * 0x10000 + b"\r\n"], ids=["slow", "endless"])
@pytest.mark.usefixtures("impatient")
def test_a_body_that_never_ends_is_cut_off(port, kind, chunk):
    begun = time.monotonic()
    with connected(port) as client:
        try:
            client.sendall(kind + b"Transfer-Encoding: chunked\r\n\r\n")
            while time.monotonic() - begun < SOON:
                client.sendall(chunk)
                time.sleep(0.02)
        except ConnectionError:
            answer_of(client)
    assert time.monotonic() - begun < SOON


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\xfc\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000, b"400"),
        (POST + b"Content-Length: -1\r\n\r\n", b"400"),
        (POST + b"Connection: close\r\nContent-Length: 10\r\n\r\n" + b"[" * 10, b"400"),
        (FOREIGN + b"Connection: close\r\nContent-Length: 2\r\n\r\n{}", b"403"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n", b"200"),
        (b"BREW /api/new HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"405"),
    ],
)
def test_nonsense_is_answered(port, sent, status):
    with connected(port) as client:
        client.sendall(sent)
        assert status in answer_of(client).partition(b"\r\n")[0]


def test_connections_have_a_bound(served):
    port, counted = served
    assert forgets(counted)
    with ExitStack() as opened:
        clients = [opened.enter_context(connected(port)) for _ in range(connections.MOST_CONNECTIONS + 5)]
        admitted, refused = clients[:-5], clients[-5:]
        assert [answer_of(client) for client in refused] == [b""] * 5
        for client in admitted:
            client.sendall(VERSION)
            assert b"200 OK" in answer_of(client)


ENDING = """
import asyncio, os, signal, threading, urllib.error, urllib.request

from azul_duel_env.play import api, server
from azul_duel_env.play.table import Table

async def think_on(self, request):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()
    await asyncio.sleep(60)

def no_game():
    raise ValueError("no game is wanted here")

def ask():
    try:
        urllib.request.urlopen(server.address_of(listening) + "api/setup")
    except urllib.error.HTTPError as error:
        print(error.code, flush=True)

signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again at its end, and the answer is not printed yet
api.Api.get_setup = think_on
asking = threading.Thread(target=ask, daemon=True)
with server.listen("127.0.0.1", 0) as listening:
    server.serve(Table(no_game), listening, "127.0.0.1", asking.start)
asking.join()
"""


def test_a_server_that_is_ended_while_somebody_waits_prints_nothing():
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("503\n", "")
