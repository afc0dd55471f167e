"""Games as data: Parquet, its reader, and Minari."""

from __future__ import annotations

import json
import sys
from itertools import islice

import numpy as np
import pytest
from sizes import scaled
from typer.testing import CliRunner

from azul_duel_env.arena.match import fixtures_of_match, line_ups, play_fixtures, play_game
from azul_duel_env.cli import app
from azul_duel_env.games import find_game

pytest.importorskip("pyarrow", reason="the extra dataset is not installed")

import pyarrow as pa
import pyarrow.parquet as pq

from azul_duel_env.arena import dataset as data
from azul_duel_env.arena.dataset import DatasetPlan, ParquetWriter, play_dataset, read_dataset

DUEL, MINI = find_game("duel"), find_game("pavilion_mini", 3)
PLANS = [
    (DUEL, DatasetPlan(("random", "greedy"), 4, options={"scoring_tiles": 4})),
    (MINI, DatasetPlan(("random",), 3, seed=5)),
]
TITLES = [game.title for game, _ in PLANS]


def write(folder, game, plan, games_a_file=2, most=None):
    """Write what a dataset lacks, or ``most`` games of it; return the results of the games that were played."""
    folder.mkdir(exist_ok=True)
    writer = ParquetWriter(folder, game, plan.settings(game), games_a_file)
    coming = play_dataset(game, plan, writer)
    played = list(islice(coming, most))
    coming.close()
    return played


def read(folder):
    """Return all rows of a dataset as plain data."""
    return pa.concat_tables([pq.read_table(file) for file in data.files_of(folder)]).to_pylist()


# Parquet --------------------------------------------------------------------------------------
@pytest.mark.parametrize(("game", "plan"), PLANS, ids=TITLES)
def test_each_decision_is_there(tmp_path, game, plan):
    results = write(tmp_path, game, plan)
    assert [(r.agents, r.seed) for r in results] == plan.fixtures(game)
    batches = iter([row for batch in read_dataset(tmp_path, 7) for row in rows_of(batch)])
    for number, result in enumerate(results):
        position = game.new(result.seed, **plan.options)
        assert result == play_game(game, result.agents, result.seed, dict(plan.options))
        for action in result.actions:
            row, player = next(batches), position.player
            assert (row["games"], row["seeds"], row["actions"]) == (number, result.seed, action)
            assert (row["players"], row["agents"]) == (player, result.agents[player])
            assert row["states"].tobytes() == position.states.tobytes()
            assert row["legal_counts"] == len(position.legal_actions())
            assert (row["observations"] == position.observe(player)).all()
            assert (row["action_masks"] == position.action_mask()).all()
            position.step(action)
            assert row["scores"].tolist() == list(result.scores)
            assert row["ranks"].tolist() == list(result.places)
        assert row["returns"] == pytest.approx(position.returns)
        assert row["values"] == pytest.approx(position.returns[player])
    assert next(batches, None) is None


def rows_of(batch):
    """Yield the rows of a batch as dictionaries."""
    columns = {name: getattr(batch, name) for name in batch.__dataclass_fields__ if name != "game"}
    columns |= {"observations": batch.observations(), "action_masks": batch.action_masks, "values": batch.values}
    for i in range(len(batch)):
        yield {name: column[i] for name, column in columns.items()}


def test_the_schema_and_what_its_metadata_say(tmp_path):
    game, plan = PLANS[1]
    write(tmp_path, game, plan)
    assert [file.name for file in data.files_of(tmp_path)] == ["games-000000000.parquet", "games-000000002.parquet"]
    schema = pq.read_schema(data.files_of(tmp_path)[1])
    assert schema.remove_metadata() == data.schema_of(game)
    header = json.loads(schema.metadata[data.KEY])
    assert header["games"] == [2, 3]
    assert (header["game"], header["num_players"], header["agents"], header["seed"]) == (game.id, 3, ["random"], 5)
    assert schema.field("state").type == pa.binary(game.state.itemsize)


def test_observations_in_bytes(tmp_path):
    write(tmp_path, *PLANS[1])
    for batch in read_dataset(str(tmp_path)):
        observations = batch.observations("uint8")
        assert observations.dtype == np.uint8
        assert np.abs(observations / 255 - batch.observations()).max() <= 1 / 510 + 1e-6


