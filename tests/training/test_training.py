"""Training: configurations, runs that stop and go on, advice, evaluation, the commands; and that it learns at all."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sys
import zipfile

import numpy as np
import pytest
from lone_row import at_random
from places import ROOT
from sizes import scaled, slow
from spoilt import spoilt_file

from azul_duel_env.agents.table import make_agent
from azul_duel_env.games import find_game
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
pytest.importorskip("pydantic")
pytest.importorskip("yaml")
pytest.importorskip("matplotlib")
pytest.importorskip("tensorboard")


import yaml
from sb3_contrib import MaskablePPO

from azul_duel_env.cli import main
from azul_duel_env.envs.sb3 import make_sb3_vec
from azul_duel_env.system.files import replaced
from azul_duel_env.training import evaluate as evaluation
from azul_duel_env.training import run as runs
from azul_duel_env.training.config import Config, read_config
from azul_duel_env.training.evaluate import evaluate
from azul_duel_env.training.policy import AdvisedPolicy
from azul_duel_env.training.progress import Progress, read_progress
from azul_duel_env.training.run import Falling, Listener, Run, config_beside

compiled = pytest.mark.skipif(not COMPILED, reason="trains")
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
COARSE = {
    "placement": "best_fit",
    "bonus_chips": "always",
    "moon_order": "useful_on_top",
    "return_order": "ascending",
    "drawing": "once",
}
TINY = {
    "seed": 3,
    "torch_threads": 1,
    "environment": {"num_envs": 8, "threads": 1, "reward": "score_delta", "granularity": COARSE},
    "network": {"policy": [8], "value": [8]},
    "ppo": {"learning_rate": 0.004, "final_learning_rate": 0.001, "n_steps": 8, "batch_size": 32, "n_epochs": 2},
    "stages": [
        {"steps": 192, "opponent": "random"},
        {"steps": 192, "opponent": {"greedy": 0.5, "past_selves": 0.5}},
    ],
    "league": {"every": 64, "size": 2},
    "evaluation": {"every": 128, "games": 2, "final_games": 4, "opponents": ["random", "greedy"]},
}


def written(folder, config=TINY, name="tiny.yaml"):
    """The configuration as a file."""
    file = folder / name
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    return file


class Stopping(Listener):
    """Presses Ctrl-C once so many steps are done, or as a phase begins, or as the final games are played."""

    def __init__(self, steps=None, phase="stage", games=None) -> None:
        self.at, self.wanted, self.games, self.phases = steps, phase, games, []

    def phase(self, name, done, total) -> None:  # noqa: ARG002
        self.phases.append(name)

    def steps(self, done, note="") -> None:  # noqa: ARG002
        final = self.phases[-1].startswith("final")
        if (self.games is not None and final and done >= self.games) or (self.at is not None and done >= self.at):
            raise KeyboardInterrupt


def weights(model):
    """The parameters of a model, as one array."""
    return np.concatenate([value.numpy().ravel() for value in model.policy.state_dict().values()])


def steps_of(progress):
    return [entry["steps"] for entry in progress.evaluations]


def fingerprints(folder):
    """What files a folder holds, and what is in them; the events of TensorBoard are left out."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "tensorboard"]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


# Configurations -------------------------------------------------------------------------------
@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_the_shipped_configurations_are_valid(file):
    config = read_config(file)
    assert config.steps >= 1_000_000
    assert config == type(config).model_validate(config.model_dump(mode="json"))


