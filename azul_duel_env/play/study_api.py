"""What the addresses below ``/api/study`` answer: a game looked at again, and what agents think of its positions.

===================================  ===============================================================================================
``GET  /api/study``                  the game, its moves in words; ``id``: ``table``, or of a file that was opened
``GET  /api/study/position``         the picture after ``at`` decisions, and what there is to choose from
``GET  /api/study/progress``         how far the analysis of ``agent`` is, and what it found about decisions later than ``after``
``GET  /api/study/analysis``         the same as ``azul-duel analyse --json`` writes it
``POST /api/study/open``             ``{"text"}`` of a game file: its ``id``; the game on the table stays
``POST /api/study/analyse``          ``{"id", "agent"}``: let a search look at all decisions that it hasn't looked at yet
``POST /api/study/stop``             ``{"id"}``: no further
``POST /api/study/outlook``          ``{"id", "at", "agent"}``: what an agent thinks of a position: probabilities, values, what it expects
``POST /api/study/judge``            ``{"id", "at", "action", "agent"}``: what a search finds an action worth, beside its own
===================================  ===============================================================================================

Whoever asks for a position or for progress may say which study that is meant for, with the ``key`` that ``/api/study`` named: if another
game lies on the table by now, or another server answers, the request is refused with ``409``.

Searches run in threads that leave the server free. Only agents that may be chosen on the page may be asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from azul_duel_env.agents import Agent, find_search
from azul_duel_env.agents.outlook import Outlook, only_action, outlook_of
from azul_duel_env.agents.table import is_agent
from azul_duel_env.agents.tree_search import SearchCalledOffError
from azul_duel_env.game import Game, Position
from azul_duel_env.jit.rng import keys_from_seed
from azul_duel_env.play.agents import Asking, Thought
from azul_duel_env.play.new_game import HUMAN, SessionError
from azul_duel_env.play.requests import answered, body_of, look_of, number_in
from azul_duel_env.play.studies import ON_THE_TABLE, SEED, Studies, Study
from azul_duel_env.play.study_data import (
    decision_data,
    is_hidden,
    outlook_data,
    position_data,
    progress_data,
    study_data,
)
from azul_duel_env.play.table import RefusedError, Table, in_thread
from azul_duel_env.tools.analysis import Choice, look_at


class StudyApi:
    """What each address does, for one table and its studies."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._studies = Studies(table.ready_session, lambda: table.number)
        self._thoughts: dict[tuple[str, str], Thought[Outlook]] = {}

    def routes(self) -> list[Route]:
        """Return what is at which address."""
        get: dict[str, Callable[[Request], Awaitable[Any]]] = {
            "": self.get_study,
            "/position": self.get_position,
            "/progress": self.get_progress,
        }
        get |= {"/analysis": self.get_analysis}
        post = {"open": self.open, "analyse": self.analyse, "stop": self.stop, "outlook": self.outlook}
        post |= {"judge": self.judge}
        return [
            *(Route(f"/api/study{name}", answered(do), methods=["GET"]) for name, do in get.items()),
            *(Route(f"/api/study/{name}", answered(do), methods=["POST"]) for name, do in post.items()),
        ]

    # Asked for ----------------------------------------------------------------------------
    async def get_study(self, request: Request) -> dict[str, Any]:
        """``GET /api/study``."""
        study = self._study_in(request)
        return study_data(study, self._table.adviser_for(study.session.game))

    async def get_position(self, request: Request) -> dict[str, Any]:
        """``GET /api/study/position``."""
        study = self._study_in(request)
        return position_data(study, number_in(request, "at") or 0, *look_of(request))

    async def get_progress(self, request: Request) -> dict[str, Any]:
        """``GET /api/study/progress``."""
        study = self._study_in(request)
        agent, after = self._search_named(request, study), number_in(request, "after") or 0
        return await in_thread(lambda: progress_data(study, agent, study.progress(agent), after))

    async def get_analysis(self, request: Request) -> Response:
        """``GET /api/study/analysis``."""
        study = self._study_in(request)
        found = study.analysis(self._search_named(request, study))
        headers = {"content-disposition": 'attachment; filename="analysis.json"'}
        return JSONResponse(found.as_dict(), headers=headers)

    async def open(self, request: Request) -> dict[str, Any]:
        """``POST /api/study/open``."""
        body = await body_of(request, text=str)
        self._table.check_prepared()
        return {"id": await in_thread(lambda: self._studies.open(body["text"]))}

    async def analyse(self, request: Request) -> dict[str, Any]:
        """``POST /api/study/analyse``."""
        body = await body_of(request, id=str, agent=str)
        study, agent = self._study(body["id"]), body["agent"]
        self._check_agent(study.session.game, agent)
        await in_thread(lambda: study.start(agent))
        return {"started": agent}

    async def stop(self, request: Request) -> dict[str, Any]:
        """``POST /api/study/stop``."""
        self._study((await body_of(request, id=str))["id"]).stop()
        return {"stopped": True}

    async def outlook(self, request: Request) -> dict[str, Any]:
        """``POST /api/study/outlook``."""
        body = await body_of(request, id=str, at=int, agent=str)
        study, agent = self._study(body["id"]), body["agent"]
        session, position = study.session, self._open_position(study, body["at"])
        self._check_agent(session.game, agent)
        key = keys_from_seed(SEED, body["at"] + 1)[-1]
        asking = await in_thread(lambda: session.asking(agent, position, key))
        found = await self._think(
            (body["id"], agent), Thought(lambda: outlook_by(asking), getattr(asking.agent, "policy", None))
        )
        return outlook_data(session, position, agent, found)

    async def _think(self, question: tuple[str, str], thought: Thought[Outlook]) -> Outlook:
        """Return what a thought finds; an earlier one on the same question, which was about another position, is called off.

        Raises:
            RefusedError: it was called off itself.
        """
        earlier = self._thoughts.get(question)
        if earlier is not None:
            earlier.call_off()
        self._thoughts[question] = thought
        try:
            return await in_thread(thought)
        except SearchCalledOffError:
            raise RefusedError(409, "this agent was asked about another position meanwhile") from None
        finally:
            if self._thoughts.get(question) is thought:
                del self._thoughts[question]

    async def judge(self, request: Request) -> dict[str, Any]:
        """``POST /api/study/judge``."""
        body = await body_of(request, id=str, at=int, action=int, agent=str)
        study, agent, action = self._study(body["id"]), body["agent"], body["action"]
        session, position = study.session, self._open_position(study, body["at"])
        if body["at"] == len(session.moves):
            raise RefusedError(400, "nothing was decided here yet, and so there is nothing to compare an action with")
        if action not in position.legal_actions():
            raise RefusedError(400, position.why_illegal(action))
        self._check_agent(session.game, agent)
        search = find_search(session.game, agent)
        choice = Choice(body["at"] + 1, position, action)
        return decision_data(session, await in_thread(lambda: look_at(search, choice, SEED)))

    # Checks -------------------------------------------------------------------------------
    def _study(self, name: str) -> Study:
        """Return the study with an id.

        Raises:
            RefusedError: there is none, or no game on the table yet.
        """
        if name == ON_THE_TABLE:
            self._table.ready_session()
        study = self._studies.find(name)
        if study is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, "this game is not open any more: open its file again")
        return study

    def _study_in(self, request: Request) -> Study:
        """Return the study that the query of a request names; see ``_study``.

        Raises:
            RefusedError: it was meant for another one.
        """
        study = self._study(request.query_params.get("id", ON_THE_TABLE))
        if request.query_params.get("key", study.key) != study.key:
            raise RefusedError(HTTPStatus.CONFLICT, "another game lies on the table, or the server was started anew")
        return study

    def _open_position(self, study: Study, at: int) -> Position:
        """Return the position after so many decisions, of which the reader may know all that there is to choose from.

        Raises:
            RefusedError: they may not, or nobody decides there.
        """
        session, position = study.session, study.position(at)
        if position.over:
            raise RefusedError(400, "nobody decides here: the game is over")
        if is_hidden(session, position):
            name = session.names[position.player]
            raise RefusedError(400, f"what {name} chooses from here is secret, and so is what an agent thinks of it")
        return position

    def _search_named(self, request: Request, study: Study) -> str:
        """Return the spec of the search that a request names, or of that which looks where none is named."""
        agent = request.query_params.get("agent")
        if agent is None:
            return self._table.adviser_for(study.session.game)
        self._check_agent(study.session.game, agent)
        return agent

    def _check_agent(self, game: Game, agent: str) -> None:
        """Check that an agent may be asked on the page.

        Raises:
            ValueError: it may not, or it is a person.
        """
        if agent == HUMAN:
            raise SessionError("expected an agent, not a person")
        self._table.check_seats(game, (agent,))


def outlook_by(asking: Asking) -> Outlook:
    """Return what an agent of whatever kind thinks of a position.

    Raises:
        ValueError: the agent failed.
    """
    if isinstance(asking.agent, Agent) and is_agent(asking.position.game, asking.spec):
        return outlook_of(asking.agent, asking.position, asking.key)
    return only_action(asking.position, asking())
