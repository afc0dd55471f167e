"""Game files: written, read and replayed exactly; and what is said of broken ones."""

from __future__ import annotations

from functools import cache

import pytest
from places import GOLDEN
from sizes import scaled

from azul_duel_env.arena import play_game
from azul_duel_env.arena.game_file import RecordError, read_record, record_game
from azul_duel_env.games.duel import GAME

GOLDEN_GAMES = sorted(GOLDEN.glob("*.game"))
OPTIONS = {
    "default": {},
    "four-tiles": {"scoring_tiles": 4},
    "all-payments": {"chip_payments": "all"},
    "forced-only": {"zero_point_draw": "forced_only", "special_counts_as_colour": False},
}
SEEDS = {"all-payments": 2036}  # one payment is larger than need be, and once a player finds the chips enough


@cache
def recorded_default() -> str:
    """Return the text of a game with default options."""
    return recorded()[1].write()


def recorded(seed: int = 1, agents=("greedy", "random"), **options):
    result = play_game(GAME, agents, seed, options)
    return result, record_game(GAME, seed, result.actions, options, agents)


@pytest.mark.untraced
@pytest.mark.parametrize("options", OPTIONS.values())
def test_a_game_replays_to_the_same_end(options):
    for seed in range(scaled(5)):
        result, record = recorded(seed, **options)
        again = read_record(record.write())
        assert again == record
        assert again.write() == record.write()
        last, ply = list(again.positions())[-1]
        assert ply is None
        assert last.over
        assert (last.scores, last.winner) == (result.scores, result.winner)
        assert [e.number for e in again.plies if e.player >= 0] == list(result.actions)


def test_an_unfinished_game_and_one_without_a_seed_are_games_too():
    result, record = recorded()
    cut = "\n".join(record.write().splitlines()[:90]) + "  # the rest is lost\n"
    cut = cut.replace("seed: 1", "seed: none")
    part = read_record(cut)
    assert part.seed is None
    assert not list(part.positions())[-1][0].over
    assert record.plies[: len(part.plies)] == part.plies
    half = record_game(GAME, 1, result.actions[:40])
    assert sum(ply.player >= 0 for ply in half.plies) == 40


def test_a_game_may_differ_from_what_its_seed_would_draw():
    _, record = recorded()
    text = record.write()
    line = next(line for line in text.splitlines() if line.startswith("* first player"))
    other = "* first player player 1" if line.endswith("0") else "* first player player 0"
    with pytest.raises(RecordError, match="decides here|not legal"):
        read_record(text.replace(line, other))  # then the actions don't fit
    part = text.partition(line)[0] + other
    assert read_record(part).plies[-1].name == other[2:]


def test_draws_that_went_back_may_be_written_down():
    """At a table, and in games of earlier versions, five tiles of one colour lie on the large factory before they go back."""
    _, record = recorded()
    text = record.write()
    once = text.replace("* tile", "* tile red\n" * 5 + "* tile", 1).replace("* tile red\n", "* tile red  # again\n", 2)
    twice = once.replace("* tile", "* tile blue\n" * 5 + "* tile", 1)
    assert read_record(once) == read_record(twice) == record


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "", "line 1: expected"),
        (lambda t: t.replace("azul/duel-v0", "azul/duel-v9", 1), "azul/duel-v0"),
        (lambda t: t.replace("seed: 1", "seed: -1"), "line 3: expected a seed"),
        (lambda t: t.replace("seed: 1\n", ""), "'seed: ...' is missing"),
        (lambda t: t.replace("{}", "{"), "line 2: options must be JSON"),
        (lambda t: t.replace("{}", "[]"), "JSON object"),
        (lambda t: t.replace("{}", '{"explicit_chance": true}'), "without explicit_chance"),
        (lambda t: t.replace("{}", '{"scoring_tiles": 9}'), "line 2: .*3, 4"),
        (lambda t: t.replace("player 0: greedy", "hello"), "line 4: expected options"),
        (lambda t: t.replace("* stack top", "* stack bottom", 1), "no outcome of this draw"),
        (lambda t: t.replace("A display", "A displai", 1), "close names: 'A display"),
        (lambda t: t + "0: stop drawing\n", "the game is over"),
        (lambda t: t + "* tile blue\n", "nothing is drawn here"),
        (
            lambda t: t.replace("seed: 1", "seed: " + "9" * 5000),
            "line 3: expected a seed of at least 0 and at most 600 digits",
        ),
        (lambda t: t.replace("{}", '{"scoring_tiles": ' + "9" * 5000 + "}"), "line 2: options must be JSON"),
        (lambda t: t.replace("{}", "[" * 100_000), "line 2: options must be JSON"),
        (lambda t: t.replace("\n0: ", "\n" + "9" * 5000 + ": ", 1), "expected a draw or an action, not '999"),
        (lambda t: t.replace("\n0: ", "\n9: ", 1), "decides here, not player 9"),
        (lambda t: t.replace("\n0: ", "\n00: ", 1), "decides here, not player 00"),
    ],
)
def test_broken_files_say_where_and_what_was_expected(change, message):
    with pytest.raises(ValueError, match=message):
        read_record(change(recorded_default()))


@pytest.mark.parametrize("path", GOLDEN_GAMES, ids=lambda path: path.stem)
def test_golden_games(path):
    """One game a variant, with every action and draw: they must replay, and the seed must still give them."""
    text = path.read_text(encoding="utf-8")
    record = read_record(text)
    actions = [ply.number for ply in record.plies if ply.player >= 0]
    again = record_game(GAME, record.seed, actions, record.options, record.players)
    assert again.write() == text.rsplit("# final", 1)[0]
    last = list(record.positions())[-1][0]
    assert text.rsplit("# final ", 1)[1].strip() == f"scores {last.scores[0]} {last.scores[1]}, winner {last.winner}"


def test_there_is_a_golden_game_for_each_variant():
    assert [path.stem for path in GOLDEN_GAMES] == sorted(OPTIONS)


def write_golden_games() -> None:
    """Write the golden games anew; only when the rules are meant to change."""
    for name, options in OPTIONS.items():
        result, record = recorded(SEEDS.get(name, 2026), ("greedy", "random"), **options)
        final = f"# final scores {result.scores[0]} {result.scores[1]}, winner {result.winner}\n"
        (GOLDEN / f"{name}.game").write_text(record.write() + final, encoding="utf-8")


if __name__ == "__main__":
    write_golden_games()


def test_names_with_number_signs_and_options_with_names():
    result = play_game(GAME, ["random", "random"], 1, {"scoring_tiles": ("rows", "columns", "corners")})
    options = {"scoring_tiles": ("rows", "columns", "corners")}
    record = record_game(GAME, 1, result.actions, options, ("a # b", "c"))
    again = read_record(record.write().replace("\n* ", "\n# a remark\n* ", 3))
    assert again == record
    assert again.players == ("a # b", "c")
    with pytest.raises(ValueError, match="one line"):
        record_game(GAME, 1, [], players=("two\nlines", "x")).write()
    with pytest.raises(ValueError, match="2 actions are left"):
        record_game(GAME, 1, [*result.actions, 1, 2], options)
    with pytest.raises(RecordError, match="stands twice"):
        read_record(record.write().replace("seed: 1", "seed: 1\nseed: 1"))
    text = record.write()
    line = next(line for line in text.splitlines() if line.startswith("* chip"))
    assert read_record(text.replace(line, f"{line}  # a remark", 1)) == record