def test_there_are_shipped_configurations():
    assert {"ppo_quick", "ppo_duel", "ppo_mini", "az_duel", "az_duel_more", "az_mini"} <= {
        file.stem for file in CONFIGS
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("sead=1", "unknown key 'sead': did you mean 'seed'?"),
        ("ppo.n_epoch=1", "unknown key 'ppo.n_epoch': did you mean 'n_epochs'?"),
        ("stages.1.oponent=random", "unknown key 'stages.1.oponent': did you mean 'opponent'?"),
        ("environment.granularity.placment=split", "'environment.granularity.placment': did you mean 'placement'?"),
        ("league.zzz=1", "unknown key 'league.zzz': the keys there are every, size"),
        ("zzz.a=1", "unknown key 'zzz': the keys there are algorithm, game"),
        ("ppo.n_epochs=0", "ppo.n_epochs: Input should be greater than or equal to 1"),
        ("ppo.n_epochs=many", "ppo.n_epochs: Input should be a valid integer"),
        ("ppo.gamma=1.5", "ppo.gamma: Input should be less than or equal to 1"),
        ("ppo.learning_rate=.inf", "ppo.learning_rate: Input should be a finite number"),
        ("ppo.batch_size=65", "ppo.batch_size 65 is more than a rollout of 64"),
        ("evaluation.games=3", "evaluation.games must be a multiple of 2"),
        ("evaluation.opponents=[]", "evaluation.opponents"),
        ("environment.advice=random", "environment.advice: Input should be 'greedy'"),
        ("environment.granularity.placement=half", "environment.granularity: placement must be one of"),
        ("seed=true", "seed: expected a number, not true"),
        ("ppo.gamma=true", "ppo.gamma: expected a number, not true"),
        ("environment.num_envs=false", "environment.num_envs: expected a number, not false"),
        ("network.policy=[8, true]", "network.policy.1: expected a number, not true"),
        ("stages.0.opponent={random: true}", "stages.0.opponent.random: expected a number, not true"),
        ("ppo.batch_size=1", "ppo.batch_size: Input should be greater than or equal to 2"),
        ("environment.reward=win_los", "unknown part 'win_los' in environment.reward: did you mean 'win_loss'?"),
        ("environment.reward={potental: 1}", "in environment.reward: did you mean 'potential'?"),
        ("environment.reward={potential: true}", "environment.reward.potential: expected a number, not true"),
        ("environment.reward={}", "environment.reward: reward must be one of"),
        ("environment.options.explicit_chance=true", "environment.options: explicit_chance is for the AEC environment"),
        ("environment.options.scoring_tile=4", "in environment.options: did you mean 'scoring_tiles'?"),
        (
            "environment.options.special_counts_as_colour=1",
            "environment.options: special_counts_as_colour must be True",
        ),
        ("stages.1.opponent=gredy", "unknown opponent 'gredy' in stages.1.opponent: did you mean 'greedy'?"),
        ("stages.1.opponent={past_self: 1}", "in stages.1.opponent: did you mean 'past_selves'?"),
        ("stages.1.opponent=self-play", "unknown opponent 'self-play' in stages.1.opponent"),
        ("stages.1.opponent=mcst:400", "in stages.1.opponent: did you mean 'mcts:N'?"),
        ("stages.1.opponent=mcts:many", "stages.1.opponent: mcts takes a number of simulations"),
        ("evaluation.opponents=[past_selves]", "unknown opponent 'past_selves' in evaluation.opponents"),
        ("ppo={n_epochs: 2, n_epochs: 3}", "the key 'n_epochs' stands twice, from line 1"),
        ("environment.options.tiles=3", "unknown option 'tiles'"),
        ("environment.options.scoring_tiles=7", "scoring_tiles"),
        ("stages=[]", "stages"),
        ("stages.0.opponent={random: 0}", "the shares must not all be 0"),
        ("game=azul/summer-v0", "unknown game 'azul/summer-v0'"),
        ("seed", "expected key=value, not 'seed'"),
        ("seed=[", "the value is no YAML"),
        ("seed.a=1", "there is no place 'seed.a'"),
        ("stages.7.steps=1", "there is no place 'stages.7.steps'"),
        ("stages.first.steps=1", "there is no place 'stages.first.steps'"),
    ],
)
def test_a_wrong_configuration_says_where(change, message, tmp_path):
    with pytest.raises(ValueError) as error:
        read_config(written(tmp_path), [change])
    assert message in str(error.value)