@pytest.mark.parametrize("most", [1, 2, 3])
def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, most):
    game, plan = PLANS[0]
    write(tmp_path / "whole", game, plan)
    first = write(tmp_path / "parts", game, plan, most=most)
    rest = write(tmp_path / "parts", game, plan)
    assert len(first) + len(rest) == 4
    assert read(tmp_path / "parts") == read(tmp_path / "whole")
    assert write(tmp_path / "parts", game, plan) == []


def test_more_games_go_on_with_those_played(tmp_path):
    agents = ("greedy", "random")
    small, large = DatasetPlan(agents, 3), DatasetPlan(agents, 6)
    assert large.fixtures(MINI)[: len(small.fixtures(MINI))] == small.fixtures(MINI)
    write(tmp_path / "parts", MINI, DatasetPlan(("random",), 3))
    write(tmp_path / "parts", MINI, DatasetPlan(("random",), 6))
    write(tmp_path / "whole", MINI, DatasetPlan(("random",), 6))
    assert read(tmp_path / "parts") == read(tmp_path / "whole")


def test_the_games_are_those_of_a_tournament():
    plan = DatasetPlan(("random", "greedy", "greedy2"), 4)
    matches = line_ups(sorted(plan.agents), 2)
    assert sorted(plan.fixtures(DUEL)) == sorted(f for one in matches for f in fixtures_of_match(one, 4, 1))


def test_a_lost_game_is_passed_over(tmp_path, monkeypatch):
    game, plan = PLANS[0]

    def without_the_second(game, fixtures, *given, **more):
        return (r for i, r in enumerate(play_fixtures(game, fixtures, *given, **more)) if i != 1)

    monkeypatch.setattr(data, "play_fixtures", without_the_second)
    write(tmp_path, game, plan)
    found = {row["game"]: row["seed"] for row in read(tmp_path)}
    assert found == {number: plan.fixtures(game)[number][1] for number in (0, 2, 3)}
    assert write(tmp_path, game, plan) == []


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (DatasetPlan(("random", "greedy"), 4, seed=2, options={"scoring_tiles": 4}), "seed 1, not 2"),
        (DatasetPlan(("random", "greedy"), 4), r"options \{'scoring_tiles': 4\}, not \{\}"),
        (DatasetPlan(("greedy",), 4, options={"scoring_tiles": 4}), "agents"),
    ],
)
def test_other_settings_are_refused(tmp_path, other, says):
    write(tmp_path, *PLANS[0], most=1)
    before = read(tmp_path)
    with pytest.raises(ValueError, match=says):
        write(tmp_path, DUEL, other)
    assert read(tmp_path) == before


def test_a_gap_is_refused(tmp_path):
    write(tmp_path, *PLANS[0])
    data.files_of(tmp_path)[0].unlink()
    with pytest.raises(ValueError, match="lacks games 0 to 1"):
        write(tmp_path, *PLANS[0])


def test_what_is_no_dataset_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no dataset"):
        read_dataset(tmp_path)
    file = tmp_path / "games-000000000.parquet"
    file.write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="no file of a dataset"):
        read_dataset(tmp_path)
    pq.write_table(pa.table({"game": [1]}), file)
    with pytest.raises(ValueError, match="no file of a dataset"):
        write(tmp_path, *PLANS[0])
    with pytest.raises(OSError, match="nowhere"):
        read_dataset(tmp_path / "nowhere.parquet")


def test_states_of_another_layout_are_refused(tmp_path, monkeypatch):
    write(tmp_path, *PLANS[1])
    monkeypatch.setattr(data, "digest_of_state", lambda _: "another")
    with pytest.raises(ValueError, match="states or columns differ"):
        read_dataset(tmp_path)


def test_a_batch_has_a_decision_at_least(tmp_path):
    write(tmp_path, *PLANS[1])
    with pytest.raises(ValueError, match="batch_size"):
        read_dataset(tmp_path, 0)


