"""The game in text, played through a pipe as over ssh."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console
from typer.testing import CliRunner

from azul_duel_env.cli import app
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED
from azul_duel_env.play.new_game import HUMAN, Setup
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import read_session, write_session
from azul_duel_env.play.terminal import coloured, play_in_terminal

OPPONENT = "greedy" if COMPILED else "random"


class Scripted(Console):
    """A console that is answered by a script; at the end of the script the input ends, unless it goes on with first choices."""

    def __init__(self, *lines, goes_on=False):
        super().__init__(file=io.StringIO(), width=120)
        self.answers, self.goes_on = list(lines), goes_on

    def input(self, prompt="", **_):
        self.print(prompt, markup=False)
        if not self.answers and not self.goes_on:
            raise EOFError
        return self.answers.pop(0) if self.answers else "1"

    @property
    def text(self):
        return self.file.getvalue()


@pytest.fixture
def autosave(tmp_path):
    return Autosave(tmp_path)


def play(session, autosave, *lines, **how):
    console = Scripted(*lines, **how)
    play_in_terminal(session, autosave, console)
    return console.text


def start(*seats, seed=4, **options):
    return Session(Setup(seats, seed, options))


def test_a_decision_is_asked_step_by_step(autosave):
    session = start(HUMAN, OPPONENT, first_player=1)
    text = play(session, autosave, "2", "5", "4")
    assert "You: Take a dome tile of the display and place it" in text
    assert "  1  dome tile 1 of the display" in text
    assert "  5  middle centre" in text
    assert "  4  turned by 270°" in text
    assert "turned by 270°" in next(line for line in text.splitlines() if line.startswith("* You take"))
    assert len(session.moves) >= 1
    assert f"The game is kept in {autosave.file}" in text
    assert read_session(autosave.file.read_text(encoding="utf-8")).moves[0].action == session.moves[0].action


def test_back_and_what_is_not_understood(autosave):
    session = start(HUMAN, OPPONENT, first_player=1)
    text = play(session, autosave, "1", "", "0", "99", "pink", "½", "2", "1", "1")
    assert text.count("expected a number from 1 to 3") == 4
    assert GAME.text.action_name(session.moves[0].action) == "A display 2 -> slot 1-1 turned 0"


def test_undo_redo_log_and_save(autosave, tmp_path, monkeypatch):
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    session = start(HUMAN, "random", first_player=1)
    lines = ("undo", "1", "1", "1", "log", "undo", "redo", "save ~/my.game", "save", "board", "help")
    text = play(session, autosave, *lines)
    assert "there is no decision to take back" in text
    assert "  1  You take the dome tile" in text
    assert "expected the name of a file" in text
    assert "what a search would play" in text
    monkeypatch.chdir(tmp_path)
    play(session, autosave, "save ~nobody-of-this-name/my.game")
    assert (tmp_path / "~nobody-of-this-name" / "my.game").exists()
    saved = read_session((tmp_path / "my.game").read_text(encoding="utf-8"))
    assert saved.record().write() == session.record().write()


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_a_hint(autosave):
    text = play(start(HUMAN, OPPONENT, first_player=1), autosave, "hint")
    assert re.search(r"Hint of mcts:400: You take the dome tile", text)
    assert "expected margin at the end of the round" in text


def test_a_whole_game_ends_with_the_account(autosave):
    session = start(HUMAN, "random")
    console = Scripted(goes_on=True)
    original = console.input

    def answer(prompt="", **how):
        if session.over:
            raise EOFError
        return original(prompt, **how)

    console.input = answer
    play_in_terminal(session, autosave, console)
    assert session.over
    rows = [line for line in console.text.splitlines() if line.startswith("│ score")]
    assert [int(number) for number in re.findall(r"\d+", rows[-1])] == list(session.position.scores)


def test_two_agents_play_to_the_end_without_a_question(autosave):
    session = start("random", "random")
    text = play(session, autosave)
    assert session.over
    assert "score" in text
    assert autosave.file is None


def test_an_agent_that_fails_can_be_asked_again(autosave):
    session = start(HUMAN, f"{__name__}:moody", first_player=1)
    TEMPERS.extend([RuntimeError("no idea"), RuntimeError("not yet"), None])
    text = play(session, autosave, *"111", "", "log")
    assert "failed: RuntimeError: no idea" in text
    assert "failed: RuntimeError: not yet" in text
    assert "  1  You take the dome tile" in text
    assert [move.player for move in session.moves[:2]] == [0, 1]


TEMPERS = []


def moody(_observation, mask):
    if TEMPERS and (temper := TEMPERS.pop(0)):
        raise temper
    return int(mask.argmax())


def test_a_wrong_origin_is_told_before_the_page_is_served():
    failure = CliRunner().invoke(app, ["play", "--no-browser", "--opponent", "random", "--allow-origin", "*"]).exception
    assert isinstance(failure, ValueError)
    assert "--allow-origin takes an address such as https://name.example" in str(failure)


def test_tiles_have_their_colours():
    text = coloured("small-1: sun -, moon BBR, chip down\nrow 1: K .t Yw", GAME.display.board_colours)
    coloured_letters = {text.plain[span.start : span.end] for span in text.spans}
    assert coloured_letters == {"B", "R", "K", "Y"}


def invoke(*args, **how):
    return CliRunner().invoke(app, ["play", "--terminal", *args], **how)


def test_the_command_plays_through_a_pipe(monkeypatch, tmp_path):
    monkeypatch.setenv("AZUL_DUEL_DATA_DIR", str(tmp_path))
    done = invoke("--opponent", "random", "--seat", "second", "--seed", "3", input="1\n1\n1\n")
    assert done.exit_code == 0
    assert "You (player 1), seed 3" in done.output
    assert "--resume goes on" in done.output
    moves = len(read_session(Autosave(tmp_path).resume().read_text(encoding="utf-8")).moves)
    again = invoke("--resume", input="log\nquit\n")
    assert again.exit_code == 0
    assert f"{moves:3}  " in again.output


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--opponent", "greedi"), "did you mean 'greedy'"),
        (("--opponent", "mtcs:400"), "did you mean 'mcts:400'"),
        (("--watch", "random", "greedi"), "did you mean 'greedy'"),
        (("--scoring-tiles", "7"), "scoring_tiles must be"),
        (("--load", "/nowhere/a.game"), "No such file"),
    ],
)
def test_the_command_tells_what_is_wrong(args, told):
    failure = invoke(*args).exception
    assert isinstance(failure, (ValueError, OSError))
    assert told in str(failure)


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_libraries_of_the_page_the_extra_is_named(monkeypatch, missing):
    of_the_page = (f"{missing}.", "azul_duel_env.play.app", "azul_duel_env.play.server")
    for module in [name for name in sys.modules if name.startswith(of_the_page)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, missing, None)
    failure = CliRunner().invoke(app, ["play", "--no-browser", "--opponent", "random"]).exception
    assert isinstance(failure, ValueError)
    assert f"the page needs {missing}: pip install 'azul_duel_env[play]'" in str(failure)


def test_load_and_resume_are_one_too_many():
    assert invoke("--load", "a.game", "--resume").exit_code == 2


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("--seed", "3"), "--seed"),
        (("--scoring-tiles", "3"), "--scoring-tiles"),
        (("--watch", "random", "random", "--seat", "first"), "--watch, --seat"),
    ],
)
def test_what_a_game_that_goes_on_can_not_take_is_told(tmp_path, args, named):
    file = tmp_path / "a.game"
    write_session(start(HUMAN, "random"), file)
    refused = invoke("--load", str(file), *args, standalone_mode=False).exception
    assert f"{named}: for new games only" in str(refused)


def test_a_file_that_holds_no_game_is_told(tmp_path):
    (tmp_path / "a.game").write_text("hello\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: expected"):
        invoke("--load", str(tmp_path / "a.game"), catch_exceptions=False)


@pytest.mark.skipif(not COMPILED, reason="needs the compiled rules to be quick")
def test_ctrl_c_leaves_cleanly(tmp_path):
    code = "from azul_duel_env.cli import main; main()"
    command = [sys.executable, "-u", "-c", code, "play", "--terminal", "--opponent", "random", "--seat", "second"]
    environment = {**os.environ, "AZUL_DUEL_DATA_DIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        process.stdin.write("1\n1\n1\n")
        process.stdin.flush()
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob("*.game")) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "--resume goes on" in out
    assert "Traceback" not in err
