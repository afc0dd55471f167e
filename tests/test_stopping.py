"""Runs that are killed or asked to end, at random moments, go on to the same result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from sizes import SCALE

from azul_duel_env._jit import COMPILED
from azul_duel_env._signals import deferred, sigterm_interrupts, undisturbed

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
    pytest.mark.skipif(not COMPILED, reason="needs the compiled rules to be quick"),
]
COMMAND = [sys.executable, "-m", "azul_duel_env"]
LOWEST = "outsiders:lowest"
MOMENTS = max(1, round(SCALE))
ENDS = [signal.SIGTERM, signal.SIGKILL]


def started(args, folder):
    """Start the command, its output in files: workers that outlive it would keep pipes open."""
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        return subprocess.Popen(
            [*COMMAND, *map(str, args)], stdout=out, stderr=err, start_new_session=True, cwd=folder, env=here
        )


def finished(args, folder):
    """Let the command run to its end, and return its standard output."""
    assert started(args, folder).wait(timeout=300) == 0, (folder / "err").read_text()
    return (folder / "out").read_text()


def ended(process, number, once, wait, whole_group):
    """Send a signal so many seconds after something is there, to the process or its workers too; return the exit code."""
    try:
        until = time.monotonic() + 240
        while not once() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(wait)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number) if whole_group else process.send_signal(number)
        return process.wait(timeout=60)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def lines_of(file):
    return file.read_bytes().count(b"\n") if file.exists() else 0


def without_times(text):
    """A result as JSON, but for the times that agents took."""
    data = json.loads(text)
    for entry in (data, *data.get("ratings", [])):
        entry.pop("seconds_per_decision", None)
    return data


# What plays games -----------------------------------------------------------------------------
PLAYS = {
    "ladder": (["ladder", "random", LOWEST, "outsiders:highest", "--games", "40"], 120),
    "rate": (["rate", LOWEST, "--ladder", "known.json", "--interval", "1", "--max-games", "80"], 80),
}


REFERENCES: dict[str, str] = {}
KNOWN = {"ratings": [{"agent": "random", "rating": 0}, {"agent": "greedy", "rating": 5}], "options": {}}


def stopped_in_play(args, out, number, rng, somewhere):
    """Stop a command that plays: amid its games, or at any time at all. Return the exit code and standard error."""
    here = lines_of(out)
    target = here + int(rng.integers(2, 20))
    process = started(args, out.parent)
    if somewhere:
        code = ended(process, number, lambda: True, rng.uniform(0, 8), rng.random() < 0.5)
    else:
        code = ended(process, number, lambda: lines_of(out) >= target, 0.0, number == signal.SIGTERM)
        assert lines_of(out) > here
    return code, (out.parent / "err").read_text()


@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("command", PLAYS)
def test_games_go_on_to_the_same_result(tmp_path, command, moment):
    (tmp_path / "known.json").write_text(json.dumps(KNOWN))
    args, total = PLAYS[command]
    rng, out = np.random.default_rng(moment), tmp_path / "games.jsonl"
    parts = [*args, "--out", out, "--json", "-"]
    for number in ENDS:
        jobs = ["--jobs", 2] if number == signal.SIGTERM else []
        code, err = stopped_in_play([*parts, *jobs], out, number, rng, somewhere=moment > 0)
        if moment == 0:
            assert code == (143 if number == signal.SIGTERM else -9), err
            assert "the same command goes on" in err or number == signal.SIGKILL
        assert "Traceback" not in err
        assert code in (143, -number, 0)
    assert without_times(finished(parts, tmp_path)) == without_times(reference(command, tmp_path))
    assert lines_of(out) == 1 + total


def reference(command, folder):
    """Return what comes out of a run that nobody stops, told once for all moments."""
    if command not in REFERENCES:
        REFERENCES[command] = finished([*PLAYS[command][0], "--json", "-"], folder)
    return REFERENCES[command]


def test_what_is_written_is_whole_and_signals_wait():
    done = []

    def write():
        with deferred():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.raise_signal(number)
            done.append("written")

    with sigterm_interrupts() as came:
        with pytest.raises(KeyboardInterrupt):
            write()
        assert came()
        with undisturbed(), deferred():
            signal.raise_signal(signal.SIGTERM)
            done.append("saved")
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert done == ["written", "saved"]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler


# What learns ----------------------------------------------------------------------------------
STAGES = [{"steps": 640, "opponent": "random"}, {"steps": 640, "opponent": {"greedy": 0.5, "past_selves": 0.5}}]
TINY = {
    "torch_threads": 1,
    "environment": {"num_envs": 8, "threads": 1},
    "network": {"policy": [8], "value": [8]},
    "ppo": {"n_steps": 8, "batch_size": 32, "n_epochs": 2},
    "stages": STAGES,
    "league": {"every": 128, "size": 2},
    "evaluation": {"every": 256, "games": 2, "final_games": 2, "opponents": ["random"]},
}


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_training_goes_on_to_as_many_steps_and_its_log_never_goes_back(tmp_path, moment):
    pytest.importorskip("sb3_contrib")
    import yaml
    from sb3_contrib import MaskablePPO

    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(TINY))
    folder, rng = tmp_path / "run", np.random.default_rng(moment)
    args = ["train", "tiny.yaml", "--out", folder, "--resume"]
    for number in ENDS:
        begun = (folder / "checkpoint.zip").exists
        once, wait = (begun, rng.uniform(0, 1)) if moment == 0 else (lambda: True, rng.uniform(0, 12))
        code = ended(started(args, tmp_path), number, once, wait, rng.random() < 0.5)
        err = (tmp_path / "err").read_text()
        assert code in (143, -number, 0)
        assert "Traceback" not in err
        if moment == 0 and number == signal.SIGTERM:
            assert code == 143
            assert "go on with --resume" in " ".join(err.split())
    finished(args, tmp_path)
    assert MaskablePPO.load(folder / "model.zip").num_timesteps == 1280
    progress = json.loads((folder / "progress.json").read_text())
    assert [entry["steps"] for entry in progress["evaluations"]] == [*range(0, 1280, 256), 1280]
    for tag in ("time/fps", "train/loss"):
        assert logged(folder, tag) == list(range(64, 1281, 64))
    assert logged(folder, "evaluation/random/win_rate") == [*range(0, 1280, 256), 1280]


def logged(folder, tag):
    """Return the steps at which something was logged, as they stand in TensorBoard's files."""
    from tensorboard.compat.proto.event_pb2 import Event

    from azul_duel_env.training.events import HEAD, TAIL, records_of

    files = sorted((folder / "tensorboard").glob("events*"), key=lambda file: file.name.split(".")[3])
    records = [record for file in files for record, _ in records_of(file.read_bytes())]
    events = [Event.FromString(record[HEAD:-TAIL]) for record in records]
    return [event.step for event in events for value in event.summary.value if value.tag == tag]
