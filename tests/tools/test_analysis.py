"""Analysis of games: repeatable, right about what was lost, and as the command prints it."""

from __future__ import annotations

import io
import json
import re
from functools import cache

import numpy as np
import pytest
from azul_duel_env.games.duel.kernels.search import SCALE, WIN
from commands import run
from fast_networks import written
from rich.console import Console
from searches import last_tilings, outcomes
from sizes import scaled
from typer.testing import CliRunner

from azul_duel_env.agents import find_search
from azul_duel_env.agents.search import search
from azul_duel_env.arena import LostGameWarning, play_game
from azul_duel_env.arena.game_file import Record, read_record, record_game
from azul_duel_env.arena.workers import LOST
from azul_duel_env.cli import app
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.actions import NUM_ACTIONS, action_name
from azul_duel_env.jit import COMPILED
from azul_duel_env.jit.rng import keys_from_seed
from azul_duel_env.tools import analysis
from azul_duel_env.tools.analysis import (
    MARKS,
    Analysis,
    Decision,
    analyse_game,
    analysis_from_dict,
    count_choices,
    decisions_table,
)

AGENT = "mcts:20" if COMPILED else "mcts:1"


@cache
def short_game() -> Record:
    """Return the beginning of a game."""
    result = play_game(GAME, ("random", "random"), 1)
    return record_game(GAME, 1, result.actions[: 40 if COMPILED else 4], players=("one", "two"))


@cache
def analysed() -> Analysis:
    """Return the analysis of the short game."""
    record = short_game()
    return Analysis(GAME.id, record.players, AGENT, 1, tuple(analyse_game(record, AGENT, 1)))


# What is found --------------------------------------------------------------------------------
def test_decisions_tell_what_was_played():
    record, found = short_game(), analysed().decisions
    plies = [ply for ply in record.plies if ply.player >= 0]
    positions = [position for position, ply in record.positions() if ply is not None and ply.player >= 0]
    with_choice = [number for number, position in enumerate(positions, 1) if len(position.legal_actions()) > 1]
    assert [decision.number for decision in found] == with_choice
    assert count_choices(record) == len(with_choice) > 2
    for decision in found:
        position, ply = positions[decision.number - 1], plies[decision.number - 1]
        assert (decision.player, decision.played) == (ply.player, ply.name)
        assert decision.round == position.states["round_number"][0]
        assert decision.choices == len(position.legal_actions())
        assert GAME.text.parse_action(decision.best) in position.legal_actions()
        assert decision.variation[0] == decision.best


def test_what_was_lost_is_the_difference_and_never_negative():
    worse = 0
    for decision in analysed().decisions:
        assert max(abs(decision.played_value), abs(decision.best_value)) <= 1
        assert decision.loss == max(0, decision.best_value - decision.played_value)
        assert decision.points == decision.best_margin - decision.played_margin
        worse += decision.best_value < decision.played_value
        if decision.agrees:
            assert decision.loss == decision.points == 0
        assert decision.mark == ("??" if decision.loss >= 0.3 else "?" if decision.loss >= 0.1 else "")
    assert worse > 0 or not COMPILED  # where the choice was not the best on a closer look


def test_both_actions_are_judged_with_the_same_budget_and_the_same_draws():
    record, simulations = short_game(), int(AGENT.removeprefix("mcts:"))
    positions = [position for position, ply in record.positions() if ply is not None and ply.player >= 0]
    keys = keys_from_seed(1, 2 * len(record.plies)).reshape(-1, 2)
    differ = [decision for decision in analysed().decisions if not decision.agrees]
    assert differ
    for decision in differ[:3]:
        for name, value in ((decision.played, decision.played_value), (decision.best, decision.best_value)):
            key, first = int(keys[decision.number][1]), GAME.text.parse_action(name)
            found = search(positions[decision.number - 1], simulations, key, first)
            assert found.values[list(found.actions).index(first)] == value


