"""The arena with a game of three players: matches, ladders, ratings, game files, statistics and commands."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import replace
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import toy_game
from rich.console import Console
from sizes import scaled
from typer.testing import CliRunner

from azul_duel_env.agents import AgentError
from azul_duel_env.agents.network import network_policy, shipped
from azul_duel_env.agents.network_file import read_network_file, tables_digest
from azul_duel_env.arena import (
    GameResult,
    fixtures_of_match,
    line_ups,
    play_game,
    play_match,
    seeds_of_match,
    summaries_of,
    summarise,
)
from azul_duel_env.arena.game_file import RecordError, read_record, record_game
from azul_duel_env.arena.ladder import Ladder, play_ladder, read_ladder, standings_of
from azul_duel_env.arena.rate import RatingPlan, estimate, rate
from azul_duel_env.arena.ratings import POINTS, fit_field, fit_one, one_sided, rate_field
from azul_duel_env.arena.results_file import ResultsFile
from azul_duel_env.arena.results_line import Run
from azul_duel_env.arena.statistics import statistics_of
from azul_duel_env.cli import app
from azul_duel_env.games import GAMES
from azul_duel_env.jit import COMPILED
from azul_duel_env.tools import bench
from azul_duel_env.tools.analysis import analyse_game

GAME = toy_game.GAME
FIELD = ("random", "greedy", "mcts:4")


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(GAMES, GAME.id, "toy_game")


def invoke(*args):
    return CliRunner().invoke(app, [*args, "--game", GAME.id], catch_exceptions=False)


# Matches ------------------------------------------------------------------------------------------------------------
def test_each_seed_is_played_in_all_rotations_of_the_seats():
    results = list(play_match(GAME, ["random", "greedy", "mcts:4"], 6, 1))
    seatings = [("random", "greedy", "mcts:4"), ("greedy", "mcts:4", "random"), ("mcts:4", "random", "greedy")]
    assert [result.agents for result in results] == 2 * seatings
    assert [result.seed for result in results] == [seed for seed in seeds_of_match(1, 2) for _ in seatings]
    for result in results:
        assert result == play_game(GAME, result.agents, result.seed)
        assert result.decided == (4, 4, 4)
        assert result.ranks == tuple(1 + sum(other > own for other in result.scores) for own in result.scores)


def test_seatings_that_repeat_are_played_once():
    assert [agents for agents, _ in fixtures_of_match(("a", "a", "b"), 3, 1)] == [
        ("a", "a", "b"),
        ("a", "b", "a"),
        ("b", "a", "a"),
    ]
    alone = fixtures_of_match(("a", "a", "a"), 6, 1)
    assert len(set(alone)) == 6
    assert len({seed for _, seed in fixtures_of_match(("a", "b", "a", "b"), 8, 1)}) == 4


def test_line_ups():
    assert line_ups("abcd", 3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d"), ("b", "c", "d")]
    assert line_ups("ab", 3) == [("a", "a", "b"), ("a", "b", "b")]
    assert line_ups("a", 3) == [("a", "a", "a")]


def test_wrong_matches_are_named():
    with pytest.raises(ValueError, match="games must be a multiple of 3.*not 4"):
        play_match(GAME, ["random"] * 3, 4, 1)
    for agents in (["random", "greedy"], ["random"] * 4):
        with pytest.raises(ValueError, match=f"Dice takes 3 agents, not {len(agents)}"):
            play_match(GAME, agents, 12, 1)
    with pytest.raises(ValueError, match="max_games must be a multiple of 3"):
        RatingPlan("a", {"b": 0.0}, max_games=4, seats=3)
    with pytest.raises(ValueError, match="reach must be at least 2"):
        Ladder(FIELD, 3, 1, reach=1, seats=3)


def result_of(agents, seed, ranks, scores=None):
    first = [seat for seat, rank in enumerate(ranks) if rank == 1]
    points = scores or tuple(10 - rank for rank in ranks)
    winner = first[0] if len(first) == 1 else -1
    return GameResult(tuple(agents), seed, points, winner, 12, (), 0, (4, 4, 4), (0.1, 0.1, 0.1), ranks)


def test_summaries_compare_each_two_agents():
    games = [result_of("abc", 1, (1, 1, 3)), result_of("bca", 1, (1, 2, 3)), result_of("cab", 2, (3, 1, 2))]
    ab, ac, bc = summaries_of("abc", games)
    assert (ab.agent, ab.opponent, ac.opponent, bc.agent) == ("a", "b", "c", "b")
    assert (ab.wins, ab.draws, ab.losses, ab.win_rate) == (1, 1, 1, 0.5)
    assert (ac.wins, ac.draws, ac.losses) == (2, 0, 1)
    assert bc.win_rate == 1.0
    assert bc.margin_mean == pytest.approx((2 + 1 + 1) / 3)
    assert ab.first_seat_win_rate == pytest.approx((0.5 + 1 + 0) / 3)
    [alone] = summaries_of("aaa", [result_of("aaa", 1, (1, 2, 3)), result_of("aaa", 2, (1, 2, 3))])
    assert alone.games == 4
    assert alone.win_rate == pytest.approx((2 + 1) / 4), "the agent sat first, then second"
    twice = summarise("ab", [result_of("aab", 1, (1, 3, 2))])
    assert (twice.games, twice.wins, twice.losses) == (2, 1, 1)


def test_a_tournament_of_several_line_ups_has_one_row_for_each_two_agents():
    abc = [result_of("abc", 1, (1, 2, 3)), result_of("bca", 1, (1, 2, 3))]
    abd, acd = [result_of("abd", 1, (2, 1, 3))], [result_of("cda", 1, (1, 2, 3))]
    found = {(one.agent, one.opponent): one for one in summaries_of("abcd", [*abc, *abd, *acd])}
    assert list(found) == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert found["a", "b"] == summarise("ab", [*abc, *abd])
    assert (found["a", "b"].games, found["a", "b"].wins, found["a", "b"].first_seat_win_rate) == (3, 1, 2 / 3)
    assert found["c", "d"] == summarise("cd", acd)
    assert [(one.agent, one.opponent) for one in summaries_of("abcd", abd)] == [("a", "b"), ("a", "d"), ("b", "d")]
    assert summaries_of("abcd", []) == []


# Ratings ------------------------------------------------------------------------------------------------------------
def simulated(strengths, seeds, rng, luck_of_seed=0.0):
    """Return games of three seats whose places are drawn one after the other, each by strength (Plackett and Luce)."""
    agents = list(strengths)
    results = []
    for seed in range(seeds):
        common = luck_of_seed * rng.gumbel(size=len(agents))
        for first in range(len(agents)):
            seats = agents[first:] + agents[:first]
            luck = rng.gumbel(size=len(agents)) + np.array([common[agents.index(one)] for one in seats])
            worth = np.array([strengths[one] / POINTS for one in seats]) + luck
            ranks = tuple(int(1 + (worth > own).sum()) for own in worth)
            results.append(result_of(seats, seed, ranks))
    return results


def test_ratings_recover_strengths_and_a_game_counts_once_for_each_agent():
    strengths = {"random": 0.0, "b": 150.0, "c": 400.0}
    results = simulated(strengths, 2000, np.random.default_rng(1))
    found = {rating.agent: rating.rating for rating in rate_field(list(strengths), results)}
    assert found == pytest.approx(strengths, abs=25)
    model = fit_field(list(strengths), results).model
    assert model.counts.sum() == pytest.approx(1.5 * len(results)), "three comparisons of weight 1/2"
    assert fit_one("b", {"random": 0.0, "c": 400.0}, results).model.counts.sum() == pytest.approx(len(results))


@pytest.mark.slow
@pytest.mark.parametrize("luck_of_seed", [0.0, 1.0])
def test_intervals_cover_what_they_say(luck_of_seed):
    """The true difference is what many games come to: with luck of the seed it is not that of the strengths."""
    strengths = {"random": 0.0, "b": 100.0, "c": 200.0}
    rng = np.random.default_rng(2)
    agents, contrast = list(strengths), np.array([-1.0, 0.0, 1.0])
    truth = POINTS * float(contrast @ fit_field(agents, simulated(strengths, 4000, rng, luck_of_seed)).values)
    runs, covered = scaled(150, least=30), 0
    for _ in range(runs):
        found = fit_field(agents, simulated(strengths, 12, rng, luck_of_seed)).interval(contrast)
        covered += (found.low is None or found.low <= truth) and (found.high is None or truth <= found.high)
    assert covered / runs >= (0.91 if runs >= 150 else 0.85)


def test_who_comes_before_all_others_gets_a_bound():
    plan = RatingPlan("a", {"b": 0.0, "c": 100.0}, max_games=300, seats=3)
    won = [result_of("abc", seed, (1, 2, 3)) for seed in range(5)]
    assert estimate(plan, won).bound == pytest.approx(one_sided([100.0] * 5, range(5), won=True))
    assert estimate(plan, [*won, result_of("abc", 9, (2, 3, 1))]).bound is None
    lost = [result_of("abc", seed, (3, 2, 1)) for seed in range(5)]
    assert estimate(plan, lost).bound == pytest.approx(one_sided([0.0] * 5, range(5), won=False))
    second = estimate(plan, [result_of("abc", 1, (2, 1, 3)), result_of("abc", 2, (1, 1, 3))])
    assert (second.wins, second.draws, second.losses, second.bound) == (0, 1, 1, None)
    assert second.opponents == {"b": 2, "c": 2}


# Ladders and their files ---------------------------------------------------------------------------------------------
def played(ladder, file=None, stop_after=None):
    with ResultsFile(file, ladder.settings(GAME)) as games:
        for number, _ in enumerate(play_ladder(GAME, ladder, games), 1):
            if number == stop_after:
                break
        return games.results


@pytest.mark.parametrize("agents", [FIELD, FIELD[:2]])
def test_a_ladder_resumes_from_its_file(agents, tmp_path):
    ladder, file = Ladder(agents, 6, 1, seats=3), tmp_path / "games.jsonl"
    whole = played(ladder)
    assert len(whole) == 6 * len(ladder.line_ups())
    played(ladder, file, stop_after=4)
    assert played(ladder, file) == whole
    standings = standings_of(ladder, whole)
    assert {rating.agent for rating in standings.ratings} == set(agents)
    assert [(match.agent, match.opponent) for match in standings.matches] == ladder.pairs()
    assert standings.missing == 0


def test_greedy_is_stronger_than_random():
    ladder = Ladder(FIELD[:2], scaled(60, least=6) // 3 * 3, 1, seats=3)
    ratings = standings_of(ladder, played(ladder)).ratings
    assert [rating.agent for rating in ratings] == ["greedy", "random"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ranks": [1, 2, 2, 4]}, "ranks must be a list of 3 places"),
        ({"ranks": [1, 3, 3]}, "ranks must be places"),
        ({"ranks": [3, 2, 1]}, "ranks must follow the points"),
        ({"ranks": None}, "ranks must be a list"),
        ({"winner": 1}, "winner must be 0"),
        ({"agents": ["random", "greedy"]}, "agents must be a list of 3 names"),
    ],
)
def test_each_field_of_a_line_is_checked(values, message, tmp_path):
    file = tmp_path / "games.jsonl"
    settings = Ladder(FIELD[:2], 3, 1, seats=3).settings(GAME)
    game = GameResult(
        ("random", "random", "greedy"),
        seeds_of_match(1, 1)[0],
        (9, 5, 3),
        0,
        12,
        (),
        0,
        (4, 4, 4),
        (0.0, 0.0, 0.0),
        (1, 2, 3),
    )
    with ResultsFile(file, settings) as games:
        games.add(game)
    with ResultsFile(file, settings) as games:
        assert list(games.results.values()) == [game]
    header, line = file.read_text().splitlines()
    file.write_text(f"{header}\n{json.dumps({**json.loads(line), **values})}\n")
    with pytest.raises(ValueError, match=message):
        ResultsFile(file, settings)


def test_a_rating_plays_in_rotations_repeats_and_resumes(tmp_path):
    plan = RatingPlan("greedy", {"random": 0.0, "mcts:4": 100.0}, 1.0, scaled(60, least=9) // 3 * 3, seats=3)
    file = tmp_path / "games.jsonl"

    def rated(place):
        with ResultsFile(place, plan.settings(GAME)) as games:
            return rate(GAME, plan, games), list(games.results)

    found, fixtures = rated(file)
    again, _ = rated(file)
    assert (again.rating, again.games) == (found.rating, found.games) == (found.rating, plan.max_games)
    assert found.opponents == {"random": found.games, "mcts:4": found.games}
    for seed in {seed for _, seed in fixtures}:
        assert {agents.index("greedy") for agents, one in fixtures if one == seed} == {0, 1, 2}


# Game files and what is read from games ------------------------------------------------------------------------------
def test_a_game_file_replays_to_the_same_end():
    for seed in range(5):
        result = play_game(GAME, FIELD, seed)
        record = record_game(GAME, seed, result.actions, players=FIELD)
        text = record.write()
        assert text.startswith("toy/dice-v0 game\n")
        assert "player 2: mcts:4" in text
        assert read_record(text) == record
        *_, (end, _) = record.positions()
        assert end.scores == result.scores
        assert end.ranks == result.ranks
    with pytest.raises(RecordError, match="player 0 decides here, not player 3"):
        read_record(text.replace("\n0: ", "\n3: ", 1))


def test_statistics_count_all_boards():
    results = list(play_match(GAME, ["random"] * 3, 6, 1))
    found = statistics_of(GAME, "random", results, {})
    assert found.score_mean == pytest.approx(np.mean([result.scores for result in results]))
    assert sum(found.points.values()) == pytest.approx(found.score_mean)
    assert found.bonuses == {}
    assert found.draws == np.mean([result.winner < 0 for result in results])
    assert found.first_player[0] == pytest.approx(np.mean([result.share_won(0) for result in results]))


def test_an_analysis_looks_at_each_player():
    record = record_game(GAME, 1, play_game(GAME, ["random"] * 3, 1).actions)
    assert {decision.player for decision in analyse_game(record, "mcts:8")} == {0, 1, 2}
    assert {decision.player for decision in analyse_game(record, "mcts:8", player=2)} == {2}


# Commands ------------------------------------------------------------------------------------------------------------
def test_tournament_and_its_files(tmp_path):
    files = ["--csv", str(tmp_path / "a.csv"), "--json", str(tmp_path / "a.json"), "--save", str(tmp_path)]
    assert invoke("tournament", *FIELD, "--games", "3", "--players", "3", *files).exit_code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert [row["player_2"] for row in rows] == ["mcts:4", "random", "greedy"]
    for row in rows:
        ranks = [int(row[f"rank_{seat}"]) for seat in range(3)]
        assert (ranks.count(1) == 1) == (row["winner"] != "")
    assert len(json.loads((tmp_path / "a.json").read_text())) == 3
    games = sorted(tmp_path.glob("*.game"))
    assert len(games) == 3
    shown = CliRunner().invoke(app, ["replay", str(games[0]), "--moves"], catch_exceptions=False).stdout
    lines = shown.splitlines()
    assert lines[0] == "  0  The game begins"
    assert re.fullmatch("     the die shows [123]", lines[1]), "below the beginning"
    assert re.fullmatch("  1  (take|give)", lines[2])
    assert re.fullmatch(r"     \w+ gets [123]", lines[3]), "below the action"


def test_a_tournament_tells_each_pair_once():
    rows = json.loads(invoke("tournament", *FIELD, "mcts:5", "--games", "3", "--json", "-").stdout)
    shown = invoke("tournament", "random", "--games", "3").stdout
    assert "a win is to come before the opponent" in " ".join(shown.split())
    assert len({(row["agent"], row["opponent"]) for row in rows}) == len(rows) == 6
    assert {row["games"] for row in rows} == {2 * 3}, "two line-ups have both"


def test_ladder_rate_and_statistics(tmp_path):
    file = tmp_path / "ladder.json"
    games = ("--games", "6")
    assert invoke("ladder", *FIELD, *games, "--json", str(file)).exit_code == 0
    written = json.loads(file.read_text())
    assert written["game"] == GAME.id
    assert "num_players" not in written, "there is one number only"
    assert set(read_ladder(GAME, file).ratings) == set(FIELD)
    done = invoke("rate", "greedy", "--ladder", str(file), "--max-games", "9")
    assert "9 games" in done.stdout
    assert "Dice" in invoke("ladder", "random", "greedy", *games).stdout
    text = invoke("statistics", "random", *games).stdout
    assert text.strip().startswith("Dice\n")
    assert "given" in text
    assert "decisions a game" in text
    assert "shared wins in equal parts" in text
    file.write_text(json.dumps({**written, "num_players": 4}))
    with pytest.raises(ValueError, match="a ladder of toy/dice-v0 for 4 players, not of toy/dice-v0 for 3"):
        read_ladder(GAME, file)


def test_as_many_games_are_played_as_fill_all_rotations():
    assert json.loads(invoke("tournament", "random", "--json", "-").stdout)[0]["games"] == 2 * 201


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("tournament", "random", "--players", "2"), "num_players must be 3 in Dice, not 2"),
        (("tournament", "random", "--games", "4"), "multiple of 3"),
        (("fit", "weights.npz"), "Dice has no agent whose weights are fitted"),
        (("rate", "random"), "no ladder comes with Dice"),
    ],
)
def test_mistakes_are_named(args, message):
    with pytest.raises(ValueError, match=message):
        invoke(*args)


def test_options_are_those_of_the_game():
    assert "--scoring-tiles" not in invoke("tournament", "--help").stdout
    assert "No such option" in invoke("tournament", "random", "--scoring-tiles", "4").output
    with pytest.raises(
        ValueError, match="unknown game 'toy/x-v0': there are .* by their ids azul/duel-v0, .*toy/dice-v0"
    ):
        CliRunner().invoke(app, ["tournament", "random", "--game=toy/x-v0"], catch_exceptions=False)


@pytest.mark.skipif(not COMPILED, reason="slow uncompiled")
def test_games_do_not_depend_on_processes():
    assert list(play_match(GAME, FIELD, 6, 1, jobs=2)) == list(play_match(GAME, FIELD, 6, 1))


@pytest.fixture
def several(monkeypatch):
    """The game for three and for four players, in tables at least; for four where no number is told."""
    module = ModuleType("toy_several")
    variants = {3: "toy_several:THREE", 4: "toy_several:GAME"}
    three = replace(GAME, home="toy_several:THREE", variants=variants)
    module.GAME = replace(GAME, home="toy_several:GAME", num_players=4, variants=variants)
    module.THREE = three
    monkeypatch.setitem(sys.modules, "toy_several", module)
    monkeypatch.setitem(GAMES, GAME.id, "toy_several")
    return three, module.GAME


def test_a_game_file_names_the_number_of_players_where_there_are_several(several):
    three, _ = several
    text = record_game(three, 1, [0] * 12, {"num_players": 3}).write()
    assert 'options: {"num_players": 3}\n' in text
    found = read_record(text)
    assert (found.game, found.options) == (three, {})
    with pytest.raises(RecordError, match="line 2: num_players must be 3 or 4 in Dice, not 5"):
        read_record(text.replace('"num_players": 3', '"num_players": 5'))
    with pytest.raises(RecordError, match="line 4: there are players 0 to 2, not 'player 3'"):
        read_record(text.replace("seed: 1\n", "seed: 1\nplayer 3: random\n"))


def test_variants_must_list_the_same_numbers(monkeypatch):
    three = replace(GAME, variants={3: "toy_game:GAME", 4: "toy_game:FOUR"})
    four = replace(three, home="toy_game:FOUR", num_players=4)
    for found, message in (
        (replace(four, variants={4: "toy_game:FOUR"}), r"toy_game:GAME lists \[3, 4\], toy_game:FOUR \[4\]"),
        (replace(four, num_players=5), "toy_game:FOUR is for 5 players, not 4"),
    ):
        monkeypatch.setattr(toy_game, "FOUR", found, raising=False)
        with pytest.raises(ValueError, match=message):
            three.of({"num_players": 4})
    monkeypatch.setattr(toy_game, "FOUR", four)
    monkeypatch.setattr(toy_game, "GAME", three)
    assert three.of({"num_players": 4}) is four
    assert four.of({"num_players": 3}) is three


def network_written(file, game, /, **header):
    """A network of nothing but zeros."""
    asked = game.make_abstraction()
    arrays = {}
    for part, outputs in (("policy", asked.num_actions), ("value", 1)):
        arrays[f"{part}_0_bias"] = np.zeros(outputs, np.float32)
        arrays[f"{part}_0_weight"] = np.zeros((asked.observation_size, outputs), np.float32)
    usual = {"format": 1, "game": game.id, "granularity": {}, "advice": None, "activation": "tanh", "trust": 0.0}
    usual |= {"reward": {"rank": 1.0}, "tables": tables_digest(game, asked), "source": {}}
    np.savez(file, header=np.array(json.dumps({**usual, **header})), **arrays)
    return file


def test_a_network_is_for_one_number_of_players(several, tmp_path):
    three, four = several
    file = tmp_path / "network.npz"
    assert read_network_file(network_written(file, three, num_players=3)).game is three
    with pytest.raises(AgentError, match="plays toy/dice-v0 for 3 players, not toy/dice-v0 for 4 players"):
        network_policy(four, str(file))
    with pytest.raises(AgentError, match="that comes with Dice plays toy/dice-v0 for 3 players, not .* for 4 players"):
        shipped(replace(four, network=file))
    assert network_policy(three, str(file)).game is three
    assert read_network_file(network_written(file, four)).game is four
    for wrong, message in ((5, "must be 3 or 4 in Dice, not 5"), ("3", "a number of players, not '3'"), (None, "None")):
        with pytest.raises(ValueError, match=f"num_players.*{message}"):
            read_network_file(network_written(file, three, num_players=wrong))


def test_an_exported_model_tells_the_number_of_players_where_there_are_several(several, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    from azul_duel_env.training.config import read_config
    from azul_duel_env.training.export import header_of

    file = tmp_path / "toy.yaml"
    file.write_text(
        f"game: {GAME.id}\nenvironment: {{options: {{num_players: 3}}, reward: rank}}\nstages:\n- steps: 100\n"
        "evaluation: {games: 3, final_games: 3}\n"
    )
    model = SimpleNamespace(policy=SimpleNamespace(activation_fn=torch.nn.Tanh), num_timesteps=0)
    header = header_of(read_config(file), model)
    assert (header["num_players"], header["reward"]) == (3, {"rank": 1.0})
    assert read_network_file(network_written(tmp_path / "out.npz", GAME, **header)).game is several[0]
    GAMES[GAME.id] = "toy_game"
    assert "num_players" not in header_of(read_config(file), model)


def test_a_benchmark_measures_the_game_for_its_number_of_players(several, monkeypatch):
    three, _ = several
    asked = []
    env = SimpleNamespace(reset=lambda **_: None, unwrapped=None, batch=None)
    made = lambda *_, **options: asked.append(options.get("num_players")) or env  # noqa: E731
    for place, name in ((bench.gymnasium, "make"), (bench.gymnasium, "make_vec")):
        monkeypatch.setattr(place, name, made)
    monkeypatch.setattr(bench, "import_module", lambda _: SimpleNamespace(env=made))
    makers = [bench.aec, bench.single, lambda game: bench.vector(game, "random")]
    if find_spec("stable_baselines3"):
        monkeypatch.setattr("azul_duel_env.envs.sb3.make_sb3_vec", made)
        makers.append(bench.sb3)
    for make in makers:
        make(three)
    assert asked == [3] * len(makers)
    assert GAME.players_option == {}
    monkeypatch.setattr(bench, "contestants", lambda _: [])
    monkeypatch.setattr(bench, "search_figures", lambda _: {})
    monkeypatch.setattr(bench, "facts", lambda _: {})
    assert bench.measure(three, 0.1)["num_players"] == 3
    assert "num_players" not in bench.measure(GAME, 0.1)


def test_runs_and_ladders_tell_the_number_of_players_where_there_are_several(several, tmp_path):
    three, four = several
    file = tmp_path / "games.jsonl"
    plans = [Ladder(FIELD[:2], 3, 1, seats=3), RatingPlan("a", {"b": 0.0}, max_games=3, seats=3)]
    assert [plan.settings(three)["num_players"] for plan in plans] == [3, 3]
    ResultsFile(file, plans[0].settings(three)).__exit__(None, None, None)
    assert Run.of(plans[0].settings(three), 0).seats == 3
    assert Run.of({"game": GAME.id}, 0).seats == 4, "the usual number"
    with pytest.raises(ValueError, match="num_players 3, not 4"):
        ResultsFile(file, Ladder(FIELD[:2], 4, 1, seats=4).settings(four))
    for plan in plans:
        with pytest.raises(ValueError, match="seats must be 4, the players of Dice, not 3"):
            plan.settings(four)
    file.write_text(json.dumps({"ratings": [{"agent": "random", "rating": 0.0}], "options": {}, "game": GAME.id}))
    assert read_ladder(four, file).ratings == {"random": 0.0}
    with pytest.raises(ValueError, match="a ladder of toy/dice-v0 for 4 players, not of toy/dice-v0 for 3"):
        read_ladder(three, file)


# Training ------------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_model_is_evaluated_in_each_seat(monkeypatch, tmp_path):
    stable = pytest.importorskip("sb3_contrib")
    from azul_duel_env.envs.sb3 import make_sb3_vec
    from azul_duel_env.training import evaluate as module
    from azul_duel_env.training.config import read_config
    from azul_duel_env.training.curve import draw_curve
    from azul_duel_env.training.progress import Progress
    from azul_duel_env.training.report import Reporter, results

    env = make_sb3_vec(2, game=GAME.id)
    model = stable.MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [4]}, seed=1, device="cpu")
    games = []
    monkeypatch.setattr(module, "summarise", lambda names, found: games.extend(found) or summarise(names, found))
    summary = module.evaluate(GAME, model, "random", 6, 1)
    assert summary.games == 2 * len(games) == 12
    assert {game.agents.index("model") for game in games} == {0, 1, 2}
    assert all(game.ranks for game in games)
    entry = {"steps": 1, "seconds": 1.0, "random": summary.as_dict()}
    shown = Console(file=io.StringIO(), width=200)
    Reporter(shown, 3).evaluated(entry)
    shown.print(results(Progress(1.0, [entry], {"random": summary.as_dict()}), 3))
    text = shown.file.getvalue()
    assert "1 s: came before random" in text
    assert "win" not in text
    assert re.search(r"random +│ +6 │", text), "six games, in each of which it met two"
    draw_curve([entry], tmp_path / "curve.svg", "Dice", 3)
    assert "came before an opponent, %" in (tmp_path / "curve.svg").read_text()
    file = tmp_path / "toy.yaml"
    file.write_text(f"game: {GAME.id}\nstages:\n- steps: 100\nevaluation: {{games: 3, final_games: 3}}\n")
    assert read_config(file).table is GAME
    with pytest.raises(ValueError, match="evaluation.games must be a multiple of 3"):
        read_config(file, ["evaluation.games=4"])
    with pytest.raises(ValueError, match="num_players must be 3 in Dice, not 2"):
        read_config(file, ["environment.options.num_players=2"])
