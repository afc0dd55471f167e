"""Ratings, ladders and the files that they resume from; agents from outside; workers that are lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from commands import run_here
from typer.testing import CliRunner

from azul_duel_env.arena import (
    GameResult,
    LostGameWarning,
    find_agent,
    fixtures_of_match,
    play_fixtures,
    play_game,
    play_match,
    seeds_of_match,
)
from azul_duel_env.arena import workers as workers_module
from azul_duel_env.arena.intervals import Z_95
from azul_duel_env.arena.ladder import Ladder, Standings, play_ladder, read_ladder, standings_of
from azul_duel_env.arena.picture import draw_scaling
from azul_duel_env.arena.rate import ONE_SIDED_GAMES, RatingPlan, estimate, rate
from azul_duel_env.arena.ratings import (
    POINTS,
    PRIOR_SD,
    Rating,
    first_player_advantage,
    fit_field,
    fit_one,
    one_sided,
    rate_field,
)
from azul_duel_env.arena.results_file import ResultsFile
from azul_duel_env.cli import app
from azul_duel_env.envs.batch import SELF_PLAY, Batch
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED

COMMAND = [sys.executable, "-c", "from azul_duel_env.cli import main; main()"]
LOWEST, HIGHEST = "external_agents:lowest", "external_agents:highest"
FIELD = ("random", LOWEST, HIGHEST)


def run(*args, **environment):
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run(
        [*COMMAND, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, env=here
    )


def invoke(*args):
    return CliRunner().invoke(app, list(args), catch_exceptions=False)


# Games that nobody plays: results drawn from known strengths ----------------------------------
def simulated(strengths, pairs_of_games, rng, draws=0.0, luck_of_seed=0.0):
    """Return games between all agents, each seed with both seatings; ``luck_of_seed`` favours one agent in both of its games."""
    names = list(strengths)
    games = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            for seed in range(pairs_of_games):
                odds = (strengths[first] - strengths[second]) / POINTS + luck_of_seed * rng.standard_normal()
                for agents, sign in (((first, second), 1), ((second, first), -1)):
                    won = rng.random() < 1 / (1 + np.exp(-sign * odds))
                    winner = -1 if rng.random() < draws else 0 if won else 1
                    games.append(game_of(agents, 1000 * i + seed, winner))
    return games


def game_of(agents, seed, winner, first_player=0):
    return GameResult(agents, seed, (10, 5), winner, 100, (), first_player, (50, 50), (1.0, 2.0))


STRENGTHS = {"random": 0.0, "b": 150.0, "c": 400.0, "d": 430.0}


def test_ratings_recover_known_strengths():
    rng = np.random.default_rng(1)
    ratings = {r.agent: r for r in rate_field(list(STRENGTHS), simulated(STRENGTHS, 3000, rng))}
    for agent, strength in STRENGTHS.items():
        assert ratings[agent].rating == pytest.approx(strength, abs=20)
        assert ratings[agent].low <= ratings[agent].rating <= ratings[agent].high
    assert ratings["random"].rating == ratings["random"].low == ratings["random"].high == 0
    assert ratings["b"].gap == pytest.approx(ratings["b"].rating)
    assert ratings["random"].gap is None
    assert ratings["d"].games == 3 * 2 * 3000
    assert ratings["d"].seconds_per_decision == pytest.approx(1.5 / 50)


@pytest.mark.slow
@pytest.mark.parametrize("luck_of_seed", [0.0, 3.0])
def test_intervals_cover_what_they_say(luck_of_seed):
    rng = np.random.default_rng(2)
    runs = 100
    covered = []
    for _ in range(runs):
        games = simulated({"random": 0.0, "b": 80.0}, 40, rng, luck_of_seed=luck_of_seed)
        truth = np.log(np.mean([points_of_b(g) for g in simulated_many(luck_of_seed)]) ** -1 - 1) * -POINTS
        [b] = [r for r in rate_field(["random", "b"], games) if r.agent == "b"]
        covered.append(b.low <= truth <= b.high)
    assert 0.90 <= np.mean(covered) <= 0.99


MANY: dict[float, list[GameResult]] = {}


def simulated_many(luck_of_seed):
    """Return so many games that the mean of their results is what a rating estimates."""
    if luck_of_seed not in MANY:
        rng = np.random.default_rng(3)
        MANY[luck_of_seed] = simulated({"random": 0.0, "b": 80.0}, 30_000, rng, luck_of_seed=luck_of_seed)
    return MANY[luck_of_seed]


def points_of_b(game):
    return float(game.winner == game.agents.index("b"))


def test_the_fit_is_the_maximum_that_an_optimiser_finds():
    from scipy.optimize import minimize

    agents = list(STRENGTHS)
    games = simulated(STRENGTHS, 30, np.random.default_rng(4), draws=0.2)

    def loss(values):
        total = (POINTS / PRIOR_SD) ** 2 / 2 * float(values @ values)
        for game in games:
            odds = values[agents.index(game.agents[0])] - values[agents.index(game.agents[1])]
            points = {0: 1.0, 1: 0.0, -1: 0.5}[game.winner]
            total += points * np.logaddexp(0, -odds) + (1 - points) * np.logaddexp(0, odds)
        return total

    found = minimize(loss, np.zeros(len(agents)), tol=1e-12).x
    assert fit_field(agents, games).values == pytest.approx(found, abs=1e-4)


def test_a_draw_is_half_a_win_and_prior_keeps_all_wins_finite():
    drawn = [game_of(("random", "b"), seed, -1) for seed in range(20)]
    assert rate_field(["random", "b"], drawn)[0].rating == pytest.approx(0, abs=1e-6)
    few, many = ([game_of(("b", "random"), seed, 0) for seed in range(n)] for n in (10, 1000))
    [b, random] = rate_field(["random", "b"], few)
    assert (b.agent, random.agent) == ("b", "random")
    assert 200 < b.low < b.rating < 3000
    assert b.high is None
    assert rate_field(["random", "b"], many)[0].low > b.low
    [a, lost] = rate_field(["anchor", "loser"], [game_of(("anchor", "loser"), seed, 0) for seed in range(50)])
    assert (a.agent, a.rating, lost.low) == ("anchor", 0.0, None)
    assert lost.high < -300


def test_the_interval_near_its_middle_is_that_of_the_curvature():
    games = [game_of(("b", "random"), seed, seed % 2) for seed in range(1000)]
    [b] = [r for r in rate_field(["random", "b"], games) if r.agent == "b"]
    assert (b.high - b.low) / 2 == pytest.approx(Z_95 * POINTS / np.sqrt(1000 / 4), rel=0.02)


def test_games_of_a_seed_that_always_agree_count_as_one():
    lone = [game_of(("b", "random"), seed, seed % 2) for seed in range(500)]
    twins = [game for game in lone for _ in range(2)]
    for games in (lone, twins):
        [b] = [r for r in rate_field(["random", "b"], games) if r.agent == "b"]
        assert (b.high - b.low) / 2 == pytest.approx(Z_95 * POINTS / np.sqrt(500 / 4), rel=0.03)


def test_rating_nobody_or_somebody_without_games_is_refused():
    with pytest.raises(ValueError, match="c finished no game"):
        rate_field(["a", "b", "c"], [game_of(("a", "b"), 1, 0)])
    with pytest.raises(ValueError, match="nobody finished no game"):
        rate_field([], [])


def test_one_agent_among_known_ones():
    games = [game_of(("x", "weak"), seed, 0 if seed % 4 else 1) for seed in range(2000)]
    found = fit_one("x", {"weak": 100.0, "unmet": 500.0}, games).interval(np.ones(1))
    assert found.value == pytest.approx(100 + 400 * np.log10(3), abs=2)
    assert found.low < found.value < found.high


def test_one_sided_bound_is_where_all_wins_have_a_chance_of_one_in_twenty():
    bound = one_sided([100.0] * 30, range(30), won=True)
    assert (1 / (1 + 10 ** (-(bound - 100) / 400))) ** 30 == pytest.approx(0.05)
    assert one_sided([100.0] * 30, range(30), won=False) == pytest.approx(200 - bound)


def test_first_player_advantage():
    games = [game_of(("a", "b"), seed, 0 if seed % 4 else 1) for seed in range(100)]
    rate_, low, high = first_player_advantage(games)
    assert rate_ == 0.75
    assert low < 0.75 < high
    assert first_player_advantage([replace(game, first_player=-1) for game in games]) is None


# Agents from outside --------------------------------------------------------------------------
def test_functions_play_by_observation_and_mask():
    result = play_game(GAME, ["external_agents:sees_nothing_else", "random"], 3)
    assert result.decisions == len(result.actions) == sum(result.decided)
    assert len(result.seconds) == 2
    assert replace(result, seconds=(9.0, 9.0)) == result
    assert result.first_player in (0, 1)
    assert result == play_game(GAME, ["external_agents:sees_nothing_else", "random"], 3)
    assert result.actions == play_game(GAME, [HIGHEST, "random"], 3).actions


def test_the_first_player_takes_the_first_turn():
    for seat in (0, 1):
        assert play_game(GAME, ["random", "random"], 1, {"first_player": seat}).first_player == seat


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("external_agents:nothing", "has no attribute 'nothing'"),
        ("external_agents:not_a_function", "is no function"),
        ("nowhere:function", "No module named 'nowhere'"),
        ("gredy", "did you mean 'greedy'"),
        ("what else?", "module:function"),
    ],
)
def test_wrong_agents_are_named_before_anything_is_played(spec, message):
    with pytest.raises(ValueError, match=message):
        play_match(GAME, [spec, "random"], 2, 1)
    with pytest.raises(OSError, match="no saved model"):
        play_match(GAME, ["sb3:nowhere/model", "random"], 2, 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_agent_that_fails_is_named_with_the_seed(jobs):
    [seed] = seeds_of_match(1, 1)
    with pytest.raises(
        ValueError, match=f"agent 'external_agents:failing' failed in the game of seed {seed}.*out of ideas"
    ):
        list(play_match(GAME, ["external_agents:failing", "random"], 2, 1, jobs=jobs))
    with pytest.raises(
        ValueError, match=f"agent 'external_agents:illegal' failed in the game of seed {seed}.*is not legal"
    ):
        list(play_match(GAME, ["external_agents:illegal", "random"], 2, 1, jobs=jobs))


def played_in_batch(model, seed, abstraction, advice):
    """Return scores and decisions of a game of a model against itself, by the engine that it is trained with."""
    batch = Batch.make(GAME, 1, opponent=SELF_PLAY, autoreset="disabled", advice=advice, **abstraction)
    batch.reset([seed])
    while not batch.rows["over"][0]:
        batch.step(model.predict(batch.observations, action_masks=batch.masks, deterministic=True)[0])
    return tuple(batch.rows["final_scores"][0].tolist()), int(batch.states["decisions"][0])


@pytest.mark.slow
def test_saved_models_play_what_they_were_trained_to(tmp_path):
    pytest.importorskip("sb3_contrib")
    if not COMPILED:
        pytest.skip("too slow in this lane")
    import yaml
    from sb3_contrib import MaskablePPO

    from azul_duel_env.envs.sb3 import make_sb3_vec

    coarse = {"placement": "split", "bonus_chips": "whether", "moon_order": "useful_on_top"}
    for advice in (None, "greedy"):
        env = make_sb3_vec(2, advice=advice, **coarse)
        model = MaskablePPO("MlpPolicy", env, n_steps=8, seed=1, policy_kwargs={"net_arch": [8]})
        folder = tmp_path / str(advice)
        folder.mkdir()
        model.save(folder / "model")
        (folder / "config.yaml").write_text(yaml.safe_dump({"environment": {"granularity": coarse, "advice": advice}}))
        spec = f"sb3:{folder}/model"
        for seed in range(3):
            game = play_game(GAME, [spec, spec], seed)
            assert (game.scores, game.decisions) == played_in_batch(model, seed, coarse, advice)
        assert find_agent(GAME, spec) is find_agent(GAME, spec)
    os.utime(folder / "model.zip", ns=(1, 1))
    (folder / "config.yaml").unlink()
    with pytest.raises(ValueError, match=r"config\.yaml of its training run"):
        find_agent(GAME, spec)
    (folder / "config.yaml").write_text("- no mapping")
    with pytest.raises(ValueError, match="no config of a training run"):
        find_agent(GAME, spec)


# Workers --------------------------------------------------------------------------------------
def losses(tmp_path, count):
    file = tmp_path / "losses"
    file.write_text("\n".join("x" * count))
    return str(file)


@pytest.mark.slow
def test_a_lost_worker_costs_its_game_and_not_the_run(tmp_path, monkeypatch):
    args = ("tournament", "external_agents:lost", "random", "--games", "4", "--csv", "-")
    monkeypatch.setenv("AZUL_DUEL_TEST_LOSSES", losses(tmp_path, 0))
    plain = invoke(*args)
    struck = run(*args, "--jobs", "2", AZUL_DUEL_TEST_LOSSES=losses(tmp_path, 2))
    assert plain.exit_code == struck.returncode == 0, struck.stderr
    assert plain.stdout == struck.stdout
    assert len(plain.stdout.splitlines()) == 5
    assert (tmp_path / "losses").read_text() == ""


@pytest.mark.slow
def test_a_game_whose_worker_is_lost_each_time_is_missing(tmp_path, monkeypatch):
    out = tmp_path / "games.jsonl"
    field = ("random", LOWEST, "external_agents:lost")
    args = ("ladder", *field, "--reach", "1", "--games", "2", "--jobs", "2", "--out", str(out))
    struck = run(*args, AZUL_DUEL_TEST_LOSSES=losses(tmp_path, 1000))
    assert struck.returncode == 0, struck.stderr
    assert struck.stderr.count("this game is missing") == 2
    assert "external_agents:lost - external_agents:lowest, seed" in struck.stderr
    assert len(out.read_text().splitlines()) == 1 + 2
    monkeypatch.setenv("AZUL_DUEL_TEST_LOSSES", losses(tmp_path, 0))
    mended = invoke(*args, "--jobs", "1")  # workers that are there already would not know of the losses
    assert mended.exit_code == 0, mended.stderr
    assert "missing" not in mended.stdout + mended.stderr
    assert len(out.read_text().splitlines()) == 1 + 4


class Losses:
    """A pool that loses workers as it is told, without processes."""

    class LossError(Exception):
        pass

    losses = (LossError,)
    under_way = 3

    def __init__(self, bad, times):
        self.bad, self.times = bad, times

    def stream(self, function, tasks):
        for task in tasks:
            if task[0] in self.bad and self.times > 0:
                self.times -= 1
                raise self.LossError
            yield function(*task)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals")
def test_workers_never_hear_ctrl_c():
    """A terminal sends it to all; who answered amid imports or between two tasks would print a traceback."""

    def blocked(_):
        return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    assert list(workers_module.run_tasks(blocked, [(n,) for n in range(4)], jobs=3)) == [True] * 4
    assert not blocked(0), "here it is heard"


@pytest.mark.parametrize(("times", "gone"), [(0, []), (1, []), (2, []), (3, []), (99, [4])])
def test_only_tasks_that_end_their_worker_each_time_are_lost(monkeypatch, times, gone):
    monkeypatch.setattr(workers_module, "_Loky", lambda _: Losses({4}, times))
    results = list(workers_module.run_tasks(lambda n: n, [(n,) for n in range(12)], jobs=2))
    assert results == [workers_module.LOST if n in gone else n for n in range(12)]


def test_lost_games_are_told(monkeypatch):
    monkeypatch.setattr(workers_module, "_Loky", lambda _: Losses({GAME}, 99))
    with pytest.warns(LostGameWarning, match="this game is missing"):
        assert list(play_match(GAME, ["random", LOWEST], 2, 1, jobs=2)) == []


@pytest.mark.parametrize(
    ("jobs", "backend", "message"), [(0, "joblib", "-1 for one a core"), (1, "dask", "joblib or ray")]
)
def test_wrong_workers(jobs, backend, message):
    with pytest.raises(ValueError, match=message):
        play_match(GAME, ["random", LOWEST], 2, 1, jobs=jobs, backend=backend)


def test_ray_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"azul_duel_env\[scale\]"):
        play_match(GAME, ["random", LOWEST], 2, 1, backend="ray")


def test_ray_plays_the_same(tmp_path):
    pytest.importorskip("ray")
    args = (
        "tournament",
        "external_agents:lost",
        "random",
        "--games",
        "4",
        "--csv",
    )  # Ray itself writes to standard output
    plain = run(*args, str(tmp_path / "plain.csv"), AZUL_DUEL_TEST_LOSSES=losses(tmp_path, 0))
    struck = run(
        *args,
        str(tmp_path / "struck.csv"),
        *("--jobs", "2", "--backend", "ray"),
        AZUL_DUEL_TEST_LOSSES=losses(tmp_path, 1),
    )
    assert plain.returncode == struck.returncode == 0, struck.stderr
    assert (tmp_path / "losses").read_text() == ""
    assert (tmp_path / "plain.csv").read_text() == (tmp_path / "struck.csv").read_text()
    failed = run("tournament", "external_agents:failing", "random", "--games", "2", "--backend", "ray")
    assert failed.returncode == 2
    assert "out of ideas" in failed.stderr
    assert "Traceback" not in failed.stderr


# The file -------------------------------------------------------------------------------------
SETTINGS = {"kind": "test", "seed": 1}


def some_games(count):
    return list(play_fixtures(GAME, fixtures_of_match(["random", LOWEST], count, 1)))


def filled_file(file, games):
    with ResultsFile(file, SETTINGS) as opened:
        for game in games:
            opened.add(game)
    return file


def test_games_are_read_as_they_were_written(tmp_path):
    games = some_games(4)
    file = filled_file(tmp_path / "games.jsonl", games)
    with ResultsFile(file, SETTINGS) as again:
        assert list(again.results.values()) == games
    assert again.results[games[0].agents, games[0].seed].seconds == pytest.approx(games[0].seconds, abs=1e-6)
    assert len(file.read_text().splitlines()) == 5


@pytest.mark.parametrize("cut", [2, 20])
def test_a_last_line_that_was_cut_off_is_dropped(tmp_path, cut):
    games = some_games(4)
    file = filled_file(tmp_path / "games.jsonl", games)
    whole = file.read_text()
    file.write_text(whole[:-cut])
    with ResultsFile(file, SETTINGS) as again:
        assert list(again.results.values()) == games[:3]
        again.add(games[3])
    assert file.read_text() == whole
    file.write_text(whole[: whole.index("\n") - cut])  # the first line
    with ResultsFile(file, SETTINGS) as again:
        assert not again.results
    assert file.read_text() == whole[: whole.index("\n") + 1]


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        (None, {"kind": "test", "seed": 2}, "seed 1, not 2"),
        (None, {"kind": "test"}, "seed 1, not None"),
        ("my notes", SETTINGS, "something else than games"),
        ("my notes\n", SETTINGS, "something else than games"),
        ('{"format": "azul_duel_env games 99"}\n', SETTINGS, "games 99"),
        ("[3]\n", SETTINGS, "something else than games"),
    ],
)
def test_other_files_are_refused_and_stay(tmp_path, text, settings, message):
    file = tmp_path / "games.jsonl"
    if text is None:
        filled_file(file, some_games(2))
    else:
        file.write_text(text)
    before = file.read_text()
    with pytest.raises(ValueError, match=message):
        ResultsFile(file, settings)
    assert file.read_text() == before


def test_a_broken_line_in_the_midst_is_named(tmp_path):
    file = filled_file(tmp_path / "games.jsonl", some_games(2))
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1][:30], lines[2]]) + "\n")
    with pytest.raises(ValueError, match="line 2: expected a game"):
        ResultsFile(file, SETTINGS)


# Ladders --------------------------------------------------------------------------------------
def played(ladder, file=None, jobs=1, stop_after=None):
    with ResultsFile(file, ladder.settings(GAME)) as games:
        for number, _ in enumerate(play_ladder(GAME, ladder, games, jobs), 1):
            if number == stop_after:
                break
    return games.results


def test_a_ladder_plays_all_pairs_with_both_seatings_seed_by_seed():
    ladder = Ladder(FIELD, 4, 1)
    fixtures = ladder.fixtures()
    assert len(fixtures) == len(set(fixtures)) == 3 * 4
    assert {seed for _, seed in fixtures[:6]} == {seeds_of_match(1, 1)[0]}
    assert [agents for agents, _ in fixtures[:2]] == [("random", LOWEST), (LOWEST, "random")]
    assert Ladder(FIELD, 2, 1, reach=1).pairs() == [("random", LOWEST), (LOWEST, HIGHEST)]
    assert set(Ladder(FIELD, 2, 1).fixtures()) < set(fixtures)


def test_a_resumed_ladder_equals_one_without_a_break_whatever_the_processes(tmp_path):
    ladder, file = Ladder(FIELD, 4, 1), tmp_path / "games.jsonl"
    whole = played(ladder)
    played(ladder, file, stop_after=5)
    assert len(file.read_text().splitlines()) == 6
    file.write_text(file.read_text()[:-9])
    assert played(ladder, file, jobs=2) == whole
    lines = file.read_text().splitlines()
    assert len(lines) == 1 + len(whole)
    assert played(ladder, file) == whole
    assert file.read_text().splitlines() == lines
    more = played(Ladder(FIELD, 6, 1), file)
    assert {fixture: more[fixture] for fixture in whole} == whole
    assert len(more) == 3 * 6


def test_standings_count_what_is_finished(tmp_path):
    ladder = Ladder(FIELD, 4, 1)
    results = played(ladder)
    standings = standings_of(ladder, results)
    assert (standings.anchor, standings.missing) == ("random", 0)
    assert [match.games for match in standings.matches] == [4, 4, 4]
    assert {rating.agent for rating in standings.ratings} == set(FIELD)
    data = json.loads(json.dumps(standings.as_dict(GAME, ladder), allow_nan=False))
    assert data["seed"] == 1
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(data))
    known = read_ladder(GAME, file)
    assert known.ratings == {rating.agent: rating.rating for rating in standings.ratings}
    assert list(known.against(GAME, [LOWEST])) == [LOWEST]
    with pytest.raises(ValueError, match="'gredy' is not on the ladder"):
        known.against(GAME, ["gredy"])
    for fixture in ladder.fixtures()[:6]:
        del results[fixture]
    assert standings_of(ladder, results).missing == 6


def test_a_model_that_changed_does_not_go_on_with_its_old_games(tmp_path):
    model = tmp_path / "model.zip"
    digests = []
    for content in ("one", "two"):
        model.write_text(content)
        digests.append(Ladder(("random", f"sb3:{model}"), 2, 1).settings(GAME)["models"])
    assert digests[0] != digests[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((("random",), 2, 1), "at least two agents"),
        ((("random", "random"), 2, 1), "each agent may stand once"),
        ((FIELD, 3, 1), "multiple of 2"),
        ((FIELD, 2, -1), "at least 0"),
        ((FIELD, 2, 1, 0), "reach must be"),
    ],
)
def test_wrong_ladders(arguments, message):
    with pytest.raises(ValueError, match=message):
        Ladder(*arguments)


# The rating of one agent ----------------------------------------------------------------------
KNOWN = {"random": 0.0, LOWEST: -100.0, HIGHEST: -50.0}


def rated(plan, file=None, jobs=1):
    with ResultsFile(file, plan.settings(GAME)) as games:
        found = rate(GAME, plan, games, jobs)
    return found, games.results


def told(found):
    return {name: value for name, value in found.as_dict().items() if name != "seconds_per_decision"}


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="plays a hundred games")
def test_a_rating_stops_by_itself_repeats_and_resumes(tmp_path):
    plan, file = RatingPlan(LOWEST, KNOWN, interval=150, seed=3), tmp_path / "games.jsonl"
    found, games = rated(plan)
    assert found.half <= 150
    assert 4 < found.games < 300
    assert found.games == len(games) == sum(found.opponents.values())
    assert LOWEST not in found.opponents
    assert found.wins + found.draws + found.losses == found.games
    assert told(rated(plan, jobs=2)[0]) == told(found)
    rated(replace(plan, max_games=10), file)
    assert len(file.read_text().splitlines()) == 11
    assert told(rated(plan, file)[0]) == told(found)
    assert len(file.read_text().splitlines()) == 1 + found.games
    assert told(rated(replace(plan, seed=4))[0]) != told(found)


def test_a_rating_stops_at_the_most_games():
    found, _ = rated(RatingPlan(LOWEST, KNOWN, interval=1, max_games=6))
    assert found.games == 6
    assert found.half > 1


def rate_simulated(monkeypatch, strength, ladder, **options):
    """Rate an agent of known strength whose games are drawn, not played."""
    rng = np.random.default_rng(5)

    def play(_game, fixtures, *_):
        for agents, seed in fixtures:
            seat = agents.index("x")
            chance = 1 / (1 + 10 ** (-(strength - ladder[agents[1 - seat]]) / 400))
            yield game_of(agents, seed, seat if rng.random() < chance else 1 - seat)

    monkeypatch.setattr("azul_duel_env.arena.rate.play_fixtures", play)
    return rated(RatingPlan("x", ladder, **options))[0]


def test_a_rating_asks_those_who_tell_most(monkeypatch):
    ladder = {"random": 0.0, "a": 500.0, "b": 1000.0, "c": 1500.0}
    found = rate_simulated(monkeypatch, 1050.0, ladder, interval=50)
    assert found.half <= 50
    assert found.low - 50 < 1050 < found.high + 50
    assert found.opponents["b"] > 50
    assert found.opponents["random"] < 15
    assert found.games < 400
    assert found.bound is None


@pytest.mark.slow
@pytest.mark.parametrize(("strength", "sign"), [(9000.0, 1), (-9000.0, -1)])
def test_who_wins_or_loses_everything_gets_a_bound(monkeypatch, strength, sign):
    found = rate_simulated(monkeypatch, strength, {"random": 0.0, "a": 100.0}, interval=50)
    assert ONE_SIDED_GAMES <= found.games <= ONE_SIDED_GAMES + 100
    assert sign * (found.bound - 50) > 500
    assert (found.high if sign > 0 else found.low) is None
    assert found.half == float("inf")


def test_no_games_tell_nothing():
    found = estimate(RatingPlan("x", {"random": 0.0, "a": 100.0}), [])
    assert found.rating == pytest.approx(50)
    assert (found.low, found.high, found.bound, found.games) == (None, None, None, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", {"x": 1.0}), "must have another agent"),
        (("x", KNOWN, 0.0), "above 0"),
        (("x", KNOWN, 50.0, 3), "multiple of 2"),
    ],
)
def test_wrong_rating_plans(arguments, message):
    with pytest.raises(ValueError, match=message):
        RatingPlan(*arguments)


# The commands ---------------------------------------------------------------------------------
def test_ladder_prints_writes_draws_and_rates(tmp_path):
    games, ratings = tmp_path / "games.jsonl", tmp_path / "ladder.json"
    args = ("ladder", *FIELD, "--games", "4", "--out", str(games), "--json", str(ratings))
    pictures = [tmp_path / "ladder.png", tmp_path / "scaling.png"]
    done = invoke(*args, "--picture", str(pictures[0]), "--scaling", str(pictures[1]))
    assert done.exit_code == 0
    assert "above the next" in done.stdout
    assert "whoever began round 1 won" in done.stdout
    assert all(picture.stat().st_size > 1000 for picture in pictures)
    before = games.read_text()
    assert invoke(*args).exit_code == 0
    assert games.read_text() == before
    args = ("rate", LOWEST, "--ladder", str(ratings), "--max-games", "4", "--interval", "10", "--against", "random")
    done = invoke(*args)
    assert "was not reached" in done.stdout or "It lost everything" in done.stdout or "It won everything" in done.stdout
    told = json.loads(invoke(*args, "--json", "-").stdout)
    assert told["opponents"] == {"random": 4}
    assert told["games"] == 4


def test_strength_is_drawn_against_time_a_line_for_each_search(tmp_path, monkeypatch):
    """Budgets stand at the points of one line, whatever their unit; an agent without one is a line of its own, a point."""
    matplotlib = pytest.importorskip("matplotlib")
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")
    agents = ("greedy", "mcts:50", "mcts:200", "mcts:7ms", "network+mcts:30:a.npz", "network+mcts:60:a.npz")
    rated = [
        Rating(agent, 100.0 * k, None, None, None, None, None, 2, 0.5, 50.0, 1.0, 0.1 * (k + 1))
        for k, agent in enumerate(agents)
    ]
    standings = Standings("greedy", rated, None, [], 0)
    draw_scaling(standings, tmp_path / "scaling.svg", "Strength and time")
    drawn = (tmp_path / "scaling.svg").read_text()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert [text for text in texts if text in ("greedy", "mcts", "network+mcts:a.npz")] == [
        "greedy",
        "mcts",
        "network+mcts:a.npz",
    ]
    assert {"50", "200", "7ms", "30", "60"} <= set(texts)
    untimed = replace(standings, ratings=[replace(rated[0], seconds_per_decision=0.0)])
    with pytest.raises(ValueError, match="measured"):
        draw_scaling(untimed, tmp_path / "none.svg", "")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("ladder", "random", "gredy"), "did you mean 'greedy'"),
        (("ladder", "random"), "at least two agents"),
        (("ladder", "--picture", "ladder.doc"), ".png"),
        (("ladder", "--scaling", "scaling.doc"), ".png"),
        (("ladder", "--games", "2", "--out", "nowhere/games.jsonl"), "nowhere/games.jsonl"),
        (("rate", "random", "--ladder", "nowhere.json"), "azul-duel ladder --json"),
        (("rate", "random", "--ladder", __file__), "is no ladder"),
    ],
)
def test_mistakes_end_with_a_line_and_code_2(args, message):
    done = run_here(*args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
