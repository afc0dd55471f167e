"""Learning from nothing: configurations, replay, runs that stop and go on exactly, the command; and that it learns at all."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sizes import slow
from toy_game import GAME as TOY
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("pydantic")
pytest.importorskip("matplotlib")
pytest.importorskip("tensorboard")

import torch
import yaml
from torch.utils.tensorboard import SummaryWriter

from azul_duel_env.agents.fast_network_file import network_from
from azul_duel_env.agents.network import read_network
from azul_duel_env.arena.workers import LOST
from azul_duel_env.cli import app
from azul_duel_env.games import ids
from azul_duel_env.games.duel import GAME as DUEL
from azul_duel_env.jit import COMPILED
from azul_duel_env.training.alphazero import run as runs
from azul_duel_env.training.alphazero import self_play
from azul_duel_env.training.alphazero.config import AlphaZeroConfig, SelfPlay, Variant
from azul_duel_env.training.alphazero.network import Network, arrays_of
from azul_duel_env.training.alphazero.replay import LEAST_SPREAD, Replay, joined, read_decisions, write_decisions
from azul_duel_env.training.alphazero.run import AlphaZeroRun
from azul_duel_env.training.alphazero.self_play import Players
from azul_duel_env.training.config import read_config
from azul_duel_env.training.folder import Listener
from azul_duel_env.training.tensorboard_files import records_of

TINY = {
    "algorithm": "alphazero",
    "game": "toy/dice-v0",
    "seed": 3,
    "torch_threads": 1,
    "positions": 240,
    "network": {"units": 8, "width": 8},
    "self_play": {"games": 5, "threads": 1, "simulations": 4, "considered": 2},
    "replay": {"least": 60, "most": 100},
    "learning": {"batch_size": 16, "passes": 1},
    "evaluation": {"every": 120, "games": 3, "final_games": 6, "opponents": ["random"]},
}
"""Four iterations of 5 games of 12 decisions; evaluated before, in the midst and at the end."""


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(ids.GAMES, TOY.id, "toy_game")


def written(folder, changes=()):
    file = folder / "tiny.yaml"
    file.write_text(yaml.safe_dump(TINY | dict(changes)), encoding="utf-8")
    return file


def tiny(**changes):
    return AlphaZeroConfig.model_validate(TINY | changes)


def weights(run):
    return np.concatenate([value.numpy().ravel() for value in run.network.state_dict().values()])


class Stopping(Listener):
    """Presses Ctrl-C once so many positions are done."""

    def __init__(self, positions, note=""):
        self.positions, self.note = positions, note

    def steps(self, done, note=""):
        if done >= self.positions and self.note in note:
            raise KeyboardInterrupt


# Configurations -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("algorithm=alphago", "algorithm must be ppo or alphazero, not 'alphago'"),
        ("self_play.simulation=3", "unknown key 'self_play.simulation': did you mean 'simulations'"),
        ("zzz=3", "unknown key 'zzz': the keys there are algorithm, game"),
        ("positions=0", "positions: Input should be greater than or equal to 1"),
        ("network.width=4", "network.width: Input should be greater than or equal to 8"),
        ("replay.least=101", "replay.least 101 is more than replay.most 100"),
        ("variants=[]", "variants: List should have at least 1 item"),
        ("variants=[{options: {zero: 1}}]", "unknown option 'zero' in variants.0.options"),
        ("variants=[{options: {num_players: 3}}]", "num_players stands for itself"),
        ("num_players=2", "num_players must be 3 in Dice, not 2"),
        ("evaluation.games=4", "evaluation.games must be a multiple of 3"),
        ("evaluation.opponents=[greddy]", "unknown opponent 'greddy' in evaluation.opponents: did you mean 'greedy'"),
        ("seed=true", "seed: expected a number, not true"),
    ],
)
def test_a_wrong_configuration_says_where(change, message, tmp_path):
    with pytest.raises(ValueError, match="tiny.yaml") as caught:
        read_config(written(tmp_path), [change])
    assert message in str(caught.value)


# Self-play and replay -------------------------------------------------------------------------
def played(games=4, threads=1, seed=1, game=TOY, head_start=0, **changes):
    network = Network(game, 8, 8)
    torch.manual_seed(0)
    for value in network.parameters():
        torch.nn.init.normal_(value, 0, 0.3)
    settings = SelfPlay.model_validate(TINY["self_play"] | {"threads": threads} | changes)
    players = Players(game, settings, [Variant(), Variant(share=2)], threads)
    told = []
    asked = network_from(game, arrays_of(network), 0.6)
    found = players.play(asked, 4, 0.1, head_start, np.random.SeedSequence(seed).spawn(games), told.append)
    assert told == list(range(1, games + 1))
    return found


def check_alike(one, two):
    for name, array in vars(one.decisions).items():
        np.testing.assert_array_equal(array, getattr(two.decisions, name))


def test_games_are_the_same_whoever_plays_them():
    one, two = played(), played(threads=2)
    check_alike(one, two)
    assert (one.score_mean, one.length_mean) == (two.score_mean, 12)
    assert len(one.decisions) == 4 * 12
    assert one.decisions.states.tobytes() != played(seed=2).decisions.states.tobytes()


def test_ray_plays_the_same():
    """More games than a worker is given at once, on two workers."""
    pytest.importorskip("ray")
    few = {"simulations": 4, "kept": 0.1}
    check_alike(played(20, 2, game=DUEL, **few), played(20, 2, game=DUEL, backend="ray", **few))


def test_games_of_lost_workers_are_played_here(monkeypatch):
    monkeypatch.setattr(self_play, "check_workers", lambda *_: None)
    monkeypatch.setattr(self_play, "run_tasks", lambda _, tasks, *_rest: [LOST] * len(tasks))
    check_alike(played(20, 2), played(20, 2, backend="ray"))


def test_ray_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"azul_duel_env\[scale\]"):
        played(backend="ray")


def test_a_share_of_the_decisions_is_kept():
    """Drawn anew in each game, with its own policies, in the order of play; one at least."""
    whole, part = played(20), played(20, kept=0.25)
    assert 20 * 12 / 4 * 0.6 < len(part.decisions) < 20 * 12 / 4 * 1.4
    rows = [state.tobytes() for state in whole.decisions.states]
    places = [rows.index(state.tobytes()) for state in part.decisions.states]
    assert places == sorted(places)
    starts = np.cumsum(whole.decisions.counts) - whole.decisions.counts
    policies = [whole.decisions.policies[starts[place] : starts[place] + 2] for place in places]
    np.testing.assert_array_equal(part.decisions.policies, np.concatenate(policies))
    assert len(played(kept=0.001).decisions) == 4


def test_other_decisions_are_searched_with_fewer_simulations():
    alike, quick = (played(20, kept=0.25, quick_simulations=number).decisions for number in (None, 1))
    assert alike.states.tobytes() != quick.states.tobytes()
    assert alike.outcomes.std() > 0
    assert quick.outcomes.std() > 0


def test_a_head_start_is_drawn_for_each_game():
    firsts = played(20, head_start=30).decisions.states[::12]
    assert (firsts["scores"] == firsts["scores"][:, :1]).all()
    starts = firsts["scores"][:, 0]
    assert 0 <= starts.min() < starts.max() <= 30
    assert len(set(starts.tolist())) > 5
    assert (played(20).decisions.states[::12]["scores"] == 0).all()


def test_q_values_are_measured_by_what_games_come_to():
    replay, block = Replay(TOY, 10, 100, 0.0, 3), played().decisions
    assert replay.spread() == 1
    replay.add(1, block)
    assert replay.spread() == pytest.approx(block.outcomes.std())
    replay.add(2, replace(block, outcomes=np.zeros_like(block.outcomes)))
    assert replay.spread() == LEAST_SPREAD


def test_values_change_in_a_straight_line(tmp_path):
    changes = {"self_play": TINY["self_play"] | {"final_simulations": 8}}
    run = AlphaZeroRun(
        tiny(**changes, learning=TINY["learning"] | {"win_share": 0.2, "final_win_share": 0.6}), tmp_path
    )
    with closing(run):
        run.positions = 120
        assert run._win_share() == pytest.approx(0.4)
        assert run._on_the_way(4, 8) == 6
        run.positions = 999
        assert run._win_share() == pytest.approx(0.6)


def test_decisions_are_read_as_they_were_written(tmp_path):
    decisions = played().decisions
    write_decisions(tmp_path / "1.npz", decisions)
    again = read_decisions(tmp_path / "1.npz", TOY)
    assert all(np.array_equal(array, getattr(again, name)) for name, array in vars(decisions).items())
    assert again.states.dtype == TOY.state
    (tmp_path / "1.npz").write_bytes(b"PK nothing")
    with pytest.raises(ValueError, match="holds no decisions of this run"):
        read_decisions(tmp_path / "1.npz", TOY)


def test_a_batch_holds_what_was_played():
    """Observations are made again, policies lie at their actions, values mix what was thought and what came out."""
    blocks = [played(seed=seed).decisions for seed in range(3)]
    replay, every = Replay(TOY, 10, 1000, 0.25, 3), joined(blocks)
    for number, block in enumerate(blocks):
        replay.add(number, block)
    batch = replay.draw(np.random.default_rng(1), 500)
    place = {every.states[i : i + 1].tobytes(): i for i in range(len(every))}
    starts = np.cumsum(every.counts) - every.counts
    known = {
        TOY.observations(every.states[i : i + 1], int(every.states["player"][i])).tobytes() for i in place.values()
    }
    assert {row.tobytes() for row in batch.observations} <= known
    assert batch.is_legal.all()
    values = 0.25 * every.searched + 0.75 * every.outcomes
    for policy, value in zip(batch.policies, batch.values, strict=True):
        near = np.flatnonzero(np.isclose(values, value, atol=1e-6).all(axis=1))
        assert any(np.array_equal(every.policies[starts[i] : starts[i] + 2], policy) for i in near)
    assert len({row.tobytes() for row in batch.values}) > 50


def test_all_positions_are_drawn_alike():
    replay = Replay(TOY, 10, 1000, 1.0, 3)
    for number in (4, 7, 9):
        replay.add(number, played(seed=number, games=number - 3).decisions)
    kept = [row.tobytes() for block in replay.blocks.values() for row in block.searched]
    drawn = [row.tobytes() for row in replay.draw(np.random.default_rng(1), 20_000).values]
    for value in set(kept):
        assert drawn.count(value) == pytest.approx(20_000 * kept.count(value) / len(kept), rel=0.35)


def test_the_latest_half_is_kept_within_bounds():
    replay, sizes = Replay(TOY, 60, 100, 0.5, 3), []
    block = played().decisions  # 48 decisions
    for number in range(8):
        replay.add(number, block)
        replay.let_go(48 * (number + 1))
        sizes.append(len(replay))
    assert sizes == [48, 96, 96, 96, 144, 144, 144, 144]
    assert list(replay.blocks) == [5, 6, 7]


# Runs -----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A complete run, and its folder."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(ids.GAMES, TOY.id, "toy_game")
        run = AlphaZeroRun(tiny(), tmp_path_factory.mktemp("runs") / "tiny")
        run.train()
    return run


def test_a_run_leaves_everything_in_its_folder(finished):
    folder = finished.folder
    progress = json.loads((folder / "progress.json").read_text())
    assert [entry["steps"] for entry in progress["evaluations"]] == [0, 120, 240]
    assert progress["final"]["random"]["games"] == 6 * 2
    assert read_config(folder / "config.yaml") == tiny()
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in (folder / "networks").iterdir()) == ["0.npz", "120.npz", "240.npz"]
    assert sorted(file.name for file in (folder / "replay").iterdir()) == ["3.npz", "4.npz"]
    network = read_network(folder / "network.npz")
    assert (network.game, network.header["source"]["steps"]) == (TOY, 240)
    np.testing.assert_array_equal(network.compiled.first, arrays_of(finished.network)["first_weight"])
    logged = steps_logged(folder, "loss/policy")
    assert logged == [60, 120, 180, 240]
    assert steps_logged(folder, "evaluation/random/win_rate") == [0, 120, 240]


def steps_logged(folder, tag):
    files = sorted((folder / "tensorboard").glob("events*"))
    events = [event for file in files for _, event in records_of(file.read_bytes())]
    return [event.step for event in events if any(value.tag == tag for value in event.summary.value)]


def test_the_end_of_a_run_is_on_its_curve(tmp_path):
    evaluation = TINY["evaluation"] | {"every": 10**6}
    progress = AlphaZeroRun(tiny(positions=60, evaluation=evaluation), tmp_path / "run").train()
    assert [entry["steps"] for entry in progress.evaluations] == [0, 60]
    assert progress.evaluations[-1]["random"]["win_rate"] == progress.final["random"]["win_rate"]


def test_a_complete_run_is_not_done_again(finished):
    before = (finished.folder / "progress.json").read_bytes()
    with pytest.raises(ValueError, match="holds a run already"):
        AlphaZeroRun(tiny(), finished.folder)
    with pytest.raises(ValueError, match="another configuration"):
        AlphaZeroRun(tiny(seed=4), finished.folder, resume=True)
    again = AlphaZeroRun(tiny(), finished.folder, resume=True)
    again.train()
    assert (finished.folder / "progress.json").read_bytes() == before
    np.testing.assert_array_equal(weights(again), weights(finished))


@pytest.mark.parametrize("stop", [Stopping(60), *slow(Stopping(0, "1 games"), Stopping(120, "2 games"), Stopping(180))])
def test_a_stopped_run_goes_on_exactly(stop, finished, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        AlphaZeroRun(tiny(), tmp_path / "run", listener=stop).train()
    run = AlphaZeroRun(tiny(), tmp_path / "run", resume=True)
    assert run.positions == (stop.positions if stop.positions else 0)
    check_same(run, finished)


@pytest.mark.parametrize("place", ["_log", *slow("_keep", "_learn", "save", "_evaluate_if_due", "_finish")])
def test_a_killed_run_goes_on_exactly(place, finished, tmp_path, monkeypatch):
    """Ended as soon as it has done something the second time, when the checkpoint may be of the iteration before."""
    calls, original = [], getattr(AlphaZeroRun, place)

    def dies(self, *args):
        found = original(self, *args)
        calls.append(place)
        if len(calls) == (1 if place == "_finish" else 2):
            raise RuntimeError("killed")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(AlphaZeroRun, place, dies)
        with pytest.raises(RuntimeError, match="killed"):
            AlphaZeroRun(tiny(), tmp_path / "run").train()
    check_same(AlphaZeroRun(tiny(), tmp_path / "run", resume=True), finished)


class Ended(BaseException):
    """The end of a process that nothing hears of."""


class Places:
    """Where a run has just written, logged or played, or is about to: counted, and the run ended at one of them."""

    def __init__(self, monkeypatch):
        self.seen, self.last = 0, None
        for owner, name in ((os, "replace"), (SummaryWriter, "add_scalar"), (runs, "play_match"), (Path, "unlink")):
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
            raise Ended

    def train(self, folder, last=None):
        """Go on with a run, and end it at a place; return how many it passed."""
        self.seen, self.last = 0, last
        with suppress(Ended):
            AlphaZeroRun(tiny(positions=120), folder, resume=True).train()
        return self.seen


@pytest.mark.slow
def test_a_run_that_ends_at_any_place_goes_on_exactly(tmp_path, monkeypatch):
    places = Places(monkeypatch)
    total = places.train(tmp_path / "whole")
    expected = read_network(tmp_path / "whole" / "network.npz").compiled
    for last in range(1, total, 5 if COMPILED else 40):
        folder = tmp_path / str(last)
        places.train(folder, last)
        places.train(folder)
        assert steps_logged(folder, "loss/policy") == [60, 120], last
        assert steps_logged(folder, "evaluation/random/win_rate") == [0, 120], last
        np.testing.assert_array_equal(read_network(folder / "network.npz").compiled.second, expected.second, str(last))
    assert total > 60


def check_same(run, finished):
    """What a run comes to is what one came to that was never stopped."""
    progress = run.train()
    np.testing.assert_array_equal(weights(run), weights(finished))
    for entry, expected in zip(progress.evaluations, finished.progress.evaluations, strict=True):
        assert entry | {"seconds": 0} == expected | {"seconds": 0}
    for tag in ("loss/policy", "evaluation/random/win_rate"):
        assert steps_logged(run.folder, tag) == steps_logged(finished.folder, tag)
    names = [sorted(file.name for file in (one.folder / "replay").iterdir()) for one in (run, finished)]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("checkpoint.pt", "no checkpoint of this run"),
        ("replay/2.npz", "holds no decisions"),
        ("progress.json", "no progress"),
    ],
)
def test_a_damaged_file_is_refused(name, message, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        AlphaZeroRun(tiny(), tmp_path / "run", listener=Stopping(120)).train()
    (tmp_path / "run" / name).write_bytes(b"nothing")
    with pytest.raises(ValueError, match=message) as caught:
        AlphaZeroRun(tiny(), tmp_path / "run", resume=True)
    assert name in str(caught.value)


def test_a_folder_belongs_to_one_run(tmp_path):
    run = AlphaZeroRun(tiny(), tmp_path / "run")
    with pytest.raises(ValueError, match="another run writes"):
        AlphaZeroRun(tiny(), tmp_path / "run", resume=True)
    run.close()
    AlphaZeroRun(tiny(), tmp_path / "run", resume=True).close()


def test_a_run_may_start_from_a_network(finished, tmp_path):
    """It begins with the weights of the file, and refuses others."""
    folder = finished.folder
    start = {"network": {"units": 8, "width": 8, "start": str(folder / "network.npz")}}
    with closing(AlphaZeroRun(tiny(**start), tmp_path / "run")) as run:
        held, begun = read_network(folder / "network.npz").compiled, network_from(TOY, arrays_of(run.network), 0.6)
        for name in held._fields[:-1]:
            np.testing.assert_array_equal(getattr(begun, name), getattr(held, name))
    for wrong, message in (
        ({"width": 16}, "has 8 units and a width of 8"),
        ({"start": str(DUEL.network)}, "no network with"),
    ):
        with pytest.raises(ValueError, match=message):
            AlphaZeroRun(tiny(network=start["network"] | wrong), tmp_path / "other")


def test_weights_stay_within_what_a_file_can_hold():
    network = Network(TOY, 8, 8)
    with torch.no_grad():
        network.first.weight.fill_(100.0)
    network.keep_within_bounds()
    assert arrays_of(network)["first_weight"].max() == 2047


def test_the_search_evaluates_if_it_is_asked_to(tmp_path, monkeypatch):
    agents, play = [], runs.play_match

    def noted(game, names, *args, **kwargs):
        agents.append(names[0])
        return play(game, names, *args, **kwargs)

    monkeypatch.setattr(runs, "play_match", noted)
    evaluation = TINY["evaluation"] | {"simulations": 4}
    AlphaZeroRun(tiny(positions=1, evaluation=evaluation), tmp_path / "run").train()
    assert len(agents) == 2
    assert all(agent.startswith("network+mcts:4:") for agent in agents)


@pytest.mark.slow
def test_it_learns_to_win(tmp_path):
    """Dice: untrained, with this seed, it gives all points away."""
    config = tiny(
        seed=2,
        positions=6_000,
        network={"units": 32, "width": 16},
        self_play={"games": 25, "threads": 1, "simulations": 16, "considered": 2, "strength": 1.0},
        replay={"least": 2_000, "most": 5_000},
        learning={"batch_size": 128, "passes": 8, "learning_rate": 0.003},
        evaluation={"every": 10**6, "games": 300, "final_games": 300, "opponents": ["random"]},
    )
    progress = AlphaZeroRun(config, tmp_path / "run").train()
    first, last = progress.evaluations[0]["random"], progress.final["random"]
    assert first["win_rate"] < 0.2
    assert last["win_rate"] > 0.8


# The command ----------------------------------------------------------------------------------
def test_the_command_trains_and_goes_on(tmp_path, monkeypatch):
    config, folder = written(tmp_path), tmp_path / "run"
    keep = AlphaZeroRun._learn
    with monkeypatch.context() as patched:
        patched.setattr(
            AlphaZeroRun, "_learn", lambda self, new: interrupt() if self.iterations == 2 else keep(self, new)
        )
        stopped = CliRunner().invoke(app, ["train", str(config), "--out", str(folder)])
    assert stopped.exit_code == 130
    assert "go on with --resume" in stopped.output
    done = CliRunner().invoke(app, ["train", str(config), "--out", str(folder), "--resume"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "network.npz" in done.output
    assert (folder / "network.npz").exists()


def interrupt():
    raise KeyboardInterrupt
