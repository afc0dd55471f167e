"""The agent ``greedy2``: its features, its weights, and how they are fitted."""

from __future__ import annotations

import numpy as np
import pytest
from sizes import COMPILED, scaled
from walks import positions

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.arena import play_match, summarise
from azul_duel_env.cli import app
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.agents import fit as fitting
from azul_duel_env.games.duel.agents.features import (
    NUM_FEATURES,
    NUM_SEAT,
    NUM_SEGMENTS,
    names,
    segment_of,
    write_features,
)
from azul_duel_env.games.duel.agents.greedy2 import WEIGHTS, read_weights
from azul_duel_env.jit import entry

pytestmark = pytest.mark.long_uncompiled


@entry
def describe(states, i, player, out):
    write_features(states[i], player, out)
    return segment_of(states[i])


@entry
def add(sample, margin, products, targets):
    fitting.add_sample(sample, margin, products, targets)


def features_of(position, player):
    out = np.full(NUM_FEATURES, np.nan)
    segment = describe(position.states, 0, player, out)
    return dict(zip(names(), out.tolist(), strict=True)), segment


def test_features_are_what_they_say():
    segments, full, hopeful, dead = set(), 0, 0, 0
    for position in positions(scaled(3000, 700)):
        state = position.states[0]
        before = position.states.tobytes()
        for player in range(2):
            found, segment = features_of(position, player)
            assert found["score"] == state["scores"][player]
            assert found["other_score"] == state["scores"][1 - player]
            assert found["chips"] == state["chips_up"][player].sum()
            assert found["tokens"] == state["tokens"][player]
            assert found["dome_tiles"] == (state["domes"][player] >= 0).sum()
            assert found["filled"] == (state["tiles"][player] >= 0).sum()
            spaces = found["filled"] + found["free_spaces"] + found["free_wild"] + found["free_special"]
            assert spaces == 4 * found["dome_tiles"]
            lines = state["lines"][player]
            assert found["full_lines"] + found["hopeful_full"] <= (lines == np.arange(1, 7)).sum()
            assert found["open_share"] <= found["open_points"]
            assert found["open_square"] <= found["open_share"]
            assert found["suns"] == state["suns"].sum()
            assert found["moons"] == (state["moons"] >= 0).sum() + state["large_moon"].sum()
            assert found["decides"] == (position.player == player)
            assert found["always"] == 1
            assert segment == 2 * max(0, int(state["round_number"]) - 1) + int(state["line"] >= 0)
            segments.add(segment)
            full += found["full_lines"] > 0
            hopeful += found["hopeful_tiles"] > 0
            dead += found["dead_tiles"] > 0
        assert position.states.tobytes() == before
    assert len(segments) == NUM_SEGMENTS
    assert min(full, hopeful) > 50
    assert dead > 0


def test_both_sides_see_the_same_mirrored():
    for position in positions(scaled(500, 200)):
        mine, _ = features_of(position, 0)
        others, _ = features_of(position, 1)
        own = names()[:NUM_SEAT]
        assert [mine[name] for name in own] == [others[f"other_{name}"] for name in own]


def test_weights_of_the_package_are_whole():
    weights = read_weights()
    assert weights.shape == (NUM_SEGMENTS, NUM_FEATURES)
    assert np.isfinite(weights).all()
    score, other = names().index("score"), names().index("other_score")
    assert (weights[:, score] > 0).all()  # a point more is never worth nothing
    assert (weights[:, other] < 0).all()
    with np.load(WEIGHTS) as found:
        assert found["made_by"].item().startswith("azul-duel fit --rounds ")


def test_wrong_weights_are_refused(tmp_path):
    with pytest.raises(AgentError, match=r"greedy2 takes a file .* azul-duel fit"):
        make_agent(GAME, f"greedy2:{tmp_path / 'none.npz'}")
    np.savez(tmp_path / "wrong.npz", weights=np.zeros((NUM_SEGMENTS, NUM_FEATURES)), names=np.array(["other"]))
    with pytest.raises(AgentError, match="no weights for the features"):
        make_agent(GAME, f"greedy2:{tmp_path / 'wrong.npz'}")


def test_choices_are_legal_and_repeat():
    agent, again = make_agent(GAME, "greedy2"), make_agent(GAME, f"greedy2:{WEIGHTS}")
    for position in positions(scaled(300, 25)):
        if position.over:
            continue
        before = position.states.tobytes()
        action = agent.act(position, np.uint64(7))
        assert action in position.legal_actions()
        assert action == again.act(position, np.uint64(7))
        assert position.states.tobytes() == before


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="hundreds of games")
def test_beats_greedy():
    """Over these games by far more than chance: the figure is in README."""
    summary = summarise(("greedy2", "greedy"), list(play_match(GAME, ("greedy2", "greedy"), 200, seed=4)))
    assert summary.win_rate > 0.7


# Fitting --------------------------------------------------------------------------------------
def test_regression_finds_the_weights_that_made_the_targets():
    rng = np.random.default_rng(1)
    true = rng.normal(size=NUM_FEATURES)
    products, targets = np.zeros((NUM_SEGMENTS, NUM_FEATURES, NUM_FEATURES)), np.zeros((NUM_SEGMENTS, NUM_FEATURES))
    true[3] = 0.0  # as if that feature never occurred
    for _ in range(2000):
        sample = rng.normal(size=NUM_FEATURES)
        sample[3] = 0.0
        add(sample, float(sample @ true), products[2], targets[2])
    weights = fitting._solve(products, targets)
    assert np.abs(weights[2] - true).max() < 1e-2
    assert not weights[[0, 1, 3, 4, 5, 6, 7, 8, 9]].any()


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="several games, each of seconds; the next test plays one")
def test_an_interrupted_fit_goes_on_as_if_it_had_not_been(tmp_path):
    games = 6
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    assert [done.number for done in fitting.fit_weights(GAME, whole, 3, games, seed=5)] == [1, 2, 3]
    next(fitting.fit_weights(GAME, parts, 3, games, seed=5))
    assert not parts.exists()
    with pytest.raises(ValueError, match="was begun with --games"):
        next(fitting.fit_weights(GAME, parts, 3, games, seed=6))
    assert [done.number for done in fitting.fit_weights(GAME, parts, 3, games, seed=5)] == [2, 3]
    assert (read_weights(whole) == read_weights(parts)).all()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts.npz", "whole.npz"]
    other = tmp_path / "other.npz"
    list(fitting.fit_weights(GAME, other, 1, games, seed=6))
    assert (read_weights(other) != read_weights(whole)).any()


@pytest.mark.slow
def test_fit_from_the_command_line(tmp_path):
    from typer.testing import CliRunner

    run = CliRunner().invoke(app, ["fit", str(tmp_path / "w.npz"), "--rounds", "1", "--games", "1"])
    assert run.exit_code == 0, run.output
    assert np.isfinite(read_weights(tmp_path / "w.npz")).all()
    assert CliRunner().invoke(app, ["fit", str(tmp_path / "w.txt")]).exit_code == 2
    (tmp_path / "v.unfinished.npz").write_bytes(b"torn")
    with pytest.raises(ValueError, match="no unfinished fit"):
        next(fitting.fit_weights(GAME, tmp_path / "v.npz", 1, 1, seed=1))