def test_the_same_seed_finds_the_same_and_another_one_other_values():
    record = short_game()
    assert tuple(analyse_game(record, AGENT, 1)) == analysed().decisions
    if COMPILED:
        assert tuple(analyse_game(record, AGENT, 2)) != analysed().decisions


def test_one_player_s_decisions_are_those_of_the_whole_analysis():
    for player in (0, 1):
        own = tuple(decision for decision in analysed().decisions if decision.player == player)
        assert tuple(analyse_game(short_game(), AGENT, 1, player)) == own
        assert count_choices(short_game(), player) == len(own) > 0


@pytest.mark.skipif(not COMPILED, reason="processes load the compiled rules")
def test_processes_find_the_same():
    assert tuple(analyse_game(short_game(), AGENT, 1, jobs=2)) == analysed().decisions


def test_a_search_with_a_fast_network_looks_at_games_too(tmp_path):
    agent = f"network+mcts:{AGENT.removeprefix('mcts:')}:{written(tmp_path / 'fast.npz', GAME)}"
    found = tuple(analyse_game(short_game(), agent))
    assert [one.number for one in found] == [one.number for one in analysed().decisions]
    for one in found:
        assert one.loss == max(0, one.best_value - one.played_value)
        assert one.played_values[one.player] == one.played_value == -one.played_values[1 - one.player]
        assert np.isfinite([one.played_margin, one.best_margin]).all()
    data = Analysis(GAME.id, (), agent, 1, found).as_dict()
    assert analysis_from_dict(json.loads(json.dumps(data, allow_nan=False))).decisions == found


def test_an_analysis_leaves_the_game_as_it_is():
    record = short_game()
    before = record.write()
    next(analyse_game(record, AGENT))
    assert record.write() == before


# Losses ---------------------------------------------------------------------------------------
def blunder(position, action) -> Decision:
    """Return what is found about an action in a position."""
    search = find_search(GAME, "mcts:60" if COMPILED else "mcts:20")
    return analysis.look_at(search, analysis.Choice(1, position, action), 5)


def value_at_the_end(margin: int) -> float:
    """Return the value of a finished game, from the table in kernels/search.py."""
    return WIN * np.sign(margin) + (1 - WIN) * np.tanh(margin / SCALE)


def blunders(count, at_stake):
    """Positions without draws in the last round, whose worst action and the points after it are known.

    Yields:
        position, best action, worst action, the player's margin in the end after each.
    """
    for position, best, least, second in last_tilings(count):
        player, other = position.player, 1 - position.player
        gained = outcomes(position, player).pop()[other] - position.scores[other]  # by his scoring tiles
        theirs = (least + second) // 2 if at_stake == "the game" else 0
        position.states["scores"][0, other] = theirs - gained
        worst = min(position.legal_actions().tolist(), key=lambda action: most_points(position, action, player))
        reached, given = most_points(position, best, player), most_points(position, worst, player)
        if given != theirs and {scores[other] for scores in outcomes(position, player)} == {theirs}:
            yield position, best, worst, reached - theirs, given - theirs


@pytest.mark.slow
@pytest.mark.parametrize("at_stake", ["the game", "points only"])
def test_a_blunder_in_the_last_round_loses_what_it_gives_away(at_stake):
    tried = 0
    for position, best, worst, reached, given in blunders(scaled(12, least=12 if COMPILED else 2), at_stake):
        found = blunder(position, worst)
        lost = value_at_the_end(reached) - value_at_the_end(given)
        assert (found.played, found.best) == (action_name(worst), action_name(best))
        assert found.points == pytest.approx(reached - given, abs=0.25 * (reached - given) + 1)
        assert found.loss == pytest.approx(lost, abs=0.3 * lost + 0.01)
        assert (found.mark == "??") == (at_stake == "the game")
        tried += 1
    assert tried >= (4 if COMPILED else 1)


