"""What the addresses answer that explain the game on the table."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from azul_duel_env.play.choices import choices_of
from azul_duel_env.play.guidance import guide_data, parts_of, preview_data, table_picture, why_not
from azul_duel_env.play.new_game import HUMAN
from azul_duel_env.play.requests import look_of, number_in, number_of
from azul_duel_env.play.session import Session
from azul_duel_env.play.table import RefusedError, Table


class GuideApi:
    """What each address answers that explains the game on a table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def get_guide(self, request: Request) -> dict[str, Any]:
        """``GET /api/guide``."""
        return guide_data(self._table.find_game(request.query_params.get("game"), number_in(request, "players")))

    async def get_why(self, request: Request) -> dict[str, Any]:
        """``GET /api/why``."""
        session, picked = self._asked(request), request.query_params.get("picked", "").split()
        key = request.query_params.get("part", "")
        if key not in parts_of(table_picture(session, session.position.states[0], *look_of(request))):
            raise RefusedError(400, f"there is no part {key!r:.80} on the table")
        if picked and not any(
            list(choice.keys[: len(picked)]) == picked for choice in choices_of(session.position, session.names)
        ):
            raise RefusedError(400, "no legal action begins with these parts")
        return {"why": why_not(session, key, picked)}

    async def get_preview(self, request: Request) -> dict[str, Any]:
        """``GET /api/preview``."""
        session, action = self._asked(request), number_in(request, "action")
        if session.turn != HUMAN:
            raise RefusedError(409, "no person decides here")
        if action is None or action not in session.position.legal_actions():
            raise RefusedError(400, "action must be the number of a legal action")
        return preview_data(session, action, *look_of(request))

    def _asked(self, request: Request) -> Session:
        """Return the game in the state that a question is about.

        Raises:
            RefusedError: there is none, or it has moved on.
        """
        session = self._table.ready_session()
        self._table.check_version(number_of(request, "version"))
        return session
