"""What each address of the server answers."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from azul_duel_env.arena.film import write_film
from azul_duel_env.play.new_game import FIRST_PLAYER, HUMAN, Setup, fresh_seed, option_names, setup_for
from azul_duel_env.play.page_data import dress_data, hint_data, page_data, scenes_data, setup_data
from azul_duel_env.play.reports import seat_in_front
from azul_duel_env.play.requests import body_of, look_of, number_in, number_of
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import read_session
from azul_duel_env.play.table import RefusedError, Table, in_thread


class Api:
    """What each address does, for one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def state(self, request: Request) -> dict[str, Any]:
        """Return the game as it is."""
        table = self._table
        about = {
            "game": table.number,
            "version": table.version,
            "trouble": table.trouble,
            "is_offered": table.is_offered,
        }
        return {**about, **page_data(table.ready_session(), *look_of(request))}

    async def get_state(self, request: Request) -> dict[str, Any]:
        """``GET /api/state``."""
        return self.state(request)

    async def get_version(self, request: Request) -> dict[str, Any]:  # noqa: ARG002 # asks for nothing
        """``GET /api/version``."""
        return {"version": self._table.version}

    async def get_dress(self, request: Request) -> dict[str, Any]:
        """``GET /api/dress``."""
        return dress_data(self._table.ready_session(), *look_of(request))

    async def get_scenes(self, request: Request) -> dict[str, Any]:
        """``GET /api/scenes``."""
        session, look = self._table.ready_session(), look_of(request)
        self._table.check_version(number_of(request, "version"))
        move = number_of(request, "move")
        if not 1 <= move <= len(session.moves):
            raise RefusedError(400, f"move must be 1 to {len(session.moves)}, not {move}")
        return {"version": self._table.version, **scenes_data(session, move - 1, *look)}

    async def get_setup(self, request: Request) -> dict[str, Any]:
        """``GET /api/setup``."""
        game = self._table.find_game(request.query_params.get("game"), number_in(request, "players"))
        return setup_data(game) | {"adviser": self._table.adviser_for(game)}

    async def get_component(self, request: Request) -> Response:
        """``GET /api/components/NAME``."""
        components = self._table.find_game(request.query_params.get("game"), None).display.components
        component = components.get(request.path_params["name"])
        if component is None:
            raise RefusedError(404, "there is nothing here")
        picture = component.picture(request.query_params, look_of(request)[1])
        return Response(picture, media_type="image/svg+xml")

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
        game = self._table.ready_session()
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
        self._table.ready_session().undo()
        self._table.changed()
        return self.state(request)

    async def redo(self, request: Request) -> dict[str, Any]:
        """``POST /api/redo``."""
        await self._asked(request)
        self._table.ready_session().redo()
        self._table.changed()
        return self.state(request)

    async def hint(self, request: Request) -> dict[str, Any]:
        """``POST /api/hint``."""
        body = await self._asked(request)
        session = self._table.ready_session()
        found = await self._table.find_out(session.hint_thought(self._table.adviser_for(session.game)))
        self._table.check_version(body["version"])
        return hint_data(session, found)

    async def new(self, request: Request) -> dict[str, Any]:
        """``POST /api/new``."""
        wanted = await self._asked(
            request,
            game=(str, NoneType),
            players=(int, NoneType),
            opponent=(str, list),
            seat=str,
            watch=(list, NoneType),
            seed=(int, NoneType),
            options=dict,
        )
        setup = self._setup_of(wanted)
        self._table.check_seats(setup.game, setup.seats)
        await self._table.replace(lambda: Session(setup))
        return self.state(request)

    async def rematch(self, request: Request) -> dict[str, Any]:
        """``POST /api/rematch``."""
        await self._asked(request)
        setup = replace(self._table.ready_session().setup, seed=fresh_seed())
        await self._table.replace(lambda: Session(setup))
        return self.state(request)

    async def stay(self, request: Request) -> dict[str, Any]:
        """``POST /api/stay``."""
        await self._asked(request)
        self._table.stay()
        return {"version": self._table.version}

    async def seats(self, request: Request) -> dict[str, Any]:
        """``POST /api/seats``."""
        game = self._table.game
        seats = specs_of("seats", (await self._asked(request, seats=list))["seats"], game.num_players)
        self._table.check_seats(game, seats)
        text = self._table.ready_session().record().write()
        await self._table.replace(lambda: read_session(text, seats=seats), another=False)
        return self.state(request)

    def _setup_of(self, wanted: dict[str, Any]) -> Setup:
        """Return the setup that somebody wants."""
        game = self._table.find_game(wanted["game"], wanted["players"])
        seed, opponent, options = wanted["seed"], wanted["opponent"], wanted["options"]
        known = [name for name in option_names(game) if name != FIRST_PLAYER]
        unknown = set(options) - set(known)
        if unknown:
            raise RefusedError(400, f"expected the options {', '.join(known)}, not {sorted(unknown)}")
        if wanted["watch"] is not None:
            watched = specs_of("watch", wanted["watch"], game.num_players)
            return Setup(watched, fresh_seed() if seed is None else seed, options, game)
        if isinstance(opponent, list):
            opponent = specs_of("opponent", opponent, game.num_players - 1)
        return setup_for(opponent, wanted["seat"], seed, options, game)

    async def load(self, request: Request) -> dict[str, Any]:
        """``POST /api/load``."""
        text = (await self._asked(request, text=str))["text"]
        await self._table.replace(lambda: read_session(text, self._table.may_play))
        return self.state(request)

    async def get_game(self, request: Request) -> Response:  # noqa: ARG002 # asks for nothing
        """``GET /api/game``."""
        game = self._table.ready_session()
        disposition = {"content-disposition": f'attachment; filename="{file_stem(game)}.game"'}
        return Response(game.record().write(), media_type="text/plain; charset=utf-8", headers=disposition)

    async def get_film(self, request: Request) -> Response:  # noqa: ARG002 # asks for nothing
        """``GET /api/film``."""
        session = self._table.ready_session()
        if not session.over:
            raise RefusedError(409, "the game is not over yet")
        record, seat = session.record(), seat_in_front(session)

        def film() -> str:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "film.html"
                write_film(record, file, seat=seat)
                return file.read_text(encoding="utf-8")

        headers = {"content-disposition": f'attachment; filename="{file_stem(session)}.html"'}
        return Response(await in_thread(film), media_type="text/html; charset=utf-8", headers=headers)


def file_stem(session: Session) -> str:
    """Return what files of a game are called, without an ending."""
    title = re.sub("[^a-z0-9]+", "-", session.game.full_title.lower())
    return f"{title}-{'table' if session.setup.seed is None else session.setup.seed}"


def specs_of(name: str, specs: list[Any], count: int) -> tuple[str, ...]:
    """Return who is to play, as a request names them.

    Raises:
        RefusedError: not so many texts.
    """
    if len(specs) != count or not all(isinstance(spec, str) for spec in specs):
        raise RefusedError(400, f"{name} must be the specs of {count} agents, not {specs!r:.80}")
    return tuple(specs)