def most_points(position, action, player) -> int:
    """Return the most points that a player can have in the end after an action, if all decisions are his."""
    after = position.copy()
    after.step(action)
    return max(scores[player] for scores in outcomes(after, player))


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too slow in this lane")
def test_a_search_loses_little_and_random_play_more():
    """Over whole games with both seatings."""
    summaries = {"mcts:50": [], "random": []}
    for agents in (("mcts:50", "random"), ("random", "mcts:50")):
        record = record_game(GAME, 3, play_game(GAME, agents, 3).actions, players=agents)
        found = tuple(analyse_game(record, "mcts:100"))
        for summary in Analysis(GAME.id, agents, "mcts:100", 1, found).summaries():
            summaries[summary.name].append(summary)
    for one, other in zip(summaries["mcts:50"], summaries["random"], strict=True):
        assert one.agreement > 0.6 > 0.4 > other.agreement
        assert one.loss_mean < 0.02
    for measure in ("loss_mean", "points_mean"):
        one, other = (sum(getattr(s, measure) for s in summaries[name]) for name in ("mcts:50", "random"))
        assert one < 0.6 * other


# Summaries, JSON and the table ----------------------------------------------------------------
def decision(number, player, best, loss, **changes) -> Decision:
    """Return a made-up decision."""
    mark = next((mark for mark, least in MARKS if loss >= least), "")
    values = {
        "played_value": 0.1,
        "played_values": (0.1, -0.1),
        "best_value": 0.1 + loss,
        "played_margin": 2.0,
        "best_margin": 2.0 + 10 * loss,
    }
    return Decision(
        number, 2, player, 3, "stack red", best, **values, loss=loss, mark=mark, variation=(best,), **changes
    )


def test_a_summary_adds_up():
    decisions = (
        decision(1, 1, "stack red", 0.0),
        decision(4, 1, "stack blue", 0.3),
        decision(6, 1, "stack blue", 0.1),
        decision(7, 1, "stack blue", 0.3),
    )
    [summary] = Analysis(GAME.id, ("a", "b"), AGENT, 1, decisions).summaries()
    assert (summary.player, summary.name, summary.decisions, summary.worst) == (1, "b", 4, 4)
    assert summary.agreement == 0.25
    assert summary.loss_mean == pytest.approx(0.175)
    assert summary.points_mean == pytest.approx(1.75)
    assert (summary.loss_max, summary.marks) == (0.3, {"??": 2, "?": 1})
    assert Analysis(GAME.id, (), AGENT, 1, decisions).summaries()[0].name == ""
    assert Analysis(GAME.id, (), AGENT, 1, ()).summaries() == []


def test_json_and_back():
    found = analysed()
    text = json.dumps(found.as_dict(), allow_nan=False)
    assert analysis_from_dict(json.loads(text)) == found
    for broken in ({}, {"decisions": [{}]}, {**json.loads(text), "more": 1}, {**json.loads(text), "decisions": [1]}):
        with pytest.raises(ValueError, match="expected an analysis"):
            analysis_from_dict(broken)


def test_the_table_fits_120_columns():
    longest = max((action_name(action) for action in range(NUM_ACTIONS)), key=len)
    rows = [decision(199, 1, longest, 0.35), decision(200, 0, "stack red", 0.0)]
    rows.append(Decision(201, 5, 1, 99, longest, longest + "!", -1.0, 0.9, (-1.0, 1.0), -99.0, 99.0, 1.9, "??", ()))
    console = Console(width=120, file=io.StringIO())
    console.print(decisions_table(rows, "mcts:100000"))
    lines = console.file.getvalue().splitlines()
    assert sum(longest in line for line in lines) == 2
    assert any(line.rstrip().endswith("1.90  +198.0  ??") for line in lines), lines
    assert any("the same" in line for line in lines)