def test_changes_from_the_command_line(tmp_path):
    file = written(tmp_path)
    config = read_config(file, ["seed=9", "ppo.n_epochs=4", "stages.0.opponent={random: 1}", "league.size=5"])
    assert (config.seed, config.ppo.n_epochs, config.league.size) == (9, 4, 5)
    assert config.stages[0].shares == {"random": 1.0}
    assert config.stages[1] == read_config(file).stages[1]
    assert read_config(file, ["environment.reward={win_loss: 1, potential: 0.5}"]).environment.reward == {
        "win_loss": 1.0,
        "potential": 0.5,
    }


def test_a_key_that_stands_twice_is_refused(tmp_path):
    file = written(tmp_path)
    file.write_text(file.read_text() + "seed: 4\n")
    with pytest.raises(ValueError, match="tiny.yaml .*: the key 'seed' stands twice, from line 1$"):
        read_config(file)


def test_mutated_configurations_are_refused_in_a_sentence_or_valid(tmp_path):
    file, refused, count, rng = written(tmp_path), 0, scaled(300, 60), random.Random(3)
    sound = file.read_bytes()
    for _ in range(count):
        file.write_bytes(spoilt_file(sound, rng))
        try:
            config = read_config(file)
        except ValueError as error:
            refused += 1
            message = str(error)
            assert message.isprintable(), message
            assert message.startswith(str(file)), message
        else:
            assert config == type(config).model_validate(config.model_dump(mode="json"))
    assert count > refused > count / 2


