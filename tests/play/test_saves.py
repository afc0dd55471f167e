"""The folder that keeps games: one file a game, shared by any number of processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from azul_duel_env.play import saves
from azul_duel_env.play.new_game import HUMAN, SessionError, Setup
from azul_duel_env.play.saves import BEFORE, MOST_KEPT, Autosave, autosave_folder
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import read_session

PEOPLE = Session(Setup((HUMAN, HUMAN), 3))
BEGUN = read_session(PEOPLE.record().write())
BEGUN.play(int(BEGUN.position.legal_actions()[0]))


def old_games(folder, count, session=BEGUN, since=1000):
    """Keep some games, the first one longest ago; return their files."""
    files = []
    for number in range(count):
        with Autosave(folder) as kept:
            kept.keep(session)
            files.append(kept.file)
        os.utime(files[-1], (since + number, since + number))
    return files


def games_in(folder):
    return sorted(folder.glob("*.game"))


def test_where_games_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("AZUL_DUEL_DATA_DIR", str(tmp_path))
    assert autosave_folder() == tmp_path
    monkeypatch.delenv("AZUL_DUEL_DATA_DIR")
    assert autosave_folder().is_absolute()


def test_each_game_has_its_file_and_the_newest_is_resumed_in_it(tmp_path):
    folder = tmp_path / "new" / "folder"
    files = old_games(folder, 3)
    os.utime(files[1])
    with Autosave(folder) as kept:
        assert kept.resume() == files[1]
        kept.keep(BEGUN)
        assert kept.file == files[1]
        kept.let_go()
        kept.keep(BEGUN)
        assert len(games_in(folder)) == 4


def test_two_processes_never_write_one_file(tmp_path):
    with Autosave(tmp_path) as one, Autosave(tmp_path) as two, Autosave(tmp_path) as three:
        one.keep(PEOPLE)
        two.keep(PEOPLE)
        newest = three.resume()  # which another plays: it goes on in a copy
        assert newest in (one.file, two.file)
        three.keep(BEGUN)
        assert len({one.file, two.file, three.file}) == len(games_in(tmp_path)) == 3


def test_the_game_of_an_earlier_version_is_found_and_left_alone(tmp_path):
    old_games(tmp_path, 1)
    (tmp_path / BEFORE).write_text(BEGUN.record().write(), encoding="utf-8")
    with Autosave(tmp_path) as kept:
        assert kept.resume() == tmp_path / BEFORE
        kept.keep(PEOPLE)
        assert kept.file.name != BEFORE
    assert (tmp_path / BEFORE).read_text(encoding="utf-8") == BEGUN.record().write()


def test_nothing_to_resume_is_told(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SessionError, match="no game was kept in "):
            Autosave(folder).resume()


def test_the_oldest_games_go_but_not_those_that_are_played(tmp_path):
    files = old_games(tmp_path, MOST_KEPT)
    with Autosave(tmp_path) as playing:
        os.utime(files[0])
        assert playing.resume() == files[0]
        os.utime(files[0], (1, 1))
        newest = old_games(tmp_path, 2, since=2000)
        assert set(games_in(tmp_path)) == {*files, *newest} - {files[1]}
    assert list(tmp_path.glob(f".{files[1].name}.*")) == []


def test_games_without_a_decision_go_first(tmp_path):
    begun = old_games(tmp_path, 3)
    idle = old_games(tmp_path, 2 * MOST_KEPT, PEOPLE, since=2000)
    assert set(games_in(tmp_path)) == {*begun, *idle[3 - MOST_KEPT :]}


def test_games_of_two_agents_are_not_kept(tmp_path):
    with Autosave(tmp_path / "folder") as kept:
        kept.keep(Session(Setup(("random", "random"), 1)))
    assert not (tmp_path / "folder").exists()


def test_without_locks_games_are_kept_and_none_is_deleted(tmp_path, monkeypatch):
    def has_no_locks(*_args, **_how):
        raise OSError("no locks here")

    monkeypatch.setattr(saves.FileLock, "acquire", has_no_locks)
    assert len(old_games(tmp_path, MOST_KEPT + 3)) == len(games_in(tmp_path))
    with Autosave(tmp_path) as kept:
        newest = kept.resume()
        kept.keep(BEGUN)
        assert kept.file != newest


def test_a_file_that_can_t_be_read_stands_in_nobody_s_way(tmp_path):
    (tmp_path / "game-dangling.game").symlink_to(tmp_path / "nothing")
    (tmp_path / "game-binary.game").write_bytes(b"\xff" * 9)
    files = old_games(tmp_path, MOST_KEPT)
    assert [file for file in games_in(tmp_path) if not file.is_symlink()] == sorted(files)


KEEPING = """
import sys
from pathlib import Path
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session_file import read_session

session = read_session(Path(sys.argv[2]).read_text(encoding="utf-8"))
kept = Autosave(Path(sys.argv[1]))
kept.keep(session)
print(kept.file, flush=True)
sys.stdin.read()
"""


def test_a_lock_ends_with_its_process(tmp_path):
    text = tmp_path / "begun.game"
    text.write_text(BEGUN.record().write(), encoding="utf-8")
    folder = tmp_path / "kept"
    command = [sys.executable, "-c", KEEPING, str(folder), str(text)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        file = other.stdout.readline().strip()
        with Autosave(folder) as kept:
            assert str(kept.resume()) == file
            assert kept.file is None
        other.kill()
    with Autosave(folder) as kept:
        assert str(kept.resume()) == file
        assert str(kept.file) == file
