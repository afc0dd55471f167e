"""The file of finished games: what is read, what is refused, and that nothing in it is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys

import pytest
from filelock import SoftFileLock
from sizes import scaled
from spoilt import spoilt_file

from azul_duel_env.arena import GameResult, lock, seeds_of_match
from azul_duel_env.arena.results_file import ResultsFile

SETTINGS = {"kind": "test", "game": "azul/duel-v0", "agents": ["a", "b"], "seed": 1}
SEEDS = seeds_of_match(1, 100_000)
GAMES = [
    GameResult(("a", "b"), SEEDS[0], (50, 10), 0, 150, (), 1, (80, 70), (0.25, 0.5)),
    GameResult(("b", "a"), SEEDS[0], (7, 30), 1, 140, (), 0, (70, 70), (0.5, 0.25)),
    GameResult(("a", "b"), SEEDS[1], (20, 20), -1, 160, (), 1, (90, 70), (0.25, 1.0)),
]


def filled(file, games=GAMES):
    with ResultsFile(file, SETTINGS) as opened:
        for game in games:
            opened.add(game)
    return file


def read(file):
    with ResultsFile(file, SETTINGS) as opened:
        return list(opened.results.values())


def changed(file, number, **values):
    """Write other values into a line; None takes one away."""
    lines = file.read_text().splitlines()
    data = {name: value for name, value in (json.loads(lines[number - 1]) | values).items() if value is not None}
    lines[number - 1] = json.dumps(data)
    file.write_text("\n".join(lines) + "\n")
    return file


def test_where_no_game_is_named_each_line_says_how_many_play(tmp_path):
    three = GameResult(("a", "b", "a"), SEEDS[0], (5, 9, 5), 1, 12, (), 0, (4, 4, 4), (0.0, 0.0, 0.0), (2, 1, 2))
    settings = {"kind": "test", "seed": 1}
    with ResultsFile(tmp_path / "games.jsonl", settings) as opened:
        opened.add(three)
        opened.add(GAMES[0])
    with ResultsFile(tmp_path / "games.jsonl", settings) as opened:
        assert list(opened.results.values()) == [three, GAMES[0]]
    with pytest.raises(ValueError, match="agents must be a list of names, not None"):
        ResultsFile(changed(tmp_path / "games.jsonl", 2, agents=None), settings)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "with-mark"])
def test_line_ends_and_a_mark_of_the_byte_order_lose_nothing(tmp_path, end, mark):
    file = filled(tmp_path / "games.jsonl", GAMES[:2])
    data = mark + file.read_bytes().replace(b"\n", end)
    file.write_bytes(data)
    assert read(file) == GAMES[:2]
    assert file.read_bytes() == data
    with ResultsFile(file, SETTINGS) as opened:
        opened.add(GAMES[2])
    assert file.read_bytes().startswith(data)
    assert read(file) == GAMES
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert read(file) == GAMES, "only its end is missing"
    assert file.read_bytes() == whole
    file.write_bytes(whole[:-9])
    assert read(file) == GAMES[:2]
    assert file.read_bytes() == data


def test_a_last_line_without_an_end_is_checked_as_any(tmp_path):
    file = changed(filled(tmp_path / "games.jsonl"), 4, winner=7)
    file.write_bytes(data := file.read_bytes().removesuffix(b"\n"))
    with pytest.raises(ValueError, match="line 4: winner must be"):
        read(file)
    assert file.read_bytes() == data


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"winner": 7}, "winner must be an integer from -1 to 1, not 7"),
        ({"winner": True}, "winner must be an integer from -1 to 1, not True"),
        ({"winner": 1}, "winner must be 0, who has more points in [50, 10], not 1"),
        ({"winner": -1}, "winner must be 0, who has more points in [50, 10], not -1"),
        ({"winner": None}, "winner is missing"),
        ({"agents": ["a", "z"]}, "agents must be of this run, a, b, not 'z'"),
        ({"agents": ["a"]}, "agents must be a list of 2 names, not ['a']"),
        ({"agents": "ab"}, "agents must be a list of 2 names, not 'ab'"),
        ({"agents": [[], {}]}, "agents must be a list of 2 names"),
        ({"seed": SEEDS[0] + 1}, f"seed {SEEDS[0] + 1} is none of the run with seed 1"),
        ({"seed": 1.0}, "seed must be an integer from 0 to 4,294,967,295, not 1.0"),
        ({"seed": -1}, "seed must be an integer from 0 to"),
        ({"scores": [50, -1]}, "scores must be a list of 2 points from 0 to 507, not [50, -1]"),
        ({"scores": [508, 10]}, "scores must be a list of 2 points from 0 to 507, not [508, 10]"),
        ({"scores": [10**400, 1]}, "scores must be a list of 2 points"),
        ({"scores": {"0": 1}}, "scores must be a list of 2 points"),
        ({"decisions": 10_000}, "decisions must be an integer from 1 to 700, not 10000"),
        ({"decisions": 151}, "decided must sum to the 151 decisions, not to 150"),
        ({"decided": [150]}, "decided must be a list of 2 numbers of decisions"),
        ({"seconds": [0.1, True]}, "seconds must be a list of 2 seconds"),
        ({"seconds": [0.1, -1]}, "seconds must be a list of 2 seconds of at least 0"),
        ({"seconds": [0.1, "1"]}, "seconds must be a list of 2 seconds of at least 0"),
        ({"first_player": 2}, "first_player must be an integer from -1 to 1, not 2"),
        ({"colour": "red"}, "there is no field 'colour'"),
        ({"agents": ["a", "b"], "scores": [51, 10]}, None),
    ],
)
def test_each_field_is_checked(tmp_path, values, message):
    file = changed(filled(tmp_path / "games.jsonl"), 2, **values)
    before = file.read_bytes()
    if message is None:
        assert read(file)[0].scores == (51, 10)
        return
    with pytest.raises(ValueError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}, line 2: {message}")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            b'"winner": 0',
            b'"winner": 0, "winner": 0',
            "line 2: expected a game in JSON, not .*: the key 'winner' stands twice",
        ),
        (b'{"agents"', b"[" * 100_000, "line 2: expected a game in JSON"),
        (b"0.25", b"9" * 5000, "line 2: expected a game in JSON, .* a number of 5000 digits"),
        (b"0.25", b"NaN", "line 2: expected a game in JSON, .* NaN is no number of JSON"),
        (b"0.25", b"1e999", "line 2: expected a game in JSON, .* 1e999 is no number of JSON"),
        (b'"a"', b'"\xff"', "holds something else than games"),
    ],
)
def test_a_line_of_strange_bytes_is_refused_in_a_sentence(tmp_path, old, new, message):
    file = filled(tmp_path / "games.jsonl")
    file.write_bytes(file.read_bytes().replace(old, new, 1))
    with pytest.raises(ValueError, match=message) as error:
        read(file)
    assert len(str(error.value)) < 400


def test_a_game_that_stands_twice_counts_once_and_never_with_two_results(tmp_path):
    file = filled(tmp_path / "games.jsonl", [*GAMES, GAMES[1]])
    assert read(file) == GAMES
    with pytest.raises(ValueError, match="line 5: this game of b - a, seed .* stands above with another result"):
        read(changed(file, 5, scores=[7, 31]))


def test_mutated_files_are_refused_in_a_sentence_or_count_as_they_read(tmp_path):
    file, rng = filled(tmp_path / "games.jsonl"), random.Random(1)
    sound, counted, refused = file.read_bytes(), 0, 0
    for _ in range(scaled(400, 100)):
        data = spoilt_file(sound, rng)
        file.write_bytes(data)
        results, message = read_or_refused(file)
        whole = data[: data.rfind(b"\n") + 1]
        if whole and results and file.read_bytes() == data + b"\n":
            whole = data + b"\n"  # the last line lacked its end only
        if message:
            refused += 1
            assert message.startswith(str(file))
            assert len(message.splitlines()) == 1
            assert file.read_bytes() == data
        elif whole:
            counted += 1
            assert file.read_bytes() == whole
            assert_counts_as_it_reads(whole, results)
        else:
            assert file.read_bytes().splitlines()[0].startswith(data)
    assert refused > counted > refused / 20


def read_or_refused(file):
    try:
        return read(file), ""
    except ValueError as error:
        return [], str(error)


def assert_counts_as_it_reads(data, results):
    lines = once([json.loads(line) for line in data.decode("utf-8-sig").split("\n")[1:-1]])
    for result, line in zip(results, lines, strict=True):
        assert {name: told(result)[name] for name in line} == line
        assert set(result.agents) <= {"a", "b"}
        assert result.seed in SEEDS
        assert sum(result.decided) == result.decisions
        assert result.scores[0] == result.scores[1] or result.scores[result.winner] == max(result.scores)


def told(result):
    return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(result).items()}


def once(lines):
    """Each game's first line."""
    seen = {}
    for line in lines:
        seen.setdefault((*line["agents"], line["seed"]), line)
    return list(seen.values())


