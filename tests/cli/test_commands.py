"""The command, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from commands import COMMAND, run, run_here
from sizes import scaled
from typer.testing import CliRunner

from azul_duel_env.cli import app
from azul_duel_env.games import find_game
from azul_duel_env.jit import COMPILED
from azul_duel_env.tools import bench
from azul_duel_env.tools.compile_ahead import parts

MINI = "azul/pavilion_mini-v0"


def invoke(*args: str):
    result = CliRunner().invoke(app, list(args), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_a_command_without_arguments_says_what_is_missing():
    result = CliRunner().invoke(app, ["dataset"])
    assert result.exit_code == 2
    assert "Missing argument" in result.output


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("tournament",),
        ("ladder",),
        ("rate",),
        ("statistics",),
        ("dataset",),
        ("bench",),
        ("export",),
        ("play",),
        ("replay",),
        ("analyse",),
        ("fit",),
        ("perft",),
        ("rules",),
    ],
)
def test_help(command):
    text = invoke(*command, "--help")
    assert "Usage" in text
    assert "azul-duel" in text or "root" in text


@pytest.mark.skipif(not COMPILED, reason="needs the compiled rules to be quick")
def test_help_is_quick_and_importing_is_light():
    run("--help")
    before = os.times()
    assert run("--help").returncode == 0
    taken = os.times()
    spent = taken.children_user + taken.children_system - before.children_user - before.children_system
    assert spent < 2.0  # a coarse guard; the aim is 1 s. Its own seconds: others may be at work too
    code = "import sys, azul_duel_env; print([m for m in ('torch', 'pygame', 'ray', 'numba') if m in sys.modules])"
    light = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert light.stdout.strip() == "[]"


def test_tournament_prints_a_table_and_writes_json_and_csv(tmp_path):
    games = str(2 * scaled(10))
    done = run(
        "tournament",
        "random",
        "greedy",
        "--games",
        games,
        "--json",
        str(tmp_path / "a.json"),
        "--csv",
        str(tmp_path / "a.csv"),
    )
    assert done.returncode == 0
    assert "win rate" in done.stdout
    [summary] = json.loads((tmp_path / "a.json").read_text())
    assert (summary["agent"], summary["opponent"], summary["games"]) == ("random", "greedy", int(games))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert len(rows) == int(games)
    wins = sum(row["winner"] and row[row["winner"]] == "random" for row in rows)
    assert wins == summary["wins"]


def test_json_on_standard_output_is_nothing_but_json():
    done = run("tournament", "random", "--games", "2", "--json", "-")
    assert json.loads(done.stdout)[0]["games"] == 2


def test_saved_games_replay(tmp_path):
    run_here(
        "tournament",
        "random",
        "greedy",
        "--games",
        "2",
        "--scoring-tiles",
        "rows,columns,corners",
        "--save",
        str(tmp_path),
    )
    files = sorted(tmp_path.glob("*.game"))
    assert len(files) == 2
    done = run_here("replay", str(files[0]), "--moves")
    assert done.returncode == 0
    assert "the game is over" in done.stdout
    assert "scoring: rows columns corners" in done.stdout
    lines = done.stdout.splitlines()
    assert lines[0] == "  0  The game begins"
    assert "     The scoring tiles are rows, columns and corners" in lines
    assert any(re.fullmatch(r"  1  (random|greedy) takes the dome tile .*", line) for line in lines), (
        "words, not notation"
    )
    assert any(
        re.fullmatch(r"     (random|greedy) places a \w+ tile in row \d, column \d: .* points?.*", line)
        for line in lines
    )
    gains = r"(random|greedy) \d+ \([+-]\d+\)"
    assert any(
        re.fullmatch(rf"     Round 3 begins\. (random|greedy) starts\. {gains}, {gains}", line) for line in lines
    )


def test_replay_steps_on_back_and_to_a_number(tmp_path, monkeypatch):
    from azul_duel_env.cli import games as cli

    run_here("tournament", "random", "--games", "2", "--save", str(tmp_path))
    file = sorted(tmp_path.glob("*.game"))[0]
    answers = iter(["", "b", "5", "9999", "q"])
    shown: list[str] = []
    monkeypatch.setattr(cli.sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(cli.console, "input", lambda _: next(answers))
    monkeypatch.setattr(cli.console, "print", lambda text, **_: shown.append(text))
    monkeypatch.setattr(cli.console, "clear", lambda: None)
    cli.replay(file, moves=False)
    places = [text.split(" of ")[0] for text in shown if re.match(r"\d+ of \d+: ", text)]
    assert places[:4] == ["0", "1", "0", "5"]
    total = next(found[1] for text in shown if (found := re.match(r"0 of (\d+): ", text)))
    assert places[-1] == total, "a number beyond the end leads to the last decision"


def interrupted(process, told, jobs):
    """Press Ctrl-C once an agent in each worker has told that games are played: results come in order, and one worker may start late."""
    until = time.monotonic() + 240
    while len(list(told.iterdir())) < jobs and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    return process.communicate(timeout=60)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.skipif(not COMPILED, reason="needs the compiled rules to be quick")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_prints_what_is_finished(jobs, tmp_path):
    told, args = tmp_path / "told", ("--games", "200000", "--jobs", str(jobs), "--csv", str(tmp_path / "a.csv"))
    told.mkdir()
    here = {"PYTHONPATH": os.pathsep.join(sys.path), "AZUL_DUEL_TEST_TOLD": str(told)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [*COMMAND, "tournament", "external_agents:telling", "random", *args]
    process = subprocess.Popen(command, **pipes, start_new_session=True, env=os.environ | here)
    try:
        out, err = interrupted(process, told, jobs)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130, err
    assert "interrupted after" in err
    assert "win rate" in out
    assert "Traceback" not in err
    assert len((tmp_path / "a.csv").read_text().splitlines()) >= 2


def test_perft():
    text = invoke("perft", "--depth", "2", "--seed", "1")
    assert "\n1: 108 " in f"\n{text}"  # after the notice of compiling, if any
    assert "\n2: 11,664 " in text


@pytest.mark.parametrize(
    ("number", "says", "place"),
    [
        ("R24", "Incomplete line without a space", "if row_has_all_dome_tiles(state, player, line): # D65, R24"),
        ("24", "Does an incomplete line break as well?", "tiling.py:"),
        (
            "d36",
            "Choose one factory and a colour on its sun.",
            "def take_from_sun(state, player, factory, colour, destination):",
        ),
        ("E7", "No factory has tiles on sun and moon at once", "phases.py"),
        ("A.4", "D25 The action is possible in rounds 1 to 4", "dome_tiles.py:1:"),
        ("b.2", "two of each of these ten: B, T, R, Y and K", "components.py"),
        ("D34", "two draws cost 2 points", "No line of azul_duel_env.games.duel names it."),
    ],
)
def test_rules_shows_a_rule_a_chapter_or_a_ruling_and_its_code(number, says, place):
    text = " ".join(invoke("rules", number).split())
    assert says in text
    assert place in text
    assert "**" not in text
    assert "`" not in text


@pytest.mark.parametrize(
    ("number", "says", "place"),
    [
        ("sr24", "One by one, in the order of colours", "placing.py"),
        ("24", "One by one, in the order of colours", "placing.py"),
        ("S26", "the number of tiles in its group", "def group_size(state, player, space):"),
        ("C.3", "S19 The holder of the token begins", "placing.py:1:"),
        ("G.3", "pillar of i", "components.py"),
        ("E34", "Filling a star brings 17 to 21", "bounds.py"),
        ("S14", "the wild colour cannot be chosen", "taking.py"),
    ],
)
def test_rules_shows_those_of_another_game(number, says, place):
    text = " ".join(invoke("rules", number, "--game", MINI).split())
    assert says in text
    assert place in text


def test_rules_lists_those_of_another_game():
    lines = invoke("rules", "--game", MINI).splitlines()
    assert "C.3  Phase 2: placing tiles (S19 to S30)" in lines
    assert "SR24 Several tiles at once" in lines


def test_rules_lists_chapters_and_rulings():
    lines = invoke("rules").splitlines()
    assert "A.4  Action A: take and place a dome tile (D25 to D35)" in lines
    assert "A.13 Penalties (D80)" in lines
    assert "R24  Incomplete line without a space" in lines


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("tournament", "random", "gredy"), "did you mean 'greedy'"),
        (("tournament", "random", "greedy", "--games", "3"), "multiple of 2"),
        (("tournament", "random", "--scoring-tiles", "5"), "3, 4"),
        (("tournament", "random", "--seed", "-1"), "at least 0"),
        (("tournament", "random", "--jobs", "0"), "-1 for one a core"),
        (("tournament", "random", "--json", "nowhere/a.json"), "nowhere/a.json"),
        (("replay", "nowhere.game"), "nowhere.game"),
        (("rules", "r0"), "no rule 'r0': there are A.1 to A.15, B.1 to B.4, E.1, D1 to D94, E1 to E21 and R1 to R"),
        (("rules", "d95"), "D1 to D94"),
        (("rules", "R24", "--game", MINI), "G.1 to G.4, E.2, S1 to S39, E30 to E40 and SR1 to SR35"),
        (("perft", "--position", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_mistakes_end_with_a_line_and_code_2(args, message):
    done = run_here(*args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_what_fails_leaves_no_file_and_changes_none(tmp_path):
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    old.write_text("kept", encoding="utf-8")
    for file in (new, old):
        result = run_here("statistics", "random", "--games", "3", "--json", str(file))
        assert result.returncode == 2
    assert not new.exists()
    assert old.read_text(encoding="utf-8") == "kept"


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="measures the compiled rules")
def test_bench(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "TURNS", 3)
    monkeypatch.setattr(bench, "SEARCHED", 2)
    invoke("bench", "--seconds", "0.1", "--json", str(tmp_path / "bench.json"))
    figures = json.loads((tmp_path / "bench.json").read_text())
    assert figures["decisions_per_second"]["core"] > figures["decisions_per_second"]["aec"] > 0
    assert figures["facts"]["actions"] == 400
    assert figures["machine"]["cores"] == os.cpu_count()
    speeds, search = figures["decisions_per_second"], figures["search"]
    assert speeds["mcts_100"] > speeds["mcts_1000"] > 0
    assert "playouts" not in speeds
    for agent, simulations in search["simulations_per_second"].items():
        spent = search["milliseconds_per_decision"][agent]
        assert simulations * spent == pytest.approx(1000 * int(agent.removeprefix("mcts:")), rel=0.02)
    assert search["random_playouts_per_second"] > 0
    line = bench.search_line(search)
    assert "mcts:1000 takes" in line
    assert "(goal: at most 1,000)" in line
    assert "(goal: at least 10,000)" in line


@pytest.mark.slow
def test_what_is_compiled_ahead_is_told_part_by_part():
    done = CliRunner().invoke(app, ["compile-rules", "--game", "pavilion_mini"])
    if not COMPILED:
        assert "NUMBA_DISABLE_JIT" in str(done.exception)
        return
    assert done.exit_code == 0, done.output
    lines = [line.partition(": ")[2] for line in done.stderr.splitlines() if line.startswith("Azul Summer")]
    told = [re.sub(r", [\d.]+ s$", "", line) for line in lines]
    assert told == [what for what, _ in parts(find_game("pavilion_mini"))]
    assert {"agent random", "agent network", "agent network+mcts:2"} < set(told)
