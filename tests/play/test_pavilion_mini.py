"""Azul Summer Pavilion Mini where people look at it: pictures of environments and notebooks, commands, the account on the page."""

from __future__ import annotations

import re

import gymnasium
import numpy as np
import pytest
from mini import game_of
from typer.testing import CliRunner

from azul_duel_env import pavilion_mini_v0
from azul_duel_env.arena.scenes import names_of
from azul_duel_env.cli import app
from azul_duel_env.pavilion_mini_v0 import PavilionMiniEnv, PavilionMiniVectorEnv
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.page_data import page_data
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import write_session

PICTURES = {"render_mode": "rgb_array", "render_width": 160}


def played(num_players: int, most: int = 1000) -> Session:
    """A game after so many decisions, or at its end."""
    session = Session(Setup((HUMAN, *["random"] * (num_players - 1)), 3, {}, game_of(num_players)))
    while not session.over and len(session.moves) < most:
        legal = session.position.legal_actions()
        session.play(int(legal[len(legal) // 2]))
    return session


def is_frame(frame) -> bool:
    return frame.dtype == np.uint8 and frame.shape[1:] == (160, 3) and len(np.unique(frame.reshape(-1, 3), axis=0)) > 9


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_environment_draws_itself(num_players):
    pytest.importorskip("resvg_py")
    how = {"num_players": num_players, "board": "grey", **PICTURES}
    aec = pavilion_mini_v0.env(**how)
    single, vector = PavilionMiniEnv(opponent="random", **how), PavilionMiniVectorEnv(2, opponent="random", **how)
    aec.reset(seed=1)
    single.reset(seed=1)
    vector.reset(seed=1)
    aec.step(int(aec.position.legal_actions()[0]))
    assert is_frame(aec.render())
    assert is_frame(single.render())
    assert all(map(is_frame, vector.render()))
    assert aec.position._repr_svg_().startswith("<svg")
    made = gymnasium.make("azul_duel_env:azul/PavilionMini-v0", opponent="random", disable_env_checker=True, **how)
    made.reset(seed=1)
    assert is_frame(made.render())


def test_stable_baselines3_draws_itself():
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("resvg_py")
    from azul_duel_env.envs.sb3 import make_sb3_vec

    envs = make_sb3_vec(2, seed=1, game=pavilion_mini_v0.raw_env.game.id, num_players=3, opponent="random", **PICTURES)
    envs.reset()
    assert all(map(is_frame, envs.get_images()))
    envs.close()


def test_the_window_tells_the_number_of_players(monkeypatch):
    from azul_duel_env.envs import rendering

    titles = []

    class Window:
        def __init__(self, title):
            titles.append(title)

        def show(self, frame, fps):
            pass

        def close(self):
            pass

    monkeypatch.setattr(rendering, "Window", Window)
    monkeypatch.setattr(rendering, "check_window", lambda: None)
    env = pavilion_mini_v0.env(num_players=3, render_mode="human", render_width=160)
    env.reset(seed=1)
    env.render()
    env.close()
    assert titles == ["Azul Summer Pavilion Mini, 3 players"]


def test_replay_speaks_the_words_of_play(tmp_path):
    """Each decision in words, what followed it below, a round on a line with the points; a file of three players needs no --game."""
    session = played(3)
    write_session(session, tmp_path / "a.game")
    done = CliRunner().invoke(app, ["replay", str(tmp_path / "a.game"), "--moves"])
    assert done.exit_code == 0, done.exception
    lines = done.output.splitlines()
    for number, move in enumerate(session.moves, 1):
        words = session.game.display.describe(move.action, move.before.states[0], names_of(session.record()))
        assert f"{number:3}  {words}" in lines
    assert any(re.match(r"     Round 6 begins, and red is wild\. .* \([+-]\d+\)", line) for line in lines)
    assert any(re.match(r"     Factory 1 holds .*; Factory 7 holds ", line) for line in lines)


def test_a_forced_payment_belongs_to_the_choice_of_the_space():
    session = played(3)
    forced = [move for move in session.moves if session.game.text.action_name(move.action).startswith("place")]
    first = [[event.kind for event in move.moments[0].events] for move in forced]
    assert ["tile_placed"] in first
    assert [] in first, "where there is a choice of payments"
    for move, kinds in zip(forced, first, strict=True):
        assert bool(kinds) == ("tile_placed" in [event.kind for event in move.events])


def test_the_page_tells_places_of_three():
    session = played(3)
    final = page_data(session, "wide", "light")["final"]
    assert sorted(final["places"]) in ([1, 2, 3], [1, 1, 3], [1, 2, 2], [1, 1, 1])
    best = [seat for seat, score in enumerate(final["scores"]) if score == max(final["scores"])]
    assert final["places"][best[0]] == 1
    assert [sum(points[seat] for _, points in final["rows"]) for seat in range(3)] == list(final["scores"])


def test_a_film_tells_the_number_of_players(tmp_path):
    from azul_duel_env.arena.film import write_film

    write_film(played(4, 5).record(), tmp_path / "a.html")
    assert "<title>Azul Summer Pavilion Mini, 4 players: human - " in (tmp_path / "a.html").read_text(encoding="utf-8")
