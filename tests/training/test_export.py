"""Exported models: they play what the model plays, and what can't be exported is named."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from networks import ratings
from searches import KEY
from sizes import scaled
from walks import positions

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
pytest.importorskip("pydantic")
pytest.importorskip("yaml")

import torch
import yaml
from sb3_contrib import MaskablePPO

from azul_duel_env.agents.network import network_file, read_network
from azul_duel_env.arena.external_agents import find_agent
from azul_duel_env.cli import main
from azul_duel_env.envs.sb3 import make_sb3_vec
from azul_duel_env.games.duel import GAME
from azul_duel_env.training.export import export
from azul_duel_env.training.policy import AdvisedPolicy

CASES = {
    "advised": ({"advice": "greedy"}, {"bonus_chips": "whether", "moon_order": "useful_on_top"}, torch.nn.Tanh),
    "advised, split": ({"advice": "greedy"}, {"placement": "split"}, torch.nn.ReLU),
    "plain": ({}, {"placement": "best_fit", "drawing": "once"}, torch.nn.ReLU),
    "plain, in full": ({}, {}, torch.nn.Tanh),
}


def saved(folder, advice, asked, activation):
    """An untrained model with weights large enough to matter, in the folder of a run; returns the model."""
    env = make_sb3_vec(2, opponent="random", **advice, **asked)
    arguments = {"net_arch": {"pi": [16, 8], "vf": [8]}, "activation_fn": activation}
    policy = AdvisedPolicy if advice else "MlpPolicy"
    model = MaskablePPO(policy, env, policy_kwargs=arguments, seed=1, device="cpu", n_steps=8, batch_size=16)
    with torch.no_grad():
        for weights in model.policy.parameters():
            weights += 0.3 * torch.randn(weights.shape, generator=torch.Generator().manual_seed(weights.numel()))
    model.save(folder / "model.zip")
    config = {"environment": {"granularity": asked, **advice}, "stages": [{"steps": 1}]}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return model


@pytest.mark.parametrize("case", CASES)
def test_an_exported_model_plays_what_the_model_plays(case, tmp_path):
    model = saved(tmp_path, *CASES[case])
    original = find_agent(GAME, f"sb3:{tmp_path / 'model.zip'}")
    export(tmp_path, tmp_path / "out.npz")
    exported = find_agent(GAME, f"network:{tmp_path / 'out.npz'}")
    alike = tried = 0
    for position in positions(scaled(600, least=6), 11):
        if not position.over:
            tried += 1
            alike += exported.act(position, KEY) == original.act(position, KEY)
    assert alike >= 0.99 * tried
    assert model.num_timesteps == read_network(tmp_path / "out.npz").header["source"]["steps"]


@pytest.mark.parametrize(("precision", "tolerance"), [("float16", 0.03), ("float32", 1e-4)])
def test_logits_are_those_of_the_model(precision, tolerance, tmp_path):
    model = saved(tmp_path, *CASES["plain, in full"])
    network = read_network(_exported(tmp_path, precision))
    for position in positions(scaled(300, least=5), 21):
        if position.over:
            continue
        mask = position.action_mask()
        with torch.inference_mode():
            seen = torch.from_numpy(position.observe(position.player)[None])
            expected = model.policy.get_distribution(seen, action_masks=mask[None]).log_prob(torch.arange(400)).numpy()
        legal, values = ratings(network, position)
        found = values - np.log(np.exp(values).sum())
        np.testing.assert_allclose(found, expected[legal], atol=tolerance)


def _exported(folder, precision):
    export(folder / "model.zip", folder / f"{precision}.npz", precision)
    return folder / f"{precision}.npz"


def test_the_command_exports_and_the_file_is_an_agent(tmp_path, monkeypatch, capsys):
    saved(tmp_path, *CASES["plain"])
    for precision, bytes_of_number in (("float16", 2), ("float32", 4)):
        file = tmp_path / f"{precision}.npz"
        arguments = ["azul-duel", "export", str(tmp_path), str(file), "--precision", precision]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 0
        assert "trained for 0 steps" in " ".join(capsys.readouterr().err.split())
        with np.load(file, allow_pickle=False) as arrays:
            assert arrays["policy_0_weight"].itemsize == bytes_of_number
        assert network_file(GAME, f"network:{file}") == file


def test_two_exports_are_the_same_bytes(tmp_path):
    saved(tmp_path, *CASES["plain"])
    files = [tmp_path / name for name in ("one.npz", "two.npz")]
    for file in files:
        export(tmp_path, file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_what_cannot_be_exported_is_named(tmp_path):
    out = tmp_path / "out.npz"
    with pytest.raises(OSError, match="no saved model"):
        export(tmp_path / "none.zip", out)
    saved(tmp_path, {}, {}, torch.nn.ELU)
    with pytest.raises(ValueError, match="tanh or relu between them, not MaskableActorCriticPolicy with ELU"):
        export(tmp_path, out)
    model = saved(tmp_path, {}, {}, torch.nn.Tanh)
    with torch.no_grad():
        model.policy.action_net.bias[0] = 1e6
    model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match="float16 can't hold"):
        export(tmp_path, out)
    (tmp_path / "config.yaml").unlink()
    with pytest.raises(ValueError, match=r"expected .*config\.yaml"):
        export(tmp_path, out)
    assert not out.exists()