# Mistakes and losses of processes -------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agent": "greedy"}, "expected a search, such as mcts:400, not 'greedy'"),
        ({"agent": "mtcs:5"}, "did you mean 'mcts:5'"),
        ({"player": 2}, "player must be 0 to 1, or None for all, not 2"),
        ({"seed": -1}, "at least 0"),
        ({"jobs": 0}, "-1 for one a core"),
    ],
)
def test_wrong_arguments_are_named_before_anything_is_searched(arguments, message):
    with pytest.raises(ValueError, match=message):
        analyse_game(short_game(), **arguments)


def test_a_lost_decision_is_left_out_and_told(monkeypatch):
    def lose_the_second(function, tasks, _jobs):
        yield from (LOST if k == 1 else function(*task) for k, task in enumerate(tasks))

    whole = analysed().decisions
    monkeypatch.setattr(analysis, "run_tasks", lose_the_second)
    with pytest.warns(LostGameWarning, match=f"decision {whole[1].number}: its process was lost"):
        assert tuple(analyse_game(short_game(), AGENT, 1)) == (whole[0], *whole[2:])


# The command ----------------------------------------------------------------------------------
@pytest.fixture
def game_file(tmp_path):
    file = tmp_path / "short.game"
    file.write_text(short_game().write(), encoding="utf-8")
    return file


def invoke(*args) -> str:
    result = CliRunner().invoke(app, ["analyse", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_the_command_prints_what_was_found(game_file):
    text = invoke(game_file, "--agent", AGENT)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120
    found = analysed()
    for one in found.decisions:
        row = next(line.split() for line in lines if line.split()[:1] == [str(one.number)])
        assert row[1:3] == [str(one.round), str(one.player)]
        assert f"{one.played_value:+.2f}" in row
    one, two = found.summaries()
    assert f"player 0 (one): {one.decisions} decisions, {one.agreement:.0%} as the search" in text
    assert f"player 1 (two): {two.decisions} decisions" in text
    assert f"at most {two.loss_max:.2f} (no {two.worst})" in text


def test_the_command_can_show_one_seat_and_losses_only(game_file):
    text = invoke(game_file, "--agent", AGENT, "--seat", "player_1", "--only-losses", "2.5")
    assert "player 1 (two)" in text
    assert "player 0" not in text
    assert not any(line.split()[:1] == ["1"] for line in text.splitlines())


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_the_command_writes_json(game_file):
    data = json.loads(invoke(game_file, "--agent", AGENT, "--json", "-"))
    assert analysis_from_dict(data) == analysed()
    assert data["summary"][0]["name"] == "one"


def test_broken_files_end_with_a_line_and_code_2(game_file):
    text = game_file.read_text()
    player = [position.player for position, _ in read_record(text).positions()][-1]
    for broken, message in (
        (text + f"{player}: stack pink\n", r"line \d+: .*stack pink"),
        ("hello", "line 1: expected"),
    ):
        game_file.write_text(broken)
        done = run("analyse", str(game_file))
        told = " ".join(done.stderr.split())
        assert done.returncode == 2
        assert re.search(f"short.game: {message}", told), told
        assert "Traceback" not in done.stderr


def test_ctrl_c_prints_what_is_finished(game_file, tmp_path, monkeypatch):
    def stop_after_two(function, tasks, _jobs):
        yield from (function(*task) for task in tasks[:2])
        raise KeyboardInterrupt

    whole = analysed().decisions
    monkeypatch.setattr(analysis, "run_tasks", stop_after_two)
    file, wanted = tmp_path / "a.json", count_choices(short_game())
    done = CliRunner().invoke(app, ["analyse", str(game_file), "--agent", AGENT, "--json", str(file)])
    assert done.exit_code == 130
    assert f"interrupted after 2 of {wanted} decisions" in done.stderr
    assert "as the search" in done.stdout
    found = analysis_from_dict(json.loads(file.read_text()))
    assert found.decisions == whole[:2]
    assert found.missing == wanted - 2