@pytest.mark.parametrize(
    ("text", "message"),
    [("a: [", "is no YAML"), ("", "keys and values"), ("- 1", "keys and"), ("a: 2024-13-45", "is no YAML")],
)
def test_a_file_that_is_no_configuration(text, message, tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_config(file, ["seed=1"])
    with pytest.raises(FileNotFoundError):
        read_config(tmp_path / "b.yaml")


def test_shares_of_a_stage():
    stages = Config.model_validate(
        TINY | {"stages": [{"steps": 1, "opponent": {"random": 0, "past_selves": 2}}]}
    ).stages
    assert stages[0].shares == {"past_selves": 2.0}


# Files ----------------------------------------------------------------------------------------
def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    file = tmp_path / "a.txt"
    with replaced(file) as temporary:
        temporary.write_text("old")
    with pytest.raises(ZeroDivisionError), replaced(file) as temporary:
        temporary.write_text(f"half of the n{1 / 0}")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


# Runs -----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A complete run: its folder and its progress."""
    if not COMPILED:
        pytest.skip("trains")
    folder = tmp_path_factory.mktemp("runs") / "run"
    return folder, Run(Config.model_validate(TINY), folder).train()


def test_a_run_leaves_everything_in_its_folder(finished):
    folder, progress = finished
    assert read_config(folder / "config.yaml") == Config.model_validate(TINY) == config_beside(folder / "model.zip")
    assert json.loads((folder / "progress.json").read_text()) == json.loads(json.dumps(vars(progress)))
    assert steps_of(progress) == [0, 128, 256, 384]
    assert set(progress.final) == {"random", "greedy"}
    assert progress.final["random"]["games"] == 4
    for entry in progress.evaluations:
        assert 0 <= entry["random"]["win_rate_low"] <= entry["random"]["win_rate"] <= 1
    assert progress.evaluations[-1]["greedy"]["win_rate"] == progress.final["greedy"]["win_rate"]
    for name in ("model.zip", "checkpoint.zip"):
        assert MaskablePPO.load(folder / name).num_timesteps == 384
        assert zipfile.ZipFile(folder / name).testzip() is None
    assert list((folder / "tensorboard").glob("events*"))
    assert sorted(path.name for path in (folder / "past_selves").iterdir()) == ["256.pt", "320.pt"]
    assert not list(folder.rglob(".*")), "no temporary file is left"


def test_the_learning_curve_is_a_picture(finished):
    picture = (finished[0] / "curve.png").read_bytes()
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert 600 <= height <= width <= 2000
    assert len(picture) > 10_000


def test_a_folder_with_a_run_is_refused_unless_it_is_resumed(finished):
    folder, _ = finished
    before = fingerprints(folder)
    with pytest.raises(ValueError, match="--resume"):
        Run(Config.model_validate(TINY), folder)
    with pytest.raises(ValueError, match="another configuration"):
        Run(Config.model_validate(TINY | {"seed": 4}), folder, resume=True)
    assert fingerprints(folder) == before


def test_a_complete_run_is_not_done_again(finished):
    folder, progress = finished
    before = fingerprints(folder)
    again = Run(Config.model_validate(TINY), folder, resume=True).train()
    assert again == progress
    assert fingerprints(folder) == before


SCORES = {
    "win_rate": 0.5,
    "win_rate_low": 0.1,
    "win_rate_high": 0.9,
    "score_mean": 1.0,
    "opponent_score_mean": 1.0,
    "margin_mean": 0.0,
}
ENTRY = {"steps": 0, "seconds": 1.5, "random": SCORES, "greedy": SCORES}


@pytest.mark.parametrize(
    ("progress", "message"),
    [
        ([], "Input should be"),
        ({"evaluations": 5}, "evaluations: Input should be a valid list"),
        ({"seconds": "x"}, "seconds: Input should be a valid number"),
        ({"seconds": True}, "seconds: Input should be a valid number"),
        ({"second": 1}, "second: Extra inputs"),
        ({"evaluations": [5]}, "evaluations.0: Input should be"),
        ({"evaluations": [ENTRY | {"steps": "many"}]}, "evaluations.0.steps: Input should be a valid integer"),
        ({"evaluations": [ENTRY | {"random": 5}]}, "evaluations.0.opponents.random: Input should be"),
        ({"evaluations": [ENTRY, {"steps": 1}]}, "evaluations.1.seconds: Field required"),
        (
            {"evaluations": [ENTRY, {"steps": 1, "seconds": 2}]},
            "expected evaluations against random, greedy, not nobody",
        ),
        ({"final": {"random": SCORES}}, "final.random.games: Field required"),
    ],
    ids=str,
)
def test_a_damaged_progress_is_refused_and_what_helps_is_said(progress, message, tmp_path):
    file = tmp_path / "progress.json"
    file.write_text(json.dumps(progress))
    with pytest.raises(ValueError, match="delete it to go on without the evaluations so far") as error:
        read_progress(file, ["random", "greedy"])
    assert str(file) in str(error.value)
    assert message in str(error.value)


def test_a_whole_progress_is_read_as_it_is(tmp_path):
    file = tmp_path / "progress.json"
    file.write_text(json.dumps({"seconds": 3, "evaluations": [ENTRY]}))
    assert read_progress(file, ["greedy", "random"]) == Progress(3, [ENTRY])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("progress.json", "is no progress of this run"),
        ("checkpoint.zip", "delete it to train from the beginning"),
        ("past_selves/320.pt", "delete it to go on without"),
    ],
)
def test_a_damaged_file_of_a_run_is_refused_until_it_is_deleted(finished, name, message, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(finished[0], folder)
    file = folder / name
    file.write_bytes(b"[]")
    (folder / "past_selves/0x.pt").write_bytes(b"somebody else's")
    (folder / "past_selves/01.pt").write_bytes(b"somebody else's")
    before = fingerprints(folder)
    with pytest.raises(ValueError, match=message) as error:
        Run(Config.model_validate(TINY), folder, resume=True)
    assert str(file) in str(error.value)
    assert fingerprints(folder) == before
    file.unlink()
    Run(Config.model_validate(TINY), folder, resume=True).close()


@pytest.mark.slow
def test_runs_repeat(finished, tmp_path):
    folder, progress = finished
    again = Run(Config.model_validate(TINY), tmp_path / "run").train()
    first, second = (MaskablePPO.load(place / "model.zip") for place in (folder, tmp_path / "run"))
    np.testing.assert_array_equal(weights(first), weights(second))
    assert again.final == progress.final
    other = Run(Config.model_validate(TINY | {"seed": 4}), tmp_path / "other")
    other.train()
    assert (weights(other.model) != weights(first)).any()


@compiled
@pytest.mark.parametrize(
    "stop", [{"steps": 128}, *slow({"steps": 64}, {"steps": 192}, {"steps": 320}, {"games": 4})], ids=str
)
def test_ctrl_c_saves_and_the_run_goes_on_from_there(stop, tmp_path, rates):
    config, folder = Config.model_validate(TINY), tmp_path / "run"
    stopped = Run(config, folder, listener=Stopping(**stop))
    with pytest.raises(KeyboardInterrupt):
        stopped.train()
    saved = MaskablePPO.load(folder / "checkpoint.zip")
    assert saved.num_timesteps == stop.get("steps", 384)
    np.testing.assert_array_equal(weights(saved), weights(stopped.model))
    resumed = Run(config, folder, resume=True)
    np.testing.assert_array_equal(weights(resumed.model), weights(saved))
    assert resumed.model.policy.optimizer.state_dict()["state"].keys() == (
        saved.policy.optimizer.state_dict()["state"].keys()
    )
    assert resumed.progress.seconds == stopped.progress.seconds
    rates.clear()
    progress = resumed.train()
    assert resumed.model.num_timesteps == 384
    assert rates == pytest.approx([0.004 - 0.003 * done / 384 for done in range(saved.num_timesteps, 384, 64)])
    assert steps_of(progress) == [0, 128, 256, 384]
    assert set(progress.final) == {"random", "greedy"}
    assert progress.seconds > stopped.progress.seconds
    assert len(list((folder / "past_selves").iterdir())) == 2


@pytest.fixture
def rates(monkeypatch):
    """The learning rate of each update from here on, as the optimiser has it."""
    seen, train = [], MaskablePPO.train

    def noting(model):
        train(model)
        seen.append(model.policy.optimizer.param_groups[0]["lr"])

    monkeypatch.setattr(MaskablePPO, "train", noting)
    return seen


@pytest.mark.slow
@compiled
def test_ctrl_c_while_it_evaluates(tmp_path, monkeypatch):
    config, folder = Config.model_validate(TINY), tmp_path / "run"
    calls, play = [], runs.evaluate

    def interrupted(*args, **options):
        calls.append(args)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return play(*args, **options)

    monkeypatch.setattr(runs, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Run(config, folder).train()
    resumed = Run(config, folder, resume=True)
    assert steps_of(resumed.progress) == [0, 128]
    assert steps_of(resumed.train()) == [0, 128, 256, 384]


@compiled
def test_ctrl_c_amid_an_update_takes_all_of_it_back(tmp_path, monkeypatch):
    config, folder = Config.model_validate(TINY), tmp_path / "run"
    before, train = [], MaskablePPO.train

    def interrupted(model):
        before.append(weights(model))
        train(model)
        if model.num_timesteps == 192:
            raise KeyboardInterrupt

    monkeypatch.setattr(MaskablePPO, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Run(config, folder).train()
    saved = MaskablePPO.load(folder / "checkpoint.zip")
    assert (saved.num_timesteps, saved._n_updates) == (128, 2 * 2)
    np.testing.assert_array_equal(weights(saved), before[-1])
    steps = {int(state["step"]) for state in saved.policy.optimizer.state_dict()["state"].values()}
    assert steps == {2 * 2 * 2}  # iterations, epochs, batches


@compiled
def test_ctrl_c_while_it_saves_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    config, folder = Config.model_validate(TINY), tmp_path / "run"
    stopped = Run(config, folder, listener=Stopping(64))
    with pytest.raises(KeyboardInterrupt):
        stopped.train()
    before = fingerprints(folder)

    def save(path):
        path.write_bytes(b"half of a check")
        raise KeyboardInterrupt

    resumed = Run(config, folder, resume=True, listener=Stopping(128))
    monkeypatch.setattr(resumed.model, "save", save)
    with pytest.raises(KeyboardInterrupt):
        resumed.train()
    assert fingerprints(folder) == before
    assert MaskablePPO.load(folder / "checkpoint.zip").num_timesteps == 64


@compiled
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("stages.1.opponent=sb3:nowhere", "no saved model"),
        ("stages.1.opponent=nowhere:function", "can't be imported"),
        ("evaluation.opponents=[network:nowhere.npz]", "nowhere.npz"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_starts(change, message, tmp_path):
    config = read_config(written(tmp_path), [change])
    with pytest.raises((OSError, ValueError), match=message):
        Run(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@compiled
def test_a_folder_belongs_to_one_run_from_its_begin_to_its_end(tmp_path):
    config, folder = Config.model_validate(TINY), tmp_path / "runs" / "run"
    first = Run(config, folder)
    before = fingerprints(folder)
    for resume in (False, True):
        with pytest.raises(ValueError, match=rf"another run writes {folder} \(process {os.getpid()} on"):
            Run(Config.model_validate(TINY | {"seed": 4}), folder, resume)
    assert fingerprints(folder) == before
    first.close()
    with pytest.raises(ValueError, match="another configuration"):
        Run(Config.model_validate(TINY | {"seed": 4}), folder, resume=True)
    Run(config, folder, resume=True).close()


@compiled
def test_past_selves_are_the_learner_as_it_was(tmp_path):
    stages = {"stages": [{"steps": 192, "opponent": "past_selves"}]}
    run = Run(Config.model_validate(TINY | stages), tmp_path / "run")
    run.train()
    (tmp_path / "run/past_selves/.99.new.pt").write_text("left by a crash")
    assert [member.name for member in run.env.batch.pool.opponents] == [f"self after {n} steps" for n in (64, 128)]
    again = Run(run.config, tmp_path / "run", resume=True)
    assert list(again.selves.opponents) == [64, 128]
    run.env.reset()
    masks = run.env.action_masks()
    answers = again.selves.opponents[64].act(run.env.batch.observations, masks)
    assert masks[np.arange(len(masks)), answers].all()


def test_the_learning_rate_falls_in_a_straight_line():
    rate = Falling(1.0, 0.5)
    seen = []
    for rate.progress in (0.0, 0.5, 1.0, 1.1):
        seen.append(rate(0.123))
    assert seen == [1.0, 0.75, 0.5, 0.5]


# Advice ---------------------------------------------------------------------------------------
ADVISED = {"bonus_chips": "whether", "moon_order": "useful_on_top", "return_order": "ascending"}


def advised(rows=16, **options):
    """An environment with advice, and a model that has learnt nothing."""
    env = make_sb3_vec(rows, opponent="random", advice="greedy", seed=2, **options)
    arguments = {"n_steps": 8, "batch_size": 16, "policy_kwargs": {"net_arch": {"pi": [16], "vf": [8]}}}
    return env, MaskablePPO(AdvisedPolicy, env, seed=2, device="cpu", **arguments)


@compiled
def test_an_untrained_advised_policy_plays_as_greedy():
    env, model = advised()
    observations, rng = env.reset(), np.random.default_rng(0)
    best, agreed, decisions = 0, 0, 0
    greedy = make_agent(GAME, "greedy")
    from azul_duel_env.game import Position

    for _ in range(60):
        masks = env.action_masks()
        chosen = model.predict(observations, action_masks=masks, deterministic=True)[0]
        ratings = observations[:, -env.action_space.n :]
        best += (ratings[np.arange(len(chosen)), chosen] >= 0.97).sum()
        for i in range(env.num_envs):
            wanted = greedy.act(Position(GAME, env.batch.states[i : i + 1].copy()), np.uint64(rng.integers(2**63)))
            agreed += ratings[i, wanted] == 1.0
        decisions += len(chosen)
        observations = env.step(at_random(masks, rng))[0]
    assert agreed == decisions
    assert best > 0.95 * decisions


@compiled
def test_an_advised_model_chooses_the_same_once_saved(tmp_path):
    env, model = advised(**ADVISED)
    model.learn(128)
    model.save(tmp_path / "model.zip")
    loaded = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    observations, rng = env.reset(), np.random.default_rng(0)
    for _ in range(10):
        masks = env.action_masks()
        ours, theirs = (one.predict(observations, action_masks=masks, deterministic=True)[0] for one in (model, loaded))
        np.testing.assert_array_equal(ours, theirs)
        observations = env.step(at_random(masks, rng))[0]
    np.testing.assert_array_equal(weights(model), weights(loaded))
    assert loaded.policy.action_net.trust.item() != 1.0


@pytest.mark.slow
@compiled
def test_a_run_with_advice(tmp_path):
    changes = {"environment": TINY["environment"] | {"advice": "greedy"}, "stages": [{"steps": 64}]}
    run = Run(Config.model_validate(TINY | changes), tmp_path / "run")
    assert isinstance(run.model.policy, AdvisedPolicy)
    progress = run.train()
    assert steps_of(progress) == [0, 64]
    assert Run(run.config, tmp_path / "run", resume=True).progress == progress


# Evaluation -----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def untrained():
    env = make_sb3_vec(2, **COARSE)
    return MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, seed=1, device="cpu")


@compiled
def test_evaluation_plays_each_seed_from_both_seats_and_repeats(untrained, monkeypatch):
    from azul_duel_env.training import evaluate as module

    results = []
    summarise = module.summarise
    monkeypatch.setattr(module, "summarise", lambda names, games: results.append(games) or summarise(names, games))
    summary = evaluate(GAME, untrained, "random", 40, 7, abstraction=COARSE)
    assert summary.games == len(results[0]) == 40
    by_seat = [[game.seed for game in results[0] if game.agents[seat] == "model"] for seat in range(2)]
    assert sorted(by_seat[0]) == sorted(by_seat[1])
    assert len(set(by_seat[0])) == 20
    monkeypatch.setattr("azul_duel_env.envs.row_arrays.ROWS_PER_THREAD", 1)
    assert evaluate(GAME, untrained, "random", 40, 7, abstraction=COARSE, threads=3) == summary
    assert evaluate(GAME, untrained, "random", 40, 8, abstraction=COARSE) != summary
    monkeypatch.setattr(module, "GAMES_AT_ONCE", 7)
    again = evaluate(GAME, untrained, "random", 40, 7, abstraction=COARSE).as_dict()
    assert again == pytest.approx(summary.as_dict()), "whatever the order of the games"


def test_evaluation_refuses(untrained):
    for games in (0, 3):
        with pytest.raises(ValueError, match="multiple of 2"):
            evaluate(GAME, untrained, "random", games, 1, abstraction=COARSE)
    with pytest.raises(ValueError, match="same granularity"):
        evaluate(GAME, untrained, "random", 2, 1)


# Learning -------------------------------------------------------------------------------------
@compiled
@pytest.mark.slow
def test_it_learns_to_win():
    """Small, with the settings of ``configs/ppo_quick.yaml``.

    Rules of thumb choose most of what is not asked, and so win most games against ``random`` whatever the learner does. Against
    somebody who has the same rules and chooses at random, half of the games are won without learning, and fewer by a learner that is
    rewarded for what the opponent gains.
    """
    config = read_config(CONFIGS[0].with_name("ppo_quick.yaml"))
    given, rng = config.environment, np.random.default_rng(0)
    env = make_sb3_vec(64, opponent="random", reward=given.reward, gamma=config.ppo.gamma, **given.granularity)
    arguments = config.ppo.model_dump(exclude={"final_learning_rate"}) | {"batch_size": 512}
    model = MaskablePPO("MlpPolicy", env, seed=1, device="cpu", policy_kwargs={"net_arch": [128, 128]}, **arguments)
    model.learn(65_536)
    summary = evaluate(GAME, model, "random", 100, 5, abstraction=given.granularity)
    assert summary.win_rate > 0.7
    summary = evaluate(GAME, model, lambda _, masks: at_random(masks, rng), 1000, 6, abstraction=given.granularity)
    assert summary.win_rate > 0.56
    assert summary.margin_mean > 1.5


@compiled
@pytest.mark.slow
def test_it_learns_the_game_of_several_players():
    """As above, for three players, with the settings of ``configs/ppo_mini.yaml``; untrained it scores less than random players."""
    config = read_config(CONFIGS[0].with_name("ppo_mini.yaml"))
    given = config.environment
    env = make_sb3_vec(
        64,
        game="pavilion_mini",
        num_players=3,
        opponent="random",
        reward=given.reward,
        gamma=config.ppo.gamma,
        **given.granularity,
    )
    arguments = config.ppo.model_dump(exclude={"final_learning_rate"}) | {"batch_size": 512}
    model = MaskablePPO("MlpPolicy", env, seed=1, device="cpu", policy_kwargs={"net_arch": [128, 128]}, **arguments)
    model.learn(16_384)
    summary = evaluate(find_game("pavilion_mini", 3), model, "random", 60, 5, abstraction=given.granularity)
    assert summary.win_rate > 0.85
    assert summary.score_mean > 30


# Commands -------------------------------------------------------------------------------------
@pytest.fixture
def command(monkeypatch, capsys):
    """The command, run in this process: its exit code, standard output, and standard error on one line."""

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["azul-duel", *map(str, args)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return end.value.code, out, " ".join(err.split())

    return run


@compiled
def test_the_commands_train_and_evaluate(command, tmp_path):
    file, folder = written(tmp_path), tmp_path / "run"
    short = ("--set", "stages=[{steps: 64, opponent: random}]")
    code, out, err = command("train", file, "--out", folder, *short, "--set", "seed=5")
    assert code == 0
    assert "win rate" in out
    assert "greedy" in out
    assert "wins against random" in err
    assert "model.zip" in err
    assert read_config(folder / "config.yaml").seed == 5
    code, again, _ = command("train", file, "--out", folder, "--resume", *short, "--set", "seed=5")
    assert (code, again) == (0, out)
    code, _, err = command("train", file, "--out", folder, "--resume", *short)
    assert code == 2
    assert "another configuration" in err
    code, out, _ = command("evaluate", folder / "model.zip", "random", "--games", "4", "--json", "-")
    [summary] = json.loads(out)
    assert code == 0
    assert (summary["agent"], summary["opponent"], summary["games"]) == ("run", "random", 4)
    code, out, _ = command("evaluate", folder / "model.zip", "--games", "2")
    assert code == 0
    assert "win rate" in out
    code, _, err = command("evaluate", folder / "model.zip", "random", "--games", "3")
    assert code == 2
    assert "multiple of 2" in err


@compiled
def test_ctrl_c_of_the_command_says_how_to_go_on(command, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "evaluate_now", interrupted)
    code, _, err = command("train", written(tmp_path), "--out", tmp_path / "run")
    assert code == 130
    assert "go on with --resume" in err
    assert MaskablePPO.load(tmp_path / "run/checkpoint.zip").num_timesteps == 0


@compiled
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_evaluation_tells_what_is_finished(command, finished, monkeypatch, number):
    def stopped(*args, **options):
        if args[2] == "greedy":
            signal.raise_signal(number)
        return play(*args, **options)

    play = evaluation.evaluate
    monkeypatch.setattr(evaluation, "evaluate", stopped)
    args = ("evaluate", finished[0] / "model.zip", "random", "greedy", "network", "--games", "2")
    code, out, err = command(*args, "--json", "-")
    assert code == 128 + number
    assert [summary["opponent"] for summary in json.loads(out)] == ["random"]
    assert "interrupted after 1 of 3 opponents" in err
    code, out, _ = command(*args)
    assert code == 128 + number
    assert "random" in out


def test_mistakes_end_with_a_line_and_code_2(command, tmp_path):
    file = written(tmp_path)
    for args, message in [
        (("train", file, "--out", tmp_path / "run", "--set", "ppo.n_epoch=2"), "did you mean 'n_epochs'"),
        (("train", tmp_path / "none.yaml"), "none.yaml"),
        (("evaluate", tmp_path / "model.zip", "random"), "config.yaml"),
    ]:
        code, _, err = command(*args)
        assert code == 2
        assert message in err
        assert "Traceback" not in err
    assert not (tmp_path / "run").exists()
