"""What commands print arrives whole: in any encoding, on any terminal, and where nobody reads on."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from rich.table import Table

from azul_duel_env.arena import GameResult, summarise
from azul_duel_env.arena.ladder import Ladder, standings_of
from azul_duel_env.arena.report import standings_table
from azul_duel_env.cli import output
from azul_duel_env.cli.output import PLAIN, show
from azul_duel_env.cli.shared import hand_out, matches_table
from azul_duel_env.games.duel import GAME
from azul_duel_env.system.signals import sigterm_interrupts
from azul_duel_env.tools.analysis import Decision, decisions_table

COMMAND = [sys.executable, "-m", "azul_duel_env"]
AGENTS = ("sb3:runs/[bold]/my_model_of_the_long_name.zip", "module:färöisch")
GAMES = [GameResult(AGENTS, seed, (50 + seed, 10), 0, 150, (), 1, (80, 70), (0.25, 0.5)) for seed in range(4)]


def tables():
    yield matches_table([summarise(AGENTS, GAMES)], GAME)
    yield standings_table(
        standings_of(Ladder(AGENTS, 2, 1), {(AGENTS, seed): game for seed, game in by_fixture()}), "Azul Duel"
    )
    yield decisions_table([decision() for _ in range(3)], "network+mcts:2000")


def by_fixture():
    return [(seed, game) for (_, seed), game in zip(Ladder(AGENTS, 2, 1).fixtures(), GAMES, strict=False)]


def decision():
    played, best = "A display tile 2: red, yellow -> blue line", "B small-2 turquoise -> line 5"
    return Decision(12, 3, 0, 7, played, best, 0.25, 0.75, (0.25, -0.25), -2.5, 2.0, 0.5, "??", (best,))


class Terminal(io.TextIOWrapper):
    def __init__(self, encoding, is_terminal):
        super().__init__(io.BytesIO(), encoding=encoding, errors=PLAIN, write_through=True)
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal

    @property
    def text(self):
        text = self.buffer.getvalue().decode(self.encoding)
        return re.sub(r"\x1b\[[0-9;]*m", "", text)


def shown(monkeypatch, what, encoding="utf-8", width=None, **environment):
    for name in ("FORCE_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
    terminal = Terminal(encoding, width is not None)
    monkeypatch.setattr(sys, "stdout", terminal)
    show(what)
    return terminal.text


def words_of(table, encoding):
    cells = [str(cell) for column in table.columns for cell in column.cells]
    text = " ".join([*cells, *(str(column.header) for column in table.columns)])
    return text.encode(encoding, PLAIN).decode(encoding).split()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp437"])
@pytest.mark.parametrize("width", [None, 10, 80, 120, 300])
@pytest.mark.parametrize(
    "kind", [{}, {"TERM": "dumb"}, {"TERM": "dumb", "FORCE_COLOR": "1"}, {"FORCE_COLOR": "1"}], ids=str
)
def test_every_value_of_a_table_arrives(monkeypatch, encoding, width, kind):
    for table in tables():
        text = shown(monkeypatch, table, encoding, width, **kind)
        missing = [word for word in words_of(table, encoding) if word not in text]
        assert not missing, text
        assert "…" not in text


def test_a_table_stays_one_where_it_fits_and_folds_before_it_goes_row_by_row(monkeypatch):
    table = Table("agent", "score", title="title", caption="caption")
    table.add_row("greedy", "51.0 ± 19.1 points")
    assert "│ greedy │ 51.0 ± 19.1 points │" in shown(monkeypatch, table)
    assert "| greedy | 51.0 +- 19.1 points |" in shown(monkeypatch, table, "ascii")
    assert "│ greedy │ 51.0 ±" in shown(monkeypatch, table, width=26)
    by_row = shown(monkeypatch, table, width=12)
    assert by_row.split("\n\n") == ["title", "agent: greedy\nscore: 51.0 ± 19.1 points", "caption\n"]


def test_characters_that_an_encoding_lacks_are_written_in_others():
    text = "± 1… ä 中 ⠋ \udcff"
    assert text.encode("ascii", PLAIN) == rb"+- 1... a \u4e2d * \udcff"
    assert "±".encode("latin-1", PLAIN) == b"\xb1"


def test_a_result_that_fails_to_go_out_takes_no_other_with_it():
    out = []

    def unwritable():
        "\ud800".encode()

    def full():
        raise OSError("no space left")

    for fails, message in (((unwritable, full), "surrogates"), ((full, unwritable), "no space left")):
        with pytest.raises((ValueError, OSError), match=message):
            hand_out(lambda: out.append(1), *fails, lambda: out.append(2))
    assert out == [1, 2, 1, 2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_amid_results_waits_until_all_are_out(number):
    out = []
    with sigterm_interrupts(threading.Event()), pytest.raises(KeyboardInterrupt):
        hand_out(lambda: out.append(1), lambda: signal.raise_signal(number), lambda: out.append(2))
    assert out == [1, 2]


def test_a_tournament_in_plain_letters():
    here = os.environ | {
        "LC_ALL": "C",
        "PYTHONIOENCODING": "ascii",
        "TERM": "dumb",
        "FORCE_COLOR": "1",
        "COLUMNS": "40",
    }
    done = subprocess.run(
        [*COMMAND, "tournament", "random", "--games", "2"], capture_output=True, text=True, env=here, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert done.stdout.count("random") == 2
    assert " +- " in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_files_are_written_though_nobody_reads_the_table(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    args = ["tournament", "random", "--games", "2", "--csv", str(tmp_path / "a.csv"), "--save", str(tmp_path)]
    done = subprocess.run([*COMMAND, *args], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 3
    assert len(list(tmp_path.glob("*.game"))) == 2
    assert "Error" not in done.stderr
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "rules"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_json_goes_where_nobody_reads(monkeypatch):
    class Left(io.StringIO):
        def write(self, _):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Left())
    output.write_out("{}")
    monkeypatch.setattr(sys, "stdout", None)
    output.write_out("{}")
