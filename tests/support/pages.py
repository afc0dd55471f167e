"""What the page does with its server, without a browser."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

from azul_duel_env.jit import COMPILED
from azul_duel_env.play.app import make_app
from azul_duel_env.play.new_game import Setup
from azul_duel_env.play.session import Session
from azul_duel_env.play.table import Table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer versions would rather have httpx2
    from starlette.testclient import TestClient

BASE = "http://127.0.0.1:8000"
OPPONENT = "greedy" if COMPILED else "random"
WANTED = {
    "game": None,
    "players": None,
    "opponent": "random",
    "seat": "first",
    "watch": None,
    "seed": 9,
    "options": {"scoring_tiles": 4},
}
"""A new game."""


def table_with(*seats, seed=5, known=(), saves=None, **options):
    return Table(lambda: Session(Setup(seats, seed, options)), known, saves)


class Page:
    """What the page does, without a browser."""

    def __init__(self, client):
        self.client = client
        self.prepared = False

    def get(self, path="state", **query):
        return self.client.get(f"/api/{path}", params=query)

    def asked(self, path, **query):
        """Ask about the state that there is."""
        return self.get(path, version=self.version, **query)

    def post(self, path, body, **how):
        return self.client.post(f"/api/{path}", json=body, **how)

    @property
    def state(self):
        while (answer := self.get()).status_code == 503:
            assert answer.json()["preparing"]
        assert answer.status_code == 200, answer.text
        return answer.json()

    @property
    def version(self):
        """The version of the state, once there is one. It is asked for alone: the picture in the state takes long."""
        self.prepared = self.prepared or bool(self.state)
        return self.get("version").json()["version"]

    def do(self, path, **body):
        answer = self.post(path, {"version": self.version, **body})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def ask(self, path, body):
        """Ask for something that is meant for the state that there is."""
        return self.post(path, {"version": self.version, **body})

    def play_on(self, count):
        """Let both sides decide, the person by a rule."""
        state = self.state
        while count and state["turn"] != "over":
            if state["turn"] == "human":
                state = self.do("play", action=state["choices"][len(state["choices"]) // 2]["action"])
                count -= 1
            else:
                state = self.do("think")
        while state["turn"] == "agent":
            state = self.do("think")
        return state

    def refused(self, status, told, answer):
        """Check that an answer refuses, says why, and that nothing has changed."""
        before = self.state
        assert answer.status_code == status, answer.text
        assert told in answer.json()["error"]
        assert self.state["version"] == before["version"]
        assert self.state["log"] == before["log"]


@contextmanager
def page_of(table, **how):
    """Open a page of a table."""
    with TestClient(make_app(table, **how), base_url=BASE) as client:
        yield Page(client)
