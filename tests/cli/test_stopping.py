"""Runs that are killed or asked to end, at random moments, go on to the same result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import external_agents
import numpy as np
import pytest
from sizes import SCALE
from typer.testing import CliRunner

from azul_duel_env.cli import app, main
from azul_duel_env.jit import COMPILED
from azul_duel_env.system.signals import deferred, sigterm_interrupts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
compiled = pytest.mark.skipif(not COMPILED, reason="needs the compiled rules to be quick")
COMMAND = [sys.executable, "-m", "azul_duel_env"]
LOWEST = "external_agents:lowest"
MOMENTS = max(1, round(SCALE))
ENDS = [signal.SIGTERM, signal.SIGKILL]


def started(args, folder):
    """Start the command, its output in files: workers that outlive it would keep pipes open."""
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
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
    "ladder": (["ladder", "random", LOWEST, "external_agents:highest", "--games", "40"], 120, signal.SIGTERM),
    "rate": (["rate", LOWEST, "--ladder", "known.json", "--interval", "1", "--max-games", "80"], 80, signal.SIGKILL),
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


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("command", PLAYS)
def test_games_go_on_to_the_same_result(tmp_path, command, moment):
    (tmp_path / "known.json").write_text(json.dumps(KNOWN))
    args, total, in_ci = PLAYS[command]
    rng, out = np.random.default_rng(moment), tmp_path / "games.jsonl"
    parts = [*args, "--out", out, "--json", "-"]
    for number in ENDS if MOMENTS > 1 else [in_ci]:
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
        args = [str(folder / arg) if arg == "known.json" else arg for arg in PLAYS[command][0]]
        REFERENCES[command] = CliRunner().invoke(app, [*args, "--json", "-"], catch_exceptions=False).stdout
    return REFERENCES[command]


STOPPED = "external_agents:stopped"


@pytest.fixture
def command(monkeypatch, capsys):
    """The command, run in this process: its exit code, standard output, and standard error on one line."""

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["azul-duel", *map(str, args)])
        monkeypatch.setattr(sys, "path", list(sys.path))
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return end.value.code, out, " ".join(err.split())

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "message", "number"),
    [
        (("tournament", STOPPED, LOWEST), "interrupted after", signal.SIGTERM),
        (("statistics", STOPPED), "interrupted after", signal.SIGTERM),
        (("ladder", STOPPED, LOWEST, "--out", "games.jsonl"), "the same command goes on", signal.SIGTERM),
        (("rate", STOPPED, "--ladder", "known.json", "--against", "random"), "nothing is kept", signal.SIGTERM),
        (("ladder", STOPPED, LOWEST, "--out", "games.jsonl"), "the same command goes on", signal.SIGINT),
        (("rate", STOPPED, "--ladder", "known.json", "--out", "games.jsonl"), "the same command", signal.SIGINT),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_stopped_command_tells_what_is_finished(command, tmp_path, monkeypatch, args, message, number):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(external_agents, "asked", 0)
    monkeypatch.setattr(external_agents, "stopped_by", number)
    (tmp_path / "known.json").write_text(json.dumps(KNOWN))
    code, out, err = command(*args)
    assert code == 128 + number
    assert message in err
    assert "Traceback" not in err
    assert STOPPED in out
    assert "games.jsonl" not in args or lines_of(tmp_path / "games.jsonl") >= 2


def test_a_stopped_rate_writes_the_last_estimate(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(external_agents, "asked", 0)
    (tmp_path / "known.json").write_text(json.dumps(KNOWN))
    code, _, err = command("rate", STOPPED, "--ladder", "known.json", "--out", "games.jsonl", "--json", "rate.json")
    found = json.loads((tmp_path / "rate.json").read_text())
    assert code == 143
    assert found["agent"] == STOPPED
    assert found["games"] == sum(found["opponents"].values()) == lines_of(tmp_path / "games.jsonl") - 1 > 0
    assert f"interrupted after {found['games']} of 2000 games" in err


def test_a_second_sigterm_disturbs_nothing():
    terminated = threading.Event()
    with sigterm_interrupts(terminated):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert terminated.is_set()


def test_sigterm_amid_an_import_ends_with_its_exit_code(tmp_path):
    (tmp_path / "agents.py").write_text('import signal\nexec("signal.raise_signal(signal.SIGTERM)")')
    process = started(["tournament", "agents:some", "random"], tmp_path)
    assert process.wait(timeout=300) == 143, (tmp_path / "err").read_text()


def test_an_interrupt_amid_a_change_of_handlers_leaves_those_before(monkeypatch):
    def disturbed(number, handler):
        change(number, handler)
        if handler not in before.values():
            raise KeyboardInterrupt

    change, before = signal.signal, {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(signal, "signal", disturbed)
    with pytest.raises(KeyboardInterrupt), deferred():
        pass
    assert {number: signal.getsignal(number) for number in before} == before


@pytest.mark.slow
@compiled
def test_sigterm_keeps_the_rounds_of_a_fit(command, tmp_path, monkeypatch):
    from azul_duel_env.games.duel.agents import fit

    def solve(*sums):
        if solve.done:
            signal.raise_signal(signal.SIGTERM)
        solve.done = True
        return original(*sums)

    original, solve.done = fit._solve, False
    monkeypatch.setattr(fit, "_solve", solve)
    args = ("fit", tmp_path / "w.npz", "--rounds", 3, "--games", 2)
    code, _, err = command(*args)
    assert code == 143
    assert "goes on with what is finished" in err
    assert fit.read_fit(tmp_path / "w.unfinished.npz").number == 1


@compiled
def test_a_round_of_a_fit_is_the_same_in_parts(monkeypatch):
    from azul_duel_env.games.duel.agents import fit

    whole = fit.fit_round(fit.begin_fit(3, 1))
    monkeypatch.setattr(fit, "GAMES_AT_ONCE", 2)
    parts = fit.fit_round(fit.begin_fit(3, 1))
    assert (whole.weights == parts.weights).all()
    assert whole.word == parts.word


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


@pytest.mark.slow
@compiled
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


class Killed(BaseException):
    """The end of a process that nothing hears of."""


def terminate():
    signal.raise_signal(signal.SIGTERM)


def kill():
    raise Killed


class Places:
    """Where a run has just written or learnt, or is about to: counted, and the run ended at one of them."""

    def __init__(self, monkeypatch) -> None:
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.logger import Logger
        from torch.utils.tensorboard import SummaryWriter

        from azul_duel_env.training import run

        self.seen, self.last, self.end = 0, None, None
        for owner, name in (
            (os, "replace"),
            (MaskablePPO, "train"),
            (Logger, "dump"),
            (SummaryWriter, "add_scalar"),
            (run, "evaluate"),
        ):
            monkeypatch.setattr(owner, name, self._around(getattr(owner, name)))

    def _around(self, function):
        def around(*args, **options):
            self._pass()
            result = function(*args, **options)
            self._pass()
            return result

        return around

    def _pass(self):
        self.seen += 1
        if self.seen == self.last:
            self.end()

    def train(self, folder, last=None, end=None):
        """Go on with a run, and end it at a place; return how many it passed."""
        from azul_duel_env.training.config import Config
        from azul_duel_env.training.run import Run

        self.seen, self.last, self.end = 0, last, end
        with suppress(KeyboardInterrupt, Killed), sigterm_interrupts(threading.Event()):
            Run(Config.model_validate(TINY | SHORT), folder, resume=True).train()
        return self.seen


SHORT = {
    "stages": [{"steps": 128, "opponent": "random"}, {"steps": 128, "opponent": {"greedy": 0.5, "past_selves": 0.5}}],
    "league": {"every": 64, "size": 1},
    "evaluation": {"every": 128, "games": 2, "final_games": 2, "opponents": ["random"]},
}


@compiled
def test_an_evaluation_is_logged_once_though_the_run_is_ended_before_and_after(tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib")
    from azul_duel_env.training.config import Config
    from azul_duel_env.training.run import Run

    def run():
        Run(Config.model_validate(TINY | SHORT), tmp_path / "run", resume=True).train()

    def pressed(*_):
        raise KeyboardInterrupt

    def killed(*_):
        raise Killed

    for name, end, error in (("evaluate_now", pressed, KeyboardInterrupt), ("save", killed, Killed)):
        with monkeypatch.context() as patched:
            patched.setattr(Run, name, end)
            with pytest.raises(error):
                run()
    run()
    assert logged(tmp_path / "run", "evaluation/random/win_rate") == [0, 128, 256]


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("first", [terminate, kill])
def test_training_that_ends_at_any_place_goes_on_to_the_same_log(tmp_path, monkeypatch, first):
    pytest.importorskip("sb3_contrib")
    places = Places(monkeypatch)
    total, rng = places.train(tmp_path / "whole"), np.random.default_rng(1)
    for number in range(MOMENTS):
        folder, at = tmp_path / f"run{number}", (int(rng.integers(1, total)), int(rng.integers(1, 40)))
        places.train(folder, at[0], first)
        places.train(folder, at[1], kill)
        places.train(folder)
        progress = json.loads((folder / "progress.json").read_text())
        assert [entry["steps"] for entry in progress["evaluations"]] == [0, 128, 256], at
        for tag in ("time/fps", "train/loss", "train/n_updates", "evaluation/random/win_rate"):
            assert logged(folder, tag) == logged(tmp_path / "whole", tag), (tag, at)


def logged(folder, tag):
    """Return the steps at which something was logged, as they stand in TensorBoard's files, which are named by time and number."""
    from azul_duel_env.training.tensorboard_files import records_of

    def age(file):
        parts = file.name.split(".")
        return int(parts[3]), int(parts[-1])

    files = sorted((folder / "tensorboard").glob("events*"), key=age)
    events = [event for file in files for _, event in records_of(file.read_bytes())]
    return [event.step for event in events for value in event.summary.value if value.tag == tag]