# Minari ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(("game", "plan"), PLANS, ids=TITLES)
def test_a_minari_dataset(tmp_path, monkeypatch, game, plan):
    minari = pytest.importorskip("minari")
    from azul_duel_env.arena.minari_dataset import MinariWriter

    folder = tmp_path / "games-v0"
    folder.mkdir()
    results = []
    for most in (2, None):  # interrupted once
        coming = play_dataset(game, plan, MinariWriter(folder, game, plan.settings(game)))
        results += islice(coming, most)
        coming.close()
    assert len(results) == len(plan.fixtures(game))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    found = minari.load_dataset("games-v0")
    assert found.total_episodes == game.num_players * len(plan.fixtures(game))
    assert found.total_steps == sum(len(result.actions) for result in results)
    facts = list(found.storage.get_episode_metadata(range(found.total_episodes)))
    for episode, fact in zip(found.iterate_episodes(), facts, strict=True):
        result, player = results[fact["game"]], fact["player"]
        position = game.new(result.seed, **plan.options)
        own = 0
        for action in result.actions:
            if position.player == player:
                assert (episode.observations[own] == position.observe(player)).all()
                assert (episode.infos["action_mask"][own] == position.action_mask()).all()
                assert episode.actions[own] == action
                own += 1
            position.step(action)
        assert (episode.observations[own] == position.observe(player)).all()
        assert len(episode.observations) == own + 1
        assert len(episode.actions) == own
        assert not episode.infos["action_mask"][own].any()
        assert episode.rewards[:-1].tolist() == [0] * (own - 1)
        assert episode.rewards[-1] == pytest.approx(position.returns[player])
        assert episode.terminations.tolist() == [False] * (own - 1) + [True]
        assert not episode.truncations.any()
        assert (fact["agent"], fact["seed"]) == (result.agents[player], result.seed)


def test_a_minari_dataset_has_a_version_and_settings(tmp_path):
    pytest.importorskip("minari")
    from azul_duel_env.arena.minari_dataset import MinariWriter

    game, plan = PLANS[1]
    with pytest.raises(ValueError, match="NAME-v0"):
        MinariWriter(tmp_path, game, plan.settings(game))
    (tmp_path / "x-v1").mkdir()
    MinariWriter(tmp_path / "x-v1", game, plan.settings(game))
    with pytest.raises(ValueError, match="seed 5, not 6"):
        MinariWriter(tmp_path / "x-v1", game, DatasetPlan(("random",), 3, seed=6).settings(game))


# The command ----------------------------------------------------------------------------------
def invoke(*given):
    return CliRunner().invoke(app, ["dataset", *map(str, given)], catch_exceptions=False)


def test_the_command(tmp_path):
    out = tmp_path / "games"
    given = (out, "random", "--game", "pavilion_mini", "--players", "3", "--seed", "2", "--board", "grey")
    assert "has 3 games" in invoke(*given, "--games", 3).stderr
    assert "has 6 games" in invoke(*given, "--games", 6).stderr
    plan = DatasetPlan(("random",), 6, 2, {"board": "grey"})
    write(tmp_path / "same", MINI, plan)
    assert {row["seed"] for row in read(out)} == {row["seed"] for row in read(tmp_path / "same")}
    assert json.loads(pq.read_schema(data.files_of(out)[0]).metadata[data.KEY])["options"]["board"] == "grey"


@pytest.mark.parametrize(("form", "library"), [("parquet", "pyarrow"), ("minari", "minari")])
def test_the_command_says_what_to_install(tmp_path, monkeypatch, form, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ValueError, match=rf"needs {library}: pip install 'azul_duel_env\[dataset\]'"):
        invoke(tmp_path / "x-v0", "random", "--games", 2, "--format", form)


def test_the_command_writes_minari(tmp_path):
    minari = pytest.importorskip("minari")
    games = 2 * scaled(1)
    result = invoke(tmp_path / "duel-v0", "random", "--games", games, "--format", "minari")
    assert f"has {games} games" in result.stderr
    assert minari.MinariDataset(tmp_path / "duel-v0" / "data").total_episodes == 2 * games


def test_an_interrupted_command_says_how_to_go_on(tmp_path, monkeypatch):
    def interrupted(*given):
        for number, result in enumerate(play_dataset(*given)):
            yield result
            if number == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(data, "play_dataset", interrupted)
    result = invoke(tmp_path / "games", "random", "--games", 4)
    assert result.exit_code == 130
    assert "2 of 4 games: the same command goes on" in result.stderr
    monkeypatch.undo()
    assert "has 4 games" in invoke(tmp_path / "games", "random", "--games", 4).stderr