# Two runs -------------------------------------------------------------------------------------
HOLDER = """
import sys, time
from pathlib import Path
from azul_duel_env.arena.lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_file_belongs_to_one_run_at_a_time_however_that_ends(tmp_path):
    file = filled(tmp_path / "games.jsonl")
    other = subprocess.Popen([sys.executable, "-c", HOLDER, str(file)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "held\n"
        (tmp_path / "link.jsonl").symlink_to(file)
        for name in (file, tmp_path / "link.jsonl"):
            with pytest.raises(
                ValueError, match=rf"another run writes {name} \(process {other.pid} on .* since"
            ) as error:
                read(name)
        assert len(str(error.value).splitlines()) == 1
    finally:
        os.kill(other.pid, signal.SIGKILL)
        other.communicate()
    assert read(file) == GAMES
    with ResultsFile(file, SETTINGS), pytest.raises(ValueError, match=f"process {os.getpid()} on"):
        read(file)
    assert read(file) == GAMES


def test_where_there_are_no_locks_a_file_is_one_and_the_message_names_it(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "FileLock", SoftFileLock)
    file = filled(tmp_path / "games.jsonl")
    with ResultsFile(file, SETTINGS), pytest.raises(ValueError, match="another run writes"):
        read(file)
    assert read(file) == GAMES
    left = tmp_path / ".games.jsonl.lock"
    left.write_text("123\nanother machine\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"\(123 another machine\).* if it was killed, delete {left}$"):
        read(file)


def test_a_run_that_is_refused_leaves_the_file_free(tmp_path):
    file = filled(tmp_path / "games.jsonl")
    with pytest.raises(ValueError, match="seed 1, not 2"):
        ResultsFile(file, SETTINGS | {"seed": 2})
    assert read(file) == GAMES
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ResultsFile(tmp_path / "nowhere" / "games.jsonl", SETTINGS)
    assert not (tmp_path / "nowhere").exists()
